/*
 * writers/spill.h - many texts that grow at once, in bounded memory
 *
 * A file whose blocks follow each other but whose lines come interleaved (a block per thread, lines in order of
 * time) needs every block whole before the next one starts. Each block is a gt_spill_text; when all of them together
 * pass the budget they move into one unnamed file and are read back when the blocks are written.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_SPILL_H
#define GPUTAP_WRITERS_SPILL_H

#include "writers/output.h"

struct gt_spill_text {
	struct gt_text text;              /* append here, then gt_spill_wrote */
	/* What moved to a file, in order. file: 0 the spill's own, else a worker's. */
	struct gt_spill_chunk { uint64_t offset, bytes; uint32_t file; } *chunks;
	uint32_t n_chunks, room;
	struct gt_spill_text *next;
};

struct gt_spill {
	const char *beside;               /* the unnamed file is made in this path's folder */
	uint64_t budget, held, file_bytes;
	int fd;                           /* -1 until it is needed */
	int error;                        /* errno of the first failure */
	struct gt_spill_text *first;
	unsigned n_workers, n_kinds;
	/* Of the workers, who write beside each other: [kind * n_workers + worker]. */
	struct gt_spill_file { int fd, error; uint64_t bytes; } *files;
	bool *done;                       /* kinds whose texts are copied */
	struct gt_spill_closer *closer;   /* a thread that closes their files; NULL: none */
};

void gt_spill_open(struct gt_spill *s, const char *beside, uint64_t budget);
struct gt_spill_text *gt_spill_add(struct gt_spill *s);       /* NULL: out of memory */
void gt_spill_move(struct gt_spill *s);
/* `bytes` were appended to some text of s. */
static inline void gt_spill_wrote(struct gt_spill *s, size_t bytes)
{
	if ((s->held += bytes) > s->budget)
		gt_spill_move(s);
}

/*
 * Lines that several workers make: each has a file of its own for each kind of text. What a worker puts there becomes
 * part of a text when it is taken, in the order of the text.
 */
bool gt_spill_share(struct gt_spill *s, unsigned workers, unsigned kinds); /* false: no memory */
void gt_spill_put(
	struct gt_spill *s, unsigned worker, unsigned kind, const struct gt_text *lines, struct gt_spill_chunk *out);
void gt_spill_take(struct gt_spill *s, struct gt_spill_text *t, const struct gt_spill_chunk *c);
/* All texts of that kind are copied: its files go while the next texts are copied. */
void gt_spill_done(struct gt_spill *s, unsigned kind);

/* Append the whole text to o. */
void gt_spill_copy(struct gt_spill *s, const struct gt_spill_text *text, struct gt_output *o);
/* 0, or -1 with *err when anything was lost on the way. */
int gt_spill_check(const struct gt_spill *s, struct gt_err *err);
void gt_spill_close(struct gt_spill *s);

#endif
