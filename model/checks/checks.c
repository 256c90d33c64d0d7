/*
 * model/checks/checks.c - what was looked at, and what failed
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/checks/checks.h"

#include "model/internal.h"

const struct gt_check_fact gt_check_facts[GT_CHECK_COUNT] = {
#define CHECK(id, name, reason, proves, unit, follows) { name, REC_LOSS_##reason, proves, unit, follows },
#include "model/checks/checks.def"
};

const struct gt_checked *gt_model_checked(const struct gt_model *m, enum gt_check check) { return &m->checked[check]; }

void gt_check_looked(struct gt_model *m, enum gt_check check, uint64_t n)
{
	if (!m->quiet)
		m->checked[check].looked += n;
}

void gt_check_show(struct gt_model *m, enum gt_check check, const struct gt_check_case *one)
{
	struct gt_checked *c = &m->checked[check];

	if (one && !m->quiet && c->n_shown < GT_CHECK_SHOWN)
		c->shown[c->n_shown++] = *one;
}

void gt_check_failed(struct gt_model *m, enum gt_check check, uint64_t n, const struct gt_check_case *one)
{
	if (m->quiet)
		return;
	m->checked[check].failed += n;
	gt_model_count_loss(m, gt_check_facts[check].reason, n);
	gt_check_show(m, check, one);
}

void gt_checks_cut(struct gt_model *m, uint32_t process, const struct gt_fn *fn, uint64_t start_tick)
{
	gt_check_failed(m, GT_CHECK_WHOLE, 1, &(struct gt_check_case){ .process = process, .what = fn ? fn->name : NULL,
		.at_ns = gt_reader_tick_ns(m->reader, process, start_tick) });
}

/* Clocks of processes of one boot are one clock; of another machine or boot nothing is known. */
void gt_checks_processes(struct gt_model *m)
{
	for (uint32_t i = 0; i < m->n_processes; i++) {
		const struct gt_process *p = &m->processes[i].pub;
		int64_t error = p->parent ? p->clock_error_ns + p->parent->clock_error_ns : 0;

		if (!p->parent || p->clock_error_ns < 0 || p->parent->clock_error_ns < 0 ||
			!m->processes[i].first_tick || !m->processes[p->parent->index].first_tick)
			continue;
		gt_check_looked(m, GT_CHECK_PARENTS, 1);
		if (p->start_ns + error < p->parent->start_ns)
			gt_check_failed(m, GT_CHECK_PARENTS, 1, &(struct gt_check_case){ .process = i,
				.at_ns = p->start_ns, .by_ns = p->parent->start_ns - p->start_ns });
	}
}
