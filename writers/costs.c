/*
 * writers/costs.c - books what every item of the timeline cost where it was called (docs/callgrind.md)
 *
 * Follows the timeline. A thread's open ranges and calls are a stack; a call's own time is what no call inside it took.
 * Device work is booked below the call that set it going, whenever it ran.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "model/threads/host_state.h"
#include "writers/costs.h"
#include "writers/frames.h"

enum { CACHE = 1024 }; /* a power of two */

/* Something of a thread that has begun and not ended. */
struct open_item {
	enum { RANGE, CALL, CALLBACK } what;
	uint32_t context;
	int64_t end_ns;                   /* INT64_MAX: never */
	int64_t own_ns, waited_ns;        /* calls: without what was inside; synchronisation that CUPTI told of */
	bool waits;                       /* its whole time is waiting */
	bool entered;                     /* ranges: counted, as a call was inside */
	uint64_t link;                    /* stands in cg.links; 0 */
};
/* Of a track: a thread, or a queue of a device. */
struct cost_track {
	uint32_t root;                    /* context; GT_COST_NONE: nothing was booked yet */
	uint32_t device, file;            /* texts of a queue's device; GT_COST_NONE: not asked yet */
	GT_LIST(struct open_item) open;     /* outermost first */
};
/* A call that device work or waits may still come of. */
struct pending {
	uint64_t link;
	uint32_t context, track, left;    /* left: items of work that have not come */
	bool open;
};

struct booking {
	const struct gt_export *x;
	struct gt_model *m;
	struct gt_timeline *t;
	struct gt_costs *costs;
	struct gt_cost_contexts *in;      /* of costs */
	struct gt_cost_options how;
	struct cost_track *tracks; size_t n_tracks, room;
	struct gt_map links;              /* struct pending */
	struct { uint32_t object, file; } api[2]; /* of OpenCL, of CUDA */
	/* Functions by where their name stands, which lives as long as the model. */
	struct { const char *name; uint32_t object, file, function; } cache[CACHE];
	bool failed;
};

/* ---- functions ---- */

static uint32_t text(struct booking *g, const char *s) { return gt_cost_text(g->in, s, strlen(s)); }

static uint32_t function_of(struct booking *g, uint32_t object, uint32_t file, struct gt_string name)
{
	unsigned at = gt_hash(gt_hash(GT_HASH, (uintptr_t)name.text), file) & (CACHE - 1);
	struct gt_cost_function f = { object, file, GT_COST_NONE };

	if (name.bytes && g->cache[at].name == name.text && g->cache[at].object == object && g->cache[at].file == file)
		return g->cache[at].function;
	f.name = gt_cost_text(g->in, name.text, name.bytes);
	g->cache[at].object = object;
	g->cache[at].file = file;
	g->cache[at].function = gt_cost_function(g->in, f);
	g->cache[at].name = g->cache[at].function == GT_COST_NONE ? NULL : name.text;
	return g->cache[at].function;
}

/* "[NVTX]" */
static uint32_t bracketed(struct booking *g, const char *before, struct gt_string name)
{
	struct gt_text t = { 0 };
	uint32_t n;

	gt_text_char(&t, '[');
	gt_text_str(&t, before);
	if (*before && name.bytes)
		gt_text_char(&t, ' ');
	gt_text_bytes(&t, name.text, name.bytes);
	gt_text_char(&t, ']');
	n = t.failed ? GT_COST_NONE : gt_cost_text(g->in, t.data, t.used);
	gt_text_free(&t);
	return n;
}

/* The executable. */
static uint32_t object_of(struct booking *g, uint32_t process)
{
	const char *image = gt_model_process(g->m, process)->image;

	return text(g, image && *image ? image : "???");
}

/* ---- contexts ---- */

static uint32_t part_of(struct booking *g, uint32_t process, int tid)
{
	struct gt_cost_part part = { -1, -1, GT_COST_NONE };

	if (g->how.parts != GT_COST_PARTS_ONE || gt_model_process_count(g->m) == 1) {
		part.process = process;
		part.pid = gt_model_process(g->m, process)->pid;
	}
	if (g->how.parts == GT_COST_PARTS_THREAD)
		part.tid = tid;
	return gt_cost_part(g->in, part);
}

static uint32_t root(struct booking *g, uint32_t process, int tid, const char *name)
{
	uint32_t object = object_of(g, process);
	struct gt_cost_function f = { object, text(g, "[threads]"), text(g, name) };

	return gt_cost_context(g->in, part_of(g, process, tid), GT_COST_NONE, (struct gt_cost_site){ 0 },
		gt_cost_function(g->in, f));
}

/* A context below another one; counts that it was entered. NULL: out of memory. */
static struct gt_cost_context *below(struct booking *g, uint32_t parent, struct gt_cost_site site, uint32_t function)
{
	struct gt_cost_context *context;
	uint32_t n = GT_COST_NONE;

	if (parent != GT_COST_NONE)
		n = gt_cost_context(g->in, gt_cost_context_at(g->in, parent)->part, parent, site, function);
	if (n == GT_COST_NONE) {
		g->failed = true;
		return NULL;
	}
	context = gt_cost_context_at(g->in, n);
	context->entered++;
	return context;
}

static uint32_t number(const struct booking *g, const struct gt_cost_context *c)
{
	return c ? (uint32_t)(c - gt_cost_context_at(g->in, 0)) : GT_COST_NONE;
}

static struct cost_track *track_at(struct booking *g, uint32_t track)
{
	while (g->n_tracks <= track) {
		if (!gt_grow((void **)&g->tracks, g->n_tracks, &g->room, sizeof *g->tracks)) {
			g->failed = true;
			return NULL;
		}
		g->tracks[g->n_tracks++] = (struct cost_track){ .root = GT_COST_NONE, .device = GT_COST_NONE };
	}
	return &g->tracks[track];
}

static uint32_t root_of(struct booking *g, struct cost_track *thread, uint32_t track)
{
	const struct gt_track *is = gt_timeline_track(g->t, track);
	char name[160];

	if (thread->root != GT_COST_NONE)
		return thread->root;
	if (is->tid < 0)
		snprintf(name, sizeof name, "unknown thread");
	else
		snprintf(name, sizeof name, is->name.bytes ? "thread %d (%.*s)" : "thread %d", is->tid,
			is->name.bytes > 64 ? 64 : (int)is->name.bytes, is->name.text);
	return thread->root = root(g, is->process, is->tid, name);
}

/* ---- what is open ---- */

static bool same_link(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct pending *)element)->link == *(const uint64_t *)key;
}

static struct pending *find_link(struct booking *g, uint64_t link)
{
	return link ? gt_map_find(&g->links, sizeof(struct pending), gt_hash(GT_HASH, link), &link, same_link, NULL)
		    : NULL;
}

/* CONTEXT1 */
static void drop_link(struct booking *g, struct pending *l)
{
	if (!l->left && !l->open)
		gt_map_remove(&g->links, sizeof *l, l);
}

static void add_link(struct booking *g, const struct gt_item *item, uint32_t context)
{
	bool fresh;
	struct pending *l = gt_map_add(
		&g->links, sizeof *l, gt_hash(GT_HASH, item->link), &item->link, same_link, NULL, &fresh);

	if (!l) {
		g->failed = true;
		return;
	}
	*l = (struct pending){ item->link, context, item->track, l->left + item->works, true };
}

/* Books a call's time when all that was inside it is known. */
static void close_open(struct booking *g, const struct open_item *o)
{
	struct gt_cost *self = &gt_cost_context_at(g->in, o->context)->self;
	int64_t own = o->own_ns > 0 ? o->own_ns : 0;
	int64_t wait = o->waits || o->waited_ns > own ? own : o->waited_ns;
	struct pending *l = find_link(g, o->link);

	if (o->what == CALL && o->end_ns != INT64_MAX) {
		self->v[GT_COST_WAIT] += (uint64_t)wait;
		self->v[GT_COST_API] += (uint64_t)(own - wait);
	}
	if (l) {
		l->open = false;
		drop_link(g, l);
	}
}

/* Ranges of two domains may end in another order than that of their nesting. */
static void close_ended(struct booking *g, struct cost_track *thread, int64_t at_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < thread->open.n; i++)
		if (thread->open.v[i].end_ns > at_ns)
			thread->open.v[kept++] = thread->open.v[i];
		else if (thread->open.v[i].what != RANGE)
			close_open(g, &thread->open.v[i]);
	thread->open.n = kept;
}

/* Those that are open when everything was read: all end, but for those that never did. */
static void close_all(struct booking *g)
{
	for (size_t i = 0; i < g->n_tracks; i++) {
		close_ended(g, &g->tracks[i], INT64_MAX);
		free(g->tracks[i].open.v);
	}
	free(g->tracks);
}

/* The context of what begins now. A range is counted when a call is inside it: others have no cost. */
static uint32_t present(struct booking *g, struct cost_track *thread, uint32_t track)
{
	struct open_item *last = thread->open.n ? &thread->open.v[thread->open.n - 1] : NULL;

	for (uint32_t i = 0; i < thread->open.n; i++) {
		struct open_item *o = &thread->open.v[i];

		if (o->what != RANGE || o->entered)
			continue;
		o->entered = true;
		gt_cost_context_at(g->in, o->context)->entered++;
	}
	return last ? last->context : root_of(g, thread, track);
}

/* The call or callback that what begins now is inside. */
static struct open_item *enclosing(struct cost_track *thread)
{
	for (uint32_t i = thread->open.n; i--;)
		if (thread->open.v[i].what != RANGE)
			return &thread->open.v[i];
	return NULL;
}

static struct open_item *push(struct booking *g, struct cost_track *thread, const struct gt_item *item)
{
	struct open_item *o = GT_LIST_ADD(&thread->open);

	if (!o) {
		g->failed = true;
		return NULL;
	}
	o->end_ns = item->never_ended ? INT64_MAX : item->end_ns;
	return o;
}

/* ---- items ---- */

static void add_range(struct booking *g, const struct gt_item *item)
{
	const struct gt_track *pushes = gt_timeline_track(g->t, item->track);
	struct cost_track *thread;
	uint32_t parent, function, file;
	struct gt_cost_context *context;
	struct open_item *o;

	if (pushes->kind != GT_TRACK_PUSHES || !item->timed)
		return;
	thread = track_at(g, pushes->parent);
	if (!thread)
		return;
	close_ended(g, thread, item->start_ns);
	parent = thread->open.n ? thread->open.v[thread->open.n - 1].context : root_of(g, thread, pushes->parent);
	file = bracketed(g, "NVTX", item->range->domain_name);
	function = function_of(g, object_of(g, item->process), file, item->name);
	context = below(g, parent, (struct gt_cost_site){ 0 }, function);
	o = context ? push(g, thread, item) : NULL;
	if (!o)
		return;
	context->entered--;
	o->what = RANGE;
	o->context = number(g, context);
}

/* "???" is what profiles call a name that is not known. */
static uint32_t text_or(struct booking *g, struct gt_string s)
{
	return s.bytes ? gt_cost_text(g->in, s.text, s.bytes) : text(g, "???");
}

/* One without a name is told by its address, as valgrind does. */
static uint32_t host_function(struct booking *g, const struct gt_cost_frame *f)
{
	struct gt_cost_function function = { text_or(g, f->object), text_or(g, f->file), GT_COST_NONE };
	char address[32];

	if (f->function.bytes)
		return function_of(g, function.object, function.file, f->function);
	snprintf(address, sizeof address, "0x%016llx", (unsigned long long)f->address);
	function.name = text(g, address);
	return gt_cost_function(g->in, function);
}

/* The host's functions between the thread and its call. */
static uint32_t follow_frames(
	struct booking *g, const struct gt_item *item, uint32_t context, struct gt_cost_site *site)
{
	struct gt_cost_frames frames;
	struct gt_cost_frame f;

	gt_cost_frames_of(&frames, g->m, item);
	while (!g->failed && gt_cost_frames_next(&frames, &f)) {
		uint32_t function = host_function(g, &f);

		context = number(g, below(g, context, *site, function));
		*site = (struct gt_cost_site){ f.line, g->how.instr ? f.address : 0 };
	}
	return context;
}

static void add_call(struct booking *g, const struct gt_item *item)
{
	struct cost_track *thread = track_at(g, item->track);
	bool cuda = item->cuda;
	struct gt_cost_context *context;
	struct gt_cost_site site = { 0 };
	struct open_item *in, *o;
	uint32_t parent, function;

	if (!thread)
		return;
	close_ended(g, thread, item->start_ns);
	parent = present(g, thread, item->track);
	in = enclosing(thread);
	if (in && in->what == CALL && !item->never_ended)
		in->own_ns -= (item->end_ns < in->end_ns ? item->end_ns : in->end_ns) - item->start_ns;
	/* The stack of a call inside another has that one's in it. */
	if (!in)
		parent = follow_frames(g, item, parent, &site);
	function = function_of(g, g->api[cuda].object, g->api[cuda].file, item->name);
	context = below(g, parent, site, function);
	o = context ? push(g, thread, item) : NULL;
	if (!o)
		return;
	o->what = item->kind == GT_ITEM_CALL ? CALL : CALLBACK;
	o->context = number(g, context);
	context->self.v[GT_COST_CALLS] += o->what == CALL;
	g->costs->unfinished += item->never_ended || item->call->unfinished;
	if (o->what == CALLBACK || item->never_ended)
		return;
	o->own_ns = item->end_ns - item->start_ns;
	o->waits = gt_call_waits(item->call);
	if (item->link && (item->works || cuda)) {
		o->link = item->link;
		add_link(g, item, o->context);
	}
}

static void add_wait(struct booking *g, const struct gt_item *item)
{
	const struct pending *l = find_link(g, item->link);
	struct cost_track *thread = l ? track_at(g, l->track) : NULL;

	if (!gt_sync_waits(item))
		return;
	for (uint32_t i = thread ? thread->open.n : 0; i--;)
		if (thread->open.v[i].link == item->link) {
			thread->open.v[i].waited_ns += item->end_ns - item->start_ns;
			return;
		}
}

static uint64_t bytes_of(const struct gt_item *item)
{
	if (item->kind != GT_ITEM_COPY && item->kind != GT_ITEM_FILL)
		return 0;
	if (item->command)
		return item->command->has_bytes ? item->command->bytes : 0;
	return !item->cuda ? 0 : item->kind == GT_ITEM_COPY ? item->cuda->copy.bytes : item->cuda->fill.bytes;
}

/* The context of the call that set device work going. */
static uint32_t launched_by(struct booking *g, const struct gt_item *item)
{
	struct pending *l = find_link(g, item->link);
	uint32_t context;

	if (!l)
		return root(g, item->process, -1, "(no call)");
	context = l->context;
	if (item->timed && l->left) {
		l->left--;
		drop_link(g, l);
	}
	return context;
}

/* What a queue's device is called, and "[device NAME]". NULL: out of memory. */
static const struct cost_track *device_of(struct booking *g, uint32_t queue)
{
	const struct gt_track *track = gt_timeline_track(g->t, queue);
	struct cost_track *of = track_at(g, queue);

	if (!of || of->device != GT_COST_NONE)
		return of;
	if (track->parent != GT_NO_TRACK)
		track = gt_timeline_track(g->t, track->parent);
	of->device = gt_cost_text(g->in, track->name.text, track->name.bytes);
	of->file = bracketed(g, "device", track->name);
	return of;
}

static void add_work(struct booking *g, const struct gt_item *item)
{
	uint32_t parent = launched_by(g, item);
	const struct cost_track *device;
	struct gt_cost_context *context;

	if (item->kind == GT_ITEM_COMMAND) /* markers, barriers: nothing runs */
		return;
	if (!item->timed) {
		g->costs->untimed++;
		return;
	}
	device = device_of(g, item->track);
	context = device ? below(g, parent, (struct gt_cost_site){ 0 },
				   function_of(g, device->device, device->file, item->name))
			 : NULL;
	if (!context)
		return;
	context->self.v[GT_COST_GPU] += (uint64_t)(item->end_ns - item->start_ns);
	context->self.v[GT_COST_BYTES] += bytes_of(item);
}

static void add_item(struct booking *g, const struct gt_item *item)
{
	switch (item->kind) {
	case GT_ITEM_RANGE:
		add_range(g, item);
		break;
	case GT_ITEM_CALL:
	case GT_ITEM_CALLBACK:
		if (!gt_is_os_runtime(item->fn)) /* no event has their time */
			add_call(g, item);
		break;
	case GT_ITEM_SYNC:
		add_wait(g, item);
		break;
	case GT_ITEM_KERNEL:
	case GT_ITEM_COPY:
	case GT_ITEM_FILL:
	case GT_ITEM_GRAPH:
	case GT_ITEM_COMMAND:
		add_work(g, item);
		break;
	default:
		break;
	}
}

/* ---- all of them ---- */

static int no_memory(const struct gt_export *x, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: cannot be written", x->final_path);
}

static int read_all(struct booking *g, struct gt_err *err)
{
	const struct gt_timeline_options options = { .process = -1,
		.from_ns = g->x->from_ns,
		.to_ns = g->x->to_ns,
		.cuda_nested = gt_option_is(g->x->options, "cuda-driver-rows", "all"),
		.progress = g->x->progress,
		.ctx = g->x->ctx };
	const struct gt_item *item;
	int more;

	if (gt_timeline_open(g->m, &options, &g->t, err))
		return -1;
	while ((more = gt_timeline_next(g->t, &item, err)) == 1 && !g->failed)
		add_item(g, item);
	close_all(g);
	gt_map_free(&g->links, sizeof(struct pending));
	gt_timeline_close(g->t);
	return more < 0 ? -1 : g->failed ? no_memory(g->x, err) : 0;
}

int gt_costs_read(struct gt_costs *c, const struct gt_export *x, struct gt_cost_options how, struct gt_err *err)
{
	struct booking *g = calloc(1, sizeof *g);
	int rc;

	if (!g)
		return no_memory(x, err);
	g->x = x;
	g->m = x->model;
	g->costs = c;
	g->in = &c->contexts;
	g->how = how;
	for (int cuda = 0; cuda < 2; cuda++) {
		g->api[cuda].object = text(g, cuda ? "CUDA" : "OpenCL");
		g->api[cuda].file = text(g, cuda ? "[CUDA API]" : "[OpenCL API]");
	}
	rc = read_all(g, err);
	free(g);
	return rc;
}
