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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/perf/internal.h"
#include "cli/perf/rings.h"
#include "cli/perf/unwind.h"
#include "common/plain/without.h"

enum { PAGES_MOST = 128, PAGES_USUAL = 64, PAGES_LEAST = 8 };

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
	a->wakeup_watermark = (uint32_t)(ring / 4);
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
 * Who wakes whom: by events that happen in the program's threads, of any thread. A sample of it begins like those of
 * the clock, and is never refused for the kernel's sake: it happens there.
 */
static int open_wakings(uint64_t id, pid_t pid, int cpu, size_t ring)
{
	struct perf_event_attr a = { .size = PERF_ATTR_SIZE_VER5, .type = PERF_TYPE_TRACEPOINT, .config = id,
		.sample_period = 1, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		.sample_id_all = 1, .disabled = 1, .enable_on_exec = 1, .inherit = 1, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, .watermark = 1, .wakeup_watermark = (uint32_t)(ring / 4) };

	return (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* 0, or errno. ENODEV: that processor is off. wakings: number of the tracepoint, 0: all else. */
static int open_ring(struct gt_perf *p, pid_t pid, int cpu, uint64_t wakings)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* a copy is a hundred times longer than a chain */
	for (size_t pages = p->sample_type & PERF_SAMPLE_STACK_USER ? PAGES_MOST : PAGES_USUAL;; pages /= 2) {
		struct gt_perf_ring ring = { .bytes = pages * page };
		int failure;

		ring.fd = wakings ? open_wakings(wakings, pid, cpu, ring.bytes) : open_event(p, pid, cpu, ring.bytes);
		if (ring.fd < 0)
			return errno;
		ring.page = mmap(NULL, ring.bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
		if (ring.page != MAP_FAILED) {
			p->rings[p->n_rings++] = ring;
			return 0;
		}
		failure = errno;
		close(ring.fd);
		if (failure != EPERM && failure != ENOMEM)
			return failure;
		if (pages <= PAGES_LEAST)
			return ENOMEM;
	}
}

/* All but the first `kept`. */
static void close_rings(struct gt_perf *p, unsigned kept)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (; p->n_rings > kept; close(p->rings[p->n_rings].fd)) {
		p->n_rings--;
		munmap(p->rings[p->n_rings].page, p->rings[p->n_rings].bytes + page);
	}
}

static void free_all(struct gt_perf *p)
{
	close_rings(p, 0);
	gt_perf_spool_free(p->spool);
	gt_perf_delay_free(p->delay);
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

/* One sentence for the user, from the errno of the kernel's answer. */
static char *explain(const struct gt_perf *p, int failure)
{
	const char *what = p->samples && p->switches ? "samples and no context switches"
						     : p->samples ? "samples" : "context switches";
	char *text = NULL;
	int n;

	if (gc_without("says-no-samples"))
		return NULL;
	if ((failure == EACCES || failure == EPERM) && paranoid() > 2)
		n = asprintf(&text, "no %s: this machine permits none (kernel.perf_event_paranoid is %d; 2 is enough)",
			what, paranoid());
	else if (failure == EACCES || failure == EPERM || failure == ENOSYS)
		n = asprintf(&text,
			"no %s: the system call perf_event_open is forbidden here, as in most containers: %s", what,
			strerror(failure));
	else if (failure == ENOMEM)
		n = asprintf(&text, "no %s: no memory for the kernel's rings (kernel.perf_event_mlock_kb, ulimit -l)",
			what);
	else
		n = asprintf(&text, "no %s: perf_event_open: %s", what, strerror(failure));
	return n < 0 ? NULL : text;
}

/* Each processor needs a descriptor; the child has its limits already. */
static void more_descriptors(long cpus)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < (rlim_t)cpus + 256) {
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
	p->rings = calloc(2 * (size_t)cpus, sizeof *p->rings);
	p->scratch = malloc(PAGES_MOST * (size_t)sysconf(_SC_PAGESIZE));
	p->spool = gt_perf_spool_new(run->trace);
	if (p->rings && p->scratch && p->spool)
		return p;
	free_all(p);
	return NULL;
}

/* What nobody may be told costs nothing else. */
static void open_all_wakings(struct gt_perf *p, pid_t pid, long cpus)
{
	struct gt_perf_wakings w = { 0 };
	unsigned before = p->n_rings;
	int failure = 0;

	p->no_wakings = gt_perf_wakings_find(&w);
	for (int cpu = 0; !p->no_wakings && cpu < cpus && (!failure || failure == ENODEV); cpu++)
		failure = open_ring(p, pid, cpu, w.id);
	if (failure && failure != ENODEV) {
		p->no_wakings = failure == EACCES || failure == EPERM
			? "tracepoints need CAP_PERFMON, or kernel.perf_event_paranoid -1" : strerror(failure);
		close_rings(p, before);
	}
	p->n_wakings = p->n_rings - before;
	if (p->n_wakings)
		gt_perf_spool_wakings(p->spool, before, w.place);
}

struct gt_perf *gt_perf_open(const struct gt_run *run, char **why)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct gt_perf *p;
	int failure = 0;

	*why = NULL;
	if (!samples_asked(run) && !asked(run, "sched"))
		return NULL;
	cpus = cpus < 1 ? 1 : cpus;
	p = prepare(run, cpus);
	if (!p) {
		*why = strdup("no samples: no memory, or no room for them beside the trace");
		return NULL;
	}
	more_descriptors(cpus);
	for (int cpu = 0; cpu < cpus && (!failure || failure == ENODEV); cpu++)
		failure = open_ring(p, run->pid, cpu, 0);
	if ((!failure || failure == ENODEV) && p->n_rings) {
		if (p->switches)
			open_all_wakings(p, run->pid, cpus);
		return p;
	}
	*why = explain(p, failure);
	if (p->delay) {                 /* that is counted in any case, and anybody may read it */
		close_rings(p, 0);
		p->samples = p->switches = p->fell_back = p->no_unwinder = false;
		p->no_wakings = "perf_event_open is refused here";
		return p;
	}
	free_all(p);
	return NULL;
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

const char *gt_perf_no_wakings(const struct gt_perf *p) { return p ? p->no_wakings : NULL; }

void gt_perf_free(struct gt_perf *p) { free_all(p); }
