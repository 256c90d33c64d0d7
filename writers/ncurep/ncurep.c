/*
 * writers/ncurep/ncurep.c - a report of kernel metrics (.ncu-rep) that Nsight Compute and its readers open
 *
 * Runs in the tool. One file for the whole trace: a result for each kernel, with its metrics, sections, NVTX state and
 * place in time. Which kernels and sections: analysis/sections/actions.h.
 *
 * spec: NCU "Report File Format"; layout and own fields: docs/report.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/sections/actions.h"
#include "analysis/sections/report_file.h"
#include "common/harmless.h"
#include "writers/output.h"

static int gather(const struct gt_export *x, struct gt_actions *as, struct gt_sections *sections, struct gt_err *err)
{
	struct gt_walk_options walk = { .process = -1, .from_ns = x->from_ns, .to_ns = x->to_ns, .cuda = true,
		.progress = x->progress, .ctx = x->ctx };
	int rc = gt_sections_open(sections, x->options, GT_DEPLOY_LOOK, NULL, err);

	if (rc < 0 && err->kind != GT_EXIT_MISSING)
		return -1;                        /* not installed: a report without sections is one, too */
	if (rc > 0 && x->notes) {
		gt_text_harmless(x->notes, err->what, strlen(err->what));
		gt_text_lit(x->notes, " (");
		gt_text_harmless(x->notes, err->why, strlen(err->why));
		gt_text_lit(x->notes, ")\n");
	}
	if (gt_sections_check(sections, x->options, err))
		return -1;
	return gt_actions_of_trace(as, x->model, &walk, sections, x->options, err);
}

static struct gt_ncurep_session session_of(const struct gt_export *x)
{
	const struct gt_session *s = gt_model_session(x->model);
	struct gt_ncurep_session out = { .created_s = s->utc_ns > 0 ? (uint64_t)s->utc_ns / 1000000000 : 0,
		.host = s->host, .version = s->version };

	if (gt_model_process_count(x->model)) {
		const struct gt_process *p = gt_model_process(x->model, 0);

		out.pid = (uint32_t)p->pid;
		out.process = p->image;
		out.os = p->os;
		out.arch = p->arch;
	}
	return out;
}

static int write_report(const struct gt_export *x, struct gt_err *err)
{
	const struct gt_ncurep_session session = session_of(x);
	struct gt_sections sections = { 0 };
	struct gt_actions as = { 0 };
	struct gt_output out;
	int rc = gather(x, &as, &sections, err);

	if (!rc && !(rc = gt_output_open(&out, x->path, x->final_path, err))) {
		gt_ncurep_put(&out.text, &as, &session);
		rc = out.text.failed ? gt_no_memory(err) : gt_output_commit(&out, err);
		gt_output_discard(&out);
	}
	gt_actions_close(&as);
	gt_sections_close(&sections);
	return rc;
}

const struct gt_writer gt_writer_ncu_rep = {
	.id = "ncu-rep", .suffix = ".ncu-rep", .help = "report of kernel metrics", .write = write_report,
};
