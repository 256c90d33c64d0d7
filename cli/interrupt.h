/*
 * cli/interrupt.h - what Ctrl-C and its kin do to an export: no half-written file stays, the trace does
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_INTERRUPT_H
#define GPUTAP_CLI_INTERRUPT_H

/*
 * From now on SIGINT, SIGTERM, SIGQUIT and SIGHUP remove the file that is being written, say that the trace is kept,
 * and end the process by that signal. Signals that are ignored stay ignored.
 */
void gt_interrupt_watch(void);
/*
 * The file that is being written under a name that is not its last one; NULL: none any more. One at a time, main
 * thread. A path of over PATH_MAX + 31 bytes is not watched.
 */
void gt_interrupt_file(const char *path);

#endif
