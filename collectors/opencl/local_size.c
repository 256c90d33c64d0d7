/*
 * collectors/opencl/local_size.c - the local size the runtime chose where the application gave none
 *
 * Runs      in application threads, after an NDRange call with NULL local size was recorded.
 * Must not  malloc, lock; retain the kernel (its reference count can be read), keep its handle beyond the call.
 *
 * A kernel's required work-group size is known; else the suggested-local-size extension is asked, once per kernel,
 * device, offset and size. The answers lie in a hash table; a later call with the same key reads its answer from there.
 *
 * LOCAL1  A thread writes an answer with the first of its calls and not again: the reader takes it for the later
 *         ones, in order of time. Two threads that take turns write it each time, since which of their calls began
 *         first is not known here.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/opencl/internal.h"

#define ANSWERS 16384u                            /* entries; beyond them nothing is asked any more */
#define PROBES 16u
#define BORN 4096u

/* key 0 = free; written last. x 0 = no answer. writer: the thread whose stream had it last. */
struct answer { _Atomic uint64_t key, claimed, writer; uint64_t size[3]; uint32_t source; };

static struct answer *_Atomic answers;
/* How many kernels have been created at addresses of this hash: a handle used again is another kernel. */
static _Atomic uint32_t born[BORN];

typedef cl_int(CL_API_CALL *suggest_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static _Atomic uint32_t *born_at(cl_kernel kernel)
{
	return &born[((uintptr_t)kernel * 0x9e3779b97f4a7c15ull >> 40) % BORN];
}

void tap_cl_kernel_born(cl_kernel kernel)
{
	atomic_fetch_add_explicit(born_at(kernel), 1, memory_order_relaxed);
}

static uint64_t key_of(
	const struct tap_cl_queue *q, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global)
{
	uint64_t h = mix((uintptr_t)kernel, (uintptr_t)q->device);

	h = mix(h, dims | (uint64_t)atomic_load_explicit(born_at(kernel), memory_order_relaxed) << 8);
	for (cl_uint i = 0; i < dims; i++)
		h = mix(mix(h, offset ? offset[i] : 0), global[i]);
	return h ? h : 1;
}

static void ask(const struct tap_opencl_api *real, struct tap_cl_queue *q, cl_kernel kernel, cl_uint dims,
	const size_t *offset, const size_t *global, struct answer *a)
{
	cl_command_queue queue = atomic_load(&q->handle);
	size_t size[3] = { 0, 0, 0 };

	a->source = REC_LOCAL_REQUIRED;
	if (real->clGetKernelWorkGroupInfo(kernel, atomic_load(&q->device->handle), CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
		    sizeof size, size, NULL) != CL_SUCCESS ||
		!size[0]) {
		a->source = REC_LOCAL_SUGGESTED;
		size[0] = 0;
		if (q->device->suggest &&
			((suggest_fn)q->device->suggest)(queue, kernel, dims, offset, global, size) != CL_SUCCESS)
			size[0] = 0;
	}
	for (cl_uint i = 0; i < 3; i++)
		a->size[i] = i < dims ? size[i] : 1;
}

static struct answer *open_answers(void)
{
	struct answer *t = atomic_load_explicit(&answers, memory_order_acquire), *none = NULL;

	if (t)
		return t;
	t = tap_cl_pages(ANSWERS * sizeof *t);
	if (t && !atomic_compare_exchange_strong(&answers, &none, t)) {
		tap_cl_pages_free(t, ANSWERS * sizeof *t);
		t = none;
	}
	return t;
}

/* The entry of this key, asked for now if it is new. NULL: no room, or another thread is just asking. */
static struct answer *find(const struct tap_opencl_api *real, struct tap_cl_queue *q, cl_kernel kernel, cl_uint dims,
	const size_t *offset, const size_t *global)
{
	uint64_t key = key_of(q, kernel, dims, offset, global);
	struct answer *t = open_answers();

	for (uint32_t i = 0; t && i < PROBES; i++) {
		struct answer *a = &t[(key + i) % ANSWERS];
		uint64_t there = atomic_load_explicit(&a->key, memory_order_acquire), none = 0;

		if (there == key)
			return a;
		if (there)
			continue;
		if (!atomic_compare_exchange_strong(&a->claimed, &none, key)) {
			if (none == key)
				return NULL;
			continue;
		}
		ask(real, q, kernel, dims, offset, global, a);
		atomic_store_explicit(&a->key, key, memory_order_release);
		return a;
	}
	return NULL;
}

/*
 * LOCAL1. Not where earlier records may go (a ring) or the kernel's creation may be missing (a window): then with each
 * call.
 */
static bool is_written(struct answer *a, const struct tap_stream *s)
{
	if (!s || tap_options.ring || tap_options.start_after)
		return false;
	uint64_t writer = mix(s->holder_tick, s->number + 1);

	/* Read first: the exchange alone would be a locked instruction for every launch. */
	return atomic_load_explicit(&a->writer, memory_order_relaxed) == writer ||
		atomic_exchange_explicit(&a->writer, writer, memory_order_relaxed) == writer;
}

void tap_cl_post_clEnqueueNDRangeKernel(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
	const size_t *global_work_size, const size_t *local_work_size, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	struct tap_cl_queue *q;
	struct answer *a;

	(void)num_events_in_wait_list, (void)event_wait_list, (void)event;
	if (unlikely(tap_options.start_after) && ret == CL_SUCCESS)
		tap_cl_kernel_late(real, kernel);
	if (likely(local_work_size != NULL) || ret != CL_SUCCESS || !call->link || !global_work_size || work_dim < 1 ||
		work_dim > 3)
		return;
	q = tap_cl_queue_last();
	if (!q || atomic_load_explicit(&q->handle, memory_order_relaxed) != command_queue)
		q = tap_cl_queue_find(command_queue);
	a = q ? find(real, q, kernel, work_dim, global_work_offset, global_work_size) : NULL;
	if (a && a->size[0] && !is_written(a, call->stream)) {
		const uint64_t words[5] = { call->link, work_dim | (uint64_t)a->source << 32, a->size[0], a->size[1],
			a->size[2] };

		if (!tap_record(REC_LOCAL_SIZE, 0, words, 5))
			atomic_store_explicit(&a->writer, 0, memory_order_relaxed);
	}
}
