/*
 * collectors/cupti/client.h - calls of CUPTI that are not ours: another client in the process
 *
 * Runs      on any thread of the program, in place of the function that it called.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_CUPTI_CLIENT_H
#define GPUTAP_COLLECTORS_CUPTI_CLIENT_H

#include <stdint.h>

enum tap_cupti_entry {
#define ENTRY(name, does, argument) TAP_CUPTI_ENTRY_##name,
#include "collectors/cupti/client.def"
	TAP_CUPTI_ENTRIES
};

/* Integers and pointers, as the calling convention has them in registers; what the function does not take is passed on
 * all the same. */
#define TAP_CUPTI_ARGUMENTS 6
typedef int tap_cupti_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

struct tap_cupti_call {
	enum tap_cupti_entry entry;
	tap_cupti_function *real;
	const void *library;            /* its cuptiGetVersion, by which libraries are told apart */
	const void *caller;             /* return address */
	uintptr_t argument[TAP_CUPTI_ARGUMENTS];
};

/*
 * Makes the call, and what has to come before it: where it takes what is ours we give it up. Returns what CUPTI does;
 * errno is CUPTI's too.
 */
int tap_cupti_client_call(struct tap_cupti_call *c) __attribute__((visibility("hidden")));

#endif
