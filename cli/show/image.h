/*
 * cli/show/image.h - how process images, and what they say of themselves, are shown by dump and info
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_SHOW_IMAGE_H
#define GPUTAP_CLI_SHOW_IMAGE_H

#include "cli/show/show.h"

extern const struct gt_shown_list gt_shown_process;     /* of struct gt_process */
/* Of struct gt_image_record, by type: whose it is, what it tells. */
extern const struct gt_shape gt_shown_image_records[REC_TYPE_COUNT];

#endif
