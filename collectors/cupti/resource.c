/*
 * collectors/cupti/resource.c - contexts, modules and graphs, as CUPTI's resource callbacks tell them
 *
 * Runs      on the program's threads, inside its CUDA calls.
 * May       ask CUPTI for the numbers of handles.
 * Must not  call CUDA, flush, lock, call malloc.
 *
 * A graph's topology is told once, when it is made; its launches are one activity each. Handles are not stored, CUPTI's
 * numbers are.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/counting.h"
#include "collectors/cupti/internal.h"
#include "trace/format/counters.h"

#include <stddef.h>
#include <string.h>

enum {
	CONTEXT_CREATED = 1,
	CONTEXT_DESTROY = 2,
	STREAM_CREATED = 3,
	CU_INIT_FINISHED = 5,
	MODULE_LOADED = 6,
	MODULE_UNLOADING = 7,
	GRAPH_CREATED = 9,
	GRAPH_DESTROY = 10,
	GRAPH_CLONED = 11,
	NODE_CREATED = 13,
	NODE_DESTROY = 14,
	NODE_DEPENDENCY = 15,
	EXEC_CREATED = 18,
	EXEC_DESTROY = 19,
	NODE_CLONED = 20
};

static const uint8_t wanted[] = { CONTEXT_CREATED, CONTEXT_DESTROY, STREAM_CREATED, CU_INIT_FINISHED, MODULE_LOADED,
	MODULE_UNLOADING, GRAPH_CREATED, GRAPH_DESTROY, GRAPH_CLONED, NODE_CREATED, NODE_DESTROY, NODE_DEPENDENCY,
	EXEC_CREATED, EXEC_DESTROY, NODE_CLONED };

void tap_cupti_say_callbacks(const struct tap_cupti_refusals *r, bool on, const char *lost)
{
	int err = tap_cupti_refusal(r);

	if (!err || TAP_READ_ONCE(tap_cupti.closed))
		return;
	if (on)
		tap_cupti_lost(TAP_CUPTI_cuptiEnableCallback, err, lost);
	else
		tap_cupti_note(TAP_CUPTI_cuptiEnableCallback, err, "callbacks stay switched on, which costs time");
}

/* ... and what CUPTI tells of itself: a fatal error, an error, a warning. Libraries without that refuse. */
void tap_cupti_resource_callbacks(bool on)
{
	struct tap_cupti_refusals things = { 0, 0, 0 }, states = { 0, 0, 0 };

	for (size_t i = 0; i < sizeof wanted; i++)
		tap_cupti_count_refusal(&things, TAP_CUPTI(cuptiEnableCallback, on, tap_cupti.subscriber,
			TAP_CUPTI_RESOURCE, wanted[i]));
	for (uint32_t cbid = 1; cbid <= TAP_CUPTI_STATES; cbid++)
		tap_cupti_count_refusal(&states, TAP_CUPTI(cuptiEnableCallback, on, tap_cupti.subscriber,
			TAP_CUPTI_STATE, cbid));
	tap_cupti_say_callbacks(&things, on, "contexts, streams, modules and graphs are not all told");
	if (states.refused)
		tap_cupti_say_callbacks(&states, on, "a fatal error of CUPTI's would not be told");
}

/* ------------------------------------------------------- the call around it */

/* A driver call inside a runtime call has the same number: how deep, and which. */
#define DEPTH tap_tls.cuda_depth
#define CORRELATION tap_tls.cuda_correlation
/* The call's number as the upper half of a word. */
#define CALL_AROUND (DEPTH ? (uint64_t)CORRELATION << 32 : 0)

void tap_cupti_event(enum rec_cupti_event what, uint32_t cbid, uint32_t context, const uint64_t words[4])
{
	tap_record(REC_CUPTI_EVENT, 0,
		(uint64_t[]){ tap_tick(), what | (uint64_t)cbid << 32, context | CALL_AROUND,
			words[0], words[1], words[2], words[3] },
		7);
}

/* ---------------------------------------------------------- order of launches */

/* CUDA's structures of launches with attributes, runtime's and driver's alike, as far as they are read. */
struct launch_attribute { uint32_t id, unused; union { int32_t number; uint64_t handle, words[8]; } value; };
struct launch_config { uint64_t sizes[5]; const struct launch_attribute *attribute; uint32_t n; };
_Static_assert(sizeof(struct launch_attribute) == 72, "CUlaunchAttribute");
_Static_assert(offsetof(struct launch_config, attribute) == 40, "CUlaunchConfig");

/*
 * The launch was accepted, so the driver has read all that is read here. A runtime's launch makes one of the driver's:
 * one record, of the outer one.
 */
void tap_cupti_launch_order(uint32_t cbid, const struct tap_cupti_callback *c)
{
	enum { SERIALISATION = 6, PROGRAMMATIC_EVENT = 7, COMPLETION_EVENT = 12, MOST = 64 };
	const struct launch_config *config = c->params ? *(const struct launch_config *const *)c->params : NULL;
	uint64_t words[4] = { 0 };

	if (DEPTH != 1 || !config || !config->attribute || (c->result && *(const int32_t *)c->result))
		return;
	for (uint32_t i = 0; i < config->n && i < MOST; i++) {
		const struct launch_attribute *a = &config->attribute[i];

		if (a->id == SERIALISATION && a->value.number)
			words[1] = (uint32_t)a->value.number;
		else if (a->id == PROGRAMMATIC_EVENT)
			words[2] = a->value.handle;
		else if (a->id == COMPLETION_EVENT)
			words[3] = a->value.handle;
		else
			continue;
		words[0] |= 1ull << a->id;
	}
	if (words[0])
		tap_cupti_event(REC_CUPTI_LAUNCH_ORDER, cbid, 0, words);
}

/* ------------------------------------------------------- launches that are counted */

/* cuLaunchKernel and cuLaunchCooperativeKernel; cuLaunchKernelEx has them in the program's memory. */
struct launch_shape { uint32_t grid[3], block[3], shared; void *stream; };
struct plain_launch { void *function; struct launch_shape shape; };

static void count_range(const struct tap_cupti_callback *c)
{
	bool begins = strstr(c->function, "Start");

	if (c->site == (begins ? TAP_CUPTI_EXIT : TAP_CUPTI_ENTER) &&
		(!begins || !c->result || !*(const int32_t *)c->result))
		tap_counting->program_range(begins);
}

void tap_cupti_count(const struct tap_cupti_callback *c)
{
	struct tap_counting_launch l = { .context = c->context, .context_id = c->context_id,
		.correlation = c->correlation, .symbol = c->symbol, .device = UINT32_MAX };
	const struct plain_launch *plain = c->params;
	struct launch_shape shape = { .shared = 0 };

	if (strstr(c->function, "Profiler")) {
		count_range(c);
		return;
	}
	if (!c->params || (c->site == TAP_CUPTI_ENTER && !TAP_READ_ONCE(tap_cupti.recording)))
		return;
	if (strstr(c->function, "LaunchKernelEx")) {
		uint64_t config;

		memcpy(&config, c->params, sizeof config);
		tap_cupti_copy(config, &shape, sizeof shape);
	} else if (strstr(c->function, "GraphLaunch")) {
		shape.stream = ((void *const *)c->params)[1];
		l.symbol = "graph";
		l.kind = REC_COUNTED_GRAPH;
	} else {
		shape = plain->shape;
	}
	memcpy(l.grid, shape.grid, sizeof l.grid);
	memcpy(l.block, shape.block, sizeof l.block);
	l.stream = shape.stream;
	if (TAP_CUPTI_IF_ANY(cuptiGetDeviceId, c->context, &l.device))
		l.device = UINT32_MAX;
	if (TAP_CUPTI_IF_ANY(cuptiGetStreamIdEx, c->context, l.stream, 0, &l.stream_id))
		l.stream_id = 0;
	if (c->site == TAP_CUPTI_ENTER)
		tap_counting->enter(&l);
	else
		tap_counting->leave(&l, !c->result || !*(const int32_t *)c->result);
}

/* ------------------------------------------------------ numbers of handles */

/* 0: there is none. */
#define NUMBER_OF(what, type, ask) \
	static type what##_id(void *handle) \
	{ \
		type id = 0; \
		return handle && !TAP_CUPTI_IF_ANY(ask, handle, &id) ? id : 0; \
	}
NUMBER_OF(context, uint32_t, cuptiGetContextId)
NUMBER_OF(graph, uint32_t, cuptiGetGraphId)
NUMBER_OF(exec, uint32_t, cuptiGetGraphExecId)
NUMBER_OF(node, uint64_t, cuptiGetGraphNodeId)

/* ------------------------------------------------------------------- events */

static void context_event(uint32_t cbid, void *context)
{
	uint32_t device = 0;

	if (TAP_CUPTI_IF_ANY(cuptiGetDeviceId, context, &device))
		device = UINT32_MAX;
	tap_cupti_event(cbid == CONTEXT_CREATED ? REC_CUPTI_CONTEXT_CREATED : REC_CUPTI_CONTEXT_DESTROYED, cbid,
		context_id(context), (uint64_t[4]){ device });
}

/* Its record tells the number alone; arguments of calls tell the handle. */
static void stream_event(uint32_t cbid, void *context, void *stream)
{
	uint32_t id;

	if (stream && !TAP_CUPTI_IF_ANY(cuptiGetStreamIdEx, context, stream, 0, &id))
		tap_cupti_event(REC_CUPTI_STREAM_CREATED, cbid, context_id(context),
			(uint64_t[4]){ id, (uintptr_t)stream });
}

#define CODE_MOST REC_BLOB_MAX           /* bytes */

/* A copy of a module's code, to be unmapped: what CUPTI tells of it is not trusted. NULL: it cannot be had. */
static void *copy_code(const struct tap_cupti_module *m)
{
	void *copy;

	if (tap_seccomp || m->bytes > CODE_MOST || (uintptr_t)m->binary > UINTPTR_MAX - m->bytes)
		return NULL;
	copy = tap_sys_mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy && tap_cupti_copy((uintptr_t)m->binary, copy, m->bytes) != m->bytes) {
		tap_sys_munmap(copy, m->bytes);
		copy = NULL;
	}
	return copy;
}

/* As samples of the program counter name the module. */
static uint64_t code_crc(const void *code, size_t bytes)
{
	struct tap_cupti_crc p = { .size = sizeof p, .bytes = bytes, .binary = code };

	return TAP_CUPTI_IF_ANY(cuptiGetCubinCrc, &p) ? 0 : p.crc;
}

/*
 * A module is told once it is loaded, and its code changes when it is unloaded. It is stored with --binaries, else its
 * size and a hash, to tell one from another. (MODULE_PROFILED is not asked for: that code is CUPTI's, with its probes.)
 */
static void module_event(uint32_t cbid, void *context, const struct tap_cupti_module *m)
{
	bool keep = tap_options.binaries;
	uint64_t id[2] = { 0, 0 }, crc = 0, total;
	void *code = m->binary && m->bytes ? copy_code(m) : NULL;

	if (code) {
		tap_blob_store(REC_BLOB_CUBIN, (const void *const *)&code, &m->bytes, 1, keep, id, &total);
		crc = keep ? code_crc(code, m->bytes) : 0;
		tap_sys_munmap(code, m->bytes);
	} else if (keep && m->bytes) {
		tap_lost(REC_LOSS_SOURCE_CUT, 1);
		TAP_DEGRADE(TAP_PART_CUPTI, "the code of some modules is not in the trace: %s",
			m->bytes > CODE_MOST ? "it is longer than 256 MiB" : "it cannot be read");
	}
	tap_record(REC_CUPTI_EVENT, 0,
		(uint64_t[]){ tap_tick(), REC_CUPTI_MODULE_LOADED | (uint64_t)cbid << 32,
			context_id(context) | CALL_AROUND, m->id, m->bytes, id[0], id[1], crc },
		8);
}

static void module_gone(uint32_t cbid, void *context, const struct tap_cupti_module *m)
{
	tap_cupti_event(REC_CUPTI_MODULE_UNLOADED, cbid, context_id(context), (uint64_t[4]){ m->id });
}

static void graph_event(uint32_t cbid, void *context, const struct tap_cupti_graph *g)
{
	uint64_t graph = graph_id(g->graph);
	uint32_t in = context_id(context);

	switch (cbid) {
	case GRAPH_CREATED:
		return tap_cupti_event(REC_CUPTI_GRAPH_CREATED, cbid, in, (uint64_t[4]){ graph });
	case GRAPH_CLONED:
		return tap_cupti_event(REC_CUPTI_GRAPH_CLONED, cbid, in, (uint64_t[4]){ graph, graph_id(g->original) });
	case GRAPH_DESTROY:
		return tap_cupti_event(REC_CUPTI_GRAPH_DESTROYED, cbid, in, (uint64_t[4]){ graph });
	case EXEC_CREATED:
		tap_cupti_say_by_node();
		return tap_cupti_event(
			REC_CUPTI_GRAPH_EXEC_CREATED, cbid, in, (uint64_t[4]){ exec_id(g->exec), graph });
	case EXEC_DESTROY:
		return tap_cupti_event(REC_CUPTI_GRAPH_EXEC_DESTROYED, cbid, in, (uint64_t[4]){ exec_id(g->exec) });
	case NODE_CREATED:
		return tap_cupti_event(REC_CUPTI_NODE_CREATED, cbid, in,
			(uint64_t[4]){ node_id(g->node), 0, graph, (uint32_t)g->node_type });
	case NODE_CLONED:
		return tap_cupti_event(REC_CUPTI_NODE_CLONED, cbid, in,
			(uint64_t[4]){ node_id(g->node), node_id(g->original_node), graph, (uint32_t)g->node_type });
	case NODE_DESTROY:
		return tap_cupti_event(REC_CUPTI_NODE_DESTROYED, cbid, in,
			(uint64_t[4]){ node_id(g->node), 0, graph, (uint32_t)g->node_type });
	case NODE_DEPENDENCY:
		return tap_cupti_event(REC_CUPTI_NODE_DEPENDS, cbid, in,
			(uint64_t[4]){ node_id(g->node), node_id(g->dependency), graph });
	}
}

void tap_cupti_resource_event(uint32_t cbid, const struct tap_cupti_resource *data)
{
	switch (cbid) {
	case CU_INIT_FINISHED:
		tap_cupti_configure_late();
		return tap_cupti_thread_start(true);
	case CONTEXT_CREATED:
		tap_cupti_thread_start(true);           /* in case the library does not tell the other */
		return context_event(cbid, data->context);
	case CONTEXT_DESTROY:
		return context_event(cbid, data->context);      /* no flush in here: FLUSH1 */
	case STREAM_CREATED:
		return stream_event(cbid, data->context, data->stream);
	case MODULE_LOADED:
		if (data->detail)
			module_event(cbid, data->context, data->detail);
		return;
	case MODULE_UNLOADING:
		if (data->detail)
			module_gone(cbid, data->context, data->detail);
		return;
	default:
		if (data->detail)
			graph_event(cbid, data->context, data->detail);
	}
}
