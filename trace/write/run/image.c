/*
 * trace/write/run/image.c - the directory of one process image, from its first record on, and of its forked children
 *
 * Runs      on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/without.h"
#include "trace/write/room.h"
#include "trace/write/run/run.h"

/* errno values: raw calls return them negated */
enum { NOT_PERMITTED = 1, ACCESS = 13, EXISTS = 17, READ_ONLY = 30 };

enum { MOVE_NONE = 0, MOVE_BEGUN, MOVE_DONE };  /* tap_run.moved */

/* image_dir = the run's directory, `folder`, PID.n */
static void name_image(const char *folder, uint32_t n)
{
	struct tap_text t;

	tap_text_init(&t, tap_run.image_dir, sizeof tap_run.image_dir);
	tap_text_str(&t, tap_run.dir);
	tap_text_str(&t, folder);
	tap_run.image_name = tap_run.image_dir + t.used;
	tap_text_u64(&t, tap_sys_getpid());
	tap_text_char(&t, '.');
	tap_text_u64(&t, n);
}

static bool is_taken(const char *folder, uint32_t n)
{
	name_image(folder, n);
	return TAP_SYS(faccessat, AT_FDCWD, tap_run.image_dir, 0, 0, 0, 0) == 0;
}

/* The first number that is free in the run's directory and in `other`, for a reader sees both as one. */
static int make_in(const char *folder, const char *beside, uint32_t *n)
{
	int err = -EXISTS;

	for (*n = 0; err == -EXISTS && *n < 1000000;) {
		if (is_taken(beside, ++*n))
			continue;
		name_image(folder, *n);
		err = tap_sys_mkdir_own(tap_run.image_dir);
	}
	return err;
}

/* An empty file with the run's id as its name: in `other` any user may have made a folder. */
static void mark_as_ours(const char *folder)
{
	char *path = tap_scratch_take();
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, folder);
	tap_text_char(&t, '/');
	tap_text_str(&t, tap_run.id);
	int fd = path ? tap_sys_create_own(path, O_WRONLY) : -1;

	if (fd >= 0)
		tap_sys_close(fd);
	tap_scratch_give(path);
}

static bool make_image_dir(uint32_t *n)
{
	int err = make_in("/", "/other/", n);

	if ((err == -ACCESS || err == -NOT_PERMITTED || err == -READ_ONLY) && !gc_without("other-folder")) {
		err = make_in("/other/", "/", n);       /* RUNDIR1 */
		if (err == 0)
			mark_as_ours(tap_run.image_dir);
	}
	return err == 0;
}

static void open_image(void *opened)
{
	uint32_t n;

	tap_run.moved = MOVE_NONE;
	if (!tap_run_dir_find()) {
		tap_run.dir[0] = 0;             /* the last try was not this run's */
		tap_run_say_failed();
		return;
	}
	if (!make_image_dir(&n)) {
		tap_run_say_failed();
		return;
	}
	if (tap_run_write_meta(n))
		tap_run_say_made();
	else if (!gc_without("facts"))
		tap_lost(REC_LOSS_FACTS_LOST, 1);
	tap_run_write_table();
	tap_run_check_begin();
	*(bool *)opened = true;
}

/*
 * The program gave its privileges up since the directory was made: another one in `other`, of the same name, belongs to
 * the same image. Signals are blocked; several threads may be here at once.
 */
bool tap_run_image_move(void)
{
	uint64_t state = MOVE_NONE;
	struct tap_text t;

	if (__atomic_compare_exchange_n(
		    &tap_run.moved, &state, MOVE_BEGUN, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		tap_text_init(&t, tap_run.moved_dir, sizeof tap_run.moved_dir);
		tap_text_str(&t, tap_run.dir);
		tap_text_str(&t, "/other/");
		tap_text_str(&t, tap_run.image_name);
		state = tap_sys_mkdir_own(tap_run.moved_dir) == 0 ? MOVE_DONE : MOVE_NONE;
		if (state == MOVE_DONE)
			mark_as_ours(tap_run.moved_dir);
		__atomic_store_n(&tap_run.moved, state, __ATOMIC_RELEASE);
	}
	/* Another thread is at it, with signals blocked: microseconds. */
	while ((state = __atomic_load_n(&tap_run.moved, __ATOMIC_ACQUIRE)) == MOVE_BEGUN)
		TAP_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
	return state == MOVE_DONE;
}

const char *tap_run_first_dir(void) { return tap_run.image_dir; }

const char *tap_run_image_dir(void)
{
	return __atomic_load_n(&tap_run.moved, __ATOMIC_ACQUIRE) == MOVE_DONE ? tap_run.moved_dir : tap_run.image_dir;
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
		bool opened = false;

		if (tap_run.image_dir[0])       /* opened before, and the word is wiped: this is a child */
			become_child();
		tap_with_room(open_image, &opened);
		state = opened ? TAP_RUN_OPEN : TAP_RUN_NONE;
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
