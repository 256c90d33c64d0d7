/*
 * cli/stats/file.c - where `gputap stats` prints
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/stats/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "common/temporary.h"

static int cannot_write(const struct gt_stats_file *f, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be written",
		f->path ? f->path : "standard output");
}

/* "/dev/stdout" and its like lead to what is open, be it a file: they are no names to put a file at. */
static bool is_place(const char *path) { return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6); }

int gt_stats_file_open(struct gt_stats_file *f, const struct gt_options *o, struct gt_err *err)
{
	struct stat st;
	int fd;

	*f = (struct gt_stats_file){ .out = stdout };
	if (!gt_option_on_command_line(o, "output") || gt_option_is(o, "output", "-"))
		return 0;
	f->path = gt_option(o, "output");
	if (is_place(f->path) || (!stat(f->path, &st) && !S_ISREG(st.st_mode))) {
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

int gt_stats_file_close(struct gt_stats_file *f, int rc, struct gt_err *err)
{
	bool failed = fflush(f->out) || ferror(f->out);

	if (f->path && fclose(f->out))
		failed = true;
	if (!rc && !failed && *f->temporary)
		failed = rename(f->temporary, f->path);
	if (!rc && failed)
		rc = cannot_write(f, err);
	if (rc && *f->temporary)
		unlink(f->temporary);
	gt_interrupt_file(NULL);
	return rc;
}
