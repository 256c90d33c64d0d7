/*
 * common/plain/glob.c - patterns of names: '*' any characters, '?' one
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/glob.h"

bool gc_glob(const char *pattern, size_t n, const char *name, size_t length)
{
	while (n && *pattern != '*') {
		if (!length || (*pattern != '?' && *pattern != *name))
			return false;
		pattern++, n--, name++, length--;
	}
	if (!n)
		return !length;
	for (size_t skip = 0; skip <= length; skip++)
		if (gc_glob(pattern + 1, n - 1, name + skip, length - skip))
			return true;
	return false;
}
