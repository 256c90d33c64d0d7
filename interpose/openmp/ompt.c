/*
 * interpose/openmp/ompt.c - OpenMP regions, as runtimes with a tools interface (OMPT) tell of them
 *
 * The runtime finds ompt_start_tool among the program's symbols when it starts, and calls back at each begin and end. A
 * region is written when it ends, as one record with its start and duration; a moment when it happens.
 *
 * Runs      on any thread of the traced program, inside its OpenMP runtime.
 * Must not  allocate, lock, make a system call but for a thread's first number, change errno.
 *
 * Invariants OMPT1 to OMPT3: interpose/openmp/record.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/openmp/ompt.h"

#define OPENMP_THIN openmp_thin
#include "interpose/openmp/record.h"

enum open_kind { OPEN_SYNC, OPEN_WAIT, OPEN_REDUCTION, OPEN_WORK, OPEN_MASKED, OPEN_KINDS };

/* Of one thread, and written by it alone. */
struct state {
	uint64_t task, task_tick; /* number; since when the explicit task runs here */
	int type;                 /* of the thread: its end does not say it */
	struct {
		uint32_t n;
		uint64_t tick[DEEP];
	} open[OPEN_KINDS];
	uint64_t work_count[DEEP]; /* of open work: its end does not say it */
	struct {
		uint32_t n;
		uint64_t parallel[DEEP], task[DEEP];
	} implicit;
	struct mutexes waited, held;
};

static __thread struct state *state __attribute__((tls_model("initial-exec"))); /* OMPT3 */

static inline struct state *me(void) { return state ? state : new_state((void **)&state, sizeof *state); }

static uint64_t value_of(const union ompt_data *data) { return data ? data->value : 0; }
static uint64_t present_parallel(void)
{
	uint32_t n = state ? state->implicit.n : 0;

	return n && n <= DEEP ? state->implicit.parallel[n - 1] : 0;
}

static uint64_t present_task(void) { return state ? state->task : 0; }

/* OMPT1; its upper bits are those of now, or one less. */
static uint64_t tick_of(uint64_t number, uint64_t now)
{
	uint64_t low = number >> TICK_SHIFT, mask = UINT64_MAX >> TICK_SHIFT, tick = (now & ~mask) | low;

	return tick > now ? tick - mask - 1 : tick;
}

/* OMPT2. True at an end whose begin was seen, with *start. */
static bool region(enum open_kind kind, int endpoint, uint64_t *start)
{
	struct state *s = endpoint == OMPT_BEGINEND ? NULL : me();
	uint32_t *n = s ? &s->open[kind].n : NULL;

	*start = 0;
	if (endpoint == OMPT_BEGINEND)
		return true;
	if (!n) {
		if (endpoint != OMPT_BEGIN)
			count_lost();
		return false;
	}
	if (endpoint == OMPT_BEGIN) {
		if (*n < DEEP)
			s->open[kind].tick[*n] = now();
		++*n;
		return false;
	}
	if (!*n || --*n >= DEEP)
		return false;
	*start = s->open[kind].tick[*n];
	return *start != 0;
}

/* ------------------------------------------------------------------ callbacks */

static void thread_begin(int type, union ompt_data *thread)
{
	uint64_t tick = now();
	struct state *s = me();

	thread->value = tick ? new_number(tick, 0) : 0;
	if (s)
		s->type = type;
}

static void thread_end(union ompt_data *thread)
{
	uint64_t tick = now();
	struct state *s = me();

	if (!tick || !thread->value)
		return;
	if (s)
		put(FN_omp_thread, tick_of(thread->value, tick), (uint32_t)s->type, WORDS(thread->value));
	else
		count_lost();
}

static void parallel_begin(
	union ompt_data *task, const void *frame, union ompt_data *parallel, unsigned team, int flags, const void *code)
{
	uint64_t tick = now();

	(void)task, (void)frame, (void)team, (void)flags, (void)code;
	parallel->value = tick ? new_number(tick, 0) : 0;
}

static void parallel_end(union ompt_data *parallel, union ompt_data *task, int flags, const void *code)
{
	uint64_t tick = now(), number = value_of(parallel);

	(void)flags;
	if (tick && number)
		put(FN_omp_parallel, tick_of(number, tick), 0, WORDS(number, value_of(task), (uintptr_t)code));
}

static void implicit_task_begin(struct state *s, union ompt_data *parallel, union ompt_data *task)
{
	uint64_t tick = now();
	uint32_t n;

	task->value = tick ? new_number(tick, 0) : 0;
	if (!s)
		return;
	n = s->implicit.n++;
	if (n < DEEP) {
		s->implicit.parallel[n] = value_of(parallel);
		s->implicit.task[n] = s->task;
	}
	s->task = task->value;
}

static void implicit_task(
	int endpoint, union ompt_data *parallel, union ompt_data *task, unsigned team, unsigned index, int flags)
{
	struct state *s = me();

	(void)team, (void)index;
	if (endpoint == OMPT_BEGIN) {
		implicit_task_begin(s, parallel, task);
		return;
	}
	uint64_t number = value_of(task), in = present_parallel(), tick = now();

	if (s) {
		if (s->implicit.n)
			s->implicit.n--;
		s->task = s->implicit.n < DEEP ? s->implicit.task[s->implicit.n] : 0;
	}
	if (!tick || !number)
		return;
	if (s)
		put(FN_omp_task, tick_of(number, tick),
			flags & OMPT_TASK_INITIAL ? OMPT_TASK_INITIAL : OMPT_TASK_IMPLICIT, WORDS(in, number));
	else
		count_lost(); /* in which region it was is not known */
}

static void task_create(
	union ompt_data *task, const void *frame, union ompt_data *made, int flags, int depends, const void *code)
{
	uint64_t tick = now();

	(void)frame, (void)depends;
	made->value = tick ? new_number(tick, flags & OMPT_TASK_EXPLICIT ? EXPLICIT : 0) : 0;
	if (tick)
		put(FN_omp_task_create, 0, (uint32_t)flags, WORDS(value_of(task), made->value, (uintptr_t)code));
}

static void task_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
	uint64_t from = value_of(prior), to = value_of(next), tick = now();
	struct state *s = me();

	if (!tick)
		return;
	if (!s) {
		count_lost();
		return;
	}
	put(FN_omp_task_schedule, 0, (uint32_t)status, WORDS(present_parallel(), from, to));
	if (from & EXPLICIT && from == s->task && s->task_tick)
		put(FN_omp_task, s->task_tick, OMPT_TASK_EXPLICIT, WORDS(present_parallel(), from));
	if (!next)
		return;
	s->task = to;
	s->task_tick = to & EXPLICIT ? tick : 0;
}

static void sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task, const void *code)
{
	uint64_t start;

	(void)parallel;
	if (region(OPEN_SYNC, endpoint, &start))
		put(FN_omp_sync_region, start, (uint32_t)kind,
			WORDS(present_parallel(), value_of(task), (uintptr_t)code));
}

static void sync_region_wait(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task, const void *code)
{
	uint64_t start;

	(void)parallel;
	if (region(OPEN_WAIT, endpoint, &start))
		put(FN_omp_sync_region_wait, start, (uint32_t)kind,
			WORDS(present_parallel(), value_of(task), (uintptr_t)code));
}

static void reduction(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task, const void *code)
{
	uint64_t start;

	(void)parallel;
	if (region(OPEN_REDUCTION, endpoint, &start))
		put(FN_omp_reduction, start, (uint32_t)kind,
			WORDS(present_parallel(), value_of(task), (uintptr_t)code));
}

static void work(
	int kind, int endpoint, union ompt_data *parallel, union ompt_data *task, uint64_t count, const void *code)
{
	struct state *s = me();
	uint32_t n = s ? s->open[OPEN_WORK].n : 0;
	uint64_t start;

	(void)parallel;
	if (endpoint == OMPT_BEGIN && s && n < DEEP)
		s->work_count[n] = count;
	if (region(OPEN_WORK, endpoint, &start)) {
		if (endpoint == OMPT_END)
			count = s->work_count[n - 1];
		put(FN_omp_workshare, start, (uint32_t)kind,
			WORDS(present_parallel(), value_of(task), count, (uintptr_t)code));
	}
}

static void masked(int endpoint, union ompt_data *parallel, union ompt_data *task, const void *code)
{
	uint64_t start;

	(void)parallel;
	if (region(OPEN_MASKED, endpoint, &start))
		put(FN_omp_masked, start, 0, WORDS(present_parallel(), value_of(task), (uintptr_t)code));
}

static void dispatch(union ompt_data *parallel, union ompt_data *task, int kind, union ompt_data instance)
{
	put(FN_omp_dispatch, 0, (uint32_t)kind, WORDS(value_of(parallel), value_of(task), instance.value));
}

static void cancel(union ompt_data *task, int flags, const void *code)
{
	put(FN_omp_cancel, 0, (uint32_t)flags, WORDS(value_of(task), (uintptr_t)code));
}

static void flush(union ompt_data *thread, const void *code)
{
	put(FN_omp_flush, 0, 0, WORDS(value_of(thread), (uintptr_t)code));
}

/* -------------------------------------------------------------------- mutexes */

/* A test that fails has no end: its begin goes with the next one of the same lock. */
static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t id, const void *code)
{
	struct state *s = me();

	(void)kind, (void)hint, (void)how, (void)code;
	if (!s)
		return;
	mutex_take(&s->waited, id);
	mutex_push(&s->waited, id, now());
}

static void mutex_acquired(int kind, uint64_t id, const void *code)
{
	struct state *s = me();
	uint64_t start = s ? mutex_take(&s->waited, id) : 0;

	if (!s) {
		count_lost();
		return;
	}
	if (start)
		put(FN_omp_mutex_wait, start, (uint32_t)kind, WORDS(id, s->task, (uintptr_t)code));
	mutex_push(&s->held, id, now());
}

static void mutex_released(int kind, uint64_t id, const void *code)
{
	struct state *s = me();
	uint64_t start = s ? mutex_take(&s->held, id) : 0;

	if (!s)
		count_lost();
	if (start)
		put(FN_omp_critical_section, start, (uint32_t)kind, WORDS(id, s->task, (uintptr_t)code));
	put(FN_omp_mutex_released, 0, (uint32_t)kind, WORDS(id, present_task(), (uintptr_t)code));
}

static void lock_init(int kind, unsigned hint, unsigned how, uint64_t id, const void *code)
{
	(void)hint, (void)how;
	put(FN_omp_lock_init, 0, (uint32_t)kind, WORDS(id, (uintptr_t)code));
}

static void lock_destroy(int kind, uint64_t id, const void *code)
{
	put(FN_omp_lock_destroy, 0, (uint32_t)kind, WORDS(id, (uintptr_t)code));
}

/* ------------------------------------------------------------------ the start */

/* 1: the runtime goes on telling; 0: it never does. */
static int initialize(ompt_function_lookup *lookup, int device, union ompt_data *tool)
{
	ompt_set_callback *set = (ompt_set_callback *)lookup("ompt_set_callback");

	(void)device, (void)tool;
	if (!set)
		return 0;
#define X(name, number) set(number, (ompt_callback *)name);
	OMPT_CALLBACKS(X)
#undef X
	return 1;
}

static void finalize(union ompt_data *tool) { (void)tool; }

__attribute__((visibility("default"))) struct ompt_start_tool_result *ompt_start_tool(
	unsigned version, const char *runtime);
/* There is one tool per process: one that the program brings itself stays. */
struct ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct ompt_start_tool_result result = { initialize, finalize, { 0 } };
	struct ompt_start_tool_result *(*other)(unsigned, const char *) =
		(struct ompt_start_tool_result * (*)(unsigned, const char *)) dlsym(RTLD_NEXT, "ompt_start_tool");
	struct ompt_start_tool_result *theirs = other ? other(version, runtime) : NULL;
	const struct gputap_core *c = core();

	if (!other)
		(void)dlsym(RTLD_DEFAULT, "dlsym"); /* no message is left for the program's dlerror */
	if (theirs && c)
		c->note("another tool of OpenMP is in the process: no OpenMP regions");
	return theirs ? theirs : c ? &result : NULL;
}
