/*
 * analysis/sections/schema.c - the messages that schema.def lists, as tables
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/message.h"

#define ENUM(name) static const struct gt_word words_##name[] = {
#define WORD(name, word, value) { #word, value },
#define END_ENUM(name) \
	}; \
	static const struct gt_choice choice_##name = { #name, words_##name, \
		sizeof words_##name / sizeof *words_##name };
#include "analysis/sections/schema.def"

#define MESSAGE(name) static const struct gt_message_field fields_##name[] = {
#define SCALAR(message, number, field, kind, count) \
	{ number, #field, GT_FIELD_##kind, GT_FIELD_##count, NULL, NULL },
#define CHOICE(message, number, field, words, count) \
	{ number, #field, GT_FIELD_CHOICE, GT_FIELD_##count, &choice_##words, NULL },
#define PART(message, number, field, of, count) \
	{ number, #field, GT_FIELD_PART, GT_FIELD_##count, NULL, &gt_type_##of },
#define END(name) \
	}; \
	const struct gt_message_type gt_type_##name = { #name, fields_##name, \
		sizeof fields_##name / sizeof *fields_##name };
#include "analysis/sections/schema.def"
