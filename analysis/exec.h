/*
 * analysis/exec.h - from a launch to its kernel's end: what the OpenCL and the CUDA reports share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_EXEC_H
#define GPUTAP_ANALYSIS_EXEC_H

#include "analysis/reports/report.h"

struct gt_delays { int64_t api, queue, kernel, total; bool queued; };

/*
 * Queue time = kernel start - call end when that is not negative; total = from the call's start to whatever ends last.
 */
void gt_delays_of(int64_t call_start, int64_t call_end, int64_t start, int64_t end, struct gt_delays *d);
/* Groups of 4 samples by call, kernel and {pid, tid, device}. 0, or -1: no memory. */
int gt_exec_add(
	struct gt_groups *g, const struct gt_delays *d, const char *api, const char *kernel, const int64_t who[3]);
int gt_exec_put(struct gt_groups *g, struct gt_table *t);

#define GT_FIVE(x) x "Avg (ns)|" x "Med (ns)|" x "Min (ns)|" x "Max (ns)|" x "StdDev (ns)|"
#define GT_HEADINGS_EXEC_SUM "Count|QCount|PID|TID|DevId|" GT_FIVE("T") GT_FIVE("A") GT_FIVE("Q") GT_FIVE("K") \
	"API Name<|Kernel Name<"
#define GT_HEADINGS_EXEC_TRACE "API Start (ns)|API Dur (ns)|Queue Start (ns)|Queue Dur (ns)|Kernel Start (ns)|" \
	"Kernel Dur (ns)|Total Dur (ns)|PID|TID|DevId|API Function<|GridXYZ|BlockXYZ|Kernel Name<"
#define GT_HEADINGS_API_TRACE "Start (ns)|Duration (ns)|Name<|Result<|CorrID|Pid|Tid|T-Pri|Thread Name<"
#define GT_HEADINGS_GPU_TRACE "Start (ns)|Duration (ns)|CorrId|GrdX|GrdY|GrdZ|BlkX|BlkY|BlkZ|Reg/Trd|StcSMem (MB)|" \
	"DymSMem (MB)|Bytes (MB)|Throughput (MB/s)|SrcMemKd<|DstMemKd<|Device<|Ctx|GreenCtx|Strm|Name<"

#endif
