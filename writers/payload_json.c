/*
 * writers/payload_json.c - a structured NVTX payload as JSON
 *
 * A member is shown when its place is known and lies inside the bytes that were kept. The place is the offset that was
 * registered, else behind the member before, aligned as C does. Members behind one of unknown size, and what pointers
 * and offsets lead to, are left out: nothing is guessed. An integer that a double cannot hold stays an integer: readers
 * that matter read it as one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/payload_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"

#define DEPTH_MAX 8                       /* schemas within schemas */
#define TEXT_MAX 65536u                   /* bytes of one payload; a schema may hold itself many times */
#define STEPS_MAX 4096u                   /* schemas looked into for one payload */
#define UNPLACED UINT64_MAX

struct payload {
	struct gt_text *t;
	const struct gt_model *m;
	const struct gt_range *g;
	const char *data;
	uint64_t bytes;
	size_t end;                       /* of the text */
	unsigned *steps;                  /* left */
	int depth;
};

static uint64_t bits_at(const struct payload *p, uint64_t at, uint32_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, p->data + at, bytes);
	return v;
}

/* In as few digits as bring the value back. */
static void put_real(struct gt_text *t, uint64_t bits, uint32_t bytes)
{
	char out[40] = "null";            /* JSON has no other word for infinity and what is no number */
	float single;
	double v;

	memcpy(&single, &bits, sizeof single);
	memcpy(&v, &bits, sizeof v);
	v = bytes == 4 ? (double)single : v;
	for (int digits = 6; isfinite(v) && digits <= 17; digits++) {
		snprintf(out, sizeof out, "%.*g", digits, v);
		if (bytes == 4 ? strtof(out, NULL) == single : strtod(out, NULL) == v)
			break;
	}
	gt_text_str(t, out);
}

static void put_number(const struct payload *p, uint64_t type, uint64_t at)
{
	uint32_t bytes;
	enum gt_payload_class class = gt_payload_type_class(type, &bytes);
	uint64_t bits = bits_at(p, at, bytes);

	switch (class) {
	case GT_PAYLOAD_SIGNED: gt_text_i64(p->t, (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes)); break;
	case GT_PAYLOAD_REAL: put_real(p->t, bits, bytes); break;
	case GT_PAYLOAD_HEX:
		gt_text_lit(p->t, "\"0x");
		gt_text_hex(p->t, bits, 1, false);
		gt_text_char(p->t, '"');
		break;
	default: gt_text_u64(p->t, bits);
	}
}

static void put_enumerated(const struct payload *p, const struct gt_payload_schema *e, uint64_t at)
{
	uint64_t bits = bits_at(p, at, (uint32_t)e->bytes);
	uint64_t mask = e->bytes < 8 ? (1ull << 8 * e->bytes) - 1 : UINT64_MAX;

	for (uint32_t i = 0; i < e->n_entries; i++)
		if ((e->entries[i].value & mask) == bits && e->entries[i].name.text) {
			gt_json_string(p->t, e->entries[i].name.text, e->entries[i].name.bytes);
			return;
		}
	gt_text_u64(p->t, bits);
}

static bool is_text(uint64_t type)
{
	return type == GT_PAYLOAD_CHAR || type == GT_PAYLOAD_CHAR8 || type == GT_PAYLOAD_CSTRING ||
		type == GT_PAYLOAD_CSTRING_UTF8;
}

/* ------------------------------------------------------------------- places */

static uint64_t element_bytes(
	const struct payload *p, const struct gt_payload_entry *e, int depth, uint64_t *alignment);

/* As registered, else that of the member that wants most; 0: not known. */
static uint64_t schema_alignment(const struct payload *p, const struct gt_payload_schema *s, int depth)
{
	uint64_t most = s->enumeration ? s->bytes : 1, one;

	if (s->alignment)
		return s->alignment;
	if (!*p->steps || !--*p->steps)
		return 0;
	for (uint32_t i = 0; !s->enumeration && i < s->n_entries; i++) {
		if (depth >= DEPTH_MAX || !element_bytes(p, &s->entries[i], depth, &one))
			return 0;
		most = one > most ? one : most;
	}
	return most;
}

/* Size and alignment of one element; 0: not known. */
static uint64_t element_bytes(const struct payload *p, const struct gt_payload_entry *e, int depth, uint64_t *alignment)
{
	const struct gt_payload_schema *s;
	uint32_t bytes;

	if (e->flags & (GT_PAYLOAD_POINTER | GT_PAYLOAD_FROM_BASE | GT_PAYLOAD_FROM_HERE))
		return *alignment = 8;
	if (e->type < GT_PAYLOAD_FIRST_SCHEMA) {
		bool array = e->flags & GT_PAYLOAD_ARRAY_MASK;

		gt_payload_type_class(e->type, &bytes);
		if (array && is_text(e->type))
			bytes = 1;
		return *alignment = bytes;
	}
	s = gt_model_payload_schema_find(p->m, p->g->process, p->g->domain, e->type);
	*alignment = s ? schema_alignment(p, s, depth + 1) : 0;
	return s ? s->bytes : 0;
}

/* Where the entry lies, from the beginning of its schema's data; *next: where the one behind it would. */
static uint64_t place(const struct payload *p, const struct gt_payload_entry *e, uint32_t i, uint64_t *next)
{
	uint64_t alignment, one = element_bytes(p, e, 0, &alignment), at = *next, count = 1;
	uint32_t array = e->flags & GT_PAYLOAD_ARRAY_MASK;
	bool elsewhere = e->flags & (GT_PAYLOAD_POINTER | GT_PAYLOAD_FROM_BASE | GT_PAYLOAD_FROM_HERE);

	if (e->offset)
		at = e->offset;
	else if (i && at != UNPLACED)
		at = alignment && (alignment & (alignment - 1)) == 0 ? (at + alignment - 1) & ~(alignment - 1)
								     : UNPLACED;
	if (array && !elsewhere)
		count = array == GT_PAYLOAD_ARRAY_FIXED ? e->detail : 0;
	*next = UNPLACED;
	if (!one || !count || at > p->bytes || count > (p->bytes - at) / one)
		return UNPLACED;
	*next = at + one * count;
	return at;
}

/* ------------------------------------------------------------------ members */

static void put_members(struct payload p, const struct gt_payload_schema *s);

/* One element at `at`. */
static void put_element(const struct payload *p, const struct gt_payload_entry *e, uint64_t at)
{
	const struct gt_payload_schema *s;
	struct payload inner = *p;
	struct gt_string text;

	if (e->flags & (GT_PAYLOAD_POINTER | GT_PAYLOAD_FROM_BASE | GT_PAYLOAD_FROM_HERE)) {
		put_number(p, GT_PAYLOAD_ADDRESS, at);
	} else if (e->type == GT_PAYLOAD_REGISTERED) {
		text = gt_model_registered_string(p->m, p->g->process, bits_at(p, at, 8));
		if (text.text)
			gt_json_string(p->t, text.text, text.bytes);
		else
			put_number(p, e->type, at);
	} else if (e->type < GT_PAYLOAD_FIRST_SCHEMA) {
		put_number(p, e->type, at);
	} else {
		s = gt_model_payload_schema_find(p->m, p->g->process, p->g->domain, e->type);
		if (s->enumeration && s->bytes <= 8) {
			put_enumerated(p, s, at);
			return;
		}
		inner.data += at;
		inner.bytes = s->bytes;
		inner.depth++;
		gt_text_char(p->t, '{');
		put_members(inner, s);
		gt_text_char(p->t, '}');
	}
}

static void put_value(const struct payload *p, const struct gt_payload_entry *e, uint64_t at)
{
	uint64_t alignment, one = element_bytes(p, e, 0, &alignment);
	bool elsewhere = e->flags & (GT_PAYLOAD_POINTER | GT_PAYLOAD_FROM_BASE | GT_PAYLOAD_FROM_HERE);

	if (!(e->flags & GT_PAYLOAD_ARRAY_MASK) || elsewhere) {
		put_element(p, e, at);
		return;
	}
	if (is_text(e->type)) {
		gt_json_string(p->t, p->data + at, strnlen(p->data + at, e->detail));
		return;
	}
	gt_text_char(p->t, '[');
	for (uint64_t i = 0; i < e->detail && p->t->used < p->end && !p->t->failed; i++) {
		if (i)
			gt_text_char(p->t, ',');
		put_element(p, e, at + i * one);
	}
	gt_text_char(p->t, ']');
}

static void put_members(struct payload p, const struct gt_payload_schema *s)
{
	/* Of other layouts (unions, lengths known only at run time) the places are not known. */
	bool known = s->type == GT_PAYLOAD_SCHEMA_STATIC && p.depth < DEPTH_MAX;
	uint64_t next = 0;

	for (uint32_t i = 0; known && i < s->n_entries && p.t->used < p.end && !p.t->failed; i++) {
		const struct gt_payload_entry *e = &s->entries[i];
		uint64_t at = place(&p, e, i, &next);

		if (at == UNPLACED)
			continue;
		if (p.t->used && p.t->data[p.t->used - 1] != '{')
			gt_text_char(p.t, ',');
		gt_json_string(p.t, e->name.text, e->name.text ? e->name.bytes : 0);
		gt_text_char(p.t, ':');
		put_value(&p, e, at);
	}
}

bool gt_payload_json(struct gt_text *t, const struct gt_model *m, const struct gt_range *g)
{
	size_t from = t->used;
	unsigned steps = STEPS_MAX;
	uint64_t piece[3];

	gt_text_char(t, '{');
	for (size_t at = 0; g->data.bytes - at >= sizeof piece;) {
		memcpy(piece, g->data.text + at, sizeof piece);
		at += sizeof piece;
		if (piece[2] > g->data.bytes - at || (piece[2] + 7) / 8 * 8 > g->data.bytes - at)
			break;
		const struct gt_payload_schema *s = gt_model_payload_schema_find(m, g->process, g->domain, piece[0]);

		if (s && !s->enumeration)
			put_members(
				(struct payload){ t, m, g, g->data.text + at, piece[2], from + TEXT_MAX, &steps, 0 },
				s);
		at += (piece[2] + 7) / 8 * 8;
	}
	gt_text_char(t, '}');
	if (t->used - from > 2)
		return true;
	t->used = from;
	return false;
}
