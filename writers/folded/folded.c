/*
 * writers/folded/folded.c - folded stacks: a line for each path, its frames parted by ';', then its weight
 *
 * The form that flamegraph.pl, inferno, speedscope and others draw (docs/folded.md). A new weight is a line of the
 * table of sources, and its word in trace/format/options.def.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harmless.h"
#include "common/hash.h"
#include "common/paged.h"
#include "model/sort.h"
#include "model/threads/threads.h"
#include "writers/costs.h"
#include "writers/folded/internal.h"

#define EVENT(id) (1u << GT_COST_##id)
static const struct gt_folded_source sources[] = {
	{ "gpu",   gt_folded_read_costs, EVENT(GPU) },
	{ "bytes", gt_folded_read_costs, EVENT(BYTES) },
	{ "api",   gt_folded_read_costs, EVENT(API) },
	{ "wait",  gt_folded_read_costs, EVENT(WAIT) },
	{ "host",  gt_folded_read_costs, EVENT(API) | EVENT(WAIT) },
	{ "calls", gt_folded_read_costs, EVENT(CALLS) },
	{ "samples", gt_folded_read_samples, 0 },
};

struct folded_line { struct gt_string path; uint64_t weight; };

/* ---- gathering ---- */

void gt_folded_frame(struct gt_folded *f, const char *name, size_t bytes)
{
	size_t from;

	if (f->path.used)
		gt_text_char(&f->path, ';');
	from = f->path.used;
	gt_text_harmless(&f->path, name, bytes);
	for (size_t i = from; i < f->path.used; i++)
		if (f->path.data[i] == ';')
			f->path.data[i] = ':';
}

void gt_folded_begin(struct gt_folded *f, uint32_t process, int tid, struct gt_string thread_name)
{
	const struct gt_process *p = gt_model_process(f->x->model, process);
	const char *image = p->image && *p->image ? p->image : "unknown", *slash = strrchr(image, '/');
	char text[160];
	int n;

	f->path.used = 0;
	n = snprintf(text, sizeof text, "%.100s [%d]", slash ? slash + 1 : image, p->pid);
	gt_folded_frame(f, text, (size_t)n);
	if (tid < 0)
		return;
	n = snprintf(text, sizeof text, thread_name.bytes ? "thread %d (%.*s)" : "thread %d", tid,
		thread_name.bytes > 64 ? 64 : (int)thread_name.bytes, thread_name.text);
	gt_folded_frame(f, text, (size_t)n);
}

static bool same_path(const void *element, const void *key, const void *ctx)
{
	const struct gt_string *a = &((const struct folded_line *)element)->path, *b = key;

	(void)ctx;
	return gt_same_text(*a, *b);
}

void gt_folded_end(struct gt_folded *f, uint64_t weight)
{
	struct gt_string key = { f->path.data, f->path.used };
	struct folded_line *line;
	bool fresh;

	if (!weight || f->failed || f->path.failed)
		return;
	line = gt_map_add(
		&f->lines, sizeof *line, gt_hash_text(key.text, key.bytes), &key, same_path, NULL, &fresh);
	if (line && fresh)
		line->path = (struct gt_string){ gt_arena_copy(&f->arena, key.text, key.bytes), key.bytes };
	if (line && line->path.text)
		line->weight += weight;
	else
		f->failed = true;
}

/* ---- the file ---- */

static int by_path(const void *a, const void *b, const void *ctx)
{
	const struct folded_line *x = a, *y = b;

	(void)ctx;
	gt_paged_tick();
	return gt_compare_text(x->path, y->path);
}

/* In the order of their paths, so that equal traces give equal files. False: out of memory. */
static bool put_lines(const struct gt_folded *f, struct gt_output *out)
{
	const struct folded_line *line = NULL;
	struct gt_bulk_budget budget = { 0 };
	struct gt_bulk lines = { 0 };
	bool ok = true;

	while (ok && (line = gt_map_next(&f->lines, sizeof *line, line))) {
		struct folded_line *added = gt_bulk_add(&lines, sizeof *added, &budget);

		gt_paged_tick();
		ok = added != NULL;
		if (ok)
			*added = *line;
	}
	ok = ok && !gt_bulk_sort(&lines, sizeof *line, by_path, NULL, &budget);
	for (size_t i = 0; ok && i < lines.n; i++) {
		line = (const struct folded_line *)lines.data + i;
		gt_paged_tick();
		gt_text_bytes(&out->text, line->path.text, line->path.bytes);
		gt_text_char(&out->text, ' ');
		gt_text_u64(&out->text, line->weight);
		gt_text_char(&out->text, '\n');
		gt_output_drain(out);
	}
	gt_bulk_free(&lines);
	return ok && !out->text.failed;
}

static int write_file(const struct gt_folded *f, struct gt_err *err)
{
	const struct gt_export *x = f->x;
	struct gt_output out;

	if (gt_output_open(&out, x->path, x->final_path, err))
		return -1;
	if (!f->failed && !f->path.failed && put_lines(f, &out))
		return gt_output_commit(&out, err);
	gt_output_discard(&out);
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: cannot be written", x->final_path);
}

/* Nobody asked for a weight: device time, or where the trace has samples and no work of a device, those. */
static const char *usual_weight(const struct gt_model *m)
{
	bool work = gt_model_hsa_kernel_count(m);

	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		work |= gt_model_process(m, i)->commands;
	return !work && gt_model_sample_count(m) ? "samples" : "gpu";
}

static int folded_write(const struct gt_export *x, struct gt_err *err)
{
	const struct gt_folded_source *source = sources;
	struct gt_folded f = { .x = x };
	const char *word = gt_option(x->options, "folded-weight");
	int rc;

	if (!strcmp(word, "auto"))
		word = usual_weight(x->model);
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (!strcmp(word, sources[i].word))
			source = &sources[i];
	rc = source->read(&f, source->events, err) ? -1 : write_file(&f, err);
	gt_map_free(&f.lines, sizeof(struct folded_line));
	gt_arena_free(&f.arena);
	gt_text_free(&f.path);
	return rc;
}

const struct gt_writer gt_writer_folded = {
	.id = "folded",
	.suffix = ".folded",
	.help = "folded stacks for flame graphs: a line for each path of calls, with its weight (--folded-weight)",
	.write = folded_write,
};
