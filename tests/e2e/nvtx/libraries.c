/*
 * tests/e2e/nvtx/libraries.c - calls NVIDIA's libraries, which need no device to be called: libraries FILE...
 *
 * Each FILE is libcublas.so.N, libcublasLt.so.N, libcudnn.so.N, libcusparse.so.N, libcusolver.so.N or libnccl.so.N.
 * Prints what the calls return.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*call)();

static void *library;
static void *handle[2];

static int of(const char *name)
{
	call f = (call)dlsym(library, name);

	return f ? f(handle, 0, 0, 0) : -1;
}

static void cublas(void)
{
	float one = 1;
	call gemm = (call)dlsym(library, "cublasSgemm_v2");

	printf("cublasCreate %d\n", of("cublasCreate_v2"));
	printf("cublasSgemm %d\n", gemm ? gemm(handle[0], 0, 0, 1, 1, 1, &one, &one, 1, &one, 1, &one, &one, 1) : -1);
}

static void cublas_lt(void) { printf("cublasLtCreate %d\n", of("cublasLtCreate")); }
static void cudnn(void) { printf("cudnnCreate %d\n", of("cudnnCreate")); }
static void cusolver(void) { printf("cusolverDnCreate %d\n", of("cusolverDnCreate")); }

static void cusparse(void)
{
	printf("cusparseCreate %d\n", of("cusparseCreate"));
	printf("cusparseCreateMatDescr %d\n", of("cusparseCreateMatDescr"));
}

static void nccl(void)
{
	char id[256];
	call f = (call)dlsym(library, "ncclGetUniqueId");

	printf("ncclGetUniqueId %d\n", f ? f(id) : -1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} known[] = { { "libcublasLt.", cublas_lt }, { "libcublas.", cublas }, { "libcudnn.", cudnn },
		{ "libcusparse.", cusparse }, { "libcusolver.", cusolver }, { "libnccl.", nccl } };

	for (int i = 1; i < argc; i++) {
		library = dlopen(argv[i], RTLD_NOW);
		handle[0] = handle[1] = NULL;
		if (!library) {
			printf("%s\n", dlerror());
			return 1;
		}
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (strstr(argv[i], known[k].name))
				known[k].run();
		fflush(stdout);
	}
	return 0;
}
