/*
 * tests/gpu/scrub.c - makes a recording fit to be given away: scrub TRACE.gputap OUT
 *
 * TRACE is a directory, and is changed. What names the machine or its owner is replaced in the texts (host, user,
 * working directory, place of the trace, boot id), the GPUs' UUIDs in the activities become their numbers, those of
 * slices zero; the rest stays byte by byte. OUT is the packed result.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/read/cupti.h"
#include "trace/read/pack.h"

static const struct { const char *key, *value; } replaced[] = {
	{ "host", "gpu-machine" },
	{ "user", "user" },
	{ "cwd", "/tmp" },
	{ "option=output", "/tmp/recording" },
	{ "boot_id", "00000000-0000-0000-0000-000000000000" },
};

enum { MIG_UUID = 160 };                /* in a record of a device */

_Noreturn static void fail(const char *what, const char *name)
{
	fprintf(stderr, "scrub: %s: %s\n", name, what);
	exit(1);
}

/* Lines of key=value. The file gets no shorter: control pages say how long it was at least. */
static void scrub_text(const char *path)
{
	char new[4096], line[65536];
	long before;
	FILE *in = fopen(path, "r"), *out;

	if (!in)
		return;
	snprintf(new, sizeof new, "%s.new", path);
	out = fopen(new, "w");
	if (!out)
		fail("cannot be written", new);
	while (fgets(line, sizeof line, in)) {
		const char *value = NULL;

		if (!strncmp(line, "begin=", 6))
			continue;               /* a sum of what is replaced */

		for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
			size_t n = strlen(replaced[i].key);

			if (!strncmp(line, replaced[i].key, n) && line[n] == '=') {
				line[n + 1] = 0;
				value = replaced[i].value;
			}
		}
		fprintf(out, value ? "%s%s\n" : "%s", line, value);
	}
	before = ftell(in);
	fclose(in);
	if (ftell(out) < before)
		fprintf(out, "scrubbed=%0*d\n", (int)(before - ftell(out)), 0);
	if (fclose(out) || rename(new, path))
		fail("cannot be replaced", path);
}

static void scrub_devices(const char *trace, struct gt_reader *r, const struct gt_cupti_buffer *b,
	const struct gt_cupti_sizes *sizes, int pid, int instance)
{
	struct gt_cupti_walk *w;
	struct gt_err err = { 0 };
	struct rec_activity a;
	char path[4096];
	uint64_t offset, none[2] = { 0 };
	int fd;

	snprintf(path, sizeof path, "%s/%d.%d/%u.str", trace, pid, instance, b->stream);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || gt_cupti_walk_open(r, &w, &err))
		fail("cannot be opened", path);
	gt_cupti_walk_begin(w, b, sizes);
	while (gt_cupti_walk_next(w, &a, &offset, &err) > 0) {
		uint64_t uuid[2] = { REC_GET(&a, DEVICE, id, 0) + 1ull, 0 };

		if (a.kind == REC_CUPTI_KIND_DEVICE && REC_HAS(&a, DEVICE, uuidHigh) &&
		    pwrite(fd, uuid, sizeof uuid, (off_t)(b->offset + offset + rec_at_DEVICE_uuidLow)) != sizeof uuid)
			fail("cannot be written", path);
		if (a.kind == REC_CUPTI_KIND_DEVICE && a.bytes >= MIG_UUID + sizeof none &&
		    pwrite(fd, none, sizeof none, (off_t)(b->offset + offset + MIG_UUID)) != sizeof none)
			fail("cannot be written", path);
	}
	gt_cupti_walk_close(w);
	close(fd);
}

static void read_sizes(struct gt_reader *r, uint32_t process, struct gt_cupti_sizes *sizes)
{
	struct gt_err err = { 0 };
	struct gt_cursor *c;
	struct gt_rec rec;
	uint32_t driver, flags, bytes;
	const char *path;

	if (gt_cursor_open(r, (int)process, &c, &err))
		fail("cannot be read", "records");
	while (gt_cursor_next(c, &rec, &err) > 0)
		if (rec.id == REC_CUPTI_LIBRARY)
			gt_cupti_sizes_take(sizes, &rec, &driver, &flags, &path, &bytes);
	gt_cursor_close(c);
}

int main(int argc, char **argv)
{
	struct gt_reader *r;
	struct gt_err err = { 0 };
	struct stat st;
	char path[4096];

	if (argc != 3 || stat(argv[1], &st) || !S_ISDIR(st.st_mode))
		fail("scrub TRACE-DIRECTORY OUT", argc > 1 ? argv[1] : "usage");
	if (gt_reader_open(argv[1], &r, &err))
		fail("is no trace", argv[1]);
	for (uint32_t p = 0; p < gt_reader_process_count(r); p++) {
		struct gt_cupti_sizes sizes = { 0 };
		int pid, instance;

		gt_reader_process_id(r, p, &pid, &instance);
		read_sizes(r, p, &sizes);
		for (uint32_t i = 0; i < gt_cupti_buffer_count(r); i++) {
			struct gt_cupti_buffer b;

			if (gt_cupti_buffer_get(r, i, &b, &err))
				fail("a buffer cannot be read", argv[1]);
			if (b.process == p)
				scrub_devices(argv[1], r, &b, &sizes, pid, instance);
		}
		snprintf(path, sizeof path, "%s/%d.%d/meta", argv[1], pid, instance);
		scrub_text(path);
	}
	gt_reader_close(r);
	snprintf(path, sizeof path, "%s/run", argv[1]);
	scrub_text(path);
	if (gt_pack(argv[1], argv[2], &err))
		fail("cannot be packed", argv[2]);
	return 0;
}
