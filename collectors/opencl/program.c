/*
 * collectors/opencl/program.c - program sources, build options and logs; binaries and intermediate language when asked
 * for
 *
 * Runs      in application threads, after the call was recorded.
 * Must not  malloc, lock; add build options (the application can read them back); ask a driver from inside a callback
 *           (it may hold locks of its own there).
 *
 * The log of a build that reports by callback is read when the program's next call comes by: its first kernel, or the
 * next build.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/opencl/internal.h"

#define LATER 64u
#define DEVICES_MAX 64u

static _Atomic(cl_program) later[LATER];

static void store(cl_program program, enum rec_blob_kind kind, uint32_t part, const void *const *parts,
	const size_t *lengths, uint32_t n, bool keep)
{
	uint64_t id[2], total = 0, words[6];

	tap_blob_store(kind, parts, lengths, n, keep, id, &total);
	words[0] = tap_tick();
	words[1] = (uintptr_t)program;
	words[2] = id[0];
	words[3] = id[1];
	words[4] = (uint64_t)kind | (uint64_t)part << 32;
	words[5] = total;
	tap_record(REC_BLOB_REF, 0, words, 6);
}

static void store_one(
	cl_program program, enum rec_blob_kind kind, uint32_t part, const void *bytes, size_t n, bool keep)
{
	store(program, kind, part, &bytes, &n, 1, keep);
}

/* ------------------------------------------------------------------ creation */

void tap_cl_post_clCreateProgramWithSource(const struct tap_opencl_api *real, const struct tap_call *call,
	cl_program ret, cl_context context, cl_uint count, const char **strings, const size_t *lengths,
	cl_int *errcode_ret)
{
	(void)real, (void)call, (void)context, (void)errcode_ret;
	if (ret)
		store(ret, REC_BLOB_SOURCE, 0, (const void *const *)strings, lengths, count, tap_options.sources);
}

void tap_cl_post_clCreateProgramWithBinary(const struct tap_opencl_api *real, const struct tap_call *call,
	cl_program ret, cl_context context, cl_uint num_devices, const cl_device_id *device_list, const size_t *lengths,
	const unsigned char **binaries, cl_int *binary_status, cl_int *errcode_ret)
{
	(void)real, (void)call, (void)context, (void)device_list, (void)binary_status, (void)errcode_ret;
	for (cl_uint i = 0; ret && tap_options.binaries && i < num_devices; i++)
		store_one(ret, REC_BLOB_BINARY, i, binaries[i], lengths[i], true);
}

void tap_cl_post_clCreateProgramWithIL(const struct tap_opencl_api *real, const struct tap_call *call, cl_program ret,
	cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
	(void)real, (void)call, (void)context, (void)errcode_ret;
	if (ret && tap_options.binaries)
		store_one(ret, REC_BLOB_IL, 0, il, length, true);
}

void tap_cl_post_clCreateProgramWithILKHR(const struct tap_opencl_api *real, const struct tap_call *call,
	cl_program ret, cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
	tap_cl_post_clCreateProgramWithIL(real, call, ret, context, il, length, errcode_ret);
}

/* ------------------------------------------------------------------ what a build left */

static uint32_t devices_of(const struct tap_opencl_api *real, cl_program program, cl_device_id *devices)
{
	size_t bytes = 0;

	if (real->clGetProgramInfo(program, CL_PROGRAM_DEVICES, DEVICES_MAX * sizeof *devices, devices, &bytes) ==
		CL_SUCCESS)
		return (uint32_t)(bytes / sizeof *devices);
	if (real->clGetProgramInfo(program, CL_PROGRAM_DEVICES, 0, NULL, &bytes) == CL_SUCCESS &&
		bytes > DEVICES_MAX * sizeof *devices)
		tap_lost(REC_LOSS_SOURCE_CUT, bytes / sizeof *devices);
	return 0;
}

static void store_log(const struct tap_opencl_api *real, cl_program program, cl_device_id device, uint32_t part)
{
	size_t bytes = 0;
	char *text;

	if (real->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS ||
		bytes < 2)
		return;
	text = bytes > REC_BLOB_MAX ? NULL : tap_cl_pages(bytes + 1);
	if (!text)
		return tap_lost(REC_LOSS_SOURCE_CUT, tap_options.sources);
	if (real->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL) == CL_SUCCESS &&
		*text)
		store_one(program, REC_BLOB_LOG, part, text, strlen(text), tap_options.sources);
	tap_cl_pages_free(text, bytes + 1);
}

/* One binary a device, all asked for at once, as the query wants it. */
static void store_binaries(const struct tap_opencl_api *real, cl_program program, uint32_t n)
{
	size_t *sizes = tap_scratch_take(), all = 1;
	unsigned char **at = (unsigned char **)(sizes + DEVICES_MAX), *room = NULL;

	_Static_assert(DEVICES_MAX * (sizeof *sizes + sizeof *at) <= TAP_SCRATCH_BYTES, "both lists");
	if (!sizes || real->clGetProgramInfo(
			      program, CL_PROGRAM_BINARY_SIZES, n * sizeof *sizes, sizes, NULL) != CL_SUCCESS)
		goto out;
	for (uint32_t i = 0; i < n; i++)
		all += sizes[i];
	room = tap_cl_pages(all);
	if (!room) {
		tap_lost(REC_LOSS_SOURCE_CUT, n);
		goto out;
	}
	for (size_t i = 0, used = 0; i < n; used += sizes[i++])
		at[i] = sizes[i] ? room + used : NULL;
	if (real->clGetProgramInfo(program, CL_PROGRAM_BINARIES, n * sizeof *at, at, NULL) == CL_SUCCESS)
		for (uint32_t i = 0; i < n; i++)
			if (sizes[i])
				store_one(program, REC_BLOB_BINARY, i, at[i], sizes[i], true);
	tap_cl_pages_free(room, all);
out:
	tap_scratch_give(sizes);
}

static void read_build(const struct tap_opencl_api *real, cl_program program)
{
	cl_device_id *devices = tap_scratch_take();
	uint32_t n;

	tap_own_calls_begin();
	n = devices ? devices_of(real, program, devices) : 0;
	for (uint32_t i = 0; i < n; i++)
		store_log(real, program, devices[i], i);
	if (tap_options.binaries && n)
		store_binaries(real, program, n);
	tap_scratch_give(devices);
	tap_own_calls_end();
}

void tap_cl_program_log_later(cl_program program)
{
	for (uint32_t i = 0; i < LATER; i++) {
		cl_program none = NULL;

		if (atomic_load(&later[i]) == program)
			return;
		if (atomic_compare_exchange_strong(&later[i], &none, program))
			return;
	}
	tap_lost(REC_LOSS_SOURCE_CUT, 1);       /* its log: nobody remembers to read it */
}

/* now: the build is over. Else: only if a callback has said so since. */
void tap_cl_program_built(const struct tap_opencl_api *real, cl_program program, bool now)
{
	for (uint32_t i = 0; i < LATER; i++) {
		cl_program mine = program;

		if (atomic_load_explicit(&later[i], memory_order_relaxed) == program &&
			atomic_compare_exchange_strong(&later[i], &mine, NULL))
			now = true;
	}
	if (now)
		read_build(real, program);
}

static void built(const struct tap_opencl_api *real, cl_program program, const char *options, bool over)
{
	if (options && *options)
		store_one(program, REC_BLOB_OPTIONS, 0, options, strlen(options), true);
	tap_cl_program_built(real, program, over);
}

/*
 * A build that the driver refused to begin (wrong arguments) left nothing to read, and its options may be any pointer.
 */
static bool began(cl_int ret)
{
	return ret == CL_SUCCESS || ret == CL_BUILD_PROGRAM_FAILURE || ret == CL_COMPILE_PROGRAM_FAILURE ||
		ret == CL_LINK_PROGRAM_FAILURE;
}

void tap_cl_post_clBuildProgram(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char *options,
	void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data)
{
	(void)call, (void)num_devices, (void)device_list, (void)user_data;
	if (began(ret))
		built(real, program, options, !pfn_notify);
}

void tap_cl_post_clCompileProgram(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char *options,
	cl_uint num_input_headers, const cl_program *input_headers, const char **header_include_names,
	void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data)
{
	(void)call, (void)num_devices, (void)device_list, (void)num_input_headers, (void)input_headers,
		(void)header_include_names, (void)user_data;
	if (began(ret))
		built(real, program, options, !pfn_notify);
}

void tap_cl_post_clLinkProgram(const struct tap_opencl_api *real, const struct tap_call *call, cl_program ret,
	cl_context context, cl_uint num_devices, const cl_device_id *device_list, const char *options,
	cl_uint num_input_programs, const cl_program *input_programs, void(CL_CALLBACK *pfn_notify)(cl_program, void *),
	void *user_data, cl_int *errcode_ret)
{
	(void)call, (void)context, (void)num_devices, (void)device_list, (void)num_input_programs, (void)input_programs,
		(void)user_data, (void)errcode_ret;
	if (ret)
		built(real, ret, options, !pfn_notify);
}
