/*
 * trace/write/call/call.c - the rare paths of a traced call: first call, nesting, windows, long calls, callbacks
 *
 * Runs      in the calling thread of the traced program, around the real function.
 * May       make system calls where a stream, a chunk or the image's directory opens.
 * Must not  allocate with malloc, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/call/call.h"
#include "common/plain/without.h"
#include "trace/write/call/frame.h"
#include "trace/write/internal.h"
#include "trace/write/options.h"

#define SAME_STACK (8ll << 20)          /* bytes: frames further apart are on different stacks (sigaltstack, fibres) */

static bool is_cuda(const struct rec_slot *slot)
{
	return slot->domain == REC_DOMAIN_CUDA_RUNTIME || slot->domain == REC_DOMAIN_CUDA_DRIVER;
}

/*
 * Is the call whose slot this is still running? Its struct must still stand where it stood; a frame that longjmp left
 * gets overwritten by what is called after. Only for slots above the present frame. That memory may belong to other
 * variables by now, or be gone: a fiber's stack is unmapped when the fiber is over.
 */
static bool still_running(const struct rec_slot *slot, const struct tap_call *present)
{
	struct tap_call call;
	uint64_t tick;

	if (is_cuda(slot))
		/* collectors/cupti/args.c: ARGS3 */
		return tap_frame_read(slot->frame, &tick, sizeof tick, present) && tick == slot->start_tick;
	return tap_frame_read(slot->frame, &call, sizeof call, present) && call.slot == slot &&
		call.start_tick == slot->start_tick && call.fn == slot->fn;
}

bool (*tap_side_is_opencl)(const void *address);

/* FRAME3 */
static bool made_from_outside(enum rec_domain domain)
{
	const void *caller = TAP_READ_ONCE(tap_tls.caller);

	return domain == REC_DOMAIN_OPENCL && caller && tap_side_is_opencl && !tap_side_is_opencl(caller) &&
		!gc_without("who-calls");
}

/* collectors/cupti/args.c: ARGS4 */
static void remember_left(uint64_t tick)
{
	struct tap_stream *s = tap_tls.stream;
	uint64_t *left = s ? s->cuda_left : NULL;

	if (!left)
		return;
	for (unsigned i = TAP_CUDA_LEFT - 1; i; i--)
		left[i] = left[i - 1];
	left[0] = tick;
}

/* FRAME4 */
void tap_call_drop(struct rec_slot *slot)
{
	if (is_cuda(slot))
		remember_left(slot->start_tick);
	if (TAP_READ_ONCE(slot->fn) && !gc_without("left-calls"))
		tap_lost(REC_LOSS_LEFT_CALL, 1);
	TAP_WRITE_ONCE(slot->fn, 0);
}

/*
 * Drops the slots that no running call owns any more (FRAME1), then answers whether a call of this domain is running
 * below us with no application callback between.
 */
bool tap_call_is_nested(struct tap_call *call, enum rec_domain domain)
{
	struct tap_tls *t = &tap_tls;
	uint32_t depth = TAP_READ_ONCE(t->depth);
	bool outside = made_from_outside(domain);

	while (depth) {
		struct rec_slot *slot = &t->stream->control->slot[depth - 1];
		int64_t above = (int64_t)(slot->frame - (uintptr_t)call);

		if (above > SAME_STACK || above < -SAME_STACK)
			return false;           /* a handler on its own stack: its calls are the application's */
		/* what lies inside this call's own struct is no other call's any more */
		if (above >= (int64_t)sizeof *call && (!slot->fn || still_running(slot, call)))
			break;
		tap_call_drop(slot);
		TAP_WRITE_ONCE(t->depth, --depth);
	}
	if (outside)
		return false;
	while (depth) {
		const struct rec_slot *slot = &t->stream->control->slot[--depth];

		if (slot->domain & REC_SLOT_CALLBACK)
			return false;
		if (slot->domain == domain)
			return true;
	}
	return false;
}

/* The end of a call whose slot is not the last one: calls inside it were left, or it was taken for left itself. */
TAP_COLD void tap_call_unbalanced(struct tap_call *call)
{
	struct tap_tls *t = &tap_tls;
	struct rec_slot *slot = call->slot;

	if (slot->frame == (uintptr_t)call && slot->fn == call->fn && slot->start_tick == call->start_tick) {
		for (uint32_t i = call->depth + 1u; i < t->depth && i < REC_SLOTS; i++)
			tap_call_drop(&call->stream->control->slot[i]);
		TAP_WRITE_ONCE(slot->fn, 0);
		TAP_WRITE_ONCE(t->depth, call->depth);
	} else if (!gc_without("comes-back")) {
		tap_lost(REC_LOSS_LEFT_CALL, UINT64_MAX);       /* FRAME4: minus 1 */
	}
}

/*
 * While we ask the driver something: the question itself, where we are a layer too, what the driver calls to answer it,
 * or a call of the program's from a signal handler. The last is not recorded: what follows a call would look at what
 * the question is about to change.
 */
static void count_among_ours(enum rec_domain domain)
{
	if (made_from_outside(domain) && !gc_without("among-ours"))
		tap_lost(REC_LOSS_HANDLER_CALL, 1);
}

TAP_COLD bool tap_call_begin_slow(
	struct tap_call *call, uint32_t fn, enum rec_domain domain, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
	/* Behind the exit handler (static destructors) calls are still recorded, if nothing that the collector asks. */
	if (tap_off && (tap_off != TAP_OFF_EXIT || gc_without("late-calls")))
		return false;
	if (tap_tls.own_calls) {
		count_among_ours(domain);
		return false;
	}
	struct tap_stream *s = tap_stream_at_gate(tap_tick());

	if (!s || (tap_tls.depth && tap_call_is_nested(call, domain)))
		return false;
	tap_call_enter(call, s, tap_tick(), fn, domain, a0, a1, a2, a3);
	return true;
}

/* -------------------------------------------------------------------- reserve */

struct more { uint32_t bits, bound; uint64_t id[2]; };  /* enum rec_more */

static void put_more(uint64_t *to, const struct more *m)
{
	to[0] = m->bits | (uint64_t)m->bound << 32;
	if (m->bits & REC_MORE_WHOLE)
		__builtin_memcpy(to + 1, m->id, sizeof m->id);
}

/* Of a call whose stream is ours. */
static uint64_t *reserve(
	struct tap_call *call, uint32_t first_u32, uint32_t words, uint32_t flags, const struct more *more)
{
	struct tap_stream *s = call->stream;
	uint64_t ticks = call->end_tick - call->start_tick;
	uint32_t at = 1, n_more = rec_more_words(more->bits);

	if ((int64_t)ticks < 0)
		ticks = 0;                      /* counters of two cores a few ticks apart */
	if (ticks >> 32)
		flags |= REC_SLOW;
	uint64_t stack = tap_stack_of_call(s, call->domain, ticks) | (uint64_t)n_more << 24;

	if (stack)
		flags |= REC_STACK_WORD;
	uint32_t total = words + 3 + (flags & REC_SLOW ? 1 : 0) + (stack ? 1 : 0) + n_more;

	if (total > 255) {
		flags |= REC_LONG;
		total++;
	}
	uint64_t *rec = tap_stream_reserve_call(s, total, &call->link);

	if (!rec) {
		call->link = 0;
		return NULL;
	}
	if (flags & REC_LONG)
		rec[at++] = total;
	rec[at++] = call->start_tick;
	rec[at++] = (uint32_t)ticks | (uint64_t)first_u32 << 32;
	if (flags & REC_SLOW)
		rec[at++] = ticks >> 32;
	if (stack)
		rec[at++] = stack;
	if (n_more)
		put_more(rec + at, more);
	call->rec = rec;
	call->head = rec_head(call->fn, flags & REC_LONG ? 0 : total, flags, call->result);
	return rec + at + n_more;
}

/*
 * Arguments that no record has room for: the wrapper writes them into memory of their own, of which
 * tap_call_keep_large makes a content. The content is complete before the record that names it, so a kill leaves no
 * record without its arguments.
 */
struct tap_large_args { uint32_t words, first_u32, flags; struct more more; uint64_t word[]; };

enum { BEGINNING = 64 };                /* words that the record has all the same: fixed arguments, small copies */

static size_t bytes_of_large(uint32_t words) { return sizeof(struct tap_large_args) + (size_t)words * 8; }

static uint64_t *reserve_large(
	struct tap_call *call, uint32_t first_u32, uint32_t words, uint32_t flags, const struct more *more)
{
	struct tap_large_args *l = tap_seccomp
		? NULL
		: tap_sys_mmap(NULL, bytes_of_large(words), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	call->rec = NULL;
	call->link = 0;
	if (!l) {
		reserve(call, 0, 0, flags | REC_BARE | REC_CUT, &(struct more){ 0 });
		return NULL;
	}
	l->words = words;
	l->first_u32 = first_u32;
	l->flags = flags;
	l->more = *more;
	call->large = l;
	return l->word;
}

TAP_COLD void tap_call_keep_large(struct tap_call *call)
{
	struct tap_large_args *l = call->large;
	const void *part = l ? l->word : NULL;
	size_t bytes = l ? (size_t)l->words * 8 : 0;
	uint64_t total;

	if (!l)
		return;
	bool whole = tap_blob_store(REC_BLOB_ARGS, &part, &bytes, 1, true, l->more.id, &total);
	uint32_t words = whole ? BEGINNING : TAP_CALL_WORDS_MAX;

	l->more.bits |= whole ? REC_MORE_WHOLE : REC_MORE_SHORT;
	uint64_t *out = reserve(call, l->first_u32, words, l->flags | (whole ? 0u : REC_CUT), &l->more);

	if (out)
		__builtin_memcpy(out, l->word, (size_t)words * 8);
	tap_sys_munmap(l, bytes_of_large(l->words));
	call->large = NULL;
}

/*
 * A call over 2^32 ticks, or whose stack is wanted, a record over 255 words, a copy that was cut, a full block, or a
 * stream that is not ours any more.
 */
TAP_COLD uint64_t *tap_call_reserve_slow(struct tap_call *call, uint32_t first_u32, uint32_t words, uint32_t flags)
{
	struct more more = { 0 };

	call->large = NULL;
	if (!call->stream)
		return NULL;
	if (words & (TAP_ARGS_CUT | TAP_ARGS_LEFT)) {
		more.bits = REC_MORE_BOUND;
		more.bound = words & TAP_ARGS_LEFT ? 0 : tap_options.max_args;
		flags |= words & TAP_ARGS_CUT ? REC_CUT : 0u;
		words &= ~(TAP_ARGS_CUT | TAP_ARGS_LEFT);
	}
	return words > TAP_CALL_WORDS_MAX ? reserve_large(call, first_u32, words, flags, &more)
					  : reserve(call, first_u32, words, flags, &more);
}

bool tap_callback_begin(
	struct tap_call *call, uint32_t fn, enum rec_domain domain, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
	struct tap_stream *s = tap_call_quiet() || tap_off || tap_tls.own_calls ? NULL : tap_stream_at_gate(tap_tick());

	if (!s)
		return false;
	if (tap_tls.depth)
		tap_call_is_nested(call, domain);       /* for its clean-up */
	tap_call_enter(call, s, tap_tick(), fn, domain | REC_SLOT_CALLBACK, a0, a1, a2, a3);
	call->domain = (uint8_t)domain;
	return true;
}

void tap_own_calls_begin(void) { TAP_WRITE_ONCE(tap_tls.own_calls, tap_tls.own_calls + 1); }

void tap_own_calls_end(void)
{
	if (tap_tls.own_calls)
		TAP_WRITE_ONCE(tap_tls.own_calls, tap_tls.own_calls - 1);
}
