/*
 * model/threads/estimate.c - states of threads by their calls of the C library
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/threads/estimate.h"

#include <stdlib.h>

#include "model/sort.h"
#include "model/threads/waits.h"

struct gt_estimate {
	const struct gt_model *m;
	gt_estimate_tell *tell;
	void *ctx;
	int64_t *waited_until;            /* by thread: the latest end of its calls so far; GT_NO_TIME: none yet */
};

struct gt_estimate *gt_estimate_new(const struct gt_model *m, gt_estimate_tell *tell, void *ctx)
{
	struct gt_estimate *e = malloc(sizeof *e);
	uint32_t n = gt_model_thread_count(m);

	if (!e)
		return NULL;
	*e = (struct gt_estimate){ .m = m, .tell = tell, .ctx = ctx,
		.waited_until = malloc((n + 1ull) * sizeof *e->waited_until) };
	if (!e->waited_until) {
		free(e);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		e->waited_until[i] = GT_NO_TIME;
	return e;
}

void gt_estimate_free(struct gt_estimate *e)
{
	if (e)
		free(e->waited_until);
	free(e);
}

static int tell(const struct gt_estimate *e, uint32_t thread, int64_t start, int64_t end, const struct gt_fn *in)
{
	const struct gt_thread_state state = { .start_ns = start, .end_ns = end,
		.process = gt_model_thread(e->m, thread)->process, .thread = thread,
		.state = in ? GT_STATE_WAITING : GT_STATE_RUNNING };

	return end > start ? e->tell(e->ctx, &state, in) : 0;
}

int gt_estimate_call(struct gt_estimate *e, const struct gt_call *call)
{
	int64_t *until, start = call->start_ns;
	int rc = 0;

	if (call->fn->domain != REC_DOMAIN_OSRT || call->cuda || call->thread >= gt_model_thread_count(e->m))
		return 0;
	until = &e->waited_until[call->thread];
	if (*until == GT_NO_TIME)
		*until = start;
	if (start > *until)
		rc = tell(e, call->thread, *until, start, NULL);
	if (!rc)
		rc = tell(e, call->thread, start > *until ? start : *until, call->end_ns, call->fn);
	if (call->end_ns > *until)
		*until = call->end_ns;
	return rc;
}

int gt_estimate_end(struct gt_estimate *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < gt_model_thread_count(e->m) && !rc; i++) {
		const struct gt_thread *t = gt_model_thread(e->m, i);

		if (e->waited_until[i] != GT_NO_TIME)
			rc = tell(e, i, e->waited_until[i],
				t->end_ns != GT_NO_TIME ? t->end_ns : gt_model_process(e->m, t->process)->end_ns, NULL);
	}
	return rc;
}

bool gt_estimate_possible(const struct gt_model *m) { return !gt_model_switch_count(m) && gt_has_os_runtime(m); }

/* ----------------------------------------------------------------------- list */

struct list { struct gt_bulk *out; struct gt_bulk_budget *budget; };

static int keep(void *ctx, const struct gt_thread_state *state, const struct gt_fn *in)
{
	const struct list *l = ctx;
	struct gt_thread_state *at = gt_bulk_add(l->out, sizeof *at, l->budget);

	(void)in;
	if (at)
		*at = *state;
	return at ? 0 : -1;
}

static int by_start(const void *a, const void *b, const void *ctx)
{
	const struct gt_thread_state *x = a, *y = b;

	(void)ctx;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int no_memory(struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "no memory for states of threads");
}

static int take_call(void *ctx, const struct gt_call *call)
{
	return gt_estimate_call(ctx, call);
}

static int read_all(struct gt_model *m, struct gt_estimate *e, struct gt_err *err)
{
	if (gt_walk_all(m, take_call, e, "states of threads", err))
		return -1;
	return gt_estimate_end(e) ? no_memory(err) : 0;
}

int gt_estimate_read(struct gt_model *m, struct gt_bulk *out, struct gt_bulk_budget *budget, struct gt_err *err)
{
	struct list l = { out, budget };
	struct gt_estimate *e = gt_estimate_new(m, keep, &l);
	int rc = e ? read_all(m, e, err) : no_memory(err);

	gt_estimate_free(e);
	if (!rc && gt_bulk_sort(out, sizeof(struct gt_thread_state), by_start, NULL, budget))
		rc = no_memory(err);
	return rc;
}
