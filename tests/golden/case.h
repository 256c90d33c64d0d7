/*
 * tests/golden/case.h - traces of golden tests, written down as calls
 *
 * Arguments stand in the order of the prototype; where they lie in the record is worked out from the function table, by
 * the rules of api/README.md and independently of the code that decodes them. Host clock: one tick is one nanosecond,
 * CLOCK_MONOTONIC = tick + MONO. The device's clock: host ticks + DEVICE.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_GOLDEN_CASE_H
#define GPUTAP_TESTS_GOLDEN_CASE_H

#include "tests/tracebuild.h"

#define MONO 5000000000ull
#define DEVICE 700000000ull

struct golden {
	struct tb *tb;
	struct gt_fntable *table;
	struct tb_process *process;
	struct tb_stream *stream;         /* of the thread that speaks */
	uint64_t now;                     /* tick of the next call of op() */
};

struct golden_arg {
	uint64_t value;                   /* scalar, or the pointer */
	const void *data; uint32_t bytes; /* behind the pointer; NULL: not captured */
	enum { ARG_PLAIN, ARG_DATA, ARG_TEXT, ARG_LIST, ARG_RETURN } kind;
};
#define V(x) { .value = (uint64_t)(x) }
#define D64(pointer, ...) { \
	(pointer), (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }), ARG_DATA }
#define D32(pointer, ...) { \
	(pointer), (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }), ARG_DATA }
#define BYTES(pointer, from, n) { (pointer), (from), (n), ARG_DATA }
#define TEXT(pointer, text) { (pointer), (text), sizeof(text) - 1, ARG_TEXT }
#define LIST(pointer, ...) { \
	(pointer), (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }), ARG_LIST }
#define RET(x) { .value = (uint64_t)(x), .kind = ARG_RETURN }

/* One call; returns its link. `ret` is the cl_int returned or *errcode_ret. */
uint64_t golden_call(struct golden *g, const char *fn, uint64_t start, uint64_t duration, int32_t ret,
	const struct golden_arg *args, size_t n);
#define CALL(g, fn, start, duration, ret, ...) golden_call((g), (fn), (start), (duration), (ret), \
	(const struct golden_arg[]){ __VA_ARGS__ }, \
	sizeof((const struct golden_arg[]){ __VA_ARGS__ }) / sizeof(struct golden_arg))
/* The next call, 1 us after the last began, 400 ns long. */
#define OP(g, fn, ret, ...) CALL(g, fn, (g)->now += 1000, 400, ret, __VA_ARGS__)

/* A thread of its own stream speaks from now on. */
void golden_thread(struct golden *g, uint32_t tid, const char *name);
/* A GPU's name, type and platform; device clock calibrated. */
void golden_device(struct golden *g, uint64_t handle, uint32_t type, const char *name);
/* Device times, in host ticks. */
void golden_times(struct golden *g, uint64_t link, uint64_t queued, uint64_t submit, uint64_t start, uint64_t end);

/* The cases (cases_*.c). */
struct golden_case {
	const char *name;
	uint64_t first_tick;
	void (*build)(struct golden *g);
	const char *table;                /* more of the function table, NULL */
};
/* each ends with a NULL name */
extern const struct golden_case golden_calls[], golden_nvtx[], golden_commands[], golden_hsa[], golden_cuda[],
	golden_cuda_text[];

#endif
