/*
 * model/cuda/names.c - names of API functions, strings that records point to, and C++ names
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "model/cuda/internal.h"
#include "model/cuda/table.h"
#include "model/symbols/demangle.h"

/* ------------------------------------------------------------------ functions */

/* "cudaLaunchKernel_v7000" -> "cudaLaunchKernel", "cudaMemcpy_ptds_v7000" -> "cudaMemcpy_ptds", "cuMemAlloc_v2" stays:
 * so it is called. */
static size_t base_bytes(const char *name, size_t n, bool runtime)
{
	size_t at = n;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return runtime && at < n && at > 2 && name[at - 1] == 'v' && name[at - 2] == '_' ? at - 2 : n;
}

static bool puts_work(const struct gt_string *base)
{
	const struct gt_cuda_event call = { .call.base = *base };

	return gt_cuda_is_launch(&call);
}

static struct gt_cuda_fn *add_fn(
	struct gt_cuda *c, uint32_t process, uint32_t domain, uint32_t cbid, const char *text, uint32_t bytes)
{
	struct gt_cuda_process *p = &c->processes[process];
	bool runtime = domain == REC_DOMAIN_CUDA_RUNTIME;
	struct gt_arena *arena = &c->m->arena;
	struct gt_cuda_fn *f;

	if (!p->fn[runtime])
		p->fn[runtime] = gt_arena_alloc(arena, GT_CUDA_CBIDS * sizeof *p->fn[runtime]);
	f = p->fn[runtime] ? p->fn[runtime][cbid] : NULL;
	if (p->fn[runtime] && !f)
		f = p->fn[runtime][cbid] = gt_arena_alloc(arena, sizeof *f);
	if (!f)
		return NULL;
	f->name = (struct gt_string){ gt_arena_copy(arena, text, bytes), bytes };
	f->base.bytes = base_bytes(text, bytes, runtime);
	f->base.text = gt_arena_copy(arena, text, f->base.bytes);
	f->fn = (struct gt_fn){ .id = (runtime ? REC_FN_CUDA_RUNTIME : REC_FN_CUDA_DRIVER) + cbid,
		.name = f->base.text,
		.domain = domain,
		.kind = "cuda",
		.ret_type = runtime ? "cudaError_t" : "CUresult",
		.ret = GT_I32,
		.ret_position = -1,
		.command_type = "",
		.has_event_out = puts_work(&f->base),
		.index = UINT32_MAX };
	return f->name.text && f->base.text ? f : NULL;
}

int gt_cuda_names_add(
	struct gt_cuda *c, uint32_t process, uint32_t domain, uint32_t cbid, const char *text, uint32_t bytes)
{
	return cbid >= GT_CUDA_CBIDS || add_fn(c, process, domain, cbid, text, bytes) ? 0 : -1;
}

const struct gt_cuda_fn *gt_cuda_fn_of(struct gt_cuda *c, uint32_t process, uint32_t domain, uint32_t cbid)
{
	static const struct gt_cuda_fn none = { { "", 0 }, { "", 0 },
		{ .name = "", .kind = "cuda", .ret_type = "", .command_type = "", .index = UINT32_MAX } };
	struct gt_cuda_process *p = &c->processes[process];
	bool runtime = domain == REC_DOMAIN_CUDA_RUNTIME;
	const struct gt_cuda_fn_args *own;
	const struct gt_cuda_fn *f;
	char text[40];

	cbid %= GT_CUDA_CBIDS;
	f = p->fn[runtime] ? p->fn[runtime][cbid] : NULL;
	if (f)
		return f;
	/* killed before the name was stored: that of a well-known call is known all the same, else its number is */
	own = gt_cuda_table_fn(gt_cuda_table_own(), domain, cbid);
	if (own)
		f = add_fn(c, process, domain, cbid, own->name, (uint32_t)strlen(own->name));
	else
		f = add_fn(c, process, domain, cbid, text,
			(uint32_t)snprintf(text, sizeof text, "%s_%u", runtime ? "cudaRuntime" : "cudaDriver", cbid));
	return f ? f : &none;
}

/* -------------------------------------------------------------------- strings */

static bool same_text(const void *element, const void *key, const void *ctx)
{
	const struct gt_cuda_text *t = *(struct gt_cuda_text *const *)element;
	const struct gt_string *s = key;

	(void)ctx;
	return gt_same_text(t->mangled, *s);
}

/* The one copy of a text. */
static struct gt_cuda_text *text_of(struct gt_cuda *c, const char *text, uint32_t bytes)
{
	const struct gt_string key = { text, bytes };
	struct gt_cuda_text *t, **slot, **known;
	uint64_t hash = gt_hash_text(text, bytes);
	bool fresh;

	known = gt_map_find(&c->text_map, sizeof *known, hash, &key, same_text, NULL);
	if (known)
		return *known;
	t = gt_arena_alloc(&c->m->arena, sizeof *t);
	if (!t)
		return NULL;
	t->mangled = (struct gt_string){ gt_arena_copy(&c->m->arena, text, bytes), bytes };
	slot = t->mangled.text ? GT_LIST_ADD(&c->texts) : NULL;
	known = slot ? gt_map_add(&c->text_map, sizeof *known, hash, &key, same_text, NULL, &fresh) : NULL;
	if (!known)
		return NULL;
	return *slot = *known = t;
}

int gt_cuda_string_add(
	struct gt_cuda *c, uint32_t process, uint64_t address, uint64_t tick, const char *text, uint32_t bytes)
{
	struct gt_cuda_text *t = text_of(c, text, bytes);
	struct gt_cuda_pointer *p = t ? GT_LIST_ADD(&c->processes[process].pointers) : NULL;

	if (!p)
		return -1;
	*p = (struct gt_cuda_pointer){ address, tick, t };
	return 0;
}

static int compare_pointers(const void *a, const void *b)
{
	const struct gt_cuda_pointer *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

void gt_cuda_strings_sort(struct gt_cuda *c)
{
	for (uint32_t i = 0; i < c->m->n_processes; i++)
		if (c->processes[i].pointers.n)
			qsort(c->processes[i].pointers.v, c->processes[i].pointers.n,
				sizeof *c->processes[i].pointers.v, compare_pointers);
}

/* The last record of the address at or before the buffer's completion; of a buffer that never came back, the last of
 * all. */
struct gt_cuda_text *gt_cuda_string(struct gt_cuda *c, const struct gt_cupti_buffer *b, uint64_t address)
{
	const struct gt_cuda_process *p = &c->processes[b->process];
	const struct gt_cuda_pointer want = { address, b->completed ? b->head.completed_tick : UINT64_MAX, NULL };
	uint32_t low;

	GT_SEARCH(low, p->pointers.n, compare_pointers(&p->pointers.v[low], &want) <= 0);
	return address && low && p->pointers.v[low - 1].address == address ? p->pointers.v[low - 1].text : NULL;
}

int gt_cuda_full_data(struct gt_cuda *c, const struct gt_cupti_buffer *b, const struct rec_activity *a,
	uint32_t words[REC_CUPTI_FULL_WORDS])
{
	const size_t bytes = REC_CUPTI_FULL_WORDS * sizeof *words;
	uint64_t address = REC_GET(a, OVERHEAD, overheadData, 0);
	const struct gt_cuda_text *t;

	if (!address || REC_GET(a, OVERHEAD, overheadKind, 0) != REC_CUPTI_COMMAND_BUFFER_FULL)
		return 0;
	t = gt_cuda_string(c, b, address);
	if (!t || t->mangled.bytes != bytes)
		return -1;
	memcpy(words, t->mangled.text, bytes);
	return 1;
}

/* ------------------------------------------------------------------- C++ names */

void gt_cuda_demangle(struct gt_cuda *c, struct gt_cuda_text *t)
{
	if (!t->known)
		gt_demangle_names(&c->m->arena, t->mangled, &t->demangled, &t->short_name);
	t->known = true;
}
