/*
 * writers/sqlite/cuda.h - the CUDA part of the SQLite writer, and its conversions of CUPTI's numbers
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_SQLITE_CUDA_H
#define GPUTAP_WRITERS_SQLITE_CUDA_H

#include "model/cuda/cuda.h"
#include "model/opencl/operation.h"            /* copy and memory kinds of the schema */
#include "writers/sqlite/feed.h"

/* ---- cuda_values.c: four enumerations of the schema have other numbers than CUPTI's ---- */

int gt_sql_mem_kind(int cupti);           /* ENUM_CUDA_MEM_KIND */
int gt_sql_launch_type(int64_t cupti);    /* ENUM_CUDA_KERNEL_LAUNCH_TYPE */
int gt_sql_memory_operation(int cupti);   /* ENUM_CUDA_DEV_MEM_EVENT_OPER; -1: neither */
int gt_sql_managed_copy(int counter);     /* ENUM_CUDA_MEMCPY_OPER of a unified memory transfer; -1: not one */

/*
 * profiler: time that goes to the tracing itself (PROFILER_OVERHEAD), else CUDA's own (CUPTI_ACTIVITY_KIND_OVERHEAD).
 */
struct gt_sql_overhead { int cupti, type; bool profiler; const char *name; }; /* type: ENUM_CUPTI_OVERHEAD_TYPE */
const struct gt_sql_overhead *gt_sql_overhead(int cupti);   /* never NULL: what is not known is "Unknown" */
const char *gt_sql_jit_name(int operation);

/* ---- cuda.c: calls and device work ---- */

/* Before the walk. Without CUDA in the trace the other functions do nothing. 0, or -1 with *err. */
int gt_sql_cuda_open(struct gt_sql_feeder *f, struct gt_err *err);
void gt_sql_cuda_close(struct gt_sql_feeder *f);
/* Rows for the calls that began before a time and have none yet. 0, or -1 with *err. */
int gt_sql_cuda_calls(struct gt_sql_feeder *f, int64_t before_ns, struct gt_err *err);
int gt_sql_cuda_work(struct gt_sql_feeder *f, struct gt_err *err);

/* ---- what the parts share ---- */

struct gt_cuda *gt_sql_cuda_model(const struct gt_sql_feeder *f);   /* NULL: no CUDA in the trace */

struct gt_sql_place { int64_t device, context, green, stream; bool is_green; };
struct gt_sql_place gt_sql_cuda_place(struct gt_sql_feeder *f, const struct gt_cuda_event *e);
/* -1 when nobody described it */
int64_t gt_sql_cuda_known(const struct gt_sql_feeder *f, uint32_t process, uint32_t id);
/* ... gt_sql_unknown_device then */
int64_t gt_sql_cuda_device(struct gt_sql_feeder *f, uint32_t process, uint32_t id);
/* number of a physical device; -1 none */
int64_t gt_sql_cuda_gpu_of(const struct gt_sql_feeder *f, const uint8_t uuid[16], uint32_t units, uint32_t nth);
/* ... as a device of that pid */
bool gt_sql_cuda_describes(const struct gt_sql_feeder *f, uint32_t process, int64_t number);
uint32_t gt_sql_cuda_gpus(const struct gt_sql_feeder *f);           /* numbers below are CUDA's; 0 without CUDA */
int64_t gt_sql_cuda_correlation(const struct gt_sql_feeder *f, uint32_t process, uint32_t correlation);
/* thread 0 of its process when nobody said which */
int64_t gt_sql_cuda_tid(struct gt_sql_feeder *f, const struct gt_cuda_event *e);
bool gt_sql_cuda_inside(const struct gt_sql_feeder *f, int64_t start_ns, int64_t end_ns); /* overlaps the window */

/* A call that never returned ends where it began. */
static inline int64_t gt_sql_cuda_end(const struct gt_cuda_event *e)
{
	return e->end_ns != GT_NO_TIME ? e->end_ns : e->start_ns;
}

/* Numbers that are -1 when nobody told them stay NULL. */
static inline void gt_put_known(struct gt_sql_row *r, unsigned cell, int64_t value)
{
	if (value >= 0)
		gt_put(r, cell, value);
}

/* ---- cuda_events.c: graphs, memory, page faults, overhead; cuda_info.c: devices, contexts, streams ---- */
/* PROFILER_OVERHEAD where there is no CUDA: gt_sql_cuda_events has it too. */
void gt_sql_own_costs(struct gt_sql_feeder *f);
/* monitors.c: samples of performance monitors. */
int gt_sql_monitors(struct gt_sql_feeder *f, struct gt_err *err);
int gt_sql_cuda_events(struct gt_sql_feeder *f, struct gt_err *err);
void gt_sql_cuda_targets(struct gt_sql_feeder *f);

#endif
