/*
 * model/functions/fntable.h - the function table that a trace carries: names, prototypes, capture layouts, enums
 *
 * The reader decodes with the trace's table, never with its own, so a trace of another gputap version reads
 * right. The text form is described in api/README.md; it is made by api/generate.py.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_FNTABLE_H
#define GPUTAP_MODEL_FNTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* What kind of value one scalar, or one element behind a pointer, is. */
enum gt_value {
	GT_VOID, GT_I8, GT_U8, GT_I16, GT_U16, GT_I32, GT_U32, GT_I64, GT_U64, GT_SIZE, GT_F32, GT_F64,
	GT_BOOL,                          /* cl_bool */
	GT_ENUM,                          /* symbol of group, else decimal */
	GT_FLAGS,                         /* symbols joined by | in group order */
	GT_ERROR,                         /* cl_int error code or CL_COMPLETE-style status: group */
	GT_HANDLE,                        /* API object; object kind in param->object */
	GT_POINTER,                       /* opaque address */
	GT_CALLBACK,                      /* function pointer */
	GT_CHAR, GT_BYTE,                 /* text / raw bytes behind a pointer */
	GT_STRUCT,                        /* struct named in param->group, layout in gt_struct */
};

/* How a pointer parameter's target was captured. */
enum gt_copy {
	GT_COPY_NONE,                     /* only the pointer */
	GT_COPY_ARRAY,                    /* count elements */
	GT_COPY_STRING,                   /* u32 bytes, then the bytes, padded to words (zero terminator not stored) */
	/* property list: key, value pairs up to and with the 0, u64 each; u64 count first */
	GT_COPY_PLIST,
	/* opaque bytes, count = bytes; an info query's value is decoded by the query (group) */
	GT_COPY_BYTES,
};
enum gt_dir { GT_IN, GT_OUT, GT_INOUT };

struct gt_enum_value { int64_t value; const char *name; };
struct gt_enum { const char *name; bool is_flags; uint32_t n; const struct gt_enum_value *values; };
struct gt_struct { const char *name; uint32_t bytes, n_fields;
	const struct gt_field {
		const char *name;
		uint32_t offset;
		enum gt_value value;
		uint32_t bytes;
		const char *group;
	} * fields;
};

struct gt_param {
	const char *type;                 /* exactly as in the prototype: "const size_t *" */
	const char *name;
	enum gt_value value;              /* of the parameter itself, GT_POINTER for pointers */
	const char *group;                /* enum / flags / struct / property group; "" */
	/* in 4-byte halves from the duration word (half 1 = its upper half); -1 not stored */
	int position;
	uint32_t bytes;                   /* 4 or 8 */
	/* pointers */
	enum gt_copy copy;
	enum gt_dir dir;
	enum gt_value elem; uint32_t elem_bytes; uint32_t object; /* enum rec_object for handles, 0 */
	const char *count;                /* expression, api/README.md; "" = 1 */
	const char *capacity;             /* out arrays: *count_ret parameter that bounds what is valid; "" */
	uint32_t limit;                   /* bytes captured at most */
	bool typed_out;                   /* the API log prints ", *name = value" */
	bool is_event_out, is_wait_list, is_errcode;
	bool kept;                        /* copied of calls that failed, too */
	bool counts;                      /* the capacity of another: its word may be a REC_COUNT_WORD */
	const struct gt_enum *symbols;    /* group, when it is an enum or flags; NULL */
};

struct gt_fn {
	uint32_t id;
	const char *name;                 /* "clFinish"; callbacks: "clSetEventCallback.pfn_notify" */
	uint32_t domain;                  /* enum rec_domain */
	const char *kind;                 /* "query create retain release state enqueue sync build callback ..." */
	const char *ret_type;             /* "cl_int" */
	enum gt_value ret;                /* GT_ERROR, GT_HANDLE, GT_POINTER, GT_VOID, ... */
	/* halves; where a returned pointer or 64-bit value is stored, -1 in head.result */
	int ret_position;
	uint32_t ret_object;              /* enum rec_object */
	const char *command_type;         /* "CL_COMMAND_NDRANGE_KERNEL"; "" when not an enqueue */
	uint32_t command_value;
	uint32_t fixed_words;             /* words of fixed arguments behind the duration word */
	bool has_event_out;
	bool is_callback;
	uint32_t n_params;
	const struct gt_param *params;
	uint32_t index;                   /* gt_fntable_at(t, index) is this function */
	const struct gt_enum *errors;     /* names of its result codes; NULL */
	const struct gt_plan *plan;       /* how its record is decoded: model/functions/plan.h */
};

struct gt_fntable;
/* Parses the text form (bytes need not be terminated). Strings are copied. */
int gt_fntable_parse(const char *text, size_t bytes, struct gt_fntable **out, struct gt_err *err);
void gt_fntable_free(struct gt_fntable *t);
const struct gt_fn *gt_fntable_find(const struct gt_fntable *t, uint32_t id);          /* NULL */
const struct gt_fn *gt_fntable_find_name(const struct gt_fntable *t, const char *name); /* NULL */
uint32_t gt_fntable_count(const struct gt_fntable *t);
const struct gt_fn *gt_fntable_at(const struct gt_fntable *t, uint32_t i);
const struct gt_enum *gt_fntable_enum(const struct gt_fntable *t, const char *group);  /* NULL */
const struct gt_struct *gt_fntable_struct(const struct gt_fntable *t, const char *name);
const char *gt_enum_name(const struct gt_enum *e, int64_t value);                       /* NULL: unknown */
/*
 * The next name for set flags, NULL when no bit that is left has one: a value that is named as a whole
 * (CL_DEVICE_TYPE_ALL) first, then bit by bit in the order of the headers. *bits loses what was named.
 */
const char *gt_enum_next_flag(const struct gt_enum *e, uint64_t *bits);
/*
 * How the value behind an info query's param_value is to be read: enum gt_value, group, is_array. False: unknown query.
 */
struct gt_query { enum gt_value value; const char *group; bool array; };
bool gt_fntable_query(const struct gt_fntable *t, const char *group, int64_t query, struct gt_query *out);
#endif
