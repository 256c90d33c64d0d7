/*
 * model/nvtx/ranges.h - NVTX marks, ranges and names of a trace
 *
 * Runs in the tool. Pushes are joined with the pops of their thread and domain, starts with their ends, registered
 * strings and domain numbers with what they stand for. Texts are UTF-8 or raw bytes as the program gave them,
 * zero-terminated, and live as long as the model.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_NVTX_RANGES_H
#define GPUTAP_MODEL_NVTX_RANGES_H

#include "model/model.h"

struct gt_range {
	uint32_t process, thread, end_thread;
	enum rec_nvtx_kind kind;
	int64_t start_ns;
	int64_t end_ns;                   /* GT_NO_TIME: never ended, or a mark */
	uint32_t domain;                  /* number in its process; 0 = the default domain */
	uint32_t level;                   /* pushes: how many of the same thread and domain are open around it */
	uint64_t id;                      /* starts: what the program got as range id */
	struct gt_string domain_name;     /* "" for the default domain */
	struct gt_string text;            /* text NULL: no message */
	bool registered, has_color;
	uint32_t category, color;
	/* 1 u64, 2 i64, 3 double, 4 u32, 5 i32, 6 float, REC_NVTX_SCHEMA_DATA; 0 = none */
	uint32_t payload_type;
	uint64_t payload;                 /* the value's bits */
	uint64_t stack_link;              /* 0: none; gt_range_stack (model/stacks/stacks.h) knows the stack */
	struct gt_string data;            /* REC_NVTX_SCHEMA_DATA: pieces as in the record */
};
/* In order of (start, end descending): marks and enclosed ranges behind what encloses them. */
uint64_t gt_model_range_count(const struct gt_model *m);
const struct gt_range *gt_model_range(const struct gt_model *m, uint64_t i);

/*
 * What the program gave a name: domains (also their end, without a name), categories, threads, resources. In order of
 * time.
 */
struct gt_range_name {
	uint32_t process, thread;         /* who said it */
	enum rec_nvtx_name what;
	int64_t time_ns;
	uint32_t domain, resource_type;
	uint64_t id;                      /* category, thread id, resource */
	struct gt_string text;
};
uint32_t gt_model_range_name_count(const struct gt_model *m);
const struct gt_range_name *gt_model_range_name(const struct gt_model *m, uint32_t i);

#endif
