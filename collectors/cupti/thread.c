/*
 * collectors/cupti/thread.c - the collector's thread: flushes, clocks, the window; and the end of the process
 *
 * Runs      a pthread of our own, from cuInit on (a CUDA process has others already), all signals blocked. The end: on
 *           the thread that ends the process.
 * Must not  exist in a forked child, hold anything while CUPTI works, let an exit wait for a flush that never returns.
 *
 * FLUSH1  This thread alone switches kinds and flushes (without a thread, the one that ends the process): there are
 *         never two flushes at once, which CUPTI answers with a dead-lock, and none inside a callback of resources,
 *         where CUPTI forbids it. Whoever waits for a flush waits for a word, with a limit.
 * FLUSH2  A request sets its bit, then counts up `asked`; the thread stores the count it has seen when it has done
 *         what was asked by then. Partners: ask() and answer().
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "collectors/cupti/internal.h"
#include "collectors/futex.h"
#include "common/plain/without.h"
#include "trace/write/call/call.h"
#include "trace/write/debug.h"
#include "trace/write/own_threads.h"
#include "trace/write/process.h"
#include "trace/write/stream/buffers.h"

#define CLOCK_EVERY_NS 1000000000ull
#define PATIENCE_NS 3000000000ull       /* without a buffer coming back meanwhile */
#define SHORT_NS 500000000ull           /* the same, while the program goes on with what it does */
#define ENDS_NS 100000000ull            /* that kernels get to end in when the process does */
#define ENDS_STEP_NS 5000000ull
#define INIT_NS 200000000ull            /* that cuInit may go on behind the first buffer asked for, untold */
#define INIT_STEP_NS 2000000ull
#define LONGEST_SKIP 63                 /* flushes left out in a row */

enum request { FLUSH = 1, STOP = 2, COLLECT = 4, GIVE = 8 };    /* bits */

static uint32_t started;                /* 0 no, 1 yes */
static uint32_t init_over;              /* futex word: 1, cuInit is through */
static uint32_t handler_set;
static uint32_t gone;                   /* futex word: 1, the thread has left because of a fatal error */
static bool no_thread;                  /* it could not be made */
static uint32_t asked, done;            /* futex words: FLUSH2 */
static uint32_t request;                /* bits: FLUSH2 */
static bool given_up;                   /* a flush did not return: nobody waits again */
static uint32_t ended;

/* ------------------------------------------------------------------- clocks */

/*
 * CUPTI's clock beside ours: the tightest of a few tries. Not before cuInit is over: until then some libraries tell
 * another.
 */
static void record_clock(void)
{
	uint64_t best = UINT64_MAX, tick = 0, cupti = 0, real = 0;

	for (int i = 0; i < 5 && !TAP_READ_ONCE(tap_cupti.closed); i++) {
		uint64_t ns = 0, before = tap_tick();
		int err = TAP_CUPTI(cuptiGetTimestamp, &ns);
		uint64_t shown = tap_clock_ns(CLOCK_REALTIME), after = tap_tick();

		if (err || after - before >= best)
			continue;
		best = after - before;
		tick = before + best / 2;
		cupti = ns;
		real = shown;
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
	tap_futex_wake(&done);
}

/*
 * CLIENT5: each side says that it flushes, then looks whether the other does. Ours is left out where a client's takes
 * long: the next one gives back what this one would have.
 */
static uint32_t flushing, client_flushes;       /* futex words */

static bool flush_may_begin(void)
{
	uint64_t until = tap_now_ns() + SHORT_NS;

	for (;;) {
		__atomic_store_n(&flushing, 1, __ATOMIC_SEQ_CST);
		uint32_t others = __atomic_load_n(&client_flushes, __ATOMIC_SEQ_CST);

		if (!others)
			return true;
		__atomic_store_n(&flushing, 0, __ATOMIC_SEQ_CST);
		tap_futex_wake(&flushing);
		if (tap_now_ns() >= until)
			return false;
		tap_futex_wait(&client_flushes, others, ENDS_STEP_NS);
	}
}

static void flush_is_over(void)
{
	__atomic_store_n(&flushing, 0, __ATOMIC_SEQ_CST);
	tap_futex_wake(&flushing);
}

void tap_cupti_client_flush_begin(void)
{
	uint64_t until = tap_now_ns() + PATIENCE_NS;

	__atomic_add_fetch(&client_flushes, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&flushing, __ATOMIC_SEQ_CST) && tap_now_ns() < until)
		tap_futex_wait(&flushing, 1, ENDS_STEP_NS);
}

void tap_cupti_client_flush_end(void)
{
	__atomic_sub_fetch(&client_flushes, 1, __ATOMIC_SEQ_CST);
	tap_futex_wake(&client_flushes);
}

void tap_cupti_flush(uint32_t flags)
{
	if (TAP_READ_ONCE(tap_cupti.closed) || !flush_may_begin())
		return;
	int err = TAP_CUPTI(cuptiActivityFlushAll, flags);

	flush_is_over();
	if (err && !TAP_READ_ONCE(tap_cupti.closed))
		tap_cupti_flush_failed(err);
}

/*
 * A forced flush hands out the records of what still runs, without an end, and takes their ends no more: what is about
 * to end is waited for a moment. A flush that is not forced keeps back what is not complete, so what it leaves in open
 * buffers are records whose ends are to come.
 */
static void wait_for_ends(void)
{
	uint64_t until = tap_now_ns() + ENDS_NS;

	while (tap_cupti_peek_unended() && tap_now_ns() < until && !gc_without("wait-for-ends")) {
		tap_cupti_flush(0);
		struct timespec step = { 0, ENDS_STEP_NS };

		if (tap_cupti_peek_unended())
			TAP_SYS(nanosleep, &step, 0, 0, 0, 0, 0);
	}
}

static void flush_forced(void)
{
	uint64_t began = tap_tick();

	record_clock();
	wait_for_ends();
	tap_cupti_flush(1);
	record_clock();
	tap_cupti_event(REC_CUPTI_ENDING, 0, 0, (uint64_t[4]){ began });
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

/*
 * CUPTI gives a buffer back when it is full or complete, which a kill does not wait for: what it dropped is asked for
 * meanwhile, too. Buffers belong to no context.
 */
static void ask_dropped(void)
{
	if (!TAP_READ_ONCE(tap_cupti.closed) && !gc_without("ask-dropped"))
		tap_cupti_ask_dropped(NULL, 0);
}

static struct { bool done; uint32_t busy; } before_driver;      /* the flush that came before the driver's own end */

static void flush_before_driver(void)
{
	flush_forced();
	ask_dropped();
	tap_cupti_peek();
	before_driver.busy = __atomic_load_n(&tap_cupti.busy, __ATOMIC_RELAXED);
	TAP_WRITE_ONCE(before_driver.done, TAP_READ_ONCE(tap_cupti.ending));
}

bool tap_cupti_behind_driver(void) { return TAP_READ_ONCE(before_driver.done); }

/* CUPTI may be recording: so which call was ours is in the trace. */
static bool driver_is_up(void)
{
	uint64_t began = tap_tick(), own_thread = !TAP_READ_ONCE(no_thread);

	tap_own_calls_begin();
	bool up = tap_cupti_driver_is_up();

	tap_own_calls_end();
	tap_cupti_event(REC_CUPTI_OWN_CALLS, 0, 0, (uint64_t[4]){ tap_sys_gettid() | own_thread << 32, began });
	return up;
}

/*
 * The end of the image comes behind the driver's own exit handler, and a CUPTI whose driver is gone may crash. So it is
 * called no more when nothing came since the flush before, or when the driver says that it is gone.
 */
static bool hands_off(void)
{
	if (TAP_READ_ONCE(tap_cupti.closed))
		return true;
	if (!before_driver.done)
		return false;
	bool news = tap_cupti_peek() || before_driver.busy != __atomic_load_n(&tap_cupti.busy, __ATOMIC_RELAXED);

	return !news || !driver_is_up();
}

static void stop(void)
{
	if (hands_off()) {
		tap_cupti_peek();
		tap_cupti_peek_leave();
	} else {
		tap_cupti_quiet();
		flush_forced();
		ask_dropped();
	}
	tap_buffers_trim();
}

/* CLIENT3. What comes between the two flushes is in a buffer that was asked for meanwhile. */
static void give(void)
{
	if (TAP_READ_ONCE(tap_cupti.closed))
		return;
	record_clock();
	wait_for_ends();
	tap_cupti_flush(1);
	tap_cupti_switch_off();
	tap_cupti_flush(1);
	record_clock();
	ask_dropped();
	tap_cupti_peek();
	tap_cupti_hand_over();
	TAP_WRITE_ONCE(tap_cupti.closed, true);
}

static void serve(uint32_t what)
{
	if (what & GIVE)
		give();
	if (what & STOP)
		stop();
	else if (what & FLUSH)
		flush_before_driver();
	else if (what & COLLECT)
		tap_cupti_flush(0);
}

static void at_exit(void);

/*
 * Handlers run in reverse order. The driver registered its own while it was initialised; this one runs before those.
 */
static void set_handler(void)
{
	if (!gc_without("before-driver") && !__atomic_exchange_n(&handler_set, 1, __ATOMIC_RELAXED))
		atexit(at_exit);
}

/* The thread was started by the first buffer: the library has not told that cuInit is over, and may never do so. */
static void wait_for_init(void)
{
	uint64_t until = tap_now_ns() + INIT_NS;

	while (!TAP_READ_ONCE(init_over) && __atomic_load_n(&asked, __ATOMIC_ACQUIRE) == done && tap_now_ns() < until)
		tap_futex_wait(&init_over, 0, INIT_STEP_NS);
	set_handler();
}

static void *leave(void)
{
	tap_own_thread_ends();
	__atomic_store_n(&gone, 1, __ATOMIC_RELEASE);
	tap_futex_wake(&gone);
	return NULL;
}

/* OWNTHREAD1: what is left to do is done by the handlers of the exit that follows. */
static bool is_left_over(uint64_t mask)
{
	if (!tap_own_thread_is_left_over(mask))
		return false;
	TAP_WRITE_ONCE(no_thread, true);
	return true;
}

static void *run(void *mask)
{
	struct idle idle = { 0, 0, 0 };
	uint64_t every = tap_cupti_option_number("cuda-flush") * 1000000u,
		 next_flush = every ? tap_now_ns() + every : UINT64_MAX, next_clock;

	tap_own_thread_begins("gputap-cupti");
	wait_for_init();
	record_clock();
	next_clock = tap_now_ns() + CLOCK_EVERY_NS;
	tap_cupti_configure_late();
	uint64_t edge = window();

	tap_cupti_write_names();
	for (;;) {
		uint32_t seen = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
		uint64_t now;

		if (seen != done) {
			uint32_t what = __atomic_exchange_n(&request, 0, __ATOMIC_ACQ_REL);

			serve(what);
			answer(seen);
			if (what & STOP)
				return leave();
			continue;
		}
		if (TAP_READ_ONCE(tap_cupti.closed))
			return leave();
		if (TAP_READ_ONCE(tap_cupti.ending)) {          /* the driver may be taking itself down */
			tap_futex_wait(&asked, seen, CLOCK_EVERY_NS);
			continue;
		}
		if (is_left_over((uintptr_t)mask))
			return NULL;
		now = tap_now_ns();
		uint64_t due = least(next_flush, next_clock);

		if (due > now) {
			tap_futex_wait(&asked, seen, least(least(due - now, edge), TAP_OWN_THREAD_LOOK_NS));
			edge = window();
			continue;
		}
		if (TAP_READ_ONCE(tap_cupti.recording))
			ask_dropped();
		if (next_flush <= now) {
			if (TAP_READ_ONCE(tap_cupti.recording) && flush_is_due(&idle))
				tap_cupti_flush(0);
			next_flush = tap_now_ns() + every;
		}
		if (next_clock <= now) {
			record_clock();
			next_clock = now + CLOCK_EVERY_NS;
		}
	}
}

static void end_early(void *unused)
{
	(void)unused;
	tap_cupti_exit(0);
}

static void at_exit(void)
{
	int saved = errno;

	TAP_WRITE_ONCE(tap_cupti.ending, true);
	tap_set_up(end_early, NULL);
	errno = saved;
}

static void start_thread(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	int failed = 1;
	uint64_t mask = tap_sys_signals_block();

	if (!pthread_attr_init(&attributes)) {
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		failed = pthread_create(&thread, &attributes, run, (void *)(uintptr_t)mask);
		pthread_attr_destroy(&attributes);
	}
	tap_sys_signals_restore(mask);
	if (!failed)
		return;
	TAP_WRITE_ONCE(no_thread, true);
	set_handler();
	TAP_DEGRADE(TAP_PART_CUPTI, "no thread for CUPTI: its buffers are written when they are full and at the end");
	tap_cupti_set_recording(true);
	tap_cupti_write_names();
}

void tap_cupti_thread_start(bool init_told)
{
	if (!tap_cupti_alive() || (!init_told && gc_without("first-buffer")))
		return;
	if (init_told && !__atomic_exchange_n(&init_over, 1, __ATOMIC_RELAXED)) {
		set_handler();
		tap_futex_wake(&init_over);
	}
	if (!TAP_READ_ONCE(started) && !__atomic_exchange_n(&started, 1, __ATOMIC_RELAXED))
		start_thread();
}

/* ---------------------------------------------------------------------- end */

/* Until the thread has done it. False: it has made no progress for too long. */
static bool ask(enum request what, uint64_t patience)
{
	uint32_t completed = TAP_READ_ONCE(tap_cupti.completed), mine, at;
	uint64_t until = tap_now_ns() + patience;

	__atomic_fetch_or(&request, what, __ATOMIC_RELEASE);
	mine = __atomic_add_fetch(&asked, 1, __ATOMIC_ACQ_REL);
	tap_futex_wake(&asked);
	while ((int32_t)((at = __atomic_load_n(&done, __ATOMIC_ACQUIRE)) - mine) < 0) {
		uint64_t now = tap_now_ns();

		if (TAP_READ_ONCE(tap_cupti.closed))
			return true;                    /* the thread is gone */
		if (completed != TAP_READ_ONCE(tap_cupti.completed)) {
			completed = TAP_READ_ONCE(tap_cupti.completed);
			until = now + patience;
		}
		if (now >= until)
			return false;
		tap_futex_wait(&done, at, least(until - now, 100000000));
	}
	return true;
}

void tap_cupti_give_way(void)
{
	static uint32_t giving;

	if (TAP_READ_ONCE(started) && !TAP_READ_ONCE(no_thread)) {
		if (!TAP_READ_ONCE(given_up) && ask(GIVE, PATIENCE_NS))
			return;
	} else if (!__atomic_exchange_n(&giving, 1, __ATOMIC_ACQ_REL)) {
		give();
		return;
	}
	for (uint64_t until = tap_now_ns() + SHORT_NS; !TAP_READ_ONCE(tap_cupti.closed) && tap_now_ns() < until;)
		tap_futex_wait(&asked, TAP_READ_ONCE(asked), ENDS_STEP_NS);
	/* a flush does not come back: from here on nothing of ours is called */
	TAP_WRITE_ONCE(tap_cupti.closed, true);
}

/* Because of a fatal error; it is waited for, since it may be looking into buffers. */
static bool thread_left(void)
{
	uint64_t until = tap_now_ns() + SHORT_NS;

	while (TAP_READ_ONCE(tap_cupti.closed) && !__atomic_load_n(&gone, __ATOMIC_ACQUIRE) && tap_now_ns() < until) {
		tap_futex_wake(&asked);
		tap_futex_wait(&gone, 0, ENDS_STEP_NS);
	}
	return TAP_READ_ONCE(tap_cupti.closed);
}

/*
 * Called where a context is about to go, and its device buffers with it: in the callback at the entry of the call that
 * ends it. A flush that does not come back in time is not waited for again.
 */
void tap_cupti_collect(void)
{
	static bool slow;

	if (TAP_READ_ONCE(tap_cupti.ending) || !TAP_READ_ONCE(started) || TAP_READ_ONCE(no_thread) ||
		TAP_READ_ONCE(slow) || TAP_READ_ONCE(given_up) || TAP_READ_ONCE(tap_cupti.closed) ||
		tap_cupti.pid != tap_sys_getpid())
		return;
	if (!ask(COLLECT, SHORT_NS))
		TAP_WRITE_ONCE(slow, true);
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
	if (TAP_READ_ONCE(no_thread) || thread_left()) {
		if (last)
			stop();
		else if (TAP_READ_ONCE(tap_cupti.closed))
			tap_cupti_peek();                       /* names of what is in open buffers */
		else
			flush_before_driver();
		return;
	}
	if (TAP_READ_ONCE(given_up) || ask(last ? STOP : FLUSH, PATIENCE_NS))
		return;
	TAP_WRITE_ONCE(given_up, true);
	tap_lost(REC_LOSS_NOT_FINISHED, 1);
	TAP_DEGRADE(TAP_PART_CUPTI,
		"CUPTI did not return from its last flush within 3 s: CUDA activities since the flush before are "
	        "missing");
}
