/*
 * trace/read/left.c - who of a run is still there, and may come to record, when its trace is read
 *
 * Processes that have recorded tell of themselves. Of the others the launcher wrote a line `left` if they outlived it;
 * one that was killed wrote nothing. Only then they are looked for: that goes through all processes of the machine.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "trace/read/internal.h"

static bool may_be_there(const struct gt_reader *r)
{
	if (!gt_reader_fact(r, -1, "launcher_start", 0))
		return false;
	if (gt_reader_fact(r, -1, "end_realtime_ns", 0))
		return gt_reader_fact(r, -1, "left", 0);
	return r->launcher == GT_LIVE_NO;
}

/* The launcher is at it, or a process of the run is there: who is awaited may still come. */
bool gt_reader_awaits(const struct gt_reader *r)
{
	bool live = r->left.n || (r->launcher == GT_LIVE_YES && !gt_reader_fact(r, -1, "end_realtime_ns", 0));

	for (uint32_t i = 0; i < r->n_images && !live; i++)
		live = gt_reader_live(r, i) == GT_LIVE_YES;
	return live;
}

void gt_left_look(struct gt_reader *r)
{
	const char *id = gt_reader_fact(r, -1, "run_id", 0);

	if (id && strlen(id) == 16 && may_be_there(r) && gt_live_is_here(&r->run))
		gt_holders_of_run(id, &r->left);
	for (uint32_t i = 0; i < r->n_images; i++)
		if (r->images[i].live == GT_LIVE_YES)
			gt_holders_forget(&r->left, r->images[i].pid);
}

const struct gt_holders *gt_reader_left(const struct gt_reader *r) { return &r->left; }
