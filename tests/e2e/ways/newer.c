/*
 * tests/e2e/ways/newer.c - a library that has pidfd_spawn and pidfd_spawnp, where the C library (before glibc 2.39) has
 * none
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PARAMETERS int *fd, const char *path, const posix_spawn_file_actions_t *actions, \
	const posix_spawnattr_t *attributes, char *const argv[], char *const env[]

int pidfd_spawn(PARAMETERS);
int pidfd_spawnp(PARAMETERS);

typedef int spawns(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,
	char *const *);

/* The C library's own, as its pidfd_spawn reaches it: past everybody who stands before it. */
static spawns *in_c_library(const char *name)
{
	void *c = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	return c ? (spawns *)dlsym(c, name) : NULL;
}

static int start(const char *by, PARAMETERS)
{
	spawns *spawn = in_c_library(by);
	pid_t pid;
	int err = spawn ? spawn(&pid, path, actions, attributes, argv, env) : ENOSYS;

	if (!err && (*fd = (int)syscall(SYS_pidfd_open, pid, 0)) < 0)
		err = errno;
	return err;
}

int pidfd_spawn(PARAMETERS) { return start("posix_spawn", fd, path, actions, attributes, argv, env); }
int pidfd_spawnp(PARAMETERS) { return start("posix_spawnp", fd, path, actions, attributes, argv, env); }
