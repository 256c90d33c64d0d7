/*
 * writers/sqlite/cuda_events.c - what CUDA tells beside calls and device work: graphs, memory, page faults, overhead
 *
 * Graph and node events are moments inside the API call that made them; who wants the call finds it by thread and time.
 * The edition of 2021 has one table of graph nodes, named as the default edition's table of graphs is.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "writers/sqlite/cuda.h"

#define CELLS(...) (const char *const[]){ __VA_ARGS__ }
#define FEED(f, table, ...) gt_sql_feed((f)->db, table, CELLS(__VA_ARGS__), sizeof CELLS(__VA_ARGS__) / sizeof(char *))

struct tables { struct gt_sql_table *main, *other; };
typedef void add_event(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e);

/* All events of a kind that the window shows. */
static int add_kind(
	struct gt_sql_feeder *f, enum gt_cuda_kind kind, add_event *add, const struct tables *t, struct gt_err *err)
{
	struct gt_cuda *c = gt_sql_cuda_model(f);
	struct gt_cuda_event e;

	for (uint64_t i = 0; i < gt_cuda_count(c, kind) && !gt_sql_failed(f->db); i++) {
		if (gt_cuda_get(c, kind, i, &e, err))
			return -1;
		if (e.timed && gt_sql_cuda_inside(f, e.start_ns, gt_sql_cuda_end(&e)))
			add(f, t, &e);
	}
	return 0;
}

static int64_t fixed_string(struct gt_sql_feeder *f, const char *text)
{
	return gt_sql_string(f->db, text, strlen(text));
}

static void put_correlation(struct gt_sql_feeder *f, struct gt_sql_row *r, unsigned cell, const struct gt_cuda_event *e)
{
	if (e->correlation != GT_CUDA_NONE && e->correlation)
		gt_put(r, cell, gt_sql_cuda_correlation(f, e->process, e->correlation));
}

/* -------------------------------------------------------------------- graphs */

enum {
	EV_start,
	EV_end,
	EV_eventClass,
	EV_globalTid,
	EV_nameId,
	EV_graphNodeId,
	EV_originalGraphNodeId,
	EV_graphId = EV_graphNodeId,
	EV_originalGraphId,
	EV_graphExecId
};

static struct gt_sql_row *add_moment(
	struct gt_sql_feeder *f, struct gt_sql_table *t, const struct gt_cuda_event *e, int class, const char *name)
{
	struct gt_sql_row *r = gt_sql_add(t);

	gt_put(r, EV_start, e->start_ns);
	gt_put(r, EV_end, gt_sql_cuda_end(e));
	gt_put(r, EV_eventClass, class);
	gt_put(r, EV_globalTid, gt_sql_cuda_tid(f, e));
	gt_put(r, EV_nameId, fixed_string(f, name));
	return r;
}

/* Names: spec: nsys SQLite CUDA_GRAPH_EVENTS "Graph Node Creation"; the others as real exports have them. */
static void add_graph_event(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	struct gt_sql_row *r;

	switch (e->graph_event.what) {
	case REC_CUPTI_GRAPH_CREATED:
		r = add_moment(f, t->main, e, GT_SQL_CLASS_GRAPH, "Graph Creation");
		gt_put(r, EV_graphId, (int64_t)e->graph_event.id);
		break;
	case REC_CUPTI_GRAPH_CLONED:
		r = add_moment(f, t->main, e, GT_SQL_CLASS_GRAPH_CLONE, "Graph Clone");
		gt_put(r, EV_graphId, (int64_t)e->graph_event.id);
		gt_put(r, EV_originalGraphId, (int64_t)e->graph_event.original);
		break;
	case REC_CUPTI_GRAPH_EXEC_CREATED:
		r = add_moment(f, t->main, e, GT_SQL_CLASS_GRAPH_EXEC, "GraphExec Creation");
		gt_put(r, EV_graphId, (int64_t)e->graph_event.graph);
		gt_put(r, EV_graphExecId, (int64_t)e->graph_event.id);
		break;
	default:                        /* the end of a graph has no class */
		break;
	}
}

static void add_node_event(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	if (e->graph_event.what != REC_CUPTI_NODE_CREATED && e->graph_event.what != REC_CUPTI_NODE_CLONED)
		return;
	struct gt_sql_row *r = add_moment(f, t->main, e, GT_SQL_CLASS_GRAPH_NODE, "Graph Node Creation");

	gt_put(r, EV_graphNodeId, (int64_t)e->graph_event.id);
	if (e->graph_event.what == REC_CUPTI_NODE_CLONED)
		gt_put(r, EV_originalGraphNodeId, (int64_t)e->graph_event.original);
}

static int add_graphs(struct gt_sql_feeder *f, struct gt_err *err)
{
	bool old = !gt_sql_wanted(f->api);      /* the edition without tables of ours */
	struct tables nodes = { FEED(f, old ? "CUDA_GRAPH_EVENTS" : "CUDA_GRAPH_NODE_EVENTS", "start", "end",
					"eventClass", "globalTid", "nameId", "graphNodeId", "originalGraphNodeId"),
		NULL };

	if (!old) {
		struct tables graphs = { FEED(f, "CUDA_GRAPH_EVENTS", "start", "end", "eventClass", "globalTid",
						 "nameId", "graphId", "originalGraphId", "graphExecId"),
			NULL };

		if (add_kind(f, GT_CUDA_GRAPH_EVENT, add_graph_event, &graphs, err))
			return -1;
	}
	return add_kind(f, GT_CUDA_NODE_EVENT, add_node_event, &nodes, err);
}

/* -------------------------------------------------------------------- memory */

enum {
	ME_start,
	ME_globalPid,
	ME_deviceId,
	ME_address,
	ME_contextId,
	ME_pc,
	ME_bytes,
	ME_memKind,
	ME_memoryOperationType,
	ME_name,
	ME_correlationId,
	ME_streamId,
	ME_poolAddress,
	ME_poolThreshold,
	ME_poolSize,
	ME_poolUtilized,
	ME_importedAddress,
	ME_importedProcess
};

static void add_memory(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	int operation = gt_sql_memory_operation(e->memory.operation);
	struct gt_sql_place at = gt_sql_cuda_place(f, e);

	if (operation < 0)
		return;
	struct gt_sql_row *r = gt_sql_add(t->main);

	gt_put(r, ME_start, e->start_ns);
	gt_put(r, ME_globalPid, gt_sql_pid(f, e->process));
	gt_put(r, ME_deviceId, at.device);
	gt_put(r, ME_contextId, at.context);
	gt_put(r, ME_address, (int64_t)e->memory.address);
	gt_put(r, ME_pc, (int64_t)e->memory.pc);
	gt_put(r, ME_bytes, (int64_t)e->memory.bytes);
	gt_put(r, ME_memKind, gt_sql_mem_kind(e->memory.mem_kind));
	gt_put(r, ME_memoryOperationType, operation);
	if (e->memory.name.bytes)
		gt_put_text(t->main, r, ME_name, e->memory.name.text, e->memory.name.bytes);
	put_correlation(f, r, ME_correlationId, e);
	if (e->stream != GT_CUDA_NONE)
		gt_put(r, ME_streamId, e->stream);
	if (e->memory.pool_type == 1) {
		gt_put(r, ME_poolAddress, (int64_t)e->memory.pool);
		gt_put(r, ME_poolThreshold, (int64_t)e->memory.pool_threshold);
		gt_put(r, ME_poolSize, (int64_t)e->memory.pool_size);
		gt_put(r, ME_poolUtilized, (int64_t)e->memory.pool_used);
	} else if (e->memory.pool_type == 2) {
		gt_put(r, ME_importedAddress, (int64_t)e->memory.pool);
		gt_put_known(r, ME_importedProcess, e->memory.pool_pid);
	}
}

enum {
	PO_start,
	PO_globalPid,
	PO_deviceId,
	PO_address,
	PO_operationType,
	PO_poolType,
	PO_correlationId,
	PO_minBytesToKeep,
	PO_threshold,
	PO_size,
	PO_utilized
};

static void add_pool(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	struct gt_sql_row *r = gt_sql_add(t->main);

	gt_put(r, PO_start, e->start_ns);
	gt_put(r, PO_globalPid, gt_sql_pid(f, e->process));
	gt_put(r, PO_deviceId, gt_sql_cuda_device(f, e->process, e->device));
	gt_put(r, PO_address, (int64_t)e->pool.address);
	gt_put(r, PO_operationType, e->pool.operation);
	gt_put(r, PO_poolType, e->pool.type);
	put_correlation(f, r, PO_correlationId, e);
	if (e->pool.operation == 3)             /* trimmed */
		gt_put(r, PO_minBytesToKeep, (int64_t)e->pool.keep);
	if (e->pool.type != 1)                  /* what follows is said of local pools only */
		return;
	gt_put(r, PO_threshold, (int64_t)e->pool.threshold);
	gt_put(r, PO_size, (int64_t)e->pool.size);
	gt_put(r, PO_utilized, (int64_t)e->pool.used);
}

static int add_memories(struct gt_sql_feeder *f, struct gt_err *err)
{
	struct tables usage = {
		FEED(f, "CUDA_GPU_MEMORY_USAGE_EVENTS", "start", "globalPid", "deviceId", "address", "contextId", "pc",
			"bytes", "memKind", "memoryOperationType", "name", "correlationId", "streamId",
			"localMemoryPoolAddress", "localMemoryPoolReleaseThreshold", "localMemoryPoolSize",
			"localMemoryPoolUtilizedSize", "importedMemoryPoolAddress", "importedMemoryPoolProcessId"),
		NULL
	};
	struct tables pools = { FEED(f, "CUDA_GPU_MEMORY_POOL_EVENTS", "start", "globalPid", "deviceId", "address",
					"operationType", "poolType", "correlationId", "minBytesToKeep",
					"localMemoryPoolReleaseThreshold", "localMemoryPoolSize",
					"localMemoryPoolUtilizedSize"),
		NULL };

	return add_kind(f, GT_CUDA_MEMORY, add_memory, &usage, err) || add_kind(f, GT_CUDA_POOL, add_pool, &pools, err)
		? -1
		: 0;
}

/* --------------------------------------------------------------- page faults */

enum { CPU_FAULTS = 3, GPU_FAULTS = 4 }; /* CUPTI's counters; 1, 2 and 8 are transfers, the rest has no table */
enum { FA_start, FA_globalPid, FA_address, FA_originalFaultPc, FA_CpuInstruction, FA_module };
enum { GF_start, GF_end, GF_globalPid, GF_deviceId, GF_address, GF_numberOfPageFaults, GF_faultAccessType };

/* CpuInstruction and module: names of what the address belongs to, which nobody looked up. */
static void add_fault(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	struct gt_sql_row *r;

	if (e->managed.counter == CPU_FAULTS) {
		r = gt_sql_add(t->main);
		gt_put(r, FA_start, e->start_ns);
		gt_put(r, FA_globalPid, gt_sql_pid(f, e->process));
		gt_put(r, FA_address, (int64_t)e->managed.address);
		gt_put(r, FA_originalFaultPc, (int64_t)e->managed.value);
		gt_put(r, FA_CpuInstruction, 0);
		gt_put(r, FA_module, 0);
	} else if (e->managed.counter == GPU_FAULTS) {
		r = gt_sql_add(t->other);
		gt_put(r, GF_start, e->start_ns);
		gt_put(r, GF_end, gt_sql_cuda_end(e));
		gt_put(r, GF_globalPid, gt_sql_pid(f, e->process));
		gt_put(r, GF_deviceId, gt_sql_cuda_device(f, e->process, e->managed.src));
		gt_put(r, GF_address, (int64_t)e->managed.address);
		gt_put(r, GF_numberOfPageFaults, (int64_t)e->managed.value);
		gt_put(r, GF_faultAccessType, e->managed.flags);
	}
}

static int add_faults(struct gt_sql_feeder *f, struct gt_err *err)
{
	struct tables t = {
		FEED(f, "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "start", "globalPid", "address", "originalFaultPc",
			"CpuInstruction", "module"),
		FEED(f, "CUDA_UM_GPU_PAGE_FAULT_EVENTS", "start", "end", "globalPid", "deviceId", "address",
			"numberOfPageFaults", "faultAccessType"),
	};

	return add_kind(f, GT_CUDA_MANAGED, add_fault, &t, err);
}

/* ------------------------------------------------------------------ overhead */

enum {
	OV_start,
	OV_end,
	OV_globalTid,
	OV_nameId,
	OV_overheadType,
	OV_eventClass,
	OV_correlationId,
	OV_jitEntryType,
	OV_jitOperationType,
	OV_deviceId,
	OV_jitOperationCorrelationId,
	OV_cacheSize,
	OV_cachePath
};
#define OVERHEAD_CELLS "start", "end", "globalTid", "nameId", "overheadType"
enum { DRIVER_COMPILER = 2 };            /* ENUM_CUPTI_OVERHEAD_TYPE */

static struct gt_sql_row *add_span(
	struct gt_sql_feeder *f, struct gt_sql_table *t, const struct gt_cuda_event *e, const char *name, int type)
{
	struct gt_sql_row *r = gt_sql_add(t);

	gt_put(r, OV_start, e->start_ns);
	gt_put(r, OV_end, gt_sql_cuda_end(e));
	gt_put(r, OV_globalTid, gt_sql_cuda_tid(f, e));
	gt_put(r, OV_nameId, fixed_string(f, name));
	gt_put(r, OV_overheadType, type);
	return r;
}

/* What the program waited for when CUDA was initialised: our own. Name and type as consumers know them. */
static void add_attach(struct gt_sql_feeder *f, const struct tables *t)
{
	for (uint32_t i = 0; i < gt_model_process_count(f->m); i++) {
		const struct gt_cuda_library *l = gt_cuda_library(gt_sql_cuda_model(f), i);

		if (!l || l->attach_end_ns == GT_NO_TIME ||
			!gt_sql_cuda_inside(f, l->attach_start_ns, l->attach_end_ns))
			continue;
		const struct gt_cuda_event e = { .process = i,
			.thread = l->attach_thread,
			.start_ns = l->attach_start_ns,
			.end_ns = l->attach_end_ns };

		add_span(f, t->main, &e, "CUDA profiling initialization", 0);
	}
}

/* What the recording took of the program's time, whatever the API. */
static void add_own_costs(struct gt_sql_feeder *f, struct gt_sql_table *t)
{
	static const char *const names[] = { [REC_COST_START] = "Profiling initialization",
		[REC_COST_CHUNK] = "Profiling buffer switch", [REC_COST_END] = "Profiling end",
		[REC_COST_UNWIND] = "Call stack unwinding (one in 64)",
		[REC_COST_RINGS] = "Sample rings emptied (by gputap run)" };
	_Static_assert(REC_COST_UNWIND_EACH == 64, "a name says so");

	for (uint32_t i = 0; i < gt_model_image_record_count(f->m); i++) {
		const struct gt_image_record *r = gt_model_image_record(f->m, i);
		struct gt_sql_row *row;

		if (r->type != REC_COST || !gt_sql_cuda_inside(f, r->time_ns, r->cost.end_ns) ||
			r->cost.what >= sizeof names / sizeof *names || !names[r->cost.what])
			continue;
		row = gt_sql_add(t);
		gt_put(row, OV_start, r->time_ns);
		gt_put(row, OV_end, r->cost.end_ns);
		gt_put(row, OV_globalTid, gt_sql_pid(f, r->process) | r->cost.tid);
		gt_put(row, OV_nameId, fixed_string(f, names[r->cost.what]));
		gt_put(row, OV_overheadType, 0);
	}
}

/* CUDA's own overhead has a table since it has types; before, all stood with the profiler's. */
static void add_overhead(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	const struct gt_sql_overhead *o = gt_sql_overhead(e->overhead.type);

	if (o->profiler || !gt_sql_wanted(t->other)) {
		add_span(f, t->main, e, o->name, o->type);
		return;
	}
	struct gt_sql_row *r = add_span(f, t->other, e, o->name, o->type);

	gt_put(r, OV_eventClass, GT_SQL_CLASS_OVERHEAD);
	put_correlation(f, r, OV_correlationId, e);
}

static void add_jit(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	struct gt_sql_row *r = add_span(f, t->main, e, gt_sql_jit_name(e->jit.operation), DRIVER_COMPILER);

	gt_put(r, OV_eventClass, GT_SQL_CLASS_JIT);
	put_correlation(f, r, OV_correlationId, e);
	gt_put(r, OV_jitEntryType, e->jit.entry);
	gt_put(r, OV_jitOperationType, e->jit.operation);
	gt_put_known(r, OV_deviceId, gt_sql_cuda_known(f, e->process, e->device));
	gt_put_known(r, OV_jitOperationCorrelationId, e->jit.operation_correlation);
	gt_put_known(r, OV_cacheSize, e->jit.cache_size);
	if (e->jit.cache_path.bytes)
		gt_put_text(t->main, r, OV_cachePath, e->jit.cache_path.text, e->jit.cache_path.bytes);
}

static int add_overheads(struct gt_sql_feeder *f, struct gt_err *err)
{
	struct tables overhead = { FEED(f, "PROFILER_OVERHEAD", OVERHEAD_CELLS),
		FEED(f, "CUPTI_ACTIVITY_KIND_OVERHEAD", OVERHEAD_CELLS, "eventClass", "correlationId") };
	struct tables jit = { FEED(f, "CUPTI_ACTIVITY_KIND_JIT", OVERHEAD_CELLS, "eventClass", "correlationId",
				      "jitEntryType", "jitOperationType", "deviceId", "jitOperationCorrelationId",
				      "cacheSize", "cachePath"),
		NULL };

	add_own_costs(f, overhead.main);
	add_attach(f, &overhead);
	return add_kind(f, GT_CUDA_OVERHEAD, add_overhead, &overhead, err) ||
			add_kind(f, GT_CUDA_JIT, add_jit, &jit, err)
		? -1
		: 0;
}

/* ------------------------------------------------------------ host functions */

enum {
	HF_start,
	HF_end,
	HF_deviceId,
	HF_contextId,
	HF_streamId,
	HF_correlationId,
	HF_globalPid,
	HF_graphNodeId,
	HF_graphId
};

static void add_host_function(struct gt_sql_feeder *f, const struct tables *t, const struct gt_cuda_event *e)
{
	struct gt_sql_place at = gt_sql_cuda_place(f, e);
	struct gt_sql_row *r = gt_sql_add(t->main);

	gt_put(r, HF_start, e->start_ns);
	gt_put(r, HF_end, gt_sql_cuda_end(e));
	gt_put(r, HF_deviceId, at.device);
	gt_put(r, HF_contextId, at.context);
	gt_put(r, HF_streamId, e->stream);
	put_correlation(f, r, HF_correlationId, e);
	gt_put(r, HF_globalPid, gt_sql_pid(f, e->process));
	if (!e->host_function.in_graph)
		return;
	gt_put(r, HF_graphNodeId, (int64_t)e->graph_node);
	gt_put(r, HF_graphId, e->graph);
}

static int add_host_functions(struct gt_sql_feeder *f, struct gt_err *err)
{
	struct tables t = { FEED(f, "CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH", "start", "end", "deviceId",
				    "contextId", "streamId", "correlationId", "globalPid", "graphNodeId", "graphId"),
		NULL };

	return add_kind(f, GT_CUDA_HOST_FUNCTION, add_host_function, &t, err);
}

void gt_sql_own_costs(struct gt_sql_feeder *f) { add_own_costs(f, FEED(f, "PROFILER_OVERHEAD", OVERHEAD_CELLS)); }

int gt_sql_cuda_events(struct gt_sql_feeder *f, struct gt_err *err)
{
	return add_host_functions(f, err) || add_graphs(f, err) || add_memories(f, err) || add_faults(f, err) ||
			add_overheads(f, err)
		? -1
		: 0;
}
