/*
 * analysis/metrics/source.c - counts by instruction (source counters): their names, and those of one launch
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/sass.h"

/* Names of reports, and CUPTI's. */
static const struct { const char *name, *cupti; } source_names[] = {
	{ "inst_executed", "smsp__sass_inst_executed" },
	{ "thread_inst_executed", "smsp__sass_thread_inst_executed" },
	{ "thread_inst_executed_true", "smsp__sass_thread_inst_executed_pred_on" },
	{ "branch_inst_executed", "smsp__sass_inst_executed_op_branch" },
	{ "smsp__branch_targets_threads_divergent", "smsp__sass_branch_targets_threads_divergent" },
	{ "smsp__branch_targets_threads_uniform", "smsp__sass_branch_targets_threads_uniform" },
	{ "memory_l1_tag_requests_global", "smsp__sass_l1tex_tags_mem_global" },
	{ "memory_l1_wavefronts_shared", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared" },
	{ "memory_l1_wavefronts_shared_ideal", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal" },
	{ "memory_l2_theoretical_sectors_global", "smsp__sass_sectors_mem_global" },
	{ "memory_l2_theoretical_sectors_global_ideal", "smsp__sass_sectors_mem_global_ideal" },
	{ "memory_l2_theoretical_sectors_local", "smsp__sass_sectors_mem_local" },
};

/* What is summed up by opcode when the code is looked at. */
#define THREADS "smsp__sass_thread_inst_executed_pred_on"
static const struct { const char *name, *cupti; enum gt_source_by by; } sums[] = {
	{ "sass__inst_executed_per_opcode", "smsp__sass_inst_executed", GT_BY_OPCODE },
	{ "sass__inst_executed_per_opcode_with_modifier_all", "smsp__sass_inst_executed", GT_BY_OPCODE_WITH_MODIFIERS },
	{ "sass__thread_inst_executed_true_per_opcode", THREADS, GT_BY_OPCODE },
	{ "sass__thread_inst_executed_true_per_opcode_with_modifier_all", THREADS, GT_BY_OPCODE_WITH_MODIFIERS },
};

/* By a word of CUPTI's name; the first that is in it. */
static const struct { const char *word, *unit; } units[] = {
	{ "thread_inst_", "thread" }, { "threads_", "thread" }, { "inst_executed", "inst" }, { "sectors", "sector" },
	{ "wavefronts", "wavefront" }, { "bytes", "byte" }, { "requests", "request" },
};

static bool is(struct gt_string s, const char *text)
{
	return s.bytes == strlen(text) && !memcmp(s.text, text, s.bytes);
}

const char *gt_source_of(struct gt_string name, char *to, size_t room)
{
	for (size_t i = 0; i < sizeof source_names / sizeof *source_names; i++)
		if (is(name, source_names[i].name))
			return source_names[i].cupti;
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		if (is(name, sums[i].name))
			return sums[i].cupti;
	if (!memmem(name.text, name.bytes, "_sass_", 6) || memchr(name.text, '.', name.bytes) || name.bytes >= room)
		return NULL;
	snprintf(to, room, "%.*s", (int)name.bytes, name.text);
	return to;
}

enum gt_source_by gt_source_by(const char *name)
{
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		if (!strcmp(name, sums[i].name))
			return sums[i].by;
	return GT_BY_INSTRUCTION;
}

const char *gt_source_unit(const char *name)
{
	char own[256];
	const char *cupti = gt_source_of((struct gt_string){ name, strlen(name) }, own, sizeof own);

	for (size_t i = 0; cupti && i < sizeof units / sizeof *units; i++)
		if (strstr(cupti, units[i].word))
			return units[i].unit;
	return "";
}

/* ------------------------------------------------------------------ of a launch */

struct at { uint64_t address; uint32_t number, first; };        /* an instruction in the blob; its first value there */

static int by_address(const void *l, const void *r)
{
	const struct at *a = l, *b = r;

	return (a->address > b->address) - (a->address < b->address);
}

static struct at *sorted(const struct rec_sass_parts *p, uint32_t own)
{
	struct at *all = calloc(p->head->instructions + 1ull, sizeof *all);
	uint32_t value = 0;

	for (uint32_t i = 0; all && i < p->head->instructions; value += p->instructions[i].values, i++)
		all[i] = (struct at){ gt_sampled_address(p->instructions[i].function, own, p->instructions[i].offset),
			i, value };
	if (all)
		qsort(all, p->head->instructions, sizeof *all, by_address);
	return all;
}

static void add(struct gt_sampled_metric *m, uint64_t address, uint64_t value)
{
	if (!m->n || m->at[m->n - 1].address != address)
		m->at[m->n++] = (struct gt_sampled_at){ .address = address };
	m->at[m->n - 1].samples += value;
	m->samples += value;
}

static bool fill(struct gt_sampled *s, const struct rec_sass_parts *p, const struct at *all)
{
	for (s->n = 0; s->n < p->head->metrics; s->n++) {
		struct gt_sampled_metric *m = &s->metrics[s->n];

		m->name = p->texts + p->metrics[s->n].text;
		m->why = p->metrics[s->n].unknown ? "CUPTI has no such count of instructions for this chip" : NULL;
		m->at = calloc(p->head->instructions + 1ull, sizeof *m->at);
		if (!m->at)
			return false;
	}
	for (uint32_t i = 0; i < p->head->instructions; i++)
		for (uint32_t k = 0; k < p->instructions[all[i].number].values; k++) {
			const struct rec_sass_value *v = &p->values[all[i].first + k];

			add(&s->metrics[v->metric], all[i].address, v->value);
		}
	/* what no instruction has was not counted as 0 */
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->metrics[i].n && !s->metrics[i].why)
			s->metrics[i].why = "CUPTI told of no instruction that has it";
	return true;
}

int gt_source_counts(struct gt_model *m, const struct gt_counters *c, struct gt_sampled *out, const char **why)
{
	static const char *const states[] = {
		[REC_SASS_FULL] = "there were more instructions than there is room for",
		[REC_SASS_FAILED] = "CUPTI did not give the counts of instructions of this launch",
		[REC_SASS_NONE] = "CUPTI told of no instruction of this launch",
	};
	struct rec_sass_parts p;
	int there = gt_model_sass(m, c, &p);
	struct at *all = NULL;
	uint32_t own;
	bool done;

	*out = (struct gt_sampled){ .n = 0 };
	*why = NULL;
	if (!there)
		return 0;
	if (there < 0)
		*why = c->image != rec_apart_image(REC_APART_SASS) && !c->apart[REC_APART_SASS].data.bytes
			? "the run of the program with instrumented code had no such launch, or counted none"
			: "the counts of instructions are damaged, or not whole in the trace";
	else if (p.head->state != REC_SASS_WHOLE)
		*why = p.head->state < sizeof states / sizeof *states ? states[p.head->state] : "they are not whole";
	if (*why)
		return 0;
	done = gt_sampled_functions(out, p.functions, p.head->functions, p.texts, c->symbol, &own) &&
		(all = sorted(&p, own)) && (out->metrics = calloc(p.head->metrics + 1ull, sizeof *out->metrics)) &&
		fill(out, &p, all);
	free(all);
	if (done)
		return 1;
	gt_sampled_free(out);
	return -1;
}
