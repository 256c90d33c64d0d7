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

/* --------------------------------------- kernels that were made before the recording began (--start-after) */

/* Kernels that the trace tells of, by address; a full neighbourhood tells of one with each launch. */
#define TOLD 16384u
#define PROBES 16u
static _Atomic(_Atomic(cl_kernel) *) told;

/* Whether it was told before; from now on it is. Always, where no creation can be missing. */
static bool is_told(cl_kernel kernel)
{
	_Atomic(cl_kernel) *t = atomic_load_explicit(&told, memory_order_acquire), *none = NULL;
	uint32_t at = (uint32_t)((uintptr_t)kernel * 0x9e3779b97f4a7c15ull >> 40);

	if (!t) {
		t = tap_cl_pages(TOLD * sizeof *t);
		if (t && !atomic_compare_exchange_strong(&told, &none, t)) {
			tap_cl_pages_free(t, TOLD * sizeof *t);
			t = none;
		}
	}
	for (uint32_t i = 0; t && i < PROBES; i++) {
		_Atomic(cl_kernel) *place = &t[(at + i) % TOLD];
		cl_kernel there = atomic_load_explicit(place, memory_order_relaxed);

		if (!there && atomic_compare_exchange_strong(place, &there, kernel))
			return false;
		if (there == kernel)
			return true;
	}
	return false;
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
	if (tap_options.start_after)
		is_told(kernel);
}

/* A launch of one that nothing tells of: it is asked while it lives. */
void tap_cl_kernel_late(const struct tap_opencl_api *real, cl_kernel kernel)
{
	cl_program program = NULL;

	if (is_told(kernel))
		return;
	tap_own_calls_begin();
	if (real->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL) == CL_SUCCESS)
		kernel_define(real, kernel, program);
	tap_own_calls_end();
}

/* The child of a fork writes a trace of its own: everything is new to it. */
void tap_cl_kernels_forget(void)
{
	_Atomic(cl_kernel) *t = atomic_load(&told);

	for (uint32_t i = 0; t && i < TOLD; i++)
		atomic_store_explicit(&t[i], NULL, memory_order_relaxed);
}

static void kernel_made(const struct tap_opencl_api *real, cl_kernel kernel, cl_program program)
{
	kernel_define(real, kernel, program);
	tap_cl_kernel_born(kernel);
}

void tap_cl_post_clEnqueueTask(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_command_queue command_queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	(void)call, (void)command_queue, (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
	if (unlikely(tap_options.start_after) && ret == CL_SUCCESS)
		tap_cl_kernel_late(real, kernel);
}

void tap_cl_post_clCreateKernel(const struct tap_opencl_api *real, const struct tap_call *call, cl_kernel ret,
	cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
	(void)call, (void)kernel_name, (void)errcode_ret;
	if (!ret)
		return;
	tap_own_calls_begin();
	tap_cl_program_built(real, program, false);
	kernel_made(real, ret, program);
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
		kernel_made(real, kernels[i], program);
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
		kernel_made(real, ret, program);
	tap_own_calls_end();
}
