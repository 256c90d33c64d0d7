/*
 * common/pieces.c - work in numbered pieces, shared by several threads
 *
 * PIECES1  Pieces are taken in order, and who takes one finishes it before taking another: the piece whose turn it is
 *          has a worker that waits for nobody.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/pieces.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/together.h"

struct shared {
	const struct gt_pieces *p;
	pthread_mutex_t lock;             /* of all below */
	pthread_cond_t come;
	size_t next, turn;                /* piece to take; whose turn it is */
	int rc;
};

struct worker { struct shared *s; unsigned index; };

static bool take(struct shared *s, size_t *piece)
{
	bool more;

	pthread_mutex_lock(&s->lock);
	more = !s->rc && s->next < s->p->n;
	*piece = s->next;
	s->next += more;
	pthread_mutex_unlock(&s->lock);
	return more;
}

/* False: an earlier piece ended it all. */
static bool wait_turn(struct shared *s, size_t piece)
{
	bool good;

	pthread_mutex_lock(&s->lock);
	while (s->turn != piece)
		pthread_cond_wait(&s->come, &s->lock);
	good = !s->rc;
	pthread_mutex_unlock(&s->lock);
	return good;
}

static void pass_turn(struct shared *s, int rc)
{
	pthread_mutex_lock(&s->lock);
	if (!s->rc)
		s->rc = rc;
	s->turn++;
	pthread_mutex_unlock(&s->lock);
	pthread_cond_broadcast(&s->come); /* without the lock: who wakes would wait for it at once */
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	const struct gt_pieces *p = w->s->p;
	size_t piece;

	while (take(w->s, &piece)) {
		int rc = p->work ? p->work(p->ctx, w->index, piece) : 0;

		pass_turn(w->s, wait_turn(w->s, piece) ? p->turn(p->ctx, w->index, piece, rc) : 0);
	}
	return NULL;
}

int gt_pieces_do(const struct gt_pieces *p)
{
	struct shared s = { .p = p };
	unsigned n = p->n < p->workers ? (unsigned)p->n : p->workers;
	struct worker alone, *workers = n > 1 ? calloc(n, sizeof *workers) : NULL;

	if (!workers)
		n = 1;
	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.come, NULL);
	for (unsigned i = 0; workers && i < n; i++)
		workers[i] = (struct worker){ .s = &s, .index = i };
	alone = (struct worker){ .s = &s };
	gt_together(n, work, workers ? workers : &alone, sizeof alone);
	free(workers);
	pthread_cond_destroy(&s.come);
	pthread_mutex_destroy(&s.lock);
	return s.rc;
}
