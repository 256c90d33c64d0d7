/*
 * model/symbols/jit.c - names of code that was made at run time: /tmp/perf-PID.map, as perf reads it
 *
 * Lines "START SIZE NAME", hexadecimal. A runtime may write the same place again: the last line counts. The file is
 * anybody's: lines that are none are left out.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/search.h"
#include "model/symbols/internal.h"

struct named { uint64_t start, bytes; char *name; uint32_t order; };
struct gt_jit { GT_LIST(struct named) v; };

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order < y->order) - (x->order > y->order);
}

static bool take_line(struct gt_jit *j, char *line)
{
	char *at = line;
	uint64_t start = strtoull(at, &at, 16), bytes = *at == ' ' ? strtoull(at, &at, 16) : 0;
	struct named *n;

	if (*at != ' ' || !start || !bytes)
		return true;
	at++;
	at[strcspn(at, "\n")] = 0;
	n = GT_LIST_ADD(&j->v);
	if (!n || !(n->name = strdup(at)))
		return false;
	n->start = start;
	n->bytes = bytes;
	n->order = j->v.n;
	return true;
}

static bool is_new_enough(FILE *f, int64_t started_utc_ns)
{
	struct stat st;

	return !fstat(fileno(f), &st) && S_ISREG(st.st_mode) &&
		(int64_t)st.st_mtim.tv_sec + 1 >= started_utc_ns / 1000000000;
}

struct gt_jit *gt_jit_open(int pid, int64_t started_utc_ns)
{
	struct gt_jit *j = NULL;
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", pid);
	f = fopen(path, "re");
	if (f && is_new_enough(f, started_utc_ns) && (j = calloc(1, sizeof *j)))
		while (getline(&line, &room, f) > 0 && take_line(j, line))
			;
	free(line);
	if (f)
		fclose(f);
	if (j && j->v.n)
		qsort(j->v.v, j->v.n, sizeof *j->v.v, compare);
	return j;
}

void gt_jit_close(struct gt_jit *j)
{
	for (uint32_t i = 0; j && i < j->v.n; i++)
		free(j->v.v[i].name);
	if (j)
		free(j->v.v);
	free(j);
}

const char *gt_jit_find(const struct gt_jit *j, uint64_t address, uint64_t *start)
{
	uint32_t low;

	GT_SEARCH(low, j ? j->v.n : 0, j->v.v[low].start <= address);
	/* of those that begin together the last one written stands first */
	while (low > 1 && j->v.v[low - 2].start == j->v.v[low - 1].start)
		low--;
	if (!low || address - j->v.v[low - 1].start >= j->v.v[low - 1].bytes)
		return NULL;
	*start = j->v.v[low - 1].start;
	return j->v.v[low - 1].name;
}
