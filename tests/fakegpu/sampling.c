/*
 * tests/fakegpu/sampling.c - CUPTI's sampling of the program counter, in one context
 *
 * Nothing is sampled: a kernel has the instructions that its module's code has (cubin.c); what is counted at each for
 * each reason follows from its place, the reason and the launch's threads. $FAKEGPU_SAMPLES is a witness: a line for
 * each count of each launch that was sampled (correlation id, kernel, offset, reason, samples, CRC of the code).
 *
 * As with the real library, samples are there when the kernel is over and sampling was stopped, and a process that has
 * initialised the profiler samples nothing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN size_t size; void *none; struct fg_context *context
enum { PERIOD = 1, REASONS_ASKED, SCRATCH, HARDWARE, MODE, START_STOP, FORMAT, BUFFER, SLEEP };
enum { CONTINUOUS = 1, SERIALIZED };
enum { MOST = 4096, OUT_OF_MEMORY = 8 };

/* Their numbers are not their places. */
static const struct { uint32_t index; const char *name; } reasons[] = {
	{ 4, "smsp__pcsamp_warps_issue_stalled_selected" },
	{ 7, "smsp__pcsamp_warps_issue_stalled_long_scoreboard" },
	{ 8, "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued" },
	{ 2, "smsp__pcsamp_warps_issue_stalled_wait" },
	{ 9, "smsp__pcsamp_warps_issue_stalled_wait_not_issued" },
};
enum { REASONS = sizeof reasons / sizeof *reasons };

struct count { uint32_t reason, samples; };
struct pc {
	size_t size;
	uint64_t crc, offset;
	uint32_t function, pad;
	char *name;
	size_t n;
	struct count *counts;
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

struct sampled {
	char name[FG_NAME];
	uint32_t correlation, index, instructions;
	uint64_t crc, threads, end;
	bool whole;
};
static struct {
	struct fg_context *context;             /* NULL: it is off */
	bool started, start_stop;
	uint32_t mode, period;
	uint64_t dropped;
	struct sampled kernels[64];
	size_t n;
	struct { struct sampled *of; uint32_t place; } pcs[MOST];
	size_t n_pcs, given;
} sampling;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t samples(const struct sampled *k, uint32_t place, uint32_t reason)
{
	uint64_t said;

	if (fg_said_value_at(k->name, reasons[reason].name, place * 16, &said))
		return (uint32_t)said;
	return (place + reason) % 3 ? (uint32_t)(k->threads % 1000 + place * 10 + reason) : 0;
}

/* As on a device: an instruction at which nothing was sampled is not told of. */
static bool any_samples(const struct sampled *k, uint32_t place)
{
	for (uint32_t r = 0; r < REASONS; r++)
		if (samples(k, place, r))
			return true;
	return false;
}

static void witness(const struct sampled *k)
{
	const char *path = getenv("FAKEGPU_SAMPLES");
	FILE *f = path ? fopen(path, "a") : NULL;

	for (uint32_t i = 0; f && i < k->instructions; i++)
		for (uint32_t r = 0; r < REASONS; r++)
			if (samples(k, i, r))
				fprintf(f, "%u %s %u %s %u %#llx\n", k->correlation, k->name, i * 16, reasons[r].name,
					samples(k, i, r), (unsigned long long)k->crc);
	if (f)
		fclose(f);
}

static void add(const struct fg_function *f, const struct fg_op *op)
{
	struct sampled *k = &sampling.kernels[sampling.n];

	if (sampling.n == sizeof sampling.kernels / sizeof *sampling.kernels)
		return;
	sampling.n++;
	snprintf(k->name, sizeof k->name, "%s", f->name);
	k->correlation = op->correlation;
	k->crc = f->module->crc;
	k->index = f->index;
	k->instructions = f->instructions;
	k->threads = (uint64_t)op->grid.x * op->grid.y * op->grid.z * op->block.x * op->block.y * op->block.z;
	k->end = op->end;
}

static void launched(struct fg_context *context, const struct fg_op *op)
{
	long dropped = 0;

	pthread_mutex_lock(&lock);
	if (sampling.context == context && (sampling.started || !sampling.start_stop)) {
		const struct fg_function *f = fg_fault("code-calls", NULL) ? op->f->module->functions : NULL;

		for (; f; f = f->next)
			if (f != op->f)
				add(f, op);
		add(op->f, op);
		if (fg_fault("samples-dropped", &dropped))
			sampling.dropped += (uint64_t)dropped;
	}
	pthread_mutex_unlock(&lock);
}

struct of_context { BEGIN; };
FG_EXPORT int cuptiPCSamplingEnable(struct of_context *p)
{
	if (!fg_state.initialised) {
		fprintf(stderr, "gputap stand-in: %s without a driver\n", __func__);
		abort();
	}
	if (!p->context)
		return CUPTI_INVALID_PARAMETER;
	if (fg_fault("counters-no-permission", NULL))
		return CUPTI_PRIVILEGES;
	if (sampling.context || fg_profiler_initialised)
		return CUPTI_INVALID_OPERATION;
	sampling.context = p->context;
	sampling.mode = CONTINUOUS;
	sampling.period = 12;
	fg_state.launched = launched;
	return CUPTI_OK;
}

FG_EXPORT int cuptiPCSamplingDisable(struct of_context *p)
{
	if (p->context != sampling.context)
		return CUPTI_INVALID_OPERATION;
	fg_state.launched = NULL;
	pthread_mutex_lock(&lock);
	memset(&sampling, 0, sizeof sampling);
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

struct n_reasons { BEGIN; size_t *n; };
FG_EXPORT int cuptiPCSamplingGetNumStallReasons(struct n_reasons *p)
{
	*p->n = REASONS;
	return p->context ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

struct all_reasons { BEGIN; size_t n; uint32_t *index; char **names; };
FG_EXPORT int cuptiPCSamplingGetStallReasons(struct all_reasons *p)
{
	for (size_t i = 0; i < p->n && i < REASONS; i++) {
		p->index[i] = reasons[i].index;
		snprintf(p->names[i], 128, "%s", reasons[i].name);
	}
	return p->context ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

struct attribute { int what, status; union { uint32_t number; size_t bytes; void *at; uint64_t words[3]; } is; };
struct attributes { BEGIN; size_t n; struct attribute *all; };
FG_EXPORT int cuptiPCSamplingSetConfigurationAttribute(struct attributes *p)
{
	if (!p->context || p->context != sampling.context)
		return CUPTI_INVALID_OPERATION;
	for (size_t i = 0; i < p->n; i++) {
		const struct attribute *a = &p->all[i];

		if (a->what == MODE)
			sampling.mode = a->is.number;
		else if (a->what == START_STOP)
			sampling.start_stop = a->is.number;
		else if (a->what == PERIOD && (a->is.number < 5 || a->is.number > 31))
			return CUPTI_INVALID_PARAMETER;
		else if (a->what == PERIOD)
			sampling.period = a->is.number;
	}
	return CUPTI_OK;
}

FG_EXPORT int cuptiPCSamplingGetConfigurationAttribute(struct attributes *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].what == PERIOD)
			p->all[i].is.number = sampling.period;
	return p->context == sampling.context ? CUPTI_OK : CUPTI_INVALID_OPERATION;
}

FG_EXPORT int cuptiPCSamplingStart(struct of_context *p)
{
	if (p->context != sampling.context || !sampling.start_stop || sampling.started)
		return CUPTI_INVALID_OPERATION;
	sampling.started = true;
	return CUPTI_OK;
}

/* What still runs has no samples. */
FG_EXPORT int cuptiPCSamplingStop(struct of_context *p)
{
	if (p->context != sampling.context || !sampling.started)
		return CUPTI_INVALID_OPERATION;
	pthread_mutex_lock(&lock);
	sampling.started = false;
	sampling.n_pcs = sampling.given = 0;
	for (size_t k = 0; k < sampling.n; k++) {
		struct sampled *one = &sampling.kernels[k];

		one->whole = one->end <= fg_now();
		if (one->whole)
			witness(one);
		for (uint32_t i = 0; one->whole && i < one->instructions && sampling.n_pcs < MOST; i++) {
			if (!any_samples(one, i))
				continue;
			sampling.pcs[sampling.n_pcs].of = one;
			sampling.pcs[sampling.n_pcs++].place = i;
		}
	}
	sampling.n = 0;                         /* what lies there stays until the next start */
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

static void give(struct pc *to, const struct sampled *k, uint32_t place)
{
	to->crc = k->crc;
	to->offset = place * 16;
	to->function = k->index;
	to->name = strdup(k->name);
	to->correlation = sampling.mode == SERIALIZED ? k->correlation : 0;
	to->n = 0;
	for (uint32_t r = 0; r < REASONS; r++)
		if (samples(k, place, r))
			to->counts[to->n++] = (struct count){ reasons[r].index, samples(k, place, r) };
}

struct get { BEGIN; struct data *data; };
FG_EXPORT int cuptiPCSamplingGetData(struct get *p)
{
	struct data *d = p->data;
	long most = MOST;

	if (p->context != sampling.context || sampling.started)
		return CUPTI_INVALID_OPERATION;
	d->n = d->remaining = 0;
	d->total = d->dropped = d->others = 0;
	if (fg_fault("samples-full", NULL)) {
		d->full = 1;
		return OUT_OF_MEMORY;
	}
	fg_fault("samples-pages", &most);
	pthread_mutex_lock(&lock);
	while (d->n < d->room && (long)d->n < most && sampling.given < sampling.n_pcs) {
		struct pc *to = &d->pcs[d->n++];

		give(to, sampling.pcs[sampling.given].of, sampling.pcs[sampling.given].place);
		sampling.given++;
		for (size_t i = 0; i < to->n; i++)
			d->total += to->counts[i].samples;
	}
	d->remaining = sampling.n_pcs - sampling.given;
	d->dropped = sampling.dropped;
	d->total += d->dropped;
	sampling.dropped = 0;
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}
