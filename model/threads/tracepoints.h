/*
 * model/threads/tracepoints.h - events of the kernel's tracepoints in the program, each described by its type
 *
 * What an event holds, only its type tells: fields with a name, a place and a size, as the kernel's tracefs describes
 * them (--ftrace).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_TRACEPOINTS_H
#define GPUTAP_MODEL_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"

struct gt_model;

struct gt_tracepoint_field {
	struct gt_string name;
	struct gt_string type, suffix;    /* what stands in front of the name and behind it, in C */
	uint32_t offset, bytes;           /* in the event */
	uint32_t flags;                   /* enum rec_field */
	uint32_t element;                 /* bytes of one of its numbers or characters */
};
struct gt_tracepoint_type {
	uint32_t number;                  /* the kernel's */
	struct gt_string name;            /* "raw_syscalls:sys_enter" */
	struct gt_string format;          /* how the kernel would print one */
	const struct gt_tracepoint_field *fields; uint32_t n_fields;
};
/* In the order of their numbers. */
uint32_t gt_model_tracepoint_type_count(const struct gt_model *m);
const struct gt_tracepoint_type *gt_model_tracepoint_type(const struct gt_model *m, uint32_t i);

/* In the order of time. */
struct gt_tracepoint {
	int64_t time_ns;
	uint32_t process, thread;
	uint32_t cpu;
	uint32_t type;                    /* index */
	uint32_t bytes;
	uint64_t at;                      /* where its content is: gt_tracepoint_content */
};
uint64_t gt_model_tracepoint_count(const struct gt_model *m);
const struct gt_tracepoint *gt_model_tracepoint(const struct gt_model *m, uint64_t i);
const char *gt_tracepoint_content(const struct gt_model *m, const struct gt_tracepoint *e);     /* e->bytes of them */

/* How many numbers a field has in this event: 1 as a rule; 0: it holds a text, or is not in the event. */
uint32_t gt_tracepoint_numbers(
	const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f);
/* One of them, sign-extended where it has one. */
uint64_t gt_tracepoint_number(
	const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f, uint32_t i);
/* False: it holds no text, or is not in the event. */
bool gt_tracepoint_text(const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f,
	struct gt_string *text);
/* Appends the text, or the numbers with commas between them. False: it is not in the event. */
bool gt_tracepoint_value(const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f,
	struct gt_text *to);
/* Of every type alike: who, where. */
bool gt_tracepoint_is_common(const struct gt_tracepoint_field *f);

#endif
