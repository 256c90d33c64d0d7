/*
 * analysis/metrics/unused.c - OpenCL buffers that were made and that no kernel and no command ever used
 *
 * A buffer is used by a launch of a kernel that has it as an argument, by any other call that names it but those that
 * make, retain, release or ask, and with a buffer that is a part of it. Memory of the host's (CL_MEM_USE_HOST_PTR)
 * costs nothing. Where something was lost or not recorded, or memory may be reached in a way that is not seen (device
 * addresses, images that are made of buffers), nothing is claimed of the process.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/unused.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define BUFFER 0x10F0u                            /* CL_MEM_OBJECT_BUFFER */
#define USE_HOST_PTR 8u                           /* CL_MEM_USE_HOST_PTR */

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return *(const struct gt_object *const *)element == key;
}

static uint64_t hash_of(const struct gt_object *o) { return gt_hash(GT_HASH, (uintptr_t)o); }

/* Whoever uses a part uses the whole. */
static void mark(struct gt_unused *u, const struct gt_object *o)
{
	for (bool fresh = true; o && fresh; o = o->parent) {
		const struct gt_object **one = gt_map_add(&u->used, sizeof *one, hash_of(o), o, same, NULL, &fresh);

		u->failed |= !one;
		if (!one)
			return;
		*one = o;
	}
}

static void mark_handle(struct gt_unused *u, const struct gt_call *call, uint64_t handle)
{
	mark(u, gt_model_find_object(u->model, call->process, REC_OBJECT_MEM, handle, call->start_ns));
}

static void mark_argument(void *ctx, const struct gt_object *memory) { mark(ctx, memory); }

static void mark_kernel(struct gt_unused *u, const struct gt_object *kernel)
{
	if (kernel)
		gt_arguments_each(&u->arguments, kernel, mark_argument, u);
}

static bool begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

/* Calls that use no memory whatever they name. */
static bool only_names(const char *name)
{
	return begins(name, "clGet") || begins(name, "clCreate") || begins(name, "clRetain") ||
		begins(name, "clRelease") || begins(name, "clSetKernelArg") || begins(name, "clSetMemObject");
}

static bool hides(const char *name)
{
	return begins(name, "clSetKernelArgDevicePointer") || (begins(name, "clCreate") && strstr(name, "Image"));
}

/* Memory objects and kernels among the arguments, single ones and lists of them. */
static void mark_named(struct gt_unused *u, const struct gt_call *call)
{
	struct gt_arg arg;

	for (unsigned i = 0; i < call->fn->n_params && gt_call_arg(call, i, &arg); i++) {
		const char *type = arg.param->type;

		if (!strcmp(type, "cl_mem")) {
			mark_handle(u, call, arg.value);
		} else if (!strcmp(type, "cl_kernel")) {
			mark_kernel(u, gt_model_find_object(
				u->model, call->process, REC_OBJECT_KERNEL, arg.value, call->start_ns));
		} else if (strstr(type, "cl_mem *") && arg.value) {
			u->doubt[call->process] |= !arg.has_data || arg.cut;
			for (uint32_t k = 0; arg.has_data && k + 8 <= arg.bytes; k += 8) {
				uint64_t handle;

				memcpy(&handle, (const char *)arg.data + k, sizeof handle);
				mark_handle(u, call, handle);
			}
		}
	}
}

void gt_unused_open(struct gt_unused *u, const struct gt_model *m)
{
	size_t n = gt_model_process_count(m) + 1u;

	*u = (struct gt_unused){ .model = m, .doubt = calloc(n, 1), .sums = calloc(n, sizeof *u->sums) };
	u->failed = !u->doubt || !u->sums;
	gt_arguments_open(&u->arguments, m);
}

void gt_unused_follow(struct gt_unused *u, const struct gt_call *call)
{
	if (u->failed || call->fn->domain != REC_DOMAIN_OPENCL || call->is_callback)
		return;
	gt_arguments_follow(&u->arguments, call);
	if (call->result)
		return;
	if (!call->has_args || call->unfinished || hides(call->fn->name))
		u->doubt[call->process] = true;
	else if (!only_names(call->fn->name))
		mark_named(u, call);
}

/* Was everything recorded, from the process' start to its end? */
static bool whole(const struct gt_model *m, uint32_t process)
{
	if (!gt_model_complete(m))
		return false;
	for (uint32_t i = 0; i < gt_model_image_record_count(m); i++) {
		const struct gt_image_record *r = gt_model_image_record(m, i);

		if (r->process == process && r->type == REC_WINDOW)
			return false;
	}
	return true;
}

static bool counts(const struct gt_unused *u, const struct gt_object *o)
{
	return o->kind == REC_OBJECT_MEM && o->mem_type == BUFFER && !o->parent && o->born_ns != GT_NO_TIME &&
		o->size && !(o->flags & USE_HOST_PTR) && !gt_map_find(&u->used, sizeof o, hash_of(o), o, same, NULL);
}

void gt_unused_end(struct gt_unused *u)
{
	struct gt_model *m = (struct gt_model *)u->model;

	for (uint32_t i = 0; !u->failed && i < gt_model_object_count(m); i++) {
		const struct gt_object *o = gt_model_object(m, i);

		if (counts(u, o)) {
			u->sums[o->process].buffers++;
			u->sums[o->process].bytes += o->size;
		}
	}
}

bool gt_unused_of(const struct gt_unused *u, uint32_t process, struct gt_unused_sum *out)
{
	if (u->failed || u->arguments.failed || u->doubt[process] || !whole(u->model, process))
		return false;
	*out = u->sums[process];
	return true;
}

void gt_unused_close(struct gt_unused *u)
{
	gt_arguments_close(&u->arguments);
	gt_map_free(&u->used, sizeof(const struct gt_object *));
	free(u->doubt);
	free(u->sums);
}
