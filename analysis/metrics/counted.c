/*
 * analysis/metrics/counted.c - the counters that were collected of a trace's kernels, as values of metrics
 *
 * Runs in the tool.
 *
 * COUNTED1  Images are evaluated in a child process: one that was damaged, or made by somebody else, may crash the
 *           library, and that ends the values and not the tool. So does one that it does not come back from.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define XXH_INLINE_ALL                    /* no library more for the tool */
#include "analysis/metrics/counted.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "analysis/metrics/host.h"
#include "common/memory.h"
#include "common/search.h"
#include "trace/format/counters.h"

enum { RANGES_MOST = 4096 };

enum state { NOT_EVALUATED, EVALUATED, REFUSED, NO_IMAGE, ALTERED, NOT_ALL_PASSES };

/* Of contexts, and of the whole device, which a run of its own counted. */
enum half { CONTEXTS, DEVICE, HALVES };

struct launch { struct { double *values; /* metrics of each range */ uint32_t state; } of[HALVES]; char why[96]; };
struct unit { char *unit, *description; };
struct gt_counted {
	const struct gt_counters *all;
	uint32_t n;
	const struct rec_counters *plan;        /* NULL: it is not there, or damaged */
	const struct rec_counters_image *images;
	struct launch *launches;
	uint32_t n_images;                /* all of the plan */
	const char ***names;              /* by image */
	struct unit **units;              /* ... and metric */
	char why[400];                    /* nothing could be evaluated */
};

static void take_names(struct gt_counted *c, uint32_t i)
{
	const char *at = (const char *)c->plan + c->images[i].names;

	c->names[i] = calloc(c->images[i].metrics + 1ull, sizeof **c->names);
	c->units[i] = calloc(c->images[i].metrics + 1ull, sizeof **c->units);
	for (uint32_t k = 0; c->names[i] && k < c->images[i].metrics; k++, at += strlen(at) + 1)
		c->names[i][k] = at;
}

static struct gt_host_chip *chip(const struct gt_counted *c, struct gt_host *h, uint32_t image)
{
	struct gt_host_chip *one = NULL;
	struct gt_err ignored;

	return gt_host_begin(h, c->images[image].chip, GT_HOST_RANGES, &one, &ignored) ? NULL : one;
}

static void take_units(struct gt_counted *c, struct gt_host *h, uint32_t image)
{
	struct gt_host_chip *one = chip(c, h, image);
	struct gt_host_metric m;

	for (uint32_t k = 0; one && k < c->images[image].metrics; k++)
		if (gt_host_find(one, c->names[image][k], &m)) {
			c->units[image][k].unit = strdup(m.unit);
			c->units[image][k].description = strdup(m.description);
		}
	gt_host_end(one);
}

/* ------------------------------------------------------------------ in the child */

/* An image's id is the hash of its content: one that was altered may still give values, and wrong ones. */
static bool is_as_recorded(const uint64_t id[2], struct gt_string data)
{
	XXH128_hash_t hash = XXH3_128bits(data.text, data.bytes);

	return hash.low64 == id[0] && hash.high64 == id[1];
}

/* Several kernels of a graph that the profiler told apart. */
static size_t ranges_of(const struct gt_counters *l)
{
	return l->ranges && l->ranges < RANGES_MOST ? l->ranges : 1;
}

/* The image of a launch; where each run of the program counted a pass, the one behind the last run. */
static enum state image_of(const struct gt_counted *c, struct gt_model *m, const struct gt_counters *l,
	struct gt_string *data)
{
	bool of_all = l->image < c->plan->n && c->plan->replay && c->images[l->image].passes > 1;
	uint64_t total;

	if (of_all && (l->missing || !l->image_of_all.bytes))
		return NOT_ALL_PASSES;
	if (of_all)
		*data = l->image_of_all;
	else if (!gt_model_blob(m, l->id, data, &total) || data->bytes != total)
		return NO_IMAGE;
	return is_as_recorded(of_all ? l->id_of_all : l->id, *data) ? EVALUATED : ALTERED;
}

/* Number of its image in the plan; n_images: there is none. That of the whole device is of the same chip. */
static uint32_t planned(const struct gt_counted *c, const struct gt_counters *l, enum half half)
{
	if (l->image >= c->plan->n)
		return c->n_images;
	if (half == CONTEXTS)
		return l->image;
	for (uint32_t i = c->plan->n; i < c->n_images && l->apart[REC_APART_DEVICE].run; i++)
		if (c->images[i].apart == REC_APART_DEVICE && !strcmp(c->images[i].chip, c->images[l->image].chip))
			return i;
	return c->n_images;
}

static size_t metrics_of(const struct gt_counted *c, uint32_t image)
{
	return image < c->n_images ? c->images[image].metrics : 0;
}

static enum state image_of_half(const struct gt_counted *c, struct gt_model *m, const struct gt_counters *l,
	enum half half, struct gt_string *data)
{
	int there;

	if (half == CONTEXTS)
		return image_of(c, m, l, data);
	there = gt_model_apart(m, l, REC_APART_DEVICE, data);
	return there > 0 ? EVALUATED : l->apart[REC_APART_DEVICE].data.bytes ? ALTERED : NOT_ALL_PASSES;
}

/* Writes its state, and the values if there are any. */
static bool tell_half(const struct gt_counted *c, struct gt_model *m, struct gt_host *h, struct gt_host_chip **chips,
	const struct gt_counters *l, enum half half, int fd)
{
	uint32_t image = planned(c, l, half), state = NO_IMAGE;
	size_t metrics = metrics_of(c, image), n = ranges_of(l);
	double *values = calloc(metrics * n + 1, sizeof *values);
	struct gt_string data;
	bool told;

	if (metrics && values)
		state = image_of_half(c, m, l, half, &data);
	if (state == EVALUATED && !chips[image] && !(chips[image] = chip(c, h, image)))
		state = REFUSED;
	for (size_t k = 0; k < n && state == EVALUATED; k++)
		if (!gt_host_evaluate(chips[image], data.text, data.bytes, k, c->names[image], metrics,
			    values + k * metrics))
			state = REFUSED;
	told = gt_host_write(fd, &state, sizeof state) &&
		(state != EVALUATED || gt_host_write(fd, values, n * metrics * sizeof *values));
	free(values);
	return told;
}

static void child(const struct gt_counted *c, struct gt_model *m, struct gt_host *h, int fd)
{
	struct gt_host_chip **chips = calloc(c->n_images + 1ull, sizeof *chips);

	for (uint32_t i = 0; chips && i < c->n; i++)
		for (enum half half = CONTEXTS; half < HALVES; half++)
			if (!tell_half(c, m, h, chips, &c->all[i], half, fd))
				_exit(1);
	_exit(0);
}

/* ------------------------------------------------------------------ in the tool */

/* False: nothing more comes. */
static bool take_half(struct gt_counted *c, uint32_t i, enum half half, int fd)
{
	size_t metrics = metrics_of(c, planned(c, &c->all[i], half)) * ranges_of(&c->all[i]);
	struct launch *l = &c->launches[i];

	if (!gt_host_read(fd, &l->of[half].state, sizeof l->of[half].state))
		return false;
	if (l->of[half].state != EVALUATED)
		return true;
	l->of[half].values = calloc(metrics + 1, sizeof *l->of[half].values);
	if (l->of[half].values && gt_host_read(fd, l->of[half].values, metrics * sizeof *l->of[half].values))
		return true;
	l->of[half].state = NOT_EVALUATED;
	return false;
}

static void take_values(struct gt_counted *c, int fd)
{
	bool more = true;

	for (uint32_t i = 0; i < c->n; i++)
		for (enum half half = CONTEXTS; half < HALVES && more; half++)
			more = take_half(c, i, half, fd);
}

/* COUNTED1 */
static void evaluate(struct gt_counted *c, struct gt_model *m, struct gt_host *h)
{
	pid_t pid;
	int fd = gt_host_fork(&pid);

	if (fd >= 0 && !pid)
		child(c, m, h, fd);
	if (fd >= 0) {
		take_values(c, fd);
		close(fd);
		kill(pid, SIGKILL);             /* it has said all, or does not come back */
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	snprintf(c->why, sizeof c->why, "counters were collected; CUPTI's host library failed on their image, "
		"or did not come back");
}

int gt_counted_open(struct gt_model *m, const char *cupti, struct gt_counted **out, struct gt_err *err)
{
	struct gt_counted *c;
	struct gt_err missing = { 0 };
	struct gt_host *h;

	*out = NULL;
	c = calloc(1, sizeof *c);
	if (!c)
		return gt_no_memory(err);
	c->n = gt_model_counters(m, &c->all);
	c->plan = gt_model_counters_plan(m);
	if (!c->n) {
		free(c);
		return 0;
	}
	*out = c;
	if (!c->plan) {
		snprintf(c->why, sizeof c->why,
			"counters were collected; the trace's file " REC_COUNTERS_FILE
			", which tells what they are, is missing or damaged");
		return 0;
	}
	c->images = (const void *)(c->plan + 1);
	c->n_images = c->plan->n + c->plan->more;
	c->launches = calloc(c->n, sizeof *c->launches);
	c->names = calloc(c->n_images + 1ull, sizeof *c->names);
	c->units = calloc(c->n_images + 1ull, sizeof *c->units);
	if (!c->launches || !c->names || !c->units) {
		gt_counted_close(c);
		*out = NULL;
		return gt_no_memory(err);
	}
	for (uint32_t i = 0; i < c->n_images; i++) {
		take_names(c, i);
		if (!c->names[i] || !c->units[i]) {
			gt_counted_close(c);
			*out = NULL;
			return gt_no_memory(err);
		}
	}
	if (!c->plan->n)                        /* nothing but samples of the program counter */
		return 0;
	if (gt_host_open(cupti, &h, &missing)) {
		snprintf(c->why, sizeof c->why,
			"counters were collected; CUPTI's host library, which makes values of them, is missing here "
			"(--cupti PATH)");
		return 0;
	}
	for (uint32_t i = 0; i < c->n_images; i++)
		if (i < c->plan->n || c->images[i].apart == REC_APART_DEVICE)
			take_units(c, h, i);
	evaluate(c, m, h);
	return 0;
}

void gt_counted_close(struct gt_counted *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; c->launches && i < c->n; i++)
		for (enum half half = CONTEXTS; half < HALVES; half++)
			free(c->launches[i].of[half].values);
	for (uint32_t i = 0; i < c->n_images; i++) {
		for (uint32_t k = 0; c->units && c->units[i] && k < c->images[i].metrics; k++) {
			free(c->units[i][k].unit);
			free(c->units[i][k].description);
		}
		if (c->units)
			free(c->units[i]);
		if (c->names)
			free(c->names[i]);
	}
	free(c->units);
	free(c->names);
	free(c->launches);
	free(c);
}

/* ------------------------------------------------------------------ asked */

const struct gt_counters *gt_counted_at(const struct gt_counted *c, uint32_t i)
{
	return c && i < c->n ? &c->all[i] : NULL;
}

static int compare(const struct gt_counters *x, uint32_t process, uint32_t kind, uint32_t correlation)
{
	if (x->process != process)
		return x->process < process ? -1 : 1;
	if (x->kind != kind)
		return x->kind < kind ? -1 : 1;
	return (x->correlation > correlation) - (x->correlation < correlation);
}

int64_t gt_counted_find(const struct gt_counted *c, uint32_t process, uint32_t kind, uint32_t correlation)
{
	uint32_t at, n = c ? c->n : 0;

	GT_SEARCH(at, n, compare(&c->all[at], process, kind, correlation) < 0);
	return at < n && !compare(&c->all[at], process, kind, correlation) ? (int64_t)at : -1;
}

bool gt_counted_kernel(const struct gt_counted *c, uint32_t process, struct gt_string symbol)
{
	for (uint32_t i = 0; c && i < c->n; i++)
		if (c->all[i].process == process && c->all[i].kind == REC_COUNTED_LAUNCH &&
			rec_symbol_is(c->all[i].symbol.text, c->all[i].symbol.bytes, symbol.text, symbol.bytes))
			return true;
	return false;
}

static const char *why_not_all(const struct gt_counters *of, enum half half, struct launch *l)
{
	uint32_t run = half == DEVICE ? of->apart[REC_APART_DEVICE].run : of->missing;

	if (!run)
		return "only the first of its passes is in the trace: the others are missing, or damaged";
	snprintf(l->why, sizeof l->why, "run %u of the program, which counts %s, had no such launch", run,
		half == DEVICE ? "the whole device" : "one of the passes");
	return l->why;
}

static const char *why_none(const struct gt_counted *c, int64_t launch, enum half half)
{
	struct launch *l = &c->launches[launch];
	uint32_t state = l->of[half].state;

	return state == EVALUATED ? "the device counted none, or shares the unit" :
		state == REFUSED ? "CUPTI's host library refuses the image of counters" :
		state == NO_IMAGE ? "the image of counters is not in the trace, or not whole" :
		state == NOT_ALL_PASSES ? why_not_all(&c->all[launch], half, l) :
		state == ALTERED ? "the image of counters is damaged: it is not what was recorded" : c->why;
}

bool gt_counted_metric(const struct gt_counted *c, int64_t launch, uint32_t range, uint32_t i,
	struct gt_counted_metric *out)
{
	uint32_t image = c->plan ? planned(c, &c->all[launch], CONTEXTS) : 0;
	enum half half = CONTEXTS;
	const struct launch *l;
	const struct unit *u;
	size_t value;

	if (!c->plan || range >= ranges_of(&c->all[launch]))
		return false;
	if (i >= metrics_of(c, image)) {
		i -= (uint32_t)metrics_of(c, image);
		image = planned(c, &c->all[launch], half = DEVICE);
	}
	if (i >= metrics_of(c, image))
		return false;
	l = &c->launches[launch];
	u = &c->units[image][i];
	*out = (struct gt_counted_metric){ .name = c->names[image][i], .unit = u->unit ? u->unit : "",
		.description = u->description ? u->description : "" };
	value = (size_t)range * c->images[image].metrics + i;
	out->has = l->of[half].state == EVALUATED && isfinite(l->of[half].values[value]);
	if (out->has)
		out->value = l->of[half].values[value];
	else
		out->why = why_none(c, launch, half);
	return true;
}

const char *gt_counted_nothing(const struct gt_counted *c) { return c && !c->plan ? c->why : NULL; }
