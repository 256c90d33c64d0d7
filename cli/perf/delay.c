/*
 * cli/perf/delay.c - how long each thread ran and waited for a processor, from /proc/PID/task/TID/schedstat
 *
 * The kernel counts both for every thread, and anybody may read them of his own processes. They are read ten times a
 * second of the program and all processes that descend from it, and once more of the program when it has ended and is
 * not collected yet. What a thread gets behind the last look at it is not known; shorter threads are not met.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/perf/internal.h"
#include "common/hash.h"

enum { READINGS_MOST = 1 << 20, PROCESSES_MOST = 1 << 16 };
#define BETWEEN_NS UINT64_C(100000000)

struct last { uint32_t tid; struct gt_perf_reading reading; };
struct gt_perf_delay {
	GT_LIST(struct gt_perf_reading) all;
	GT_LIST(uint32_t) processes;      /* while they are looked for */
	struct gt_map last;               /* struct last, by tid: what was read of it before */
	uint64_t next_ns;
};

struct gt_perf_delay *gt_perf_delay_new(void) { return calloc(1, sizeof(struct gt_perf_delay)); }

void gt_perf_delay_free(struct gt_perf_delay *d)
{
	if (!d)
		return;
	free(d->all.v);
	free(d->processes.v);
	gt_map_free(&d->last, sizeof(struct last));
	free(d);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* A file of /proc that is shorter than the room. False: there is none. */
static bool slurp(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);

	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct last *)element)->tid == ((const struct last *)key)->tid;
}

/* Kept when it says something new. A number that another thread has now counts from the beginning. */
static void keep(struct gt_perf_delay *d, const struct gt_perf_reading *r)
{
	const struct last key = { r->tid, *r };
	struct gt_perf_reading *at;
	struct last *last;
	bool fresh;

	last = gt_map_add(&d->last, sizeof key, gt_hash(GT_HASH, r->tid), &key, same, NULL, &fresh);
	if (!last || (!fresh && last->reading.pid == r->pid && last->reading.turns == r->turns &&
			     last->reading.ran_ns == r->ran_ns))
		return;
	*last = key;
	at = d->all.n < READINGS_MOST ? GT_LIST_ADD(&d->all) : NULL;
	if (at)
		*at = *r;
}

/* One thread; and of its children, which are to be looked at too. */
static void look_at(struct gt_perf_delay *d, uint32_t pid, uint32_t tid)
{
	struct gt_perf_reading r = { .pid = pid, .tid = tid, .ns = now() };
	char path[96], text[4096];
	unsigned long long ran, delay, turns;

	snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", pid, tid);
	if (slurp(path, text, sizeof text) && sscanf(text, "%llu %llu %llu", &ran, &delay, &turns) == 3) {
		r.ran_ns = ran;
		r.delay_ns = delay;
		r.turns = turns;
		keep(d, &r);
	}
	snprintf(path, sizeof path, "/proc/%u/task/%u/children", pid, tid);
	if (!slurp(path, text, sizeof text))
		return;
	for (char *at = text, *end;; at = end) {
		unsigned long child = strtoul(at, &end, 10);
		uint32_t *more;

		/* a number that the room cut is left out */
		if (end == at || !*end || d->processes.n >= PROCESSES_MOST || !(more = GT_LIST_ADD(&d->processes)))
			return;
		*more = (uint32_t)child;
	}
}

static void look_at_threads(struct gt_perf_delay *d, uint32_t pid)
{
	char path[64];
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%u/task", pid);
	dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.')
			look_at(d, pid, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (dir)
		closedir(dir);
}

void gt_perf_delay_look(struct gt_perf_delay *d, uint32_t pid, bool at_once)
{
	uint32_t *first;

	if (!d || (!at_once && now() < d->next_ns))
		return;
	d->processes.n = 0;
	first = GT_LIST_ADD(&d->processes);
	if (first)
		*first = pid;
	for (uint32_t i = 0; i < d->processes.n; i++)
		look_at_threads(d, d->processes.v[i]);
	d->next_ns = now() + BETWEEN_NS;
}

const struct gt_perf_reading *gt_perf_delay_reading(const struct gt_perf_delay *d, uint32_t i)
{
	return d && i < d->all.n ? &d->all.v[i] : NULL;
}
