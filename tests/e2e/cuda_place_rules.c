/*
 * tests/e2e/cuda_place_rules.c - a kernel that waits for a copy of pageable memory, and its mended twin
 *
 * bad_PageableCopy and good_PageableCopy (memory of cuMemAllocHost), each behind a copy of a MiB in its stream.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>

#include "cuda_driver.h"

enum { BYTES = 1 << 20 };

static void copy_and_launch(const char *name, const void *host, uint64_t on_device, void *module, void *stream)
{
	MUST(F(cuModuleGetFunction, void **, void *, const char *)(&kernel, module, name));
	MUST(F(cuMemcpyHtoDAsync_v2, uint64_t, const void *, size_t, void *)(on_device, host, BYTES, stream));
	MUST(launch_kernel(stream));
	MUST(F(cuStreamSynchronize, void *)(stream));
}

int main(void)
{
	static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
				  ".visible .entry bad_PageableCopy(.param .u32 n)\n{\n\tret;\n}\n"
				  ".visible .entry good_PageableCopy(.param .u32 n)\n{\n\tret;\n}\n";
	static char pageable[BYTES];
	void *module, *stream, *pinned;
	uint64_t on_device;

	open_driver();
	load_kernel();
	MUST(F(cuModuleLoadData, void **, const void *)(&module, ptx));
	MUST(F(cuStreamCreate, void **, unsigned)(&stream, 0));
	MUST(F(cuMemAlloc_v2, uint64_t *, size_t)(&on_device, BYTES));
	MUST(F(cuMemAllocHost_v2, void **, size_t)(&pinned, BYTES));
	copy_and_launch("bad_PageableCopy", pageable, on_device, module, stream);
	copy_and_launch("good_PageableCopy", pinned, on_device, module, stream);
	puts("PageableCopy");
	return 0;
}
