/*
 * tests/e2e/ways/early_signal.c - a signal whose handler makes two OpenCL calls arrives in the middle of our start
 *
 * The start makes a thread key. The program has a function of that name, which the linker finds first: the signal comes
 * there, at a place that no timer would hit each time. Nothing of OpenCL runs then, so the handler harms no lock.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int handled;

static void two_calls(int sig)
{
	cl_uint n = 0;

	(void)sig;
	handled += clGetPlatformIDs(0, NULL, &n) == CL_SUCCESS;
	handled += clGetPlatformIDs(0, NULL, &n) == CL_SUCCESS;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	static int (*real)(pthread_key_t *, void (*)(void *));

	if (!real) {
		real = (int (*)(pthread_key_t *, void (*)(void *)))dlsym(RTLD_NEXT, "pthread_key_create");
		signal(SIGUSR1, two_calls);
		raise(SIGUSR1);
	}
	return real(key, destructor);
}

int main(void)
{
	pthread_key_t key;
	cl_uint n = 0;
	cl_int code = clGetPlatformIDs(0, NULL, &n);

	pthread_key_create(&key, NULL); /* also without us there is a first one */
	printf("%d, %d in the handler\n", code, handled);
	return 0;
}
