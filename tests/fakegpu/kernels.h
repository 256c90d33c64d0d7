/*
 * tests/fakegpu/kernels.h - a module's kernels from its PTX text
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_FAKEGPU_KERNELS_H
#define GPUTAP_TESTS_FAKEGPU_KERNELS_H

#include "fakegpu.h"

int fg_read_ptx(struct fg_module *m, const char *text);   /* a CUDA result */

/* cubin.c: the module's code; its functions' place in it. */
void fg_cubin(struct fg_module *m);
void fg_cubin_gone(struct fg_module *m);

#endif
