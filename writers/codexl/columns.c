/*
 * writers/codexl/columns.c - the columns of counter files (.csv), and which file each of them goes into
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/codexl/columns.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/sections/choice.h"
#include "writers/codexl/codexl.h"

#define OTHERS "Others"

static bool add_column(struct gt_codexl_part *p, uint32_t column)
{
	uint32_t *one = GT_LIST_ADD(&p->columns);

	if (one)
		*one = column;
	return one;
}

bool gt_codexl_one_part(struct gt_codexl_columns *c)
{
	struct gt_codexl_part *p = GT_LIST_ADD(&c->parts);
	bool done = p;

	for (uint32_t i = 0; done && i < c->v.n; i++)
		done = add_column(p, i);
	return done;
}

bool gt_codexl_fits(const struct gt_codexl_columns *c, const struct gt_codexl_part *p, const struct gt_codexl_fixed *f)
{
	size_t names = f->names, cells = f->cells;

	for (uint32_t i = 0; i < p->columns.n; i++) {
		const struct gt_codexl_column *one = &c->v.v[p->columns.v[i]];

		names += strlen(", ") + strlen(one->name);
		cells += strlen(", ") + one->widest;
	}
	return names < GT_CODEXL_LINE && cells < GT_CODEXL_LINE;
}

/* ------------------------------------------------------------------ by section */

struct splitting {
	struct gt_codexl_columns *c;
	const struct gt_codexl_fixed *fixed;
	bool *placed, *here;                      /* of each column: in some file; in one of this section */
	bool failed;
};

static struct gt_codexl_part *new_part(struct splitting *s, const char *section, uint32_t number)
{
	struct gt_codexl_part *p = GT_LIST_ADD(&s->c->parts);

	s->failed |= !p;
	if (p)
		*p = (struct gt_codexl_part){ .section = section, .number = number };
	return p;
}

/* Into the section's last file, or a further one when that is full; one column is always let in. */
static void place(struct splitting *s, const char *section, uint32_t column)
{
	struct gt_codexl_part *p = s->c->parts.n ? &s->c->parts.v[s->c->parts.n - 1] : NULL;

	if (!p || p->section != section)
		p = new_part(s, section, 1);
	if (p)
		s->failed |= !add_column(p, column);
	if (s->failed || p->columns.n == 1 || gt_codexl_fits(s->c, p, s->fixed))
		return;
	p->columns.n--;
	p = new_part(s, section, p->number + 1);
	if (p)
		s->failed |= !add_column(p, column);
}

static bool look(void *ctx, const struct gt_section_metric *m)
{
	struct splitting *s = ctx;
	struct gt_pattern pattern = { .is_there = false };

	if (m->in_body && gt_is_pattern(m->name))
		gt_pattern_open(&pattern, m->name);
	for (uint32_t i = 0; i < s->c->v.n; i++) {
		const struct gt_string name = { s->c->v.v[i].name, strlen(s->c->v.v[i].name) };

		if (gt_pattern_fits(&pattern, name) || gt_same_text(name, m->name))
			s->here[i] = true;
	}
	gt_pattern_close(&pattern);
	return true;
}

/* Name of a section in a file's name; it lives as long as the columns. */
static const char *keep(struct splitting *s, struct gt_string id)
{
	char **all = realloc(s->c->sections, (s->c->n_sections + 1) * sizeof *all), *name;

	s->failed |= !all;
	if (!all)
		return OTHERS;
	s->c->sections = all;
	name = all[s->c->n_sections] = strndup(id.text, id.bytes);
	s->failed |= !name;
	if (!name)
		return OTHERS;
	s->c->n_sections++;
	for (char *at = name; *at; at++)
		*at = *at == '/' ? '_' : *at;
	return name;
}

/* The columns that are marked `here`, in their own order. */
static void place_marked(struct splitting *s, const char *section)
{
	for (uint32_t i = 0; i < s->c->v.n && !s->failed; i++)
		if (s->here[i]) {
			place(s, section, i);
			s->placed[i] = true;
		}
}

static void place_section(struct splitting *s, const struct gt_section *section)
{
	const struct gt_target any = { .scope = GT_SCOPE_LAUNCH };
	bool some = false;

	memset(s->here, 0, s->c->v.n);
	gt_section_metrics(section, &any, look, s);
	for (uint32_t i = 0; i < s->c->v.n; i++)
		some |= s->here[i];
	if (some)
		place_marked(s, keep(s, section->id));
}

static void place_others(struct splitting *s)
{
	for (uint32_t i = 0; i < s->c->v.n; i++)
		s->here[i] = !s->placed[i];
	place_marked(s, OTHERS);
}

static void clear_parts(struct gt_codexl_columns *c)
{
	for (uint32_t i = 0; i < c->parts.n; i++)
		free(c->parts.v[i].columns.v);
	c->parts.n = 0;
}

int gt_codexl_split(struct gt_codexl_columns *c, const struct gt_codexl_fixed *f, const struct gt_options *o,
	struct gt_err *err)
{
	struct splitting s = { .c = c, .fixed = f, .placed = calloc(c->v.n + 1, 1), .here = calloc(c->v.n + 1, 1) };
	struct gt_sections sections = { 0 };
	int rc = s.placed && s.here ? gt_sections_open(&sections, o, GT_DEPLOY_LOOK, NULL, err) : gt_no_memory(err);

	/* Without section files all are others. */
	if (rc >= 0 || err->kind == GT_EXIT_MISSING) {
		clear_parts(c);
		for (uint32_t i = 0; i < sections.n; i++)
			if (sections.v[i].message && (gt_section_chosen(o, &sections.v[i], false) ||
							     gt_section_chosen(o, &sections.v[i], true)))
				place_section(&s, &sections.v[i]);
		place_others(&s);
		rc = s.failed ? gt_no_memory(err) : 0;
	}
	gt_sections_close(&sections);
	free(s.placed);
	free(s.here);
	return rc;
}

void gt_codexl_columns_free(struct gt_codexl_columns *c)
{
	clear_parts(c);
	for (uint32_t i = 0; i < c->n_sections; i++)
		free(c->sections[i]);
	free(c->sections);
	free(c->parts.v);
	free(c->v.v);
	*c = (struct gt_codexl_columns){ 0 };
}
