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
#include <unistd.h>

bool gt_installed(const char *const *places, unsigned n, const char *name, char path[PATH_MAX])
{
	char self[PATH_MAX], candidate[2 * PATH_MAX];
	ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);

	if (bytes <= 0)
		return false;
	self[bytes] = 0;
	strrchr(self, '/')[1] = 0;
	for (unsigned i = 0; i < n; i++) {
		snprintf(candidate, sizeof candidate, "%s%s%s", self, places[i], name);
		if (realpath(candidate, path))
			return true;
	}
	return false;
}
