/*
 * model/cuda/check_work.c - CUDA calls whose work has no record
 *
 * CUPTI writes the record of a kernel when it is over, and the call's when that returns. Work is missing where it was
 * still on the device, or in CUPTI's own memory, when the process was killed; where it was launched behind the last
 * question for it; where another client of CUPTI has switched its kind off; and where a record did not come and nobody
 * counted it. Who looks at the trace sees the same of all of them: a call that succeeded and nothing else.
 *
 * What owes no record looks the same, so calls are judged as far as they can be told apart:
 *
 * WORK1  A launch of a kernel owes one, unless a stream is being captured: then it may go into a graph. A capture that
 *        begins in one thread may be fed by others.
 * WORK2  A launch of a graph owes records if it has nodes that do something; a copy or fill if it has bytes. Nothing
 *        tells. They are counted where work was certainly lost (a kill, another client, behind the last question);
 *        copies and fills only of functions of which others had work.
 * WORK3  Where not all calls were to be recorded, nobody knows which have no work: that counts as one, whatever there
 *        was. A recording that began late or ended early is not judged at its edges: kinds are switched one by one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/plain/without.h"
#include "model/cuda/internal.h"
#include "model/cuda/take.h"

/* --cuda-api and --cuda-filter. */
static bool calls_left_out(const struct gt_model *m, uint32_t process)
{
	const char *api = gt_model_option(m, (int)process, GT_TAKEN_CUDA_API);
	const char *filter = gt_model_option(m, (int)process, GT_TAKEN_CUDA_FILTER);

	return (api && *api && strcmp(api, "all")) || (filter && *filter);
}

enum what { UNASKED, NEITHER, KERNELS, GRAPHS, TRANSFERS, CAPTURES, CAPTURED };

/* A function, of a process: its calls without work. worked: others had some. */
struct function { uint8_t what; bool worked; uint64_t alone; };
struct pass {
	int64_t since;                  /* calls that ended from then on: all of them are judged */
	bool kernels;                   /* ... and launches of kernels whenever they were */
	struct function *all;           /* by GT_CUDA_FUNCTION */
	unsigned capturing;             /* threads, or more exactly captures that have begun and not ended */
	uint64_t looked;
};

/* CUPTI was asked for everything before an exec, as at an exit. One that failed left the image going on. */
static bool left_by_exec(const struct gt_model *m, uint32_t process)
{
	const struct gt_process_state *p = &m->processes[process];

	return p->exec_tick && p->exec_tick >= p->last_tick &&
		gt_reader_tick_ns(m->reader, process, p->exec_tick) >= gt_cuda_last_ns(m, process);
}

/* It may have given all its buffers back: a flush takes what is complete, and what runs begins no new one. */
static bool was_killed(const struct gt_cuda *c, uint32_t process)
{
	bool recorded = false;

	if (c->m->processes[process].exited || c->m->processes[process].pub.live != GT_LIVE_NO)
		return false;
	for (uint32_t i = 0; i < c->n_buffers; i++) {
		if (c->buffers[i].process != process)
			continue;
		if (!c->buffers[i].completed)
			return true;
		recorded = true;
	}
	return recorded && !left_by_exec(c->m, process) && !gc_without("all-given-back");
}

/* Reasons that stand for any number of records. */
static bool is_told_of(const struct gt_model *m)
{
	static const enum rec_loss all[] = { REC_LOSS_CUPTI_FATAL, REC_LOSS_CUPTI_REFUSED, REC_LOSS_CUPTI_NO_BUFFER,
		REC_LOSS_RING_OVERWRITTEN };
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		n += gt_model_lost(m, all[i]);
	return n != 0;
}

static enum what what_is(const struct gt_cuda_fn *f)
{
	const struct gt_cuda_event call = { .kind = GT_CUDA_CALL, .call.base = f->base };

	switch (gt_cuda_work_kind(&call)) {
	case GT_CUDA_WORK_KERNEL: return KERNELS;
	case GT_CUDA_WORK_GRAPH: return GRAPHS;
	case GT_CUDA_WORK_COPY:
	case GT_CUDA_WORK_FILL: return TRANSFERS;
	default: break;
	}
	if (strstr(f->base.text, "StreamBeginCapture"))
		return CAPTURES;
	return strstr(f->base.text, "StreamEndCapture") ? CAPTURED : NEITHER;
}

/* Whether it succeeded; -1: it cannot be read. */
static int succeeded(struct gt_cuda *c, uint64_t i, struct gt_err *err)
{
	struct gt_cuda_event call;

	if (gt_cuda_get(c, GT_CUDA_CALL, i, &call, err))
		return -1;
	return call.call.has_result && !call.call.result;
}

static bool is_judged(const struct pass *p, const struct gt_cuda_entry *e, enum what what)
{
	return e->end >= p->since || (p->kernels && what == KERNELS);
}

static int look_at_alone(struct gt_cuda *c, uint32_t process, const struct gt_cuda_link *l, struct pass *p,
	struct function *f, struct gt_err *err)
{
	const struct gt_cuda_entry *e = (const struct gt_cuda_entry *)c->kinds[GT_CUDA_CALL].data + l->index;
	int ok;

	if (p->capturing || !is_judged(p, e, (enum what)f->what) || (ok = succeeded(c, l->index, err)) == 0)
		return 0;
	if (ok < 0)
		return -1;
	f->alone++;
	if (f->what != TRANSFERS)
		gt_check_show(c->m, GT_CHECK_WORK, &(struct gt_check_case){ process,
			gt_cuda_fn_at(c, process, e->place)->fn.name, e->start, 0 });
	return 0;
}

static int look_at(
	struct gt_cuda *c, uint32_t process, const struct gt_cuda_link *l, struct pass *p, struct gt_err *err)
{
	const struct gt_cuda_entry *e = (const struct gt_cuda_entry *)c->kinds[GT_CUDA_CALL].data + l->index;
	struct function *f = &p->all[GT_CUDA_FUNCTION(e->place)];
	int ok;

	if (f->what == UNASKED)
		f->what = (uint8_t)what_is(gt_cuda_fn_at(c, process, e->place));
	switch (f->what) {
	case NEITHER: return 0;
	case CAPTURES:
		ok = succeeded(c, l->index, err);
		p->capturing += ok > 0;
		return ok < 0 ? -1 : 0;
	case CAPTURED:                  /* one that failed has ended it too */
		p->capturing -= p->capturing != 0;
		return 0;
	default: break;
	}
	p->looked += is_judged(p, e, (enum what)f->what);
	if (!(c->worked[l->index / 8] >> l->index % 8 & 1))
		return look_at_alone(c, process, l, p, f, err);
	f->worked = true;
	return 0;
}

/* In the order of correlation ids, which is that of time. */
static int count(struct gt_cuda *c, uint32_t process, struct pass *p, struct gt_err *err)
{
	const struct gt_bulk *calls = &c->processes[process].calls;
	const struct gt_cuda_link *v = calls->data;
	/* these have reasons of their own */
	uint64_t lost = 0, told = c->processes[process].unwritten + gt_model_lost(c->m, REC_LOSS_CUPTI_DROPPED) +
		gt_model_lost(c->m, REC_LOSS_CUPTI_UNREAD);

	for (size_t i = 0; i < calls->n; i++) {
		if (look_at(c, process, &v[i], p, err))
			return -1;
		if (i && i % (GT_BULK_FORGET / sizeof *v) == 0) {
			gt_bulk_forget(calls, 0, i * sizeof *v);
			gt_bulk_forget(&c->kinds[GT_CUDA_CALL], 0, c->kinds[GT_CUDA_CALL].capacity);
		}
	}
	for (uint32_t i = 0; i < GT_CUDA_FUNCTIONS; i++)
		if (p->all[i].what != TRANSFERS || p->all[i].worked)
			lost += p->all[i].alone;
	gt_check_looked(c->m, GT_CHECK_WORK, p->looked);
	if (lost > told)
		gt_check_failed(c->m, GT_CHECK_WORK, lost - told, NULL);
	return 0;
}

/* From when on work was certainly lost; INT64_MAX: never. */
static int64_t lost_since(const struct gt_cuda *c, uint32_t process)
{
	const struct gt_cuda_process *p = &c->processes[process];

	if (was_killed(c, process) ||
		(gt_model_lost(c->m, REC_LOSS_CUPTI_TAKEN) && !left_by_exec(c->m, process)))
		return INT64_MIN;
	if (p->ending_ns != GT_NO_TIME && (p->last_call_ns >= p->ending_ns || p->last_work_ns >= p->ended_ns) &&
		!gc_without("launched-at-the-end"))
		return p->ending_ns;
	return INT64_MAX;
}

int gt_checks_cuda_work(struct gt_model *m, struct gt_err *err)
{
	struct gt_cuda *c = m->cuda;
	int rc = 0;

	for (uint32_t process = 0; c && !rc && process < m->n_processes; process++) {
		const struct gt_cuda_process *of = &c->processes[process];
		struct pass p = { .kernels = !of->begun_late && !of->ended_early && !gc_without("every-launch") };

		if (!of->any || m->processes[process].pub.live != GT_LIVE_NO || is_told_of(m))
			continue;
		p.since = lost_since(c, process);
		if (p.since == INT64_MAX && !p.kernels)
			continue;
		if (p.since != INT64_MAX && calls_left_out(m, process) && !left_by_exec(m, process))
			gt_model_count_loss(m, REC_LOSS_WORK_UNKNOWN, 1);
		p.all = calloc(GT_CUDA_FUNCTIONS, sizeof *p.all);
		rc = p.all ? count(c, process, &p, err) : gt_no_memory(err);
		free(p.all);
	}
	return rc;
}
