/*
 * tests/tracegen.c - a synthetic OpenCL trace of any length, for measuring readers: tracegen OUT.gputap CALLS [THREADS
 * [SPREAD [SEED [in-step]]]]
 *
 * Looks like a busy compute loop: four arguments set, a one-dimensional kernel with device times, now and then a read
 * and a finish, events retained, queried and released. SPREAD (default 1) times the ticks that a call may take: with
 * 100000 hardly two calls take the same. SEED makes another trace of the same kind. The device falls behind; in-step:
 * but a finish lasts until it is done, so that no more commands are pending in a long trace than in a short one.
 * Argument layouts as build/gen/table.txt says today.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ids.h"
#include "tests/tracebuild.h"

#define TICKS_PER_NS 3
#define PLATFORM 0x55500000u
#define DEVICE 0x55510000u
#define CONTEXT 0x55520000u
#define PROGRAM 0x55530000u
#define ERRCODE 0x7ffc0000u
#define KERNELS 4u

static uint64_t seed = 88172645463325252u, spread = 1;
static bool in_step;

static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

struct worker {
	struct tb_stream *s;
	uint64_t now;                     /* ticks */
	uint64_t device_free;             /* ns on the device's clock (= CLOCK_MONOTONIC here) */
	uint64_t queue, buffer[4], kernel[KERNELS], event;
	uint64_t calls;
};

/* A call of about `typical` ticks, after a short pause. */
static uint64_t add(
	struct worker *w, uint32_t fn, uint64_t typical, uint32_t first_u32, const uint64_t *args, uint32_t n)
{
	uint64_t start = w->now + 300 + random_below(2000), duration = typical / 2 + random_below(typical * spread);

	w->now = start + duration;
	w->calls++;
	return tb_call_u32(w->s, fn, start, duration, 0, first_u32, args, n);
}

static void add_named(struct worker *w, uint32_t fn, const uint64_t *fixed, uint32_t n, const char *text)
{
	uint64_t words[64];

	memcpy(words, fixed, n * sizeof(*words));
	n = tb_put_text(words, n, text, (uint32_t)strlen(text));
	add(w, fn, 9000, 0, words, n);
}

static void describe_device(struct tb_stream *s)
{
	tb_object(s, REC_OBJECT_PLATFORM, PLATFORM);
	tb_attr_text(s, 0x0902, "Synthetic platform");     /* CL_PLATFORM_NAME */
	tb_attr_text(s, 0x0903, "gputap");                 /* CL_PLATFORM_VENDOR */
	tb_attr_text(s, 0x0901, "OpenCL 3.0 tracegen");    /* CL_PLATFORM_VERSION */
	tb_object_end(s);
	tb_object(s, REC_OBJECT_DEVICE, DEVICE);
	tb_attr_text(s, 0x102b, "Synthetic device");       /* CL_DEVICE_NAME */
	tb_attr_u64(s, 0x1000, 4);                         /* CL_DEVICE_TYPE: GPU */
	tb_attr_u32(s, 0x1002, 16);                        /* CL_DEVICE_MAX_COMPUTE_UNITS */
	tb_attr_u64(s, REC_ATTR_PLATFORM, PLATFORM);
	tb_attr_u32(s, REC_ATTR_CLOCK, 1);
	tb_attr_u32(s, REC_ATTR_STAND_IN, 1);
	tb_object_end(s);
}

static void set_up(struct worker *w, unsigned index)
{
	static const char *const names[KERNELS] = { "saxpy", "reduce_sum", "transpose_tiled", "blur" };

	w->queue = 0x55540000 + index * 0x100;
	w->event = 0x56000000 + index * 0x1000000ull;
	add(w, FN_clGetPlatformIDs, 5000, 1, W(0x7ffc1000, 0x7ffc2000, 1, PLATFORM));
	add(w, FN_clGetDeviceIDs, 5000, 1, W(PLATFORM, 4, 0x7ffc3000, REC_COUNT_WORD | 1, DEVICE));
	add(w, FN_clCreateContext, 90000, 1, W(0, 0x7ffc3000, 0, 0, ERRCODE, CONTEXT, DEVICE));
	add(w, FN_clCreateCommandQueue, 20000, 0, W(CONTEXT, DEVICE, 2, ERRCODE, w->queue));
	tb_object(w->s, REC_OBJECT_QUEUE, w->queue);
	tb_attr_u64(w->s, REC_ATTR_DEVICE, DEVICE);
	tb_attr_u64(w->s, REC_ATTR_CONTEXT, CONTEXT);
	tb_attr_u32(w->s, REC_ATTR_PROFILED, 2);
	tb_object_end(w->s);
	for (unsigned i = 0; i < 4; i++) {
		w->buffer[i] = 0x55550000 + index * 0x1000 + i * 0x100;
		add(w, FN_clCreateBuffer, 9000, 0, W(CONTEXT, 1, 4 << 20, 0, ERRCODE, w->buffer[i]));
	}
	for (unsigned i = 0; i < KERNELS; i++) {
		w->kernel[i] = 0x55560000 + index * 0x1000 + i * 0x100;
		add_named(w, FN_clCreateKernel, (const uint64_t[]){ PROGRAM, 0x7ffc4000, ERRCODE, w->kernel[i] }, 4,
			names[i]);
	}
}

static void launch(struct worker *w)
{
	uint64_t kernel = w->kernel[random_below(KERNELS)], link, queued, start, items = 256 * (1 + random_below(4096));

	for (uint32_t i = 0; i < 4; i++)
		add(w, FN_clSetKernelArg, 200, i, W(kernel, 8, 0x7ffc5000, w->buffer[(i + w->calls) % 4]));
	w->event += 0x120;
	queued = w->now / TICKS_PER_NS;
	link = add(w, FN_clEnqueueNDRangeKernel, 4000, 1,
		W(w->queue, kernel, 0, 0x7ffc6000, 0x7ffc6100, 0, 0, 0x7ffc7000, items, 256, w->event));
	start = queued + 2000 > w->device_free ? queued + 2000 : w->device_free + 500;
	w->device_free = start + 3000 + random_below(20000);
	tb_command(w->s, link, queued, queued + 900, start, w->device_free, w->device_free);
}

/* Ticks that a clFinish takes, about. */
static uint64_t until_done(const struct worker *w)
{
	uint64_t done = w->device_free * TICKS_PER_NS;

	return in_step && done > w->now + 30000 ? 2 * (done - w->now) : 60000;
}

static void round_of_calls(struct worker *w, unsigned n)
{
	launch(w);
	add(w, FN_clRetainEvent, 90, 0, W(w->event));
	add(w, FN_clReleaseEvent, 90, 0, W(w->event));
	add(w, FN_clFlush, 3000, 0, W(w->queue));
	add(w, FN_clReleaseEvent, 90, 0, W(w->event));
	if (n % 8 == 7) {
		uint64_t queued = w->now / TICKS_PER_NS, link = add(w, FN_clEnqueueReadBuffer, 6000, 0,
			W(w->queue, w->buffer[3], 0, 65536, 0x7f0000001000, 0, 0, 0));

		tb_command(w->s, link, queued, queued + 700, w->device_free + 400, w->device_free + 9400,
			w->device_free + 9400);
		w->device_free += 9400;
		add(w, FN_clFinish, until_done(w), 0, W(w->queue));
	}
}

static char *read_table(const char *path, size_t *bytes)
{
	FILE *in = fopen(path, "r");
	char *text;

	if (!in)
		return NULL;
	text = malloc(16u << 20);
	*bytes = text ? fread(text, 1, 16u << 20, in) : 0;
	fclose(in);
	return text;
}

int main(int argc, char **argv)
{
	uint64_t calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, done = 0;
	unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 2;
	const char *table = getenv("GPUTAP_TABLE"); /* default: where make leaves it */
	struct worker w[64] = { { 0 } };
	struct tb_process *p;
	size_t bytes;
	struct tb *tb;
	char *text;

	if (!calls || !threads || threads > 64) {
		fprintf(stderr, "usage: tracegen OUT.gputap CALLS [THREADS 1..64 [SPREAD [SEED [in-step]]]]\n");
		return 2;
	}
	spread = argc > 4 && strtoull(argv[4], NULL, 10) ? strtoull(argv[4], NULL, 10) : 1;
	if (argc > 5)
		seed ^= strtoull(argv[5], NULL, 10) * 0x9e3779b97f4a7c15u;
	in_step = argc > 6 && strcmp(argv[6], "in-step") == 0;
	text = read_table(table ? table : "build/gen/table.txt", &bytes);
	if (!text) {
		fprintf(stderr,
			"tracegen: no function table: run it in the top folder after make, or set GPUTAP_TABLE\n");
		return 1;
	}
	tb = tb_open(argv[1]);
	tb_run_fact(tb, "arg", "tracegen");
	tb_table(tb, text, bytes);
	free(text);
	p = tb_process(tb, 4711);
	tb_fact(p, "image", "/usr/bin/tracegen");
	tb_fact(p, "start_tick", "3000000000");
	for (unsigned i = 0; i < threads; i++) {
		w[i].s = tb_stream(p);
		w[i].now = 3000000000u + i * 1000;
		tb_thread(w[i].s, w[i].now, 4711 + i, i == 0, i ? "worker" : "main");
		if (i == 0) {
			tb_clock_full(
				w[0].s, 3000000000u, 1000000000, 1000000000, 1790000000000000000, 1000000000, 120);
			tb_clock_full(
				w[0].s, 3006000000u, 1002000000, 1002000000, 1790000000002000000, 1002000000, 120);
			describe_device(w[0].s);
		}
		set_up(&w[i], i);
	}
	for (unsigned n = 0; done < calls; n++) {
		done = 0;
		for (unsigned i = 0; i < threads; i++) {
			round_of_calls(&w[i], n);
			done += w[i].calls;
		}
	}
	tb_clock_full(w[0].s, w[0].now, (int64_t)(w[0].now / TICKS_PER_NS), 0, 0, 0, 120);
	tb_close(tb);
	printf("%llu calls\n", (unsigned long long)done);
	return 0;
}
