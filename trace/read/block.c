/*
 * trace/read/block.c - walk the records of one block, trusting nothing
 *
 * Runs in the tool, over private memory. Each header is checked here, once a pass, before anything behind it is looked
 * at; who gets a struct gt_rec may rely on: n_words words are there, the record has at least the words its type
 * needs, texts of the types below lie inside it, and end_tick >= start_tick.
 *
 * BLOCK1  `at` only grows, and never beyond `n`: a walk ends after at most n steps.
 * BLOCK2  A record that claims more than is left, no size, or both or neither of COMPLETE and INCOMPLETE ends the
 *         block.
 * BLOCK3  The writer commits a header after its payload (stream.c STREAM1, STREAM2): a COMPLETE header
 *         that was read is whole in the same read, because words are copied in ascending order.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/block.h"

/* Words behind the header (and its size word), and where texts begin; counted as `words of args`. */
static const struct { uint8_t known, args, text, texts, tick; } layout[REC_TYPE_COUNT] = {
#define RECORD(name, number, words, text, texts, tick, ring) [number] = { 1, words, text, texts, tick },
#include "trace/format/records.def"
};

bool gt_rec_text(const struct gt_rec *rec, uint32_t at, const char **text, uint32_t *bytes)
{
	uint32_t n;

	if (at >= rec->n_args)
		return false;
	n = (uint32_t)rec->args[at];
	if (n > (uint64_t)(rec->n_args - at) * 8 - 4)
		return false;
	*text = (const char *)(rec->args + at) + 4;
	*bytes = n;
	return true;
}

static bool texts_fit(const struct gt_rec *rec)
{
	uint32_t at = layout[rec->id].text, bytes;
	const char *text;

	for (unsigned i = 0; i < layout[rec->id].texts; i++) {
		if (!gt_rec_text(rec, at, &text, &bytes))
			return false;
		at += (uint32_t)(((uint64_t)bytes + 4 + 7) / 8);
	}
	return true;
}

/* A record that is not a call; args begin behind the header. */
static bool fill_other(struct gt_block *b, struct gt_rec *rec)
{
	rec->start_tick = rec->end_tick = 0;
	rec->first_u32 = 0;
	rec->stack = 0;
	if (rec->id >= REC_TYPE_COUNT || !layout[rec->id].known) {
		if (b->found)
			b->found->lost[REC_LOSS_UNKNOWN_RECORD]++;
		return true;
	}
	if (rec->n_args < layout[rec->id].args + (rec->id == REC_COMMAND && rec->flags & REC_WIDE ? 2u : 0u))
		return false;
	if (layout[rec->id].tick)
		rec->start_tick = rec->end_tick = rec->args[0];
	return !layout[rec->id].texts || texts_fit(rec);
}

/* The word that names a call's stack, and what stands behind it (enum rec_more). *times goes behind them. */
static bool take_stack(struct gt_rec *rec, uint32_t *times)
{
	uint64_t word;
	uint32_t at = *times + 1;

	if (rec->n_args < at)
		return false;
	word = rec->args[*times];
	*times = at + rec_stack_more(word);
	rec->stack = rec_link_offset(word) ? rec_stack_link(word) : 0;
	if (rec->n_args < *times)
		return false;
	if (*times > at) {
		rec->more = (uint32_t)rec->args[at];
		rec->bound = (uint32_t)(rec->args[at] >> 32);
	}
	/* Of a later version, with more words than this one knows: what it names is not found by args. */
	if (rec->more & REC_MORE_WHOLE && *times - at != rec_more_words(rec->more))
		rec->more = (rec->more & ~(uint32_t)REC_MORE_WHOLE) | REC_MORE_SHORT;
	return true;
}

/* A call: tick, duration, arguments. */
static bool fill_call(struct gt_rec *rec)
{
	uint64_t duration;
	uint32_t times = rec->flags & REC_SLOW ? 3 : 2;

	if (rec->n_args < times)
		return false;
	duration = (uint32_t)rec->args[1];
	if (rec->flags & REC_SLOW) {
		if (rec->args[2] >> 32)
			return false;
		duration |= rec->args[2] << 32;
	}
	rec->stack = 0;
	rec->more = rec->bound = 0;
	if (rec->flags & REC_STACK_WORD && !take_stack(rec, &times))
		return false;
	rec->start_tick = rec->args[0];
	if (__builtin_add_overflow(rec->start_tick, duration, &rec->end_tick))
		return false;
	rec->first_u32 = (uint32_t)(rec->args[1] >> 32);
	rec->args += times;
	rec->n_args -= times;
	return true;
}

static int stop(struct gt_block *b, bool cut)
{
	b->stopped = true;
	if (b->found)
		b->found->lost[cut ? REC_LOSS_TRUNCATED : REC_LOSS_DAMAGED]++;
	return 0;
}

/* Size in words of the record at w, 0 when it cannot be right; `left` >= 1 words are there. */
static uint64_t size_of(const uint64_t *w, uint32_t left)
{
	uint32_t flags = rec_flags(w[0]);

	uint32_t words = w[0] >> 16 & 0xffu;

	if (flags & REC_INCOMPLETE)
		return words || rec_id(w[0]) ? 0 : w[0] >> 32;
	if (!(flags & REC_LONG))
		return words;
	if (words)
		return 0;                         /* one size too many */
	if (left < 2)
		return UINT64_MAX;
	return w[1] < 2 ? 0 : w[1];
}

/* Calls are counted by a check of the model, texts and payloads of NVTX where they were cut, in the program. */
static bool counts_as_cut(uint32_t id)
{
	return id < REC_FIRST_FUNCTION && (id < REC_NVTX_EVENT || id > REC_NVTX_SCHEMA);
}

int gt_block_next(struct gt_block *b, struct gt_rec *rec)
{
	while (b->at < b->n) {
		const uint64_t *w = b->words + b->at;
		uint32_t flags = rec_flags(w[0]), skip;
		uint64_t size;

		if (w[0] == 0)
			return 0;
		if (!(flags & REC_COMPLETE) == !(flags & REC_INCOMPLETE))
			return stop(b, false);
		size = size_of(w, b->n - b->at);
		if (rec_id(w[0]) == REC_PAD && flags & REC_COMPLETE && size == 0)
			return 0;                     /* padding to the end of the block */
		if (size == 0)
			return stop(b, false);
		if (size > b->n - b->at)
			return stop(b, b->cut);
		if (flags & REC_INCOMPLETE) {
			if (b->found)
				b->found->lost[REC_LOSS_INCOMPLETE_RECORD]++;
			b->at += (uint32_t)size;
			continue;
		}
		if (rec_id(w[0]) == REC_PAD) {
			b->at += (uint32_t)size;
			continue;
		}
		skip = flags & REC_LONG ? 2 : 1;
		rec->words = w;
		rec->n_words = (uint32_t)size;
		rec->offset = b->offset + (uint64_t)b->at * 8;
		rec->id = rec_id(w[0]);
		rec->flags = flags;
		rec->result = rec_result(w[0]);
		rec->args = w + skip;
		rec->n_args = (uint32_t)size - skip;
		rec->holder = b->holders;
		if (rec->id == 0 || !(rec->id >= REC_FIRST_FUNCTION ? fill_call(rec) : fill_other(b, rec)))
			return stop(b, false);
		if (b->found && rec->flags & REC_CUT && counts_as_cut(rec->id))
			b->found->lost[REC_LOSS_ARGS_CUT]++;
		if (rec->id == REC_THREAD)
			b->holders++;
		b->at += (uint32_t)size;
		return 1;
	}
	return 0;
}
