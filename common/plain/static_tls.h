/*
 * common/plain/static_tls.h - the static thread-local storage that a program's libraries take from glibc's reserve
 *
 * Where an audit module is, glibc sets up the first thread before it loads the program's libraries and what is
 * preloaded: what they need comes from a reserve (1.8 KB in glibc 2.36) that is otherwise for libraries opened later.
 * The tunable glibc.rtld.optional_static_tls makes it larger, and each thread's stack smaller by as much.
 *
 * Runs      in the launcher, and in the traced program between fork and exec.
 * Must not  use the C library, allocate, change errno, take more than 1 KiB of stack in a frame. The sum costs 50 us
 *           for a Python interpreter, which has five libraries, and 7 us for each further one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_STATIC_TLS_H
#define GPUTAP_COMMON_PLAIN_STATIC_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All that we preload, as it may lie at worst (scripts/check-tls). */
enum { GC_STATIC_TLS_OURS = 144 };

/*
 * Bytes that the libraries which are loaded with the program take, ours and the program's own apart, as they may lie at
 * worst. dir, program: as execveat takes them. library_path, preload: its LD_LIBRARY_PATH and LD_PRELOAD, or NULL.
 * False: that is not known: one is not found, there are too many, or there was no memory.
 */
bool gc_static_tls_of(
	int dir, const char *program, const char *library_path, const char *preload, uint64_t *bytes);

/*
 * Writes what GLIBC_TUNABLES becomes (old: what it is, or NULL) where libraries take that many bytes beside an audit
 * module: for libraries that are opened later as much is left as without it. What others set stays. bytes 0: there is
 * no audit module; what an earlier call added is left out. Returns its length, 0 for none; nothing is written beyond
 * room, and the zero at its end takes a byte of it. *same: it is what it was.
 */
size_t gc_static_tls_tunables(char *to, size_t room, const char *old, uint64_t bytes, bool *same);

/* Whether glibc of that version ("2.36") has the tunable; else bytes up to here find room. */
bool gc_static_tls_may_grow(const char *version);
enum { GC_STATIC_TLS_RESERVE = 1536 };

#endif
