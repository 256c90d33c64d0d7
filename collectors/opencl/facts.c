/*
 * collectors/opencl/facts.c - REC_OBJECT records: facts about an object, as the driver told them
 *
 * Runs      in application threads, off the hot path.
 * May       map pages: an application's stack may be too small for a list of extensions.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/opencl/internal.h"

#define FACTS_BYTES REC_BLOCK
#define FACTS_WORDS (TAP_RECORD_WORDS_MAX - 16u)

bool tap_cl_facts_open(struct tap_cl_facts *f, enum rec_object kind, const void *handle)
{
	f->words = tap_cl_pages(FACTS_BYTES);
	f->n = f->count = 0;
	if (!f->words)
		return false;
	f->words[f->n++] = tap_tick();
	f->words[f->n++] = (uint64_t)kind;              /* the count is added at the end */
	f->words[f->n++] = (uintptr_t)handle;
	return true;
}

void tap_cl_facts_add(struct tap_cl_facts *f, uint32_t key, const void *value, size_t bytes)
{
	uint32_t words = (uint32_t)(bytes + 7) / 8;

	if (bytes > FACTS_BYTES || f->n + 1 + words > FACTS_WORDS)
		return tap_lost(REC_LOSS_ARGS_CUT, 1);
	f->words[f->n++] = key | (uint64_t)bytes << 32;
	memcpy(&f->words[f->n], value, bytes);          /* the pages were zero: padding is there */
	f->n += words;
	f->count++;
}

void tap_cl_facts_close(struct tap_cl_facts *f)
{
	f->words[1] |= (uint64_t)f->count << 32;
	tap_record(REC_OBJECT, 0, f->words, f->n);
	tap_cl_pages_free(f->words, FACTS_BYTES);
}

bool tap_cl_platform_has(const struct tap_opencl_api *real, cl_platform_id platform, int major, int minor)
{
	char text[128] = "";            /* "OpenCL 1.2 ..." */

	if (!real->clGetPlatformInfo ||
		real->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL) != CL_SUCCESS)
		return false;
	return __builtin_strncmp(text, "OpenCL ", 7) == 0 && (text[7] - '0') * 10 + text[9] - '0' >= major * 10 + minor;
}
