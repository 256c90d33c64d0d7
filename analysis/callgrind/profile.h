/*
 * analysis/callgrind/profile.h - a profile in callgrind's format, read
 *
 * Runs in the tool. Files are written by many tools and may be hostile: what is kept is bounded by what the file spells
 * out, nothing is taken as an index, and what is not in the format is refused with its line.
 *
 * PROFILE1  Sums are 128 bits wide: no count of 64 bits that a file may hold makes them overflow.
 * PROFILE2  A function is one of its object, file and name. What fi= and fe= put into another file is still its cost,
 *           and known by file as a piece of it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_CALLGRIND_PROFILE_H
#define GPUTAP_ANALYSIS_CALLGRIND_PROFILE_H

#include "common/error.h"
#include "common/map.h"
#include "common/memory.h"
#include "common/text.h"
#include "model/arena.h"

enum { GT_PROFILE_EVENTS = 64 };      /* at most, over all parts */
#define GT_PROFILE_NONE UINT32_MAX

typedef unsigned __int128 gt_profile_sum; /* PROFILE1 */

/* By event; those from n on are 0. */
struct gt_profile_cost { gt_profile_sum *v; uint32_t n; };

struct gt_profile_event {
	uint32_t name, long_name;         /* texts; long_name: the name when there is none */
	uint32_t line;                    /* of its event: line; 0 */
	bool counted;                     /* stands in an events: line */
	struct gt_string expression;      /* computed: of others; NULL text none */
};
struct gt_profile_function {
	uint32_t object, file, name;
	gt_profile_sum called;            /* by others and itself */
	struct gt_profile_cost self;      /* of all its pieces */
	struct gt_profile_cost calls;     /* of its calls, but for those of itself */
};
struct gt_profile_piece { uint32_t function, file; struct gt_profile_cost self; };
struct gt_profile_call { uint32_t caller, callee; gt_profile_sum count; struct gt_profile_cost cost; };

struct gt_profile_part {
	uint32_t line;                    /* where it begins */
	uint64_t pid, thread, part;
	bool has_pid, has_thread, has_part;
	uint32_t command, trigger, range; /* texts; 0 none */
	struct gt_profile_cost sum;       /* of its cost lines */
	struct gt_profile_cost said; bool has_said; /* summary: or totals: */
};

struct gt_profile {
	struct gt_arena arena;
	GT_LIST(struct gt_string) texts;  /* 0: "" */
	GT_LIST(struct gt_profile_event) events;
	GT_LIST(struct gt_profile_function) functions;
	GT_LIST(struct gt_profile_piece) pieces;
	GT_LIST(struct gt_profile_call) calls;
	GT_LIST(struct gt_profile_part) parts;
	struct gt_map text_of, function_of, piece_of, call_of; /* numbers in the lists */
	uint32_t order[GT_PROFILE_EVENTS], n_order; /* counted events, as the events: lines have them */
	uint32_t creator;                 /* text; 0 none */
	uint64_t lines, jumps;
	uint64_t factor[GT_PROFILE_EVENTS][GT_PROFILE_EVENTS]; /* of a counted event in another one */
};

/* Reads a whole file. 0, or -1 with *err: what, and in which line. */
int gt_profile_read(const char *path, struct gt_profile **out, struct gt_err *err);
void gt_profile_free(struct gt_profile *p);
/* Does a file look like a profile: does a line near its beginning begin with "events:", or does its name say so? */
bool gt_profile_is(const char *path);

static inline struct gt_string gt_profile_text(const struct gt_profile *p, uint32_t text) { return p->texts.v[text]; }
static inline gt_profile_sum gt_profile_at(const struct gt_profile_cost *c, uint32_t event)
{
	return event < c->n ? c->v[event] : 0;
}
/* An event of a cost, computed ones too. */
gt_profile_sum gt_profile_value(const struct gt_profile *p, const struct gt_profile_cost *c, uint32_t event);
/* The whole profile: what summary: or totals: say where they are, else what the cost lines add up to. */
gt_profile_sum gt_profile_total(const struct gt_profile *p, uint32_t event);

/* store.c, for the parser. GT_PROFILE_NONE, false: out of memory, and nothing more may be asked then. */
uint32_t gt_profile_add_text(struct gt_profile *p, const char *text, size_t bytes);
uint32_t gt_profile_add_function(struct gt_profile *p, uint32_t object, uint32_t file, uint32_t name);
struct gt_profile_piece *gt_profile_add_piece(struct gt_profile *p, uint32_t function, uint32_t file);
struct gt_profile_call *gt_profile_add_call(struct gt_profile *p, uint32_t caller, uint32_t callee);
bool gt_profile_add(struct gt_profile *p, struct gt_profile_cost *to, uint32_t event, gt_profile_sum value);

/* expression.c: the sum of terms NAME, NUMBER NAME, NUMBER * NAME. */
struct gt_profile_term { uint64_t factor; struct gt_string name; };
/* The next term. 1, 0 at the end, -1: not an expression, *why says what. */
int gt_profile_next_term(struct gt_string *rest, struct gt_profile_term *term, const char **why);
/*
 * When all events are known: of what each is computed. Every name of every expression is an event, and none leads to
 * itself; one that is counted too is what was counted. 0, or -1 with *err.
 */
int gt_profile_resolve_events(struct gt_profile *p, const char *path, struct gt_err *err);
uint32_t gt_profile_find_event(const struct gt_profile *p, struct gt_string name);

/* Numbers and names of the format. False: there is none at *at. Too large: false, and *large. */
bool gt_profile_take_number(const char **at, const char *end, uint64_t *value, bool *large);
bool gt_profile_take_name(const char **at, const char *end, struct gt_string *name);

#endif
