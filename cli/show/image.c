/*
 * cli/show/image.c - how process images, and what they say of themselves, are shown by dump and info
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/show/image.h"

/* ----------------------------------------------------------------- processes */

static bool arguments(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_process *p = record;

	(void)f;
	gt_show_strings(s->t, p->n_args, p->args);
	return true;
}

static bool environment(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_process *p = record;

	(void)f;
	gt_show_strings(s->t, p->n_env, p->env);
	return true;
}

static bool parent_pid(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_process *p = record;

	(void)f;
	if (p->parent)
		gt_text_i64(s->t, p->parent->pid);
	return p->parent;
}

static bool parent_instance(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_process *p = record;

	(void)f;
	if (p->parent)
		gt_text_i64(s->t, p->parent->instance);
	return p->parent;
}

#define P struct gt_process
static const struct gt_shown process[] = {
	{ "pid", gt_show_number, GT_NUMBER(P, pid), GT_JSON_ONLY },
	{ "instance", gt_show_number, GT_NUMBER(P, instance) },
	{ "ppid", gt_show_number, GT_NUMBER(P, ppid) },
	{ "image", gt_show_c_string, GT_PLACE(P, image) },
	{ "args", arguments, GT_OWN },
	{ "env", environment, GT_OWN },
	{ "reason", gt_show_c_string, GT_PLACE(P, reason) },
	{ "parent_pid", parent_pid, GT_OWN },
	{ "parent_instance", parent_instance, GT_OWN },
	{ "calls", gt_show_number, GT_NUMBER(P, calls) },
	{ "callbacks", gt_show_number, GT_NUMBER(P, callbacks) },
	{ "commands", gt_show_number, GT_NUMBER(P, commands) },
	{ "kernels", gt_show_number, GT_NUMBER(P, kernels) },
	{ "start_ns", gt_show_number, GT_NUMBER(P, start_ns) },
	{ "end_ns", gt_show_number, GT_NUMBER(P, end_ns) },
	{ "clock_error_ns", gt_show_number, GT_NUMBER(P, clock_error_ns) },
};
#undef P

const struct gt_shown_list gt_shown_process = GT_FIELDS(process);

/* --------------------------------------------------------- what an image says */

static const char *exit_way(int how)
{
	static const char *const names[] = { NULL, "exit", "_exit", "quick_exit", "exec" };

	return (unsigned)how < sizeof names / sizeof *names ? names[how] : NULL;
}

static const char *cost_of(int what)
{
	static const char *const names[] = { NULL, "start", "chunk", "end", "unwind", "rings" };

	return (unsigned)what < sizeof names / sizeof *names ? names[what] : NULL;
}

static const char *on_or_off(int on) { return on ? "on" : "off"; }

static const char *followed(int followed) { return followed ? "followed" : "not followed"; }

#define R struct gt_image_record
#define TIME { "time_ns", gt_show_number, GT_NUMBER(R, time_ns) }
static const struct gt_shown whose[] = { GT_WHOSE(R) };
static const struct gt_shown clocks[] = {
	TIME,
	{ "tick", gt_show_number, GT_NUMBER(R, clock.tick) },
	{ "monotonic_ns", gt_show_number, GT_NUMBER(R, clock.monotonic_ns) },
	{ "raw_ns", gt_show_number, GT_NUMBER(R, clock.raw_ns) },
	{ "realtime_ns", gt_show_number, GT_NUMBER(R, clock.realtime_ns) },
	{ "boottime_ns", gt_show_number, GT_NUMBER(R, clock.boottime_ns) },
	{ "bracket_ticks", gt_show_number, GT_NUMBER(R, clock.bracket) },
};
static const struct gt_shown windows[] = {
	TIME,
	{ "on", gt_show_flag, GT_NUMBER(R, window.on), GT_JSON_ONLY },
	{ "state", gt_show_kind, GT_NUMBER(R, window.on), GT_TEXT_ONLY, .word = on_or_off },
};
static const struct gt_shown execs[] = {
	TIME,
	{ "path", gt_show_c_string, GT_PLACE(R, exec.path) },
	{ "followed", gt_show_flag, GT_NUMBER(R, exec.followed), GT_JSON_ONLY },
	{ "state", gt_show_kind, GT_NUMBER(R, exec.followed), GT_TEXT_ONLY, .word = followed },
};
static const struct gt_shown exits[] = {
	TIME,
	{ "how", gt_show_word, GT_NUMBER(R, exit.how), .word = exit_way },
	{ "status", gt_show_number, GT_NUMBER(R, exit.status) },
};
static const struct gt_shown names[] = {
	TIME,
	{ "tid", gt_show_number, GT_NUMBER(R, thread.tid) },
	{ "priority", gt_show_number, GT_NUMBER(R, thread.priority) },
	{ "name", gt_show_c_string, GT_PLACE(R, thread.name) },
};
static const struct gt_shown costs[] = {
	TIME,
	{ "end_ns", gt_show_number, GT_NUMBER(R, cost.end_ns) },
	{ "tid", gt_show_number, GT_NUMBER(R, cost.tid) },
	{ "what", gt_show_word, GT_NUMBER(R, cost.what), .word = cost_of },
};
#undef R

const struct gt_shown_list gt_shown_window = GT_FIELDS(windows), gt_shown_exec = GT_FIELDS(execs);

#define SHAPE(type, list) { type, type " {pid}*", { GT_FIELDS(whose), GT_FIELDS(list) } }
const struct gt_shape gt_shown_image_records[REC_TYPE_COUNT] = {
	[REC_CLOCK] = SHAPE("clock", clocks),
	[REC_WINDOW] = SHAPE("window", windows),
	[REC_EXEC] = SHAPE("exec", execs),
	[REC_EXIT] = SHAPE("exit", exits),
	[REC_THREAD_NAME] = SHAPE("thread_name", names),
	[REC_COST] = SHAPE("cost", costs),
};
