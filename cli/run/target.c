/*
 * cli/run/target.c - what the program to be traced is: whether a preloaded library can reach it
 *
 * By the same code as what the program starts (common/plain/program.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run.h"
#include "common/plain/without.h"

void gt_run_look_at_target(const char *program, struct gt_run_target *t)
{
	*t = (struct gt_run_target){ 0 };
	gc_program_find(program, getenv("PATH"), t->path, sizeof t->path);
	if (gc_without("look-at-target") || !*t->path)
		return;
	gc_program_look(AT_FDCWD, t->path, &t->program);
	t->why = gc_program_why_not(t->program.kind);
	if (t->program.interpreter[0])
		snprintf(t->path, sizeof t->path, "%s", t->program.interpreter);
}
