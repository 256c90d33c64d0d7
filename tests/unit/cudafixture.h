/*
 * tests/unit/cudafixture.h - a trace with CUDA for one test: a process, its main thread, a file of CUPTI's buffers
 *
 * One tick is a nanosecond, session time = tick - START; CUPTI's clock is at(tick) = tick + CUPTI_EPOCH.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_CUDAFIXTURE_H
#define GPUTAP_TESTS_CUDAFIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/unit/within.h"

#include "model/cuda/cuda.h"
#include "tests/tracecuda.h"

#define START 1000u
#define CUPTI_EPOCH 1700000000000000000ull
#define PID 100

extern const char tap_table_hash[];       /* the tool's own function table serves traces of this build */

struct fixture {
	char path[64];
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *s, *c;          /* records; buffers */
	struct tb_acts *a;
	uint64_t number;
};

static inline uint64_t at(uint64_t ns) { return ns + START + CUPTI_EPOCH; }

static inline void fixture_process(struct fixture *f, int pid, uint32_t version)
{
	f->p = tb_process(f->tb, pid);
	tb_fact(f->p, "start_tick", "1000");
	tb_fact(f->p, "table", tap_table_hash);
	f->s = tb_stream(f->p);
	tb_thread(f->s, START, (uint32_t)pid, 1, "main");
	tb_clock_full(f->s, START, START, START, (int64_t)at(0), START, 40);
	tb_clock_full(f->s, START + 1000000000, START + 1000000000, START + 1000000000, (int64_t)at(1000000000),
		START + 1000000000, 40);
	f->c = tb_stream(f->p);
	f->a = tb_acts(version);
	if (version)
		tb_cupti_library(f->s, START, version, 13000, 0, "/lib/libcupti.so");
	f->number = 0;
}

static inline void fixture_begin(struct fixture *f, uint32_t version)
{
	snprintf(f->path, sizeof f->path, "test_cuda.%d.gputap", (int)getpid());
	f->tb = tb_open(f->path);
	fixture_process(f, PID, version);
}

/* What is in `a` becomes a buffer that came back then; 0: never. */
static inline void fixture_buffer(struct fixture *f, uint64_t completed)
{
	struct rec_cupti_buffer head = {
		.number = ++f->number, .requested_tick = START, .completed_tick = completed ? START + completed : 0
	};

	tb_cupti_buffer(f->c, f->a, &head);
}

static inline struct gt_model *fixture_open(struct fixture *f)
{
	struct gt_model *m = NULL;
	struct gt_err err = { 0 };

	tb_acts_free(f->a);
	tb_close(f->tb);
	if (gt_model_open(f->path, NULL, &m, &err))
		fail_msg("%s", err.what);
	return m;
}

static inline void fixture_close(struct fixture *f, struct gt_model *m)
{
	gt_model_close(m);
	tb_remove(f->path);
}

static inline struct gt_cuda *cuda_of(struct gt_model *m)
{
	struct gt_err err;
	struct gt_cuda *c = gt_model_cuda(m, &err);

	assert_non_null(c);
	return c;
}

static inline struct gt_cuda_event event_at(struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i)
{
	struct gt_cuda_event e;
	struct gt_err err = { 0 };

	if (gt_cuda_get(c, kind, i, &e, &err))
		fail_msg("%s", err.what);
	return e;
}

/* kind: 5 runtime, 4 driver */
static inline void add_call(struct fixture *f, uint32_t kind, uint32_t cbid, uint32_t tid, uint32_t correlation,
	uint64_t start, uint64_t end)
{
	ACT(f->a, kind, F(RUNTIME, cbid, cbid), F(RUNTIME, start, start ? at(start) : 0),
		F(RUNTIME, end, end ? at(end) : 0), F(RUNTIME, processId, PID), F(RUNTIME, threadId, tid),
		F(RUNTIME, correlationId, correlation), F(RUNTIME, returnValue, 0));
}

static inline void add_kernel(struct fixture *f, uint32_t correlation, uint64_t start, uint64_t end, uint64_t name)
{
	ACT(f->a, 10, F(CONCURRENT_KERNEL, start, start ? at(start) : 0), F(CONCURRENT_KERNEL, end, end ? at(end) : 0),
		F(CONCURRENT_KERNEL, name, name), F(CONCURRENT_KERNEL, correlationId, correlation),
		F(CONCURRENT_KERNEL, contextId, 1), F(CONCURRENT_KERNEL, streamId, 7));
}

#endif
