/*
 * interpose/elf.c - look into loaded objects without the dynamic linker's own functions
 *
 * Runs      on any thread of the traced program, also before our constructor and inside dlopen.
 * May       take the loader's lock through dl_iterate_phdr.
 * Must not  allocate, change errno, leave a dlerror message.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/elf.h"

#include <string.h>
#include <sys/auxv.h>

#include "common/plain/gnu_hash.h"

/* Objects that were loaded before main; they keep their places at the head of the list. 0 = not counted yet. */
static _Atomic unsigned startup_count;

/* ------------------------------------------------------------------ one object */

/*
 * glibc adds the load bias to the addresses in the dynamic section, except where the section is read-only (vdso, some
 * architectures): an address below the bias has not been moved.
 */
static const void *moved(uintptr_t base, uintptr_t at)
{
	return (const void *)(at < base ? at + base : at);
}

static bool read_dynamic(struct tap_object *o)
{
	size_t soname = SIZE_MAX;

	for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++) {
		const void *p = moved(o->base, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_SYMTAB:   o->symbols = p; break;
		case DT_STRTAB:   o->strings = p; break;
		case DT_GNU_HASH: o->gnu_hash = p; break;
		case DT_HASH:     o->sysv_hash = p; break;
		case DT_VERSYM:   o->versions = p; break;
		case DT_VERDEF:   o->defined = p; break;
		case DT_SONAME:   soname = d->d_un.d_val; break;
		}
	}
	if (!o->symbols || !o->strings)
		return false;
	o->soname = soname == SIZE_MAX ? NULL : o->strings + soname;
	return true;
}

static bool object_from_phdr(struct tap_object *o, const struct dl_phdr_info *info)
{
	*o = (struct tap_object){ .base = info->dlpi_addr, .path = info->dlpi_name ? info->dlpi_name : "",
	                          .start = UINTPTR_MAX };
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t at = o->base + ph->p_vaddr;

		if (ph->p_type == PT_DYNAMIC)
			o->dynamic = (const void *)at;
		if (ph->p_type == PT_GNU_RELRO) {
			o->relro = at;
			o->relro_end = at + ph->p_memsz;
		}
		if (ph->p_type != PT_LOAD)
			continue;
		o->start = at < o->start ? at : o->start;
		o->end = at + ph->p_memsz > o->end ? at + ph->p_memsz : o->end;
	}
	return read_dynamic(o);
}

bool tap_object_from_map(struct tap_object *o, const struct link_map *map)
{
	*o = (struct tap_object){ .base = map->l_addr, .path = map->l_name ? map->l_name : "", .dynamic = map->l_ld };
	return read_dynamic(o);
}

/* --------------------------------------------------------------------- symbols */

static void *symbol_address(const struct tap_object *o, const ElfW(Sym) *sym)
{
	void *at = (void *)(o->base + sym->st_value);

	if (ELF64_ST_TYPE(sym->st_info) != STT_GNU_IFUNC)
		return at;
#if defined(__aarch64__)
	return ((void *(*)(uint64_t, const void *))at)(getauxval(AT_HWCAP), NULL);
#else
	return ((void *(*)(void))at)();
#endif
}

/*
 * strcmp is a sanitizer's own in a program built with one, and that sanitizer asks our dlsym, and so this look-up, for
 * the functions it replaces before its strcmp works (gcc 12, clang 14: a jump to NULL before main).
 */
static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Is this the version with that number? What has no version (1 and less: another tool's) serves for all. */
static bool is_version(const struct tap_object *o, unsigned number, const char *version)
{
	const ElfW(Verdef) *d = o->defined;

	if (!d || number <= 1)
		return true;
	while (d && d->vd_ndx != number)
		d = d->vd_next ? (const ElfW(Verdef) *)((const char *)d + d->vd_next) : NULL;
	return d &&
		same_name(o->strings + ((const ElfW(Verdaux) *)((const char *)d + d->vd_aux))->vda_name, version);
}

/* A function that a reference with this version may use; without: not the old one of several versions. */
static bool is_definition(const struct tap_object *o, uint32_t i, const char *name, const char *version)
{
	const ElfW(Sym) *sym = &o->symbols[i];
	unsigned bind = ELF64_ST_BIND(sym->st_info), type = ELF64_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || sym->st_value == 0 || (bind != STB_GLOBAL && bind != STB_WEAK))
		return false;
	if (type != STT_FUNC && type != STT_GNU_IFUNC)  /* a variable of that name is an application's own pointer */
		return false;
	if (!version && o->versions && (o->versions[i] & 0x8000))
		return false;
	return same_name(o->strings + sym->st_name, name) &&
		(!version || !o->versions || is_version(o, o->versions[i] & 0x7fff, version));
}

static const ElfW(Sym) *find_gnu(const struct tap_object *o, const char *name, const char *version)
{
	uint32_t buckets = o->gnu_hash[0], first = o->gnu_hash[1], bloom_words = o->gnu_hash[2], shift = o->gnu_hash[3];
	const ElfW(Addr) *bloom = (const ElfW(Addr) *)(o->gnu_hash + 4);
	const uint32_t *bucket = (const uint32_t *)(bloom + bloom_words), *chain = bucket + buckets;
	uint32_t hash = gc_gnu_hash(name), bits = sizeof(ElfW(Addr)) * 8;

	if (!buckets || !bloom_words)
		return NULL;
	ElfW(Addr) word = bloom[hash / bits & (bloom_words - 1)];

	if (!(word >> (hash % bits) & word >> ((hash >> shift) % bits) & 1))
		return NULL;
	uint32_t i = bucket[hash % buckets];

	if (i < first)
		return NULL;
	for (;; i++) {
		uint32_t h = chain[i - first];

		if ((h | 1) == (hash | 1) && is_definition(o, i, name, version))
			return &o->symbols[i];
		if (h & 1)
			return NULL;
	}
}

static const ElfW(Sym) *find_sysv(const struct tap_object *o, const char *name, const char *version)
{
	uint32_t buckets = o->sysv_hash[0], hash = 0;
	const uint32_t *bucket = o->sysv_hash + 2, *chain = bucket + buckets;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
		hash = (hash << 4) + *c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	if (!buckets)
		return NULL;
	for (uint32_t i = bucket[hash % buckets]; i; i = chain[i])
		if (is_definition(o, i, name, version))
			return &o->symbols[i];
	return NULL;
}

static void *versioned_symbol(const struct tap_object *o, const char *name, const char *version)
{
	const ElfW(Sym) *sym = o->gnu_hash ? find_gnu(o, name, version)
		: o->sysv_hash             ? find_sysv(o, name, version)
					   : NULL;

	return sym ? symbol_address(o, sym) : NULL;
}

void *tap_object_symbol(const struct tap_object *o, const char *name) { return versioned_symbol(o, name, NULL); }

/* ------------------------------------------------------------- who is it */

/* Set by the linker. A shared object is linked at 0, so its header lies at its load bias. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));

bool tap_object_is_self(const struct tap_object *o)
{
	return o->base == (uintptr_t)&__ehdr_start;
}

bool tap_own_address(const void *address)
{
	return (uintptr_t)address >= (uintptr_t)&__ehdr_start && (uintptr_t)address < (uintptr_t)&_end;
}

bool tap_object_is_shim(const struct tap_object *o)
{
	return tap_object_is_self(o) || tap_object_symbol(o, "gputap_shim");
}

bool tap_object_is_opencl(const struct tap_object *o)
{
	return tap_object_symbol(o, "clGetPlatformIDs") && !tap_object_is_shim(o);
}

bool tap_object_is_named(const struct tap_object *o, const char *name)
{
	const char *slash = strrchr(o->path, '/'), *wanted = strrchr(name, '/');

	if (o->soname && strcmp(o->soname, name) == 0)
		return true;
	if (wanted)
		return strcmp(o->path, name) == 0;
	return strcmp(slash ? slash + 1 : o->path, name) == 0;
}

const char *tap_object_needed(const struct tap_object *o, unsigned n)
{
	for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED && n-- == 0)
			return o->strings + d->d_un.d_val;
	return NULL;
}

/* ----------------------------------------------------------------------- walks */

/* Weak: musl has none, and an image with it need not be traced, but it must start. */
extern struct r_debug _r_debug __attribute__((weak));

struct walk {
	bool (*fn)(const struct tap_object *o, void *arg);
	void *arg;
	unsigned seen, startup;
};

static int visit(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct walk *w = arg;
	struct tap_object o;

	(void)bytes;
	bool readable = object_from_phdr(&o, info);

	o.startup = w->seen++ < w->startup;
	return readable && w->fn(&o, w->arg);
}

bool tap_objects_walk(bool (*fn)(const struct tap_object *o, void *arg), void *arg)
{
	tap_objects_init();
	struct walk w = { .fn = fn, .arg = arg, .startup = startup_count };

	return dl_iterate_phdr(visit, &w);
}

static int count(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	(void)info, (void)bytes;
	++*(unsigned *)arg;
	return 0;
}

void tap_objects_init(void)
{
	unsigned n = 0;

	if (startup_count)
		return;
	dl_iterate_phdr(count, &n);
	startup_count = n;
}

/* glibc 2.35: the namespaces of dlmopen hang behind the first one. */
struct spaces { struct r_debug base; struct spaces *next; };

static bool visit_elsewhere(const struct walk *w)
{
	const struct spaces *space = (const struct spaces *)&_r_debug;

	__asm__("" : "+r"(space));                      /* the compiler knows the older, smaller structure alone */
	if (!space || space->base.r_version < 2)
		return false;
	while ((space = space->next))
		for (const struct link_map *map = space->base.r_map; map; map = map->l_next) {
			struct tap_object o;

			if (tap_object_from_map(&o, map) && w->fn(&o, w->arg))
				return true;
		}
	return false;
}

/* As the callback of a walk: under the loader's lock, so that no list changes while it is read. */
static bool visit_once(const struct tap_object *first, void *arg)
{
	struct walk *w = arg;

	(void)first;
	w->seen = visit_elsewhere(w);
	return true;
}

bool tap_objects_walk_elsewhere(bool (*fn)(const struct tap_object *o, void *arg), void *arg)
{
	struct walk w = { .fn = fn, .arg = arg };

	tap_objects_walk(visit_once, &w);
	return w.seen;
}

/* Under the loader's lock. Additions stand at the end of the list; after a removal nothing is known of it. */
static int look_at_new(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	static const struct link_map *last;
	static unsigned long long removals;
	static bool found;
	const struct spaces *space = (const struct spaces *)&_r_debug;

	if (bytes < sizeof *info || removals != info->dlpi_subs)
		last = NULL;
	removals = bytes < sizeof *info ? 0 : info->dlpi_subs;
	__asm__("" : "+r"(space));
	for (const struct link_map *map = last ? last->l_next : space ? space->base.r_map : NULL; map;
		map = map->l_next) {
		struct tap_object o;

		found |= tap_object_from_map(&o, map) && tap_object_is_opencl(&o);
		last = map;
	}
	*(bool *)arg = found || (space && space->base.r_version >= 2 && space->next);
	return 1;
}

bool tap_objects_news(void)
{
	bool news = false;

	dl_iterate_phdr(look_at_new, &news);
	return news;
}

struct defined { const char *name; const void *address; struct tap_object *found; };

static bool defines(const struct tap_object *o, void *arg)
{
	struct defined *d = arg;

	if (tap_object_symbol(o, d->name) != d->address)
		return false;
	*d->found = *o;
	return true;
}

bool tap_object_elsewhere(const char *name, const void *address, struct tap_object *found)
{
	struct defined d = { .name = name, .address = address, .found = found };

	return tap_objects_walk_elsewhere(defines, &d);
}

struct at { uintptr_t address; struct tap_object *found; };

static bool holds(const struct tap_object *o, void *arg)
{
	struct at *at = arg;

	if (at->address < o->start || at->address >= o->end)
		return false;
	*at->found = *o;
	return true;
}

bool tap_object_at(const void *address, struct tap_object *found)
{
	struct at at = { .address = (uintptr_t)address, .found = found };

	return tap_objects_walk(holds, &at);
}

/*
 * The same before our constructor has counted: then one thread runs, or it holds the loader's lock, and dl_iterate_phdr
 * may be a sanitizer's that does not work yet (ThreadSanitizer of gcc 12, clang 14).
 */
static bool walk_early(bool (*fn)(const struct tap_object *o, void *arg), void *arg)
{
	for (const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL; map; map = map->l_next) {
		struct tap_object o;

		if (tap_object_from_map(&o, map) && fn(&o, arg))
			return true;
	}
	return false;
}

struct next { const struct tap_wanted *wanted; unsigned n; bool behind; };

typedef void *__attribute__((may_alias)) any_function;

/* True when nothing is wanted any more. */
static bool take_definitions(const struct tap_object *o, const struct next *next)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < next->n; i++) {
		any_function *to = next->wanted[i].to;
		void *at = *to ? NULL : versioned_symbol(o, next->wanted[i].name, next->wanted[i].version);

		if (at && tap_object_is_shim(o))
			return false;
		if (at)
			*to = at;
		missing += !*to;
	}
	return !missing;
}

static bool next_definitions(const struct tap_object *o, void *arg)
{
	struct next *next = arg;

	if (tap_object_is_self(o)) {
		next->behind = true;
		return false;
	}
	return next->behind && take_definitions(o, next);
}

void tap_next_symbols(const struct tap_wanted *wanted, unsigned n)
{
	bool (*walk)(bool (*fn)(const struct tap_object *o, void *arg), void *arg) =
		startup_count ? tap_objects_walk : walk_early;
	struct next next = { .wanted = wanted, .n = n };

	if (walk(next_definitions, &next))
		return;
	/* Loaded late (as a layer): the C library stands before us. */
	next.behind = true;
	walk(next_definitions, &next);
}
