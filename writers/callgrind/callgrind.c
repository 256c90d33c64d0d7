/*
 * writers/callgrind/callgrind.c - costs by calling context as a profile in callgrind's format (docs/callgrind.md)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/callgrind/internal.h"

static int write_file(const struct cg_head *head, struct gt_err *err)
{
	const struct gt_export *x = head->x;
	struct gt_output out;

	if (gt_output_open(&out, x->path, x->final_path, err))
		return -1;
	if (!cg_write(&out, head))
		return gt_output_commit(&out, err);
	gt_output_discard(&out);
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: cannot be written", x->final_path);
}

static int callgrind_write(const struct gt_export *x, struct gt_err *err)
{
	const struct gt_cost_options how = {
		.parts = gt_option_is(x->options, "callgrind-parts", "one")     ? GT_COST_PARTS_ONE
			: gt_option_is(x->options, "callgrind-parts", "thread") ? GT_COST_PARTS_THREAD
										: GT_COST_PARTS_PROCESS,
		.instr = gt_option_true(x->options, "callgrind-instr"),
	};
	struct gt_costs costs = { 0 };
	const struct cg_head head = { x, &costs, how.instr };
	int rc = gt_costs_read(&costs, x, how, err) ? -1 : write_file(&head, err);

	gt_costs_free(&costs);
	return rc;
}

const struct gt_writer gt_writer_callgrind = {
	.id = "callgrind",
	.suffix = ".callgrind",
	.help = "callgrind profile: device time, bytes, host time and waiting by calling context (KCachegrind)",
	.write = callgrind_write,
};
