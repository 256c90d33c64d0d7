/*
 * interpose/osrt/osrt.c - the real functions behind the wrappers, and the record of a call that took long enough
 *
 * Runs      on any thread of the traced program, in signal handlers, before main and while it ends.
 * Must not  allocate, lock, change errno.
 *
 * OSRT3  The real functions are looked up once, before main: a look-up takes the dynamic linker's lock, and handlers of
 *        signals make calls too. What constructors of libraries call before that is looked up at its first call.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/osrt/osrt.h"

#include <pthread.h>
#include <string.h>

void *osrt_real[OSRT_COUNT];
const char *osrt_one_thread = "";

/* ------------------------------------------------------------- real functions */

/* What the C library lacks; a program that gets here had found no such name without us either. */
static long lacking(void)
{
	errno = ENOSYS;
	return -1;
}

/*
 * Not inlined: dlsym finds out by its return address who asks, so it must not be jumped to at the end of a function.
 * (As the end of a constructor that would be the dynamic linker, which glibc 2.31 does not survive.)
 */
static __attribute__((noinline)) void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		(void)dlsym(RTLD_DEFAULT, "dlsym"); /* success: no message is left for the program's dlerror */
	return found;
}

void *osrt_resolve(enum osrt_index index)
{
	const struct osrt_symbol *s = &osrt_symbols[index];
	int saved = errno;
	void *real = NULL;

	if (!s->name)
		return (void *)lacking;
	if (OSRT_VERSIONS && s->version)
		real = dlvsym(RTLD_NEXT, s->name, s->version);
	if (!real)
		real = next(s->name);
	if (!real)
		real = (void *)lacking;
	__atomic_store_n(&osrt_real[index], real, __ATOMIC_RELAXED);
	errno = saved;
	return real;
}

__attribute__((constructor(101))) static void resolve_all(void) /* OSRT3 */
{
	for (int i = 0; i < OSRT_COUNT; i++)
		if (osrt_symbols[i].name && !osrt_real[i])
			osrt_resolve((enum osrt_index)i);
	int saved = errno;
	const char *one = (const char *)next("__libc_single_threaded");

	if (one)
		osrt_one_thread = one;
	errno = saved;
}

void osrt_cancellation_point(void) { pthread_testcancel(); }

/* -------------------------------------------------------------------- options */

uint64_t osrt_least_ticks;
static uint64_t asked;  /* plus one */
static bool known;      /* the clock's rate, so what the threshold is in ticks */

static bool long_enough(const struct gputap_core *core, const struct gputap_call *call)
{
	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		uint64_t ns = core->option("osrt-threshold"), ticks = core->ticks(ns);

		core->stacks_from(&osrt_thin.object, core->option("osrt-backtrace-threshold"));
		if (ns && !ticks)
			return true;
		__atomic_store_n(&osrt_least_ticks, ticks, __ATOMIC_RELAXED);
		__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	}
	return core->call_ticks(call) >= __atomic_load_n(&osrt_least_ticks, __ATOMIC_RELAXED);
}

static bool texts_wanted(const struct gputap_core *core)
{
	uint64_t known = __atomic_load_n(&asked, __ATOMIC_RELAXED);

	if (!known) {
		known = core->option("osrt-args") + 1;
		__atomic_store_n(&asked, known, __ATOMIC_RELAXED);
	}
	return known == 2;
}

/* -------------------------------------------------------------------- records */

enum { LIMIT_TEXT = 24576 }; /* bytes; as api/osrt.py says it to the reader: a record has room for two of them */

static uint32_t text_limit(const struct gputap_core *core)
{
	static uint32_t known;
	uint32_t limit = __atomic_load_n(&known, __ATOMIC_RELAXED);
	uint64_t asked_for;

	if (limit)
		return limit;
	asked_for = core->option("max-args");
	limit = !asked_for || asked_for > LIMIT_TEXT ? LIMIT_TEXT : asked_for < 4096 ? 4096 : (uint32_t)asked_for;
	__atomic_store_n(&known, limit, __ATOMIC_RELAXED);
	return limit;
}

/* Bytes of a text; *cut: it is longer. */
static uint32_t text_bytes(const char *text, uint32_t most, bool *cut)
{
	uint32_t n = (uint32_t)strnlen(text, most + 1);

	*cut |= n > most;
	return n > most ? most : n;
}

static void put(uint64_t *fixed, uint32_t *first, int at, int bytes, uint64_t value)
{
	if (bytes == 8)
		fixed[at / 2 - 1] = value;
	else if (at == 1)
		*first = (uint32_t)value;
	else
		fixed[at / 2 - 1] |= (value & UINT32_MAX) << (at % 2 * 32);
}

/* Fixed arguments, what came back, then texts: the caller's memory is read only after the real call accepted it. */
static void record(struct osrt_call *c, const struct osrt_function *f, long ret, int error)
{
	bool texts = !error && texts_wanted(c->core), cut = false;
	uint32_t first = 0, bytes[OSRT_ARGS] = { 0 }, words = f->words;
	uint64_t fixed[OSRT_ARGS + 1] = { 0 };

	for (int i = 0; i < f->n; i++) {
		uint64_t value = c->arg[i];

		if (f->arg[i].text && !error) {
			value = texts ? value : 0; /* no address, no text behind it (api/README.md) */
			bytes[i] = value ? text_bytes((const char *)value, text_limit(c->core), &cut) : 0;
			words += value ? (bytes[i] + 4 + 7) / 8 : 0;
		}
		put(fixed, &first, f->arg[i].at, f->arg[i].bytes, value);
	}
	if (f->ret_at >= 0)
		fixed[f->ret_at / 2 - 1] = (uint64_t)ret;
	uint64_t *out = c->core->call_reserve(&c->call, first, words | (cut ? GPUTAP_ARGS_CUT : 0));

	if (!out)
		return;
	memcpy(out, fixed, f->words * 8u);
	out += f->words;
	for (int i = 0; texts && i < f->n; i++) {
		if (!f->arg[i].text || !c->arg[i])
			continue;
		memcpy(out, &bytes[i], 4);
		memcpy((char *)out + 4, (const char *)c->arg[i], bytes[i]);
		out += (bytes[i] + 4 + 7) / 8;
	}
}

/* Behind call_stop_short, of a call that is not over with it. */
void osrt_finish(struct osrt_call *c, bool always, long ret, int error)
{
	if (always || long_enough(c->core, &c->call))
		record(c, &osrt_functions[c->index], ret, error);
	c->core->call_finish(&c->call);
}

void osrt_cancelled(struct osrt_call *c)
{
	const struct osrt_function *f = &osrt_functions[c->index];

	c->core->call_stop(&c->call, ECANCELED);
	record(c, f, -1, ECANCELED);
	c->core->call_finish(&c->call);
	c->core = NULL;
}
