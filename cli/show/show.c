/*
 * cli/show/show.c - one description of a record, shown as text and as JSON
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/show/show.h"

/* ------------------------------------------------------------------- fields */

static bool value(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	if (f->has && !*((const bool *)record + f->has))
		return false;
	return f->show(s, f, record);
}

/* As gt_json_key, for names that need no escapes: there are many. */
static void key(struct gt_text *t, const char *name)
{
	if (t->used && t->data[t->used - 1] != '{')
		gt_text_char(t, ',');
	gt_text_char(t, '"');
	gt_text_str(t, name);
	gt_text_lit(t, "\":");
}

static void json_fields(struct gt_show *s, const struct gt_shown_list *fields, const void *record)
{
	for (unsigned i = 0; i < fields->n; i++) {
		const struct gt_shown *f = &fields->v[i];
		size_t before = s->t->used;

		if (f->use == GT_SHOW_TEXT)
			continue;
		key(s->t, f->name);
		if (!value(s, f, record))
			s->t->used = before;
	}
}

static void text_fields(struct gt_show *s, const struct gt_shown_list *fields, const void *record)
{
	for (unsigned i = 0; i < fields->n; i++) {
		const struct gt_shown *f = &fields->v[i];
		size_t before = s->t->used;

		if (f->use == GT_SHOW_JSON)
			continue;
		gt_text_char(s->t, ' ');
		if (f->show != gt_show_flag && f->use != GT_SHOW_TEXT) {        /* those speak for themselves */
			gt_text_str(s->t, f->name);
			gt_text_char(s->t, '=');
		}
		if (!value(s, f, record))
			s->t->used = before;
	}
}

static const struct gt_shown *find(const struct gt_shape *shape, const char *name, size_t n)
{
	for (unsigned i = 0; i < GT_SHOW_PARTS; i++)
		for (unsigned k = 0; k < shape->parts[i].n; k++) {
			const struct gt_shown *f = &shape->parts[i].v[k];

			if (!strncmp(f->name, name, n) && !f->name[n])
				return f;
		}
	return NULL;
}

/* What stands between braces: before name | otherwise. */
static struct gt_show_piece place(const struct gt_shape *shape, const char *from, const char *close)
{
	const char *bar = memchr(from, '|', (size_t)(close - from)), *end = bar ? bar : close, *name = end;
	const struct gt_string otherwise = { end + !!bar, (size_t)(close - end - !!bar) };
	const struct gt_shown *f;

	while (name > from && (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z')))
		name--;
	f = find(shape, name, (size_t)(end - name));
	if (!f)                                 /* records of this kind have none */
		return (struct gt_show_piece){ .before = otherwise };
	return (struct gt_show_piece){ .before = { from, (size_t)(name - from) }, .field = f, .otherwise = otherwise };
}

/* A text, a place, or all fields. */
static struct gt_show_piece piece(const struct gt_shape *shape, const char **at)
{
	const char *from = *at, *close = *from == '{' ? strchr(from, '}') : NULL;
	size_t n = strcspn(from, "{*");

	if (close) {
		*at = close + 1;
		return place(shape, from + 1, close);
	}
	*at += n ? n : 1;
	return (struct gt_show_piece){ .before = { from, n }, .all = !n };
}

/* Templates are taken apart once: lines are many. */
static const struct gt_show_line_of *line_of(struct gt_show *s, const struct gt_shape *shape)
{
	uintptr_t hash = (uintptr_t)shape->text >> 3 ^ (uintptr_t)shape->parts[1].v >> 3;
	struct gt_show_line_of *l = &s->lines[hash % GT_SHOW_LINES];

	if (l->text == shape->text && l->part == shape->parts[1].v)
		return l;
	*l = (struct gt_show_line_of){ .text = shape->text, .part = shape->parts[1].v };
	for (const char *p = shape->text; *p && l->n < GT_SHOW_PIECES;)
		l->pieces[l->n++] = piece(shape, &p);
	return l;
}

static void text(struct gt_show *s, const struct gt_shape *shape, const void *record)
{
	const struct gt_show_line_of *l = line_of(s, shape);
	const struct gt_show_piece *end = l->pieces + l->n;

	for (const struct gt_show_piece *p = l->pieces; p < end; p++) {
		size_t before = s->t->used;

		gt_text_bytes(s->t, p->before.text, p->before.bytes);
		if (p->field && !value(s, p->field, record)) {
			s->t->used = before;
			gt_text_bytes(s->t, p->otherwise.text, p->otherwise.bytes);
		}
		for (unsigned i = 0; p->all && i < GT_SHOW_PARTS; i++)
			text_fields(s, &shape->parts[i], record);
	}
}

static void show(struct gt_show *s, const struct gt_shape *shape, const void *record)
{
	if (!s->json) {
		text(s, shape, record);
		return;
	}
	gt_text_char(s->t, '{');
	if (shape->type)
		gt_json_field_str(s->t, "type", shape->type);
	for (unsigned i = 0; i < GT_SHOW_PARTS; i++)
		json_fields(s, &shape->parts[i], record);
	gt_text_char(s->t, '}');
}

void gt_show_record(struct gt_show *s, const struct gt_shape *shape, const void *record)
{
	if (!s->json && !shape->text)
		return;
	show(s, shape, record);
	gt_text_char(s->t, '\n');
}

void gt_show_inside(struct gt_show *s, const struct gt_shape *shape, const void *record, const void *outer)
{
	const void *before = s->outer;

	s->outer = outer;
	show(s, shape, record);
	s->outer = before;
}
