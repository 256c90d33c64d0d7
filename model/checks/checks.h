/*
 * model/checks/checks.h - whether a trace holds what it should, proved by who reads it
 *
 * The recorder counts what it could not record; that the rest is there, and that its times can be, is not believed but
 * looked at. Each check of checks.def counts what it looked at and what failed, with the first few by call and time.
 * A failure is a reason of the ledger like those of the recorder.
 *
 * Runs in the tool, where calls are in order (gt_walk_apply) or before any walk. What a second walk finds was counted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CHECKS_H
#define GPUTAP_MODEL_CHECKS_H

#include <stdint.h>

#include "trace/format/rec.h"

struct gt_model;
struct gt_call;
struct gt_command;
struct gt_fn;
struct gt_fn_info;

enum gt_check {
#define CHECK(id, name, reason, proves, unit, follows) GT_CHECK_##id,
#include "model/checks/checks.def"
	GT_CHECK_COUNT
};
struct gt_check_fact { const char *name; enum rec_loss reason; const char *proves, *unit, *follows; };
extern const struct gt_check_fact gt_check_facts[GT_CHECK_COUNT];

/* what: the function, as long as the model; NULL. at_ns: its call's start; by_ns: how far it is off; both 0: none. */
struct gt_check_case { uint32_t process; const char *what; int64_t at_ns, by_ns; };
enum { GT_CHECK_SHOWN = 3 };
struct gt_checked {
	uint64_t looked, failed;
	uint32_t n_shown;
	struct gt_check_case shown[GT_CHECK_SHOWN];
};
/* Of what was read until now. */
const struct gt_checked *gt_model_checked(const struct gt_model *m, enum gt_check check);

/* ---- for the model's own files ---- */

void gt_check_looked(struct gt_model *m, enum gt_check check, uint64_t n);
/* n failed, and they are told under the check's reason. one: an example; NULL. */
void gt_check_failed(struct gt_model *m, enum gt_check check, uint64_t n, const struct gt_check_case *one);
/* An example of what was counted elsewhere. */
void gt_check_show(struct gt_model *m, enum gt_check check, const struct gt_check_case *one);

/* OpenCL's command of a call that succeeded, in the order of the walk. checks/opencl.c */
void gt_checks_command(struct gt_model *m, const struct gt_call *call, const struct gt_command *c);
/* A call that returned when all of its queue was done. */
void gt_checks_finish(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f);
/* A call of which a copy was cut (REC_CUT), before any walk. fn: NULL where it is not known. */
void gt_checks_cut(struct gt_model *m, uint32_t process, const struct gt_fn *fn, uint64_t start_tick);
/* When processes have their beginnings. */
void gt_checks_processes(struct gt_model *m);
/* When image records are there: what became of programs that the run started. model/children.c */
void gt_checks_started(struct gt_model *m);

#endif
