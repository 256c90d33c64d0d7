/*
 * model/threads/names.c - what threads are called in the end
 *
 * A thread's name changes while it runs, and its first record tells the first one. The last one holds for the whole
 * trace: of the operating system's by THREAD_NAME records, and before it the one that the program gave for tools
 * (nvtxNameOsThread).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/internal.h"
#include "model/nvtx/ranges.h"

static struct gt_thread *find(struct gt_model *m, uint32_t process, int tid, int64_t at_ns)
{
	uint32_t i = gt_thread_numbered(m, process, tid, at_ns);

	return i != UINT32_MAX ? &m->threads.v[i] : NULL;
}

static int add_other(struct gt_model *m, uint32_t process, int tid, int priority, const char *name)
{
	struct gt_other_thread *o = GT_LIST_ADD(&m->other_threads);

	if (o)
		*o = (struct gt_other_thread){ process, tid, priority, name };
	return o ? 0 : -1;
}

/* In order of time: the last one stays. */
static int take_system(struct gt_model *m)
{
	for (uint32_t i = 0; i < m->image_records.n; i++) {
		const struct gt_image_record *r = &m->image_records.v[i];
		struct gt_thread *t;

		if (r->type != REC_THREAD_NAME)
			continue;
		t = find(m, r->process, r->thread.tid, r->time_ns);
		if (!t) {
			if (add_other(m, r->process, r->thread.tid, r->thread.priority, r->thread.name))
				return -1;
			continue;
		}
		t->name = r->thread.name;
		t->priority = r->thread.priority;
		t->has_priority = true;
	}
	return 0;
}

static int take_nvtx(struct gt_model *m)
{
	for (uint32_t i = 0; i < gt_model_range_name_count(m); i++) {
		const struct gt_range_name *n = gt_model_range_name(m, i);
		struct gt_thread *t;

		if (n->what != REC_NVTX_THREAD || !n->text.bytes)
			continue;
		t = find(m, n->process, (int)n->id, n->time_ns);
		if (t)
			t->name = n->text.text;
		else if (add_other(m, n->process, (int)n->id, GT_USUAL_PRIORITY, n->text.text))
			return -1;
	}
	return 0;
}

struct numbered_other { struct gt_other_thread pub; uint32_t order; };

static int compare_others(const void *a, const void *b)
{
	const struct numbered_other *x = a, *y = b;

	if (x->pub.process != y->pub.process)
		return x->pub.process < y->pub.process ? -1 : 1;
	if (x->pub.tid != y->pub.tid)
		return x->pub.tid < y->pub.tid ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* One of each number, as the last record says. */
static int keep_last(struct gt_model *m)
{
	struct numbered_other *v = calloc(m->other_threads.n + 1, sizeof *v);
	uint32_t kept = 0;

	if (!v)
		return -1;
	for (uint32_t i = 0; i < m->other_threads.n; i++)
		v[i] = (struct numbered_other){ m->other_threads.v[i], i };
	if (m->other_threads.n)
		qsort(v, m->other_threads.n, sizeof *v, compare_others);
	for (uint32_t i = 0; i < m->other_threads.n; i++)
		if (i + 1 == m->other_threads.n || v[i].pub.process != v[i + 1].pub.process ||
			v[i].pub.tid != v[i + 1].pub.tid)
			m->other_threads.v[kept++] = v[i].pub;
	m->other_threads.n = kept;
	free(v);
	return 0;
}

int gt_names_finish(struct gt_model *m)
{
	return take_system(m) || take_nvtx(m) || keep_last(m) ? -1 : 0;
}

uint32_t gt_model_other_thread_count(const struct gt_model *m) { return m->other_threads.n; }

const struct gt_other_thread *gt_model_other_thread(const struct gt_model *m, uint32_t i)
{
	return i < m->other_threads.n ? &m->other_threads.v[i] : NULL;
}
