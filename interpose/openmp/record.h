/*
 * interpose/openmp/record.h - numbers, records and open regions, for the two objects that tell of OpenMP
 *
 * Included by the one file of each: OPENMP_THIN is the object's gputap_thin.
 *
 * OMPT1  A number that we give (of a thread, a parallel region, a task) is the tick of its begin, whether it is an
 *        explicit task, and 8 bits of the thread: its region's start needs no room elsewhere.
 * OMPT2  Regions of one kind nest on their thread. Where begins are more than there is room for, or their begin was not
 *        seen, the region is not written, and its end changes nothing else.
 * OMPT3  What a thread is in stands behind a pointer (trace/write/tls.h says why), from the first event on that asks
 *        for it. Where there is no memory for it, regions are not written, and counted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_OPENMP_RECORD_H
#define GPUTAP_INTERPOSE_OPENMP_RECORD_H

#include "interpose/openmp/openmp.h"
#include "trace/write/sys.h"

enum { DEEP = 12 };

struct mutex_state {
	uint64_t id, tick;
};
struct mutexes {
	uint32_t n;
	struct mutex_state v[DEEP];
};

/* -------------------------------------------------------------------- numbers */

enum { THREAD_BITS = 8, EXPLICIT = 1 << THREAD_BITS, TICK_SHIFT = THREAD_BITS + 1 };

static const struct gputap_core *core(void) { return gputap_core_get(&OPENMP_THIN); }

static uint64_t new_number(uint64_t tick, uint32_t explicit)
{
	static __thread uint32_t thread __attribute__((tls_model("initial-exec")));

	if (!thread)
		thread = tap_sys_gettid();
	return tick << TICK_SHIFT | explicit | (thread & (EXPLICIT - 1));
}

/* -------------------------------------------------------------------- records */

#define WORDS(...) (const uint64_t[]){ __VA_ARGS__ }, sizeof(uint64_t[]){ __VA_ARGS__ } / 8

/* first: the 4-byte argument beside the duration. start 0: a moment, now. */
static void put(uint32_t fn, uint64_t start, uint32_t first, const uint64_t *args, uint32_t n)
{
	const struct gputap_core *c = core();
	uint64_t now, link;
	struct tap_stream *stream = c ? c->stream(&now) : NULL;

	if (!stream)
		return;
	uint64_t ticks = start && start < now ? now - start : 0;
	uint32_t slow = ticks >> 32 ? 1 : 0, words = 3 + slow + n, at = 3;
	uint64_t *rec = c->reserve(stream, words, &link);

	if (!rec)
		return;
	rec[1] = now - ticks;
	rec[2] = (uint32_t)ticks | (uint64_t)first << 32;
	if (slow)
		rec[at++] = ticks >> 32;
	for (uint32_t i = 0; i < n; i++)
		rec[at++] = args[i];
	c->commit(rec, rec_head(fn, words, slow ? REC_SLOW : 0, 0));
}

static uint64_t now(void)
{
	const struct gputap_core *c = core();

	return c ? c->tick() : 0;
}

/* -------------------------------------------------------------------- threads */

/* OMPT3. NULL: nothing is recorded, or there is no memory. */
static __attribute__((noinline, cold)) void *new_state(void **at, size_t bytes)
{
	const struct gputap_core *c = core();

	return c ? c->thread_memory(at, bytes) : NULL;
}

static void count_lost(void)
{
	const struct gputap_core *c = core();
	uint64_t tick;

	if (c && c->stream(&tick)) /* else it is counted for want of that */
		c->lost(REC_LOSS_NO_STREAM, 1);
}

/* -------------------------------------------------------------------- mutexes */

static void mutex_push(struct mutexes *m, uint64_t id, uint64_t tick)
{
	if (m->n == DEEP) { /* the oldest goes: OMPT2 */
		for (uint32_t i = 1; i < DEEP; i++)
			m->v[i - 1] = m->v[i];
		m->n--;
	}
	m->v[m->n++] = (struct mutex_state){ id, tick };
}

/* The tick of the last one with this id, which goes; 0: none. */
static uint64_t mutex_take(struct mutexes *m, uint64_t id)
{
	for (uint32_t i = m->n; i-- > 0;)
		if (m->v[i].id == id) {
			uint64_t tick = m->v[i].tick;

			for (m->n--; i < m->n; i++)
				m->v[i] = m->v[i + 1];
			return tick;
		}
	return 0;
}

#endif
