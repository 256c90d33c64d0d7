/*
 * model/opencl/facts.c - what the driver said about objects, kept until the walk meets the object
 *
 * A fact belongs to the generation whose creating call had started when it was written and whose successor's had not:
 * facts are asked for inside or right behind the creating call, and a handle cannot come back before it was freed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "model/internal.h"
#include "model/sort.h"

/* Attributes that lie whole inside the record; a damaged rest is left out and counted. */
static uint32_t count_attrs(const struct gt_rec *rec, uint32_t said)
{
	uint32_t at = 3, n = 0;

	while (n < said && at < rec->n_args) {
		uint32_t words = (uint32_t)(((rec->args[at] >> 32) + 7) / 8);

		if (words > rec->n_args - at - 1)
			break;
		at += 1 + words;
		n++;
	}
	return n;
}

int gt_facts_add_object(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_fact *f;
	uint32_t said, n, at = 3;

	if (rec->n_args < 3) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	said = (uint32_t)(rec->args[1] >> 32);
	n = count_attrs(rec, said);
	if (n < said)
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
	if (!n)
		return 0;
	f = gt_bulk_add(&m->facts, sizeof *f, &m->budget);
	if (!f || !(f->attrs = gt_arena_alloc(&m->arena, n * sizeof *f->attrs)))
		return -1;
	f->process = rec->process;
	f->kind = (uint32_t)rec->args[1];
	f->handle = rec->args[2];
	f->tick = rec->args[0];
	f->n_attrs = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bytes = (uint32_t)(rec->args[at] >> 32);

		f->attrs[i] = (struct gt_attr){ (uint32_t)rec->args[at], bytes,
			gt_arena_copy(&m->arena, rec->args + at + 1, bytes) };
		if (!f->attrs[i].value)
			return -1;
		at += 1 + (bytes + 7) / 8;
	}
	return 0;
}

int gt_facts_add_blob(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_fact *f;

	if (rec->n_args < 5) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	f = gt_bulk_add(&m->facts, sizeof *f, &m->budget);
	if (!f)
		return -1;
	*f = (struct gt_fact){ .process = rec->process,
		.kind = REC_OBJECT_PROGRAM,
		.handle = rec->args[1],
		.tick = rec->args[0],
		.blob = { (uint32_t)rec->args[4], (uint32_t)(rec->args[4] >> 32), { rec->args[2], rec->args[3] },
			rec->n_args > 5 ? rec->args[5] : 0 } };
	return 0;
}

/* ---------------------------------------------------------------- creations */

static int add_creation(struct gt_model *m, const struct gt_call *call, uint32_t kind, uint64_t handle, uint64_t parent)
{
	struct gt_creation *c;

	if (!handle)
		return 0;
	c = gt_bulk_add(&m->creations, sizeof *c, &m->budget);
	if (!c)
		return -1;
	*c = (struct gt_creation){ call->process, kind, handle, call->start_tick, parent };
	return 0;
}

/*
 * Only what facts are asked about: a program may make millions of buffers. Devices always, for their numbers. Of memory
 * that is images and pipes (collectors/opencl/define.c); without their creations each image would take the facts of
 * all later ones at its address.
 */
static bool has_facts(const struct gt_call *call, uint32_t kind)
{
	if (kind == REC_OBJECT_MEM)
		return strstr(call->fn->name, "Image") || strstr(call->fn->name, "Pipe");
	return kind != REC_OBJECT_SAMPLER && kind != REC_OBJECT_EVENT && kind != REC_OBJECT_SVM;
}

int gt_facts_add_creations(struct gt_model *m, struct gt_call *call, const struct gt_fn_info *f)
{
	struct gt_arg arg;

	if (call->result || !has_facts(call, f->object))
		return 0;
	if (f->action == GT_ACT_CREATE)
		return add_creation(m, call, f->object, gt_call_return(call), 0);
	if (!gt_call_arg(call, (unsigned)f->array, &arg) || !arg.has_data)
		return 0;
	for (uint32_t i = 0; i < arg.bytes / 8; i++)
		if (add_creation(m, call, f->object, ((const uint64_t *)arg.data)[i],
			    gt_role_value(call, f, GT_ROLE_IN_DEVICE)))
			return -1;
	return 0;
}

/* ------------------------------------------------------------------ answers */

struct answered { uint64_t handle; uint32_t process, kind, key; };

static bool same_answered(const void *element, const void *key, const void *ctx)
{
	const struct answered *a = element, *b = key;

	(void)ctx;
	return a->handle == b->handle && a->process == b->process && a->kind == b->kind && a->key == b->key;
}

/*
 * The shim asks about devices that are used. Of those that were only listed the application may have been told
 * something: it says so itself. REC_ATTR_ keys are the shim's own.
 */
int gt_facts_add_answer(struct gt_model *m, struct gt_call *call, const struct gt_fn_info *f)
{
	struct answered key = { gt_call_fixed(call, &call->fn->params[0]), call->process, f->object,
		(uint32_t)gt_role_value(call, f, GT_ROLE_PARAM_NAME) };
	uint64_t hash = gt_hash(gt_hash(gt_hash(GT_HASH, key.handle), key.process), (uint64_t)key.kind << 32 | key.key);
	struct answered *seen;
	struct gt_fact *fact;
	struct gt_arg value;
	bool fresh;

	if (call->result || !key.handle || key.key >= REC_ATTR_PLATFORM ||
		!gt_role_arg(call, f, GT_ROLE_PARAM_VALUE, &value) || value.cut || !value.bytes)
		return 0;
	seen = gt_map_add(&m->answered, sizeof key, hash, &key, same_answered, NULL, &fresh);
	if (!seen)
		return -1;
	if (!fresh)
		return 0;
	*seen = key;
	fact = gt_bulk_add(&m->facts, sizeof *fact, &m->budget);
	if (!fact)
		return -1;
	*fact = (struct gt_fact){ .process = key.process, .kind = key.kind, .handle = key.handle,
		.tick = call->start_tick, .n_attrs = 1, .attrs = gt_arena_alloc(&m->arena, sizeof *fact->attrs) };
	if (!fact->attrs)
		return -1;
	*fact->attrs = (struct gt_attr){ key.key, value.bytes, gt_arena_copy(&m->arena, value.data, value.bytes) };
	return fact->attrs->value ? 0 : -1;
}

void gt_facts_forget_answers(struct gt_model *m) { gt_map_free(&m->answered, sizeof(struct answered)); }

/* ------------------------------------------------------------------- lookup */

#define COMPARE(field) do { if (x->field != y->field) return x->field < y->field ? -1 : 1; } while (0)

static int compare_facts(const void *a, const void *b, const void *ctx)
{
	const struct gt_fact *x = a, *y = b;

	(void)ctx;
	COMPARE(process);
	COMPARE(kind);
	COMPARE(handle);
	COMPARE(tick);
	return 0;
}

static int compare_creations(const void *a, const void *b, const void *ctx)
{
	const struct gt_creation *x = a, *y = b;

	(void)ctx;
	COMPARE(process);
	COMPARE(kind);
	COMPARE(handle);
	COMPARE(tick);
	return 0;
}

int gt_facts_sort(struct gt_model *m)
{
	return gt_bulk_sort(&m->facts, sizeof(struct gt_fact), compare_facts, NULL, &m->budget) ||
			gt_bulk_sort(&m->creations, sizeof(struct gt_creation), compare_creations, NULL, &m->budget)
		? -1
		: 0;
}

static const struct gt_fact *fact_at(const struct gt_model *m, size_t i)
{
	return (const struct gt_fact *)m->facts.data + i;
}

/* First fact not before key. */
static size_t lower_fact(const struct gt_model *m, const struct gt_fact *key)
{
	size_t at;

	GT_SEARCH(at, m->facts.n, compare_facts(fact_at(m, at), key, NULL) < 0);
	return at;
}

/* Start of the first creation of that handle behind tick; UINT64_MAX: none. */
static uint64_t next_creation(const struct gt_model *m, uint32_t process, uint32_t kind, uint64_t handle, uint64_t tick)
{
	struct gt_creation key = { process, kind, handle, tick, 0 };
	const struct gt_creation *v = m->creations.data;
	size_t at;

	GT_SEARCH(at, m->creations.n, compare_creations(&v[at], &key, NULL) <= 0);
	const struct gt_creation *c = at < m->creations.n ? &v[at] : NULL;

	return c && c->process == process && c->kind == kind && c->handle == handle ? c->tick : UINT64_MAX;
}

void gt_facts_of(const struct gt_model *m, uint32_t process, uint32_t kind, uint64_t handle, uint64_t tick,
		 const struct gt_fact **first, const struct gt_fact **end)
{
	bool lasts = kind == REC_OBJECT_PLATFORM || kind == REC_OBJECT_DEVICE; /* found, not created: one generation */
	struct gt_fact key = { .process = process, .kind = kind, .handle = handle, .tick = lasts ? 0 : tick };
	size_t from = lower_fact(m, &key), to;

	key.tick = lasts ? UINT64_MAX : next_creation(m, process, kind, handle, tick);
	to = lower_fact(m, &key);
	*first = fact_at(m, from);
	*end = fact_at(m, to > from ? to : from);
}
