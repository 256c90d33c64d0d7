/*
 * collectors/nvtx/record.c - NVTX records into the calling thread's stream
 *
 * Runs      in the calling thread of the traced program.
 * May       read what the program passed to NVTX, which NVTX declares readable.
 * Must not  allocate, lock, make a system call (a chunk switch excepted), change errno.
 *
 * RANGE1  A record is whole by itself: nothing is joined, counted or looked up here. Pushes and pops meet offline.
 * RANGE2  A start's range id is the link of its record, unique in the process without a counter that threads would
 *         share.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/nvtx/record.h"
#include "common/plain/without.h"

#include <errno.h>
#include <string.h>

struct tap_stream *tap_nvtx_definitions(uint32_t type)
{
	if (tap_off == TAP_OFF_OPTION || tap_off == TAP_OFF_EXIT)
		return NULL;
	int saved = errno;
	struct tap_stream *s = tap_stream_get_for(type);

	errno = saved;
	return s;
}

/* ------------------------------------------------------------------ messages */

struct tap_nvtx_message tap_nvtx_message(int32_t type, const void *message)
{
	struct tap_nvtx_message m = { REC_NVTX_NO_MESSAGE, message };

	if (type == NVTX_ABI_REGISTERED)
		m.type = message ? REC_NVTX_REGISTERED : REC_NVTX_NO_MESSAGE;
	else if (message && type == NVTX_ABI_ASCII)
		m.type = REC_NVTX_TEXT;
	else if (message && type == NVTX_ABI_WIDE)
		m.type = REC_NVTX_WIDE;
	return m;
}

static uint32_t wide_bytes(const uint32_t *text)
{
	uint32_t n = 0;

	while (n <= TAP_NVTX_TEXT_MAX / 4 && text[n])
		n++;
	return n * 4;
}

/* Bytes of the text, one more than are kept when it is longer. */
static inline uint32_t text_bytes(uint32_t type, const void *at)
{
	return type == REC_NVTX_TEXT ? (uint32_t)strnlen(at, TAP_NVTX_TEXT_MAX + 1) : wide_bytes(at);
}

struct sized { struct tap_nvtx_message m; uint32_t bytes, words; bool cut; };

static inline struct sized size_of(struct tap_nvtx_message m)
{
	struct sized s = { .m = m };

	if (m.type == REC_NVTX_REGISTERED) {
		s.words = 1;
	} else if (m.type != REC_NVTX_NO_MESSAGE) {
		s.bytes = text_bytes(m.type, m.at);
		s.cut = s.bytes > TAP_NVTX_TEXT_MAX;
		if (s.cut)
			s.bytes = TAP_NVTX_TEXT_MAX;
		s.words = tap_nvtx_words(s.bytes);
	}
	return s;
}

static inline void put_message(uint64_t *out, const struct sized *s)
{
	if (s->m.type == REC_NVTX_REGISTERED) {
		*out = (uintptr_t)s->m.at;
	} else if (s->m.type != REC_NVTX_NO_MESSAGE) {
		memcpy(out, &s->bytes, 4);
		memcpy((char *)out + 4, s->m.at, s->bytes);
	}
}

static inline uint64_t cut_flag(bool cut)
{
	if (TAP_UNLIKELY(cut))
		tap_lost(REC_LOSS_ARGS_CUT, 1);
	return cut ? (uint64_t)REC_CUT << 24 : 0;
}

/* ------------------------------------------------------------------ payloads */

struct pieces { const struct nvtx_payload *data; uint32_t n, words; bool cut; };

/* A size of "find the end yourself" is kept as an id alone. */
static uint32_t kept_bytes(const struct nvtx_payload *p, uint32_t room)
{
	if (!p->data || p->bytes == SIZE_MAX || p->bytes == SIZE_MAX - 1)
		return 0;
	return p->bytes < room ? (uint32_t)p->bytes : room;
}

static struct pieces pieces_of(const struct nvtx_payload *data, size_t n)
{
	struct pieces p = { .data = data };
	uint32_t room = TAP_NVTX_TEXT_MAX;

	for (size_t i = 0; data && i < n; i++) {
		uint32_t bytes = kept_bytes(&data[i], room);

		if (room < 24 || i == 64) {
			p.cut = true;
			break;
		}
		p.cut |= bytes < data[i].bytes;
		p.words += 3 + (bytes + 7) / 8;
		p.n++;
		room -= bytes & ~7u;
	}
	return p;
}

static void put_pieces(uint64_t *out, const struct pieces *p)
{
	uint32_t room = TAP_NVTX_TEXT_MAX;

	*out++ = REC_NVTX_SCHEMA_DATA | (uint64_t)p->words * 8 << 32;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t bytes = kept_bytes(&p->data[i], room);

		out[0] = p->data[i].schema;
		out[1] = p->data[i].bytes;
		out[2] = bytes;
		if (bytes)
			memcpy(out + 3, p->data[i].data, bytes);
		out += 3 + (bytes + 7) / 8;
		room -= bytes & ~7u;
	}
}

/* -------------------------------------------------------------------- events */

static inline uint64_t event_word(enum rec_nvtx_kind kind, uint32_t message, uint32_t flags, uint32_t category)
{
	return (uint64_t)kind | message << 8 | flags << 16 | (uint64_t)category << 32;
}

/*
 * As tap_stream_now. While gputap asks a driver something no record is made, for it would stand among what is recorded
 * of the answer: a signal handler's mark is counted then.
 */
static inline struct tap_stream *stream_now(uint64_t *tick)
{
	struct tap_stream *s = tap_stream_now(tick);

	if (TAP_UNLIKELY(!s) && tap_tls.own_calls && !tap_off && !gc_without("marks-among-ours"))
		tap_lost(REC_LOSS_HANDLER_CALL, 1);
	return s;
}

uint64_t tap_nvtx_text(uint64_t domain, enum rec_nvtx_kind kind, enum rec_nvtx_message type, const void *text)
{
	uint64_t tick;
	struct tap_stream *s = stream_now(&tick);
	struct tap_nvtx_record r;

	if (!s)
		return 0;
	struct sized message = size_of((struct tap_nvtx_message){ text ? type : REC_NVTX_NO_MESSAGE, text });
	uint64_t stack = tap_stack_of_range(s);

	if (!tap_nvtx_reserve(&r, s, REC_NVTX_EVENT, domain, 2 + (stack != 0) + message.words))
		return 0;
	r.args[0] = tick;
	r.args[1] = event_word(kind, message.m.type, stack ? REC_NVTX_STACK : 0, 0);
	if (stack)
		r.args[2] = stack;
	put_message(r.args + 2 + (stack != 0), &message);
	tap_stream_commit(r.rec, r.head | cut_flag(message.cut));
	return r.link;
}

/* The members that the caller's version of the structure has. */
static bool has(const struct nvtx_event *e, size_t end) { return e->size >= end; }
#define HAS(e, member) has(e, offsetof(struct nvtx_event, member) + sizeof (e)->member)

static uint64_t put_event(
	struct tap_stream *s, uint64_t tick, uint64_t domain, enum rec_nvtx_kind kind, const struct nvtx_event *e)
{
	bool color = HAS(e, color) && e->color_type == NVTX_ABI_ARGB, pieced = false, valued = false;
	struct sized message = { 0 };
	struct pieces pieces = { 0 };
	struct tap_nvtx_record r;

	if (HAS(e, payload) && (uint32_t)e->payload_type == REC_NVTX_SCHEMA_DATA && e->payload_count > 0) {
		pieces = pieces_of((const struct nvtx_payload *)(uintptr_t)e->payload, (size_t)e->payload_count);
		pieced = pieces.n > 0;
	} else if (HAS(e, payload)) {
		valued = e->payload_type >= 1 && e->payload_type <= 6;
	}
	if (HAS(e, message))
		message = size_of(tap_nvtx_message(e->message_type, e->message));
	uint64_t stack = tap_stack_of_range(s);
	uint32_t n = 2 + (stack != 0) + color + (pieced ? 1 + pieces.words : valued ? 2 : 0) + message.words;

	if (!tap_nvtx_reserve(&r, s, REC_NVTX_EVENT, domain, n))
		return 0;
	uint64_t *out = r.args;

	*out++ = tick;
	*out++ = event_word(kind, message.m.type,
		(stack ? REC_NVTX_STACK : 0) | (color ? REC_NVTX_COLOR : 0) |
			(pieced || valued ? REC_NVTX_PAYLOAD : 0),
		e->category);
	if (stack)
		*out++ = stack;
	if (color)
		*out++ = e->color;
	if (valued) {
		*out++ = (uint32_t)e->payload_type | 8ull << 32;
		*out++ = e->payload;
	}
	if (pieced) {
		put_pieces(out, &pieces);
		out += 1 + pieces.words;
	}
	put_message(out, &message);
	tap_stream_commit(r.rec, r.head | cut_flag(message.cut || pieces.cut));
	return r.link;
}

uint64_t tap_nvtx_event(uint64_t domain, enum rec_nvtx_kind kind, const struct nvtx_event *event)
{
	static const struct nvtx_event nothing;
	uint64_t tick;
	struct tap_stream *s = stream_now(&tick);

	return s ? put_event(s, tick, domain, kind, event && event->size >= 8 ? event : &nothing) : 0;
}

uint64_t tap_nvtx_payload(uint64_t domain, enum rec_nvtx_kind kind, const struct nvtx_payload *data, size_t n)
{
	const struct nvtx_event event = { .size = sizeof event,
		.payload_type = (int32_t)REC_NVTX_SCHEMA_DATA,
		.payload_count = n > 64 ? 65 : (int32_t)n,
		.payload = (uintptr_t)data };

	return tap_nvtx_event(domain, kind, &event);
}

static void put_tail(struct tap_stream *s, uint32_t type, uint64_t domain, const uint64_t *args, uint32_t n_args,
	const struct nvtx_payload *data, size_t n)
{
	struct pieces pieces = pieces_of(data, n);
	struct tap_nvtx_record r;

	if (!tap_nvtx_reserve(&r, s, type, domain, n_args + (pieces.n ? 1 + pieces.words : 0)))
		return;
	for (uint32_t i = 0; i < n_args; i++)
		r.args[i] = args[i];
	if (pieces.n)
		put_pieces(r.args + n_args, &pieces);
	tap_stream_commit(r.rec, r.head | cut_flag(pieces.cut));
}

void tap_nvtx_pop(uint64_t domain, const struct nvtx_payload *data, size_t n)
{
	uint64_t tick;
	struct tap_stream *s = stream_now(&tick);
	struct tap_nvtx_record r;

	if (!s)
		return;
	if (TAP_UNLIKELY(data != NULL)) {
		put_tail(s, REC_NVTX_POP, domain, &tick, 1, data, n);
		return;
	}
	if (!tap_nvtx_reserve(&r, s, REC_NVTX_POP, domain, 1))
		return;
	r.args[0] = tick;
	tap_stream_commit(r.rec, r.head);
}

void tap_nvtx_end(uint64_t domain, uint64_t id, const struct nvtx_payload *data, size_t n)
{
	uint64_t tick;
	struct tap_stream *s = id ? stream_now(&tick) : NULL;     /* 0: its start was not recorded */

	if (s)
		put_tail(s, REC_NVTX_END, domain, (const uint64_t[]){ tick, id }, 2, data, n);
}

/* --------------------------------------------------------------- definitions */

void tap_nvtx_name(
	uint64_t domain, enum rec_nvtx_name what, uint32_t resource_type, uint64_t id, struct tap_nvtx_message m)
{
	struct tap_stream *s = tap_nvtx_definitions(REC_NVTX_NAME);
	struct sized message = size_of(m);
	struct tap_nvtx_record r;

	if (!s || !tap_nvtx_reserve(&r, s, REC_NVTX_NAME, domain, 3 + message.words))
		return;
	r.args[0] = tap_tick();
	r.args[1] = (uint64_t)what | message.m.type << 8 | (uint64_t)resource_type << 32;
	r.args[2] = id;
	put_message(r.args + 3, &message);
	tap_stream_commit(r.rec, r.head | cut_flag(message.cut));
}
