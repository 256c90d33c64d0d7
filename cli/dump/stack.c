/*
 * cli/dump/stack.c - gputap dump: call stacks, and the objects that they lead through
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/dump/dump.h"
#include "common/harmless.h"
#include "model/symbols/symbols.h"

bool gt_dump_stack_number(struct gt_show *s, uint32_t process, uint64_t link)
{
	uint32_t id = gt_stack_by_link(s->m, process, link);

	if (id)
		gt_text_u64(s->t, id);
	return id;
}

/* -------------------------------------------------------------------- stacks */

static void put_text(struct gt_show *s, const struct gt_frame *f)
{
	struct gt_text frame = { 0 };

	gt_frame_text(f, &frame);
	if (f->python)
		gt_text_lit(&frame, " Python");
	else if (f->inlined)
		gt_text_lit(&frame, " inlined");
	if (f->module) {
		gt_text_lit(&frame, " in ");
		gt_text_str(&frame, gt_frame_module(f));
	}
	gt_text_lit(s->t, "\n    ");
	if (f->address) {
		gt_json_scalar(s->t, GT_HANDLE, NULL, f->address, 8);
		gt_text_char(s->t, ' ');
	}
	gt_text_harmless(s->t, frame.data, frame.used);
	gt_text_free_part(&frame, s->t);
}

static void put_json(struct gt_show *s, const struct gt_frame *f)
{
	gt_text_char(s->t, '{');
	gt_json_key(s->t, "address");
	gt_json_scalar(s->t, GT_HANDLE, NULL, f->address, 8);
	if (f->module) {
		gt_json_key(s->t, "module");
		gt_text_u64(s->t, f->module->index);
	}
	if (f->resolved) {
		gt_json_key(s->t, "function");
		gt_json_string(s->t, f->function.text, f->function.bytes);
	}
	if (f->file) {
		gt_json_key(s->t, "file");
		gt_json_string(s->t, f->file, strlen(f->file));
		gt_json_key(s->t, "line");
		gt_text_u64(s->t, f->line);
	}
	if (f->inlined) {
		gt_json_key(s->t, "inlined");
		gt_text_lit(s->t, "true");
	}
	if (f->python) {
		gt_json_key(s->t, "python");
		gt_text_lit(s->t, "true");
	}
	gt_text_char(s->t, '}');
}

static bool frames(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	uint32_t n;
	const struct gt_frame *v = gt_stack_frames(s->m, ((const struct gt_stack *)record)->id, &n);

	(void)f;
	gt_text_str(s->t, s->json ? "[" : "");
	for (uint32_t i = 0; i < n; i++) {
		if (s->json && i)
			gt_text_char(s->t, ',');
		(s->json ? put_json : put_text)(s, &v[i]);
	}
	gt_text_str(s->t, s->json ? "]" : "");
	return true;
}

#define FLAG(function, bit) \
	static bool function(struct gt_show *s, const struct gt_shown *f, const void *record) \
	{ \
		bool set = ((const struct gt_stack *)record)->flags & (bit); \
		if (set && s->json) \
			gt_text_lit(s->t, "true"); \
		else if (set) \
			gt_text_str(s->t, f->name); \
		return set; \
	}
FLAG(cut, REC_STACK_CUT)
FLAG(stopped, REC_STACK_STOPPED)
FLAG(guessed, REC_STACK_GUESSED)

#define K struct gt_stack
static const struct gt_shown stack_fields[] = {
	GT_WHOSE(K),
	{ "id", gt_show_number, GT_NUMBER(K, id) },
	{ "cut", cut, GT_OWN },
	{ "stopped", stopped, GT_OWN },
	{ "guessed", guessed, GT_OWN },
	{ "frames", frames, GT_OWN },
};
#undef K
static const struct gt_shape stack_shape = { "stack", "stack {pid} #{id}{ cut}{ stopped}{ guessed}{frames}",
	{ GT_FIELDS(stack_fields) } };

void gt_dump_stack(struct gt_show *s, const struct gt_stack *k) { gt_show_record(s, &stack_shape, k); }

/* ------------------------------------------------------------------- modules */

static bool build_id(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_module *o = record;

	(void)f;
	gt_text_str(s->t, s->json ? "\"" : "");
	for (uint32_t i = 0; i < o->id_bytes; i++) {
		gt_text_char(s->t, "0123456789abcdef"[o->id[i] >> 4]);
		gt_text_char(s->t, "0123456789abcdef"[o->id[i] & 15]);
	}
	gt_text_str(s->t, s->json ? "\"" : "");
	return o->id_bytes;
}

#define O struct gt_module
static const struct gt_shown module_fields[] = {
	GT_WHOSE(O),
	{ "index", gt_show_number, GT_NUMBER(O, index) },
	{ "path", gt_show_c_string, GT_PLACE(O, path) },
	{ "build_id", build_id, GT_OWN },
	{ "bias", gt_show_hex, GT_NUMBER(O, bias) },
	{ "start", gt_show_hex, GT_NUMBER(O, start) },
	{ "end", gt_show_hex, GT_NUMBER(O, end) },
	{ "seen_ns", gt_show_number, GT_NUMBER(O, seen_ns) },
};
#undef O
static const struct gt_shape module_shape = { "module",
	"module {pid} {index} {path} {start}..{end}{ build id build_id}", { GT_FIELDS(module_fields) } };

void gt_dump_module(struct gt_show *s, const struct gt_module *o) { gt_show_record(s, &module_shape, o); }
