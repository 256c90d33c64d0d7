/*
 * writers/perfetto/intern.c - texts that are written once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/perfetto/intern.h"

#include <stdlib.h>

#include "writers/perfetto/internal.h"

bool gt_intern_open(struct gt_intern *in)
{
	memset(in, 0, sizeof *in);
	in->mask = 2 * GT_INTERN_TEXTS - 1;
	in->max_texts = GT_INTERN_TEXTS - 8192; /* room for what one event or sample brings */
	in->max_bytes = GT_INTERN_BYTES;
	in->slots = calloc(in->mask + 1ull, sizeof *in->slots);
	return in->slots;
}

void gt_intern_close(struct gt_intern *in)
{
	free(in->slots);
	gt_text_free(&in->texts);
	gt_text_free(&in->fresh);
}

void gt_intern_clear(struct gt_intern *in)
{
	memset(in->slots, 0, (in->mask + 1ull) * sizeof *in->slots);
	memset(in->next, 0, sizeof in->next);
	memset(in->seen, 0, sizeof in->seen);
	in->n = 0;
	in->texts.used = in->fresh.used = 0;
}

static uint64_t hash_of(enum gt_intern_kind kind, const char *text, size_t bytes)
{
	uint64_t h = 14695981039346656037ull + (uint64_t)kind; /* FNV-1a */

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211ull;
	return h ^ h >> 32;
}

static void tell(struct gt_intern *in, enum gt_intern_kind kind, uint32_t iid, const char *text, size_t bytes)
{
	static const struct {
		unsigned field, iid, text;
	} fields[GT_INTERN_MAPPING] = {
		[GT_INTERN_CATEGORY] = { PF_InternedData_event_categories, PF_EventCategory_iid,
			PF_EventCategory_name },
		[GT_INTERN_NAME] = { PF_InternedData_event_names, PF_EventName_iid, PF_EventName_name },
		[GT_INTERN_ANNOTATION] = { PF_InternedData_debug_annotation_names, PF_DebugAnnotationName_iid,
			PF_DebugAnnotationName_name },
		[GT_INTERN_VALUE] = { PF_InternedData_debug_annotation_string_values, PF_InternedString_iid,
			PF_InternedString_str },
		[GT_INTERN_FUNCTION] = { PF_InternedData_function_names, PF_InternedString_iid, PF_InternedString_str },
		[GT_INTERN_PATH] = { PF_InternedData_mapping_paths, PF_InternedString_iid, PF_InternedString_str },
		[GT_INTERN_SOURCE] = { PF_InternedData_source_paths, PF_InternedString_iid, PF_InternedString_str },
		[GT_INTERN_BUILD_ID] = { PF_InternedData_build_ids, PF_InternedString_iid, PF_InternedString_str },
	};
	size_t at = gt_proto_begin(&in->fresh, fields[kind].field);

	gt_proto_u64(&in->fresh, fields[kind].iid, iid);
	if (kind == GT_INTERN_BUILD_ID)
		gt_proto_bytes(&in->fresh, fields[kind].text, text, bytes);
	else
		gt_proto_string(&in->fresh, fields[kind].text, text, bytes);
	gt_proto_end(&in->fresh, at);
}

uint32_t gt_intern_key(struct gt_intern *in, enum gt_intern_kind kind, const void *text, size_t bytes, bool *fresh)
{
	uint64_t hash = hash_of(kind, text, bytes);
	struct gt_intern_slot *s;

	*fresh = false;
	for (uint64_t at = hash;; at++) {
		s = &in->slots[at & in->mask];
		if (!s->iid)
			break;
		if (s->hash == hash && s->kind == kind && s->bytes == bytes &&
			!memcmp(in->texts.data + s->at, text, bytes))
			return s->iid;
	}
	if (in->n + 1 >= GT_INTERN_TEXTS || !gt_text_need(&in->texts, bytes + 1)) {
		in->failed = true;
		return 0;
	}
	*s = (struct gt_intern_slot){
		.hash = hash, .at = in->texts.used, .bytes = (uint32_t)bytes, .iid = ++in->next[kind], .kind = kind
	};
	gt_text_bytes(&in->texts, text, bytes);
	in->n++;
	*fresh = true;
	return s->iid;
}

uint32_t gt_intern_text(struct gt_intern *in, enum gt_intern_kind kind, const char *text, size_t bytes)
{
	bool fresh;
	uint32_t iid = gt_intern_key(in, kind, text, bytes, &fresh);

	if (fresh)
		tell(in, kind, iid, text, bytes);
	return iid;
}
