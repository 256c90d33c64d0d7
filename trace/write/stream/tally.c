/*
 * trace/write/stream/tally.c - how much a reader must find: files of the image, chunks of a file, records of a stream
 *
 * Runs      on slow paths: a file or a chunk is made, a thread or the image ends. Any thread; signals may come.
 * Must not  make a system call, allocate, lock, touch errno.
 *
 * A file that is removed, cut or wiped behind the process' back, or after a kill, leaves no other sign than that
 * something is not there. So each control page says what was made, and every page of an image how many files it has
 * made: one of them is enough.
 *
 * TALLY1  A page never tells more than stands in the files: it is written behind what it tells of, and a kill in
 *         between leaves the smaller number. Numbers only grow.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/without.h"
#include "trace/write/internal.h"

static uint64_t files;                  /* of this image, with their control pages */
static uint32_t meta_bytes, run_bytes;

static void raise_to(uint64_t *at, uint64_t to)
{
	uint64_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (seen < to && !__atomic_compare_exchange_n(at, &seen, to, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static void tell(struct rec_control *control, uint64_t n)
{
	raise_to(&control->files, n);
	control->meta_bytes = meta_bytes;
	control->run_bytes = run_bytes;
}

void tap_tally_file(struct rec_control *control)
{
	uint64_t n = __atomic_add_fetch(&files, 1, __ATOMIC_RELAXED);

	if (gc_without("tally"))
		return;
	tell(control, n);
	for (uint32_t i = 0; i < tap_stream_places(); i++) {
		struct tap_stream *s = tap_stream_in(i);

		if (s && TAP_READ_ONCE(s->control))
			tell(s->control, n);
	}
}

void tap_tally_again(struct rec_control *control)
{
	if (!gc_without("tally"))
		tell(control, __atomic_load_n(&files, __ATOMIC_RELAXED));
}

void tap_tally_chunk(struct rec_control *control, uint64_t end)
{
	if (gc_without("tally"))
		return;
	raise_to(&control->end, end);
	__atomic_fetch_add(&control->chunks, 1, __ATOMIC_RELEASE);
}

void tap_tally_used(struct tap_stream *s)
{
	if (!gc_without("tally"))
		TAP_WRITE_ONCE(s->control->used, TAP_READ_ONCE(s->used));
}

/* What other threads are at stands behind what their pages tell then, or they go on and tell more. */
void tap_tally_ends(void)
{
	for (uint32_t i = 0; i < tap_stream_places(); i++) {
		struct tap_stream *s = tap_stream_in(i);

		if (s && TAP_READ_ONCE(s->control) && s->used)
			tap_tally_used(s);
	}
}

void tap_tally_facts(uint64_t bytes) { meta_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : 0; }

void tap_tally_run(uint64_t bytes) { run_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : 0; }

void tap_tally_forget(void)
{
	files = 0;
	meta_bytes = run_bytes = 0;
}
