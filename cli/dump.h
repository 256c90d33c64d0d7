/*
 * cli/dump.h - what the files of gputap dump share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_DUMP_H
#define GPUTAP_CLI_DUMP_H

#include "common/text.h"
#include "model/model.h"

const char *gt_dump_loss_name(int reason);      /* "TIME_ZERO"; NULL */

/* All of CUDA, a line each. drain: called now and then, empties the text when it is long; false: nobody reads on. */
int gt_dump_cuda(
	struct gt_model *m, struct gt_text *t, bool json, bool (*drain)(void *ctx), void *ctx, struct gt_err *err);

#endif
