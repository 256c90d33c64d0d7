/*
 * cli/notes.c - what is said beside the result: notes that a trace holds about parts that were switched off, what call
 * stacks lack, a window that holds nothing
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "common/counted.h"
#include "common/harmless.h"
#include "model/children.h"
#include "model/nvtx/ranges.h"
#include "model/symbols/symbols.h"
#include "model/threads/threads.h"

/* Programs that were to be followed. */
static void put_unheard(const struct gt_model *model, const char *prefix)
{
	struct gt_children all;

	gt_model_children(model, &all);
	for (unsigned i = 0; i < all.n_shown; i++) {
		const char *path = all.shown[i].path;

		fprintf(stderr,
			"%snothing was heard of %s that process %d started: it ended at once, or could not be "
			"followed\n", prefix, path && *path ? gt_harmless(path) : "a program", all.shown[i].pid);
	}
	if (all.unheard > all.n_shown)
		fprintf(stderr, "%snothing was heard of %s\n", prefix,
			gt_counted(all.unheard - all.n_shown, "more programs").text);
}

static void put_notes(const struct gt_model *model, const char *prefix)
{
	uint32_t n = gt_model_note_count(model);

	for (uint32_t i = 0; i < n; i++) {
		const char *text = gt_model_note(model, i)->text;
		uint32_t before = 0, times = 1;

		while (before < i && strcmp(gt_model_note(model, before)->text, text))
			before++;
		if (before < i)
			continue;
		for (uint32_t k = i + 1; k < n; k++)
			times += !strcmp(gt_model_note(model, k)->text, text);
		if (times > 1)
			fprintf(stderr, "%s%s (%u times)\n", prefix, gt_harmless(text), times);
		else
			fprintf(stderr, "%s%s\n", prefix, gt_harmless(text));
	}
	put_unheard(model, prefix);
}

static void note_objects(const struct gt_symbols_found *found)
{
	if (!found->missing)
		return;
	fprintf(stderr, "gputap: call stacks: %u of %s %s not on this machine as %s ran (", found->missing,
		gt_counted(found->modules, "objects").text, found->missing == 1 ? "is" : "are",
		found->missing == 1 ? "it" : "they");
	for (uint32_t i = 0; i < found->missing && i < GT_SYMBOLS_TOLD; i++)
		fprintf(stderr, "%s%s", i ? ", " : "", gt_harmless(found->first[i]));
	fprintf(stderr, "%s): %s functions are shown by address\n", found->missing > GT_SYMBOLS_TOLD ? ", ..." : "",
		found->missing == 1 ? "its" : "their");
}

/* Of a sample: its first address is the instruction at which the thread was, a call's the one behind the call. */
static bool is_sample(const struct gt_stack *k) { return k->n && k->module[0] & GT_STACK_INTERRUPTED; }

/* What may be missing from a stack follows from how callers were looked for. */
static const char *why_partial(const struct gt_model *m, bool samples)
{
	const char *how = gt_model_option(m, -1, GT_TAKEN_SAMPLE_STACKS);

	if (!samples || gt_model_option_is(m, 0, GT_TAKEN_SAMPLE, "timer") ||
		gt_model_option_is(m, -1, GT_TAKEN_SAMPLE, "timer"))
		return "they lead through code without unwind tables";
	if (how && !strcmp(how, "copy"))
		return "they lead through code without unwind tables, or are longer than the copy of the stack";
	return "their callers were found by frame pointers, which not all code keeps (with gputap run "
	       "--sample-stacks=copy by unwind tables)";
}

void gt_cli_stack_notes(const struct gt_model *model)
{
	struct gt_symbols_found found = gt_symbols_found(model);
	uint32_t n[2] = { 0 }, partial[2] = { 0 }, cut = 0;   /* of calls, of samples */

	if (!found.addresses)
		return;
	note_objects(&found);
	for (uint32_t i = 1; i <= gt_model_stack_count(model); i++) {
		const struct gt_stack *k = gt_model_stack(model, i);

		n[is_sample(k)]++;
		partial[is_sample(k)] += (k->flags & (REC_STACK_STOPPED | REC_STACK_GUESSED)) != 0;
		cut += !is_sample(k) && k->flags & REC_STACK_CUT;
	}
	/* Who gave the depth wants it. */
	if (cut && !gt_model_option(model, -1, GT_TAKEN_CALLSTACK_DEPTH))
		fprintf(stderr, "gputap: call stacks: %u of %u end at --callstack-depth, without the functions further "
			"out (gputap run --callstack-depth=N keeps N)\n", cut, n[0]);
	for (int samples = 0; samples < 2; samples++)
		if (partial[samples])
			fprintf(stderr, "gputap: %s: %u of %u may lack functions: %s\n",
				samples ? "stacks of samples" : "call stacks", partial[samples], n[samples],
				why_partial(model, samples));
}

void gt_cli_notes(const struct gt_model *model) { put_notes(model, "gputap: "); }
void gt_cli_notes_marked(const struct gt_model *model) { put_notes(model, GT_CLI_NOTE); }

/* Reasons that another option, or another place, would not have had. */
static const struct { enum rec_loss why; const char *what; } remedies[] = {
	{ REC_LOSS_SIZE_CAP, "a larger --max-size, or --ring with it to keep the last calls instead of the first" },
	{ REC_LOSS_NO_SPACE, "-o on a file system with more room, or --max-size with --ring" },
	{ REC_LOSS_NO_STREAM, "-o where more files have room, and more descriptors for the program (ulimit -n)" },
	{ REC_LOSS_CONTENTS_CAP, "a larger --max-contents" },
	{ REC_LOSS_PENDING_FULL, "a larger --max-pending" },
};

void gt_cli_remedies(const struct gt_model *model, FILE *out)
{
	for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
		if (gt_model_lost(model, remedies[i].why))
			fprintf(out, "  try: %s\n", remedies[i].what);
}

bool gt_cli_empty_window(const struct gt_model *model, const struct gt_options *options)
{
	int64_t end_ns = 0;

	if (!gt_option_given(options, "from") && !gt_option_given(options, "to"))
		return false;
	for (uint32_t i = 0; i < gt_model_process_count(model); i++)
		if (gt_model_process(model, i)->end_ns > end_ns)
			end_ns = gt_model_process(model, i)->end_ns;
	fprintf(stderr, "gputap: nothing in that window (%s%s%s%s): the trace goes from 0 to %.6f s\n",
		gt_option_given(options, "from") ? "from " : "", gt_harmless(gt_option_said(options, "from")),
		gt_option_given(options, "to") ? " to " : "", gt_harmless(gt_option_said(options, "to")),
		(double)end_ns / 1e9);
	return true;
}

/* Calls, work, ranges, samples, switches: whatever somebody may have wanted to record. */
static bool holds_something(const struct gt_model *m)
{
	bool any = gt_model_range_count(m) || gt_model_sample_count(m) || gt_model_switch_count(m);

	for (uint32_t i = 0; i < gt_model_process_count(m); i++) {
		const struct gt_process *p = gt_model_process(m, i);

		any |= p->calls || p->callbacks || p->commands || p->kernels;
	}
	return any;
}

int gt_cli_require_complete(
	const struct gt_options *options, const struct gt_model *model, bool told, struct gt_err *err)
{
	bool complete = gt_model_complete(model);
	char text[1024];

	if (!gt_option_true(options, "require-complete") || (complete && holds_something(model)))
		return 0;
	if (!complete)
		gt_model_complete_text(model, text, sizeof text);
	return gt_fail(err, GT_EXIT_NO, "--require-complete was given", "gputap info TRACE", "%s %s%s%s",
		gt_model_session(model)->path, complete ? "holds nothing" : "is not whole",
		complete || told ? "" : ": ", complete || told ? "" : text);
}
