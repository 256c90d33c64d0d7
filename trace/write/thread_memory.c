/*
 * trace/write/thread_memory.c - memory for what an object beside libgputap.so keeps of each thread
 *
 * Static thread-local storage is scarce where an audit module is (trace/write/tls.h), and dynamic is allocated by
 * malloc at a thread's first access, which may be a signal handler's. So such an object has a thread-local pointer
 * alone, and what it points to comes from here: pieces of one size on slabs that are mapped by system calls.
 *
 * Runs      on any thread of the traced program, at its first need and when it ends; in signal handlers.
 * Must not  allocate with malloc, lock, change errno.
 *
 * MEMORY1  Slabs are never given back: a stale pointer finds memory.
 * MEMORY2  A piece that is taken is its thread's alone. They are chained, and the first one is the value of the
 *          thread's key, marked by its lowest bit: a stream's address (stream.c) has none.
 * MEMORY3  A forked child has copies of all pieces. Its thread's are used on; those of other threads never come back.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/thread_memory.h"

#include <pthread.h>

#include "trace/write/internal.h"

enum { PIECES = 48, PIECE = 1344, SLABS = 1024, MARK = 1 };

struct piece {
	void **at;              /* its thread's pointer to it */
	struct piece *chained;  /* another one of the same thread */
	uint32_t number;
	uint32_t next_free;     /* number of the next free piece + 1 */
	uint32_t rounds;        /* of destructors that have seen it first in its chain */
	__attribute__((aligned(16))) uint8_t memory[PIECE - 32];
};
_Static_assert(sizeof(struct piece) == PIECE, "a piece");

static struct piece *slabs[SLABS];
static uint32_t pieces;         /* that were ever taken */
static uint64_t free_pieces;    /* { number + 1 of the top u32, tag u32 }: Treiber stack */

static struct piece *piece_at(uint32_t number)
{
	struct piece *slab = __atomic_load_n(&slabs[number / PIECES], __ATOMIC_ACQUIRE);

	return slab ? &slab[number % PIECES] : NULL;
}

static struct piece *take_free_piece(void)
{
	uint64_t top = __atomic_load_n(&free_pieces, __ATOMIC_ACQUIRE);

	while ((uint32_t)top) {
		struct piece *p = piece_at((uint32_t)top - 1);
		/* the tag keeps a top that came back apart */
		uint64_t below = ((top >> 32) + 1) << 32 | TAP_READ_ONCE(p->next_free);

		if (__atomic_compare_exchange_n(&free_pieces, &top, below, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return p;
	}
	return NULL;
}

static void give_piece(struct piece *p)
{
	uint64_t top = __atomic_load_n(&free_pieces, __ATOMIC_RELAXED);

	do
		TAP_WRITE_ONCE(p->next_free, (uint32_t)top);
	while (!__atomic_compare_exchange_n(&free_pieces, &top, ((top >> 32) + 1) << 32 | (p->number + 1), false,
		__ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static bool map_slab(struct piece **slab)
{
	const size_t bytes = PIECES * sizeof(struct piece);
	struct piece *none = NULL, *fresh = tap_seccomp
		? NULL
		: tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!fresh)
		return false;
	if (!__atomic_compare_exchange_n(slab, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		tap_sys_munmap(fresh, bytes);   /* another thread was faster */
	return true;
}

static struct piece *take_new_piece(void)
{
	uint32_t number = __atomic_load_n(&pieces, __ATOMIC_RELAXED);

	for (;;) {
		if (number >= PIECES * SLABS || (!piece_at(number) && !map_slab(&slabs[number / PIECES])))
			return NULL;
		if (__atomic_compare_exchange_n(
			    &pieces, &number, number + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			break;
	}
	struct piece *p = piece_at(number);

	p->number = number;
	return p;
}

/* ------------------------------------------------------------------ of a thread */

bool tap_thread_memory_is(const void *value) { return (uintptr_t)value & MARK; }

static struct piece *piece_of(void *value)
{
	return tap_thread_memory_is(value) ? (struct piece *)((uintptr_t)value - MARK) : NULL;
}

static void set_first(struct piece *p)
{
	pthread_setspecific(tap_thread_key, (void *)((uintptr_t)p + MARK));
}

/* Signals are blocked: a handler that takes memory too would be forgotten in the chain. */
static void *take_memory(void **at)
{
	struct piece *p = take_free_piece();

	if (!p)
		p = take_new_piece();
	if (!p)
		return NULL;
	p->at = at;
	p->rounds = 0;
	p->chained = NULL;
	__builtin_memset(p->memory, 0, sizeof p->memory);
	if (tap_thread_key_made) {
		p->chained = piece_of(pthread_getspecific(tap_thread_key));
		set_first(p);           /* MEMORY2 */
	}
	TAP_WRITE_ONCE(*at, p->memory);
	return p->memory;
}

TAP_COLD void *tap_thread_memory(void **at, size_t bytes)
{
	if (bytes > sizeof ((struct piece *)NULL)->memory || !tap_ready)
		return NULL;
	uint64_t mask = tap_sys_signals_block();
	void *memory = *at ? *at : take_memory(at);

	tap_sys_signals_restore(mask);
	return memory;
}

/*
 * Destructors are called in the order in which their keys were made, so ours is an early one, and a runtime's may call
 * back yet. Whoever sets its key again is called again, up to four times.
 */
void tap_thread_memory_end(void *value)
{
	struct piece *p = piece_of(value), *next;

	if (!p->rounds++) {
		set_first(p);
		return;
	}
	uint64_t mask = tap_sys_signals_block();

	for (; p; p = next) {
		next = p->chained;
		TAP_WRITE_ONCE(*p->at, NULL);
		give_piece(p);
	}
	tap_sys_signals_restore(mask);
}
