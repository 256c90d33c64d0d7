/*
 * model/crew.c - the walk over all calls, shared by several threads
 *
 * A worker takes a slice of time and does four things with its calls: merge them (beside the others), resolve them
 * against objects, numbers and clocks (in order: that state depends on every call before), hand them out (beside the
 * others), and give back what has to be in order (in order). There are two turns, one for each thing that is done in
 * order; a turn goes from a slice to the next.
 *
 * CREW1  Whoever takes a slice finishes it before it takes another, and slices are taken in order: so the slice whose
 *        turn it is has a worker, which waits for nothing but earlier slices.
 * CREW2  The model's objects are changed by the worker that has the first turn, and by nobody else. Commands are copied
 *        from there; objects that they point to live as long as the walk (model/arena.c), and what others read of them
 *        was written before the turn went on.
 * CREW3  A slice may have more calls than fit into a batch. All but the last batch keep both turns.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/together.h"
#include "model/cuda/walk.h"
#include "model/internal.h"
#include "trace/read/merge.h"
#include "trace/read/slices.h"

#define IN_FLIGHT (16 * GT_SLICE_CALLS)   /* calls that all workers together hold at most: some 100 MiB */
#define SPINS 2000u                       /* looks before sleeping: some 40 us, what sleeping takes */
#define COMMANDS 256u                     /* in a piece of memory */

/* What is known of a call beside its record. */
struct step {
	const struct gt_fn *fn;           /* NULL: the table does not know it */
	int64_t start_ns, end_ns;
	uint64_t id, cmd_id;
	struct gt_command *command;
	bool bare;                        /* its arguments are damaged, which was counted */
	bool given, again;
};

/* Beside the model's processes, which other workers look at while these are counted. */
struct numbers { uint64_t ids, cmd_ids; };

struct turn {
	pthread_cond_t come;
	_Atomic uint64_t slice;           /* stored in pass_turn with the lock held; pairs with has_come */
	unsigned sleepers;                /* with the lock held */
};

struct shared {
	struct gt_model *m;
	const struct gt_crew *crew;
	struct gt_slices *slices;
	struct numbers *numbers;          /* of each process; of who has the turn to resolve */
	size_t limit;                     /* bytes of blocks that one merge holds */
	uint32_t batch;                   /* calls */
	pthread_mutex_t lock;             /* of all below */
	struct turn resolve, give;
	bool past;                        /* behind walk.to_ns: nothing is resolved any more */
	bool stop;                        /* nothing is given any more */
	int rc;
	struct gt_err err;
	uint64_t since_progress;
};

struct worker {
	struct shared *s;
	unsigned index;
	struct gt_slice slice;
	struct gt_merge *merge;
	struct gt_batch batch;
	struct step *steps; uint32_t room;
	struct gt_command **commands; uint32_t n_commands, n_pieces;
	struct gt_decoded decoded;
	uint64_t damaged;
	struct gt_call call, resolved;    /* as it is given; as far as objects need it */
	int rc;                           /* of the batch */
	struct gt_err err;
};

static int no_memory(const struct gt_model *m, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
}

/* -------------------------------------------------------------------- turns */

static void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool has_come(struct turn *t, uint64_t slice)
{
	return atomic_load_explicit(&t->slice, memory_order_acquire) == slice;
}

/* Most turns come within microseconds, and putting a processor to sleep and waking it takes longer. */
static bool comes_soon(struct turn *t, uint64_t slice)
{
	for (unsigned i = 0; i < SPINS; i++) {
		if (has_come(t, slice))
			return true;
		pause_briefly();
	}
	return false;
}

static void wait_turn(struct shared *s, struct turn *t, uint64_t slice)
{
	if (comes_soon(t, slice))
		return;
	pthread_mutex_lock(&s->lock);
	t->sleepers++;
	while (!has_come(t, slice))
		pthread_cond_wait(&t->come, &s->lock);
	t->sleepers--;
	pthread_mutex_unlock(&s->lock);
}

/* Those that sleep are woken without the lock: else they would wait for it at once. */
static void pass_turn(struct shared *s, struct turn *t)
{
	bool wake;

	pthread_mutex_lock(&s->lock);
	atomic_store_explicit(&t->slice, t->slice + 1, memory_order_release);
	wake = t->sleepers;
	pthread_mutex_unlock(&s->lock);
	if (wake)
		pthread_cond_broadcast(&t->come);
}

static bool is(struct shared *s, const bool *flag)
{
	bool yes;

	pthread_mutex_lock(&s->lock);
	yes = *flag;
	pthread_mutex_unlock(&s->lock);
	return yes;
}

static bool goes_on(struct shared *s) { return !is(s, &s->stop) && !is(s, &s->past); }

/* Has the turn to give. */
static void fail(struct shared *s, const struct gt_err *err)
{
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	s->rc = -1;
	s->err = *err;
	pthread_mutex_unlock(&s->lock);
}

/* ----------------------------------------------------------- beside the others */

static bool steps_room(struct worker *w)
{
	struct step *more;

	if (w->batch.n <= w->room)
		return true;
	more = realloc(w->steps, w->batch.room * sizeof(*more));
	if (!more)
		return false;
	w->steps = more;
	w->room = w->batch.room;
	return true;
}

/* The next calls of the slice, and what depends on nothing but themselves. 1: there are more, 0, -1. */
static int merge(struct worker *w)
{
	struct gt_model *m = w->s->m;
	int more = gt_batch_fill(&w->batch, w->merge, w->s->batch, &w->err);

	if (more < 0)
		return -1;
	if (!steps_room(w))
		return no_memory(m, &w->err);
	for (uint32_t i = 0; i < w->batch.n; i++) {
		const struct gt_rec *rec = &w->batch.recs[i];

		w->steps[i] = (struct step){ .fn = gt_fntable_find(m->table, rec->id),
			.start_ns = gt_reader_tick_ns(m->reader, rec->process, rec->start_tick),
			.end_ns = gt_reader_tick_ns(m->reader, rec->process, rec->end_tick) };
	}
	return more;
}

static uint64_t *damaged(struct worker *w, const struct gt_rec *rec)
{
	return w->s->m->processes[rec->process].walked ? NULL : &w->damaged;
}

/* The call as the walk would give it. */
static const struct gt_call *make(struct worker *w, uint32_t i, bool count)
{
	const struct step *step = &w->steps[i];
	const struct gt_rec *rec = &w->batch.recs[i];

	gt_walk_fill(w->s->m, rec, step->fn, step->start_ns, step->end_ns, &w->decoded,
		count && !step->bare ? damaged(w, rec) : NULL, &w->call);
	w->call.has_args &= !step->bare;
	w->call.id = step->id;
	w->call.cmd_id = step->cmd_id;
	w->call.command = step->command;
	if (w->call.more & REC_MORE_WHOLE && step->command)
		gt_commands_lists(w->s->m, &w->call);
	return &w->call;
}

/* Is the call one that the walk gives? */
static bool given(const struct gt_walk_options *opt, struct gt_call *call)
{
	if (opt->from_ns == GT_NO_TIME && opt->to_ns == GT_NO_TIME)
		return true;
	call->outside = !gt_walk_wanted(opt, NULL, call);
	return !call->outside || (opt->outside && call->start_ns < opt->from_ns);
}

static int hand_out(struct worker *w)
{
	const struct gt_crew *crew = w->s->crew;

	for (uint32_t i = 0; i < w->batch.n; i++) {
		int rc;

		if (!w->steps[i].id)
			continue;
		make(w, i, true);
		if (!given(&crew->walk, &w->call))
			continue;
		rc = crew->call(crew->ctx, w->index, &w->call, &w->err);
		w->steps[i].bare |= w->decoded.state == GT_DECODE_DAMAGED;
		if (rc < 0)
			return -1;
		w->steps[i].again = rc > 0;
	}
	return crew->done ? crew->done(crew->ctx, w->index, &w->err) : 0;
}

/* ------------------------------------------------------------------- in order */

/* Where the next command may be made; it stays there when the count goes on. */
static struct gt_command *command_room(struct worker *w)
{
	if (w->n_commands == w->n_pieces * COMMANDS) {
		struct gt_command **more = realloc(w->commands, (w->n_pieces + 1) * sizeof(*more));

		if (!more)
			return NULL;
		w->commands = more;
		if (!(more[w->n_pieces] = malloc(COMMANDS * sizeof(**more))))
			return NULL;
		w->n_pieces++;
	}
	return &w->commands[w->n_commands / COMMANDS][w->n_commands % COMMANDS];
}

/* What objects and commands are made of, and no more: nearly every call comes by here, while others wait. */
static void fill_resolved(struct worker *w, const struct gt_rec *rec, const struct step *step)
{
	struct gt_call *call = &w->resolved;

	call->fn = step->fn;
	call->process = rec->process;
	call->start_tick = rec->start_tick;
	call->start_ns = step->start_ns;
	call->end_ns = step->end_ns;
	call->result = rec->result;
	call->command = NULL;
	call->damaged = damaged(w, rec);
	gt_call_set_args(call, rec, &w->decoded);
}

static int resolve_call(struct worker *w, uint32_t i)
{
	struct gt_model *m = w->s->m;
	const struct gt_rec *rec = &w->batch.recs[i];
	struct numbers *numbers = &w->s->numbers[rec->process];
	struct step *step = &w->steps[i];
	struct gt_command *room;

	step->id = ++numbers->ids;
	if (step->fn->has_event_out && !rec->result)
		step->cmd_id = ++numbers->cmd_ids;
	if (m->fn_info[step->fn->index].action == GT_ACT_NONE)
		return 0;
	if (m->quiet != m->processes[rec->process].walked)
		m->quiet = !m->quiet;
	fill_resolved(w, rec, step);
	step->bare = !w->resolved.has_args;
	room = command_room(w);
	if (!room)
		return no_memory(m, &w->err);
	gt_walk_apply(m, &w->resolved, rec, room);
	step->bare |= w->decoded.state == GT_DECODE_DAMAGED;
	step->command = w->resolved.command;
	w->n_commands += step->command == room;
	return 0;
}

/* The first unwanted call behind the window ends the walk, as it ends gt_walk_next. */
static bool ends(const struct worker *w, const struct step *step)
{
	const struct gt_walk_options *opt = &w->s->crew->walk;

	return opt->to_ns != GT_NO_TIME && step->start_ns > opt->to_ns &&
		(!step->command || !gt_walk_wanted(opt, NULL, &w->resolved));
}

/* CREW2. What stays unresolved, behind the end of the window, keeps id 0. */
static int resolve(struct worker *w)
{
	struct shared *s = w->s;

	w->n_commands = 0;
	for (uint32_t i = 0; i < w->batch.n && !s->past; i++) {
		if (!w->steps[i].fn)
			continue;
		if (resolve_call(w, i))
			return -1;
		if (ends(w, &w->steps[i])) {
			pthread_mutex_lock(&s->lock);
			s->past = true;
			pthread_mutex_unlock(&s->lock);
		}
	}
	return 0;
}

static bool may_go_on(struct shared *s, const struct worker *w)
{
	const struct gt_walk_options *opt = &s->crew->walk;

	s->since_progress += w->batch.n;
	if (s->since_progress < 65536)
		return true;
	s->since_progress = 0;
	return !opt->progress || opt->progress(opt->ctx, w->slice.done);
}

static int give_again(struct worker *w)
{
	const struct gt_crew *crew = w->s->crew;

	for (uint32_t i = 0; i < w->batch.n; i++)
		if (w->steps[i].again) {
			make(w, i, false);
			given(&crew->walk, &w->call);
			if (crew->again(crew->ctx, &w->call, &w->err))
				return -1;
		}
	return 0;
}

/* Has the turn to give. */
static void give(struct worker *w)
{
	const struct gt_crew *crew = w->s->crew;

	if (is(w->s, &w->s->stop))
		return;
	if (!w->rc && crew->again)
		w->rc = give_again(w);
	if (!w->rc && crew->turn)
		w->rc = crew->turn(crew->ctx, w->index, &w->err);
	if (w->rc) {
		fail(w->s, &w->err);
	} else if (!may_go_on(w->s, w)) {
		pthread_mutex_lock(&w->s->lock);
		w->s->stop = true;
		pthread_mutex_unlock(&w->s->lock);
	}
}

/* ------------------------------------------------------------------- a worker */

/* One batch of the slice; 1: there are more. first: the turns have to be waited for. CREW3 */
static bool do_batch(struct worker *w, bool first)
{
	struct shared *s = w->s;
	int more = merge(w);

	w->rc = more < 0 ? -1 : 0;
	if (first)
		wait_turn(s, &s->resolve, w->slice.number);
	if (!w->rc)
		w->rc = resolve(w);
	if (more <= 0)
		pass_turn(s, &s->resolve);
	if (!w->rc)
		w->rc = hand_out(w);
	if (first)
		wait_turn(s, &s->give, w->slice.number);
	give(w);
	if (more <= 0)
		pass_turn(s, &s->give);
	return more > 0;
}

static void do_slice(struct worker *w)
{
	struct shared *s = w->s;
	bool first = true;

	w->rc = gt_merge_slice(s->m->reader, &w->slice, s->limit, &w->merge, &w->err);
	if (!w->rc) {
		for (; do_batch(w, first); first = false)
			;
		return;
	}
	wait_turn(s, &s->resolve, w->slice.number);
	pass_turn(s, &s->resolve);
	wait_turn(s, &s->give, w->slice.number);
	give(w);
	pass_turn(s, &s->give);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct gt_err err;
	int rc = 0;

	while (goes_on(w->s) && (rc = gt_slices_take(w->s->slices, &w->slice, &err)) > 0)
		do_slice(w);
	if (rc < 0)
		fail(w->s, &err);
	return NULL;
}

static void free_worker(struct worker *w)
{
	gt_merge_close(w->merge);
	gt_slice_free(&w->slice);
	gt_batch_free(&w->batch);
	gt_decoded_free(&w->decoded);
	for (uint32_t i = 0; i < w->n_pieces; i++)
		free(w->commands[i]);
	free(w->commands);
	free(w->steps);
}

static int share(struct shared *s, unsigned n, struct gt_err *err)
{
	struct worker *workers = calloc(n, sizeof(*workers));

	if (!workers)
		return no_memory(s->m, err);
	for (unsigned i = 0; i < n; i++) {
		workers[i].s = s;
		workers[i].index = i;
		workers[i].resolved.model = s->m;
	}
	s->limit = GT_MERGE_LOADED_MAX / 2 / n;
	s->batch = n < 4 ? 4 * GT_SLICE_CALLS : IN_FLIGHT / n + 1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->resolve.come, NULL);
	pthread_cond_init(&s->give.come, NULL);
	gt_together(n, work, workers, sizeof(*workers));
	pthread_cond_destroy(&s->give.come);
	pthread_cond_destroy(&s->resolve.come);
	pthread_mutex_destroy(&s->lock);
	for (unsigned i = 0; i < n; i++) {
		s->m->lost[REC_LOSS_DAMAGED] += workers[i].damaged;
		free_worker(&workers[i]);
	}
	free(workers);
	if (s->rc)
		*err = s->err;
	return s->rc;
}

/* ------------------------------------------------------------------- without */

static int alone(struct gt_model *m, const struct gt_crew *crew, struct gt_err *err)
{
	const struct gt_call *call;
	struct gt_walk *w;
	int rc;

	if (gt_walk_open(m, &crew->walk, &w, err))
		return -1;
	while ((rc = gt_walk_next(w, &call, err)) == 1) {
		rc = crew->call(crew->ctx, 0, call, err);
		if (rc > 0)
			rc = crew->again(crew->ctx, call, err);
		if (rc)
			break;
	}
	gt_walk_close(w);
	if (!rc && crew->done)
		rc = crew->done(crew->ctx, 0, err);
	return !rc && crew->turn ? crew->turn(crew->ctx, 0, err) : rc;
}

static uint32_t slice_calls(const struct gt_model *m, unsigned workers)
{
	uint32_t n = gt_walk_slice(m, workers);

	return n < IN_FLIGHT / workers ? n : IN_FLIGHT / workers;
}

/* Calls of CUDA lie in the model's arrays, which one thread reads at a time. */
unsigned gt_crew_workers(struct gt_model *m, const struct gt_walk_options *opt)
{
	struct gt_cuda_feed feed;
	struct gt_err err;

	return m->jobs > 1 && (gt_cuda_feed_open(&feed, m, opt, &err) || feed.n) ? 1 : m->jobs;
}

int gt_crew_walk(struct gt_model *m, const struct gt_crew *crew, struct gt_err *err)
{
	struct shared s = { .m = m, .crew = crew };
	int rc;

	if (crew->workers <= 1)
		return alone(m, crew, err);
	if (gt_walk_begin(m, err))
		return -1;
	s.numbers = calloc(m->n_processes + 1, sizeof(*s.numbers));
	rc = !s.numbers
		? no_memory(m, err)
		: gt_slices_open(m->reader, crew->walk.process, slice_calls(m, crew->workers), &s.slices, err);
	if (!rc)
		rc = share(&s, crew->workers, err);
	gt_slices_close(s.slices);
	free(s.numbers);
	gt_walk_end(m, &crew->walk, !rc);
	return rc;
}
