/*
 * common/utf8.h - where the next UTF-8 sequence ends
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_UTF8_H
#define GPUTAP_COMMON_UTF8_H

#include "common/text.h"

#include <stddef.h>

/*
 * Bytes of the well-formed sequence at s, of which `left` bytes are there (at least one): 1 for ASCII and NUL; 0 when
 * there is none, over-long forms and surrogates included (RFC 3629, table 3-7 of Unicode).
 */
size_t gt_utf8_sequence(const char *s, size_t left);

/* Appends the text; each byte that belongs to no sequence becomes U+FFFD. */
void gt_utf8_put_valid(struct gt_text *t, const char *s, size_t bytes);

#endif
