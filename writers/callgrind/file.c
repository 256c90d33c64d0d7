/*
 * writers/callgrind/file.c - contexts as a profile: parts, functions, and who called whom
 *
 * The format knows functions and calls between two of them, not whole paths: contexts that have both in common are one
 * line. A name is told once in a part, with its number (readers forget the numbers where a part begins).
 *
 * spec: Callgrind Profile Format, Version 1
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/harmless.h"
#include "common/hash.h"
#include "common/paged.h"
#include "model/sort.h"
#include "writers/callgrind/internal.h"

/* One line of calls: from a place of a function to another function. */
struct arc {
	uint32_t caller, callee;
	struct gt_cost_site site;
	uint64_t calls;
	struct gt_cost cost;
};

enum name_kind { OBJECT, FILE_NAME, FUNCTION, NAME_KINDS };

struct writer {
	struct gt_output *out;
	const struct gt_cost_contexts *c;
	const struct cg_head *head;
	struct gt_cost *inclusive;        /* by context */
	struct gt_cost *self;             /* by function, of the present part */
	struct gt_bulk arcs;              /* struct arc, of the present part */
	struct gt_bulk_budget budget;
	struct gt_map arc_of;             /* numbers in it */
	uint32_t *told[NAME_KINDS];       /* the part that told the name last, plus 1 */
	uint32_t part, object, file;      /* where the reader is */
	uint32_t written;                 /* parts */
};

/* ---- sums ---- */

static size_t names_of(const struct writer *w, enum name_kind kind)
{
	return (kind == FUNCTION ? w->c->functions.n : w->c->texts.n) + 1;
}

/* CONTEXT2 */
static bool sum_up(struct writer *w)
{
	const struct gt_cost_contexts *c = w->c;

	w->inclusive = gt_paged_zeroed(c->contexts.n + 1, sizeof *w->inclusive);
	w->self = gt_paged_zeroed(c->functions.n + 1, sizeof *w->self);
	if (!w->inclusive || !w->self)
		return false;
	for (int i = 0; i < NAME_KINDS; i++)
		if (!(w->told[i] = gt_paged_zeroed(names_of(w, i), sizeof *w->told[i])))
			return false;
	for (uint32_t i = (uint32_t)c->contexts.n; i--;) {
		const struct gt_cost_context *at = gt_cost_context_at(c, i);

		gt_paged_tick();
		gt_cost_add(&w->inclusive[i], &at->self);
		if (at->parent != GT_COST_NONE)
			gt_cost_add(&w->inclusive[at->parent], &w->inclusive[i]);
	}
	return true;
}

static struct arc *arc_at(const struct writer *w, uint32_t i) { return (struct arc *)w->arcs.data + i; }

static bool same_arc(const void *element, const void *key, const void *ctx)
{
	const struct arc *a = arc_at(ctx, *(const uint32_t *)element), *b = key;

	return a->caller == b->caller && a->callee == b->callee && a->site.line == b->site.line &&
		a->site.address == b->site.address;
}

static struct arc *arc_of(struct writer *w, const struct arc *key)
{
	uint64_t hash = gt_hash(gt_hash(gt_hash(GT_HASH, (uint64_t)key->caller << 32 | key->callee), key->site.line),
		key->site.address);
	struct arc *added;
	bool fresh;
	uint32_t *at = gt_map_add(&w->arc_of, sizeof *at, hash, key, same_arc, w, &fresh);

	if (!at)
		return NULL;
	if (!fresh)
		return arc_at(w, *at);
	*at = (uint32_t)w->arcs.n;
	added = gt_bulk_add(&w->arcs, sizeof *added, &w->budget);
	if (added)
		*added = *key;
	return added;
}

/* Does the path to context i go through the same call already? Its cost has this one's in it then. */
static bool is_recursion(const struct writer *w, uint32_t i)
{
	const struct gt_cost_context *all = gt_cost_context_at(w->c, 0);
	uint32_t caller = all[all[i].parent].function;

	for (uint32_t at = all[i].parent; all[at].parent != GT_COST_NONE; at = all[at].parent)
		if (all[at].function == all[i].function && all[all[at].parent].function == caller)
			return true;
	return false;
}

static bool add_context(struct writer *w, uint32_t i)
{
	const struct gt_cost_context *at = gt_cost_context_at(w->c, i);
	struct arc *arc, key = { .callee = at->function, .site = at->site };

	gt_cost_add(&w->self[at->function], &at->self);
	if (at->parent == GT_COST_NONE || !at->entered)
		return true;
	key.caller = gt_cost_context_at(w->c, at->parent)->function;
	arc = arc_of(w, &key);
	if (!arc)
		return false;
	arc->calls += at->entered;
	if (!is_recursion(w, i))
		gt_cost_add(&arc->cost, &w->inclusive[i]);
	return true;
}

static int by_caller(const void *a, const void *b, const void *ctx)
{
	const struct arc *x = a, *y = b;

	(void)ctx;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->site.line != y->site.line)
		return x->site.line < y->site.line ? -1 : 1;
	if (x->site.address != y->site.address)
		return x->site.address < y->site.address ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Functions and calls of one part. */
static bool collect(struct writer *w, uint32_t part)
{
	w->part = part;
	w->arcs.n = 0;
	gt_map_free(&w->arc_of, sizeof(uint32_t));
	for (uint32_t i = 0; i < w->c->functions.n; i++) {
		gt_paged_tick();
		w->self[i] = (struct gt_cost){ { 0 } };
	}
	for (uint32_t i = 0; i < w->c->contexts.n; i++) {
		gt_paged_tick();
		if (gt_cost_context_at(w->c, i)->part == part && !add_context(w, i))
			return false;
	}
	return !gt_bulk_sort(&w->arcs, sizeof(struct arc), by_caller, NULL, &w->budget);
}

static struct gt_cost total_of(const struct writer *w)
{
	struct gt_cost total = { { 0 } };

	for (uint32_t i = 0; i < w->c->functions.n; i++) {
		gt_paged_tick();
		gt_cost_add(&total, &w->self[i]);
	}
	return total;
}

/* ---- lines ---- */

static void put_name(struct writer *w, const char *key, enum name_kind kind, uint32_t number, uint32_t text)
{
	struct gt_text *t = &w->out->text;

	gt_text_str(t, key);
	gt_text_char(t, '(');
	gt_text_u64(t, number + 1ull);
	gt_text_char(t, ')');
	if (w->told[kind][number] != w->part + 1) {
		w->told[kind][number] = w->part + 1;
		gt_text_char(t, ' ');
		gt_text_bytes(t, gt_cost_text_at(w->c, text).text, gt_cost_text_at(w->c, text).bytes);
	}
	gt_text_char(t, '\n');
}

static void put_position(struct writer *w, struct gt_cost_site site)
{
	struct gt_text *t = &w->out->text;

	if (w->head->instr) {
		gt_text_lit(t, "0x");
		gt_text_hex(t, site.address, 1, false);
		gt_text_char(t, ' ');
	}
	gt_text_u64(t, site.line);
}

/* Counts that are not told are 0. */
static void put_counts(struct gt_text *t, const struct gt_cost *cost)
{
	int n = GT_COST_EVENT_COUNT;

	while (n > 1 && !cost->v[n - 1])
		n--;
	for (int i = 0; i < n; i++) {
		gt_text_char(t, ' ');
		gt_text_u64(t, cost->v[i]);
	}
	gt_text_char(t, '\n');
}

static void put_all_counts(struct gt_text *t, const char *key, const struct gt_cost *cost)
{
	gt_text_str(t, key);
	for (int i = 0; i < GT_COST_EVENT_COUNT; i++) {
		gt_text_char(t, ' ');
		gt_text_u64(t, cost->v[i]);
	}
	gt_text_char(t, '\n');
}

static void put_call(struct writer *w, const struct arc *arc)
{
	const struct gt_cost_function *callee = gt_cost_function_at(w->c, arc->callee);
	struct gt_text *t = &w->out->text;

	if (callee->object != w->object)
		put_name(w, "cob=", OBJECT, callee->object, callee->object);
	if (callee->file != w->file)
		put_name(w, "cfi=", FILE_NAME, callee->file, callee->file);
	put_name(w, "cfn=", FUNCTION, arc->callee, callee->name);
	gt_text_lit(t, "calls=");
	gt_text_u64(t, arc->calls);
	gt_text_char(t, ' ');
	put_position(w, (struct gt_cost_site){ 0 });
	gt_text_char(t, '\n');
	put_position(w, arc->site);
	put_counts(t, &arc->cost);
}

static bool is_zero(const struct gt_cost *cost)
{
	static const struct gt_cost zero;

	return !memcmp(cost, &zero, sizeof zero);
}

/* The function with its calls: arcs from *at on. */
static void put_function(struct writer *w, uint32_t f, uint32_t *at)
{
	const struct gt_cost_function *function = gt_cost_function_at(w->c, f);
	struct gt_text *t = &w->out->text;
	bool calls = *at < w->arcs.n && arc_at(w, *at)->caller == f;

	gt_paged_tick();
	if (!calls && is_zero(&w->self[f]))
		return;
	gt_text_char(t, '\n');
	if (function->object != w->object)
		put_name(w, "ob=", OBJECT, function->object, function->object);
	if (function->file != w->file)
		put_name(w, "fl=", FILE_NAME, function->file, function->file);
	w->object = function->object;
	w->file = function->file;
	put_name(w, "fn=", FUNCTION, f, function->name);
	if (!is_zero(&w->self[f])) {
		put_position(w, (struct gt_cost_site){ 0 });
		put_counts(t, &w->self[f]);
	}
	for (; *at < w->arcs.n && arc_at(w, *at)->caller == f; ++*at)
		put_call(w, arc_at(w, *at));
	gt_output_drain(w->out);
}

/* ---- header ---- */

static void put_number(struct gt_text *t, const char *key, int64_t value, const char *unit)
{
	gt_text_str(t, key);
	gt_text_i64(t, value);
	gt_text_str(t, unit);
}

static void put_text(struct gt_text *t, const char *text) { gt_text_harmless(t, text, strlen(text)); }

static void put_command(struct gt_text *t, const struct gt_process *p)
{
	gt_text_lit(t, "cmd: ");
	for (size_t i = 0; i < p->n_args; i++) {
		if (i)
			gt_text_char(t, ' ');
		put_text(t, p->args[i]);
	}
	if (!p->n_args && p->image)
		put_text(t, p->image);
	gt_text_char(t, '\n');
}

static void put_descriptions(struct gt_text *t, const struct cg_head *head)
{
	const struct gt_export *x = head->x;
	const struct gt_session *s = gt_model_session(x->model);
	char ledger[1024];

	gt_text_str(t, x->from_ns != GT_NO_TIME || x->to_ns != GT_NO_TIME ? "desc: Trigger: Window of the trace\n"
									    : "desc: Trigger: Whole trace\n");
	put_number(t, "desc: Timerange: ", x->from_ns != GT_NO_TIME && x->from_ns > 0 ? x->from_ns : 0, " ns - ");
	put_number(t, "", x->to_ns != GT_NO_TIME && x->to_ns < s->duration_ns ? x->to_ns : s->duration_ns, " ns\n");
	if (head->costs->untimed)
		put_number(t, "desc: Device work without times: ", (int64_t)head->costs->untimed, "\n");
	if (head->costs->unfinished)
		put_number(t, "desc: Calls that never returned: ", (int64_t)head->costs->unfinished, "\n");
	gt_text_lit(t, "desc: Ledger: ");
	put_text(t, gt_model_complete_text(x->model, ledger, sizeof ledger));
	gt_text_char(t, '\n');
}

static void put_events(struct gt_text *t, const struct cg_head *head)
{
	gt_text_str(t, head->instr ? "positions: instr line\n" : "positions: line\n");
#define X(id, name, text) gt_text_lit(t, "event: " name " : " text "\n");
	GT_COST_EVENTS(X)
#undef X
	gt_text_lit(t, "event: Host = Api + Wait : Host time in API calls (ns)\nevents:");
#define X(id, name, text) gt_text_lit(t, " " name);
	GT_COST_EVENTS(X)
#undef X
	gt_text_char(t, '\n');
}

/* A reader takes one of these lines that stands behind costs for the beginning of a new part. */
static void put_part_head(
	struct gt_text *t, const struct cg_head *head, const struct gt_cost_part *part, uint32_t number)
{
	if (part && part->pid >= 0)
		put_number(t, "pid: ", part->pid, "\n");
	put_number(t, "part: ", number, "\n");
	if (part && part->tid >= 0)
		put_number(t, "thread: ", part->tid, "\n");
	if (part && part->process != GT_COST_NONE)
		put_command(t, gt_model_process(head->x->model, part->process));
	put_descriptions(t, head);
	put_events(t, head);
}

/* The part that was collected. */
static void put_part(struct writer *w)
{
	const struct gt_cost_part *part = w->part < w->c->parts.n ? &w->c->parts.v[w->part] : NULL;
	struct gt_cost total = total_of(w);
	struct gt_text *t = &w->out->text;
	uint32_t at = 0;

	w->object = w->file = GT_COST_NONE;
	gt_text_char(t, '\n');
	put_part_head(t, w->head, part, ++w->written);
	put_all_counts(t, "summary:", &total);
	for (uint32_t f = 0; f < w->c->functions.n; f++)
		put_function(w, f, &at);
	gt_text_char(t, '\n');
	put_all_counts(t, "totals:", &total);
}

/* A process that marked ranges and made no calls has no part. A file has at least one. */
static bool put_parts(struct writer *w)
{
	for (uint32_t i = 0; i < w->c->parts.n; i++) {
		if (!collect(w, i))
			return false;
		if (w->arcs.n)
			put_part(w);
	}
	if (!w->written && !collect(w, GT_COST_NONE))
		return false;
	if (!w->written)
		put_part(w);
	return true;
}

int cg_write(struct gt_output *out, const struct cg_head *head)
{
	const struct gt_session *s = gt_model_session(head->x->model);
	struct writer w = { .out = out, .c = &head->costs->contexts, .head = head };
	bool ok = sum_up(&w);

	gt_text_lit(&out->text, "version: 1\ncreator: gputap");
	if (*s->version) {
		gt_text_char(&out->text, ' ');
		put_text(&out->text, s->version);
	}
	gt_text_char(&out->text, '\n');
	ok = ok && put_parts(&w);
	gt_map_free(&w.arc_of, sizeof(uint32_t));
	gt_bulk_free(&w.arcs);
	gt_paged_free(w.inclusive, w.c->contexts.n + 1, sizeof *w.inclusive);
	gt_paged_free(w.self, w.c->functions.n + 1, sizeof *w.self);
	for (int i = 0; i < NAME_KINDS; i++)
		gt_paged_free(w.told[i], names_of(&w, i), sizeof *w.told[i]);
	return ok && !out->text.failed ? 0 : -1;
}
