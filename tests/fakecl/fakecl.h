/*
 * tests/fakecl/fakecl.h - a stand-in OpenCL runtime for what real ones here cannot show
 *
 * An ICD with several platforms of different OpenCL versions. It computes nothing but does move memory, keeps reference
 * counts, events, wait lists and flushes as the specification says, has a device clock of its own, and fails on demand:
 *
 *   FAKECL_PLATFORMS=N         platforms shown (1..7; versions 3.0 2.2 2.1 2.0 1.2 1.1 1.0); default 1
 *   FAKECL_DEVICES=N           devices of each (1..4); default 2: a GPU and a CPU
 *   FAKECL_FAULTS=a,b=N,...    profiling-refused    queues with profiling: CL_INVALID_QUEUE_PROPERTIES
 *                              profiling-late=N     the first N profiling queries of an event: not available
 *                              profiling-zero       all times 0
 *                              profiling-untouched  success, nothing written
 *                              profiling-counts     0, 1, 2, 3 for every command, as rusticl answers
 *                              profiling-reversed   start behind end
 *                              failed-wait-zero     a command whose wait failed: complete, its start is 0, as Intel's
 *                              write-late=MS        blocking writes return at once and complete MS later, as Intel's
 *                              marker-queued-zero   markers and barriers were queued at 0, as Intel's
 *                              profiling-glued      start before submit: two clocks
 *                              info-signals         each question about a device makes a signal for its thread
 *                              clock-permille=N     the device's clock makes N us while the host's makes 1000
 *                              clock-step-us=US     the device's clock is stepped by that, 30 ms after it began
 *                              kernel-us=US         kernels take so long
 *                              no-timers            clGetDeviceAndHostTimer: CL_INVALID_OPERATION
 *                              map-fails            maps return NULL and an error
 *                              enqueue-fails=N      every N-th enqueue: CL_OUT_OF_RESOURCES
 *                              command-fails=N      every N-th command ends with -9999
 *                              release-slow=MS      clReleaseEvent takes so long in other threads than the first
 *                              late-callbacks=MS    callbacks come on a thread of their own, MS later, even after main
 *                              build-slow=MS        clBuildProgram takes so long
 *                              command-buffers=N    command buffers of version 0.9.N; without: 0.9.0
 *                              no-function=NAME     the extension look-up of NAME answers NULL
 *                              as-built             devices are CPUs; kernels take as many arguments as their source
 *                                                   says, none over 63, and no local memory but what is set; no local
 *                                                   size is suggested
 *   FAKECL_REPORT=FILE         at exit: counters (status queries of unflushed events, live objects by kind, ...)
 *   FAKECL_COUNTS=FOLDER       calls by function and by who made them, in a mapped file for each process: what came
 *                              through any loader, and by addresses of extension functions (tests/witness/witness.h)
 *
 * It names itself "gputap stand-in" wherever a name can be asked for.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_FAKECL_H
#define GPUTAP_TESTS_FAKECL_H

#include <CL/cl_icd.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "opencl_types.h"                 /* of extensions that these headers lack, or hide as provisional */

enum fk_kind {
	FK_FREE,
	FK_PLATFORM,
	FK_DEVICE,
	FK_CONTEXT,
	FK_QUEUE,
	FK_MEM,
	FK_SAMPLER,
	FK_PROGRAM,
	FK_KERNEL,
	FK_EVENT,
	FK_COMMAND_BUFFER,
	FK_KINDS
};

/* Every object begins like this: the loader reads the first word. */
struct fk_object {
	const cl_icd_dispatch *dispatch;
	enum fk_kind kind;
	int refs;
	struct fk_object *next_free;
};

struct fk_callback { struct fk_callback *next; void (*fn)(void); void *user; cl_int status; };

struct _cl_platform_id { struct fk_object o; int index, version; cl_icd_dispatch table; };
struct _cl_device_id { struct fk_object o; cl_platform_id platform; int index; bool cpu; cl_device_id parent; };
struct _cl_context {
	struct fk_object o;
	cl_platform_id platform;
	cl_uint n_devices;
	cl_device_id devices[8];
	cl_context_properties properties[16];
	size_t n_properties; struct fk_callback *destructors;
};
struct _cl_command_queue {
	struct fk_object o;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties properties;
	cl_queue_properties list[16]; size_t n_list; struct fk_command *first, *last; cl_command_queue next;
};
struct _cl_mem {
	struct fk_object o;
	cl_context context;
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t size, origin;
	char *host, *data;
	cl_mem parent;
	cl_image_format format; cl_image_desc desc; cl_uint maps; struct fk_callback *destructors;
};
struct _cl_sampler { struct fk_object o; cl_context context; };
struct _cl_program {
	struct fk_object o;
	cl_context context;
	char *source;
	char options[256];
	cl_build_status built;
	cl_uint n_kernels;
	char kernels[32][64];
	cl_uint arguments[32];
};
struct _cl_kernel { struct fk_object o; cl_program program; char name[64]; cl_uint arguments; size_t local; };
struct _cl_event {
	struct fk_object o;
	cl_context context;
	cl_command_queue queue;
	cl_command_type type;
	cl_int status;
	cl_ulong time[5];
	bool flushed;
	int profiling_queries; struct fk_callback *callbacks;
};
struct _cl_command_buffer_khr { struct fk_object o; cl_command_queue queue; bool final; unsigned n; };

/* A command in a queue: run() moves memory. */
struct fk_command {
	struct fk_command *next;
	cl_event event;
	cl_uint n_waits; cl_event *waits;
	int (*run)(struct fk_command *c);
	const char *src; char *dst; size_t bytes;
	size_t region[3], src_pitch[2], dst_pitch[2];
	char pattern[128]; size_t pattern_bytes;
	uint64_t spin_ns, due_ns;       /* due: not over before */
	void (*native)(void *); void *native_args;
	cl_mem mem[2];                  /* kept while pending */
	cl_kernel kernel;
};

extern pthread_mutex_t fk_lock;
bool fk_fault(const char *name, long *value);            /* value may be NULL */
void *fk_new(enum fk_kind kind, cl_platform_id platform); /* one reference; zeroed */
bool fk_is(const void *handle, enum fk_kind kind);
void fk_unref(void *object);                              /* fk_lock held */
uint64_t fk_host_ns(void);
cl_ulong fk_device_ns(void);
cl_int fk_answer(size_t room, void *out, size_t *ret, const void *value, size_t bytes);
void fk_run_callbacks(
	struct fk_callback *list, void (*call)(struct fk_callback *c, void *a, void *b), void *a, void *b);

/* queue.c */
cl_int fk_enqueue(cl_command_queue q, cl_command_type type, cl_uint n, const cl_event *waits, cl_event *out,
	struct fk_command *c, bool blocking);
void fk_flush(cl_command_queue q);                        /* fk_lock held */
void fk_unlist(cl_command_queue q);                       /* lock held */
void fk_pump(void);                                       /* lock held */
cl_int fk_wait(cl_uint n, const cl_event *events);        /* lock not held */
void fk_set_status(cl_event e, cl_int status);            /* lock held */
cl_platform_id fk_platform(int index);
int fk_platform_count(void);
void *fk_extension(const char *name);
extern const cl_icd_dispatch fk_full_dispatch;
extern const struct fk_place { const char *name; size_t offset; } fk_places[];   /* ends with a NULL */
struct fk_counts { long unflushed_queries, event_callbacks, queues_with_profiling, profiling_queries; };
extern struct fk_counts fk_counts;
extern long fk_live[FK_KINDS];

/* the last three parameters of most enqueue functions */
#define WAITS cl_uint n, const cl_event *w, cl_event *e
#define LOCK() pthread_mutex_lock(&fk_lock)
#define UNLOCK() pthread_mutex_unlock(&fk_lock)
#define SET(err, code) do { if (err) *(err) = (code); } while (0)

#endif
