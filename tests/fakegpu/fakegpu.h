/*
 * tests/fakegpu/fakegpu.h - a stand-in CUDA machine for what needs no real one: driver, small runtime, CUPTI with
 * synthetic activity
 *
 *   libcuda.so.1 the driver and all state; computes the kernels listed in kernels.c on the CPU, moves memory, one
 *   thread per device libcudart.so.12/.13 a small runtime over it libcupti.so.12/.13 CUPTI at its boundary. lib/ holds
 *   versions 28 and 130001; vN/ holds version N with the functions that N has
 *
 * The driver loads $CUDA_INJECTION64_PATH in cuInit as the real one does. Device times are synthetic (a copy takes
 * bytes/16 ns + 900 ns, a kernel 1000 ns + blocks), on the clock that CUPTI tells: CLOCK_REALTIME, or the client's
 * callback.
 *
 *   FAKEGPU_DEVICES=N          devices (0..4); default 1
 *   FAKEGPU_DRIVER=N what cuDriverGetVersion answers; default 13000. Older than CUPTI's major version: CUPTI refuses
 *   FAKEGPU_CHIP=NAME          of all devices; default GH100
 *   FAKEGPU_CUPTI_VERSION=N    whose records are produced, whatever library is loaded
 *   FAKEGPU_FAULTS=a,b=N,...
 *     subscribe-busy           another profiler ("other-profiler") holds the slot
 *     no-permission            device kinds: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
 *     kind-refused=K           kind K: CUPTI_ERROR_NOT_COMPATIBLE
 *     kind-early=K             kind K until the driver is initialised: CUPTI_ERROR_NOT_INITIALIZED
 *     no-device                cuInit: CUDA_ERROR_NO_DEVICE (after injection, as the real driver)
 *     drop=N                   every N-th record is dropped and counted
 *     vanish-kernels=N         every N-th record of a kernel is neither written nor counted
 *     dropped-kills=N          the first question for dropped records behind the answers that told N kills the process
 *     decline-crashes          a declined buffer kills the process (real CUPTI before version 27)
 *     zero-times=N             every N-th device record: start and end 0
 *     reversed-times=N         every N-th device record: end before start
 *     exhausted=N              after N device records all times are 0, silently: the device buffers are used up
 *     out-of-order             device records come in swapped pairs
 *     late-buffers             full buffers stay until a flush or the flush period
 *     slow-kernels=MS          a kernel stays on the device so long
 *     incomplete               a kernel's record stands in its buffer from the launch on, its times come later; a flush
 *                              that is not forced keeps such buffers back; =2: its place is zeros until then
 *     flush-hangs=MS           cuptiActivityFlushAll takes so long
 *     flush-keeps=N            the first N forced flushes leave the buffers that are being filled with CUPTI
 *     flush-fails=N            every N-th cuptiActivityFlushAll answers with an error and does nothing
 *     flush-in-callback        a flush inside a callback of resources, or beside another flush, aborts
 *     child-flush-hangs        after a fork the child's flush never returns
 *     late-records             records still come after cuptiFinalize
 *     fatal-state=N            with the N-th record CUPTI tells of a fatal error and is finalised: all else fails
 *     told-state=N             with the N-th record it tells of an error, with the one after of a warning
 *     deinitialised            the driver's exit handler takes it down: calls answer CUDA_ERROR_DEINITIALIZED, and
 *                              CUPTI's functions abort
 *     no-resource-callbacks    none of them is told
 *     wrapping-ids=N           correlation ids begin again behind N
 *     command-buffer-full=N    every N-th launch waits for room in a command buffer: an overhead record that points to
 *                              data, the N-th record's of channel N, of type 1
 *     overhead-data-gone       ... to where nothing is mapped
 *     um-late                  unified memory can be configured behind cuInit only, and its kind enabled behind that
 *     launch-fails=N           every N-th launch: CUDA_ERROR_LAUNCH_FAILED
 *     alloc-fails=N            every N-th allocation: CUDA_ERROR_OUT_OF_MEMORY
 *     device-ids               records of devices have the driver's uuid
 *     mig=N                    ... are of slice N of a divided GPU, with a uuid of its own
 *     unload-takes-names       of an unloaded module the names of kernels are gone
 *     counters-no-permission   counters are for administrators: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
 *     counters-busy            another tool holds the counters: CUPTI_ERROR_HARDWARE_BUSY
 *     counters-unsupported     the device has no counters for CUPTI
 *     counters-small=N         an image of counters has room for N ranges at most
 *     counters-nodes           each kernel of a graph is a range of its own, instead of the graph
 *     evaluate-hangs           the host library does not come back with values
 *     counters-hang=N          from the N-th measured launch on it does not return before its session is stopped
 *     samples-dropped=N        of each sampled kernel the device drops N samples of the program counter
 *     samples-full             the device's buffer of samples is full: CUPTI_ERROR_OUT_OF_MEMORY
 *     samples-pages=N          samples of at most N instructions are given at a time
 *     pm-small=N               an image of samples of performance monitors has room for N at most
 *     pm-busy                  ... they cannot be started: CUPTI_ERROR_HARDWARE_BUSY
 *     pm-overflow=N            ... the device's buffer has room for N
 *     pm-slow=NS               ... each of them takes NS to be fetched while they are taken
 *     pm-decode-fails          ... they cannot be fetched
 *     pm-other-clock=S         ... their times are S seconds ahead
 *     clock-rate=PPM           the device's clock goes faster than the host's by so many millionths
 *     sass-chip                CUPTI has no counts by instruction of the chip: CUPTI_ERROR_NOT_SUPPORTED
 *     sass-refused             code cannot be instrumented now: CUPTI_ERROR_NOT_COMPATIBLE
 *     sass-late                a kernel is not instrumented where that is enabled at the entry of its own launch
 *     sass-many                CUPTI tells of 2^40 instructions
 *     sass-parts=N             each value comes in N parts (of the device)
 *     sass-flush-fails         counts by instruction are not given
 *     code-calls               a kernel calls all other functions of its module: they are sampled and counted with it
 *     sass-dropped=N           ... and N are dropped behind those that were
 *     cubin-bad-pointer        the code of modules lies where nothing is
 *     cubin-bad-size=N         ... is told to be N bytes long
 *   FAKEGPU_REFUSE=NAME[:RESULT],...
 *                              this function of CUPTI answers with RESULT, by default 9 (CUPTI_ERROR_HARDWARE)
 *   FAKEGPU_CUBIN=FILE         the code of each module, instead of what cubin.c makes
 *   FAKEGPU_SOURCE=FILE        the source that its lines are of; default /nowhere/kernels.cu
 *   FAKEGPU_SAMPLES=FILE       what was sampled, a line for each instruction and reason (sampling.c)
 *   FAKEGPU_PM=FILE            samples of performance monitors that were given away, and kernels meanwhile (pm.c)
 *   FAKEGPU_SASS=FILE          what was counted by instruction, a line for each instruction and metric (sass.c)
 *   FAKEGPU_VALUES=FILE        what kernels count, instead of what is made up (values.c)
 *   FAKEGPU_REPLAY=TRACE       what the program replay plays (build/tests/fakegpu/replay; or its argument): a recorded
 *                              trace, as CUPTI gave it
 *   FAKEGPU_REPORT=FILE        at exit: one "counter value" a line
 *   FAKEGPU_COUNTS=FOLDER      calls by function, activities by kind, in a mapped file for each process (counts.c)
 *
 * A forked child writes its calls into the buffers that were open, as the real library may.
 *
 * It names itself "gputap stand-in" wherever a name can be asked for. Not imitated: timing of real hardware, device
 * launches, arrays and textures, multi-process service, green contexts. Counters are made up of names and sizes
 * (profiler.c).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_FAKEGPU_H
#define GPUTAP_TESTS_FAKEGPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_EXPORT __attribute__((visibility("default")))
#define FG_MAX_DEVICES 4
#define FG_INVALID_ID 0xffffffffu

enum { FG_DRIVER = 1, FG_RUNTIME, FG_RESOURCE, FG_SYNCHRONIZE, FG_NVTX, FG_STATE, FG_DOMAINS };

/* CUDA's result numbers that are used here */
enum {
	CU_OK,
	CU_INVALID_VALUE,
	CU_OUT_OF_MEMORY,
	CU_NOT_INITIALIZED,
	CU_DEINITIALIZED,
	CU_NO_DEVICE = 100,
	CU_INVALID_DEVICE,
	CU_INVALID_IMAGE = 200,
	CU_INVALID_CONTEXT,
	CU_INVALID_PTX = 218,
	CU_OPERATING_SYSTEM = 304,
	CU_INVALID_HANDLE = 400,
	CU_NOT_FOUND = 500,
	CU_NOT_READY = 600,
	CU_LAUNCH_FAILED = 719,
	CU_NOT_SUPPORTED = 801,
	CU_CAPTURE_UNSUPPORTED = 900
};
/* CUPTI's */
enum {
	CUPTI_OK,
	CUPTI_INVALID_PARAMETER,
	CUPTI_INVALID_OPERATION = 7,
	CUPTI_HARDWARE = 9,
	CUPTI_SIZE = 10,
	CUPTI_MAX_LIMIT = 12,
	CUPTI_NOT_COMPATIBLE = 14,
	CUPTI_NOT_INITIALIZED,
	CUPTI_QUEUE_EMPTY = 18,
	CUPTI_INVALID_KIND = 21,
	CUPTI_NOT_SUPPORTED = 27,
	CUPTI_PRIVILEGES = 35,
	CUPTI_MULTIPLE = 39,
	CUPTI_UNKNOWN = 999
};

enum fg_kind {
	FG_MEMCPY = 1,
	FG_MEMSET,
	FG_KERNEL,
	FG_DRIVER_API,
	FG_RUNTIME_API,
	FG_DEVICE = 8,
	FG_CONTEXT_RECORD,
	FG_CONCURRENT_KERNEL,
	FG_OVERHEAD = 17,
	FG_MEMCPY2 = 22,
	FG_UNIFIED_MEMORY_COUNTER = 25,
	FG_CUDA_EVENT = 36,
	FG_STREAM,
	FG_SYNCHRONIZATION,
	FG_EXTERNAL_CORRELATION,
	FG_MEMORY2 = 49,
	FG_MEMORY_POOL,
	FG_GRAPH_TRACE,
	FG_JIT,
	FG_GRAPH_HOST_NODE = 56,
	FG_HOST_LAUNCH = 58,
	FG_KINDS = 64
};

enum fg_field {
#define FIELD(kind, name, offset, bytes, since) FG_##kind##_##name,
#include "records.def"
	FG_FIELDS };

struct fg_rec { uint8_t b[320]; };
void fg_put(struct fg_rec *r, enum fg_field field, uint64_t value);
#define PUT(r, kind, name, value) fg_put(r, FG_##kind##_##name, (uint64_t)(value))
void fg_emit(unsigned kind, struct fg_rec *r);          /* fills in the kind; into the calling thread's buffer */
/* incomplete: such a record, its contents to come. NULL: there is no place for it. */
struct fg_body;
struct fg_body *fg_emit_open(unsigned kind, struct fg_rec *r, size_t *at);
void fg_emit_close(struct fg_body *b, size_t at, unsigned kind, struct fg_rec *r); /* kind 0: it stays as it is */
FG_EXPORT size_t fg_record_bytes(unsigned kind);        /* 0: this version has no such kind */
FG_EXPORT bool fg_kind_on(unsigned kind);

struct fg_dim3 { unsigned x, y, z; };
struct fg_memset_params { void *dst; size_t pitch; unsigned value, element_bytes; size_t width, height; };
struct fg_kernel_params {
	struct fg_function *f;
	unsigned gx, gy, gz, bx, by, bz, shared;
	void **params, **extra;
	void *kernel, *context;
};
/* Runtime and driver alike, but for the width of `shared`. */
struct fg_launch_attribute { unsigned id, unused; uint64_t value[8]; };
struct fg_launch_config {
	unsigned gx, gy, gz, bx, by, bz;
	uint64_t shared;
	struct fg_stream *stream;
	struct fg_launch_attribute *attributes;
	unsigned n;
};
typedef void fg_host_fn(void *data);
struct fg_host_params { fg_host_fn *fn; void *data; };
struct fg_rt_kernel_params { void *func; struct fg_dim3 grid, block; unsigned shared; void **params, **extra; };

/* What CUPTI hands to its client's callbacks. */
struct fg_callback_data {
	int site;
	const char *name;
	const void *args;
	void *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *correlation_data; uint32_t correlation;
};
struct fg_resource_data { void *context, *stream, *descriptor; };
struct fg_graph_data { void *graph, *original_graph, *node, *original_node; int node_type; void *dependency, *exec; };
struct fg_module_data { uint32_t id; size_t bytes; const uint8_t *cubin; };
typedef void (*fg_callback)(void *user, int domain, uint32_t cbid, const void *data);

struct fg_call {
	int domain;
	uint32_t cbid;
	const char *name;
	const void *args;
	uint32_t correlation;
	uint64_t start, data;
	const char *symbol;
	bool outermost, called; int result;
	const void *from; bool of_tracer;
};
FG_EXPORT void fg_enter(struct fg_call *c);
FG_EXPORT int fg_leave(struct fg_call *c, int result);
void fg_inject(void);
void fg_runtime_start(void);

struct fg_callback_name { int domain; uint32_t cbid; const char *name; };
extern const struct fg_callback_name fg_callback_names[];

enum fg_magic {
	FG_CONTEXT = 0x43544658,
	FG_STREAM_,
	FG_EVENT,
	FG_MODULE_,
	FG_FUNCTION_,
	FG_GRAPH_,
	FG_EXEC,
	FG_NODE,
	FG_POOL
};
struct fg_context {
	enum fg_magic magic;
	int device;
	uint32_t id;
	bool primary;
	int refs;
	struct fg_stream *null_stream, *streams;
	uint64_t ready, null_ready;
};
struct fg_stream {
	enum fg_magic magic;
	struct fg_context *context;
	uint32_t id;
	unsigned flags;
	uint64_t ready, last;
	struct fg_graph *capture;
	struct fg_stream *next;
};
struct fg_event {
	enum fg_magic magic;
	uint32_t id;
	unsigned flags;
	int device;
	uint64_t ticket, time;
	struct fg_stream *stream;
};
struct fg_kernel_code { const char *name; void (*run)(char *const *args, uint64_t threads); };
enum { FG_NAME = 8192 };                        /* of C++ templates they are long */
struct fg_function {
	enum fg_magic magic;
	char name[FG_NAME];
	int n_args;
	uint8_t arg_bytes[16];
	const struct fg_kernel_code *code;
	struct fg_module *module;
	uint32_t index, instructions;           /* its symbol in the module's code; of 16 bytes each */
	struct fg_function *next;
};
struct fg_module {
	enum fg_magic magic;
	uint32_t id;
	const char *image;
	struct fg_function *functions;
	uint8_t *cubin; size_t cubin_bytes; uint64_t crc;
};
struct fg_pool { enum fg_magic magic; int device; bool is_default; uint64_t used; };

enum fg_work {
	FG_WORK_KERNEL,
	FG_WORK_COPY,
	FG_WORK_SET,
	FG_WORK_EVENT,
	FG_WORK_WAIT,
	FG_WORK_FREE,
	FG_WORK_HOST,
	FG_WORK_GRAPH_END
};

/* One piece of device work: in a device's queue, or the contents of a graph node. */
struct fg_op {
	struct fg_op *next;
	enum fg_work work;
	struct fg_stream *stream;
	struct fg_context *context;
	uint32_t stream_id, correlation;
	uint64_t ticket, queued, start, end;
	bool reported;
	struct fg_body *body; size_t body_at;                 /* incomplete: where its record stands */
	/* kernel */
	struct fg_function *f; struct fg_dim3 grid, block; uint32_t shared; bool cooperative; uint64_t args[16];
	/* copy, set, free */
	uint64_t dst, src, bytes; uint32_t value; uint8_t element, copy_kind, src_kind, dst_kind; bool async, peer;
	struct fg_context *src_context, *dst_context;
	/* function of the host's, and where it ran */
	fg_host_fn *host; void *host_data; uint32_t host_tid;
	/* event, wait */
	struct fg_event *event; int wait_device; uint64_t wait_ticket;
	/* graphs */
	uint64_t node_id; uint32_t graph_id; bool quiet;
	uint64_t graph_start;
};
struct fg_node {
	enum fg_magic magic;
	uint64_t id;
	struct fg_node *next, *copy_of;
	struct fg_op op;
	int n_deps;
	struct fg_node *deps[16];
};
struct fg_graph { enum fg_magic magic; uint32_t id; struct fg_node *first, *last; };

/* device.c */
void fg_submit(struct fg_stream *s, struct fg_op *op);   /* op is copied; into the graph when the stream captures */
void fg_device_wait(int device, uint64_t ticket);        /* until done and its time is over */
bool fg_device_done(int device, uint64_t ticket);
uint64_t fg_device_last(int device);
void fg_report_pending(void);                            /* forced flush: open-ended records of what still runs */
struct fg_node *fg_graph_append(struct fg_graph *g, const struct fg_op *op);
void fg_emit_kept(void);                                 /* out-of-order: the odd one */

/* memory.c */
enum { FG_PAGEABLE = 1, FG_PINNED, FG_DEVICE_MEMORY, FG_MANAGED = 5 };
int fg_memory_kind(uint64_t address, int *device);
int fg_allocate(
	struct fg_call *c, uint64_t *out, size_t bytes, int kind, struct fg_pool *pool, struct fg_stream *async);
int fg_release(struct fg_call *c, uint64_t address, struct fg_stream *async);
void fg_release_now(uint64_t address);
void fg_migrate(struct fg_context *ctx, uint32_t stream_id, bool to_device);

/* context of the calling thread; NULL when none */
struct fg_context *fg_current(void);
struct fg_stream *fg_stream_of(struct fg_stream *handle); /* 0, 1, 2: the null stream; NULL if it is none */
void fg_context_records(struct fg_context *ctx);
void fg_stream_record(struct fg_stream *s, uint32_t correlation);
FG_EXPORT uint64_t fg_cubin_crc(const uint8_t *cubin, size_t bytes);
void fg_resource(uint32_t cbid, struct fg_context *ctx, void *stream, void *descriptor);
void fg_synchronized(uint32_t cbid, struct fg_context *ctx, struct fg_stream *s);

FG_EXPORT bool fg_fault(const char *name, long *value);   /* value may be NULL */
int fg_refused(const char *function);                   /* in CUPTI: what FAKEGPU_REFUSE says of it; 0: nothing */
FG_EXPORT bool fg_fault_due(const char *name);            /* every N-th call of name=N */
FG_EXPORT uint64_t fg_now(void);
FG_EXPORT uint32_t fg_thread_id(void);
uint32_t fg_next_id(void);

/* What libcupti needs of the driver. */
struct fg_state {
	uint32_t cupti_version;                               /* 0: none loaded */
	fg_callback callback; void *user; char subscriber[64]; /* the slot */
	bool domain_on[FG_DOMAINS]; uint8_t callback_on[FG_DOMAINS][1024];
	atomic_bool kind_on[FG_KINDS];
	uint8_t api_off[3][1024], api_on[3][1024];
	void (*request)(uint8_t **buffer, size_t *bytes, size_t *max_records);
	void (*complete)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
	uint64_t (*timestamp)(void);
	int thread_id_type;
	uint64_t attribute[11];
	bool latency_timestamps, all_sync, event_timestamps, um_configured, finalized;
	bool initialised;                                     /* cuInit is over but for telling it */
	bool failed, gone;                                    /* fatal-state; deinitialised */
	void (*launched)(struct fg_context *context, const struct fg_op *op); /* ranges are collected ... */
	uint32_t flush_period_ms;
	atomic_ulong dropped;
	pid_t pid;                                            /* of cuInit */
	int driver_version;
	/*
	 * replay.c: nothing is recorded of its own; sizes and names are those of the recording, the clock goes on
	 * from it
	 */
	bool replaying;
	const uint16_t *replay_bytes;
	const char *(*replay_name)(int domain, uint32_t cbid);
	int64_t clock_shift;
};
FG_EXPORT extern struct fg_state fg_state;
FG_EXPORT extern __thread bool fg_in_resource_callback, fg_at_entry;
void fg_tell_state(uint32_t cbid);
FG_EXPORT int fg_flush(uint32_t flags);
FG_EXPORT void fg_enable_dump(unsigned kind);             /* late attach: what exists */
FG_EXPORT int fg_push_external(unsigned kind, uint64_t id);
FG_EXPORT int fg_pop_external(unsigned kind, uint64_t *id);
FG_EXPORT const char *fg_callback_name_of(int domain, uint32_t cbid);
FG_EXPORT void fg_period_changed(void);

/* profiler.c, sampling.c, sass.c: ranges, samples and instrumented code cannot share a process */
extern bool fg_profiler_initialised;

/* values.c: false where the test says nothing of it */
bool fg_said_value(const char *kernel, const char *metric, double *value);
bool fg_said_value_at(const char *kernel, const char *metric, uint32_t offset, uint64_t *value); /* of an instruction */

/* counts.c */
void fg_counts_call(struct fg_call *c);
void fg_counts_unrecorded(const struct fg_call *c);
void fg_counts_record(unsigned kind);
void fg_counts_drop(void);

/* counters of FAKEGPU_REPORT */
enum fg_counter {
	FG_C_DRIVER_CALLS,
	FG_C_RUNTIME_CALLS,
	FG_C_CALLBACKS,
	FG_C_RECORDS,
	FG_C_DROPPED,
	FG_C_BUFFERS_REQUESTED,
	FG_C_BUFFERS_DECLINED,
	FG_C_BUFFERS_COMPLETED,
	FG_C_FLUSHES,
	FG_C_FORCED,
	FG_C_KERNELS,
	FG_C_COPIES,
	FG_C_SETS,
	FG_C_GRAPH_LAUNCHES,
	FG_C_INJECTIONS,
	FG_C_INJECTION_REFUSED,
	FG_C_LIVE_MEMORY,
	FG_C_LIVE_STREAMS,
	FG_C_LIVE_EVENTS,
	FG_C_LIVE_GRAPHS,
	FG_C_LIVE_MODULES,
	FG_COUNTERS
};
FG_EXPORT void fg_count(enum fg_counter c, long n);

#include "calls.h"
#endif
