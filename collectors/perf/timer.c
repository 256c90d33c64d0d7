/*
 * collectors/perf/timer.c - --sample=timer: each thread's own timer interrupts it, and its handler takes the sample
 *
 * For where the kernel's samples are not to be had: a container that forbids perf_event_open, a program that is
 * preloaded without gputap run. A timer of CLOCK_MONOTONIC for each thread, for those of CPU clocks come at the
 * kernel's ticks alone. So one that sleeps is interrupted too: the program sees EINTR where it would not.
 *
 * Runs      start, at_exit: as collector.h says. Ticks: in a signal handler of any thread, all signals blocked.
 * May       make system calls, open a stream, look through /proc/self/task now and then.
 * Must not  allocate, lock, wait, change errno.
 *
 * SIGNAL1  The signal is the C library's own, with which it cancels threads: no program can block it, wait for it or
 *          take it for its own use by way of the C library, so none meets ours. The C library's handler is set at the
 *          first pthread_cancel and lets pass what is not its own: then samples end, and nothing else. What is not of a
 *          timer of ours is handed on to the handler that was there.
 * SIGNAL2  A thread that has it blocked waits for signals in the C library itself (timers of SIGEV_THREAD do), or is
 *          not ready: it gets no timer before it is open.
 * TICKS1  Who was inside a system call had no processor, or used it in the kernel: no sample, as the kernel's own
 *         samples of the program's code have none of it. Nor had who used none since its last tick. Each sample says
 *         how much time on a processor it stands for.
 * TICKS2  Only who holds `busy` looks at the table. It lies in memory that a fork wipes: in the child nobody has a
 *         timer, and nobody holds it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#include "collectors/perf/internal.h"
#include "common/plain/without.h"
#include "trace/write/call/frame.h"
#include "trace/write/call/stack.h"
#include "trace/write/entries.h"
#include "trace/write/options.h"
#include "trace/write/process.h"
#include "trace/write/scratch.h"
#include "trace/write/stream/reserve.h"
#include "trace/write/sys.h"

#define SIGNAL 32                       /* SIGNAL1: SIGCANCEL */
#define THREADS 4096u                   /* places for threads, a power of two */
#define GONE UINT32_MAX                 /* a place whose thread has ended */
#define LIST_BYTES 4096u
#define LOOK_NS 10000000u               /* from one look at the threads to the next */
#define FASTEST_NS 100000u
#define ROOM 6144u                      /* of a stack for handlers that a sample may need */
#define ROOM_TO_OPEN 32768u             /* ... with the opening of a stream */

struct action { void *handler; uint64_t flags; void (*restorer)(void); uint64_t mask; };        /* the kernel's */
struct event { uint64_t value; int32_t signal, how, tid, rest[11]; };                           /* likewise */

/*
 * A thread that has a timer. had_stream, ran_ns (the time on processors that it had used at its last tick): written by
 * that thread alone.
 */
struct place { uint32_t tid; int32_t timer; uint32_t look; bool had_stream; uint64_t ran_ns; };
struct table {
	uint32_t busy;
	uint32_t armed;                 /* this process samples */
	uint32_t look;                  /* number of the last one */
	uint64_t next_tick;             /* when the next is due */
	struct place at[THREADS];
	char list[LIST_BYTES];
};

static struct table *table;             /* NULL: nobody samples here */
static uint64_t period_ns;
static struct action before;
static uint64_t look_ticks;

/* ------------------------------------------------------------------------- timers */

/* A number, or -1. */
static int32_t new_timer(uint32_t tid)
{
	struct event e = { .value = (uintptr_t)&table, .signal = SIGNAL, .how = 4 /* SIGEV_THREAD_ID */,
		.tid = (int32_t)tid };
	struct itimerspec when = { .it_interval.tv_sec = (time_t)(period_ns / 1000000000),
		.it_interval.tv_nsec = (long)(period_ns % 1000000000) };
	int32_t timer = -1;

	when.it_value = when.it_interval;
	if (TAP_SYS(timer_create, CLOCK_MONOTONIC, &e, &timer, 0, 0, 0) < 0)
		return -1;
	if (TAP_SYS(timer_settime, timer, 0, &when, NULL, 0, 0) == 0)
		return timer;
	TAP_SYS(timer_delete, timer, 0, 0, 0, 0, 0);
	return -1;
}

static uint32_t place_of(uint32_t tid) { return tid * 2654435761u >> 20 & (THREADS - 1); }

/* Where it is, or where it may be put; NULL: everything is taken. */
static struct place *find(struct table *t, uint32_t tid)
{
	struct place *empty = NULL;

	for (uint32_t i = 0; i < THREADS; i++) {
		struct place *p = &t->at[(place_of(tid) + i) & (THREADS - 1)];

		if (p->tid == tid)
			return p;
		if (!empty && (!p->tid || p->tid == GONE))
			empty = p;
		if (!p->tid)
			break;
	}
	return empty;
}

/* NULL: its timer ticked before its place was filled. */
static struct place *place_with_timer(struct table *t, uint32_t tid)
{
	struct place *p = find(t, tid);

	return p && p->tid == tid ? p : NULL;
}

/* SIGNAL2. The mask of another thread stands in its status alone; one that cannot be read blocks nothing. */
static bool blocks(uint32_t tid)
{
	static const char key[] = "\nSigBlk:\t";
	char *room = tap_scratch_take();
	const char *at = __builtin_strstr(tap_task_read(tid, "status", room, TAP_SCRATCH_BYTES), key);
	/* 16 digits, the lowest bits last: signal 32 is the upper half's last */
	bool blocked = at && at[sizeof key - 1 + 8] >= '8';

	tap_scratch_give(room);
	return blocked;
}

static void add_thread(struct table *t, uint32_t tid, bool first)
{
	struct place *p = find(t, tid);

	if (!p) {
		TAP_DEGRADE(TAP_PART_CORE, "--sample=timer: there are more than %u threads; some have no samples",
			THREADS);
		return;
	}
	if (p->tid != tid) {
		int32_t timer = !first && blocks(tid) ? -1 : new_timer(tid);

		if (timer < 0)
			return;         /* at the next look, perhaps */
		p->timer = timer;
		p->had_stream = false;
		p->ran_ns = 0;
		__atomic_store_n(&p->tid, tid, __ATOMIC_RELEASE);       /* from here on the thread writes it */
	}
	p->look = t->look;
}

/* The threads that the kernel lists. False: it lists none. */
static bool add_threads(struct table *t)
{
	int fd = tap_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	struct tap_entries e = { .fd = fd, .room = t->list, .size = sizeof t->list };
	uint32_t tid;

	if (fd < 0)
		return false;
	for (const char *name; (name = tap_entries_next(&e));)
		if ((tid = tap_task_of(name)))
			add_thread(t, tid, false);
	tap_sys_close(fd);
	return true;
}

static bool take(struct table *t)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(&t->busy, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void leave(struct table *t) { __atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE); }

/* Threads that began since get a timer; of those that ended it is taken away. */
static void look(struct table *t, uint64_t tick)
{
	if (tick < TAP_READ_ONCE(t->next_tick) || !take(t))
		return;
	TAP_WRITE_ONCE(t->next_tick, tick + look_ticks);
	t->look++;
	if (!add_threads(t)) {
		TAP_DEGRADE(TAP_PART_CORE, "--sample=timer: /proc/self/task cannot be read: the first thread alone is "
					   "sampled");
		leave(t);
		return;
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		struct place *p = &t->at[i];

		if (!p->tid || p->tid == GONE || p->look == t->look)
			continue;
		TAP_SYS(timer_delete, p->timer, 0, 0, 0, 0, 0);
		*p = (struct place){ .tid = GONE };
	}
	leave(t);
}

/* -------------------------------------------------------------------------- ticks */

/* TICKS1. Where the kernel continues behind a system call, or makes it again. */
static bool in_system_call(const ucontext_t *u)
{
#if defined(__x86_64__)
	static const uint8_t code[] = { 0x0f, 0x05 };
	uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#else
	static const uint8_t code[] = { 0x01, 0x00, 0x00, 0xd4 };       /* svc #0 */
	uintptr_t pc = u->uc_mcontext.pc;
#endif
	uintptr_t page = 4096, n = sizeof code;

	if (pc % page + n <= page && !__builtin_memcmp((const void *)pc, code, n))
		return true;
	return pc % page >= n && !__builtin_memcmp((const void *)(pc - n), code, n);
}

/* What the thread used of its processors since its last tick. */
static uint64_t used_ns(struct place *p)
{
	struct timespec t = { 0, 0 };
	uint64_t now, used;

	TAP_SYS(clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t, 0, 0, 0, 0);
	now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	used = now - p->ran_ns;
	p->ran_ns = now;
	return used;
}

/* A handler may be on a small stack of the program's: a sample less is better than one byte too many. */
static bool has_room(const ucontext_t *u)
{
	uintptr_t low = (uintptr_t)u->uc_stack.ss_sp, here = (uintptr_t)__builtin_frame_address(0);

	if (u->uc_stack.ss_flags & SS_DISABLE || here - low >= u->uc_stack.ss_size)
		return true;
	if (gc_without("small-stack"))
		return true;
	return here - low >= (tap_tls.stream && TAP_READ_ONCE(tap_gate->alive) ? ROOM : ROOM_TO_OPEN);
}

static bool refused;                    /* a sample, for want of room */

/* The thread's, if something of now is wanted. One that gave it back is about to end. */
static struct tap_stream *stream_now(struct place *p, uint64_t *tick)
{
	struct tap_stream *s = tap_tls.stream;

	*tick = tap_tick();
	if ((!s && p->had_stream) || tap_tls.opening || (tap_off && tap_off != TAP_OFF_EARLY))
		return NULL;
	if (!s || *tick >= TAP_READ_ONCE(tap_gate->ranges_until_tick)) {
		tap_tls.own_calls++;            /* what cannot be opened loses no call */
		s = tap_off == TAP_OFF_EARLY && tap_window_early() ? NULL : tap_stream_at_gate(*tick);
		tap_tls.own_calls--;
	}
	p->had_stream = s;
	return s && s->tid == p->tid ? s : NULL;
}

static __attribute__((noinline)) void sample(struct place *p, const ucontext_t *u, uint64_t used)
{
	uint64_t tick, stack;
	uint32_t cpu = 0;
	struct tap_stream *s = stream_now(p, &tick);

	if (!s)
		return;
	TAP_SYS(getcpu, &cpu, NULL, NULL, 0, 0, 0);
	stack = tap_stack_interrupted ? tap_stack_interrupted(s, u) : 0;
	tap_record(REC_SAMPLE, REC_SAMPLE_TIMER,
		(uint64_t[]){ tick, s->tid | (uint64_t)cpu << 32, used, rec_stack_link(stack) }, 4);
}

static __attribute__((noinline)) void tick(const ucontext_t *u)
{
	struct table *t = TAP_READ_ONCE(table);
	uint64_t mask, used;
	struct place *p;
	int saved = errno;

	if (!t || tap_seccomp || !TAP_READ_ONCE(t->armed) || !(p = place_with_timer(t, tap_sys_gettid())))
		return;
	mask = tap_sys_signals_block();
	used = used_ns(p);
	if (used >= period_ns / 8 && !in_system_call(u)) {
		if (has_room(u)) {
			sample(p, u, used);
		} else {
			tap_lost(REC_LOSS_SAMPLES_LOST, 1);
			TAP_WRITE_ONCE(refused, true);
		}
		used_ns(p);                     /* what a sample takes is not the program's: it must get on */
	}
	look(t, tap_tick());
	tap_sys_signals_restore(mask);
	errno = saved;
}

/* SIGNAL1. The hand-over is a tail call: the C library unwinds the thread from its handler on. */
static void handler(int number, siginfo_t *info, void *context)
{
	void (*next)(int, siginfo_t *, void *) = (void (*)(int, siginfo_t *, void *))before.handler;

	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&table)
		tick(context);
	else if (before.handler != (void *)SIG_DFL && before.handler != (void *)SIG_IGN)
		next(number, info, context);
}

/* -------------------------------------------------------------------------- start */

#if defined(__x86_64__)
/*
 * What C libraries have too, to the byte and by name: so unwinders and debuggers know it. Global, since -flto puts it
 * into one object and what uses it into another.
 */
__asm__(".text\n\t.globl __restore_rt\n\t.hidden __restore_rt\n\tnop\n\t.balign 16\n\tnop\n"
	"__restore_rt:\n\tmovq $15, %rax\n\tsyscall\n\t.balign 16\n");
void tap_perf_restore(void) __asm__("__restore_rt") TAP_HIDDEN;
#define RESTORER 0x04000000u
#else
#define tap_perf_restore NULL
#define RESTORER 0u
#endif

static bool is_ours(void)
{
	struct action now = { 0 };

	return TAP_SYS(rt_sigaction, SIGNAL, NULL, &now, 8, 0, 0) == 0 && now.handler == (void *)handler;
}

static bool set_handler(void)
{
	struct action ours = { (void *)handler, SA_SIGINFO | SA_RESTART | SA_ONSTACK | RESTORER, tap_perf_restore, 0 };

	return is_ours() || TAP_SYS(rt_sigaction, SIGNAL, &ours, &before, 8, 0, 0) == 0;
}

/* In the process that calls it; once in each. */
static void arm(void)
{
	struct table *t = table;
	uint32_t none = 0;

	if (!t || tap_seccomp || !take(t))
		return;
	if (__atomic_compare_exchange_n(&t->armed, &none, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		add_thread(t, tap_sys_gettid(), true);
	}
	leave(t);
}

/* A process may have recorded nothing but what had no room: then nobody else opens a trace, which tells how much. */
static void tell_of_refused(void)
{
	stack_t own = { .ss_flags = SS_ONSTACK };
	int saved = errno;

	if (TAP_READ_ONCE(refused) && TAP_SYS(sigaltstack, NULL, &own, 0, 0, 0, 0) == 0 && !(own.ss_flags & SS_ONSTACK))
		tap_stream_get();
	errno = saved;
}

void tap_perf_timer_start(void)
{
	uint64_t rate = tap_option_number("sample-rate");
	struct table *t;

	period_ns = rate ? 1000000000u / rate : 5000000u;
	period_ns = period_ns < FASTEST_NS ? FASTEST_NS : period_ns;
	look_ticks = tap_clock_ticks_at_least(LOOK_NS);
	t = tap_sys_mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t && tap_sys_madvise(t, (sizeof *t + 4095) & ~4095ul, 18 /* MADV_WIPEONFORK */) < 0) {
		tap_sys_munmap(t, sizeof *t);
		t = NULL;
	}
	if (!t || !set_handler()) {
		TAP_DEGRADE(TAP_PART_CORE, "--sample=timer: no samples: no memory, or a kernel that does not know "
					   "MADV_WIPEONFORK (before 4.14)");
		return;
	}
	table = t;
	tap_lost_page_ahead();          /* what a small stack refuses is told where a kill leaves it */
	tap_process_at_exit(tell_of_refused);
	tap_at_fork_child(arm);
	arm();
	if (!t->at[place_of(tap_sys_gettid())].tid)
		TAP_DEGRADE(TAP_PART_CORE, "--sample=timer: no samples: timer_create failed (ulimit -i)");
}

void tap_perf_timer_fork(void)
{
	if (table)
		tap_lost_page_ahead();
	arm();
}

void tap_perf_timer_end(void)
{
	struct table *t = table;

	if (!t || !t->armed)
		return;
	if (tap_seccomp)
		TAP_DEGRADE(TAP_PART_CORE, "--sample=timer: samples end where the program installed a seccomp filter");
	else if (!is_ours())
		TAP_DEGRADE(TAP_PART_CORE, "--sample=timer: samples end where the program first cancelled a thread");
}
