/*
 * tests/e2e/cl_unsaid.c - arrays with more room than there are things, a device that is asked and not used, a wait for
 * an event that no command makes
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

int main(int argc, char **argv)
{
	cl_platform_id platforms[8];
	cl_device_id devices[8];
	char name[256] = "";
	cl_uint units = 0;
	cl_context context;
	cl_event event;
	cl_int e;

	(void)argv;
	memset(platforms, 0x5a, sizeof platforms);
	memset(devices, 0x5a, sizeof devices);
	clGetPlatformIDs(8, platforms, NULL);
	clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 8, devices, NULL);
	clGetDeviceInfo(devices[0], CL_DEVICE_NAME, sizeof name, name, NULL);
	clGetDeviceInfo(devices[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
	printf("%s, %u\n", name, units);
	if (argc < 2)
		return 0;
	context = clCreateContext(NULL, 1, devices, NULL, NULL, &e);
	event = clCreateUserEvent(context, &e);
	clSetUserEventStatus(event, CL_COMPLETE);
	clWaitForEvents(1, &event);
	return clReleaseEvent(event);
}
