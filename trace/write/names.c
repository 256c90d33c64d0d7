/*
 * trace/write/names.c - what threads are called by the operating system when they, or the image, end
 *
 * A thread is named after its first record as a rule, by itself or by another (pthread_setname_np, prctl, a write to
 * /proc), and none of these ways need lead through us. So the name is looked at: at each new chunk of the thread, at
 * its end, and at the image's end, for threads without a stream too; the priority at the ends alone. Threads that ended
 * before without a record are not known.
 *
 * Runs      on any thread of the traced program, on slow paths.
 * Must not  allocate, change errno, make a new kind of system call behind a seccomp filter.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/entries.h"
#include "trace/write/internal.h"

enum { NAME = 16 };

/* As the kernel tells it: 20 + nice, or -1 - priority under the real-time policies. */
static int priority_of(uint32_t tid)
{
	int realtime = 0;
	long nice = TAP_SYS(getpriority, 0 /* PRIO_PROCESS */, tid, 0, 0, 0, 0);     /* 20 - nice */

	if (TAP_SYS(sched_getparam, tid, &realtime, 0, 0, 0, 0) >= 0 && realtime > 0)
		return -1 - realtime;
	return nice > 0 ? 2 * TAP_USUAL_PRIORITY - (int)nice : TAP_USUAL_PRIORITY;
}

static bool same(const char a[NAME], const char b[NAME])
{
	for (int i = 0; i < NAME; i++) {
		if (a[i] != b[i])
			return false;
		if (!a[i])
			return true;
	}
	return true;
}

static void say(uint32_t tid, int priority, const char name[NAME])
{
	size_t n = 0;

	while (n < NAME && name[n])
		n++;
	tap_record_text(REC_THREAD_NAME, tid | (uint64_t)(uint32_t)priority << 32, name, n);
}

void tap_names_look(struct tap_stream *s, bool ends)
{
	char name[NAME] = "";

	if (TAP_READ_ONCE(tap_seccomp) || TAP_SYS(prctl, 16 /* PR_GET_NAME */, name, 0, 0, 0, 0) < 0)
		return;
	int priority = ends ? priority_of(s->tid) : s->holder_priority;

	if (priority == s->holder_priority && same(name, s->holder_name))
		return;
	__builtin_memcpy(s->holder_name, name, sizeof name);
	s->holder_priority = priority;
	say(s->tid, priority, name);
}

static bool read_name(int task, const char *tid, char name[NAME])
{
	char path[32];
	struct tap_text t;
	int fd;
	long n;

	tap_text_init(&t, path, sizeof path);
	tap_text_str(&t, tid);
	tap_text_str(&t, "/comm");
	fd = (int)TAP_SYS(openat, task, path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return false;
	n = tap_sys_read(fd, name, NAME);
	tap_sys_close(fd);
	for (long i = n > 0 ? n : 0; i < NAME; i++)
		name[i] = 0;
	for (long i = 0; i < n; i++)
		if (name[i] == '\n' && (i + 1 == n))
			name[i] = 0;
	return n > 0;
}

/* One entry of /proc/self/task. It may be gone by now. */
static void look_at(int task, const char *number)
{
	char name[NAME] = "";
	uint32_t tid = tap_task_of(number);

	if (!tid || !read_name(task, number, name))
		return;
	const struct tap_stream *s = tap_stream_of(tid);
	int priority = priority_of(tid);

	if (!s || priority != s->holder_priority || !same(name, s->holder_name))
		say(tid, priority, name);
}

void tap_names_look_at_all(void)
{
	char names[512];
	int task = TAP_READ_ONCE(tap_seccomp) ? -1 : tap_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	struct tap_entries e = { .fd = task, .room = names, .size = sizeof names };

	if (task < 0)
		return;
	for (const char *number; (number = tap_entries_next(&e));)
		look_at(task, number);
	tap_sys_close(task);
}
