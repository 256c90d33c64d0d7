/*
 * interpose/seccomp.c - C side of seccomp.S
 *
 * Runs      inside the application's prctl and syscall; also before our constructor.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/call/call.h"
#include "common/plain/without.h"
#include "interpose/elf.h"
#include "trace/write/clock.h"
#include "trace/write/process.h"
#include "trace/write/sys.h"

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *tap_real_prctl, *tap_real_syscall;

HIDDEN void tap_seccomp_init(void)
{
	static const struct tap_wanted wanted[] = {
		{ "prctl", NULL, &tap_real_prctl }, { "syscall", NULL, &tap_real_syscall }
	};

	tap_next_symbols(wanted, sizeof wanted / sizeof *wanted);
}

__attribute__((constructor)) static void init(void)
{
	tap_seccomp_init();
}

enum { SET_SECCOMP = 22, SET_TSC = 26, TSC_SIGSEGV = 2, MODE_STRICT = 1, OPERATION_STRICT = 0 };

/* Strict mode takes the time stamp counter away too (x86): a thread that enters it records no more. */
static bool is_strict(long a, long b, long c)
{
	return a == SYS_seccomp  ? b == OPERATION_STRICT
		: a == SYS_prctl ? c == MODE_STRICT
				 : a == SET_SECCOMP && b == MODE_STRICT;
}

static bool is_counter(long a, long b)
{
	return a == SYS_prctl ? (int)b == SET_TSC : a != SYS_seccomp && (int)a == SET_TSC;
}

/*
 * Gets the first arguments of prctl or syscall. errno is safe: the function that follows sets it, or leaves it, on
 * its own.
 */
HIDDEN void tap_seccomp_tell(long a, long b, long c)
{
	if (is_counter(a, b)) {
		if ((int)(a == SYS_prctl ? c : b) == TSC_SIGSEGV && !gc_without("counter-forbidden"))
			tap_clock_forbid();
		return;
	}
	if (gc_without("seccomp"))
		return;
	tap_seccomp_seen();
	if (!is_strict(a, b, c))
		return;
	tap_lost(REC_LOSS_SECCOMP, 1);
	tap_own_calls_begin();
}
