/*
 * trace/write/run/run.h - what the files of a run share: its name, its directory, its facts, the image's place in it
 *
 * Runs      inside the traced program, on slow paths.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_RUN_H
#define GPUTAP_TRACE_WRITE_RUN_H

#include "trace/write/internal.h"

/* Which run this image belongs to, and its place in the trace. */
struct tap_run {
	char id[17];                    /* 16 hexadecimal digits; run.c */
	uint32_t start_pid;             /* who ran the constructor; run.c */
	uint32_t root_pid;              /* the root image's, or the launcher's; run.c */
	bool launched;                  /* a launcher stands above this run; run.c */
	char dir[TAP_PATH_MAX];         /* .../NAME.gputap; dir.c */
	char image_dir[TAP_PATH_MAX];   /* .../NAME.gputap/PID.N, or ""; image.c */
	const char *image_name;         /* PID.N inside image_dir; image.c */
	char moved_dir[TAP_PATH_MAX];   /* the image's second directory, once it has one; image.c */
	uint64_t moved;                 /* whether it has */
	char parent_name[32];           /* PID.N of the image this one was forked from; image.c */
	char scratch[16384];            /* metadata on their way to a file or from one; of the opener alone */
};
extern struct tap_run tap_run TAP_HIDDEN;

/* ---- name.c ---- */

/*
 * The run's name from the pattern of --output: everything but %n is answered here, unless the launcher or the root
 * image has done it.
 */
void tap_run_name_init(const char *pattern, bool answered);
const char *tap_run_name(void);         /* absolute, without .gputap; may hold %n */
/* The place as it was asked for is tried next; false: there is none. */
bool tap_run_name_begin(void);
/* Another place is tried next, because of `err`; false: that would not help. */
bool tap_run_name_elsewhere(int err);
bool tap_run_is_elsewhere(void);
void tap_run_name_note(void);           /* says into the trace that it stands elsewhere */
/* The n-th try for a directory of that name, and `tail`; false: too long. */
bool tap_run_name_path(char *to, uint32_t n, const char *tail);

/* ---- facts.c ---- */

/*
 * The files of key=value lines: `run` of the run's directory, where it is made (again: in place of one that went);
 * `meta` of image n, and its table.
 */
bool tap_run_write_run(const char *dir, bool again);
bool tap_run_write_meta(uint32_t n);
void tap_run_write_table(void);
/* Items of the table for an object outside libgputap.so: once per run and content. False: no room. */
bool tap_run_write_functions(const char *items, size_t bytes);
/* ---- marks.c ---- */

/* Says once per process that this one has no directory: nothing else would tell a reader. */
void tap_run_say_failed(void);
/* That this image has its folder: should that go, and the process be killed, nothing else tells of it. */
void tap_run_say_made(void);
void tap_run_check_begin(void);         /* for tap_run_check_image: when the image has its directory */

/* ---- dir.c ---- */

bool tap_run_dir_find(void);            /* or makes it: tap_run.dir */

/* path = dir + tail */
static inline void tap_run_path(char *path, const char *dir, const char *tail)
{
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);          /* path NULL: it goes nowhere */
	tap_text_str(&t, dir);
	tap_text_str(&t, tail);
}

#endif
