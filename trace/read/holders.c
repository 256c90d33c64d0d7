/*
 * trace/read/holders.c - who has a trace in use
 *
 * HOLDERS1  A process that forks and ends while all are looked at may be missed, and its child with it, which is not in
 *           the list yet. Numbers rise, so those that were given since before the list was read are looked at
 *           too, until none was given since the last look. Where they began again from below, the list is read again.
 * HOLDERS2  An environment reads as empty while a process goes through exec or is about to end, and for ever of a
 *           thread of the kernel's. That of a process whose first thread has ended is empty, is not there or may not be
 *           read, by kernel and user; its other threads have it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/holders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "common/plain/without.h"
#include "trace/read/facts.h"
#include "trace/read/live.h"
#include "trace/read/store.h"

#define META_LIMIT (16u << 20)            /* bytes of a text file */

enum { ANCESTORS_MOST = 128, LOOKS_MOST = 64, NUMBERS_MOST = 1000, AWAIT_MS = 1000, LOOK_MS = 20, EXEC_MS = 200 };
enum { KERNEL_THREAD = 0x00200000 };    /* of the flags */

/* ------------------------------------------------------------ this process and those that it descends from */

struct ancestors { int v[ANCESTORS_MOST]; unsigned n; };

struct state {
	char letter;
	int parent;
	unsigned flags;
	long threads;
	unsigned long env_end;          /* 0: it has no memory, or is just getting it, by exec */
};

static bool state_of(int pid, struct state *s)
{
	char path[64], line[1024] = "", *at;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof line, f))
		line[0] = 0;
	fclose(f);
	at = strrchr(line, ')');        /* the name before it may hold anything */
	/* fields 3, 4, 9, 20 and 51 */
	return at && sscanf(at + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %*u %*u "
			   "%*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*u %*u %*u %*u %*d %*u "
			   "%*u %*u %*u %*u %*u %lu",
			   &s->letter, &s->parent, &s->flags, &s->threads, &s->env_end) == 5;
}

static void find_ancestors(struct ancestors *all)
{
	struct state s = { .parent = getpid() };

	for (all->n = 0; s.parent > 0 && all->n < ANCESTORS_MOST;) {
		all->v[all->n++] = s.parent;
		if (!state_of(s.parent, &s))
			return;
	}
}

static bool is_ancestor(const struct ancestors *all, int pid)
{
	for (unsigned i = 0; i < all->n; i++)
		if (all->v[i] == pid)
			return true;
	return false;
}

/* -------------------------------------------------------------------------------------- by environment */

enum found { NO, YES, EMPTY, DENIED };

/* Whether these bytes stand in it. */
static enum found environ_has(const char *path, const char *text, size_t bytes)
{
	char piece[8192];
	size_t have = 0, all = 0;
	ssize_t n;
	bool found = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ESRCH ? EMPTY : errno == EACCES ? DENIED : NO;
	while (!found && (n = read(fd, piece + have, sizeof piece - have)) > 0) {
		all += (size_t)n;
		have += (size_t)n;
		found = memmem(piece, have, text, bytes) != NULL;
		if (have > bytes) {             /* the end of this piece may begin it */
			memmove(piece, piece + have - bytes, bytes);
			have = bytes;
		}
	}
	close(fd);
	return found ? YES : all ? NO : EMPTY;
}

/* The other threads of one whose first has ended. */
static bool threads_have(int pid, const char *text, size_t bytes)
{
	char path[64 + NAME_MAX];
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", pid);
	dir = opendir(path);
	for (struct dirent *e; dir && !found && (e = readdir(dir));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/environ", pid, e->d_name);
		found = *e->d_name != '.' && environ_has(path, text, bytes) == YES;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* HOLDERS2 */
static bool was_started_with(int pid, const char *text, size_t bytes)
{
	const struct timespec step = { .tv_nsec = 1000 * 1000 };
	enum found found = EMPTY;
	struct state s = { 0 };
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/environ", pid);
	for (int i = 0; (found = environ_has(path, text, bytes)) != YES && found != NO && i < EXEC_MS; i++) {
		if (!state_of(pid, &s) || s.flags & KERNEL_THREAD)
			return false;
		if (strchr("ZXx", s.letter))
			return s.threads > 1 && threads_have(pid, text, bytes);
		if (found == DENIED)    /* another user's */
			return false;
		if (s.env_end)          /* it is there by now, or nothing is in it */
			return environ_has(path, text, bytes) == YES;
		nanosleep(&step, NULL);
	}
	return found == YES;
}

static void add(struct gt_holders *all, int pid)
{
	struct gt_holder *h;
	char path[64];
	FILE *f;

	for (unsigned i = 0; i < all->n && i < GT_HOLDERS_MOST; i++)
		if (all->v[i].pid == pid)
			return;
	if (all->n++ >= GT_HOLDERS_MOST)
		return;
	h = &all->v[all->n - 1];
	*h = (struct gt_holder){ .pid = pid };
	snprintf(path, sizeof path, "/proc/%d/comm", pid);
	f = fopen(path, "r");
	if (f && !fgets(h->name, sizeof h->name, f))
		h->name[0] = 0;
	if (f)
		fclose(f);
	h->name[strcspn(h->name, "\n")] = 0;
}

/* The number that was given last to a process; 0: not known. */
static long last_number(void)
{
	FILE *f = fopen("/proc/loadavg", "r");
	long last = 0;

	if (f && fscanf(f, "%*s %*s %*s %*s %ld", &last) != 1)
		last = 0;
	if (f)
		fclose(f);
	return last;
}

struct search {
	char text[64];                  /* what stands in the environment */
	size_t bytes;                   /* with its zero */
	struct ancestors ancestors;
};

/* The process that a thread belongs to, which numbers that are not in the list may be of; 0: it is gone. */
static int process_of(int thread)
{
	char path[64], line[256];
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", thread);
	f = fopen(path, "r");
	while (f && !pid && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &pid) != 1)
			pid = 0;
	if (f)
		fclose(f);
	return pid;
}

static void look_at(const struct search *s, int pid, struct gt_holders *all)
{
	if (!is_ancestor(&s->ancestors, pid) && was_started_with(pid, s->text, s->bytes) && (pid = process_of(pid)) &&
		!is_ancestor(&s->ancestors, pid))
		add(all, pid);
}

static void look_at_all(const struct search *s, struct gt_holders *all)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *e; dir && (e = readdir(dir));)
		if (*e->d_name >= '1' && *e->d_name <= '9')
			look_at(s, atoi(e->d_name), all);
	if (dir)
		closedir(dir);
}

/* HOLDERS1 */
void gt_holders_of_run(const char *run_id, struct gt_holders *all)
{
	struct search s;
	long seen, now;

	all->n = 0;
	if (gc_without("holders"))
		return;
	s.bytes = (size_t)snprintf(s.text, sizeof s.text, "GPUTAP_RUN_ID=%.16s", run_id) + 1;
	find_ancestors(&s.ancestors);
	seen = last_number();
	look_at_all(&s, all);
	for (int i = 0; i < LOOKS_MOST && (now = last_number()) != seen; i++) {
		if (now < seen || now - seen > NUMBERS_MOST)
			look_at_all(&s, all);
		else
			for (long n = seen + 1; n <= now; n++)
				look_at(&s, (int)n, all);
		seen = now;
	}
}

/* ------------------------------------------------------------------------------------------ by the trace */

static void add_writer(struct gt_store *s, uint32_t file, const char *pid_key, const char *start_key,
	const struct ancestors *ancestors, struct gt_holders *all)
{
	struct gt_err ignored = { 0 };
	struct gt_facts facts = { 0 };
	size_t bytes;
	char *text;
	int pid;

	if (gt_store_slurp(s, file, META_LIMIT, &text, &bytes, &ignored) || gt_facts_parse(text, bytes, &facts))
		return;
	if (gt_live_by_facts(&facts, pid_key, start_key) == GT_LIVE_YES) {
		pid = atoi(gt_facts_find(&facts, pid_key, 0));
		if (!is_ancestor(ancestors, pid))
			add(all, pid);
	}
	gt_facts_free(&facts);
}

static void add_run(struct gt_store *s, uint32_t file, struct gt_holders *all)
{
	struct gt_err ignored = { 0 };
	struct gt_facts facts = { 0 };
	const char *id;
	size_t bytes;
	char *text;

	if (gt_store_slurp(s, file, META_LIMIT, &text, &bytes, &ignored) || gt_facts_parse(text, bytes, &facts))
		return;
	id = gt_facts_find(&facts, "run_id", 0);
	if (id && strlen(id) == 16)
		gt_holders_of_run(id, all);
	gt_facts_free(&facts);
}

static void add_writers(struct gt_store *s, struct gt_holders *all)
{
	uint32_t run = gt_store_find(s, "run");
	struct ancestors ancestors;
	struct gt_store_name name;

	find_ancestors(&ancestors);
	if (run != GT_STORE_NONE)
		add_writer(s, run, "launcher_pid", "launcher_start", &ancestors, all);
	for (uint32_t i = 0; i < s->n_files; i++)
		if (gt_store_name_parse(s->files[i].name, &name) && name.in_image && !name.is_stream)
			add_writer(s, i, "pid", "start_time", &ancestors, all);
}

void gt_holders_add_writers(const char *trace, struct gt_holders *all)
{
	struct gt_err ignored = { 0 };
	struct gt_store *s;

	if (gt_store_open(trace, &s, &ignored))
		return;
	add_writers(s, all);
	gt_store_close(s);
}

void gt_holders_of_trace(const char *trace, struct gt_holders *all)
{
	struct gt_err ignored = { 0 };
	struct gt_store *s;
	uint32_t run;

	all->n = 0;
	if (gt_store_open(trace, &s, &ignored))
		return;
	run = gt_store_find(s, "run");
	if (run != GT_STORE_NONE)
		add_run(s, run, all);
	add_writers(s, all);
	gt_store_close(s);
}

void gt_holders_forget(struct gt_holders *all, int pid)
{
	for (unsigned i = 0; i < all->n && i < GT_HOLDERS_MOST; i++)
		if (all->v[i].pid == pid) {
			memmove(&all->v[i], &all->v[i + 1],
				((all->n < GT_HOLDERS_MOST ? all->n : GT_HOLDERS_MOST) - i - 1) * sizeof all->v[0]);
			all->n--;
			return;
		}
}

/* ------------------------------------------------------------------------------------------------- waiting */

void gt_holders_await(const struct gt_holders *all)
{
	struct pollfd p[GT_HOLDERS_MOST];
	unsigned n = 0, most = all->n < GT_HOLDERS_MOST ? all->n : GT_HOLDERS_MOST;

	for (unsigned i = 0; i < most; i++) {
		int fd = (int)syscall(SYS_pidfd_open, all->v[i].pid, 0);

		if (fd >= 0)
			p[n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	/* Without descriptors (an old kernel), or where one has just gone, soon again. */
	poll(p, n, n && n == most ? AWAIT_MS : LOOK_MS);
	for (unsigned i = 0; i < n; i++)
		close(p[i].fd);
}

const char *gt_holders_text(const struct gt_holders *all, char *buf, size_t bytes)
{
	unsigned shown = all->n < GT_HOLDERS_MOST ? all->n : GT_HOLDERS_MOST;
	size_t at = 0;

	if (bytes)
		*buf = 0;
	for (unsigned i = 0; i < shown && at < bytes; i++) {
		const struct gt_holder *h = &all->v[i];

		at += (size_t)snprintf(buf + at, bytes - at, "%s%d%s%s%s", i ? ", " : "", h->pid, *h->name ? " (" : "",
			h->name, *h->name ? ")" : "");
	}
	if (all->n > shown && at < bytes)
		snprintf(buf + at, bytes - at, " and %u more", all->n - shown);
	return buf;
}
