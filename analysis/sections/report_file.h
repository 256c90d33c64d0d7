/*
 * analysis/sections/report_file.h - report files of kernel metrics (.ncu-rep), version 7: blocks of messages
 *
 * A file is "NVR\0", a FileHeader, and blocks: a BlockHeader and the entries that it counts. Each message has its size
 * before it, 4 bytes little endian. Names of metrics are numbers: places in the string tables of all blocks, one behind
 * the other, also of blocks that come later.
 *
 * spec: NCU "Report File Format"; layout and gputap's own fields: docs/report.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_REPORT_FILE_H
#define GPUTAP_ANALYSIS_SECTIONS_REPORT_FILE_H

#include "analysis/sections/action.h"

/* What `gputap info` says of a file. */
struct gt_ncurep_facts {
	uint64_t bytes, version, blocks, strings, sources, results[4]; /* by enum gt_workload */
	struct gt_string made_by;         /* versions that its sessions name */
};

/* Does the file begin as one, packed (.ncu-repz) or not? */
bool gt_is_ncurep(const char *path);
/* Everything of a file; facts may be NULL. 0, or -1 with *err: path, byte, what is wrong. */
int gt_ncurep_read(struct gt_actions *as, const char *path, struct gt_ncurep_facts *facts, struct gt_err *err);
/* The same of bytes in memory, which have to stay. */
int gt_ncurep_parse(struct gt_actions *as, const char *path, const void *data, size_t bytes,
	struct gt_ncurep_facts *facts, struct gt_err *err);

/* What is said of the whole run in the first block. */
struct gt_ncurep_session {
	uint32_t pid;
	uint64_t created_s;
	const char *host, *process, *os, *arch, *version;
};
/* Appends a whole file. */
void gt_ncurep_put(struct gt_text *out, const struct gt_actions *as, const struct gt_ncurep_session *session);

#endif
