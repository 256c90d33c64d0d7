/*
 * trace/write/call/copy.c - texts of calls that failed
 *
 * Runs      in the calling thread, after the real call failed.
 * May       make system calls: few calls fail.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/call/copy.h"

#include "trace/write/call/frame.h"
#include "trace/write/internal.h"

uint32_t tap_failed_text_bytes(const char *text, uint32_t limit, bool *cut)
{
	bool longer = false;
	long n = tap_seccomp ? -1
			     : tap_copy_text(tap_sys_getpid(), (uintptr_t)text, NULL, limit + 1, &longer);

	if (n < 0)
		return TAP_UNREADABLE;
	*cut |= longer;
	return longer ? limit : (uint32_t)n;
}

uint32_t tap_put_failed_text(uint64_t *out, const char *text, uint32_t bytes)
{
	out[0] = bytes;
	if (bytes == TAP_UNREADABLE)
		return 1;
	size_t got = tap_copy_guarded(tap_sys_getpid(), (uintptr_t)text, (char *)out + 4, bytes);

	memset((char *)out + 4 + got, 0, bytes - got);
	return tap_string_words(bytes);
}
