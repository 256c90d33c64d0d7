/*
 * tests/fault/faults.c - programs in trouble: each prints what it can see and ends with a status of its own
 *
 *	faults work|delete|storm|cancel|jump|closed|nocwd|strict|vfork|daemon|wait|noloader [ARG]
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/cl_common.h"

static unsigned wrong;
static volatile sig_atomic_t storms;
static sigjmp_buf out;

static void work(int n)
{
	cl_command_queue q = open_queue(0);
	int data[16] = { 0 };

	for (int i = 0; i < n; i++) {
		errno = 55;
		wrong += clRetainKernel(kernel) != CL_SUCCESS;
		wrong += clReleaseKernel(kernel) != CL_SUCCESS;
		wrong += errno != 55;
		if (i % 100)
			continue;
		wrong += run_kernel(q, 0, NULL, NULL) != CL_SUCCESS;
		wrong += clEnqueueReadBuffer(q, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL) != CL_SUCCESS;
	}
	wrong += clReleaseCommandQueue(q) != CL_SUCCESS;
	printf("%d rounds, %u wrong\n", n, wrong);
}

static void on_alarm(int number)
{
	cl_uint refs;

	(void)number;
	storms++;
	wrong += clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof refs, &refs, NULL) != CL_SUCCESS;
	if (storms % 7 == 0)
		siglongjmp(out, 1);
}

/* Handlers that call OpenCL and jump away, at any instruction of the calls they interrupt. */
static void storm(void)
{
	struct itimerval every = { { 0, 150 }, { 0, 150 } };
	cl_uint refs;

	signal(SIGALRM, on_alarm);
	sigsetjmp(out, 1);
	setitimer(ITIMER_REAL, &every, NULL);
	while (storms < 2000)
		wrong += clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof refs, &refs, NULL) != CL_SUCCESS;
	every = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &every, NULL);
	signal(SIGALRM, SIG_IGN);
}

static void sleep_in(void *unused)
{
	(void)unused;
	for (;;)
		pause();                /* a cancellation point */
}

static void *inside(void *arg)
{
	cl_command_queue q = open_queue(0);

	clEnqueueNativeKernel(q, sleep_in, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
	clFinish(q);
	return arg;
}

static void cancel(void)
{
	pthread_t id;
	void *result;

	for (int i = 0; i < 5; i++) {
		pthread_create(&id, NULL, inside, NULL);
		usleep(20000);
		pthread_cancel(id);
		pthread_join(id, &result);
		printf("cancelled %d\n", result == PTHREAD_CANCELED);
	}
}

static jmp_buf back;
static void CL_CALLBACK jumps(const char *text, const void *info, size_t n, void *user)
{
	(void)text, (void)info, (void)n, (void)user;
	longjmp(back, 1);
}

static void jump(void)
{
	for (volatile int i = 0; i < 20; i++)
		if (!setjmp(back))
			clCreateContext(NULL, 1, &device, jumps, NULL, NULL);
	printf("jumped out of callbacks\n");
}

/* Only read, write and exit are left: memory is all that the calls need. */
static void strict(void)
{
	char text[64];

	fflush(stdout);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
		return;
	for (int i = 0; i < 100000; i++) {
		wrong += clRetainKernel(kernel) != CL_SUCCESS;
		wrong += clReleaseKernel(kernel) != CL_SUCCESS;
	}
	if (write(1, text, (size_t)sprintf(text, "strict: %u wrong\n", wrong)) < 0)
		syscall(SYS_exit, 9);
	syscall(SYS_exit, 8);
}

static void children(const char *how, char **argv)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	if (!strcmp(how, "vfork")) {
		for (int i = 0; i < 3; i++) {
			pid = vfork();
			if (!pid) {
				execl("/proc/self/exe", argv[0], "noloader", (char *)NULL);
				_exit(99);
			}
			waitpid(pid, &status, 0);
			printf("child %d\n", WEXITSTATUS(status));
			work(50);
		}
	} else if (!fork()) {                   /* daemon(3): the grandchild works on after all others left */
		setsid();
		if (fork())
			_exit(0);
		usleep(50000);
		work(200);
		fflush(stdout);
		_exit(0);
	} else {
		wait(&status);
		printf("left a daemon, %d\n", WEXITSTATUS(status));
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "work";

	if (!strcmp(how, "noloader")) {
		void *lib = dlopen("libOpenCL-there-is-none.so.1", RTLD_NOW);

		printf("no loader: %d %d\n", lib == NULL, dlerror() != NULL);
		return 5;
	}
	if (!strcmp(how, "closed"))
		for (int fd = 0; fd < 3; fd++)
			close(fd);
	if (!strcmp(how, "nocwd") && (mkdir("gone", 0777) || chdir("gone") || rmdir("../gone")))
		return 9;
	open_context();
	open_kernel();
	work(argc > 2 ? atoi(argv[2]) : 200);
	if (!strcmp(how, "delete"))
		printf("deleted %d\n", system("rm -rf t.gputap"));
	else if (!strcmp(how, "storm"))
		storm();
	else if (!strcmp(how, "cancel"))
		cancel();
	else if (!strcmp(how, "jump"))
		jump();
	else if (!strcmp(how, "strict"))
		strict();
	else if (!strcmp(how, "vfork") || !strcmp(how, "daemon"))
		children(how, argv);
	else if (!strcmp(how, "wait"))
		printf("no child %d %d\n", wait(NULL), errno);
	work(argc > 2 ? atoi(argv[2]) : 200);
	if (!strcmp(how, "closed"))             /* descriptors of ours that stayed would have taken these numbers */
		return open("/dev/null", O_RDONLY) == 0 && dup(0) == 1 && !wrong ? 6 : 7;
	return wrong ? 8 : 3;
}
