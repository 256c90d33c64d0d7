/*
 * tests/fakegpu/profiler.h - the stand-in's images of a plan and of counters: profiler.c, pm.c
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_FAKEGPU_PROFILER_H
#define GPUTAP_TESTS_FAKEGPU_PROFILER_H

#include "fakegpu.h"
#include <stdio.h>
#include <stdlib.h>

#define BEGIN size_t size; void *none
#define IMAGE_MAGIC "gputap stand-in"

enum { RANGE_PROFILER, PM_SAMPLING };           /* what a plan and an image are for */

struct config { char magic[16], chip[16]; uint64_t n, passes, names_hash, type; };
/* kernel: the first in it; threads: of the launches in it. begin, end: of a sample of performance monitors */
struct range { char name[40], kernel[128]; uint64_t threads, begin, end; };
/* The head, then `room` ranges. done: passes that are in it */
struct image { char magic[16], chip[16]; uint64_t names_hash, room, n, done, type; };

const char *fg_chip_of_devices(void);

#define CRASH_WITHOUT_DRIVER() do { \
	if (!fg_state.initialised) { \
		fprintf(stderr, "gputap stand-in: %s without a driver\n", __func__); \
		abort(); \
	} } while (0)

#endif
