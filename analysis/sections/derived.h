/*
 * analysis/sections/derived.h - metrics that section files define from others
 *
 * A metric has a regular value, instances, or both; an instance may have a correlation id (an address, a name).
 *
 * spec: NCU "Derived Metrics"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_DERIVED_H
#define GPUTAP_ANALYSIS_SECTIONS_DERIVED_H

#include "analysis/metrics/metrics.h"
#include "common/error.h"
#include "model/arena.h"

/* id: TEXT or INTEGER; NONE: it has none. */
struct gt_instance { struct gt_metric_value id, value; };
struct gt_instanced {
	struct gt_metric_value regular;   /* NONE: there is none */
	struct gt_instance *instances; uint32_t n;
};

enum gt_derived_mode {
	GT_DERIVED_GUIDE,                 /* as the guide's text says */
	/*
	 * as genuine reports are: a result with instances has their sum as its regular value; division leaves out ids
	 * of the right side alone; a left side without instances gives one for each of the right side
	 */
	GT_DERIVED_NCU
};

/* operand operator operand; an operand is the name of a metric, or a constant (name.bytes 0). */
struct gt_derived_operand { struct gt_string name; struct gt_metric_value constant; };
struct gt_derived { struct gt_derived_operand left, right; char operator; };

/* NULL, or what is wrong with the expression; *at: the byte of it. */
const char *gt_derived_parse(const char *expression, size_t bytes, struct gt_derived *out, size_t *at);

/* out->instances lie in the arena. False: no memory. */
bool gt_derived_combine(struct gt_arena *a, char operator, const struct gt_instanced *left,
	const struct gt_instanced *right, enum gt_derived_mode mode, struct gt_instanced *out);

#endif
