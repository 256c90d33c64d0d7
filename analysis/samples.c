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

enum { SLAB = 4 << 20, IN_MEMORY = 128 << 20, FIRST_PIECE = 8, LARGEST_PIECE = 8192, FOLD = 32 * LARGEST_PIECE };

struct slab { struct slab *next; size_t bytes, used; };
struct gt_pool { struct slab *slabs; size_t bytes; struct gt_piece *spare; };
struct gt_piece { struct gt_piece *next; uint32_t used, room; int64_t value[]; };
struct cell { int64_t value; uint64_t count; };         /* count 0: free */
/* Open addressing; at most half full. */
struct gt_counts { uint64_t n, mask; struct cell cell[]; };

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

static struct gt_counts *counts_new(struct gt_pool *a, uint64_t cells)
{
	struct gt_counts *c = gt_pool_take(a, sizeof *c + cells * sizeof c->cell[0]);

	if (c)
		c->mask = cells - 1;
	return c;
}

static void count_value(struct gt_counts *c, int64_t value, uint64_t times)
{
	uint64_t at = (uint64_t)value * 0x9e3779b97f4a7c15u >> 20;

	while (c->cell[at & c->mask].count && c->cell[at & c->mask].value != value)
		at++;
	struct cell *cell = &c->cell[at & c->mask];

	c->n += !cell->count;
	cell->value = value;
	cell->count += times;
}

/* Room for one more piece of values that may all be new. NULL: no memory. */
static struct gt_counts *counts_with_room(struct gt_pool *a, struct gt_counts *old)
{
	uint64_t cells = old ? old->mask + 1 : 2 * LARGEST_PIECE;

	while (cells < 2 * ((old ? old->n : 0) + LARGEST_PIECE))
		cells *= 2;
	if (old && cells == old->mask + 1)
		return old;
	struct gt_counts *c = counts_new(a, cells);

	for (uint64_t i = 0; c && old && i <= old->mask; i++)
		if (old->cell[i].count)
			count_value(c, old->cell[i].value, old->cell[i].count);
	return c;
}

/* The loose values go into the table, their pieces back to the pool. Without memory, or when it does not pay, they stay loose. */
static void fold(struct gt_samples *s, struct gt_pool *a)
{
	for (struct gt_piece *p; (p = s->last);) {
		struct gt_counts *c = counts_with_room(a, s->counts);

		if (!c)
			break;
		s->counts = c;
		for (uint32_t i = 0; i < p->used; i++)
			count_value(c, p->value[i], 1);
		s->last = p->next;
		s->loose -= p->used;
		p->used = 0;
		if (p->room == LARGEST_PIECE) {
			p->next = a->spare;
			a->spare = p;
		}
		if (c->n > FOLD / 4 && c->n > (s->n - s->loose) / 8)
			break;
	}
	s->diverse = s->loose > 0;
}

static struct gt_piece *piece_new(struct gt_pool *a, uint32_t room)
{
	struct gt_piece *p = room == LARGEST_PIECE ? a->spare : NULL;

	if (p) {
		a->spare = p->next;
		return p;
	}
	p = gt_pool_take(a, sizeof *p + room * sizeof p->value[0]);
	if (p)
		p->room = room;
	return p;
}

int gt_samples_add(struct gt_samples *s, struct gt_pool *a, int64_t value)
{
	if (!s->last || s->last->used == s->last->room) {
		if (s->loose >= FOLD && !s->diverse)
			fold(s, a);
		uint32_t room = s->counts ? LARGEST_PIECE : !s->last ? FIRST_PIECE : s->last->room < LARGEST_PIECE ? s->last->room * 4 : LARGEST_PIECE;
		struct gt_piece *p = piece_new(a, room > LARGEST_PIECE ? LARGEST_PIECE : room);

		if (!p)
			return -1;
		p->next = s->last;
		s->last = p;
	}
	s->last->value[s->last->used++] = value;
	s->loose++;
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

/* How often each digit at `shift` comes among the values that begin with `prefix`. */
static void count_digits(const struct gt_samples *s, uint64_t prefix, uint64_t mask, int shift, uint64_t count[256])
{
	for (const struct gt_piece *p = s->last; p; p = p->next)
		for (uint32_t i = 0; i < p->used; i++)
			if ((key(p->value[i]) & mask) == prefix)
				count[key(p->value[i]) >> shift & 255]++;
	for (uint64_t i = 0; s->counts && i <= s->counts->mask; i++)
		if (s->counts->cell[i].count && (key(s->counts->cell[i].value) & mask) == prefix)
			count[key(s->counts->cell[i].value) >> shift & 255] += s->counts->cell[i].count;
}

/* The value with `rank` smaller-or-equal ones before it: eight counting passes, no copy of the values. */
static int64_t select_rank(const struct gt_samples *s, uint64_t rank)
{
	uint64_t prefix = 0, mask = 0;

	for (int shift = 56; shift >= 0; shift -= 8) {
		uint64_t count[256] = { 0 };
		unsigned digit = 0;

		count_digits(s, prefix, mask, shift, count);
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
	for (uint64_t i = 0; s->counts && i <= s->counts->mask; i++)
		squares += (s->counts->cell[i].value - mean) * (s->counts->cell[i].value - mean) * s->counts->cell[i].count;
	return (double)sqrtl(squares / (long double)(s->n - 1));
}
