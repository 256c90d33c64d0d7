/*
 * common/counted.h - a number with what it counts: "1 call", "2 calls"
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_COUNTED_H
#define GPUTAP_COMMON_COUNTED_H

#include <stdint.h>

struct gt_counted { char text[256]; };

/*
 * "N things"; where N is 1, the first word of `things` that is a plural becomes its singular: "calls not recorded:
 * no room" becomes "1 call not recorded: no room". Use: printf("%s", gt_counted(n, "calls").text).
 */
struct gt_counted gt_counted(uint64_t n, const char *things);
/* The same without the number, for a column of its own. */
struct gt_counted gt_counted_things(uint64_t n, const char *things);

#endif
