/*
 * analysis/reports/metrics.c - the metrics of each kernel over all its launches: what is known, counted and sampled
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/metrics/counted.h"
#include "analysis/metrics/metrics.h"
#include "analysis/metrics/monitored.h"
#include "analysis/metrics/sampled.h"
#include "analysis/metrics/source.h"
#include "analysis/pool.h"
#include "analysis/reports/report.h"
#include "common/hash.h"
#include "trace/format/counters.h"

struct sum {
	struct sum *next;
	const char *name, *unit;
	uint64_t launches;
	double all, least, most;
	bool whole;                     /* its values are integers */
};
/* Metrics of a launch come in one order nearly always: `last` is where the next one is looked for. */
struct kernel { struct kernel *next; struct gt_string name; struct sum *sums, *end, *last; };
struct by_name { struct kernel *kernel; };

struct state {
	struct gt_model *model;
	struct gt_pool *pool;
	struct gt_map names;            /* of struct by_name */
	struct kernel *kernels, *end;   /* in the order of their first launches */
	struct gt_counted *counted;     /* NULL: nothing was collected */
	struct gt_monitored *monitored; /* NULL: no samples of performance monitors */
	int64_t from_ns, to_ns;
};

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (s)
		*s = (struct state){ .model = m, .pool = a, .names.memory = gt_pool_memory(a), .from_ns = GT_NO_TIME,
			.to_ns = GT_NO_TIME };
	return s;
}

static void window(void *state, int64_t from_ns, int64_t to_ns)
{
	struct state *s = state;

	s->from_ns = from_ns;
	s->to_ns = to_ns;
}

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_string *a = &((const struct by_name *)element)->kernel->name, *b = key;

	(void)ctx;
	return gt_same_text(*a, *b);
}

static const char *copy(struct state *s, const char *text, size_t bytes)
{
	char *to = gt_pool_take(s->pool, bytes + 1);

	return to ? memcpy(to, text, bytes) : NULL;
}

static struct kernel *kernel_of(struct state *s, const struct gt_dispatch *d)
{
	struct gt_string name = d->cuda ? d->cuda->kernel.demangled : d->opencl->demangled;
	struct by_name *e;
	struct kernel *k;
	bool fresh;

	if (!name.bytes)
		name = d->kernel;
	e = gt_map_add(&s->names, sizeof *e, gt_hash_text(name.text ? name.text : "", name.bytes), &name, same, NULL,
		&fresh);
	if (!e || !fresh)
		return e ? e->kernel : NULL;
	k = gt_pool_take(s->pool, sizeof *k);
	if (!k)
		return NULL;
	k->name = (struct gt_string){ copy(s, name.text ? name.text : "", name.bytes), name.bytes };
	e->kernel = k;
	*(s->end ? &s->end->next : &s->kernels) = k;
	s->end = k;
	return k->name.text ? k : NULL;
}

/* unit: lives as long as the trace, or is copied. NULL: no memory. */
static struct sum *sum_of(struct state *s, struct kernel *k, const char *name, const char *unit, bool keep)
{
	struct sum *from = k->last && k->last->next ? k->last->next : k->sums, *at = from;

	while (at && strcmp(at->name, name)) {
		at = at->next ? at->next : k->sums;
		if (at == from)
			break;
	}
	if (!at || strcmp(at->name, name)) {
		at = gt_pool_take(s->pool, sizeof *at);
		if (!at)
			return NULL;
		at->name = keep ? name : copy(s, name, strlen(name));
		at->unit = keep ? unit : copy(s, unit, strlen(unit));
		if (!at->name || !at->unit)
			return NULL;
		*(k->end ? &k->end->next : &k->sums) = at;
		k->end = at;
	}
	k->last = at;
	return at;
}

static int add(struct sum *sum, double v, bool whole)
{
	if (!sum)
		return -1;
	sum->least = !sum->launches || v < sum->least ? v : sum->least;
	sum->most = !sum->launches || v > sum->most ? v : sum->most;
	sum->all += v;
	sum->launches++;
	sum->whole = whole;
	return 0;
}

static int add_tables(struct state *s, struct kernel *k, const struct gt_dispatch *d)
{
	for (size_t t = 0; t < GT_METRIC_TABLES; t++)
		for (size_t i = 0; gt_metrics_fit(t, d) && i < gt_metric_tables[t]->n; i++) {
			const struct gt_metric *m = &gt_metric_tables[t]->metrics[i];
			struct gt_metric_value v = m->of(d);
			bool whole = v.type == GT_METRIC_INTEGER;

			if ((whole || v.type == GT_METRIC_DOUBLE) &&
				add(sum_of(s, k, m->name, m->unit, true), whole ? (double)v.integer : v.real, whole))
				return -1;
		}
	return 0;
}

static int add_counted(struct state *s, struct kernel *k, const struct gt_dispatch *d)
{
	int64_t launch = d->cuda ? gt_counted_find(s->counted, d->process, REC_COUNTED_LAUNCH,
						  d->cuda->correlation) : -1;
	struct gt_counted_metric m;

	for (uint32_t i = 0; launch >= 0 && gt_counted_metric(s->counted, launch, 0, i, &m); i++)
		if (m.has && add(sum_of(s, k, m.name, m.unit, false), m.value, false))
			return -1;
	return 0;
}

/* Samples of the program counter, and counts by instruction. */
static int add_by_instruction(struct state *s, struct kernel *k, const struct gt_dispatch *d, bool samples)
{
	int64_t launch = d->cuda ? gt_counted_find(s->counted, d->process, REC_COUNTED_LAUNCH,
						  d->cuda->correlation) : -1;
	struct gt_sampled all;
	const char *why;
	const struct gt_counters *c = launch >= 0 ? gt_counted_at(s->counted, (uint32_t)launch) : NULL;
	int there = !c ? 0 : samples ? gt_sampled_of(s->model, c, &all, &why)
				     : gt_source_counts(s->model, c, &all, &why);

	for (uint32_t i = 0; there > 0 && i < all.n; i++) {
		const struct gt_sampled_metric *m = &all.metrics[i];
		const char *unit = samples ? "sample" : gt_source_unit(m->name);

		if (!m->why && add(sum_of(s, k, m->name, unit, false), (double)m->samples, true))
			there = -1;
	}
	if (there)
		gt_sampled_free(&all);
	return there < 0 ? -1 : 0;
}

static int add_monitored(struct state *s, struct kernel *k, const struct gt_dispatch *d)
{
	int64_t launch = d->cuda ? gt_counted_find(s->counted, d->process, REC_COUNTED_LAUNCH,
						  d->cuda->correlation) : -1;
	struct gt_monitored_metric m;

	for (uint32_t i = 0; launch >= 0 && gt_monitored_metric(s->monitored, (uint32_t)launch, i, &m); i++)
		if (!m.why && add(sum_of(s, k, m.name, m.unit, false), m.value, false))
			return -1;
	return 0;
}

static int each(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	struct state *s = ctx;
	struct kernel *k = kernel_of(s, d);

	return !k || add_tables(s, k, d) || add_counted(s, k, d) || add_by_instruction(s, k, d, true) ||
		add_by_instruction(s, k, d, false) || add_monitored(s, k, d) ? gt_no_memory(err) : 0;
}

static int put_rows(const struct state *s, struct gt_table *t)
{
	for (const struct kernel *k = s->kernels; k; k = k->next)
		for (const struct sum *m = k->sums; m; m = m->next) {
			const struct gt_cell row[] = { gt_integer((int64_t)m->launches),
				gt_number(m->all / (double)m->launches, 2),
				m->whole ? gt_integer((int64_t)m->least) : gt_number(m->least, 2),
				m->whole ? gt_integer((int64_t)m->most) : gt_number(m->most, 2), gt_text(m->unit),
				gt_text(m->name), gt_text(k->name.text) };

			if (gt_table_row(t, row))
				return -1;
		}
	return 0;
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	const struct gt_walk_options walk = { .process = -1, .cuda = true, .from_ns = s->from_ns, .to_ns = s->to_ns };
	const char *cupti = gt_model_cupti(s->model);  /* never the trace's: a library is code */
	struct gt_err err;
	int rc = gt_counted_open(s->model, cupti, &s->counted, &err);

	if (!rc)
		rc = gt_monitored_open(s->model, cupti, &s->monitored, &err);
	if (!rc)
		rc = gt_dispatches(s->model, &walk, each, s, &err);
	gt_monitored_close(s->monitored);
	gt_counted_close(s->counted);
	return rc ? -1 : put_rows(s, t);
}

const struct gt_report gt_reports_metrics[] = {
	{ .name = "kernel_metric_sum",
		.title = "Metrics of Kernels",
		.headings = "Launches|Avg|Min|Max|Unit<|Metric<|Kernel<",
		.begin = begin,
		.window = window,
		.end = end },
	{ 0 },
};
