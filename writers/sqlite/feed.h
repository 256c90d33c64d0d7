/*
 * writers/sqlite/feed.h - from the model to rows: what the parts of the SQLite writer share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_SQLITE_FEED_H
#define GPUTAP_WRITERS_SQLITE_FEED_H

#include <string.h>

#include "common/memory.h"
#include "model/model.h"
#include "model/functions/plan.h"
#include "writers/sqlite/db.h"
#include "writers/writer.h"

#define GT_SQL_VM (1ll << 48)           /* VM 1: bits 48..55 of every GlobalId. spec: nsys SQLite "GlobalId" */
/* spec: nsys SQLite ENUM_NSYS_EVENT_CLASS */
enum {
	GT_SQL_CLASS_CUDA_RUNTIME = 0,
	GT_SQL_CLASS_CUDA_DRIVER = 1,
	GT_SQL_CLASS_OSRT = 27,
	GT_SQL_CLASS_SYSCALL = 107,
	GT_SQL_CLASS_CUDNN = 28,
	GT_SQL_CLASS_CUBLAS = 29,
	GT_SQL_CLASS_GRAPH_NODE = 77,
	GT_SQL_CLASS_OPENMP = 78,
	GT_SQL_CLASS_GRAPH_EXEC = 94,
	GT_SQL_CLASS_GRAPH = 95,
	GT_SQL_CLASS_GRAPH_CLONE = 96,
	GT_SQL_CLASS_OPENCL = 98,
	GT_SQL_CLASS_JIT = 102,
	GT_SQL_CLASS_OVERHEAD = 103
};
#define GT_SQL_NONE 4294967295ll        /* "no event", "no stream" */
#define GT_SQL_FIRST_STREAM 13
#define GT_SQL_UNKNOWN_DEVICE (-1)

/* Cells of the tables that the walk feeds. X(prefix, column) */
#define GT_CELLS_RUNTIME(X) X(RT, start) X(RT, end) X(RT, eventClass) X(RT, globalTid) X(RT, correlationId) \
	X(RT, nameId) X(RT, returnValue) X(RT, callchainId)
#define GT_CELLS_HOST(X) X(HO, start) X(HO, end) X(HO, eventClass) X(HO, globalTid) X(HO, correlationId) X(HO, nameId)
#define GT_CELLS_KERNEL(X) \
	X(KE, start) X(KE, end) X(KE, deviceId) X(KE, contextId) X(KE, streamId) X(KE, correlationId) X(KE, globalPid) \
	X(KE, demangledName) X(KE, shortName) X(KE, mangledName) X(KE, launchType) X(KE, cacheConfig) \
	X(KE, registersPerThread) \
	X(KE, gridX) X(KE, gridY) X(KE, gridZ) X(KE, blockX) X(KE, blockY) X(KE, blockZ) X(KE, staticSharedMemory) \
	X(KE, dynamicSharedMemory) X(KE, localMemoryPerThread) X(KE, localMemoryTotal) X(KE, gridId) \
	X(KE, sharedMemoryExecuted) \
	X(KE, sharedMemoryLimitConfig) X(KE, clusterX) X(KE, clusterY) X(KE, clusterZ) \
	X(KE, tensorSizeMinusOneElements) \
	X(KE, greenContextId) X(KE, graphNodeId) X(KE, graphId) X(KE, clusterSchedulingPolicy) \
	X(KE, maxPotentialClusterSize) \
	X(KE, maxActiveClusters) X(KE, sharedMemoryRequestedPercentage)
#define GT_CELLS_MEMCPY(X) \
	X(MC, start) X(MC, end) X(MC, deviceId) X(MC, contextId) X(MC, streamId) X(MC, correlationId) X(MC, globalPid) \
	X(MC, bytes) \
	X(MC, copyKind) X(MC, srcKind) X(MC, dstKind) X(MC, srcDeviceId) X(MC, srcContextId) X(MC, dstDeviceId) \
	X(MC, dstContextId) \
	X(MC, greenContextId) X(MC, srcId) X(MC, deprecatedSrcId) X(MC, migrationCause) X(MC, graphNodeId) \
	X(MC, virtualAddress) X(MC, copyCount)
#define GT_CELLS_MEMSET(X) \
	X(MS, start) X(MS, end) X(MS, deviceId) X(MS, contextId) X(MS, streamId) X(MS, correlationId) X(MS, globalPid) \
	X(MS, value) \
	X(MS, bytes) X(MS, memKind) X(MS, greenContextId) X(MS, graphNodeId)
#define GT_CELLS_SYNC(X) \
	X(SY, start) X(SY, end) X(SY, deviceId) X(SY, contextId) X(SY, streamId) X(SY, correlationId) X(SY, globalPid) \
	X(SY, syncType) \
	X(SY, eventId) X(SY, greenContextId) X(SY, eventSyncId)
#define GT_CELLS_API(X) \
	X(AP, id) X(AP, start) X(AP, end) X(AP, eventClass) X(AP, globalTid) X(AP, correlationId) X(AP, nameId) \
	X(AP, returnValue) \
	X(AP, platformId) X(AP, deviceId) X(AP, contextId) X(AP, queueId) X(AP, objectId) X(AP, arguments) \
	X(AP, callchainId)
#define GT_CELLS_WORK(X) \
	X(WO, start) X(WO, end) X(WO, queued) X(WO, submit) X(WO, complete) X(WO, eventClass) X(WO, globalPid) \
	X(WO, correlationId) \
	X(WO, commandType) X(WO, nameId) X(WO, deviceId) X(WO, contextId) X(WO, queueId) X(WO, gpu) \
	X(WO, executionStatus) X(WO, reason) \
	X(WO, timeSource) X(WO, bytes) X(WO, srcKind) X(WO, dstKind) X(WO, workDim) X(WO, globalOffsetX) \
	X(WO, globalOffsetY) \
	X(WO, globalOffsetZ) X(WO, globalSizeX) X(WO, globalSizeY) X(WO, globalSizeZ) X(WO, localSizeX) \
	X(WO, localSizeY) \
	X(WO, localSizeZ) X(WO, localSizeSource) X(WO, programId) X(WO, kernelId) X(WO, patternHex)
#define GT_CELLS_WAIT(X) X(WA, globalPid) X(WA, correlationId) X(WA, waitsForCorrelationId)

/* ... and of the tables that describe devices, contexts and queues, which OpenCL and CUDA fill together */
#define GT_CELLS_GPU(X) \
	X(GPU, vmId) X(GPU, id) X(GPU, name) X(GPU, busLocation) X(GPU, isDiscrete) X(GPU, l2CacheSize) \
	X(GPU, totalMemory) \
	X(GPU, memoryBandwidth) X(GPU, clockRate) X(GPU, smCount) X(GPU, uuid) X(GPU, cuDevice) X(GPU, constantMemory) \
	X(GPU, maxIPC) \
	X(GPU, maxRegistersPerBlock) X(GPU, maxShmemPerBlock) X(GPU, maxShmemPerSm) X(GPU, maxRegistersPerSm) \
	X(GPU, threadsPerWarp) \
	X(GPU, asyncEngines) X(GPU, maxWarpsPerSm) X(GPU, maxBlocksPerSm) X(GPU, maxThreadsPerBlock) \
	X(GPU, maxBlockDimX) \
	X(GPU, maxBlockDimY) X(GPU, maxBlockDimZ) X(GPU, maxGridDimX) X(GPU, maxGridDimY) X(GPU, maxGridDimZ) \
	X(GPU, computeMajor) \
	X(GPU, computeMinor) X(GPU, smMajor) X(GPU, smMinor) X(GPU, numaNodeId)
#define GT_CELLS_DEVICE(X) X(DE, gpuId) X(DE, cudaId) X(DE, pid) X(DE, uuid) X(DE, numMultiprocessors)
#define GT_CELLS_CONTEXT(X) \
	X(CO, nullStreamId) X(CO, hwId) X(CO, vmId) X(CO, processId) X(CO, deviceId) X(CO, contextId) \
	X(CO, parentContextId) \
	X(CO, isGreenContext) X(CO, numMultiprocessors)
#define GT_CELLS_STREAM(X) X(ST, streamId) X(ST, hwId) X(ST, vmId) X(ST, processId) X(ST, contextId) X(ST, priority) \
	X(ST, flag)

#define GT_WALK_TABLES(T) \
	T(runtime, CUPTI_ACTIVITY_KIND_RUNTIME, GT_CELLS_RUNTIME) T(host, CUDA_HOST_CALLBACK, GT_CELLS_HOST) \
	T(kernel, CUPTI_ACTIVITY_KIND_KERNEL, GT_CELLS_KERNEL) T(copy, CUPTI_ACTIVITY_KIND_MEMCPY, GT_CELLS_MEMCPY) \
	T(set, CUPTI_ACTIVITY_KIND_MEMSET, GT_CELLS_MEMSET) \
	T(sync, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, GT_CELLS_SYNC) \
	T(api, OPENCL_API, GT_CELLS_API) T(work, OPENCL_WORKLOAD, GT_CELLS_WORK) \
	T(wait, OPENCL_WAIT_LIST, GT_CELLS_WAIT) \
	T(gpu, TARGET_INFO_GPU, GT_CELLS_GPU) T(cuda_device, TARGET_INFO_CUDA_DEVICE, GT_CELLS_DEVICE) \
	T(cuda_context, TARGET_INFO_CUDA_CONTEXT_INFO, GT_CELLS_CONTEXT) \
	T(cuda_stream, TARGET_INFO_CUDA_STREAM, GT_CELLS_STREAM)

#define X(prefix, cell) prefix##_##cell,
enum { GT_CELLS_RUNTIME(X) };
enum { GT_CELLS_HOST(X) };
enum { GT_CELLS_KERNEL(X) };
enum { GT_CELLS_MEMCPY(X) };
enum { GT_CELLS_MEMSET(X) };
enum { GT_CELLS_SYNC(X) };
enum { GT_CELLS_API(X) };
enum { GT_CELLS_WORK(X) };
enum { GT_CELLS_WAIT(X) };
enum { GT_CELLS_GPU(X) };
enum { GT_CELLS_DEVICE(X) };
enum { GT_CELLS_CONTEXT(X) };
enum { GT_CELLS_STREAM(X) };
#undef X

struct gt_sql_objects;
struct gt_sql_events;
struct gt_sql_maps;
struct gt_sql_chains;
struct gt_sql_cuda;
struct gt_sql_osrt;
struct gt_sql_openmp;
struct gt_fn_plan;

struct gt_sql_feeder {
	const struct gt_export *x;
	struct gt_model *m;
	struct gt_sql *db;
	bool compat, arguments;
	bool strict_text;               /* a registered NVTX string as textId alone */
	bool library_ranges;            /* those of cuBLAS and cuDNN in NVTX_EVENTS too */
	bool driver_rows;               /* driver calls that a runtime call made inside it too */
	struct gt_sql_objects *objects;
	struct gt_sql_events *events;
	struct gt_sql_maps *maps;
	struct gt_sql_osrt *osrt;       /* NULL: no call of the C library yet */
	struct gt_sql_openmp *openmp;   /* NULL: no region of OpenMP yet */
	struct gt_sql_chains *chains;
	bool no_chain_is_zero;          /* a call without a stack; else NULL */
	struct gt_sql_cuda *cuda;       /* NULL: no CUDA in the trace */
	struct gt_fn_plan **plan;       /* by function id */
	int64_t *correlation_base;      /* by process: images of one pid share its number space */
	bool *thread_used;              /* by thread */
	uint64_t api_rows, opencl_calls, clamped, unknown_device;
	bool range_rows;                /* there are NVTX marks or ranges */
	/* calls that never returned */
	GT_LIST(struct gt_sql_never { int64_t start_ns; int64_t pid; int64_t name; }) never;
	uint32_t type[64];              /* command types seen */
	unsigned n_types;
#define T(member, table, cells) struct gt_sql_table *member;
	GT_WALK_TABLES(T)
#undef T
};

static inline int64_t gt_sql_pid(const struct gt_sql_feeder *f, uint32_t process)
{
	return GT_SQL_VM | (int64_t)gt_model_process(f->m, process)->pid << 24;
}
static inline int64_t gt_sql_tid(const struct gt_sql_feeder *f, uint32_t process, uint32_t thread)
{
	return gt_sql_pid(f, process) | (gt_model_thread(f->m, thread)->tid & 0xffffff);
}

/* ---- objects.c: numbers of API objects, and which object a handle names ---- */
struct gt_sql_objects *gt_sql_objects_new(struct gt_model *m);
void gt_sql_objects_free(struct gt_sql_objects *o);
/* Takes in what the walk has seen since the last call. */
bool gt_sql_objects_update(struct gt_sql_objects *o);
/* The object that handle names at that time, NULL when unknown. */
struct gt_object *gt_sql_object_find(
	struct gt_sql_objects *o, uint32_t process, enum rec_object kind, uint64_t handle, int64_t time_ns);
/* Where the device that wrote a memory object last is kept, NULL when the object is not known. */
const struct gt_object **gt_sql_object_home(struct gt_sql_objects *o, const struct gt_object *object);
/* Its number among the objects of its kind in its pid: from 1; queues from GT_SQL_FIRST_STREAM. 0 for NULL. */
int64_t gt_sql_object_number(struct gt_sql_objects *o, const struct gt_object *object);
/*
 * The one device an object belongs to: its own, its queue's, its context's; NULL when there is none or it is not known.
 */
const struct gt_object *gt_sql_object_device(const struct gt_object *object);
const struct gt_object *gt_sql_object_context(const struct gt_object *object);
/* The device's number in this database: CUDA's where it is the same device, behind all of CUDA's otherwise. */
int64_t gt_sql_device_number(const struct gt_sql_feeder *f, const struct gt_object *device);
/* ... that has described it */
bool gt_sql_device_is_cuda(const struct gt_sql_feeder *f, const struct gt_object *device);
/*
 * GT_SQL_UNKNOWN_DEVICE, which gets a row: for work of a device that is not known, as joins would lose the work. What
 * has no device, or no one device, has GT_SQL_NONE, and a cell that may be NULL stays so.
 */
int64_t gt_sql_unknown_device(struct gt_sql_feeder *f);
/* Numbers of a process' kind up to this one are taken by CUDA. Before the first update. */
void gt_sql_objects_reserve(struct gt_sql_objects *o, uint32_t process, enum rec_object kind, uint32_t last);
/* "8a5f..-.." without the vendor's prefix. */
void gt_sql_uuid_text(const uint8_t uuid[16], char out[40]);
/* Value of an attribute that is a number of 4 or 8 bytes. */
bool gt_sql_attr(const struct gt_object *o, uint32_t key, int64_t *value);
/* Of a kernel for this device, or where nothing says which device is meant, the first answer. */
bool gt_sql_kernel_attr(
	const struct gt_object *kernel, const struct gt_object *device, uint32_t key, int64_t *value);

/* ---- events.c: which call made the event that a handle names ---- */
/* place: the queue of the command, or the context of an event that the application completes itself; NULL */
struct gt_sql_event { int64_t correlation; const struct gt_object *place; };
struct gt_sql_events *gt_sql_events_new(void);
void gt_sql_events_free(struct gt_sql_events *e);
bool gt_sql_events_put(struct gt_sql_events *e, uint32_t process, uint64_t handle, struct gt_sql_event event);
bool gt_sql_events_find(const struct gt_sql_events *e, uint32_t process, uint64_t handle, struct gt_sql_event *out);
void gt_sql_events_retain(struct gt_sql_events *e, uint32_t process, uint64_t handle);
void gt_sql_events_release(struct gt_sql_events *e, uint32_t process, uint64_t handle);

/* ---- maps.c: live mappings ---- */
struct gt_sql_map { uint32_t process; uint64_t address, bytes, flags; bool pinned; };
struct gt_sql_maps *gt_sql_maps_new(void);
void gt_sql_maps_free(struct gt_sql_maps *m);
bool gt_sql_maps_add(struct gt_sql_maps *m, struct gt_sql_map map);
/* and forgets it */
bool gt_sql_maps_take(struct gt_sql_maps *m, uint32_t process, uint64_t address, struct gt_sql_map *out);
bool gt_sql_maps_pinned(const struct gt_sql_maps *m, uint32_t process, uint64_t address);

/* ---- chains.c: stacks ---- */
enum gt_sql_chain_table {
	GT_SQL_CHAINS_CUDA, GT_SQL_CHAINS_OSRT, GT_SQL_CHAINS_SAMPLES, GT_SQL_CHAINS_SYSCALL, GT_SQL_CHAIN_TABLES
};
struct gt_sql_chains *gt_sql_chains_new(struct gt_sql *db, const struct gt_model *m);
void gt_sql_chains_free(struct gt_sql_chains *c);
/* The id of a stack's chain, whose rows will be in that table; 0: the call has none. */
int64_t gt_sql_chain(struct gt_sql_feeder *f, enum gt_sql_chain_table table, uint32_t stack);
/* The same into a cell that is NULL where there is none, or in the older edition 0. */
void gt_sql_put_chain(struct gt_sql_feeder *f, struct gt_sql_row *r, unsigned cell, uint32_t stack);

/* The rows of one sample's chain, under the sample's own number. method: ENUM_STACK_UNWIND_METHOD. */
void gt_sql_sample_chain(struct gt_sql_feeder *f, int64_t id, uint32_t stack, int method);

/* threads.c: samples and switches; before gt_sql_info. False: no memory. */
bool gt_sql_threads(struct gt_sql_feeder *f);

/* tracepoints.c: whose events there are; before gt_sql_info. */
void gt_sql_tracepoint_threads(struct gt_sql_feeder *f);
/* generic.c: --sqlite-counters, for which it walks once more, behind all others; tracepoints. 0, or -1 with *err. */
int gt_sql_generic(struct gt_sql_feeder *f, struct gt_err *err);

/* ---- walk.c, commands.c, info.c, args.c ---- */
int gt_sql_walk(struct gt_sql_feeder *f, struct gt_err *err);
/* Remembers what a command leaves behind (mappings, where memory lives) without a row: for calls before the window. */
void gt_sql_follow_command(struct gt_sql_feeder *f, const struct gt_call *call);
void gt_sql_command(struct gt_sql_feeder *f, const struct gt_call *call, int64_t correlation);
void gt_sql_info(struct gt_sql_feeder *f);
/* Remembers a call that never returned: its row has no mark, so the diagnostics name it. */
void gt_sql_never_returned(struct gt_sql_feeder *f, const char *name, size_t bytes, int64_t start_ns, int64_t pid);
/* osrt.c: one call of the C library. False: no memory. */
bool gt_sql_osrt_call(struct gt_sql_feeder *f, const struct gt_call *call);
/* The number of a function's parameter of this name; -1: none, or name is NULL. */
static inline int gt_sql_parameter(const struct gt_fn *fn, const char *name)
{
	return name ? gt_fn_find_param(fn, name, strlen(name)) : -1;
}
/* openmp.c: one region or moment. False: no memory. */
bool gt_sql_openmp_call(struct gt_sql_feeder *f, const struct gt_call *call);
void gt_sql_openmp_free(struct gt_sql_openmp *o);
/* Behind the last: files that are still open. */
void gt_sql_osrt_end(struct gt_sql_feeder *f);
void gt_sql_osrt_free(struct gt_sql_osrt *o);
void gt_sql_nvtx(struct gt_sql_feeder *f);   /* nvtx.c; after the walk, before gt_sql_info */
void gt_sql_payload_schemas(struct gt_sql_feeder *f);   /* payload.c; from there */
/* "name=value, name=value" into a buffer of the feeder's that lives until the next call. */
const char *gt_sql_arguments(const struct gt_call *call, size_t *bytes);

#endif
