/*
 * common/plain/nvtx_filter.c - one expression of --nvtx-include
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/nvtx_filter.h"

/* ------------------------------------------------------------------ made */

struct making {
	struct gc_nvtx_filter *f;
	struct gc_regex_op *room;
	size_t most, *used;
	const char *wrong;
};

/* The first of these characters without a backslash before it; the end when there is none. */
static size_t find(struct gc_word text, char c)
{
	size_t i = 0;

	while (i < text.bytes && text.at[i] != c)
		i += 1 + (text.at[i] == '\\');
	return i < text.bytes ? i : text.bytes;
}

static struct gc_word cut(struct gc_word text, size_t from, size_t to)
{
	return (struct gc_word){ text.at + from, to - from };
}

static bool is(struct gc_word w, char c) { return w.bytes == 1 && w.at[0] == c; }

static struct gc_nvtx_part name(struct making *m, struct gc_word text)
{
	struct gc_nvtx_part p = { GC_NVTX_NAME, text, { NULL, 0 } };

	if (m->f->is_regex && !m->wrong) {
		m->wrong = gc_regex_make(&p.regex, text.at, text.bytes, m->room + *m->used, m->most - *m->used);
		*m->used += p.regex.n;
	}
	return p;
}

static void add(struct making *m, struct gc_nvtx_part p)
{
	if (m->f->n < GC_NVTX_PARTS)
		m->f->part[m->f->n++] = p;
	else
		m->wrong = "it has too many parts";
}

/* Whether the last character has a backslash before it that counts. */
static bool last_is_escaped(struct gc_word text)
{
	size_t n = 0;

	while (n + 1 < text.bytes && text.at[text.bytes - 2 - n] == '\\')
		n++;
	return n % 2;
}

static void started(struct making *m, struct gc_word rest)
{
	for (;;) {
		size_t n = find(rest, ',');

		add(m, name(m, cut(rest, 0, n)));
		if (n == rest.bytes)
			return;
		rest = cut(rest, n + 1, rest.bytes);
	}
}

static void pushed(struct making *m, struct gc_word rest)
{
	struct gc_nvtx_filter *f = m->f;
	size_t names = 0;

	for (size_t n; rest.bytes; rest = cut(rest, n < rest.bytes ? n + 1 : n, rest.bytes)) {
		struct gc_word part;
		struct gc_nvtx_part p = { .kind = GC_NVTX_NAME };

		n = find(rest, '/');
		part = cut(rest, 0, n);
		if (is(part, '*') || is(part, '+'))
			p.kind = is(part, '*') ? GC_NVTX_ANY : GC_NVTX_ONE;
		if (!part.bytes)
			continue;
		if (p.kind != GC_NVTX_NAME && f->n && f->part[f->n - 1].kind != GC_NVTX_NAME)
			f->part[f->n - 1] = p;          /* of several the last */
		else
			add(m, p.kind == GC_NVTX_NAME ? name(m, part) : p);
		names += p.kind == GC_NVTX_NAME;
	}
	f->whole = names > 1;
	f->top |= f->n && f->part[f->n - 1].kind == GC_NVTX_ONE;
}

const char *gc_nvtx_filter_make(
	struct gc_nvtx_filter *f, const char *text, size_t bytes, struct gc_regex_op *room, size_t most, size_t *used)
{
	static const char mark[] = "regex:";
	struct making m = { f, room, most, used, NULL };
	struct gc_word rest = { text, bytes };
	size_t n = 0;

	*f = (struct gc_nvtx_filter){ .n = 0 };
	while (n < sizeof mark - 1 && n < bytes && text[n] == mark[n])
		n++;
	f->is_regex = n == sizeof mark - 1;
	if (f->is_regex)
		rest = cut(rest, n, bytes);
	n = find(rest, '@');
	f->in_domain = n < rest.bytes;
	if (f->in_domain) {
		f->domain = name(&m, cut(rest, 0, n));
		rest = cut(rest, n + 1, rest.bytes);
	}
	n = find(rest, '/');
	f->pushed = n < rest.bytes;
	if (n + 1 == rest.bytes)                /* A/ and A]/ */
		rest.bytes--;
	f->bottom = rest.bytes && rest.at[0] == '[';
	f->top = rest.bytes && rest.at[rest.bytes - 1] == ']' && !last_is_escaped(rest);
	f->pushed |= f->bottom || f->top;
	if (!f->pushed)
		started(&m, rest);
	else
		pushed(&m, f->bottom + f->top <= (int)rest.bytes ? cut(rest, f->bottom, rest.bytes - f->top)
								  : cut(rest, 0, 0));
	return m.wrong;
}

/* ------------------------------------------------------------------ asked */

/* The text of an expression, in which a backslash stands before what has no meaning, against a name. */
static bool same(struct gc_word text, const char *of, size_t bytes)
{
	size_t k = 0;

	for (size_t i = 0; i < text.bytes; i++, k++) {
		if (text.at[i] == '\\' && i + 1 < text.bytes)
			i++;
		if (k == bytes || text.at[i] != of[k])
			return false;
	}
	return k == bytes;
}

static bool fits(const struct gc_nvtx_filter *f, const struct gc_nvtx_part *p, const char *of, size_t bytes, bool whole)
{
	return f->is_regex ? gc_regex_fits(&p->regex, of, bytes, whole) : same(p->text, of, bytes);
}

static bool is_default(const struct gc_nvtx_open *d) { return !d->name; }

static bool of_domain(const struct gc_nvtx_filter *f, const struct gc_nvtx_open *d)
{
	static const char unnamed[] = GC_NVTX_DEFAULT_DOMAIN;

	if (!f->in_domain)
		return is_default(d);
	return fits(f, &f->domain, is_default(d) ? unnamed : d->name, is_default(d) ? sizeof unnamed - 1 : d->bytes,
		false);
}

static bool all_started(const struct gc_nvtx_filter *f, const struct gc_nvtx_open *d)
{
	for (uint32_t i = 0; i < f->n; i++) {
		bool open = false;

		for (size_t k = 0; k < d->n_started && !open; k++)
			open = fits(f, &f->part[i], d->started[k].at, d->started[k].bytes, false);
		if (!open)
			return false;
	}
	return true;
}

/* Where the next part may begin: a bit for each place in the stack, of which the outermost 4096 are looked at. */
enum { DEEP = 4096 };
struct places { uint64_t bits[DEEP / 64 + 1]; };

static bool has(const struct places *p, size_t i) { return p->bits[i / 64] >> i % 64 & 1; }
static void put(struct places *p, size_t i, bool is)
{
	uint64_t bit = 1ull << i % 64;

	p->bits[i / 64] = is ? p->bits[i / 64] | bit : p->bits[i / 64] & ~bit;
}

/* What follows any number of ranges, none of them too: from the first place on, every one. */
static void step_over_any(struct places *p, size_t depth)
{
	bool open = false;

	for (size_t i = 0; i <= depth; i++)
		put(p, i, open |= has(p, i));
}

/* What follows one range that fits; in place, so from the innermost one on. */
static void step_over_one(struct places *p, const struct gc_nvtx_filter *f, const struct gc_nvtx_part *part,
	const struct gc_nvtx_open *d, size_t depth)
{
	for (size_t i = depth; i; i--)
		put(p, i, has(p, i - 1) && (part->kind == GC_NVTX_ONE ||
			fits(f, part, d->pushed[i - 1].at, d->pushed[i - 1].bytes, f->whole)));
	put(p, 0, false);
}

static bool stack_fits(const struct gc_nvtx_filter *f, const struct gc_nvtx_open *d)
{
	size_t depth = d->n_pushed < DEEP ? d->n_pushed : DEEP, any = 0;
	struct places at = { { 0 } };

	if (!f->n || f->part[0].kind != GC_NVTX_NAME)   /* a name has to come first */
		return false;
	for (size_t i = 0; i < (f->bottom ? 1 : depth); i++)
		put(&at, i, true);
	for (uint32_t k = 0; k < f->n; k++) {
		if (f->part[k].kind == GC_NVTX_ANY)
			step_over_any(&at, depth);
		else
			step_over_one(&at, f, &f->part[k], d, depth);
		any = 0;
		for (size_t i = 0; i <= depth; i++)
			any += has(&at, i);
		if (!any)
			return false;
	}
	return f->top ? has(&at, depth) : any != 0;
}

bool gc_nvtx_filter_fits(const struct gc_nvtx_filter *f, const struct gc_nvtx_open *domain)
{
	return of_domain(f, domain) && (f->pushed ? stack_fits(f, domain) : all_started(f, domain));
}
