/*
 * collectors/cupti_answer.h - what CUPTI answers: every call of ours is made by a way that looks at it
 *
 * ANSWER1  TAP_CUPTI (collectors/cupti/internal.h) and tap_profiler_call (collectors/profiler/internal.h) are the only
 *          calls of CUPTI, and cupti_functions.def says of each function what its refusal means. scripts/check-answers
 *          finds what goes round that.
 *
 * Runs      on any thread of the program, in CUPTI's callbacks.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_CUPTI_ANSWER_H
#define GPUTAP_COLLECTORS_CUPTI_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

enum tap_cupti_function_number {
#define FUNCTION(name, need, refusal, loss, lost, arguments) TAP_CUPTI_##name,
#define PROFILER(name, refusal, loss, lost) TAP_CUPTI_##name,
#include "collectors/cupti_functions.def"
	TAP_CUPTI_FUNCTIONS
};

/* Questions to the library that is subscribed to, for who shares it: set where it is loaded. */
extern struct tap_cupti_asked {
	int (*text)(int result, const char **text);
	int (*time)(uint64_t *ns);
	int (*context)(void *context, uint32_t *id), (*device)(void *context, uint32_t *id);
	const bool *closed;             /* every answer is a refusal now: that was said */
} tap_cupti_asked __attribute__((visibility("hidden")));

enum tap_cupti_result { TAP_CUPTI_OK = 0, TAP_CUPTI_INVALID_PARAMETER = 1, TAP_CUPTI_NOT_INITIALIZED = 15,
	TAP_CUPTI_INVALID_KIND = 21, TAP_CUPTI_HARDWARE_BUSY = 26, TAP_CUPTI_PRIVILEGES = 35, TAP_CUPTI_BUSY = 39,
	TAP_CUPTI_VIRTUAL_PRIVILEGES = 40, TAP_CUPTI_UNKNOWN = 999 };

const char *tap_cupti_name(unsigned f) __attribute__((visibility("hidden")));
/* "CUPTI_ERROR_...", as CUPTI itself has it. */
const char *tap_cupti_result_text(int result) __attribute__((visibility("hidden")));
/* What such a result says of its cause, as ": why"; empty: nothing. */
const char *tap_cupti_cause(int result) __attribute__((visibility("hidden")));

/* Not 0: what the table says of a refusal. Returns the result. */
int tap_cupti_refused(unsigned f, int result)
	__attribute__((visibility("hidden"), cold));
static inline int tap_cupti_answer(unsigned f, int result)
{
	return __builtin_expect(result != 0, 0) ? tap_cupti_refused(f, result) : 0;
}

/* By who calls a TOLD one: its loss is counted, the sentence is noted with the result. */
void tap_cupti_lost(unsigned f, int result, const char *lost)
	__attribute__((visibility("hidden"), cold));
/* The same, and nothing is lost. */
void tap_cupti_note(unsigned f, int result, const char *lost)
	__attribute__((visibility("hidden"), cold));

/*
 * Of a question for each of many: how many were refused, and how. What is asked for by number may be one that the
 * library has no more: INVALID_PARAMETER counts only where nothing else came.
 */
struct tap_cupti_refusals { unsigned given, refused; int result; };
static inline void tap_cupti_count_refusal(struct tap_cupti_refusals *r, int result)
{
	if (!result)
		r->given++;
	else if (result != TAP_CUPTI_INVALID_PARAMETER || !r->result)
		r->result = result;
	r->refused += result && result != TAP_CUPTI_INVALID_PARAMETER;
}
/* 0: nothing was refused that there is. */
static inline int tap_cupti_refusal(const struct tap_cupti_refusals *r)
{
	return r->refused || !r->given ? r->result : 0;
}

#endif
