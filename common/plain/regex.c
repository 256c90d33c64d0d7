/*
 * common/plain/regex.c - regular expressions of names
 *
 * An expression becomes steps that are followed all at once (a set of places in it), so nothing is tried twice.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/regex.h"

enum op { BYTE, ANY, MORE, SET, BEGIN, END, WORD, NO_WORD, SPLIT, JUMP, FOUND };
enum { BITS = 6, DEEPEST = 32, REPEAT_MOST = 255 };      /* steps that hold the 256 bits of a set */

/* ------------------------------------------------------------------ made */

struct making {
	const char *at, *end;
	struct gc_regex_op *ops;
	uint32_t n, most, depth;
	const char *wrong;
};

static void add(struct making *m, enum op op, uint8_t byte, int to, int or_to)
{
	if (m->n == m->most) {
		m->wrong = m->wrong ? m->wrong : "it is too long";
		return;
	}
	m->ops[m->n++] = (struct gc_regex_op){ (uint8_t)op, byte, (int16_t)to, (int16_t)or_to };
}

/* What stands from `from` on moves behind one step more; jumps inside it are relative. */
static void put_before(struct making *m, uint32_t from, int to, int or_to)
{
	add(m, JUMP, 0, 0, 0);
	if (m->wrong)
		return;
	for (uint32_t i = m->n - 1; i > from; i--)
		m->ops[i] = m->ops[i - 1];
	m->ops[from] = (struct gc_regex_op){ SPLIT, 0, (int16_t)to, (int16_t)or_to };
}

static uint8_t *bits_of(struct gc_regex_op *set) { return (uint8_t *)(set + 1); }

static struct gc_regex_op *add_set(struct making *m)
{
	uint32_t at = m->n;

	add(m, SET, 0, 0, 0);
	for (int i = 0; i < BITS; i++)
		add(m, BYTE, 0, 0, 0);          /* all zero */
	return m->wrong ? NULL : &m->ops[at];
}

static void set_bit(struct gc_regex_op *set, unsigned c) { bits_of(set)[c / 8] |= (uint8_t)(1u << c % 8); }

/* The bytes behind the first of a character of UTF-8. */
static void add_rest(struct making *m)
{
	add(m, SPLIT, 0, 1, 3);
	add(m, MORE, 0, 0, 0);
	add(m, JUMP, 0, -2, 0);
}

static bool is_class(char c) { return c == 'd' || c == 'D' || c == 'w' || c == 'W' || c == 's' || c == 'S'; }

static bool in_class(char class, unsigned c)
{
	bool digit = c >= '0' && c <= '9', in;
	char lower = (char)(class | 0x20);

	if (lower == 'd')
		in = digit;
	else if (lower == 'w')
		in = digit || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
	else
		in = c == ' ' || (c >= 9 && c <= 13);
	return in == (class == lower);
}

static void set_class(struct gc_regex_op *set, char class)
{
	for (unsigned c = 0; c < 256; c++)
		if (in_class(class, c))
			set_bit(set, c);
}

static unsigned escaped(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : (unsigned char)c;
}

/* Behind the opening bracket. */
static void brackets(struct making *m)
{
	struct gc_regex_op *set = add_set(m);
	bool no = m->at < m->end && *m->at == '^', closed = false;

	m->at += no;
	for (bool first = true; set && m->at < m->end && !closed; first = false) {
		unsigned from = (unsigned char)*m->at++, to;

		if (from == ']' && !first) {
			closed = true;
			break;
		}
		if (from == '\\' && m->at < m->end) {
			if (is_class(*m->at)) {
				set_class(set, *m->at++);
				continue;
			}
			from = escaped(*m->at++);
		}
		to = from;
		if (m->end - m->at >= 2 && m->at[0] == '-' && m->at[1] != ']') {
			to = (unsigned char)m->at[1];
			m->at += 2;
			if (to == '\\' && m->at < m->end)
				to = escaped(*m->at++);
		}
		if (to < from)
			m->wrong = "a range in brackets goes backwards";
		for (unsigned c = from; c <= to; c++)
			set_bit(set, c);
	}
	if (set && !closed && !m->wrong)
		m->wrong = "a bracket is not closed";
	if (!set || !no)
		return;
	for (int i = 0; i < 32; i++)            /* none of these, and no part of a character */
		bits_of(set)[i] = i >= 16 && i < 24 ? 0 : (uint8_t)~bits_of(set)[i];
	add_rest(m);
}

static void alternatives(struct making *m);

static void group(struct making *m)
{
	if (m->end - m->at >= 2 && m->at[0] == '?') {
		if (m->at[1] != ':')
			m->wrong = "of groups with a question mark only (?: is understood";
		m->at += 2;
	}
	if (++m->depth > DEEPEST)
		m->wrong = "its groups are too deep";
	if (!m->wrong)
		alternatives(m);
	m->depth--;
	if (m->wrong)
		return;
	if (m->at == m->end)
		m->wrong = "a group is not closed";
	else
		m->at++;
}

static void escape(struct making *m)
{
	char c;

	if (m->at == m->end) {
		m->wrong = "it ends in a backslash";
		return;
	}
	c = *m->at++;
	if (is_class(c)) {
		struct gc_regex_op *set = add_set(m);

		if (set)
			set_class(set, c);
	} else if (c == 'b' || c == 'B') {
		add(m, c == 'b' ? WORD : NO_WORD, 0, 0, 0);
	} else if (in_class('w', (unsigned char)c) && c != '_' && c != 'n' && c != 't' && c != 'r') {
		m->wrong = "a letter or digit behind a backslash that is not understood";
	} else {
		add(m, BYTE, (uint8_t)escaped(c), 0, 0);
	}
}

static void atom(struct making *m)
{
	char c = *m->at++;

	switch (c) {
	case '(':
		group(m);
		break;
	case '[':
		brackets(m);
		break;
	case '.':
		add(m, ANY, 0, 0, 0);
		add_rest(m);
		break;
	case '^':
		add(m, BEGIN, 0, 0, 0);
		break;
	case '$':
		add(m, END, 0, 0, 0);
		break;
	case '\\':
		escape(m);
		break;
	case '*':
	case '+':
	case '?':
		m->wrong = "there is nothing to repeat";
		break;
	default:
		add(m, BYTE, (uint8_t)c, 0, 0);
	}
}

/* {2} {2,} {2,5}: false, and nothing is taken, when it is none of them. */
static bool counts(struct making *m, uint32_t *least, uint32_t *most)
{
	const char *at = m->at + 1;
	uint32_t n[2] = { 0, 0 };
	bool comma = false;

	if (at == m->end || *at < '0' || *at > '9')
		return false;
	for (; at < m->end && *at != '}'; at++) {
		if (*at == ',' && !comma) {
			comma = true;
			n[1] = at + 1 < m->end && at[1] == '}' ? UINT32_MAX : 0;
		} else if (*at >= '0' && *at <= '9') {
			n[comma] = n[comma] * 10 + (uint32_t)(*at - '0');
			if (n[comma] > REPEAT_MOST)
				m->wrong = "it repeats too often";
		} else {
			return false;
		}
		if (m->wrong)
			return true;
	}
	if (at == m->end)
		return false;
	*least = n[0];
	*most = comma ? n[1] : n[0];
	m->at = at + 1;
	if (*most < *least)
		m->wrong = "a repetition goes backwards";
	return true;
}

/* The atom stands from `from` on; `text` to `behind` is what it was made of. */
static void repeat(struct making *m, uint32_t from, const char *text, uint32_t least, uint32_t most)
{
	const char *behind = m->at;
	uint32_t length = m->n - from, optional = from;

	if (!least && most)
		put_before(m, from, 1, (int)length + 1);
	if (!most)
		m->n = from;
	for (uint32_t i = 1; i < least && !m->wrong; i++) {
		optional = m->n;
		m->at = text;
		atom(m);
	}
	if (most == UINT32_MAX && !m->wrong) {
		if (least)
			add(m, SPLIT, 0, -(int)(m->n - optional), 1);
		else {
			add(m, JUMP, 0, -(int)(m->n - from), 0);
			if (!m->wrong)
				m->ops[from].or_to = (int16_t)(m->n - from);
		}
	}
	for (uint32_t i = least ? least : 1; most != UINT32_MAX && i < most && !m->wrong; i++) {
		uint32_t at = m->n;

		m->at = text;
		atom(m);
		put_before(m, at, 1, (int)(m->n - at) + 1);
	}
	m->at = behind;
}

static void quantified(struct making *m)
{
	const char *text = m->at;
	uint32_t from = m->n, least = 1, most = 1;
	char c;

	atom(m);
	c = !m->wrong && m->at < m->end ? *m->at : 0;
	if (c == '*' || c == '+' || c == '?') {
		least = c == '+';
		most = c == '?' ? 1 : UINT32_MAX;
		m->at++;
	} else if (c != '{' || !counts(m, &least, &most)) {
		return;
	}
	if (m->at < m->end && *m->at == '?')    /* the shortest: whether it fits is the same */
		m->at++;
	if (!m->wrong)
		repeat(m, from, text, least, most);
}

/* To the end, or to the bracket that closes the group. */
static void alternatives(struct making *m)
{
	uint32_t from = m->n;

	while (m->at < m->end && *m->at != ')' && *m->at != '|' && !m->wrong)
		quantified(m);
	if (m->at < m->end && *m->at == '|' && !m->wrong) {
		uint32_t jump;

		m->at++;
		put_before(m, from, 1, (int)(m->n - from) + 2);
		jump = m->n;
		add(m, JUMP, 0, 0, 0);
		if (++m->depth > 4 * DEEPEST)
			m->wrong = "it has too many alternatives";
		if (!m->wrong)
			alternatives(m);
		m->depth--;
		if (!m->wrong)
			m->ops[jump].to = (int16_t)(m->n - jump);
	}
}

const char *gc_regex_make(struct gc_regex *r, const char *text, size_t bytes, struct gc_regex_op *room, size_t most)
{
	struct making m = { .at = text, .end = text + bytes, .ops = room,
		.most = most < GC_REGEX_MOST ? (uint32_t)most : GC_REGEX_MOST };

	alternatives(&m);
	if (!m.wrong && m.at < m.end)
		m.wrong = "a bracket closes no group";
	add(&m, FOUND, 0, 0, 0);
	*r = (struct gc_regex){ room, m.wrong ? 0 : m.n };
	return m.wrong;
}

/* ------------------------------------------------------------------ followed */

struct places { uint64_t bits[GC_REGEX_MOST / 64]; };

static bool has(const struct places *p, uint32_t at) { return p->bits[at / 64] >> at % 64 & 1; }

static void put(struct places *p, uint32_t at)
{
	if (at < GC_REGEX_MOST)
		p->bits[at / 64] |= 1ull << at % 64;
}

/* One of them, which is taken out; UINT32_MAX: there is none. */
static uint32_t take(struct places *p)
{
	for (uint32_t w = 0; w < GC_REGEX_MOST / 64; w++)
		if (p->bits[w]) {
			uint32_t at = w * 64 + (uint32_t)__builtin_ctzll(p->bits[w]);

			p->bits[w] &= p->bits[w] - 1;
			return at;
		}
	return UINT32_MAX;
}

struct text { const char *at; size_t bytes, now; };

static bool word_at(const struct text *t, size_t i) { return i < t->bytes && in_class('w', (unsigned char)t->at[i]); }

static bool holds(const struct text *t, uint8_t op)
{
	bool edge = (t->now && word_at(t, t->now - 1)) != word_at(t, t->now);

	return op == BEGIN ? !t->now : op == END ? t->now == t->bytes : op == WORD ? edge : !edge;
}

/* The place, and where it leads without a character. */
static void enter(const struct gc_regex *r, struct places *p, const struct text *t, uint32_t first)
{
	struct places todo = { { 0 } };

	for (uint32_t at = first; at != UINT32_MAX; at = take(&todo)) {
		const struct gc_regex_op *o = &r->ops[at];

		if (at >= r->n || has(p, at))
			continue;
		put(p, at);
		if (o->op == SPLIT)
			put(&todo, (uint32_t)((int)at + o->or_to));
		if (o->op == SPLIT || o->op == JUMP)
			put(&todo, (uint32_t)((int)at + o->to));
		else if (o->op >= BEGIN && o->op <= NO_WORD && holds(t, o->op))
			put(&todo, at + 1);
	}
}

/* Whether a step takes the byte; *next: where it goes on. */
static bool takes(const struct gc_regex *r, uint32_t at, unsigned c, uint32_t *next)
{
	const struct gc_regex_op *o = &r->ops[at];

	*next = at + 1;
	switch (o->op) {
	case BYTE:
		return o->byte == c;
	case ANY:
		return (c & 0xc0) != 0x80;
	case MORE:
		return (c & 0xc0) == 0x80;
	case SET:
		*next = at + 1 + BITS;
		return ((const uint8_t *)(o + 1))[c / 8] >> c % 8 & 1;
	default:
		return false;
	}
}

bool gc_regex_fits(const struct gc_regex *r, const char *text, size_t bytes, bool whole)
{
	struct text t = { text, bytes, 0 };
	struct places now = { { 0 } }, next;

	if (!r->n)
		return false;
	for (;; t.now++) {
		if (!whole || !t.now)
			enter(r, &now, &t, 0);
		if (has(&now, r->n - 1) && (!whole || t.now == bytes))
			return true;
		if (t.now == bytes)
			return false;
		next = (struct places){ { 0 } };
		for (uint32_t w = 0; w <= r->n / 64 && w < GC_REGEX_MOST / 64; w++)
			for (uint64_t left = now.bits[w]; left; left &= left - 1) {
				uint32_t at = w * 64 + (uint32_t)__builtin_ctzll(left), to;
				struct text behind = { text, bytes, t.now + 1 };

				if (takes(r, at, (unsigned char)text[t.now], &to))
					enter(r, &next, &behind, to);
			}
		now = next;
	}
}
