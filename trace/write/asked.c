/*
 * trace/write/asked.c - what -t asks for
 *
 * Runs      in the constructor.
 * Must not  allocate, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/asked.h"

#include "trace/write/options.h"

uint64_t tap_asked_set;

void tap_asked_init(void)
{
	const char *list = tap_option("trace");

	tap_asked_set = 0;
#define DOMAIN(id, number, word, built, help) \
	if (tap_list_has(list, word)) \
		tap_asked_set |= REC_ASK_BIT(id);
#include "trace/format/domains.def"
	if (tap_asked(REC_ASK_NONE))
		tap_asked_set = 0;
}
