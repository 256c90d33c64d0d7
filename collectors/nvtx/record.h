/*
 * collectors/nvtx/record.h - NVTX records: marks, pushes, pops, starts, ends and names
 *
 * Runs      in the calling thread of the traced program.
 * Must not  allocate, lock, make a system call (a chunk switch excepted), change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_NVTX_RECORD_H
#define GPUTAP_COLLECTORS_NVTX_RECORD_H

#include "collectors/nvtx/abi.h"
#include "trace/write/process.h"
#include "trace/write/stream/reserve.h"
#include "trace/write/call/stack.h"
#include "trace/write/text.h"

#define TAP_NVTX_UNWANTED (1ull << 63)  /* in the handle of a domain: nothing of it is recorded */
#define TAP_NVTX_TEXT_MAX 24576u        /* bytes that are kept of a message, and of a payload: a record holds both */

/* enum rec_nvtx_message; REGISTERED: at is its number */
struct tap_nvtx_message { uint32_t type; const void *at; };

/* A record of n words of args, its head left to the caller: first args word, NULL without room. */
struct tap_nvtx_record { uint64_t *rec, *args, head, link; };
static inline bool tap_nvtx_reserve(
	struct tap_nvtx_record *r, struct tap_stream *s, uint32_t type, uint64_t domain, uint32_t n)
{
	bool longer = n + 1 > 255;

	r->rec = tap_stream_claim(s, n + 1 + longer, 0, &r->link);
	if (TAP_UNLIKELY(!r->rec) && !(r->rec = tap_stream_reserve_call(s, n + 1 + longer, &r->link)))
		return false;
	if (longer)
		r->rec[1] = n + 2;
	r->args = r->rec + 1 + longer;
	r->head = rec_head(type, longer ? 0 : n + 1, longer ? REC_LONG : 0, (int32_t)domain);
	return true;
}

/* Both return the link of the record: what a start hands out as range id. 0: not recorded. */
uint64_t tap_nvtx_text(
	uint64_t domain, enum rec_nvtx_kind kind, enum rec_nvtx_message type, const void *text) TAP_HIDDEN;
uint64_t tap_nvtx_event(uint64_t domain, enum rec_nvtx_kind kind, const struct nvtx_event *event) TAP_HIDDEN;
void tap_nvtx_pop(uint64_t domain, const struct nvtx_payload *data, size_t n) TAP_HIDDEN;
void tap_nvtx_end(uint64_t domain, uint64_t id, const struct nvtx_payload *data, size_t n) TAP_HIDDEN;
/* Pushes, starts and marks that have a payload and nothing else. */
uint64_t tap_nvtx_payload(
	uint64_t domain, enum rec_nvtx_kind kind, const struct nvtx_payload *data, size_t n) TAP_HIDDEN;

/*
 * Where a definition goes: recorded whatever the window says, and kept by a ring, since what comes later refers to it.
 */
struct tap_stream *tap_nvtx_definitions(uint32_t type) TAP_HIDDEN;
void tap_nvtx_name(uint64_t domain, enum rec_nvtx_name what, uint32_t resource_type, uint64_t id,
	struct tap_nvtx_message message) TAP_HIDDEN;
struct tap_nvtx_message tap_nvtx_message(int32_t type, const void *message) TAP_HIDDEN;

/* Words of a text record part and the copy; text may be NULL. */
static inline uint32_t tap_nvtx_words(uint32_t bytes) { return (bytes + 4 + 7) / 8; }

/* name.c, payload.c: fill the slots of one module */
void tap_nvtx_fill_names(uint32_t module, nvtx_function **slots, unsigned n) TAP_HIDDEN;

#endif
