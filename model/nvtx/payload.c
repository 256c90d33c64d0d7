/*
 * model/nvtx/payload.c - schemas and enumerations of structured NVTX payloads
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/nvtx/payload.h"

#include <stdlib.h>

#include "model/internal.h"

struct gt_payloads { GT_LIST(struct gt_payload_schema) schemas; };

void gt_payloads_free(struct gt_model *m)
{
	if (m->payloads)
		free(m->payloads->schemas.v);
	free(m->payloads);
}

static bool take_text(struct gt_model *m, const struct gt_rec *rec, uint32_t *at, struct gt_string *out)
{
	struct gt_string raw;

	if (!gt_record_text(rec, at, &raw))
		return false;
	if (raw.bytes)
		*out = (struct gt_string){ gt_arena_copy(&m->arena, raw.text, raw.bytes), raw.bytes };
	return true;
}

/* Word `at` of the record and on; false: it does not fit. */
static bool take_entry(
	struct gt_model *m, const struct gt_rec *rec, uint32_t *at, bool enumeration, struct gt_payload_entry *e)
{
	uint32_t words = enumeration ? 2 : 4;
	const uint64_t *w = rec->args + *at;

	if (rec->n_args < *at + words)
		return false;
	*at += words;
	if (enumeration) {
		e->value = w[0];
		e->is_flag = w[1];
		return take_text(m, rec, at, &e->name);
	}
	e->flags = w[0];
	e->type = w[1];
	e->detail = w[2];
	e->offset = w[3];
	return take_text(m, rec, at, &e->name) && take_text(m, rec, at, &e->description);
}

/* 1 taken, 0 damaged, -1 no memory. */
int gt_payloads_take(struct gt_model *m, const struct gt_rec *rec)
{
	uint32_t n = (uint32_t)rec->args[1], at = 7;
	struct gt_payload_schema s = { .process = rec->process,
		.domain = (uint32_t)rec->result,
		.enumeration = rec->args[1] >> 32,
		.id = rec->args[2],
		.n_entries = n,
		.flags = rec->args[4],
		.alignment = rec->args[6] };

	s.type = s.enumeration ? 0 : rec->args[3];
	s.bytes = s.enumeration ? rec->args[3] : rec->args[5];
	if (n > rec->n_args || !take_text(m, rec, &at, &s.name))
		return 0;
	struct gt_payload_entry *entries = gt_arena_alloc(&m->arena, (n + 1) * sizeof *entries);

	if (!entries)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (!take_entry(m, rec, &at, s.enumeration, &entries[i]))
			return 0;
	s.entries = entries;
	if (!m->payloads && !(m->payloads = calloc(1, sizeof *m->payloads)))
		return -1;
	struct gt_payload_schema *kept = GT_LIST_ADD(&m->payloads->schemas);

	if (!kept)
		return -1;
	*kept = s;
	return 1;
}

uint32_t gt_model_payload_schema_count(const struct gt_model *m) { return m->payloads ? m->payloads->schemas.n : 0; }

const struct gt_payload_schema *gt_model_payload_schema(const struct gt_model *m, uint32_t i)
{
	return i < gt_model_payload_schema_count(m) ? &m->payloads->schemas.v[i] : NULL;
}

/* Static ids hold within a domain, those given out within a process. The last one registered counts. */
static const struct gt_payload_schema *find_in(const struct gt_model *m, uint32_t process, uint32_t domain, uint64_t id)
{
	for (uint32_t i = gt_model_payload_schema_count(m); i-- > 0;) {
		const struct gt_payload_schema *s = gt_model_payload_schema(m, i);

		if (s->id == id && s->process == process && (s->domain == domain || id >> 32))
			return s;
	}
	return NULL;
}

const struct gt_payload_schema *gt_model_payload_schema_find(
	const struct gt_model *m, uint32_t process, uint32_t domain, uint64_t id)
{
	const struct gt_process *p = gt_model_process(m, process);
	const struct gt_payload_schema *found = NULL;

	for (uint32_t depth = 0; p && !found && depth < gt_model_process_count(m); p = p->parent, depth++)
		found = find_in(m, p->index, domain, id);
	return found;
}

/* spec: NVTX payload extension. Sizes of C types are those of 64-bit Linux. */
enum gt_payload_class gt_payload_type_class(uint64_t type, uint32_t *bytes)
{
	enum { U = GT_PAYLOAD_UNSIGNED, S = GT_PAYLOAD_SIGNED, R = GT_PAYLOAD_REAL, H = GT_PAYLOAD_HEX };
	static const struct { uint8_t class, bytes;
	} types[] = {
		[1] = { S, 1 },
		[2] = { U, 1 },
		[3] = { S, 2 },
		[4] = { U, 2 },
		[5] = { S, 4 },
		[6] = { U, 4 },
		[7] = { S, 8 },
		[8] = { U, 8 },
		[9] = { S, 8 },
		[10] = { U, 8 },
		[11] = { S, 1 },
		[12] = { U, 1 },
		[13] = { S, 2 },
		[14] = { U, 2 },
		[15] = { S, 4 },
		[16] = { U, 4 },
		[17] = { S, 8 },
		[18] = { U, 8 },
		[19] = { R, 4 },
		[20] = { R, 8 },
		[22] = { U, 8 },
		[23] = { H, 8 },
		[24] = { U, 4 },
		[25] = { U, 1 },
		[26] = { U, 2 },
		[27] = { U, 4 },
		[32] = { U, 1 },
		[43] = { R, 4 },
		[44] = { R, 8 },
		[68] = { U, 4 },
		[69] = { U, 4 },
		[70] = { U, 8 },
		[71] = { U, 4 },
		[72] = { U, 8 },
		[73] = { U, 4 },
		[74] = { U, 8 },
		[75] = { H, 8 },
		[76] = { H, 8 },
		[77] = { H, 8 },
		[78] = { H, 8 },
		[80] = { U, 8 },
	};

	*bytes = type < sizeof types / sizeof *types ? types[type].bytes : 0;
	return *bytes ? (enum gt_payload_class)types[type].class : GT_PAYLOAD_UNKNOWN;
}
