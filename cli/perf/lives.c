/*
 * cli/perf/lives.c - which process was which program when, from the kernel's events of forks, execs and ends
 *
 * Two passes over the same events: the first finds out how long each life was and how much is to be told of it, the
 * second meets the lives again in the same order.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "cli/perf/internal.h"
#include "common/hash.h"
#include "common/search.h"

/*
 * threads: that have not ended, as far as the kernel told. led: the first thread, whose number is the process', is
 * among them; it may end before the others, by pthread_exit or as the first of those that exit() ends.
 */
struct current { uint32_t pid, life, threads; bool led; };

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct current *)element)->pid == ((const struct current *)key)->pid;
}

static struct current *find(const struct gt_perf_lives *l, uint32_t pid)
{
	const struct current key = { .pid = pid };

	return gt_map_find(&l->current, sizeof key, gt_hash(GT_HASH, pid), &key, same, NULL);
}

struct gt_perf_life *gt_perf_lives_of(const struct gt_perf_lives *l, uint32_t pid)
{
	const struct current *at = find(l, pid);

	return at ? l->all.v[at->life] : NULL;
}

static struct gt_perf_life *new_life(struct gt_perf_lives *l)
{
	struct gt_perf_life *life = calloc(1, sizeof *life), **at;

	if (!life)
		return NULL;
	at = GT_LIST_ADD(&l->all);
	if (!at) {
		free(life);
		return NULL;
	}
	*at = life;
	life->number = l->all.n - 1;
	return life;
}

/* A new life of this process, which ends the one that it has. */
static struct gt_perf_life *begin(
	struct gt_perf_lives *l, uint32_t pid, uint64_t ns, const char *reason, uint32_t parent)
{
	const struct current key = { .pid = pid };
	struct gt_perf_life *life;
	struct current *at;
	bool fresh;

	if (l->second)
		life = l->replayed < l->all.n ? l->all.v[l->replayed++] : NULL;
	else if ((life = new_life(l)))
		*life = (struct gt_perf_life){ .pid = pid, .number = life->number, .parent = parent, .reason = reason,
			.from_ns = ns, .to_ns = UINT64_MAX };
	at = life ? gt_map_add(&l->current, sizeof key, gt_hash(GT_HASH, pid), &key, same, NULL, &fresh) : NULL;
	if (!at)
		return NULL;
	if (!fresh && !l->second && l->all.v[at->life]->to_ns == UINT64_MAX)
		l->all.v[at->life]->to_ns = ns;
	if (!fresh)
		gt_perf_maps_free(&l->all.v[at->life]->maps);
	*at = (struct current){ pid, life->number, 1, true };
	return life;
}

/* A thread ends; with the last of them the process does. */
static void end(struct gt_perf_lives *l, const struct gt_perf_event *e, struct current *at)
{
	struct gt_perf_life *life = l->all.v[at->life];

	at->led = at->led && e->tid != e->pid;
	at->threads -= at->threads != 0;
	if (!at->led && !l->second)
		life->to_ns = e->ns;            /* later ends move it on, should there be any */
	if (at->led || at->threads)
		return;
	gt_perf_maps_free(&life->maps);
	gt_map_remove(&l->current, sizeof *at, at);
}

struct gt_perf_life *gt_perf_lives_step(struct gt_perf_lives *l, const struct gt_perf_event *e)
{
	struct current *at = find(l, e->pid), *parent;
	struct gt_perf_life *life = at ? l->all.v[at->life] : NULL;

	if (!e->pid || e->pid == UINT32_MAX || e->kind == GT_PERF_LOST || e->kind == GT_PERF_WAKING ||
		e->kind == GT_PERF_TRACEPOINT || e->kind == GT_PERF_OTHER)
		return NULL;
	if (e->kind == GT_PERF_FORK && e->pid != e->parent_pid) {
		parent = find(l, e->parent_pid);
		uint32_t number = parent ? parent->life : UINT32_MAX;

		life = begin(l, e->pid, e->ns, "fork", number);
		if (life && number != UINT32_MAX && !gt_perf_maps_copy(&life->maps, &l->all.v[number]->maps))
			return NULL;
		if (life && number != UINT32_MAX && !life->image)
			life->image = l->all.v[number]->image;
		return life;
	}
	if (e->kind == GT_PERF_EXEC)
		return begin(l, e->pid, e->ns, life ? "exec" : "start", life ? life->parent : UINT32_MAX);
	if (e->kind == GT_PERF_EXIT) {
		if (life)
			end(l, e, at);
		return life;
	}
	/* where ends of threads were lost: a first thread that lives again is another process' */
	if (!life || (!at->led && e->tid == e->pid))
		return begin(l, e->pid, e->ns, "start", UINT32_MAX);
	at->threads += e->kind == GT_PERF_FORK;
	return life;
}

static int by_process(const void *a, const void *b)
{
	const struct gt_perf_life *x = *(struct gt_perf_life *const *)a, *y = *(struct gt_perf_life *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Again when there are more than before. False: no memory. */
static bool sort(struct gt_perf_lives *l)
{
	struct gt_perf_life **v;

	if (l->n_sorted == l->all.n)
		return true;
	v = realloc(l->sorted, l->all.n * sizeof *v);
	if (!v)
		return false;
	memcpy(v, l->all.v, l->all.n * sizeof *v);
	qsort(v, l->all.n, sizeof *v, by_process);
	l->sorted = v;
	l->n_sorted = l->all.n;
	return true;
}

/* Is it of a process before this one, or of this one and begun by then? */
static bool begun(struct gt_perf_lives *l, const struct gt_perf_life *life, uint32_t pid, uint64_t ns)
{
	l->looked++;
	return life->pid < pid || (life->pid == pid && life->from_ns <= ns);
}

struct gt_perf_life *gt_perf_lives_at(struct gt_perf_lives *l, uint32_t pid, uint64_t ns, uint64_t slack)
{
	uint32_t at;
	struct gt_perf_life *last;

	if (!sort(l))
		return NULL;
	GT_SEARCH(at, l->all.n, begun(l, l->sorted[at], pid, ns));
	last = at ? l->sorted[at - 1] : NULL;
	return last && last->pid == pid && (ns <= last->to_ns || ns - last->to_ns < slack) ? last : NULL;
}

void gt_perf_lives_again(struct gt_perf_lives *l)
{
	gt_map_free(&l->current, sizeof(struct current));
	l->second = true;
	l->replayed = 0;
	for (uint32_t i = 0; i < l->all.n; i++)
		gt_perf_maps_free(&l->all.v[i]->maps);
}

void gt_perf_lives_free(struct gt_perf_lives *l)
{
	for (uint32_t i = 0; i < l->all.n; i++) {
		gt_perf_maps_free(&l->all.v[i]->maps);
		free(l->all.v[i]);
	}
	free(l->all.v);
	free(l->sorted);
	gt_map_free(&l->current, sizeof(struct current));
}
