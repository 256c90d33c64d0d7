/*
 * tests/gpu/raw.c - what only the records of a trace themselves say: raw buffers|modules|devices TRACE
 *
 * buffers: of the buffers that CUPTI still held at the end (a kill), how many records each has, whether anything
 * stands behind the first kind 0, and how many kernels have times of 0. modules: how many were told, and their bytes.
 * One line each, "word number" pairs. devices: a line per record of one: number, uuid, whether it is divided, and of
 * the slice its numbers and uuid.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/rec.h"
#include "trace/read/cupti.h"

struct open_buffers { unsigned long buffers, open, empty, records, kernels, no_start, no_end, behind_zero, unknown; };

_Noreturn static void fail(const char *what, const char *name)
{
	fprintf(stderr, "raw: %s: %s\n", name, what);
	exit(1);
}

/* Is there a byte other than 0 behind `at`? */
static bool anything_behind(const struct gt_reader *r, const struct gt_cupti_buffer *b, uint64_t at)
{
	static uint8_t bytes[65536];
	struct gt_err err = { 0 };
	int64_t n;

	for (; at < b->bytes && (n = gt_cupti_buffer_read(r, b, at, bytes, sizeof bytes, &err)) > 0; at += (uint64_t)n)
		for (int64_t i = 0; i < n && at + (uint64_t)i < b->bytes; i++)
			if (bytes[i])
				return true;
	return false;
}

static void look(struct gt_reader *r, const struct gt_cupti_buffer *b, const struct gt_cupti_sizes *sizes,
	struct open_buffers *o)
{
	struct gt_cupti_walk *w;
	struct gt_err err = { 0 };
	struct rec_activity a;
	uint64_t offset, end = 0;
	unsigned long before = o->records;

	if (gt_cupti_walk_open(r, &w, &err))
		fail("a buffer cannot be read", "buffers");
	gt_cupti_walk_begin(w, b, sizes);
	while (gt_cupti_walk_next(w, &a, &offset, &err) > 0) {
		o->records++;
		end = offset + a.bytes;
		if (a.kind != REC_CUPTI_KIND_KERNEL)
			continue;
		o->kernels++;
		o->no_start += !REC_GET(&a, KERNEL, start, 0);
		o->no_end += !REC_GET(&a, KERNEL, end, 0);
	}
	o->open++;
	o->empty += o->records == before;
	o->unknown += gt_cupti_walk_stop(w) == GT_CUPTI_UNKNOWN;
	o->behind_zero += gt_cupti_walk_stop(w) == GT_CUPTI_END && anything_behind(r, b, end);
	gt_cupti_walk_close(w);
}

static void print_bytes(const char *name, const struct rec_activity *a, unsigned at)
{
	printf(" %s ", name);
	for (unsigned i = at; i < at + 16 && at + 16 <= a->bytes; i++)
		printf("%02x", a->at[i]);
}

/* The places are those of every CUPTI from 11.8 on. */
static void print_device(const struct rec_activity *a)
{
	enum { UUID = 120, DIVIDED = 145, GPU_INSTANCE = 152, COMPUTE_INSTANCE = 156, SLICE_UUID = 160, BYTES = 176 };
	uint32_t slice[2] = { 0 };
	bool has = a->bytes >= BYTES;

	if (has)
		memcpy(slice, a->at + GPU_INSTANCE, COMPUTE_INSTANCE + 4 - GPU_INSTANCE);
	printf("device %u divided %u gpu-instance %u compute-instance %u", REC_GET(a, DEVICE, id, 0),
		has ? a->at[DIVIDED] : 0, slice[0], slice[1]);
	print_bytes("uuid", a, UUID);
	print_bytes("slice-uuid", a, SLICE_UUID);
	putchar('\n');
}

static void print_devices(struct gt_reader *r, const struct gt_cupti_buffer *b, const struct gt_cupti_sizes *sizes)
{
	struct gt_cupti_walk *w;
	struct gt_err err = { 0 };
	struct rec_activity a;
	uint64_t offset;

	if (gt_cupti_walk_open(r, &w, &err))
		fail("a buffer cannot be read", "devices");
	gt_cupti_walk_begin(w, b, sizes);
	while (gt_cupti_walk_next(w, &a, &offset, &err) > 0)
		if (a.kind == REC_CUPTI_KIND_DEVICE)
			print_device(&a);
	gt_cupti_walk_close(w);
}

/* Sizes of a process's records, and what was told of modules. */
static void read_records(struct gt_reader *r, uint32_t process, struct gt_cupti_sizes *sizes, unsigned long *modules,
	uint64_t *module_bytes)
{
	struct gt_err err = { 0 };
	struct gt_cursor *c;
	struct gt_rec rec;
	uint32_t driver, flags, bytes;
	const char *path;

	if (gt_cursor_open(r, (int)process, &c, &err))
		fail("cannot be read", "records");
	while (gt_cursor_next(c, &rec, &err) > 0) {
		if (rec.id == REC_CUPTI_LIBRARY)
			gt_cupti_sizes_take(sizes, &rec, &driver, &flags, &path, &bytes);
		if (rec.id != REC_CUPTI_EVENT || rec.n_args < 5 || (uint32_t)rec.args[1] != REC_CUPTI_MODULE_LOADED)
			continue;
		++*modules;
		*module_bytes += rec.args[4];
	}
	gt_cursor_close(c);
}

int main(int argc, char **argv)
{
	struct gt_reader *r;
	struct gt_err err = { 0 };
	struct open_buffers o = { 0 };
	unsigned long modules = 0;
	uint64_t module_bytes = 0;

	if (argc != 3)
		fail("raw buffers|modules|devices TRACE", "usage");
	if (gt_reader_open(argv[2], &r, &err))
		fail("is no trace", argv[2]);
	for (uint32_t p = 0; p < gt_reader_process_count(r); p++) {
		struct gt_cupti_sizes sizes = { 0 };

		read_records(r, p, &sizes, &modules, &module_bytes);
		for (uint32_t i = 0; i < gt_cupti_buffer_count(r); i++) {
			struct gt_cupti_buffer b;

			if (gt_cupti_buffer_get(r, i, &b, &err))
				fail("a buffer cannot be read", argv[2]);
			o.buffers += b.process == p;
			if (b.process == p && !strcmp(argv[1], "devices"))
				print_devices(r, &b, &sizes);
			if (b.process == p && !b.completed)
				look(r, &b, &sizes, &o);
		}
	}
	gt_reader_close(r);
	if (!strcmp(argv[1], "devices"))
		return 0;
	if (!strcmp(argv[1], "modules"))
		printf("modules %lu bytes %llu\n", modules, (unsigned long long)module_bytes);
	else
		printf("buffers %lu open %lu empty %lu records %lu kernels %lu without-start %lu without-end %lu "
		       "behind-zero %lu unknown-kind %lu\n", o.buffers, o.open, o.empty, o.records, o.kernels,
		       o.no_start, o.no_end, o.behind_zero, o.unknown);
	return 0;
}
