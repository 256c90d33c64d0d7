/*
 * tests/tracecuda.c - CUDA in built traces
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/tracecuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1024u                     /* bytes of a record */
#define FUTURE 139900u                    /* versions with records longer than anyone knows */

static const struct { uint8_t kind; uint16_t bytes; uint32_t since; } sizes[] = {
#define SIZE(kind, number, bytes, since) { number, bytes, since },
#include "tests/fakegpu/records.def"
};
static const uint8_t grows[] = {
#define GROWS(kind, number) number,
#include "tests/fakegpu/records.def"
};
static const struct { uint16_t offset; uint8_t bytes; uint32_t since; } fields[] = {
#define FIELD(kind, name, offset, bytes, since) { offset, bytes, since },
#include "tests/fakegpu/records.def"
};

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "tracecuda: out of memory\n");
		exit(1);
	}
	return p;
}

/* -------------------------------------------------------------- activities */

struct tb_acts *tb_acts(uint32_t version)
{
	struct tb_acts *a = must(calloc(1, sizeof *a));

	a->version = version;
	return a;
}

void tb_acts_free(struct tb_acts *a)
{
	free(a->data);
	free(a);
}

size_t tb_act_bytes(uint32_t version, uint32_t kind)
{
	size_t bytes = 0;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].kind == kind && version >= sizes[i].since)
			bytes = sizes[i].bytes;
	for (size_t i = 0; bytes && version >= FUTURE && i < sizeof grows; i++)
		if (grows[i] == kind)
			return bytes + 24;
	return bytes;
}

void tb_act_raw(struct tb_acts *a, const void *data, size_t bytes)
{
	if (a->used + bytes > a->room) {
		a->room = (a->used + bytes) * 2;
		a->data = must(realloc(a->data, a->room));
	}
	memcpy(a->data + a->used, data, bytes);
	a->last = a->used;
	a->used += bytes;
}

void tb_act(struct tb_acts *a, uint32_t kind, const struct tb_value *values, size_t n)
{
	size_t bytes = tb_act_bytes(a->version, kind);
	uint8_t rec[LARGEST] = { 0 };

	if (!bytes || bytes > sizeof rec) {
		fprintf(stderr, "tracecuda: version %u has no kind (or a larger one) %u\n", a->version, kind);
		exit(1);
	}
	memcpy(rec, &kind, sizeof kind);
	for (size_t i = 0; i < n; i++)
		if (a->version >= fields[values[i].field].since)
			memcpy(rec + fields[values[i].field].offset, &values[i].value, fields[values[i].field].bytes);
	if (a->version >= FUTURE && bytes > tb_act_bytes(FUTURE - 1, kind))
		memset(rec + bytes - 24, 0xa5, 24);   /* what a reader of today must skip */
	tb_act_raw(a, rec, bytes);
}

void tb_cupti_buffer_sized(struct tb_stream *s, struct tb_acts *a, const struct rec_cupti_buffer *head, size_t room)
{
	struct rec_cupti_buffer h = *head;
	uint8_t *image;

	if (h.completed_tick && !h.valid)
		h.valid = a->used;
	if (!room)
		room = TB_CUPTI_ROOM;
	if (a->used > room) {
		fprintf(stderr, "tracecuda: %zu bytes of activities do not fit %zu\n", a->used, room);
		exit(1);
	}
	image = must(calloc(1, REC_CUPTI_BUFFER + room));
	memcpy(image, &h, sizeof h);
	if (a->used)
		memcpy(image + REC_CUPTI_BUFFER - sizeof(struct rec_chunk), a->data, a->used);
	tb_cupti_chunk(s, image, REC_CUPTI_BUFFER + room, room);
	free(image);
	a->used = a->last = 0;
}

/* ----------------------------------------------------------------- records */

#define KINDS 64u

uint64_t tb_cupti_library(
	struct tb_stream *s, uint64_t tick, uint32_t version, uint32_t driver, uint32_t flags, const char *path)
{
	uint64_t words[3 + KINDS + 128] = { tick, PAIR(version, driver) };
	uint32_t n = 0;

	for (uint32_t kind = 1; kind < KINDS; kind++)
		if (tb_act_bytes(version, kind))
			words[3 + n++] = PAIR(kind, tb_act_bytes(version, kind));
	words[2] = PAIR(n, flags);
	return tb_record(
		s, REC_CUPTI_LIBRARY, 0, 0, words, tb_put_text(words, 3 + n, path, (uint32_t)strnlen(path, 1000)));
}

uint64_t tb_cupti_kind(struct tb_stream *s, uint64_t tick, uint32_t kind, int32_t result)
{
	return tb_record(s, REC_CUPTI_KIND, 0, result, W(tick, PAIR(kind, 1)));
}

uint64_t tb_cupti_clock(struct tb_stream *s, uint64_t tick, uint64_t cupti_ns, uint64_t bracket, uint64_t realtime_ns)
{
	return tb_record(s, REC_CUPTI_CLOCK, 0, 0, W(tick, cupti_ns, bracket, realtime_ns));
}

static uint64_t record_text(struct tb_stream *s, uint32_t id, uint64_t tick, uint64_t word, const char *text)
{
	uint64_t words[600] = { tick, word };

	return tb_record(s, id, 0, 0, words, tb_put_text(words, 2, text, (uint32_t)strnlen(text, 4000)));
}

uint64_t tb_cupti_name(struct tb_stream *s, uint64_t tick, uint32_t domain, uint32_t cbid, const char *name)
{
	return record_text(s, REC_CUPTI_NAME, tick, PAIR(domain, cbid), name);
}

uint64_t tb_cupti_string(struct tb_stream *s, uint64_t tick, uint64_t address, const char *text)
{
	return record_text(s, REC_CUPTI_STRING, tick, address, text);
}

uint64_t tb_cupti_dropped(struct tb_stream *s, uint64_t tick, uint64_t count)
{
	return tb_record(s, REC_CUPTI_DROPPED, 0, 0, W(tick, count, PAIR(UINT32_MAX, UINT32_MAX)));
}

uint64_t tb_cupti_event(struct tb_stream *s, uint64_t tick, enum rec_cupti_event what, uint32_t cbid, uint32_t context,
	uint32_t correlation, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return tb_record(s, REC_CUPTI_EVENT, 0, 0, W(tick, PAIR(what, cbid), PAIR(context, correlation), a, b, c, d));
}

uint32_t tb_cuda_copy(uint64_t *words, uint32_t n, uint32_t offset, bool out, const void *data, uint32_t bytes)
{
	uint32_t size = (bytes + 7) / 8;

	words[n++] = PAIR(offset, bytes | (out ? REC_CUDA_COPY_OUT : 0));
	memset(words + n, 0, (size_t)size * 8);
	memcpy(words + n, data, bytes);
	return n + size;
}

uint64_t tb_cuda_call(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result,
	uint32_t correlation, const void *params, uint32_t bytes, uint32_t n_copies, const uint64_t *copies,
	uint32_t copy_words)
{
	uint64_t words[1024] = { PAIR(bytes, n_copies) };
	uint32_t n = 1 + (bytes + 7) / 8;

	if (bytes)
		memcpy(words + 1, params, bytes);
	if (copy_words)
		memcpy(words + n, copies, (size_t)copy_words * 8);
	return tb_call_u32(s, fn, start, duration, result, correlation, words, n + copy_words);
}
