/*
 * writers/atp/atp.c - the CodeXL application trace (.atp) of one process
 *
 * Runs in the tool. One walk over the calls fills two texts per thread (calls, times), because a block starts with
 * the number of its lines and blocks follow each other by thread; then the file is put together, header last known
 * and first written. Calls of the application's callbacks are no API calls: they have no line.
 *
 * Several threads make lines beside each other: each keeps those of its slice of the walk, thread by thread, and puts
 * them into files of its own, one per section; what the texts hold then are places in these files, in the order of the
 * walk.
 *
 * Layout: docs/atp.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/atp/atp.h"

#include <stdlib.h>

#include "common/memory.h"
#include "model/crew.h"
#include "model/nvtx/ranges.h"
#include "writers/spill.h"

#define SPILL_BUDGET (4ull << 20)         /* bytes of lines held in memory */

/* The sections of a domain. What is kept aside for one stands in files of its own, which go when it is written. */
enum part { CALLS, TIMES, STACKS, PARTS };

/* In the order of the file: readers take their own sections and skip others, but want a pair together. */
enum { OPENCL, HSA, CUDA, MARKERS, DOMAINS };

static const struct { const char *calls_title, *times_title, *stacks_title; } titles[DOMAINS] = {
	[OPENCL] = { "=====ocl API Trace Output=====\n", "=====ocl Timestamp Output=====\n",
		"=====ocl Stack Trace Output=====\n" },
	[HSA] = { "=====hsa API Trace Output=====\n", "=====hsa Timestamp Output=====\n",
		"=====hsa Stack Trace Output=====\n" },
	[CUDA] = { "=====cuda API Trace Output=====\n", "=====cuda Timestamp Output=====\n",
		"=====cuda Stack Trace Output=====\n" },
	[MARKERS] = { "=====Perfmarker Output=====\n", NULL, NULL },
};

/* The lines of one thread id in one domain. Ids are used again by the kernel: such threads share a block. */
struct block {
	int tid, domain;
	uint64_t lines;
	struct gt_spill_text *calls, *times, *stacks;    /* the last: NULL without that section */
	struct block *next;
};

/* The lines of a block that a maker has made since its last turn. */
struct kept {
	uint32_t thread; int tid, domain;
	uint64_t lines;
	struct gt_text calls, times, stacks;
	struct gt_spill_chunk calls_at, times_at, stacks_at;
};

/* Who makes lines from calls: one, into the blocks, or several, who keep theirs until it is their turn. */
struct maker {
	struct atp *a;
	struct gt_render *render;
	bool alone;
	struct kept *kept; uint32_t n_kept, room; /* those behind the first n_kept have memory to use again */
	uint32_t *kept_of;                /* [thread * DOMAINS + domain]: index + 1 */
	uint64_t moved;                   /* atp.moved, until its turn */
	GT_APART;
};

struct atp {
	const struct gt_export *x;
	struct maker *makers; unsigned n_makers;
	struct gt_spill spill;
	struct gt_output out;
	struct gt_cuda *cuda;
	bool cuda_as_hsa;
	bool sources;                     /* where each call was made: a section behind the times */
	struct gt_atp_cuda_list list;     /* own sections: work without a call; as HSA: kernels */
	struct gt_spill_text *list_text;
	struct block *blocks;
	struct block **by_thread;         /* [thread * DOMAINS + domain]; NULL until it makes a call */
	uint32_t n_threads;
	uint64_t moved;                   /* times that were moved to keep an order */
};

static int no_memory(const struct atp *a, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be written", a->x->final_path);
}

/* thread: may be none of the model's, when only CUPTI knows it. */
static struct block *find_block(struct atp *a, uint32_t thread, int tid, int domain)
{
	struct block *unknown = NULL,
		     **at = thread < a->n_threads ? &a->by_thread[thread * DOMAINS + (unsigned)domain] : &unknown;
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
		                     .calls = gt_spill_add(&a->spill), .times = gt_spill_add(&a->spill),
		                     .stacks = a->sources ? gt_spill_add(&a->spill) : NULL };
		a->blocks = b;
	}
	return b->calls && b->times && (b->stacks || !a->sources) ? (*at = b) : NULL;
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

/* One line in either section of a call's pair. */
struct lines { struct gt_text *calls, *times, *stacks; uint64_t *count; size_t before; };

static bool kept_room(struct maker *k)
{
	uint32_t room = 2 * k->room + 8;
	struct kept *more;

	if (k->n_kept < k->room)
		return true;
	more = realloc(k->kept, room * sizeof(*more));
	if (!more)
		return false;
	memset(more + k->room, 0, (room - k->room) * sizeof(*more));
	k->kept = more;
	k->room = room;
	return true;
}

/* thread: see find_block. */
static struct kept *find_kept(struct maker *k, uint32_t thread, int tid, int domain)
{
	bool known = thread < k->a->n_threads;
	uint32_t unknown = 0, *at = known ? &k->kept_of[thread * DOMAINS + (unsigned)domain] : &unknown;
	struct kept *kept;

	for (uint32_t i = 0; !known && !unknown && i < k->n_kept; i++)
		if (k->kept[i].thread == thread && k->kept[i].tid == tid && k->kept[i].domain == domain)
			unknown = i + 1;
	if (*at)
		return &k->kept[*at - 1];
	if (!kept_room(k))
		return NULL;
	kept = &k->kept[k->n_kept++];
	kept->thread = thread;
	kept->tid = tid;
	kept->domain = domain;
	kept->lines = 0;
	kept->calls.used = kept->times.used = kept->stacks.used = 0;
	*at = k->n_kept;
	return kept;
}

static size_t used_in(const struct lines *l)
{
	return l->calls->used + l->times->used + (l->stacks ? l->stacks->used : 0);
}

static bool begin_lines(struct maker *k, const struct gt_call *call, int domain, struct lines *l)
{
	if (k->alone) {
		struct block *b = find_block(k->a, call->thread, gt_call_tid(call), domain);

		if (!b)
			return false;
		*l = (struct lines){ &b->calls->text, &b->times->text, b->stacks ? &b->stacks->text : NULL,
			&b->lines, 0 };
	} else {
		struct kept *kept = find_kept(k, call->thread, gt_call_tid(call), domain);

		if (!kept)
			return false;
		*l = (struct lines){ &kept->calls, &kept->times, k->a->sources ? &kept->stacks : NULL,
			&kept->lines, 0 };
	}
	l->before = used_in(l);
	if (l->stacks)
		gt_atp_source(l->stacks, call);
	return true;
}

static void end_lines(struct maker *k, struct lines *l)
{
	gt_text_char(l->calls, '\n');
	gt_text_char(l->times, '\n');
	if (l->stacks)
		gt_text_char(l->stacks, '\n');
	++*l->count;
	if (k->alone)
		gt_spill_wrote(&k->a->spill, used_in(l) - l->before);
}

static int add_cuda_call(struct maker *k, const struct gt_call *call, struct gt_err *err)
{
	struct atp *a = k->a;
	struct lines l;
	unsigned moved;
	int rc = 0;

	if (!begin_lines(k, call, a->cuda_as_hsa ? HSA : CUDA, &l))
		return no_memory(a, err);
	gt_render_atp_cuda(l.calls, a->cuda, call, a->cuda_as_hsa);
	moved = gt_atp_host_part(l.times, call, call->fn->id);
	if (!a->cuda_as_hsa)
		rc = gt_atp_cuda_parts(l.times, a->x, a->cuda, call, &moved, err);
	k->moved += moved;
	end_lines(k, &l);
	return rc;
}

static int add_call(void *ctx, unsigned maker, const struct gt_call *call, struct gt_err *err)
{
	struct atp *a = ctx;
	struct maker *k = &a->makers[maker];
	const struct gt_render_agents agents = { agent_name, (void *)a->x };
	int domain = call->fn->domain == REC_DOMAIN_HSA ? HSA : OPENCL;
	const struct gt_render_plan *plan;
	struct lines l;

	if (call->cuda)
		return add_cuda_call(k, call, err);
	/* Readers crash on a name in the OpenCL section that is none of OpenCL's. */
	if (call->is_callback ||
		(domain == OPENCL && (call->fn->domain != REC_DOMAIN_OPENCL || strncmp(call->fn->name, "cl", 2) != 0)))
		return 0;
	plan = gt_render_plan(k->render, call->fn);
	if (!plan || !begin_lines(k, call, domain, &l))
		return no_memory(a, err);
	gt_render_atp_call(l.calls, k->render, plan, call, domain == HSA ? &agents : NULL);
	k->moved += gt_atp_host_part(l.times, call, plan->atp_id);
	if (domain == OPENCL)
		k->moved += gt_atp_device_part(l.times, plan, call);
	else if (plan->atp_id == GT_ATP_HSA_ASYNC_COPY || plan->atp_id == GT_ATP_HSA_ASYNC_COPY_RECT)
		k->moved += gt_atp_copy_part(l.times, call);
	end_lines(k, &l);
	return 0;
}

static unsigned kind_of(int domain, enum part part) { return (unsigned)domain * PARTS + part; }

/* What is kept goes to the maker's files, still beside the other makers. */
static int put_kept(void *ctx, unsigned maker, struct gt_err *err)
{
	struct atp *a = ctx;
	struct maker *k = &a->makers[maker];

	(void)err;
	for (uint32_t i = 0; i < k->n_kept; i++) {
		struct kept *kept = &k->kept[i];

		gt_spill_put(&a->spill, maker, kind_of(kept->domain, CALLS), &kept->calls, &kept->calls_at);
		gt_spill_put(&a->spill, maker, kind_of(kept->domain, TIMES), &kept->times, &kept->times_at);
		if (a->sources)
			gt_spill_put(&a->spill, maker, kind_of(kept->domain, STACKS), &kept->stacks, &kept->stacks_at);
	}
	return 0;
}

/* Memory once touched is kept for the next lines, as long as it is not much. */
static void reuse(struct kept *kept, uint64_t *held)
{
	*held += kept->calls.room + kept->times.room + kept->stacks.room;
	if (*held > 2 * SPILL_BUDGET) {
		gt_text_free(&kept->calls);
		gt_text_free(&kept->times);
		gt_text_free(&kept->stacks);
	}
}

/* ... and its places there go into the blocks. */
static int take_kept(void *ctx, unsigned maker, struct gt_err *err)
{
	struct atp *a = ctx;
	struct maker *k = &a->makers[maker];
	uint64_t held = 0;

	for (uint32_t i = 0; i < k->n_kept; i++) {
		struct kept *kept = &k->kept[i];
		struct block *b = find_block(a, kept->thread, kept->tid, kept->domain);

		if (!b)
			return no_memory(a, err);
		gt_spill_take(&a->spill, b->calls, &kept->calls_at);
		gt_spill_take(&a->spill, b->times, &kept->times_at);
		if (b->stacks)
			gt_spill_take(&a->spill, b->stacks, &kept->stacks_at);
		b->lines += kept->lines;
		if (kept->thread < a->n_threads)
			k->kept_of[kept->thread * DOMAINS + (unsigned)kept->domain] = 0;
		reuse(kept, &held);
	}
	k->n_kept = 0;
	a->moved += k->moved;
	k->moved = 0;
	return 0;
}

static bool open_makers(struct atp *a)
{
	bool good = (a->makers = calloc(a->n_makers, sizeof(a->makers[0])));

	for (unsigned i = 0; good && i < a->n_makers; i++) {
		struct maker *k = &a->makers[i];

		*k = (struct maker){ .a = a, .alone = a->n_makers == 1,
			.render = gt_render_new(gt_model_table(a->x->model)),
			.kept_of = calloc((size_t)a->n_threads * DOMAINS + 1, sizeof(k->kept_of[0])) };
		good = k->render && k->kept_of;
	}
	return good && (a->n_makers == 1 || gt_spill_share(&a->spill, a->n_makers, DOMAINS * PARTS));
}

static void free_makers(struct atp *a)
{
	for (unsigned i = 0; a->makers && i < a->n_makers; i++) {
		struct maker *k = &a->makers[i];

		for (uint32_t n = 0; n < k->room; n++) {
			gt_text_free(&k->kept[n].calls);
			gt_text_free(&k->kept[n].times);
			gt_text_free(&k->kept[n].stacks);
		}
		free(k->kept);
		free(k->kept_of);
		gt_render_free(k->render);
	}
	free(a->makers);
}

/* The last lines of their threads. */
static int add_unfinished(void *ctx, const struct gt_call *call, struct gt_err *err)
{
	struct atp *a = ctx;
	struct maker *k = &a->makers[0];
	const bool alone = k->alone;
	int rc;

	k->alone = true;                  /* all others have had their turns */
	rc = add_call(a, 0, call, err);
	k->alone = alone;
	return rc;
}

static int add_calls(struct atp *a, struct gt_err *err)
{
	struct gt_crew crew = { .walk = gt_output_walk_options(a->x), .ctx = a, .call = add_call, .done = put_kept,
		.turn = take_kept };

	crew.workers = a->n_makers = gt_crew_workers(a->x->model, &crew.walk);
	if (!open_makers(a))
		return no_memory(a, err);
	return gt_crew_walk(a->x->model, &crew, err) ||
		gt_unfinished_calls(a->x->model, &crew.walk, add_unfinished, a, err)
		? -1 : 0;
}

/* -------------------------------------------------- what is not made of calls */

static bool marker_block(void *ctx, uint32_t thread, struct gt_text **text, uint64_t **lines)
{
	struct atp *a = ctx;
	struct block *b = find_block(a, thread, gt_model_thread(a->x->model, thread)->tid, MARKERS);

	if (!b)
		return false;
	*text = &b->calls->text;
	*lines = &b->lines;
	return true;
}

static void wrote(void *ctx, size_t bytes)
{
	struct atp *a = ctx;

	gt_spill_wrote(&a->spill, bytes);
}

static int add_markers(struct atp *a, struct gt_err *err)
{
	struct gt_atp_markers m = { .x = a->x, .block = marker_block, .wrote = wrote, .ctx = a };

	if (gt_model_range_count(a->x->model) && gt_atp_add_markers(&m))
		return no_memory(a, err);
	a->moved += m.moved;
	return 0;
}

static int add_cuda_list(struct atp *a, struct gt_err *err)
{
	int rc;

	a->list_text = gt_spill_add(&a->spill);
	if (!a->list_text)
		return no_memory(a, err);
	a->list = (struct gt_atp_cuda_list){ .x = a->x, .text = &a->list_text->text, .wrote = wrote, .ctx = a };
	rc = a->cuda_as_hsa ? gt_atp_cuda_kernels(&a->list, a->cuda, err)
			    : gt_atp_cuda_without_call(&a->list, a->cuda, err);
	a->moved += a->list.moved;
	return rc;
}

/* -------------------------------------------------------------------- the file */

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

static const struct gt_spill_text *part_of(const struct block *b, enum part part)
{
	return part == CALLS ? b->calls : part == TIMES ? b->times : b->stacks;
}

static void put_section(struct atp *a, struct block *const *blocks, size_t n, const char *title, enum part part)
{
	struct gt_text *t = &a->out.text;

	gt_text_str(t, title);
	for (size_t i = 0; i < n; i++) {
		gt_text_i64(t, blocks[i]->tid);
		gt_text_char(t, '\n');
		gt_text_u64(t, blocks[i]->lines);
		gt_text_char(t, '\n');
		gt_spill_copy(&a->spill, part_of(blocks[i], part), &a->out);
	}
	gt_spill_done(&a->spill, kind_of(blocks[0]->domain, part));
}

static void put_list(struct atp *a, const char *title)
{
	if (!a->list.lines)
		return;
	gt_text_str(&a->out.text, title);
	gt_text_u64(&a->out.text, a->list.lines);
	gt_text_char(&a->out.text, '\n');
	gt_spill_copy(&a->spill, a->list_text, &a->out);
}

/* One list for both: the title and the number of dispatches stand in front of all. */
static void put_hsa_kernels(struct atp *a, uint32_t dispatches)
{
	uint64_t cuda = a->cuda_as_hsa ? a->list.lines : 0;

	if (dispatches + cuda == 0)
		return;
	gt_text_lit(&a->out.text, "=====hsa Kernel Timestamp Output=====\n");
	gt_text_u64(&a->out.text, dispatches + cuda);
	gt_text_char(&a->out.text, '\n');
	gt_atp_hsa_kernels(&a->out, a->x);
	if (cuda)
		gt_spill_copy(&a->spill, a->list_text, &a->out);
}

/* A pair of sections without blocks is an error to readers: it is left out. */
static void put_domain(struct atp *a, struct block *const *blocks, size_t n, int domain)
{
	if (!n)
		return;
	put_section(a, blocks, n, titles[domain].calls_title, CALLS);
	if (titles[domain].times_title)
		put_section(a, blocks, n, titles[domain].times_title, TIMES);
	if (titles[domain].stacks_title && a->sources)
		put_section(a, blocks, n, titles[domain].stacks_title, STACKS);
}

static int put_file(struct atp *a, struct gt_err *err)
{
	size_t n = 0, first[DOMAINS + 1] = { 0 };
	uint32_t dispatches = gt_atp_hsa_count(a->x, &a->moved);
	struct block **blocks = sort_blocks(a, &n);
	bool hsa;

	if (!blocks)
		return no_memory(a, err);
	for (size_t i = 0; i < n; i++)
		first[blocks[i]->domain + 1] = i + 1;
	for (int domain = 0; domain < DOMAINS; domain++)
		if (!first[domain + 1])
			first[domain + 1] = first[domain];
	hsa = first[HSA + 1] > first[HSA] || dispatches || (a->cuda_as_hsa && a->list.lines);
	gt_atp_header(&a->out.text, a->x, first[OPENCL + 1] > 0, hsa, a->cuda, a->moved);
	for (int domain = 0; domain < DOMAINS; domain++) {
		put_domain(a, blocks + first[domain], first[domain + 1] - first[domain], domain);
		if (domain == HSA)
			put_hsa_kernels(a, dispatches);
		if (domain == CUDA && !a->cuda_as_hsa)
			put_list(a, "=====cuda Command Timestamp Output=====\n");
	}
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
	free_makers(a);
	gt_spill_close(&a->spill);
	gt_output_discard(&a->out);
}

static int write_atp(const struct gt_export *x, struct gt_err *err)
{
	struct atp a = { .x = x,
		.n_threads = gt_model_thread_count(x->model),
		.cuda = gt_model_cuda(x->model, err),
		.cuda_as_hsa = gt_option_is(x->options, "atp-cuda", "hsa"),
		.sources = gt_atp_wants_sources(x) };
	int rc = a.cuda ? 0 : -1;

	gt_spill_open(&a.spill, x->path, SPILL_BUDGET);
	a.by_thread = calloc((size_t)a.n_threads * DOMAINS + 1, sizeof(a.by_thread[0]));
	if (!rc)
		rc = gt_output_open(&a.out, x->path, x->final_path, err);
	if (!rc && !a.by_thread)
		rc = no_memory(&a, err);
	if (!rc)
		rc = add_calls(&a, err);
	if (!rc)
		rc = add_cuda_list(&a, err);
	if (!rc)
		rc = add_markers(&a, err);
	if (!rc)
		rc = put_file(&a, err);
	if (!rc)
		rc = gt_output_commit(&a.out, err);
	if (!rc && a.moved)
		gt_model_count_loss(x->model, REC_LOSS_CLAMPED, a.moved);
	free_atp(&a);
	return rc;
}

/* CUDA work may be there without calls (--cuda-api=none). */
static bool has_content(const struct gt_model *m, const struct gt_process *p)
{
	return p->device_calls || p->commands || gt_model_unfinished_count(m, p->index) || gt_atp_has_markers(m, p);
}

const struct gt_writer gt_writer_atp = {
	.id = "atp", .suffix = ".atp", .help = "CodeXL application trace", .per_process = true,
	.has_content = has_content, .write = write_atp,
};
