/*
 * tests/witness/launches.c - an OpenCL layer that writes what the runtime says of each launch of a kernel
 *
 * Named in OPENCL_LAYERS it stands between the loader and the driver, below the tracer, with which it shares no
 * code. It asks the runtime itself (clGetKernelWorkGroupInfo, clGetDeviceInfo, clGetMemObjectInfo,
 * CL_PROFILING_COMMAND_*) and writes a line of name=value for each launch to $LAUNCHES.PID, in the order of the calls:
 * with it tests/e2e/launches_check.py compares programs that print nothing of the kind. Times are there where the queue
 * has profiling.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../opencl_layer.h"

#define ARGUMENTS 64                              /* of a kernel that are looked at */

/* local: bytes of local memory; uncounted: those that CL_KERNEL_LOCAL_MEM_SIZE does not hold, as it should (PoCL 6). */
struct argument { cl_mem memory; size_t local, uncounted; };               /* NULL: a plain value, or none */
struct set { cl_kernel kernel; struct argument argument[ARGUMENTS]; struct set *next; };
struct launch {
	cl_event event;
	char *line;
	struct launch *next;
};

static struct _cl_icd_dispatch layer;
static const struct _cl_icd_dispatch *next;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct set *sets;
static struct memory { cl_mem handle; struct memory *next; } *memories;  /* that were made, gone ones too */
static struct launch *first, **last = &first;

/* ------------------------------------------------------------------ memory */

static int is_memory(cl_mem handle)
{
	const struct memory *m = memories;

	while (m && m->handle != handle)
		m = m->next;
	return m != NULL;
}

static cl_mem made(cl_mem handle)
{
	struct memory *m;

	pthread_mutex_lock(&mutex);
	if (handle && !is_memory(handle) && (m = malloc(sizeof *m))) {
		*m = (struct memory){ handle, memories };
		memories = m;
	}
	pthread_mutex_unlock(&mutex);
	return handle;
}

static cl_mem CL_API_CALL buffer(cl_context c, cl_mem_flags f, size_t n, void *host, cl_int *err)
{
	return made(next->clCreateBuffer(c, f, n, host, err));
}

static cl_mem CL_API_CALL buffer_with(
	cl_context c, const cl_mem_properties *p, cl_mem_flags f, size_t n, void *host, cl_int *err)
{
	return made(next->clCreateBufferWithProperties(c, p, f, n, host, err));
}

static cl_mem CL_API_CALL part(cl_mem m, cl_mem_flags f, cl_buffer_create_type type, const void *what, cl_int *err)
{
	return made(next->clCreateSubBuffer(m, f, type, what, err));
}

static cl_mem CL_API_CALL image(cl_context c, cl_mem_flags f, const cl_image_format *format, const cl_image_desc *what,
	void *host, cl_int *err)
{
	return made(next->clCreateImage(c, f, format, what, host, err));
}

/* ------------------------------------------------------------------ arguments */

static struct set *set_of(cl_kernel kernel, int make)
{
	struct set *s = sets;

	while (s && s->kernel != kernel)
		s = s->next;
	if (!s && make && (s = calloc(1, sizeof *s))) {
		s->kernel = kernel;
		s->next = sets;
		sets = s;
	}
	return s;
}

static cl_ulong of_kernel(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what)
{
	cl_ulong v = 0;

	next->clGetKernelWorkGroupInfo(kernel, device, what, sizeof v, &v, NULL);
	return v;
}

/* counted: what the runtime calls local memory of the kernel grew with this argument. */
static struct argument local_argument(const struct argument *old, size_t size, int counted)
{
	if (old->local == size)
		counted = !old->uncounted;
	return (struct argument){ NULL, size, counted ? 0 : size };
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	cl_ulong before = value ? 0 : of_kernel(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE);
	cl_int err = next->clSetKernelArg(kernel, index, size, value);
	int counted = !value && before != of_kernel(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE);
	struct argument a = { NULL, 0, 0 };
	cl_mem handle;
	struct set *s;

	if (err || index >= ARGUMENTS)
		return err;
	pthread_mutex_lock(&mutex);
	if (value && size == sizeof handle) {
		memcpy(&handle, value, size);
		a.memory = is_memory(handle) ? handle : NULL;
	}
	s = set_of(kernel, 1);
	if (s)
		s->argument[index] = value ? a : local_argument(&s->argument[index], size, counted);
	pthread_mutex_unlock(&mutex);
	return err;
}

/* A new kernel may have the handle of one that is gone: it has no arguments. */
static void forget(cl_kernel kernel)
{
	struct set *s;

	pthread_mutex_lock(&mutex);
	s = kernel ? set_of(kernel, 0) : NULL;
	if (s)
		memset(s->argument, 0, sizeof s->argument);
	pthread_mutex_unlock(&mutex);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *err)
{
	cl_kernel kernel = next->clCreateKernel(program, name, err);

	forget(kernel);
	return kernel;
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *count)
{
	cl_int err = next->clCreateKernelsInProgram(program, n, kernels, count);

	for (cl_uint i = 0; !err && kernels && i < n; i++)
		forget(kernels[i]);
	return err;
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel from, cl_int *err)
{
	cl_kernel kernel = next->clCloneKernel(from, err);
	struct set *a, *b;

	forget(kernel);
	pthread_mutex_lock(&mutex);
	a = set_of(from, 0);
	b = kernel ? set_of(kernel, 1) : NULL;
	if (a && b)
		memcpy(b->argument, a->argument, sizeof b->argument);
	pthread_mutex_unlock(&mutex);
	return kernel;
}

/* Those that name memory, and the bytes of the distinct ones; bytes of local memory that the runtime does not tell. */
static void sum(cl_kernel kernel, unsigned *buffers, size_t *bytes, size_t *local)
{
	const struct set *s = set_of(kernel, 0);

	*buffers = 0;
	*bytes = *local = 0;
	for (int i = 0; s && i < ARGUMENTS; i++) {
		size_t size = 0;
		int again = 0;

		*local += s->argument[i].uncounted;
		if (!s->argument[i].memory)
			continue;
		for (int k = 0; k < i; k++)
			again |= s->argument[k].memory == s->argument[i].memory;
		next->clGetMemObjectInfo(s->argument[i].memory, CL_MEM_SIZE, sizeof size, &size, NULL);
		++*buffers;
		*bytes += again ? 0 : size;
	}
}

/* ------------------------------------------------------------------ launches */

static void write_line(const char *line, const char *times)
{
	static FILE *out;
	const char *base = getenv("LAUNCHES");
	char path[4096];

	if (!out && base && snprintf(path, sizeof path, "%s.%d", base, (int)getpid()) < (int)sizeof path)
		out = fopen(path, "w");
	if (!out)
		return;
	fprintf(out, "%s%s\n", line, times);
	fflush(out);
}

static void write_times(const struct launch *l)
{
	cl_ulong at[4];
	char text[120] = "";

	/* queued, submitted, started, ended have numbers one after the other */
	for (cl_profiling_info i = 0; i < 4; i++)
		if (next->clGetEventProfilingInfo(
			    l->event, CL_PROFILING_COMMAND_QUEUED + i, sizeof at[i], &at[i], NULL)) {
			write_line(l->line, text);
			return;
		}
	snprintf(text, sizeof text, " duration=%llu queue_delay=%llu submit_delay=%llu",
		(unsigned long long)(at[3] - at[2]), (unsigned long long)(at[1] - at[0]),
		(unsigned long long)(at[2] - at[1]));
	write_line(l->line, text);
}

/* Those that are over, from the oldest on; all: the others without their times too. */
static void write_over(int all)
{
	struct launch *l;
	cl_int status;

	pthread_mutex_lock(&mutex);
	while ((l = first)) {
		if (!all && (next->clGetEventInfo(l->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
				     NULL) || status > CL_COMPLETE))
			break;
		if (all)
			write_line(l->line, "");
		else
			write_times(l);
		if (!all)
			next->clReleaseEvent(l->event);
		first = l->next;
		if (!first)
			last = &first;
		free(l->line);
		free(l);
	}
	pthread_mutex_unlock(&mutex);
}

static void write_rest(void) { write_over(1); }

static char *line_of(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
	size_t groups = 1, all = 1, group = 1, required[3] = { 0, 0, 0 }, bytes, arg_bytes;
	cl_device_id device = NULL;
	cl_ulong local_memory = 0;
	cl_uint units = 0, arguments = 0;
	unsigned buffers;
	char name[1000] = "", *text = malloc(2000);

	next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
	next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
	next->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
	next->clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
	next->clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory, NULL);
	next->clGetKernelWorkGroupInfo(
		kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL);
	if (!local && required[0])
		local = required;
	for (cl_uint i = 0; i < dims; i++) {
		all *= global[i];
		group *= local ? local[i] : 0;
		groups *= local && local[i] ? (global[i] + local[i] - 1) / local[i] : 0;
	}
	sum(kernel, &buffers, &bytes, &arg_bytes);
	if (text)
		snprintf(text, 2000,
			"name=%s work_dim=%u global_size=%zu local_size=%zu work_groups=%zu compute_units=%u "
			"max_local_size=%llu preferred_multiple=%llu private_memory=%llu local_memory=%llu "
			"local_memory_limit=%llu arguments=%u buffer_arguments=%u buffer_bytes=%zu",
			name, dims, all, group, groups, units,
			(unsigned long long)of_kernel(kernel, device, CL_KERNEL_WORK_GROUP_SIZE),
			(unsigned long long)of_kernel(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
			(unsigned long long)of_kernel(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE),
			(unsigned long long)of_kernel(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE) + arg_bytes,
			(unsigned long long)local_memory, arguments, buffers, bytes);
	return text;
}

/* The launch is this one's: event is not NULL. */
static void add(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local,
	cl_event event)
{
	struct launch *l = malloc(sizeof *l);

	if (!l)
		abort();
	pthread_mutex_lock(&mutex);
	*l = (struct launch){ .event = event, .line = line_of(queue, kernel, dims, global, local) };
	*last = l;
	last = &l->next;
	pthread_mutex_unlock(&mutex);
}

/* event: the program's own, which has a reference of ours then. */
static cl_int CL_API_CALL ndrange(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
	const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	cl_event own;
	cl_int err = next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, waits, wait_list, &own);

	if (err)
		return err;
	if (event) {
		next->clRetainEvent(own);
		*event = own;
	}
	add(queue, kernel, dims, global, local, own);
	return err;
}

static cl_int CL_API_CALL task(
	cl_command_queue queue, cl_kernel kernel, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	static const size_t one = 1;
	cl_event own;
	cl_int err = next->clEnqueueTask(queue, kernel, waits, wait_list, &own);

	if (err)
		return err;
	if (event) {
		next->clRetainEvent(own);
		*event = own;
	}
	add(queue, kernel, 1, &one, &one, own);
	return err;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
	cl_int err = next->clFinish(queue);

	write_over(0);
	return err;
}

static cl_int CL_API_CALL wait_for(cl_uint n, const cl_event *events)
{
	cl_int err = next->clWaitForEvents(n, events);

	write_over(0);
	return err;
}

/* One that blocks waits too. */
static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem from, cl_bool blocks, size_t offset, size_t bytes,
	void *to, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	cl_int err = next->clEnqueueReadBuffer(queue, from, blocks, offset, bytes, to, waits, wait_list, event);

	write_over(0);
	return err;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
	write_over(0);
	return next->clReleaseCommandQueue(queue);
}

/* Once only: a second loader's table stays as it is. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
	cl_uint *entries_out, const struct _cl_icd_dispatch **layer_out)
{
	if (entries < sizeof layer / sizeof(void *))
		return CL_INVALID_VALUE;
	*entries_out = sizeof layer / sizeof(void *);
	*layer_out = &layer;
	if (next)
		return CL_SUCCESS;
	next = target;
	layer.clCreateBuffer = buffer;
	layer.clCreateBufferWithProperties = buffer_with;
	layer.clCreateSubBuffer = part;
	layer.clCreateImage = image;
	layer.clSetKernelArg = set_arg;
	layer.clCreateKernel = create_kernel;
	layer.clCreateKernelsInProgram = create_kernels;
	layer.clCloneKernel = clone_kernel;
	layer.clEnqueueNDRangeKernel = ndrange;
	layer.clEnqueueTask = task;
	layer.clFinish = finish;
	layer.clWaitForEvents = wait_for;
	layer.clEnqueueReadBuffer = read_buffer;
	layer.clReleaseCommandQueue = release_queue;
	atexit(write_rest);
	return CL_SUCCESS;
}
