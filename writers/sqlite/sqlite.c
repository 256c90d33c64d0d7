/*
 * writers/sqlite/sqlite.c - SQLite export in the Nsight Systems layout, two editions, with tables of its own for OpenCL
 *
 * Tables, ids and every difference between the editions: docs/sqlite.md.
 *
 *   sqlite_schema.*    tables as data       walk.c      calls
 *   sqlite_db.*        filling a database   commands.c  device commands
 *   objects.c, events.c, maps.c           what handles mean
 *   dynamic.c   --dynamic-tables
 *   nvtx.c      NVTX ranges          sqlite_cuda*.c     CUDA
 *   info.c      the rest             args.c      --sqlite-arguments
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "writers/sqlite/cuda.h"

#define X(prefix, cell) #cell,
#define T(member, table, cells) static const char *const member##_cells[] = { cells(X) };
GT_WALK_TABLES(T)
#undef T
#undef X

static void feed_tables(struct gt_sql_feeder *f)
{
#define T(member, table, cells) \
	f->member = gt_sql_feed(f->db, #table, member##_cells, sizeof member##_cells / sizeof member##_cells[0]);
	GT_WALK_TABLES(T)
#undef T
}

static int choose(
	const char *option, const char *value, const char *first, const char *second, int *out, struct gt_err *err)
{
	if (!strcmp(value, first))
		*out = 1;
	else if (!strcmp(value, second))
		*out = 2;
	else if (*value)
		return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap export --help", "--%s=%s: it is %s or %s", option,
			value, first, second);
	return 0;
}

static int read_options(
	const struct gt_options *o, struct gt_sql_options *sql, struct gt_sql_feeder *f, struct gt_err *err)
{
	int edition = 1, lazy = 0, opencl = 1, text = 1, driver = 1, libraries = 1, dynamic = 1;

	if (choose("sqlite-schema", gt_option(o, "sqlite-schema"), "default", "2021", &edition, err) ||
	    choose("lazy", gt_option(o, "lazy"), "true", "false", &lazy, err) ||
	    choose("opencl-compat", gt_option(o, "opencl-compat"), "on", "off", &opencl, err) ||
	    choose("nvtx-text", gt_option(o, "nvtx-text"), "both", "strict", &text, err) ||
	    choose("nvtx-libraries", gt_option(o, "nvtx-libraries"), "apart", "both", &libraries, err) ||
	    choose("dynamic-tables", gt_option(o, "dynamic-tables"), "none", "all", &dynamic, err) ||
	    choose("cuda-driver-rows", gt_option(o, "cuda-driver-rows"), "outer", "all", &driver, err))
		return -1;
	f->compat = opencl == 1;
	f->strict_text = text == 2 || edition == 2;
	f->library_ranges = libraries == 2;
	f->driver_rows = driver == 2;
	f->arguments = gt_option_true(o, "sqlite-arguments");
	*sql = (struct gt_sql_options){
		.edition = edition == 2 ? GT_SCHEMA_2021 : GT_SCHEMA_DEFAULT,
		.lazy = lazy == 1 ? GT_SQL_LAZY_TRUE : lazy == 2 ? GT_SQL_LAZY_FALSE : GT_SQL_LAZY_UNSET,
		.index = gt_option_true(o, "sqlite-index"),
		.arguments = gt_option_true(o, "sqlite-arguments"),
		.dynamic = dynamic == 2,
	};
	return 0;
}

/* Correlation ids are unique in a pid: a later image of it goes on where the earlier ones ended. */
static void number_images(struct gt_sql_feeder *f)
{
	for (uint32_t i = 0; i < gt_model_process_count(f->m); i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct gt_process *before = gt_model_process(f->m, k);

			if (before->pid == gt_model_process(f->m, i)->pid)
				f->correlation_base[i] += (int64_t)(before->calls + before->callbacks);
		}
}

static bool allocate(struct gt_sql_feeder *f)
{
	f->objects = gt_sql_objects_new(f->m);
	f->events = gt_sql_events_new();
	f->maps = gt_sql_maps_new();
	f->plan = calloc(65536, sizeof *f->plan);
	f->correlation_base = calloc(gt_model_process_count(f->m) + 1, sizeof *f->correlation_base);
	f->thread_used = calloc(gt_model_thread_count(f->m) + 1, sizeof *f->thread_used);
	return f->objects && f->events && f->maps && f->plan && f->correlation_base && f->thread_used;
}

static void release(struct gt_sql_feeder *f)
{
	for (unsigned i = 0; f->plan && i < 65536; i++)
		free(f->plan[i]);
	gt_sql_cuda_close(f);
	gt_sql_objects_free(f->objects);
	gt_sql_events_free(f->events);
	gt_sql_maps_free(f->maps);
	free(f->plan);
	free(f->correlation_base);
	free(f->thread_used);
}

static int fill(struct gt_sql_feeder *f, struct gt_err *err)
{
	if (!allocate(f))
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", f->x->final_path);
	number_images(f);
	feed_tables(f);
	if (gt_sql_cuda_open(f, err) || gt_sql_walk(f, err) || gt_sql_cuda_work(f, err))
		return -1;
	if (f->clamped)
		gt_model_count_loss(f->m, REC_LOSS_CLAMPED, f->clamped);
	gt_sql_nvtx(f);
	gt_sql_info(f);
	return 0;
}

static int write_sqlite(const struct gt_export *x, struct gt_err *err)
{
	struct gt_sql_feeder f = { .x = x, .m = x->model };
	struct gt_sql_options opt;

	if (read_options(x->options, &opt, &f, err) || gt_sql_open(x->path, &opt, &f.db, err))
		return -1;
	int rc = fill(&f, err);

	if (gt_sql_close(f.db, !rc, rc ? NULL : err))
		rc = -1;
	release(&f);
	return rc;
}

const struct gt_writer gt_writer_sqlite = {
	.id = "sqlite",
	.suffix = ".sqlite",
	.help = "SQLite database in the Nsight Systems layout",
	.write = write_sqlite,
};
