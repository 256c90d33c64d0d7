/*
 * analysis/sections/program.h - the sources of a trace's OpenCL programs as a report holds them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_PROGRAM_H
#define GPUTAP_ANALYSIS_SECTIONS_PROGRAM_H

#include "analysis/sections/action.h"
#include "common/map.h"
#include "model/model.h"

/* Programs with one source, the same options and the same build log are one; all zero: none yet. */
struct gt_programs { struct gt_map seen; };

/*
 * What a kernel refers to: the program's number in as->sources, from 1, where it is added when it is new; 0: its source
 * is not in the trace. False: no memory.
 */
bool gt_programs_add(struct gt_programs *p, struct gt_actions *as, struct gt_model *m,
	const struct gt_object *program, uint64_t *reference);
void gt_programs_close(struct gt_programs *p);

#endif
