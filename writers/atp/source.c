/*
 * writers/atp/source.c - the Source Code section of an .atp file: who made each call, from which line
 *
 * One line for each line of the API section, in the same order: name of the function of the API, then, parted by tabs,
 * the function that called it, line and file. Blanks in names are written "&nbsp;", which readers undo. Where there is
 * no name, the address of the object and the place in it; a call without a stack says so, for a name alone makes the
 * vendor's reader log an error.
 *
 * spec: ATP "Stack trace section"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "model/symbols/symbols.h"
#include "writers/atp/atp.h"

static void put_name(struct gt_text *t, const char *s, size_t n) { gt_atp_replaced(t, s, n, " ", "&nbsp;"); }

static void put_place(struct gt_text *t, const struct gt_frame *f)
{
	if (!f->resolved) {
		gt_text_lit(t, "0x");
		gt_text_hex(t, f->module ? f->module->start : f->address, 1, true);
		gt_text_lit(t, "+0x");
		gt_text_hex(t, f->module ? f->file_address - (f->module->start - f->module->bias) : 0, 1, true);
		return;
	}
	put_name(t, f->function.text, f->function.bytes);
	gt_text_char(t, '\t');
	gt_text_u64(t, f->line);
	if (!f->file)
		return;
	gt_text_char(t, '\t');
	put_name(t, f->file, strlen(f->file));
}

void gt_atp_source(struct gt_text *t, const struct gt_call *call)
{
	uint32_t n, caller;
	const struct gt_frame *frames = gt_stack_frames(call->model, gt_call_stack(call), &n);

	caller = gt_stack_asker(frames, n, call->fn->name);
	gt_text_str(t, call->fn->name);
	gt_text_char(t, '\t');
	if (caller < n)
		put_place(t, &frames[caller]);
	else
		gt_text_lit(t, "NA\t0");
}

bool gt_atp_wants_sources(const struct gt_export *x)
{
	return gt_option_is(x->options, "atp-source", "true") ||
		(gt_option_is(x->options, "atp-source", "auto") && gt_model_stack_count(x->model));
}
