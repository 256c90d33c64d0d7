/*
 * model/threads/waits.c - joins wait for the thread that a call created, locks for who unlocked them: see waits.h
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/threads/waits.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "common/plain/words.h"
#include "common/search.h"
#include "model/functions/plan.h"
#include "model/internal.h"
#include "model/threads/threads.h"

/* What a function does: waits for the object in `waits`, lets go of the one in `wakes`; by name of the parameter. */
static const struct {
	const char *name;
	enum gt_wait_for waits;
	const char *object;
	enum gt_wait_for wakes;
	const char *woken;
} roles[] = {
	{ "pthread_join", GT_WAIT_THREAD, "thread", 0, NULL },
	{ "pthread_timedjoin_np", GT_WAIT_THREAD, "thread", 0, NULL },
	{ "pthread_clockjoin_np", GT_WAIT_THREAD, "thread", 0, NULL },
	{ "wait", GT_WAIT_PROCESS, NULL, 0, NULL },
	{ "wait3", GT_WAIT_PROCESS, NULL, 0, NULL },
	{ "wait4", GT_WAIT_PROCESS, NULL, 0, NULL },
	{ "waitpid", GT_WAIT_PROCESS, NULL, 0, NULL },
	{ "pthread_mutex_lock", GT_WAIT_LOCK, "mutex", 0, NULL },
	{ "pthread_mutex_timedlock", GT_WAIT_LOCK, "mutex", 0, NULL },
	{ "pthread_mutex_clocklock", GT_WAIT_LOCK, "mutex", 0, NULL },
	{ "pthread_mutex_unlock", 0, NULL, GT_WAIT_LOCK, "mutex" },
	{ "pthread_rwlock_rdlock", GT_WAIT_RWLOCK, "lock", 0, NULL },
	{ "pthread_rwlock_wrlock", GT_WAIT_RWLOCK, "lock", 0, NULL },
	{ "pthread_rwlock_timedrdlock", GT_WAIT_RWLOCK, "lock", 0, NULL },
	{ "pthread_rwlock_timedwrlock", GT_WAIT_RWLOCK, "lock", 0, NULL },
	{ "pthread_rwlock_clockrdlock", GT_WAIT_RWLOCK, "lock", 0, NULL },
	{ "pthread_rwlock_clockwrlock", GT_WAIT_RWLOCK, "lock", 0, NULL },
	{ "pthread_rwlock_unlock", 0, NULL, GT_WAIT_RWLOCK, "lock" },
	/* a wait for a condition also lets go of its lock */
	{ "pthread_cond_wait", GT_WAIT_CONDITION, "condition", GT_WAIT_LOCK, "mutex" },
	{ "pthread_cond_timedwait", GT_WAIT_CONDITION, "condition", GT_WAIT_LOCK, "mutex" },
	{ "pthread_cond_clockwait", GT_WAIT_CONDITION, "condition", GT_WAIT_LOCK, "mutex" },
	{ "pthread_cond_signal", 0, NULL, GT_WAIT_CONDITION, "condition" },
	{ "pthread_cond_broadcast", 0, NULL, GT_WAIT_CONDITION, "condition" },
	{ "sem_wait", GT_WAIT_SEMAPHORE, "semaphore", 0, NULL },
	{ "sem_timedwait", GT_WAIT_SEMAPHORE, "semaphore", 0, NULL },
	{ "sem_clockwait", GT_WAIT_SEMAPHORE, "semaphore", 0, NULL },
	{ "sem_post", 0, NULL, GT_WAIT_SEMAPHORE, "semaphore" },
	/* who comes last lets all go */
	{ "pthread_barrier_wait", GT_WAIT_BARRIER, "barrier", GT_WAIT_BARRIER, "barrier" },
	{ "sigwait", GT_WAIT_SIGNAL, NULL, 0, NULL },
	{ "sigwaitinfo", GT_WAIT_SIGNAL, NULL, 0, NULL },
	{ "sigtimedwait", GT_WAIT_SIGNAL, NULL, 0, NULL },
	{ "sigsuspend", GT_WAIT_SIGNAL, NULL, 0, NULL },
	{ "pause", GT_WAIT_SIGNAL, NULL, 0, NULL },
	{ "pthread_kill", 0, NULL, GT_WAIT_SIGNAL, "thread" },
	/* what it does is said by its operation */
	{ "futex", GT_WAIT_WORD, "word", GT_WAIT_WORD, "word" },
};

/* FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET; FUTEX_WAKE, the requeues, FUTEX_WAKE_OP, FUTEX_WAKE_BITSET */
#define FUTEX_WAITS (1u << 0 | 1u << 6 | 1u << 9)
#define FUTEX_WAKES (1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 10)

/* What a function's number leads to, found once. */
struct role {
	bool known, creates;
	uint8_t waits, wakes;             /* enum gt_wait_for */
	int object, woken, tid;           /* parameters; -1 */
	int operation;                    /* of a futex: what it does; -1 */
};

/* The last that is known of an object: who let go of it, or whose handle it is. */
struct object {
	uint32_t process;
	uint8_t what;                     /* enum gt_wait_for */
	uint64_t at;
	int tid;
	uint32_t thread;
	const struct gt_fn *by;
	int64_t start_ns, end_ns;
	uint64_t id;
};

struct gt_waits {
	const struct gt_model *m;
	gt_waits_tell *tell;
	void *ctx;
	struct role *roles;               /* by gt_fn.index */
	struct gt_map objects;
	GT_LIST(struct gt_wait) open;     /* in order of start; as many as threads wait at one time */
	int64_t next_end_ns;              /* of those: the earliest */
	uint64_t *wakings;                /* numbers of the model's, by thread and time; NULL: there are none */
	uint64_t *first;                  /* by thread: of its first; one more behind the last */
	uint32_t *by_pid;                 /* processes by their numbers, those of one number in the model's order */
};

const char *gt_wait_word(enum gt_wait_for what)
{
	static const char *const words[] = { "nothing", "thread", "process", "lock", "read-write lock", "condition",
		"semaphore", "barrier", "word", "signal", "anything" };

	return words[what];
}

/* Each thread's wakings in the order of time: they are so already, over all threads. */
static bool sort_wakings(struct gt_waits *w)
{
	uint64_t n = gt_model_waking_count(w->m);
	uint32_t threads = gt_model_thread_count(w->m);

	if (!n)
		return true;
	w->wakings = malloc(n * sizeof *w->wakings);
	w->first = calloc(threads + 2ull, sizeof *w->first);
	if (!w->wakings || !w->first)
		return false;
	for (uint64_t i = 0; i < n; i++)
		w->first[gt_model_waking(w->m, i)->thread + 2]++;
	for (uint32_t i = 2; i < threads + 2; i++)
		w->first[i] += w->first[i - 1];
	for (uint64_t i = 0; i < n; i++)
		w->wakings[w->first[gt_model_waking(w->m, i)->thread + 1]++] = i;
	return true;
}

static int compare_pids(const void *a, const void *b, void *model)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int p = gt_model_process(model, x)->pid, q = gt_model_process(model, y)->pid;

	return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

static bool sort_processes(struct gt_waits *w)
{
	uint32_t n = gt_model_process_count(w->m);

	w->by_pid = malloc((n + 1) * sizeof *w->by_pid);
	for (uint32_t i = 0; w->by_pid && i < n; i++)
		w->by_pid[i] = i;
	if (w->by_pid)
		qsort_r(w->by_pid, n, sizeof *w->by_pid, compare_pids, (void *)w->m);
	return w->by_pid;
}

struct gt_waits *gt_waits_new(const struct gt_model *m, gt_waits_tell *tell, void *ctx)
{
	struct gt_waits *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	*w = (struct gt_waits){ .m = m, .tell = tell, .ctx = ctx, .next_end_ns = INT64_MAX,
		.roles = calloc(gt_fntable_count(gt_model_table(m)) + 1, sizeof *w->roles) };
	if (w->roles && sort_wakings(w) && sort_processes(w))
		return w;
	gt_waits_free(w);
	return NULL;
}

void gt_waits_free(struct gt_waits *w)
{
	if (!w)
		return;
	gt_map_free(&w->objects, sizeof(struct object));
	free(w->open.v);
	free(w->roles);
	free(w->wakings);
	free(w->first);
	free(w->by_pid);
	free(w);
}

/* ---------------------------------------------------------------------- roles */

static int parameter(const struct gt_fn *fn, const char *name)
{
	return name ? gt_fn_find_param(fn, name, strlen(name)) : -1;
}

static const struct role *role_of(struct gt_waits *w, const struct gt_fn *fn)
{
	struct role *r = &w->roles[fn->index];

	if (r->known)
		return r;
	*r = (struct role){ .known = true, .object = -1, .woken = -1, .tid = -1, .operation = -1 };
	if (!strcmp(fn->name, "futex"))
		r->operation = parameter(fn, "operation");
	if (!strcmp(fn->name, "pthread_create")) {
		r->creates = true;
		r->object = parameter(fn, "created");
		r->tid = parameter(fn, "tid");
	}
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (!strcmp(roles[i].name, fn->name)) {
			r->waits = (uint8_t)roles[i].waits;
			r->wakes = (uint8_t)roles[i].wakes;
			r->object = parameter(fn, roles[i].object);
			r->woken = parameter(fn, roles[i].woken);
		}
	return r;
}

static uint64_t value_of(const struct gt_call *c, int parameter)
{
	struct gt_arg a;

	return parameter >= 0 && gt_call_arg(c, (unsigned)parameter, &a) ? a.value : 0;
}

/* -------------------------------------------------------------------- objects */

static bool same_object(const void *element, const void *key, const void *ctx)
{
	const struct object *a = element, *b = key;

	(void)ctx;
	return a->at == b->at && a->what == b->what && a->process == b->process;
}

static uint64_t hash_of(const struct object *o)
{
	return (o->at + o->what) * 0x9e3779b97f4a7c15u ^ (uint64_t)o->process * 0xff51afd7ed558ccdu;
}

static const struct object *find_object(const struct gt_waits *w, uint32_t process, uint8_t what, uint64_t at)
{
	struct object key = { .process = process, .what = what, .at = at };

	return gt_map_find(&w->objects, sizeof key, hash_of(&key), &key, same_object, NULL);
}

static int keep_object(struct gt_waits *w, const struct object *o)
{
	bool fresh;
	struct object *at = gt_map_add(&w->objects, sizeof *o, hash_of(o), o, same_object, NULL, &fresh);

	if (at)
		*at = *o;
	return at ? 0 : -1;
}

/* ---------------------------------------------------------------------- waits */

static void ended_by(struct gt_wait *wait, const struct object *o)
{
	wait->other_tid = o->tid;
	wait->other = o->thread;
	wait->by = o->by;
	wait->by_ns = o->by ? o->start_ns : GT_NO_TIME;
	wait->by_id = o->id;
}

/* The last waking of the thread inside the wait; NULL: none, or an interrupt, which is on nobody's behalf. */
static const struct gt_waking *waking_in(const struct gt_waits *w, uint32_t thread, int64_t start, int64_t end)
{
	uint64_t from = w->wakings ? w->first[thread] : 0, to = w->wakings ? w->first[thread + 1] : 0, low;
	const struct gt_waking *last;

	GT_SEARCH_FROM(low, from, to, gt_model_waking(w->m, w->wakings[low])->time_ns <= end);
	last = low > from ? gt_model_waking(w->m, w->wakings[low - 1]) : NULL;
	return last && last->time_ns >= start && last->waker_tid ? last : NULL;
}

/* *at: the first of the processes with that number; the next one. NULL behind the last. */
static const struct gt_process *numbered(const struct gt_waits *w, int pid, uint32_t *at, bool first)
{
	uint32_t n = gt_model_process_count(w->m);

	if (first)
		GT_SEARCH(*at, n, gt_model_process(w->m, w->by_pid[*at])->pid < pid);
	else
		++*at;
	const struct gt_process *p = *at < n ? gt_model_process(w->m, w->by_pid[*at]) : NULL;

	return p && p->pid == pid ? p : NULL;
}

/* Which process of the trace, and which thread of it, that number was at that time. */
static uint32_t waker_thread(const struct gt_waits *w, const struct gt_waking *by)
{
	uint32_t found = UINT32_MAX, at = 0;
	const struct gt_process *p = numbered(w, by->waker_pid, &at, true);

	for (; p && found == UINT32_MAX; p = numbered(w, by->waker_pid, &at, false))
		found = gt_thread_numbered(w->m, p->index, by->waker_tid, by->time_ns);
	return found;
}

static uint32_t main_thread(const struct gt_model *m, const struct gt_process *p)
{
	for (uint32_t t = p->first_thread; t < p->first_thread + p->n_threads; t++)
		if (gt_model_thread(m, t)->main)
			return t;
	return UINT32_MAX;
}

/* The main thread of what a child was at last; the process that waited came before it. */
static uint32_t ended_child(const struct gt_waits *w, uint32_t parent, int child, int64_t ns)
{
	uint32_t found = UINT32_MAX, at = 0, t;

	for (const struct gt_process *p = numbered(w, child, &at, true); p; p = numbered(w, child, &at, false)) {
		t = p->index != parent && p->start_ns <= ns ? main_thread(w->m, p) : UINT32_MAX;
		found = t != UINT32_MAX ? t : found;
	}
	return found;
}

/* What no call says, the kernel may have said. */
static void ask_kernel(const struct gt_waits *w, struct gt_wait *wait)
{
	const struct gt_waking *by = wait->other_tid >= 0 || wait->what == GT_WAIT_PROCESS
		? NULL : waking_in(w, wait->thread, wait->start_ns, wait->end_ns);

	if (!by)
		return;
	wait->other_tid = by->waker_tid;
	wait->other = waker_thread(w, by);
	wait->by_ns = by->time_ns;
	wait->by_kernel = true;
}

static int tell_one(struct gt_waits *w, struct gt_wait *wait)
{
	ask_kernel(w, wait);
	return wait->what == GT_WAIT_ANYTHING && wait->other_tid < 0 ? 0 : w->tell(w->ctx, wait);
}

/* Those that were over before `ns`, in order of start. */
static int tell_until(struct gt_waits *w, int64_t ns)
{
	int64_t next = INT64_MAX;
	uint32_t kept = 0;
	int rc = 0;

	if (ns != GT_NO_TIME && ns <= w->next_end_ns)
		return 0;                 /* most calls: none is over */
	for (uint32_t i = 0; i < w->open.n; i++)
		if (ns != GT_NO_TIME && w->open.v[i].end_ns >= ns) {
			next = w->open.v[i].end_ns < next ? w->open.v[i].end_ns : next;
			w->open.v[kept++] = w->open.v[i];
		} else if (!rc)
			rc = tell_one(w, &w->open.v[i]);
	w->open.n = kept;
	w->next_end_ns = next;
	return rc;
}

int gt_waits_end(struct gt_waits *w) { return tell_until(w, GT_NO_TIME); }

/* What a wake lets go, or who is signalled: a thread by its number, which its handle leads to. */
static uint64_t woken_object(const struct gt_waits *w, const struct gt_call *c, const struct role *r)
{
	uint64_t at = value_of(c, r->woken);
	const struct object *thread =
		r->wakes == GT_WAIT_SIGNAL ? find_object(w, c->process, GT_WAIT_THREAD, at) : NULL;

	return thread ? (uint64_t)thread->tid : at;
}

/* WAITS1 */
static int wake(struct gt_waits *w, const struct gt_call *c, const struct role *r)
{
	struct object o = { .process = c->process,
		.what = r->wakes,
		.at = woken_object(w, c, r),
		.tid = gt_call_tid(c),
		.thread = c->thread,
		.by = c->fn,
		.start_ns = c->start_ns,
		.end_ns = c->end_ns,
		.id = c->id };

	for (uint32_t i = 0; i < w->open.n; i++) {
		struct gt_wait *wait = &w->open.v[i];

		if (wait->what == r->wakes && wait->object == o.at && wait->process == o.process &&
			wait->thread != o.thread)
			ended_by(wait, &o);
	}
	return keep_object(w, &o);
}

static int create(struct gt_waits *w, const struct gt_call *c, const struct role *r)
{
	int tid = (int)(int32_t)value_of(c, r->tid);
	uint32_t thread = tid > 0 ? gt_thread_numbered(w->m, c->process, tid, c->end_ns) : UINT32_MAX;

	return keep_object(w, &(struct object){ .process = c->process,
				      .what = GT_WAIT_THREAD,
				      .at = value_of(c, r->object),
				      .tid = tid > 0 ? tid : -1,
				      .thread = thread });
}

static int begin_wait(struct gt_waits *w, const struct gt_call *c, const struct role *r)
{
	struct gt_wait *wait = GT_LIST_ADD(&w->open);
	const struct object *o;

	if (!wait)
		return -1;
	*wait = (struct gt_wait){ .what = r->waits,
		.fn = c->fn,
		.process = c->process,
		.thread = c->thread,
		.id = c->id,
		.start_ns = c->start_ns,
		.end_ns = c->end_ns,
		.object = r->waits == GT_WAIT_SIGNAL ? (uint64_t)gt_call_tid(c) : value_of(c, r->object),
		.other_tid = -1,
		.other = UINT32_MAX,
		.by_ns = GT_NO_TIME };
	if (c->end_ns < w->next_end_ns)
		w->next_end_ns = c->end_ns;
	if (r->waits == GT_WAIT_PROCESS) {
		int64_t child = (int64_t)gt_call_return(c);

		wait->other_tid = child > 0 ? (int)child : -1;
		if (child > 0)
			wait->other = ended_child(w, c->process, (int)child, c->end_ns);
		return 0;
	}
	if (r->waits == GT_WAIT_ANYTHING)
		return 0;
	o = find_object(w, c->process, r->waits, wait->object);
	/* A handle's thread is known from its creation; a wake counts when it was not over yet. */
	if (o && (r->waits == GT_WAIT_THREAD || (o->end_ns >= c->start_ns && o->thread != c->thread)))
		ended_by(wait, o);
	return 0;
}

int gt_waits_call(struct gt_waits *w, const struct gt_call *call)
{
	const struct role *r;

	if (call->fn->domain != REC_DOMAIN_OSRT || call->cuda || call->is_callback)
		return 0;
	r = role_of(w, call->fn);
	if (tell_until(w, call->start_ns))
		return -1;
	if (!call->has_args || call->unfinished)
		return 0;
	if (r->creates)
		return call->result ? 0 : create(w, call, r);
	struct role now = *r;

	if (r->operation >= 0) {
		uint32_t bit = 1u << (value_of(call, r->operation) & 31);

		now.waits = bit & FUTEX_WAITS ? r->waits : 0;
		now.wakes = bit & FUTEX_WAKES ? r->wakes : 0;
	}
	if (w->wakings && !now.waits && !now.wakes)
		now.waits = GT_WAIT_ANYTHING;
	/* The own wait stands in front of the own wake: who waits at a barrier is no waker of itself. */
	if (now.wakes && wake(w, call, &now))
		return -1;
	return now.waits ? begin_wait(w, call, &now) : 0;
}

/* ----------------------------------------------------------------------- list */

struct gt_wait_list { GT_LIST(struct gt_wait) all; };

static int by_call(const void *a, const void *b)
{
	const struct gt_wait *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int keep_wait(void *ctx, const struct gt_wait *wait)
{
	struct gt_wait_list *l = ctx;
	struct gt_wait *at = wait->other_tid < 0 ? NULL : GT_LIST_ADD(&l->all);

	if (at)
		*at = *wait;
	return at || wait->other_tid < 0 ? 0 : -1;
}

static int take_call(void *ctx, const struct gt_call *call)
{
	return gt_waits_call(ctx, call);
}

static int read_waits(struct gt_model *m, struct gt_waits *w, struct gt_err *err)
{
	return gt_walk_all(m, take_call, w, "waits", err) || gt_waits_end(w) ? -1 : 0;
}

/* A walk over all calls is not for nothing. */
bool gt_has_os_runtime(const struct gt_model *m)
{
	for (uint32_t i = 0; i < gt_model_process_count(m); i++) {
		const char *domains = gt_model_option(m, (int)i, GT_TAKEN_DOMAINS);

		if (domains && gc_list_has(domains, "osrt"))
			return true;
	}
	return false;
}

int gt_wait_list_read(struct gt_model *m, struct gt_wait_list **out, struct gt_err *err)
{
	struct gt_wait_list *l;
	struct gt_waits *w;
	int rc;

	*out = NULL;
	if (!gt_has_os_runtime(m))
		return 0;
	l = calloc(1, sizeof *l);
	w = l ? gt_waits_new(m, keep_wait, l) : NULL;
	rc = w ? read_waits(m, w, err) : gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "no memory for waits");
	gt_waits_free(w);
	if (!rc && l->all.n) {
		qsort(l->all.v, l->all.n, sizeof *l->all.v, by_call);
		*out = l;
		return 0;
	}
	gt_wait_list_free(l);
	return rc;
}

const struct gt_wait *gt_wait_list_find(const struct gt_wait_list *l, uint32_t process, uint64_t id)
{
	const struct gt_wait key = { .process = process, .id = id };

	return l ? bsearch(&key, l->all.v, l->all.n, sizeof key, by_call) : NULL;
}

void gt_wait_list_free(struct gt_wait_list *l)
{
	if (!l)
		return;
	free(l->all.v);
	free(l);
}
