/*
 * tests/gpu/doubt_teardown.c - NVTX before CUDA: our handlers at exit run after the driver's. Is all there?
 *
 * Speaks NVTX as its header does: loads what NVTX_INJECTION64_PATH names and offers it the slots of the core module.
 * Ends with status 3.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>

#include "doubt.h"

enum { CORE = 1, MARK = 2, SLOTS = 16, LAUNCHES = 1000, STATUS = 3 };
typedef void (*function)(void);
struct callbacks { size_t bytes; int (*module)(uint32_t, function ***, unsigned *); };

static function core[SLOTS], *slots[SLOTS];

static int module(uint32_t id, function ***out, unsigned *n)
{
	if (id != CORE)
		return 0;
	*out = slots;
	*n = SLOTS;
	return 1;
}

static const void *table(uint32_t id)
{
	static const struct callbacks c = { sizeof c, module };

	return id == 1 ? &c : NULL;
}

static void mark(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*begin)(const void *(*)(uint32_t)) = NULL;

	for (int i = 0; i < SLOTS; i++)
		slots[i] = &core[i];
	if (library)
		begin = (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2");
	if (begin && begin(table) && core[MARK])
		((void (*)(const char *))core[MARK])("before CUDA");
}

int main(void)
{
	mark();

	void *kernel = doubt_kernel("nothing");

	for (int i = 0; i < LAUNCHES; i++)
		doubt_launch(kernel, 0, NULL);
	MUST(cudaDeviceSynchronize());          /* kernels that run at the end are another question: leave.cu */
	doubt_counts(LAUNCHES, 0);
	return STATUS;
}
