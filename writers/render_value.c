/*
 * writers/render_value.c - what both text formats need to know about a value
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/render.h"

uint64_t gt_element(const struct gt_arg *a, uint64_t i, uint32_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, (const char *)a->data + i * bytes, bytes);
	return v;
}

uint64_t gt_elements_here(const struct gt_arg *a, uint32_t bytes)
{
	uint64_t here = bytes ? a->bytes / bytes : 0;

	return here < a->count ? here : a->count;
}

int64_t gt_sign_extend(uint64_t bits, enum gt_value v, uint32_t bytes)
{
	switch (v) {
	case GT_I8: return (int8_t)bits;
	case GT_I16: return (int16_t)bits;
	case GT_I32: case GT_ERROR: return (int32_t)bits;
	case GT_ENUM: return bytes == 4 ? (int32_t)bits : (int64_t)bits;
	default: return (int64_t)bits;
	}
}

void gt_render_float(struct gt_text *t, enum gt_value v, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	double d;
	float f;

	memcpy(&f, &low, sizeof(f));
	memcpy(&d, &bits, sizeof(d));
	gt_text_float(t, v == GT_F32 ? (double)f : d);
}

void gt_render_error(struct gt_text *t, const struct gt_enum *symbols, int32_t code)
{
	const char *name = symbols ? gt_enum_name(symbols, code) : NULL;

	if (name)
		gt_text_str(t, name);
	else
		gt_text_i64(t, code);
}

void gt_render_atp_pointer(struct gt_text *t, uint64_t value)
{
	if (!value) {
		gt_text_lit(t, "NULL");
		return;
	}
	gt_text_lit(t, "0x");
	gt_text_hex(t, value, 1, true);
}
