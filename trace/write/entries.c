/*
 * trace/write/entries.c - see entries.h
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/entries.h"
#include "trace/write/sys.h"
#include "trace/write/text.h"

/* The kernel's struct linux_dirent64. */
struct entry { uint64_t inode; int64_t next; uint16_t bytes; uint8_t type; char name[]; } __attribute__((packed));

const char *tap_entries_next(struct tap_entries *e)
{
	const struct entry *is;

	if (e->at >= e->n) {
		e->at = 0;
		e->n = TAP_SYS(getdents64, e->fd, e->room, e->size, 0, 0, 0);
		if (e->n <= 0)
			return NULL;
	}
	is = (const struct entry *)(e->room + e->at);
	e->at += is->bytes;
	return is->name;
}

uint32_t tap_task_of(const char *name)
{
	uint32_t tid = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		tid = tid * 10 + (uint32_t)(*name - '0');
	return tid;
}

const char *tap_task_read(uint32_t tid, const char *file, char *to, size_t size)
{
	char path[64];
	struct tap_text t;
	long n = -1;
	int fd;

	tap_text_init(&t, path, sizeof path);
	tap_text_str(&t, "/proc/self/task/");
	tap_text_u64(&t, tid);
	tap_text_char(&t, '/');
	tap_text_str(&t, file);
	fd = tap_sys_open(path, O_RDONLY, 0);
	if (fd >= 0) {
		n = tap_sys_read(fd, to, size - 1);
		tap_sys_close(fd);
	}
	if (!to)
		return "";
	to[n > 0 ? n : 0] = 0;
	return to;
}
