/*
 * model/open.c - one pass over all records when a trace is opened
 *
 * In file order, stream by stream: who the threads are, how much there is, what the driver said about objects, which
 * device record belongs to which call, how device clocks run. The walk then needs the calls only.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/started.h"
#include "model/checks/checks.h"
#include "model/cuda/take.h"
#include "model/internal.h"

/* ------------------------------------------------------------------ processes */

static const char *fact(const struct gt_model *m, int process, const char *key)
{
	const char *v = gt_reader_fact(m->reader, process, key, 0);

	return v ? v : "";
}

static int64_t fact_number(const struct gt_model *m, int process, const char *key, int64_t missing)
{
	const char *v = gt_reader_fact(m->reader, process, key, 0);

	return v && *v ? strtoll(v, NULL, 0) : missing;
}

static const char *const *fact_list(struct gt_model *m, int process, const char *key, size_t *n)
{
	const char **v;

	for (*n = 0; gt_reader_fact(m->reader, process, key, (unsigned)*n); ++*n)
		;
	v = gt_arena_alloc(&m->arena, (*n + 1) * sizeof *v);
	for (size_t i = 0; v && i < *n; i++)
		v[i] = gt_reader_fact(m->reader, process, key, (unsigned)i);
	if (!v)
		*n = 0;
	return v;
}

const char *gt_model_run_fact(const struct gt_model *m, const char *key, unsigned n)
{
	return gt_reader_fact(m->reader, -1, key, n);
}

const char *gt_model_peaks(const struct gt_model *m) { return m->peaks ? m->peaks : ""; }
const char *gt_model_cupti(const struct gt_model *m) { return m->cupti ? m->cupti : ""; }

static int open_process(struct gt_model *m, uint32_t i)
{
	struct gt_process_state *p = &m->processes[i];
	struct gt_process *pub = &p->pub;
	int at = (int)i;

	pub->index = i;
	gt_reader_process_id(m->reader, i, &pub->pid, &pub->instance);
	pub->added_by = gt_reader_added_by(m->reader, i) == GT_NO_USER ? -1 : (int64_t)gt_reader_added_by(m->reader, i);
	pub->ppid = (int)fact_number(m, at, "ppid", 0);
	pub->image = fact(m, at, "image");
	pub->args = fact_list(m, at, "arg", &pub->n_args);
	pub->env = fact_list(m, at, "env", &pub->n_env);
	pub->cwd = fact(m, at, "cwd");
	pub->reason = fact(m, at, "reason");
	pub->os = fact(m, at, "os");
	pub->arch = fact(m, at, "arch");
	pub->clock_error_ns = gt_reader_clock_error_ns(m->reader, i);
	p->first_tick = (uint64_t)fact_number(m, at, "start_tick", 0);
	p->device_times = !gt_model_option_is(m, at, GT_TAKEN_DEVICE_TIMES, "false");
	p->n_streams = gt_reader_stream_count(m->reader, i);
	p->streams = calloc(p->n_streams + 1, sizeof *p->streams);
	p->joins = gt_join_new(p->n_streams);
	return p->streams && p->joins ? 0 : -1;
}

/* parent=PID.N */
static void find_parent(struct gt_model *m, struct gt_process *p)
{
	const char *said = gt_reader_fact(m->reader, (int)p->index, "parent", 0);
	char *end;
	long pid, instance = 1;

	if (!said)
		return;
	pid = strtol(said, &end, 10);
	if (*end == '.')
		instance = strtol(end + 1, NULL, 10);
	for (uint32_t i = 0; i < m->n_processes; i++)
		if (m->processes[i].pub.pid == pid && m->processes[i].pub.instance == instance && i != p->index)
			p->parent = &m->processes[i].pub;
}

static int open_processes(struct gt_model *m)
{
	uint32_t n = gt_reader_process_count(m->reader);

	m->processes = calloc(n + 1, sizeof *m->processes);
	if (!m->processes)
		return -1;
	m->n_processes = n;
	for (uint32_t i = 0; i < m->n_processes; i++)
		if (open_process(m, i))
			return -1;
	for (uint32_t i = 0; i < m->n_processes; i++)
		find_parent(m, &m->processes[i].pub);
	return 0;
}

/* -------------------------------------------------------------------- threads */

struct gt_thread *gt_model_add_thread(struct gt_model *m, uint32_t process, uint64_t start)
{
	uint64_t *at = GT_LIST_ADD(&m->thread_start);
	struct gt_thread *t = at ? GT_LIST_ADD(&m->threads) : NULL;

	if (!t)
		return NULL;
	*at = start;
	t->index = m->threads.n - 1;
	t->process = process;
	t->name = "";
	t->end_ns = GT_NO_TIME;
	return t;
}

struct gt_stream_map *gt_model_stream(const struct gt_model *m, uint32_t process, uint32_t number)
{
	return &m->processes[process].streams[gt_reader_stream_place(m->reader, process, number)];
}

static bool add_holder(struct gt_stream_map *s, uint32_t thread)
{
	s->holder = gt_list_room(s->holder, &s->n, &s->room, sizeof *s->holder);
	if (!s->holder)
		return false;
	s->holder[s->n - 1] = thread;
	return true;
}

static bool same_thread(const void *element, const void *key, const void *ctx)
{
	const struct gt_known_thread *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->tid == b->tid && a->start == b->start;
}

static uint64_t hash_thread(const struct gt_known_thread *k)
{
	return gt_hash(gt_hash(gt_hash(GT_HASH, k->process), (uint32_t)k->tid), k->start);
}

/* A new holder of a stream: its thread, and the place where the stream's later records find it. */
static struct gt_thread *add_thread(struct gt_model *m, uint32_t process, uint32_t stream, uint64_t tick, int tid)
{
	struct gt_thread *t = gt_model_add_thread(m, process, tick);
	struct gt_known_thread key = { .process = process, .tid = tid, .start = tick }, *known;
	bool fresh;

	if (!t || !add_holder(gt_model_stream(m, process, stream), t->index))
		return NULL;
	t->tid = tid;
	key.index = t->index;
	known = gt_map_add(&m->thread_map, sizeof key, hash_thread(&key), &key, same_thread, NULL, &fresh);
	if (!known)
		return NULL;
	*known = key;
	return t;
}

/*
 * A stream says again whose it is where the ring may have taken the first word of it, and beside the stream that said
 * it. 1: known already; 0: not; -1: out of memory.
 */
static int take_thread_again(struct gt_model *m, const struct gt_rec *rec)
{
	const struct gt_known_thread key = { .process = rec->process, .tid = (int)(uint32_t)rec->args[1],
		.start = rec->args[0] }, *known;
	struct gt_stream_map *s = gt_model_stream(m, rec->process, rec->stream);

	known = gt_map_find(&m->thread_map, sizeof key, hash_thread(&key), &key, same_thread, NULL);
	if (!known || (!(rec->args[1] >> 32 & REC_THREAD_AGAIN) && !(s->n && s->holder[s->n - 1] == known->index)))
		return 0;
	return add_holder(s, known->index) ? 1 : -1;
}

static int take_thread(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_string name;
	struct gt_thread *t;
	uint32_t at = 2;
	int known = rec->n_args >= 2 ? take_thread_again(m, rec) : 0;

	if (known)
		return known < 0 ? -1 : 0;
	t = add_thread(m, rec->process, rec->stream, rec->n_args ? rec->args[0] : 0,
		rec->n_args < 2 ? 0 : (int)(uint32_t)rec->args[1]);
	if (!t)
		return -1;
	if (rec->n_args < 2)
		return 0;
	t->main = rec->args[1] >> 32 & 1;
	if (gt_record_text(rec, &at, &name))
		t->name = gt_arena_copy(&m->arena, name.text, name.bytes);
	return t->name ? 0 : -1;
}

/*
 * The thread that wrote a record. Records before the stream's first THREAD record belong to whom the control page
 * names.
 */
struct gt_thread *gt_model_thread_of(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_stream_map *s = gt_model_stream(m, rec->process, rec->stream);
	uint32_t holder = rec->holder ? rec->holder - 1 : 0;

	if (holder < s->n)
		return &m->threads.v[s->holder[holder]];
	return add_thread(m, rec->process, rec->stream, rec->start_tick,
		(int)gt_reader_control(m->reader, rec->process, rec->stream)->tid);
}

static int take_thread_end(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_thread *t = gt_model_thread_of(m, rec);

	if (t && rec->n_args >= 2 && (int)(uint32_t)rec->args[1] == t->tid)
		t->end_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]);
	return t ? 0 : -1;
}

struct order { uint64_t start; uint32_t index, process; int tid; };

static int compare_order(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->tid != y->tid ? (x->tid < y->tid ? -1 : 1) : (x->index > y->index) - (x->index < y->index);
}

static void renumber_streams(struct gt_model *m, const uint32_t *to)
{
	for (uint32_t p = 0; p < m->n_processes; p++)
		for (uint32_t s = 0; s < m->processes[p].n_streams; s++)
			for (uint32_t i = 0; i < m->processes[p].streams[s].n; i++)
				m->processes[p].streams[s].holder[i] = to[m->processes[p].streams[s].holder[i]];
}

/* By process, start, tid: one order whatever the streams' numbers were. */
static int sort_threads(struct gt_model *m)
{
	uint32_t n = m->threads.n;
	struct order *order = calloc(n + 1, sizeof *order);
	struct gt_thread *sorted = calloc(n + 1, sizeof *sorted);
	uint32_t *to = calloc(n + 1, sizeof *to);
	int ret = -1;

	if (!order || !sorted || !to)
		goto out;
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct order){ m->thread_start.v[i], i, m->threads.v[i].process, m->threads.v[i].tid };
	qsort(order, n, sizeof *order, compare_order);
	for (uint32_t i = 0; i < n; i++) {
		struct gt_process *p = &m->processes[order[i].process].pub;

		sorted[i] = m->threads.v[order[i].index];
		sorted[i].index = i;
		m->thread_start.v[i] = order[i].start;
		to[order[i].index] = i;
		if (!p->n_threads++)
			p->first_thread = i;
	}
	if (n)
		memcpy(m->threads.v, sorted, n * sizeof *sorted);
	renumber_streams(m, to);
	gt_threads_renumber(m, to);
	gt_cuda_set_threads(m, to);
	to = NULL;
	ret = 0;
out:
	free(order);
	free(sorted);
	free(to);
	return ret;
}

static const struct gt_fn *function_of(struct gt_model *m, uint32_t process, uint32_t id)
{
	return m->cuda && gt_cuda_is_call(id) ? gt_cuda_fn_by_id(m->cuda, process, id) : gt_fntable_find(m->table, id);
}

/* What the present holders were inside, innermost first, and what their streams lost. */
static void take_control(struct gt_model *m, uint32_t process, uint32_t stream)
{
	const struct rec_control *c =
		gt_reader_control(m->reader, process, gt_reader_stream_number(m->reader, process, stream));
	const struct gt_stream_map *s = &m->processes[process].streams[stream];
	struct gt_thread *t = s->n ? &m->threads.v[s->holder[s->n - 1]] : NULL;

	for (int i = 0; i < REC_LOSS_COUNT; i++)
		m->lost_writer[i] += c->lost[i] + c->lost_by_others[i];
	if (!t || !c->tid || c->tid != (uint32_t)t->tid)
		return;
	for (int i = REC_SLOTS - 1; i >= 0; i--) {
		const struct rec_slot *slot = &c->slot[i];
		const struct gt_fn *fn = slot->fn ? function_of(m, process, slot->fn) : NULL;

		if (!fn)
			continue;
		t->inside[t->n_inside].fn = fn;
		t->inside[t->n_inside].start_ns = gt_reader_tick_ns(m->reader, process, slot->start_tick);
		memcpy(t->inside[t->n_inside].arg, slot->arg, sizeof slot->arg);
		t->n_inside++;
	}
}

/* --------------------------------------------------------------------- calls */

static int take_call(struct gt_model *m, const struct gt_rec *rec, struct gt_decoded *decoded)
{
	const struct gt_fn *fn = gt_fntable_find(m->table, rec->id);
	struct gt_process_state *p = &m->processes[rec->process];
	struct gt_thread *t = gt_model_thread_of(m, rec);
	const struct gt_fn_info *f;

	if (!t)
		return -1;
	if (rec->end_tick > p->last_tick)
		p->last_tick = rec->end_tick;
	if (!p->first_tick || rec->start_tick < p->first_tick)
		p->first_tick = rec->start_tick;
	if (!fn) {
		gt_model_count_loss(m, REC_LOSS_UNKNOWN_RECORD, 1);
		return gt_unknowns_take(m, rec);
	}
	if (fn->is_callback) {
		p->pub.callbacks++;
		return 0;
	}
	p->pub.calls++;
	p->pub.device_calls += gt_is_of_device(fn);
	t->calls++;
	f = &m->fn_info[fn->index];
	if (f->action == GT_ACT_ENQUEUE && !rec->result) {
		p->pub.commands++;
		p->pub.kernels += f->is_kernel;
		return fn->has_event_out ? gt_join_add_call(m, rec) : 0;
	}
	if (f->action == GT_ACT_CREATE || f->action == GT_ACT_CREATE_MANY || f->action == GT_ACT_DEFINE_MANY ||
		f->action == GT_ACT_ASK) {
		struct gt_call call = { .fn = fn,
			.process = rec->process,
			.start_tick = rec->start_tick,
			.result = rec->result,
			.model = m };

		gt_call_set_args(&call, rec, decoded); /* damage is counted by the walk, once */
		if (!call.has_args)
			return 0;
		return f->action == GT_ACT_ASK ? gt_facts_add_answer(m, &call, f)
					       : gt_facts_add_creations(m, &call, f);
	}
	return 0;
}

/* -------------------------------------------------------------- other records */

static int take_note(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_string text;
	struct gt_note *n;
	uint32_t at = 2;

	if (!gt_record_text(rec, &at, &text)) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	n = GT_LIST_ADD(&m->notes);
	if (!n)
		return -1;
	*n = (struct gt_note){ rec->process, gt_reader_tick_ns(m->reader, rec->process, rec->args[0]),
		gt_arena_copy(&m->arena, text.text, text.bytes) };
	return n->text ? 0 : -1;
}

/* What the launcher could not do stands in `run`: it is of the first process. */
static int take_run_notes(struct gt_model *m)
{
	const char *text;

	for (unsigned i = 0; m->n_processes && (text = gt_reader_fact(m->reader, -1, "note", i)); i++) {
		struct gt_note *n = GT_LIST_ADD(&m->notes);

		if (!n)
			return -1;
		*n = (struct gt_note){ .text = text };
	}
	return 0;
}

static bool is_told(const struct gt_model *m, const char *text)
{
	for (uint32_t i = 0; i < m->notes.n; i++)
		if (!strcmp(m->notes.v[i].text, text))
			return true;
	return false;
}

/* What was asked for and refused before the program began; its note says what, and what helps. */
static void take_refusals(struct gt_model *m)
{
	const char *text;
	unsigned n = 0;

	while ((text = gt_reader_fact(m->reader, -1, "refused", n)))
		n++;
	if (n)
		gt_model_count_loss(m, REC_LOSS_ASKED_REFUSED, n);
}

/* Programs that were not followed, by name: the first of them. A shell may have started thousands. */
static int take_started_notes(struct gt_model *m, const char *key)
{
	enum { LINES = 256, NAMED = 16 };
	const char *value;
	char text[1024];
	unsigned named = 0;

	for (unsigned i = 0; m->n_processes && i < LINES && named < NAMED &&
		(value = gt_reader_fact(m->reader, -1, key, i)); i++) {
		struct gt_note *n;

		gt_started_note(key, value, text, sizeof text);
		if (!*text || is_told(m, text))
			continue;
		if (!(n = GT_LIST_ADD(&m->notes)))
			return -1;
		*n = (struct gt_note){ .text = gt_arena_copy(&m->arena, text, strlen(text)) };
		if (!n->text)
			return -1;
		named++;
	}
	return 0;
}

static int take_calibration(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_calibration *c;

	if (rec->n_args < 5) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	c = GT_LIST_ADD(&m->calibrations);
	if (!c)
		return -1;
	*c = (struct gt_calibration){ .process = rec->process,
		.device = rec->args[1],
		.device_ns = rec->args[2],
		.tick = rec->args[0],
		.bracket = rec->args[3],
		.method = (uint32_t)rec->args[4] };
	return 0;
}

/* A clock set doubles as a calibration of CLOCK_MONOTONIC_RAW, should a device run on it. */
static int add_raw(struct gt_model *m, uint32_t process, uint64_t tick, uint64_t raw, uint64_t bracket)
{
	struct gt_calibration *c = GT_LIST_ADD(&m->raw_clock);

	if (!c)
		return -1;
	*c = (struct gt_calibration){ .process = process, .device_ns = raw, .tick = tick, .bracket = bracket };
	return 0;
}

static int take_clock(struct gt_model *m, const struct gt_rec *rec)
{
	if (rec->n_args < 6)
		return 0;                 /* the reader's clock code counts it */
	if (gt_cuda_take_clock(m, rec) || gt_image_take(m, rec))
		return -1;
	return add_raw(m, rec->process, rec->args[0], rec->args[2], rec->args[5]);
}

/* clock=TICK MONO RAW REAL BOOT BRACKET lines of `run` hold for every process of the same boot. */
static int take_run_clocks(struct gt_model *m)
{
	const char *line;

	for (unsigned i = 0; (line = gt_reader_fact(m->reader, -1, "clock", i)); i++) {
		uint64_t v[6] = { 0 };
		char *at = (char *)line;
		int n = 0;

		for (; n < 6 && *at; n++)
			v[n] = strtoull(at, &at, 0);
		if (n == 6 && add_raw(m, GT_RAW_SHARED, v[0], v[2], v[5]))
			return -1;
	}
	return 0;
}

static int take_hsa_kernel(struct gt_model *m, const struct gt_rec *rec)
{
	const uint64_t *w = rec->args;
	struct gt_string *text[3];
	struct gt_hsa_kernel *k;
	uint32_t at = 9;

	if (rec->n_args < 9) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	k = GT_LIST_ADD(&m->hsa);
	if (!k)
		return -1;
	*k = (struct gt_hsa_kernel){ .process = rec->process,
		.tid = (int)(uint32_t)w[1],
		.packet_type = (uint32_t)(w[1] >> 32),
		.kernel = w[2],
		.agent = w[5],
		.queue = w[7],
		.packet_id = w[8],
		.queue_index = (uint32_t)w[6],
		.device_index = (uint32_t)(w[6] >> 32),
		.start_mono_ns = (int64_t)w[3],
		.end_mono_ns = (int64_t)w[4] };
	text[0] = &k->name;
	text[1] = &k->agent_name;
	text[2] = &k->packet_fields;
	for (int i = 0; i < 3; i++) {
		struct gt_string s;

		if (!gt_record_text(rec, &at, &s))
			break;
		*text[i] = (struct gt_string){ gt_arena_copy(&m->arena, s.text, s.bytes), s.bytes };
	}
	return 0;
}

static int take_cuda(struct gt_model *m, const struct gt_rec *rec)
{
	const struct gt_thread *t = gt_model_thread_of(m, rec);

	return t ? gt_cuda_take(m, rec, t) : -1;
}

int gt_model_take_record(struct gt_model *m, const struct gt_rec *rec, struct gt_decoded *decoded)
{
	if (rec->id >= REC_FIRST_FUNCTION)
		return gt_cuda_is_call(rec->id) ? take_cuda(m, rec) : take_call(m, rec, decoded);
	switch (rec->id) {
	case REC_THREAD:
		return take_thread(m, rec);
	case REC_CLOCK:
		return take_clock(m, rec);
	case REC_COMMAND: case REC_COMMAND_UNTIMED:
		return gt_join_add_command(m, rec);
	case REC_OBJECT:
		return gt_facts_add_object(m, rec);
	case REC_BLOB_REF:
		return gt_facts_add_blob(m, rec);
	case REC_NOTE:
		return take_note(m, rec);
	case REC_LOCAL_SIZE:
		return gt_join_add_local_size(m, rec);
	case REC_CPU_COUNTERS:
		return gt_cpu_take(m, rec);
	case REC_CALIBRATION:
		return take_calibration(m, rec);
	case REC_EXEC:
		m->processes[rec->process].exec_tick = rec->args[0];
		return gt_image_take(m, rec);
	case REC_EXIT:
		m->processes[rec->process].exited = true;
		if (rec->n_args) {
			m->processes[rec->process].exit_tick = rec->args[0];
			if (rec->args[0] > m->processes[rec->process].last_tick)
				m->processes[rec->process].last_tick = rec->args[0];
		}
		return gt_image_take(m, rec);
	case REC_HSA_KERNEL:
		return take_hsa_kernel(m, rec);
	case REC_NVTX_EVENT: case REC_NVTX_POP: case REC_NVTX_END: case REC_NVTX_NAME: case REC_NVTX_SCHEMA:
		return gt_model_thread_of(m, rec) ? gt_ranges_take(m, rec) : -1;
	case REC_STACK:
		return gt_stacks_take(m, rec);
	case REC_MODULE:
		return gt_modules_take(m, rec);
	case REC_PYTHON_CODE:
		return gt_python_take(m, rec);
	case REC_SAMPLE: case REC_SWITCH: case REC_TASK: case REC_WAKING: case REC_RUN_DELAY: case REC_TRACEPOINT:
		return gt_threads_take(m, rec);
	case REC_TRACEPOINT_TYPE:
		return gt_tracepoints_take_type(m, rec);
	case REC_CUPTI_LIBRARY:
	case REC_CUPTI_KIND:
	case REC_CUPTI_CLOCK:
	case REC_CUPTI_NAME:
	case REC_CUPTI_STRING:
	case REC_CUPTI_DROPPED:
	case REC_CUPTI_EVENT:
		return take_cuda(m, rec);
	case REC_COUNTERS:
		return gt_counters_take(m, rec);
	case REC_THREAD_END:
		return take_thread_end(m, rec);
	case REC_PAD:
		return 0;
	}
	if (gt_image_is(rec->id))
		return gt_image_take(m, rec);
	return gt_unknowns_take(m, rec);  /* of a later version: the reader counts it */
}

static int no_memory(struct gt_model *m, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
}

static int take_records(struct gt_model *m, const struct gt_model_options *opt, struct gt_err *err)
{
	struct gt_decoded *decoded = malloc(sizeof *decoded);
	struct gt_cursor *cursor = NULL;
	struct gt_rec rec;
	uint64_t n = 0;
	int ret = -1;

	if (!decoded) {
		no_memory(m, err);
		goto out;
	}
	gt_decoded_init(decoded);
	if (gt_cursor_open(m->reader, -1, &cursor, err))
		goto out;
	while ((ret = gt_cursor_next(cursor, &rec, err)) > 0) {
		if (rec.id >= REC_FIRST_FUNCTION) {
			gt_check_looked(m, GT_CHECK_WHOLE, 1);
			if (rec.flags & REC_CUT)
				gt_checks_cut(m, rec.process, gt_fntable_find(m->table, rec.id), rec.start_tick);
		}
		if (gt_model_take_record(m, &rec, decoded)) {
			ret = no_memory(m, err);
			goto out;
		}
		if (opt && opt->progress && !(++n & 0xfffff))
			opt->progress(opt->ctx, 0);
	}
out:
	if (cursor)
		gt_cursor_close(cursor);
	if (decoded)
		gt_decoded_free(decoded);
	free(decoded);
	return ret;
}

/* --------------------------------------------------------------------- session */

static void finish_processes(struct gt_model *m)
{
	for (uint32_t i = 0; i < m->n_processes; i++) {
		struct gt_process_state *p = &m->processes[i];

		p->to_mono_ns = gt_reader_tick_mono_ns(m->reader, i, p->first_tick) -
			gt_reader_tick_ns(m->reader, i, p->first_tick);
		p->pub.start_ns = p->first_tick ? gt_reader_tick_ns(m->reader, i, p->first_tick) : 0;
		p->pub.end_ns = p->last_tick ? gt_reader_tick_ns(m->reader, i, p->last_tick) : p->pub.start_ns;
		if (gt_cuda_last_ns(m, i) > p->pub.end_ns)
			p->pub.end_ns = gt_cuda_last_ns(m, i);
		if (p->pub.end_ns > m->session.duration_ns)
			m->session.duration_ns = p->pub.end_ns;
		if (p->exit_tick)
			p->exit_ns = gt_reader_tick_ns(m->reader, i,
				p->exit_tick > p->last_tick ? p->exit_tick : p->last_tick);
		p->pub.live = p->exited ? GT_LIVE_NO : gt_reader_live(m->reader, i);
		for (uint32_t s = 0; s < p->n_streams; s++)
			take_control(m, i, s);
	}
}

static const char *run_or_first(const struct gt_model *m, const char *key)
{
	const char *v = gt_reader_fact(m->reader, -1, key, 0);

	return v ? v : m->n_processes ? fact(m, 0, key) : "";
}

static void open_session(struct gt_model *m)
{
	struct gt_session *s = &m->session;
	bool launched = gt_reader_fact(m->reader, -1, "arg", 0);

	s->run_id = run_or_first(m, "run_id");
	s->host = run_or_first(m, "host");
	s->user = run_or_first(m, "user");
	s->cwd = run_or_first(m, "cwd");
	s->version = run_or_first(m, "version");
	s->args = fact_list(m, launched || !m->n_processes ? -1 : 0, "arg", &s->n_args);
	s->utc_ns = gt_reader_utc_ns(m->reader);
	s->exit_status = (int)fact_number(m, -1, "exit_status", -1);
	s->exit_signal = (int)fact_number(m, -1, "exit_signal", 0);
	s->cut_off = gt_reader_cut_off(m->reader);
	s->open_to_others = gt_reader_open_to_others(m->reader);
	s->launched = gt_reader_fact(m->reader, -1, "launcher_pid", 0) != NULL;
}

/* CLOCK_MONOTONIC when session time was 0, by the first process' clock. */
static void set_monotonic(struct gt_model *m)
{
	if (m->n_processes)
		m->session.monotonic_ns = m->processes[0].to_mono_ns;
	for (uint32_t i = 0; i < m->hsa.n; i++) {
		m->hsa.v[i].start_ns = m->hsa.v[i].start_mono_ns - m->session.monotonic_ns;
		m->hsa.v[i].end_ns = m->hsa.v[i].end_mono_ns - m->session.monotonic_ns;
	}
}

int gt_model_read_all(struct gt_model *m, const struct gt_model_options *opt, struct gt_err *err)
{
	if (open_processes(m) || take_run_clocks(m))
		return no_memory(m, err);
	open_session(m);
	if (m->jobs > 1 ? gt_model_gather(m, opt, err) : take_records(m, opt, err))
		return -1;
	gt_facts_forget_answers(m);
	if (gt_facts_sort(m))
		return no_memory(m, err);
	take_refusals(m);
	if (gt_cuda_scan(m, err))
		return -1;
	if (gt_threads_add(m) || sort_threads(m) || gt_numbers_finish(m) || gt_ranges_finish(m))
		return no_memory(m, err);
	if (gt_unknowns_finish(m) || gt_stacks_finish(m) || gt_threads_finish(m) || take_run_notes(m) ||
		take_started_notes(m, "unreachable") ||
		take_started_notes(m, "started") ||
		gt_devices_number(m) || gt_device_clocks_finish(m))
		return no_memory(m, err);
	if (gt_join_finish(m))
		return no_memory(m, err);
	gt_image_finish(m);
	gt_counters_finish(m);
	if (gt_names_finish(m) || gt_outputs_take(m))
		return no_memory(m, err);
	finish_processes(m);
	gt_checks_processes(m);
	gt_checks_started(m);
	gt_cuda_losses_finish(m);
	if (gt_checks_cuda_work(m, err))
		return -1;
	set_monotonic(m);
	return 0;
}
