/*
 * tests/e2e/cuda_ends.c - a CUDA program that ends, forks, waits or resets in the way its argument names
 *
 * return exit _exit quick_exit thread_exit exec kill fork_after fork_before fork_calls reset sealed idle window seconds
 * main_leaves (its last thread ends later; no launches: the stand-in's device has no thread then, which would stay)
 * unfinished (nothing is waited for) kill_unfinished (the same, by SIGKILL) pause_unfinished (four seconds later)
 * uninjected (the driver is not told of us)
 * threads_call, threads_launch [WAY] (two threads call, or launch and do not wait, as long as the process lives, and
 * count what came back in the file `calls`: two numbers of 8 bytes; then the end by WAY)
 * threads_stay (the same, and each makes 100000 calls more when every exit handler and destructor is through)
 * late_work (an exit handler from before the driver's launches; it prints what it got), last_calls (three calls in a
 * static destructor), or: late LIBRARY (loaded when the driver is up). 20 launches; 200 for the window; for the seconds
 * as many as there is time for in three to four, of which it prints the number. Ends with status 3 where there is one.
 * The driver is loaded by name: nothing of CUDA is linked.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda_driver.h"

enum { STATUS = 3, LAUNCHES = 20 };

static int launch_only(int n)
{
	int err = 0;

	for (int i = 0; i < n && !err; i++)
		err = launch_kernel(NULL);
	return err;
}

static void launch(int n)
{
	MUST(launch_only(n));
	MUST(F(cuCtxSynchronize, void)());
}

static void work(void)
{
	open_driver();
	load_kernel();
	launch(LAUNCHES);
}

static void *leave(void *unused)
{
	(void)unused;
	exit(STATUS);
}

static void *linger(void *unused)
{
	usleep(300000);
	return unused;
}

static int child_ends(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int fork_after(void)
{
	work();
	pid_t child = fork();

	if (child == 0)
		exit(0);                                /* the parent's handlers run here too */
	launch(LAUNCHES);
	return child_ends(child) ? STATUS : 1;
}

/* The child makes calls while the parent's buffers are open, when the parent has made its own. */
static int fork_calls(void)
{
	int over[2];

	work();
	if (pipe(over))
		return 1;
	pid_t child = fork();

	if (child == 0) {
		close(over[1]);
		if (read(over[0], &(char){ 0 }, 1) != 0)
			_exit(1);
		for (int i = 0; i < 500; i++)
			F(cuCtxGetCurrent, void **)(&(void *){ NULL });
		_exit(0);
	}
	launch(LAUNCHES);
	close(over[1]);
	return child_ends(child) ? STATUS : 1;
}

/* Registered before the driver's handler, so it runs behind it. */
static void late_work(void)
{
	int err = launch_only(LAUNCHES);

	if (!err)
		err = F(cuCtxSynchronize, void)();
	printf("late: %d\n", err);
	fflush(stdout);
}

static int calls_last;
static uint64_t *counted;               /* one for each thread that calls, in a file */

/* Between the exit handler that comes before the driver's and those of libraries, and behind them all. */
static void wait_for_threads(void)
{
	const volatile uint64_t *now = counted;

	for (uint64_t enough = now[0] + now[1] + 50; now[0] + now[1] < enough;)
		usleep(1000);
}

/* Behind every exit handler. */
__attribute__((destructor)) static void last(void)
{
	int err = 0;

	if (counted)
		wait_for_threads();
	for (int i = 0; calls_last && i < 3; i++)
		err |= F(cuCtxGetCurrent, void **)(&(void *){ NULL });
	if (calls_last)
		printf("last: %d\n", err), fflush(stdout);
}

static int fork_before(void)
{
	pid_t child = fork();

	work();
	if (child == 0)
		exit(0);
	return child_ends(child) ? STATUS : 1;
}

/* A filter that lets everything pass: the tool cannot know. */
static int seal(void)
{
	struct sock_filter all[] = { { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW } };
	struct sock_fprog program = { 1, all };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void window(void)
{
	open_driver();
	load_kernel();
	for (int i = 0; i < 200; i++) {
		launch(1);
		usleep(4000);
	}
}

static void seconds(void)
{
	time_t end = time(NULL) + 4;
	int n = 0;

	open_driver();
	load_kernel();
	for (; time(NULL) < end; n++) {
		launch(1);
		usleep(4000);
	}
	printf("launches %d\n", n);
}

static int (*get_device)(int *);

/* The C library writes out streams behind all handlers and destructors: so late calls can be. */
static ssize_t let_threads_call(void *unused, const char *text, size_t n)
{
	const volatile uint64_t *now = counted;
	uint64_t enough[2] = { now[0] + 100000, now[1] + 100000 };

	(void)unused, (void)text;
	while (now[0] < enough[0] || now[1] < enough[1])
		usleep(1000);
	return (ssize_t)n;
}

static void end_slowly(void)
{
	FILE *late = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = let_threads_call });

	if (late)
		fputc('x', late);
}

static void *call_for_ever(void *mine)
{
	uint64_t *count = mine;
	int got;

	MUST(F(cuCtxSetCurrent, void *)(context));
	for (;; (*count)++)
		get_device(&got);
	return NULL;
}

static void *launch_for_ever(void *mine)
{
	uint64_t *count = mine;

	MUST(F(cuCtxSetCurrent, void *)(context));
	for (; !launch_kernel(NULL); ++*count)
		usleep(20);
	return NULL;
}


static int threads_do(void *(*what)(void *))
{
	int fd = open("calls", O_RDWR | O_CREAT | O_TRUNC, 0600);
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, 2 * sizeof *counted) < 0)
		return 1;
	counted = mmap(NULL, 2 * sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	atexit(wait_for_threads);
	open_driver();
	load_kernel();
	get_device = F(cuCtxGetDevice, int *);
	for (int i = 0; i < 2; i++)
		MUST(pthread_create(&thread, NULL, what, &counted[i]));
	usleep(20000);
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "return";
	pthread_t thread;

	alarm(40);
	if (!strcmp(way, "fork_after"))
		return fork_after();
	if (!strcmp(way, "fork_before"))
		return fork_before();
	if (!strcmp(way, "fork_calls"))
		return fork_calls();
	if (!strcmp(way, "uninjected")) {
		unsetenv("CUDA_INJECTION64_PATH");
		work();
		return STATUS;
	}
	if (!strncmp(way, "threads_", 8)) {
		if (!strcmp(way, "threads_stay"))
			end_slowly();
		if (threads_do(strcmp(way, "threads_launch") ? call_for_ever : launch_for_ever))
			return 1;
		way = argc > 2 ? argv[2] : "return";
	}
	if (!strcmp(way, "late_work"))
		atexit(late_work);
	calls_last = !strcmp(way, "last_calls");
	if (strstr(way, "unfinished")) {
		open_driver();
		load_kernel();
		MUST(launch_only(LAUNCHES));
		if (*way == 'k')
			kill(getpid(), SIGKILL);
		if (*way == 'p') {
			sleep(4);
			kill(getpid(), SIGKILL);
		}
		return STATUS;
	}
	if (!strcmp(way, "main_leaves") && !pthread_create(&thread, NULL, linger, NULL)) {
		open_driver();
		pthread_exit(NULL);
	}
	if (!strcmp(way, "late")) {
		open_driver();
		if (argc < 3 || !dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL))
			return 1;
		load_kernel();
		launch(LAUNCHES);
		return STATUS;
	}
	if (!strcmp(way, "window")) {
		window();
		return STATUS;
	}
	if (!strcmp(way, "seconds")) {
		seconds();
		return STATUS;
	}
	work();
	if (!strcmp(way, "exit"))
		exit(STATUS);
	if (!strcmp(way, "_exit"))
		_exit(STATUS);
	if (!strcmp(way, "quick_exit"))
		quick_exit(STATUS);
	if (!strcmp(way, "thread_exit") && !pthread_create(&thread, NULL, leave, NULL))
		pause();
	if (!strcmp(way, "exec"))
		execlp("sh", "sh", "-c", "exit 3", (char *)NULL);
	if (!strcmp(way, "kill")) {
		usleep(700000);                         /* longer than the time between two looks */
		kill(getpid(), SIGKILL);
	}
	if (!strcmp(way, "reset"))
		MUST(F(cuDevicePrimaryCtxReset_v2, int)(device));
	if (!strcmp(way, "sealed") && !seal())
		launch(LAUNCHES);
	if (!strcmp(way, "idle"))
		usleep(4000000);
	return STATUS;
}
