/*
 * model/record.c - what records of all kinds have in common
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/internal.h"

bool gt_record_text(const struct gt_rec *rec, uint32_t *at, struct gt_string *out)
{
	uint32_t bytes;

	if (*at >= rec->n_args)
		return false;
	bytes = (uint32_t)rec->args[*at];
	if (((uint64_t)bytes + 4 + 7) / 8 > rec->n_args - *at)
		return false;
	*out = (struct gt_string){ (const char *)(rec->args + *at) + 4, bytes };
	*at += (uint32_t)(((uint64_t)bytes + 4 + 7) / 8);
	return true;
}
