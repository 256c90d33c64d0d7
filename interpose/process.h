/*
 * interpose/process.h - the life of a process image: start, exit, exec, what other parts hook into
 *
 * Runs      in the constructor, in exit handlers and in the wrappers of exit and exec.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_PROCESS_H
#define GPUTAP_INTERPOSE_PROCESS_H

#include <stdbool.h>

#include "trace/format/rec.h"

/*
 * fn runs once at the end of the image, before the EXIT record: harvest what is complete, wait for nothing. Register
 * at the first need, any thread; at most 8 are kept.
 */
void tap_on_exit(void (*fn)(int kind));

/*
 * The image ends now: exit chain, EXIT record, last clock set, conversion. Later calls are forwarded only. Idempotent.
 * Called by the exit handler (NORMAL) and by the wrappers of _exit, _Exit (UNDERSCORE) and quick_exit (QUICK).
 * Nothing happens in a child of vfork or in an image that recorded nothing.
 */
void tap_process_exit(enum rec_exit kind, int status);

/*
 * Before an exec: exit chain, EXEC record, clock set. The call may still fail: tap_process_exec_failed brings
 * recording back.
 */
void tap_process_exec(const char *path, bool environment_cleaned);
void tap_process_exec_failed(void);

/* The program installed (or is about to install) a seccomp filter: no new kind of system call from here on. */
void tap_seccomp_seen(void);

#endif
