/*
 * cli/run/capture.c - which open files are captured, how the program gets at them, and what the trace says of them
 *
 * Runs in the launcher. Invariants: cli/run/capture.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/run/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "common/temporary.h"

enum { ABOVE = 10 };                    /* our descriptors do not take the place of one that the program has closed */

static int above(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);

	if (fd >= 0)
		close(fd);
	return high;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ------------------------------------------------------------- open files */

static bool make_pipe(struct gt_capture *c)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	c->from = above(ends[0]);
	c->inner = above(ends[1]);
	return c->from >= 0 && c->inner >= 0;
}

/*
 * Bytes pass as they are: what a terminal does to them (a line's end becomes two bytes) is done once, by the one
 * behind. EXTPROC and packets have the forwarder told of the modes that the program sets.
 */
static void like_outer(int inner, int outer)
{
	struct termios t;
	struct winsize size;

	if (!tcgetattr(outer, &t)) {
		t.c_oflag &= ~(tcflag_t)OPOST;
		t.c_lflag |= EXTPROC;
		tcsetattr(inner, TCSANOW, &t);
	}
	if (!ioctl(outer, TIOCGWINSZ, &size))
		ioctl(inner, TIOCSWINSZ, &size);
}

static bool make_terminal(struct gt_capture *c)
{
	char name[64];

	c->from = above(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
	if (c->from < 0 || grantpt(c->from) || unlockpt(c->from) || ptsname_r(c->from, name, sizeof name))
		return false;
	c->inner = above(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
	if (c->inner < 0)
		return false;
	like_outer(c->inner, c->outer);
	return !ioctl(c->from, TIOCPKT, &(int){ 1 });
}

/* Where the program's first byte goes. */
static bool find_start(struct gt_capture *c, const struct stat *st)
{
	int flags = fcntl(c->outer, F_GETFL);

	c->start = flags >= 0 && flags & O_APPEND ? st->st_size : lseek(c->outer, 0, SEEK_CUR);
	return c->start >= 0;
}

static bool make(struct gt_capture *c, const struct stat *st)
{
	if (S_ISREG(st->st_mode)) {
		c->kind = GT_CAPTURE_FILE;
		return find_start(c, st);
	}
	c->kind = S_ISCHR(st->st_mode) && isatty(c->outer) ? GT_CAPTURE_TERMINAL : GT_CAPTURE_PIPE;
	return c->kind == GT_CAPTURE_TERMINAL ? make_terminal(c) : make_pipe(c);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_rdev == b->st_rdev;
}

void gt_capture_prepare(struct gt_run *run)
{
	struct stat st[3];
	bool open[3] = { false };

	for (int fd = 1; gt_option_true(run->options, "capture-output") && fd <= 2; fd++) {
		struct gt_capture *c = &run->captured[run->n_captured];

		open[fd] = !fstat(fd, &st[fd]);
		if (fd == 2 && open[1] && open[2] && run->n_captured && same_file(&st[1], &st[2])) {
			run->captured[0].is[2] = true;          /* CAPTURE1 */
			continue;
		}
		*c = (struct gt_capture){ .outer = fd, .inner = -1, .from = -1, .control = -1 };
		if (!open[fd])
			continue;               /* closed: the program finds it so */
		c->is[fd] = true;
		if (make(c, &st[fd])) {
			run->n_captured++;
			continue;
		}
		fprintf(stderr, "gputap: standard %s is not stored: no %s for it: %s\n", fd == 1 ? "output" : "error",
			c->kind == GT_CAPTURE_TERMINAL ? "terminal" : "pipe", strerror(errno));
		close_end(&c->from);
		close_end(&c->inner);
	}
}

void gt_capture_child(const struct gt_run *run)
{
	for (unsigned i = 0; i < run->n_captured; i++)
		for (int fd = 1; fd <= 2 && run->captured[i].inner >= 0; fd++)
			if (run->captured[i].is[fd])
				dup2(run->captured[i].inner, fd);
}

/* ------------------------------------------------------------------ start */

static void name_of(unsigned i, char name[16]) { snprintf(name, 16, GT_OUTPUT_FILE "%u", i + 1); }

static int create(const struct gt_run *run, unsigned i)
{
	char path[PATH_MAX + 32], name[16];

	name_of(i, name);
	snprintf(path, sizeof path, "%s/%s", run->trace, name);
	return gt_create_own(path, O_WRONLY);
}

static void say_stream(const struct gt_run *run, unsigned i)
{
	static const char *const kinds[] = { NULL, "terminal", "pipe", "file" };
	const struct gt_capture *c = &run->captured[i];
	char name[16], line[64];

	name_of(i, name);
	snprintf(line, sizeof line, "%s %s%s%s %s %d", name, c->is[1] ? "1" : "", c->is[1] && c->is[2] ? "," : "",
		c->is[2] ? "2" : "", kinds[c->kind], (int)run->pid);
	gt_run_log(run, "stream", line);
}

static int begin(struct gt_run *run, unsigned i, struct gt_err *err)
{
	struct gt_capture *c = &run->captured[i];
	int ends[2], file = create(run, i);
	char name[16];
	pid_t pid;

	name_of(i, name);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		ends[0] = ends[1] = -1;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		gt_capture_forward(&(struct gt_forward){ .from = c->from,
			.to = c->outer,
			.control = ends[1],
			.file = file,
			.log = run->log,
			.terminal = c->kind == GT_CAPTURE_TERMINAL,
			.limit = (uint64_t)gt_option_number(run->options, "capture-limit", 0),
			.name = name });
	}
	close(ends[1]);
	if (file >= 0)
		close(file);
	c->control = ends[0];
	close_end(&c->from);
	if (c->kind == GT_CAPTURE_PIPE)
		close_end(&c->inner);
	if (pid > 0)
		gt_run_gathers(run, name, pid);
	return pid > 0 ? 0 : gt_fail(err, GT_EXIT_MISSING, strerror(errno), NULL, "no process for --capture-output");
}

int gt_capture_start(struct gt_run *run, struct gt_err *err)
{
	char name[16];

	for (unsigned i = 0; i < run->n_captured; i++) {
		say_stream(run, i);
		name_of(i, name);
		if (run->captured[i].kind == GT_CAPTURE_FILE)
			gt_run_gathers(run, name, getpid());
		else if (begin(run, i, err))
			return -1;
	}
	return 0;
}

bool gt_capture_resize(const struct gt_run *run)
{
	struct winsize size;
	bool resized = false;

	for (unsigned i = 0; i < run->n_captured; i++)
		if (run->captured[i].kind == GT_CAPTURE_TERMINAL && !ioctl(run->captured[i].outer, TIOCGWINSZ, &size))
			resized |= !ioctl(run->captured[i].inner, TIOCSWINSZ, &size);
	return resized;
}

/* -------------------------------------------------------------------- end */

/* Behind what was there before: up to where the program stands now, or the end where every write goes there. */
static void copy_file(const struct gt_run *run, unsigned i)
{
	const struct gt_capture *c = &run->captured[i];
	uint64_t limit = (uint64_t)gt_option_number(run->options, "capture-limit", 0);
	char link[32], piece[1 << 16], name[16];
	bool appends = fcntl(c->outer, F_GETFL) & O_APPEND;
	int64_t end = appends ? INT64_MAX : lseek(c->outer, 0, SEEK_CUR), size, at = c->start;
	struct stat st;
	int from, to = create(run, i);
	ssize_t n = 1;

	snprintf(link, sizeof link, "/proc/self/fd/%d", c->outer);
	from = open(link, O_RDONLY | O_CLOEXEC);        /* it was opened to be written, as a rule */
	size = !fstat(c->outer, &st) && st.st_size < end ? st.st_size : end;
	name_of(i, name);
	gt_capture_say_bytes(run->log, name, size > c->start ? (uint64_t)(size - c->start) : 0);
	if (limit && size > c->start && (uint64_t)(size - c->start) > limit)
		size = c->start + (int64_t)limit;
	for (; from >= 0 && to >= 0 && at < size && n > 0; at += n) {
		size_t room = (uint64_t)(size - at) < sizeof piece ? (size_t)(size - at) : sizeof piece;

		n = pread(from, piece, room, at);
		if (n > 0 && write(to, piece, (size_t)n) != n)
			break;          /* a full disk: the trace says how much there was */
	}
	close_end(&from);
	close_end(&to);
	gt_run_gathered(run, name);
}

static void ask_forwarder(struct gt_capture *c)
{
	char done;

	close_end(&c->inner);
	if (c->control < 0 || write(c->control, "", 1) != 1)
		return;
	while (read(c->control, &done, 1) < 0 && errno == EINTR)
		;
	close_end(&c->control);
}

void gt_capture_end(struct gt_run *run)
{
	for (unsigned i = 0; i < run->n_captured; i++)
		if (run->captured[i].kind == GT_CAPTURE_FILE)
			copy_file(run, i);
		else
			ask_forwarder(&run->captured[i]);
}
