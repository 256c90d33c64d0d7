/*
 * interpose/loader.c - the tables of the OpenCL libraries in this process
 *
 * Runs      on slow paths: dlsym of an OpenCL name, first call of a calling object, the audit module, exit.
 * Must not  allocate, change errno, leave a dlerror message.
 *
 * TABLE1  A table belongs to one loaded object (load bias, dynamic section, path). It is filled before its number is
 *         handed out.
 * TABLE2  Filling writes the same values whoever does it: threads that meet at a new library fill side by side,
 *         nobody waits.
 * TABLE3  A table is given to another library only when its own is gone from the process; a library that comes back
 *         under the same path gets its old table.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/loader.h"
#include "common/plain/without.h"

#include <stdatomic.h>
#include <string.h>

#include "collectors/opencl/hooks.h"
#include "trace/write/options.h"
#include "trace/write/process.h"
#include "interpose/cupti.h"
#include "interpose/references.h"
#include "interpose/resolve.h"
#include "interpose/side.h"
#include "trace/write/tls.h"

/* Libraries with a table; those behind TAP_ROUTES serve linked callers only. */
#define LOADERS 16
/* Nothing is found: wrappers see NULL pointers and return an error. */
static const struct tap_opencl_api no_functions;

struct tap_opencl_api tap_route[TAP_ROUTES];
static struct tap_opencl_api more_tables[LOADERS - TAP_ROUTES];

struct loader {
	_Atomic uintptr_t dynamic;      /* address of its dynamic section: who owns this table; 0 = free */
	_Atomic uintptr_t base;
	_Atomic uint64_t path_hash;
	_Atomic bool filled;
	_Atomic bool suspect;           /* something was unloaded since it was last seen */
	bool elsewhere;                 /* in a namespace of its own (dlmopen): not in our list, never given up */
	bool driver;                    /* an ICD driver: what a loader looks up in it is the loader's own business */
};
static struct loader loaders[LOADERS];

static struct tap_opencl_api *table_of(unsigned n)
{
	return n < TAP_ROUTES ? &tap_route[n] : &more_tables[n - TAP_ROUTES];
}

static void **function_in(struct tap_opencl_api *api, const struct tap_entry *e)
{
	return (void **)api + e->api_index;
}

static uint64_t hash_of(const char *text)
{
	uint64_t h = 14695981039346656037ull;           /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ull;
	return h | 1;
}

/* ---------------------------------------------------------------- filling */

/* Other tools that stand between us and a library of the start: without us the program would have reached them. */
struct between {
	const struct tap_object *library;
	struct tap_object tool[4];
	unsigned n;
	bool behind_us;
};

static bool defines_any(const struct tap_object *o)
{
	for (size_t i = 0; i < tap_opencl_entry_count; i++)
		if (tap_object_symbol(o, tap_opencl_entries[i].name))
			return true;
	return false;
}

static bool find_between(const struct tap_object *o, void *arg)
{
	struct between *b = arg;

	if (o->dynamic == b->library->dynamic)
		return true;
	if (b->behind_us && o->startup && b->n < sizeof b->tool / sizeof *b->tool && !tap_object_is_shim(o) &&
		defines_any(o))
		b->tool[b->n++] = *o;
	b->behind_us |= tap_object_is_self(o);
	return false;
}

static void *reached(const struct between *b, const char *name)
{
	void *real = tap_object_symbol(b->library, name), *other;

	for (unsigned i = 0; real && i < b->n; i++)
		if ((other = tap_object_symbol(&b->tool[i], name)))
			return other;
	return real;
}

static void fill(unsigned n, const struct tap_object *o)
{
	struct loader *l = &loaders[n];
	struct between b = { .library = o };

	if (o->startup)
		tap_objects_walk(find_between, &b);
	for (size_t i = 0; i < tap_opencl_entry_count; i++) {
		const struct tap_entry *e = &tap_opencl_entries[i];

		__atomic_store_n(function_in(table_of(n), e), reached(&b, e->name), __ATOMIC_RELAXED);
	}
	atomic_store_explicit(&l->base, o->base, memory_order_relaxed);
	atomic_store_explicit(&l->path_hash, hash_of(o->path), memory_order_relaxed);
	l->driver = tap_object_symbol(o, "clIcdGetPlatformIDsKHR") != NULL;
	atomic_store_explicit(&l->suspect, false, memory_order_relaxed);
	atomic_store_explicit(&l->filled, true, memory_order_release);  /* pairs with the acquire in is_filled */
}

static bool is_filled(const struct loader *l)
{
	return atomic_load_explicit(&l->filled, memory_order_acquire);
}

/* TABLE1 */
static bool belongs_to(const struct loader *l, const struct tap_object *o)
{
	return l->dynamic == (uintptr_t)o->dynamic && is_filled(l) && l->base == o->base &&
		l->path_hash == hash_of(o->path);
}

static bool is_mapped_as(const struct tap_object *o, void *arg)
{
	return belongs_to(arg, o);
}

static bool take(unsigned n, uintptr_t old, const struct tap_object *o)
{
	return atomic_compare_exchange_strong(&loaders[n].dynamic, &old, (uintptr_t)o->dynamic) ||
		old == (uintptr_t)o->dynamic;
}

/* A table whose library is gone: the one of the same path if there is one. LOADERS = none. TABLE3 */
static unsigned abandoned(uint64_t path_hash)
{
	unsigned found = LOADERS;

	for (unsigned n = 0; n < LOADERS; n++) {
		if (!is_filled(&loaders[n]) || !loaders[n].suspect || loaders[n].elsewhere ||
			tap_objects_walk(is_mapped_as, &loaders[n]))
			continue;
		if (loaders[n].path_hash == path_hash)
			return n;
		if (found == LOADERS)
			found = n;
	}
	return found;
}

static unsigned take_new(const struct tap_object *o)
{
	for (unsigned n = 0; n < LOADERS; n++)
		if (take(n, 0, o))
			return n;
	return LOADERS;
}

/* Number of the table of this library, made at first sight; LOADERS when there is no room. */
static unsigned number_of(const struct tap_object *o)
{
	for (unsigned n = 0; n < LOADERS; n++) {
		if (!belongs_to(&loaders[n], o))
			continue;
		loaders[n].suspect = false;
		return n;
	}
	unsigned n = abandoned(hash_of(o->path));

	if (n < LOADERS && take(n, loaders[n].dynamic, o))
		loaders[n].filled = false;
	else
		n = take_new(o);
	if (n < LOADERS)
		fill(n, o);
	if (n >= TAP_ROUTES)
		tap_lost(REC_LOSS_LOADER_MISSED, 1);
	return n;
}

const struct tap_opencl_api *tap_loader_table(const struct tap_object *library)
{
	unsigned n = library ? number_of(library) : LOADERS;

	return n < LOADERS ? table_of(n) : &no_functions;
}

static bool is_known_loader(const struct tap_object *library)
{
	for (unsigned n = 0; n < LOADERS; n++)
		if (belongs_to(&loaders[n], library))
			return true;
	return false;
}

bool tap_loader_is_known(const void *address)
{
	struct tap_object o;

	return tap_object_at(address, &o) && is_known_loader(&o);
}

void tap_loaders_suspect(void)
{
	for (unsigned n = 0; n < LOADERS; n++)
		if (loaders[n].dynamic && !loaders[n].elsewhere)
			loaders[n].suspect = true;
	tap_callers_suspect();
	tap_sides_suspect();
}

/* A table that is none of ours came with a layer. */
bool tap_opencl_loaded(const struct tap_opencl_api *api)
{
	struct tap_object o;

	for (unsigned n = 0; n < LOADERS; n++)
		if (table_of(n) == api)
			return tap_objects_walk(is_mapped_as, &loaders[n]) ||
				tap_objects_walk_elsewhere(is_mapped_as, &loaders[n]);
	if (api == &tap_layer_route && !tap_layer_loaded())
		return false;
	return !api->clFinish || tap_object_at((const void *)(uintptr_t)api->clFinish, &o);
}

/* Drivers close libraries too, with their locks held: only an ICD loader's handle is the application's own. */
bool tap_loader_is_handle(const void *handle)
{
	const struct link_map *map = handle;

	for (unsigned n = 0; map && n < LOADERS; n++)
		if (is_filled(&loaders[n]) && loaders[n].dynamic == (uintptr_t)map->l_ld && !loaders[n].driver)
			return true;
	return false;
}

/* --------------------------------------------------------------- wrappers */

static bool is_ours_to_wrap(unsigned n, const void *caller)
{
	return !loaders[n].driver || !tap_caller_is_opencl(caller);
}

/* The number of the loader that has `real` as this function, by its table alone. */
static unsigned known_owner(const struct tap_entry *e, const void *real)
{
	for (unsigned n = 0; n < TAP_ROUTES; n++)
		if (is_filled(&loaders[n]) && !loaders[n].suspect && *function_in(&tap_route[n], e) == real)
			return n;
	return TAP_ROUTES;
}

static void *wrapper_in(const struct tap_entry *e, unsigned n, void *real, const void *caller)
{
	if (n >= TAP_ROUTES || *function_in(&tap_route[n], e) != real || !e->route[n] || !is_ours_to_wrap(n, caller))
		return real;
	return e->route[n];
}

void *tap_loader_wrapper(const struct tap_entry *e, void *real, const void *caller)
{
	unsigned n = known_owner(e, real);
	struct tap_object o;
	bool elsewhere = false;

	tap_start();
	if (n == TAP_ROUTES) {
		if (!tap_object_at(real, &o) && !(elsewhere = tap_object_elsewhere(e->name, real, &o)))
			return real;
		if (!tap_object_is_opencl(&o))
			return real;
		n = number_of(&o);
		if (elsewhere && n < TAP_ROUTES)
			loaders[n].elsewhere = true;
	}
	return wrapper_in(e, n, real, caller);
}

void *tap_loader_exported(const struct tap_entry *e, const void *real)
{
	unsigned n = known_owner(e, real);

	return n < TAP_ROUTES ? e->route[n] : NULL;
}

void *tap_loader_in_scope(const struct tap_entry *e, const void *caller)
{
	struct tap_object o;

	return tap_library_of(caller, &o) ? tap_object_symbol(&o, e->name) : NULL;
}

/* ------------------------------------------------- the audit module's door */

/*
 * libgputap-audit.so asks, from inside the dynamic linker, what to bind instead of `real`, which `library` defines as
 * `name`. NULL: leave it.
 */
__attribute__((visibility("default")))
void *gputap_rebind(const struct link_map *library, const char *name, void *real)
{
	const struct tap_entry *e = tap_opencl_entry(name);
	int cupti = e ? -1 : tap_cupti_entry(name);
	struct tap_object o;

	if (cupti >= 0)
		return tap_object_from_map(&o, library) && tap_object_is_cupti(&o) ? tap_cupti_rebind(cupti, &o, real)
										    : NULL;
	if (!e || !tap_object_from_map(&o, library) || !tap_object_is_opencl(&o))
		return NULL;
	unsigned n = number_of(&o);

	if (n >= TAP_ROUTES)
		return NULL;
	loaders[n].elsewhere = !tap_objects_walk(is_mapped_as, &loaders[n]);
	return *function_in(&tap_route[n], e) == real ? e->route[n] : NULL;
}

/* ------------------------------------------------------------------- exit */

struct missed { unsigned n; bool behind_us, elsewhere; };

/* Loaders that have been counted, by their dynamic sections; changed under the loader's lock. */
static const void *told[LOADERS];
static unsigned n_told;

static bool count_once(const void *dynamic)
{
	for (unsigned i = 0; i < n_told; i++)
		if (told[i] == dynamic)
			return false;
	if (n_told == LOADERS)
		return false;
	told[n_told++] = dynamic;
	return true;
}

static bool count_missed(const struct tap_object *o, void *arg)
{
	struct missed *m = arg;

	m->behind_us |= tap_object_is_self(o);
	/* What was there before main, behind us, is caught by binding: if it was not seen, it was not called. */
	if ((!o->startup || !m->behind_us) && tap_object_is_opencl(o) &&
		!tap_object_symbol(o, "clIcdGetPlatformIDsKHR") && !is_known_loader(o) && !tap_layer_was_asked(o) &&
		(gc_without("never-called") || tap_object_may_be_called(o, m->elsewhere)))
		m->n += count_once(o->dynamic);
	return false;
}

/* Those that have not been counted. */
static unsigned missed_loaders(void)
{
	struct missed m = { 0 };

	if (gc_without("missed-loaders"))
		return 0;
	tap_objects_walk(count_missed, &m);
	m.elsewhere = m.behind_us = true;
	tap_objects_walk_elsewhere(count_missed, &m);
	return m.n;
}

/* Counted as missed, and reached by us later: before its first call that is not to be seen. */
static unsigned reached_since(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_told; i++) {
		struct tap_object o = { .dynamic = told[i] };
		bool known = tap_layer_was_asked(&o);

		for (unsigned k = 0; k < LOADERS && !known; k++)
			known = is_filled(&loaders[k]) && loaders[k].dynamic == (uintptr_t)told[i];
		n += known;
	}
	return n;
}

/* Loaders that are mapped but were never seen by us. */
static void count_missed_loaders(int kind)
{
	unsigned missed = kind == REC_EXIT_EXEC ? 0 : missed_loaders(),
		 reached = kind == REC_EXIT_EXEC ? 0 : reached_since();

	if (missed != reached)
		tap_lost(REC_LOSS_LOADER_MISSED, (uint64_t)missed - reached);
}

/* Where a loader will ask for us as its layer, or the audit module leads its callers to us, that is not known yet. */
static bool reached_later(void)
{
	const char *layers = tap_environ("OPENCL_LAYERS"), *audit = tap_environ("LD_AUDIT");

	return (layers && strstr(layers, "libgputap")) || (audit && strstr(audit, "libgputap"));
}

void tap_loaders_look(void)
{
	unsigned missed;

	if ((tap_off && tap_off != TAP_OFF_EARLY) || tap_calls_off || gc_without("early-look") || !tap_objects_news() ||
		reached_later())
		return;
	missed = missed_loaders();
	if (missed && tap_stream_get())
		tap_lost(REC_LOSS_LOADER_MISSED, missed);
}

/* ------------------------------------------------------------ second copy */

/* Other copies of this library, and the audit module, know it by this symbol. */
__attribute__((visibility("default"))) void gputap_shim(void)
{
}

static bool first_shim(const struct tap_object *o, void *arg)
{
	if (!tap_object_is_shim(o))
		return false;
	*(bool *)arg = !tap_object_is_self(o);
	return true;
}

bool tap_second_copy(void)
{
	bool second = false;

	tap_objects_walk(first_shim, &second);
	return second && !gc_without("second-copy");
}

void tap_second_copy_steps_aside(void)
{
	if (tap_second_copy())
		tap_off = TAP_OFF_OPTION;
	else if (!tap_calls_off)
		tap_on_exit(count_missed_loaders);
}

/* An image that recorded nothing: the exit functions did not run, but somebody should know why there is nothing. */
__attribute__((destructor)) static void at_unrecorded_exit(void)
{
	unsigned missed;

	if ((!tap_off || tap_off == TAP_OFF_EARLY) && !tap_calls_off && (missed = missed_loaders()) && tap_stream_get())
		tap_lost(REC_LOSS_LOADER_MISSED, missed);
}
