/*
 * cli/progress.c - one line on a terminal for work that takes over two seconds
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void gt_progress_begin(struct gt_progress *p, const char *what, bool quiet)
{
	const char *term = getenv("TERM");

	memset(p, 0, sizeof *p);
	p->what = what;
	p->started = p->last = now_s();
	p->quiet = quiet || getenv("CI") || !isatty(STDERR_FILENO) || (term && !strcmp(term, "dumb"));
}

bool gt_progress_step(void *progress, double done)
{
	struct gt_progress *p = progress;

	if (p->quiet)
		return true;
	double now = now_s();
	if (now - p->started < 2 || now - p->last < 0.2)
		return true;
	double left = done > 0.001 ? (now - p->started) * (1 - done) / done : 0;
	fprintf(stderr, "\r%s: %3.0f %%, about %.0f s left ", p->what, done * 100, left);
	p->shown = true;
	p->last = now;
	return true;
}

void gt_progress_end(struct gt_progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r%60s\r", "");
}
