/*
 * trace/write/run/detach.c - conversion of the trace when the program ends, in a process that is none of its children
 *
 * Runs      at the exit of the root image, when no launcher stands above it.
 * Must not  leave the program a child, a signal, a descriptor or a pipe that it could notice.
 *
 * Two clones without an exit signal: the program's own wait calls never see the first, which we reap ourselves; the
 * second is nobody's child. The first takes the lock on export.lock before it ends, so the lock is held when we return,
 * and the second hands it to the tool as descriptor 3 across exec. Where the converter would be killed with the program
 * (pid 1 of a container), or when it was asked for (GPUTAP_EXPORT_WAIT), the first stays until the second has ended,
 * and we wait for the first.
 *
 * DETACH1  What is started, and with which environment, is settled by tap_detach_prepare before the program's own code
 *          runs: later the program may stand in another folder and may have changed every variable.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/run/detach.h"

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/write/internal.h"

#define ENVIRONMENT_LINES 64            /* handed to the tool */
#define ENVIRONMENT_BYTES 8192

extern char **environ;

static char tool[TAP_PATH_MAX];         /* absolute; "": not found. DETACH1 */
static char environment[ENVIRONMENT_BYTES];
static char *environment_lines[ENVIRONMENT_LINES];

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
	const char *dir = tap_own_path();
	size_t n = 0;

	for (size_t i = 0; dir[i]; i++)
		if (dir[i] == '/')
			n = i + 1;
	return n && (try_tool(dir, n, "gputap") || try_tool(dir, n, "../bin/gputap") ||
			    try_tool(dir, n, "../../bin/gputap"));
}

static bool begins(const char *line, const char *with)
{
	while (*with && *line == *with)
		line++, with++;
	return !*with;
}

/* Options of ours, and where libraries and temporary files lie; nothing else of the program's environment. */
static bool tool_needs(const char *line)
{
	static const char *const needed[] = { "GPUTAP_", "LD_LIBRARY_PATH=", "TMPDIR=", "SQLITE_TMPDIR=" };
	static const char *const told[] = { "GPUTAP_OUTPUT=", "GPUTAP_EXPORT=", "GPUTAP_EXPORT_WAIT=", "GPUTAP_FORCE=",
		"GPUTAP_RUN_ID=", "GPUTAP_LAUNCHER=", "GPUTAP_DETACHED=" };
	bool is = false;

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		is |= begins(line, needed[i]);
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		is &= !begins(line, told[i]);
	return is;
}

static void keep_environment(void)
{
	struct tap_text t;
	size_t n = 0;

	tap_text_init(&t, environment, sizeof environment);
	environment_lines[n++] = "GPUTAP_DETACHED=1";   /* the lock is held already, as descriptor 3 */
	for (char **line = environ; line && *line && n + 1 < ENVIRONMENT_LINES; line++) {
		size_t bytes = tap_text_length(*line) + 1;

		if (!tool_needs(*line) || bytes >= sizeof environment - t.used)
			continue;
		environment_lines[n++] = environment + t.used;
		tap_text_bytes(&t, *line, bytes);
	}
	environment_lines[n] = NULL;
}

void tap_detach_prepare(void)
{
	if (!tap_detach_wanted())
		return;
	if (!find_tool())
		tool[0] = 0;
	keep_environment();
}

void tap_detach_check(void)
{
	if (tap_detach_wanted() && !tool[0])
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

/* flags: O_CLOEXEC where it is not for the tool. */
static int open_log(int flags)
{
	char *path = tap_scratch_take();
	int fd;

	path_in_run(path, "/export.log");
	fd = (int)TAP_SYS(openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | flags, 0600, 0, 0);
	tap_scratch_give(path);
	return fd;
}

/* Nothing of the program's may reach the tool: descriptors, ignored signals, signal mask, session. */
static void leave_everything(void)
{
	struct { void *handler; unsigned long flags; void *restorer; uint64_t mask; } as_default = { 0 };
	uint64_t none = 0;
	char *path;

	for (int s = 1; s <= 64; s++)
		TAP_SYS(rt_sigaction, s, &as_default, NULL, 8, 0, 0);
	TAP_SYS(rt_sigprocmask, 2, &none, NULL, 8, 0, 0);
	TAP_SYS(setsid, 0, 0, 0, 0, 0, 0);
	if (TAP_SYS(close_range, 0, ~0u, 0, 0, 0, 0) < 0)
		for (int fd = 0; fd < 65536; fd++)
			tap_sys_close(fd);
	TAP_SYS(openat, AT_FDCWD, "/dev/null", O_RDWR, 0, 0, 0);
	TAP_SYS(openat, AT_FDCWD, "/dev/null", O_RDWR, 0, 0, 0);
	if (open_log(0) < 0)
		TAP_SYS(openat, AT_FDCWD, "/dev/null", O_RDWR, 0, 0, 0);
	path = tap_scratch_take();
	path_in_run(path, "/export.lock");
	long lock = TAP_SYS(openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600, 0, 0);

	tap_scratch_give(path);
	if (lock >= 0)
		TAP_SYS(flock, lock, LOCK_EX | LOCK_NB, 0, 0, 0, 0);
}

/* Whoever looks for the files, or waits for them, finds it where the tool would have said why they are not there. */
static void say_no_process(int log)
{
	static const char said[] = "gputap: no conversion at exit: no process can be made for it\n";

	tap_sys_write(log, said, sizeof said - 1);
}

static void become_tool(void)
{
	const char *arg[8] = { tool, "export", "-q", "-e", tap_option("export") };
	int args = 5;

	if (tap_options.force)
		arg[args++] = "-f";
	arg[args++] = tap_run_dir();
	TAP_SYS(execve, tool, arg, environment_lines, 0, 0, 0);
}

/* With pid 1 its whole pid namespace ends. */
static bool must_wait(void) { return tap_option_true("export-wait") || tap_sys_getpid() == 1; }

static void wait_for(long child)
{
	/* __WALL: whatever signal its end has: exec gives it one */
	while (child > 0 && TAP_SYS(wait4, child, NULL, __WALL, NULL, 0, 0) == -4 /* EINTR */)
		;
}

void tap_detach(void)
{
	static _Atomic int done;

	if (!tap_detach_wanted() || !tool[0] || !tap_run_find() || done++)
		return;
	uint64_t mask = tap_sys_signals_block();
	uint32_t self = tap_sys_getpid();
	bool wait = must_wait();
	long child = clone_silent();

	if (child == 0) {
		leave_everything();
		long converter = clone_silent();

		if (converter == 0) {
			if (!wait)              /* it waits for us */
				wait_for_end(self);
			become_tool();
		} else if (converter < 0) {
			say_no_process(STDERR_FILENO);
		} else if (wait) {
			wait_for(converter);
		}
		TAP_SYS(exit_group, 0, 0, 0, 0, 0, 0);
	}
	if (child < 0) {
		int log = open_log(O_CLOEXEC);

		say_no_process(log);
		tap_sys_close(log);
	}
	wait_for(child);
	tap_sys_signals_restore(mask);
}
