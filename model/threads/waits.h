/*
 * model/threads/waits.h - who ended a wait: the other side of joins, locks, conditions, semaphores, barriers (-t osrt)
 *
 * Runs in the tool, beside a walk: calls are told in its order, and each wait is handed out when the walk is past its
 * end. What stands for the other side is what the calls themselves say: a created thread by its handle, a lock by its
 * address.
 *
 * WAITS1  A wake lets go somewhere inside its call, so it counts for a wait when it began before the wait's end, and
 *         ended behind the wait's begin. Of several the last one that began is the one that ended it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_WAITS_H
#define GPUTAP_MODEL_WAITS_H

#include "model/model.h"

enum gt_wait_for {
	GT_WAIT_NOTHING,
	GT_WAIT_THREAD,                   /* its end */
	GT_WAIT_PROCESS,
	GT_WAIT_LOCK,
	GT_WAIT_RWLOCK,
	GT_WAIT_CONDITION,
	GT_WAIT_SEMAPHORE,
	GT_WAIT_BARRIER
};

struct gt_wait {
	enum gt_wait_for what;
	const struct gt_fn *fn;
	uint32_t process, thread;         /* who waited */
	uint64_t id;                      /* gt_call.id of the call that waited */
	int64_t start_ns, end_ns;
	uint64_t object;                  /* its address; the handle of a thread */
	int other_tid;                    /* who ended it: a thread, or a child process' number; -1: nobody knows */
	uint32_t other;                   /* gt_thread index; UINT32_MAX: of another process, or unknown */
	const struct gt_fn *by;           /* the call that ended it; NULL: the end of a thread or process, or unknown */
	int64_t by_ns;                    /* its start; GT_NO_TIME */
	uint64_t by_id;
};

struct gt_waits;
/* 0, or -1 (no memory). */
typedef int gt_waits_tell(void *ctx, const struct gt_wait *wait);
/* NULL: no memory. */
struct gt_waits *gt_waits_new(const struct gt_model *m, gt_waits_tell *tell, void *ctx);
/* Any call; those that are of no interest are passed by. 0, or -1. */
int gt_waits_call(struct gt_waits *w, const struct gt_call *call);
/* The walk is over: waits that are still open are told. 0, or -1. */
int gt_waits_end(struct gt_waits *w);
void gt_waits_free(struct gt_waits *w);

/* "thread", "lock", ... */
const char *gt_wait_word(enum gt_wait_for what);

#endif
