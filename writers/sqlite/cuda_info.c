/*
 * writers/sqlite/cuda_info.c - CUDA's devices, contexts and streams, and the names that NVTX gave them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/nvtx/ranges.h"
#include "writers/sqlite/cuda.h"

/* spec: nsys SQLite: priority -5 is written 4294967291, "unknown" the like of -1 */
static int64_t unsigned32(int64_t v) { return (int64_t)(uint32_t)v; }

static void put_limits(struct gt_sql_row *r, const struct gt_cuda_device *d)
{
	const struct { unsigned cell; int64_t value; } facts[] = {
		{ GPU_l2CacheSize, d->l2_bytes }, { GPU_totalMemory, d->memory_bytes },
		{ GPU_memoryBandwidth, d->memory_bandwidth },
		{ GPU_smCount, d->sms }, { GPU_constantMemory, d->constant_bytes }, { GPU_maxIPC, d->max_ipc },
		{ GPU_maxRegistersPerBlock, d->max_registers_per_block },
		{ GPU_maxShmemPerBlock, d->max_shared_per_block },
		{ GPU_maxShmemPerSm, d->max_shared_per_sm }, { GPU_maxRegistersPerSm, d->max_registers_per_sm },
		{ GPU_threadsPerWarp, d->warp },
		{ GPU_asyncEngines, d->copy_engines }, { GPU_maxWarpsPerSm, d->max_warps_per_sm },
		{ GPU_maxBlocksPerSm, d->max_blocks_per_sm },
		{ GPU_maxThreadsPerBlock, d->max_threads_per_block }, { GPU_maxBlockDimX, d->max_block[0] },
		{ GPU_maxBlockDimY, d->max_block[1] },
		{ GPU_maxBlockDimZ, d->max_block[2] }, { GPU_maxGridDimX, d->max_grid[0] },
		{ GPU_maxGridDimY, d->max_grid[1] },
		{ GPU_maxGridDimZ, d->max_grid[2] }, { GPU_computeMajor, d->compute_major },
		{ GPU_computeMinor, d->compute_minor },
		{ GPU_smMajor, d->compute_major }, { GPU_smMinor, d->compute_minor }, { GPU_numaNodeId, d->numa_id },
	};

	for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
		gt_put_known(r, facts[i].cell, facts[i].value);
}

static void add_gpu(struct gt_sql_feeder *f, const struct gt_cuda_device *d)
{
	struct gt_sql_row *r = gt_sql_add(f->gpu);
	char uuid[40];

	gt_put(r, GPU_vmId, GT_SQL_VM);
	gt_put(r, GPU_id, d->index);
	if (d->name.bytes)
		gt_put_text(f->gpu, r, GPU_name, d->name.text, d->name.bytes);
	if (d->bus.bytes)
		gt_put_text(f->gpu, r, GPU_busLocation, d->bus.text, d->bus.bytes);
	if (d->clock_khz >= 0)
		gt_put(r, GPU_clockRate, d->clock_khz * 1000);
	if (d->has_uuid) {
		gt_sql_uuid_text(d->uuid, uuid);
		gt_put_str(f->gpu, r, GPU_uuid, uuid);
	}
	gt_put(r, GPU_cuDevice, d->id);
	put_limits(r, d);
}

/* cudaId is the number that rows have as deviceId, not the process' own: consumers go either way. */
static void add_device(struct gt_sql_feeder *f, const struct gt_cuda_device *d)
{
	struct gt_sql_row *r = gt_sql_add(f->cuda_device);
	char uuid[40];

	gt_put(r, DE_gpuId, d->index);
	gt_put(r, DE_cudaId, d->index);
	gt_put(r, DE_pid, gt_model_process(f->m, d->process)->pid);
	if (d->has_uuid) {
		gt_sql_uuid_text(d->uuid, uuid);
		gt_put_str(f->cuda_device, r, DE_uuid, uuid);
	}
	gt_put_known(r, DE_numMultiprocessors, d->sms);
}

static void add_context(struct gt_sql_feeder *f, const struct gt_cuda_context *c)
{
	int64_t device = gt_sql_cuda_known(f, c->process, c->device);
	struct gt_sql_row *r = gt_sql_add(f->cuda_context);

	gt_put(r, CO_nullStreamId, c->null_stream);
	gt_put(r, CO_hwId, 0);
	gt_put(r, CO_vmId, 1);
	gt_put(r, CO_processId, gt_model_process(f->m, c->process)->pid);
	gt_put(r, CO_deviceId, device >= 0 ? device : GT_SQL_NONE);
	gt_put(r, CO_contextId, c->id);
	gt_put(r, CO_parentContextId, c->parent != GT_CUDA_NONE ? c->parent : 0);
	gt_put(r, CO_isGreenContext, c->green);
	gt_put_known(r, CO_numMultiprocessors, c->sms);
}

enum { NULL_STREAM = 3 };                 /* ENUM_CUPTI_STREAM_TYPE */

static void add_stream(struct gt_sql_feeder *f, const struct gt_cuda_stream *s)
{
	struct gt_sql_row *r = gt_sql_add(f->cuda_stream);

	gt_put(r, ST_streamId, s->id);
	gt_put(r, ST_hwId, 0);
	gt_put(r, ST_vmId, 1);
	gt_put(r, ST_processId, gt_model_process(f->m, s->process)->pid);
	gt_put(r, ST_contextId, s->context != GT_CUDA_NONE ? s->context : 0);
	gt_put(r, ST_priority, unsigned32(s->priority));
	gt_put(r, ST_flag, s->flag >= 0 ? s->flag : 0);
}

/* CUPTI describes streams as they are made; the null stream of a context nobody makes. */
static void add_null_stream(struct gt_sql_feeder *f, const struct gt_cuda_context *c)
{
	const struct gt_cuda *m = gt_sql_cuda_model(f);

	if (c->null_stream == GT_CUDA_NONE)
		return;
	for (uint32_t i = 0; i < gt_cuda_stream_count(m); i++) {
		const struct gt_cuda_stream *s = gt_cuda_stream(m, i);

		if (s->id == c->null_stream && s->context == c->id && s->process == c->process)
			return;
	}
	add_stream(f,
		&(struct gt_cuda_stream){
			.process = c->process, .id = c->null_stream, .context = c->id, .flag = NULL_STREAM });
}

/* True the first time for each number. */
static bool take(bool *done, uint32_t n, uint32_t i)
{
	bool first = i < n && !done[i];

	if (first)
		done[i] = true;
	return first;
}

/* NVTX names devices by number. Contexts and streams it names by handle, and no record tells whose handle that is. */
static void add_names(struct gt_sql_feeder *f, bool *done, uint32_t n_gpus)
{
	static const char *const cells[] = { "name", "hwId", "vmId", "deviceId" };
	enum { CUDA_DEVICE = 4 << 16 | 1, CUDART_DEVICE = 5 << 16 }; /* NVTX: class and number of the resource's type */
	struct gt_sql_table *t = gt_sql_feed(f->db, "TARGET_INFO_NVTX_CUDA_DEVICE", cells, 4);

	for (uint32_t i = gt_model_range_name_count(f->m); i-- > 0;) {   /* the last name holds */
		const struct gt_range_name *n = gt_model_range_name(f->m, i);
		const struct gt_cuda_device *d = n->id < GT_CUDA_NONE
			? gt_cuda_device_of(gt_sql_cuda_model(f), n->process, (uint32_t)n->id)
			: NULL;

		if (n->what != REC_NVTX_RESOURCE ||
			(n->resource_type != CUDA_DEVICE && n->resource_type != CUDART_DEVICE))
			continue;
		if (!d || !take(done, n_gpus, d->index))
			continue;
		struct gt_sql_row *r = gt_sql_add(t);

		gt_put_text(t, r, 0, n->text.text, n->text.bytes);
		gt_put(r, 1, 0);
		gt_put(r, 2, 1);
		gt_put(r, 3, d->index);
	}
}

/* One row for each physical device, and one of each process that used it. */
void gt_sql_cuda_targets(struct gt_sql_feeder *f)
{
	const struct gt_cuda *c = gt_sql_cuda_model(f);
	uint32_t n = c ? gt_cuda_device_count(c) : 0;
	bool *done = calloc((size_t)n + 1, sizeof *done);

	if (!done)
		gt_sql_no_memory(f->db);
	for (uint32_t i = 0; done && i < n; i++) {
		const struct gt_cuda_device *d = gt_cuda_device(c, i);

		if (take(done, n, d->index))
			add_gpu(f, d);
		add_device(f, d);
	}
	for (uint32_t i = 0; c && i < gt_cuda_context_count(c); i++)
		add_context(f, gt_cuda_context(c, i));
	for (uint32_t i = 0; c && i < gt_cuda_stream_count(c); i++)
		add_stream(f, gt_cuda_stream(c, i));
	for (uint32_t i = 0; c && i < gt_cuda_context_count(c); i++)
		add_null_stream(f, gt_cuda_context(c, i));
	if (c && done) {
		memset(done, 0, n);
		add_names(f, done, n);
	}
	free(done);
}
