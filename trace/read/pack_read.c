/*
 * trace/read/pack_read.c - a trace in the one file that --pack makes
 *
 * Every number of the tables is checked when the file is opened; blocks are unpacked one at a time into memory. The
 * last few stay, because readers ask for pieces of one block. PACKSUM1 is asked for at both times; before a trace is
 * read its reader asks for the sums of all blocks, so that what is wrong is known even of a block that nobody needs.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/read/pack_format.h"

#define KEPT 8u

struct packed {
	int fd;
	struct pack_block *blocks;
	uint64_t n_blocks;
	bool summed;
	/* By number, so that threads that read different blocks seldom wait for each other. */
	struct kept {
		pthread_mutex_t lock;     /* of all below */
		struct pack_coder *coder; /* made at the first need */
		uint64_t number;
		uint8_t bytes[REC_BLOCK];
		uint8_t input[REC_BLOCK * 2];
	} kept[KEPT];
};

static bool read_all(int fd, void *to, size_t bytes, uint64_t offset)
{
	int64_t n = gt_store_pread(fd, to, bytes, offset);

	if (n >= 0 && (size_t)n < bytes)
		errno = EIO;                      /* the tables said that it is there */
	return n == (int64_t)bytes;
}

/* Its packed form as it was written, in the caller's memory; false with errno. */
static bool read_block(const struct packed *p, uint64_t number, uint8_t to[REC_BLOCK * 2])
{
	const struct pack_block *b = &p->blocks[number];

	if (!read_all(p->fd, to, b->bytes, b->offset))
		return false;
	errno = EBADMSG;
	return !p->summed || pack_sum(to, b->bytes) == b->sum;
}

/* Unpacks block `number`, which has n bytes; the caller has the lock of its place. */
static const uint8_t *unpacked(const struct packed *p, struct kept *k, uint64_t number, size_t n)
{
	const struct pack_block *b = &p->blocks[number];

	if (k->number == number)
		return k->bytes;
	k->number = UINT64_MAX;
	if (!k->coder && !(k->coder = pack_coder_new())) {
		errno = ENOMEM;
		return NULL;
	}
	if (b->method != PACK_ZERO && !read_block(p, number, k->input))
		return NULL;
	if (!pack_decode(k->coder, b->method, k->input, b->bytes, k->bytes, n)) {
		errno = EBADMSG;
		return NULL;
	}
	k->number = number;
	return k->bytes;
}

/* A block that cannot be unpacked reads as damage (no header is all ones): it is lost and counted, its neighbours are
 * not. */
static int copy_block(struct packed *p, uint64_t number, size_t size, size_t inside, void *to, size_t n)
{
	struct kept *k = &p->kept[number % KEPT];
	const uint8_t *block;
	int why = 0;

	pthread_mutex_lock(&k->lock);
	block = unpacked(p, k, number, size);
	if (block)
		memcpy(to, block + inside, n);
	else
		why = errno;
	pthread_mutex_unlock(&k->lock);
	errno = why;
	if (!block && why == EBADMSG)
		memset(to, 0xff, n);
	return block || why == EBADMSG ? 0 : -1;
}

static int64_t packed_read(struct gt_store *s, uint32_t file, uint64_t offset, void *to, size_t bytes)
{
	struct packed *p = s->self;
	const struct gt_store_file *f = &s->files[file];
	size_t done = 0;

	if (offset >= f->size)
		return 0;
	if (bytes > f->size - offset)
		bytes = (size_t)(f->size - offset);
	while (done < bytes) {
		uint64_t at = offset + done, number = at / REC_BLOCK, inside = at % REC_BLOCK;
		uint64_t size = f->size - number * REC_BLOCK < REC_BLOCK ? f->size - number * REC_BLOCK : REC_BLOCK;
		size_t n = size - inside < bytes - done ? (size_t)(size - inside) : bytes - done;

		if (copy_block(p, f->place + number, (size_t)size, (size_t)inside, (char *)to + done, n) < 0)
			return -1;
		done += n;
	}
	return (int64_t)done;
}

static int64_t packed_damaged(struct gt_store *s)
{
	struct packed *p = s->self;
	struct kept *k = &p->kept[0];
	int64_t damaged = 0;

	pthread_mutex_lock(&k->lock);
	for (uint64_t i = 0; p->summed && damaged >= 0 && i < p->n_blocks; i++)
		if (p->blocks[i].method != PACK_ZERO && !read_block(p, i, k->input))
			damaged = errno == EBADMSG ? damaged + 1 : -1;
	pthread_mutex_unlock(&k->lock);
	return damaged;
}

static void packed_close(struct gt_store *s)
{
	struct packed *p = s->self;

	for (unsigned i = 0; i < KEPT; i++) {
		pack_coder_free(p->kept[i].coder);
		pthread_mutex_destroy(&p->kept[i].lock);
	}
	free(p->blocks);
	close(p->fd);
	free(p);
}

/* `n` elements at `offset` inside a file of `size` bytes. */
static bool table_fits(uint64_t offset, uint64_t n, size_t bytes, uint64_t size)
{
	return offset <= size && n <= (size - offset) / bytes;
}

static bool check_blocks(const struct packed *p, uint64_t size)
{
	for (uint64_t i = 0; i < p->n_blocks; i++) {
		const struct pack_block *b = &p->blocks[i];

		if (b->method > PACK_COLUMNS || b->bytes > sizeof(p->kept[0].input) || b->offset > size ||
			b->bytes > size - b->offset)
			return false;
	}
	return true;
}

static int damaged(const struct gt_store *s, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, "the file was cut or changed after it was packed", NULL,
		"%s: damaged packed trace", s->path);
}

/* How much of a file stands before the blocks of zeros at its end, of which nothing is stored. */
static uint64_t held_bytes(const struct packed *p, uint64_t first, uint64_t blocks, uint64_t size)
{
	while (blocks && p->blocks[first + blocks - 1].method == PACK_ZERO)
		blocks--;
	return blocks * REC_BLOCK < size ? blocks * REC_BLOCK : size;
}

static int add_files(struct gt_store *s, const struct packed *p, const struct pack_file *files, uint64_t n,
	struct gt_err *err)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t blocks = files[i].size / REC_BLOCK + (files[i].size % REC_BLOCK != 0);
		struct gt_store_name name;
		struct gt_store_file *f;

		if (!memchr(files[i].name, 0, sizeof(files[i].name)) || !gt_store_name_parse(files[i].name, &name) ||
			blocks > p->n_blocks - next || (i && strcmp(files[i - 1].name, files[i].name) >= 0))
			return damaged(s, err);
		f = gt_store_add(s, files[i].name, files[i].size);
		if (!f)
			return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: out of memory", s->path);
		f->place = next;
		f->held = held_bytes(p, next, blocks, f->size);
		next += blocks;
	}
	return 0;
}

/* The blocks of the first version are shorter: spread, from the last on. */
static void spread_blocks(struct packed *p)
{
	for (uint64_t i = p->n_blocks; !p->summed && i--;) {
		struct pack_block b = { .sum = 0 };

		memcpy(&b, (const char *)p->blocks + i * PACK_BLOCK_UNSUMMED, PACK_BLOCK_UNSUMMED);
		p->blocks[i] = b;
	}
}

static bool tables_are_sound(const struct packed *p, const struct pack_header *h, const struct pack_file *files,
	uint64_t size)
{
	return check_blocks(p, size) && (!p->summed || pack_tables_sum(h, files, p->blocks) == h->sum);
}

static int read_tables(
	struct gt_store *s, struct packed *p, const struct pack_header *h, uint64_t size, struct gt_err *err)
{
	size_t block_bytes = p->summed ? sizeof(*p->blocks) : PACK_BLOCK_UNSUMMED;
	struct pack_file *files;
	int rc;

	if (!table_fits(h->files_offset, h->n_files, sizeof(*files), size) ||
		!table_fits(h->blocks_offset, h->n_blocks, block_bytes, size))
		return damaged(s, err);
	p->n_blocks = h->n_blocks;
	p->blocks = malloc(h->n_blocks * sizeof(*p->blocks) + 1);
	files = malloc(h->n_files * sizeof(*files) + 1);
	if (!p->blocks || !files)
		rc = gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: out of memory", s->path);
	else if (!read_all(p->fd, files, h->n_files * sizeof(*files), h->files_offset) ||
	         !read_all(p->fd, p->blocks, h->n_blocks * block_bytes, h->blocks_offset))
		rc = gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s: cannot be read", s->path);
	else {
		spread_blocks(p);
		rc = tables_are_sound(p, h, files, size) ? add_files(s, p, files, h->n_files, err) : damaged(s, err);
	}
	free(files);
	return rc;
}

int gt_store_open_packed(struct gt_store *s, int fd, struct gt_err *err)
{
	struct packed *p = calloc(1, sizeof(*p));
	struct pack_header h;
	struct stat st;

	if (!p) {
		close(fd);
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: out of memory", s->path);
	}
	p->fd = fd;
	for (unsigned i = 0; i < KEPT; i++) {
		pthread_mutex_init(&p->kept[i].lock, NULL);
		p->kept[i].number = UINT64_MAX;
	}
	s->self = p;
	s->read = packed_read;
	s->damaged = packed_damaged;
	s->close = packed_close;
	if (fstat(fd, &st) < 0 || (uint64_t)st.st_size < sizeof(h) || !read_all(fd, &h, sizeof(h), 0) ||
		h.magic != PACK_MAGIC)
		return gt_fail(err, GT_EXIT_INPUT, "its first bytes are not those of a packed trace",
			"name the directory or file NAME.gputap that gputap run made",
		               "%s: not a gputap trace", s->path);
	if (h.version != PACK_VERSION && h.version != PACK_VERSION_UNSUMMED)
		return gt_fail(err, GT_EXIT_INPUT, "this gputap reads packed format versions 1 and 2",
			"use the gputap that packed it", "%s: packed format version %u", s->path, h.version);
	p->summed = h.version != PACK_VERSION_UNSUMMED;
	if (!p->summed && h.sum)
		return damaged(s, err);
	return read_tables(s, p, &h, (uint64_t)st.st_size, err);
}
