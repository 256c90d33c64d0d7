/*
 * tests/fault/torture_calls.c - a little of everything that makes the shim do more than copy: what torture.sh lets fail
 *
 * Many calls (chunk switches), threads one after the other and together, program source and log, queues that are timed,
 * callbacks, extension look-ups, dlsym, fork, fork and exec. Prints what an application can see, at the end how many
 * calls it made on OpenCL, the children's included.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/cl_common.h"

static unsigned long *calls;            /* shared with the children */
#define C(call) (__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED), (call))

static void cheap(int n)
{
	unsigned wrong = 0;

	for (int i = 0; i < n; i++) {
		errno = 77;
		wrong += C(clRetainKernel(kernel)) != CL_SUCCESS;
		wrong += C(clReleaseKernel(kernel)) != CL_SUCCESS;
		wrong += errno != 77;
	}
	printf("%d pairs, %u wrong\n", n, wrong);
}

static void CL_CALLBACK done(cl_event e, cl_int status, void *user)
{
	(void)e;
	*(int *)user = status;
}

static void commands(int n)
{
	cl_command_queue q = C(clCreateCommandQueue(context, device, 0, NULL));
	int data[16] = { 0 }, called = 99;
	size_t global = 16;
	cl_uint refs = 0;
	cl_event e;

	for (int i = 0; i < n; i++)
		C(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	printf("marker %d\n", C(clEnqueueMarkerWithWaitList(q, 0, NULL, &e)));
	printf("callback %d\n", C(clSetEventCallback(e, CL_COMPLETE, done, &called)));
	printf("read %d\n", C(clEnqueueReadBuffer(q, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL)));
	printf("finish %d", C(clFinish(q)));
	printf(", called with %d\n", called);
	printf("info %d", C(clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL)));
	printf(" references %u\n", refs);
	printf("release %d", C(clReleaseEvent(e)));
	printf(" %d\n", C(clReleaseCommandQueue(q)));
}

static void *worker(void *arg)
{
	for (int i = 0; i < 200; i++) {
		C(clRetainKernel(kernel));
		C(clReleaseKernel(kernel));
	}
	return arg;
}

static void threads(void)
{
	pthread_t id[3];

	for (int i = 0; i < 3; i++) {
		printf("thread %d\n", pthread_create(&id[i], NULL, worker, NULL));
		pthread_join(id[i], NULL);
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
}

static void look_ups(void)
{
	cl_int (*by_name)(cl_kernel) = (cl_int (*)(cl_kernel))dlsym(RTLD_DEFAULT, "clRetainKernel");
	void *lib = dlopen("libOpenCL.so.1", RTLD_LAZY);
	cl_int (*by_handle)(cl_kernel) = lib ? (cl_int (*)(cl_kernel))dlsym(lib, "clReleaseKernel") : NULL;

	printf("look-ups %d %d %d\n", by_name != NULL, by_handle != NULL, dlsym(lib, "clNoSuchFunction") == NULL);
	printf("called %d", by_name ? C(by_name(kernel)) : 99);
	printf(" %d\n", by_handle ? C(by_handle(kernel)) : 99);
	printf("extension %d", C(clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL")) != NULL);
	printf(" %d\n", C(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchINTEL")) != NULL);
}

static void children(char **argv)
{
	int status = 0;

	fflush(stdout);
	if (!fork()) {
		cheap(50);
		fflush(stdout);
		_exit(5);
	}
	wait(&status);
	printf("child %d, then ", WEXITSTATUS(status));
	printf("%d\n", wait(&status));
	fflush(stdout);
	if (!fork()) {
		execl("/proc/self/exe", argv[0], "image", (char *)NULL);
		_exit(9);
	}
	wait(&status);
	printf("image %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "image")) {
		cl_uint n = 0;
		cl_int rc = clGetPlatformIDs(0, NULL, &n);

		printf("image sees %u, %d\n", n, rc);
		return 6;
	}
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*calls = 3 + 6 + 1;                     /* open_context, open_kernel, the other image */
	open_context();
	open_kernel();
	look_ups();
	commands(20);
	cheap(9000);
	threads();
	commands(20);
	children(argv);
	printf("calls %lu\n", *calls);
	return 7;
}
