/*
 * analysis/metrics/host.h - CUPTI's host library: what a chip can count, and in how many passes; no GPU is needed
 *
 * Loaded when it is asked for (dlopen). Its headers are not needed: the structures of the calls stand in host.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_HOST_H
#define GPUTAP_ANALYSIS_METRICS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"

struct gt_host;
enum gt_host_use { GT_HOST_RANGES, GT_HOST_PM_SAMPLING };

/*
 * Loads the library: `path` (a file or its folder) where it is not "", else the installed one. 0, or -1 with
 * *err (GT_EXIT_MISSING). One at a time; it stays loaded.
 */
int gt_host_open(const char *path, struct gt_host **out, struct gt_err *err);
const char *gt_host_path(const struct gt_host *h);
/* libnvperf_host.so, as dlopen gave it; NULL: it does not lie beside CUPTI's library. */
void *gt_host_helper(const struct gt_host *h);
uint32_t gt_host_version(const struct gt_host *h);       /* CUPTI's: 130001; 0: it does not say */
/* The i-th chip it knows ("GH100"); NULL behind the last. */
const char *gt_host_chip(const struct gt_host *h, size_t i);
/* 10 x major + minor of a chip's compute capability; 0: not known here. */
uint32_t gt_host_capability(const char *chip);

/* What a chip can do in one way. -1 with *err: no such chip, or it cannot do that (GT_EXIT_NO). */
struct gt_host_chip;
int gt_host_begin(
	struct gt_host *h, const char *chip, enum gt_host_use use, struct gt_host_chip **out, struct gt_err *err);
void gt_host_end(struct gt_host_chip *c);

enum gt_host_type { GT_HOST_COUNTER, GT_HOST_RATIO, GT_HOST_THROUGHPUT, GT_HOST_TYPES };
extern const char *const gt_host_types[GT_HOST_TYPES];
struct gt_host_metric { const char *description, *unit; enum gt_host_type type; };
/* Base names; gt_host_find takes rollups and submetrics too. Calls take(ctx, name) until it returns false. */
bool gt_host_metrics(
	struct gt_host_chip *c, enum gt_host_type type, bool (*take)(void *ctx, const char *name), void *ctx);
bool gt_host_find(struct gt_host_chip *c, const char *name, struct gt_host_metric *out);

/*
 * Passes and bytes of the image that collects all of them; the names have to be known, with rollup. A chip that was
 * asked this is good for nothing else. -1 with *err: they cannot be collected together (GT_EXIT_NO).
 */
int gt_host_passes(
	struct gt_host_chip *c, const char *const *names, size_t n, size_t *passes, size_t *bytes, struct gt_err *err);
/* The same, and the image: *data, to be freed. */
int gt_host_image(struct gt_host_chip *c, const char *const *names, size_t n, uint8_t **data, size_t *bytes,
	size_t *passes, struct gt_err *err);
/*
 * Values of all metrics in an image of counters, by the names that it was collected for. False: the library refuses the
 * image. An image of a stranger's may crash it: ask in a process of your own.
 */
bool gt_host_evaluate(struct gt_host_chip *c, const void *image, size_t bytes, size_t range, const char *const *names,
	size_t n, double *values);
/* Name of a device's chip by its driver: initialises it, so ask in a process of your own. NULL: it does not say;
 * *result: CUPTI's error. */
const char *gt_host_device_chip(const struct gt_host *h, size_t device, int *result);

/*
 * A child of this process for what the library, or a driver, may crash in: what it finds it writes to the pipe, and it
 * ends by _exit. Its end of the pipe, and *pid 0, in the child; the other end in the parent, who waits for *pid. -1:
 * there is no child.
 */
int gt_host_fork(pid_t *pid);
/* What the child writes and the parent reads: all of it. The parent does not wait for ever. */
bool gt_host_write(int fd, const void *from, size_t n);
bool gt_host_read(int fd, void *to, size_t n);

#endif
