/*
 * tests/e2e/cl_leave.c - leave with commands complete and commands waiting, in every way there is
 *
 *	cl_leave return|exit|_exit|quick_exit|abort|exec|late
 *
 * Ten commands are complete, seen by nobody; five wait for a user event that nobody sets. late: an exit handler of the
 * program goes on calling OpenCL.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "cl_common.h"

static cl_command_queue waiting;

static void late(void)
{
	int value = 1;

	cl_command_queue_properties properties = 99;

	printf("late properties %d",
		clGetCommandQueueInfo(waiting, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
	printf(" %llu\n", (unsigned long long)properties);
	printf("late write %d\n",
		clEnqueueWriteBuffer(waiting, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
	printf("late release %d\n", clReleaseCommandQueue(waiting));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	cl_command_queue queue;
	cl_event gate, last;
	cl_int err;

	if (!strcmp(how, "again"))
		return 3;
	if (!strcmp(how, "late"))
		atexit(late);
	open_context();
	open_kernel();
	queue = open_queue(0);
	waiting = open_queue(0);
	for (int i = 0; i < 10; i++)
		CHECK(run_kernel(queue, 0, NULL, i == 9 ? &last : NULL));
	CHECK(clFlush(queue));
	while (status_of(last) > CL_COMPLETE)
		usleep(100);
	if (strcmp(how, "late")) {
		gate = clCreateUserEvent(context, &err);
		CHECK(err);
		for (int i = 0; i < 5; i++)
			CHECK(run_kernel(waiting, i == 0, i == 0 ? &gate : NULL, NULL));
		CHECK(clFlush(waiting));
	}
	fputs("leave by ", stdout);
	puts(how);
	fflush(stdout);
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "quick_exit"))
		quick_exit(3);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 3;
}
