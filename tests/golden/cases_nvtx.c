/*
 * tests/golden/cases_nvtx.c - golden traces with what a program marked with NVTX
 *
 * markers        ranges of two domains around OpenCL calls: nested, overlapping, left open, at one time, on two threads
 * markers_alone  a program that marks and calls nothing
 * payloads structured payloads: numbers, texts, an enumeration, one schema in another, places that are not said, and
 * what cannot be read
 * many_names     70000 marks, each of another name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "tests/golden/case.h"

#define T0 1000000000ull
#define PHYSICS 3                         /* number of a domain */

static uint64_t event(struct golden *g, uint64_t at, enum rec_nvtx_kind kind, int domain, const char *text)
{
	uint64_t words[64] = { T0 + at, (uint64_t)kind | (text ? REC_NVTX_TEXT : REC_NVTX_NO_MESSAGE) << 8 };

	return tb_record(g->stream, REC_NVTX_EVENT, 0, domain, words,
		text ? tb_put_text(words, 2, text, (uint32_t)strlen(text)) : 2);
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

/* ------------------------------------------------------------------ payloads */

#define COPY_KIND (1u << 24)              /* ids that the program chose */
#define TRANSFER ((1u << 24) + 1)
#define POSITION (1ull << 32)             /* ids that were given out */
#define MESSAGE ((1ull << 32) + 1)
#define UNREADABLE ((1ull << 32) + 2)
#define FIXED 16u                         /* flag: array of fixed length */

struct member { uint64_t flags, type, detail, offset; const char *name, *description; };

static uint32_t put_text(uint64_t *words, uint32_t at, const char *text)
{
	return tb_put_text(words, at, text ? text : "", text ? (uint32_t)strlen(text) : 0);
}

static void schema(struct golden *g, int domain, uint64_t id, uint64_t type, uint64_t bytes, const char *name,
	const struct member *m, uint32_t n)
{
	uint64_t words[256] = { T0 + 100, n, id, type, 0, bytes, 0 };
	uint32_t at = put_text(words, 7, name);

	for (uint32_t i = 0; i < n; i++) {
		words[at++] = m[i].flags;
		words[at++] = m[i].type;
		words[at++] = m[i].detail;
		words[at++] = m[i].offset;
		at = put_text(words, put_text(words, at, m[i].name), m[i].description);
	}
	tb_record(g->stream, REC_NVTX_SCHEMA, 0, domain, words, at);
}

static void enumeration(struct golden *g, int domain)
{
	static const char *const names[] = { "host to device", "device to host" };
	uint64_t words[64] = { T0 + 100, 2 | 1ull << 32, COPY_KIND, 4 };
	uint32_t at = put_text(words, 7, "copy kind");

	for (uint64_t i = 0; i < 2; i++) {
		words[at++] = i + 1;
		words[at++] = 0;
		at = put_text(words, at, names[i]);
	}
	tb_record(g->stream, REC_NVTX_SCHEMA, 0, domain, words, at);
}

/* A mark with one piece. kept: bytes that the trace has of it. */
static void mark_with(
	struct golden *g, uint64_t at, int domain, uint64_t id, const void *data, uint32_t bytes, uint32_t kept)
{
	uint32_t words_kept = (kept + 7) / 8;
	uint64_t words[64] = { T0 + at, (uint64_t)REC_NVTX_MARK | (uint64_t)REC_NVTX_PAYLOAD << 16,
		REC_NVTX_SCHEMA_DATA | (uint64_t)(3 + words_kept) * 8 << 32, id, bytes, kept };

	memcpy(words + 6, data, kept);
	tb_record(g->stream, REC_NVTX_EVENT, 0, domain, words, 6 + words_kept);
}

static void payloads(struct golden *g)
{
	static const struct member position[] = { { 0, 19 /* float */, 0, 0, "x", NULL }, { 0, 19, 0, 0, "y", NULL } };
	/* Offsets that are not said follow from the types: 0, 8, 12, 20, 24, 32. */
	static const struct member transfer[] = {
		{ 0, 18 /* u64 */, 0, 0, "bytes", "size of the copy" },
		{ 0, COPY_KIND, 0, 0, "kind", NULL },
		{ 0, POSITION, 0, 0, "at", NULL },
		{ 0, 11 /* i8 */, 0, 0, "priority", NULL },
		{ 0, 20 /* double */, 0, 0, "rate", NULL },
		{ FIXED, 15 /* i32 */, 3, 0, "shape", NULL },
		{ FIXED, 1 /* char */, 8, 44, "tag", NULL },
	};
	static const struct member message[] = { { 0, 80 /* registered string */, 0, 0, "name", NULL },
		{ 2 /* pointer */, 75, 0, 0, "at", NULL } };
	static const struct member unreadable[] = { { 32 /* up to a zero */, 1, 0, 0, "text", NULL },
		{ 0, 15, 0, 0, "behind it", NULL } };
	const struct {
		uint64_t bytes; uint32_t kind; float x, y; int8_t priority; double rate; int32_t shape[3]; char tag[8];
	} copy = { UINT64_MAX, 2, 1.5f, -0.25f, -3, 0.1, { 4, -1, 7 }, "a \"b\"" },
	  other = { 1, 9, 0, 0, 0, 1e300, { 0 }, "" };
	const uint64_t said[2] = { 1, 0x7f0012345678 };
	uint64_t words[64] = { T0 + 90, (uint64_t)REC_NVTX_STRING | REC_NVTX_TEXT << 8, 1 };

	domain(g, 50, PHYSICS, "physics engine");
	tb_record(g->stream, REC_NVTX_NAME, 0, PHYSICS, words, put_text(words, 3, "registered"));
	enumeration(g, PHYSICS);
	schema(g, PHYSICS, POSITION, 1, 8, "position", position, 2);
	schema(g, PHYSICS, TRANSFER, 1, sizeof copy, "transfer", transfer, 7);
	schema(g, PHYSICS, MESSAGE, 1, 16, NULL, message, 2);
	schema(g, PHYSICS, UNREADABLE, 2 /* dynamic */, 0, "unreadable", unreadable, 2);
	mark_with(g, 1000, PHYSICS, TRANSFER, &copy, sizeof copy, sizeof copy);
	mark_with(g, 1100, PHYSICS, TRANSFER, &other, sizeof other, sizeof other);
	mark_with(g, 1200, PHYSICS, TRANSFER, &copy, sizeof copy, 24);  /* cut */
	mark_with(g, 1300, PHYSICS, MESSAGE, said, sizeof said, sizeof said);
	mark_with(g, 1400, PHYSICS, UNREADABLE, "abc\0\1\0\0", 8, 8);
	mark_with(g, 1500, PHYSICS, 4711, said, sizeof said, sizeof said);      /* of a schema that nobody registered */
	mark_with(g, 1600, 0, TRANSFER, &copy, sizeof copy, sizeof copy);       /* chosen ids hold in their domain */
}

static void many_names(struct golden *g)
{
	for (unsigned i = 0; i < 70000; i++) {
		char name[32];

		snprintf(name, sizeof name, "mark %u", i);
		event(g, 1000 + 10 * i, REC_NVTX_MARK, 0, name);
	}
}

const struct golden_case golden_nvtx[] = {
	{ "markers", T0, markers, NULL },
	{ "markers_alone", T0, markers_alone, NULL },
	{ "payloads", T0, payloads, NULL },
	{ "many_names", T0, many_names, NULL },
	{ NULL, 0, NULL, NULL },
};
