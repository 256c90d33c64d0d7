/*
 * analysis/metrics/monitored.c - samples of performance monitors of a trace's launches, as values of metrics
 *
 * Runs in the tool.
 *
 * MONITORED1  Images are evaluated in a child process, as those of counters are (COUNTED1).
 * MONITORED2  Both halves go through the same list of what is to be evaluated, made before they part.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/monitored.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/metrics/host.h"
#include "common/memory.h"
#include "common/search.h"
#include "model/cuda/cuda.h"
#include "trace/format/counters.h"

enum state { NOT_EVALUATED, EVALUATED, REFUSED };

/* What one run sampled of one launch: the samples from `first` on, n of them, are of the kernel's time. */
struct series {
	uint32_t launch, run, image, first, n;
	enum rec_apart class;
	struct rec_pm_parts parts;                /* head NULL: damaged, or there was no such launch */
	char *why;                                /* nothing is evaluated; NULL */
	uint32_t state;
	double *values;                           /* of each sample all metrics */
};
struct names { const char **name; char **full, **unit, **description; uint32_t n; };
struct gt_monitored {
	const struct gt_counters *launches; uint32_t n_launches;
	const struct rec_counters *plan;          /* NULL: it is not there, or damaged */
	const struct rec_counters_image *images;
	struct names *names; uint32_t n_images;   /* by image of the plan */
	GT_LIST(struct series) all;               /* by launch */
	const char *no_values;                    /* why nothing could be evaluated */
};

/* ------------------------------------------------------------------ which samples */

static char *say(const char *form, ...) __attribute__((format(printf, 1, 2)));
static char *say(const char *form, ...)
{
	char *text = NULL;
	va_list list;

	va_start(list, form);
	if (vasprintf(&text, form, list) < 0)
		text = NULL;
	va_end(list);
	return text;
}

static const char *why_not_whole(uint32_t state)
{
	return state == REC_PM_OVERFLOW ? "the device's buffer of samples was full (--pm-sampling-buffer-size, "
					  "--pm-sampling-interval)" :
		state == REC_PM_FULL ? "it has more samples than a trace keeps of a launch (--pm-sampling-interval)" :
		"CUPTI did not give the samples of this launch";
}

/* Those of the kernel's time; a reason, or NULL. */
static char *choose(struct series *s, struct gt_cuda *cuda, const struct gt_counters *c)
{
	const struct rec_pm *h = s->parts.head;
	const struct rec_pm_time *t = s->parts.times;
	uint64_t begin, end;
	uint32_t last;

	if (h->state != REC_PM_WHOLE)
		return say("%s", why_not_whole(h->state));
	if (!h->samples)
		return say("no sample was taken: the launch took less than an interval");
	if (h->end_ns < t[0].begin_ns || h->begin_ns > t[h->samples - 1].end_ns)
		return say("the samples' clock is not that of CUPTI's activities: none can be told to be the kernel's");
	if (!cuda || !gt_cuda_sampled_span(cuda, c, h, !s->run, &begin, &end))
		return say("the run that sampled does not tell when the kernel ran");
	while (s->first < h->samples && t[s->first].end_ns <= begin)
		s->first++;
	for (last = s->first; last < h->samples && t[last].begin_ns < end; last++)
		;
	s->n = last - s->first;
	return s->n ? NULL : say("no sample lies in the kernel's time");
}

static bool add_series(struct gt_monitored *s, struct gt_model *m, struct gt_cuda *cuda, uint32_t launch,
	enum rec_apart class)
{
	const struct gt_counters *c = &s->launches[launch];
	struct rec_pm_parts parts = { .head = NULL };
	int there = gt_model_pm_samples(m, c, class, &parts);
	struct series *one = there ? GT_LIST_ADD(&s->all) : NULL;

	if (!there)
		return true;
	if (!one)
		return false;
	*one = (struct series){ .launch = launch, .class = class, .run = c->apart[class].run, .image = UINT32_MAX,
		.parts = parts };
	if (there < 0) {
		one->parts.head = NULL;
		one->why = say("%s", one->run && !c->apart[class].data.bytes
				? "the run that samples performance monitors had no such launch, or took none"
				: "the samples of performance monitors are damaged, or not whole in the trace");
		return one->why;
	}
	one->image = parts.head->image;
	one->why = choose(one, cuda, c);
	return one->why || one->n;
}

/* ------------------------------------------------------------------ names */

/* Those of a class, whatever chip: for launches that have nothing else. */
static uint32_t image_of(const struct gt_monitored *s, const struct series *one)
{
	if (!s->plan)
		return UINT32_MAX;
	for (uint32_t i = s->plan->n; one->image == UINT32_MAX && i < s->n_images; i++)
		if (s->images[i].apart == (uint32_t)one->class)
			return i;
	return one->image < s->n_images && s->images[one->image].apart == (uint32_t)one->class ? one->image
											       : UINT32_MAX;
}

static bool take_names(struct gt_monitored *s, uint32_t image, struct gt_host_chip *chip)
{
	struct names *to = &s->names[image];
	const char *at = (const char *)s->plan + s->images[image].names;
	uint32_t n = s->images[image].metrics;
	struct gt_host_metric m;

	if (!to->name) {
		to->name = calloc(n + 1ull, sizeof *to->name);
		to->full = calloc(n + 1ull, sizeof *to->full);
		to->unit = calloc(n + 1ull, sizeof *to->unit);
		to->description = calloc(n + 1ull, sizeof *to->description);
		if (!to->name || !to->full || !to->unit || !to->description)
			return false;
		to->n = n;
		for (uint32_t i = 0; i < n; i++, at += strlen(at) + 1) {
			to->name[i] = at;
			to->full[i] = say("pmsampling:%s", at);
		}
	}
	for (uint32_t i = 0; chip && i < n; i++)
		if (!to->unit[i] && gt_host_find(chip, to->name[i], &m)) {
			to->unit[i] = strdup(m.unit);
			to->description[i] = strdup(m.description);
		}
	return true;
}

static struct gt_host_chip *chip_of(const struct gt_monitored *s, struct gt_host *h, uint32_t image)
{
	struct gt_host_chip *one = NULL;
	struct gt_err ignored;

	return gt_host_begin(h, s->images[image].chip, GT_HOST_PM_SAMPLING, &one, &ignored) ? NULL : one;
}

/* ------------------------------------------------------------------ in the child */

static bool is_evaluated(const struct series *one) { return !one->why && one->image != UINT32_MAX; }

static enum state evaluate_one(const struct gt_monitored *s, const struct series *one, struct gt_host_chip *chip,
	double *values)
{
	const struct names *names = &s->names[one->image];
	const uint8_t *at = one->parts.data;
	uint32_t sample = 0;

	for (uint32_t i = 0; i < one->parts.head->images; at += rec_pm_room(one->parts.images[i].bytes), i++)
		for (uint32_t k = 0; k < one->parts.images[i].samples; k++, sample++)
			if (sample >= one->first && sample - one->first < one->n &&
				!gt_host_evaluate(chip, at, one->parts.images[i].bytes, k, names->name, names->n,
					values + (size_t)(sample - one->first) * names->n))
				return REFUSED;
	return EVALUATED;
}

/* MONITORED2 */
static void child(const struct gt_monitored *s, struct gt_host *h, int fd)
{
	for (uint32_t i = 0; i < s->all.n; i++) {
		const struct series *one = &s->all.v[i];
		size_t bytes = is_evaluated(one) ? (size_t)one->n * s->names[one->image].n * sizeof(double) : 0;
		struct gt_host_chip *chip = bytes ? chip_of(s, h, one->image) : NULL;
		double *values = calloc(1, bytes + 1);
		uint32_t state = REFUSED;

		if (!is_evaluated(one)) {
			free(values);
			continue;
		}
		if (chip && values)
			state = evaluate_one(s, one, chip, values);
		gt_host_end(chip);
		if (!gt_host_write(fd, &state, sizeof state) ||
			(state == EVALUATED && !gt_host_write(fd, values, bytes)))
			_exit(1);
		free(values);
	}
	_exit(0);
}

/* ------------------------------------------------------------------ in the tool */

static void take_values(struct gt_monitored *s, int fd)
{
	for (uint32_t i = 0; i < s->all.n; i++) {
		struct series *one = &s->all.v[i];
		size_t values = is_evaluated(one) ? (size_t)one->n * s->names[one->image].n : 0;

		if (!is_evaluated(one))
			continue;
		if (!gt_host_read(fd, &one->state, sizeof one->state))
			return;
		if (one->state != EVALUATED)
			continue;
		one->values = calloc(values + 1, sizeof *one->values);
		if (!one->values || !gt_host_read(fd, one->values, values * sizeof *one->values)) {
			one->state = NOT_EVALUATED;
			return;
		}
	}
}

/* MONITORED1 */
static void evaluate(struct gt_monitored *s, struct gt_host *h)
{
	pid_t pid;
	int fd = gt_host_fork(&pid);

	s->no_values = "performance monitors were sampled; CUPTI's host library failed on their image, or did not come "
		       "back";
	if (fd >= 0 && !pid)
		child(s, h, fd);
	if (fd < 0)
		return;
	take_values(s, fd);
	close(fd);
	kill(pid, SIGKILL);                     /* it has said all, or does not come back */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static bool take_all_names(struct gt_monitored *s, struct gt_host *h)
{
	for (uint32_t i = 0; i < s->all.n; i++) {
		uint32_t image = s->all.v[i].image = image_of(s, &s->all.v[i]);
		struct gt_host_chip *chip;

		if (image == UINT32_MAX || s->names[image].name)
			continue;
		chip = h ? chip_of(s, h, image) : NULL;
		if (!take_names(s, image, chip)) {
			gt_host_end(chip);
			return false;
		}
		gt_host_end(chip);
	}
	return true;
}

static int fill(struct gt_monitored *s, struct gt_model *m, const char *cupti, struct gt_err *err)
{
	struct gt_err ignored = { 0 };
	struct gt_cuda *cuda = gt_model_cuda(m, &ignored);
	struct gt_host *h = NULL;

	for (uint32_t i = 0; i < s->n_launches; i++)
		for (uint32_t k = REC_APART_PM; k < REC_APARTS; k++)
			if (!add_series(s, m, cuda, i, (enum rec_apart)k))
				return gt_no_memory(err);
	if (!s->all.n)
		return 0;
	s->plan = gt_model_counters_plan(m);
	s->images = s->plan ? (const void *)(s->plan + 1) : NULL;
	s->n_images = s->plan ? s->plan->n + s->plan->more : 0;
	s->names = calloc(s->n_images + 1ull, sizeof *s->names);
	if (!s->names)
		return gt_no_memory(err);
	if (!s->plan || gt_host_open(cupti, &h, &ignored))
		s->no_values = "performance monitors were sampled; CUPTI's host library, which makes values of that, "
			       "is missing here (--cupti PATH)";
	if (!take_all_names(s, h))
		return gt_no_memory(err);
	if (h)
		evaluate(s, h);
	return 0;
}

int gt_monitored_open(struct gt_model *m, const char *cupti, struct gt_monitored **out, struct gt_err *err)
{
	struct gt_monitored *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return gt_no_memory(err);
	s->n_launches = gt_model_counters(m, &s->launches);
	rc = fill(s, m, cupti, err);
	if (rc || !s->all.n)
		gt_monitored_close(s);
	else
		*out = s;
	return rc;
}

void gt_monitored_close(struct gt_monitored *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->all.n; i++) {
		free(s->all.v[i].values);
		free(s->all.v[i].why);
	}
	for (uint32_t i = 0; s->names && i < s->n_images; i++) {
		for (uint32_t k = 0; k < s->names[i].n; k++) {
			free(s->names[i].full[k]);
			free(s->names[i].unit[k]);
			free(s->names[i].description[k]);
		}
		free(s->names[i].name);
		free(s->names[i].full);
		free(s->names[i].unit);
		free(s->names[i].description);
	}
	free(s->names);
	free(s->all.v);
	free(s);
}

/* ------------------------------------------------------------------ asked */

/*
 * What a counter has in each sample adds up over the kernel (.sum, and .avg over units); of the most and the least that
 * a unit has, the most and the least are known; what is a rate or a share is averaged.
 */
static double value_of(const char *name, const double *values, uint32_t n, uint32_t step)
{
	const char *rollup = strchr(name, '.');
	bool counter = rollup && !strchr(rollup + 1, '.');
	bool adds = counter && (!strcmp(rollup, ".sum") || !strcmp(rollup, ".avg")), most = rollup &&
		!strncmp(rollup, ".max", 4), least = rollup && !strncmp(rollup, ".min", 4);
	double sum = 0, extreme = NAN;
	uint32_t finite = 0;

	for (uint32_t i = 0; i < n; i++) {
		double v = values[(size_t)i * step];

		if (!isfinite(v))
			continue;
		sum += v;
		finite++;
		if (isnan(extreme) || (most && v > extreme) || (least && v < extreme))
			extreme = v;
	}
	return !finite ? NAN : most || least ? extreme : adds ? sum : sum / finite;
}

static const char *why_no_value(const struct gt_monitored *s, const struct series *one)
{
	return one->why ? one->why :
		one->state == REFUSED ? "CUPTI's host library refuses the image of samples" : s->no_values;
}

static uint32_t first_of(const struct gt_monitored *s, uint32_t launch)
{
	uint32_t at, n = s ? s->all.n : 0;

	GT_SEARCH(at, n, s->all.v[at].launch < launch);
	return at;
}

bool gt_monitored_metric(const struct gt_monitored *s, uint32_t launch, uint32_t i, struct gt_monitored_metric *out)
{
	for (uint32_t k = first_of(s, launch); s && k < s->all.n && s->all.v[k].launch == launch; k++) {
		const struct series *one = &s->all.v[k];
		const struct names *names = one->image != UINT32_MAX ? &s->names[one->image] : NULL;

		if (!names)
			continue;
		if (i >= names->n) {
			i -= names->n;
			continue;
		}
		*out = (struct gt_monitored_metric){ .name = names->full[i],
			.unit = names->unit[i] ? names->unit[i] : "",
			.description = names->description[i] ? names->description[i] : "", .run = one->run,
			.head = one->parts.head };
		if (one->state != EVALUATED) {
			out->why = why_no_value(s, one);
			return true;
		}
		out->times = one->parts.times + one->first;
		out->values = one->values + i;
		out->n = one->n;
		out->step = names->n;
		out->value = value_of(names->name[i], out->values, one->n, names->n);
		if (isnan(out->value))
			out->why = "the device counted none, or shares the unit";
		return true;
	}
	return false;
}

const char *gt_monitored_nothing(const struct gt_monitored *s, uint32_t launch)
{
	for (uint32_t k = first_of(s, launch); s && k < s->all.n && s->all.v[k].launch == launch; k++)
		if (s->all.v[k].image == UINT32_MAX)
			return s->plan ? why_no_value(s, &s->all.v[k])
				: "performance monitors were sampled; the trace's file " REC_COUNTERS_FILE
				  ", which tells what they are, is missing or damaged";
	return NULL;
}
