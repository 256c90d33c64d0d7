/*
 * trace/write/call/stack.h - who made a call: the seam between the recording of calls and what unwinds stacks
 *
 * A call that lasted long enough leaves the fast path (call_inline.h) at its end, where its stack is taken while its
 * caller still waits for it. With stacks off the fast path asks the same one question as ever: is the call a long one.
 *
 * Runs      in the calling thread of the traced program, at the end of a call.
 * Must not  allocate, lock, change errno.
 *
 * Who unwinds: collectors/stack/.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_STACK_H
#define GPUTAP_TRACE_WRITE_STACK_H

#include "trace/write/tls.h"

/*
 * Calls of so many ticks or more take the slow path: those whose duration needs a second word, and those with a stack.
 */
extern uint64_t tap_long_ticks TAP_HIDDEN;

/* What unwinds; set once by the constructor, NULL: nobody does. */
struct tap_unwinder {
	/* The stack of the calling thread now: the word of a record (rec_stack_word), or 0. errno stays as it is. */
	uint64_t (*take)(struct tap_stream *s);
	/* Frames of the object around this address are no business of the program's: they are left out at the top. */
	void (*skip)(const void *address);
};
extern const struct tap_unwinder *tap_unwinder TAP_HIDDEN;

/*
 * In a signal's handler: the stack of what it interrupted, as take. context: its ucontext_t. NULL: nobody samples
 * (--sample=timer).
 */
extern uint64_t (*tap_stack_interrupted)(struct tap_stream *s, const void *context) TAP_HIDDEN;

/* Calls of this domain that last at least so long get their stack from now on. */
void tap_stack_want(enum rec_domain domain, uint64_t least_ns) TAP_HIDDEN;
bool tap_stack_wanted(enum rec_domain domain) TAP_HIDDEN;
/* Whether a call of the domain that lasted so long gets its stack. */
bool tap_stack_lasted(enum rec_domain domain, uint64_t ticks) TAP_HIDDEN;
/* The word for a call of the domain that lasted so long; 0: it gets none. */
uint64_t tap_stack_of_call(struct tap_stream *s, enum rec_domain domain, uint64_t ticks) TAP_HIDDEN;

/* Ranges of NVTX get their stack where they begin. */
extern bool tap_stack_ranges TAP_HIDDEN;
static inline uint64_t tap_stack_of_range(struct tap_stream *s)
{
	return TAP_UNLIKELY(tap_stack_ranges) ? tap_unwinder->take(s) : 0;
}

#endif
