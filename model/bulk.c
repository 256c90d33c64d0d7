/*
 * model/bulk.c - arrays that may outgrow memory
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/paged.h"
#include "model/bulk.h"

/* Into a file, or (without room for one) on in memory: slower machines beat lost answers. */
static void *grow_file(struct gt_bulk *b, size_t bytes)
{
	int fd = b->fd ? b->fd : gt_unlinked_file();
	void *at;

	if (fd < 0)
		return NULL;
	if (posix_fallocate(fd, 0, (off_t)bytes) ||
	    (at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		if (!b->fd)
			close(fd);
		return NULL;
	}
	if (b->fd) {
		gt_paged_end(b->data);
		munmap(b->data, b->capacity);
	} else {
		memcpy(at, b->data, b->capacity);
		free(b->data);
	}
	gt_paged_begin(at, bytes);
	b->fd = fd;
	return at;
}

static bool grow(struct gt_bulk *b, size_t size, struct gt_bulk_budget *budget)
{
	size_t most = budget->most ? budget->most : GT_BULK_IN_MEMORY;
	size_t bytes = b->capacity ? b->capacity * 2 : 64 * size;
	void *at = NULL;

	if (b->fd || (budget->used + bytes > most && bytes > 1u << 20))
		at = grow_file(b, bytes);
	if (!at && !b->fd)
		at = realloc(b->data, bytes);
	if (!at)
		return false;
	if (!b->fd)
		budget->used += bytes - b->capacity;
	b->data = at;
	b->capacity = bytes;
	return true;
}

void *gt_bulk_add(struct gt_bulk *b, size_t size, struct gt_bulk_budget *budget)
{
	if ((b->n + 1) * size > b->capacity && !grow(b, size, budget))
		return NULL;
	/* What was written long ago stays in the file alone: a long trace would else fill the process. */
	if (b->fd && b->n * size / GT_BULK_FORGET != (b->n + 1) * size / GT_BULK_FORGET)
		gt_bulk_forget(b, 0, b->n * size);
	return (char *)b->data + b->n++ * size;
}

static bool write_at(int fd, uint64_t at, const char *from, size_t n)
{
	while (n) {
		ssize_t done = pwrite(fd, from, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		from += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return true;
}

bool gt_bulk_append(struct gt_bulk *b, size_t size, const void *from, size_t n, struct gt_bulk_budget *budget)
{
	while ((b->n + n) * size > b->capacity)
		if (!grow(b, size, budget))
			return false;
	if (b->fd && !write_at(b->fd, b->n * size, from, n * size))
		return false;
	if (!b->fd)
		memcpy((char *)b->data + b->n * size, from, n * size);
	b->n += n;
	return true;
}

void gt_bulk_forget(const struct gt_bulk *b, size_t from, size_t to)
{
	const size_t page = 65536;

	from = (from + page - 1) / page * page;
	to = to / page * page;
	if (b->fd && from < to)
		/* of a shared mapping: the page cache keeps them */
		madvise((char *)b->data + from, to - from, MADV_DONTNEED);
}

void gt_bulk_free(struct gt_bulk *b)
{
	if (b->fd) {
		gt_paged_end(b->data);
		munmap(b->data, b->capacity);
		close(b->fd);
	} else {
		free(b->data);
	}
	*b = (struct gt_bulk){ 0 };
}
