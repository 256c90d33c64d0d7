/*
 * analysis/sections/place.h - where a kernel stands in time among all that its queue or stream did
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_PLACE_H
#define GPUTAP_ANALYSIS_SECTIONS_PLACE_H

#include "analysis/metrics/dispatch.h"
#include "analysis/metrics/unused.h"
#include "common/memory.h"

/* What ran on a device, with times. */
struct gt_work {
	uint64_t process, queue;          /* the queue's key: gt_place_queue */
	uint32_t device;                  /* tells devices of a process apart; UINT32_MAX: not known */
	int64_t start_ns, end_ns;
	int64_t before_ns;                /* greatest end of what began before it on its queue; GT_NO_TIME */
	bool kernel;
	const char *kind;                 /* "copy", "fill", "map", ... of what is none */
	const char *direction, *memory;   /* CUDA's words; NULL */
	uint64_t bytes; bool has_bytes;
};
enum { GT_WAITS_MOST = 8 };               /* of what ran right before a kernel so much is looked at */

struct gt_places { GT_LIST(struct gt_work) v; struct gt_unused unused; };

uint64_t gt_place_queue(const struct gt_dispatch *d);
/* Reads the whole trace: a walk of its own. 0, or -1 with *err. */
int gt_places_open(struct gt_places *p, struct gt_model *m, struct gt_err *err);
/*
 * NULL: it is not there. Elements before it in the array are what ran before it, as long as process and queue are its.
 */
const struct gt_work *gt_place_of(const struct gt_places *p, const struct gt_dispatch *d);
/* The same by where and when it ran. */
const struct gt_work *gt_place_find(
	const struct gt_places *p, uint64_t process, uint64_t queue, int64_t start_ns, int64_t end_ns);
void gt_places_close(struct gt_places *p);

#endif
