/*
 * trace/write/run/lostpage.c - one page of counters for the whole run, of processes that may soon make no file
 *
 * Runs      where the program is about to install a seccomp filter, where nothing can be made in the trace, and where
 *           timers that interrupt the program (--sample=timer) begin.
 * May       make system calls, with signals blocked.
 * Must not  keep a descriptor, allocate with malloc, lock, touch errno.
 *
 * What such a process calls before it has a stream can be counted nowhere behind the filter. So it maps a page,
 * NAME.gputap/lost, before: a control page without a stream, to which every process of the run may add. Its children
 * inherit it. Where there is no trace yet (a plain preload) it makes none: whoever installs filters would get one.
 *
 * A launcher makes the page ahead (cli/run/place.c), so that it is there where the file system has no room for a file
 * any more, or a handler of signals no stack to make one. At its end it removes the page if nobody counts in it: who
 * maps it for that leaves its pid there. Meanwhile the page also says how many bytes processes have written into `run`,
 * so that the launcher sees when somebody cuts that.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/without.h"
#include "trace/write/room.h"
#include "trace/write/run/run.h"

static struct rec_control *page;

uint64_t *tap_lost_page(void)
{
	struct rec_control *p = __atomic_load_n(&page, __ATOMIC_ACQUIRE);

	return p ? p->lost_by_others : NULL;
}

/* Whoever comes first makes it; of several at once each writes the same. */
static int open_page(const char *path)
{
	int fd = tap_sys_open(path, O_RDWR | O_NOFOLLOW, 0);

	return fd >= 0 ? fd : tap_sys_create_own(path, O_RDWR);
}

/* Of the launcher's page: whether it still lies in the trace now that it says who has it. */
static bool is_kept(int fd, struct rec_control *p)
{
	struct stat st;

	__atomic_store_n(&p->pid, tap_sys_getpid(), __ATOMIC_SEQ_CST);
	return TAP_SYS(fstat, fd, &st, 0, 0, 0, 0) == 0 && st.st_nlink > 0;
}

/* NULL where there is none (fd -1), or not a whole one. */
static struct rec_control *mapped(int fd)
{
	if (fd < 0 || TAP_SYS(lseek, fd, 0, SEEK_END, 0, 0, 0) < (long)REC_CONTROL_BYTES)
		return NULL;
	return tap_sys_mmap(NULL, REC_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void take(int fd)
{
	struct rec_control *p = mapped(fd);

	if (p && !is_kept(fd, p)) {
		TAP_SYS(munmap, p, REC_CONTROL_BYTES, 0, 0, 0, 0);
		p = NULL;
	}
	if (p) {
		p->version = REC_VERSION;
		p->magic = REC_CONTROL_MAGIC;
		__atomic_store_n(&page, p, __ATOMIC_RELEASE);
	}
}

bool tap_lost_page_find(char path[TAP_PATH_MAX])
{
	if (page)
		return true;
	if (!tap_run.launched || !tap_run_name_path(path, 1, "/lost") || gc_without("page-ahead"))
		return false;
	int fd = tap_sys_open(path, O_RDWR | O_NOFOLLOW, 0);

	take(fd);
	if (fd >= 0)
		tap_sys_close(fd);
	return page;
}

static void find(void *unused)
{
	char *path = tap_scratch_take();

	(void)unused;
	if (path)
		tap_lost_page_find(path);
	tap_scratch_give(path);
}

void tap_lost_page_ahead(void)
{
	uint64_t mask = tap_sys_signals_block();

	if (!gc_without("samples-page"))
		tap_with_room(find, NULL);
	tap_sys_signals_restore(mask);
}

/* Not mapped for good: who has the page counts in it. */
void tap_lost_page_told(size_t bytes)
{
	char *path = tap_scratch_take();

	tap_run_path(path, tap_run.dir, "/lost");
	int fd = tap_sys_open(path, O_RDWR | O_NOFOLLOW, 0);
	struct rec_control *p = mapped(fd);

	tap_scratch_give(path);

	if (p) {
		__atomic_add_fetch(&p->rec_run_told, (uint32_t)bytes, __ATOMIC_RELAXED);
		TAP_SYS(munmap, p, REC_CONTROL_BYTES, 0, 0, 0, 0);
	}
	if (fd >= 0)
		tap_sys_close(fd);
}

/* Behind a filter the child can make none of its own; else it says what it cannot record, and finds the page itself. */
void tap_lost_page_forget(void)
{
	if (page && !tap_seccomp)
		TAP_SYS(munmap, page, REC_CONTROL_BYTES, 0, 0, 0, 0);
	if (!tap_seccomp)
		page = NULL;
}

/* *found stays false: there is no trace yet. */
static void map(void *found)
{
	char *path;
	int fd;

	if (!tap_run_find())
		return;
	*(bool *)found = true;
	path = tap_scratch_take();
	tap_run_path(path, tap_run.dir, "/lost");
	fd = open_page(path);
	tap_scratch_give(path);

	if (fd >= 0 && tap_space_inside_limit(REC_CONTROL_BYTES) && tap_sys_fallocate(fd, 0, REC_CONTROL_BYTES) == 0)
		take(fd);
	if (fd >= 0)
		tap_sys_close(fd);
}

void tap_lost_page_map(void)
{
	if (page || TAP_READ_ONCE(tap_gate->alive) || gc_without("lost-page"))
		return;
	uint64_t mask = tap_sys_signals_block();
	bool found = false;

	tap_with_room(map, &found);

	if (!TAP_READ_ONCE(tap_gate->alive))
		tap_run.dir[0] = 0;
	tap_sys_signals_restore(mask);
	if (page || !found)
		return;
	tap_tls.own_calls++;            /* another user's: its own folder, whether it calls or not */
	tap_stream_get();
	tap_tls.own_calls--;
}
