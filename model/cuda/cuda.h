/*
 * model/cuda/cuda.h - CUDA as CUPTI told it: calls, kernels, copies, graphs, memory, and what they belong to
 *
 * Runs in the tool. Writers and analysis see nothing of CUPTI's records or versions: a field that the producing library
 * did not have is absent (-1, GT_NO_TIME, or "has" false as said below), never invented.
 *
 * Everything is an array per kind over all processes, sorted by start (ties: process, end descending, place in the
 * trace): read by index, forwards for speed. CUPTI delivers in no particular order; the sorting is done once, at
 * gt_model_cuda, in memory that spills to an unlinked file when it is much.
 *
 * Times are session ns. A device activity without a usable time (start or end 0, end before start) has timed = false,
 * start_ns = the start of its call (or GT_NO_TIME when that is unknown) for the order only, end_ns = GT_NO_TIME, and a
 * reason.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CUDA_CUDA_H
#define GPUTAP_MODEL_CUDA_CUDA_H

#include "model/model.h"

struct gt_cuda;
struct gt_cuda_table;
struct gt_cuda_param;

enum gt_cuda_kind {
#define BEGIN(ID, member, name, plural, words) GT_CUDA_##ID,
#include "model/cuda/kinds.def"
	GT_CUDA_KINDS
};

/* "kernel", "kernels" and in words: "graph launches". */
struct gt_cuda_kind_name { const char *name, *plural, *words; };
extern const struct gt_cuda_kind_name gt_cuda_kind_names[GT_CUDA_KINDS];

#define GT_CUDA_NONE UINT32_MAX   /* ids of context, stream, device, correlation: not known */

typedef uint32_t gt_cuda_sizes[3];   /* x, y, z */

struct gt_cuda_event {
	enum gt_cuda_kind kind;
	uint32_t process;
	/* gt_thread index: calls; graph and node events; overhead and JIT with a thread; GT_CUDA_NONE otherwise */
	uint32_t thread;
	int tid;                  /* as CUPTI said; -1 */
	bool timed;
	int reason;               /* enum rec_loss when not timed; -1 */
	int64_t start_ns, end_ns;
	uint32_t correlation;     /* GT_CUDA_NONE: none */
	uint32_t device, context, stream; /* CUPTI's numbers inside the process */
	uint32_t graph;           /* of nodes and graph launches; GT_CUDA_NONE */
	uint64_t graph_node;      /* 0: not of a graph */
	/* By kind; what they mean and where they come from: model/cuda/kinds.def. */
	union {
#define BEGIN(ID, member, name, plural, words) struct {
#define VALUE(member, type, field, form, label, value) type field;
#define END(ID, member) } member;
#define ALSO(ID, member, name, plural, words)
#include "model/cuda/kinds.def"
	};
};

/* Built at the first need and kept with the model; NULL with *err on failure. A trace without CUDA gives one whose
 * counts are 0. */
struct gt_cuda *gt_model_cuda(struct gt_model *m, struct gt_err *err);

uint64_t gt_cuda_count(const struct gt_cuda *c, enum gt_cuda_kind kind);
/* The i-th of a kind. Strings live as long as the model. 0, or -1 with *err (the file changed under us). */
int gt_cuda_get(struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i, struct gt_cuda_event *out, struct gt_err *err);
/* Whose the i-th of a kind is; decodes nothing. */
uint32_t gt_cuda_process_at(const struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i);
/* Its start_ns and end_ns (GT_NO_TIME of work without times); returns gt_cuda_event.timed. Decodes nothing. */
bool gt_cuda_span(const struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i, int64_t *start_ns, int64_t *end_ns);
/* First index whose start is at or behind a time: for windows. Activities that began before may still overlap. */
uint64_t gt_cuda_lower_bound(const struct gt_cuda *c, enum gt_cuda_kind kind, int64_t start_ns);

/*
 * The outermost API call with that correlation id (the runtime's when both exist); false: not in the trace. Ids begin
 * again at 2^32: the last call that began at or before at_ns, the start of what it set going; GT_NO_TIME: any.
 */
bool gt_cuda_call_of(
	struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t at_ns, struct gt_cuda_event *out);
/* Is there such a call, with a known beginning, of the i-th activity of a kind? Decodes nothing. */
bool gt_cuda_has_call(const struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i);
/* Device activities (kernels, copies, fills, graph launches) that a call set going: fills at most max, returns how many
 * there are. call_ns: when that call began; GT_NO_TIME: of all with that id. */
struct gt_cuda_place { enum gt_cuda_kind kind; uint64_t index; };
uint32_t gt_cuda_work_of(struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t call_ns,
	struct gt_cuda_place *out, uint32_t max);
/* A time of CUPTI's in session ns; GT_NO_TIME: 0, or none. */
int64_t gt_cuda_ns(struct gt_cuda *c, uint32_t process, uint64_t cupti_ns);
/*
 * When what was launched ran on its device, in the clock of its samples of performance monitors (trace/format/
 * pm_samples.h): of a later run of the program as the launcher found it. False: the activities do not tell.
 */
struct rec_pm;
struct gt_counters;
bool gt_cuda_sampled_span(struct gt_cuda *c, const struct gt_counters *of, const struct rec_pm *samples, bool own_run,
	uint64_t *begin_ns, uint64_t *end_ns);
/*
 * When a sample was taken, in session ns; of a later run: as far behind this one's launch as it was behind its own.
 * GT_NO_TIME: the activities do not tell.
 */
int64_t gt_cuda_sample_ns(
	struct gt_cuda *c, const struct gt_counters *of, const struct rec_pm *samples, bool own_run, uint64_t at_ns);
/* Whether the i-th kernel is the first of its name and block size on its device: what drivers load and compile with. */
bool gt_cuda_is_first_launch(struct gt_cuda *c, uint64_t i);
/* What a call puts on a stream, by its name (model/cuda/launch.c). OTHER: event records, waits, stream-ordered memory,
 * callbacks, ... */
enum gt_cuda_work {
	GT_CUDA_WORK_NONE,
	GT_CUDA_WORK_KERNEL,
	GT_CUDA_WORK_COPY,
	GT_CUDA_WORK_FILL,
	GT_CUDA_WORK_GRAPH,
	GT_CUDA_WORK_OTHER
};
enum gt_cuda_work gt_cuda_work_kind(const struct gt_cuda_event *call);
/* puts anything on a stream: what the API log gives a CMD ID when it succeeded */
bool gt_cuda_is_launch(const struct gt_cuda_event *call);

/* Objects of one process, as the records told. Absent numbers are -1, texts "". memory_bandwidth: bytes a second (CUPTI
 * tells kilobytes). */
struct gt_cuda_device {
	uint32_t process, id;
	struct gt_string name;
	uint8_t uuid[16];
	bool has_uuid;
	int compute_major, compute_minor;
	int64_t memory_bandwidth, memory_bytes, constant_bytes, l2_bytes, warp, clock_khz, copy_engines, sms, max_ipc,
		max_warps_per_sm, max_blocks_per_sm, max_shared_per_sm, max_registers_per_sm, max_registers_per_block,
		max_shared_per_block, max_threads_per_block, max_block[3], max_grid[3], ecc, numa_id;
	struct gt_string bus;     /* "0000:17:00.0", "" */
	/* one number per device in the whole trace (by UUID and all that it says of itself, else by process and id) */
	uint32_t index;
	bool stand_in;
};
struct gt_cuda_context {
	uint32_t process, id, device, null_stream, parent;
	int64_t api, sms;
	bool green;
	int64_t created_ns, destroyed_ns;
};
struct gt_cuda_stream {
	uint32_t process, id, context;
	bool told;                        /* by its own record: the next two are known (always so outside the model) */
	int64_t priority, flag;
	uint64_t handle;                  /* as calls name it; 0: a default stream, or made before the recording */
	int64_t created_ns;               /* GT_NO_TIME */
};
uint32_t gt_cuda_device_count(const struct gt_cuda *c);
const struct gt_cuda_device *gt_cuda_device(const struct gt_cuda *c, uint32_t i);
const struct gt_cuda_device *gt_cuda_device_of(const struct gt_cuda *c, uint32_t process, uint32_t id);  /* NULL */
uint32_t gt_cuda_context_count(const struct gt_cuda *c);
const struct gt_cuda_context *gt_cuda_context(const struct gt_cuda *c, uint32_t i);
const struct gt_cuda_context *gt_cuda_context_of(const struct gt_cuda *c, uint32_t process, uint32_t id); /* NULL */
/* Code that was loaded, in order of process and time. */
struct gt_cuda_module {
	uint32_t process, id, context;
	int64_t loaded_ns, unloaded_ns;   /* GT_NO_TIME: it was there to the end, or nobody told */
	uint64_t bytes, content[2];       /* 0, 0: not even its hash is known; else gt_model_blob may have it */
	uint64_t crc;                     /* CUPTI's, as samples of the program counter name it; 0: not known */
};
uint32_t gt_cuda_module_count(const struct gt_cuda *c);
const struct gt_cuda_module *gt_cuda_module(const struct gt_cuda *c, uint32_t i);
uint32_t gt_cuda_stream_count(const struct gt_cuda *c);
const struct gt_cuda_stream *gt_cuda_stream(const struct gt_cuda *c, uint32_t i);

/* The call's function as the walk's calls have one: name = base, domain, result as a plain number, no parameters;
 * has_event_out: puts work on a stream. Lives as long as the model. */
const struct gt_fn *gt_cuda_fn(struct gt_cuda *c, const struct gt_cuda_event *call);

/* What produced it, by process: NULL when the process has no CUPTI records. */
struct gt_cuda_library {
	uint32_t process, cupti_version, driver_version, flags;
	struct gt_string path;
	int64_t clock_error_ns;
	uint64_t buffers, uncompleted, records, dropped;
	/* when the program waited for tracing to be set up; GT_NO_TIME */
	int64_t attach_start_ns, attach_end_ns; uint32_t attach_thread;
};
const struct gt_cuda_library *gt_cuda_library(const struct gt_cuda *c, uint32_t process);

/* CUPTI's buffers, in order of their files. valid: bytes of activities, 0 of one that never came back. */
struct gt_cuda_buffer {
	uint32_t process;
	uint64_t number, room, valid;
	int64_t requested_ns, completed_ns;
	bool completed;
};
uint32_t gt_cuda_buffer_count(const struct gt_cuda *c);
struct gt_cuda_buffer gt_cuda_buffer(const struct gt_cuda *c, uint32_t i);

/* Arguments of a call recorded with --cuda-args: model/cuda/args.c. Names and types come from tables generated from an
 * installed toolkit's headers; without them the parameter struct is told as raw words. */
enum gt_cuda_class {
	GT_CUDA_ARG_WORD,
	GT_CUDA_ARG_SIGNED,
	GT_CUDA_ARG_UNSIGNED,
	GT_CUDA_ARG_FLOAT,
	GT_CUDA_ARG_ENUM,
	GT_CUDA_ARG_POINTER,
	GT_CUDA_ARG_DEVICE_POINTER,
	GT_CUDA_ARG_HANDLE,
	GT_CUDA_ARG_STRING,
	GT_CUDA_ARG_STRUCT
};
/* Pointers into it hold until the next call or argument is asked for. As text: writers/render_cuda_args.c. */
struct gt_cuda_arg {
	const char *type, *name;
	enum gt_cuda_class class;
	uint64_t value; uint32_t bytes; bool has_value; /* else outside the stored struct */
	const void *at;                   /* where it stands, `bytes` bytes */
	const char *symbol;               /* name of an enumeration's value; NULL */
	const void *data; uint32_t data_bytes; bool is_out; /* what the pointer led to, when copied */
	bool is_text, cut;                /* data is one; its end is missing */
	/* What it is (model/cuda/table.h); NULL: a word of a call that no table knows. */
	const struct gt_cuda_table *table; const struct gt_cuda_param *param;
};
/* Argument i; false behind the last. call has has_args. */
bool gt_cuda_arg(struct gt_cuda *c, const struct gt_cuda_event *call, unsigned i, struct gt_cuda_arg *out);
/*
 * The same of a call that a thread was inside when it died (gt_thread.inside): what its first words hold has a value.
 */
bool gt_cuda_arg_inside(
	struct gt_cuda *c, const struct gt_fn *fn, const uint64_t first[4], unsigned i, struct gt_cuda_arg *out);
/* "cudaError_t" / "CUresult" values as text: "cudaSuccess", "CUDA_ERROR_NO_DEVICE"; the number when unknown. Into buf;
 * returns buf. */
const char *gt_cuda_result_text(const struct gt_cuda_event *call, char *buf, size_t bytes);

/* CUPTI's numbers as nsys prints them: "Host-to-Device", "Pageable", ...; NULL unknown. */
const char *gt_cuda_copy_text(int copy_kind);
const char *gt_cuda_mem_text(int mem_kind);

#endif
