/*
 * analysis/report.c - feed reports from one walk, find them by name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/report.h"

#include <stdlib.h>
#include <string.h>

static const struct { const char *alias, *name; } aliases[] = {
	{ "opencl_gpu_kern_sum", "opencl_kern_sum" }, { "opencl_gpu_kern_gb_sum", "opencl_kern_gb_sum" },
	{ "opencl_gpu_mem_time_sum", "opencl_mem_time_sum" }, { "opencl_gpu_mem_size_sum", "opencl_mem_size_sum" },
};

const struct gt_report *gt_report_at(unsigned i)
{
	const struct gt_report *const lists[] = { gt_reports_sum, gt_reports_trace, gt_reports_queue, gt_reports_nvtx };

	for (unsigned l = 0; l < sizeof lists / sizeof *lists; l++)
		for (const struct gt_report *r = lists[l]; r->name; r++)
			if (!i--)
				return r;
	return NULL;
}

const struct gt_report *gt_report_find(const char *name)
{
	const struct gt_report *r;

	for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (!strcmp(aliases[i].alias, name))
			name = aliases[i].name;
	for (unsigned i = 0; (r = gt_report_at(i)); i++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

/* ------------------------------------------------------------------ groups */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_of(const char *const text[3], const int64_t number[3])
{
	uint64_t h = 1;

	for (int i = 0; i < 3; i++) {
		h = mix(h, (uint64_t)number[i]);
		for (const unsigned char *c = (const unsigned char *)text[i]; *c; c++)
			h = mix(h, *c);
	}
	return h;
}

static int grow(struct gt_groups *g)
{
	uint64_t slots = g->slots ? 4 * g->slots : 256;
	struct gt_group **slot = gt_pool_take(g->arena, slots * sizeof *slot);

	if (!slot)
		return -1;
	for (uint64_t i = 0; i < g->slots; i++)
		for (struct gt_group *p = g->slot[i], *next; p; p = next) {
			next = p->next;
			p->next = slot[p->hash & (slots - 1)];
			slot[p->hash & (slots - 1)] = p;
		}
	g->slot = slot;
	g->slots = slots;
	return 0;
}

static const char *keep(struct gt_pool *a, const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = gt_pool_take(a, n);

	return copy ? memcpy(copy, s, n) : "";
}

static struct gt_group *add(struct gt_groups *g, const char *const text[3], const int64_t number[3], uint64_t hash)
{
	struct gt_group *p;

	if (g->n >= 2 * g->slots && grow(g))
		return NULL;
	p = gt_pool_take(g->arena, sizeof *p);
	if (!p || !(p->samples = gt_pool_take(g->arena, g->n_samples * sizeof *p->samples)))
		return NULL;
	p->hash = hash;
	for (int i = 0; i < 3; i++) {
		p->text[i] = keep(g->arena, text[i]);
		p->number[i] = number[i];
	}
	p->next = g->slot[hash & (g->slots - 1)];
	g->slot[hash & (g->slots - 1)] = p;
	g->n++;
	return p;
}

struct gt_group *gt_groups_get(struct gt_groups *g, const char *const text[3], const int64_t number[3])
{
	uint64_t hash = hash_of(text, number);

	if (g->slots)
		for (struct gt_group *p = g->slot[hash & (g->slots - 1)]; p; p = p->next)
			if (p->hash == hash && !memcmp(p->number, number, sizeof p->number) && !strcmp(p->text[0], text[0]) &&
			    !strcmp(p->text[1], text[1]) && !strcmp(p->text[2], text[2]))
				return p;
	return add(g, text, number, hash);
}

struct gt_group *gt_groups_get_fixed(struct gt_groups *g, const char *a, const char *b)
{
	uint64_t i = mix(mix(1, (uintptr_t)a), (uintptr_t)b) % GT_GROUP_CACHE;

	if (g->cache[i].text[0] == a && g->cache[i].text[1] == b)
		return g->cache[i].group;
	struct gt_group *group = gt_groups_get(g, (const char *const[3]){ a, b, "" }, (const int64_t[3]){ 0 });

	if (group) {
		g->cache[i].text[0] = a;
		g->cache[i].text[1] = b;
		g->cache[i].group = group;
	}
	return group;
}

static int larger_first(const void *a, const void *b)
{
	const struct gt_group *x = *(struct gt_group *const *)a, *y = *(struct gt_group *const *)b;
	int order = 0;

	if (x->samples->sum != y->samples->sum)
		return x->samples->sum < y->samples->sum ? 1 : -1;
	for (int i = 0; i < 3 && !order; i++)
		order = strcmp(x->text[i], y->text[i]);
	for (int i = 0; i < 3 && !order; i++)
		order = (x->number[i] > y->number[i]) - (x->number[i] < y->number[i]);
	return order;
}

struct gt_group **gt_groups_sorted(struct gt_groups *g)
{
	struct gt_group **all = gt_pool_take(g->arena, (g->n + 1) * sizeof *all);
	uint64_t n = 0;

	if (!all)
		return NULL;
	for (uint64_t i = 0; i < g->slots; i++)
		for (struct gt_group *p = g->slot[i]; p; p = p->next)
			all[n++] = p;
	qsort(all, n, sizeof *all, larger_first);
	return all;
}

/* ------------------------------------------------------------------- texts */

const char *gt_operation_text(const struct gt_operation *o, char text[GT_OPERATION_TEXT])
{
	if (o->kind == GT_OPERATION_FILL)
		return "[OpenCL memset]";
	if (o->kind != GT_OPERATION_COPY)
		return NULL;
	snprintf(text, GT_OPERATION_TEXT, "[OpenCL memcpy %s]", o->label);
	return text;
}

static void three(char text[GT_GRID_TEXT], const uint64_t n[3])
{
	snprintf(text, GT_GRID_TEXT, "%4llu %4llu %4llu", (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2]);
}

void gt_grid_text(const struct gt_command *c, char grid[GT_GRID_TEXT], char block[GT_GRID_TEXT])
{
	uint64_t g[3], b[3];

	gt_command_grid(c, g, b);
	three(grid, g);
	three(block, b);
}

/* --------------------------------------------------------------------- run */

enum { MOST_REPORTS = 32 };

static int walk(const struct gt_report_run *run, const struct gt_report *const *reports, void **states, struct gt_table **tables, unsigned n,
	struct gt_err *err)
{
	const struct gt_walk_options options = { .process = -1, .from_ns = run->from_ns, .to_ns = run->to_ns, .progress = run->progress, .ctx = run->ctx };
	const struct gt_call *call;
	struct gt_walk *w;
	int rc;

	if (gt_walk_open(run->model, &options, &w, err))
		return -1;
	while ((rc = gt_walk_next(w, &call, err)) == 1)
		for (unsigned i = 0; i < n; i++)
			if (reports[i]->call(states[i], call, tables[i])) {
				rc = gt_fail(err, GT_EXIT_MISSING, "a temporary file could not be made either", NULL, "no memory for %s", reports[i]->name);
				goto out;
			}
out:
	gt_walk_close(w);
	return rc;
}

/* One walk for these; prints them in order. */
static int run_some(const struct gt_report_run *run, const struct gt_report *const *reports, unsigned n, bool *printed, struct gt_err *err)
{
	struct gt_pool *arena = gt_pool_new();
	struct gt_table *tables[MOST_REPORTS] = { 0 };
	void *states[MOST_REPORTS] = { 0 };
	int rc = arena ? 0 : gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");

	for (unsigned i = 0; !rc && i < n; i++) {
		tables[i] = gt_table_new(reports[i]->name, reports[i]->title, reports[i]->headings, run->format, run->out, reports[i]->stream);
		if (tables[i] && *printed)
			gt_table_follows(tables[i]);
		states[i] = tables[i] ? reports[i]->begin(reports[i], run->model, arena) : NULL;
		if (!states[i])
			rc = gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");
		else if (reports[i]->window)
			reports[i]->window(states[i], run->from_ns, run->to_ns);
	}
	if (!rc)
		rc = walk(run, reports, states, tables, n, err);
	for (unsigned i = 0; i < n && tables[i]; i++) {
		if (!rc && reports[i]->end(states[i], tables[i]))
			rc = gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");
		if (rc || (run->skip_empty && gt_table_empty(tables[i]))) {
			gt_table_drop(tables[i]);
			continue;
		}
		if (*printed)
			gt_table_follows(tables[i]);
		*printed = true;
		if (gt_table_end(tables[i], run->most))
			rc = gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "the report could not be written");
	}
	if (!rc && gt_pool_failed(arena))
		rc = gt_fail(err, GT_EXIT_MISSING, "the numbers printed above cannot be trusted", NULL, "a temporary file could not be read again");
	gt_pool_free(arena);
	return rc;
}

int gt_reports_run(const struct gt_report_run *run, struct gt_err *err)
{
	unsigned from = 0;
	bool printed = false;

	while (from < run->n_reports) {
		unsigned n = 1;

		if (!run->reports[from]->stream)
			while (from + n < run->n_reports && !run->reports[from + n]->stream && n < MOST_REPORTS)
				n++;
		if (run_some(run, run->reports + from, n, &printed, err))
			return -1;
		from += n;
	}
	return 0;
}
