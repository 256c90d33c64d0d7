/*
 * model/cuda_args.c - arguments of CUDA calls
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "model/cuda_internal.h"

const char *gt_cuda_result_text(const struct gt_cuda_event *call, char *buf, size_t bytes)
{
	bool driver = call->call.domain == REC_DOMAIN_CUDA_DRIVER;

	if (call->call.result)
		snprintf(buf, bytes, "%d", call->call.result);
	else
		snprintf(buf, bytes, "%s", driver ? "CUDA_SUCCESS" : "cudaSuccess");
	return buf;
}
