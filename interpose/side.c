/*
 * interpose/side.c - on which side of OpenCL a piece of code stands: its parts, or those who use it
 *
 * A driver may call the very functions that it implements, by their exported names: such a call is no call of the
 * program's. A library of the program's may make calls too, from a callback, or behind a jump out of a call. What the
 * object around the caller exports tells the two apart, whatever lies on the stack.
 *
 * Runs      where a call begins while the thread is in another one; on any thread, in signal handlers.
 * Must not  allocate, lock (the first call of an object takes the loader's lock), change errno.
 *
 * SIDE1  An entry's range and side never change once its bytes are published; after a dlclose bytes go to 0, and come
 *        back only for the same object.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/side.h"

#include <stdatomic.h>

#include "interpose/elf.h"

#define SIDES 64u                       /* objects that make calls inside calls; more are looked up each time */

static struct side {
	uintptr_t start;
	_Atomic uintptr_t bytes;        /* 0: unused, or in doubt after a dlclose */
	uintptr_t full_bytes, dynamic;
	bool inside;
} sides[SIDES];
static _Atomic unsigned sides_used;

static bool is_part(const struct tap_object *o)
{
	static const char *const marks[] = { "clGetPlatformIDs", "clIcdGetPlatformIDsKHR", "clInitLayer" };

	if (!*o->path)                          /* the program itself */
		return false;
	for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
		if (tap_object_symbol(o, marks[i]))
			return true;
	return false;
}

static unsigned in_use(void)
{
	unsigned n = atomic_load_explicit(&sides_used, memory_order_acquire);

	return n < SIDES ? n : SIDES;
}

/* SIDE1. Pairs with the acquire in tap_side_of_opencl(). */
static void remember(const struct tap_object *o, bool inside)
{
	unsigned n;

	for (unsigned i = 0; i < in_use(); i++) {
		struct side *s = &sides[i];

		if (s->start == o->start && s->full_bytes == o->end - o->start && s->dynamic == (uintptr_t)o->dynamic &&
			s->inside == inside) {
			atomic_store_explicit(&s->bytes, s->full_bytes, memory_order_release);
			return;
		}
	}
	if (in_use() == SIDES || (n = atomic_fetch_add(&sides_used, 1)) >= SIDES)
		return;
	sides[n] = (struct side){ .start = o->start,
		.full_bytes = o->end - o->start,
		.dynamic = (uintptr_t)o->dynamic,
		.inside = inside };
	atomic_store_explicit(&sides[n].bytes, o->end - o->start, memory_order_release);
}

static bool is_opencl(const struct tap_object *o, void *arg)
{
	(void)arg;
	return tap_object_is_opencl(o);
}

bool tap_side_of_opencl(const void *address)
{
	struct tap_object o;

	for (unsigned i = 0; i < in_use(); i++) {
		uintptr_t bytes = atomic_load_explicit(&sides[i].bytes, memory_order_acquire);

		if ((uintptr_t)address - sides[i].start < bytes)
			return sides[i].inside;
	}
	/* Made at run time, or an object of another namespace, whose range nobody tells: perhaps a driver's. */
	if (!tap_object_at(address, &o))
		return tap_objects_walk_elsewhere(is_opencl, NULL);
	bool inside = is_part(&o);

	remember(&o, inside);
	return inside;
}

void tap_sides_suspect(void)
{
	for (unsigned i = 0; i < in_use(); i++)
		atomic_store_explicit(&sides[i].bytes, 0, memory_order_release);
}
