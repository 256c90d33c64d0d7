/*
 * model/opencl/fninfo.c - what each function of the table does to objects, worked out once
 *
 * From the table's classes where they tell (a returned handle is a new object), from its kind (retain, release), and
 * from parameter names, which the API's vendor keeps. Nothing here names a function unless no other rule tells it
 * apart.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "opencl_values.h"

#include "model/internal.h"

static const char *const role_names[] = {
#define X(id, name) name,
	GT_ROLES(X)
#undef X
};

static void find_roles(const struct gt_fn *fn, struct gt_fn_info *f)
{
	memset(f->role, -1, sizeof f->role);
	for (uint32_t i = 0; i < fn->n_params && i < 127; i++) {
		for (int r = 0; r < GT_ROLE_WAITS; r++)
			if (!strcmp(fn->params[i].name, role_names[r]))
				f->role[r] = (int8_t)i;
		if (fn->params[i].is_wait_list && fn->params[i].copy != GT_COPY_NONE)
			f->role[GT_ROLE_WAITS] = (int8_t)i;
	}
	if (f->role[GT_ROLE_QUEUE] < 0)
		f->role[GT_ROLE_QUEUE] = f->role[GT_ROLE_QUEUE2];
}

/* An array of handles that the call fills: clGetDeviceIDs, clCreateKernelsInProgram. Events are not kept as objects. */
static int find_out_array(const struct gt_fn *fn)
{
	for (uint32_t i = 0; i < fn->n_params; i++) {
		const struct gt_param *p = &fn->params[i];

		if (p->copy == GT_COPY_ARRAY && p->dir == GT_OUT && p->elem == GT_HANDLE && p->object &&
			p->object != REC_OBJECT_EVENT)
			return (int)i;
	}
	return -1;
}

static bool is_kernel_command(uint32_t command)
{
	return command == CL_COMMAND_NDRANGE_KERNEL || command == CL_COMMAND_TASK ||
		command == CL_COMMAND_NATIVE_KERNEL;
}

/* Functions that give and take memory by address. */
static bool is_memory(const struct gt_fn *fn, struct gt_fn_info *f)
{
	static const struct { const char *name; enum gt_action action; enum gt_usm kind; } known[] = {
		{ "clHostMemAllocINTEL", GT_ACT_ALLOCATE, GT_USM_HOST },
		{ "clDeviceMemAllocINTEL", GT_ACT_ALLOCATE, GT_USM_DEVICE },
		{ "clSharedMemAllocINTEL", GT_ACT_ALLOCATE, GT_USM_SHARED },
		{ "clSVMAlloc", GT_ACT_ALLOCATE, GT_USM_SHARED },
		{ "clSVMAllocARM", GT_ACT_ALLOCATE, GT_USM_SHARED },
		{ "clSVMAllocWithPropertiesKHR", GT_ACT_ALLOCATE, GT_USM_SHARED },
		{ "clMemFreeINTEL", GT_ACT_FREE, 0 },
		{ "clMemBlockingFreeINTEL", GT_ACT_FREE, 0 },
		{ "clSVMFree", GT_ACT_FREE, 0 },
		{ "clSVMFreeARM", GT_ACT_FREE, 0 },
		{ "clSVMFreeWithPropertiesKHR", GT_ACT_FREE, 0 },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(fn->name, known[i].name)) {
			f->action = (uint8_t)known[i].action;
			f->object = (uint8_t)known[i].kind;
			return true;
		}
	return false;
}

/* clGetPlatformInfo, clGetDeviceInfo and the like: of what is there from the beginning, and never changes. */
static bool is_question(const struct gt_fn *fn, const struct gt_fn_info *f)
{
	return !strcmp(fn->kind, "query") && fn->n_params && fn->params[0].value == GT_HANDLE &&
		(fn->params[0].object == REC_OBJECT_PLATFORM || fn->params[0].object == REC_OBJECT_DEVICE) &&
		f->role[GT_ROLE_PARAM_NAME] >= 0 && f->role[GT_ROLE_PARAM_VALUE] >= 0;
}

static void classify(const struct gt_fn *fn, struct gt_fn_info *f)
{
	int array = find_out_array(fn);

	f->array = (int8_t)array;
	if (fn->is_callback || (!strcmp(fn->kind, "memory") && is_memory(fn, f)))
		return;
	if (*fn->command_type) {
		f->action = GT_ACT_ENQUEUE;
		f->is_kernel = is_kernel_command(fn->command_value);
	} else if (!strcmp(fn->kind, "retain") || !strcmp(fn->kind, "release")) {
		bool retain = fn->kind[2] == 't';

		if (!fn->n_params || fn->params[0].value != GT_HANDLE || fn->params[0].object == REC_OBJECT_EVENT)
			return;
		f->action = retain ? GT_ACT_RETAIN : GT_ACT_RELEASE;
		f->object = (uint8_t)fn->params[0].object;
	} else if (fn->ret == GT_HANDLE && fn->ret_object && fn->ret_object != REC_OBJECT_EVENT &&
		strcmp(fn->kind, "query")) {
		f->action = GT_ACT_CREATE;
		f->object = (uint8_t)fn->ret_object;
	} else if (is_question(fn, f)) {
		f->object = (uint8_t)fn->params[0].object;
		f->action = GT_ACT_ASK;
	} else if (array >= 0) {
		f->object = (uint8_t)fn->params[array].object;
		f->action = !strncmp(fn->name, "clCreate", 8) ? GT_ACT_CREATE_MANY : GT_ACT_DEFINE_MANY;
	} else if (!strncmp(fn->name, "clSetKernelArg", 14) && f->role[GT_ROLE_ARG_SIZE] >= 0) {
		f->action = GT_ACT_SET_ARG;
	} else if (!strcmp(fn->name, "clBuildProgram") || !strcmp(fn->name, "clCompileProgram")) {
		f->action = GT_ACT_BUILD;
	} else if (!strcmp(fn->name, "clFinish")) {
		f->action = GT_ACT_FINISH;
	}
}

struct gt_fn_info *gt_fn_infos(const struct gt_fntable *t)
{
	uint32_t n = gt_fntable_count(t);
	struct gt_fn_info *infos = calloc(n + 1, sizeof *infos);

	for (uint32_t i = 0; infos && i < n; i++) {
		find_roles(gt_fntable_at(t, i), &infos[i]);
		classify(gt_fntable_at(t, i), &infos[i]);
	}
	return infos;
}

uint64_t gt_role_value(const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role)
{
	if (!call->has_args || f->role[role] < 0)
		return 0;
	return gt_call_fixed(call, &call->fn->params[f->role[role]]);
}

bool gt_role_arg(const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role, struct gt_arg *out)
{
	return f->role[role] >= 0 && gt_call_arg(call, (unsigned)f->role[role], out) && out->has_data;
}
