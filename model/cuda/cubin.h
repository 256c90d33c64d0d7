/*
 * model/cuda/cubin.h - the code of a CUDA module (a cubin, an ELF file): its functions, and what they take of a device
 *
 * Lines, PTX and instructions are read in reports (python/gputap_report/cubin.py).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CUDA_CUBIN_H
#define GPUTAP_MODEL_CUDA_CUBIN_H

#include "model/model.h"

struct gt_cubin_function {
	struct gt_string name;            /* mangled; lies in the code */
	uint32_t index;                   /* of its symbol, as samples of the program counter name it */
	uint64_t at, bytes;               /* its instructions, in the file */
	int32_t registers, barriers;      /* of a thread, of a block; -1: it does not tell */
};
struct gt_cubin { struct gt_cubin_function *functions; uint32_t n; };   /* by name, index */

/*
 * Functions of the code, to be freed; the bytes have to stay. Nothing in them is trusted: what does not fit is left
 * out, and what is no cubin has no functions. False: no memory.
 */
bool gt_cubin_read(struct gt_cubin *c, const void *data, size_t bytes);
const struct gt_cubin_function *gt_cubin_find(const struct gt_cubin *c, struct gt_string name);   /* NULL */
void gt_cubin_free(struct gt_cubin *c);

#endif
