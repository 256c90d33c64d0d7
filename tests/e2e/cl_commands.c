/*
 * tests/e2e/cl_commands.c - each command of OpenCL 3.0 once, with and without an event, from several queues
 *
 *	cl_commands [THREADS]       with THREADS: each does it on two queues of its own
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>

#include "cl_common.h"

#define OK(call) do { \
	cl_int e_ = (call); \
	*sum = *sum * 31 + (unsigned)e_; \
	if (e_ != CL_SUCCESS && verbose) printf("%s: %d\n", #call, e_); } while (0)

static int verbose = 1;

static void copies(cl_command_queue q, cl_event *e, unsigned *sum)
{
	size_t origin[3] = { 0, 0, 0 }, region[3] = { 16, 4, 1 };
	cl_int err;
	int data[256] = { 1, 2, 3 }, pattern = 5;
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
	cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &err);

	OK(clEnqueueWriteBuffer(q, a, CL_TRUE, 0, 64, data, 0, NULL, e));
	OK(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, 64, data, 0, NULL, NULL));
	OK(clEnqueueCopyBuffer(q, a, b, 0, 0, sizeof data, 0, NULL, NULL));
	OK(clEnqueueFillBuffer(q, b, &pattern, sizeof pattern, 64, 128, 0, NULL, NULL));
	OK(clEnqueueWriteBufferRect(q, b, CL_FALSE, origin, origin, region, 64, 0, 64, 0, data, 0, NULL, NULL));
	OK(clEnqueueCopyBufferRect(q, a, b, origin, origin, region, 64, 0, 64, 0, 0, NULL, NULL));
	OK(clEnqueueReadBufferRect(q, b, CL_TRUE, origin, origin, region, 64, 0, 64, 0, data, 0, NULL, NULL));
	OK(clEnqueueMigrateMemObjects(q, 1, &a, 0, 0, NULL, NULL));
	OK(clEnqueueReadBuffer(q, b, CL_FALSE, 0, sizeof data, data, 0, NULL, NULL));
	OK(clFinish(q));
	for (int i = 0; i < 256; i++)
		*sum = *sum * 31 + (unsigned)data[i];
	OK(clReleaseMemObject(a));
	OK(clReleaseMemObject(b));
}

static void maps(cl_command_queue q, cl_event *e, unsigned *sum)
{
	cl_int err = 1;
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
	int *p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, 0, 4096, 0, NULL, e, &err);

	OK(err);
	for (int i = 0; p && i < 1024; i++)
		p[i] = i;
	OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
	p = clEnqueueMapBuffer(q, a, CL_FALSE, CL_MAP_READ, 0, 4096, 0, NULL, NULL, NULL);
	OK(clFinish(q));
	for (int i = 0; p && i < 1024; i++)
		*sum = *sum * 31 + (unsigned)p[i];
	OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
	OK(clFinish(q));
	OK(clReleaseMemObject(a));
}

static void images(cl_command_queue q, unsigned *sum)
{
	static const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16 };
	size_t origin[3] = { 0, 0, 0 }, region[3] = { 16, 16, 1 }, pitch = 0;
	unsigned colour[4] = { 1, 2, 3, 4 }, pixels[256];
	cl_int err;
	cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err), linear;
	unsigned *p;

	if (!image)
		return;
	linear = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, &err);
	OK(clEnqueueFillImage(q, image, colour, origin, region, 0, NULL, NULL));
	OK(clEnqueueCopyImageToBuffer(q, image, linear, origin, region, 0, 0, NULL, NULL));
	OK(clEnqueueCopyBufferToImage(q, linear, image, 0, origin, region, 0, NULL, NULL));
	OK(clEnqueueReadImage(q, image, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
	OK(clEnqueueWriteImage(q, image, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
	p = clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 0, NULL, NULL, &err);
	OK(err);
	*sum = *sum * 31 + (p ? p[17] : 0) + pixels[3];
	OK(clEnqueueUnmapMemObject(q, image, p, 0, NULL, NULL));
	OK(clFinish(q));
	OK(clReleaseMemObject(image));
	OK(clReleaseMemObject(linear));
}

static void shared(cl_command_queue q, unsigned *sum)
{
	unsigned char *p = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0),
		      *r = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
	unsigned value = 7;

	if (!p || !r)
		return;
	OK(clEnqueueSVMMemFill(q, p, &value, sizeof value, 4096, 0, NULL, NULL));
	/* PoCL 1 has shared memory before OpenCL 2.0 tells of it, but ends the program in a copy that blocks. */
	OK(clEnqueueSVMMemcpy(q, platform_has(2, 0) ? CL_TRUE : CL_FALSE, r, p, 4096, 0, NULL, NULL));
	OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, r, 4096, 0, NULL, NULL));
	*sum = *sum * 31 + r[8];
	OK(clEnqueueSVMUnmap(q, r, 0, NULL, NULL));
	OK(clFinish(q));
	clSVMFree(context, p);
	clSVMFree(context, r);
}

static void points(cl_command_queue q, cl_event *e, unsigned *sum)
{
	size_t global = 16;

	OK(clEnqueueMarkerWithWaitList(q, 0, NULL, e));
	OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
	OK(clEnqueueMarkerWithWaitList(q, 1, e, NULL));
	OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	OK(clEnqueueTask(q, kernel, 0, NULL, NULL));
	OK(clWaitForEvents(1, e));
	OK(clFinish(q));
}

static void once(cl_command_queue q, unsigned *sum)
{
	cl_event e[3] = { NULL };        /* a call that fails sets none */

	copies(q, &e[0], sum);
	maps(q, &e[1], sum);
	images(q, sum);
	shared(q, sum);
	points(q, &e[2], sum);
	for (int i = 0; i < 3; i++)
		OK(clReleaseEvent(e[i]));
}

static void *worker(void *result)
{
	unsigned *sum = result;
	cl_command_queue q[2] = { open_queue(0), open_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) };

	for (int i = 0; i < 20; i++)
		once(q[0], sum);
	for (int i = 0; i < 500; i++) {
		OK(clEnqueueMarkerWithWaitList(q[i & 1], 0, NULL, NULL));
		if (i % 50 == 0)
			OK(clFlush(q[i & 1]));
	}
	for (int i = 0; i < 2; i++) {
		OK(clFinish(q[i]));
		OK(clReleaseCommandQueue(q[i]));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 0;
	unsigned sums[16] = { 0 };
	pthread_t id[16];

	open_context();
	open_kernel();
	if (threads == 0)
		once(open_queue(0), &sums[0]);
	verbose = threads == 0;
	for (int i = 0; i < threads && i < 16; i++)
		pthread_create(&id[i], NULL, worker, &sums[i]);
	for (int i = 0; i < threads && i < 16; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < (threads ? threads : 1); i++)
		printf("%08x\n", sums[i]);
	return 0;
}
