/*
 * model/stacks/python.c - PYTHON_CODE records: the functions of Python that call stacks lead through
 *
 * Each thread writes what it meets, so one code object may be there several times: it is one here.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "model/internal.h"
#include "model/stacks/stacks.h"

struct named { uint32_t process, number, index; };

struct gt_python {
	GT_LIST(struct gt_python_code) codes;
	GT_LIST(struct named) named;      /* beside codes; sorted behind the last record */
};

int gt_python_take(struct gt_model *m, const struct gt_rec *rec)
{
	uint32_t at = 3, bytes = (uint32_t)(rec->args[2] >> 32) & ~REC_PYTHON_CUT, number = (uint32_t)rec->args[1];
	struct gt_python_code code = { .process = rec->process, .first_line = (uint32_t)(rec->args[1] >> 32),
		.version = (uint32_t)rec->args[2], .lines_cut = rec->args[2] >> 32 & REC_PYTHON_CUT };
	struct gt_python *p = m->python ? m->python : calloc(1, sizeof *p);
	struct gt_python_code *kept;
	struct gt_string name, file;
	struct named *named;

	m->python = p;
	if (!p)
		return -1;
	if (!gt_record_text(rec, &at, &name) || !gt_record_text(rec, &at, &file) ||
		bytes > (rec->n_args - at) * 8ull) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	code.name = gt_arena_copy(&m->arena, name.text, name.bytes);
	code.file = gt_arena_copy(&m->arena, file.text, file.bytes);
	code.lines = (const uint8_t *)gt_arena_copy(&m->arena, rec->args + at, bytes);
	code.lines_bytes = bytes;
	kept = GT_LIST_ADD(&p->codes);
	named = kept ? GT_LIST_ADD(&p->named) : NULL;
	if (!named || !code.name || !code.file || !code.lines)
		return -1;
	*kept = code;
	*named = (struct named){ rec->process, number, p->codes.n - 1 };
	return 0;
}

/* --------------------------------------------------------------------- finishing */

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_python *p = ctx;
	const struct gt_python_code *a = &p->codes.v[*(const uint32_t *)element], *b = key;

	return a->process == b->process && a->first_line == b->first_line && a->version == b->version &&
		a->lines_bytes == b->lines_bytes && !strcmp(a->name, b->name) && !strcmp(a->file, b->file) &&
		!gt_compare_bytes(a->lines, b->lines, a->lines_bytes);
}

static uint64_t hash_of(const struct gt_python_code *c)
{
	uint64_t h = gt_hash(gt_hash_text(c->name, strlen(c->name)), gt_hash_text(c->file, strlen(c->file)));

	return gt_hash(gt_hash(h, c->first_line), (uint64_t)c->process << 32 | c->lines_bytes);
}

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

int gt_python_finish(struct gt_model *m)
{
	struct gt_python *p = m->python;
	struct gt_map map = { 0 };
	int ret = 0;

	for (uint32_t i = 0; p && i < p->codes.n; i++) {
		bool fresh;
		uint32_t *first = gt_map_add(
			&map, sizeof *first, hash_of(&p->codes.v[i]), &p->codes.v[i], same, p, &fresh);

		if (!first) {
			ret = -1;
			break;
		}
		if (fresh)
			*first = i;
		p->named.v[i].index = *first;
	}
	gt_map_free(&map, sizeof(uint32_t));
	if (p && p->named.n)
		qsort(p->named.v, p->named.n, sizeof *p->named.v, compare);
	return ret;
}

uint32_t gt_python_index(const struct gt_model *m, uint32_t process, uint32_t number)
{
	const struct gt_python *p = m->python;
	const struct named key = { .process = process, .number = number };
	const struct named *found =
		p && p->named.n && number ? bsearch(&key, p->named.v, p->named.n, sizeof key, compare) : NULL;

	return found ? found->index : UINT32_MAX;
}

const struct gt_python_code *gt_model_python_code(const struct gt_model *m, uint32_t i)
{
	return m->python && i < m->python->codes.n ? &m->python->codes.v[i] : NULL;
}

void gt_python_free(struct gt_model *m)
{
	if (!m->python)
		return;
	free(m->python->codes.v);
	free(m->python->named.v);
	free(m->python);
	m->python = NULL;
}
