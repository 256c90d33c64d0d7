/*
 * analysis/metrics/opencl.c - what is known of an OpenCL kernel's launch without any counter
 *
 * Each metric is one small function and one line of the table. Nothing is guessed: where the runtime does not tell what
 * it takes, the value is not available and says why.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/metrics.h"

#include <string.h>

/* OpenCL's queries of devices and kernels. */
enum {
	DEVICE_COMPUTE_UNITS = 0x1002, DEVICE_MAX_GROUP = 0x1004, DEVICE_LOCAL_MEMORY = 0x1023,
	KERNEL_ARGUMENTS = 0x1191, KERNEL_MAX_GROUP = 0x11B0, KERNEL_LOCAL_MEMORY = 0x11B2, KERNEL_MULTIPLE = 0x11B3,
	KERNEL_PRIVATE_MEMORY = 0x11B4,
};

#define NO_TIMES "the runtime gave no device times"
#define NO_GROUP "the runtime chose the local size and does not tell it"
#define NO_GLOBAL "the global size was not recorded"
#define NOT_TOLD "the runtime does not tell it"

#define integer(v) gt_metric_integer(v)
#define real(v) gt_metric_double(v)
#define none(why) gt_metric_none(why)

static struct gt_metric_value span(int64_t from, int64_t to, const char *why)
{
	return from == GT_NO_TIME || to == GT_NO_TIME || to < from ? none(why) : integer((uint64_t)(to - from));
}

/* ------------------------------------------------------------------ times */

static struct gt_metric_value duration(const struct gt_dispatch *d) { return span(d->start_ns, d->end_ns, NO_TIMES); }

static struct gt_metric_value queue_delay(const struct gt_dispatch *d)
{
	return span(d->opencl->queued_ns, d->opencl->submit_ns, NO_TIMES);
}

static struct gt_metric_value submit_delay(const struct gt_dispatch *d)
{
	return span(d->opencl->submit_ns, d->start_ns, NO_TIMES);
}

/* ------------------------------------------------------------------ sizes */

static struct gt_metric_value work_dim(const struct gt_dispatch *d) { return integer(d->dims); }

static struct gt_metric_value global_size(const struct gt_dispatch *d)
{
	return d->has_global ? integer(gt_dispatch_in_all(d->global)) : none(NO_GLOBAL);
}

static struct gt_metric_value local_size(const struct gt_dispatch *d)
{
	return d->has_group ? integer(gt_dispatch_in_all(d->group)) : none(NO_GROUP);
}

static struct gt_metric_value local_size_source(const struct gt_dispatch *d)
{
	static const char *const names[] = {
		[REC_LOCAL_UNKNOWN] = "unknown", [REC_LOCAL_APPLICATION] = "given", [REC_LOCAL_REQUIRED] = "required",
		[REC_LOCAL_SUGGESTED] = "suggested",
	};
	size_t source = (size_t)d->opencl->local_source;

	if (d->has_group && source == REC_LOCAL_UNKNOWN)
		source = REC_LOCAL_APPLICATION;         /* a task */
	return (struct gt_metric_value){ .type = GT_METRIC_TEXT,
		.text = source < sizeof names / sizeof *names ? names[source] : "unknown" };
}

/* 0: not known. A dimension that the local size does not divide has one group more. */
static uint64_t groups_of(const struct gt_dispatch *d)
{
	uint64_t n = d->has_global && d->has_group;

	for (int i = 0; n && i < 3; i++)
		n = d->group[i] ? n * ((d->global[i] + d->group[i] - 1) / d->group[i]) : 0;
	return n;
}

static uint64_t units_of(const struct gt_dispatch *d)
{
	uint64_t v;

	return gt_dispatch_device_number(d, DEVICE_COMPUTE_UNITS, &v) ? v : 0;
}

static struct gt_metric_value work_groups(const struct gt_dispatch *d)
{
	return groups_of(d) ? integer(groups_of(d)) : none(d->has_global ? NO_GROUP : NO_GLOBAL);
}

static struct gt_metric_value compute_units(const struct gt_dispatch *d)
{
	return units_of(d) ? integer(units_of(d)) : none(NOT_TOLD);
}

static struct gt_metric_value groups_per_unit(const struct gt_dispatch *d)
{
	if (!groups_of(d))
		return none(d->has_global ? NO_GROUP : NO_GLOBAL);
	return units_of(d) ? real((double)groups_of(d) / (double)units_of(d)) : none(NOT_TOLD);
}

/* Were all groups equally long and one ran on each unit: the units that have none in the last round. */
static struct gt_metric_value tail_share(const struct gt_dispatch *d)
{
	uint64_t groups = groups_of(d), units = units_of(d), rounds;

	if (!groups)
		return none(d->has_global ? NO_GROUP : NO_GLOBAL);
	if (!units)
		return none(NOT_TOLD);
	rounds = (groups + units - 1) / units;
	return real(100.0 * (double)(rounds * units - groups) / (double)(rounds * units));
}

static struct gt_metric_value max_group_size(const struct gt_dispatch *d)
{
	uint64_t v;

	return gt_dispatch_kernel_number(d, KERNEL_MAX_GROUP, &v) || gt_dispatch_device_number(d, DEVICE_MAX_GROUP, &v)
		? integer(v) : none(NOT_TOLD);
}

static struct gt_metric_value preferred_multiple(const struct gt_dispatch *d)
{
	uint64_t v;

	return gt_dispatch_kernel_number(d, KERNEL_MULTIPLE, &v) ? integer(v) : none(NOT_TOLD);
}

static struct gt_metric_value local_size_remainder(const struct gt_dispatch *d)
{
	uint64_t v;

	if (!d->has_group)
		return none(NO_GROUP);
	return gt_dispatch_kernel_number(d, KERNEL_MULTIPLE, &v) && v ? integer(gt_dispatch_in_all(d->group) % v)
								      : none(NOT_TOLD);
}

/* ------------------------------------------------------------------ memory */

static struct gt_metric_value private_memory(const struct gt_dispatch *d)
{
	uint64_t v;

	return gt_dispatch_kernel_number(d, KERNEL_PRIVATE_MEMORY, &v) ? integer(v) : none(NOT_TOLD);
}

static struct gt_metric_value local_memory(const struct gt_dispatch *d)
{
	uint64_t v;

	return gt_dispatch_kernel_number(d, KERNEL_LOCAL_MEMORY, &v) ? integer(v + d->opencl->local_arg_bytes)
								      : none(NOT_TOLD);
}

static struct gt_metric_value local_memory_limit(const struct gt_dispatch *d)
{
	uint64_t v;

	return gt_dispatch_device_number(d, DEVICE_LOCAL_MEMORY, &v) ? integer(v) : none(NOT_TOLD);
}

static struct gt_metric_value local_memory_share(const struct gt_dispatch *d)
{
	struct gt_metric_value used = local_memory(d), most = local_memory_limit(d);

	if (used.type == GT_METRIC_NONE || most.type == GT_METRIC_NONE || !most.integer)
		return none(NOT_TOLD);
	if (used.integer > most.integer)
		return none("it would be more than 100 %: the device has more than it tells");
	return real(100.0 * (double)used.integer / (double)most.integer);
}

static bool argument_count(const struct gt_dispatch *d, uint32_t *out)
{
	const struct gt_attr *a = d->opencl->kernel ? gt_object_attr(d->opencl->kernel, KERNEL_ARGUMENTS) : NULL;

	if (!a || a->bytes < sizeof *out)
		return false;
	memcpy(out, a->value, sizeof *out);
	return true;
}

static struct gt_metric_value arguments(const struct gt_dispatch *d)
{
	uint32_t n;

	return argument_count(d, &n) ? integer(n) : none(NOT_TOLD);
}

/* NULL: all that the kernel has are known. */
static const char *arguments_missing(const struct gt_dispatch *d)
{
	uint32_t n;

	return (argument_count(d, &n) ? d->arguments.set >= n : d->arguments.set > 0)
		? NULL : "not every argument was set while calls were recorded";
}

static struct gt_metric_value buffer_arguments(const struct gt_dispatch *d)
{
	return arguments_missing(d) ? none(arguments_missing(d)) : integer(d->arguments.buffers);
}

static struct gt_metric_value buffer_bytes(const struct gt_dispatch *d)
{
	if (arguments_missing(d))
		return none(arguments_missing(d));
	return d->arguments.bytes_known ? integer(d->arguments.buffer_bytes)
					: none("the size of a buffer or pointer among the arguments is not known");
}

static struct gt_metric_value bandwidth(const struct gt_dispatch *d)
{
	struct gt_metric_value bytes = buffer_bytes(d);

	if (bytes.type == GT_METRIC_NONE)
		return bytes;
	if (!d->timed || d->end_ns <= d->start_ns)
		return none(NO_TIMES);
	return real((double)bytes.integer * 1e9 / (double)(d->end_ns - d->start_ns));
}

/* ------------------------------------------------------------------ against a peak */

static struct gt_metric_value peak_bandwidth(const struct gt_dispatch *d)
{
	return d->peak.source ? real(d->peak.rate) : none(d->peak.why);
}

static struct gt_metric_value peak_source(const struct gt_dispatch *d)
{
	if (!d->peak.source)
		return none(d->peak.why);
	return (struct gt_metric_value){ .type = GT_METRIC_TEXT, .text = d->peak.source };
}

static struct gt_metric_value bandwidth_share(const struct gt_dispatch *d)
{
	struct gt_metric_value rate = bandwidth(d);

	if (rate.type == GT_METRIC_NONE)
		return rate;
	if (!d->peak.source)
		return none(d->peak.why);
	return rate.real <= d->peak.rate
		? real(100.0 * rate.real / d->peak.rate)
		: none("it would be more than 100 %: a cache held the buffers, the kernel touched a part of them, or "
		       "the peak is not the device's");
}

/* ------------------------------------------------------------------ all */

#define I GT_METRIC_INTEGER
#define D GT_METRIC_DOUBLE
#define T GT_METRIC_TEXT
static const struct gt_metric metrics[] = {
	{ "opencl__duration", "ns", "time from the kernel's start to its end on the device", I, duration },
	{ "opencl__queue_delay", "ns",
		"time from the call that enqueued it to its hand-over to the device", I, queue_delay },
	{ "opencl__submit_delay", "ns", "time from the hand-over to the device to its start there", I, submit_delay },
	{ "opencl__work_dim", "", "dimensions of the launch", I, work_dim },
	{ "opencl__global_size", "work-items", "work-items of the launch", I, global_size },
	{ "opencl__local_size", "work-items", "work-items of a group", I, local_size },
	{ "opencl__local_size_source", "",
		"who chose the local size: given by the program, required by the kernel, suggested "
		"by the runtime", T, local_size_source },
	{ "opencl__work_groups", "groups", "groups of the launch", I, work_groups },
	{ "opencl__compute_units", "units", "compute units of the device", I, compute_units },
	{ "opencl__work_groups_per_compute_unit", "groups", "groups for each compute unit", D, groups_per_unit },
	{ "opencl__tail_share", "%", "compute units without a group in the last round, as a share of all rounds", D,
		tail_share },
	{ "opencl__max_local_size", "work-items",
		"largest group that the device runs this kernel with", I, max_group_size },
	{ "opencl__preferred_multiple", "work-items", "local sizes that are a multiple of this run best", I,
		preferred_multiple },
	{ "opencl__local_size_remainder", "work-items", "what the local size is beyond such a multiple", I,
		local_size_remainder },
	{ "opencl__private_memory", "bytes", "private memory of a work-item", I, private_memory },
	{ "opencl__local_memory", "bytes", "local memory of a group, arguments included", I, local_memory },
	{ "opencl__local_memory_limit", "bytes",
		"local memory that the device has for a group", I, local_memory_limit },
	{ "opencl__local_memory_share", "%", "local memory of a group, as a share of what the device has", D,
		local_memory_share },
	{ "opencl__arguments", "arguments", "arguments of the kernel", I, arguments },
	{ "opencl__buffer_arguments", "arguments",
		"arguments that name memory objects or pointers", I, buffer_arguments },
	{ "opencl__buffer_bytes", "bytes", "size of the buffers that the arguments name, each once", I, buffer_bytes },
	{ "opencl__buffer_bandwidth", "bytes/s",
		"what the kernel moved at most, had it touched each byte of its buffers once",
		D, bandwidth },
	{ "opencl__peak_bandwidth", "bytes/s", "what the memory of the device moves at most, as given or measured", D,
		peak_bandwidth },
	{ "opencl__peak_bandwidth_source", "",
		"where that peak comes from: given by the user, or measured by the launcher with a kernel that copies, "
		"reads or writes", T, peak_source },
	{ "opencl__buffer_bandwidth_share", "%", "opencl__buffer_bandwidth as a share of that peak", D,
		bandwidth_share },
};
#undef I
#undef D
#undef T
const struct gt_metric_table gt_opencl_metrics = { metrics, sizeof metrics / sizeof *metrics };
