/*
 * cli/dump_cuda.c - the CUDA part of gputap dump: libraries, buffers, objects, and every activity
 *
 * One description of an activity's fields serves text and JSON: a field is either ,"name":value or " name=value". What
 * the producing library did not tell has no field.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "cli/dump.h"
#include "cli/json.h"
#include "model/cuda/cuda.h"

struct out { struct gt_text *t; bool json; };

static void key(struct out *o, const char *name)
{
	if (o->json) {
		gt_json_key(o->t, name);
		return;
	}
	gt_text_char(o->t, ' ');
	gt_text_str(o->t, name);
	gt_text_char(o->t, '=');
}

static void number(struct out *o, const char *name, int64_t v)
{
	key(o, name);
	gt_text_i64(o->t, v);
}

static void count(struct out *o, const char *name, uint64_t v)
{
	key(o, name);
	gt_text_u64(o->t, v);
}

static void hex(struct out *o, const char *name, uint64_t v)
{
	key(o, name);
	gt_text_str(o->t, o->json ? "\"0x" : "0x");
	gt_text_hex(o->t, v, 1, false);
	gt_text_str(o->t, o->json ? "\"" : "");
}

/* -1: the library did not tell. */
static void known(struct out *o, const char *name, int64_t v)
{
	if (v != -1)
		number(o, name, v);
}

static void id(struct out *o, const char *name, uint32_t v)
{
	if (v != GT_CUDA_NONE)
		count(o, name, v);
}

static void flag(struct out *o, const char *name, bool v)
{
	if (o->json) {
		gt_json_field_bool(o->t, name, v);
	} else if (v) {
		gt_text_char(o->t, ' ');
		gt_text_str(o->t, name);
	}
}

static void when(struct out *o, const char *name, int64_t ns)
{
	if (ns != GT_NO_TIME)
		number(o, name, ns);
}

static void text(struct out *o, const char *name, struct gt_string s)
{
	if (!s.bytes)
		return;
	key(o, name);
	gt_json_string(o->t, s.text, s.bytes);
}

static void word(struct out *o, const char *name, const char *s)
{
	if (s)
		text(o, name, (struct gt_string){ s, strlen(s) });
}

static void sizes(struct out *o, const char *name, const uint32_t v[3])
{
	key(o, name);
	if (o->json)
		gt_text_char(o->t, '[');
	for (int i = 0; i < 3; i++) {
		if (i)
			gt_text_char(o->t, o->json ? ',' : 'x');
		gt_text_u64(o->t, v[i]);
	}
	if (o->json)
		gt_text_char(o->t, ']');
}

/* ------------------------------------------------------------------ by kind */

static void call_fields(struct out *o, struct gt_cuda *c, const struct gt_cuda_event *e)
{
	struct gt_cuda_arg arg;
	char buf[64];

	text(o, "name", e->call.name);
	word(o, "domain", e->call.domain == REC_DOMAIN_CUDA_DRIVER ? "driver" : "runtime");
	count(o, "callback_id", e->call.cbid);
	if (e->call.has_result) {
		number(o, "result", e->call.result);
		word(o, "result_name", gt_cuda_result_text(e, buf, sizeof buf));
	}
	flag(o, "nested", e->call.nested);
	flag(o, "has_args", e->call.has_args);
	if (!e->call.has_args)
		return;
	key(o, "args");
	gt_text_char(o->t, '{');
	for (unsigned i = 0; gt_cuda_arg(c, e, i, &arg); i++) {
		const char *value = !arg.has_value ? "?" : arg.symbol ? arg.symbol : arg.text;

		gt_json_key(o->t, arg.name);
		gt_json_string(o->t, value, strlen(value));
		if (!arg.out_text[0])
			continue;
		snprintf(buf, sizeof buf, "*%s", arg.name);     /* what the call wrote there */
		gt_json_key(o->t, buf);
		gt_json_string(o->t, arg.out_text, strlen(arg.out_text));
	}
	gt_text_char(o->t, '}');
}

static void kernel_fields(struct out *o, const struct gt_cuda_event *e)
{
	text(o, "name", e->kernel.demangled);
	if (o->json) {
		text(o, "short_name", e->kernel.short_name);
		text(o, "mangled", e->kernel.mangled);
	}
	sizes(o, "grid", e->kernel.grid);
	sizes(o, "block", e->kernel.block);
	if (e->kernel.has_cluster)
		sizes(o, "cluster", e->kernel.cluster);
	known(o, "registers", e->kernel.registers);
	known(o, "static_shared", e->kernel.static_shared);
	known(o, "dynamic_shared", e->kernel.dynamic_shared);
	known(o, "local_per_thread", e->kernel.local_per_thread);
	known(o, "local_total", e->kernel.local_total);
	known(o, "grid_id", e->kernel.grid_id);
	known(o, "launch_type", e->kernel.launch_type);
	when(o, "queued_ns", e->kernel.queued_ns);
	when(o, "submitted_ns", e->kernel.submitted_ns);
	when(o, "completed_ns", e->kernel.completed_ns);
	if (!o->json)
		return;
	known(o, "cache_requested", e->kernel.cache_requested);
	known(o, "cache_executed", e->kernel.cache_executed);
	known(o, "shared_config", e->kernel.shared_config);
	known(o, "shared_executed", e->kernel.shared_executed);
	known(o, "shared_carveout", e->kernel.shared_carveout);
	known(o, "shared_limit_config", e->kernel.shared_limit_config);
	known(o, "cluster_policy", e->kernel.cluster_policy);
	known(o, "max_cluster", e->kernel.max_cluster);
	known(o, "max_active_clusters", e->kernel.max_active_clusters);
	known(o, "channel", e->kernel.channel);
	known(o, "channel_type", e->kernel.channel_type);
	flag(o, "device_launched", e->kernel.device_launched);
}

static void copy_fields(struct out *o, const struct gt_cuda_event *e)
{
	word(o, "direction", gt_cuda_copy_text(e->copy.copy_kind));
	word(o, "source", gt_cuda_mem_text(e->copy.src_kind));
	word(o, "destination", gt_cuda_mem_text(e->copy.dst_kind));
	count(o, "bytes", e->copy.bytes);
	flag(o, "async", e->copy.async);
	flag(o, "peer", e->copy.peer);
	known(o, "count", e->copy.count);
	id(o, "src_device", e->copy.src_device);
	id(o, "src_context", e->copy.src_context);
	id(o, "dst_device", e->copy.dst_device);
	id(o, "dst_context", e->copy.dst_context);
	known(o, "channel", e->copy.channel);
	known(o, "channel_type", e->copy.channel_type);
}

static void memory_fields(struct out *o, const struct gt_cuda_event *e)
{
	word(o, "operation",
		e->memory.operation == 1           ? "allocation"
			: e->memory.operation == 2 ? "release"
						   : "unknown");
	word(o, "memory", gt_cuda_mem_text(e->memory.mem_kind));
	hex(o, "address", e->memory.address);
	count(o, "bytes", e->memory.bytes);
	hex(o, "pc", e->memory.pc);
	flag(o, "async", e->memory.async);
	text(o, "name", e->memory.name);
	text(o, "source", e->memory.source);
	if (e->memory.pool_type < 0)
		return;
	number(o, "pool_type", e->memory.pool_type);
	hex(o, "pool", e->memory.pool);
	count(o, "pool_size", e->memory.pool_size);
	count(o, "pool_used", e->memory.pool_used);
	count(o, "pool_threshold", e->memory.pool_threshold);
	known(o, "pool_pid", e->memory.pool_pid);
}

static void graph_event_fields(struct out *o, const struct gt_cuda_event *e)
{
	static const char *const whats[] = { [REC_CUPTI_GRAPH_CREATED] = "graph created",
		[REC_CUPTI_GRAPH_CLONED] = "graph cloned",
		[REC_CUPTI_GRAPH_DESTROYED] = "graph destroyed",
		[REC_CUPTI_GRAPH_EXEC_CREATED] = "executable created",
		[REC_CUPTI_GRAPH_EXEC_DESTROYED] = "executable destroyed",
		[REC_CUPTI_NODE_CREATED] = "node created",
		[REC_CUPTI_NODE_CLONED] = "node cloned",
		[REC_CUPTI_NODE_DESTROYED] = "node destroyed" };

	if ((size_t)e->graph_event.what < sizeof whats / sizeof *whats)
		word(o, "what", whats[e->graph_event.what]);
	count(o, "id", e->graph_event.id);
	if (e->graph_event.original)
		count(o, "original", e->graph_event.original);
	known(o, "node_type", e->graph_event.node_type);
	text(o, "call", e->graph_event.name);
}

static void fields(struct out *o, struct gt_cuda *c, const struct gt_cuda_event *e)
{
	switch (e->kind) {
	case GT_CUDA_CALL:
		call_fields(o, c, e);
		break;
	case GT_CUDA_KERNEL:
		kernel_fields(o, e);
		break;
	case GT_CUDA_COPY:
		copy_fields(o, e);
		break;
	case GT_CUDA_FILL:
		word(o, "memory", gt_cuda_mem_text(e->fill.mem_kind));
		count(o, "bytes", e->fill.bytes);
		hex(o, "value", e->fill.value);
		flag(o, "async", e->fill.async);
		known(o, "channel", e->fill.channel);
		known(o, "channel_type", e->fill.channel_type);
		break;
	case GT_CUDA_SYNC:
		number(o, "sync_type", e->sync.type);
		known(o, "event", e->sync.event);
		known(o, "event_sync", e->sync.event_sync);
		known(o, "result", e->sync.result);
		break;
	case GT_CUDA_GRAPH:
		id(o, "executable", e->graph_launch.exec);
		id(o, "end_device", e->graph_launch.end_device);
		id(o, "end_context", e->graph_launch.end_context);
		break;
	case GT_CUDA_GRAPH_EVENT: case GT_CUDA_NODE_EVENT:
		graph_event_fields(o, e);
		break;
	case GT_CUDA_MEMORY:
		memory_fields(o, e);
		break;
	case GT_CUDA_POOL:
		number(o, "operation", e->pool.operation);
		number(o, "pool_type", e->pool.type);
		hex(o, "address", e->pool.address);
		count(o, "size", e->pool.size);
		count(o, "used", e->pool.used);
		count(o, "threshold", e->pool.threshold);
		count(o, "keep", e->pool.keep);
		break;
	case GT_CUDA_MANAGED:
		number(o, "counter", e->managed.counter);
		count(o, "value", e->managed.value);
		hex(o, "address", e->managed.address);
		hex(o, "flags", e->managed.flags);
		id(o, "from", e->managed.src);
		id(o, "to", e->managed.dst);
		break;
	case GT_CUDA_EVENT_RECORD:
		known(o, "event", e->event_record.event);
		known(o, "event_sync", e->event_record.event_sync);
		when(o, "device_ns", e->event_record.device_ns);
		break;
	case GT_CUDA_OVERHEAD:
		number(o, "overhead", e->overhead.type);
		number(o, "object_kind", e->overhead.object_kind);
		break;
	case GT_CUDA_JIT:
		number(o, "entry", e->jit.entry);
		number(o, "operation", e->jit.operation);
		known(o, "cache_size", e->jit.cache_size);
		known(o, "operation_id", e->jit.operation_correlation);
		text(o, "cache", e->jit.cache_path);
		break;
	case GT_CUDA_EXTERNAL:
		number(o, "external_kind", e->external.external_kind);
		count(o, "external_id", e->external.external_id);
		break;
	case GT_CUDA_DECOMPRESS:
		count(o, "bytes", e->decompress.bytes);
		count(o, "operations", e->decompress.operations);
		known(o, "channel", e->decompress.channel);
		break;
	case GT_CUDA_KINDS:
		break;
	}
}

/* --------------------------------------------------------------------- lines */

static const char *const kind_names[GT_CUDA_KINDS] = { "call", "kernel", "copy", "fill", "sync", "graph", "graph_event",
	"node_event", "memory", "pool", "managed", "event_record", "overhead", "jit", "external", "decompress" };

/* "{"type":"cuda_kernel","pid":4711,"instance":1" or "cuda kernel 4711" */
static void begin(struct out *o, const struct gt_model *m, const char *what, uint32_t process)
{
	const struct gt_process *p = gt_model_process(m, process);

	gt_text_str(o->t, o->json ? "{\"type\":\"cuda_" : "cuda ");
	gt_text_str(o->t, what);
	if (o->json) {
		gt_text_char(o->t, '"');
		gt_json_field_i64(o->t, "pid", p->pid);
		gt_json_field_i64(o->t, "instance", p->instance);
	} else {
		gt_text_char(o->t, ' ');
		gt_text_i64(o->t, p->pid);
	}
}

static void end(struct out *o)
{
	gt_text_str(o->t, o->json ? "}\n" : "\n");
}

static void event(struct out *o, struct gt_model *m, struct gt_cuda *c, const struct gt_cuda_event *e)
{
	begin(o, m, kind_names[e->kind], e->process);
	known(o, "tid", e->tid);
	when(o, "start_ns", e->start_ns);
	when(o, "end_ns", e->end_ns);
	if (!e->timed && e->kind != GT_CUDA_EXTERNAL)
		flag(o, o->json ? "timed" : "untimed", !o->json);
	if (e->reason >= 0)
		word(o, "reason", gt_dump_loss_name(e->reason));
	id(o, "correlation", e->correlation);
	id(o, "device", e->device);
	id(o, "context", e->context);
	id(o, "stream", e->stream);
	id(o, "graph", e->graph);
	if (e->graph_node)
		count(o, "node", e->graph_node);
	fields(o, c, e);
	end(o);
}

static void library(struct out *o, const struct gt_model *m, const struct gt_cuda_library *l)
{
	begin(o, m, "library", l->process);
	count(o, "cupti", l->cupti_version);
	count(o, "driver", l->driver_version);
	flag(o, "stand_in", l->flags & REC_CUPTI_STAND_IN);
	flag(o, "per_thread_buffers", l->flags & REC_CUPTI_PER_THREAD_BUFFERS);
	flag(o, "late", l->flags & REC_CUPTI_LATE);
	text(o, "path", l->path);
	known(o, "clock_error_ns", l->clock_error_ns);
	count(o, "buffers", l->buffers);
	count(o, "uncompleted", l->uncompleted);
	count(o, "records", l->records);
	count(o, "dropped", l->dropped);
	end(o);
}

static void buffer(struct out *o, const struct gt_model *m, const struct gt_cuda_buffer *b)
{
	begin(o, m, "buffer", b->process);
	count(o, "number", b->number);
	when(o, "requested_ns", b->requested_ns);
	when(o, "completed_ns", b->completed_ns);
	count(o, "room", b->room);
	count(o, "valid", b->valid);
	flag(o, "completed", b->completed);
	end(o);
}

static void device(struct out *o, const struct gt_model *m, const struct gt_cuda_device *d)
{
	begin(o, m, "device", d->process);
	count(o, "id", d->id);
	count(o, "index", d->index);
	text(o, "name", d->name);
	if (d->has_uuid) {
		key(o, "uuid");
		gt_text_str(o->t, o->json ? "\"" : "");
		for (size_t i = 0; i < sizeof d->uuid; i++)
			gt_text_hex(o->t, d->uuid[i], 2, false);
		gt_text_str(o->t, o->json ? "\"" : "");
	}
	number(o, "compute_major", d->compute_major);
	number(o, "compute_minor", d->compute_minor);
	known(o, "sms", d->sms);
	known(o, "clock_khz", d->clock_khz);
	known(o, "memory_bytes", d->memory_bytes);
	known(o, "memory_bandwidth", d->memory_bandwidth);
	known(o, "l2_bytes", d->l2_bytes);
	flag(o, "stand_in", d->stand_in);
	end(o);
}

static void objects(struct out *o, const struct gt_model *m, const struct gt_cuda *c)
{
	for (uint32_t i = 0; i < gt_cuda_device_count(c); i++)
		device(o, m, gt_cuda_device(c, i));
	for (uint32_t i = 0; i < gt_cuda_context_count(c); i++) {
		const struct gt_cuda_context *x = gt_cuda_context(c, i);

		begin(o, m, "context", x->process);
		count(o, "id", x->id);
		id(o, "device", x->device);
		id(o, "null_stream", x->null_stream);
		id(o, "parent", x->parent);
		flag(o, "green", x->green);
		known(o, "sms", x->sms);
		when(o, "created_ns", x->created_ns);
		when(o, "destroyed_ns", x->destroyed_ns);
		end(o);
	}
	for (uint32_t i = 0; i < gt_cuda_stream_count(c); i++) {
		const struct gt_cuda_stream *s = gt_cuda_stream(c, i);

		begin(o, m, "stream", s->process);
		count(o, "id", s->id);
		count(o, "context", s->context);
		number(o, "priority", s->priority);
		number(o, "flag", s->flag);
		end(o);
	}
}

int gt_dump_cuda(
	struct gt_model *m, struct gt_text *t, bool json, bool (*drain)(void *ctx), void *ctx, struct gt_err *err)
{
	struct gt_cuda *c = gt_model_cuda(m, err);
	struct out o = { t, json };
	struct gt_cuda_event e;

	if (!c)
		return -1;
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		if (gt_cuda_library(c, i))
			library(&o, m, gt_cuda_library(c, i));
	for (uint32_t i = 0; i < gt_cuda_buffer_count(c); i++) {
		const struct gt_cuda_buffer b = gt_cuda_buffer(c, i);

		buffer(&o, m, &b);
	}
	objects(&o, m, c);
	for (int kind = 0; kind < GT_CUDA_KINDS; kind++) {
		uint64_t n = gt_cuda_count(c, (enum gt_cuda_kind)kind);

		for (uint64_t i = 0; i < n; i++) {
			if (gt_cuda_get(c, (enum gt_cuda_kind)kind, i, &e, err))
				return -1;
			event(&o, m, c, &e);
			if (!drain(ctx))
				return 0;
		}
	}
	return 0;
}
