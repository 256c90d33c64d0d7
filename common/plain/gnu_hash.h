/*
 * common/plain/gnu_hash.h - the hash by which ELF files have their symbols in a table (DT_GNU_HASH)
 *
 * The audit module, which is built of its own files alone, has its own.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_GNU_HASH_H
#define GPUTAP_COMMON_PLAIN_GNU_HASH_H

#include <stdint.h>

static inline uint32_t gc_gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		h = h * 33 + *c;
	return h;
}

#endif
