/*
 * collectors/opencl/clock.c - how a device's clock lies on the host's: measured, never assumed
 *
 * Runs      in application threads: at a device's first queue, at harvests, at finish and exit.
 * Must not  malloc, lock.
 *
 * Where clGetDeviceAndHostTimer works it is asked between two reads of the host clock. Elsewhere (PoCL 3.1 answers
 * CL_INVALID_OPERATION, its clock is CLOCK_MONOTONIC_RAW) the time a command was queued lies between the begin and the
 * end of its enqueue call: the tightest such bracket of each window is kept. A runtime that executes in the enqueue
 * call itself makes those brackets as wide as its kernels; there the end time gives a better one: the command cannot
 * have ended earlier after the call's begin than its own times say, nor later than we saw it ended. Each
 * REC_CALIBRATION carries its bracket, so the reader knows the error. Different devices of one context have different
 * clocks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"

#define WINDOW_TICKS 0x80000000ull                /* about a second, whatever the host clock */
/* The first windows are short and each is twice as long as the one before: of a short run too there are several. */
#define FIRST_WINDOW_TICKS (WINDOW_TICKS >> 9)
#define SAMPLES 5
#define LOOSE_TICKS 2000                         /* about a microsecond: as good as brackets of short calls get */

enum method { BY_NOTHING = 0, BY_TIMER = 1, BY_BRACKET = 2 };

static void write_pair(
	const struct tap_cl_device *d, uint64_t tick, uint64_t device_ns, uint64_t bracket, enum method method)
{
	const uint64_t words[5] = { tick, (uintptr_t)atomic_load(&d->handle), device_ns, bracket, method };

	tap_record(REC_CALIBRATION, 0, words, 5);
}

/* The tightest of a few; false: the device has no such timer. */
static bool read_timer(const struct tap_cl_device *d, uint64_t *tick, uint64_t *device_ns, uint64_t *bracket)
{
	const struct tap_opencl_api *real = d->real;
	cl_device_id handle = atomic_load(&d->handle);

	*bracket = UINT64_MAX;
	for (int i = 0; i < SAMPLES; i++) {
		cl_ulong device = 0, host = 0;
		uint64_t before = tap_tick(), after;

		if (real->clGetDeviceAndHostTimer(handle, &device, &host) != CL_SUCCESS || !device)
			return false;
		after = tap_tick();
		if (after - before >= *bracket)
			continue;
		*bracket = after - before;
		*tick = before + *bracket / 2;
		*device_ns = device;
	}
	return *bracket != UINT64_MAX;
}

/* Sub-devices may go at any time, and their handles with them: they are not asked again later, so not at all. */
static bool has_timer(const struct tap_cl_device *d)
{
	cl_device_id parent = NULL;

	if (!d->real->clGetDeviceAndHostTimer || !tap_cl_platform_has(d->real, d->platform, 2, 1))
		return false;
	return d->real->clGetDeviceInfo(
		       atomic_load(&d->handle), CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) == CL_SUCCESS &&
		!parent;
}

void tap_cl_clock_open(struct tap_cl_device *d)
{
	uint64_t tick, device_ns, bracket;

	d->clock = has_timer(d) && read_timer(d, &tick, &device_ns, &bracket) ? BY_TIMER : BY_BRACKET;
	if (d->clock == BY_TIMER)
		write_pair(d, tick, device_ns, bracket, BY_TIMER);
	atomic_store(&d->window_tick, tap_tick());
	atomic_store(&d->window_ticks, FIRST_WINDOW_TICKS);
	atomic_store(&d->best, UINT64_MAX);
}

static bool is_over(const struct tap_cl_device *d, uint64_t began, uint64_t tick)
{
	return (int64_t)(tick - began) >= (int64_t)atomic_load_explicit(&d->window_ticks, memory_order_relaxed);
}

/* Two threads may both do it: a window is then longer than it need be. */
static void lengthen(struct tap_cl_device *d)
{
	uint64_t ticks = atomic_load_explicit(&d->window_ticks, memory_order_relaxed);

	if (ticks < WINDOW_TICKS)
		atomic_store_explicit(&d->window_ticks, 2 * ticks, memory_order_relaxed);
}

/* Timers drift: again once per window, and at the end. One thread does it. */
void tap_cl_clock_resample(struct tap_cl_device *d, bool now)
{
	uint64_t tick, device_ns, bracket, began = atomic_load_explicit(&d->window_tick, memory_order_relaxed),
					   present = tap_tick();

	if (d->clock != BY_TIMER || !d->real || (!now && !is_over(d, began, present)))
		return;
	if (!atomic_compare_exchange_strong(&d->window_tick, &began, present))
		return;
	lengthen(d);
	tap_own_calls_begin();
	if (read_timer(d, &tick, &device_ns, &bracket))
		write_pair(d, tick, device_ns, bracket, BY_TIMER);
	tap_own_calls_end();
}

/*
 * A command was queued at queued_ns, some time in the bracket that began at start_tick. Written when it opens a window
 * or is tighter by a quarter than what the window has. Harvests come late, so the window goes by the command's own
 * tick.
 */
void tap_cl_clock_bracket(struct tap_cl_device *d, uint64_t queued_ns, uint64_t start_tick, uint32_t bracket)
{
	uint64_t best = atomic_load_explicit(&d->best, memory_order_relaxed);
	uint64_t began = atomic_load_explicit(&d->window_tick, memory_order_relaxed);

	if (likely(bracket >= best - best / 4) && likely(!is_over(d, began, start_tick)))
		return;
	if (d->clock != BY_BRACKET || bracket == TAP_CL_BRACKET_MAX)
		return;
	if (is_over(d, began, start_tick)) {
		atomic_store_explicit(&d->window_tick, start_tick, memory_order_relaxed);
		lengthen(d);
	}
	atomic_store_explicit(&d->best, bracket, memory_order_relaxed);
	write_pair(d, start_tick + bracket / 2, queued_ns, bracket, BY_BRACKET);
}

/*
 * A command of a call that began at start_tick has just been seen to be over: end_ns lies between
 * start_tick + (end - queued) and now. Worth a clock read only while no tight bracket is known.
 */
void tap_cl_clock_seen(struct tap_cl_device *d, uint64_t queued_ns, uint64_t end_ns, uint64_t start_tick)
{
	uint64_t best = atomic_load_explicit(&d->best, memory_order_relaxed), least, now;
	double rate;

	if (likely(best < LOOSE_TICKS) || d->clock != BY_BRACKET || end_ns - queued_ns > 1000000000)
		return;
	rate = atomic_load_explicit(&d->ticks_per_ns, memory_order_relaxed);
	if (!rate) {
		rate = tap_clock_ticks_per_ns();
		atomic_store_explicit(&d->ticks_per_ns, rate, memory_order_relaxed);
	}
	now = tap_tick();
	least = start_tick + (uint64_t)((double)(end_ns - queued_ns) * rate);
	if (!rate || now <= least || now - least >= best - best / 4)
		return;
	atomic_store_explicit(&d->best, now - least, memory_order_relaxed);
	write_pair(d, least + (now - least) / 2, end_ns, now - least, BY_BRACKET);
}
