/*
 * collectors/stack/python_code.c - what a code object of Python is: its name, file and lines, copied into a record
 *
 * Runs      in the calling thread of the traced program, where a stack is written that its stream does not hold yet.
 * Must not  allocate, lock, change errno, fault: every read is guarded (PYTHON2).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/stack/python.h"
#include "trace/write/stream/stream.h"

#define TEXT_MOST 4096u                 /* bytes of a name or path that is plain ASCII */
#define WIDE_MOST 256u                  /* characters of one that is not */
#define LINES_MOST 49152u               /* bytes of a table of lines */

/* A text of Python: where its characters are. width: bytes of one; 0: it cannot be read. */
struct text { uintptr_t at; uint32_t n, width; };

static struct text text_at(uintptr_t object)
{
	const struct tap_python_layout *l = &tap_python.layout;
	struct text t = { 0 };
	uint64_t n;
	uint32_t state, kind;
	bool compact, ascii;

	if (!tap_python_read(object + l->text_n, &n, sizeof n) ||
		!tap_python_read(object + l->text_state, &state, sizeof state))
		return t;
	state >>= l->text_shift;
	kind = state & 7;
	compact = state >> 3 & 1;
	ascii = state >> 4 & 1;
	if (!compact || (kind != 1 && kind != 2 && kind != 4))
		return t;
	t.at = object + (ascii ? l->ascii : l->compact);
	t.width = kind;
	t.n = n > (ascii ? TEXT_MOST : WIDE_MOST) ? (ascii ? TEXT_MOST : WIDE_MOST) : (uint32_t)n;
	if (ascii)
		t.width = 0x100;                /* as it is */
	return t;
}

static uint32_t put_character(uint8_t *to, uint32_t c)
{
	if (c < 0x80)
		return to[0] = (uint8_t)c, 1;
	if (c < 0x800)
		return to[0] = (uint8_t)(0xc0 | c >> 6), to[1] = (uint8_t)(0x80 | (c & 0x3f)), 2;
	if (c < 0x10000)
		return to[0] = (uint8_t)(0xe0 | c >> 12), to[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f)),
		       to[2] = (uint8_t)(0x80 | (c & 0x3f)), 3;
	return to[0] = (uint8_t)(0xf0 | (c >> 18 & 7)), to[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f)),
	       to[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f)), to[3] = (uint8_t)(0x80 | (c & 0x3f)), 4;
}

/* As UTF-8; at most 4 bytes for each of WIDE_MOST characters. How many bytes. */
static uint32_t encode(const struct text *t, uint8_t to[4 * WIDE_MOST])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t c = 0;

		if (!tap_python_read(t->at + i * t->width, &c, t->width))
			break;
		n += put_character(to + n, c);
	}
	return n;
}

struct record { uint32_t bytes[2]; bool cut; uint32_t lines; uintptr_t lines_at; struct text text[2]; };

/* A text of a record: its length, and its bytes. */
static uint64_t *put_text(uint64_t *at, const struct text *t, const uint8_t *wide, uint32_t bytes)
{
	memcpy(at, &bytes, 4);
	if (t->width != 0x100)
		memcpy((char *)at + 4, wide, bytes);
	else if (!tap_python_read(t->at, (char *)at + 4, bytes))
		memset((char *)at + 4, '?', bytes);
	return at + (bytes + 4 + 7) / 8;
}

static bool look(uintptr_t code, struct record *r)
{
	const struct tap_python_layout *l = &tap_python.layout;
	uintptr_t object;
	uint64_t n;

	for (int i = 0; i < 2; i++)
		if (tap_python_read(code + (i ? l->file : l->name), &object, sizeof object))
			r->text[i] = text_at(object);
	if (tap_python_read(code + l->lines, &object, sizeof object) &&
		tap_python_read(object + l->bytes_n, &n, sizeof n)) {
		r->lines_at = object + l->bytes;
		r->cut = n > LINES_MOST;
		r->lines = r->cut ? LINES_MOST : (uint32_t)n;
	}
	return r->text[0].width;
}

static uint32_t write_code(uintptr_t code, uint8_t wide[2][4 * WIDE_MOST])
{
	static uint32_t last;
	struct tap_stream *s = tap_stream_get_for(REC_PYTHON_CODE);
	struct record r = { 0 };
	uint32_t line = 0, number, n;
	uint64_t *rec, *at, link;

	if (!s || !wide || !look(code, &r) || !tap_python_read(code + tap_python.layout.first_line, &line, sizeof line))
		return 0;
	for (int i = 0; i < 2; i++)
		r.bytes[i] = r.text[i].width == 0x100 ? r.text[i].n : r.text[i].width ? encode(&r.text[i], wide[i]) : 0;
	n = 2 + 3 + (r.bytes[0] + 4 + 7) / 8 + (r.bytes[1] + 4 + 7) / 8 + (r.lines + 7) / 8;
	rec = tap_stream_reserve(s, n, &link);
	if (!rec)
		return 0;
	number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	rec[1] = n;
	at = rec + 2;
	*at++ = tap_tick();
	*at++ = number | (uint64_t)line << 32;
	*at++ = tap_python.version | (uint64_t)(r.lines | (r.cut ? REC_PYTHON_CUT : 0)) << 32;
	at = put_text(at, &r.text[0], wide[0], r.bytes[0]);
	at = put_text(at, &r.text[1], wide[1], r.bytes[1]);
	if (r.lines && !tap_python_read(r.lines_at, at, r.lines))
		memset(at, 0, r.lines);
	tap_stream_commit(rec, rec_head(REC_PYTHON_CODE, 0, REC_LONG, 0));
	return number;
}

uint32_t tap_python_write_code(uintptr_t code)
{
	uint8_t (*wide)[4 * WIDE_MOST] = tap_scratch_take();
	uint32_t number = write_code(code, wide);

	_Static_assert(2 * sizeof *wide <= TAP_SCRATCH_BYTES, "both texts");
	tap_scratch_give(wide);
	return number;
}
