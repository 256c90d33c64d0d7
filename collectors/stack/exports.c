/*
 * collectors/stack/exports.c - where a loaded object has a symbol that it exports
 *
 * Runs      in the calling thread of the traced program, in signal handlers too, where an object is seen first.
 * May       read the object's own headers and tables: it stands on the stack, so it is loaded.
 * Must not  allocate, lock, change errno. So it is not dlsym that is asked.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "collectors/stack/internal.h"
#include "common/plain/gnu_hash.h"

#define CHAIN_MOST 100000u              /* symbols of one bucket: a table that claims more is damaged */

struct tables { const ElfW(Sym) *symbols; const char *strings; const uint32_t *hash; };

/* The dynamic linker has moved the addresses in the dynamic section, but where the section cannot be written. */
static const void *moved(const struct tap_object *o, uintptr_t at)
{
	return (const void *)(at < o->bias ? at + o->bias : at);
}

static bool read_tables(const struct tap_object *o, struct tables *t)
{
	const ElfW(Ehdr) *e = (const void *)o->start;
	const ElfW(Phdr) *p = (const void *)(o->start + e->e_phoff);
	const ElfW(Dyn) *d = NULL;

	if (o->end - o->start < 4096 || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_phentsize != sizeof *p ||
		e->e_phoff + e->e_phnum * sizeof *p > 4096)
		return false;
	for (unsigned i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_DYNAMIC)
			d = (const void *)(o->bias + p[i].p_vaddr);
	*t = (struct tables){ 0 };
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SYMTAB)
			t->symbols = moved(o, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			t->strings = moved(o, d->d_un.d_ptr);
		else if (d->d_tag == DT_GNU_HASH)
			t->hash = moved(o, d->d_un.d_ptr);
	return t->symbols && t->strings && t->hash;
}

uintptr_t tap_export(const struct tap_object *o, const char *name)
{
	uint32_t hash = gc_gnu_hash(name), buckets, first, at;
	const uint32_t *bucket, *chain;
	struct tables t;

	if (!read_tables(o, &t))
		return 0;
	buckets = t.hash[0];
	first = t.hash[1];
	bucket = t.hash + 4 + t.hash[2] * (sizeof(ElfW(Addr)) / 4);
	chain = bucket + buckets;
	at = buckets ? bucket[hash % buckets] : 0;
	for (uint32_t i = 0; at >= first && i < CHAIN_MOST; i++, at++) {
		const ElfW(Sym) *s = &t.symbols[at];

		if ((chain[at - first] | 1) == (hash | 1) && s->st_shndx != SHN_UNDEF &&
			!strcmp(t.strings + s->st_name, name))
			return o->bias + s->st_value;
		if (chain[at - first] & 1)
			break;
	}
	return 0;
}
