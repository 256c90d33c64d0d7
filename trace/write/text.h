/*
 * trace/write/text.h - text without the C library: a bounded buffer, numbers, formats
 *
 * Runs      anywhere in the traced program.
 * Must not  allocate, lock, make a system call, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_TEXT_H
#define GPUTAP_TRACE_WRITE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAP_PATH_MAX 4096

/* A small bounded text buffer; what does not fit is cut. Always zero-terminated. */
struct tap_text {
	char *at;
	size_t used, size;
};
void tap_text_init(struct tap_text *t, char *buffer, size_t size);       /* buffer NULL: everything is cut */
void tap_text_char(struct tap_text *t, char c);
void tap_text_str(struct tap_text *t, const char *s);
void tap_text_bytes(struct tap_text *t, const char *s, size_t n);
void tap_text_u64(struct tap_text *t, uint64_t v);
void tap_text_hex(struct tap_text *t, uint64_t v, int digits);
/* %s %d %u %x %lu %ld %lx %% */
void tap_text_format(struct tap_text *t, const char *format, __builtin_va_list args);
bool tap_text_equal(const char *a, const char *b);
size_t tap_text_length(const char *s);

#endif
