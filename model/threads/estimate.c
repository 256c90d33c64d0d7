/*
 * model/threads/estimate.c - states of threads by their calls of the C library
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/threads/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/map.h"
#include "common/memory.h"
#include "model/internal.h"
#include "model/sort.h"
#include "model/threads/waits.h"

/* Which thread a handle of the C library's names by now: index + 1 into the created ones. */
struct named { uint64_t handle; uint32_t process, at; };

struct gt_estimate {
	GT_LIST(struct gt_silent_thread) created;         /* end_ns GT_NO_TIME: nobody joined it yet */
	struct gt_map named;              /* struct named */
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
	if (e) {
		gt_map_free(&e->named, sizeof(struct named));
		free(e->created.v);
		free(e->waited_until);
	}
	free(e);
}

static int tell(const struct gt_estimate *e, uint32_t thread, int64_t start, int64_t end, const struct gt_fn *in)
{
	const struct gt_thread_state state = { .start_ns = start, .end_ns = end,
		.process = gt_model_thread(e->m, thread)->process, .thread = thread,
		.state = in ? GT_STATE_WAITING : GT_STATE_RUNNING };

	return end > start ? e->tell(e->ctx, &state, in) : 0;
}

static bool same_named(const void *element, const void *key, const void *ctx)
{
	const struct named *a = element, *b = key;

	(void)ctx;
	return a->handle == b->handle && a->process == b->process;
}

static uint64_t value_of(const struct gt_call *call, const char *name)
{
	int i = gt_fn_find_param(call->fn, name, strlen(name));
	struct gt_arg a;

	return i >= 0 && gt_call_arg(call, (unsigned)i, &a) ? a.value : 0;
}

/* Threads that are made and joined, by whatever call: those that say what they created, and those that join. */
static int follow_threads(struct gt_estimate *e, const struct gt_call *call)
{
	struct named key = { .process = call->process }, *n;
	struct gt_silent_thread *t;
	int tid = (int)value_of(call, "tid");
	bool fresh;

	if (call->result || call->unfinished)
		return 0;
	if (strstr(call->fn->name, "join")) {
		key.handle = value_of(call, "thread");
		n = gt_map_find(&e->named, sizeof key, gt_hash(gt_hash(GT_HASH, key.process), key.handle), &key,
			same_named, NULL);
		if (n && e->created.v[n->at].end_ns == GT_NO_TIME)
			e->created.v[n->at].end_ns = call->end_ns;
		return 0;
	}
	key.handle = value_of(call, "created");
	if (!key.handle || tid <= 0)
		return 0;
	n = gt_map_add(&e->named, sizeof key, gt_hash(gt_hash(GT_HASH, key.process), key.handle), &key, same_named,
		NULL, &fresh);
	t = n ? GT_LIST_ADD(&e->created) : NULL;
	if (!t)
		return -1;
	key.at = e->created.n - 1;
	*n = key;
	*t = (struct gt_silent_thread){ call->process, tid, call->start_ns, GT_NO_TIME };
	return 0;
}

bool gt_estimate_silent(const struct gt_estimate *e, uint32_t *i, struct gt_silent_thread *out)
{
	for (; *i < e->created.n; ++*i) {
		*out = e->created.v[*i];
		if (gt_thread_numbered(e->m, out->process, out->tid, out->start_ns) != UINT32_MAX)
			continue;
		if (out->end_ns == GT_NO_TIME)
			out->end_ns = gt_model_process(e->m, out->process)->end_ns;
		++*i;
		return true;
	}
	return false;
}

int gt_estimate_call(struct gt_estimate *e, const struct gt_call *call)
{
	int64_t *until, start = call->start_ns;
	int rc = 0;

	if (call->fn->domain != REC_DOMAIN_OSRT || call->cuda || call->thread >= gt_model_thread_count(e->m))
		return 0;
	if (follow_threads(e, call))
		return -1;
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
