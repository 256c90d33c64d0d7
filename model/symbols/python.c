/*
 * model/symbols/python.c - lines of Python's code objects, and where its functions stand among those of C
 *
 * A code object says by a table which line each of its instructions belongs to. There are three forms of that table:
 * pairs of bytes that add up (until 3.9), pairs of bytes for ranges (3.10), and entries of different kinds (from 3.11).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "model/symbols/internal.h"

struct table { const uint8_t *at, *end; bool cut; };

/* spec: CPython Objects/lnotab_notes.txt, until 3.9: {bytes, lines signed}; a line begins behind its bytes */
static uint32_t line_of_pairs(struct table t, int64_t line, uint32_t at)
{
	uint32_t address = 0;

	for (; t.end - t.at >= 2; t.at += 2) {
		address += t.at[0];
		if (address > at)
			return line > 0 ? (uint32_t)line : 0;
		line += (int8_t)t.at[1];
	}
	return line > 0 && !t.cut ? (uint32_t)line : 0; /* the last line has no end */
}

/* spec: CPython Objects/lnotab_notes.txt, 3.10: {bytes, lines signed}; -128: these bytes are of no line */
static uint32_t line_of_ranges(struct table t, int64_t line, uint32_t at)
{
	uint32_t end = 0;

	for (; t.end - t.at >= 2; t.at += 2) {
		bool none = (int8_t)t.at[1] == -128;

		end += t.at[0];
		line += none ? 0 : (int8_t)t.at[1];
		if (at < end)
			return none || line < 0 ? 0 : (uint32_t)line;
	}
	return 0;
}

static uint64_t read_number(struct table *t)
{
	uint64_t v = 0;

	for (unsigned shift = 0; t->at < t->end; shift += 6) {
		uint8_t byte = *t->at++;

		v |= shift < 60 ? (uint64_t)(byte & 63) << shift : 0;
		if (!(byte & 64))
			break;
	}
	return v;
}

/* The sign is the lowest bit. */
static int64_t read_signed(struct table *t)
{
	uint64_t v = read_number(t);

	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

/*
 * spec: CPython Objects/locations.md (InternalDocs/code_objects.md), from 3.11: {1, kind in 4 bits, instructions - 1 in
 * 3}, and by kind what follows: lines and columns, of which only lines are wanted
 */
static uint32_t line_of_entries(struct table t, int64_t line, uint32_t at)
{
	uint32_t end = 0;

	while (t.at < t.end) {
		uint8_t first = *t.at++, kind = first >> 3 & 15;

		end += ((first & 7u) + 1) * 2;
		if (kind == 13 || kind == 14)
			line += read_signed(&t);
		else if (kind >= 10 && kind <= 12)
			line += kind - 10;
		if (at < end)
			return kind == 15 || line < 0 || line > UINT32_MAX ? 0 : (uint32_t)line;
		while (t.at < t.end && !(*t.at & 0x80)) /* to the next: each begins with its highest bit set */
			t.at++;
	}
	return 0;
}

/* The line of the instruction at these bytes; 0: not known, or of no line. */
static uint32_t line_of(const struct gt_python_code *c, uint32_t at)
{
	const struct table t = { c->lines, c->lines + c->lines_bytes, c->lines_cut };

	if (at == REC_PYTHON_NOWHERE)
		return 0;
	return c->version >= 0x030b ? line_of_entries(t, c->first_line, at)
		: c->version == 0x030a ? line_of_ranges(t, c->first_line, at)
				       : line_of_pairs(t, c->first_line, at);
}

/* ------------------------------------------------------------------------ frames */

bool gt_python_evaluates(const struct gt_frame *f)
{
	return f->function.bytes >= 24 && !memcmp(f->function.text, "_PyEval_EvalFrameDefault", 24);
}

bool gt_python_trampoline(const struct gt_frame *f)
{
	return !f->module && f->function.bytes > 4 && !memcmp(f->function.text, "py::", 4);
}

void gt_python_frame(const struct gt_model *m, const struct gt_python_place *place, const struct gt_frame *in,
	struct gt_frame *out)
{
	const struct gt_python_code *code = gt_model_python_code(m, place->code);

	*out = (struct gt_frame){ .python = true, .resolved = code != NULL };
	if (in) {
		out->module = in->module;
		out->address = in->address;
		out->file_address = in->file_address;
	}
	out->function = code ? (struct gt_string){ code->name, strlen(code->name) } : (struct gt_string){ "", 0 };
	out->label = code ? out->function : (struct gt_string){ "[Python]", 8 };
	out->group = out->label;
	if (!code)
		return;
	out->file = *code->file ? code->file : NULL;
	out->line = line_of(code, place->at & ~REC_PYTHON_ENTERED);
}
