/*
 * analysis/reports/report.c - feed reports from one walk, find them by name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/reports/report.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/sum.h"
#include "common/nearest.h"
#include "common/paged.h"
#include "common/written.h"
#include "model/crew.h"
#include "model/sort.h"

/* Other names that people have in their scripts: ours of nsys' pattern, and those of nsys before 2022.4. */
static const struct { const char *alias, *name; } aliases[] = {
	{ "opencl_gpu_kern_sum", "opencl_kern_sum" }, { "opencl_gpu_kern_gb_sum", "opencl_kern_gb_sum" },
	{ "opencl_gpu_mem_time_sum", "opencl_mem_time_sum" }, { "opencl_gpu_mem_size_sum", "opencl_mem_size_sum" },
	{ "apigpusum", "cuda_api_gpu_sum" }, { "cudaapisum", "cuda_api_sum" }, { "cudaapitrace", "cuda_api_trace" },
	{ "gpukernsum", "cuda_gpu_kern_sum" }, { "gpukerngbsum", "cuda_gpu_kern_gb_sum" },
	{ "gpumemsizesum", "cuda_gpu_mem_size_sum" },
	{ "gpumemtimesum", "cuda_gpu_mem_time_sum" }, { "gpusum", "cuda_gpu_sum" }, { "gputrace", "cuda_gpu_trace" },
	{ "kernexecsum", "cuda_kern_exec_sum" }, { "kernexectrace", "cuda_kern_exec_trace" },
	{ "nvtxgpuproj", "nvtx_gpu_proj_trace" }, { "osrtsum", "osrt_sum" }, { "openmpsum", "openmp_sum" },
	{ "nvtxkernsum", "nvtx_kern_sum" }, { "nvtxppsum", "nvtx_pushpop_sum" },
	{ "nvtxpptrace", "nvtx_pushpop_trace" }, { "nvtxsssum", "nvtx_startend_sum" },
	{ "nvtxsum", "nvtx_sum" }, { "umcpupagefaults", "um_cpu_page_faults_sum" },
	{ "umcpupagefaultssum", "um_cpu_page_faults_sum" },
	{ "umsum", "um_sum" }, { "unifiedmemory", "um_sum" }, { "umtotalsum", "um_total_sum" },
	{ "unifiedmemorytotals", "um_total_sum" },
};

/* gt_reports_NAME[] of each file, ended by { 0 }; in the order in which reports are listed. */
#define LISTS \
	LIST(sum) LIST(trace) LIST(queue) LIST(cuda_sum) LIST(cuda_trace) LIST(cuda_streams) LIST(cuda_memory) \
	LIST(nvtx) LIST(osrt) LIST(openmp) LIST(timeline) LIST(idle) LIST(callers) LIST(waits) LIST(samples) \
	LIST(sched) LIST(metrics)
#define LIST(name) extern const struct gt_report gt_reports_##name[];
LISTS
#undef LIST

const struct gt_report *gt_report_at(unsigned i)
{
	static const struct gt_report *const lists[] = {
#define LIST(name) gt_reports_##name,
		LISTS
#undef LIST
	};

	for (unsigned l = 0; l < sizeof lists / sizeof *lists; l++)
		for (const struct gt_report *r = lists[l]; r->name; r++)
			if (!i--)
				return r;
	return NULL;
}

/* What the device did, what moved, what was called; then what is for a closer look. */
static const char *const defaults[] = {
	"opencl_kern_sum", "opencl_mem_time_sum", "opencl_mem_size_sum", "opencl_api_sum", "cuda_gpu_kern_sum",
	"cuda_graph_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "um_total_sum", "cuda_api_sum", "nvtx_sum",
	"osrt_sum", "openmp_sum",
	/* GT_REPORT_SUMMARY */
	"opencl_queue_sum", "cuda_stream_sum", "um_sum", "um_cpu_page_faults_sum",
};

const char *gt_report_default(unsigned i)
{
	return i < sizeof defaults / sizeof *defaults ? defaults[i] : NULL;
}

bool gt_report_is_default(const char *name)
{
	for (unsigned i = 0; gt_report_default(i); i++)
		if (!strcmp(gt_report_default(i), name))
			return true;
	return false;
}

static const struct gt_report *find_report(const char *name)
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

static int unknown_report(const char *name, struct gt_err *err)
{
	struct gt_nearest nearest = { .said = { name, strlen(name) } };
	const struct gt_report *r;
	char known[2048] = "";
	size_t used = 0;

	for (unsigned i = 0; (r = gt_report_at(i)) && used < sizeof known; i++) {
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? " " : "", r->name);
		gt_nearest_offer_text(&nearest, r->name);
	}
	for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
		gt_nearest_offer_text(&nearest, aliases[i].alias);
	return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap stats --help", "unknown report '%s'%s; known: %s", name,
		gt_nearest_text(&nearest, "").text, known);
}

static bool parse_option(const char *text, struct gt_report_request *q)
{
	char *end;

	if (!strcmp(text, "base") && !(q->options & GT_REPORT_MANGLED))
		q->options |= GT_REPORT_BASE;
	else if (!strcmp(text, "mangled") && !(q->options & GT_REPORT_BASE))
		q->options |= GT_REPORT_MANGLED;
	else if (!strcmp(text, "tree"))
		q->options |= GT_REPORT_TREE;
	else if (!strcmp(text, "flat"))
		return q->report->options & GT_REPORT_TREE && !(q->options & GT_REPORT_TREE);
	else if (!strncmp(text, "rows=", 5) && text[5] >= '0' && text[5] <= '9') {
		q->options |= GT_REPORT_ROWS;
		q->rows = (unsigned)strtoul(text + 5, &end, 10);
		return !*end;
	} else
		return false;
	return true;
}

int gt_report_parse(const char *name, struct gt_report_request *out, struct gt_err *err)
{
	char copy[64], *save = NULL, *option;
	bool good = true;

	if ((size_t)snprintf(copy, sizeof copy, "%s", name) >= sizeof copy || !(option = strtok_r(copy, ":", &save)))
		return unknown_report(name, err);
	*out = (struct gt_report_request){ .report = find_report(option) };
	if (!out->report)
		return unknown_report(option, err);
	out->rows = out->report->rows;
	while (good && (option = strtok_r(NULL, ":", &save)))
		good = parse_option(option, out);
	if (!good || out->options & ~out->report->options)
		return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap stats --help", "%s: this report takes %s", name,
			out->report->options & GT_REPORT_BASE ? "one of the options :base :mangled" :
			out->report->options & GT_REPORT_TREE ? "one of the options :flat :tree" :
			out->report->options ? "the option :rows=N" : "no options");
	snprintf(out->name, sizeof out->name, "%s%s", out->report->name, name + strcspn(name, ":"));
	return 0;
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

static const char *keep(struct gt_pool *a, const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = *s ? gt_pool_take(a, n) : NULL;

	return copy ? memcpy(copy, s, n) : "";
}

struct group_key { const char *const *text; const int64_t *number; uint64_t hash; };

static bool same_group(const void *element, const void *key, const void *ctx)
{
	const struct gt_group *p = *(struct gt_group *const *)element;
	const struct group_key *k = key;

	(void)ctx;
	return p->hash == k->hash && !memcmp(p->number, k->number, sizeof p->number) &&
		!strcmp(p->text[0], k->text[0]) && !strcmp(p->text[1], k->text[1]) && !strcmp(p->text[2], k->text[2]);
}

static struct gt_group *new_group(struct gt_groups *g, const struct group_key *key)
{
	struct gt_group *p = gt_pool_take(g->arena, sizeof *p);

	if (!p || !(p->samples = gt_pool_take(g->arena, g->n_samples * sizeof *p->samples)))
		return NULL;
	p->hash = key->hash;
	for (int i = 0; i < 3; i++) {
		p->text[i] = keep(g->arena, key->text[i]);
		p->number[i] = key->number[i];
	}
	if (g->last)
		g->last->next = p;
	else
		g->first = p;
	g->last = p;
	g->n++;
	return p;
}

struct gt_group *gt_groups_get(struct gt_groups *g, const char *const text[3], const int64_t number[3])
{
	const struct group_key key = { text, number, hash_of(text, number) };
	struct gt_group **at;
	bool fresh;

	gt_paged_tick();
	g->map.memory = gt_pool_memory(g->arena);
	at = gt_map_add(&g->map, sizeof *at, key.hash, &key, same_group, NULL, &fresh);
	if (!at)
		return NULL;
	if (fresh && !(*at = new_group(g, &key))) {
		gt_map_remove(&g->map, sizeof *at, at);
		return NULL;
	}
	return *at;
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

int gt_groups_join(struct gt_groups *g, struct gt_groups *from)
{
	for (struct gt_group *p = from->first; p; p = p->next) {
		struct gt_group *to = gt_groups_get(g, p->text, p->number);

		if (!to)
			return -1;
		for (unsigned k = 0; k < g->n_samples; k++)
			gt_samples_join(&to->samples[k], &p->samples[k]);
	}
	return 0;
}

/*
 * What decides of most pairs which comes first, beside the group: its total and, of its texts one behind the other, the
 * first bytes in which not all groups agree. Where there are very many, the groups themselves are not in memory.
 */
struct sortable { __int128 sum; uint64_t text; struct gt_group *group; };

static uint8_t byte_of(const struct gt_group *g, size_t i, size_t n[2])
{
	int text = 0;

	while (text < 2 && i > n[text])
		i -= n[text++] + 1;
	return (uint8_t)g->text[text][i];
}

/* How many bytes of their texts, zeros too, all groups have in common. */
static size_t common_bytes(const struct gt_groups *g)
{
	size_t common = SIZE_MAX;

	for (const struct gt_group *p = g->first; p; p = p->next) {
		size_t of_p[2] = { strlen(p->text[0]), strlen(p->text[1]) }, at = 0,
		       of_first[2] = { strlen(g->first->text[0]), strlen(g->first->text[1]) },
		       most = of_p[0] + of_p[1] + 2 + strlen(p->text[2]);

		gt_paged_tick();
		most = most < common ? most : common;
		while (at < most && byte_of(p, at, of_p) == byte_of(g->first, at, of_first))
			at++;
		common = at;
	}
	return common;
}

/* The bytes from one on, as a number that compares as they do. */
static uint64_t text_key(const struct gt_group *g, size_t from)
{
	size_t n[2] = { strlen(g->text[0]), strlen(g->text[1]) }, end = n[0] + n[1] + 2 + strlen(g->text[2]);
	uint64_t key = 0;

	for (size_t i = from; i < from + sizeof key; i++)
		key = key << 8 | (i < end ? byte_of(g, i, n) : 0);
	return key;
}

static int larger_first(const void *a, const void *b, const void *ctx)
{
	const struct sortable *p = a, *q = b;
	const struct gt_group *x = p->group, *y = q->group;
	int order = 0;

	(void)ctx;
	gt_paged_tick();
	if (p->sum != q->sum)
		return p->sum < q->sum ? 1 : -1;
	if (p->text != q->text)
		return p->text < q->text ? -1 : 1;
	for (int i = 0; i < 3 && !order; i++)
		order = strcmp(x->text[i], y->text[i]);
	for (int i = 0; i < 3 && !order; i++)
		order = (x->number[i] > y->number[i]) - (x->number[i] < y->number[i]);
	return order;
}

struct gt_group **gt_groups_sorted(struct gt_groups *g)
{
	struct gt_group **all = gt_pool_take(g->arena, (g->n + 1) * sizeof *all);
	struct gt_bulk_budget budget = { 0 };
	struct gt_bulk list = { 0 };
	size_t common = common_bytes(g);
	bool ok = all != NULL;

	for (struct gt_group *p = g->first; ok && p; p = p->next) {
		struct sortable *s = gt_bulk_add(&list, sizeof *s, &budget);

		gt_paged_tick();
		ok = s != NULL;
		if (ok)
			*s = (struct sortable){ p->samples->sum, text_key(p, common), p };
	}
	ok = ok && !gt_bulk_sort(&list, sizeof(struct sortable), larger_first, NULL, &budget);
	for (size_t i = 0; ok && i < list.n; i++)
		all[i] = ((struct sortable *)list.data)[i].group;
	gt_bulk_free(&list);
	return ok ? all : NULL;
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

const char *gt_command_kernel_name(const struct gt_command *c, unsigned options)
{
	const struct gt_string *name = options & GT_REPORT_BASE ? &c->short_name
		: options & GT_REPORT_MANGLED                   ? &c->name
								: &c->demangled;

	return name->text ? name->text : "[unknown kernel]";
}

static void three(char text[GT_GRID_TEXT], const char *before, const uint64_t n[3])
{
	snprintf(text, GT_GRID_TEXT, "%s%4llu %4llu %4llu", before, (unsigned long long)n[0], (unsigned long long)n[1],
		(unsigned long long)n[2]);
}

void gt_grid_text(const struct gt_command *c, char grid[GT_GRID_TEXT], char block[GT_GRID_TEXT])
{
	uint64_t g[3], b[3];

	if (gt_command_grid(c, g, b)) {
		three(grid, "", g);
		three(block, "", b);
		return;
	}
	if (c->has_global)
		three(grid, "items: ", g);
	else
		snprintf(grid, GT_GRID_TEXT, "unknown");
	snprintf(block, GT_GRID_TEXT, "unknown");
}

/* --------------------------------------------------------------------- run */

enum { MOST_REPORTS = 32 };

static int no_room(const struct gt_report *r, struct gt_err *err)
{
	return gt_fail(
		err, GT_EXIT_MISSING, "a temporary file could not be made either", NULL, "no memory for %s", r->name);
}

/* What the threads of a walk tell its calls to. Worker 0 has the reports' own states; they take in the others' at the
 * end. */
struct telling {
	const struct gt_report_request *reports;
	unsigned n;
	struct gt_table **tables;
	unsigned every[MOST_REPORTS], n_every;       /* those that are told each call */
	unsigned commands[MOST_REPORTS], n_commands; /* ... those with a command */
	unsigned again[MOST_REPORTS], n_again;       /* of both: those that are told in order */
	struct worker { void *states[MOST_REPORTS]; struct gt_pool *arena; } *workers;
	unsigned n_workers;
};

static void list_reports(struct telling *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		const struct gt_report *r = t->reports[i].report;

		if (r->call && !r->join)
			t->again[t->n_again++] = i;
		if (r->call && r->commands)
			t->commands[t->n_commands++] = i;
		else if (r->call)
			t->every[t->n_every++] = i;
	}
}

static bool takes(const struct gt_report *r, const struct gt_call *call)
{
	if (call->cuda)
		return r->cuda_calls;
	bool host = call->fn->domain == REC_DOMAIN_OSRT || call->fn->domain == REC_DOMAIN_OPENMP;

	return r->domain ? call->fn->domain == r->domain : !host;
}

/* 1: one of them wants it in order. */
static int tell_list(const struct telling *t, unsigned worker, const struct gt_call *call, const unsigned *list,
	unsigned n, struct gt_err *err)
{
	int again = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned i = list[k];
		const struct gt_report *r = t->reports[i].report;

		if (!takes(r, call))
			continue;
		if (!r->join && t->n_workers > 1)
			again = 1;
		else if (r->call(t->workers[worker].states[i], call, t->tables[i]))
			return no_room(r, err);
	}
	return again;
}

static int tell_call(void *ctx, unsigned worker, const struct gt_call *call, struct gt_err *err)
{
	const struct telling *t = ctx;
	int again = tell_list(t, worker, call, t->every, t->n_every, err), more = 0;

	if (call->command && again >= 0)
		more = tell_list(t, worker, call, t->commands, t->n_commands, err);
	return again < 0 || more < 0 ? -1 : again | more;
}

static int tell_again(void *ctx, const struct gt_call *call, struct gt_err *err)
{
	const struct telling *t = ctx;

	for (unsigned k = 0; k < t->n_again; k++) {
		unsigned i = t->again[k];
		const struct gt_report *r = t->reports[i].report;

		if (!takes(r, call) || (r->commands && !call->command))
			continue;
		if (r->call(t->workers[0].states[i], call, t->tables[i]))
			return no_room(r, err);
	}
	return 0;
}

static int open_worker(const struct gt_report_run *run, struct telling *t, struct worker *w, struct gt_err *err)
{
	bool good = (w->arena = gt_pool_new());

	if (good)
		gt_pool_one_of(w->arena, t->n_workers);
	for (unsigned i = 0; good && i < t->n; i++) {
		const struct gt_report *r = t->reports[i].report;

		if (!r->join)
			continue;
		good = (w->states[i] = r->begin(&t->reports[i], run->model, w->arena));
		if (good && r->window)
			r->window(w->states[i], run->from_ns, run->to_ns);
	}
	return good ? 0 : gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");
}

/* Of OpenCL; CUPTI tells nobody of such a call. */
static int tell_unfinished(void *ctx, const struct gt_call *call, struct gt_err *err)
{
	struct telling *t = ctx;

	for (unsigned i = 0; i < t->n; i++) {
		const struct gt_report *r = t->reports[i].report;

		if (r->unfinished && takes(r, call) && r->call(t->workers[0].states[i], call, t->tables[i]))
			return no_room(r, err);
	}
	return 0;
}

static int join_workers(struct telling *t, struct gt_err *err)
{
	for (unsigned w = 1; w < t->n_workers; w++)
		for (unsigned i = 0; i < t->n; i++) {
			const struct gt_report *r = t->reports[i].report;

			if (r->join && r->join(t->workers[0].states[i], t->workers[w].states[i]))
				return no_room(r, err);
		}
	return 0;
}

/* Of the workers: they stay as long as the states that took in what is in them. */
struct pools { struct gt_pool **pool; unsigned n; };

static bool pools_failed(const struct pools *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->pool[i] && gt_pool_failed(p->pool[i]))
			return true;
	return false;
}

static void pools_free(struct pools *p)
{
	for (unsigned i = 0; i < p->n; i++)
		gt_pool_free(p->pool[i]);
	free(p->pool);
}

static int walk(const struct gt_report_run *run, const struct gt_report_request *reports, void **states,
	struct gt_table **tables, unsigned n, bool cuda, struct pools *pools, struct gt_err *err)
{
	struct telling t = { .reports = reports, .n = n, .tables = tables };
	struct gt_crew crew = { .walk = { .process = -1, .from_ns = run->from_ns, .to_ns = run->to_ns,
			.progress = run->progress, .ctx = run->ctx, .cuda = cuda },
		.ctx = &t, .call = tell_call, .again = tell_again };
	int rc = 0;

	list_reports(&t);
	crew.workers = t.n_workers = gt_crew_workers(run->model, &crew.walk);
	t.workers = calloc(t.n_workers, sizeof *t.workers);
	pools->pool = calloc(t.n_workers, sizeof *pools->pool);
	if (!t.workers || !pools->pool)
		rc = gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");
	else
		memcpy(t.workers[0].states, states, n * sizeof *states);
	for (unsigned w = 1; !rc && w < t.n_workers; w++) {
		rc = open_worker(run, &t, &t.workers[w], err);
		pools->pool[pools->n++] = t.workers[w].arena;
	}
	if (!rc)
		rc = gt_crew_walk(run->model, &crew, err);
	if (!rc)
		rc = join_workers(&t, err);
	if (!rc)
		rc = gt_unfinished_calls(run->model, &crew.walk, tell_unfinished, &t, err);
	free(t.workers);
	return rc;
}

/* Everything that happened, to the reports that want it. */
static int tell(const struct gt_report_run *run, const struct gt_report_request *reports, void **states,
	struct gt_table **tables, unsigned n, struct pools *pools, struct gt_err *err)
{
	bool calls = false, cuda_calls = false, cuda = false, items = false;
	struct gt_cuda *c = NULL;

	for (unsigned i = 0; i < n; i++) {
		calls |= reports[i].report->call != NULL;
		cuda_calls |= reports[i].report->cuda_calls;
		cuda |= reports[i].report->kinds != 0;
		items |= reports[i].report->item != NULL;
	}
	if ((cuda || cuda_calls) && !(c = gt_model_cuda(run->model, err)))
		return -1;
	if (calls && walk(run, reports, states, tables, n, cuda_calls && gt_cuda_count(c, GT_CUDA_CALL), pools,
			     err))
		return -1;
	if (cuda && gt_reports_feed_cuda(run, reports, states, tables, n, err))
		return -1;
	return items ? gt_reports_feed_timeline(run, reports, states, n, err) : 0;
}

bool gt_report_splits(const struct gt_report *r) { return r->begin == gt_sum_begin; }

/* With the columns of the split between numbers and names; headings that are too long stay as they are. */
static void put_headings(const struct gt_report_request *q, char headings[512])
{
	const struct gt_sum_detail *d = q->report->detail;
	const char *at = q->report->headings;

	for (unsigned n = q->by ? d->sizes ? GT_SUM_SIZES : GT_SUM_TIMES : 0; n; n--)
		at = strchr(at, '|') + 1;
	snprintf(headings, 512, "%.*s%s%s", (int)(at - q->report->headings), q->report->headings,
		q->by ? q->by->headings : "", at);
}

static int begin(const struct gt_report_run *run, const struct gt_report_request *q, struct gt_pool *arena,
	struct gt_tables *of, void **state, struct gt_table **table, struct gt_err *err)
{
	const struct gt_report *r = q->report;
	char headings[512];

	put_headings(q, headings);
	*table = gt_table_new(q->name, r->title, headings, run->format, run->out, r->stream);
	if (*table)
		gt_table_in(*table, of);
	*state = *table ? r->begin(q, run->model, arena) : NULL;
	if (!*state)
		return gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");
	if (r->window)
		r->window(*state, run->from_ns, run->to_ns);
	return 0;
}

/* A table lacks rows: they could not be written, or not be kept until then. */
static int cannot_print(const struct gt_report_run *run, struct gt_err *err)
{
	return gt_written(run->out, "the report", err) ? -1 : gt_no_memory(err);
}

static int print(const struct gt_report_run *run, const struct gt_report_request *q, void *state,
	struct gt_table *table, struct gt_err *err)
{
	unsigned most = q->rows && (!run->most || q->rows < run->most) ? q->rows : run->most;

	if (q->report->end(state, table)) {
		gt_table_drop(table);
		return gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");
	}
	if (run->rows && !gt_table_empty(table))
		run->rows[q - run->reports] = true;
	if (run->skip_empty && gt_table_empty(table)) {
		gt_table_drop(table);
		return 0;
	}
	return gt_table_end(table, most) ? cannot_print(run, err) : 0;
}

/* One pass for these; prints them in order. */
static int run_some(const struct gt_report_run *run, const struct gt_report_request *reports, unsigned n,
	struct gt_tables *of, struct gt_err *err)
{
	/* Of reports that are told in order: by any worker, beside the first one's calls to the others. */
	struct gt_pool *in_order = gt_pool_new(), *arena = gt_pool_new();
	struct gt_table *tables[MOST_REPORTS] = { 0 };
	void *states[MOST_REPORTS] = { 0 };
	struct pools pools = { 0 };
	int rc = arena && in_order ? 0 : gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory");

	for (unsigned i = 0; !rc && i < n; i++)
		rc = begin(run, &reports[i], reports[i].report->call && !reports[i].report->join ? in_order : arena,
			of, &states[i], &tables[i], err);
	if (!rc)
		rc = tell(run, reports, states, tables, n, &pools, err);
	for (unsigned i = 0; i < n && tables[i]; i++)
		if (!rc)
			rc = print(run, &reports[i], states[i], tables[i], err);
		else
			gt_table_drop(tables[i]);
	if (!rc && (gt_pool_failed(arena) || gt_pool_failed(in_order) || pools_failed(&pools)))
		rc = gt_fail(err, GT_EXIT_MISSING, "the numbers printed above cannot be trusted", NULL,
			"a temporary file could not be read again");
	pools_free(&pools);
	gt_pool_free(in_order);
	gt_pool_free(arena);
	return rc;
}

int gt_reports_run(const struct gt_report_run *run, struct gt_err *err)
{
	unsigned from = 0;
	struct gt_tables of = { .several = run->n_reports > 1 };

	while (from < run->n_reports) {
		unsigned n = 1;

		if (!run->reports[from].report->stream)
			while (from + n < run->n_reports && !run->reports[from + n].report->stream && n < MOST_REPORTS)
				n++;
		if (run_some(run, run->reports + from, n, &of, err))
			return -1;
		from += n;
	}
	return gt_tables_end(&of, run->format, run->out) ? cannot_print(run, err) : 0;
}
