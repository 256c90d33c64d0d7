/*
 * cli/metrics.c - gputap metrics: what is known of kernel launches, by name; values of a trace; section files
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/sections/section.h"
#include "analysis/table.h"
#include "cli/cli.h"
#include "common/harmless.h"
#include "common/hash.h"
#include "common/map.h"

static const struct gt_metric_table *const tables[] = { &gt_opencl_metrics, &gt_launch_metrics };

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

	for (size_t k = 0; t && k < sizeof tables / sizeof *tables; k++)
		for (size_t i = 0; i < tables[k]->n; i++) {
			const struct gt_metric *m = &tables[k]->metrics[i];
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

static int tell(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	const struct gt_metric_table *all = gt_metrics_of(d);
	struct kernel key = { d->process, d->kernel_key, d->device_key }, *k;
	struct told *told = ctx;
	char name[300];
	bool fresh;

	k = gt_map_add(
		&told->seen, sizeof *k, gt_hash(gt_hash(GT_HASH, key.key), key.device), &key, same, NULL, &fresh);
	if (!k)
		return gt_no_memory(err);
	if (!fresh)
		return 0;
	*k = key;
	snprintf(name, sizeof name, "%.*s", (int)(d->kernel.bytes < 250 ? d->kernel.bytes : 250), d->kernel.text);
	for (size_t i = 0; i < all->n; i++) {
		const struct gt_metric_value v = all->metrics[i].of(d);
		const struct gt_cell row[] = { gt_text(*name ? name : "unknown_kernel"), gt_text(all->metrics[i].name),
			cell_of(&v), gt_text(all->metrics[i].unit), gt_text(v.type == GT_METRIC_NONE ? v.why : "") };

		if (gt_table_row(told->table, row))
			return gt_no_memory(err);
	}
	return 0;
}

static int print_values(const struct gt_cli *cli)
{
	const struct gt_model_options options = { .jobs = 1 };
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

static void print_note(void *ctx, const char *path, uint32_t line, uint32_t column, const char *what)
{
	(void)ctx;
	fprintf(stderr, "gputap: %s:%u:%u: %s\n", gt_harmless(path), line, column, what);
}

static void put(const char *indent, struct gt_string s)
{
	struct gt_text t = { 0 };

	gt_text_harmless(&t, s.text, s.bytes);
	printf("%s%.*s", indent, (int)t.used, t.data ? t.data : "");
	gt_text_free(&t);
}

/* A section that extends another stands below it. */
static void print_below(const struct gt_sections *s, struct gt_string parent, unsigned depth)
{
	static const char blanks[] = "                ";

	for (uint32_t i = 0; i < s->n; i++) {
		const struct gt_section *one = &s->v[i];
		const struct gt_message_value *set = NULL;
		const char *between = "  [";

		if (!one->message || one->extends.bytes != parent.bytes ||
			memcmp(one->extends.text, parent.text, parent.bytes))
			continue;
		put(blanks + sizeof blanks - 1 - 2 * depth, one->id);
		put("  ", one->name);
		while ((set = gt_message_next(set ? NULL : one->message, "Sets", set))) {
			put(between, gt_message_text(set->part, "Identifier"));
			between = ", ";
		}
		printf("%s\n", between[0] == ',' ? "]" : "");
		if (depth < 8)
			print_below(s, one->id, depth + 1);
	}
}

static int list_sections(const struct gt_cli *cli)
{
	const char *deep = gt_option(&cli->options, "section-folder-recursive"),
		   *flat = gt_option(&cli->options, "section-folder");
	const struct gt_sections_options options = { .recursive = *deep,
		.strict = gt_option_true(&cli->options, "strict"), .notes = { print_note, NULL } };
	struct gt_sections s = { 0 };
	struct gt_err err = { 0 };
	int status = GT_EXIT_OK;

	if (!*deep && !*flat)
		return gt_cli_usage(cli, "which folder? (--section-folder)");
	if (gt_sections_load(&s, *deep ? deep : flat, &options, &err)) {
		gt_sections_close(&s);
		return gt_cli_fail(&err);
	}
	gt_sections_sort(&s);
	print_below(&s, (struct gt_string){ "", 0 }, 0);
	for (uint32_t i = 0; i < s.n; i++)
		if (!s.v[i].message) {
			fprintf(stderr, "gputap: %s\n", gt_harmless(s.v[i].error));
			status = GT_EXIT_INPUT;
		}
	gt_sections_close(&s);
	return status;
}

int gt_cmd_metrics(struct gt_cli *cli)
{
	if (cli->n_args > 1)
		return gt_cli_usage(cli, "metrics takes one trace");
	if (gt_option_true(&cli->options, "list-sections"))
		return list_sections(cli);
	return cli->n_args ? print_values(cli) : list_metrics(cli);
}
