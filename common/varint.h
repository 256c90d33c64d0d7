/*
 * common/varint.h - protocol buffers' variable length numbers: seven bits in a byte, the low ones first
 *
 * SQLite's are others: writers/sqlite/pages.h.
 * spec: protobuf encoding, https://protobuf.dev/programming-guides/encoding
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_VARINT_H
#define GPUTAP_COMMON_VARINT_H

#include "common/text.h"

#define GT_VARINT_MAX 10                  /* bytes */

/* At `to`, which has room; returns the bytes written. */
static inline size_t gt_varint_put(unsigned char *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (unsigned char)(v | 0x80);
	to[n++] = (unsigned char)v;
	return n;
}

/* At the end of a text. */
static inline void gt_text_varint(struct gt_text *t, uint64_t v)
{
	if (gt_text_need(t, GT_VARINT_MAX))
		t->used += gt_varint_put((unsigned char *)t->data + t->used, v);
}

#endif
