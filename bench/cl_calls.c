/*
 * bench/cl_calls.c - how long OpenCL calls take, from the program's side: the same program bare and under the shim
 *
 *	cl_calls KIND [-t THREADS] [-b BLOCKS] [-n CALLS] [--self-timed] [--latency]
 *
 * KIND   floor           two clock reads, as the shim stamps
 *        device-info     clGetDeviceInfo of 4 bytes
 *        kernel-info     clGetKernelInfo of 4 bytes
 *        retain-release  clRetainMemObject, clReleaseMemObject in turn; per call
 *        set-arg         clSetKernelArg of one buffer
 *        enqueue         1000 one-dimensional kernels and clFinish; per kernel
 *        write           blocking clEnqueueWriteBuffer of 64 bytes
 *        threads         2000 threads, one after the other, each makes one call; per thread
 *        fork            fork, _exit in the child, wait; per fork
 *        pending         CALLS kernels kept pending by a user event; private memory after them
 *        nothing         no call at all
 *        volume          CALLS calls of 4-byte queries, then the end of the process
 *
 * Prints "KIND ns NUMBER": the best of BLOCKS blocks of CALLS calls, in nanoseconds per call, the mean over threads.
 * --self-timed  the program keeps the events and asks for the four times itself (KIND enqueue)
 * --latency     prints "latency p999 NS worst NS preempted N" instead: each call by itself; calls during which the
 *               thread was switched out against its will are counted apart
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define CHECK(call) do { \
	cl_int err_ = (call); \
	if (err_) { fprintf(stderr, "%s: %d\n", #call, err_); exit(3); } } while (0)
#define THREADS_MAX 64
#define BATCH 1000

static cl_device_id device;
static cl_context context;
static cl_program program;
static const char *kind;
static long calls, blocks = 20;
static int threads = 1;
static bool self_timed, latency;
static bool tsc;
static double ns_per_tick = 1;
static pthread_barrier_t start;

struct worker {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem buffer;
	cl_event *events;
	double best;                    /* ns per call */
	uint32_t *each;                 /* --latency: ns */
	long preempted;
	uint64_t sum;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The clock that the shim would use. */
static inline uint64_t tick(void)
{
#if defined(__x86_64__)
	if (tsc)
		return __rdtsc();
#endif
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void clock_open(void)
{
	char name[32] = "";
	FILE *in = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");

	if (in) {
		tsc = fgets(name, sizeof name, in) && (!strcmp(name, "tsc\n") || !strcmp(name, "kvm-clock\n"));
		fclose(in);
	}
	uint64_t t0 = tick(), n0 = now_ns();

	while (now_ns() - n0 < 20000000)
		;
	ns_per_tick = (double)(now_ns() - n0) / (double)(tick() - t0);
}

/* ------------------------------------------------------------------ the calls */

static inline void one(struct worker *w, long i)
{
	cl_uint value;

	switch (kind[0]) {
	case 'd': case 'v': case 't': case 'f': case 'p':
		CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof value, &value, NULL));
		break;
	case 'k':
		CHECK(clGetKernelInfo(w->kernel, CL_KERNEL_NUM_ARGS, sizeof value, &value, NULL));
		break;
	case 'r':
		if (i & 1)
			CHECK(clReleaseMemObject(w->buffer));
		else
			CHECK(clRetainMemObject(w->buffer));
		break;
	case 's':
		CHECK(clSetKernelArg(w->kernel, 0, sizeof w->buffer, &w->buffer));
		break;
	case 'w':
		CHECK(clEnqueueWriteBuffer(w->queue, w->buffer, CL_TRUE, 0, 64, w->events, 0, NULL, NULL));
		break;
	}
}

static void launch(struct worker *w, const cl_event *gate, cl_event *event)
{
	const size_t items = 1;

	CHECK(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &items, NULL, gate ? 1 : 0, gate, event));
}

static void ask(struct worker *w, cl_event event)
{
	static const cl_profiling_info what[4] = { CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED,
		CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START };
	cl_ulong ns;

	for (int i = 0; i < 4; i++) {
		CHECK(clGetEventProfilingInfo(event, what[i], sizeof ns, &ns, NULL));
		w->sum += ns;
	}
	CHECK(clReleaseEvent(event));
}

static void batch(struct worker *w)
{
	for (int i = 0; i < BATCH; i++)
		launch(w, NULL, self_timed ? &w->events[i] : NULL);
	CHECK(clFinish(w->queue));
	for (int i = 0; self_timed && i < BATCH; i++)
		ask(w, w->events[i]);
}

static double block(struct worker *w)
{
	uint64_t from, to;

	pthread_barrier_wait(&start);
	from = tick();
	if (!strcmp(kind, "floor"))
		for (long i = 0; i < calls; i++)
			w->sum += tick() ^ tick();
	else if (kind[0] == 'e')
		for (long i = 0; i < calls; i += BATCH)
			batch(w);
	else
		for (long i = 0; i < calls; i++)
			one(w, i);
	to = tick();
	return (double)(to - from) * ns_per_tick / (double)calls;
}

/*
 * A call that takes long because the thread had to leave its core says nothing about us; the kernel counts such leaves.
 */
static void each_call(struct worker *w)
{
	struct rusage before, after;
	long n = 0;

	getrusage(RUSAGE_THREAD, &before);
	for (long i = 0; i < calls; i++) {
		uint64_t from = tick();

		one(w, i);
		double ns = (double)(tick() - from) * ns_per_tick;

		if (ns > 5000) {
			getrusage(RUSAGE_THREAD, &after);
			bool left = after.ru_nivcsw != before.ru_nivcsw;

			before = after;
			if (left) {
				w->preempted++;
				continue;
			}
		}
		w->each[n++] = ns > 4e9 ? UINT32_MAX : (uint32_t)ns;
	}
	w->best = (double)n;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	bool warm = true;

	if (latency) {
		for (long i = 0; i < 1000; i++)
			one(w, i);
		pthread_barrier_wait(&start);
		each_call(w);
		return NULL;
	}
	for (long b = 0; b <= blocks; b++) {
		double ns = block(w);

		if (!warm && (w->best == 0 || ns < w->best))
			w->best = ns;
		warm = false;
	}
	return NULL;
}

/* ------------------------------------------------------------------ set-up */

static void open_worker(struct worker *w)
{
	cl_int err;

	w->queue = clCreateCommandQueue(context, device, self_timed ? CL_QUEUE_PROFILING_ENABLE : 0, &err);
	CHECK(err);
	w->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
	CHECK(err);
	w->kernel = clCreateKernel(program, "nothing", &err);
	CHECK(err);
	CHECK(clSetKernelArg(w->kernel, 0, sizeof w->buffer, &w->buffer));
	w->events = calloc(BATCH, sizeof *w->events);
	if (latency)
		w->each = calloc((size_t)calls, sizeof *w->each);
}

static void open_all(struct worker *w, int n)
{
	static const char *const source =
		"kernel void nothing(global int *out) { if (get_global_id(0) == 7) out[0] = 1; }";
	cl_platform_id platform;
	cl_int err;

	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	CHECK(err);
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	for (int i = 0; i < n; i++)
		open_worker(&w[i]);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void print_latency(struct worker *w)
{
	uint32_t *all = malloc((size_t)(calls * threads) * sizeof *all);
	long n = 0, preempted = 0;

	for (int i = 0; i < threads; i++) {
		memcpy(all + n, w[i].each, (size_t)w[i].best * sizeof *all);
		n += (long)w[i].best;
		preempted += w[i].preempted;
	}
	qsort(all, (size_t)n, sizeof *all, by_value);
	printf("latency p999 %u worst %u preempted %ld\n", all[n - 1 - n / 1000], all[n - 1], preempted);
	free(all);
}

static void run_workers(struct worker *w)
{
	pthread_t id[THREADS_MAX];
	double sum = 0;

	pthread_barrier_init(&start, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++)
		pthread_create(&id[i], NULL, work, &w[i]);
	work(&w[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	if (latency) {
		print_latency(w);
		return;
	}
	for (int i = 0; i < threads; i++)
		sum += w[i].best;
	printf("%s ns %.3f\n", kind, sum / threads);
}

/* ------------------------------------------------------------------ threads, forks, memory */

static void *one_call(void *arg)
{
	one(arg, 0);
	return NULL;
}

static void short_threads(struct worker *w)
{
	uint64_t best = UINT64_MAX;

	for (long b = 0; b < blocks; b++) {
		uint64_t from = now_ns(), ns;

		for (long i = 0; i < calls; i++) {
			pthread_t id;

			pthread_create(&id, NULL, one_call, w);
			pthread_join(id, NULL);
		}
		ns = now_ns() - from;
		best = ns < best ? ns : best;
	}
	printf("threads ns %.1f\n", (double)best / (double)calls);
}

static void forks(void)
{
	uint64_t best = UINT64_MAX;

	for (long i = 0; i < calls; i++) {
		uint64_t from = now_ns(), ns;
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
		ns = now_ns() - from;
		best = ns < best ? ns : best;
	}
	printf("fork ns %.1f\n", (double)best);
}

/* Bytes of private memory, and of mapped trace pages: "Private_*" of all mappings but those of a trace's files. */
static void memory(uint64_t *own, uint64_t *trace)
{
	FILE *in = fopen("/proc/self/smaps", "r");
	bool of_trace = false;
	char line[4096];
	unsigned long kb;

	*own = *trace = 0;
	while (in && fgets(line, sizeof line, in)) {
		if (line[0] >= '0' && (line[0] <= '9' || line[0] >= 'a'))
			of_trace = strstr(line, ".gputap/") != NULL;
		if (of_trace ? sscanf(line, "Rss: %lu", &kb) == 1 : sscanf(line, "Private_Clean: %lu", &kb) == 1 ||
			sscanf(line, "Private_Dirty: %lu", &kb) == 1)
			*(of_trace ? trace : own) += kb * 1024;
	}
	if (in)
		fclose(in);
}

static void pending(struct worker *w)
{
	uint64_t own, before, trace;
	cl_int err;
	cl_event gate = clCreateUserEvent(context, &err);

	CHECK(err);
	for (long i = 0; i < 20000; i++)        /* so that the stream has its windows */
		one(w, i);
	launch(w, &gate, NULL);
	memory(&before, &trace);
	for (long i = 1; i < calls; i++)
		launch(w, NULL, NULL);
	memory(&own, &trace);
	printf("pending private %llu first %llu trace %llu\n", (unsigned long long)own, (unsigned long long)before,
		(unsigned long long)trace);
	fflush(stdout);
	/* PoCL 3.1's basic device never gets through kernels that a user event held */
	_exit(0);
}

static void volume(struct worker *w)
{
	for (long i = 0; i < calls; i++)
		one(w, i);
	printf("volume at %.6f\n", (double)now_ns() / 1e9);
	fflush(stdout);
}

static long default_calls(void)
{
	return kind[0] == 'e'              ? 3 * BATCH
		: kind[0] == 'w'           ? 5000
		: !strcmp(kind, "threads") ? 2000
		: !strcmp(kind, "fork")    ? 100
		: !strcmp(kind, "pending") ? 100000
		: latency                  ? 500000
					   : 50000;
}

int main(int argc, char **argv)
{
	static struct worker w[THREADS_MAX];

	if (argc < 2) {
		fprintf(stderr,
			"usage: cl_calls KIND [-t THREADS] [-b BLOCKS] [-n CALLS] [--self-timed] [--latency]\n");
		return 2;
	}
	kind = argv[1];
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "-t") && i + 1 < argc)
			threads = atoi(argv[++i]);
		else if (!strcmp(argv[i], "-b") && i + 1 < argc)
			blocks = atol(argv[++i]);
		else if (!strcmp(argv[i], "-n") && i + 1 < argc)
			calls = atol(argv[++i]);
		else if (!strcmp(argv[i], "--self-timed"))
			self_timed = true;
		else if (!strcmp(argv[i], "--latency"))
			latency = true;
	}
	if (!strcmp(kind, "nothing"))
		return 0;
	if (!calls)
		calls = default_calls();
	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	clock_open();
	if (strcmp(kind, "floor"))
		open_all(w, threads);
	if (!strcmp(kind, "threads"))
		short_threads(w);
	else if (!strcmp(kind, "fork"))
		forks();
	else if (!strcmp(kind, "pending"))
		pending(w);
	else if (!strcmp(kind, "volume"))
		volume(w);
	else
		run_workers(w);
	return 0;
}
