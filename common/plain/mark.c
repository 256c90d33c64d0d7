/*
 * common/plain/mark.c - what stands for the build id of an object that was linked without one
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/mark.h"

/* FNV-1a: the few hundred bytes are read once for each object. */
uint64_t gc_mark(uint64_t mark, const void *headers, size_t bytes)
{
	const uint8_t *at = headers;

	for (size_t i = 0; i < bytes; i++)
		mark = (mark ^ at[i]) * 0x100000001b3ull;
	return mark;
}
