/*
 * tests/e2e/cl_shared.c - threads that share two queues and do everything with them at once; children of fork
 *
 *	cl_shared threads N       4 threads, N rounds each
 *	cl_shared reuse N         N queues made and released, handles used again
 *	cl_shared counts          reference counts while another thread finishes the queue
 *	cl_shared destructor N    a context whose destructor makes N calls, behind the release of a queue
 *	cl_shared fork            children that leave, and one that execs, while commands of the parent are pending
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl_common.h"

static cl_command_queue queues[2];
static int rounds;

static void *worker(void *number)
{
	int n = *(int *)number;
	cl_event event, kept = NULL;

	for (int i = 0; i < rounds; i++) {
		cl_command_queue q = queues[(i + n) & 1];

		CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, i % 3 ? &event : NULL));
		if (i % 3 == 1) {
			if (kept)
				CHECK(clReleaseEvent(kept));
			kept = event;
		} else if (i % 3 == 2) {
			CHECK(clReleaseEvent(event));
		}
		if (i % 16 == n && kept)
			status_of(kept);
		if (i % 32 == 8)
			CHECK(clFlush(q));
		if (i % 64 == 16)
			CHECK(clFinish(q));
		if (i % 64 == 40 && kept)
			CHECK(clWaitForEvents(1, &kept));
		if (i % 10 == 0) {
			CHECK(clRetainCommandQueue(q));
			CHECK(clReleaseCommandQueue(q));
		}
	}
	if (kept)
		CHECK(clReleaseEvent(kept));
	return NULL;
}

static void threads(void)
{
	int number[4] = { 0, 1, 2, 3 };
	pthread_t id[4];

	queues[0] = open_queue(0);
	queues[1] = open_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	for (int i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, worker, &number[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < 2; i++) {
		CHECK(clFinish(queues[i]));
		CHECK(clReleaseCommandQueue(queues[i]));
	}
	printf("threads are done\n");
}

static void reuse(void)
{
	for (int i = 0; i < rounds; i++) {
		cl_command_queue q = open_queue(i % 2 ? CL_QUEUE_PROFILING_ENABLE : 0);
		cl_command_queue_properties properties = 99;
		cl_event event;
		cl_ulong end;

		CHECK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
		CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
		CHECK(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
		if (i % 4 < 2)
			CHECK(clFinish(q));
		else
			CHECK(clWaitForEvents(1, &event));
		if (i < 8)
			printf("%llu %d\n", (unsigned long long)properties,
				clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
		CHECK(clReleaseCommandQueue(q));
		CHECK(clReleaseEvent(event));
	}
	usleep(100000);                                 /* what no call waited for completes before the program ends */
}

static volatile int complete;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *unused)
{
	(void)event, (void)unused;
	complete = status == CL_COMPLETE;
}

static void *finisher(void *queue)
{
	CHECK(clFinish(queue));
	return NULL;
}

/* Another thread finishes the queue; the event of `last` is complete, and has been for a while, when this returns. */
static pthread_t finish_elsewhere(cl_command_queue queue, cl_event last)
{
	pthread_t id;

	complete = 0;
	CHECK(clSetEventCallback(last, CL_COMPLETE, on_complete, NULL));
	pthread_create(&id, NULL, finisher, queue);
	for (int i = 0; i < 10000 && !complete; i++)
		usleep(1000);
	usleep(200000);
	return id;
}

static void counts(void)
{
	cl_command_queue queue = open_queue(0);
	cl_event event;
	cl_uint n = 99;
	pthread_t id;

	CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
	id = finish_elsewhere(queue, event);
	printf("references of the event: %u\n", references(event));
	pthread_join(id, NULL);
	CHECK(clReleaseEvent(event));
	CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
	CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
	id = finish_elsewhere(queue, event);
	CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL));
	printf("references of the queue: %u\n", n);
	pthread_join(id, NULL);
	CHECK(clReleaseEvent(event));
	CHECK(clReleaseCommandQueue(queue));
}

static void CL_CALLBACK calls_in_destructor(cl_context gone, void *unused)
{
	(void)gone, (void)unused;
	for (int i = 0; i < rounds; i++)
		CHECK(clGetPlatformIDs(1, &platform, NULL));
	printf("%d calls in a destructor\n", rounds);
}

static void destructor(void)
{
	cl_command_queue queue = open_queue(0);

	CHECK(clSetContextDestructorCallback(context, calls_in_destructor, NULL));
	CHECK(clReleaseKernel(kernel));
	CHECK(clReleaseMemObject(buffer));
	CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
	CHECK(clReleaseContext(context));
	CHECK(clReleaseCommandQueue(queue));
}

static void child_of(const char *how)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (!strcmp(how, "exec"))
			execl("/bin/true", "true", (char *)NULL);
		if (!strcmp(how, "exit"))
			exit(5);
		_exit(6);
	}
	waitpid(pid, &status, 0);
	printf("child by %s: %d\n", how, WEXITSTATUS(status));
}

static void forks(void)
{
	cl_command_queue queue = open_queue(0);
	pid_t pid;
	int status = 0;

	for (int i = 0; i < 10; i++)
		CHECK(run_kernel(queue, 0, NULL, NULL));
	fflush(stdout);
	child_of("_exit");
	child_of("exit");
	child_of("exec");
	pid = vfork();
	if (pid == 0) {
		execl("/bin/false", "false", (char *)NULL);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	printf("child by vfork: %d\n", WEXITSTATUS(status));
	for (int i = 0; i < 10; i++)
		CHECK(run_kernel(queue, 0, NULL, NULL));
	CHECK(clFinish(queue));
	printf("parent goes on\n");
}

int main(int argc, char **argv)
{
	rounds = argc > 2 ? atoi(argv[2]) : 100;
	if (argc < 2)
		return 2;
	open_context();
	open_kernel();
	if (!strcmp(argv[1], "threads"))
		threads();
	else if (!strcmp(argv[1], "reuse"))
		reuse();
	else if (!strcmp(argv[1], "counts"))
		counts();
	else if (!strcmp(argv[1], "destructor"))
		destructor();
	else
		forks();
	return 0;
}
