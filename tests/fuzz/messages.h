/*
 * tests/fuzz/messages.h - choosing in messages of report files
 *
 * Behind tests/fuzz/each.h, whose numbers it takes.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_FUZZ_MESSAGES_H
#define GPUTAP_TESTS_FUZZ_MESSAGES_H

#include "analysis/sections/message.h"

/* A value of a message, or (but for one in `within`) one inside it, `levels` deep at most. *in: its message. */
static struct gt_message_value *any_value(
	struct gt_message *m, unsigned levels, uint64_t within, struct gt_message **in)
{
	struct gt_message_value *v = m->first;
	unsigned n = 0;

	for (struct gt_message_value *i = m->first; i; i = i->next)
		n++;
	for (uint64_t i = below(n); v && i; i--)
		v = v->next;
	*in = m;
	return v && v->field->kind == GT_FIELD_PART && levels && below(within) && v->part->first
		? any_value(v->part, levels - 1, within, in) : v;
}

#endif
