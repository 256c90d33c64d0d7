/*
 * collectors/opencl/unload.c - programs that close their OpenCL library while commands are pending
 *
 * Runs      in the application's dlclose, around the real one; the second half also at exit.
 * Must not  call a library that is gone; call a driver from a dlclose of its own (it may hold its locks).
 *
 * Our events keep a queue and its state here alive after the application's last release. Once the library's code is
 * unmapped they can neither be asked nor given back: what was not read before is written as not finished.
 * (hashcat opens the library, enqueues a last write, releases everything, closes the library and exits.)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/collector.h"
#include "common/plain/without.h"
#include "collectors/opencl/internal.h"

/* The application closes the library itself: the last moment to read what is complete. */
void tap_cl_before_unload(void)
{
	if (!tap_cl_alive || atomic_load(&tap_cl_closed) || gc_without("before-unload"))
		return;
	tap_cl_check_fork();
	tap_cl_settle_context(NULL);
}

/* One walk over the loaded objects for all queues of a library. */
struct known { const struct tap_opencl_api *real; bool loaded; };

static bool is_loaded(struct known *last, const struct tap_opencl_api *real)
{
	if (last->real != real)
		*last = (struct known){ real, tap_way_in.opencl_loaded(real) };
	return last->loaded;
}

void tap_cl_drop_unloaded(void)
{
	struct known last = { 0 };
	struct tap_cl_queue *q;
	struct tap_cl_device *d;

	for (uint32_t i = 0; (d = tap_cl_device_at(i)); i++)
		if (d->real && !is_loaded(&last, d->real)) {
			d->suggest = NULL;
			d->real = NULL;
		}
	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++) {
		if (!atomic_load(&q->used) || is_loaded(&last, q->real))
			continue;
		tap_cl_give_up(q, false);
		tap_cl_queue_forget(q);
		tap_cl_queue_reclaim(q);
	}
}
