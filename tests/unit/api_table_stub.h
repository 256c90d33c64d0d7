/*
 * tests/unit/api_table_stub.h - stands in for call.h when test_api_table.py builds the generated wrappers
 *
 * Included before everything else, under the real header's guard: the wrappers' own work is looked at, without a
 * stream.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_CALL_H
#define GPUTAP_TRACE_WRITE_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/format/rec.h"

struct tap_call {
	uint64_t head, link;
	int32_t result;
	int saved_errno;
	uint16_t fn;
	uint8_t domain;
};

#define TAP_ARGS_CUT (1u << 31)
#define TAP_ARGS_LEFT (1u << 30)
#define TAP_CALL_WORDS_MAX 7636u
void tap_call_keep_large(struct tap_call *call);

/* The thread is in no call, so the wrappers leave it alone. */
struct tap_tls { uint32_t depth, own_calls; const void *caller; };
static struct tap_tls tap_tls __attribute__((unused));

static inline bool tap_call_quiet(void) { return false; }
bool tap_call_begin(
	struct tap_call *call, uint32_t fn, enum rec_domain domain, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
void tap_call_stop(struct tap_call *call, int32_t result);
uint64_t *tap_call_reserve(struct tap_call *call, uint32_t first_u32, uint32_t words);
void tap_call_reserve_bare(struct tap_call *call);
void tap_call_finish(struct tap_call *call);
void tap_lost(enum rec_loss reason, uint64_t n);

#define TAP_BYTES_WORDS(n) (((uint32_t)(n) + 7u) / 8u)
uint32_t tap_put_bytes(uint64_t *out, const void *from, uint32_t bytes);
uint32_t tap_string_words(uint32_t bytes);
uint32_t tap_put_string(uint64_t *out, const char *text, uint32_t bytes);

#endif
