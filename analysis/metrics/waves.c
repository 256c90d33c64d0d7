/*
 * analysis/metrics/waves.c - what a compute unit can hold of a dispatch
 *
 * CUDA: by the vendor's rules (occupancy.h). OpenCL: by what the runtime tells; no runtime tells the registers of a
 * kernel, so the wavefronts that run at once stay unknown there, and what groups and local memory let in is known where
 * the device's extension tells its wavefronts.
 *
 * spec: ATP ".occupancy"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/waves.h"

#include <string.h>

#define UNKNOWN GT_WAVES_UNKNOWN

/* OpenCL's queries, and those of vendors' extensions. */
enum {
	MAX_COMPUTE_UNITS = 0x1002, MAX_WORK_GROUP_SIZE = 0x1004, MAX_WORK_ITEM_SIZES = 0x1005, LOCAL_MEM_SIZE = 0x1023,
	KERNEL_LOCAL_MEM_SIZE = 0x11B2,
	NV_CAPABILITY_MAJOR = 0x4000, NV_CAPABILITY_MINOR = 0x4001,
	AMD_SIMDS = 0x4040, AMD_WAVEFRONT = 0x4043, AMD_LOCAL_OF_UNIT = 0x4047, AMD_GENERATION = 0x404A,
};

/* GCN, generations 6 to 9: ten wavefronts for each SIMD unit; groups of one wavefront are not counted apart. */
enum { GCN_FIRST = 6, GCN_LAST = 9, GCN_WAVES_PER_SIMD = 10, GCN_GROUPS_OF_ONE = 40, GCN_GROUPS = 16 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t or_unknown(bool known, uint64_t v) { return known && v <= INT64_MAX ? (int64_t)v : UNKNOWN; }

static int64_t device_number(const struct gt_dispatch *d, uint32_t key)
{
	uint64_t v;
	bool known = gt_dispatch_device_number(d, key, &v);

	return or_unknown(known, known ? v : 0);
}

static void count_waves(struct gt_waves *w)
{
	if (w->wave <= 0)
		return;
	if (w->group_size)
		w->waves_per_group = (int64_t)((w->group_size + (uint64_t)w->wave - 1) / (uint64_t)w->wave);
	if (w->max_group_size)
		w->max_waves_per_group = (int64_t)((w->max_group_size + (uint64_t)w->wave - 1) / (uint64_t)w->wave);
}

/* Whole groups among so many wavefronts. */
static int64_t whole_groups(const struct gt_waves *w, int64_t waves)
{
	return waves / w->waves_per_group * w->waves_per_group;
}

/* What groups and local memory let in, once the device's wavefronts and the group's are known. */
static void limit_groups(struct gt_waves *w)
{
	if (w->max_waves <= 0 || w->max_groups <= 0 || w->waves_per_group <= 0)
		return;
	w->group_limit = whole_groups(w, least(w->waves_per_group * w->max_groups, w->max_waves));
	if (w->max_local > 0 && w->local >= 0)
		w->local_limit = least(w->max_local / (w->local ? w->local : 1) * w->waves_per_group, w->group_limit);
}

/* ------------------------------------------------------------------ CUDA */

static uint32_t known(int64_t v) { return v > 0 && v <= UINT32_MAX ? (uint32_t)v : 0; }

static bool describe_device(const struct gt_cuda_device *c, struct gt_occupancy_device *out)
{
	if (!c || c->compute_major < 0 || c->compute_minor < 0)
		return false;
	*out = (struct gt_occupancy_device){
		.major = (uint32_t)c->compute_major, .minor = (uint32_t)c->compute_minor, .warp = known(c->warp),
		.threads_per_block = known(c->max_threads_per_block),
		.threads_per_sm = known(c->max_warps_per_sm) * known(c->warp),
		.registers_per_block = known(c->max_registers_per_block),
		.registers_per_sm = known(c->max_registers_per_sm),
		.shared_per_block = known(c->max_shared_per_block), .shared_per_sm = known(c->max_shared_per_sm),
	};
	return gt_occupancy_device(out);
}

/* The launch happened: what it asked for, its kernel was allowed to have. */
static bool describe_launch(const struct gt_cuda_event *e, struct gt_occupancy_launch *out)
{
	static const enum gt_occupancy_cache caches[] = {
		GT_CACHE_NONE, GT_CACHE_SHARED, GT_CACHE_L1, GT_CACHE_EQUAL
	};
	uint64_t threads = (uint64_t)e->kernel.block[0] * e->kernel.block[1] * e->kernel.block[2];

	if (!threads || threads > UINT32_MAX || e->kernel.registers < 0 || e->kernel.static_shared < 0 ||
		e->kernel.dynamic_shared < 0)
		return false;
	*out = (struct gt_occupancy_launch){
		.block_threads = (uint32_t)threads, .registers = (uint32_t)e->kernel.registers,
		.static_shared = (uint64_t)e->kernel.static_shared,
		.dynamic_shared = (uint64_t)e->kernel.dynamic_shared, .optin = e->kernel.shared_limit_config == 1,
		.max_dynamic = (uint64_t)e->kernel.dynamic_shared, .barriers = 1,
		.cache = caches[e->kernel.cache_requested & 3],
		.carveout = e->kernel.shared_carveout >= 0 && e->kernel.shared_carveout <= 100
			? (int)e->kernel.shared_carveout : -1,
	};
	return true;
}

bool gt_cuda_occupancy(const struct gt_dispatch *d, struct gt_occupancy *out)
{
	struct gt_occupancy_device device;
	struct gt_occupancy_launch launch;

	return d->cuda && describe_device(d->cuda_device, &device) && describe_launch(d->cuda, &launch) &&
		gt_occupancy(&device, &launch, out);
}

static int64_t waves_of(const struct gt_occupancy *o, uint32_t blocks, int64_t most)
{
	return least((int64_t)blocks * o->warps_per_block, most);
}

static void take_occupancy(struct gt_waves *w, const struct gt_occupancy *o)
{
	uint32_t groups = o->limit[GT_LIMIT_WARPS] < o->limit[GT_LIMIT_BLOCKS] ? o->limit[GT_LIMIT_WARPS]
										: o->limit[GT_LIMIT_BLOCKS];

	w->group_limit = waves_of(o, groups, o->warps_per_sm);
	w->vector_limit = waves_of(o, o->limit[GT_LIMIT_REGISTERS], w->group_limit);
	w->scalar_limit = w->group_limit; /* there are none to run out of */
	w->local_limit = waves_of(o, o->limit[GT_LIMIT_SHARED], w->group_limit);
	w->share = o->share * 100;
}

static void of_cuda(const struct gt_dispatch *d, struct gt_waves *w)
{
	const struct gt_cuda_device *c = d->cuda_device;
	const struct gt_cuda_event *e = d->cuda;
	struct gt_occupancy_device has;
	struct gt_occupancy o;

	w->vector_registers = e->kernel.registers;
	w->scalar_registers = w->max_scalar_registers = 0;
	if (e->kernel.static_shared >= 0 && e->kernel.dynamic_shared >= 0)
		w->local = e->kernel.static_shared + e->kernel.dynamic_shared;
	if (c && c->sms > 0)
		w->units = c->sms;
	if (c && c->max_block[0] > 0 && c->max_block[1] > 0 && c->max_block[2] > 0)
		w->max_global_size = (uint64_t)c->max_block[0] * (uint64_t)c->max_block[1] * (uint64_t)c->max_block[2];
	if (!describe_device(c, &has))
		return;
	w->max_waves = has.threads_per_sm / has.warp;
	w->max_groups = c->max_blocks_per_sm > 0 ? c->max_blocks_per_sm : gt_occupancy_max_blocks(has.major, has.minor);
	w->max_vector_registers = gt_occupancy_max_registers(has.major, has.minor);
	w->max_local = (int64_t)has.shared_per_sm;
	w->wave = has.warp;
	w->simds = gt_occupancy_parts(has.major, has.minor);
	w->max_group_size = has.threads_per_block;
	w->generation = has.major;
	count_waves(w);
	if (gt_cuda_occupancy(d, &o))
		take_occupancy(w, &o);
}

/* ------------------------------------------------------------------ OpenCL */

static void of_nvidia(const struct gt_dispatch *d, struct gt_waves *w)
{
	struct gt_occupancy_device has = {
		.major = (uint32_t)device_number(d, NV_CAPABILITY_MAJOR),
		.minor = (uint32_t)device_number(d, NV_CAPABILITY_MINOR),
	};

	if (!gt_occupancy_device(&has))
		return;
	w->max_waves = has.threads_per_sm / has.warp;
	w->max_groups = gt_occupancy_max_blocks(has.major, has.minor);
	w->max_vector_registers = gt_occupancy_max_registers(has.major, has.minor);
	w->max_scalar_registers = w->scalar_registers = 0;
	w->max_local = (int64_t)has.shared_per_sm;
	w->wave = has.warp;
	w->simds = gt_occupancy_parts(has.major, has.minor);
	w->generation = has.major;
}

static void of_amd(const struct gt_dispatch *d, struct gt_waves *w)
{
	w->wave = device_number(d, AMD_WAVEFRONT);
	w->simds = device_number(d, AMD_SIMDS);
	w->generation = device_number(d, AMD_GENERATION);
	if (device_number(d, AMD_LOCAL_OF_UNIT) > 0)
		w->max_local = device_number(d, AMD_LOCAL_OF_UNIT);
	if (w->generation < GCN_FIRST || w->generation > GCN_LAST || w->simds <= 0)
		return;
	count_waves(w);
	w->max_waves = GCN_WAVES_PER_SIMD * w->simds;
	w->max_groups = w->waves_per_group == 1 ? GCN_GROUPS_OF_ONE : GCN_GROUPS;
	w->max_vector_registers = 256;
}

static void of_opencl(const struct gt_dispatch *d, struct gt_waves *w)
{
	const struct gt_attr *sizes = d->opencl->device ? gt_object_attr(d->opencl->device, MAX_WORK_ITEM_SIZES) : NULL;
	uint64_t local, v, most[3];

	w->units = device_number(d, MAX_COMPUTE_UNITS);
	w->max_local = device_number(d, LOCAL_MEM_SIZE);
	if (gt_dispatch_kernel_number(d, KERNEL_LOCAL_MEM_SIZE, &local))
		w->local = (int64_t)(local + d->opencl->local_arg_bytes);
	if (gt_dispatch_device_number(d, MAX_WORK_GROUP_SIZE, &v))
		w->max_group_size = v;
	if (sizes && sizes->bytes >= sizeof most) {
		memcpy(most, sizes->value, sizeof most);
		w->max_global_size = gt_dispatch_in_all(most);
	}
	if (device_number(d, NV_CAPABILITY_MAJOR) > 0)
		of_nvidia(d, w);
	else if (device_number(d, AMD_WAVEFRONT) > 0)
		of_amd(d, w);
	count_waves(w);
	limit_groups(w);
}

void gt_waves(const struct gt_dispatch *d, struct gt_waves *w)
{
	*w = (struct gt_waves){
		.units = UNKNOWN, .max_waves = UNKNOWN, .max_groups = UNKNOWN, .max_vector_registers = UNKNOWN,
		.max_scalar_registers = UNKNOWN, .max_local = UNKNOWN, .wave = UNKNOWN, .simds = UNKNOWN,
		.generation = UNKNOWN, .vector_registers = UNKNOWN, .scalar_registers = UNKNOWN, .local = UNKNOWN,
		.waves_per_group = UNKNOWN, .max_waves_per_group = UNKNOWN, .vector_limit = UNKNOWN,
		.scalar_limit = UNKNOWN, .local_limit = UNKNOWN, .group_limit = UNKNOWN, .share = UNKNOWN,
	};
	if (d->has_group)
		w->group_size = gt_dispatch_in_all(d->group);
	if (d->has_global)
		w->global_size = gt_dispatch_in_all(d->global);
	if (d->cuda)
		of_cuda(d, w);
	else
		of_opencl(d, w);
}
