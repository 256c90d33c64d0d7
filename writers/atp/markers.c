/*
 * writers/atp/markers.c - the Perfmarker section: what a program marked with NVTX
 *
 * Readers match an end with the innermost open begin of its thread, so only what nests by nature stands here: pushes
 * with their pops, and marks as a begin and an end of one time. Starts with ends, which may overlap and cross threads,
 * have no form in it.
 *
 * spec: ATP Perfmarker section. docs/atp.md has the lines.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "common/memory.h"
#include "model/nvtx/ranges.h"
#include "model/window.h"
#include "writers/atp/atp.h"

#define NAME_WIDTH 50u

/* pushes without their pop so far, oldest first */
struct gt_atp_open { const struct gt_range **v; size_t n, room; };

/* As one word: readers turn it back. What would be turned back and was no blank is written so that it is not. */
static void put_word(struct gt_text *t, const char *s, size_t n)
{
	static const char blank[] = "&nbsp;";
	const char *end = s + n, *found;

	while ((found = memmem(s, (size_t)(end - s), blank, sizeof blank - 1))) {
		gt_atp_replaced(t, s, (size_t)(found - s), " ", blank);
		gt_text_lit(t, "&amp;nbsp;");
		s = found + sizeof blank - 1;
	}
	gt_atp_replaced(t, s, (size_t)(end - s), " ", blank);
}

static void put_time(struct gt_text *t, const struct gt_export *x, int64_t session_ns, unsigned *moved)
{
	int64_t ns = gt_model_mono_ns(x->model, x->process->index, session_ns);
	size_t from = t->used;

	*moved += ns < 0;
	gt_text_u64(t, ns < 0 ? 0 : (uint64_t)ns);
	gt_text_pad(t, from, 20, 1);
}

static void put_kind(struct gt_text *t, const char *kind)
{
	size_t from = t->used;

	gt_text_str(t, kind);
	gt_text_pad(t, from, 20, 1);
}

static void put_name(struct gt_text *t, const struct gt_range *g)
{
	size_t from = t->used;

	if (g->text.bytes)
		put_word(t, g->text.text, g->text.bytes);
	else
		gt_text_lit(t, "Unnamed");
	if (t->used - from < NAME_WIDTH)
		gt_text_pad(t, from, NAME_WIDTH, 1);
	else
		gt_text_lit(t, "   ");
}

static void put_group(struct gt_text *t, const struct gt_range *g)
{
	gt_text_lit(t, "   ");
	if (g->domain_name.bytes)
		put_word(t, g->domain_name.text, g->domain_name.bytes);
	else
		gt_text_lit(t, "Default");
}

static void put_begin(struct gt_text *t, const struct gt_export *x, const struct gt_range *g, unsigned *moved)
{
	put_kind(t, "clBeginPerfMarker");
	put_name(t, g);
	put_time(t, x, g->start_ns, moved);
	put_group(t, g);
	gt_text_char(t, '\n');
}

/* innermost: of what is open in the thread, over all domains. Where another one ends, the line says which. */
static void put_end(
	struct gt_text *t, const struct gt_export *x, const struct gt_range *g, bool innermost, unsigned *moved)
{
	put_kind(t, innermost ? "clEndPerfMarker" : "clEndPerfMarkerEx");
	put_time(t, x, g->kind == REC_NVTX_MARK ? g->start_ns : g->end_ns, moved);
	if (!innermost) {
		put_name(t, g);
		put_group(t, g);
	}
	gt_text_char(t, '\n');
}

/* Does it end before `next` begins? At one time: unless `next` was pushed inside of it. */
static bool is_over(const struct gt_range *g, const struct gt_range *next)
{
	if (g->end_ns == GT_NO_TIME)
		return false;
	if (!next || g->end_ns != next->start_ns)
		return !next || g->end_ns < next->start_ns;
	return next->domain != g->domain || (next->kind == REC_NVTX_PUSH && next->level <= g->level);
}

/* The first of the open ranges to end in front of `next`; of one time the innermost. -1: none. */
static long first_over(const struct gt_atp_open *open, const struct gt_range *next)
{
	long first = -1;

	for (size_t i = open->n; i-- > 0;)
		if (is_over(open->v[i], next) && (first < 0 || open->v[i]->end_ns < open->v[first]->end_ns))
			first = (long)i;
	return first;
}

static void end_ranges(struct gt_atp_markers *m, struct gt_atp_open *open, const struct gt_range *next,
	struct gt_text *t, uint64_t *lines)
{
	unsigned moved = 0;
	long i;

	while ((i = first_over(open, next)) >= 0) {
		put_end(t, m->x, open->v[i], (size_t)i + 1 == open->n, &moved);
		++*lines;
		open->n--;
		memmove(open->v + i, open->v + i + 1, (open->n - (size_t)i) * sizeof(open->v[0]));
	}
	m->moved += moved;
}

static bool open_range(struct gt_atp_open *open, const struct gt_range *g)
{
	if (!gt_grow((void **)&open->v, open->n, &open->room, sizeof(open->v[0])))
		return false;
	open->v[open->n++] = g;
	return true;
}

static bool is_wanted(const struct gt_export *x, const struct gt_range *g)
{
	int64_t end = g->end_ns != GT_NO_TIME ? g->end_ns : g->kind == REC_NVTX_MARK ? g->start_ns : INT64_MAX;

	return g->process == x->process->index && g->kind != REC_NVTX_START &&
		gt_overlaps(x->from_ns, x->to_ns, g->start_ns, end);
}

bool gt_atp_has_markers(const struct gt_model *model, const struct gt_process *p)
{
	for (uint64_t i = 0; i < gt_model_range_count(model); i++) {
		const struct gt_range *g = gt_model_range(model, i);

		if (g->process == p->index && g->kind != REC_NVTX_START)
			return true;
	}
	return false;
}

static int add_range(struct gt_atp_markers *m, const struct gt_range *g)
{
	struct gt_atp_open *open = &m->open[g->thread];
	struct gt_text *t;
	uint64_t *lines;
	size_t before;
	unsigned moved = 0;

	if (!m->block(m->ctx, g->thread, &t, &lines))
		return -1;
	before = t->used;
	end_ranges(m, open, g, t, lines);
	put_begin(t, m->x, g, &moved);
	++*lines;
	if (g->kind == REC_NVTX_MARK) {
		put_end(t, m->x, g, true, &moved);
		++*lines;
	} else if (!open_range(open, g)) {
		return -1;
	}
	m->moved += moved;
	m->wrote(m->ctx, t->used - before);
	return 0;
}

static int end_threads(struct gt_atp_markers *m, uint32_t n_threads)
{
	for (uint32_t i = 0; i < n_threads; i++) {
		struct gt_text *t;
		uint64_t *lines;
		size_t before;

		if (!m->open[i].n)
			continue;
		if (!m->block(m->ctx, i, &t, &lines))
			return -1;
		before = t->used;
		end_ranges(m, &m->open[i], NULL, t, lines);
		m->wrote(m->ctx, t->used - before);
	}
	return 0;
}

int gt_atp_add_markers(struct gt_atp_markers *m)
{
	uint32_t n_threads = gt_model_thread_count(m->x->model);
	int rc = 0;

	m->open = calloc((size_t)n_threads + 1, sizeof(m->open[0]));
	if (!m->open)
		return -1;
	for (uint64_t i = 0; i < gt_model_range_count(m->x->model) && !rc; i++) {
		const struct gt_range *g = gt_model_range(m->x->model, i);

		if (is_wanted(m->x, g) && g->thread < n_threads)
			rc = add_range(m, g);
	}
	if (!rc)
		rc = end_threads(m, n_threads);
	for (uint32_t i = 0; i < n_threads; i++)
		free(m->open[i].v);
	free(m->open);
	return rc;
}
