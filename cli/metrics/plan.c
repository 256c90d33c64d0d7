/*
 * cli/metrics/plan.c - gputap plan: what sections take on a chip: passes, images and runs, by class of metric
 *
 * Needs CUPTI's host library and no GPU.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/class.h"
#include "analysis/metrics/domains.h"
#include "analysis/metrics/host.h"
#include "analysis/metrics/source.h"
#include "analysis/sections/derived.h"
#include "analysis/table.h"
#include "cli/cli.h"
#include "cli/metrics/plan.h"
#include "cli/metrics/pm_plan.h"
#include "cli/metrics/rules.h"
#include "cli/metrics/sections.h"
#include "common/harmless.h"
#include "common/memory.h"
#include "trace/format/sass.h"

#define PM_PREFIX "pmsampling:"

/* In the order of the table; the first and the third are counted in one run of the program. */
enum row { CONTEXT, DEVICE, SASS, PM, SOURCE, PC, LAUNCH, ATTRIBUTE, DERIVED, LIST, OTHER, UNKNOWN, ROWS };
static const struct { const char *name, *how; } row_words[ROWS] = {
	[CONTEXT] = { "hardware counters", "kernel replay" },
	[DEVICE] = { "hardware counters of the device", "a run of its own" },
	[SASS] = { "SASS", "kernel replay, instrumented code" },
	[PM] = { "PM sampling", "a run of the program for each image" },
	[SOURCE] = { "source counters", "a run of instrumented code" },
	[PC] = { "PC sampling", "a run of the program" },
	[LAUNCH] = { "launch", "told of each launch" },
	[ATTRIBUTE] = { "device attribute", "told by the device" },
	[DERIVED] = { "derived", "computed from others" },
	[LIST] = { "list", "names of others" },
	[OTHER] = { "not of CUDA", "not collected here" },
	[UNKNOWN] = { "unknown", "no metric of this name is known" },
};

struct wanted {
	char *name;                               /* as the host library knows it */
	enum row row;
	struct gt_string section, group;          /* PM sampling: its group; "" */
	struct gt_text domains;                   /* the counter domains it names, with commas and a zero; or none */
	char why[160];                            /* ... are not those that are planned; "" */
	bool asked, unknown, of_rule;             /* of_rule: section is the rule that asks for it */
	uint64_t passes;                          /* of performance monitors: why it is not sampled; 0: it is */
	char refused[160];                        /* the library makes no image of it, not of it alone either; "" */
};
struct counted { uint64_t metrics, unknown, images, passes, bytes; };

struct plan {
	const struct gt_cli *cli;
	struct gt_host *host;
	const char *chip;
	GT_LIST(struct wanted) all;
	struct counted rows[ROWS];
	uint32_t sampling_runs;                   /* of performance monitors */
	bool failed;
};

/* ------------------------------------------------------------------ which metrics */

/* Units that all contexts share: such metrics cannot be in one image with others. */
static bool of_device(const char *name)
{
	static const char *const units[] = { "pcie__", "nvlrx__", "nvltx__", "ctc__" };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strstr(name, units[i]))
			return true;
	return false;
}

static enum row row_of(struct gt_string name, const char *text)
{
	static const enum row rows[GT_CLASSES] = { [GT_CLASS_LAUNCH] = LAUNCH, [GT_CLASS_OPENCL] = OTHER,
		[GT_CLASS_CPU] = OTHER, [GT_CLASS_DEVICE] = ATTRIBUTE, [GT_CLASS_HARDWARE] = CONTEXT,
		[GT_CLASS_SASS] = SASS, [GT_CLASS_SOURCE] = SOURCE, [GT_CLASS_PC_SAMPLING] = PC,
		[GT_CLASS_PM_SAMPLING] = PM, [GT_CLASS_DERIVED] = DERIVED, [GT_CLASS_LIST] = LIST,
		[GT_CLASS_UNKNOWN] = UNKNOWN };
	enum row row = rows[gt_metric_class(name)];

	return row == CONTEXT && of_device(text) ? DEVICE : row;
}

/* A metric that several sections name is collected once. */
static struct wanted *want(struct plan *p, struct gt_string name, struct gt_string section)
{
	char *text = strndup(name.text, name.bytes);
	struct wanted *w;

	for (uint32_t i = 0; text && i < p->all.n; i++)
		if (!strcmp(p->all.v[i].name, text)) {
			free(text);
			return &p->all.v[i];
		}
	w = text ? GT_LIST_ADD(&p->all) : NULL;
	p->failed |= !w;
	if (!w) {
		free(text);
		return NULL;
	}
	*w = (struct wanted){ .name = text, .row = row_of(name, text), .section = section };
	w->unknown = w->row == UNKNOWN;
	return w;
}

/* A pattern names what is collected anyway; samples are, when it fits any of them. */
static void take_pattern(struct plan *p, const struct gt_section_metric *m)
{
	struct gt_pattern pattern;

	gt_pattern_open(&pattern, m->name);
	for (const char *const *name = gt_metric_sampled; *name && !p->failed; name++) {
		const struct gt_string one = { *name, strlen(*name) };

		if (gt_pattern_fits(&pattern, one))
			want(p, one, m->section->id);
	}
	gt_pattern_close(&pattern);
}

/* The first section that names any counts. */
static void take_domains(struct plan *p, struct wanted *w, const struct gt_message *m)
{
	const struct gt_message_value *v = w->domains.used ? NULL : gt_message_next(m, "CtrDomains", NULL);

	for (; v; v = gt_message_next(NULL, "CtrDomains", v)) {
		if (w->domains.used)
			w->domains.data[w->domains.used - 1] = ',';
		gt_text_bytes(&w->domains, v->text.text, v->text.bytes);
		gt_text_char(&w->domains, 0);
	}
	p->failed |= w->domains.failed;
}

static bool take(void *ctx, const struct gt_section_metric *m)
{
	struct plan *p = ctx;
	struct wanted *w;

	if (gt_is_pattern(m->name)) {
		if (m->in_body)
			take_pattern(p, m);
		return !p->failed;
	}
	w = want(p, m->name, m->section->id);
	if (w && !w->group.bytes)
		w->group = gt_message_text(m->message, "Groups");
	if (w)
		take_domains(p, w, m->message);
	return !p->failed;
}

/* What derived metrics are computed from. */
static void take_operands(struct plan *p, const struct gt_section *section)
{
	const struct gt_message *all = gt_message_part(section->message, "MetricDefinitions");
	const struct gt_message_value *v = gt_message_next(all, "MetricDefinitions", NULL);

	for (; v && !p->failed; v = gt_message_next(NULL, "MetricDefinitions", v)) {
		struct gt_string text = gt_message_text(v->part, "Expression");
		struct wanted *w = want(p, gt_message_text(v->part, "Name"), section->id);
		struct gt_derived e;
		size_t at;

		if (w)
			w->row = DERIVED;
		if (gt_derived_parse(text.text, text.bytes, &e, &at))
			continue;
		if (e.left.name.bytes)
			want(p, e.left.name, section->id);
		if (e.right.name.bytes)
			want(p, e.right.name, section->id);
	}
}

struct asking { struct plan *plan; const struct gt_sections *sections; };

/* Rules of sections that are not collected are not applied. */
static bool is_applied(const struct asking *a, const struct gt_rule_needs *n)
{
	for (uint32_t i = 0; i < a->sections->n; i++) {
		const struct gt_section *s = &a->sections->v[i];

		if (s->message && s->id.bytes == n->section.bytes && !memcmp(s->id.text, n->section.text, s->id.bytes))
			return gt_section_chosen(&a->plan->cli->options, s, false);
	}
	return !n->section.bytes;
}

static bool take_needs(void *ctx, const struct gt_rule_needs *n)
{
	struct asking *a = ctx;
	size_t at = 0;

	while (is_applied(a, n) && at < n->metrics.bytes && !a->plan->failed) {
		const char *name = n->metrics.text + at, *comma = memchr(name, ',', n->metrics.bytes - at);
		size_t bytes = comma ? (size_t)(comma - name) : n->metrics.bytes - at;
		uint32_t before = a->plan->all.n;
		struct wanted *w = want(a->plan, (struct gt_string){ name, bytes },
			(struct gt_string){ n->rule.text, n->rule.bytes });

		if (w)
			w->of_rule |= a->plan->all.n > before;
		at += bytes + 1;
	}
	return !a->plan->failed;
}

/* What rules ask for by evaluate(), where anything is counted at all. */
static void gather_for_rules(struct plan *p, const struct gt_sections *s)
{
	static bool told;
	struct asking a = { p, s };
	struct gt_err err = { 0 };
	bool counted = false;

	for (uint32_t i = 0; i < p->all.n; i++)
		counted |= p->all.v[i].section.bytes && p->all.v[i].row <= PC;
	if (!counted || !gt_option_true(&p->cli->options, "apply-rules") || told)
		return;
	if (gt_rules_require(&p->cli->options, take_needs, &a, &err)) {
		fprintf(stderr, "gputap: what rules ask for is not in the plan: %s\n",
			*err.what ? gt_harmless(err.what) : "they gave no answer");
		told = true;
	}
}

static void gather(struct plan *p, const struct gt_sections *s)
{
	const struct gt_options *o = &p->cli->options;
	const struct gt_target target = { .capability = gt_host_capability(p->chip), .scope = GT_SCOPE_LAUNCH };
	const char *at = gt_option(o, "metrics");

	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].message && gt_section_chosen(o, &s->v[i], false)) {
			gt_section_metrics(&s->v[i], &target, take, p);
			take_operands(p, &s->v[i]);
		}
	while (*at && !p->failed) {
		size_t n = strcspn(at, ",");
		struct wanted *w = want(p, (struct gt_string){ at, n }, (struct gt_string){ "", 0 });

		if (w)
			w->asked = true;
		at += n + (at[n] == ',');
	}
	gather_for_rules(p, s);
}

/* ------------------------------------------------------------------ how many passes */

static const char *host_name(const struct wanted *w)
{
	return w->row == PM ? w->name + strlen(PM_PREFIX) : w->name;
}

/* A chip that cannot sample knows none of the metrics; one that the library refuses altogether is an error. */
static int look_up(struct plan *p, enum gt_host_use use, bool (*of)(const struct wanted *), struct gt_err *err)
{
	struct gt_host_chip *c = NULL;
	struct gt_host_metric ignored;

	if (gt_host_begin(p->host, p->chip, use, &c, err) &&
		(use == GT_HOST_RANGES || err->kind != GT_EXIT_NO))
		return -1;
	for (uint32_t i = 0; i < p->all.n; i++) {
		struct wanted *w = &p->all.v[i];

		/* a base name alone is known, and cannot be collected */
		if (of(w))
			w->unknown = !c || !strchr(host_name(w), '.') || !gt_host_find(c, host_name(w), &ignored);
	}
	gt_host_end(c);
	return 0;
}

static bool is_counter(const struct wanted *w) { return w->row == CONTEXT || w->row == DEVICE || w->row == SASS; }
static bool is_pm(const struct wanted *w) { return w->row == PM; }

/* What is not collected in the domains that it names says why not. */
static int image_of(const struct plan *p, enum gt_host_use use, struct wanted *const *list, size_t n,
	struct gt_host_image *out, struct gt_err *err)
{
	struct gt_host_wish *wishes = calloc(n + 1, sizeof *wishes);
	int rc;

	if (!wishes)
		return gt_no_memory(err);
	for (size_t i = 0; i < n; i++)
		wishes[i] = (struct gt_host_wish){ host_name(list[i]), list[i]->domains.data, "" };
	rc = gt_host_image_in_domains(p->host, p->chip, use, wishes, n, out, err);
	for (size_t i = 0; i < n; i++)
		memcpy(list[i]->why, wishes[i].why, sizeof list[i]->why);
	free(wishes);
	return rc;
}

/* The metrics that the library refuses alone; the others come first in the list, in their order, *n of them. */
struct sorting { const struct plan *plan; enum gt_host_use use; struct wanted **list; size_t n; };

static int keep_what_fits(struct sorting *s, size_t from, size_t to, struct gt_err *err)
{
	struct gt_host_image image;

	if (from == to)
		return 0;
	if (!image_of(s->plan, s->use, s->list + from, to - from, &image, err)) {
		free(image.data);
		memmove(s->list + s->n, s->list + from, (to - from) * sizeof *s->list);
		s->n += to - from;
		return 0;
	}
	if (err->kind != GT_EXIT_NO)
		return -1;
	if (to - from == 1) {
		snprintf(s->list[from]->refused, sizeof s->list[from]->refused, "%.150s", err->what);
		return 0;
	}
	return keep_what_fits(s, from, from + (to - from) / 2, err) ||
			keep_what_fits(s, from + (to - from) / 2, to, err) ? -1 : 0;
}

/*
 * An image of all, or of all but those that the library refuses even alone, which go from the list: one metric of a
 * chip that its library cannot plan (34 on GB202, CUDA 13.0) takes no other with it.
 */
static int image_of_most(const struct plan *p, enum gt_host_use use, struct wanted **list, size_t *n,
	struct gt_host_image *out, struct gt_err *err)
{
	struct sorting s = { p, use, list, 0 };
	struct gt_err first;

	if (!image_of(p, use, list, *n, out, err))
		return 0;
	first = *err;
	if (err->kind != GT_EXIT_NO)
		return -1;
	if (keep_what_fits(&s, 0, *n, err))
		return -1;
	*err = first;
	if (!s.n || s.n == *n)          /* none of them; or each alone, and then it is the company */
		return -1;
	*n = s.n;
	return image_of(p, use, list, *n, out, err);
}

static int count_image(struct plan *p, enum row row, enum gt_host_use use, struct wanted **list, size_t n,
	size_t *passes, struct gt_err *err)
{
	struct gt_host_image image;

	if (image_of_most(p, use, list, &n, &image, err))
		return -1;
	free(image.data);
	*passes = image.passes;
	p->rows[row].images++;
	p->rows[row].passes += image.passes;
	p->rows[row].bytes += image.bytes;
	return 0;
}

static int count_row(struct plan *p, enum row row, struct wanted **list, struct gt_err *err)
{
	size_t n = 0, passes;

	for (uint32_t i = 0; i < p->all.n; i++)
		if (p->all.v[i].row == row && !p->all.v[i].unknown)
			list[n++] = &p->all.v[i];
	return n ? count_image(p, row, GT_HOST_RANGES, list, n, &passes, err) : 0;
}

/* ------------------------------------------------------------------ performance monitors */

/* PM sampling: what goes into which image; of: the metric of each. */
struct pm { struct gt_pm_metric *all; struct wanted **of; struct gt_host_image *images; size_t n; uint32_t n_images; };

static void forget_pm(struct pm *pm)
{
	for (uint32_t i = 0; i < pm->n_images; i++)
		free(pm->images[i].data);
	free(pm->images);
	free(pm->all);
	free(pm->of);
}

/* Runs of the program that may sample. */
static uint32_t most_images(const struct plan *p)
{
	const uint32_t room = REC_APARTS - REC_APART_PM;
	int64_t most = gt_option_number(&p->cli->options, "pm-sampling-max-passes", 0);

	return most > 0 && most < room ? (uint32_t)most : room;
}

static int plan_pm(struct plan *p, struct pm *pm, struct gt_err *err)
{
	int64_t images;

	*pm = (struct pm){ .all = calloc(p->all.n + 1ull, sizeof *pm->all),
		.of = calloc(p->all.n + 1ull, sizeof *pm->of),
		.images = calloc(p->all.n + 1ull, sizeof *pm->images) };
	if (!pm->all || !pm->of || !pm->images)
		return gt_no_memory(err);
	for (uint32_t i = 0; i < p->all.n; i++) {
		struct wanted *w = &p->all.v[i];

		if (w->row != PM || w->unknown)
			continue;
		pm->of[pm->n] = w;
		pm->all[pm->n++] = (struct gt_pm_metric){ .group = w->group,
			.wish = { host_name(w), w->domains.data, "" } };
	}
	images = gt_pm_plan(p->host, p->chip, pm->all, pm->n, pm->images, err);
	if (images < 0)
		return -1;
	pm->n_images = (uint32_t)images;
	for (size_t i = 0; i < pm->n; i++) {
		memcpy(pm->of[i]->why, pm->all[i].wish.why, sizeof pm->of[i]->why);
		memcpy(pm->of[i]->refused, pm->all[i].refused, sizeof pm->of[i]->refused);
		if (pm->all[i].image == GT_PM_NO_IMAGE)
			pm->of[i]->passes = pm->all[i].passes;
		else if (pm->all[i].image >= most_images(p))
			pm->of[i]->passes = 1;
	}
	return 0;
}

static int count_pm(struct plan *p, struct gt_err *err)
{
	struct counted *row = &p->rows[PM];
	struct pm pm;
	int rc = plan_pm(p, &pm, err);

	for (uint32_t i = 0; i < pm.n_images && !rc; i++) {
		row->images++;
		row->passes++;
		row->bytes += pm.images[i].bytes;
	}
	p->sampling_runs = pm.n_images < most_images(p) ? pm.n_images : most_images(p);
	for (size_t i = 0; i < pm.n && !rc; i++)
		if (pm.all[i].image == GT_PM_NO_IMAGE && !*pm.all[i].refused) {
			row->images++;
			row->passes += pm.all[i].passes;
			row->bytes += pm.all[i].bytes;
		}
	forget_pm(&pm);
	return rc;
}

static int count(struct plan *p, struct gt_err *err)
{
	struct wanted **list = calloc(p->all.n + 1ull, sizeof *list);
	int rc = !list ? gt_no_memory(err) : look_up(p, GT_HOST_RANGES, is_counter, err);

	if (!rc)
		rc = look_up(p, GT_HOST_PM_SAMPLING, is_pm, err);
	for (enum row row = CONTEXT; row <= SASS && !rc; row++)
		rc = count_row(p, row, list, err);
	if (!rc)
		rc = count_pm(p, err);
	free(list);
	for (uint32_t i = 0; i < p->all.n; i++) {
		p->rows[p->all.v[i].row].metrics++;
		p->rows[p->all.v[i].row].unknown += p->all.v[i].unknown;
	}
	return rc;
}

/* ------------------------------------------------------------------ said */

/* Beside counters of contexts those of the whole device take a run of their own. */
static uint64_t of_others(const struct plan *p) { return p->rows[CONTEXT].passes + p->rows[SASS].passes; }

static int print(const struct plan *p, struct gt_err *err)
{
	enum gt_table_format format = GT_TABLE_TEXT;
	struct gt_table *t;
	int rc = 0;

	gt_table_format_of(gt_option(&p->cli->options, "format"), &format);
	t = gt_table_new("plan", "What the metrics take, by class",
		"Class<|Metrics|Not on the chip|Images|Passes|Bytes of images|How<", format, stdout, false);
	for (enum row i = CONTEXT; t && !rc && i < ROWS; i++) {
		const struct counted *c = &p->rows[i];
		enum row how = i == DEVICE && !of_others(p) ? CONTEXT : i;
		const struct gt_cell row[] = { gt_text(row_words[i].name), gt_integer((int64_t)c->metrics),
			gt_integer((int64_t)c->unknown), gt_integer((int64_t)c->images), gt_integer((int64_t)c->passes),
			gt_integer((int64_t)c->bytes), gt_text(row_words[how].how) };

		if (c->metrics)
			rc = gt_table_row(t, row);
	}
	if (!t || rc || gt_table_end(t, 0))
		return gt_no_memory(err);
	return 0;
}

/* CUPTI's name of it; NULL: it cannot be counted by instruction. */
static const char *source_of(const struct wanted *w, char *own, size_t room)
{
	return w->row == SOURCE ? gt_source_of((struct gt_string){ w->name, strlen(w->name) }, own, room) : NULL;
}

static bool any_source(const struct plan *p)
{
	char own[256];

	for (uint32_t i = 0; i < p->all.n; i++)
		if (source_of(&p->all.v[i], own, sizeof own))
			return true;
	return false;
}

static void say_runs(const struct plan *p)
{
	uint64_t counters = of_others(p) ? of_others(p) : p->rows[DEVICE].passes,
		 of_program = gt_option_is(&p->cli->options, "replay-mode", "kernel") ? 1 : counters,
		 runs = (counters ? of_program : 0) + (of_others(p) ? p->rows[DEVICE].images : 0) +
			p->sampling_runs + any_source(p) + (p->rows[PC].metrics > 0);

	fprintf(stderr,
		"gputap: %s: passes of each kernel in one run: %" PRIu64 "; runs of the program: %" PRIu64 "\n",
		gt_harmless(p->chip), of_program == 1 ? counters : counters > 0, runs ? runs : 1);
}

/* It is collected nevertheless. */
static void say_domain(const struct wanted *w)
{
	if (*w->why)
		fprintf(stderr, "gputap: %s: collected where the library chooses: %s\n", gt_harmless(w->name),
			gt_harmless(w->why));
}

/* Of performance monitors; false: it is sampled. */
static bool say_not_sampled(const struct wanted *w)
{
	if (w->passes > 1)
		fprintf(stderr, "gputap: %s is not sampled: it takes %" PRIu64 " passes, and samples are of one\n",
			gt_harmless(w->name), w->passes);
	else if (w->passes)
		fprintf(stderr, "gputap: %s is not sampled: it would take one run more (--pm-sampling-max-passes)\n",
			gt_harmless(w->name));
	return w->passes;
}

/* False: the library plans it. */
static bool say_refused(const struct wanted *w)
{
	if (*w->refused)
		fprintf(stderr, "gputap: %s is left out: %s\n", gt_harmless(w->name), gt_harmless(w->refused));
	return *w->refused;
}

/* What a section names and the chip lacks is a warning; what --metrics names an error. */
static int say_unknown(const struct plan *p)
{
	int status = GT_EXIT_OK;

	for (uint32_t i = 0; i < p->all.n; i++) {
		const struct wanted *w = &p->all.v[i];

		say_domain(w);
		if ((say_not_sampled(w) || say_refused(w)) && w->asked)
			status = GT_EXIT_INPUT;
		if (!w->unknown)
			continue;
		fprintf(stderr, "gputap: %s has no %s%s%s%s\n", gt_harmless(p->chip), gt_harmless(w->name),
			!w->section.bytes ? "" : w->of_rule ? " (rule " : " (section ",
			gt_harmless_n(w->section.text, w->section.bytes), w->section.bytes ? ")" : "");
		if (w->asked)
			status = GT_EXIT_INPUT;
	}
	return status;
}

static int make(struct plan *p, struct gt_sections *s, struct gt_err *err)
{
	const struct gt_options *o = &p->cli->options;

	if (gt_host_open(gt_option(o, "cupti"), &p->host, err) || gt_cli_sections(p->cli, s, err) ||
		gt_sections_check(s, o, err))
		return -1;
	gt_cli_section_errors(s);
	gather(p, s);
	return p->failed ? gt_no_memory(err) : count(p, err) || print(p, err) ? -1 : 0;
}

static void forget(struct plan *p)
{
	for (uint32_t i = 0; i < p->all.n; i++) {
		free(p->all.v[i].name);
		gt_text_free(&p->all.v[i].domains);
	}
	free(p->all.v);
	p->all.v = NULL;
	p->all.n = 0;
}

/* One image: what contexts count, and instrumented code beside it. */
static bool of_contexts(const struct wanted *w) { return w->row == CONTEXT || w->row == SASS; }
static bool of_whole_device(const struct wanted *w) { return w->row == DEVICE; }

struct gt_plan_wants gt_plan_wants(const struct gt_cli *cli, const struct gt_sections *s)
{
	struct plan p = { .cli = cli, .chip = "" };
	struct gt_plan_wants wants = { 0 };
	bool contexts = false;
	char own[256];

	gather(&p, s);
	for (uint32_t i = 0; i < p.all.n; i++) {
		enum row row = p.all.v[i].row;

		wants.counters |= is_counter(&p.all.v[i]);
		contexts |= of_contexts(&p.all.v[i]);
		wants.apart[REC_APART_SAMPLES] |= row == PC;
		wants.apart[REC_APART_DEVICE] |= row == DEVICE;
		wants.apart[REC_APART_PM] |= row == PM;
		wants.apart[REC_APART_SASS] |= source_of(&p.all.v[i], own, sizeof own) != NULL;
		wants.uncounted |= row == SOURCE && !source_of(&p.all.v[i], own, sizeof own);
		if (row == UNKNOWN)
			snprintf(wants.unknown, sizeof wants.unknown, "%s", p.all.v[i].name);
	}
	wants.apart[REC_APART_DEVICE] &= contexts;
	forget(&p);
	return wants;
}

static int lacks(const struct plan *p, const struct wanted *w, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, NULL, "gputap metrics --query-metrics --chip CHIP", "%s has no %s", p->chip,
		w->name);
}

int gt_plan_source(const struct gt_cli *cli, const struct gt_sections *s, struct gt_plan_image *out,
	struct gt_err *err)
{
	struct plan p = { .cli = cli, .chip = "" };
	struct gt_text theirs = { 0 };
	char own[256];
	int rc = 0;

	*out = (struct gt_plan_image){ .passes = 1 };
	gather(&p, s);
	for (uint32_t i = 0; i < p.all.n; i++) {
		const char *name = source_of(&p.all.v[i], own, sizeof own);

		if (!name)
			continue;
		gt_text_bytes(&out->names, p.all.v[i].name, strlen(p.all.v[i].name) + 1);
		gt_text_bytes(&theirs, name, strlen(name) + 1);
		out->metrics++;
	}
	out->config = (uint8_t *)theirs.data;
	out->config_bytes = theirs.used;
	if (p.failed || theirs.failed || out->names.failed)
		rc = gt_no_memory(err);
	else if (out->metrics > REC_SASS_METRICS)
		rc = gt_fail(err, GT_EXIT_USAGE, NULL, "fewer metrics",
			"%zu counts by instruction are asked for, and %u are collected at most",
			out->metrics, REC_SASS_METRICS);
	forget(&p);
	return rc;
}

int gt_plan_image(const struct gt_cli *cli, const struct gt_sections *s, struct gt_host *host, const char *chip,
	enum gt_plan_of of, struct gt_plan_image *out, struct gt_err *err)
{
	bool (*in_image)(const struct wanted *) = of == GT_PLAN_DEVICE ? of_whole_device : of_contexts;
	struct plan p = { .cli = cli, .chip = chip, .host = host };
	struct gt_host_image image = { NULL, 0, 0 };
	struct wanted **list = NULL;
	size_t n = 0;
	int rc;

	*out = (struct gt_plan_image){ .metrics = 0 };
	gather(&p, s);
	list = calloc(p.all.n + 1ull, sizeof *list);
	rc = p.failed || !list ? gt_no_memory(err) : look_up(&p, GT_HOST_RANGES, in_image, err);
	for (uint32_t i = 0; !rc && i < p.all.n; i++) {
		struct wanted *w = &p.all.v[i];

		if (in_image(w) && w->unknown && w->asked)
			rc = lacks(&p, w, err);
		if (in_image(w) && !w->unknown)
			list[n++] = w;
	}
	if (!rc && n)
		rc = image_of_most(&p, GT_HOST_RANGES, list, &n, &image, err);
	for (uint32_t i = 0; i < p.all.n && !rc && !gt_option_true(&cli->options, "quiet"); i++) {
		say_domain(&p.all.v[i]);
		say_refused(&p.all.v[i]);
	}
	for (size_t i = 0; i < n; i++) {
		gt_text_str(&out->names, list[i]->name);
		gt_text_char(&out->names, 0);
	}
	out->config = image.data;
	out->config_bytes = image.bytes;
	out->passes = image.passes;
	out->metrics = n;
	if (!rc && out->names.failed)
		rc = gt_no_memory(err);
	free(list);
	forget(&p);
	return rc;
}

static int pm_image_of(const struct pm *pm, uint32_t number, struct gt_plan_image *out, struct gt_err *err)
{
	*out = (struct gt_plan_image){ .config = pm->images[number].data, .config_bytes = pm->images[number].bytes,
		.passes = 1 };
	pm->images[number].data = NULL;
	for (size_t i = 0; i < pm->n; i++)
		if (pm->all[i].image == number) {
			out->metrics++;
			gt_text_str(&out->names, pm->all[i].wish.name);
			gt_text_char(&out->names, 0);
		}
	return out->names.failed ? gt_no_memory(err) : 0;
}

int gt_plan_pm(const struct gt_cli *cli, const struct gt_sections *s, struct gt_host *host, const char *chip,
	struct gt_plan_image *out, uint32_t *n, struct gt_err *err)
{
	struct plan p = { .cli = cli, .chip = chip, .host = host };
	struct pm pm = { .n = 0 };
	int rc;

	*n = 0;
	gather(&p, s);
	rc = p.failed ? gt_no_memory(err) : look_up(&p, GT_HOST_PM_SAMPLING, is_pm, err);
	for (uint32_t i = 0; !rc && i < p.all.n; i++)
		if (is_pm(&p.all.v[i]) && p.all.v[i].unknown && p.all.v[i].asked)
			rc = lacks(&p, &p.all.v[i], err);
	if (!rc)
		rc = plan_pm(&p, &pm, err);
	for (uint32_t i = 0; i < pm.n_images && i < most_images(&p) && !rc; i++)
		rc = pm_image_of(&pm, i, &out[(*n)++], err);
	for (size_t i = 0; i < pm.n && !rc && !gt_option_true(&cli->options, "quiet"); i++) {
		say_not_sampled(pm.of[i]);
		say_refused(pm.of[i]);
		say_domain(pm.of[i]);
	}
	forget_pm(&pm);
	forget(&p);
	return rc;
}

int gt_cmd_plan(struct gt_cli *cli)
{
	struct plan p = { .cli = cli, .chip = gt_option(&cli->options, "chip") };
	struct gt_sections s = { 0 };
	struct gt_err err = { 0 };
	int status;

	if (cli->n_args)
		return gt_cli_usage(cli, "plan takes no trace");
	if (!*p.chip)
		return gt_cli_usage(cli, "which chip? (--chip)");
	if (make(&p, &s, &err)) {
		status = gt_cli_fail(&err);
	} else {
		fflush(stdout);
		say_runs(&p);
		status = say_unknown(&p);
	}
	forget(&p);
	gt_sections_close(&s);
	return status;
}
