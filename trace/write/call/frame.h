/*
 * trace/write/call/frame.h - reads what a call left on a stack that may be gone
 *
 * Runs      in the calling thread of the traced program, where one call begins while another is marked as running.
 * May       make a system call where the memory is not known to be there.
 * Must not  allocate, lock, fault, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_FRAME_H
#define GPUTAP_TRACE_WRITE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies `bytes` from `at`, which lies above `present`, an address in a frame that runs now. False: it is not mapped,
 * or that cannot be found out: nothing that runs has a frame there, then.
 */
bool tap_frame_read(uintptr_t at, void *to, size_t bytes, const void *present)
	__attribute__((visibility("hidden")));

/*
 * Copies this process' (pid's) memory by system calls that fail where there is none, and where another thread takes it
 * away meanwhile; the bytes that could be read.
 */
size_t tap_copy_guarded(uint32_t pid, uint64_t address, void *to, size_t bytes) __attribute__((visibility("hidden")));
/*
 * The same for memory that is there until this returns, if it is there: of a call or a stack of this thread. Where a
 * container forbids the one system call, it takes a cheaper way, and is all or nothing then.
 */
size_t tap_copy_standing(uint32_t pid, uint64_t address, void *to, size_t bytes) __attribute__((visibility("hidden")));
/*
 * The text at an address, guarded likewise, at most `room` bytes of it: its length without the end, -1 where that
 * cannot be read. *cut: it is longer. to: NULL: it is only measured.
 */
long tap_copy_text(uint32_t pid, uint64_t address, char *to, size_t room, bool *cut)
	__attribute__((visibility("hidden")));
/* Whether there is memory at the address that can be read: by a system call. */
bool tap_frame_readable(uintptr_t address) __attribute__((visibility("hidden")));
/*
 * Copies bytes that are there but reach past the object they begin in: memcpy may be a sanitizer's, which would end
 * the program.
 */
void tap_copy_past(void *to, const void *from, size_t bytes) __attribute__((visibility("hidden")));

#endif
