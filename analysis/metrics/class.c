/*
 * analysis/metrics/class.c - where a metric's value comes from, told by its name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/class.h"

#include "analysis/metrics/source.h"

const struct gt_metric_class_name gt_metric_classes[GT_CLASSES] = {
	[GT_CLASS_LAUNCH] = { "launch", "only launches of CUDA kernels have it" },
	[GT_CLASS_OPENCL] = { "OpenCL", "only launches of OpenCL kernels have it" },
	[GT_CLASS_CPU] = { "processor", "counters of the processors were not recorded" },
	[GT_CLASS_DEVICE] = { "device attribute", "the device did not tell it" },
	[GT_CLASS_HARDWARE] = { "hardware counters", "it needs hardware counters, which were not collected" },
	[GT_CLASS_SASS] = { "SASS", "it needs a run of instrumented code, which was not made" },
	[GT_CLASS_SOURCE] = { "source counters", "it needs a run of instrumented code, which was not made" },
	[GT_CLASS_PC_SAMPLING] = { "PC sampling", "the program counter was not sampled" },
	[GT_CLASS_PM_SAMPLING] = { "PM sampling", "performance monitors were not sampled" },
	[GT_CLASS_DERIVED] = { "derived", "no section that was read defines it" },
	[GT_CLASS_LIST] = { "list", "it names hardware counters, which were not collected" },
	[GT_CLASS_UNKNOWN] = { "unknown", "no metric of this name is known" },
};

#define STALLED "smsp__pcsamp_warps_issue_stalled_"
#define STALL(reason) STALLED reason, STALLED reason "_not_issued"
const char *const gt_metric_sampled[] = {
	"smsp__pcsamp_sample_count", "smsp__pcsamp_interval_cycles", STALL("barrier"), STALL("branch_resolving"),
	STALL("dispatch_stall"), STALL("drain"), STALL("gmma"), STALL("imc_miss"), STALL("lg_throttle"),
	STALL("long_scoreboard"), STALL("math_pipe_throttle"), STALL("membar"), STALL("mio_throttle"), STALL("misc"),
	STALL("no_instructions"), STALL("not_selected"), STALL("selected"), STALL("short_scoreboard"),
	STALL("sleeping"), STALL("tex_throttle"), STALL("wait"), NULL
};

static bool has(struct gt_string s, const char *part)
{
	return memmem(s.text, s.bytes, part, strlen(part));
}

static bool begins(struct gt_string s, const char *with)
{
	return s.bytes >= strlen(with) && !memcmp(s.text, with, strlen(with));
}

/* The first that fits counts. */
enum gt_metric_class gt_metric_class(struct gt_string name)
{
	static const struct { const char *begin; enum gt_metric_class class; } begin[] = {
		{ "launch__", GT_CLASS_LAUNCH }, { "sm__maximum_warps_", GT_CLASS_LAUNCH },
		{ "opencl__", GT_CLASS_OPENCL }, { "cpu__", GT_CLASS_CPU }, { "device__", GT_CLASS_DEVICE },
		{ "pmsampling:", GT_CLASS_PM_SAMPLING }, { "breakdown:", GT_CLASS_LIST }, { "group:", GT_CLASS_LIST },
		{ "derived__", GT_CLASS_DERIVED }, { "smsp__pcsamp_", GT_CLASS_PC_SAMPLING },
		{ "sass__", GT_CLASS_SOURCE },
	};
	char own[256];

	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (begins(name, begin[i].begin))
			return begin[i].class;
	if (has(name, "_sass_"))
		return memchr(name.text, '.', name.bytes) ? GT_CLASS_SASS : GT_CLASS_SOURCE;
	if (begins(name, "smsp__branch_targets_threads_") && !memchr(name.text, '.', name.bytes))
		return GT_CLASS_SOURCE;
	if (has(name, "__"))
		return GT_CLASS_HARDWARE;
	return gt_source_of(name, own, sizeof own) ? GT_CLASS_SOURCE : GT_CLASS_UNKNOWN;
}
