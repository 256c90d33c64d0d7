/*
 * model/model.h - a trace as things people talk about: processes, threads, devices, queues, calls, commands
 *
 * Runs in the tool. Writers and analysis see nothing below this header: no records, no ticks of a stream,
 * no handles without their object. One pass in time order (gt_walk) feeds every output.
 *
 * Times are ns since the session start unless a name says otherwise; -1 = absent. Strings are valid UTF-8 or
 * raw bytes as the program gave them, live as long as the model, and are not to be freed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_MODEL_H
#define GPUTAP_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"              /* struct gt_string */
#include "model/functions/fntable.h"
#include "trace/format/counters.h"
#include "trace/format/rec.h"
#include "trace/read/reader.h"          /* GT_NO_TIME */

struct gt_model;

/* The session: the launcher's facts, or what the first image knew when there was no launcher. */
struct gt_session {
	const char *path;                 /* as opened */
	const char *run_id, *host, *user, *cwd, *version; /* "" when unknown */
	size_t n_args;
	const char *const *args;          /* the command */
	int64_t utc_ns;                   /* CLOCK_REALTIME at session start, ns since 1970 */
	int64_t monotonic_ns;             /* CLOCK_MONOTONIC at session start (of the first process' boot) */
	int64_t duration_ns;              /* last record's end */
	int exit_status;                  /* -1 unknown */
	int exit_signal;                  /* 0 none */
	bool open_to_others;              /* any user may still add processes */
	bool cut_off;                     /* the launcher was killed: how the program ended is not known */
	/* by `gputap run`: without it nobody knows of a process that could record nothing */
	bool launched;
};

struct gt_process {
	uint32_t index;
	int pid, instance;                /* directory PID.N; instance counts images of one pid from 1 */
	int ppid;
	const char *image;                /* executable path */
	size_t n_args;
	const char *const *args;
	const char *cwd, *reason, *os, *arch;
	size_t n_env;
	const char *const *env;           /* NAME=VALUE of the variables that were asked for */
	const struct gt_process *parent;  /* NULL: started outside */
	uint64_t calls, callbacks, commands, kernels; /* counts over the whole trace, window ignored */
	uint64_t device_calls;            /* those of the calls that are OpenCL's, HSA's or CUDA's */
	int64_t start_ns, end_ns;
	uint32_t first_thread, n_threads; /* into gt_model_thread */
	/* half width of the worst host clock bracket; -1: too few readings, the rate is guessed */
	int64_t clock_error_ns;
	bool damaged;
	enum gt_live live;                /* whether it was still running when the trace was opened */
	int64_t added_by;                 /* the user, not the trace's own, who added its records; -1: nobody did */
};

struct gt_thread {
	uint32_t index;                   /* over the whole trace; unique per (process, tid, start) */
	uint32_t process;
	int tid;
	const char *name;                 /* the one it was last given: by NVTX, else the operating system's */
	bool main, has_priority;
	int priority;                     /* the kernel's: 20 is the usual one, below 0 real time */
	uint64_t calls;
	int64_t end_ns;                   /* GT_NO_TIME: it was there to its process' end, or nobody knows */
	/* What it was inside when the process died; NULL fn when nothing. Innermost first. */
	uint32_t n_inside;
	struct { const struct gt_fn *fn; int64_t start_ns; uint64_t arg[4]; } inside[REC_SLOTS];
};

/*
 * An API object. Object = (handle, generation): alive from the END of the creating call to the START of the release
 * that freed it. id counts objects of one kind in one process from 0 in order of creation.
 */
struct gt_object {
	enum rec_object kind;
	uint32_t process;
	uint32_t id;
	uint64_t handle;
	int64_t born_ns, died_ns;         /* GT_NO_TIME: before the trace / still alive */
	struct gt_object *platform, *device, *context, *parent; /* NULL when unknown or meaningless */
	struct gt_string name;            /* device name, kernel name, platform name */
	/* kernels, once a command ran them: names of C++ as people write them, else the name */
	struct gt_string demangled, short_name;
	/* device */
	/* device_index: one number per device in the whole trace, from 0; a sub-device (it has a parent) has its own */
	uint32_t device_type, compute_units, device_index; /* the first two: 0 nobody said */
	/* queue */
	uint64_t properties;              /* as the application asked; has_flags */
	int profiled;                     /* 0 refused, 1 forced, 2 asked by the application, -1 unknown */
	/* devices and queues */
	int64_t clock_error_ns;           /* of the device's clock; -1 unknown or not used */
	/* memory */
	uint64_t size, flags;             /* size: 0 unknown; has_flags */
	uint32_t mem_type;                /* CL_MEM_OBJECT_*; 0 unknown */
	bool has_flags;                   /* memory: flags are known, queue: properties are */
	/* program */
	bool has_source, has_log;
	uint64_t source_id[2], log_id[2]; /* gt_model_blob */
	struct gt_string build_options;
	uint32_t n_contents;
	/* enum rec_blob_kind; part: device number of a log or binary */
	struct gt_content { uint32_t kind, part; uint64_t id[2], bytes; } *contents;
	uint32_t n_attrs;
	struct gt_attr { uint32_t key; uint32_t bytes; const void *value; } *attrs; /* raw answers of the driver */
};

/* Memory that a pointer leads to: the host's own, or an allocation of the host, of a device, or of both. */
enum gt_usm { GT_USM_UNKNOWN, GT_USM_SYSTEM, GT_USM_HOST, GT_USM_DEVICE, GT_USM_SHARED };

/*
 * One device command: what an enqueue call set going. Present for every enqueue call that succeeded and for those
 * that failed (status < 0, no times).
 */
/* With --cpu-counters, by enum rec_cpu. why: 0, or an errno or enum rec_cpu_why, and there is no value. */
struct gt_cpu_counts {
	uint32_t threads, why;            /* why: of all of them */
	struct { uint64_t value; uint32_t why; } at[REC_CPU_END];
};

struct gt_command {
	uint32_t type;                    /* CL_COMMAND_* */
	bool is_kernel;                   /* NDRange, task, native */
	/* the first of this kernel (by program and name), device and local size: drivers compile for these */
	bool first_launch;
	struct gt_object *queue, *context, *device, *kernel, *program; /* may be NULL */
	struct gt_string name;            /* kernel name, or the command's name without CL_COMMAND_ */
	struct gt_string demangled, short_name; /* the same for people, see gt_object */
	/* Times on the session clock; all GT_NO_TIME unless timed. Not reordered, not clamped. */
	bool timed;
	int64_t queued_ns, submit_ns, start_ns, end_ns, complete_ns;
	int32_t status;                   /* execution status: 0 complete, < 0 failed, 1 unknown */
	int reason;                       /* enum rec_loss when not timed; -1 */
	uint32_t work_dim;
	uint64_t global_offset[3], global_size[3], local_size[3];
	bool has_global;                  /* false: NULL, or of a call that failed, of which nothing is recorded */
	bool has_offset;
	enum rec_local_source local_source; /* UNKNOWN: local_size is 0 */
	uint64_t bytes;                   /* transfers, fills; 0 otherwise */
	bool has_bytes;
	struct gt_object *src, *dst;      /* memory objects of transfers */
	enum gt_usm src_usm, dst_usm;     /* copies and fills of unified shared memory: where their pointers lead */
	uint64_t host_ptr;                /* transfers with the host */
	uint64_t map_flags;               /* maps, unmaps (of the map they undo), migrations: their own flags */
	uint32_t pattern_bytes; const uint8_t *pattern; /* fills */
	uint32_t n_waits; const uint64_t *waits; /* event handles of the wait list */
	uint64_t local_arg_bytes;         /* NDRange: sum of local memory arguments set on the kernel */
	bool blocking;
	const struct gt_cpu_counts *cpu;  /* NULL: not counted */
};

/* One API call (or application callback). Valid until the walk's next step. */
struct gt_call {
	/* CUDA: name, id, domain, result type; no parameters and in no table (index UINT32_MAX) */
	const struct gt_fn *fn;
	uint32_t process, thread;         /* thread of a CUDA call may be UINT32_MAX: gt_call_tid */
	uint64_t start_tick, end_tick;    /* raw host ticks */
	int64_t start_ns, end_ns;         /* session ns */
	int64_t start_mono_ns, end_mono_ns; /* CLOCK_MONOTONIC ns (.atp) */
	int32_t result;                   /* cl_int returned, or errcode of a creating call */
	bool has_args;                    /* false: recorded by name only */
	bool is_callback;
	bool outside;                     /* of the walk's window: only with gt_walk_options.outside */
	bool unfinished;                  /* the process ended inside: no result, and the end is the start */
	/* from 1 per process in time order of start, over all domains that are walked: correlation id */
	uint64_t id;
	uint64_t cmd_id; /* API log command id from 1 per process over successful calls whose prototype has an event
	                                     output, or that put CUDA work on a stream (fn->has_event_out); 0 = none */
	struct gt_command *command;       /* NULL: not an enqueue */
	/* calls of the CUDA domains (only with gt_walk_options.cuda): model/cuda/cuda.h; NULL otherwise */
	const struct gt_cuda_event *cuda;
	const uint64_t *fixed;            /* see gt_call_arg */
	const uint64_t *copies; uint32_t copy_words;
	uint32_t first_u32;               /* the 4-byte argument beside the duration; see gt_call_arg */
	uint32_t flags;                   /* enum rec_flag */
	uint32_t more, bound;             /* as in struct gt_rec */
	uint64_t stack_link;              /* 0: none; gt_call_stack (model/stacks/stacks.h) knows the stack */
	struct gt_decoded *decoded;       /* the walk's own: where the copies lie, found at the first gt_call_arg */
	uint64_t *damaged;                /* the walk's own: where damaged arguments are counted; NULL: nowhere */
	struct gt_model *model;
};

/* One argument as the table decodes it. */
struct gt_arg {
	const struct gt_param *param;
	uint64_t value;                   /* raw bits, zero extended; sign by param->value class */
	bool has_data;                    /* the pointed-to data were captured */
	/*
	 * ... and cut, or left out: `bytes` is what is here, and `count` the full count, except of texts and lists that
	 * end by themselves
	 */
	bool cut;
	const void *data; uint32_t bytes; uint64_t count; /* elements */
};
/*
 * Argument i of the call's prototype. False when the call has no arguments recorded, or they are damaged (counted;
 * has_args is false from then on). *errcode_ret has the call's result behind it.
 */
bool gt_call_arg(const struct gt_call *call, unsigned i, struct gt_arg *out);
/* The operating system's number of the calling thread; -1 unknown. */
int gt_call_tid(const struct gt_call *call);
/* Returned pointer, handle or 64-bit value of functions that return one (0 otherwise). */
uint64_t gt_call_return(const struct gt_call *call);

struct gt_model_options { bool strict; void (*progress)(void *ctx, double done); void *ctx;
	const char *cuda_table;           /* --cuda-table: lives as long as the model; NULL */
	const char *peaks;                /* --peak-bandwidth, the same; NULL */
	const char *cupti;                /* --cupti, the same; NULL */
	unsigned jobs; };                 /* threads that read at once; 0 is 1 */
int gt_model_open(const char *path, const struct gt_model_options *opt, struct gt_model **out, struct gt_err *err);
/* Over a reader that is open already: taken over in any case. path: for messages. */
int gt_model_open_reader(struct gt_reader *r, const char *path, const struct gt_model_options *opt,
	struct gt_model **out, struct gt_err *err);
void gt_model_close(struct gt_model *m);

const struct gt_session *gt_model_session(const struct gt_model *m);
const struct gt_fntable *gt_model_table(const struct gt_model *m); /* enums, functions */
int64_t gt_model_mono_ns(const struct gt_model *m, uint32_t process, int64_t session_ns); /* CLOCK_MONOTONIC */
uint32_t gt_model_process_count(const struct gt_model *m);
const struct gt_process *gt_model_process(const struct gt_model *m, uint32_t i);
uint32_t gt_model_thread_count(const struct gt_model *m);
const struct gt_thread *gt_model_thread(const struct gt_model *m, uint32_t i);
/* Threads that recorded nothing, and whose name is known all the same: by process and tid. */
enum { GT_USUAL_PRIORITY = 20 };       /* nice 0 */
struct gt_other_thread { uint32_t process; int tid, priority; const char *name; };
uint32_t gt_model_other_thread_count(const struct gt_model *m);
const struct gt_other_thread *gt_model_other_thread(const struct gt_model *m, uint32_t i);
/*
 * Objects seen so far by the current walk (after a full walk: all). Creation order. They live until the next walk is
 * opened or the model closed, their names as long as the model; one walk can be open at a time.
 */
uint32_t gt_model_object_count(const struct gt_model *m);
struct gt_object *gt_model_object(struct gt_model *m, uint32_t i);
/* The object that the walk has seen by now under this handle, alive at that time; NULL: there is none. */
const struct gt_object *gt_model_find_object(
	const struct gt_model *m, uint32_t process, enum rec_object kind, uint64_t handle, int64_t at_ns);
/* Raw answer of the driver to one query, NULL when it was not asked. */
const struct gt_attr *gt_object_attr(const struct gt_object *o, uint32_t key);
/* What a kernel's driver said of it for one device: each answers for itself. NULL: not said. */
const struct gt_attr *gt_kernel_attr(const struct gt_object *kernel, const struct gt_object *device, uint32_t key);

/* How a device's times were brought to the session clock: "calibrated", ...; after the walk. */
const char *gt_object_clock(const struct gt_object *device);

/* What is missing, by reason (writer's counters, reader's findings, this process' clamps). */
uint64_t gt_model_lost(const struct gt_model *m, enum rec_loss reason);
void gt_model_count_loss(struct gt_model *m, enum rec_loss reason, uint64_t n);
/* A process of it, or one of its run that may come to record, was there when it was opened: not complete yet. */
bool gt_model_live(const struct gt_model *m);
const struct gt_holders *gt_model_left(const struct gt_model *m);        /* the latter */
bool gt_model_complete(const struct gt_model *m);        /* every reason that means "missing" is zero */
/* "complete: yes" or "complete: no (12 commands untimed: ...; ...)". Into buf; returns buf. */
const char *gt_model_complete_text(const struct gt_model *m, char *buf, size_t bytes);
/* The n-th thing that `gputap run` did not come to write, since it was killed, as `run` names it; NULL: none. */
const char *gt_model_not_gathered(const struct gt_model *m, unsigned n);
uint32_t gt_model_note_count(const struct gt_model *m);
struct gt_note { uint32_t process; int64_t time_ns; const char *text; };
const struct gt_note *gt_model_note(const struct gt_model *m, uint32_t i);

/* What an image says of itself: clock sets, the window, calls of exec, its end, costs. By process and time. */
struct gt_image_record {
	enum rec_type type;
	uint32_t process;
	int64_t time_ns;
	/* By type; what they mean and where they come from: trace/format/records.def. */
	union {
#define IMAGE(NAME, member, label) struct {
#define VALUE(member, type, field, form, label, value) type field;
#define END(NAME, member) } member;
#include "trace/format/records.def"
	};
};
uint32_t gt_model_image_record_count(const struct gt_model *m);
const struct gt_image_record *gt_model_image_record(const struct gt_model *m, uint32_t i);

/* What a later run of the program collected of a launch (enum rec_apart); run: that one, 0 none. */
struct gt_counters_apart { struct gt_string data; uint64_t id[2]; uint32_t run; };
/* A launch whose counters were collected. */
struct rec_samples_parts;
struct rec_sass_parts;
struct gt_counters {
	uint32_t process, correlation, context, device;
	uint32_t image;                   /* number in the plan, or a rec_apart_image */
	uint64_t id[2];                   /* of the image of counters: gt_model_blob */
	int64_t time_ns;
	uint64_t bytes;                   /* of the image */
	uint32_t ranges, dropped;         /* in it; that found no room */
	uint32_t grid[3], block[3];
	struct gt_string symbol;          /* mangled name */
	uint32_t order, kind, entry;      /* as in the record (enum rec_counted) */
	/* counted by several runs: the image behind the last one; missing: the run that had no such launch */
	struct gt_string image_of_all; uint64_t id_of_all[2]; uint32_t missing;
	struct gt_counters_apart apart[REC_APARTS];
};
/*
 * What was collected of the launch apart from counters, by its own run or a later one. 1: it is there; 0: it was not
 * asked for; -1: it is not whole, or not what was recorded.
 */
int gt_model_apart(struct gt_model *m, const struct gt_counters *c, enum rec_apart class, struct gt_string *data);
/* Content id of what a launch has: as of a blob. */
void gt_counters_id(const void *data, size_t bytes, uint64_t id[2]);
/* Samples of performance monitors: trace/format/pm_samples.h; class: REC_APART_PM and the like. */
struct rec_pm_parts;
int gt_model_pm_samples(struct gt_model *m, const struct gt_counters *c, enum rec_apart class,
	struct rec_pm_parts *out);
/* The same of samples of the program counter: trace/format/samples.h. */
int gt_model_samples(struct gt_model *m, const struct gt_counters *c, struct rec_samples_parts *out);
/* ... of counts by instruction: trace/format/sass.h. */
int gt_model_sass(struct gt_model *m, const struct gt_counters *c, struct rec_sass_parts *out);
/* How many; *all: by process and correlation id. */
uint32_t gt_model_counters(const struct gt_model *m, const struct gt_counters **all);
/* The options that are taken over from a trace: trace/format/taken.def. */
enum gt_taken {
#define TAKEN(id, name, what) GT_TAKEN_##id,
#include "trace/format/taken.def"
#undef TAKEN
};
const char *gt_taken_name(enum gt_taken which);
/*
 * What the process was given for an option, or (process -1) gputap run; NULL: nothing, or none of the option's values.
 * Lives as long as the model.
 */
const char *gt_model_option(const struct gt_model *m, int process, enum gt_taken which);
/* Any option as it stands there, to be shown and for nothing else; NULL. */
const char *gt_model_shown_option(const struct gt_model *m, int process, const char *name);
/* What the launcher found out under that name, n-th of them; NULL: no more. Lives as long as the model. */
const char *gt_model_run_fact(const struct gt_model *m, const char *key, unsigned n);
const char *gt_model_peaks(const struct gt_model *m); /* gt_model_options.peaks; "" */
const char *gt_model_cupti(const struct gt_model *m); /* gt_model_options.cupti; "" */
const struct rec_counters *gt_model_counters_plan(struct gt_model *m); /* trace/format/counters.h; NULL: none */
bool gt_model_counters_planned(const struct gt_model *m); /* there is a plan, or what damage left of it */
/* Is there any kernel of the process for which the host's processors were counted? */
bool gt_model_cpu_counted(const struct gt_model *m, uint32_t process);

/* Stored content of programs (source, log, ...). False when it is not in the trace, or there is no memory for it. */
bool gt_model_blob(struct gt_model *m, const uint64_t id[2], struct gt_string *out, uint64_t *total_bytes);
/* A copy of one that is whole, of whole words (trace/read/reader.h); on any thread. */
bool gt_model_words(struct gt_model *m, const uint64_t id[2], uint64_t **to, size_t *room, size_t *words);
/* Its bytes when it was made, without reading it. False as gt_model_blob. */
bool gt_model_blob_total(struct gt_model *m, const uint64_t id[2], uint64_t *total_bytes);
/* Gives the text up that gt_model_blob showed: for who goes through many, one after another. */
void gt_model_blob_forget(struct gt_model *m, const uint64_t id[2]);
/* Was there no memory for a content, or for what an unmap moves back? Then an output that asked for it lacks it. */
bool gt_model_no_memory(const struct gt_model *m);

/* ---- the walk: all calls and callbacks, sorted by (start, end descending, stream, offset) ---- */
struct gt_walk;
struct gt_walk_options {
	int process;                      /* -1 all */
	int64_t from_ns, to_ns;           /* GT_NO_TIME: open end; calls (or their commands) that overlap are kept */
	bool (*progress)(void *ctx, double done); void *ctx; /* optional; false stops the walk */
	/*
	 * CUDA calls too; nested: those that a runtime call made inside it as well (they get an id, and no cmd_id:
	 * the command is the runtime call's). Calls whose beginning is not known are left out; those whose end is not
	 * known end where they begin.
	 */
	bool cuda;
	bool cuda_nested;
	/* give the calls before the window too, marked: for who follows what they left behind */
	bool outside;
};
int gt_walk_open(struct gt_model *m, const struct gt_walk_options *opt, struct gt_walk **out, struct gt_err *err);
int gt_walk_next(struct gt_walk *w, const struct gt_call **call, struct gt_err *err); /* 1 call, 0 end, -1 error */
void gt_walk_close(struct gt_walk *w);
/* Every call of the trace. `take` answers other than 0 when it has no memory, which is an error: "... for " `what`. */
int gt_walk_all(struct gt_model *m, int (*take)(void *ctx, const struct gt_call *call), void *ctx, const char *what,
	struct gt_err *err);

/*
 * The OpenCL calls of the walk's processes and window that were begun and never returned (the process was killed
 * inside): no walk has them, as no record was written. After the walk; by thread, outermost first. Their ids follow
 * those of the whole trace. (CUDA's are in the walk: CUPTI told of their beginning.) call returns 0, or -1 with *err,
 * which ends it.
 */
int gt_unfinished_calls(struct gt_model *m, const struct gt_walk_options *opt,
	int (*call)(void *ctx, const struct gt_call *call, struct gt_err *err), void *ctx, struct gt_err *err);
/* Whether a process was recorded with this option, in its normal form; -1 the launcher. */
bool gt_model_option_is(const struct gt_model *m, int process, enum gt_taken which, const char *value);
uint32_t gt_model_unfinished_count(const struct gt_model *m, uint32_t process);

/* HSA kernels: no collector writes them yet, tests build them. File order; the times are CLOCK_MONOTONIC ns. */
struct gt_hsa_kernel {
	uint32_t process;
	int tid;
	uint32_t packet_type;
	uint64_t kernel, agent, queue, packet_id;
	int64_t start_ns, end_ns, start_mono_ns, end_mono_ns;
	uint32_t queue_index, device_index; struct gt_string name, agent_name, packet_fields;
};
uint32_t gt_model_hsa_kernel_count(const struct gt_model *m);
const struct gt_hsa_kernel *gt_model_hsa_kernel(const struct gt_model *m, uint32_t i);

/* Records of kinds that nobody here knows, by start; those without times (GT_NO_TIME: only calls have them) first.
 * thread: UINT32_MAX when no thread is known to have held the stream. */
struct gt_unknown { uint32_t process, thread, type; int64_t start_ns, end_ns; };
uint64_t gt_model_unknown_count(const struct gt_model *m);
const struct gt_unknown *gt_model_unknown(const struct gt_model *m, uint64_t i);

#endif
