/*
 * trace/write/scratch.c - memory for what is too large for the program's stacks: paths, lists, texts
 *
 * Runs      on slow paths of the traced program, any thread, in signal handlers too.
 * May       map memory where all pieces are in use.
 * Must not  allocate with malloc, lock, wait, change errno.
 *
 * A thread may have 16 KiB of stack in all, a handler's stack less, and what they called before us stands there
 * already. So the compiler refuses frames of more than 1 KiB (scripts/rules.mk), and what needs more is here. Pieces
 * are a part of the library's zeroed data: they cost a page when they are used for the first time, and no system call
 * after that.
 *
 * SCRATCH1  Who leaves by a jump, or is a thread that a fork did not copy, keeps its piece for ever. That costs the
 *           piece: the others, and at last fresh mappings, are there for everybody else.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/scratch.h"

#include "trace/write/internal.h"

enum { PIECES = 16 };

static _Alignas(4096) uint8_t piece[PIECES][TAP_SCRATCH_BYTES];
static uint8_t taken[PIECES];

/* Threads begin at different pieces. */
static uint32_t first_of_thread(void) { return (uint32_t)((uintptr_t)&tap_tls >> 12) % PIECES; }

void *tap_scratch_take(void)
{
	uint32_t first = first_of_thread();

	for (uint32_t i = 0; i < PIECES; i++) {
		uint32_t at = (first + i) % PIECES;

		if (!TAP_READ_ONCE(taken[at]) && !__atomic_exchange_n(&taken[at], 1, __ATOMIC_ACQUIRE))
			return piece[at];
	}
	return tap_sys_mmap(NULL, TAP_SCRATCH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void tap_scratch_give(void *scratch)
{
	uintptr_t at = (uintptr_t)scratch - (uintptr_t)piece;

	if (at < sizeof piece)
		__atomic_store_n(&taken[at / TAP_SCRATCH_BYTES], 0, __ATOMIC_RELEASE);
	else if (scratch)
		tap_sys_munmap(scratch, TAP_SCRATCH_BYTES);
}
