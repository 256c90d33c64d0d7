/*
 * trace/write/call/call.h - one traced API call, from entry to commit; what every generated wrapper is made of
 *
 * Runs      in the calling thread of the traced program, around the real function.
 * May       read the clock, write to the thread's own stream.
 * Must not  allocate, lock, make a system call (a chunk switch excepted), change errno.
 *
 * Use, in this order:
 *
 *	if (!tap_call_begin(&call, FN_x, REC_DOMAIN_OPENCL, a0, a1, a2, a3))
 *		return real->x(...);             // tracing off, or called from inside a call of the same domain
 *	ret = real->x(...);
 *	tap_call_stop(&call, ret);               // end stamp; keeps the errno the call left
 *	uint64_t *out = tap_call_reserve(&call, first_u32, words);
 *	if (out) { out[0] = ...; ... }           // fixed arguments, then copies: exactly `words` words
 *	tap_call_finish(&call);                  // commit if reserved; slot freed; errno back
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_CALL_H
#define GPUTAP_TRACE_WRITE_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/write/stream/stream.h"

struct tap_call {
	struct tap_stream *stream;      /* NULL: nothing is recorded, but the call is still bracketed */
	struct rec_slot *slot;          /* NULL: deeper than REC_SLOTS */
	uint64_t *rec;                  /* reserved record */
	uint64_t start_tick, end_tick;
	uint64_t head;                  /* final header, ready to commit */
	uint64_t link;                  /* where the record lies; 0 when not recorded. Valid after reserve */
	int32_t result;
	int saved_errno;                /* as the real function left it; tap_call_finish puts it back */
	uint16_t fn;
	uint8_t domain;
	uint8_t depth;                  /* slots below this call's */
	struct tap_large_args *large;   /* arguments on their way into a content; set by a slow reserve alone */
};

/* Nothing is recorded any more, for good: what tap_call_begin would say too, asked before anything else. */
static inline bool tap_call_quiet(void);
/* False: forward untouched and call nothing else of this header. */
static inline bool tap_call_begin(struct tap_call *call, uint32_t fn, enum rec_domain domain,
				  uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
static inline void tap_call_stop(struct tap_call *call, int32_t result);
/*
 * Room for the arguments (words behind the duration word, copies included) or NULL (counted in the ledger). first_u32
 * goes into the upper half of the duration word. words == 0 is allowed. With TAP_ARGS_CUT or TAP_ARGS_LEFT, the record
 * says so. Of more than TAP_CALL_WORDS_MAX words (these two make it more), tap_call_keep_large comes behind the last of
 * them.
 */
#define TAP_ARGS_CUT (1u << 31)         /* a copy among them was cut at --max-args */
#define TAP_ARGS_LEFT (1u << 30)        /* the copies that --max-args is for were left out, as it was asked for */
#define TAP_CALL_WORDS_MAX (TAP_RECORD_WORDS_MAX - 12u)
static inline uint64_t *tap_call_reserve(struct tap_call *call, uint32_t first_u32, uint32_t words);
/* The same, without arguments: sets REC_BARE. */
static inline void tap_call_reserve_bare(struct tap_call *call);
/* The arguments that no record has room for become a content, which the record names. */
void tap_call_keep_large(struct tap_call *call) __attribute__((visibility("hidden")));
/* Mark that a copy was cut (REC_CUT). */
static inline void tap_call_cut(struct tap_call *call) { call->head |= (uint64_t)REC_CUT << 24; }
static inline void tap_call_finish(struct tap_call *call);

/*
 * An application callback runs inside a driver call, or on a driver thread: calls it makes are the application's own
 * and must be recorded. begin opens a slot whose domain hides the calls below it from the nesting test.
 */
bool tap_callback_begin(
	struct tap_call *call, uint32_t fn, enum rec_domain domain, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);

/* The call of this slot was left, and will not come back: counted, the slot is free. */
void tap_call_drop(struct rec_slot *slot) __attribute__((visibility("hidden")));

/* Whether this address lies in a part of OpenCL itself (FRAME3). Set at the start; NULL: nobody can tell. */
extern bool (*tap_side_is_opencl)(const void *address) __attribute__((visibility("hidden")));

/* Calls that the tool itself makes into a driver between these are not recorded (no nesting beyond one level). */
void tap_own_calls_begin(void);
void tap_own_calls_end(void);

/* Copy helpers for wrappers; all write whole words and return the words used. */
#define TAP_BYTES_WORDS(n) (((uint32_t)(n) + 7u) / 8u)
static inline uint32_t tap_put_bytes(uint64_t *out, const void *from, uint32_t bytes);   /* zero padded */
static inline uint32_t tap_string_words(uint32_t bytes);                                 /* u32 length + bytes */
static inline uint32_t tap_put_string(uint64_t *out, const char *text, uint32_t bytes);

#include "trace/write/call/call_inline.h"

#endif
