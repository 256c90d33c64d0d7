/*
 * common/plain/preloads.c - the dynamic linker's two lists, LD_PRELOAD and LD_AUDIT, as a program needs them
 *
 * Runs      anywhere; PRELOADS1, PRELOADS2 (preloads.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/preloads.h"

#include "common/plain/rewrite.h"
#include "common/plain/words.h"

enum whose { OTHERS = 1, OURS = 2, RUNTIME = 4 };

struct entry { const char *at; size_t bytes; enum whose whose; bool for_one; /* PRELOADS2: of the last program */ };

static bool begins(const char *text, size_t bytes, const char *with)
{
	size_t n = 0;

	while (with[n] && n < bytes && text[n] == with[n])
		n++;
	return !with[n];
}

static enum whose whose(const char *at, size_t bytes)
{
	const char *name = at;
	char copy[GC_RUNTIME_MAX] = "";

	for (size_t i = 0; i < bytes; i++)
		if (at[i] == '/')
			name = at + i + 1;
	bytes -= (size_t)(name - at);
	if (begins(name, bytes, GC_OURS))
		return OURS;
	for (size_t i = 0; i < bytes && i + 1 < sizeof copy; i++)
		copy[i] = name[i];
	return gc_is_sanitizer_runtime(copy) ? RUNTIME : OTHERS;
}

/* Entries are parted by colons, those of LD_PRELOAD by blanks too; empty ones are stepped over. */
static bool next(const char **list, struct entry *e)
{
	const char *p = *list;

	while (p && (*p == ':' || *p == ' '))
		p++;
	if (!p || !*p)
		return false;
	e->at = p;
	while (*p && *p != ':' && *p != ' ')
		p++;
	e->bytes = (size_t)(p - e->at);
	e->whose = whose(e->at, e->bytes);
	e->for_one = e->whose == RUNTIME && p[0] == ':' && p[1] == ':';
	*list = p;
	return true;
}

static void put_entry(struct gc_rewrite *o, const char *text, size_t bytes)
{
	if (o->bytes)
		gc_rewrite_put(o, ":", 1);
	gc_rewrite_put(o, text, bytes);
}

static void put_entries(struct gc_rewrite *o, const char *list, unsigned wanted)
{
	for (struct entry e; next(&list, &e);)
		if ((unsigned)e.whose & wanted && !e.for_one)
			put_entry(o, e.at, e.bytes);
}

static bool has_runtime(const char *list)
{
	for (struct entry e; next(&list, &e);)
		if (e.whose == RUNTIME && !e.for_one)
			return true;
	return false;
}

size_t gc_preloads_write(char *to, size_t room, const char *old, enum gc_ours ours, const char *runtime,
	bool *same)
{
	struct gc_rewrite o = gc_rewrite_begin(to, room, old);

	if (*runtime && !has_runtime(old)) {
		gc_rewrite_put(&o, runtime, gc_length(runtime));
		gc_rewrite_put(&o, ":", 1);
	}
	put_entries(&o, old, RUNTIME);
	if (ours == GC_OURS_FIRST)
		put_entries(&o, old, OURS);
	put_entries(&o, old, ours == GC_OURS_STAY ? OURS | OTHERS : OTHERS);
	return gc_rewrite_end(&o, same);
}

size_t gc_audit_write(char *to, size_t room, const char *old, const char *ours, bool *same)
{
	struct gc_rewrite o = gc_rewrite_begin(to, room, old);

	if (ours)
		gc_rewrite_put(&o, ours, gc_length(ours));
	put_entries(&o, old, OTHERS | RUNTIME);
	return gc_rewrite_end(&o, same);
}

enum gc_ours gc_preloads_ours(const struct gc_program *p, bool launched)
{
	if (gc_program_is_misled(p))
		return GC_OURS_OUT;
	return launched && p->kind == GC_PROGRAM_FOLLOWED ? GC_OURS_FIRST : GC_OURS_STAY;
}

bool gc_preloads_has_ours(const char *list)
{
	for (struct entry e; next(&list, &e);)
		if (e.whose == OURS)
			return true;
	return false;
}
