/*
 * cli/metrics/metrics.c - gputap metrics: what is known of kernel launches, by name; values of a trace; section files
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/table.h"
#include "cli/cli.h"
#include "cli/metrics/metrics.h"
#include "cli/metrics/rules.h"
#include "cli/metrics/sections.h"
#include "common/harmless.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/memory.h"

static enum gt_table_format format_of(const struct gt_cli *cli)
{
	enum gt_table_format format = GT_TABLE_TEXT;

	gt_table_format_of(gt_option(&cli->options, "format"), &format);
	return format;
}

static int no_memory(void)
{
	struct gt_err err;

	gt_no_memory(&err);
	return gt_cli_fail(&err);
}

/* ------------------------------------------------------------------ the metrics that exist */

static int list_metrics(const struct gt_cli *cli)
{
	struct gt_table *t = gt_table_new(
		"metrics", "Metrics that need no counters", "Name<|Unit<|Meaning<", format_of(cli), stdout, false);

	for (size_t k = 0; t && k < GT_METRIC_TABLES; k++)
		for (size_t i = 0; i < gt_metric_tables[k]->n; i++) {
			const struct gt_metric *m = &gt_metric_tables[k]->metrics[i];
			const struct gt_cell row[] = { gt_text(m->name), gt_text(m->unit), gt_text(m->description) };

			if (gt_table_row(t, row)) {
				gt_table_drop(t);
				return no_memory();
			}
		}
	return t && !gt_table_end(t, 0) ? GT_EXIT_OK : no_memory();
}

/* ------------------------------------------------------------------ the values of a trace */

/* A kernel is told once on each device, of its first launch. */
struct kernel { uint64_t process, key, device; };
struct told { struct gt_map seen; struct gt_table *table; };

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct kernel *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->key == b->key && a->device == b->device;
}

static struct gt_cell cell_of(const struct gt_metric_value *v)
{
	switch (v->type) {
	case GT_METRIC_INTEGER: return gt_integer(v->integer > INT64_MAX ? INT64_MAX : (int64_t)v->integer);
	case GT_METRIC_DOUBLE: return gt_number(v->real, 2);
	case GT_METRIC_TEXT: return gt_text(v->text);
	default: return gt_none();
	}
}

static int tell_table(struct told *told, const struct gt_metric_table *all, const struct gt_dispatch *d,
	const char *name, struct gt_err *err)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct gt_metric_value v = all->metrics[i].of(d);
		const struct gt_cell row[] = { gt_text(*name ? name : "unknown_kernel"), gt_text(all->metrics[i].name),
			cell_of(&v), gt_text(all->metrics[i].unit), gt_text(v.type == GT_METRIC_NONE ? v.why : "") };

		if (gt_table_row(told->table, row))
			return gt_no_memory(err);
	}
	return 0;
}

static int tell(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	struct kernel key = { d->process, d->kernel_key, d->device_key }, *k;
	struct told *told = ctx;
	bool fresh;
	int rc = 0;

	k = gt_map_add(
		&told->seen, sizeof *k, gt_hash(gt_hash(GT_HASH, key.key), key.device), &key, same, NULL, &fresh);
	if (!k)
		return gt_no_memory(err);
	if (!fresh)
		return 0;
	*k = key;
	char *name = strndup(d->kernel.bytes ? d->kernel.text : "", d->kernel.bytes);

	if (!name)
		return gt_no_memory(err);
	for (size_t t = 0; t < GT_METRIC_TABLES && !rc; t++)
		if (gt_metrics_fit(t, d))
			rc = tell_table(told, gt_metric_tables[t], d, name, err);
	free(name);
	return rc;
}

static int print_values(const struct gt_cli *cli)
{
	const struct gt_model_options options = { .jobs = 1,
		.peaks = gt_option(&cli->options, "peak-bandwidth") };
	const struct gt_walk_options walk = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .cuda = true };
	struct told told = { .table = gt_table_new("launch_metrics", "Metrics of the first launch of each kernel",
		"Kernel<|Metric<|Value|Unit<|Not available because<", format_of(cli), stdout, false) };
	struct gt_err err = { 0 };
	struct gt_model *m;
	int rc;

	if (!told.table)
		return no_memory();
	rc = gt_model_open(cli->args[0], &options, &m, &err);
	if (!rc) {
		rc = gt_dispatches(m, &walk, tell, &told, &err);
		gt_model_close(m);
	}
	gt_map_free(&told.seen, sizeof(struct kernel));
	if (rc) {
		gt_table_drop(told.table);
		return gt_cli_fail(&err);
	}
	if (gt_table_empty(told.table))
		fprintf(stderr, "gputap: no kernel was launched in %s\n", gt_harmless(cli->args[0]));
	return gt_table_end(told.table, 0) ? no_memory() : GT_EXIT_OK;
}

/* ------------------------------------------------------------------ section files */

static void put(const char *indent, struct gt_string s)
{
	printf("%s%s", indent, gt_harmless_n(s.text, s.bytes));
}

static const char blanks[] = "                  ";
#define INDENT(depth) (blanks + sizeof blanks - 1 - 2 * (depth))

/* Rules of a section (NULL: those of none that is listed) below its line. */
static void print_rules(
	const struct gt_rules *r, const struct gt_sections *s, const struct gt_section *section, unsigned depth)
{
	for (uint32_t i = 0; i < r->all.n; i++) {
		const struct gt_section *of = gt_sections_find(s, r->all.v[i].section);

		if (of == section)
			printf("%s%s  %s\n", INDENT(depth), gt_harmless(r->all.v[i].id), gt_harmless(r->all.v[i].name));
	}
}

/* A section that extends another stands below it, behind its rules. */
static void print_below(
	const struct gt_sections *s, const struct gt_rules *r, struct gt_string parent, unsigned depth)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct gt_section *one = &s->v[i];
		const struct gt_message_value *set = NULL;
		const char *between = "  [";

		if (!one->message || one->extends.bytes != parent.bytes ||
			memcmp(one->extends.text, parent.text, parent.bytes))
			continue;
		put(INDENT(depth), one->id);
		put("  ", one->name);
		while ((set = gt_message_next(set ? NULL : one->message, "Sets", set))) {
			put(between, gt_message_text(set->part, "Identifier"));
			between = ", ";
		}
		printf("%s\n", between[0] == ',' ? "]" : "");
		print_rules(r, s, one, depth + 1);
		if (depth < 8)
			print_below(s, r, one->id, depth + 1);
	}
}

static int print_tree(const struct gt_cli *cli, const struct gt_sections *s)
{
	struct gt_rules rules;
	struct gt_err err = { 0 };
	bool independent = false;
	int status = GT_EXIT_OK;

	if (gt_rules_list(&rules, &cli->options, &err))
		gt_cli_fail(&err);              /* sections can be listed without Python */
	print_below(s, &rules, (struct gt_string){ "", 0 }, 0);
	for (uint32_t i = 0; i < rules.all.n; i++)
		independent |= !gt_sections_find(s, rules.all.v[i].section);
	if (independent)
		puts("[Independent Rules]");
	print_rules(&rules, s, NULL, 1);
	if (rules.failed)
		status = GT_EXIT_INPUT;
	gt_rules_free(&rules);
	return status;
}

static int list_rules(const struct gt_cli *cli)
{
	struct gt_table *t;
	struct gt_rules rules;
	struct gt_err err = { 0 };
	int status;

	if (gt_rules_list(&rules, &cli->options, &err))
		return gt_cli_fail(&err);
	status = rules.failed ? GT_EXIT_INPUT : GT_EXIT_OK;
	t = gt_table_new("rules", "Rules", "Identifier<|Name<|Section<|File<", format_of(cli), stdout, false);
	for (uint32_t i = 0; t && i < rules.all.n; i++) {
		const struct gt_rule *r = &rules.all.v[i];
		const struct gt_cell row[] = {
			gt_text(r->id), gt_text(r->name), gt_text(r->section), gt_text(r->path) };

		if (gt_table_row(t, row)) {
			gt_table_drop(t);
			t = NULL;
		}
	}
	gt_rules_free(&rules);
	return t && !gt_table_end(t, 0) ? status : no_memory();
}

/* ------------------------------------------------------------------ sets */

struct set { struct gt_string name; uint64_t sections, metrics; struct gt_text list; };
struct sets { GT_LIST(struct set) all; bool failed; };

static bool count_metric(void *ctx, const struct gt_section_metric *m)
{
	(void)m;
	++*(uint64_t *)ctx;
	return true;
}

static void add_to_set(struct sets *sets, struct gt_string name, const struct gt_section *section, uint64_t metrics)
{
	struct set *set = NULL;

	for (uint32_t i = 0; i < sets->all.n && !set; i++)
		if (sets->all.v[i].name.bytes == name.bytes && !memcmp(sets->all.v[i].name.text, name.text, name.bytes))
			set = &sets->all.v[i];
	if (!set && !(set = GT_LIST_ADD(&sets->all))) {
		sets->failed = true;
		return;
	}
	set->name = name;
	set->metrics += metrics;
	if (set->sections++)
		gt_text_lit(&set->list, ", ");
	gt_text_harmless(&set->list, section->id.text, section->id.bytes);
}

/* In the order of their first sections; a metric that two sections name counts twice. */
static int print_sets(const struct gt_cli *cli, const struct gt_sections *s)
{
	const struct gt_target target = { .scope = GT_SCOPE_LAUNCH };
	struct gt_table *t = gt_table_new("sets", "Sets of sections", "Set<|Sections|Metrics|Identifiers<",
		format_of(cli), stdout, false);
	struct sets sets = { 0 };

	for (uint32_t i = 0; i < s->n; i++) {
		const struct gt_message_value *v = NULL;
		uint64_t metrics = 0;

		if (!s->v[i].message)
			continue;
		gt_section_metrics(&s->v[i], &target, count_metric, &metrics);
		while ((v = gt_message_next(v ? NULL : s->v[i].message, "Sets", v)))
			add_to_set(&sets, gt_message_text(v->part, "Identifier"), &s->v[i], metrics);
	}
	for (uint32_t i = 0; t && i < sets.all.n; i++) {
		struct set *set = &sets.all.v[i];
		struct gt_text name = { 0 };

		gt_text_harmless(&name, set->name.text, set->name.bytes);
		gt_text_char(&name, 0);
		gt_text_char(&set->list, 0);
		const struct gt_cell row[] = { gt_text(name.data), gt_integer((int64_t)set->sections),
			gt_integer((int64_t)set->metrics), gt_text(set->list.data) };

		sets.failed |= name.failed || set->list.failed || gt_table_row(t, row);
		gt_text_free(&name);
		gt_text_free(&set->list);
	}
	free(sets.all.v);
	if (sets.failed && t)
		gt_table_drop(t);
	return t && !sets.failed && !gt_table_end(t, 0) ? GT_EXIT_OK : no_memory();
}

static int with_sections(const struct gt_cli *cli, int (*print)(const struct gt_cli *, const struct gt_sections *))
{
	struct gt_sections s = { 0 };
	struct gt_err err = { 0 };
	int status, broken;

	if (gt_cli_sections(cli, &s, &err)) {
		status = gt_cli_fail(&err);
	} else {
		status = print(cli, &s);
		broken = gt_cli_section_errors(&s);     /* told when a rule file failed too */
		status = status ? status : broken;
	}
	gt_sections_close(&s);
	return status;
}

int gt_cmd_metrics(struct gt_cli *cli)
{
	struct gt_err err = { 0 };

	if (cli->n_args > 1)
		return gt_cli_usage(cli, "metrics takes one trace");
	if (gt_option_true(&cli->options, "list-sections"))
		return with_sections(cli, print_tree);
	if (gt_option_true(&cli->options, "list-rules"))
		return list_rules(cli);
	if (gt_option_true(&cli->options, "list-sets"))
		return with_sections(cli, print_sets);
	if (gt_option_true(&cli->options, "query-metrics") || *gt_option(&cli->options, "chip"))
		return gt_metrics_of_chip(&cli->options, format_of(cli), &err) ? gt_cli_fail(&err) : GT_EXIT_OK;
	return cli->n_args ? print_values(cli) : list_metrics(cli);
}
