/*
 * model/opencl/usm.c - live allocations of unified shared memory, by address
 *
 * USM1  Live allocations of a process do not overlap: a look-up compares ranges, and those that touch are equal. So the
 *       tree of the C library (balanced, whatever the addresses are) finds the allocation that a pointer leads into.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/opencl/usm.h"

#include <search.h>
#include <stdlib.h>

struct range { uint64_t start, last; enum gt_usm kind; };

/* USM1 */
static int compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->last < y->start ? -1 : x->start > y->last;
}

static struct range *find(const struct gt_model *m, uint32_t process, const struct range *key)
{
	void *node = tfind(key, &m->processes[process].usm, compare);

	return node ? *(struct range **)node : NULL;
}

static void drop(struct gt_model *m, uint32_t process, struct range *r)
{
	if (!r)
		return;
	tdelete(r, &m->processes[process].usm, compare);
	free(r);
}

void gt_usm_add(struct gt_model *m, uint32_t process, uint64_t address, uint64_t bytes, enum gt_usm kind)
{
	struct range *r, *old;

	if (!address || !bytes || address + (bytes - 1) < address || !(r = malloc(sizeof *r)))
		return;
	*r = (struct range){ address, address + (bytes - 1), kind };
	while ((old = find(m, process, r)))
		drop(m, process, old);
	if (!tsearch(r, &m->processes[process].usm, compare))
		free(r);
}

void gt_usm_remove(struct gt_model *m, uint32_t process, uint64_t address)
{
	struct range *r = find(m, process, &(struct range){ .start = address, .last = address });

	if (r && r->start == address)
		drop(m, process, r);
}

/* Of calls that are not in the trace, one may have made the allocation. */
static bool has_gaps(const struct gt_model *m)
{
	static const enum rec_loss reasons[] = { REC_LOSS_NO_SPACE, REC_LOSS_NO_STREAM, REC_LOSS_SECCOMP,
		REC_LOSS_SIZE_CAP, REC_LOSS_RING_OVERWRITTEN, REC_LOSS_EXT_PLATFORMS, REC_LOSS_EXT_PROVISIONAL,
		REC_LOSS_TRUNCATED, REC_LOSS_EARLY_CALL, REC_LOSS_REMOVED };

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (m->lost_writer[reasons[i]])
			return true;
	for (uint32_t i = 0; i < m->image_records.n; i++)
		if (m->image_records.v[i].type == REC_WINDOW)
			return true;
	return false;
}

static bool lost_calls(struct gt_model *m)
{
	if (!m->usm_gaps)
		m->usm_gaps = has_gaps(m) ? GT_USM_GAPS : GT_USM_WHOLE;
	return m->usm_gaps == GT_USM_GAPS;
}

enum gt_usm gt_usm_of(struct gt_model *m, uint32_t process, uint64_t pointer)
{
	const struct range *r = find(m, process, &(struct range){ .start = pointer, .last = pointer });

	return r ? r->kind : !pointer || lost_calls(m) ? GT_USM_UNKNOWN : GT_USM_SYSTEM;
}

void gt_usm_free(struct gt_model *m)
{
	for (uint32_t i = 0; i < m->n_processes; i++) {
		tdestroy(m->processes[i].usm, free);
		m->processes[i].usm = NULL;
	}
}
