/*
 * common/plain/unfinished.h - the name of a file or folder that is not finished: FINAL.RUN-RANDOM.part
 *
 * Runs      anywhere: traces in the traced program, exports in the tool.
 * Must not  use the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_UNFINISHED_H
#define GPUTAP_COMMON_PLAIN_UNFINISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A name beside `final` that tells the run it belongs to (16 hexadecimal digits), and that nobody can prepare: `random`
 * is the caller's. False: it does not fit into `room`.
 */
bool gc_unfinished_name(const char *final, const char *run, uint64_t random, char *to, size_t room);

/* Whether `name` is one that gc_unfinished_name makes of `final`, for any run. Both without folders. */
bool gc_unfinished_is_of(const char *name, const char *final);

#endif
