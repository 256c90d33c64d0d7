/*
 * analysis/reports/samples.c - where the processors' time went in the program: functions, and who called them
 *
 * Samples of one stack are counted together first, so a function is looked for once for each stack and not once for
 * each sample. A function that calls itself counts once in its total.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/memory.h"
#include "model/symbols/symbols.h"
#include "model/threads/threads.h"
#include "model/window.h"

/* Of the tree: less than one in so many samples is left out, with what is below it. */
enum { LEAST_SHARE = 200, DEEPEST = 48 };

struct function { const char *name, *module; size_t bytes; uint64_t self, total, mark; };
struct node { uint32_t function, first, next; uint64_t self, total; };    /* first child, next sibling; 0: none */

struct state {
	struct gt_model *m;
	bool tree;
	int64_t from_ns, to_ns;
	uint64_t *of_stack;               /* samples of each stack; [0]: without one */
	uint64_t all;
	GT_LIST(struct function) functions;
	struct gt_map map;                /* uint32_t in functions */
	GT_LIST(struct node) nodes;       /* [0]: the root */
};

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	if (!s)
		return NULL;
	*s = (struct state){ .m = m, .tree = r->options & GT_REPORT_TREE, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	s->of_stack = gt_pool_take(a, (gt_model_stack_count(m) + 1ull) * sizeof *s->of_stack);
	return s->of_stack ? s : NULL;
}

static void window(void *state, int64_t from_ns, int64_t to_ns)
{
	struct state *s = state;

	s->from_ns = from_ns;
	s->to_ns = to_ns;
}

static void count(struct state *s)
{
	for (uint64_t i = 0; i < gt_model_sample_count(s->m); i++) {
		const struct gt_sample *v = gt_model_sample(s->m, i);

		if (!gt_overlaps(s->from_ns, s->to_ns, v->time_ns, v->time_ns))
			continue;
		s->of_stack[v->stack]++;
		s->all++;
	}
}

/* ---------------------------------------------------------------------- functions */

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct state *s = ctx;
	const struct function *x = &s->functions.v[*(const uint32_t *)element], *y = key;

	return x->bytes == y->bytes && !gt_compare_bytes(x->name, y->name, x->bytes) && !strcmp(x->module, y->module);
}

/* Index of the frame's function; UINT32_MAX: no memory. */
static uint32_t function_of(struct state *s, const struct gt_frame *f)
{
	struct function key = { .name = f->group.text, .bytes = f->group.bytes, .module = gt_frame_module(f) }, *new;
	uint32_t *at;
	bool fresh;

	at = gt_map_add(&s->map, sizeof *at,
		gt_hash(gt_hash_text(key.name, key.bytes), gt_hash_text(key.module, strlen(key.module))), &key, same, s,
		&fresh);
	if (!at)
		return UINT32_MAX;
	if (!fresh)
		return *at;
	*at = s->functions.n;
	new = GT_LIST_ADD(&s->functions);
	if (!new)
		return UINT32_MAX;
	*new = key;
	return *at;
}

/* A stack that nothing is known of counts under a name of its own. */
static const struct gt_frame *frames_of(struct state *s, uint32_t stack, uint32_t *n)
{
	static const struct gt_frame unknown = { .function = { "", 0 }, .group = { "[unknown]", 9 } };
	const struct gt_frame *f = gt_stack_frames(s->m, stack, n);

	if (*n)
		return f;
	*n = 1;
	return &unknown;
}

/* ----------------------------------------------------------------------------- flat */

static int add_flat(struct state *s, uint32_t stack, uint64_t samples)
{
	uint32_t n;
	const struct gt_frame *f = frames_of(s, stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = function_of(s, &f[i]);
		struct function *function = at == UINT32_MAX ? NULL : &s->functions.v[at];

		if (!function)
			return -1;
		function->self += i ? 0 : samples;
		function->total += function->mark == stack + 1ull ? 0 : samples;
		function->mark = stack + 1ull;
	}
	return 0;
}

static int by_self(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct gt_cell share(const struct state *s, uint64_t n)
{
	return s->all ? gt_number(100.0 * (double)n / (double)s->all, 1) : gt_none();
}

static int put_row(const struct state *s, struct gt_table *t, uint64_t self, uint64_t total, int indent,
	const struct function *f)
{
	struct gt_cell cell[8];
	unsigned n = 0;
	char *name;
	int rc;

	if (asprintf(&name, "%*s%.*s", indent, "", (int)f->bytes, f->name) < 0)
		return -1;
	cell[n++] = share(s, self);
	cell[n++] = gt_integer((int64_t)self);
	cell[n++] = share(s, total);
	cell[n++] = gt_integer((int64_t)total);
	cell[n++] = gt_text(name);
	cell[n++] = gt_text(f->module);
	rc = gt_table_row(t, cell);
	free(name);
	return rc;
}

static int put_flat(struct state *s, struct gt_table *t)
{
	int rc = 0;

	if (s->functions.n)
		qsort(s->functions.v, s->functions.n, sizeof *s->functions.v, by_self);
	for (uint32_t i = 0; i < s->functions.n && !rc; i++)
		rc = put_row(s, t, s->functions.v[i].self, s->functions.v[i].total, 0, &s->functions.v[i]);
	return rc;
}

/* ----------------------------------------------------------------------------- tree */

/* The child of a node; 0: no memory. */
static uint32_t child_of(struct state *s, uint32_t parent, uint32_t function)
{
	struct node *new;

	for (uint32_t i = s->nodes.v[parent].first; i; i = s->nodes.v[i].next)
		if (s->nodes.v[i].function == function)
			return i;
	new = GT_LIST_ADD(&s->nodes);
	if (!new)
		return 0;
	*new = (struct node){ .function = function, .next = s->nodes.v[parent].first };
	return s->nodes.v[parent].first = s->nodes.n - 1;
}

static int add_tree(struct state *s, uint32_t stack, uint64_t samples)
{
	uint32_t n, at = 0;
	const struct gt_frame *f = frames_of(s, stack, &n);

	if (!s->nodes.n && !GT_LIST_ADD(&s->nodes))
		return -1;
	for (uint32_t i = n; i-- > 0;) {
		uint32_t function = function_of(s, &f[i]);

		at = function == UINT32_MAX ? 0 : child_of(s, at, function);
		if (!at)
			return -1;
		s->nodes.v[at].total += samples;
	}
	s->nodes.v[at].self += samples;
	return 0;
}

/* The child with the most samples that was not shown yet (next is followed, so order is made by taking out). */
static uint32_t take_largest(struct state *s, uint32_t parent)
{
	uint32_t *best = NULL, found;

	for (uint32_t *at = &s->nodes.v[parent].first; *at; at = &s->nodes.v[*at].next)
		if (!best || s->nodes.v[*at].total > s->nodes.v[*best].total)
			best = at;
	if (!best)
		return 0;
	found = *best;
	*best = s->nodes.v[found].next;
	return found;
}

static int put_tree(struct state *s, struct gt_table *t, uint32_t parent, int depth)
{
	uint32_t i;

	while (depth < DEEPEST && (i = take_largest(s, parent))) {
		const struct node *node = &s->nodes.v[i];

		if (node->total * LEAST_SHARE < s->all)
			return 0;
		if (put_row(s, t, node->self, node->total, 2 * depth, &s->functions.v[node->function]) ||
			put_tree(s, t, i, depth + 1))
			return -1;
	}
	return 0;
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	int rc = 0;

	count(s);
	for (uint32_t i = 0; i <= gt_model_stack_count(s->m) && !rc; i++)
		if (s->of_stack[i])
			rc = s->tree ? add_tree(s, i, s->of_stack[i]) : add_flat(s, i, s->of_stack[i]);
	if (!rc)
		rc = s->tree ? (s->nodes.n ? put_tree(s, t, 0, 0) : 0) : put_flat(s, t);
	gt_map_free(&s->map, sizeof(uint32_t));
	free(s->functions.v);
	free(s->nodes.v);
	return rc;
}

const struct gt_report gt_reports_samples[] = {
	{ .name = "samples",
		.title = "Processor Samples",
		.headings = "Self (%)|Self|Total (%)|Total|Function<|Module<",
		.recorded_by = "-t sample",
		.options = GT_REPORT_TREE,
		.begin = begin,
		.window = window,
		.end = end },
	{ 0 },
};
