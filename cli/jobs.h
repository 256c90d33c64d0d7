/*
 * cli/jobs.h - how many threads read a trace
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_JOBS_H
#define GPUTAP_CLI_JOBS_H

struct gt_options;

/* --jobs=N, or for 0 the processors that this process may use: those of its affinity mask, and no more than its cgroup
 * has time for. At least 1. */
unsigned gt_jobs(const struct gt_options *o);

/* How many processors the quotas of a cgroup (and of those around it) are worth, rounded up; 0: no quota. memberships:
 * text of /proc/self/cgroup; root: "/sys/fs/cgroup". */
unsigned gt_jobs_quota(const char *root, const char *memberships);

#endif
