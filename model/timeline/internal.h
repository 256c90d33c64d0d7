/*
 * model/timeline/internal.h - what the files of the timeline share
 *
 *   timeline.c   life, and the merge of all sources
 *   calls.c      the walk's calls, what threads were inside, and OpenCL commands until their time has come
 *   cuda.c       CUDA activities, one source per kind
 *   others.c     NVTX, HSA, notes, records of unknown kinds
 *   threads.c    samples, and states of threads
 *   counters.c   pending commands and bytes
 *   tracks.c     the table of tracks
 *
 * A source has a key, the place of its next item in the order, or has none for now. The merge takes the least key, asks
 * that source for the item, and lets it go on when the item is no longer needed. Sources may put items into others as
 * long as these are not before the item that is being handed out.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_TIMELINE_INTERNAL_H
#define GPUTAP_MODEL_TIMELINE_INTERNAL_H

#include "common/map.h"
#include "model/arena.h"
#include "model/bulk.h"
#include "model/checks/checks.h"
#include "model/timeline.h"

/* TIMELINE1, TIMELINE2 */
struct gt_tl_key { int64_t at, end; uint32_t rank; };
enum { GT_TL_HOST, GT_TL_DEVICE };            /* ranks */

static inline bool gt_tl_before(const struct gt_tl_key *a, const struct gt_tl_key *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->end > b->end;
}

struct gt_tl_source {
	struct gt_tl_key key;
	bool ready;                       /* has a next item, and key is its */
	bool grows;                       /* gets items from others: not over when it has none */
	/* Past the present item: sets key and ready. 0, or -1 with *err. */
	int (*step)(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err);
	/* The present item. 0, or -1 with *err. */
	int (*take)(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err);
	/* the source's own */
	uint64_t at, n;
	const struct gt_tl_cuda_kind *cuda;
};
#define GT_TL_SOURCES 32

/* Heaps of what others put in, by time, end (the later first) and number: all of one heap have one rank. As small as
 * can be, for there is one for each pending command. */
struct gt_tl_entry { int64_t at, end; uint64_t number; uint32_t slot; int32_t commands; int64_t bytes; };
struct gt_tl_heap { struct gt_tl_entry *v; size_t n, room; uint64_t numbers; };
bool gt_tl_heap_push(struct gt_tl_heap *h, struct gt_tl_entry e);      /* false: out of memory */
struct gt_tl_entry gt_tl_heap_pop(struct gt_tl_heap *h);

/* A command whose time has not come. */
struct gt_tl_pending {
	struct gt_command command;
	void *extra;                      /* its wait list and pattern; NULL */
	int64_t start_ns;                 /* its call's, when untimed */
	uint64_t id;                      /* of its call */
	uint32_t process, thread, track, next_free;
};

struct gt_tl_track_slot { uint64_t a, b; uint32_t kind, process, track; };

/* What a queue has pending. */
struct gt_tl_count { int64_t commands, bytes; uint32_t commands_track, bytes_track; bool announced; };

struct gt_timeline {
	struct gt_model *m;
	struct gt_timeline_options options;
	struct gt_cuda *cuda;
	struct gt_walk *walk;
	struct gt_item item;
	struct gt_tl_source sources[GT_TL_SOURCES];
	unsigned n_sources, last;         /* last: whose item is handed out, n_sources none */
	struct gt_arena arena;            /* names of tracks */

	const struct gt_call *call;       /* the walk's present one */
	bool call_has_work;
	uint32_t call_works;
	struct gt_cuda_event event;       /* of CUDA's sources */
	struct gt_tl_source *pending_source, *count_source;

	struct gt_tl_heap pending;        /* slot: in slots */
	struct gt_bulk slots;             /* struct gt_tl_pending */
	uint32_t free_slot;               /* UINT32_MAX none */
	uint32_t taken;                   /* slot of the item that is handed out; UINT32_MAX none */
	struct gt_bulk_budget budget;
	size_t most_pending, uses;        /* uses: of slots */

	struct gt_tl_heap counts;         /* slot: track */
	struct gt_tl_count *count;        /* by track */
	uint32_t n_count;
	int64_t bytes_due; uint32_t bytes_track; bool has_bytes_due;

	struct gt_track **tracks; uint32_t n_tracks; size_t tracks_room;
	struct gt_map track_of;           /* struct gt_tl_track_slot */

	struct gt_tl_inside { int64_t start_ns; uint32_t thread, depth; } *inside; uint32_t n_inside;
	uint32_t *hsa, *notes;            /* indices, by start */
	struct gt_bulk estimates;         /* struct gt_thread_state */
	/* of a trial: before it */
	uint64_t lost[REC_LOSS_END];
	struct gt_checked checked[GT_CHECK_COUNT];
};

/* timeline.c */
struct gt_tl_source *gt_tl_add(struct gt_timeline *t,
	int (*step)(struct gt_timeline *, struct gt_tl_source *, struct gt_err *),
	int (*take)(struct gt_timeline *, struct gt_tl_source *, struct gt_item *, struct gt_err *));
int gt_tl_no_memory(const struct gt_timeline *t, struct gt_err *err);
/* Does [start, end] overlap the window? end GT_NO_TIME: it never ended. */
bool gt_tl_overlaps(const struct gt_timeline *t, int64_t start_ns, int64_t end_ns);
static inline bool gt_tl_wants(const struct gt_timeline *t, uint32_t process)
{
	return t->options.process < 0 || (uint32_t)t->options.process == process;
}
static inline struct gt_string gt_tl_text(const char *s) { return (struct gt_string){ s, __builtin_strlen(s) }; }
static inline uint64_t gt_tl_link(enum gt_family family, uint32_t process, uint64_t correlation)
{
	return correlation ? (uint64_t)family << 60 | (uint64_t)(process & 0xffffu) << 44 |
				     (correlation & 0xfffffffffffull)
			   : 0;
}

/* calls.c, cuda.c, others.c, counters.c, threads.c: add their sources. 0, or -1 with *err. */
int gt_tl_open_calls(struct gt_timeline *t, struct gt_err *err);
int gt_tl_open_cuda(struct gt_timeline *t, struct gt_err *err);
int gt_tl_open_others(struct gt_timeline *t, struct gt_err *err);
int gt_tl_open_counters(struct gt_timeline *t, struct gt_err *err);
void gt_tl_open_threads(struct gt_timeline *t);

/* cuda.c: does device work with times belong to the call (call_has_work, call_works)? Counts it as pending from the
 * call on. -1 with *err. */
int gt_tl_cuda_call(struct gt_timeline *t, const struct gt_call *call, struct gt_err *err);

/* counters.c: of that queue's track, from one time to another. False: out of memory. */
bool gt_tl_count(struct gt_timeline *t, uint32_t track, int64_t from_ns, int64_t to_ns, uint64_t bytes);
/* A change that stays: bytes allocated. */
bool gt_tl_count_step(struct gt_timeline *t, uint32_t track, int64_t at_ns, int64_t bytes);

/* tracks.c: GT_NO_TRACK: out of memory. */
uint32_t gt_tl_track_thread(struct gt_timeline *t, uint32_t process, uint32_t thread, int tid);
uint32_t gt_tl_track_queue(struct gt_timeline *t, uint32_t process, const struct gt_command *c);
uint32_t gt_tl_track_cuda(struct gt_timeline *t, const struct gt_cuda_event *e, enum gt_track_kind kind);
uint32_t gt_tl_track_hsa(struct gt_timeline *t, const struct gt_hsa_kernel *k);
uint32_t gt_tl_track_range(struct gt_timeline *t, const struct gt_range *r);
uint32_t gt_tl_track_states(struct gt_timeline *t, uint32_t process, uint32_t thread);
uint32_t gt_tl_track_tracepoints(struct gt_timeline *t, uint32_t process, uint32_t thread);
uint32_t gt_tl_track_events(struct gt_timeline *t, uint32_t process, const char *name);
uint32_t gt_tl_track_other(struct gt_timeline *t, uint32_t process, uint32_t type);
uint32_t gt_tl_track_counter(struct gt_timeline *t, uint32_t of, const char *name, enum gt_unit unit);
void gt_tl_tracks_free(struct gt_timeline *t);

#endif
