/*
 * model/functions/plan.h - how a function's record is decoded, worked out once when the table is parsed
 *
 * The table gives counts as text ("num_events", "param*8", "*size_ret"). Evaluating text per call would cost more than
 * the rest of reading, so each function has a plan: its copies in the order of the record, with compiled counts.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_PLAN_H
#define GPUTAP_MODEL_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/functions/fntable.h"

#define GT_FN_PARAMS_MAX 64               /* a table with longer prototypes is refused */

/* A product: factor x up to two parameters, each taken as it stands or as the value behind it. */
struct gt_term {
	uint64_t factor;
	int16_t param[2];                 /* -1: none */
	bool behind[2];                   /* the value behind the pointer */
};

/* A term, or the lesser of two. */
struct gt_expr {
	struct gt_term a, b;
	bool is_min;
};

/* One copy behind the fixed arguments; steps stand in the order of the record. */
struct gt_copy_step {
	uint16_t param;
	uint8_t kind;                     /* enum gt_copy */
	bool kept;                        /* of calls that failed, too */
	bool bounded;                     /* of a length that the program chooses: --max-args may cut it */
	int16_t capacity;                 /* out parameter that bounds the count, -1 */
	uint32_t elem_bytes, limit;       /* limit 0: none */
	struct gt_expr count;
};

struct gt_plan {
	bool broken;                      /* a count names what is not there: copies cannot be found */
	uint16_t n_steps;
	const struct gt_copy_step *steps;
};

/* Compiles a count expression of the function fn. False: not understood. */
bool gt_expr_compile(const struct gt_fn *fn, const char *text, struct gt_expr *out);
/* Fills *plan; steps has room for fn->n_params. */
void gt_plan_make(const struct gt_fn *fn, struct gt_copy_step *steps, struct gt_plan *plan);
int gt_fn_find_param(const struct gt_fn *fn, const char *name, size_t bytes); /* index, -1 */

#endif
