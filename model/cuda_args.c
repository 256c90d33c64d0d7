/*
 * model/cuda_args.c - arguments of CUDA calls
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "model/cuda_internal.h"

/* Words of the parameter struct. */
bool gt_cuda_arg(struct gt_cuda *c, const struct gt_cuda_event *call, unsigned i, struct gt_cuda_arg *out)
{
	static const char *const names[] = { "word0", "word1", "word2", "word3", "word4", "word5", "word6", "word7", "word8", "word9", "word10", "word11",
		"word12", "word13", "word14", "word15" };
	struct gt_err err;
	struct gt_rec rec;
	uint32_t bytes;

	if (!call->call.has_args || gt_reader_fetch(c->m->reader, call->process, call->call.args_link, &rec, &err) != 1 || !rec.n_args)
		return false;
	bytes = (uint32_t)rec.args[0] & ~REC_CUDA_RAW;
	if (i >= sizeof names / sizeof *names || bytes <= i * 8 || rec.n_args < 2 + i)
		return false;
	*out = (struct gt_cuda_arg){ .type = "uint64_t", .name = names[i], .value = rec.args[1 + i], .bytes = 8, .has_value = true };
	snprintf(out->text, sizeof out->text, "0x%llx", (unsigned long long)out->value);
	return true;
}

const char *gt_cuda_result_text(const struct gt_cuda_event *call, char *buf, size_t bytes)
{
	bool driver = call->call.domain == REC_DOMAIN_CUDA_DRIVER;

	if (call->call.result)
		snprintf(buf, bytes, "%d", call->call.result);
	else
		snprintf(buf, bytes, "%s", driver ? "CUDA_SUCCESS" : "cudaSuccess");
	return buf;
}
