/*
 * writers/apilog/apilog.c - the API log of one process: OpenCL and CUDA
 *
 * Runs in the tool. One line per call in order of start:
 *
 *	TID      5780    START TIME 0x00038ec9f2b404c3    DURATION 0x00000000000001e9    CMD ID 2             clEn...
 *
 * Start in raw ticks of the host clock, duration in microseconds, both hexadecimal. docs/apilog.md.
 *
 * Several threads make lines beside each other: each keeps those of its slice of the walk until it is their turn.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "model/crew.h"
#include "writers/output.h"
#include "writers/render.h"
#include "writers/spill.h"
#include "writers/writer.h"

#define SPILL_BUDGET (4ull << 20)         /* bytes of lines held in memory, --apilog-per-thread */
#define NO_COMMAND "                         " /* as wide as "    CMD ID 2             " */

/* The lines of one thread id; --apilog-per-thread only. */
struct part {
	int tid;
	struct gt_spill_text *lines;
	struct part *next;
};

/* Who makes lines from calls. One alone writes them at once; so it is with a log per thread. */
struct maker { struct gt_render *render; struct gt_text lines; GT_APART; };

struct apilog {
	const struct gt_export *x;
	struct maker *makers; unsigned n_makers;
	struct gt_cuda *cuda;
	struct gt_output out;             /* the one file, or the part being written */
	bool per_thread;
	struct gt_spill spill;
	struct part *parts;
	struct part **by_thread;
};

static int no_memory(const struct apilog *a, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be written", a->x->final_path);
}

/* spec: API log "Internally calculated local_work_size with for NDRangeKernel command with ID 2: (100)" */
static void put_local_size(struct gt_text *t, const struct gt_call *call)
{
	const struct gt_command *c = call->command;

	if (!c || !call->cmd_id || (c->local_source != REC_LOCAL_REQUIRED && c->local_source != REC_LOCAL_SUGGESTED))
		return;
	gt_text_lit(t, "Internally calculated local_work_size with for NDRangeKernel command with ID ");
	gt_text_u64(t, call->cmd_id);
	gt_text_lit(t, ": (");
	for (uint32_t i = 0; i < c->work_dim && i < 3; i++) {
		if (i)
			gt_text_char(t, ',');
		gt_text_u64(t, c->local_size[i]);
	}
	gt_text_lit(t, ")\n");
}

static void put_right(struct gt_text *t, uint64_t v, size_t width)
{
	uint64_t power = 10;

	for (; width > 1 && v >= power; width--)
		power *= 10;
	gt_text_pad(t, t->used, width - 1, 0);
	gt_text_u64(t, v);
}

static void put_head(struct gt_text *t, const struct gt_call *call, int tid)
{
	int64_t ns = call->end_ns - call->start_ns;

	gt_text_lit(t, "TID ");
	put_right(t, (uint32_t)tid, 9);
	gt_text_lit(t, "    START TIME 0x");
	gt_text_hex(t, call->start_tick, 16, false);
	gt_text_lit(t, "    DURATION 0x");
	gt_text_hex(t, ns > 0 ? (uint64_t)ns / 1000 : 0, 16, false);
	if (call->cmd_id) {
		size_t from;

		gt_text_lit(t, "    CMD ID ");
		from = t->used;
		gt_text_u64(t, call->cmd_id);
		gt_text_pad(t, from, 10, 0);
		gt_text_lit(t, "    ");
	} else {
		gt_text_lit(t, NO_COMMAND);
	}
}

/* thread: may be none of the model's, when only CUPTI knows it. */
static struct part *find_part(struct apilog *a, uint32_t thread, int tid)
{
	struct part *unknown = NULL,
		    **at = thread < gt_model_thread_count(a->x->model) ? &a->by_thread[thread] : &unknown;
	struct part *p;

	if (*at)
		return *at;
	for (p = a->parts; p && p->tid != tid; p = p->next)
		;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return NULL;
		*p = (struct part){ .tid = tid, .lines = gt_spill_add(&a->spill), .next = a->parts };
		a->parts = p;
	}
	return p->lines ? (*at = p) : NULL;
}

static void put_call(struct gt_text *t, const struct apilog *a, const struct gt_render_plan *plan,
	const struct gt_call *call, int tid)
{
	put_local_size(t, call);
	put_head(t, call, tid);
	if (call->cuda)
		gt_render_log_cuda(t, a->cuda, call);
	else
		gt_render_log_call(t, plan, call);
	gt_text_char(t, '\n');
}

static int add_call(void *ctx, unsigned maker, const struct gt_call *call, struct gt_err *err)
{
	struct apilog *a = ctx;
	const struct gt_render_plan *plan = NULL;
	struct gt_text *t = a->n_makers > 1 ? &a->makers[maker].lines : &a->out.text;
	struct part *part = NULL;
	size_t before;
	int tid;

	if (!call->cuda && call->fn->domain != REC_DOMAIN_OPENCL)
		return 0;
	if (!call->cuda)
		plan = gt_render_plan(a->makers[maker].render, call->fn);
	tid = gt_call_tid(call);
	if (a->per_thread)
		part = find_part(a, call->thread, tid);
	if ((!plan && !call->cuda) || (a->per_thread && !part))
		return no_memory(a, err);
	if (part)
		t = &part->lines->text;
	before = t->used;
	put_call(t, a, plan, call, tid);
	if (part)
		gt_spill_wrote(&a->spill, t->used - before);
	else if (a->n_makers == 1)
		gt_output_drain(&a->out);
	return 0;
}

/* The maker's turn to write. */
static int write_lines(void *ctx, unsigned maker, struct gt_err *err)
{
	struct apilog *a = ctx;

	(void)err;
	gt_output_text(&a->out, &a->makers[maker].lines);
	a->makers[maker].lines.used = 0;
	return 0;
}

static bool open_makers(struct apilog *a)
{
	bool good = (a->makers = calloc(a->n_makers, sizeof(a->makers[0])));

	for (unsigned i = 0; good && i < a->n_makers; i++)
		good = (a->makers[i].render = gt_render_new(gt_model_table(a->x->model)));
	return good;
}

static void free_makers(struct apilog *a)
{
	for (unsigned i = 0; a->makers && i < a->n_makers; i++) {
		gt_render_free(a->makers[i].render);
		gt_text_free(&a->makers[i].lines);
	}
	free(a->makers);
}

/* Behind all others: a log has a line when its call is over. */
static int add_unfinished(void *ctx, const struct gt_call *call, struct gt_err *err)
{
	struct apilog *a = ctx;
	int rc = add_call(a, 0, call, err);

	return rc || a->n_makers == 1 ? rc : write_lines(a, 0, err);
}

static int add_calls(struct apilog *a, struct gt_err *err)
{
	struct gt_crew crew = { .walk = gt_output_walk_options(a->x), .ctx = a, .call = add_call, .turn = write_lines };

	crew.workers = a->n_makers = a->per_thread ? 1 : gt_crew_workers(a->x->model, &crew.walk);
	if (!open_makers(a))
		return no_memory(a, err);
	return gt_crew_walk(a->x->model, &crew, err) ||
		gt_unfinished_calls(a->x->model, &crew.walk, add_unfinished, a, err)
		? -1 : 0;
}

/* Reasons for calls that are not in the trace. Device times and their losses are no matter of this format. */
static const enum rec_loss lost_calls[] = {
	REC_LOSS_NO_SPACE,
	REC_LOSS_NO_STREAM,
	REC_LOSS_SECCOMP,
	REC_LOSS_SIZE_CAP,
	REC_LOSS_RING_OVERWRITTEN,
	REC_LOSS_LOADER_MISSED,
	REC_LOSS_LATE_CALL,
	REC_LOSS_INCOMPLETE_RECORD,
	REC_LOSS_DAMAGED,
	REC_LOSS_TRUNCATED,
	REC_LOSS_CUPTI_MISSING,
	REC_LOSS_CUPTI_BUSY,
	REC_LOSS_CUPTI_DROPPED,
	REC_LOSS_CUPTI_NO_BUFFER,
	REC_LOSS_CUPTI_UNREAD,
};

/* What is missing is said behind the last call; a log that has every call ends with it. */
static void put_missing(struct apilog *a)
{
	char text[1024];
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof(lost_calls) / sizeof(lost_calls[0]); i++)
		n += gt_model_lost(a->x->model, lost_calls[i]);
	if (!n)
		return;
	gt_text_str(&a->out.text, gt_model_complete_text(a->x->model, text, sizeof(text)));
	gt_text_char(&a->out.text, '\n');
}

/* NAME.apilog -> NAME.TID.apilog */
static char *part_path(const char *final_path, int tid)
{
	static const char suffix[] = ".apilog";
	size_t n = strlen(final_path);
	char *path;

	if (n > sizeof(suffix) - 1 && strcmp(final_path + n - (sizeof(suffix) - 1), suffix) == 0)
		n -= sizeof(suffix) - 1;
	return asprintf(&path, "%.*s.%d%s", (int)n, final_path, tid, suffix) < 0 ? NULL : path;
}

static int write_part(struct apilog *a, const struct part *p, struct gt_err *err)
{
	char *path = part_path(a->x->final_path, p->tid);
	int rc;

	if (!path)
		return no_memory(a, err);
	rc = gt_output_create(&a->out, path, gt_option_true(a->x->options, "force"), err);
	if (!rc) {
		gt_spill_copy(&a->spill, p->lines, &a->out);
		put_missing(a);
		rc = gt_spill_check(&a->spill, err);
	}
	if (!rc)
		rc = gt_output_commit(&a->out, err);
	gt_output_discard(&a->out);
	free(path);
	return rc;
}

static int write_per_thread(struct apilog *a, struct gt_err *err)
{
	int rc;

	gt_spill_open(&a->spill, a->x->path, SPILL_BUDGET);
	a->by_thread = calloc((size_t)gt_model_thread_count(a->x->model) + 1, sizeof(a->by_thread[0]));
	rc = a->by_thread ? add_calls(a, err) : no_memory(a, err);
	for (struct part *p = a->parts; p && !rc; p = p->next)
		rc = write_part(a, p, err);
	while (a->parts) {
		struct part *p = a->parts;

		a->parts = p->next;
		free(p);
	}
	gt_spill_close(&a->spill);
	free(a->by_thread);
	return rc;
}

static int write_one_file(struct apilog *a, struct gt_err *err)
{
	if (gt_output_open(&a->out, a->x->path, a->x->final_path, err))
		return -1;
	if (add_calls(a, err)) {
		gt_output_discard(&a->out);
		return -1;
	}
	put_missing(a);
	return gt_output_commit(&a->out, err);
}

static int write_apilog(const struct gt_export *x, struct gt_err *err)
{
	struct apilog a = { .x = x,
		.out.fd = -1,
		.per_thread = gt_option_true(x->options, "apilog-per-thread"),
		.cuda = gt_model_cuda(x->model, err) };
	int rc = !a.cuda       ? -1
		: a.per_thread ? write_per_thread(&a, err)
			       : write_one_file(&a, err);

	free_makers(&a);
	return rc;
}

static bool has_content(const struct gt_model *m, const struct gt_process *p)
{
	return p->device_calls || gt_model_unfinished_count(m, p->index);
}

const struct gt_writer gt_writer_apilog = {
	.id = "apilog", .suffix = ".apilog", .help = "API log, one line per call", .per_process = true,
	.has_content = has_content, .write = write_apilog,
};
