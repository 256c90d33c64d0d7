/*
 * analysis/reports/nvtx.c - reports of NVTX ranges, and of what the device did for them
 *
 * The model has the ranges; the walk over the calls, OpenCL and CUDA, only adds which commands belong to which range:
 * those whose call lies wholly inside it on the same thread. A command counts for every range around it; of a CUDA
 * graph, the launch or its nodes. Ranges that never ended are taken to end at the last NVTX time of the trace; ranges
 * that ended on another thread have no commands.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/cuda_work.h"
#include "analysis/sum.h"
#include "common/paged.h"
#include "model/nvtx/ranges.h"
#include "model/window.h"

#define NO_RANGE UINT64_MAX

/* What is worked out for one range. */
struct work {
	uint64_t parent;                /* index of the push around it; NO_RANGE */
	uint64_t below;                 /* ring of the thread's open ranges: the one before; NO_RANGE */
	int64_t child_ns;               /* of its direct children */
	uint32_t children;
	uint64_t commands;
	int64_t first_ns, last_ns;      /* of its commands on the device */
};

struct state {
	const struct gt_report *report;
	unsigned options;
	struct gt_model *model;
	struct gt_cuda *cuda;           /* of reports that look at the device */
	struct gt_cuda_works works;
	struct gt_groups groups;
	struct gt_groups pairs;         /* of range and kernel name: met before? */
	int64_t from_ns, to_ns, last_ns; /* last_ns: where open ranges end */
	struct work *work;              /* by range */
	uint64_t *top;                  /* by thread: innermost range that may still be open */
	uint64_t next;                  /* ranges before it have begun */
};

static int64_t end_of(const struct state *s, const struct gt_range *g)
{
	return g->end_ns != GT_NO_TIME ? g->end_ns : s->last_ns;
}

static bool is_range(const struct gt_range *g) { return g->kind == REC_NVTX_PUSH || g->kind == REC_NVTX_START; }

static bool wanted(const struct state *s, const struct gt_range *g)
{
	return is_range(g) && gt_overlaps(s->from_ns, s->to_ns, g->start_ns, end_of(s, g));
}

static const char *style_of(const struct gt_range *g) { return g->kind == REC_NVTX_PUSH ? "PushPop" : "StartEnd"; }

/* "domain:text" in the report's memory; NULL: none left. */
static const char *name_of(struct state *s, const struct gt_range *g)
{
	size_t domain = g->domain_name.bytes, text = g->text.text ? g->text.bytes : 0;
	char *name = gt_pool_take(s->groups.arena, domain + text + 2);

	if (!name)
		return NULL;
	memcpy(name, g->domain_name.text, domain);
	name[domain] = ':';
	if (text)
		memcpy(name + domain + 1, g->text.text, text);
	return name;
}

/* ------------------------------------------------------------------ nesting */

static void find_last(struct state *s)
{
	for (uint64_t i = 0; i < gt_model_range_count(s->model); i++) {
		const struct gt_range *g = gt_model_range(s->model, i);

		if (g->start_ns > s->last_ns)
			s->last_ns = g->start_ns;
		if (g->end_ns != GT_NO_TIME && g->end_ns > s->last_ns)
			s->last_ns = g->end_ns;
	}
}

/* Takes what is over from the thread's chain, which stays in order of start. */
static void drop_ended(struct state *s, uint32_t thread, int64_t now)
{
	uint64_t *at = &s->top[thread];

	while (*at != NO_RANGE)
		if (end_of(s, gt_model_range(s->model, *at)) < now)
			*at = s->work[*at].below;
		else
			at = &s->work[*at].below;
}

/* The innermost push of the same thread and domain that is one level out. */
static uint64_t parent_of(const struct state *s, const struct gt_range *g)
{
	uint64_t i = s->top[g->thread];

	for (; i != NO_RANGE; i = s->work[i].below) {
		const struct gt_range *p = gt_model_range(s->model, i);

		if (p->kind == REC_NVTX_PUSH && p->domain == g->domain && p->level + 1 == g->level &&
			end_of(s, p) >= end_of(s, g))
			break;
	}
	return i;
}

/* Ranges that began by then enter their thread's chain. */
static void advance(struct state *s, int64_t now)
{
	for (; s->next < gt_model_range_count(s->model); s->next++) {
		const struct gt_range *g = gt_model_range(s->model, s->next);
		struct work *w = &s->work[s->next];

		if (g->start_ns > now)
			break;
		if (!is_range(g) || g->thread != g->end_thread)
			continue;
		drop_ended(s, g->thread, g->start_ns);
		w->parent = g->kind == REC_NVTX_PUSH && g->level ? parent_of(s, g) : NO_RANGE;
		if (w->parent != NO_RANGE) {
			s->work[w->parent].children++;
			s->work[w->parent].child_ns += end_of(s, g) - g->start_ns;
		}
		w->below = s->top[g->thread];
		s->top[g->thread] = s->next;
	}
}

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);
	uint64_t ranges = gt_model_range_count(m);
	uint32_t threads = gt_model_thread_count(m);

	if (!s)
		return NULL;
	*s = (struct state){ .report = r->report,
		.options = r->options,
		.model = m,
		.works = { .arena = a },
		.groups = { .arena = a, .n_samples = 2 },
		.from_ns = GT_NO_TIME,
		.to_ns = GT_NO_TIME,
		.cuda = r->report->cuda_calls ? gt_model_cuda(m, &(struct gt_err){ 0 }) : NULL };
	s->pairs = (struct gt_groups){ .arena = a, .n_samples = 1 };
	s->work = gt_pool_take(a, (ranges + 1) * sizeof *s->work);
	s->top = gt_pool_take(a, (threads + 1) * sizeof *s->top);
	if (!s->work || !s->top)
		return NULL;
	for (uint64_t i = 0; i < ranges; i++) {
		gt_paged_tick();
		s->work[i].parent = s->work[i].below = NO_RANGE;
	}
	for (uint32_t i = 0; i < threads; i++)
		s->top[i] = NO_RANGE;
	find_last(s);
	return s;
}

static void window(void *state, int64_t from_ns, int64_t to_ns)
{
	struct state *s = state;

	s->from_ns = from_ns;
	s->to_ns = to_ns;
}

/* ------------------------------------------------------------------ host side */

static struct gt_group *group_of(struct state *s, const struct gt_range *g, const char *third, const int64_t number[3])
{
	const char *name = name_of(s, g);

	return name ? gt_groups_get(&s->groups, (const char *const[3]){ name, style_of(g), third }, number) : NULL;
}

/* kind NULL: both. The columns are those of a sum; with both the style stands before the range. */
static int add_ranges(struct gt_sum *sum, const char *kind)
{
	struct state s = { .model = sum->model, .groups = { .arena = sum->groups.arena }, .from_ns = sum->from_ns,
		.to_ns = sum->to_ns };

	find_last(&s);
	for (uint64_t i = 0; i < gt_model_range_count(s.model); i++) {
		const struct gt_range *g = gt_model_range(s.model, i);
		const char *style = style_of(g), *name;

		if (!wanted(&s, g) || (kind && strcmp(kind, style)))
			continue;
		if (sum->by)
			sum->by->of_range(s.model, g, sum->key);
		if (!(name = name_of(&s, g)) || gt_sum_add(sum, end_of(&s, g) - g->start_ns, kind ? name : style,
							kind ? "" : name, ""))
			return -1;
	}
	return 0;
}

static int add_all(struct gt_sum *s) { return add_ranges(s, NULL); }
static int add_pushes(struct gt_sum *s) { return add_ranges(s, "PushPop"); }
static int add_starts(struct gt_sum *s) { return add_ranges(s, "StartEnd"); }

/* ":1:4:7", the ids from the outermost range in, and the name indented by the level. */
static const char *stack_of(struct state *s, uint64_t i)
{
	char text[512];
	size_t at = sizeof text - 1;

	text[at] = 0;
	for (; i != NO_RANGE; i = s->work[i].parent) {
		char number[32];
		int n = snprintf(number, sizeof number, ":%llu", (unsigned long long)i + 1);

		if ((size_t)n > at)
			break;
		at -= (size_t)n;
		memcpy(text + at, number, (size_t)n);
	}
	char *copy = gt_pool_take(s->groups.arena, sizeof text - at);

	return copy ? memcpy(copy, text + at, sizeof text - at) : "";
}

static const char *indented(struct state *s, const char *name, uint32_t level)
{
	size_t blanks = 2 * (size_t)(level < 64 ? level : 64), bytes = strlen(name) + 1;
	char *text = gt_pool_take(s->groups.arena, blanks + bytes);

	if (!text)
		return "";
	memset(text, ' ', blanks);
	memcpy(text + blanks, name, bytes);
	return text;
}

static int trace_end(void *state, struct gt_table *t)
{
	struct state *s = state;

	advance(s, INT64_MAX);
	for (uint64_t i = 0; i < gt_model_range_count(s->model); i++) {
		const struct gt_range *g = gt_model_range(s->model, i);
		const struct work *w = &s->work[i];
		int64_t ns = end_of(s, g) - g->start_ns;
		const char *name;

		if (g->kind != REC_NVTX_PUSH || !wanted(s, g))
			continue;
		if (!(name = name_of(s, g)))
			return -1;
		const struct gt_cell cell[] = {
			gt_integer(g->start_ns), gt_integer(end_of(s, g)), gt_integer(ns), gt_integer(w->child_ns),
			gt_integer(ns - w->child_ns),
			gt_text(name), gt_integer(gt_model_process(s->model, g->process)->pid),
			gt_integer(gt_model_thread(s->model, g->thread)->tid),
			gt_integer(g->level), gt_integer(w->children), gt_integer((int64_t)i + 1),
			w->parent != NO_RANGE ? gt_integer((int64_t)w->parent + 1) : gt_none(), gt_text(stack_of(s, i)),
			gt_text(indented(s, name, g->level)),
		};
		if (gt_table_row(t, cell))
			return -1;
	}
	return 0;
}

/* ---------------------------------------------------------------- device side */

/* One thing the device did. kernel: its name, NULL when it was none. */
struct piece { const char *kernel; int64_t start_ns, end_ns; };
typedef int (*each_range)(struct state *s, uint64_t range, const struct piece *p);

static int around(struct state *s, const struct gt_call *call, const struct piece *p, each_range each)
{
	advance(s, call->start_ns);
	drop_ended(s, call->thread, call->start_ns);
	for (uint64_t i = s->top[call->thread]; i != NO_RANGE; i = s->work[i].below) {
		const struct gt_range *g = gt_model_range(s->model, i);

		if (end_of(s, g) >= call->end_ns && each(s, i, p))
			return -1;
	}
	return 0;
}

/* What an OpenCL call set going; false: nothing that counts. */
static bool piece_of_command(const struct gt_command *c, unsigned options, struct piece *p)
{
	struct gt_operation o;

	if (!c || !c->timed)
		return false;
	gt_command_operation(c, &o);
	*p = (struct piece){ c->is_kernel ? gt_command_kernel_name(c, options) : NULL, c->start_ns, c->end_ns };
	return c->is_kernel || o.kind == GT_OPERATION_COPY || o.kind == GT_OPERATION_FILL;
}

static int around_cuda(struct state *s, const struct gt_call *call, bool kernels, each_range each)
{
	uint32_t n = gt_cuda_works_of(s->cuda, call->cuda, &s->works);
	struct gt_err err;

	if (n == UINT32_MAX)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct gt_cuda_event e;

		if (gt_cuda_get(s->cuda, s->works.at[i].kind, s->works.at[i].index, &e, &err))
			return -1;
		if (!e.timed || (kernels && e.kind != GT_CUDA_KERNEL))
			continue;
		const struct piece p = { e.kind == GT_CUDA_KERNEL ? gt_cuda_kernel_name(&e, s->options) : NULL,
			e.start_ns, e.end_ns };

		if (around(s, call, &p, each))
			return -1;
	}
	return 0;
}

static int device_call(struct state *s, const struct gt_call *call, bool kernels, each_range each)
{
	struct piece p;

	if (call->thread == GT_CUDA_NONE)
		return 0;
	if (call->cuda)
		return call->cuda->call.nested || !call->cuda->timed ? 0 : around_cuda(s, call, kernels, each);
	return piece_of_command(call->command, s->options, &p) && (!kernels || p.kernel) ? around(s, call, &p, each)
											 : 0;
}

/* samples: device times; one for each range, however many of its kernels have this name. */
static int add_kernel(struct state *s, uint64_t i, const struct piece *p)
{
	const struct gt_range *g = gt_model_range(s->model, i);
	const int64_t who[3] = { gt_model_process(s->model, g->process)->pid, gt_model_thread(s->model, g->thread)->tid,
		0 };
	struct gt_group *group = group_of(s, g, p->kernel, who);
	struct gt_group *pair =
		gt_groups_get(&s->pairs, (const char *const[3]){ "", "", p->kernel }, (const int64_t[3]){ (int64_t)i });

	if (!group || !pair || gt_samples_add(&group->samples[0], s->groups.arena, p->end_ns - p->start_ns))
		return -1;
	if (!pair->samples[0].n && gt_samples_add(&group->samples[1], s->groups.arena, 1))
		return -1;
	return gt_samples_add(&pair->samples[0], s->groups.arena, 1);
}

static int kernel_call(void *state, const struct gt_call *call, struct gt_table *t)
{
	(void)t;
	return device_call(state, call, true, add_kernel);
}

static int kernel_end(void *state, struct gt_table *t)
{
	struct state *s = state;
	struct gt_group **g = gt_groups_sorted(&s->groups);

	for (uint64_t i = 0; g && i < s->groups.n; i++) {
		const struct gt_samples *v = g[i]->samples;
		const struct gt_cell cell[] = {
			gt_text(g[i]->text[0]), gt_text(g[i]->text[1]), gt_integer(g[i]->number[0]),
			gt_integer(g[i]->number[1]), gt_integer((int64_t)v[1].n),
			gt_integer((int64_t)v->n), gt_number((double)v->sum, 0), gt_number(gt_samples_mean(v), 1),
			gt_number(gt_samples_median(v), 1),
			gt_integer(v->min), gt_integer(v->max), gt_number(gt_samples_deviation(v), 1),
			gt_text(g[i]->text[2]),
		};
		if (gt_table_row(t, cell))
			return -1;
	}
	return g ? 0 : -1;
}

static int add_operation(struct state *s, uint64_t i, const struct piece *p)
{
	struct work *w = &s->work[i];

	if (!w->commands++ || p->start_ns < w->first_ns)
		w->first_ns = p->start_ns;
	if (w->commands == 1 || p->end_ns > w->last_ns)
		w->last_ns = p->end_ns;
	return 0;
}

static int operation_call(void *state, const struct gt_call *call, struct gt_table *t)
{
	(void)t;
	return device_call(state, call, false, add_operation);
}

static int projection_trace_end(void *state, struct gt_table *t)
{
	struct state *s = state;

	advance(s, INT64_MAX);
	for (uint64_t i = 0; i < gt_model_range_count(s->model); i++) {
		const struct gt_range *g = gt_model_range(s->model, i);
		const struct work *w = &s->work[i];
		const char *name;

		if (!w->commands)
			continue;
		if (!(name = name_of(s, g)))
			return -1;
		const struct gt_cell cell[] = {
			gt_text(name),
			gt_integer(w->first_ns),
			gt_integer(w->last_ns - w->first_ns),
			gt_integer(g->start_ns),
			gt_integer(end_of(s, g) - g->start_ns),
			gt_text(style_of(g)),
			gt_integer(gt_model_process(s->model, g->process)->pid),
			gt_integer(gt_model_thread(s->model, g->thread)->tid),
			gt_integer((int64_t)w->commands),
			gt_integer(g->level),
			gt_integer(w->children),
			gt_integer((int64_t)i + 1),
			w->parent != NO_RANGE ? gt_integer((int64_t)w->parent + 1) : gt_none(),
			gt_text(stack_of(s, i)),
		};
		if (gt_table_row(t, cell))
			return -1;
	}
	return 0;
}

/* samples: projected time, original time, commands, level, children */
static int collect_projections(struct state *s)
{
	struct gt_pool *a = s->groups.arena;

	s->groups.n_samples = 5;
	for (uint64_t i = 0; i < gt_model_range_count(s->model); i++) {
		const struct gt_range *g = gt_model_range(s->model, i);
		const struct work *w = &s->work[i];
		struct gt_group *group;

		if (!w->commands)
			continue;
		group = group_of(s, g, "", (const int64_t[3]){ 0 });
		if (!group || gt_samples_add(&group->samples[0], a, w->last_ns - w->first_ns) ||
			gt_samples_add(&group->samples[1], a, end_of(s, g) - g->start_ns) ||
			gt_samples_add(&group->samples[2], a, (int64_t)w->commands) ||
			gt_samples_add(&group->samples[3], a, g->level) ||
			gt_samples_add(&group->samples[4], a, w->children))
			return -1;
	}
	return 0;
}

static int projection_sum_end(void *state, struct gt_table *t)
{
	struct state *s = state;
	struct gt_group **g;

	advance(s, INT64_MAX);
	if (collect_projections(s) || !(g = gt_groups_sorted(&s->groups)))
		return -1;
	for (uint64_t i = 0; i < s->groups.n; i++) {
		const struct gt_samples *v = g[i]->samples;
		const struct gt_cell cell[] = {
			gt_text(g[i]->text[0]), gt_text(g[i]->text[1]), gt_number((double)v[0].sum, 0),
			gt_number((double)v[1].sum, 0),
			gt_integer((int64_t)v[0].n), gt_number(gt_samples_mean(&v[0]), 1),
			gt_number(gt_samples_median(&v[0]), 1), gt_integer(v[0].min),
			gt_integer(v[0].max), gt_number(gt_samples_deviation(&v[0]), 1), gt_integer((int64_t)v[2].sum),
			gt_number(gt_samples_mean(&v[2]), 1), gt_number(gt_samples_mean(&v[3]), 1),
			gt_number(gt_samples_mean(&v[4]), 1),
		};
		if (gt_table_row(t, cell))
			return -1;
	}
	return 0;
}

#define SUM(id, title_, headings_, rest_, texts_) \
	{ .name = id, .title = title_, .headings = GT_TIMES("Instances") headings_, .begin = gt_sum_begin, \
	  .window = gt_sum_window, .end = gt_sum_end, \
	  .detail = &(const struct gt_sum_detail){ .rest = rest_, .texts = texts_ } }
#define DEVICE(id, title_, headings_, call_, end_, options_) \
	{ .name = id, .title = title_, .headings = headings_, .options = options_, \
	  .begin = begin, .call = call_, .cuda_calls = true, .end = end_, .window = window }

const struct gt_report gt_reports_nvtx[] = {
	SUM("nvtx_sum", "NVTX Range Summary", "Style<|Range<", add_all, 2),
	SUM("nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", "Range<", add_pushes, 1),
	SUM("nvtx_startend_sum", "NVTX Start/End Range Summary", "Range<", add_starts, 1),
	{ .name = "nvtx_pushpop_trace",
		.title = "NVTX Push/Pop Range Trace",
		.headings = "Start (ns)|End (ns)|Duration (ns)|DurChild (ns)|DurNonChild (ns)|Name<|PID|TID|Lvl|"
			    "NumChild|RangeId|ParentId|RangeStack<|NameTree<",
		.begin = begin,
		.window = window,
		.end = trace_end },
	DEVICE("nvtx_kern_sum", "NVTX Range Kernel Summary",
		"NVTX Range<|Style<|PID|TID|NVTX Inst|Kern Inst|Total Time (ns)|Avg (ns)|Med (ns)|Min (ns)|Max "
	        "(ns)|StdDev (ns)|Kernel Name<",
		kernel_call, kernel_end, GT_REPORT_BASE | GT_REPORT_MANGLED),
	DEVICE("nvtx_gpu_proj_sum", "NVTX GPU Projection Summary",
		"Range<|Style<|Total Proj Time (ns)|Total Range Time (ns)|Range Instances|Proj Avg (ns)|Proj Med "
	        "(ns)|Proj Min (ns)|Proj Max (ns)|"
		"Proj StdDev (ns)|Total GPU Ops|Avg GPU Ops|Avg Range Lvl|Avg Num Child",
		operation_call, projection_sum_end, 0),
	DEVICE("nvtx_gpu_proj_trace", "NVTX GPU Projection Trace",
		"Name<|Projected Start (ns)|Projected Duration (ns)|Orig Start (ns)|Orig Duration "
	        "(ns)|Style<|PID|TID|NumGPUOps|Lvl|NumChild|RangeId|"
		"ParentId|RangeStack<",
		operation_call, projection_trace_end, 0),
	{ 0 },
};
