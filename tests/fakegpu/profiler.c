/*
 * tests/fakegpu/profiler.c - CUPTI's profiler: the host's half (plans, values) and ranges on a device
 *
 * Nothing is counted: a value is made of the metric's name and the launch (value_of), so that a test can tell whether
 * it came through whole. No figure of it means anything. Images are the stand-in's own; the real library refuses them.
 *
 * A name with a rollup (unit__what.sum) that does not begin with "no" is a metric of every chip. Eight go into a pass,
 * four where performance monitors are sampled (pm.c).
 *
 * With application replay each session adds one pass, in their order, to an image that holds those before it; a range
 * whose launch was another one in a later pass is refused, and so is an image without all its passes.
 *
 * Where the real library crashes without a driver, this one aborts and says so.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profiler.h"
#include <string.h>
#include <unistd.h>

#define METRICS_A_PASS 8
#define SAMPLED_A_PASS 4
#define MOST_RANGES 4096

enum { AUTO_RANGE = 1, USER_RANGE, APPLICATION_REPLAY = 1, KERNEL_REPLAY, USER_REPLAY };
enum { HARDWARE_BUSY = 26, UNSUPPORTED_HERE = 27, INVALID_METRIC = 17, INVALID_CHIP = 46, UNSUPPORTED = 1,
	SUPPORTED = 3 };

static const char *const chips[] = { "TU102", "GA100", "GH100", "GB100" };
const char *fg_chip_of_devices(void) { return getenv("FAKEGPU_CHIP") ? getenv("FAKEGPU_CHIP") : "GH100"; }

/* What a plan says: the head, then the names, each with its zero. */
static uint64_t hash(const char *const *names, size_t n)
{
	uint64_t h = 1469598103934665603u;

	for (size_t i = 0; i < n; i++)
		for (const char *c = names[i]; ; c++) {
			h = (h ^ (unsigned char)*c) * 1099511628211u;
			if (!*c)
				break;
		}
	return h;
}

static bool is_metric(const char *name, bool whole)
{
	return name && strstr(name, "__") && strncmp(name, "no", 2) && (!whole || strchr(name, '.'));
}

/* ---- the host's half: no driver is needed ---- */
struct host { char chip[16]; int type; size_t n; const char **names; };

struct chips_params { BEGIN; size_t n; const char *const *names; };
FG_EXPORT int cuptiProfilerHostGetSupportedChips(struct chips_params *p)
{
	p->n = sizeof chips / sizeof *chips;
	p->names = chips;
	return CUPTI_OK;
}

struct host_initialize { BEGIN; int type; const char *chip; const uint8_t *availability; struct host *host; };
FG_EXPORT int cuptiProfilerHostInitialize(struct host_initialize *p)
{
	p->host = NULL;
	if (p->type == PM_SAMPLING && FAKEGPU_CUPTI_VERSION < 26)
		return UNSUPPORTED_HERE;
	for (size_t i = 0; p->chip && i < sizeof chips / sizeof *chips && !p->host; i++)
		if (!strcmp(chips[i], p->chip))
			p->host = calloc(1, sizeof *p->host);
	if (!p->host)
		return INVALID_CHIP;
	p->host->type = p->type;
	snprintf(p->host->chip, sizeof p->host->chip, "%s", p->chip);
	p->host->type = p->type;
	return CUPTI_OK;
}

static void forget_names(struct host *h)
{
	for (size_t i = 0; i < h->n; i++)
		free((char *)h->names[i]);
	free(h->names);
	h->names = NULL;
	h->n = 0;
}

struct host_params { BEGIN; struct host *host; };
FG_EXPORT int cuptiProfilerHostDeinitialize(struct host_params *p)
{
	forget_names(p->host);
	free(p->host);
	return CUPTI_OK;
}

struct base_metrics { BEGIN; struct host *host; int type; const char **names; size_t n; };
FG_EXPORT int cuptiProfilerHostGetBaseMetrics(struct base_metrics *p)
{
	static const char *names[] = { "sm__cycles_active", "dram__bytes" };

	p->names = names;
	p->n = p->type ? 0 : 2;
	return CUPTI_OK;
}

struct properties {
	BEGIN;
	struct host *host;
	const char *name, *description, *hardware_unit, *unit;
	int type;
};
FG_EXPORT int cuptiProfilerHostGetMetricProperties(struct properties *p)
{
	if (!is_metric(p->name, false))
		return INVALID_METRIC;
	p->description = "a metric of the gputap stand-in";
	p->hardware_unit = p->unit = "stand-in";
	p->type = 0;
	return CUPTI_OK;
}

static bool is_of_device(const char *name)
{
	return strstr(name, "pcie__") || strstr(name, "nvlrx__") || strstr(name, "nvltx__") || strstr(name, "ctc__");
}

/* The real one takes counters of the whole device into no image with others. */
struct add_metrics { BEGIN; struct host *host; const char **names; size_t n; };
FG_EXPORT int cuptiProfilerHostConfigAddMetrics(struct add_metrics *p)
{
	for (size_t i = 1; i < p->n && !p->host->type; i++)
		if (is_of_device(p->names[i]) != is_of_device(p->names[0]))
			return CUPTI_NOT_SUPPORTED;
	for (size_t i = 0; i < p->n; i++)
		if (!is_metric(p->names[i], true))
			return CUPTI_INVALID_PARAMETER;
	forget_names(p->host);
	p->host->names = calloc(p->n + 1, sizeof *p->host->names);
	for (size_t i = 0; i < p->n; i++)
		p->host->names[i] = strdup(p->names[i]);
	p->host->n = p->n;
	return CUPTI_OK;
}

struct image_size { BEGIN; struct host *host; size_t bytes; };
FG_EXPORT int cuptiProfilerHostGetConfigImageSize(struct image_size *p)
{
	p->bytes = sizeof(struct config);
	return CUPTI_OK;
}

static uint64_t passes_of(int type, size_t n)
{
	size_t a_pass = type == PM_SAMPLING ? SAMPLED_A_PASS : METRICS_A_PASS;

	return (n + a_pass - 1) / a_pass;
}

struct config_image { BEGIN; struct host *host; size_t bytes; uint8_t *data; };
FG_EXPORT int cuptiProfilerHostGetConfigImage(struct config_image *p)
{
	struct config c = { .n = p->host->n, .passes = passes_of(p->host->type, p->host->n),
		.type = (uint64_t)p->host->type, .names_hash = hash(p->host->names, p->host->n) };

	if (p->bytes < sizeof c)
		return CUPTI_SIZE;
	memcpy(c.magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC);
	memcpy(c.chip, p->host->chip, sizeof c.chip);
	memcpy(p->data, &c, sizeof c);
	return CUPTI_OK;
}

struct passes { BEGIN; size_t bytes; uint8_t *data; size_t n; };
FG_EXPORT int cuptiProfilerHostGetNumOfPasses(struct passes *p)
{
	struct config c;

	if (p->bytes < sizeof c)
		return CUPTI_INVALID_PARAMETER;
	memcpy(&c, p->data, sizeof c);
	p->n = c.passes;
	return CUPTI_OK;
}

/* Deliberately no measurement: what the test says, or the bytes of the name and the threads of the launch. */
static double value_of(const char *name, const struct range *r)
{
	double v = (double)r->threads;

	if (fg_said_value(r->kernel, name, &v))
		return v;
	while (*name)
		v += (unsigned char)*name++;
	return v;
}

struct evaluate {
	BEGIN;
	struct host *host;
	const uint8_t *data;
	size_t bytes, range;
	const char **names;
	size_t n;
	double *values;
};
FG_EXPORT int cuptiProfilerHostEvaluateToGpuValues(struct evaluate *p)
{
	struct image im;
	struct range r;

	if (p->bytes < sizeof im)
		return CUPTI_INVALID_PARAMETER;
	memcpy(&im, p->data, sizeof im);
	if (memcmp(im.magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC) || strcmp(im.chip, p->host->chip) || p->range >= im.n ||
		p->bytes < sizeof im + im.room * sizeof r || im.names_hash != hash(p->names, p->n) ||
		im.type != (uint64_t)p->host->type || im.done != passes_of(p->host->type, p->n))
		return CUPTI_INVALID_PARAMETER;
	memcpy(&r, p->data + sizeof im + p->range * sizeof r, sizeof r);
	if (!r.threads && im.type == RANGE_PROFILER)
		return CUPTI_INVALID_PARAMETER;
	while (fg_fault("evaluate-hangs", NULL))
		pause();
	for (size_t i = 0; i < p->n; i++)
		p->values[i] = value_of(p->names[i], &r);
	return CUPTI_OK;
}

/* ---- on a device ---- */
struct object {
	struct fg_context *context;
	const struct config *config;
	uint8_t *image; size_t image_bytes;
	int range_mode, replay_mode;
	size_t most, pass;
	bool started;
	size_t launched, n, depth;            /* since the start; ranges that await decoding */
	struct range ranges[MOST_RANGES];
};
static struct object *enabled;                /* one context at a time, as with the real library */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER;

bool fg_profiler_initialised;

struct initialize { BEGIN; };
FG_EXPORT int cuptiProfilerInitialize(struct initialize *p)
{
	(void)p;
	fg_profiler_initialised = fg_state.initialised;
	return fg_state.initialised ? CUPTI_OK : CUPTI_UNKNOWN;
}
FG_EXPORT int cuptiProfilerDeInitialize(struct initialize *p) { (void)p; return CUPTI_OK; }

struct supported { BEGIN; int device, supported, architecture, sli, vgpu, confidential, cmp, wsl, api; };
FG_EXPORT int cuptiProfilerDeviceSupported(struct supported *p)
{
	CRASH_WITHOUT_DRIVER();
	p->supported = p->architecture = p->sli = p->vgpu = p->confidential = p->cmp = p->wsl = SUPPORTED;
	if (fg_fault("counters-unsupported", NULL))
		p->supported = p->architecture = UNSUPPORTED;
	return CUPTI_OK;
}

struct chip_name { BEGIN; size_t device; const char *name; };
FG_EXPORT int cuptiDeviceGetChipName(struct chip_name *p)
{
	CRASH_WITHOUT_DRIVER();
	p->name = fg_chip_of_devices();
	return CUPTI_OK;
}

static void name_kernel(struct range *r, const struct fg_op *op)
{
	snprintf(r->kernel, sizeof r->kernel, "%.127s", op->f->name);
}

/*
 * A kernel that is launched while ranges are collected: the device is idle behind it, as replay needs. A graph is one
 * range, or (counters-nodes) each of its kernels is one.
 */
static void launched(struct fg_context *context, const struct fg_op *op)
{
	struct object *o;
	long hang = 0;

	pthread_mutex_lock(&lock);
	o = enabled && enabled->started && enabled->context == context ? enabled : NULL;
	if (o && fg_fault("counters-hang", &hang) && (long)++o->launched >= hang)
		while (enabled == o && o->started)
			pthread_cond_wait(&stopped, &lock);
	if (o && enabled == o && o->started) {
		uint64_t threads = (uint64_t)op->grid.x * op->grid.y * op->grid.z * op->block.x * op->block.y *
			op->block.z;

		if (o->range_mode == AUTO_RANGE && op->node_id && o->n && !fg_fault("counters-nodes", NULL)) {
			o->ranges[o->n - 1].threads += threads;
		} else if (o->range_mode == AUTO_RANGE && o->n < MOST_RANGES) {
			snprintf(o->ranges[o->n].name, sizeof o->ranges->name, "%zu", o->n);
			name_kernel(&o->ranges[o->n], op);
			o->ranges[o->n++].threads = threads;
		} else if (o->depth) {
			if (!o->ranges[o->n - 1].threads)
				name_kernel(&o->ranges[o->n - 1], op);
			o->ranges[o->n - 1].threads += threads;
		}
	}
	pthread_mutex_unlock(&lock);
}

struct enable { BEGIN; struct fg_context *context; struct object *object; };
FG_EXPORT int cuptiRangeProfilerEnable(struct enable *p)
{
	CRASH_WITHOUT_DRIVER();
	if (!p->context)
		return CUPTI_INVALID_PARAMETER;
	if (fg_fault("counters-no-permission", NULL))
		return CUPTI_PRIVILEGES;
	if (fg_fault("counters-busy", NULL))
		return HARDWARE_BUSY;
	if (enabled)
		return CUPTI_INVALID_OPERATION;
	p->object = calloc(1, sizeof *p->object);
	p->object->context = p->context;
	fg_state.launched = launched;
	enabled = p->object;
	return CUPTI_OK;
}

struct of_object { BEGIN; struct object *object; };
FG_EXPORT int cuptiRangeProfilerDisable(struct of_object *p)
{
	pthread_mutex_lock(&lock);
	if (p->object != enabled) {
		pthread_mutex_unlock(&lock);
		return CUPTI_INVALID_OPERATION;
	}
	enabled = NULL;
	fg_state.launched = NULL;
	pthread_cond_broadcast(&stopped);
	pthread_mutex_unlock(&lock);
	if (!fg_fault("counters-hang", NULL))         /* a launch may still look at it */
		free(p->object);
	return CUPTI_OK;
}

static uint64_t room_for(uint64_t ranges)
{
	long most;

	return fg_fault("counters-small", &most) && ranges > (uint64_t)most ? (uint64_t)most : ranges;
}

struct data_size { BEGIN; struct object *object; const char **names; size_t n, ranges; uint32_t nodes; size_t bytes; };
FG_EXPORT int cuptiRangeProfilerGetCounterDataSize(struct data_size *p)
{
	if (!p->object || p->nodes < p->ranges)
		return CUPTI_INVALID_PARAMETER;
	p->bytes = sizeof(struct image) + room_for(p->ranges) * sizeof(struct range);
	return CUPTI_OK;
}

struct data_initialize { BEGIN; struct object *object; size_t bytes; uint8_t *data; };
FG_EXPORT int cuptiRangeProfilerCounterDataImageInitialize(struct data_initialize *p)
{
	struct image im = { .room = (p->bytes - sizeof im) / sizeof(struct range) };

	memset(p->data, 0, p->bytes);
	memcpy(im.magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC);
	memcpy(p->data, &im, sizeof im);
	return CUPTI_OK;
}

struct set_config {
	BEGIN;
	struct object *object;
	size_t config_bytes;
	const uint8_t *config;
	size_t image_bytes;
	uint8_t *image;
	int range, replay;
	size_t most;
	uint16_t levels, least_level;
	size_t pass;
	uint16_t level;
};
FG_EXPORT int cuptiRangeProfilerSetConfig(struct set_config *p)
{
	struct image im;

	if (p->object != enabled || p->config_bytes != sizeof(struct config) || memcmp(p->config, IMAGE_MAGIC, 15) ||
		(p->replay == KERNEL_REPLAY && p->range != AUTO_RANGE) || (p->range == AUTO_RANGE && p->levels != 1))
		return CUPTI_INVALID_PARAMETER;
	p->object->config = (const struct config *)p->config;
	if (strcmp(p->object->config->chip, fg_chip_of_devices()) || p->object->config->type != RANGE_PROFILER)
		return CUPTI_INVALID_PARAMETER;
	p->object->image = p->image;
	p->object->image_bytes = p->image_bytes;
	p->object->range_mode = p->range;
	p->object->replay_mode = p->replay;
	p->object->most = p->most;
	p->object->pass = p->pass;
	memcpy(&im, p->image, sizeof im);
	if (memcmp(im.magic, IMAGE_MAGIC, 15) || im.done != p->pass || p->pass >= p->object->config->passes ||
		(p->pass && im.names_hash != p->object->config->names_hash))
		return CUPTI_INVALID_PARAMETER;
	memcpy(im.chip, p->object->config->chip, sizeof im.chip);
	im.names_hash = p->object->config->names_hash;
	memcpy(p->image, &im, sizeof im);
	return CUPTI_OK;
}

FG_EXPORT int cuptiRangeProfilerStart(struct of_object *p)
{
	if (p->object != enabled || !p->object->config || p->object->started)
		return CUPTI_INVALID_OPERATION;
	p->object->n = p->object->depth = 0;
	p->object->started = true;
	return CUPTI_OK;
}

struct stop { BEGIN; struct object *object; size_t pass, level; uint8_t all; };
FG_EXPORT int cuptiRangeProfilerStop(struct stop *p)
{
	pthread_mutex_lock(&lock);
	if (p->object != enabled || !p->object->started) {
		pthread_mutex_unlock(&lock);
		return CUPTI_INVALID_OPERATION;
	}
	p->object->started = false;
	if (p->object->replay_mode != KERNEL_REPLAY)
		p->object->pass++;
	p->pass = p->object->pass;
	p->level = 1;
	p->all = p->object->replay_mode == KERNEL_REPLAY || p->object->pass >= p->object->config->passes;
	pthread_cond_broadcast(&stopped);
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

struct push { BEGIN; struct object *object; const char *name; };
FG_EXPORT int cuptiRangeProfilerPushRange(struct push *p)
{
	struct object *o = p->object;

	if (o != enabled || o->range_mode != USER_RANGE || o->depth || o->n == MOST_RANGES)
		return CUPTI_INVALID_OPERATION;
	snprintf(o->ranges[o->n].name, sizeof o->ranges->name, "%s", p->name);
	o->ranges[o->n++].threads = 0;
	o->depth = 1;
	return CUPTI_OK;
}

FG_EXPORT int cuptiRangeProfilerPopRange(struct of_object *p)
{
	if (p->object != enabled || !p->object->depth)
		return CUPTI_INVALID_OPERATION;
	p->object->depth = 0;
	return CUPTI_OK;
}

struct decode { BEGIN; struct object *object; size_t dropped; };
FG_EXPORT int cuptiRangeProfilerDecodeData(struct decode *p)
{
	struct object *o = p->object;
	struct image im;

	if (o != enabled || !o->image)
		return CUPTI_INVALID_OPERATION;
	memcpy(&im, o->image, sizeof im);
	p->dropped = 0;
	for (size_t i = 0; im.done && i < im.n; i++) {
		struct range *r = (struct range *)(void *)(o->image + sizeof im) + i;

		if (i >= o->n || r->threads != o->ranges[i].threads)
			r->threads = 0;
	}
	for (size_t i = 0; !im.done && i < o->n; i++) {
		if (im.n >= im.room || (o->most && i >= o->most)) {
			p->dropped++;
			continue;
		}
		memcpy(o->image + sizeof im + im.n++ * sizeof *o->ranges, &o->ranges[i], sizeof *o->ranges);
	}
	o->n = 0;
	im.done = o->replay_mode == KERNEL_REPLAY ? o->config->passes : o->pass;
	memcpy(o->image, &im, sizeof im);
	return CUPTI_OK;
}

struct data_info { BEGIN; const uint8_t *data; size_t bytes, ranges; };
FG_EXPORT int cuptiRangeProfilerGetCounterDataInfo(struct data_info *p)
{
	struct image im;

	memcpy(&im, p->data, sizeof im);
	p->ranges = im.n;
	return CUPTI_OK;
}

struct range_info { BEGIN; const uint8_t *data; size_t bytes, range; const char *delimiter, *name; };
FG_EXPORT int cuptiRangeProfilerCounterDataGetRangeInfo(struct range_info *p)
{
	p->name = ((const struct range *)(p->data + sizeof(struct image)))[p->range].name;
	return CUPTI_OK;
}

/* ---- code ---- */
struct crc { size_t size, bytes; const uint8_t *cubin; uint64_t crc; };
FG_EXPORT int cuptiGetCubinCrc(struct crc *p)
{
	p->crc = fg_cubin_crc(p->cubin, p->bytes);
	return CUPTI_OK;
}
