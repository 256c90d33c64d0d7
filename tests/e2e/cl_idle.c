/*
 * tests/e2e/cl_idle.c - two kernels, and between them what keeps the device idle
 *
 *	cl_idle sleep|lock|file|compute|build|wait|pool|starve|woken|back
 *
 * pool: waits for one thread that computes, while nine wait for work and one has ended.
 * starve: computes beside a thread that takes the only processor that both may use.
 * late: computes before its first call.
 * woken: wakes a thread, and sleeps with the lock that the thread must have to come back.
 * back: waits for the device, and when the runtime was told that it may go on, a signal's handler keeps it from that.
 * file: reads a named pipe, which is made in the present folder and which another thread fills late.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cl_common.h"

enum { LONG_MS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begun;
static cl_event gate;

static void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

static void sleeps(void) { pause_ms(LONG_MS); }

static void *hold(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&begun);
	pause_ms(LONG_MS);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *fill(void *unused)
{
	int fd = open("cl_idle.pipe", O_WRONLY);

	pause_ms(LONG_MS);
	if (write(fd, "x", 1) != 1)
		exit(1);
	close(fd);
	return unused;
}

static void *let_go(void *unused)
{
	pause_ms(LONG_MS);
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	return unused;
}

static void locks(void)
{
	pthread_t other;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_create(&other, NULL, hold, NULL);
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(other, NULL);
}

static void reads(void)
{
	pthread_t other;
	char c;
	int fd;

	unlink("cl_idle.pipe");
	if (mkfifo("cl_idle.pipe", 0600))
		exit(1);
	pthread_create(&other, NULL, fill, NULL);
	fd = open("cl_idle.pipe", O_RDONLY);
	if (read(fd, &c, 1) != 1)
		exit(1);
	close(fd);
	pthread_join(other, NULL);
}

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void computes(void)
{
	long until = cpu_ms() + LONG_MS;
	volatile double x = 1;

	while (cpu_ms() < until)
		for (int i = 0; i < 10000; i++)
			x = x * 1.0000001 + 1e-9;
}

static void builds(void)
{
	static char source[65536];
	const char *text = source;
	size_t used = 0;
	cl_program program;
	cl_int err;

	for (int i = 0; i < 200; i++)
		used += (size_t)snprintf(source + used, sizeof source - used,
			"__kernel void k%d(__global float *a) { a[get_global_id(0)] = sin(a[%d]) * exp(a[%d]); }\n", i,
			i, i);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	CHECK(clReleaseProgram(program));
}

static void waits(void)
{
	pthread_t other;
	cl_int err;

	gate = clCreateUserEvent(context, &err);
	CHECK(err);
	pthread_create(&other, NULL, let_go, NULL);
	CHECK(clWaitForEvents(1, &gate));
	pthread_join(other, NULL);
	CHECK(clReleaseEvent(gate));
}

static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static bool done;

static void *worker(void *unused)
{
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&work, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *calculator(void *unused)
{
	pthread_setname_np(pthread_self(), "calculator");
	pthread_barrier_wait(&begun);
	computes();
	return unused;
}

static long wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *leaver(void *unused)
{
	pthread_setname_np(pthread_self(), "leaver");
	for (long until = wall_ms() + 6; wall_ms() < until;)
		;
	pause_ms(20);
	return unused;
}

static void pool(void)
{
	pthread_t other[10], early;

	pthread_create(&early, NULL, leaver, NULL);
	pthread_join(early, NULL);
	pthread_barrier_init(&begun, NULL, 10);
	pthread_create(&other[0], NULL, calculator, NULL);
	for (int i = 1; i < 10; i++)
		pthread_create(&other[i], NULL, worker, NULL);
	pthread_join(other[0], NULL);
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&lock);
	for (int i = 1; i < 10; i++)
		pthread_join(other[i], NULL);
}

static void *sleeper(void *unused)
{
	pthread_setname_np(pthread_self(), "sleeper");
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&begun);
	while (!done)
		pthread_cond_wait(&work, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void wakes(void)
{
	pthread_t other;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_create(&other, NULL, sleeper, NULL);
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&lock); /* so it waits */
	done = true;
	pthread_cond_signal(&work);
	pause_ms(LONG_MS);
	pthread_mutex_unlock(&lock);
	pthread_join(other, NULL);
}

static volatile bool kept;

static void keep(int unused)
{
	(void)unused;
	kept = true;
	pause_ms(LONG_MS);
}

/* Does a thread of this process sleep, and not because it wants a processor? */
static bool sleeps_now(int tid)
{
	char path[64], text[256] = "";
	FILE *f;
	char *name_end;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f || !fread(text, 1, sizeof text - 1, f))
		exit(1);
	fclose(f);
	name_end = strrchr(text, ')');
	return name_end && name_end[1] && name_end[2] == 'S';
}

static pthread_t waiter;
static int waiter_tid;

static void *let_go_of_kept(void *unused)
{
	for (int n = 0; n < 5; n = sleeps_now(waiter_tid) ? n + 1 : 0)
		pause_ms(5);
	pthread_kill(waiter, SIGUSR1);
	while (!kept)
		pause_ms(1);
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	return unused;
}

static void comes_back_late(void)
{
	pthread_t other;
	cl_int err;

	signal(SIGUSR1, keep);
	waiter = pthread_self();
	waiter_tid = (int)syscall(SYS_gettid);
	gate = clCreateUserEvent(context, &err);
	CHECK(err);
	pthread_create(&other, NULL, let_go_of_kept, NULL);
	CHECK(clWaitForEvents(1, &gate));
	pthread_join(other, NULL);
	CHECK(clReleaseEvent(gate));
}

static void *hog(void *unused)
{
	long until = wall_ms() + LONG_MS;

	pthread_barrier_wait(&begun);
	while (wall_ms() < until)
		;
	return unused;
}

/* Whoever is idle's to run gets nothing where another wants the processor. */
static void starves(void)
{
	static const struct sched_param none;
	struct sched_param before;
	pthread_t other;
	cpu_set_t all, one;
	int policy;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_getaffinity_np(pthread_self(), sizeof all, &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (pthread_setaffinity_np(pthread_self(), sizeof one, &one))
		exit(1);
	pthread_create(&other, NULL, hog, NULL);
	pthread_getschedparam(pthread_self(), &policy, &before);
	pthread_barrier_wait(&begun);
	if (pthread_setschedparam(pthread_self(), SCHED_IDLE, &none))
		exit(1);
	for (long until = wall_ms() + LONG_MS; wall_ms() < until;)
		;
	pthread_join(other, NULL);
	pthread_setschedparam(pthread_self(), policy, &before);
	pthread_setaffinity_np(pthread_self(), sizeof all, &all);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } what[] = { { "sleep", sleeps }, { "lock", locks },
		{ "file", reads }, { "compute", computes }, { "build", builds }, { "wait", waits }, { "pool", pool },
		{ "starve", starves }, { "late", sleeps }, { "woken", wakes },
		{ "back", comes_back_late } };
	cl_command_queue queue;

	if (argc > 1 && !strcmp(argv[1], "late"))
		computes();
	open_context();
	open_kernel();
	queue = open_queue(CL_QUEUE_PROFILING_ENABLE);
	CHECK(run_kernel(queue, 0, NULL, NULL));
	CHECK(clFinish(queue));
	for (size_t i = 0; i < sizeof what / sizeof *what; i++)
		if (argc > 1 && !strcmp(argv[1], what[i].name))
			what[i].run();
	CHECK(run_kernel(queue, 0, NULL, NULL));
	CHECK(clFinish(queue));
	CHECK(clReleaseCommandQueue(queue));
	return 0;
}
