/*
 * analysis/metrics/cpu.c - what the host's processors did for an OpenCL kernel whose device they are (--cpu-counters)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/metrics.h"

#include <string.h>

#define NO_COUNTS "counters of the processors were not recorded: gputap run --cpu-counters"

static const char *reason(uint32_t why)
{
	static const char *const reasons[REC_CPU_WHY_END - REC_CPU_WHY] = {
		"/proc does not show it", "another command may have run at the same time",
		"the kernel was not over in time: it waited for something", "the runtime gave no event for it",
		"the runtime made its threads before the recording began", "there are more threads than are looked at",
		"the counter was never on a processor: others had them all",
	};

	if (why >= REC_CPU_WHY)
		return why < REC_CPU_WHY_END ? reasons[why - REC_CPU_WHY] : "for a reason of a later version";
	switch (why) {
	case 1: case 13: return "perf_event_open is forbidden here (EPERM, EACCES)";
	case 2: return "this machine does not have the counter (ENOENT)";
	case 19: case 22: case 95: return "this machine or kernel does not have the counter";
	case 24: case 23: return "the program has no file descriptor left for it";
	case 38: return "this kernel has no perf_event_open (ENOSYS)";
	default: return "perf_event_open failed";
	}
}

/* NULL: there is a value. */
static const char *missing(const struct gt_dispatch *d, enum rec_cpu k)
{
	const struct gt_cpu_counts *c = d->opencl->cpu;

	if (!c && d->opencl->device && !gt_dispatch_on_cpu(d))
		return "the device is none of the host's processors";
	if (!c)
		return NO_COUNTS;
	if (c->why)
		return reason(c->why);
	return c->at[k].why ? reason(c->at[k].why) : NULL;
}

static struct gt_metric_value counted(const struct gt_dispatch *d, enum rec_cpu k)
{
	const char *why = missing(d, k);

	return why ? gt_metric_none(why) : gt_metric_integer(d->opencl->cpu->at[k].value);
}

#define COUNTED(name, k) static struct gt_metric_value name(const struct gt_dispatch *d) { return counted(d, k); }
COUNTED(task_clock, REC_CPU_TASK_CLOCK)
COUNTED(page_faults, REC_CPU_PAGE_FAULTS)
COUNTED(cycles, REC_CPU_CYCLES)
COUNTED(instructions, REC_CPU_INSTRUCTIONS)
COUNTED(cache_misses, REC_CPU_CACHE_MISSES)
COUNTED(branch_misses, REC_CPU_BRANCH_MISSES)
COUNTED(switches, REC_CPU_SWITCHES)
COUNTED(switches_forced, REC_CPU_SWITCHES_FORCED)
COUNTED(migrations, REC_CPU_MIGRATIONS)
#undef COUNTED

static struct gt_metric_value threads(const struct gt_dispatch *d)
{
	const struct gt_cpu_counts *c = d->opencl->cpu;

	return c && !c->why ? gt_metric_integer(c->threads) : gt_metric_none(missing(d, REC_CPU_TASK_CLOCK));
}

static struct gt_metric_value processors(const struct gt_dispatch *d)
{
	const char *why = missing(d, REC_CPU_TASK_CLOCK);
	double busy;

	if (!why && (!d->timed || d->end_ns <= d->start_ns))
		why = "the runtime gave no device times";
	if (why)
		return gt_metric_none(why);
	busy = (double)d->opencl->cpu->at[REC_CPU_TASK_CLOCK].value / (double)(d->end_ns - d->start_ns);
	/* From the call to the end there is more to do than the kernel alone, and of a short one it is most. */
	if (busy > d->opencl->cpu->threads)
		return gt_metric_none("the kernel is too short: most of the time was spent on starting it");
	return gt_metric_double(busy);
}

static struct gt_metric_value by_cycle(const struct gt_dispatch *d)
{
	struct gt_metric_value i = instructions(d), c = cycles(d);

	if (i.type == GT_METRIC_NONE || c.type == GT_METRIC_NONE)
		return i.type == GT_METRIC_NONE ? i : c;
	return c.integer ? gt_metric_double((double)i.integer / (double)c.integer)
			 : gt_metric_none("no cycle was counted");
}

#define I GT_METRIC_INTEGER
#define D GT_METRIC_DOUBLE
static const struct gt_metric metrics[] = {
	{ "cpu__threads", "threads", "threads of the runtime that were looked at while the kernel ran", I, threads },
	{ "cpu__task_clock", "ns", "time that these threads were on a processor", I, task_clock },
	{ "cpu__processors", "processors", "processors that were busy with it on average", D, processors },
	{ "cpu__context_switches", "switches", "times that one of them waited for something", I, switches },
	{ "cpu__context_switches_forced", "switches",
		"times that another thread took the processor from one of them", I, switches_forced },
	{ "cpu__migrations", "migrations", "times that one of them went to another processor", I, migrations },
	{ "cpu__page_faults", "faults", "page faults of the program's own code", I, page_faults },
	{ "cpu__cycles", "cycles", "cycles of the processors in the program's own code", I, cycles },
	{ "cpu__instructions", "instructions", "instructions of the program's own code", I, instructions },
	{ "cpu__instructions_per_cycle", "instructions/cycle", "instructions for each cycle", D, by_cycle },
	{ "cpu__cache_misses", "misses", "accesses that the last cache did not serve", I, cache_misses },
	{ "cpu__branch_misses", "misses", "branches that were not foreseen", I, branch_misses },
};
#undef I
#undef D
const struct gt_metric_table gt_cpu_metrics = { metrics, sizeof metrics / sizeof *metrics };
