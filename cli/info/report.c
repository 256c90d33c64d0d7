/*
 * cli/info/report.c - gputap info of a report file (.ncu-rep)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/sections/report_file.h"
#include "cli/info/info.h"
#include "common/counted.h"
#include "common/harmless.h"
#include "common/json.h"
#include "common/written.h"

static const char *const workloads[] = { [GT_WORK_KERNEL] = "kernels", [GT_WORK_RANGE] = "ranges",
	[GT_WORK_COMMAND_LIST] = "command_lists", [GT_WORK_GRAPH] = "graphs" };

static void put_json(FILE *out, const struct gt_ncurep_facts *f, const char *made_by)
{
	fprintf(out, "{\"report\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64 ",\"strings\":%" PRIu64
		     ",\"sources\":%" PRIu64, f->version, f->bytes, f->blocks, f->strings, f->sources);
	for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
		fprintf(out, ",\"%s\":%" PRIu64, workloads[i], f->results[i]);
	fprintf(out, ",\"made_by\":%s}\n", made_by);
}

static void put_text(FILE *out, const struct gt_actions *as, const struct gt_ncurep_facts *f, const char *path)
{
	uint64_t metrics = 0, rules = 0;

	for (uint32_t i = 0; i < as->all.n; i++) {
		metrics += as->all.v[i].metrics.n;
		rules += as->all.v[i].rules.n;
	}
	fprintf(out, "report   %s\n", gt_harmless(path));
	fprintf(out, "file     version %" PRIu64 ", %s, %s, %s\n", f->version, gt_counted(f->bytes, "bytes").text,
		gt_counted(f->blocks, "blocks").text, gt_counted(f->strings, "strings").text);
	fprintf(out, "results  %s, %s, %s, %s\n", gt_counted(f->results[0], "kernels").text,
		gt_counted(f->results[1], "ranges").text, gt_counted(f->results[2], "command lists").text,
		gt_counted(f->results[3], "graphs").text);
	fprintf(out, "holds    %s, %s, %s\n", gt_counted(metrics, "metrics").text,
		gt_counted(rules, "results of rules").text, gt_counted(f->sources, "sources").text);
}

int gt_info_report(const char *path, bool json, struct gt_err *err)
{
	struct gt_actions as = { 0 };
	struct gt_ncurep_facts facts;
	struct gt_text made_by = { 0 };
	int rc = gt_ncurep_read(&as, path, &facts, err);

	if (!rc && json) {
		gt_json_string(&made_by, facts.made_by.text, facts.made_by.bytes);
		gt_text_char(&made_by, 0);
		if (made_by.failed)
			rc = gt_no_memory(err);
		else
			put_json(stdout, &facts, made_by.data);
	} else if (!rc) {
		put_text(stdout, &as, &facts, path);
		if (facts.made_by.bytes) {
			printf("made by  %s\n", gt_harmless_n(facts.made_by.text, facts.made_by.bytes));
		}
	}
	gt_text_free(&made_by);
	gt_actions_close(&as);
	if (!rc)
		rc = gt_written(stdout, "standard output", err);
	return rc;
}
