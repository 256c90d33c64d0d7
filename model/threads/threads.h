/*
 * model/threads/threads.h - where threads were: samples of them, and when they had a processor
 *
 * Runs in the tool. What the launcher took by the kernel's means (-t sample, -t sched), in the order of time over all
 * processes. A thread that made no call is known from here alone.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_THREADS_THREADS_H
#define GPUTAP_MODEL_THREADS_THREADS_H

#include "model/model.h"

/* The instruction at which a thread was, and its callers, at one moment. */
struct gt_sample {
	int64_t time_ns;
	uint32_t process, thread;         /* gt_thread index */
	uint32_t cpu;
	uint32_t by;                      /* enum rec_sample */
	uint64_t period;                  /* ns on a processor (CLOCK, TIMER), or cycles, that it stands for */
	uint64_t stack;                   /* model/stacks/stacks.h; 0: none */
};
uint64_t gt_model_sample_count(const struct gt_model *m);
const struct gt_sample *gt_model_sample(const struct gt_model *m, uint64_t i);

struct gt_switch {
	int64_t time_ns;
	uint32_t process, thread;
	uint32_t cpu;
	uint32_t what;                    /* enum rec_switch */
};
uint64_t gt_model_switch_count(const struct gt_model *m);
const struct gt_switch *gt_model_switch(const struct gt_model *m, uint64_t i);

/* A thread can run from now on; waker_tid 0: an interrupt made it so. */
struct gt_waking {
	int64_t time_ns;
	uint32_t process, thread;
	uint32_t cpu;
	int waker_tid, waker_pid;
};
uint64_t gt_model_waking_count(const struct gt_model *m);
const struct gt_waking *gt_model_waking(const struct gt_model *m, uint64_t i);

/* What the kernel had counted of a thread by this time, since it began. */
struct gt_run_delay {
	int64_t time_ns;
	uint32_t process, thread;
	int64_t ran_ns, delay_ns;         /* on a processor; it could run and waited for one */
	uint64_t turns;
};
uint64_t gt_model_run_delay_count(const struct gt_model *m);
const struct gt_run_delay *gt_model_run_delay(const struct gt_model *m, uint64_t i);

/* From one switch or waking of a thread to its next. In the order of their starts. */
enum gt_state { GT_STATE_RUNNING, GT_STATE_READY, GT_STATE_WAITING };
struct gt_thread_state {
	int64_t start_ns, end_ns;         /* end_ns GT_NO_TIME: nothing is known behind it */
	uint32_t process, thread;
	uint32_t cpu;                     /* RUNNING: it is on this one; else it was */
	uint32_t state;                   /* enum gt_state */
	int waker_tid;                    /* READY: who ended its wait; 0: nobody, an interrupt, or not known */
};
uint64_t gt_model_state_count(const struct gt_model *m);
const struct gt_thread_state *gt_model_state(const struct gt_model *m, uint64_t i);
const char *gt_state_text(enum gt_state state);

/* A thread begins, ends or gets a name, in the order of the trace's files. */
struct gt_task {
	int64_t time_ns;
	uint32_t process, thread;
	uint32_t what;                    /* enum rec_task */
	int tid, parent;
	const char *name;                 /* "": not said */
};
uint32_t gt_model_task_count(const struct gt_model *m);
const struct gt_task *gt_model_task(const struct gt_model *m, uint32_t i);

#endif
