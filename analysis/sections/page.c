/*
 * analysis/sections/page.c - the pages of a report: details and raw, for people and for programs
 *
 * Columns and order of CSV are those of Nsight Compute's command line.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/page.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/sections/show.h"
#include "common/harmless.h"
#include "common/hash.h"
#include "common/map.h"

/* ------------------------------------------------------------------ the kernel's own line */

static struct gt_string kernel_name(const struct gt_action *a, enum gt_kernel_base base)
{
	static const struct gt_string others[] = { [GT_WORK_KERNEL] = { "unknown_kernel", 14 },
		[GT_WORK_RANGE] = { "range", 5 }, [GT_WORK_COMMAND_LIST] = { "command list", 12 },
		[GT_WORK_GRAPH] = { "graph", 5 } };
	struct gt_string name = base == GT_BASE_FUNCTION ? a->function :
		base == GT_BASE_MANGLED ? a->mangled : a->demangled;

	if (!name.bytes)
		name = a->demangled.bytes ? a->demangled : a->function;
	return name.bytes ? name : others[a->workload];
}

static void put_size(struct gt_text *t, const uint64_t size[3])
{
	char text[80];

	if (size[0])
		snprintf(text, sizeof text, "(%llu, %llu, %llu)", (unsigned long long)size[0],
			(unsigned long long)size[1], (unsigned long long)size[2]);
	else
		snprintf(text, sizeof text, "(?)");
	gt_text_str(t, text);
}

static void put_capability(struct gt_text *t, uint32_t capability)
{
	gt_text_u64(t, capability / 10);
	gt_text_char(t, '.');
	gt_text_u64(t, capability % 10);
}

/* "blur (24, 64, 1)x(64, 1, 1), Context 0, Queue 1, Device 0 (NVIDIA H200), CC 9.0, process 4711 (app)" */
static void put_kernel(struct gt_text *t, const struct gt_action *a, const struct gt_page_options *o)
{
	struct gt_string name = kernel_name(a, o->base);

	gt_text_lit(t, "  ");
	gt_text_harmless(t, name.text, name.bytes);
	/* An OpenCL runtime that chose the local size tells neither: the sections say so. */
	if (a->workload == GT_WORK_KERNEL && (a->grid[0] || a->block[0])) {
		gt_text_char(t, ' ');
		put_size(t, a->grid);
		gt_text_char(t, 'x');
		put_size(t, a->block);
	}
	if (a->has_context) {
		gt_text_lit(t, ", Context ");
		gt_text_u64(t, a->context);
	}
	if (a->has_stream) {
		gt_text_str(t, a->opencl ? ", Queue " : ", Stream ");
		gt_text_u64(t, a->stream);
	}
	if (a->has_device) {
		gt_text_lit(t, ", Device ");
		gt_text_u64(t, a->device);
	}
	if (a->device_name.bytes) {
		gt_text_lit(t, " (");
		gt_text_harmless(t, a->device_name.text, a->device_name.bytes);
		gt_text_char(t, ')');
	}
	if (a->capability) {
		gt_text_lit(t, ", CC ");
		put_capability(t, a->capability);
	}
	gt_text_lit(t, ", process ");
	gt_text_u64(t, a->pid);
	if (a->process.bytes) {
		gt_text_lit(t, " (");
		gt_text_harmless(t, a->process.text, a->process.bytes);
		gt_text_char(t, ')');
	}
	gt_text_char(t, '\n');
}

static void put_ns(struct gt_text *t, uint64_t ns)
{
	const struct gt_metric_value v = gt_metric_integer(ns);

	gt_page_value(t, &v, false);
	gt_text_lit(t, " ns");
}

/* Of a report whose trace knew the launches of each size: how long they run, and what share of the run that is. */
static bool put_shape(struct gt_text *t, const struct gt_message *trace, uint64_t ran)
{
	const struct gt_message *shape = gt_message_part(trace, "Shape");
	uint64_t launches = gt_message_integer(shape, "Launches", 0), all = gt_message_integer(shape, "RanNs", 0),
		 typical = gt_message_integer(shape, "TypicalNs", 0), run = gt_message_integer(shape, "RunNs", 0);
	char share[40];

	if (launches < 2 || !typical)
		return shape;
	gt_text_lit(t, "    one of ");
	gt_text_u64(t, launches);
	gt_text_lit(t, " launches of this size, which typically run for ");
	put_ns(t, typical);
	if (run) {
		snprintf(share, sizeof share, " (%.1f %% of the run)", 100.0 * (double)all / (double)run);
		gt_text_str(t, share);
	}
	gt_text_lit(t, "; this one for ");
	put_ns(t, ran);
	gt_text_char(t, '\n');
	return true;
}

/* A first launch is slower than the others, often: what is shown of it is set beside them. */
static void put_launches(struct gt_text *t, const struct gt_action *a)
{
	uint64_t launches = gt_message_integer(a->trace, "Launches", 0),
		 all = gt_message_integer(a->trace, "TotalNs", 0),
		 start = gt_message_integer(a->trace, "StartNs", 0), end = gt_message_integer(a->trace, "EndNs", 0);

	if (end <= start || put_shape(t, a->trace, end - start) || launches < 2 || !all)
		return;
	gt_text_lit(t, "    one of ");
	gt_text_u64(t, launches);
	gt_text_lit(t, " launches, which ran for ");
	put_ns(t, all / launches);
	gt_text_lit(t, " on average; this one for ");
	put_ns(t, end - start);
	gt_text_char(t, '\n');
}

/* ------------------------------------------------------------------ metrics by name */

/* As Nsight Compute calls those of --metrics. */
#define ASKED_SECTION "Command line profiler metrics"

static bool asked(const struct gt_page_options *o, struct gt_string name)
{
	const char *at = o->metrics;

	if (!at || !*at)
		return true;
	while (*at) {
		size_t n = strcspn(at, ",");

		if (n == name.bytes && !memcmp(at, name.text, n))
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

static void put_asked(struct gt_text *t, const struct gt_action *a, const struct gt_page_options *o)
{
	struct gt_rows rows = { 0 };

	for (uint32_t i = 0; i < a->metrics.n; i++) {
		const struct gt_action_metric *m = &a->metrics.v[i];
		struct gt_row *row = asked(o, m->name) ? GT_LIST_ADD(&rows.v) : NULL;

		if (row)
			*row = (struct gt_row){ .label = { "", 0 }, .name = m->name, .unit = m->unit, .why = m->why,
				.value = m->value };
	}
	gt_rows_table(t, &rows, o);
	gt_rows_free(&rows);
	gt_text_char(t, '\n');
}

static bool asks(const struct gt_page_options *o) { return o->metrics && *o->metrics; }

/* ------------------------------------------------------------------ rules */

/* Types of messages as the file numbers them. */
static const char *const marks[] = { "INF", "OK ", "WRN", "ERR", "OPT" };
static const char *const kinds[] = { "Info", "Ok", "Warning", "Error", "Optimization" };

#define EACH_ITEM(v, result) \
	for (const struct gt_message_value *v = gt_message_next(gt_message_part(result, "Body"), "Items", NULL); v; \
		v = gt_message_next(NULL, "Items", v))

static const char *word_of(const struct gt_message *message, const char *const words[])
{
	uint64_t type = gt_message_integer(message, "Type", 0);

	return words[type < sizeof marks / sizeof *marks ? type : 0];
}

static void put_rule(struct gt_text *t, const struct gt_message *result)
{
	EACH_ITEM(v, result) {
		const struct gt_message *message = gt_message_part(v->part, "Message"),
					*speedup = gt_message_part(v->part, "Speedup");
		const struct gt_message_value *share = gt_message_next(speedup, "Value", NULL);
		struct gt_string text = gt_message_text(message, "Message");
		struct gt_text whole = { 0 };
		char estimate[80];

		if (!message)
			continue;
		gt_text_str(&whole, word_of(message, marks));
		gt_text_lit(&whole, " ");
		if (share) {
			snprintf(estimate, sizeof estimate, "Est. %sSpeedup: %.4g%% ",
				gt_message_integer(speedup, "SpeedupType", 0) == 1 ? "Local " : "", share->real);
			gt_text_str(&whole, estimate);
		}
		gt_text_bytes(&whole, text.text, text.bytes);
		gt_show_paragraph(t, (struct gt_string){ whole.data, whole.used }, 4);
		gt_text_char(t, '\n');
		t->failed |= whole.failed;
		gt_text_free(&whole);
	}
}

static bool of_section(const struct gt_message *rule, struct gt_string id)
{
	return gt_same_text(gt_message_text(rule, "SectionIdentifier"), id);
}

/* Those of no section that is shown. */
static bool is_independent(const struct gt_action *a, const struct gt_message *rule)
{
	for (uint32_t i = 0; i < a->sections.n; i++)
		if (of_section(rule, gt_message_text(a->sections.v[i], "Identifier")))
			return false;
	return true;
}

/* ------------------------------------------------------------------ details */

static struct gt_section section_of(const struct gt_message *m)
{
	return (struct gt_section){ .path = "", .message = m, .id = gt_message_text(m, "Identifier"),
		.name = gt_message_text(m, "DisplayName"), .description = gt_message_text(m, "Description"),
		.extends = gt_message_text(m, "Extends"),
		.order = (uint32_t)gt_message_integer(m, "Order", UINT32_MAX) };
}

static void put_section(struct gt_text *t, const struct gt_action *a, const struct gt_message *m,
	const struct gt_page_options *o)
{
	const struct gt_section section = section_of(m);
	const struct gt_message_value *body = gt_message_next(m, "Body", NULL), *item;
	const struct gt_message *header = gt_message_part(m, "Header");

	gt_text_lit(t, "    Section: ");
	gt_text_harmless(t, section.name.text, section.name.bytes);
	gt_text_char(t, '\n');
	if (header && o->details != GT_DETAILS_BODY) {
		struct gt_rows rows = { .no_patterns = true };

		gt_rows_of(&rows, a, &section, header);
		gt_rows_table(t, &rows, o);
		gt_rows_free(&rows);
		gt_text_char(t, '\n');
	}
	for (; body && o->details != GT_DETAILS_HEADER; body = gt_message_next(NULL, "Body", body)) {
		struct gt_string name = gt_message_text(body->part, "DisplayName");

		if (name.bytes) {
			gt_text_lit(t, "    -- ");
			gt_text_harmless(t, name.text, name.bytes);
			gt_text_lit(t, " --\n");
		}
		for (item = gt_message_next(body->part, "Items", NULL); item;
			item = gt_message_next(NULL, "Items", item))
			gt_show_item(t, a, &section, item->part, o);
	}
	for (uint32_t i = 0; i < a->rules.n; i++)
		if (of_section(a->rules.v[i], section.id))
			put_rule(t, a->rules.v[i]);
}

static bool shown_below(const struct gt_action *a, uint32_t child, uint32_t parent)
{
	return child != parent && gt_same_text(gt_message_text(a->sections.v[child], "Extends"),
						    gt_message_text(a->sections.v[parent], "Identifier"));
}

/* A section that extends another stands behind it. */
static void put_sections(struct gt_text *t, const struct gt_action *a, const struct gt_page_options *o)
{
	for (uint32_t i = 0; i < a->sections.n; i++) {
		bool below = false;

		for (uint32_t k = 0; k < a->sections.n && !below; k++)
			below = shown_below(a, i, k) && !gt_message_text(a->sections.v[k], "Extends").bytes;
		if (below)
			continue;
		put_section(t, a, a->sections.v[i], o);
		for (uint32_t k = 0; k < a->sections.n && !gt_message_text(a->sections.v[i], "Extends").bytes; k++)
			if (shown_below(a, k, i))
				put_section(t, a, a->sections.v[k], o);
	}
}

static void put_details(struct gt_text *t, const struct gt_action *a, const struct gt_page_options *o)
{
	bool titled = false;

	put_kernel(t, a, o);
	put_launches(t, a);
	put_sections(t, a, o);
	if (asks(o)) {
		gt_text_lit(t, "    Section: " ASKED_SECTION "\n");
		put_asked(t, a, o);
	}
	for (uint32_t i = 0; i < a->rules.n; i++) {
		if (!is_independent(a, a->rules.v[i]) ||
			!gt_message_next(gt_message_part(a->rules.v[i], "Body"), "Items", NULL))
			continue;                 /* it has nothing to say */
		if (!titled)
			gt_text_lit(t, "    Independent Rules\n");
		titled = true;
		put_rule(t, a->rules.v[i]);
	}
}

/* ------------------------------------------------------------------ raw */

static void put_raw(struct gt_text *t, const struct gt_action *a, const struct gt_page_options *o)
{
	put_kernel(t, a, o);
	put_asked(t, a, o);
}

/* ------------------------------------------------------------------ CSV */

static void put_csv(struct gt_text *t, struct gt_string s, bool first)
{
	struct gt_text harmless = { 0 };

	gt_text_harmless(&harmless, s.text, s.bytes);
	gt_text_str(t, first ? "\"" : ",\"");
	for (size_t i = 0; i < harmless.used; i++) {
		if (harmless.data[i] == '"')
			gt_text_char(t, '"');
		gt_text_char(t, harmless.data[i]);
	}
	gt_text_char(t, '"');
	t->failed |= harmless.failed;
	gt_text_free(&harmless);
}

static void put_csv_str(struct gt_text *t, const char *s) { put_csv(t, (struct gt_string){ s, strlen(s) }, false); }

static void put_csv_number(struct gt_text *t, bool known, uint64_t v)
{
	char text[24] = "";

	if (known)
		snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	put_csv_str(t, text);
}

static void put_csv_text(struct gt_text *t, struct gt_text *cell)
{
	put_csv(t, (struct gt_string){ cell->data ? cell->data : "", cell->used }, false);
	t->failed |= cell->failed;
	cell->used = 0;
}

#define KERNEL_COLUMNS "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"," \
		       "\"Block Size\",\"Grid Size\",\"Device\",\"CC\""

static void put_csv_kernel(struct gt_text *t, const struct gt_action *a, uint32_t id, const struct gt_page_options *o)
{
	struct gt_text cell = { 0 };

	gt_text_u64(&cell, id);
	put_csv(t, (struct gt_string){ cell.data, cell.used }, true);
	cell.used = 0;
	put_csv_number(t, true, a->pid);
	put_csv(t, a->process, false);
	put_csv(t, a->host, false);
	put_csv(t, kernel_name(a, o->base), false);
	put_csv_number(t, a->has_context, a->context);
	put_csv_number(t, a->has_stream, a->stream);
	if (a->workload == GT_WORK_KERNEL)
		put_size(&cell, a->block);
	put_csv_text(t, &cell);
	if (a->workload == GT_WORK_KERNEL)
		put_size(&cell, a->grid);
	put_csv_text(t, &cell);
	put_csv_number(t, a->has_device, a->device);
	if (a->capability)
		put_capability(&cell, a->capability);
	put_csv_text(t, &cell);
	gt_text_free_part(&cell, t);
}

struct listing {
	struct gt_text *t;
	const struct gt_action *a;
	uint32_t id;
	const struct gt_page_options *o;
	struct gt_string section;
};

static void put_value_cell(struct gt_text *t, const struct gt_action_metric *m)
{
	struct gt_text cell = { 0 };

	if (m)
		gt_page_value(&cell, &m->value.regular, true);
	else
		gt_text_lit(&cell, "N/A");
	put_csv_text(t, &cell);
	gt_text_free_part(&cell, t);
}

static void put_line(struct listing *l, struct gt_string label, struct gt_string name)
{
	const struct gt_action_metric *metric = gt_action_metric(l->a, name);
	bool by_label = l->o->names == GT_PRINT_LABEL && label.bytes;

	put_csv_kernel(l->t, l->a, l->id, l->o);
	put_csv(l->t, l->section, false);
	put_csv(l->t, by_label ? label : name, false);
	put_csv(l->t, metric ? metric->unit : (struct gt_string){ "", 0 }, false);
	put_value_cell(l->t, metric);
	gt_text_lit(l->t, ",\"\",\"\",\"\",\"\",\"\",");
	put_csv(l->t, metric ? metric->why : (struct gt_string){ "", 0 }, true);
	gt_text_char(l->t, '\n');
}

static bool put_metric_line(void *ctx, const struct gt_section_metric *m)
{
	struct gt_rows rows = { 0 };
	struct listing *l = ctx;

	if (!m->in_body || !gt_is_pattern(m->name)) {
		put_line(l, m->label, m->name);
		return true;
	}
	gt_rows_add_matching(&rows, l->a, m->name);
	for (uint32_t i = 0; i < rows.v.n; i++)
		put_line(l, rows.v.v[i].label, rows.v.v[i].name);
	gt_rows_free(&rows);
	return true;
}

static void put_rule_lines(struct listing *l, const struct gt_message *rule)
{
	EACH_ITEM(v, rule) {
		const struct gt_message *message = gt_message_part(v->part, "Message"),
					*speedup = gt_message_part(v->part, "Speedup");
		const struct gt_message_value *share = gt_message_next(speedup, "Value", NULL);
		static const char *const types[] = { "", "local", "global" };
		uint64_t type = gt_message_integer(speedup, "SpeedupType", 0);
		char number[40] = "";

		if (!message)
			continue;
		if (share)
			snprintf(number, sizeof number, "%.17g", share->real);
		put_csv_kernel(l->t, l->a, l->id, l->o);
		put_csv(l->t, l->section, false);
		gt_text_lit(l->t, ",\"\",\"\",\"\"");
		put_csv(l->t, gt_message_text(rule, "Identifier"), false);
		put_csv_str(l->t, word_of(message, kinds));
		put_csv(l->t, gt_message_text(message, "Message"), false);
		put_csv_str(l->t, types[type < 3 ? type : 0]);
		put_csv_str(l->t, number);
		gt_text_lit(l->t, ",\"\"\n");
	}
}

static void put_details_csv(struct gt_text *t, const struct gt_actions *as, const struct gt_page_options *o)
{
	gt_text_lit(t, KERNEL_COLUMNS
		",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\","
		"\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\",\"Not Available Because\"\n");
	for (uint32_t i = 0; i < as->all.n; i++) {
		struct listing l = { t, &as->all.v[i], i, o, { "", 0 } };
		const struct gt_target target = gt_action_target(l.a);

		for (uint32_t k = 0; k < l.a->sections.n; k++) {
			const struct gt_section section = section_of(l.a->sections.v[k]);

			l.section = section.name;
			gt_section_metrics(&section, &target, put_metric_line, &l);
			for (uint32_t r = 0; r < l.a->rules.n; r++)
				if (of_section(l.a->rules.v[r], section.id))
					put_rule_lines(&l, l.a->rules.v[r]);
		}
		l.section = (struct gt_string){ ASKED_SECTION, sizeof ASKED_SECTION - 1 };
		for (uint32_t k = 0; asks(o) && k < l.a->metrics.n; k++)
			if (asked(o, l.a->metrics.v[k].name))
				put_line(&l, (struct gt_string){ "", 0 }, l.a->metrics.v[k].name);
		l.section = (struct gt_string){ "", 0 };
		for (uint32_t r = 0; r < l.a->rules.n; r++)
			if (is_independent(l.a, l.a->rules.v[r]))
				put_rule_lines(&l, l.a->rules.v[r]);
	}
}

/* Columns of the raw page: each name once, in the order in which kernels bring them. */
struct column { struct gt_string name, unit; };
struct columns { GT_LIST(struct column) v; struct gt_map seen; bool failed; };

static bool same_column(const void *element, const void *key, const void *ctx)
{
	const struct columns *all = ctx;

	return gt_same_text(all->v.v[*(const uint32_t *)element].name, *(const struct gt_string *)key);
}

static void add_column(struct columns *all, const struct gt_action_metric *m)
{
	struct column *c;
	uint32_t *at;
	bool fresh;

	at = gt_map_add(&all->seen, sizeof *at, gt_hash_text(m->name.text, m->name.bytes), &m->name, same_column, all,
		&fresh);
	all->failed |= !at;
	if (!at || !fresh)
		return;
	*at = all->v.n;
	c = GT_LIST_ADD(&all->v);
	all->failed |= !c;
	if (c)
		*c = (struct column){ m->name, m->unit };
}

static void put_raw_csv(struct gt_text *t, const struct gt_actions *as, const struct gt_page_options *o)
{
	struct columns all = { 0 };

	for (uint32_t i = 0; i < as->all.n; i++)
		for (uint32_t k = 0; k < as->all.v[i].metrics.n && !all.failed; k++)
			if (asked(o, as->all.v[i].metrics.v[k].name))
				add_column(&all, &as->all.v[i].metrics.v[k]);
	gt_text_lit(t, KERNEL_COLUMNS);
	for (uint32_t c = 0; c < all.v.n; c++)
		put_csv(t, all.v.v[c].name, false);
	gt_text_lit(t, "\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"");
	for (uint32_t c = 0; c < all.v.n; c++)
		put_csv(t, all.v.v[c].unit, false);
	gt_text_char(t, '\n');
	for (uint32_t i = 0; i < as->all.n; i++) {
		put_csv_kernel(t, &as->all.v[i], i, o);
		for (uint32_t c = 0; c < all.v.n; c++)
			put_value_cell(t, gt_action_metric(&as->all.v[i], all.v.v[c].name));
		gt_text_char(t, '\n');
	}
	t->failed |= all.failed;
	gt_map_free(&all.seen, sizeof(uint32_t));
	free(all.v.v);
}

/* ------------------------------------------------------------------ any of them */

void gt_page_put(struct gt_text *out, const struct gt_actions *as, const struct gt_page_options *o)
{
	if (o->csv) {
		if (o->page == GT_PAGE_RAW)
			put_raw_csv(out, as, o);
		else
			put_details_csv(out, as, o);
		return;
	}
	for (uint32_t i = 0; i < as->all.n; i++)
		if (o->page == GT_PAGE_RAW)
			put_raw(out, &as->all.v[i], o);
		else
			put_details(out, &as->all.v[i], o);
}
