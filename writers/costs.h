/*
 * writers/costs.h - what the device and the API cost, by calling context
 *
 * Runs in the tool. costs.c follows the timeline and books what each item cost where it was called; contexts.c has the
 * contexts. A context is a path: thread, pushed NVTX ranges, functions of the program (with call stacks), API call,
 * device work. Formats of profiles (callgrind, folded) differ in how they write it.
 *
 * CONTEXT1  What is kept grows with distinct contexts (who called whom, from where), not with calls. Beside them stand
 *           the calls that are open and those whose device work has not come yet. Where every range has a name of
 *           its own there are as many contexts as ranges: they are in pages that can leave memory, and whoever walks
 *           over them says so (PAGED1).
 * CONTEXT2  A context stands behind the one that it was called from: a walk from the last to the first meets callees
 *           before their callers.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_COSTS_H
#define GPUTAP_WRITERS_COSTS_H

#include "common/map.h"
#include "common/memory.h"
#include "model/arena.h"
#include "model/bulk.h"
#include "model/timeline.h"
#include "writers/output.h"

#define GT_COST_NONE UINT32_MAX

/* X(id, name, long name): the events, in the order of a callgrind file's cost line. */
#define GT_COST_EVENTS(X) \
	X(GPU,   "Gpu",   "Device time (ns)") \
	X(BYTES, "Bytes", "Bytes copied and filled") \
	X(API,   "Api",   "Host time in API calls, without waiting (ns)") \
	X(WAIT,  "Wait",  "Host time waiting for a device (ns)") \
	X(CALLS, "Calls", "API calls")
enum {
#define X(id, name, text) GT_COST_##id,
	GT_COST_EVENTS(X)
#undef X
	GT_COST_EVENT_COUNT
};
struct gt_cost { uint64_t v[GT_COST_EVENT_COUNT]; };

/* Texts by number. A function is one of its object and file: two devices have two of the same name. */
struct gt_cost_function { uint32_t object, file, name; };
/* Where the caller stood. 0: not known. */
struct gt_cost_site { uint32_t line; uint64_t address; };
struct gt_cost_context {
	uint32_t parent;                  /* GT_COST_NONE: a thread, or what no call set going */
	uint32_t function, part;
	struct gt_cost_site site;         /* in the parent's function */
	uint64_t entered;                 /* how often */
	struct gt_cost self;
};
/* What is told apart by process and thread. */
struct gt_cost_part { int pid, tid; uint32_t process; }; /* -1, GT_COST_NONE: of several */

struct gt_cost_contexts {
	struct gt_arena arena;
	struct gt_bulk texts;             /* struct gt_string */
	struct gt_bulk functions;         /* struct gt_cost_function */
	struct gt_bulk contexts;          /* struct gt_cost_context */
	struct gt_bulk_budget budget;
	GT_LIST(struct gt_cost_part) parts;
	struct gt_map text_of, function_of, context_of; /* numbers in the arrays */
	struct gt_text scratch;
};

static inline struct gt_string gt_cost_text_at(const struct gt_cost_contexts *c, uint32_t i)
{
	return ((const struct gt_string *)c->texts.data)[i];
}
static inline const struct gt_cost_function *gt_cost_function_at(const struct gt_cost_contexts *c, uint32_t i)
{
	return (const struct gt_cost_function *)c->functions.data + i;
}
static inline struct gt_cost_context *gt_cost_context_at(const struct gt_cost_contexts *c, uint32_t i)
{
	return (struct gt_cost_context *)c->contexts.data + i;
}

/* contexts.c: all GT_COST_NONE without memory, and nothing more may be asked then. */
uint32_t gt_cost_text(struct gt_cost_contexts *c, const char *text, size_t bytes);
uint32_t gt_cost_function(struct gt_cost_contexts *c, struct gt_cost_function function);
uint32_t gt_cost_context(
	struct gt_cost_contexts *c, uint32_t part, uint32_t parent, struct gt_cost_site site, uint32_t function);
uint32_t gt_cost_part(struct gt_cost_contexts *c, struct gt_cost_part part);
static inline void gt_cost_add(struct gt_cost *to, const struct gt_cost *from)
{
	for (int i = 0; i < GT_COST_EVENT_COUNT; i++)
		to->v[i] += from->v[i];
}

/* costs.c */
struct gt_cost_options {
	enum { GT_COST_PARTS_PROCESS, GT_COST_PARTS_THREAD, GT_COST_PARTS_ONE } parts;
	bool instr;                       /* call sites by address too */
};
struct gt_costs {
	struct gt_cost_contexts contexts;
	uint64_t untimed;                 /* device work without times */
	uint64_t unfinished;              /* calls that never returned */
};
/* Reads the export's whole window. 0, or -1 with *err; gt_costs_free either way. */
int gt_costs_read(struct gt_costs *c, const struct gt_export *x, struct gt_cost_options how, struct gt_err *err);
void gt_costs_free(struct gt_costs *c);

#endif
