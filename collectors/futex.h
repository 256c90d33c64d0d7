/*
 * collectors/futex.h - how a thread of ours, or one that has asked to wait for us, sleeps and is woken
 *
 * Words are private to the process. Not for the path of a call that nobody asked to wait.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_FUTEX_H
#define GPUTAP_COLLECTORS_FUTEX_H

#include <stdint.h>
#include <time.h>

#include "trace/write/clock.h"
#include "trace/write/sys.h"

/* CLOCK_MONOTONIC, ns: for limits of time. */
static inline uint64_t tap_now_ns(void) { return tap_clock_ns(CLOCK_MONOTONIC); }

/* Until the word is another one, somebody wakes its waiters, ns have passed or a signal came: look again. */
static inline void tap_futex_wait(uint32_t *word, uint32_t while_it_is, uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	TAP_SYS(futex, word, 128 /* FUTEX_WAIT, PRIVATE */, while_it_is, &t, 0, 0);
}

static inline void tap_futex_wake(uint32_t *word)
{
	TAP_SYS(futex, word, 129 /* FUTEX_WAKE, PRIVATE */, INT32_MAX, 0, 0, 0);
}

#endif
