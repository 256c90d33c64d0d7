/*
 * trace/write/call/stack.c - which calls get their stack
 *
 * Runs      in the calling thread of the traced program, at the end of a call; tap_stack_want in the constructor and
 *           where a thin object joins.
 * Must not  allocate, lock, make a system call, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/call/stack.h"

#include "trace/write/internal.h"

#define LONG_DURATION (1ull << 32)      /* ticks that a call's first duration word cannot hold */
#define SLOWEST 64u                     /* ns that a tick of a counter lasts at most */

uint64_t tap_long_ticks = LONG_DURATION;
const struct tap_unwinder *tap_unwinder;
uint64_t (*tap_stack_interrupted)(struct tap_stream *s, const void *context);
bool tap_stack_ranges;

/* How long calls of a domain must last. ticks: 0 until the counter's rate is known. */
static struct least { bool wanted; uint64_t ns, ticks; } least[REC_DOMAIN_COUNT];

static void look_from(uint64_t ticks)
{
	if (ticks < TAP_READ_ONCE(tap_long_ticks))
		TAP_WRITE_ONCE(tap_long_ticks, ticks);
}

void tap_stack_want(enum rec_domain domain, uint64_t least_ns)
{
	if (domain >= REC_DOMAIN_COUNT)
		return;
	TAP_WRITE_ONCE(least[domain].ns, least_ns);
	TAP_WRITE_ONCE(least[domain].ticks, 0);
	TAP_WRITE_ONCE(least[domain].wanted, true);
	look_from(least_ns / SLOWEST);
}

bool tap_stack_wanted(enum rec_domain domain)
{
	return domain < REC_DOMAIN_COUNT && TAP_READ_ONCE(least[domain].wanted);
}

/* From then on calls that are too short need not come here. */
static void learn_rate(double ticks_per_ns)
{
	uint64_t shortest = LONG_DURATION;

	for (uint32_t i = 0; i < REC_DOMAIN_COUNT; i++) {
		uint64_t ticks = (uint64_t)((double)TAP_READ_ONCE(least[i].ns) * ticks_per_ns);

		if (!TAP_READ_ONCE(least[i].wanted))
			continue;
		TAP_WRITE_ONCE(least[i].ticks, ticks ? ticks : 1);
		shortest = ticks < shortest ? ticks : shortest;
	}
	TAP_WRITE_ONCE(tap_long_ticks, shortest);
}

bool tap_stack_lasted(enum rec_domain domain, uint64_t ticks)
{
	struct least *l = domain < REC_DOMAIN_COUNT ? &least[domain] : NULL;
	double rate;

	if (!l || !TAP_READ_ONCE(l->wanted))
		return false;
	if (!TAP_READ_ONCE(l->ns))
		return true;
	if (TAP_UNLIKELY(!TAP_READ_ONCE(l->ticks)) && (rate = tap_clock_ticks_per_ns()) > 0)
		learn_rate(rate);
	return ticks >= (TAP_READ_ONCE(l->ticks) ? l->ticks : tap_clock_ticks_at_least(l->ns));
}

uint64_t tap_stack_of_call(struct tap_stream *s, enum rec_domain domain, uint64_t ticks)
{
	return tap_unwinder && tap_stack_lasted(domain, ticks) ? tap_unwinder->take(s) : 0;
}
