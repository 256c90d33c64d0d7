/*
 * tests/tracecuda.h - CUDA in built traces: records about CUPTI, and buffers of activities of any CUPTI version
 *
 * Layouts come from tests/fakegpu/records.def, which is the tests' own: nothing here knows how gputap reads them.
 *
 *	struct tb_acts *a = tb_acts(130001);
 *	tb_cupti_library(s, 1000, 130001, 13000, 0, "/usr/lib/libcupti.so.13");
 *	ACT(a, 10, F(CONCURRENT_KERNEL, start, 5000), F(CONCURRENT_KERNEL, end, 6000));
 *	tb_cupti_buffer(c, a, &(struct rec_cupti_buffer){ .number = 1, .completed_tick = 9000 });
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_TRACECUDA_H
#define GPUTAP_TESTS_TRACECUDA_H

#include "tests/tracebuild.h"

enum tb_field {
#define FIELD(kind, name, offset, bytes, since) TB_##kind##_##name,
#include "tests/fakegpu/records.def"
	TB_FIELDS
};

/* Activities of one buffer, under way. */
struct tb_acts {
	uint32_t version;                 /* CUPTI's */
	size_t used, last, room;          /* bytes; where the last record stands */
	uint8_t *data;
};
struct tb_value { enum tb_field field; uint64_t value; };
#define F(kind, name, v) { TB_##kind##_##name, (uint64_t)(v) }

struct tb_acts *tb_acts(uint32_t version);
void tb_acts_free(struct tb_acts *a);
/* Bytes of a kind's records in that version; 0: it has no such kind. */
size_t tb_act_bytes(uint32_t version, uint32_t kind);
/*
 * Appends a record; fields that the version does not have are left out. Kinds of one layout share the names: RUNTIME
 * for 4 and 5.
 */
void tb_act(struct tb_acts *a, uint32_t kind, const struct tb_value *values, size_t n);
#define ACT(a, kind, ...) tb_act((a), (kind), (const struct tb_value[]){ __VA_ARGS__ }, \
	sizeof((const struct tb_value[]){ __VA_ARGS__ }) / sizeof(struct tb_value))
/* Any bytes, for damage. */
void tb_act_raw(struct tb_acts *a, const void *data, size_t bytes);

/*
 * A chunk with that buffer, in a stream of its own (nothing else goes there): `room` bytes for activities, at least
 * what `a` has; 0: the usual. head->valid 0 with completed_tick: all of a. The header stands as given otherwise.
 * Empties `a`.
 */
#define TB_CUPTI_ROOM (REC_BLOCK - REC_CUPTI_BUFFER)
void tb_cupti_buffer_sized(struct tb_stream *s, struct tb_acts *a, const struct rec_cupti_buffer *head, size_t room);
#define tb_cupti_buffer(s, a, head) tb_cupti_buffer_sized((s), (a), (head), 0)

/* Records. The library's size table is the version's. */
uint64_t tb_cupti_library(
	struct tb_stream *s, uint64_t tick, uint32_t version, uint32_t driver, uint32_t flags, const char *path);
uint64_t tb_cupti_kind(struct tb_stream *s, uint64_t tick, uint32_t kind, int32_t result);
uint64_t tb_cupti_clock(struct tb_stream *s, uint64_t tick, uint64_t cupti_ns, uint64_t bracket, uint64_t realtime_ns);
/* domain: 1 driver, 2 runtime */
uint64_t tb_cupti_name(struct tb_stream *s, uint64_t tick, uint32_t domain, uint32_t cbid, const char *name);
uint64_t tb_cupti_string(struct tb_stream *s, uint64_t tick, uint64_t address, const char *text);
uint64_t tb_cupti_dropped(struct tb_stream *s, uint64_t tick, uint64_t count);
uint64_t tb_cupti_event(struct tb_stream *s, uint64_t tick, enum rec_cupti_event what, uint32_t cbid, uint32_t context,
	uint32_t correlation, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/*
 * A call with arguments: fn = REC_FN_CUDA_RUNTIME or _DRIVER + callback id. copies: words behind the padded struct,
 * as rec.h says.
 */
uint64_t tb_cuda_call(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result,
	uint32_t correlation, const void *params, uint32_t bytes, uint32_t n_copies, const uint64_t *copies,
	uint32_t copy_words);
/* One such copy appended to words[n..]; returns the new n. */
uint32_t tb_cuda_copy(uint64_t *words, uint32_t n, uint32_t offset, bool out, const void *data, uint32_t bytes);

/*
 * The CUDA session of golden tests: everything that CUPTI can tell, once or twice, in two processes on two devices. Of
 * the first process' main thread `s` and what follows; one tick is one ns, CLOCK_MONOTONIC = tick + mono, CUPTI's clock
 * = REALTIME. tests/cudasession.c
 */
void tb_cuda_session(struct tb *tb, struct tb_process *p, struct tb_stream *s, uint64_t first_tick, uint64_t mono);

#endif
