/*
 * tests/gpu/nomodules.c - CUPTI as it is, but nobody is told of modules: gputap run --cupti=libnomodules.so
 *
 * What the hashing of modules costs is the difference between a run with this and one without
 * (module_hashing in tests/gpu/part1_doubts.sh). Linked with the real library: every other function is found there.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdint.h>

enum { RESOURCE = 3, MODULE_LOADED = 6, UNKNOWN = 999 };

int cuptiEnableCallback(uint32_t on, void *subscriber, int domain, uint32_t cbid);

int cuptiEnableCallback(uint32_t on, void *subscriber, int domain, uint32_t cbid)
{
	__typeof__(&cuptiEnableCallback) real = (__typeof__(real))dlsym(RTLD_NEXT, "cuptiEnableCallback");

	if (domain == RESOURCE && cbid == MODULE_LOADED)
		return 0;
	return real ? real(on, subscriber, domain, cbid) : UNKNOWN;
}
