/*
 * analysis/sections/opcodes.h - what the instructions of a module are, as nvdisasm names them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_OPCODES_H
#define GPUTAP_ANALYSIS_SECTIONS_OPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/text.h"
#include "model/cuda/cubin.h"

/* name: with its modifiers ("IMAD.WIDE"), of `bytes`; base: how many of them are the opcode alone. */
struct gt_opcode { uint64_t at; const char *name; uint32_t bytes, base; };        /* at: place in the module's file */
struct gt_opcodes {
	struct gt_opcode *v; uint32_t n;          /* by place */
	char *text;                               /* what nvdisasm printed */
	const char *why;                          /* nothing is known; NULL */
	bool asked, failed;                       /* failed: no memory */
};

/*
 * Asks nvdisasm ($PATH, $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin), which is started and waited for, a minute
 * at most; once for each module.
 */
void gt_opcodes_ask(struct gt_opcodes *o, const struct gt_cubin *cubin, struct gt_string code);
/* NULL: nvdisasm shows no instruction there. */
const struct gt_opcode *gt_opcode_at(const struct gt_opcodes *o, uint64_t at);
void gt_opcodes_free(struct gt_opcodes *o);

/* What nvdisasm printed, ended by a zero, is taken apart and owned: for gt_opcodes_ask, and for tests. */
void gt_opcodes_parse(struct gt_opcodes *o, const struct gt_cubin *cubin, char *text);

#endif
