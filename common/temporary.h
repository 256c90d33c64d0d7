/*
 * common/temporary.h - files that are not finished: their names, and who may read them
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

#define GT_TEMPORARY_MORE 40              /* bytes that the name is longer than the final one, at most */

/* The id of the run whose trace is worked on, if it is known: 16 hexadecimal digits. Others are not taken. */
void gt_temporary_run(const char *id);

/*
 * A name beside `final` that nobody can guess or prepare (common/plain/unfinished.h). Who makes the file says O_EXCL.
 * False: it does not fit, or the system has no random numbers.
 */
bool gt_temporary_name(const char *final, char *out, size_t room);

/*
 * A new file that nobody else may read, whatever the umask is: what comes of a trace holds command lines, program
 * sources and texts. flags: O_WRONLY and its like. -1 with errno; what is there already, or a link, is never taken.
 */
int gt_create_own(const char *path, int flags);

/*
 * The finished file gets its name. replace: whatever has that name by then, and what a process that was killed left
 * unfinished for it goes, unless somebody has it open; else it is -1 with EEXIST when something
 * has. 0, or -1 with errno.
 */
int gt_temporary_put(const char *temporary, const char *final, bool replace);

#endif
