/*
 * cli/run/child.c - the traced program as the launcher's child: environment, start, signals, end
 *
 * The child is made before the trace has its name (%p is its pid) and waits at a pipe. It keeps the launcher's process
 * group, terminal, descriptors and limits, and has the signal dispositions and the mask that the launcher was given:
 * nothing of the launcher is left in it but environment.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/perf/perf.h"
#include "cli/run/run.h"
#include "cli/run/signals.h"
#include "common/installed.h"
#include "common/plain/preloads.h"
#include "common/plain/static_tls.h"
#include "trace/format/domains.h"

/* -------------------------------------------------------------- environment */

/* Our libraries lie beside the tool (build tree) or in ../lib/gputap or ../lib (installed). */
static bool library(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = { "", "../lib/gputap/", "../lib/" };

	return gt_installed(places, sizeof places / sizeof *places, name, path);
}

/* Puts our library first in a colon list and leaves what the user preloads behind it. */
static void prepend(const char *variable, const char *path)
{
	const char *old = getenv(variable);
	char *joined = NULL;

	if (old && *old && asprintf(&joined, "%s:%s", path, old) >= 0)
		setenv(variable, joined, 1);
	else
		setenv(variable, path, 1);
	free(joined);
}

static bool traced(const struct gt_run *run, const char *domain)
{
	return gt_option_has(run->options, "trace", domain) && !gt_option_has(run->options, "trace", "none");
}

/*
 * Programs with NVTX ask for the library by NVTX_INJECTION64_PATH at their first NVTX call; they need no preload.
 * NVIDIA's libraries annotate themselves when a variable of theirs gives a level (collectors/nvtx/collector.c says why
 * 2); NCCL does it anyway. What the user set stays.
 */
static void ranges_environment(const struct gt_run *run, const char *path)
{
	static const char *const words[] = {
#define DOMAIN(id, number, word, built, help) [REC_ASK_##id] = word,
#include "trace/format/domains.def"
	};
	static const struct { enum rec_ask ask; const char *variable; } levels[] = {
		{ REC_ASK_NVTX, NULL },
#define RANGES_OF(ask, domain) { REC_ASK_##ask, NULL },
#include "trace/format/domains.def"
#define LEVEL_OF(ask, variable) { REC_ASK_##ask, variable },
#include "trace/format/domains.def"
	};

	for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
		if (!traced(run, words[levels[i].ask]))
			continue;
		setenv("NVTX_INJECTION64_PATH", path, 0);       /* another tool's stays */
		if (levels[i].variable)
			setenv(levels[i].variable, "2", 0);
	}
}

/* The CUDA driver asks for the library by a variable too, in cuInit. */
static void injection(const struct gt_run *run, const char *path)
{
	const char *other = getenv("CUDA_INJECTION64_PATH");

	ranges_environment(run, path);
	if (!traced(run, "cuda"))
		return;
	if (other && *other && strcmp(other, path))
		setenv("GPUTAP_CUDA_CHAIN", other, 1);          /* the driver asks for one: ours calls the other */
	setenv("CUDA_INJECTION64_PATH", path, 1);
}

/*
 * What is preloaded only when it is asked for. In front of the core, which exports some of the same names (syscall,
 * prctl) and calls the next one of them.
 */
static int thin_objects(const struct gt_run *run, struct gt_err *err)
{
	static const struct {
		const char *domain, *library;
	} thin[] = {
		{ "osrt", "libgputap-osrt.so" },
		{ "openmp", "libgputap-openmp.so" },
		{ "openmp", "libgputap-libgomp.so" },
	};
	char path[PATH_MAX];

	for (unsigned i = 0; i < sizeof thin / sizeof *thin; i++) {
		if (!traced(run, thin[i].domain))
			continue;
		if (!library(thin[i].library, path))
			return gt_fail(err, GT_EXIT_MISSING, NULL, NULL,
				"-t %s: %s is neither beside gputap nor in ../lib/gputap", thin[i].domain,
				thin[i].library);
		prepend("LD_PRELOAD", path);
	}
	return 0;
}

/* As the hooks of exec and spawn do it for what the program starts (interpose/child_environment.c). */
static int arrange_preloads(const struct gc_program *p, struct gt_err *err)
{
	const char *old = getenv("LD_PRELOAD");
	size_t room = (old ? strlen(old) : 0) + sizeof p->runtime + 8;
	char *list = malloc(room);
	bool same;

	if (!list)
		return gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory for the list of libraries to preload");
	if (!gc_preloads_write(list, room, old, gc_preloads_ours(p, true), p->runtime, &same))
		unsetenv("LD_PRELOAD");
	else if (!same)
		setenv("LD_PRELOAD", list, 1);
	free(list);
	return 0;
}

/* The audit module takes room from the program's libraries: GLIBC_TUNABLES asks for more. */
static int arrange_room(uint64_t bytes, struct gt_err *err)
{
	static const char variable[] = "GLIBC_TUNABLES";
	const char *old = getenv(variable);
	bool same;
	size_t room = gc_static_tls_tunables(NULL, 0, old, bytes, &same) + 1;
	char *list = same ? NULL : malloc(room);

	if (same)
		return 0;
	if (!list)
		return gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "no memory for the dynamic linker's settings");
	if (gc_static_tls_tunables(list, room, old, bytes, &same))
		setenv(variable, list, 1);
	else
		unsetenv(variable);
	free(list);
	return 0;
}

static int arrange_audit(const struct gt_run *run, struct gt_err *err)
{
	const struct gt_run_target *t = &run->target;
	char path[PATH_MAX];

	if (!t->wants_audit || t->audit != GC_AUDIT_GOES)
		return arrange_room(0, err);
	if (library("libgputap-audit.so", path))
		prepend("LD_AUDIT", path);
	else if (!strcmp(gt_option(run->options, "audit"), "on"))
		return gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "libgputap-audit.so is not installed");
	else
		return arrange_room(0, err);
	return arrange_room(t->tls_bytes, err);
}

static int environment(const struct gt_run *run, struct gt_err *err)
{
	const struct gt_option_table *table = run->options->table;
	char path[PATH_MAX], number[32], name[64];

	if (!library("libgputap.so", path))
		return gt_fail(
			err, GT_EXIT_MISSING, NULL, NULL, "libgputap.so is neither beside gputap nor in ../lib/gputap");
	if (strpbrk(path, " :\t"))
		return gt_fail(err, GT_EXIT_MISSING, "the dynamic linker takes blanks and colons for the end of a name",
			NULL, "%s cannot be preloaded: its path holds one", path);
	prepend("LD_PRELOAD", path);
	injection(run, path);
	if (thin_objects(run, err) || arrange_preloads(&run->target.program, err) || arrange_audit(run, err))
		return -1;
	setenv("GPUTAP_RUN_ID", run->run_id, 1);
	snprintf(number, sizeof number, "%d", (int)getppid());
	setenv("GPUTAP_LAUNCHER", number, 1);
	for (unsigned i = 0; i < table->n; i++)
		if ((table->defs[i].scope & REC_SCOPE_S) && run->options->origin[i] != GT_FROM_DEFAULT) {
			gt_option_env_name(table->defs[i].name, name);
			setenv(name, run->options->value[i], 1);        /* OPTIONS1: the shim reads what is normal */
		}
	unsetenv("GPUTAP_EXPORT");      /* the launcher converts */
	unsetenv("GPUTAP_FORCE");
	return 0;
}

/* -------------------------------------------------------------------- start */

/* A later run of the program says nothing, and reads what the first one read where that is a file. */
static void be_silent(const struct gt_run *run)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), in = nothing;

	if (run->stdin_at >= 0) {
		in = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
		if (in < 0 || lseek(in, run->stdin_at, SEEK_SET) < 0)
			in = nothing;
	}
	dup2(in, 0);
	dup2(nothing, 1);
	dup2(nothing, 2);
}

static void child(struct gt_run *run, int gate, int report)
{
	char name[PATH_MAX + 32];
	ssize_t n;
	int failure;

	do
		n = read(gate, name, sizeof name - 1);  /* the trace's name: the go-ahead */
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		_exit(125);
	name[n] = 0;
	setenv("GPUTAP_OUTPUT", name, 1);
	if (run->again)
		be_silent(run);
	gt_capture_child(run);
	execvp(run->command[0], run->command);
	failure = errno;
	if (write(report, &failure, sizeof failure) < 0)
		_exit(125);
	_exit(failure == ENOENT ? 127 : 126);
}

int gt_run_fork(struct gt_run *run, struct gt_err *err)
{
	int gate[2], report[2];

	if (pipe2(gate, O_CLOEXEC))
		return gt_fail(err, GT_EXIT_MISSING, strerror(errno), NULL, "no pipe");
	if (pipe2(report, O_CLOEXEC)) {
		close(gate[0]);
		close(gate[1]);
		return gt_fail(err, GT_EXIT_MISSING, strerror(errno), NULL, "no pipe");
	}
	fflush(NULL);
	gt_signals_hold();
	run->pid = fork();
	if (run->pid == 0) {
		struct gt_err own = { 0 };

		gt_signals_give();
		close(gate[1]);
		close(report[0]);
		if (environment(run, &own)) {
			gt_cli_fail(&own);
			_exit(125);
		}
		child(run, gate[0], report[1]);
	}
	close(gate[0]);
	close(report[1]);
	if (run->pid < 0) {
		close(gate[1]);
		close(report[0]);
		return gt_fail(err, GT_EXIT_MISSING, strerror(errno), NULL, "no process");
	}
	run->gate = gate[1];
	run->report = report[0];
	return 0;
}

int gt_run_release(struct gt_run *run)
{
	int failure = 0;
	ssize_t n;

	/* For good: whoever reads what we say may leave early, and the status stays the program's. */
	signal(SIGPIPE, SIG_IGN);
	if (write(run->gate, run->name, strlen(run->name)) < 0)
		failure = 0;            /* the child is gone: its status tells */
	close(run->gate);
	do
		n = read(run->report, &failure, sizeof failure);
	while (n < 0 && errno == EINTR);
	close(run->report);
	return n == sizeof failure ? failure : 0;
}

/* ------------------------------------------------------------- until it has ended */

/* What the launcher looks at while the program runs. */
enum { WATCH_PROGRAM, WATCH_MARKS, WATCH_SIGNALS, WATCH_RINGS, WATCH_MOST = WATCH_RINGS + 1024 };
enum { SECOND_MS = 1000, EMPTY_RINGS_MS = 100, LOOK_MS = 20 };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* A ring whose threads are all gone says so for ever. */
static void empty_rings(const struct gt_run *run, struct pollfd *p, unsigned n)
{
	gt_perf_drain(run->perf);
	for (unsigned i = WATCH_RINGS; i < n; i++)
		if (p[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			p[i].fd = -1;
}

/* It is not collected yet. */
static bool has_ended(const struct gt_run *run)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) ? errno != EINTR : info.si_pid != 0;
}

/* How long it may wait for what it is told of; without pidfd (old kernel) SIGCHLD tells of the program's end. */
static int longest_wait(const struct gt_run *run)
{
	if (gt_signals_descriptor() < 0)
		return LOOK_MS;
	return run->perf ? EMPTY_RINGS_MS : SECOND_MS;
}

void gt_run_wait(struct gt_run *run)
{
	static struct pollfd p[WATCH_MOST];
	int fd = (int)syscall(SYS_pidfd_open, run->pid, 0), rings[WATCH_MOST - WATCH_RINGS];
	unsigned n = WATCH_RINGS + gt_perf_descriptors(run->perf, rings, WATCH_MOST - WATCH_RINGS);
	int64_t logged = now_ms();
	bool ended = false;

	p[WATCH_PROGRAM] = (struct pollfd){ .fd = fd, .events = POLLIN };
	p[WATCH_MARKS] = (struct pollfd){ .fd = run->marks, .events = POLLIN };
	p[WATCH_SIGNALS] = (struct pollfd){ .fd = gt_signals_descriptor(), .events = POLLIN };
	for (unsigned i = WATCH_RINGS; i < n; i++)
		p[i] = (struct pollfd){ .fd = rings[i - WATCH_RINGS], .events = POLLIN };
	while (!ended) {
		int ready = poll(p, n, longest_wait(run));

		gt_signals_pass(run);
		gt_run_stop_follow(run->pid);
		if (now_ms() - logged >= SECOND_MS) {
			gt_run_log_clock(run);
			logged = now_ms();
		}
		if (n > WATCH_RINGS)
			empty_rings(run, p, n);
		ended = has_ended(run);
		gt_perf_look(run->perf, run, ended);
		if (ready > 0 && p[WATCH_MARKS].revents)
			gt_run_take_marks(run);
	}
	while (waitpid(run->pid, &run->status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
	gt_signals_release();
	gt_run_take_marks(run);
}

int gt_run_like_target(const struct gt_run *run)
{
	struct rlimit none = { 0, 0 };

	if (!WIFSIGNALED(run->status))
		return WEXITSTATUS(run->status);
	setrlimit(RLIMIT_CORE, &none);  /* the target's core is the one to look at */
	fflush(NULL);
	gt_signals_die_by(WTERMSIG(run->status));
	return 128 + WTERMSIG(run->status);
}
