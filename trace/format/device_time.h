/*
 * trace/format/device_time.h - whether a driver's answer is a time: one rule for all APIs, in the writer and the reader
 *
 * Runs      anywhere; no state.
 *
 * Drivers answer success and zero (nothing was measured), an end before the start, or numbers that count instead of
 * measuring (0, 1, 2, 3 for each command): no clock of a device that has been told to work stands that low. None of
 * these is a time, and a row made of one would say that a kernel ran for half an hour, or for a nanosecond.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_DEVICE_TIME_H
#define GPUTAP_TRACE_FORMAT_DEVICE_TIME_H

#include <stdint.h>

#include "trace/format/rec.h"

#define REC_LEAST_TIME 16               /* ns: an end below it was counted, not measured */

/* Why a start and an end are no times (enum rec_loss), or -1. longest: ns that it can have run at most, 0 not known. */
static inline int rec_no_time(uint64_t start, uint64_t end, uint64_t longest)
{
	if (!start || !end)
		return REC_LOSS_TIME_ZERO;
	if (end < start)
		return REC_LOSS_TIME_REVERSED;
	return end < REC_LEAST_TIME || (longest && end - start > longest) ? REC_LOSS_TIME_IMPOSSIBLE : -1;
}

#endif
