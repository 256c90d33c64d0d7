/*
 * model/threads/threads.c - SAMPLE to TRACEPOINT records: taken when the trace is opened, each given its thread
 *
 * The records say a tid. Threads that made calls are known by (process, tid, start); a sample belongs to the last of
 * those that began before it, or else to the first. Who made no call gets an entry of its own in the model's threads.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/threads/threads.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/search.h"
#include "model/internal.h"
#include "model/sort.h"
#include "model/stacks/stacks.h"
#include "model/threads/tracepoints.h"

struct seen { uint32_t process; int tid; uint64_t tick; const char *name; bool known; };
struct candidate { uint32_t process; int tid; uint64_t start; uint32_t index; };

struct gt_threads {
	struct gt_bulk samples, switches, states, wakings, delays, tracepoints;
	struct gt_bulk contents;          /* words of the tracepoints' events */
	GT_LIST(struct gt_task) tasks;
	struct gt_map seen;               /* struct seen: every (process, tid) that a record names */
};

static struct gt_threads *threads_of(struct gt_model *m)
{
	if (!m->by_kernel)
		m->by_kernel = calloc(1, sizeof *m->by_kernel);
	return m->by_kernel;
}

/* ------------------------------------------------------------------------ opening */

static bool same_seen(const void *element, const void *key, const void *ctx)
{
	const struct seen *x = element, *y = key;

	(void)ctx;
	return x->process == y->process && x->tid == y->tid;
}

static uint64_t hash_seen(const struct seen *s) { return gt_hash(gt_hash(GT_HASH, s->process), (uint32_t)s->tid); }

/* name: NULL: the record says none. */
static bool see(struct gt_threads *t, const struct gt_rec *rec, int tid, const char *name)
{
	struct seen key = { .process = rec->process, .tid = tid, .tick = rec->args[0] }, *at;
	bool fresh;

	at = gt_map_add(&t->seen, sizeof key, hash_seen(&key), &key, same_seen, NULL, &fresh);
	if (!at)
		return false;
	if (fresh)
		*at = key;
	if (rec->args[0] < at->tick)
		at->tick = rec->args[0];
	if (name && *name)
		at->name = name;
	return true;
}

static int take_sample(struct gt_model *m, struct gt_threads *t, const struct gt_rec *rec)
{
	struct gt_sample *s = gt_bulk_add(&t->samples, sizeof *s, &m->budget);

	if (!s)
		return -1;
	*s = (struct gt_sample){ .time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]),
		.process = rec->process, .thread = (uint32_t)rec->args[1], .cpu = (uint32_t)(rec->args[1] >> 32),
		.by = (uint32_t)rec->result, .stack = rec->args[3],
		.period = rec->args[2] < GT_TIME_MOST ? rec->args[2] : GT_TIME_MOST }; /* TIME1 */
	return see(t, rec, (int)s->thread, NULL) ? 0 : -1;
}

static int take_switch(struct gt_model *m, struct gt_threads *t, const struct gt_rec *rec)
{
	struct gt_switch *s = gt_bulk_add(&t->switches, sizeof *s, &m->budget);

	if (!s)
		return -1;
	*s = (struct gt_switch){ .time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]),
		.process = rec->process, .thread = (uint32_t)rec->args[1], .cpu = (uint32_t)(rec->args[1] >> 32),
		.what = (uint32_t)rec->result };
	return see(t, rec, (int)s->thread, NULL) ? 0 : -1;
}

static int take_waking(struct gt_model *m, struct gt_threads *t, const struct gt_rec *rec)
{
	struct gt_waking *w = gt_bulk_add(&t->wakings, sizeof *w, &m->budget);

	if (!w)
		return -1;
	*w = (struct gt_waking){ .time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]),
		.process = rec->process, .thread = (uint32_t)rec->args[1], .cpu = (uint32_t)(rec->args[1] >> 32),
		.waker_tid = (int)(uint32_t)rec->args[2], .waker_pid = (int)(uint32_t)(rec->args[2] >> 32) };
	return see(t, rec, (int)w->thread, NULL) ? 0 : -1;
}

static int take_delay(struct gt_model *m, struct gt_threads *t, const struct gt_rec *rec)
{
	struct gt_run_delay *d = gt_bulk_add(&t->delays, sizeof *d, &m->budget);

	if (!d)
		return -1;
	*d = (struct gt_run_delay){ .time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]),
		.process = rec->process, .thread = (uint32_t)rec->args[1],
		.ran_ns = gt_time_within((int64_t)rec->args[2]),
		.delay_ns = gt_time_within((int64_t)rec->args[3]), .turns = rec->args[4] };
	return see(t, rec, (int)d->thread, NULL) ? 0 : -1;
}

static int take_task(struct gt_model *m, struct gt_threads *t, const struct gt_rec *rec)
{
	struct gt_task *task = GT_LIST_ADD(&t->tasks);
	struct gt_string name = { "", 0 };
	uint32_t at = 2;

	if (!task)
		return -1;
	if (!gt_record_text(rec, &at, &name))
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
	*task = (struct gt_task){ .time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]),
		.process = rec->process, .what = (uint32_t)rec->result, .tid = (int)(uint32_t)rec->args[1],
		.parent = (int)(uint32_t)(rec->args[1] >> 32),
		.name = gt_arena_copy(&m->arena, name.text, name.bytes) };
	return task->name && see(t, rec, task->tid, task->name) ? 0 : -1;
}

static int take_tracepoint(struct gt_model *m, struct gt_threads *t, const struct gt_rec *rec)
{
	uint32_t bytes = (uint32_t)(rec->args[2] >> 32), words = rec->n_args - 3;
	struct gt_tracepoint *e;

	if (bytes > 8ull * words) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	e = gt_bulk_add(&t->tracepoints, sizeof *e, &m->budget);
	if (!e)
		return -1;
	*e = (struct gt_tracepoint){ .time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]),
		.process = rec->process, .thread = (uint32_t)rec->args[1], .cpu = (uint32_t)(rec->args[1] >> 32),
		.type = (uint32_t)rec->args[2], .bytes = bytes, .at = t->contents.n };
	if (words && !gt_bulk_append(&t->contents, sizeof(uint64_t), rec->args + 3, words, &m->budget))
		return -1;
	return see(t, rec, (int)(uint32_t)rec->args[1], NULL) ? 0 : -1;
}

int gt_threads_take(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_threads *t = threads_of(m);
	struct gt_process_state *p = &m->processes[rec->process];

	if (!t)
		return -1;
	/* a look of the launcher's, which may come behind the process' end: it is no sign of life */
	if (rec->id != REC_RUN_DELAY && rec->args[0] > p->last_tick)
		p->last_tick = rec->args[0];
	if (!p->first_tick || rec->args[0] < p->first_tick)
		p->first_tick = rec->args[0];
	switch (rec->id) {
	case REC_SAMPLE:
		return take_sample(m, t, rec);
	case REC_SWITCH:
		return take_switch(m, t, rec);
	case REC_WAKING:
		return take_waking(m, t, rec);
	case REC_RUN_DELAY:
		return take_delay(m, t, rec);
	case REC_TRACEPOINT:
		return take_tracepoint(m, t, rec);
	default:
		return take_task(m, t, rec);
	}
}

/* ------------------------------------------------------------------------ threads */

/* Which of those that were seen have a thread already: it gets the name if it lacks one. */
static void look_at_known(struct gt_model *m, struct gt_threads *t)
{
	for (uint32_t i = 0; i < m->threads.n; i++) {
		struct gt_thread *known = &m->threads.v[i];
		const struct seen key = { .process = known->process, .tid = known->tid };
		struct seen *at = gt_map_find(&t->seen, sizeof key, hash_seen(&key), &key, same_seen, NULL);

		if (!at)
			continue;
		at->known = true;
		if (!known->name[0] && at->name)
			known->name = at->name;
	}
}

static int add_unknown(struct gt_model *m, struct gt_threads *t)
{
	for (struct seen *at = NULL; (at = gt_map_next(&t->seen, sizeof *at, at));) {
		struct gt_thread *new = at->known ? NULL : gt_model_add_thread(m, at->process, at->tick);

		if (at->known)
			continue;
		if (!new)
			return -1;
		new->tid = at->tid;
		new->main = at->tid == m->processes[at->process].pub.pid;
		new->name = at->name ? at->name : "";
	}
	return 0;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* The last that began before the time, or the first at all. */
static uint32_t choose(const struct gt_model *m, const struct candidate *v, uint32_t n, uint32_t process, int tid,
	int64_t ns)
{
	uint32_t low;
	const struct candidate key = { process, tid, 0, 0 };

	GT_SEARCH(low, n, compare_candidates(&v[low], &key) < 0);
	while (low + 1 < n && v[low + 1].process == process && v[low + 1].tid == tid &&
		gt_reader_tick_ns(m->reader, process, v[low + 1].start) <= ns)
		low++;
	return v[low].index;
}

/* Every (process, tid) has a thread by now. */
static int resolve(struct gt_model *m, struct gt_threads *t)
{
	uint32_t n = m->threads.n;
	struct candidate *v = malloc((n + 1) * sizeof *v);
	struct gt_sample *samples = t->samples.data;
	struct gt_switch *switches = t->switches.data;
	struct gt_waking *wakings = t->wakings.data;
	struct gt_run_delay *delays = t->delays.data;
	struct gt_tracepoint *events = t->tracepoints.data;

	if (!v)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct candidate){ m->threads.v[i].process, m->threads.v[i].tid, m->thread_start.v[i], i };
	qsort(v, n, sizeof *v, compare_candidates);
	for (size_t i = 0; i < t->samples.n; i++)
		samples[i].thread = choose(m, v, n, samples[i].process, (int)samples[i].thread, samples[i].time_ns);
	for (size_t i = 0; i < t->switches.n; i++)
		switches[i].thread =
			choose(m, v, n, switches[i].process, (int)switches[i].thread, switches[i].time_ns);
	for (size_t i = 0; i < t->wakings.n; i++)
		wakings[i].thread = choose(m, v, n, wakings[i].process, (int)wakings[i].thread, wakings[i].time_ns);
	for (size_t i = 0; i < t->delays.n; i++)
		delays[i].thread = choose(m, v, n, delays[i].process, (int)delays[i].thread, delays[i].time_ns);
	for (size_t i = 0; i < t->tracepoints.n; i++)
		events[i].thread = choose(m, v, n, events[i].process, (int)events[i].thread, events[i].time_ns);
	for (uint32_t i = 0; i < t->tasks.n; i++)
		t->tasks.v[i].thread =
			choose(m, v, n, t->tasks.v[i].process, t->tasks.v[i].tid, t->tasks.v[i].time_ns);
	free(v);
	return 0;
}

int gt_threads_add(struct gt_model *m)
{
	struct gt_threads *t = m->by_kernel;

	if (!t)
		return 0;
	look_at_known(m, t);
	if (add_unknown(m, t) || resolve(m, t))
		return -1;
	gt_map_free(&t->seen, sizeof(struct seen));
	return 0;
}

void gt_threads_renumber(struct gt_model *m, const uint32_t *to)
{
	struct gt_threads *t = m->by_kernel;

	for (size_t i = 0; t && i < t->samples.n; i++)
		((struct gt_sample *)t->samples.data)[i].thread = to[((struct gt_sample *)t->samples.data)[i].thread];
	for (uint32_t i = 0; t && i < t->tasks.n; i++)
		t->tasks.v[i].thread = to[t->tasks.v[i].thread];
	for (size_t i = 0; t && i < t->switches.n; i++)
		((struct gt_switch *)t->switches.data)[i].thread = to[((struct gt_switch *)t->switches.data)[i].thread];
	for (size_t i = 0; t && i < t->wakings.n; i++)
		((struct gt_waking *)t->wakings.data)[i].thread = to[((struct gt_waking *)t->wakings.data)[i].thread];
	for (size_t i = 0; t && i < t->delays.n; i++)
		((struct gt_run_delay *)t->delays.data)[i].thread =
			to[((struct gt_run_delay *)t->delays.data)[i].thread];
	for (size_t i = 0; t && i < t->tracepoints.n; i++)
		((struct gt_tracepoint *)t->tracepoints.data)[i].thread =
			to[((struct gt_tracepoint *)t->tracepoints.data)[i].thread];
}

/* -------------------------------------------------------------------------- order */

static int by_time_sample(const void *a, const void *b, const void *ctx)
{
	const struct gt_sample *x = a, *y = b;

	(void)ctx;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int by_time_switch(const void *a, const void *b, const void *ctx)
{
	const struct gt_switch *x = a, *y = b;

	(void)ctx;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int by_time_waking(const void *a, const void *b, const void *ctx)
{
	const struct gt_waking *x = a, *y = b;

	(void)ctx;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int by_time_delay(const void *a, const void *b, const void *ctx)
{
	const struct gt_run_delay *x = a, *y = b;

	(void)ctx;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int by_time_tracepoint(const void *a, const void *b, const void *ctx)
{
	const struct gt_tracepoint *x = a, *y = b;

	(void)ctx;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Each leads to its type; one whose type is not in the trace tells nothing. */
static void find_types(struct gt_model *m, struct gt_threads *t)
{
	struct gt_tracepoint *v = t->tracepoints.data;
	size_t kept = 0;

	gt_tracepoints_sort(m);
	for (size_t i = 0; i < t->tracepoints.n; i++) {
		v[i].type = gt_tracepoints_index(m, v[i].type);
		if (v[i].type == UINT32_MAX)
			gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		else
			v[kept++] = v[i];
	}
	t->tracepoints.n = kept;
}

static enum gt_state state_behind(uint32_t what)
{
	return what == REC_SWITCH_IN ? GT_STATE_RUNNING
		: what == REC_SWITCH_PREEMPTED ? GT_STATE_READY : GT_STATE_WAITING;
}

/*
 * A thread that ends is in no state any more. last: by thread, index of its open state + 1. Of one that made no call
 * nobody else tells the end; where two threads had one number, that is the last one's.
 */
static void end_states(struct gt_model *m, struct gt_threads *t, const uint64_t *last)
{
	for (uint32_t i = 0; i < t->tasks.n; i++) {
		const struct gt_task *task = &t->tasks.v[i];
		struct gt_thread_state *open =
			last[task->thread] ? (struct gt_thread_state *)t->states.data + last[task->thread] - 1 : NULL;
		int64_t *end = &m->threads.v[task->thread].end_ns;

		if (task->what == REC_TASK_ENDS && open && open->start_ns <= task->time_ns)
			open->end_ns = task->time_ns;
		if (task->what == REC_TASK_ENDS && (*end == GT_NO_TIME || *end < task->time_ns))
			*end = task->time_ns;
	}
}

/* Behind the thread's open one, which ends here. last: as below. */
static int add_state(struct gt_model *m, struct gt_threads *t, uint64_t *last, const struct gt_thread_state *state)
{
	struct gt_thread_state *s = gt_bulk_add(&t->states, sizeof *s, &m->budget);

	if (!s)
		return -1;
	*s = *state;
	if (last[s->thread])
		((struct gt_thread_state *)t->states.data)[last[s->thread] - 1].end_ns = s->start_ns;
	last[s->thread] = t->states.n;
	return 0;
}

/* It waited, and can run now: one that runs already, or can, is in no other state by it. */
static int add_waking(struct gt_model *m, struct gt_threads *t, uint64_t *last, const struct gt_waking *w)
{
	const struct gt_thread_state *open =
		last[w->thread] ? (struct gt_thread_state *)t->states.data + last[w->thread] - 1 : NULL;

	if (!open || open->state != GT_STATE_WAITING)
		return 0;
	return add_state(m, t, last, &(struct gt_thread_state){ w->time_ns, GT_NO_TIME, w->process, w->thread, w->cpu,
					     GT_STATE_READY, w->waker_tid });
}

/* A state from each switch, and each waking of who waits, to the thread's next. */
static int make_states(struct gt_model *m, struct gt_threads *t)
{
	const struct gt_switch *v = t->switches.data;
	const struct gt_waking *w = t->wakings.data;
	uint64_t *last = calloc(m->threads.n + 1, sizeof *last);
	int rc = last ? 0 : -1;

	for (size_t i = 0, k = 0; i < t->switches.n && !rc; i++) {
		for (; k < t->wakings.n && w[k].time_ns < v[i].time_ns && !rc; k++)
			rc = add_waking(m, t, last, &w[k]);
		if (!rc)
			rc = add_state(m, t, last, &(struct gt_thread_state){ v[i].time_ns, GT_NO_TIME, v[i].process,
						   v[i].thread, v[i].cpu, state_behind(v[i].what), 0 });
	}
	if (!rc)
		end_states(m, t, last);
	free(last);
	return rc;
}

int gt_threads_finish(struct gt_model *m)
{
	struct gt_threads *t = m->by_kernel;
	struct gt_sample *v = t ? t->samples.data : NULL;

	if (!t)
		return 0;
	for (size_t i = 0; i < t->samples.n; i++)
		v[i].stack = gt_stack_by_link(m, v[i].process, v[i].stack);
	find_types(m, t);
	if (gt_bulk_sort(&t->samples, sizeof(struct gt_sample), by_time_sample, NULL, &m->budget) ||
		gt_bulk_sort(&t->switches, sizeof(struct gt_switch), by_time_switch, NULL, &m->budget) ||
		gt_bulk_sort(&t->wakings, sizeof(struct gt_waking), by_time_waking, NULL, &m->budget) ||
		gt_bulk_sort(&t->delays, sizeof(struct gt_run_delay), by_time_delay, NULL, &m->budget) ||
		gt_bulk_sort(&t->tracepoints, sizeof(struct gt_tracepoint), by_time_tracepoint, NULL, &m->budget))
		return -1;
	return make_states(m, t);
}

void gt_threads_free(struct gt_model *m)
{
	struct gt_threads *t = m->by_kernel;

	gt_tracepoints_free(m);
	if (!t)
		return;
	gt_bulk_free(&t->samples);
	gt_bulk_free(&t->switches);
	gt_bulk_free(&t->states);
	gt_bulk_free(&t->wakings);
	gt_bulk_free(&t->delays);
	gt_bulk_free(&t->tracepoints);
	gt_bulk_free(&t->contents);
	gt_map_free(&t->seen, sizeof(struct seen));
	free(t->tasks.v);
	free(t);
	m->by_kernel = NULL;
}

/* ------------------------------------------------------------------------ answers */

uint64_t gt_model_sample_count(const struct gt_model *m) { return m->by_kernel ? m->by_kernel->samples.n : 0; }
uint64_t gt_model_switch_count(const struct gt_model *m) { return m->by_kernel ? m->by_kernel->switches.n : 0; }
uint64_t gt_model_state_count(const struct gt_model *m) { return m->by_kernel ? m->by_kernel->states.n : 0; }
uint32_t gt_model_task_count(const struct gt_model *m) { return m->by_kernel ? m->by_kernel->tasks.n : 0; }
uint64_t gt_model_waking_count(const struct gt_model *m) { return m->by_kernel ? m->by_kernel->wakings.n : 0; }
uint64_t gt_model_run_delay_count(const struct gt_model *m) { return m->by_kernel ? m->by_kernel->delays.n : 0; }

uint64_t gt_model_tracepoint_count(const struct gt_model *m) { return m->by_kernel ? m->by_kernel->tracepoints.n : 0; }

const struct gt_tracepoint *gt_model_tracepoint(const struct gt_model *m, uint64_t i)
{
	return i < gt_model_tracepoint_count(m) ? (struct gt_tracepoint *)m->by_kernel->tracepoints.data + i : NULL;
}

const char *gt_tracepoint_content(const struct gt_model *m, const struct gt_tracepoint *e)
{
	return (const char *)((const uint64_t *)m->by_kernel->contents.data + e->at);
}

const struct gt_sample *gt_model_sample(const struct gt_model *m, uint64_t i)
{
	return i < gt_model_sample_count(m) ? (struct gt_sample *)m->by_kernel->samples.data + i : NULL;
}

const struct gt_switch *gt_model_switch(const struct gt_model *m, uint64_t i)
{
	return i < gt_model_switch_count(m) ? (struct gt_switch *)m->by_kernel->switches.data + i : NULL;
}

const struct gt_waking *gt_model_waking(const struct gt_model *m, uint64_t i)
{
	return i < gt_model_waking_count(m) ? (struct gt_waking *)m->by_kernel->wakings.data + i : NULL;
}

const struct gt_run_delay *gt_model_run_delay(const struct gt_model *m, uint64_t i)
{
	return i < gt_model_run_delay_count(m) ? (struct gt_run_delay *)m->by_kernel->delays.data + i : NULL;
}

const struct gt_thread_state *gt_model_state(const struct gt_model *m, uint64_t i)
{
	return i < gt_model_state_count(m) ? (struct gt_thread_state *)m->by_kernel->states.data + i : NULL;
}

const struct gt_task *gt_model_task(const struct gt_model *m, uint32_t i)
{
	return i < gt_model_task_count(m) ? &m->by_kernel->tasks.v[i] : NULL;
}

const char *gt_state_text(enum gt_state state)
{
	static const char *const texts[] = { [GT_STATE_RUNNING] = "running", [GT_STATE_READY] = "ready",
		[GT_STATE_WAITING] = "waiting" };

	return texts[state];
}
