/*
 * model/timeline.h - everything that happened, one item after the other in the order of time
 *
 * Runs in the tool. One walk over API calls, device work, NVTX ranges and marks, counters and whatever else a trace
 * tells. A format that shows time (Perfetto, HTML, top, compare, callgrind, the common part of stats) reads this and
 * nothing else: a new family of calls or a new kind of device work is then a source here, and no change there. What a
 * format needs beyond kind, track and times it finds behind the item's references.
 *
 * TIMELINE1  at_ns never falls from one item to the next. It is start_ns, but for device work whose clock puts it in
 *            front of the call that set it going: that stands directly behind its call, with its own times unchanged.
 * TIMELINE2  Of items of one process at one time what runs on the host stands before what runs on a device, then the
 *            longer one before the shorter: what encloses stands before what is enclosed.
 * TIMELINE3  Memory is bounded by overlap: what is kept are commands that are enqueued and have not begun when the
 *            front reaches their call, and with counters those that have not ended. Above a limit they go to an
 *            unlinked file (model/bulk.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_TIMELINE_H
#define GPUTAP_MODEL_TIMELINE_H

#include "model/cuda/cuda.h"
#include "model/model.h"
#include "model/nvtx/ranges.h"
#include "model/threads/threads.h"
#include "model/threads/tracepoints.h"

#define GT_NO_TRACK  UINT32_MAX
#define GT_NO_THREAD UINT32_MAX

/* X(id, where, name): where it runs, and its word in outputs. Later ones (graphics) go before COUNTER. */
#define GT_ITEM_KINDS(X) \
	X(CALL,      HOST,   "call")            /* of an API; never ended: its thread died in it */ \
	X(CALLBACK,  HOST,   "callback")        /* the application's function, called by the driver */ \
	X(KERNEL,    DEVICE, "kernel") \
	X(COPY,      DEVICE, "copy") \
	X(FILL,      DEVICE, "fill") \
	X(GRAPH,     DEVICE, "graph")           /* one launch of a whole graph */ \
	X(COMMAND,   DEVICE, "command")         /* any other of a queue: markers, barriers, maps that moved nothing */ \
	X(MIGRATION, DEVICE, "migration")       /* unified memory: moved pages, page faults */ \
	X(SYNC,      HOST,   "synchronization") /* the program waited for a device */ \
	X(OVERHEAD,  HOST,   "overhead")        /* of the driver or of the tracing; just-in-time compilation */ \
	X(RANGE,     RANGE,  "range")           /* of NVTX */ \
	X(MARK,      MOMENT, "mark")            /* of NVTX */ \
	X(MOMENT,    MOMENT, "moment")          /* memory allocated or released, graphs made, events recorded */ \
	X(NOTE,      MOMENT, "note")            /* what the recording said about itself */ \
	X(SAMPLE,    MOMENT, "sample")          /* a thread was at this instruction */ \
	X(TRACEPOINT, MOMENT, "tracepoint")     /* a thread came by one of the kernel's */ \
	X(STATE,     HOST,   "state")           /* a thread had a processor, could have had one, or waited */ \
	X(COUNTER,   VALUE,  "counter") \
	X(OTHER,     HOST,   "other")           /* a record that this version does not know */
enum gt_item_kind {
#define X(id, where, name) GT_ITEM_##id,
	GT_ITEM_KINDS(X)
#undef X
	GT_ITEM_COUNT
};
enum gt_item_where { GT_WHERE_HOST, GT_WHERE_DEVICE, GT_WHERE_RANGE, GT_WHERE_MOMENT, GT_WHERE_VALUE };
struct gt_item_fact { const char *name; enum gt_item_where where; };
extern const struct gt_item_fact gt_item_facts[GT_ITEM_COUNT];

struct gt_item {
	enum gt_item_kind kind;
	uint32_t track;                   /* gt_timeline_track */
	uint32_t process;
	uint32_t thread;                  /* gt_thread index; GT_NO_THREAD */
	int64_t at_ns;                    /* TIMELINE1; GT_NO_TIME for what has no time at all: these stand first */
	/* Session ns. end_ns: start_ns of a moment; GT_NO_TIME of what never ended, and of device work without times
	 * (timed is false; start_ns is then its call's, or GT_NO_TIME). */
	int64_t start_ns, end_ns;
	bool timed;
	bool never_ended;
	bool has_work;                    /* calls: device work with times came of it */
	uint32_t works;                   /* ... and so many items of it are in the window: they follow, linked */
	struct gt_string name;            /* lives as long as the model; text is never NULL */
	/* Of the API: calls of OpenCL have their number in the process (gt_call.id), CUDA has CUPTI's; 0 none. A
	 * command has its call's. */
	uint64_t correlation;
	uint64_t link;                    /* the same, unique in the trace: of a call, its waits, its work; 0 none */
	int64_t value;                    /* counters: from at_ns on */
	uint32_t type;                    /* OTHER: the record's number */
	const struct gt_fn *fn;           /* calls and callbacks; NULL otherwise. Lives as long as the model. */
	/* The item in full, by its family; NULL otherwise. Valid until the next step. */
	const struct gt_call *call;
	const struct gt_command *command; /* OpenCL device work */
	const struct gt_cuda_event *cuda; /* CUDA, its calls too */
	const struct gt_range *range;
	const struct gt_hsa_kernel *hsa;
	const struct gt_note *note;
	const struct gt_sample *sample;
	const struct gt_tracepoint *tracepoint;
	const struct gt_thread_state *state;
};

enum gt_track_kind {
	GT_TRACK_PROCESS,
	GT_TRACK_THREAD,                  /* under its process */
	GT_TRACK_DEVICE,                  /* one per physical device and API: under nothing */
	GT_TRACK_QUEUE,                   /* OpenCL queue, CUDA stream, HSA queue: under its device */
	GT_TRACK_MEMORY,                  /* unified memory: under its device */
	GT_TRACK_PUSHES,                  /* pushed ranges and marks of one thread and domain: under the thread */
	GT_TRACK_RANGES,                  /* started ranges of one domain: under the process */
	GT_TRACK_WAITS,                   /* synchronisation of one CUDA context: under the process */
	GT_TRACK_EVENTS,                  /* allocations, graphs, overhead of no thread, notes: under the process */
	GT_TRACK_STATES,                  /* scheduling of one thread: under it */
	GT_TRACK_TRACEPOINTS,             /* of one thread: under it */
	GT_TRACK_COUNTER,                 /* under what it counts */
	GT_TRACK_OTHER                    /* records of one unknown number: under the process */
};
enum gt_family { GT_FAMILY_NONE, GT_FAMILY_OPENCL, GT_FAMILY_CUDA, GT_FAMILY_HSA, GT_FAMILY_NVTX };
enum gt_unit { GT_UNIT_NONE, GT_UNIT_COUNT, GT_UNIT_BYTES };

struct gt_track {
	uint32_t index;                   /* gt_timeline_track */
	uint32_t parent;                  /* a lower index; GT_NO_TRACK */
	enum gt_track_kind kind;
	enum gt_family family;
	uint32_t process;                 /* UINT32_MAX of a device */
	uint32_t thread;                  /* GT_NO_THREAD */
	int tid;                          /* threads; -1 */
	/* Items that overlap enclose each other, as calls do; false: they run side by side. */
	bool nests;
	enum gt_unit unit;                /* counters */
	struct gt_string name;            /* without its process; lives as long as the timeline; "" when it has none */
	const struct gt_object *object;   /* OpenCL: the queue or device; NULL */
	const struct gt_cuda_device *device; /* CUDA; NULL */
	uint32_t context, stream;         /* CUDA; GT_CUDA_NONE */
	uint32_t domain;                  /* NVTX */
};

struct gt_timeline_options {
	int process;                      /* -1 all */
	/* GT_NO_TIME: open end. What overlaps the window; a call also when work of it does. */
	int64_t from_ns, to_ns;
	bool cuda_nested;                 /* driver calls that a runtime call made inside it, too */
	/* pending commands and bytes of each queue, and bytes allocated (GT_ITEM_COUNTER) */
	bool counters;
	bool estimate;                    /* states of threads where no switches are (model/threads/estimate.h) */
	bool trial;                       /* what is found damaged on the way is not counted: somebody reads it again */
	bool (*progress)(void *ctx, double done); void *ctx; /* optional; false stops */
};

struct gt_timeline;
/* Opens the model's walk: one timeline or walk at a time. 0, or -1 with *err. */
int gt_timeline_open(
	struct gt_model *m, const struct gt_timeline_options *opt, struct gt_timeline **out, struct gt_err *err);
/* *item is valid until the next call. 1, 0 at the end, -1 with *err. */
int gt_timeline_next(struct gt_timeline *t, const struct gt_item **item, struct gt_err *err);
void gt_timeline_close(struct gt_timeline *t);

/* The table of tracks grows as items appear: an item's track, and what it is under, is there with the item. Entries
 * stay where they are and as they are. */
uint32_t gt_timeline_track_count(const struct gt_timeline *t);
const struct gt_track *gt_timeline_track(const struct gt_timeline *t, uint32_t i);

/* For tests: most commands that were kept at one time. */
size_t gt_timeline_most_pending(const struct gt_timeline *t);

#endif
