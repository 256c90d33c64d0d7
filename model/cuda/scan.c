/*
 * model/cuda/scan.c - all buffers once, when a trace is opened: where activities lie, when they were, on which threads
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "common/search.h"
#include "model/cuda/internal.h"

/* -------------------------------------------------------------------- threads */

static int compare_tids(const void *a, const void *b)
{
	const struct gt_cuda_tid *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int list_tids(struct gt_model *m)
{
	struct gt_cuda *c = m->cuda;

	for (uint32_t i = 0; i < m->threads.n; i++) {
		struct gt_cuda_tid *t = GT_LIST_ADD(&c->processes[m->threads.v[i].process].tids);

		if (!t)
			return -1;
		*t = (struct gt_cuda_tid){ (uint32_t)m->threads.v[i].tid, i,
			gt_reader_tick_ns(m->reader, m->threads.v[i].process, m->thread_start.v[i]) };
	}
	for (uint32_t i = 0; i < m->n_processes; i++)
		if (c->processes[i].tids.n)
			qsort(c->processes[i].tids.v, c->processes[i].tids.n, sizeof *c->processes[i].tids.v,
				compare_tids);
	return 0;
}

static bool same_tid(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct gt_cuda_tid *)element)->tid == *(const uint32_t *)key;
}

/*
 * A thread without a stream, made at its first call: numbered behind those that have a stream, in the order in which
 * they come.
 */
static uint32_t added_thread(struct gt_cuda *c, uint32_t process, uint32_t tid)
{
	struct gt_cuda_process *p = &c->processes[process];
	uint64_t hash = gt_hash(GT_HASH, tid), before = p->added.n;
	struct gt_cuda_tid *known;
	struct gt_thread *t;
	bool fresh;

	known = gt_map_find(&p->added, sizeof *known, hash, &tid, same_tid, NULL);
	if (known)
		return known->thread;
	t = gt_model_add_thread(c->m, process, UINT64_MAX / 2 + before);
	known = t ? gt_map_add(&p->added, sizeof *known, hash, &tid, same_tid, NULL, &fresh) : NULL;
	if (!known)
		return GT_CUDA_NONE;
	t->tid = (int)tid;
	t->main = t->tid == c->m->processes[process].pub.pid;
	*known = (struct gt_cuda_tid){ tid, t->index, 0 };
	return t->index;
}

/*
 * The thread that had this number then: the last that began before, or the first of all. GT_CUDA_NONE: out of memory.
 */
static uint32_t thread_at(struct gt_cuda *c, uint32_t process, uint32_t tid, int64_t ns)
{
	struct gt_cuda_process *p = &c->processes[process];
	const struct gt_cuda_tid want = { tid, 0, ns };
	uint32_t low;

	GT_SEARCH(low, p->tids.n, compare_tids(&p->tids.v[low], &want) <= 0);
	if (low && p->tids.v[low - 1].tid == tid)
		return p->tids.v[low - 1].thread;
	if (low < p->tids.n && p->tids.v[low].tid == tid)
		return p->tids.v[low].thread;
	return added_thread(c, process, tid);
}

/* ----------------------------------------------------------------- activities */

struct scan {
	struct gt_cuda *c;
	struct gt_cuda_process *p;
	const struct gt_cupti_buffer *b;
	uint64_t last_name; bool last_known;      /* kernels of one name follow each other */
};

static int add(struct scan *s, enum gt_cuda_kind kind, uint64_t place, int64_t start, int64_t end, uint32_t correlation,
	uint32_t thread)
{
	struct gt_cuda_entry *e = gt_cuda_add(s->c, kind);

	if (!e)
		return -1;
	*e = (struct gt_cuda_entry){ start, end, place, correlation, thread };
	if (end != GT_NO_TIME && end > s->p->last_ns)
		s->p->last_ns = end;
	if (gt_cuda_is_work(kind) && start > s->p->last_work_ns)
		s->p->last_work_ns = start;
	return 0;
}

/* With start and end as CUPTI gave them. */
static int add_timed(
	struct scan *s, enum gt_cuda_kind kind, uint64_t place, uint64_t start, uint64_t end, uint32_t correlation)
{
	int reason = gt_cuda_untimed(start, end);

	if (reason < 0)
		return add(s, kind, place, gt_cuda_ns(s->c, s->b->process, start), gt_cuda_ns(s->c, s->b->process, end),
			correlation, GT_CUDA_NONE);
	gt_model_count_loss(s->c->m, (enum rec_loss)reason, 1);
	return add(s, kind, place | GT_PLACE_UNTIMED, GT_NO_TIME, GT_NO_TIME, correlation, GT_CUDA_NONE);
}

static bool is_own(const struct scan *s, uint32_t tid, int64_t start)
{
	return tid && tid == s->p->own.tid && start >= s->p->own.start_ns && start <= s->p->own.end_ns;
}

static int add_call(struct scan *s, const struct rec_activity *a, uint64_t place)
{
	uint64_t start = REC_GET(a, API, start, 0), end = REC_GET(a, API, end, 0);
	int64_t from = gt_cuda_ns(s->c, s->b->process, start);
	uint32_t tid = REC_GET(a, API, threadId, 0);

	if (is_own(s, tid, from))
		return 0;
	uint32_t thread = thread_at(s->c, s->b->process, tid, from),
		 cbid = REC_GET(a, API, cbid, 0) % GT_CUDA_CBIDS;
	uint64_t flags =
		(uint64_t)cbid << GT_PLACE_CBID_SHIFT | (a->kind == REC_CUPTI_KIND_DRIVER ? GT_PLACE_DRIVER : 0);
	int reason = gt_cuda_untimed(start, end);
	int64_t to = reason < 0 ? gt_cuda_ns(s->c, s->b->process, end) : GT_NO_TIME;

	if (thread == GT_CUDA_NONE)
		return -1;
	s->p->n_calls++;
	if (reason >= 0)
		gt_model_count_loss(s->c->m, (enum rec_loss)reason, 1);
	if (to > s->p->last_call_ns)
		s->p->last_call_ns = to;
	return add(s, GT_CUDA_CALL, place | flags | (reason < 0 ? 0 : GT_PLACE_UNTIMED), from, to,
		REC_GET(a, API, correlationId, 0), thread);
}

/* Whether the kernel's name is in the trace. */
static void look_for_name(struct scan *s, const struct rec_activity *a)
{
	uint64_t name = REC_GET(a, KERNEL, name, 0);

	if (name != s->last_name || !s->last_name) {
		s->last_name = name;
		s->last_known = gt_cuda_string(s->c, s->b, name) != NULL;
	}
	if (!s->last_known)
		gt_model_count_loss(s->c->m, REC_LOSS_CUPTI_NAME_GONE, 1);
}

static void look_for_data(struct scan *s, const struct rec_activity *a)
{
	uint32_t words[REC_CUPTI_FULL_WORDS];

	if (gt_cuda_full_data(s->c, s->b, a, words) < 0)
		gt_model_count_loss(s->c->m, REC_LOSS_CUPTI_DATA_GONE, 1);
}

static int take(struct scan *s, const struct rec_activity *a, uint64_t place)
{
	const struct gt_cuda_record *r = &gt_cuda_records[a->kind];
	enum gt_cuda_kind kind = (enum gt_cuda_kind)(r->shown - 1);
	struct gt_cuda_times t;

	if (r->sort == REC_CUPTI_CALL)
		return add_call(s, a, place);
	if (r->sort == REC_CUPTI_DEFINES)
		return gt_cuda_object_take(s->c, s->b, a);
	if (!r->shown)
		return 0;                         /* of a kind that nobody asked gputap to show */
	if (kind == GT_CUDA_KERNEL) {
		look_for_name(s, a);
		if (gt_checks_cuda_kernel(s->c, s->b->process, a))
			return -1;
	}
	if (kind == GT_CUDA_OVERHEAD)
		look_for_data(s, a);
	t = gt_cuda_times_of(a);
	if (t.timing == GT_CUDA_TOLD)
		return add_timed(s, kind, place, t.start, t.end, t.correlation);
	return add(s, kind, place | (t.timing == GT_CUDA_UNTOLD ? GT_PLACE_UNTIMED : 0), GT_NO_TIME, GT_NO_TIME,
		t.correlation, GT_CUDA_NONE);
}

/* Shorter than any version made them: its fields cannot be where they are looked for. */
static bool too_short(const struct rec_activity *a)
{
	return a->bytes < gt_cuda_records[a->kind].least;
}

static void unwritten(struct scan *s, uint64_t n)
{
	s->p->unwritten += n;
	gt_model_count_loss(s->c->m, REC_LOSS_INCOMPLETE_RECORD, n);
}

static int scan_buffer(struct scan *s, struct gt_cupti_walk *w, uint32_t index, struct gt_err *err)
{
	struct gt_cuda_library *l = &s->p->library;
	struct rec_activity a;
	uint64_t offset;
	int rc;

	s->last_name = 0;
	s->p->any = true;
	l->buffers++;
	l->uncompleted += !s->b->completed;
	gt_cupti_walk_begin(w, s->b, &s->p->sizes);
	while ((rc = gt_cupti_walk_next(w, &a, &offset, err)) > 0) {
		l->records++;
		if (!s->b->completed && gt_cuda_is_torn(&a))
			unwritten(s, 1);
		else if (too_short(&a) || offset >= GT_PLACE_OFFSETS || index >= GT_PLACE_BUFFERS)
			gt_model_count_loss(s->c->m, REC_LOSS_CUPTI_UNREAD, 1);
		else if (take(s, &a, GT_PLACE(index, offset)))
			return gt_cuda_no_memory(s->c->m, err);
	}
	unwritten(s, gt_cupti_walk_unwritten(w));
	/* What stands behind cannot be counted: one for the rest. An unfinished buffer may end in the midst of a
	 * record. */
	if (rc == 0 && gt_cupti_walk_stop(w) != GT_CUPTI_END &&
		(s->b->completed || s->b->cut || gt_cupti_walk_stop(w) == GT_CUPTI_UNKNOWN))
		gt_model_count_loss(s->c->m, REC_LOSS_CUPTI_UNREAD, 1);
	return rc;
}

static int read_buffers(struct gt_cuda *c, struct gt_err *err)
{
	c->n_buffers = gt_cupti_buffer_count(c->m->reader);
	c->buffers = calloc(c->n_buffers + 1ull, sizeof *c->buffers);
	if (!c->buffers)
		return gt_cuda_no_memory(c->m, err);
	for (uint32_t i = 0; i < c->n_buffers; i++)
		if (gt_cupti_buffer_get(c->m->reader, i, &c->buffers[i], err))
			return -1;
	return 0;
}

/* Calls of each thread and process, and their commands: what a reader of the trace sees without asking for more. */
static void count(struct gt_cuda *c)
{
	struct gt_model *m = c->m;
	const struct gt_cuda_entry *v = c->kinds[GT_CUDA_CALL].data;

	for (size_t i = 0; i < c->kinds[GT_CUDA_CALL].n; i++) {
		struct gt_process *p = &m->processes[gt_cuda_process_of(c, GT_CUDA_CALL, &v[i])].pub;

		gt_cuda_forget_behind(&c->kinds[GT_CUDA_CALL], i);
		if (v[i].place & GT_PLACE_NESTED)
			continue;
		p->calls++;
		p->device_calls++;
		if (v[i].thread < m->threads.n)
			m->threads.v[v[i].thread].calls++;
	}
	for (enum gt_cuda_kind k = 0; k < GT_CUDA_KINDS; k++) {
		v = c->kinds[k].data;
		for (size_t i = 0; gt_cuda_is_work(k) && i < c->kinds[k].n; i++) {
			struct gt_process *p = &m->processes[gt_cuda_process_of(c, k, &v[i])].pub;

			gt_cuda_forget_behind(&c->kinds[k], i);
			p->commands++;
			p->kernels += k == GT_CUDA_KERNEL;
		}
	}
}

static void count_once(struct gt_model *m, enum rec_loss reason)
{
	m->lost[reason] -= m->lost[reason] < m->lost_writer[reason] ? m->lost[reason] : m->lost_writer[reason];
}

void gt_cuda_losses_finish(struct gt_model *m)
{
	count_once(m, REC_LOSS_CUPTI_DROPPED);
	count_once(m, REC_LOSS_CUPTI_UNREAD);
}

int gt_cuda_scan(struct gt_model *m, struct gt_err *err)
{
	struct gt_cupti_walk *w;
	struct gt_cuda *c;
	int rc = 0;

	if (!m->cuda && !gt_cupti_buffer_count(m->reader))
		return 0;                         /* made when it is asked for, empty */
	c = gt_cuda_new(m);
	if (!c || list_tids(m) || gt_cuda_clocks_build(c))
		return gt_cuda_no_memory(m, err);
	gt_cuda_strings_sort(c);
	if (read_buffers(c, err) || gt_cupti_walk_open(m->reader, &w, err))
		return -1;
	for (uint32_t i = 0; i < c->n_buffers && rc == 0; i++) {
		struct scan s = { .c = c, .p = &c->processes[c->buffers[i].process], .b = &c->buffers[i] };

		rc = scan_buffer(&s, w, i, err);
	}
	gt_cupti_walk_close(w);
	if (rc)
		return -1;
	gt_cuda_orders_sort(c);
	if (gt_cuda_objects_finish(c) || gt_cuda_index_build(c))
		return gt_cuda_no_memory(m, err);
	count(c);
	c->scanned = true;
	return 0;
}

int64_t gt_cuda_last_ns(const struct gt_model *m, uint32_t process)
{
	return m->cuda && m->cuda->processes[process].any ? m->cuda->processes[process].last_ns : GT_NO_TIME;
}

void gt_cuda_set_threads(struct gt_model *m, uint32_t *to)
{
	if (!m->cuda) {
		free(to);
		return;
	}
	for (uint32_t i = 0; to && i < m->n_processes; i++) {
		uint32_t *thread = &m->cuda->processes[i].library.attach_thread;

		if (*thread != GT_CUDA_NONE)
			*thread = to[*thread];
	}
	free(m->cuda->to_thread);
	m->cuda->to_thread = to;
}
