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
#include "model/functions/plan.h"

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
};

/* What a function's number leads to, found once. */
struct role {
	bool known, creates;
	uint8_t waits, wakes;             /* enum gt_wait_for */
	int object, woken, tid;           /* parameters; -1 */
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
};

const char *gt_wait_word(enum gt_wait_for what)
{
	static const char *const words[] = { "nothing", "thread", "process", "lock", "read-write lock", "condition",
		"semaphore", "barrier" };

	return words[what];
}

struct gt_waits *gt_waits_new(const struct gt_model *m, gt_waits_tell *tell, void *ctx)
{
	struct gt_waits *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	*w = (struct gt_waits){ .m = m, .tell = tell, .ctx = ctx,
		.roles = calloc(gt_fntable_count(gt_model_table(m)) + 1, sizeof *w->roles) };
	if (w->roles)
		return w;
	free(w);
	return NULL;
}

void gt_waits_free(struct gt_waits *w)
{
	if (!w)
		return;
	gt_map_free(&w->objects, sizeof(struct object));
	free(w->open.v);
	free(w->roles);
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
	*r = (struct role){ .known = true, .object = -1, .woken = -1, .tid = -1 };
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

/* Those that were over before `ns`, in order of start. */
static int tell_until(struct gt_waits *w, int64_t ns)
{
	uint32_t kept = 0;
	int rc = 0;

	for (uint32_t i = 0; i < w->open.n; i++)
		if (ns != GT_NO_TIME && w->open.v[i].end_ns >= ns)
			w->open.v[kept++] = w->open.v[i];
		else if (!rc)
			rc = w->tell(w->ctx, &w->open.v[i]);
	w->open.n = kept;
	return rc;
}

int gt_waits_end(struct gt_waits *w) { return tell_until(w, GT_NO_TIME); }

/* WAITS1 */
static int wake(struct gt_waits *w, const struct gt_call *c, const struct role *r)
{
	struct object o = { .process = c->process,
		.what = r->wakes,
		.at = value_of(c, r->woken),
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

static uint32_t thread_of(const struct gt_model *m, uint32_t process, int tid)
{
	const struct gt_process *p = gt_model_process(m, process);

	for (uint32_t i = 0; i < p->n_threads; i++)
		if (gt_model_thread(m, p->first_thread + i)->tid == tid)
			return p->first_thread + i;
	return UINT32_MAX;
}

static int create(struct gt_waits *w, const struct gt_call *c, const struct role *r)
{
	int tid = (int)(int32_t)value_of(c, r->tid);

	return keep_object(w, &(struct object){ .process = c->process,
				      .what = GT_WAIT_THREAD,
				      .at = value_of(c, r->object),
				      .tid = tid > 0 ? tid : -1,
				      .thread = tid > 0 ? thread_of(w->m, c->process, tid) : UINT32_MAX });
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
		.object = value_of(c, r->object),
		.other_tid = -1,
		.other = UINT32_MAX,
		.by_ns = GT_NO_TIME };
	if (r->waits == GT_WAIT_PROCESS) {
		int64_t child = (int64_t)gt_call_return(c);

		wait->other_tid = child > 0 ? (int)child : -1;
		return 0;
	}
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
	/* The own wait stands in front of the own wake: who waits at a barrier is no waker of itself. */
	if (r->wakes && wake(w, call, r))
		return -1;
	return r->waits ? begin_wait(w, call, r) : 0;
}
