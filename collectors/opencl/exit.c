/*
 * collectors/opencl/exit.c - the end of a process, and the beginning of a forked one
 *
 * Runs      at exit: in the handler registered with the first queue of each device (later than the driver's own
 *           handlers, so before them), and in the wrappers of _exit, quick_exit and exec*.
 * Must not  wait for anything but commands whose own call was blocking (tap_cl_wait_for_blocking), call the driver
 *           once closed.
 *
 * EXIT1  Commands that are complete are harvested; the rest is written as not finished. From then on calls are
 *        recorded without device times: no event of theirs is kept, and nothing is harvested.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "common/plain/without.h"
#include "collectors/opencl/internal.h"
#include "trace/write/process.h"

#define HANDLERS 8u

_Atomic bool tap_cl_closed;
_Atomic uint64_t *tap_cl_alive;
static pid_t owner;                               /* whose rings these are */

/* A child has nothing of its own before it calls OpenCL; a vfork's child shares its parent's, and must not close it. */
static bool is_ours(void)
{
	return tap_cl_alive && atomic_load(tap_cl_alive) == TAP_CL_OURS && getpid() == owner;
}

static void harvest_last(void)
{
	struct tap_cl_queue *q;
	struct tap_cl_device *d;

	tap_cl_drop_unloaded();                         /* by a dlclose that did not pass through ours */
	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		if (atomic_load(&q->used) && !gc_without("last-harvest")) {
			tap_cl_wait_for_blocking(q);
			tap_cl_harvest(q, TAP_CL_LAST);
		}
	for (uint32_t i = 0; (d = tap_cl_device_at(i)); i++)
		tap_cl_clock_resample(d, true);
}

static void give_up(bool release)
{
	struct tap_cl_queue *q;

	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		if (atomic_load(&q->used))
			tap_cl_give_up(q, release);
}

/* Complete commands are harvested, the rest is written as not finished. Idempotent; any thread. */
static void close_process(void)
{
	int saved = errno;

	if (!is_ours() || atomic_exchange(&tap_cl_closed, true))
		return;
	tap_own_calls_begin();
	harvest_last();
	give_up(false);                                 /* EXIT1 */
	tap_own_calls_end();
	errno = saved;
}

/* An exec may fail and the program go on: nothing is closed then. */
static void on_image_end(int kind)
{
	if (kind != REC_EXIT_EXEC)
		return close_process();
	if (!is_ours() || atomic_load(&tap_cl_closed))
		return;
	tap_own_calls_begin();
	harvest_last();
	give_up(true);
	tap_own_calls_end();
}

static void claim_process(void)
{
	static _Atomic bool claimed;
	_Atomic uint64_t *word = atomic_exchange(&claimed, true) ? NULL : (_Atomic uint64_t *)tap_fork_word();

	if (!word)
		return;
	owner = getpid();
	atomic_store(word, TAP_CL_OURS);
	__atomic_store_n(&tap_cl_alive, word, __ATOMIC_RELEASE);
}

/*
 * Handlers run in reverse order. A driver may register its own while it makes its first queue, and ours must run before
 * that one: so again with each new device, a few times at most.
 */
void tap_cl_life_open(bool new_device)
{
	static _Atomic uint32_t handlers;
	int saved = errno;

	if (!tap_cl_alive)
		claim_process();
	if (new_device && atomic_fetch_add(&handlers, 1) < HANDLERS)
		atexit(close_process);
	errno = saved;
}

/*
 * What the parent holds stays the parent's: nothing is released, nothing is asked. Memory only: it comes with the first
 * record of any collector.
 */
static void forget(void)
{
	struct tap_cl_queue *q;

	if (!tap_cl_alive || atomic_load(tap_cl_alive))
		return;
	atomic_store(tap_cl_alive, TAP_CL_FORGOTTEN);
	owner = getpid();
	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		tap_cl_pending_forget(q);
	tap_cl_tokens_reset();
	tap_cl_cpu_forget();
	tap_cl_serialize_forget();
	tap_cl_define_forget();
	atomic_store(&tap_cl_closed, false);
}

/* The child uses OpenCL itself: the parent's queues are known here for what the application may still read of them. */
void tap_cl_forked_child(void)
{
	struct tap_cl_queue *q;

	forget();
	atomic_store(tap_cl_alive, TAP_CL_OURS);
	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		if (atomic_load(&q->handle))
			tap_cl_queue_define(q);
}

const struct tap_collector tap_collector_opencl = {
	.name = "opencl",
	.domains = REC_ASK_BIT(OPENCL),
	.at_exit = on_image_end,
	.fork_child = forget,
};
