/*
 * analysis/sections/wire.c - protocol buffers' bytes, from and to a message
 *
 * spec: NCU "Report File Format"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/sections/message.h"
#include "common/varint.h"

#define DEPTH 64
enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* ------------------------------------------------------------------ writing */

static enum wire wire_of(enum gt_field_kind kind)
{
	switch (kind) {
	case GT_FIELD_TEXT: case GT_FIELD_BYTES: case GT_FIELD_PART: return BYTES;
	case GT_FIELD_F32: return FIXED32;
	case GT_FIELD_F64: return FIXED64;
	default: return VARINT;
	}
}

static void put_value(struct gt_text *t, const struct gt_message_value *v)
{
	struct gt_text part = { 0 };
	float single;

	gt_text_varint(t, (uint64_t)v->field->number << 3 | wire_of(v->field->kind));
	switch (v->field->kind) {
	case GT_FIELD_TEXT: case GT_FIELD_BYTES:
		gt_text_varint(t, v->text.bytes);
		gt_text_bytes(t, v->text.text, v->text.bytes);
		break;
	case GT_FIELD_F32:
		single = (float)v->real;
		gt_text_bytes(t, (const char *)&single, sizeof single);
		break;
	case GT_FIELD_F64: gt_text_bytes(t, (const char *)&v->real, sizeof v->real); break;
	case GT_FIELD_PART:
		gt_message_encode(&part, v->part);
		gt_text_varint(t, part.used);
		gt_text_bytes(t, part.data, part.used);
		t->failed |= part.failed;
		gt_text_free(&part);
		break;
	default: gt_text_varint(t, v->integer); break;
	}
}

void gt_message_encode(struct gt_text *t, const struct gt_message *m)
{
	for (const struct gt_message_value *v = m->first; v; v = v->next)
		if (v->field->number)
			put_value(t, v);
}

/* ------------------------------------------------------------------ reading */

struct decoder {
	struct gt_arena *arena;
	const char *path;
	const unsigned char *begin; uint64_t offset;      /* of `begin` in the file */
	unsigned depth;
	struct gt_err *err;
};
struct span { const unsigned char *at, *end; };

static int damaged(const struct decoder *d, const unsigned char *at, const char *what)
{
	return gt_fail(d->err, GT_EXIT_INPUT, NULL, NULL, "%s: damaged at byte %" PRIu64 ": %s", d->path,
		d->offset + (uint64_t)(at - d->begin), what);
}

static int no_memory(const struct decoder *d)
{
	return gt_fail(d->err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be read", d->path);
}

static bool get_varint(struct span *s, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; s->at < s->end && shift < 64; shift += 7) {
		*out |= (uint64_t)(*s->at & 0x7f) << shift;
		if (!(*s->at++ & 0x80))
			return true;
	}
	return false;
}

static bool get_fixed(struct span *s, void *out, size_t bytes)
{
	if ((size_t)(s->end - s->at) < bytes)
		return false;
	memcpy(out, s->at, bytes);
	s->at += bytes;
	return true;
}

static bool get_bytes(struct span *s, struct span *out)
{
	uint64_t n;

	if (!get_varint(s, &n) || n > (uint64_t)(s->end - s->at))
		return false;
	*out = (struct span){ s->at, s->at + n };
	s->at += n;
	return true;
}

static const struct gt_message_field *field_of(const struct gt_message_type *type, uint64_t number)
{
	for (size_t i = 0; number && i < type->n; i++)
		if (type->fields[i].number == number)
			return &type->fields[i];
	return NULL;
}

static int decode_fields(struct decoder *d, struct gt_message *m, struct span s);

static int take_part(struct decoder *d, struct gt_message_value *v, struct span part)
{
	int rc;

	v->part = gt_message_new(d->arena, v->field->part);
	if (!v->part)
		return no_memory(d);
	if (++d->depth > DEPTH)
		return damaged(d, part.at, "too many messages inside each other");
	rc = decode_fields(d, v->part, part);
	d->depth--;
	return rc;
}

static uint64_t narrow(enum gt_field_kind kind, uint64_t v)
{
	switch (kind) {
	case GT_FIELD_BOOL: return v != 0;
	case GT_FIELD_U32: return (uint32_t)v;
	case GT_FIELD_I32: case GT_FIELD_CHOICE: return (uint64_t)(int64_t)(int32_t)v;
	default: return v;
	}
}

static bool take_scalar(struct span *s, struct gt_message_value *v)
{
	float single;

	switch (v->field->kind) {
	case GT_FIELD_F64: return get_fixed(s, &v->real, sizeof v->real);
	case GT_FIELD_F32:
		if (!get_fixed(s, &single, sizeof single))
			return false;
		v->real = (double)single;
		return true;
	default:
		if (!get_varint(s, &v->integer))
			return false;
		v->integer = narrow(v->field->kind, v->integer);
		return true;
	}
}

static int take_bytes(struct decoder *d, struct gt_message *m, const struct gt_message_field *f, struct span part)
{
	struct gt_message_value *v;

	if (wire_of(f->kind) != BYTES) {          /* packed */
		while (part.at < part.end) {
			v = gt_message_append(d->arena, m, f);
			if (!v)
				return no_memory(d);
			if (!take_scalar(&part, v))
				return damaged(d, part.at, "a number without its end");
		}
		return 0;
	}
	v = gt_message_append(d->arena, m, f);
	if (!v)
		return no_memory(d);
	if (f->kind == GT_FIELD_PART)
		return take_part(d, v, part);
	v->text = (struct gt_string){ (const char *)part.at, (size_t)(part.end - part.at) };
	return 0;
}

static bool skip(struct span *s, enum wire wire)
{
	uint64_t number;
	struct span part;

	switch (wire) {
	case VARINT: return get_varint(s, &number);
	case FIXED64: return get_fixed(s, &number, 8);
	case FIXED32: return get_fixed(s, &number, 4);
	case BYTES: return get_bytes(s, &part);
	}
	return false;
}

static int decode_field(struct decoder *d, struct gt_message *m, struct span *s)
{
	const unsigned char *at = s->at;
	const struct gt_message_field *f;
	struct gt_message_value *v;
	struct span part;
	enum wire wire;
	uint64_t key;

	if (!get_varint(s, &key))
		return damaged(d, at, "a field without its number");
	f = field_of(m->type, key >> 3);
	wire = (enum wire)(key & 7);
	if (f && wire == BYTES) {
		if (!get_bytes(s, &part))
			return damaged(d, at, "a field is longer than what holds it");
		return take_bytes(d, m, f, part);
	}
	if (!f || wire != wire_of(f->kind))
		return skip(s, wire) ? 0 : damaged(d, at, "a field that is no field");
	v = gt_message_append(d->arena, m, f);
	if (!v)
		return no_memory(d);
	return take_scalar(s, v) ? 0 : damaged(d, at, "a number without its end");
}

static int decode_fields(struct decoder *d, struct gt_message *m, struct span s)
{
	while (s.at < s.end)
		if (decode_field(d, m, &s))
			return -1;
	return 0;
}

int gt_message_decode(struct gt_arena *a, const struct gt_message_type *type, const char *path, uint64_t offset,
	const void *data, size_t bytes, struct gt_message **out, struct gt_err *err)
{
	struct decoder d = { .arena = a, .path = path, .begin = data, .offset = offset, .err = err };

	const struct span all = { d.begin, d.begin + bytes };

	*out = gt_message_new(a, type);
	return *out ? decode_fields(&d, *out, all) : no_memory(&d);
}
