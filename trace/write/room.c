/*
 * trace/write/room.c - work that needs more stack than the program's thread may have
 *
 * Runs      on slow paths: where an image or a stream is opened, a process says what it could not record, libraries are
 *           opened, functions of CUPTI called that were not meant for a callback, at the end of an image.
 * May       make system calls.
 * Must not  allocate with malloc, lock, wait, touch errno.
 *
 * A thread may have 16 KiB of stack in all (PTHREAD_STACK_MIN), and its first call may be the first of the image. The
 * dynamic linker alone takes 5 KiB, and what it loads as much as it likes. So such work has a stack of its own. Stacks
 * are kept: one is made where as many threads as there are need one at the same time.
 *
 * ROOM1  A stack belongs to the thread whose number stands in it, and is given back when the work comes back. Who left
 *        by a jump or a cancellation, and a thread that a fork did not copy, keeps it until nobody has that number.
 * ROOM2  The C library's checked longjmp ends a program that jumps to a lower address than it is at, and a debugger
 *        takes such a caller for a damaged stack. So a stack of ours lies below the caller's where that can be had.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/room.h"

#include "common/plain/without.h"
#include "trace/write/internal.h"

enum {
	ROOM = 1 << 20,                 /* bytes; no memory before they are used */
	GUARD = 64 << 10,               /* below them: more than any frame */
	ROOMS = 16,
	APART = 64 << 20                /* below the caller's stack, which may still grow */
};

static struct room { uint32_t owner; uint8_t *low; } rooms[ROOMS];      /* owner: tid, 0 nobody; ROOM1 */

/* room.S */
void tap_call_on(void *top, void (*work)(void *argument), void *argument) TAP_HIDDEN;

/* ------------------------------------------------------------------- stacks */

/* Its lowest byte, or NULL. near: a hint, or NULL. */
static uint8_t *map_near(uintptr_t near)
{
	uint8_t *at = tap_sys_mmap((void *)near, GUARD + ROOM, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (at && TAP_SYS(mprotect, at + GUARD, ROOM, PROT_READ | PROT_WRITE, 0, 0, 0) == 0)
		return at + GUARD;
	if (at)
		tap_sys_munmap(at, GUARD + ROOM);
	return NULL;
}

static void unmap(uint8_t *low) { tap_sys_munmap(low - GUARD, GUARD + ROOM); }

/* ROOM2 */
static uint8_t *map_below(uintptr_t here)
{
	uint8_t *low = map_near(0), *other;

	if (!low || (uintptr_t)low < here || here < 2u * APART)
		return low;
	other = map_near((here - APART) & ~(uintptr_t)(APART - 1));
	if (!other)
		return low;
	unmap(low);
	return other;
}

static bool take(struct room *r, uint32_t is, uint32_t self)
{
	return __atomic_compare_exchange_n(&r->owner, &is, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool is_gone(uint32_t tid)
{
	return TAP_SYS(tgkill, tap_sys_getpid(), tid, 0, 0, 0, 0) == -3 /* ESRCH */;
}

/* Best one that is there and lies below, then a new one, then any. Behind a filter one that is there, or none. */
static struct room *find_room(uint32_t self, uintptr_t here)
{
	for (struct room *r = rooms; r < rooms + ROOMS; r++) {
		uint8_t *low = TAP_READ_ONCE(r->low);

		if (low && (uintptr_t)low < here && !TAP_READ_ONCE(r->owner) && take(r, 0, self))
			return r;
	}
	for (struct room *r = rooms; r < rooms + ROOMS; r++)
		if ((!tap_seccomp || TAP_READ_ONCE(r->low)) && !TAP_READ_ONCE(r->owner) && take(r, 0, self)) {
			if (!r->low)
				TAP_WRITE_ONCE(r->low, map_below(here));
			if (r->low)
				return r;
			__atomic_store_n(&r->owner, 0, __ATOMIC_RELEASE);
			return NULL;
		}
	for (struct room *r = rooms; r < rooms + ROOMS && !tap_seccomp; r++) {
		uint32_t owner = TAP_READ_ONCE(r->owner);

		if (owner && owner != self && is_gone(owner) && take(r, owner, self))
			return r;
	}
	return NULL;
}

static bool is_in_room(uintptr_t here)
{
	for (const struct room *r = rooms; r < rooms + ROOMS; r++)
		if (here - (uintptr_t)TAP_READ_ONCE(r->low) < ROOM)
			return true;
	return false;
}

/* --------------------------------------------------------------------- work */

void tap_with_room(void (*work)(void *argument), void *argument)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct room *r = is_in_room(here) || gc_without("room") ? NULL : find_room(tap_sys_gettid(), here);

	if (!r || !r->low) {
		work(argument);
		return;
	}
	tap_call_on(r->low + ROOM, work, argument);
	__atomic_store_n(&r->owner, 0, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ signals */

/* Faults of the work itself; the C library's own two, by which it cancels threads and changes their user. */
static const uint8_t let_through[] = { 4, 5, 7, 8, 11, 31, 32, 33 };

/* The signals that the program has a handler for. */
static uint64_t handled(void)
{
	struct { uintptr_t handler, flags, restorer; uint64_t mask; } action;
	uint64_t found = 0;

	for (int s = 1; s <= 64; s++)
		if (TAP_SYS(rt_sigaction, s, NULL, &action, 8, 0, 0) == 0 && action.handler > 1 /* SIG_IGN */)
			found |= 1ull << (s - 1);
	for (size_t i = 0; i < sizeof let_through; i++)
		found &= ~(1ull << (let_through[i] - 1));
	return found;
}

void tap_set_up(void (*work)(void *argument), void *argument)
{
	uint64_t some = tap_seccomp ? 0 : handled(), before = 0;

	if (some)
		TAP_SYS(rt_sigprocmask, 0 /* SIG_BLOCK */, &some, &before, 8, 0, 0);
	tap_with_room(work, argument);
	if (some)
		tap_sys_signals_restore(before);
}
