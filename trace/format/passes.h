/*
 * trace/format/passes.h - the file `passes` of a trace: counters of launches that several runs of the program collected
 *
 * With application replay each run of the program counts one pass, and an image of counters is complete behind the last
 * one. Between two runs the launcher writes this file into the next run's trace, and the shim goes on with the image of
 * the same launch (REC_PASSES_MOST bounds what it reads); behind the last run the file goes into the first run's trace,
 * which is the one that stays. The head, then `n` launches, then their names, then the images and what runs of their
 * own collected (enum rec_apart).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_PASSES_H
#define GPUTAP_TRACE_FORMAT_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/format/counters.h"

#define REC_PASSES_FILE "passes"
#define REC_PASSES_MAGIC 0x3553415050415447ull
#define REC_PASSES_GROUPS 64
#define REC_PASSES_MOST (64u << 20)              /* bytes of head, launches and names */
#define REC_PASSES_LARGEST (UINT64_C(1) << 30)   /* ... and images */

/*
 * bytes: of head, launches and names; sum: FNV-1a of what stands behind `owner` of these; owner: in a later run the
 * processes that play the part of the first run's, by group: pid, 0 none yet
 */
struct rec_passes { uint64_t magic, bytes, sum; uint32_t owner[REC_PASSES_GROUPS]; uint32_t n, groups; };

/* offset, of a multiple of 8; hash, as of a BLOB; the run that was for it, 0: none. No bytes: it had no such launch. */
struct rec_pass_apart { uint64_t data, bytes, id[2]; uint32_t run, unused; };

/* A launch of the first run. order: among those of its name, device, grid and block in its process, from 1. */
struct rec_pass {
	uint32_t pid, instance, correlation, group;
	uint32_t device, order, kind;
	uint32_t missing;                        /* 0, or the first run (2, 3, ...) that had no such launch */
	uint32_t grid[3], block[3];
	uint64_t symbol, symbol_bytes;           /* offset in the file */
	uint64_t data, data_bytes;               /* offset: the image of counters */
	uint64_t id[2];                          /* hash of the image, as of a BLOB */
	struct rec_pass_apart apart[REC_APARTS];
};

static inline uint64_t rec_passes_sum(const struct rec_passes *p)
{
	const uint8_t *at = (const uint8_t *)&p->n, *end = (const uint8_t *)p + p->bytes;
	uint64_t sum = 0xcbf29ce484222325ull;

	while (at < end)
		sum = (sum ^ *at++) * 0x100000001b3ull;
	return sum;
}

/* Whether the head, the launches and the names are what was written; `bytes` of the file there are, `have` are here. */
static inline bool rec_passes_sound(const void *file, uint64_t have, uint64_t bytes)
{
	const struct rec_passes *p = file;
	const struct rec_pass *l = (const void *)(p + 1);

	if (have < sizeof *p || p->magic != REC_PASSES_MAGIC || p->bytes > have || p->groups > REC_PASSES_GROUPS ||
		p->n > REC_PASSES_MOST / sizeof *l || sizeof *p + p->n * sizeof *l > p->bytes ||
		rec_passes_sum(p) != p->sum)
		return false;
	for (uint32_t i = 0; i < p->n; i++) {
		if (l[i].symbol > p->bytes || l[i].symbol_bytes > p->bytes - l[i].symbol || l[i].data > bytes ||
			l[i].data_bytes > bytes - l[i].data)
			return false;
		for (uint32_t k = 0; k < REC_APARTS; k++)
			if (l[i].apart[k].data > bytes || l[i].apart[k].bytes > bytes - l[i].apart[k].data)
				return false;
	}
	return true;
}

#endif
