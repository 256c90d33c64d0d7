/*
 * writers/folded/internal.h - folded stacks being gathered
 *
 * A source (what the weights are of) gives paths, outermost frame first; equal paths are one line.
 *
 *	gt_folded_begin(f, process, tid, thread_name);    // "app [4711];thread 4712 (worker)"
 *	gt_folded_frame(f, name, bytes);                  // ";main"
 *	gt_folded_end(f, weight);
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_FOLDED_INTERNAL_H
#define GPUTAP_WRITERS_FOLDED_INTERNAL_H

#include "common/map.h"
#include "model/arena.h"
#include "writers/output.h"

struct gt_folded {
	const struct gt_export *x;
	struct gt_arena arena;
	struct gt_map lines;              /* struct folded_line */
	struct gt_text path;              /* of the line being made */
	bool failed;                      /* out of memory */
};

/* thread_name: may be empty. tid -1: of no thread. */
void gt_folded_begin(struct gt_folded *f, uint32_t process, int tid, struct gt_string thread_name);
/* What the form has no way to say (';' and control characters) is changed. */
void gt_folded_frame(struct gt_folded *f, const char *name, size_t bytes);
/* A path of weight 0 is left out. */
void gt_folded_end(struct gt_folded *f, uint64_t weight);

/*
 * What the lines are weighted by: a word of --folded-weight. events: a mask of GT_COST_*, of the sources that have
 * them. Fills f from the export's window. 0, or -1 with *err.
 */
struct gt_folded_source {
	const char *word;
	int (*read)(struct gt_folded *f, uint32_t events, struct gt_err *err);
	uint32_t events;
};
int gt_folded_read_samples(struct gt_folded *f, uint32_t events, struct gt_err *err);
int gt_folded_read_costs(struct gt_folded *f, uint32_t events, struct gt_err *err);

#endif
