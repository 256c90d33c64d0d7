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
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CUDA_LEAVE _exit
#include "tests/e2e/cuda_driver.h"

enum { THREADS = 2, ROUND = 50 };
struct progress { _Atomic uint64_t tid, launched, over; };

static struct progress *progress;

static void *worker(void *arg)
{
	struct progress *p = arg;
	void *stream;
	int (*wait)(void *) = F(cuStreamSynchronize, void *);

	atomic_store(&p->tid, (uint64_t)syscall(SYS_gettid));
	MUST(F(cuCtxSetCurrent, void *)(context));
	MUST(F(cuStreamCreate, void **, unsigned)(&stream, 1));
	for (uint64_t n = 1;; n++) {
		MUST(launch_kernel(stream));
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
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;
	pthread_t thread[THREADS];

	if (fd < 0 || ftruncate(fd, THREADS * sizeof *progress))
		return 2;
	progress = mmap(NULL, THREADS * sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (progress == MAP_FAILED)
		return 77;
	alarm(30);
	open_driver();
	load_kernel();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, worker, &progress[i]);
	pthread_join(thread[0], NULL);
	return 0;
}
