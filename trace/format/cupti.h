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
#define KIND(id, number, least) REC_CUPTI_KIND_##id = number,
#include "trace/format/cupti.def"
};

/* Where a field begins and ends, since when, and its type. */
#define FIELD(id, name, offset, type, since) \
	enum { rec_at_##id##_##name = offset, rec_end_##id##_##name = offset + sizeof(type), \
	       rec_since_##id##_##name = since }; \
	typedef type rec_type_##id##_##name;
#include "trace/format/cupti.def"

/* One activity. `at` has `bytes` bytes, as many as the library's records of that kind have. */
struct rec_activity {
	const uint8_t *at;
	uint32_t kind, bytes, version;
};

#define REC_HAS(a, id, name) \
	(rec_end_##id##_##name <= (a)->bytes && (uint64_t)(a)->version + 1 > rec_since_##id##_##name)
/* The field's value, or `otherwise` where the producing library did not have it. */
#define REC_GET(a, id, name, otherwise) \
	(REC_HAS(a, id, name) ? \
	 ({ rec_type_##id##_##name v_; memcpy(&v_, (a)->at + rec_at_##id##_##name, sizeof v_); v_; }) : (otherwise))

#endif
