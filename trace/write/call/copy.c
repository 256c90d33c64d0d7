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
	char piece[256];

	for (uint32_t n = 0; n <= limit && !tap_seccomp;) {
		uint32_t wanted = TAP_MIN((uint32_t)sizeof piece, limit + 1 - n);
		size_t got = tap_copy_guarded(tap_sys_getpid(), (uintptr_t)text + n, piece, wanted);
		const char *end = memchr(piece, 0, got);

		if (end)
			return n + (uint32_t)(end - piece);
		if (got < wanted)
			return TAP_UNREADABLE;          /* it has no end that could be read */
		n += wanted;
	}
	if (tap_seccomp)
		return TAP_UNREADABLE;
	*cut = true;
	return limit;
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
