/*
 * trace/write/own_threads.h - threads of our own, which must not keep a process alive
 *
 * A program whose main thread leaves by pthread_exit ends when its last thread does: the C library then calls exit in
 * that thread. A thread of ours that is left over would be that one, and wait for ever.
 *
 * OWNTHREAD1  Each thread of ours looks at least every TAP_OWN_THREAD_LOOK_NS whether none of the program's is left,
 *             and then returns from its function: the last one to do so ends the process.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_OWN_THREADS_H
#define GPUTAP_TRACE_WRITE_OWN_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/write/tls.h"

#define TAP_OWN_THREAD_LOOK_NS 50000000u

/* By the thread that begins; name: for the kernel. Those that look before it was there count it as the program's. */
void tap_own_thread_begins(const char *name) TAP_HIDDEN;
/* By a thread that leaves for another reason. */
void tap_own_thread_ends(void) TAP_HIDDEN;
/*
 * True: only threads of ours are left, and the caller is to return from its function at once, having counted as one
 * that leaves. What the exit's handlers run with is this thread: `mask` is put back, the signals of who started it.
 * Two system calls at most, no descriptor; false where there is no /proc, or where a filter forbids to look.
 */
bool tap_own_thread_is_left_over(uint64_t mask) TAP_HIDDEN;

#endif
