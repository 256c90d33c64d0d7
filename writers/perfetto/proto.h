/*
 * writers/perfetto/proto.h - protocol buffers, appended to a text
 *
 * Only what the format needs: varints, fixed64, double, bytes and messages inside messages. A message's length stands
 * before it and is known behind it: one byte is kept for it, and the message moves up when it needs more.
 * spec: protobuf encoding, https://protobuf.dev/programming-guides/encoding
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_PERFETTO_PROTO_H
#define GPUTAP_WRITERS_PERFETTO_PROTO_H

#include "common/varint.h"

enum { GT_WIRE_VARINT = 0, GT_WIRE_FIXED64 = 1, GT_WIRE_BYTES = 2 };

/* uint64, uint32, enum, bool; int64 and int32 as their 64 bits. */
static inline void gt_proto_u64(struct gt_text *t, unsigned field, uint64_t v)
{
	unsigned char *at;
	size_t n;

	if (!gt_text_need(t, 2 * GT_VARINT_MAX))
		return;
	at = (unsigned char *)t->data + t->used;
	n = gt_varint_put(at, (uint64_t)field << 3 | GT_WIRE_VARINT);
	t->used += n + gt_varint_put(at + n, v);
}

static inline void gt_proto_i64(struct gt_text *t, unsigned field, int64_t v) { gt_proto_u64(t, field, (uint64_t)v); }

static inline void gt_proto_fixed64(struct gt_text *t, unsigned field, uint64_t v)
{
	gt_text_varint(t, (uint64_t)field << 3 | GT_WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		gt_text_char(t, (char)(v >> 8 * i));
}

void gt_proto_double(struct gt_text *t, unsigned field, double v);
void gt_proto_bytes(struct gt_text *t, unsigned field, const void *data, size_t bytes);
/* A string: what is no UTF-8 becomes U+FFFD, as the format requires. */
void gt_proto_string(struct gt_text *t, unsigned field, const char *s, size_t bytes);

/* A message: begin returns the place that end is given. Nothing else may be taken away from the text between. */
static inline size_t gt_proto_begin(struct gt_text *t, unsigned field)
{
	gt_text_varint(t, (uint64_t)field << 3 | GT_WIRE_BYTES);
	gt_text_char(t, 0);
	return t->used;
}

void gt_proto_end_long(struct gt_text *t, size_t at);
static inline void gt_proto_end(struct gt_text *t, size_t at)
{
	if (t->used - at < 0x80 && !t->failed)
		t->data[at - 1] = (char)(t->used - at);
	else
		gt_proto_end_long(t, at);
}

#endif
