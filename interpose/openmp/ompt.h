/*
 * interpose/openmp/ompt.h - the part of OpenMP's tools interface that is used, in our own words
 *
 * Names and numbers are those of the OpenMP specification, version 5.2, chapter 19; the ABI is the same since 5.0.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_OPENMP_OMPT_H
#define GPUTAP_INTERPOSE_OPENMP_OMPT_H

#include <stdint.h>

/* A word of the tool's own, which the runtime keeps with a thread, a parallel region or a task. */
union ompt_data {
	uint64_t value;
	void *ptr;
};

enum ompt_endpoint { OMPT_BEGIN = 1, OMPT_END, OMPT_BEGINEND };
enum { OMPT_TASK_INITIAL = 1, OMPT_TASK_IMPLICIT = 2, OMPT_TASK_EXPLICIT = 4 };

/* X(name, number of the callback) */
#define OMPT_CALLBACKS(X) \
	X(thread_begin, 1) \
	X(thread_end, 2) X(parallel_begin, 3) X(parallel_end, 4) X(task_create, 5) X(task_schedule, 6) \
		X(implicit_task, 7) X(sync_region_wait, 16) X(mutex_released, 17) X(masked, 21) X(sync_region, 23) \
			X(lock_init, 24) X(lock_destroy, 25) X(mutex_acquire, 26) X(mutex_acquired, 27) X(flush, 29) \
				X(cancel, 30) X(reduction, 31) X(dispatch, 32) X(work, 20)

typedef void ompt_callback(void);
typedef ompt_callback *ompt_function_lookup(const char *name);
typedef int ompt_set_callback(int which, ompt_callback *callback);

struct ompt_start_tool_result {
	int (*initialize)(ompt_function_lookup *lookup, int initial_device, union ompt_data *tool);
	void (*finalize)(union ompt_data *tool);
	union ompt_data tool;
};

#endif
