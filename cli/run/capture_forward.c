/*
 * cli/run/capture_forward.c - the process that forwards what the program writes to one open file, and keeps it
 *
 * Runs      in a process of its own, forked by the launcher, until nobody can write any more (CAPTURE2).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/run/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436               /* glibc 2.31 does not know it */
#endif

enum { FROM, TO, CONTROL, KEEP, LOG, OURS };
enum { AT_END = 2 << 20 };              /* bytes: more than pipes hold. Who still writes then is a child left behind */

struct forwarder {
	uint64_t seen, said, kept, limit;
	bool keeps, terminal, whole;
	const char *name;
};

/* Ours become 0 to 4, and everything else is closed: a reader elsewhere waits until the last writer is gone. */
static void take_descriptors(const struct gt_forward *f)
{
	int fd[OURS] = { f->from, f->to, f->control, f->file, f->log };

	for (int i = 0; i < OURS; i++)
		fd[i] = fd[i] < 0 ? -1 : fcntl(fd[i], F_DUPFD, OURS);
	for (int i = 0; i < OURS; i++)
		if (fd[i] < 0 || dup2(fd[i], i) < 0)
			close(i);
	if (syscall(SYS_close_range, OURS, ~0u, 0))
		for (int i = OURS; i < 4096; i++)
			close(i);
}

/* What ends, stops or wakes the program is its own matter: what it still says must arrive. */
static void leave_signals(void)
{
	static const unsigned long long all = ~0ull;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof all);
}

static bool write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno == EAGAIN)        /* somebody made the open file non-blocking */
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (done < 0 && errno != EINTR)
			return false;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

static void keep(struct forwarder *w, const char *text, size_t n)
{
	if (w->limit && n > w->limit - w->kept)
		n = w->limit - w->kept;
	w->keeps = w->keeps && write_all(KEEP, text, n);        /* a full disk ends the keeping alone */
	w->kept += w->keeps ? n : 0;
}

/*
 * The program set modes of its terminal: those that concern the keyboard belong to the one behind it. Its own goes on
 * leaving bytes as they are.
 */
static void pass_modes(void)
{
	struct termios inner, outer;

	if (tcgetattr(FROM, &inner) || tcgetattr(TO, &outer))
		return;
	outer.c_iflag = inner.c_iflag;
	outer.c_oflag = inner.c_oflag | (outer.c_oflag & OPOST);
	outer.c_lflag = (inner.c_lflag & ~(tcflag_t)EXTPROC) | (outer.c_lflag & EXTPROC);
	memcpy(outer.c_cc, inner.c_cc, sizeof outer.c_cc);
	tcsetattr(TO, TCSADRAIN, &outer);
	if (!(inner.c_oflag & OPOST) && inner.c_lflag & EXTPROC)
		return;
	inner.c_oflag &= ~(tcflag_t)OPOST;
	inner.c_lflag |= EXTPROC;
	tcsetattr(FROM, TCSANOW, &inner);
}

/* One piece. False: nobody writes, or nobody reads, any more. From a terminal a first byte says what it is. */
static bool forward(struct forwarder *w)
{
	char piece[1 << 16], *text = piece + w->terminal;
	ssize_t n = read(FROM, piece, sizeof piece);

	if (n <= 0)
		return n < 0 && (errno == EINTR || errno == EAGAIN);    /* EIO: the last writer left the terminal */
	if (w->terminal && piece[0] != TIOCPKT_DATA) {
		if (piece[0] & TIOCPKT_IOCTL)
			pass_modes();
		return true;
	}
	n -= w->terminal;
	if (!write_all(TO, text, (size_t)n))
		return false;
	w->seen += (uint64_t)n;
	keep(w, text, (size_t)n);
	return true;
}

void gt_capture_say_bytes(int log, const char *name, uint64_t bytes)
{
	char line[96];
	int n = snprintf(line, sizeof line, "stream_bytes=%s %llu\n", name, (unsigned long long)bytes);

	if (write(log, line, (size_t)n) < 0)
		return;                 /* as any other line of it */
}

static void say(struct forwarder *w)
{
	if (w->said != w->seen)
		gt_capture_say_bytes(LOG, w->name, w->seen);
	w->said = w->seen;
}

/* Until the end of the program, or of all who write. */
static void say_whole(struct forwarder *w)
{
	char line[64];
	int n = snprintf(line, sizeof line, "gathered=%s\n", w->name);

	if (!w->whole && write(LOG, line, (size_t)n) < 0)
		errno = 0;              /* as any other line of it */
	w->whole = true;
}

/* The program ended: what it wrote is forwarded first. False: as forward. */
static bool answer(struct forwarder *w)
{
	uint64_t until = w->seen + AT_END;
	bool on = true, asked = read(CONTROL, &(char){ 0 }, 1) == 1;     /* else the launcher was killed */

	while (on && w->seen < until && poll(&(struct pollfd){ .fd = FROM, .events = POLLIN }, 1, 0) > 0)
		on = forward(w);
	say(w);
	if (asked)
		say_whole(w);
	if (write(CONTROL, "", 1) < 0)
		errno = 0;              /* the launcher is gone */
	close(CONTROL);
	return on;
}

void gt_capture_forward(const struct gt_forward *f)
{
	struct forwarder w = {
		.limit = f->limit, .keeps = f->file >= 0, .terminal = f->terminal, .name = f->name
	};
	struct pollfd p[] = { { .fd = FROM, .events = POLLIN }, { .fd = TO }, { .fd = CONTROL, .events = POLLIN } };
	bool on = true;

	prctl(PR_SET_NAME, "gputap-output");
	leave_signals();
	take_descriptors(f);
	while (on) {
		if (poll(p, 3, -1) < 0)
			continue;
		if (p[2].revents) {
			on = answer(&w);
			p[2].fd = -1;
		} else if (p[0].revents) {
			on = forward(&w);
		} else if (p[1].revents & (POLLERR | POLLHUP | POLLNVAL)) {
			on = false;     /* CAPTURE3 */
		}
	}
	say(&w);
	say_whole(&w);
	_exit(0);
}
