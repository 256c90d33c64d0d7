/*
 * analysis/metrics/domains.c - plans whose counters are collected in domains of the hardware that the user names
 *
 * Runs in the tool. CUPTI's host interface takes no domain and chooses; the library below it, libnvperf_host.so, takes
 * one with each raw counter that a metric is made of. No GPU and no driver are needed.
 *
 * DOMAINS1  What is planned here is collected and evaluated by CUPTI, so it must count what CUPTI would: without any
 *           domain the image has to be CUPTI's own, byte for byte, else CUPTI's is used and the domains are not.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/domains.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* ------------------------------------------------------------------ the library's calls */

/* Each structure of a call says its size first and has a pointer that nobody uses. */
#define BEGIN size_t size; void *none
struct initialize { BEGIN; };
struct scratch_size { BEGIN; const char *chip; const uint8_t *availability; size_t bytes; };
struct evaluator {
	BEGIN;
	uint8_t *scratch;
	size_t bytes;
	const char *chip;
	const uint8_t *availability, *data;
	size_t data_bytes;
	void *evaluator;
};
struct evaluator_end { BEGIN; void *evaluator; };
struct metric { size_t index; uint8_t type, rollup; uint16_t submetric; };
struct find_metric { BEGIN; void *evaluator; const char *name; struct metric *metric; size_t metric_bytes; };
struct dependencies {
	BEGIN;
	void *evaluator;
	const struct metric *metrics;
	size_t n, metric_bytes, stride;
	const char **counters;
	size_t n_counters;
	const char **optional;
	size_t n_optional;
};
struct create { BEGIN; const char *chip; const uint8_t *availability; uint32_t activity; void *config; };
struct of_config { BEGIN; void *config; };
struct all_domains { BEGIN; const void *config; size_t n; uint32_t *domains; };
struct find_domain { BEGIN; const char *name; uint32_t domain; };
struct collected_in {
	BEGIN;
	const void *config;
	const char *counter;
	size_t n;
	uint32_t *domains;
	size_t n_groups;
	uint32_t *groups;
};
struct pass_group { BEGIN; void *config; size_t n; const uint32_t *domains; };
struct request { void *none; const char *counter; uint32_t domain; uint8_t keep; };
struct add { BEGIN; void *config; size_t request_bytes, n; const struct request *requests; };
struct image_of { BEGIN; const void *config; size_t room; uint8_t *data; size_t bytes; };
struct passes_of { BEGIN; const void *config; size_t n; };
#undef BEGIN

/* The size counts to the end of the last member. */
#define BYTES(type, last) (offsetof(struct type, last) + sizeof ((struct type *)0)->last)
#define PARAMS(type, last, ...) struct type p = { .size = BYTES(type, last), __VA_ARGS__ }

enum { INITIALIZE, SCRATCH_SIZE, EVALUATOR, EVALUATOR_END, FIND_METRIC, DEPENDENCIES, CREATE, DESTROY, ALL_DOMAINS,
	FIND_DOMAIN, COLLECTED_IN, OPEN_GROUP, ADD, CLOSE_GROUP, GENERATE, IMAGE, PASSES, CALLS };
#define EVALUATES "NVPW_MetricsEvaluator_"
#define CONFIGURES "NVPW_RawCounterConfig_"
static const char *const names[CALLS] = {
	[INITIALIZE] = "NVPW_InitializeHost",
	[SCRATCH_SIZE] = "NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize",
	[EVALUATOR] = "NVPW_CUDA_MetricsEvaluator_Initialize", [EVALUATOR_END] = EVALUATES "Destroy",
	[FIND_METRIC] = EVALUATES "ConvertMetricNameToMetricEvalRequest",
	[DEPENDENCIES] = EVALUATES "GetMetricRawDependencies", [CREATE] = "NVPW_CUDA_RawCounterConfig_Create",
	[DESTROY] = CONFIGURES "Destroy", [ALL_DOMAINS] = CONFIGURES "GetAllAvailableRawCounterDomains",
	[FIND_DOMAIN] = CONFIGURES "StringToRawCounterDomain", [COLLECTED_IN] = CONFIGURES "GetRawCounterProperties",
	[OPEN_GROUP] = CONFIGURES "BeginPassGroup", [ADD] = CONFIGURES "AddRawCounters",
	[CLOSE_GROUP] = CONFIGURES "EndPassGroup", [GENERATE] = CONFIGURES "GenerateConfigImage",
	[IMAGE] = CONFIGURES "GetConfigImage", [PASSES] = CONFIGURES "GetNumPasses",
};

enum { PROFILER = 1 };                    /* activity: counters of ranges; the image of one that samples is the same */
enum { MOST_DOMAINS = 256 };              /* CUDA 13.0's GH100 has 24 and 3 groups of them */

/* What a metric is made of. domain 0: the library chooses. */
struct counter { char *name; uint32_t metric, domain; };

struct work {
	int (*call[CALLS])(void *params);
	const char *chip;
	enum gt_host_use use;
	struct gt_host_wish *list;
	size_t n;
	void *scratch, *evaluator, *config;
	GT_LIST(struct counter) counters;
};

/* ------------------------------------------------------------------ why not */

static void say(struct gt_host_wish *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct gt_host_wish *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(w->why, sizeof w->why, format, args);
	va_end(args);
}

static void say_of_all(struct work *w, const char *why)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].domains && !*w->list[i].why)
			say(&w->list[i], "%s", why);
}

/* ------------------------------------------------------------------ metrics and their counters */

/* NULL, or what is missing. */
static const char *load(struct work *w, void *library)
{
	static bool initialised;
	PARAMS(initialize, none, 0);

	if (!library)
		return "libnvperf_host.so does not lie beside CUPTI's library";
	for (int i = 0; i < CALLS; i++) {
		*(void **)&w->call[i] = dlsym(library, names[i]);
		if (!w->call[i])
			return "this libnvperf_host.so takes none, CUDA 12.9's does";
	}
	if (!initialised && w->call[INITIALIZE](&p))
		return "libnvperf_host.so cannot be used here";
	initialised = true;
	return NULL;
}

static bool open_evaluator(struct work *w)
{
	PARAMS(scratch_size, bytes, .chip = w->chip);
	int status = w->call[SCRATCH_SIZE](&p);
	struct evaluator e = { .size = BYTES(evaluator, evaluator), .bytes = p.bytes, .chip = w->chip };

	if (status || !(e.scratch = w->scratch = malloc(p.bytes + 1)) || w->call[EVALUATOR](&e))
		return false;
	w->evaluator = e.evaluator;
	return w->evaluator;
}

static bool find_metric(const struct work *w, const char *name, struct metric *m)
{
	PARAMS(find_metric, metric_bytes, .evaluator = w->evaluator, .name = name, .metric = m,
		.metric_bytes = BYTES(metric, submetric));

	return !w->call[FIND_METRIC](&p);
}

/* Those without which it has no value, as CUPTI takes them: metric by metric. */
static bool take_counters(struct work *w, uint32_t metric)
{
	struct metric m = { 0 };
	PARAMS(dependencies, n_optional, .evaluator = w->evaluator, .metrics = &m, .n = 1,
		.metric_bytes = BYTES(metric, submetric), .stride = sizeof m);
	bool whole = find_metric(w, w->list[metric].name, &m) && !w->call[DEPENDENCIES](&p);

	if (!whole)
		return false;
	p.counters = calloc(p.n_counters + 1, sizeof *p.counters);
	p.optional = calloc(p.n_optional + 1, sizeof *p.optional);
	whole = p.counters && p.optional && !w->call[DEPENDENCIES](&p);
	for (size_t i = 0; i < p.n_counters && whole; i++) {
		struct counter *c = GT_LIST_ADD(&w->counters);

		if (c)
			*c = (struct counter){ strdup(p.counters[i]), metric, 0 };
		whole = c && c->name;
	}
	free(p.counters);
	free(p.optional);
	return whole;
}

/* ------------------------------------------------------------------ domains */

static uint32_t find_domain(const struct work *w, const char *name)
{
	PARAMS(find_domain, domain, .name = name);

	return w->call[FIND_DOMAIN](&p) ? 0 : p.domain;
}

static bool is_among(uint32_t domain, const uint32_t *list, size_t n)
{
	for (size_t i = 0; i < n && i < MOST_DOMAINS; i++)
		if (list[i] == domain)
			return true;
	return false;
}

/* While all domains are in an open group of passes. The first call says how many there are. */
static bool is_collected_in(const struct work *w, const char *counter, uint32_t domain)
{
	uint32_t domains[MOST_DOMAINS], groups[MOST_DOMAINS];
	PARAMS(collected_in, groups, .config = w->config, .counter = counter);

	if (w->call[COLLECTED_IN](&p) || p.n > MOST_DOMAINS || p.n_groups > MOST_DOMAINS)
		return false;
	p.domains = domains;
	p.groups = groups;
	return !w->call[COLLECTED_IN](&p) &&
		(is_among(domain, domains, p.n) || is_among(domain, groups, p.n_groups));
}

/* The first domain of the list in which the counter can be collected; 0: none. */
static uint32_t first_of_list(const struct work *w, const char *counter, const char *list)
{
	uint32_t found = 0;

	for (size_t n; *list && !found; list += n + (list[n] == ',')) {
		char name[64];
		uint32_t domain;

		n = strcspn(list, ",");
		snprintf(name, sizeof name, "%.*s", (int)n, list);
		domain = find_domain(w, name);
		if (domain && is_collected_in(w, counter, domain))
			found = domain;
	}
	return found;
}

static void tell_none(const struct work *w, struct gt_host_wish *wish)
{
	bool known = false;
	char name[64];

	for (const char *at = wish->domains; *at && !known; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
		snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
		known = find_domain(w, name);
	}
	say(wish, known ? "the counter domain %.60s of %s does not collect it" : "there is no counter domain %.60s",
		wish->domains, w->chip);
}

/*
 * Of the counters of each metric that names domains. One that none of these collects is left to the library, as long as
 * others of the metric are collected in one: a ratio may be of counters from several places.
 */
static void choose_named(struct work *w)
{
	for (uint32_t m = 0; m < w->n; m++) {
		struct gt_host_wish *wish = &w->list[m];
		bool any = false;

		for (uint32_t i = 0; wish->domains && i < w->counters.n; i++)
			if (w->counters.v[i].metric == m) {
				w->counters.v[i].domain =
					first_of_list(w, w->counters.v[i].name, wish->domains);
				any |= w->counters.v[i].domain != 0;
			}
		if (wish->domains && !any)
			tell_none(w, wish);
	}
}

/* Several metrics may be made of one counter: it is collected once. */
static uint32_t named_for_another(const struct work *w, const char *counter)
{
	for (uint32_t i = 0; i < w->counters.n; i++)
		if (w->counters.v[i].domain && !strcmp(w->counters.v[i].name, counter))
			return w->counters.v[i].domain;
	return 0;
}

/* CUPTI samples by the first unit of a multiprocessor what that can collect, and leaves the rest to the library. */
static uint32_t chosen_by_cupti(const struct work *w, const char *counter)
{
	uint32_t domain = w->use == GT_HOST_PM_SAMPLING ? find_domain(w, "gpu_sm_a") : 0;

	return domain && is_collected_in(w, counter, domain) ? domain : 0;
}

/* ------------------------------------------------------------------ images */

static size_t list_domains(const struct work *w, uint32_t list[MOST_DOMAINS])
{
	PARAMS(all_domains, domains, .config = w->config);

	if (w->call[ALL_DOMAINS](&p) || p.n > MOST_DOMAINS)
		return 0;
	p.domains = list;
	return w->call[ALL_DOMAINS](&p) ? 0 : p.n;
}

static bool add_counters(struct work *w, bool named)
{
	struct request *requests = calloc(w->counters.n + 1ull, sizeof *requests);
	PARAMS(add, requests, .config = w->config, .request_bytes = BYTES(request, keep), .n = w->counters.n,
		.requests = requests);
	bool added;

	if (!requests)
		return false;
	if (named)
		choose_named(w);
	for (uint32_t i = 0; i < w->counters.n; i++) {
		const struct counter *c = &w->counters.v[i];
		uint32_t domain = named_for_another(w, c->name);

		requests[i] = (struct request){ .counter = c->name,
			.domain = domain ? domain : chosen_by_cupti(w, c->name) };
	}
	added = !w->call[ADD](&p);
	free(requests);
	return added;
}

static bool take_image(const struct work *w, struct gt_host_image *out)
{
	PARAMS(image_of, bytes, .config = w->config);
	struct passes_of passes = { .size = BYTES(passes_of, n), .config = w->config };

	if (w->call[PASSES](&passes) || w->call[IMAGE](&p))
		return false;
	out->data = calloc(1, p.bytes + 1);
	out->bytes = p.room = p.bytes;
	out->passes = passes.n;
	p.data = out->data;
	return out->data && !w->call[IMAGE](&p);
}

static bool configure(struct work *w, bool named, struct gt_host_image *out)
{
	uint32_t domains[MOST_DOMAINS];
	PARAMS(pass_group, domains, .config = w->config, .n = list_domains(w, domains), .domains = domains);
	struct of_config of = { .size = BYTES(of_config, config), .config = w->config };

	return p.n && !w->call[OPEN_GROUP](&p) && add_counters(w, named) && !w->call[CLOSE_GROUP](&p) &&
		!w->call[GENERATE](&of) && take_image(w, out);
}

/* Each has an object of its own. */
static bool make_image(struct work *w, bool named, struct gt_host_image *out)
{
	PARAMS(create, config, .chip = w->chip, .activity = PROFILER);
	struct of_config of = { .size = BYTES(of_config, config) };
	bool made;

	if (w->call[CREATE](&p) || !p.config)
		return false;
	of.config = w->config = p.config;
	made = configure(w, named, out);
	w->call[DESTROY](&of);
	w->config = NULL;
	return made;
}

/* DOMAINS1. NULL, or why there is no such image. */
static const char *make(struct work *w, const struct gt_host_image *cupti, struct gt_host_image *out)
{
	struct gt_host_image same = { NULL, 0, 0 };
	bool counters = open_evaluator(w), equal;

	for (uint32_t i = 0; i < w->n && counters; i++)
		counters = take_counters(w, i);
	equal = counters && make_image(w, false, &same) && same.bytes == cupti->bytes &&
		!memcmp(same.data, cupti->data, same.bytes);
	free(same.data);
	if (!equal)
		return "CUPTI takes other counters than libnvperf_host.so for what is collected with it";
	return make_image(w, true, out) ? NULL : "libnvperf_host.so makes no plan of it";
}

static void forget(struct work *w)
{
	PARAMS(evaluator_end, evaluator, .evaluator = w->evaluator);

	if (w->evaluator)
		w->call[EVALUATOR_END](&p);
	free(w->scratch);
	for (uint32_t i = 0; i < w->counters.n; i++)
		free(w->counters.v[i].name);
	free(w->counters.v);
}

/* ------------------------------------------------------------------ asked */

static int by_cupti(struct gt_host *h, const struct work *w, struct gt_host_image *out, struct gt_err *err)
{
	const char **list = calloc(w->n + 1, sizeof *list);
	struct gt_host_chip *c;
	int rc;

	if (!list)
		return gt_no_memory(err);
	for (size_t i = 0; i < w->n; i++)
		list[i] = w->list[i].name;
	rc = gt_host_begin(h, w->chip, w->use, &c, err);
	if (!rc) {
		rc = gt_host_image(c, list, w->n, &out->data, &out->bytes, &out->passes, err);
		gt_host_end(c);
	}
	free(list);
	return rc;
}

int gt_host_image_in_domains(struct gt_host *h, const char *chip, enum gt_host_use use, struct gt_host_wish *list,
	size_t n, struct gt_host_image *out, struct gt_err *err)
{
	struct work w = { .chip = chip, .use = use, .list = list, .n = n };
	struct gt_host_image named = { NULL, 0, 0 };
	bool wished = false;
	const char *why;

	*out = (struct gt_host_image){ NULL, 0, 0 };
	for (size_t i = 0; i < n; i++) {
		*list[i].why = 0;
		wished |= list[i].domains != NULL;
	}
	if (by_cupti(h, &w, out, err))
		return -1;
	if (!wished)
		return 0;
	why = load(&w, gt_host_helper(h));
	if (!why)
		why = make(&w, out, &named);
	if (why) {
		say_of_all(&w, why);
		free(named.data);
	} else {
		free(out->data);
		*out = named;
	}
	forget(&w);
	return 0;
}
