/*
 * collectors/opencl/ring.c - how rings of pending commands grow, and what share of --max-pending each has
 *
 * Runs      in application threads, inside wrappers, when a ring is full: seldom.
 * May       map pages.
 * Must not  malloc, lock, call a driver.
 *
 * When a ring is full the queue gets one of twice the size: new commands go there, the old one only drains.
 *
 * PENDING2  The limits of all rings sum up to at most --max-pending; a ring never takes a ticket at or beyond head +
 *           limit (but for a thread that read the limit just before it was lowered: one command each).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"
#include "trace/write/process.h"

static _Atomic uint32_t tokens_taken;             /* sum of all limits */

/* ------------------------------------------------------------------ shares of --max-pending */

static uint32_t max_pending(void)
{
	return tap_options.max_pending > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)tap_options.max_pending;
}

static uint32_t tokens_take(uint32_t wanted)
{
	uint32_t taken = atomic_load_explicit(&tokens_taken, memory_order_relaxed), got;

	do {
		uint32_t left = max_pending() - taken;

		got = wanted < left ? wanted : left;
	} while (got && !atomic_compare_exchange_weak(&tokens_taken, &taken, taken + got));
	return got;
}

void tap_cl_tokens_reset(void)
{
	atomic_store(&tokens_taken, 0);
}

/* Take back what a ring does not use, `keep` slots excepted. */
static void ring_return(struct tap_cl_ring *r, uint32_t keep)
{
	uint32_t limit = atomic_load(&r->limit);
	uint64_t used = tap_cl_ring_used(r) + keep;

	if (used < limit && atomic_compare_exchange_strong(&r->limit, &limit, (uint32_t)used))
		atomic_fetch_sub(&tokens_taken, limit - (uint32_t)used);
}

/* Idle queues may sit on shares that a busy one needs. Seldom: only when nothing is left. */
static void tokens_reclaim(void)
{
	struct tap_cl_queue *q;

	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++)
		for (uint32_t k = 0; k < TAP_CL_RINGS && q->ring[k].slots; k++)
			ring_return(&q->ring[k], 0);
}

/* ------------------------------------------------------------------ growth */

/* Any number of threads may come: the first pages that arrive are the ring's. False: no memory. */
static bool ring_map(struct tap_cl_ring *r, uint32_t slots)
{
	struct tap_cl_slot *none = NULL, *pages;

	if (__atomic_load_n(&r->slots, __ATOMIC_ACQUIRE))
		return true;
	pages = tap_cl_pages((size_t)slots * sizeof *pages);
	if (!pages)
		return false;
	__atomic_store_n(&r->mask, slots - 1, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&r->slots, &none, pages, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		tap_cl_pages_free(pages, (size_t)slots * sizeof *pages);
	return true;
}

/* More of --max-pending for this ring, if it is not at its size. False: nothing is left. */
static bool ring_raise(struct tap_cl_ring *r)
{
	uint32_t limit = atomic_load(&r->limit), got;

	if (limit > r->mask)
		return true;
	got = tokens_take(r->mask + 1 - limit);
	if (!got) {
		tokens_reclaim();
		limit = atomic_load(&r->limit);
		got = limit > r->mask ? 0 : tokens_take(r->mask + 1 - limit);
		if (!got)
			return limit > r->mask;
	}
	if (!atomic_compare_exchange_strong(&r->limit, &limit, limit + got))
		atomic_fetch_sub(&tokens_taken, got);   /* another thread was faster */
	return true;
}

/* The ring is at its size and full: the next one, at the latest when its limit is raised, takes over. */
static bool open_next(struct tap_cl_queue *q, uint32_t top)
{
	struct tap_cl_ring *next = &q->ring[top + 1];

	if (top + 1 == TAP_CL_RINGS || !ring_map(next, TAP_CL_RING_FIRST << (top + 1)))
		return false;
	for (uint32_t k = 0; k < top; k++)
		ring_return(&q->ring[k], 0);
	if (!atomic_load(&next->limit) && !ring_raise(next))
		return false;
	atomic_compare_exchange_strong(&q->top, &top, top + 1);
	return true;
}

bool tap_cl_ring_grow(struct tap_cl_queue *q)
{
	uint32_t top = atomic_load_explicit(&q->top, memory_order_acquire);
	struct tap_cl_ring *r = &q->ring[top];

	if (!ring_map(r, TAP_CL_RING_FIRST << top))
		return false;
	if (tap_cl_ring_used(r) < atomic_load(&r->limit))
		return true;
	return atomic_load(&r->limit) > r->mask ? open_next(q, top) : ring_raise(r);
}
