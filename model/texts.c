/*
 * model/texts.c - texts of calls that live as long as the model, each kept once
 *
 * A walk's objects are gone when the next walk begins, and one may go as soon as the program has released it. What
 * they are called stays: whoever adds up by name keeps the text's address (gt_groups_get_fixed), and a report may be
 * fed by several walks.
 *
 * TEXTS1  One text has one address, over all walks of a model: programs make the same few kernels again and again, and
 *         memory follows the number of different names. A name of C++ is taken apart once.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/internal.h"
#include "model/symbols/demangle.h"

struct kept { struct gt_string text, demangled, short_name; };

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_string *a = &((const struct kept *)element)->text, *b = key;

	(void)ctx;
	return gt_same_text(*a, *b);
}

/* NULL: no memory, which whoever ends a walk or an export asks for. Valid until the next one is kept. */
static struct kept *keep(struct gt_model *m, struct gt_string text)
{
	struct gt_texts *t = &m->texts;
	bool fresh;
	struct kept *k = gt_map_add(&t->map, sizeof *k, gt_hash_text(text.text, text.bytes), &text, same, NULL, &fresh);

	if (!k)
		m->no_memory = true;
	if (!k || !fresh)
		return k;
	k->text = (struct gt_string){ gt_arena_copy(&t->arena, text.text, text.bytes), text.bytes };
	if (!k->text.text) {
		m->no_memory = true;
		gt_map_remove(&t->map, sizeof *k, k);
		return NULL;
	}
	return k;
}

struct gt_string gt_texts_keep(struct gt_model *m, struct gt_string text)
{
	const struct kept *k = keep(m, (struct gt_string){ text.text ? text.text : "", text.bytes });

	return k ? k->text : (struct gt_string){ NULL, 0 };
}

void gt_texts_names(
	struct gt_model *m, struct gt_string name, struct gt_string *demangled, struct gt_string *short_name)
{
	struct kept *k = keep(m, name);

	if (!k) {
		*demangled = *short_name = name;
		return;
	}
	if (!k->demangled.text)
		gt_demangle_names(&m->texts.arena, k->text, &k->demangled, &k->short_name);
	*demangled = k->demangled;
	*short_name = k->short_name;
}

void gt_texts_free(struct gt_model *m)
{
	gt_map_free(&m->texts.map, sizeof(struct kept));
	gt_arena_free(&m->texts.arena);
}
