/*
 * common/counted.c - a number with what it counts
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/counted.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of every word that a text of ours counts: tests/unit/test_counted.c holds the losses against it. */
static const struct { const char *many, *one; } words[] = {
	{ "activities", "activity" }, { "allocations", "allocation" }, { "arguments", "argument" },
	{ "blocks", "block" }, { "buffers", "buffer" }, { "callbacks", "callback" }, { "calls", "call" },
	{ "children", "child" }, { "commands", "command" }, { "compilations", "compilation" },
	{ "contents", "content" }, { "copies", "copy" }, { "correlations", "correlation" },
	{ "decompressions", "decompression" }, { "events", "event" }, { "executions", "execution" },
	{ "files", "file" }, { "fills", "fill" }, { "flushes", "flush" }, { "folders", "folder" },
	{ "functions", "function" }, { "graphs", "graph" }, { "kernels", "kernel" }, { "kinds", "kind" },
	{ "launches", "launch" }, { "lists", "list" }, { "loaders", "loader" }, { "metrics", "metric" },
	{ "multiprocessors", "multiprocessor" }, { "objects", "object" }, { "operations", "operation" },
	{ "overheads", "overhead" }, { "passes", "pass" }, { "processes", "process" }, { "ranges", "range" },
	{ "records", "record" }, { "results", "result" }, { "samples", "sample" }, { "segments", "segment" },
	{ "sources", "source" }, { "streams", "stream" }, { "strings", "string" },
	{ "synchronisations", "synchronisation" }, { "threads", "thread" }, { "times", "time" },
};

/* The singular of the word of n characters; NULL: not in the list. */
static const char *singular(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strncmp(words[i].many, word, n) && !words[i].many[n])
			return words[i].one;
	return NULL;
}

struct gt_counted gt_counted_things(uint64_t n, const char *things)
{
	struct gt_counted out;
	size_t length;

	snprintf(out.text, sizeof out.text, "%s", things);
	for (const char *at = things; n == 1 && *at; at += length + (at[length] != 0)) {
		const char *one;

		for (length = 0; isalpha((unsigned char)at[length]); length++)
			;
		if (!(one = singular(at, length)))
			continue;
		snprintf(out.text, sizeof out.text, "%.*s%s%s", (int)(at - things), things, one, at + length);
		break;
	}
	return out;
}

struct gt_counted gt_counted(uint64_t n, const char *things)
{
	struct gt_counted what = gt_counted_things(n, things), out;

	snprintf(out.text, sizeof out.text, "%" PRIu64 " %.220s", n, what.text);
	return out;
}
