/*
 * model/stacks/stacks.c - STACK and MODULE records: taken when the trace is opened, merged when all are there
 *
 * While opening, stacks that are word for word the same are kept once. Behind the last record modules that two threads
 * wrote at the same time become one, and with them the stacks that lead through them; then they get their numbers.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "model/internal.h"
#include "model/sort.h"
#include "model/stacks/stacks.h"

/*
 * words: n addresses, then n module numbers of the process (opening) or indices (behind it), two a word, then functions
 * of Python, whose codes are numbers and then indices too.
 */
struct kept { uint64_t hash; uint64_t at; uint32_t process, n, flags, n_python, id; };
struct link { uint64_t link; uint32_t process, kept; };
struct key {
	uint64_t hash;
	uint32_t process, n, flags, n_python;
	const uint64_t *addresses;
	const uint32_t *modules;
	const struct gt_python_place *python;
};
struct number { uint32_t process, number; };    /* of a module: numbered() */

struct gt_stacks {
	struct gt_bulk words, kept, links;
	struct gt_map map;                /* uint32_t index of kept */
	GT_LIST(struct gt_module) modules;
	GT_LIST(struct number) numbers;   /* beside modules */
	GT_LIST(struct gt_stack) stacks;  /* merged, by id - 1 */
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9fb21c651e98df25ull;
	return h ^ h >> 29;
}

static const uint64_t *addresses_of(const struct gt_stacks *s, const struct kept *k)
{
	return (const uint64_t *)s->words.data + k->at;
}

static uint32_t *modules_of(const struct gt_stacks *s, const struct kept *k)
{
	return (uint32_t *)((uint64_t *)s->words.data + k->at + k->n);
}

static struct gt_python_place *python_of(const struct gt_stacks *s, const struct kept *k)
{
	return (struct gt_python_place *)((uint64_t *)s->words.data + k->at + k->n + (k->n + 1) / 2);
}

static struct kept *kept_at(const struct gt_stacks *s, uint32_t i) { return (struct kept *)s->kept.data + i; }

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_stacks *s = ctx;
	const struct kept *k = kept_at(s, *(const uint32_t *)element);
	const struct key *w = key;

	return k->hash == w->hash && k->process == w->process && k->n == w->n && k->flags == w->flags &&
		!memcmp(addresses_of(s, k), w->addresses, w->n * sizeof *w->addresses) &&
		!memcmp(modules_of(s, k), w->modules, w->n * sizeof *w->modules) && k->n_python == w->n_python &&
		(!w->n_python || !memcmp(python_of(s, k), w->python, w->n_python * sizeof *w->python));
}

static uint64_t hash_of(const struct key *k)
{
	uint64_t h = mix(k->process, (uint64_t)k->n << 32 | k->flags);

	for (uint32_t i = 0; i < k->n; i++)
		h = mix(h, k->addresses[i] ^ (uint64_t)k->modules[i] << 48);
	for (uint32_t i = 0; i < k->n_python; i++)
		h = mix(h, k->python[i].code | (uint64_t)k->python[i].at << 32);
	return mix(h, h >> 32);
}

/* ---------------------------------------------------------------------- opening */

static struct gt_stacks *stacks_of(struct gt_model *m)
{
	if (!m->stacks)
		m->stacks = calloc(1, sizeof *m->stacks);
	return m->stacks;
}

static int keep(struct gt_model *m, struct gt_stacks *s, const struct key *key, uint32_t *index)
{
	struct kept *k = gt_bulk_add(&s->kept, sizeof *k, &m->budget);

	if (!k)
		return -1;
	*k = (struct kept){ .hash = key->hash, .at = s->words.n, .process = key->process, .n = key->n,
		.flags = key->flags, .n_python = key->n_python };
	*index = (uint32_t)(s->kept.n - 1);
	for (uint32_t i = 0; i < key->n + (key->n + 1) / 2 + key->n_python; i++) {
		uint64_t *word = gt_bulk_add(&s->words, sizeof *word, &m->budget);

		if (!word)
			return -1;
		*word = i < key->n ? key->addresses[i] : 0;
	}
	memcpy(modules_of(s, k), key->modules, key->n * sizeof *key->modules);
	if (key->n_python)
		memcpy(python_of(s, k), key->python, key->n_python * sizeof *key->python);
	return 0;
}

static int add_link(struct gt_model *m, struct gt_stacks *s, const struct gt_rec *rec, uint32_t kept)
{
	struct link *l = gt_bulk_add(&s->links, sizeof *l, &m->budget);

	if (!l)
		return -1;
	*l = (struct link){ rec_link(rec->stream, rec->offset), rec->process, kept };
	return 0;
}

/* Functions of Python behind the module numbers, or false: damaged. */
static bool find_python(const struct gt_rec *rec, struct key *key)
{
	uint64_t at = 1 + key->n + (key->n + 3) / 4;

	if (!(key->flags & REC_STACK_PYTHON))
		return true;
	if (at >= rec->n_args || (uint32_t)rec->args[at] > rec->n_args - at - 1)
		return false;
	key->n_python = (uint32_t)rec->args[at];
	key->python = (const struct gt_python_place *)(rec->args + at + 1);
	return true;
}

/* The launcher numbers the modules of its own stacks: they are others than the program's of the same numbers. */
#define OF_LAUNCHER 0x10000u
static uint32_t numbered(const struct gt_rec *rec, uint32_t number)
{
	return rec->stream == REC_STREAM_LAUNCHER ? number | OF_LAUNCHER : number;
}

int gt_stacks_take(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_stacks *s = stacks_of(m);
	uint64_t n = (uint32_t)rec->args[0];
	uint32_t modules[8192], *at, fresh_index;
	struct key key;
	bool fresh;

	if (!s)
		return -1;
	if (n > sizeof modules / sizeof *modules || 1 + n + (n + 3) / 4 > rec->n_args) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	for (uint64_t i = 0; i < n; i++)
		modules[i] = numbered(rec, (uint16_t)(rec->args[1 + n + i / 4] >> i % 4 * 16));
	key = (struct key){ .process = rec->process, .n = (uint32_t)n, .flags = (uint32_t)(rec->args[0] >> 32),
		.addresses = rec->args + 1, .modules = modules };
	if (!find_python(rec, &key)) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	key.hash = hash_of(&key);
	at = gt_map_add(&s->map, sizeof *at, key.hash, &key, same, s, &fresh);
	if (!at)
		return -1;
	if (fresh) {
		*at = UINT32_MAX;
		if (keep(m, s, &key, &fresh_index))
			return -1;
		*at = fresh_index;
	}
	return add_link(m, s, rec, *at);
}

int gt_modules_take(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_stacks *s = stacks_of(m);
	struct gt_module *o = s ? GT_LIST_ADD(&s->modules) : NULL;
	struct number *number = o ? GT_LIST_ADD(&s->numbers) : NULL;
	uint32_t at = 5 + REC_MODULE_ID_WORDS, bytes = (uint32_t)(rec->args[1] >> 32);
	struct gt_string path;

	if (!number)
		return -1;
	*number = (struct number){ rec->process, numbered(rec, (uint32_t)rec->args[1]) };
	o->process = rec->process;
	o->seen_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]);
	o->bias = rec->args[2];
	o->start = rec->args[3];
	o->end = rec->args[4];
	o->id_bytes = bytes < sizeof o->id ? bytes : (uint32_t)sizeof o->id;
	memcpy(o->id, rec->args + 5, o->id_bytes);
	o->path = "";
	if (gt_record_text(rec, &at, &path) && path.bytes)
		o->path = gt_arena_copy(&m->arena, path.text, path.bytes);
	else if (m->processes[rec->process].pub.image)
		o->path = m->processes[rec->process].pub.image;
	return o->path ? 0 : -1;
}

/* --------------------------------------------------------------------- finishing */

struct named { uint32_t process, number, index; };

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool same_module(const void *element, const void *key, const void *ctx)
{
	const struct gt_stacks *s = ctx;
	const struct gt_module *a = &s->modules.v[*(const uint32_t *)element], *b = key;

	return a->process == b->process && a->bias == b->bias && a->start == b->start && a->end == b->end &&
		a->id_bytes == b->id_bytes && !gt_compare_bytes(a->id, b->id, a->id_bytes) && !strcmp(a->path, b->path);
}

/* The first module that is the same; UINT32_MAX: no memory. */
static uint32_t first_like(const struct gt_stacks *s, struct gt_map *map, uint32_t i)
{
	const struct gt_module *o = &s->modules.v[i];
	bool fresh;
	uint32_t *first = gt_map_add(map, sizeof *first,
		gt_hash(gt_hash(gt_hash_text(o->path, strlen(o->path)), o->process), o->start), o, same_module, s,
		&fresh);

	if (first && fresh)
		*first = i;
	return first ? *first : UINT32_MAX;
}

/* Every module by its process and number; to be freed. NULL: no memory. */
static struct named *number_modules(struct gt_stacks *s)
{
	struct named *v = calloc(s->modules.n + 1, sizeof *v);
	struct gt_map map = { 0 };
	bool ok = v != NULL;

	for (uint32_t i = 0; ok && i < s->modules.n; i++) {
		s->modules.v[i].index = i;
		v[i] = (struct named){ s->numbers.v[i].process, s->numbers.v[i].number, first_like(s, &map, i) };
		ok = v[i].index != UINT32_MAX;
	}
	gt_map_free(&map, sizeof(uint32_t));
	if (!ok) {
		free(v);
		return NULL;
	}
	qsort(v, s->modules.n, sizeof *v, compare_named);
	return v;
}

static uint32_t index_of(const struct named *v, uint32_t n, uint32_t process, uint32_t number)
{
	const struct named key = { .process = process, .number = number };
	const struct named *found = n && number ? bsearch(&key, v, n, sizeof *v, compare_named) : NULL;

	return found ? found->index : GT_STACK_NOWHERE;
}

static int compare_links(const void *a, const void *b, const void *ctx)
{
	const struct link *x = a, *y = b;

	(void)ctx;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->link < y->link ? -1 : x->link > y->link;
}

/* What leads the same way through the same objects gets one number. */
static int number_stacks(struct gt_stacks *s)
{
	struct gt_map map = { 0 };
	int ret = -1;

	for (uint32_t i = 0; i < s->kept.n; i++) {
		struct kept *k = kept_at(s, i);
		struct key key = { .process = k->process, .n = k->n, .flags = k->flags, .addresses = addresses_of(s, k),
			.modules = modules_of(s, k), .n_python = k->n_python, .python = python_of(s, k) };
		struct gt_stack *stack;
		uint32_t *at;
		bool fresh;

		k->hash = key.hash = hash_of(&key);
		at = gt_map_add(&map, sizeof *at, key.hash, &key, same, s, &fresh);
		if (!at)
			goto out;
		if (!fresh) {
			k->id = kept_at(s, *at)->id;
			continue;
		}
		*at = i;
		stack = GT_LIST_ADD(&s->stacks);
		if (!stack)
			goto out;
		k->id = s->stacks.n;
		*stack = (struct gt_stack){ k->id, k->process, k->n, k->flags, key.addresses, key.modules,
			k->n_python, key.python };
	}
	ret = 0;
out:
	gt_map_free(&map, sizeof(uint32_t));
	return ret;
}

int gt_stacks_finish(struct gt_model *m)
{
	struct gt_stacks *s = m->stacks;
	struct named *named;

	if (!s)
		return 0;
	gt_map_free(&s->map, sizeof(uint32_t));
	if (gt_python_finish(m))
		return -1;
	named = number_modules(s);
	if (!named)
		return -1;
	for (uint32_t i = 0; i < s->kept.n; i++) {
		const struct kept *k = kept_at(s, i);
		uint32_t *module = modules_of(s, k);

		for (uint32_t f = 0; f < k->n; f++)
			module[f] = index_of(named, s->modules.n, k->process, module[f] & ~REC_STACK_INTERRUPTED) |
				(module[f] & REC_STACK_INTERRUPTED ? GT_STACK_INTERRUPTED : 0);
		for (uint32_t f = 0; f < k->n_python; f++)
			python_of(s, k)[f].code = gt_python_index(m, k->process, python_of(s, k)[f].code);
	}
	free(named);
	if (number_stacks(s))
		return -1;
	return gt_bulk_sort(&s->links, sizeof(struct link), compare_links, NULL, &m->budget);
}

void gt_stacks_free(struct gt_model *m)
{
	struct gt_stacks *s = m->stacks;

	if (!s)
		return;
	gt_bulk_free(&s->words);
	gt_bulk_free(&s->kept);
	gt_bulk_free(&s->links);
	gt_map_free(&s->map, sizeof(uint32_t));
	free(s->modules.v);
	free(s->numbers.v);
	free(s->stacks.v);
	free(s);
	m->stacks = NULL;
}

/* ---------------------------------------------------------------------- answers */

uint32_t gt_model_module_count(const struct gt_model *m) { return m->stacks ? m->stacks->modules.n : 0; }

const struct gt_module *gt_model_module(const struct gt_model *m, uint32_t i)
{
	return i < gt_model_module_count(m) ? &m->stacks->modules.v[i] : NULL;
}

uint32_t gt_model_stack_count(const struct gt_model *m) { return m->stacks ? m->stacks->stacks.n : 0; }

const struct gt_stack *gt_model_stack(const struct gt_model *m, uint32_t id)
{
	return id && id <= gt_model_stack_count(m) ? &m->stacks->stacks.v[id - 1] : NULL;
}

uint32_t gt_stack_by_link(const struct gt_model *m, uint32_t process, uint64_t link)
{
	const struct gt_stacks *s = m->stacks;
	const struct link key = { .link = link, .process = process }, *v = s ? s->links.data : NULL;
	size_t low;

	if (!link)
		return 0;
	GT_SEARCH(low, s ? s->links.n : 0, compare_links(&v[low], &key, NULL) < 0);
	return s && low < s->links.n && !compare_links(&v[low], &key, NULL) ? kept_at(s, v[low].kept)->id : 0;
}

uint32_t gt_call_stack(const struct gt_call *call)
{
	return call->stack_link ? gt_stack_by_link(call->model, call->process, call->stack_link) : 0;
}

uint32_t gt_range_stack(const struct gt_model *m, const struct gt_range *range)
{
	return range->stack_link ? gt_stack_by_link(m, range->process, range->stack_link) : 0;
}
