/*
 * cli/metrics/sections.h - the section files that a command was asked to read
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_SECTIONS_H
#define GPUTAP_CLI_SECTIONS_H

#include "analysis/sections/choice.h"
#include "cli/cli.h"
#include "model/model.h"

/*
 * Reads them; says on stderr what is left out of them, and whether the user's folder could not be written. 0, or -1
 * with *err.
 */
int gt_cli_sections(const struct gt_cli *cli, struct gt_sections *s, struct gt_err *err);
/* The files that cannot be used, on stderr; GT_EXIT_INPUT if there are any. */
int gt_cli_section_errors(const struct gt_sections *s);
/*
 * Without a word of what is to be shown: what gputap run was asked to count. The folders of sections that it was given
 * are not taken over; `say`: they are named on stderr. 0, or -1 with *err.
 */
int gt_cli_as_it_was_run(struct gt_options *o, const struct gt_model *m, bool say, struct gt_err *err);
/* Says that counters were collected and what they are is lost. */
void gt_cli_counters_note(struct gt_model *m);

#endif
