/*
 * analysis/reports/cuda_streams.c - how busy each CUDA stream was, and what CUDA graphs took
 *
 * Activities come in order of start, so busy time and gaps add up as they come: busy time is the union of the device
 * times, a gap a time between two activities in which none ran; before the first and behind the last there is none.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/cuda_work.h"
#include "common/hash.h"

#define OPERATIONS (GT_KIND(KERNEL) | GT_KIND(COPY) | GT_KIND(FILL) | GT_KIND(GRAPH))

/* ------------------------------------------------------------------- streams */

enum { BUCKETS = 1024 };

struct stream {
	struct stream *next;            /* of the same bucket */
	struct gt_cuda_event who;       /* the first activity */
	uint64_t operations, kernels;
	int64_t start_ns, until_ns, busy_ns;
	struct gt_samples gaps;
};

struct streams {
	struct gt_model *model;
	struct gt_cuda *cuda;
	struct gt_pool *arena;
	struct stream *bucket[BUCKETS], *latest;
	uint64_t n, missing;
};

static void *streams_begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct streams *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (s) {
		s->model = m;
		s->arena = a;
		s->cuda = gt_model_cuda(m, &(struct gt_err){ 0 });
	}
	return s;
}

static bool same(const struct stream *q, const struct gt_cuda_event *e)
{
	return q->who.process == e->process && q->who.context == e->context && q->who.stream == e->stream;
}

static struct stream *stream_of(struct streams *s, const struct gt_cuda_event *e)
{
	struct stream **at = &s->bucket[(e->stream * 31 + e->context * 7 + e->process * 131) % BUCKETS], *q = s->latest;

	if (q && same(q, e))
		return q;
	for (q = *at; q && !same(q, e); q = q->next)
		;
	if (!q && (q = gt_pool_take(s->arena, sizeof *q))) {
		*q = (struct stream){ .next = *at, .who = *e, .start_ns = e->start_ns, .until_ns = e->start_ns };
		*at = q;
		s->n++;
	}
	return s->latest = q;
}

static int streams_add(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	struct streams *s = state;
	struct stream *q;

	(void)t;
	if (!e->timed) {
		s->missing++;
		return 0;
	}
	if (!(q = stream_of(s, e)))
		return -1;
	if (e->start_ns > q->until_ns && gt_samples_add(&q->gaps, s->arena, e->start_ns - q->until_ns))
		return -1;
	if (e->end_ns > q->until_ns) {
		q->busy_ns += e->end_ns - (e->start_ns > q->until_ns ? e->start_ns : q->until_ns);
		q->until_ns = e->end_ns;
	}
	q->operations++;
	q->kernels += e->kind == GT_CUDA_KERNEL;
	return 0;
}

static int in_order(const void *a, const void *b)
{
	const struct gt_cuda_event *x = &(*(struct stream *const *)a)->who, *y = &(*(struct stream *const *)b)->who;
	const uint32_t p[3] = { x->process, x->context, x->stream }, q[3] = { y->process, y->context, y->stream };

	for (int i = 0; i < 3; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

static int stream_row(const struct streams *s, const struct stream *q, struct gt_table *t)
{
	int64_t span = q->until_ns - q->start_ns;
	char device[GT_DEVICE_TEXT];
	const struct gt_cell cell[] = {
		gt_number(span ? 100.0 * (double)q->busy_ns / (double)span : 0, 1), gt_integer(q->busy_ns),
		gt_integer(span),
		gt_integer((int64_t)q->operations), gt_integer((int64_t)q->kernels), gt_integer((int64_t)q->gaps.n),
		gt_integer((int64_t)q->gaps.sum),
		gt_number(gt_samples_mean(&q->gaps), 1), gt_number(gt_samples_median(&q->gaps), 1),
		gt_integer(q->gaps.max),
		gt_integer(gt_model_process(s->model, q->who.process)->pid),
		gt_text(gt_cuda_device_text(s->cuda, &q->who, device)),
		gt_cuda_id(q->who.context), gt_cuda_id(q->who.stream),
	};

	return gt_table_row(t, cell);
}

static int streams_end(void *state, struct gt_table *t)
{
	struct streams *s = state;
	struct stream **all = gt_pool_take(s->arena, (s->n + 1) * sizeof *all);
	uint64_t n = 0;

	if (!all)
		return -1;
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct stream *q = s->bucket[i]; q; q = q->next)
			all[n++] = q;
	qsort(all, n, sizeof *all, in_order);
	for (uint64_t i = 0; i < n; i++)
		if (stream_row(s, all[i], t))
			return -1;
	gt_table_missing(t, s->missing, "operations without device times");
	return 0;
}

/* -------------------------------------------------------------------- graphs */

/*
 * A launch is one activity (whole graphs), or several of one correlation id (nodes): from the start of the first to the
 * end of the last. Numbers of a group: process, graph, graph exec (-1: not told). samples: times, nodes.
 */
struct launch { uint64_t key; uint32_t process, graph, nodes; int64_t first_ns, last_ns; };

struct graphs {
	struct gt_model *model;
	struct gt_groups groups, nodes; /* nodes: how many a graph has, by process and graph */
	struct gt_map launches;         /* struct launch */
	uint64_t missing;
	__int128 total;
};

static void *graphs_begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct graphs *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (s) {
		s->model = m;
		s->groups = (struct gt_groups){ .arena = a, .n_samples = 2 };
		s->nodes = (struct gt_groups){ .arena = a, .n_samples = 1 };
		s->launches.memory = gt_pool_memory(a);
	}
	return s;
}

static bool same_launch(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct launch *)element)->key == *(const uint64_t *)key;
}

/* A node of a graph ran. */
static int add_node(struct graphs *s, const struct gt_cuda_event *e)
{
	uint64_t key = (uint64_t)e->process << 32 | e->correlation;
	bool fresh;
	struct launch *l = gt_map_add(&s->launches, sizeof *l, gt_hash(GT_HASH, key), &key, same_launch, NULL, &fresh);

	if (!l)
		return -1;
	if (fresh)
		*l = (struct launch){ key, e->process, e->graph, 0, e->start_ns, e->end_ns };
	l->nodes++;
	if (e->start_ns < l->first_ns)
		l->first_ns = e->start_ns;
	if (e->end_ns > l->last_ns)
		l->last_ns = e->end_ns;
	return 0;
}

static const char *const no_texts[3] = { "", "", "" };

static int64_t number_of(uint32_t id) { return id == GT_CUDA_NONE ? -1 : (int64_t)id; }

static int add_launch(struct graphs *s, uint32_t process, uint32_t graph, uint32_t exec, int64_t ns, uint32_t nodes)
{
	struct gt_group *g =
		gt_groups_get(&s->groups, no_texts, (const int64_t[3]){ process, number_of(graph), number_of(exec) });

	s->total += ns;
	if (!g || gt_samples_add(&g->samples[0], s->groups.arena, ns))
		return -1;
	return nodes ? gt_samples_add(&g->samples[1], s->groups.arena, nodes) : 0;
}

/* A node was made in a graph: whole-graph launches do not tell how many they run. */
static int count_node(struct graphs *s, const struct gt_cuda_event *e)
{
	struct gt_group *g;

	if (e->graph_event.what == REC_CUPTI_NODE_DESTROYED)
		return 0;
	g = gt_groups_get(&s->nodes, no_texts, (const int64_t[3]){ e->process, (int64_t)e->graph_event.graph, 0 });
	return g ? gt_samples_add(g->samples, s->nodes.arena, 1) : -1;
}

static int graphs_add(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	struct graphs *s = state;

	(void)t;
	if (e->kind == GT_CUDA_NODE_EVENT)
		return count_node(s, e);
	if (e->kind != GT_CUDA_GRAPH && !e->graph_node)
		return 0;
	if (!e->timed) {
		s->missing++;
		return 0;
	}
	if (e->kind == GT_CUDA_GRAPH)
		return add_launch(s, e->process, e->graph, e->graph_launch.exec, e->end_ns - e->start_ns, 0);
	return add_node(s, e);
}

static struct gt_cell nodes_of(struct graphs *s, const struct gt_group *g)
{
	const struct gt_group *made;

	if (g->samples[1].n)
		return gt_number(gt_samples_mean(&g->samples[1]), 1);
	made = gt_groups_get(&s->nodes, no_texts, (const int64_t[3]){ g->number[0], g->number[1], 0 });
	return made && made->samples->n ? gt_number((double)made->samples->n, 1) : gt_none();
}

static int graphs_end(void *state, struct gt_table *t)
{
	struct graphs *s = state;
	struct gt_group **g;

	for (const struct launch *l = NULL; (l = gt_map_next(&s->launches, sizeof *l, l));)
		if (add_launch(s, l->process, l->graph, GT_CUDA_NONE, l->last_ns - l->first_ns, l->nodes))
			return -1;
	if (!(g = gt_groups_sorted(&s->groups)))
		return -1;
	for (uint64_t i = 0; i < s->groups.n; i++) {
		const struct gt_samples *v = g[i]->samples;
		const struct gt_cell cell[] = {
			gt_number(s->total ? 100.0 * (double)v->sum / (double)s->total : 0, 1),
			gt_number((double)v->sum, 0),
			gt_integer((int64_t)v->n),
			gt_number(gt_samples_mean(v), 1),
			gt_number(gt_samples_median(v), 1),
			gt_integer(v->min),
			gt_integer(v->max),
			gt_number(gt_samples_deviation(v), 1),
			nodes_of(s, g[i]),
			gt_integer(gt_model_process(s->model, (uint32_t)g[i]->number[0])->pid),
			g[i]->number[1] < 0 ? gt_none() : gt_integer(g[i]->number[1]),
			g[i]->number[2] < 0 ? gt_none() : gt_integer(g[i]->number[2]),
			gt_text(v[1].n ? "nodes" : "graph"),
		};
		if (gt_table_row(t, cell))
			return -1;
	}
	gt_table_missing(t, s->missing, "graph launches or nodes without device times");
	return 0;
}

const struct gt_report gt_reports_cuda_streams[] = {
	{ .name = "cuda_stream_sum",
		.title = "CUDA Stream Summary (Utilisation and Gaps)",
		.begin = streams_begin,
		.kinds = OPERATIONS,
		.cuda = streams_add,
		.end = streams_end,
		.headings = "Utilization (%)|Busy Time (ns)|Span (ns)|Operations|Kernels|Gaps|Total Gap (ns)|Avg Gap "
	                    "(ns)|Med Gap (ns)|Max Gap (ns)|PID|"
			    "Device<|Ctx|Strm" },
	{ .name = "cuda_graph_sum",
		.title = "CUDA Graph Launch Summary",
		.begin = graphs_begin,
		.kinds = OPERATIONS | GT_KIND(NODE_EVENT),
		.cuda = graphs_add,
		.end = graphs_end,
		.headings = "Time (%)|Total Time (ns)|Launches|Avg (ns)|Med (ns)|Min (ns)|Max (ns)|StdDev (ns)|Avg "
	                    "Nodes|PID|Graph|Exec|Traced as<" },
	{ 0 },
};
