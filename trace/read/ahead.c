/*
 * trace/read/ahead.c - the merge of all calls, done ahead by other threads
 *
 * Each thread merges slices of time into a batch of its own and waits until the reader has taken it. The reader takes
 * slice after slice.
 *
 * AHEAD1  A batch belongs to its thread while it is filled, and to the reader from `ready` on until it is given back.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "trace/read/internal.h"
#include "trace/read/merge.h"
#include "trace/read/slices.h"

#define BATCH (2 * GT_SLICE_CALLS)        /* calls at most */

struct filler {
	struct gt_ahead *a;
	pthread_t thread;
	struct gt_slice slice;
	struct gt_merge *merge;
	struct gt_batch batch;
	int more;                         /* 1: the slice has more than the batch, 0: not, -1: err */
	struct gt_err err;
	bool ready;                       /* AHEAD1; under the lock */
	bool over, failed;                /* no slice was left, or none could be taken; under the lock */
};

struct gt_ahead {
	struct gt_reader *r;
	struct gt_slices *slices;
	size_t limit;
	struct filler *fillers; unsigned n;
	struct filler *present;           /* whose batch the reader has */
	uint32_t at;                      /* in its batch */
	uint64_t slice;                   /* the reader's */
	double done;
	pthread_mutex_t lock;
	pthread_cond_t ready, taken;
	bool stop;                        /* under the lock */
};

/* False: the reader wants no more. */
static bool hand_over(struct filler *f)
{
	struct gt_ahead *a = f->a;
	bool go_on;

	pthread_mutex_lock(&a->lock);
	f->ready = true;
	pthread_cond_signal(&a->ready);
	while (f->ready && !a->stop)
		pthread_cond_wait(&a->taken, &a->lock);
	go_on = !a->stop;
	pthread_mutex_unlock(&a->lock);
	return go_on;
}

/* All of a slice, batch by batch. False: it is over, or damaged, or nobody wants it. */
static bool fill_slice(struct filler *f)
{
	struct gt_ahead *a = f->a;
	int more = gt_merge_slice(a->r, &f->slice, a->limit, &f->merge, &f->err) < 0 ? -1 : 1;

	do {
		gt_batch_clear(&f->batch);
		if (more > 0)
			more = gt_batch_fill(&f->batch, f->merge, BATCH, &f->err);
		f->more = more;
		if (!hand_over(f))
			return false;
	} while (more > 0);
	return more == 0;
}

static void *fill(void *arg)
{
	struct filler *f = arg;
	int rc;

	while ((rc = gt_slices_take(f->a->slices, &f->slice, &f->err)) > 0 && fill_slice(f))
		;
	pthread_mutex_lock(&f->a->lock);
	f->over = true;
	f->failed = rc < 0;
	pthread_cond_signal(&f->a->ready);
	pthread_mutex_unlock(&f->a->lock);
	return NULL;
}

/* ---- the reader ---- */

static void give_back(struct gt_ahead *a)
{
	struct filler *f = a->present;

	a->done = f->slice.done;
	a->slice += f->more == 0;
	a->present = NULL;
	pthread_mutex_lock(&a->lock);
	f->ready = false;
	pthread_cond_broadcast(&a->taken);
	pthread_mutex_unlock(&a->lock);
}

/* Has the lock. The filler of the reader's slice, NULL: not yet, or none. *over: none will come. */
static struct filler *find(struct gt_ahead *a, bool *over)
{
	*over = true;
	for (unsigned i = 0; i < a->n; i++) {
		struct filler *f = &a->fillers[i];

		if (f->ready && f->slice.number == a->slice)
			return f;
		*over &= f->over;
	}
	return NULL;
}

/* The next batch in order: 1, 0 the end, -1. */
static int take(struct gt_ahead *a, struct gt_err *err)
{
	bool over = false;

	pthread_mutex_lock(&a->lock);
	while (!(a->present = find(a, &over)) && !over)
		pthread_cond_wait(&a->ready, &a->lock);
	pthread_mutex_unlock(&a->lock);
	a->at = 0;
	if (a->present)
		return 1;
	for (unsigned i = 0; i < a->n; i++)
		if (a->fillers[i].failed) {
			*err = a->fillers[i].err;
			return -1;
		}
	return 0;
}

int gt_ahead_next(struct gt_ahead *a, struct gt_rec *rec, struct gt_err *err)
{
	while (!a->present || a->at == a->present->batch.n) {
		int rc;

		if (a->present && a->present->more < 0) {
			*err = a->present->err;
			return -1;
		}
		if (a->present)
			give_back(a);
		rc = take(a, err);
		if (rc <= 0)
			return rc;
	}
	*rec = a->present->batch.recs[a->at++];
	return 1;
}

double gt_ahead_done(const struct gt_ahead *a) { return a->done; }

/* ---- life ---- */

static void start(struct gt_ahead *a, unsigned jobs)
{
	a->limit = GT_MERGE_LOADED_MAX / 2 / jobs;
	for (unsigned i = 0; i < jobs; i++) {
		a->fillers[i].a = a;
		if (pthread_create(&a->fillers[i].thread, NULL, fill, &a->fillers[i]))
			break;
		pthread_mutex_lock(&a->lock);
		a->n++;
		pthread_mutex_unlock(&a->lock);
	}
}

int gt_ahead_open(struct gt_reader *r, int process, unsigned jobs, uint32_t calls, struct gt_ahead **out,
	struct gt_err *err)
{
	struct gt_ahead *a = calloc(1, sizeof(*a));

	*out = NULL;
	if (!a || !(a->fillers = calloc(jobs, sizeof(*a->fillers)))) {
		free(a);
		return gt_no_memory(err);
	}
	a->r = r;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->ready, NULL);
	pthread_cond_init(&a->taken, NULL);
	if (gt_slices_open(r, process, calls, &a->slices, err) < 0) {
		gt_ahead_close(a);
		return -1;
	}
	start(a, jobs);
	if (!a->n) {
		gt_ahead_close(a);
		return gt_fail(err, GT_EXIT_INPUT, NULL, "gputap with -j 1", "no thread could be started");
	}
	*out = a;
	return 0;
}

void gt_ahead_close(struct gt_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->taken);
	pthread_mutex_unlock(&a->lock);
	for (unsigned i = 0; i < a->n; i++) {
		struct filler *f = &a->fillers[i];

		pthread_join(f->thread, NULL);
		gt_merge_close(f->merge);
		gt_batch_free(&f->batch);
		gt_slice_free(&f->slice);
	}
	gt_slices_close(a->slices);
	pthread_cond_destroy(&a->taken);
	pthread_cond_destroy(&a->ready);
	pthread_mutex_destroy(&a->lock);
	free(a->fillers);
	free(a);
}
