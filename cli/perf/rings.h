/*
 * cli/perf/rings.h - the sampler itself, for the files that hold it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_PERF_RINGS_H
#define GPUTAP_CLI_PERF_RINGS_H

#include "cli/perf/internal.h"
#include "cli/perf/tracepoints.h"

struct gt_perf_ring { int fd; void *page; size_t bytes; };   /* page: struct perf_event_mmap_page, then bytes of data */

struct gt_perf_cost { uint64_t began_ns, ended_ns; };        /* CLOCK_MONOTONIC */

struct gt_perf {
	bool samples, switches, cycles, build_ids;
	bool fell_back;                   /* cycles were asked for, and are not counted here */
	bool no_unwinder;                 /* copies were asked for, and nothing here can unwind them */
	bool full;                        /* something could not be spooled */
	uint64_t rate, period;            /* Hz; ns */
	uint64_t sample_type;
	struct gt_perf_ring *rings; unsigned n_rings;
	unsigned n_wakings;               /* of the rings, those behind the first kind: wakings */
	const char *no_wakings;           /* why there are none */
	GT_LIST(struct gt_perf_tracepoint) types;
	GT_LIST(int) redirected;          /* descriptors of tracepoints whose events are in another's ring */
	struct gt_perf_spool *spool;
	struct gt_perf_delay *delay;      /* NULL: not asked for */
	char *scratch;                    /* as long as the longest ring */
	GT_LIST(struct gt_perf_cost) costs;      /* each time that the rings were emptied of something */
};

void gt_perf_free(struct gt_perf *p);

#endif
