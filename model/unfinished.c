/*
 * model/unfinished.c - calls that were begun and never returned
 *
 * A call's record is written when it returns. What a thread was inside when its process died is in its stream's control
 * page alone (gt_thread.inside).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/internal.h"

static bool is_unfinished(const struct gt_thread *t, uint32_t k)
{
	const struct gt_fn *fn = t->inside[k].fn;

	return fn && fn->domain == REC_DOMAIN_OPENCL && !fn->is_callback;
}

uint32_t gt_model_unfinished_count(const struct gt_model *m, uint32_t process)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < gt_model_thread_count(m); i++) {
		const struct gt_thread *t = gt_model_thread(m, i);

		for (uint32_t k = 0; t->process == process && k < t->n_inside; k++)
			n += is_unfinished(t, k);
	}
	return n;
}

static struct gt_call call_of(struct gt_model *m, const struct gt_thread *t, uint32_t k, uint64_t id)
{
	const struct gt_process_state *p = &m->processes[t->process];
	int64_t start = t->inside[k].start_ns;
	uint64_t tick = gt_reader_ns_tick(m->reader, t->process, start);

	return (struct gt_call){
		.fn = t->inside[k].fn, .process = t->process, .thread = t->index, .start_tick = tick, .end_tick = tick,
		.start_ns = start, .end_ns = start, .start_mono_ns = start + p->to_mono_ns,
		.end_mono_ns = start + p->to_mono_ns, .id = id, .unfinished = true, .model = m,
	};
}

static int calls_of(struct gt_model *m, const struct gt_thread *t, const struct gt_walk_options *opt, uint64_t *id,
	int (*call)(void *ctx, const struct gt_call *call, struct gt_err *err), void *ctx, struct gt_err *err)
{
	for (uint32_t k = t->n_inside; k-- > 0;) {
		struct gt_call c;

		if (!is_unfinished(t, k))
			continue;
		c = call_of(m, t, k, ++*id);
		if (gt_walk_wanted(opt, NULL, &c) && call(ctx, &c, err))
			return -1;
	}
	return 0;
}

int gt_unfinished_calls(struct gt_model *m, const struct gt_walk_options *opt,
	int (*call)(void *ctx, const struct gt_call *call, struct gt_err *err), void *ctx, struct gt_err *err)
{
	for (uint32_t p = 0; p < m->n_processes; p++) {
		uint64_t id = m->processes[p].pub.calls + m->processes[p].pub.callbacks;

		if (opt->process >= 0 && (uint32_t)opt->process != p)
			continue;
		for (uint32_t i = 0; i < gt_model_thread_count(m); i++)
			if (gt_model_thread(m, i)->process == p &&
				calls_of(m, gt_model_thread(m, i), opt, &id, call, ctx, err))
				return -1;
	}
	return 0;
}
