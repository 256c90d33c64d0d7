/*
 * writers/spill.c - many texts that grow at once, in bounded memory
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/pieces.h"

#define PIECE (1u << 18)                  /* bytes read back at once */

void gt_spill_open(struct gt_spill *s, const char *beside, uint64_t budget)
{
	*s = (struct gt_spill){ .beside = beside, .budget = budget, .fd = -1 };
}

struct gt_spill_text *gt_spill_add(struct gt_spill *s)
{
	struct gt_spill_text *t = calloc(1, sizeof(*t));

	if (!t) {
		s->error = ENOMEM;
		return NULL;
	}
	t->next = s->first;
	s->first = t;
	return t;
}

/* In the output's folder: /tmp may be memory. O_TMPFILE is refused by some network file systems. */
static int open_unnamed(const char *beside)
{
	char *name = NULL;
	const char *slash = strrchr(beside, '/');
	int length = slash ? (int)(slash - beside) + 1 : 2;
	int fd;

	if (asprintf(&name, "%.*s", length, slash ? beside : "./") < 0)
		return -1;
	fd = open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(name);
	if (fd >= 0 || asprintf(&name, "%s.spillXXXXXX", beside) < 0)
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

/* errno, or 0. */
static int write_at(int fd, uint64_t at, const char *from, size_t n)
{
	while (n) {
		ssize_t done = pwrite(fd, from, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		from += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return 0;
}

static bool add_chunk(struct gt_spill_text *t, const struct gt_spill_chunk *c)
{
	if (t->n_chunks == t->room) {
		uint32_t room = t->room ? t->room * 2 : 8;
		void *more = realloc(t->chunks, room * sizeof(t->chunks[0]));

		if (!more)
			return false;
		t->chunks = more;
		t->room = room;
	}
	t->chunks[t->n_chunks++] = *c;
	return true;
}

/*
 * Memory once touched is kept for the next lines, up to the budget: fresh pages cost more than the lines written to
 * them.
 */
static void reuse(struct gt_spill *s, struct gt_spill_text *t, uint64_t *kept)
{
	t->text.used = 0;
	*kept += t->text.room;
	if (*kept > 2 * s->budget)
		gt_text_free(&t->text);
}

void gt_spill_move(struct gt_spill *s)
{
	uint64_t kept = 0;

	s->held = 0;
	if (s->error)
		return;
	if (s->fd < 0 && (s->fd = open_unnamed(s->beside)) < 0) {
		s->error = errno;
		return;
	}
	for (struct gt_spill_text *t = s->first; t && !s->error; t = t->next) {
		if (t->text.failed)
			s->error = ENOMEM;
		if (!t->text.used)
			continue;
		if ((s->error = write_at(s->fd, s->file_bytes, t->text.data, t->text.used)))
			return;
		if (!add_chunk(t, &(struct gt_spill_chunk){ .offset = s->file_bytes, .bytes = t->text.used }))
			s->error = ENOMEM;
		s->file_bytes += t->text.used;
		reuse(s, t, &kept);
	}
}

/* ---- workers ---- */

bool gt_spill_share(struct gt_spill *s, unsigned workers, unsigned kinds)
{
	s->files = calloc((size_t)workers * kinds, sizeof(s->files[0]));
	s->done = calloc(kinds, sizeof(s->done[0]));
	s->n_workers = s->files ? workers : 0;
	s->n_kinds = s->done ? kinds : 0;
	for (unsigned i = 0; i < s->n_workers * kinds; i++)
		s->files[i].fd = -1;
	return s->files && s->done;
}

void gt_spill_put(
	struct gt_spill *s, unsigned worker, unsigned kind, const struct gt_text *lines, struct gt_spill_chunk *out)
{
	unsigned file = kind * s->n_workers + worker;
	struct gt_spill_file *f = &s->files[file];

	*out = (struct gt_spill_chunk){ .offset = f->bytes, .bytes = lines->used, .file = file + 1 };
	if (lines->failed)
		f->error = ENOMEM;
	if (!f->error && lines->used && f->fd < 0 && (f->fd = open_unnamed(s->beside)) < 0)
		f->error = errno;
	if (!f->error)
		f->error = write_at(f->fd, f->bytes, lines->data, lines->used);
	f->bytes += lines->used;
}

void gt_spill_take(struct gt_spill *s, struct gt_spill_text *t, const struct gt_spill_chunk *c)
{
	if (s->files[c->file - 1].error && !s->error)
		s->error = s->files[c->file - 1].error;
	if (!s->error && c->bytes && !add_chunk(t, c))
		s->error = ENOMEM;
}

/* ---- back ---- */

/*
 * Read and written again: copy_file_range goes by pages through a pipe here, and takes the processor twice as long
 * (Linux 6.18, ext4). errno, or 0.
 */
static int read_at(const struct gt_spill *s, const struct gt_spill_chunk *c, uint64_t skip, char *to, size_t n)
{
	int fd = c->file ? s->files[c->file - 1].fd : s->fd;
	uint64_t at = c->offset + skip;

	while (n) {
		ssize_t got = pread(fd, to, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : EIO;
		to += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static void copy_chunk(struct gt_spill *s, const struct gt_spill_chunk *c, struct gt_output *o)
{
	uint64_t done = 0;

	while (done < c->bytes && !s->error) {
		size_t n = c->bytes - done < PIECE ? (size_t)(c->bytes - done) : PIECE;

		if (!gt_text_need(&o->text, n)) {
			s->error = ENOMEM;
			return;
		}
		s->error = read_at(s, c, done, o->text.data + o->text.used, n);
		if (s->error)
			return;
		o->text.used += n;
		done += n;
		gt_output_drain(o);
	}
}

/* Chunks are read by several threads, a few at a time, and written in order. */
struct together {
	struct gt_spill *s;
	const struct gt_spill_text *t;
	struct gt_output *o;
	uint32_t *first; size_t n;        /* first chunk of each piece of work, and behind the last */
	struct gt_text *texts;            /* of the workers */
};

static int read_chunks(void *ctx, unsigned worker, size_t piece)
{
	const struct together *all = ctx;
	struct gt_text *to = &all->texts[worker];

	to->used = 0;
	for (uint32_t i = all->first[piece]; i < all->first[piece + 1]; i++) {
		const struct gt_spill_chunk *c = &all->t->chunks[i];
		int why = gt_text_need(to, c->bytes) ? read_at(all->s, c, 0, to->data + to->used, c->bytes) : ENOMEM;

		if (why)
			return why;
		to->used += c->bytes;
	}
	return 0;
}

static int write_chunks(void *ctx, unsigned worker, size_t piece, int why)
{
	const struct together *all = ctx;

	(void)piece;
	if (!why)
		gt_output_text(all->o, &all->texts[worker]);
	return why;
}

static void group_chunks(struct together *all)
{
	const struct gt_spill_text *t = all->t;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < t->n_chunks; i++) {
		if (!i || bytes + t->chunks[i].bytes > 4 * PIECE) {
			all->first[all->n++] = i;
			bytes = 0;
		}
		bytes += t->chunks[i].bytes;
	}
	all->first[all->n] = t->n_chunks;
}

static int copy_together(struct gt_spill *s, const struct gt_spill_text *t, struct gt_output *o)
{
	struct together all = { .s = s, .t = t, .o = o, .first = calloc(t->n_chunks + 1, sizeof(all.first[0])),
		.texts = calloc(s->n_workers, sizeof(all.texts[0])) };
	int why = ENOMEM;

	if (all.first && all.texts) {
		group_chunks(&all);
		why = gt_pieces_do(&(struct gt_pieces){ .workers = s->n_workers, .n = all.n, .ctx = &all,
			.work = read_chunks, .turn = write_chunks });
	}
	for (unsigned i = 0; all.texts && i < s->n_workers; i++)
		gt_text_free(&all.texts[i]);
	free(all.texts);
	free(all.first);
	return why;
}

/*
 * One thread closes what is done with while others are still copying: the kernel frees a file's pages when it is
 * closed, 0.1 s per GB, and the writer has to wait for none of it.
 */
struct gt_spill_closer { pthread_t thread; int *fds; unsigned n; };

static void *close_all(void *arg)
{
	const struct gt_spill_closer *c = arg;

	for (unsigned i = 0; i < c->n; i++)
		close(c->fds[i]);
	return NULL;
}

/* The closer has ended. */
static void closer_join(struct gt_spill *s)
{
	if (!s->closer)
		return;
	pthread_join(s->closer->thread, NULL);
	free(s->closer);
	s->closer = NULL;
}

/* One kind that is done, if there is one: its files go to a thread of their own. Without one gt_spill_close does it. */
static void closer_start(struct gt_spill *s)
{
	struct gt_spill_closer *c;
	unsigned kind = 0;

	while (kind < s->n_kinds && !s->done[kind])
		kind++;
	if (s->n_workers < 2 || kind == s->n_kinds)
		return;
	closer_join(s);
	s->done[kind] = false;
	c = malloc(sizeof(*c) + s->n_workers * sizeof(c->fds[0]));
	if (!c)
		return;
	*c = (struct gt_spill_closer){ .fds = (int *)(c + 1) };
	for (unsigned i = kind * s->n_workers; i < (kind + 1) * s->n_workers; i++)
		if (s->files[i].fd >= 0)
			c->fds[c->n++] = s->files[i].fd;
	if (!c->n || pthread_create(&c->thread, NULL, close_all, c)) {
		free(c);
		return;
	}
	for (unsigned i = kind * s->n_workers; i < (kind + 1) * s->n_workers; i++)
		s->files[i].fd = -1;
	s->closer = c;
}

void gt_spill_done(struct gt_spill *s, unsigned kind)
{
	if (s->done)
		s->done[kind] = true;
}

void gt_spill_copy(struct gt_spill *s, const struct gt_spill_text *t, struct gt_output *o)
{
	closer_start(s);
	if (s->n_workers > 1 && t->n_chunks > 1 && !s->error)
		s->error = copy_together(s, t, o);
	for (uint32_t i = 0; (s->n_workers <= 1 || t->n_chunks == 1) && i < t->n_chunks; i++)
		copy_chunk(s, &t->chunks[i], o);
	if (t->text.failed)
		s->error = ENOMEM;
	gt_text_bytes(&o->text, t->text.data, t->text.used);
	gt_output_drain(o);
}

int gt_spill_check(const struct gt_spill *s, struct gt_err *err)
{
	if (!s->error)
		return 0;
	return gt_fail(err, GT_EXIT_OUTPUT, strerror(s->error), NULL,
		"%s: no room for the lines kept aside while writing it", s->beside);
}

static int close_one(void *ctx, unsigned worker, size_t file)
{
	const struct gt_spill *s = ctx;

	(void)worker;
	if (s->files[file].fd >= 0)
		close(s->files[file].fd);
	return 0;
}

static int closed(void *ctx, unsigned worker, size_t file, int rc)
{
	(void)ctx;
	(void)worker;
	(void)file;
	return rc;
}

/* Side by side: see close_all. */
static void close_files(struct gt_spill *s)
{
	closer_join(s);
	gt_pieces_do(&(struct gt_pieces){ .workers = s->n_workers, .n = (size_t)s->n_workers * s->n_kinds, .ctx = s,
		.work = close_one, .turn = closed });
	free(s->files);
	free(s->done);
	s->files = NULL;
	s->done = NULL;
	s->n_workers = s->n_kinds = 0;
}

void gt_spill_close(struct gt_spill *s)
{
	while (s->first) {
		struct gt_spill_text *t = s->first;

		s->first = t->next;
		gt_text_free(&t->text);
		free(t->chunks);
		free(t);
	}
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	close_files(s);
}
