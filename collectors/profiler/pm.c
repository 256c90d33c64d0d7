/*
 * collectors/profiler/pm.c - CUPTI's sampling of performance monitors: what a device counts as time goes, by launch
 *
 * Runs      on the program's threads, in the callback of a launch, by the holder of the gate.
 * May       call CUPTI's sampling and ask whether the stream of the launch is done.
 * Must not  wait for a context: that would end a capture of another thread.
 *
 * MONITORS1  Sampling is started at the entry of a chosen launch. At its exit its stream is asked, again and again,
 *            whether it is done, and what the device's buffer holds is fetched meanwhile, an image of them at a time: a
 *            full one loses samples, and they may come faster than CUPTI gives them away. So no thread of ours is
 *            needed. Then sampling is stopped, and the rest is fetched.
 * MONITORS2  A device has one set of monitors: what else runs on it meanwhile is counted too, of whatever process. The
 *            reader keeps of the samples those of the kernel's time.
 * MONITORS3  An image of counter data that is full is kept as it is, and the next one begins empty.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/profiler/internal.h"

#include <stddef.h>
#include <string.h>

#include "collectors/collector.h"
#include "trace/format/pm_samples.h"
#include "trace/write/text.h"

/* ------------------------------------------------------ what CUPTI's calls take */

#define BEGIN size_t size; void *none
struct enable { BEGIN; size_t device; void *object; };
struct of_object { BEGIN; void *object; };
struct set_config {
	BEGIN;
	void *object;
	size_t config_bytes;
	const uint8_t *config;
	size_t buffer_bytes;
	uint64_t interval;
	int trigger, append;
};
struct data_size { BEGIN; void *object; const char **names; size_t n; uint32_t samples; size_t bytes; };
struct data_initialize { BEGIN; void *object; size_t bytes; uint8_t *data; };
struct decode { BEGIN; void *object; uint8_t *data; size_t bytes; int reason; uint8_t overflow; };
struct data_info { BEGIN; const uint8_t *data; size_t bytes, total, populated, completed; };
struct sample_info { BEGIN; void *object; const uint8_t *data; size_t bytes, sample; uint64_t begin, end; };
#undef BEGIN

enum { KEEP_OLDEST = 0, DATA_FULL = 1 };        /* append; reason */

/* The size counts to the end of the last member. */
#define PARAMS(type, last, ...) \
	struct type p = { .size = offsetof(struct type, last) + sizeof ((struct type *)0)->last, __VA_ARGS__ }

enum {
	ENABLE = TAP_CUPTI_cuptiPmSamplingEnable,
	DISABLE = TAP_CUPTI_cuptiPmSamplingDisable,
	SET_CONFIG = TAP_CUPTI_cuptiPmSamplingSetConfig,
	DATA_SIZE = TAP_CUPTI_cuptiPmSamplingGetCounterDataSize,
	DATA_INITIALIZE = TAP_CUPTI_cuptiPmSamplingCounterDataImageInitialize,
	START = TAP_CUPTI_cuptiPmSamplingStart,
	STOP = TAP_CUPTI_cuptiPmSamplingStop,
	DECODE = TAP_CUPTI_cuptiPmSamplingDecodeData,
	DATA_INFO = TAP_CUPTI_cuptiPmSamplingGetCounterDataInfo,
	SAMPLE_INFO = TAP_CUPTI_cuptiPmSamplingCounterDataGetSampleInfo,
};
static const uint8_t functions[] = { ENABLE, DISABLE, SET_CONFIG, DATA_SIZE, DATA_INITIALIZE, START, STOP, DECODE,
	DATA_INFO, SAMPLE_INFO };

/* ------------------------------------------------------------------- state */

enum { A_TIME = 256, LEAST = 8, DATA = 48 << 20, TIMES = 1 << 18, IMAGES = REC_PM_IMAGES, ROUNDS = 1 << 16 };
enum { INTERVAL_NS = 2000, INTERVAL_CYCLES = 20000, BUFFER = 64 << 20 };        /* where nothing is asked for */

/* One mapping, of which only what is used takes memory. */
struct room {
	struct rec_pm head;
	struct rec_pm_image image[IMAGES];
	struct rec_pm_time time[TIMES];
	uint64_t used;                          /* of data */
	uint8_t data[DATA];
};

static struct {
	struct tap_profiler_session common;
	void *object;
	uint32_t image;
	uint8_t *data; size_t data_bytes;       /* the image that CUPTI fills */
	bool started;
} session;

static struct room *room(void) { return session.common.room; }

static int of_object(int which)
{
	PARAMS(of_object, object, .object = session.object);

	return tap_profiler_call(which, &p);
}

/* Samples that have no place in time are none. */
static uint64_t now(void)
{
	uint64_t ns = 0;
	int err;

	tap_tls.own_calls++;
	err = tap_cupti_asked.time(&ns);
	tap_tls.own_calls--;
	if (err)
		room()->head.state = REC_PM_FAILED;
	return err ? 0 : ns;
}

static const char *library(void *handle, void *driver)
{
	(void)driver;
	return tap_profiler_find(handle, functions, sizeof functions);
}

/* ----------------------------------------------------------------- session */

static void close_session(void)
{
	if (session.object)
		of_object(DISABLE);
	if (session.data)
		tap_sys_munmap(session.data, session.data_bytes);
}

/* By a clock of its own, but for the chips that cannot: the interval of these is in cycles. */
static enum rec_pm_trigger trigger_of(const char *chip)
{
	return (chip[0] == 'T' && chip[1] == 'U') || tap_text_equal(chip, "GA100") ? REC_PM_CYCLES : REC_PM_TIME;
}

static bool configure(const struct rec_counters_image *im, const uint8_t *config)
{
	struct rec_pm *h = &room()->head;
	uint64_t interval = tap_option_number("pm-sampling-interval"),
		 buffer = tap_option_number("pm-sampling-buffer-size");
	PARAMS(set_config, append, .object = session.object, .config_bytes = im->config_bytes, .config = config,
		.append = KEEP_OLDEST);
	int err;

	h->trigger = trigger_of(im->chip);
	h->interval = interval ? interval : h->trigger == REC_PM_TIME ? INTERVAL_NS : INTERVAL_CYCLES;
	h->buffer_bytes = buffer ? buffer : BUFFER;
	p.interval = h->interval;
	p.trigger = (int)h->trigger;
	p.buffer_bytes = h->buffer_bytes;
	err = tap_profiler_call(SET_CONFIG, &p);
	return !err || tap_profiler_refuse(SET_CONFIG, err);
}

/* Several images have to find room, so each is small. */
static bool make_data(const struct rec_counters_image *im, const char *at)
{
	const char **list = tap_profiler_list(at, im->metrics);
	PARAMS(data_size, bytes, .object = session.object, .names = list, .n = im->metrics, .samples = A_TIME);
	int err;

	if (!list)
		return tap_profiler_refuse_because("no memory for the list of metrics");
	while (!(err = tap_profiler_call(DATA_SIZE, &p)) && p.bytes > DATA / 8 && p.samples > LEAST)
		p.samples /= 2;
	tap_profiler_list_free(list, p.n);
	if (err)
		return tap_profiler_refuse(DATA_SIZE, err);
	if (p.bytes > DATA || p.bytes > UINT32_MAX)
		return tap_profiler_refuse_because("an image of samples is too large to be kept");
	session.data_bytes = p.bytes;
	session.data = tap_sys_mmap(NULL, p.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return session.data || tap_profiler_refuse_because("no memory for an image of samples");
}

static int new_data(void)
{
	PARAMS(data_initialize, data, .object = session.object, .bytes = session.data_bytes, .data = session.data);

	return tap_profiler_call(DATA_INITIALIZE, &p);
}

static bool open_session(const struct tap_counting_launch *l)
{
	PARAMS(enable, object, .device = l->device);
	const struct rec_counters_image *im;
	const struct rec_counters *plan;
	const char *chip;
	int err;

	chip = tap_profiler_chip(l->device);
	if (!chip || !tap_profiler_device_can(l->device, TAP_PROFILER_PM_SAMPLING))
		return false;
	im = tap_profiler_planned(tap_profiler_class(), chip, &plan);
	if (!im)
		return tap_profiler_refuse_because("they were planned for another chip than the device's (--chip)");
	session.image = (uint32_t)(im - (const struct rec_counters_image *)(const void *)(plan + 1));
	if (im->passes != 1)
		return tap_profiler_refuse_because("what was planned takes several passes, and samples are of one");
	err = tap_profiler_call(ENABLE, &p);
	if (err)
		return tap_profiler_refuse(ENABLE, err);
	session.object = p.object;
	return configure(im, (const uint8_t *)plan + im->config) &&
		make_data(im, (const char *)plan + im->names);
}

static bool start(void)
{
	struct room *r = room();
	int err = new_data();

	if (err)
		return tap_profiler_refuse(DATA_INITIALIZE, err);
	r->used = 0;
	r->head.state = REC_PM_WHOLE;
	r->head.images = r->head.samples = 0;
	r->head.begin_ns = now();
	err = of_object(START);
	if (err)
		return tap_profiler_refuse(START, err);
	__atomic_store_n(&session.started, true, __ATOMIC_RELEASE);
	return true;
}

/* ------------------------------------------------------------------ samples */

/* MONITORS3. False: the trace's share is used up, or CUPTI does not tell. */
static bool keep_image(struct room *r)
{
	PARAMS(data_info, completed, .data = session.data, .bytes = session.data_bytes);
	struct rec_pm *h = &r->head;
	uint64_t bytes = rec_pm_room(session.data_bytes);

	if (tap_profiler_call(DATA_INFO, &p)) {
		h->state = REC_PM_FAILED;
		return false;
	}
	if (!p.completed)
		return true;
	if (h->images == IMAGES || p.completed > TIMES - h->samples || bytes > DATA - r->used) {
		h->state = REC_PM_FULL;
		return false;
	}
	for (size_t i = 0; i < p.completed; i++) {
		struct sample_info s = { .size = sizeof s, .object = session.object, .data = session.data,
			.bytes = session.data_bytes, .sample = i };

		if (tap_profiler_call(SAMPLE_INFO, &s)) {
			h->state = REC_PM_FAILED;
			return false;
		}
		r->time[h->samples + i] = (struct rec_pm_time){ s.begin, s.end };
	}
	memcpy(r->data + r->used, session.data, session.data_bytes);
	memset(r->data + r->used + session.data_bytes, 0, bytes - session.data_bytes);
	r->used += bytes;
	r->image[h->images++] = (struct rec_pm_image){ (uint32_t)session.data_bytes, (uint32_t)p.completed };
	h->samples += (uint32_t)p.completed;
	return true;
}

/* Of what the device's buffer holds as much as an image takes; whether there may be more. */
static bool fetch_some(void)
{
	struct room *r = room();
	PARAMS(decode, overflow, .object = session.object, .data = session.data, .bytes = session.data_bytes);

	if (r->head.state != REC_PM_WHOLE)
		return false;
	if (tap_profiler_call(DECODE, &p))
		r->head.state = REC_PM_FAILED;
	else if (p.overflow)
		r->head.state = REC_PM_OVERFLOW;
	if (r->head.state != REC_PM_WHOLE || p.reason != DATA_FULL || !keep_image(r))
		return false;
	if (new_data())
		r->head.state = REC_PM_FAILED;
	return r->head.state == REC_PM_WHOLE;
}

static void tell_of_loss(uint32_t state)
{
	static const char *const why[REC_PM_STATES] = { [REC_PM_OVERFLOW] = "the device's buffer was full: a longer "
		"--pm-sampling-interval, or a larger --pm-sampling-buffer-size",
		[REC_PM_FULL] = "there are more of a launch than are kept: a longer --pm-sampling-interval" };

	if (state == REC_PM_FAILED)
		tap_profiler_say_lost("samples of performance monitors of some launches are missing");
	else if (why[state])
		TAP_DEGRADE(TAP_PART_CUPTI, "samples of performance monitors of some launches are missing: %s",
			why[state]);
}

static void store(struct room *r, const struct tap_counting_launch *l, const struct tap_profiler_choice *c)
{
	struct rec_pm *h = &r->head;
	const void *const parts[] = { h, r->image, r->time, r->data };
	const size_t bytes[] = { sizeof *h, h->images * sizeof *r->image, h->samples * sizeof *r->time, r->used };
	uint64_t id[2], total;

	h->magic = REC_PM_MAGIC;
	h->bytes = 0;
	h->image = session.image;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		h->bytes += bytes[i];
	tap_blob_store(REC_BLOB_COUNTERS, parts, bytes, sizeof parts / sizeof *parts, true, id, &total);
	tap_profiler_record(l, c, &(struct tap_profiler_found){ .image = rec_apart_image(tap_profiler_class()),
		.id = { id[0], id[1] }, .bytes = h->bytes, .ranges = h->state == REC_PM_WHOLE });
	tell_of_loss(h->state);
}

/* MONITORS1. What a launch that failed, or that does not come back, left is thrown away. */
static void end(const struct tap_counting_launch *l, const struct tap_profiler_choice *c, bool keep)
{
	struct room *r = room();
	bool done;

	if (!TAP_READ_ONCE(session.started))
		return;
	done = tap_profiler_wait(l->stream, fetch_some);
	session.started = false;
	if (of_object(STOP))
		r->head.state = REC_PM_FAILED;
	r->head.end_ns = now();
	for (int i = 0; i < ROUNDS && fetch_some(); i++)
		;
	if (r->head.state == REC_PM_WHOLE)
		keep_image(r);
	if (done && keep)
		store(r, l, c);
}

const struct tap_profiler_way tap_profiler_pm_sampling = {
	.things = "samples of performance monitors",
	.needs_profiler = true,
	.of_device = true,
	.since = "12.8's",
	.session = &session.common,
	.session_bytes = sizeof session,
	.room_bytes = sizeof(struct room),
	.library = library,
	.open = open_session,
	.start = start,
	.end = end,
	.close = close_session,
};
