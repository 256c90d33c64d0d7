/*
 * cli/run/target.c - what the program to be traced is: whether a preloaded library can reach it
 *
 * By the same code as what the program starts (common/plain/program.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run.h"
#include "common/plain/preloads.h"
#include "common/plain/without.h"

/* As the hooks of exec and spawn do it for what the program starts (interpose/child_environment.c). */
static void plan_audit(const char *audit, struct gt_run_target *t)
{
	struct gc_audit_where where = { .dir = AT_FDCWD,
		.path = t->path,
		.library_path = getenv("LD_LIBRARY_PATH"),
		.preload = getenv("LD_PRELOAD"),
		.audit = getenv("LD_AUDIT"),
		.glibc = gnu_get_libc_version() };

	t->wants_audit = !gc_program_is_misled(&t->program) &&
		(!strcmp(audit, "on") || (!strcmp(audit, "auto") && gc_preloads_audit(&t->program)));
	if (t->wants_audit && t->program.kind == GC_PROGRAM_FOLLOWED && !gc_without("audit-room"))
		t->audit = gc_audit_plan(&t->program, &where, &t->tls_bytes);
}

void gt_run_look_at_target(const char *program, const char *audit, struct gt_run_target *t)
{
	*t = (struct gt_run_target){ 0 };
	gc_program_find(program, getenv("PATH"), t->path, sizeof t->path);
	if (!gc_without("look-at-target") && *t->path)
		gc_program_look(AT_FDCWD, t->path, &t->program);
	t->why = gc_program_why_not(t->program.kind);
	plan_audit(audit, t);
	if (t->program.interpreter[0])
		snprintf(t->path, sizeof t->path, "%s", t->program.interpreter);
}
