/*
 * writers/perfetto/proto.c - the rarer half of protocol buffers
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/perfetto/proto.h"

#include "common/utf8.h"

void gt_proto_double(struct gt_text *t, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	gt_proto_fixed64(t, field, bits);
}

void gt_proto_bytes(struct gt_text *t, unsigned field, const void *data, size_t bytes)
{
	gt_text_varint(t, (uint64_t)field << 3 | GT_WIRE_BYTES);
	gt_text_varint(t, bytes);
	gt_text_bytes(t, data, bytes);
}

void gt_proto_string(struct gt_text *t, unsigned field, const char *s, size_t bytes)
{
	size_t at = gt_proto_begin(t, field);

	for (size_t i = 0; i < bytes;) {
		size_t n = gt_utf8_sequence(s + i, bytes - i);

		if (n)
			gt_text_bytes(t, s + i, n);
		else
			gt_text_lit(t, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	gt_proto_end(t, at);
}

void gt_proto_end_long(struct gt_text *t, size_t at)
{
	size_t bytes = t->used - at;
	unsigned char length[GT_VARINT_MAX];
	size_t n = gt_varint_put(length, bytes);

	if (t->failed || !gt_text_need(t, n))
		return;
	memmove(t->data + at - 1 + n, t->data + at, bytes);
	memcpy(t->data + at - 1, length, n);
	t->used += n - 1;
}
