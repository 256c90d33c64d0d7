/*
 * interpose/elf.h - look into loaded objects without the dynamic linker's own functions
 *
 * dlsym, dladdr and dlopen(RTLD_NOLOAD) are not for us: a look-up that fails, and even one that succeeds, drops the
 * message that the application's next dlerror() would have returned (PoCL reads dlerror() after its own dlopen and
 * aborts), and RTLD_NOLOAD allocates. So: dl_iterate_phdr for the list, own hash look-up for the symbols.
 *
 * Runs      on any thread. dl_iterate_phdr holds the loader's lock while it walks: slow paths only.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_ELF_H
#define GPUTAP_INTERPOSE_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One loaded object as its dynamic section tells it. The pointers lead into the object: valid while it is loaded. */
struct tap_object {
	uintptr_t base;                 /* load bias, l_addr */
	uintptr_t start, end;           /* first and last mapped byte + 1; 0, 0 when unknown */
	uintptr_t relro, relro_end;     /* made read-only after relocation; 0, 0 when unknown or none */
	const char *path;               /* l_name: "" for the program itself */
	const char *soname;             /* or NULL */
	const ElfW(Dyn) *dynamic;
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *gnu_hash, *sysv_hash;
	const ElfW(Versym) *versions;   /* or NULL */
	const ElfW(Verdef) *defined;    /* names of the versions that it defines, or NULL */
	bool startup;                   /* was there before main: never unloaded, in the global scope */
};

bool tap_object_from_map(struct tap_object *o, const struct link_map *map);

/* Address of the function that the object defines under this name (its default version), or NULL. */
void *tap_object_symbol(const struct tap_object *o, const char *name);

/*
 * Walk the objects of our namespace in load order: fn returns true to stop. The loader's lock is held meanwhile: fn
 * must not call anything but the functions of this header. Returns what the last fn returned.
 */
bool tap_objects_walk(bool (*fn)(const struct tap_object *o, void *arg), void *arg);

/* The same for the objects in other namespaces (dlmopen); their address ranges are unknown. glibc 2.35 and newer. */
bool tap_objects_walk_elsewhere(bool (*fn)(const struct tap_object *o, void *arg), void *arg);
/*
 * Whether, besides what was there before main, an OpenCL library has been seen in our namespace, or anything in another
 * one. Looks at what has come since the last time.
 */
bool tap_objects_news(void);
/* The object in another namespace that defines `name` at this address. */
bool tap_object_elsewhere(const char *name, const void *address, struct tap_object *found);

/* The object that holds this address. */
bool tap_object_at(const void *address, struct tap_object *found);

/* Does this address lie in this very library? */
bool tap_own_address(const void *address);

/* Is o this very library? Another copy of it? */
bool tap_object_is_self(const struct tap_object *o);
bool tap_object_is_shim(const struct tap_object *o);

/* Does o implement or load OpenCL: does it export clGetPlatformIDs, and is no copy of this shim? */
bool tap_object_is_opencl(const struct tap_object *o);

/* Is `name` (a DT_NEEDED entry) this object: by soname, or by the last part of its path? */
bool tap_object_is_named(const struct tap_object *o, const char *name);
/* The n-th DT_NEEDED entry, or NULL behind the last. */
const char *tap_object_needed(const struct tap_object *o, unsigned n);

/*
 * What a reference to `name` from this library would bind to if this library did not define it: the first definition
 * behind us in load order, copies of the shim left out. For the C library's functions that we wrap; another preloaded
 * tool that wraps them too is found first, so that it is chained. All of a list in one walk; what is not NULL stays.
 */
struct tap_wanted { const char *name, *version; void *to; };    /* version: or NULL; to: a pointer to a function */
void tap_next_symbols(const struct tap_wanted *wanted, unsigned n);

/* Note which objects are there before main. Idempotent; the constructor calls it. */
void tap_objects_init(void);

#endif
