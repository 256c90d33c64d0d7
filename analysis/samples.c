/*
 * analysis/samples.c - exact statistics over any number of values
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLAB = 4 << 20, IN_MEMORY = 128 << 20, FIRST_PIECE = 8, LARGEST_PIECE = 8192 };

struct slab { struct slab *next; size_t bytes, used; };
struct gt_pool { struct slab *slabs; size_t bytes; };
struct gt_piece { struct gt_piece *next; uint32_t used, room; int64_t value[]; };

struct gt_pool *gt_pool_new(void)
{
	return calloc(1, sizeof(struct gt_pool));
}

void gt_pool_free(struct gt_pool *a)
{
	for (struct slab *s = a ? a->slabs : NULL, *next; s; s = next) {
		next = s->next;
		munmap(s, s->bytes);
	}
	free(a);
}

/* A slab of an unlinked file: the kernel may write it out, so a long trace does not fill memory. */
static void *map_file(size_t bytes)
{
	const char *dir = getenv("TMPDIR");
	char path[512];
	int fd;

	if ((size_t)snprintf(path, sizeof path, "%s/gputap-XXXXXX", dir && *dir ? dir : "/tmp") >= sizeof path || (fd = mkstemp(path)) < 0)
		return MAP_FAILED;
	unlink(path);
	void *p = ftruncate(fd, (off_t)bytes) ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

void *gt_pool_take(struct gt_pool *a, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (!a->slabs || a->slabs->bytes - a->slabs->used < bytes) {
		size_t room = bytes + sizeof(struct slab) + 16 > SLAB ? bytes + sizeof(struct slab) + 16 : SLAB;
		struct slab *s = a->bytes < IN_MEMORY ? mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : map_file(room);

		if (s == MAP_FAILED)
			return NULL;
		*s = (struct slab){ a->slabs, room, (sizeof *s + 15) & ~(size_t)15 };
		a->slabs = s;
		a->bytes += room;
	}
	void *p = (char *)a->slabs + a->slabs->used;
	a->slabs->used += bytes;
	return p;
}

int gt_samples_add(struct gt_samples *s, struct gt_pool *a, int64_t value)
{
	if (!s->last || s->last->used == s->last->room) {
		uint32_t room = !s->last ? FIRST_PIECE : s->last->room < LARGEST_PIECE ? s->last->room * 4 : LARGEST_PIECE;
		struct gt_piece *p = gt_pool_take(a, sizeof *p + room * sizeof p->value[0]);

		if (!p)
			return -1;
		p->next = s->last;
		p->room = room;
		s->last = p;
	}
	s->last->value[s->last->used++] = value;
	s->min = !s->n || value < s->min ? value : s->min;
	s->max = !s->n || value > s->max ? value : s->max;
	s->sum += value;
	s->n++;
	return 0;
}

double gt_samples_mean(const struct gt_samples *s)
{
	return s->n ? (double)((long double)s->sum / (long double)s->n) : 0;
}

/* Order of signed values as unsigned keys. */
static uint64_t key(int64_t value) { return (uint64_t)value ^ UINT64_C(1) << 63; }

/* The value with `rank` smaller-or-equal ones before it: eight counting passes, no copy of the values. */
static int64_t select_rank(const struct gt_samples *s, uint64_t rank)
{
	uint64_t prefix = 0, mask = 0;

	for (int shift = 56; shift >= 0; shift -= 8) {
		uint64_t count[256] = { 0 };
		unsigned digit = 0;

		for (const struct gt_piece *p = s->last; p; p = p->next)
			for (uint32_t i = 0; i < p->used; i++)
				if ((key(p->value[i]) & mask) == prefix)
					count[key(p->value[i]) >> shift & 255]++;
		while (rank >= count[digit])
			rank -= count[digit++];
		prefix |= (uint64_t)digit << shift;
		mask |= UINT64_C(255) << shift;
	}
	return (int64_t)(prefix ^ UINT64_C(1) << 63);
}

double gt_samples_median(const struct gt_samples *s)
{
	if (!s->n)
		return 0;
	int64_t high = select_rank(s, s->n / 2);

	return s->n % 2 ? (double)high : ((double)select_rank(s, s->n / 2 - 1) + (double)high) / 2;
}

double gt_samples_deviation(const struct gt_samples *s)
{
	long double mean = s->n ? (long double)s->sum / (long double)s->n : 0, squares = 0;

	if (s->n < 2)
		return 0;
	for (const struct gt_piece *p = s->last; p; p = p->next)
		for (uint32_t i = 0; i < p->used; i++)
			squares += (p->value[i] - mean) * (p->value[i] - mean);
	return (double)sqrtl(squares / (long double)(s->n - 1));
}
