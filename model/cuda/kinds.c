/*
 * model/cuda/kinds.c - the tables of kinds as arrays: what trace/format/cupti.def and model/cuda/kinds.def say
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/cuda/internal.h"

const struct gt_cuda_kind_name gt_cuda_kind_names[GT_CUDA_KINDS] = {
#define BEGIN(ID, member, name, plural, words) [GT_CUDA_##ID] = { name, plural, words },
#include "model/cuda/kinds.def"
};

const struct gt_cuda_record gt_cuda_records[GT_CUPTI_KINDS] = {
#define KIND(id, number, lay, bytes, minimum, sor, on, text) \
	[number].least = bytes, \
	[number].layout = REC_CUPTI_LAYOUT_##lay, \
	[number].sort = REC_CUPTI_##sor,
#include "trace/format/cupti.def"
#define SOURCE(ID, record) [REC_CUPTI_KIND_##record].shown = GT_CUDA_##ID + 1,
#include "model/cuda/kinds.def"
};

const uint32_t gt_cuda_work_kinds = 0u
#define SOURCE(ID, record) | (uint32_t)(rec_sort_##record == (int)REC_CUPTI_WORK) << GT_CUDA_##ID
#include "model/cuda/kinds.def"
	;
_Static_assert(GT_CUDA_KINDS <= 32, "a bit for each");

/* What each role of a field is for times; roles are in the order of the record, starts before ends. */
#define TIME_START(v) t.timing = GT_CUDA_TOLD, t.start = (v);
#define TIME_END(v) t.end = (v);
#define TIME_END_IF_ANY(v) t.end = (v), t.end = t.end ? t.end : t.start;
#define TIME_MOMENT(v) t.timing = GT_CUDA_TOLD, t.start = t.end = (v);
#define TIME_MOMENT_IF_TOLD(v) t.start = t.end = (v), t.timing = t.start ? GT_CUDA_TOLD : GT_CUDA_UNTOLD;
#define TIME_CORRELATION(v) t.correlation = (v);
#define TIME_DEVICE(v)
#define TIME_CONTEXT(v)
#define TIME_STREAM(v)
#define TIME_GRAPH(v)
#define TIME_GRAPH_NODE(v)

struct gt_cuda_times gt_cuda_times_of(const struct rec_activity *a)
{
	struct gt_cuda_times t = { .timing = GT_CUDA_TIMELESS };

	switch (gt_cuda_records[a->kind].layout) {
	case REC_CUPTI_LAYOUT_NONE:
#define LAYOUT(layout, structure) break; case REC_CUPTI_LAYOUT_##layout:
#define ROLE(role, layout, name, offset, type, since) TIME_##role(REC_GET(a, layout, name, 0))
#include "trace/format/cupti.def"
		break;
	}
	return t;
}

bool gt_cuda_is_torn(const struct rec_activity *a)
{
	switch (gt_cuda_records[a->kind].layout) {
#define FILLED(layout, name) case REC_CUPTI_LAYOUT_##layout: return !REC_GET(a, layout, name, 0);
#include "trace/format/cupti.def"
	}
	return false;
}
