/*
 * model/symbols/jit.c - names of code that was made at run time: /tmp/perf-PID.map, as perf reads it
 *
 * Lines "START SIZE NAME", hexadecimal. A runtime may write the same place again: the last line counts. Anybody may
 * have put a file of that name there, so it is one of ours, of root's, or of the process's owner (common/trusted.h
 * TRUST2), and lines that are none are left out.
 *
 * JIT1  A map costs a bounded amount of memory whatever its size: of each line it keeps where the name stands in the
 *       file, and the name is read when it is asked for. What lies behind FILE_MOST, or is beyond GT_JIT_LINES of
 *       all maps, is left out.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/search.h"
#include "common/trusted.h"
#include "model/symbols/internal.h"

enum { FILE_MOST = 1 << 30, NAME_BYTES = 4096 };

/* at: of the name in the file, so a later line has a larger one. bytes: of the code. */
struct place { uint64_t start; uint32_t bytes, at; };
struct gt_jit { GT_LIST(struct place) v; uint32_t *left; int pid; uid_t owner; struct stat st; char name[NAME_BYTES]; };

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->at < y->at) - (x->at > y->at);
}

/* line: at this offset of the file, ended by a zero. */
static bool take_line(struct gt_jit *j, char *line, uint64_t offset)
{
	char *at = line;
	uint64_t start = strtoull(at, &at, 16), bytes = *at == ' ' ? strtoull(at, &at, 16) : 0;
	struct place *p;

	if (*at != ' ' || !start || !bytes)
		return true;
	if (!*j->left || !(p = GT_LIST_ADD(&j->v)))
		return false;
	--*j->left;
	*p = (struct place){ start, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
		(uint32_t)(offset + (uint64_t)(at + 1 - line)) };
	return true;
}

/* A line that is longer than a piece is none. */
static void take_lines(struct gt_jit *j, int fd)
{
	char piece[65536];
	size_t have = 0;
	uint64_t offset = 0;            /* of the piece */
	ssize_t n;

	while (offset + have < FILE_MOST && (n = pread(fd, piece + have, sizeof piece - 1 - have,
		       (off_t)(offset + have))) > 0) {
		char *line = piece, *end = piece + have + n, *next;

		for (; (next = memchr(line, '\n', (size_t)(end - line))); line = next + 1) {
			*next = 0;
			if (!take_line(j, line, offset + (uint64_t)(line - piece)))
				return;
		}
		if (line == piece && end == piece + sizeof piece - 1)
			line = end;
		have = (size_t)(end - line);
		offset += (uint64_t)(line - piece);
		memmove(piece, line, have);
	}
}

static int open_map(int pid, uid_t owner, struct stat *st)
{
	char path[64];

	snprintf(path, sizeof path, "/tmp/perf-%d.map", pid);
	return gt_open_trusted(path, FILE_MOST, owner, st);
}

struct gt_jit *gt_jit_open(int pid, uid_t owner, int64_t started_utc_ns, uint32_t *left)
{
	struct gt_jit *j = calloc(1, sizeof *j);
	int fd = j ? open_map(pid, owner, &j->st) : -1;

	if (fd < 0 || (int64_t)j->st.st_mtim.tv_sec + 1 < started_utc_ns / 1000000000) {
		if (fd >= 0)
			close(fd);
		free(j);
		return NULL;
	}
	j->pid = pid;
	j->owner = owner;
	j->left = left;
	take_lines(j, fd);
	close(fd);
	if (j->v.n)
		qsort(j->v.v, j->v.n, sizeof *j->v.v, compare);
	return j;
}

void gt_jit_close(struct gt_jit *j)
{
	if (j)
		free(j->v.v);
	free(j);
}

/* As it stands there now, if that is still the same file. */
static const char *read_name(struct gt_jit *j, uint32_t at)
{
	struct stat st;
	int fd = open_map(j->pid, j->owner, &st);
	ssize_t n = 0;

	if (fd < 0)
		return NULL;
	if (st.st_ino == j->st.st_ino && st.st_dev == j->st.st_dev)
		n = pread(fd, j->name, sizeof j->name - 1, at);
	close(fd);
	if (n <= 0)
		return NULL;
	j->name[n] = 0;
	j->name[strcspn(j->name, "\n")] = 0;
	return j->name;
}

const char *gt_jit_find(struct gt_jit *j, uint64_t address, uint64_t *start)
{
	uint32_t low;

	GT_SEARCH(low, j ? j->v.n : 0, j->v.v[low].start <= address);
	/* of those that begin together the last one written stands first */
	while (low > 1 && j->v.v[low - 2].start == j->v.v[low - 1].start)
		low--;
	if (!low || address - j->v.v[low - 1].start >= j->v.v[low - 1].bytes)
		return NULL;
	*start = j->v.v[low - 1].start;
	return read_name(j, j->v.v[low - 1].at);
}
