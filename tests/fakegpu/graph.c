/*
 * tests/fakegpu/graph.c - graphs: nodes, clones, executables, launches, capture of one stream, the resource callbacks
 * about them
 *
 * Nodes run in the order in which they were added, which satisfies every dependency that can be given. An executable is
 * a copy of its graph with nodes of its own; a node's record carries the executable's node id, and the callback
 * GRAPHNODE_CLONED joins it to the original. With GRAPH_TRACE on, one record stands for the whole launch and the nodes
 * have none.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <stdlib.h>
#include <string.h>

#define IS(p, m) ((p) && (p)->magic == (m))

enum {
	GRAPH_CREATED = 9,
	GRAPH_DESTROY_STARTING,
	GRAPH_CLONED,
	NODE_CREATE_STARTING,
	NODE_CREATED,
	NODE_DESTROY_STARTING,
	DEPENDENCY_CREATED,
	EXEC_CREATE_STARTING = 17,
	EXEC_CREATED,
	EXEC_DESTROY_STARTING,
	NODE_CLONED
};

static int node_type(const struct fg_node *n)
{
	return n->op.work == FG_WORK_KERNEL ? 0 : n->op.work == FG_WORK_COPY ? 1 : n->op.work == FG_WORK_SET ? 2 : 3;
}

static void tell(uint32_t cbid, struct fg_graph_data d) { fg_resource(cbid, fg_current(), NULL, &d); }

static struct fg_graph *new_graph(enum fg_magic magic)
{
	struct fg_graph *g = calloc(1, sizeof *g);

	if (g) {
		g->magic = magic;
		g->id = fg_next_id();
		fg_count(FG_C_LIVE_GRAPHS, 1);
	}
	return g;
}

static struct fg_node *add(struct fg_graph *g, const struct fg_op *op, struct fg_node *copy_of)
{
	static atomic_ulong ids;
	struct fg_node *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	n->magic = FG_NODE;
	n->id = ((uint64_t)g->id << 32) | (atomic_fetch_add(&ids, 1) + 1);
	n->op = *op;
	n->copy_of = copy_of;
	if (g->last)
		g->last->next = n;
	else
		g->first = n;
	g->last = n;
	return n;
}

struct fg_node *fg_graph_append(struct fg_graph *g, const struct fg_op *op)
{
	struct fg_node *before = g->last, *n;

	n = add(g, op, NULL);
	if (!n)
		return NULL;
	tell(NODE_CREATED, (struct fg_graph_data){ .graph = g, .node = n, .node_type = node_type(n) });
	if (before) {
		n->deps[n->n_deps++] = before;
		tell(DEPENDENCY_CREATED,
			(struct fg_graph_data){
				.graph = g, .node = n, .node_type = node_type(n), .dependency = before });
	}
	return n;
}

static int add_node(
	struct fg_node **out, struct fg_graph *g, struct fg_node *const *deps, size_t n_deps, const struct fg_op *op)
{
	struct fg_node *n;

	if (!IS(g, FG_GRAPH_) || !out || n_deps > 16)
		return CU_INVALID_VALUE;
	tell(NODE_CREATE_STARTING, (struct fg_graph_data){ .graph = g });
	n = add(g, op, NULL);
	if (!n)
		return CU_OUT_OF_MEMORY;
	tell(NODE_CREATED, (struct fg_graph_data){ .graph = g, .node = n, .node_type = node_type(n) });
	for (size_t i = 0; i < n_deps; i++) {
		n->deps[n->n_deps++] = deps[i];
		tell(DEPENDENCY_CREATED,
			(struct fg_graph_data){
				.graph = g, .node = n, .node_type = node_type(n), .dependency = deps[i] });
	}
	*out = n;
	return CU_OK;
}

static void copy_nodes(struct fg_graph *to, const struct fg_graph *from)
{
	for (struct fg_node *n = from->first; n; n = n->next) {
		struct fg_node *copy = add(to, &n->op, n);

		if (copy)
			tell(NODE_CLONED,
				(struct fg_graph_data){ .graph = to,
					.original_graph = (void *)from,
					.node = copy,
					.original_node = n,
					.node_type = node_type(n) });
	}
}

static void end_graph(struct fg_graph *g)
{
	for (struct fg_node *n = g->first, *next; n; n = next) {
		next = n->next;
		if (g->magic == FG_GRAPH_)
			tell(NODE_DESTROY_STARTING,
				(struct fg_graph_data){ .graph = g, .node = n, .node_type = node_type(n) });
		n->magic = 0;
		free(n);
	}
	g->magic = 0;
	free(g);
	fg_count(FG_C_LIVE_GRAPHS, -1);
}

int do_cuGraphCreate(struct fg_call *c, struct fg_graph **graph, unsigned flags)
{
	(void)c;
	if (!graph || flags)
		return CU_INVALID_VALUE;
	*graph = new_graph(FG_GRAPH_);
	if (!*graph)
		return CU_OUT_OF_MEMORY;
	tell(GRAPH_CREATED, (struct fg_graph_data){ .graph = *graph });
	return CU_OK;
}

int do_cuGraphAddKernelNode_v2(struct fg_call *c, struct fg_node **node, struct fg_graph *graph,
	struct fg_node *const *deps, size_t n_deps, const struct fg_kernel_params *p)
{
	struct fg_function *f = p->f ? p->f : p->kernel;
	struct fg_op op = { .work = FG_WORK_KERNEL,
		.f = f,
		.grid = { p->gx, p->gy, p->gz },
		.block = { p->bx, p->by, p->bz },
		.shared = p->shared };

	(void)c;
	if (!IS(f, FG_FUNCTION_))
		return CU_INVALID_HANDLE;
	for (int i = 0; i < f->n_args; i++)
		memcpy(&op.args[i], p->params[i], f->arg_bytes[i]);
	return add_node(node, graph, deps, n_deps, &op);
}

int do_cuGraphAddHostNode(struct fg_call *c, struct fg_node **node, struct fg_graph *graph,
	struct fg_node *const *deps, size_t n_deps, const struct fg_host_params *p)
{
	struct fg_op op = { .work = FG_WORK_HOST };

	(void)c;
	if (!p || !p->fn)
		return CU_INVALID_VALUE;
	op.host = p->fn;
	op.host_data = p->data;
	return add_node(node, graph, deps, n_deps, &op);
}

/*
 * For the runtime: a copy or a set node; the driver's own calls for them take structures of arrays that the stand-in
 * does not have.
 */
FG_EXPORT int fg_graph_add_copy(struct fg_node **node, struct fg_graph *g, struct fg_node *const *deps, size_t n_deps,
	uint64_t dst, uint64_t src, size_t bytes)
{
	int from = fg_memory_kind(src, NULL), to = fg_memory_kind(dst, NULL);
	static const uint8_t kinds[2][2] = { { 9, 1 }, { 2, 8 } };
	struct fg_op op = { .work = FG_WORK_COPY,
		.dst = dst,
		.src = src,
		.bytes = bytes,
		.src_kind = (uint8_t)from,
		.dst_kind = (uint8_t)to,
		.copy_kind = kinds[from >= FG_DEVICE_MEMORY][to >= FG_DEVICE_MEMORY],
		.async = true };

	return add_node(node, g, deps, n_deps, &op);
}

FG_EXPORT int fg_graph_add_set(struct fg_node **node, struct fg_graph *g, struct fg_node *const *deps, size_t n_deps,
	const struct fg_memset_params *p)
{
	struct fg_op op = { .work = FG_WORK_SET,
		.dst = (uintptr_t)p->dst,
		.bytes = p->width * p->element_bytes,
		.value = p->value,
		.element = (uint8_t)p->element_bytes,
		.dst_kind = (uint8_t)fg_memory_kind((uintptr_t)p->dst, NULL),
		.async = true };

	if (p->height > 1 || (p->element_bytes != 1 && p->element_bytes != 2 && p->element_bytes != 4))
		return CU_INVALID_VALUE;
	return add_node(node, g, deps, n_deps, &op);
}

int do_cuGraphClone(struct fg_call *c, struct fg_graph **clone, struct fg_graph *original)
{
	(void)c;
	if (!IS(original, FG_GRAPH_) || !clone)
		return CU_INVALID_VALUE;
	*clone = new_graph(FG_GRAPH_);
	if (!*clone)
		return CU_OUT_OF_MEMORY;
	copy_nodes(*clone, original);
	tell(GRAPH_CLONED, (struct fg_graph_data){ .graph = *clone, .original_graph = original });
	return CU_OK;
}

int do_cuGraphInstantiateWithFlags(
	struct fg_call *c, struct fg_graph **exec, struct fg_graph *graph, unsigned long long flags)
{
	(void)c; (void)flags;
	if (!IS(graph, FG_GRAPH_) || !exec)
		return CU_INVALID_VALUE;
	tell(EXEC_CREATE_STARTING, (struct fg_graph_data){ .graph = graph });
	*exec = new_graph(FG_EXEC);
	if (!*exec)
		return CU_OUT_OF_MEMORY;
	copy_nodes(*exec, graph);
	tell(EXEC_CREATED, (struct fg_graph_data){ .graph = graph, .exec = *exec });
	return CU_OK;
}

int do_cuGraphLaunch(struct fg_call *c, struct fg_graph *exec, struct fg_stream *stream)
{
	struct fg_stream *s = fg_stream_of(stream);
	bool whole = fg_kind_on(FG_GRAPH_TRACE);
	uint64_t first = 0;

	if (!IS(exec, FG_EXEC) || !s)
		return CU_INVALID_HANDLE;
	if (s->capture)
		return CU_NOT_SUPPORTED;
	fg_count(FG_C_GRAPH_LAUNCHES, 1);
	fg_migrate(s->context, s->id, true);
	for (struct fg_node *n = exec->first; n; n = n->next) {
		struct fg_op op = n->op;

		op.correlation = c->correlation;
		op.node_id = n->id;
		op.graph_id = exec->id;
		op.quiet = whole;
		op.event = NULL;
		fg_submit(s, &op);
		first = first ? first : op.start;
		if (fg_state.launched && op.work == FG_WORK_KERNEL)
			fg_state.launched(s->context, &op);
	}
	if (whole && first) {
		struct fg_op op = { .work = FG_WORK_GRAPH_END,
			.correlation = c->correlation,
			.graph_id = exec->id,
			.graph_start = first };

		fg_submit(s, &op);
	}
	return CU_OK;
}

int do_cuGraphExecDestroy(struct fg_call *c, struct fg_graph *exec)
{
	(void)c;
	if (!IS(exec, FG_EXEC))
		return CU_INVALID_HANDLE;
	tell(EXEC_DESTROY_STARTING, (struct fg_graph_data){ .exec = exec });
	end_graph(exec);
	return CU_OK;
}

int do_cuGraphDestroy(struct fg_call *c, struct fg_graph *graph)
{
	(void)c;
	if (!IS(graph, FG_GRAPH_))
		return CU_INVALID_HANDLE;
	tell(GRAPH_DESTROY_STARTING, (struct fg_graph_data){ .graph = graph });
	end_graph(graph);
	return CU_OK;
}

int do_cuStreamBeginCapture_v2(struct fg_call *c, struct fg_stream *stream, int mode)
{
	struct fg_stream *s = fg_stream_of(stream);

	(void)c; (void)mode;
	if (!s)
		return CU_INVALID_HANDLE;
	if (s == s->context->null_stream || s->capture)
		return CU_CAPTURE_UNSUPPORTED;
	s->capture = new_graph(FG_GRAPH_);
	if (!s->capture)
		return CU_OUT_OF_MEMORY;
	tell(GRAPH_CREATED, (struct fg_graph_data){ .graph = s->capture });
	return CU_OK;
}

int do_cuStreamEndCapture(struct fg_call *c, struct fg_stream *stream, struct fg_graph **graph)
{
	struct fg_stream *s = fg_stream_of(stream);

	(void)c;
	if (!s || !s->capture)
		return CU_INVALID_VALUE;
	*graph = s->capture;
	s->capture = NULL;
	return CU_OK;
}
