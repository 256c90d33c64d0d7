/*
 * writers/codexl/occupancy.c - CodeXL's kernel occupancy file (.occupancy) of one process
 *
 * Runs in the tool. One line for each dispatch to a GPU, in the order of the launches; the head tells their number, so
 * the lines are collected first.
 *
 * spec: ATP ".occupancy"; layout: docs/codexl.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/waves.h"
#include "writers/codexl/codexl.h"
#include "writers/spill.h"

#define HELD (4ull << 20)                         /* bytes of lines in memory */

/* The columns in the order of the file. Readers want every one of them, by these very names. */
enum kind { TID, KERNEL, DEVICE, NUMBER, SIZE, PERCENT };
static const struct { const char *name; enum kind kind; size_t at; } columns[] = {
	{ "Thread ID", TID, 0 },
	{ "Kernel Name", KERNEL, 0 },
	{ "Device Name", DEVICE, 0 },
#define NUMBER(name, field) { name, NUMBER, offsetof(struct gt_waves, field) }
#define SIZE(name, field) { name, SIZE, offsetof(struct gt_waves, field) }
	NUMBER("Number of compute units", units),
	NUMBER("Max. number of wavefronts per CU", max_waves),
	NUMBER("Max. number of work-group per CU", max_groups),
	NUMBER("Max. number of VGPR", max_vector_registers),
	NUMBER("Max. number of SGPR", max_scalar_registers),
	NUMBER("Max. amount of LDS", max_local),
	NUMBER("Number of VGPR used", vector_registers),
	NUMBER("Number of SGPR used", scalar_registers),
	NUMBER("Amount of LDS used", local),
	NUMBER("Size of wavefront", wave),
	SIZE("Work-group size", group_size),
	NUMBER("Wavefronts per work-group", waves_per_group),
	SIZE("Max work-group size", max_group_size),
	NUMBER("Max wavefronts per work-group", max_waves_per_group),
	SIZE("Global work size", global_size),
	SIZE("Maximum global work size", max_global_size),
	NUMBER("Nbr VGPR-limited waves", vector_limit),
	NUMBER("Nbr SGPR-limited waves", scalar_limit),
	NUMBER("Nbr LDS-limited waves", local_limit),
	NUMBER("Nbr of WG-limited waves", group_limit),
	{ "Kernel occupancy", PERCENT, offsetof(struct gt_waves, share) },
	NUMBER("Graphics IP Version", generation),
	NUMBER("Number of SIMDs per CU", simds),
#undef NUMBER
#undef SIZE
};
#define COLUMNS (sizeof columns / sizeof *columns)

struct lines {
	struct gt_spill spill;
	struct gt_spill_text *text;
	uint64_t count;
	bool cpu;                                 /* --occupancy-cpu */
};

static void put_cell(struct gt_text *t, size_t column, const struct gt_dispatch *d, const struct gt_waves *w)
{
	const char *at = (const char *)w + columns[column].at;

	switch (columns[column].kind) {
	case TID: gt_text_i64(t, d->tid); break;
	case KERNEL: gt_codexl_name(t, &d->kernel, "unknown_kernel", GT_CODEXL_NAME); break;
	case DEVICE: gt_codexl_name(t, &d->device, "Unknown_Device", GT_CODEXL_NAME); break;
	case NUMBER: gt_text_i64(t, *(const int64_t *)at); break;
	case SIZE: gt_text_u64(t, *(const uint64_t *)at); break;
	case PERCENT: gt_text_float(t, *(const double *)at); break;
	}
}

static int put_line(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	struct lines *l = ctx;
	struct gt_text *t = &l->text->text;
	size_t used = t->used;
	struct gt_waves w;

	(void)err;
	if (gt_dispatch_on_cpu(d) && !l->cpu)
		return 0;
	gt_waves(d, &w);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i)
			gt_text_char(t, ',');
		put_cell(t, i, d, &w);
	}
	gt_text_char(t, '\n');
	l->count++;
	gt_spill_wrote(&l->spill, t->used - used);
	return 0;
}

/* "# " with a blank: readers look for it so. */
static void put_head(struct gt_text *t, const struct gt_export *x, uint64_t count)
{
	gt_codexl_line(t, "# ", "ProfilerVersion", "5.6.0");
	gt_codexl_line(t, "# ", "Application", x->process->image);
	gt_codexl_args(t, "# ", x->process);
	gt_codexl_line(t, "# ", "ListSeparator", ",");
	gt_text_lit(t, "# KernelCount=");
	gt_text_u64(t, count);
	gt_text_char(t, '\n');
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i)
			gt_text_char(t, ',');
		gt_text_str(t, columns[i].name);
	}
	gt_text_char(t, '\n');
}

static int write_occupancy(const struct gt_export *x, struct gt_err *err)
{
	struct lines l = { .cpu = gt_option_true(x->options, "occupancy-cpu") };
	const struct gt_walk_options walk = gt_output_walk_options(x);
	struct gt_output out;
	int rc;

	if (gt_output_open(&out, x->path, x->final_path, err))
		return -1;
	gt_spill_open(&l.spill, x->path, HELD);
	l.text = gt_spill_add(&l.spill);
	rc = l.text ? gt_dispatches(x->model, &walk, put_line, &l, err)
		    : gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be written", x->final_path);
	if (rc == 0) {
		put_head(&out.text, x, l.count);
		gt_spill_copy(&l.spill, l.text, &out);
		rc = gt_spill_check(&l.spill, err) ? -1 : gt_output_commit(&out, err);
	}
	gt_spill_close(&l.spill);
	gt_output_discard(&out);
	return rc;
}

const struct gt_writer gt_writer_occupancy = {
	.id = "occupancy", .suffix = ".occupancy", .help = "CodeXL kernel occupancy", .per_process = true,
	.has_content = gt_codexl_has_kernels, .write = write_occupancy,
};
