/*
 * analysis/by.c - the ways to split a sum
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/by.h"

#include <string.h>

static void process_of_call(const struct gt_call *call, int64_t key[2]) { key[0] = call->process; }

static void process_of_cuda(struct gt_cuda *c, const struct gt_cuda_event *e, int64_t key[2])
{
	(void)c;
	key[0] = e->process;
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
static void thread_of_cuda(struct gt_cuda *c, const struct gt_cuda_event *e, int64_t key[2])
{
	struct gt_cuda_event call;

	key[0] = e->process;
	key[1] = e->kind == GT_CUDA_CALL ? e->thread
		: gt_cuda_call_of(c, e->process, e->correlation, e->start_ns, &call) ? call.thread
										     : GT_CUDA_NONE;
}

static void thread_cells(const struct gt_model *m, const int64_t key[2], struct gt_cell *cell)
{
	const struct gt_thread *t = key[1] == GT_CUDA_NONE ? NULL : gt_model_thread(m, (uint32_t)key[1]);

	process_cells(m, key, cell);
	cell[1] = t ? gt_integer(t->tid) : (struct gt_cell){ .kind = GT_CELL_NONE };
	cell[2] = t ? gt_text(t->name) : (struct gt_cell){ .kind = GT_CELL_NONE };
}

static const struct gt_by ways[] = {
	{ "process", "PID|", process_of_call, process_of_cuda, process_cells },
	{ "thread", "PID|TID|Thread Name<|", thread_of_call, thread_of_cuda, thread_cells },
};

const struct gt_by *gt_by_find(const char *name)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}
