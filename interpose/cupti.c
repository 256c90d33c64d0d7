/*
 * interpose/cupti.c - wrappers of CUPTI's functions, for clients of the program's own: each call is seen, then passed
 * on
 *
 * A client is linked with CUPTI (then it reaches the exported names here), asks dlsym for each function, or is bound
 * by the audit module. Several libraries can be in one process, a toolkit's and a Python wheel's: what leads to one of
 * them has wrappers of its own for it, and a call by an exported name goes where the dynamic linker would have bound
 * it.
 *
 * Runs      on any thread of the program, in place of the function that it called; in dlsym.
 * Must not  allocate, change errno.
 *
 * CLIENT1  The table of a library is filled before a wrapper that leads to it is handed out; filling it again writes
 *          the same values. A library that is gone leaves its table to the next one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/cupti.h"

#include <stdatomic.h>
#include <string.h>

#include "collectors/cupti/client.h"
#include "interpose/loader.h"
#include "interpose/resolve.h"

#define LIBRARIES 3             /* with wrappers of their own */
#define UNKNOWN 999             /* CUPTI_ERROR_UNKNOWN */
#define ARGUMENTS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f

static const char *const names[TAP_CUPTI_ENTRIES] = {
#define ENTRY(name, does, argument) #name,
#include "collectors/cupti/client.def"
};

static struct library {
	_Atomic uintptr_t dynamic;      /* address of its dynamic section; 0: free */
	const void *version;            /* its cuptiGetVersion */
	tap_cupti_function *real[TAP_CUPTI_ENTRIES];
} libraries[LIBRARIES];

int tap_cupti_entry(const char *name)
{
	for (int i = 0; i < TAP_CUPTI_ENTRIES; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

bool tap_object_is_cupti(const struct tap_object *o)
{
	return tap_object_symbol(o, "cuptiGetVersion") && !tap_object_is_shim(o);
}

/* ---------------------------------------------------------------- libraries */

/* CLIENT1 */
static void fill(struct library *l, const struct tap_object *o)
{
	__atomic_store_n(&l->version, tap_object_symbol(o, "cuptiGetVersion"), __ATOMIC_RELAXED);
	for (int i = 0; i < TAP_CUPTI_ENTRIES; i++) {
		void *real = tap_object_symbol(o, names[i]);

		__atomic_store_n(&l->real[i], (tap_cupti_function *)real, __ATOMIC_RELEASE);
	}
}

static bool has_dynamic(const struct tap_object *o, void *arg) { return (uintptr_t)o->dynamic == *(uintptr_t *)arg; }

static bool is_gone(uintptr_t dynamic)
{
	return !tap_objects_walk(has_dynamic, &dynamic) && !tap_objects_walk_elsewhere(has_dynamic, &dynamic);
}

/* Its table, filled; NULL: there is no room. */
static struct library *library_of(const struct tap_object *o)
{
	uintptr_t wanted = (uintptr_t)o->dynamic;

	for (unsigned i = 0; i < LIBRARIES; i++) {
		struct library *l = &libraries[i];
		uintptr_t is = atomic_load_explicit(&l->dynamic, memory_order_acquire);

		if (is != wanted && is && !is_gone(is))
			continue;
		if (is != wanted && !atomic_compare_exchange_strong(&l->dynamic, &is, wanted) && is != wanted)
			continue;
		fill(l, o);
		return l;
	}
	return NULL;
}

/* -------------------------------------------------------------------- calls */

static int call(int entry, const struct library *l, const void *caller, const uintptr_t a[TAP_CUPTI_ARGUMENTS])
{
	struct tap_cupti_call c = { .entry = (enum tap_cupti_entry)entry, .real = l->real[entry], .library = l->version,
		.caller = caller };

	if (!c.real)
		return UNKNOWN;
	memcpy(c.argument, a, sizeof c.argument);
	return tap_cupti_client_call(&c);
}

/* The object that called by name last, and its library: range and table never change while `bytes` is not 0. */
static struct { uintptr_t start; _Atomic uintptr_t bytes; struct library *library; } last;
static _Atomic bool last_is_taken;

void tap_cupti_suspect(void)
{
	atomic_store_explicit(&last.bytes, 0, memory_order_release);
	atomic_store_explicit(&last_is_taken, false, memory_order_release);
}

static void remember(const void *caller, struct library *l)
{
	struct tap_object from;

	if (!tap_object_at(caller, &from) || atomic_exchange(&last_is_taken, true))
		return;
	last.start = from.start;
	last.library = l;
	atomic_store_explicit(&last.bytes, from.end - from.start, memory_order_release);
}

static struct library *library_of_caller(const void *caller)
{
	uintptr_t bytes = atomic_load_explicit(&last.bytes, memory_order_acquire);
	struct tap_object found;
	struct library *l;

	if ((uintptr_t)caller - last.start < bytes)
		return last.library;
	if (!tap_library_reached(caller, tap_object_is_cupti, true, &found))
		return NULL;
	l = library_of(&found);
	if (l)
		remember(caller, l);
	return l;
}

static bool is_cupti_itself(const void *caller)
{
	struct tap_object o;

	return tap_object_at(caller, &o) && tap_object_is_cupti(&o);
}

/* By the exported name. What CUPTI calls of its own by its table of symbols is no client's. */
static int by_name(int entry, const void *caller, const uintptr_t a[TAP_CUPTI_ARGUMENTS])
{
	struct library *l;

	tap_start();
	l = library_of_caller(caller);
	if (!l || !l->real[entry])
		return UNKNOWN;
	if (is_cupti_itself(caller))
		return l->real[entry](a[0], a[1], a[2], a[3], a[4], a[5]);
	return call(entry, l, caller, a);
}

#define CALLER __builtin_return_address(0)
#define ENTRY(name, does, argument) \
	__attribute__((visibility("default"))) int name(ARGUMENTS); \
	int name(ARGUMENTS) \
	{ \
		return by_name(TAP_CUPTI_ENTRY_##name, CALLER, (uintptr_t[]){ a, b, c, d, e, f }); \
	}
#include "collectors/cupti/client.def"

#define INSTANCE(n, name) \
	static int name##_in_##n(ARGUMENTS) \
	{ \
		return call(TAP_CUPTI_ENTRY_##name, &libraries[n], CALLER, (uintptr_t[]){ a, b, c, d, e, f }); \
	}
#define ENTRY(name, does, argument) INSTANCE(0, name) INSTANCE(1, name) INSTANCE(2, name)
#include "collectors/cupti/client.def"

static tap_cupti_function *const wrappers[LIBRARIES][TAP_CUPTI_ENTRIES] = {
	{
#define ENTRY(name, does, argument) name##_in_0,
#include "collectors/cupti/client.def"
	}, {
#define ENTRY(name, does, argument) name##_in_1,
#include "collectors/cupti/client.def"
	}, {
#define ENTRY(name, does, argument) name##_in_2,
#include "collectors/cupti/client.def"
	},
};

/* ----------------------------------------------------------------- look-ups */

void *tap_cupti_rebind(int entry, const struct tap_object *library, void *real)
{
	struct library *l = library_of(library);

	return l && (void *)l->real[entry] == real ? (void *)wrappers[l - libraries][entry] : NULL;
}

void *tap_cupti_wrapper(int entry, void *real, const void *caller)
{
	struct tap_object o;
	void *wrapper = NULL;

	tap_start();
	if ((tap_object_at(real, &o) || tap_object_elsewhere(names[entry], real, &o)) && tap_object_is_cupti(&o) &&
		!is_cupti_itself(caller))
		wrapper = tap_cupti_rebind(entry, &o, real);
	return wrapper ? wrapper : real;
}

void *tap_cupti_in_scope(int entry, const void *caller)
{
	struct tap_object o;

	return tap_library_reached(caller, tap_object_is_cupti, false, &o) ? tap_object_symbol(&o, names[entry]) : NULL;
}
