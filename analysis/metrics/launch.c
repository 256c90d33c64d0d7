/*
 * analysis/metrics/launch.c - what is known of a CUDA kernel's launch without any counter
 *
 * Names and meanings are those of Nsight Compute's launch metrics; the occupancy behind them is computed (occupancy.h).
 * Each metric is one small function and one line of the table.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/metrics.h"
#include "analysis/metrics/waves.h"

#define integer(v) gt_metric_integer(v)
#define real(v) gt_metric_double(v)
#define none(why) gt_metric_none(why)

#define NO_TIMES "no device times were recorded"
#define NOT_TOLD "the library does not tell it"
#define NO_OCCUPANCY "the device, its compute capability or what the kernel uses is not known"
#define NOT_USED "the kernel uses none"

static struct gt_metric_value known(int64_t v) { return v >= 0 ? integer((uint64_t)v) : none(NOT_TOLD); }

static struct gt_metric_value duration(const struct gt_dispatch *d)
{
	return d->timed && d->end_ns >= d->start_ns ? integer((uint64_t)(d->end_ns - d->start_ns)) : none(NO_TIMES);
}

/* ------------------------------------------------------------------ sizes */

#define ALONG(name, field, i) \
	static struct gt_metric_value name(const struct gt_dispatch *d) { return integer(d->cuda->kernel.field[i]); }
ALONG(block_x, block, 0)
ALONG(block_y, block, 1)
ALONG(block_z, block, 2)
ALONG(grid_x, grid, 0)
ALONG(grid_y, grid, 1)
ALONG(grid_z, grid, 2)
#undef ALONG

static uint64_t product(const uint32_t v[3]) { return (uint64_t)v[0] * v[1] * v[2]; }

static struct gt_metric_value block_size(const struct gt_dispatch *d)
{
	return integer(product(d->cuda->kernel.block));
}

static struct gt_metric_value grid_size(const struct gt_dispatch *d)
{
	return integer(product(d->cuda->kernel.grid));
}

static struct gt_metric_value thread_count(const struct gt_dispatch *d)
{
	return integer(product(d->cuda->kernel.block) * product(d->cuda->kernel.grid));
}

static struct gt_metric_value cluster_size(const struct gt_dispatch *d)
{
	return d->cuda->kernel.has_cluster ? integer(product(d->cuda->kernel.cluster)) : none(NOT_TOLD);
}

static struct gt_metric_value cluster_max_active(const struct gt_dispatch *d)
{
	return known(d->cuda->kernel.max_active_clusters);
}

/* ------------------------------------------------------------------ registers and memory */

static struct gt_metric_value registers(const struct gt_dispatch *d) { return known(d->cuda->kernel.registers); }

static struct gt_metric_value registers_allocated(const struct gt_dispatch *d)
{
	struct gt_occupancy o;
	uint32_t threads;

	if (!gt_cuda_occupancy(d, &o))
		return none(NO_OCCUPANCY);
	threads = o.warps_per_block * (d->cuda_device->warp > 0 ? (uint32_t)d->cuda_device->warp : 32);
	return integer(o.registers_per_block / threads);
}

static struct gt_metric_value shared_static(const struct gt_dispatch *d)
{
	return known(d->cuda->kernel.static_shared);
}

static struct gt_metric_value shared_dynamic(const struct gt_dispatch *d)
{
	return known(d->cuda->kernel.dynamic_shared);
}

static struct gt_metric_value shared_allocated(const struct gt_dispatch *d)
{
	struct gt_occupancy o;

	return gt_cuda_occupancy(d, &o) ? integer(o.shared_per_block) : none(NO_OCCUPANCY);
}

static struct gt_metric_value shared_config(const struct gt_dispatch *d)
{
	return known(d->cuda->kernel.shared_executed);
}

static struct gt_metric_value cache_config(const struct gt_dispatch *d)
{
	return known(d->cuda->kernel.cache_requested);
}

/* ------------------------------------------------------------------ occupancy */

static struct gt_metric_value limit(const struct gt_dispatch *d, enum gt_occupancy_limit which)
{
	struct gt_occupancy o;

	if (!gt_cuda_occupancy(d, &o))
		return none(NO_OCCUPANCY);
	return o.limit[which] == GT_OCCUPANCY_UNLIMITED ? none(NOT_USED) : integer(o.limit[which]);
}

static struct gt_metric_value limit_blocks(const struct gt_dispatch *d) { return limit(d, GT_LIMIT_BLOCKS); }
static struct gt_metric_value limit_registers(const struct gt_dispatch *d) { return limit(d, GT_LIMIT_REGISTERS); }
static struct gt_metric_value limit_shared(const struct gt_dispatch *d) { return limit(d, GT_LIMIT_SHARED); }
static struct gt_metric_value limit_warps(const struct gt_dispatch *d) { return limit(d, GT_LIMIT_WARPS); }
static struct gt_metric_value limit_barriers(const struct gt_dispatch *d) { return limit(d, GT_LIMIT_BARRIERS); }

static struct gt_metric_value warps(const struct gt_dispatch *d)
{
	struct gt_occupancy o;

	return gt_cuda_occupancy(d, &o) ? integer((uint64_t)o.blocks * o.warps_per_block) : none(NO_OCCUPANCY);
}

static struct gt_metric_value occupancy(const struct gt_dispatch *d)
{
	struct gt_occupancy o;

	return gt_cuda_occupancy(d, &o) ? real(o.share * 100) : none(NO_OCCUPANCY);
}

static struct gt_metric_value sm_count(const struct gt_dispatch *d)
{
	return d->cuda_device && d->cuda_device->sms > 0 ? integer((uint64_t)d->cuda_device->sms) : none(NOT_TOLD);
}

/* How often the whole device is filled with blocks. */
static struct gt_metric_value fills(const struct gt_dispatch *d)
{
	struct gt_occupancy o;

	if (!gt_cuda_occupancy(d, &o) || !o.blocks || d->cuda_device->sms <= 0)
		return none(NO_OCCUPANCY);
	return real((double)product(d->cuda->kernel.grid) / ((double)o.blocks * (double)d->cuda_device->sms));
}

#define I GT_METRIC_INTEGER
#define D GT_METRIC_DOUBLE
static const struct gt_metric metrics[] = {
	{ "launch__duration", "ns", "time from the kernel's start to its end on the device", I, duration },
	{ "launch__block_dim_x", "threads", "threads of a block along x", I, block_x },
	{ "launch__block_dim_y", "threads", "threads of a block along y", I, block_y },
	{ "launch__block_dim_z", "threads", "threads of a block along z", I, block_z },
	{ "launch__block_size", "threads", "threads of a block", I, block_size },
	{ "launch__grid_dim_x", "blocks", "blocks of the grid along x", I, grid_x },
	{ "launch__grid_dim_y", "blocks", "blocks of the grid along y", I, grid_y },
	{ "launch__grid_dim_z", "blocks", "blocks of the grid along z", I, grid_z },
	{ "launch__grid_size", "blocks", "blocks of the grid", I, grid_size },
	{ "launch__thread_count", "threads", "threads of the grid", I, thread_count },
	{ "launch__cluster_size", "blocks", "blocks of a cluster", I, cluster_size },
	{ "launch__cluster_max_active", "clusters", "clusters that the device holds at once", I, cluster_max_active },
	{ "launch__registers_per_thread", "registers", "registers that a thread uses", I, registers },
	{ "launch__registers_per_thread_allocated", "registers", "registers that are handed out for a thread", I,
		registers_allocated },
	{ "launch__shared_mem_per_block_static", "bytes", "shared memory of a block that the kernel declares", I,
		shared_static },
	{ "launch__shared_mem_per_block_dynamic", "bytes", "shared memory of a block that the launch asks for", I,
		shared_dynamic },
	{ "launch__shared_mem_per_block_allocated", "bytes",
		"shared memory that is handed out for a block, the driver's part "
		"included", I, shared_allocated },
	{ "launch__shared_mem_config_size", "bytes",
		"shared memory that a multiprocessor was set up with", I, shared_config },
	{ "launch__func_cache_config", "",
		"cache that the kernel asked for: 0 none, 1 shared memory, 2 L1, 3 equal parts", I,
		cache_config },
	{ "launch__occupancy_limit_blocks", "blocks",
		"blocks that fit on a multiprocessor by their number", I, limit_blocks },
	{ "launch__occupancy_limit_registers", "blocks", "blocks that fit by their registers", I, limit_registers },
	{ "launch__occupancy_limit_shared_mem", "blocks", "blocks that fit by their shared memory", I, limit_shared },
	{ "launch__occupancy_limit_warps", "blocks", "blocks that fit by their warps", I, limit_warps },
	{ "launch__occupancy_limit_barriers", "blocks", "blocks that fit by their barriers", I, limit_barriers },
	{ "launch__sm_count", "multiprocessors", "multiprocessors of the device", I, sm_count },
	{ "launch__waves_per_multiprocessor", "", "how often the device is filled with blocks", D, fills },
	{ "sm__maximum_warps_avg_per_active_cycle", "warps",
		"warps that a multiprocessor can hold of this launch", I, warps },
	{ "sm__maximum_warps_per_active_cycle_pct", "%",
		"theoretical occupancy: these, as a share of what it can hold at all",
		D, occupancy },
};
#undef I
#undef D
const struct gt_metric_table gt_launch_metrics = { metrics, sizeof metrics / sizeof *metrics };
