/*
 * cli/door.c - the folder of root's trace in which processes of other users make theirs
 *
 * It is open to every user of the machine (trace/write/run/dir.c RUNDIR1), so no longer than processes of the run may
 * come: whoever sees the run's end closes it, the launcher or gputap wait. The folders that are there stay as they are,
 * and processes that have one go on in it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "trace/read/holders.h"

/* The run's id is the name of the only file in the folder that is ours. */
static bool find_id(int folder, char id[17])
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	struct stat st;
	bool found = false;

	for (struct dirent *e; dir && !found && (e = readdir(dir));)
		if (strlen(e->d_name) == 16 && strspn(e->d_name, "0123456789abcdef") == 16 &&
			!fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) && st.st_uid == geteuid()) {
			memcpy(id, e->d_name, 17);
			found = true;
		}
	if (dir)
		closedir(dir);
	else if (again >= 0)
		close(again);
	return found;
}

int gt_cli_close_door(const char *trace)
{
	char path[PATH_MAX + 64], id[17];
	struct stat st;
	struct gt_holders all = { 0 };
	int fd;

	if ((size_t)snprintf(path, sizeof path, "%s/other", trace) >= sizeof path)
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && st.st_mode & S_IWOTH) {
		if (find_id(fd, id))
			gt_holders_of_run(id, &all);
		gt_holders_add_writers(trace, &all);
		if (!all.n)
			fchmod(fd, 0711);
	}
	close(fd);
	return all.n ? all.v[0].pid : 0;
}
