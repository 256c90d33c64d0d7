/*
 * analysis/sections/choice.h - the section files and sections that a command line asks for
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_CHOICE_H
#define GPUTAP_ANALYSIS_SECTIONS_CHOICE_H

#include "analysis/sections/section.h"
#include "analysis/sections/deploy.h"
#include "common/options.h"

/*
 * Reads the files of --section-folder and --section-folder-recursive, or else gputap's own ones, by `how` unless
 * --deploy=false; sorted. 0; 1 with *err: the user's folder could not be written, all else is as it should be; -1.
 */
int gt_sections_open(struct gt_sections *s, const struct gt_options *o, enum gt_deploy how,
	const struct gt_text_notes *notes, struct gt_err *err);

/*
 * Whether --set, --section and --metrics ask for the section. Without any of them: those of the folder that was named,
 * else the set `opencl` of a kernel of OpenCL, `basic` of another.
 */
bool gt_section_chosen(const struct gt_options *o, const struct gt_section *section, bool opencl);
/* 0, or -1 with *err: a set or section of that name is not there. */
int gt_sections_check(const struct gt_sections *s, const struct gt_options *o, struct gt_err *err);

#endif
