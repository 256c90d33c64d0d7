/*
 * collectors/cupti/args.c - arguments of CUDA calls (--cuda-args): what CUPTI's callbacks hand out, copied as it is
 *
 * Runs      on the calling thread, inside CUPTI's callbacks at entry and exit of a call.
 * May       read the call's parameter structure, and what its pointers lead to as ARGS2 says; write to the thread's
 *           stream.
 * Must not  call CUDA, allocate, lock; make a system call but for a guarded copy. errno is kept by the caller.
 *
 * ARGS1  One record a call, written at its exit: the raw structure, then what pointers led to. What that means is
 *        found out offline. How long the structure is and which pointers lead where is said by a table of numbers:
 *        the built-in one, or the one of a toolkit.
 * ARGS2  Everything is copied at exit. What the call wrote is there only then, and only if it succeeded; what the
 *        call read it has read by then: the driver would have crashed first. After a failed call it may have read
 *        nothing, so texts and structures are then read by a system call that fails where the memory is not there
 *        (REC_CUDA_GUARDED: always).
 * ARGS3  Between entry and exit the start stands in the word that CUPTI keeps for it. The thread's slot has it too,
 *        with the first words of the structure: so it is known what a killed thread was doing. The slot's frame is
 *        that word's address.
 * ARGS4  A call whose exit does not come, since a jump or an exception left it, is counted as soon as its slot goes:
 *        when something else stands in its word, when a call begins that is inside no other by CUPTI's number though
 *        the word lies on no stack of this thread's, or when the thread ends. A call that comes back after all (it was
 *        left for another fiber) takes that back.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/cupti/internal.h"
#include "trace/write/call/call.h"
#include "trace/write/call/frame.h"
#include "trace/format/cuda_capture.h"

#include "cuda_capture_own.h"

#define SAME_STACK (8ll << 20)          /* bytes: addresses further apart are not of one stack */
#define RAW_BYTES 64u                   /* of a structure whose size is not known */
#define SCRATCH_BYTES 6144u             /* guarded copies of one call */
#define GUARDED_TEXT 4096u              /* of a guarded text: two pages at most */
#define TEXT_BYTES 16384u               /* of another text */
#define TEXTS_BYTES 40960u              /* of all texts of a call: a record has room for them */

static const struct rec_cuda_capture *table = (const struct rec_cuda_capture *)cuda_capture_own;

static const struct rec_cuda_call *call_of(
	const struct rec_cuda_capture *t, enum tap_cupti_domain domain, uint32_t cbid)
{
	const struct rec_cuda_call *calls = (const struct rec_cuda_call *)(t + 1);
	uint32_t n = domain == TAP_CUPTI_RUNTIME ? t->runtime : t->driver;

	calls += domain == TAP_CUPTI_RUNTIME ? 0 : t->runtime;
	return cbid < n && calls[cbid].bytes ? &calls[cbid] : NULL;
}

static const struct rec_cuda_copy *copies_of(const struct rec_cuda_capture *t, const struct rec_cuda_call *call)
{
	return (const struct rec_cuda_copy *)((const struct rec_cuda_call *)(t + 1) + t->runtime + t->driver) +
		call->first;
}

/* ------------------------------------------------------------ the table of a toolkit */

static bool table_is_sound(const struct rec_cuda_capture *t, uint64_t bytes)
{
	uint64_t calls, need;

	if (bytes < sizeof *t || t->magic != REC_CUDA_CAPTURE_MAGIC || t->version != REC_CUDA_CAPTURE_VERSION ||
		t->bytes != bytes)
		return false;
	calls = (uint64_t)t->runtime + t->driver;
	need = sizeof *t + calls * sizeof(struct rec_cuda_call) + (uint64_t)t->copies * sizeof(struct rec_cuda_copy);
	if (need != bytes)
		return false;
	for (uint64_t i = 0; i < calls; i++) {
		const struct rec_cuda_call *call = (const struct rec_cuda_call *)(t + 1) + i;
		const struct rec_cuda_copy *copy = copies_of(t, call);

		if (call->n > REC_CUDA_COPIES_MAX || (uint32_t)call->first + call->n > t->copies)
			return false;
		for (uint32_t k = 0; k < call->n; k++)
			if (copy[k].offset + 9u > call->bytes || copy[k].bytes > REC_CUDA_COPY_BYTES)
				return false;
	}
	return true;
}

/* The file, in memory of our own: one that shrank under a mapping would kill the program. */
static const void *read_file(const char *path, uint64_t *bytes)
{
	enum { LARGEST = 1 << 20 };
	int fd = tap_sys_open(path, O_RDONLY, 0);
	uint8_t *to =
		fd < 0 ? NULL : tap_sys_mmap(NULL, LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long got = 1;

	*bytes = 0;
	while (to && got > 0 && *bytes < LARGEST)
		if ((got = tap_sys_read(fd, to + *bytes, LARGEST - *bytes)) > 0)
			*bytes += (uint64_t)got;
	if (fd >= 0)
		tap_sys_close(fd);
	return to;
}

void tap_cupti_args_start(void)
{
	char *path;
	struct tap_text t;
	uint64_t bytes;
	const void *file;

	if (!tap_option("cuda-table")[0])
		return;
	path = tap_scratch_take();
	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, tap_option("cuda-table"));
	tap_text_str(&t, ".capture");
	file = read_file(path, &bytes);
	tap_scratch_give(path);
	if (file && table_is_sound(file, bytes)) {
		__atomic_store_n(&table, (const struct rec_cuda_capture *)file, __ATOMIC_RELEASE);
		return;
	}
	if (file)
		tap_sys_munmap((void *)(uintptr_t)file, 1 << 20);
	TAP_DEGRADE(TAP_PART_CUPTI,
		"--cuda-args: %s.capture cannot be used: arguments of the common calls only, of the others the first "
		"words", tap_option("cuda-table"));
}

/* ---------------------------------------------------------------------- slots (ARGS3) */

static inline bool on_this_stack(const void *at)
{
	int64_t above = (int64_t)((uintptr_t)at - (uintptr_t)__builtin_frame_address(0));

	return above > 0 && above < SAME_STACK;
}

/*
 * Is the call of this slot still running? Where CUPTI keeps the word is its own business: on this stack it still holds
 * the start, if there is anything at all (a fiber's stack may be unmapped); elsewhere CUPTI's numbers tell.
 */
static bool still_runs(const struct rec_slot *slot)
{
	const void *present = __builtin_frame_address(0);
	int64_t above = (int64_t)(slot->frame - (uintptr_t)present);
	uint64_t tick;

	if (above >= SAME_STACK || above <= -SAME_STACK)
		return tap_tls.cuda_depth != 1;
	return above > 0 && tap_frame_read(slot->frame, &tick, sizeof tick, present) && tick == slot->start_tick;
}

/* Slots of CUDA calls that a jump left (ARGS4). */
static void drop_left_slots(struct tap_stream *s)
{
	struct tap_tls *t = &tap_tls;

	while (t->depth) {
		struct rec_slot *slot = &s->control->slot[t->depth - 1];

		if (slot->domain != REC_DOMAIN_CUDA_RUNTIME && slot->domain != REC_DOMAIN_CUDA_DRIVER)
			return;
		if (still_runs(slot))
			return;
		tap_call_drop(slot);
		TAP_WRITE_ONCE(t->depth, t->depth - 1);
	}
}

/* Bytes of the structure that may be read, 0 when there is none; *raw: how many there are is not known. */
static inline uint32_t struct_bytes(const struct rec_cuda_call *call, const void *params, bool *raw)
{
	*raw = false;
	if (!params)
		return 0;
	if (TAP_LIKELY(call != NULL))
		return call->bytes - 1u;
	*raw = true;
	/* where the API's entry keeps it; other places may end behind it */
	return on_this_stack(params) ? RAW_BYTES : 0;
}

/* raw: how much of it there is nobody said. */
static inline void copy_params(void *to, const void *params, uint32_t bytes, bool raw)
{
	if (TAP_UNLIKELY(raw))
		tap_copy_past(to, params, bytes);
	else if (bytes)
		memcpy(to, params, bytes);
}

static void open_slot(struct tap_stream *s, uint64_t tick, uint32_t fn, uint32_t domain,
	const struct tap_cupti_callback *data, const struct rec_cuda_call *call)
{
	struct tap_tls *t = &tap_tls;
	uint32_t depth, bytes;
	bool raw;

	if (TAP_UNLIKELY(t->depth))
		drop_left_slots(s);
	depth = t->depth;
	bytes = struct_bytes(call, data->params, &raw);
	if (TAP_UNLIKELY(depth >= REC_SLOTS))
		return;
	struct rec_slot *slot = &s->control->slot[depth];

	TAP_WRITE_ONCE(slot->frame, (uintptr_t)data->shared);
	TAP_WRITE_ONCE(t->depth, depth + 1);
	/* a handler before the last store used this very slot */
	TAP_WRITE_ONCE(slot->frame, (uintptr_t)data->shared);
	slot->start_tick = tick;
	memset(slot->arg, 0, sizeof slot->arg);
	copy_params(slot->arg, data->params, bytes < sizeof slot->arg ? bytes : sizeof slot->arg, raw);
	slot->domain = domain;
	__atomic_store_n(&slot->fn, fn, __ATOMIC_RELEASE);
}

/* What lies behind the slot was left (ARGS4). */
static void close_slot(struct tap_stream *s, const struct tap_cupti_callback *data)
{
	struct tap_tls *t = &tap_tls;

	for (uint32_t i = t->depth; i > 0; i--) {
		struct rec_slot *slot = &s->control->slot[i - 1];

		if (slot->frame == (uintptr_t)data->shared && slot->fn) {
			for (uint32_t k = i + 1; TAP_UNLIKELY(k <= t->depth); k++)
				tap_call_drop(&s->control->slot[k - 1]);
			TAP_WRITE_ONCE(slot->fn, 0);
			TAP_WRITE_ONCE(t->depth, i - 1);
			return;
		}
	}
	for (uint32_t i = 0; i < TAP_CUDA_LEFT; i++)
		if (TAP_UNLIKELY(s->cuda_left[i] == *data->shared)) {
			s->cuda_left[i] = 0;
			tap_lost(REC_LOSS_LEFT_CALL, UINT64_MAX);       /* ARGS4: minus 1 */
		}
}

/* ------------------------------------------------------------------------- copies (ARGS2) */

struct piece { const void *at; uint32_t offset, bytes; };       /* bytes: with REC_CUDA_COPY_OUT, _CUT */

/* Bytes that could be read, from the address on. */
static uint32_t guarded(void *to, uint64_t from, uint32_t n)
{
	uint32_t here = (uint32_t)(4096 - from % 4096), got;

	if (tap_seccomp)
		return 0;
	here = here < n ? here : n;
	got = (uint32_t)tap_cupti_copy(from, to, here);
	return got < here || here == n ? got : got + (uint32_t)tap_cupti_copy(from + here, (char *)to + here, n - here);
}

struct copies {
	struct piece piece[REC_CUDA_COPIES_MAX];
	uint32_t n, words;
	uint32_t used;                          /* bytes of scratch */
	uint32_t texts;                         /* bytes of texts */
	bool cut;
	uint8_t scratch[SCRATCH_BYTES];
};

/* Bytes that a guarded copy could read, of `most`; they are in the scratch. */
static uint32_t take_guarded(struct copies *c, struct piece *p, uint64_t from, uint32_t most)
{
	uint32_t n = guarded(c->scratch + c->used, from, most);

	p->at = c->scratch + c->used;
	c->used += n;
	return n;
}

/* False: the memory ends before the text does. */
static bool take_text(struct copies *c, struct piece *p, uint64_t from, bool plain)
{
	uint32_t room = TEXTS_BYTES - c->texts, most = plain ? TEXT_BYTES : SCRATCH_BYTES - c->used, n;

	if (!plain && most > GUARDED_TEXT)
		most = GUARDED_TEXT;
	most = most < room ? most : room;
	n = plain ? most + 1 : take_guarded(c, p, from, most);
	p->bytes = (uint32_t)strnlen(p->at, n);
	if (!plain && p->bytes == n && n < most)
		return false;
	if (plain ? p->bytes > most : p->bytes == most) {
		p->bytes = most | REC_CUDA_COPY_CUT;
		c->cut = true;
	}
	c->texts += p->bytes & REC_CUDA_COPY_LENGTH;
	return true;
}

/* False: it is not there to be copied, or no room. */
static bool take(struct copies *c, struct piece *p, const struct rec_cuda_copy *copy, uint64_t from, bool plain)
{
	p->at = (const void *)(uintptr_t)from;
	p->offset = copy->offset;
	p->bytes = copy->bytes;
	if (copy->flags & REC_CUDA_TEXT) {
		if (!take_text(c, p, from, plain))
			return false;
	} else if (!plain) {
		if (c->used + copy->bytes > SCRATCH_BYTES || take_guarded(c, p, from, copy->bytes) < copy->bytes)
			return false;
	}
	p->bytes |= copy->flags & REC_CUDA_OUT ? REC_CUDA_COPY_OUT : 0;
	return true;
}

static void __attribute__((noinline))
collect(struct copies *c, const struct rec_cuda_copy *copy, uint32_t n, const uint8_t *params, int32_t result)
{
	for (uint32_t i = 0; i < n; i++, copy++) {
		bool plain = result == 0 && !(copy->flags & REC_CUDA_GUARDED);
		uint64_t from;

		memcpy(&from, params + copy->offset, 8);
		if (!from || (copy->flags & REC_CUDA_OUT && result))
			continue;
		if (take(c, &c->piece[c->n], copy, from, plain))
			c->words += 1 + TAP_BYTES_WORDS(c->piece[c->n++].bytes & REC_CUDA_COPY_LENGTH);
		else
			tap_lost(REC_LOSS_CUPTI_ARGS_CUT, 1);
	}
}

/* ------------------------------------------------------------------------- the calls */

static void enter(uint32_t fn, uint32_t domain, const struct rec_cuda_call *call, const struct tap_cupti_callback *data)
{
	uint64_t tick;
	struct tap_stream *s = tap_stream_now(&tick);

	*data->shared = 0;
	if (!s)
		return;
	*data->shared = tick;
	open_slot(s, tick, fn, domain, data, call);
}

static void write_record(struct tap_call *out, const struct rec_cuda_call *call, const struct tap_cupti_callback *data,
	const struct copies *c)
{
	bool raw;
	uint32_t bytes = struct_bytes(call, data->params, &raw), words = TAP_BYTES_WORDS(bytes);
	uint64_t *at = tap_call_reserve(out, data->correlation, 1 + words + (c ? c->words : 0));

	if (!at)
		return;
	*at++ = bytes | (raw ? REC_CUDA_RAW : 0) | (uint64_t)(c ? c->n : 0) << 32;
	copy_params(at, data->params, bytes, raw);
	at += words;
	for (uint32_t i = 0; c && i < c->n; i++) {
		const struct piece *p = &c->piece[i];

		*at++ = p->offset | (uint64_t)p->bytes << 32;
		at += tap_put_bytes(at, p->at, p->bytes & REC_CUDA_COPY_LENGTH);
	}
	if (c && c->cut)
		tap_call_cut(out);
	tap_stream_commit(out->rec, out->head);
}

static void __attribute__((noinline)) write_with_copies(struct tap_call *out, const struct rec_cuda_capture *t,
	const struct rec_cuda_call *call, const struct tap_cupti_callback *data)
{
	struct copies *c = tap_scratch_take();

	_Static_assert(sizeof *c <= TAP_SCRATCH_BYTES, "the copies of a call");
	if (!c) {
		tap_lost(REC_LOSS_CUPTI_ARGS_CUT, 1);
		write_record(out, call, data, NULL);
		return;
	}
	c->n = c->words = c->used = c->texts = 0;
	c->cut = false;
	collect(c, copies_of(t, call), call->n, data->params, out->result);
	write_record(out, call, data, c);
	tap_scratch_give(c);
}

/* --callstacks alone: a record where there is a stack to tell. */
static void write_stack(struct tap_call *out, const struct tap_cupti_callback *data)
{
	if (!tap_stack_lasted(out->domain, out->end_tick - out->start_tick))
		return;
	if (tap_call_reserve_flags(out, data->correlation, 0, REC_BARE))
		tap_stream_commit(out->rec, out->head);
}

static void leave(uint32_t fn, uint32_t domain, const struct rec_cuda_capture *t, const struct rec_cuda_call *call,
	const struct tap_cupti_callback *data)
{
	struct tap_call out = { .stream = tap_tls.stream,
		.start_tick = *data->shared,
		.end_tick = tap_tick(),
		.fn = (uint16_t)fn,
		.domain = (uint8_t)domain };

	/*
	 * In a child that was forked inside this call the stream is the parent's; a call that began before the window
	 * has no start.
	 */
	if (!out.stream || !TAP_READ_ONCE(tap_gate->alive))
		return;
	if (out.start_tick - tap_start_tick > out.end_tick - tap_start_tick)
		return;
	out.result = data->result ? *(const int32_t *)data->result : 0;
	if (tap_cupti.stacks && !tap_cupti.args)
		write_stack(&out, data);
	else if (call && call->n && data->params)
		write_with_copies(&out, t, call, data);
	else
		write_record(&out, call, data, NULL);
	close_slot(out.stream, data);
}

void tap_cupti_call(enum tap_cupti_domain domain, uint32_t cbid, const struct tap_cupti_callback *data)
{
	const struct rec_cuda_capture *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	const struct rec_cuda_call *call = call_of(t, domain, cbid);
	bool runtime = domain == TAP_CUPTI_RUNTIME;
	uint32_t fn = (runtime ? REC_FN_CUDA_RUNTIME : REC_FN_CUDA_DRIVER) + cbid;
	uint32_t rec_domain = runtime ? REC_DOMAIN_CUDA_RUNTIME : REC_DOMAIN_CUDA_DRIVER;

	if (TAP_UNLIKELY(!data->shared || cbid >= REC_FN_CUDA_DRIVER - REC_FN_CUDA_RUNTIME))
		return;
	if (data->site == TAP_CUPTI_ENTER)
		enter(fn, rec_domain, call, data);
	else
		leave(fn, rec_domain, t, call, data);
}
