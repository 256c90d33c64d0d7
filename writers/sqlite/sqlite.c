/*
 * writers/sqlite/sqlite.c - SQLite export in the Nsight Systems layout, two editions, with tables of its own for OpenCL
 *
 * Tables, ids and every difference between the editions: docs/sqlite.md.
 *
 *   sqlite_schema.*    tables as data       walk.c      calls
 *   sqlite_db.*        filling a database   commands.c  device commands
 *   objects.c, events.c, maps.c           what handles mean
 *   dynamic.c   --dynamic-tables     generic.c   --sqlite-counters    tracepoints.c   --ftrace
 *   threads.c   samples, switches    chains.c    call stacks
 *   nvtx.c      NVTX ranges          sqlite_cuda*.c     CUDA
 *   info.c      the rest             args.c      --sqlite-arguments
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/stacks/stacks.h"
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

static struct gt_sql_options read_options(const struct gt_options *o, struct gt_sql_feeder *f)
{
	bool old = gt_option_is(o, "sqlite-schema", "2021");

	f->compat = gt_option_is(o, "opencl-compat", "on");
	f->strict_text = gt_option_is(o, "nvtx-text", "strict") || old;
	f->library_ranges = gt_option_is(o, "nvtx-libraries", "both");
	f->driver_rows = gt_option_is(o, "cuda-driver-rows", "all");
	f->arguments = gt_option_true(o, "sqlite-arguments");
	f->no_chain_is_zero = old && gt_model_stack_count(f->m);
	return (struct gt_sql_options){
		.edition = old ? GT_SCHEMA_2021 : GT_SCHEMA_DEFAULT,
		.lazy = gt_option_is(o, "lazy", "true")    ? GT_SQL_LAZY_TRUE
			: gt_option_is(o, "lazy", "false") ? GT_SQL_LAZY_FALSE
							   : GT_SQL_LAZY_UNSET,
		.index = gt_option_true(o, "sqlite-index"),
		.arguments = gt_option_true(o, "sqlite-arguments"),
		.dynamic = gt_option_is(o, "dynamic-tables", "all"),
	};
}

/*
 * Correlation ids are unique in the trace, as consumers join without the process: each image goes on where the one
 * before it ended.
 */
static void number_images(struct gt_sql_feeder *f)
{
	for (uint32_t i = 1; i < gt_model_process_count(f->m); i++) {
		const struct gt_process *before = gt_model_process(f->m, i - 1);

		f->correlation_base[i] = f->correlation_base[i - 1] + (int64_t)(before->calls + before->callbacks) +
			gt_model_unfinished_count(f->m, i - 1);
	}
}

static bool allocate(struct gt_sql_feeder *f)
{
	f->objects = gt_sql_objects_new(f->m);
	f->events = gt_sql_events_new();
	f->maps = gt_sql_maps_new();
	f->chains = gt_sql_chains_new(f->db, f->m);
	f->plan = calloc(65536, sizeof *f->plan);
	f->correlation_base = calloc(gt_model_process_count(f->m) + 1, sizeof *f->correlation_base);
	f->thread_used = calloc(gt_model_thread_count(f->m) + 1, sizeof *f->thread_used);
	return f->objects && f->events && f->maps && f->chains && f->plan && f->correlation_base && f->thread_used;
}

static void release(struct gt_sql_feeder *f)
{
	for (unsigned i = 0; f->plan && i < 65536; i++)
		free(f->plan[i]);
	gt_sql_cuda_close(f);
	gt_sql_osrt_free(f->osrt);
	gt_sql_openmp_free(f->openmp);
	gt_sql_objects_free(f->objects);
	gt_sql_events_free(f->events);
	gt_sql_maps_free(f->maps);
	gt_sql_chains_free(f->chains);
	free(f->plan);
	free(f->correlation_base);
	free(f->thread_used);
	free(f->never.v);
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
	if (!gt_sql_threads(f))
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", f->x->final_path);
	gt_sql_tracepoint_threads(f);
	gt_sql_nvtx(f);
	gt_sql_info(f);
	return gt_sql_monitors(f, err) || gt_sql_generic(f, err) ? -1 : 0;
}

static int write_sqlite(const struct gt_export *x, struct gt_err *err)
{
	struct gt_sql_feeder f = { .x = x, .m = x->model };
	struct gt_sql_options opt;

	opt = read_options(x->options, &f);
	opt.shown = x->final_path;
	if (gt_sql_open(x->path, &opt, &f.db, err))
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
