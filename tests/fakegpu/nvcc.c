/*
 * tests/fakegpu/nvcc.c - what code compiled by nvcc asks of the runtime: to know its kernels, and to launch them
 *
 * So programs of tests/gpu run on the stand-in machine too (tests/fakegpu/nvcc.sh). The fat binary is not looked at:
 * a kernel that the stand-in can compute is known by its name, whose parameters are listed here; any other computes
 * nothing, and its arguments are not read.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <stdio.h>
#include <string.h>

enum { MOST = 64, NAME = 256 };

static const struct { const char *name, *parameters; } known[] = {
	{ "vector_add", ".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n" },
	{ "add_one", ".param .u64 x, .param .u32 n" },
};
static struct { const void *host; char name[NAME]; void *kernel; } kernels[MOST];
static int n_kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Between <<< >>> and the call. */
static __thread struct { struct fg_dim3 grid, block; size_t shared; void *stream; } next;

FG_EXPORT void **__cudaRegisterFatBinary(const void *binary);
FG_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
FG_EXPORT void __cudaUnregisterFatBinary(void **handle);
FG_EXPORT void __cudaRegisterFunction(void **handle, const char *host, const char *device, const char *name);
FG_EXPORT unsigned __cudaPushCallConfiguration(struct fg_dim3 grid, struct fg_dim3 block, size_t shared, void *stream);
FG_EXPORT int __cudaPopCallConfiguration(struct fg_dim3 *grid, struct fg_dim3 *block, size_t *shared, void **stream);
FG_EXPORT int __cudaGetKernel(void **kernel, const void *host);
FG_EXPORT int __cudaLaunchKernel(void *kernel, struct fg_dim3 grid, struct fg_dim3 block, void **args, size_t shared,
	void *stream);

void **__cudaRegisterFatBinary(const void *binary)
{
	static void *handle[1];

	(void)binary;
	return handle;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

/* From constructors: before there are threads. */
void __cudaRegisterFunction(void **handle, const char *host, const char *device, const char *name)
{
	const char *plain = name;

	(void)handle; (void)device;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strstr(name, known[i].name))
			plain = known[i].name;
	if (n_kernels == MOST)
		return;
	kernels[n_kernels].host = host;
	snprintf(kernels[n_kernels++].name, NAME, "%s", plain);
}

unsigned __cudaPushCallConfiguration(struct fg_dim3 grid, struct fg_dim3 block, size_t shared, void *stream)
{
	next.grid = grid;
	next.block = block;
	next.shared = shared;
	next.stream = stream;
	return 0;
}

int __cudaPopCallConfiguration(struct fg_dim3 *grid, struct fg_dim3 *block, size_t *shared, void **stream)
{
	*grid = next.grid;
	*block = next.block;
	*shared = next.shared;
	*stream = next.stream;
	return CU_OK;
}

static int load(int i)
{
	char text[2 * NAME];
	const char *parameters = "";
	struct fg_module *library;
	struct fg_function *kernel;
	int err;

	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (!strcmp(kernels[i].name, known[k].name))
			parameters = known[k].parameters;
	snprintf(text, sizeof text, ".version 7.0\n.visible .entry %s(%s)\n", kernels[i].name, parameters);
	err = cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0);
	if (!err)
		err = cudaLibraryGetKernel(&kernel, library, kernels[i].name);
	if (!err)
		kernels[i].kernel = kernel;
	return err;
}

int __cudaGetKernel(void **kernel, const void *host)
{
	int i = 0, err = CU_OK;

	while (i < n_kernels && kernels[i].host != host)
		i++;
	if (i == n_kernels)
		return CU_NOT_FOUND;
	pthread_mutex_lock(&lock);
	if (!kernels[i].kernel)
		err = load(i);
	*kernel = kernels[i].kernel;
	pthread_mutex_unlock(&lock);
	return err;
}

int __cudaLaunchKernel(void *kernel, struct fg_dim3 grid, struct fg_dim3 block, void **args, size_t shared,
	void *stream)
{
	return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
