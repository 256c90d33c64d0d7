/*
 * common/plain/audit.h - whether the audit module can go into a program
 *
 * Where an audit module is, glibc takes the static thread-local storage of the program's libraries from a reserve. A
 * program that starts without the module must start with it: the reserve is raised, or the module is left out.
 *
 * Runs      in the launcher, and in the traced program between fork and exec.
 * Must not  use the C library, allocate, change errno, take more than 1 KiB of stack in a frame.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_AUDIT_H
#define GPUTAP_COMMON_PLAIN_AUDIT_H

#include <stdint.h>

#include "common/plain/program.h"

enum gc_audit {
	GC_AUDIT_GOES,
	GC_AUDIT_UNKNOWN,               /* what its libraries take is not known */
	GC_AUDIT_NO_ROOM,               /* they take too much, and the reserve cannot be raised */
	GC_AUDIT_RUNTIME,               /* its own malloc serves nobody before constructors have run */
};

/* Where it lies, and what its environment says; NULL: not set. */
struct gc_audit_where {
	int dir;                        /* as execveat takes them */
	const char *path;
	const char *library_path, *preload, *audit;
	const char *glibc;              /* the version of this process' C library, "2.36" */
};

/* p: what gc_program_look says of it. *bytes: for gc_static_tls_tunables, where the module goes. */
enum gc_audit gc_audit_plan(const struct gc_program *p, const struct gc_audit_where *where, uint64_t *bytes);

#define GC_NOTE_UNAUDITED \
	"%s was started without the audit module (RTLD_DEEPBIND and dlmopen are not reached there): %s"

/* The end of that note, NULL where the module goes; as a word of the trace, and back (GOES: no such word). */
const char *gc_audit_why_not(enum gc_audit a);
const char *gc_audit_word(enum gc_audit a);
enum gc_audit gc_audit_of_word(const char *word, size_t bytes);

#endif
