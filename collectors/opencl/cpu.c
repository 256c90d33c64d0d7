/*
 * collectors/opencl/cpu.c - --cpu-counters: what the host's processors do for each kernel of a device that is these
 *
 * The threads that work for the runtime are those that came while it was called (clGetDeviceIDs, the creation of a
 * context, an enqueue); where none came, the thread that enqueues does the work itself. Before an enqueue to such a
 * device /proc is read and the kernel's counters are opened for each of them; when the command is over they are read
 * and closed: no descriptor of ours outlives the call.
 *
 * Runs      in application threads, around enqueues; not without the option.
 * May       wait: for another thread's command (TURN_NS), for this one's (BEGIN_NS until it runs, then
 *           --replay-timeout).
 * Must not  malloc; change errno.
 *
 * CPU1  From tap_cl_cpu_begin to tap_cl_cpu_end one thread has the turn, and `now` is its alone. Who waits for longer
 *       than TURN_NS goes on without it, and from then on nothing is counted in this process (`busy`).
 * CPU2  A command that was not over in time may run later: its event is kept (`late`), and until it is complete nothing
 *       is counted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <linux/perf_event.h>
#include <string.h>

#include "collectors/futex.h"
#include "collectors/opencl/internal.h"
#include "ids.h"
#include "trace/write/entries.h"
#include "trace/write/process.h"

#define TURN_NS 1000000000u
#define SEEN 4096u                                /* threads whose kind is known; a power of two */
#define LATE 16u                                  /* commands that are not over; with more of them the counting ends */
#define THREADS 256u                              /* that are looked at */
#define EVENTS (REC_CPU_BRANCH_MISSES + 1)        /* of perf_event_open */

/* What perf_event_open is asked for, by enum rec_cpu. */
static const struct { uint32_t type; uint64_t config; } events[EVENTS] = {
	[REC_CPU_TASK_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	[REC_CPU_PAGE_FAULTS] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	[REC_CPU_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[REC_CPU_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[REC_CPU_CACHE_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	[REC_CPU_BRANCH_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
};

struct value { uint64_t v; uint32_t why; };
/* One thread: what /proc said at the beginning, descriptors of its counters (-errno). */
struct watched { uint32_t tid; struct value before[REC_CPU_END]; int fd[EVENTS]; };

static struct {
	struct value sum[REC_CPU_END];
	struct watched *thread;
	uint32_t tid[THREADS];                    /* of them */
	uint32_t n, why;
	bool counts;
} now;                                            /* CPU1 */
static uint32_t holder, depth;                    /* tid of the thread that has the turn, 0 none; futex */
static _Atomic uint32_t calls_inside;
static _Atomic bool asked;                        /* asked: the runtime was asked for devices while we looked */
/* A command went on without its turn or has no event, and may run at any time. */
static _Atomic bool busy;
static struct { cl_event event; const struct tap_opencl_api *real; } late[LATE]; /* CPU2 */

/* ------------------------------------------------------------------ which threads are the runtime's */

enum kind { OTHERS = 1, RUNTIMES };
static _Atomic uint64_t seen[SEEN];               /* tid << 2 | kind; 0 free */

static enum kind kind_of(uint32_t tid, enum kind fresh)
{
	for (uint32_t i = 0; i < SEEN; i++) {
		_Atomic uint64_t *at = &seen[(tid * 0x9e3779b1u + i) % SEEN];
		uint64_t is = atomic_load(at);

		if (!is && atomic_compare_exchange_strong(at, &is, (uint64_t)tid << 2 | fresh))
			return fresh;
		if (is >> 2 == tid)
			return is & 3;
	}
	return OTHERS;
}

/* Every thread of the process, `fresh` if it was not seen yet. tids: room for THREADS of the runtime's; NULL. */
static uint32_t look_at_all(enum kind fresh, uint32_t *tids)
{
	char *room = tap_scratch_take();
	uint32_t n = 0;
	int fd = tap_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	struct tap_entries e = { .fd = fd, .room = room, .size = TAP_SCRATCH_BYTES };

	for (const char *name; fd >= 0 && (name = tap_entries_next(&e));) {
		uint32_t tid = tap_task_of(name);

		if (tid && kind_of(tid, fresh) == RUNTIMES && tids && n++ < THREADS)
			tids[n - 1] = tid;
	}
	tap_scratch_give(room);
	if (fd >= 0)
		tap_sys_close(fd);
	return n;
}

void tap_cl_cpu_threads(bool before)
{
	if (tap_seccomp)
		return;
	if (before) {
		/* Inside another thread's call those that come may be the runtime's. */
		if (!atomic_fetch_add(&calls_inside, 1))
			look_at_all(OTHERS, NULL);
		atomic_store(&asked, true);
		return;
	}
	look_at_all(RUNTIMES, NULL);
	atomic_fetch_sub(&calls_inside, 1);
}

cl_int tap_cl_do_clGetDeviceIDs(const struct tap_opencl_api *real, cl_platform_id platform, cl_device_type device_type,
	cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
{
	cl_int ret;

	tap_cl_cpu_look(true);
	ret = real->clGetDeviceIDs(platform, device_type, num_entries, devices, num_devices);
	tap_cl_cpu_look(false);
	return ret;
}

/* ------------------------------------------------------------------ what /proc tells of a thread */

/* The number behind the name and what parts them: blanks, colons. */
static struct value number_behind(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	struct value v = { 0, REC_CPU_WHY };

	if (!at)
		return v;
	for (at += strlen(name); *at == ' ' || *at == '\t' || *at == ':'; at++)
		;
	for (; *at >= '0' && *at <= '9'; at++)
		v = (struct value){ v.v * 10 + (uint64_t)(*at - '0'), 0 };
	return v;
}

static void read_proc(uint32_t tid, struct value v[REC_CPU_END])
{
	char *room = tap_scratch_take();
	const char *text = tap_task_read(tid, "status", room, TAP_SCRATCH_BYTES);

	v[REC_CPU_SWITCHES] = number_behind(text, "\nvoluntary_ctxt_switches");
	v[REC_CPU_SWITCHES_FORCED] = number_behind(text, "\nnonvoluntary_ctxt_switches");
	text = tap_task_read(tid, "sched", room, TAP_SCRATCH_BYTES);
	v[REC_CPU_MIGRATIONS] = number_behind(text, "nr_migrations");
	tap_scratch_give(room);
}

/* ------------------------------------------------------------------ counters of one thread */

static int open_event(uint32_t tid, unsigned k)
{
	/* The kernel's part is left out: without it no privilege is needed. */
	struct perf_event_attr a = { .size = PERF_ATTR_SIZE_VER0, .type = events[k].type, .config = events[k].config,
		.exclude_kernel = 1, .exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };

	return (int)TAP_SYS(perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

static void open_events(struct watched *w)
{
	for (unsigned k = 1; k < EVENTS; k++)     /* what one thread was refused is not asked for the others */
		w->fd[k] = now.sum[k].why ? -1 : open_event(w->tid, k);
	for (unsigned k = 1; k < EVENTS; k++)
		if (w->fd[k] < 0 && !now.sum[k].why && w->fd[k] != -3 /* ESRCH: it has ended */)
			now.sum[k].why = (uint32_t)-w->fd[k];
}

static struct value read_event(int fd)
{
	struct { uint64_t v, enabled, running; } is;

	if (tap_sys_read(fd, &is, sizeof is) != sizeof is)
		return (struct value){ 0, REC_CPU_WHY_NEVER_RAN };
	if (is.running == is.enabled)
		return (struct value){ is.v, 0 };
	if (!is.running)
		return (struct value){ 0, REC_CPU_WHY_NEVER_RAN };
	return (struct value){ (uint64_t)((double)is.v * (double)is.enabled / (double)is.running), 0 };
}

static void add(enum rec_cpu k, struct value v)
{
	now.sum[k].v += v.v;
	if (!now.sum[k].why)
		now.sum[k].why = v.why;
}

static void close_events(struct watched *w)
{
	for (unsigned k = 1; k < EVENTS; k++) {
		if (w->fd[k] < 0)
			continue;
		add(k, read_event(w->fd[k]));
		tap_sys_close(w->fd[k]);
	}
}

static void begin_thread(struct watched *w, uint32_t tid)
{
	w->tid = tid;
	read_proc(tid, w->before);
	open_events(w);
}

static void end_thread(struct watched *w)
{
	struct value after[REC_CPU_END];

	close_events(w);
	read_proc(w->tid, after);
	for (unsigned k = EVENTS; k < REC_CPU_END; k++) {
		if (after[k].why && !w->before[k].why)
			continue;                         /* it has ended meanwhile */
		add(k, (struct value){ after[k].v - w->before[k].v, after[k].why });
	}
}

/* ------------------------------------------------------------------ the turn */

static void give_turn(void)
{
	__atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
	tap_futex_wake(&holder);
}

/* CPU1. False: somebody else has it. */
static bool take_turn(uint32_t tid)
{
	uint64_t until = tap_now_ns() + (atomic_load(&busy) ? 0 : TURN_NS);

	for (;;) {
		uint32_t is = 0;
		uint64_t at;

		if (__atomic_compare_exchange_n(&holder, &is, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
		at = tap_now_ns();
		if (at >= until)
			break;
		tap_futex_wait(&holder, is, until - at);
	}
	if (!atomic_exchange(&busy, true))
		tap_note(TAP_PART_OPENCL, "--cpu-counters has ended: commands of several threads wait for each other; "
					  "the rest is traced");
	return false;
}

static bool is_cpu(struct tap_cl_queue *q)
{
	cl_device_type type = 0;
	cl_int err;

	tap_own_calls_begin();
	err = q->real->clGetDeviceInfo(atomic_load(&q->device->handle), CL_DEVICE_TYPE, sizeof type, &type, NULL);
	tap_own_calls_end();
	return err == CL_SUCCESS && type & CL_DEVICE_TYPE_CPU;
}

/* CPU2. Is any of them not over yet? */
static bool is_late(void)
{
	bool is = false;

	tap_own_calls_begin();
	for (uint32_t i = 0; i < LATE; i++) {
		if (!late[i].event)
			continue;
		if (tap_cl_status_of(late[i].real, late[i].event) > CL_COMPLETE) {
			is = true;
			continue;
		}
		late[i].real->clReleaseEvent(late[i].event);
		late[i].event = NULL;
	}
	tap_own_calls_end();
	return is;
}

/* The reference goes with it. */
static void keep_late(const struct tap_opencl_api *real, cl_event event)
{
	for (uint32_t i = 0; i < LATE; i++)
		if (!late[i].event) {
			late[i].event = event;
			late[i].real = real;
			return;
		}
	real->clReleaseEvent(event);
	if (!atomic_exchange(&busy, true))
		tap_note(TAP_PART_OPENCL, "--cpu-counters has ended: too many commands wait for something; the rest is "
					  "traced");
}

static uint32_t why_not(void)
{
	if (is_late() || busy)
		return REC_CPU_WHY_OTHERS;
	if (now.n > THREADS || !now.thread)
		return REC_CPU_WHY_MANY;
	return !now.n && !asked ? REC_CPU_WHY_UNSEEN : 0;
}

static void begin_counting(uint32_t tid)
{
	uint32_t *tids = now.tid;

	memset(now.sum, 0, sizeof now.sum);
	now.n = look_at_all(atomic_load(&calls_inside) ? RUNTIMES : OTHERS, tids);
	if (!now.thread)
		now.thread = tap_cl_pages(THREADS * sizeof *now.thread);
	now.why = why_not();
	now.counts = !now.why;
	if (!now.n)
		tids[now.n++] = tid;
	for (uint32_t i = 0; now.counts && i < now.n; i++)
		begin_thread(&now.thread[i], tids[i]);
}

void tap_cl_cpu_begin(struct tap_cl_queue *q)
{
	uint32_t tid = tap_sys_gettid();
	int saved = errno;

	if (!q || tap_seccomp || atomic_load(&tap_cl_closed))
		return;
	tap_cl_check_fork();
	if (TAP_READ_ONCE(holder) == tid) {       /* a call-back of the runtime's inside our own call */
		depth++;
		return;
	}
	if (is_cpu(q) && take_turn(tid)) {
		depth = 1;
		begin_counting(tid);
	}
	errno = saved;
}

/* ------------------------------------------------------------------ the end of a command */

static void write_counters(const struct tap_call *call)
{
	uint64_t words[2 + 2 * (REC_CPU_END - 1)];
	uint32_t n = 0;

	if (!call->link || (call->fn != FN_clEnqueueNDRangeKernel && call->fn != FN_clEnqueueTask))
		return;
	words[n++] = call->link;
	words[n++] = now.n | (uint64_t)now.why << 32;
	for (unsigned k = 1; !now.why && k < REC_CPU_END; k++) {
		words[n++] = k | (uint64_t)now.sum[k].why << 32;
		words[n++] = now.sum[k].why ? 0 : now.sum[k].v;
	}
	tap_record(REC_CPU_COUNTERS, 0, words, n);
}

/* Polls: whatever the program waits for stays free to happen. */
static bool wait_for(const struct tap_opencl_api *real, cl_command_queue queue, cl_event event)
{
	uint64_t limit = tap_option_number("replay-timeout");

	return tap_cl_wait_polling(real, queue, event, limit ? limit : UINT64_MAX);
}

static void end_counting(bool is_over)
{
	uint32_t before = now.n;

	if (!now.counts)
		return;
	for (uint32_t i = 0; i < before; i++)
		end_thread(&now.thread[i]);
	if (!is_over)
		now.why = REC_CPU_WHY_NOT_OVER;
	else if (atomic_load(&busy))
		now.why = REC_CPU_WHY_OTHERS;
}

bool tap_cl_cpu_end(const struct tap_opencl_api *real, const struct tap_call *call, cl_command_queue queue,
	cl_event event, enum tap_cl_end end)
{
	bool mine = TAP_READ_ONCE(holder) == tap_sys_gettid() && --depth == 0, done = end == TAP_CL_OVER;

	if (mine && now.counts && end == TAP_CL_OPEN && event)
		done = wait_for(real, queue, event);
	if (mine) {
		end_counting(done);
		if (now.counts && call && !done && !event)
			now.why = REC_CPU_WHY_NO_EVENT;
		if (call)
			write_counters(call);
		if (call && !done && !event)
			atomic_store(&busy, true);        /* nobody can tell when it runs */
		if (!done && event) {
			keep_late(real, event);
			event = NULL;
		}
		give_turn();
	}
	if (event)
		real->clReleaseEvent(event);
	return done;
}

void tap_cl_cpu_forget(void)
{
	__atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
	depth = 0;
	memset(late, 0, sizeof late);             /* the parent's */
	now.n = 0;
	for (uint32_t i = 0; i < SEEN; i++)
		atomic_store(&seen[i], 0);
	atomic_store(&asked, false);
	atomic_store(&calls_inside, 0);
	atomic_store(&busy, false);
}
