/*
 * writers/sqlite/cuda.c - CUDA's API calls and device work in the CUPTI_ACTIVITY_KIND_ tables
 *
 * ROW1  A correlation id is CUPTI's; images of one pid and OpenCL calls of the same pid have ranges of their own
 *       (docs/sqlite.md).
 * ROW2  Device work without usable times has no row; its call has one.
 * ROW3  Device work keeps the order that consumers rely on: behind the session's zero, not before the call that
 *       caused it; each time that is moved for it is counted.
 * ROW4  Rows stream from the model into pages; nothing here grows with the trace.
 *
 * The mapping: docs/sqlite.md "From CUDA to the tables".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/stacks/stacks.h"
#include "writers/sqlite/cuda.h"

#include <stdlib.h>
#include <string.h>

#include "model/window.h"

#define RANGE (1ll << 32)               /* CUPTI's correlation ids have 32 bits */
#define STRINGS 1024
#define NO_CELL (-1)

#define CELLS_GRAPH(X) \
	X(GR, start) X(GR, end) X(GR, deviceId) X(GR, contextId) X(GR, streamId) X(GR, correlationId) X(GR, globalPid) \
	X(GR, greenContextId) \
	X(GR, graphId) X(GR, graphExecId)
#define CELLS_RECORD(X) \
	X(ER, timestamp) X(ER, deviceId) X(ER, contextId) X(ER, streamId) X(ER, correlationId) X(ER, globalPid) \
	X(ER, greenContextId) \
	X(ER, eventId) X(ER, eventSyncId)
#define CELLS_DECOMPRESS(X) \
	X(MD, start) X(MD, end) X(MD, deviceId) X(MD, contextId) X(MD, streamId) X(MD, correlationId) X(MD, globalPid) \
	X(MD, eventClass) \
	X(MD, ChannelID) X(MD, sourceBytes) X(MD, NumberOfOperations)
#define TABLES(T) \
	T(graph, CUPTI_ACTIVITY_KIND_GRAPH_TRACE, CELLS_GRAPH) T(record, CUPTI_ACTIVITY_KIND_CUDA_EVENT, CELLS_RECORD) \
	T(decompress, CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS, CELLS_DECOMPRESS)

#define X(prefix, cell) prefix##_##cell,
enum { CELLS_GRAPH(X) };
enum { CELLS_RECORD(X) };
enum { CELLS_DECOMPRESS(X) };
#undef X
#define X(prefix, cell) #cell,
#define T(member, table, cells) static const char *const member##_cells[] = { cells(X) };
TABLES(T)
#undef T
#undef X

/* Ids of texts by their address: names of calls and kernels are few and come millions of times. */
struct known_string { const char *text; size_t bytes; int64_t id; };

struct gt_sql_cuda {
	struct gt_cuda *model;
	bool nested;                    /* rows for driver calls inside runtime calls too */
	uint64_t next_call;
	int64_t *base;                  /* by process: of correlation ids */
	GT_LIST(struct made_exec { uint32_t process; uint32_t exec; uint32_t graph; }) execs; /* sorted */
	uint32_t n_gpus;                /* numbers below are CUDA's */
	struct known_string string[STRINGS];
#define T(name, table, cells) struct gt_sql_table *name;
	TABLES(T)
#undef T
};

/* ------------------------------------------------------------------- numbers */

struct gt_cuda *gt_sql_cuda_model(const struct gt_sql_feeder *f) { return f->cuda ? f->cuda->model : NULL; }

int64_t gt_sql_cuda_correlation(const struct gt_sql_feeder *f, uint32_t process, uint32_t correlation)
{
	return f->cuda->base[process] + correlation;
}

uint32_t gt_sql_cuda_gpus(const struct gt_sql_feeder *f) { return f->cuda ? f->cuda->n_gpus : 0; }

/* Devices may share a UUID: then the multiprocessors have to be as many, and of those that look alike it is the nth. */
int64_t gt_sql_cuda_gpu_of(const struct gt_sql_feeder *f, const uint8_t uuid[16], uint32_t units, uint32_t nth)
{
	int64_t last = -1;

	for (uint32_t i = 0; i < gt_cuda_device_count(f->cuda->model); i++) {
		const struct gt_cuda_device *d = gt_cuda_device(f->cuda->model, i);

		if (!d->has_uuid || memcmp(d->uuid, uuid, sizeof d->uuid) || d->index <= last ||
			(units && d->sms > 0 && d->sms != units))
			continue;
		last = d->index;
		if (!nth--)
			break;
	}
	return last;
}

static bool same_pid(const struct gt_model *m, uint32_t a, uint32_t b)
{
	return gt_model_process(m, a)->pid == gt_model_process(m, b)->pid;
}

bool gt_sql_cuda_describes(const struct gt_sql_feeder *f, uint32_t process, int64_t number)
{
	for (uint32_t i = 0; f->cuda && i < gt_cuda_device_count(f->cuda->model); i++) {
		const struct gt_cuda_device *d = gt_cuda_device(f->cuda->model, i);

		if (d->index == number && same_pid(f->m, d->process, process))
			return true;
	}
	return false;
}

int64_t gt_sql_cuda_known(const struct gt_sql_feeder *f, uint32_t process, uint32_t id)
{
	const struct gt_cuda_device *d = id != GT_CUDA_NONE ? gt_cuda_device_of(f->cuda->model, process, id) : NULL;

	return d ? (int64_t)d->index : -1;
}

int64_t gt_sql_cuda_device(struct gt_sql_feeder *f, uint32_t process, uint32_t id)
{
	int64_t known = gt_sql_cuda_known(f, process, id);

	return known >= 0 ? known : gt_sql_unknown_device(f);
}

int64_t gt_sql_cuda_tid(struct gt_sql_feeder *f, const struct gt_cuda_event *e)
{
	if (e->thread != GT_CUDA_NONE) {
		f->thread_used[e->thread] = true;
		return gt_sql_tid(f, e->process, e->thread);
	}
	return gt_sql_pid(f, e->process) | (e->tid > 0 ? e->tid & 0xffffff : 0);
}

/* A green context's work stands in the context that it is a part of. */
struct gt_sql_place gt_sql_cuda_place(struct gt_sql_feeder *f, const struct gt_cuda_event *e)
{
	const struct gt_cuda_context *c =
		e->context != GT_CUDA_NONE ? gt_cuda_context_of(f->cuda->model, e->process, e->context) : NULL;
	bool green = c && c->green && c->parent != GT_CUDA_NONE;

	return (struct gt_sql_place){
		.device = gt_sql_cuda_device(f, e->process,
			e->device != GT_CUDA_NONE ? e->device
				: c               ? c->device
						  : GT_CUDA_NONE),
		.context = green                     ? c->parent
			: e->context != GT_CUDA_NONE ? e->context
						     : 0,
		.green = e->context,
		.is_green = green,
		.stream = e->stream != GT_CUDA_NONE ? e->stream : GT_SQL_NONE,
	};
}

static int64_t string_id(struct gt_sql_feeder *f, struct gt_string s)
{
	struct known_string *k = &f->cuda->string[((uintptr_t)s.text * 0x9e3779b97f4a7c15ull >> 40) % STRINGS];

	if (!s.text || !s.bytes)
		return 0;
	if (k->text != s.text || k->bytes != s.bytes)
		*k = (struct known_string){ s.text, s.bytes, gt_sql_string(f->db, s.text, s.bytes) };
	return k->id;
}

/* -------------------------------------------------------------------- window */

bool gt_sql_cuda_inside(const struct gt_sql_feeder *f, int64_t start, int64_t end)
{
	return gt_overlaps(f->x->from_ns, f->x->to_ns, start, end);
}

static bool wanted(const struct gt_sql_feeder *f, const struct gt_cuda_event *e)
{
	return gt_cuda_inside(f->cuda->model, e, f->x->from_ns, f->x->to_ns);
}

/* ROW2, ROW3. False: no row. */
static bool work_times(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t *start, int64_t *end)
{
	struct gt_cuda_event call;
	int64_t least = 1;
	bool has_call = e->timed && e->correlation != GT_CUDA_NONE &&
		gt_cuda_call_of(f->cuda->model, e->process, e->correlation, e->start_ns, &call);

	if (!e->timed || !wanted(f, e))
		return false;
	if (has_call && call.start_ns > least)
		least = call.start_ns;
	*start = e->start_ns < least ? least : e->start_ns;
	*end = e->end_ns < *start ? *start : e->end_ns;
	f->clamped += (*start != e->start_ns) + (*end != e->end_ns);
	return true;
}

/* --------------------------------------------------------------------- calls */

/*
 * A call that never came back (the process died inside) has no end and no result: the row ends where it starts, with
 * -1.
 */
static void add_call(struct gt_sql_feeder *f, const struct gt_cuda_event *e)
{
	struct gt_sql_row *r = gt_sql_add(f->runtime);

	gt_put(r, RT_start, e->start_ns);
	gt_put(r, RT_end, gt_sql_cuda_end(e));
	gt_put(r, RT_eventClass,
		e->call.domain == REC_DOMAIN_CUDA_DRIVER ? GT_SQL_CLASS_CUDA_DRIVER : GT_SQL_CLASS_CUDA_RUNTIME);
	gt_put(r, RT_globalTid, gt_sql_cuda_tid(f, e));
	if (e->correlation != GT_CUDA_NONE)
		gt_put(r, RT_correlationId, gt_sql_cuda_correlation(f, e->process, e->correlation));
	gt_put(r, RT_nameId, string_id(f, e->call.name));
	gt_put(r, RT_returnValue, e->call.has_result && e->timed ? e->call.result : -1);
	gt_sql_put_chain(f, r, RT_callchainId, gt_stack_by_link(f->m, e->process, e->call.stack_link));
	if (!e->call.has_result)
		gt_sql_never_returned(f, e->call.base.text, e->call.base.bytes, e->start_ns, gt_sql_pid(f, e->process));
}

int gt_sql_cuda_calls(struct gt_sql_feeder *f, int64_t before_ns, struct gt_err *err)
{
	struct gt_sql_cuda *c = f->cuda;
	struct gt_cuda_event e;

	for (; c && c->next_call < gt_cuda_count(c->model, GT_CUDA_CALL) && !gt_sql_failed(f->db); c->next_call++) {
		if (gt_cuda_get(c->model, GT_CUDA_CALL, c->next_call, &e, err))
			return -1;
		if (e.start_ns >= before_ns && before_ns != INT64_MAX)
			break;
		if ((!e.call.nested || c->nested) && e.start_ns != GT_NO_TIME && wanted(f, &e))
			add_call(f, &e);
	}
	return 0;
}

/* --------------------------------------------------------------- device work */

/* Start, end, device, context, stream, correlation and process are cells 0 to 6 of each table of device work. */
static struct gt_sql_row *add_work(struct gt_sql_feeder *f, struct gt_sql_table *t, int green_cell,
	const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	struct gt_sql_place at = gt_sql_cuda_place(f, e);
	struct gt_sql_row *r = gt_sql_add(t);

	_Static_assert(KE_globalPid == 6 && MC_globalPid == 6 && MS_globalPid == 6 && SY_globalPid == 6 &&
			GR_globalPid == 6 && MD_globalPid == 6,
		"one order");
	gt_put(r, KE_start, start);
	gt_put(r, KE_end, end);
	gt_put(r, KE_deviceId, at.device);
	gt_put(r, KE_contextId, at.context);
	gt_put(r, KE_streamId, at.stream);
	if (e->correlation != GT_CUDA_NONE)
		gt_put(r, KE_correlationId, gt_sql_cuda_correlation(f, e->process, e->correlation));
	gt_put(r, KE_globalPid, gt_sql_pid(f, e->process));
	if (at.is_green && green_cell != NO_CELL)
		gt_put(r, (unsigned)green_cell, at.green);
	return r;
}

/* Cells of columns that are NOT NULL. */
static void put_number(struct gt_sql_row *r, unsigned cell, int64_t value) { gt_put(r, cell, value >= 0 ? value : 0); }

static int by_exec(const void *a, const void *b)
{
	const struct made_exec *x = a, *y = b;

	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
					: (x->exec > y->exec) - (x->exec < y->exec);
}

/* Executable graphs and what they were made of. */
static int learn_execs(struct gt_sql_cuda *c, struct gt_err *err)
{
	struct gt_cuda_event e;

	for (uint64_t i = 0; i < gt_cuda_count(c->model, GT_CUDA_GRAPH_EVENT); i++) {
		struct made_exec *x;

		if (gt_cuda_get(c->model, GT_CUDA_GRAPH_EVENT, i, &e, err))
			return -1;
		if (e.graph_event.what != REC_CUPTI_GRAPH_EXEC_CREATED)
			continue;
		x = GT_LIST_ADD(&c->execs);
		if (!x)
			return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "no memory");
		*x = (struct made_exec){ e.process, (uint32_t)e.graph_event.id, (uint32_t)e.graph_event.graph };
	}
	if (c->execs.n)
		qsort(c->execs.v, c->execs.n, sizeof *c->execs.v, by_exec);
	return 0;
}

/*
 * graphId is the graph as the application made it, in every table: so joins with CUDA_GRAPH_EVENTS meet the creation.
 * CUPTI tells of work the number of the executable graph, which is not known when it was made before the recording.
 */
static uint32_t graph_of(const struct gt_sql_feeder *f, const struct gt_cuda_event *e)
{
	const struct made_exec key = { e->process, e->graph, 0 }, *x = NULL;

	if (f->cuda->execs.n)
		x = bsearch(&key, f->cuda->execs.v, f->cuda->execs.n, sizeof key, by_exec);
	return x ? x->graph : e->graph;
}

static void put_shape(struct gt_sql_row *r, const struct gt_cuda_event *e)
{
	for (unsigned d = 0; d < 3; d++) {
		gt_put(r, KE_gridX + d, e->kernel.grid[d]);
		gt_put(r, KE_blockX + d, e->kernel.block[d]);
		if (e->kernel.has_cluster)
			gt_put(r, KE_clusterX + d, e->kernel.cluster[d]);
	}
}

static void put_resources(struct gt_sql_row *r, const struct gt_cuda_event *e)
{
	put_number(r, KE_registersPerThread, e->kernel.registers);
	put_number(r, KE_staticSharedMemory, e->kernel.static_shared);
	put_number(r, KE_dynamicSharedMemory, e->kernel.dynamic_shared);
	put_number(r, KE_localMemoryPerThread, e->kernel.local_per_thread);
	put_number(r, KE_localMemoryTotal, e->kernel.local_total);
	gt_put_known(r, KE_cacheConfig, e->kernel.cache_executed);
	gt_put_known(r, KE_sharedMemoryExecuted, e->kernel.shared_executed);
	gt_put_known(r, KE_sharedMemoryLimitConfig, e->kernel.shared_limit_config);
	gt_put_known(r, KE_sharedMemoryRequestedPercentage, e->kernel.shared_carveout);
	gt_put_known(r, KE_clusterSchedulingPolicy, e->kernel.cluster_policy);
	gt_put_known(r, KE_maxPotentialClusterSize, e->kernel.max_cluster);
	gt_put_known(r, KE_maxActiveClusters, e->kernel.max_active_clusters);
}

static void put_graph_node(struct gt_sql_row *r, unsigned cell, const struct gt_cuda_event *e)
{
	if (e->graph_node)
		gt_put(r, cell, (int64_t)e->graph_node);
}

static void add_kernel(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	struct gt_sql_row *r = add_work(f, f->kernel, KE_greenContextId, e, start, end);
	struct gt_string none = { NULL, 0 };

	gt_put(r, KE_demangledName, string_id(f, e->kernel.has_name ? e->kernel.demangled : none));
	gt_put(r, KE_shortName, string_id(f, e->kernel.has_name ? e->kernel.short_name : none));
	gt_put(r, KE_mangledName, string_id(f, e->kernel.has_name ? e->kernel.mangled : none));
	gt_put(r, KE_launchType, gt_sql_launch_type(e->kernel.launch_type));
	put_shape(r, e);
	put_resources(r, e);
	put_number(r, KE_gridId, e->kernel.grid_id);
	put_graph_node(r, KE_graphNodeId, e);
	if (e->graph_node && e->graph != GT_CUDA_NONE)
		gt_put(r, KE_graphId, graph_of(f, e));
	gt_put_constant(f->kernel, r, KE_tensorSizeMinusOneElements, "[]");
}

static void add_copy(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	struct gt_sql_row *r = add_work(f, f->copy, MC_greenContextId, e, start, end);

	gt_put(r, MC_bytes, (int64_t)e->copy.bytes);
	gt_put(r, MC_copyKind, e->copy.copy_kind >= 0 ? e->copy.copy_kind : 0);
	gt_put(r, MC_srcKind, gt_sql_mem_kind(e->copy.src_kind));
	gt_put(r, MC_dstKind, gt_sql_mem_kind(e->copy.dst_kind));
	put_graph_node(r, MC_graphNodeId, e);
	gt_put_known(r, MC_copyCount, e->copy.count);
	if (!e->copy.peer)
		return;
	gt_put_known(r, MC_srcDeviceId, gt_sql_cuda_known(f, e->process, e->copy.src_device));
	gt_put_known(r, MC_dstDeviceId, gt_sql_cuda_known(f, e->process, e->copy.dst_device));
	if (e->copy.src_context != GT_CUDA_NONE)
		gt_put(r, MC_srcContextId, e->copy.src_context);
	if (e->copy.dst_context != GT_CUDA_NONE)
		gt_put(r, MC_dstContextId, e->copy.dst_context);
}

/* A transfer of unified memory, by nobody's call. The device is the one that sends or, from the host, receives. */
static void add_migration(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	int kind = gt_sql_managed_copy(e->managed.counter);
	struct gt_cuda_event at = *e;

	at.device = kind == GT_COPYKIND_UVM_HTOD ? e->managed.dst : e->managed.src;
	at.stream = GT_CUDA_NONE;               /* the record has a place for it and no value */
	struct gt_sql_row *r = add_work(f, f->copy, MC_greenContextId, &at, start, end);

	gt_put(r, MC_bytes, (int64_t)e->managed.value);
	gt_put(r, MC_copyKind, kind);
	gt_put(r, MC_srcKind, GT_MEM_MANAGED);
	gt_put(r, MC_dstKind, GT_MEM_MANAGED);
	gt_put(r, MC_srcId, e->managed.src);
	gt_put(r, MC_deprecatedSrcId, e->managed.src);
	if (kind != GT_COPYKIND_UVM_HTOD)
		gt_put_known(r, MC_srcDeviceId, gt_sql_cuda_known(f, e->process, e->managed.src));
	if (kind != GT_COPYKIND_UVM_DTOH)
		gt_put_known(r, MC_dstDeviceId, gt_sql_cuda_known(f, e->process, e->managed.dst));
	gt_put(r, MC_migrationCause, e->managed.flags);
	gt_put(r, MC_virtualAddress, (int64_t)e->managed.address);
}

static void add_fill(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	struct gt_sql_row *r = add_work(f, f->set, MS_greenContextId, e, start, end);

	gt_put(r, MS_value, e->fill.value);
	gt_put(r, MS_bytes, (int64_t)e->fill.bytes);
	gt_put(r, MS_memKind, gt_sql_mem_kind(e->fill.mem_kind));
	put_graph_node(r, MS_graphNodeId, e);
}

static void add_sync(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	struct gt_sql_row *r = add_work(f, f->sync, SY_greenContextId, e, start, end);

	gt_put(r, SY_syncType, e->sync.type);
	gt_put(r, SY_eventId, e->sync.event >= 0 ? e->sync.event : GT_SQL_NONE);
	gt_put_known(r, SY_eventSyncId, e->sync.event_sync);
}

static void add_graph(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	struct gt_sql_row *r = add_work(f, f->cuda->graph, GR_greenContextId, e, start, end);

	gt_put(r, GR_graphId, e->graph != GT_CUDA_NONE ? graph_of(f, e) : 0);
	gt_put(r, GR_graphExecId, e->graph_launch.exec);
}

static void add_decompress(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end)
{
	struct gt_sql_row *r = add_work(f, f->cuda->decompress, NO_CELL, e, start, end);

	gt_put(r, MD_eventClass, GT_SQL_CLASS_CUDA_DRIVER);
	put_number(r, MD_ChannelID, e->decompress.channel);
	gt_put(r, MD_sourceBytes, (int64_t)e->decompress.bytes);
	gt_put(r, MD_NumberOfOperations, e->decompress.operations);
}

typedef void add_row(struct gt_sql_feeder *f, const struct gt_cuda_event *e, int64_t start, int64_t end);

static int add_kind(struct gt_sql_feeder *f, enum gt_cuda_kind kind, add_row *add, struct gt_err *err)
{
	struct gt_cuda_event e;
	int64_t start, end;

	for (uint64_t i = 0; i < gt_cuda_count(f->cuda->model, kind) && !gt_sql_failed(f->db); i++) {
		if (gt_cuda_get(f->cuda->model, kind, i, &e, err))
			return -1;
		if (work_times(f, &e, &start, &end))
			add(f, &e, start, end);
	}
	return 0;
}

/* The next transfer of unified memory from *i on; *e is untimed at the end. */
static int next_migration(struct gt_sql_feeder *f, uint64_t *i, struct gt_cuda_event *e, struct gt_err *err)
{
	for (; *i < gt_cuda_count(f->cuda->model, GT_CUDA_MANAGED); (*i)++) {
		if (gt_cuda_get(f->cuda->model, GT_CUDA_MANAGED, *i, e, err))
			return -1;
		if (e->timed && gt_sql_managed_copy(e->managed.counter) >= 0 &&
			gt_sql_cuda_inside(f, e->start_ns, e->end_ns))
			return 0;
	}
	e->timed = false;
	return 0;
}

/* Copies and the transfers of unified memory, which are of another kind, in one order. */
static int add_copies(struct gt_sql_feeder *f, struct gt_err *err)
{
	uint64_t n = gt_cuda_count(f->cuda->model, GT_CUDA_COPY), migration = 0;
	struct gt_cuda_event copy, moved;
	int64_t start, end;

	if (next_migration(f, &migration, &moved, err))
		return -1;
	for (uint64_t i = 0; (i < n || moved.timed) && !gt_sql_failed(f->db);) {
		if (i < n && gt_cuda_get(f->cuda->model, GT_CUDA_COPY, i, &copy, err))
			return -1;
		if (moved.timed && (i == n || moved.start_ns < copy.start_ns)) {
			start = moved.start_ns > 0 ? moved.start_ns : 1;
			add_migration(f, &moved, start, moved.end_ns > start ? moved.end_ns : start);
			migration++;
			if (next_migration(f, &migration, &moved, err))
				return -1;
			continue;
		}
		if (work_times(f, &copy, &start, &end))
			add_copy(f, &copy, start, end);
		i++;
	}
	return 0;
}

/* Events carry a time only when the program asked CUPTI for the device's. */
static int add_records(struct gt_sql_feeder *f, struct gt_err *err)
{
	struct gt_cuda_event e;

	for (uint64_t i = 0; i < gt_cuda_count(f->cuda->model, GT_CUDA_EVENT_RECORD) && !gt_sql_failed(f->db); i++) {
		if (gt_cuda_get(f->cuda->model, GT_CUDA_EVENT_RECORD, i, &e, err))
			return -1;
		if (e.start_ns != GT_NO_TIME && !gt_sql_cuda_inside(f, e.start_ns, e.start_ns))
			continue;
		struct gt_sql_place at = gt_sql_cuda_place(f, &e);
		struct gt_sql_row *r = gt_sql_add(f->cuda->record);

		gt_put(r, ER_timestamp, e.event_record.device_ns != GT_NO_TIME ? e.event_record.device_ns : 0);
		gt_put(r, ER_deviceId, at.device);
		gt_put(r, ER_contextId, at.context);
		gt_put(r, ER_streamId, at.stream);
		if (at.is_green)
			gt_put(r, ER_greenContextId, at.green);
		if (e.correlation != GT_CUDA_NONE)
			gt_put(r, ER_correlationId, gt_sql_cuda_correlation(f, e.process, e.correlation));
		gt_put(r, ER_globalPid, gt_sql_pid(f, e.process));
		gt_put(r, ER_eventId, e.event_record.event >= 0 ? e.event_record.event : GT_SQL_NONE);
		gt_put_known(r, ER_eventSyncId, e.event_record.event_sync);
	}
	return 0;
}

int gt_sql_cuda_work(struct gt_sql_feeder *f, struct gt_err *err)
{
	if (!f->cuda) {
		gt_sql_own_costs(f);
		return 0;
	}
	if (add_kind(f, GT_CUDA_KERNEL, add_kernel, err) || add_copies(f, err) ||
		add_kind(f, GT_CUDA_FILL, add_fill, err) || add_kind(f, GT_CUDA_SYNC, add_sync, err) ||
		add_kind(f, GT_CUDA_GRAPH, add_graph, err) || add_kind(f, GT_CUDA_DECOMPRESS, add_decompress, err) ||
		add_records(f, err))
		return -1;
	return gt_sql_cuda_events(f, err);
}

/* ---------------------------------------------------------------- begin, end */

/* ROW1: CUDA of the k-th image of a pid has 2k * 2^32 and up, OpenCL in a trace with CUDA 2^32 and up. */
static void number_calls(struct gt_sql_feeder *f)
{
	uint32_t n = gt_model_process_count(f->m);

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < i; k++)
			if (same_pid(f->m, k, i))
				f->cuda->base[i] += 2 * RANGE;
		f->correlation_base[i] += RANGE;
	}
}

static void reserve(struct gt_sql_feeder *f, uint32_t process, enum rec_object kind, uint32_t last)
{
	for (uint32_t i = 0; i < gt_model_process_count(f->m); i++)
		if (same_pid(f->m, i, process))
			gt_sql_objects_reserve(f->objects, i, kind, last);
}

/* OpenCL's contexts and queues are numbered behind those that CUPTI numbered. */
static void reserve_numbers(struct gt_sql_feeder *f)
{
	const struct gt_cuda *m = f->cuda->model;

	for (uint32_t i = 0; i < gt_cuda_device_count(m); i++)
		if (gt_cuda_device(m, i)->index >= f->cuda->n_gpus)
			f->cuda->n_gpus = gt_cuda_device(m, i)->index + 1;
	for (uint32_t i = 0; i < gt_cuda_context_count(m); i++)
		reserve(f, gt_cuda_context(m, i)->process, REC_OBJECT_CONTEXT, gt_cuda_context(m, i)->id);
	for (uint32_t i = 0; i < gt_cuda_stream_count(m); i++)
		reserve(f, gt_cuda_stream(m, i)->process, REC_OBJECT_QUEUE, gt_cuda_stream(m, i)->id);
}

static bool has_cuda(const struct gt_model *m, const struct gt_cuda *c)
{
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		if (gt_cuda_library(c, i))
			return true;
	for (int kind = 0; kind < GT_CUDA_KINDS; kind++)
		if (gt_cuda_count(c, (enum gt_cuda_kind)kind))
			return true;
	return false;
}

int gt_sql_cuda_open(struct gt_sql_feeder *f, struct gt_err *err)
{
	struct gt_cuda *model = gt_model_cuda(f->m, err);

	if (!model)
		return -1;
	if (!has_cuda(f->m, model))
		return 0;
	f->cuda = calloc(1, sizeof *f->cuda);
	if (f->cuda)
		f->cuda->base = calloc(gt_model_process_count(f->m) + 1, sizeof *f->cuda->base);
	if (!f->cuda || !f->cuda->base)
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", f->x->final_path);
	f->cuda->model = model;
	f->cuda->nested = f->driver_rows;
	if (learn_execs(f->cuda, err))
		return -1;
	number_calls(f);
	reserve_numbers(f);
#define T(name, table, cells) \
	f->cuda->name = gt_sql_feed(f->db, #table, name##_cells, sizeof name##_cells / sizeof name##_cells[0]);
	TABLES(T)
#undef T
	return 0;
}

void gt_sql_cuda_close(struct gt_sql_feeder *f)
{
	if (f->cuda)
		free(f->cuda->execs.v);
	if (f->cuda)
		free(f->cuda->base);
	free(f->cuda);
}
