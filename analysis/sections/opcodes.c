/*
 * analysis/sections/opcodes.c - what the instructions of a module are, as nvdisasm names them
 *
 * Runs in the tool. No library tells what bytes of code mean, so the vendor's disassembler is started, with the code in
 * a file without a name.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/opcodes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/metrics/host.h"
#include "common/memory.h"
#include "common/search.h"

extern char **environ;

enum { PATIENCE_S = 60, MOST_TEXT = 256 << 20 };

/* ------------------------------------------------------------------ the program */

static bool is_program(const char *folder, int bytes, const char *below, char path[PATH_MAX])
{
	return bytes > 0 && snprintf(path, PATH_MAX, "%.*s%s/nvdisasm", bytes, folder, below) < PATH_MAX &&
		!access(path, X_OK);
}

static bool find_program(char path[PATH_MAX])
{
	const char *places[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda" };

	for (const char *at = getenv("PATH"); at && *at; at += strcspn(at, ":"), at += *at == ':')
		if (is_program(at, (int)strcspn(at, ":"), "", path))
			return true;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (places[i] && is_program(places[i], (int)strlen(places[i]), "/bin", path))
			return true;
	return false;
}

/* A file without a name that holds the code; its descriptor, which a child inherits. */
static int file_of(struct gt_string code)
{
	int fd = memfd_create("gputap-module", 0);

	if (fd < 0 || gt_host_write(fd, code.text, code.bytes))
		return fd;
	close(fd);
	return -1;
}

static pid_t start(const char *program, int code, int out)
{
	posix_spawn_file_actions_t actions;
	char path[40];
	char *words[] = { (char *)program, (char *)"-c", path, NULL };
	pid_t pid = -1;
	int rc;

	snprintf(path, sizeof path, "/proc/self/fd/%d", code);
	if (posix_spawn_file_actions_init(&actions))
		return -1;
	rc = posix_spawn_file_actions_adddup2(&actions, out, 1);
	rc = rc ? rc : posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	rc = rc ? rc : posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	rc = rc ? rc : posix_spawn(&pid, program, &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc ? -1 : pid;
}

static time_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* All that comes, ended by a zero; NULL: it took too long, is too much, or there is no memory. */
static char *read_all(int fd)
{
	time_t until = now_s() + PATIENCE_S;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char *text = NULL, *more;
	size_t used = 0, room = 0;

	for (;;) {
		time_t left = until - now_s();
		ssize_t n;

		if (room - used < 2) {
			room = room ? 2 * room : 1 << 16;
			more = room <= MOST_TEXT ? realloc(text, room) : NULL;
			if (!more)
				break;
			text = more;
		}
		if (left <= 0 || (poll(&p, 1, (int)left * 1000) < 0 && errno != EINTR))
			break;
		n = p.revents ? read(fd, text + used, room - used - 1) : -1;
		if (!n) {
			text[used] = 0;
			return text;
		}
		if (n < 0 && p.revents && errno != EINTR)
			break;
		used += n > 0 ? (size_t)n : 0;
	}
	free(text);
	return NULL;
}

/* What it prints of the code; NULL: nothing. */
static char *disassemble(const char *program, struct gt_string code)
{
	int ends[2], file = file_of(code), status = -1;
	char *text = NULL;
	pid_t pid;

	if (file < 0)
		return NULL;
	if (pipe2(ends, O_CLOEXEC)) {
		close(file);
		return NULL;
	}
	pid = start(program, file, ends[1]);
	close(file);
	close(ends[1]);
	if (pid > 0) {
		text = read_all(ends[0]);
		if (!text)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	if (!status)
		return text;
	free(text);
	return NULL;
}

/* ------------------------------------------------------------------ what it printed */

static bool is_of_name(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }
static const char *blanks(const char *s) { return s + strspn(s, " \t"); }

/* A line of an instruction: its offset as a comment, perhaps a brace and a condition (@...), the opcode. */
static bool instruction(const char *line, uint64_t *offset, struct gt_opcode *o)
{
	char *end;

	line = blanks(line);
	if (line[0] != '/' || line[1] != '*')
		return false;
	*offset = strtoull(line + 2, &end, 16);
	if (end == line + 2 || end[0] != '*' || end[1] != '/')
		return false;
	line = blanks(end + 2);
	if (*line == '{')
		line = blanks(line + 1);
	if (*line == '@')
		line = blanks(line + strcspn(line, " \t"));
	o->name = line;
	while (is_of_name(line[o->bytes]))
		o->bytes++;
	while (o->base < o->bytes && line[o->base] != '.')
		o->base++;
	return o->base;
}

static int by_place(const void *l, const void *r)
{
	const struct gt_opcode *a = l, *b = r;

	return (a->at > b->at) - (a->at < b->at);
}

void gt_opcodes_parse(struct gt_opcodes *o, const struct gt_cubin *cubin, char *text)
{
	static const char section[] = ".text.";
	const struct gt_cubin_function *f = NULL;
	GT_LIST(struct gt_opcode) found = { .n = 0 };
	size_t bytes;

	o->text = text;
	for (char *line = text; *line && !o->failed; line += bytes + 1) {
		struct gt_opcode one = { .at = 0 }, *place;
		bool last;

		bytes = strcspn(line, "\n");
		last = !line[bytes];
		line[bytes] = 0;
		if (!strncmp(line, section, sizeof section - 1) && line[bytes - 1] == ':') {
			f = gt_cubin_find(cubin, (struct gt_string){ line + sizeof section - 1,
				bytes - sizeof section });
		} else if (f && instruction(line, &one.at, &one)) {
			one.at += f->at;
			place = GT_LIST_ADD(&found);
			o->failed |= !place;
			if (place)
				*place = one;
		}
		if (last)
			break;
	}
	o->v = found.v;
	o->n = found.n;
	if (o->n)
		qsort(o->v, o->n, sizeof *o->v, by_place);
	else
		o->why = "nvdisasm does not know this code";
}

void gt_opcodes_ask(struct gt_opcodes *o, const struct gt_cubin *cubin, struct gt_string code)
{
	char program[PATH_MAX], *text;

	if (o->asked)
		return;
	o->asked = true;
	if (!find_program(program)) {
		o->why = "nvdisasm, which names opcodes, is not installed";
		return;
	}
	text = disassemble(program, code);
	if (text)
		gt_opcodes_parse(o, cubin, text);
	else
		o->why = "nvdisasm failed, or took longer than a minute";
}

const struct gt_opcode *gt_opcode_at(const struct gt_opcodes *o, uint64_t at)
{
	uint32_t i, n = o->n;

	GT_SEARCH(i, n, o->v[i].at < at);
	return i < n && o->v[i].at == at ? &o->v[i] : NULL;
}

void gt_opcodes_free(struct gt_opcodes *o)
{
	free(o->v);
	free(o->text);
	*o = (struct gt_opcodes){ .asked = false };
}
