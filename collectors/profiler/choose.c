/*
 * collectors/profiler/choose.c - which launches are counted: --kernel-name, --launch-skip, --launch-count
 *
 * Runs      on the program's threads, in the callback of a launch, by the holder of the gate.
 * Must not  allocate, lock, call CUDA.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/profiler/internal.h"

#include <string.h>

#include "common/plain/glob.h"

#define KERNELS 8192u                   /* a power of two; further ones share their counts */

static struct { uint64_t key; uint32_t launches; } seen[KERNELS];

/*
 * The last name of a mangled one, as the source has it: _Z3addPf, _ZN2ns3addIfEEvPT_. Names of other languages are
 * taken as they are.
 */
static const char *source_name(const char *symbol, size_t *bytes)
{
	const char *at = symbol, *found = symbol;

	*bytes = strlen(symbol);
	if (at[0] != '_' || at[1] != 'Z')
		return symbol;
	at += 2;
	at += *at == 'N';
	while (*at == 'K' || *at == 'V' || *at == 'r')
		at++;
	while (*at >= '0' && *at <= '9') {
		size_t n = 0;

		while (*at >= '0' && *at <= '9' && n < 4096)
			n = n * 10 + (size_t)(*at++ - '0');
		if (n > strnlen(at, n))
			break;
		found = at;
		*bytes = n;
		at += n;
	}
	return found;
}

static bool name_passes(const char *symbol)
{
	const char *list = tap_option("kernel-name"), *name;
	size_t bytes;

	if (!*list)
		return true;
	if (!symbol)
		return false;
	name = source_name(symbol, &bytes);
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n && (gc_glob(list, n, name, bytes) || gc_glob(list, n, symbol, strlen(symbol))))
			return true;
		list += n + (list[n] != 0);
	}
	return false;
}

/* By name and device. */
static uint64_t key_of(const struct tap_counting_launch *l)
{
	uint64_t h = 1469598103934665603u ^ l->device;

	for (const char *c = l->symbol; c && *c; c++)
		h = (h ^ (unsigned char)*c) * 1099511628211u;
	return h | 1;
}

/* How many there were before this one. */
static uint32_t count(const struct tap_counting_launch *l)
{
	uint64_t key = key_of(l);
	uint32_t at = (uint32_t)(key >> 20) % KERNELS;

	for (uint32_t i = 0; i < 64 && seen[at].key && seen[at].key != key; i++)
		at = (at + 1) % KERNELS;
	if (!seen[at].key)
		seen[at].key = key;
	return seen[at].launches++;
}

bool tap_profiler_chosen(const struct tap_counting_launch *l)
{
	uint64_t skip = tap_option_number("launch-skip"), most = tap_option_number("launch-count");
	uint32_t before;

	if (!name_passes(l->symbol))
		return false;
	before = count(l);
	return before >= skip && (!most || before - skip < most);
}
