/*
 * tests/tracebuild.h - build trace directories from C calls, for tests of everything that reads
 *
 * A writer of its own, independent of trace/write: it follows docs/trace-format.md. Any failure of the file system ends
 * the test program with a message.
 *
 *	struct tb *tb = tb_open("x.gputap");
 *	tb_table(tb, text);
 *	struct tb_process *p = tb_process(tb, 100);
 *	tb_fact(p, "start_tick", "1000");
 *	struct tb_stream *s = tb_stream(p);
 *	tb_thread(s, 1000, 100, 1, "main");
 *	tb_clock(s, 1000, 5000);
 *	tb_call(s, FN_clFinish, 2000, 30, 0, W(0x10));
 *	tb_close(tb);
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_TRACEBUILD_H
#define GPUTAP_TESTS_TRACEBUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format/rec.h"

struct tb;
struct tb_process;
struct tb_stream;

/* Words of a record: a pointer and a count, for the last two parameters of many functions. W() needs one at least. */
#define W(...) (const uint64_t[]){ __VA_ARGS__ }, (uint32_t)(sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)
#define W0 (const uint64_t *)0, 0u
#define PAIR(low, high) ((uint64_t)(uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32)

/* Makes the directory; one that is there is emptied first. `run` gets its "format" and what tb_run_fact adds. */
struct tb *tb_open(const char *path);
void tb_run_fact(struct tb *tb, const char *key, const char *value);
/* Writes table.HASH.zst; processes made later name it in `meta`. */
void tb_table(struct tb *tb, const char *text, size_t bytes);
void tb_close(struct tb *tb);

/*
 * PID.N, N the first free from 1. meta gets format, byte_order, pid, clock_source=tsc and table; a fact of the same
 * key replaces.
 */
struct tb_process *tb_process(struct tb *tb, int pid);
void tb_fact(struct tb_process *p, const char *key, const char *value);
/* The next K.str. */
struct tb_stream *tb_stream(struct tb_process *p);

/* Every function that writes a record returns the record's link. */

/* Any record: words stand behind the header; its size, REC_LONG and REC_COMPLETE are added. */
uint64_t tb_record(struct tb_stream *s, uint32_t id, uint32_t flags, int32_t result, const uint64_t *words, uint32_t n);
/* A call: first_u32 in the upper half of the duration word, args behind it (copies included); REC_SLOW by need. */
uint64_t tb_call_u32(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result,
	uint32_t first_u32, const uint64_t *args, uint32_t n);
uint64_t tb_call(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result,
	const uint64_t *args, uint32_t n);
/* One that succeeded, of which copies longer than `bound` bytes were cut there (REC_CUT). */
uint64_t tb_call_cut(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, uint32_t bound,
	uint32_t first_u32, const uint64_t *args, uint32_t n);
/* The same without arguments (REC_BARE). */
uint64_t tb_call_bare(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result);
uint64_t tb_thread(struct tb_stream *s, uint64_t tick, uint32_t tid, uint32_t flags, const char *name);
uint64_t tb_thread_end(struct tb_stream *s, uint64_t tick, uint32_t tid);
/* raw = realtime - 10^18 = boottime = mono; bracket 40 ticks */
uint64_t tb_clock(struct tb_stream *s, uint64_t tick, int64_t mono_ns);
uint64_t tb_clock_full(
	struct tb_stream *s, uint64_t tick, int64_t mono, int64_t raw, int64_t real, int64_t boot, uint64_t bracket);
/*
 * Device times of the call at link; queued 0 stands for an absent device record: use tb_untimed. Narrow when the
 * differences fit.
 */
uint64_t tb_command(struct tb_stream *s, uint64_t link, uint64_t queued, uint64_t submit, uint64_t start, uint64_t end,
	uint64_t complete);
uint64_t tb_untimed(struct tb_stream *s, uint64_t link, enum rec_loss reason, int32_t status);
uint64_t tb_local_size(struct tb_stream *s, uint64_t link, uint32_t dims, enum rec_local_source source, uint64_t x,
	uint64_t y, uint64_t z);
/*
 * REC_OBJECT: tb_object, then tb_attr..., then tb_object_end writes it, with the tick of the stream's last call or
 * thread.
 */
void tb_object(struct tb_stream *s, enum rec_object kind, uint64_t handle);
void tb_attr(struct tb_stream *s, uint32_t key, const void *value, uint32_t bytes);
void tb_attr_text(struct tb_stream *s, uint32_t key, const char *text); /* with its zero, as drivers answer */
void tb_attr_u32(struct tb_stream *s, uint32_t key, uint32_t value);
void tb_attr_u64(struct tb_stream *s, uint32_t key, uint64_t value);
uint64_t tb_object_end(struct tb_stream *s);
uint64_t tb_note(struct tb_stream *s, uint64_t tick, uint32_t part, const char *text);
uint64_t tb_blob_ref(struct tb_stream *s, uint64_t tick, uint64_t handle, const uint64_t id[2], enum rec_blob_kind kind,
	uint64_t total);
uint64_t tb_calibration(
	struct tb_stream *s, uint64_t tick, uint64_t device, uint64_t device_ns, uint64_t bracket, uint32_t method);
uint64_t tb_hsa_kernel(struct tb_stream *s, uint64_t tick, uint32_t tid, uint32_t packet_type, uint64_t kernel,
	uint64_t start, uint64_t end, uint64_t agent, uint32_t queue_index, uint32_t device_index, uint64_t queue,
	uint64_t packet_id, const char *name, const char *agent_name, const char *fields);

/* Text as records and string copies hold it: appends length and bytes to words[n..], returns the new n. */
uint32_t tb_put_text(uint64_t *words, uint32_t n, const char *text, uint32_t bytes);

/* A content of its own chunk. */
void tb_blob(struct tb_stream *s, enum rec_blob_kind kind, const uint64_t id[2], const void *data, size_t bytes,
	uint64_t total);
/* A chunk of kind CUPTI: `image` goes behind its header, bytes - 64 of it (tests/tracecuda.h builds them). */
void tb_cupti_chunk(struct tb_stream *s, const void *image, size_t bytes, size_t room);
/* The control page. */
void tb_slot(struct tb_stream *s, unsigned i, uint32_t fn, enum rec_domain domain, uint64_t start_tick,
	const uint64_t arg[4]);
void tb_lost(struct tb_stream *s, enum rec_loss reason, uint64_t n);
void tb_holder(struct tb_stream *s, uint32_t tid);

/* Shapes that a good program makes at bad moments. */
void tb_incomplete(struct tb_stream *s, uint32_t words);             /* claimed, never committed */
void tb_raw(struct tb_stream *s, const uint64_t *words, uint32_t n); /* as they are, at the next place */
void tb_pad(struct tb_stream *s);                                    /* go on in the next block */
/* The rest of the present chunk stays empty; the next record opens one of `bytes` (0: the writer's own growth). */
void tb_chunk(struct tb_stream *s, uint64_t bytes);

/* For tests that patch files: removes a directory tree. */
void tb_remove(const char *path);
#endif
