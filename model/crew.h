/*
 * model/crew.h - the walk over all calls, shared by several threads
 *
 * The calls are those of gt_walk_next, with the same objects, numbers and commands. Each is given to one of several
 * workers, and again, where that worker asks for it, in the order of the walk. What must come out in order (lines of a
 * file) a worker keeps until it is told that its slice is next.
 *
 * A worker may read of an object what it was born with: handle, id, name, what it belongs to, size, flags and kind.
 * What later calls change (died_ns, build_options, clock_error_ns, n_contents) is read in the walk's order only.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CREW_H
#define GPUTAP_MODEL_CREW_H

#include "model/model.h"

struct gt_crew {
	struct gt_walk_options walk;      /* progress is called by any worker, one at a time */
	unsigned workers;                 /* gt_crew_workers */
	void *ctx;
	/*
	 * All return 0, or -1 with *err, which stops the walk: the error of the earliest call is what comes back.
	 *
	 * One call, by any worker: those that a worker gets between two turns follow each other. 1: again, in order.
	 */
	int (*call)(void *ctx, unsigned worker, const struct gt_call *call, struct gt_err *err);
	/* Behind them; still beside the other workers. May be NULL. */
	int (*done)(void *ctx, unsigned worker, struct gt_err *err);
	/*
	 * This worker's turn: the calls that it had since its last turn come next in the order of the walk. Until it
	 * returns, no other worker has its turn. First the calls that are wanted again. May be NULL.
	 */
	int (*again)(void *ctx, const struct gt_call *call, struct gt_err *err);
	int (*turn)(void *ctx, unsigned worker, struct gt_err *err);
};

/* How many workers would share that walk; 1: as if there were no threads. */
unsigned gt_crew_workers(struct gt_model *m, const struct gt_walk_options *opt);
/* 0, or -1 with *err. */
int gt_crew_walk(struct gt_model *m, const struct gt_crew *crew, struct gt_err *err);

#endif
