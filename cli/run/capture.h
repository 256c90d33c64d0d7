/*
 * cli/run/capture.h - gputap run --capture-output: what the program writes to its outputs, into the trace too
 *
 * CAPTURE1  The program has a terminal where it had one, and writes to each open file in one order: stdout and stderr
 *           that are one file go through one terminal or pipe. What is typed stays with the terminal behind it, and so
 *           do its signals; the modes that the program sets are passed on to it.
 * CAPTURE2  Bytes are forwarded by a process of their own for each open file. It outlives the launcher: children that
 *           the program leaves behind go on writing, and a launcher that is killed costs the program nothing. Only when
 *           the forwarder itself is killed does the program find a reader gone (EPIPE; EIO of a terminal), as with any
 *           pipe.
 * CAPTURE3  When nobody reads what is forwarded, the forwarder leaves, and the program's next write fails as it would.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_CAPTURE_H
#define GPUTAP_CLI_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gt_err;
struct gt_run;

enum gt_captured { GT_CAPTURE_TERMINAL = 1, GT_CAPTURE_PIPE, GT_CAPTURE_FILE };

struct gt_capture {
	enum gt_captured kind;
	bool is[3];                     /* [1]: standard output, [2]: standard error; both: one open file */
	int outer;                      /* where the bytes go: a descriptor of the launcher */
	int inner;                      /* the program's end; with a terminal the launcher keeps it, to tell its size */
	int from;                       /* the forwarder's end */
	int control;                    /* to the forwarder: one byte asks for all there is, one byte says done */
	int64_t start;                  /* regular files: where the program began to write */
};

/* Before the child is made. False: an open file is not captured, and why was said; the program runs all the same. */
void gt_capture_prepare(struct gt_run *run);
/* In the child, right before exec. */
void gt_capture_child(const struct gt_run *run);
/* When the trace has its place: the forwarders begin. */
int gt_capture_start(struct gt_run *run, struct gt_err *err);
/* In a signal handler: the terminal has another size. */
bool gt_capture_resize(const struct gt_run *run);
/* The program ended: all it wrote has been forwarded and stored when this returns. */
void gt_capture_end(struct gt_run *run);

/* capture_forward.c: never returns. `file`: where up to `limit` bytes are kept, or -1; 0 = no limit. */
struct gt_forward {
	int from, to, control, file, log;
	bool terminal;
	uint64_t limit;
	const char *name;               /* of the file, for the log */
};
void gt_capture_forward(const struct gt_forward *f) __attribute__((noreturn));
void gt_capture_say_bytes(int log, const char *name, uint64_t bytes);

#endif
