/*
 * trace/write/core.c - the table of the core that objects outside libgputap.so record through
 *
 * Runs      on any thread of the traced program, in the wrappers of thin objects.
 * Must not  allocate, lock, change errno; make a system call but for the names of an object that joins.
 *
 * THIN2  What an object brings is written when the image has a directory: at once, or when that opens. So no call of it
 *        stands in a trace whose names are not there, unless there was no room for them.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/core.h"

#include "trace/write/asked.h"
#include "trace/write/call/call.h"
#include "trace/write/debug.h"
#include "trace/write/call/frame.h"
#include "trace/write/internal.h"
#include "trace/write/options.h"
#include "trace/write/thread_memory.h"
#include "trace/write/run/run.h"
#include "trace/write/call/stack.h"

#define OBJECTS 16

static const struct gputap_object *joined[OBJECTS];     /* filled in order, never emptied */
static bool started;                                    /* the constructor is through */

_Static_assert(sizeof(struct tap_call) <= sizeof(struct gputap_call), "a call on a thin object's stack");
_Static_assert(GPUTAP_ARGS_CUT == TAP_ARGS_CUT, "the same for both");

/* ------------------------------------------------------------------ objects */

static bool take_place(const struct gputap_object *object)
{
	for (int i = 0; i < OBJECTS; i++) {
		const struct gputap_object *none = NULL;

		if (__atomic_compare_exchange_n(
			    &joined[i], &none, object, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED) ||
			none == object)
			return true;
	}
	return false;
}

/* Signals are blocked. */
static void write_functions(const struct gputap_object *object)
{
	if (object->functions_bytes && !tap_run_write_functions(object->functions, object->functions_bytes))
		tap_note(TAP_PART_CORE, "%s: no room for the names of its functions: its calls are not shown",
			object->name);
}

void tap_core_image_opened(void)
{
	for (int i = 0; i < OBJECTS; i++) {
		const struct gputap_object *object = __atomic_load_n(&joined[i], __ATOMIC_ACQUIRE);

		if (object)
			write_functions(object);
	}
}

static bool wanted(const struct gputap_object *object)
{
	return object->ask < REC_ASK_NONE && tap_asked(object->ask) && (!tap_off || tap_off == TAP_OFF_EARLY);
}

static enum gputap_join join(const struct gputap_object *object)
{
	if (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		return GPUTAP_NOT_YET;
	if (!wanted(object))
		return GPUTAP_NOT_WANTED;
	if (!take_place(object)) {
		tap_note(TAP_PART_CORE, "%s: too many objects record through gputap_core: this one does not",
			object->name);
		return GPUTAP_NOT_WANTED;
	}
	TAP_DEBUG(process, "%s records through gputap_core", object->name);
	if (TAP_READ_ONCE(tap_gate->alive)) {           /* THIN2 */
		uint64_t mask = tap_sys_signals_block();

		write_functions(object);
		tap_sys_signals_restore(mask);
	}
	return GPUTAP_JOINED;
}

static bool refuse(const struct gputap_object *object)
{
	if (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		return false;
	if (tap_off && tap_off != TAP_OFF_EARLY)
		return true;
	tap_lost(REC_LOSS_CORE_VERSION, 1);
	tap_note(TAP_PART_CORE,
		"%s records nothing: it was built for version %u of gputap_core (%u bytes), libgputap.so has version "
		"%u (%u bytes); use both of one gputap",
		object->name, object->version, object->bytes, GPUTAP_CORE_VERSION,
		(uint32_t)sizeof(struct gputap_core));
	return true;
}

void tap_core_started(void) { __atomic_store_n(&started, true, __ATOMIC_RELEASE); }

/* -------------------------------------------------------------------- calls */

static struct tap_call *call_of(struct gputap_call *call) { return (struct tap_call *)call; }

/* A call that call_begin's few tests do not settle. */
static __attribute__((noinline)) bool call_begin_asked(
	struct gputap_call *call, uint32_t fn, uint32_t domain, const uint64_t arg[4])
{
	uint64_t tick;

	if (TAP_UNLIKELY(TAP_READ_ONCE(tap_off) == TAP_OFF_EXIT))       /* late calls are recorded */
		return tap_call_begin_slow(call_of(call), fn, domain, arg[0], arg[1], arg[2], arg[3]);
	struct tap_stream *s = tap_stream_now(&tick);

	if (!s)
		return false;
	/* The C library reaches none of its own functions through us: a call inside a call is a signal handler's. */
	if (TAP_UNLIKELY(tap_tls.depth != 0) && tap_call_is_nested(call_of(call), domain) && domain != REC_DOMAIN_OSRT)
		return false;
	tap_call_enter(call_of(call), s, tick, fn, domain, arg[0], arg[1], arg[2], arg[3]);
	return true;
}

/*
 * As tap_call_begin, but whether OpenCL is traced does not matter. The caller has just stored its arguments, one by
 * one: a load of two at once would wait until both stores are done.
 */
static bool call_begin(struct gputap_call *call, uint32_t fn, uint32_t domain, const uint64_t arg[4])
{
	const struct tap_tls *t = &tap_tls;
	struct tap_stream *s = t->stream;

	if (TAP_UNLIKELY(!tap_clock_counter || !s || TAP_READ_ONCE(t->own_calls) || TAP_READ_ONCE(t->depth)))
		return call_begin_asked(call, fn, domain, arg);
	uint64_t tick = gc_counter_read();

	if (TAP_UNLIKELY(tick >= TAP_READ_ONCE(tap_gate->ranges_until_tick)))
		return call_begin_asked(call, fn, domain, arg);
	struct rec_slot *slot = tap_call_take_slot(call_of(call), s, 0, tick, fn, domain);

	for (int i = 0; i < 4; i++)
		TAP_WRITE_ONCE(slot->arg[i], TAP_READ_ONCE(arg[i]));
	tap_call_show_slot(slot, fn);
	return true;
}

static bool callback_begin(struct gputap_call *call, uint32_t fn, uint32_t domain, const uint64_t arg[4])
{
	uint64_t tick;
	struct tap_stream *s = tap_stream_now(&tick);

	if (!s)
		return false;
	if (tap_tls.depth)
		tap_call_is_nested(call_of(call), domain);      /* for its clean-up */
	tap_call_enter(
		call_of(call), s, tick, fn, domain | REC_SLOT_CALLBACK, arg[0], arg[1], arg[2], arg[3]);
	return true;
}

static void call_stop(struct gputap_call *call, int32_t result) { tap_call_stop(call_of(call), result); }

static uint64_t *call_reserve(struct gputap_call *call, uint32_t first_u32, uint32_t words)
{
	return tap_call_reserve(call_of(call), first_u32, words);
}

static void call_finish(struct gputap_call *call) { tap_call_finish(call_of(call)); }

static uint64_t ticks_until(const struct tap_call *c, uint64_t end)
{
	return end > c->start_tick ? end - c->start_tick : 0;
}

static uint64_t call_ticks(const struct gputap_call *call)
{
	const struct tap_call *c = (const struct tap_call *)call;

	return ticks_until(c, c->end_tick);
}

/* errno is as the call left it: nothing here changes it. */
static bool call_stop_short(struct gputap_call *call, int32_t result, uint64_t least)
{
	struct tap_call *c = call_of(call);
	uint64_t end = tap_tick();

	if (TAP_UNLIKELY(ticks_until(c, end) >= least || !tap_call_is_ours(c))) {
		tap_call_stop_at(c, end, result);
		return false;
	}
	tap_call_free_slot(c);
	return true;
}

/* ------------------------------------------------------------------ records */

static void lost(uint32_t reason, uint64_t n)
{
	if (n && reason < REC_LOSS_COUNT)
		tap_lost(reason, n);
}

/* Static destructors and runtimes that end behind the exit handler are recorded too, as in trace/write/call/call.c. */
static struct tap_stream *stream(uint64_t *tick)
{
	if (TAP_LIKELY(TAP_READ_ONCE(tap_off) != TAP_OFF_EXIT))
		return tap_stream_now(tick);
	*tick = tap_tick();
	return tap_tls.own_calls ? NULL : tap_stream_at_gate(*tick);
}

static uint64_t option(const char *name) { return tap_option_true(name) ? 1 : tap_option_number(name); }
static uint64_t ticks(uint64_t ns) { return (uint64_t)((double)ns * tap_clock_ticks_per_ns()); }

static bool peek(const void *from, void *to, size_t bytes)
{
	return !tap_seccomp && tap_copy_standing(tap_sys_getpid(), (uintptr_t)from, to, bytes) == bytes;
}

/* ------------------------------------------------------------------- stacks */

/* As trace/format/domains.def calls what the object asks for. */
static const char *word_of(uint32_t ask)
{
	static const struct { uint32_t ask; const char *word; } words[] = {
#define DOMAIN(id, number, word, built, help) { number, word },
#include "trace/format/domains.def"
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].ask == ask)
			return words[i].word;
	return "";
}

static bool stacks_from(const struct gputap_object *object, uint64_t least_ns)
{
	uint64_t least = tap_option_number("callstack-min");

	if (!tap_unwinder || !gc_list_has(tap_option("callstacks"), word_of(object->ask)))
		return false;
	tap_unwinder->skip(object);
	tap_stack_want(object->domain, least > least_ns ? least : least_ns);
	return true;
}

static uint64_t stack_now(struct tap_stream *s) { return tap_unwinder && s ? tap_unwinder->take(s) : 0; }

static uint64_t tick(void) { return tap_tick(); }
static void note(const char *text) { tap_note(TAP_PART_CORE, "%s", text); }

__attribute__((visibility("default"))) const struct gputap_core gputap_core = {
	.version = GPUTAP_CORE_VERSION,
	.bytes = sizeof(struct gputap_core),
	.refuse = refuse,
	.join = join,
	.call_begin = call_begin,
	.call_stop = call_stop,
	.call_reserve = call_reserve,
	.call_finish = call_finish,
	.callback_begin = callback_begin,
	.own_calls_begin = tap_own_calls_begin,
	.own_calls_end = tap_own_calls_end,
	.stream = stream,
	.reserve = tap_stream_reserve,
	.commit = tap_stream_commit,
	.record = tap_record,
	.text = tap_record_text,
	.lost = lost,
	.tick = tick,
	.note = note,
	.on_exit = tap_on_exit,
	.fork_word = tap_fork_word,
	.option = option,
	.ticks = ticks,
	.call_ticks = call_ticks,
	.peek = peek,
	.stacks_from = stacks_from,
	.stack = stack_now,
	.call_stop_short = call_stop_short,
	.thread_memory = tap_thread_memory,
};
