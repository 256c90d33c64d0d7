/*
 * common/together.h - the same function on some threads at once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_TOGETHER_H
#define GPUTAP_COMMON_TOGETHER_H

#include <stddef.h>

/*
 * Calls work with the address of each of n elements of `bytes` at once, and returns when all are done. The first is the
 * calling thread's. An element whose thread cannot be started is not worked on, nor are those behind it: it takes
 * longer then, so what there is to do must be common to them.
 */
void gt_together(unsigned n, void *(*work)(void *element), void *elements, size_t bytes);

#endif
