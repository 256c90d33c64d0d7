/*
 * collectors/stack/objects.c - which loaded object an instruction lies in
 *
 * glibc 2.35 and later answer without a lock, in handlers too (_dl_find_object). Before that there is only
 * dl_iterate_phdr, which takes the dynamic linker's lock: a handler that interrupted the holder would wait for ever. So
 * objects are listed ahead, at the start and where a program looks up a symbol, as it does behind each dlopen.
 *
 * Runs      find: anywhere. renew: the constructor, and behind a look-up of a symbol.
 * Must not  allocate, change errno; lock but in renew.
 *
 * OBJECT1  Of two lists one is read and the other written; a list is read by whoever took its address before it was
 *          replaced, and written again only one renewal later. A reader that slept through two of them may see a
 *          mixture: it then finds a wrong object, and an unwinding that does not add up, once.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#include "collectors/collector.h"
#include "collectors/stack/internal.h"

bool tap_objects_listed;

/* ------------------------------------------------------------ the C library's answer */

#if defined(DLFO_STRUCT_HAS_EH_DBASE)   /* dlfcn.h of 2.35 and later */
/* Looked up and not linked with: even a weak reference would ask for glibc 2.35 when we are loaded. */
static int (*find_object)(void *address, struct dl_find_object *out);

static void look_for_it(void)
{
	void *found = tap_way_in.dlsym ? tap_way_in.dlsym(RTLD_DEFAULT, "_dl_find_object") : NULL;

	if (tap_way_in.dlsym && !found)
		tap_way_in.dlsym(RTLD_DEFAULT, "dlsym");        /* no message is left for the program's dlerror */
	find_object = (int (*)(void *, struct dl_find_object *))found;
}

static bool asked(uintptr_t address, struct tap_object *out)
{
	struct dl_find_object o;

	if (find_object((void *)address, &o) || !o.dlfo_link_map)
		return false;
	*out = (struct tap_object){
		.start = (uintptr_t)o.dlfo_map_start,
		.end = (uintptr_t)o.dlfo_map_end,
		.bias = o.dlfo_link_map->l_addr,
		.tables = o.dlfo_eh_frame,
		.path = o.dlfo_link_map->l_name,
		.identity = o.dlfo_link_map,
	};
	return true;
}

static bool can_ask(void) { return find_object != NULL; }
#else
static void look_for_it(void) {}

static bool asked(uintptr_t address, struct tap_object *out)
{
	(void)address, (void)out;
	return false;
}

static bool can_ask(void) { return false; }
#endif

/* --------------------------------------------------------------------- our own list */

#define LISTED_MAX 2048u
#define PATHS_BYTES (256u << 10)        /* texts of a list; an object may be unloaded while its path is read */

struct list {
	uint32_t n, text;
	struct tap_object object[LISTED_MAX];
	char path[PATHS_BYTES];
};
static struct list lists[2];                    /* untouched, and so without memory, where the library answers */
static struct list *present;
static uint64_t seen_changes = UINT64_MAX;
static uint32_t renewing;

static const char *keep_path(struct list *l, const char *path)
{
	char *to = l->path + l->text;
	uint32_t room = PATHS_BYTES - l->text;

	for (uint32_t i = 0; path && i < room; i++) {
		to[i] = path[i];
		if (path[i])
			continue;
		l->text += i + 1;
		return to;
	}
	return "";
}

static int add(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct list *l = ctx;
	struct tap_object o = { .start = UINTPTR_MAX, .bias = info->dlpi_addr, .identity = info->dlpi_phdr };

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_EH_FRAME)
			o.tables = (const uint8_t *)at;
		if (p->p_type != PT_LOAD)
			continue;
		if (at < o.start)
			o.start = at & ~(uintptr_t)4095;
		if (at + p->p_memsz > o.end)
			o.end = at + p->p_memsz;
	}
	o.path = keep_path(l, info->dlpi_name);
	if (o.start < o.end && l->n < LISTED_MAX)
		l->object[l->n++] = o;
	return 0;
}

static int changes(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	*(uint64_t *)ctx = bytes >= offsetof(struct dl_phdr_info, dlpi_tls_modid)
		? (uint64_t)(info->dlpi_adds + info->dlpi_subs) : UINT64_MAX;
	return 1;
}

void tap_objects_list(void)
{
	uint64_t now = 0;

	if (!can_ask() && !present)
		look_for_it();
	if (can_ask() && !tap_objects_listed)
		return;
	if (__atomic_exchange_n(&renewing, 1, __ATOMIC_ACQUIRE))
		return;
	dl_iterate_phdr(changes, &now);
	if (now != seen_changes) {
		struct list *l = present == &lists[0] ? &lists[1] : &lists[0];

		l->n = l->text = 0;
		dl_iterate_phdr(add, l);
		seen_changes = now;
		__atomic_store_n(&present, l, __ATOMIC_RELEASE);        /* OBJECT1 */
	}
	__atomic_store_n(&renewing, 0, __ATOMIC_RELEASE);
}

void tap_objects_renew(void)
{
	if (TAP_READ_ONCE(present))
		tap_objects_list();
}

static bool listed(uintptr_t address, struct tap_object *out)
{
	const struct list *l = __atomic_load_n(&present, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; l && i < l->n; i++)
		if (address - l->object[i].start < l->object[i].end - l->object[i].start) {
			*out = l->object[i];
			return true;
		}
	return false;
}

bool tap_object_find(uintptr_t address, struct tap_object *out)
{
	return can_ask() && !tap_objects_listed ? asked(address, out) : listed(address, out);
}
