/*
 * tests/e2e/many_things.c - "many_things KIND N": N things of one kind, of which few are there at a time
 *
 * For tests of what a trace takes in memory when it is read: a program may run for days, and what it made and gave up
 * again must not add up in a reader. KIND: an OpenCL object (buffer, part, image, sampler, event, program, kernel,
 * queue, context, memory), a range of NVTX with a message of its own (push, start, mark, registered, domain), or a
 * process that makes a few calls.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl_common.h"
#include "nvtx_hand.h"

static cl_command_queue queue;
static cl_program program;

static void make_buffer(long i)
{
	CHECK(clReleaseMemObject(clCreateBuffer(context, CL_MEM_READ_WRITE, 64 + (size_t)(i % 7), NULL, NULL)));
}

static void make_part(long i)
{
	cl_buffer_region region = { 0, 64 + (size_t)(i % 7) };

	CHECK(clReleaseMemObject(
		clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL)));
}

static void make_image(long i)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };

	(void)i;
	CHECK(clReleaseMemObject(clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, NULL)));
}

static void make_sampler(long i)
{
	(void)i;
	CHECK(clReleaseSampler(clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL)));
}

/* A command and its event. */
static void make_event(long i)
{
	cl_event event;
	int zero = 0;

	(void)i;
	CHECK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, &event));
	CHECK(clReleaseEvent(event));
}

static void make_user(long i)
{
	cl_event event = clCreateUserEvent(context, NULL);

	(void)i;
	CHECK(clSetUserEventStatus(event, CL_COMPLETE));
	CHECK(clReleaseEvent(event));
}

static void make_program(long i)
{
	char text[128];
	const char *source = text;

	snprintf(text, sizeof text, "__kernel void f(__global int *a) { a[0] = %ld; }", i);
	CHECK(clReleaseProgram(clCreateProgramWithSource(context, 1, &source, NULL, NULL)));
}

static void make_kernel(long i)
{
	cl_kernel k = clCreateKernel(program, "add", NULL);
	size_t one = 1;

	(void)i;
	CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, &one, 0, NULL, NULL));
	CHECK(clFinish(queue));
	CHECK(clReleaseKernel(k));
}

static void make_queue(long i)
{
	(void)i;
	CHECK(clReleaseCommandQueue(open_queue(0)));
}

static void make_context(long i)
{
	(void)i;
	CHECK(clReleaseContext(clCreateContext(NULL, 1, &device, NULL, NULL, NULL)));
}

static void make_memory(long i)
{
	clSVMFree(context, clSVMAlloc(context, CL_MEM_READ_WRITE, 64 + (size_t)(i % 7), 0));
}

/* ------------------------------------------------------------------------ NVTX */

static void open_nvtx(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *lib = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*start)(const void *(*)(uint32_t)) =
		lib ? (int (*)(const void *(*)(uint32_t)))dlsym(lib, "InitializeInjectionNvtx2") : NULL;

	for (unsigned i = 0; i < offered; i++) {
		core_slots[i] = &core[i];
		core2_slots[i] = &core2[i];
	}
	if (!start || !start(table)) {
		printf("nobody listens to NVTX\n");
		exit(1);
	}
}

static const char *message(long i)
{
	static char text[64];

	snprintf(text, sizeof text, "what was done for number %ld", i);
	return text;
}

static const struct event *event_of(int type, const void *text)
{
	static struct event e;

	e = (struct event){ .version = 3, .size = sizeof e, .message_type = type, .message = text };
	return &e;
}

static void make_push(long i)
{
	((int (*)(const char *))core[9])(message(i));
	((int (*)(void))core[11])();
}

static void make_mark(long i) { ((void (*)(const char *))core[2])(message(i)); }

static void make_start(long i)
{
	uint64_t id = ((uint64_t(*)(void *, const struct event *))core2[2])(NULL, event_of(1, message(i)));

	((void (*)(void *, uint64_t))core2[3])(NULL, id);
}

static void push_pop(void *domain, const struct event *e)
{
	((int (*)(void *, const struct event *))core2[4])(domain, e);
	((int (*)(void *))core2[5])(domain);
}

static void make_registered(long i)
{
	push_pop(NULL, event_of(3, ((void *(*)(void *, const char *))core2[10])(NULL, message(i))));
}

static void make_domain(long i)
{
	void *domain = ((void *(*)(const char *))core2[12])(message(i));

	push_pop(domain, event_of(1, "range"));
	((void (*)(void *))core2[14])(domain);
}

/* ------------------------------------------------------------------- processes */

static void make_process(long i)
{
	pid_t child = fork();
	int status;

	if (!child) {
		make_buffer(i);
		_exit(3);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3) {
		printf("a child did not end as it should\n");
		exit(1);
	}
}

static const struct { const char *name; void (*make)(long i); bool nvtx; } kinds[] = {
	{ "buffer", make_buffer, false }, { "part", make_part, false }, { "image", make_image, false },
	{ "sampler", make_sampler, false }, { "event", make_event, false }, { "user", make_user, false },
	{ "program", make_program, false }, { "kernel", make_kernel, false }, { "queue", make_queue, false },
	{ "context", make_context, false }, { "memory", make_memory, false }, { "process", make_process, false },
	{ "push", make_push, true }, { "start", make_start, true }, { "mark", make_mark, true },
	{ "registered", make_registered, true }, { "domain", make_domain, true },
};

int main(int argc, char **argv)
{
	const char *source = "__kernel void add(__global int *a) { a[get_global_id(0)] += 1; }";

	open_context();
	queue = open_queue(0);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
	program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	for (size_t k = 0; argc == 3 && k < sizeof kinds / sizeof *kinds; k++) {
		if (strcmp(kinds[k].name, argv[1]))
			continue;
		if (kinds[k].nvtx)
			open_nvtx();
		for (long i = 0; i < atol(argv[2]); i++)
			kinds[k].make(i);
		return 0;
	}
	fprintf(stderr, "usage: many_things KIND N\n");
	return 2;
}
