/*
 * writers/sqlite/pages.c - leaf, interior and overflow pages of table b-trees
 *
 * PAGE1  Pages get their numbers in the order in which they are full: one sequential write, whatever tables they
 *        belong to.
 * PAGE2  A page is never changed after it was appended, but the root pages that SQLite made for the empty tables.
 * PAGE3  The page that holds byte 2^30 belongs to SQLite's locks: it is left empty.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/sqlite/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"

#define BUFFER_PAGES 256u               /* appended with one write: 1 MiB */
#define LOCK_PAGE (0x40000000u / GT_PAGE + 1)
#define LEAF 0x0d
#define INTERIOR 0x05
#define LEAF_HEADER 8u
#define INTERIOR_HEADER 12u
#define CHILD_BYTES 15u                 /* an interior cell at most: pointer 2, page 4, key 9 */
#define CHILDREN_MAX ((GT_PAGE - INTERIOR_HEADER) / CHILD_BYTES)
#define LOCAL_MAX (GT_PAGE - 35u)       /* bytes of a record that stay in its leaf */
#define LOCAL_MIN ((GT_PAGE - 12u) * 32u / 255u - 23u)

struct gt_pages {
	int fd, error;
	uint32_t flushed;               /* pages in the file */
	uint32_t buffered;
	uint8_t buffer[BUFFER_PAGES * GT_PAGE];
};

struct child { int64_t last; uint32_t page; };

struct gt_btree {
	struct gt_pages *pages;
	struct child *child;            /* full pages of the level being built, in order */
	size_t n, room;
	unsigned cells;                 /* in page */
	unsigned content;               /* where the cells of page begin: they grow downwards */
	int64_t last;                   /* rowid of its last cell */
	uint8_t page[GT_PAGE];          /* the leaf being filled; in the end the root */
};

static void put16(uint8_t *to, uint32_t v) { to[0] = (uint8_t)(v >> 8), to[1] = (uint8_t)v; }
static void put32(uint8_t *to, uint32_t v) { put16(to, v >> 16), put16(to + 2, v); }

unsigned gt_varint(uint8_t *to, uint64_t v)
{
	uint8_t low[9];
	unsigned n = 0;

	if (v < 0x80) {
		to[0] = (uint8_t)v;
		return 1;
	}
	if (v >> 56) {                          /* nine bytes: the last one holds eight bits */
		to[8] = (uint8_t)v;
		v >>= 8;
		for (int i = 7; i >= 0; i--, v >>= 7)
			to[i] = (uint8_t)(v | 0x80);
		return 9;
	}
	for (; v; v >>= 7)
		low[n++] = (uint8_t)(v | 0x80);
	low[0] &= 0x7f;
	for (unsigned i = 0; i < n; i++)
		to[i] = low[n - 1 - i];
	return n;
}

/* ------------------------------------------------------------------------ file */

static void write_at(struct gt_pages *p, const void *data, size_t bytes, uint64_t at)
{
	const char *from = data;

	while (bytes && !p->error) {
		ssize_t n = pwrite(p->fd, from, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			p->error = n < 0 ? errno : ENOSPC;
			return;
		}
		from += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
}

struct gt_pages *gt_pages_open(const char *path)
{
	struct gt_pages *p = malloc(sizeof *p);
	struct stat st;

	if (!p)
		return NULL;
	p->error = 0;
	p->buffered = 0;
	p->fd = open(path, O_RDWR | O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &st)) {
		gt_pages_close(p);
		return NULL;
	}
	p->flushed = (uint32_t)(st.st_size / GT_PAGE);
	return p;
}

static void flush(struct gt_pages *p)
{
	write_at(p, p->buffer, (size_t)p->buffered * GT_PAGE, (uint64_t)p->flushed * GT_PAGE);
	p->flushed += p->buffered;
	p->buffered = 0;
}

/* Returns its number. */
static uint32_t append_page(struct gt_pages *p, const void *page)
{
	for (;;) {
		bool lock = p->flushed + p->buffered + 1 == LOCK_PAGE; /* PAGE3 */
		uint8_t *to = p->buffer + (size_t)p->buffered * GT_PAGE;

		if (lock)
			memset(to, 0, GT_PAGE);
		else
			memcpy(to, page, GT_PAGE);
		if (++p->buffered == BUFFER_PAGES)
			flush(p);
		if (!lock)
			return p->flushed + p->buffered;
	}
}

int gt_pages_finish(struct gt_pages *p)
{
	uint8_t count[4];

	flush(p);
	put32(count, p->flushed);
	write_at(p, count, 4, 28);              /* header: size of the database in pages */
	return p->error;
}

/* After gt_pages_finish() only. */
static void replace_page(struct gt_pages *p, uint32_t number, const void *page)
{
	write_at(p, page, GT_PAGE, (uint64_t)(number - 1) * GT_PAGE);
}

int gt_pages_error(const struct gt_pages *p) { return p->error; }

void gt_pages_close(struct gt_pages *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

/* ----------------------------------------------------------------------- pages */

static void begin_page(struct gt_btree *t)
{
	t->cells = 0;
	t->content = GT_PAGE;
}

static void close_page(struct gt_btree *t, uint8_t type)
{
	unsigned header = type == LEAF ? LEAF_HEADER : INTERIOR_HEADER;

	t->page[0] = type;
	put16(t->page + 1, 0);
	put16(t->page + 3, t->cells);
	put16(t->page + 5, t->content);
	t->page[7] = 0;
	memset(t->page + header + 2 * t->cells, 0, t->content - header - 2 * t->cells); /* no stale bytes in the file */
}

static bool keep_child(struct gt_btree *t)
{
	if (!gt_grow((void **)&t->child, t->n, &t->room, sizeof *t->child))
		return false;
	t->child[t->n++] = (struct child){ t->last, append_page(t->pages, t->page) };
	return true;
}

struct gt_btree *gt_btree_new(struct gt_pages *p)
{
	struct gt_btree *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->pages = p;
	begin_page(t);
	return t;
}

void gt_btree_free(struct gt_btree *t)
{
	if (t)
		free(t->child);
	free(t);
}

/*
 * The part of a record that does not fit its leaf, as a chain of pages. Written from its end: a page names the next
 * one.
 */
static uint32_t append_overflow(struct gt_btree *t, const uint8_t *record, size_t bytes)
{
	static const size_t each = GT_PAGE - 4;
	uint8_t page[GT_PAGE];
	uint32_t next = 0;

	for (size_t n = (bytes + each - 1) / each; n-- > 0;) {
		size_t here = bytes - n * each < each ? bytes - n * each : each;

		put32(page, next);
		memcpy(page + 4, record + n * each, here);
		memset(page + 4 + here, 0, each - here);
		next = append_page(t->pages, page);
	}
	return next;
}

/* Room for a cell of that many bytes in the leaf, which is appended first when it is too full. NULL: no memory. */
static uint8_t *room_for(struct gt_btree *t, unsigned bytes)
{
	if (t->content - LEAF_HEADER - 2 * t->cells < bytes + 2) {
		close_page(t, LEAF);
		if (!keep_child(t))
			return NULL;
		begin_page(t);
	}
	t->content -= bytes;
	put16(t->page + LEAF_HEADER + 2 * t->cells++, t->content);
	return t->page + t->content;
}

bool gt_btree_add(struct gt_btree *t, int64_t rowid, const void *record, size_t bytes)
{
	size_t local = bytes;
	uint8_t head[18];
	unsigned n = gt_varint(head, bytes);

	n += gt_varint(head + n, (uint64_t)rowid);
	if (bytes > LOCAL_MAX) {
		local = LOCAL_MIN + (bytes - LOCAL_MIN) % (GT_PAGE - 4);
		if (local > LOCAL_MAX)
			local = LOCAL_MIN;
	}
	uint8_t *to = room_for(t, n + (unsigned)local + (local < bytes ? 4 : 0));

	if (!to)
		return false;
	memcpy(to, head, n);
	memcpy(to + n, record, local);
	if (local < bytes)
		put32(to + n + local, append_overflow(t, (const uint8_t *)record + local, bytes - local));
	t->last = rowid;
	return true;
}

/* An interior page over n children, in t->page. */
static void fill_interior(struct gt_btree *t, const struct child *child, size_t n)
{
	begin_page(t);
	for (size_t i = 0; i + 1 < n; i++) {
		uint8_t cell[13];
		unsigned bytes = 4 + gt_varint(cell + 4, (uint64_t)child[i].last);

		put32(cell, child[i].page);
		t->content -= bytes;
		memcpy(t->page + t->content, cell, bytes);
		put16(t->page + INTERIOR_HEADER + 2 * t->cells++, t->content);
	}
	close_page(t, INTERIOR);
	put32(t->page + 8, child[n - 1].page);
	t->last = child[n - 1].last;
}

/* One level up: the children spread evenly, so that no page has fewer than two. */
static bool build_level(struct gt_btree *t)
{
	size_t pages = (t->n + CHILDREN_MAX - 1) / CHILDREN_MAX, n = t->n, from = 0;
	struct child *below = t->child;
	bool ok = true;

	t->child = NULL;
	t->n = t->room = 0;
	for (size_t i = 0; i < pages && ok; i++) {
		size_t to = n * (i + 1) / pages;

		fill_interior(t, below + from, to - from);
		from = to;
		ok = keep_child(t);
	}
	free(below);
	return ok;
}

bool gt_btree_finish(struct gt_btree *t)
{
	close_page(t, LEAF);
	if (!t->n)
		return true;                    /* the only leaf is the root */
	if (!keep_child(t))
		return false;
	while (t->n > CHILDREN_MAX)
		if (!build_level(t))
			return false;
	fill_interior(t, t->child, t->n);
	return true;
}

void gt_btree_write_root(struct gt_btree *t, uint32_t root) { replace_page(t->pages, root, t->page); }
