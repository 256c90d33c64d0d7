/*
 * writers/callgrind/internal.h - costs by calling context, and the file that is made of them
 *
 * Runs in the tool. callgrind.c follows the timeline and books what each item cost where it was called; contexts.c has
 * the contexts; file.c writes them.
 *
 * CONTEXT1  What is kept grows with distinct contexts (who called whom, from where), not with calls. Beside them stand
 *           the calls that are open and those whose device work has not come yet.
 * CONTEXT2  A context stands behind the one that it was called from: a walk from the last to the first meets callees
 *           before their callers.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_CALLGRIND_INTERNAL_H
#define GPUTAP_WRITERS_CALLGRIND_INTERNAL_H

#include "common/map.h"
#include "common/memory.h"
#include "model/arena.h"
#include "model/timeline.h"
#include "writers/output.h"

#define CG_NONE UINT32_MAX

/* X(id, name, long name): the events, in the order of a cost line. */
#define CG_EVENTS(X) \
	X(GPU,   "Gpu",   "Device time (ns)") \
	X(BYTES, "Bytes", "Bytes copied and filled") \
	X(API,   "Api",   "Host time in API calls, without waiting (ns)") \
	X(WAIT,  "Wait",  "Host time waiting for a device (ns)") \
	X(CALLS, "Calls", "API calls")
enum {
#define X(id, name, text) CG_##id,
	CG_EVENTS(X)
#undef X
	CG_EVENT_COUNT
};
struct cg_cost { uint64_t v[CG_EVENT_COUNT]; };

/* Texts by number. A function is one of its object and file: two devices have two of the same name. */
struct cg_function { uint32_t object, file, name; };
/* Where the caller stood. 0: not known. */
struct cg_site { uint32_t line; uint64_t address; };
struct cg_context {
	uint32_t parent;                  /* CG_NONE: a thread, or what no call set going */
	uint32_t function, part;
	struct cg_site site;              /* in the parent's function */
	uint64_t entered;                 /* how often */
	struct cg_cost self;
};
/* What the file tells apart by pid: and thread:. */
struct cg_part { int pid, tid; uint32_t process; }; /* -1, CG_NONE: of several */

struct cg_contexts {
	struct gt_arena arena;
	GT_LIST(struct gt_string) texts;
	GT_LIST(struct cg_function) functions;
	GT_LIST(struct cg_context) contexts;
	GT_LIST(struct cg_part) parts;
	struct gt_map text_of, function_of, context_of; /* numbers in the lists */
	struct gt_text scratch;
};

/* contexts.c: all CG_NONE without memory, and nothing more may be asked then. */
uint32_t cg_text(struct cg_contexts *c, const char *text, size_t bytes);
uint32_t cg_function(struct cg_contexts *c, struct cg_function function);
uint32_t cg_context(struct cg_contexts *c, uint32_t part, uint32_t parent, struct cg_site site, uint32_t function);
uint32_t cg_part(struct cg_contexts *c, struct cg_part part);
void cg_contexts_free(struct cg_contexts *c);
static inline void cg_add(struct cg_cost *to, const struct cg_cost *from)
{
	for (int i = 0; i < CG_EVENT_COUNT; i++)
		to->v[i] += from->v[i];
}

/* file.c: what stands in the header beside the contexts. */
struct cg_head {
	const struct gt_export *x;
	uint64_t untimed;                 /* device work without times */
	uint64_t unfinished;              /* calls that never returned */
	bool instr;                       /* positions: instr line */
};
/* 0, or -1: out of memory. */
int cg_write(struct gt_output *out, const struct cg_contexts *c, const struct cg_head *head);

#endif
