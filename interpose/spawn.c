/*
 * interpose/spawn.c - posix_spawn and its like, system, popen: children that the C library starts by itself
 *
 * Their exec does not come by exec.c. posix_spawn's program is looked at before it is started, and given the libraries
 * that it can take (child_environment.h); system and popen start a shell, which does that for what it starts. A child
 * that will not be followed is counted: its calls are nowhere in the trace.
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
#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/plain/without.h"
#include "interpose/child_environment.h"
#include "interpose/elf.h"
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

/* SPAWN1 */
struct unfollowed { bool lost, counted; uint64_t mark; };

static struct unfollowed count_ahead(const struct tap_started *s)
{
	bool lost = s->fate == TAP_CLEANED || s->fate == TAP_UNREACHABLE;
	struct unfollowed u = { .lost = lost && !gc_without("spawn-cleans") };

	u.counted = u.lost && !gc_without("spawn-ahead") && tap_process_count_unfollowed(s->fate);
	if (u.lost && !u.counted)
		u.mark = tap_process_mark_unfollowed(s->fate);
	return u;
}

static void settle(struct unfollowed u, bool made, const struct tap_started *s)
{
	if (u.counted && !made)
		tap_process_take_unfollowed_back(s->fate);
	else if (u.lost && !u.counted && made)
		tap_process_unfollowed(s);
	if (u.mark)
		tap_process_unmark_unfollowed(s->fate, u.mark);
	if (made)
		tap_process_started(s);
}

/*
 * No constructor: most programs start no child. A path is looked at from this process' folder, even if a file action
 * leaves it first: then it is another file, if any, and at worst the child starts as it did before anybody looked.
 */
#define SPAWN(member, look, id) \
	find_real(); \
	struct tap_child child; \
	look; \
	struct unfollowed u = count_ahead(&child.started); \
	char *const *env_of_child = tap_child_environment(&child); \
	int err = real.member ? real.member(id, path, actions, attributes, argv, env_of_child) : ENOSYS; \
	tap_child_forget(&child); \
	if (err) \
		tap_child_not_started(&child); \
	settle(u, !err, &child.started); \
	return err
#define LOOK tap_child_look(&child, AT_FDCWD, path, env)
#define SEARCH tap_child_search(&child, path, env)

int tap_posix_spawn(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawn, LOOK, pid); }
int tap_posix_spawn_old(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawn_old, LOOK, pid); }
int tap_posix_spawnp(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawnp, SEARCH, pid); }
int tap_posix_spawnp_old(SPAWN_PARAMETERS(pid_t *pid)) { SPAWN(spawnp_old, SEARCH, pid); }

EXPORTED int pidfd_spawn(SPAWN_PARAMETERS(int *fd));
EXPORTED int pidfd_spawn(SPAWN_PARAMETERS(int *fd)) { SPAWN(pidfd, LOOK, fd); }
EXPORTED int pidfd_spawnp(SPAWN_PARAMETERS(int *fd));
EXPORTED int pidfd_spawnp(SPAWN_PARAMETERS(int *fd)) { SPAWN(pidfdp, SEARCH, fd); }

EXPORTED int system(const char *command);
/* The shell that runs it. */
static struct tap_started shell(const char *command)
{
	return (struct tap_started){ .path = command, .program = command,
		.fate = tap_exec_cleans(environ) ? TAP_CLEANED : TAP_FOLLOWED };
}

EXPORTED int system(const char *command)
{
	find_real();
	struct tap_started s = shell(command);

	if (command && s.fate == TAP_CLEANED && !gc_without("spawn-cleans"))
		tap_process_unfollowed(&s);
	if (real.system)
		return real.system(command);
	errno = ENOSYS;
	return -1;
}

EXPORTED void *popen(const char *command, const char *type);    /* FILE: <stdio.h> has no place here */
EXPORTED void *popen(const char *command, const char *type)
{
	find_real();
	struct tap_started s = shell(command);
	struct unfollowed u = count_ahead(&s);
	void *f = real.popen ? real.popen(command, type) : NULL;

	settle(u, f != NULL, &s);
	return f;
}
