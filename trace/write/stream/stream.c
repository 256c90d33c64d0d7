/*
 * trace/write/stream/stream.c - append records to the stream this thread holds, and who holds which stream
 *
 * Runs      on any thread of the traced program, in signal handlers and in driver callbacks.
 * May       write to its own stream's mapped, zeroed memory; system calls on the slow path only.
 * Must not  allocate with malloc, lock, change errno.
 *
 * STREAM1  A header word is 0 (free) or tells its record's true size, from the moment it is claimed. So a reader can
 *          always step to the next record, after any kill.
 * STREAM2  Bytes of a COMPLETE record never change again.
 * STREAM3  Only code running on the holding thread writes; a signal handler may interrupt it at any instruction,
 *          nest, and leave by longjmp. It finds either a free header, or a claimed one that it steps over. What it
 *          left unfinished stays INCOMPLETE.
 * STREAM4  base and the mappings change with all signals blocked, so a handler sees them whole. Code that was
 *          interrupted may still hold an address in the chunk before: its header is not 0 any more, and it stays
 *          mapped until the next switch (a handler would have to fill a whole chunk within one interrupted reserve to
 *          get further).
 *
 * Layout on disk: docs/trace-format.md. Chunks: chunk.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <pthread.h>

#include "trace/write/debug.h"
#include "common/plain/without.h"
#include "trace/write/internal.h"
#include "trace/write/room.h"

__thread struct tap_tls tap_tls TAP_HIDDEN __attribute__((tls_model("initial-exec")));

static struct tap_gate gate_before_start;               /* all zero: everything takes the slow path */
struct tap_gate *tap_gate = &gate_before_start;
int tap_off;
bool tap_calls_off;
bool tap_thread_key_made;
pthread_key_t tap_thread_key;

/* counted where no stream was at hand; moved to a stream later */
static uint64_t lost_unheld[64];
static uint64_t *lost_page;                             /* the same in the trace, so that a kill keeps it; or NULL */
static uint64_t second_clock_tick;                      /* when the second clock pair is due, 0 = done */

/* ------------------------------------------------------------------ losses */

static struct rec_control *parents_page; /* in a forked child: of the parent's */

static struct rec_control *first_page(void)
{
	for (uint32_t i = 0; i < tap_stream_places(); i++) {
		struct tap_stream *s = tap_stream_in(i);

		if (s && TAP_READ_ONCE(s->control))
			return s->control;
	}
	return NULL;
}

/* MREMAP_MAYMOVE, with MREMAP_FIXED; of the kernel: _GNU_SOURCE has the names. */
enum { MAY_MOVE = 1, TO_PLACE = 3 };

/*
 * A second mapping of the page; where there is none to be had, as under user-mode emulators, the one that there is.
 * What may still be written to its old place gets memory of its own in tap_pool_forget.
 */
static long map_elsewhere(struct rec_control *page)
{
	long at = TAP_SYS(mremap, page, 0, REC_CONTROL_BYTES, MAY_MOVE, 0, 0);
	void *place = at > 0 ? NULL
			     : tap_sys_mmap(NULL, REC_CONTROL_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!place)
		return at;
	return TAP_SYS(mremap, page, REC_CONTROL_BYTES, REC_CONTROL_BYTES, TO_PLACE, place, 0);
}

/*
 * A forked child that can open nothing, not even a place to say so, still has its parent's pages mapped. One of them
 * stays so, elsewhere in memory, when the others go; of what is above the parent the page that it had itself will do.
 */
static void keep_parents_page(void)
{
	struct rec_control *page = parents_page || gc_without("parents-page") ? NULL : first_page();
	long at = page ? map_elsewhere(page) : -1;

	if (at > 0)
		parents_page = (struct rec_control *)at;
}

/*
 * The first call of such a child the reader counts by itself, where it finds an image without a stream. Where there is
 * a launcher it counts in names of marks first (trace/write/run/marks.c), of which that one knows.
 */
static uint64_t *parents_counters(bool alive)
{
	static uint32_t folder_of; /* process */
	uint32_t pid = parents_page && alive ? tap_sys_getpid() : 0;

	if (!parents_page || tap_run_is_launched())
		return NULL;
	return alive && __atomic_exchange_n(&folder_of, pid, __ATOMIC_RELAXED) != pid ? NULL
										      : parents_page->lost_by_others;
}

/*
 * Counters in the trace for who has no stream: a page of the image's, or of the parent's where a forked child cannot
 * make one of its own, or the run's (lostpage.c). NULL: none is mapped.
 */
static uint64_t *shared_counters(bool alive)
{
	if (gc_without("shared-counts"))
		return NULL;
	struct rec_control *own = alive || tap_seccomp ? first_page() : NULL;
	uint64_t *others = own ? own->lost_by_others : parents_counters(alive);

	return others ? others : tap_lost_page();
}

void tap_lost(enum rec_loss reason, uint64_t n)
{
	struct tap_stream *s = tap_tls.stream;

	bool alive = TAP_READ_ONCE(tap_gate->alive);
	uint64_t *page = alive ? __atomic_load_n(&lost_page, __ATOMIC_ACQUIRE) : NULL;

	if (!page && !(s && alive))
		page = shared_counters(alive);

	if (s && alive)
		tap_local_add(&s->control->lost[reason], n);
	else
		__atomic_fetch_add(&(page ? page : lost_unheld)[reason], n, __ATOMIC_RELAXED);
}

/* What was counted without a stream, less what the run's own file tells already. */
static uint64_t take_unheld(uint32_t reason, uint64_t *told)
{
	uint64_t n = __atomic_exchange_n(&lost_unheld[reason], 0, __ATOMIC_RELAXED);
	uint64_t less = reason == REC_LOSS_FACTS_LOST ? 0 : n < *told ? n : *told;      /* that one is no call */

	*told -= less;
	return n - less;
}

/* What was counted without a stream becomes this stream's, so that a kill keeps it. */
static void lost_adopt(struct tap_stream *s)
{
	uint64_t told = tap_run_count_adopted();

	for (uint32_t i = 0; i < 64; i++)
		if (TAP_UNLIKELY(__atomic_load_n(&lost_unheld[i], __ATOMIC_RELAXED)))
			tap_local_add(&s->control->lost[i], take_unheld(i, &told));
	tap_local_add(&s->control->lost[REC_LOSS_NO_STREAM], tap_run_count_owed());
}

bool tap_lost_to_page(uint64_t told)
{
	bool parents = parents_page && !TAP_READ_ONCE(tap_gate->alive);
	uint64_t *to = parents ? parents_page->lost_by_others : tap_lost_page();

	for (uint32_t i = 0; to && i < 64; i++)
		__atomic_fetch_add(&to[i], take_unheld(i, &told), __ATOMIC_RELAXED);
	return to;
}

/* No stream could be made: a page for the counts is smaller, and may pass --max-size. Signals are blocked. */
static void lost_into_trace(void)
{
	uint64_t *page, *none = NULL;

	if (!TAP_READ_ONCE(tap_gate->alive) || __atomic_load_n(&lost_page, __ATOMIC_ACQUIRE) ||
		gc_without("counts-page"))
		return;
	page = tap_chunk_counts(tap_stream_take_number());
	if (!page || !__atomic_compare_exchange_n(&lost_page, &none, page, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	uint64_t told = tap_run_count_adopted();

	for (uint32_t i = 0; i < 64; i++)
		__atomic_fetch_add(&page[i], take_unheld(i, &told), __ATOMIC_RELAXED);
	__atomic_fetch_add(&page[REC_LOSS_NO_STREAM], tap_run_count_owed(), __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ append */

/*
 * How long to leave it after a failure, not to make a system call per call: about a millisecond first (on every clock),
 * for what passes, such as a full descriptor table; twice as long each time, up to a second.
 */
static uint64_t longer(uint64_t wait) { return wait < 1ull << 21 ? 1ull << 21 : wait >= 1ull << 31 ? wait : wait * 2; }

static bool still_dead(struct tap_stream *s)
{
	return s->dead && (s->dead == REC_LOSS_SIZE_CAP + 1 || tap_seccomp || tap_tick() < s->retry_tick);
}

static bool make_room(struct tap_stream *s)
{
	enum rec_loss why = REC_LOSS_NO_SPACE;

	if (tap_chunk_next_block(s))
		return true;
	if (tap_chunk_next(s, &why)) {
		s->dead = 0;
		s->retry_wait = 0;
		lost_adopt(s);
		return true;
	}
	s->dead = why + 1u;
	s->retry_wait = longer(s->retry_wait);
	s->retry_tick = tap_tick() + s->retry_wait;
	return false;
}

void tap_cost_record(enum rec_cost what, uint64_t began)
{
	struct tap_stream *s = tap_tls.stream;

	tap_record(REC_COST, 0, (uint64_t[]){ began, tap_tick(), (s ? s->tid : 0) | (uint64_t)what << 32 }, 3);
}

/* At each new chunk: what a kill must not take. */
static void look_around(struct tap_stream *s, uint64_t began)
{
	tap_clock_record();
	tap_names_look(s, false);
	tap_cost_record(REC_COST_CHUNK, began);
}

/*
 * Without room for calls, what a reader needs most (thread ends, clocks, notes, exit) still has the last 4 KiB. Device
 * records have not: there may be any number of them, and a reader that finds a command without one counts it.
 */
TAP_COLD uint64_t *tap_stream_reserve_slow(struct tap_stream *s, uint32_t words, uint64_t *link, enum tap_room what)
{
	bool is_call = what == TAP_ROOM_CALL;
	uint64_t *rec = NULL, began = tap_tick();
	uint32_t chunks = s->chunks;
	bool moved = false;

	if (words > TAP_RECORD_WORDS_MAX) {
		tap_lost(REC_LOSS_ARGS_CUT, 1);
		return NULL;
	}
	while (!(rec = tap_stream_claim(s, words, 0, link)) && tap_chunk_next_block(s))
		moved = true;
	if (moved && tap_chunk_prepares(s)) {
		uint64_t mask = tap_sys_signals_block();

		tap_chunk_prepare(s);
		tap_sys_signals_restore(mask);
	}
	if (!rec && !still_dead(s)) {
		uint64_t mask = tap_sys_signals_block();

		/* A handler may have made room before signals were blocked: claim first. */
		while (!(rec = tap_stream_claim(s, words, 0, link)) && make_room(s))
			;
		tap_sys_signals_restore(mask);
	}
	if (!rec && what == TAP_ROOM_OTHER)
		rec = tap_stream_claim(s, words, REC_CHUNK_RESERVE, link);
	if (!rec && is_call)
		tap_lost(s->dead ? s->dead - 1 : REC_LOSS_NO_SPACE, 1);
	else if (!rec && what == TAP_ROOM_OTHER)
		tap_lost(gc_without("details") ? REC_LOSS_NO_SPACE : REC_LOSS_DETAILS_LOST, 1);
	if (rec && s->chunks != chunks && is_call)
		/* one pair per chunk; its own record claims what is left */
		look_around(s, began);
	if (is_call)
		tap_space_notes();
	return rec;
}

uint64_t *tap_stream_reserve(struct tap_stream *s, uint32_t words, uint64_t *link)
{
	uint64_t *rec = tap_stream_claim(s, words, 0, link);

	return TAP_LIKELY(rec != NULL) ? rec : tap_stream_reserve_slow(s, words, link, TAP_ROOM_OTHER);
}

uint64_t *tap_stream_reserve_device(struct tap_stream *s, uint32_t words, uint64_t *link)
{
	uint64_t *rec = tap_stream_claim(s, words, 0, link);

	return TAP_LIKELY(rec != NULL) ? rec : tap_stream_reserve_slow(s, words, link, TAP_ROOM_DEVICE);
}

uint64_t *tap_stream_reserve_call(struct tap_stream *s, uint32_t words, uint64_t *link)
{
	uint64_t *rec = tap_stream_claim(s, words, 0, link);

	return TAP_LIKELY(rec != NULL) ? rec : tap_stream_reserve_slow(s, words, link, TAP_ROOM_CALL);
}

/* Nothing but headers stands up to used, whoever claimed them (STREAM1): it may tell of more than this record. */
static void tell_used(struct tap_stream *s)
{
	if (!gc_without("last-record"))
		__atomic_store_n(&s->control->used, TAP_READ_ONCE(s->used), __ATOMIC_RELEASE);
}

void tap_stream_commit(uint64_t *rec, uint64_t head)
{
	struct tap_stream *s = tap_tls.stream;

	tap_stream_publish(rec, head);
	if (TAP_UNLIKELY(!s))
		return;
	/* Of a call its slot says so (tap_call_finish), with a store into a line that it has at hand. */
	tell_used(s);
	if (TAP_UNLIKELY(s->kept != NULL))
		tell_used(s->kept);
}

static uint64_t head_of(uint32_t id, uint32_t words, int32_t result, uint64_t *rec)
{
	if (words <= 255)
		return rec_head(id, words, 0, result);
	rec[1] = words;
	return rec_head(id, 0, REC_LONG, result);
}

struct tap_stream *tap_stream_get_for(uint32_t id) { return tap_ring_stream(tap_stream_get(), id); }

bool tap_record(uint32_t id, int32_t result, const uint64_t *words, uint32_t n)
{
	struct tap_stream *s = tap_stream_get_for(id);
	uint32_t head = n + 1 > 255 ? 2 : 1;
	uint64_t link, *rec = s ? tap_stream_reserve(s, n + head, &link) : NULL;

	if (!rec)
		return false;
	for (uint32_t i = 0; i < n; i++)
		rec[head + i] = words[i];
	tap_stream_commit(rec, head_of(id, n + head, result, rec));
	return true;
}

static bool record_text(
	struct tap_stream *s, uint32_t id, uint64_t tick, uint64_t payload, const char *text, size_t bytes)
{
	uint32_t kept = bytes > 4096 ? 4096 : (uint32_t)bytes;
	uint32_t n = 2 + (kept + 4 + 7) / 8, head = n + 1 > 255 ? 2 : 1;
	uint64_t link, *rec = s ? tap_stream_reserve(s, n + head, &link) : NULL;

	if (!rec)
		return false;
	rec[head] = tick;
	rec[head + 1] = payload;
	char *out = (char *)&rec[head + 2];
	__builtin_memcpy(out, &kept, 4);
	for (uint32_t i = 0; i < kept; i++)
		out[4 + i] = text[i];
	tap_stream_commit(rec, head_of(id, n + head, 0, rec) | (kept < bytes ? (uint64_t)REC_CUT << 24 : 0));
	return true;
}

bool tap_record_text(uint32_t id, uint64_t payload, const char *text, size_t bytes)
{
	return record_text(tap_stream_get_for(id), id, tap_tick(), payload, text, bytes);
}

void tap_clock_record(void)
{
	struct tap_clock_set set;

	tap_clock_read(&set);
	tap_record(REC_CLOCK, 0,
		(uint64_t[]){ set.tick, set.mono_ns, set.raw_ns, set.real_ns, set.boot_ns, set.bracket }, 6);
}

/* -------------------------------------------------------------------- gate */

/*
 * The gate's one word joins three questions: is this process open, is the second clock pair due, is the window over.
 * Called with the image open, and again whenever a call found the word passed.
 */
/* Sets the gate's word by window, clock and state. */
static void open_gate(void)
{
	uint64_t until = UINT64_MAX, second = __atomic_load_n(&second_clock_tick, __ATOMIC_RELAXED);

	if (tap_options.stop_after)
		until = tap_clock_tick_at(tap_options.stop_after);
	if (second && second < until)
		until = second;
	TAP_WRITE_ONCE(tap_gate->until_tick, tap_off || tap_calls_off || tap_clock_blind ? 0 : until);
	TAP_WRITE_ONCE(tap_gate->ranges_until_tick, tap_off || tap_clock_blind ? 0 : until);
}

void tap_gate_close(int why)
{
	if (tap_tls.stream && TAP_READ_ONCE(tap_gate->alive))
		lost_adopt(tap_tls.stream);
	TAP_WRITE_ONCE(tap_off, why);
	TAP_WRITE_ONCE(tap_gate->until_tick, 0);
	TAP_WRITE_ONCE(tap_gate->ranges_until_tick, 0);
}

TAP_COLD static bool window_over(void)
{
	if (tap_clock_elapsed_ns() < tap_options.stop_after)
		return false;                                   /* the tick was an estimate */
	if (tap_tls.stream && tap_gate->alive)
		tap_record(REC_WINDOW, 0, (uint64_t[]){ tap_tick(), 0 }, 2);
	tap_gate_close(TAP_OFF_WINDOW);
	return true;
}

#define EARLY_SKIP 15u
#define BUSY_TICKS 3000u                                /* a call, at most about a microsecond */

/*
 * Reading the clock costs more than many a call: a busy thread looks at each 16th, so that it can miss that many at
 * most.
 */
TAP_COLD bool tap_window_early(void)
{
	/* a guess of the window's first tick: spares the clock call */
	static uint64_t closed_until;
	struct tap_tls *t = &tap_tls;
	uint64_t tick = tap_tick();
	int early = TAP_OFF_EARLY;

	if (tick >= TAP_READ_ONCE(closed_until) && tap_clock_elapsed_ns() >= tap_options.start_after) {
		__atomic_compare_exchange_n(&tap_off, &early, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		return TAP_READ_ONCE(tap_off) != 0;
	}
	if (tick >= TAP_READ_ONCE(closed_until)) {
		uint64_t begin = tap_clock_tick_at(tap_options.start_after);

		/* nearer by halves: early estimates are rough */
		TAP_WRITE_ONCE(closed_until, begin > tick ? tick + (begin - tick) / 2 : tick);
	}
	t->early_skip = (uint32_t)tick - t->early_tick < (EARLY_SKIP + 1) * BUSY_TICKS ? EARLY_SKIP : 0;
	t->early_tick = (uint32_t)tick;
	return true;
}

static bool window_open(void)
{
	return (!tap_off || tap_off == TAP_OFF_EXIT) && (!tap_options.stop_after || !window_over());
}

/*
 * The second of the two clock pairs that a trace without a launcher has: at the first need a millisecond later, never
 * by waiting.
 */
static void clock_second(uint64_t tick)
{
	uint64_t due = __atomic_load_n(&second_clock_tick, __ATOMIC_RELAXED);

	if (due && tick >= due &&
		__atomic_compare_exchange_n(&second_clock_tick, &due, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		tap_clock_record();
}

TAP_COLD struct tap_stream *tap_stream_at_gate(uint64_t tick)
{
	if (TAP_READ_ONCE(tap_clock_blind)) {
		tap_lost(REC_LOSS_SECCOMP, 1);
		return NULL;
	}
	struct tap_stream *s = window_open() ? tap_stream_get() : NULL;

	if (s && tick >= TAP_READ_ONCE(tap_gate->ranges_until_tick)) {
		clock_second(tick);
		open_gate();
	}
	return s;
}

/* Making what there is to make is our time and not the program's: what begins now begins behind it. */
TAP_COLD struct tap_stream *tap_stream_now_slow(uint64_t *tick)
{
	int saved = errno;

	if (tap_off == TAP_OFF_EXIT && !tap_tls.own_calls)
		tap_lost(REC_LOSS_LATE_CALL, 1);
	if (tap_tls.own_calls || (tap_off && tap_off != TAP_OFF_EARLY))
		return NULL;
	struct tap_stream *s = tap_off == TAP_OFF_EARLY && tap_window_early() ? NULL : tap_stream_at_gate(*tick);

	*tick = tap_tick();
	errno = saved;
	return s;
}

/* Once per process image, by the thread that opened it; signals are blocked. */
static void image_started(uint64_t began)
{
	if (tap_options.start_after && tap_off != TAP_OFF_EARLY)
		tap_record(REC_WINDOW, 0, (uint64_t[]){ tap_tick(), 1 }, 2);
	tap_clock_record();
	tap_options_notes();
	tap_run_notes();
	tap_clock_note();
	__atomic_store_n(&second_clock_tick, tap_tick() + tap_clock_ticks_at_least(1000000), __ATOMIC_RELAXED);
	open_gate();
	tap_process_opened();
	tap_cost_record(REC_COST_START, began);
}

/* -------------------------------------------------------------------- threads and their streams */

struct tap_stream *tap_stream_new_file(enum rec_loss *why)
{
	*why = REC_LOSS_NO_STREAM;
	struct tap_stream *s = tap_run_open() ? tap_pool_new(why) : NULL;

	if (!s)
		return NULL;
	/* its first chunk would stay empty */
	((struct rec_chunk *)((uint8_t *)s->control + REC_CONTROL_BYTES))->magic = 0;
	s->control->chunks = s->control->end = s->control->used = s->used = 0;
	return s;
}

struct tap_stream *tap_stream_of(uint32_t tid)
{
	for (uint32_t i = 0; i < tap_stream_places(); i++) {
		struct tap_stream *s = tap_stream_in(i);

		if (s && s->control && !s->keeps && TAP_READ_ONCE(s->control->tid) == tid)
			return s;
	}
	return NULL;
}

void tap_stream_record_thread(struct tap_stream *s, uint32_t flags)
{
	char name[16] = "";
	size_t n = 0;

	TAP_SYS(prctl, 16 /* PR_GET_NAME */, name, 0, 0, 0, 0);
	while (n < sizeof name && name[n])
		n++;
	if (!(flags & REC_THREAD_AGAIN)) {
		__builtin_memcpy(s->holder_name, name, sizeof name);
		s->holder_priority = TAP_USUAL_PRIORITY;
	}
	if (s->tid == s->control->pid)
		flags |= REC_THREAD_MAIN;
	record_text(s, REC_THREAD, s->holder_tick, s->tid | (uint64_t)flags << 32, name, n);
}

/*
 * When a thread may next try to open the image or a stream, and how long was waited. Races cost one attempt more or
 * less.
 */
static uint64_t open_retry_tick, open_retry_wait;
static uint32_t open_failure = REC_LOSS_NO_STREAM;      /* why; calls in between are counted under it */

/* What our own end records is no call. */
static void count_lost_call(enum rec_loss why)
{
	if (tap_tls.own_calls)
		return;
	tap_lost(why, 1);
	tap_run_count_unrecorded();
}

static void open_failed(enum rec_loss why)
{
	uint64_t wait = longer(__atomic_load_n(&open_retry_wait, __ATOMIC_RELAXED));

	__atomic_store_n(&open_failure, why, __ATOMIC_RELAXED);
	__atomic_store_n(&open_retry_wait, wait, __ATOMIC_RELAXED);
	__atomic_store_n(&open_retry_tick, tap_tick() + wait, __ATOMIC_RELAXED);
	lost_into_trace();
	count_lost_call(why);
	tap_process_unrecorded();
}

static bool too_early(void)
{
	uint64_t retry = __atomic_load_n(&open_retry_tick, __ATOMIC_RELAXED);

	return retry && tap_tick() < retry;
}

static void set_holder(struct tap_stream *s, uint32_t tid, uint64_t tick)
{
	s->tid = tid;
	s->holder_tick = tick;
	s->control->pid = tap_sys_getpid();
	TAP_WRITE_ONCE(s->control->tid, tid);
}

/*
 * Beside its stream a thread holds the one for what the ring must not take. Without room for it everything goes to
 * the first.
 */
static void take_kept(struct tap_stream *s)
{
	enum rec_loss why;

	if (!s->kept && (s->kept = tap_pool_new(&why)))
		s->kept->keeps = true;
	if (!s->kept)
		return;
	set_holder(s->kept, s->tid, s->holder_tick);
	tap_stream_record_thread(s->kept, REC_THREAD_AGAIN);
}

/* Signals are blocked: nothing on this thread comes between. */
static struct tap_stream *take_stream(uint64_t began)
{
	enum rec_loss why = REC_LOSS_NO_SPACE;
	struct tap_tls *t = &tap_tls;
	struct tap_stream *s = tap_pool_take();

	if (!s)
		s = tap_pool_new(&why);
	if (!s) {
		open_failed(why);
		return NULL;
	}
	__atomic_store_n(&open_retry_wait, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&open_retry_tick, 0, __ATOMIC_RELAXED);
	set_holder(s, tap_sys_gettid(), tap_tick());
	__builtin_memset(s->cuda_left, 0, sizeof s->cuda_left);
	t->errno_at = &errno;
	t->depth = 0;
	TAP_WRITE_ONCE(t->stream, s);
	lost_adopt(s);
	tap_stream_record_thread(s, 0);
	TAP_DEBUG(stream, "stream %u taken by thread %u", s->number, s->tid);
	if (tap_ring())
		take_kept(s);
	if (!__atomic_exchange_n(&tap_gate->started, 1, __ATOMIC_RELAXED))
		image_started(began);
	return s;
}

struct opening { uint64_t began; struct tap_stream *stream; };

/* Signals are blocked. */
static void open_stream(void *what)
{
	struct opening *o = what;
	struct tap_tls *t = &tap_tls;

	if (!TAP_READ_ONCE(tap_gate->alive))
		t->stream = NULL;                               /* new process: it was the parent's */
	if (t->stream)
		o->stream = t->stream;                          /* a handler came first */
	else if (tap_seccomp)
		count_lost_call(REC_LOSS_SECCOMP);
	else if (!tap_run_open())
		open_failed(REC_LOSS_NO_STREAM);
	else
		o->stream = take_stream(o->began);
}

TAP_COLD static struct tap_stream *stream_get_slow(void)
{
	struct tap_tls *t = &tap_tls;

	if (t->opening)
		return NULL;                                    /* a handler of a fault inside our own opening */
	if (TAP_UNLIKELY(!tap_ready)) {                         /* a call that our own start causes, or its handler */
		tap_lost(REC_LOSS_EARLY_CALL, 1);
		return NULL;
	}
	if (TAP_UNLIKELY(too_early())) {
		count_lost_call(__atomic_load_n(&open_failure, __ATOMIC_RELAXED));
		return NULL;
	}
	uint64_t mask = tap_sys_signals_block();
	struct opening o = { .began = tap_tick() };

	t->opening = 1;
	tap_with_room(open_stream, &o);
	t->opening = 0;
	tap_sys_signals_restore(mask);
	/* Its destructor gives the stream back; what is there already (thread_memory.c: MEMORY2) serves as well. */
	if (o.stream && tap_thread_key_made && !pthread_getspecific(tap_thread_key))
		pthread_setspecific(tap_thread_key, o.stream);
	return o.stream;
}

struct tap_stream *tap_stream_get(void)
{
	struct tap_stream *s = tap_tls.stream;

	return TAP_LIKELY(s && TAP_READ_ONCE(tap_gate->alive)) ? s : stream_get_slow();
}

void tap_stream_thread_exit(void)
{
	struct tap_tls *t = &tap_tls;
	struct tap_stream *s = t->stream;

	if (!s || !TAP_READ_ONCE(tap_gate->alive)) {
		t->stream = NULL;
		return;
	}
	TAP_DEBUG(stream, "stream %u given back", s->number);
	tap_names_look(s, true);
	tap_record(REC_THREAD_END, 0, (uint64_t[]){ tap_tick(), s->tid }, 2);
	uint64_t mask = tap_sys_signals_block();

	for (uint32_t i = 0; i < REC_SLOTS; i++) {              /* FRAME4: cancelled, or ended, inside a call */
		if (i < t->depth && s->control->slot[i].fn)
			tap_lost(REC_LOSS_LEFT_CALL, 1);
		TAP_WRITE_ONCE(s->control->slot[i].fn, 0);
	}
	tap_tally_used(s);
	TAP_WRITE_ONCE(s->control->tid, 0);
	if (s->kept) {
		tap_tally_used(s->kept);
		TAP_WRITE_ONCE(s->kept->control->tid, 0);
	}
	t->depth = 0;
	TAP_WRITE_ONCE(t->stream, NULL);
	tap_pool_give(s);
	tap_sys_signals_restore(mask);
}

/* New process (fork): nothing of the parent's streams is ours. */
void tap_streams_forget(void)
{
	keep_parents_page();
	tap_pool_forget();
	second_clock_tick = 0;
	open_retry_tick = open_retry_wait = 0;
	lost_page = NULL;                                       /* the parent's */
	tap_lost_page_forget();
	tap_blobs_forget();
	tap_space_forget();
	tap_tally_forget();
	tap_run_count_forget();
	for (uint32_t i = 0; i < 64; i++)
		lost_unheld[i] = 0;
}

uint64_t tap_lost_nowhere(void)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < 64; i++)
		n += i == REC_LOSS_FACTS_LOST ? 0 : __atomic_load_n(&lost_unheld[i], __ATOMIC_RELAXED); /* no call */
	return n;
}

void tap_stream_after_fork(void)
{
	*tap_gate = (struct tap_gate){ 0 };
	for (uint32_t i = 0; i < 64; i++)
		lost_unheld[i] = 0;                             /* the parent's to tell */
	tap_run_count_forget();
	open_retry_tick = open_retry_wait = 0;                  /* so was its failure: the child says its own */
	tap_tls.stream = NULL;
	tap_tls.depth = 0;
	tap_tls.opening = 0;
}
