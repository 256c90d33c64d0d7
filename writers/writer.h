/*
 * writers/writer.h - an output format: one file, one registry line
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_WRITER_H
#define GPUTAP_WRITERS_WRITER_H

#include "common/options.h"
#include "model/model.h"

struct gt_export {
	struct gt_model *model;
	const struct gt_process *process; /* per-process formats; NULL otherwise */
	int64_t from_ns, to_ns;           /* GT_NO_TIME: open */
	const char *path;                 /* temporary name to write to; the caller renames it (SQLite opens by path) */
	const char *final_path;           /* for messages and metadata */
	const struct gt_options *options; /* values of trace/format/options.def */
	bool (*progress)(void *ctx, double done); void *ctx; /* may be NULL */
	struct gt_text *notes;            /* lines for the user, told when the writer is done; NULL: nobody listens */
};

struct gt_writer {
	const char *id;                   /* "-e id" */
	const char *suffix;               /* ".atp" */
	const char *help;
	/* one file per process image that has something to say; false: one file for all */
	bool per_process;
	/* per_process: is there anything of the process to write? NULL: when it made calls. */
	bool (*has_content)(const struct gt_model *m, const struct gt_process *p);
	/*
	 * 0, or -1 with *err; the caller removes path on failure. A writer may leave path unwritten and make files of
	 * its own beside final_path (apilog with --apilog-per-thread; writers/output.h): the caller renames path if
	 * it is there.
	 */
	int (*write)(const struct gt_export *x, struct gt_err *err);
	/* About how many bytes it will write: told before a large file is begun. NULL: not known. */
	uint64_t (*forecast)(const struct gt_export *x);
};

const struct gt_writer *gt_writer_find(const char *id); /* NULL: unknown */

#endif
