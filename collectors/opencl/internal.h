/*
 * collectors/opencl/internal.h - what the files of the OpenCL collector share: queues, pending commands, pools
 *
 * Runs      in the calling thread, inside wrappers; on driver threads inside callbacks (pools and records only).
 * Must not  malloc, lock, hold anything across a driver call, change errno.
 *
 * SLOT1  A queue's state and its rings are never unmapped, so a stale pointer to them is always readable. A state
 *        belongs to a handle only while state->handle says so.
 * SLOT2  Whoever moved a slot from FULL to BUSY owns it alone until it stores FULL or DONE again; only the owner asks
 *        the driver about the slot's event, and only the owner gives our reference back.
 * SLOT3  Every event in a ring carries exactly one reference of ours: it is there before the slot is FULL and before
 *        the application has the event, and goes before the slot is DONE.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_OPENCL_INTERNAL_H
#define GPUTAP_COLLECTORS_OPENCL_INTERNAL_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/opencl/hooks.h"
#include "opencl_hooks.h"
#include "trace/write/options.h"
#include "trace/write/scratch.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ------------------------------------------------------------------ pools: pool.c */

/* Cells of one size on mmap'ed slabs. Never shrinks; lock-free; a cell's memory stays readable for ever. */
#define TAP_CL_POOL_SLABS 4096u
struct tap_cl_pool {
	const uint32_t cell_bytes;
	const uint32_t per_slab;
	_Atomic uint64_t free;                    /* tag << 32 | index + 1 of the first free cell */
	_Atomic uint32_t next;                    /* first index never handed out */
	_Atomic(uint8_t *) slab[TAP_CL_POOL_SLABS];
};
/* Every cell starts with its own pool word; the rest is the user's. */
struct tap_cl_cell { _Atomic uint32_t next_free; uint32_t index; };
/* NULL: no memory. Contents as the last user left them */
void *tap_cl_pool_take(struct tap_cl_pool *p);
void tap_cl_pool_give(struct tap_cl_pool *p, void *cell);
void *tap_cl_pool_at(struct tap_cl_pool *p, uint32_t index);      /* NULL: never handed out */
/* Zeroed pages or NULL; unlike malloc it may be used anywhere. */
void *tap_cl_pages(size_t bytes);
void tap_cl_pages_free(void *pages, size_t bytes);

/* ------------------------------------------------------------------ pending commands: pending.c */

#define TAP_CL_BRACKET_MAX 0x7fffffffu

enum tap_cl_slot_state { TAP_CL_FREE = 0, TAP_CL_FULL = 1, TAP_CL_BUSY = 2, TAP_CL_DONE = 3 };
#define TAP_CL_TRIES_MAX 31u
/* One command whose times we still want. 32 bytes. */
struct tap_cl_slot {
	/* ticket's low 25 bits << 7 | looks that found it complete without times << 2 | state */
	_Atomic uint32_t state;
	struct tap_cl_span {
		uint32_t bracket : 31;            /* duration of the enqueue call in ticks, saturated */
		uint32_t blocking : 1;            /* the call has returned as blocking: it is over, or as good as */
	} span;
	cl_event event;
	uint64_t link;                            /* the call's record */
	uint64_t start_tick;                      /* when the enqueue call began */
};
static inline uint32_t tap_cl_slot_word(uint64_t ticket, uint32_t tries, enum tap_cl_slot_state s)
{
	return (uint32_t)ticket << 7 | tries << 2 | (uint32_t)s;
}

/* Bounded ring, many producers, many consumers; slots are freed in any order, the head passes over the freed ones. */
struct tap_cl_ring {
	struct tap_cl_slot *slots;
	uint32_t mask;                            /* slots - 1 */
	_Atomic uint32_t limit;                   /* slots that may be in use: this ring's share of --max-pending */
	_Atomic uint64_t head, tail;              /* tickets */
	_Atomic uint64_t flushed;                 /* tickets below: the application has flushed them */
	_Atomic uint64_t flushing;                /* tickets below: covered by the flush that began last */
	_Atomic uint64_t cursor;                  /* out-of-order: where the next look behind the heads goes */
};
static inline uint64_t tap_cl_ring_used(struct tap_cl_ring *r)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	return atomic_load_explicit(&r->tail, memory_order_relaxed) - head;
}
#define TAP_CL_RINGS 18u                          /* 128 << k slots each */
#define TAP_CL_RING_FIRST 128u

struct tap_cl_device;

struct tap_cl_queue {
	struct tap_cl_cell cell;
	_Atomic(cl_command_queue) handle;         /* NULL: the application's last reference is gone */
	const struct tap_opencl_api *real;
	cl_context context;
	struct tap_cl_device *device;
	_Atomic uint32_t references;              /* the application's */
	_Atomic uint32_t used;                    /* 1 from creation until the rings are empty and the handle is gone */
	uint8_t profiled;                         /* REC_ATTR_PROFILED: does the driver time this queue, and for whom */
	bool app_profiles;                        /* what the application may see */
	bool out_of_order;
	bool list_known;                          /* made by a ...WithProperties function */
	bool on_device;                           /* of kernels' own commands: nobody asks it for times */
	_Atomic bool unknown;                     /* made before the window: no record tells of it yet */
	uint8_t list_words;                       /* the application's own list, its 0 included; 0 = it gave none */
	_Atomic uint32_t skip, miss;              /* enqueues to go before the next look; misses in a row */
	_Atomic uint32_t top;                     /* the ring that takes new commands; older ones only drain */
	cl_queue_properties list[2 * 64 + 1];
	struct tap_cl_ring ring[TAP_CL_RINGS];
};

/* Look at up to `looks` slots that the application has flushed. */
enum tap_cl_harvest {
	TAP_CL_LIGHT,                             /* a few heads */
	TAP_CL_ALL,                               /* until an in-order queue's first unfinished command */
	/* also unflushed ones, when nobody but us holds the event: then it is complete */
	TAP_CL_DEEP,
	TAP_CL_LAST,                              /* exit: everything, unflushed too, no patience */
};
void tap_cl_harvest(struct tap_cl_queue *q, enum tap_cl_harvest how);
/*
 * Some runtimes return from a blocking write while its event is still submitted: before the queue goes, such commands
 * are waited for, and nothing else is; TAP_CL_WAIT_NS in all in the life of a process.
 */
#define TAP_CL_WAIT_NS 100000000u
void tap_cl_wait_for_blocking(struct tap_cl_queue *q);
void tap_cl_harvest_until(struct tap_cl_queue *q, cl_event event);
void tap_cl_harvest_context(cl_context context);  /* NULL: all; TAP_CL_ALL */
/*
 * Before the application is told a count of references: TAP_CL_DEEP, and what other threads are just looking at is
 * waited for. tap_cl_patient: a short wait for such a thread, or false when there was enough of it.
 */
#define TAP_CL_PATIENCE_NS 1000000000u
void tap_cl_settle(struct tap_cl_queue *q);
void tap_cl_settle_context(cl_context context);   /* NULL: all */
bool tap_cl_patient(void);
void tap_cl_harvest_some(void);                   /* a few queues in turn */
/* FULL: we hold a reference. BUSY: perhaps, another thread is looking at it or giving it back. FREE: none. */
enum tap_cl_slot_state tap_cl_holds(struct tap_cl_queue *q, cl_event event);
bool tap_cl_pending(struct tap_cl_queue *q);
void tap_cl_mark_flushed(struct tap_cl_queue *q);           /* everything up to now */
void tap_cl_flush_begins(struct tap_cl_queue *q);
void tap_cl_flush_ended(struct tap_cl_queue *q);            /* everything up to the last begin */
/* Everything still pending becomes NOT_FINISHED; release: our references go. Exit and exec only. */
void tap_cl_give_up(struct tap_cl_queue *q, bool release);
/* The child of a fork: drop what the parent holds. */
void tap_cl_pending_forget(struct tap_cl_queue *q);
struct tap_cl_queue *tap_cl_queue_last(void);     /* of this thread; NULL */

/* ------------------------------------------------------------------ their rings: ring.c */

/*
 * Raises the limit of the present ring, or opens the next one. Each step is a compare-and-swap that any thread may do,
 * so nobody waits for a thread that is held up half-way. False: --max-pending is reached, or no memory.
 */
__attribute__((cold)) bool tap_cl_ring_grow(struct tap_cl_queue *q);
void tap_cl_tokens_reset(void);                   /* the child of a fork */

/* ------------------------------------------------------------------ behind a user event: held.c */

/* The program has made a user event; it has set it. False: there was no room; it was not known. */
bool tap_cl_gate_close(cl_event event);
bool tap_cl_gate_open(cl_event event);
bool tap_cl_gates_closed(void);
/*
 * Behind each enqueue: what the command waits for, through others too. event: its own, NULL if there is none to be had.
 * True: for a user event that is not set. *known false: there was no room to keep that for what comes behind it.
 */
bool tap_cl_note_held(uint32_t fn, cl_command_queue queue, const struct tap_cl_queue *state, uint32_t n,
	const cl_event *waits, cl_event event, bool *known);
void tap_cl_held_forget(void);                    /* the child of a fork */

/* ------------------------------------------------------------------ --serialize: serialize.c */

/* As tap_cl_note_held, and told once that such a command is not waited for. */
bool tap_cl_held_back(const struct tap_cl_enqueue *e, const struct tap_call *call, cl_event event);
/*
 * Behind an enqueue: waits until the command is over. event: the command's, NULL if there is none to be had. True: it
 * is over; false: the program holds it back.
 */
bool tap_cl_serialize(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_command_queue queue, cl_event event);
void tap_cl_serialize_forget(void);               /* the child of a fork */
/* Negative: it failed; CL_COMPLETE too where the driver does not tell. */
int tap_cl_status_of(const struct tap_opencl_api *real, cl_event event);
/* Until it is over: a second until it begins, running_ns from here while it runs. False: it is not. */
bool tap_cl_wait_polling(
	const struct tap_opencl_api *real, cl_command_queue queue, cl_event event, uint64_t running_ns);

/* ------------------------------------------------------------------ --cpu-counters: cpu.c */

/*
 * Around calls in which a runtime may make its threads: those that are there before are none of its, those that came
 * are. Nothing without the option.
 */
void tap_cl_cpu_threads(bool before);
static inline void tap_cl_cpu_look(bool before)
{
	if (unlikely(tap_options.cpu_counters))
		tap_cl_cpu_threads(before);
}
/* Before an enqueue into the queue: waits for its turn, begins to count if the device is the host's processors. */
void tap_cl_cpu_begin(struct tap_cl_queue *q);
/*
 * After it, in the same thread; event: the command's, NULL if there is none to be had. Waits until the command is over,
 * for a limited time, unless the program holds it back; a kernel's counters are written. True: it is over.
 */
enum tap_cl_end { TAP_CL_OPEN, TAP_CL_OVER, TAP_CL_HELD };
bool tap_cl_cpu_end(const struct tap_opencl_api *real, const struct tap_call *call, cl_command_queue queue,
	cl_event event, enum tap_cl_end end);
void tap_cl_cpu_forget(void);                     /* the child of a fork */

/* ------------------------------------------------------------------ one command's times: times.c */

enum tap_cl_look { TAP_CL_TIMED, TAP_CL_NOT_YET, TAP_CL_NO_TIMES_YET };
/* Ask the driver, write the record. may_ask_status: the application has flushed the command. last: settle it now. */
enum tap_cl_look tap_cl_times(struct tap_cl_queue *q, const struct tap_cl_slot *s, bool may_ask_status, bool last);
void tap_cl_untimed(uint64_t link, enum rec_loss reason, int32_t result);

/* ------------------------------------------------------------------ queues: queue.c */

struct tap_cl_queue *tap_cl_queue_find(cl_command_queue handle);  /* NULL: not seen, or gone */
struct tap_cl_queue *tap_cl_queue_at(uint32_t index);             /* all states ever used, NULL behind the last */
struct tap_cl_queue *tap_cl_queue_of(const struct tap_opencl_api *real, cl_event event);
void tap_cl_queue_reclaim(struct tap_cl_queue *q);                /* give the state back when it is over */
void tap_cl_queue_forget(struct tap_cl_queue *q);                 /* its handle is no queue any more */
void tap_cl_queue_told(struct tap_cl_queue *q);                   /* of one made before the window: its records */

/* ------------------------------------------------------------------ devices and clocks: define.c, clock.c */

struct tap_cl_device {
	_Atomic(cl_device_id) handle;
	const struct tap_opencl_api *real;        /* NULL: its library was unloaded */
	cl_platform_id platform;
	_Atomic uint32_t defined, has_queue;
	uint8_t clock;                            /* REC_ATTR_CLOCK */
	bool asks_complete;                       /* CL_PROFILING_COMMAND_COMPLETE can differ from END here */
	void *suggest;                            /* clGetKernelSuggestedLocalWorkSize*, NULL */
	_Atomic uint64_t window_tick;             /* when the present calibration window began */
	_Atomic uint64_t window_ticks;            /* and how long it is */
	_Atomic uint64_t best;                    /* tightest bracket written in it, ticks */
	_Atomic double ticks_per_ns;              /* of the host clock; 0: not known yet */
};
struct tap_cl_device *tap_cl_device_get(const struct tap_opencl_api *real, cl_device_id device);
struct tap_cl_device *tap_cl_device_at(uint32_t index);
void tap_cl_queue_define(struct tap_cl_queue *q);
void tap_cl_define_forget(void);

void tap_cl_clock_open(struct tap_cl_device *d);
void tap_cl_clock_resample(struct tap_cl_device *d, bool now);
void tap_cl_clock_bracket(struct tap_cl_device *d, uint64_t queued_ns, uint64_t start_tick, uint32_t bracket);
void tap_cl_clock_seen(struct tap_cl_device *d, uint64_t queued_ns, uint64_t end_ns, uint64_t start_tick);

/* Facts for a REC_OBJECT record, gathered in pages of their own. */
struct tap_cl_facts { uint64_t *words; uint32_t n, count; };
/*
 * The platform's version is at least major.minor. A loader has every function and leads into tables that may end
 * before it.
 */
bool tap_cl_platform_has(const struct tap_opencl_api *real, cl_platform_id platform, int major, int minor);
bool tap_cl_facts_open(struct tap_cl_facts *f, enum rec_object kind, const void *handle);
void tap_cl_facts_add(struct tap_cl_facts *f, uint32_t key, const void *value, size_t bytes);
static inline void tap_cl_facts_u32(struct tap_cl_facts *f, uint32_t key, uint32_t v)
{
	tap_cl_facts_add(f, key, &v, sizeof v);
}
static inline void tap_cl_facts_u64(struct tap_cl_facts *f, uint32_t key, uint64_t v)
{
	tap_cl_facts_add(f, key, &v, sizeof v);
}
void tap_cl_facts_close(struct tap_cl_facts *f);                  /* writes the record */

/* ------------------------------------------------------------------ life of the process: exit.c */

extern _Atomic bool tap_cl_closed __attribute__((visibility("hidden")));
/* NULL: no queue yet, or no word to be had: then a forked child takes its parent's queues for its own. */
extern _Atomic uint64_t *tap_cl_alive __attribute__((visibility("hidden")));
void tap_cl_life_open(bool new_device);           /* at each queue's creation */
void tap_cl_forked_child(void);                   /* *tap_cl_alive is 0 */
/* Not OURS in the child of a fork: wiped, or forgotten, and not used here yet. */
enum { TAP_CL_WIPED = 0, TAP_CL_OURS, TAP_CL_FORGOTTEN };
static inline void tap_cl_check_fork(void)
{
	if (tap_cl_alive && unlikely(atomic_load_explicit(tap_cl_alive, memory_order_relaxed) != TAP_CL_OURS))
		tap_cl_forked_child();
}

/* ------------------------------------------------------------------ programs: program.c, kernel.c, local_size.c */
void tap_cl_program_log_later(cl_program program);
void tap_cl_kernel_born(cl_kernel kernel);
/* kernel.c: of one that may have been made before the recording began; after a fork. */
void tap_cl_kernel_late(const struct tap_opencl_api *real, cl_kernel kernel);
void tap_cl_kernels_forget(void);
void tap_cl_program_built(const struct tap_opencl_api *real, cl_program program, bool now);

#endif
