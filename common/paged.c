/*
 * common/paged.c - pages of unlinked files, and when they leave the process
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/paged.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory.h"

enum { TICKS = 256 };                     /* between two looks at what is in memory; an access brings 64 KiB at most */

struct block { char *at; size_t bytes; };

bool gt_paged_any;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static size_t n_blocks, blocks_room;
static uint64_t kept;                     /* bytes of files that were in memory after the last time: others' */
static int statm = -1;

/* Bytes of mapped files that are in memory, libraries too; 0: /proc does not tell. */
static uint64_t resident(void)
{
	char text[128];
	unsigned long long size, all, of_files;
	ssize_t n;

	if (statm < 0)
		statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	n = statm < 0 ? -1 : pread(statm, text, sizeof text - 1, 0);
	if (n <= 0)
		return 0;
	text[n] = 0;
	if (sscanf(text, "%llu %llu %llu", &size, &all, &of_files) != 3)
		return 0;
	return of_files * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Of a shared mapping: the file keeps them. */
static void drop_all(void)
{
	for (size_t i = 0; i < n_blocks; i++)
		madvise(blocks[i].at, blocks[i].bytes, MADV_DONTNEED);
}

void gt_paged_count(void)
{
	static _Thread_local unsigned ticks;
	uint64_t now;

	if (++ticks % TICKS || pthread_mutex_trylock(&lock))
		return;
	now = resident();
	if (n_blocks && (!now || now > kept + GT_PAGED_RESIDENT)) {
		drop_all();
		kept = resident();
	}
	pthread_mutex_unlock(&lock);
}

void gt_paged_begin(void *at, size_t bytes)
{
	pthread_mutex_lock(&lock);
	if (gt_grow((void **)&blocks, n_blocks, &blocks_room, sizeof *blocks))
		blocks[n_blocks++] = (struct block){ at, bytes };
	__atomic_store_n(&gt_paged_any, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
}

void gt_paged_end(void *at)
{
	pthread_mutex_lock(&lock);
	for (size_t i = n_blocks; i-- > 0;)
		if (blocks[i].at == at) {
			blocks[i] = blocks[--n_blocks];
			break;
		}
	pthread_mutex_unlock(&lock);
}

int gt_unlinked_file(void)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if ((size_t)snprintf(path, sizeof path, "%s/gputap-XXXXXX", dir && *dir ? dir : "/tmp") >= sizeof path ||
		(fd = mkostemp(path, O_CLOEXEC)) < 0)
		return -1;
	unlink(path);
	return fd;
}

/* The file has its space before it is mapped: a full disk would else be SIGBUS. */
static void *map_file(size_t bytes)
{
	int fd = gt_unlinked_file();
	void *at = MAP_FAILED;

	if (fd < 0)
		return MAP_FAILED;
	if (!posix_fallocate(fd, 0, (off_t)bytes))
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at;
}

void *gt_paged_take(size_t bytes)
{
	void *at = map_file(bytes);

	if (at != MAP_FAILED) {
		gt_paged_begin(at, bytes);
		return at;
	}
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

void gt_paged_give_back(void *at, size_t bytes)
{
	gt_paged_end(at);
	munmap(at, bytes);
}

void *gt_paged_zeroed(size_t n, size_t size)
{
	if (!size || n > SIZE_MAX / size)
		return NULL;
	return n * size >= GT_PAGED_LEAST ? gt_paged_take(n * size) : calloc(n, size);
}

void gt_paged_free(void *at, size_t n, size_t size)
{
	if (at && n * size >= GT_PAGED_LEAST)
		gt_paged_give_back(at, n * size);
	else
		free(at);
}

bool gt_paged_grow(void **array, size_t n, size_t *room, size_t bytes)
{
	void *bigger;

	if (n < *room)
		return true;
	if (*room > SIZE_MAX / 2 / bytes)
		return false;
	if (*room * 2 * bytes < GT_PAGED_LEAST)
		return gt_grow(array, n, room, bytes);
	bigger = gt_paged_zeroed(*room * 2, bytes);
	if (!bigger)
		return false;
	memcpy(bigger, *array, n * bytes);
	gt_paged_free(*array, *room, bytes);
	*array = bigger;
	*room *= 2;
	return true;
}
