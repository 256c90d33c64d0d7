/*
 * collectors/cupti/string.c - what activity records point to: names of kernels and devices, paths, a few bytes of data
 *
 * Runs      when a buffer comes back: on CUPTI's worker thread, or on one of the program that flushes; on the
 *           collector's thread. Several at once.
 * May       make system calls.
 * Must not  allocate with malloc, lock, trust a pointer.
 *
 * STRING1  A buffer's completion is stamped after its strings were written, so a reader finds for each pointer the
 *          last string of that address up to the stamp.
 * STRING2  An address is stored again when what stands there has changed: its hash is kept, and compared once a
 *          buffer.
 * STRING3  The hash of an address is set after its record was committed: who finds an address without one writes the
 *          string too. Twice is harmless.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/cupti/internal.h"
#include "trace/format/cupti.h"
#include "trace/write/call/frame.h"

#define LONGEST 60000u                  /* bytes kept of one string: one record */
#define FIRST_TABLE 1024u
#define TABLES 8u
#define PROBES 16u
#define RECENT 128u
#define LARGEST_DATA 64u                /* bytes */

/*
 * Fields that hold the address of a text, or of so many bytes where another field has that value; and which layouts
 * have some.
 */
static const struct { uint8_t layout, bytes; uint16_t offset, which; uint32_t value; } pointers[] = {
#define TEXT(layout, name, offset, type, since) { REC_CUPTI_LAYOUT_##layout, 0, offset, 0, 0 },
#define DATA(layout, name, offset, type, since, bytes, which, value) \
	{ REC_CUPTI_LAYOUT_##layout, bytes, offset, rec_at_##layout##_##which, value },
#include "trace/format/cupti.def"
};
#define DATA(layout, name, offset, type, since, bytes, which, value) \
	_Static_assert((bytes) <= LARGEST_DATA, "room for it"); \
	_Static_assert(sizeof(rec_type_##layout##_##which) == 4, "as it is compared");
#include "trace/format/cupti.def"
static const uint8_t layouts[TAP_CUPTI_KINDS] = {
#define KIND(id, number, layout, least, minimum, sort, on, text) [number] = REC_CUPTI_LAYOUT_##layout,
#include "trace/format/cupti.def"
};
static const uint64_t with_pointers = 0ull /* a bit for each layout */
#define TEXT(layout, name, offset, type, since) | 1ull << REC_CUPTI_LAYOUT_##layout
#define DATA(layout, name, offset, type, since, bytes, which, value) | 1ull << REC_CUPTI_LAYOUT_##layout
#include "trace/format/cupti.def"
	;
_Static_assert(REC_CUPTI_LAYOUTS <= 64, "a bit for each");

/* --------------------------------------------------------------- safe copy */

size_t tap_cupti_copy(uint64_t address, void *to, size_t n)
{
	return tap_copy_guarded(tap_cupti.pid, address, to, n);
}

/* ------------------------------------------------------------ seen addresses */

struct seen { uint64_t address, hash; };

static struct seen first_table[FIRST_TABLE];
static struct seen *table[TABLES] = { first_table };    /* each four times the one before */

static struct seen *table_at(unsigned i)
{
	struct seen *t = __atomic_load_n(&table[i], __ATOMIC_ACQUIRE), *none = NULL;
	size_t bytes = (FIRST_TABLE << 2 * i) * sizeof *t;

	if (t)
		return t;
	t = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!t || __atomic_compare_exchange_n(&table[i], &none, t, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return t;
	tap_sys_munmap(t, bytes);
	return none;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

/*
 * The entry of an address, made if need be; NULL when all tables are full there: such a string is stored with each
 * buffer.
 */
static struct seen *seen_at(uint64_t address)
{
	for (unsigned i = 0; i < TABLES; i++) {
		struct seen *t = table_at(i);
		uint64_t n = FIRST_TABLE << 2 * i, h = mix(address);

		for (unsigned k = 0; t && k < PROBES; k++) {
			struct seen *s = &t[(h + k) % n];
			uint64_t was = __atomic_load_n(&s->address, __ATOMIC_RELAXED);

			if (was == address ||
				(!was &&
					(__atomic_compare_exchange_n(&s->address, &was, address, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
						was == address)))
				return s;
		}
	}
	return NULL;
}

static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15ull ^ n, word;

	for (; n >= 8; n -= 8, text += 8) {
		memcpy(&word, text, 8);
		h = mix(h ^ word) + word;
	}
	word = 0;
	memcpy(&word, text, n);
	h = mix(h ^ word) + word;
	return h ? h : 1;                                       /* 0: not stored yet */
}

/* ------------------------------------------------------------------- store */

/* tick; address; text. False: no room. */
static bool write_string(uint64_t address, const char *text, size_t bytes, bool cut)
{
	uint32_t n32 = (uint32_t)bytes, words = 4 + (n32 + 4 + 7) / 8;
	struct tap_stream *s = tap_stream_get_for(REC_CUPTI_STRING);
	uint64_t link, *rec = s ? tap_stream_reserve(s, words, &link) : NULL;

	if (!rec)
		return false;
	rec[1] = words;
	rec[2] = tap_tick();
	rec[3] = address;
	memcpy(&rec[4], &n32, 4);
	memcpy((char *)&rec[4] + 4, text, n32);
	tap_stream_commit(rec, rec_head(REC_CUPTI_STRING, 0, REC_LONG | (cut ? REC_CUT : 0u), 0));
	return true;
}

/* False: no room. */
static bool store(uint64_t address, const char *text, size_t bytes, bool cut)
{
	struct seen *s = seen_at(address);
	uint64_t hash = hash_of(text, bytes);

	if (s && __atomic_load_n(&s->hash, __ATOMIC_ACQUIRE) == hash)
		return true;
	if (!write_string(address, text, bytes, cut))
		return false;
	if (s)
		__atomic_store_n(&s->hash, hash, __ATOMIC_RELEASE);    /* STRING3 */
	return true;
}

static void keep_long(uint64_t address)
{
	char *room = tap_sys_mmap(NULL, LONGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool cut;
	long n = room ? tap_copy_text(tap_cupti.pid, address, room, LONGEST, &cut) : -1;

	if (n < 0 || !store(address, room, (size_t)n, cut))
		tap_lost(REC_LOSS_CUPTI_NAME_GONE, 1);
	if (room)
		tap_sys_munmap(room, LONGEST);
}

static void keep(uint64_t address)
{
	enum { SHORT = 1024 };
	char *room = tap_scratch_take();
	bool cut;
	long n = tap_seccomp || !room ? -1 : tap_copy_text(tap_cupti.pid, address, room, SHORT, &cut);

	if (n >= 0 && cut)
		keep_long(address);
	else if (n < 0 || !store(address, room, (size_t)n, false))
		tap_lost(REC_LOSS_CUPTI_NAME_GONE, 1);
	tap_scratch_give(room);
}

/*
 * CUPTI leaves it to its client to free such data. That is not done: a pointer that is not what it should be costs
 * nothing when it is read, and the program when it is freed. What is missing the reader counts.
 */
static void keep_data(uint64_t address, size_t bytes)
{
	char room[LARGEST_DATA];

	if (!tap_seccomp && tap_cupti_copy(address, room, bytes) == bytes)
		store(address, room, bytes, false);
}

/* ----------------------------------------------------------------- a buffer */

/* Addresses looked at in this buffer, the last of each place in the table: a few kernels make most of the records. */
struct recent { uint64_t address[RECENT]; };

static void look_at(struct recent *recent, const uint8_t *record, uint32_t layout, uint32_t bytes)
{
	for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
		uint64_t address, *last, none = 0;
		uint32_t value;

		if (pointers[i].layout != layout || pointers[i].offset + 8u > bytes)
			continue;
		memcpy(&value, record + pointers[i].which, 4);
		if (pointers[i].bytes && value != pointers[i].value)
			continue;
		memcpy(&address, record + pointers[i].offset, 8);
		last = recent ? &recent->address[mix(address) % RECENT] : &none;
		if (!address || *last == address)
			continue;
		*last = address;
		if (pointers[i].bytes)
			keep_data(address, pointers[i].bytes);
		else
			keep(address);
	}
}

uint64_t tap_cupti_strings(const uint8_t *buffer, size_t bytes, size_t *used)
{
	struct recent *recent = tap_scratch_take();     /* NULL: each record's texts are looked for */
	uint64_t others = 0;
	size_t at = 0;

	if (recent)
		memset(recent, 0, sizeof *recent);
	while (at + 4 <= bytes) {
		uint32_t kind, size;

		memcpy(&kind, buffer + at, 4);
		size = kind < TAP_CUPTI_KINDS ? tap_cupti.record_bytes[kind] : 0;
		if (!size || size > bytes - at)
			break;
		if (with_pointers >> layouts[kind] & 1)
			look_at(recent, buffer + at, layouts[kind], size);
		at += size;
		others += kind != REC_CUPTI_KIND_OVERHEAD;
	}
	tap_scratch_give(recent);
	*used = at;
	return others;
}
