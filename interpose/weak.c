/*
 * interpose/weak.c - weak references to functions that the real library lacks stay zero
 *
 * A program may declare a function of a newer OpenCL weak and test its address. Our exports have every name, so the
 * dynamic linker has bound such references by the time our constructor runs: those for which no library behind us has
 * the function are taken back to what they were without us. Only objects that are there at start; plug-ins opened later
 * keep our export.
 *
 * Runs      in the constructor, before any code of the program that could look.
 * Must not  allocate, change errno; make system calls only when there is something to take back.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/auxv.h>

#include "interpose/cupti.h"
#include "interpose/leave.h"
#include "interpose/loader.h"
#include "interpose/references.h"
#include "trace/write/sys.h"

/* The slot lies in memory that the dynamic linker has made read-only by now (RELRO), or not. */
static void clear(const struct tap_object *o, uintptr_t slot)
{
	uintptr_t page_bytes = getauxval(AT_PAGESZ);
	uintptr_t page = slot & ~(page_bytes - 1);
	/* whole pages only, as the linker does */
	bool sealed = slot >= o->relro && slot < (o->relro_end & ~(page_bytes - 1));

	if (sealed && TAP_SYS(mprotect, page, page_bytes, PROT_READ | PROT_WRITE, 0, 0, 0) < 0)
		return;
	*(uintptr_t *)slot = 0;
	if (sealed)
		TAP_SYS(mprotect, page, page_bytes, PROT_READ, 0, 0, 0);
}

static void take_back(const struct tap_object *o, uint32_t symbol, struct tap_relocations r)
{
	for (size_t i = 0; i < r.bytes / sizeof(*r.first); i++)
		if (ELF64_R_SYM(r.first[i].r_info) == symbol && TAP_IS_ADDRESS(ELF64_R_TYPE(r.first[i].r_info)))
			clear(o, o->base + r.first[i].r_offset);
}

/* Its name, or NULL. */
static const char *weak_name(const struct tap_object *o, uint32_t i)
{
	const ElfW(Sym) *s = &o->symbols[i];

	if (ELF64_ST_BIND(s->st_info) != STB_WEAK || s->st_shndx != SHN_UNDEF || s->st_value)
		return NULL;
	const char *name = o->strings + s->st_name;

	if (name[0] == 'c' && name[1] == 'u')
		return tap_cupti_entry(name) >= 0 ? name : NULL;
	if (name[0] != 'c' || name[1] != 'l')
		return tap_is_newer_function(name) ? name : NULL;
	const struct tap_entry *e = tap_opencl_entry(name);

	return e && e->exported ? name : NULL;
}

/* In global scope all that was there at start defines for all: one library that has it is enough. */
static bool defined_at_start(const struct tap_object *o, void *arg)
{
	return o->startup && !tap_object_is_shim(o) && tap_object_symbol(o, arg);
}

static uint32_t used_by(struct tap_relocations r)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r.bytes / sizeof(*r.first); i++)
		if (ELF64_R_SYM(r.first[i].r_info) >= n)
			n = (uint32_t)ELF64_R_SYM(r.first[i].r_info) + 1;
	return n;
}

/*
 * Undefined symbols stand before those in the hash table. Where nothing is in it, as in most programs for aarch64, it
 * does not say how many there are: then only those count that a relocation names.
 */
static uint32_t undefined_end(const struct tap_object *o)
{
	if (!o->gnu_hash)
		return o->sysv_hash ? o->sysv_hash[1] : 0;
	const uint32_t *bucket = (const uint32_t *)((const ElfW(Addr) *)(o->gnu_hash + 4) + o->gnu_hash[2]);

	if (o->gnu_hash[0] != 1 || bucket[0])
		return o->gnu_hash[1];
	uint32_t data = used_by(tap_object_relocations(o, DT_RELA, DT_RELASZ));
	uint32_t calls = used_by(tap_object_relocations(o, DT_JMPREL, DT_PLTRELSZ));

	return data > calls ? data : calls;
}

static bool each_object(const struct tap_object *o, void *arg)
{
	uint32_t n = undefined_end(o);

	(void)arg;
	if (tap_object_is_self(o))
		return false;
	for (uint32_t i = 1; i < n; i++) {
		const char *name = weak_name(o, i);

		if (!name || tap_objects_walk(defined_at_start, (void *)name))
			continue;
		take_back(o, i, tap_object_relocations(o, DT_RELA, DT_RELASZ));
		take_back(o, i, tap_object_relocations(o, DT_JMPREL, DT_PLTRELSZ));
	}
	return false;
}

__attribute__((constructor)) static void take_back_weak_references(void)
{
	tap_objects_walk(each_object, NULL);
}
