/*
 * trace/read/gathered.c - what gputap run gathers itself, and whether it came to write it
 *
 * Samples, context switches, captured output, later runs: none of it is in a stream of the program's. `run` says with a
 * line `gathers` what a process of the launcher's is at, and with `gathered` that it is whole. Whoever is killed leaves
 * the first without the second.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plain/without.h"
#include "trace/read/internal.h"

static bool is_whole(const struct gt_reader *r, const char *word)
{
	for (size_t i = 0; i < r->run.n; i++)
		if (!strcmp(r->run.facts[i].key, "gathered") && !strcmp(r->run.facts[i].value, word))
			return true;
	return false;
}

static void take(struct gt_reader *r, const char *line)
{
	struct gt_gathers *g = &r->gathers[r->n_gathers];
	char pid[16], start[24];

	if (sscanf(line, "%31s %15s %23s", g->word, pid, start) != 3 || is_whole(r, g->word))
		return;
	if (gt_live_process(&r->run, pid, start) == GT_LIVE_YES)
		r->gatherer = atoi(pid);
	else
		r->n_gathers++;
}

void gt_gathered_look(struct gt_reader *r)
{
	bool ended = gt_reader_fact(r, -1, "end_realtime_ns", 0);

	if (gc_without("gathers"))
		return;
	for (size_t i = 0, n = 0; i < r->run.n && n < GT_GATHERS_MOST; i++)
		if (!strcmp(r->run.facts[i].key, "gathers")) {
			take(r, r->run.facts[i].value);
			n++;
		}
	r->found.lost[REC_LOSS_NOT_GATHERED] = r->n_gathers;
	/* Nothing at all is there: the launcher would have said why, or that there was nothing to record. */
	if (r->n_images || ended || r->n_gathers || !gt_reader_fact(r, -1, "launcher_start", 0))
		return;
	if (r->launcher == GT_LIVE_YES)
		r->gatherer = atoi(gt_reader_fact(r, -1, "launcher_pid", 0) ? : "0");
	else if (!r->gatherer && r->launcher == GT_LIVE_NO)
		r->found.lost[REC_LOSS_NOT_GATHERED] = 1;
}

int gt_reader_gatherer(const struct gt_reader *r) { return r->gatherer; }

const char *gt_reader_not_gathered(const struct gt_reader *r, unsigned n)
{
	return n < r->n_gathers ? r->gathers[n].word : NULL;
}
