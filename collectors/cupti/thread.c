/*
 * collectors/cupti/thread.c - the collector's thread: flushes, clocks, the window; and the end of the process
 *
 * Runs      a pthread of our own, from cuInit on (a CUDA process has others already), all signals blocked. The end: on
 *           the thread that ends the process.
 * Must not  exist in a forked child, hold anything while CUPTI works, let an exit wait for a flush that never returns.
 *
 * FLUSH1  This thread alone switches kinds and flushes (but for contexts that go), so whoever waits for that waits
 *         for a word, with a limit.
 * FLUSH2  A request counts up `asked`; the thread stores the count it has seen when it has done it. Partners: ask()
 *         and answer().
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "collectors/cupti/internal.h"
#include "trace/write/process.h"
#include "trace/write/buffers.h"
#include "trace/write/debug.h"

#define CLOCK_EVERY_NS 1000000000ull
#define PATIENCE_NS 3000000000ull       /* without a buffer coming back meanwhile */
#define LONGEST_SKIP 63                 /* flushes left out in a row */

enum request { FLUSH = 1, STOP };

static uint32_t started;                /* 0 no, 1 yes */
static bool no_thread;                  /* it could not be made */
static uint32_t asked, done, request;   /* futex words: FLUSH2 */
static bool given_up;                   /* a flush did not return: nobody waits again */
static uint32_t ended;

static uint64_t now_ns(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_for(uint32_t *word, uint32_t while_it_is, uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	TAP_SYS(futex, word, 128 /* FUTEX_WAIT, PRIVATE */, while_it_is, &t, 0, 0);
}

static void wake(uint32_t *word) { TAP_SYS(futex, word, 129 /* FUTEX_WAKE, PRIVATE */, INT32_MAX, 0, 0, 0); }

/* ------------------------------------------------------------------- clocks */

/*
 * CUPTI's clock beside ours: the tightest of a few tries. Not before cuInit is over: until then some libraries tell
 * another.
 */
static void record_clock(void)
{
	uint64_t best = UINT64_MAX, tick = 0, cupti = 0, real = 0;

	for (int i = 0; i < 5; i++) {
		struct timespec t = { 0, 0 };
		uint64_t ns = 0, before = tap_tick();
		int err = tap_cupti.api.cuptiGetTimestamp(&ns);

		clock_gettime(CLOCK_REALTIME, &t);
		uint64_t after = tap_tick();

		if (err || after - before >= best)
			continue;
		best = after - before;
		tick = before + best / 2;
		cupti = ns;
		real = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	}
	if (best != UINT64_MAX)
		tap_record(REC_CUPTI_CLOCK, 0, (uint64_t[]){ tick, cupti, best, real }, 4);
}

/* ------------------------------------------------------------------- window */

/* ns until the recording begins or ends, after having made it so; UINT64_MAX: it stays. */
static uint64_t window(void)
{
	uint64_t at = tap_clock_elapsed_ns(), begin = tap_options.start_after, end = tap_options.stop_after;

	if (end && at >= end) {
		tap_cupti_stop();
		return UINT64_MAX;
	}
	if (at < begin)
		return begin - at;
	tap_cupti_set_recording(true);
	return end ? end - at : UINT64_MAX;
}

/* ------------------------------------------------------------------ the thread */

static void answer(uint32_t seen)
{
	__atomic_store_n(&done, seen, __ATOMIC_RELEASE);
	wake(&done);
}

static void flush_forced(void)
{
	record_clock();
	tap_cupti.api.cuptiActivityFlushAll(1);
	record_clock();
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/*
 * A flush leaves a record of itself, and so a buffer: in a process that does nothing it comes ever more rarely. (Not
 * never: a kernel may end long after the last call.)
 */
struct idle { uint32_t busy, rounds, skip; };

static bool flush_is_due(struct idle *i)
{
	uint32_t busy = __atomic_load_n(&tap_cupti.busy, __ATOMIC_RELAXED);
	bool news = tap_cupti_peek() || busy != i->busy;

	i->busy = busy;
	if (!tap_text_equal(tap_option("cuda-api"), "all"))
		return true;                            /* kernels may come without a call that is seen */
	if (!news && i->skip) {
		i->skip--;
		return false;
	}
	i->rounds = news ? 0 : i->rounds < LONGEST_SKIP ? i->rounds * 2 + 1 : i->rounds;
	i->skip = i->rounds;
	return true;
}

static void *run(void *unused)
{
	struct idle idle = { 0, 0, 0 };
	uint64_t every = tap_cupti_option_number("cuda-flush") * 1000000u,
		 next_flush = every ? now_ns() + every : UINT64_MAX, next_clock;

	(void)unused;
	TAP_SYS(prctl, 15 /* PR_SET_NAME */, "gputap-cupti", 0, 0, 0, 0);
	record_clock();
	next_clock = now_ns() + CLOCK_EVERY_NS;
	tap_cupti_configure_late();
	uint64_t edge = window();

	tap_cupti_write_names();
	for (;;) {
		uint32_t seen = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
		uint64_t now;

		if (seen != done) {
			bool stop = __atomic_load_n(&request, __ATOMIC_ACQUIRE) == STOP;

			if (stop)
				tap_cupti_quiet();
			flush_forced();
			if (stop)
				tap_buffers_trim();
			answer(seen);
			if (stop)
				return NULL;
			continue;
		}
		now = now_ns();
		uint64_t due = least(next_flush, next_clock);

		if (due > now) {
			wait_for(&asked, seen, least(due - now, edge));
			edge = window();
			continue;
		}
		if (next_flush <= now) {
			if (TAP_READ_ONCE(tap_cupti.recording) && flush_is_due(&idle))
				tap_cupti.api.cuptiActivityFlushAll(0);
			next_flush = now_ns() + every;
		}
		if (next_clock <= now) {
			record_clock();
			next_clock = now + CLOCK_EVERY_NS;
		}
	}
}

/* Handlers run in reverse order. The driver registered its own while it was initialised; this one runs before those. */
static void at_exit(void)
{
	int saved = errno;

	tap_cupti_exit(0);
	TAP_WRITE_ONCE(tap_cupti.ending, true);
	errno = saved;
}

void tap_cupti_thread_start(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	int failed = 1;

	if (!tap_cupti_alive() || __atomic_exchange_n(&started, 1, __ATOMIC_RELAXED))
		return;
	uint64_t mask = tap_sys_signals_block();

	if (!pthread_attr_init(&attributes)) {
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		failed = pthread_create(&thread, &attributes, run, NULL);
		pthread_attr_destroy(&attributes);
	}
	tap_sys_signals_restore(mask);
	atexit(at_exit);
	if (!failed)
		return;
	TAP_WRITE_ONCE(no_thread, true);
	TAP_DEGRADE(TAP_PART_CUPTI, "no thread for CUPTI: its buffers are written when they are full and at the end");
	tap_cupti_set_recording(true);
	tap_cupti_write_names();
}

/* ---------------------------------------------------------------------- end */

/* Until the thread has done it. False: it has made no progress for too long. */
static bool ask(enum request what)
{
	uint32_t completed = TAP_READ_ONCE(tap_cupti.completed), mine, at;
	uint64_t until = now_ns() + PATIENCE_NS;

	__atomic_store_n(&request, what, __ATOMIC_RELEASE);
	mine = __atomic_add_fetch(&asked, 1, __ATOMIC_ACQ_REL);
	wake(&asked);
	while ((int32_t)((at = __atomic_load_n(&done, __ATOMIC_ACQUIRE)) - mine) < 0) {
		uint64_t now = now_ns();

		if (completed != TAP_READ_ONCE(tap_cupti.completed)) {
			completed = TAP_READ_ONCE(tap_cupti.completed);
			until = now + PATIENCE_NS;
		}
		if (now >= until)
			return false;
		wait_for(&done, at, least(until - now, 100000000));
	}
	return true;
}

/*
 * Called by the handler that runs before the driver's (kind 0: what comes after it may still use CUDA), and when the
 * image ends. An exec may fail and the program go on: nothing is stopped then.
 */
void tap_cupti_exit(int kind)
{
	bool last = kind && kind != REC_EXIT_EXEC;

	if (!tap_cupti_alive() || tap_cupti.pid != tap_sys_getpid() || !TAP_READ_ONCE(started) || TAP_READ_ONCE(ended))
		return;
	if (last) {
		TAP_WRITE_ONCE(tap_cupti.ending, true);
		TAP_WRITE_ONCE(ended, 1);
	}
	if (TAP_READ_ONCE(no_thread)) {
		if (last)
			tap_cupti_quiet();
		flush_forced();
		return;
	}
	if (TAP_READ_ONCE(given_up) || ask(last ? STOP : FLUSH))
		return;
	TAP_WRITE_ONCE(given_up, true);
	tap_lost(REC_LOSS_NOT_FINISHED, 1);
	TAP_DEGRADE(TAP_PART_CUPTI,
		"CUPTI did not return from its last flush within 3 s: CUDA activities since the flush before are "
	        "missing");
}
