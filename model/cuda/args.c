/*
 * model/cuda/args.c - arguments of CUDA calls: whose table names them, and the record they lie in
 *
 * The table that is asked for (--cuda-table) comes first, then the one in the trace, then the built-in one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/trusted.h"
#include "model/cuda/args_value.h"
#include "model/cuda/internal.h"
#include "trace/read/store.h"

#define TABLE_LIMIT (16 << 20)          /* bytes */

/* Whose names results have: of the trace that was opened last. They differ in how complete they are, not in what they
 * say. */
static const struct gt_cuda_table *results;

static int read_named(struct gt_cuda *c, const char *path, struct gt_err *err)
{
	struct stat st;
	size_t bytes;
	char *text = gt_read_opened(gt_open_regular(path, TABLE_LIMIT, &st), TABLE_LIMIT, &bytes);

	if (text && bytes)
		c->table = gt_cuda_table_parse(text, bytes);
	free(text);
	return c->table
		? 0
		: gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "--cuda-table: %s is not a table of CUDA's arguments", path);
}

int gt_cuda_args_open(struct gt_cuda *c, struct gt_err *err)
{
	const char *text;
	size_t bytes;

	if (c->table_asked)
		return 0;
	if (c->m->cuda_table && *c->m->cuda_table && read_named(c, c->m->cuda_table, err) < 0)
		return -1;
	if (!c->table && gt_reader_cuda_table(c->m->reader, &text, &bytes))
		c->table = gt_cuda_table_parse(text, bytes);
	if (c->table)
		results = c->table;
	c->table_asked = true;
	return 0;
}

void gt_cuda_args_close(struct gt_cuda *c)
{
	if (results == c->table)
		results = NULL;
	gt_cuda_table_free(c->table);
	c->table = NULL;
}

bool gt_cuda_arg(struct gt_cuda *c, const struct gt_cuda_event *call, unsigned i, struct gt_cuda_arg *out)
{
	struct gt_err err = { 0 };
	struct gt_cuda_args_record r;
	struct gt_rec rec;

	if (!call->call.has_args || gt_reader_fetch(c->m->reader, call->process, call->call.args_link, &rec, &err) != 1)
		return false;
	return gt_cuda_args_read(&rec, &r) && gt_cuda_args_get(c->table, &r, i, out);
}

bool gt_cuda_arg_inside(
	struct gt_cuda *c, const struct gt_fn *fn, const uint64_t first[4], unsigned i, struct gt_cuda_arg *out)
{
	struct gt_cuda_args_record r = { .domain = fn->domain, .cbid = fn->id & (GT_CUDA_TABLE_CBIDS - 1),
	                                 .params = (const uint8_t *)first, .bytes = 32, .raw = true };

	return gt_cuda_args_get(c->table, &r, i, out);
}

static const char *result_symbol(const struct gt_cuda_table *t, bool driver, int32_t result)
{
	return t ? gt_cuda_table_symbol(t, gt_cuda_table_set(t, driver ? "CUresult" : "cudaError"), result) : NULL;
}

const char *gt_cuda_result_text(const struct gt_cuda_event *call, char *buf, size_t bytes)
{
	bool driver = call->call.domain == REC_DOMAIN_CUDA_DRIVER;
	const char *symbol = result_symbol(results, driver, call->call.result);

	if (!symbol)
		symbol = result_symbol(gt_cuda_table_own(), driver, call->call.result);
	if (symbol)
		snprintf(buf, bytes, "%s", symbol);
	else
		snprintf(buf, bytes, "%d", call->call.result);
	return buf;
}
