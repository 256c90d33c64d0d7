/*
 * trace/read/slices.c - cut the calls of a trace into slices of time
 *
 * The pass over the headers left the least and the greatest start of each block. Blocks stand in order of the least;
 * a slice takes the next few, and ends where the next one begins. Blocks that reach over its end are in the following
 * slices too: who comes first loads them, for all; each hands out its own part.
 *
 * SLICE1  A block is in every slice that holds the start of one of its calls.
 * SLICE2  Loading blocks for a few of their calls would cost more than several threads save: a slice is made so long
 *         that it uses at least a quarter of the calls in its blocks, as far as those are spread evenly.
 * SLICE3  A shared block stays while it is open here, or while a slice has it that is worked on. There are MOST_SHARED
 *         at most; each slice loads the others for itself, within the limit of its merge.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/slices.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read/internal.h"

#define CHUNK_WORDS (1u << 17)            /* of a batch; any record fits */
#define MOST_SHARED 256u                  /* some 24 MiB */

struct gt_shared_block {
	struct gt_slices *of;
	void *loaded;                     /* NULL: not yet. This and the next: under its lock */
	uint32_t users;                   /* slices being worked on, and the list of open blocks */
};

/* Least and greatest start of its calls. */
struct place { int64_t from_ns, to_ns; uint32_t block, calls; struct gt_shared_block *shared; };

struct gt_slices {
	pthread_mutex_t lock;             /* of all below */
	const struct gt_reader *r;
	struct place *places; size_t n, next; /* by from_ns; the first that no slice had yet */
	struct place *open; size_t n_open, room; /* those that the next slice has to look at, besides */
	int64_t from_ns;                  /* of the next slice */
	uint32_t calls, n_shared;
	uint64_t number, total;
	double done;                      /* calls of all slices so far, as far as they are spread evenly */
	bool over;
};

static int by_from(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

int gt_slices_open(const struct gt_reader *r, int process, uint32_t calls, struct gt_slices **out, struct gt_err *err)
{
	struct gt_slices *s = calloc(1, sizeof(*s));

	if (!s || !(s->places = malloc((r->n_blocks + 1) * sizeof(*s->places)))) {
		free(s);
		return gt_no_memory(err);
	}
	pthread_mutex_init(&s->lock, NULL);
	s->r = r;
	s->from_ns = INT64_MIN;
	s->calls = calls;
	for (size_t i = 0; i < r->n_blocks; i++) {
		const struct gt_block_info *info = &r->blocks[i];
		uint32_t p = r->streams[info->stream].process;

		if (!info->calls || (process >= 0 && p != (uint32_t)process))
			continue;
		s->places[s->n++] = (struct place){ gt_reader_tick_ns(r, p, info->least_start),
			gt_reader_tick_ns(r, p, info->greatest_start), (uint32_t)i, info->calls, NULL };
		s->total += info->calls;
	}
	qsort(s->places, s->n, sizeof(*s->places), by_from);
	s->over = !s->n;
	*out = s;
	return 0;
}

/* ---- shared blocks ---- */

/* Has the lock. */
static void leave(struct gt_shared_block *b)
{
	if (!b || --b->users)
		return;
	b->of->n_shared--;
	free(b->loaded);
	free(b);
}

/* Has the lock. The user is the list of open blocks; NULL: not shared. */
static struct gt_shared_block *new_shared(struct gt_slices *s)
{
	struct gt_shared_block *b = s->n_shared < MOST_SHARED ? calloc(1, sizeof(*b)) : NULL;

	if (b) {
		*b = (struct gt_shared_block){ .of = s, .users = 1 };
		s->n_shared++;
	}
	return b;
}

void *gt_shared_block_get(struct gt_shared_block *b)
{
	void *loaded;

	pthread_mutex_lock(&b->of->lock);
	loaded = b->loaded;
	pthread_mutex_unlock(&b->of->lock);
	return loaded;
}

void *gt_shared_block_put(struct gt_shared_block *b, void *loaded)
{
	void *spare = NULL;

	pthread_mutex_lock(&b->of->lock);
	if (b->loaded)
		spare = loaded;
	else
		b->loaded = loaded;
	loaded = b->loaded;
	pthread_mutex_unlock(&b->of->lock);
	free(spare);
	return loaded;
}

/* Has the lock. */
static void leave_all(struct gt_slice *s)
{
	for (uint32_t i = 0; i < s->n_blocks; i++)
		leave(s->blocks[i].shared);
	s->n_blocks = 0;
}

void gt_slices_close(struct gt_slices *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_open; i++)
		leave(s->open[i].shared);
	pthread_mutex_destroy(&s->lock);
	free(s->places);
	free(s->open);
	free(s);
}

void gt_slice_free(struct gt_slice *s)
{
	if (s->of) {
		pthread_mutex_lock(&s->of->lock);
		leave_all(s);
		pthread_mutex_unlock(&s->of->lock);
	}
	free(s->blocks);
	*s = (struct gt_slice){ 0 };
}

/* ---- slices ---- */

/* How many of its calls start in [from, to), were they spread evenly. */
static double share(const struct place *p, int64_t from, int64_t to)
{
	double length = (double)p->to_ns - (double)p->from_ns + 1;
	double a = from > p->from_ns ? (double)from : (double)p->from_ns,
	       b = to <= p->to_ns ? (double)to : (double)p->to_ns + 1;

	return b > a ? (b - a) / length * p->calls : 0;
}

static double calls_until(const struct gt_slices *s, int64_t to)
{
	double n = 0;

	for (size_t i = 0; i < s->n_open; i++)
		n += share(&s->open[i], s->from_ns, to);
	return n;
}

static bool open_block(struct gt_slices *s)
{
	return gt_grow((void **)&s->open, s->n_open, &s->room, sizeof(*s->open)) &&
		(s->open[s->n_open++] = s->places[s->next++], true);
}

/* Where it ends so that it has about `wanted` calls: at most `to`, and behind its beginning. */
static int64_t shorten(const struct gt_slices *s, int64_t to, double wanted)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t i = 0; i < s->n_open; i++) {
		low = s->open[i].from_ns < low ? s->open[i].from_ns : low;
		high = s->open[i].to_ns >= high ? s->open[i].to_ns + 1 : high;
	}
	low = low < s->from_ns ? s->from_ns : low;
	high = high > to ? to : high;
	if (high <= low + 1)
		return to;
	while (high - low > 1 && calls_until(s, high) > 1.25 * wanted) {
		int64_t mid = low + (high - low) / 2;

		if (calls_until(s, mid) < wanted)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* Opens the blocks of the next slice; its end. 0, or -1: no memory. */
static int plan(struct gt_slices *s, int64_t *to)
{
	uint64_t fresh = 0, held = 0;
	double wanted;

	for (size_t i = 0; i < s->n_open; i++)
		held += s->open[i].calls;
	while (s->next < s->n && (fresh < s->calls || 4 * fresh < held + fresh)) {
		fresh += s->places[s->next].calls;
		if (!open_block(s))
			return -1;
	}
	*to = s->next < s->n ? s->places[s->next].from_ns : INT64_MAX;
	held += fresh;
	wanted = s->calls > held / 4 ? s->calls : (double)held / 4; /* SLICE2 */
	if (s->n_open && calls_until(s, *to) > 1.5 * wanted)
		*to = shorten(s, *to, wanted);
	return 0;
}

/* The slice gets a block; further: a later slice gets it too. SLICE3 */
static void hand_out(struct gt_slices *s, struct place *p, struct gt_slice *out, bool further)
{
	if (further && !p->shared)
		p->shared = new_shared(s);
	if (p->shared)
		p->shared->users++;
	out->blocks[out->n_blocks++] = (struct gt_slice_block){ p->block, p->shared };
}

/* Names the slice's blocks and keeps those open that reach over its end. SLICE1 */
static void cut(struct gt_slices *s, int64_t to, struct gt_slice *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n_open; i++) {
		struct place p = s->open[i];
		bool further = p.to_ns >= to && to != INT64_MAX;

		if (p.from_ns < to)
			hand_out(s, &p, out, further);
		if (further)
			s->open[kept++] = p;
		else
			leave(p.shared);
	}
	s->n_open = kept;
}

static int take(struct gt_slices *s, struct gt_slice *out)
{
	int64_t to;

	if (plan(s, &to) < 0)
		return -1;
	if (out->room < s->n_open) {
		void *more = realloc(out->blocks, s->n_open * sizeof(*out->blocks));

		if (!more)
			return -1;
		out->blocks = more;
		out->room = (uint32_t)s->n_open;
	}
	out->of = s;
	out->number = s->number++;
	out->from_ns = s->from_ns;
	out->to_ns = to;
	s->done += calls_until(s, to);
	out->done = s->total && s->done < (double)s->total ? s->done / (double)s->total : 1;
	cut(s, to, out);
	s->from_ns = to;
	s->over = s->next == s->n && !s->n_open;
	return 1;
}

int gt_slices_take(struct gt_slices *s, struct gt_slice *out, struct gt_err *err)
{
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	leave_all(out);
	if (!s->over)
		rc = take(s, out);
	pthread_mutex_unlock(&s->lock);
	return rc < 0 ? gt_no_memory(err) : rc;
}

/* ---- batches ---- */

/* Room for the words of one record. */
static uint64_t *batch_words(struct gt_batch *b, uint32_t n)
{
	if (b->n_chunks && b->used + n <= CHUNK_WORDS) {
		b->used += n;
		return b->chunks[b->chunk] + b->used - n;
	}
	if (!b->n_chunks || ++b->chunk == b->n_chunks) {
		uint64_t **more = realloc(b->chunks, (b->n_chunks + 1) * sizeof(*more));

		if (!more)
			return NULL;
		b->chunks = more;
		b->chunk = b->n_chunks;
		if (!(more[b->chunk] = malloc(CHUNK_WORDS * sizeof(uint64_t))))
			return NULL;
		b->n_chunks++;
	}
	b->used = n;
	return b->chunks[b->chunk];
}

void gt_batch_clear(struct gt_batch *b) { b->n = b->chunk = b->used = 0; }

static bool batch_room(struct gt_batch *b)
{
	size_t room = b->room;

	if (b->n < b->room)
		return true;
	if (!gt_grow((void **)&b->recs, b->n, &room, sizeof(*b->recs)))
		return false;
	b->room = (uint32_t)room;
	return true;
}

/* The record's words become the batch's own. */
static bool copy_words(struct gt_batch *b, struct gt_rec *rec)
{
	uint64_t *words = batch_words(b, rec->n_words);

	if (!words)
		return false;
	memcpy(words, rec->words, (size_t)rec->n_words * 8);
	rec->args = words + (rec->args - rec->words);
	rec->words = words;
	return true;
}

bool gt_batch_add(struct gt_batch *b, const struct gt_rec *rec)
{
	if (!batch_room(b))
		return false;
	b->recs[b->n] = *rec;
	return copy_words(b, &b->recs[b->n++]);
}

int gt_batch_fill(struct gt_batch *b, struct gt_merge *m, uint32_t most, struct gt_err *err)
{
	bool copy = !gt_merge_keeps(m);

	gt_batch_clear(b);
	while (b->n < most) {
		struct gt_rec *rec;
		int rc;

		if (!batch_room(b))
			return gt_no_memory(err);
		rec = &b->recs[b->n];
		rc = gt_merge_next(m, rec, err);
		if (rc <= 0)
			return rc;
		if (copy && !copy_words(b, rec))
			return gt_no_memory(err);
		b->n++;
	}
	return 1;
}

void gt_batch_free(struct gt_batch *b)
{
	for (uint32_t i = 0; i < b->n_chunks; i++)
		free(b->chunks[i]);
	free(b->chunks);
	free(b->recs);
	*b = (struct gt_batch){ 0 };
}
