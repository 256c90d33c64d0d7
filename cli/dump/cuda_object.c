/*
 * cli/dump/cuda_object.c - gputap dump: CUDA's libraries, buffers, devices, contexts, streams and modules, and what was
 * counted
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/dump/dump.h"
#include "model/cuda/cuda.h"
#include "trace/format/pm_samples.h"
#include "trace/format/samples.h"
#include "trace/format/sass.h"

#define L struct gt_cuda_library
static const struct gt_shown library_fields[] = {
	GT_WHOSE(L),
	{ "cupti", gt_show_number, GT_NUMBER(L, cupti_version) },
	{ "driver", gt_show_set, GT_NUMBER(L, driver_version) },
	{ "stand_in", gt_show_flag, GT_NUMBER(L, flags), .mask = REC_CUPTI_STAND_IN },
	{ "per_thread_buffers", gt_show_flag, GT_NUMBER(L, flags), .mask = REC_CUPTI_PER_THREAD_BUFFERS },
	{ "late", gt_show_flag, GT_NUMBER(L, flags), .mask = REC_CUPTI_LATE },
	{ "path", gt_show_string, GT_PLACE(L, path) },
	{ "clock_error_ns", gt_show_known, GT_NUMBER(L, clock_error_ns) },
	{ "buffers", gt_show_number, GT_NUMBER(L, buffers) },
	{ "uncompleted", gt_show_number, GT_NUMBER(L, uncompleted) },
	{ "records", gt_show_number, GT_NUMBER(L, records) },
	{ "dropped", gt_show_number, GT_NUMBER(L, dropped) },
};

#define B struct gt_cuda_buffer
static const struct gt_shown buffer_fields[] = {
	GT_WHOSE(B),
	{ "number", gt_show_number, GT_NUMBER(B, number) },
	{ "requested_ns", gt_show_when, GT_NUMBER(B, requested_ns) },
	{ "completed_ns", gt_show_when, GT_NUMBER(B, completed_ns) },
	{ "room", gt_show_number, GT_NUMBER(B, room) },
	{ "valid", gt_show_number, GT_NUMBER(B, valid) },
	{ "completed", gt_show_flag, GT_NUMBER(B, completed) },
};

static bool uuid(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_cuda_device *d = record;
	const char *quote = s->json ? "\"" : "";

	(void)f;
	gt_text_str(s->t, quote);
	for (size_t i = 0; i < sizeof d->uuid; i++)
		gt_text_hex(s->t, d->uuid[i], 2, false);
	gt_text_str(s->t, quote);
	return true;
}

#define D struct gt_cuda_device
static const struct gt_shown device_fields[] = {
	GT_WHOSE(D),
	{ "id", gt_show_number, GT_NUMBER(D, id) },
	{ "index", gt_show_number, GT_NUMBER(D, index) },
	{ "name", gt_show_string, GT_PLACE(D, name) },
	{ "uuid", uuid, GT_OWN, GT_HAS(D, has_uuid) },
	{ "compute_major", gt_show_known, GT_NUMBER(D, compute_major) },
	{ "compute_minor", gt_show_known, GT_NUMBER(D, compute_minor) },
	{ "sms", gt_show_known, GT_NUMBER(D, sms) },
	{ "clock_khz", gt_show_known, GT_NUMBER(D, clock_khz) },
	{ "memory_bytes", gt_show_known, GT_NUMBER(D, memory_bytes) },
	{ "memory_bandwidth", gt_show_known, GT_NUMBER(D, memory_bandwidth) },
	{ "l2_bytes", gt_show_known, GT_NUMBER(D, l2_bytes) },
	{ "stand_in", gt_show_flag, GT_NUMBER(D, stand_in) },
};

#define X struct gt_cuda_context
static const struct gt_shown context_fields[] = {
	GT_WHOSE(X),
	{ "id", gt_show_number, GT_NUMBER(X, id) },
	{ "device", gt_show_id, GT_NUMBER(X, device) },
	{ "null_stream", gt_show_id, GT_NUMBER(X, null_stream) },
	{ "parent", gt_show_id, GT_NUMBER(X, parent) },
	{ "green", gt_show_flag, GT_NUMBER(X, green) },
	{ "sms", gt_show_known, GT_NUMBER(X, sms) },
	{ "created_ns", gt_show_when, GT_NUMBER(X, created_ns) },
	{ "destroyed_ns", gt_show_when, GT_NUMBER(X, destroyed_ns) },
};

#define S struct gt_cuda_stream
static const struct gt_shown stream_fields[] = {
	GT_WHOSE(S),
	{ "id", gt_show_number, GT_NUMBER(S, id) },
	{ "context", gt_show_id, GT_NUMBER(S, context) },
	{ "priority", gt_show_number, GT_NUMBER(S, priority) },
	{ "flag", gt_show_number, GT_NUMBER(S, flag) },
	{ "handle", gt_show_set_hex, GT_NUMBER(S, handle) },
	{ "created_ns", gt_show_when, GT_NUMBER(S, created_ns) },
};

#define M struct gt_cuda_module
static const struct gt_shown module_fields[] = {
	GT_WHOSE(M),
	{ "id", gt_show_number, GT_NUMBER(M, id) },
	{ "context", gt_show_number, GT_NUMBER(M, context) },
	{ "loaded_ns", gt_show_when, GT_NUMBER(M, loaded_ns) },
	{ "unloaded_ns", gt_show_when, GT_NUMBER(M, unloaded_ns) },
	{ "bytes", gt_show_number, GT_NUMBER(M, bytes) },
	{ "content", gt_show_content_id, GT_PLACE(M, content) },
	{ "cubin_crc", gt_show_set_hex, GT_NUMBER(M, crc) },
};

#define N struct gt_counters
static const struct gt_shown counters_fields[] = {
	GT_WHOSE(N),
	{ "time_ns", gt_show_when, GT_NUMBER(N, time_ns) },
	{ "correlation", gt_show_number, GT_NUMBER(N, correlation) },
	{ "context", gt_show_number, GT_NUMBER(N, context) },
	{ "device", gt_show_number, GT_NUMBER(N, device) },
	{ "grid", gt_show_sizes, GT_PLACE(N, grid) },
	{ "block", gt_show_sizes, GT_PLACE(N, block) },
	{ "ranges", gt_show_number, GT_NUMBER(N, ranges) },
	{ "dropped", gt_show_number, GT_NUMBER(N, dropped) },
	{ "plan", gt_show_number, GT_NUMBER(N, image) },
	{ "id", gt_show_content_id, GT_PLACE(N, id) },
	{ "bytes", gt_show_number, GT_NUMBER(N, bytes) },
	{ "kernel", gt_show_string, GT_PLACE(N, symbol) },
};

#define SHAPE(name) \
	static const struct gt_shape name##_shape = { \
		"cuda_" #name, "cuda " #name " {pid}*", { GT_FIELDS(name##_fields) } }
SHAPE(library);
SHAPE(buffer);
SHAPE(device);
SHAPE(context);
SHAPE(stream);
SHAPE(module);
SHAPE(counters);

/* Samples of the program counter of a launch: as a whole; at one instruction, for one reason. */
struct shown_samples {
	uint32_t process, correlation, run;       /* run of the program; 0: this trace's own */
	uint64_t total, dropped, left_out, others, cycles;
	uint32_t instructions;
	struct gt_string symbol;
};
struct shown_sample {
	uint32_t process, correlation;
	uint64_t crc, offset;
	uint32_t samples;
	const char *function, *reason;
};

#define W struct shown_samples
static const struct gt_shown samples_fields[] = {
	GT_WHOSE(W),
	{ "correlation", gt_show_number, GT_NUMBER(W, correlation) },
	{ "run", gt_show_set, GT_NUMBER(W, run) },
	{ "total", gt_show_number, GT_NUMBER(W, total) },
	{ "dropped", gt_show_number, GT_NUMBER(W, dropped) },
	{ "left_out", gt_show_set, GT_NUMBER(W, left_out) },
	{ "of_others", gt_show_set, GT_NUMBER(W, others) },
	{ "interval_cycles", gt_show_set, GT_NUMBER(W, cycles) },
	{ "instructions", gt_show_number, GT_NUMBER(W, instructions) },
	{ "kernel", gt_show_string, GT_PLACE(W, symbol) },
};

#define ONE struct shown_sample
static const struct gt_shown sample_fields[] = {
	GT_WHOSE(ONE),
	{ "correlation", gt_show_number, GT_NUMBER(ONE, correlation) },
	{ "cubin_crc", gt_show_hex, GT_NUMBER(ONE, crc) },
	{ "function", gt_show_c_string, GT_PLACE(ONE, function) },
	{ "offset", gt_show_number, GT_NUMBER(ONE, offset) },
	{ "reason", gt_show_c_string, GT_PLACE(ONE, reason) },
	{ "samples", gt_show_number, GT_NUMBER(ONE, samples) },
};
SHAPE(samples);
SHAPE(sample);

static const char *reason_of(const struct rec_samples_parts *p, uint32_t index)
{
	for (uint32_t i = 0; i < p->head->reasons; i++)
		if (p->reasons[i].index == index)
			return p->texts + p->reasons[i].text;
	return "";
}

static void dump_sample(struct gt_show *s, const struct gt_counters *c, const struct rec_samples_parts *p)
{
	const struct rec_samples_count *count = p->counts;

	for (uint32_t i = 0; i < p->head->instructions; i++) {
		const struct rec_samples_function *f = &p->functions[p->instructions[i].function];

		for (uint32_t k = 0; k < p->instructions[i].counts; k++, count++)
			gt_show_record(s, &sample_shape, &(struct shown_sample){ c->process, c->correlation, f->crc,
				p->instructions[i].offset, count->samples, p->texts + f->text,
				reason_of(p, count->reason) });
	}
}

static void dump_samples(struct gt_show *s, const struct gt_counters *c)
{
	struct rec_samples_parts p;

	if (gt_model_samples(s->m, c, &p) <= 0)
		return;
	gt_show_record(s, &samples_shape, &(struct shown_samples){ c->process, c->correlation,
		c->apart[REC_APART_SAMPLES].run, p.head->total, p.head->dropped, p.head->left_out, p.head->others,
		p.head->cycles, p.head->instructions, c->symbol });
	dump_sample(s, c, &p);
}

/* Samples of performance monitors of a launch: as a whole; when one was taken. Values are the library's to tell. */
struct shown_pm_samples {
	uint32_t process, correlation, run, plan, samples, images;
	uint64_t cycles, ns, begin_ns, end_ns;
	const char *state;
	struct gt_string symbol;
};
struct shown_pm_sample { uint32_t process, correlation, plan, number; uint64_t begin_ns, end_ns; };

#define P struct shown_pm_samples
static const struct gt_shown pm_samples_fields[] = {
	GT_WHOSE(P),
	{ "correlation", gt_show_number, GT_NUMBER(P, correlation) },
	{ "run", gt_show_set, GT_NUMBER(P, run) },
	{ "plan", gt_show_number, GT_NUMBER(P, plan) },
	{ "state", gt_show_c_string, GT_PLACE(P, state) },
	{ "samples", gt_show_number, GT_NUMBER(P, samples) },
	{ "images", gt_show_number, GT_NUMBER(P, images) },
	{ "interval_ns", gt_show_set, GT_NUMBER(P, ns) },
	{ "interval_cycles", gt_show_set, GT_NUMBER(P, cycles) },
	{ "begin_ns", gt_show_number, GT_NUMBER(P, begin_ns) },
	{ "end_ns", gt_show_number, GT_NUMBER(P, end_ns) },
	{ "kernel", gt_show_string, GT_PLACE(P, symbol) },
};
#define Q struct shown_pm_sample
static const struct gt_shown pm_sample_fields[] = {
	GT_WHOSE(Q),
	{ "correlation", gt_show_number, GT_NUMBER(Q, correlation) },
	{ "plan", gt_show_number, GT_NUMBER(Q, plan) },
	{ "number", gt_show_number, GT_NUMBER(Q, number) },
	{ "begin_ns", gt_show_number, GT_NUMBER(Q, begin_ns) },
	{ "end_ns", gt_show_number, GT_NUMBER(Q, end_ns) },
};
SHAPE(pm_samples);
SHAPE(pm_sample);

static void dump_monitors(struct gt_show *s, const struct gt_counters *c)
{
	static const char *const states[REC_PM_STATES] = { [REC_PM_WHOLE] = "whole", [REC_PM_OVERFLOW] = "overflow",
		[REC_PM_FULL] = "full", [REC_PM_FAILED] = "failed" };

	for (uint32_t k = REC_APART_PM; k < REC_APARTS; k++) {
		struct rec_pm_parts p;
		const struct rec_pm *h;

		if (gt_model_pm_samples(s->m, c, (enum rec_apart)k, &p) <= 0)
			continue;
		h = p.head;
		gt_show_record(s, &pm_samples_shape, &(struct shown_pm_samples){ c->process, c->correlation,
			c->apart[k].run, h->image, h->samples, h->images, h->trigger == REC_PM_CYCLES ? h->interval : 0,
			h->trigger == REC_PM_TIME ? h->interval : 0, h->begin_ns, h->end_ns, states[h->state],
			c->symbol });
		for (uint32_t i = 0; i < h->samples; i++)
			gt_show_record(s, &pm_sample_shape, &(struct shown_pm_sample){ c->process, c->correlation,
				h->image, i, p.times[i].begin_ns, p.times[i].end_ns });
	}
}

/* Counts by instruction of a launch: as a whole; at one instruction, of one metric. */
struct shown_sass {
	uint32_t process, correlation, run;       /* run of the program; 0: this trace's own */
	uint32_t state, instructions, metrics;
	uint64_t left_out, dropped;
	struct gt_string symbol;
};
struct shown_sass_count {
	uint32_t process, correlation;
	uint64_t crc, offset, value;
	const char *function, *metric;
};

#define SASS struct shown_sass
static const struct gt_shown sass_fields[] = {
	GT_WHOSE(SASS),
	{ "correlation", gt_show_number, GT_NUMBER(SASS, correlation) },
	{ "run", gt_show_set, GT_NUMBER(SASS, run) },
	{ "state", gt_show_set, GT_NUMBER(SASS, state) },
	{ "instructions", gt_show_number, GT_NUMBER(SASS, instructions) },
	{ "metrics", gt_show_number, GT_NUMBER(SASS, metrics) },
	{ "left_out", gt_show_set, GT_NUMBER(SASS, left_out) },
	{ "dropped", gt_show_set, GT_NUMBER(SASS, dropped) },
	{ "kernel", gt_show_string, GT_PLACE(SASS, symbol) },
};

#define COUNT struct shown_sass_count
static const struct gt_shown sass_count_fields[] = {
	GT_WHOSE(COUNT),
	{ "correlation", gt_show_number, GT_NUMBER(COUNT, correlation) },
	{ "cubin_crc", gt_show_hex, GT_NUMBER(COUNT, crc) },
	{ "function", gt_show_c_string, GT_PLACE(COUNT, function) },
	{ "offset", gt_show_number, GT_NUMBER(COUNT, offset) },
	{ "metric", gt_show_c_string, GT_PLACE(COUNT, metric) },
	{ "value", gt_show_number, GT_NUMBER(COUNT, value) },
};
SHAPE(sass);
SHAPE(sass_count);

static void dump_sass(struct gt_show *s, const struct gt_counters *c)
{
	struct rec_sass_parts p;
	const struct rec_sass_value *v;

	if (gt_model_sass(s->m, c, &p) <= 0)
		return;
	gt_show_record(s, &sass_shape, &(struct shown_sass){ c->process, c->correlation, c->apart[REC_APART_SASS].run,
		p.head->state, p.head->instructions, p.head->metrics, p.head->left_out, p.head->dropped, c->symbol });
	v = p.values;
	for (uint32_t i = 0; i < p.head->instructions; i++) {
		const struct rec_samples_function *f = &p.functions[p.instructions[i].function];

		for (uint32_t k = 0; k < p.instructions[i].values; k++, v++)
			gt_show_record(s, &sass_count_shape, &(struct shown_sass_count){ c->process, c->correlation,
				f->crc, p.instructions[i].offset, v->value, p.texts + f->text,
				p.texts + p.metrics[v->metric].text });
	}
}

static void dump_counters(struct gt_show *s)
{
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(s->m, &all);

	for (uint32_t i = 0; i < n; i++) {
		if (all[i].image <= UINT32_MAX - REC_APARTS)
			gt_show_record(s, &counters_shape, &all[i]);
		dump_samples(s, &all[i]);
		dump_monitors(s, &all[i]);
		dump_sass(s, &all[i]);
	}
}

void gt_dump_cuda_objects(struct gt_show *s)
{
	const struct gt_cuda *c = s->cuda;

	for (uint32_t i = 0; i < gt_model_process_count(s->m); i++)
		if (gt_cuda_library(c, i))
			gt_show_record(s, &library_shape, gt_cuda_library(c, i));
	for (uint32_t i = 0; i < gt_cuda_buffer_count(c); i++) {
		const struct gt_cuda_buffer b = gt_cuda_buffer(c, i);

		gt_show_record(s, &buffer_shape, &b);
	}
	for (uint32_t i = 0; i < gt_cuda_device_count(c); i++)
		gt_show_record(s, &device_shape, gt_cuda_device(c, i));
	for (uint32_t i = 0; i < gt_cuda_context_count(c); i++)
		gt_show_record(s, &context_shape, gt_cuda_context(c, i));
	for (uint32_t i = 0; i < gt_cuda_stream_count(c); i++)
		gt_show_record(s, &stream_shape, gt_cuda_stream(c, i));
	for (uint32_t i = 0; i < gt_cuda_module_count(c); i++)
		gt_show_record(s, &module_shape, gt_cuda_module(c, i));
	dump_counters(s);
}
