// tests/fault/lib/throws.cc - an exception that passes through the driver and the wrapper on its way out of a callback
//
// Copyright 2026 The gputap authors
// SPDX-License-Identifier: Apache-2.0
#include <CL/cl.h>
#include <cstdio>
#include <stdexcept>

static void CL_CALLBACK throws(const char *, const void *, size_t, void *) { throw std::runtime_error("from the callback"); }

int main()
{
	cl_platform_id platform;
	cl_device_id device;

	clGetPlatformIDs(1, &platform, nullptr);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
	for (int i = 0; i < 20; i++)
		try {
			clCreateContext(nullptr, 1, &device, throws, nullptr, nullptr);
		} catch (const std::exception &e) {
			std::printf("caught: %s\n", e.what());
		}
	return 4;
}
