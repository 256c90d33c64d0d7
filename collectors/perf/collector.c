/*
 * collectors/perf/collector.c - -t sample and -t sched in the traced program: timers where they are asked for, and a
 * note where nobody samples
 *
 * The kernel samples for the launcher (cli/perf), which empties its rings from outside: the program has no part in it.
 * Without the launcher nobody does, but timers (timer.c).
 *
 * Runs      in the constructor; at_exit and fork_child as collector.h says.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/collector.h"
#include "collectors/perf/internal.h"
#include "trace/format/domains.h"
#include "trace/write/asked.h"
#include "trace/write/options.h"
#include "trace/write/stream/stream.h"

static bool by_timer(void) { return tap_asked(REC_ASK_SAMPLE) && !strcmp(tap_option("sample"), "timer"); }

static void start(bool late)
{
	bool launched = tap_environ("GPUTAP_LAUNCHER");

	(void)late;
	if (by_timer())
		tap_perf_timer_start();
	else if (tap_asked(REC_ASK_SAMPLE) && !launched)
		TAP_DEGRADE(TAP_PART_CORE, "no samples and no context switches: gputap run takes them, and this "
					   "program was preloaded without it (--sample=timer works without it)");
	if ((by_timer() || !tap_asked(REC_ASK_SAMPLE)) && tap_asked(REC_ASK_SCHED) && !launched)
		TAP_DEGRADE(TAP_PART_CORE, "no context switches: gputap run takes them, and this program was preloaded "
					   "without it");
}

static void at_exit(int kind)
{
	(void)kind;
	tap_perf_timer_end();
}

const struct tap_collector tap_collector_perf = {
	.name = "perf",
	.domains = REC_ASK_BIT(SAMPLE) | REC_ASK_BIT(SCHED),
	.start = start,
	.at_exit = at_exit,
	.fork_child = tap_perf_timer_fork,
};
