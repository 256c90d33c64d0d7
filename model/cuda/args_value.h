/*
 * model/cuda/args_value.h - one recorded CUDA call's arguments as values
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CUDA_ARGS_VALUE_H
#define GPUTAP_MODEL_CUDA_ARGS_VALUE_H

#include "model/cuda/cuda.h"
#include "model/cuda/table.h"
#include "trace/read/reader.h"

/* The parts of a record (trace/format/rec.h), checked. */
struct gt_cuda_args_record {
	uint32_t domain, cbid;            /* enum rec_domain */
	const uint8_t *params; uint32_t bytes;
	/* how long the structure is was not known: bytes behind its end may be here too */
	bool raw;
	const uint64_t *copies; uint32_t copy_words, n_copies;
	bool cut;                         /* a text was */
};

/* False: the record is not one of a CUDA call with arguments, or is damaged. */
bool gt_cuda_args_read(const struct gt_rec *rec, struct gt_cuda_args_record *out);
/*
 * Argument i; false behind the last. `table` first, then the built-in one; a call that neither knows shows its words.
 */
bool gt_cuda_args_get(
	const struct gt_cuda_table *table, const struct gt_cuda_args_record *r, unsigned i, struct gt_cuda_arg *out);

#endif
