/*
 * analysis/metrics/arguments.c - what the arguments of OpenCL's kernels are at each launch
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/memory.h"

/* object: NULL and not `pointer` for a plain value; NULL and `pointer` for memory whose size is not known. */
struct argument { uint32_t index; bool pointer; const struct gt_object *object; };
struct gt_argument_list {
	const struct gt_object *kernel;
	struct argument *arguments; uint32_t n, room;
	struct gt_argument_list *next;
};
struct slot { const struct gt_object *kernel; struct gt_argument_list *list; };

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct slot *)element)->kernel == key;
}

static uint64_t hash_of(const struct gt_object *kernel) { return gt_hash(GT_HASH, (uintptr_t)kernel); }

static struct gt_argument_list *find(const struct gt_arguments *a, const struct gt_object *kernel)
{
	const struct slot *s = gt_map_find(&a->kernels, sizeof *s, hash_of(kernel), kernel, same, NULL);

	return s ? s->list : NULL;
}

static struct gt_argument_list *list_of(struct gt_arguments *a, const struct gt_object *kernel)
{
	struct gt_argument_list *list = find(a, kernel);
	struct slot *s;
	bool fresh;

	if (list)
		return list;
	list = calloc(1, sizeof *list);
	s = list ? gt_map_add(&a->kernels, sizeof *s, hash_of(kernel), kernel, same, NULL, &fresh) : NULL;
	if (!s) {
		free(list);
		a->failed = true;
		return NULL;
	}
	*list = (struct gt_argument_list){ .kernel = kernel, .next = a->lists };
	*s = (struct slot){ kernel, list };
	return a->lists = list;
}

static void set(struct gt_arguments *a, struct gt_argument_list *list, const struct argument *v)
{
	uint32_t i = 0;

	while (i < list->n && list->arguments[i].index != v->index)
		i++;
	if (i == list->n && i == list->room) {
		uint32_t room = 2 * list->room + 8;
		struct argument *more = realloc(list->arguments, room * sizeof *more);

		if (!more) {
			a->failed = true;
			return;
		}
		list->arguments = more;
		list->room = room;
	}
	list->arguments[i] = *v;
	list->n += i == list->n;
}

/* The calls whose arguments are kernel, number, ..., value. */
static const struct { const char *name; uint8_t value; bool pointer; } setters[] = {
	{ "clSetKernelArg", 3, false }, { "clSetKernelArgSVMPointer", 2, true },
	{ "clSetKernelArgSVMPointerARM", 2, true }, { "clSetKernelArgMemPointerINTEL", 2, true },
	{ "clSetKernelArgDevicePointerEXT", 2, true },
};

static void follow_set(struct gt_arguments *a, const struct gt_call *call, uint8_t value, bool pointer)
{
	struct gt_arg kernel, index, arg;
	struct argument v = { .pointer = pointer };
	const struct gt_object *k;
	struct gt_argument_list *list;
	uint64_t handle;

	if (!gt_call_arg(call, 0, &kernel) || !gt_call_arg(call, 1, &index) || !gt_call_arg(call, value, &arg))
		return;
	k = gt_model_find_object(a->model, call->process, REC_OBJECT_KERNEL, kernel.value, call->start_ns);
	list = k ? list_of(a, k) : NULL;
	if (!list)
		return;
	v.index = (uint32_t)index.value;
	if (pointer) {
		v.object = gt_model_find_object(a->model, call->process, REC_OBJECT_SVM, arg.value, call->start_ns);
	} else if (arg.has_data && arg.bytes == sizeof handle) {
		memcpy(&handle, arg.data, sizeof handle);
		v.object = gt_model_find_object(a->model, call->process, REC_OBJECT_MEM, handle, call->start_ns);
		v.pointer = v.object;
	}
	set(a, list, &v);
}

/* A copy of a kernel has its arguments. */
static void follow_clone(struct gt_arguments *a, const struct gt_call *call)
{
	const struct gt_object *from, *to;
	struct gt_argument_list *source, *list;
	struct gt_arg arg;

	if (!gt_call_arg(call, 0, &arg))
		return;
	from = gt_model_find_object(a->model, call->process, REC_OBJECT_KERNEL, arg.value, call->start_ns);
	to = gt_model_find_object(a->model, call->process, REC_OBJECT_KERNEL, gt_call_return(call), call->end_ns);
	source = from ? find(a, from) : NULL;
	list = source && to ? list_of(a, to) : NULL;
	for (uint32_t i = 0; list && i < source->n; i++)
		set(a, list, &source->arguments[i]);
}

void gt_arguments_open(struct gt_arguments *a, const struct gt_model *m) { *a = (struct gt_arguments){ .model = m }; }

void gt_arguments_follow(struct gt_arguments *a, const struct gt_call *call)
{
	if (call->result || !call->has_args || call->fn->domain != REC_DOMAIN_OPENCL)
		return;
	if (!strcmp(call->fn->name, "clCloneKernel"))
		follow_clone(a, call);
	else if (!strncmp(call->fn->name, "clSetKernelArg", 14))
		for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
			if (!strcmp(call->fn->name, setters[i].name))
				follow_set(a, call, setters[i].value, setters[i].pointer);
}

struct gt_argument_sum gt_arguments_of(const struct gt_arguments *a, const struct gt_object *kernel)
{
	const struct gt_argument_list *list = kernel ? find(a, kernel) : NULL;
	struct gt_argument_sum sum = { .bytes_known = !a->failed };

	for (uint32_t i = 0; list && i < list->n; i++) {
		const struct argument *v = &list->arguments[i];
		bool again = false;

		sum.set++;
		if (!v->pointer)
			continue;
		sum.buffers++;
		for (uint32_t k = 0; k < i && !again; k++)
			again = v->object && list->arguments[k].object == v->object;
		if (!v->object || !v->object->size)
			sum.bytes_known = false;
		else if (!again)
			sum.buffer_bytes += v->object->size;
	}
	return sum;
}

void gt_arguments_each(const struct gt_arguments *a, const struct gt_object *kernel,
	void (*take)(void *ctx, const struct gt_object *memory), void *ctx)
{
	const struct gt_argument_list *list = find(a, kernel);

	for (uint32_t i = 0; list && i < list->n; i++)
		if (list->arguments[i].object)
			take(ctx, list->arguments[i].object);
}

void gt_arguments_close(struct gt_arguments *a)
{
	for (struct gt_argument_list *l = a->lists, *next; l; l = next) {
		next = l->next;
		free(l->arguments);
		free(l);
	}
	gt_map_free(&a->kernels, sizeof(struct slot));
}
