/*
 * analysis/pool.c - memory that is freed as a whole, and lists that may outgrow it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/paged.h"

enum { SLAB = 4 << 20, IN_MEMORY = 8 << 20, FIRST_PIECE = 64, LARGEST_PIECE = 64 << 10,
	RETURNED = 128 << 10 };

struct slab { struct slab *next; size_t bytes, used; bool paged; };
struct returned { struct returned *next; size_t bytes; };
struct gt_extent { struct gt_extent *next; off_t at; uint32_t bytes; };
struct gt_pool {
	struct slab *slabs;
	size_t bytes, in_memory;
	struct gt_piece *spare;         /* of LARGEST_PIECE */
	struct gt_extent *spare_extents;
	int file;                       /* of the lists; 0: none yet */
	off_t end;
	char *scratch[2];               /* a piece that was read back: for readers, for who takes it out */
	struct returned *returned;
	bool failed;
	struct gt_map_memory memory;
};

static void *take(void *a, size_t bytes) { return gt_pool_take(a, bytes); }
static void give_back(void *a, void *at, size_t bytes) { gt_pool_give_back(a, at, bytes); }

struct gt_pool *gt_pool_new(void)
{
	struct gt_pool *a = calloc(1, sizeof *a);

	if (a) {
		a->in_memory = IN_MEMORY;
		a->memory = (struct gt_map_memory){ take, give_back, a };
	}
	return a;
}

const struct gt_map_memory *gt_pool_memory(struct gt_pool *a) { return &a->memory; }
void gt_pool_one_of(struct gt_pool *a, unsigned n) { a->in_memory = IN_MEMORY / n; }

void gt_pool_free(struct gt_pool *a)
{
	for (struct slab *s = a ? a->slabs : NULL, *next; s; s = next) {
		next = s->next;
		if (s->paged)
			gt_paged_give_back(s, s->bytes);
		else
			munmap(s, s->bytes);
	}
	if (a && a->file)
		close(a->file);
	free(a);
}

bool gt_pool_failed(const struct gt_pool *a) { return a->failed; }

/* A long trace does not fill memory: all but the first slabs are pages of files. */
static struct slab *slab_new(struct gt_pool *a, size_t bytes)
{
	bool paged = a->bytes >= a->in_memory || bytes > IN_MEMORY;
	struct slab *s = paged ? gt_paged_take(bytes)
			       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!s || s == MAP_FAILED)
		return NULL;
	*s = (struct slab){ a->slabs, bytes, (sizeof *s + 15) & ~(size_t)15, paged };
	a->slabs = s;
	a->bytes += bytes;
	return s;
}

static void *take_returned(struct gt_pool *a, size_t bytes)
{
	for (struct returned **at = &a->returned; *at; at = &(*at)->next)
		if ((*at)->bytes == bytes) {
			void *p = *at;

			*at = (*at)->next;
			return memset(p, 0, bytes);
		}
	return NULL;
}

void gt_pool_give_back(struct gt_pool *a, void *at, size_t bytes)
{
	struct returned *r = at;

	if (bytes < RETURNED)
		return;
	r->next = a->returned;
	r->bytes = (bytes + 15) & ~(size_t)15;
	a->returned = r;
}

void *gt_pool_take(struct gt_pool *a, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes >= RETURNED && a->returned) {
		void *again = take_returned(a, bytes);

		if (again)
			return again;
	}
	if (!a->slabs || a->slabs->bytes - a->slabs->used < bytes) {
		size_t room = bytes + sizeof(struct slab) + 16 > SLAB ? bytes + sizeof(struct slab) + 16 : SLAB;

		if (!slab_new(a, room))
			return NULL;
	}
	gt_paged_tick();
	void *p = (char *)a->slabs + a->slabs->used;
	a->slabs->used += bytes;
	return p;
}

/* -------------------------------------------------------------------- lists */

static struct gt_extent *extent_new(struct gt_pool *a)
{
	struct gt_extent *x = a->spare_extents;

	if (x) {
		a->spare_extents = x->next;
		return x;
	}
	if (!a->file) {
		int fd = (a->scratch[0] = gt_pool_take(a, LARGEST_PIECE)) &&
				(a->scratch[1] = gt_pool_take(a, LARGEST_PIECE))
			? gt_unlinked_file()
			: -1;

		if (fd <= 0)
			return NULL;
		a->file = fd;
	}
	if ((x = gt_pool_take(a, sizeof *x))) {
		x->at = a->end;
		a->end += LARGEST_PIECE;
	}
	return x;
}

/* Into the file with what the last piece holds. False: it has to stay. */
static bool put_away(struct gt_list *l, struct gt_pool *a)
{
	struct gt_piece *p = l->last;
	struct gt_extent *x;

	if (a->bytes < a->in_memory || !p || p->room != LARGEST_PIECE || !(x = extent_new(a)))
		return false;
	if (pwrite(a->file, p->data, p->used, x->at) != (ssize_t)p->used) {
		x->next = a->spare_extents;
		a->spare_extents = x;
		return false;
	}
	x->bytes = p->used;
	x->next = NULL;
	if (l->last_extent)
		l->last_extent->next = x;
	else
		l->extents = x;
	l->last_extent = x;
	p->used = 0;
	return true;
}

static struct gt_piece *piece_new(struct gt_pool *a, uint32_t room)
{
	struct gt_piece *p = room == LARGEST_PIECE ? a->spare : NULL;

	if (p) {
		a->spare = p->next;
		p->next = NULL;
		p->used = 0;
		return p;
	}
	p = gt_pool_take(a, sizeof *p + room);
	if (p)
		p->room = room;
	return p;
}

/* Lists begin small: there may be very many of them. */
static uint32_t next_room(const struct gt_list *l, uint32_t size)
{
	uint32_t room = !l->last ? FIRST_PIECE : l->last->room < LARGEST_PIECE / 4 ? l->last->room * 4 : LARGEST_PIECE;

	return room < size ? LARGEST_PIECE : room;
}

/* Pieces stand before the extents in order, so once there are extents only the last piece is filled, over and over. */
void *gt_list_grow(struct gt_list *l, struct gt_pool *a, uint32_t size)
{
	if (!put_away(l, a)) {
		struct gt_piece *p = l->extents ? NULL : piece_new(a, next_room(l, size));

		if (!p)
			return NULL;
		if (l->last)
			l->last->next = p;
		else
			l->first = p;
		l->last = p;
	}
	l->last->used += size;
	return l->last->data + l->last->used - size;
}

static const void *bring_back(struct gt_pool *a, char *to, const struct gt_extent *x, size_t *bytes)
{
	*bytes = x->bytes;
	if (pread(a->file, to, x->bytes, x->at) != (ssize_t)x->bytes) {
		a->failed = true;
		memset(to, 0, x->bytes);
	}
	return to;
}

static const void *give(const struct gt_piece *p, size_t *bytes)
{
	*bytes = p->used;
	return p->data;
}

const void *gt_list_next(struct gt_list_reader *r, size_t *bytes)
{
	const struct gt_list *l = r->list;

	if (!r->begun) {
		r->begun = true;
		r->piece = l->first;
		r->extent = l->extents;
	}
	if (!r->piece)
		return NULL;
	if (r->piece == l->last && r->extent) {
		const struct gt_extent *x = r->extent;

		r->extent = x->next;
		return bring_back(r->pool, r->pool->scratch[0], x, bytes);
	}
	const struct gt_piece *p = r->piece;

	r->piece = p->next;
	return give(p, bytes);
}

const void *gt_list_pop(struct gt_list *l, struct gt_pool *a, size_t *bytes)
{
	struct gt_extent *x = l->extents;
	struct gt_piece *p = l->first;

	if (x) {
		l->extents = x->next;
		if (!l->extents)
			l->last_extent = NULL;
		x->next = a->spare_extents;
		a->spare_extents = x;
		return bring_back(a, a->scratch[1], x, bytes);
	}
	if (!p)
		return NULL;
	l->first = p->next;
	if (!l->first)
		l->last = NULL;
	if (p->room == LARGEST_PIECE) {
		p->next = a->spare;
		a->spare = p;
	}
	return give(p, bytes);
}
