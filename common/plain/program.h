/*
 * common/plain/program.h - what an executable is, seen before it is started: whether it can be followed, and what its
 * environment must hold for that
 *
 * Runs      in the launcher, and in the traced program between fork and exec, also in a child of vfork.
 * Must not  use the C library, allocate, change errno, take more than 50 us or more than 1 KiB of stack in a frame.
 *
 * PROGRAM1  Only kinds of system calls are made that the dynamic linker has made in this very image (openat, pread64,
 *           newfstatat, close): a filter that the image inherited allows them. What tells of rights alone asks more
 *           (fgetxattr, fstatfs, prctl), and only where the file's mode or the user calls for it.
 * PROGRAM2  What cannot be read is UNKNOWN: nothing is claimed of it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_PROGRAM_H
#define GPUTAP_COMMON_PLAIN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum gc_program_kind {
	GC_PROGRAM_UNKNOWN,             /* not there, not readable, or of a format that only the kernel knows */
	GC_PROGRAM_FOLLOWED,            /* our libraries can be preloaded into it */
	/* and into these not */
	GC_PROGRAM_32_BIT,
	GC_PROGRAM_OTHER_PROCESSOR,
	GC_PROGRAM_OTHER_LIBRARY,       /* its dynamic linker is musl's or another one than glibc's */
	GC_PROGRAM_STATIC,
	GC_PROGRAM_OTHER_USER,          /* set-user-id, set-group-id */
	GC_PROGRAM_CAPABLE,             /* file capabilities */
};

enum { GC_INTERPRETER_MAX = 256, GC_RUNTIME_MAX = 64 };

struct gc_program {
	enum gc_program_kind kind;
	bool is_static;                 /* it loads no library, so no driver, whatever else it is */
	bool opens_plugins;             /* into a scope or a namespace of their own, which only the audit module sees */
	bool refused;                   /* it is there, and could not be looked at */
	bool other_linker;              /* its dynamic linker is not the machine's own */
	bool has_tsan;                  /* ThreadSanitizer's runtime is a part of it */
	/* AddressSanitizer's, which must be the first library; "": none, or it is a part of the program itself */
	char runtime[GC_RUNTIME_MAX];
	char interpreter[GC_INTERPRETER_MAX];   /* what runs the script: all the above is of it; "": no script */
};

/* path as the kernel takes it, relative to `dir` (AT_FDCWD); "": `dir` itself is the file. */
void gc_program_look(int dir, const char *path, struct gc_program *p);

/*
 * Where execvp finds `file` in this PATH (NULL: it is not set): the path, or "" where there is none, or one that is
 * longer than there is room.
 */
void gc_program_find(const char *file, const char *search, char *path, size_t room);

/* Nothing can be preloaded into it, as the end of "PATH is ..."; NULL: it can, or that is not known. */
const char *gc_program_why_not(enum gc_program_kind kind);

/* Notes on a program that was started, with its path and why_not: by the shim, and by who reads its lines. */
#define GC_NOTE_UNREACHABLE "%s was not followed, nor what it started: it is %s"
#define GC_NOTE_STATIC      "%s made no calls that can be traced: it is %s"
#define GC_NOTE_UNSEEN      "%s could not be looked at before it was started: its environment was left as it was"

/* The kind as a word of the trace, and back (UNKNOWN: no such word). */
const char *gc_program_word(const struct gc_program *p);
enum gc_program_kind gc_program_of_word(const char *word, size_t bytes);

/* Its dynamic linker would complain about our libraries, or refuse to start. */
static inline bool gc_program_is_misled(const struct gc_program *p)
{
	return !p->is_static && (p->kind == GC_PROGRAM_32_BIT || p->kind == GC_PROGRAM_OTHER_PROCESSOR ||
		p->kind == GC_PROGRAM_OTHER_LIBRARY);
}

/* It could have made calls, and none of them would be seen. */
static inline bool gc_program_is_lost(const struct gc_program *p)
{
	return p->kind > GC_PROGRAM_FOLLOWED && !p->is_static;
}

/* Is `name` (without folders) a runtime of AddressSanitizer, as a library? */
bool gc_is_sanitizer_runtime(const char *name);

#endif
