/*
 * writers/contexts.c - texts, functions and contexts, each once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/harmless.h"
#include "common/hash.h"
#include "common/paged.h"
#include "writers/costs.h"

static bool same_text(const void *element, const void *key, const void *ctx)
{
	const struct gt_cost_contexts *c = ctx;

	return gt_same_text(gt_cost_text_at(c, *(const uint32_t *)element), *(const struct gt_string *)key);
}

static bool same_function(const void *element, const void *key, const void *ctx)
{
	const struct gt_cost_contexts *c = ctx;
	const struct gt_cost_function *a = gt_cost_function_at(c, *(const uint32_t *)element), *b = key;

	return a->name == b->name && a->file == b->file && a->object == b->object;
}

static bool same_context(const void *element, const void *key, const void *ctx)
{
	const struct gt_cost_contexts *c = ctx;
	const struct gt_cost_context *a = gt_cost_context_at(c, *(const uint32_t *)element), *b = key;

	return a->parent == b->parent && a->function == b->function && a->part == b->part &&
		a->site.line == b->site.line && a->site.address == b->site.address;
}

/* The number of the element with this key; GT_COST_NONE without memory. *fresh: it is the next of its list. */
static inline uint32_t number_of(const struct gt_cost_contexts *c, struct gt_map *m, uint64_t hash, const void *key,
	gt_map_same *same, size_t next, bool *fresh)
{
	uint32_t *at;

	*fresh = false;
	gt_paged_tick();
	if (next >= GT_COST_NONE)
		return GT_COST_NONE;
	at = gt_map_add(m, sizeof *at, hash, key, same, c, fresh);
	if (!at)
		return GT_COST_NONE;
	if (*fresh)
		*at = (uint32_t)next;
	return *at;
}

static bool is_control(char c) { return (unsigned char)c < ' ' || c == 0x7f; }

/* Control characters and what is no UTF-8 are escaped, as everywhere. False: out of memory. */
static bool make_plain(struct gt_cost_contexts *c, struct gt_string *s)
{
	size_t i = 0;

	while (i < s->bytes && !is_control(s->text[i]) && (unsigned char)s->text[i] < 0x80)
		i++;
	if (i == s->bytes)
		return true;
	c->scratch.used = 0;
	gt_text_harmless(&c->scratch, s->text, s->bytes);
	*s = (struct gt_string){ c->scratch.data, c->scratch.used };
	return !c->scratch.failed;
}

uint32_t gt_cost_text(struct gt_cost_contexts *c, const char *text, size_t bytes)
{
	struct gt_string key, *added;
	bool fresh;
	uint32_t n;

	while (bytes && (*text == ' ' || is_control(*text)))
		text++, bytes--;
	while (bytes && (text[bytes - 1] == ' ' || is_control(text[bytes - 1])))
		bytes--;
	key = bytes ? (struct gt_string){ text, bytes } : (struct gt_string){ "(no name)", 9 };
	if (!make_plain(c, &key))
		return GT_COST_NONE;
	n = number_of(c, &c->text_of, gt_hash_text(key.text, key.bytes), &key, same_text, c->texts.n, &fresh);
	if (n == GT_COST_NONE || !fresh)
		return n;
	key.text = gt_arena_copy(&c->arena, key.text, key.bytes);
	added = key.text ? gt_bulk_add(&c->texts, sizeof *added, &c->budget) : NULL;
	if (!added)
		return GT_COST_NONE;
	*added = key;
	return n;
}

uint32_t gt_cost_function(struct gt_cost_contexts *c, struct gt_cost_function function)
{
	uint64_t hash = gt_hash(gt_hash(GT_HASH, (uint64_t)function.object << 32 | function.file), function.name);
	struct gt_cost_function *added;
	bool fresh;
	uint32_t n;

	if (function.object == GT_COST_NONE || function.file == GT_COST_NONE || function.name == GT_COST_NONE)
		return GT_COST_NONE;
	n = number_of(c, &c->function_of, hash, &function, same_function, c->functions.n, &fresh);
	if (n == GT_COST_NONE || !fresh)
		return n;
	added = gt_bulk_add(&c->functions, sizeof *added, &c->budget);
	if (!added)
		return GT_COST_NONE;
	*added = function;
	return n;
}

uint32_t gt_cost_context(
	struct gt_cost_contexts *c, uint32_t part, uint32_t parent, struct gt_cost_site site, uint32_t function)
{
	const struct gt_cost_context key = { .parent = parent, .function = function, .part = part, .site = site };
	uint64_t hash = gt_hash(gt_hash(gt_hash(GT_HASH, (uint64_t)parent << 32 | function),
					(uint64_t)part << 32 | site.line),
		site.address);
	struct gt_cost_context *added;
	bool fresh;
	uint32_t n;

	if (function == GT_COST_NONE || part == GT_COST_NONE)
		return GT_COST_NONE;
	n = number_of(c, &c->context_of, hash, &key, same_context, c->contexts.n, &fresh);
	if (n == GT_COST_NONE || !fresh)
		return n;
	added = gt_bulk_add(&c->contexts, sizeof *added, &c->budget);
	if (!added)
		return GT_COST_NONE;
	*added = key;
	return n;
}

/* Few: a process has some threads. */
uint32_t gt_cost_part(struct gt_cost_contexts *c, struct gt_cost_part part)
{
	struct gt_cost_part *added;

	for (uint32_t i = c->parts.n; i--;)
		if (c->parts.v[i].process == part.process && c->parts.v[i].tid == part.tid)
			return i;
	added = GT_LIST_ADD(&c->parts);
	if (!added)
		return GT_COST_NONE;
	*added = part;
	return c->parts.n - 1;
}

void gt_costs_free(struct gt_costs *costs)
{
	struct gt_cost_contexts *c = &costs->contexts;

	gt_map_free(&c->text_of, sizeof(uint32_t));
	gt_map_free(&c->function_of, sizeof(uint32_t));
	gt_map_free(&c->context_of, sizeof(uint32_t));
	gt_bulk_free(&c->texts);
	gt_bulk_free(&c->functions);
	gt_bulk_free(&c->contexts);
	free(c->parts.v);
	gt_text_free(&c->scratch);
	gt_arena_free(&c->arena);
}
