/*
 * model/threads/numbers.c - threads by the number that the operating system gave them
 *
 * It gives a number again when its thread is gone, so one may stand for several threads of a process, one behind the
 * other.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/internal.h"
#include "common/search.h"

static int compare(const void *a, const void *b)
{
	const struct gt_numbered *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

int gt_numbers_finish(struct gt_model *m)
{
	m->numbered = calloc(m->threads.n + 1, sizeof *m->numbered);
	for (uint32_t i = 0; m->numbered && i < m->threads.n; i++) {
		const struct gt_thread *t = &m->threads.v[i];

		m->numbered[i] = (struct gt_numbered){ t->process, t->tid,
			gt_reader_tick_ns(m->reader, t->process, m->thread_start.v[i]), i };
	}
	if (m->numbered && m->threads.n)
		qsort(m->numbered, m->threads.n, sizeof *m->numbered, compare);
	return m->numbered ? 0 : -1;
}

uint32_t gt_thread_numbered(const struct gt_model *m, uint32_t process, int tid, int64_t at_ns)
{
	const struct gt_numbered key = { process, tid, at_ns, 0 }, *v = m->numbered;
	uint32_t low;

	GT_SEARCH(low, m->threads.n, compare(&v[low], &key) <= 0);
	if (low && v[low - 1].process == process && v[low - 1].tid == tid)
		return v[low - 1].thread;
	if (low < m->threads.n && v[low].process == process && v[low].tid == tid)
		return v[low].thread;
	return UINT32_MAX;
}
