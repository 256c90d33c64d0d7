/*
 * collectors/stack/modules.c - numbers of the objects that stacks lead through, and the records that say what they are
 *
 * Runs      in the calling thread of the traced program, where a stack is written that its stream does not hold yet.
 * Must not  allocate, lock, change errno.
 *
 * MODULE1  A number is published behind its record. So no stack in a trace names a module that is not there, whenever
 *          the program was killed. Two threads that meet an object together write it twice; both numbers are right.
 * MODULE2  What lies at an address is compared with what was numbered there: after an unload something else may. Its
 *          end, the linker's entry and the build id (or what stands for one: common/plain/object_id.h) say so.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "collectors/stack/internal.h"
#include "common/plain/object_id.h"
#include "trace/write/stream/stream.h"

#define PLACES 4096u                            /* objects at most, about: open addressing */
#define PROBES 64u
#define PATH_MAX_BYTES 4096u

struct build_id { uint32_t bytes; uint64_t words[REC_MODULE_ID_WORDS]; };

/* word: {check u48, number u16}; 0: none yet */
static struct numbered { uintptr_t start; uint64_t word; } numbered[PLACES];
static uint32_t last_number;

void tap_modules_forget(void)
{
	memset(numbered, 0, sizeof numbered);
	last_number = 0;
}

/* ------------------------------------------------------------------ build ids */

/* The file's header is where its first mapping begins; objects that a program made in memory may have none. */
static void find_id(const struct tap_object *o, struct build_id *out)
{
	const ElfW(Ehdr) *e = (const void *)o->start;
	const ElfW(Phdr) *p;

	memset(out, 0, sizeof *out);
	if (o->end - o->start < 4096 || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_phentsize != sizeof *p ||
		e->e_phoff + e->e_phnum * sizeof *p > 4096)
		return;
	p = (const void *)(o->start + e->e_phoff);
	for (unsigned i = 0; i < e->e_phnum; i++) {
		uintptr_t at = o->bias + p[i].p_vaddr;

		if (p[i].p_type == PT_NOTE && at >= o->start && at + p[i].p_filesz <= o->end &&
			(out->bytes = gc_build_id((const void *)at, p[i].p_filesz, out->words, sizeof out->words)))
			return;
	}
	out->bytes = GC_MARK_BYTES;
	out->words[0] = gc_mark(GC_MARK_BEGIN, p, e->e_phnum * sizeof *p);
}

static uint64_t check_of(const struct tap_object *o, const struct build_id *id)
{
	uint64_t h = o->end ^ (uintptr_t)o->identity * 0x9e3779b97f4a7c15ull;

	for (uint32_t i = 0; i < REC_MODULE_ID_WORDS; i++)
		h = (h ^ id->words[i]) * 0xff51afd7ed558ccdull, h ^= h >> 32;
	return h >> 16 ? h >> 16 : 1;                           /* 48 bits, not all 0 */
}

/* --------------------------------------------------------------------- records */

static bool write_module(const struct tap_object *o, const struct build_id *id, uint32_t number)
{
	struct tap_stream *s = tap_stream_get_for(REC_MODULE);
	uint32_t bytes = o->path ? (uint32_t)strnlen(o->path, PATH_MAX_BYTES) : 0;
	uint32_t n = 1 + 10 + (bytes + 4 + 7) / 8 - 1, head = n > 255 ? 2 : 1;
	uint64_t link, *rec = s ? tap_stream_reserve(s, n + head - 1, &link) : NULL;

	if (!rec)
		return false;
	if (head == 2)
		rec[1] = n + 1;
	uint64_t *at = rec + head;

	at[0] = tap_tick();
	at[1] = number | (uint64_t)id->bytes << 32;
	at[2] = o->bias;
	at[3] = o->start;
	at[4] = o->end;
	memcpy(at + 5, id->words, sizeof id->words);
	memcpy(at + 5 + REC_MODULE_ID_WORDS, &bytes, 4);
	memcpy((char *)(at + 5 + REC_MODULE_ID_WORDS) + 4, o->path ? o->path : "", bytes);
	tap_stream_commit(rec, rec_head(REC_MODULE, head == 2 ? 0 : n, head == 2 ? REC_LONG : 0, 0));
	return true;
}

static uint32_t number_anew(struct numbered *at, const struct tap_object *o, const struct build_id *id, uint64_t check)
{
	uint32_t number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);

	if (number >= REC_STACK_INTERRUPTED || !write_module(o, id, number))
		return 0;
	__atomic_store_n(&at->word, check << 16 | number, __ATOMIC_RELEASE);     /* MODULE1 */
	tap_python_object(o);
	return number;
}

/* The place of what begins there; NULL: too many objects. */
static struct numbered *place_of(uintptr_t start)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct numbered *at = &numbered[((start >> 12) * 0x9e3779b1u + i) % PLACES];
		uintptr_t free_place = 0;

		if (__atomic_load_n(&at->start, __ATOMIC_RELAXED) == start ||
			__atomic_compare_exchange_n(
				&at->start, &free_place, start, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			free_place == start)
			return at;
	}
	return NULL;
}

uint32_t tap_module_at(uintptr_t address, bool *changed)
{
	struct tap_object o;
	struct build_id id;
	struct numbered *at;
	uint64_t check, word;

	if (!tap_object_find(address, &o) || !(at = place_of(o.start)))
		return 0;
	find_id(&o, &id);
	check = check_of(&o, &id);
	word = __atomic_load_n(&at->word, __ATOMIC_ACQUIRE);
	if (word >> 16 == check)
		return word & 0xffff;
	*changed |= word != 0;                                  /* MODULE2 */
	return number_anew(at, &o, &id, check);
}
