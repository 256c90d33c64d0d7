/*
 * cli/perf/unwind.h - callers from copies of the registers and the stack
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_PERF_UNWIND_H
#define GPUTAP_CLI_PERF_UNWIND_H

#include "cli/perf/internal.h"

#define GT_PERF_STACK 8192u               /* bytes of the stack's top that are copied */
extern const uint64_t gt_perf_registers;  /* that the kernel copies, in its own order; 0: not on this architecture */

bool gt_perf_unwind_ready(void);          /* false: libunwind is not installed */
/*
 * The addresses of a sample's stack, innermost first: how many; 0: nothing could be done. *space: of the process, NULL
 * at first, then what was learnt of its objects. *whole: it leads to the thread's beginning. *guessed: it leads through
 * code without unwind tables.
 */
uint32_t gt_perf_unwind(
	void **space, struct gt_perf_maps *maps, const struct gt_perf_event *e, uint64_t frames[GT_PERF_FRAMES],
	bool *whole, bool *guessed);
void gt_perf_space_changed(void *space);  /* something else is mapped now */
void gt_perf_space_free(void *space);

#endif
