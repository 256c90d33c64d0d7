/*
 * tests/e2e/standin.c - what an application sees of each platform of the stand-in: codes, references, contents
 *
 *	standin [late]         late: leave with callbacks still to come
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "cl_common.h"

/* version: 30 for OpenCL 3.0; a loader crashes in functions that a platform does not have */
static int late_callbacks, version;
static cl_command_queue queue;
static cl_mem a;

/* Never an address or a time: a number where it is ours. */
static void say(const char *what, long long value) { printf("  %s %lld\n", what, value); }

static int expected, came;              /* callbacks, which may come on other threads */

static cl_int expect(cl_int err)
{
	expected += !err;
	return err;
}

/* Also registered before the first call, so it runs behind all other handlers. */
static void wait_for_callbacks(void)
{
	for (int i = 0; i < 10000 && __atomic_load_n(&came, __ATOMIC_ACQUIRE) < expected; i++)
		usleep(1000);
}

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *user)
{
	(void)e;
	printf("  callback %s %d\n", (const char *)user, status);
	fflush(stdout);
	__atomic_add_fetch(&came, 1, __ATOMIC_RELEASE);
}

static void CL_CALLBACK on_release(cl_mem m, void *user)
{
	(void)m;
	printf("  destructor %s\n", (const char *)user);
	fflush(stdout);
	__atomic_add_fetch(&came, 1, __ATOMIC_RELEASE);
}

static void native(void *args) { ++**(int **)args; }

/*
 * Codes of the profiling queries; the values only as far as the program could rely on them without profiling of its
 * own.
 */
static void profile(cl_event e, int own)
{
	cl_ulong t[4] = { 1, 2, 3, 4 };

	for (int i = 0; i < 4; i++) {
		cl_int rc = CL_PROFILING_INFO_NOT_AVAILABLE;

		/* A program has to ask again until the times are there; how often, it cannot know. */
		for (int tries = own ? 9 : 1; tries && rc == CL_PROFILING_INFO_NOT_AVAILABLE; tries--)
			rc = clGetEventProfilingInfo(
				e, CL_PROFILING_COMMAND_QUEUED + (cl_uint)i, sizeof t[i], &t[i], NULL);
		say("profiling", rc);
	}
	if (own)
		printf("  times %s %s\n", t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3] ? "in order" : "out of order",
			t[3] ? "set" : "zero");
	say("untouched", own ? 0 : t[0] == 1 && t[3] == 4);
}

static void look_at(const char *name, cl_int rc, cl_event e)
{
	printf("  %s %d", name, rc);
	if (rc == CL_SUCCESS && e)
		printf(" references %u", references(e));
	printf("\n");
}

static void commands(int own)
{
	size_t global[2] = { 128, 2 }, region[3] = { 16, 2, 1 }, origin[3] = { 0, 0, 0 };
	cl_event e[12] = { 0 }, user;
	int data[64] = { 1, 2, 3 }, back[64] = { 0 }, value = 5, counter = 0, *at = &counter;
	void *mapped;
	cl_int err;

	look_at("write", clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, sizeof data, data, 0, NULL, &e[0]), e[0]);
	look_at("kernel", clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, &e[1]), e[1]);
	if (version >= 12)
		look_at("fill", clEnqueueFillBuffer(queue, a, &value, 4, 64, 64, 0, NULL, &e[2]), e[2]);
	look_at("native", clEnqueueNativeKernel(queue, native, &at, sizeof at, 0, NULL, NULL, 0, NULL, &e[3]), e[3]);
	if (version >= 11)
		look_at("rect",
			clEnqueueWriteBufferRect(
				queue, a, CL_FALSE, origin, origin, region, 0, 0, 0, 0, data, 0, NULL, &e[4]),
			e[4]);
	mapped = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, &e[5], &err);
	look_at(mapped ? "map" : "no map", err, e[5]);
	if (mapped)
		look_at("unmap", clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, &e[6]), e[6]);
	user = version >= 11 ? clCreateUserEvent(context, &err) : NULL;
	look_at("user event", err, user);
	if (user && version >= 12)
		look_at("behind it", clEnqueueMarkerWithWaitList(queue, 1, &user, &e[7]), e[7]);
	for (int i = 0; i < 8; i++)
		if (e[i] && version >= 11)
			say("set callback",
				expect(clSetEventCallback(e[i], CL_COMPLETE, on_event, i % 2 ? "odd" : "even")));
	say("flush", clFlush(queue));
	if (user)
		say("set", clSetUserEventStatus(user, CL_COMPLETE));
	say("finish", clFinish(queue));
	if (late_callbacks)
		wait_for_callbacks();
	look_at("read", clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof back, back, 0, NULL, &e[8]), e[8]);
	say("sum", back[0] + back[16] + back[20]);
	say("native ran", counter);
	for (int i = 0; i < 9; i++)
		if (e[i]) {
			say("status", status_of(e[i]));
			profile(e[i], own);
			say("references", references(e[i]));
			say("release", clReleaseEvent(e[i]));
		}
	if (user)
		say("release", clReleaseEvent(user));
}

static void queue_view(cl_command_queue_properties properties)
{
	cl_command_queue_properties seen = 99;
	cl_queue_properties list[8] = { 0 };
	size_t bytes = 99;
	cl_uint n = 99;

	say("queue info", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof seen, &seen, NULL));
	say("properties kept", seen == properties);
	say("array", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes));
	say("array bytes", (long long)bytes);
	printf("  array %llx %llx %llx\n", (unsigned long long)list[0], (unsigned long long)list[1],
		(unsigned long long)list[2]);
	clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL);
	say("queue references", n);
	clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL);
	say("context references", n);
	clGetMemObjectInfo(a, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL);
	say("buffer references", n);
}

static void with_queue(const char *name, cl_command_queue q, cl_int err, cl_command_queue_properties properties)
{
	printf(" %s: %d\n", name, err);
	queue = q;
	if (!q)
		return;
	queue_view(properties);
	commands((properties & CL_QUEUE_PROFILING_ENABLE) != 0);
	queue_view(properties);
	say("release queue", clReleaseCommandQueue(q));
}

static void queues(void)
{
	cl_queue_properties vendor[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0x7777, 3, 0 },
			    none[] = { 0 };
	cl_int err = 99;
	cl_command_queue q = clCreateCommandQueue(context, device, 0, &err);

	with_queue("plain", q, err, 0);
	q = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
	with_queue("profiled", q, err, CL_QUEUE_PROFILING_ENABLE);
	q = clCreateCommandQueue(context, device, 1ull << 40, &err);
	with_queue("impossible", q, err, 0);
	if (version < 20)
		return;
	q = clCreateCommandQueueWithProperties(context, device, vendor, &err);
	with_queue("with a vendor's property", q, err, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	q = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	with_queue("without a list", q, err, 0);
	q = clCreateCommandQueueWithProperties(context, device, none, &err);
	with_queue("with an empty list", q, err, 0);
}

static void *named(const char *name)
{
	void *f = version >= 12 ? clGetExtensionFunctionAddressForPlatform(platform, name) : NULL;

	printf("  %s %s\n", name, f ? "is there" : "is missing");
	return f;
}

/* Of our own: headers of 2020 lack some of these, those since 2024 hide others as provisional. */
typedef void *(CL_API_CALL *host_alloc)(cl_context, const cl_ulong *properties, size_t, cl_uint alignment, cl_int *);
typedef cl_int (CL_API_CALL *mem_free)(cl_context, void *);
typedef cl_int (CL_API_CALL *mem_fill)(
	cl_command_queue, void *, const void *pattern, size_t, size_t, cl_uint, const cl_event *, cl_event *);
typedef cl_int (CL_API_CALL *mem_copy)(
	cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *);
typedef cl_int (CL_API_CALL *suggested_size)(
	cl_command_queue, cl_kernel, cl_uint dims, const size_t *offset, const size_t *global, size_t *local);

typedef struct _cl_command_buffer_khr *command_buffer;
typedef command_buffer (CL_API_CALL *buffer_create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
typedef cl_int (CL_API_CALL *buffer_only)(command_buffer);
typedef cl_int (CL_API_CALL *buffer_enqueue)(
	cl_uint, cl_command_queue *, command_buffer, cl_uint, const cl_event *, cl_event *);
typedef cl_int (CL_API_CALL *buffer_kernel)(command_buffer, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint dims,
	const size_t *offset, const size_t *global, const size_t *local, cl_uint, const cl_uint *points, cl_uint *point,
	void **handle);

static void extensions(void)
{
	host_alloc host = (host_alloc)named("clHostMemAllocINTEL");
	mem_free release = (mem_free)named("clMemFreeINTEL");
	mem_fill fill = (mem_fill)named("clEnqueueMemFillINTEL");
	mem_copy copy = (mem_copy)named("clEnqueueMemcpyINTEL");
	suggested_size suggested = (suggested_size)named("clGetKernelSuggestedLocalWorkSizeKHR");
	cl_command_queue q = clCreateCommandQueue(context, device, 0, NULL);
	size_t global[2] = { 128, 2 }, local[2] = { 0, 0 };
	char pattern = 7, *p = NULL, *r = NULL;
	cl_int err;

	if (suggested)
		say("suggested", suggested(q, kernel, 2, NULL, global, local));
	say("local", (long long)(local[0] * 1000 + local[1]));
	for (int i = 0; i < 5; i++)
		say("again", clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
	say("finish", clFinish(q));
	if (host && fill && copy && release) {
		p = host(context, NULL, 256, 0, &err);
		r = host(context, NULL, 256, 0, &err);
		say("fill", fill(q, p, &pattern, 1, 256, 0, NULL, NULL));
		say("copy", copy(q, CL_TRUE, r, p, 256, 0, NULL, NULL));
		say("byte", r[100]);
		say("free", release(context, p));
		say("free", release(context, r));
	}
	say("release queue", clReleaseCommandQueue(q));
}

static void command_buffers(void)
{
	buffer_create create = (buffer_create)named("clCreateCommandBufferKHR");
	buffer_only finalize = (buffer_only)named("clFinalizeCommandBufferKHR");
	buffer_kernel add = (buffer_kernel)named("clCommandNDRangeKernelKHR");
	buffer_enqueue enqueue = (buffer_enqueue)named("clEnqueueCommandBufferKHR");
	buffer_only release = (buffer_only)named("clReleaseCommandBufferKHR");
	size_t global = 64;
	cl_int err = 99;

	if (!create || !finalize || !add || !enqueue || !release)
		return;
	cl_command_queue q = clCreateCommandQueue(context, device, 0, NULL);
	command_buffer b = create(1, &q, NULL, &err);

	say("create", err);
	say("add", add(b, NULL, NULL, kernel, 1, NULL, &global, NULL, 0, NULL, NULL, NULL));
	say("finalize", finalize(b));
	say("enqueue", enqueue(0, NULL, b, 0, NULL, NULL));
	say("finish", clFinish(q));
	say("release", release(b));
	say("release queue", clReleaseCommandQueue(q));
}

static void sub_devices(void)
{
	cl_device_partition_property how[] = { CL_DEVICE_PARTITION_EQUALLY, 2, 0 };
	cl_device_id part[2], whole = device;
	cl_uint n = 0;

	if (version < 12)
		return;
	say("sub-devices", clCreateSubDevices(device, how, 2, part, &n));
	if (n != 2)
		return;
	cl_context sub = clCreateContext(NULL, 2, part, NULL, NULL, NULL), outer = context;

	context = sub;
	device = part[1];
	with_queue("of a sub-device", clCreateCommandQueue(context, device, 0, NULL), 0, 0);
	context = outer;
	device = whole;
	say("release context", clReleaseContext(sub));
	for (int i = 0; i < 2; i++)
		say("release device", clReleaseDevice(part[i]));
}

/* Freed handles come again at once here: what was remembered of the old ones must not stick. */
static void reuse(void)
{
	int same = 0;
	cl_command_queue before = NULL;

	for (int i = 0; i < 50; i++) {
		cl_command_queue q = clCreateCommandQueue(context, device, i % 2 ? CL_QUEUE_PROFILING_ENABLE : 0, NULL);
		cl_command_queue_properties seen = 0;
		cl_event e = NULL;

		if (!q)
			return;
		same += q == before;
		before = q;
		clEnqueueWriteBuffer(q, a, CL_FALSE, 0, 4, "abc", 0, NULL, &e);
		clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof seen, &seen, NULL);
		if (seen != (i % 2 ? CL_QUEUE_PROFILING_ENABLE : 0))
			say("wrong properties", i);
		clFinish(q);
		if (e)
			clReleaseEvent(e);
		clReleaseCommandQueue(q);
	}
	say("the same handle again", same);
}

static void required_size(void)
{
	const char *source = "__kernel void tile_reqd(__global int *a) { a[0] = 1; }";
	cl_int err;
	cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	size_t global[2] = { 64, 8 };

	say("build", clBuildProgram(p, 1, &device, "-DX=1", NULL, NULL));
	cl_kernel k = clCreateKernel(p, "tile_reqd", &err);
	cl_command_queue q = clCreateCommandQueue(context, device, 0, &err);

	say("required", clEnqueueNDRangeKernel(q, k, 2, NULL, global, NULL, 0, NULL, NULL));
	say("finish", clFinish(q));
	say("release", clReleaseKernel(k) + clReleaseProgram(p) + clReleaseCommandQueue(q));
}

static void one_platform(cl_platform_id p)
{
	const char *source = "__kernel void add(__global int *a) { a[0] = 1; }";
	char text[128] = "";
	cl_device_id all[8];
	cl_uint n = 0;
	cl_int err, no_destructor = CL_INVALID_OPERATION;

	platform = p;
	clGetPlatformInfo(p, CL_PLATFORM_VERSION, sizeof text, text, NULL);
	version = (text[7] - '0') * 10 + text[9] - '0';

	printf("platform %s\n", text);
	say("devices", clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 8, all, &n));
	device = all[n > 1 && version == 12];
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	say("context", err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	say("build", clBuildProgram(program, 1, &device, "", NULL, NULL));
	kernel = clCreateKernel(program, "add", &err);
	a = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, &err);
	if (version >= 11)
		say("destructor", no_destructor = clSetMemObjectDestructorCallback(a, on_release, "of the buffer"));
	say("argument", clSetKernelArg(kernel, 0, sizeof a, &a));
	queues();
	extensions();
	command_buffers();
	sub_devices();
	reuse();
	required_size();
	say("release kernel", clReleaseKernel(kernel));
	say("release program", clReleaseProgram(program));
	expect(no_destructor);
	say("release buffer", clReleaseMemObject(a));
	say("release context", clReleaseContext(context));
}

int main(int argc, char **argv)
{
	cl_platform_id all[8];
	cl_uint n = 0;

	late_callbacks = argc > 1 && !strcmp(argv[1], "late");
	if (late_callbacks)
		atexit(wait_for_callbacks);
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	say("platforms", clGetPlatformIDs(8, all, &n));
	for (cl_uint i = 0; i < n; i++)
		one_platform(all[i]);
	printf("end\n");
	return 4;
}
