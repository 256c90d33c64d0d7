/*
 * writers/codexl/counters.c - CodeXL's counter file (.csv) of one process: a line for each launch of a kernel
 *
 * Runs in the tool. Counters behind the fixed columns: what analysis/metrics knows of an OpenCL launch, and of a CUDA
 * one, where the process made such; then the counters that were collected of its kernels. What a launch has no value of
 * is NA. Readers stop at lines of 2 048 bytes: names are cut before that, and of the counters those are left out that a
 * line of names has no room for.
 *
 * spec: ATP ".csv"; layout: docs/codexl.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/metrics.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/metrics/counted.h"
#include "analysis/metrics/waves.h"
#include "common/harmless.h"
#include "common/hash.h"
#include "common/map.h"
#include "trace/format/counters.h"
#include "writers/codexl/codexl.h"
#include "writers/spill.h"

#define COUNTERS_MOST 24                          /* columns; a value may be 22 bytes long */
#define LINE_MOST 2000                            /* bytes of the line of names */
#define HELD (4ull << 20)                         /* bytes of lines in memory */

#define FIXED "Method, ExecutionOrder, ThreadID, CallIndex, GlobalWorkSize, WorkGroupSize, Time, LocalMemSize, " \
	      "VGPRs, SGPRs, ScratchRegs"

/* The same kernel has one number in the file, from 1, in the order of first launches; so do devices. */
struct numbers { struct gt_map map; uint32_t n; };
struct numbered { uint64_t key; uint32_t number; };

enum { OPENCL = GT_METRICS_OPENCL, CPU = GT_METRICS_CPU, CUDA = GT_METRICS_LAUNCH, TABLES = GT_METRIC_TABLES };

struct file {
	const struct gt_export *x;
	struct gt_spill spill;
	struct gt_spill_text *lines;
	struct numbers kernels, devices;
	bool has[TABLES];                         /* columns of these metrics */
	struct gt_counted *counted;               /* NULL: nothing was collected in the trace */
	const char *counter[COUNTERS_MOST];       /* columns of what was */
	uint32_t n_counters, left_out;
	uint64_t order;
	bool failed;
};

static int no_memory(const struct file *f, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be written", f->x->final_path);
}

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct numbered *)element)->key == *(const uint64_t *)key;
}

static uint32_t number_of(struct file *f, struct numbers *all, uint64_t key)
{
	bool fresh;
	struct numbered *n = gt_map_add(&all->map, sizeof *n, gt_hash(GT_HASH, key), &key, same, NULL, &fresh);

	if (!n) {
		f->failed = true;
		return 0;
	}
	if (fresh)
		*n = (struct numbered){ key, ++all->n };
	return n->number;
}

/* vecadd__k1_gfx9001: kernel, number of the kernel, device, number of the device. A CPU has neither name nor number. */
static void put_method(struct file *f, const struct gt_dispatch *d)
{
	struct gt_text *t = &f->lines->text;

	gt_codexl_name(t, &d->kernel, "unknown_kernel");
	gt_text_lit(t, "__k");
	gt_text_u64(t, number_of(f, &f->kernels, d->kernel_key));
	gt_text_char(t, '_');
	if (gt_dispatch_on_cpu(d)) {
		gt_text_lit(t, "CPU");
		return;
	}
	gt_codexl_name(t, &d->device, "Unknown_Device");
	gt_text_u64(t, number_of(f, &f->devices, d->device_key));
}

/* Three values always; the width is a minimum. */
static void put_sizes(struct gt_text *t, const uint64_t size[3], bool known, int width)
{
	char text[80];

	gt_text_lit(t, ", ");
	if (!known) {
		gt_text_lit(t, "NULL");
		return;
	}
	snprintf(text, sizeof text, "{%*llu %*llu %*llu}", width, (unsigned long long)size[0], width,
		(unsigned long long)size[1], width, (unsigned long long)size[2]);
	gt_text_str(t, text);
}

static void put_number(struct gt_text *t, bool known, uint64_t v)
{
	gt_text_lit(t, ", ");
	if (known)
		gt_text_u64(t, v);
	else
		gt_text_lit(t, "NA");
}

static void put_time(struct gt_text *t, const struct gt_dispatch *d)
{
	char text[40];

	if (!d->timed) {
		gt_text_lit(t, ", NA");
		return;
	}
	gt_text_lit(t, ", ");
	gt_text_bytes(t, text, (size_t)snprintf(text, sizeof text, "%15.5f", (double)(d->end_ns - d->start_ns) / 1e6));
}

static void put_value(struct gt_text *t, const struct gt_metric_value *v)
{
	char text[400];

	switch (v->type) {
	case GT_METRIC_NONE: gt_text_lit(t, ", NA"); break;
	case GT_METRIC_INTEGER: put_number(t, true, v->integer); break;
	case GT_METRIC_TEXT:
		gt_text_lit(t, ", ");
		gt_text_str(t, v->text);
		break;
	case GT_METRIC_DOUBLE:
		gt_text_lit(t, ", ");
		gt_text_bytes(t, text, (size_t)snprintf(text, sizeof text, "%12.2f", v->real));
		break;
	}
}

/* NA: of this launch it was not collected, or CUPTI's host library has no value. */
static void put_counters(struct file *f, const struct gt_dispatch *d)
{
	int64_t launch = d->cuda ? gt_counted_find(f->counted, d->process, REC_COUNTED_LAUNCH,
		d->cuda->correlation) : -1;

	for (uint32_t i = 0; i < f->n_counters; i++) {
		struct gt_metric_value v = gt_metric_none("");
		struct gt_counted_metric m;

		for (uint32_t k = 0; launch >= 0 && gt_counted_metric(f->counted, launch, 0, k, &m); k++)
			if (!strcmp(m.name, f->counter[i]) && m.has)
				v = gt_metric_double(m.value);
		put_value(&f->lines->text, &v);
	}
}

/* The file has the columns of every kind of dispatch in it. */
static void put_metrics(struct file *f, const struct gt_dispatch *d, const struct gt_waves *w)
{
	struct gt_text *t = &f->lines->text;
	struct gt_metric_value v;

	for (size_t k = 0; k < TABLES; k++)
		for (size_t i = 0; f->has[k] && i < gt_metric_tables[k]->n; i++) {
			v = gt_metrics_fit(k, d) ? gt_metric_tables[k]->metrics[i].of(d) : gt_metric_none("");
			put_value(t, &v);
		}
	put_counters(f, d);
	v = w->share >= 0 ? gt_metric_double(w->share) : gt_metric_none("");
	put_value(t, &v);
}

static int put_line(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	struct file *f = ctx;
	struct gt_text *t = &f->lines->text;
	size_t used = t->used;
	struct gt_waves w;

	gt_waves(d, &w);
	put_method(f, d);
	put_number(t, true, ++f->order);
	put_number(t, d->tid >= 0, (uint64_t)d->tid);
	put_number(t, d->call_index != GT_NO_CALL, d->call_index);
	put_sizes(t, d->global, d->has_global, 7);
	put_sizes(t, d->group, d->has_group, 5);
	put_time(t, d);
	put_number(t, w.local >= 0, (uint64_t)w.local);
	put_number(t, w.vector_registers >= 0, (uint64_t)w.vector_registers);
	put_number(t, d->opencl && w.scalar_registers >= 0, (uint64_t)w.scalar_registers);
	put_number(t, false, 0);          /* scratch registers: nobody tells them */
	put_metrics(f, d, &w);
	gt_text_char(t, '\n');
	gt_spill_wrote(&f->spill, t->used - used);
	return f->failed ? no_memory(f, err) : 0;
}

/* ------------------------------------------------------------------ the head */

/* "#Device 0 Platform Name=...": no blanks round '=', unlike in .atp. */
static void put_device_line(
	struct gt_text *t, uint32_t number, const char *key, const struct gt_object *of, uint32_t query)
{
	const struct gt_attr *a = of ? gt_object_attr(of, query) : NULL;
	char mark[40], value[1000];
	uint32_t v = 0;

	if (!a)
		return;
	snprintf(mark, sizeof mark, "#Device %u ", number);
	if (query == 0x100D) {                    /* CL_DEVICE_ADDRESS_BITS, the one number among them */
		memcpy(&v, a->value, a->bytes < 4 ? a->bytes : 4);
		snprintf(value, sizeof value, "%u", v);
	} else {
		snprintf(value, sizeof value, "%.*s", (int)strnlen(a->value, a->bytes), (const char *)a->value);
	}
	gt_codexl_line(t, mark, key, value);
}

static void put_devices(struct gt_text *t, struct gt_model *m, uint32_t process)
{
	static const struct { const char *key; bool platform; uint32_t query; } lines[] = {
		{ "Platform Vendor", true, 0x0903 }, { "Platform Name", true, 0x0902 },
		{ "Platform Version", true, 0x0901 }, { "CLDriver Version", false, 0x102D },
		{ "CLRuntime Version", false, 0x102F },
		{ "NumberAppAddressBits", false, 0x100D }, { "Board Name", false, 0x4038 },
	};
	uint32_t number = 0;

	for (uint32_t i = 0; i < gt_model_object_count(m); i++) {
		const struct gt_object *d = gt_model_object(m, i);

		if (d->kind != REC_OBJECT_DEVICE || d->process != process)
			continue;
		for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
			put_device_line(t, number, lines[k].key, lines[k].platform ? d->platform : d, lines[k].query);
		number++;
	}
}

static void put_session_name(struct gt_text *t, const struct gt_export *x)
{
	struct gt_string name = gt_output_session_name(x);

	gt_text_lit(t, "#DisplayName=");
	gt_text_harmless(t, name.text, name.bytes);
	gt_text_char(t, '\n');
}

static void put_columns(struct gt_text *t, const struct file *f)
{
	gt_text_lit(t, FIXED);
	for (size_t k = 0; k < TABLES; k++)
		for (size_t i = 0; f->has[k] && i < gt_metric_tables[k]->n; i++) {
			gt_text_lit(t, ", ");
			gt_text_str(t, gt_metric_tables[k]->metrics[i].name);
		}
	for (uint32_t i = 0; i < f->n_counters; i++) {
		gt_text_lit(t, ", ");
		gt_text_str(t, f->counter[i]);
	}
	gt_text_lit(t, ", KernelOccupancy\n");
}

static void put_head(struct gt_text *t, const struct file *f)
{
	const struct gt_process *p = f->x->process;

	gt_codexl_line(t, "#", "ProfileFileVersion", "5.6");
	gt_codexl_line(t, "#", "ProfilerVersion", "5.6.0");
	gt_codexl_line(t, "#", "API", f->has[OPENCL] ? "OpenCL" : "CUDA");
	gt_codexl_line(t, "#", "Application", p->image);
	gt_codexl_args(t, "#", p);
	gt_codexl_line(t, "#", "WorkingDirectory", p->cwd);
	if (p->n_env)
		gt_codexl_line(t, "#", "FullEnvironment", "0");
	for (size_t i = 0; i < p->n_env; i++)
		gt_codexl_line(t, "#", "EnvVar", p->env[i]);
	put_devices(t, f->x->model, p->index);
	gt_codexl_line(t, "#", "OS Version", p->os);
	put_session_name(t, f->x);
	gt_codexl_line(t, "#", "ListSeparator", ",");
	gt_codexl_line(t, "#", "ForceSinglePass", "False");
	if (f->left_out) {
		gt_text_lit(t, "#CountersLeftOut=");
		gt_text_u64(t, f->left_out);
		gt_text_char(t, '\n');
	}
	put_columns(t, f);
}

static int write_lines(struct file *f, struct gt_output *out, struct gt_err *err)
{
	const struct gt_walk_options walk = gt_output_walk_options(f->x);

	if (!f->lines)
		return no_memory(f, err);
	if (gt_dispatches(f->x->model, &walk, put_line, f, err))
		return -1;
	put_head(&out->text, f);                  /* the devices are known now */
	gt_spill_copy(&f->spill, f->lines, out);
	return gt_spill_check(&f->spill, err);
}

/* Which kinds of kernels the process launched; -1 with *err. */
static int find_kinds(struct file *f, struct gt_err *err)
{
	struct gt_cuda *c = gt_model_cuda(f->x->model, err);
	uint64_t cuda = 0;

	if (!c)
		return -1;
	for (uint64_t i = 0; i < gt_cuda_count(c, GT_CUDA_KERNEL); i++)
		cuda += gt_cuda_process_at(c, GT_CUDA_KERNEL, i) == f->x->process->index;
	f->has[CUDA] = cuda;
	f->has[OPENCL] = f->x->process->kernels > cuda;
	f->has[CPU] = f->has[OPENCL] && gt_model_cpu_counted(f->x->model, f->x->process->index);
	return 0;
}

/* Each counter once that was collected in the process, as long as the line of names has room. */
static int find_counters(struct file *f, struct gt_err *err)
{
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(f->x->model, &all);
	size_t used = sizeof FIXED + sizeof ", KernelOccupancy\n";
	struct gt_counted_metric m;

	if (gt_counted_open(f->x->model, gt_option(f->x->options, "cupti"), &f->counted, err))
		return -1;
	for (size_t k = 0; k < TABLES; k++)
		for (size_t i = 0; f->has[k] && i < gt_metric_tables[k]->n; i++)
			used += strlen(gt_metric_tables[k]->metrics[i].name) + 2;
	for (uint32_t i = 0; i < n && f->counted; i++) {
		if (all[i].process != f->x->process->index || (i && all[i].process == all[i - 1].process &&
								      all[i].image == all[i - 1].image))
			continue;
		for (uint32_t k = 0; gt_counted_metric(f->counted, i, 0, k, &m); k++) {
			bool new = true;

			for (uint32_t c = 0; c < f->n_counters && new; c++)
				new = strcmp(f->counter[c], m.name) != 0;
			if (new && (f->n_counters == COUNTERS_MOST || used + strlen(m.name) + 2 > LINE_MOST)) {
				f->left_out++;
			} else if (new) {
				used += strlen(m.name) + 2;
				f->counter[f->n_counters++] = m.name;
			}
		}
	}
	return 0;
}

static int write_counters(const struct gt_export *x, struct gt_err *err)
{
	struct file f = { .x = x };
	struct gt_output out;
	int rc;

	if (find_kinds(&f, err) || find_counters(&f, err) || gt_output_open(&out, x->path, x->final_path, err)) {
		gt_counted_close(f.counted);
		return -1;
	}
	gt_spill_open(&f.spill, x->path, HELD);
	f.lines = gt_spill_add(&f.spill);
	rc = write_lines(&f, &out, err) || gt_output_commit(&out, err) ? -1 : 0;
	gt_spill_close(&f.spill);
	gt_output_discard(&out);
	gt_counted_close(f.counted);
	gt_map_free(&f.kernels.map, sizeof(struct numbered));
	gt_map_free(&f.devices.map, sizeof(struct numbered));
	return rc;
}

const struct gt_writer gt_writer_csv = {
	.id = "csv", .suffix = ".csv", .help = "CodeXL kernel counters", .per_process = true,
	.has_content = gt_codexl_has_kernels, .write = write_counters,
};
