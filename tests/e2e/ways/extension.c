/*
 * tests/e2e/ways/extension.c - functions got by name from the platform
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <string.h>

typedef cl_int device_call(cl_device_id);
typedef cl_int info_call(cl_platform_id, cl_platform_info, size_t, void *, size_t *);

static void *get(cl_platform_id platform, const char *name)
{
	void *found = clGetExtensionFunctionAddressForPlatform(platform, name);

	printf("%s: %s\n", name, found ? "found" : "missing");
	return found;
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	char text[2][256] = { "", "" };
	int calls = 0;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(text[0]), text[0], NULL);
	device_call *retain = (device_call *)get(platform, "clRetainDeviceEXT");
	info_call *info = (info_call *)get(platform, "clGetPlatformInfo");

	get(platform, "clNoSuchFunction");
	get(platform, "clFinish");
	printf("again %s\n", (void *)retain == get(platform, "clRetainDeviceEXT") ? "the same" : "another");
	device_call *old = (device_call *)clGetExtensionFunctionAddress("clRetainDeviceEXT");

	printf("without platform %s\n", old == retain ? "the same" : "another");
	if (retain)
		printf("%d\n", retain(device)), calls++;
	if (old)
		printf("%d\n", old(device)), calls++;
	if (info)
		printf("%d %s\n", info(platform, CL_PLATFORM_NAME, sizeof(text[1]), text[1], NULL),
			strcmp(text[0], text[1]) ? "differs" : "equal");
	printf("calls %d\n", calls);
	return 0;
}
