/*
 * cli/perf/rings.c - the kernel's events of the program and all its children: one ring for each processor
 *
 * An event of one task that its children inherit can be mapped only when it belongs to one processor (EINVAL else), so
 * there is one for each of them. They count from the exec on. What is not permitted here costs the samples, never the
 * run: perf_event_paranoid above 2, a filter of a container that knows no such call, no memory for rings.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/perf/internal.h"
#include "cli/perf/rings.h"
#include "cli/perf/unwind.h"
#include "common/plain/without.h"
#include "common/text.h"

/*
 * Bytes of a ring. A launcher that gets no processor for a while cannot empty it. All rings of a kind together take no
 * more than ALL_MOST, where there are many processors.
 */
enum { RING_MOST = 4 << 20, RING_USUAL = 256 << 10, ALL_MOST = 64 << 20, PAGES_LEAST = 8, WAKE_MOST = 128 << 10 };

/* Rings of one kind, one for each processor: by these tracepoints, or n 0: samples, switches, processes. */
struct set { const uint64_t *ids; unsigned n; };

static uint32_t watermark(size_t ring) { return (uint32_t)(ring / 4 < WAKE_MOST ? ring / 4 : WAKE_MOST); }

/* Bits of the attributes that headers older than the kernel lack (perf_event.h: `build_id`). */
static void ask_for_build_ids(struct perf_event_attr *a)
{
	const size_t place = 40;        /* of the bits, in every version */
	uint64_t bits;

	memcpy(&bits, (const char *)a + place, sizeof bits);
	bits |= 1ull << 34;
	memcpy((char *)a + place, &bits, sizeof bits);
}

static bool asked(const struct gt_run *run, const char *domain)
{
	return gt_option_has(run->options, "trace", domain) && !gt_option_has(run->options, "trace", "none");
}

/* What the program's own timers take is none of the launcher's business (collectors/perf/timer.c). */
static bool samples_asked(const struct gt_run *run)
{
	return asked(run, "sample") && strcmp(gt_option(run->options, "sample"), "timer") != 0;
}

static void describe(struct gt_perf *p, struct perf_event_attr *a, size_t ring)
{
	memset(a, 0, sizeof *a);
	a->size = PERF_ATTR_SIZE_VER5;
	a->type = PERF_TYPE_SOFTWARE;
	a->config = p->samples ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_DUMMY;
	if (p->samples)
		a->sample_period = p->period;
	if (p->cycles) {
		a->type = PERF_TYPE_HARDWARE;
		a->config = PERF_COUNT_HW_CPU_CYCLES;
		a->freq = 1;
		a->sample_freq = p->rate;
	}
	a->sample_type = p->sample_type;
	if (p->sample_type & PERF_SAMPLE_STACK_USER) {
		a->sample_regs_user = gt_perf_registers;
		a->sample_stack_user = GT_PERF_STACK;
	}
	a->sample_id_all = 1;
	a->disabled = a->enable_on_exec = a->inherit = 1;
	a->exclude_kernel = a->exclude_hv = a->exclude_callchain_kernel = 1;
	a->mmap = a->mmap2 = 1;
	a->comm = a->comm_exec = a->task = 1;
	a->context_switch = p->switches;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->watermark = 1;
	a->wakeup_watermark = watermark(ring);
	if (p->build_ids) {
		a->size = sizeof *a;
		ask_for_build_ids(a);
	}
}

static int open_event(struct gt_perf *p, pid_t pid, int cpu, size_t ring)
{
	struct perf_event_attr a;
	int fd;

	describe(p, &a, ring);
	fd = (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && p->build_ids && (errno == EINVAL || errno == E2BIG)) {      /* before 5.12 */
		p->build_ids = false;
		return open_event(p, pid, cpu, ring);
	}
	if (fd < 0 && p->cycles && (errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL || errno == ENODEV)) {
		p->cycles = false;              /* no such counter here: the clock is always there */
		p->fell_back = true;
		return open_event(p, pid, cpu, ring);
	}
	return fd;
}

/*
 * Events that happen in the program's threads. A sample of one begins like those of the clock, and is never refused for
 * the kernel's sake: it happens there.
 */
static int open_tracepoint(uint64_t id, pid_t pid, int cpu, size_t ring)
{
	struct perf_event_attr a = { .size = PERF_ATTR_SIZE_VER5, .type = PERF_TYPE_TRACEPOINT, .config = id,
		.sample_period = 1, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		.sample_id_all = 1, .disabled = 1, .enable_on_exec = 1, .inherit = 1, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, .watermark = 1, .wakeup_watermark = watermark(ring) };

	return (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Its events go to that ring too. 0, or errno. */
static int redirect(struct gt_perf *p, uint64_t id, pid_t pid, int cpu, const struct gt_perf_ring *ring)
{
	int fd = open_tracepoint(id, pid, cpu, ring->bytes), *kept, failure;

	if (fd < 0)
		return errno;
	failure = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? errno : 0;
	kept = failure ? NULL : GT_LIST_ADD(&p->redirected);
	if (!kept) {
		close(fd);
		return failure ? failure : ENOMEM;
	}
	*kept = fd;
	return 0;
}

/* 0, or errno. ENODEV: that processor is off. ENOMEM: no room for a ring of this size. */
static int open_ring(struct gt_perf *p, const struct set *set, pid_t pid, int cpu, size_t bytes)
{
	struct gt_perf_ring ring = { .bytes = bytes };
	int failure = 0;

	ring.fd = set->n ? open_tracepoint(set->ids[0], pid, cpu, bytes) : open_event(p, pid, cpu, bytes);
	if (ring.fd < 0)
		return errno;
	ring.page = mmap(NULL, bytes + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	if (ring.page == MAP_FAILED) {
		failure = errno == EPERM ? ENOMEM : errno;      /* the limit of locked memory */
		close(ring.fd);
		return failure;
	}
	p->rings[p->n_rings++] = ring;
	for (unsigned i = 1; i < set->n && !failure; i++)
		failure = redirect(p, set->ids[i], pid, cpu, &ring);
	return failure;
}

/* All but the first `kept`. What is redirected goes to the last ones. */
static void close_rings(struct gt_perf *p, unsigned kept)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (; p->n_rings > kept; close(p->rings[p->n_rings].fd)) {
		p->n_rings--;
		munmap(p->rings[p->n_rings].page, p->rings[p->n_rings].bytes + page);
	}
	while (p->redirected.n)
		close(p->redirected.v[--p->redirected.n]);
}

static int open_on_all(struct gt_perf *p, const struct set *set, pid_t pid, long cpus, size_t bytes)
{
	unsigned before = p->n_rings;

	for (int cpu = 0; cpu < cpus; cpu++) {
		int failure = open_ring(p, set, pid, cpu, bytes);

		if (failure && failure != ENODEV)
			return failure;
	}
	return p->n_rings > before ? 0 : ENODEV;
}

/* All of one size, as large as there is room for. 0, or errno, and none is open then. */
static int open_set(struct gt_perf *p, const struct set *set, pid_t pid, long cpus)
{
	size_t bytes = RING_MOST, least = PAGES_LEAST * (size_t)sysconf(_SC_PAGESIZE);
	unsigned before = p->n_rings;
	int failure;

	while (bytes > RING_USUAL && bytes * (size_t)cpus > ALL_MOST)
		bytes /= 2;
	while ((failure = open_on_all(p, set, pid, cpus, bytes)) == ENOMEM && bytes > least) {
		close_rings(p, before);
		bytes /= 2;
	}
	if (failure)
		close_rings(p, before);
	return failure;
}

static void free_all(struct gt_perf *p)
{
	close_rings(p, 0);
	gt_perf_spool_free(p->spool);
	gt_perf_delay_free(p->delay);
	for (uint32_t i = 0; i < p->types.n; i++)
		gt_perf_tracepoint_free(&p->types.v[i]);
	free(p->types.v);
	free(p->redirected.v);
	free(p->rings);
	free(p->scratch);
	free(p->costs.v);
	free(p);
}

static int paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (f && fscanf(f, "%d", &level) != 1)
		level = 0;
	if (f)
		fclose(f);
	return level;
}

/* "no samples and no context switches": what the user asked for and does not get. */
static void put_what(const struct gt_perf *p, struct gt_text *t)
{
	const bool wanted[] = { p->samples, p->switches, p->types.n };
	static const char *const names[] = { "samples", "context switches", "tracepoints" };
	bool some = false;

	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		if (!wanted[i])
			continue;
		gt_text_str(t, some ? " and no " : "no ");
		gt_text_str(t, names[i]);
		some = true;
	}
}

/* One sentence for the user, from the errno of the kernel's answer. */
static void explain(const struct gt_perf *p, int failure, struct gt_text *t)
{
	if (gc_without("says-no-samples"))
		return;
	put_what(p, t);
	if ((failure == EACCES || failure == EPERM) && paranoid() > 2) {
		gt_text_lit(t, ": this machine permits none (kernel.perf_event_paranoid is ");
		gt_text_i64(t, paranoid());
		gt_text_lit(t, "; 2 is enough)");
	} else if (failure == EACCES || failure == EPERM || failure == ENOSYS) {
		gt_text_lit(t, ": the system call perf_event_open is forbidden here, as in most containers: ");
		gt_text_str(t, strerror(failure));
	} else if (failure == ENOMEM) {
		gt_text_lit(t, ": no memory for the kernel's rings (kernel.perf_event_mlock_kb, ulimit -l)");
	} else {
		gt_text_lit(t, ": perf_event_open: ");
		gt_text_str(t, strerror(failure));
	}
	gt_text_char(t, '\n');
}

/* Each processor needs some; the child has its limits already. */
static void more_descriptors(rlim_t n)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < n + 256) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static struct gt_perf *prepare(const struct gt_run *run, long cpus)
{
	struct gt_perf *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->samples = samples_asked(run);
	p->switches = asked(run, "sched");
	p->cycles = p->samples && !strcmp(gt_option(run->options, "sample"), "cycles");
	p->build_ids = true;
	p->rate = (uint64_t)gt_option_number(run->options, "sample-rate", 200);
	p->rate = p->rate < 1 ? 1 : p->rate > 100000 ? 100000 : p->rate;
	p->period = UINT64_C(1000000000) / p->rate;
	p->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	if (p->samples && strcmp(gt_option(run->options, "sample-stacks"), "none"))
		p->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (p->samples && !strcmp(gt_option(run->options, "sample-stacks"), "copy")) {
		p->no_unwinder = !gt_perf_registers || !gt_perf_unwind_ready();
		p->sample_type |= p->no_unwinder ? 0 : PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	}
	p->delay = p->switches ? gt_perf_delay_new() : NULL;
	p->rings = calloc(3 * (size_t)cpus, sizeof *p->rings);
	p->scratch = malloc(RING_MOST);
	p->spool = gt_perf_spool_new(run->trace);
	if (p->rings && p->scratch && p->spool)
		return p;
	free_all(p);
	return NULL;
}

static const char *refused(int failure)
{
	return failure == EACCES || failure == EPERM
		? "tracepoints need CAP_PERFMON, or kernel.perf_event_paranoid -1" : strerror(failure);
}

/* What nobody may be told costs nothing else. */
static void open_wakings(struct gt_perf *p, pid_t pid, long cpus)
{
	struct gt_perf_wakings w = { 0 };
	unsigned before = p->n_rings;
	int failure = 0;

	p->no_wakings = gt_perf_wakings_find(&w);
	if (!p->no_wakings)
		failure = open_set(p, &(struct set){ &w.id, 1 }, pid, cpus);
	if (failure)
		p->no_wakings = refused(failure);
	p->n_wakings = p->n_rings - before;
	if (p->n_wakings)
		gt_perf_spool_wakings(p->spool, before, w.place);
}

/* --------------------------------------------------------------------- tracepoints */

/* bytes 0: of none that was asked for. */
static void say_no_tracepoint(struct gt_text *t, const char *name, size_t bytes, const char *why)
{
	gt_text_str(t, bytes ? "no tracepoint " : "no tracepoints");
	gt_text_bytes(t, name, bytes);
	gt_text_lit(t, " (--ftrace): ");
	gt_text_str(t, why);
	gt_text_char(t, '\n');
}

static const char no_name[] = "a tracepoint is named SUBSYSTEM/EVENT", too_many[] = "64 are the most there can be";

/* "raw_syscalls/sys_enter", or with a colon. NULL, or why it is not to be had. */
static const char *find_tracepoint(struct gt_perf *p, const char *name, size_t bytes)
{
	char subsystem[64] = "", event[64] = "", text[160];
	struct gt_perf_tracepoint found, *kept;
	const char *why;
	int rest = 0;

	snprintf(text, sizeof text, "%.*s", (int)(bytes < sizeof text ? bytes : sizeof text - 1), name);
	if (sscanf(text, "%63[A-Za-z0-9_-]%*1[/:]%63[A-Za-z0-9_-]%n", subsystem, event, &rest) != 2 || text[rest])
		return no_name;
	if (p->types.n >= GT_PERF_TRACEPOINTS)
		return too_many;
	why = gt_perf_tracepoint_read(&found, subsystem, event);
	if (why)
		return why;
	for (uint32_t i = 0; i < p->types.n; i++)
		if (p->types.v[i].id == found.id) {
			gt_perf_tracepoint_free(&found);
			return NULL;
		}
	kept = GT_LIST_ADD(&p->types);
	if (kept)
		*kept = found;
	else
		gt_perf_tracepoint_free(&found);
	return kept ? NULL : "no memory";
}

/* Those that were asked for and are there. What holds for all of them is said once. */
static void find_tracepoints(struct gt_perf *p, const char *list, struct gt_text *said)
{
	for (const char *at = list; *at; at += strspn(at, ",")) {
		size_t bytes = strcspn(at, ",");
		const char *why = bytes ? find_tracepoint(p, at, bytes) : NULL;
		bool of_it = why == gt_perf_no_such || why == no_name || why == too_many;

		if (why)
			say_no_tracepoint(said, at, of_it ? bytes : 0, why);
		if (why && !of_it)
			return;
		at += bytes;
	}
}

/* raw_syscalls, say, is permitted where others are not. What holds for all of them is said once. */
static void drop_refused(struct gt_perf *p, pid_t pid, struct gt_text *said)
{
	uint32_t kept = 0, n = p->types.n;
	struct gt_text each = { 0 };
	const char *why = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct gt_perf_tracepoint *t = &p->types.v[i];
		int fd = open_tracepoint(t->id, pid, -1, RING_USUAL);

		if (fd >= 0) {
			close(fd);
			p->types.v[kept++] = *t;
			continue;
		}
		why = refused(errno);
		say_no_tracepoint(&each, t->name, strlen(t->name), why);
		gt_perf_tracepoint_free(t);
	}
	p->types.n = kept;
	if (why && !kept)
		say_no_tracepoint(said, "", 0, why);
	else
		gt_text_bytes(said, each.data, each.used);
	gt_text_free(&each);
}

/* One ring for each processor takes the events of all of them; an event's first bytes say which it is. */
static void open_tracepoints(struct gt_perf *p, pid_t pid, long cpus, struct gt_text *said)
{
	uint64_t ids[GT_PERF_TRACEPOINTS];
	unsigned before = p->n_rings;
	int failure;

	drop_refused(p, pid, said);
	for (uint32_t i = 0; i < p->types.n; i++)
		ids[i] = p->types.v[i].id;
	failure = p->types.n ? open_set(p, &(struct set){ ids, p->types.n }, pid, cpus) : 0;
	if (failure)
		say_no_tracepoint(said, "", 0, refused(failure));
	else if (p->types.n)
		gt_perf_spool_tracepoints(p->spool, before);
}

/* ------------------------------------------------------------------------- opening */

/* False: nothing is recorded, and p is to be freed. */
static bool open_all(struct gt_perf *p, const struct gt_run *run, long cpus, struct gt_text *said)
{
	int failure;

	find_tracepoints(p, gt_option(run->options, "ftrace"), said);
	if (!p->samples && !p->switches && !p->types.n)
		return false;
	more_descriptors((rlim_t)cpus * (2 + p->types.n));
	failure = open_set(p, &(struct set){ NULL, 0 }, run->pid, cpus);
	if (!failure) {
		if (p->switches)
			open_wakings(p, run->pid, cpus);
		open_tracepoints(p, run->pid, cpus, said);
		return true;
	}
	explain(p, failure, said);
	if (!p->delay)
		return false;
	/* that is counted in any case, and anybody may read it */
	p->samples = p->switches = p->fell_back = p->no_unwinder = false;
	p->no_wakings = "perf_event_open is refused here";
	return true;
}

struct gt_perf *gt_perf_open(const struct gt_run *run, char **why)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct gt_text said = { 0 };
	struct gt_perf *p;

	*why = NULL;
	if (!samples_asked(run) && !asked(run, "sched") && !*gt_option(run->options, "ftrace"))
		return NULL;
	cpus = cpus < 1 ? 1 : cpus;
	p = prepare(run, cpus);
	if (!p) {
		*why = strdup("no samples: no memory, or no room for them beside the trace");
		return NULL;
	}
	if (!open_all(p, run, cpus, &said)) {
		free_all(p);
		p = NULL;
	}
	gt_text_char(&said, 0);
	*why = said.used > 1 && !said.failed ? strdup(said.data) : NULL;
	gt_text_free(&said);
	return p;
}

unsigned gt_perf_descriptors(const struct gt_perf *p, int *to, unsigned room)
{
	unsigned n = p && p->n_rings < room ? p->n_rings : p ? room : 0;

	for (unsigned i = 0; i < n; i++)
		to[i] = p->rings[i].fd;
	return n;
}

/* The kernel moves data_head (acquire: what stands before it is written), we move data_tail (release: it was read). */
static bool drain(struct gt_perf *p, unsigned i)
{
	struct gt_perf_ring *r = &p->rings[i];
	struct perf_event_mmap_page *page = r->page;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	const char *data = (const char *)page + page->data_offset;
	size_t n = (size_t)(head - tail), at = (size_t)(tail & (r->bytes - 1)), first = r->bytes - at;

	if (!n || n > r->bytes)
		return false;
	first = first < n ? first : n;
	memcpy(p->scratch, data + at, first);
	memcpy(p->scratch + first, data, n - first);
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	if (!gt_perf_spool_add(p->spool, i, p->scratch, n))
		p->full = true;
	return true;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void gt_perf_drain(struct gt_perf *p)
{
	uint64_t began = now_ns();
	struct gt_perf_cost *cost;
	bool some = false;

	for (unsigned i = 0; p && i < p->n_rings; i++)
		some |= drain(p, i);
	cost = some ? GT_LIST_ADD(&p->costs) : NULL;
	if (cost)
		*cost = (struct gt_perf_cost){ began, now_ns() };
}

void gt_perf_look(struct gt_perf *p, const struct gt_run *run, bool last)
{
	if (p)
		gt_perf_delay_look(p->delay, (uint32_t)run->pid, last);
}

unsigned gt_perf_kinds(const struct gt_perf *p)
{
	return p ? (p->samples ? 1u : 0) | (p->switches ? 2u : 0) | (p->types.n ? 4u : 0) : 0;
}

const char *gt_perf_no_wakings(const struct gt_perf *p) { return p ? p->no_wakings : NULL; }

void gt_perf_free(struct gt_perf *p) { free_all(p); }
