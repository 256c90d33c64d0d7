/*
 * analysis/callgrind/store.c - the lists of a profile, each element once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/callgrind/profile.h"
#include "common/hash.h"

static bool same_text(const void *element, const void *key, const void *ctx)
{
	const struct gt_string *a = &((const struct gt_profile *)ctx)->texts.v[*(const uint32_t *)element], *b = key;

	return gt_same_text(*a, *b);
}

static bool same_function(const void *element, const void *key, const void *ctx)
{
	const struct gt_profile *p = ctx;
	const struct gt_profile_function *a = &p->functions.v[*(const uint32_t *)element];
	const struct gt_profile_function *b = key;

	return a->object == b->object && a->file == b->file && a->name == b->name;
}

static bool same_piece(const void *element, const void *key, const void *ctx)
{
	const struct gt_profile_piece *a = &((const struct gt_profile *)ctx)->pieces.v[*(const uint32_t *)element];
	const struct gt_profile_piece *b = key;

	return a->function == b->function && a->file == b->file;
}

static bool same_call(const void *element, const void *key, const void *ctx)
{
	const struct gt_profile_call *a = &((const struct gt_profile *)ctx)->calls.v[*(const uint32_t *)element];
	const struct gt_profile_call *b = key;

	return a->caller == b->caller && a->callee == b->callee;
}

/* The element of a list with this key, made when it is not there. Without memory: NULL, and the list is empty. */
#define FIND_OR_ADD(p, list, map, hash, key, same) ({ \
	bool fresh_ = false; \
	uint32_t *at_ = gt_map_add(&(p)->map, sizeof *at_, (hash), (key), (same), (p), &fresh_); \
	__typeof__((p)->list.v) found_ = NULL; \
	if (at_ && !fresh_) { \
		found_ = &(p)->list.v[*at_]; \
	} else if (at_) { \
		*at_ = (p)->list.n; \
		found_ = GT_LIST_ADD(&(p)->list); \
		if (found_) \
			*found_ = *(key); \
	} \
	found_; \
})

uint32_t gt_profile_add_text(struct gt_profile *p, const char *text, size_t bytes)
{
	struct gt_string key = { text, bytes }, *found;
	uint32_t had = p->texts.n;

	found = FIND_OR_ADD(p, texts, text_of, gt_hash_text(text, bytes), &key, same_text);
	if (found && p->texts.n != had) /* it is new */
		found->text = gt_arena_copy(&p->arena, text, bytes);
	return found && found->text ? (uint32_t)(found - p->texts.v) : GT_PROFILE_NONE;
}

uint32_t gt_profile_add_function(struct gt_profile *p, uint32_t object, uint32_t file, uint32_t name)
{
	const struct gt_profile_function key = { .object = object, .file = file, .name = name };
	struct gt_profile_function *found = FIND_OR_ADD(p, functions, function_of,
		gt_hash(gt_hash(GT_HASH, (uint64_t)object << 32 | file), name), &key, same_function);

	return found ? (uint32_t)(found - p->functions.v) : GT_PROFILE_NONE;
}

struct gt_profile_piece *gt_profile_add_piece(struct gt_profile *p, uint32_t function, uint32_t file)
{
	const struct gt_profile_piece key = { .function = function, .file = file };

	return FIND_OR_ADD(p, pieces, piece_of, gt_hash(GT_HASH, (uint64_t)function << 32 | file), &key, same_piece);
}

struct gt_profile_call *gt_profile_add_call(struct gt_profile *p, uint32_t caller, uint32_t callee)
{
	const struct gt_profile_call key = { .caller = caller, .callee = callee };

	return FIND_OR_ADD(p, calls, call_of, gt_hash(GT_HASH, (uint64_t)caller << 32 | callee), &key, same_call);
}

/* Room as for what the file spells out: an event that nobody counted has none. */
bool gt_profile_add(struct gt_profile *p, struct gt_profile_cost *to, uint32_t event, gt_profile_sum value)
{
	if (event >= to->n) {
		gt_profile_sum *more = gt_arena_alloc(&p->arena, (event + 1ull) * sizeof *more);

		if (!more)
			return false;
		if (to->n)
			memcpy(more, to->v, to->n * sizeof *more);
		to->v = more;
		to->n = event + 1;
	}
	to->v[event] += value;
	return true;
}

gt_profile_sum gt_profile_total(const struct gt_profile *p, uint32_t event)
{
	gt_profile_sum total = 0;

	for (uint32_t i = 0; i < p->parts.n; i++)
		total += gt_profile_value(p, p->parts.v[i].has_said ? &p->parts.v[i].said : &p->parts.v[i].sum, event);
	return total;
}

void gt_profile_free(struct gt_profile *p)
{
	if (!p)
		return;
	gt_map_free(&p->text_of, sizeof(uint32_t));
	gt_map_free(&p->function_of, sizeof(uint32_t));
	gt_map_free(&p->piece_of, sizeof(uint32_t));
	gt_map_free(&p->call_of, sizeof(uint32_t));
	free(p->texts.v);
	free(p->events.v);
	free(p->functions.v);
	free(p->pieces.v);
	free(p->calls.v);
	free(p->parts.v);
	gt_arena_free(&p->arena);
	free(p);
}
