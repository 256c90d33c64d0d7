/*
 * trace/write/stream/stream.h - the stream a thread holds, and appending records to it
 *
 * Runs      on any thread of the traced program, in signal handlers and in driver callbacks.
 * Invariants STREAM1 to STREAM3: trace/write/stream/stream.c. Layout on disk: trace/format/rec.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_STREAM_H
#define GPUTAP_TRACE_WRITE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format/rec.h"

struct tap_stacks;

#define TAP_CUDA_LEFT 4

struct tap_stream {
	/* Written by the holding thread; all but used and limit only with signals blocked. */
	uintptr_t base;                 /* base + offset in the file = address, for offsets inside the open chunk */
	uint64_t used, limit;           /* offsets in the file, bytes; limit = end of the open block's usable part */
	struct rec_control *control;    /* page 0 of the file */
	uint32_t number;                /* K of K.str; another one when the stream goes on in a new file */
	uint32_t index;                 /* its place among the streams of the process */
	uint32_t tid;                   /* of the holder */
	uint64_t chunk_end;             /* offset in the file */
	uint64_t next_chunk;            /* offset in the file where the next chunk goes */
	uint64_t allocated;             /* offset in the file up to which it has its space */
	uint64_t blobs_at, blobs_end;   /* offsets in the file: free room for small contents (blob.c) */
	uint64_t copied;                /* bytes of the older window's image that stand in its place already */
	struct rec_chunk *window[2];    /* staging windows (chunk.c), used in turn from the third chunk on */
	void *map, *last_map;  /* the open chunk if it is mapped in its place, and the one before it (STREAM4) */
	size_t map_bytes, last_map_bytes;
	uint32_t chunks;                /* opened so far: decides the size of the next */
	uint32_t dead;                  /* enum rec_loss + 1: no room until retry_tick */
	uint64_t retry_tick;
	uint64_t retry_wait;            /* ticks from the last failure to retry_tick */
	uint64_t next_free;             /* pool: number of the next free stream + 1 */
	uint64_t holder_tick;           /* of the holder's THREAD record */
	char holder_name[16];           /* what the trace calls the holder; zero-terminated unless it is full */
	int32_t holder_priority;        /* what it says of that */
	/* collectors/cupti/args.c: starts of the holder's calls that were last taken for left, the last one first */
	uint64_t cuda_left[TAP_CUDA_LEFT];
	struct tap_stacks *stacks;      /* collectors/stack/: the stacks that stand in it; NULL: none yet */

	/* --ring (ring.c) */
	struct tap_stream *kept;        /* where the holder's definitions go; NULL in such a stream itself */
	bool keeps;                     /* this is one */
	uint32_t ring_places;           /* for chunks of calls, those in windows included */
	uint64_t ring_first, ring_next; /* offsets in the file: the first of them; behind the one used last */
};

/*
 * The calling thread's stream, opened at the first need (and after fork opened anew), or NULL (reason counted).
 * First call of a process image makes its directory. May make system calls; never allocates with malloc, never locks.
 */
struct tap_stream *tap_stream_get(void);

/*
 * As tap_stream_get, for a record of this type that is not written by tap_record: with --ring what calls refer to
 * (objects, names, clocks) goes to a stream beside the thread's own that is never overwritten.
 */
struct tap_stream *tap_stream_get_for(uint32_t id);

/*
 * Room for one record of `words` 8-byte words, header included, inside one block; switches blocks and chunks when
 * needed; NULL when there is no room (counted). *link gets its place. Commit on the same thread.
 */
uint64_t *tap_stream_reserve(struct tap_stream *s, uint32_t words, uint64_t *link);
/* As tap_stream_reserve, for a record about a command whose absence a reader sees and counts: not counted here. */
uint64_t *tap_stream_reserve_device(struct tap_stream *s, uint32_t words, uint64_t *link);
void tap_stream_commit(uint64_t *rec, uint64_t head);
/* Count something lost on this thread's stream (or, without one, in the process' own counter page). Any context. */
void tap_lost(enum rec_loss reason, uint64_t n);

/* Largest record: what fits a block behind a chunk header. */
#define TAP_RECORD_WORDS_MAX ((REC_BLOCK - 256u - REC_CHUNK_RESERVE) / 8u)

/* A whole small record in one go; head.words is computed. Returns false when there was no room. */
bool tap_record(uint32_t id, int32_t result, const uint64_t *words, uint32_t n);
/* From a tick on until now the program waited for the recording. */
void tap_cost_record(enum rec_cost what, uint64_t began);
/* tick; payload words; text at the end */
bool tap_record_text(uint32_t id, uint64_t payload, const char *text, size_t bytes);

/*
 * Store one content (program source, log) under its id unless this process stored it already, at most REC_BLOB_MAX of
 * it. The id is in id[2] in any case. False: not all of it is in the trace, which is counted, except of REC_BLOB_ARGS.
 * Not for hot paths. Of REC_BLOB_SOURCE parts and lengths are as in
 * clCreateProgramWithSource: no length, or 0, is a string that ends by itself; of all else 0 bytes are no bytes.
 */
bool tap_blob_store(enum rec_blob_kind kind, const void *const *parts, const size_t *lengths, uint32_t n,
	bool keep_content, uint64_t id[2], uint64_t *total);

/* One note per call site: formatted without libc's printf, into the trace; %s %d %u %x %lu only. */
void tap_note(uint32_t part, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define TAP_DEGRADE(part, ...) do { static _Atomic int said_; \
	if (!__atomic_exchange_n((int *)&said_, 1, __ATOMIC_RELAXED)) tap_note(part, __VA_ARGS__); } while (0)
enum tap_part { TAP_PART_CORE = 1, TAP_PART_OPENCL, TAP_PART_CLOCK, TAP_PART_LOADER, TAP_PART_CUPTI, TAP_PART_EXPORT };

/* Host clock: raw ticks (TSC, cntvct, or CLOCK_MONOTONIC_RAW ns where those cannot be trusted). trace/write/clock.c */
static inline uint64_t tap_tick(void);
#include "trace/write/clock.h"

/* Thread and process life: called by trace/write/process.c */
void tap_stream_thread_exit(void);      /* TLS destructor: THREAD_END, stream back to the pool */
void tap_stream_after_fork(void);       /* optional fast path in the child; the wipe-on-fork word is what counts */

#endif
