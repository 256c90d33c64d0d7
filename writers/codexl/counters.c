/*
 * writers/codexl/counters.c - CodeXL's counter file (.csv) of one process: a line for each launch of a kernel
 *
 * Runs in the tool. Counters behind the fixed columns: what analysis/metrics knows of an OpenCL launch, and of a CUDA
 * one, where the process made such; then the counters that were collected of its kernels. What a launch has no value of
 * is NA. Readers stop at lines of 2 048 bytes: names are cut before that, and a file that would have such a line is
 * written again as one file for each section (columns.h).
 *
 * spec: ATP ".csv"; layout: docs/codexl.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/counted.h"
#include "analysis/metrics/waves.h"
#include "common/harmless.h"
#include "common/hash.h"
#include "common/map.h"
#include "trace/format/counters.h"
#include "writers/codexl/codexl.h"
#include "writers/codexl/columns.h"
#include "writers/codexl/stale.h"
#include "writers/spill.h"

#define DEVICE_MOST 200u                          /* bytes of its name: a line has room for counters too */
#define HELD (4ull << 20)                         /* bytes of lines in memory */

#define FIXED "Method, ExecutionOrder, ThreadID, CallIndex, GlobalWorkSize, WorkGroupSize, Time, LocalMemSize, " \
	      "VGPRs, SGPRs, ScratchRegs"
#define LAST ", KernelOccupancy"

/* The same kernel has one number in the file, from 1, in the order of first launches; so do devices. */
struct numbers { struct gt_map map; uint32_t n; };
struct numbered { uint64_t key; uint32_t number; };

extern const struct gt_writer gt_writer_csv;
enum { OPENCL = GT_METRICS_OPENCL, CPU = GT_METRICS_CPU, CUDA = GT_METRICS_LAUNCH, TABLES = GT_METRIC_TABLES };

struct file {
	const struct gt_export *x;
	struct gt_spill spill;
	struct gt_spill_text **lines;             /* of each part */
	struct numbers kernels, devices;
	bool has[TABLES];                         /* columns of these metrics */
	struct gt_counted *counted;               /* NULL: nothing was collected in the trace */
	struct gt_codexl_columns columns;
	/* of the launch at hand: the fixed columns, the others one behind the other and where each ends, the last */
	struct gt_text first, cells, last;
	size_t *end;
	struct gt_codexl_fixed fixed;             /* the longest so far */
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
	struct gt_text *t = &f->first;

	gt_codexl_name(t, &d->kernel, "unknown_kernel", GT_CODEXL_NAME);
	gt_text_lit(t, "__k");
	gt_text_u64(t, number_of(f, &f->kernels, d->kernel_key));
	gt_text_char(t, '_');
	if (gt_dispatch_on_cpu(d)) {
		gt_text_lit(t, "CPU");
		return;
	}
	gt_codexl_name(t, &d->device, "Unknown_Device", DEVICE_MOST);
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

/* NA: of this launch it was not collected, or CUPTI's host library has no value. launch: see gt_counted_find. */
static struct gt_metric_value counter(struct file *f, struct gt_codexl_column *c, int64_t launch)
{
	struct gt_counted_metric m;

	if (launch < 0)
		return gt_metric_none("");
	/* Launches of one plan have their metrics in one order. */
	if (!gt_counted_metric(f->counted, launch, 0, c->counted, &m) || strcmp(m.name, c->name) != 0)
		for (c->counted = 0; gt_counted_metric(f->counted, launch, 0, c->counted, &m); c->counted++)
			if (!strcmp(m.name, c->name))
				break;
	return gt_counted_metric(f->counted, launch, 0, c->counted, &m) && m.has ? gt_metric_double(m.value)
										 : gt_metric_none("");
}

/* The file has the columns of every kind of dispatch in it. */
static void put_cells(struct file *f, const struct gt_dispatch *d)
{
	int64_t launch = d->cuda ? gt_counted_find(f->counted, d->process, REC_COUNTED_LAUNCH,
		d->cuda->correlation) : -1;

	f->cells.used = 0;
	for (uint32_t i = 0; i < f->columns.v.n; i++) {
		struct gt_codexl_column *c = &f->columns.v.v[i];
		struct gt_metric_value v = !c->metric ? counter(f, c, launch) :
			gt_metrics_fit(c->kind, d) ? c->metric->of(d) : gt_metric_none("");
		size_t from = f->cells.used, wide;

		put_value(&f->cells, &v);
		f->end[i] = f->cells.used;
		wide = f->cells.used - from - strlen(", ");
		if (wide > c->widest)
			c->widest = wide;
	}
}

static void put_part(struct file *f, const struct gt_codexl_part *p, struct gt_spill_text *lines)
{
	struct gt_text *t = &lines->text;
	size_t used = t->used;

	gt_text_bytes(t, f->first.data, f->first.used);
	for (uint32_t i = 0; i < p->columns.n; i++) {
		uint32_t c = p->columns.v[i];
		size_t from = c ? f->end[c - 1] : 0;

		gt_text_bytes(t, f->cells.data + from, f->end[c] - from);
	}
	gt_text_bytes(t, f->last.data, f->last.used);
	gt_text_char(t, '\n');
	gt_spill_wrote(&f->spill, t->used - used);
}

static int put_line(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	struct file *f = ctx;
	struct gt_text *t = &f->first;
	struct gt_metric_value v;
	struct gt_waves w;

	gt_waves(d, &w);
	t->used = f->last.used = 0;
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
	put_cells(f, d);
	v = w.share >= 0 ? gt_metric_double(w.share) : gt_metric_none("");
	put_value(&f->last, &v);
	if (t->used + f->last.used > f->fixed.cells)
		f->fixed.cells = t->used + f->last.used;
	f->failed |= t->failed || f->cells.failed || f->last.failed;
	for (uint32_t i = 0; i < f->columns.parts.n && !f->failed; i++)
		put_part(f, &f->columns.parts.v[i], f->lines[i]);
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

static void put_columns(struct gt_text *t, const struct file *f, const struct gt_codexl_part *p)
{
	gt_text_lit(t, FIXED);
	for (uint32_t i = 0; i < p->columns.n; i++) {
		gt_text_lit(t, ", ");
		gt_text_str(t, f->columns.v.v[p->columns.v[i]].name);
	}
	gt_text_lit(t, LAST "\n");
}

static void put_head(struct gt_text *t, const struct file *f, const struct gt_codexl_part *part)
{
	const struct gt_process *p = f->x->process;

	gt_codexl_line(t, "#", "ProfileFileVersion", "5.6");
	gt_codexl_line(t, "#", "ProfilerVersion", "5.6.0");
	gt_codexl_line(t, "#", "API", f->has[OPENCL] ? "OpenCL" : "CUDA");
	if (part->section)
		gt_codexl_put_mark(t, part);
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
	put_columns(t, f, part);
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

static bool has_column(const struct file *f, const char *name)
{
	for (uint32_t i = 0; i < f->columns.v.n; i++)
		if (!strcmp(f->columns.v.v[i].name, name))
			return true;
	return false;
}

static void add_column(struct file *f, const struct gt_codexl_column *column)
{
	struct gt_codexl_column *c = has_column(f, column->name) ? NULL : GT_LIST_ADD(&f->columns.v);

	if (c)
		*c = *column;
	f->failed |= !f->columns.v.v;
}

/* Metrics of the kinds of kernels, then each counter once that was collected in the process. */
static int find_columns(struct file *f, struct gt_err *err)
{
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(f->x->model, &all);
	struct gt_counted_metric m;

	if (gt_counted_open(f->x->model, gt_option(f->x->options, "cupti"), &f->counted, err))
		return -1;
	for (size_t k = 0; k < TABLES; k++)
		for (size_t i = 0; f->has[k] && i < gt_metric_tables[k]->n; i++) {
			const struct gt_metric *one = &gt_metric_tables[k]->metrics[i];

			add_column(f, &(struct gt_codexl_column){
				.metric = one, .kind = (enum gt_metric_kind)k, .name = one->name });
		}
	for (uint32_t i = 0; i < n && f->counted; i++) {
		if (all[i].process != f->x->process->index || (i && all[i].process == all[i - 1].process &&
								      all[i].image == all[i - 1].image))
			continue;
		for (uint32_t k = 0; gt_counted_metric(f->counted, i, 0, k, &m); k++)
			add_column(f, &(struct gt_codexl_column){ .name = m.name, .counted = k });
	}
	f->end = calloc(f->columns.v.n + 1, sizeof *f->end);
	f->fixed.names = strlen(FIXED LAST);
	return f->failed || !f->end || !gt_codexl_one_part(&f->columns) ? no_memory(f, err) : 0;
}

/* ------------------------------------------------------------------ files */

/* The lines of all parts. */
static int make_lines(struct file *f, struct gt_err *err)
{
	const struct gt_walk_options walk = gt_output_walk_options(f->x);

	gt_spill_open(&f->spill, f->x->path, HELD);
	f->order = 0;
	f->lines = calloc(f->columns.parts.n, sizeof *f->lines);
	for (uint32_t i = 0; f->lines && i < f->columns.parts.n; i++)
		f->failed |= !(f->lines[i] = gt_spill_add(&f->spill));
	if (!f->lines || f->failed)
		return no_memory(f, err);
	return gt_dispatches(f->x->model, &walk, put_line, f, err);
}

static void drop_lines(struct file *f)
{
	if (f->lines)
		gt_spill_close(&f->spill);
	free(f->lines);
	f->lines = NULL;
}

/* NAME.csv -> NAME.SECTION.csv, and NAME.SECTION.2.csv of what does not fit into that. NULL: no memory. */
static char *path_of(const struct file *f, const struct gt_codexl_part *p)
{
	struct gt_text t = { 0 };

	gt_text_bytes(&t, f->x->final_path, gt_codexl_base(f->x->final_path));
	gt_text_char(&t, '.');
	gt_codexl_put_name(&t, p);
	gt_text_str(&t, gt_writer_csv.suffix);
	gt_text_char(&t, 0);
	if (t.failed)
		gt_text_free(&t);
	return t.data;
}

static int write_part(
	struct file *f, const struct gt_codexl_part *p, const struct gt_spill_text *lines, struct gt_err *err)
{
	char *path = p->section ? path_of(f, p) : NULL;
	struct gt_output out = { .fd = -1 };
	int rc;

	if (p->section && !path)
		return no_memory(f, err);
	rc = path ? gt_output_create(&out, path, gt_option_true(f->x->options, "force"), err)
		  : gt_output_open(&out, f->x->path, f->x->final_path, err);
	if (!rc) {
		put_head(&out.text, f, p);        /* the devices are known now */
		gt_spill_copy(&f->spill, lines, &out);
		rc = gt_spill_check(&f->spill, err) || gt_output_commit(&out, err) ? -1 : 0;
	}
	gt_output_discard(&out);
	free(path);
	return rc;
}

static void say_split(const struct file *f)
{
	struct gt_text *t = f->x->notes;
	const char *name = strrchr(f->x->final_path, '/');

	if (!t)
		return;
	gt_text_str(t, name ? name + 1 : f->x->final_path);
	gt_text_lit(t, " would have lines of ");
	gt_text_u64(t, GT_CODEXL_LINE);
	gt_text_lit(t, " bytes or more, which its readers do not take: it is written as");
	for (uint32_t i = 0; i < f->columns.parts.n; i++) {
		char *path = path_of(f, &f->columns.parts.v[i]);

		if (path) {
			name = strrchr(path, '/');
			gt_text_str(t, i ? ", " : " ");
			gt_text_str(t, name ? name + 1 : path);
		}
		free(path);
	}
	gt_text_char(t, '\n');
}

static int write_files(struct file *f, struct gt_err *err)
{
	int rc = make_lines(f, err);

	if (!rc && !gt_codexl_fits(&f->columns, f->columns.parts.v, &f->fixed)) {
		drop_lines(f);
		rc = gt_codexl_split(&f->columns, &f->fixed, f->x->options, err) ? -1 : make_lines(f, err);
		if (!rc)
			say_split(f);
	}
	if (!rc && !gt_option_true(f->x->options, "force"))
		rc = gt_codexl_refuse_stale(f->x, &f->columns, err);
	for (uint32_t i = 0; i < f->columns.parts.n && !rc; i++)
		rc = write_part(f, &f->columns.parts.v[i], f->lines[i], err);
	if (!rc)
		gt_codexl_remove_stale(f->x, &f->columns);
	return rc;
}

static int write_counters(const struct gt_export *x, struct gt_err *err)
{
	struct file f = { .x = x };
	int rc = find_kinds(&f, err) || find_columns(&f, err) ? -1 : write_files(&f, err);

	drop_lines(&f);
	gt_counted_close(f.counted);
	gt_codexl_columns_free(&f.columns);
	gt_text_free(&f.first);
	gt_text_free(&f.cells);
	gt_text_free(&f.last);
	free(f.end);
	gt_map_free(&f.kernels.map, sizeof(struct numbered));
	gt_map_free(&f.devices.map, sizeof(struct numbered));
	return rc;
}

const struct gt_writer gt_writer_csv = {
	.id = "csv", .suffix = ".csv", .help = "CodeXL kernel counters", .per_process = true,
	.has_content = gt_codexl_has_kernels, .write = write_counters,
};
