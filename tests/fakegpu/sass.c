/*
 * tests/fakegpu/sass.c - CUPTI's SASS metrics: counts by instruction, of code that it instruments, in one context
 *
 * Nothing is counted: a kernel has the instructions that its module's code has (cubin.c); what each has of each metric
 * follows from its place, the metric and the launch's threads. $FAKEGPU_SASS is a witness: a line for each value of
 * each launch that was collected (correlation id, kernel, offset, metric, value, CRC of the code).
 *
 * As with the real library, the profiler is initialised first, a device is configured once until that is undone, values
 * are there when the kernel is over, and what was not fetched is gone when the instrumentation ends.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN size_t size; void *none
enum { MOST = 64, PARTS = 8 };

/* Its number is not its place. Not every instruction has every metric. */
static const struct { uint64_t id; const char *name; uint32_t every; } metrics[] = {
	{ 0x8000000000000011ull, "smsp__sass_inst_executed", 1 },
	{ 0x4000000000000007ull, "smsp__sass_thread_inst_executed", 1 },
	{ 0x4000000000000008ull, "smsp__sass_thread_inst_executed_pred_on", 1 },
	{ 0x3000000000000000ull, "smsp__sass_inst_executed_op_branch", 3 },
	{ 0x2000000000000001ull, "smsp__sass_sectors_mem_global", 2 },
	{ 0x2000000000000002ull, "smsp__sass_sectors_mem_global_ideal", 2 },
};
enum { METRICS = sizeof metrics / sizeof *metrics };

struct collected {
	char name[FG_NAME];
	uint32_t correlation, index, instructions, crc;
	uint64_t threads, end;
};
static struct {
	bool configured, enabled, late;
	uint32_t device;
	struct fg_context *context;
	size_t asked[MOST], n_asked;
	struct collected kernels[MOST];
	size_t n;
} sass;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Beyond 32 bits with a thousand threads. */
static uint64_t value_of(const struct collected *k, uint32_t place, size_t metric)
{
	uint64_t said;

	if (fg_said_value_at(k->name, metrics[metric].name, place * 16, &said))
		return said;
	return (k->threads << 23) + place * 16 + metric;
}

static void witness(const struct collected *k)
{
	const char *path = getenv("FAKEGPU_SASS");
	FILE *f = path ? fopen(path, "a") : NULL;

	for (uint32_t i = 0; f && i < k->instructions; i++)
		for (size_t m = 0; m < sass.n_asked; m++)
			if (i % metrics[sass.asked[m]].every == 0)
				fprintf(f, "%u %s %u %s %llu %#x\n", k->correlation, k->name, i * 16,
					metrics[sass.asked[m]].name,
					(unsigned long long)value_of(k, i, sass.asked[m]), k->crc);
	if (f)
		fclose(f);
}

static void add(const struct fg_function *f, const struct fg_op *op)
{
	struct collected *k = &sass.kernels[sass.n];

	if (sass.n == MOST)
		return;
	sass.n++;
	snprintf(k->name, sizeof k->name, "%s", f->name);
	k->correlation = op->correlation;
	k->crc = (uint32_t)f->module->crc;
	k->index = f->index;
	k->instructions = f->instructions;
	k->threads = (uint64_t)op->grid.x * op->grid.y * op->grid.z * op->block.x * op->block.y * op->block.z;
	k->end = op->end;
}

static void launched(struct fg_context *context, const struct fg_op *op)
{
	pthread_mutex_lock(&lock);
	if (sass.enabled && sass.context == context && !sass.late) {
		const struct fg_function *f = fg_fault("code-calls", NULL) ? op->f->module->functions : NULL;

		for (; f; f = f->next)
			if (f != op->f)
				add(f, op);
		add(op->f, op);
	}
	sass.late = false;
	pthread_mutex_unlock(&lock);
}

/* ---- metrics ---- */
struct details { uint64_t id; const char *name, *description; };
struct n_metrics { BEGIN; const char *chip; size_t n; };
FG_EXPORT int cuptiSassMetricsGetNumOfMetrics(struct n_metrics *p)
{
	p->n = METRICS;
	return fg_state.initialised ? CUPTI_OK : CUPTI_NOT_INITIALIZED;
}

struct all_metrics { BEGIN; const char *chip; size_t n; struct details *all; };
FG_EXPORT int cuptiSassMetricsGetMetrics(struct all_metrics *p)
{
	for (size_t i = 0; i < p->n && i < METRICS; i++)
		p->all[i] = (struct details){ metrics[i].id, metrics[i].name, "of the gputap stand-in" };
	return fg_state.initialised ? CUPTI_OK : CUPTI_NOT_INITIALIZED;
}

struct properties { BEGIN; const char *chip, *name; struct details metric; };
FG_EXPORT int cuptiSassMetricsGetProperties(struct properties *p)
{
	if (!fg_state.initialised)
		return CUPTI_NOT_INITIALIZED;
	if (fg_fault("sass-chip", NULL))
		return CUPTI_NOT_SUPPORTED;
	for (size_t i = 0; i < METRICS; i++)
		if (p->chip && p->name && !strcmp(metrics[i].name, p->name)) {
			p->metric = (struct details){ metrics[i].id, metrics[i].name, "of the gputap stand-in" };
			return CUPTI_OK;
		}
	return CUPTI_INVALID_PARAMETER;
}

/* ---- a device ---- */
struct config { uint64_t id; uint8_t granularity; };
struct set_config { BEGIN; size_t n; struct config *all; uint32_t device; };
FG_EXPORT int cuptiSassMetricsSetConfig(struct set_config *p)
{
	if (fg_fault("counters-no-permission", NULL))
		return CUPTI_PRIVILEGES;
	if (sass.configured || !fg_profiler_initialised)
		return CUPTI_INVALID_OPERATION;
	sass.n_asked = 0;
	for (size_t i = 0; i < p->n && i < MOST; i++) {
		size_t m = 0;

		while (m < METRICS && metrics[m].id != p->all[i].id)
			m++;
		for (size_t k = 0; k < sass.n_asked; k++)
			if (sass.asked[k] == m)
				m = METRICS;            /* twice */
		if (m == METRICS || p->all[i].granularity)
			return CUPTI_INVALID_PARAMETER;
		sass.asked[sass.n_asked++] = m;
	}
	sass.configured = true;
	sass.device = p->device;
	return CUPTI_OK;
}

struct unset_config { BEGIN; uint32_t device; };
FG_EXPORT int cuptiSassMetricsUnsetConfig(struct unset_config *p)
{
	if (!sass.configured || sass.enabled || p->device != sass.device)
		return CUPTI_INVALID_OPERATION;
	sass.configured = false;
	return CUPTI_OK;
}

/* ---- a context ---- */
struct enable { BEGIN; struct fg_context *context; uint8_t lazy; };
FG_EXPORT int cuptiSassMetricsEnable(struct enable *p)
{
	if (!p->context)
		return CUPTI_INVALID_PARAMETER;
	if (fg_fault("sass-refused", NULL))
		return CUPTI_NOT_COMPATIBLE;
	if (!sass.configured || sass.enabled || !p->lazy)
		return CUPTI_INVALID_OPERATION;
	pthread_mutex_lock(&lock);
	sass.enabled = true;
	sass.late = fg_at_entry && fg_fault("sass-late", NULL);
	sass.context = p->context;
	sass.n = 0;
	fg_state.launched = launched;
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

static bool is_on(const struct fg_context *context) { return sass.enabled && sass.context == context; }

struct disable { BEGIN; struct fg_context *context; size_t dropped; };
FG_EXPORT int cuptiSassMetricsDisable(struct disable *p)
{
	long dropped = 0;

	if (!is_on(p->context))
		return CUPTI_INVALID_OPERATION;
	pthread_mutex_lock(&lock);
	fg_fault("sass-dropped", &dropped);
	p->dropped = sass.n + (size_t)dropped;
	sass.enabled = false;
	sass.n = 0;
	fg_state.launched = NULL;
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

static size_t parts(void)
{
	long n = 1;

	fg_fault("sass-parts", &n);
	return n > 0 && n < PARTS ? (size_t)n : 1;
}

/* What still runs is not told. */
static size_t instructions(void)
{
	size_t n = 0;

	for (size_t k = 0; k < sass.n; k++)
		n += sass.kernels[k].end <= fg_now() ? sass.kernels[k].instructions : 0;
	return n;
}

struct data_properties { BEGIN; struct fg_context *context; size_t n, per; };
FG_EXPORT int cuptiSassMetricsGetDataProperties(struct data_properties *p)
{
	if (!is_on(p->context))
		return CUPTI_INVALID_OPERATION;
	pthread_mutex_lock(&lock);
	p->n = fg_fault("sass-many", NULL) && sass.n ? (size_t)1 << 40 : instructions();
	p->per = sass.n_asked * parts();
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

struct value { uint64_t id, value; };
struct instruction {
	BEGIN;
	uint32_t crc, function;
	const char *name;
	uint32_t offset;
	struct value *values;
};
struct flush { BEGIN; struct fg_context *context; size_t n, per; struct instruction *all; };

/* A value in several parts: the last has the rest. */
static void give(struct instruction *to, const struct collected *k, uint32_t place, size_t per)
{
	size_t n = 0;

	to->crc = k->crc;
	to->function = k->index;
	to->name = strdup(k->name);
	to->offset = place * 16;
	for (size_t m = 0; m < sass.n_asked; m++) {
		uint64_t v = value_of(k, place, sass.asked[m]);

		for (size_t i = 1; i <= parts() && place % metrics[sass.asked[m]].every == 0 && n < per; i++) {
			uint64_t part = i < parts() ? v / (i + 1) : v;

			to->values[n++] = (struct value){ metrics[sass.asked[m]].id, part };
			v -= part;
		}
	}
}

FG_EXPORT int cuptiSassMetricsFlushData(struct flush *p)
{
	size_t n = 0;

	if (!is_on(p->context) || p->n != instructions())
		return CUPTI_INVALID_OPERATION;
	if (fg_fault("sass-flush-fails", NULL))
		return CUPTI_UNKNOWN;
	pthread_mutex_lock(&lock);
	for (size_t k = 0; k < sass.n; k++) {
		if (sass.kernels[k].end > fg_now())
			continue;
		witness(&sass.kernels[k]);
		for (uint32_t i = 0; i < sass.kernels[k].instructions && n < p->n; i++)
			give(&p->all[n++], &sass.kernels[k], i, p->per);
	}
	sass.n = 0;
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}
