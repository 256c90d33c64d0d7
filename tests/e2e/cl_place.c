/*
 * tests/e2e/cl_place.c - STEP...: N calls, `uid=N` drops privileges, `root=DIR` changes the root directory, `thread=N`
 * is N calls in a thread, `small=N` in one with the least stack that there can be, which ends the process with
 * `small=-N`, `fork=N` in a child, `held=N` in a thread that never ends; `files=N` sets the limit of descriptors,
 * `await=FILE` waits for a file and opens none, `hide` writes something else over the environment that the process was
 * started with, as daemons do that show their state in ps, and starts no program in the run any more, `filter` installs
 * a seccomp filter, `filter-sleep` one that kills who sleeps, `counter` and `counter-syscall` forbid the processor's
 * counter, `counter-again` allows it, `kill` and `abort` end the process, `run=COMMAND` runs it by a shell
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <grp.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *calls(void *n)
{
	cl_uint count;

	for (long i = 0; i < (long)n; i++)
		clGetPlatformIDs(0, NULL, &count);
	return NULL;
}

static void *calls_and_ends(void *n)
{
	calls((void *)-(long)n);
		exit(0);
}

static int small_stack(long n)
{
	pthread_attr_t small;
	pthread_t thread;

	return pthread_attr_init(&small) || pthread_attr_setstacksize(&small, (size_t)PTHREAD_STACK_MIN) ||
		pthread_create(&thread, &small, n < 0 ? calls_and_ends : calls, (void *)n) ||
		pthread_join(thread, NULL);
}

static int held;

static void *calls_and_stays(void *n)
{
	calls(n);
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static int hold(long n)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, calls_and_stays, (void *)n))
		return 1;
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		usleep(100);
	return 0;
}

static int in_child(long n)
{
	pid_t child = fork();

	if (!child) {
		calls((void *)n);
		exit(0);
	}
	return child < 0 || waitpid(child, NULL, 0) < 0;
}

extern char **environ;

/* What the kernel shows of it; the program has a copy. */
static int hide(void)
{
	char **old = environ;
	size_t n = 0, to = 0;

	while (old[n])
		n++;
	environ = calloc(n + 1, sizeof *environ);
	for (size_t i = 0; environ && i < n; i++)
		if (strncmp(old[i], "GPUTAP_RUN_ID=", 14))
			environ[to++] = strdup(old[i]);
	for (size_t i = 0; environ && i < n; i++)
		memset(old[i], 'x', strlen(old[i]));
	return !environ;
}

/* Everything is allowed: what matters is that there is one. */
/* sleep: who calls nanosleep is killed. */
static int install_filter(bool sleep)
{
	struct sock_filter all[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sleep ? SYS_nanosleep : ~0u, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof all / sizeof *all, all };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int step(const char *word)
{
	pthread_t thread;

	if (!strncmp(word, "files=", 6)) {
		struct rlimit limit;

		getrlimit(RLIMIT_NOFILE, &limit);
		limit.rlim_cur = (rlim_t)atol(word + 6);
		return setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (!strncmp(word, "await=", 6)) {
		for (int i = 0; i < 60000 && access(word + 6, F_OK); i++)
			usleep(1000);
		return access(word + 6, F_OK);
	}
	if (!strcmp(word, "hide"))
		return hide();
	if (!strncmp(word, "fork=", 5))
		return in_child(atol(word + 5));
	if (!strncmp(word, "small=", 6))
		return small_stack(atol(word + 6));
	if (!strncmp(word, "held=", 5))
		return hold(atol(word + 5));
	if (!strcmp(word, "filter"))
		return install_filter(false);
	if (!strcmp(word, "filter-sleep"))
		return install_filter(true);
	if (!strcmp(word, "counter"))
		return prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (!strcmp(word, "counter-syscall"))
		return (int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
	if (!strcmp(word, "counter-again"))
		return prctl(PR_SET_TSC, PR_TSC_ENABLE);
	if (!strcmp(word, "kill"))
		return kill(getpid(), SIGKILL);
	if (!strcmp(word, "abort"))
		abort();

	if (!strncmp(word, "uid=", 4)) {
		unsigned id = (unsigned)atoi(word + 4);

		return setgroups(0, NULL) || setgid(id) || setuid(id);
	}
	if (!strncmp(word, "root=", 5))
		return chroot(word + 5) || chdir("/");
	if (!strncmp(word, "run=", 4))
		return system(word + 4) != 0;
	if (!strncmp(word, "thread=", 7))
		return pthread_create(&thread, NULL, calls, (void *)atol(word + 7)) || pthread_join(thread, NULL);
	calls((void *)atol(word));
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (step(argv[i])) {
			fprintf(stderr, "%s failed\n", argv[i]);
			return 1;
		}
	return 0;
}
