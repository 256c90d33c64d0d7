/*
 * tests/fakegpu/replay.c - plays a recorded CUDA trace back to whoever is injected, as CUPTI gave it: replay
 * TRACE.gputap [--timed] [--process N]
 *
 * The stand-in machine in replay mode: it runs no kernel and makes no record of its own. One thread for each recorded
 * one asks the client for buffers, fills them with the recorded activities and hands them back, and makes the recorded
 * resource callbacks and, where arguments were recorded, those of API calls; all in the recorded order, as fast as it
 * goes (--timed: in the recorded time). A client's buffer that is smaller than the recorded one is handed back full and
 * the next one asked for: cut only between records. What was never completed is left uncompleted. Times are the
 * recorded ones; CUPTI's clock continues them. Texts that records point to are made anew, so their addresses differ.
 *
 * replay --list TRACE.gputap: every activity as it lies in the trace, texts in the place of their addresses, one a
 * line, sorted by nothing.
 *
 * Status 3: the client asked for kinds that the recording has not, or not for all that it has; it says which.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "trace/format/cuda_capture.h"
#include "trace/read/block.h"
#include "trace/read/cupti.h"
#undef PUT
#include "fakegpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum what { REQUEST, COMPLETE, RESOURCE, DROPPED, ENTER, EXIT };

struct play_buffer { struct gt_cupti_buffer b; uint8_t *to; size_t room; };
struct play_call { int domain; uint32_t cbid, correlation, bytes; int32_t result; uint8_t *params; uint64_t slot; };
struct event { uint64_t tick, order; enum what what; uint32_t tid, index; uint64_t words[7]; };
struct text { uint64_t tick, address; char *text; };
struct name { int domain; uint32_t cbid; char *text; };
struct outer { int domain; uint32_t cbid; };

static struct gt_reader *reader;
static int process;
static struct gt_cupti_sizes sizes;
static uint32_t driver;
static uint64_t kinds_recorded;         /* a bit each, that were on */
static struct play_buffer *buffers;
static struct play_call *calls;
static struct event *events;
static struct text *texts;
static struct name *names;
static struct outer *outers;            /* by correlation id: a call of that number */
static uint32_t *has_args;              /* by correlation id: the recording has the call itself */
static size_t n_buffers, n_calls, n_events, n_texts, n_names, n_outers;
static uint64_t first_clock_ns, first_clock_tick;

#define FAIL(...) do { fprintf(stderr, "replay: " __VA_ARGS__); fputc('\n', stderr); exit(1); } while (0)

/* Room for one more at the end of an array that grows by doubling. */
static void *grow(void *array, size_t n, size_t bytes)
{
	if (n & (n - 1))
		return array;
	array = realloc(array, (n ? n * 2 : 1) * bytes);
	if (!array)
		FAIL("out of memory");
	return array;
}

static char *copy_of(const char *text, uint32_t bytes)
{
	char *s = calloc(1, bytes + 1u);

	if (!s)
		FAIL("out of memory");
	memcpy(s, text, bytes);
	return s;
}

static void add_event(uint64_t tick, enum what what, uint32_t tid, uint32_t index, const uint64_t *words)
{
	events = grow(events, n_events, sizeof *events);
	events[n_events] = (struct event){ tick, n_events, what, tid, index, { 0 } };
	if (words)
		memcpy(events[n_events].words, words, sizeof events->words);
	n_events++;
}

/* ------------------------------------------------------------------ reading */

static void take_text(const struct gt_rec *r, uint32_t at, const char **text, uint32_t *bytes)
{
	if (!gt_rec_text(r, at, text, bytes))
		*text = "", *bytes = 0;
}

/*
 * Parameters with what their pointers led to put in place: {bytes, copies}; the structure; per copy {offset, bytes},
 * the bytes.
 */
static void take_call(const struct gt_rec *r, uint32_t tid)
{
	uint32_t bytes = (uint32_t)r->args[0] & ~REC_CUDA_RAW, copies = (uint32_t)(r->args[0] >> 32),
		 at = 1 + (bytes + 7) / 8;
	struct play_call c = { .domain = r->id >= REC_FN_CUDA_DRIVER ? FG_DRIVER : FG_RUNTIME,
		.cbid = r->id & 0xfff,
		.correlation = r->first_u32,
		.bytes = bytes,
		.result = r->result,
		.params = calloc(1, bytes + 256u) };

	if (!c.params || at > r->n_args)
		return;
	memcpy(c.params, r->args + 1, bytes);
	for (uint32_t i = 0; i < copies && at < r->n_args; i++) {
		uint32_t offset = (uint32_t)r->args[at], n = (uint32_t)(r->args[at] >> 32) & REC_CUDA_COPY_LENGTH;
		char *to = calloc(1, n + 256u);

		if (to && at + 1 + (n + 7) / 8 <= r->n_args && offset + 8 <= bytes) {
			memcpy(to, r->args + at + 1, n);
			memcpy(c.params + offset, &to, 8);
		}
		at += 1 + (n + 7) / 8;
	}
	calls = grow(calls, n_calls, sizeof *calls);
	calls[n_calls] = c;
	add_event(r->start_tick, ENTER, tid, (uint32_t)n_calls, NULL);
	add_event(r->end_tick, EXIT, tid, (uint32_t)n_calls, NULL);
	n_calls++;
}

static void take_record(const struct gt_rec *r, uint32_t tid)
{
	const char *text;
	uint32_t bytes, flags;
	uint64_t words[7];

	if (r->id >= REC_FN_CUDA && r->id < 0x4000) {
		take_call(r, tid);
		return;
	}
	switch (r->id) {
	case REC_CUPTI_LIBRARY:
		gt_cupti_sizes_take(&sizes, r, &driver, &flags, &text, &bytes);
		break;
	case REC_CUPTI_KIND:
		if (!r->result && r->args[1] >> 32 && (uint32_t)r->args[1] < 64)
			kinds_recorded |= 1ull << (uint32_t)r->args[1];
		break;
	case REC_CUPTI_CLOCK:
		if (!first_clock_ns)
			first_clock_tick = r->args[0], first_clock_ns = r->args[1];
		break;
	case REC_CUPTI_NAME:
		take_text(r, 2, &text, &bytes);
		names = grow(names, n_names, sizeof *names);
		names[n_names++] = (struct name){ (int)r->args[1], (uint32_t)(r->args[1] >> 32), copy_of(text, bytes) };
		break;
	case REC_CUPTI_STRING:
		take_text(r, 2, &text, &bytes);
		texts = grow(texts, n_texts, sizeof *texts);
		texts[n_texts++] = (struct text){ r->args[0], r->args[1], copy_of(text, bytes) };
		break;
	case REC_CUPTI_DROPPED:
		add_event(r->args[0], DROPPED, tid, 0, (uint64_t[7]){ r->args[1] });
		break;
	case REC_CUPTI_EVENT:
		memcpy(words, r->args, sizeof words);
		add_event(r->args[0], RESOURCE, tid, 0, words);
		break;
	}
}

static void read_records(void)
{
	uint32_t n_streams = gt_reader_stream_count(reader, (uint32_t)process),
		 *tid = calloc(n_streams + 1, sizeof *tid);
	struct gt_err err = { 0 };
	struct gt_cursor *c;
	struct gt_rec r;
	int rc = tid ? gt_cursor_open(reader, process, &c, &err) : -1;

	if (rc)
		FAIL("the trace cannot be read");
	while ((rc = gt_cursor_next(c, &r, &err)) > 0) {
		uint32_t place = gt_reader_stream_place(reader, (uint32_t)process, r.stream);

		if (r.id == REC_THREAD && place < n_streams)
			tid[place] = (uint32_t)r.args[1];
		else
			take_record(&r, place < n_streams ? tid[place] : 0);
	}
	gt_cursor_close(c);
	free(tid);
	if (rc < 0 || !sizes.version)
		FAIL("no CUDA in this trace");
}

static void read_buffers(void)
{
	struct gt_err err = { 0 };

	for (uint32_t i = 0; i < gt_cupti_buffer_count(reader); i++) {
		struct play_buffer p = { .to = NULL };

		if (gt_cupti_buffer_get(reader, i, &p.b, &err))
			FAIL("a buffer cannot be read");
		if ((int)p.b.process != process)
			continue;
		buffers = grow(buffers, n_buffers, sizeof *buffers);
		buffers[n_buffers] = p;
		add_event(p.b.head.requested_tick, REQUEST, p.b.head.requested_tid, (uint32_t)n_buffers, NULL);
		if (p.b.completed)
			add_event(p.b.head.completed_tick, COMPLETE, p.b.head.completed_tid, (uint32_t)n_buffers, NULL);
		n_buffers++;
	}
}

/* ----------------------------------------------------------------- activities */

/* Where records hold addresses of texts: kind, offset. */
static const struct {
	uint8_t kind;
	uint16_t offset;
} pointers[] = { { FG_KERNEL, 104 }, { FG_CONCURRENT_KERNEL, 104 }, { FG_DEVICE, 136 }, { 11, 24 }, { 12, 40 },
	{ 12, 48 }, { FG_MEMORY2, 64 }, { FG_MEMORY2, 120 }, { FG_JIT, 56 }, { FG_OVERHEAD, 48 } };

/*
 * What an address led to when the buffer came back: the last that was told of it by then, else the first; of one that
 * never came back, the last.
 */
static char *text_of(const struct play_buffer *b, uint64_t address)
{
	struct text *best = NULL;

	for (size_t i = 0; address && i < n_texts; i++) {
		struct text *t = &texts[i];
		bool in_time = !b->b.completed || t->tick <= b->b.head.completed_tick;
		bool best_in_time = best && (!b->b.completed || best->tick <= b->b.head.completed_tick);

		if (t->address == address && (!best || (in_time && (!best_in_time || t->tick >= best->tick))))
			best = t;
	}
	return best ? best->text : NULL;
}

struct walker { void (*take)(struct walker *w, struct play_buffer *b, const struct rec_activity *a); size_t used; };

static void walk(struct play_buffer *b, struct walker *w)
{
	struct gt_cupti_walk *walk;
	struct gt_err err = { 0 };
	struct rec_activity a;
	uint64_t offset;
	int rc;

	if (gt_cupti_walk_open(reader, &walk, &err))
		FAIL("out of memory");
	gt_cupti_walk_begin(walk, &b->b, &sizes);
	while ((rc = gt_cupti_walk_next(walk, &a, &offset, &err)) > 0)
		w->take(w, b, &a);
	gt_cupti_walk_close(walk);
	if (rc < 0)
		FAIL("a buffer cannot be read");
}

static void list_one(struct walker *w, struct play_buffer *b, const struct rec_activity *a)
{
	uint8_t bytes[GT_CUPTI_RECORD];

	(void)w;
	memcpy(bytes, a->at, a->bytes);
	printf("%u ", a->kind);
	for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
		if (pointers[i].kind == a->kind && pointers[i].offset + 8u <= a->bytes) {
			uint64_t address;
			const char *text;

			memcpy(&address, bytes + pointers[i].offset, 8);
			memset(bytes + pointers[i].offset, 0, 8);
			text = text_of(b, address);
			printf("%s ", text ? text : address ? "?" : "-");
		}
	for (uint32_t i = 0; i < a->bytes; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
}

static void note_outer(struct walker *w, struct play_buffer *b, const struct rec_activity *a)
{
	uint32_t correlation, cbid;

	(void)w, (void)b;
	if (a->kind != FG_DRIVER_API && a->kind != FG_RUNTIME_API)
		return;
	memcpy(&cbid, a->at + 4, 4);
	memcpy(&correlation, a->at + 32, 4);
	if (correlation >= n_outers || cbid >= 1024)
		return;
	struct outer o = { a->kind == FG_DRIVER_API ? FG_DRIVER : FG_RUNTIME, cbid };

	if (!outers[correlation].domain || fg_state.callback_on[o.domain][cbid])
		outers[correlation] = o;
}

/* ------------------------------------------------------------------ the client */

static void request(struct play_buffer *b)
{
	size_t max = 0;

	fg_count(FG_C_BUFFERS_REQUESTED, 1);
	fg_state.request(&b->to, &b->room, &max);
}

static void hand_back(struct play_buffer *b, size_t used)
{
	fg_count(FG_C_BUFFERS_COMPLETED, 1);
	fg_state.complete(NULL, b->b.head.stream, b->to, b->room, used);
	b->to = NULL;
}

static void play_one(struct walker *w, struct play_buffer *b, const struct rec_activity *a)
{
	if (b->to && w->used + a->bytes > b->room) {
		hand_back(b, w->used);
		request(b);
		w->used = 0;
	}
	if (!b->to || a->bytes > b->room)
		return;
	memcpy(b->to + w->used, a->at, a->bytes);
	for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
		if (pointers[i].kind == a->kind && pointers[i].offset + 8u <= a->bytes) {
			uint64_t address;
			char *text;

			memcpy(&address, a->at + pointers[i].offset, 8);
			text = text_of(b, address);
			memcpy(b->to + w->used + pointers[i].offset, &text, 8);
		}
	w->used += a->bytes;
	fg_count(FG_C_RECORDS, 1);
}

static void callback(int domain, uint32_t cbid, const void *data)
{
	if (cbid >= 1024 || !fg_state.callback || !fg_state.callback_on[domain][cbid])
		return;
	fg_count(FG_C_CALLBACKS, 1);
	fg_state.callback(fg_state.user, domain, cbid, data);
}

static void call_site(struct play_call *c, int site)
{
	struct fg_callback_data d = { .site = site,
		.name = fg_callback_name_of(c->domain, c->cbid),
		.args = c->params,
		.result = site ? &c->result : NULL,
		.correlation_data = &c->slot,
		.correlation = c->correlation };

	callback(c->domain, c->cbid, &d);
}

/* Objects for numbers: CUPTI's functions read the number out of them. */
static struct fg_context *context_of(uint64_t id, uint64_t device)
{
	struct fg_context *c = id ? calloc(1, sizeof *c) : NULL;

	if (c)
		*c = (struct fg_context){ .magic = FG_CONTEXT, .id = (uint32_t)id, .device = (int)device };
	return c;
}

static struct fg_graph *graph_of(uint64_t id)
{
	struct fg_graph *g = id ? calloc(1, sizeof *g) : NULL;

	if (g)
		*g = (struct fg_graph){ .magic = FG_GRAPH_, .id = (uint32_t)id };
	return g;
}

static struct fg_node *node_of(uint64_t id)
{
	struct fg_node *n = id ? calloc(1, sizeof *n) : NULL;

	if (n)
		*n = (struct fg_node){ .magic = FG_NODE, .id = id };
	return n;
}

static void resource(const uint64_t *w)
{
	uint32_t what = (uint32_t)w[1], cbid = (uint32_t)(w[1] >> 32);
	struct fg_resource_data d = { .context = context_of((uint32_t)w[2], w[3]) };
	struct fg_module_data module = { (uint32_t)w[3], w[4], NULL };
	struct fg_graph_data g = {
		.graph = graph_of(what == REC_CUPTI_NODE_DEPENDS || what >= REC_CUPTI_NODE_CREATED ? w[5] : w[3]),
		.node_type = (int)w[6]
	};

	switch (what) {
	case REC_CUPTI_CONTEXT_CREATED: case REC_CUPTI_CONTEXT_DESTROYED:
		break;
	case REC_CUPTI_MODULE_LOADED: case REC_CUPTI_MODULE_UNLOADED:
		d.descriptor = &module;
		break;
	case REC_CUPTI_GRAPH_CLONED:
		g.original_graph = graph_of(w[4]);
		break;
	case REC_CUPTI_GRAPH_EXEC_CREATED: case REC_CUPTI_GRAPH_EXEC_DESTROYED:
		g.exec = graph_of(w[3]);
		g.graph = graph_of(w[4]);
		break;
	case REC_CUPTI_NODE_CREATED: case REC_CUPTI_NODE_CLONED: case REC_CUPTI_NODE_DESTROYED:
		g.node = node_of(w[3]);
		g.original_node = node_of(w[4]);
		break;
	case REC_CUPTI_NODE_DEPENDS:
		g.node = node_of(w[3]);
		g.dependency = node_of(w[4]);
		break;
	case REC_CUPTI_GRAPH_CREATED: case REC_CUPTI_GRAPH_DESTROYED:
		break;
	default:
		return;                                 /* the collector's own events */
	}
	if (!d.descriptor && what >= REC_CUPTI_GRAPH_CREATED)
		d.descriptor = &g;
	callback(FG_RESOURCE, cbid, &d);
}

/* Inside the call that it came from, when the recording has that call's number only. */
static void resource_in_call(const uint64_t *w)
{
	uint32_t correlation = (uint32_t)(w[2] >> 32);
	uint8_t nothing[256] = { 0 };
	struct play_call c = { .correlation = correlation, .params = nothing };

	if (correlation && correlation < n_outers && !has_args[correlation] && outers[correlation].domain) {
		c.domain = outers[correlation].domain;
		c.cbid = outers[correlation].cbid;
		call_site(&c, 0);
	}
	resource(w);
	if (c.domain)
		call_site(&c, 1);
}

static void play(struct event *e)
{
	struct walker w = { play_one, 0 };

	switch (e->what) {
	case REQUEST:
		request(&buffers[e->index]);
		break;
	case COMPLETE:
		walk(&buffers[e->index], &w);
		if (buffers[e->index].to)
			hand_back(&buffers[e->index], w.used);
		break;
	case RESOURCE:
		resource_in_call(e->words);
		break;
	case DROPPED:
		atomic_fetch_add(&fg_state.dropped, e->words[0]);
		break;
	case ENTER: case EXIT:
		call_site(&calls[e->index], e->what == EXIT);
		break;
	}
}

/* ------------------------------------------------------------------- threads */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next_turn = PTHREAD_COND_INITIALIZER;
static size_t turn;
static bool timed;
static uint64_t started_ns;

static uint64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void wait_for_time(const struct event *e)
{
	int64_t due = gt_reader_tick_ns(reader, (uint32_t)process, e->tick) -
		gt_reader_tick_ns(reader, (uint32_t)process, events[0].tick);
	int64_t left = due - (int64_t)(mono_ns() - started_ns);

	if (timed && left > 0)
		nanosleep(&(struct timespec){ left / 1000000000, left % 1000000000 }, NULL);
}

static void *thread_of(void *tid)
{
	for (size_t i = 0; i < n_events; i++) {
		if (events[i].tid != (uint32_t)(uintptr_t)tid)
			continue;
		pthread_mutex_lock(&lock);
		while (turn != i)
			pthread_cond_wait(&next_turn, &lock);
		pthread_mutex_unlock(&lock);
		wait_for_time(&events[i]);
		play(&events[i]);
		pthread_mutex_lock(&lock);
		turn++;
		pthread_cond_broadcast(&next_turn);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int by_tick(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->tick != y->tick ? (x->tick < y->tick ? -1 : 1) : x->order < y->order ? -1 : x->order > y->order;
}

static void play_all(void)
{
	pthread_t *threads = NULL;
	uint32_t *tids = NULL;
	size_t n = 0;

	qsort(events, n_events, sizeof *events, by_tick);
	for (size_t i = 0; i < n_events; i++) {
		size_t k = 0;

		while (k < n && tids[k] != events[i].tid)
			k++;
		if (k < n)
			continue;
		tids = grow(tids, n, sizeof *tids);
		threads = grow(threads, n, sizeof *threads);
		tids[n++] = events[i].tid;
	}
	started_ns = mono_ns();
	for (size_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, thread_of, (void *)(uintptr_t)tids[i]);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < n_buffers; i++)
		if (!buffers[i].b.completed && buffers[i].to)
			walk(&buffers[i], &(struct walker){ play_one, 0 });
	free(tids);
	free(threads);
}

/* ---------------------------------------------------------------------- main */

static const char *name_of(int domain, uint32_t cbid)
{
	for (size_t i = 0; i < n_names; i++)
		if (names[i].domain == domain && names[i].cbid == cbid)
			return names[i].text;
	return NULL;
}

static void wait_for_kinds(void)
{
	for (int i = 0; i < 200 && fg_state.callback; i++) {
		bool all = true;

		for (unsigned k = 0; k < FG_KINDS; k++)
			all &= !(kinds_recorded >> k & 1) || fg_kind_on(k);
		if (all)
			return;
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	}
}

/* Of what the recording was made with and what is asked for now. */
static int compare_kinds(void)
{
	int status = 0;

	for (unsigned k = 0; k < FG_KINDS; k++) {
		bool recorded = kinds_recorded >> k & 1;

		if (recorded == fg_kind_on(k) || !fg_state.callback)
			continue;
		fprintf(stderr, recorded ? "replay: kind %u was recorded, and is not asked for\n" :
		        "replay: kind %u is asked for, the recording has none\n", k);
		status = 3;
	}
	return status;
}

static void list(void)
{
	for (size_t i = 0; i < n_buffers; i++)
		walk(&buffers[i], &(struct walker){ list_one, 0 });
	exit(0);
}

int main(int argc, char **argv)
{
	const char *path = getenv("FAKEGPU_REPLAY");
	struct gt_err err = { 0 };
	bool listed = false;
	struct timespec now;
	int status;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			listed = true;
		else if (!strcmp(argv[i], "--timed"))
			timed = true;
		else if (!strcmp(argv[i], "--process") && i + 1 < argc)
			process = atoi(argv[++i]);
		else
			path = argv[i];
	}
	if (!path)
		FAIL("replay [--list] [--timed] [--process N] TRACE.gputap");
	if (gt_reader_open(path, &reader, &err))
		FAIL("%s cannot be opened", path);
	read_records();
	read_buffers();
	if (listed)
		list();
	fg_state.replaying = true;
	fg_state.replay_bytes = sizes.bytes;
	fg_state.replay_name = name_of;
	fg_state.cupti_version = sizes.version;
	fg_state.driver_version = (int)driver;
	clock_gettime(CLOCK_REALTIME, &now);
	/*
	 * What was recorded from its session's start on comes from now on: nothing lies before the session that
	 * records it again.
	 */
	if (first_clock_ns)
		fg_state.clock_shift = (int64_t)first_clock_ns -
			gt_reader_tick_ns(reader, (uint32_t)process, first_clock_tick) -
			((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
	if (cuInit(0))
		FAIL("cuInit failed");
	if (!fg_state.callback && !fg_state.request)
		FAIL("nobody listens");
	wait_for_kinds();
	n_outers = 1 << 24;
	outers = mmap(NULL, n_outers * sizeof *outers, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	has_args = mmap(NULL, n_outers * sizeof *has_args, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (outers == MAP_FAILED || has_args == MAP_FAILED)
		FAIL("out of memory");
	for (size_t i = 0; i < n_calls; i++)
		if (calls[i].correlation < n_outers)
			has_args[calls[i].correlation] = 1;
	for (size_t i = 0; i < n_buffers; i++)
		walk(&buffers[i], &(struct walker){ note_outer, 0 });
	play_all();
	status = compare_kinds();
	printf("gputap stand-in: %zu events of %s played\n", n_events, path);
	return status;
}
