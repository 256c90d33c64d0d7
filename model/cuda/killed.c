/*
 * model/cuda/killed.c - work that CUPTI had not written down when the process was gone
 *
 * CUPTI writes the record of a kernel when it is over, and the call's when that returns. What was still on the device,
 * or in CUPTI's own memory, when the process was killed has a call and nothing else. In a process that ended by itself
 * CUPTI is asked for what was launched until then: so is what other threads launched behind that. Where another client
 * of CUPTI has switched off what was to be recorded, that cannot be had either. A launch into a graph
 * that is being captured sets nothing going, and looks the same; so does a copy of no bytes. Where not all calls were
 * to be recorded, nobody knows which have no work: that counts as one, whatever there was.
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

enum what { UNASKED, NEITHER, LAUNCHES, TRANSFERS, CAPTURES, CAPTURED };

/* A function, of a process: its calls without work. worked: others had some. */
struct function { uint8_t what; bool worked; uint64_t alone; };
struct pass {
	int64_t since;                  /* of calls that had ended before, all work was asked for */
	struct function *all;           /* 2 * GT_CUDA_CBIDS: runtime, driver */
	bool *capturing;                /* by thread; one that goes over to other threads' streams is not followed */
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

static enum what what_is(const struct gt_cuda_event *call)
{
	switch (gt_cuda_work_kind(call)) {
	case GT_CUDA_WORK_KERNEL:
	case GT_CUDA_WORK_GRAPH: return LAUNCHES;
	case GT_CUDA_WORK_COPY:
	case GT_CUDA_WORK_FILL: return TRANSFERS;
	default: break;
	}
	if (strstr(call->call.base.text, "StreamBeginCapture"))
		return CAPTURES;
	return strstr(call->call.base.text, "StreamEndCapture") ? CAPTURED : NEITHER;
}

static int look_at(struct gt_cuda *c, uint32_t process, uint64_t i, struct pass *p, struct gt_err *err)
{
	const struct gt_cuda_entry *e = (const struct gt_cuda_entry *)c->kinds[GT_CUDA_CALL].data + i;
	bool driver = e->place & GT_PLACE_DRIVER;
	struct function *f = &p->all[driver * GT_CUDA_CBIDS + GT_PLACE_CBID(e->place) % GT_CUDA_CBIDS];
	struct gt_cuda_event call;

	if (f->what == NEITHER || e->place & GT_PLACE_NESTED)
		return 0;
	if (e->end < p->since && (f->what == LAUNCHES || f->worked))
		return 0;
	if (gt_cuda_get(c, GT_CUDA_CALL, i, &call, err))
		return -1;
	f->what = (uint8_t)what_is(&call);
	if (f->what == NEITHER || !call.call.has_result || call.call.result)
		return 0;
	bool *capturing = call.thread < gt_model_thread_count(c->m) ? &p->capturing[call.thread] : NULL;

	if (f->what == CAPTURES || f->what == CAPTURED) {
		if (capturing)
			*capturing = f->what == CAPTURES;
	} else if (gt_cuda_work_of(c, process, e->correlation, call.start_ns, NULL, 0)) {
		f->worked = true;
	} else if ((!capturing || !*capturing) && e->end >= p->since) {
		f->alone++;
	}
	return 0;
}

static int count(struct gt_cuda *c, uint32_t process, struct pass *p, struct gt_err *err)
{
	/* these have reasons of their own */
	uint64_t lost = 0, told = c->processes[process].unwritten + gt_model_lost(c->m, REC_LOSS_CUPTI_DROPPED) +
		gt_model_lost(c->m, REC_LOSS_CUPTI_UNREAD);

	for (uint64_t i = 0; i < c->kinds[GT_CUDA_CALL].n; i++)
		if (gt_cuda_process_at(c, GT_CUDA_CALL, i) == process && look_at(c, process, i, p, err))
			return -1;
	for (uint32_t i = 0; i < 2 * GT_CUDA_CBIDS; i++)
		if (p->all[i].what == LAUNCHES || p->all[i].worked)
			lost += p->all[i].alone;
	if (lost > told)
		gt_model_count_loss(c->m, REC_LOSS_UNMATCHED_CALL, lost - told);
	return 0;
}

/* From when on work may be missing. False: nothing is. */
static bool may_miss(const struct gt_cuda *c, uint32_t process, int64_t *since)
{
	const struct gt_cuda_process *p = &c->processes[process];

	*since = INT64_MIN;
	if (was_killed(c, process) || (gt_model_lost(c->m, REC_LOSS_CUPTI_TAKEN) &&
		c->m->processes[process].pub.live == GT_LIVE_NO && !left_by_exec(c->m, process)))
		return true;
	*since = p->ending_ns;
	return p->ending_ns != GT_NO_TIME && c->m->processes[process].pub.live == GT_LIVE_NO &&
		(p->last_call_ns >= p->ending_ns || p->last_work_ns >= p->ended_ns) &&
		!gc_without("launched-at-the-end");
}

int gt_cuda_killed_finish(struct gt_model *m, struct gt_err *err)
{
	struct gt_cuda *c = m->cuda;
	int rc = 0;

	for (uint32_t process = 0; c && !rc && process < m->n_processes; process++) {
		struct pass p;

		if (!may_miss(c, process, &p.since) || is_told_of(m))
			continue;
		if (calls_left_out(m, process) && !left_by_exec(m, process))
			gt_model_count_loss(m, REC_LOSS_WORK_UNKNOWN, 1);
		p.all = calloc(2 * GT_CUDA_CBIDS, sizeof *p.all);
		p.capturing = calloc(gt_model_thread_count(m) + 1, sizeof *p.capturing);
		rc = p.all && p.capturing ? count(c, process, &p, err) : gt_no_memory(err);
		free(p.all);
		free(p.capturing);
	}
	return rc;
}
