/*
 * trace/read/cupti.h - CUPTI's buffers in a trace, and the activities inside them
 *
 * Runs in the tool, over directories and packed files alike. A buffer holds whatever CUPTI and a kill left in it, or a
 * stranger wrote: nothing is looked at outside it, and no record is stepped over whose size the producing library did
 * not tell.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_CUPTI_H
#define GPUTAP_TRACE_READ_CUPTI_H

#include "trace/format/cupti.h"
#include "trace/read/reader.h"

#define GT_CUPTI_KINDS 256u               /* kind numbers below it can be read */
#define GT_CUPTI_RECORD 4096u             /* bytes of a record at most */

/* What REC_CUPTI_LIBRARY says. */
struct gt_cupti_sizes { uint32_t version; uint16_t bytes[GT_CUPTI_KINDS]; /* 0: not listed */ };
/* Adds what a record says, as far as it can be true; path: its text. */
void gt_cupti_sizes_take(struct gt_cupti_sizes *s, const struct gt_rec *library, uint32_t *driver, uint32_t *flags,
	const char **path, uint32_t *path_bytes);

struct gt_cupti_buffer {
	uint32_t process, stream;         /* stream: number of the file that it lies in */
	uint64_t offset;                  /* of the first activity in that file */
	uint64_t room;                    /* bytes of the file that belong to it */
	/* where records end at the latest: valid bytes, or the room of one that never came back; or what is kept */
	uint64_t bytes;
	struct rec_cupti_buffer head;
	bool completed, cut;              /* cut: there may have been records behind them, which the file lacks */
};
/* Buffers of all processes, in order of files. */
uint32_t gt_cupti_buffer_count(const struct gt_reader *r);
/* 0, or -1 with *err. */
int gt_cupti_buffer_get(const struct gt_reader *r, uint32_t i, struct gt_cupti_buffer *out, struct gt_err *err);
/* Bytes of a buffer from `offset` behind its first activity; fewer only where the file ends. -1 with *err. */
int64_t gt_cupti_buffer_read(const struct gt_reader *r, const struct gt_cupti_buffer *b, uint64_t offset, void *to,
	size_t bytes, struct gt_err *err);

/* The records of one buffer, one behind the other. */
struct gt_cupti_walk;
enum gt_cupti_stop {
	GT_CUPTI_GOES_ON, GT_CUPTI_END,   /* behind the last record */
	GT_CUPTI_UNKNOWN,                 /* a kind whose size nobody told: what is behind it cannot be read */
	/* a record reaches beyond the buffer, what follows was not kept, or the file ends */
	GT_CUPTI_CUT
};
int gt_cupti_walk_open(const struct gt_reader *r, struct gt_cupti_walk **out, struct gt_err *err);
void gt_cupti_walk_begin(struct gt_cupti_walk *w, const struct gt_cupti_buffer *b, const struct gt_cupti_sizes *sizes);
/* 1 with *a (its bytes are valid until the next call) and *offset in the buffer; 0 at the end; -1 with *err. */
int gt_cupti_walk_next(struct gt_cupti_walk *w, struct rec_activity *a, uint64_t *offset, struct gt_err *err);
enum gt_cupti_stop gt_cupti_walk_stop(const struct gt_cupti_walk *w);     /* why it ended */
/* Places between records where none had been written yet: each was kept for one record or several. */
uint64_t gt_cupti_walk_unwritten(const struct gt_cupti_walk *w);
void gt_cupti_walk_close(struct gt_cupti_walk *w);

#endif
