/*
 * tests/fakecl/info.c - what can be asked about platforms, devices and objects
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakecl.h"
#include "api.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *const versions[] = { "3.0", "2.2", "2.1", "2.0", "1.2", "1.1", "1.0" };
static const char extensions[] = "cl_khr_icd cl_khr_device_uuid cl_khr_pci_bus_info cl_khr_suggested_local_work_size "
		                 "cl_khr_create_command_queue "
				 "cl_intel_unified_shared_memory cl_khr_command_buffer";

#define TEXT(s) fk_answer(room, out, ret, (s), strlen(s) + 1)
#define VALUE(type, v) fk_answer(room, out, ret, (const type[1]){ v }, sizeof(type))

static cl_version number_of(int version)
{
	return CL_MAKE_VERSION((cl_version)(versions[version][0] - '0'), (cl_version)(versions[version][2] - '0'), 0);
}

cl_int CL_API_CALL fk_clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t room, void *out, size_t *ret)
{
	char text[64];

	if (!fk_is(p, FK_PLATFORM))
		return CL_INVALID_PLATFORM;
	switch (what) {
	case CL_PLATFORM_PROFILE: return TEXT("FULL_PROFILE");
	case CL_PLATFORM_VERSION:
		snprintf(text, sizeof text, "OpenCL %s gputap stand-in", versions[p->version]);
		return TEXT(text);
	case CL_PLATFORM_NAME: snprintf(text, sizeof text, "gputap stand-in %d", p->index); return TEXT(text);
	case CL_PLATFORM_VENDOR: return TEXT("gputap stand-in");
	case CL_PLATFORM_EXTENSIONS: return TEXT(extensions);
	case CL_PLATFORM_ICD_SUFFIX_KHR: return TEXT("FAKE");
	case CL_PLATFORM_HOST_TIMER_RESOLUTION:
		return p->version <= 2 ? VALUE(cl_ulong, fk_fault("no-timers", NULL) ? 0 : 1) : CL_INVALID_VALUE;
	case CL_PLATFORM_NUMERIC_VERSION: return p->version == 0 ? VALUE(cl_version, number_of(0)) : CL_INVALID_VALUE;
	default: return CL_INVALID_VALUE;
	}
}

static cl_int versioned_extensions(size_t room, void *out, size_t *ret)
{
	cl_name_version list[16];
	unsigned n = 0;
	long patch = 0;

	fk_fault("command-buffers", &patch);
	memset(list, 0, sizeof list);
	for (const char *e = extensions; *e && n < 16; n++) {
		size_t bytes = strcspn(e, " ");

		list[n].version = CL_MAKE_VERSION(1, 0, 0);
		if (bytes == 21 && !strncmp(e, "cl_khr_command_buffer", 21))
			list[n].version = CL_MAKE_VERSION(0, 9, (cl_version)patch);
		snprintf(list[n].name, sizeof list[n].name, "%.*s", (int)bytes, e);
		e += bytes + (e[bytes] == ' ');
	}
	return fk_answer(room, out, ret, list, n * sizeof *list);
}

cl_int CL_API_CALL fk_clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t room, void *out, size_t *ret)
{
	char text[64];
	size_t sizes[3] = { 1024, 1024, 64 };

	if (!fk_is(d, FK_DEVICE))
		return CL_INVALID_DEVICE;
	if (fk_fault("info-signals", NULL))
		raise(SIGUSR1);
	switch (what) {
	case CL_DEVICE_TYPE: return VALUE(cl_device_type, d->cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU);
	case CL_DEVICE_VENDOR_ID: return VALUE(cl_uint, 0xfade);
	case CL_DEVICE_MAX_COMPUTE_UNITS: return VALUE(cl_uint, d->cpu ? 4 : 16);
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: return VALUE(cl_uint, 3);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE: return VALUE(size_t, 1024);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES: return fk_answer(room, out, ret, sizes, sizeof sizes);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY: return VALUE(cl_uint, 1000);
	case CL_DEVICE_ADDRESS_BITS: return VALUE(cl_uint, 64);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return VALUE(cl_ulong, 1u << 30);
	case CL_DEVICE_GLOBAL_MEM_SIZE: return VALUE(cl_ulong, 4ull << 30);
	case CL_DEVICE_LOCAL_MEM_SIZE: return VALUE(cl_ulong, 65536);
	case CL_DEVICE_LOCAL_MEM_TYPE: return VALUE(cl_device_local_mem_type, CL_LOCAL);
	case CL_DEVICE_IMAGE_SUPPORT:
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_ENDIAN_LITTLE:
	case CL_DEVICE_LINKER_AVAILABLE: return VALUE(cl_bool, CL_TRUE);
	case CL_DEVICE_ERROR_CORRECTION_SUPPORT: case CL_DEVICE_HOST_UNIFIED_MEMORY: return VALUE(cl_bool, CL_FALSE);
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION: return VALUE(size_t, 1);
	case CL_DEVICE_EXECUTION_CAPABILITIES:
		return VALUE(cl_device_exec_capabilities, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
	case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
		return VALUE(cl_command_queue_properties,
			CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
	case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
		return d->platform->version <= 3 ? VALUE(cl_command_queue_properties, 0) : CL_INVALID_VALUE;
	case CL_DEVICE_NAME:
		snprintf(text, sizeof text, "gputap stand-in %s %d", d->cpu ? "CPU" : "GPU", d->index);
		return TEXT(text);
	case CL_DEVICE_VENDOR: return TEXT("gputap stand-in");
	case CL_DRIVER_VERSION: return TEXT("1.0");
	case CL_DEVICE_PROFILE: return TEXT("FULL_PROFILE");
	case CL_DEVICE_VERSION:
		snprintf(text, sizeof text, "OpenCL %s gputap stand-in", versions[d->platform->version]);
		return TEXT(text);
	case CL_DEVICE_OPENCL_C_VERSION: return TEXT("OpenCL C 1.2 gputap stand-in");
	case CL_DEVICE_EXTENSIONS: return TEXT(extensions);
	case CL_DEVICE_EXTENSIONS_WITH_VERSION:
		return d->platform->version == 0 ? versioned_extensions(room, out, ret) : CL_INVALID_VALUE;
	case CL_DEVICE_NUMERIC_VERSION:
		return d->platform->version == 0 ? VALUE(cl_version, number_of(0)) : CL_INVALID_VALUE;
	case CL_DEVICE_PLATFORM: return VALUE(cl_platform_id, d->platform);
	case CL_DEVICE_BUILT_IN_KERNELS: return TEXT("");
	case CL_DEVICE_PARENT_DEVICE: return VALUE(cl_device_id, d->parent);
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return VALUE(cl_uint, 2);
	case CL_DEVICE_REFERENCE_COUNT: return VALUE(cl_uint, (cl_uint)d->o.refs);
	case CL_DEVICE_UUID_KHR: {
		cl_uchar uuid[CL_UUID_SIZE_KHR] = { 'g', 'p', 'u', 't', 'a', 'p', 'f', 'a', 'k', 'e' };

		uuid[15] = (cl_uchar)d->index;  /* the same physical device whatever the platform */
		return fk_answer(room, out, ret, uuid, sizeof uuid);
	}
	case CL_DEVICE_PCI_BUS_INFO_KHR: {
		const cl_uint place[4] = { 0, 0x41 + (cl_uint)d->index, 0, 0 };  /* domain, bus, device, function */

		return d->cpu ? CL_INVALID_VALUE : fk_answer(room, out, ret, place, sizeof place);
	}
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetContextInfo(cl_context c, cl_context_info what, size_t room, void *out, size_t *ret)
{
	if (!fk_is(c, FK_CONTEXT))
		return CL_INVALID_CONTEXT;
	switch (what) {
	case CL_CONTEXT_REFERENCE_COUNT: return VALUE(cl_uint, (cl_uint)c->o.refs);
	case CL_CONTEXT_NUM_DEVICES: return VALUE(cl_uint, c->n_devices);
	case CL_CONTEXT_DEVICES: return fk_answer(room, out, ret, c->devices, c->n_devices * sizeof c->devices[0]);
	case CL_CONTEXT_PROPERTIES:
		return fk_answer(room, out, ret, c->properties, c->n_properties * sizeof c->properties[0]);
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetCommandQueueInfo(
	cl_command_queue q, cl_command_queue_info what, size_t room, void *out, size_t *ret)
{
	if (!fk_is(q, FK_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (what) {
	case CL_QUEUE_CONTEXT: return VALUE(cl_context, q->context);
	case CL_QUEUE_DEVICE: return VALUE(cl_device_id, q->device);
	case CL_QUEUE_REFERENCE_COUNT: return VALUE(cl_uint, (cl_uint)q->o.refs);
	case CL_QUEUE_PROPERTIES: return VALUE(cl_command_queue_properties, q->properties);
	case CL_QUEUE_PROPERTIES_ARRAY:
		return q->device->platform->version ? CL_INVALID_VALUE
						    : fk_answer(room, out, ret, q->list, q->n_list * sizeof q->list[0]);
	case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE;
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetMemObjectInfo(cl_mem m, cl_mem_info what, size_t room, void *out, size_t *ret)
{
	if (!fk_is(m, FK_MEM))
		return CL_INVALID_MEM_OBJECT;
	switch (what) {
	case CL_MEM_TYPE: return VALUE(cl_mem_object_type, m->type);
	case CL_MEM_FLAGS: return VALUE(cl_mem_flags, m->flags);
	case CL_MEM_SIZE: return VALUE(size_t, m->size);
	case CL_MEM_HOST_PTR: return VALUE(void *, m->flags & CL_MEM_USE_HOST_PTR ? m->host : NULL);
	case CL_MEM_MAP_COUNT: return VALUE(cl_uint, m->maps);
	case CL_MEM_REFERENCE_COUNT: return VALUE(cl_uint, (cl_uint)m->o.refs);
	case CL_MEM_CONTEXT: return VALUE(cl_context, m->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT: return VALUE(cl_mem, m->parent);
	case CL_MEM_OFFSET: return VALUE(size_t, m->origin);
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetImageInfo(cl_mem m, cl_image_info what, size_t room, void *out, size_t *ret)
{
	if (!fk_is(m, FK_MEM) || m->type == CL_MEM_OBJECT_BUFFER)
		return CL_INVALID_MEM_OBJECT;
	switch (what) {
	case CL_IMAGE_FORMAT: return VALUE(cl_image_format, m->format);
	case CL_IMAGE_ELEMENT_SIZE: return VALUE(size_t, 4);
	case CL_IMAGE_WIDTH: return VALUE(size_t, m->desc.image_width);
	case CL_IMAGE_HEIGHT: return VALUE(size_t, m->desc.image_height);
	case CL_IMAGE_DEPTH: return VALUE(size_t, m->desc.image_depth);
	case CL_IMAGE_ROW_PITCH: return VALUE(size_t, 4 * m->desc.image_width);
	case CL_IMAGE_SLICE_PITCH: return VALUE(size_t, 0);
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetEventInfo(cl_event e, cl_event_info what, size_t room, void *out, size_t *ret)
{
	cl_int rc;

	if (!fk_is(e, FK_EVENT))
		return CL_INVALID_EVENT;
	LOCK();
	switch (what) {
	case CL_EVENT_COMMAND_QUEUE: rc = VALUE(cl_command_queue, e->queue); break;
	case CL_EVENT_CONTEXT: rc = VALUE(cl_context, e->context); break;
	case CL_EVENT_COMMAND_TYPE: rc = VALUE(cl_command_type, e->type); break;
	case CL_EVENT_REFERENCE_COUNT: rc = VALUE(cl_uint, (cl_uint)e->o.refs); break;
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		if (fk_fault("write-late", NULL))
			fk_pump();
		if (e->queue && !e->flushed)
			fk_counts.unflushed_queries++;
		rc = VALUE(cl_int, e->status);
		break;
	default: rc = CL_INVALID_VALUE;
	}
	UNLOCK();
	return rc;
}

cl_int CL_API_CALL fk_clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t room, void *out, size_t *ret)
{
	cl_ulong time[5];
	long late = 0;

	if (!fk_is(e, FK_EVENT))
		return CL_INVALID_EVENT;
	/* PoCL's order: what cannot be had is said first, of a wrong name too. */
	if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_COMPLETE)
		return CL_INVALID_VALUE;
	fk_counts.profiling_queries++;
	if (e->queue && !e->flushed)
		fk_counts.unflushed_queries++;
	if (fk_fault("write-late", NULL)) {
		LOCK();
		fk_pump();
		UNLOCK();
	}
	if (e->status != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	if (fk_fault("profiling-late", &late) && __atomic_add_fetch(&e->profiling_queries, 1, __ATOMIC_RELAXED) <= late)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	memcpy(time, e->time, sizeof time);
	if (fk_fault("profiling-zero", NULL))
		memset(time, 0, sizeof time);
	if (fk_fault("profiling-reversed", NULL)) {
		time[2] = e->time[3] + 1000;
		time[3] = e->time[2];
	}
	for (cl_ulong i = 0; fk_fault("profiling-counts", NULL) && i < 5; i++)
		time[i] = i < 4 ? i : 3;
	if ((e->type == CL_COMMAND_MARKER || e->type == CL_COMMAND_BARRIER) && fk_fault("marker-queued-zero", NULL))
		time[0] = 0;
	if (fk_fault("profiling-glued", NULL))
		time[1] = time[3] + 5000;
	if (fk_fault("profiling-untouched", NULL))
		return CL_SUCCESS;
	return VALUE(cl_ulong, time[what - CL_PROFILING_COMMAND_QUEUED]);
}

cl_int CL_API_CALL fk_clGetSamplerInfo(cl_sampler s, cl_sampler_info what, size_t room, void *out, size_t *ret)
{
	if (!fk_is(s, FK_SAMPLER))
		return CL_INVALID_SAMPLER;
	return what == CL_SAMPLER_REFERENCE_COUNT ? VALUE(cl_uint, (cl_uint)s->o.refs)
		: what == CL_SAMPLER_CONTEXT      ? VALUE(cl_context, s->context)
						  : CL_INVALID_VALUE;
}

cl_int CL_API_CALL fk_clGetProgramInfo(cl_program p, cl_program_info what, size_t room, void *out, size_t *ret)
{
	char names[2100] = "", binary[64] = "FAKE";
	size_t binaries[8];

	if (!fk_is(p, FK_PROGRAM))
		return CL_INVALID_PROGRAM;
	switch (what) {
	case CL_PROGRAM_REFERENCE_COUNT: return VALUE(cl_uint, (cl_uint)p->o.refs);
	case CL_PROGRAM_CONTEXT: return VALUE(cl_context, p->context);
	case CL_PROGRAM_NUM_DEVICES: return VALUE(cl_uint, p->context->n_devices);
	case CL_PROGRAM_DEVICES:
		return fk_answer(room, out, ret, p->context->devices, p->context->n_devices * sizeof(cl_device_id));
	case CL_PROGRAM_SOURCE: return TEXT(p->source ? p->source : "");
	case CL_PROGRAM_BINARY_SIZES:
		for (cl_uint i = 0; i < p->context->n_devices; i++)
			binaries[i] = sizeof binary;
		return fk_answer(room, out, ret, binaries, p->context->n_devices * sizeof binaries[0]);
	case CL_PROGRAM_BINARIES:
		for (cl_uint i = 0; out && i < p->context->n_devices; i++)
			if (((char **)out)[i])
				memcpy(((char **)out)[i], binary, sizeof binary);
		if (ret)
			*ret = p->context->n_devices * sizeof(char *);
		return CL_SUCCESS;
	case CL_PROGRAM_NUM_KERNELS:
		return p->built == CL_BUILD_SUCCESS ? VALUE(size_t, p->n_kernels) : CL_INVALID_PROGRAM_EXECUTABLE;
	case CL_PROGRAM_KERNEL_NAMES:
		for (cl_uint i = 0; i < p->n_kernels; i++)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ";" : "",
				p->kernels[i]);
		return TEXT(names);
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetProgramBuildInfo(
	cl_program p, cl_device_id d, cl_program_build_info what, size_t room, void *out, size_t *ret)
{
	(void)d;
	if (!fk_is(p, FK_PROGRAM))
		return CL_INVALID_PROGRAM;
	switch (what) {
	case CL_PROGRAM_BUILD_STATUS: return VALUE(cl_build_status, p->built);
	case CL_PROGRAM_BUILD_OPTIONS: return TEXT(p->options);
	case CL_PROGRAM_BUILD_LOG:
		return TEXT(p->built == CL_BUILD_ERROR ? "gputap stand-in: error: no program\n" :
			"gputap stand-in: nothing is compiled\n");
	case CL_PROGRAM_BINARY_TYPE: return VALUE(cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t room, void *out, size_t *ret)
{
	if (!fk_is(k, FK_KERNEL))
		return CL_INVALID_KERNEL;
	switch (what) {
	case CL_KERNEL_FUNCTION_NAME: return TEXT(k->name);
	case CL_KERNEL_NUM_ARGS: return VALUE(cl_uint, k->arguments);
	case CL_KERNEL_REFERENCE_COUNT: return VALUE(cl_uint, (cl_uint)k->o.refs);
	case CL_KERNEL_CONTEXT: return VALUE(cl_context, k->program->context);
	case CL_KERNEL_PROGRAM: return VALUE(cl_program, k->program);
	case CL_KERNEL_ATTRIBUTES: return TEXT("");
	default: return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL fk_clGetKernelWorkGroupInfo(
	cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t room, void *out, size_t *ret)
{
	size_t none[3] = { 0 }, required[3] = { 8, 4, 1 };

	(void)d;
	if (!fk_is(k, FK_KERNEL))
		return CL_INVALID_KERNEL;
	switch (what) {
	case CL_KERNEL_WORK_GROUP_SIZE: return VALUE(size_t, 1024);
	/* A kernel whose name ends in _reqd has a required work-group size. */
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		return fk_answer(room, out, ret, strstr(k->name, "_reqd") ? required : none, sizeof none);
	case CL_KERNEL_LOCAL_MEM_SIZE: return VALUE(cl_ulong, (fk_fault("as-built", NULL) ? 0 : 256) + k->local);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return VALUE(size_t, 32);
	case CL_KERNEL_PRIVATE_MEM_SIZE: return VALUE(cl_ulong, strstr(k->name, "bad_OpenCLPrivate") ? 4096 : 48);
	default: return CL_INVALID_VALUE;
	}
}
