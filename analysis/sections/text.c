/*
 * analysis/sections/text.c - protocol buffers' text form, read into a message
 *
 * Forms that section files use: fields with and without ':' in front of '{', '<' for '{', lists in '[ ]', ',' and ';'
 * between fields, comments, texts in pieces and both kinds of quotes, choices by word or number, 0 and 1 for bool.
 * Newer files write a part that older ones have as a plain text (Description): both are taken.
 *
 * Depth is bounded; each character is looked at a bounded number of times.
 *
 * spec: NCU "Section Files"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sections/message.h"
#include "common/harmless.h"

#define DEPTH 64
#define SHOWN 60                                  /* bytes of a word in a message */

struct parser {
	struct gt_arena *arena;
	const char *path;
	const char *at, *end, *line_start;
	uint32_t line;
	/* the word before `at`, and where it stands */
	const char *word; size_t bytes;
	uint32_t word_line, word_column;
	bool strict;
	unsigned depth;
	const struct gt_text_notes *notes;
	struct gt_err *err;
};

static uint32_t column(const struct parser *p, const char *at) { return (uint32_t)(at - p->line_start) + 1; }

static int wrong(struct parser *p, uint32_t line, uint32_t col, const char *what, ...)
	__attribute__((format(printf, 4, 5)));
static int wrong(struct parser *p, uint32_t line, uint32_t col, const char *what, ...)
{
	char text[600];
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof text, what, args);
	va_end(args);
	return gt_fail(p->err, GT_EXIT_INPUT, NULL, NULL, "%s:%u:%u: %s", p->path, line, col, gt_harmless(text));
}

static int no_memory(struct parser *p)
{
	return gt_fail(p->err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be read", p->path);
}

static int shown(const struct parser *p) { return p->bytes > SHOWN ? SHOWN : (int)p->bytes; }

/* ------------------------------------------------------------------ words */

static void skip_blanks(struct parser *p)
{
	for (; p->at < p->end; p->at++) {
		if (*p->at == '#') {
			while (p->at < p->end && *p->at != '\n')
				p->at++;
			if (p->at == p->end)
				return;
		}
		if (*p->at == '\n') {
			p->line++;
			p->line_start = p->at + 1;
		} else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
			return;
		}
	}
}

static char peek(struct parser *p)
{
	skip_blanks(p);
	return p->at < p->end ? *p->at : 0;
}

static bool take(struct parser *p, char c)
{
	if (peek(p) != c || p->at == p->end)
		return false;
	p->at++;
	return true;
}

/* Letters, digits and what numbers have; empty when something else stands there. */
static void take_word(struct parser *p)
{
	skip_blanks(p);
	p->word = p->at;
	p->word_line = p->line;
	p->word_column = column(p, p->at);
	while (p->at < p->end && (isalnum((unsigned char)*p->at) || (*p->at && strchr("_.+-", *p->at))))
		p->at++;
	p->bytes = (size_t)(p->at - p->word);
}

static bool word_is(const struct parser *p, const char *s)
{
	return strlen(s) == p->bytes && !memcmp(s, p->word, p->bytes);
}

/* ------------------------------------------------------------------ texts */

static int digit(char c, int base)
{
	int v = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;

	return v < base ? v : -1;
}

/* A number of up to `most` digits; at least one. */
static bool escaped_number(struct parser *p, int base, int most, char *out)
{
	int v = 0, n = 0;

	for (; n < most && p->at < p->end && digit(*p->at, base) >= 0; n++)
		v = v * base + digit(*p->at++, base);
	*out = (char)v;
	return n && v < 256;
}

static int escape(struct parser *p, struct gt_text *t)
{
	static const char letters[] = "abfnrtv\\'\"?", meaning[] = "\a\b\f\n\r\t\v\\'\"?";
	uint32_t col = column(p, p->at - 1);
	const char *known;
	char c;

	if (p->at == p->end)
		return wrong(p, p->line, col, "a text without its end");
	known = *p->at ? strchr(letters, *p->at) : NULL;
	if (known) {
		gt_text_char(t, meaning[known - letters]);
		p->at++;
		return 0;
	}
	if ((*p->at | 32) == 'x') {
		p->at++;
		if (!escaped_number(p, 16, 2, &c))
			return wrong(p, p->line, col, "\\x without a number");
	} else if (!escaped_number(p, 8, 3, &c)) {
		return wrong(p, p->line, col, "an unknown escape in a text");
	}
	gt_text_char(t, c);
	return 0;
}

static int take_piece(struct parser *p, struct gt_text *t)
{
	uint32_t col = column(p, p->at);
	char quote = *p->at++;

	for (;;) {
		if (p->at == p->end || *p->at == '\n')
			return wrong(p, p->line, col, "a text without its end");
		if (*p->at == quote)
			break;
		if (*p->at++ != '\\')
			gt_text_char(t, p->at[-1]);
		else if (escape(p, t))
			return -1;
	}
	p->at++;
	return 0;
}

/* Pieces that follow each other are one text. */
static int take_text(struct parser *p, struct gt_string *out)
{
	struct gt_text t = { 0 };
	char *copy;
	int rc = 0;

	while (!rc && (peek(p) == '"' || peek(p) == '\''))
		rc = take_piece(p, &t);
	copy = rc || t.failed ? NULL : gt_arena_copy(p->arena, t.data ? t.data : "", t.used);
	*out = (struct gt_string){ copy, t.used };
	gt_text_free(&t);
	return rc ? -1 : copy ? 0 : no_memory(p);
}

/* ------------------------------------------------------------------ values */

static int unfit(struct parser *p, const struct gt_message_field *f, const char *wanted)
{
	if (!p->bytes)
		return wrong(p, p->word_line, p->word_column, "%s wants %s", f->name, wanted);
	return wrong(p, p->word_line, p->word_column, "%s wants %s, not %.*s", f->name, wanted, shown(p), p->word);
}

/* The word as a C text; false: too long for any number. */
static bool word_text(const struct parser *p, char *out, size_t room)
{
	if (!p->bytes || p->bytes >= room)
		return false;
	memcpy(out, p->word, p->bytes);
	out[p->bytes] = 0;
	return true;
}

static bool word_integer(const struct parser *p, bool with_sign, uint64_t *out)
{
	char text[32], *end;

	if (!word_text(p, text, sizeof text) || (!with_sign && text[0] == '-') || text[0] == '+')
		return false;
	errno = 0;
	*out = with_sign ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	return !*end && end != text && !errno;
}

static int take_integer(struct parser *p, const struct gt_message_field *f, struct gt_message_value *v)
{
	bool with_sign = f->kind == GT_FIELD_I32 || f->kind == GT_FIELD_I64;

	take_word(p);
	if (!word_integer(p, with_sign, &v->integer))
		return unfit(p, f, with_sign ? "an integer" : "an integer that is not negative");
	if ((f->kind == GT_FIELD_U32 && v->integer > UINT32_MAX) ||
		(f->kind == GT_FIELD_I32 && (int64_t)v->integer != (int32_t)v->integer))
		return unfit(p, f, "a number of 32 bits");
	return 0;
}

static int take_real(struct parser *p, const struct gt_message_field *f, struct gt_message_value *v)
{
	char text[64], *end;

	take_word(p);
	if (!word_text(p, text, sizeof text))
		return unfit(p, f, "a number");
	if (text[p->bytes - 1] == 'f' && !isalpha((unsigned char)text[0]) && text[1] != 'x')
		text[p->bytes - 1] = 0;           /* 1.5f */
	v->real = strtod(text, &end);
	return *end || end == text ? unfit(p, f, "a number") : 0;
}

static int take_bool(struct parser *p, const struct gt_message_field *f, struct gt_message_value *v)
{
	static const char *const yes[] = { "true", "True", "t", "1" }, *const no[] = { "false", "False", "f", "0" };

	take_word(p);
	for (int i = 0; i < 4; i++)
		if (word_is(p, yes[i]) || word_is(p, no[i])) {
			v->integer = word_is(p, yes[i]);
			return 0;
		}
	return unfit(p, f, "true or false");
}

/* CC_<n>: a compute capability; newer tools know more of them than any list. */
static bool capability(const struct parser *p, const struct gt_choice *c, uint64_t *out)
{
	struct parser digits = *p;

	if (strcmp(c->name, "GpuArch") || p->bytes < 4 || memcmp(p->word, "CC_", 3) || p->word[3] == '0')
		return false;
	digits.word += 3;
	digits.bytes -= 3;
	return word_integer(&digits, false, out) && *out < 1000;
}

/* CollectionImportance_Required is written Required too, in the guide's own example. */
static bool word_fits(const struct parser *p, const struct gt_choice *c, const char *word)
{
	size_t n = strlen(c->name);

	return word_is(p, word) || (!strncmp(word, c->name, n) && word[n] == '_' && word_is(p, word + n + 1));
}

static int take_choice(struct parser *p, const struct gt_message_field *f, struct gt_message_value *v)
{
	take_word(p);
	for (size_t i = 0; i < f->choice->n; i++)
		if (word_fits(p, f->choice, f->choice->words[i].word)) {
			v->integer = (uint64_t)(int64_t)f->choice->words[i].value;
			return 0;
		}
	if (word_integer(p, true, &v->integer) || capability(p, f->choice, &v->integer))
		return 0;
	return wrong(p, p->word_line, p->word_column, "%s: no %s is called %.*s", f->name, f->choice->name, shown(p),
		p->word);
}

static int parse_fields(struct parser *p, struct gt_message *m, char close);

static int take_part(struct parser *p, const struct gt_message_field *f, struct gt_message_value *v)
{
	uint32_t line = p->line, col = column(p, p->at);
	struct gt_string text;
	char open = peek(p);
	int rc;

	v->part = gt_message_new(p->arena, f->part);
	if (!v->part)
		return no_memory(p);
	if ((open == '"' || open == '\'') && gt_field_find(f->part, "Text", 4))
		return take_text(p, &text) ||
			!gt_message_add_text(p->arena, v->part, "Text", text.text, text.bytes) ? -1 : 0;
	if (!take(p, '{') && !take(p, '<'))
		return wrong(p, p->line, column(p, p->at), "%s wants a message in { }", f->name);
	if (++p->depth > DEPTH)
		return wrong(p, line, col, "more than %d messages inside each other", DEPTH);
	rc = parse_fields(p, v->part, open == '{' ? '}' : '>');
	p->depth--;
	return rc;
}

static int take_value(struct parser *p, const struct gt_message_field *f, struct gt_message_value *v)
{
	switch (f->kind) {
	case GT_FIELD_TEXT: case GT_FIELD_BYTES:
		if (peek(p) != '"' && peek(p) != '\'') {
			take_word(p);
			return unfit(p, f, "a text in quotes");
		}
		return take_text(p, &v->text);
	case GT_FIELD_BOOL: return take_bool(p, f, v);
	case GT_FIELD_F32: case GT_FIELD_F64: return take_real(p, f, v);
	case GT_FIELD_CHOICE: return take_choice(p, f, v);
	case GT_FIELD_PART: return take_part(p, f, v);
	default: return take_integer(p, f, v);
	}
}

/* ------------------------------------------------------------------ unknown fields */

/* Over the value of a field that is not known: a text, a word, a list or a message. */
static int skip_value(struct parser *p)
{
	unsigned depth = 0;
	struct gt_string text;

	do {
		char c = peek(p);

		if (!c)
			return wrong(p, p->line, column(p, p->at), "the text ends inside a message");
		if (c == '"' || c == '\'') {
			if (take_text(p, &text))
				return -1;
		} else if (strchr("{<[", c)) {
			depth++;
			p->at++;
		} else if (strchr("}>]", c)) {
			if (!depth)
				return wrong(p, p->line, column(p, p->at), "a value is missing");
			depth--;
			p->at++;
		} else if (strchr(":,;", c) && depth) {
			p->at++;
		} else {
			take_word(p);
			if (!p->bytes)
				return wrong(p, p->line, column(p, p->at), "'%c' stands where a value should", c);
		}
	} while (depth);
	return 0;
}

static int unknown_field(struct parser *p, const struct gt_message_type *type)
{
	char what[300];

	if (p->strict)
		return wrong(p, p->word_line, p->word_column, "%s has no field %.*s", type->name, shown(p), p->word);
	if (p->notes) {
		snprintf(what, sizeof what, "%s has no field %.*s: it is left out", type->name, shown(p), p->word);
		p->notes->note(p->notes->ctx, p->path, p->word_line, p->word_column, gt_harmless(what));
	}
	take(p, ':');
	return skip_value(p);
}

/* ------------------------------------------------------------------ messages */

static int add_value(
	struct parser *p, struct gt_message *m, const struct gt_message_field *f, uint32_t line, uint32_t col)
{
	struct gt_message_value *v;

	if (f->count != GT_FIELD_MANY && gt_message_next(m, f->name, NULL))
		return wrong(p, line, col, "%s stands twice in %s", f->name, m->type->name);
	v = gt_message_add(p->arena, m, f->name);
	if (!v)
		return no_memory(p);
	v->line = line;
	v->column = col;
	return take_value(p, f, v);
}

static int add_list(
	struct parser *p, struct gt_message *m, const struct gt_message_field *f, uint32_t line, uint32_t col)
{
	if (take(p, ']'))
		return 0;
	do {
		if (add_value(p, m, f, line, col))
			return -1;
	} while (take(p, ','));
	return take(p, ']') ? 0 : wrong(p, p->line, column(p, p->at), "a list of %s without its ]", f->name);
}

static int parse_field(struct parser *p, struct gt_message *m)
{
	const struct gt_message_field *f;
	uint32_t line, col;

	take_word(p);
	if (!p->bytes)
		return wrong(p, p->word_line, p->word_column, "'%c' stands where the name of a field should", *p->at);
	line = p->word_line;
	col = p->word_column;
	f = gt_field_find(m->type, p->word, p->bytes);
	if (!f)
		return unknown_field(p, m->type);
	if (!take(p, ':') && f->kind != GT_FIELD_PART)
		return wrong(p, p->line, column(p, p->at), "a ':' is missing after %s", f->name);
	if (f->count == GT_FIELD_MANY && take(p, '['))
		return add_list(p, m, f, line, col);
	return add_value(p, m, f, line, col);
}

static int check_required(struct parser *p, const struct gt_message *m, uint32_t line, uint32_t col)
{
	for (size_t i = 0; i < m->type->n; i++)
		if (m->type->fields[i].count == GT_FIELD_REQUIRED && !gt_message_next(m, m->type->fields[i].name, NULL))
			return wrong(p, line, col, "%s lacks %s", m->type->name, m->type->fields[i].name);
	return 0;
}

/* close: '}' or '>'; 0: the end of the text. */
static int parse_fields(struct parser *p, struct gt_message *m, char close)
{
	uint32_t line = p->line, col = column(p, p->at);
	char c;

	while ((c = peek(p)) && (!close || c != close)) {
		if (parse_field(p, m))
			return -1;
		if (!take(p, ','))
			take(p, ';');
	}
	if (p->at < p->end && !close)
		return wrong(p, p->line, column(p, p->at), "a character 0 in the text");
	if (close && !take(p, close))
		return wrong(p, line, col, "%s without its '%c'", m->type->name, close);
	return check_required(p, m, line, col);
}

int gt_message_parse(struct gt_arena *a, const struct gt_message_type *type, const char *path, const char *text,
	size_t bytes, bool strict, const struct gt_text_notes *notes, struct gt_message **out, struct gt_err *err)
{
	struct parser p = { .arena = a, .path = path, .at = text, .end = text + bytes, .line_start = text, .line = 1,
		.strict = strict, .notes = notes, .err = err };

	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		p.line_start = p.at += 3;
	*out = gt_message_new(a, type);
	return *out ? parse_fields(&p, *out, 0) : no_memory(&p);
}
