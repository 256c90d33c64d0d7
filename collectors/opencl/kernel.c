/*
 * collectors/opencl/kernel.c - facts about kernels: name, work-group limits, memory; once per kernel object
 *
 * Runs      in application threads, after the creating call was recorded.
 * Must not  malloc, lock.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"

#define DEVICES_MAX 64u
#define NAME_MAX_BYTES 4096u

static void add_names(const struct tap_opencl_api *real, cl_kernel kernel, struct tap_cl_facts *f)
{
	static const cl_uint keys[] = { CL_KERNEL_FUNCTION_NAME, CL_KERNEL_ATTRIBUTES, CL_KERNEL_NUM_ARGS };
	char *room = tap_scratch_take();

	_Static_assert(NAME_MAX_BYTES <= TAP_SCRATCH_BYTES, "a name");
	for (size_t i = 0; room && i < sizeof keys / sizeof *keys; i++) {
		size_t bytes = 0;

		if (real->clGetKernelInfo(kernel, keys[i], NAME_MAX_BYTES, room, &bytes) == CL_SUCCESS &&
			bytes <= NAME_MAX_BYTES)
			tap_cl_facts_add(f, keys[i], room, bytes);
	}
	tap_scratch_give(room);
}

/* What a device makes of the kernel: REC_ATTR_DEVICE, then its answers. */
static void add_work_group(
	const struct tap_opencl_api *real, cl_kernel kernel, cl_device_id device, struct tap_cl_facts *f)
{
	static const cl_uint keys[] = { CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
		CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE };
	uint64_t room[3];

	tap_cl_facts_u64(f, REC_ATTR_DEVICE, (uintptr_t)device);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t bytes = 0;

		if (real->clGetKernelWorkGroupInfo(kernel, device, keys[i], sizeof room, room, &bytes) == CL_SUCCESS &&
			bytes <= sizeof room)
			tap_cl_facts_add(f, keys[i], room, bytes);
	}
}

static void kernel_define(const struct tap_opencl_api *real, cl_kernel kernel, cl_program program)
{
	cl_device_id *devices;
	struct tap_cl_facts f;
	size_t bytes = 0;

	if (!tap_cl_facts_open(&f, REC_OBJECT_KERNEL, kernel))
		return;
	tap_cl_facts_u64(&f, REC_ATTR_PARENT, (uintptr_t)program);
	add_names(real, kernel, &f);
	devices = tap_scratch_take();
	if (devices && real->clGetProgramInfo(program, CL_PROGRAM_DEVICES, DEVICES_MAX * sizeof *devices, devices,
			&bytes) == CL_SUCCESS)
		for (size_t i = 0; i < bytes / sizeof *devices; i++)
			add_work_group(real, kernel, devices[i], &f);
	tap_scratch_give(devices);
	tap_cl_facts_close(&f);
	tap_cl_kernel_born(kernel);
}

void tap_cl_post_clCreateKernel(const struct tap_opencl_api *real, const struct tap_call *call, cl_kernel ret,
	cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
	(void)call, (void)kernel_name, (void)errcode_ret;
	if (!ret)
		return;
	tap_own_calls_begin();
	tap_cl_program_built(real, program, false);
	kernel_define(real, ret, program);
	tap_own_calls_end();
}

void tap_cl_post_clCreateKernelsInProgram(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_program program, cl_uint num_kernels, cl_kernel *kernels, cl_uint *num_kernels_ret)
{
	cl_uint n = kernels && num_kernels_ret && *num_kernels_ret < num_kernels ? *num_kernels_ret : num_kernels;

	(void)call;
	if (ret != CL_SUCCESS || !kernels)
		return;
	tap_own_calls_begin();
	tap_cl_program_built(real, program, false);
	for (cl_uint i = 0; i < n; i++)
		kernel_define(real, kernels[i], program);
	tap_own_calls_end();
}

void tap_cl_post_clCloneKernel(const struct tap_opencl_api *real, const struct tap_call *call, cl_kernel ret,
	cl_kernel source_kernel, cl_int *errcode_ret)
{
	cl_program program = NULL;

	(void)call, (void)source_kernel, (void)errcode_ret;
	if (!ret)
		return;
	tap_own_calls_begin();
	if (real->clGetKernelInfo(ret, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL) == CL_SUCCESS)
		kernel_define(real, ret, program);
	tap_own_calls_end();
}
