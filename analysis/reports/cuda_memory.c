/*
 * analysis/reports/cuda_memory.c - CUDA memory: what was allocated at most and is still held, and unified memory's
 * migrations and faults
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/cuda_work.h"
#include "common/hash.h"

#define HEX(name) char name[32]

static const char *hex(uint64_t v, char text[32])
{
	snprintf(text, 32, "0x%llX", (unsigned long long)v);
	return text;
}

/* --------------------------------------------------------------- allocations */

enum { ALLOCATION = 1, RELEASE = 2 };  /* CUPTI's */

struct usage {
	struct usage *next;
	struct gt_cuda_event who;       /* the first allocation */
	uint64_t allocations, releases, unknown;
	uint64_t held, held_bytes, peak_bytes, total_bytes;
};
/* One address that is allocated now. */
struct block { uint64_t address; uint32_t process; uint64_t bytes; struct usage *owner; };

struct memory {
	struct gt_model *model;
	struct gt_cuda *cuda;
	struct gt_pool *arena;
	struct usage *usages, **tail;
	struct gt_map blocks;           /* struct block */
};

static void *memory_begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct memory *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (s) {
		*s = (struct memory){ .model = m, .arena = a, .cuda = gt_model_cuda(m, &(struct gt_err){ 0 }) };
		s->tail = &s->usages;
		s->blocks.memory = gt_pool_memory(a);
	}
	return s;
}

static uint64_t hash_of(const struct block *key) { return gt_hash((uint64_t)key->process << 40, key->address); }

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct block *a = element, *b = key;

	(void)ctx;
	return a->address == b->address && a->process == b->process;
}

static struct usage *usage_of(struct memory *s, const struct gt_cuda_event *e)
{
	struct usage *u;

	for (u = s->usages; u; u = u->next)
		if (u->who.process == e->process && u->who.device == e->device &&
			u->who.memory.mem_kind == e->memory.mem_kind)
			return u;
	if ((u = gt_pool_take(s->arena, sizeof *u))) {
		u->who = *e;
		*s->tail = u;
		s->tail = &u->next;
	}
	return u;
}

static void give_back(const struct block *b)
{
	b->owner->held--;
	b->owner->held_bytes -= b->bytes;
}

static int allocate(struct memory *s, const struct gt_cuda_event *e)
{
	bool fresh;
	struct usage *u = usage_of(s, e);
	const struct block is = { e->memory.address, e->process, e->memory.bytes, u };
	struct block *b = u ? gt_map_add(&s->blocks, sizeof is, hash_of(&is), &is, same, NULL, &fresh) : NULL;

	if (!b)
		return -1;
	if (!fresh)                     /* its release is not in the trace */
		give_back(b);
	*b = is;
	u->allocations++;
	u->held++;
	u->total_bytes += e->memory.bytes;
	u->held_bytes += e->memory.bytes;
	if (u->held_bytes > u->peak_bytes)
		u->peak_bytes = u->held_bytes;
	return 0;
}

static int memory_add(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	const struct block key = { .address = e->memory.address, .process = e->process };
	struct memory *s = state;
	struct block *b;
	struct usage *u;

	(void)t;
	if (e->memory.operation == ALLOCATION)
		return allocate(s, e);
	if (e->memory.operation != RELEASE)
		return 0;
	b = gt_map_find(&s->blocks, sizeof key, hash_of(&key), &key, same, NULL);
	u = b ? b->owner : usage_of(s, e);
	if (!u)
		return -1;
	u->releases++;
	if (b) {
		give_back(b);
		gt_map_remove(&s->blocks, sizeof key, b);       /* addresses come back: the table holds what is held */
	} else {
		u->unknown++;
	}
	return 0;
}

static int memory_end(void *state, struct gt_table *t)
{
	struct memory *s = state;
	uint64_t unknown = 0;

	for (const struct usage *u = s->usages; u; u = u->next) {
		const char *kind = gt_cuda_mem_text(u->who.memory.mem_kind);
		char device[GT_DEVICE_TEXT];
		const struct gt_cell cell[] = {
			gt_number((double)u->peak_bytes / 1e6, 3), gt_number((double)u->held_bytes / 1e6, 3),
			gt_number((double)u->total_bytes / 1e6, 3),
			gt_integer((int64_t)u->allocations), gt_integer((int64_t)u->releases),
			gt_integer((int64_t)u->held),
			gt_integer(gt_model_process(s->model, u->who.process)->pid),
			gt_text(gt_cuda_device_text(s->cuda, &u->who, device)),
			gt_text(kind ? kind : "Unknown"),
		};
		unknown += u->unknown;
		if (gt_table_row(t, cell))
			return -1;
	}
	gt_table_missing(t, unknown, "releases of memory whose allocation was not seen");
	return 0;
}

/* ------------------------------------------------------------ unified memory */

/*
 * CUPTI's counters. A CPU fault is one record, its value the instruction that caused it; a record of GPU faults tells
 * how many.
 */
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST, CPU_FAULT, GPU_FAULT };

/*
 * Samples: bytes to the device, bytes to the host, CPU faults, GPU faults, ns of the migrations. numbers: the address.
 */
enum { TO_DEVICE, TO_HOST, CPU_FAULTS, GPU_FAULTS, NANOSECONDS, SAMPLES };

struct managed {
	const struct gt_report *report;
	struct gt_groups groups;
	uint64_t least, greatest, events;
};

static void *managed_begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct managed *s = gt_pool_take(a, sizeof *s);

	(void)m;
	if (s)
		*s = (struct managed){
			.report = r->report, .groups = { .arena = a, .n_samples = SAMPLES }, .least = UINT64_MAX
		};
	return s;
}

static int managed_count(struct managed *s, const struct gt_cuda_event *e, uint64_t key)
{
	struct gt_group *g = gt_groups_get(
		&s->groups, (const char *const[3]){ "", "", "" }, (const int64_t[3]){ (int64_t)key, 0, 0 });
	bool to_device = e->managed.counter == HOST_TO_DEVICE, to_host = e->managed.counter == DEVICE_TO_HOST;

	if (!g)
		return -1;
	g->samples[TO_DEVICE].sum += to_device ? e->managed.value : 0;
	g->samples[TO_HOST].sum += to_host ? e->managed.value : 0;
	g->samples[CPU_FAULTS].sum += e->managed.counter == CPU_FAULT;
	g->samples[GPU_FAULTS].sum += e->managed.counter == GPU_FAULT ? e->managed.value : 0;
	g->samples[NANOSECONDS].sum += (to_device || to_host) && e->timed ? e->end_ns - e->start_ns : 0;
	if (e->managed.address < s->least)
		s->least = e->managed.address;
	if (e->managed.address > s->greatest)
		s->greatest = e->managed.address;
	s->events++;
	return 0;
}

static bool counts(const struct gt_cuda_event *e)
{
	return e->managed.counter >= HOST_TO_DEVICE && e->managed.counter <= GPU_FAULT;
}

static int by_address(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	(void)t;
	return counts(e) ? managed_count(state, e, e->managed.address) : 0;
}

static int by_instruction(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	(void)t;
	return e->managed.counter == CPU_FAULT ? managed_count(state, e, e->managed.value) : 0;
}

static int all_as_one(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	(void)t;
	return counts(e) ? managed_count(state, e, 0) : 0;
}

static __int128 weight(const struct gt_group *g) { return g->samples[TO_DEVICE].sum + g->samples[TO_HOST].sum; }

/* Most bytes first, then most faults, then the least address. */
static int more_first(const void *a, const void *b)
{
	const struct gt_group *x = *(struct gt_group *const *)a, *y = *(struct gt_group *const *)b;
	__int128 fx = x->samples[CPU_FAULTS].sum + x->samples[GPU_FAULTS].sum,
		 fy = y->samples[CPU_FAULTS].sum + y->samples[GPU_FAULTS].sum;

	if (weight(x) != weight(y))
		return weight(x) < weight(y) ? 1 : -1;
	if (fx != fy)
		return fx < fy ? 1 : -1;
	return (uint64_t)x->number[0] < (uint64_t)y->number[0] ? -1 : 1;
}

static struct gt_group **managed_sorted(struct managed *s)
{
	struct gt_group **g = gt_groups_sorted(&s->groups);

	if (g)
		qsort(g, s->groups.n, sizeof *g, more_first);
	return g;
}

static int managed_rows(void *state, struct gt_table *t)
{
	struct managed *s = state;
	struct gt_group **g = managed_sorted(s);

	for (uint64_t i = 0; g && i < s->groups.n; i++) {
		const struct gt_samples *v = g[i]->samples;
		HEX(address);
		const struct gt_cell cell[] = {
			gt_text(hex((uint64_t)g[i]->number[0], address)),
			gt_number((double)v[TO_DEVICE].sum / 1e6, 3),
			gt_number((double)v[TO_HOST].sum / 1e6, 3),
			gt_integer((int64_t)v[CPU_FAULTS].sum),
			gt_integer((int64_t)v[GPU_FAULTS].sum),
			v[NANOSECONDS].sum
				? gt_number((double)weight(g[i]) / 1e6 / ((double)v[NANOSECONDS].sum / 1e9), 3)
				: gt_none(),
		};
		if (gt_table_row(t, cell))
			return -1;
	}
	return g ? 0 : -1;
}

static int managed_total(void *state, struct gt_table *t)
{
	struct managed *s = state;
	struct gt_group **g = managed_sorted(s);
	HEX(least);
	HEX(greatest);

	if (!g || !s->events)
		return g ? 0 : -1;
	const struct gt_samples *v = g[0]->samples;
	const struct gt_cell cell[] = {
		gt_number((double)v[TO_DEVICE].sum / 1e6, 3), gt_number((double)v[TO_HOST].sum / 1e6, 3),
		gt_integer((int64_t)v[CPU_FAULTS].sum),
		gt_integer((int64_t)v[GPU_FAULTS].sum), gt_text(hex(s->least, least)),
		gt_text(hex(s->greatest, greatest)),
	};
	return gt_table_row(t, cell);
}

static int fault_rows(void *state, struct gt_table *t)
{
	struct managed *s = state;
	struct gt_group **g = managed_sorted(s);

	for (uint64_t i = 0; g && i < s->groups.n; i++) {
		HEX(address);
		const struct gt_cell cell[] = { gt_integer((int64_t)g[i]->samples[CPU_FAULTS].sum),
			gt_text(hex((uint64_t)g[i]->number[0], address)) };

		if (gt_table_row(t, cell))
			return -1;
	}
	return g ? 0 : -1;
}

#define MANAGED(id, title_, headings_, each_, end_, options_, rows_) \
	{ .name = id, .title = title_, .headings = headings_, .options = options_, \
	  .recorded_by = "--cuda-um", .rows = rows_, .begin = managed_begin, .kinds = GT_KIND(MANAGED), \
	  .cuda = each_, .end = end_ }

const struct gt_report gt_reports_cuda_memory[] = {
	{ .name = "cuda_mem_usage",
		.title = "CUDA Memory Usage (Peak and Outstanding)",
		.recorded_by = "--cuda-memory-usage",
		.begin = memory_begin,
		.kinds = GT_KIND(MEMORY),
		.cuda = memory_add,
		.end = memory_end,
		.headings =
			"Peak (MB)|Outstanding (MB)|Total (MB)|Allocations|Releases|Outstanding|PID|Device<|MemKd<" },
	MANAGED("um_sum", "Unified Memory Analysis Summary",
		"Virtual Address<|HtoD Migration Size (MB)|DtoH Migration Size (MB)|CPU Page Faults|"
		"GPU PageFaults|Migration Throughput (MB/s)",
		by_address, managed_rows, GT_REPORT_ROWS, 10),
	MANAGED("um_total_sum", "Unified Memory Totals Summary",
		"Total HtoD Migration Size (MB)|Total DtoH Migration Size (MB)|Total CPU Page Faults|"
		"Total GPU PageFaults|Minimum Virtual Address<|Maximum Virtual Address<",
		all_as_one, managed_total, 0, 0),
	MANAGED("um_cpu_page_faults_sum", "Unified Memory CPU Page Faults Summary",
		"CPU Page Faults|CPU Instruction Address<", by_instruction, fault_rows, 0, 0),
	{ 0 },
};
