/*
 * analysis/sections/message.c - messages made and asked
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/message.h"

#include <string.h>

const struct gt_message_field *gt_field_find(const struct gt_message_type *type, const char *name, size_t bytes)
{
	for (size_t i = 0; i < type->n; i++)
		if (strlen(type->fields[i].name) == bytes && !memcmp(type->fields[i].name, name, bytes))
			return &type->fields[i];
	return NULL;
}

struct gt_message *gt_message_new(struct gt_arena *a, const struct gt_message_type *type)
{
	struct gt_message *m = gt_arena_alloc(a, sizeof *m);

	if (m)
		m->type = type;
	return m;
}

struct gt_message_value *gt_message_append(struct gt_arena *a, struct gt_message *m, const struct gt_message_field *f)
{
	struct gt_message_value *v = f ? gt_arena_alloc(a, sizeof *v) : NULL;

	if (!v)
		return NULL;
	v->field = f;
	if (m->last)
		m->last->next = v;
	else
		m->first = v;
	return m->last = v;
}

struct gt_message_value *gt_message_add(struct gt_arena *a, struct gt_message *m, const char *field)
{
	return gt_message_append(a, m, gt_field_find(m->type, field, strlen(field)));
}

struct gt_message *gt_message_add_part(struct gt_arena *a, struct gt_message *m, const char *field)
{
	struct gt_message_value *v = gt_message_add(a, m, field);

	if (!v || v->field->kind != GT_FIELD_PART)
		return NULL;
	return v->part = gt_message_new(a, v->field->part);
}

bool gt_message_add_text(struct gt_arena *a, struct gt_message *m, const char *field, const char *s, size_t n)
{
	struct gt_message_value *v = gt_message_add(a, m, field);
	char *copy = v ? gt_arena_copy(a, s, n) : NULL;

	if (copy)
		v->text = (struct gt_string){ copy, n };
	return copy;
}

bool gt_message_add_integer(struct gt_arena *a, struct gt_message *m, const char *field, uint64_t i)
{
	struct gt_message_value *v = gt_message_add(a, m, field);

	if (v)
		v->integer = i;
	return v;
}

bool gt_message_add_real(struct gt_arena *a, struct gt_message *m, const char *field, double real)
{
	struct gt_message_value *v = gt_message_add(a, m, field);

	if (v)
		v->real = real;
	return v;
}

const struct gt_message_value *gt_message_next(
	const struct gt_message *m, const char *field, const struct gt_message_value *after)
{
	const struct gt_message_value *v = after ? after->next : m ? m->first : NULL;

	while (v && strcmp(v->field->name, field))
		v = v->next;
	return v;
}

const struct gt_message *gt_message_part(const struct gt_message *m, const char *field)
{
	const struct gt_message_value *v = gt_message_next(m, field, NULL);

	return v ? v->part : NULL;
}

struct gt_string gt_message_text(const struct gt_message *m, const char *field)
{
	const struct gt_message_value *v = gt_message_next(m, field, NULL);

	return v ? v->text : (struct gt_string){ "", 0 };
}

/* Of a field that stands there more than once the last one counts, as in every protocol buffer. */
uint64_t gt_message_integer(const struct gt_message *m, const char *field, uint64_t otherwise)
{
	for (const struct gt_message_value *v = NULL; (v = gt_message_next(m, field, v));)
		otherwise = v->integer;
	return otherwise;
}
