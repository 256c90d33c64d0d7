/*
 * model/functions/args.c - decode a call's arguments as the trace's own table says
 *
 * Layout: api/README.md "Where an argument lies". Nothing in the record is trusted: each copy must lie inside it, or
 * the arguments are damaged, which is counted once and turns has_args off. Copies are found only when someone asks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/functions/args.h"

static uint64_t half_at(const struct gt_call *call, int position)
{
	if (position == 1)
		return call->first_u32;
	return (uint32_t)(call->fixed[position / 2 - 1] >> (position % 2 * 32));
}

static inline uint64_t raw_value(const struct gt_call *call, const struct gt_param *p)
{
	if (p->position < 0)
		return 0;
	return p->bytes == 8 ? call->fixed[p->position / 2 - 1] : half_at(call, p->position);
}

/* A NULL in whose stead the record says how much of the array that it counts was filled. */
static inline bool says_count(const struct gt_param *p, uint64_t word)
{
	return p->counts && (word & REC_COUNT_WORD) == REC_COUNT_WORD;
}

static inline uint64_t fixed_value(const struct gt_call *call, const struct gt_param *p)
{
	uint64_t word = raw_value(call, p);

	return says_count(p, word) ? 0 : word;
}

uint64_t gt_call_fixed(const struct gt_call *call, const struct gt_param *p) { return fixed_value(call, p); }

static void count_damaged(const struct gt_call *call)
{
	if (call->damaged)
		++*call->damaged;
}

void gt_decoded_init(struct gt_decoded *d)
{
	d->state = GT_DECODE_NOT_YET;
	d->whole = NULL;
	d->room = 0;
}

void gt_decoded_free(struct gt_decoded *d)
{
	free(d->whole);
	gt_decoded_init(d);
}

void gt_call_set_args(struct gt_call *call, const struct gt_rec *rec, struct gt_decoded *decoded)
{
	uint32_t fixed_words = call->fn->fixed_words;

	call->first_u32 = rec->first_u32;
	call->flags = rec->flags;
	call->more = rec->more;
	call->bound = rec->bound;
	call->decoded = decoded;
	decoded->state = GT_DECODE_NOT_YET;
	decoded->call = call;
	call->has_args = !(rec->flags & REC_BARE) && rec->n_args >= fixed_words;
	call->fixed = call->has_args ? rec->args : NULL;
	call->copies = call->has_args ? rec->args + fixed_words : NULL;
	call->copy_words = call->has_args ? rec->n_args - fixed_words : 0;
	if (!call->has_args && !(rec->flags & REC_BARE))
		count_damaged(call);
}

/* --------------------------------------------------------------- expressions */

/* The integer behind an out parameter that was copied before; 0 when the pointer is NULL. */
static uint64_t value_behind(const struct gt_decoded *d, int param)
{
	const struct gt_copied *c = &d->copy[param];
	uint64_t v = 0;

	if (c->data)
		memcpy(&v, c->data, c->bytes < 8 ? c->bytes : 8);
	return v;
}

static uint64_t eval_term(const struct gt_decoded *d, const struct gt_term *t)
{
	uint64_t v = t->factor;

	for (int k = 0; k < 2 && t->param[k] >= 0; k++) {
		uint64_t f = t->behind[k] ? value_behind(d, t->param[k])
					  : gt_call_fixed(d->call, &d->call->fn->params[t->param[k]]);

		if (__builtin_mul_overflow(v, f, &v))
			return UINT64_MAX;
	}
	return v;
}

static uint64_t eval(const struct gt_decoded *d, const struct gt_expr *e)
{
	uint64_t a = eval_term(d, &e->a);

	if (e->is_min) {
		uint64_t b = eval_term(d, &e->b);

		return a < b ? a : b;
	}
	return a;
}

/* -------------------------------------------------------------------- copies */

static uint64_t step_count(const struct gt_decoded *d, const struct gt_copy_step *s)
{
	uint64_t n = eval(d, &s->count);

	if (s->capacity >= 0) {
		const struct gt_param *p = &d->call->fn->params[s->capacity];
		uint64_t word = raw_value(d->call, p), room = n;

		if (says_count(p, word))
			room = word & REC_COUNT_MOST;
		else if (word)
			room = value_behind(d, s->capacity);
		return n < room ? n : room;
	}
	return n;
}

/* Where such a copy is cut: as the function's table says, or as the record of one that was cut does. */
static uint64_t limit_of(const struct gt_decoded *d, const struct gt_copy_step *s)
{
	uint64_t limit = s->limit ? s->limit : UINT64_MAX;

	return s->bounded && d->call->more & REC_MORE_BOUND && d->call->bound < limit ? d->call->bound : limit;
}

/* The record ends in this copy, and says so. */
static bool ends_early(const struct gt_decoded *d, struct gt_copied *c)
{
	return c->cut = d->call->more & REC_MORE_SHORT;
}

/* Words taken by the copy at `at` (left words remain), or UINT64_MAX when it does not fit. */
static uint64_t take_array(const struct gt_decoded *d, const struct gt_copy_step *s, const uint64_t *at, uint64_t left,
	struct gt_copied *c)
{
	uint64_t n = step_count(d, s), bytes;

	if (!n)
		return 0;
	if (__builtin_mul_overflow(n, s->elem_bytes, &bytes))
		bytes = UINT64_MAX;
	c->cut = bytes > limit_of(d, s);
	if (c->cut)
		bytes = limit_of(d, s) / s->elem_bytes * s->elem_bytes;
	c->count = n;
	if (bytes > left * 8) {
		c->bytes = ends_early(d, c) ? (uint32_t)(left * 8 / s->elem_bytes * s->elem_bytes) : 0;
		c->data = c->bytes ? at : NULL;
		return UINT64_MAX;
	}
	c->data = bytes || !c->cut ? at : NULL;
	c->bytes = (uint32_t)bytes;
	return (bytes + 7) / 8;
}

static uint64_t take_string(const struct gt_decoded *d, const struct gt_copy_step *s, const uint64_t *at, uint64_t left,
	struct gt_copied *c)
{
	uint64_t bytes = left ? (uint32_t)*at : UINT64_MAX;

	if (bytes == UINT32_MAX && d->call->result)
		return 1;                 /* of a call that failed, which could not be read */
	c->data = left ? (const char *)at + 4 : NULL;
	c->count = bytes;
	if (bytes == UINT64_MAX || bytes + 4 > left * 8) {
		c->bytes = ends_early(d, c) && left ? (uint32_t)(left * 8 - 4) : 0;
		return UINT64_MAX;
	}
	c->bytes = (uint32_t)bytes;
	c->cut = d->call->flags & REC_CUT && bytes == limit_of(d, s);
	return (bytes + 4 + 7) / 8;
}

static uint64_t take_list(const struct gt_decoded *d, const struct gt_copy_step *s, const uint64_t *at, uint64_t left,
	struct gt_copied *c)
{
	uint64_t n = left ? *at : UINT64_MAX, stored = n, most = limit_of(d, s) / 8;

	if (stored > most)
		stored = most;
	c->data = left ? at + 1 : NULL;
	c->count = n;
	if (n == UINT64_MAX || stored > left - 1) {
		c->bytes = ends_early(d, c) && left ? (uint32_t)(left - 1) * 8 : 0;
		return UINT64_MAX;
	}
	c->bytes = (uint32_t)stored * 8;
	c->cut = stored < n || (d->call->flags & REC_CUT && n == most);
	return stored + 1;
}

/* What no record has room for is in a content; without it the record's own beginning of it has to do. */
static void take_whole(struct gt_decoded *d)
{
	struct gt_call *call = d->call;
	uint32_t fixed_words = call->fn->fixed_words;
	size_t words = 0;

	if (!(call->more & REC_MORE_WHOLE))
		return;
	if (call->model && gt_model_words(call->model, call->fixed - 2, &d->whole, &d->room, &words) &&
		words >= fixed_words && words - fixed_words <= UINT32_MAX) {
		call->copies = d->whole + fixed_words;
		call->copy_words = (uint32_t)(words - fixed_words);
	} else {
		call->more |= REC_MORE_SHORT;
		count_damaged(call);
	}
}

static bool decode(struct gt_decoded *d)
{
	const struct gt_call *call = d->call;
	const struct gt_plan *plan = call->fn->plan;
	uint64_t at = 0;

	memset(d->copy, 0, call->fn->n_params * sizeof *d->copy);
	if (plan->broken)
		return true;
	take_whole(d);
	for (uint16_t i = 0; i < plan->n_steps; i++) {
		const struct gt_copy_step *s = &plan->steps[i];
		struct gt_copied *c = &d->copy[s->param];
		const uint64_t *from = call->copies + at;
		uint64_t left = call->copy_words - at, words;

		if ((call->result && !s->kept) || !fixed_value(call, &call->fn->params[s->param]))
			continue;
		words = s->kind == GT_COPY_STRING ? take_string(d, s, from, left, c) :
			s->kind == GT_COPY_PLIST ? take_list(d, s, from, left, c) : take_array(d, s, from, left, c);
		if (words == UINT64_MAX && !(call->more & REC_MORE_SHORT))
			return false;
		at = words == UINT64_MAX ? call->copy_words : at + words;
	}
	return true;
}

static __attribute__((noinline)) bool decode_now(struct gt_decoded *d)
{
	if (d->state == GT_DECODE_NOT_YET) {
		d->state = decode(d) ? GT_DECODE_DONE : GT_DECODE_DAMAGED;
		if (d->state == GT_DECODE_DAMAGED) {
			d->call->has_args = false;
			count_damaged(d->call);
		}
	}
	return d->state == GT_DECODE_DONE;
}

/* -------------------------------------------------------------------- public */

bool gt_call_arg(const struct gt_call *call, unsigned i, struct gt_arg *out)
{
	if (!call->has_args || i >= call->fn->n_params ||
		(call->decoded->state != GT_DECODE_DONE && !decode_now(call->decoded)))
		return false;
	const struct gt_param *p = &call->fn->params[i];
	const struct gt_copied *c = &call->decoded->copy[i];

	out->param = p;
	out->value = fixed_value(call, p);
	if (p->is_errcode && out->value) {
		out->has_data = true;
		out->cut = false;
		out->data = &call->result;
		out->bytes = sizeof call->result;
		out->count = 1;
		return true;
	}
	out->has_data = c->data;
	out->cut = c->cut;
	out->data = c->data;
	out->bytes = c->bytes;
	out->count = c->count;
	return true;
}

uint64_t gt_call_return(const struct gt_call *call)
{
	if (!call->has_args || call->fn->ret_position < 2)
		return 0;
	return call->fixed[call->fn->ret_position / 2 - 1];
}
