/*
 * cli/dump_cuda.c - gputap dump: the CUDA part: libraries, buffers, objects, and every activity
 *
 * What the producing library did not tell has no field.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "cli/dump.h"
#include "model/cuda/cuda.h"

#define E struct gt_cuda_event
#define NUMBER(name, member) { name, gt_show_number, GT_NUMBER(E, member) }
#define KNOWN(name, member) { name, gt_show_known, GT_NUMBER(E, member) }
#define DETAIL(name, member) { name, gt_show_known, GT_NUMBER(E, member), GT_JSON_ONLY }
#define ID(name, member) { name, gt_show_id, GT_NUMBER(E, member) }
#define HEX(name, member) { name, gt_show_hex, GT_NUMBER(E, member) }
#define FLAG(name, member) { name, gt_show_flag, GT_NUMBER(E, member) }
#define WHEN(name, member) { name, gt_show_when, GT_NUMBER(E, member) }
#define STRING(name, member) { name, gt_show_string, GT_PLACE(E, member) }
#define SIZES(name, member) { name, gt_show_sizes, GT_PLACE(E, member) }
#define WORD(name, member, words) { name, gt_show_word, GT_NUMBER(E, member), .word = words }

/* --------------------------------------------------------------------- calls */

static const char *domain(int d) { return d == REC_DOMAIN_CUDA_DRIVER ? "driver" : "runtime"; }

static bool result_name(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const char *name;
	char buf[64];

	(void)f;
	name = gt_cuda_result_text(record, buf, sizeof buf);
	gt_json_string(s->t, name, strlen(name));
	return *name;
}

/* In text as in JSON. */
static bool args(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	struct gt_cuda_arg arg;
	char out[64];

	(void)f;
	gt_text_char(s->t, '{');
	for (unsigned i = 0; gt_cuda_arg(s->cuda, record, i, &arg); i++) {
		const char *value = !arg.has_value ? "?" : arg.symbol ? arg.symbol : arg.text;

		gt_json_key(s->t, arg.name);
		gt_json_string(s->t, value, strlen(value));
		if (!arg.out_text[0])
			continue;
		snprintf(out, sizeof out, "*%s", arg.name);     /* what the call wrote there */
		gt_json_key(s->t, out);
		gt_json_string(s->t, arg.out_text, strlen(arg.out_text));
	}
	gt_text_char(s->t, '}');
	return true;
}

static const struct gt_shown call_fields[] = {
	STRING("name", call.name),
	WORD("domain", call.domain, domain),
	NUMBER("callback_id", call.cbid),
	{ "result", gt_show_number, GT_NUMBER(E, call.result), GT_HAS(E, call.has_result) },
	{ "result_name", result_name, GT_OWN, GT_HAS(E, call.has_result) },
	FLAG("nested", call.nested),
	FLAG("has_args", call.has_args),
	{ "args", args, GT_OWN, GT_HAS(E, call.has_args) },
};

/* --------------------------------------------------------------- device work */

static const struct gt_shown kernel_fields[] = {
	STRING("name", kernel.demangled),
	{ "short_name", gt_show_string, GT_PLACE(E, kernel.short_name), GT_JSON_ONLY },
	{ "mangled", gt_show_string, GT_PLACE(E, kernel.mangled), GT_JSON_ONLY },
	SIZES("grid", kernel.grid),
	SIZES("block", kernel.block),
	{ "cluster", gt_show_sizes, GT_PLACE(E, kernel.cluster), GT_HAS(E, kernel.has_cluster) },
	KNOWN("registers", kernel.registers),
	KNOWN("static_shared", kernel.static_shared),
	KNOWN("dynamic_shared", kernel.dynamic_shared),
	KNOWN("local_per_thread", kernel.local_per_thread),
	KNOWN("local_total", kernel.local_total),
	KNOWN("grid_id", kernel.grid_id),
	KNOWN("launch_type", kernel.launch_type),
	WHEN("queued_ns", kernel.queued_ns),
	WHEN("submitted_ns", kernel.submitted_ns),
	WHEN("completed_ns", kernel.completed_ns),
	DETAIL("cache_requested", kernel.cache_requested),
	DETAIL("cache_executed", kernel.cache_executed),
	DETAIL("shared_config", kernel.shared_config),
	DETAIL("shared_executed", kernel.shared_executed),
	DETAIL("shared_carveout", kernel.shared_carveout),
	DETAIL("shared_limit_config", kernel.shared_limit_config),
	DETAIL("cluster_policy", kernel.cluster_policy),
	DETAIL("max_cluster", kernel.max_cluster),
	DETAIL("max_active_clusters", kernel.max_active_clusters),
	DETAIL("channel", kernel.channel),
	DETAIL("channel_type", kernel.channel_type),
	{ "device_launched", gt_show_flag, GT_NUMBER(E, kernel.device_launched), GT_JSON_ONLY },
};
static const struct gt_shown copy_fields[] = {
	WORD("direction", copy.copy_kind, gt_cuda_copy_text),
	WORD("source", copy.src_kind, gt_cuda_mem_text),
	WORD("destination", copy.dst_kind, gt_cuda_mem_text),
	NUMBER("bytes", copy.bytes),
	FLAG("async", copy.async),
	FLAG("peer", copy.peer),
	KNOWN("count", copy.count),
	ID("src_device", copy.src_device),
	ID("src_context", copy.src_context),
	ID("dst_device", copy.dst_device),
	ID("dst_context", copy.dst_context),
	KNOWN("channel", copy.channel),
	KNOWN("channel_type", copy.channel_type),
};
static const struct gt_shown fill_fields[] = {
	WORD("memory", fill.mem_kind, gt_cuda_mem_text),
	NUMBER("bytes", fill.bytes),
	HEX("value", fill.value),
	FLAG("async", fill.async),
	KNOWN("channel", fill.channel),
	KNOWN("channel_type", fill.channel_type),
};
static const struct gt_shown sync_fields[] = {
	NUMBER("sync_type", sync.type),
	KNOWN("event", sync.event),
	KNOWN("event_sync", sync.event_sync),
	KNOWN("result", sync.result),
};
static const struct gt_shown graph_fields[] = {
	ID("executable", graph_launch.exec),
	ID("end_device", graph_launch.end_device),
	ID("end_context", graph_launch.end_context),
};
static const struct gt_shown event_record_fields[] = {
	KNOWN("event", event_record.event),
	KNOWN("event_sync", event_record.event_sync),
	WHEN("device_ns", event_record.device_ns),
};
static const struct gt_shown decompress_fields[] = {
	NUMBER("bytes", decompress.bytes),
	NUMBER("operations", decompress.operations),
	KNOWN("channel", decompress.channel),
};

/* --------------------------------------------------------- graphs and memory */

static const char *graph_event(int what)
{
	static const char *const names[] = { [REC_CUPTI_GRAPH_CREATED] = "graph created",
		[REC_CUPTI_GRAPH_CLONED] = "graph cloned",
		[REC_CUPTI_GRAPH_DESTROYED] = "graph destroyed",
		[REC_CUPTI_GRAPH_EXEC_CREATED] = "executable created",
		[REC_CUPTI_GRAPH_EXEC_DESTROYED] = "executable destroyed",
		[REC_CUPTI_NODE_CREATED] = "node created",
		[REC_CUPTI_NODE_CLONED] = "node cloned",
		[REC_CUPTI_NODE_DESTROYED] = "node destroyed" };

	return (size_t)what < sizeof names / sizeof *names ? names[what] : NULL;
}

static const char *memory_operation(int operation)
{
	return operation == 1 ? "allocation" : operation == 2 ? "release" : "unknown";
}

static bool in_pool(const void *record) { return ((const E *)record)->memory.pool_type >= 0; }

static bool pool_number(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return in_pool(record) && gt_show_known(s, f, record);
}

static bool pool_hex(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return in_pool(record) && gt_show_hex(s, f, record);
}

static const struct gt_shown graph_event_fields[] = {
	WORD("what", graph_event.what, graph_event),
	NUMBER("id", graph_event.id),
	{ "original", gt_show_set, GT_NUMBER(E, graph_event.original) },
	KNOWN("node_type", graph_event.node_type),
	STRING("call", graph_event.name),
};
static const struct gt_shown memory_fields[] = {
	WORD("operation", memory.operation, memory_operation),
	WORD("memory", memory.mem_kind, gt_cuda_mem_text),
	HEX("address", memory.address),
	NUMBER("bytes", memory.bytes),
	HEX("pc", memory.pc),
	FLAG("async", memory.async),
	STRING("name", memory.name),
	STRING("source", memory.source),
	{ "pool_type", pool_number, GT_NUMBER(E, memory.pool_type) },
	{ "pool", pool_hex, GT_NUMBER(E, memory.pool) },
	{ "pool_size", pool_number, GT_NUMBER(E, memory.pool_size) },
	{ "pool_used", pool_number, GT_NUMBER(E, memory.pool_used) },
	{ "pool_threshold", pool_number, GT_NUMBER(E, memory.pool_threshold) },
	{ "pool_pid", pool_number, GT_NUMBER(E, memory.pool_pid) },
};
static const struct gt_shown pool_fields[] = {
	NUMBER("operation", pool.operation),
	NUMBER("pool_type", pool.type),
	HEX("address", pool.address),
	NUMBER("size", pool.size),
	NUMBER("used", pool.used),
	NUMBER("threshold", pool.threshold),
	NUMBER("keep", pool.keep),
};
static const struct gt_shown managed_fields[] = {
	NUMBER("counter", managed.counter),
	NUMBER("value", managed.value),
	HEX("address", managed.address),
	HEX("flags", managed.flags),
	ID("from", managed.src),
	ID("to", managed.dst),
};

/* ---------------------------------------------------------------------- rest */

static const struct gt_shown overhead_fields[] = {
	NUMBER("overhead", overhead.type),
	NUMBER("object_kind", overhead.object_kind),
};
static const struct gt_shown jit_fields[] = {
	NUMBER("entry", jit.entry),
	NUMBER("operation", jit.operation),
	KNOWN("cache_size", jit.cache_size),
	KNOWN("operation_id", jit.operation_correlation),
	STRING("cache", jit.cache_path),
};
static const struct gt_shown external_fields[] = {
	NUMBER("external_kind", external.external_kind),
	NUMBER("external_id", external.external_id),
};

/* ------------------------------------------------------------------- activities */

/* JSON says "timed":false, text "untimed"; with times neither says anything. */
static bool untimed(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const E *e = record;

	(void)f;
	gt_text_str(s->t, s->json ? "false" : "untimed");
	return !e->timed && e->kind != GT_CUDA_EXTERNAL;
}

static const struct gt_shown head_fields[] = {
	GT_WHOSE(E),
	KNOWN("tid", tid),
	WHEN("start_ns", start_ns),
	WHEN("end_ns", end_ns),
	{ "timed", untimed, GT_OWN, GT_JSON_ONLY },
	{ "untimed", untimed, GT_OWN, GT_TEXT_ONLY },
	WORD("reason", reason, gt_show_loss),
	ID("correlation", correlation),
	ID("device", device),
	ID("context", context),
	ID("stream", stream),
	ID("graph", graph),
	{ "node", gt_show_set, GT_NUMBER(E, graph_node) },
};

#define SHAPE(name, list) { "cuda_" name, "cuda " name " {pid}*", { GT_FIELDS(head_fields), GT_FIELDS(list) } }
static const struct gt_shape shapes[GT_CUDA_KINDS] = {
	[GT_CUDA_CALL] = SHAPE("call", call_fields),
	[GT_CUDA_KERNEL] = SHAPE("kernel", kernel_fields),
	[GT_CUDA_COPY] = SHAPE("copy", copy_fields),
	[GT_CUDA_FILL] = SHAPE("fill", fill_fields),
	[GT_CUDA_SYNC] = SHAPE("sync", sync_fields),
	[GT_CUDA_GRAPH] = SHAPE("graph", graph_fields),
	[GT_CUDA_GRAPH_EVENT] = SHAPE("graph_event", graph_event_fields),
	[GT_CUDA_NODE_EVENT] = SHAPE("node_event", graph_event_fields),
	[GT_CUDA_MEMORY] = SHAPE("memory", memory_fields),
	[GT_CUDA_POOL] = SHAPE("pool", pool_fields),
	[GT_CUDA_MANAGED] = SHAPE("managed", managed_fields),
	[GT_CUDA_EVENT_RECORD] = SHAPE("event_record", event_record_fields),
	[GT_CUDA_OVERHEAD] = SHAPE("overhead", overhead_fields),
	[GT_CUDA_JIT] = SHAPE("jit", jit_fields),
	[GT_CUDA_EXTERNAL] = SHAPE("external", external_fields),
	[GT_CUDA_DECOMPRESS] = SHAPE("decompress", decompress_fields),
};

static int activities(struct gt_show *s, gt_dump_drain *drain, void *ctx, struct gt_err *err)
{
	struct gt_cuda_event e;

	for (int kind = 0; kind < GT_CUDA_KINDS; kind++) {
		uint64_t n = gt_cuda_count(s->cuda, (enum gt_cuda_kind)kind);

		for (uint64_t i = 0; i < n; i++) {
			if (gt_cuda_get(s->cuda, (enum gt_cuda_kind)kind, i, &e, err))
				return -1;
			gt_show_record(s, &shapes[kind], &e);
			if (!drain(ctx))
				return 0;
		}
	}
	return 0;
}

int gt_dump_cuda(struct gt_show *s, gt_dump_drain *drain, void *ctx, struct gt_err *err)
{
	s->cuda = gt_model_cuda(s->m, err);
	if (!s->cuda)
		return -1;
	gt_dump_cuda_objects(s);
	return activities(s, drain, ctx, err);
}
