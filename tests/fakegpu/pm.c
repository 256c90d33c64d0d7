/*
 * tests/fakegpu/pm.c - CUPTI's sampling of performance monitors, on one device
 *
 * Nothing is measured: a sample has the threads of the kernels that run in its time, and a value is made of that and
 * of the metric's name (profiler.c). $FAKEGPU_PM is a witness: a line for each sample that was given away, and one for
 * each kernel that was launched meanwhile, and one that says how often they were fetched before sampling was stopped.
 *
 * As with the real library, the device goes on sampling until it is stopped, into a buffer that holds as many samples
 * as its size has room for, 64 bytes each; an image of counter data that is full takes no more; what is planned in
 * several passes is refused; and on two of the chips the interval is one of cycles, here nanoseconds.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profiler.h"
#include <string.h>

enum { CYCLES, TIME };
enum { END_OF_RECORDS = 2, DATA_FULL = 1, SAMPLE_BYTES = 64 };

struct kernel { uint64_t start, end, threads; };
struct object {
	size_t device;
	struct config config;
	uint64_t interval, room;                /* room: samples in the device's buffer */
	uint64_t begun, stopped;                /* 0: not yet */
	uint64_t given, fetches;                /* samples since the start; how often it was asked for some */
	struct kernel kernels[256]; size_t n;
};
static struct object *enabled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Samples come faster than a file is opened. */
static void witness(const char *what, uint64_t begin, uint64_t end, uint64_t threads, const char *name)
{
	static FILE *f;
	const char *path = getenv("FAKEGPU_PM");

	if (!f && path)
		f = fopen(path, "ae");
	if (!f)
		return;
	fprintf(f, "%s %llu %llu %llu %s\n", what, (unsigned long long)begin, (unsigned long long)end,
		(unsigned long long)threads, name);
	if (what[0] != 's')
		fflush(f);
}

static void launched(struct fg_context *context, const struct fg_op *op)
{
	pthread_mutex_lock(&lock);
	if (enabled && enabled->begun && !enabled->stopped && enabled->device == (size_t)context->device &&
		enabled->n < sizeof enabled->kernels / sizeof *enabled->kernels) {
		struct kernel *k = &enabled->kernels[enabled->n++];

		*k = (struct kernel){ op->start, op->end, (uint64_t)op->grid.x * op->grid.y * op->grid.z *
			op->block.x * op->block.y * op->block.z };
		witness("kernel", k->start, k->end, k->threads, op->f->name);
	}
	pthread_mutex_unlock(&lock);
}

struct enable { BEGIN; size_t device; struct object *object; };
FG_EXPORT int cuptiPmSamplingEnable(struct enable *p)
{
	CRASH_WITHOUT_DRIVER();
	if (fg_fault("counters-no-permission", NULL))
		return CUPTI_PRIVILEGES;
	if (enabled)
		return CUPTI_INVALID_OPERATION;
	p->object = enabled = calloc(1, sizeof *enabled);
	enabled->device = p->device;
	fg_state.launched = launched;
	return CUPTI_OK;
}

struct of_object { BEGIN; struct object *object; };
FG_EXPORT int cuptiPmSamplingDisable(struct of_object *p)
{
	if (p->object != enabled)
		return CUPTI_INVALID_OPERATION;
	fg_state.launched = NULL;
	pthread_mutex_lock(&lock);
	enabled = NULL;
	pthread_mutex_unlock(&lock);
	free(p->object);
	return CUPTI_OK;
}

struct set_config {
	BEGIN;
	struct object *object;
	size_t config_bytes;
	const uint8_t *config;
	size_t buffer_bytes;
	uint64_t interval;
	int trigger, append;
};
FG_EXPORT int cuptiPmSamplingSetConfig(struct set_config *p)
{
	struct config *c = &p->object->config;
	const char *chip = fg_chip_of_devices();
	bool in_cycles = !strcmp(chip, "GA100") || !strncmp(chip, "TU", 2);

	if (p->object != enabled || p->config_bytes != sizeof *c)
		return CUPTI_INVALID_PARAMETER;
	memcpy(c, p->config, sizeof *c);
	if (memcmp(c->magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC) || strcmp(c->chip, chip) || c->type != PM_SAMPLING ||
		c->passes != 1 || !p->interval || (in_cycles && p->trigger == TIME))
		return CUPTI_INVALID_PARAMETER;
	p->object->interval = p->interval;
	p->object->room = p->buffer_bytes / SAMPLE_BYTES;
	return CUPTI_OK;
}

struct data_size { BEGIN; struct object *object; const char **names; size_t n; uint32_t samples; size_t bytes; };
FG_EXPORT int cuptiPmSamplingGetCounterDataSize(struct data_size *p)
{
	long most;

	if (p->object != enabled || !p->samples || !p->n)
		return CUPTI_INVALID_PARAMETER;
	if (fg_fault("pm-small", &most) && p->samples > most)
		p->samples = (uint32_t)most;
	p->bytes = sizeof(struct image) + p->samples * sizeof(struct range);
	return CUPTI_OK;
}

struct data_initialize { BEGIN; struct object *object; size_t bytes; uint8_t *data; };
FG_EXPORT int cuptiPmSamplingCounterDataImageInitialize(struct data_initialize *p)
{
	struct image im = { .room = (p->bytes - sizeof im) / sizeof(struct range), .type = PM_SAMPLING, .done = 1,
		.names_hash = p->object->config.names_hash };

	memset(p->data, 0, p->bytes);
	memcpy(im.magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC);
	memcpy(im.chip, p->object->config.chip, sizeof im.chip);
	memcpy(p->data, &im, sizeof im);
	return CUPTI_OK;
}

FG_EXPORT int cuptiPmSamplingStart(struct of_object *p)
{
	struct object *o = p->object;

	if (o != enabled || !o->interval || (o->begun && !o->stopped))
		return CUPTI_INVALID_OPERATION;
	if (fg_fault("pm-busy", NULL))
		return 26;                      /* HARDWARE_BUSY */
	pthread_mutex_lock(&lock);
	o->begun = fg_now();
	o->stopped = o->given = o->fetches = o->n = 0;
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

FG_EXPORT int cuptiPmSamplingStop(struct of_object *p)
{
	if (p->object != enabled || !enabled->begun || enabled->stopped)
		return CUPTI_INVALID_OPERATION;
	enabled->stopped = fg_now();
	witness("fetches", enabled->fetches, 0, 0, "-");
	return CUPTI_OK;
}

static struct range sample(const struct object *o, uint64_t number)
{
	long shift = 0;
	struct range r = { .begin = o->begun + number * o->interval };

	r.end = r.begin + o->interval;
	for (size_t i = 0; i < o->n; i++)
		if (o->kernels[i].start < r.end && o->kernels[i].end > r.begin)
			r.threads += o->kernels[i].threads;
	if (fg_fault("pm-other-clock", &shift)) {
		r.begin += (uint64_t)shift * 1000000000;
		r.end += (uint64_t)shift * 1000000000;
	}
	return r;
}

struct decode { BEGIN; struct object *object; uint8_t *data; size_t bytes; int reason; uint8_t overflow; };
FG_EXPORT int cuptiPmSamplingDecodeData(struct decode *p)
{
	struct object *o = p->object;
	uint64_t until, ready;
	struct image im;
	long most = 0, slow = 0;

	if (o != enabled || !o->begun)
		return CUPTI_INVALID_OPERATION;
	if (fg_fault("pm-decode-fails", NULL))
		return CUPTI_UNKNOWN;
	fg_fault("pm-slow", &slow);
	o->fetches++;
	memcpy(&im, p->data, sizeof im);
	until = o->stopped ? o->stopped : fg_now();
	ready = until > o->begun ? (until - o->begun) / o->interval : 0;
	ready = ready > o->given ? ready : o->given;    /* the clock may be set back */
	p->overflow = ready - o->given > (fg_fault("pm-overflow", &most) ? (uint64_t)most : o->room);
	pthread_mutex_lock(&lock);
	for (; im.n < im.room && o->given < ready; o->given++) {
		struct range r = sample(o, o->given);
		uint64_t enough = fg_now() + (uint64_t)slow;

		while (!o->stopped && fg_now() < enough)
			;
		witness("sample", r.begin, r.end, r.threads, "-");
		memcpy(p->data + sizeof im + im.n++ * sizeof r, &r, sizeof r);
	}
	witness("given", o->given, 0, 0, "-");
	pthread_mutex_unlock(&lock);
	memcpy(p->data, &im, sizeof im);
	p->reason = im.n == im.room ? DATA_FULL : END_OF_RECORDS;
	return CUPTI_OK;
}

struct data_info { BEGIN; const uint8_t *data; size_t bytes, total, populated, completed; };
FG_EXPORT int cuptiPmSamplingGetCounterDataInfo(struct data_info *p)
{
	struct image im;

	memcpy(&im, p->data, sizeof im);
	p->total = im.room;
	p->populated = p->completed = im.n;
	return CUPTI_OK;
}

struct sample_info { BEGIN; struct object *object; const uint8_t *data; size_t bytes, sample; uint64_t begin, end; };
FG_EXPORT int cuptiPmSamplingCounterDataGetSampleInfo(struct sample_info *p)
{
	struct range r;

	if (p->object != enabled)
		return CUPTI_INVALID_PARAMETER;
	memcpy(&r, p->data + sizeof(struct image) + p->sample * sizeof r, sizeof r);
	p->begin = r.begin;
	p->end = r.end;
	return CUPTI_OK;
}
