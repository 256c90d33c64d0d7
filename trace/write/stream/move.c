/*
 * trace/write/stream/move.c - a stream goes on in another file: links tell no more of its own, or it cannot be opened
 *
 * Runs      at chunk switches, on the thread that holds the stream, with all signals blocked.
 * May       make system calls.
 * Must not  keep a descriptor, allocate with malloc, lock, touch errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "common/plain/without.h"
#include "trace/write/debug.h"
#include "trace/write/internal.h"

/* errno values: raw calls return them negated */
enum { NO_ENTRY = 2, LOOP = 40, STALE = 116 };

/* What the holder is inside, and what it lost, goes on in the new page; the old one is nobody's. */
static void hand_over(struct rec_control *old, struct rec_control *new)
{
	new->pid = old->pid;
	new->tid = old->tid;
	__builtin_memcpy(new->slot, old->slot, sizeof new->slot);
	__builtin_memcpy(new->lost, old->lost, sizeof new->lost);
	__builtin_memset(old->lost, 0, sizeof old->lost);
	for (uint32_t i = 0; i < REC_SLOTS; i++)
		TAP_WRITE_ONCE(old->slot[i].fn, 0);
	TAP_WRITE_ONCE(old->tid, 0);
}

/*
 * The stream goes on in a file of another number: links cannot tell more of this one, or it cannot be opened any more.
 * The control page takes the old one's place in memory, so that who holds an address in it (a call that is not over)
 * finds the new one.
 */
bool tap_stream_move(struct tap_stream *s, enum rec_loss *why)
{
	struct tap_stream fresh = { .number = tap_stream_take_number(), .keeps = s->keeps };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!tap_chunk_first(&fresh, why))
		return false;
	tap_chunk_leave_file(s);
	hand_over(s->control, fresh.control);
	if (TAP_SYS(mremap, fresh.control, page, page, 3 /* MAYMOVE, FIXED */, s->control, 0) !=
		(long)(uintptr_t)s->control)
		s->control = fresh.control;     /* a call that is not over ends in the old page */
	tap_tally_again(s->control);
	s->number = fresh.number;
	s->base = fresh.base;
	s->used = fresh.used;
	s->limit = fresh.limit;
	s->chunk_end = fresh.chunk_end;
	s->next_chunk = fresh.next_chunk;
	s->allocated = fresh.allocated;
	s->copied = s->blobs_at = s->blobs_end = 0;
	s->map_bytes = fresh.map_bytes - page;
	s->map = s->map_bytes ? (uint8_t *)fresh.map + page : NULL;
	s->chunks = 1;
	s->ring_places = 0;
	s->ring_first = s->ring_next = 0;
	tap_stream_record_thread(s, REC_THREAD_AGAIN);
	TAP_DEBUG(chunk, "stream goes on in file %u", s->number);
	return true;
}

/* Whether a file that could not be opened never can be again. */
static bool is_gone(int err)
{
	return tap_space_out_of_reach(err) || err == -NO_ENTRY || err == -LOOP || err == -STALE;
}

/*
 * The stream's file, opened; when that cannot be any more, the one that it goes on in. A file that went with nobody's
 * leave took records with it.
 */
int tap_stream_reopen(struct tap_stream *s, enum rec_loss *why)
{
	int fd = tap_space_open(s->number);
	bool moved = tap_run_image_dir() != tap_run_first_dir();

	if (!is_gone(fd) || gc_without("another-file"))
		return fd;
	if ((tap_space_out_of_reach(fd) && !tap_run_image_move()) || !tap_stream_move(s, why))
		return -1;
	if (fd == -NO_ENTRY && !moved) {
		tap_local_add(&s->control->lost[REC_LOSS_REMOVED], 1);
		tap_space_removed();
	}
	return tap_space_open(s->number);
}
