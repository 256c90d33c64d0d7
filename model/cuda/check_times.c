/*
 * model/cuda/check_times.c - times of CUDA's work against the calls that made it and waited for it, and within streams
 *
 * CUPTI brings times of a device to the clock that it tells; pairs of that clock and the host's are what the trace
 * states the error of. What CUPTI's own step may be off is not told by anyone: it has CUPTI_OWN_NS.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "model/cuda/internal.h"

#define CUPTI_OWN_NS 50000                /* what clocks may be apart before a break is counted (clock.c) */
#define OVERLAP_NS 1000                   /* beginnings and ends are stamped in steps of up to this */

static int64_t stated_error(const struct gt_cuda *c, uint32_t process)
{
	int64_t error = c->processes[process].library.clock_error_ns;

	return error < 0 ? -1 : error + CUPTI_OWN_NS;
}

static void judge(struct gt_cuda *c, uint32_t process, enum gt_check check, const struct gt_cuda_entry *call,
	int64_t by_ns)
{
	gt_check_looked(c->m, check, 1);
	if (by_ns <= 0)
		return;
	gt_check_failed(c->m, check, 1, &(struct gt_check_case){ process,
		gt_cuda_fn_at(c, process, call->place)->fn.name, call->start, by_ns });
}

/* -------------------------------------------------------------------- waiting */

static bool waits_for_all(const struct gt_cuda_fn *f)
{
	static const char *const all[] = { "cudaDeviceSynchronize", "cudaThreadSynchronize", "cuCtxSynchronize" };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strncmp(f->base.text, all[i], strlen(all[i])))
			return true;
	return false;
}

/* Such a call waits for one context: with several, it is not known which. */
static bool has_one_context(const struct gt_cuda *c, uint32_t process)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < c->contexts.n; i++)
		n += c->contexts.v[i].process == process;
	return n == 1;
}

/* By function: 0 not asked yet, 1 no, 2 yes. */
static int add_waits(struct gt_cuda *c, uint32_t process, uint8_t *known)
{
	struct gt_cuda_process *p = &c->processes[process];
	const struct gt_cuda_link *l = p->calls.data;
	const struct gt_cuda_entry *v = c->kinds[GT_CUDA_CALL].data;

	for (size_t i = 0; i < p->calls.n; i++) {
		const struct gt_cuda_entry *e = &v[l[i].index];
		uint8_t *k = &known[GT_CUDA_FUNCTION(e->place)];
		struct gt_cuda_wait *w;

		if (!*k)
			*k = 1 + waits_for_all(gt_cuda_fn_at(c, process, e->place));
		if (*k != 2 || e->start == GT_NO_TIME || e->end == GT_NO_TIME)
			continue;
		if (!(w = GT_LIST_ADD(&p->waits)))
			return -1;
		*w = (struct gt_cuda_wait){ e->start, e->end };
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct gt_cuda_wait *x = a, *y = b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

int gt_checks_cuda_begin(struct gt_cuda *c)
{
	uint8_t *known = malloc(GT_CUDA_FUNCTIONS);
	int rc = known ? 0 : -1;

	for (uint32_t i = 0; !rc && i < c->m->n_processes; i++) {
		struct gt_cuda_process *p = &c->processes[i];

		p->waits.n = 0;
		if (!p->any || !has_one_context(c, i))
			continue;
		memset(known, 0, GT_CUDA_FUNCTIONS);
		rc = add_waits(c, i, known);
		if (p->waits.n)
			qsort(p->waits.v, p->waits.n, sizeof *p->waits.v, by_start);
	}
	free(known);
	return rc;
}

/* The first that began when the launch had returned. */
static const struct gt_cuda_wait *wait_behind(const struct gt_cuda_process *p, const struct gt_cuda_entry *call)
{
	uint32_t low;

	if (call->end == GT_NO_TIME)
		return NULL;
	GT_SEARCH(low, p->waits.n, p->waits.v[low].start_ns < call->end);
	return low < p->waits.n ? &p->waits.v[low] : NULL;
}

void gt_checks_cuda_time(struct gt_cuda *c, uint32_t process, const struct gt_cuda_entry *work,
	const struct gt_cuda_entry *call)
{
	const struct gt_process_state *of = &c->m->processes[process];
	int64_t error = stated_error(c, process);
	const struct gt_cuda_wait *wait;

	if (error < 0 || call->start == GT_NO_TIME)
		return;
	judge(c, process, GT_CHECK_BEGINS, call, call->start - error - work->start);
	wait = wait_behind(&c->processes[process], call);
	if (wait)
		judge(c, process, GT_CHECK_WAITS, call, work->end - error - wait->end_ns);
	else if (of->exit_tick && c->processes[process].ended_ns != GT_NO_TIME)
		judge(c, process, GT_CHECK_ENDS, call, work->end - error - c->processes[process].ended_ns);
}

/* -------------------------------------------------------------------- streams */

static bool same_stream(const void *element, const void *key, const void *ctx)
{
	const struct gt_cuda_line *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->context == b->context && a->stream == b->stream;
}

/* Nodes of a graph run as the graph has it, and kernels that kernels launched beside those. */
static bool is_in_order(const struct rec_activity *a)
{
	return a->kind == REC_CUPTI_KIND_KERNEL && !REC_GET(a, KERNEL, graphNodeId, 0) &&
		!REC_GET(a, KERNEL, graphId, 0);
}

int gt_checks_cuda_kernel(struct gt_cuda *c, uint32_t process, const struct rec_activity *a)
{
	struct gt_cuda_line key = { .process = process, .context = REC_GET(a, KERNEL, contextId, 0),
		.stream = REC_GET(a, KERNEL, streamId, 0) }, *line;
	uint64_t start = REC_GET(a, KERNEL, start, 0), end = REC_GET(a, KERNEL, end, 0);
	bool fresh;

	if (!is_in_order(a) || !start || end <= start)
		return 0;
	uint64_t hash = gt_hash(gt_hash(gt_hash(GT_HASH, process), key.context), key.stream);

	line = gt_map_add(&c->lines, sizeof key, hash, &key, same_stream, NULL, &fresh);
	if (!line)
		return -1;
	if (fresh)
		*line = key;
	else {
		uint64_t from = start > line->start ? start : line->start, to = end < line->end ? end : line->end;

		gt_check_looked(c->m, GT_CHECK_ORDER, 1);
		if (to > from + OVERLAP_NS) {
			struct gt_cuda_overlap *o = GT_LIST_ADD(&c->overlaps);

			if (!o)
				return -1;
			*o = (struct gt_cuda_overlap){ process, REC_GET(a, KERNEL, correlationId, 0),
				line->correlation, to - from };
		}
	}
	line->start = start;
	line->end = end;
	line->correlation = REC_GET(a, KERNEL, correlationId, 0);
	return 0;
}

/* A launch may have said that it need not wait for what is before it (programmatic dependent launch). */
static bool was_allowed(const struct gt_cuda *c, const struct gt_cuda_overlap *o)
{
	return gt_cuda_order_of(c, o->process, o->correlation) || gt_cuda_order_of(c, o->process, o->before);
}

void gt_checks_cuda_streams(struct gt_cuda *c)
{
	for (uint32_t i = 0; i < c->overlaps.n; i++) {
		const struct gt_cuda_overlap *o = &c->overlaps.v[i];
		const struct gt_cuda_entry *call;

		if (was_allowed(c, o))
			continue;
		call = gt_cuda_call_entry(c, o->process, o->correlation, GT_NO_TIME, NULL);
		gt_check_failed(c->m, GT_CHECK_ORDER, 1, &(struct gt_check_case){ .process = o->process,
			.at_ns = call && call->start != GT_NO_TIME ? call->start : 0, .by_ns = (int64_t)o->by });
	}
	free(c->overlaps.v);
	memset(&c->overlaps, 0, sizeof c->overlaps);
	gt_map_free(&c->lines, sizeof(struct gt_cuda_line));
}
