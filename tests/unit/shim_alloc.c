/*
 * tests/unit/shim_alloc.c - what a traced call does not do: allocate, lock, enter the kernel
 *
 * Allocations and locks are counted by this program's own functions of those names, which the shim's objects would bind
 * to; system calls by a tracer that stops at each of them between two marks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/shimwalk.h"

#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "trace/write/tls.h"

#define FN 0x400
#define CALLS 10000
#define MARK 0x67707574l                /* a getpid with this argument begins and ends the counting */

#ifndef PTRACE_GET_SYSCALL_INFO
#define PTRACE_GET_SYSCALL_INFO 0x420e
#endif

static volatile bool counting;
static volatile uint64_t counted;

#ifndef __SANITIZE_ADDRESS__
#define COUNTS_ALLOCATIONS 1
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static void count(void) { counted += counting; }
void *malloc(size_t n) { count(); return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { count(); return __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { count(); return __libc_realloc(p, n); }
void free(void *p) { count(); __libc_free(p); }
/* glibc exports no second name for it; a try that is repeated locks as well. */
int pthread_mutex_lock(pthread_mutex_t *m)
{
	int err;

	count();
	while ((err = pthread_mutex_trylock(m)) == EBUSY)
		sched_yield();
	return err;
}
#endif

static __attribute__((noinline)) void one_call(uint64_t value)
{
	struct tap_call call;

	if (!tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, value, 0, 0, 0))
		return;
	tap_call_stop(&call, 0);
	uint64_t *out = tap_call_reserve(&call, 0, 1);

	if (out)
		out[0] = value;
	tap_call_finish(&call);
}

static bool has_room_for_all(const struct tap_stream *s)
{
	return s->chunk_end - s->used >= CALLS * 32 + REC_CHUNK_RESERVE + 1024;
}

static bool is_nearly_full(const struct tap_stream *s)
{
	return s->limit - s->used <= 1024 && s->chunk_end - s->limit <= 8192;
}

static bool comes_to_the_last_block(const struct tap_stream *s)
{
	return s->limit - s->used <= 1024 && s->chunk_end - s->limit == REC_BLOCK;
}

/* Until the open chunk is a staged one and stands as is asked. False: it never does. */
static bool reach(bool (*stands)(const struct tap_stream *s))
{
	struct tap_stream *s;

	do {
		one_call(1);
		s = tap_tls.stream;
	} while (s->chunks < 6 || (s->chunks < 20 && !stands(s)));
	return s->chunks < 20;
}

static int measure(bool (*stands)(const struct tap_stream *s), uint64_t calls)
{
	uint32_t chunks;

	if (!reach(stands))
		return 1;
	chunks = tap_tls.stream->chunks;
	counted = 0;
	counting = true;
	syscall(SYS_getpid, MARK);
	for (uint64_t i = 0; i < calls; i++)
		one_call(i);
	syscall(SYS_getpid, MARK);
	counting = false;
	shared->n[0] = counted;
	shared->n[1] = tap_tls.stream->chunks - chunks;
	return 0;
}

static int inside(void) { return measure(has_room_for_all, CALLS); }
static int across(void) { return measure(is_nearly_full, 100); }
static int ahead(void) { return measure(comes_to_the_last_block, 100); }

const struct scene scenes[] = { { "inside", inside }, { "across", across }, { "ahead", ahead }, { NULL, NULL } };

/* struct ptrace_syscall_info, as far as it is needed */
struct stop { uint8_t op, pad[3]; uint32_t arch; uint64_t pc, sp, nr, arg[6]; };

/* Runs the scene stopped at each system call; -1 when nothing may be traced here. */
static int system_calls_between_marks(const char *name, uint64_t *n)
{
	bool between = false;
	struct stop at;
	int status;

	*n = 0;
	pid_t pid = fork();

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(97);
		raise(SIGSTOP);
		char output[300];

		snprintf(output, sizeof output, "%s/t", shim_dir);
		setenv("SHIM_DIR", shim_dir, 1);
		setenv("GPUTAP_OUTPUT", output, 1);
		execl("/proc/self/exe", "scene", name, (char *)NULL);
		_exit(98);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		return -1;
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	while (ptrace(PTRACE_SYSCALL, pid, 0, 0) == 0 && waitpid(pid, &status, 0) == pid && !WIFEXITED(status)) {
		if (WIFSIGNALED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof at, &at) <= 0)
			return -1;
		if (at.op != 1)                 /* entry */
			continue;
		if (at.nr == SYS_getpid && at.arg[0] == MARK)
			between = !between;
		else
			*n += between;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void scene_counts(const char *name, uint64_t *calls)
{
	scene_place();
	int status = system_calls_between_marks(name, calls);

	if (status < 0) {
		print_message("skipped: no process may be traced here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

/* Ten thousand calls inside one open chunk: no system call, no allocation, no lock. */
static void calls_in_an_open_chunk_touch_nothing(void **state)
{
	uint64_t calls;

	(void)state;
	scene_counts("inside", &calls);
	assert_int_equal(shared->n[1], 0);
	assert_int_equal(calls, 0);
	assert_int_equal(shared->n[0], 0);
}

/* A chunk switch: no allocation, no lock, and not more system calls than it has steps. */
static void a_chunk_switch_has_few_system_calls(void **state)
{
	uint64_t calls;

	(void)state;
	scene_counts("across", &calls);
	assert_int_equal(shared->n[1], 1);
	print_message("system calls in a chunk switch: %u\n", (unsigned)calls);
	assert_within(calls, 6, 10);  /* mask, open, limit, fallocate, limit, write, close, mask */
	assert_int_equal(shared->n[0], 0);
}

/*
 * Half of a switch's work is done where the last block of the chunk begins: as few system calls, no allocation, no
 * lock.
 */
static void a_switch_begins_a_block_ahead(void **state)
{
	uint64_t calls;

	(void)state;
	scene_counts("ahead", &calls);
	assert_int_equal(shared->n[1], 0);
	print_message("system calls a block ahead of a chunk switch: %u\n", (unsigned)calls);
	assert_within(calls, 6, 8);   /* mask, open, limit, write, limit, fallocate, close, mask */
	assert_int_equal(shared->n[0], 0);
}

#ifdef COUNTS_ALLOCATIONS
/* The counting functions are the ones that are bound: else the zeros above would mean nothing. */
static void the_counters_count(void **state)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	(void)state;
	counted = 0;
	counting = true;
	void *volatile p = malloc(1);

	free(p);
	pthread_mutex_lock(&lock);
	counting = false;
	pthread_mutex_unlock(&lock);
	assert_int_equal(counted, 3);
}
#endif

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_in_an_open_chunk_touch_nothing),
		cmocka_unit_test(a_chunk_switch_has_few_system_calls),
		cmocka_unit_test(a_switch_begins_a_block_ahead),
#ifdef COUNTS_ALLOCATIONS
		cmocka_unit_test(the_counters_count),
#endif
	};

	scene_main(argc, argv);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scene_clean();
	return failed;
}
