/*
 * collectors/opencl/held.c - --serialize, --cpu-counters: which commands wait for a user event that is not set
 *
 * Runs      in application threads, inside wrappers, behind the real call. Only with one of these options.
 * Must not  allocate, lock, ask the driver.
 *
 * HELD1  A user event that is not set is a gate, a bit of `closed`. An event or queue has the bits of all gates that
 *        stand before it, through however many commands, as its wait lists and the order of its queue have it. Once a
 *        gate is open its bit is gone everywhere; a bit is given to another one as late as possible.
 * HELD2  Nothing here keeps a reference: an address may come again as another event. Whatever an enqueue hands out has
 *        its bits set anew, none included.
 *
 * A gate or command for which there is no room is not known here: collectors/opencl/serialize.c finds out by waiting.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"
#include "ids.h"

enum { GATES = 64, THINGS = 1024, PROBES = 16 };

static _Atomic uint64_t closed;                 /* HELD1 */
static _Atomic uintptr_t gate[GATES];           /* the user event of a bit that is closed */
static _Atomic uint32_t next_gate;
static struct { _Atomic uintptr_t thing; _Atomic uint64_t by; } held[THINGS];

/* Events, queues, and what stands behind a barrier of a queue: handles are aligned. */
static uintptr_t behind_barrier(cl_command_queue queue) { return (uintptr_t)queue + 1; }

static uint32_t place_of(uintptr_t thing, uint32_t probe)
{
	return (uint32_t)(((uint64_t)thing * 0x9e3779b97f4a7c15ull >> 40) + probe) % THINGS;
}

static uint64_t gates_before(uintptr_t thing)
{
	for (uint32_t i = 0; thing && i < PROBES; i++) {
		uint32_t at = place_of(thing, i);

		if (atomic_load(&held[at].thing) == thing)
			return atomic_load(&held[at].by) & atomic_load(&closed);
	}
	return 0;
}

/* False: no room. */
static bool set_gates(uintptr_t thing, uint64_t by)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t at = place_of(thing, i);

		if (atomic_load(&held[at].thing) == thing) {
			atomic_store(&held[at].by, by);
			return true;
		}
	}
	for (uint32_t i = 0; by && i < PROBES; i++) {
		uint32_t at = place_of(thing, i);
		uintptr_t other = atomic_load(&held[at].thing);

		if (!(atomic_load(&held[at].by) & atomic_load(&closed)) &&
			atomic_compare_exchange_strong(&held[at].thing, &other, thing)) {
			atomic_store(&held[at].by, by);
			return true;
		}
	}
	return !by;
}

static void sweep(uint64_t bit)
{
	for (uint32_t i = 0; i < THINGS; i++)
		atomic_fetch_and(&held[i].by, ~bit);
}

bool tap_cl_gate_close(cl_event event)
{
	for (uint32_t i = 0; i < GATES; i++) {
		uint32_t n = atomic_fetch_add(&next_gate, 1) % GATES;
		uint64_t bit = 1ull << n, before = atomic_load(&closed);

		if (before & bit)
			continue;
		sweep(bit);
		if (!atomic_compare_exchange_strong(&closed, &before, before | bit))
			continue;
		atomic_store(&gate[n], (uintptr_t)event);
		return set_gates((uintptr_t)event, bit);
	}
	return false;
}

/* False: it is none that is known. */
bool tap_cl_gate_open(cl_event event)
{
	bool found = false;

	for (uint32_t n = 0; n < GATES; n++) {
		uintptr_t one = (uintptr_t)event;

		if (!(atomic_load(&closed) & 1ull << n) || !atomic_compare_exchange_strong(&gate[n], &one, 0))
			continue;
		atomic_fetch_and(&closed, ~(1ull << n));
		sweep(1ull << n);
		found = true;
	}
	return found;
}

bool tap_cl_gates_closed(void) { return atomic_load(&closed); }

/* Waits for all that was enqueued before it, whatever the queue's order is. */
static bool is_behind_all(uint32_t fn, uint32_t n)
{
	return fn == FN_clEnqueueMarker || fn == FN_clEnqueueBarrier ||
		(!n && (fn == FN_clEnqueueMarkerWithWaitList || fn == FN_clEnqueueBarrierWithWaitList));
}

/* What comes after it in its queue waits for it, whatever the queue's order is. */
static bool is_barrier(uint32_t fn)
{
	return fn == FN_clEnqueueBarrier || fn == FN_clEnqueueBarrierWithWaitList || fn == FN_clEnqueueWaitForEvents;
}

bool tap_cl_note_held(uint32_t fn, cl_command_queue queue, const struct tap_cl_queue *state, uint32_t n,
	const cl_event *waits, cl_event event, bool *known)
{
	bool in_order = !state || !state->out_of_order;
	uint64_t by = 0;

	*known = true;
	if (!atomic_load(&closed)) {
		set_gates((uintptr_t)event, 0);         /* HELD2 */
		return false;
	}
	for (uint32_t i = 0; waits && i < n; i++)
		by |= gates_before((uintptr_t)waits[i]);
	if (queue) {
		uint64_t all = gates_before((uintptr_t)queue);

		by |= in_order || is_behind_all(fn, n) ? all : gates_before(behind_barrier(queue));
		*known = set_gates((uintptr_t)queue, all | by);
		if (!in_order && is_barrier(fn))
			*known &= set_gates(behind_barrier(queue), gates_before(behind_barrier(queue)) | by);
	}
	if (event)
		*known &= set_gates((uintptr_t)event, by);
	return by;
}

void tap_cl_held_forget(void)
{
	atomic_store(&closed, 0);
	sweep(~0ull);
}
