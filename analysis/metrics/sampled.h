/*
 * analysis/metrics/sampled.h - samples of the program counter of one launch, as metrics
 *
 * Each reason for which a warp waited is a metric, smsp__pcsamp_sample_count all of them; what a metric has at each
 * instruction are its instances. Numbers in reports are the device's own: CUPTI names the reasons.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_SAMPLED_H
#define GPUTAP_ANALYSIS_METRICS_SAMPLED_H

#include "common/error.h"
#include "model/model.h"

/* address: offset in the kernel; of another function that it calls the number of that one in the upper 32 bits. */
struct gt_sampled_at { uint64_t address, samples; };
struct gt_sampled_metric {
	const char *name;                         /* lives as long as the model */
	uint64_t samples;
	struct gt_sampled_at *at; uint32_t n;     /* by address; instructions that have none are left out */
	const char *why;                          /* NULL; else it has no value */
};
/* name: of its symbol; lives as long as the model. crc: CUPTI's, of the module that it is in. */
struct gt_sampled_function { uint64_t crc; uint32_t index; const char *name; };
struct gt_sampled {
	struct gt_sampled_metric *metrics; uint32_t n;
	uint64_t cycles;                          /* between two samples; 0: not known */
	struct gt_sampled_function *functions; uint32_t n_functions;      /* by number; the kernel first */
};

/* Metrics, to be freed. 1; 0: it was not sampled (*why NULL), or has no whole samples (*why); -1: no memory. */
int gt_sampled_of(struct gt_model *m, const struct gt_counters *c, struct gt_sampled *out, const char **why);
void gt_sampled_free(struct gt_sampled *s);

/* Lists the functions of a launch; *own: the place of its kernel among `all`. False: no memory. */
struct rec_samples_function;
bool gt_sampled_functions(struct gt_sampled *s, const struct rec_samples_function *all, uint32_t n, const char *texts,
	struct gt_string symbol, uint32_t *own);
/* Where an instruction of one of them is. */
uint64_t gt_sampled_address(uint32_t function, uint32_t own, uint64_t offset);

#endif
