/*
 * tests/golden/build.c - build CASE TABLE TRACE: make the trace of one golden test
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

#include "model/functions/fntable.h"
#include "tests/golden/case.h"

#define WORDS 4096

_Noreturn static void die(const char *what, const char *which)
{
	fprintf(stderr, "build: %s: %s\n", what, which);
	exit(1);
}

/* ---------------------------------------------------------------- a record */

/* Does one copy's count or capacity name this parameter? */
static bool counts_for_another(const struct gt_fn *fn, uint32_t i)
{
	size_t n = strlen(fn->params[i].name);

	for (uint32_t k = 0; k < fn->n_params; k++) {
		const char *texts[2] = { fn->params[k].count, fn->params[k].capacity };

		for (int t = 0; t < 2 && fn->params[k].copy != GT_COPY_NONE; t++)
			for (const char *at = texts[t]; (at = strstr(at, fn->params[i].name)); at += n)
				if ((at == texts[t] || !(strchr("_", at[-1]) || (at[-1] | 32) >= 'a')) &&
					(!at[n] || !strchr("_abcdefghijklmnopqrstuvwxyz0123456789", at[n])))
					return true;
	}
	return false;
}

/* Where nobody asked how much the call wrote, that stands in place of the NULL. */
static void put_counts(const struct gt_fn *fn, const struct golden_arg *args, uint64_t *words)
{
	for (uint32_t i = 0; i < fn->n_params; i++)
		for (uint32_t k = 0; k < fn->n_params && args[i].value; k++)
			if (!args[k].value && !strcmp(fn->params[i].capacity, fn->params[k].name))
				words[fn->params[k].position / 2 - 1] =
					REC_COUNT_WORD | args[i].bytes / fn->params[i].elem_bytes;
}

static uint32_t put_copy(uint64_t *out, const struct golden_arg *a)
{
	if (a->kind == ARG_TEXT)
		return tb_put_text(out, 0, a->data, a->bytes);
	if (a->kind == ARG_LIST) {
		out[0] = a->bytes / 8;
		memcpy(out + 1, a->data, a->bytes);
		return 1 + a->bytes / 8;
	}
	memcpy(out, a->data, a->bytes);
	return (a->bytes + 7) / 8;
}

static void put_fixed(uint64_t *fixed, uint32_t *first, int position, uint32_t bytes, uint64_t value)
{
	if (position == 1)
		*first = (uint32_t)value;
	else if (bytes == 8)
		fixed[position / 2 - 1] = value;
	else if (position > 1)
		fixed[position / 2 - 1] |= (value & 0xffffffffu) << (position % 2 * 32);
}

uint64_t golden_call(struct golden *g, const char *name, uint64_t start, uint64_t duration, int32_t ret,
	const struct golden_arg *args, size_t n)
{
	const struct gt_fn *fn = gt_fntable_find_name(g->table, name);
	uint64_t words[WORDS] = { 0 };
	uint32_t first = 0, used;

	if (!fn)
		die("no such function in the table", name);
	used = fn->fixed_words;
	for (size_t i = 0; i < n; i++) {
		if (args[i].kind == ARG_RETURN)
			put_fixed(words, &first, fn->ret_position, 8, args[i].value);
		else if (i >= fn->n_params)
			die("too many arguments", name);
		else
			put_fixed(words, &first, fn->params[i].position, fn->params[i].bytes, args[i].value);
	}
	if (n != fn->n_params + (n && args[n - 1].kind == ARG_RETURN))
		die("wrong number of arguments", name);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < fn->n_params; i++)
			if (args[i].data && counts_for_another(fn, i) == !pass)
				used += put_copy(words + used, &args[i]);
	if (!ret)
		put_counts(fn, args, words);
	if (g->now < start)
		g->now = start;
	return tb_call_u32(g->stream, fn->id, start, duration, ret, first, words, used);
}

/* -------------------------------------------------------------------- world */

void golden_thread(struct golden *g, uint32_t tid, const char *name)
{
	g->stream = tb_stream(g->process);
	tb_thread(g->stream, g->now, tid, tid == 4711, name);
}

void golden_times(struct golden *g, uint64_t link, uint64_t queued, uint64_t submit, uint64_t start, uint64_t end)
{
	tb_command(g->stream, link, queued + DEVICE, submit + DEVICE, start + DEVICE, end + DEVICE, end + DEVICE);
}

void golden_device(struct golden *g, uint64_t handle, uint32_t type, const char *name)
{
	tb_object(g->stream, REC_OBJECT_PLATFORM, 0x10);
	tb_attr_text(g->stream, CL_PLATFORM_NAME, "Golden Platform");
	tb_attr_text(g->stream, CL_PLATFORM_VENDOR, "The gputap authors");
	tb_attr_text(g->stream, CL_PLATFORM_VERSION, "OpenCL 3.0 golden");
	tb_object_end(g->stream);
	tb_object(g->stream, REC_OBJECT_DEVICE, handle);
	tb_attr_u64(g->stream, REC_ATTR_PLATFORM, 0x10);
	tb_attr_text(g->stream, CL_DEVICE_NAME, name);
	tb_attr_u64(g->stream, CL_DEVICE_TYPE, type);
	tb_attr_u32(g->stream, CL_DEVICE_ADDRESS_BITS, 64);
	tb_attr_text(g->stream, CL_DRIVER_VERSION, "1.2.3");
	tb_attr_text(g->stream, CL_DEVICE_VERSION, "OpenCL 3.0");
	tb_object_end(g->stream);
	tb_calibration(g->stream, g->now, handle, g->now + DEVICE, 0, 1);
	tb_calibration(g->stream, g->now + 1000000, handle, g->now + 1000000 + DEVICE, 0, 1);
}

static char *read_table(const char *path, const char *more, size_t *bytes)
{
	FILE *f = fopen(path, "r");
	size_t extra = more ? strlen(more) : 0;
	char *text;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
		die("unreadable", path);
	text = calloc(1, (size_t)n + extra + 1);
	if (!text || fread(text, 1, (size_t)n, f) != (size_t)n)
		die("unreadable", path);
	fclose(f);
	memcpy(text + n, more ? more : "", extra);
	*bytes = (size_t)n + extra;
	return text;
}

static void open_world(struct golden *g, const struct golden_case *c, const char *table, const char *path)
{
	struct gt_err err;
	size_t bytes;
	char *text = read_table(table, c->table, &bytes), tick[24];

	if (gt_fntable_parse(text, bytes, &g->table, &err))
		die("function table", err.what);
	g->tb = tb_open(path);
	tb_run_fact(g->tb, "run_id", "golden");
	tb_run_fact(g->tb, "host", "goldenhost");
	tb_run_fact(g->tb, "arg", "./app");
	tb_run_fact(g->tb, "start_realtime_ns", "1700000000000000000");
	tb_table(g->tb, text, bytes);
	g->process = tb_process(g->tb, 4711);
	snprintf(tick, sizeof(tick), "%llu", (unsigned long long)c->first_tick);
	tb_fact(g->process, "start_tick", tick);
	tb_fact(g->process, "image", "/opt/app/bin/app");
	tb_fact(g->process, "arg", "./app");
	tb_fact(g->process, "arg", "--size");
	tb_fact(g->process, "arg", "two words");
	tb_fact(g->process, "cwd", "/opt/app");
	tb_fact(g->process, "os", "Linux 6.1.0");
	tb_fact(g->process, "arch", "x86_64");
	tb_fact(g->process, "reason", "start");
	g->now = c->first_tick;
	golden_thread(g, 4711, "app");
	tb_clock(g->stream, c->first_tick, (int64_t)(c->first_tick + MONO));
	tb_clock(g->stream, c->first_tick + 10000000000ull, (int64_t)(c->first_tick + 10000000000ull + MONO));
	free(text);
}

int main(int argc, char **argv)
{
	static const struct golden_case *const lists[] = { golden_calls, golden_commands, golden_hsa, golden_cuda,
		golden_cuda_text, golden_nvtx };
	struct golden g = { 0 };

	if (argc != 4)
		die("usage", "build CASE TABLE TRACE");
	for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++)
		for (const struct golden_case *c = lists[l]; c->name; c++)
			if (strcmp(c->name, argv[1]) == 0) {
				open_world(&g, c, argv[2], argv[3]);
				c->build(&g);
				tb_close(g.tb);
				gt_fntable_free(g.table);
				return 0;
			}
	die("no such case", argv[1]);
}
