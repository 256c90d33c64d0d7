/*
 * tests/e2e/cuda_driver.h - CUDA's driver by name, for test programs: nothing of CUDA is linked
 *
 * A program that includes it may say before how it ends (CUDA_LEAVE(STATUS), default exit): 77 without a driver, 90 for
 * a function that is missing, 91 for a call that fails.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_E2E_CUDA_DRIVER_H
#define GPUTAP_TESTS_E2E_CUDA_DRIVER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CUDA_LEAVE
#define CUDA_LEAVE exit
#endif

static void *driver, *context, *kernel;
static int device;
static int (*launch_function)(
	void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

/* A driver's function by its parameters: F(cuInit, unsigned)(0). */
#define F(name, ...) ({ \
	int (*f_)(__VA_ARGS__) = (int (*)(__VA_ARGS__))dlsym(driver, #name); \
	if (!f_) CUDA_LEAVE(90); \
	f_; })
#define MUST(call) do { \
	int err_ = (call); \
	if (err_) { fprintf(stderr, "line %d: error %d\n", __LINE__, err_); CUDA_LEAVE(91); } } while (0)

/* Opens the driver and makes its first device's context current. */
static inline void open_driver(void)
{
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver)
		CUDA_LEAVE(77);
	MUST(F(cuInit, unsigned)(0));
	MUST(F(cuDeviceGet, int *, int)(&device, 0));
	MUST(F(cuDevicePrimaryCtxRetain, void **, int)(&context, device));
	MUST(F(cuCtxSetCurrent, void *)(context));
}

/* A kernel with one parameter that does nothing. */
static inline void load_kernel(void)
{
	static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
				  ".visible .entry nothing(.param .u32 n)\n{\n\tret;\n}\n";
	void *module;

	MUST(F(cuModuleLoadData, void **, const void *)(&module, ptx));
	MUST(F(cuModuleGetFunction, void **, void *, const char *)(&kernel, module, "nothing"));
	launch_function = F(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		unsigned, void *, void **, void **);
}

/* Launches it once on a stream (NULL: the default one); returns what the driver returned. */
static inline int launch_kernel(void *stream)
{
	unsigned zero = 0;
	void *args[] = { &zero };

	return launch_function(kernel, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL);
}

#endif
