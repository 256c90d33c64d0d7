/*
 * collectors/opencl/pending.c - commands whose times we still want: per-queue rings, pushed by enqueues, drained by
 * harvests
 *
 * Runs      in application threads, inside wrappers.
 * Must not  malloc, lock, hold anything across a driver call.
 *
 * A ring is bounded; a slot belongs to ticket t when its state word says so. Producers take tickets at the tail,
 * harvesters claim FULL slots by compare-and-swap (SLOT2), and the head passes over slots that are DONE. When a ring is
 * full it grows (ring.c).
 *
 * PENDING1  head <= tail <= head + slots. A slot is filled only by the holder of its ticket, between tail and state =
 *           FULL.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <time.h>

#include "collectors/opencl/internal.h"
#include "common/plain/without.h"
#include "trace/write/process.h"
#include "trace/write/sys.h"

#define SOME 4u                                   /* queues that a look at all takes in */
#define HEADS 2u                                  /* looked at by an enqueue, a poll, a release */
#define BEHIND 2u                                 /* and at the cursor of an out-of-order queue */
#define ENDS 64u                                  /* slots searched from either end for a polled event */
#define SKIP_MAX 64u                              /* enqueues without a look while looks miss */

struct tap_cl_queue *tap_cl_queue_last(void)
{
	return tap_tls.last_queue;
}

/* ------------------------------------------------------------------ push */

static struct tap_cl_slot *ring_slot(struct tap_cl_ring *r, uint64_t ticket)
{
	return &r->slots[ticket & r->mask];
}

static bool ring_push(struct tap_cl_ring *r, const struct tap_cl_slot *command)
{
	uint64_t t = atomic_load_explicit(&r->tail, memory_order_relaxed);
	struct tap_cl_slot *s;

	do
		if (t - atomic_load_explicit(&r->head, memory_order_acquire) >=
			atomic_load_explicit(&r->limit, memory_order_relaxed))
			return false;
	while (!atomic_compare_exchange_weak(&r->tail, &t, t + 1));
	s = ring_slot(r, t);
	s->event = command->event;
	s->link = command->link;
	s->start_tick = command->start_tick;
	s->span = command->span;
	/* PENDING1. Pairs with the claim in claim(). */
	atomic_store_explicit(&s->state, tap_cl_slot_word(t, 0, TAP_CL_FULL), memory_order_release);
	return true;
}

static inline bool has_room(struct tap_cl_queue *q)
{
	struct tap_cl_ring *r = &q->ring[atomic_load_explicit(&q->top, memory_order_acquire)];

	return tap_cl_ring_used(r) < atomic_load_explicit(&r->limit, memory_order_relaxed);
}

static bool push(struct tap_cl_queue *q, const struct tap_cl_slot *command)
{
	for (int tries = 0; tries < 8; tries++) {
		if (likely(ring_push(&q->ring[atomic_load_explicit(&q->top, memory_order_acquire)], command)))
			return true;
		if (!tap_cl_ring_grow(q))
			return false;
	}
	return false;
}

/* ------------------------------------------------------------------ harvest */

/* The head passes over what is done. Any thread may do it for any other. */
static void advance(struct tap_cl_ring *r)
{
	uint64_t h = atomic_load_explicit(&r->head, memory_order_acquire);

	while (h < atomic_load_explicit(&r->tail, memory_order_acquire)) {
		uint32_t word = atomic_load_explicit(&ring_slot(r, h)->state, memory_order_acquire);

		if ((word | 31u << 2) != tap_cl_slot_word(h, 31, TAP_CL_DONE))
			return;
		if (atomic_compare_exchange_strong(&r->head, &h, h + 1))
			h++;
	}
}

/* SLOT2: true when the slot of ticket t is now ours. *tries gets how often it was complete without times. */
static bool claim(struct tap_cl_slot *s, uint64_t t, uint32_t *tries)
{
	uint32_t word = atomic_load_explicit(&s->state, memory_order_acquire);

	*tries = word >> 2 & 31u;
	return word == tap_cl_slot_word(t, *tries, TAP_CL_FULL) &&
		atomic_compare_exchange_strong_explicit(&s->state, &word, tap_cl_slot_word(t, *tries, TAP_CL_BUSY),
			memory_order_acquire, memory_order_relaxed);
}

/* SLOT3: the slot says that we hold a reference for as long as we do. */
static void finish(struct tap_cl_queue *q, struct tap_cl_ring *r, struct tap_cl_slot *s, uint64_t t)
{
	q->real->clReleaseEvent(s->event);
	atomic_store_explicit(&s->state, tap_cl_slot_word(t, 0, TAP_CL_DONE), memory_order_release);
	advance(r);
}

/* Nobody holds the event but we: the driver is through with it, so asking cannot flush anything. */
static bool only_ours(struct tap_cl_queue *q, cl_event event)
{
	cl_uint n = 0;

	return q->real->clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL) == CL_SUCCESS && n == 1;
}

/* settled; not finished; finished without times yet; not ours to look at */
enum look { GONE, STUCK, LATER, OTHERS };

static enum look look_at_claimed(struct tap_cl_queue *q, struct tap_cl_ring *r, uint64_t t, uint32_t tries,
	enum tap_cl_harvest how, bool flushed)
{
	struct tap_cl_slot *s = ring_slot(r, t);
	enum tap_cl_look got;

	if (!flushed && how == TAP_CL_DEEP) {
		flushed = only_ours(q, s->event);
		if (!flushed) {
			atomic_store_explicit(&s->state, tap_cl_slot_word(t, tries, TAP_CL_FULL), memory_order_release);
			return STUCK;
		}
	}
	/* Complete and without times: waited for, but not where the application would see what we hold (DEEP). */
	got = tap_cl_times(q, s, flushed, how >= TAP_CL_DEEP || tries == TAP_CL_TRIES_MAX);
	if (got == TAP_CL_TIMED) {
		finish(q, r, s, t);
		return GONE;
	}
	if (got == TAP_CL_NO_TIMES_YET)
		tries++;
	atomic_store_explicit(&s->state, tap_cl_slot_word(t, tries, TAP_CL_FULL), memory_order_release);
	return got == TAP_CL_NO_TIMES_YET ? LATER : STUCK;
}

static enum look look_at(
	struct tap_cl_queue *q, struct tap_cl_ring *r, uint64_t t, enum tap_cl_harvest how, bool flushed)
{
	enum look found = OTHERS;
	uint32_t tries;

	tap_tls.looking++;
	if (claim(ring_slot(r, t), t, &tries))
		found = look_at_claimed(q, r, t, tries, how, flushed);
	tap_tls.looking--;
	return found;
}

static bool ring_empty(struct tap_cl_ring *r)
{
	return atomic_load_explicit(&r->head, memory_order_acquire) ==
		atomic_load_explicit(&r->tail, memory_order_acquire);
}

/*
 * Look at `looks` slots from ticket t on. Returns the ticket behind the last one looked at; *settled counts.
 * *stuck: an in-order queue's first unfinished command was met, so nothing behind it can be finished either.
 */
static uint64_t look_from(struct tap_cl_queue *q, struct tap_cl_ring *r, uint64_t t, uint64_t looks,
	enum tap_cl_harvest how, uint32_t *settled, bool *stuck)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	uint64_t flushed = atomic_load_explicit(&r->flushed, memory_order_acquire);

	for (; looks && t < tail; t++) {
		enum look l;

		if (t >= flushed && how < TAP_CL_DEEP)
			break;
		l = look_at(q, r, t, how, t < flushed);
		if (l == OTHERS)
			continue;
		looks--;
		if (l == GONE)
			++*settled;
		else if (l == STUCK && !q->out_of_order && how < TAP_CL_DEEP) {
			*stuck = true;
			break;
		}
	}
	return t;
}

static uint32_t ring_harvest(struct tap_cl_queue *q, struct tap_cl_ring *r, enum tap_cl_harvest how, bool *stuck)
{
	uint64_t head, cursor, next, looks = how == TAP_CL_LIGHT ? HEADS : UINT64_MAX;
	uint32_t settled = 0;

	advance(r);
	head = atomic_load_explicit(&r->head, memory_order_acquire);
	next = look_from(q, r, head, looks, how, &settled, stuck);
	if (!q->out_of_order || how != TAP_CL_LIGHT)
		return settled;
	cursor = atomic_load_explicit(&r->cursor, memory_order_relaxed);
	if (cursor < next || cursor >= atomic_load_explicit(&r->flushed, memory_order_relaxed))
		cursor = next;
	cursor = look_from(q, r, cursor, BEHIND, how, &settled, stuck);
	atomic_store_explicit(&r->cursor, cursor, memory_order_relaxed);
	return settled;
}

static uint32_t harvest(struct tap_cl_queue *q, enum tap_cl_harvest how)
{
	uint32_t top = atomic_load_explicit(&q->top, memory_order_acquire), settled = 0;
	bool stuck = false;

	for (uint32_t k = 0; k <= top && !stuck; k++)
		if (!ring_empty(&q->ring[k]))
			settled += ring_harvest(q, &q->ring[k], how, &stuck);
	return settled;
}

void tap_cl_harvest(struct tap_cl_queue *q, enum tap_cl_harvest how)
{
	if (!tap_cl_pending(q))
		return;
	tap_own_calls_begin();
	harvest(q, how);
	tap_own_calls_end();
}

/* Another thread asks about one of the queue's commands, or gives its event back. */
static bool others_look(struct tap_cl_queue *q)
{
	for (uint32_t k = 0; k < TAP_CL_RINGS && q->ring[k].slots; k++) {
		struct tap_cl_ring *r = &q->ring[k];
		uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

		for (uint64_t t = atomic_load_explicit(&r->head, memory_order_acquire); t < tail; t++)
			if ((atomic_load_explicit(&ring_slot(r, t)->state, memory_order_acquire) | 31u << 2) ==
				tap_cl_slot_word(t, 31, TAP_CL_BUSY))
				return true;
	}
	return false;
}

/*
 * A thread that ended in the middle of a look leaves its slot busy for ever: TAP_CL_PATIENCE_NS in all in the life of a
 * process. A signal handler, and a callback that the release of an event calls, would wait for their own thread.
 */
bool tap_cl_patient(void)
{
	static _Atomic uint32_t spent;
	const struct timespec pause = { 0, 50000 };

	if (tap_seccomp || tap_tls.looking || atomic_load(&spent) >= TAP_CL_PATIENCE_NS)
		return false;
	atomic_fetch_add(&spent, (uint32_t)pause.tv_nsec);
	TAP_SYS(nanosleep, &pause, NULL, 0, 0, 0, 0);
	return true;
}

void tap_cl_settle(struct tap_cl_queue *q)
{
	if (!tap_cl_pending(q))
		return;
	tap_own_calls_begin();
	do
		harvest(q, TAP_CL_DEEP);
	while (others_look(q) && tap_cl_patient());
	tap_own_calls_end();
}

/*
 * The application has just seen that `event` is complete. What an in-order queue holds before it is complete too,
 * whether it was flushed or not; polling programs never flush. Only the ends of the ring are searched: a poll must stay
 * cheap.
 */
static bool find_near_ends(struct tap_cl_ring *r, cl_event event, uint64_t *ticket)
{
	uint64_t head, tail = atomic_load_explicit(&r->tail, memory_order_acquire);

	advance(r);
	head = atomic_load_explicit(&r->head, memory_order_acquire);
	for (uint64_t i = 0; i < ENDS && head + i < tail; i++) {
		if (ring_slot(r, head + i)->event == event)
			return *ticket = head + i, true;
		if (ring_slot(r, tail - 1 - i)->event == event)
			return *ticket = tail - 1 - i, true;
	}
	return false;
}

/* Looks at those of blocking calls until none is left, or no time. */
static bool blocking_left(struct tap_cl_queue *q)
{
	bool left = false;

	for (uint32_t k = 0; k < TAP_CL_RINGS && q->ring[k].slots; k++) {
		struct tap_cl_ring *r = &q->ring[k];
		uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

		for (uint64_t t = atomic_load_explicit(&r->head, memory_order_acquire); t < tail; t++)
			if (ring_slot(r, t)->span.blocking)
				left |= look_at(q, r, t, TAP_CL_ALL, true) != GONE &&
					(atomic_load(&ring_slot(r, t)->state) | 31u << 2) ==
						tap_cl_slot_word(t, 31, TAP_CL_FULL);
	}
	return left;
}

void tap_cl_wait_for_blocking(struct tap_cl_queue *q)
{
	static _Atomic uint32_t spent;
	const struct timespec pause = { 0, 200000 };

	if (!tap_cl_pending(q) || tap_seccomp || gc_without("wait-for-blocking"))
		return;
	tap_own_calls_begin();
	while (blocking_left(q) && atomic_fetch_add(&spent, (uint32_t)pause.tv_nsec) < TAP_CL_WAIT_NS)
		TAP_SYS(nanosleep, &pause, NULL, 0, 0, 0, 0);
	tap_own_calls_end();
}

void tap_cl_harvest_until(struct tap_cl_queue *q, cl_event event)
{
	uint32_t top = atomic_load_explicit(&q->top, memory_order_acquire);
	uint64_t ticket;

	if (!tap_cl_pending(q))
		return;
	tap_own_calls_begin();
	for (uint32_t k = 0; k <= top; k++) {
		struct tap_cl_ring *r = &q->ring[k];

		if (ring_empty(r))
			continue;
		if (!find_near_ends(r, event, &ticket)) {
			if (!q->out_of_order)
				continue;
			ticket = UINT64_MAX;
		}
		if (q->out_of_order) {
			if (ticket != UINT64_MAX)
				look_at(q, r, ticket, TAP_CL_ALL, true);
			continue;
		}
		for (uint32_t j = 0; j < k; j++)
			atomic_store(&q->ring[j].flushed, atomic_load(&q->ring[j].tail));
		if (atomic_load(&r->flushed) <= ticket)
			atomic_store(&r->flushed, ticket + 1);
	}
	harvest(q, q->out_of_order ? TAP_CL_LIGHT : TAP_CL_ALL);
	tap_own_calls_end();
}

static void each_queue_of(cl_context context, void (*look)(struct tap_cl_queue *q))
{
	struct tap_cl_queue *q;

	for (uint32_t i = 0; (q = tap_cl_queue_at(i)); i++) {
		if (!atomic_load_explicit(&q->used, memory_order_acquire) || (context && q->context != context))
			continue;
		look(q);
		tap_cl_queue_reclaim(q);
	}
}

static void harvest_all(struct tap_cl_queue *q)
{
	tap_cl_harvest(q, TAP_CL_ALL);
}

void tap_cl_harvest_context(cl_context context)
{
	each_queue_of(context, harvest_all);
}

void tap_cl_settle_context(cl_context context)
{
	each_queue_of(context, tap_cl_settle);
}

/*
 * A word that every thread writes to costs each of its calls some 40 ns where two release at once: the turn is kept
 * only where there are more queues than one look takes in.
 */
void tap_cl_harvest_some(void)
{
	static _Atomic uint32_t turn;
	uint32_t first = tap_cl_queue_at(SOME) ? atomic_fetch_add_explicit(&turn, SOME, memory_order_relaxed) : 0;

	for (uint32_t i = 0; i < SOME; i++) {
		struct tap_cl_queue *q = tap_cl_queue_at(first + i);

		if (!q) {
			if (first)
				atomic_store_explicit(&turn, 0, memory_order_relaxed);
			return;
		}
		if (atomic_load_explicit(&q->used, memory_order_acquire)) {
			tap_cl_harvest(q, TAP_CL_ALL);
			tap_cl_queue_reclaim(q);
		}
	}
}

/* ------------------------------------------------------------------ what others ask */

bool tap_cl_pending(struct tap_cl_queue *q)
{
	uint32_t top = atomic_load_explicit(&q->top, memory_order_acquire);

	for (uint32_t k = 0; k <= top; k++)
		if (!ring_empty(&q->ring[k]))
			return true;
	return false;
}

enum tap_cl_slot_state tap_cl_holds(struct tap_cl_queue *q, cl_event event)
{
	for (uint32_t k = 0; k < TAP_CL_RINGS && q->ring[k].slots; k++) {
		struct tap_cl_ring *r = &q->ring[k];
		uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

		for (uint64_t t = atomic_load_explicit(&r->head, memory_order_acquire); t < tail; t++) {
			struct tap_cl_slot *s = ring_slot(r, t);
			uint32_t word = atomic_load_explicit(&s->state, memory_order_acquire), word_state = word & 3;

			if (s->event == event && word >> 7 == tap_cl_slot_word(t, 0, 0) >> 7 &&
				(word_state == TAP_CL_FULL || word_state == TAP_CL_BUSY))
				return (enum tap_cl_slot_state)word_state;
		}
	}
	return TAP_CL_FREE;
}

void tap_cl_mark_flushed(struct tap_cl_queue *q)
{
	uint32_t top = atomic_load_explicit(&q->top, memory_order_acquire);

	for (uint32_t k = 0; k <= top; k++)
		atomic_store_explicit(&q->ring[k].flushed, atomic_load_explicit(&q->ring[k].tail, memory_order_acquire),
			memory_order_release);
}

void tap_cl_flush_begins(struct tap_cl_queue *q)
{
	uint32_t top = atomic_load_explicit(&q->top, memory_order_acquire);

	for (uint32_t k = 0; k <= top; k++)
		atomic_store_explicit(&q->ring[k].flushing,
			atomic_load_explicit(&q->ring[k].tail, memory_order_acquire), memory_order_relaxed);
}

void tap_cl_flush_ended(struct tap_cl_queue *q)
{
	uint32_t top = atomic_load_explicit(&q->top, memory_order_acquire);

	for (uint32_t k = 0; k <= top; k++) {
		uint64_t to = atomic_load_explicit(&q->ring[k].flushing, memory_order_relaxed);

		if (atomic_load_explicit(&q->ring[k].flushed, memory_order_relaxed) < to)
			atomic_store_explicit(&q->ring[k].flushed, to, memory_order_release);
	}
}

void tap_cl_give_up(struct tap_cl_queue *q, bool release)
{
	uint32_t tries;

	for (uint32_t k = 0; k < TAP_CL_RINGS && q->ring[k].slots; k++) {
		struct tap_cl_ring *r = &q->ring[k];
		uint64_t tail = atomic_load(&r->tail);

		for (uint64_t t = atomic_load(&r->head); t < tail; t++) {
			struct tap_cl_slot *s = ring_slot(r, t);

			if (!claim(s, t, &tries))
				continue;
			tap_cl_untimed(s->link, REC_LOSS_NOT_FINISHED, 1);
			/*
			 * At exit the reference stays: giving it back could run the driver's and the application's
			 * destructors.
			 */
			if (release)
				q->real->clReleaseEvent(s->event);
			atomic_store_explicit(&s->state, tap_cl_slot_word(t, 0, TAP_CL_DONE), memory_order_release);
		}
		advance(r);
	}
}

void tap_cl_pending_forget(struct tap_cl_queue *q)
{
	for (uint32_t k = 0; k < TAP_CL_RINGS; k++) {
		struct tap_cl_ring *r = &q->ring[k];

		atomic_store(&r->limit, 0);
		atomic_store(&r->head, atomic_load(&r->tail));
		atomic_store(&r->flushed, atomic_load(&r->tail));
	}
}

/* ------------------------------------------------------------------ enqueues */

/* Why this command gets no times, or none (0). */
static enum rec_loss refuse(struct tap_cl_queue *q)
{
	if (!q || !q->profiled)
		return REC_LOSS_QUEUE_UNPROFILED;
	if (likely(has_room(q)) || tap_cl_ring_grow(q))
		return 0;
	return REC_LOSS_PENDING_FULL;
}

/* Stands in our slot until the driver writes there: a NULL that it writes is the application's to see. */
static char unwritten;
#define NO_EVENT ((cl_event)(void *)&unwritten)

/* One that was made before the window is told now: the first command of it that is recorded comes. */
static struct tap_cl_queue *queue_of_enqueue(cl_command_queue handle)
{
	struct tap_cl_queue *q = tap_cl_queue_find(handle);

	if (q && unlikely(atomic_load_explicit(&q->unknown, memory_order_relaxed)))
		tap_cl_queue_told(q);
	return q;
}

/*
 * Not the queue of the thread's last enqueue. With --cpu-counters none is: each enqueue comes this way then, and others
 * pay nothing for it.
 */
static __attribute__((noinline)) struct tap_cl_queue *other_queue(cl_command_queue handle)
{
	struct tap_cl_queue *q = queue_of_enqueue(handle);

	if (unlikely(tap_options.cpu_counters))
		tap_cl_cpu_begin(q);
	else
		tap_tls.last_queue = q;
	return q;
}

/* Nobody asks for its times, but --serialize waits for it (enqueued_alone). */
static cl_event *untimed_slot(struct tap_cl_enqueue *e)
{
	return unlikely(tap_options.serialize) && !e->app && e->state ? &e->own : e->app;
}

cl_event *tap_cl_event_slot(
	struct tap_cl_enqueue *e, const struct tap_opencl_api *real, cl_command_queue queue, cl_event *app)
{
	struct tap_cl_queue *q = tap_tls.last_queue;

	(void)real;
	if (unlikely(!q || atomic_load_explicit(&q->handle, memory_order_relaxed) != queue || !queue))
		q = other_queue(queue);
	e->own = NO_EVENT;
	e->app = app;
	e->queue = queue;
	e->state = q;
	e->refused = 0;
	e->timed = false;
	if (unlikely(atomic_load_explicit(&tap_cl_closed, memory_order_relaxed)))
		return app;
	tap_cl_check_fork();
	if (unlikely(!tap_options.device_times) && (!app || !q || !q->app_profiles))
		return untimed_slot(e);
	e->refused = refuse(q);
	e->timed = !e->refused;
	return e->timed ? &e->own : untimed_slot(e);
}

/* An enqueue looks at a few heads, less often while looks find nothing: a command that runs for long costs no more. */
static void look_now_and_then(struct tap_cl_queue *q)
{
	uint32_t skip = atomic_load_explicit(&q->skip, memory_order_relaxed), miss;

	if (skip) {
		atomic_store_explicit(&q->skip, skip - 1, memory_order_relaxed);
		return;
	}
	if (harvest(q, TAP_CL_LIGHT)) {
		atomic_store_explicit(&q->miss, 0, memory_order_relaxed);
		return;
	}
	miss = atomic_load_explicit(&q->miss, memory_order_relaxed);
	atomic_store_explicit(&q->skip, 1u << miss, memory_order_relaxed);
	if (1u << miss < SKIP_MAX)
		atomic_store_explicit(&q->miss, miss + 1, memory_order_relaxed);
}

static uint32_t saturate(uint64_t v)
{
	return v > TAP_CL_BRACKET_MAX ? TAP_CL_BRACKET_MAX : (uint32_t)v;
}

/*
 * The table of the queue's library: that of an extension's route may hold the extension's functions alone.
 * SLOT3: our reference is there, and its slot says so, before another thread can see the event, count its references or
 * release it.
 */
static void keep(struct tap_cl_enqueue *e, const struct tap_call *call, bool blocking)
{
	struct tap_cl_slot command;
	bool kept;

	if (unlikely(!e->own || e->own == NO_EVENT)) {  /* success and no event: nothing to ask */
		if (e->app && !e->own)
			*e->app = NULL;
		return tap_cl_untimed(call->link, REC_LOSS_NO_PROFILING_INFO, 1);
	}
	if (e->app && unlikely(e->state->real->clRetainEvent(e->own) != CL_SUCCESS)) {
		*e->app = e->own;
		return tap_cl_untimed(call->link, REC_LOSS_NO_PROFILING_INFO, 1);
	}
	command = (struct tap_cl_slot){ .event = e->own,
		.link = call->link,
		.start_tick = call->start_tick,
		.span = { .bracket = saturate(call->end_tick - call->start_tick) & TAP_CL_BRACKET_MAX,
			.blocking = blocking } };
	kept = likely(call->link) && push(e->state, &command);
	if (unlikely(!kept))
		e->state->real->clReleaseEvent(e->own);
	if (e->app)
		*e->app = e->own;
	if (unlikely(!kept) && call->link)
		tap_cl_untimed(call->link, REC_LOSS_PENDING_FULL, 1);
}

/* A blocking command that fails on the device makes the call fail, and some drivers hand out its event all the same. */
static void give_back(struct tap_cl_enqueue *e)
{
	if (e->own == NO_EVENT)
		return;
	if (e->app)
		*e->app = e->own;
	else if (e->own)
		e->state->real->clReleaseEvent(e->own);
}

static inline __attribute__((always_inline)) void take(struct tap_cl_enqueue *e, const struct tap_call *call,
	bool blocking)
{
	if (likely(e->timed))
		keep(e, call, blocking);
	else if (e->refused && call->link)
		tap_cl_untimed(call->link, e->refused, 1);
}

/* over: everything in the queue up to this command was flushed, and an in-order one is through with it. */
static inline __attribute__((always_inline)) void look(struct tap_cl_queue *q, bool over)
{
	if (q && over) {
		tap_cl_mark_flushed(q);
		harvest(q, q->out_of_order ? TAP_CL_LIGHT : TAP_CL_ALL);
	} else if (q) {
		look_now_and_then(q);
	}
}

/* The command's, with a reference for the caller; NULL: none is known. */
static cl_event event_of(const struct tap_cl_enqueue *e)
{
	cl_event event = e->timed || !e->app ? e->own : *e->app;

	if (!e->state || !event || event == NO_EVENT || e->state->real->clRetainEvent(event) != CL_SUCCESS)
		return NULL;
	return event;
}

/* With --serialize or --cpu-counters. The table of an extension's route may lack all but the extension's functions. */
static __attribute__((cold, noinline)) void enqueued_alone(struct tap_cl_enqueue *e, const struct tap_opencl_api *real,
	const struct tap_call *call, cl_int err, bool blocking)
{
	enum tap_cl_end end = blocking ? TAP_CL_OVER : TAP_CL_OPEN;
	cl_event event;

	if (e->state)
		real = e->state->real;
	tap_own_calls_begin();
	if (err != CL_SUCCESS) {
		tap_cl_cpu_end(real, NULL, e->queue, NULL, TAP_CL_OVER);
	} else if (!atomic_load(&tap_cl_closed) || e->timed) {
		/* Before it is kept: another thread may find it complete and give it back at once. */
		event = event_of(e);
		bool held = tap_cl_held_back(e, call, event);

		take(e, call, blocking);
		if (end == TAP_CL_OPEN && held)
			end = TAP_CL_HELD;
		else if (tap_options.serialize && end == TAP_CL_OPEN && e->queue &&
			tap_cl_serialize(real, call, e->queue, event))
			end = TAP_CL_OVER;
		look(e->state, tap_cl_cpu_end(real, call, e->queue, event, end));
	}
	if (err != CL_SUCCESS || !e->timed)
		give_back(e);                   /* untimed: nobody else has it */
	tap_own_calls_end();
}

void tap_cl_enqueued(struct tap_cl_enqueue *e, const struct tap_opencl_api *real, const struct tap_call *call,
	cl_int err, bool blocking)
{
	if (unlikely(tap_options.one_by_one))
		return enqueued_alone(e, real, call, err, blocking);
	if (unlikely(err != CL_SUCCESS && e->timed))
		give_back(e);
	if (err != CL_SUCCESS || unlikely(atomic_load_explicit(&tap_cl_closed, memory_order_relaxed) && !e->timed))
		return;
	tap_own_calls_begin();
	take(e, call, blocking);
	look(e->state, blocking);
	tap_own_calls_end();
}
