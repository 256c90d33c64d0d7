/*
 * trace/read/internal.h - what the files of trace/read share; nobody else includes it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_INTERNAL_H
#define GPUTAP_TRACE_READ_INTERNAL_H

#include "common/memory.h"
#include "trace/read/block.h"
#include "trace/read/clock.h"
#include "trace/read/facts.h"
#include "trace/read/reader.h"
#include "trace/read/store.h"

#define GT_FORMATS_READ "this gputap reads trace format versions 1 to 3"      /* rec_version_known */

/* A 64 KiB block with at least one record, as the pass over the headers found it. */
struct gt_block_info {
	uint64_t offset;                  /* of its first record, as links count */
	int64_t moved;                    /* added to it: where it stands in the file (a ring uses places again) */
	uint64_t least_start, greatest_start, greatest_end; /* ticks over its calls; meaningless without calls */
	uint32_t stream;                  /* index in gt_reader.streams */
	uint32_t words;                   /* from the first record to the end of the last */
	uint32_t holders;                 /* REC_THREAD records before it in its stream */
	uint32_t threads;                 /* ... in it */
	uint32_t calls;
};

struct gt_stream {
	uint32_t process;
	uint32_t number;                  /* K of K.str */
	uint32_t file;                    /* in the store */
	uint32_t first_block, n_blocks;
	uint32_t holders;                 /* REC_THREAD records in the blocks found so far */
	bool truncated;                   /* it was counted */
	bool moved;                       /* chunks of it stand elsewhere than their links count from */
	uint64_t gone;                    /* calls that the ring overwrote */
	uint64_t chunks;                  /* found in the file */
	uint64_t damaged;                 /* ... and places where one could not be read */
	struct rec_control control;
};

struct gt_image {
	int pid, instance;
	uint32_t owner, added_by;         /* gt_reader_owner, gt_reader_added_by */
	uint32_t first_stream, n_streams;
	struct gt_facts meta;
	enum gt_live live;                /* when the trace was opened, before anything of it was read */
	struct gt_clock_set *sets; size_t n_sets, cap_sets;
	struct gt_clock *clock;           /* in gt_reader.clocks, shared by all images on one counter */
	uint64_t meta_bytes; bool meta_wiped;   /* of the file; a zero stands in it, which no fact holds */
	bool ended;                       /* it told of its end */
	bool any_tick;
	uint64_t first_tick;              /* meta's start_tick, else the least tick seen */
	int64_t start_mono_ns;
	int64_t mono_to_session_ns;       /* added to CLOCK_MONOTONIC */
};

struct gt_blob_info {
	uint64_t id[2], offset, bytes, total;
	uint32_t file;
	void *data;                       /* once asked for */
};

/* A buffer of CUPTI: its chunk. */
struct gt_cupti_chunk {
	uint32_t stream;                  /* index in gt_reader.streams */
	uint64_t at;                      /* of the chunk header in the file */
	uint64_t room;                    /* bytes for activities */
};

/* What `run` says is gathered, is not whole, and nobody is at any more. */
struct gt_gathers { char word[32]; };
#define GT_GATHERS_MOST 64

struct gt_fetch_cache;

struct gt_reader {
	unsigned jobs;                    /* threads that may read at once */
	struct gt_store *store;
	struct gt_facts run;
	uint64_t run_bytes; bool run_wiped, run_cut;
	enum gt_live launcher;
	struct gt_gathers gathers[GT_GATHERS_MOST]; uint32_t n_gathers;
	struct gt_holders left;           /* of the run, that have not recorded: when the trace was opened */
	int gatherer;                     /* a process of the launcher's that is at it; 0: none */
	struct gt_image *images; uint32_t n_images;
	struct gt_stream *streams; uint32_t n_streams;
	struct gt_block_info *blocks; size_t n_blocks, cap_blocks;
	struct gt_blob_info *blobs; size_t n_blobs, cap_blobs;
	struct gt_cupti_chunk *cupti; size_t n_cupti, cap_cupti;
	struct gt_findings found;
	uint64_t n_calls;
	int64_t utc_ns;
	char *table; size_t table_bytes;
	char *cuda_table; size_t cuda_table_bytes;
	char *counters; size_t counters_bytes;
	char *passes; size_t passes_bytes;
	struct gt_clock *clocks; uint32_t n_clocks;
	struct gt_fetch_cache *cache;
};

/* Takes the store over, in any case. */
int gt_reader_open_store(struct gt_store *store, struct gt_reader **out, struct gt_err *err);

/* Stream `number` of a process; NULL. */
const struct gt_stream *gt_stream_find(const struct gt_reader *r, uint32_t process, uint32_t number);

/* Index of the block that holds what a link to *offset names (which may be longer than links tell); n_blocks: none. */
size_t gt_block_find(const struct gt_reader *r, const struct gt_stream *s, uint64_t *offset);
int gt_index_build(struct gt_reader *r, struct gt_err *err);
int gt_clocks_build(struct gt_reader *r, struct gt_err *err);
void gt_fetch_cache_free(struct gt_fetch_cache *c);
/* left.c */
void gt_left_look(struct gt_reader *r);
/* gathered.c: counts what the launcher did not come to write. */
void gt_gathered_look(struct gt_reader *r);

/* The records of an indexed block into words[], ready to walk. -1: the file could not be read. */
int gt_block_load(const struct gt_reader *r, const struct gt_block_info *info, uint64_t *words, struct gt_block *out,
	struct gt_err *err);
#define GT_BLOCK_WORDS (REC_BLOCK / 8)

#endif
