/*
 * common/plain/value.c - the value of an option: whether it is one, and its normal form
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/value.h"

#include "common/plain/words.h"

struct out {
	char *to;
	size_t used, room;
	bool fits;
};

static void put(struct out *o, const char *from, size_t bytes)
{
	o->fits &= bytes < o->room - o->used;
	for (size_t i = 0; o->fits && i < bytes; i++)
		o->to[o->used++] = from[i];
	o->to[o->used] = 0;
}

static void put_number(struct out *o, uint64_t value)
{
	char digits[GC_DIGITS_MAX];

	put(o, digits, gc_put_number(digits, value));
}

size_t gc_value_room(const char *text) { return gc_length(text) + GC_DIGITS_MAX + 2; }

static bool put_words(struct out *o, const char *choices, const char *list, struct gc_word *wrong)
{
	struct gc_word word;

	while (gc_list_next(&list, &word)) {
		if (!gc_word_is_choice(choices, word)) {
			*wrong = word;
			return false;
		}
		put(o, ",", o->used != 0);
		put(o, word.at, word.bytes);
	}
	return true;
}

bool gc_value_normal(
	enum gc_type type, const char *choices, const char *text, char *to, size_t room, struct gc_word *wrong)
{
	struct out o = { to, 0, room, room > 0 };
	uint64_t number = 0;
	int64_t ns = 0;
	bool truth = false, good = true;

	*wrong = (struct gc_word){ text, gc_length(text) };
	if (!room)
		return false;
	*to = 0;
	switch (type) {
	case GC_FLAG:
	case GC_BOOL:
		good = gc_parse_truth(text, &truth);
		put(&o, truth ? "true" : "false", truth ? 4 : 5);
		break;
	case GC_NUMBER:
		good = gc_parse_number(text, &number);
		put_number(&o, number);
		break;
	case GC_SIZE:
		good = gc_parse_size(text, &number);
		put_number(&o, number);
		break;
	case GC_TIME:
		good = gc_parse_time(text, &ns);
		put_number(&o, (uint64_t)ns);
		put(&o, "ns", ns ? 2 : 0);
		break;
	case GC_CHOICE:
		good = gc_is_choice(choices, text);
		put(&o, text, wrong->bytes);
		break;
	case GC_LIST_OF:
		good = put_words(&o, choices, text, wrong);
		break;
	case GC_STRING:
	case GC_LIST:
	case GC_LINES:
		put(&o, text, wrong->bytes);
		break;
	}
	return good && o.fits;
}
