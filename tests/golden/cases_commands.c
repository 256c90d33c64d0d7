/*
 * tests/golden/cases_commands.c - golden traces about device commands and their times
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "tests/golden/case.h"

#define T0 1000000000ull

#define DEVICE_HANDLE 0xD0
#define CONTEXT 0x5500BB00
#define QUEUE 0x5500CC00
#define QUEUE2 0x5500CC80
#define KERNEL 0x5500EE00
#define BUFFER 0x5500DD00
#define BUFFER2 0x5500DD80
#define IMAGE 0x55001A00

#define NO_WAIT V(0), V(0)
#define EVENT(e) D64(0x7FC0, e)

static void world(struct golden *g, uint32_t type, const char *device)
{
	golden_device(g, DEVICE_HANDLE, type, device);
	OP(g, "clCreateContext", 0, V(0), V(1), D64(0x7FF8, DEVICE_HANDLE), V(0), V(0), V(0x7FF4), RET(CONTEXT));
	OP(g, "clCreateCommandQueue", 0, V(CONTEXT), V(DEVICE_HANDLE), V(CL_QUEUE_PROFILING_ENABLE), V(0x7FF4),
		RET(QUEUE));
	OP(g, "clCreateProgramWithSource", 0, V(CONTEXT), V(1), D64(0x7FE0, 0x601000), V(0), V(0x7FF4),
		RET(0x5500AB00));
	OP(g, "clCreateKernel", 0, V(0x5500AB00), TEXT(0x603000, "vecadd"), V(0x7FF4), RET(KERNEL));
	OP(g, "clCreateBuffer", 0, V(CONTEXT), V(CL_MEM_READ_WRITE), V(1 << 20), V(0), V(0x7FF4), RET(BUFFER));
}

/* Device times of the last call: queued in the middle of it, 100 ns each step, `span` ns on the device. */
static void done(struct golden *g, uint64_t link, uint64_t span)
{
	golden_times(g, link, g->now + 200, g->now + 300, g->now + 10000, g->now + 10000 + span);
}

static uint64_t launch(struct golden *g, uint64_t queue, uint64_t event)
{
	return OP(g, "clEnqueueNDRangeKernel", 0, V(queue), V(KERNEL), V(2), V(0), D64(0x7FE0, 64, 32),
		D64(0x7FD0, 8, 8), V(1), D64(0x7FB0, 0x55F0), EVENT(event));
}

static void two_queues(struct golden *g)
{
	world(g, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	OP(g, "clCreateCommandQueue", 0, V(CONTEXT), V(DEVICE_HANDLE), V(0), V(0), RET(QUEUE2));
	done(g, launch(g, QUEUE, 0x55F1), 500);
	done(g, launch(g, QUEUE2, 0x55F2), 700);
	done(g,
		OP(g, "clEnqueueNDRangeKernel", 0, V(QUEUE), V(KERNEL), V(3), D64(0x7FE0, 1, 2, 3),
			D64(0x7FD0, 4, 5, 6), V(0), NO_WAIT, V(0)),
		900);
	done(g, OP(g, "clEnqueueTask", 0, V(QUEUE2), V(KERNEL), NO_WAIT, V(0)), 100);
	OP(g, "clFinish", 0, V(QUEUE));
}

/* One text wherever a program can put one: formula, link, control characters, direction, no UTF-8, line ends. */
#define HOSTILE_START \
	"=1+2|[link](http://x)<b>\x1b]0;title\a\x1b[31m\x7f\xc2\x9b" "1m\xe2\x80\xaemoc\xff\xc0\x80"
#define HOSTILE HOSTILE_START "\tend\r\nnext \"quoted\""

static void mark(struct golden *g, const char *text)
{
	uint64_t words[64] = { g->now += 1000, REC_NVTX_MARK | REC_NVTX_TEXT << 8 };

	tb_record(g->stream, REC_NVTX_EVENT, 0, 0, words, tb_put_text(words, 2, text, (uint32_t)strlen(text)));
	words[1] = REC_NVTX_PUSH | REC_NVTX_TEXT << 8;
	words[0]++;
	tb_record(g->stream, REC_NVTX_EVENT, 0, 0, words, tb_put_text(words, 2, text, (uint32_t)strlen(text)));
	tb_record(g->stream, REC_NVTX_POP, 0, 0, (uint64_t[]){ g->now + 100 }, 1);
}

static void hostile(struct golden *g)
{
	tb_run_fact(g->tb, "arg", HOSTILE_START);
	tb_run_fact(g->tb, "host", HOSTILE_START);
	tb_fact(g->process, "arg", HOSTILE_START);
	tb_fact(g->process, "env", "NAME=" HOSTILE_START);
	tb_fact(g->process, "cwd", "/" HOSTILE_START);
	golden_thread(g, 4712, HOSTILE);
	world(g, CL_DEVICE_TYPE_GPU, HOSTILE);
	OP(g, "clBuildProgram", 0, V(0x5500AB00), V(0), V(0), TEXT(0x602000, HOSTILE), V(0), V(0));
	OP(g, "clCreateKernel", 0, V(0x5500AB00), TEXT(0x603000, HOSTILE), V(0x7FF4), RET(KERNEL));
	done(g, launch(g, QUEUE, 0x55F1), 500);
	OP(g, "clGetDeviceInfo", 0, V(DEVICE_HANDLE), V(CL_DEVICE_NAME), V(99),
		BYTES(0x7FE0, HOSTILE, sizeof(HOSTILE)), D64(0x7FD0, sizeof(HOSTILE)));
	mark(g, HOSTILE);
	mark(g, "literal &nbsp; and blank");
	tb_note(g->stream, g->now, 1, HOSTILE);
}

/* What overlaps on one queue, and on one thread; and a command whose times say that it began before its call. */
static void lanes(struct golden *g)
{
	uint64_t call[5];

	world(g, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	for (unsigned i = 0; i < 5; i++)
		call[i] = launch(g, QUEUE, 0x55F1 + i);
	golden_times(g, call[0], T0 + 20000, T0 + 20000, T0 + 21000, T0 + 25000);
	golden_times(g, call[1], T0 + 20000, T0 + 20000, T0 + 22000, T0 + 23000);
	golden_times(g, call[2], T0 + 20000, T0 + 20000, T0 + 24000, T0 + 26000);
	golden_times(g, call[3], T0 + 20000, T0 + 20000, T0 + 25000, T0 + 27000);
	golden_times(g, call[4], T0 + 20000, T0 + 20000, g->now - 100, g->now + 200);
	CALL(g, "clFlush", T0 + 30000, 1000, 0, V(QUEUE));
	CALL(g, "clFlush", T0 + 30100, 100, 0, V(QUEUE));
	CALL(g, "clFinish", T0 + 30500, 1000, 0, V(QUEUE));
}

/* Failed calls and commands have no device part; neither have those without times. */
static void failed_enqueue(struct golden *g)
{
	uint64_t call;

	world(g, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	OP(g, "clEnqueueNDRangeKernel", CL_INVALID_WORK_GROUP_SIZE, V(QUEUE), V(KERNEL), V(1), V(0), V(0x7FE0),
		V(0x7FD0), V(1), V(0x7FB0), V(0x7FC0));
	OP(g, "clEnqueueMapBuffer", CL_MAP_FAILURE, V(QUEUE), V(BUFFER), V(1), V(CL_MAP_READ), V(0), V(64), NO_WAIT,
		V(0), V(0x7FF4), RET(0));
	call = launch(g, QUEUE, 0x55F1);
	tb_untimed(g->stream, call, REC_LOSS_FAILED_COMMAND, -5);
	call = launch(g, QUEUE, 0x55F2);
	tb_untimed(g->stream, call, REC_LOSS_NOT_FINISHED, 1);
	done(g, launch(g, QUEUE, 0x55F3), 500);
}

static void no_device_times(struct golden *g)
{
	world(g, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	launch(g, QUEUE, 0x55F1);
	OP(g, "clEnqueueReadBuffer", 0, V(QUEUE), V(BUFFER), V(1), V(0), V(4096), V(0x7F0000002000), NO_WAIT, V(0));
}

/* Times that break QUEUED <= SUBMIT <= START <= END are moved, in this file only. */
static void moved_times(struct golden *g)
{
	uint64_t call;

	world(g, CL_DEVICE_TYPE_CPU, "Golden CPU");
	call = launch(g, QUEUE, 0x55F1);
	golden_times(g, call, g->now + 400, g->now + 200, g->now + 300, g->now + 900);
	call = launch(g, QUEUE, 0x55F2);
	golden_times(g, call, g->now + 100, g->now + 600, g->now + 500, g->now + 400);
}

/* Every kind of command that has a tail of its own. */
static void transfers(struct golden *g)
{
	cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64 };
	const uint64_t host = 0x7F0000002000;

	world(g, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	OP(g, "clCreateImage", 0, V(CONTEXT), V(CL_MEM_READ_WRITE), BYTES(0x7FE0, &format, 8),
		BYTES(0x7FE8, &desc, sizeof(desc)), V(0), V(0x7FF4), RET(IMAGE));
	OP(g, "clCreateBuffer", 0, V(CONTEXT), V(CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR), V(1 << 20), V(0), V(0),
		RET(BUFFER2));
	done(g,
		OP(g, "clEnqueueWriteBuffer", 0, V(QUEUE), V(BUFFER), V(0), V(16), V(4096), V(host), NO_WAIT,
			EVENT(0x55F1)),
		10);
	done(g,
		OP(g, "clEnqueueReadBuffer", 0, V(QUEUE), V(BUFFER), V(1), V(0), V(4096), V(host), V(1),
			D64(0x7FB0, 0x55F1), V(0)),
		10);
	done(g, OP(g, "clEnqueueCopyBuffer", 0, V(QUEUE), V(BUFFER), V(BUFFER2), V(0), V(64), V(128), NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueReadBufferRect", 0, V(QUEUE), V(BUFFER), V(1), D64(0x7FA0, 0, 0, 0),
			D64(0x7FA8, 0, 0, 0), D64(0x7FB0, 16, 4, 1), V(64), V(0), V(16), V(0), V(host), NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueCopyBufferRect", 0, V(QUEUE), V(BUFFER), V(BUFFER2), D64(0x7FA0, 0, 0, 0),
			D64(0x7FA8, 8, 0, 0), D64(0x7FB0, 16, 4, 2), V(64), V(0), V(16), V(0), NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueReadImage", 0, V(QUEUE), V(IMAGE), V(1), D64(0x7FA0, 0, 0, 0), D64(0x7FA8, 64, 32, 1),
			V(0), V(0), V(host), NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueCopyImageToBuffer", 0, V(QUEUE), V(IMAGE), V(BUFFER), D64(0x7FA0, 0, 0, 0),
			D64(0x7FA8, 8, 8, 1), V(0), NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueFillBuffer", 0, V(QUEUE), V(BUFFER), BYTES(0x7FA0, "abcd", 4), V(4), V(0), V(1024),
			NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueFillImage", 0, V(QUEUE), V(IMAGE), D32(0x7FA0, 1, 2, 3, 4), D64(0x7FA8, 0, 0, 0),
			D64(0x7FB0, 64, 64, 1), NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueMapBuffer", 0, V(QUEUE), V(BUFFER), V(1), V(CL_MAP_READ | CL_MAP_WRITE), V(0), V(4096),
			NO_WAIT, V(0), V(0x7FF4), RET(host)),
		10);
	done(g,
		OP(g, "clEnqueueMapImage", 0, V(QUEUE), V(IMAGE), V(1), V(CL_MAP_READ), D64(0x7FA0, 0, 0, 0),
			D64(0x7FA8, 4, 4, 1), D64(0x7FB0, 256), V(0), NO_WAIT, V(0), V(0), RET(host)),
		10);
	done(g, OP(g, "clEnqueueUnmapMemObject", 0, V(QUEUE), V(BUFFER), V(host), NO_WAIT, V(0)), 10);
	done(g, OP(g, "clEnqueueSVMMemcpy", 0, V(QUEUE), V(1), V(host), V(host + 64), V(64), NO_WAIT, V(0)), 10);
	done(g, OP(g, "clEnqueueSVMMemFill", 0, V(QUEUE), V(host), BYTES(0x7FA0, "ab", 2), V(2), V(64), NO_WAIT, V(0)),
		10);
	done(g, OP(g, "clEnqueueSVMMap", 0, V(QUEUE), V(1), V(CL_MAP_WRITE), V(host), V(64), NO_WAIT, V(0)), 10);
	done(g, OP(g, "clEnqueueSVMUnmap", 0, V(QUEUE), V(host), NO_WAIT, V(0)), 10);
	done(g, OP(g, "clEnqueueSVMFree", 0, V(QUEUE), V(2), D64(0x7FA0, host, host + 64), V(0), V(0), NO_WAIT, V(0)),
		10);
	done(g,
		OP(g, "clEnqueueMigrateMemObjects", 0, V(QUEUE), V(2), D64(0x7FA0, BUFFER, BUFFER2),
			V(CL_MIGRATE_MEM_OBJECT_HOST), NO_WAIT, V(0)),
		10);
	done(g, OP(g, "clEnqueueMarkerWithWaitList", 0, V(QUEUE), NO_WAIT, EVENT(0x55F2)), 0);
	done(g, OP(g, "clEnqueueBarrierWithWaitList", 0, V(QUEUE), V(1), D64(0x7FA0, 0x55F2), V(0)), 0);
	done(g,
		OP(g, "clEnqueueNativeKernel", 0, V(QUEUE), V(0x401230), V(0x7FA0), V(8), V(0), V(0), V(0), NO_WAIT,
			V(0)),
		10);
	done(g, OP(g, "clEnqueueMemcpyINTEL", 0, V(QUEUE), V(1), V(host), V(host + 64), V(64), NO_WAIT, V(0)), 10);
	OP(g, "clEnqueueBarrier", 0, V(QUEUE));
}

/* Local sizes that the runtime chose, in one to three dimensions; and one that nobody knows. */
static void local_sizes(struct golden *g)
{
	uint64_t call;

	world(g, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	for (uint32_t dims = 1; dims <= 3; dims++) {
		const uint64_t global[3] = { 100, 20, 3 };

		call = OP(g, "clEnqueueNDRangeKernel", 0, V(QUEUE), V(KERNEL), V(dims), V(0),
			BYTES(0x7FE0, global, dims * 8), V(0), NO_WAIT, V(0));
		done(g, call, 100);
		tb_local_size(g->stream, call, dims, REC_LOCAL_SUGGESTED, 50, 10, 1);
	}
	done(g,
		OP(g, "clEnqueueNDRangeKernel", 0, V(QUEUE), V(KERNEL), V(1), V(0), D64(0x7FE0, 77), V(0), NO_WAIT,
			V(0)),
		100);
}

/* Values wider than their columns, and a device name that needs every blank it can get. */
static void large(struct golden *g)
{
	world(g, CL_DEVICE_TYPE_GPU, "A device with a name of far more than thirty bytes");
	OP(g, "clCreateKernel", 0, V(0x5500AB00), TEXT(0x603000, "operator() <float, 4>"), V(0),
		RET(0xFFFFFFFFFFFFFFF0ull));
	done(g,
		OP(g, "clEnqueueNDRangeKernel", 0, V(QUEUE), V(0xFFFFFFFFFFFFFFF0ull), V(3), V(0),
			D64(0x7FE0, 1ull << 40, 1ull << 33, 18446744073709551615ull), D64(0x7FD0, 1024, 1, 1), NO_WAIT,
			V(0)),
		4000000000ull);
	done(g,
		OP(g, "clEnqueueReadBuffer", 0, V(QUEUE), V(BUFFER), V(1), V(0), V(18446744073709551615ull),
			V(0x7F0000002000), NO_WAIT, V(0)),
		1);
	done(g,
		OP(g, "clEnqueueWriteBuffer", 0, V(QUEUE), V(BUFFER), V(1), V(0), V(5ull << 30), V(0x7F0000002000),
			NO_WAIT, V(0)),
		1);
}

const struct golden_case golden_commands[] = {
	{ "two_queues", T0, two_queues, NULL },
	{ "hostile", T0, hostile, NULL },
	{ "lanes", T0, lanes, NULL },
	{ "failed_enqueue", T0, failed_enqueue, NULL },
	{ "no_device_times", T0, no_device_times, NULL },
	{ "moved_times", T0, moved_times, NULL },
	{ "transfers", T0, transfers, NULL },
	{ "local_sizes", T0, local_sizes, NULL },
	{ "large", T0, large, NULL },
	{ NULL, 0, NULL, NULL },
};
