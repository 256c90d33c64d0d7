/*
 * analysis/samples.c - exact statistics over any number of values
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/samples.h"

#include <math.h>
#include <string.h>

enum { FOLD = 1 << 18, MOST_AT_ONCE = 1 << 13 };         /* values; the second: of one piece of a list */

struct cell { int64_t value; uint64_t count; };         /* count 0: free */
/*
 * Open addressing; at most half full. Not common/map.h: a value is counted here per row of a trace, and a cell beside a
 * word of its hash would be half as large again.
 */
struct gt_counts { uint64_t n, mask; struct cell cell[]; };

static struct gt_counts *counts_new(struct gt_pool *a, uint64_t cells)
{
	struct gt_counts *c = gt_pool_take(a, sizeof *c + cells * sizeof c->cell[0]);

	if (c)
		c->mask = cells - 1;
	return c;
}

static void counts_done(struct gt_pool *a, struct gt_counts *c)
{
	gt_pool_give_back(a, c, sizeof *c + (c->mask + 1) * sizeof c->cell[0]);
}

static void count_value(struct gt_counts *c, int64_t value, uint64_t times)
{
	uint64_t at = (uint64_t)value * 0x9e3779b97f4a7c15u >> 20;

	while (c->cell[at & c->mask].count && c->cell[at & c->mask].value != value)
		at++;
	struct cell *cell = &c->cell[at & c->mask];

	c->n += !cell->count;
	cell->value = value;
	cell->count += times;
}

/* Room for one more piece of values that may all be new. NULL: no memory. */
static struct gt_counts *counts_with_room(struct gt_pool *a, struct gt_counts *old)
{
	uint64_t cells = old ? old->mask + 1 : 2 * MOST_AT_ONCE;

	while (cells < 2 * ((old ? old->n : 0) + MOST_AT_ONCE))
		cells *= 2;
	if (old && cells == old->mask + 1)
		return old;
	struct gt_counts *c = counts_new(a, cells);

	for (uint64_t i = 0; c && old && i <= old->mask; i++)
		if (old->cell[i].count)
			count_value(c, old->cell[i].value, old->cell[i].count);
	if (c && old)
		counts_done(a, old);
	return c;
}

/* Back into the list: a table of values that are all different takes more than they do. Without memory it stays. */
static void unfold(struct gt_samples *s)
{
	struct gt_counts *c = s->counts;

	for (uint64_t i = 0; i <= c->mask; i++)
		for (; c->cell[i].count; c->cell[i].count--) {
			int64_t *slot = gt_list_add(&s->values, s->pool, sizeof *slot);

			if (!slot)
				return;
			*slot = c->cell[i].value;
			s->loose++;
		}
	s->counts = NULL;
	counts_done(s->pool, c);
}

/* The loose values go into the table. Without memory, or when it does not pay, they stay loose. */
static void fold(struct gt_samples *s)
{
	const int64_t *value;
	size_t bytes;

	s->diverse = true;
	for (;;) {
		struct gt_counts *c = counts_with_room(s->pool, s->counts);

		if (!c)
			return;
		s->counts = c;
		if (!(value = gt_list_pop(&s->values, s->pool, &bytes)))
			break;
		for (size_t i = 0; i < bytes / sizeof *value; i++)
			count_value(c, value[i], 1);
		s->loose -= bytes / sizeof *value;
		if (c->n > FOLD / 4 && c->n > (s->n - s->loose) / 8) {
			if (s->n - s->loose < 4 * c->n)
				unfold(s);
			return;
		}
	}
	s->diverse = false;
}

static bool add_loose(struct gt_samples *s, int64_t value)
{
	int64_t *slot = gt_list_add(&s->values, s->pool, sizeof *slot);

	if (slot)
		*slot = value;
	return slot != NULL;
}

/*
 * Very many names may have one value each, for which a list would be larger than all else. What was added is counted
 * in `loose`, because reports that sum alone write into the sums themselves.
 */
int gt_samples_add(struct gt_samples *s, struct gt_pool *a, int64_t value)
{
	s->pool = a;
	if (s->loose >= FOLD && !s->diverse)
		fold(s);
	if (!s->n)
		s->first = value;
	else if ((s->loose == 1 && s->n == 1 && !add_loose(s, s->first)) || !add_loose(s, value))
		return -1;
	s->loose++;
	s->min = !s->n || value < s->min ? value : s->min;
	s->max = !s->n || value > s->max ? value : s->max;
	s->sum += value;
	s->n++;
	return 0;
}

void gt_samples_join(struct gt_samples *s, struct gt_samples *from)
{
	struct gt_samples *last = from;

	if (!from->n)
		return;
	s->min = !s->n || from->min < s->min ? from->min : s->min;
	s->max = !s->n || from->max > s->max ? from->max : s->max;
	s->sum += from->sum;
	s->n += from->n;
	while (last->more)
		last = last->more;
	last->more = s->more;
	s->more = from;
}

double gt_samples_mean(const struct gt_samples *s)
{
	return s->n ? (double)((long double)s->sum / (long double)s->n) : 0;
}

/* The loose values of all parts, a run at a time. */
struct each {
	const struct gt_samples *part;
	struct gt_list_reader list;
	const int64_t *loose; size_t n;
	bool single;                    /* the part's was given */
};

static struct each each_of(const struct gt_samples *s)
{
	return (struct each){ .part = s, .list = { .pool = s->pool, .list = &s->values } };
}

static bool next_run(struct each *e)
{
	size_t bytes;

	while (e->part) {
		const struct gt_samples *part = e->part;

		if (part->pool && part->loose == 1 && !part->values.first && !e->single) {
			e->single = true;
			e->loose = &part->first;
			e->n = 1;
			return true;
		}
		if (part->pool && (e->loose = gt_list_next(&e->list, &bytes))) {
			e->n = bytes / sizeof *e->loose;
			return true;
		}
		e->part = part->more;
		e->single = false;
		if (e->part)
			e->list = (struct gt_list_reader){ .pool = e->part->pool, .list = &e->part->values };
	}
	return false;
}

/* The next part with folded values, from this one on; NULL: none. */
static const struct gt_samples *folded(const struct gt_samples *s)
{
	while (s && !s->counts)
		s = s->more;
	return s;
}

/*
 * Values are told apart by how far above the least they are, a digit of 11 bits at a time: durations take three passes.
 */
enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static uint64_t key(const struct gt_samples *s, int64_t value) { return (uint64_t)value - (uint64_t)s->min; }

/* How often each digit at `shift` comes among the values whose higher digits are those of `prefix`. */
static void count_digits(const struct gt_samples *s, uint64_t prefix, int shift, uint64_t count[DIGITS])
{
	uint64_t mask = shift + DIGIT < 64 ? ~UINT64_C(0) << (shift + DIGIT) : 0;
	struct each e = each_of(s);

	while (next_run(&e))
		for (size_t i = 0; i < e.n; i++)
			if (!((key(s, e.loose[i]) ^ prefix) & mask))
				count[key(s, e.loose[i]) >> shift & (DIGITS - 1)]++;
	for (const struct gt_samples *p = folded(s); p; p = folded(p->more))
		for (const struct cell *c = p->counts->cell; c <= p->counts->cell + p->counts->mask; c++)
			if (c->count && !((key(s, c->value) ^ prefix) & mask))
				count[key(s, c->value) >> shift & (DIGITS - 1)] += c->count;
}

/* The value with `rank` smaller-or-equal ones before it, and whether the next one in order is the same. */
static int64_t select_rank(const struct gt_samples *s, uint64_t rank, bool *again)
{
	uint64_t prefix = 0, count[DIGITS], equal = 0;
	int shift = 0;

	while (shift + DIGIT < 64 && key(s, s->max) >> (shift + DIGIT))
		shift += DIGIT;
	for (; shift >= 0; shift -= DIGIT) {
		unsigned digit = 0;

		memset(count, 0, sizeof count);
		count_digits(s, prefix, shift, count);
		while (digit < DIGITS - 1 && rank >= count[digit])
			rank -= count[digit++];
		prefix |= (uint64_t)digit << shift;
		equal = count[digit];
	}
	*again = rank + 1 < equal;
	return (int64_t)(prefix + (uint64_t)s->min);
}

/* The least value above this one; there is one. */
static int64_t next_above(const struct gt_samples *s, int64_t value)
{
	struct each e = each_of(s);
	int64_t next = s->max;

	while (next_run(&e))
		for (size_t i = 0; i < e.n; i++)
			if (e.loose[i] > value && e.loose[i] < next)
				next = e.loose[i];
	for (const struct gt_samples *p = folded(s); p; p = folded(p->more))
		for (const struct cell *c = p->counts->cell; c <= p->counts->cell + p->counts->mask; c++)
			if (c->count && c->value > value && c->value < next)
				next = c->value;
	return next;
}

double gt_samples_median(const struct gt_samples *s)
{
	bool again;

	if (!s->n)
		return 0;
	int64_t low = select_rank(s, (s->n - 1) / 2, &again), high = s->n % 2 || again ? low : next_above(s, low);

	return s->n % 2 ? (double)low : ((double)low + (double)high) / 2;
}

/* Sums of 256 bits, least word first: exact, so that the order of values cannot show. */
struct wide { uint64_t word[4]; };

static void wide_add(struct wide *w, unsigned __int128 v, unsigned at)
{
	unsigned __int128 carry = 0;

	for (unsigned i = at; i < 4; i++) {
		carry += w->word[i];
		carry += (uint64_t)v;
		w->word[i] = (uint64_t)carry;
		carry >>= 64;
		v >>= 64;
	}
}

static struct wide wide_times(const struct wide *a, const struct wide *b)
{
	struct wide out = { { 0 } };

	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; i + k < 4; k++)
			wide_add(&out, (unsigned __int128)a->word[i] * b->word[k], i + k);
	return out;
}

/* a - b, which is not negative. */
static long double wide_difference(const struct wide *a, const struct wide *b)
{
	uint64_t borrow = 0, word[4];
	long double v = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned __int128 less = (unsigned __int128)b->word[i] + borrow;

		word[i] = (uint64_t)(a->word[i] - less);
		borrow = a->word[i] < less;
	}
	for (unsigned i = 4; i-- > 0;)
		v = v * 0x1p64L + (long double)word[i];
	return v;
}

/* Over how far each value lies above the least: n * sum of squares - square of the sum, by n * (n - 1). */
double gt_samples_deviation(const struct gt_samples *s)
{
	struct wide squares = { { 0 } }, sum = { { 0 } }, n = { { s->n } };
	unsigned __int128 total = 0, low = 0;
	uint64_t high = 0;
	struct each e = each_of(s);

	if (s->n < 2)
		return 0;
	while (next_run(&e))
		for (size_t i = 0; i < e.n; i++) {
			uint64_t v = key(s, e.loose[i]);

			total += v;
			low += (unsigned __int128)v * v;
			high += low < (unsigned __int128)v * v;
		}
	wide_add(&squares, low, 0);
	wide_add(&squares, high, 2);
	for (const struct gt_samples *p = folded(s); p; p = folded(p->more))
		for (const struct cell *c = p->counts->cell; c <= p->counts->cell + p->counts->mask; c++)
			if (c->count) {
				struct wide v = { { key(s, c->value) } }, square = wide_times(&v, &v),
					    times = { { c->count } };

				total += (unsigned __int128)v.word[0] * c->count;
				square = wide_times(&square, &times);
				for (unsigned i = 0; i < 4; i++)
					wide_add(&squares, square.word[i], i);
			}
	wide_add(&sum, total, 0);
	squares = wide_times(&squares, &n);
	sum = wide_times(&sum, &sum);
	return (double)sqrtl(wide_difference(&squares, &sum) / (long double)s->n / (long double)(s->n - 1));
}
