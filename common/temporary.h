/*
 * common/temporary.h - names of files that are not finished
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_TEMPORARY_H
#define GPUTAP_COMMON_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A name beside `final` that nobody can guess or prepare: "FINAL.RANDOM.part". Who makes the file says O_EXCL. False:
 * it does not fit, or the system has no random numbers.
 */
bool gt_temporary_name(const char *final, char *out, size_t room);

#endif
