/*
 * collectors/cupti/internal.h - what the files of the CUPTI collector share: the library's functions, views of its
 * data, state
 *
 * Runs      inside the traced program: in cuInit, in CUPTI's callbacks on any thread, on a thread of our own.
 *
 * CUPTI is loaded at cuInit and never earlier, and never linked: each function is asked for by name and may be absent,
 * but for the required ones. Structures are own views of what the interface fixes; nothing of the vendor's headers is
 * needed to build this.
 *
 *   collector.c  way in, start, kinds, window, end
 *   load.c       which library, its functions, sizes of its records
 *   buffer.c     buffers requested and completed
 *   string.c     what records point to
 *   peek.c       what stands in open buffers
 *   filter.c     which API calls
 *   resource.c   contexts, modules, graphs
 *   thread.c     flushes, clocks, time limits of the recording
 *   args.c       arguments of API calls (--cuda-args)
 *   client.c     another client of CUPTI in the process
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_CUPTI_INTERNAL_H
#define GPUTAP_COLLECTORS_CUPTI_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/cupti_answer.h"
#include "trace/write/options.h"
#include "trace/write/process.h"
#include "trace/write/call/stack.h"
#include "trace/write/room.h"
#include "trace/write/scratch.h"
#include "trace/write/sys.h"
#include "trace/write/text.h"
#include "trace/write/tls.h"

/* ---------------------------------------------------- what CUPTI hands out */

enum tap_cupti_domain {
	TAP_CUPTI_DRIVER = 1,
	TAP_CUPTI_RUNTIME,
	TAP_CUPTI_RESOURCE,
	TAP_CUPTI_SYNCHRONIZE,
	TAP_CUPTI_NVTX,
	TAP_CUPTI_STATE
};
enum { TAP_CUPTI_ENTER = 0, TAP_CUPTI_EXIT = 1 };
enum { TAP_CUPTI_STATES = 3 };  /* callbacks of the state domain: fatal error, error, warning */

/* Of an API call. Valid during the callback. */
struct tap_cupti_callback {
	uint32_t site;                  /* TAP_CUPTI_ENTER, TAP_CUPTI_EXIT */
	const char *function;           /* without the version suffix */
	const void *params;             /* the call's parameter structure; NULL when it has none */
	const void *result;             /* exit: int32_t in most calls */
	const char *symbol;             /* launches: the kernel's mangled name, or NULL */
	void *context;
	uint32_t context_id;
	uint64_t *shared;               /* one word, the same at entry and exit of a call: the argument collector's */
	uint32_t correlation;           /* as in the activity record of the call */
};
_Static_assert(offsetof(struct tap_cupti_callback, correlation) == 64, "a fact of the interface");

struct tap_cupti_resource { void *context, *stream; const void *detail; };
struct tap_cupti_module { uint32_t id; size_t bytes; const void *binary; };
struct tap_cupti_graph { void *graph, *original, *node, *original_node; int32_t node_type; void *dependency, *exec; };

/* A buffer of activities is asked for, or comes back. */
typedef void tap_cupti_request(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void tap_cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
typedef void tap_cupti_on_callback(void *user, int domain, uint32_t cbid, const void *data);
struct tap_cupti_subscriber { size_t bytes; const char *name; char *other; size_t other_bytes; };
struct tap_cupti_state { int result; const char *message; };
struct tap_cupti_crc { size_t size, bytes; const void *binary; uint64_t crc; };
struct tap_cupti_um_config { uint32_t scope, kind, device, enable; };

#define TAP_CUPTI_KINDS 64u     /* numbers asked for */

/* ------------------------------------------------------- the library's functions */

/*
 * ANSWER1: a function is called as TAP_CUPTI(name, arguments...), and the result looked at, there or by the caller.
 * Where older libraries lack it, TAP_CUPTI_HAS is asked before.
 */
struct tap_cupti_raw {
#define FUNCTION(name, need, refusal, loss, lost, arguments) int (*name) arguments;
#include "collectors/cupti_functions.def"
};
#define TAP_CUPTI(name, ...) tap_cupti_answer(TAP_CUPTI_##name, tap_cupti.raw.name(__VA_ARGS__))
#define TAP_CUPTI_HAS(name) (tap_cupti.raw.name != NULL)
/* TAP_CUPTI_ABSENT: the library lacks it. */
#define TAP_CUPTI_IF_ANY(name, ...) (TAP_CUPTI_HAS(name) ? TAP_CUPTI(name, __VA_ARGS__) : TAP_CUPTI_ABSENT)
enum { TAP_CUPTI_ABSENT = -1 };
#define TAP_CUPTI_ADDRESS(name) ((const void *)tap_cupti.raw.name)

/* ---------------------------------------------------------------------- state */

/* Written by the thread inside cuInit, before anything is subscribed; afterwards by whom it says. */
struct tap_cupti {
	struct tap_cupti_raw raw;
	void *handle;                   /* of the library */
	void *subscriber;
	uint32_t version;               /* CUPTI's */
	uint32_t driver;                /* the driver's CUDA version, 13000 = 13.0; 0 unknown */
	uint32_t flags;                 /* enum rec_cupti_library */
	uint16_t record_bytes[TAP_CUPTI_KINDS]; /* 0: the library has no such kind */
	uint64_t *alive;                /* 1; a fork wipes it: a child sees 0 and leaves CUPTI alone */
	uint32_t pid;
	bool recording;                 /* kinds are on: changed by cupti.c */
	bool args;                      /* --cuda-args */
	bool stacks;                    /* --callstacks=cuda */
	bool ready;                     /* all is switched on: buffers asked for from here on are the program's doing */
	bool ending;                    /* the process ends, and the driver may be taking itself down */
	bool closed;                    /* CUPTI has finalised itself, or is another client's now: nothing of it is
	                                 * called any more */
	uint64_t kinds;                 /* a bit for each that we have switched on */
	uint32_t starter;               /* futex word: tid of the thread that makes the start; 0: none does now */
	uint32_t completed;             /* buffers that came back: progress while something waits */
	uint32_t busy;                  /* of them those with records of the program's doing */
	char path[TAP_PATH_MAX];
};
extern struct tap_cupti tap_cupti TAP_HIDDEN;

static inline bool tap_cupti_alive(void) { return tap_cupti.alive && TAP_READ_ONCE(*tap_cupti.alive); }
uint64_t tap_cupti_option_number(const char *name);

/* ---- load.c: finds, opens and asks the library. False: said why in the trace. */
bool tap_cupti_load(void);
bool tap_cupti_ask_library(void);                       /* its version and sizes, once subscribed */
/* It answered so when it was subscribed to: why CUDA is not traced. */
void tap_cupti_say_refused(unsigned f, int result);

/* ---- buffer.c */
bool tap_cupti_buffers_open(void);
void tap_cupti_request_buffer(uint8_t **buffer, size_t *bytes, size_t *max_records);
bool tap_cupti_is_buffer(const uint8_t *buffer);        /* one of ours, that has not come back */
bool tap_cupti_waste_is_out(void);                      /* CUPTI has one whose records are thrown away */
void tap_cupti_complete_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
/* What CUPTI has dropped since this was last called is counted. */
void tap_cupti_ask_dropped(void *context, uint32_t stream);

/*
 * ---- string.c: what the records of a buffer point to goes into the trace, unless it is there. *used: bytes up to
 * the end of the last whole record. Returns how many records there are of the program's doing: not CUPTI's own
 * overhead.
 */
uint64_t tap_cupti_strings(const uint8_t *buffer, size_t bytes, size_t *used);
/* Copies memory that may not be there: how many bytes came over. Makes a system call. */
size_t tap_cupti_copy(uint64_t address, void *to, size_t bytes);

/* ---- peek.c */
void tap_cupti_peek_add(const uint8_t *buffer, size_t bytes, uint64_t place);
void tap_cupti_peek_remove(const uint8_t *buffer);
bool tap_cupti_peek_knows(const uint8_t *buffer);
bool tap_cupti_peek_any(void);                          /* whether there is an open buffer */
/* Whether open buffers hold something new; its names are stored then. */
bool tap_cupti_peek(void);
/* CUPTI is not called any more: what open buffers have not used goes back to the disk. After a look. */
void tap_cupti_peek_leave(void);
/* In a forked child: what a CUPTI that does not know of the fork writes into its parent's buffers goes nowhere. */
void tap_cupti_peek_forked(void);
/* Whether open buffers hold device work that has no end yet. */
bool tap_cupti_peek_unended(void);

/* ---- filter.c */
void tap_cupti_filter_init(void);
/* Switches the records of API calls on or off, by --cuda-api and --cuda-filter. */
void tap_cupti_filter_records(bool on);
/* The same for callbacks with arguments, and those that tell which call makes a graph. */
void tap_cupti_filter_callbacks(bool on);
/*
 * What is known of each API call before it comes: it passes the filters, makes or changes graphs, may end a context, is
 * a launch that takes attributes, one that may be counted (collectors/counting.h).
 */
#define TAP_CUPTI_LAST_CBID 2047u       /* 13.0 has 806 */
enum tap_cupti_choice { TAP_CUPTI_CHOSEN = 1, TAP_CUPTI_GRAPHS = 2, TAP_CUPTI_ENDS = 4, TAP_CUPTI_LAUNCHES = 8,
	TAP_CUPTI_COUNTED = 16 };
extern uint8_t tap_cupti_choices[3][TAP_CUPTI_LAST_CBID + 1] TAP_HIDDEN;
static inline uint32_t tap_cupti_choice(uint32_t domain, uint32_t cbid)
{
	return cbid <= TAP_CUPTI_LAST_CBID ? tap_cupti_choices[domain][cbid] : 0;
}
void tap_cupti_write_names(void);                       /* REC_CUPTI_NAME of all functions */

/* ---- resource.c */
void tap_cupti_resource_callbacks(bool on);
/* Of callbacks that were switched: what is missing where some were refused. */
void tap_cupti_say_callbacks(const struct tap_cupti_refusals *r, bool on, const char *lost);
void tap_cupti_resource_event(uint32_t cbid, const struct tap_cupti_resource *data);
/* At both ends of a launch: for who counts. */
void tap_cupti_count(const struct tap_cupti_callback *c);
/* At the end of a launch with attributes: those of them that break the stream's order. */
void tap_cupti_launch_order(uint32_t cbid, const struct tap_cupti_callback *c);
/* Number of the API call that this thread is in, as far as callbacks told; 0 unknown. True: no call was around it. */
static inline bool tap_cupti_enter(uint32_t correlation)
{
	struct tap_tls *t = &tap_tls;

	if (t->cuda_depth && t->cuda_correlation == correlation) {
		t->cuda_depth++;
		return false;
	}
	/* an exit that never came (longjmp, an exception) is forgotten here */
	t->cuda_correlation = correlation;
	t->cuda_depth = 1;
	return true;
}
static inline void tap_cupti_leave(uint32_t correlation)
{
	struct tap_tls *t = &tap_tls;

	if (t->cuda_depth && t->cuda_correlation == correlation && --t->cuda_depth == 0)
		t->cuda_correlation = 0;
}

/* ---- thread.c */
/* Any thread, any number of times. init_told: cuInit is over or nearly; else it may still go on. */
void tap_cupti_thread_start(bool init_told);
void tap_cupti_exit(int kind);                          /* the image ends: flush, bounded in time */
void tap_cupti_collect(void);                           /* a context is about to go: flush, soon or not at all */
void tap_cupti_flush(uint32_t flags);                   /* FLUSH1: on the collector's thread alone */
/* All of CUPTI is another client's when it comes back: CLIENT3. For a limited time. */
void tap_cupti_give_way(void);
/* Around a flush of another client's: CLIENT5. */
void tap_cupti_client_flush_begin(void);
void tap_cupti_client_flush_end(void);
/* The driver may be gone: only the collector's thread, which asks whether it is there, may call CUPTI. */
bool tap_cupti_behind_driver(void);

/* ---- cupti.c, for the thread */
void tap_cupti_set_recording(bool on);
void tap_cupti_stop(void);                              /* the window is over: nothing of it stays switched on */
/* For another client: what only we have switched on goes off; then what we have set is set back, and nobody is
 * subscribed. */
void tap_cupti_switch_off(void);
void tap_cupti_hand_over(void);
static inline bool tap_cupti_has_kind(uint32_t kind)
{
	return __atomic_load_n(&tap_cupti.kinds, __ATOMIC_RELAXED) >> kind & 1;
}
int tap_cupti_enable(uint32_t kind);
int tap_cupti_disable(uint32_t kind);                   /* unless another client has it too */
void tap_cupti_quiet(void);                             /* before the last flush of a process */
void tap_cupti_flush_failed(int err);
void tap_cupti_say_by_node(void);                       /* a graph can be launched from here on */
void *tap_cupti_driver(void);                           /* for way_in.dlclose; NULL: none is loaded. load.c */
bool tap_cupti_driver_is_up(void);
void tap_cupti_configure_late(void);                    /* what a driver may refuse before it is initialised */
bool tap_cupti_may_change_mind(int err);                /* cuInit is not over: what was refused is asked for again */
void tap_cupti_filter_again(void);                      /* behind it */
void tap_cupti_event(enum rec_cupti_event what, uint32_t cbid, uint32_t context, const uint64_t words[4]);

/* ---- client.c */
const char *tap_cupti_client_first(void);               /* who subscribed or gave buffers before us; NULL: nobody */
bool tap_cupti_client_has_kind(uint32_t kind);
bool tap_cupti_client_has_set(uint32_t attribute);
bool tap_cupti_client_names_threads(void);

/* ------------------------------------------------------------------- arguments */

/*
 * Of the argument collector, called at entry and exit of each call that is to be recorded with its arguments
 * (--cuda-args and the filters say which; the window is open). Runs on the calling thread inside CUPTI's callback: no
 * CUDA, no lock, no allocation; errno is kept by the caller.
 */
void tap_cupti_call(enum tap_cupti_domain domain, uint32_t cbid, const struct tap_cupti_callback *data) TAP_HIDDEN;
/* Before the first of them: the table of --cuda-table. Makes system calls. */
void tap_cupti_args_start(void) TAP_HIDDEN;

#endif
