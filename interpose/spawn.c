/*
 * interpose/spawn.c - posix_spawn and its like, system, popen: children that the C library starts by itself
 *
 * Their exec does not come by exec.c. They are followed by their environment; here is only seen that it has been
 * cleaned: then its calls are nowhere in the trace, and are counted as one child.
 *
 * SPAWN1  The child is counted before it is made, since the parent may be killed while it makes it; where none came of
 *         it, that is taken back. A parent that has recorded nothing makes a mark for the meantime, and says it
 *         afterwards: a line is not taken back.
 *
 * Runs      in the calling thread; also before our constructor.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/plain/without.h"
#include "interpose/elf.h"
#include "interpose/leave.h"
#include "trace/write/process.h"

#define EXPORTED __attribute__((visibility("default")))

/* pid_t *, or int * where the child is told by a descriptor. */
#define SPAWN_PARAMETERS(id) \
	id, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, \
		char *const argv[], char *const env[]

typedef int spawn_function(SPAWN_PARAMETERS(pid_t *pid));
typedef int pidfd_function(SPAWN_PARAMETERS(int *fd));

static struct {
	spawn_function *spawn, *spawn_old, *spawnp, *spawnp_old;
	pidfd_function *pidfd, *pidfdp;
	int (*system)(const char *);
	void *(*popen)(const char *, const char *);
} real;

static void find_real(void)
{
#if defined(__x86_64__)
#define OLD "GLIBC_2.2.5"
#define PRESENT "GLIBC_2.15"
#else
#define OLD NULL
#define PRESENT NULL
#endif
	static const struct tap_wanted wanted[] = {
		{ "posix_spawn", PRESENT, &real.spawn },
		{ "posix_spawn", OLD, &real.spawn_old },
		{ "posix_spawnp", PRESENT, &real.spawnp },
		{ "posix_spawnp", OLD, &real.spawnp_old },
		{ "system", NULL, &real.system },
		{ "popen", NULL, &real.popen },
		{ "pidfd_spawn", NULL, &real.pidfd },           /* glibc 2.39 */
		{ "pidfd_spawnp", NULL, &real.pidfdp },
	};

	if (!real.spawn)
		tap_next_symbols(wanted, sizeof wanted / sizeof *wanted);
}

static bool cleans(char *const *env) { return tap_exec_cleans(env) && !gc_without("spawn-cleans"); }

/* SPAWN1 */
struct unfollowed { bool cleaned, counted; uint64_t mark; };

static struct unfollowed count_ahead(char *const *env)
{
	struct unfollowed u = { .cleaned = cleans(env) };

	u.counted = u.cleaned && !gc_without("spawn-ahead") && tap_process_count_unfollowed();
	if (u.cleaned && !u.counted)
		u.mark = tap_process_mark_unfollowed();
	return u;
}

static void settle(struct unfollowed u, bool made, const char *path)
{
	if (u.counted && !made)
		tap_process_take_unfollowed_back();
	else if (u.cleaned && !u.counted && made)
		tap_process_unfollowed(path);
	if (u.mark)
		tap_process_unmark_unfollowed(u.mark);
}

/* No constructor: most programs start no child. */
#define SPAWN(member, id) \
	find_real(); \
	struct unfollowed u = count_ahead(env); \
	int err = real.member ? real.member(id, path, actions, attributes, argv, env) : ENOSYS; \
	settle(u, !err, path); \
	return err

int tap_posix_spawn(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawn, pid); }
int tap_posix_spawn_old(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawn_old, pid); }
int tap_posix_spawnp(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawnp, pid); }
int tap_posix_spawnp_old(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawnp_old, pid); }

EXPORTED int pidfd_spawn(SPAWN_PARAMETERS(int *fd));
EXPORTED int pidfd_spawn(SPAWN_PARAMETERS(int *fd)) { SPAWN(pidfd, fd); }
EXPORTED int pidfd_spawnp(SPAWN_PARAMETERS(int *fd));
EXPORTED int pidfd_spawnp(SPAWN_PARAMETERS(int *fd)) { SPAWN(pidfdp, fd); }

EXPORTED int system(const char *command);
EXPORTED int system(const char *command)
{
	find_real();
	if (command && cleans(environ))
		tap_process_unfollowed(command);
	if (real.system)
		return real.system(command);
	errno = ENOSYS;
	return -1;
}

EXPORTED void *popen(const char *command, const char *type);    /* FILE: <stdio.h> has no place here */
EXPORTED void *popen(const char *command, const char *type)
{
	find_real();
	struct unfollowed u = count_ahead(environ);
	void *f = real.popen ? real.popen(command, type) : NULL;

	settle(u, f != NULL, command);
	return f;
}
