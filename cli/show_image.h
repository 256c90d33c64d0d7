/*
 * cli/show_image.h - how process images, and what they say of themselves, are shown by dump and info
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_SHOW_IMAGE_H
#define GPUTAP_CLI_SHOW_IMAGE_H

#include "cli/show.h"

extern const struct gt_shown_list gt_shown_process;     /* of struct gt_process */
/* Of struct gt_image_record: whose it is; its time with what each type tells. */
extern const struct gt_shown_list gt_shown_whose, gt_shown_clock, gt_shown_window, gt_shown_exec, gt_shown_exit;

#endif
