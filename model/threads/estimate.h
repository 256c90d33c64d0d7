/*
 * model/threads/estimate.h - states of threads where no switches were recorded, by their calls of the C library
 *
 * Runs in the tool, beside a walk. A thread waits while it is inside such a call (-t osrt), and between its first one
 * and its own end it runs else, or could: nobody can tell these two apart. Of calls inside each other, or in a handler,
 * the outer one is the wait. Of a thread that made none, the calls of others may tell when it was made and joined.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_ESTIMATE_H
#define GPUTAP_MODEL_ESTIMATE_H

#include "model/bulk.h"
#include "model/threads/threads.h"

struct gt_estimate;
/* RUNNING or WAITING, and never of no time; in: the call that it waits in, NULL of RUNNING. 0, or -1 to stop. */
typedef int gt_estimate_tell(void *ctx, const struct gt_thread_state *state, const struct gt_fn *in);
/* NULL: no memory. */
struct gt_estimate *gt_estimate_new(const struct gt_model *m, gt_estimate_tell *tell, void *ctx);
/* Any call, in the walk's order; those of other APIs are passed by. 0, or what tell returned. */
int gt_estimate_call(struct gt_estimate *e, const struct gt_call *call);
/* The walk is over: what the threads did from their last calls to their ends. 0, or what tell returned. */
int gt_estimate_end(struct gt_estimate *e);
void gt_estimate_free(struct gt_estimate *e);
/* A thread that recorded nothing: created by a call, it ran, or could, until it was joined or its process ended. */
struct gt_silent_thread { uint32_t process; int tid; int64_t start_ns, end_ns; };
/* Behind gt_estimate_end: the next from *i on, which goes behind it. False: no more. */
bool gt_estimate_silent(const struct gt_estimate *e, uint32_t *i, struct gt_silent_thread *out);

/* Are there calls to estimate by, and nothing better? */
bool gt_estimate_possible(const struct gt_model *m);
/* All of a trace (struct gt_thread_state), in the order of their starts: a walk of its own. 0, or -1 with err. */
int gt_estimate_read(struct gt_model *m, struct gt_bulk *out, struct gt_bulk_budget *budget, struct gt_err *err);

#endif
