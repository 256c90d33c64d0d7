/*
 * cli/info/cuda.c - the CUDA part of gputap info: the libraries that told it, devices, and how much of each kind there
 * is
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "common/counted.h"
#include "common/harmless.h"
#include "cli/info/info.h"
#include "cli/json.h"
#include "model/cuda/cuda.h"

/* 130001 -> "13.0.1", 28 -> "28": what the library answers, and from 13.0 on what it means. */
static void version(uint32_t v, char out[32])
{
	if (v >= 100000)
		snprintf(out, 32, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
	else
		snprintf(out, 32, "%u", v);
}

/* One line a physical device, however many processes used it. */
static bool seen_before(const struct gt_cuda *c, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (gt_cuda_device(c, k)->index == gt_cuda_device(c, i)->index)
			return true;
	return false;
}

static bool any(const struct gt_model *m, const struct gt_cuda *c)
{
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		if (gt_cuda_library(c, i))
			return true;
	return false;
}

/* ---------------------------------------------------------------------- text */

static void text_string(const char *before, struct gt_string s, const char *behind)
{
	printf("%s%s%s", before, gt_harmless_n(s.text, s.bytes), behind);
}

static void text_library(const struct gt_process *p, const struct gt_cuda_library *l)
{
	char cupti[32];

	version(l->cupti_version, cupti);
	printf("  process %d: CUPTI %s", p->pid, cupti);
	if (l->path.bytes)
		text_string(" (", l->path, ")");
	if (l->driver_version)
		printf(", driver for CUDA %u.%u", l->driver_version / 1000, l->driver_version / 10 % 100);
	if (l->flags & REC_CUPTI_STAND_IN)
		printf(", a stand-in");
	if (l->clock_error_ns >= 0)
		printf(", clock within %lld ns", (long long)l->clock_error_ns);
	else
		printf(", clock never read: taken as CLOCK_REALTIME");
	if (l->flags & REC_CUPTI_LATE)
		printf(", attached late");
	printf("\n    %s in %s", gt_counted(l->records, "activities").text, gt_counted(l->buffers, "buffers").text);
	if (l->uncompleted)
		printf(", %llu of them unfinished at the end", (unsigned long long)l->uncompleted);
	if (l->dropped)
		printf(", %s", gt_counted(l->dropped, "activities dropped").text);
	printf("\n");
}

static void text_device(const struct gt_cuda_device *d)
{
	printf("  device %u ", d->index);
	if (d->name.bytes)
		text_string("", d->name, "");
	else
		printf("(name not recorded)");
	printf("%s", d->stand_in ? " (a stand-in)" : "");
	if (d->compute_major > 0)
		printf(", compute capability %d.%d", d->compute_major, d->compute_minor);
	if (d->sms > 0)
		printf(", %s", gt_counted((uint64_t)d->sms, "multiprocessors").text);
	if (d->memory_bytes > 0)
		printf(", %.1f GiB", (double)d->memory_bytes / (1ull << 30));
	printf("\n");
}

int gt_info_cuda_text(struct gt_model *m, struct gt_err *err)
{
	struct gt_cuda *c = gt_model_cuda(m, err);
	const char *before = "  ";

	if (!c)
		return -1;
	if (!any(m, c))
		return 0;
	printf("\nCUDA\n");
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		if (gt_cuda_library(c, i))
			text_library(gt_model_process(m, i), gt_cuda_library(c, i));
	for (uint32_t i = 0; i < gt_cuda_device_count(c); i++)
		if (!seen_before(c, i))
			text_device(gt_cuda_device(c, i));
	for (int k = 0; k < GT_CUDA_KINDS; k++) {
		if (!gt_cuda_count(c, (enum gt_cuda_kind)k))
			continue;
		printf("%s%s", before,
			gt_counted(gt_cuda_count(c, (enum gt_cuda_kind)k), gt_cuda_kind_names[k].words).text);
		before = ", ";
	}
	if (before[0] == ',')
		printf("\n");
	return 0;
}

/* ---------------------------------------------------------------------- JSON */

static void json_library(struct gt_text *t, const struct gt_process *p, const struct gt_cuda_library *l)
{
	gt_info_begin_item(t);
	gt_json_field_i64(t, "pid", p->pid);
	gt_json_field_i64(t, "instance", p->instance);
	gt_json_field_u64(t, "cupti_version", l->cupti_version);
	if (l->driver_version)
		gt_json_field_u64(t, "driver_version", l->driver_version);
	gt_json_field_text(t, "path", l->path);
	gt_json_field_bool(t, "stand_in", l->flags & REC_CUPTI_STAND_IN);
	gt_json_field_bool(t, "per_thread_buffers", l->flags & REC_CUPTI_PER_THREAD_BUFFERS);
	gt_json_field_bool(t, "late", l->flags & REC_CUPTI_LATE);
	gt_info_known(t, "clock_error_ns", l->clock_error_ns);
	gt_json_field_u64(t, "buffers", l->buffers);
	gt_json_field_u64(t, "uncompleted", l->uncompleted);
	gt_json_field_u64(t, "records", l->records);
	gt_json_field_u64(t, "dropped", l->dropped);
	gt_text_char(t, '}');
}

static void json_device(struct gt_text *t, const struct gt_model *m, const struct gt_cuda_device *d)
{
	gt_info_begin_item(t);
	gt_json_field_u64(t, "index", d->index);
	gt_json_field_i64(t, "pid", gt_model_process(m, d->process)->pid);
	gt_json_field_u64(t, "id", d->id);
	if (d->name.bytes)
		gt_json_field_text(t, "name", d->name);
	gt_json_field_bool(t, "stand_in", d->stand_in);
	gt_info_known(t, "compute_major", d->compute_major);
	gt_info_known(t, "compute_minor", d->compute_minor);
	gt_info_known(t, "multiprocessors", d->sms);
	gt_info_known(t, "memory_bytes", d->memory_bytes);
	gt_text_char(t, '}');
}

int gt_info_cuda_json(struct gt_model *m, struct gt_text *t, struct gt_err *err)
{
	struct gt_cuda *c = gt_model_cuda(m, err);

	if (!c)
		return -1;
	if (!any(m, c))
		return 0;
	gt_json_key(t, "cuda");
	gt_text_lit(t, "{\"libraries\":[");
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		if (gt_cuda_library(c, i))
			json_library(t, gt_model_process(m, i), gt_cuda_library(c, i));
	gt_text_lit(t, "],\"devices\":[");
	for (uint32_t i = 0; i < gt_cuda_device_count(c); i++)
		json_device(t, m, gt_cuda_device(c, i));
	gt_text_lit(t, "],\"counts\":{");
	for (int k = 0; k < GT_CUDA_KINDS; k++)
		if (gt_cuda_count(c, (enum gt_cuda_kind)k))
			gt_json_field_u64(t, gt_cuda_kind_names[k].plural, gt_cuda_count(c, (enum gt_cuda_kind)k));
	gt_text_lit(t, "}}");
	return 0;
}
