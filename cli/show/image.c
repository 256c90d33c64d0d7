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

static bool added_by(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_process *p = record;

	(void)f;
	if (p->added_by >= 0)
		gt_text_i64(s->t, p->added_by);
	return p->added_by >= 0;
}

#define P struct gt_process
static const struct gt_shown process[] = {
	{ "pid", gt_show_number, GT_NUMBER(P, pid), GT_JSON_ONLY },
	{ "instance", gt_show_number, GT_NUMBER(P, instance) },
	{ "ppid", gt_show_set, GT_NUMBER(P, ppid) },
	{ "image", gt_show_c_string, GT_PLACE(P, image) },
	{ "args", arguments, GT_OWN },
	{ "env", environment, GT_OWN },
	{ "reason", gt_show_c_string, GT_PLACE(P, reason) },
	{ "added_by", added_by, GT_OWN },
	{ "parent_pid", parent_pid, GT_OWN },
	{ "parent_instance", parent_instance, GT_OWN },
	{ "calls", gt_show_number, GT_NUMBER(P, calls) },
	{ "callbacks", gt_show_number, GT_NUMBER(P, callbacks) },
	{ "commands", gt_show_number, GT_NUMBER(P, commands) },
	{ "kernels", gt_show_number, GT_NUMBER(P, kernels) },
	{ "start_ns", gt_show_number, GT_NUMBER(P, start_ns) },
	{ "end_ns", gt_show_number, GT_NUMBER(P, end_ns) },
	{ "clock_error_ns", gt_show_known, GT_NUMBER(P, clock_error_ns) },
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
#define WORDS(name, member, words) { name, gt_show_word, GT_NUMBER(R, member), .word = words },
/* A flag, which text tells by a word. */
#define STATE(name, member, words) \
	{ name, gt_show_flag, GT_NUMBER(R, member), GT_JSON_ONLY }, \
	{ "state", gt_show_kind, GT_NUMBER(R, member), GT_TEXT_ONLY, .word = words },

/* The forms of trace/format/records.def. */
#define SHOW_number(name, member) { name, gt_show_number, GT_NUMBER(R, member) },
#define SHOW_text(name, member) { name, gt_show_c_string, GT_PLACE(R, member) },
#define SHOW_on_or_off(name, member) STATE(name, member, on_or_off)
#define SHOW_followed(name, member) STATE(name, member, followed)
#define SHOW_unshown(name, member)
#define SHOW_exit_way(name, member) WORDS(name, member, exit_way)
#define SHOW_cost(name, member) WORDS(name, member, cost_of)

static const struct gt_shown whose[] = { GT_WHOSE(R) };

/* clock_fields and so on: the values of each type. */
#define IMAGE(NAME, member, label) static const struct gt_shown member##_fields[] = { SHOW_number("time_ns", time_ns)
#define VALUE(member, type, field, form, label, value) SHOW_##form(label, member.field)
#define END(NAME, member) };
#include "trace/format/records.def"

const struct gt_shape gt_shown_image_records[REC_TYPE_COUNT] = {
#define IMAGE(NAME, member, label) \
	[REC_##NAME] = { label, label " {pid}*", { GT_FIELDS(whose), GT_FIELDS(member##_fields) } },
#include "trace/format/records.def"
};
