/*
 * common/plain/audit.c - whether the audit module can go into a program
 *
 * Runs      anywhere.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/audit.h"

#include <fcntl.h>

#include "common/plain/preloads.h"
#include "common/plain/static_tls.h"
#include "common/plain/words.h"

/* Another tool's module is there: the program's libraries are in the reserve without us too, and ours come on top. */
static bool is_audited(const char *list)
{
	bool same;

	return list && gc_audit_write(NULL, 0, list, NULL, &same);
}

enum gc_audit gc_audit_plan(const struct gc_program *p, const struct gc_audit_where *where, uint64_t *bytes)
{
	bool script = p->interpreter[0] != 0;
	uint64_t theirs = 0;

	*bytes = 0;
	if (p->has_tsan)
		return GC_AUDIT_RUNTIME;
	if (!is_audited(where->audit) &&
		!gc_static_tls_of(script ? AT_FDCWD : where->dir, script ? p->interpreter : where->path,
			where->library_path, where->preload, &theirs))
		return GC_AUDIT_UNKNOWN;
	*bytes = theirs + GC_STATIC_TLS_OURS;
	if (p->other_linker || !gc_static_tls_may_grow(where->glibc)) {
		bool fits = *bytes <= GC_STATIC_TLS_RESERVE;

		*bytes = 0;
		return fits ? GC_AUDIT_GOES : GC_AUDIT_NO_ROOM;
	}
	return GC_AUDIT_GOES;
}

static const struct { const char *word, *why_not; } fates[] = {
	[GC_AUDIT_GOES] = { "audited", NULL },
	[GC_AUDIT_UNKNOWN] = { "audit-unknown",
		"how much static thread-local storage its libraries take is not known" },
	[GC_AUDIT_NO_ROOM] = { "audit-room",
		"its libraries take more static thread-local storage than its C library keeps for them then" },
	[GC_AUDIT_RUNTIME] = { "audit-runtime", "ThreadSanitizer, linked into it, crashes beside any such module" },
};
enum { FATES = sizeof fates / sizeof *fates };

const char *gc_audit_why_not(enum gc_audit a) { return fates[a].why_not; }
const char *gc_audit_word(enum gc_audit a) { return fates[a].word; }

enum gc_audit gc_audit_of_word(const char *word, size_t bytes)
{
	for (int a = GC_AUDIT_UNKNOWN; a < FATES; a++)
		if (gc_is_word(word, bytes, fates[a].word))
			return (enum gc_audit)a;
	return GC_AUDIT_GOES;
}
