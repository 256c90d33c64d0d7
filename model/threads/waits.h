/*
 * model/threads/waits.h - who ended a wait: the other side of joins, locks, conditions, semaphores, barriers (-t osrt)
 *
 * Runs in the tool, beside a walk: calls are told in its order, and each wait is handed out when the walk is past its
 * end. What stands for the other side is what the calls themselves say: a created thread by its handle, a lock by its
 * address. Where the kernel told who wakes whom (-t sched, for those who may know), a wait of which the calls say
 * nothing has the last thread that woke it; so have reads, polls and other waits that are for nobody in particular.
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
	GT_WAIT_BARRIER,
	GT_WAIT_WORD,                     /* of a futex */
	GT_WAIT_SIGNAL,                   /* that a thread sends to this one */
	GT_WAIT_ANYTHING                  /* data, an event: the kernel told who brought it */
};

struct gt_wait {
	enum gt_wait_for what;
	const struct gt_fn *fn;
	uint32_t process, thread;         /* who waited */
	uint64_t id;                      /* gt_call.id of the call that waited */
	int64_t start_ns, end_ns;
	uint64_t object;                  /* its address; the handle of a thread */
	int other_tid;                    /* who ended it: a thread, or a child process' number; -1: nobody knows */
	uint32_t other;                   /* gt_thread, of a child its main one; UINT32_MAX: not in the trace */
	const struct gt_fn *by;           /* the call that ended it; NULL: the end of a thread or process, or unknown */
	int64_t by_ns;                    /* its start; GT_NO_TIME */
	uint64_t by_id;
	bool by_kernel;                   /* the kernel said who, and no call of the trace */
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

/* Were calls of the C library asked for? */
bool gt_has_os_runtime(const struct gt_model *m);

/* All of a trace, by the call that waited: for who meets the calls once more. */
struct gt_wait_list;
/* *out NULL: there are none. 0, or -1 with err. */
int gt_wait_list_read(struct gt_model *m, struct gt_wait_list **out, struct gt_err *err);
/* NULL: it is no wait, or nobody knows who ended it. */
const struct gt_wait *gt_wait_list_find(const struct gt_wait_list *l, uint32_t process, uint64_t id);
void gt_wait_list_free(struct gt_wait_list *l);

#endif
