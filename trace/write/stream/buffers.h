/*
 * trace/write/stream/buffers.h - a stream file of places that another library fills: CUPTI's buffers
 *
 * Runs      on any thread of the traced program, in CUPTI's callbacks.
 * Must not  allocate with malloc, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_BUFFERS_H
#define GPUTAP_TRACE_WRITE_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/format/rec.h"

/*
 * Makes the file; place_bytes, of a new place, is a multiple of REC_BLOCK; unless they are to be equal, places get
 * smaller when many are out or room is short. Once a process image. ring_count tells the activities of a chunk that is
 * about to be overwritten (--ring). False: no room.
 */
bool tap_buffers_open(uint64_t place_bytes, bool equal, uint64_t (*ring_count)(const struct rec_chunk *c));

/*
 * A fresh, zeroed place, mapped, its headers written; NULL: no room (*why). What is to be filled begins
 * REC_CUPTI_BUFFER bytes behind.
 */
struct rec_chunk *tap_buffers_take(enum rec_loss *why);
static inline struct rec_cupti_buffer *tap_buffers_head(struct rec_chunk *c)
{
	return (struct rec_cupti_buffer *)(c + 1);
}

/*
 * Filled up to head->valid, which the caller has stored, completed_tick last. Unmapped from here on; the disk gets
 * back what is unused.
 */
void tap_buffers_give(struct rec_chunk *c);

/* Where it stands in the file; as long as it is not given back. */
uint64_t tap_buffers_place(const struct rec_chunk *c);

/*
 * The chunk there, which may have been given back meanwhile, holds `seen` bytes of records at least; `told`: what was
 * said last, 0 at first. A reader then misses what somebody wipes. False: it cannot be said.
 */
bool tap_buffers_seen(uint64_t place, uint64_t told, uint64_t seen);

/*
 * It stays with the other library, which is not asked any more: what lies behind its first `used` bytes (and some) goes
 * back to the disk.
 */
void tap_buffers_leave(struct rec_chunk *c, uint64_t used);

/*
 * From byte `from` on, a multiple of 4096, what this process writes there goes into memory of its own. One system call:
 * allowed in the child of a fork. False: it could not be done.
 */
bool tap_buffers_hide(struct rec_chunk *c, uint64_t from);

/* At the end: what was allocated and not needed goes back to the disk. */
void tap_buffers_trim(void);

#endif
