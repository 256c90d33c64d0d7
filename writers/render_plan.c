/*
 * writers/render_plan.c - what a function's line looks like, resolved once per function
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/render.h"

#include <stdio.h>
#include <stdlib.h>

#include "writers/atp/atp.h"

/* spec: ATP parameter list. Where the profiler shows a parameter otherwise than its class says. */
static const struct { const char *fn, *param; enum gt_atp_how how; } atp_exceptions[] = {
	{ "clCreateProgramWithSource", "strings", GT_ATP_POINTER },
	{ "clCreateProgramWithSource", "lengths", GT_ATP_POINTER },
	{ "clCreateProgramWithIL", "il", GT_ATP_POINTER },
	{ "clGetProgramBuildInfo", "param_value", GT_ATP_POINTER },
	{ "clSetKernelArg", "arg_value", GT_ATP_KERNEL_ARG },
	{ "clCreateSubDevices", "properties", GT_ATP_PARTITION },
	{ "clCreateSubDevicesEXT", "properties", GT_ATP_PARTITION },
};

/* spec: API log "Example". Where it spells a parameter otherwise than today's header (NULL: as the header). */
static const struct { const char *fn, *param, *type, *name; } log_spellings[] = {
	{ "clGetDeviceInfo", "param_value", "void*", NULL },
	{ "clGetDeviceInfo", "param_value_size_ret", "size_t*", NULL },
	{ "clEnqueueReadBuffer", "size", NULL, "cb" },
	{ "clEnqueueWriteBuffer", "size", NULL, "cb" },
	{ "clEnqueueCopyBuffer", "size", NULL, "cb" },
	{ "clEnqueueMapBuffer", "size", NULL, "cb" },
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct gt_render {
	const struct gt_fntable *table;
	const struct gt_enum *errors;     /* the group of the API's error codes */
	struct gt_render_plan **by_id;
	uint32_t n_ids;
};

/* A cl_int that is returned names no group; *errcode_ret of any creating function does. */
const struct gt_enum *gt_render_errors(const struct gt_fntable *table)
{
	for (uint32_t i = 0; i < gt_fntable_count(table); i++) {
		const struct gt_fn *fn = gt_fntable_at(table, i);

		for (uint32_t k = 0; k < fn->n_params; k++)
			if (fn->params[k].is_errcode && fn->params[k].group[0])
				return gt_fntable_enum(table, fn->params[k].group);
	}
	return gt_fntable_enum(table, "cl_error");
}

struct gt_render *gt_render_new(const struct gt_fntable *table)
{
	struct gt_render *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->table = table;
	r->errors = gt_render_errors(table);
	return r;
}

static void free_plan(struct gt_render_plan *p)
{
	for (uint32_t i = 0; p->params && i < p->fn->n_params; i++) {
		free(p->params[i].log_in);
		free(p->params[i].log_out);
	}
	free(p->params);
	free(p);
}

void gt_render_free(struct gt_render *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->n_ids; i++)
		if (r->by_id[i])
			free_plan(r->by_id[i]);
	free(r->by_id);
	free(r);
}

const struct gt_fntable *gt_render_table(const struct gt_render *r) { return r->table; }

static enum gt_atp_how choose_how(const struct gt_fn *fn, const struct gt_param *p)
{
	for (size_t i = 0; i < COUNT(atp_exceptions); i++)
		if (strcmp(fn->name, atp_exceptions[i].fn) == 0 && strcmp(p->name, atp_exceptions[i].param) == 0)
			return atp_exceptions[i].how;
	if (p->is_errcode)
		return GT_ATP_ERROR;
	switch (p->copy) {
	case GT_COPY_NONE: return p->value == GT_POINTER ? GT_ATP_POINTER : GT_ATP_SCALAR;
	case GT_COPY_STRING: return p->dir == GT_IN ? GT_ATP_NAME : GT_ATP_LIST;
	case GT_COPY_PLIST: return GT_ATP_PROPERTIES;
	case GT_COPY_BYTES: return p->group[0] && p->dir != GT_IN ? GT_ATP_QUERY : GT_ATP_POINTER;
	case GT_COPY_ARRAY: return p->elem == GT_BYTE || p->elem == GT_VOID ? GT_ATP_POINTER : GT_ATP_LIST;
	}
	return GT_ATP_POINTER;
}

/* The enum parameter of the same group says what is asked; else the last enum parameter in front. */
static int find_query(const struct gt_fn *fn, uint32_t of)
{
	int last = -1;

	for (uint32_t i = 0; i < fn->n_params; i++) {
		if (fn->params[i].value != GT_ENUM)
			continue;
		if (strcmp(fn->params[i].group, fn->params[of].group) == 0)
			return (int)i;
		if (i < of)
			last = (int)i;
	}
	return last;
}

static bool plan_param(const struct gt_render *r, const struct gt_fn *fn, uint32_t i, struct gt_render_param *out)
{
	const struct gt_param *p = &fn->params[i];
	const char *type = p->type, *name = p->name;
	int in, ret;

	out->how = choose_how(fn, p);
	out->symbols = p->group[0] ? gt_fntable_enum(r->table, p->group) : NULL;
	if (!out->symbols && (p->value == GT_ERROR || p->elem == GT_ERROR || p->is_errcode))
		out->symbols = r->errors;
	out->layout = p->group[0] ? gt_fntable_struct(r->table, p->group) : NULL;
	out->query = out->how == GT_ATP_QUERY ? find_query(fn, i) : -1;
	for (size_t k = 0; k < COUNT(log_spellings); k++)
		if (strcmp(fn->name, log_spellings[k].fn) == 0 && strcmp(p->name, log_spellings[k].param) == 0) {
			type = log_spellings[k].type ? log_spellings[k].type : type;
			name = log_spellings[k].name ? log_spellings[k].name : name;
		}
	in = asprintf(&out->log_in, "%s%s %s = ", i ? ", " : "", type, name);
	if (in < 0)
		out->log_in = NULL;
	ret = asprintf(&out->log_out, ", *%s = ", name);
	if (ret < 0)
		out->log_out = NULL;
	out->log_in_bytes = (uint32_t)in;
	out->log_out_bytes = (uint32_t)ret;
	return in >= 0 && ret >= 0;
}

static const struct gt_enum *return_symbols(const struct gt_render *r, const struct gt_fn *fn)
{
	const struct gt_enum *own = gt_fntable_enum(r->table, fn->ret_type);

	return own ? own : fn->ret == GT_ERROR ? r->errors : NULL;
}

static struct gt_render_plan *make_plan(const struct gt_render *r, const struct gt_fn *fn)
{
	struct gt_render_plan *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct gt_render_plan){
		.fn = fn, .ret_symbols = return_symbols(r, fn), .errcode = -1, .handle = -1,
		.atp_id = fn->domain == REC_DOMAIN_HSA ? gt_atp_hsa_id(fn->name) : gt_atp_opencl_id(fn->name),
		.params = calloc(fn->n_params + 1, sizeof(p->params[0])),
	};
	p->success = p->ret_symbols ? gt_enum_name(p->ret_symbols, 0) : NULL;
	for (uint32_t i = 0; p->params && i < fn->n_params; i++) {
		if (fn->params[i].is_errcode)
			p->errcode = (int)i;
		if (p->handle < 0 && fn->params[i].object == REC_OBJECT_QUEUE && fn->params[i].value == GT_HANDLE)
			p->handle = (int)i;
		if (!plan_param(r, fn, i, &p->params[i])) {
			free_plan(p);
			return NULL;
		}
	}
	if (!p->params) {
		free(p);
		return NULL;
	}
	return p;
}

static bool make_room(struct gt_render *r, uint32_t id)
{
	uint32_t n = id < 4096 ? 4096 : id + 1;
	void *more;

	if (id < r->n_ids)
		return true;
	more = realloc(r->by_id, n * sizeof(r->by_id[0]));
	if (!more)
		return false;
	r->by_id = more;
	memset(r->by_id + r->n_ids, 0, (n - r->n_ids) * sizeof(r->by_id[0]));
	r->n_ids = n;
	return true;
}

const struct gt_render_plan *gt_render_plan(struct gt_render *r, const struct gt_fn *fn)
{
	if (fn->id >= r->n_ids && (fn->id > 0xffff || !make_room(r, fn->id)))
		return NULL;
	if (!r->by_id[fn->id])
		r->by_id[fn->id] = make_plan(r, fn);
	return r->by_id[fn->id];
}
