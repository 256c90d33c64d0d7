/*
 * collectors/opencl/define.c - what the trace says about platforms, devices, contexts, queues and images
 *
 * Runs      in application threads, after the creating call was recorded. Each device once per process image.
 * Must not  malloc, lock; ask a driver for an extension's value that it does not list.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/opencl/internal.h"

#define DEVICES 256u
#define ANSWER 16384u                             /* bytes of one answer kept */

/* Keys of extensions that older headers lack. */
#define DEVICE_UUID_KHR 0x106A
#define DRIVER_UUID_KHR 0x106B
#define DEVICE_PCI_BUS_INFO_KHR 0x410F

static struct tap_cl_device devices[DEVICES];
/* Devices beyond the table share it: no facts, no calibration, but their commands are timed. */
static struct tap_cl_device spare;
static _Atomic(cl_platform_id) platforms[64];

struct tap_cl_device *tap_cl_device_at(uint32_t index)
{
	return index < DEVICES && atomic_load(&devices[index].handle) ? &devices[index] : NULL;
}

/* ------------------------------------------------------------------ asking */

typedef cl_int (CL_API_CALL *ask_fn)(void *, cl_uint, size_t, void *, size_t *);

static void add_answer(struct tap_cl_facts *f, ask_fn ask, void *object, cl_uint key, void *room)
{
	size_t bytes = 0;

	if (ask(object, key, ANSWER, room, &bytes) == CL_SUCCESS && bytes <= ANSWER)
		tap_cl_facts_add(f, key, room, bytes);
}

static void add_answers(struct tap_cl_facts *f, ask_fn ask, void *object, const cl_uint *keys, size_t n, void *room)
{
	for (size_t i = 0; i < n; i++)
		add_answer(f, ask, object, keys[i], room);
}

/* ------------------------------------------------------------------ platforms */

static bool platform_is_new(cl_platform_id platform)
{
	for (uint32_t i = 0; i < 64; i++) {
		cl_platform_id none = NULL;

		if (atomic_compare_exchange_strong(&platforms[i], &none, platform))
			return true;
		if (none == platform)
			return false;
	}
	return false;
}

static void platform_define(const struct tap_opencl_api *real, cl_platform_id platform, void *room)
{
	static const cl_uint keys[] = { CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION, CL_PLATFORM_PROFILE,
		CL_PLATFORM_EXTENSIONS };
	struct tap_cl_facts f;

	if (!platform || !platform_is_new(platform) || !tap_cl_facts_open(&f, REC_OBJECT_PLATFORM, platform))
		return;
	add_answers(&f, (ask_fn)real->clGetPlatformInfo, platform, keys, sizeof keys / sizeof *keys, room);
	tap_cl_facts_close(&f);
}

/* ------------------------------------------------------------------ devices */

static const cl_uint device_keys[] = {
	CL_DEVICE_NAME,
	CL_DEVICE_VENDOR,
	CL_DEVICE_VERSION,
	CL_DRIVER_VERSION,
	CL_DEVICE_OPENCL_C_VERSION,
	CL_DEVICE_PROFILE,
	CL_DEVICE_TYPE,
	CL_DEVICE_VENDOR_ID,
	CL_DEVICE_MAX_COMPUTE_UNITS,
	CL_DEVICE_MAX_CLOCK_FREQUENCY,
	CL_DEVICE_ADDRESS_BITS,
	CL_DEVICE_MAX_WORK_GROUP_SIZE,
	CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
	CL_DEVICE_MAX_WORK_ITEM_SIZES,
	CL_DEVICE_GLOBAL_MEM_SIZE,
	CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
	CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
	CL_DEVICE_LOCAL_MEM_SIZE,
	CL_DEVICE_LOCAL_MEM_TYPE,
	CL_DEVICE_MAX_MEM_ALLOC_SIZE,
	CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
	CL_DEVICE_HOST_UNIFIED_MEMORY,
	CL_DEVICE_ENDIAN_LITTLE,
	CL_DEVICE_ERROR_CORRECTION_SUPPORT,
	CL_DEVICE_IMAGE_SUPPORT,
	CL_DEVICE_PROFILING_TIMER_RESOLUTION,
	CL_DEVICE_QUEUE_PROPERTIES,
	CL_DEVICE_EXECUTION_CAPABILITIES,
	CL_DEVICE_SVM_CAPABILITIES,
	CL_DEVICE_MAX_NUM_SUB_GROUPS,
	CL_DEVICE_PARENT_DEVICE,
	CL_DEVICE_EXTENSIONS,
};
static const cl_uint nv_keys[] = { 0x4000, 0x4001, 0x4002, 0x4003, 0x4004, 0x4005, 0x4006, 0x4007, 0x4008, 0x4009,
	0x400A };
static const cl_uint amd_keys[] = { 0x4036, 0x4037, 0x4038, 0x4039, 0x4040, 0x4041, 0x4042, 0x4043, 0x4044, 0x4045,
	0x4046, 0x4047, 0x4048, 0x4049, 0x404A };

static bool device_lists(const struct tap_opencl_api *real, cl_device_id device, const char *extension, char *room)
{
	size_t bytes = 0;

	if (real->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, ANSWER - 1, room, &bytes) != CL_SUCCESS ||
		bytes >= ANSWER)
		return false;
	room[bytes] = 0;
	return strstr(room, extension);
}

static void device_extras(const struct tap_opencl_api *real, cl_device_id device, struct tap_cl_facts *f, void *room)
{
	ask_fn ask = (ask_fn)real->clGetDeviceInfo;

	if (device_lists(real, device, "cl_khr_device_uuid", room)) {
		add_answer(f, ask, device, DEVICE_UUID_KHR, room);
		add_answer(f, ask, device, DRIVER_UUID_KHR, room);
	}
	if (device_lists(real, device, "cl_khr_pci_bus_info", room))
		add_answer(f, ask, device, DEVICE_PCI_BUS_INFO_KHR, room);
	if (device_lists(real, device, "cl_nv_device_attribute_query", room))
		add_answers(f, ask, device, nv_keys, sizeof nv_keys / sizeof *nv_keys, room);
	if (device_lists(real, device, "cl_amd_device_attribute_query", room))
		add_answers(f, ask, device, amd_keys, sizeof amd_keys / sizeof *amd_keys, room);
}

/* Commands can go on after their end only where kernels enqueue kernels. */
static bool enqueues_itself(const struct tap_opencl_api *real, cl_device_id device)
{
	cl_command_queue_properties on_device = 0;

	return real->clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, sizeof on_device, &on_device,
		       NULL) == CL_SUCCESS &&
		on_device;
}

static void find_suggest(struct tap_cl_device *d, cl_device_id device, char *room)
{
	const struct tap_opencl_api *real = d->real;

	if (!real->clGetExtensionFunctionAddressForPlatform || !tap_cl_platform_has(real, d->platform, 1, 2))
		return;
	if (device_lists(real, device, "cl_khr_suggested_local_work_size", room))
		d->suggest = real->clGetExtensionFunctionAddressForPlatform(
			d->platform, "clGetKernelSuggestedLocalWorkSizeKHR");
	if (!d->suggest && device_lists(real, device, "cl_intel_required_subgroup_size", room))
		d->suggest = real->clGetExtensionFunctionAddressForPlatform(
			d->platform, "clGetKernelSuggestedLocalWorkSizeINTEL");
}

/* A new table entry learns what the hot paths need to know; facts and clock follow with device_define. */
static void device_learn(struct tap_cl_device *d, const struct tap_opencl_api *real, cl_device_id device)
{
	d->real = real;
	d->clock = 0;
	d->asks_complete = enqueues_itself(real, device);
	if (real->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(d->platform), &d->platform, NULL) != CL_SUCCESS)
		d->platform = NULL;
}

/* Its library was unloaded; this one leads to the same driver. */
static void device_learn_again(struct tap_cl_device *d, const struct tap_opencl_api *real, cl_device_id device)
{
	void *room = tap_cl_pages(ANSWER);

	d->real = real;
	if (!room)
		return;
	find_suggest(d, device, room);
	tap_cl_pages_free(room, ANSWER);
}

struct tap_cl_device *tap_cl_device_get(const struct tap_opencl_api *real, cl_device_id device)
{
	for (uint32_t i = 0; i < DEVICES; i++) {
		cl_device_id none = NULL;

		if (atomic_load_explicit(&devices[i].handle, memory_order_acquire) == device) {
			if (unlikely(!devices[i].real))
				device_learn_again(&devices[i], real, device);
			return &devices[i];
		}
		if (!atomic_load(&devices[i].handle) &&
			atomic_compare_exchange_strong(&devices[i].handle, &none, device)) {
			device_learn(&devices[i], real, device);
			return &devices[i];
		}
		if (none == device)
			return &devices[i];
	}
	return &spare;
}

static void device_define(struct tap_cl_device *d)
{
	cl_device_id device = atomic_load(&d->handle);
	struct tap_cl_facts f;
	void *room;

	if (d == &spare || atomic_exchange(&d->defined, 1))
		return;
	room = tap_cl_pages(ANSWER);
	if (!room)
		return;
	tap_own_calls_begin();
	platform_define(d->real, d->platform, room);
	find_suggest(d, device, room);
	if (tap_cl_facts_open(&f, REC_OBJECT_DEVICE, device)) {
		if (!d->clock && tap_options.device_times)
			tap_cl_clock_open(d);
		tap_cl_facts_u64(&f, REC_ATTR_PLATFORM, (uintptr_t)d->platform);
		tap_cl_facts_u32(&f, REC_ATTR_CLOCK, d->clock);
		add_answers(&f, (ask_fn)d->real->clGetDeviceInfo, device, device_keys,
			sizeof device_keys / sizeof *device_keys, room);
		device_extras(d->real, device, &f, room);
		tap_cl_facts_close(&f);
	}
	tap_own_calls_end();
	tap_cl_pages_free(room, ANSWER);
}

/* The child of a fork writes a trace of its own: everything is new to it. */
void tap_cl_define_forget(void)
{
	for (uint32_t i = 0; i < DEVICES; i++)
		atomic_store(&devices[i].defined, 0);
	for (uint32_t i = 0; i < 64; i++)
		atomic_store(&platforms[i], NULL);
	tap_cl_kernels_forget();
}

/* ------------------------------------------------------------------ contexts, queues */

static void context_define(const struct tap_opencl_api *real, cl_context context)
{
	static const cl_uint keys[] = { CL_CONTEXT_DEVICES, CL_CONTEXT_PROPERTIES };
	void *room = context ? tap_cl_pages(ANSWER) : NULL;
	struct tap_cl_facts f;
	size_t bytes = 0;

	if (!room)
		return;
	tap_own_calls_begin();
	if (real->clGetContextInfo(context, CL_CONTEXT_DEVICES, ANSWER, room, &bytes) == CL_SUCCESS)
		for (size_t i = 0; i < bytes / sizeof(cl_device_id); i++)
			device_define(tap_cl_device_get(real, ((cl_device_id *)room)[i]));
	if (tap_cl_facts_open(&f, REC_OBJECT_CONTEXT, context)) {
		add_answers(&f, (ask_fn)real->clGetContextInfo, context, keys, sizeof keys / sizeof *keys, room);
		tap_cl_facts_close(&f);
	}
	tap_own_calls_end();
	tap_cl_pages_free(room, ANSWER);
}

void tap_cl_post_clCreateContext(const struct tap_opencl_api *real, const struct tap_call *call, cl_context ret,
	const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devs,
	void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *), void *user_data, cl_int *errcode_ret)
{
	(void)call, (void)properties, (void)num_devices, (void)devs, (void)pfn_notify, (void)user_data,
		(void)errcode_ret;
	context_define(real, ret);
}

void tap_cl_post_clCreateContextFromType(const struct tap_opencl_api *real, const struct tap_call *call, cl_context ret,
	const cl_context_properties *properties, cl_device_type device_type,
	void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *), void *user_data, cl_int *errcode_ret)
{
	(void)call, (void)properties, (void)device_type, (void)pfn_notify, (void)user_data, (void)errcode_ret;
	context_define(real, ret);
}

void tap_cl_queue_define(struct tap_cl_queue *q)
{
	cl_command_queue handle = atomic_load(&q->handle);
	cl_command_queue_properties properties = q->app_profiles ? CL_QUEUE_PROFILING_ENABLE : 0;
	struct tap_cl_facts f;

	device_define(q->device);
	if (q->out_of_order)
		properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	if (!handle || !tap_cl_facts_open(&f, REC_OBJECT_QUEUE, handle))
		return;
	tap_cl_facts_u64(&f, REC_ATTR_DEVICE, (uintptr_t)atomic_load(&q->device->handle));
	tap_cl_facts_u64(&f, REC_ATTR_CONTEXT, (uintptr_t)q->context);
	tap_cl_facts_u32(&f, REC_ATTR_PROFILED, q->profiled);
	tap_cl_facts_u64(&f, CL_QUEUE_PROPERTIES, properties);
	tap_cl_facts_close(&f);
}

/* ----------------------------------------------------------- images and pipes: their bytes are nowhere in the call */

static void image_define(const struct tap_opencl_api *real, cl_mem mem, cl_context context)
{
	static const cl_uint keys[] = { CL_MEM_TYPE, CL_MEM_FLAGS, CL_MEM_SIZE };
	uint64_t room[2];
	struct tap_cl_facts f;

	if (!mem || !tap_cl_facts_open(&f, REC_OBJECT_MEM, mem))
		return;
	tap_own_calls_begin();
	tap_cl_facts_u64(&f, REC_ATTR_CONTEXT, (uintptr_t)context);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t bytes = 0;

		if (real->clGetMemObjectInfo(mem, keys[i], sizeof room, room, &bytes) == CL_SUCCESS &&
			bytes <= sizeof room)
			tap_cl_facts_add(&f, keys[i], room, bytes);
	}
	tap_cl_facts_close(&f);
	tap_own_calls_end();
}

void tap_cl_post_clCreateImage(const struct tap_opencl_api *real, const struct tap_call *call, cl_mem ret,
	cl_context context, cl_mem_flags flags, const cl_image_format *image_format, const cl_image_desc *image_desc,
	void *host_ptr, cl_int *errcode_ret)
{
	(void)call, (void)flags, (void)image_format, (void)image_desc, (void)host_ptr, (void)errcode_ret;
	image_define(real, ret, context);
}

void tap_cl_post_clCreateImageWithProperties(const struct tap_opencl_api *real, const struct tap_call *call, cl_mem ret,
	cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
	const cl_image_format *image_format, const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
	(void)call, (void)properties, (void)flags, (void)image_format, (void)image_desc, (void)host_ptr,
		(void)errcode_ret;
	image_define(real, ret, context);
}

void tap_cl_post_clCreateImage2D(const struct tap_opencl_api *real, const struct tap_call *call, cl_mem ret,
	cl_context context, cl_mem_flags flags, const cl_image_format *image_format, size_t image_width,
	size_t image_height, size_t image_row_pitch, void *host_ptr, cl_int *errcode_ret)
{
	(void)call, (void)flags, (void)image_format, (void)image_width, (void)image_height, (void)image_row_pitch,
		(void)host_ptr, (void)errcode_ret;
	image_define(real, ret, context);
}

void tap_cl_post_clCreateImage3D(const struct tap_opencl_api *real, const struct tap_call *call, cl_mem ret,
	cl_context context, cl_mem_flags flags, const cl_image_format *image_format, size_t image_width,
	size_t image_height, size_t image_depth, size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
	cl_int *errcode_ret)
{
	(void)call, (void)flags, (void)image_format, (void)image_width, (void)image_height, (void)image_depth,
		(void)image_row_pitch, (void)image_slice_pitch, (void)host_ptr, (void)errcode_ret;
	image_define(real, ret, context);
}

void tap_cl_post_clCreatePipe(const struct tap_opencl_api *real, const struct tap_call *call, cl_mem ret,
	cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
	const cl_pipe_properties *properties, cl_int *errcode_ret)
{
	(void)call, (void)flags, (void)pipe_packet_size, (void)pipe_max_packets, (void)properties, (void)errcode_ret;
	image_define(real, ret, context);
}
