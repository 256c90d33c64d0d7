/*
 * tests/witness/several.c - the same work through each loader that it is given, and through functions got by address
 *
 *	several LOADER...
 *
 * Per loader: a queue, a buffer, N writes and reads (one more for each loader before it), and the extension functions
 * of one platform by name where they are there. Prints how many calls each step made.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <stdio.h>

/* cl_ext.h of some releases lacks the type */
typedef void *host_alloc_fn(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int free_fn(cl_context, void *);

#define GET(name) __typeof__(name) *p_##name = (__typeof__(name) *)dlsym(library, #name)

static int by_address(
	cl_platform_id platform, cl_context context, __typeof__(clGetExtensionFunctionAddressForPlatform) *get)
{
	host_alloc_fn *alloc = (host_alloc_fn *)get(platform, "clHostMemAllocINTEL");
	free_fn *release = (free_fn *)get(platform, "clMemFreeINTEL");
	int made = 0;

	for (int i = 0; alloc && release && i < 5; i++, made++)
		release(context, alloc(context, NULL, 64, 0, NULL));
	return made;
}

static int use(const char *path, int times)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	cl_platform_id platform;
	cl_device_id device;
	int word = 7, back = 0;

	if (!library)
		return printf("%s: %s\n", path, dlerror()), 1;
	GET(clGetPlatformIDs); GET(clGetDeviceIDs); GET(clGetExtensionFunctionAddressForPlatform);
	GET(clCreateContext); GET(clCreateCommandQueue); GET(clCreateBuffer);
	GET(clEnqueueWriteBuffer); GET(clEnqueueReadBuffer); GET(clFinish);
	GET(clReleaseMemObject); GET(clReleaseCommandQueue); GET(clReleaseContext);

	if (p_clGetPlatformIDs(1, &platform, NULL) || p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return printf("%s: no device\n", path), 1;
	cl_context context = p_clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	cl_command_queue queue = p_clCreateCommandQueue(context, device, 0, NULL);
	cl_mem buffer = p_clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);

	for (int i = 0; i < times; i++) {
		p_clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL);
		p_clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof back, &back, 0, NULL, NULL);
	}
	p_clFinish(queue);
	printf("%d writes, %d by address, %d\n", times,
		by_address(platform, context, p_clGetExtensionFunctionAddressForPlatform), back);
	p_clReleaseMemObject(buffer);
	p_clReleaseCommandQueue(queue);
	p_clReleaseContext(context);
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++)
		status |= use(argv[i], i);
	return status;
}
