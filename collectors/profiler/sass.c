/*
 * collectors/profiler/sass.c - counts by instruction: CUPTI instruments the code of each chosen launch
 *
 * Runs      on the program's threads, in the callback of a launch, by the holder of the gate.
 * May       call CUPTI's SASS metrics and its profiler's beginning, ask the stream of the launch whether it is done.
 * Must not  count ranges or sample: instrumented code is another program to both, and CUPTI dead-locks.
 *
 * SASS1  Instrumentation is enabled at the entry of a chosen launch, for what is launched first (lazy): no other kernel
 *        is. At its exit its stream is waited for, the counts are fetched, and only then it is disabled: that throws
 *        away what was not fetched.
 * SASS2  How many values an instruction comes with is told by one number, of which CUPTI's header does not say whether
 *        it is of all metrics or of each. Values are of the whole device, one for each metric, so there is room for
 *        either; what CUPTI did not write is known by its number.
 * SASS3  A sum of which a part is missing is none: what is not whole has no value, and says why.
 * SASS4  Names of functions belong to CUPTI, which may share them among records: they are not freed.
 * SASS5  Enabled inside the callback of its own launch, a kernel may not be instrumented (CUDA 13.0 was reported so).
 *        Where CUPTI tells of no instruction, it is enabled at the exit of each counted launch from then on.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/profiler/internal.h"

#include <stddef.h>
#include <string.h>

#include "collectors/collector.h"
#include "trace/format/sass.h"

/* ------------------------------------------------------ what CUPTI's calls take */

#define BEGIN size_t size; void *none
struct properties { BEGIN; const char *chip, *name; uint64_t id; const char *same, *description; };
struct config { uint64_t id; uint8_t granularity; };
struct set_config { BEGIN; size_t n; struct config *all; uint32_t device; };
struct unset_config { BEGIN; uint32_t device; };
struct enable { BEGIN; void *context; uint8_t lazy; };
struct disable { BEGIN; void *context; size_t dropped; };
struct data_properties { BEGIN; void *context; size_t n, per; };
struct flush { BEGIN; void *context; size_t n, per; struct instruction *all; };
struct value { uint64_t id, value; };
struct instruction { BEGIN; uint32_t crc, function; const char *name; uint32_t offset; struct value *values; };
#undef BEGIN

enum { OF_DEVICE = 0 };                 /* one value for the whole device */

/* The size counts to the end of the last member. */
#define PARAMS(type, last, ...) \
	struct type p = { .size = offsetof(struct type, last) + sizeof ((struct type *)0)->last, __VA_ARGS__ }
/* CUPTI counts to the member before the last. */
#define FLUSH_BYTES (offsetof(struct flush, per) + sizeof ((struct flush *)0)->per)

enum {
	PROPERTIES = TAP_CUPTI_cuptiSassMetricsGetProperties,
	SET = TAP_CUPTI_cuptiSassMetricsSetConfig,
	UNSET = TAP_CUPTI_cuptiSassMetricsUnsetConfig,
	ENABLE = TAP_CUPTI_cuptiSassMetricsEnable,
	DISABLE = TAP_CUPTI_cuptiSassMetricsDisable,
	DATA = TAP_CUPTI_cuptiSassMetricsGetDataProperties,
	FLUSH = TAP_CUPTI_cuptiSassMetricsFlushData,
};
static const uint8_t functions[] = { PROPERTIES, SET, UNSET, ENABLE, DISABLE, DATA, FLUSH };

/* ------------------------------------------------------------------- state */

enum { METRICS = REC_SASS_METRICS, FUNCTIONS = 1024, INSTRUCTIONS = 1 << 16, VALUES = 1 << 20, TEXTS = 1 << 18 };
enum { MOST_BYTES = 1 << 30 };          /* for what CUPTI tells of one launch */

/* One mapping, of which only what is used takes memory. */
struct room {
	uint64_t id[METRICS];           /* CUPTI's of each metric */
	uint32_t metric_texts;          /* bytes of their names, which come first among the texts */
	struct rec_sass head;
	struct rec_samples_function function[FUNCTIONS];
	struct rec_sass_instruction instruction[INSTRUCTIONS];
	struct rec_sass_value value[VALUES];
	struct rec_sass_metric metric[METRICS];
	char text[TEXTS];
};

static struct {
	struct tap_profiler_session common;
	bool configured, enabled, begun;
} session;
static bool ahead;                      /* SASS5 */

static const char *library(void *handle, void *driver)
{
	(void)driver;
	return tap_profiler_find(handle, functions, sizeof functions);
}

/* ----------------------------------------------------------------- session */

static uint32_t add_text(struct room *r, const char *text)
{
	return tap_profiler_add_text(r->text, TEXTS, &r->head.text_bytes, text);
}

/* *known: how many of them CUPTI has for the chip. Two may be one of CUPTI's. */
static size_t take_metrics(struct room *r, const struct rec_counters *plan, const struct rec_counters_image *asked,
	const char *chip, struct config all[METRICS], int *err)
{
	const char *name = (const char *)plan + asked->names, *theirs = (const char *)plan + asked->config;
	const char *end = theirs + asked->config_bytes;
	size_t known = 0, k;

	r->head.text_bytes = 1;
	for (uint32_t i = 0; i < asked->metrics && i < METRICS && theirs < end && !end[-1]; i++) {
		PARAMS(properties, description, .chip = chip, .name = theirs);
		int refused = tap_profiler_call(PROPERTIES, &p);

		r->metric[i] = (struct rec_sass_metric){ add_text(r, name), !!refused };
		r->id[i] = p.id;
		r->head.metrics++;
		name += strlen(name) + 1;
		theirs += strlen(theirs) + 1;
		for (k = 0; k < known && all[k].id != p.id; k++)
			;
		if (refused)
			*err = refused;
		else if (k == known)
			all[known++] = (struct config){ p.id, OF_DEVICE };
	}
	r->metric_texts = r->head.text_bytes;
	return known;
}

static bool open_session(const struct tap_counting_launch *l)
{
	struct config *all;
	const struct rec_counters *plan;
	const char *chip = tap_profiler_chip(l->device);
	const struct rec_counters_image *asked = chip ? tap_profiler_planned(REC_APART_SASS, chip, &plan) : NULL;
	int err = 0;

	if (!asked)
		return chip && tap_profiler_refuse_because("the plan has no metrics of instructions");
	if (!tap_profiler_device_can(l->device, TAP_PROFILER_SASS))
		return false;
	_Static_assert(METRICS * sizeof *all <= TAP_SCRATCH_BYTES, "a list of them");
	all = tap_scratch_take();
	if (!all)
		return tap_profiler_refuse_because("no memory for the list of metrics");
	PARAMS(set_config, device, .all = all, .device = l->device);
	p.n = take_metrics(session.common.room, plan, asked, chip, all, &err);
	if (p.n)
		err = tap_profiler_call(SET, &p);
	tap_scratch_give(all);
	session.configured = p.n && !err;
	return session.configured || tap_profiler_refuse(p.n ? SET : PROPERTIES, err);
}

static int enable(void)
{
	PARAMS(enable, lazy, .context = session.common.context, .lazy = 1);
	int err = tap_profiler_call(ENABLE, &p);

	session.enabled = !err;
	return err;
}

/* What was not fetched is gone; how much of it there was. */
static uint64_t disable(void)
{
	PARAMS(disable, dropped, .context = session.common.context);

	if (session.enabled)
		tap_profiler_call(DISABLE, &p);
	session.enabled = false;
	return p.dropped;
}

static void close_session(void)
{
	PARAMS(unset_config, device, .device = session.common.device);

	disable();
	if (session.configured)
		tap_profiler_call(UNSET, &p);
}

/* SASS5: what other launches left since it was enabled; where CUPTI does not tell, there may be some. */
static bool is_used(void)
{
	PARAMS(data_properties, per, .context = session.common.context);

	return session.enabled && (tap_profiler_call(DATA, &p) || p.n);
}

static bool start(void)
{
	int err = 0;

	if (is_used())
		disable();
	if (!session.enabled)
		err = enable();
	session.begun = !err;
	return !err || tap_profiler_refuse(ENABLE, err);
}

/* ------------------------------------------------------------------ counts */

/* FUNCTIONS: there is no room for one more. */
static uint32_t function_of(struct room *r, const struct instruction *one)
{
	uint32_t before = r->head.functions;
	uint32_t i = tap_profiler_function(r->function, FUNCTIONS, &r->head.functions, one->crc, one->function);

	if (r->head.functions > before && one->name)
		r->function[i].text = add_text(r, one->name);
	return i;
}

/* Several values of one metric are of parts of the device: they add up. */
static void take(struct room *r, const struct instruction *one, size_t n)
{
	struct rec_sass *h = &r->head;
	uint32_t function = function_of(r, one), from = h->values;

	if (function == FUNCTIONS || h->instructions == INSTRUCTIONS || h->metrics > VALUES - h->values) {
		h->left_out++;
		return;
	}
	for (uint32_t k = 0; k < h->metrics; k++) {
		struct rec_sass_value sum = { .metric = k };
		bool has = false;

		for (size_t i = 0; i < n && !r->metric[k].unknown; i++)
			if (one->values[i].id == r->id[k]) {
				sum.value += one->values[i].value;
				has = true;
			}
		if (has)
			r->value[h->values++] = sum;
	}
	r->instruction[h->instructions++] =
		(struct rec_sass_instruction){ one->offset, function, h->values - from, 0 };
}

/* SASS2 */
static void fetch_into(struct room *r, struct instruction *all, struct data_properties *have)
{
	size_t per = have->per + r->head.metrics;
	struct value *values = (struct value *)(void *)(all + have->n);
	struct flush p = { .size = FLUSH_BYTES, .context = session.common.context, .n = have->n, .per = have->per,
		.all = all };

	for (size_t i = 0; i < have->n * per; i++)
		values[i].id = UINT64_MAX;
	for (size_t i = 0; i < have->n; i++)
		all[i] = (struct instruction){ .size = sizeof *all, .values = values + i * per };
	if (tap_profiler_call(FLUSH, &p)) {
		r->head.state = REC_SASS_FAILED;
		return;
	}
	for (size_t i = 0; i < have->n; i++)
		take(r, &all[i], per);
}

static void fetch(struct room *r)
{
	PARAMS(data_properties, per, .context = session.common.context);
	size_t bytes, one;
	void *all;

	r->head = (struct rec_sass){ .magic = REC_SASS_MAGIC, .metrics = r->head.metrics,
		.text_bytes = r->metric_texts };
	if (tap_profiler_call(DATA, &p)) {
		r->head.state = REC_SASS_FAILED;
		return;
	}
	if (!p.n || !p.per) {
		r->head.state = REC_SASS_NONE;
		return;
	}
	one = sizeof(struct instruction) + (p.per % MOST_BYTES + r->head.metrics) * sizeof(struct value);
	bytes = p.n % MOST_BYTES * one;
	all = p.per < MOST_BYTES && p.n <= MOST_BYTES / one
		? tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;
	if (!all) {
		r->head.left_out = p.n;
		return;
	}
	fetch_into(r, all, &p);
	tap_sys_munmap(all, bytes);
}

/* Once for each reason. */
static void say(enum rec_sass_state state)
{
	static const char *const why[] = {
		[REC_SASS_FULL] = "there were more instructions than there is room for",
		[REC_SASS_NONE] = "CUPTI told of no instruction",
	};
	static bool said[sizeof why / sizeof *why];

	if (state == REC_SASS_FAILED)
		tap_profiler_say_lost("counts of instructions of some launches are missing");
	else if (why[state] && !said[state])
		tap_note(TAP_PART_CUPTI, "counts of instructions of some launches are missing: %s", why[state]);
	said[state] = true;
}

static void store(struct room *r, const struct tap_counting_launch *l, const struct tap_profiler_choice *c)
{
	struct rec_sass *h = &r->head;
	const void *const parts[] = { h, r->function, r->instruction, r->value, r->metric, r->text };
	const size_t bytes[] = { sizeof *h, h->functions * sizeof *r->function,
		h->instructions * sizeof *r->instruction, h->values * sizeof *r->value, h->metrics * sizeof *r->metric,
		h->text_bytes };
	uint64_t id[2], total, lost = h->left_out + h->dropped;

	if (h->state == REC_SASS_WHOLE && lost)
		h->state = REC_SASS_FULL;       /* SASS3 */
	h->bytes = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		h->bytes += bytes[i];
	tap_blob_store(REC_BLOB_COUNTERS, parts, bytes, sizeof parts / sizeof *parts, true, id, &total);
	tap_profiler_record(l, c, &(struct tap_profiler_found){ .image = rec_apart_image(REC_APART_SASS),
		.id = { id[0], id[1] }, .bytes = h->bytes, .ranges = h->state == REC_SASS_WHOLE,
		.dropped = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX });
	say(h->state);
}

/* SASS1. Of a launch that failed, or is not done within the time limit, there is nothing. */
static void end(const struct tap_counting_launch *l, const struct tap_profiler_choice *c, bool keep)
{
	struct room *r = session.common.room;
	bool done;

	if (!session.begun)
		return;
	session.begun = false;
	done = tap_profiler_wait(l->stream, NULL);
	if (!keep || !done) {
		disable();
		return;
	}
	fetch(r);
	r->head.dropped = disable();
	ahead |= r->head.state == REC_SASS_NONE;
	store(r, l, c);
	if (ahead)
		enable();                       /* what refuses it refuses it at the next launch, too */
}

const struct tap_profiler_way tap_profiler_sass = {
	.things = "counts of instructions",
	.needs_profiler = true,
	.session = &session.common,
	.session_bytes = sizeof session,
	.room_bytes = sizeof(struct room),
	.library = library,
	.open = open_session,
	.start = start,
	.end = end,
	.close = close_session,
};
