/*
 * cli/metrics/pm_plan.c - which metrics of PM sampling are sampled together: each image is one run of the program
 *
 * Performance monitors are sampled in one pass. CUPTI's host library makes an image of several all the same, and only
 * counting its passes tells that it is of no use: so images are tried.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/metrics/pm_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packing {
	struct gt_host *host;
	const char *chip;
	struct gt_pm_metric *all; size_t n;
	struct gt_host_image *images; uint32_t n_images;
	struct gt_host_wish *wishes;
	uint32_t *before;                         /* where the metrics were before an image was tried */
};

/* An image of the metrics that have this number. */
static int make_image(struct packing *p, uint32_t image, struct gt_host_image *out, struct gt_err *err)
{
	size_t n = 0, k = 0;
	int rc;

	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].image == image)
			p->wishes[n++] = p->all[i].wish;
	rc = gt_host_image_in_domains(p->host, p->chip, GT_HOST_PM_SAMPLING, p->wishes, n, out, err);
	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].image == image)
			p->all[i].wish = p->wishes[k++];
	return rc;
}

static bool same_group(const struct gt_pm_metric *a, const struct gt_pm_metric *b)
{
	return a->group.bytes == b->group.bytes &&
		(!a->group.bytes || !memcmp(a->group.text, b->group.text, a->group.bytes));
}

static bool wishes_domains(const struct packing *p, size_t of_group, uint32_t image)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->all[i].wish.domains &&
			(same_group(&p->all[of_group], &p->all[i]) || p->all[i].image == image))
			return true;
	return false;
}

/* These, from `first` on, of one group or of them the first alone. */
static void mark(struct packing *p, size_t first, bool alone, uint32_t image)
{
	for (size_t i = first; i < (alone ? first + 1 : p->n); i++)
		if (same_group(&p->all[first], &p->all[i]))
			p->all[i].image = image;
}

/* Into an image that is there, or a new one (its number is the next). 1: it takes one pass; 0: several; -1: *err. */
static int put(struct packing *p, size_t first, bool alone, uint32_t image, struct gt_err *err)
{
	struct gt_host_image one;

	for (size_t i = 0; i < p->n; i++)
		p->before[i] = p->all[i].image;
	mark(p, first, alone, image);
	if (make_image(p, image, &one, err)) {
		if (err->kind != GT_EXIT_NO)
			return -1;
		/* Something in it cannot be planned with the others; if it is alone, not at all. */
		one = (struct gt_host_image){ .passes = 0 };
		if (alone && image == p->n_images)
			snprintf(p->all[first].refused, sizeof p->all[first].refused, "%.150s", err->what);
	}
	if (one.passes != 1) {
		free(one.data);
		for (size_t i = 0; i < p->n; i++)
			p->all[i].image = p->before[i];
		p->all[first].passes = one.passes;
		p->all[first].bytes = one.bytes;
		return 0;
	}
	if (image < p->n_images)
		free(p->images[image].data);
	else
		p->n_images++;
	p->images[image] = one;
	return 1;
}

static int place(struct packing *p, size_t first, bool alone, struct gt_err *err)
{
	uint32_t last = p->n_images - 1;
	int fits = p->n_images && !wishes_domains(p, first, last) ? put(p, first, alone, last, err) : 0;

	return fits ? fits : put(p, first, alone, p->n_images, err);
}

/* Each group when its first metric comes. */
static int pack(struct packing *p, struct gt_err *err)
{
	for (size_t i = 0; i < p->n; i++) {
		bool seen = false;
		int fits;

		for (size_t k = 0; k < i && !seen; k++)
			seen = same_group(&p->all[k], &p->all[i]);
		fits = seen ? 1 : place(p, i, false, err);
		for (size_t k = i; k < p->n && !fits; k++)
			if (same_group(&p->all[i], &p->all[k]) && place(p, k, true, err) < 0)
				return -1;
		if (fits < 0)
			return -1;
	}
	return 0;
}

int64_t gt_pm_plan(struct gt_host *host, const char *chip, struct gt_pm_metric *all, size_t n,
	struct gt_host_image *images, struct gt_err *err)
{
	struct packing p = { .host = host, .chip = chip, .all = all, .n = n, .images = images,
		.wishes = calloc(n + 1, sizeof *p.wishes), .before = calloc(n + 1, sizeof *p.before) };
	int rc;

	for (size_t i = 0; i < n; i++)
		all[i].image = GT_PM_NO_IMAGE;
	rc = p.wishes && p.before ? pack(&p, err) : gt_no_memory(err);
	for (uint32_t i = 0; rc && i < p.n_images; i++)
		free(images[i].data);
	free(p.wishes);
	free(p.before);
	return rc ? -1 : (int64_t)p.n_images;
}
