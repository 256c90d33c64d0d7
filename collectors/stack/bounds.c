/*
 * collectors/stack/bounds.c - how far a stack may be read
 *
 * A walk reads addresses that it computed from what it read before: on a damaged stack, any address. So it reads only
 * between the stack pointer, which is in use, and an end up to which every page is known to be there.
 *
 * Runs      in the calling thread of the traced program, in signal handlers too.
 * May       ask the kernel of a page whether it can be read: once for each page of a thread's stack, and on other
 *           stacks (sigaltstack, fibers) for a few pages each time.
 * Must not  allocate, lock, change errno.
 *
 * BOUNDS1  The C library puts a thread's own descriptor, where the thread pointer points, at the top of its stack; the
 *          kernel puts random bytes above the first thread's. Both are only where to look: what counts is that all
 *          pages in between can be read. A stack does not lose pages while its thread runs on it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <sys/auxv.h>

#include "collectors/stack/internal.h"
#include "trace/write/call/frame.h"
#include "trace/write/process.h"

#define PAGE ((uintptr_t)4096)          /* the smallest there is */
#define FARTHEST (64ull << 20)          /* bytes between a frame and the top of its thread's stack that are looked at */
#define OTHER_PAGES 16                  /* of a stack of the program's own making */

/* Of the calling thread's own block, which lies above its stack. gcc before 11 has no word for it on x86-64. */
static uintptr_t thread_address(void)
{
#ifdef __x86_64__
	uintptr_t at;

	__asm__("movq %%fs:0, %0" : "=r"(at));
	return at;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

static uintptr_t page_of(uintptr_t at) { return at & ~(PAGE - 1); }

static uintptr_t first_stack(void)
{
	static uintptr_t top;

	if (!TAP_READ_ONCE(top))
		TAP_WRITE_ONCE(top, getauxval(AT_RANDOM));
	return TAP_READ_ONCE(top);
}

/* Can all pages of [low, high) be read? low's own is in use. */
static bool readable(uintptr_t low, uintptr_t high)
{
	for (uintptr_t at = page_of(low) + PAGE; at < high; at += PAGE)
		if (!tap_frame_readable(at))
			return false;
	return true;
}

/* The top of the stack that sp may be on. 0: of none that we know. */
static uintptr_t top_above(uintptr_t sp)
{
	uintptr_t thread = thread_address(), first = first_stack();

	if (sp < thread && thread - sp < FARTHEST)
		return thread;
	return sp < first && first - sp < FARTHEST ? first : 0;
}

static uintptr_t other_end(uintptr_t sp)
{
	uintptr_t end = page_of(sp) + PAGE;

	if (tap_seccomp)
		return end;
	for (int i = 1; i < OTHER_PAGES && tap_frame_readable(end); i++)
		end += PAGE;
	return end;
}

uintptr_t tap_bounds_end(struct tap_bounds *known, uint64_t holder_tick, uintptr_t sp)
{
	uintptr_t thread = thread_address(), top;
	bool same = known && known->thread == thread && known->holder_tick == holder_tick;

	if (TAP_LIKELY(same && sp >= known->low && sp < known->high))
		return known->high;
	top = tap_seccomp ? 0 : top_above(sp);
	/* grown since: only what is new is asked for */
	if (!top || !readable(sp, same && known->high == top && sp < known->low ? known->low : top))
		return other_end(sp);
	if (known)
		*known = (struct tap_bounds){ holder_tick, thread, page_of(sp), top };
	return top;
}
