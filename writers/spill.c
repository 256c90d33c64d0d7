/*
 * writers/spill.c - many texts that grow at once, in bounded memory
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool write_chunk(struct gt_spill *s, const char *from, size_t n)
{
	uint64_t at = s->file_bytes;

	while (n) {
		ssize_t done = pwrite(s->fd, from, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			s->error = done < 0 ? errno : EIO;
			return false;
		}
		from += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return true;
}

static bool add_chunk(struct gt_spill_text *t, uint64_t offset, uint64_t bytes)
{
	if (t->n_chunks == t->room) {
		uint32_t room = t->room ? t->room * 2 : 8;
		void *more = realloc(t->chunks, room * sizeof(t->chunks[0]));

		if (!more)
			return false;
		t->chunks = more;
		t->room = room;
	}
	t->chunks[t->n_chunks++] = (struct gt_spill_chunk){ offset, bytes };
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
		if (!write_chunk(s, t->text.data, t->text.used))
			return;
		if (!add_chunk(t, s->file_bytes, t->text.used))
			s->error = ENOMEM;
		s->file_bytes += t->text.used;
		reuse(s, t, &kept);
	}
}

/*
 * Read and written again: copy_file_range goes by pages through a pipe here, and takes the processor twice as long
 * (Linux 6.18, ext4).
 */
static void copy_chunk(struct gt_spill *s, const struct gt_spill_chunk *c, struct gt_output *o)
{
	uint64_t at = c->offset, left = c->bytes;

	while (left && !s->error) {
		size_t n = left < PIECE ? (size_t)left : PIECE;
		ssize_t got;

		if (!gt_text_need(&o->text, n)) {
			s->error = ENOMEM;
			return;
		}
		got = pread(s->fd, o->text.data + o->text.used, n, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			s->error = got < 0 ? errno : EIO;
			return;
		}
		o->text.used += (size_t)got;
		at += (uint64_t)got;
		left -= (uint64_t)got;
		gt_output_drain(o);
	}
}

void gt_spill_copy(struct gt_spill *s, const struct gt_spill_text *t, struct gt_output *o)
{
	for (uint32_t i = 0; i < t->n_chunks; i++)
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
}
