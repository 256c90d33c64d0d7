/*
 * tests/e2e/cl_references.c - reference counts while commands are pending and after; failing enqueues leave the event
 * slot
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "cl_common.h"

static void counts(const char *when, cl_command_queue queue)
{
	cl_uint q = 0, c = 0, m = 0, k = 0;

	CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof q, &q, NULL));
	CHECK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof c, &c, NULL));
	CHECK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof m, &m, NULL));
	CHECK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof k, &k, NULL));
	printf("%s: queue %u context %u buffer %u kernel %u\n", when, q, c, m, k);
}

static volatile int buffer_gone;

static void CL_CALLBACK gone(cl_mem mem, void *user)
{
	(void)mem;
	printf("destructor of %s\n", (const char *)user);
	buffer_gone = 1;
}

int main(void)
{
	cl_event gate, events[10], bad = (cl_event)0x1234;
	cl_command_queue queue;
	cl_int err;
	size_t zero = 0;

	open_context();
	open_kernel();
	queue = open_queue(0);
	CHECK(clSetMemObjectDestructorCallback(buffer, gone, "buffer"));
	counts("at first", queue);

	gate = clCreateUserEvent(context, &err);
	CHECK(err);
	CHECK(run_kernel(queue, 1, &gate, &events[0]));
	for (int i = 1; i < 10; i++)
		CHECK(run_kernel(queue, 0, NULL, i % 2 ? &events[i] : NULL));
	counts("blocked, not flushed", queue);
	printf("event references %u, of the user event %u\n", references(events[0]), references(gate));
	CHECK(clFlush(queue));
	counts("blocked, flushed", queue);
	printf("event references %u %u %u\n", references(events[0]), references(events[1]), references(events[9]));
	CHECK(clRetainEvent(events[0]));
	printf("retained %u\n", references(events[0]));
	CHECK(clReleaseEvent(events[0]));

	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clFinish(queue));
	/* PoCL's worker lets go of the event a moment after the finish */
	usleep(50000);
	counts("finished", queue);
	printf("event references %u %u %u\n", references(events[0]), references(events[1]), references(events[9]));
	CHECK(clReleaseEvent(events[0]));
	for (int i = 1; i < 10; i += 2)
		CHECK(clReleaseEvent(events[i]));
	CHECK(clReleaseEvent(gate));
	counts("events released", queue);

	for (int i = 0; i < 5; i++)
		CHECK(run_kernel(queue, 0, NULL, NULL));
	CHECK(clFinish(queue));
	usleep(50000);
	counts("without events", queue);
	CHECK(clRetainCommandQueue(queue));
	counts("retained", queue);
	CHECK(clReleaseCommandQueue(queue));
	CHECK(run_kernel(queue, 0, NULL, NULL));
	CHECK(clFinish(queue));
	usleep(50000);
	counts("first release", queue);

	err = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4000, 4000, &zero, 0, NULL, &bad);
	printf("read beyond the end %d, slot %p\n", err, (void *)bad);
	err = clEnqueueNDRangeKernel(queue, kernel, 4711, NULL, &zero, NULL, 0, NULL, &bad);
	printf("wrong dimensions %d, slot %p\n", err, (void *)bad);
	err = clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, &zero, NULL, 0, NULL, &bad);
	printf("null queue %d, slot %p\n", err, (void *)bad);
	err = clEnqueueMarkerWithWaitList(queue, 1, NULL, &bad);
	printf("wrong wait list %d, slot %p\n", err, (void *)bad);
	bad = (cl_event)0x1234;
	printf("map beyond the end %p",
		clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 4000, 4000, 0, NULL, &bad, &err));
	printf(" %d, slot %p\n", err, (void *)bad);

	CHECK(clReleaseKernel(kernel));
	CHECK(clFinish(queue));
	printf("release the buffer\n");
	CHECK(clReleaseMemObject(buffer));
	CHECK(clReleaseCommandQueue(queue));
	CHECK(clReleaseContext(context));
	for (int i = 0; i < 1000 && !buffer_gone; i++)
		usleep(10000);                  /* PoCL 7 lets a worker do it, soon */
	printf("done\n");
	return 0;
}
