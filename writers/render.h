/*
 * writers/render.h - calls as text, in the two ways the text formats show them
 *
 * What a value is comes from the function table of the trace; what one function does differently in one format stands
 * in the tables of render_plan.c. A plan holds both, resolved once per function, so that a line costs no look-up by
 * name.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_RENDER_H
#define GPUTAP_WRITERS_RENDER_H

#include "common/text.h"
#include "model/cuda/cuda.h"
#include "model/model.h"

/* How .atp shows one parameter. */
enum gt_atp_how {
	GT_ATP_SCALAR,                    /* by its value class */
	GT_ATP_POINTER,                   /* the address alone */
	GT_ATP_ERROR,                     /* [CL_SUCCESS]: *errcode_ret */
	GT_ATP_NAME,                      /* "text" that the program passes in */
	GT_ATP_LIST,                      /* [1,2], [{a,b}], ["text"] */
	GT_ATP_QUERY,                     /* answer of an info query: by the query */
	GT_ATP_PROPERTIES,                /* [{KEY,value,NULL}] */
	GT_ATP_PARTITION,                 /* [{KEY,value,0}] */
	GT_ATP_KERNEL_ARG,                /* [0x..] when it has the size of a pointer */
};

struct gt_render_param {
	enum gt_atp_how how;
	const struct gt_enum *symbols;    /* of the value, or of what it points to; NULL */
	const struct gt_struct *layout;   /* of what it points to; NULL */
	int query;                        /* index of the parameter that says what is asked; -1 */
	char *log_in, *log_out;           /* "size_t size = " and "*name = " */
	uint32_t log_in_bytes, log_out_bytes;
};

struct gt_render_plan {
	const struct gt_fn *fn;
	const struct gt_enum *ret_symbols;
	const char *success;              /* the symbol of result 0, what most calls return; NULL */
	unsigned atp_id;                  /* API type of .atp */
	int errcode;                      /* index of *errcode_ret, -1 */
	int handle;                       /* index of the command queue, -1 */
	struct gt_render_param *params;   /* fn->n_params */
};

struct gt_render;
/* NULL: out of memory. The table must outlive it. */
struct gt_render *gt_render_new(const struct gt_fntable *table);
void gt_render_free(struct gt_render *r);
/* The plan of a function of that table; NULL: out of memory. */
const struct gt_render_plan *gt_render_plan(struct gt_render *r, const struct gt_fn *fn);
const struct gt_fntable *gt_render_table(const struct gt_render *r);
/* The group of the API's error codes, which a returned cl_int does not name; NULL. */
const struct gt_enum *gt_render_errors(const struct gt_fntable *table);

/* Names for {handle=N,name=...} of HSA agents; NULL: without. */
struct gt_render_agents { const char *(*name)(void *ctx, uint64_t handle, size_t *bytes); void *ctx; };

/* "CL_SUCCESS = clFinish ( 0x55AA )" */
void gt_render_atp_call(struct gt_text *t, struct gt_render *r, const struct gt_render_plan *p,
	const struct gt_call *call, const struct gt_render_agents *agents);
/* "clFinish(cl_command_queue command_queue = 00000000000055AA) = CL_SUCCESS" */
void gt_render_log_call(struct gt_text *t, const struct gt_render_plan *p, const struct gt_call *call);

/* ---- arguments of CUDA calls (render_cuda_args.c) ---- */
/* As the API log prints it: the number of an enumeration, texts quoted; and what an out pointer led to, "" none. */
struct gt_cuda_arg_text { char value[256], target[256]; };
void gt_render_cuda_arg(const struct gt_cuda_arg *a, struct gt_cuda_arg_text *out);

/* ---- calls of CUDA, which have no plan (render_cuda.c) ---- */
/* "cudaSuccess = cudaMalloc ( [0x7F3000000000];4096 )"; names: "devPtr=[...];size=4096", as HSA lines have them. */
void gt_render_atp_cuda(struct gt_text *t, struct gt_cuda *c, const struct gt_call *call, bool names);
/* "cudaFree(void * devPtr = 00007F3000000000) = cudaSuccess" */
void gt_render_log_cuda(struct gt_text *t, struct gt_cuda *c, const struct gt_call *call);

/* ---- shared by both (render_value.c) ---- */
/* A call that failed: nothing behind its pointers was read. */
static inline bool gt_call_failed(const struct gt_call *call) { return call->result != 0; }
/* Element i of captured data, zero extended. */
uint64_t gt_element(const struct gt_arg *a, uint64_t i, uint32_t bytes);
/* How many elements of `bytes` bytes are really there. */
uint64_t gt_elements_here(const struct gt_arg *a, uint32_t bytes);
int64_t gt_sign_extend(uint64_t bits, enum gt_value v, uint32_t bytes);
void gt_render_float(struct gt_text *t, enum gt_value v, uint64_t bits);
/* Symbol, else signed decimal. */
void gt_render_error(struct gt_text *t, const struct gt_enum *symbols, int32_t code);
/* .atp: 0x and upper-case hex, or NULL. */
void gt_render_atp_pointer(struct gt_text *t, uint64_t value);

#endif
