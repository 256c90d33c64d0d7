/*
 * analysis/metrics/peak.h - what the memory of an OpenCL device moves at most: as the user says, or as the launcher
 * measured
 *
 * OpenCL tells no peak. What is given when the trace is read wins over what was given to gputap run, and that over what
 * was measured (cli/run/peak.c, lines `peak=` of the trace's `run`).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_PEAK_H
#define GPUTAP_ANALYSIS_METRICS_PEAK_H

#include "common/memory.h"
#include "model/model.h"

/* peak=WORD\tBYTES\tNS\tLAUNCHES\tDEVICE\tPLATFORM: the fastest of these launches of that kernel. */
#define GT_PEAK_KEY "peak"
#define GT_PEAK_KERNELS(X) X(copy) X(read) X(write)
/* What WORD is where nothing was measured, all numbers being 0 then. */
#define GT_PEAK_FAILURES(X) \
	X(no_library, "the launcher found no libOpenCL.so.1") \
	X(no_device, "the launcher found no device of this name") \
	X(no_program, "the program that measures could not be built") \
	X(no_memory, "the buffers of the program that measures could not be made") \
	X(no_run, "the kernels that measure failed") \
	X(no_times, "the runtime gave no device times of the kernels that measure") \
	X(no_answer, "the process that measures ended, or took longer than a minute") \
	X(busy, "a process that the program left behind still ran")

enum gt_peak_word {
#define X(word) GT_PEAK_##word,
	GT_PEAK_KERNELS(X)
#undef X
#define X(word, text) GT_PEAK_##word,
	GT_PEAK_FAILURES(X)
#undef X
	GT_PEAK_WORDS
};
struct gt_measured_peak {
	enum gt_peak_word word;
	uint64_t bytes, ns;               /* of the fastest launch; 0: there is none */
	uint32_t launches;
	struct gt_string device, platform;
};
const char *gt_peak_word(enum gt_peak_word word);
/* NULL of a kernel's name. */
const char *gt_peak_failure(enum gt_peak_word word);
/* The n-th that the trace tells of; false: no more. Lines that nobody understands have GT_PEAK_WORDS. */
bool gt_peak_measured(const struct gt_model *m, unsigned n, struct gt_measured_peak *out);

/* Of one device. source: where it comes from; NULL: there is none, and why not. Texts live as long as the program. */
struct gt_peak { double rate; const char *source, *why; };  /* bytes/s */

struct gt_given_peak { struct gt_string pattern; double rate; const char *source; };
struct gt_peaks { GT_LIST(struct gt_given_peak) given; const struct gt_model *model; };

/* --peak-bandwidth: 0, or -1 with *err (GT_EXIT_USAGE). */
int gt_peaks_check(const char *given, struct gt_err *err);
int gt_peaks_open(struct gt_peaks *p, const struct gt_model *m, struct gt_err *err);
struct gt_peak gt_peak_of(const struct gt_peaks *p, const struct gt_object *device); /* NULL: it is not known */
void gt_peaks_close(struct gt_peaks *p);

#endif
