/*
 * common/installed.c - what came with gputap, found by where its program lies
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Where this program lies. Without /proc, as in a bare chroot, the kernel still says by which path it was started. */
static bool find_self(char self[PATH_MAX])
{
	const char *started = (const char *)getauxval(AT_EXECFN);
	ssize_t bytes = readlink("/proc/self/exe", self, PATH_MAX - 1);

	if (bytes > 0)
		self[bytes] = 0;
	return bytes > 0 || (started && realpath(started, self));
}

bool gt_installed(const char *const *places, unsigned n, const char *name, char path[PATH_MAX])
{
	char self[PATH_MAX], candidate[2 * PATH_MAX];

	if (!find_self(self))
		return false;
	strrchr(self, '/')[1] = 0;
	for (unsigned i = 0; i < n; i++) {
		snprintf(candidate, sizeof candidate, "%s%s%s", self, places[i], name);
		if (realpath(candidate, path))
			return true;
	}
	return false;
}
