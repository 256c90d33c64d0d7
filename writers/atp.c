/*
 * writers/atp.c - the CodeXL application trace (.atp) of one process
 *
 * Runs in the tool. One walk over the calls fills two texts per thread (calls, times), because a block starts with
 * the number of its lines and blocks follow each other by thread; then the file is put together, header last known
 * and first written. Calls of the application's callbacks are no API calls: they have no line.
 *
 * Layout: docs/atp.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/atp.h"

#include <stdlib.h>

#include "writers/spill.h"

#define SPILL_BUDGET (4ull << 20)         /* bytes of lines held in memory */

enum { OPENCL, HSA, DOMAINS };

static const struct { const char *calls_title, *times_title; } titles[DOMAINS] = {
	[OPENCL] = { "=====ocl API Trace Output=====\n", "=====ocl Timestamp Output=====\n" },
	[HSA] = { "=====hsa API Trace Output=====\n", "=====hsa Timestamp Output=====\n" },
};

/* The lines of one thread id in one domain. Ids are used again by the kernel: such threads share a block. */
struct block {
	int tid, domain;
	uint64_t lines;
	struct gt_spill_text *calls, *times;
	struct block *next;
};

struct atp {
	const struct gt_export *x;
	struct gt_render *render;
	struct gt_spill spill;
	struct gt_output out;
	struct block *blocks;
	struct block **by_thread;         /* [thread * DOMAINS + domain]; NULL until it makes a call */
	uint32_t n_threads;
	uint64_t moved;                   /* times that were moved to keep an order */
};

static int no_memory(const struct atp *a, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be written", a->x->final_path);
}

static struct block *find_block(struct atp *a, uint32_t thread, int domain)
{
	struct block **at = &a->by_thread[thread * DOMAINS + (unsigned)domain];
	int tid = gt_model_thread(a->x->model, thread)->tid;
	struct block *b;

	if (*at)
		return *at;
	for (b = a->blocks; b && (b->tid != tid || b->domain != domain); b = b->next)
		;
	if (!b) {
		b = calloc(1, sizeof(*b));
		if (!b)
			return NULL;
		*b = (struct block){ .tid = tid, .domain = domain, .next = a->blocks,
		                     .calls = gt_spill_add(&a->spill), .times = gt_spill_add(&a->spill) };
		a->blocks = b;
	}
	return b->calls && b->times ? (*at = b) : NULL;
}

static const char *agent_name(void *ctx, uint64_t handle, size_t *bytes)
{
	const struct gt_export *x = ctx;

	for (uint32_t i = 0; i < gt_model_hsa_kernel_count(x->model); i++) {
		const struct gt_hsa_kernel *k = gt_model_hsa_kernel(x->model, i);

		if (k->agent == handle && k->agent_name.bytes) {
			*bytes = k->agent_name.bytes;
			return k->agent_name.text;
		}
	}
	return NULL;
}

static int add_call(void *ctx, const struct gt_call *call, struct gt_err *err)
{
	struct atp *a = ctx;
	const struct gt_render_agents agents = { agent_name, (void *)a->x };
	int domain = call->fn->domain == REC_DOMAIN_HSA ? HSA : OPENCL;
	const struct gt_render_plan *plan;
	struct gt_text *calls, *times;
	size_t before;
	struct block *b;

	/* Readers crash on a name in the OpenCL section that is none of OpenCL's. */
	if (call->is_callback || (domain == OPENCL && (call->fn->domain != REC_DOMAIN_OPENCL || strncmp(call->fn->name, "cl", 2) != 0)))
		return 0;
	plan = gt_render_plan(a->render, call->fn);
	b = call->thread < a->n_threads ? find_block(a, call->thread, domain) : NULL;
	if (!plan || !b)
		return no_memory(a, err);
	calls = &b->calls->text;
	times = &b->times->text;
	before = calls->used + times->used;
	gt_render_atp_call(calls, a->render, plan, call, domain == HSA ? &agents : NULL);
	gt_text_char(calls, '\n');
	a->moved += gt_atp_host_part(times, call, plan->atp_id);
	if (domain == OPENCL)
		a->moved += gt_atp_device_part(times, plan, call);
	else if (plan->atp_id == GT_ATP_HSA_ASYNC_COPY || plan->atp_id == GT_ATP_HSA_ASYNC_COPY_RECT)
		a->moved += gt_atp_copy_part(times, call);
	gt_text_char(times, '\n');
	b->lines++;
	gt_spill_wrote(&a->spill, calls->used + times->used - before);
	return 0;
}

static int by_tid(const void *l, const void *r)
{
	const struct block *a = *(struct block *const *)l, *b = *(struct block *const *)r;

	return a->domain != b->domain ? a->domain - b->domain : a->tid < b->tid ? -1 : a->tid > b->tid;
}

static struct block **sort_blocks(const struct atp *a, size_t *n)
{
	struct block **sorted;
	size_t count = 0;

	for (struct block *b = a->blocks; b; b = b->next)
		count++;
	sorted = calloc(count + 1, sizeof(sorted[0]));
	if (!sorted)
		return NULL;
	*n = 0;
	for (struct block *b = a->blocks; b; b = b->next)
		sorted[(*n)++] = b;
	qsort(sorted, count, sizeof(sorted[0]), by_tid);
	return sorted;
}

static void put_section(struct atp *a, struct block *const *blocks, size_t n, const char *title, bool times)
{
	struct gt_text *t = &a->out.text;

	gt_text_str(t, title);
	for (size_t i = 0; i < n; i++) {
		gt_text_i64(t, blocks[i]->tid);
		gt_text_char(t, '\n');
		gt_text_u64(t, blocks[i]->lines);
		gt_text_char(t, '\n');
		gt_spill_copy(&a->spill, times ? blocks[i]->times : blocks[i]->calls, &a->out);
	}
}

/* A pair of sections without blocks is an error to readers: it is left out. */
static int put_file(struct atp *a, struct gt_err *err)
{
	size_t n = 0, n_opencl = 0;
	uint32_t dispatches = gt_atp_hsa_count(a->x, &a->moved);
	struct block **blocks = sort_blocks(a, &n);

	if (!blocks)
		return no_memory(a, err);
	while (n_opencl < n && blocks[n_opencl]->domain == OPENCL)
		n_opencl++;
	gt_atp_header(&a->out.text, a->x, n_opencl > 0, n_opencl < n || dispatches > 0, a->moved);
	for (int domain = 0; domain < DOMAINS; domain++) {
		struct block *const *first = domain == OPENCL ? blocks : blocks + n_opencl;
		size_t count = domain == OPENCL ? n_opencl : n - n_opencl;

		if (!count)
			continue;
		put_section(a, first, count, titles[domain].calls_title, false);
		put_section(a, first, count, titles[domain].times_title, true);
	}
	gt_atp_hsa_kernels(&a->out, a->x, dispatches);
	free(blocks);
	return gt_spill_check(&a->spill, err);
}

static void free_atp(struct atp *a)
{
	while (a->blocks) {
		struct block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	free(a->by_thread);
	gt_render_free(a->render);
	gt_spill_close(&a->spill);
	gt_output_discard(&a->out);
}

static int write_atp(const struct gt_export *x, struct gt_err *err)
{
	struct atp a = { .x = x, .render = gt_render_new(gt_model_table(x->model)), .n_threads = gt_model_thread_count(x->model) };
	int rc;

	gt_spill_open(&a.spill, x->path, SPILL_BUDGET);
	a.by_thread = calloc((size_t)a.n_threads * DOMAINS + 1, sizeof(a.by_thread[0]));
	rc = gt_output_open(&a.out, x->path, x->final_path, err);
	if (!rc && (!a.render || !a.by_thread))
		rc = no_memory(&a, err);
	if (!rc)
		rc = gt_output_walk(a.x, add_call, &a, err);
	if (!rc)
		rc = put_file(&a, err);
	if (!rc)
		rc = gt_output_commit(&a.out, err);
	if (!rc && a.moved)
		gt_model_count_loss(x->model, REC_LOSS_CLAMPED, a.moved);
	free_atp(&a);
	return rc;
}

const struct gt_writer gt_writer_atp = {
	.id = "atp", .suffix = ".atp", .help = "CodeXL application trace", .per_process = true, .write = write_atp,
};
