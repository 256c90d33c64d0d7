/*
 * tests/fault/cuda_kill.c - launches without end from two threads, and tells in a shared file how far each is:
 * cuda_kill FILE
 *
 * FILE: per thread {tid, calls of cuLaunchKernel that returned, of these those whose kernels are over}, 8 bytes each.
 * Whatever it says is true at any instant, so it holds after a kill.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 2, ROUND = 50 };
struct progress { _Atomic uint64_t tid, launched, over; };

static struct progress *progress;
static void *driver, *context, *kernel;

static const char ptx[] =
	".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing(.param .u32 n)\n{\n\tret;\n}\n";

#define F(name, ...) ({ int (*f_)(__VA_ARGS__) = (int (*)(__VA_ARGS__))dlsym(driver, #name); if (!f_) _exit(90); f_; })
#define MUST(call) do { \
	int err_ = (call); \
	if (err_) { fprintf(stderr, "line %d: error %d\n", __LINE__, err_); _exit(91); } } while (0)

static void *worker(void *arg)
{
	struct progress *p = arg;
	unsigned zero = 0;
	void *stream, *args[] = { &zero };
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
		void **) = F(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		unsigned, void *, void **, void **);
	int (*wait)(void *) = F(cuStreamSynchronize, void *);

	atomic_store(&p->tid, (uint64_t)syscall(SYS_gettid));
	MUST(F(cuCtxSetCurrent, void *)(context));
	MUST(F(cuStreamCreate, void **, unsigned)(&stream, 1));
	for (uint64_t n = 1;; n++) {
		MUST(launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL));
		atomic_store(&p->launched, n);
		if (n % ROUND == 0) {
			MUST(wait(stream));
			atomic_store(&p->over, n);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1, device;
	pthread_t thread[THREADS];
	void *module;

	if (fd < 0 || ftruncate(fd, THREADS * sizeof *progress))
		return 2;
	progress = mmap(NULL, THREADS * sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (progress == MAP_FAILED || !driver)
		return 77;
	alarm(30);
	MUST(F(cuInit, unsigned)(0));
	MUST(F(cuDeviceGet, int *, int)(&device, 0));
	MUST(F(cuDevicePrimaryCtxRetain, void **, int)(&context, device));
	MUST(F(cuCtxSetCurrent, void *)(context));
	MUST(F(cuModuleLoadData, void **, const void *)(&module, ptx));
	MUST(F(cuModuleGetFunction, void **, void *, const char *)(&kernel, module, "nothing"));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, worker, &progress[i]);
	pthread_join(thread[0], NULL);
	return 0;
}
