/*
 * tests/golden/cases_calls.c - golden traces about how calls and their arguments read
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include <CL/cl.h>

#include "model/functions/fntable.h"
#include "tests/golden/case.h"

#define T0 1000000000ull                  /* first tick */

/*
 * spec: API log "Example". The source's session, value by value. A command with ID 1 comes before it, outside of the
 * exported time: the source's IDs start with 2.
 */
static void sample(struct golden *g)
{
	const uint64_t queue = 0x9038E60, kernel = 0x6DDC120;
	uint64_t call;

	golden_thread(g, 5780, "sample");
	CALL(g, "clEnqueueWriteBuffer", 0x38ec9f2000000ull, 1000, 0, V(queue), V(0x709F6F0), V(1), V(0), V(400),
		V(0xB6E44C), V(0), V(0), V(0));
	CALL(g, "clGetDeviceInfo", 0x38ec9f296ebb3ull, 0x44 * 1000, 0, V(0xCF2050), V(4101), V(24),
		D64(0xB6E038, 1024, 1024, 64), V(0));
	call = CALL(g, "clEnqueueNDRangeKernel", 0x38ec9f2b404c3ull, 0x1e9 * 1000, 0, V(queue), V(kernel), V(1), V(0),
		D64(0xB6E620, 100), D64(0xB6E630, 100), V(0), V(0), V(0));
	tb_local_size(g->stream, call, 1, REC_LOCAL_SUGGESTED, 100, 1, 1);
	CALL(g, "clEnqueueReadBuffer", 0x38ec9f2d3e7d7ull, 0x225 * 1000, 0, V(queue), V(0x709F6F0), V(1), V(0), V(400),
		V(0xB6E44C), V(0), V(0), V(0));
	call = CALL(g, "clEnqueueNDRangeKernel", 0x38ec9f2ed2e3full, 0x1d5 * 1000, 0, V(queue), V(kernel), V(1), V(0),
		D64(0xB6E620, 50), D64(0xB6E630, 50), V(0), V(0), V(0));
	tb_local_size(g->stream, call, 1, REC_LOCAL_SUGGESTED, 50, 1, 1);
}

/* Objects of all kinds, their outputs, and failures. */
static void objects(struct golden *g)
{
	golden_device(g, 0xD0, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	OP(g, "clGetPlatformIDs", 0, V(4), D64(0x7F0000001000, 0x10, 0x20), D32(0x7F0000001100, 2));
	OP(g, "clGetPlatformIDs", 0, V(0), V(0), D32(0x7F0000001100, 2));
	OP(g, "clGetPlatformIDs", CL_INVALID_VALUE, V(0), V(0x7F0000001000), V(0));
	OP(g, "clGetDeviceIDs", 0, V(0x10), V(CL_DEVICE_TYPE_ALL), V(1), D64(0x7F0000001000, 0xD0), V(0));
	OP(g, "clGetDeviceIDs", CL_DEVICE_NOT_FOUND, V(0x10), V(CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU), V(1),
		V(0x7F0000001000), V(0x7F0000001100));
	OP(g, "clCreateContext", 0, LIST(0x7FF0, CL_CONTEXT_PLATFORM, 139637976731648, 0), V(1), D64(0x7FF8, 0xD0),
		V(0), V(0), V(0x7FF4), RET(0xC0));
	OP(g, "clCreateContext", CL_INVALID_DEVICE, V(0x7FF0), V(1), V(0x7FF8), V(0), V(0), V(0x7FF4), RET(0));
	OP(g, "clCreateContext", CL_INVALID_DEVICE, V(0), V(1), V(0x7FF8), V(0), V(0), V(0), RET(0));
	OP(g, "clCreateCommandQueue", 0, V(0xC0), V(0xD0),
		V(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), V(0x7FF4), RET(0x5500CC00));
	OP(g, "clCreateBuffer", 0, V(0xC0), V(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR), V(4096), V(0x7F0000002000),
		V(0x7FF4), RET(0x5500DD00));
	OP(g, "clCreateBuffer", CL_INVALID_BUFFER_SIZE, V(0xC0), V(0), V(0), V(0), V(0x7FF4), RET(0));
	OP(g, "clCreateSubBuffer", 0, V(0x5500DD00), V(CL_MEM_READ_ONLY), V(CL_BUFFER_CREATE_TYPE_REGION),
		D64(0x7FE0, 0, 256), V(0), RET(0x5500DD80));
	OP(g, "clCreateProgramWithSource", 0, V(0xC0), V(1), D64(0x7FE0, 0x601000), V(0), V(0x7FF4), RET(0x5500AB00));
	OP(g, "clBuildProgram", 0, V(0x5500AB00), V(1), D64(0x7FE0, 0xD0), TEXT(0x602000, "-DN=4"), V(0), V(0));
	OP(g, "clCreateKernel", 0, V(0x5500AB00), TEXT(0x603000, "vecadd"), V(0x7FF4), RET(0x5500EE00));
	OP(g, "clCreateKernel", CL_INVALID_KERNEL_NAME, V(0x5500AB00), TEXT(0x603000, "vecdad"), V(0x7FF4), RET(0));
	OP(g, "clSetKernelArg", 0, V(0x5500EE00), V(0), V(8), D64(0x7FE0, 0x5500DD00));
	OP(g, "clSetKernelArg", 0, V(0x5500EE00), V(1), V(8), D64(0x7FE0, 0));
	OP(g, "clSetKernelArg", 0, V(0x5500EE00), V(2), V(4), D32(0x7FE0, 1234));
	OP(g, "clSetKernelArg", 0, V(0x5500EE00), V(3), V(256), V(0));
	OP(g, "clWaitForEvents", 0, V(2), D64(0x7FE0, 0x55F1, 0x55F2));
	OP(g, "clWaitForEvents", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, V(2), V(0x7FE0));
	OP(g, "clSVMAlloc", 0, V(0xC0), V(CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER), V(1024), V(0),
		RET(0x7F0000100000));
	OP(g, "clSVMFree", 0, V(0xC0), V(0x7F0000100000));
	golden_call(g, "clUnloadCompiler", g->now += 1000, 400, 0, NULL, 0);
	OP(g, "clReleaseMemObject", 0, V(0x5500DD80));
	OP(g, "clFinish", 0, V(0x5500CC00));
}

/* Strings with everything that breaks formats. */
static void strings(struct golden *g)
{
	static char longer[301];

	memset(longer, 'x', 300);
	OP(g, "clBuildProgram", 0, V(0xAB), V(0), V(0),
		TEXT(0x602000, "-DMSG=\"a b\"\t-I/usr/include;(x)\\ /*c*/\nnext\r"), V(0), V(0));
	OP(g, "clBuildProgram", 0, V(0xAB), V(0), V(0), TEXT(0x602000, "caf\xc3\xa9 \xff\x01" "7"), V(0), V(0));
	OP(g, "clBuildProgram", 0, V(0xAB), V(0), V(0), TEXT(0x602000, ""), V(0), V(0));
	OP(g, "clBuildProgram", 0, V(0xAB), V(0), V(0), V(0), V(0), V(0));
	OP(g, "clBuildProgram", 0, V(0xAB), V(0), V(0), { 0x602000, longer, 256, ARG_TEXT }, V(0), V(0));
	OP(g, "clBuildProgram", 0, V(0xAB), V(0), V(0), { 0x602000, longer, 257, ARG_TEXT }, V(0), V(0));
	OP(g, "clBuildProgram", CL_BUILD_PROGRAM_FAILURE, V(0xAB), V(0), V(0), TEXT(0x602000, "-DN"), V(0), V(0));
	OP(g, "clCreateKernel", 0, V(0xAB), TEXT(0x603000, "odd;name) = /x"), V(0), RET(0xEE));
	OP(g, "clGetExtensionFunctionAddress", 0, TEXT(0x603000, "clGetKernelSubGroupInfoKHR"), RET(0x7F00AABBCCDD));
	OP(g, "clGetExtensionFunctionAddress", 0, TEXT(0x603000, "none"), RET(0));
	OP(g, "clGetPlatformInfo", 0, V(0x10), V(CL_PLATFORM_NAME), V(64), BYTES(0x7FE0, "Quo\"te\tTab\nLine\\", 17),
		D64(0x7FD0, 17));
	OP(g, "clGetPlatformInfo", 0, V(0x10), V(CL_PLATFORM_NAME), V(64), BYTES(0x7FE0, "", 1), D64(0x7FD0, 1));
}

/* Answers of info queries, by the query. */
static void queries(struct golden *g)
{
	static const char source[] =
		"__kernel void vecadd(__global int *a) {\n\ta[get_global_id(0)] = 1; /* a long line */\n}\n";

	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_NAME), V(64), BYTES(0x7FE0, "gfx900", 7), D64(0x7FD0, 7));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_NAME), V(0), V(0), D64(0x7FD0, 7));
	OP(g, "clGetDeviceInfo", CL_INVALID_VALUE, V(0xD0), V(CL_DEVICE_NAME), V(1), V(0x7FE0), V(0x7FD0));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_TYPE), V(8), D64(0x7FE0, CL_DEVICE_TYPE_GPU), V(0));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_MAX_COMPUTE_UNITS), V(4), D32(0x7FE0, 64), V(0));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_MAX_WORK_ITEM_SIZES), V(24), D64(0x7FE0, 1024, 1024, 64),
		D64(0x7FD0, 24));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_PLATFORM), V(8), D64(0x7FE0, 0x10), V(0));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_AVAILABLE), V(4), D32(0x7FE0, 1), V(0));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(CL_DEVICE_LOCAL_MEM_TYPE), V(4), D32(0x7FE0, CL_LOCAL), V(0));
	OP(g, "clGetContextInfo", 0, V(0xC0), V(CL_CONTEXT_DEVICES), V(16), D64(0x7FE0, 0xD0, 0xD1), D64(0x7FD0, 16));
	OP(g, "clGetCommandQueueInfo", 0, V(0x55), V(CL_QUEUE_PROPERTIES), V(8), D64(0x7FE0, CL_QUEUE_PROFILING_ENABLE),
		V(0));
	OP(g, "clGetMemObjectInfo", 0, V(0xDD), V(CL_MEM_TYPE), V(4), D32(0x7FE0, CL_MEM_OBJECT_IMAGE2D), V(0));
	OP(g, "clGetEventInfo", 0, V(0x55F1), V(CL_EVENT_COMMAND_EXECUTION_STATUS), V(4), D32(0x7FE0, CL_COMPLETE),
		V(0));
	OP(g, "clGetEventInfo", 0, V(0x55F1), V(CL_EVENT_COMMAND_EXECUTION_STATUS), V(4), D32(0x7FE0, (uint32_t)-5),
		V(0));
	OP(g, "clGetEventProfilingInfo", 0, V(0x55F1), V(CL_PROFILING_COMMAND_START), V(8), D64(0x7FE0, 123456), V(0));
	OP(g, "clGetProgramInfo", 0, V(0xAB), V(CL_PROGRAM_SOURCE), V(256), BYTES(0x7FE0, source, sizeof(source)),
		D64(0x7FD0, sizeof(source)));
	OP(g, "clGetProgramBuildInfo", 0, V(0xAB), V(0xD0), V(CL_PROGRAM_BUILD_LOG), V(4096),
		BYTES(0x7F0000003000, "warning: x\n", 12), D64(0x7FD0, 12));
	OP(g, "clGetDeviceInfo", 0, V(0xD0), V(0xFFF0), V(8), D64(0x7FE0, 7), D64(0x7FD0, 8));
}

/* Numbers without a name in the table. */
static void unknown_codes(struct golden *g)
{
	OP(g, "clFinish", -12345, V(0x55));
	OP(g, "clCreateBuffer", -12345, V(0xC0), V(CL_MEM_READ_WRITE | 1ull << 40), V(16), V(0), V(0x7FF4), RET(0));
	OP(g, "clCreateBuffer", 0, V(0xC0), V(1ull << 40), V(16), V(0), V(0x7FF4), RET(0xDD));
	OP(g, "clCreateSampler", 0, V(0xC0), V(7), V(99), V(CL_FILTER_LINEAR), V(0x7FF4), RET(0x5A));
	OP(g, "clSetUserEventStatus", 0, V(0x55F1), V((uint32_t)-17));
	OP(g, "clCreateContext", 0, LIST(0x7FF0, 0x9999, 5, 0), V(0), V(0), V(0), V(0), V(0), RET(0xC1));
	tb_call_bare(g->stream, 0x0bff, g->now += 1000, 400, 0);
}

/* Property lists and structs. */
static void properties(struct golden *g)
{
	uint64_t many[131];
	const struct golden_arg list = { 0x7FF0, many, sizeof(many), ARG_LIST };
	cl_image_format formats[2] = { { CL_RGBA, CL_UNORM_INT8 }, { CL_R, CL_FLOAT } };
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 32, .image_row_pitch = 256
	};

	for (int i = 0; i < 131; i++)
		many[i] = i == 130 ? 0 : i % 2 ? (uint64_t)i : CL_CONTEXT_PLATFORM;
	OP(g, "clCreateCommandQueueWithProperties", 0, V(0xC0), V(0xD0),
		LIST(0x7FF0, CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0), V(0x7FF4), RET(0x55));
	OP(g, "clCreateCommandQueueWithProperties", 0, V(0xC0), V(0xD0), LIST(0x7FF0, 0), V(0x7FF4), RET(0x56));
	OP(g, "clCreateCommandQueueWithProperties", 0, V(0xC0), V(0xD0), V(0), V(0x7FF4), RET(0x57));
	OP(g, "clCreateSamplerWithProperties", 0, V(0xC0),
		LIST(0x7FF0, CL_SAMPLER_NORMALIZED_COORDS, 1, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP,
			CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0),
		V(0x7FF4), RET(0x5A));
	OP(g, "clCreateSubDevices", 0, V(0xD0), LIST(0x7FF0, CL_DEVICE_PARTITION_EQUALLY, 4, 0), V(2),
		D64(0x7FE0, 0xD1, 0xD2), D32(0x7FD0, 2));
	OP(g, "clCreateSubDevices", 0, V(0xD0), LIST(0x7FF0, CL_DEVICE_PARTITION_BY_COUNTS, 2, 1, 0, 0), V(0), V(0),
		D32(0x7FD0, 2));
	OP(g, "clCreateSubDevices", 0, V(0xD0),
		LIST(0x7FF0, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0), V(0), V(0),
		D32(0x7FD0, 2));
	OP(g, "clCreateContext", 0, { list.value, list.data, 512, ARG_LIST }, V(0), V(0), V(0), V(0), V(0), RET(0xC1));
	OP(g, "clCreateImage", 0, V(0xC0), V(CL_MEM_READ_ONLY), BYTES(0x7FE0, &formats[0], 8),
		BYTES(0x7FE8, &desc, sizeof(desc)), V(0), V(0x7FF4), RET(0x1A));
	OP(g, "clGetSupportedImageFormats", 0, V(0xC0), V(CL_MEM_READ_WRITE), V(CL_MEM_OBJECT_IMAGE2D), V(8),
		BYTES(0x7FE0, formats, 16), D32(0x7FD0, 2));
	OP(g, "clGetSupportedImageFormats", 0, V(0xC0), V(CL_MEM_READ_WRITE), V(CL_MEM_OBJECT_IMAGE3D), V(8), V(0x7FE0),
		D32(0x7FD0, 0));
}

/* The application's callbacks: in the log, and no API calls in .atp. Calls made inside are the application's own. */
static void callbacks(struct golden *g)
{
	OP(g, "clSetEventCallback", 0, V(0x55F1), V(CL_COMPLETE), V(0x401000), V(0x7FFE));
	golden_thread(g, 4800, "driver");
	CALL(g, "clSetEventCallback.pfn_notify", g->now += 5000, 3000, 0, V(0x55F1), V(CL_COMPLETE), V(0x7FFE));
	CALL(g, "clReleaseEvent", g->now += 500, 300, 0, V(0x55F1));
	CALL(g, "clCreateContext.pfn_notify", g->now += 9000, 1000, 0, TEXT(0x604000, "it went\nwrong"), V(0x605000),
		V(16), V(0));
}

/* Threads ascend in .atp whatever the order of their first calls; an id that is used again shares its block. */
static void threads(struct golden *g)
{
	OP(g, "clFlush", 0, V(0x55));
	golden_thread(g, 9000, "later");
	OP(g, "clFinish", 0, V(0x55));
	golden_thread(g, 4712, "worker");
	OP(g, "clFlush", 0, V(0x56));
	tb_thread_end(g->stream, g->now += 1000, 4712);
	golden_thread(g, 4712, "worker again");
	OP(g, "clFinish", 0, V(0x56));
}

/* A clock of coarse ticks: calls that follow each other begin and end at one tick, and none is inside another. */
static void coarse_clock(struct golden *g)
{
	uint64_t at = g->now += 5000;

	CALL(g, "clFlush", at, 0, 0, V(0x55));
	CALL(g, "clFlush", at, 1000, 0, V(0x56));
	CALL(g, "clFlush", at + 1000, 0, 0, V(0x57));
	CALL(g, "clFlush", at + 1000, 0, 0, V(0x58));
	CALL(g, "clFinish", at + 1000, 3000, 0, V(0x55));
	CALL(g, "clFinish", at + 4000, 2000, 0, V(0x56));
	g->now = at + 6000;
}

/* What an image says of itself: its window, two calls of exec, its end. */
static void images(struct golden *g)
{
	tb_record(g->stream, REC_WINDOW, 0, 0, (uint64_t[]){ g->now += 1000, 1 }, 2);
	OP(g, "clFlush", 0, V(0x55));
	/* texts: a length and the bytes, "/bin/ls" and "/bin/ps" */
	tb_record(g->stream, REC_EXEC, 0, 0,
		(uint64_t[]){ g->now += 1000, 0, 7 | 0x6e69622full << 32, 0x736c2f }, 4);
	tb_record(g->stream, REC_EXEC, 0, 0,
		(uint64_t[]){ g->now += 1000, 1, 7 | 0x6e69622full << 32, 0x73702f }, 4);
	tb_record(g->stream, REC_WINDOW, 0, 0, (uint64_t[]){ g->now += 1000, 0 }, 2);
	tb_record(g->stream, REC_EXIT, 0, 0, (uint64_t[]){ g->now += 1000, REC_EXIT_UNDERSCORE | 3ull << 32 }, 2);
}

static void inside(struct golden *g, unsigned depth, const char *fn, uint64_t start, uint64_t first_arg)
{
	tb_slot(g->stream, depth, gt_fntable_find_name(g->table, fn)->id, REC_DOMAIN_OPENCL, start,
		(const uint64_t[4]){ first_arg });
}

/* The process was killed: two threads were inside calls, one of them inside a call that a callback made. */
static void unfinished(struct golden *g)
{
	OP(g, "clFlush", 0, V(0xAA));
	inside(g, 0, "clFinish", g->now + 1500, 0xAA);
	tb_holder(g->stream, 4711);
	golden_thread(g, 4712, "worker");
	OP(g, "clFlush", 0, V(0xAA));
	inside(g, 0, "clBuildProgram", g->now + 500, 0xAB);
	inside(g, 1, "clReleaseEvent", g->now + 600, 0xEE);
	tb_holder(g->stream, 4712);
}

static void empty(struct golden *g)
{
	(void)g;
}

/*
 * Objects of which there is a handle and nothing else, arrays that were not filled, an event that no command makes. No
 * output may say a number of them that nobody said.
 */
static void unsaid(struct golden *g)
{
	uint64_t call;

	OP(g, "clGetPlatformIDs", 0, V(8), D64(0x7FE0, 0x10), V(0));
	OP(g, "clGetDeviceIDs", 0, V(0x10), V(CL_DEVICE_TYPE_ALL), V(8), D64(0x7FE0, 0xD0, 0xD1), V(0));
	OP(g, "clGetDeviceIDs", 0, V(0x10), V(CL_DEVICE_TYPE_ALL), V(8), V(0x7FE0), V(0));
	OP(g, "clGetDeviceInfo", 0, V(0xD1), V(CL_DEVICE_NAME), V(64), BYTES(0x7FE0, "Asked", 6), V(0));
	OP(g, "clGetDeviceInfo", 0, V(0xD1), V(CL_DEVICE_MAX_COMPUTE_UNITS), V(64), D32(0x7FE0, 7), V(0));
	OP(g, "clGetDeviceInfo", 0, V(0xD1), V(CL_DEVICE_MAX_COMPUTE_UNITS), V(64), D32(0x7FE0, 8), V(0));
	OP(g, "clRetainContext", 0, V(0xC0));
	OP(g, "clRetainProgram", 0, V(0x90));
	OP(g, "clRetainMemObject", 0, V(0xB0));
	OP(g, "clCreateContext", 0, V(0), V(2), D64(0x7FF8, 0xD0, 0xD1), V(0), V(0), V(0), RET(0xC1));
	OP(g, "clCreateUserEvent", 0, V(0xC1), V(0), RET(0xE0));
	OP(g, "clWaitForEvents", 0, V(1), D64(0x7FF0, 0xE0));
	OP(g, "clWaitForEvents", 0, V(1), D64(0x7FF0, 0xE1));
	OP(g, "clEnqueueMarker", 0, V(0xA0), V(0));
	OP(g, "clFinish", 0, V(0xA0));
	OP(g, "clEnqueueSVMUnmap", 0, V(0xA1), V(0x5000), V(0), V(0), D64(0x7FF0, 0xE2));
	call = OP(g, "clEnqueueMigrateMemObjects", 0, V(0xA1), V(1), D64(0x7FF0, 0xB0), V(0), V(0), V(0),
		D64(0x7FF0, 0xE3));
	golden_times(g, call, g->now + 10, g->now + 20, g->now + 30, g->now + 40);
}

const struct golden_case golden_calls[] = {
	{ "sample", 0x38ec9f2000000ull, sample, NULL },
	{ "objects", T0, objects, NULL },
	{ "strings", T0, strings, NULL },
	{ "queries", T0, queries, NULL },
	{ "unsaid", T0, unsaid, NULL },
	/* A function of another version of the tool, recorded by name only. */
	{ "unknown_codes", T0, unknown_codes,
		"F\t3071\tclFromTheFutureXYZ\t1\tstate\tcl_int\terror\t-1\t0\t-\t0\t1\t0\t0\n"
		"P\tcl_context\tcontext\thandle\t-\t2\t8\tnone\tin\tvoid\t0\t3\t-\t-\t0\t0\t-\n" },
	{ "properties", T0, properties, NULL },
	{ "callbacks", T0, callbacks, NULL },
	{ "threads", T0, threads, NULL },
	{ "coarse_clock", T0, coarse_clock, NULL },
	{ "images", T0, images, NULL },
	{ "unfinished", T0, unfinished, NULL },
	{ "empty", T0, empty, NULL },
	{ NULL, 0, NULL, NULL },
};
