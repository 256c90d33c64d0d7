/*
 * interpose/references.c - whether anybody could have called an OpenCL library without our seeing it
 *
 * Importing a module that is linked with OpenCL maps a loader; as long as nobody calls it, nothing is lost. References
 * that the dynamic linker bound to us lead to us. One that leads to the library itself (DEEPBIND, a namespace of its
 * own, a library before ours) may have been used, and so may a look-up by a dlsym that is not ours.
 *
 * Runs      at the end of an image, and when something new was opened, with the loader's lock held.
 * Must not  allocate, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/references.h"

#include <string.h>

struct tap_relocations tap_object_relocations(const struct tap_object *o, ElfW(Sxword) address, ElfW(Sxword) size)
{
	struct tap_relocations r = { 0 };

	for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == address)
			r.first =
				(const ElfW(Rela) *)(d->d_un.d_ptr < o->base ? d->d_un.d_ptr + o->base : d->d_un.d_ptr);
		if (d->d_tag == size)
			r.bytes = d->d_un.d_val;
	}
	return r;
}

struct search { const struct tap_object *library; bool elsewhere; };

/* Does this reference of o lead past us? It waits for its first call while it leads into o itself. */
static bool leads_past_us(const struct tap_object *o, const char *name, const void *to, const struct search *s)
{
	if (name[0] == 'c' && name[1] == 'l' && name[2] >= 'A' && name[2] <= 'Z')
		return to && to == tap_object_symbol(s->library, name);
	/* a look-up of its own: in another namespace, or of an object that prefers its own libraries to us */
	if (strcmp(name, "dlsym") && strcmp(name, "dlvsym"))
		return false;
	bool waits = (uintptr_t)to >= o->start && (uintptr_t)to < o->end;

	return s->elsewhere || (!waits && !tap_own_address(to));
}

static bool any_past_us(const struct tap_object *o, struct tap_relocations r, const struct search *s)
{
	for (size_t i = 0; r.first && i < r.bytes / sizeof *r.first; i++) {
		uint32_t symbol = ELF64_R_SYM(r.first[i].r_info);
		const void *const *slot = (const void *const *)(o->base + r.first[i].r_offset);

		if (symbol && TAP_IS_ADDRESS(ELF64_R_TYPE(r.first[i].r_info)) &&
			leads_past_us(o, o->strings + o->symbols[symbol].st_name, *slot, s))
			return true;
	}
	return false;
}

/* A loader's own references are its business, and so are a driver's. */
static bool has_one(const struct tap_object *o, void *arg)
{
	if (tap_object_symbol(o, "clGetPlatformIDs") || tap_object_symbol(o, "clIcdGetPlatformIDsKHR") ||
		tap_object_is_shim(o))
		return false;
	return any_past_us(o, tap_object_relocations(o, DT_RELA, DT_RELASZ), arg) ||
		any_past_us(o, tap_object_relocations(o, DT_JMPREL, DT_PLTRELSZ), arg);
}

bool tap_object_may_be_called(const struct tap_object *library, bool elsewhere)
{
	struct search s = { .library = library, .elsewhere = elsewhere };

	return elsewhere ? tap_objects_walk_elsewhere(has_one, &s) : tap_objects_walk(has_one, &s);
}
