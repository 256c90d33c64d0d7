/*
 * trace/write/run_image.c - the directory of one process image, from its first record on, and of its forked children
 *
 * Runs      on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/run.h"

enum { EXISTS = 17 };                           /* errno value: raw calls return it negated */

static bool make_image_dir(uint32_t *n)
{
	uint32_t pid = tap_sys_getpid();
	struct tap_text t;
	int err = -EXISTS;

	for (*n = 1; err == -EXISTS && *n < 1000000; (*n)++) {
		tap_text_init(&t, tap_run.image_dir, sizeof tap_run.image_dir);
		tap_text_str(&t, tap_run.dir);
		tap_text_char(&t, '/');
		tap_run.image_name = tap_run.image_dir + t.used;
		tap_text_u64(&t, pid);
		tap_text_char(&t, '.');
		tap_text_u64(&t, *n);
		err = tap_sys_mkdir(tap_run.image_dir, 0777);
	}
	(*n)--;
	return err == 0;
}

static bool open_image(void)
{
	uint32_t n;

	if (!tap_run_dir_find())
		return false;
	if (!make_image_dir(&n)) {
		tap_run_say_failed();
		return false;
	}
	tap_run_write_meta(n);
	tap_run_write_table();
	return true;
}

/* A forked child takes its parent's image for what it is: the parent's. */
static void become_child(void)
{
	struct tap_text t;

	tap_streams_forget();
	tap_text_init(&t, tap_run.parent_name, sizeof tap_run.parent_name);
	tap_text_str(&t, tap_run.image_name);
	tap_run.image_dir[0] = 0;
}

bool tap_run_open(void)
{
	uint64_t state = TAP_RUN_NONE;

	if (__atomic_compare_exchange_n(
		    &tap_gate->run_state, &state, TAP_RUN_OPENING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		if (tap_run.image_dir[0])       /* opened before, and the word is wiped: this is a child */
			become_child();
		state = open_image() ? TAP_RUN_OPEN : TAP_RUN_NONE;
		if (state == TAP_RUN_NONE)
			tap_run.image_dir[0] = 0;
		__atomic_store_n(&tap_gate->alive, state == TAP_RUN_OPEN, __ATOMIC_RELAXED);
		__atomic_store_n(&tap_gate->run_state, state, __ATOMIC_RELEASE);
	}
	/* Another thread is at it, with signals blocked: milliseconds at most. */
	while ((state = __atomic_load_n(&tap_gate->run_state, __ATOMIC_ACQUIRE)) == TAP_RUN_OPENING)
		TAP_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
	return state == TAP_RUN_OPEN;
}
