/*
 * writers/atp/cuda.c - CUDA in .atp files: what a call set going on the device, and what ran without a call
 *
 * In sections of its own (the default) a call's Timestamp line carries one device part for each thing that the call set
 * going, in the layout of the OpenCL sections; work whose call is not in the trace has a section for itself. Carried as
 * HSA (--atp-cuda=hsa) calls have their host times alone and kernels stand in the HSA kernel section: the only places
 * that readers of HSA look at.
 *
 * docs/atp.md has the layout.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/window.h"
#include "writers/atp/atp.h"

/*
 * The integer is OpenCL's for the same kind of work: readers of its sections know by it what stands behind the device.
 */
enum {
	LIKE_KERNEL = 4592,
	LIKE_READ = 4595,
	LIKE_WRITE = 4596,
	LIKE_COPY = 4597,
	LIKE_FILL = 4615,
	LIKE_COMMAND_BUFFER = 4776
};

/* By CUPTI's number of the copy's kind; "A" is an array. */
static const struct { uint16_t type; const char *name; } copies[] = {
	{ LIKE_COPY, "CUDA_MEMCPY" }, { LIKE_WRITE, "CUDA_MEMCPY_HTOD" }, { LIKE_READ, "CUDA_MEMCPY_DTOH" },
	{ LIKE_WRITE, "CUDA_MEMCPY_HTOA" },
	{ LIKE_READ, "CUDA_MEMCPY_ATOH" }, { LIKE_COPY, "CUDA_MEMCPY_ATOA" }, { LIKE_COPY, "CUDA_MEMCPY_ATOD" },
	{ LIKE_COPY, "CUDA_MEMCPY_DTOA" },
	{ LIKE_COPY, "CUDA_MEMCPY_DTOD" }, { LIKE_COPY, "CUDA_MEMCPY_HTOH" }, { LIKE_COPY, "CUDA_MEMCPY_PTOP" },
};

static void put_field(struct gt_text *t, const char *s, size_t n, size_t width)
{
	size_t from = t->used;

	gt_atp_word(t, s, n);
	gt_text_pad(t, from, width, 1);
}

static void put_word(struct gt_text *t, const char *s, size_t width) { put_field(t, s, strlen(s), width); }

static uint64_t known(uint32_t id) { return id == GT_CUDA_NONE ? 0 : id; }

static const struct gt_string *kernel_name(const struct gt_cuda_event *e)
{
	static const struct gt_string unknown = { "unknown_kernel", 14 };

	return e->kernel.has_name && e->kernel.demangled.bytes ? &e->kernel.demangled : &unknown;
}

/* ---------------------------------------------------------------- device parts */

/* 0: CUPTI did not record it. Else no later than what follows. */
static uint64_t before(int64_t session_ns, int64_t shift, uint64_t next, unsigned *moved)
{
	int64_t v;

	if (session_ns == GT_NO_TIME)
		return 0;
	v = session_ns + shift;
	*moved += v < 0 || v > (int64_t)next;
	return v < 0 ? 0 : v > (int64_t)next ? next : (uint64_t)v;
}

static unsigned put_times(struct gt_text *t, const struct gt_cuda_event *e, int64_t shift)
{
	bool kernel = e->kind == GT_CUDA_KERNEL;
	unsigned moved = 0;
	uint64_t start = gt_atp_at_least(e->start_ns + shift, 0, &moved),
		 end = gt_atp_at_least(e->end_ns + shift, (int64_t)start, &moved);
	uint64_t submit = before(kernel ? e->kernel.submitted_ns : GT_NO_TIME, shift, start, &moved);
	uint64_t queued = before(kernel ? e->kernel.queued_ns : GT_NO_TIME, shift, submit ? submit : start, &moved);

	gt_atp_number(t, queued, 21);
	gt_atp_number(t, submit, 21);
	gt_atp_number(t, start, 21);
	gt_atp_number(t, end, 21);
	return moved;
}

static void put_kind(struct gt_text *t, const struct gt_cuda_event *e)
{
	unsigned type = LIKE_COMMAND_BUFFER;
	const char *name = "CUDA_GRAPH";
	size_t kind;

	if (e->kind == GT_CUDA_KERNEL) {
		type = LIKE_KERNEL;
		name = e->kernel.launch_type == 1 || e->kernel.launch_type == 2 ? "CUDA_COOPERATIVE_KERNEL"
										: "CUDA_KERNEL";
	} else if (e->kind == GT_CUDA_COPY) {
		kind = e->copy.copy_kind > 0 && (size_t)e->copy.copy_kind < sizeof(copies) / sizeof(copies[0])
			? (size_t)e->copy.copy_kind
			: 0;
		type = copies[kind].type;
		name = copies[kind].name;
	} else if (e->kind == GT_CUDA_FILL) {
		type = LIKE_FILL;
		name = "CUDA_MEMSET";
	}
	gt_atp_number(t, type, 8);
	put_word(t, name, 40);
}

static void put_device(struct gt_text *t, const struct gt_cuda *c, const struct gt_cuda_event *e, size_t width)
{
	const struct gt_cuda_device *d = gt_cuda_device_of(c, e->process, e->device);

	if (d && d->name.bytes)
		put_field(t, d->name.text, d->name.bytes, width);
	else
		put_word(t, "Unknown_Device", width);
}

static void put_sizes(struct gt_text *t, const uint32_t sizes[3])
{
	gt_text_char(t, '{');
	for (int i = 0; i < 3; i++) {
		if (i)
			gt_text_char(t, ',');
		gt_text_u64(t, sizes[i]);
	}
	gt_text_char(t, '}');
}

static void put_memory(struct gt_text *t, int kind)
{
	const char *text = gt_cuda_mem_text(kind);

	put_word(t, text ? text : "Unknown", 20);
}

static void put_tail(struct gt_text *t, const struct gt_cuda_event *e)
{
	const struct gt_string *name;
	size_t from;

	switch (e->kind) {
	case GT_CUDA_KERNEL:
		name = kernel_name(e);
		put_word(t, "NULL", 25);
		put_field(t, name->text, name->bytes, 0);
		gt_text_lit(t, "     ");
		put_sizes(t, e->kernel.grid);
		gt_text_lit(t, "     ");
		put_sizes(t, e->kernel.block);
		gt_text_lit(t, "        ");
		break;
	case GT_CUDA_COPY:
		gt_atp_number(t, e->copy.bytes, 20);
		put_memory(t, e->copy.src_kind);
		put_memory(t, e->copy.dst_kind);
		break;
	case GT_CUDA_FILL:
		gt_atp_number(t, e->fill.bytes, 20);
		from = t->used;
		gt_text_lit(t, "0x");
		gt_text_hex(t, e->fill.value, 1, true);
		gt_text_pad(t, from, 20, 1);
		put_memory(t, e->fill.mem_kind);
		break;
	default:
		gt_atp_number(t, known(e->graph), 10);
	}
}

static unsigned put_part(struct gt_text *t, const struct gt_cuda *c, const struct gt_cuda_event *e, int64_t shift)
{
	unsigned moved;

	put_kind(t, e);
	moved = put_times(t, e, shift);
	gt_atp_number(t, known(e->stream), 10);
	put_word(t, "NULL", 25);          /* handles: CUPTI tells none */
	gt_atp_number(t, known(e->context), 10);
	put_word(t, "NULL", 25);
	put_device(t, c, e, 30);
	put_tail(t, e);
	return moved;
}

/* ------------------------------------------------------------- work of a call */

struct started { int64_t start_ns; struct gt_cuda_place place; };

static int by_start(const void *l, const void *r)
{
	const struct started *a = l, *b = r;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->place.kind != b->place.kind)
		return a->place.kind < b->place.kind ? -1 : 1;
	return (a->place.index > b->place.index) - (a->place.index < b->place.index);
}

static bool in_window(const struct gt_export *x, struct gt_cuda *c, const struct gt_cuda_event *e)
{
	return e->timed && gt_cuda_inside(c, e, x->from_ns, x->to_ns);
}

static int put_parts(struct gt_text *t, const struct gt_export *x, struct gt_cuda *c,
	const struct gt_cuda_place *places, struct started *sorted, uint32_t n, unsigned *moved, struct gt_err *err)
{
	int64_t shift = gt_model_mono_ns(x->model, x->process->index, 0);
	struct gt_cuda_event e;
	uint32_t timed = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (gt_cuda_get(c, places[i].kind, places[i].index, &e, err))
			return -1;
		if (in_window(x, c, &e))
			sorted[timed++] = (struct started){ e.start_ns, places[i] };
	}
	if (timed > 1)
		qsort(sorted, timed, sizeof(sorted[0]), by_start);
	for (uint32_t i = 0; i < timed; i++) {
		if (n > 1 && gt_cuda_get(c, sorted[i].place.kind, sorted[i].place.index, &e, err))
			return -1;
		*moved += put_part(t, c, &e, shift);
	}
	return 0;
}

int gt_atp_cuda_parts(struct gt_text *t, const struct gt_export *x, struct gt_cuda *c, const struct gt_call *call,
	unsigned *moved, struct gt_err *err)
{
	struct gt_cuda_place few[8], *places = few;
	struct started few_sorted[8], *sorted = few_sorted;
	const struct gt_cuda_event *e = call->cuda;
	uint32_t n;
	int rc = 0;

	if (e->call.nested || e->correlation == GT_CUDA_NONE)
		return 0;                 /* of a nested call: at the call around it */
	n = gt_cuda_work_of(c, e->process, e->correlation, e->start_ns, few, 8);
	if (n > 8) {
		places = malloc(n * sizeof(places[0]));
		sorted = malloc(n * sizeof(sorted[0]));
		if (places && sorted)
			gt_cuda_work_of(c, e->process, e->correlation, e->start_ns, places, n);
		else
			rc = gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL,
				"a graph of %u nodes could not be written", n);
	}
	if (!rc && n)
		rc = put_parts(t, x, c, places, sorted, n, moved, err);
	if (places != few)
		free(places);
	if (sorted != few_sorted)
		free(sorted);
	return rc;
}

/* ------------------------------------------------------------ work by itself */

/*
 * spec: ATP HSA kernel section; of the packet what a launch has too. A grid counts work-items there, and blocks in
 * CUDA.
 */
static unsigned put_hsa_kernel(
	struct gt_text *t, const struct gt_cuda *c, const struct gt_cuda_event *e, int64_t shift, bool eight_fields)
{
	static const char *const axes[] = { "x", "y", "z" };
	const struct gt_string *name = kernel_name(e);
	unsigned moved = 0;
	uint64_t start = gt_atp_at_least(e->start_ns + shift, 0, &moved);
	size_t from = t->used;

	gt_atp_hsa_symbol(t, name);
	gt_text_pad(t, from, 50, 1);
	gt_atp_address(t, 0, 21);         /* CUPTI tells no handles */
	gt_atp_number(t, start, 21);
	gt_atp_number(t, gt_atp_at_least(e->end_ns + shift, (int64_t)start, &moved), 21);
	put_device(t, c, e, 64);
	from = t->used;
	gt_text_char(t, '{');
	gt_text_u64(t, known(e->device));
	gt_text_char(t, '}');
	gt_text_pad(t, from, 21, 1);
	gt_atp_number(t, known(e->stream), 21);
	if (eight_fields) {
		gt_atp_address(t, 0, 21);
		return moved;
	}
	gt_atp_number(t, known(e->device), 10);
	put_word(t, "HSA_PACKET_TYPE_KERNEL_DISPATCH", 35);
	gt_atp_number(t, known(e->correlation), 21);
	gt_text_char(t, '{');
	for (int i = 0; i < 3; i++) {
		gt_text_str(t, i ? ",workgroup_size_" : "workgroup_size_");
		gt_text_str(t, axes[i]);
		gt_text_char(t, '=');
		gt_text_u64(t, e->kernel.block[i]);
	}
	for (int i = 0; i < 3; i++) {
		gt_text_lit(t, ",grid_size_");
		gt_text_str(t, axes[i]);
		gt_text_char(t, '=');
		gt_text_u64(t, (uint64_t)e->kernel.grid[i] * e->kernel.block[i]);
	}
	gt_text_char(t, '}');
	return moved;
}

int gt_atp_cuda_kernels(struct gt_atp_cuda_list *l, struct gt_cuda *c, struct gt_err *err)
{
	bool eight = gt_option_is(l->x->options, "atp-version", "2");
	int64_t shift = gt_model_mono_ns(l->x->model, l->x->process->index, 0);
	struct gt_cuda_event e;

	for (uint64_t i = 0; i < gt_cuda_count(c, GT_CUDA_KERNEL); i++) {
		size_t used = l->text->used;

		if (gt_cuda_process_at(c, GT_CUDA_KERNEL, i) != l->x->process->index)
			continue;
		if (gt_cuda_get(c, GT_CUDA_KERNEL, i, &e, err))
			return -1;
		if (!in_window(l->x, c, &e))
			continue;
		l->moved += put_hsa_kernel(l->text, c, &e, shift, eight);
		gt_text_char(l->text, '\n');
		l->lines++;
		l->wrote(l->ctx, l->text->used - used);
	}
	return 0;
}

/* The kinds that are work, one after the other by time. */
struct by_kind { enum gt_cuda_kind kind; uint64_t at, n; bool loaded; struct gt_cuda_event e; };

/* The next one without a call; loaded stays false at the end. */
static int load(struct by_kind *k, struct gt_cuda *c, const struct gt_export *x, struct gt_err *err)
{
	for (; !k->loaded && k->at < k->n; k->at++) {
		if (gt_cuda_process_at(c, k->kind, k->at) != x->process->index || gt_cuda_has_call(c, k->kind, k->at))
			continue;
		if (gt_cuda_get(c, k->kind, k->at, &k->e, err))
			return -1;
		k->loaded = in_window(x, c, &k->e);
	}
	return 0;
}

int gt_atp_cuda_without_call(struct gt_atp_cuda_list *l, struct gt_cuda *c, struct gt_err *err)
{
	struct by_kind kinds[] = { { .kind = GT_CUDA_KERNEL }, { .kind = GT_CUDA_COPY }, { .kind = GT_CUDA_FILL },
		{ .kind = GT_CUDA_GRAPH } };
	int64_t shift = gt_model_mono_ns(l->x->model, l->x->process->index, 0);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		kinds[i].n = gt_cuda_count(c, kinds[i].kind);
	for (;;) {
		struct by_kind *first = NULL;
		size_t used = l->text->used;

		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			if (load(&kinds[i], c, l->x, err))
				return -1;
			if (kinds[i].loaded && (!first || kinds[i].e.start_ns < first->e.start_ns))
				first = &kinds[i];
		}
		if (!first)
			return 0;
		l->moved += put_part(l->text, c, &first->e, shift);
		gt_text_char(l->text, '\n');
		first->loaded = false;
		l->lines++;
		l->wrote(l->ctx, l->text->used - used);
	}
}
