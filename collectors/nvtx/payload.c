/*
 * collectors/nvtx/payload.c - the payload extension of NVTX: structured data with marks and ranges
 *
 * Schemas and data are recorded as the program gave them; what the bytes mean is worked out offline.
 *
 * Runs      in the calling thread of the traced program.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/nvtx/record.h"
#include "collectors/nvtx/watch.h"
#include "collectors/ranges.h"
#include "trace/write/asked.h"

#define ENTRIES_MAX 1024u               /* of a schema or enumeration */
#define NAME_MAX_BYTES 1023u

static uint64_t dynamic_ids = NVTX_ABI_DYNAMIC_ID;

/* The default domain too, when only the libraries' own are recorded. */
static bool skipped(uint64_t domain)
{
	return domain & TAP_NVTX_UNWANTED || (!domain && !tap_asked(REC_ASK_NVTX));
}

static uint64_t id_of(bool given, uint64_t id)
{
	return given && id ? id : __atomic_fetch_add(&dynamic_ids, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------- schemas */

static uint32_t name_bytes(const char *name) { return name ? (uint32_t)strnlen(name, NAME_MAX_BYTES) : 0; }

/* Adds what a name takes; one that is longer than what is kept is a loss. */
static void add_name(uint32_t *words, bool *cut, const char *name)
{
	*words += tap_nvtx_words(name_bytes(name));
	*cut |= name && strnlen(name, NAME_MAX_BYTES + 1) > NAME_MAX_BYTES;
}

static uint64_t *put_name(uint64_t *out, const char *name)
{
	uint32_t bytes = name_bytes(name);

	memcpy(out, &bytes, 4);
	if (bytes)
		memcpy((char *)out + 4, name, bytes);
	return out + tap_nvtx_words(bytes);
}

struct definition {
	uint64_t domain, id, type, flags, bytes, alignment;
	uint32_t entries, enumeration;
	const char *name;
	uint32_t words;                         /* of the entries */
	bool cut;                               /* a name of theirs, or there are more of them */
};

/* Room for a definition with its entries; its own part is written. NULL: not recorded. */
static uint64_t *put_definition(struct tap_nvtx_record *r, struct definition *d)
{
	struct tap_stream *s = skipped(d->domain) ? NULL : tap_nvtx_definitions(REC_NVTX_SCHEMA);
	uint32_t n = 7 + d->words;

	if (!s)
		return NULL;
	add_name(&n, &d->cut, d->name);
	if (d->cut || n > TAP_RECORD_WORDS_MAX - 2)
		tap_lost(REC_LOSS_ARGS_CUT, 1);
	if (n > TAP_RECORD_WORDS_MAX - 2 || !tap_nvtx_reserve(r, s, REC_NVTX_SCHEMA, d->domain, n))
		return NULL;
	if (d->cut)
		r->head |= (uint64_t)REC_CUT << 24;
	r->args[0] = tap_tick();
	r->args[1] = d->entries | (uint64_t)d->enumeration << 32;
	r->args[2] = d->id;
	r->args[3] = d->type;
	r->args[4] = d->flags;
	r->args[5] = d->bytes;
	r->args[6] = d->alignment;
	return put_name(r->args + 7, d->name);
}

static uint64_t schema_register(uint64_t domain, const struct nvtx_schema *a)
{
	if (!a)
		return 0;
	struct definition d = { .domain = domain, .id = id_of(a->fields & NVTX_ABI_SCHEMA_ID, a->id) };
	const bool listed = (a->fields & NVTX_ABI_SCHEMA_ENTRIES) && (a->fields & NVTX_ABI_SCHEMA_COUNT) && a->entries;
	struct tap_nvtx_record r;

	d.name = a->fields & NVTX_ABI_SCHEMA_NAME ? a->name : NULL;
	d.type = a->fields & NVTX_ABI_SCHEMA_TYPE ? a->type : 0;
	d.flags = a->fields & NVTX_ABI_SCHEMA_FLAGS ? a->flags : 0;
	d.bytes = a->fields & NVTX_ABI_SCHEMA_BYTES ? a->static_bytes : 0;
	d.alignment = a->fields & NVTX_ABI_SCHEMA_ALIGNMENT ? a->alignment : 0;
	d.entries = !listed ? 0 : a->n_entries < ENTRIES_MAX ? (uint32_t)a->n_entries : ENTRIES_MAX;
	d.cut = listed && a->n_entries > ENTRIES_MAX;
	for (uint32_t i = 0; i < d.entries; i++) {
		d.words += 4;
		add_name(&d.words, &d.cut, a->entries[i].name);
		add_name(&d.words, &d.cut, a->entries[i].description);
	}
	uint64_t *out = put_definition(&r, &d);

	for (uint32_t i = 0; out && i < d.entries; i++) {
		const struct nvtx_schema_entry *e = &a->entries[i];

		*out++ = e->flags;
		*out++ = e->type;
		*out++ = e->detail;
		*out++ = e->offset;
		out = put_name(put_name(out, e->name), e->description);
	}
	if (out)
		tap_stream_commit(r.rec, r.head);
	return d.id;
}

static uint64_t enum_register(uint64_t domain, const struct nvtx_enum *a)
{
	if (!a)
		return 0;
	struct definition d = { .domain = domain, .enumeration = 1, .id = id_of(a->fields & NVTX_ABI_ENUM_ID, a->id) };
	const bool listed = (a->fields & NVTX_ABI_ENUM_ENTRIES) && (a->fields & NVTX_ABI_ENUM_COUNT) && a->entries;
	struct tap_nvtx_record r;

	d.name = a->fields & NVTX_ABI_ENUM_NAME ? a->name : NULL;
	d.type = a->fields & NVTX_ABI_ENUM_BYTES ? a->bytes : 0;
	d.entries = !listed ? 0 : a->n_entries < ENTRIES_MAX ? (uint32_t)a->n_entries : ENTRIES_MAX;
	d.cut = listed && a->n_entries > ENTRIES_MAX;
	for (uint32_t i = 0; i < d.entries; i++) {
		d.words += 2;
		add_name(&d.words, &d.cut, a->entries[i].name);
	}
	uint64_t *out = put_definition(&r, &d);

	for (uint32_t i = 0; out && i < d.entries; i++) {
		*out++ = a->entries[i].value;
		*out++ = (uint64_t)(a->entries[i].flag != 0);
		out = put_name(out, a->entries[i].name);
	}
	if (out)
		tap_stream_commit(r.rec, r.head);
	return d.id;
}

/* --------------------------------------------------------------------- data */

static uint64_t put(uint64_t d, enum rec_nvtx_kind kind, const struct nvtx_payload *p, size_t n)
{
	return skipped(d) ? 0 : tap_nvtx_payload(d, kind, p, n);
}
static void mark(uint64_t d, const struct nvtx_payload *p, size_t n) { put(d, REC_NVTX_MARK, p, n); }
static uint64_t start(uint64_t d, const struct nvtx_payload *p, size_t n) { return put(d, REC_NVTX_START, p, n); }
static void end(uint64_t d, uint64_t id, const struct nvtx_payload *p, size_t n) { tap_nvtx_end(d, id, p, n); }

static int push(uint64_t d, const struct nvtx_payload *p, size_t n)
{
	put(d, REC_NVTX_PUSH, p, n);
	return NVTX_ABI_NO_TRACKING;
}

static int pop(uint64_t d, const struct nvtx_payload *p, size_t n)
{
	if (!skipped(d))
		tap_nvtx_pop(d, p, n);
	return NVTX_ABI_NO_TRACKING;
}

static int watched_push(uint64_t d, const struct nvtx_payload *p, size_t n)
{
	tap_nvtx_watch_push(d);
	return push(d, p, n);
}

static int watched_pop(uint64_t d, const struct nvtx_payload *p, size_t n)
{
	tap_nvtx_watch_pop(d);
	return pop(d, p, n);
}

static uint8_t is_enabled(uint64_t d) { return (tap_off == 0 || tap_off == TAP_OFF_EARLY) && !skipped(d); }

/* Not 0: the caller's slots of this extension module are ours; those left alone do nothing. */
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(struct nvtx_module *m)
{
	const nvtx_function functions[] = { (nvtx_function)schema_register, (nvtx_function)enum_register,
		(nvtx_function)mark, (nvtx_function)(tap_ranges_wanted ? watched_push : push),
		(nvtx_function)(tap_ranges_wanted ? watched_pop : pop), (nvtx_function)start, (nvtx_function)end,
		(nvtx_function)is_enabled };

	if (!m || m->bytes < offsetof(struct nvtx_module, get_export) || m->id != NVTX_ABI_PAYLOAD_MODULE ||
		!m->n_segments || !m->segments)
		return 0;
	for (size_t i = 0; i < sizeof functions / sizeof *functions && i < m->segments[0].n_slots; i++)
		m->segments[0].slots[i] = (intptr_t)functions[i];
	return 1;
}
