/*
 * analysis/sections/nvtx_choice.c - launches of a trace by the NVTX ranges that they were made in
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/nvtx_choice.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 64, STEPS = 16384, DEEP = 4096 };

struct gt_nvtx_choice {
	struct gc_nvtx_filter include[LINES], exclude[LINES];
	uint32_t includes, excludes;
	size_t used;
	struct gc_regex_op steps[STEPS];
};

const char *gt_nvtx_choice_wrong(struct gc_word line)
{
	static struct gc_regex_op steps[STEPS];
	struct gc_nvtx_filter f;
	size_t used = 0;

	return gc_nvtx_filter_make(&f, line.at, line.bytes, steps, STEPS, &used);
}

static int take(struct gt_nvtx_choice *c, const struct gt_options *o, const char *option,
	struct gc_nvtx_filter to[LINES], uint32_t *n, struct gt_err *err)
{
	const char *at = gt_option(o, option), *why = NULL;

	for (size_t bytes; *at; at += bytes + (at[bytes] == '\n')) {
		bytes = strcspn(at, "\n");
		if (bytes)
			why = *n == LINES ? "it is given too often" :
				gc_nvtx_filter_make(&to[(*n)++], at, bytes, c->steps, STEPS, &c->used);
		if (why)
			return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "--%s %.*s: %s", option, (int)bytes, at, why);
	}
	return 0;
}

int gt_nvtx_choice_open(const struct gt_options *o, struct gt_nvtx_choice **out, struct gt_err *err)
{
	struct gt_nvtx_choice *c;

	*out = NULL;
	if (!*gt_option(o, "nvtx-include") && !*gt_option(o, "nvtx-exclude"))
		return 0;
	c = calloc(1, sizeof *c);
	if (!c)
		return gt_no_memory(err);
	if (take(c, o, "nvtx-include", c->include, &c->includes, err) ||
		take(c, o, "nvtx-exclude", c->exclude, &c->excludes, err)) {
		free(c);
		return -1;
	}
	*out = c;
	return 0;
}

void gt_nvtx_choice_close(struct gt_nvtx_choice *c) { free(c); }

/* ------------------------------------------------------------------ asked */

static struct gc_word name_of(const struct gt_message *range)
{
	struct gt_string s = gt_message_text(range, "Name");

	return (struct gc_word){ s.text, s.bytes };
}

/* The ranges of a domain in a part that holds domains; the outermost first. */
static size_t ranges(
	const struct gt_message *of, const char *domains, const char *list, uint64_t id, struct gc_word to[DEEP])
{
	const struct gt_message_value *d = NULL, *r;
	size_t n = 0;

	while ((d = gt_message_next(d ? NULL : of, domains, d)))
		for (r = gt_message_integer(d->part, "Id", 0) == id ? gt_message_next(d->part, list, NULL) : NULL;
			r && n < DEEP; r = gt_message_next(NULL, list, r))
			to[n++] = name_of(r->part);
	return n;
}

static bool any_fits(const struct gc_nvtx_filter *f, uint32_t n, const struct gt_message *state)
{
	static struct gc_word pushed[DEEP], started[DEEP];
	const struct gt_message_value *d = NULL, *thread = gt_message_next(state, "Threads", NULL);

	while (state && (d = gt_message_next(d ? NULL : state, "Domains", d))) {
		uint64_t id = gt_message_integer(d->part, "Id", 0);
		struct gt_string name = gt_message_text(d->part, "Name");
		const struct gc_nvtx_open open = { id ? name.text : NULL, name.bytes, pushed, started,
			thread ? ranges(thread->part, "PushPopDomains", "Stack", id, pushed) : 0,
			ranges(state, "StartEndDomains", "Ranges", id, started) };

		for (uint32_t i = 0; i < n; i++)
			if (gc_nvtx_filter_fits(&f[i], &open))
				return true;
	}
	return false;
}

bool gt_nvtx_choice_fits(const struct gt_nvtx_choice *c, const struct gt_message *state)
{
	return !c || ((!c->includes || any_fits(c->include, c->includes, state)) &&
		!any_fits(c->exclude, c->excludes, state));
}
