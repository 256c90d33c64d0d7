/*
 * trace/format/cupti.h - CUPTI's activity records as offsets: read a field that may not be there
 *
 * Own views, gated by what the producing library said of itself (REC_CUPTI_LIBRARY): the size of its records and its
 * version.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_CUPTI_H
#define GPUTAP_TRACE_FORMAT_CUPTI_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum rec_cupti_kind {
#define KIND(id, number, layout, least, minimum, sort, on, text) REC_CUPTI_KIND_##id = number,
#include "trace/format/cupti.def"
};

enum rec_cupti_layout {
	REC_CUPTI_LAYOUT_NONE,
#define LAYOUT(layout, structure) REC_CUPTI_LAYOUT_##layout,
#include "trace/format/cupti.def"
	REC_CUPTI_LAYOUTS
};

/* What sort of thing the records of a kind are; none: no record of that kind is known. */
enum rec_cupti_sort { REC_CUPTI_UNKNOWN, REC_CUPTI_CALL, REC_CUPTI_WORK, REC_CUPTI_DEFINES, REC_CUPTI_TELLS };
enum {
#define KIND(id, number, layout, least, minimum, sort, on, text) rec_sort_##id = REC_CUPTI_##sort,
#include "trace/format/cupti.def"
};

/* Where a field begins and ends, since when, and its type. */
#define FIELD(layout, name, offset, type, since) \
	enum { \
		rec_at_##layout##_##name = offset, \
		rec_end_##layout##_##name = offset + sizeof(type), \
		rec_since_##layout##_##name = since \
	}; \
	typedef type rec_type_##layout##_##name;
#include "trace/format/cupti.def"

/* The kind of overhead that points to data, and the words of that (u32). */
enum { REC_CUPTI_COMMAND_BUFFER_FULL = 6 << 16 };
enum rec_cupti_full {
	REC_CUPTI_FULL_LEFT,            /* room in the command buffer */
	REC_CUPTI_FULL_CHANNEL,
	REC_CUPTI_FULL_CHANNEL_TYPE,    /* 1 compute, 2 copies, 3 decompression */
	REC_CUPTI_FULL_WORDS
};

/* One activity. `at` has `bytes` bytes, as many as the library's records of that kind have. */
struct rec_activity {
	const uint8_t *at;
	uint32_t kind, bytes, version;
};

#define REC_HAS(a, layout, name) \
	(rec_end_##layout##_##name <= (a)->bytes && (uint64_t)(a)->version + 1 > rec_since_##layout##_##name)
/* The field's value, or `otherwise` where the producing library did not have it. */
#define REC_GET(a, layout, name, otherwise) \
	(REC_HAS(a, layout, name) ? ({ \
		rec_type_##layout##_##name v_; \
		memcpy(&v_, (a)->at + rec_at_##layout##_##name, sizeof v_); \
		v_; \
	}) : (otherwise))

#endif
