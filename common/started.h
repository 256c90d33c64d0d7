/*
 * common/started.h - lines of a trace about programs that the run started and that were not followed
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_STARTED_H
#define GPUTAP_COMMON_STARTED_H

#include <stddef.h>

/*
 * The sentence for the value of an `unreachable` or a `started` line of `run` (trace/format/rec.h), cut to `room`; ""
 * where it names no program.
 */
void gt_started_note(const char *key, const char *value, char *text, size_t room);

/* What the program of that line is, as the end of "PATH is ...", and its path; NULL: the line names none. */
const char *gt_started_why(const char *value, const char **path);

#endif
