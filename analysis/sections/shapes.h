/*
 * analysis/sections/shapes.h - launches of one kernel on one device with one size: which of them is typical, and what
 * stood around all of them
 *
 * Runs in the tool. A *shape* is what a rule judges: the first launch of a kernel is often the slowest by far (it is
 * compiled, memory comes into caches), and one launch says nothing of the run.
 *
 * SHAPE1  Of a shape with several launches, times and gaps are those of all but the first by call.
 * SHAPE2  A device is idle where nothing of its process ran on it, whatever the queue or stream; before its first work
 *         it is not idle but not yet used.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_SHAPES_H
#define GPUTAP_ANALYSIS_SECTIONS_SHAPES_H

#include "analysis/sections/cover.h"
#include "analysis/sections/place.h"

/* What the thread that launched was in while the device was idle. */
enum gt_doing_kind { GT_DOING_API, GT_DOING_WAIT, GT_DOING_OS };
/* The name lives as long as the model. */
struct gt_doing { enum gt_doing_kind kind; const char *name; int64_t ns; };

struct gt_shape {
	uint64_t process, kernel, device; /* kernel: gt_kernel_key */
	uint64_t global[3], group[3];
	uint64_t launches, total_ns;
	int64_t ran_ns;                   /* at least one of them ran: at most the run, with streams too */
	uint64_t judged;                  /* launches that SHAPE1 leaves, with times */
	uint64_t typical;                 /* the launch of the median time: its number in gt_shapes.launch */
	int64_t typical_ns;               /* GT_NO_TIME: none has times */
	bool shown;                       /* among those of its kernel that took most time */
	bool on_cpu;
	uint64_t cover_key;               /* of its device in its process */
	/* SHAPE1 of all that follows */
	int64_t beside_ns;                /* another kernel ran on the device meanwhile */
	/* SHAPE2: before launches, until the program asked for them; only gaps of 20 us or more */
	int64_t idle_ns; uint64_t idles;
	int64_t known_ns;                 /* ... in which it is known what the launching thread did */
	int64_t late_ns; uint64_t lates;  /* from then to the start: a millisecond, and longer than it runs */
	int64_t short_ns; uint64_t shorts; /* all other idle times before launches */
	/* copies right before launches in the same queue while no kernel ran */
	int64_t copy_ns, hideable_ns;     /* at least one copy ran; hideable: of each launch no more than it ran */
	uint64_t copies, copied_bytes;
	int64_t pageable_ns; uint64_t pageable, pageable_bytes;
	GT_LIST(struct gt_doing) doings;  /* the longest first */
};

enum { GT_SHAPES_SHOWN = 16 };

/* One dispatch, in the order of gt_dispatches. */
struct gt_launch {
	uint32_t shape, thread;           /* thread: of the call; GT_CUDA_NONE */
	bool chosen, timed, first;
	uint64_t queue;
	int64_t asked_ns;                 /* when it was enqueued, or its call began; GT_NO_TIME */
	int64_t start_ns, end_ns;
};

struct gt_shapes {
	struct gt_model *model;           /* not owned */
	GT_LIST(struct gt_shape) v;
	GT_LIST(struct gt_launch) launch;
	int64_t *run_ns;                  /* by process: how long it ran, within the window; 0: not known */
	int64_t from_ns, to_ns;           /* the window; GT_NO_TIME */
};

/* A kernel is its name in its program: some programs make a new object of it for each launch. */
uint64_t gt_kernel_key(const struct gt_dispatch *d);
/*
 * Reads the launches of the walk, and once more what threads did where devices were idle. chosen (may be NULL): whether
 * a launch is to be counted. 0, or -1 with *err; to be closed either way.
 */
int gt_shapes_open(struct gt_shapes *s, struct gt_model *m, const struct gt_walk_options *walk,
	const struct gt_places *places, bool (*chosen)(void *ctx, const struct gt_dispatch *d), void *ctx,
	struct gt_err *err);
void gt_shapes_close(struct gt_shapes *s);

#endif
