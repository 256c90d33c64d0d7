/*
 * tests/fault/lib/auditor.c - somebody else's audit module: sees objects come and does nothing
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <link.h>

unsigned la_version(unsigned version) { return version; }

unsigned la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie)
{
	(void)map, (void)id, (void)cookie;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
