/*
 * interpose/libgomp/gomp.h - libgomp's entry points: which are told of, and what each of them is
 *
 * X lists of the functions that GCC's compilers call, by their parameters; names and meaning as the code that GCC emits
 * uses them (GCC 4.9 to 15). Numbers of kinds are OMPT's (api/openmp.api).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_LIBGOMP_GOMP_H
#define GPUTAP_INTERPOSE_LIBGOMP_GOMP_H

enum {
	SYNC_BARRIER = 1, /* written, or implied: the same entry point serves both */
	SYNC_TASKWAIT = 5,
	SYNC_TASKGROUP = 6,
	SYNC_WORKSHARE = 8,
	SYNC_PARALLEL = 9
};
enum {
	WORK_SECTIONS = 2,
	WORK_SINGLE = 3,
	WORK_SINGLE_OTHER = 4,
	WORK_TASKLOOP = 7,
	WORK_STATIC = 10,
	WORK_DYNAMIC = 11,
	WORK_GUIDED = 12,
	WORK_OTHER = 13
};
enum { MUTEX_LOCK = 1, MUTEX_NEST = 3, MUTEX_CRITICAL = 5, MUTEX_ATOMIC = 6, MUTEX_ORDERED = 7 };
enum { TASK_INITIAL = 1, TASK_IMPLICIT = 2, TASK_EXPLICIT = 4, TASK_TARGET = 8 };
enum { STATUS_COMPLETE = 1, STATUS_SWITCH = 7 };
enum { DISPATCH_ITERATION = 1, DISPATCH_SECTION = 2 };

/* X(name, kind of work): a whole loop of a team; with a chunk, and with the chunk that the environment says. */
#define GOMP_PARALLEL_LOOPS(X) \
	X(GOMP_parallel_loop_static, WORK_STATIC) \
	X(GOMP_parallel_loop_dynamic, WORK_DYNAMIC) \
	X(GOMP_parallel_loop_guided, WORK_GUIDED) \
	X(GOMP_parallel_loop_nonmonotonic_dynamic, WORK_DYNAMIC) \
	X(GOMP_parallel_loop_nonmonotonic_guided, WORK_GUIDED)
#define GOMP_PARALLEL_RUNTIME_LOOPS(X) \
	X(GOMP_parallel_loop_runtime, WORK_OTHER) \
	X(GOMP_parallel_loop_nonmonotonic_runtime, WORK_OTHER) \
	X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, WORK_OTHER)

/* X(name, kind): how a thread comes into a loop. */
#define GOMP_LOOP_STARTS(X) \
	X(GOMP_loop_static_start, WORK_STATIC) \
	X(GOMP_loop_dynamic_start, WORK_DYNAMIC) \
	X(GOMP_loop_guided_start, WORK_GUIDED) \
	X(GOMP_loop_nonmonotonic_dynamic_start, WORK_DYNAMIC) \
	X(GOMP_loop_nonmonotonic_guided_start, WORK_GUIDED) \
	X(GOMP_loop_ordered_static_start, WORK_STATIC) \
	X(GOMP_loop_ordered_dynamic_start, WORK_DYNAMIC) \
	X(GOMP_loop_ordered_guided_start, WORK_GUIDED)
#define GOMP_LOOP_RUNTIME_STARTS(X) \
	X(GOMP_loop_runtime_start, WORK_OTHER) \
	X(GOMP_loop_nonmonotonic_runtime_start, WORK_OTHER) \
	X(GOMP_loop_maybe_nonmonotonic_runtime_start, WORK_OTHER) \
	X(GOMP_loop_ordered_runtime_start, WORK_OTHER)
#define GOMP_ULL_STARTS(X) \
	X(GOMP_loop_ull_static_start, WORK_STATIC) \
	X(GOMP_loop_ull_dynamic_start, WORK_DYNAMIC) \
	X(GOMP_loop_ull_guided_start, WORK_GUIDED) \
	X(GOMP_loop_ull_nonmonotonic_dynamic_start, WORK_DYNAMIC) \
	X(GOMP_loop_ull_nonmonotonic_guided_start, WORK_GUIDED) \
	X(GOMP_loop_ull_ordered_static_start, WORK_STATIC) \
	X(GOMP_loop_ull_ordered_dynamic_start, WORK_DYNAMIC) \
	X(GOMP_loop_ull_ordered_guided_start, WORK_GUIDED)
#define GOMP_ULL_RUNTIME_STARTS(X) \
	X(GOMP_loop_ull_runtime_start, WORK_OTHER) \
	X(GOMP_loop_ull_nonmonotonic_runtime_start, WORK_OTHER) \
	X(GOMP_loop_ull_maybe_nonmonotonic_runtime_start, WORK_OTHER) \
	X(GOMP_loop_ull_ordered_runtime_start, WORK_OTHER)
/* With reductions: the kind of schedule is a parameter. */
#define GOMP_ANY_STARTS(X) X(GOMP_loop_start, 0) X(GOMP_loop_ordered_start, 0)
#define GOMP_ULL_ANY_STARTS(X) X(GOMP_loop_ull_start, 0) X(GOMP_loop_ull_ordered_start, 0)

/* The next part of a loop. */
#define GOMP_LOOP_NEXTS(X) \
	X(GOMP_loop_static_next, 0) \
	X(GOMP_loop_dynamic_next, 0) \
	X(GOMP_loop_guided_next, 0) \
	X(GOMP_loop_runtime_next, 0) \
	X(GOMP_loop_nonmonotonic_dynamic_next, 0) \
	X(GOMP_loop_nonmonotonic_guided_next, 0) \
	X(GOMP_loop_nonmonotonic_runtime_next, 0) \
	X(GOMP_loop_maybe_nonmonotonic_runtime_next, 0) \
	X(GOMP_loop_ordered_static_next, 0) \
	X(GOMP_loop_ordered_dynamic_next, 0) \
	X(GOMP_loop_ordered_guided_next, 0) \
	X(GOMP_loop_ordered_runtime_next, 0) \
	X(GOMP_loop_ull_static_next, 0) \
	X(GOMP_loop_ull_dynamic_next, 0) \
	X(GOMP_loop_ull_guided_next, 0) \
	X(GOMP_loop_ull_runtime_next, 0) \
	X(GOMP_loop_ull_nonmonotonic_dynamic_next, 0) \
	X(GOMP_loop_ull_nonmonotonic_guided_next, 0) \
	X(GOMP_loop_ull_nonmonotonic_runtime_next, 0) \
	X(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, 0) \
	X(GOMP_loop_ull_ordered_static_next, 0) \
	X(GOMP_loop_ull_ordered_dynamic_next, 0) \
	X(GOMP_loop_ull_ordered_guided_next, 0) \
	X(GOMP_loop_ull_ordered_runtime_next, 0)

/* X(name, kind of wait): nothing in, nothing out; and those that answer whether the region was cancelled. */
#define GOMP_WAITS(X) X(GOMP_barrier, SYNC_BARRIER) X(GOMP_taskwait, SYNC_TASKWAIT)
#define GOMP_CANCEL_WAITS(X) X(GOMP_barrier_cancel, SYNC_BARRIER)
/* The end of work sharing, with the wait for the team. */
#define GOMP_WORK_ENDS(X) X(GOMP_loop_end, 0) X(GOMP_sections_end, 0)
#define GOMP_CANCEL_WORK_ENDS(X) X(GOMP_loop_end_cancel, 0) X(GOMP_sections_end_cancel, 0)
#define GOMP_NOWAIT_ENDS(X) X(GOMP_loop_end_nowait, 0) X(GOMP_sections_end_nowait, 0)

/* X(name of the start, kind), X(name of the end, kind): regions of one thread at a time. */
#define GOMP_MUTEX_STARTS(X) \
	X(GOMP_critical_start, MUTEX_CRITICAL) X(GOMP_ordered_start, MUTEX_ORDERED) X(GOMP_atomic_start, MUTEX_ATOMIC)
#define GOMP_MUTEX_ENDS(X) \
	X(GOMP_critical_end, MUTEX_CRITICAL) X(GOMP_ordered_end, MUTEX_ORDERED) X(GOMP_atomic_end, MUTEX_ATOMIC)

/* X(name, kind): locks of the program's own; the first parameter is the lock. */
#define GOMP_LOCK_MAKES(X) X(omp_init_lock, MUTEX_LOCK) X(omp_init_nest_lock, MUTEX_NEST)
#define GOMP_LOCK_ENDS(X) X(omp_destroy_lock, MUTEX_LOCK) X(omp_destroy_nest_lock, MUTEX_NEST)
#define GOMP_LOCK_SETS(X) X(omp_set_lock, MUTEX_LOCK) X(omp_set_nest_lock, MUTEX_NEST)
#define GOMP_LOCK_UNSETS(X) X(omp_unset_lock, MUTEX_LOCK) X(omp_unset_nest_lock, MUTEX_NEST)
#define GOMP_LOCK_TESTS(X) X(omp_test_lock, MUTEX_LOCK) X(omp_test_nest_lock, MUTEX_NEST)

#define GOMP_OTHERS(X) \
	X(GOMP_parallel, 0) \
	X(GOMP_parallel_sections, 0) \
	X(GOMP_parallel_reductions, 0) \
	X(GOMP_teams_reg, 0) \
	X(GOMP_teams4, 0) \
	X(GOMP_target_ext, 0) \
	X(GOMP_sections_start, 0) \
	X(GOMP_sections2_start, 0) \
	X(GOMP_sections_next, 0) \
	X(GOMP_single_start, 0) \
	X(GOMP_single_copy_start, 0) \
	X(GOMP_single_copy_end, 0) \
	X(GOMP_critical_name_start, 0) \
	X(GOMP_critical_name_end, 0) \
	X(GOMP_taskwait_depend, 0) \
	X(GOMP_taskgroup_start, 0) \
	X(GOMP_taskgroup_end, 0) \
	X(GOMP_task, 0) \
	X(GOMP_taskloop, 0) \
	X(GOMP_taskloop_ull, 0) \
	X(GOMP_cancel, 0)

#define GOMP_FUNCTIONS(X) \
	GOMP_PARALLEL_LOOPS(X) \
	GOMP_PARALLEL_RUNTIME_LOOPS(X) \
	GOMP_LOOP_STARTS(X) \
	GOMP_LOOP_RUNTIME_STARTS(X) \
	GOMP_ULL_STARTS(X) \
	GOMP_ULL_RUNTIME_STARTS(X) \
	GOMP_ANY_STARTS(X) \
	GOMP_ULL_ANY_STARTS(X) \
	GOMP_LOOP_NEXTS(X) \
	GOMP_WAITS(X) \
	GOMP_CANCEL_WAITS(X) \
	GOMP_WORK_ENDS(X) \
	GOMP_CANCEL_WORK_ENDS(X) \
	GOMP_NOWAIT_ENDS(X) \
	GOMP_MUTEX_STARTS(X) \
	GOMP_MUTEX_ENDS(X) \
	GOMP_LOCK_MAKES(X) \
	GOMP_LOCK_ENDS(X) \
	GOMP_LOCK_SETS(X) \
	GOMP_LOCK_UNSETS(X) \
	GOMP_LOCK_TESTS(X) \
	GOMP_OTHERS(X)

#endif
