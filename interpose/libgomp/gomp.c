/*
 * interpose/libgomp/gomp.c - OpenMP regions of programs made by GCC: what libgomp's entry points can tell
 *
 * libgomp has no tools interface. What is seen are the calls that GCC makes of an OpenMP construct: parallel regions,
 * work sharing, tasks, critical regions, barriers, locks. What the compiler turns into plain code (static loops,
 * master, flush, reductions) nobody can see. docs/openmp.md says what is filled and what is not.
 *
 * Runs      on any thread of the traced program, in place of libgomp's functions.
 * Must not  allocate, lock, change errno; make a system call but for a thread's first number.
 *
 * GOMP1  Only libgomp's own functions are told of: LLVM's runtime exports the same names for programs that GCC made,
 *        and tells of itself (interpose/openmp/ompt.c). Its calls are handed on.
 * GOMP2  A task's arguments are copied by libgomp, so ours stand in front of them in one block: see struct task.
 * GOMP3  The program's function that a team or a task runs may end by a jump to an entry point: that call comes from
 *        us, as far as its return address tells. Then the runtime that runs the team is meant.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <string.h>

#define OPENMP_THIN gomp_thin
#include "interpose/libgomp/gomp.h"
#include "interpose/openmp/record.h"

#define EXPORT __attribute__((visibility("default")))
typedef void function(void *);
typedef unsigned long long ull;

enum index {
#define X(name, kind) F_##name,
	GOMP_FUNCTIONS(X)
#undef X
	FUNCTIONS
};
static const char *const names[FUNCTIONS] = {
#define X(name, kind) #name,
	GOMP_FUNCTIONS(X)
#undef X
};

/* ---------------------------------------------------------------------- state */

/* Of one thread, and written by it alone. */
struct state {
	uint64_t parallel, task; /* numbers of what runs here */
	const void *runtime;     /* the function that makes it run: of GOMP3 */
	/* of a target region whose teams run here; parallel 0: none */
	struct { uint64_t parallel, parallel_before, task_before, tick, team_tick; } league;
	uint32_t groups;         /* open taskgroups */
	uint64_t group_tick[DEEP];
	struct {
		uint32_t n;
		struct {
			uint64_t tick, count;
			uint32_t kind;
		} v[DEEP];
	} work;
	struct mutexes held;
};

/* OMPT3. Where a call is told of (struct entry's tick), it is there. */
static __thread struct state *me __attribute__((tls_model("initial-exec")));

static inline bool has_state(void) { return me || new_state((void **)&me, sizeof *me); }

/* ------------------------------------------------------------- real functions */

/*
 * What a call site reaches, found once. Two runtimes may be in one process, and each caller has its own: the versions
 * of the symbols, which a preloaded library's have not, tell them apart. A site is claimed by its key, then filled.
 */
struct site {
	uintptr_t key; /* of address, function and team's runtime */
	void *real;
	bool tells; /* GOMP1; written before `real` is */
};
enum { SITES = 2048, PROBES = 8 };
static struct site sites[SITES];

/* GOMP1. LLVM's may go by its name, and has entry points of its own. */
static bool is_libgomp(void *function)
{
	Dl_info info;
	const char *name = dladdr(function, &info) ? info.dli_fname : NULL;
	void *object = name && strstr(name, "libgomp") ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	bool is = object && !dlsym(object, "__kmpc_global_thread_num");

	if (object)
		dlclose(object);
	return is;
}

/* A library's own dependencies, or those of the program's that ours is not in front of. */
static void *of_caller(const void *caller, const char *name)
{
	Dl_info info, ours;
	void *object = dladdr(caller, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *real = object ? dlsym(object, name) : NULL;

	if (object)
		dlclose(object);
	if (real && dladdr(real, &info) && dladdr((void *)of_caller, &ours) && info.dli_fbase == ours.dli_fbase)
		return NULL;
	return real;
}

static const void *who_calls(const void *caller)
{
	Dl_info info, ours; /* GOMP3 */

	if (me && me->runtime && dladdr(caller, &info) && dladdr((void *)who_calls, &ours) &&
		info.dli_fbase == ours.dli_fbase)
		return me->runtime;
	return caller;
}

/* Another tool's functions stand between the program and any runtime. */
static bool is_runtime(void *function)
{
	Dl_info info;
	void *object = dladdr(function, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	bool is = object && dlsym(object, "GOMP_taskyield");

	if (object)
		dlclose(object);
	return is;
}

/*
 * Before glibc 2.36 RTLD_NEXT finds the oldest function of a name, and a handle the one that programs are linked with
 * now: nested locks of OpenMP 2.5, which are laid out differently, and those since 3.0.
 */
static void *newest(void *function, const char *name)
{
	Dl_info info, found;
	void *object = function && dladdr(function, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *other = object ? dlsym(object, name) : NULL;

	if (object)
		dlclose(object);
	return other && dladdr(other, &found) && found.dli_fbase == info.dli_fbase ? other : function;
}

/* Who gets here without a libgomp had found no such name without us either. */
static void *nothing(void) { return NULL; }

static struct site look_up(enum index i, const void *caller, uintptr_t key)
{
	int saved = errno;
	void *next = newest(dlsym(RTLD_NEXT, names[i]), names[i]), *own = of_caller(who_calls(caller), names[i]);
	struct site s = { key, next, false };

	if (own && (!next || is_runtime(next)))
		s.real = own;
	s.tells = s.real && is_libgomp(s.real);
	if (!s.real)
		s.real = (void *)nothing;
	(void)dlsym(RTLD_DEFAULT, "dlsym"); /* success: no message is left for the program's dlerror */
	errno = saved;
	return s;
}

static uint32_t place_of(uintptr_t key) { return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 53); }

static __attribute__((noinline, cold)) struct site find(enum index i, const void *caller, uintptr_t key)
{
	struct site s = look_up(i, caller, key);

	for (uint32_t n = 0; n < PROBES; n++) {
		struct site *at = &sites[(place_of(key) + n) % SITES];
		uintptr_t none = 0;

		if (!__atomic_compare_exchange_n(&at->key, &none, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		at->tells = s.tells;
		__atomic_store_n(&at->real, s.real, __ATOMIC_RELEASE);
		break;
	}
	return s;
}

/* A call on its way in: the real function, and the tick of now where it is told of. */
struct entry {
	void *real;
	uint64_t tick; /* 0: only forwarded */
	uintptr_t code;
};

static uint64_t begin(bool tells)
{
	if (!tells)
		return 0;
	if (has_state())
		return now();
	count_lost();
	return 0;
}

static inline struct entry enter(enum index i, const void *caller)
{
	const uintptr_t runtime = me ? (uintptr_t)me->runtime : 0;
	const uintptr_t key = ((uintptr_t)caller ^ runtime * 31) + ((uintptr_t)i << 52);

	for (uint32_t n = 0; n < PROBES; n++) {
		const struct site *at = &sites[(place_of(key) + n) % SITES];
		void *real;

		if (__atomic_load_n(&at->key, __ATOMIC_RELAXED) != key)
			continue;
		real = __atomic_load_n(&at->real, __ATOMIC_ACQUIRE);
		if (real)
			return (struct entry){ real, begin(at->tells), (uintptr_t)caller };
	}
	struct site s = find(i, caller, key);

	return (struct entry){ s.real, begin(s.tells), (uintptr_t)caller };
}
#define ENTER(name) \
	struct entry e = enter(F_##name, __builtin_return_address(0)); \
	__typeof__(&name) real = (__typeof__(&name))e.real

/*
 * An entry point that is told of when the real function is back: DONE has no result, GIVES has one, which what tells
 * of it knows as `result`. arguments: the parameters' names.
 */
#define DONE(name, parameters, arguments, ...) \
	EXPORT void name parameters; \
	void name parameters \
	{ \
		ENTER(name); \
		real arguments; \
		__VA_ARGS__; \
	}
#define GIVES(type, name, parameters, arguments, ...) \
	EXPORT type name parameters; \
	type name parameters \
	{ \
		ENTER(name); \
		type result = real arguments; \
\
		__VA_ARGS__; \
		return result; \
	}

/* -------------------------------------------------------------------- records */

static void sync(uint64_t start, uint32_t kind, uintptr_t code)
{
	if (start)
		put(FN_gomp_sync_region, start, kind, WORDS(me->parallel, me->task, code));
}

/* OMPT2 */
static void work_begin(uint64_t tick, uint32_t kind, uint64_t count)
{
	uint32_t n = me->work.n++;

	if (n >= DEEP)
		return;
	me->work.v[n].tick = tick;
	me->work.v[n].kind = kind;
	me->work.v[n].count = count;
}

static void work_end(uintptr_t code)
{
	uint32_t n = me->work.n;

	if (!n)
		return;
	me->work.n = --n;
	if (n < DEEP && me->work.v[n].tick)
		put(FN_gomp_workshare, me->work.v[n].tick, me->work.v[n].kind,
			WORDS(me->parallel, me->task, me->work.v[n].count, code));
}

static void dispatch(uint32_t kind, uint64_t instance)
{
	put(FN_gomp_dispatch, 0, kind, WORDS(me->parallel, me->task, instance));
}

static uint64_t iterations(long start, long end, long step)
{
	if (!step || (step > 0 ? start >= end : start <= end))
		return 0;
	return step > 0 ? ((uint64_t)end - (uint64_t)start - 1) / (uint64_t)step + 1
			: ((uint64_t)start - (uint64_t)end - 1) / (0 - (uint64_t)step) + 1;
}

static uint64_t ull_iterations(bool up, ull start, ull end, ull step)
{
	if (up)
		return start < end && step ? (end - start - 1) / step + 1 : 0;
	return start > end && step ? (start - end - 1) / (0 - step) + 1 : 0;
}

/* ------------------------------------------------------------------- parallel */

/*
 * What the threads of a team are given in place of the program's function and data. `first` is the data's first word:
 * libgomp looks for reductions there.
 */
struct team {
	void *first;
	function *fn;
	void *data;
	uint64_t parallel;
	uint32_t work; /* a loop or sections that the region is; 0: none */
	uint64_t count;
	uint64_t ended; /* tick at which the calling thread left its implicit task */
	uint32_t caller;
	const void *runtime;
	uint32_t task; /* kind of what each of them runs */
};

static uint32_t this_thread(void)
{
	static __thread uint32_t tid __attribute__((tls_model("initial-exec")));

	return tid ? tid : (tid = tap_sys_gettid());
}

static void in_team(void *p)
{
	struct team *t = p;

	if (!has_state()) {
		count_lost();
		t->fn(t->data);
		return;
	}
	uint64_t parallel = me->parallel, task = me->task, start = now(), number = new_number(start, 0);
	const void *runtime = me->runtime;
	uint32_t work = me->work.n;

	me->runtime = t->runtime;
	me->parallel = t->parallel;
	me->task = number;
	if (t->work)
		work_begin(start, t->work, t->count);
	t->fn(t->data);
	while (me->work.n > work) /* cancelled */
		work_end((uintptr_t)t->fn);
	put(FN_gomp_task, start, t->task, WORDS(t->parallel, number));
	me->parallel = parallel;
	me->task = task;
	me->runtime = runtime;
	if (t->caller == this_thread())
		t->ended = now();
}

static struct team team_of(const struct entry *e, function *fn, void *data, uint32_t work, uint64_t count)
{
	return (struct team){ data ? *(void **)data : NULL, fn, data, new_number(e->tick, 0), work, count, 0,
		this_thread(), e->real, TASK_IMPLICIT };
}

/* The wait for the team lies inside the call, behind the caller's own part. */
static void team_end(const struct entry *e, const struct team *t)
{
	if (t->ended)
		put(FN_gomp_sync_region, t->ended, SYNC_PARALLEL, WORDS(t->parallel, me->task, e->code));
	put(FN_gomp_parallel, e->tick, 0, WORDS(t->parallel, me->task, (uintptr_t)t->fn));
}

/* An entry point that runs a team; behind its parameters those of them that follow the function and its data. */
#define TEAM(name, kind, count, parameters, ...) \
	EXPORT void name parameters; \
	void name parameters \
	{ \
		ENTER(name); \
		if (!e.tick) { \
			real(fn, data, __VA_ARGS__); \
			return; \
		} \
		struct team t = team_of(&e, fn, data, kind, count); \
\
		real(in_team, &t, __VA_ARGS__); \
		team_end(&e, &t); \
	}

TEAM(GOMP_parallel, 0, 0, (function *fn, void *data, unsigned threads, unsigned flags), threads, flags)
TEAM(GOMP_parallel_sections, WORK_SECTIONS, count,
	(function *fn, void *data, unsigned threads, unsigned count, unsigned flags), threads, count, flags)

#define PARALLEL_LOOP(name, kind) \
	TEAM(name, kind, iterations(start, end, step), \
		(function *fn, void *data, unsigned threads, long start, long end, long step, long chunk, \
			unsigned flags), \
		threads, start, end, step, chunk, flags)
GOMP_PARALLEL_LOOPS(PARALLEL_LOOP)

#define PARALLEL_RUNTIME_LOOP(name, kind) \
	TEAM(name, kind, iterations(start, end, step), \
		(function *fn, void *data, unsigned threads, long start, long end, long step, unsigned flags), \
		threads, start, end, step, flags)
GOMP_PARALLEL_RUNTIME_LOOPS(PARALLEL_RUNTIME_LOOP)

EXPORT unsigned GOMP_parallel_reductions(function *fn, void *data, unsigned threads, unsigned flags);
unsigned GOMP_parallel_reductions(function *fn, void *data, unsigned threads, unsigned flags)
{
	ENTER(GOMP_parallel_reductions);
	if (!e.tick)
		return real(fn, data, threads, flags);
	struct team t = team_of(&e, fn, data, 0, 0);
	unsigned n = real(in_team, &t, threads, flags);

	team_end(&e, &t);
	return n;
}

/* A league is a region whose teams begin with one thread and an initial task each, one team behind the other. */
EXPORT void GOMP_teams_reg(function *fn, void *data, unsigned teams, unsigned threads, unsigned flags);
void GOMP_teams_reg(function *fn, void *data, unsigned teams, unsigned threads, unsigned flags)
{
	ENTER(GOMP_teams_reg);
	if (!e.tick) {
		real(fn, data, teams, threads, flags);
		return;
	}
	struct team t = team_of(&e, fn, data, 0, 0);

	t.task = TASK_INITIAL;
	t.caller = 0; /* nobody waits for the others */
	real(in_team, &t, teams, threads, flags);
	team_end(&e, &t);
}

/* The team that runs here ends, and the next one begins, or the league is over. */
static void next_team(uintptr_t code, bool first, bool more)
{
	uint64_t tick;

	if (!first)
		put(FN_gomp_task, me->league.team_tick, TASK_INITIAL, WORDS(me->parallel, me->task));
	tick = now(); /* behind the end of the last one */
	if (first) {
		me->league.parallel_before = me->parallel;
		me->league.task_before = me->task;
		me->league.tick = tick;
		me->parallel = me->league.parallel = new_number(tick, 0);
	}
	if (more) {
		me->league.team_tick = tick;
		me->task = new_number(tick, 0);
		return;
	}
	me->parallel = me->league.parallel_before;
	me->task = me->league.task_before;
	put(FN_gomp_parallel, me->league.tick, 0, WORDS(me->league.parallel, me->task, code));
	me->league.parallel = 0;
}

/* Inside a target region that runs in here: before each team, and once behind the last. Such leagues do not nest. */
EXPORT bool GOMP_teams4(unsigned low, unsigned high, unsigned threads, bool first);
bool GOMP_teams4(unsigned low, unsigned high, unsigned threads, bool first)
{
	ENTER(GOMP_teams4);
	bool more = real(low, high, threads, first);

	if (first ? e.tick && !me->league.parallel : me && me->league.parallel)
		next_team(e.code, first, more);
	return more;
}

/* The function's address names the device's code, so it is handed on as it is; without a device it runs in here. */
EXPORT void GOMP_target_ext(int device, function *fn, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
	unsigned flags, void **depend, void **arguments);
void GOMP_target_ext(int device, function *fn, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
	unsigned flags, void **depend, void **arguments)
{
	ENTER(GOMP_target_ext);
	uint64_t before = e.tick ? me->task : 0, number = e.tick ? new_number(e.tick, EXPLICIT) : 0;

	if (number)
		me->task = number;
	real(device, fn, n, addresses, sizes, kinds, flags, depend, arguments);
	if (!number)
		return;
	me->task = before;
	put(FN_gomp_task, e.tick, TASK_TARGET, WORDS(me->parallel, number));
}

/* --------------------------------------------------------------- work sharing */

static void came_in(const struct entry *e, uint32_t kind, uint64_t count, bool some)
{
	if (!e->tick)
		return;
	work_begin(e->tick, kind, count);
	if (some)
		dispatch(DISPATCH_ITERATION, 0);
}

#define LOOP_START(name, kind) \
	GIVES(bool, name, (long start, long end, long step, long chunk, long *from, long *to), \
		(start, end, step, chunk, from, to), came_in(&e, kind, iterations(start, end, step), result))
GOMP_LOOP_STARTS(LOOP_START)

#define LOOP_RUNTIME_START(name, kind) \
	GIVES(bool, name, (long start, long end, long step, long *from, long *to), (start, end, step, from, to), \
		came_in(&e, kind, iterations(start, end, step), result))
GOMP_LOOP_RUNTIME_STARTS(LOOP_RUNTIME_START)

#define ULL_START(name, kind) \
	GIVES(bool, name, (bool up, ull start, ull end, ull step, ull chunk, ull *from, ull *to), \
		(up, start, end, step, chunk, from, to), \
		came_in(&e, kind, ull_iterations(up, start, end, step), result))
GOMP_ULL_STARTS(ULL_START)

#define ULL_RUNTIME_START(name, kind) \
	GIVES(bool, name, (bool up, ull start, ull end, ull step, ull *from, ull *to), \
		(up, start, end, step, from, to), \
		came_in(&e, kind, ull_iterations(up, start, end, step), result))
GOMP_ULL_RUNTIME_STARTS(ULL_RUNTIME_START)

/* libgomp's numbers of schedules; a bit says "monotonic". */
static uint32_t kind_of(long schedule)
{
	static const uint8_t kinds[] = { WORK_OTHER, WORK_STATIC, WORK_DYNAMIC, WORK_GUIDED };
	unsigned long n = (unsigned long)schedule & 0x7fffffff;

	return n < sizeof kinds ? kinds[n] : WORK_OTHER;
}

#define ANY_START(name, kind) \
	GIVES(bool, name, \
		(long start, long end, long step, long schedule, long chunk, long *from, long *to, void *reductions, \
			void **memory), \
		(start, end, step, schedule, chunk, from, to, reductions, memory), \
		came_in(&e, kind_of(schedule), iterations(start, end, step), result && from))
GOMP_ANY_STARTS(ANY_START)

#define ULL_ANY_START(name, kind) \
	GIVES(bool, name, \
		(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull *from, ull *to, \
			void *reductions, void **memory), \
		(up, start, end, step, schedule, chunk, from, to, reductions, memory), \
		came_in(&e, kind_of(schedule), ull_iterations(up, start, end, step), result && from))
GOMP_ULL_ANY_STARTS(ULL_ANY_START)

static void next_part(const struct entry *e, bool some)
{
	if (some && e->tick)
		dispatch(DISPATCH_ITERATION, 0);
}

#define LOOP_NEXT(name, kind) GIVES(bool, name, (void *from, void *to), (from, to), next_part(&e, result))
GOMP_LOOP_NEXTS(LOOP_NEXT)

static unsigned section(const struct entry *e, unsigned number)
{
	if (number && e->tick)
		dispatch(DISPATCH_SECTION, number);
	return number;
}

EXPORT unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections_start(unsigned count)
{
	ENTER(GOMP_sections_start);
	if (e.tick)
		work_begin(e.tick, WORK_SECTIONS, count);
	return section(&e, real(count));
}

EXPORT unsigned GOMP_sections2_start(unsigned count, void *reductions, void **memory);
unsigned GOMP_sections2_start(unsigned count, void *reductions, void **memory)
{
	ENTER(GOMP_sections2_start);
	if (e.tick)
		work_begin(e.tick, WORK_SECTIONS, count);
	return section(&e, real(count, reductions, memory));
}

EXPORT unsigned GOMP_sections_next(void);
unsigned GOMP_sections_next(void)
{
	ENTER(GOMP_sections_next);
	return section(&e, real());
}

static void work_over(const struct entry *e)
{
	if (e->tick)
		work_end(e->code);
}

/* Loops and sections end alike: the wait for the team is inside. */
static void waited_and_over(const struct entry *e)
{
	sync(e->tick, SYNC_WORKSHARE, e->code);
	work_over(e);
}

#define WORK_END(name, kind) DONE(name, (void), (), waited_and_over(&e))
GOMP_WORK_ENDS(WORK_END)

#define CANCEL_WORK_END(name, kind) GIVES(bool, name, (void), (), waited_and_over(&e))
GOMP_CANCEL_WORK_ENDS(CANCEL_WORK_END)

#define NOWAIT_END(name, kind) DONE(name, (void), (), work_over(&e))
GOMP_NOWAIT_ENDS(NOWAIT_END)

/* Its end is plain code: a moment. */
EXPORT bool GOMP_single_start(void);
bool GOMP_single_start(void)
{
	ENTER(GOMP_single_start);
	bool mine_to_do = real();

	if (e.tick)
		put(FN_gomp_workshare, 0, mine_to_do ? WORK_SINGLE : WORK_SINGLE_OTHER,
			WORDS(me->parallel, me->task, 1, e.code));
	return mine_to_do;
}

EXPORT void *GOMP_single_copy_start(void);
void *GOMP_single_copy_start(void)
{
	ENTER(GOMP_single_copy_start);
	void *from_other = real();

	if (e.tick && !from_other)
		work_begin(e.tick, WORK_SINGLE, 1);
	else if (e.tick)
		put(FN_gomp_workshare, e.tick, WORK_SINGLE_OTHER, WORDS(me->parallel, me->task, 1, e.code));
	return from_other;
}

DONE(GOMP_single_copy_end, (void *data), (data), work_over(&e))

/* ---------------------------------------------------------------------- waits */

#define WAIT(name, kind) DONE(name, (void), (), sync(e.tick, kind, e.code))
GOMP_WAITS(WAIT)

#define CANCEL_WAIT(name, kind) GIVES(bool, name, (void), (), sync(e.tick, kind, e.code))
GOMP_CANCEL_WAITS(CANCEL_WAIT)

DONE(GOMP_taskwait_depend, (void **depend), (depend), sync(e.tick, SYNC_TASKWAIT, e.code))

EXPORT void GOMP_taskgroup_start(void);
void GOMP_taskgroup_start(void)
{
	ENTER(GOMP_taskgroup_start);
	if (e.tick && me->groups++ < DEEP)
		me->group_tick[me->groups - 1] = e.tick;
	real();
}

EXPORT void GOMP_taskgroup_end(void);
void GOMP_taskgroup_end(void)
{
	ENTER(GOMP_taskgroup_end);
	real();
	if (e.tick && me->groups && --me->groups < DEEP)
		sync(me->group_tick[me->groups], SYNC_TASKGROUP, e.code);
}

/* -------------------------------------------------------------------- mutexes */

static void acquired(const struct entry *e, uint32_t kind, uint64_t id)
{
	if (!e->tick)
		return;
	put(FN_gomp_mutex_wait, e->tick, kind, WORDS(id, me->task, e->code));
	mutex_push(&me->held, id, now());
}

static void released(const struct entry *e, uint32_t kind, uint64_t id)
{
	uint64_t start = e->tick ? mutex_take(&me->held, id) : 0;

	if (start)
		put(FN_gomp_critical_section, start, kind, WORDS(id, me->task, e->code));
	if (e->tick)
		put(FN_gomp_mutex_released, 0, kind, WORDS(id, me->task, e->code));
}

static void lock_told(const struct entry *e, uint32_t function, uint32_t kind, uint64_t id)
{
	if (e->tick)
		put(function, 0, kind, WORDS(id, e->code));
}

/* These have no name: their kind stands for one. */
#define MUTEX_START(name, kind) DONE(name, (void), (), acquired(&e, kind, kind))
GOMP_MUTEX_STARTS(MUTEX_START)

#define MUTEX_END(name, kind) DONE(name, (void), (), released(&e, kind, kind))
GOMP_MUTEX_ENDS(MUTEX_END)

DONE(GOMP_critical_name_start, (void **name), (name), acquired(&e, MUTEX_CRITICAL, (uintptr_t)name))
DONE(GOMP_critical_name_end, (void **name), (name), released(&e, MUTEX_CRITICAL, (uintptr_t)name))

#define LOCK_SET(name, kind) DONE(name, (void *lock), (lock), acquired(&e, kind, (uintptr_t)lock))
GOMP_LOCK_SETS(LOCK_SET)

#define LOCK_UNSET(name, kind) DONE(name, (void *lock), (lock), released(&e, kind, (uintptr_t)lock))
GOMP_LOCK_UNSETS(LOCK_UNSET)

/* One that fails is nothing. OMPT's numbers: a lock that was tested has the next kind. */
static void tested(const struct entry *e, uint32_t kind, uint64_t id, int got)
{
	if (got)
		acquired(e, kind + 1, id);
}

#define LOCK_TEST(name, kind) GIVES(int, name, (void *lock), (lock), tested(&e, kind, (uintptr_t)lock, result))
GOMP_LOCK_TESTS(LOCK_TEST)

#define LOCK_MAKE(name, kind) \
	DONE(name, (void *lock), (lock), lock_told(&e, FN_gomp_lock_init, kind, (uintptr_t)lock))
GOMP_LOCK_MAKES(LOCK_MAKE)

#define LOCK_END(name, kind) \
	DONE(name, (void *lock), (lock), lock_told(&e, FN_gomp_lock_destroy, kind, (uintptr_t)lock))
GOMP_LOCK_ENDS(LOCK_END)

/* ---------------------------------------------------------------------- tasks */

/*
 * In front of a task's arguments, in the block that libgomp allocates and we fill (GOMP2). The first words are free for
 * libgomp: a task loop writes each task's first and last iteration there, and reads the address of reductions.
 */
struct task {
	uint64_t loop[3];
	function *fn;
	void (*copy)(void *, void *);
	void *arguments; /* the program's, while the call lasts */
	uint64_t bytes, offset;
	uint64_t number, parent, parallel; /* its region, whose end may be where it runs */
	uintptr_t code;
	const void *runtime;
	bool many; /* of a task loop: each copy is another task */
};

static void *arguments_of(struct task *t) { return (char *)t + t->offset; }

static void created(struct task *t)
{
	t->number = new_number(now(), EXPLICIT);
	put(FN_gomp_task_create, 0, TASK_EXPLICIT, WORDS(t->parent, t->number, t->code));
}

static void copy_task(void *to, void *from)
{
	struct task *t = to, *original = from;

	*t = *original;
	if (t->many)
		created(t);
	if (t->copy)
		t->copy(arguments_of(t), t->arguments);
	else
		memcpy(arguments_of(t), t->arguments, t->bytes);
}

static void run_task(void *p)
{
	struct task *t = p;
	uint64_t *loop = arguments_of(t);

	if (t->many) {
		loop[0] = t->loop[0];
		loop[1] = t->loop[1];
	}
	if (!has_state()) {
		count_lost();
		t->fn(loop);
		return;
	}
	uint64_t before = me->task, parallel = me->parallel, start;
	const void *runtime = me->runtime;

	me->parallel = t->parallel;
	put(FN_gomp_task_schedule, 0, STATUS_SWITCH, WORDS(me->parallel, before, t->number));
	start = now();
	me->task = t->number;
	me->runtime = t->runtime;
	t->fn(loop);
	me->runtime = runtime;
	me->task = before;
	put(FN_gomp_task, start, TASK_EXPLICIT, WORDS(me->parallel, t->number));
	put(FN_gomp_task_schedule, 0, STATUS_COMPLETE, WORDS(me->parallel, t->number, before));
	me->parallel = parallel;
}

static struct task task_of(const struct entry *e, function *fn, void *data, void (*copy)(void *, void *), long bytes,
	long *align, bool many)
{
	struct task t = { .fn = fn,
		.copy = copy,
		.arguments = data,
		.bytes = (uint64_t)bytes,
		.parent = me->task,
		.parallel = me->parallel,
		.code = e->code,
		.runtime = e->real,
		.many = many };

	if (*align < 16)
		*align = 16;
	t.offset = (sizeof t + (uint64_t)*align - 1) / (uint64_t)*align * (uint64_t)*align;
	if (many)
		memcpy(t.loop, data, t.bytes < sizeof t.loop ? t.bytes : sizeof t.loop);
	else
		created(&t);
	return t;
}

EXPORT void GOMP_task(function *fn, void *data, void (*copy)(void *, void *), long bytes, long align, bool deferred,
	unsigned flags, void **depend, int priority, void *detach);
void GOMP_task(function *fn, void *data, void (*copy)(void *, void *), long bytes, long align, bool deferred,
	unsigned flags, void **depend, int priority, void *detach)
{
	ENTER(GOMP_task);
	if (!e.tick) {
		real(fn, data, copy, bytes, align, deferred, flags, depend, priority, detach);
		return;
	}
	struct task t = task_of(&e, fn, data, copy, bytes, &align, false);

	real(run_task, &t, copy_task, (long)t.offset + bytes, align, deferred, flags, depend, priority, detach);
}

#define TASKLOOP(name, number) \
	EXPORT void name(function *fn, void *data, void (*copy)(void *, void *), long bytes, long align, \
		unsigned flags, unsigned long tasks, int priority, number start, number end, number step); \
	void name(function *fn, void *data, void (*copy)(void *, void *), long bytes, long align, unsigned flags, \
		unsigned long tasks, int priority, number start, number end, number step) \
	{ \
		enum { UP = 1 << 8 }; \
		ENTER(name); \
		if (!e.tick) { \
			real(fn, data, copy, bytes, align, flags, tasks, priority, start, end, step); \
			return; \
		} \
		uint64_t count = sizeof(number) == sizeof(ull) && (number)-1 > 0 \
			? ull_iterations(flags & UP, (ull)start, (ull)end, (ull)step) \
			: iterations((long)start, (long)end, (long)step); \
		struct task t = task_of(&e, fn, data, copy, bytes, &align, true); \
\
		work_begin(e.tick, WORK_TASKLOOP, count); \
		real(run_task, &t, copy_task, (long)t.offset + bytes, align, flags, tasks, priority, start, end, \
			step); \
		work_end(e.code); \
	}
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, ull)

EXPORT bool GOMP_cancel(int which, bool really);
bool GOMP_cancel(int which, bool really)
{
	ENTER(GOMP_cancel);
	if (e.tick && really)
		put(FN_gomp_cancel, 0, (uint32_t)which, WORDS(me->task, e.code));
	return real(which, really);
}
