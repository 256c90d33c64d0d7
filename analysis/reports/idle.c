/*
 * analysis/reports/idle.c - the longest times without device work in a process, and what its threads did meanwhile
 *
 * A gap lies between the end of all work so far and the next work. What a thread does is the innermost of what it has
 * open: a call, a callback, a pushed range, or nothing. It is added up from where the next gap may begin, so that at
 * the next work the gap's account is there; only the longest gaps are kept.
 *
 * A wait that another thread's call ended (-t osrt) is that until the call; until the thread is back it then lacks a
 * processor, or a lock that it must have again.
 *
 * Where the trace has context switches, time in which a thread could run and had no processor is that, whatever it has
 * open, and its own code is told apart from being blocked by the kernel. Samples say in which function it was.
 *
 * IDLE1  An account has what was done since busy_until: what came before is cut off. When more work moves busy_until,
 *        nothing was added yet, because that work begins before it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/hot.h"
#include "analysis/reports/report.h"
#include "common/counted.h"
#include "common/memory.h"
#include "model/threads/host_state.h"
#include "model/threads/waits.h"
#include "model/stacks/stacks.h"

enum { GAPS = 10, THREADS = 8, DOINGS = 3 };

/* What a thread is inside. Names live as long as the model. */
struct doing { const char *what; struct gt_string name; };
/*
 * woken_ns: when another thread ended this wait; INT64_MAX: it is none, or nobody knows. A wait of the C library inside
 * an API call is what that call does, so it has the call's doing.
 */
struct open { struct doing doing; int64_t end_ns, woken_ns; uint32_t stack; };
/*
 * stack: of the longest call of these, which took longest_ns; 0: none has one. blind_ns: time in which nobody knows
 * whether it had a processor; sampled_ns: what the samples in it stand for.
 */
struct spent {
	struct doing doing;
	int64_t ns, longest_ns, blind_ns, sampled_ns;
	uint32_t stack;
	struct gt_hot hot;
};

struct thread {
	uint32_t process, track;
	bool seen;
	bool early;                       /* a main thread before anything is known of what it does */
	int tid;
	struct gt_string name;
	int64_t since;                    /* up to here all is in the account */
	int64_t end_ns;                   /* behind it there is no such thread */
	enum gt_state state;              /* up to state_end; behind that nobody knows */
	int64_t state_end;
	GT_LIST(struct open) open;        /* outermost first */
	GT_LIST(struct spent) spent;      /* the account, of the present gap */
};

struct gap {
	uint32_t process;
	int64_t start, end;
	struct gt_string next;            /* the work that ended it; "" the process' end */
	int tid;                          /* who called for that; -1 */
	unsigned n;
	struct { int tid; struct gt_string name; unsigned n; struct spent spent[DOINGS]; } thread[THREADS];
	/* others, that did nothing but wait: how many, in what and how long the longest wait was, all on the average */
	unsigned n_parked;
	int64_t parked_most;
	struct spent parked;
};

/* period_ns: of the samples; 0: there are none of a clock. */
struct process { int64_t busy_until, period_ns; bool works; };

struct state {
	struct gt_model *m;
	struct gt_cuda *cuda;
	struct gt_wait_list *waits;       /* NULL: none is known */
	struct thread *threads; size_t n_threads, room; /* by track */
	struct process *process;
	struct gap *gaps; unsigned n, most; /* longest first */
	int64_t to_ns;
};

/* ---- threads ---- */

static const struct doing own_code = { "host code", { "", 0 } };
static const struct doing no_processor = { "not running: waited for a processor", { "", 0 } };
static const struct doing blocked = { "not running: blocked", { "", 0 } };
static const char woken[] = "woken, not yet back from";
static const struct gt_string before_calls = { "before its first recorded call", 30 };
static const char in_range[] = "host code in range", in_region[] = "host code in";
static const char in_api[] = "API", waiting[] = "waiting";
static const char os_runtime[] = "OS runtime", openmp[] = "OpenMP";

static bool same(const struct doing *a, const struct doing *b)
{
	return a->what == b->what && gt_same_text(a->name, b->name);
}

static struct spent *spent_on(struct thread *th, const struct doing *doing)
{
	struct spent *s;

	for (uint32_t i = 0; i < th->spent.n; i++)
		if (same(&th->spent.v[i].doing, doing))
			return &th->spent.v[i];
	s = GT_LIST_ADD(&th->spent);
	if (s)
		*s = (struct spent){ .doing = *doing };
	return s;
}

/* So many parts of the one are less than the other. Times of a damaged trace are no overflow then. */
static bool is_under(int parts, int64_t part, int64_t whole) { return (double)parts * (double)part < (double)whole; }

static bool is_own(const struct doing *d)
{
	return d->what == own_code.what || d->what == in_range || d->what == in_region;
}

/* What a thread does at this time. NULL of state: nobody knows. */
static struct doing doing_of(const struct thread *th, const enum gt_state *state, int64_t at)
{
	struct doing is = th->open.n ? th->open.v[th->open.n - 1].doing : own_code;

	if (state && *state == GT_STATE_READY)
		return no_processor;
	if (th->open.n && at >= th->open.v[th->open.n - 1].woken_ns && (!state || *state == GT_STATE_WAITING))
		is.what = woken;
	if (state && *state == GT_STATE_WAITING && is_own(&is))
		is = blocked;
	if (th->early)
		is.name = before_calls;
	return is;
}

/* Up to a time, in one state. */
static bool spend(struct thread *th, const enum gt_state *state, int64_t from, int64_t to)
{
	const struct open *o = th->open.n ? &th->open.v[th->open.n - 1] : NULL;
	struct doing doing = doing_of(th, state, from);
	struct spent *s = spent_on(th, &doing);

	if (!s)
		return false;
	s->ns += to - from;
	s->blind_ns += state ? 0 : to - from;
	if (o && o->stack && same(&o->doing, &doing) && to - from > s->longest_ns) {
		s->longest_ns = to - from;
		s->stack = o->stack;
	}
	return true;
}

/* The same in one of two states, and then in the other: the last that is known, and none. */
static bool spend_states(struct thread *th, int64_t from, int64_t to)
{
	int64_t known = th->state_end < from ? from : th->state_end < to ? th->state_end : to;

	return (known == from || spend(th, &th->state, from, known)) && (known == to || spend(th, NULL, known, to));
}

/* It did what is innermost now, up to a time. IDLE1 */
static bool account(const struct state *s, struct thread *th, int64_t to)
{
	int64_t from = th->since, busy = s->process[th->process].busy_until;
	int64_t woken_ns = th->open.n ? th->open.v[th->open.n - 1].woken_ns : INT64_MAX;

	if (to > th->end_ns)
		to = th->end_ns;
	if (to <= th->since)
		return true;
	th->since = to;
	if (from < busy)
		from = busy;
	if (from >= to)
		return true;
	if (woken_ns <= from || woken_ns >= to)
		return spend_states(th, from, to);
	return spend_states(th, from, woken_ns) && spend_states(th, woken_ns, to);
}

static void forget_spent(struct thread *th)
{
	for (uint32_t i = 0; i < th->spent.n; i++)
		gt_hot_free(&th->spent.v[i].hot);
	th->spent.n = 0;
}

/* Ends what ended up to a time. Ranges of two domains may end in another order than they nest. */
static bool advance(const struct state *s, struct thread *th, int64_t to)
{
	for (;;) {
		uint32_t first = UINT32_MAX;

		for (uint32_t i = th->open.n; i--;)
			if (th->open.v[i].end_ns <= to &&
				(first == UINT32_MAX || th->open.v[i].end_ns < th->open.v[first].end_ns))
				first = i;
		if (first == UINT32_MAX)
			return account(s, th, to);
		if (!account(s, th, th->open.v[first].end_ns))
			return false;
		memmove(&th->open.v[first], &th->open.v[first + 1], (th->open.n - first - 1) * sizeof *th->open.v);
		th->open.n--;
	}
}

/* What it did before its first item is not known, but for a main thread: that is there from the beginning. */
static struct thread *thread_at(struct state *s, const struct gt_timeline *t, uint32_t track, int64_t at_ns)
{
	const struct gt_track *is = gt_timeline_track(t, track);
	struct thread *th;

	while (s->n_threads <= track) {
		if (!gt_grow((void **)&s->threads, s->n_threads, &s->room, sizeof *s->threads))
			return NULL;
		memset(&s->threads[s->n_threads++], 0, sizeof *s->threads);
	}
	th = &s->threads[track];
	if (!th->seen) {
		const struct gt_thread *of = is->thread != GT_NO_THREAD ? gt_model_thread(s->m, is->thread) : NULL;

		th->seen = true;
		th->end_ns = of && of->end_ns != GT_NO_TIME ? of->end_ns : INT64_MAX;
		th->process = is->process;
		th->track = track;
		th->tid = is->tid;
		th->name = is->name;
		th->early = of && of->main;
		th->since = of && of->main ? s->process[is->process].busy_until : at_ns;
	}
	return th;
}

static bool is_call(const struct thread *th)
{
	const char *what = th->open.n ? th->open.v[th->open.n - 1].doing.what : NULL;

	return what == in_api || what == waiting || what == openmp;
}

static uint32_t stack_of(const struct state *s, const struct gt_item *item)
{
	if (item->kind == GT_ITEM_CALL && item->cuda)
		return gt_stack_by_link(s->m, item->process, item->cuda->call.stack_link);
	return item->kind == GT_ITEM_CALL && item->call ? gt_call_stack(item->call) : 0;
}

static int64_t woken_at(const struct state *s, const struct gt_item *item)
{
	const struct gt_wait *wait = s->waits && item->kind == GT_ITEM_CALL && item->call
		? gt_wait_list_find(s->waits, item->process, item->call->id) : NULL;

	return wait && wait->by_ns != GT_NO_TIME ? wait->by_ns : INT64_MAX;
}

static int enter(struct state *s, const struct gt_timeline *t, uint32_t track, const struct gt_item *item,
	const char *what)
{
	struct thread *th = thread_at(s, t, track, item->start_ns);
	struct open is = { { what, item->name }, item->never_ended ? INT64_MAX : item->end_ns,
		what == os_runtime ? woken_at(s, item) : INT64_MAX, stack_of(s, item) };
	struct open *o;

	if (!th || !advance(s, th, item->start_ns))
		return -1;
	th->early = false;
	if (what == os_runtime && is_call(th)) { /* how the API does what it was asked for */
		const struct open *call = &th->open.v[th->open.n - 1];

		if (is.woken_ns == INT64_MAX)
			return 0;
		is.doing = call->doing;
		is.stack = call->stack;
	}
	o = GT_LIST_ADD(&th->open);
	if (!o)
		return -1;
	*o = is;
	return 0;
}

/* From here on it is in this state. */
static int change_state(struct state *s, const struct gt_timeline *t, const struct gt_item *item)
{
	struct thread *th = thread_at(s, t, gt_timeline_track(t, item->track)->parent, item->start_ns);

	if (!th || !advance(s, th, item->start_ns))
		return -1;
	th->state = (enum gt_state)item->state->state;
	th->state_end = item->end_ns;
	return 0;
}

/* It was in this function, if no device worked. */
static int add_sample(struct state *s, const struct gt_timeline *t, const struct gt_item *item)
{
	struct thread *th = thread_at(s, t, item->track, item->start_ns);
	struct process *p = &s->process[item->process];
	bool of_clock = item->sample->by != REC_SAMPLE_CYCLES;
	const enum gt_state running = GT_STATE_RUNNING;
	struct doing doing;
	struct spent *spent;

	if (!th || !advance(s, th, item->start_ns))
		return -1;
	if (of_clock && !p->period_ns)
		p->period_ns = (int64_t)item->sample->period;
	if (item->start_ns < p->busy_until)
		return 0;
	doing = doing_of(th, &running, item->start_ns);
	spent = spent_on(th, &doing);
	if (!spent || !gt_hot_add(&spent->hot, (uint32_t)item->sample->stack))
		return -1;
	if (of_clock)
		spent->sampled_ns = gt_time_add(spent->sampled_ns, (int64_t)item->sample->period);
	return 0;
}

/* ---- gaps ---- */

static int longer(const void *a, const void *b)
{
	const struct spent *x = a, *y = b;

	return x->ns == y->ns ? 0 : x->ns < y->ns ? 1 : -1;
}

/* Waits of a thread that has nothing to do, as workers of a pool, or for a time or another thread. */
static bool is_parked(const struct doing *d)
{
	static const char *const names[] = { "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
		"pthread_join", "pthread_barrier_wait", "sem_wait", "sem_timedwait", "sem_clockwait", "futex", "sleep",
		"usleep", "nanosleep", "clock_nanosleep", "poll", "ppoll", "select", "pselect", "epoll_wait",
		"epoll_pwait", "pause", "sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend" };

	if (d->what == openmp || (d->what == blocked.what && !d->name.bytes))
		return true;
	for (size_t i = 0; d->what == os_runtime && i < sizeof names / sizeof *names; i++)
		if (d->name.bytes == strlen(names[i]) && !memcmp(d->name.text, names[i], d->name.bytes))
			return true;
	return false;
}

/*
 * What a thread did in a gap: in calls that are no such waits, and in all but those waits. Coming back from one counts
 * once it takes a good part of the time: every thread takes a little.
 */
struct sum { int64_t calls, active, all, back; struct thread *th; };

static struct sum sum_of(struct thread *th)
{
	struct sum sum = { .th = th };

	for (uint32_t i = 0; i < th->spent.n; i++) {
		const struct spent *s = &th->spent.v[i];
		sum.all += s->ns;
		if (s->doing.what == woken)
			sum.back += s->ns;
		if (is_parked(&s->doing) || s->doing.what == woken)
			continue;
		sum.active += s->ns;
		sum.calls += is_own(&s->doing) || s->doing.what == no_processor.what ? 0 : s->ns;
	}
	if (!is_under(4, sum.back, sum.all + 1))
		sum.active += sum.back;
	return sum;
}

/* The caller of the next work, when it was there for most of the gap. */
static bool is_caller(const struct gap *g, const struct sum *sum)
{
	return sum->th->tid == g->tid && !is_under(2, sum->all, g->end - g->start);
}

static void put_parked(struct gap *g, const struct sum *sum)
{
	const struct spent *most = &sum->th->spent.v[0];

	if (!g->n_parked++ || most->ns > g->parked_most) {
		g->parked.doing = most->doing;          /* without its samples: that is the thread's account */
		g->parked_most = most->ns;
	}
	g->parked.ns += (most->ns - g->parked.ns) / (int64_t)g->n_parked;
}

static void put_thread(struct gap *g, const struct sum *sum, bool alone)
{
	struct thread *th = sum->th;
	unsigned at = g->n;

	if (at == THREADS || (!alone && is_under(100, sum->all, g->end - g->start)))
		return;                 /* or it was hardly there */
	qsort(th->spent.v, th->spent.n, sizeof *th->spent.v, longer);
	if (!alone && !is_caller(g, sum) && is_under(20, sum->active, g->end - g->start) &&
		is_parked(&th->spent.v[0].doing)) {
		put_parked(g, sum);
		return;
	}
	g->n++;
	g->thread[at].tid = th->tid;
	g->thread[at].name = th->name;
	g->thread[at].n = th->spent.n < DOINGS ? th->spent.n : DOINGS;
	memcpy(g->thread[at].spent, th->spent.v, g->thread[at].n * sizeof *th->spent.v);
	for (unsigned i = 0; i < g->thread[at].n; i++)
		th->spent.v[i].hot = (struct gt_hot){ 0 };      /* the gap's now */
}

static void forget_gap(struct gap *g)
{
	for (unsigned k = 0; k < g->n; k++)
		for (unsigned i = 0; i < g->thread[k].n; i++)
			gt_hot_free(&g->thread[k].spent[i].hot);
	g->n = 0;
}

/* Those that did something before those that waited; of the former, what was in calls first. */
static int busier(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->active != y->active)
		return x->active < y->active ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->th->track < y->th->track ? -1 : x->th->track > y->th->track;
}

static int put_threads(struct state *s, struct gap *g)
{
	struct sum *order = calloc(s->n_threads + 1, sizeof *order);
	size_t n = 0;

	if (!order)
		return -1;
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].seen && s->threads[i].process == g->process && s->threads[i].spent.n)
			order[n++] = sum_of(&s->threads[i]);
	if (n)
		qsort(order, n, sizeof *order, busier);
	for (size_t i = 0; i < n; i++)
		if (is_caller(g, &order[i]))
			put_thread(g, &order[i], true);
	for (size_t i = 0; i < n; i++)
		if (!is_caller(g, &order[i]))
			put_thread(g, &order[i], n == 1);
	free(order);
	return 0;
}

/* The thread whose call set the work going. */
static int tid_of(const struct state *s, const struct gt_item *work)
{
	struct gt_cuda_event call;

	if (work->thread != GT_NO_THREAD)
		return gt_model_thread(s->m, work->thread)->tid;
	if (!work->cuda || work->cuda->correlation == GT_CUDA_NONE ||
		!gt_cuda_call_of(s->cuda, work->process, work->cuda->correlation, work->start_ns, &call))
		return -1;
	return call.tid >= 0 || call.thread == GT_CUDA_NONE ? call.tid : gt_model_thread(s->m, call.thread)->tid;
}

/* A gap has ended: kept when it is one of the longest. */
static int add_gap(struct state *s, uint32_t process, int64_t end, const struct gt_item *next)
{
	int64_t start = s->process[process].busy_until;
	unsigned at = s->n;
	struct gap *g;

	while (at && s->gaps[at - 1].end - s->gaps[at - 1].start < end - start)
		at--;
	if (at == s->most)
		return 0;
	if (s->n == s->most)
		forget_gap(&s->gaps[s->n - 1]);
	s->n += s->n < s->most;
	memmove(&s->gaps[at + 1], &s->gaps[at], (s->n - at - 1) * sizeof *s->gaps);
	g = &s->gaps[at];
	*g = (struct gap){ .process = process, .start = start, .end = end, .next = { "", 0 }, .tid = -1 };
	if (next) {
		g->next = next->name;
		g->tid = tid_of(s, next);
	}
	return put_threads(s, g);
}

static int end_gap(struct state *s, uint32_t process, int64_t end, const struct gt_item *next)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].seen && s->threads[i].process == process && !advance(s, &s->threads[i], end))
			return -1;
	if (end > s->process[process].busy_until && add_gap(s, process, end, next))
		return -1;
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].process == process)
			forget_spent(&s->threads[i]);
	return 0;
}

static int work(struct state *s, const struct gt_item *item)
{
	struct process *p = &s->process[item->process];

	if (item->start_ns > p->busy_until && end_gap(s, item->process, item->start_ns, item))
		return -1;
	p->works = true;
	if (item->end_ns > p->busy_until)
		p->busy_until = item->end_ns;
	return 0;
}

/* CUDA's waits are told apart from their calls: here the call's name is enough. */
static const char *what_of(const struct gt_item *call)
{
	static const char *const names[] = { [GT_HOST_CODE] = in_region, [GT_HOST_OS] = os_runtime,
		[GT_HOST_WAIT] = waiting, [GT_HOST_API] = in_api };

	if (gt_openmp_waits(call->fn))
		return openmp;
	return names[call->cuda && strstr(call->fn->name, "Synchronize") ? GT_HOST_WAIT : gt_host_state_of(call)];
}

static int each_item(void *state, const struct gt_timeline *t, const struct gt_item *item)
{
	struct state *s = state;

	if (gt_is_busy(item))
		return work(s, item);
	if (item->kind == GT_ITEM_CALLBACK)
		return enter(s, t, item->track, item, "callback");
	if (item->kind == GT_ITEM_CALL)
		return enter(s, t, item->track, item, what_of(item));
	if (item->kind == GT_ITEM_RANGE && item->timed && gt_timeline_track(t, item->track)->kind == GT_TRACK_PUSHES)
		return enter(s, t, gt_timeline_track(t, item->track)->parent, item, in_range);
	if (item->kind == GT_ITEM_STATE)
		return change_state(s, t, item);
	return item->kind == GT_ITEM_SAMPLE ? add_sample(s, t, item) : 0;
}

/* ---- rows ---- */

/* Its own code without switches: samples alone say whether it ran. Some periods are needed to tell. */
static bool hardly_ran(const struct state *s, const struct spent *spent, uint32_t process)
{
	int64_t period = s->process[process].period_ns;

	return period && is_under(10, period, spent->blind_ns) && !is_under(2, spent->blind_ns, spent->ns + 1) &&
		is_under(4, spent->sampled_ns, spent->ns);
}

static void put_name(struct gt_text *to, const char *before, const struct gt_string *name)
{
	if (name->bytes) {
		gt_text_str(to, before);
		gt_text_bytes(to, name->text, name->bytes);
	}
}

/* In which function its own code was, and in which range or region that was. */
static void put_computing(struct gt_text *to, const struct spent *spent, const struct gt_text *where)
{
	const char *before = spent->doing.what == in_range ? ", in range "
		: spent->doing.what == own_code.what ? " " : ", in ";

	gt_text_lit(to, "computes in ");
	gt_text_bytes(to, where->data, where->used);
	put_name(to, before, &spent->doing.name);
}

static void put_what(const struct state *s, struct gt_text *to, const struct spent *spent, uint32_t process)
{
	struct gt_text where = { 0 };
	bool called;

	gt_hot_caller(s->m, spent->stack, NULL, &where);
	called = where.used;
	if (!called)
		gt_hot_text(&spent->hot, s->m, &where);
	if (is_own(&spent->doing) && where.used && !called && !hardly_ran(s, spent, process)) {
		put_computing(to, spent, &where);
	} else {
		gt_text_str(to, spent->doing.what);
		put_name(to, " ", &spent->doing.name);
		if (is_own(&spent->doing) && hardly_ran(s, spent, process))
			gt_text_lit(to, ", mostly not running");
		else if (where.used && spent->doing.what != no_processor.what) {
			gt_text_str(to, called ? ", called from " : ", in ");
			gt_text_bytes(to, where.data, where.used);
		}
	}
	gt_text_free_part(&where, to);
}

static void put_doing(const struct state *s, struct gt_text *to, const struct spent *spent, const struct gap *g,
	bool share)
{
	char text[32];

	if (share) {
		snprintf(text, sizeof text, "%.1f %% ", 100.0 * (double)spent->ns / (double)(g->end - g->start));
		gt_text_str(to, text);
	}
	put_what(s, to, spent, g->process);
}

/* One thread in one gap; the first row of a gap says of what. */
static int put_row(const struct state *s, struct gt_table *t, unsigned number, unsigned k)
{
	const struct gap *g = &s->gaps[number];
	struct gt_text text[4] = { 0 };
	struct gt_cell cell[12];
	unsigned n = 0;
	int rc;

	put_doing(s, &text[0], &g->thread[k].spent[0], g, false);
	for (unsigned i = 1; i < g->thread[k].n; i++) {
		gt_text_str(&text[1], i > 1 ? ", " : "");
		put_doing(s, &text[1], &g->thread[k].spent[i], g, true);
	}
	if (g->thread[k].tid == g->tid)
		gt_text_bytes(&text[2], g->next.text, g->next.bytes);
	else if (!g->next.bytes && !k)
		gt_text_str(&text[2], "(end of the process)");
	gt_text_bytes(&text[3], g->thread[k].name.text, g->thread[k].name.bytes);
	cell[n++] = gt_integer(number + 1);
	cell[n++] = gt_integer(g->end - g->start);
	cell[n++] = gt_integer(g->start);
	cell[n++] = gt_integer(gt_model_process(s->m, g->process)->pid);
	cell[n++] = g->thread[k].tid < 0 ? gt_none() : gt_integer(g->thread[k].tid);
	cell[n++] = gt_number(100.0 * (double)g->thread[k].spent[0].ns / (double)(g->end - g->start), 1);
	for (unsigned i = 0; i < 4; i++) {
		gt_text_char(&text[i], 0);
		cell[n++] = gt_text(text[i].failed ? "" : text[i].data);
	}
	rc = gt_table_row(t, cell);
	for (unsigned i = 0; i < 4; i++)
		gt_text_free(&text[i]);
	return rc;
}

/* Threads that waited all the time are one row, the last. */
static int put_parked_row(const struct state *s, struct gt_table *t, unsigned number)
{
	const struct gap *g = &s->gaps[number];
	struct gt_text doing = { 0 };
	struct gt_counted threads = gt_counted(g->n_parked, "threads");
	struct gt_cell cell[12];
	unsigned n = 0;
	int rc;

	put_doing(s, &doing, &g->parked, g, false);
	gt_text_char(&doing, 0);
	cell[n++] = gt_integer(number + 1);
	cell[n++] = gt_integer(g->end - g->start);
	cell[n++] = gt_integer(g->start);
	cell[n++] = gt_integer(gt_model_process(s->m, g->process)->pid);
	cell[n++] = gt_none();
	cell[n++] = gt_number(100.0 * (double)g->parked.ns / (double)(g->end - g->start), 1);
	cell[n++] = gt_text(doing.failed ? "" : doing.data);
	cell[n++] = gt_text("");
	cell[n++] = gt_text("");
	cell[n++] = gt_text(threads.text);
	rc = gt_table_row(t, cell);
	gt_text_free(&doing);
	return rc;
}

/* From the last work to the process' end, or the window's. */
static int end_process(struct state *s, uint32_t i)
{
	int64_t last = gt_model_process(s->m, i)->end_ns;

	if (s->to_ns != GT_NO_TIME && (last == GT_NO_TIME || last > s->to_ns))
		last = s->to_ns;
	return s->process[i].works && last != GT_NO_TIME ? end_gap(s, i, last, NULL) : 0;
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	int rc = 0;

	for (uint32_t i = 0; i < gt_model_process_count(s->m) && !rc; i++)
		rc = end_process(s, i);
	for (unsigned i = 0; i < s->n; i++) {
		for (unsigned k = 0; k < s->gaps[i].n && !rc; k++)
			rc = put_row(s, t, i, k);
		if (s->gaps[i].n_parked && !rc)
			rc = put_parked_row(s, t, i);
		forget_gap(&s->gaps[i]);
	}
	for (size_t i = 0; i < s->n_threads; i++) {
		free(s->threads[i].open.v);
		forget_spent(&s->threads[i]);
		free(s->threads[i].spent.v);
	}
	free(s->threads);
	gt_wait_list_free(s->waits);
	return rc;
}

static void window(void *state, int64_t from_ns, int64_t to_ns)
{
	struct state *s = state;

	s->to_ns = to_ns;
	for (uint32_t i = 0; i < gt_model_process_count(s->m); i++)
		if (from_ns != GT_NO_TIME && from_ns > s->process[i].busy_until)
			s->process[i].busy_until = from_ns;
}

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);
	struct gt_err err = { 0 };

	(void)r;
	if (!s)
		return NULL;
	*s = (struct state){ .m = m, .most = GAPS, .to_ns = GT_NO_TIME, .cuda = gt_model_cuda(m, &err) };
	s->process = gt_pool_take(a, (gt_model_process_count(m) + 1ull) * sizeof *s->process);
	s->gaps = gt_pool_take(a, (GAPS + 1) * sizeof *s->gaps);
	for (uint32_t i = 0; s->process && i < gt_model_process_count(m); i++)
		s->process[i].busy_until = gt_model_process(m, i)->start_ns;
	return s->process && s->gaps && s->cuda && !gt_wait_list_read(m, &s->waits, &err) ? s : NULL;
}

const struct gt_report gt_reports_idle[] = {
	{ .name = "gpu_idle",
		.title = "Why Was the GPU Idle (Longest Gaps)",
		.headings = "Gap|Idle (ns)|Start (ns)|PID|TID|Time (%)|Doing<|Also<|Then<|Thread<",
		.begin = begin,
		.window = window,
		.item = each_item,
		.end = end },
	{ 0 },
};
