/*
 * cli/info/checks.c - gputap info: what was proved of a trace, and what failed
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/info/info.h"
#include "common/counted.h"
#include "common/harmless.h"
#include "common/json.h"
#include "model/checks/checks.h"

static void text_case(const struct gt_model *m, const struct gt_check_case *c)
{
	printf("            process %d", gt_model_process(m, c->process)->pid);
	if (c->what)
		printf(", %s", gt_harmless(c->what));
	if (c->at_ns)
		printf(" at %.9f s", (double)c->at_ns / 1e9);
	if (c->by_ns)
		printf(", by %.3f us", (double)c->by_ns / 1e3);
	putchar('\n');
}

static void text_failed(const struct gt_model *m, enum gt_check check)
{
	const struct gt_checked *c = gt_model_checked(m, check);
	const struct gt_check_fact *f = &gt_check_facts[check];

	printf("  failed    %s: not so for %" PRIu64 " of ", gt_harmless(f->proves), (uint64_t)c->failed);
	printf("%s; ", gt_counted(c->looked, f->unit).text);
	puts(gt_harmless(f->follows));
	for (uint32_t i = 0; i < c->n_shown; i++)
		text_case(m, &c->shown[i]);
	if (c->n_shown && c->failed > c->n_shown)
		printf("            and %" PRIu64 " more\n", c->failed - c->n_shown);
}

void gt_info_checks_text(const struct gt_model *m)
{
	bool any = false;

	for (int i = 0; i < GT_CHECK_COUNT; i++) {
		const struct gt_checked *c = gt_model_checked(m, (enum gt_check)i);

		if (!c->looked || c->failed)
			continue;
		fputs(any ? ", " : "  proved    ", stdout);
		fputs(gt_harmless(gt_check_facts[i].name), stdout);
		printf(" %" PRIu64, c->looked);
		any = true;
	}
	if (any)
		putchar('\n');
	for (int i = 0; i < GT_CHECK_COUNT; i++)
		if (gt_model_checked(m, (enum gt_check)i)->failed)
			text_failed(m, (enum gt_check)i);
}

static void json_case(struct gt_text *t, const struct gt_model *m, const struct gt_check_case *c)
{
	gt_info_begin_item(t);
	gt_json_field_i64(t, "pid", gt_model_process(m, c->process)->pid);
	if (c->what)
		gt_json_field_str(t, "what", c->what);
	if (c->at_ns)
		gt_json_field_i64(t, "at_ns", c->at_ns);
	if (c->by_ns)
		gt_json_field_i64(t, "by_ns", c->by_ns);
	gt_text_char(t, '}');
}

void gt_info_checks_json(struct gt_text *t, const struct gt_model *m)
{
	gt_json_key(t, "checks");
	gt_text_char(t, '[');
	for (int i = 0; i < GT_CHECK_COUNT; i++) {
		const struct gt_checked *c = gt_model_checked(m, (enum gt_check)i);
		const struct gt_check_fact *f = &gt_check_facts[i];

		if (!c->looked && !c->failed)
			continue;
		gt_info_begin_item(t);
		gt_json_field_str(t, "name", f->name);
		gt_json_field_str(t, "proves", f->proves);
		gt_json_field_u64(t, "looked", c->looked);
		gt_json_field_u64(t, "failed", c->failed);
		if (c->failed)
			gt_json_field_str(t, "follows", f->follows);
		gt_json_key(t, "first");
		gt_text_char(t, '[');
		for (uint32_t k = 0; k < c->n_shown; k++)
			json_case(t, m, &c->shown[k]);
		gt_text_lit(t, "]}");
	}
	gt_text_char(t, ']');
}
