/*
 * analysis/sections/module.h - the code of a trace's CUDA modules as a report holds it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_MODULE_H
#define GPUTAP_ANALYSIS_SECTIONS_MODULE_H

#include "analysis/sections/action.h"
#include "analysis/sections/opcodes.h"
#include "model/cuda/cubin.h"
#include "model/cuda/cuda.h"

/* Contents that were looked at, once each; all zero: none yet. */
struct gt_module {
	uint64_t content[2], reference;   /* its number in a report's sources; 0: not there */
	struct gt_string code;            /* empty: it is not in the trace, or not whole */
	struct gt_cubin cubin;
	struct gt_opcodes opcodes;        /* gt_module_opcodes */
};
struct gt_modules {
	GT_LIST(struct gt_module *) v;
	const struct gt_module **of;      /* of each module of the trace, by its number; NULL: its code is not there */
	bool asked, any, failed;
};

/*
 * The module that a kernel came from: by CUPTI's CRC of it, where that is known (else 0), else the last one that was
 * loaded at that time and has a function of the name, of the same context rather than another. NULL: the trace does
 * not have its code.
 */
const struct gt_module *gt_module_of(struct gt_modules *all, struct gt_model *m, uint32_t process, uint64_t crc,
	uint32_t context, struct gt_string name, int64_t ns);

/*
 * Its number in as->sources, from 1, where it is added when it is new. An address in a report is the place of the
 * instruction in the module's file. 0: no memory.
 */
uint64_t gt_module_add(struct gt_actions *as, const struct gt_module *module, uint32_t capability);
/* nvdisasm is asked for them when they are wanted first. */
const struct gt_opcodes *gt_module_opcodes(const struct gt_module *module);
void gt_modules_close(struct gt_modules *all);

#endif
