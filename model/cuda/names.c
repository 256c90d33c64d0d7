/*
 * model/cuda/names.c - names of API functions, strings that records point to, and C++ names
 *
 * On a machine without a C++ runtime (model/demangle.h) kernels keep their mangled names, with a short name from the
 * mangled form.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cuda/internal.h"
#include "model/demangle.h"

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
	const struct gt_cuda_fn *f;
	char text[40];

	cbid %= GT_CUDA_CBIDS;
	f = p->fn[runtime] ? p->fn[runtime][cbid] : NULL;
	if (!f)                                   /* killed before the name was stored: the number is what is known */
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
	return t->mangled.bytes == s->bytes && !memcmp(t->mangled.text, s->text, s->bytes);
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
	uint32_t low = 0, high = p->pointers.n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (compare_pointers(&p->pointers.v[mid], &want) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return address && low && p->pointers.v[low - 1].address == address ? p->pointers.v[low - 1].text : NULL;
}

/* ------------------------------------------------------------------- C++ names */

/* "_ZN4core4blas4gemmIfLi4EEEvPT_PKS2_m" -> "gemm": the last of the nested names, each behind its length. 0: not of
 * that form. */
static size_t last_part(const char *mangled, size_t bytes, const char **at)
{
	size_t i = 2, n = 0, found = 0;
	bool nested;

	if (bytes < 4 || mangled[0] != '_' || mangled[1] != 'Z')
		return 0;
	nested = mangled[i] == 'N';
	for (i += nested; i < bytes && mangled[i] >= '1' && mangled[i] <= '9'; i += n) {
		for (n = 0; i < bytes && mangled[i] >= '0' && mangled[i] <= '9' && n < bytes; i++)
			n = n * 10 + (size_t)(mangled[i] - '0');
		if (n > bytes - i)
			return 0;
		*at = mangled + i;
		found = n;
		if (!nested)
			break;
	}
	return found;
}

static bool word(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' ||
		ch == '$' || (unsigned char)ch >= 0x80;
}

/* "operator" as a word of its own: what is behind it belongs to the name. */
static bool is_operator(const char *s, size_t i, size_t bytes)
{
	return i + 8 <= bytes && !memcmp(s + i, "operator", 8) && (i == 0 || !word(s[i - 1])) &&
		(i + 8 == bytes || !word(s[i + 8]));
}

#define NESTING 128u                      /* brackets in brackets of a name; deeper ones are not told apart */

/* Brackets that are open. Comparisons in template arguments stand in parentheses, between parentheses: "<(4)<(8),
 * ((a)>(b))>". */
struct brackets { char open[NESTING]; uint32_t n; };

static bool opens(const char *s, size_t i)
{
	return s[i] == '(' || s[i] == '{' || s[i] == '[' || (s[i] == '<' && !(i && s[i - 1] == ')'));
}

static bool closes(const struct brackets *b, char ch)
{
	char open = b->n && b->n <= NESTING ? b->open[b->n - 1] : 0;

	return b->n && (ch == ')' || ch == '}' || ch == ']' || (ch == '>' && (open == '<' || !open)));
}

static void push(struct brackets *b, char ch)
{
	if (b->n < NESTING)
		b->open[b->n] = ch;
	b->n++;
}

/* "operator()(int)" with all that belongs to it, from "operator" on. */
static size_t operator_name(const char *s, size_t bytes)
{
	const char *open = memchr(s + 8, '(', bytes - 8);

	if (open == s + 8 && bytes > 10 && open[1] == ')')
		open = memchr(s + 10, '(', bytes - 10);
	return open ? (size_t)(open - s) : bytes;
}

/* Parameters begin at the "(" outside of all brackets; "(anonymous namespace)" is part of a name. */
size_t gt_cuda_short_name(const char *s, size_t bytes, const char **at)
{
	struct brackets b = { .n = 0 };
	size_t from = 0, end = bytes;
	bool ended = false;

	for (size_t i = 0; i < bytes; i++) {
		if (!b.n && is_operator(s, i, bytes)) {
			*at = s + i;
			return operator_name(s + i, bytes - i);
		}
		if (opens(s, i)) {
			bool unnamed = s[i] == '(' && bytes - i > 21 && !memcmp(s + i, "(anonymous namespace)", 21);

			if (!b.n && !ended && !unnamed && s[i] != '{' && s[i] != '[') {
				end = i;              /* of the name, unless "::" goes on behind it */
				ended = true;
			}
			if (!b.n && s[i] == '(' && !unnamed && i > from)
				break;
			push(&b, s[i]);
		} else if (closes(&b, s[i])) {
			b.n--;
		} else if (!b.n && (s[i] == ' ' || s[i] == ':' || s[i] == '*' || s[i] == '&')) {
			from = i + 1;
			end = bytes;
			ended = false;
		}
	}
	*at = s + from;
	return end > from ? end - from : 0;
}

void gt_cuda_demangle(struct gt_cuda *c, struct gt_cuda_text *t)
{
	char *text = NULL;

	if (t->known)
		return;
	t->known = true;
	t->demangled = t->short_name = t->mangled;
	if (t->mangled.bytes < 3 || memcmp(t->mangled.text, "_Z", 2))
		return;
	text = gt_demangle(t->mangled.text);
	if (text) {
		size_t bytes = strlen(text);
		char *copy = gt_arena_copy(&c->m->arena, text, bytes);

		if (copy)
			t->demangled = (struct gt_string){ copy, bytes };
		free(text);
	}
	if (t->demangled.text != t->mangled.text) {
		const char *at;
		size_t n = gt_cuda_short_name(t->demangled.text, t->demangled.bytes, &at);

		if (n)
			t->short_name = (struct gt_string){ gt_arena_copy(&c->m->arena, at, n), n };
	} else {
		const char *at;
		size_t n = last_part(t->mangled.text, t->mangled.bytes, &at);

		if (n)
			t->short_name = (struct gt_string){ gt_arena_copy(&c->m->arena, at, n), n };
	}
	if (!t->short_name.text)
		t->short_name = t->mangled;
}
