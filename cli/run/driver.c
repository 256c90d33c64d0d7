/*
 * cli/run/driver.c - why a CUDA program had nothing to record: there is no driver, and each of its calls failed
 *
 * Asked when a run is over that recorded nothing. Processes that end with the runtime loaded, and no driver, left a
 * line in `run`. nvcc links the runtime statically unless it is told: such a program has a section for device code.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/run/run.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/harmless.h"

static bool has_device_code(const char *path)
{
	static const char section[] = ".nvFatBinSegment";
	int fd = *path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct stat st;
	bool has = false;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		void *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (file != MAP_FAILED) {
			has = memmem(file, (size_t)st.st_size, section, sizeof section) != NULL;
			munmap(file, (size_t)st.st_size);
		}
	}
	if (fd >= 0)
		close(fd);
	return has;
}

bool gt_run_say_no_driver(const struct gt_run *run)
{
	char runtime[PATH_MAX];
	bool loaded = gt_run_says(run, "cuda_runtime", 0, runtime, sizeof runtime);
	void *driver;

	if (!loaded && !has_device_code(run->target.path))
		return false;
	driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (driver) {
		dlclose(driver);
		return false;
	}
	fprintf(stderr,
		"gputap: no traced call was made: no trace\n"
		"  why: %s %s, and CUDA's driver is not here: each CUDA call of the program fails (%s)\n"
		"  try: a machine with the driver, or the driver's folder in LD_LIBRARY_PATH\n",
		gt_harmless(loaded ? runtime : run->target.path), loaded ? "is loaded" : "has CUDA code",
		gt_harmless(dlerror()));
	return true;
}
