/*
 * model/cuda/internal.h - what the files of the CUDA model share
 *
 *   cuda.c      opening, closing, answers; text of CUPTI's numbers
 *   take.c      records of streams: library, clocks, names, strings, events, calls with arguments
 *   kinds.c     what the tables of kinds say, by kind (trace/format/cupti.def, kinds.def)
 *   scan.c      all buffers once, when the trace is opened: places and times of activities, objects, threads
 *   index.c     sorting, calls and work by correlation id
 *   decode.c    one activity from its raw record
 *   names.c     functions and strings; C++ names
 *   clock.c     CUPTI's ns to session ns
 *   objects.c   devices, contexts, streams
 *   launch.c    which calls put work on a stream
 *   order.c     launches that break their stream's order; first launches
 *   check_*.c   whether calls have their work, and whether times can be (model/checks/checks.h)
 *   walk.c      calls as the walk hands them out
 *   args.c      arguments (table.c: what they are; args_value.c: in a record)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CUDA_INTERNAL_H
#define GPUTAP_MODEL_CUDA_INTERNAL_H

#include "model/cuda/cuda.h"
#include "model/cuda/take.h"
#include "model/internal.h"
#include "trace/format/device_time.h"
#include "trace/read/cupti.h"

/* ------------------------------------------------------------------- places */

/*
 * Where an activity lies, in 32 bytes; the rest is decoded when it is asked for. place: bits 0-27 the offset in its
 * buffer / 8, 28-47 the buffer's number, 48-59 the callback id of a call; with PLACE_ARGS and for graph and node events
 * an index in bits 0-31 instead.
 */
struct gt_cuda_entry {
	int64_t start, end;               /* session ns; GT_NO_TIME */
	uint64_t place;
	uint32_t correlation;             /* 0: none */
	uint32_t thread;                  /* calls: as numbered while opening (gt_cuda.to_thread); GT_CUDA_NONE */
};
#define GT_PLACE_ARGS    (1ull << 63)     /* a call known by its record with arguments only */
#define GT_PLACE_NESTED  (1ull << 62)
#define GT_PLACE_DRIVER  (1ull << 61)
#define GT_PLACE_UNTIMED (1ull << 60)     /* start: of its call */
#define GT_PLACE_OFFSETS (1ull << 31)     /* bytes of a buffer that can be told */
#define GT_PLACE_BUFFERS (1u << 20)
#define GT_PLACE_CBID_SHIFT 48
#define GT_PLACE(buffer, offset) ((uint64_t)(buffer) << 28 | (offset) / 8)
#define GT_PLACE_BUFFER(place) ((uint32_t)((place) >> 28) & (GT_PLACE_BUFFERS - 1))
#define GT_PLACE_OFFSET(place) (((place) & 0xfffffffu) * 8)
#define GT_PLACE_CBID(place) ((uint32_t)((place) >> GT_PLACE_CBID_SHIFT) & (GT_CUDA_CBIDS - 1))
#define GT_CUDA_CBIDS 0x1000u
/* Of a call: its function id, as records with arguments have it. */
#define GT_CUDA_FN_ID(e) \
	(((e)->place & GT_PLACE_DRIVER ? REC_FN_CUDA_DRIVER : REC_FN_CUDA_RUNTIME) + GT_PLACE_CBID((e)->place))
#define GT_CUDA_DOMAIN(place) ((place) & GT_PLACE_DRIVER ? REC_DOMAIN_CUDA_DRIVER : REC_DOMAIN_CUDA_RUNTIME)
/* A number for each function of both, below GT_CUDA_FUNCTIONS. */
#define GT_CUDA_FUNCTION(place) (((place) & GT_PLACE_DRIVER ? GT_CUDA_CBIDS : 0) + GT_PLACE_CBID(place))
#define GT_CUDA_FUNCTIONS (2 * GT_CUDA_CBIDS)

struct gt_cuda_link { uint32_t correlation, index, kind; }; /* by correlation id: calls (outermost ones), work */
/* A call with arguments, or with a stack alone (bare): its record. stack: the link of that, or 0. */
struct gt_cuda_args { uint64_t link, stack; uint32_t correlation, fn; bool bare; };
/* What a launch's attributes say of its stream's order (REC_CUPTI_LAUNCH_ORDER). */
struct gt_cuda_order { uint32_t correlation, bits, serialisation; uint64_t programmatic_event, completion_event; };
struct gt_cuda_unseen { uint64_t link; uint32_t process, fn; };   /* such a call without an activity record */
struct gt_cuda_moment { uint64_t w[4]; uint32_t what, context, correlation, process, thread, unused; };

/* ---------------------------------------------------------------------- kinds */

/* A kind of record. shown: the model's kind + 1, 0: none. */
struct gt_cuda_record { uint16_t least; uint8_t layout, sort, shown; };
extern const struct gt_cuda_record gt_cuda_records[GT_CUPTI_KINDS];
/* Kinds that the device did because a call asked for it: a bit for each. */
extern const uint32_t gt_cuda_work_kinds;
static inline bool gt_cuda_is_work(enum gt_cuda_kind kind) { return gt_cuda_work_kinds >> kind & 1; }

/* Times as CUPTI gave them. TIMELESS: the kind has none; UNTOLD: this record has none, and that is no loss. */
enum gt_cuda_timing { GT_CUDA_TIMELESS, GT_CUDA_UNTOLD, GT_CUDA_TOLD };
struct gt_cuda_times { enum gt_cuda_timing timing; uint32_t correlation; uint64_t start, end; };
struct gt_cuda_times gt_cuda_times_of(const struct rec_activity *a);
/*
 * In a buffer that never came back: the kill fell between the first word of a record and its last. What CUPTI always
 * fills in is not there. (A kernel that another one launched has no correlation id either, but a name.)
 */
bool gt_cuda_is_torn(const struct rec_activity *a);

/* ------------------------------------------------------------------ processes */

struct gt_cuda_text { struct gt_string mangled, demangled, short_name; bool known; };
struct gt_cuda_pointer { uint64_t address, tick; struct gt_cuda_text *text; };
struct gt_cuda_fn { struct gt_string name, base; struct gt_fn fn; };
struct gt_cuda_knot {
	uint64_t tick;
	int64_t cupti_ns, session_ns;
	uint64_t bracket;
	bool apart; /* a break behind it */
};
struct gt_cuda_tid { uint32_t tid, thread; int64_t start_ns; };

struct gt_cuda_wait { int64_t start_ns, end_ns; };
/* Of a stream, the last kernel that was seen; two kernels of one that overlap: check_times.c. CUPTI's ns. */
struct gt_cuda_line { uint32_t process, context, stream, correlation; uint64_t start, end; };
struct gt_cuda_overlap { uint32_t process, correlation, before; uint64_t by; };

struct gt_cuda_process {
	bool any;                         /* a record or buffer of CUPTI */
	bool begun_late, ended_early;     /* the recording, by the window */
	int64_t begun_ns;                 /* begun_late: from then on */
	int64_t ending_ns, ended_ns;      /* all work was asked for at its end, that long; GT_NO_TIME: it was not */
	int64_t last_call_ns, last_work_ns;       /* where the last one ended, began; GT_NO_TIME: none */
	struct { uint32_t tid; int64_t start_ns, end_ns; } own; /* calls of gputap's; tid 0: none */
	uint32_t first_id;                /* ... the first call of the window */
	struct gt_cupti_sizes sizes;
	struct gt_cuda_library library;
	GT_LIST(struct gt_cuda_knot) knots;   /* by tick */
	GT_LIST(struct gt_cuda_knot) real;    /* REALTIME, of clock sets: for processes without pairs */
	uint32_t hint;
	int64_t rate_session, rate_cupti; /* outside the knots: so many session ns for so many of CUPTI's */
	struct gt_cuda_fn **fn[2];        /* driver, runtime: by callback id, GT_CUDA_CBIDS each */
	GT_LIST(struct gt_cuda_pointer) pointers; /* by address, tick */
	GT_LIST(struct gt_cuda_tid) tids; /* threads with streams, by tid, start */
	struct gt_map added;              /* struct gt_cuda_tid: others, by tid alone */
	GT_LIST(struct gt_cuda_order) orders; /* by correlation */
	struct gt_bulk args;              /* struct gt_cuda_args, by correlation, fn */
	struct gt_bulk calls, work;       /* struct gt_cuda_link, by correlation, index */
	uint64_t n_calls;                 /* API records */
	GT_LIST(struct gt_cuda_wait) waits;   /* calls that wait for the whole context, by start */
	uint64_t unwritten;               /* places in open buffers that CUPTI had taken and not written */
	int64_t last_ns;
};

struct gt_cuda_cache;
struct gt_cuda_unload { uint32_t process, id; int64_t ns; };    /* a module went; while opening */

struct gt_cuda {
	struct gt_model *m;
	struct gt_cuda_process *processes;
	struct gt_cupti_buffer *buffers; uint32_t n_buffers;
	struct gt_bulk kinds[GT_CUDA_KINDS];  /* struct gt_cuda_entry */
	struct gt_bulk moments, unseen;
	GT_LIST(struct gt_cuda_device) devices;
	GT_LIST(struct gt_cuda_context) contexts;
	GT_LIST(struct gt_cuda_stream) streams;
	GT_LIST(struct gt_cuda_module) modules;
	GT_LIST(struct gt_cuda_unload) unloads;
	GT_LIST(struct gt_cuda_text *) texts;     /* all, once each; by hash while opening */
	struct gt_map device_map, context_map; /* by process and id; while opening */
	uint8_t *worked; size_t worked_bytes;     /* a bit for each call: device work was found for it */
	struct gt_map lines; GT_LIST(struct gt_cuda_overlap) overlaps; /* while opening */
	struct gt_map text_map;           /* struct gt_cuda_text *, by text; while opening */
	uint32_t *to_thread;              /* from the opening's numbers to gt_thread.index */
	struct gt_cuda_cache *cache;
	uint8_t *first_launches;          /* a bit for each kernel, made at the first need */
	struct gt_bulk_budget budget;
	uint64_t asked;                   /* gt_cuda_get */
	bool scanned;
	struct gt_cuda_table *table; bool table_asked;  /* of arguments; NULL: the built-in one serves */
};

/* cuda.c: the model's CUDA part, made at the first need; NULL: out of memory. */
struct gt_cuda *gt_cuda_new(struct gt_model *m);
int gt_cuda_no_memory(const struct gt_model *m, struct gt_err *err);      /* -1 */

/* index.c */
struct gt_cuda_entry *gt_cuda_add(struct gt_cuda *c, enum gt_cuda_kind kind);     /* NULL: out of memory */
/* A pass over a large array: what is behind it leaves memory. */
static inline void gt_cuda_forget_behind(const struct gt_bulk *entries, size_t i)
{
	const size_t step = GT_BULK_FORGET / sizeof(struct gt_cuda_entry);

	if (entries->fd && i && i % step == 0)
		gt_bulk_forget(entries, (i - step) * sizeof(struct gt_cuda_entry), i * sizeof(struct gt_cuda_entry));
}
int gt_cuda_index_build(struct gt_cuda *c);
uint32_t gt_cuda_process_of(const struct gt_cuda *c, enum gt_cuda_kind kind, const struct gt_cuda_entry *e);
/* The last that began at or before `at` (GT_NO_TIME: any), or NULL. */
const struct gt_cuda_entry *gt_cuda_call_entry(
	const struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t at, uint64_t *index);
/* Those of the call that began at `at`, or NULL. */
const struct gt_cuda_args *gt_cuda_args_of(
	const struct gt_cuda *c, uint32_t process, uint32_t correlation, uint32_t fn, int64_t at);

/* check_times.c: when calls have their ids. -1: no memory. */
int gt_checks_cuda_begin(struct gt_cuda *c);
/* Work with times, and its call. */
void gt_checks_cuda_time(struct gt_cuda *c, uint32_t process, const struct gt_cuda_entry *work,
	const struct gt_cuda_entry *call);
/* Kernels as CUPTI wrote them: those of a stream nearly in its order. -1: no memory. */
int gt_checks_cuda_kernel(struct gt_cuda *c, uint32_t process, const struct rec_activity *a);
/* When calls have their ids, and launches what they said of their order. */
void gt_checks_cuda_streams(struct gt_cuda *c);

/* names.c */
int gt_cuda_names_add(
	struct gt_cuda *c, uint32_t process, uint32_t domain, uint32_t cbid, const char *text, uint32_t bytes);
/* domain: enum rec_domain */
const struct gt_cuda_fn *gt_cuda_fn_of(struct gt_cuda *c, uint32_t process, uint32_t domain, uint32_t cbid);
static inline const struct gt_cuda_fn *gt_cuda_fn_at(struct gt_cuda *c, uint32_t process, uint64_t place)
{
	return gt_cuda_fn_of(c, process, GT_CUDA_DOMAIN(place), GT_PLACE_CBID(place));
}
int gt_cuda_string_add(
	struct gt_cuda *c, uint32_t process, uint64_t address, uint64_t tick, const char *text, uint32_t bytes);
void gt_cuda_strings_sort(struct gt_cuda *c);
/* What an address in a record of that buffer means; NULL: not in the trace. */
struct gt_cuda_text *gt_cuda_string(struct gt_cuda *c, const struct gt_cupti_buffer *b, uint64_t address);
/*
 * What an overhead record points to. 1: it is in *words; 0: it has no such data; -1: it is not in the trace.
 */
int gt_cuda_full_data(struct gt_cuda *c, const struct gt_cupti_buffer *b, const struct rec_activity *a,
	uint32_t words[REC_CUPTI_FULL_WORDS]);
void gt_cuda_demangle(struct gt_cuda *c, struct gt_cuda_text *t);  /* fills the other names */

/* clock.c */
int gt_cuda_clocks_build(struct gt_cuda *c);

/* objects.c: from a DEVICE, CONTEXT, STREAM record; number at the end. */
int gt_cuda_object_take(struct gt_cuda *c, const struct gt_cupti_buffer *b, const struct rec_activity *a);
int gt_cuda_context_event(struct gt_cuda *c, uint32_t process, uint32_t what, uint32_t id, uint32_t device, int64_t ns);
int gt_cuda_stream_event(
	struct gt_cuda *c, uint32_t process, uint32_t context, uint32_t id, uint64_t handle, int64_t ns);
int gt_cuda_module_event(struct gt_cuda *c, const struct gt_rec *rec, int64_t ns);
int gt_cuda_module_gone(struct gt_cuda *c, const struct gt_rec *rec, int64_t ns);
int gt_cuda_objects_finish(struct gt_cuda *c);
void gt_cuda_objects_forget(struct gt_cuda *c);   /* what was for their opening alone */

/* order.c */
int gt_cuda_order_add(struct gt_cuda *c, const struct gt_rec *rec);
void gt_cuda_orders_sort(struct gt_cuda *c);
const struct gt_cuda_order *gt_cuda_order_of(const struct gt_cuda *c, uint32_t process, uint32_t correlation);

/* args.c: the table, at the first need; -1: the one that was asked for is none */
int gt_cuda_args_open(struct gt_cuda *c, struct gt_err *err);
void gt_cuda_args_close(struct gt_cuda *c);

/* decode.c */
/* Why start and end cannot be used (enum rec_loss), or -1. */
static inline int gt_cuda_untimed(uint64_t start, uint64_t end)
{
	return start && !end ? REC_LOSS_NOT_FINISHED : rec_no_time(start, end, 0);
}
void gt_cuda_cache_free(struct gt_cuda_cache *c);

#endif
