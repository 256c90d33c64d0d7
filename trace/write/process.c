/*
 * trace/write/process.c - the life of a process image: start, fork, exit, exec
 *
 * Runs      start: in the constructor, before main; the rest in exit handlers and wrappers of exit and exec.
 * Must not  open anything, or cost more than a few system calls, in an image that makes no traced call.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "common/plain/audit.h"
#include "common/plain/program.h"
#include "common/plain/without.h"
#include "trace/write/asked.h"
#include "trace/write/debug.h"
#include "trace/write/run/detach.h"
#include "trace/write/internal.h"
#include "trace/write/room.h"
#include "trace/write/thread_memory.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define EXIT_FUNCTIONS 8

/* Weak: musl has none of them, so an image with it is not traced, but it starts. pthread_atfork is the second one. */
extern int on_exit(void (*function)(int, void *), void *argument) __attribute__((weak));
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library)
	__attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

uint64_t tap_start_tick;
bool tap_seccomp;
bool tap_ready;
void (*tap_on_fork_child)(void);

static void (*exit_function[EXIT_FUNCTIONS])(int kind);
static uint32_t image_pid;              /* of the image that opened its directory; a vfork child has another */
static uint32_t unrecorded_pid;         /* of the process that found no room for a stream */
static bool exit_handler_set;

static void at_thread_end(void *value)
{
	tap_stream_thread_exit();
	if (tap_thread_memory_is(value))
		tap_thread_memory_end(value);
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	tap_process_exit(REC_EXIT_NORMAL, status);
}

static void call_function(int status, void *function)
{
	(void)status;
	((void (*)(void))function)();
}

void tap_process_at_exit(void (*function)(void)) { on_exit(call_function, (void *)function); }

/* Registered at the first record, so after the program's early handlers: it runs before them. */
static void set_exit_handler(void)
{
	if (!__atomic_exchange_n(&exit_handler_set, true, __ATOMIC_RELAXED))
		on_exit(at_exit, NULL);
}

void tap_process_unrecorded(void)
{
	unrecorded_pid = tap_sys_getpid();
	set_exit_handler();
}

void tap_process_opened(void)
{
	bool forked = image_pid != 0;

	image_pid = tap_sys_getpid();
	TAP_DEBUG(process, "image opened: %s", tap_run_image_dir());
	set_exit_handler();
	tap_core_image_opened();
	if (forked && tap_on_fork_child)
		tap_on_fork_child();
}

/* ------------------------------------------------------------------- start */

/* One page: beyond it nothing is wiped. */
_Static_assert(sizeof(struct tap_gate) <= 4096, "the gate and the words that a fork wipes");

static void make_gate(void)
{
	static struct tap_gate fallback;        /* then only fork() through the C library is noticed (pthread_atfork) */
	struct tap_gate *page = tap_sys_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page && (gc_without("fork-word") || tap_sys_madvise(page, 4096, MADV_WIPEONFORK) < 0)) {
		tap_sys_munmap(page, 4096);
		page = NULL;
	}
	tap_gate = page ? page : &fallback;
}

bool tap_at_fork_child(void (*fn)(void))
{
	return __register_atfork && !__register_atfork(NULL, NULL, fn, &__dso_handle);
}

uint64_t *tap_fork_word(void)
{
	static uint32_t given;
	uint32_t n = __atomic_fetch_add(&given, 1, __ATOMIC_RELAXED);

	return n < TAP_FORK_WORDS ? &tap_gate->word[n] : NULL;
}

/*
 * An image in which nothing may be done: with another C library, or with more rights than who started it has. The
 * environment of the latter is a stranger's, and what it names must not be written or loaded.
 */
static bool is_foreign(void)
{
	return !on_exit || getauxval(AT_SECURE);
}

bool tap_process_start(void)
{
	make_gate();
	if (is_foreign()) {
		tap_off = TAP_OFF_OPTION;
		return false;
	}
	tap_options_parse();
	tap_asked_init();
	tap_clock_init();
	tap_start_tick = tap_tick();
	tap_debug_init();
	if (tap_asked_set)
		return true;
	tap_off = TAP_OFF_OPTION;
	return false;
}

void tap_process_ready(void)
{
	tap_thread_key_made = pthread_key_create(&tap_thread_key, at_thread_end) == 0;
	tap_at_fork_child(tap_stream_after_fork);
	tap_run_init();
	tap_ready = true;
	tap_process_heard();
	if (tap_options.start_after)
		tap_off = TAP_OFF_EARLY;
	tap_detach_prepare();
	if (tap_detach_wanted())
		set_exit_handler();             /* its children may have recorded, even if it did not */
}

/* --------------------------------------------------------------------- end */

void tap_on_exit(void (*fn)(int kind))
{
	for (int i = 0; i < EXIT_FUNCTIONS; i++) {
		void (*none)(int) = NULL;

		if (exit_function[i] == fn ||
			__atomic_compare_exchange_n(
				&exit_function[i], &none, fn, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
}

static void run_exit_functions(int kind)
{
	for (int i = 0; i < EXIT_FUNCTIONS; i++) {
		void (*fn)(int) = __atomic_load_n(&exit_function[i], __ATOMIC_ACQUIRE);

		if (fn)
			fn(kind);
	}
}

/*
 * Whether this process opened its directory itself: not a vfork child of one that did, not a fork child that recorded
 * nothing.
 */
static bool image_is_open(void)
{
	return TAP_READ_ONCE(tap_gate->alive) && image_pid == tap_sys_getpid();
}

struct end { enum rec_exit kind; int status; uint64_t began; };

static void end_image(void *what)
{
	const struct end *e = what;

	TAP_DEBUG(process, "exit %d: %s", e->status,
		e->kind == REC_EXIT_NORMAL          ? "exit handlers"
			: e->kind == REC_EXIT_QUICK ? "quick_exit"
						    : "_exit");
	run_exit_functions(e->kind);
	tap_tls.own_calls++;            /* our last words: none of them is a call that was lost */
	tap_names_look_at_all();
	tap_detach_check();
	tap_clock_record();
	tap_cost_record(REC_COST_END, e->began);
	tap_record(REC_EXIT, 0,
		(uint64_t[]){ tap_tick(), (uint64_t)e->kind | (uint64_t)(uint32_t)e->status << 32 }, 2);
	tap_tls.own_calls--;
	/* Outside the window nothing comes any more. */
	tap_gate_close(tap_off ? TAP_OFF_WINDOW : TAP_OFF_EXIT);
	tap_tally_ends();
	tap_run_check_image();
}

void tap_process_exit(enum rec_exit kind, int status)
{
	if (gc_without("quick-end") && kind != REC_EXIT_NORMAL)
		return;
	int saved = errno;
	uint64_t began = tap_tick();
	bool first = image_is_open() && !__atomic_exchange_n(&tap_gate->ended, 1, __ATOMIC_RELAXED);

	if (first && tap_off != TAP_OFF_EXIT)
		tap_set_up(end_image, &(struct end){ kind, status, began });
	if (unrecorded_pid == tap_sys_getpid()) {
		tap_run_say_unrecorded();
		unrecorded_pid = 0;
	}
	if (first || kind == REC_EXIT_NORMAL)
		tap_detach();
	errno = saved;
}

/* ------------------------------------------------ programs that are started */

enum { TOLD_BY_NAME = 16, NAME_SHOWN = 300 };  /* notes an image; bytes of a path in one */

static bool is_lost(enum tap_fate fate) { return fate == TAP_CLEANED || fate == TAP_UNREACHABLE; }

static enum rec_loss loss_of(enum tap_fate fate)
{
	return fate == TAP_UNREACHABLE ? REC_LOSS_CHILD_UNREACHABLE : REC_LOSS_CHILD_MISSED;
}

/* In an image that records. A path from its end: there stands what it is. */
static void note_by_name(const struct tap_started *s)
{
	static uint32_t told;
	size_t bytes = s->program ? tap_text_length(s->program) : 0;
	const char *name = s->program ? s->program + (bytes > NAME_SHOWN ? bytes - NAME_SHOWN : 0) : "?";

	if ((s->fate != TAP_UNSEEN && !s->why) || __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED) >= TOLD_BY_NAME)
		return;
	if (s->fate == TAP_UNSEEN)
		tap_note(TAP_PART_CORE, GC_NOTE_UNSEEN, name);
	else if (s->fate == TAP_UNAUDITED)
		tap_note(TAP_PART_CORE, GC_NOTE_UNAUDITED, name, s->why);
	else
		tap_note(TAP_PART_CORE, s->fate == TAP_STATIC ? GC_NOTE_STATIC : GC_NOTE_UNREACHABLE, name, s->why);
}

static void before_exec(void *unused)
{
	(void)unused;
	run_exit_functions(REC_EXIT_EXEC);
	tap_names_look_at_all();
	tap_clock_record();
}

void tap_process_exec(const struct tap_started *s)
{
	int saved = errno;
	const char *path = s->path;

	if (tap_off && tap_off != TAP_OFF_EARLY)
		return;
	/* A child of fork that recorded nothing is of interest only when it leaves our sight. */
	bool forked = !TAP_READ_ONCE(tap_gate->alive) && tap_run_image_dir()[0], lost = is_lost(s->fate);

	TAP_DEBUG(process, "exec %s%s", path ? path : "?", lost ? ": not followed" : "");
	if (image_is_open())
		tap_set_up(before_exec, NULL);
	if (image_is_open() || (forked && lost))
		tap_record_text(REC_EXEC, !lost ? 0 : s->fate == TAP_CLEANED ? REC_EXEC_CLEANED : REC_EXEC_UNREACHABLE,
			path ? path : "", path ? tap_text_length(path) : 0);
	else
		tap_run_say_started(s);
	/* Behind the record: opening a stream after a fork drops what the parent had counted. */
	if (image_is_open() || (forked && lost)) {
		if (lost)
			tap_lost(loss_of(s->fate), 1);
		note_by_name(s);
	}
	errno = saved;
}

bool tap_process_count_unfollowed(enum tap_fate fate)
{
	int saved = errno;
	bool counts = (!tap_off || tap_off == TAP_OFF_EARLY) && image_is_open();

	if (counts)
		tap_lost(loss_of(fate), 1);
	errno = saved;
	return counts;
}

void tap_process_take_unfollowed_back(enum tap_fate fate)
{
	int saved = errno;

	tap_lost(loss_of(fate), UINT64_MAX);    /* minus 1 */
	errno = saved;
}

uint64_t tap_process_mark_unfollowed(enum tap_fate fate)
{
	int saved = errno;
	uint64_t mark = !tap_off || tap_off == TAP_OFF_EARLY ? tap_run_mark_unfollowed(fate) : 0;

	errno = saved;
	return mark;
}

void tap_process_unmark_unfollowed(enum tap_fate fate, uint64_t mark)
{
	int saved = errno;

	tap_run_unmark_unfollowed(fate, mark);
	errno = saved;
}

/* -------------------------------------------------- programs that are awaited */

const char *tap_awaited_as;

struct tap_awaited tap_process_await(void)
{
	struct tap_awaited a = { 0 };
	int saved = errno;

	/* A child of vfork shares its parent's words; one of fork still has its parent's directory. */
	if ((!tap_off || tap_off == TAP_OFF_EARLY) && (TAP_READ_ONCE(tap_gate->alive) || tap_run_image_dir()[0]))
		tap_run_mark_awaited(&a);
	errno = saved;
	return a;
}

void tap_process_no_longer_await(struct tap_awaited a)
{
	int saved = errno;

	if (a.mark)
		tap_run_unmark_awaited(a, false);
	errno = saved;
}

void tap_awaited_write(struct tap_awaited a, char to[TAP_AWAITED_BYTES])
{
	struct tap_text t;

	tap_text_init(&t, to, TAP_AWAITED_BYTES);
	tap_text_hex(&t, a.mark, 16);
	tap_text_char(&t, '.');
	tap_text_u64(&t, a.pid);
}

/* Anybody may have written it: no more than two numbers come of it. */
void tap_process_heard(void)
{
	const char *at = tap_awaited_as;
	struct tap_awaited a = { 0 };

	if (!tap_ready)
		return;
	tap_awaited_as = NULL;
	for (; at && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f')); at++)
		a.mark = a.mark << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	if (!at || *at++ != '.')
		return;
	for (; *at >= '0' && *at <= '9'; at++)
		a.pid = a.pid * 10 + (uint32_t)(*at - '0');
	if (a.mark && a.pid && !*at)
		tap_run_unmark_awaited(a, true);
}

void tap_process_unfollowed(const struct tap_started *s)
{
	int saved = errno;

	if (tap_off && tap_off != TAP_OFF_EARLY)
		return;
	TAP_DEBUG(process, "%s: a child that is not followed", s->path ? s->path : "?");
	if (image_is_open())
		tap_lost(loss_of(s->fate), 1);
	else
		tap_run_say_started(s);
	errno = saved;
}

void tap_process_started(const struct tap_started *s)
{
	int saved = errno;

	if (tap_off && tap_off != TAP_OFF_EARLY)
		return;
	if (image_is_open())
		note_by_name(s);
	else if (!is_lost(s->fate))
		tap_run_say_started(s);
	errno = saved;
}

void tap_seccomp_seen(void)
{
	if (tap_ready && (!tap_off || tap_off == TAP_OFF_EARLY))
		tap_lost_page_map();
	TAP_DEBUG(process, "a seccomp filter is installed: no new chunks, no more lines");
	TAP_WRITE_ONCE(tap_seccomp, true);
	tap_clock_look();
}
