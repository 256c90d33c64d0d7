/*
 * common/hash.h - 64-bit hashes of numbers and texts
 *
 * Good in their high bits, which is where common/map.h looks. Never stored: a number may change with the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_HASH_H
#define GPUTAP_COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* h goes on: gt_hash(gt_hash(GT_HASH, process), handle) */
#define GT_HASH 0x9e3779b97f4a7c15ull

static inline uint64_t gt_hash(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdull;
	return h ^ h >> 32;
}

static inline uint64_t gt_hash_text(const char *text, size_t bytes)
{
	uint64_t h = GT_HASH ^ bytes;

	for (; bytes >= 8; bytes -= 8, text += 8) {
		uint64_t w;

		memcpy(&w, text, 8);
		h = gt_hash(h, w);
	}
	for (; bytes; bytes--, text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	h ^= h >> 29;
	h *= 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 32;
}

#endif
