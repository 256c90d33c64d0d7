/*
 * collectors/profiler/collector.c - counters of chosen kernels: one launch at a time, within a time limit
 *
 * Runs      on the program's threads, in CUPTI's callbacks around launches; the time limit on a thread of its own,
 *           which is made at the first counted launch.
 *
 * COUNTING1  While a launch is counted no other launch of the process begins: it would be counted with it. So a thread
 *            waits here, and that only with counters, and never longer than --replay-timeout.
 * COUNTING2  What takes longer ends the collection, not the program: kernels that wait for each other cannot be
 *            replayed one by one. Waiting launches go on uncounted; the counted one's session is stopped.
 * COUNTING3  A launch that was left by a jump keeps the gate: the time limit opens it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>

#include "collectors/collector.h"
#include "collectors/futex.h"
#include "collectors/profiler/internal.h"
#include "collectors/ranges.h"
#include "trace/format/domains.h"
#include "trace/write/asked.h"
#include "trace/write/own_threads.h"

static uint32_t holder;                 /* tid of the thread whose launch has the gate, 0 none; futex */
static uint32_t depth, counted;         /* of the holder: calls inside each other; its launch is counted */
static struct tap_profiler_choice choice; /* of the holder */
static uint32_t over;                   /* the collection has ended in this process */
static uint32_t armed;                  /* odd: a launch is being counted; futex of the time limit */
static bool watched;

static uint64_t limit_ns(void)
{
	uint64_t ns = tap_option_number("replay-timeout");

	return ns ? ns : UINT64_MAX / 4;
}

/* ----------------------------------------------------------- the time limit */

static void give_up(const char *what)
{
	if (__atomic_exchange_n(&over, 1, __ATOMIC_ACQ_REL))
		return;
	tap_lost(REC_LOSS_COUNTERS_LOST, 1);
	tap_note(TAP_PART_CUPTI,
		"counting has ended: %s for longer than --replay-timeout: its kernels may wait for each other, and "
		"are counted one by one; the rest is traced; leave them out with --kernel-name", what);
	tap_futex_wake(&holder);
}

static void *watch(void *mask)
{
	tap_own_thread_begins("gputap-counts");
	while (!TAP_READ_ONCE(over)) {
		uint32_t at = __atomic_load_n(&armed, __ATOMIC_ACQUIRE);
		uint64_t until = tap_now_ns() + limit_ns();

		if (!(at & 1)) {
			if (tap_own_thread_is_left_over((uintptr_t)mask))
				return NULL;            /* OWNTHREAD1 */
			tap_futex_wait(&armed, at, TAP_OWN_THREAD_LOOK_NS);
			continue;
		}
		for (uint64_t now = tap_now_ns(); now < until && __atomic_load_n(&armed, __ATOMIC_ACQUIRE) == at;
			now = tap_now_ns())
			tap_futex_wait(&armed, at, until - now);
		if (__atomic_load_n(&armed, __ATOMIC_ACQUIRE) == at) {
			give_up("a launch did not come back");
			tap_profiler_stop();
		}
	}
	tap_own_thread_ends();
	return NULL;
}

static void start_watch(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	uint64_t mask;

	if (watched)
		return;
	watched = true;
	mask = tap_sys_signals_block();
	if (!pthread_attr_init(&attributes)) {
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		if (pthread_create(&thread, &attributes, watch, (void *)(uintptr_t)mask))
			TAP_DEGRADE(TAP_PART_CUPTI, "no thread for --replay-timeout: a launch that does not come back "
						    "while it is counted never does");
		pthread_attr_destroy(&attributes);
	}
	tap_sys_signals_restore(mask);
}

/* --------------------------------------------------------------- one launch */

/* COUNTING1. False: the collection is over. */
static bool take_gate(uint32_t tid)
{
	uint64_t until = tap_now_ns() + limit_ns();

	while (!TAP_READ_ONCE(over)) {
		uint32_t is = 0;
		uint64_t now;

		if (__atomic_compare_exchange_n(&holder, &is, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
		now = tap_now_ns();
		if (now >= until)
			give_up("a launch waited for one that is counted");
		else
			tap_futex_wait(&holder, is, until - now);
	}
	return false;
}

/* Where ranges are counted, launches are not looked at. */
static void drop_gate(void)
{
	__atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
	tap_futex_wake(&holder);
}

/*
 * Counting calls functions of CUPTI inside the driver's launch, which needs its own stack for that: it runs on one of
 * ours. A signal is not kept waiting, as a launch that is counted may take long: its handler has room there too.
 */
static void begin_launch(void *launch)
{
	const struct tap_counting_launch *l = launch;
	bool gone = false;

	counted = tap_profiler_chosen(l, &choice) && tap_profiler_begin(l, choice.entry, &gone);
	if (gone)
		__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
}

struct end { const struct tap_counting_launch *l; bool launched; };

static void end_launch(void *what)
{
	const struct end *e = what;

	tap_profiler_end(e->l, &choice, e->launched);
}

static void enter(const struct tap_counting_launch *l)
{
	uint32_t tid = tap_sys_gettid();

	if (tap_profiler_counts_ranges())
		return;
	if (TAP_READ_ONCE(holder) == tid) {     /* a launch inside a launch is a part of it */
		depth++;
		return;
	}
	if (TAP_READ_ONCE(over) || !take_gate(tid))
		return;
	depth = 1;
	tap_with_room(begin_launch, (void *)(uintptr_t)l);
	if (counted) {
		start_watch();
		__atomic_fetch_add(&armed, 1, __ATOMIC_ACQ_REL);
		tap_futex_wake(&armed);
	}
}

static void leave(const struct tap_counting_launch *l, bool launched)
{
	if (TAP_READ_ONCE(holder) != tap_sys_gettid() || --depth)
		return;
	if (counted) {                          /* the time limit holds for what is waited for at its end, too */
		tap_with_room(end_launch, &(struct end){ l, launched });
		__atomic_fetch_add(&armed, 1, __ATOMIC_ACQ_REL);
		tap_futex_wake(&armed);
	}
	counted = 0;
	drop_gate();
}

static void range_of_program(void *begins)
{
	bool gone = false;

	tap_profiler_range_of_program(*(const bool *)begins, &gone);
	if (gone)
		__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
}

static void program_range(bool begins)
{
	uint32_t tid = tap_sys_gettid();

	if (!tap_profiler_counts_ranges() || tap_profiler_range_by_nvtx() || TAP_READ_ONCE(holder) == tid ||
		TAP_READ_ONCE(over) || !take_gate(tid))
		return;
	tap_with_room(range_of_program, &begins);
	drop_gate();
}

static void range_changed(void *unused)
{
	bool gone = false;

	(void)unused;
	tap_profiler_range_changed(&gone);
	if (gone)
		__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
}

/* In a call of NVTX, which may come at any time: from a signal's handler too, and long before CUDA is there. */
static void ranges_changed(void)
{
	uint32_t tid = tap_sys_gettid();

	if (!tap_profiler_counts_ranges() || tap_tls.own_calls || TAP_READ_ONCE(holder) == tid ||
		TAP_READ_ONCE(over) || !take_gate(tid))
		return;
	tap_with_room(range_changed, NULL);
	drop_gate();
}

static void leave_context(void *context)
{
	tap_profiler_range_left();
	tap_profiler_leave_context(context);
}

static void context_ends(void *context)
{
	uint32_t tid = tap_sys_gettid();

	if (TAP_READ_ONCE(over) || TAP_READ_ONCE(holder) == tid || !take_gate(tid))
		return;
	tap_with_room(leave_context, context);
	drop_gate();
}

/* CUPTI has one profiler for a context: our session is closed before theirs opens. */
static void give_way(const char *who, const char *function)
{
	uint32_t tid = tap_sys_gettid();

	if (TAP_READ_ONCE(over) || TAP_READ_ONCE(holder) == tid || !take_gate(tid))
		return;
	tap_lost(REC_LOSS_COUNTERS_LOST, 1);
	tap_note(TAP_PART_CUPTI, "counting has ended: %s counts itself (%s), and has CUPTI's profilers to itself from "
		"then on; the rest is traced", who, function);
	tap_profiler_range_left();
	tap_profiler_leave_context(NULL);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	drop_gate();
}

static void library(void *handle, uint32_t version)
{
	if (!tap_profiler_library(handle, version))
		over = 1;
}

/* ---------------------------------------------------------------- the table */

static const struct tap_counting counting = { library, enter, leave, program_range, context_ends, give_way };

static void prepare(void)
{
	tap_counting = &counting;
	tap_ranges_changed = ranges_changed;
	tap_profiler_choose_prepare();
}

static void at_exit(int kind)
{
	(void)kind;
	tap_profiler_range_lost();
}

/* CUDA is of no use to a forked child. */
static void fork_child(void) { over = 1; }

const struct tap_collector tap_collector_profiler = {
	.name = "profiler",
	.domains = REC_ASK_BIT(COUNTERS),
	.prepare = prepare,
	.at_exit = at_exit,
	.fork_child = fork_child,
};
