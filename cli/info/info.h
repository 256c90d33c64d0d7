/*
 * cli/info/info.h - what the files of gputap info share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_INFO_H
#define GPUTAP_CLI_INFO_H

#include "common/text.h"
#include "model/model.h"

/*
 * CUDA, where there is any: to standard output; as a field "cuda" of the object that is open in t. 0, or -1 with *err.
 */
int gt_info_cuda_text(struct gt_model *m, struct gt_err *err);
int gt_info_cuda_json(struct gt_model *m, struct gt_text *t, struct gt_err *err);

/* What was proved, and what failed: model/checks. */
void gt_info_checks_text(const struct gt_model *m);
void gt_info_checks_json(struct gt_text *t, const struct gt_model *m);

/* The next object of the array that is open in t: a comma where one is needed, and a brace. */
void gt_info_begin_item(struct gt_text *t);

/* A number that is -1 where nobody said it: then there is no field. */
void gt_info_known(struct gt_text *t, const char *name, int64_t v);

/* A report file; 0, or -1 with *err. cli/info/report.c */
struct gt_err;
int gt_info_report(const char *path, bool json, struct gt_err *err);

#endif
