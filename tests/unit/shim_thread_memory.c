/*
 * tests/unit/shim_thread_memory.c - what objects beside libgputap.so keep of a thread lives as long as the thread
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/shimwalk.h"

#include <pthread.h>

#include "trace/write/internal.h"
#include "trace/write/thread_memory.h"

enum { THREADS = 300, BYTES = 1200 };

/* As two objects would have them. */
static __thread uint64_t *one, *other;
static pthread_key_t later;             /* made behind the shim's: its destructor is called behind the shim's */

static uint64_t *memory_of(uint64_t **at) { return tap_thread_memory((void **)at, BYTES); }

static bool is_zero(const uint64_t *memory)
{
	for (unsigned i = 0; i < BYTES / sizeof *memory; i++)
		if (memory[i])
			return false;
	return true;
}

/* n[0]: memory that was not zero, or not the thread's own; n[1]: the highest address, n[2]: the lowest. */
static void *take_both(void *unused)
{
	(void)unused;
	if (!memory_of(&one) || !memory_of(&other) || one == other || !is_zero(one) || !is_zero(other))
		shared->n[0]++;
	if (memory_of(&one) != one || ((uintptr_t)one | (uintptr_t)other) % 16)
		shared->n[0]++;
	memset(one, 1, BYTES);
	memset(other, 2, BYTES);
	for (uintptr_t at = (uintptr_t)one, n = 0; n < 2; at = (uintptr_t)other, n++) {
		shared->n[1] = shared->n[1] > at ? shared->n[1] : at;
		shared->n[2] = shared->n[2] && shared->n[2] < at ? shared->n[2] : at;
	}
	return NULL;
}

static int one_by_one(void)
{
	pthread_t thread;

	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, take_both, NULL) || pthread_join(thread, NULL))
			return 1;
	return 0;
}

static int at_once(void)
{
	pthread_t thread[THREADS];

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < THREADS; i++)
			if (pthread_create(&thread[i], NULL, take_both, NULL))
				return 1;
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	return 0;
}

/* n[3]: the destructor of a later key has seen what the thread wrote; n[4]: memory of a thread that is about to end. */
static void runtime_ends(void *value)
{
	(void)value;
	shared->n[3] += one && *one == 0x0101010101010101u && *memory_of(&one) == *one;
	tap_thread_memory((void **)&other, BYTES);
	shared->n[4] += other != NULL;
}

static void *take_and_end(void *unused)
{
	take_both(unused);
	pthread_setspecific(later, one);
	return NULL;
}

static int until_the_end(void)
{
	pthread_t thread;

	pthread_key_create(&later, runtime_ends);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, take_and_end, NULL) || pthread_join(thread, NULL))
			return 1;
	return 0;
}

static int without_memory(void)
{
	tap_seccomp = true;             /* no system call that maps memory may be made */
	shared->n[0] = memory_of(&one) || one;
	return 0;
}

static int too_much(void)
{
	shared->n[0] = tap_thread_memory((void **)&one, 65536) || one;
	return 0;
}

const struct scene scenes[] = { { "one_by_one", one_by_one }, { "at_once", at_once },
	{ "until_the_end", until_the_end }, { "without_memory", without_memory }, { "too_much", too_much },
	{ NULL, NULL } };

/* Two pieces serve 300 threads that follow each other: memory comes back when a thread ends, and is zero again. */
static void memory_of_a_thread_that_ended_serves_the_next(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("one_by_one", "GPUTAP_TRACE=openmp"), 0);
	assert_int_equal(shared->n[0], 0);
	assert_true(shared->n[1] - shared->n[2] < 4096);
}

static void no_two_threads_have_the_same_memory(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("at_once", "GPUTAP_TRACE=openmp"), 0);
	assert_int_equal(shared->n[0], 0);
}

/* A runtime's last call-backs come from destructors that run behind ours, and need what they wrote before. */
static void memory_stays_through_the_destructors_of_later_keys(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("until_the_end", "GPUTAP_TRACE=openmp"), 0);
	assert_int_equal(shared->n[0], 0);
	assert_int_equal(shared->n[3], THREADS);
	assert_int_equal(shared->n[4], THREADS);
	assert_true(shared->n[1] - shared->n[2] < 8192);
}

static void without_memory_there_is_none(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		scene_place();
		assert_int_equal(RUN_SCENE(i ? "too_much" : "without_memory", "GPUTAP_TRACE=openmp"), 0);
		assert_int_equal(shared->n[0], 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_thread_that_ended_serves_the_next),
		cmocka_unit_test(no_two_threads_have_the_same_memory),
		cmocka_unit_test(memory_stays_through_the_destructors_of_later_keys),
		cmocka_unit_test(without_memory_there_is_none),
	};

	scene_main(argc, argv);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scene_clean();
	return failed;
}
