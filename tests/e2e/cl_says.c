/*
 * tests/e2e/cl_says.c - one OpenCL call, and then what a program may do with standard output and error
 *
 *	cl_says tty          which of 0, 1, 2 are terminals, and the size of 1's
 *	cl_says lines N      N lines to 1 and 2 in turns
 *	cl_says winch        "ready", and the terminal's size when SIGWINCH tells of another one
 *	cl_says int|stop     "ready"; when a line comes, how many SIGINT there were
 *	cl_says bytes N      N bytes of a pattern
 *	cl_says wait FIFO N  the same when somebody has opened the pipe; a failed write's errno is the exit status
 *	cl_says leave FIFO N the same, by a child that is left behind; "left" at once
 *	cl_says ids          device and inode of 1
 *	cl_says raw          turns echo and line editing of 1 off, "ready", waits for a line, turns them on again
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "cl_common.h"

static volatile sig_atomic_t interrupts;

static void count(int number)
{
	(void)number;
	interrupts++;
}

static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		exit(errno);
}

static void say_size(void)
{
	struct winsize size = { 0 };
	char line[64];

	ioctl(1, TIOCGWINSZ, &size);
	snprintf(line, sizeof line, "%dx%d\n", size.ws_row, size.ws_col);
	say(1, line);
}

static void terminals(void)
{
	char line[64];

	snprintf(line, sizeof line, "%d %d %d\n", isatty(0), isatty(1), isatty(2));
	say(1, line);
	say_size();
}

static void lines(int n)
{
	char line[32];

	for (int i = 0; i < n; i++) {
		snprintf(line, sizeof line, "line %d\n", i);
		say(1 + i % 2, line);
	}
}

static void winch(void)
{
	struct winsize first = { 0 }, now;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, &old);
	signal(SIGWINCH, count);
	ioctl(1, TIOCGWINSZ, &first);
	now = first;
	say(1, "ready\n");
	while (now.ws_col == first.ws_col) {
		sigsuspend(&old);
		ioctl(1, TIOCGWINSZ, &now);
	}
	say_size();
}

static void until_line(void)
{
	char line[64], c = 0;

	say(1, "ready\n");
	while (c != '\n' && c != 'q' && (read(0, &c, 1) > 0 || errno == EINTR))
		;
	snprintf(line, sizeof line, "%d interrupts\n", (int)interrupts);
	say(1, line);
}

static void raw(void)
{
	struct termios t, before;

	if (tcgetattr(1, &before))
		exit(2);
	t = before;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(1, TCSADRAIN, &t);
	until_line();
	tcsetattr(1, TCSADRAIN, &before);
}

static void bytes(long n)
{
	static char piece[5000];

	while (n > 0) {
		size_t some = n < (long)sizeof piece ? (size_t)n : sizeof piece;

		for (size_t i = 0; i < some; i++)
			piece[i] = (char)((n - (long)i) * 31 % 256);
		ssize_t done = write(1, piece, some);

		if (done < 0)
			exit(errno);
		n -= done;
	}
}

static void wait_for(const char *fifo)
{
	int fd = open(fifo, O_RDONLY);

	if (fd < 0)
		exit(2);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *last = argv[argc - 1];

	CHECK(clGetPlatformIDs(1, &platform, NULL));
	signal(SIGINT, count);
	signal(SIGPIPE, strcmp(mode, "wait") ? SIG_DFL : SIG_IGN);
	if (!strcmp(mode, "tty"))
		terminals();
	if (!strcmp(mode, "lines"))
		lines(atoi(last));
	if (!strcmp(mode, "winch"))
		winch();
	if (!strcmp(mode, "int") || !strcmp(mode, "stop"))
		until_line();
	if (!strcmp(mode, "raw"))
		raw();
	if (!strcmp(mode, "ids")) {
		struct stat st;

		fstat(1, &st);
		printf("%lu:%lu\n", (unsigned long)st.st_dev, (unsigned long)st.st_ino);
	}
	if (!strcmp(mode, "leave")) {
		if (fork()) {
			say(1, "left\n");
			return 0;
		}
		wait_for(argv[2]);
		bytes(atol(last));
	}
	if (!strcmp(mode, "wait"))
		wait_for(argv[2]);
	if (!strcmp(mode, "bytes") || !strcmp(mode, "wait"))
		bytes(atol(last));
	return 0;
}
