/*
 * tests/e2e/cl_many.c - many commands: polled only, blocked by a user event, failed, out of order, beside each other
 *
 *	cl_many poll|blocked|failed|disorder|mixed N
 *
 * The last line on stderr says how many commands the runtime accepted: the trace must have as many.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sched.h>

#include "cl_common.h"

static unsigned long accepted;

static void enqueue(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event)
{
	CHECK(clEnqueueMarkerWithWaitList(queue, n, waits, event));
	accepted++;
}

/* Never flushes, waits or finishes: asks for the status until it is complete. */
static void poll_only(int n)
{
	cl_command_queue queue = open_queue(0);
	cl_event last = NULL;

	open_kernel();
	for (int i = 0; i < n; i++) {
		if (last)
			CHECK(clReleaseEvent(last));
		CHECK(run_kernel(queue, 0, NULL, &last));
		accepted++;
		if (i % 100 != 99 && i != n - 1)
			continue;
		while (status_of(last) > CL_COMPLETE)
			sched_yield();
	}
	printf("status %d\n", status_of(last));
	CHECK(clReleaseEvent(last));
}

/* N commands wait for a user event; meanwhile another queue works. */
static void behind_user_event(int n, cl_int status)
{
	cl_command_queue queue = open_queue(0), other = open_queue(0);
	cl_int err;
	cl_event gate = clCreateUserEvent(context, &err), first = NULL;
	/*
	 * PoCL 3.1 aborts when a command fails whose event nobody holds: a program that makes commands fail holds
	 * them all.
	 */
	cl_event *held = calloc((size_t)n, sizeof *held);
	int value = 0;

	CHECK(err);
	open_kernel();
	for (int i = 0; i < n; i++)
		enqueue(queue, status < 0 || i == 0, status < 0 || i == 0 ? &gate : NULL,
			status < 0       ? &held[i]
				: i == 0 ? &first
					 : NULL);
	CHECK(clFlush(queue));
	for (int i = 0; i < 100; i++) {
		CHECK(clEnqueueFillBuffer(other, buffer, &i, sizeof i, 0, 64, 0, NULL, NULL));
		CHECK(clEnqueueReadBuffer(other, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
		accepted += 2;
	}
	printf("read %d while %d wait\n", value, n);
	CHECK(clSetUserEventStatus(gate, status));
	err = clFinish(queue);
	printf("finish %d, first %d\n", err, status_of(first ? first : held[0]));
	CHECK(clReleaseEvent(gate));
	if (first)
		CHECK(clReleaseEvent(first));
	for (int i = 0; i < n; i++)
		if (held[i])
			CHECK(clReleaseEvent(held[i]));
	free(held);
	CHECK(clReleaseCommandQueue(queue));
	CHECK(clReleaseCommandQueue(other));
}

/* An out-of-order queue whose first command waits while all others pass it. */
static void disorder(int n)
{
	cl_command_queue queue = open_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_int err;
	cl_event gate = clCreateUserEvent(context, &err), last = NULL;

	CHECK(err);
	open_kernel();
	CHECK(run_kernel(queue, 1, &gate, NULL));
	accepted++;
	for (int i = 0; i < n; i++) {
		CHECK(run_kernel(queue, 0, NULL, &last));
		accepted++;
		CHECK(clFlush(queue));
		if (i % 50 == 49 || i == n - 1)
			CHECK(clWaitForEvents(1, &last));
		CHECK(clReleaseEvent(last));
	}
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clFinish(queue));
	CHECK(clReleaseEvent(gate));
	CHECK(clReleaseCommandQueue(queue));
	printf("passed\n");
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1000;

	if (argc < 2)
		return 2;
	open_context();
	if (!strcmp(argv[1], "poll"))
		poll_only(n);
	else if (!strcmp(argv[1], "blocked"))
		behind_user_event(n, CL_COMPLETE);
	else if (!strcmp(argv[1], "failed"))
		behind_user_event(n, -77);
	else if (!strcmp(argv[1], "disorder"))
		disorder(n);
	else
		return 2;
	fprintf(stderr, "accepted %lu\n", accepted);
	return 0;
}
