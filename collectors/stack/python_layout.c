/*
 * collectors/stack/python_layout.c - tables of offsets in CPython's structures, by version, on 64-bit machines
 *
 * Measured with the headers of each version (offsetof), but from 3.13 on: there the interpreter says itself what stands
 * where, in a block of words that begins with a cookie. That block's own layout is told apart by version.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/stack/python.h"

/* What no version has changed. */
#define OBJECTS .type = 8, .type_name = 24, .bytes_n = 16, .bytes = 32, .text_n = 16, .text_state = 32, \
	.text_shift = 2

static const struct { uint32_t version; struct tap_python_layout layout; } tables[] = {
	{ 0x0308, { .thread_id = 176, .frame_of_thread = 24, .previous = 24, .code = 32, .at = 104, .at_unit = 1,
			  .file = 104, .name = 112, .first_line = 40, .lines = 120,
			  .ascii = 48, .compact = 72, OBJECTS } },
	{ 0x0309, { .thread_id = 176, .frame_of_thread = 24, .previous = 24, .code = 32, .at = 104, .at_unit = 1,
			  .file = 104, .name = 112, .first_line = 40, .lines = 120,
			  .ascii = 48, .compact = 72, OBJECTS } },
	{ 0x030a, { .thread_id = 176, .frame_of_thread = 24, .previous = 24, .code = 32, .at = 96, .at_unit = 2,
			  .file = 104, .name = 112, .first_line = 40, .lines = 120,
			  .ascii = 48, .compact = 72, OBJECTS } },
	{ 0x030b, { .thread_id = 152, .frame_of_thread = 56, .through_cframe = true, .frame_of_cframe = 8,
			  .previous = 48, .code = 32, .at = 56, .boundary = 68, .boundaries = TAP_PYTHON_ENTRY,
			  .file = 112, .name = 128, .first_line = 72, .lines = 136, .instructions = 184,
			  .ascii = 48, .compact = 72, OBJECTS } },
	{ 0x030c, { .thread_id = 136, .frame_of_thread = 56, .through_cframe = true, .frame_of_cframe = 0,
			  .previous = 8, .code = 0, .at = 56, .boundary = 70, .boundaries = TAP_PYTHON_OWNER,
			  .file = 112, .name = 128, .first_line = 68, .lines = 136, .instructions = 192,
			  .ascii = 40, .compact = 56, OBJECTS } },
};

/* Places of words in the interpreter's own block: cookie, version, whether threads run at once, then offsets. */
#define SIZES 22u                       /* before it sizes of whole states, too, which may be large */
struct debug_words {
	uint32_t version;
	uint8_t frame_of_thread, thread_id, previous, code, at, boundary, file, name, first_line, lines, instructions,
		type, type_name, bytes_n, bytes, text_state, text_n, ascii, last;
};
static const struct debug_words blocks[] = {
	{ 0x030d, 23, 24, 29, 30, 31, 33, 35, 37, 39, 38, 43, 45, 47, 65, 66, 68, 69, 70, 70 },
	{ 0x030e, 26, 27, 32, 33, 34, 36, 40, 42, 44, 43, 48, 51, 53, 75, 76, 78, 79, 80, 80 },
};

static void read_block(const uint64_t *w, const struct debug_words *b, struct tap_python_layout *l)
{
	for (uint32_t i = SIZES; i <= b->last; i++)
		if (w[i] > UINT16_MAX)
			return;
	*l = (struct tap_python_layout){
		.thread_id = (uint16_t)w[b->thread_id],
		.frame_of_thread = (uint16_t)w[b->frame_of_thread],
		.previous = (uint16_t)w[b->previous],
		.code = (uint16_t)w[b->code],
		.at = (uint16_t)w[b->at],
		.boundary = (uint16_t)w[b->boundary],
		.boundaries = TAP_PYTHON_OWNER,
		.file = (uint16_t)w[b->file],
		.name = (uint16_t)w[b->name],
		.first_line = (uint16_t)w[b->first_line],
		.lines = (uint16_t)w[b->lines],
		.instructions = (uint16_t)w[b->instructions],
		.type = (uint16_t)w[b->type],
		.type_name = (uint16_t)w[b->type_name],
		.bytes_n = (uint16_t)w[b->bytes_n],
		.bytes = (uint16_t)w[b->bytes],
		.text_n = (uint16_t)w[b->text_n],
		.text_state = (uint16_t)w[b->text_state],
		.ascii = (uint16_t)w[b->ascii],
		.compact = (uint16_t)(w[b->ascii] + 16),        /* the text's UTF-8 form and its length stand between */
	};
	l->text_shift = 2;
	/* with threads that run at once each may have instructions of its own, and a mark of texts is a byte */
	if (w[2] && b->version >= 0x030e) {
		l->instructions = 0;
		l->text_shift = 8;
	}
}

/* From 3.11 on it says its version, before that what it exports does. */
static uint32_t version_of(const struct tap_object *o)
{
	uintptr_t at = tap_export(o, "Py_Version");
	uint64_t said;

	if (at)
		return tap_python_read(at, &said, sizeof said) ? (uint32_t)said >> 16 : 0;
	return tap_export(o, "PyIter_Send")            ? 0x030a
		: tap_export(o, "PyThreadState_GetFrame") ? 0x0309
		: tap_export(o, "PyCode_NewWithPosOnlyArgs") ? 0x0308
							     : 0x0307;
}

bool tap_python_look(const struct tap_object *o, struct tap_python *out)
{
	uintptr_t runtime = tap_export(o, "_PyRuntime");
	uint64_t words[96];

	if (!runtime)
		return false;
	*out = (struct tap_python){ .version = version_of(o) };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (tables[i].version == out->version)
			out->layout = tables[i].layout;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (blocks[i].version == out->version && tap_python_read(runtime, words, sizeof words) &&
			!memcmp(words, "xdebugpy", 8) && words[1] >> 16 == out->version)
			read_block(words, &blocks[i], &out->layout);
	return true;
}
