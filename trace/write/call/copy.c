/*
 * trace/write/call/copy.c - long arguments, and texts of calls that failed
 *
 * Runs      in the calling thread, after the real call came back.
 * May       make system calls for a call that failed: few do.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/call/copy.h"

#include "trace/write/call/frame.h"
#include "trace/write/internal.h"
#include "trace/write/options.h"

static uint64_t cut_where(bool longer, uint64_t n) { return n | (longer ? (uint64_t)TAP_ARGS_CUT << 32 : 0); }

TAP_COLD uint64_t tap_long_array(uint64_t count, uint32_t element)
{
	uint64_t most = tap_options.max_args / element;

	return cut_where(count > most, (count > most ? most : count) * element);
}

TAP_COLD uint64_t tap_long_text(const char *text)
{
	uint32_t most = tap_options.max_args, n = 0;

	while (n < most && text[n])
		n++;
	return cut_where(n == most && text[n], n);
}

TAP_COLD uint64_t tap_long_list(const void *list, bool pairs)
{
	const uint64_t *element = list;
	uint32_t most = tap_options.max_args / 8, n = 0;

	while (element[n]) {
		n += pairs ? 2 : 1;
		if (n >= most)
			return cut_where(true, most);
	}
	return n + 1;
}

bool tap_answer_is_kept(uint32_t query)
{
	enum { PROGRAM_SOURCE = 0x1164, PROGRAM_IL = 0x1169, BUILD_LOG = 0x1183 };

	return query == PROGRAM_IL ? tap_options.binaries
				   : tap_options.sources || (query != PROGRAM_SOURCE && query != BUILD_LOG);
}

uint64_t tap_failed_text(const char *text)
{
	uint32_t most = tap_options.max_args;
	bool longer = false;
	long n = tap_seccomp ? -1
			     : tap_copy_text(tap_sys_getpid(), (uintptr_t)text, NULL, most + 1, &longer);

	if (n < 0)
		return TAP_UNREADABLE;
	return cut_where(longer, longer ? most : (uint64_t)n);
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
