/*
 * trace/write/room.c - work that needs more stack than the program's thread may have
 *
 * Runs      on slow paths: when an image opens its directory, and when a process says what it could not record.
 * May       make system calls, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * A thread may have 16 KiB of stack in all (PTHREAD_STACK_MIN), and its first call may be the first of the image.
 * Paths alone take 4 KiB each, so opening a trace needs more than that.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/room.h"

#include "common/plain/without.h"
#include "trace/write/internal.h"

enum { ROOM = 128 << 10 };

/* Has a frame pointer, by which a debugger finds its way from the other stack back to this one. */
static void __attribute__((noinline)) call_on(void *top, void (*work)(void *), void *argument)
{
	void *frame = __builtin_frame_address(0);

	__asm__ volatile("" : : "r"(frame));
#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "callq *%[work]\n\t"
			 "movq %%rbx, %%rsp"
			 : [work] "+r"(work), "+D"(argument)
			 : [top] "r"(top)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
			 "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			 "xmm15", "cc", "memory");
#else
	register void *x0 __asm__("x0") = argument;

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %[top]\n\t"
			 "blr %[work]\n\t"
			 "mov sp, x19"
			 : "+r"(x0)
			 : [top] "r"(top), [work] "r"(work)
			 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
			 "x15", "x16", "x17", "x18", "x19", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
			 "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
			 "v29", "v30", "v31", "cc", "memory");
#endif
}

void tap_with_room(void (*work)(void *argument), void *argument)
{
	uint8_t *room = tap_seccomp || gc_without("room")
		? NULL
		: tap_sys_mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!room) {
		work(argument);
		return;
	}
	call_on(room + ROOM, work, argument);
	tap_sys_munmap(room, ROOM);
}
