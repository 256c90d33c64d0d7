/*
 * model/internal.h - what the model's own files share; writers and analysis see model/model.h only
 *
 *   open.c          one pass over all records: threads, counts, facts, joins, calibrations, notes
 *   gather.c        the same, by several threads
 *   model.c         answers
 *   walk.c          calls in time order, with their objects and commands
 *   crew.c          the same walk, shared by several threads
 *   fninfo.c        what each function does to objects, worked out once
 *   objects.c       (handle, generation) by time
 *   texts.c         what objects are called, for as long as the model lives
 *   facts.c         what the driver said about objects
 *   devices.c       one number per physical device
 *   commands.c      an enqueue call's command
 *   join.c          device records by the call they belong to
 *   device_clock.c  device ns to session ns
 *   image.c         what an image says of itself
 *   names.c         what threads are called in the end
 *   output.c        what the program wrote to standard output and error
 *   ranges.c        NVTX ranges
 *   payload.c       schemas of their payloads
 *   stacks.c        call stacks, and the objects that they lead through
 *   python.c        ... and the functions of Python
 *   unknown.c       records of later versions
 *   record.c        what records of all kinds have in common
 *   cuda*.c         CUDA: model/cuda/internal.h
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_INTERNAL_H
#define GPUTAP_MODEL_INTERNAL_H

#include "model/functions/args.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/memory.h"
#include "model/arena.h"
#include "model/bulk.h"
#include "model/checks/checks.h"
#include "model/model.h"
#include "model/output.h"

/* ---------------------------------------------------------------- functions */

/* Parameters that mean the same in every function that has them, by name. */
#define GT_ROLES(X) \
	X(QUEUE, "command_queue") X(QUEUE2, "queue") X(KERNEL, "kernel") X(SOURCE_KERNEL, "source_kernel") \
	X(CONTEXT, "context") \
	X(DEVICE, "device") X(IN_DEVICE, "in_device") X(DEVICES, "devices") X(DEVICE_LIST, "device_list") \
	X(PLATFORM, "platform") \
	X(PROPERTIES, "properties") X(PROGRAM, "program") X(OPTIONS, "options") X(KERNEL_NAME, "kernel_name") \
	X(FLAGS, "flags") X(SIZE, "size") X(CB, "cb") X(BUFFER, "buffer") X(IMAGE, "image") X(MEMOBJ, "memobj") \
	X(SRC_BUFFER, "src_buffer") X(DST_BUFFER, "dst_buffer") X(SRC_IMAGE, "src_image") X(DST_IMAGE, "dst_image") \
	X(REGION, "region") X(PTR, "ptr") X(SVM_PTR, "svm_ptr") X(SVM_POINTER, "svm_pointer") \
	X(SVM_POINTERS, "svm_pointers") X(SRC_PTR, "src_ptr") X(DST_PTR, "dst_ptr") \
	X(MAPPED_PTR, "mapped_ptr") \
	X(MAP_FLAGS, "map_flags") X(PATTERN, "pattern") X(PATTERN_SIZE, "pattern_size") X(FILL_COLOR, "fill_color") \
	X(VALUE, "value") \
	X(BLOCKING_READ, "blocking_read") X(BLOCKING_WRITE, "blocking_write") X(BLOCKING_MAP, "blocking_map") \
	X(BLOCKING_COPY, "blocking_copy") X(BLOCKING, "blocking") \
	X(WORK_DIM, "work_dim") X(OFFSET, "global_work_offset") X(GLOBAL, "global_work_size") \
	X(LOCAL, "local_work_size") \
	X(ARG_INDEX, "arg_index") X(ARG_SIZE, "arg_size") X(ARG_VALUE, "arg_value") \
	X(IMAGE_FORMAT, "image_format") X(IMAGE_DESC, "image_desc") X(WIDTH, "image_width") X(HEIGHT, "image_height") \
	X(DEPTH, "image_depth") \
	X(PARAM_NAME, "param_name") X(PARAM_VALUE, "param_value") \
	X(BUFFER_INFO, "buffer_create_info") X(QUEUES, "queues") X(COMMAND_BUFFER, "command_buffer")
enum gt_role {
#define X(id, name) GT_ROLE_##id,
	GT_ROLES(X)
#undef X
	GT_ROLE_WAITS, GT_ROLE_COUNT
};

enum gt_action {
	GT_ACT_NONE, GT_ACT_CREATE,           /* returns a new object */
	GT_ACT_CREATE_MANY,                   /* ... or several through an out array */
	GT_ACT_DEFINE_MANY,                   /* platforms, devices: there before and after */
	GT_ACT_RETAIN, GT_ACT_RELEASE, GT_ACT_ENQUEUE, GT_ACT_SET_ARG, GT_ACT_BUILD,
	GT_ACT_ALLOCATE,                      /* returns memory */
	GT_ACT_FREE,
	GT_ACT_ASK,                           /* what the driver says of a platform or device */
	GT_ACT_FINISH                         /* returns when all of its queue is done */
};

struct gt_fn_info {
	uint8_t action;                       /* enum gt_action */
	bool is_kernel;
	/* enum rec_object: created, defined, retained, released, asked about; enum gt_usm: allocated */
	uint8_t object;
	int8_t array;                         /* out array of handles, -1 */
	int8_t role[GT_ROLE_COUNT];           /* parameter index, -1 */
};
struct gt_fn_info *gt_fn_infos(const struct gt_fntable *t);
/* Argument with a role: its raw value, 0 when the function has none. */
uint64_t gt_role_value(const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role);
/* true: has data */
bool gt_role_arg(const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role, struct gt_arg *out);

/* -------------------------------------------------------------------- texts */

struct gt_texts { struct gt_map map; struct gt_arena arena; };
/* The text with a zero behind it, for as long as the model lives; NULL: no memory. In the order of the walk. TEXTS1 */
struct gt_string gt_texts_keep(struct gt_model *m, struct gt_string text);
/* gt_demangle_names, as long-lived; without memory both are `name` itself. */
void gt_texts_names(
	struct gt_model *m, struct gt_string name, struct gt_string *demangled, struct gt_string *short_name);
void gt_texts_free(struct gt_model *m);

/* -------------------------------------------------------------------- facts */

struct gt_fact {                              /* one REC_OBJECT or REC_BLOB_REF */
	uint32_t process, kind;
	uint64_t handle, tick;
	uint32_t n_attrs;                     /* 0: a blob */
	struct gt_attr *attrs;
	struct gt_content blob;
};
/* start tick of the creating call */
struct gt_creation { uint32_t process, kind; uint64_t handle, tick; uint64_t parent; };

/* Text of a record from word `at` of its args; false when it does not fit. *at goes behind it. */
bool gt_record_text(const struct gt_rec *rec, uint32_t *at, struct gt_string *out);
int gt_facts_add_object(struct gt_model *m, const struct gt_rec *rec);
int gt_counters_take(struct gt_model *m, const struct gt_rec *rec);
void gt_counters_finish(struct gt_model *m);
int gt_facts_add_blob(struct gt_model *m, const struct gt_rec *rec);
int gt_facts_add_creations(struct gt_model *m, struct gt_call *call, const struct gt_fn_info *f);
/* What the application was told of a platform or device: the first answer to each question. */
int gt_facts_add_answer(struct gt_model *m, struct gt_call *call, const struct gt_fn_info *f);
void gt_facts_forget_answers(struct gt_model *m);
int gt_facts_sort(struct gt_model *m);        /* -1: no memory */
/*
 * Facts about the object with that handle whose creating call started at tick (0: not created in the trace): [*first,
 * *end).
 */
void gt_facts_of(const struct gt_model *m, uint32_t process, uint32_t kind, uint64_t handle, uint64_t tick,
		 const struct gt_fact **first, const struct gt_fact **end);

/* ------------------------------------------------------------------ objects */

struct gt_local_arg { struct gt_local_arg *next; uint32_t index; uint64_t bytes; };
/* What the runtime suggested for one size; the runtime is asked once, so later launches take the same answer. */
struct gt_seen_size {
	struct gt_seen_size *next;
	const struct gt_object *device;
	uint32_t dims, source;
	uint64_t offset[3], global[3], local[3];
};
/* mapped and not yet unmapped */
struct gt_mapping { struct gt_mapping *next; uint64_t ptr, bytes, flags; bool has_bytes; };
struct gt_svm_mappings { uint64_t ptr; uint32_t process; struct gt_mapping *newest; };
/* A kernel by name that was launched on a device with a local size. */
struct gt_launched {
	struct gt_launched *next;
	const struct gt_object *device;
	struct gt_string name;
	uint64_t local[3];
};

struct gt_entity {                            /* pub first: gt_object pointers lead back here */
	struct gt_object pub;
	struct gt_entity *older;              /* same kind and handle, before this one */
	uint32_t refs;
	uint32_t pixel_bytes;                 /* images */
	struct gt_object *queue;              /* command buffers: where they run when the enqueue names none */
	struct gt_local_arg *local_args;      /* kernels */
	struct gt_seen_size *sizes;           /* kernels; last used first */
	struct gt_launched *launched;         /* programs: their kernels; kernels: the last of their own */
	struct gt_mapping *mappings;          /* memory */
	struct gt_device_clock *clock;        /* devices */
	struct gt_queue_line *line;           /* queues: model/checks/opencl.c */
};
/* Commands of a queue as the checks see them. */
struct gt_queue_line {
	int64_t start_ns, end_ns; bool any;   /* of the last one that took time */
	int64_t last_ns, made_ns; uint64_t waiting; /* the latest end and the latest call of those not waited for */
};
struct gt_entity_slot { uint64_t handle; uint32_t process, kind; struct gt_entity *newest; };

void gt_objects_reset(struct gt_model *m);
/*
 * The object a call at that time means: the newest born by then. Unknown handles get an object born before the trace.
 * NULL: handle 0.
 */
struct gt_entity *gt_objects_at(
	struct gt_model *m, uint32_t process, enum rec_object kind, uint64_t handle, int64_t at_ns);
/* What a call does to objects. Call in time order. */
void gt_objects_apply(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f);

/* ------------------------------------------------------------------ devices */

struct gt_device_number { uint32_t process, index; uint64_t handle; };
int gt_devices_number(struct gt_model *m);    /* at the end of the opening pass */
uint32_t gt_devices_index(struct gt_model *m, uint32_t process, uint64_t handle);

/* -------------------------------------------------------------------- joins */

struct gt_times { bool timed; int32_t status; int reason; uint64_t queued, submit, start, end, complete; };
struct gt_join;                               /* per process and stream */
/* A device record: times as in its narrow form. */
struct gt_join_entry {
	uint32_t at;                      /* offset / 8 of the call's record in its stream */
	int32_t status;
	uint64_t queued;                  /* WIDE: index into m->wide; UNTIMED: reason */
	uint32_t delta[4];                /* submit - queued, start - submit, end - start, complete - end */
};
struct gt_join *gt_join_new(uint32_t n_streams);
void gt_join_free(struct gt_join *j, uint32_t n_streams);
int gt_join_add_command(struct gt_model *m, const struct gt_rec *rec);
/*
 * The same in two steps, for several threads. What a record in short form says and of which stream its call is; false:
 * it has another form. Then those that follow each other and have one stream.
 */
bool gt_join_short(const struct gt_rec *rec, uint32_t *stream, struct gt_join_entry *e);
int gt_join_add_short(struct gt_model *m, uint32_t process, uint32_t stream, const struct gt_join_entry *e, size_t n);
int gt_join_add_local_size(struct gt_model *m, const struct gt_rec *rec);
int gt_join_add_call(struct gt_model *m, const struct gt_rec *rec);     /* an enqueue that succeeded and has an event */
/* at: offset / 8 of each */
int gt_join_add_calls(struct gt_model *m, uint32_t process, uint32_t stream, const uint32_t *at, size_t n);
int gt_join_finish(struct gt_model *m);       /* sort; count what has no partner */
/* The device record of the call at that place. False: none. */
bool gt_join_times(struct gt_model *m, uint32_t process, uint32_t stream, uint64_t offset, struct gt_times *out);
struct gt_local_size { uint64_t link; uint32_t process, dims, source; uint64_t size[3]; };
const struct gt_local_size *gt_join_local_size(struct gt_model *m, uint32_t process, uint32_t stream, uint64_t offset);

/* ---- what the host's processors did for a kernel: opencl/cpu.c ---- */

struct gt_cpu_counted { uint64_t link; uint32_t process; struct gt_cpu_counts counts; };
int gt_cpu_take(struct gt_model *m, const struct gt_rec *rec);
void gt_cpu_finish(struct gt_model *m);       /* sort */
const struct gt_cpu_counts *gt_cpu_of(struct gt_model *m, uint32_t process, uint32_t stream, uint64_t offset);

/* ------------------------------------------------------------------- clocks */

struct gt_calibration { uint32_t process, method; uint64_t device, device_ns, tick, bracket; };  /* bracket in ticks */
#define GT_RAW_SHARED UINT32_MAX              /* process of a calibration that serves them all: behind all others */
struct gt_clock_pair { uint64_t device_ns; int64_t session_ns; };
struct gt_device_clock {
	uint32_t process; uint64_t device;
	enum { GT_CLOCK_UNDECIDED, GT_CLOCK_CALIBRATED, GT_CLOCK_RAW, GT_CLOCK_MONOTONIC, GT_CLOCK_PINNED,
		GT_CLOCK_RAW_FOUND } method;
	const struct gt_clock_pair *pairs; uint32_t n_pairs;   /* by device_ns */
	int64_t offset_ns;                    /* PINNED, MONOTONIC: session - device */
	int64_t error_ns;                     /* half width of the bracket; -1 unknown */
	double rate;                          /* session ns for each of the device's; 0: as if 1 */
	int64_t since_ns;                     /* behind a step: from about then on */
	struct gt_device_clock *later;        /* behind the next step; NULL */
};
struct gt_clock_slot { uint32_t process; uint64_t device; struct gt_device_clock *clock; };
int gt_device_clocks_finish(struct gt_model *m);
/* The clock of a device; its parent's when a sub-device has none. */
struct gt_device_clock *gt_device_clock_of(struct gt_model *m, uint32_t process, uint64_t device);
/* Decides how an uncalibrated clock is read, by the first command seen on it. */
void gt_device_clock_decide(struct gt_model *m, struct gt_device_clock *c, uint64_t queued, const struct gt_call *call);
/* The line that holds for a command of that call: with steps there are several. device_ns: when it was queued. */
struct gt_device_clock *gt_device_clock_then(struct gt_device_clock *c, uint64_t device_ns, const struct gt_call *call);
int64_t gt_device_clock_ns(const struct gt_device_clock *c, uint64_t device_ns);
const char *gt_device_clock_method(const struct gt_device_clock *c);

/* ----------------------------------------------------------------- commands */

/* Builds the command of an enqueue call at (stream, offset) in c, which comes back. */
struct gt_command *gt_commands_make(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f,
	uint32_t stream, uint64_t offset, struct gt_command *c);
/* Where its lists lie, again: what a content holds is there until the next one is read (struct gt_decoded). */
void gt_commands_lists(struct gt_model *m, struct gt_call *call);

/* -------------------------------------------------------------------- image */

/* CLOCK, WINDOW, EXEC, EXIT, THREAD_NAME */
bool gt_image_is(uint32_t type);
int gt_image_take(struct gt_model *m, const struct gt_rec *rec);
void gt_image_finish(struct gt_model *m);

int gt_outputs_take(struct gt_model *m);      /* what the launcher says; -1: out of memory */

/* -------------------------------------------------------------------- names */

/* threads/numbers.c: a thread by its number */
struct gt_numbered { uint32_t process; int tid; int64_t start_ns; uint32_t thread; };
int gt_numbers_finish(struct gt_model *m);    /* when threads have their places; -1: out of memory */
/*
 * The thread of that number at that time: the last that began by then, or the first one, for a thread may be named
 * before it records anything. UINT32_MAX: it is not in the trace.
 */
uint32_t gt_thread_numbered(const struct gt_model *m, uint32_t process, int tid, int64_t at_ns);
int gt_names_finish(struct gt_model *m);      /* when threads have their numbers; -1: out of memory */

/* --------------------------------------------------------------------- walk */

struct gt_cuda;

/* What the call does to objects, and its command. In the order of the walk. */
void gt_walk_apply(struct gt_model *m, struct gt_call *call, const struct gt_rec *rec, struct gt_command *room);
/* Does the call, or its command, overlap the window? cuda: for a call of CUDA. */
bool gt_walk_wanted(const struct gt_walk_options *opt, struct gt_cuda *cuda, const struct gt_call *call);
/* How many calls a slice of the walk has when so many threads share it. */
uint32_t gt_walk_slice(const struct gt_model *m, unsigned workers);
/* No other walk may be open. Objects begin anew. */
int gt_walk_begin(struct gt_model *m, struct gt_err *err);
/* whole: what a second walk of the processes finds was counted */
void gt_walk_end(struct gt_model *m, const struct gt_walk_options *opt, bool whole);

/* ------------------------------------------------------------------- ranges */

struct gt_ranges;
int gt_ranges_take(struct gt_model *m, const struct gt_rec *rec);       /* one NVTX record, in file order */
int gt_ranges_finish(struct gt_model *m);     /* when threads have their numbers */
void gt_ranges_free(struct gt_model *m);
int gt_payloads_take(struct gt_model *m, const struct gt_rec *rec);     /* a schema: 1 taken, 0 damaged, -1 no memory */
void gt_payloads_free(struct gt_model *m);

/* ------------------------------------------------------------------- stacks */

struct gt_stacks;
int gt_stacks_take(struct gt_model *m, const struct gt_rec *rec);       /* -1: out of memory */
int gt_modules_take(struct gt_model *m, const struct gt_rec *rec);
int gt_stacks_finish(struct gt_model *m);     /* behind the last record */
void gt_stacks_free(struct gt_model *m);

struct gt_python;
int gt_python_take(struct gt_model *m, const struct gt_rec *rec);       /* -1: out of memory */
int gt_python_finish(struct gt_model *m);     /* behind the last record */
/* Of the code object with this number; UINT32_MAX: none. Behind gt_python_finish. */
uint32_t gt_python_index(const struct gt_model *m, uint32_t process, uint32_t number);
void gt_python_free(struct gt_model *m);
struct gt_symbols;
void gt_symbols_free(struct gt_model *m);

/* ------------------------------------------------------------------ threads */

struct gt_threads;
int gt_threads_take(struct gt_model *m, const struct gt_rec *rec);      /* SAMPLE to TRACEPOINT; -1: no memory */
int gt_threads_add(struct gt_model *m);       /* who made no call; before threads get their numbers */
void gt_threads_renumber(struct gt_model *m, const uint32_t *to);
int gt_threads_finish(struct gt_model *m);    /* behind the stacks */
void gt_threads_free(struct gt_model *m);
int gt_tracepoints_take_type(struct gt_model *m, const struct gt_rec *rec);
/* By their numbers; then gt_tracepoints_index: the place of the type with that number, UINT32_MAX: none. */
void gt_tracepoints_sort(struct gt_model *m);
uint32_t gt_tracepoints_index(const struct gt_model *m, uint32_t number);
void gt_tracepoints_free(struct gt_model *m);

/* ------------------------------------------------------------------ unknown */

struct gt_unknowns;
int gt_unknowns_take(struct gt_model *m, const struct gt_rec *rec);     /* -1: out of memory */
int gt_unknowns_finish(struct gt_model *m);   /* when threads have their numbers */
void gt_unknowns_free(struct gt_model *m);

/* -------------------------------------------------------------------- model */

/* A thread that records have named. */
struct gt_known_thread { uint32_t process; int tid; uint64_t start; uint32_t index; };
/* thread index by how many THREAD records came before */
struct gt_stream_map { uint32_t *holder; uint32_t n, room; };
struct gt_process_state {
	struct gt_process pub;
	uint32_t n_streams;
	struct gt_stream_map *streams;        /* n_streams, by place (gt_reader_stream_place) */
	struct gt_join *joins;                /* alike */
	uint64_t last_tick, first_tick;
	uint64_t exit_tick; int64_t exit_ns;  /* it ended by itself; late calls too. 0: it did not */
	uint64_t exec_tick;                   /* of the last exec, which may have failed; 0: none */
	int64_t to_mono_ns;                   /* CLOCK_MONOTONIC - session time */
	bool device_times;                    /* was the collector asked for device times? */
	const struct gt_clock_pair *raw;      /* CLOCK_MONOTONIC_RAW as if it were a device's, once asked for */
	uint32_t n_raw;
	int64_t raw_error_ns;
	uint32_t n_clocks;                    /* of its devices; the last one made: */
	struct gt_device_clock *last_clock;
	bool exited, walked;
	uint64_t ids, cmd_ids;                /* of the present walk */
	uint32_t n_objects[16];               /* by kind, of the present walk */
	void *usm;                            /* model/opencl/usm.c, of the present walk */
};


struct gt_model {
	struct gt_reader *reader;
	struct gt_fntable *table;
	struct gt_fn_info *fn_info;           /* by gt_fn.index */
	struct gt_session session;
	struct gt_arena arena;                /* as long as the model */
	struct gt_process_state *processes; uint32_t n_processes;
	GT_LIST(struct gt_thread) threads;
	GT_LIST(uint64_t) thread_start;       /* ticks, beside threads */
	struct gt_numbered *numbered;         /* the threads by (process, tid, start), one for each */
	GT_LIST(struct gt_other_thread) other_threads;
	GT_LIST(struct gt_captured_output) outputs;
	struct gt_map thread_map;             /* struct gt_known_thread, while opening */
	GT_LIST(struct gt_note) notes;
	GT_LIST(struct gt_image_record) image_records;
	GT_LIST(struct gt_counters) counters;
	GT_LIST(struct gt_hsa_kernel) hsa;
	struct gt_bulk facts, creations;      /* struct gt_fact, gt_creation */
	struct gt_map answered;               /* while the trace is opened: the questions whose answers are facts */
	GT_LIST(struct gt_calibration) calibrations;
	GT_LIST(struct gt_calibration) raw_clock;  /* REC_CLOCK: device_ns = CLOCK_MONOTONIC_RAW */
	struct gt_map clocks;                 /* struct gt_clock_slot */
	GT_LIST(struct gt_local_size) local_sizes;
	GT_LIST(struct gt_cpu_counted) cpu_counted;
	struct gt_map devices;                /* struct gt_device_number */
	uint32_t n_devices;
	struct gt_bulk_budget budget;
	struct gt_bulk wide;                  /* struct gt_times that do not fit the short form */
	uint64_t lost[REC_LOSS_END];          /* found here, and by writers */
	uint64_t lost_writer[REC_LOSS_COUNT]; /* control pages */
	struct gt_checked checked[GT_CHECK_COUNT];
	struct gt_ranges *ranges;             /* NULL: no NVTX record */
	struct gt_unknowns *unknowns;         /* NULL: all records are known */
	struct gt_stacks *stacks;             /* NULL: no call stack */
	struct gt_python *python;             /* NULL: no function of Python in one */
	struct gt_threads *by_kernel;         /* NULL: no samples and switches */
	struct gt_tracepoints *tracepoints;   /* types of events; NULL: there are none */
	struct gt_symbols *symbols;           /* NULL: nobody asked */
	bool frames_missing;                  /* somebody asked, and there was no memory */
	const char *cuda_table;               /* gt_model_options.cuda_table */
	const char *peaks;                    /* gt_model_options.peaks */
	const char *cupti;                    /* gt_model_options.cupti */
	unsigned jobs;                        /* gt_model_options.jobs; at least 1 */
	struct gt_payloads *payloads;         /* NULL: no schema of theirs */
	struct gt_cuda *cuda;                 /* NULL: no CUDA record, and nobody asked */
	/* The present walk's: changed at every command by who resolves it, while others read what stands before. */
	GT_APART;
	struct gt_texts texts;                /* stay from walk to walk */
	struct gt_arena objects_arena;
	struct gt_bulk objects;               /* struct gt_entity * */
	struct gt_map map;                    /* struct gt_entity_slot */
	bool any_local_args;
	struct gt_command command;
	struct gt_mapping *free_mappings;
	struct gt_map svm_mappings;           /* struct gt_svm_mappings: of shared memory, which is no object */
	/* not looked for yet, none, some: calls that are missing */
	enum { GT_USM_UNASKED, GT_USM_WHOLE, GT_USM_GAPS } usm_gaps;
	bool walking;
	bool quiet;                           /* losses found now were counted before */
	bool no_memory;                       /* for a content that somebody asked for, or what a map moved */
};

/* open.c: of a stream by its number, which a record of the trace has */
struct gt_stream_map *gt_model_stream(const struct gt_model *m, uint32_t process, uint32_t number);
/* open.c: one record of the opening pass, in file order. The thread that wrote it; NULL: no memory. */
int gt_model_take_record(struct gt_model *m, const struct gt_rec *rec, struct gt_decoded *decoded);
struct gt_thread *gt_model_thread_of(struct gt_model *m, const struct gt_rec *rec);
/* open.c: one without a stream */
struct gt_thread *gt_model_add_thread(struct gt_model *m, uint32_t process, uint64_t start);
/* gather.c: all of them, by several threads. */
int gt_model_gather(struct gt_model *m, const struct gt_model_options *opt, struct gt_err *err);
/* gt_process.device_calls; CUDA's are counted where its buffers are read: model/cuda/scan.c. */
static inline bool gt_is_of_device(const struct gt_fn *fn)
{
	return fn->domain == REC_DOMAIN_OPENCL || fn->domain == REC_DOMAIN_HSA;
}

static inline uint32_t gt_walk_thread(const struct gt_model *m, const struct gt_rec *rec)
{
	const struct gt_stream_map *s = gt_model_stream(m, rec->process, rec->stream);
	uint32_t holder = rec->holder ? rec->holder - 1 : 0;

	return holder < s->n ? s->holder[holder] : 0;
}

/* A call from its record, but for its numbers and its command. */
static inline void gt_walk_fill(struct gt_model *m, const struct gt_rec *rec, const struct gt_fn *fn, int64_t start_ns,
	int64_t end_ns, struct gt_decoded *decoded, uint64_t *damaged, struct gt_call *call)
{
	const struct gt_process_state *p = &m->processes[rec->process];

	/* Field by field: clearing the whole first takes longer than all the rest (gcc 12: `rep stos`). */
	call->fn = fn;
	call->process = rec->process;
	call->thread = gt_walk_thread(m, rec);
	call->start_tick = rec->start_tick;
	call->end_tick = rec->end_tick;
	call->start_ns = start_ns;
	call->end_ns = end_ns;
	call->start_mono_ns = start_ns + p->to_mono_ns;
	call->end_mono_ns = end_ns + p->to_mono_ns;
	call->result = rec->result;
	call->is_callback = fn->is_callback;
	call->outside = false;
	call->id = call->cmd_id = 0;
	call->stack_link = rec->stack;
	call->command = NULL;
	call->cuda = NULL;
	call->damaged = damaged;
	call->model = m;
	gt_call_set_args(call, rec, decoded);
}

int gt_model_read_all(struct gt_model *m, const struct gt_model_options *opt, struct gt_err *err); /* open.c */

#endif
