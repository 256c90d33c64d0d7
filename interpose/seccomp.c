/*
 * interpose/seccomp.c - C side of seccomp.S
 *
 * Runs      inside the application's prctl and syscall; also before our constructor.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/elf.h"
#include "interpose/process.h"

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *tap_real_prctl, *tap_real_syscall;

HIDDEN void tap_seccomp_init(void)
{
	tap_real_prctl = tap_next_symbol("prctl");
	tap_real_syscall = tap_next_symbol("syscall");
}

__attribute__((constructor)) static void init(void)
{
	tap_seccomp_init();
}

/* errno is safe: the function that follows sets it, or leaves it, on its own. */
HIDDEN void tap_seccomp_tell(void)
{
	tap_seccomp_seen();
}
