/*
 * tests/e2e/cl_callbacks.c - application callbacks: order, number, arguments
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <unistd.h>

#include "cl_common.h"

static char seen[64][96];
static atomic_int seen_n;
static atomic_int builds, frees, natives, many;

static void note(const char *what, int number, const char *user)
{
	snprintf(seen[atomic_fetch_add(&seen_n, 1)], sizeof seen[0], "%s %d %s", what, number, user);
}

static void show(const char *title)
{
	printf("%s:\n", title);
	for (int i = 0; i < seen_n; i++)
		printf("  %s\n", seen[i]);
	seen_n = 0;
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user)
{
	(void)event;
	note("event", status, user);
}
/* In the thread that opens the gate, beside the worker that the gate lets go: no order between the two. */
static atomic_int gates;
static void CL_CALLBACK on_gate(cl_event event, cl_int status, void *user)
{
	(void)event, (void)user;
	gates += status == CL_COMPLETE;
}
static void CL_CALLBACK on_event_count(cl_event event, cl_int status, void *user)
{
	(void)event, (void)status, (void)user;
	many++;
}
static void CL_CALLBACK on_mem(cl_mem mem, void *user) { note("buffer", mem == buffer, user); }
static void CL_CALLBACK on_context(cl_context c, void *user) { note("context", c == context, user); }
static void CL_CALLBACK on_build(cl_program program, void *user) { note("build", program != NULL, user); builds++; }
static void CL_CALLBACK on_svm(cl_command_queue queue, cl_uint n, void *pointers[], void *user)
{
	note(queue ? "svm" : "svm without queue", (int)n, user);
	for (cl_uint i = 0; i < n; i++)
		clSVMFree(context, pointers[i]);
	frees++;
}

struct native { int a; cl_mem memory; int b; };
static void CL_CALLBACK native(void *p)
{
	struct native *n = p;

	note("native", n->a + n->b, n->memory ? "with memory" : "without memory");
	if (n->memory)
		*(int *)(void *)n->memory += 1000;
	natives++;
}
static void CL_CALLBACK bare_native(void *p) { note("native", p == NULL, "no arguments"); natives++; }

static void wait_for(atomic_int *n, int wanted)
{
	for (int i = 0; *n < wanted && i < 5000; i++)
		usleep(1000);
}

static void events(void)
{
	static const cl_int types[] = { CL_SUBMITTED, CL_RUNNING, CL_COMPLETE };
	cl_command_queue queue = open_queue(0);
	cl_event gate, event;
	cl_int err;

	gate = clCreateUserEvent(context, &err);
	CHECK(err);
	CHECK(run_kernel(queue, 1, &gate, &event));
	for (int i = 0; i < 3; i++)
		CHECK(clSetEventCallback(event, types[i], on_event,
			(void *)(types[i] == CL_SUBMITTED        ? "submitted"
					: types[i] == CL_RUNNING ? "running"
								 : "complete")));
	CHECK(clSetEventCallback(event, CL_COMPLETE, on_event, "complete again"));
	CHECK(clSetEventCallback(gate, CL_COMPLETE, on_gate, NULL));
	printf("no function %d, wrong type %d, no event %d\n", clSetEventCallback(event, CL_COMPLETE, NULL, NULL),
		clSetEventCallback(event, 77, on_event, "never"),
		clSetEventCallback(NULL, CL_COMPLETE, on_event, "never"));
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clFinish(queue));
	wait_for(&seen_n, 4);
	wait_for(&gates, 1);
	show("event callbacks");
	printf("gate opened: %d\n", gates);
	CHECK(clReleaseEvent(event));
	CHECK(clReleaseEvent(gate));

	for (int i = 0; i < 3000; i++) {
		CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
		CHECK(clSetEventCallback(event, CL_COMPLETE, on_event_count, NULL));
		CHECK(clReleaseEvent(event));
	}
	CHECK(clFinish(queue));
	wait_for(&many, 3000);
	printf("3000 callbacks: %d\n", many);

	/* A callback that never comes. */
	gate = clCreateUserEvent(context, &err);
	for (int i = 0; i < 1000; i++)
		CHECK(clSetEventCallback(gate, CL_COMPLETE, on_event, "never"));
	CHECK(clReleaseCommandQueue(queue));
}

static void builds_and_kernels(void)
{
	const char *good = "__kernel void one(__global int *a) { a[0] = 1; }", *wrong = "#error this is not a kernel\n";
	cl_program program;
	cl_int err;

	program = clCreateProgramWithSource(context, 1, &good, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "-DX=1", on_build, "good"));
	wait_for(&builds, 1);
	show("build");
	CHECK(clReleaseProgram(program));
	program = clCreateProgramWithSource(context, 1, &wrong, NULL, &err);
	err = clBuildProgram(program, 1, &device, "", on_build, "wrong");
	wait_for(&builds, 2);
	printf("wrong build %d\n", err);
	show("build");
	CHECK(clReleaseProgram(program));
}

static void native_kernels(void)
{
	cl_command_queue queue = open_queue(0);
	struct native n = { 40, NULL, 2 };
	const void *place = &n.memory;
	int value = 7;
	cl_int err;

	CHECK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
	err = clEnqueueNativeKernel(queue, native, &n, sizeof n, 0, NULL, NULL, 0, NULL, NULL);
	printf("native %d\n", err);
	CHECK(clFinish(queue));
	err = clEnqueueNativeKernel(queue, native, &n, sizeof n, 1, &buffer, &place, 0, NULL, NULL);
	printf("native with memory %d\n", err);
	CHECK(clFinish(queue));
	err = clEnqueueNativeKernel(queue, bare_native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
	printf("native without arguments %d\n", err);
	CHECK(clFinish(queue));
	printf("wrong natives: %d %d %d %d\n",
		clEnqueueNativeKernel(queue, NULL, &n, sizeof n, 0, NULL, NULL, 0, NULL, NULL),
		clEnqueueNativeKernel(queue, native, NULL, sizeof n, 0, NULL, NULL, 0, NULL, NULL),
		clEnqueueNativeKernel(queue, native, &n, 0, 1, &buffer, &place, 0, NULL, NULL),
		clEnqueueNativeKernel(queue, native, &n, sizeof n, 1, NULL, NULL, 0, NULL, NULL));
	CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
	printf("value %d, arguments as before %d %p %d\n", value, n.a, (void *)n.memory, n.b);
	show("native kernels");
	CHECK(clReleaseCommandQueue(queue));
}

static void shared_memory(void)
{
	cl_command_queue queue = open_queue(0);
	void *pointers[2];
	cl_int err;

	for (int i = 0; i < 2; i++)
		pointers[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0);
	if (!pointers[0])
		printf("no shared virtual memory\n");
	else {
		err = clEnqueueSVMFree(queue, 2, pointers, on_svm, "freed", 0, NULL, NULL);
		printf("svm free %d\n", err);
		CHECK(clFinish(queue));
		wait_for(&frees, 1);
		show("svm");
	}
	CHECK(clReleaseCommandQueue(queue));
}

int main(void)
{
	open_context();
	open_kernel();
	for (int i = 0; i < 3; i++)
		CHECK(clSetMemObjectDestructorCallback(buffer, on_mem,
			(void *)(i == 0          ? "first"
					: i == 1 ? "second"
						 : "third")));
	printf("no destructor %d\n", clSetMemObjectDestructorCallback(buffer, NULL, NULL));
	if (platform_has(3, 0))
		printf("context destructor %d\n", clSetContextDestructorCallback(context, on_context, "context"));
	events();
	builds_and_kernels();
	native_kernels();
	shared_memory();
	CHECK(clReleaseKernel(kernel));
	CHECK(clReleaseMemObject(buffer));
	wait_for(&seen_n, 3);                  /* a runtime may call when it gets to it: PoCL 7 */
	show("buffer's destructors, last registered first");
	CHECK(clReleaseContext(context));
	show("context's destructor");
	return 0;
}
