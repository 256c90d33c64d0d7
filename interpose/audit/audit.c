/*
 * interpose/audit/audit.c - LD_AUDIT module: bind to the shim what interposition does not reach
 *
 * A plug-in opened with RTLD_DEEPBIND looks into its own libraries first, and a library in a dlmopen namespace never
 * sees what was preloaded. The dynamic linker asks this module at each binding to an OpenCL loader, and for each dlsym
 * that found something there; it answers with the wrapper that the shim has for that loader.
 *
 * The module lives in a namespace of its own and uses nothing of the C library, so none is loaded for it. It asks for
 * bindings to OpenCL libraries only (LA_FLG_BINDTO), so all others cost nothing.
 *
 * Runs      inside the dynamic linker, under its lock.
 * Must not  call dlsym: while the program is being relocated that crashes (glibc 2.36), hence the own hash look-up.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

/* A cookie tells what an object is; OPENCL: a library of it, or of CUPTI. */
enum { PLAIN = 1, OPENCL = 2, SHIM = 3 };
struct object { const struct link_map *map; uintptr_t what; };

/* One at a time is decided under the dynamic linker's lock; objects beyond the table are PLAIN. */
#define OPENCL_OBJECTS 64
static struct object opencl[OPENCL_OBJECTS];
static struct object plain = { NULL, PLAIN }, shim = { NULL, SHIM };

static void *(*rebind)(const struct link_map *library, const char *name, void *real);

/* ----------------------------------------------------------------- look-up */

static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		h = h * 33 + *c;
	return h;
}

struct tables { const uint32_t *hash; const ElfW(Sym) *symbols; const char *strings; };

static struct tables tables_of(const struct link_map *map)
{
	struct tables t = { 0 };

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		uintptr_t at = d->d_un.d_ptr < map->l_addr ? d->d_un.d_ptr + map->l_addr : d->d_un.d_ptr;

		if (d->d_tag == DT_GNU_HASH)
			t.hash = (const uint32_t *)at;
		else if (d->d_tag == DT_SYMTAB)
			t.symbols = (const ElfW(Sym) *)at;
		else if (d->d_tag == DT_STRTAB)
			t.strings = (const char *)at;
	}
	return t;
}

/* Address of a function that the object defines. Objects with the old hash alone are not looked into. */
static void *find(const struct link_map *map, const char *name)
{
	struct tables t = tables_of(map);

	if (!t.hash || !t.symbols || !t.strings || !t.hash[0])
		return NULL;
	const uint32_t *bucket = t.hash + 4 + t.hash[2] * (sizeof(ElfW(Addr)) / 4), *chain = bucket + t.hash[0];
	uint32_t hash = hash_of(name), first = t.hash[1], i = bucket[hash % t.hash[0]];

	for (; i >= first; i++) {
		const ElfW(Sym) *s = &t.symbols[i];
		uint32_t h = chain[i - first];

		if ((h | 1) == (hash | 1) && s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		    equal(t.strings + s->st_name, name))
			return (void *)(map->l_addr + s->st_value);
		if (h & 1)
			break;
	}
	return NULL;
}

/* --------------------------------------------------------- audit interface */

/* The lower of both: glibc 2.31 ends every program whose audit module asks for a version that it does not know. */
EXPORTED unsigned la_version(unsigned version)
{
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static struct object *place_for(const struct link_map *map)
{
	for (unsigned i = 0; i < OPENCL_OBJECTS; i++) {
		if (opencl[i].map)
			continue;
		opencl[i] = (struct object){ map, OPENCL };
		return &opencl[i];
	}
	return NULL;
}

EXPORTED unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	struct object *o = NULL;

	if (find(map, "gputap_shim")) {
		if (space == LM_ID_BASE && !shim.map)
			shim.map = map;
		*cookie = (uintptr_t)&shim;
		return 0;
	}
	if (find(map, "clGetPlatformIDs") || find(map, "cuptiGetVersion"))
		o = place_for(map);
	*cookie = (uintptr_t)(o ? o : &plain);
	/*
	 * A loader's look-ups in its drivers are its own business: bindings from a driver or loader are not asked for.
	 */
	return o ? LA_FLG_BINDTO : LA_FLG_BINDFROM;
}

EXPORTED unsigned la_objclose(uintptr_t *cookie)
{
	struct object *o = (struct object *)*cookie;

	if (o && o->what == OPENCL)
		o->map = NULL;
	return 0;
}

/* All that was loaded at start is relocated now: the shim may be called. Before, interposition does it all. */
EXPORTED void la_preinit(uintptr_t *cookie)
{
	(void)cookie;
	if (shim.map)
		rebind = (void *(*)(const struct link_map *, const char *, void *))find(shim.map, "gputap_rebind");
}

static bool is(const uintptr_t *cookie, uintptr_t what)
{
	const struct object *o = (const struct object *)*cookie;

	return o && o->what == what;
}

static uintptr_t bind(const char *name, uintptr_t real, const uintptr_t *from, const uintptr_t *to, unsigned *flags)
{
	const struct object *library = (const struct object *)*to;
	void *wrapper = NULL;

	*flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
	/* For dlsym glibc 2.36 asks when either side wants it: the shim's own look-ups are told apart here. */
	if (rebind && is(from, PLAIN) && is(to, OPENCL) && name[0] == 'c')
		wrapper = rebind(library->map, name, (void *)real);
	return wrapper ? (uintptr_t)wrapper : real;
}

EXPORTED uintptr_t la_symbind64(
	ElfW(Sym) * symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags, const char *name)
{
	(void)index;
	return bind(name, symbol->st_value, from, to, flags);
}
