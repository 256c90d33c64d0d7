/*
 * cli/run/peak.c - gputap run --measure-peak: what the memory of the program's OpenCL devices moves at most
 *
 * After the program's end, so that neither its times nor the caches of its runtime's compiler are others than without.
 * Each device that ran a kernel of the trace is measured in a process of its own, with the launcher's environment: a
 * runtime that crashes or hangs costs the answer alone. Three kernels copy, read and write buffers that no cache holds;
 * the fastest launch of all is the peak, and becomes a line of TRACE/run (analysis/metrics/peak.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/metrics/host.h"
#include "analysis/metrics/peak.h"
#include "cli/run/run.h"
#include "common/harmless.h"

enum { PATIENCE_MS = 60000, MOST_DEVICES = 64, MOST_PLATFORMS = 16, NAME_ROOM = 256 };

struct device { char name[NAME_ROOM], platform[NAME_ROOM]; };
struct devices { struct device v[MOST_DEVICES]; uint32_t n; };
struct answer { uint32_t word, launches; uint64_t bytes, ns; };         /* word: enum gt_peak_word */

/* ------------------------------------------------------------------ OpenCL, as far as it is needed */

typedef void *handle;

#define FUNCTIONS(X) \
	X(int, clGetPlatformIDs, uint32_t, handle *, uint32_t *) \
	X(int, clGetPlatformInfo, handle, uint32_t, size_t, void *, size_t *) \
	X(int, clGetDeviceIDs, handle, uint64_t, uint32_t, handle *, uint32_t *) \
	X(int, clGetDeviceInfo, handle, uint32_t, size_t, void *, size_t *) \
	X(handle, clCreateContext, const intptr_t *, uint32_t, const handle *, void *, void *, int *) \
	X(handle, clCreateCommandQueue, handle, handle, uint64_t, int *) \
	X(handle, clCreateProgramWithSource, handle, uint32_t, const char **, const size_t *, int *) \
	X(int, clBuildProgram, handle, uint32_t, const handle *, const char *, void *, void *) \
	X(handle, clCreateKernel, handle, const char *, int *) \
	X(int, clGetKernelWorkGroupInfo, handle, handle, uint32_t, size_t, void *, size_t *) \
	X(handle, clCreateBuffer, handle, uint64_t, size_t, void *, int *) \
	X(int, clSetKernelArg, handle, uint32_t, size_t, const void *) \
	X(int, clEnqueueNDRangeKernel, handle, handle, uint32_t, const size_t *, const size_t *, const size_t *, \
		uint32_t, const handle *, handle *) \
	X(int, clWaitForEvents, uint32_t, const handle *) \
	X(int, clGetEventProfilingInfo, handle, uint32_t, size_t, void *, size_t *) \
	X(int, clReleaseEvent, handle)

struct opencl {
#define X(type, name, ...) type (*name)(__VA_ARGS__);
	FUNCTIONS(X)
#undef X
};

enum {
	PLATFORM_NAME = 0x0902, DEVICE_NAME = 0x102B, DEVICE_CACHE = 0x101E, DEVICE_MEMORY = 0x101F,
	DEVICE_MOST_ALLOCATED = 0x1010, KERNEL_GROUP = 0x11B0, EVENT_START = 0x1282, EVENT_END = 0x1283,
	QUEUE_PROFILING = 2, MEMORY_READ_WRITE = 1,
};
#define ALL_DEVICES UINT64_C(0xFFFFFFFF)

static bool load(struct opencl *cl)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

#define X(type, name, ...) \
	*(void **)&cl->name = library ? dlsym(library, #name) : NULL; \
	if (!cl->name) \
		return false;
	FUNCTIONS(X)
#undef X
	return true;
}

static void trim(char name[NAME_ROOM])
{
	size_t n = strnlen(name, NAME_ROOM - 1);

	while (n && (name[n - 1] == ' ' || name[n - 1] == '\t' || name[n - 1] == '\n'))
		n--;
	name[n] = 0;
}

static bool is_named(const struct opencl *cl, handle platform, handle device, const struct device *wanted)
{
	struct device is = { .name = "" };

	if (cl->clGetDeviceInfo(device, DEVICE_NAME, NAME_ROOM - 1, is.name, NULL) ||
		cl->clGetPlatformInfo(platform, PLATFORM_NAME, NAME_ROOM - 1, is.platform, NULL))
		return false;
	trim(is.name);
	trim(is.platform);
	return !strcmp(is.name, wanted->name) && (!*wanted->platform || !strcmp(is.platform, wanted->platform));
}

static handle find_device(const struct opencl *cl, const struct device *wanted)
{
	handle platforms[MOST_PLATFORMS], devices[MOST_DEVICES];
	uint32_t n_platforms = 0, n = 0;

	if (cl->clGetPlatformIDs(MOST_PLATFORMS, platforms, &n_platforms))
		return NULL;
	for (uint32_t i = 0; i < n_platforms && i < MOST_PLATFORMS; i++) {
		if (cl->clGetDeviceIDs(platforms[i], ALL_DEVICES, MOST_DEVICES, devices, &n))
			continue;
		for (uint32_t k = 0; k < n && k < MOST_DEVICES; k++)
			if (is_named(cl, platforms[i], devices[k], wanted))
				return devices[k];
	}
	return NULL;
}

/* ------------------------------------------------------------------ the measuring */

/* Reading: eight streams, so that each work-item does more than begin and end; the sum is never that number. */
static const char *const source =
	"__kernel void gputap_copy(__global float4 *to, __global const float4 *from)\n"
	"{ size_t i = get_global_id(0); to[i] = from[i]; }\n"
	"__kernel void gputap_write(__global float4 *to, __global const float4 *from)\n"
	"{ to[get_global_id(0)] = (float4)(1.0f); }\n"
	"__kernel void gputap_read(__global float4 *to, __global const float4 *from)\n"
	"{ size_t i = get_global_id(0), n = get_global_size(0);\n"
	"  float4 s = from[i] + from[i + n] + from[i + 2 * n] + from[i + 3 * n] + from[i + 4 * n] + from[i + 5 * n]\n"
	"    + from[i + 6 * n] + from[i + 7 * n];\n"
	"  if (s.x + s.y + s.z + s.w == 1234.5f) to[i] = s; }\n";

enum { ITEM = 16, STREAMS = 8, GROUP = 256, LEAST_LAUNCHES = 3, MOST_LAUNCHES = 50 };
#define ENOUGH_NS UINT64_C(250000000)           /* of a kernel's launches together */

struct bench {
	struct opencl cl;
	handle device, context, queue, program, buffer[2];
	size_t bytes;                           /* of each buffer */
	struct answer best;
};

static uint64_t device_number(const struct bench *b, uint32_t what)
{
	uint64_t v = 0;

	return b->cl.clGetDeviceInfo(b->device, what, sizeof v, &v, NULL) ? 0 : v;
}

/* Four times what the last cache holds, within an eighth of the memory; whole groups of each kernel. */
static size_t buffer_size(const struct bench *b)
{
	uint64_t bytes = 4 * device_number(b, DEVICE_CACHE), most = device_number(b, DEVICE_MOST_ALLOCATED),
		 all = device_number(b, DEVICE_MEMORY) / 8;

	bytes = bytes < UINT64_C(64) << 20 ? UINT64_C(64) << 20 : bytes;
	bytes = most && most < bytes ? most : bytes;
	bytes = all && all < bytes ? all : bytes;
	return (size_t)(bytes / (ITEM * STREAMS * GROUP) * (ITEM * STREAMS * GROUP));
}

/* ns of one launch; 0: *word says why there are none. */
static uint64_t launch(const struct bench *b, handle kernel, size_t items, size_t group, enum gt_peak_word *word)
{
	uint64_t start = 0, end = 0;
	handle event;

	*word = GT_PEAK_no_run;
	if (b->cl.clEnqueueNDRangeKernel(b->queue, kernel, 1, NULL, &items, &group, 0, NULL, &event))
		return 0;
	if (b->cl.clWaitForEvents(1, &event))
		return 0;
	*word = GT_PEAK_no_times;
	if (b->cl.clGetEventProfilingInfo(event, EVENT_START, sizeof start, &start, NULL) ||
		b->cl.clGetEventProfilingInfo(event, EVENT_END, sizeof end, &end, NULL))
		end = 0;
	b->cl.clReleaseEvent(event);
	return end > start ? end - start : 0;
}

static bool is_faster(const struct answer *best, uint64_t bytes, uint64_t ns)
{
	return !best->ns || (double)bytes * (double)best->ns > (double)best->bytes * (double)ns;
}

/* Launches of one kernel over whole buffers; the first one is not counted. False: *failed says why. */
static bool measure(struct bench *b, enum gt_peak_word which, enum gt_peak_word *failed)
{
	uint64_t bytes = which == GT_PEAK_copy ? 2 * b->bytes : b->bytes, all = 0, ns;
	size_t items = b->bytes / ITEM / (which == GT_PEAK_read ? STREAMS : 1), most = 0, group = GROUP;
	char name[32];
	handle k;

	snprintf(name, sizeof name, "gputap_%s", gt_peak_word(which));
	k = b->cl.clCreateKernel(b->program, name, NULL);
	*failed = GT_PEAK_no_program;
	for (uint32_t i = 0; i < 2; i++)
		if (!k || b->cl.clSetKernelArg(k, i, sizeof b->buffer[i], &b->buffer[i]))
			return false;
	b->cl.clGetKernelWorkGroupInfo(k, b->device, KERNEL_GROUP, sizeof most, &most, NULL);
	while (most && group > most)
		group /= 2;
	for (unsigned i = 0; i <= MOST_LAUNCHES && (i <= LEAST_LAUNCHES || all < ENOUGH_NS); i++, all += ns) {
		ns = launch(b, k, items, group, failed);
		if (!ns)
			return false;
		b->best.launches += i > 0;
		if (i && is_faster(&b->best, bytes, ns)) {
			b->best.word = which;
			b->best.bytes = bytes;
			b->best.ns = ns;
		}
	}
	return true;
}

static bool make_buffers(struct bench *b)
{
	b->bytes = buffer_size(b);
	for (int i = 0; i < 2; i++)
		b->buffer[i] = b->cl.clCreateBuffer(b->context, MEMORY_READ_WRITE, b->bytes, NULL, NULL);
	return b->bytes && b->buffer[0] && b->buffer[1];
}

/* The first buffer is written, then the second, from which the other kernels read. */
static enum gt_peak_word measure_all(struct bench *b)
{
	static const enum gt_peak_word order[] = { GT_PEAK_write, GT_PEAK_write, GT_PEAK_read, GT_PEAK_copy };
	enum gt_peak_word failed;

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		handle first = b->buffer[0];

		if (i < 2) {
			b->buffer[0] = b->buffer[1];
			b->buffer[1] = first;
		}
		if (!measure(b, order[i], &failed))
			return failed;
	}
	return (enum gt_peak_word)b->best.word;
}

static enum gt_peak_word measure_device(struct bench *b, const struct device *wanted)
{
	if (!load(&b->cl))
		return GT_PEAK_no_library;
	b->device = find_device(&b->cl, wanted);
	if (!b->device)
		return GT_PEAK_no_device;
	b->context = b->cl.clCreateContext(NULL, 1, &b->device, NULL, NULL, NULL);
	b->queue = b->context ? b->cl.clCreateCommandQueue(b->context, b->device, QUEUE_PROFILING, NULL) : NULL;
	if (!b->queue)
		return GT_PEAK_no_run;
	b->program = b->cl.clCreateProgramWithSource(b->context, 1, (const char **)&source, NULL, NULL);
	if (!b->program || b->cl.clBuildProgram(b->program, 1, &b->device, "", NULL, NULL))
		return GT_PEAK_no_program;
	return make_buffers(b) ? measure_all(b) : GT_PEAK_no_memory;
}

/* ------------------------------------------------------------------ a process of its own */

/* Runtimes print; who waits for us may be killed. */
static void child(const struct device *wanted, int fd, pid_t launcher)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct bench b = { .bytes = 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != launcher)
		_exit(1);
	for (int i = 0; i < 3; i++)
		dup2(nothing, i);
	b.best.word = measure_device(&b, wanted);
	if (gt_peak_failure((enum gt_peak_word)b.best.word))
		b.best = (struct answer){ .word = b.best.word };
	gt_host_write(fd, &b.best, sizeof b.best);
	_exit(0);
}

static struct answer ask(const struct device *wanted)
{
	struct answer a = { .word = GT_PEAK_no_answer };
	struct pollfd p = { .events = POLLIN };
	pid_t launcher = getpid(), pid;

	p.fd = gt_host_fork(&pid);
	if (p.fd < 0)
		return a;
	if (!pid)
		child(wanted, p.fd, launcher);
	if (poll(&p, 1, PATIENCE_MS) <= 0 || read(p.fd, &a, sizeof a) != sizeof a || a.word >= GT_PEAK_WORDS)
		a = (struct answer){ .word = GT_PEAK_no_answer };
	close(p.fd);
	kill(pid, SIGKILL);                     /* it has said all, or does not come back */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return a;
}

/* ------------------------------------------------------------------ the devices of the trace */

static void name_of(struct gt_string s, char out[NAME_ROOM])
{
	snprintf(out, NAME_ROOM, "%.*s", (int)(s.bytes < NAME_ROOM ? s.bytes : NAME_ROOM - 1), s.bytes ? s.text : "");
	trim(out);
}

static void add_device(struct devices *all, const struct gt_object *o)
{
	struct device d = { .name = "" };

	name_of(o->name, d.name);
	if (o->platform)
		name_of(o->platform->name, d.platform);
	for (uint32_t i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].name, d.name) && !strcmp(all->v[i].platform, d.platform))
			return;
	if (all->n < MOST_DEVICES)
		all->v[all->n++] = d;
}

/* Those that ran a kernel. */
static int find_devices(const struct gt_run *run, struct devices *all, bool *busy, struct gt_err *err)
{
	const struct gt_walk_options how = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	const struct gt_call *call;
	struct gt_model *m;
	struct gt_walk *w;
	int rc;

	if (gt_model_open(run->trace, NULL, &m, err))
		return -1;
	*busy = gt_model_live(m);
	rc = gt_walk_open(m, &how, &w, err);
	if (!rc) {
		while ((rc = gt_walk_next(w, &call, err)) > 0)
			if (call->command && call->command->is_kernel && call->command->device)
				add_device(all, call->command->device);
		gt_walk_close(w);
	}
	gt_model_close(m);
	return rc;
}

static void tell(const struct gt_run *run, const struct device *d, const struct answer *a)
{
	enum gt_peak_word word = (enum gt_peak_word)a->word;
	char line[2 * NAME_ROOM + 128];

	snprintf(line, sizeof line, "%s\t%llu\t%llu\t%u\t%s\t%s", gt_peak_word(word), (unsigned long long)a->bytes,
		(unsigned long long)a->ns, a->launches, d->name, d->platform);
	gt_run_log(run, GT_PEAK_KEY, line);
	if (run->quiet)
		return;
	if (gt_peak_failure(word))
		fprintf(stderr, "gputap: no peak of %s was measured: %s\n", gt_harmless(d->name),
			gt_peak_failure(word));
	else
		fprintf(stderr, "gputap: the memory of %s moves at most %.2f GB/s (measured: %s)\n",
			gt_harmless(d->name), (double)a->bytes / (double)a->ns, gt_peak_word(word));
}

static void measure_devices(const struct gt_run *run)
{
	struct devices all = { .n = 0 };
	struct gt_err err = { 0 };
	bool busy = false;

	if (!gt_run_recorded(run))
		return;
	if (find_devices(run, &all, &busy, &err)) {
		gt_cli_fail(&err);              /* said, but the status stays the program's */
		return;
	}
	for (uint32_t i = 0; i < all.n; i++) {
		struct answer a = busy ? (struct answer){ .word = GT_PEAK_busy } : ask(&all.v[i]);

		tell(run, &all.v[i], &a);
	}
	if (!all.n && !run->quiet)
		fprintf(stderr, "gputap: --measure-peak: no OpenCL device ran a kernel: none was measured\n");
}

void gt_run_measure_peaks(const struct gt_run *run)
{
	if (!gt_option_true(run->options, "measure-peak"))
		return;
	measure_devices(run);
	gt_run_gathered(run, "peaks");
}
