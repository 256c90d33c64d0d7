/*
 * trace/read/reader.h - records of a trace, safely, in file order or merged in time order
 *
 * Runs in the tool. Trusts nothing in the files: every header is validated once, with overflow-safe arithmetic; a bad
 * record ends its 64 KiB block, is counted (REC_LOSS_DAMAGED, ...) and reading goes on with the next block.
 * Reads a directory NAME.gputap/ and the single file that --pack makes alike (trace/read/store.c).
 * Bounded memory at any trace length.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_READER_H
#define GPUTAP_TRACE_READ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/format/rec.h"
#include "trace/read/holders.h"
#include "trace/read/live.h"

#define GT_NO_TIME INT64_MIN
/*
 * TIME1  A time of the session's clock or of CLOCK_MONOTONIC lies within nine years of 0, whatever a trace says: what a
 *        damaged one tells beyond that is moved to the bound where it is made a time (gt_time_within). The difference
 *        of two, and the sum of a time and an offset between these clocks, is no overflow.
 */
#define GT_TIME_MOST (INT64_C(1) << 58)

static inline int64_t gt_time_within(int64_t ns)
{
	return ns > GT_TIME_MOST ? GT_TIME_MOST : ns < -GT_TIME_MOST ? -GT_TIME_MOST : ns;
}
/* a + b where both may be anything. */
static inline int64_t gt_time_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? a < 0 ? -GT_TIME_MOST : GT_TIME_MOST : gt_time_within(sum);
}

struct gt_reader;

int gt_reader_open(const char *path, struct gt_reader **out, struct gt_err *err);
/* The same, by so many threads at once. */
int gt_reader_open_jobs(const char *path, unsigned jobs, struct gt_reader **out, struct gt_err *err);
void gt_reader_close(struct gt_reader *r);

/*
 * key=value files: n-th value of key (0 based) of `run` (process == -1) or of a process' `meta`; NULL when absent.
 * Unescaped; lives as long as the reader.
 */
const char *gt_reader_fact(const struct gt_reader *r, int process, const char *key, unsigned n);
/* Of a process, when the trace was opened. One that told of its end is over, which only its records say. */
enum gt_live gt_reader_live(const struct gt_reader *r, uint32_t process);
/* The launcher went without saying how the program ended. */
bool gt_reader_cut_off(const struct gt_reader *r);
/* The launcher, or another process of its own, that still gathers what it is to write here; 0: none is seen. */
int gt_reader_gatherer(const struct gt_reader *r);
/* Processes of the run that are there without having recorded, and may come to, when the trace was opened. */
const struct gt_holders *gt_reader_left(const struct gt_reader *r);
/* Whether marks of programs that are awaited may still go: the run is not over. */
bool gt_reader_awaits(const struct gt_reader *r);
/* The n-th thing that it did not come to write, since it was killed; NULL: there is none. */
const char *gt_reader_not_gathered(const struct gt_reader *r, unsigned n);
/* The function table's text (unpacked), of the first process that names one. */
int gt_reader_table(struct gt_reader *r, const char **text, size_t *bytes, struct gt_err *err);
/*
 * Further items of it, of the n-th object that brought its own functions, to be freed: 1, 0 behind the last, -1 when
 * they cannot be read.
 */
int gt_reader_functions(struct gt_reader *r, unsigned n, char **text, size_t *bytes, struct gt_err *err);
/*
 * The text of the table of CUDA's arguments; false: the trace has none, or a damaged one. Lives as long as the reader.
 */
bool gt_reader_cuda_table(struct gt_reader *r, const char **text, size_t *bytes);
bool gt_reader_cuda_table_there(const struct gt_reader *r); /* the file, sound or not */
/* What was planned to be counted (trace/format/counters.h), every offset in it checked; NULL: nothing was. */
const struct rec_counters *gt_reader_counters(struct gt_reader *r);
/* What several runs of the program counted (trace/format/passes.h), every offset in it checked; NULL: nothing. */
const struct rec_passes *gt_reader_passes(struct gt_reader *r);
bool gt_reader_counters_there(const struct gt_reader *r); /* the file, sound or not */

/*
 * What the launcher kept of an open file of the program (output.N): its size, 0 where there is none; its bytes, zero
 * terminated, to be freed, at most the first 256 MiB; NULL: it cannot be read.
 */
uint64_t gt_reader_output_bytes(const struct gt_reader *r, unsigned number);
char *gt_reader_output(struct gt_reader *r, unsigned number, size_t *bytes);

uint32_t gt_reader_process_count(const struct gt_reader *r);     /* sorted by start */
#define GT_NO_USER UINT32_MAX
/* Another user than the trace's, who added the process's files or part of them to it; GT_NO_USER: nobody did. */
uint32_t gt_reader_added_by(const struct gt_reader *r, uint32_t process);
bool gt_reader_open_to_others(const struct gt_reader *r);        /* any user may add processes still */
/* User whose files the process's are; GT_NO_USER: not known. */
uint32_t gt_reader_owner(const struct gt_reader *r, uint32_t process);
void gt_reader_process_id(const struct gt_reader *r, uint32_t process, int *pid, int *instance);
/*
 * Links name a stream by its number, which a damaged or foreign trace may choose as it likes. Arrays beside streams are
 * by place: 0 up to the count of those that exist, in order of their numbers.
 */
uint32_t gt_reader_stream_count(const struct gt_reader *r, uint32_t process);
uint32_t gt_reader_stream_number(const struct gt_reader *r, uint32_t process, uint32_t place);
/* UINT32_MAX: there is no such stream. */
uint32_t gt_reader_stream_place(const struct gt_reader *r, uint32_t process, uint32_t number);
/* The control page of a stream (zeroed when unreadable): slots, counters. */
const struct rec_control *gt_reader_control(const struct gt_reader *r, uint32_t process, uint32_t stream);
/* Findings so far: damaged, truncated, incomplete records. */
uint64_t gt_reader_lost(const struct gt_reader *r, enum rec_loss reason);
/* Whether the record that a link names was overwritten by the ring. */
bool gt_reader_overwritten(const struct gt_reader *r, uint32_t process, uint64_t link);

/* One record. words points into the reader's memory: valid until the next call on the same cursor. */
struct gt_rec {
	const uint64_t *words;
	uint32_t n_words;
	uint32_t process, stream;
	uint64_t offset;                  /* in the stream file: with stream, what links refer to */
	uint32_t id, flags;               /* of the header */
	int32_t result;
	/* calls (id >= REC_FIRST_FUNCTION); of other records the two ticks are the tick word (0 without one) */
	uint64_t start_tick, end_tick;
	const uint64_t *args;             /* first word behind the duration word(s); of other records behind the header
	                                     (and the size word of a REC_LONG one): use it, not words + 1 */
	uint32_t n_args;                  /* words from args to the end; at least what the type needs */
	uint32_t first_u32;               /* upper half of the duration word */
	uint64_t stack;                   /* calls: link of the STACK record that they were made from; 0: none */
	/* calls: enum rec_more; with REC_MORE_WHOLE the two words of the content's id stand right before args */
	uint32_t more, bound;
	/* how many REC_THREAD records stood before it in its stream: which thread this is */
	uint32_t holder;
};

/* All records in file order, stream by stream. Used once, at open, to build tables. process -1 = all. */
struct gt_cursor;
int gt_cursor_open(struct gt_reader *r, int process, struct gt_cursor **out, struct gt_err *err);
int gt_cursor_next(struct gt_cursor *c, struct gt_rec *rec, struct gt_err *err);  /* 1, 0 end, -1 */
void gt_cursor_close(struct gt_cursor *c);
/* The same records in parts, for several threads: those of n blocks from the first on, in their order. *out: NULL, or
 * a cursor whose memory is used again. */
size_t gt_reader_block_count(const struct gt_reader *r);
int gt_cursor_blocks(struct gt_reader *r, size_t first, size_t n, struct gt_cursor **out, struct gt_err *err);

/*
 * Call records (and callbacks) merged in time order: (start, end descending, stream, offset), all processes or one.
 * Window in session ns; records that overlap it, GT_NO_TIME = open.
 */
struct gt_merge;
int gt_merge_open(
	struct gt_reader *r, int process, int64_t from_ns, int64_t to_ns, struct gt_merge **out, struct gt_err *err);
int gt_merge_next(struct gt_merge *m, struct gt_rec *rec, struct gt_err *err);
double gt_merge_done(const struct gt_merge *m);                   /* 0..1 */
void gt_merge_close(struct gt_merge *m);

/* The record at (stream, offset), checked against the index. 1 found, 0 not a record boundary or gone. */
int gt_reader_fetch(struct gt_reader *r, uint32_t process, uint64_t link, struct gt_rec *rec, struct gt_err *err);

/* Content by id; 1 found (memory lives until the reader is closed), 0 not stored, -1 no memory. */
int gt_reader_blob(struct gt_reader *r, const uint64_t id[2], const void **data, size_t *bytes, uint64_t *total_bytes);
/*
 * A copy of one that is whole and of whole words, for whoever reads on a thread of its own: *to grows as needed, the
 * caller frees it. 1 with *words set, 0: it is not there, or not whole, -1: no memory.
 */
int gt_reader_blob_words(struct gt_reader *r, const uint64_t id[2], uint64_t **to, size_t *room, size_t *words);
/* Its bytes when it was made, without reading what of it is stored. False: not stored. */
bool gt_reader_blob_total(struct gt_reader *r, const uint64_t id[2], uint64_t *total_bytes);
/* Frees it until it is asked for again: for who looks through all of them before others hold one. */
void gt_reader_blob_forget(struct gt_reader *r, const uint64_t id[2]);

/*
 * Clocks: segments per process (boot), fitted from REC_CLOCK records and `run` clock lines. Session time is
 * CLOCK_MONOTONIC and a constant per process. trace/read/clock.c
 */
int64_t gt_reader_tick_ns(const struct gt_reader *r, uint32_t process, uint64_t tick);       /* session ns */
int64_t gt_reader_tick_mono_ns(const struct gt_reader *r, uint32_t process, uint64_t tick);  /* CLOCK_MONOTONIC */
/* a tick of that time, or the first behind it */
uint64_t gt_reader_ns_tick(const struct gt_reader *r, uint32_t process, int64_t session_ns);
int64_t gt_reader_utc_ns(const struct gt_reader *r);              /* CLOCK_REALTIME at session ns 0 */
/* Half the widest bracket used; -1: the process has no rate of its own (1 ns a tick was assumed). */
int64_t gt_reader_clock_error_ns(const struct gt_reader *r, uint32_t process);

#endif
