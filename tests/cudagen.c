/*
 * tests/cudagen.c - a synthetic CUDA trace of any length, and how fast its activities reach the model
 *
 *	cudagen make OUT.gputap LAUNCHES [THREADS] [VERSION]
 *		each launch: a runtime call, the driver call inside it, a kernel; a copy now and then
 *	cudagen read TRACE.gputap
 *		opens it and decodes every activity: one line with the rates
 *
 * Buffers are as CUPTI's: one per thread, completed when full, kernels behind their calls and swapped now and then.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/cuda/cuda.h"
#include "tests/tracecuda.h"

#define ROOM ((512u << 10) - REC_CUPTI_BUFFER)
#define EPOCH 1700000000000000000ull
#define KERNELS 8u

extern const char tap_table_hash[];

struct worker { struct tb_stream *c; struct tb_acts *a; uint32_t tid; uint64_t now, device; };

static uint64_t number;

static void complete(struct worker *w)
{
	struct rec_cupti_buffer head = { .number = ++number,
		.requested_tick = 1000,
		.requested_tid = w->tid,
		.completed_tid = w->tid,
		.completed_tick = 5000 };

	if (w->a->used)
		tb_cupti_buffer_sized(w->c, w->a, &head, ROOM);
}

static void call(struct worker *w, uint32_t kind, uint32_t cbid, uint32_t correlation, uint64_t start, uint64_t end)
{
	ACT(w->a, kind, F(RUNTIME, cbid, cbid), F(RUNTIME, start, EPOCH + start), F(RUNTIME, end, EPOCH + end),
		F(RUNTIME, processId, 100), F(RUNTIME, threadId, w->tid), F(RUNTIME, correlationId, correlation));
}

static void kernel(struct worker *w, uint32_t correlation, uint64_t start, uint64_t end)
{
	ACT(w->a, 10, F(CONCURRENT_KERNEL, start, EPOCH + start), F(CONCURRENT_KERNEL, end, EPOCH + end),
		F(CONCURRENT_KERNEL, contextId, 1), F(CONCURRENT_KERNEL, streamId, 7 + w->tid % 4),
		F(CONCURRENT_KERNEL, correlationId, correlation), F(CONCURRENT_KERNEL, gridX, 128),
		F(CONCURRENT_KERNEL, gridY, 1), F(CONCURRENT_KERNEL, gridZ, 1), F(CONCURRENT_KERNEL, blockX, 256),
		F(CONCURRENT_KERNEL, blockY, 1), F(CONCURRENT_KERNEL, blockZ, 1),
		F(CONCURRENT_KERNEL, name, 0x7000 + correlation % KERNELS * 0x100));
}

static void launch(struct worker *w, uint32_t correlation)
{
	uint64_t start = w->now += 4000 + correlation % 7 * 300,
		 begin = w->device > start + 6000 ? w->device + 500 : start + 6000;

	if (w->a->used + 1024 > ROOM)
		complete(w);
	call(w, 4, 307, correlation, start + 500, start + 2500);
	call(w, 5, 211, correlation, start, start + 3000);
	w->device = begin + 2500;
	kernel(w, correlation, begin, w->device);
	if (correlation % 16 == 5)
		ACT(w->a, 1, F(MEMCPY, copyKind, 1), F(MEMCPY, bytes, 4096), F(MEMCPY, start, EPOCH + w->device + 100),
			F(MEMCPY, end, EPOCH + w->device + 900), F(MEMCPY, contextId, 1), F(MEMCPY, streamId, 7),
			F(MEMCPY, correlationId, correlation));
}

static int make(const char *path, uint64_t launches, unsigned threads, uint32_t version)
{
	struct worker w[64] = { { 0 } };
	struct tb *tb = tb_open(path);
	struct tb_process *p = tb_process(tb, 100);
	struct tb_stream *s = tb_stream(p);

	tb_fact(p, "start_tick", "1000");
	tb_fact(p, "table", tap_table_hash);
	tb_thread(s, 1000, 100, 1, "main");
	tb_clock_full(s, 1000, 1000, 1000, (int64_t)EPOCH + 1000, 1000, 40);
	tb_clock_full(s, 10001000, 10001000, 10001000, (int64_t)EPOCH + 10001000, 10001000, 40);
	tb_cupti_library(s, 1000, version, 13000, REC_CUPTI_STAND_IN, "(cudagen)");
	tb_cupti_clock(s, 1000, EPOCH + 1000, 40, EPOCH + 1000);
	tb_cupti_clock(s, launches * 5000, EPOCH + launches * 5000, 40, EPOCH + launches * 5000);
	tb_cupti_name(s, 1000, 2, 211, "cudaLaunchKernel_v7000");
	tb_cupti_name(s, 1000, 1, 307, "cuLaunchKernel");
	for (unsigned i = 0; i < KERNELS; i++) {
		char name[64];

		snprintf(name, sizeof name, "_ZN3app6kernelIfLi%uEEEvPT_PKS1_m", i);
		tb_cupti_string(s, 1000, 0x7000 + i * 0x100, name);
	}
	for (unsigned i = 0; i < threads; i++)
		w[i] = (struct worker){
			.c = tb_stream(p), .a = tb_acts(version), .tid = 100 + i, .now = 10000 + i * 137
		};
	for (uint64_t i = 0; i < launches; i++)
		launch(&w[i % threads], (uint32_t)i + 1);
	for (unsigned i = 0; i < threads; i++) {
		complete(&w[i]);
		tb_acts_free(w[i].a);
	}
	tb_close(tb);
	return 0;
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int read_all(const char *path)
{
	double begin = cpu(), opened, decoded;
	uint64_t records = 0, sum = 0;
	struct gt_cuda_event e;
	struct gt_err err = { 0 };
	struct gt_model *m;
	struct gt_cuda *c;

	if (gt_model_open(path, NULL, &m, &err) || !(c = gt_model_cuda(m, &err))) {
		fprintf(stderr, "cudagen: %s\n", err.what);
		return 1;
	}
	opened = cpu();
	for (int kind = 0; kind < GT_CUDA_KINDS; kind++)
		for (uint64_t i = 0; i < gt_cuda_count(c, (enum gt_cuda_kind)kind); i++, records++) {
			if (gt_cuda_get(c, (enum gt_cuda_kind)kind, i, &e, &err)) {
				fprintf(stderr, "cudagen: %s\n", err.what);
				return 1;
			}
			sum += (uint64_t)e.start_ns;
		}
	decoded = cpu();
	printf("%llu records: opened %.2f M/s, decoded %.2f M/s, together %.2f M/s (check %llx)\n",
		(unsigned long long)records, (double)records / (opened - begin) / 1e6,
		(double)records / (decoded - opened) / 1e6, (double)records / (decoded - begin) / 1e6,
		(unsigned long long)sum);
	gt_model_close(m);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 2;

	if (argc > 3 && !strcmp(argv[1], "make") && threads && threads <= 64)
		return make(argv[2], strtoull(argv[3], NULL, 10), threads,
			argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10) : 130001);
	if (argc == 3 && !strcmp(argv[1], "read"))
		return read_all(argv[2]);
	fprintf(stderr,
		"usage: cudagen make OUT.gputap LAUNCHES [THREADS 1..64] [VERSION] | cudagen read TRACE.gputap\n");
	return 2;
}
