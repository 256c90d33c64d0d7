/*
 * tests/golden/cases_nvtx.c - golden traces with what a program marked with NVTX
 *
 * markers        ranges of two domains around OpenCL calls: nested, overlapping, left open, at one time, on two threads
 * markers_alone  a program that marks and calls nothing
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "tests/golden/case.h"

#define T0 1000000000ull
#define PHYSICS 3                         /* number of a domain */

static uint64_t event(struct golden *g, uint64_t at, enum rec_nvtx_kind kind, int domain, const char *text)
{
	uint64_t words[64] = { T0 + at, (uint64_t)kind | (text ? REC_NVTX_TEXT : REC_NVTX_NO_MESSAGE) << 8 };

	return tb_record(g->stream, REC_NVTX_EVENT, 0, domain, words, text ? tb_put_text(words, 2, text, (uint32_t)strlen(text)) : 2);
}

static void pop(struct golden *g, uint64_t at, int domain)
{
	tb_record(g->stream, REC_NVTX_POP, 0, domain, W(T0 + at));
}

static void domain(struct golden *g, uint64_t at, int number, const char *name)
{
	uint64_t words[64] = { T0 + at, (uint64_t)REC_NVTX_DOMAIN | REC_NVTX_TEXT << 8, (uint64_t)number };

	tb_record(g->stream, REC_NVTX_NAME, 0, number, words, tb_put_text(words, 3, name, (uint32_t)strlen(name)));
}

static void markers(struct golden *g)
{
	uint64_t start;

	domain(g, 500, PHYSICS, "physics engine");
	event(g, 1000, REC_NVTX_PUSH, 0, "frame 1");
	event(g, 1100, REC_NVTX_PUSH, 0, "upload");
	CALL(g, "clFlush", T0 + 1200, 400, 0, V(0x55));
	pop(g, 1700, 0);
	event(g, 1700, REC_NVTX_PUSH, 0, "begins as the last one ends");
	event(g, 1800, REC_NVTX_MARK, 0, "here");
	pop(g, 1900, 0);
	event(g, 2000, REC_NVTX_PUSH, PHYSICS, "step");
	event(g, 2100, REC_NVTX_PUSH, 0, "draw");
	pop(g, 2200, PHYSICS);            /* not the innermost of the thread, though of its domain */
	CALL(g, "clFinish", T0 + 2300, 400, 0, V(0x55));
	pop(g, 2800, 0);
	event(g, 2900, REC_NVTX_PUSH, 0, "no time");
	pop(g, 2900, 0);
	event(g, 2950, REC_NVTX_PUSH, 0, NULL);
	pop(g, 3000, 0);
	pop(g, 3000, 0);                  /* frame 1 */
	start = event(g, 3100, REC_NVTX_START, 0, "starts and ends are not here");
	event(g, 3200, REC_NVTX_PUSH, 0, "a_name_of_49_bytes_is_padded_by_one_blank_or_more");
	pop(g, 3300, 0);
	event(g, 3400, REC_NVTX_PUSH, 0, "a_name_of_50_bytes_has_three_blanks_behind_it.....");
	pop(g, 3500, 0);
	event(g, 3600, REC_NVTX_PUSH, PHYSICS, "left\topen\n");
	tb_record(g->stream, REC_NVTX_END, 0, 0, W(T0 + 3700, start));
	golden_thread(g, 4712, "worker");
	event(g, 1500, REC_NVTX_PUSH, 0, "worker");
	pop(g, 4000, 0);
}

static void markers_alone(struct golden *g)
{
	event(g, 1000, REC_NVTX_PUSH, 0, "phase 1");
	pop(g, 2000, 0);
	event(g, 3000, REC_NVTX_MARK, 0, "done");
}

const struct golden_case golden_nvtx[] = {
	{ "markers", T0, markers, NULL },
	{ "markers_alone", T0, markers_alone, NULL },
	{ NULL, 0, NULL, NULL },
};
