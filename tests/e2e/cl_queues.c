/*
 * tests/e2e/cl_queues.c - cl_queues device | late [N] | writes [N]
 *
 *   device  a queue of the device's own, beside a common one
 *   late    a queue, then a wait of 300 ms, then N fills in it
 *   writes  N blocking writes, then the end at once (or N of them with the queue released: "released")
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "cl_common.h"

static void fill(cl_command_queue queue, int n)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &err);

	CHECK(err);
	for (int i = 0; i < n; i++)
		CHECK(clEnqueueFillBuffer(queue, buffer, &i, sizeof i, 0, 64, 0, NULL, NULL));
	CHECK(clFinish(queue));
}

static void write_blocking(cl_command_queue queue, int n)
{
	char data[64] = { 0 };
	cl_int err;
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &err);

	CHECK(err);
	for (int i = 0; i < n; i++)
		CHECK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 10;
	cl_queue_properties own[] = { CL_QUEUE_PROPERTIES,
		CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
	cl_command_queue_properties seen = 99;
	cl_command_queue queue;
	cl_int err;

	open_context();
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	CHECK(err);
	CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof seen, &seen, NULL));
	printf("properties %d\n", (int)seen);
	if (!strcmp(how, "device")) {
		printf("on device %d\n", clCreateCommandQueueWithProperties(context, device, own, &err) != NULL);
		fill(queue, n);
	} else if (!strcmp(how, "late")) {
		usleep(300000);
		fill(queue, n);
	} else {
		write_blocking(queue, n);
		if (!strcmp(how, "released"))
			CHECK(clReleaseCommandQueue(queue));
	}
	fflush(stdout);
	return 0;
}
