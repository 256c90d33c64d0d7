/*
 * analysis/sections/deploy.h - the section files that come with gputap, and the user's folder that they are put into
 *
 * Installed files lie in lib/gputap/sections, beside the tool in a build tree. They are copied to a folder of the
 * user's ($XDG_DATA_HOME/gputap/sections), where they may be edited: STOCK1.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_DEPLOY_H
#define GPUTAP_ANALYSIS_SECTIONS_DEPLOY_H

#include <limits.h>
#include <stdbool.h>

#include "common/error.h"
#include "common/trusted.h"

enum gt_deploy {
	GT_DEPLOY_OFF,                    /* the installed files, whatever the user's folder holds */
	GT_DEPLOY_LOOK,                   /* the user's folder where there is one; nothing is written */
	GT_DEPLOY_WRITE                   /* the user's folder, brought up to date first */
};

/*
 * The folder of section files to read. -1 with *err: none is installed. 1 with *err: the user's folder could not be
 * written; the installed one stands.
 */
int gt_stock_folder(enum gt_deploy how, char folder[PATH_MAX], struct gt_err *err);

/* $XDG_DATA_HOME/gputap/NAME, or below $HOME; false where neither is known. */
bool gt_user_folder(const char *name, char folder[PATH_MAX], char why[GT_TRUST_WHY]);

/* Copies the files of `from` with this suffix into `to`, which is made where it is not there. Rules too. */
int gt_stock_deploy(const char *from, const char *to, const char *suffix, struct gt_err *err);

#endif
