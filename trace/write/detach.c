/*
 * trace/write/detach.c - conversion of the trace when the program ends, in a process that is none of its children
 *
 * Runs      at the exit of the root image, when no launcher stands above it.
 * Must not  leave the program a child, a signal, a descriptor or a pipe that it could notice.
 *
 * Two clones without an exit signal: the program's own wait calls never see the first, which we reap ourselves; the
 * second is nobody's child. The first takes the lock on export.lock before it ends, so the lock is held when we return,
 * and the second hands it to the tool as descriptor 3 across exec.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/detach.h"

#include <dlfcn.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "trace/write/internal.h"

#define ENVIRONMENT_MAX 4096            /* lines handed to the tool */

extern char **environ;

static char tool[TAP_PATH_MAX];

bool tap_detach_wanted(void)
{
	return tap_option_given("export") && *tap_option("export") && tap_run_is_root();
}

static bool try_tool(const char *dir, size_t n, const char *tail)
{
	struct tap_text t;

	tap_text_init(&t, tool, sizeof tool);
	tap_text_bytes(&t, dir, n);
	tap_text_str(&t, tail);
	return TAP_SYS(faccessat, AT_FDCWD, tool, 1 /* X_OK */, 0, 0, 0) == 0;
}

/* The tool lies beside the library (build folder) or in the bin folder of the same tree. */
static bool find_tool(void)
{
	Dl_info info;
	size_t n = 0;

	if (!dladdr((void *)&tool, &info) || !info.dli_fname)
		return false;
	for (size_t i = 0; info.dli_fname[i]; i++)
		if (info.dli_fname[i] == '/')
			n = i + 1;
	return try_tool(info.dli_fname, n, "gputap") || try_tool(info.dli_fname, n, "../bin/gputap") ||
	       try_tool(info.dli_fname, n, "../../bin/gputap");
}

void tap_detach_check(void)
{
	if (tap_detach_wanted() && !find_tool())
		tap_note(TAP_PART_EXPORT, "no conversion at exit: the gputap tool is not beside the library");
}

/* A copy of the process whose end raises no signal. */
static long clone_silent(void) { return TAP_SYS(clone, 0, 0, 0, 0, 0, 0); }

static void path_in_run(char *path, const char *tail)
{
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, tap_run_dir());
	tap_text_str(&t, tail);
}

/*
 * What static destructors call is recorded behind our exit handler: the tool reads when the process is gone. One that
 * takes longer to end is read as it is.
 */
static void wait_for_end(uint32_t pid)
{
	struct { int fd; short events, revents; } end = { -1, 1 /* POLLIN */, 0 };
	int64_t patience[2] = { 10, 0 };        /* seconds, ns */

	end.fd = (int)TAP_SYS(pidfd_open, pid, 0, 0, 0, 0, 0);
	if (end.fd >= 0)
		TAP_SYS(ppoll, &end, 1, patience, NULL, 8, 0);
}

/* Nothing of the program's may reach the tool: descriptors, ignored signals, signal mask, session. */
static void leave_everything(void)
{
	struct { void *handler; unsigned long flags; void *restorer; uint64_t mask; } as_default = { 0 };
	uint64_t none = 0;
	char path[TAP_PATH_MAX];

	for (int s = 1; s <= 64; s++)
		TAP_SYS(rt_sigaction, s, &as_default, NULL, 8, 0, 0);
	TAP_SYS(rt_sigprocmask, 2, &none, NULL, 8, 0, 0);
	TAP_SYS(setsid, 0, 0, 0, 0, 0, 0);
	if (TAP_SYS(close_range, 0, ~0u, 0, 0, 0, 0) < 0)
		for (int fd = 0; fd < 65536; fd++)
			tap_sys_close(fd);
	TAP_SYS(openat, AT_FDCWD, "/dev/null", O_RDWR, 0, 0, 0);
	TAP_SYS(openat, AT_FDCWD, "/dev/null", O_RDWR, 0, 0, 0);
	path_in_run(path, "/export.log");
	if (TAP_SYS(openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666, 0, 0) < 0)
		TAP_SYS(openat, AT_FDCWD, "/dev/null", O_RDWR, 0, 0, 0);
	path_in_run(path, "/export.lock");
	long lock = TAP_SYS(openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600, 0, 0);

	if (lock >= 0)
		TAP_SYS(flock, lock, LOCK_EX | LOCK_NB, 0, 0, 0, 0);
}

static bool is_ours(const char *line)
{
	return !__builtin_strncmp(line, "LD_PRELOAD=", 11) || !__builtin_strncmp(line, "LD_AUDIT=", 9) ||
	       !__builtin_strncmp(line, "OPENCL_LAYERS=", 14) || !__builtin_strncmp(line, "GPUTAP_OUTPUT=", 14) ||
	       !__builtin_strncmp(line, "GPUTAP_EXPORT=", 14);
}

static void become_tool(void)
{
	static char *env[ENVIRONMENT_MAX];
	size_t n = 0;
	const char *arg[8] = { tool, "export", "-q", "-e", tap_option("export") };
	int args = 5;

	env[n++] = "GPUTAP_DETACHED=1";         /* the lock is held already, as descriptor 3 */
	for (char **line = environ; line && *line && n + 1 < ENVIRONMENT_MAX; line++)
		if (!is_ours(*line))
			env[n++] = *line;
	if (tap_options.force)
		arg[args++] = "-f";
	arg[args++] = tap_run_dir();
	TAP_SYS(execve, tool, arg, env, 0, 0, 0);
}

void tap_detach(void)
{
	static _Atomic int done;

	if (!tap_detach_wanted() || !find_tool() || !tap_run_find() || done++)
		return;
	uint64_t mask = tap_sys_signals_block();
	uint32_t self = tap_sys_getpid();
	long child = clone_silent();

	if (child == 0) {
		leave_everything();
		if (clone_silent() == 0) {
			wait_for_end(self);
			become_tool();
		}
		TAP_SYS(exit_group, 0, 0, 0, 0, 0, 0);
	}
	if (child > 0)
		while (TAP_SYS(wait4, child, NULL, __WCLONE, NULL, 0, 0) == -4 /* EINTR */)
			;
	tap_sys_signals_restore(mask);
}
