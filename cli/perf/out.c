/*
 * cli/perf/out.c - a stream file that is written from its beginning to its end, by the launcher
 *
 * One chunk of records behind the control page (docs/trace-format.md). A block is kept in memory until it is full; the
 * header of the chunk is written last, with its size, so a launcher that is killed leaves a file without content.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/perf/internal.h"
#include "common/hash.h"
#include "common/temporary.h"

#define FIRST (REC_CONTROL_BYTES + sizeof(struct rec_chunk))

struct seen { uint64_t hash, offset; };
struct gt_perf_out {
	char path[PATH_MAX];
	struct rec_control control;
	struct rec_chunk chunk;
	uint64_t base;                    /* offset of the block in memory */
	char *block; size_t used, room;
	struct gt_map stacks;             /* struct seen */
	uint32_t modules;
	bool made, failed;
};

struct gt_perf_out *gt_perf_out_new(const char *folder, uint32_t pid)
{
	struct gt_perf_out *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->control = (struct rec_control){ .magic = REC_CONTROL_MAGIC, .version = REC_VERSION,
		.stream = REC_STREAM_LAUNCHER, .pid = pid };
	o->chunk = (struct rec_chunk){ .magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_CALLS, .version = REC_VERSION };
	o->used = FIRST;
	if ((size_t)snprintf(o->path, sizeof o->path, "%s/%u.str", folder, REC_STREAM_LAUNCHER) < sizeof o->path)
		return o;
	free(o);
	return NULL;
}

static bool write_at(int fd, const void *data, size_t bytes, uint64_t at)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = pwrite(fd, (const char *)data + done, bytes - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Opened for each write: there may be more streams than descriptors. */
static int open_file(struct gt_perf_out *o)
{
	int fd = o->made ? open(o->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : gt_create_own(o->path, O_WRONLY);

	o->made |= fd >= 0;
	return fd;
}

/* What of the block is records: the first one begins behind the headers. */
static bool flush(struct gt_perf_out *o, bool last)
{
	size_t from = o->base ? 0 : FIRST;
	int fd = o->failed ? -1 : open_file(o);
	bool good = fd >= 0 && write_at(fd, o->block + from, o->used - from, o->base + from);

	if (good && last) {
		o->chunk.bytes = o->base + o->used - REC_CONTROL_BYTES;
		o->control.chunks = 1;
		o->control.end = o->base + o->used;
		o->control.used = o->control.end;
		good = write_at(fd, &o->control, sizeof o->control, 0) &&
			write_at(fd, &o->chunk, sizeof o->chunk, REC_CONTROL_BYTES);
	}
	if (fd >= 0)
		close(fd);
	o->failed |= !good;
	return good;
}

static bool make_room(struct gt_perf_out *o, size_t bytes)
{
	if (o->used + bytes > REC_BLOCK) {      /* a reader goes on with the next block */
		uint64_t pad = rec_head(REC_PAD, 0, REC_COMPLETE, 0);

		memset(o->block + o->used, 0, REC_BLOCK - o->used);
		if (o->used < REC_BLOCK)
			memcpy(o->block + o->used, &pad, sizeof pad);
		o->used = REC_BLOCK;
		if (!flush(o, false))
			return false;
		o->base += REC_BLOCK;
		o->used = 0;
	}
	if (o->used + bytes > o->room) {
		size_t room = o->room ? 2 * o->room : 2 * REC_CONTROL_BYTES;
		char *block = realloc(o->block, room);

		o->failed |= !block;
		if (!block)
			return false;
		o->block = block;
		o->room = room;
	}
	return true;
}

uint64_t gt_perf_out_add(struct gt_perf_out *o, uint32_t type, int32_t result, const uint64_t *words, uint32_t n)
{
	bool wide = n + 1 > 255;
	uint64_t head[2] = { rec_head(type, wide ? 0 : n + 1, REC_COMPLETE | (wide ? REC_LONG : 0), result), n + 2 };
	size_t heads = (wide ? 2 : 1) * sizeof *head, bytes = heads + n * sizeof *words;
	uint64_t at;

	while (!o->failed && (o->used + bytes > o->room || o->used + bytes > REC_BLOCK))
		make_room(o, bytes);
	if (o->failed)
		return 0;
	at = o->base + o->used;
	memcpy(o->block + o->used, head, heads);
	memcpy(o->block + o->used + heads, words, n * sizeof *words);
	o->used += bytes;
	return at;
}

void gt_perf_out_lost(struct gt_perf_out *o, enum rec_loss reason, uint64_t n) { o->control.lost[reason] += n; }

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct seen *)element)->hash == *(const uint64_t *)key;
}

uint64_t *gt_perf_out_stack(struct gt_perf_out *o, uint64_t hash, bool *fresh)
{
	struct seen *at = gt_map_add(&o->stacks, sizeof *at, hash, &hash, same, NULL, fresh);

	if (!at)
		return NULL;
	if (*fresh)
		*at = (struct seen){ hash, 0 };
	return &at->offset;
}

uint32_t gt_perf_out_module(struct gt_perf_out *o) { return ++o->modules; }

bool gt_perf_out_close(struct gt_perf_out *o)
{
	bool good;

	if (!o)
		return true;
	good = !o->failed && flush(o, true);
	gt_map_free(&o->stacks, sizeof(struct seen));
	free(o->block);
	free(o);
	return good;
}
