/*
 * trace/write/tls.h - what a thread knows without asking, and the words that switch recording on and off
 *
 * Runs      anywhere in the traced program.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_TLS_H
#define GPUTAP_TRACE_WRITE_TLS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/write/stream/stream.h"

#define TAP_LIKELY(x) __builtin_expect(!!(x), 1)
#define TAP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TAP_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define TAP_WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
/* Of static thread-local storage in each object that is preloaded. */
#define TAP_TLS_BYTES 64
#define TAP_HIDDEN __attribute__((visibility("hidden")))
#define TAP_COLD __attribute__((cold, noinline))

struct tap_cl_queue;

/*
 * One per thread, initial-exec, written by its thread alone (and its signal handlers, which leave it as they found it).
 * The one thread-local variable of libgputap.so: where an audit module is, glibc puts all that is preloaded into a
 * reserve of 1.6 KB, which the program's own libraries need too, and refuses to start without room (`make lint` checks
 * what each object takes). What only a thread with a stream needs stands in struct tap_stream; objects beside
 * libgputap.so have their state behind a pointer (trace/write/thread_memory.c).
 */
struct tap_tls {
	struct tap_stream *stream;      /* NULL: none yet, or given back */
	int *errno_at;                  /* this thread's errno, asked once; set with stream */
	uint32_t depth;                 /* slots in use */
	uint32_t own_calls;             /* > 0: calls are the tool's own */
	/* of the OpenCL call that begins now while slots are in use, or own_calls; NULL: not known */
	const void *caller;
	/* collectors/opencl/: of the last enqueue; whose last release this thread is in */
	struct tap_cl_queue *last_queue, *releasing;
	uint8_t opening;                /* > 0: this thread is inside the opening of its stream */
	uint8_t looking;                /* > 0: ... inside questions to an OpenCL driver (collectors/opencl/) */
	uint16_t early_skip;            /* calls that need not look at the clock; while the window has not begun */
	uint32_t early_tick;            /* when the last one did, lower half */
	/* collectors/cupti/resource.c: the API call that this thread is in, as far as callbacks told */
	uint32_t cuda_correlation;      /* number of the outermost; 0 unknown */
	uint16_t cuda_depth;            /* calls inside each other */
	uint16_t ranges;                /* collectors/nvtx/watch.c: place of its pushed ranges, plus one; 0: none */
};
_Static_assert(sizeof(struct tap_tls) <= TAP_TLS_BYTES, "the program's libraries need the rest");
extern __thread struct tap_tls tap_tls TAP_HIDDEN __attribute__((tls_model("initial-exec")));

#define TAP_FORK_WORDS 64

/*
 * One page that fork wipes (MADV_WIPEONFORK): zero means that this is a new process, that nothing was opened yet, or
 * that recording is off. vfork shares it, on purpose. Written by stream.c and process.c.
 */
struct tap_gate {
	uint64_t until_tick;            /* calls that begin before it take the fast path; 0 = ask the slow path */
	uint64_t alive;                 /* 1 while the streams of this process image are its own */
	uint64_t started;               /* 1 from its first stream on */
	uint64_t run_state;             /* enum tap_run_state */
	uint64_t ended;                 /* 1 from the EXIT record on */
	uint64_t ranges_until_tick;     /* as until_tick, for NVTX: open too when calls are not traced */
	uint64_t apart[2];              /* the words above are read at every call, those below change */
	uint64_t word[TAP_FORK_WORDS];  /* given out by tap_fork_word(); written by who got them */
};
extern struct tap_gate *tap_gate TAP_HIDDEN;
enum { TAP_OFF_OPTION = 1, TAP_OFF_WINDOW, TAP_OFF_EXIT, TAP_OFF_EARLY };
extern bool tap_calls_off TAP_HIDDEN;  /* OpenCL is not traced, other domains are; set by the constructor */
/* not 0: recording is off, EARLY: until the window begins, else for good; begin answers at once */
extern int tap_off TAP_HIDDEN;

/* As tap_stream_reserve, for a call's record: it leaves the last 4 KiB of a chunk alone. */
uint64_t *tap_stream_reserve_call(struct tap_stream *s, uint32_t words, uint64_t *link);
/* Whether the window has not begun; once it has, tap_off says so. */
bool tap_window_early(void);
/* The stream for a call that begins at `tick` while the gate is shut or passed; NULL: not recorded. */
struct tap_stream *tap_stream_at_gate(uint64_t tick);

#endif
