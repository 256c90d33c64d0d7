/*
 * analysis/callgrind/parse.c - the lines of a profile
 *
 * spec: Callgrind Profile Format, Version 1; and what valgrind writes beyond it: jumps, cfi=, several parts of one file
 * whose names are numbered on, Cachegrind's summary: at the end.
 *
 * A line is one of a table's keys with its value, or a cost line. Positions are told as differences to those of the
 * last cost line; where a call or jump leads to is one too and changes nothing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/callgrind/profile.h"
#include "common/hash.h"

#define LONGEST_LINE (16u << 20)

enum table { OBJECTS, FILES, FUNCTIONS, TABLES };
enum { INSTR, LINE, POSITIONS };
struct names { uint64_t id; uint32_t table, text, part; };
struct place { uint32_t object, file, function; }; /* texts; GT_PROFILE_NONE: not said */

struct parser {
	struct gt_profile *p;
	const char *path;
	uint32_t line;
	const char *at, *end;             /* of the line: what is not read yet */
	struct gt_map names;              /* struct names: (ID) */
	bool body;                        /* the present part has costs */
	bool versioned, headed;           /* a version: line, any header line, of this part */
	struct gt_profile_part *part;
	uint32_t n_events, event[GT_PROFILE_EVENTS]; /* of the present part */
	bool has[POSITIONS];
	uint64_t last[POSITIONS];         /* of the last cost line */
	struct place here, called, jumped;
	uint32_t function_file;           /* what fl= said: fi= and fe= hold to the function's end */
	enum { COSTS, CALL, JUMP } next;  /* what the next cost line is */
	uint32_t due;                     /* line of the calls= or jump= that it belongs to */
	gt_profile_sum count;
	struct gt_err *err;
};

__attribute__((format(printf, 2, 3))) static int fail(struct parser *s, const char *what, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, what);
	vsnprintf(text, sizeof text, what, ap);
	va_end(ap);
	return gt_fail(s->err, GT_EXIT_INPUT, NULL, NULL, "%s:%u: %s", s->path, s->line, text);
}

static int no_memory(struct parser *s) { return fail(s, "out of memory"); }

/* ---- pieces of a line ---- */

static void skip(struct parser *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

static bool at_end(struct parser *s)
{
	skip(s);
	return s->at == s->end;
}

/* Of what is left, for messages. */
#define REST(s) (s)->end - (s)->at > 40 ? 40 : (int)((s)->end - (s)->at), (s)->at

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* A number that ends where a word ends. */
static int take_number(struct parser *s, uint64_t *value, const char *what)
{
	bool large;
	const char *at;

	skip(s);
	at = s->at;
	if (!gt_profile_take_number(&s->at, s->end, value, &large))
		return large ? fail(s, "%s does not fit in 64 bits: %.*s", what, REST(s))
			     : fail(s, "%s is not a number: '%.*s'", what, REST(s));
	if (s->at < s->end && !is_blank(*s->at)) {
		s->at = at;
		return fail(s, "%s is not a number: '%.*s'", what, REST(s));
	}
	return 0;
}

static int take_nothing(struct parser *s)
{
	return at_end(s) ? 0 : fail(s, "what follows is not understood: '%.*s'", REST(s));
}

static struct gt_string rest_of(struct parser *s)
{
	struct gt_string rest;

	skip(s);
	rest = (struct gt_string){ s->at, (size_t)(s->end - s->at) };
	while (rest.bytes && is_blank(rest.text[rest.bytes - 1]))
		rest.bytes--;
	s->at = s->end;
	return rest;
}

/* ---- parts ---- */

static int begin_part(struct parser *s)
{
	s->part = GT_LIST_ADD(&s->p->parts);
	if (!s->part)
		return no_memory(s);
	s->body = s->versioned = s->headed = false;
	s->n_events = 0;
	s->has[INSTR] = false;
	s->has[LINE] = true;
	s->last[INSTR] = s->last[LINE] = 0;
	s->here = s->called = s->jumped = (struct place){ GT_PROFILE_NONE, GT_PROFILE_NONE, GT_PROFILE_NONE };
	s->function_file = GT_PROFILE_NONE;
	return 0;
}

/* These begin a new part behind costs. */
static int part_header(struct parser *s) { return s->body ? begin_part(s) : 0; }

static int part_number(struct parser *s, uint64_t *value, bool *has, const char *what)
{
	if (take_number(s, value, what) || take_nothing(s))
		return -1;
	*has = true;
	return 0;
}

/* ---- header lines ---- */

static int on_version(struct parser *s)
{
	uint64_t version;

	if (part_header(s))
		return -1;
	if (s->headed)
		return fail(s, "version: is not the first line of the header");
	if (take_number(s, &version, "the version") || take_nothing(s))
		return -1;
	if (version != 1)
		return fail(s, "version %llu of the format is not known, only 1", (unsigned long long)version);
	return 0;
}

static int text_of(struct parser *s, struct gt_string text, uint32_t *number)
{
	*number = gt_profile_add_text(s->p, text.text, text.bytes);
	return *number == GT_PROFILE_NONE ? no_memory(s) : 0;
}

static int on_creator(struct parser *s) { return part_header(s) ? -1 : text_of(s, rest_of(s), &s->p->creator); }
static int on_command(struct parser *s)
{
	return part_header(s) ? -1 : text_of(s, rest_of(s), &s->part->command);
}

static int on_pid(struct parser *s)
{
	if (part_header(s))
		return -1;
	return part_number(s, &s->part->pid, &s->part->has_pid, "the process");
}

static int on_thread(struct parser *s)
{
	if (part_header(s))
		return -1;
	return part_number(s, &s->part->thread, &s->part->has_thread, "the thread");
}

static int on_part(struct parser *s)
{
	if (part_header(s))
		return -1;
	return part_number(s, &s->part->part, &s->part->has_part, "the part");
}

static int on_arch(struct parser *s)
{
	if (part_header(s))
		return -1;
	rest_of(s);
	return 0;
}

/* Types that nobody here knows are left out. spec: "desc:" Space* Name Space* ":" */
static int on_description(struct parser *s)
{
	struct gt_string type, value;
	const char *colon;

	if (part_header(s))
		return -1;
	skip(s);
	colon = memchr(s->at, ':', (size_t)(s->end - s->at));
	if (!colon || colon == s->at)
		return fail(s, "desc: wants a type, a colon and a text");
	type = (struct gt_string){ s->at, (size_t)(colon - s->at) };
	while (is_blank(type.text[type.bytes - 1]))
		type.bytes--;
	s->at = colon + 1;
	value = rest_of(s);
	if (type.bytes == 7 && !memcmp(type.text, "Trigger", 7))
		return text_of(s, value, &s->part->trigger);
	if (type.bytes == 9 && !memcmp(type.text, "Timerange", 9))
		return text_of(s, value, &s->part->range);
	return 0;
}

/* The event of that name, made when it is not there. */
static int event_of(struct parser *s, struct gt_string name, uint32_t *number)
{
	struct gt_profile_event *e;
	uint32_t text;

	*number = gt_profile_find_event(s->p, name);
	if (*number != GT_PROFILE_NONE)
		return 0;
	if (s->p->events.n == GT_PROFILE_EVENTS)
		return fail(s, "more than %d events", GT_PROFILE_EVENTS);
	if (text_of(s, name, &text))
		return -1;
	e = GT_LIST_ADD(&s->p->events);
	if (!e)
		return no_memory(s);
	e->name = e->long_name = text;
	*number = s->p->events.n - 1;
	return 0;
}

static int check_expression(struct parser *s, struct gt_string rest)
{
	struct gt_profile_term term;
	const char *why;
	int more;

	if (!rest.bytes)
		return fail(s, "the expression is empty");
	while ((more = gt_profile_next_term(&rest, &term, &why)) == 1)
		;
	return more ? fail(s, "%s", why) : 0;
}

/* "event: Sum = Ir + 2 Dr : Long Name" */
static int on_event(struct parser *s)
{
	struct gt_string name, expression = { NULL, 0 };
	struct gt_profile_event *e;
	uint32_t number;

	if (part_header(s))
		return -1;
	skip(s);
	if (!gt_profile_take_name(&s->at, s->end, &name))
		return fail(s, "event: wants the name of an event: '%.*s'", REST(s));
	if (event_of(s, name, &number))
		return -1;
	e = &s->p->events.v[number];
	e->line = s->line;
	skip(s);
	if (s->at < s->end && *s->at == '=') {
		const char *begin = ++s->at, *colon = memchr(begin, ':', (size_t)(s->end - begin));
		const char *end = colon ? colon : s->end;

		while (begin < end && is_blank(*begin))
			begin++;
		while (end > begin && is_blank(end[-1]))
			end--;
		expression = (struct gt_string){ begin, (size_t)(end - begin) };
		if (check_expression(s, expression))
			return -1;
		s->at = colon ? colon : s->end;
		e->expression.text = gt_arena_copy(&s->p->arena, expression.text, expression.bytes);
		e->expression.bytes = expression.bytes;
		if (!e->expression.text)
			return no_memory(s);
	}
	if (at_end(s))
		return 0;
	if (*s->at++ != ':')
		return fail(s, "an event's name is followed by '=' or ':'");
	return at_end(s) ? 0 : text_of(s, rest_of(s), &e->long_name);
}

static int on_events(struct parser *s)
{
	bool seen[GT_PROFILE_EVENTS] = { false };
	struct gt_string name;
	uint32_t number;

	if (part_header(s))
		return -1;
	if (s->n_events)
		return fail(s, "a second events: line in one part");
	for (skip(s); s->at < s->end; skip(s)) {
		if (!gt_profile_take_name(&s->at, s->end, &name) || (s->at < s->end && !is_blank(*s->at)))
			return fail(s, "not the name of an event: '%.*s'", REST(s));
		if (event_of(s, name, &number))
			return -1;
		if (seen[number])
			return fail(s, "event '%.*s' is named twice", name.bytes > 60 ? 60 : (int)name.bytes,
				name.text);
		seen[number] = true;
		if (!s->p->events.v[number].counted)
			s->p->order[s->p->n_order++] = number;
		s->p->events.v[number].counted = true;
		s->event[s->n_events++] = number;
	}
	return s->n_events ? 0 : fail(s, "events: names none");
}

/* Of addresses alone, of lines alone, or of both in this order. */
static int on_positions(struct parser *s)
{
	static const char *const words[POSITIONS] = { [INSTR] = "instr", [LINE] = "line" };

	if (part_header(s))
		return -1;
	s->has[INSTR] = s->has[LINE] = false;
	for (int i = 0; i < POSITIONS; i++) {
		size_t bytes = strlen(words[i]);

		skip(s);
		if ((size_t)(s->end - s->at) < bytes || memcmp(s->at, words[i], bytes) ||
			(s->at + bytes < s->end && !is_blank(s->at[bytes])))
			continue;
		s->at += bytes;
		s->has[i] = true;
	}
	if (!at_end(s))
		return fail(s, "positions are 'instr', 'line', or both in this order: '%.*s'", REST(s));
	return s->has[INSTR] || s->has[LINE] ? 0 : fail(s, "positions: names none");
}

/* The counts of one line, by the part's events. */
struct counts { uint64_t v[GT_PROFILE_EVENTS]; uint32_t n; };

static int take_counts(struct parser *s, struct counts *c)
{
	for (c->n = 0; !at_end(s); c->n++) {
		if (c->n == s->n_events)
			return fail(s, "more counts than events (%u)", s->n_events);
		if (take_number(s, &c->v[c->n], "a count"))
			return -1;
	}
	return 0;
}

static int add_counts(struct parser *s, struct gt_profile_cost *to, const struct counts *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->v[i] && !gt_profile_add(s->p, to, s->event[i], c->v[i]))
			return no_memory(s);
	return 0;
}

/* In the header, or behind the costs: Cachegrind's, and valgrind's totals:. The first that says something holds. */
static int on_summary(struct parser *s)
{
	struct counts said;

	if (!s->n_events)
		return fail(s, "there is no events: line before it");
	if (at_end(s))
		return fail(s, "no counts");
	if (take_counts(s, &said))
		return -1;
	if (!s->part->said.n && add_counts(s, &s->part->said, &said))
		return -1;
	s->part->has_said = true;
	return 0;
}

/* ---- names ---- */

static bool same_name(const void *element, const void *key, const void *ctx)
{
	const struct names *a = element, *b = key;

	(void)ctx;
	return a->id == b->id && a->table == b->table;
}

static int define(struct parser *s, const struct names *key)
{
	uint64_t hash = gt_hash(gt_hash(GT_HASH, key->id), key->table);
	bool fresh;
	struct names *n = gt_map_add(&s->names, sizeof *n, hash, key, same_name, NULL, &fresh);

	if (!n)
		return no_memory(s);
	if (!fresh && n->text != key->text && n->part == key->part)
		return fail(s, "(%llu) has another name already", (unsigned long long)key->id);
	*n = *key;
	return 0;
}

/* "NAME", "(ID) NAME", or "(ID)" of a name that was told. */
static int take_name(struct parser *s, enum table table, uint32_t *text)
{
	struct names key = { .table = table, .part = s->p->parts.n }, *known;
	struct gt_string rest;
	bool large;

	skip(s);
	if (s->end - s->at < 2 || *s->at != '(' || s->at[1] < '0' || s->at[1] > '9')
		return text_of(s, rest_of(s), text);
	s->at++;
	if (!gt_profile_take_number(&s->at, s->end, &key.id, &large) || s->at == s->end || *s->at != ')')
		return fail(s, "the number of a name is not closed: '(%.*s'", REST(s));
	s->at++;
	rest = rest_of(s);
	if (rest.bytes) {
		if (text_of(s, rest, &key.text))
			return -1;
		*text = key.text;
		return define(s, &key);
	}
	known = gt_map_find(
		&s->names, sizeof *known, gt_hash(gt_hash(GT_HASH, key.id), key.table), &key, same_name, NULL);
	if (!known)
		return fail(s, "(%llu) has no name yet", (unsigned long long)key.id);
	*text = known->text;
	return 0;
}

static int on_ob(struct parser *s)
{
	s->here.function = GT_PROFILE_NONE;
	return take_name(s, OBJECTS, &s->here.object);
}

static int on_fl(struct parser *s)
{
	if (take_name(s, FILES, &s->here.file))
		return -1;
	s->function_file = s->here.file;
	return 0;
}

static int on_fi(struct parser *s) { return take_name(s, FILES, &s->here.file); }

static uint32_t known(uint32_t text, uint32_t otherwise)
{
	return text != GT_PROFILE_NONE ? text : otherwise != GT_PROFILE_NONE ? otherwise : 0;
}

static int on_fn(struct parser *s)
{
	uint32_t name;

	if (take_name(s, FUNCTIONS, &name))
		return -1;
	s->here.file = s->function_file;
	s->here.function = gt_profile_add_function(s->p, known(s->here.object, 0), known(s->here.file, 0), name);
	return s->here.function == GT_PROFILE_NONE ? no_memory(s) : 0;
}

static int on_cob(struct parser *s) { return take_name(s, OBJECTS, &s->called.object); }
static int on_cfl(struct parser *s) { return take_name(s, FILES, &s->called.file); }
static int on_cfn(struct parser *s) { return take_name(s, FUNCTIONS, &s->called.function); }
static int on_jfi(struct parser *s) { return take_name(s, FILES, &s->jumped.file); }
static int on_jfn(struct parser *s) { return take_name(s, FUNCTIONS, &s->jumped.function); }

/* ---- cost lines ---- */

static int take_position(struct parser *s, int which, uint64_t *value)
{
	uint64_t last = s->last[which], by;
	char how;

	skip(s);
	how = s->at < s->end ? *s->at : 0;
	if (how == '*') {
		s->at++;
		*value = last;
		return s->at == s->end || is_blank(*s->at) ? 0 : fail(s, "a position is not '*' alone");
	}
	if (how != '+' && how != '-')
		return take_number(s, value, which == LINE ? "a line" : "an address");
	s->at++;
	if (s->at < s->end && is_blank(*s->at))
		return fail(s, "a difference has no number");
	if (take_number(s, &by, "a difference"))
		return -1;
	if (how == '+' ? __builtin_add_overflow(last, by, value) : __builtin_sub_overflow(last, by, value))
		return fail(s, "a position that is %s", how == '+' ? "too large" : "below 0");
	return 0;
}

static int take_positions(struct parser *s, uint64_t value[POSITIONS])
{
	value[INSTR] = value[LINE] = 0;
	for (int i = 0; i < POSITIONS; i++)
		if (s->has[i] && take_position(s, i, &value[i]))
			return -1;
	return 0;
}

/* The function that costs belong to; of a file that never named one it has no name. */
static int present(struct parser *s)
{
	if (s->here.function == GT_PROFILE_NONE)
		s->here.function = gt_profile_add_function(s->p, known(s->here.object, 0), known(s->here.file, 0), 0);
	return s->here.function == GT_PROFILE_NONE ? no_memory(s) : 0;
}

static int add_own(struct parser *s)
{
	struct gt_profile_piece *piece;
	struct counts c;

	if (take_counts(s, &c))
		return -1;
	piece = gt_profile_add_piece(s->p, s->here.function, known(s->here.file, 0));
	if (!piece)
		return no_memory(s);
	return add_counts(s, &piece->self, &c) ||
			add_counts(s, &s->p->functions.v[s->here.function].self, &c) ||
			add_counts(s, &s->part->sum, &c)
		? -1
		: 0;
}

/* cob=, cfl= and cfn= hold for one call: what they did not say is the caller's. */
static int add_call(struct parser *s)
{
	uint32_t callee = s->here.function;
	struct gt_profile_call *call;
	struct counts c;

	if (take_counts(s, &c))
		return -1;
	if (s->called.function != GT_PROFILE_NONE)
		callee = gt_profile_add_function(s->p, known(s->called.object, s->here.object),
			known(s->called.file, s->here.file), s->called.function);
	s->called = (struct place){ GT_PROFILE_NONE, GT_PROFILE_NONE, GT_PROFILE_NONE };
	call = callee == GT_PROFILE_NONE ? NULL : gt_profile_add_call(s->p, s->here.function, callee);
	if (!call)
		return no_memory(s);
	call->count += s->count;
	s->p->functions.v[callee].called += s->count;
	if (add_counts(s, &call->cost, &c))
		return -1;
	return callee == s->here.function ? 0 : add_counts(s, &s->p->functions.v[s->here.function].calls, &c);
}

static int add_jump(struct parser *s)
{
	s->jumped = (struct place){ GT_PROFILE_NONE, GT_PROFILE_NONE, GT_PROFILE_NONE };
	s->p->jumps++;
	return take_nothing(s);
}

static int on_cost(struct parser *s)
{
	uint64_t at[POSITIONS];
	int next = s->next;

	if (!s->n_events)
		return fail(s, "costs, and there is no events: line before them");
	if (take_positions(s, at) || present(s))
		return -1;
	memcpy(s->last, at, sizeof at);
	s->body = true;
	s->next = COSTS;
	return next == COSTS ? add_own(s) : next == CALL ? add_call(s) : add_jump(s);
}

/* ---- calls and jumps: where they lead to; the next cost line says from where ---- */

/* Some tools tell more positions of a callee than of costs. */
static int take_target(struct parser *s, bool more)
{
	uint64_t at[POSITIONS], ignored;

	if (take_positions(s, at))
		return -1;
	while (more && !at_end(s))
		if (take_number(s, &ignored, "a position"))
			return -1;
	s->due = s->line;
	return take_nothing(s);
}

static int on_calls(struct parser *s)
{
	uint64_t count;

	if (take_number(s, &count, "the number of calls"))
		return -1;
	s->count = count;
	s->next = CALL;
	return take_target(s, true);
}

static int on_jump(struct parser *s)
{
	uint64_t count;

	if (take_number(s, &count, "the number of jumps"))
		return -1;
	s->next = JUMP;
	return take_target(s, false);
}

/* "jcnd=FOLLOWED/EXECUTED TARGET" */
static int on_jcnd(struct parser *s)
{
	uint64_t followed, executed;
	bool large;

	skip(s);
	if (!gt_profile_take_number(&s->at, s->end, &followed, &large) || s->at == s->end || *s->at != '/')
		return fail(s, "a conditional jump wants two numbers parted by '/': '%.*s'", REST(s));
	s->at++;
	if (s->at < s->end && is_blank(*s->at))
		return fail(s, "a conditional jump wants two numbers parted by '/'");
	if (take_number(s, &executed, "the number of jumps"))
		return -1;
	s->next = JUMP;
	return take_target(s, false);
}

/* ---- lines ---- */

struct key { const char *name; int (*on)(struct parser *); bool body; };
static const struct key keys[] = {
	{ "fn=", on_fn, true }, { "cfn=", on_cfn, true }, { "calls=", on_calls, true }, { "fl=", on_fl, true },
	{ "fi=", on_fi, true }, { "fe=", on_fi, true }, { "cfi=", on_cfl, true }, { "cfl=", on_cfl, true },
	{ "ob=", on_ob, true }, { "cob=", on_cob, true }, { "jcnd=", on_jcnd, true }, { "jump=", on_jump, true },
	{ "jfi=", on_jfi, true }, { "jfn=", on_jfn, true },
	{ "version:", on_version, false }, { "creator:", on_creator, false }, { "pid:", on_pid, false },
	{ "thread:", on_thread, false }, { "part:", on_part, false }, { "cmd:", on_command, false },
	{ "desc:", on_description, false }, { "event:", on_event, false }, { "events:", on_events, false },
	{ "positions:", on_positions, false }, { "summary:", on_summary, false }, { "totals:", on_summary, false },
	{ "arch:", on_arch, false },
};

static const struct key *key_of(const struct parser *s)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t bytes = strlen(keys[i].name);

		if ((size_t)(s->end - s->at) >= bytes && !memcmp(s->at, keys[i].name, bytes))
			return &keys[i];
	}
	return NULL;
}

static bool is_cost(char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*'; }

/* spec: "PartData := (HeaderLine "\n")+ (BodyLine "\n")+"; valgrind's totals: stands behind them. */
static int parse_line(struct parser *s)
{
	const struct key *key;

	skip(s);
	if (s->at == s->end || *s->at == '#')
		return 0;
	if (is_cost(*s->at))
		return on_cost(s);
	key = key_of(s);
	if (!s->part->line)
		s->part->line = s->line;
	if (!key)
		return fail(s, "not a line of a profile: '%.*s'", REST(s));
	if (s->next != COSTS)
		return fail(s, "the costs of the %s in line %u are missing", s->next == CALL ? "calls=" : "jump",
			s->due);
	s->at += strlen(key->name);
	if (key->on(s))
		return -1;
	s->headed |= !key->body;
	return 0;
}

/* What is still open when the file ends. */
static int end_file(struct parser *s)
{
	if (!s->line)
		return gt_fail(s->err, GT_EXIT_INPUT, "callgrind fills it only when the program ends", NULL,
			 "%s is empty", s->path);
	if (s->next != COSTS)
		return fail(s, "the file ends before the costs of line %u", s->due);
	if (!s->p->n_order)
		return fail(s, "the file ends without an events: line");
	return gt_profile_resolve_events(s->p, s->path, s->err);
}

/* What is read of the file and not yet parsed. getline() would take memory without end for a line that has none. */
struct pending { FILE *f; char *data; size_t room, begin, end; };

/* More of the file behind what is pending. 1; 0: there is no more; -1 */
static int read_more(struct parser *s, struct pending *b)
{
	size_t n;

	if (b->end - b->begin > LONGEST_LINE)
		return fail(s, "a line of more than 16 MiB");
	if (b->begin)
		memmove(b->data, b->data + b->begin, b->end - b->begin);
	b->end -= b->begin;
	b->begin = 0;
	if (b->end == b->room) {
		size_t room = b->room ? 2 * b->room : 1 << 16;
		char *more = realloc(b->data, room);

		if (!more)
			return no_memory(s);
		b->data = more;
		b->room = room;
	}
	n = fread(b->data + b->end, 1, b->room - b->end, b->f);
	b->end += n;
	if (!n && ferror(b->f))
		return gt_fail(s->err, GT_EXIT_INPUT, strerror(errno), NULL, "%s cannot be read", s->path);
	return n != 0;
}

/* The next one is at..end, without its end. 1; 0: there is none; -1 */
static int next_line(struct parser *s, struct pending *b)
{
	char *stop = NULL;
	size_t seen = 0;
	int more = 1;

	s->line++;
	while (more > 0 && !(stop = seen < b->end - b->begin
			? memchr(b->data + b->begin + seen, '\n', b->end - b->begin - seen) : NULL)) {
		seen = b->end - b->begin;
		more = read_more(s, b);
	}
	if (more < 0)
		return -1;
	if (!stop && b->begin == b->end) {
		s->line--;
		return 0;
	}
	s->at = b->data + b->begin;
	s->end = stop ? stop : b->data + b->end;
	b->begin = stop ? (size_t)(stop + 1 - b->data) : b->end;
	s->end -= s->end > s->at && s->end[-1] == '\r';
	return 1;
}

static int parse_lines(struct parser *s, FILE *f)
{
	struct pending b = { .f = f };
	int more;

	while ((more = next_line(s, &b)) > 0)
		if (parse_line(s)) {
			more = -1;
			break;
		}
	free(b.data);
	s->at = s->end = "";
	return more ? -1 : end_file(s);
}

int gt_profile_read(const char *path, struct gt_profile **out, struct gt_err *err)
{
	struct gt_profile *p = calloc(1, sizeof *p);
	struct parser s = { .p = p, .path = path, .err = err };
	FILE *f = fopen(path, "re");
	int rc = -1;

	*out = NULL;
	if (!f)
		gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s cannot be opened", path);
	else if (!p || gt_profile_add_text(p, "", 0) || begin_part(&s))
		gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s cannot be read", path);
	else
		rc = parse_lines(&s, f);
	if (f)
		fclose(f);
	gt_map_free(&s.names, sizeof(struct names));
	if (p)
		p->lines = s.line;
	if (rc)
		gt_profile_free(p);
	else
		*out = p;
	return rc;
}

bool gt_profile_is(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t bytes = strlen(name);
	char head[65536];
	FILE *f;
	size_t n;

	if (!strncmp(name, "callgrind.out", 13) || !strncmp(name, "cachegrind.out", 14) ||
		(bytes > 10 && !strcmp(name + bytes - 10, ".callgrind")))
		return true;
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(head, 1, sizeof head - 1, f);
	fclose(f);
	head[n] = 0;
	return (n > 7 && !memcmp(head, "events:", 7)) || memmem(head, n, "\nevents:", 8);
}
