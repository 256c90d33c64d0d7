/*
 * analysis/sections/section.c - section files of a folder, and the metrics that they ask for
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/section.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/sections/derived.h"
#include "common/trusted.h"

#define FILE_MOST (4u << 20)                      /* bytes: section files have some thousand */
#define FOLDERS 8                                 /* inside each other */
#define SUFFIX ".section"

static int no_memory(const char *path, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be read", path);
}

/* ------------------------------------------------------------------ one file */

/* The whole file in the arena; NULL with the reason in *err. */
static char *read_file(struct gt_arena *a, const char *path, size_t *bytes, struct gt_err *err)
{
	struct stat st;
	char *text = gt_read_opened(gt_open_regular(path, FILE_MOST, &st), FILE_MOST, bytes), *kept = NULL;

	if (text)
		kept = gt_arena_copy(a, text, *bytes);
	else if (errno == EINVAL || errno == EFBIG)
		gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: %s", path,
			errno == EFBIG ? "too large for a section file" : "not a regular file");
	else
		gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: %s", path, strerror(errno));
	if (text && !kept)
		no_memory(path, err);
	free(text);
	return kept;
}

static struct gt_section *add(struct gt_sections *s)
{
	if (s->n == s->room) {
		uint32_t room = 2 * s->room + 16;
		struct gt_section *more = realloc(s->v, room * sizeof *more);

		if (!more)
			return NULL;
		s->v = more;
		s->room = room;
	}
	s->v[s->n] = (struct gt_section){ .id = { "", 0 }, .name = { "", 0 } };
	return &s->v[s->n++];
}

/* Each defined metric's expression. */
static int check_expressions(const struct gt_section *section, struct gt_err *err)
{
	const struct gt_message *all = gt_message_part(section->message, "MetricDefinitions");
	const struct gt_message_value *v = gt_message_next(all, "MetricDefinitions", NULL);
	struct gt_derived ignored;
	const char *bad;
	size_t at;

	for (; v; v = gt_message_next(NULL, "MetricDefinitions", v)) {
		const struct gt_message_value *e = gt_message_next(v->part, "Expression", NULL);

		bad = gt_derived_parse(e->text.text, e->text.bytes, &ignored, &at);
		if (bad)
			return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s:%u:%u: the Expression, byte %zu: %s",
				section->path, e->line, e->column, at + 1, bad);
	}
	return 0;
}

/* What the grammar cannot say. */
static int check(const struct gt_sections *s, const struct gt_section *section, struct gt_err *err)
{
	const struct gt_message_value *v = gt_message_next(section->message, "Identifier", NULL);

	if (!section->id.bytes || memchr(section->id.text, ' ', section->id.bytes))
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s:%u:%u: an Identifier %s", section->path, v->line,
			v->column, section->id.bytes ? "has no blanks" : "is not empty");
	for (uint32_t i = 0; i + 1 < s->n; i++)
		if (s->v[i].message && gt_same_text(s->v[i].id, section->id))
			return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s:%u:%u: %.*s is the Identifier of %s too",
				section->path, v->line, v->column, (int)section->id.bytes, section->id.text,
				s->v[i].path);
	return check_expressions(section, err);
}

static int parse(struct gt_sections *s, struct gt_section *section, const struct gt_sections_options *o,
	struct gt_err *err)
{
	struct gt_message *m;
	size_t bytes;
	char *text = read_file(&s->arena, section->path, &bytes, err);

	if (!text || gt_message_parse(&s->arena, &gt_type_ProfilerSection, section->path, text, bytes, o->strict,
			     o->notes.note ? &o->notes : NULL, &m, err))
		return -1;
	section->message = m;
	section->id = gt_message_text(m, "Identifier");
	section->name = gt_message_text(m, "DisplayName");
	section->description = gt_message_text(m, "Description");
	section->extends = gt_message_text(m, "Extends");
	section->order = (uint32_t)gt_message_integer(m, "Order", UINT32_MAX);
	return check(s, section, err);
}

static int load_file(struct gt_sections *s, const char *path, const struct gt_sections_options *o, struct gt_err *err)
{
	struct gt_section *section = add(s);
	struct gt_err why = { 0 };

	if (!section || !(section->path = gt_arena_copy(&s->arena, path, strlen(path))))
		return no_memory(path, err);
	if (!parse(s, section, o, &why))
		return 0;
	section->message = NULL;
	section->error = gt_arena_copy(&s->arena, why.what, strlen(why.what));
	return section->error ? 0 : no_memory(path, err);
}

/* ------------------------------------------------------------------ a folder */

static int wanted(const struct dirent *e) { return e->d_name[0] != '.'; }

static bool has_suffix(const char *name)
{
	size_t n = strlen(name);

	return n > sizeof SUFFIX - 1 && !strcmp(name + n - (sizeof SUFFIX - 1), SUFFIX);
}

static int load_folder(struct gt_sections *s, const char *folder, unsigned depth, const struct gt_sections_options *o,
	struct gt_err *err)
{
	struct dirent **names;
	int n = scandir(folder, &names, wanted, alphasort), rc = 0;

	if (n < 0)
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		size_t room = strlen(folder) + strlen(names[i]->d_name) + 2;
		char *path = rc ? NULL : malloc(room);
		struct stat st;

		if (path) {
			snprintf(path, room, "%s/%s", folder, names[i]->d_name);
			if (has_suffix(names[i]->d_name))
				rc = load_file(s, path, o, err);
			else if (o->recursive && depth < FOLDERS && !lstat(path, &st) && S_ISDIR(st.st_mode))
				rc = load_folder(s, path, depth + 1, o, err);
		} else if (!rc) {
			rc = no_memory(folder, err);
		}
		free(path);
		free(names[i]);
	}
	free(names);
	return rc;
}

int gt_sections_load(
	struct gt_sections *s, const char *folder, const struct gt_sections_options *o, struct gt_err *err)
{
	return load_folder(s, folder, 1, o, err);
}

static int by_order(const void *l, const void *r)
{
	const struct gt_section *a = l, *b = r;
	int c;

	if (!a->message != !b->message)
		return a->message ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	c = gt_compare_text(a->id, b->id);
	return c ? c : strcmp(a->path, b->path);
}

void gt_sections_sort(struct gt_sections *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_order);
}

const struct gt_section *gt_sections_find(const struct gt_sections *s, const char *id)
{
	const struct gt_string name = { id, strlen(id) };

	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].message && gt_same_text(s->v[i].id, name))
			return &s->v[i];
	return NULL;
}

bool gt_section_in_set(const struct gt_section *section, const char *set)
{
	const struct gt_string name = { set, strlen(set) };
	const struct gt_message_value *v = NULL;

	while ((v = gt_message_next(v ? NULL : section->message, "Sets", v)))
		if (gt_same_text(gt_message_text(v->part, "Identifier"), name))
			return true;
	return false;
}

void gt_sections_close(struct gt_sections *s)
{
	gt_arena_free(&s->arena);
	free(s->v);
	*s = (struct gt_sections){ 0 };
}

/* ------------------------------------------------------------------ filters */

#define ANY_CAPABILITY 9999u                      /* MaxArch: newer devices than any list has */

static bool in_range(const struct gt_message *range, uint32_t capability)
{
	uint64_t most = gt_message_integer(range, "MaxArch", ANY_CAPABILITY);

	return capability >= gt_message_integer(range, "MinArch", 0) && capability <= most;
}

/* Ranges stand in the filter itself, and as a list of which one has to fit. */
static bool names_ranges(const struct gt_message *f)
{
	return gt_message_next(f, "MinArch", NULL) || gt_message_next(f, "MaxArch", NULL) ||
		gt_message_next(f, "Items", NULL);
}

static bool fits_ranges(const struct gt_message *f, uint32_t capability)
{
	const struct gt_message_value *v = gt_message_next(f, "Items", NULL);

	if (!capability)
		return true;
	if (!in_range(f, capability))
		return false;
	if (!v)
		return true;
	for (; v; v = gt_message_next(NULL, "Items", v))
		if (in_range(v->part, capability))
			return true;
	return false;
}

static bool fits_scopes(const struct gt_message *collection, enum gt_scope scope)
{
	const struct gt_message_value *v = gt_message_next(collection, "CollectionScopes", NULL);

	if (!v)
		return true;
	for (; v; v = gt_message_next(NULL, "CollectionScopes", v))
		if (v->integer == (uint64_t)scope)
			return true;
	return false;
}

#define IMPORTANCE_REQUIRED 1u

bool gt_filter_passes(
	const struct gt_message *inner, const struct gt_message *outer, const struct gt_target *target, bool *required)
{
	const struct gt_message *collection = gt_message_part(inner, "CollectionFilter"),
				*around = gt_message_part(outer, "CollectionFilter");
	const struct gt_message *ranges = names_ranges(inner) ? inner : outer;
	const struct gt_message *scopes = gt_message_next(collection, "CollectionScopes", NULL) ? collection : around;
	const struct gt_message *importance = gt_message_next(collection, "Importance", NULL) ? collection : around;

	*required = gt_message_integer(importance, "Importance", 0) == IMPORTANCE_REQUIRED;
	return fits_ranges(ranges, target->capability) && fits_scopes(scopes, target->scope);
}

/* ------------------------------------------------------------------ metrics */

bool gt_is_pattern(struct gt_string name)
{
	return name.bytes >= strlen(GT_PATTERN) && !memcmp(name.text, GT_PATTERN, strlen(GT_PATTERN));
}

void gt_pattern_open(struct gt_pattern *p, struct gt_string said)
{
	const size_t prefix = strlen(GT_PATTERN);
	char text[1000];
	int n = snprintf(text, sizeof text, "^(%.*s)$", (int)(said.bytes - prefix), said.text + prefix);

	p->is_there = said.bytes < sizeof text && n < (int)sizeof text &&
		!regcomp(&p->re, text, REG_EXTENDED | REG_NOSUB);
}

bool gt_pattern_fits(const struct gt_pattern *p, struct gt_string name)
{
	char text[500];

	snprintf(text, sizeof text, "%.*s", (int)(name.bytes < sizeof text ? name.bytes : sizeof text - 1), name.text);
	return p->is_there && !regexec(&p->re, text, 0, NULL, 0);
}

void gt_pattern_close(struct gt_pattern *p)
{
	if (p->is_there)
		regfree(&p->re);
	p->is_there = false;
}

struct walk {
	const struct gt_section *section;
	const struct gt_message *filter;          /* the section's; NULL */
	const struct gt_target *target;
	bool (*take)(void *ctx, const struct gt_section_metric *m);
	void *ctx;
	bool in_body;
};

/* The first option that passes takes the metric's place, whether or not the metric itself would pass. */
bool gt_section_metric(const struct gt_section *section, const struct gt_message *metric,
	const struct gt_target *target, struct gt_section_metric *out)
{
	const struct gt_message *filter = gt_message_part(section->message, "Filter");
	const struct gt_message_value *v = gt_message_next(metric, "Options", NULL);

	*out = (struct gt_section_metric){ .section = section, .message = metric,
		.label = gt_message_text(metric, "Label") };
	for (; v; v = gt_message_next(NULL, "Options", v))
		if (gt_filter_passes(gt_message_part(v->part, "Filter"), filter, target, &out->required))
			break;
	if (!v) {
		out->name = gt_message_text(metric, "Name");
		return gt_filter_passes(gt_message_part(metric, "Filter"), filter, target, &out->required);
	}
	out->name = gt_message_text(v->part, "Name");
	if (gt_message_next(v->part, "Label", NULL))
		out->label = gt_message_text(v->part, "Label");
	return true;
}

static bool give(const struct walk *w, const struct gt_message *metric)
{
	struct gt_section_metric m;

	if (!gt_section_metric(w->section, metric, w->target, &m))
		return true;
	m.in_body = w->in_body;
	return w->take(w->ctx, &m);
}

static bool walk(struct walk *w, const struct gt_message *m)
{
	bool required;

	if (m->type == &gt_type_ProfilerSectionMetric)
		return give(w, m);
	if (m->type == &gt_type_ProfilerSectionBodyItem &&
		!gt_filter_passes(gt_message_part(m, "Filter"), w->filter, w->target, &required))
		return true;
	for (const struct gt_message_value *v = m->first; v; v = v->next) {
		bool outside = w->in_body;

		if (v->field->kind != GT_FIELD_PART)
			continue;
		w->in_body |= v->field->part == &gt_type_ProfilerSectionBody;
		if (!walk(w, v->part))
			return false;
		w->in_body = outside;
	}
	return true;
}

bool gt_section_metrics(const struct gt_section *section, const struct gt_target *target,
	bool (*take)(void *ctx, const struct gt_section_metric *m), void *ctx)
{
	struct walk w = { .section = section, .filter = gt_message_part(section->message, "Filter"), .target = target,
		.take = take, .ctx = ctx };

	return !section->message || walk(&w, section->message);
}
