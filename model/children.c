/*
 * model/children.c - what became of the programs that processes of a trace started
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/children.h"

#include <stdlib.h>
#include <string.h>

#include "model/checks/checks.h"
#include "model/internal.h"
#include "trace/read/store.h"

/* The last program that an image of this process turned into: the first word of all before it has come. */
static void find_exec(const struct gt_model *m, struct gt_unheard *u)
{
	for (uint32_t i = 0; i < m->image_records.n; i++) {
		const struct gt_image_record *r = &m->image_records.v[i];

		if (r->type != REC_EXEC || !r->exec.followed || m->processes[r->process].pub.pid != u->pid ||
			(u->path && r->time_ns < u->at_ns))
			continue;
		u->path = r->exec.path;
		u->at_ns = r->time_ns;
		u->process = r->process;
	}
}

static void find_image(const struct gt_model *m, struct gt_unheard *u)
{
	for (uint32_t i = 0; i < m->n_processes && u->process == UINT32_MAX; i++)
		if (m->processes[i].pub.pid == u->pid)
			u->process = i;
}

static void add_unheard(const struct gt_model *m, struct gt_children *out, const char *pid)
{
	struct gt_unheard u = { .pid = atoi(pid), .process = UINT32_MAX, .at_ns = GT_NO_TIME };

	out->looked++;
	if (out->open)
		return;
	out->unheard++;
	if (out->n_shown == GT_UNHEARD_SHOWN)
		return;
	find_exec(m, &u);
	find_image(m, &u);
	out->shown[out->n_shown++] = u;
}

void gt_model_children(const struct gt_model *m, struct gt_children *out)
{
	const char *pid;

	*out = (struct gt_children){ .known = gt_reader_fact(m->reader, -1, "awaits", 0) != NULL,
		.open = gt_reader_awaits(m->reader) };
	if (!out->known)
		return;
	for (uint32_t i = 0; i < m->image_records.n; i++)
		out->looked += m->image_records.v[i].type == REC_EXEC && m->image_records.v[i].exec.followed;
	for (uint32_t i = 0; i < m->n_processes; i++)
		out->looked += gt_reader_fact(m->reader, (int)i, "parent", 0) != NULL;
	for (unsigned n = 0; (pid = gt_reader_fact(m->reader, -1, GT_AWAITED_MARK, n)); n++)
		add_unheard(m, out, pid);
}

void gt_checks_started(struct gt_model *m)
{
	struct gt_children all;

	gt_model_children(m, &all);
	gt_check_looked(m, GT_CHECK_STARTED, all.looked);
	if (all.unheard)
		gt_check_failed(m, GT_CHECK_STARTED, all.unheard, NULL);
	for (unsigned i = 0; i < all.n_shown; i++)
		if (all.shown[i].path && *all.shown[i].path)
			gt_check_show(m, GT_CHECK_STARTED, &(struct gt_check_case){ .process = all.shown[i].process,
				.what = all.shown[i].path, .at_ns = all.shown[i].at_ns });
}
