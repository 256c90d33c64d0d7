/*
 * tests/fakegpu/values.c - what a test says that its kernels count: $FAKEGPU_VALUES
 *
 * Lines "KERNEL METRIC VALUE"; KERNEL and METRIC are patterns (fnmatch), METRIC of an instruction ends with @OFFSET.
 * The first line that fits holds. What none fits is made up as ever. A figure that was set here shows that it comes
 * through to a report and to the rules that look at it; no device counted it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

bool fg_said_value(const char *kernel, const char *metric, double *value)
{
	const char *path = getenv("FAKEGPU_VALUES");
	FILE *f = path ? fopen(path, "re") : NULL;
	char kernels[128], metrics[128];
	bool found = false;
	double v;

	while (f && !found && fscanf(f, "%127s %127s %lf", kernels, metrics, &v) == 3)
		found = !fnmatch(kernels, kernel, 0) && !fnmatch(metrics, metric, 0);
	if (f)
		fclose(f);
	if (found)
		*value = v;
	return found;
}

bool fg_said_value_at(const char *kernel, const char *metric, uint32_t offset, uint64_t *value)
{
	char name[160];
	double v;

	snprintf(name, sizeof name, "%s@%u", metric, offset);
	if (!fg_said_value(kernel, name, &v))
		return false;
	*value = (uint64_t)v;
	return true;
}
