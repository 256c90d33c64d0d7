/*
 * writers/sqlite/commands.c - device commands: the truthful row, and the one that CUDA's consumers read
 *
 * A command without device times has its OPENCL_WORKLOAD row and no other. Times in OPENCL_WORKLOAD are as measured;
 * those in CUPTI_ tables are kept in the order that consumers rely on (behind the session's zero, not before the call
 * that caused them, end not before start), and every time moved is counted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "opencl_values.h"
#include <stdio.h>
#include <string.h>

#include "model/opencl/operation.h"
#include "writers/sqlite/feed.h"

struct place { int64_t device, context, queue; bool has_device, has_context, has_queue; };

static struct place place_of(struct gt_sql_feeder *f, const struct gt_command *c)
{
	const struct gt_object *device = c->device ? c->device : gt_sql_object_device(c->queue ? c->queue : c->context);
	const struct gt_object *context = c->context ? c->context : gt_sql_object_context(c->queue);

	return (struct place){ device ? gt_sql_device_number(f, device) : GT_SQL_UNKNOWN_DEVICE,
		gt_sql_object_number(f->objects, context), gt_sql_object_number(f->objects, c->queue), device, context,
		c->queue };
}

/* The command's time in the CUPTI_ tables. */
static void ordered_times(
	struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c, int64_t *start, int64_t *end)
{
	int64_t least = call->start_ns > 1 ? call->start_ns : 1;

	*start = c->start_ns < least ? least : c->start_ns;
	*end = c->end_ns < *start ? *start : c->end_ns;
	f->clamped += (*start != c->start_ns) + (*end != c->end_ns);
}

static int64_t within_int64(uint64_t v) { return v > INT64_MAX ? INT64_MAX : (int64_t)v; }

static void add_kernel(struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c,
	int64_t correlation, struct place at)
{
	struct gt_sql_row *r = gt_sql_add(f->kernel);
	int64_t name = gt_sql_string(f->db, c->name.text, c->name.bytes), start, end, local = 0, private_bytes = 0;
	bool plain = c->demangled.text == c->name.text;   /* mostly: its own name, and no other */
	uint64_t grid[3], block[3];

	ordered_times(f, call, c, &start, &end);
	gt_command_grid(c, grid, block);
	gt_sql_kernel_attr(c->kernel, c->device, CL_KERNEL_LOCAL_MEM_SIZE, &local);
	gt_sql_kernel_attr(c->kernel, c->device, CL_KERNEL_PRIVATE_MEM_SIZE, &private_bytes);
	gt_put(r, KE_start, start);
	gt_put(r, KE_end, end);
	gt_put(r, KE_deviceId, at.device);
	gt_put(r, KE_contextId, at.context);
	gt_put(r, KE_streamId, at.queue);
	gt_put(r, KE_correlationId, correlation);
	gt_put(r, KE_globalPid, gt_sql_pid(f, call->process));
	gt_put(r, KE_demangledName, plain ? name : gt_sql_string(f->db, c->demangled.text, c->demangled.bytes));
	gt_put(r, KE_shortName, plain ? name : gt_sql_string(f->db, c->short_name.text, c->short_name.bytes));
	gt_put(r, KE_mangledName, name);
	gt_put(r, KE_launchType, 1);            /* regular: consumers INNER JOIN on it */
	gt_put(r, KE_cacheConfig, 0);
	gt_put(r, KE_registersPerThread, 0);    /* OpenCL does not say */
	for (unsigned d = 0; d < 3; d++) {
		gt_put(r, KE_gridX + d, within_int64(grid[d]));
		gt_put(r, KE_blockX + d, within_int64(block[d]));
	}
	gt_put(r, KE_staticSharedMemory, local);        /* told before any argument was set */
	gt_put(r, KE_dynamicSharedMemory, within_int64(c->local_arg_bytes));
	gt_put(r, KE_localMemoryPerThread, private_bytes);
	gt_put(r, KE_localMemoryTotal, 0);
	gt_put(r, KE_gridId, correlation);      /* the same in every window of the trace */
	gt_put(r, KE_sharedMemoryExecuted, 0);
	gt_put(r, KE_sharedMemoryLimitConfig, 0);
	for (unsigned d = 0; d < 3; d++)
		gt_put(r, KE_clusterX + d, 0);
	gt_put_constant(f->kernel, r, KE_tensorSizeMinusOneElements, "[]");
}

static void add_copy(struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c,
	const struct gt_operation *op, int64_t correlation, struct place at)
{
	struct gt_sql_row *r = gt_sql_add(f->copy);
	int64_t start, end;

	ordered_times(f, call, c, &start, &end);
	gt_put(r, MC_start, start);
	gt_put(r, MC_end, end);
	gt_put(r, MC_deviceId, at.device);
	gt_put(r, MC_contextId, at.context);
	gt_put(r, MC_streamId, at.queue);
	gt_put(r, MC_correlationId, correlation);
	gt_put(r, MC_globalPid, gt_sql_pid(f, call->process));
	gt_put(r, MC_bytes, within_int64(c->bytes));
	gt_put(r, MC_copyKind, op->copy);
	gt_put(r, MC_srcKind, op->src);
	gt_put(r, MC_dstKind, op->dst);
	if (op->copy != GT_COPYKIND_PTOP)
		return;
	gt_put(r, MC_srcDeviceId, gt_sql_device_number(f, *gt_sql_object_home(f->objects, c->src)));
	gt_put(r, MC_srcContextId, at.context);
	gt_put(r, MC_dstDeviceId, gt_sql_device_number(f, *gt_sql_object_home(f->objects, c->dst)));
	gt_put(r, MC_dstContextId, at.context);
}

/* spec: nsys SQLite MEMSET.value; the whole pattern is in OPENCL_WORKLOAD. */
static int64_t fill_value(const struct gt_command *c)
{
	int64_t value = 0;

	for (uint32_t i = 0; i < c->pattern_bytes && i < 4 && c->pattern; i++)
		value |= (int64_t)c->pattern[i] << 8 * i;
	return value;
}

static void add_fill(struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c,
	const struct gt_operation *op, int64_t correlation, struct place at)
{
	struct gt_sql_row *r = gt_sql_add(f->set);
	int64_t start, end;

	ordered_times(f, call, c, &start, &end);
	gt_put(r, MS_start, start);
	gt_put(r, MS_end, end);
	gt_put(r, MS_deviceId, at.device);
	gt_put(r, MS_contextId, at.context);
	gt_put(r, MS_streamId, at.queue);
	gt_put(r, MS_correlationId, correlation);
	gt_put(r, MS_globalPid, gt_sql_pid(f, call->process));
	gt_put(r, MS_value, fill_value(c));
	gt_put(r, MS_bytes, within_int64(c->bytes));
	gt_put(r, MS_memKind, op->dst);
}

static void put_time(struct gt_sql_row *r, unsigned cell, int64_t ns)
{
	if (ns != GT_NO_TIME)
		gt_put(r, cell, ns);
}

static void put_times(struct gt_sql_row *r, const struct gt_command *c)
{
	put_time(r, WO_start, c->start_ns);
	put_time(r, WO_end, c->end_ns);
	put_time(r, WO_queued, c->queued_ns);
	put_time(r, WO_submit, c->submit_ns);
	put_time(r, WO_complete, c->complete_ns);
	gt_put(r, WO_timeSource, 0);            /* ENUM_OPENCL_TIME_SOURCE: device profiling */
}

static void put_sizes(struct gt_sql_row *r, const struct gt_command *c)
{
	if (!c->work_dim)
		return;
	gt_put(r, WO_workDim, c->work_dim);
	for (unsigned d = 0; d < c->work_dim && d < 3; d++) {
		if (c->has_offset)
			gt_put(r, WO_globalOffsetX + d, within_int64(c->global_offset[d]));
		if (c->has_global)
			gt_put(r, WO_globalSizeX + d, within_int64(c->global_size[d]));
		if (c->local_source != REC_LOCAL_UNKNOWN)
			gt_put(r, WO_localSizeX + d, within_int64(c->local_size[d]));
	}
	gt_put(r, WO_localSizeSource, c->local_source);
}

static void put_pattern(struct gt_sql_feeder *f, struct gt_sql_row *r, const struct gt_command *c)
{
	char hex[2 * 256 + 1];
	uint32_t n = c->pattern_bytes < 256 ? c->pattern_bytes : 256;

	if (!c->pattern || !n)
		return;
	for (uint32_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", c->pattern[i]);
	gt_put_text(f->work, r, WO_patternHex, hex, 2 * n);
}

/* A command type that the enumeration does not know gets its row there, so that joins lose nothing. */
static void check_type(struct gt_sql_feeder *f, uint32_t type, int64_t name)
{
	bool here = false;

	for (unsigned i = 0; i < f->n_types; i++)
		if (f->type[i] == type)
			return;
	if (f->n_types == sizeof f->type / sizeof f->type[0])
		return;
	f->type[f->n_types++] = type;
	for (const struct gt_schema_value *v = gt_schema_enums(GT_SCHEMA_DEFAULT); v->table; v++) {
		here = v->name ? here : !strcmp(v->table, "ENUM_OPENCL_COMMAND_TYPE");
		if (here && v->name && v->id == type)
			return;
	}
	gt_sql_enum_add(f->db, "ENUM_OPENCL_COMMAND_TYPE", type, name);
}

static void add_work(struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c,
	const struct gt_operation *op, int64_t correlation, struct place at)
{
	struct gt_sql_row *r = gt_sql_add(f->work);
	int64_t name = gt_sql_string(f->db, c->name.text, c->name.bytes);

	check_type(f, c->type, name);
	if (c->timed)
		put_times(r, c);
	else if (c->reason >= 0 || c->status < 0)
		gt_put(r, WO_reason, c->reason >= 0 ? c->reason : REC_LOSS_FAILED_COMMAND);
	gt_put(r, WO_eventClass, GT_SQL_CLASS_OPENCL);
	gt_put(r, WO_globalPid, gt_sql_pid(f, call->process));
	gt_put(r, WO_correlationId, correlation);
	gt_put(r, WO_commandType, c->type);
	gt_put(r, WO_nameId, name);
	if (at.has_device) {            /* a call may have named no queue */
		gt_put(r, WO_deviceId, at.device);
		gt_put(r, WO_gpu, at.device);
	}
	if (at.has_context)
		gt_put(r, WO_contextId, at.context);
	if (at.has_queue)
		gt_put(r, WO_queueId, at.queue);
	if (c->status <= 0)
		gt_put(r, WO_executionStatus, c->status);
	if (c->has_bytes)
		gt_put(r, WO_bytes, within_int64(c->bytes));
	if (op->kind == GT_OPERATION_COPY)
		gt_put(r, WO_srcKind, op->src);
	if (op->kind == GT_OPERATION_COPY || op->kind == GT_OPERATION_FILL)
		gt_put(r, WO_dstKind, op->dst);
	put_sizes(r, c);
	if (c->program)
		gt_put(r, WO_programId, gt_sql_object_number(f->objects, c->program));
	if (c->kernel)
		gt_put(r, WO_kernelId, gt_sql_object_number(f->objects, c->kernel));
	put_pattern(f, r, c);
}

static bool is_map(uint32_t type)
{
	return type == CL_COMMAND_MAP_BUFFER || type == CL_COMMAND_MAP_IMAGE || type == CL_COMMAND_SVM_MAP ||
		type == CL_COMMAND_SVM_MAP_ARM;
}

/* Remembers maps, because host memory of a mapping is pinned when the driver allocated it. */
static void follow_maps(struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c)
{
	const struct gt_object *mem = c->src ? c->src : c->dst;
	struct gt_sql_map map;

	if (is_map(c->type) && call->fn->ret == GT_POINTER && call->result == 0)
		gt_sql_maps_add(f->maps,
			(struct gt_sql_map){ call->process, gt_call_return(call), c->bytes, c->map_flags,
				mem && mem->flags & CL_MEM_ALLOC_HOST_PTR });
	else if (c->type == CL_COMMAND_UNMAP_MEM_OBJECT)
		gt_sql_maps_take(f->maps, call->process, c->host_ptr, &map);
}

/* The side of a transfer that is host memory is pinned when its pointer lies in such a mapping. */
static void find_pinned(
	struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c, struct gt_operation *op)
{
	if (op->kind != GT_OPERATION_COPY || !c->host_ptr || is_map(c->type) ||
		!gt_sql_maps_pinned(f->maps, call->process, c->host_ptr))
		return;
	if (op->src == GT_MEM_PAGEABLE)
		op->src = GT_MEM_PINNED;
	if (op->dst == GT_MEM_PAGEABLE)
		op->dst = GT_MEM_PINNED;
}

/* Of a sub-device: the device that it is a part of. */
static const struct gt_object *whole(const struct gt_object *device)
{
	for (int depth = 0; device->parent && depth < 16; depth++)
		device = device->parent;
	return device;
}

/* Memory lives on the device that wrote it last. A copy between buffers of two devices is one between peers. */
static void find_peers(struct gt_sql_feeder *f, const struct gt_command *c, struct gt_operation *op)
{
	const struct gt_object **src, **dst;

	if (op->kind != GT_OPERATION_COPY || op->copy != GT_COPYKIND_DTOD || !c->src || !c->dst)
		return;
	src = gt_sql_object_home(f->objects, c->src);
	dst = gt_sql_object_home(f->objects, c->dst);
	if (src && dst && *src && *dst && whole(*src)->device_index != whole(*dst)->device_index)
		op->copy = GT_COPYKIND_PTOP;
}

static void follow_memory(struct gt_sql_feeder *f, const struct gt_command *c)
{
	const struct gt_object **home =
		c->dst && c->dst->kind == REC_OBJECT_MEM ? gt_sql_object_home(f->objects, c->dst) : NULL;

	if (home && c->status >= 0)
		*home = c->device;
}

static void add_device_row(struct gt_sql_feeder *f, const struct gt_call *call, const struct gt_command *c,
	const struct gt_operation *op, int64_t correlation, struct place at)
{
	if (!at.has_device && op->kind != GT_OPERATION_OTHER)
		at.device = gt_sql_unknown_device(f);
	if (op->kind == GT_OPERATION_KERNEL)
		add_kernel(f, call, c, correlation, at);
	else if (op->kind == GT_OPERATION_COPY)
		add_copy(f, call, c, op, correlation, at);
	else if (op->kind == GT_OPERATION_FILL)
		add_fill(f, call, c, op, correlation, at);
}

void gt_sql_follow_command(struct gt_sql_feeder *f, const struct gt_call *call)
{
	follow_maps(f, call, call->command);
	follow_memory(f, call->command);
}

void gt_sql_command(struct gt_sql_feeder *f, const struct gt_call *call, int64_t correlation)
{
	const struct gt_command *c = call->command;
	struct place at = place_of(f, c);
	struct gt_operation op;

	gt_command_operation(c, &op);
	find_pinned(f, call, c, &op);
	find_peers(f, c, &op);
	follow_maps(f, call, c);
	if (gt_sql_wanted(f->work))
		add_work(f, call, c, &op, correlation, at);
	if (f->compat && c->timed)
		add_device_row(f, call, c, &op, correlation, at);
	follow_memory(f, c);
}
