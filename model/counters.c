/*
 * model/counters.c - launches whose counters were collected
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define XXH_INLINE_ALL                    /* no library more for the tool */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model/internal.h"
#include "trace/format/counters.h"
#include "trace/format/passes.h"
#include "trace/format/pm_samples.h"
#include "trace/format/samples.h"
#include "trace/format/sass.h"

int gt_counters_take(struct gt_model *m, const struct gt_rec *rec)
{
	const uint64_t *w = rec->args;
	struct gt_counters *c;
	struct gt_string text;
	uint32_t at = 10;

	if (!gt_record_text(rec, &at, &text)) {
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
		return 0;
	}
	c = GT_LIST_ADD(&m->counters);
	if (!c)
		return -1;
	*c = (struct gt_counters){ .process = rec->process, .correlation = (uint32_t)w[1],
		.context = (uint32_t)(w[1] >> 32),
		.device = (uint32_t)w[2], .image = (uint32_t)(w[2] >> 32), .id = { w[3], w[4] },
		.bytes = w[5], .ranges = (uint32_t)w[6], .dropped = (uint32_t)(w[6] >> 32),
		.grid = { (uint32_t)w[7], (uint32_t)(w[7] >> 32), (uint32_t)w[8] },
		.block = { (uint32_t)(w[8] >> 32), (uint32_t)w[9], (uint32_t)(w[9] >> 32) },
		.time_ns = gt_reader_tick_ns(m->reader, rec->process, w[0]),
		.symbol = { gt_arena_copy(&m->arena, text.text, text.bytes), text.bytes }, .entry = UINT32_MAX };
	if (at + 2 <= rec->n_args) {
		c->order = (uint32_t)rec->args[at];
		c->kind = (uint32_t)(rec->args[at] >> 32);
		c->entry = (uint32_t)rec->args[at + 1];
	}
	return c->symbol.text ? 0 : -1;
}

static int by_call(const void *a, const void *b)
{
	const struct gt_counters *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static struct gt_counters *find(struct gt_model *m, const struct rec_pass *p)
{
	for (uint32_t i = 0; i < m->counters.n; i++) {
		struct gt_counters *c = &m->counters.v[i];
		const struct gt_process *process = gt_model_process(m, c->process);

		if (c->kind == p->kind && c->correlation == p->correlation && (uint32_t)process->pid == p->pid &&
			(uint32_t)process->instance == p->instance)
			return c;
	}
	return NULL;
}

/* What later runs of the program added: their launches are in the order of this trace's, as a rule. */
static void take_passes(struct gt_model *m)
{
	const struct rec_passes *file = gt_reader_passes(m->reader);
	const struct rec_pass *all = (const void *)(file + 1);

	for (uint32_t i = 0; file && i < file->n; i++) {
		const struct rec_pass *p = &all[i];
		struct gt_counters *c = find(m, p);

		if (!c)
			continue;
		c->missing = p->missing;
		c->image_of_all = (struct gt_string){ (const char *)file + p->data, p->data_bytes };
		memcpy(c->id_of_all, p->id, sizeof c->id_of_all);
		for (uint32_t k = 0; k < REC_APARTS; k++) {
			c->apart[k] = (struct gt_counters_apart){
				.data = { (const char *)file + p->apart[k].data, p->apart[k].bytes },
				.id = { p->apart[k].id[0], p->apart[k].id[1] }, .run = p->apart[k].run };
		}
	}
}

/* Launches of which only some passes were counted. */
static void count_missing(struct gt_model *m)
{
	const struct rec_counters *plan = gt_reader_counters(m->reader);
	const struct rec_counters_image *images = (const void *)(plan + 1);

	for (uint32_t i = 0; plan && plan->replay && i < m->counters.n; i++) {
		const struct gt_counters *c = &m->counters.v[i];

		if (c->image < plan->n && images[c->image].passes > 1 && (c->missing || !c->image_of_all.bytes))
			gt_model_count_loss(m, REC_LOSS_COUNTERS_LOST, 1);
	}
}

/* What was collected of it is of this class, in the program's own run. */
static bool is_own(const struct gt_counters *c, enum rec_apart class)
{
	return c->image == rec_apart_image(class);
}

/* A launch of which there are no samples that can be read, or not all; what the device dropped of another. */
static void count_samples(struct gt_model *m, const struct gt_counters *c)
{
	struct rec_samples_parts p;
	int there = gt_model_samples(m, c, &p);
	uint64_t dropped = there > 0 ? p.head->dropped + p.head->left_out : 0;

	if (is_own(c, REC_APART_SAMPLES))
		dropped = c->dropped;
	if (there < 0 || (there && p.head->state != REC_SAMPLES_WHOLE))
		gt_model_count_loss(m, REC_LOSS_COUNTERS_LOST, 1);
	if (dropped)
		gt_model_count_loss(m, REC_LOSS_PC_SAMPLES, dropped);
}

/* A launch whose run for the whole device did not have it. */
static void count_device(struct gt_model *m, const struct gt_counters *c)
{
	const struct gt_counters_apart *a = &c->apart[REC_APART_DEVICE];

	if (a->run && !a->data.bytes)
		gt_model_count_loss(m, REC_LOSS_COUNTERS_LOST, 1);
}

/* Samples of performance monitors, run by run. */
static void count_monitors(struct gt_model *m, const struct gt_counters *c)
{
	for (uint32_t k = REC_APART_PM; k < REC_APARTS; k++) {
		struct rec_pm_parts p;
		int there = gt_model_pm_samples(m, c, (enum rec_apart)k, &p);

		if (there < 0 || (there && p.head->state != REC_PM_WHOLE))
			gt_model_count_loss(m, REC_LOSS_COUNTERS_LOST, 1);
	}
}

/* A launch whose counts by instruction are not whole. */
static void count_sass(struct gt_model *m, const struct gt_counters *c)
{
	struct rec_sass_parts p;
	int there = gt_model_sass(m, c, &p);

	if (there < 0 || (there && p.head->state != REC_SASS_WHOLE))
		gt_model_count_loss(m, REC_LOSS_COUNTERS_LOST, 1);
}

void gt_counters_finish(struct gt_model *m)
{
	if (!m->counters.n)
		return;
	qsort(m->counters.v, m->counters.n, sizeof *m->counters.v, by_call);
	take_passes(m);
	count_missing(m);
	for (uint32_t i = 0; i < m->counters.n; i++) {
		const struct gt_counters *c = &m->counters.v[i];

		count_samples(m, c);
		count_device(m, c);
		count_monitors(m, c);
		count_sass(m, c);
		gt_reader_blob_forget(m->reader, c->id);        /* one launch's at a time takes memory */
	}
}

int gt_model_apart(struct gt_model *m, const struct gt_counters *c, enum rec_apart class, struct gt_string *data)
{
	bool own = is_own(c, class);
	const uint64_t *id = own ? c->id : c->apart[class].id;
	XXH128_hash_t hash;
	uint64_t total;

	*data = c->apart[class].data;
	if (!own && !c->apart[class].run)
		return 0;
	if (own && (!gt_model_blob(m, c->id, data, &total) || data->bytes != total))
		return -1;
	hash = XXH3_128bits(data->text, data->bytes);
	return hash.low64 == id[0] && hash.high64 == id[1] ? 1 : -1;
}

int gt_model_sass(struct gt_model *m, const struct gt_counters *c, struct rec_sass_parts *out)
{
	struct gt_string data;
	int there = gt_model_apart(m, c, REC_APART_SASS, &data);

	return there > 0 && !rec_sass_sound(data.text, data.bytes, out) ? -1 : there;
}

int gt_model_samples(struct gt_model *m, const struct gt_counters *c, struct rec_samples_parts *out)
{
	struct gt_string data;
	int there = gt_model_apart(m, c, REC_APART_SAMPLES, &data);

	return there > 0 && !rec_samples_sound(data.text, data.bytes, out) ? -1 : there;
}

int gt_model_pm_samples(struct gt_model *m, const struct gt_counters *c, enum rec_apart class,
	struct rec_pm_parts *out)
{
	struct gt_string data;
	int there = gt_model_apart(m, c, class, &data);

	return there > 0 && !rec_pm_sound(data.text, data.bytes, out) ? -1 : there;
}

void gt_counters_id(const void *data, size_t bytes, uint64_t id[2])
{
	XXH128_hash_t hash = XXH3_128bits(data, bytes);

	id[0] = hash.low64;
	id[1] = hash.high64;
}

uint32_t gt_model_counters(const struct gt_model *m, const struct gt_counters **all)
{
	*all = m->counters.v;
	return m->counters.n;
}

bool gt_model_counters_planned(const struct gt_model *m) { return gt_reader_counters_there(m->reader); }
const struct rec_counters *gt_model_counters_plan(struct gt_model *m) { return gt_reader_counters(m->reader); }
