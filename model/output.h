/*
 * model/output.h - what the program wrote to standard output and error, where the trace has it (--capture-output)
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_OUTPUT_H
#define GPUTAP_MODEL_OUTPUT_H

#include "model/model.h"

/* One open file: standard output, standard error, or both where they were one. */
struct gt_captured_output {
	unsigned number;                  /* of its file in the trace: output.N */
	int pid;                          /* of the process that was started */
	const char *of;                   /* "stdout", "stderr", "stdout_stderr" */
	const char *kind;                 /* "terminal", "pipe", "file": what the program wrote to */
	uint64_t bytes, kept;             /* written by the program; of those in the trace, the first ones */
};

uint32_t gt_model_output_count(const struct gt_model *m);
const struct gt_captured_output *gt_model_output(const struct gt_model *m, uint32_t i);
/* What was kept, zero terminated, to be freed: raw bytes. NULL: it cannot be read. */
char *gt_model_output_text(struct gt_model *m, uint32_t i, size_t *bytes);

#endif
