/*
 * tests/e2e/cl_held.c - which commands stand behind a user event, and which do not: "name over" or "name later" of each
 *
 * cl_held: all shapes, once. cl_held many: a hundred events, each with a command behind it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/e2e/cl_common.h"

static cl_kernel kernel;
static cl_device_id of;

static cl_event launch(cl_command_queue queue, cl_uint n, const cl_event *waits)
{
	const size_t global = 64;
	cl_event event;

	CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, n, n ? waits : NULL, &event));
	return event;
}

/* As the call has left it: nothing is flushed or waited for here. */
static cl_event say(const char *name, cl_event event)
{
	cl_int status;

	CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	printf("%s %s\n", name, status == CL_COMPLETE ? "over" : "later");
	return event;
}

static cl_command_queue make_queue(cl_command_queue_properties properties)
{
	cl_int err;
	cl_command_queue queue = clCreateCommandQueue(context, of, properties, &err);

	CHECK(err);
	return queue;
}

static cl_event make_gate(void)
{
	cl_int err;
	cl_event gate = clCreateUserEvent(context, &err);

	CHECK(err);
	return gate;
}

static void in_order(void)
{
	cl_command_queue one = make_queue(0), two = make_queue(0), three = make_queue(0);
	cl_event gate = make_gate(), other = make_gate(), behind[2];

	say("before it, in the same queue", launch(one, 0, NULL));
	behind[0] = say("behind it", launch(one, 1, &gate));
	say("next in that queue", launch(one, 0, NULL));
	behind[1] = say("in another queue, behind what is behind it", launch(two, 1, behind));
	say("next in the other queue", launch(two, 0, NULL));
	say("in a third queue, behind two of these", launch(three, 2, behind));
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clFlush(one));
	CHECK(clFlush(two));
	CHECK(clFinish(three));
	say("in the same queue when it is set", launch(one, 0, NULL));
	say("behind one that is set, another one is not", launch(one, 1, &gate));
	say("behind the other", launch(two, 1, &other));
	say("beside it", launch(one, 0, NULL));
	CHECK(clSetUserEventStatus(other, CL_COMPLETE));
	CHECK(clFinish(two));
}

static void out_of_order(void)
{
	cl_command_queue one = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
			 two = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_event gate = make_gate(), marker, barrier;

	say("out of order: behind it", launch(one, 1, &gate));
	say("out of order: beside it", launch(one, 0, NULL));
	CHECK(clEnqueueMarkerWithWaitList(one, 0, NULL, &marker));
	say("out of order: marker behind all", marker);
	say("out of order: beside the marker", launch(one, 0, NULL));
	CHECK(clEnqueueBarrierWithWaitList(one, 0, NULL, &barrier));
	say("out of order: barrier", barrier);
	say("out of order: behind the barrier", launch(one, 0, NULL));
	CHECK(clEnqueueWaitForEvents(two, 1, &marker));
	say("out of order: behind clEnqueueWaitForEvents", launch(two, 0, NULL));
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clFlush(two));
	CHECK(clFinish(one));
	CHECK(clFinish(two));
	say("out of order: when it is set", launch(one, 0, NULL));
}

static void many(void)
{
	cl_command_queue queue = make_queue(0);

	for (int i = 0; i < 100; i++) {
		cl_event gate = make_gate(), event = launch(queue, 1, &gate);

		CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
		CHECK(clWaitForEvents(1, &event));
		clReleaseEvent(event);
		clReleaseEvent(gate);
	}
}

int main(int argc, char **argv)
{
	static const char *const source = "__kernel void nothing() {}\n";
	cl_program program;
	cl_int err;

	(void)argv;
	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &of, NULL));
	context = clCreateContext(NULL, 1, &of, NULL, NULL, &err);
	CHECK(err);
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &of, "", NULL, NULL));
	kernel = clCreateKernel(program, "nothing", &err);
	CHECK(err);
	if (argc > 1) {
		many();
		return 0;
	}
	in_order();
	out_of_order();
	return 0;
}
