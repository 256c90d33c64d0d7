/*
 * model/unknown.c - records that this version does not know, by what their headers tell
 *
 * A call of a function that the table does not have tells its times; any other record tells its number and who wrote
 * it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/internal.h"
#include "model/sort.h"

struct gt_unknowns {
	struct gt_bulk v;
}; /* struct entry */
struct entry {
	struct gt_unknown pub;
	uint32_t stream, holder;
	uint64_t offset;
};

int gt_unknowns_take(struct gt_model *m, const struct gt_rec *rec)
{
	bool call = rec->id >= REC_FIRST_FUNCTION;
	struct entry *e;

	if (!m->unknowns && !(m->unknowns = calloc(1, sizeof *m->unknowns)))
		return -1;
	e = gt_bulk_add(&m->unknowns->v, sizeof *e, &m->budget);
	if (!e)
		return -1;
	*e = (struct entry){
		.pub = { .process = rec->process,
			.type = rec->id,
			.start_ns = call ? gt_reader_tick_ns(m->reader, rec->process, rec->start_tick) : GT_NO_TIME,
			.end_ns = call ? gt_reader_tick_ns(m->reader, rec->process, rec->end_tick) : GT_NO_TIME },
		.stream = rec->stream,
		.holder = rec->holder,
		.offset = rec->offset
	};
	return 0;
}

static int compare(const void *a, const void *b, const void *ctx)
{
	const struct entry *x = a, *y = b;

	(void)ctx;
	if (x->pub.start_ns != y->pub.start_ns)
		return x->pub.start_ns < y->pub.start_ns ? -1 : 1;
	if (x->pub.process != y->pub.process)
		return x->pub.process < y->pub.process ? -1 : 1;
	if (x->pub.end_ns != y->pub.end_ns)
		return x->pub.end_ns > y->pub.end_ns ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

int gt_unknowns_finish(struct gt_model *m)
{
	struct entry *v = m->unknowns ? m->unknowns->v.data : NULL;

	if (!v)
		return 0;
	for (size_t i = 0; i < m->unknowns->v.n; i++) {
		const struct gt_stream_map *s = gt_model_stream(m, v[i].pub.process, v[i].stream);
		uint32_t holder = v[i].holder ? v[i].holder - 1 : 0;

		v[i].pub.thread = holder < s->n ? s->holder[holder] : UINT32_MAX;
	}
	return gt_bulk_sort(&m->unknowns->v, sizeof *v, compare, NULL, &m->budget);
}

void gt_unknowns_free(struct gt_model *m)
{
	if (m->unknowns)
		gt_bulk_free(&m->unknowns->v);
	free(m->unknowns);
}

uint64_t gt_model_unknown_count(const struct gt_model *m) { return m->unknowns ? m->unknowns->v.n : 0; }

const struct gt_unknown *gt_model_unknown(const struct gt_model *m, uint64_t i)
{
	return i < gt_model_unknown_count(m) ? &((const struct entry *)m->unknowns->v.data)[i].pub : NULL;
}
