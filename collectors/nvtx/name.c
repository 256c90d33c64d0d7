/*
 * collectors/nvtx/name.c - names that a program gives to devices, contexts, streams, queues and its own locks
 *
 * Each call of these modules becomes a name of the resource type that the call's object has in NVTX.
 *
 * Runs      in the calling thread of the traced program.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/nvtx/record.h"

/* Resource types: class in the upper half, number in the lower. */
#define TYPE(class, number) ((class) << 16 | (number))
#define CUDA(X) X(cuda_device, uint32_t, TYPE(4, 1)) X(cuda_context, uint64_t, TYPE(4, 2)) \
	X(cuda_stream, uint64_t, TYPE(4, 3)) \
	X(cuda_event, uint64_t, TYPE(4, 4))
#define CUDART(X) X(cudart_device, uint32_t, TYPE(5, 0)) X(cudart_stream, uint64_t, TYPE(5, 1)) \
	X(cudart_event, uint64_t, TYPE(5, 2))
#define OPENCL(X) X(cl_device, uint64_t, TYPE(6, 1)) X(cl_context, uint64_t, TYPE(6, 2)) \
	X(cl_queue, uint64_t, TYPE(6, 3)) \
	X(cl_mem, uint64_t, TYPE(6, 4)) X(cl_sampler, uint64_t, TYPE(6, 5)) X(cl_program, uint64_t, TYPE(6, 6)) \
	X(cl_event, uint64_t, TYPE(6, 7))
#define SYNC_USER TYPE(2, 0)            /* NVTX has no number for an object of the program's own making */

#define NAMER(name, handle, type) \
static void name##_a(handle id, const char *m) \
{ tap_nvtx_name(0, REC_NVTX_RESOURCE, type, id, tap_nvtx_message(NVTX_ABI_ASCII, m)); } \
static void name##_w(handle id, const void *m) \
{ tap_nvtx_name(0, REC_NVTX_RESOURCE, type, id, tap_nvtx_message(NVTX_ABI_WIDE, m)); }
CUDA(NAMER) CUDART(NAMER) OPENCL(NAMER)
#undef NAMER

static uint64_t sync_objects;

static uint64_t sync_create(uint64_t domain, const struct nvtx_sync_user *a)
{
	uint64_t id = __atomic_add_fetch(&sync_objects, 1, __ATOMIC_RELAXED);

	if (a)
		tap_nvtx_name(domain, REC_NVTX_RESOURCE, SYNC_USER, id, tap_nvtx_message(a->message_type, a->message));
	return id;
}

#define PAIR(name, handle, type) (nvtx_function)name##_a, (nvtx_function)name##_w,
static const nvtx_function cuda[] = { NULL, CUDA(PAIR) }, cudart[] = { NULL, CUDART(PAIR) },
			   opencl[] = { NULL, OPENCL(PAIR) }, sync_user[] = { NULL, (nvtx_function)sync_create };
#undef PAIR

#define LIST(functions) { functions, sizeof functions / sizeof *functions }
static const struct { const nvtx_function *functions; unsigned n;
} modules[] = {
	[NVTX_ABI_CUDA] = LIST(cuda),
	[NVTX_ABI_OPENCL] = LIST(opencl),
	[NVTX_ABI_CUDART] = LIST(cudart),
	[NVTX_ABI_SYNC] = LIST(sync_user),
};

void tap_nvtx_fill_names(uint32_t module, nvtx_function **slots, unsigned n)
{
	if (module >= sizeof modules / sizeof *modules)
		return;
	for (unsigned i = 1; i < n && i < modules[module].n; i++)
		if (slots[i])
			*slots[i] = modules[module].functions[i];
}
