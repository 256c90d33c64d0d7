/*
 * collectors/stack/collector.c - --callstacks: takes the stack of a call, and writes each different one once a stream
 *
 * Runs      in the calling thread of the traced program, at the end of a call, in signal handlers too.
 * May       make system calls where a stream takes its first stack (memory for its table), where bounds.c looks at a
 *           stack for the first time, and at a chunk switch.
 * Must not  allocate with malloc, lock, change errno.
 *
 * SEEN1  The table of a stream holds the stacks that stand in it, by hash. It is small and fixed: what it does not
 *        hold is written again, and a reader merges equal ones. A handler may come between any two stores: an entry's
 *        hash is 0 while its other word changes, and is looked at again behind it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/collector.h"
#include "collectors/stack/internal.h"
#include "trace/write/options.h"
#include "trace/write/process.h"
#include "trace/write/call/stack.h"
#include "trace/write/sys.h"

#define SEEN 512u
#define CODES 1024u
#define OWN 32u
#define SAMPLED_MOST 127u

struct stack {
	uint32_t n, flags;
	uint32_t n_python;
	uint32_t most;                          /* frames that are kept */
	bool in_handler;
	bool sampled;                           /* from the instruction that a signal interrupted */
	uint64_t hash;
	uintptr_t pc[TAP_STACK_DEPTH_MAX];
	uint8_t exact[TAP_STACK_DEPTH_MAX];     /* a signal came at this instruction */
	/* for its record, if it is new */
	uint16_t module[TAP_STACK_DEPTH_MAX + 4];
	uint64_t python[TAP_PYTHON_MOST];
};
_Static_assert(sizeof(struct stack) <= TAP_SCRATCH_BYTES, "a stack fits");

struct seen { uint64_t hash, word; };
struct tap_stacks {                             /* a stream's; zero at first */
	struct tap_bounds bounds;
	uintptr_t python;                       /* the state of its holder's interpreter (python.c) */
	uint32_t taken;                         /* stacks; a handler's may be missed */
	struct seen seen[SEEN];
	struct seen code[CODES];                /* of Python; word: its number */
	uint32_t busy;                          /* 1: `work` is in use, for good by who left by a jump */
	struct stack work;                      /* what is being taken; a handler's that comes meanwhile has scratch */
};

static uint32_t depth = 24;
static struct { uintptr_t start, end; } own[OWN];      /* objects whose frames at the top are left out */
static uint32_t n_own;

/* ---------------------------------------------------------------------- frames */

static void skip(const void *address)
{
	struct tap_object o;
	uint32_t i;

	if (!tap_object_find((uintptr_t)address, &o))
		return;
	for (i = 0; i < OWN; i++)
		if (__atomic_load_n(&own[i].start, __ATOMIC_RELAXED) == o.start)
			return;
	i = __atomic_fetch_add(&n_own, 1, __ATOMIC_RELAXED);
	if (i >= OWN)
		return;
	own[i].end = o.end;
	__atomic_store_n(&own[i].start, o.start, __ATOMIC_RELEASE);
}

static bool is_own(uintptr_t pc)
{
	for (uint32_t i = 0; i < OWN; i++) {
		uintptr_t start = __atomic_load_n(&own[i].start, __ATOMIC_ACQUIRE);

		if (!start)
			return false;
		if (pc - start < own[i].end - start)
			return true;
	}
	return false;
}

static void mix(struct stack *k, uint64_t v)
{
	k->hash = (k->hash ^ v) * 0x9fb21c651e98df25ull;
	k->hash ^= k->hash >> 29;
}

static void add_frame(struct stack *k, uintptr_t pc, bool exact)
{
	k->exact[k->n] = exact;
	k->pc[k->n++] = pc;
	mix(k, pc ^ (uint64_t)exact << 63);
}

/* Counts the functions of Python, which are read again where the stack is new. */
static __attribute__((noinline)) void add_python(struct stack *k, struct tap_stacks *t)
{
	struct tap_python_walk w;
	struct tap_python_frame f;
	uint32_t most = k->most < TAP_PYTHON_MOST ? k->most : TAP_PYTHON_MOST;

	if (!tap_python_begin(&w, &t->python, k->in_handler))
		return;
	while (k->n_python < most && tap_python_next(&w, &f)) {
		k->n_python++;
		mix(k, f.code ^ f.check);
		mix(k, f.at | (uint64_t)f.entered << 32);
	}
	k->flags |= k->n_python ? REC_STACK_PYTHON : 0;
	k->flags |= k->n_python == most && w.frame ? REC_STACK_CUT : 0;
}

/* Everything from the frame that called into us, or from the interrupted instruction on. */
static void collect(struct stack *k, struct tap_walk *w, struct tap_stacks *t)
{
	bool inside = !k->sampled, python = false;

	k->n = k->n_python = 0;
	k->flags = 0;
	k->hash = 0x243f6a8885a308d3ull;
	tap_walk_begin(w);
	if (k->sampled) {
		add_frame(k, w->frame.pc, true);
		python = tap_python_runs(w->frame.pc);
	}
	while (tap_walk_next(w)) {
		if (inside && is_own(w->frame.pc))
			continue;
		inside = false;
		if (k->n == k->most) {
			k->flags |= REC_STACK_CUT;
			break;
		}
		add_frame(k, w->frame.pc, w->exact);
		python |= tap_python_runs(w->frame.pc);
	}
	k->in_handler = k->sampled || w->signals;
	if (python && t)
		add_python(k, t);
	k->flags |= w->flags;
	k->hash = (k->hash ^ k->flags ^ (uint64_t)k->n << 32) * 0xff51afd7ed558ccdull;
	k->hash ^= k->hash >> 32;
	if (!k->hash)
		k->hash = 1;
}

/* ------------------------------------------------------------------------ seen */

static struct tap_stacks *stacks_of(struct tap_stream *s)
{
	if (TAP_UNLIKELY(!s->stacks) && !tap_seccomp) {
		void *fresh = tap_sys_mmap(NULL, sizeof(struct tap_stacks), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct tap_stacks *none = NULL;

		/* a handler may have come first */
		if (fresh && !__atomic_compare_exchange_n(
				     &s->stacks, &none, fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			tap_sys_munmap(fresh, sizeof(struct tap_stacks));
	}
	return s->stacks;
}

/* What is sought may stand in one of two places of n. */
static uint64_t look_up(const struct seen *table, uint32_t n, uint64_t hash)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct seen *at = &table[(hash + i) % n];

		if (TAP_READ_ONCE(at->hash) == hash) {
			uint64_t word = TAP_READ_ONCE(at->word);

			if (TAP_READ_ONCE(at->hash) == hash)    /* SEEN1 */
				return word;
		}
	}
	return 0;
}

static void remember(struct seen *table, uint32_t n, uint64_t hash, uint64_t word)
{
	struct seen *at = &table[hash % n], *next = &table[(hash + 1) % n];

	if (TAP_READ_ONCE(at->hash) && !TAP_READ_ONCE(next->hash))
		at = next;
	TAP_WRITE_ONCE(at->hash, 0);                            /* SEEN1 */
	TAP_WRITE_ONCE(at->word, word);
	TAP_WRITE_ONCE(at->hash, hash);
}

/* --------------------------------------------------------------------- records */

static uint32_t number_of_code(struct tap_stacks *t, const struct tap_python_frame *f)
{
	uint64_t hash = (f->code ^ f->check) | 1;
	uint32_t number = (uint32_t)look_up(t->code, CODES, hash);

	if (number)
		return number;
	number = tap_python_write_code(f->code);
	if (number)
		remember(t->code, CODES, hash, number);
	return number;
}

/* The functions of Python, as a record has them: it is the same thread in the same call, so they are the same. */
static TAP_COLD void read_python(struct tap_stacks *t, const struct stack *k, uint64_t *out)
{
	struct tap_python_walk w;
	struct tap_python_frame f;
	bool more = tap_python_begin(&w, &t->python, k->in_handler);

	for (uint32_t i = 0; i < k->n_python; i++) {
		more = more && tap_python_next(&w, &f);
		out[i] = !more ? (uint64_t)REC_PYTHON_NOWHERE << 32
			       : number_of_code(t, &f) | (uint64_t)(f.at | (f.entered ? REC_PYTHON_ENTERED : 0)) << 32;
	}
}

/* The word that names it, or 0: without room, or it has to be taken again, and *changed is set. */
static uint64_t write_stack(struct tap_stream *s, struct tap_stacks *t, struct stack *k, bool *changed)
{
	uint32_t n = 1 + k->n + (k->n + 3) / 4 + (k->n_python ? 1 + k->n_python : 0);
	uint32_t words = n + (n + 1 > 255 ? 2 : 1);
	struct tap_stream *into = tap_stream_get_for(REC_STACK);
	uint64_t link, *rec;
	bool python_known = tap_python_range.length;

	for (uint32_t i = 0; i < 4; i++)
		k->module[k->n + i] = 0;        /* the rest of the last word */
	for (uint32_t i = 0; i < k->n; i++)
		k->module[i] = (uint16_t)(tap_module_at(k->pc[i], changed) | (k->exact[i] ? REC_STACK_INTERRUPTED : 0));
	*changed |= !python_known && tap_python_range.length;   /* the first stack that leads through an interpreter */
	if (*changed)
		return 0;
	if (k->n_python)
		read_python(t, k, k->python);
	rec = tap_stream_reserve(into ? into : s, words, &link);
	if (!rec)
		return 0;
	uint64_t *at = rec + (words > 255 ? 2 : 1);

	if (words > 255)
		rec[1] = words;
	*at++ = k->n | (uint64_t)k->flags << 32;
	for (uint32_t i = 0; i < k->n; i++)
		*at++ = k->pc[i];
	__builtin_memcpy(at, k->module, (k->n + 3) / 4 * sizeof *at);
	at += (k->n + 3) / 4;
	if (k->n_python) {
		*at++ = k->n_python;
		__builtin_memcpy(at, k->python, k->n_python * sizeof *at);
	}
	tap_stream_commit(rec, rec_head(REC_STACK, words > 255 ? 0 : words, words > 255 ? REC_LONG : 0, 0));
	return rec_stack_word(link);
}

/* A stack that is new here. Rules of what was unloaded may have made it: then it is taken again without them. */
static TAP_COLD uint64_t write_new(
	struct tap_stream *s, struct tap_stacks *t, struct stack *k, const struct tap_frame *f)
{
	bool changed = false;
	uint64_t word = write_stack(s, t, k, &changed);

	if (changed) {
		struct tap_walk w = { .frame = *f, .bounds = t ? &t->bounds : NULL, .holder_tick = s->holder_tick };

		tap_rules_forget();
		changed = false;
		collect(k, &w, t);
		word = write_stack(s, t, k, &changed);
	}
	if (t && word)
		remember(t->seen, SEEN, k->hash, word);
	return word;
}

static uint64_t look_or_write(struct tap_stream *s, struct tap_stacks *t, struct stack *k, const struct tap_frame *f)
{
	struct tap_walk w = { .frame = *f, .bounds = t ? &t->bounds : NULL, .holder_tick = s->holder_tick };
	uint64_t word;

	collect(k, &w, t);
	if (!k->n)
		return 0;
	word = t ? look_up(t->seen, SEEN, k->hash) : 0;
	return word ? word : write_new(s, t, k, f);
}

/* What it takes is measured now and then: two stamps for each would be a tenth of it. */
static uint64_t measured(struct tap_stream *s, struct tap_stacks *t, struct stack *k, const struct tap_frame *f)
{
	uint64_t began = t && t->taken++ % REC_COST_UNWIND_EACH == 0 ? tap_tick() : 0;
	uint64_t word = look_or_write(s, t, k, f);

	if (TAP_UNLIKELY(began))
		tap_cost_record(REC_COST_UNWIND, began);
	return word;
}

/* Not on the program's stack, of which it would take several KiB. NULL: there is no memory. */
static struct stack *begin_work(struct tap_stacks *t)
{
	if (t && !TAP_READ_ONCE(t->busy)) {
		TAP_WRITE_ONCE(t->busy, 1);
		return &t->work;
	}
	return tap_scratch_take();
}

static void end_work(struct tap_stacks *t, struct stack *k)
{
	if (t && k == &t->work)
		TAP_WRITE_ONCE(t->busy, 0);
	else
		tap_scratch_give(k);
}

static __attribute__((noinline)) uint64_t take_from(
	struct tap_stream *s, const struct tap_frame *f, uint32_t most, bool sampled)
{
	struct tap_stacks *t = stacks_of(s);
	struct stack *k = begin_work(t);
	uint64_t word;

	if (!k) {
		tap_lost(REC_LOSS_DETAILS_LOST, 1);
		return 0;
	}
	k->most = most;
	k->sampled = sampled;
	word = measured(s, t, k, f);
	end_work(t, k);
	return word;
}

static __attribute__((noinline)) uint64_t take(struct tap_stream *s)
{
	struct tap_frame here = { 0 };
	uint64_t word;

	TAP_FRAME_HERE(&here);
	word = take_from(s, &here, depth, false);
	__asm__ volatile("" : "+r"(word));      /* no tail call: this frame is where the walk begins */
	return word;
}

/* The depth of calls is not that of samples: as many functions as the kernel's own samples have. */
static __attribute__((noinline)) uint64_t take_interrupted(struct tap_stream *s, const void *context)
{
	struct tap_walk w = { .signals = 0 };

	tap_walk_from(&w, context);
	return take_from(s, &w.frame, SAMPLED_MOST, true);
}

/* ------------------------------------------------------------------------ start */

static const struct tap_unwinder unwinder = { .take = take, .skip = skip };

static void start(bool late)
{
	const char *list = tap_option("callstacks");
	uint64_t least = tap_option_number("callstack-min"), n = tap_option_number("callstack-depth");

	(void)late;
	if (!strcmp(tap_option("sample"), "timer") && strcmp(tap_option("sample-stacks"), "none")) {
		tap_objects_list();
		tap_stack_interrupted = take_interrupted;
	}
	if (!*list)
		return;
	depth = n < 1 ? 1 : n > TAP_STACK_DEPTH_MAX ? TAP_STACK_DEPTH_MAX : (uint32_t)n;
	tap_objects_list();
	skip((const void *)start);
	tap_unwinder = &unwinder;
	if (tap_list_has(list, "opencl"))
		tap_stack_want(REC_DOMAIN_OPENCL, least);
	if (tap_list_has(list, "cuda")) {
		tap_stack_want(REC_DOMAIN_CUDA_RUNTIME, least);
		tap_stack_want(REC_DOMAIN_CUDA_DRIVER, least);
	}
	tap_stack_ranges = tap_list_has(list, "nvtx");
}

const struct tap_collector tap_collector_stack = {
	.name = "stack",
	.domains = ~REC_ASK_BIT(NONE),
	.start = start,
	.fork_child = tap_modules_forget,
};
