/*
 * collectors/perf/collector.c - -t sample and -t sched in the traced program: nothing but a note where they cannot be
 *
 * The kernel samples for the launcher (cli/perf), which empties its rings from outside: the program has no part in it.
 * Without the launcher nobody does.
 *
 * Runs      in the constructor.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/collector.h"
#include "trace/format/domains.h"
#include "trace/write/options.h"
#include "trace/write/stream/stream.h"

static void start(bool late)
{
	(void)late;
	if (!tap_environ("GPUTAP_LAUNCHER"))
		TAP_DEGRADE(TAP_PART_CORE, "no samples and no context switches: gputap run takes them, and this "
					   "program was preloaded without it");
}

const struct tap_collector tap_collector_perf = {
	.name = "perf",
	.domains = REC_ASK_BIT(SAMPLE) | REC_ASK_BIT(SCHED),
	.start = start,
};
