/*
 * tests/e2e/ways/ends.c - starts and ends processes in the way that its argument names; each makes calls that are known
 *
 * An old quick_exit destroys thread-local objects, the present one does not: so the output tells which was reached.
 *
 * `ends called` is the program that others start: one call, status 7.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The C library has it from glibc 2.34 on; the tool's own stands before that too. */
int execveat(int, const char *, char *const[], char *const[], int) __attribute__((weak));
extern char **environ;
static char *self;
static char *clean[] = { "PATH=/usr/bin:/bin", NULL };
static char *const called[] = { "ends", "called", NULL };

#if defined(__x86_64__)
#define OLD_SPAWN "GLIBC_2.2.5"
#define OLD_QUICK_EXIT "GLIBC_2.10"
#else
#define OLD_SPAWN "GLIBC_2.17"
#define OLD_QUICK_EXIT "GLIBC_2.17"
#endif
typedef int spawns(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,
	char *const *);
spawns spawn_old, spawnp_old;
void quick_exit_old(int) __attribute__((noreturn));
__asm__(".symver spawn_old, posix_spawn@" OLD_SPAWN);
__asm__(".symver spawnp_old, posix_spawnp@" OLD_SPAWN);
__asm__(".symver quick_exit_old, quick_exit@" OLD_QUICK_EXIT);

/* The C library has them from glibc 2.39 on, newer.c always. */
typedef int pidfd_spawns(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
	char *const *, char *const *);
extern pidfd_spawns pidfd_spawn __attribute__((weak)), pidfd_spawnp __attribute__((weak));

static void call(void)
{
	cl_uint n;

	clGetPlatformIDs(0, NULL, &n);
}

static int tell(const char *what, int status)
{
	printf("%s: %s %d\n", what, WIFEXITED(status) ? "status" : "signal",
		WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	fflush(stdout);
	return 0;
}

static int child_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return tell("child", status);
}

/* ---------------------------------------------------------------- starting */

static void spawned(spawns *function, const char *path, char *const env[])
{
	pid_t pid = -1;
	int err = function(&pid, path, NULL, NULL, called, env);

	if (err)
		printf("error %d\n", err);
	else
		child_of(pid);
}

static void spawned_by_descriptor(pidfd_spawns *function, const char *path, char *const env[])
{
	siginfo_t info = { .si_status = -1 };
	int fd = -1, err = function ? function(&fd, path, NULL, NULL, called, env) : ENOSYS;

	if (err) {
		printf("error %d\n", err);
		return;
	}
	waitid((idtype_t)3 /* P_PIDFD */, (id_t)fd, &info, WEXITED);
	printf("child: status %d\n", info.si_status);
	fflush(stdout);
}

/*
 * The parent is killed while the C library still makes the child, which waits for a file to be opened before its exec.
 */
static void spawned_and_killed(void)
{
	posix_spawn_file_actions_t actions;
	pid_t parent = getpid(), pid;

	unlink("at"), unlink("go");
	mkfifo("at", 0600), mkfifo("go", 0600);
	if (!fork()) {
		open("at", O_WRONLY);
		kill(parent, SIGKILL);
		while (getppid() == parent)
			usleep(1000);
		open("go", O_WRONLY);
		_exit(0);
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "at", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 0, "go", O_RDONLY, 0);
	posix_spawn(&pid, "/bin/true", &actions, NULL, called, clean);
	pause();
}

/* A file without "#!": the shell runs it, if the version of the function is an old one. */
static void script(spawns *function)
{
	FILE *f = fopen("script", "w");

	fprintf(f, "exit 9\n");
	fclose(f);
	chmod("script", 0755);
	spawned(function, "./script", environ);
}

static int in_clone(void *unused)
{
	(void)unused;
	call();
	call();
	_exit(6);
}

static int in_vm_clone(void *unused)
{
	(void)unused;
	execve(self, called, environ);
	_exit(6);
}

static void cloned(int (*run)(void *), int flags)
{
	static char stack[256 << 10] __attribute__((aligned(64)));

	child_of(clone(run, stack + sizeof stack, flags | SIGCHLD, NULL));
}

static void *execs(void *unused)
{
	(void)unused;
	call();
	execve(self, called, environ);
	return NULL;
}

static void told(FILE *f)
{
	char line[64] = "";

	if (fgets(line, sizeof line, f))
		printf("%s", line);
	tell("popen", pclose(f));
}

static int start(const char *way)
{
	char command[4096];
	pid_t pid;

	snprintf(command, sizeof command, "exec '%s' called", self);
	if (!strcmp(way, "posix_spawn"))
		spawned(posix_spawn, self, environ);
	else if (!strcmp(way, "posix_spawn-clean"))
		spawned(posix_spawn, self, clean);
	else if (!strcmp(way, "posix_spawnp"))
		spawned(posix_spawnp, self, environ);
	else if (!strcmp(way, "posix_spawnp-clean"))
		spawned(posix_spawnp, self, clean);
	else if (!strcmp(way, "posix_spawn-old"))
		spawned(spawn_old, self, environ);
	else if (!strcmp(way, "posix_spawnp-old-clean"))
		spawned(spawnp_old, self, clean);
	else if (!strcmp(way, "pidfd_spawn"))
		spawned_by_descriptor(pidfd_spawn, self, environ);
	else if (!strcmp(way, "pidfd_spawn-clean"))
		spawned_by_descriptor(pidfd_spawn, self, clean);
	else if (!strcmp(way, "pidfd_spawnp"))
		spawned_by_descriptor(pidfd_spawnp, self, environ);
	else if (!strcmp(way, "pidfd_spawnp-clean"))
		spawned_by_descriptor(pidfd_spawnp, self, clean);
	else if (!strcmp(way, "pidfd_spawn-missing"))
		spawned_by_descriptor(pidfd_spawn, "/no/such/program", clean);
	else if (!strcmp(way, "posix_spawn-missing"))
		spawned(posix_spawn, "/no/such/program", clean);
	else if (!strcmp(way, "posix_spawn-killed"))
		spawned_and_killed();
	else if (!strcmp(way, "posix_spawn-script"))
		script(posix_spawn), script(posix_spawnp), script(spawn_old), script(spawnp_old);
	else if (!strcmp(way, "clone"))
		cloned(in_clone, 0);
	else if (!strcmp(way, "clone-vfork"))
		cloned(in_vm_clone, CLONE_VM | CLONE_VFORK);
	else if (!strcmp(way, "fork-syscall")) {
		if (!(pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)))
			call(), call(), _exit(6);
		child_of(pid);
	} else if (!strcmp(way, "execveat"))
		printf("error %d\n", execveat ? execveat(AT_FDCWD, self, called, environ, 0), errno : ENOSYS);
	else if (!strcmp(way, "execve-syscall"))
		syscall(SYS_execve, self, called, environ);
	else if (!strcmp(way, "execve-syscall-clean"))
		syscall(SYS_execve, self, called, clean);
	else if (!strcmp(way, "exec-thread")) {
		pthread_t t;

		pthread_create(&t, NULL, execs, NULL);
		pthread_join(t, NULL);
	} else if (!strcmp(way, "system"))
		tell("system", system(command));
	else if (!strcmp(way, "popen"))
		told(popen(command, "r"));
	else if (!strcmp(way, "system-clean"))
		unsetenv("LD_PRELOAD"), unsetenv("OPENCL_LAYERS"), tell("system", system(command));
	else if (!strcmp(way, "popen-clean"))
		unsetenv("LD_PRELOAD"), unsetenv("OPENCL_LAYERS"), told(popen(command, "r"));
	else
		return 0;
	return 1;
}

/* ------------------------------------------------------------------ ending */

static void *exits(void *unused)
{
	(void)unused;
	call();
	exit(4);
}

static void *outlives(void *unused)
{
	(void)unused;
	usleep(50000);
	call();
	return NULL;
}

static void thread(void *(*run)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	if (run == outlives)
		pthread_exit(NULL);
	pthread_join(t, NULL);
}

static void raw_exit(int status)
{
#if defined(__x86_64__)
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(status) : "rcx", "r11", "memory");
#else
	register long nr __asm__("x8") = SYS_exit_group, arg __asm__("x0") = status;

	__asm__ volatile("svc 0" : : "r"(nr), "r"(arg) : "memory");
#endif
}

/* What the destructor of a thread-local object is to the C library. */
int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library);

static void destroyed(void *object)
{
	printf("thread-local object %s\n", object ? "destroyed" : "");
	fflush(stdout);
}

static void end(const char *way)
{
	struct rlimit none = { 0, 0 };

	__cxa_thread_atexit_impl(destroyed, self, &self);
	setrlimit(RLIMIT_CORE, &none);
	if (!strcmp(way, "quick_exit"))
		at_quick_exit(call), quick_exit(5);
	if (!strcmp(way, "quick_exit-old"))
		at_quick_exit(call), quick_exit_old(5);
	if (!strcmp(way, "_exit"))
		_exit(5);
	if (!strcmp(way, "_Exit"))
		_Exit(5);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "segv"))
		*(volatile int *)(uintptr_t)8 = 0;
	if (!strcmp(way, "term"))
		raise(SIGTERM);
	if (!strcmp(way, "kill"))
		raise(SIGKILL);
	if (!strcmp(way, "exit-syscall"))
		syscall(SYS_exit_group, 5);
	if (!strcmp(way, "exit-raw"))
		raw_exit(5);
	if (!strcmp(way, "exit-thread"))
		thread(exits);
	if (!strcmp(way, "pthread_exit"))
		thread(outlives);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	self = realpath("/proc/self/exe", NULL);
	if (argc < 3)           /* a second word: who has made no call */
		call();
	if (!strcmp(way, "called"))
		return printf("called\n"), 7;
	fflush(stdout);
	if (!start(way))
		end(way);
	return 3;
}
