/*
 * trace/read/store.h - the files of a trace, wherever they lie: a directory, one packed file, or memory
 *
 * Runs in the tool. Names are relative ("run", "table.HASH.zst", "4711.1/meta", "4711.1/0.str"); nothing else is seen.
 * Bytes are copied out, never mapped: a file that shrinks while it is read gives a short read, not SIGBUS.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_STORE_H
#define GPUTAP_TRACE_READ_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define GT_STORE_NAME_MAX 80              /* longest name of a file of a trace, with its zero */
#define GT_STORE_NONE UINT32_MAX
#define GT_CUDA_TABLE_FILE "cuda-args.zst"
#define GT_OUTPUT_FILE "output."             /* and 1 or 2 */
#define GT_FUNCTIONS_FILE "functions."       /* and a hash */
#define GT_LOST_FILE "lost"                  /* a control page */
#define GT_MARK_FILE "mark."                 /* 16 digits, a key of `run`, its number */
#define GT_ADDED_MARK "added"                /* a mark's key; its digits: pid, instance; its number: the user's */
#define GT_AWAITED_MARK "awaited"            /* a mark's key; its number: the process that started the program */
#define GT_FOREIGN_MARK "foreign"            /* a mark's key; its number: folders of `other` that are not the run's */

struct gt_store_file {
	char name[GT_STORE_NAME_MAX];
	uint64_t size;                    /* bytes, when the store was opened */
	uint32_t owner;                   /* user; UINT32_MAX: not known */
	bool added;                       /* by another user than the trace's: it lies in `other` */
	uint64_t held;                    /* those before the zeros at the end of which a packed file stores nothing */
	/* the backend's own: first block of a packed file, index of a memory file, folder of `other` */
	uint64_t place;
};

struct gt_store {
	char *path;                       /* as given, for messages */
	struct gt_store_file *files;      /* sorted by name */
	size_t n_files, cap_files;
	uint32_t refused;                 /* folders of other users that were left out (store_dir.c STOREDIR1) */
	bool open;                        /* any user may add folders still */
	/* Bytes copied to `to`, fewer only at the end of the file; -1 with errno set. */
	int64_t (*read)(struct gt_store *s, uint32_t file, uint64_t offset, void *to, size_t bytes);
	/* How many of its pieces are not as they were written; -1 with errno set. NULL: it cannot tell. */
	int64_t (*damaged)(struct gt_store *s);
	void (*close)(struct gt_store *s);
	void *self;
};

/* A file of a trace in memory: `data` stays the caller's and must outlive the store. */
struct gt_memory_file { const char *name; const void *data; size_t bytes; };

int gt_store_open(const char *path, struct gt_store **out, struct gt_err *err);
int gt_store_open_memory(const struct gt_memory_file *files, size_t n, struct gt_store **out, struct gt_err *err);
void gt_store_close(struct gt_store *s);

/* Index of a file by its name, GT_STORE_NONE when absent. */
uint32_t gt_store_find(const struct gt_store *s, const char *name);
/* At most the first `most` bytes of a file, zero terminated, to be freed; NULL with errno. */
char *gt_store_first(struct gt_store *s, uint32_t file, size_t most, size_t *bytes);
/* A whole file, at most `limit` bytes, zero terminated, to be freed. */
int gt_store_slurp(struct gt_store *s, uint32_t file, size_t limit, char **data, size_t *bytes, struct gt_err *err);

/* True for a name that a file of a trace may have; fills pid and instance for files of an image, stream for K.str. */
struct gt_store_name { bool in_image; int pid, instance; bool is_stream; uint32_t stream; };
bool gt_store_name_parse(const char *name, struct gt_store_name *out);

/* The key and value of a mark, in place of a line of `run`; false: it is none. */
bool gt_store_name_mark(const char *name, char key[32], char value[32]);

/* For backends. */
/* Bytes that were there; -1 with errno. */
int64_t gt_store_pread(int fd, void *to, size_t bytes, uint64_t offset);
struct gt_store_file *gt_store_add(struct gt_store *s, const char *name, uint64_t size);
/* store_dir.c, pack_read.c; fd is taken over in any case */
int gt_store_open_dir(struct gt_store *s, int fd, struct gt_err *err);
int gt_store_open_packed(struct gt_store *s, int fd, struct gt_err *err);
#endif
