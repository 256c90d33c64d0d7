/*
 * tests/fakecl/icd.c - platforms, devices, and how the loader and applications find functions
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakecl.h"
#include "api.h"
#include "witness.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { MOST_PLATFORMS = 7, MOST_DEVICES = 4 };
static struct _cl_platform_id platforms[MOST_PLATFORMS];
static struct _cl_device_id devices[MOST_PLATFORMS][MOST_DEVICES];
static int n_platforms, n_devices;
static void count_extensions(void);

/* The first function that a table of each version (3.0 2.2 2.1 2.0 1.2 1.1 1.0) does not have any more. */
static const size_t table_ends[MOST_PLATFORMS] = {
	sizeof(cl_icd_dispatch),
	offsetof(cl_icd_dispatch, clCreateBufferWithProperties),
	offsetof(cl_icd_dispatch, clSetProgramReleaseCallback),
	offsetof(cl_icd_dispatch, clCloneKernel),
	offsetof(cl_icd_dispatch, clCreateCommandQueueWithProperties),
	offsetof(cl_icd_dispatch, clCreateSubDevices),
	offsetof(cl_icd_dispatch, clSetEventCallback),
};

static int number(const char *name, int otherwise, int most)
{
	const char *text = getenv(name);
	int n = text ? atoi(text) : otherwise;

	return n < 0 ? 0 : n > most ? most : n;
}

/* The table that platforms begin with: with FAKECL_COUNTS each function has a stub that counts in its place. */
static cl_icd_dispatch counted(void)
{
	cl_icd_dispatch table = fk_full_dispatch;

	if (!getenv("FAKECL_COUNTS"))
		return table;
	witness_open("FAKECL_COUNTS");
	for (const struct fk_place *p = fk_places; p->name; p++) {
		void **at = (void **)((char *)&table + p->offset);

		*at = witness_stub(witness_place(p->name, *at));
	}
	count_extensions();
	return table;
}

static void start(void)
{
	cl_icd_dispatch table = counted();

	n_platforms = number("FAKECL_PLATFORMS", 1, MOST_PLATFORMS);
	n_devices = number("FAKECL_DEVICES", 2, MOST_DEVICES);
	for (int p = 0; p < n_platforms; p++) {
		struct _cl_platform_id *platform = &platforms[p];

		platform->table = table;
		memset((char *)&platform->table + table_ends[p], 0, sizeof platform->table - table_ends[p]);
		platform->o = (struct fk_object){ &platform->table, FK_PLATFORM, 1, NULL };
		platform->index = platform->version = p;
		for (int d = 0; d < n_devices; d++)
			devices[p][d] = (struct _cl_device_id){ { &platform->table, FK_DEVICE, 1, NULL }, platform, d,
				d == 1 || fk_fault("as-built", NULL), NULL };
	}
}

static void started(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
}

cl_int CL_API_CALL fk_clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *n)
{
	started();
	if ((out && !room) || (!out && !n))
		return CL_INVALID_VALUE;
	for (int p = 0; out && p < n_platforms && p < (int)room; p++)
		out[p] = &platforms[p];
	if (n)
		*n = (cl_uint)n_platforms;
	return n_platforms ? CL_SUCCESS : CL_PLATFORM_NOT_FOUND_KHR;
}

cl_int CL_API_CALL fk_clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id *out, cl_uint *n)
{
	cl_uint found = 0;

	if (!fk_is(p, FK_PLATFORM))
		return CL_INVALID_PLATFORM;
	if ((out && !room) || (!out && !n))
		return CL_INVALID_VALUE;
	for (int d = 0; d < n_devices; d++) {
		cl_device_type own = devices[p->index][d].cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;

		if (!(type & own) && !(type & CL_DEVICE_TYPE_DEFAULT && d == 0))
			continue;
		if (out && found < room)
			out[found] = &devices[p->index][d];
		found++;
	}
	if (n)
		*n = found;
	return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_context CL_API_CALL fk_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *err)
{
	cl_device_id list[MOST_DEVICES];
	cl_platform_id platform = &platforms[0];
	cl_uint n;
	cl_int rc;

	started();
	for (const cl_context_properties *p = properties; p && *p; p += 2)
		if (*p == CL_CONTEXT_PLATFORM)
			platform = (cl_platform_id)p[1];
	rc = fk_clGetDeviceIDs(platform, type, MOST_DEVICES, list, &n);
	if (rc) {
		SET(err, rc);
		return NULL;
	}
	return fk_clCreateContext(properties, n, list, notify, user, err);
}

/* -------------------------------------------------------------- extensions */

static cl_int CL_API_CALL suggested(
	cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global, size_t *out)
{
	(void)offset;
	if (!fk_is(q, FK_QUEUE) || !fk_is(k, FK_KERNEL) || !dims || dims > 3 || !global)
		return CL_INVALID_VALUE;
	if (fk_fault("as-built", NULL))
		return CL_INVALID_OPERATION;
	for (cl_uint d = 0; d < dims; d++)
		out[d] = d == 0 ? global[d] % 64 ? 1 : 64 : 1;
	return CL_SUCCESS;
}

struct usm { size_t size; cl_unified_shared_memory_type_intel type; };

static void *usm_new(cl_context c, size_t size, cl_unified_shared_memory_type_intel type, cl_int *err)
{
	struct usm *u;

	if (!fk_is(c, FK_CONTEXT) || !size) {
		SET(err, size ? CL_INVALID_CONTEXT : CL_INVALID_BUFFER_SIZE);
		return NULL;
	}
	u = calloc(1, sizeof *u + size);
	*u = (struct usm){ size, type };
	SET(err, CL_SUCCESS);
	return u + 1;
}

static void *CL_API_CALL usm_host(
	cl_context c, const cl_mem_properties_intel *p, size_t size, cl_uint align, cl_int *err)
{
	(void)p; (void)align;
	return usm_new(c, size, CL_MEM_TYPE_HOST_INTEL, err);
}

static void *CL_API_CALL usm_device(
	cl_context c, cl_device_id d, const cl_mem_properties_intel *p, size_t size, cl_uint align, cl_int *err)
{
	(void)d; (void)p; (void)align;
	return usm_new(c, size, CL_MEM_TYPE_DEVICE_INTEL, err);
}

static void *CL_API_CALL usm_shared(
	cl_context c, cl_device_id d, const cl_mem_properties_intel *p, size_t size, cl_uint align, cl_int *err)
{
	(void)d; (void)p; (void)align;
	return usm_new(c, size, CL_MEM_TYPE_SHARED_INTEL, err);
}

static cl_int CL_API_CALL usm_free(cl_context c, void *p)
{
	(void)c;
	free(p ? (struct usm *)p - 1 : NULL);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL usm_info(
	cl_context c, const void *p, cl_mem_info_intel what, size_t room, void *out, size_t *ret)
{
	const struct usm *u = (const struct usm *)p - 1;

	(void)c;
	switch (what) {
	case CL_MEM_ALLOC_TYPE_INTEL: return fk_answer(room, out, ret, &u->type, sizeof u->type);
	case CL_MEM_ALLOC_SIZE_INTEL: return fk_answer(room, out, ret, &u->size, sizeof u->size);
	case CL_MEM_ALLOC_BASE_PTR_INTEL: return fk_answer(room, out, ret, &p, sizeof p);
	default: return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL usm_memcpy(cl_command_queue q, cl_bool block, void *dst, const void *src, size_t size,
	cl_uint n, const cl_event *w, cl_event *e)
{
	return fk_clEnqueueSVMMemcpy(q, block, dst, src, size, n, w, e);
}

static cl_int CL_API_CALL usm_memfill(cl_command_queue q, void *p, const void *pattern, size_t bytes, size_t size,
	cl_uint n, const cl_event *w, cl_event *e)
{
	return fk_clEnqueueSVMMemFill(q, p, pattern, bytes, size, n, w, e);
}

static cl_int CL_API_CALL usm_migrate(cl_command_queue q, const void *p, size_t size, cl_mem_migration_flags flags,
	cl_uint n, const cl_event *w, cl_event *e)
{
	(void)p; (void)size; (void)flags;
	return fk_enqueue(q, CL_COMMAND_MIGRATEMEM_INTEL, n, w, e, &(struct fk_command){ 0 }, false);
}

static cl_int CL_API_CALL usm_advise(cl_command_queue q, const void *p, size_t size, cl_mem_advice_intel advice,
	cl_uint n, const cl_event *w, cl_event *e)
{
	(void)p; (void)size; (void)advice;
	return fk_enqueue(q, CL_COMMAND_MEMADVISE_INTEL, n, w, e, &(struct fk_command){ 0 }, false);
}

/* A command buffer of the provisional version 0.9.0: it counts its commands and runs them as one. */
static cl_command_buffer_khr CL_API_CALL buffer_new(
	cl_uint n, const cl_command_queue *queues, const cl_command_buffer_properties_khr *p, cl_int *err)
{
	cl_command_buffer_khr b;

	(void)p;
	if (n != 1 || !fk_is(queues[0], FK_QUEUE)) {
		SET(err, CL_INVALID_VALUE);
		return NULL;
	}
	b = fk_new(FK_COMMAND_BUFFER, queues[0]->device->platform);
	LOCK();
	queues[0]->o.refs++;
	UNLOCK();
	b->queue = queues[0];
	SET(err, CL_SUCCESS);
	return b;
}

static cl_int CL_API_CALL buffer_finalize(cl_command_buffer_khr b)
{
	b->final = true;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL buffer_retain(cl_command_buffer_khr b)
{
	LOCK();
	b->o.refs++;
	UNLOCK();
	return CL_SUCCESS;
}

static cl_int CL_API_CALL buffer_release(cl_command_buffer_khr b)
{
	LOCK();
	fk_unref(b);
	UNLOCK();
	return CL_SUCCESS;
}

static cl_int CL_API_CALL buffer_kernel(cl_command_buffer_khr b, cl_command_queue q,
	const cl_ndrange_kernel_command_properties_khr *p, cl_kernel k, cl_uint dims, const size_t *offset,
	const size_t *global, const size_t *local, cl_uint n, const cl_sync_point_khr *w, cl_sync_point_khr *s,
	cl_mutable_command_khr *m)
{
	(void)q; (void)p; (void)k; (void)dims; (void)offset; (void)global; (void)local; (void)n; (void)w; (void)m;
	b->n++;
	if (s)
		*s = b->n;
	return CL_SUCCESS;
}

/* Its prototype until 0.9.4, and from 0.9.5 on: what it was given shows in its sync point. */
static cl_int CL_API_CALL buffer_barrier(cl_command_buffer_khr b, cl_command_queue q, cl_uint n,
	const cl_sync_point_khr *w, cl_sync_point_khr *s, cl_mutable_command_khr *m)
{
	(void)b; (void)q; (void)m;
	*s = 100 * n + w[n - 1];
	return CL_SUCCESS;
}

static cl_int CL_API_CALL buffer_barrier_2(cl_command_buffer_khr b, cl_command_queue q,
	const cl_command_properties_khr *p, cl_uint n, const cl_sync_point_khr *w, cl_sync_point_khr *s,
	cl_mutable_command_khr *m)
{
	buffer_barrier(b, q, n, w, s, m);
	*s += 1000 * (cl_uint)p[1];
	return CL_SUCCESS;
}

static cl_int CL_API_CALL buffer_enqueue(
	cl_uint nq, cl_command_queue *queues, cl_command_buffer_khr b, cl_uint n, const cl_event *w, cl_event *e)
{
	return fk_enqueue(nq ? queues[0] : b->queue, CL_COMMAND_COMMAND_BUFFER_KHR, n, w, e,
		&(struct fk_command){ .spin_ns = 1000u * b->n }, false);
}

static struct { const char *name; void *fn; } functions[] = {
	{ "clIcdGetPlatformIDsKHR", fk_clGetPlatformIDs }, { "clGetKernelSuggestedLocalWorkSizeKHR", suggested },
		{ "clGetKernelSuggestedLocalWorkSizeINTEL", suggested },
	{ "clCreateCommandQueueWithPropertiesKHR", fk_clCreateCommandQueueWithProperties },
	{ "clHostMemAllocINTEL", usm_host }, { "clDeviceMemAllocINTEL", usm_device },
	{ "clSharedMemAllocINTEL", usm_shared }, { "clMemFreeINTEL", usm_free },
	{ "clMemBlockingFreeINTEL", usm_free }, { "clGetMemAllocInfoINTEL", usm_info },
	{ "clSetKernelArgMemPointerINTEL", fk_clSetKernelArgSVMPointer },
	{ "clEnqueueMemcpyINTEL", usm_memcpy }, { "clEnqueueMemFillINTEL", usm_memfill },
	{ "clEnqueueMigrateMemINTEL", usm_migrate },
	{ "clEnqueueMemAdviseINTEL", usm_advise },
	{ "clCreateCommandBufferKHR", buffer_new }, { "clFinalizeCommandBufferKHR", buffer_finalize },
	{ "clRetainCommandBufferKHR", buffer_retain },
	{ "clReleaseCommandBufferKHR", buffer_release }, { "clCommandNDRangeKernelKHR", buffer_kernel },
	{ "clEnqueueCommandBufferKHR", buffer_enqueue },
	{ "clCommandBarrierWithWaitListKHR", buffer_barrier },
};

static void count_extensions(void)
{
	for (unsigned i = 1; i < sizeof functions / sizeof *functions; i++)     /* the first is the loader's */
		functions[i].fn = witness_stub(witness_place(functions[i].name, functions[i].fn));
}

void *fk_extension(const char *name)
{
	const char *without = getenv("FAKECL_FAULTS");
	char hidden[96];
	long patch = 0;

	if (!strcmp(name, "clCommandBarrierWithWaitListKHR") && fk_fault("command-buffers", &patch) && patch >= 5)
		return buffer_barrier_2;
	snprintf(hidden, sizeof hidden, "no-function=%s", name);
	if (without && strstr(without, hidden))
		return NULL;
	for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].fn;
	return NULL;
}

void *CL_API_CALL fk_clGetExtensionFunctionAddressForPlatform(cl_platform_id p, const char *name)
{
	return fk_is(p, FK_PLATFORM) && name ? fk_extension(name) : NULL;
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	started();
	return name ? fk_extension(name) : NULL;
}

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *out, cl_uint *n)
{
	return fk_clGetPlatformIDs(room, out, n);
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(
	cl_platform_id p, cl_platform_info what, size_t room, void *out, size_t *ret)
{
	return fk_clGetPlatformInfo(p, what, room, out, ret);
}
