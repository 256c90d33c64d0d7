/*
 * tests/e2e/cl_queue_view.c - what an application reads of its queues and profiles, and how wrong queues are refused
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

static void show(const char *name, cl_command_queue queue)
{
	cl_command_queue_properties properties = 77;
	cl_queue_properties list[32];
	size_t bytes = 99;
	cl_ulong end = 4711;
	cl_event event = NULL;
	cl_uint n = 0;
	cl_int err;

	printf("%s:\n", name);
	err = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, &bytes);
	printf("  properties %d %llu %zu\n", err, (unsigned long long)properties, bytes);
	err = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 0, NULL, &bytes);
	printf("  properties' size %d %zu\n", err, bytes);
	err = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, &properties, NULL);
	printf("  properties into 1 byte %d\n", err);
	memset(list, 0x5a, sizeof list);
	bytes = 99;
	err = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes);
	printf("  array %d %zu:", err, bytes);
	for (size_t i = 0; i < bytes / sizeof *list; i++)
		printf(" %llx", (unsigned long long)list[i]);
	printf(" then %llx\n", (unsigned long long)list[bytes / sizeof *list]);
	err = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 8, list, &bytes);
	printf("  array into 8 bytes %d\n", err);
	CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL));
	printf("  references %u\n", n);

	CHECK(run_kernel(queue, 0, NULL, &event));
	CHECK(clFinish(queue));
	err = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, &bytes);
	printf("  profiling %d, end %s\n", err, end == 4711 ? "untouched" : "written");
	printf("  profiling of a wrong name %d\n", clGetEventProfilingInfo(event, 0x9999, sizeof end, &end, NULL));
	printf("  profiling into 1 byte %d\n", clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 1, &end, NULL));
	printf("  wrong query %d\n", clGetCommandQueueInfo(queue, 0x9999, sizeof properties, &properties, NULL));
	CHECK(clReleaseEvent(event));
	CHECK(clReleaseCommandQueue(queue));
}

static void with_list(const char *name, const cl_queue_properties *list)
{
	cl_int err = 12345;
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &err);

	printf("%s: error %d, queue %s\n", name, err, queue ? "made" : "none");
	if (queue)
		show(name, queue);
	/* Without an error slot the call must behave the same. */
	queue = clCreateCommandQueueWithProperties(context, device, list, NULL);
	printf("  without error slot: %s\n", queue ? "made" : "none");
	if (queue)
		CHECK(clReleaseCommandQueue(queue));
}

static void refused(void)
{
	cl_int err = 0;

	printf("null context %p", (void *)clCreateCommandQueue(NULL, device, 0, &err));
	printf(" %d\n", err);
	printf("null device %p", (void *)clCreateCommandQueue(context, NULL, 0, &err));
	printf(" %d\n", err);
	printf("wrong bits %p", (void *)clCreateCommandQueue(context, device, 1ull << 40, &err));
	printf(" %d\n", err);
	printf("null context, list %p",
		(void *)clCreateCommandQueueWithProperties(NULL, device, (cl_queue_properties *)8, &err));
	printf(" %d\n", err);
	printf("null queue: retain %d release %d finish %d flush %d info %d\n", clRetainCommandQueue(NULL),
		clReleaseCommandQueue(NULL), clFinish(NULL), clFlush(NULL),
		clGetCommandQueueInfo(NULL, CL_QUEUE_PROPERTIES, 0, NULL, NULL));
	printf("null event: info %d profiling %d release %d\n",
		clGetEventInfo(NULL, CL_EVENT_REFERENCE_COUNT, 0, NULL, NULL),
		clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, 0, NULL, NULL), clReleaseEvent(NULL));
}

int main(void)
{
	/* Read-only memory: a tool that edits the caller's list crashes here. */
	static const cl_queue_properties none[] = { 0 };
	static const cl_queue_properties zero[] = { CL_QUEUE_PROPERTIES, 0, 0 };
	static const cl_queue_properties profiling[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
	static const cl_queue_properties order[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
	static const cl_queue_properties wrong_key[] = { 0x7777, 1, 0 };
	static const cl_queue_properties wrong_bits[] = { CL_QUEUE_PROPERTIES, 1ull << 40, 0 };
	static const cl_queue_properties twice[] = { CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0 };
	static cl_queue_properties many[2 * 70 + 1];

	for (int i = 0; i < 70; i++) {
		many[2 * i] = CL_QUEUE_PRIORITY_KHR;
		many[2 * i + 1] = CL_QUEUE_PRIORITY_MED_KHR;
	}
	open_context();
	open_kernel();
	show("old entry point", open_queue(0));
	show("old entry point, profiling", open_queue(CL_QUEUE_PROFILING_ENABLE));
	show("old entry point, out of order", open_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
	with_list("no list", NULL);
	with_list("empty list", none);
	with_list("zero", zero);
	with_list("profiling", profiling);
	with_list("out of order", order);
	with_list("wrong key", wrong_key);
	with_list("wrong bits", wrong_bits);
	with_list("twice", twice);
	with_list("70 pairs", many);
	refused();
	CHECK(clReleaseKernel(kernel));
	CHECK(clReleaseMemObject(buffer));
	CHECK(clReleaseContext(context));
	return 0;
}
