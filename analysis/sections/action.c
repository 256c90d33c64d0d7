/*
 * analysis/sections/action.c - the metrics and sections of one launch, derived metrics among them
 *
 * spec: NCU "Derived Metrics", "Section Files"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/action.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/metrics/class.h"

const struct gt_action_metric *gt_action_metric(const struct gt_action *a, struct gt_string name)
{
	for (uint32_t i = 0; i < a->metrics.n; i++)
		if (gt_same_text(a->metrics.v[i].name, name))
			return &a->metrics.v[i];
	return NULL;
}

struct gt_action_metric *gt_action_add(struct gt_action *a, struct gt_string name)
{
	struct gt_action_metric *m = (struct gt_action_metric *)gt_action_metric(a, name);

	if (m || !(m = GT_LIST_ADD(&a->metrics)))
		return m;
	*m = (struct gt_action_metric){ .name = name, .unit = { "", 0 }, .description = { "", 0 }, .why = { "", 0 } };
	return m;
}

bool gt_action_available(const struct gt_action_metric *m)
{
	return m && (m->value.regular.type != GT_METRIC_NONE || m->value.n);
}

/* ------------------------------------------------------------------ derived metrics */

#define DEPTH 32                                  /* definitions that need each other */

struct gt_string gt_action_why(const struct gt_action *a, struct gt_string name)
{
	enum gt_metric_class class = gt_metric_class(name);

	return gt_string_of(class == GT_CLASS_OPENCL && a->opencl ? "this launch has no metric of this name"
								  : gt_metric_classes[class].why);
}

struct deriving {
	struct gt_actions *as;
	struct gt_action *action;
	const struct gt_sections *all;
	const struct gt_section *section;
	enum gt_derived_mode mode;
	struct gt_target target;
	const struct gt_message *open[DEPTH]; unsigned depth;
	bool failed;                              /* no memory */
};

/* The definition of a name in a section, whose filter passes; NULL. */
static const struct gt_message *defined_in(
	const struct gt_section *section, struct gt_string name, const struct gt_target *target)
{
	const struct gt_message *all = gt_message_part(section->message, "MetricDefinitions");
	const struct gt_message_value *v = gt_message_next(all, "MetricDefinitions", NULL);
	bool required;

	for (; v; v = gt_message_next(NULL, "MetricDefinitions", v))
		if (gt_same_text(gt_message_text(v->part, "Name"), name) &&
			gt_filter_passes(gt_message_part(v->part, "Filter"),
				gt_message_part(section->message, "Filter"), target, &required))
			return v->part;
	return NULL;
}

static const struct gt_message *definition(const struct deriving *d, struct gt_string name)
{
	const struct gt_message *found = defined_in(d->section, name, &d->target);

	for (uint32_t i = 0; !found && d->all && i < d->all->n; i++)
		if (d->all->v[i].message)
			found = defined_in(&d->all->v[i], name, &d->target);
	return found;
}

static struct gt_string say(struct deriving *d, const char *before, struct gt_string name, const char *after)
{
	struct gt_text t = { 0 };
	struct gt_string s = { "", 0 };
	char *copy;

	gt_text_str(&t, before);
	gt_text_bytes(&t, name.text, name.bytes);
	gt_text_str(&t, after);
	copy = t.failed ? NULL : gt_arena_copy(&d->as->arena, t.data, t.used);
	if (copy)
		s = (struct gt_string){ copy, t.used };
	d->failed |= !copy;
	gt_text_free(&t);
	return s;
}

static bool derive(struct deriving *d, struct gt_string name, const struct gt_message *m, struct gt_string *why);

/* False with *why: it has no value. */
static bool operand(struct deriving *d, const struct gt_derived_operand *o, struct gt_instanced *out,
	struct gt_string *unit, struct gt_string *why)
{
	const struct gt_action_metric *m;
	const struct gt_message *def;

	*unit = (struct gt_string){ "", 0 };
	if (!o->name.bytes) {
		*out = (struct gt_instanced){ .regular = o->constant };
		return true;
	}
	m = gt_action_metric(d->action, o->name);
	if (!gt_action_available(m) && (def = definition(d, o->name))) {
		if (!derive(d, o->name, def, why))
			return false;
		m = gt_action_metric(d->action, o->name);
	}
	if (!gt_action_available(m)) {
		*why = say(d, "", o->name, " is not available");
		return false;
	}
	*out = m->value;
	*unit = m->unit;
	return true;
}

static bool combine(struct deriving *d, const struct gt_message *m, struct gt_instanced *out, struct gt_string *unit,
	struct gt_string *why)
{
	struct gt_string text = gt_message_text(m, "Expression"), other;
	struct gt_instanced left, right;
	struct gt_derived e;
	const char *bad;
	size_t at;

	bad = gt_derived_parse(text.text, text.bytes, &e, &at);
	if (bad) {
		*why = (struct gt_string){ bad, strlen(bad) };
		return false;
	}
	if (!operand(d, &e.left, &left, unit, why) || !operand(d, &e.right, &right, &other, why))
		return false;
	/* What is multiplied by a number keeps its unit; a quotient of two metrics has none that we know. */
	if (e.right.name.bytes && (e.operator == '*' || e.operator == '/'))
		*unit = (struct gt_string){ "", 0 };
	d->failed |= !gt_derived_combine(&d->as->arena, e.operator, &left, &right, d->mode, out);
	return !d->failed;
}

/* Gives the action the metric, with a value or the reason. */
static bool derive(struct deriving *d, struct gt_string name, const struct gt_message *m, struct gt_string *why)
{
	struct gt_instanced value = { 0 };
	struct gt_string unit = { "", 0 };
	struct gt_action_metric *metric;
	bool have = false;

	*why = (struct gt_string){ "", 0 };
	for (unsigned i = 0; i < d->depth; i++)
		if (d->open[i] == m) {
			*why = say(d, "", name, " is defined by itself");
			return false;
		}
	if (d->depth < DEPTH) {
		d->open[d->depth++] = m;
		have = combine(d, m, &value, &unit, why);
		d->depth--;
	} else {
		*why = say(d, "", name, " needs too many definitions");
	}
	metric = gt_action_add(d->action, name);
	d->failed |= !metric;
	if (!metric)
		return false;
	metric->value = value;
	metric->unit = unit;
	metric->why = *why;
	return have;
}

static void derive_all(struct deriving *d)
{
	const struct gt_message *all = gt_message_part(d->section->message, "MetricDefinitions");
	const struct gt_message_value *v = gt_message_next(all, "MetricDefinitions", NULL);

	for (; v && !d->failed; v = gt_message_next(NULL, "MetricDefinitions", v)) {
		struct gt_string name = gt_message_text(v->part, "Name"), why;

		const struct gt_action_metric *is = gt_action_metric(d->action, name);

		if (!gt_action_available(is) && !(is && is->why.bytes) &&
			defined_in(d->section, name, &d->target) == v->part)
			derive(d, name, v->part, &why);
	}
}

/* ------------------------------------------------------------------ sections */

/* What is not there gets a reason; patterns name only what is there. */
static bool name_missing(void *ctx, const struct gt_section_metric *m)
{
	struct deriving *d = ctx;
	struct gt_action_metric *metric;
	bool pattern;

	pattern = gt_is_pattern(m->name);
	if (m->in_body && pattern)
		return true;
	metric = gt_action_add(d->action, m->name);
	d->failed |= !metric;
	if (!metric)
		return false;
	if (!gt_action_available(metric) && !metric->why.bytes)
		metric->why = pattern ? gt_string_of("a pattern names metrics in the tables and charts of a Body alone")
				      : gt_action_why(d->action, m->name);
	return true;
}

bool gt_action_add_section(struct gt_actions *as, struct gt_action *a, const struct gt_section *section,
	const struct gt_sections *all, enum gt_derived_mode mode)
{
	struct deriving d = { .as = as, .action = a, .all = all, .section = section, .mode = mode,
		.target = gt_action_target(a) };
	const struct gt_message **place = GT_LIST_ADD(&a->sections);

	if (!place)
		return false;
	*place = section->message;
	derive_all(&d);
	gt_section_metrics(section, &d.target, name_missing, &d);
	return !d.failed;
}

void gt_actions_close(struct gt_actions *as)
{
	for (uint32_t i = 0; i < as->all.n; i++) {
		free(as->all.v[i].metrics.v);
		free(as->all.v[i].sections.v);
		free(as->all.v[i].rules.v);
	}
	free(as->all.v);
	free(as->sources.v);
	gt_arena_free(&as->arena);
	*as = (struct gt_actions){ 0 };
}
