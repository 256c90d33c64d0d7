/*
 * model/functions/args.h - arguments of a record, found lazily and never outside it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_ARGS_H
#define GPUTAP_MODEL_ARGS_H

#include "model/model.h"
#include "model/functions/plan.h"
#include "trace/read/reader.h"

/* Where the copies of the present call lie. One per walk, filled at the first need of each call. */
struct gt_decoded {
	enum { GT_DECODE_NOT_YET, GT_DECODE_DONE, GT_DECODE_DAMAGED } state;
	struct gt_call *call;             /* whose copies these are */
	uint64_t *whole;                  /* arguments that the record has no room for, read at the first need */
	size_t room;
	struct gt_copied {
		const void *data;         /* NULL: not captured */
		uint32_t bytes;
		uint64_t count;           /* elements the program had there; more than bytes hold when cut */
		bool cut;
	} copy[GT_FN_PARAMS_MAX];
};

/* Before the first use, and behind the last. */
void gt_decoded_init(struct gt_decoded *d);
void gt_decoded_free(struct gt_decoded *d);
/* Arguments of a record into *call (fn set before): has_args, fixed, copies. */
void gt_call_set_args(struct gt_call *call, const struct gt_rec *rec, struct gt_decoded *decoded);
/* Raw fixed argument, zero extended; 0 when it is not stored. The call has arguments. */
uint64_t gt_call_fixed(const struct gt_call *call, const struct gt_param *p);

#endif
