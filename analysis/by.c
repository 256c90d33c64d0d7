/*
 * analysis/by.c - the ways to split a sum
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/by.h"

#include <string.h>

#include "model/symbols/symbols.h"

/* ------------------------------------------------------------ processes, threads */

static void process_of_call(const struct gt_call *call, int64_t key[2]) { key[0] = call->process; }

static void process_of_cuda(struct gt_model *m, struct gt_cuda *c, const struct gt_cuda_event *e, int64_t key[2])
{
	(void)m;
	(void)c;
	key[0] = e->process;
}

static void process_of_range(struct gt_model *m, const struct gt_range *g, int64_t key[2])
{
	(void)m;
	key[0] = g->process;
}

static void process_cells(const struct gt_model *m, const int64_t key[2], struct gt_cell *cell)
{
	cell[0] = gt_integer(gt_model_process(m, (uint32_t)key[0])->pid);
}

static void thread_of_call(const struct gt_call *call, int64_t key[2])
{
	key[0] = call->process;
	key[1] = call->thread;
}

/* What a device did belongs to the thread whose call set it going. */
static void thread_of_cuda(struct gt_model *m, struct gt_cuda *c, const struct gt_cuda_event *e, int64_t key[2])
{
	struct gt_cuda_event call;

	(void)m;
	key[0] = e->process;
	key[1] = e->kind == GT_CUDA_CALL ? e->thread
		: gt_cuda_call_of(c, e->process, e->correlation, e->start_ns, &call) ? call.thread
										     : GT_CUDA_NONE;
}

/* A range that ended on another thread belongs to the one that began it. */
static void thread_of_range(struct gt_model *m, const struct gt_range *g, int64_t key[2])
{
	process_of_range(m, g, key);
	key[1] = g->thread;
}

static void thread_cells(const struct gt_model *m, const int64_t key[2], struct gt_cell *cell)
{
	const struct gt_thread *t = key[1] == GT_CUDA_NONE ? NULL : gt_model_thread(m, (uint32_t)key[1]);

	process_cells(m, key, cell);
	cell[1] = t ? gt_integer(t->tid) : (struct gt_cell){ .kind = GT_CELL_NONE };
	cell[2] = t ? gt_text(t->name) : (struct gt_cell){ .kind = GT_CELL_NONE };
}

/* ----------------------------------------------------------------- call stacks */

static void stack_of_call(const struct gt_call *call, int64_t key[2]) { key[0] = gt_call_stack(call); }

/* The stack of the call, or of the call that set the work going; *api: what it is called, NULL: it is not known. */
static uint32_t stack_of_event(struct gt_model *m, struct gt_cuda *c, const struct gt_cuda_event *e,
	struct gt_cuda_event *call, const char **api)
{
	const struct gt_cuda_event *of = e;

	*api = NULL;
	if (e->kind != GT_CUDA_CALL) {
		if (e->correlation == GT_CUDA_NONE ||
			!gt_cuda_call_of(c, e->process, e->correlation, e->start_ns, call))
			return 0;
		of = call;
	}
	*api = of->call.base.text;
	return gt_stack_by_link(m, of->process, of->call.stack_link);
}

static void stack_of_cuda(struct gt_model *m, struct gt_cuda *c, const struct gt_cuda_event *e, int64_t key[2])
{
	struct gt_cuda_event call;
	const char *api;

	key[0] = stack_of_event(m, c, e, &call, &api);
}

static void stack_of_range(struct gt_model *m, const struct gt_range *g, int64_t key[2])
{
	key[0] = gt_range_stack(m, g);
}

/* key[1]: the frame of the stack that is the caller; behind the last: there is none. */
static void line_of_stack(struct gt_model *m, uint32_t stack, const char *api, int64_t key[2])
{
	uint32_t n;
	const struct gt_frame *frames = gt_stack_frames(m, stack, &n);

	key[0] = stack;
	key[1] = gt_stack_caller(frames, n, api);
}

static void line_of_call(const struct gt_call *call, int64_t key[2])
{
	line_of_stack(call->model, gt_call_stack(call), call->fn->name, key);
}

static void line_of_cuda(struct gt_model *m, struct gt_cuda *c, const struct gt_cuda_event *e, int64_t key[2])
{
	struct gt_cuda_event call;
	const char *api;
	uint32_t stack = stack_of_event(m, c, e, &call, &api);

	line_of_stack(m, stack, api, key);
}

static void line_of_range(struct gt_model *m, const struct gt_range *g, int64_t key[2])
{
	line_of_stack(m, gt_range_stack(m, g), NULL, key);
}

/* "main (a.c:12)"; without debug information the address, so that two calls of a function are two. */
static void line_text(struct gt_model *m, const int64_t key[2], struct gt_text *out)
{
	uint32_t n;
	const struct gt_frame *frames = gt_stack_frames(m, (uint32_t)key[0], &n), *f = frames + key[1];

	if (key[1] >= n) {
		gt_text_lit(out, "[no stack]");
		return;
	}
	gt_text_bytes(out, f->label.text, f->label.bytes);
	if (!f->resolved && !f->file)
		return;
	gt_text_lit(out, " (");
	gt_frame_place(f, out);
	gt_text_char(out, ')');
}

static void stack_text(struct gt_model *m, const int64_t key[2], struct gt_text *out)
{
	uint32_t n;
	const struct gt_frame *frames = gt_stack_frames(m, (uint32_t)key[0], &n);

	if (!n)
		gt_text_lit(out, "[no stack]");
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			gt_text_lit(out, " < ");
		gt_frame_text(&frames[i], out);
	}
}

static const struct gt_by ways[] = {
	{ "process", "PID|", process_of_call, process_of_cuda, process_of_range, process_cells, NULL },
	{ "thread", "PID|TID|Thread Name<|", thread_of_call, thread_of_cuda, thread_of_range, thread_cells, NULL },
	{ "line", "Call Site<|", line_of_call, line_of_cuda, line_of_range, NULL, line_text },
	{ "stack", "Call Stack<|", stack_of_call, stack_of_cuda, stack_of_range, NULL, stack_text },
};

const struct gt_by *gt_by_find(const char *name)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}
