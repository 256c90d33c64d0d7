/*
 * collectors/stack/python.c - the functions of Python that the calling thread runs
 *
 * A thread's state is found by the thread-specific key that the interpreter keeps it under, whether the thread holds
 * the interpreter's lock or not. Which key that is, is found out once: the value of one is a structure that has this
 * thread's own id where a state has it, and leads to a code object.
 *
 * Context and invariants PYTHON1 to PYTHON3: python.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "collectors/stack/python.h"
#include "trace/write/call/frame.h"
#include "trace/write/process.h"
#include "trace/write/stream/stream.h"
#include "trace/write/sys.h"

#define TRIES_MOST 256u                 /* stacks through the interpreter without finding a state, before we give up */

struct tap_python tap_python;
uintptr_t tap_python_code_type;
struct tap_python_range tap_python_range;
static uint32_t key_plus_1;
static uint32_t tries;

bool tap_python_read(uintptr_t from, void *to, size_t bytes)
{
	return from >= 4096 && !tap_seccomp && tap_copy_guarded(tap_sys_getpid(), from, to, bytes) == bytes;
}

/* ------------------------------------------------------------------ the interpreter */

static void give_up(const char *why)
{
	__atomic_store_n(&tap_python_range.length, 0, __ATOMIC_RELAXED);
	TAP_DEGRADE(TAP_PART_CORE, "no functions of Python in call stacks: %s %u.%u", why, tap_python.version >> 8,
		tap_python.version & 0xff);
}

void tap_python_object(const struct tap_object *o)
{
	static uint32_t found;
	struct tap_python p;

	if (__atomic_load_n(&found, __ATOMIC_RELAXED) || !tap_python_look(o, &p) ||
		__atomic_exchange_n(&found, 1, __ATOMIC_RELAXED))
		return;
	tap_python = p;
	if (!p.layout.thread_id) {
		give_up("gputap does not know the structures of CPython");
		return;
	}
	__atomic_store_n(&tap_python_range.start, o->start, __ATOMIC_RELAXED);
	__atomic_store_n(&tap_python_range.length, o->end - o->start, __ATOMIC_RELEASE);
}

/* -------------------------------------------------------------------------- reading */

/* bytes: known where it is called, so that a read is one instruction. */
static inline __attribute__((always_inline)) bool get(bool guarded, uintptr_t at, void *to, size_t bytes)
{
	if (TAP_UNLIKELY(guarded))
		return tap_python_read(at, to, bytes);
	if (at < 4096)
		return false;
	__builtin_memcpy(to, (const void *)at, bytes);
	return true;
}

static inline bool get_word(bool guarded, uintptr_t at, uintptr_t *to) { return get(guarded, at, to, sizeof *to); }

/* A reference may have marks in its low bits (3.14). */
static inline bool get_reference(bool guarded, uintptr_t at, uintptr_t *to)
{
	if (!get_word(guarded, at, to))
		return false;
	*to &= ~(uintptr_t)7;
	return true;
}

static bool present_frame(bool guarded, uintptr_t state, uintptr_t *frame)
{
	const struct tap_python_layout *l = &tap_python.layout;

	if (!get_word(guarded, state + l->frame_of_thread, frame))
		return false;
	return !l->through_cframe || (*frame && get_word(guarded, *frame + l->frame_of_cframe, frame));
}

/* No function's frame: where C entered the interpreter. */
static inline bool is_boundary(bool guarded, uintptr_t frame)
{
	const struct tap_python_layout *l = &tap_python.layout;
	uint8_t owner = 0;

	return l->boundaries == TAP_PYTHON_OWNER && get(guarded, frame + l->boundary, &owner, 1) && owner >= 3;
}

/* ------------------------------------------------------------------------- the state */

static bool is_code(uintptr_t object)
{
	uintptr_t type, name;
	char text[5];

	if (!get_word(true, object + tap_python.layout.type, &type))
		return false;
	if (TAP_READ_ONCE(tap_python_code_type))
		return type == tap_python_code_type;
	if (!get_word(true, type + tap_python.layout.type_name, &name) || !tap_python_read(name, text, sizeof text) ||
		memcmp(text, "code", sizeof text))
		return false;
	TAP_WRITE_ONCE(tap_python_code_type, type);
	return true;
}

/* PYTHON2. NO_FRAME: it may be one, of a thread that runs no function of Python now. */
enum state { NO_STATE, NO_FRAME, A_STATE };

static enum state look_at(uintptr_t state)
{
	uintptr_t thread, frame, code;

	if (state < 4096 || state % 8 || !get_word(true, state + tap_python.layout.thread_id, &thread) ||
		thread != (uintptr_t)pthread_self() || !present_frame(true, state, &frame))
		return NO_STATE;
	for (int i = 0; frame && is_boundary(true, frame); i++)
		if (i == 8 || !get_word(true, frame + tap_python.layout.previous, &frame))
			return NO_STATE;
	if (!frame)
		return NO_FRAME;
	return get_reference(true, frame + tap_python.layout.code, &code) && is_code(code) ? A_STATE : NO_STATE;
}

static bool is_state(uintptr_t state) { return look_at(state) == A_STATE; }

/* An interpreter that compiles a large file for seconds runs no function meanwhile: that is no reason to give up. */
static TAP_COLD uintptr_t find_key(void)
{
	bool may_be = false;

	for (uint32_t i = 0; i < PTHREAD_KEYS_MAX; i++) {
		uintptr_t state = (uintptr_t)pthread_getspecific(i);
		enum state is = state ? look_at(state) : NO_STATE;

		may_be |= is == NO_FRAME;
		if (is != A_STATE)
			continue;
		TAP_WRITE_ONCE(key_plus_1, i + 1);
		return state;
	}
	if (!may_be && __atomic_add_fetch(&tries, 1, __ATOMIC_RELAXED) == TRIES_MOST)
		give_up("no thread's state was found in this CPython");
	return 0;
}

/* The value of a key may be another library's when the interpreter has ended: it is looked at when it is new. */
static inline uintptr_t state_of_thread(uintptr_t *known)
{
	uint32_t key = TAP_READ_ONCE(key_plus_1);
	uintptr_t state = key ? (uintptr_t)pthread_getspecific(key - 1) : 0;

	if (TAP_LIKELY(state && state == *known))
		return state;
	if (!key)
		state = find_key();
	else if (state && !is_state(state))
		state = 0;
	return state ? (*known = state) : 0;
}

/* ---------------------------------------------------------------------------- frames */

static bool skip_boundaries(struct tap_python_walk *w, bool *any)
{
	for (int i = 0; w->frame && is_boundary(w->guarded, w->frame); i++) {
		*any = true;
		if (i == 8 || !get_word(w->guarded, w->frame + tap_python.layout.previous, &w->frame))
			return false;
	}
	return w->frame;
}

bool tap_python_begin(struct tap_python_walk *w, uintptr_t *known, bool in_handler)
{
	uintptr_t state = state_of_thread(known);
	bool any;

	*w = (struct tap_python_walk){ .guarded = in_handler };
	return state && present_frame(w->guarded, state, &w->frame) && skip_boundaries(w, &any);
}

/* PYTHON3 */
static inline bool check_code(bool guarded, uintptr_t code, uint64_t *check)
{
	const struct tap_python_layout *l = &tap_python.layout;
	uintptr_t type, name, file, lines, n, first;
	uint32_t line;

	if (!get_word(guarded, code + l->type, &type) || type != tap_python_code_type ||
		!get_word(guarded, code + l->name, &name) || !get_word(guarded, code + l->file, &file) ||
		!get(guarded, code + l->first_line, &line, sizeof line) ||
		!get_word(guarded, code + l->lines, &lines) ||
		!get_word(guarded, lines + l->bytes_n, &n) || !get_word(guarded, lines + l->bytes, &first))
		return false;
	*check = ((name ^ file << 1 ^ (uint64_t)line << 40) * 0x9fb21c651e98df25ull) ^
		((lines ^ n << 32 ^ first) * 0xff51afd7ed558ccdull);
	return true;
}

static inline uint32_t place_in(bool guarded, uintptr_t frame, uintptr_t code)
{
	const struct tap_python_layout *l = &tap_python.layout;
	uintptr_t at;
	int32_t steps;

	if (l->at_unit)
		return get(guarded, frame + l->at, &steps, sizeof steps) && steps >= 0 && steps < 1 << 24
			? (uint32_t)steps * l->at_unit : REC_PYTHON_NOWHERE;
	if (!l->instructions || !get_word(guarded, frame + l->at, &at))
		return REC_PYTHON_NOWHERE;
	at -= code + l->instructions;
	return at < 1 << 25 ? (uint32_t)at : REC_PYTHON_NOWHERE;
}

bool tap_python_next(struct tap_python_walk *w, struct tap_python_frame *f)
{
	const struct tap_python_layout *l = &tap_python.layout;
	uint8_t entry = l->boundaries == TAP_PYTHON_EACH;
	uintptr_t frame = w->frame;
	bool any = false;

	if (!frame || frame % 8 || !get_reference(w->guarded, frame + l->code, &f->code) ||
		!check_code(w->guarded, f->code, &f->check))
		return false;
	f->at = place_in(w->guarded, frame, f->code);
	if (l->boundaries == TAP_PYTHON_ENTRY && !get(w->guarded, frame + l->boundary, &entry, 1))
		return false;
	if (!get_word(w->guarded, frame + l->previous, &w->frame))
		w->frame = 0;
	skip_boundaries(w, &any);
	f->entered = entry || any || !w->frame;
	return true;
}
