/*
 * model/opencl/cpu.c - CPU_COUNTERS records: what the host's processors did for a kernel, found by the kernel's call
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/internal.h"

int gt_cpu_take(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_cpu_counted *c;

	if (rec->n_args < 2) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	c = GT_LIST_ADD(&m->cpu_counted);
	if (!c)
		return -1;
	*c = (struct gt_cpu_counted){ .link = rec->args[0], .process = rec->process,
		.counts = { .threads = (uint32_t)rec->args[1], .why = (uint32_t)(rec->args[1] >> 32) } };
	for (unsigned k = 0; k < REC_CPU_END; k++)
		c->counts.at[k].why = REC_CPU_WHY;
	for (uint32_t i = 2; i + 1 < rec->n_args; i += 2) {
		uint32_t k = (uint32_t)rec->args[i];

		if (k >= REC_CPU_END)
			continue;                       /* of a later version */
		c->counts.at[k].why = (uint32_t)(rec->args[i] >> 32);
		c->counts.at[k].value = rec->args[i + 1];
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct gt_cpu_counted *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->link < y->link ? -1 : x->link > y->link;
}

void gt_cpu_finish(struct gt_model *m)
{
	if (m->cpu_counted.n)
		qsort(m->cpu_counted.v, m->cpu_counted.n, sizeof *m->cpu_counted.v, compare);
}

const struct gt_cpu_counts *gt_cpu_of(struct gt_model *m, uint32_t process, uint32_t stream, uint64_t offset)
{
	struct gt_cpu_counted key = { .link = rec_link(stream, offset), .process = process }, *c;

	c = m->cpu_counted.n ? bsearch(&key, m->cpu_counted.v, m->cpu_counted.n, sizeof key, compare) : NULL;
	return c ? &c->counts : NULL;
}

bool gt_model_cpu_counted(const struct gt_model *m, uint32_t process)
{
	for (size_t i = 0; i < m->cpu_counted.n; i++)
		if (m->cpu_counted.v[i].process == process)
			return true;
	return false;
}
