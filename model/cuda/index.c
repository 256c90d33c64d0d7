/*
 * model/cuda/index.c - activities in order of their starts; calls and work by correlation id
 *
 * Arrays are model/bulk.h's: in an unlinked file once they are large. CUPTI's buffers are nearly in order:
 * model/sort.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/paged.h"
#include "common/search.h"
#include "model/cuda/internal.h"
#include "model/sort.h"

struct gt_cuda_entry *gt_cuda_add(struct gt_cuda *c, enum gt_cuda_kind kind)
{
	return gt_bulk_add(&c->kinds[kind], sizeof(struct gt_cuda_entry), &c->budget);
}

/* ------------------------------------------------------------- order of activities */

uint32_t gt_cuda_process_of(const struct gt_cuda *c, enum gt_cuda_kind kind, const struct gt_cuda_entry *e)
{
	if (kind == GT_CUDA_GRAPH_EVENT || kind == GT_CUDA_NODE_EVENT)
		return ((const struct gt_cuda_moment *)c->moments.data)[(uint32_t)e->place].process;
	if (e->place & GT_PLACE_ARGS)
		return ((const struct gt_cuda_unseen *)c->unseen.data)[(uint32_t)e->place].process;
	return c->buffers[GT_PLACE_BUFFER(e->place)].process;
}

struct order { const struct gt_cuda *c; enum gt_cuda_kind kind; };

static int compare_entries(const void *a, const void *b, const void *ctx)
{
	const struct gt_cuda_entry *x = a, *y = b;
	const struct order *o = ctx;
	uint32_t xp, yp;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	xp = gt_cuda_process_of(o->c, o->kind, x);
	yp = gt_cuda_process_of(o->c, o->kind, y);
	if (xp != yp)
		return xp < yp ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if ((x->place ^ y->place) & GT_PLACE_DRIVER)      /* a runtime call stands before what it made inside it */
		return x->place & GT_PLACE_DRIVER ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int sort_kind(struct gt_cuda *c, enum gt_cuda_kind kind)
{
	const struct order o = { c, kind };

	return gt_bulk_sort(&c->kinds[kind], sizeof(struct gt_cuda_entry), compare_entries, &o, &c->budget);
}

/* -------------------------------------------------------------------- links */

static int compare_links(const void *a, const void *b, const void *ctx)
{
	const struct gt_cuda_link *x = a, *y = b;

	(void)ctx;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int add_link(struct gt_cuda *c, struct gt_bulk *b, uint32_t correlation, uint32_t kind, size_t index)
{
	struct gt_cuda_link *l = gt_bulk_add(b, sizeof *l, &c->budget);

	if (!l)
		return -1;
	*l = (struct gt_cuda_link){ correlation, (uint32_t)index, kind };
	return 0;
}

/*
 * First link at or behind a correlation id. The ids of a process are nearly all there, so the place is guessed and then
 * found by steps that double.
 */
static size_t first_link(const struct gt_bulk *b, uint32_t correlation)
{
	const struct gt_cuda_link *v = b->data;
	size_t n = b->n, low, high, step = 1;

	if (!n || correlation <= v[0].correlation)
		return 0;
	if (correlation > v[n - 1].correlation)
		return n;
	low = (size_t)((double)(correlation - v[0].correlation) / (double)(v[n - 1].correlation - v[0].correlation) *
		(double)(n - 1));
	if (v[low].correlation < correlation) {
		for (high = low + 1; high < n && v[high].correlation < correlation;
			high = high + step < n ? high + step : n) {
			low = high;
			step *= 2;
		}
	} else {
		for (high = low; low && v[low].correlation >= correlation; low = low > step ? low - step : 0) {
			high = low;
			step *= 2;
		}
	}
	/* v[low] is before it, v[high] is not */
	GT_SEARCH_FROM(low, low + 1, high, v[low].correlation < correlation);
	return low;
}

#define ENTRIES(c, kind) ((struct gt_cuda_entry *)(c)->kinds[kind].data)

/* Calls of each process by correlation id; kind: the function's id, runtime before driver. */
static int link_calls(struct gt_cuda *c)
{
	const struct gt_cuda_entry *v = ENTRIES(c, GT_CUDA_CALL);

	for (uint32_t p = 0; p < c->m->n_processes; p++)
		c->processes[p].calls.n = 0;
	for (size_t i = 0; i < c->kinds[GT_CUDA_CALL].n; i++) {
		if (v[i].correlation &&
			add_link(c, &c->processes[gt_cuda_process_of(c, GT_CUDA_CALL, &v[i])].calls, v[i].correlation,
				GT_CUDA_FN_ID(&v[i]), i))
			return -1;
		gt_cuda_forget_behind(&c->kinds[GT_CUDA_CALL], i);
	}
	for (uint32_t p = 0; p < c->m->n_processes; p++)
		if (gt_bulk_sort(
			    &c->processes[p].calls, sizeof(struct gt_cuda_link), compare_links, NULL, &c->budget))
			return -1;
	return 0;
}

static void forget_all(const struct gt_cuda *c, const struct gt_cuda_process *p)
{
	gt_bulk_forget(&c->kinds[GT_CUDA_CALL], 0, c->kinds[GT_CUDA_CALL].capacity);
	gt_bulk_forget(&p->calls, 0, p->calls.capacity);
}

/*
 * Driver calls inside a runtime call of the same correlation id are that call's doing: marked, and not found by the id.
 */
static void drop_nested(struct gt_cuda *c, struct gt_cuda_process *p)
{
	struct gt_cuda_entry *v = ENTRIES(c, GT_CUDA_CALL);
	struct gt_cuda_link *l = p->calls.data;
	size_t kept = 0;

	for (size_t i = 0; i < p->calls.n; i++) {
		struct gt_cuda_entry *e = &v[l[i].index];

		for (size_t k = kept; e->place & GT_PLACE_DRIVER && k-- > 0 && l[k].correlation == l[i].correlation;) {
			const struct gt_cuda_entry *around = &v[l[k].index];

			if (!(around->place & GT_PLACE_DRIVER) && around->start <= e->start && around->end >= e->end &&
				around->thread == e->thread)
				e->place |= GT_PLACE_NESTED;
		}
		if (!(e->place & GT_PLACE_NESTED))
			l[kept++] = l[i];
		if (i % (GT_BULK_FORGET / sizeof *l) == 0)        /* links are in order of calls, more or less */
			forget_all(c, p);
	}
	p->calls.n = kept;
	forget_all(c, p);
}

/*
 * Calls with one correlation id; more than one where the ids, which have 32 bits, began again. Of those the last that
 * began at or before `at` is meant; links of calls are in no order of time.
 */
static const struct gt_cuda_link *call_link(
	const struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t at)
{
	const struct gt_bulk *b = &c->processes[process].calls;
	const struct gt_cuda_link *v = b->data, *best = NULL;
	size_t i = correlation ? first_link(b, correlation) : b->n;
	int64_t best_start = 0;

	if (i == b->n || v[i].correlation != correlation)
		return NULL;
	if (i + 1 == b->n || v[i + 1].correlation != correlation || at == GT_NO_TIME)
		return &v[i];
	for (size_t k = i; k < b->n && v[k].correlation == correlation; k++) {
		int64_t start = ENTRIES(c, GT_CUDA_CALL)[v[k].index].start;

		if (start != GT_NO_TIME && start <= at && (!best || start > best_start)) {
			best = &v[k];
			best_start = start;
		}
	}
	return best ? best : &v[i];
}

const struct gt_cuda_entry *gt_cuda_call_entry(
	const struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t at, uint64_t *index)
{
	const struct gt_cuda_link *l = call_link(c, process, correlation, at);

	if (l && index)
		*index = l->index;
	return l ? &ENTRIES(c, GT_CUDA_CALL)[l->index] : NULL;
}

uint32_t gt_cuda_process_at(const struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i)
{
	return gt_cuda_process_of(c, kind, &ENTRIES(c, kind)[i]);
}

bool gt_cuda_has_call(const struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i)
{
	const struct gt_cuda_entry *e = &ENTRIES(c, kind)[i], *call;

	call = gt_cuda_call_entry(c, gt_cuda_process_of(c, kind, e), e->correlation, e->start, NULL);

	return call && call->start != GT_NO_TIME;
}

/* Whether the ids began again behind the call with this one, or before it. */
static bool is_shared(const struct gt_cuda *c, uint32_t process, uint32_t correlation)
{
	const struct gt_bulk *b = &c->processes[process].calls;
	const struct gt_cuda_link *v = b->data;
	size_t i = first_link(b, correlation);

	return i + 1 < b->n && v[i].correlation == correlation && v[i + 1].correlation == correlation;
}

uint32_t gt_cuda_work_of(struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t call_ns,
	struct gt_cuda_place *out, uint32_t max)
{
	const struct gt_bulk *b = &c->processes[process].work;
	const struct gt_cuda_link *v = b->data;
	uint32_t n = 0;

	if (!correlation || correlation == GT_CUDA_NONE)
		return 0;
	bool shared = call_ns != GT_NO_TIME && is_shared(c, process, correlation);

	for (size_t i = first_link(b, correlation); i < b->n && v[i].correlation == correlation; i++) {
		int64_t start = ENTRIES(c, v[i].kind)[v[i].index].start;

		if (shared && gt_cuda_call_entry(c, process, correlation, start, NULL)->start != call_ns)
			continue;
		if (n < max)
			out[n] = (struct gt_cuda_place){ (enum gt_cuda_kind)v[i].kind, v[i].index };
		n++;
	}
	return n;
}

/* ------------------------------------------------------------------ arguments */

static int compare_args(const void *a, const void *b, const void *ctx)
{
	const struct gt_cuda_args *x = a, *y = b;

	(void)ctx;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->fn != y->fn)
		return x->fn < y->fn ? -1 : 1;
	return x->link < y->link ? -1 : x->link > y->link;
}

static bool is_of(const struct gt_cuda_process *p, size_t i, uint32_t correlation, uint32_t fn)
{
	const struct gt_cuda_args *v = p->args.data;

	return i < p->args.n && v[i].correlation == correlation && v[i].fn == fn;
}

/* How far the record was begun from a time, in ns. */
static uint64_t distance(const struct gt_cuda *c, uint32_t process, const struct gt_cuda_args *a, int64_t at)
{
	struct gt_err err;
	struct gt_rec rec;

	if (gt_reader_fetch(c->m->reader, process, a->link, &rec, &err) != 1)
		return UINT64_MAX;
	int64_t ns = gt_reader_tick_ns(c->m->reader, process, rec.start_tick);

	return ns < at ? (uint64_t)at - (uint64_t)ns : (uint64_t)ns - (uint64_t)at;
}

const struct gt_cuda_args *gt_cuda_args_of(
	const struct gt_cuda *c, uint32_t process, uint32_t correlation, uint32_t fn, int64_t at)
{
	const struct gt_cuda_process *p = &c->processes[process];
	const struct gt_cuda_args *v = p->args.data, want = { .correlation = correlation, .fn = fn }, *best;
	size_t low;

	GT_SEARCH(low, p->args.n, compare_args(&v[low], &want, NULL) < 0);
	if (!is_of(p, low, correlation, fn))
		return NULL;
	best = &v[low];
	if (at == GT_NO_TIME || !is_of(p, low + 1, correlation, fn))
		return best;
	/* ids that began again: the one beside the call */
	uint64_t least = distance(c, process, best, at);

	while (is_of(p, ++low, correlation, fn)) {
		uint64_t d = distance(c, process, &v[low], at);

		if (d < least) {
			least = d;
			best = &v[low];
		}
	}
	return best;
}

static int add_unseen(struct gt_cuda *c, uint32_t process, const struct gt_cuda_args *a)
{
	struct gt_cuda_unseen *u = gt_bulk_add(&c->unseen, sizeof *u, &c->budget);
	struct gt_cuda_entry *e = u ? gt_cuda_add(c, GT_CUDA_CALL) : NULL;
	const struct gt_stream_map *s;
	struct gt_model *m = c->m;
	struct gt_err err;
	struct gt_rec rec;

	if (!e)
		return -1;
	*u = (struct gt_cuda_unseen){ a->link, process, a->fn };
	*e = (struct gt_cuda_entry){
		.place = GT_PLACE_ARGS | (c->unseen.n - 1), .correlation = a->correlation, .thread = GT_CUDA_NONE
	};
	e->place |= (uint64_t)(a->fn % GT_CUDA_CBIDS) << GT_PLACE_CBID_SHIFT |
		(a->fn >= REC_FN_CUDA_DRIVER ? GT_PLACE_DRIVER : 0);
	if (gt_reader_fetch(m->reader, process, a->link, &rec, &err) != 1) {
		e->start = e->end = GT_NO_TIME;
		return 0;
	}
	e->start = gt_reader_tick_ns(m->reader, process, rec.start_tick);
	e->end = gt_reader_tick_ns(m->reader, process, rec.end_tick);
	s = gt_model_stream(m, process, rec.stream);
	if (rec.holder && rec.holder <= s->n)
		e->thread = s->holder[rec.holder - 1];
	return 0;
}

/* Calls whose activity record is not there (killed, dropped) are calls all the same. */
static int find_unseen(struct gt_cuda *c)
{
	bool any = false;

	for (uint32_t p = 0; p < c->m->n_processes; p++)
		any |= c->processes[p].args.n != 0;
	if (!any)
		return 0;
	if (link_calls(c))
		return -1;
	for (uint32_t p = 0; p < c->m->n_processes; p++) {
		struct gt_cuda_process *process = &c->processes[p];
		const struct gt_cuda_args *a;

		if (gt_bulk_sort(&process->args, sizeof *a, compare_args, NULL, &c->budget))
			return -1;
		a = process->args.data;
		for (size_t i = 0; i < process->args.n; i++) {
			const struct gt_cuda_link *v = process->calls.data;
			size_t k = a[i].correlation ? first_link(&process->calls, a[i].correlation) : process->calls.n;

			while (k < process->calls.n && v[k].correlation == a[i].correlation && v[k].kind != a[i].fn)
				k++;
			if ((k == process->calls.n || v[k].correlation != a[i].correlation) && add_unseen(c, p, &a[i]))
				return -1;
		}
	}
	return 0;
}

/* ----------------------------------------------------------------- everything */

/* A call that began before the window may be there without others that ended meanwhile: ids go up with time. */
static void find_first_ids(struct gt_cuda *c)
{
	for (uint32_t i = 0; i < c->m->n_processes; i++) {
		struct gt_cuda_process *p = &c->processes[i];
		const struct gt_cuda_link *v = p->calls.data;
		size_t k = 0;

		while (p->begun_late && k < p->calls.n && ENTRIES(c, GT_CUDA_CALL)[v[k].index].start < p->begun_ns)
			k++;
		p->first_id = p->begun_late && k < p->calls.n ? v[k].correlation : 0;
	}
}

/*
 * Kinds are switched on and off one after the other, and kernels of one CUPTI stay on: work of calls before the first
 * call of the window, or behind its last one, may be there.
 */
static bool is_outside_window(const struct gt_cuda_process *p, uint32_t correlation)
{
	const struct gt_cuda_link *v = p->calls.data;

	return correlation < p->first_id ||
		(p->ended_early && p->calls.n && correlation > v[p->calls.n - 1].correlation);
}

/* The call that it belongs to: for its place in the order, and for the count of those without. */
static void match(struct gt_cuda *c, enum gt_cuda_kind kind)
{
	size_t looked = 0;
	uint64_t index = 0;
	bool device = gt_cuda_is_work(kind);
	struct gt_cuda_entry *v = ENTRIES(c, kind);

	for (size_t i = 0; i < c->kinds[kind].n; i++) {
		uint32_t p = gt_cuda_process_of(c, kind, &v[i]);
		const struct gt_cuda_entry *call;

		if (!device && !(v[i].place & GT_PLACE_UNTIMED))
			continue;
		call = gt_cuda_call_entry(c, p, v[i].correlation, v[i].start, &index);
		if (device && call)
			c->worked[index / 8] |= (uint8_t)(1u << index % 8);
		if (++looked % (GT_BULK_FORGET / sizeof(struct gt_cuda_link)) == 0)
			forget_all(c, &c->processes[p]);
		if (!call && device && v[i].correlation && c->processes[p].n_calls &&
			!(c->processes[p].library.flags & REC_CUPTI_SOME_CALLS) &&
			!is_outside_window(&c->processes[p], v[i].correlation))
			gt_check_failed(c->m, GT_CHECK_CALLS, 1,
				&(struct gt_check_case){ .process = p, .at_ns = v[i].start });
		if (device)
			gt_check_looked(c->m, GT_CHECK_CALLS, 1);
		if (device && call && !(v[i].place & GT_PLACE_UNTIMED) && v[i].start != GT_NO_TIME)
			gt_checks_cuda_time(c, p, &v[i], call);
		if (v[i].place & GT_PLACE_UNTIMED)
			v[i].start = call ? call->start : GT_NO_TIME;
		gt_cuda_forget_behind(&c->kinds[kind], i);
	}
}

static int link_work(struct gt_cuda *c)
{
	for (enum gt_cuda_kind k = 0; k < GT_CUDA_KINDS; k++) {
		const struct gt_cuda_entry *v = ENTRIES(c, k);

		for (size_t i = 0; gt_cuda_is_work(k) && i < c->kinds[k].n; i++) {
			if (v[i].correlation &&
				add_link(c, &c->processes[gt_cuda_process_of(c, k, &v[i])].work, v[i].correlation, k,
					i))
				return -1;
			gt_cuda_forget_behind(&c->kinds[k], i);
		}
	}
	for (uint32_t p = 0; p < c->m->n_processes; p++)
		if (gt_bulk_sort(
			    &c->processes[p].work, sizeof(struct gt_cuda_link), compare_links, NULL, &c->budget))
			return -1;
	return 0;
}

int gt_cuda_index_build(struct gt_cuda *c)
{
	if (find_unseen(c) || sort_kind(c, GT_CUDA_CALL) || link_calls(c))
		return -1;
	for (uint32_t p = 0; p < c->m->n_processes; p++)
		drop_nested(c, &c->processes[p]);
	find_first_ids(c);
	if (gt_checks_cuda_begin(c))
		return -1;
	gt_checks_cuda_streams(c);
	c->worked_bytes = c->kinds[GT_CUDA_CALL].n / 8 + 1;
	c->worked = gt_paged_zeroed(c->worked_bytes, 1);
	if (!c->worked)
		return -1;
	for (int kind = GT_CUDA_CALL + 1; kind < GT_CUDA_KINDS; kind++) {
		match(c, (enum gt_cuda_kind)kind);
		if (sort_kind(c, (enum gt_cuda_kind)kind))
			return -1;
	}
	return link_work(c);
}
