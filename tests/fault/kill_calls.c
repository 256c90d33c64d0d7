/*
 * tests/fault/kill_calls.c - threads that call OpenCL until they are killed and count what they completed
 *
 *	kill_calls FILE THREADS
 *
 * FILE becomes an array of struct slot, one for each thread that ever lived. Threads come and go. `inside` is stored
 * before a call and cleared after it was counted; `deep` is set by code that the driver runs on the thread during a
 * call, so a thread killed with it set was in the call for certain.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/e2e/cl_common.h"

#define SLOTS 65536

struct slot {
	uint32_t tid, deep;
	uint64_t count;
	char inside[48];                /* name of the call; [0] is stored last at entry, first at exit */
};

static struct slot *slots;
static uint32_t n_slots;
static __thread struct slot *my;

/* Stores go to the file's pages in this order on this thread; after a kill they are read from there. */
#define STORE(at, value) __atomic_store_n(&(at), (value), __ATOMIC_SEQ_CST)

static void enter(const char *name)
{
	for (int i = 1; (my->inside[i] = name[i]); i++)
		;
	STORE(my->inside[0], name[0]);
}

static void leave(void)
{
	STORE(my->count, my->count + 1);
	STORE(my->inside[0], 0);
}

#define IN(name, call) (enter(#name), (call), leave())

static void nap(void *unused)
{
	(void)unused;
	if (!my)
		return;                 /* a thread of the driver's */
	STORE(my->deep, 1);
	usleep(300);
	STORE(my->deep, 0);
}

static void built(cl_program p, void *unused)
{
	(void)p;
	nap(unused);
}

static void cheap(cl_kernel k, unsigned n)
{
	cl_uint refs;

	for (unsigned i = 0; i < n; i++) {
		IN(clRetainKernel, clRetainKernel(k));
		IN(clSetKernelArg, clSetKernelArg(k, 0, sizeof buffer, &buffer));
		IN(clGetKernelInfo, clGetKernelInfo(k, CL_KERNEL_REFERENCE_COUNT, sizeof refs, &refs, NULL));
		IN(clReleaseKernel, clReleaseKernel(k));
	}
}

static void heavy(cl_command_queue q, cl_kernel k)
{
	size_t global = 16;
	cl_event e = NULL;
	int data[16];

	IN(clEnqueueNDRangeKernel, clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL));
	IN(clEnqueueNativeKernel, clEnqueueNativeKernel(q, nap, NULL, 0, 0, NULL, NULL, 0, NULL, &e));
	IN(clFinish, clFinish(q));
	if (e)
		IN(clReleaseEvent, clReleaseEvent(e));
	IN(clEnqueueReadBuffer, clEnqueueReadBuffer(q, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
}

static void *worker(void *arg)
{
	const char *source = "__kernel void add(__global int *a) { a[get_global_id(0)] += 1; }";
	uint32_t n = __atomic_fetch_add(&n_slots, 1, __ATOMIC_RELAXED);
	cl_command_queue q;
	cl_program p;
	cl_kernel k;
	cl_int err;

	(void)arg;
	if (n >= SLOTS)
		return NULL;
	my = &slots[n];
	STORE(my->tid, (uint32_t)syscall(SYS_gettid));
	IN(clCreateCommandQueue, q = clCreateCommandQueue(context, device, 0, &err));
	IN(clCreateProgramWithSource, p = clCreateProgramWithSource(context, 1, &source, NULL, &err));
	IN(clBuildProgram, clBuildProgram(p, 1, &device, "", n % 3 ? NULL : built, NULL));
	IN(clCreateKernel, k = clCreateKernel(p, "add", &err));
	for (unsigned i = 0; i < 8 + n % 5; i++) {
		cheap(k, 1u << (n + i) % 12);
		heavy(q, k);
	}
	IN(clReleaseKernel, clReleaseKernel(k));
	IN(clReleaseProgram, clReleaseProgram(p));
	IN(clReleaseCommandQueue, clReleaseCommandQueue(q));
	return NULL;
}

static void *keep_one(void *arg)
{
	pthread_t id;

	for (;;)
		if (!pthread_create(&id, NULL, worker, arg))
			pthread_join(id, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1, threads = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t id;

	if (fd < 0 || ftruncate(fd, SLOTS * sizeof *slots))
		return 2;
	slots = mmap(NULL, SLOTS * sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (slots == MAP_FAILED)
		return 2;
	open_context();
	open_kernel();
	for (int i = 0; i < threads; i++)
		pthread_create(&id, NULL, keep_one, NULL);
	pause();
	return 0;
}
