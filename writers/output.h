/*
 * writers/output.h - a text file being written
 *
 * The export command gives each writer a temporary name (gt_export.path) and renames it when the writer returns 0.
 * A writer that makes more files, or other files, than that one (one API log per thread) opens each of them with
 * gt_output_create: a temporary name beside the final one, renamed by gt_output_commit.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_OUTPUT_H
#define GPUTAP_WRITERS_OUTPUT_H

#include "common/error.h"
#include "common/text.h"
#include "writers/writer.h"

struct gt_output {
	int fd;                           /* -1: closed */
	int error;                        /* errno of the first failed write, 0 */
	struct gt_text text;              /* append here, then gt_output_drain now and then */
	char *path;                       /* being written */
	char *final_path;                 /* what messages name; the target of the rename when renames is set */
	bool renames;
};

/* Write path itself; the caller renames it to final_path. -1 with *err. */
int gt_output_open(struct gt_output *o, const char *path, const char *final_path, struct gt_err *err);
/* Write a temporary file beside final_path; commit puts it there. Refuses an existing final_path unless replace. */
int gt_output_create(struct gt_output *o, const char *final_path, bool replace, struct gt_err *err);

/*
 * Writes the text out when it is large: whole pieces, at multiples of their size in the file, which the kernel takes
 * in fewer and larger parts. Errors are kept until commit.
 */
#define GT_OUTPUT_PIECE (1u << 18)
void gt_output_write_pieces(struct gt_output *o);
static inline void gt_output_drain(struct gt_output *o)
{
	if (o->text.used >= GT_OUTPUT_PIECE)
		gt_output_write_pieces(o);
}
/* Appends a whole text: a large one is written from where it stands. */
void gt_output_text(struct gt_output *o, const struct gt_text *t);
/* Everything on disk (and in place). 0, or -1 with *err: what was written is gone, when commit was to rename it. */
int gt_output_commit(struct gt_output *o, struct gt_err *err);
/* Give up: closes, and removes what gt_output_create made. Harmless after commit. */
void gt_output_discard(struct gt_output *o);

/* The trace's own name, without folders and ".gputap". */
struct gt_string gt_output_session_name(const struct gt_export *x);

/* All calls of the export's window: of its process, or of all where it has none. */
struct gt_walk_options gt_output_walk_options(const struct gt_export *x);

#endif
