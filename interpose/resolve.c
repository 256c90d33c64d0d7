/*
 * interpose/resolve.c - the real library behind a call that reached an exported wrapper
 *
 * Two OpenCL libraries can live in one process (the system's, and a renamed one in a Python wheel). A caller means the
 * one that the dynamic linker would have bound it to without us: the first in the global scope as it was at start, else
 * the one in its own dependency closure, else any loaded one that exports the API (opened RTLD_GLOBAL later, or by a
 * plug-in's host).
 *
 * Runs      at the start of every call through an exported name, on any thread, in signal handlers.
 * Must not  allocate, lock (the first call of an object takes the loader's lock), change errno.
 *
 * CALLER1  An entry's range and table never change once published; only `bytes` goes to 0 (not to be used) and back.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/resolve.h"

#include <stdatomic.h>

#include "collectors/opencl/hooks.h"
#include "interpose/loader.h"
#include "interpose/routes.h"
#include "trace/write/debug.h"
#include "trace/write/sys.h"
#include "trace/write/tls.h"

/* Objects that call OpenCL by name, as address ranges. */
#define CALLERS 256
/*
 * Objects that can be searched when no memory can be mapped: the first ones, among them all that were there at start.
 */
#define SPARE 192

struct caller {
	uintptr_t start;
	_Atomic uintptr_t bytes;        /* 0: unused, or in doubt after a dlclose */
	const struct tap_opencl_api *api;
	uintptr_t full_bytes, dynamic;  /* to recognise it again */
	uintptr_t library;              /* its library's dynamic section */
	bool startup;
	_Atomic bool ready;
};
static struct caller callers[CALLERS];
static _Atomic unsigned callers_used;
struct tap_first_caller tap_first_caller;       /* callers[0], as far as the wrappers need it */

/* ------------------------------------------------------ which library is it */

/*
 * A copy of the list, to search it more than once. Mapped for the moment: stacks may be small, malloc may be the
 * caller.
 */
struct list {
	struct tap_object *object;
	unsigned n, room;
	bool (*is)(const struct tap_object *o); /* what is searched for: a library of OpenCL, or of CUPTI */
};

static bool count_object(const struct tap_object *o, void *arg)
{
	(void)o;
	++*(unsigned *)arg;
	return false;
}

static bool copy_object(const struct tap_object *o, void *arg)
{
	struct list *l = arg;

	if (l->n < l->room)
		l->object[l->n++] = *o;
	return false;
}

static const struct tap_object *named(const struct list *l, const char *name)
{
	for (unsigned i = 0; i < l->n; i++)
		if (tap_object_is_named(&l->object[i], name))
			return &l->object[i];
	return NULL;
}

/* Breadth first, as the dynamic linker searches. `queue` and `seen` have room for all objects. */
static const struct tap_object *in_closure(
	const struct list *l, const struct tap_object *root, unsigned *queue, uint8_t *seen)
{
	unsigned head = 0, tail = 0;

	queue[tail++] = (unsigned)(root - l->object);
	seen[root - l->object] = 1;
	while (head < tail) {
		const struct tap_object *o = &l->object[queue[head++]];
		const char *name;

		if (l->is(o))
			return o;
		for (unsigned i = 0; (name = tap_object_needed(o, i)); i++) {
			const struct tap_object *dep = named(l, name);

			if (dep && !seen[dep - l->object]) {
				seen[dep - l->object] = 1;
				queue[tail++] = (unsigned)(dep - l->object);
			}
		}
	}
	return NULL;
}

static const struct tap_object *first(const struct list *l, bool startup_only)
{
	for (unsigned i = 0; i < l->n; i++)
		if ((!startup_only || l->object[i].startup) && l->is(&l->object[i]))
			return &l->object[i];
	return NULL;
}

struct search {
	uintptr_t caller;
	bool (*is)(const struct tap_object *o);
	bool anywhere;                  /* also what is in no scope of the caller */
	bool caller_known, found;
	struct tap_object from, library;
};

static void search_list(struct search *s, const struct list *l, unsigned *queue, uint8_t *seen)
{
	const struct tap_object *from = NULL, *library = first(l, true);

	for (unsigned i = 0; i < l->n && !from; i++)
		if (s->caller >= l->object[i].start && s->caller < l->object[i].end)
			from = &l->object[i];
	if (from)
		s->from = *from;
	s->caller_known = from;
	if (!library && from)
		library = in_closure(l, from, queue, seen);
	if (!library && s->anywhere)
		library = first(l, false);
	if (library)
		s->library = *library;
	s->found = library;
}

/* Inside the walk's callback, so that the loader's lock is held for the whole search and no object goes away. */
static bool search_locked(const struct tap_object *unused, void *arg)
{
	static struct { struct tap_object object[SPARE]; unsigned queue[SPARE]; uint8_t seen[SPARE]; } spare;
	struct list l = { .is = ((const struct search *)arg)->is };
	size_t per_object = sizeof(struct tap_object) + sizeof(unsigned) + 1;

	(void)unused;
	tap_objects_walk(count_object, &l.room);
	size_t bytes = l.room * per_object;
	char *memory = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* the program may still get its answer: the loader's lock is held, so one at a time */
	if (!memory) {
		l.object = spare.object;
		l.room = SPARE;
		__builtin_memset(spare.seen, 0, sizeof spare.seen);
		tap_objects_walk(copy_object, &l);
		search_list(arg, &l, spare.queue, spare.seen);
		return true;
	}
	l.object = (struct tap_object *)memory;
	tap_objects_walk(copy_object, &l);
	unsigned *queue = (unsigned *)(l.object + l.room);

	search_list(arg, &l, queue, (uint8_t *)(queue + l.room));
	tap_sys_munmap(memory, bytes);
	return true;
}

bool tap_library_reached(
	const void *caller, bool (*is)(const struct tap_object *o), bool anywhere, struct tap_object *found)
{
	struct search s = { .caller = (uintptr_t)caller, .is = is, .anywhere = anywhere };

	tap_objects_walk(search_locked, &s);
	*found = s.library;
	return s.found;
}

bool tap_library_of(const void *caller, struct tap_object *found)
{
	return tap_library_reached(caller, tap_object_is_opencl, false, found);
}

bool tap_caller_is_opencl(const void *caller)
{
	struct tap_object o;

	return tap_object_at(caller, &o) && tap_object_is_opencl(&o);
}

/* --------------------------------------------------------------- the callers */

/* CALLER1. Pairs with the acquires in holds() and tap_is_first_caller(). */
static void usable(struct caller *c, uintptr_t bytes)
{
	if (c == &callers[0]) {
		if (!tap_first_caller.api) {
			tap_first_caller.start = c->start;
			tap_first_caller.api = c->api;
		}
		atomic_store_explicit(&tap_first_caller.bytes, bytes, memory_order_release);
	}
	atomic_store_explicit(&c->bytes, bytes, memory_order_release);
}

static void remember(const struct search *s, const struct tap_opencl_api *api)
{
	for (unsigned i = 0; i < CALLERS && i < callers_used; i++) {
		struct caller *c = &callers[i];

		if (c->ready && c->start == s->from.start && c->full_bytes == s->from.end - s->from.start &&
			c->dynamic == (uintptr_t)s->from.dynamic && c->library == (uintptr_t)s->library.dynamic &&
			c->api == api) {
			usable(c, c->full_bytes);               /* CALLER1: still the same */
			return;
		}
	}
	unsigned n = atomic_load(&callers_used);

	do {
		if (n >= CALLERS)
			return;
	} while (!atomic_compare_exchange_weak(&callers_used, &n, n + 1));
	struct caller *c = &callers[n];

	c->start = s->from.start;
	c->full_bytes = s->from.end - s->from.start;
	c->dynamic = (uintptr_t)s->from.dynamic;
	c->library = (uintptr_t)s->library.dynamic;
	c->api = api;
	c->startup = s->from.startup && s->library.startup;
	atomic_store_explicit(&c->ready, true, memory_order_release);
	usable(c, c->full_bytes);
}

static TAP_COLD const struct tap_opencl_api *resolve(const void *caller)
{
	struct search s = { .caller = (uintptr_t)caller, .is = tap_object_is_opencl, .anywhere = true };

	tap_start();
	tap_objects_walk(search_locked, &s);
	const struct tap_opencl_api *api = tap_loader_table(s.found ? &s.library : NULL);

	TAP_DEBUG(loader, "caller %lx in %s: library %s", (unsigned long)s.caller,
		!s.caller_known ? "unknown memory" : *s.from.path ? s.from.path : "the program",
	          s.found ? s.library.path : "none");
	if (s.found && s.caller_known)
		remember(&s, api);
	return api;
}

static inline bool holds(const struct caller *c, uintptr_t address)
{
	uintptr_t bytes = atomic_load_explicit(&c->bytes, memory_order_acquire);

	return address - c->start < bytes;
}

const struct tap_opencl_api *tap_opencl_real(void *caller)
{
	uintptr_t address = (uintptr_t)caller;
	unsigned n = atomic_load_explicit(&callers_used, memory_order_relaxed);

	for (unsigned i = 0; i < n && i < CALLERS; i++)
		if (holds(&callers[i], address))
			return callers[i].api;
	return resolve(caller);
}

void tap_callers_suspect(void)
{
	unsigned n = callers_used;

	for (unsigned i = 0; i < n && i < CALLERS; i++)
		if (!callers[i].startup)
			usable(&callers[i], 0);
}
