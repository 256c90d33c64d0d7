/*
 * collectors/opencl/exit.c - the end of a process, and the beginning of a forked one
 *
 * Runs      at exit: in the handler registered with the first queue of each device (later than the driver's own
 *           handlers, so before them), and in the wrappers of _exit, quick_exit and exec*.
 * Must not  wait for anything, call the driver once closed.
 *
 * EXIT1  Commands that are complete are harvested; the rest is written as not finished. From then on calls are only
 *        forwarded.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/opencl/internal.h"
#include "interpose/process.h"

#define HANDLERS 8u

_Atomic bool tap_cl_closed;
_Atomic uint32_t *tap_cl_alive;
static pid_t owner;                               /* whose rings these are */

/* A child has nothing of its own before it calls OpenCL; a vfork's child shares its parent's, and must not close it. */
static bool is_ours(void)
{
	return tap_cl_alive && atomic_load(tap_cl_alive) && getpid() == owner;
}

static void harvest_last(void)
{
	struct tap_cl_queue *q;
	struct tap_cl_device *d;

	tap_cl_drop_unloaded();                         /* by a dlclose that did not pass through ours */
	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		if (atomic_load(&q->used))
			tap_cl_harvest(q, TAP_CL_LAST);
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

void tap_cl_exit(void)
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
		return tap_cl_exit();
	if (!is_ours() || atomic_load(&tap_cl_closed))
		return;
	tap_own_calls_begin();
	harvest_last();
	give_up(true);
	tap_own_calls_end();
}

/*
 * The page that a fork wipes. Not to be had (before Linux 4.14): a child reads its parent's queues as its own, as it
 * would read their handles.
 */
static void open_page(void)
{
	_Atomic uint32_t *page = tap_cl_pages(4096), *none = NULL;

	if (!page)
		return;
	madvise((void *)page, 4096, MADV_WIPEONFORK);
	atomic_store(page, 1);
	owner = getpid();
	if (!__atomic_compare_exchange_n(&tap_cl_alive, &none, page, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		tap_cl_pages_free((void *)page, 4096);
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
		open_page();
	tap_on_exit(on_image_end);
	if (new_device && atomic_fetch_add(&handlers, 1) < HANDLERS)
		atexit(tap_cl_exit);
	errno = saved;
}

/*
 * What the parent holds stays the parent's: nothing is released, nothing is asked. Its queues are known here for what
 * the application may still read of them.
 */
void tap_cl_forked_child(void)
{
	struct tap_cl_queue *q;

	atomic_store(tap_cl_alive, 1);
	owner = getpid();
	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		tap_cl_pending_forget(q);
	tap_cl_tokens_reset();
	tap_cl_define_forget();
	atomic_store(&tap_cl_closed, false);
	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		if (atomic_load(&q->handle))
			tap_cl_queue_define(q);
}
