/*
 * model/symbols/files.c - the file that an object was loaded from, and where its debug information lies
 *
 * As debuggers look: /usr/lib/debug/.build-id/ab/cdef.debug by the build id, then the name that the file gives for its
 * debug file, beside it, in .debug there and below /usr/lib/debug.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/symbols/internal.h"

#define ROOT "/usr/lib/debug"
#define PATH_BYTES 4600

/* Of the first id_bytes, which a trace may have cut. */
static bool same_id(const struct gt_elf *e, const uint8_t *id, uint32_t bytes)
{
	return e->id_bytes >= bytes && !memcmp(e->id, id, bytes);
}

static bool open_checked(struct gt_elf *e, const char *path, const uint8_t *id, uint32_t bytes)
{
	if (!gt_elf_open(e, path))
		return false;
	if (same_id(e, id, bytes))
		return true;
	gt_elf_close(e);
	return false;
}

static bool by_id(struct gt_elf *debug, const uint8_t *id, uint32_t bytes)
{
	char path[PATH_BYTES];
	size_t n = (size_t)snprintf(path, sizeof path, ROOT "/.build-id/%02x/", id[0]);

	for (uint32_t i = 1; i < bytes; i++)
		n += (size_t)snprintf(path + n, sizeof path - n, "%02x", id[i]);
	snprintf(path + n, sizeof path - n, ".debug");
	return open_checked(debug, path, id, bytes);
}

/* The checksum that .gnu_debuglink has: CRC-32. */
static uint32_t checksum(int fd)
{
	uint8_t buffer[16384];
	uint32_t crc = ~0u;
	ssize_t n;

	for (off_t at = 0; (n = pread(fd, buffer, sizeof buffer, at)) > 0; at += n)
		for (ssize_t i = 0; i < n; i++) {
			crc ^= buffer[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		}
	return ~crc;
}

static bool fits(const struct gt_elf *debug, const struct gt_elf *file)
{
	if (file->id_bytes && debug->id_bytes && !file->marked && !debug->marked)
		return same_id(debug, file->id, file->id_bytes);
	return checksum(debug->fd) == file->link_crc;
}

static bool try_link(struct gt_elf *debug, const struct gt_elf *file, const char *path)
{
	if (!gt_elf_open(debug, path))
		return false;
	if (fits(debug, file))
		return true;
	gt_elf_close(debug);
	return false;
}

static bool by_link(struct gt_elf *debug, const struct gt_elf *file, const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;
	char at[PATH_BYTES];

	if (!file->link[0] || strchr(file->link, '/'))
		return false;
	snprintf(at, sizeof at, "%.*s/.debug/%s", folder, path, file->link);
	if (try_link(debug, file, at))
		return true;
	snprintf(at, sizeof at, "%.*s/%s", folder, path, file->link);
	if (strcmp(at, path) && try_link(debug, file, at))
		return true;
	snprintf(at, sizeof at, ROOT "%.*s/%s", folder, path, file->link);
	return try_link(debug, file, at);
}

void gt_files_of(const struct gt_module *o, const char *cwd, struct gt_elf *file, struct gt_elf *debug)
{
	char path[PATH_BYTES];
	bool whole = o->path[0] == '/';

	snprintf(path, sizeof path, "%s%s%s", whole || !cwd ? "" : cwd, whole ? "" : "/", o->path);
	file->fd = debug->fd = -1;
	/* a name alone ("linux-vdso.so.1") is no file's */
	if (path[0] == '/' && strchr(o->path, '/'))
		open_checked(file, path, o->id, o->id_bytes);
	if (file->fd >= 0 && file->has_debug)
		return;
	if (o->id_bytes > 1 && by_id(debug, o->id, o->id_bytes))
		return;
	if (file->fd >= 0)
		by_link(debug, file, path);
}
