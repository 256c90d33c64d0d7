/*
 * common/plain/counter.c - whether the processor's counter stamps the records, decided once for shim and launcher
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "common/plain/counter.h"
#include "common/plain/words.h"

#if defined(__x86_64__)
bool gc_counter_is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

bool gc_counter_is_trusted(const char *clocksource, size_t bytes, bool forbidden, bool invariant)
{
	while (bytes && clocksource[bytes - 1] == '\n')
		bytes--;
	const struct gc_word name = { clocksource, bytes };

	/* kvm-clock is computed of the counter, which the host promises to be good when it calls it invariant */
	return !forbidden && (gc_word_is_choice("tsc", name) || (gc_word_is_choice("kvm-clock", name) && invariant));
}

const char *gc_counter_source(bool trusted) { return trusted ? "tsc" : "monotonic_raw"; }
#else
/* the architecture's own time base, readable and shared by all cores */
bool gc_counter_is_invariant(void) { return true; }

bool gc_counter_is_trusted(const char *clocksource, size_t bytes, bool forbidden, bool invariant)
{
	(void)clocksource;
	(void)bytes;
	(void)forbidden;
	(void)invariant;
	return true;
}

const char *gc_counter_source(bool trusted) { return trusted ? "cntvct" : "monotonic_raw"; }
#endif
