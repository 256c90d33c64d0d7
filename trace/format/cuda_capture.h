/*
 * trace/format/cuda_capture.h - what the shim must know of CUDA calls to copy their arguments
 *
 * As it lies in memory and in the capture file that api/cuda_generate.py writes beside its table (docs/cuda-args.md):
 * this head, then `runtime` + `driver` calls by callback id, then `copies` copies. In the byte order of the machine.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_CUDA_CAPTURE_H
#define GPUTAP_TRACE_FORMAT_CUDA_CAPTURE_H

#include <stdint.h>

#define REC_CUDA_CAPTURE_MAGIC 0x3143504143505447ull    /* "GTPCAPC1" */
#define REC_CUDA_CAPTURE_VERSION 1u

struct rec_cuda_capture {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes;                 /* whole */
	uint32_t runtime, driver;       /* calls */
	uint32_t copies;
	uint32_t reserved;
};

struct rec_cuda_call {
	uint16_t bytes;                 /* of the parameter structure + 1; 0: not known */
	uint16_t first, n;              /* its copies */
	uint16_t reserved;
};

enum rec_cuda_copy_flag {
	REC_CUDA_TEXT = 1,              /* zero-terminated; bytes is 0 */
	REC_CUDA_IN = 2,                /* the call reads it */
	REC_CUDA_OUT = 4,               /* the call writes it: copied only if it succeeded */
	REC_CUDA_GUARDED = 8,           /* may be smaller than `bytes`: never read as it is */
};

struct rec_cuda_copy {
	uint16_t offset;                /* of the pointer in the parameter structure */
	uint16_t bytes;                 /* that it leads to */
	uint16_t flags;                 /* enum rec_cuda_copy_flag */
	uint16_t reserved;
};

#define REC_CUDA_COPIES_MAX 16u         /* of one call */
#define REC_CUDA_COPY_BYTES 256u        /* of one copy that is no text; of older traces of a text too */
/* Of the bytes of a copy in a record, beside REC_CUDA_COPY_OUT: a text that goes on. */
#define REC_CUDA_COPY_CUT 0x40000000u
#define REC_CUDA_COPY_LENGTH 0x3fffffffu

#endif
