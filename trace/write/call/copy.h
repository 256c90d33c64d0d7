/*
 * trace/write/call/copy.h - sizes and copies of arguments, for generated wrappers and callbacks
 *
 * Runs      in the calling thread, after the real call succeeded.
 * May       read what the application passed and the real call accepted.
 * Must not  allocate, lock, make a system call, change errno.
 *
 * Every copy is whole up to --max-args. Lengths are computed without overflow: counts come from the application.
 * What lies where: api/README.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_COPY_H
#define GPUTAP_TRACE_WRITE_COPY_H

#include <string.h>

#include "trace/write/call/call.h"

#define TAP_LIKELY(x) __builtin_expect(!!(x), 1)
#define TAP_RARE(x) __builtin_expect(!!(x), 0)
#define TAP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TAP_EXPORT __attribute__((visibility("default")))
#ifndef TAP_HIDDEN
#define TAP_HIDDEN __attribute__((visibility("hidden")))
#endif

/*
 * A copy of up to so many bytes is measured here. Longer ones, which --max-args may cut, are measured in copy.c, which
 * returns the bytes in the lower half and TAP_ARGS_CUT or 0 in the upper one. *words collects the size of the record
 * and that flag for tap_call_reserve. No pointer to it is passed to copy.c, so it stays in a register.
 */
#define TAP_COPY_ORDINARY 4096u
uint64_t tap_long_array(uint64_t count, uint32_t element) TAP_HIDDEN;
uint64_t tap_long_text(const char *text) TAP_HIDDEN;
uint64_t tap_long_list(const void *list, bool pairs) TAP_HIDDEN;

static inline uint32_t tap_measured(uint64_t answer, uint32_t *words)
{
	*words |= (uint32_t)(answer >> 32);
	return (uint32_t)answer;
}

/* Bytes of `count` elements, whole elements only. */
static inline uint32_t tap_copy_bytes(uint64_t count, uint32_t element, uint32_t *words)
{
	if (TAP_RARE(count > TAP_COPY_ORDINARY / element))
		return tap_measured(tap_long_array(count, element), words);
	return (uint32_t)count * element;
}

/* Bytes of a zero-terminated text without its zero. */
static inline uint32_t tap_copy_text_bytes(const char *text, uint32_t *words)
{
	uint32_t n = 0;

	while (text[n])
		if (TAP_RARE(++n > TAP_COPY_ORDINARY))
			return tap_measured(tap_long_text(text), words);
	return n;
}

/*
 * The text of a call that failed, as it is often why. It is read guarded, since the reason may also be that it lies
 * nowhere: then it is TAP_UNREADABLE, which takes the word of its length alone.
 */
#define TAP_UNREADABLE UINT32_MAX
uint64_t tap_failed_text(const char *text) TAP_HIDDEN;
uint32_t tap_put_failed_text(uint64_t *out, const char *text, uint32_t bytes) TAP_HIDDEN;
static inline uint32_t tap_failed_text_bytes(const char *text, uint32_t *words)
{
	return tap_measured(tap_failed_text(text), words);
}

static inline uint32_t tap_failed_text_words(uint32_t bytes)
{
	return bytes == TAP_UNREADABLE ? 1 : tap_string_words(bytes);
}

static inline uint32_t tap_put_text(uint64_t *out, const char *text, uint32_t bytes, bool failed)
{
	return TAP_RARE(failed) ? tap_put_failed_text(out, text, bytes) : tap_put_string(out, text, bytes);
}

/* Elements of a list up to and with its zero: of every element, or (pairs) of every second. */
static inline uint32_t tap_list_elements(const void *list, bool pairs, uint32_t *words)
{
	const uint64_t *element = list;
	uint32_t n = 0;

	while (element[n]) {
		n += pairs ? 2 : 1;
		if (TAP_RARE(n >= TAP_COPY_ORDINARY / 8))
			return tap_measured(tap_long_list(list, pairs), words);
	}
	return n + 1;
}

static inline uint32_t tap_put_list(uint64_t *out, const void *list, uint32_t elements)
{
	out[0] = elements;
	memcpy(out + 1, list, (size_t)elements * 8);
	return 1 + elements;
}

/* Bytes of an output: what the application has room for, and no more of it than the call said is there. */
static inline uint32_t tap_part_bytes(uint64_t count, uint64_t said, uint32_t element, uint32_t *words)
{
	return tap_copy_bytes(TAP_MIN(count, said), element, words);
}

/* Answers that are a program's source, log or binary: only where these are stored too (--sources, --binaries). */
bool tap_answer_is_kept(uint32_t query) TAP_HIDDEN;
static inline uint32_t tap_content_bytes(uint32_t query, uint64_t count, uint64_t said, uint32_t *words)
{
	if (tap_answer_is_kept(query))
		return tap_part_bytes(count, said, 1, words);
	*words |= TAP_ARGS_LEFT;
	return 0;
}

/* The pointer that counts an output; where it is NULL, what the call said in its stead (REC_COUNT_WORD). */
static inline uint64_t tap_count_or_pointer(const void *pointer, bool filled, uint64_t said)
{
	return pointer || !filled ? (uintptr_t)pointer : REC_COUNT_WORD | TAP_MIN(said, REC_COUNT_MOST);
}

#endif
