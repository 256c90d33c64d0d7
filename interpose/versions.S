/*
 * interpose/versions.S - functions of which the C library has an old version that behaves in another way
 *
 * posix_spawn and posix_spawnp of before 2.15 run a file that is no program by the shell; quick_exit of before 2.24 calls
 * the destructors of thread-local objects. A program keeps the version that it was linked with. C side: spawn.c, exec.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif
#define FUNCTION @function
#define LANDING _CET_ENDBR
#define GO jmp
#define FIRST_QUICK_EXIT GLIBC_2.10
#else
#define FUNCTION %function
#define LANDING hint #34                /* bti c */
#define GO b
#define FIRST_QUICK_EXIT GLIBC_2.17
#endif

	/* to: a function of ours; as: what it is for the dynamic linker, with "@" (old) or "@@" (present) before the version */
	.macro VERSION to, as
	.globl	versioned_\to
	.type	versioned_\to, FUNCTION
	.hidden	\to
	.p2align 4
versioned_\to:
	.cfi_startproc
	LANDING
	GO	\to
	.cfi_endproc
	.size	versioned_\to, .-versioned_\to
	.symver	versioned_\to, \as
	.endm

	.text
#if defined(__x86_64__)
	VERSION	tap_posix_spawn, posix_spawn@@GLIBC_2.15
	VERSION	tap_posix_spawn_old, posix_spawn@GLIBC_2.2.5
	VERSION	tap_posix_spawnp, posix_spawnp@@GLIBC_2.15
	VERSION	tap_posix_spawnp_old, posix_spawnp@GLIBC_2.2.5
#else
	VERSION	tap_posix_spawn, posix_spawn@@GLIBC_2.17
	VERSION	tap_posix_spawnp, posix_spawnp@@GLIBC_2.17
#endif
	VERSION	tap_quick_exit, quick_exit@@GLIBC_2.24
	VERSION	tap_quick_exit_old, quick_exit@FIRST_QUICK_EXIT
	.section .note.GNU-stack, "", %progbits
