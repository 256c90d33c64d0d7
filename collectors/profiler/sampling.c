/*
 * collectors/profiler/sampling.c - CUPTI's sampling of the program counter: each chosen launch is sampled alone
 *
 * Runs      on the program's threads, in the callback of a launch, by the holder of the gate.
 * May       call CUPTI's sampling and wait for the stream of the launch.
 * Must not  call CUPTI's profiler: its initialisation switches sampling off for the process.
 *
 * SAMPLING1  Sampling is started at the entry of a chosen launch. At its exit its stream is waited for, sampling is
 *            stopped, and then the samples are fetched: while it is on, CUPTI may keep some back.
 * SAMPLING2  A stream is waited for, never the context (tap_profiler_wait).
 * SAMPLING3  CUPTI runs one kernel at a time (serialized mode) and tells whose a sample is: those of others go.
 * SAMPLING4  Names of functions belong to CUPTI, which may share them among records: they are not freed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/profiler/internal.h"

#include <stddef.h>
#include <string.h>

#include "collectors/collector.h"
#include "trace/format/samples.h"

/* ------------------------------------------------------ what CUPTI's calls take */

#define BEGIN size_t size; void *none, *context
struct of_context { BEGIN; };
struct n_reasons { BEGIN; size_t *n; };
struct all_reasons { BEGIN; size_t n; uint32_t *index; char **names; };
struct attribute {
	int what, status;
	union { uint32_t number; void *at; struct { size_t n; uint32_t *index; } list; uint64_t words[3]; } is;
};
struct attributes { BEGIN; size_t n; struct attribute *all; };
struct get { BEGIN; void *data; };
#undef BEGIN

struct pc {
	size_t size;
	uint64_t crc, offset;
	uint32_t function, padding;
	char *name;
	size_t n;
	struct rec_samples_count *counts;
	uint32_t correlation;
};
struct data {
	size_t size, room;
	uint64_t total, dropped;
	size_t n, remaining;
	uint64_t range;
	struct pc *pcs;
	uint64_t others;
	uint8_t full;
};

enum { PERIOD = 1, REASONS_ASKED = 2, MODE = 5, START_STOP = 6, FORMAT = 7, BUFFER = 8 };
enum { SERIALIZED = 2, PARSED = 1 };
enum { SHORTEST = 5, LONGEST = 31, SHORTEST_TO_LONGEST = LONGEST - SHORTEST };  /* periods: 2^n cycles */
enum { OUT_OF_MEMORY = 8 };

enum {
	ENABLE = TAP_CUPTI_cuptiPCSamplingEnable,
	DISABLE = TAP_CUPTI_cuptiPCSamplingDisable,
	N_REASONS = TAP_CUPTI_cuptiPCSamplingGetNumStallReasons,
	REASON_NAMES = TAP_CUPTI_cuptiPCSamplingGetStallReasons,
	SET = TAP_CUPTI_cuptiPCSamplingSetConfigurationAttribute,
	GET = TAP_CUPTI_cuptiPCSamplingGetConfigurationAttribute,
	START = TAP_CUPTI_cuptiPCSamplingStart,
	STOP = TAP_CUPTI_cuptiPCSamplingStop,
	DATA = TAP_CUPTI_cuptiPCSamplingGetData,
};
static const uint8_t functions[] = { ENABLE, DISABLE, N_REASONS, REASON_NAMES, SET, GET, START, STOP, DATA };

/* ------------------------------------------------------------------- state */

enum { REASONS = REC_SAMPLES_REASONS, REASON_TEXT = 128, FUNCTIONS = 1024, INSTRUCTIONS = 1 << 16, COUNTS = 1 << 20,
	TEXTS = 1 << 18, AT_ONCE = 4096, ROUNDS = 1024 };

/* One mapping, of which only what is used takes memory. */
struct room {
	struct data data;
	struct pc in[AT_ONCE];
	struct rec_samples_count in_counts[AT_ONCE][REASONS];
	uint32_t index[REASONS];
	char name[REASONS][REASON_TEXT], *names[REASONS];
	bool sums[REASONS];             /* its samples are part of no other's */
	uint32_t reason_texts;          /* bytes of their names, which come first among the texts */
	struct rec_samples head;
	struct rec_samples_function function[FUNCTIONS];
	struct rec_samples_instruction instruction[INSTRUCTIONS];
	struct rec_samples_reason reason[REASONS];
	struct rec_samples_count count[COUNTS];
	char text[TEXTS];
};

static struct { struct tap_profiler_session common; bool enabled, started; } session;

static int of_context(int which)
{
	struct of_context p = { .size = sizeof p, .context = session.common.context };

	return tap_profiler_call(which, &p);
}

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

static bool take_reasons(struct room *r)
{
	size_t n = 0;
	struct n_reasons count = { .size = sizeof count, .context = session.common.context, .n = &n };
	struct all_reasons all = { .size = sizeof all, .context = session.common.context, .index = r->index,
		.names = r->names };
	int err = tap_profiler_call(N_REASONS, &count);

	if (err)
		return tap_profiler_refuse(N_REASONS, err);
	all.n = n < REASONS ? n : REASONS;
	for (size_t i = 0; i < REASONS; i++)
		r->names[i] = r->name[i];
	err = tap_profiler_call(REASON_NAMES, &all);
	if (err)
		return tap_profiler_refuse(REASON_NAMES, err);
	r->head.text_bytes = 1;
	for (uint32_t i = 0; i < all.n; i++) {
		r->name[i][REASON_TEXT - 1] = 0;
		r->reason[i] = (struct rec_samples_reason){ r->index[i], add_text(r, r->name[i]) };
		r->sums[i] = rec_samples_adds(r->name[i]);
	}
	r->head.reasons = (uint32_t)all.n;
	r->reason_texts = r->head.text_bytes;
	return true;
}

/* --sampling-interval, as CUPTI has it: 2^period cycles. 0: CUPTI chooses. */
static uint32_t period_asked(void)
{
	const char *said = tap_option("sampling-interval");
	uint32_t n = 0;

	if (*said < '0' || *said > '9')
		return 0;
	while (*said >= '0' && *said <= '9')
		n = 10 * n + (uint32_t)(*said++ - '0');
	return n < SHORTEST_TO_LONGEST ? SHORTEST + n : LONGEST;
}

static bool configure(struct room *r)
{
	struct attribute all[] = {
		{ .what = MODE, .is.number = SERIALIZED },
		{ .what = REASONS_ASKED, .is.list = { r->head.reasons, r->index } },
		{ .what = START_STOP, .is.number = 1 },
		{ .what = FORMAT, .is.number = PARSED },
		{ .what = BUFFER, .is.at = &r->data },
		{ .what = PERIOD, .is.number = period_asked() },       /* the last: left out where CUPTI chooses */
	}, period = { .what = PERIOD };
	struct attributes p = { .size = sizeof p, .context = session.common.context,
		.n = sizeof all / sizeof *all - !period_asked(), .all = all };
	int err = tap_profiler_call(SET, &p);

	if (err)
		return tap_profiler_refuse(SET, err);
	p.n = 1;
	p.all = &period;
	if (!tap_profiler_call(GET, &p) && period.is.number < 64)
		r->head.cycles = 1ull << period.is.number;
	return true;
}

static void close_session(void)
{
	if (session.enabled)
		of_context(DISABLE);
}

static bool open_session(const struct tap_counting_launch *l)
{
	struct room *r = session.common.room;
	int err;

	r->data = (struct data){ .size = sizeof r->data, .room = AT_ONCE, .pcs = r->in };
	for (int i = 0; i < AT_ONCE; i++)
		r->in[i] = (struct pc){ .size = sizeof r->in[i], .counts = r->in_counts[i] };
	if (!tap_profiler_device_can(l->device, TAP_PROFILER_PC_SAMPLING))
		return false;
	err = of_context(ENABLE);
	if (err)
		return tap_profiler_refuse(ENABLE, err);
	session.enabled = true;
	return take_reasons(r) && configure(r);
}

static bool start(void)
{
	int err = of_context(START);

	session.started = !err;
	return !err || tap_profiler_refuse(START, err);
}

/* ------------------------------------------------------------------ samples */

/* FUNCTIONS: there is no room for one more. */
static uint32_t function_of(struct room *r, const struct pc *pc)
{
	uint32_t before = r->head.functions;
	uint32_t i = tap_profiler_function(r->function, FUNCTIONS, &r->head.functions, pc->crc, pc->function);

	if (r->head.functions > before && pc->name)
		r->function[i].text = add_text(r, pc->name);
	return i;
}

static uint64_t samples_of(const struct room *r, const struct pc *pc)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < pc->n && i < REASONS; i++)
		for (uint32_t k = 0; k < r->head.reasons; k++)
			if (r->sums[k] && r->index[k] == pc->counts[i].reason)
				sum += pc->counts[i].samples;
	return sum;
}

/* SAMPLING3 */
static void take(struct room *r, const struct pc *pc, uint32_t correlation)
{
	struct rec_samples *h = &r->head;
	size_t n = pc->n < REASONS ? pc->n : REASONS;
	uint32_t function;

	if (pc->correlation && pc->correlation != correlation) {
		h->others += samples_of(r, pc);
		return;
	}
	function = function_of(r, pc);
	if (function == FUNCTIONS || h->instructions == INSTRUCTIONS || n > COUNTS - h->counts) {
		h->left_out += samples_of(r, pc);
		return;
	}
	r->instruction[h->instructions++] = (struct rec_samples_instruction){ pc->offset, function, (uint32_t)n };
	memcpy(&r->count[h->counts], pc->counts, n * sizeof *pc->counts);
	h->counts += (uint32_t)n;
}

static void fetch(struct room *r, uint32_t correlation)
{
	struct get p = { .size = sizeof p, .context = session.common.context, .data = &r->data };
	struct rec_samples *h = &r->head;
	const struct rec_samples empty = { .magic = REC_SAMPLES_MAGIC, .reasons = h->reasons, .cycles = h->cycles,
		.text_bytes = r->reason_texts };

	*h = empty;
	for (int i = 0; i < ROUNDS && h->state == REC_SAMPLES_WHOLE; i++) {
		int err;

		r->data.n = r->data.remaining = r->data.full = 0;
		r->data.total = r->data.dropped = r->data.others = 0;
		err = tap_profiler_call(DATA, &p);
		if (err || r->data.full)
			h->state = r->data.full || err == OUT_OF_MEMORY ? REC_SAMPLES_FULL : REC_SAMPLES_FAILED;
		h->total += r->data.total;
		h->dropped += r->data.dropped;
		h->others += r->data.others;
		for (size_t k = 0; k < r->data.n && k < AT_ONCE; k++)
			take(r, &r->data.pcs[k], correlation);
		if (!r->data.remaining)
			return;
	}
}

static void store(struct room *r, const struct tap_counting_launch *l, const struct tap_profiler_choice *c)
{
	struct rec_samples *h = &r->head;
	const void *const parts[] = { h, r->function, r->instruction, r->reason, r->count, r->text };
	const size_t bytes[] = { sizeof *h, h->functions * sizeof *r->function,
		h->instructions * sizeof *r->instruction, h->reasons * sizeof *r->reason,
		h->counts * sizeof *r->count, h->text_bytes };
	uint64_t id[2], total, lost;

	h->bytes = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		h->bytes += bytes[i];
	lost = h->dropped + h->left_out;
	tap_blob_store(REC_BLOB_COUNTERS, parts, bytes, sizeof parts / sizeof *parts, true, id, &total);
	tap_profiler_record(l, c, &(struct tap_profiler_found){ .image = rec_apart_image(REC_APART_SAMPLES),
		.id = { id[0], id[1] }, .bytes = h->bytes, .ranges = h->state == REC_SAMPLES_WHOLE,
		.dropped = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX });
	if (h->state == REC_SAMPLES_FULL)
		TAP_DEGRADE(TAP_PART_CUPTI,
			"samples of some launches are missing: the device's buffer of samples was full");
	else if (h->state == REC_SAMPLES_FAILED)
		tap_profiler_say_lost("samples of some launches are missing");
}

/*
 * SAMPLING1. What a launch that failed left is thrown away: it would count for the next one. Of one that does not come
 * back within the time limit there is nothing: what else ran meanwhile would be sampled with it.
 */
static void end(const struct tap_counting_launch *l, const struct tap_profiler_choice *c, bool keep)
{
	bool done;

	if (!session.started)
		return;
	done = tap_profiler_wait(l->stream, NULL);
	session.started = false;
	if (of_context(STOP)) {
		tap_lost(REC_LOSS_COUNTERS_LOST, 1);
		tap_profiler_say_lost("samples of some launches are missing");
		return;
	}
	fetch(session.common.room, l->correlation);
	if (keep && done)
		store(session.common.room, l, c);
}

const struct tap_profiler_way tap_profiler_samples = {
	.things = "samples of the program counter",
	.session = &session.common,
	.session_bytes = sizeof session,
	.room_bytes = sizeof(struct room),
	.library = library,
	.open = open_session,
	.start = start,
	.end = end,
	.close = close_session,
};
