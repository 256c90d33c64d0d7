/*
 * common/plain/preloads.h - the dynamic linker's two lists, LD_PRELOAD and LD_AUDIT, as a program needs them
 *
 * The launcher sets them for the program, the hooks of exec and spawn for what the program starts: by this code both.
 *
 * PRELOADS1  What somebody else put into a list stays, in its order.
 * PRELOADS2  A runtime of AddressSanitizer stands before everything else: it ends a program in which it does not. One
 *            that we put there for this program alone has an empty entry behind it ("libasan.so.8::/.../libgputap.so"),
 *            which the dynamic linker steps over, and is left out for the next program.
 *
 * Runs      anywhere: in the launcher, and in the traced program between fork and exec.
 * Must not  use the C library, allocate.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_PRELOADS_H
#define GPUTAP_COMMON_PLAIN_PRELOADS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/plain/program.h"

/* At the beginning of a name, without its folders: the core, what is preloaded beside it, copies of them. */
#define GC_OURS "libgputap"

enum gc_ours {
	GC_OURS_STAY,                   /* where they are */
	GC_OURS_FIRST,                  /* before those of others (PRELOADS2 apart) */
	GC_OURS_OUT,
};

/*
 * Writes what LD_PRELOAD becomes (old: what it is, or NULL) with `runtime` for this program ("": none). Returns its
 * length, 0 for an empty list; nothing is written beyond `room`, and the zero at its end takes a byte of it. *same: the
 * list is what it was.
 */
size_t gc_preloads_write(char *to, size_t room, const char *old, enum gc_ours ours, const char *runtime, bool *same);

/* The same of LD_AUDIT: ours is left out, or stands first, by that path (NULL: out). */
size_t gc_audit_write(char *to, size_t room, const char *old, const char *ours, bool *same);

/* What becomes of ours in LD_PRELOAD for this program. `launched`: the lists are the launcher's to arrange. */
enum gc_ours gc_preloads_ours(const struct gc_program *p, bool launched);

/* Whether the program needs the audit module, where that is decided by itself (--audit=auto). */
static inline bool gc_preloads_audit(const struct gc_program *p)
{
	return p->kind == GC_PROGRAM_FOLLOWED && p->opens_plugins;
}

bool gc_preloads_has_ours(const char *list);

#endif
