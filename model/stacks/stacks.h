/*
 * model/stacks/stacks.h - who made a call: stacks of addresses, and the objects they lie in
 *
 * Runs in the tool. A trace holds a stack once for each stream that met it; here equal ones are one, numbered from 1 in
 * the order of the trace's files over all its processes, and 0 is none. What the addresses mean (functions, files,
 * lines) is asked of model/symbols/symbols.h, and only then looked for.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_STACKS_H
#define GPUTAP_MODEL_STACKS_H

#include "model/model.h"
#include "model/nvtx/ranges.h"

/* An object that was loaded in a process: executable, library. What is loaded again is another one. */
struct gt_module {
	uint32_t index;                   /* in the trace, from 0 */
	uint32_t process;
	const char *path;                 /* as the dynamic linker knew it; of the executable its own */
	uint64_t bias;                    /* address = address in the file + bias */
	uint64_t start, end;
	uint32_t id_bytes; uint8_t id[REC_MODULE_ID_WORDS * 8]; /* build id; 0: it has none */
	int64_t seen_ns;                  /* when a stack first led through it */
};
uint32_t gt_model_module_count(const struct gt_model *m);
const struct gt_module *gt_model_module(const struct gt_model *m, uint32_t i);

/* A code object of Python: a function, or what a file does outside of functions. */
struct gt_python_code {
	uint32_t process;
	uint32_t version;                 /* 0x030b: CPython 3.11 */
	uint32_t first_line;
	const char *name, *file;
	const uint8_t *lines; uint32_t lines_bytes; /* as that version keeps them (model/symbols/python.c) */
	bool lines_cut;                   /* the end of them is missing */
};
const struct gt_python_code *gt_model_python_code(const struct gt_model *m, uint32_t i);
/* A function of Python that ran. code: UINT32_MAX: not known. at: bytes, REC_PYTHON_NOWHERE, | REC_PYTHON_ENTERED */
struct gt_python_place { uint32_t code, at; };

/* Frame 0 stands in the function that called the API. */
struct gt_stack {
	uint32_t id, process;
	uint32_t n, flags;                /* enum rec_stack_flag */
	const uint64_t *address;          /* return addresses: behind the call. n of them */
	const uint32_t *module;           /* gt_stack_module, GT_STACK_INTERRUPTED */
	uint32_t n_python;
	const struct gt_python_place *python; /* innermost first */
};
#define GT_STACK_INTERRUPTED 0x80000000u  /* the address is the instruction at which a signal came */
#define GT_STACK_NOWHERE 0x7fffffffu      /* in no object */
/* Index of the object that frame i lies in, or GT_STACK_NOWHERE. */
static inline uint32_t gt_stack_module(const struct gt_stack *k, uint32_t i)
{
	return k->module[i] & ~GT_STACK_INTERRUPTED;
}
uint32_t gt_model_stack_count(const struct gt_model *m);
/* id from 1 to the count; NULL: none such. */
const struct gt_stack *gt_model_stack(const struct gt_model *m, uint32_t id);

/* The stack that a call was made from, that a range of NVTX was begun from; 0: none was recorded. */
uint32_t gt_call_stack(const struct gt_call *call);
uint32_t gt_range_stack(const struct gt_model *m, const struct gt_range *range);
/* By the link that a record holds. */
uint32_t gt_stack_by_link(const struct gt_model *m, uint32_t process, uint64_t link);

#endif
