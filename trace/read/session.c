/*
 * trace/read/session.c - the clocks of all processes of a run on one session clock
 *
 * Session ns 0 is the earliest start of a process. Processes of one boot share CLOCK_MONOTONIC; those of another boot
 * or host are placed by their CLOCK_REALTIME.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "trace/read/internal.h"

static const char *fact_or(const struct gt_facts *f, const char *key, const char *otherwise)
{
	const char *value = gt_facts_find(f, key, 0);

	return value ? value : otherwise;
}

static bool same_fact(const struct gt_facts *a, const struct gt_facts *b, const char *key)
{
	return !strcmp(fact_or(a, key, ""), fact_or(b, key, ""));
}

static bool same_boot(const struct gt_image *a, const struct gt_image *b)
{
	return same_fact(&a->meta, &b->meta, "boot_id") && same_fact(&a->meta, &b->meta, "host");
}

/* Two processes on one counter share one map: what both saw is in one order. */
static bool same_counter(const struct gt_image *a, const struct gt_image *b)
{
	return same_boot(a, b) && same_fact(&a->meta, &b->meta, "clock_source");
}

/* The launcher's sets serve a process that ran on the same machine with the same counter. */
static bool run_clock_serves(const struct gt_reader *r, const struct gt_image *image, bool *use_raw)
{
	const char *mine = fact_or(&image->meta, "clock_source", ""), *host = gt_facts_find(&image->meta, "host", 0);
	const char *launcher_host = gt_facts_find(&r->run, "host", 0),
		   *launcher = gt_facts_find(&r->run, "clock_source", 0);
	const char *boot = gt_facts_find(&image->meta, "boot_id", 0),
		   *launcher_boot = gt_facts_find(&r->run, "boot_id", 0);

	if ((host && launcher_host && strcmp(host, launcher_host)) ||
		(boot && launcher_boot && strcmp(boot, launcher_boot)))
		return false;
	*use_raw = !strcmp(mine, "monotonic_raw"); /* its ticks are the third value of each set */
	return *use_raw || !launcher || !strcmp(mine, launcher);
}

/* The sets of a group of images on one counter, while it is fitted. */
struct sets { struct gt_clock_set *at; size_t n, cap; };

static int add_set(struct sets *sets, const struct gt_clock_set *set, struct gt_err *err)
{
	if (!gt_grow((void **)&sets->at, sets->n, &sets->cap, sizeof(*set)))
		return gt_no_memory(err);
	sets->at[sets->n++] = *set;
	return 0;
}

static int add_run_sets(const struct gt_reader *r, const struct gt_image *image, struct sets *sets, struct gt_err *err)
{
	bool use_raw;

	if (!run_clock_serves(r, image, &use_raw))
		return 0;
	for (size_t i = 0; i < r->run.n; i++) {
		struct gt_clock_set set;

		if (strcmp(r->run.facts[i].key, "clock") || !gt_clock_parse(r->run.facts[i].value, &set))
			continue;
		if (use_raw)
			/* the bracket stays in the launcher's ticks: too wide on counters above 1 GHz */
			set.tick = (uint64_t)set.raw_ns;
		if (add_set(sets, &set, err) < 0)
			return -1;
	}
	return 0;
}

/* Image i and all later ones on its counter. */
static int fit_group(struct gt_reader *r, uint32_t first, double rate, struct gt_err *err)
{
	struct gt_clock *clock = &r->clocks[r->n_clocks];
	struct sets sets = { 0 };
	int rc = add_run_sets(r, &r->images[first], &sets, err);

	for (uint32_t i = first; i < r->n_images && rc == 0; i++) {
		struct gt_image *image = &r->images[i];

		if (image->clock || !same_counter(&r->images[first], image))
			continue;
		image->clock = clock;
		for (size_t k = 0; k < image->n_sets && rc == 0; k++)
			rc = add_set(&sets, &image->sets[k], err);
	}
	if (rc == 0 && gt_clock_fit(clock, sets.at, sets.n, rate) < 0)
		rc = gt_no_memory(err);
	free(sets.at);
	r->n_clocks++;
	r->found.lost[REC_LOSS_CLOCK_BREAK] += clock->breaks;
	return rc;
}

static int fit_all(struct gt_reader *r, struct gt_err *err)
{
	r->clocks = calloc(r->n_images ? r->n_images : 1, sizeof(*r->clocks));
	if (!r->clocks)
		return gt_no_memory(err);
	for (uint32_t i = 0; i < r->n_images; i++) {
		bool counts_ns = !strcmp(fact_or(&r->images[i].meta, "clock_source", ""), "monotonic_raw");

		if (!r->images[i].clock && fit_group(r, i, counts_ns ? 1 : 0, err) < 0)
			return -1;
	}
	return 0;
}

static void find_start(struct gt_image *image)
{
	const char *start = gt_facts_find(&image->meta, "start_tick", 0);

	if (start)
		image->first_tick = strtoull(start, NULL, 10);
	image->start_mono_ns = gt_clock_mono_ns(image->clock, image->first_tick);
}

/*
 * What to add to CLOCK_MONOTONIC of the image's boot for CLOCK_REALTIME: one value a boot, so that order inside it
 * stays.
 */
static int64_t real_offset(const struct gt_reader *r, const struct gt_image *image)
{
	for (uint32_t i = 0; i < r->n_images; i++)
		if (r->images[i].clock->has_real && same_boot(image, &r->images[i]))
			return r->images[i].clock->real_minus_mono_ns;
	return 0;
}

static void place_images(struct gt_reader *r)
{
	int64_t first = 0;

	for (uint32_t i = 0; i < r->n_images; i++) {
		struct gt_image *image = &r->images[i];
		bool known = i && same_boot(image, &r->images[i - 1]); /* names are sorted, runs are mostly one boot */

		image->mono_to_session_ns = known ? r->images[i - 1].mono_to_session_ns : real_offset(r, image);
		if (i == 0 || image->start_mono_ns + image->mono_to_session_ns < first)
			first = image->start_mono_ns + image->mono_to_session_ns;
	}
	for (uint32_t i = 0; i < r->n_images; i++) {
		if (r->images[i].clock->has_real)
			r->utc_ns = first;
		r->images[i].mono_to_session_ns -= first;
	}
	if (!r->utc_ns)
		r->utc_ns = strtoll(fact_or(&r->run, "start_realtime_ns", "0"), NULL, 10);
}

int gt_clocks_build(struct gt_reader *r, struct gt_err *err)
{
	if (fit_all(r, err) < 0)
		return -1;
	for (uint32_t i = 0; i < r->n_images; i++)
		find_start(&r->images[i]);
	place_images(r);
	return 0;
}

int64_t gt_reader_tick_mono_ns(const struct gt_reader *r, uint32_t process, uint64_t tick)
{
	return gt_time_within(gt_clock_mono_ns(r->images[process].clock, tick));
}

int64_t gt_reader_tick_ns(const struct gt_reader *r, uint32_t process, uint64_t tick)
{
	return gt_time_add(gt_clock_mono_ns(r->images[process].clock, tick), r->images[process].mono_to_session_ns);
}

uint64_t gt_reader_ns_tick(const struct gt_reader *r, uint32_t process, int64_t session_ns)
{
	return gt_clock_tick(r->images[process].clock, session_ns - r->images[process].mono_to_session_ns);
}

int64_t gt_reader_utc_ns(const struct gt_reader *r)
{
	return r->utc_ns;
}

int64_t gt_reader_clock_error_ns(const struct gt_reader *r, uint32_t process)
{
	return r->images[process].clock->guessed ? -1 : r->images[process].clock->error_ns;
}
