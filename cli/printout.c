/*
 * cli/printout.c - where reports are printed
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/printout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "common/temporary.h"
#include "common/written.h"

static int there_already(const char *path, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, NULL, "another name, or -f to replace it", "%s is there already", path);
}

static int cannot_write(const struct gt_printout *f, struct gt_err *err)
{
	return errno == EEXIST && f->path
		? there_already(f->path, err)
		: gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be written",
			  f->path ? f->path : "standard output");
}

/* "/dev/stdout" and its like lead to what is open, be it a file: they are no names to put a file at. */
static bool is_place(const char *path)
{
	struct stat st;

	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || (!stat(path, &st) && !S_ISREG(st.st_mode));
}

int gt_printout_check(const char *path, bool replace, struct gt_err *err)
{
	struct stat st;

	if (replace || !strcmp(path, "-") || is_place(path) || lstat(path, &st))
		return 0;
	return there_already(path, err);
}

int gt_printout_open(struct gt_printout *f, const char *path, bool replace, struct gt_err *err)
{
	int fd;

	*f = (struct gt_printout){ .out = stdout, .replace = replace };
	if (!path || !strcmp(path, "-"))
		return 0;
	f->path = path;
	if (gt_printout_check(path, replace, err))
		return -1;
	if (is_place(f->path)) {
		fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	} else if (!gt_temporary_name(f->path, f->temporary, sizeof f->temporary)) {
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "the output name is too long: %s", f->path);
	} else {
		gt_interrupt_watch();
		gt_interrupt_file(f->temporary);
		fd = gt_create_own(f->temporary, O_WRONLY);
	}
	if (fd < 0)
		return cannot_write(f, err);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	f->out = fdopen(fd, "w");
	return f->out ? 0 : cannot_write(f, err);
}

int gt_printout_close(struct gt_printout *f, int rc, struct gt_err *err)
{
	struct gt_err ignored;

	if (gt_written(f->out, f->path ? f->path : "standard output", rc ? &ignored : err))
		rc = -1;
	if (f->path && fclose(f->out) && !rc)
		rc = cannot_write(f, err);
	if (!rc && *f->temporary && gt_temporary_put(f->temporary, f->path, f->replace))
		rc = cannot_write(f, err);
	if (rc && *f->temporary)
		unlink(f->temporary);
	gt_interrupt_file(NULL);
	return rc;
}
