/*
 * cli/dump/threads.c - gputap dump: samples, context switches, and what threads are
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/dump/dump.h"
#include "model/threads/threads.h"

static const char *sample_by(int by)
{
	static const char *const names[] = { NULL, "clock", "cycles", "timer" };

	return (unsigned)by < sizeof names / sizeof *names ? names[by] : NULL;
}

static const char *switch_what(int what)
{
	static const char *const names[] = { "out", "in", "preempted" };

	return (unsigned)what < sizeof names / sizeof *names ? names[what] : NULL;
}

static const char *task_what(int what)
{
	static const char *const names[] = { NULL, "begins", "ends", "named" };

	return (unsigned)what < sizeof names / sizeof *names ? names[what] : NULL;
}

#define S struct gt_sample
static const struct gt_shown sample_fields[] = {
	GT_WHOSE(S),
	{ "tid", gt_show_tid, GT_NUMBER(S, thread) },
	{ "time_ns", gt_show_number, GT_NUMBER(S, time_ns) },
	{ "cpu", gt_show_number, GT_NUMBER(S, cpu) },
	{ "by", gt_show_kind, GT_NUMBER(S, by), .word = sample_by },
	{ "period", gt_show_number, GT_NUMBER(S, period) },
	{ "stack", gt_show_set, GT_NUMBER(S, stack) },
};
#undef S
static const struct gt_shape sample_shape = { "sample",
	"sample {pid} {tid} {time_ns} cpu {cpu} {by} {period}{ stack stack}", { GT_FIELDS(sample_fields) } };

void gt_dump_sample(struct gt_show *s, const struct gt_sample *v) { gt_show_record(s, &sample_shape, v); }

#define S struct gt_switch
static const struct gt_shown switch_fields[] = {
	GT_WHOSE(S),
	{ "tid", gt_show_tid, GT_NUMBER(S, thread) },
	{ "time_ns", gt_show_number, GT_NUMBER(S, time_ns) },
	{ "cpu", gt_show_number, GT_NUMBER(S, cpu) },
	{ "what", gt_show_kind, GT_NUMBER(S, what), .word = switch_what },
};
#undef S
static const struct gt_shape switch_shape = { "switch", "switch {pid} {tid} {time_ns} cpu {cpu} {what}",
	{ GT_FIELDS(switch_fields) } };

void gt_dump_switch(struct gt_show *s, const struct gt_switch *v) { gt_show_record(s, &switch_shape, v); }

#define W struct gt_waking
static const struct gt_shown waking_fields[] = {
	GT_WHOSE(W),
	{ "tid", gt_show_tid, GT_NUMBER(W, thread) },
	{ "time_ns", gt_show_number, GT_NUMBER(W, time_ns) },
	{ "cpu", gt_show_number, GT_NUMBER(W, cpu) },
	{ "waker_tid", gt_show_set, GT_NUMBER(W, waker_tid) },
	{ "waker_pid", gt_show_set, GT_NUMBER(W, waker_pid) },
};
#undef W
static const struct gt_shape waking_shape = { "waking",
	"waking {pid} {tid} {time_ns} cpu {cpu}{ by waker_tid}{ of waker_pid}", { GT_FIELDS(waking_fields) } };

void gt_dump_waking(struct gt_show *s, const struct gt_waking *v) { gt_show_record(s, &waking_shape, v); }

#define D struct gt_run_delay
static const struct gt_shown delay_fields[] = {
	GT_WHOSE(D),
	{ "tid", gt_show_tid, GT_NUMBER(D, thread) },
	{ "time_ns", gt_show_number, GT_NUMBER(D, time_ns) },
	{ "ran_ns", gt_show_number, GT_NUMBER(D, ran_ns) },
	{ "delay_ns", gt_show_number, GT_NUMBER(D, delay_ns) },
	{ "turns", gt_show_number, GT_NUMBER(D, turns) },
};
#undef D
static const struct gt_shape delay_shape = { "run_delay",
	"run_delay {pid} {tid} {time_ns} ran {ran_ns} delayed {delay_ns} turns {turns}", { GT_FIELDS(delay_fields) } };

void gt_dump_run_delay(struct gt_show *s, const struct gt_run_delay *v) { gt_show_record(s, &delay_shape, v); }

#define T struct gt_task
static const struct gt_shown task_fields[] = {
	GT_WHOSE(T),
	{ "tid", gt_show_number, GT_NUMBER(T, tid) },
	{ "time_ns", gt_show_number, GT_NUMBER(T, time_ns) },
	{ "what", gt_show_kind, GT_NUMBER(T, what), .word = task_what },
	{ "parent", gt_show_set, GT_NUMBER(T, parent) },
	{ "name", gt_show_c_string, GT_PLACE(T, name) },
};
#undef T
static const struct gt_shape task_shape = { "task", "task {pid} {tid} {time_ns} {what}{ by parent}{ name}",
	{ GT_FIELDS(task_fields) } };

void gt_dump_task(struct gt_show *s, const struct gt_task *v) { gt_show_record(s, &task_shape, v); }
