/*
 * cli/dump/dump.c - gputap dump: everything in a trace, one line per record
 *
 * Text for people, with --json one object per line for programs: processes, calls and callbacks in time order with
 * decoded arguments and the commands that they set going (call.c), CUDA (cuda.c), objects and the content of
 * programs (object.c), notes, what the images say of themselves and HSA kernels (image.c), NVTX
 * (range.c), samples and switches (threads.c), call stacks (stack.c). Each kind of record is one table
 * of fields there, for both forms (show.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "common/harmless.h"
#include "cli/cli.h"
#include "cli/dump/dump.h"
#include "common/written.h"
#include "model/symbols/symbols.h"

#define DRAIN (1u << 18)                  /* bytes of text kept before they are written */

struct dump {
	struct gt_show s;
	struct gt_text t;
	bool failed;
};

static bool flush(struct dump *d, size_t keep)
{
	if (d->t.used > keep) {
		if (fwrite(d->t.data, 1, d->t.used, stdout) != d->t.used)
			d->failed = true;
		d->t.used = 0;
	}
	d->failed |= d->t.failed;
	return !d->failed;
}

static bool drain(void *ctx) { return flush(ctx, DRAIN); }

static int dump_calls(struct dump *d, struct gt_err *err)
{
	const struct gt_walk_options o = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	const struct gt_call *call;
	struct gt_walk *w;
	int r;

	if (gt_walk_open(d->s.m, &o, &w, err))
		return -1;
	while ((r = gt_walk_next(w, &call, err)) == 1 && !d->failed) {
		gt_dump_call(&d->s, call);
		drain(d);
	}
	gt_walk_close(w);
	return r < 0 ? -1 : 0;
}

/* All of one kind, by number: ALL(note) calls gt_dump_note with each gt_model_note. */
#define ALL(d, what) \
	for (uint64_t i = 0; i < gt_model_##what##_count((d)->s.m); i++) { \
		gt_dump_##what(&(d)->s, gt_model_##what((d)->s.m, i)); \
		drain(d); \
	}

static void dump_rest(struct dump *d)
{
	ALL(d, object)
	d->failed |= !gt_dump_contents(&d->s, drain, d);
	ALL(d, note)
	ALL(d, image_record)
	ALL(d, output)
	ALL(d, hsa_kernel)
	ALL(d, range)
	ALL(d, range_name)
	ALL(d, task)
	ALL(d, switch)
	ALL(d, waking)
	ALL(d, run_delay)
	ALL(d, sample)
	ALL(d, tracepoint_type)
	ALL(d, tracepoint)
	ALL(d, module)
	for (uint32_t id = 1; id <= gt_model_stack_count(d->s.m); id++) {
		gt_dump_stack(&d->s, gt_model_stack(d->s.m, id));
		drain(d);
	}
	flush(d, 0);
}

int gt_cmd_dump(struct gt_cli *cli)
{
	struct dump d = { .s = { .json = gt_option_true(&cli->options, "json"), .t = &d.t } };
	struct gt_err err = { 0 };
	char text[1024];
	int rc;

	if (cli->n_args != 1)
		return gt_cli_usage(cli, cli->n_args ? "dump takes one trace" : "which trace?");
	if (gt_model_open(cli->args[0],
		    &(struct gt_model_options){ .cuda_table = gt_option(&cli->options, "cuda-table") }, &d.s.m, &err))
		return gt_cli_fail(&err);
	d.s.errors = gt_fntable_enum(gt_model_table(d.s.m), "cl_error");
	ALL(&d, process)
	rc = dump_calls(&d, &err);
	if (!rc)
		rc = gt_dump_cuda(&d.s, drain, &d, &err);
	if (!rc)
		dump_rest(&d);
	if (!rc)
		rc = d.t.failed ? gt_no_memory(&err) : gt_symbols_check(d.s.m, &err);
	if (!rc)
		rc = gt_written(stdout, "standard output", &err);
	if (!rc)
		fprintf(stderr, "gputap: %s\n", gt_harmless(gt_model_complete_text(d.s.m, text, sizeof text)));
	gt_text_free(&d.t);
	gt_model_close(d.s.m);
	return rc ? gt_cli_fail(&err) : GT_EXIT_OK;
}
