/*
 * analysis/metrics/sampled.c - samples of the program counter of one launch, as metrics
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "trace/format/samples.h"

#define ALL "smsp__pcsamp_sample_count"

struct instruction { uint64_t address; uint32_t number, first; };        /* in the blob; its first count there */

/* The kernel's own function comes first, whatever its place. */
static uint32_t rank_of(uint32_t function, uint32_t own)
{
	return function == own ? 0 : function == 0 ? own : function;
}

bool gt_sampled_functions(struct gt_sampled *s, const struct rec_samples_function *all, uint32_t n, const char *texts,
	struct gt_string symbol, uint32_t *own)
{
	*own = 0;
	for (uint32_t i = n; i--;) {
		const char *name = texts + all[i].text;

		if (strlen(name) == symbol.bytes && !memcmp(name, symbol.text, symbol.bytes))
			*own = i;
	}
	s->functions = calloc(n + 1ull, sizeof *s->functions);
	for (uint32_t i = 0; s->functions && i < n; i++)
		s->functions[rank_of(i, *own)] =
			(struct gt_sampled_function){ all[i].crc, all[i].index, texts + all[i].text };
	s->n_functions = s->functions ? n : 0;
	return s->functions;
}

uint64_t gt_sampled_address(uint32_t function, uint32_t own, uint64_t offset)
{
	return (uint64_t)rank_of(function, own) << 32 | (uint32_t)offset;
}

static int by_address(const void *l, const void *r)
{
	const struct instruction *a = l, *b = r;

	return (a->address > b->address) - (a->address < b->address);
}

static struct instruction *sorted(const struct rec_samples_parts *p, uint32_t own)
{
	struct instruction *all = calloc(p->head->instructions + 1ull, sizeof *all);
	uint32_t count = 0;

	for (uint32_t i = 0; all && i < p->head->instructions; count += p->instructions[i].counts, i++)
		all[i] = (struct instruction){
			gt_sampled_address(p->instructions[i].function, own, p->instructions[i].offset), i, count };
	if (all)
		qsort(all, p->head->instructions, sizeof *all, by_address);
	return all;
}

/* What an instruction has of one reason; reason NULL: of all that add up (`adds`, by place). */
static uint64_t samples_of(const struct rec_samples_parts *p, const struct instruction *at,
	const struct rec_samples_reason *reason, const bool *adds)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->instructions[at->number].counts; i++) {
		const struct rec_samples_count *c = &p->counts[at->first + i];
		bool counts = reason && c->reason == reason->index;

		for (uint32_t k = 0; !reason && k < p->head->reasons && !counts; k++)
			counts = adds[k] && p->reasons[k].index == c->reason;
		sum += counts ? c->samples : 0;
	}
	return sum;
}

static bool fill(struct gt_sampled_metric *m, const struct rec_samples_parts *p, const struct instruction *all,
	const struct rec_samples_reason *reason)
{
	bool adds[REC_SAMPLES_REASONS];
	uint32_t n = p->head->instructions;

	for (uint32_t i = 0; i < p->head->reasons; i++)
		adds[i] = rec_samples_adds(p->texts + p->reasons[i].text);
	m->name = reason ? p->texts + reason->text : ALL;
	m->at = calloc(n + 1ull, sizeof *m->at);
	for (uint32_t i = 0; m->at && i < n; i++) {
		uint64_t samples = samples_of(p, &all[i], reason, adds);

		if (!samples)
			continue;
		if (!m->n || m->at[m->n - 1].address != all[i].address)
			m->at[m->n++] = (struct gt_sampled_at){ .address = all[i].address };
		m->at[m->n - 1].samples += samples;
		m->samples += samples;
	}
	return m->at;
}

static bool make(struct gt_sampled *s, const struct rec_samples_parts *p, struct gt_string symbol)
{
	uint32_t own;
	bool done = gt_sampled_functions(s, p->functions, p->head->functions, p->texts, symbol, &own), told = false;
	struct instruction *all = sorted(p, own);

	s->cycles = p->head->cycles;
	s->metrics = calloc(p->head->reasons + 2ull, sizeof *s->metrics);
	done = done && all && s->metrics;
	for (uint32_t i = 0; i < p->head->reasons; i++)
		told |= !strcmp(p->texts + p->reasons[i].text, ALL);
	if (done && !told)
		done = fill(&s->metrics[s->n++], p, all, NULL);
	for (uint32_t i = 0; done && i < p->head->reasons; i++)
		if (p->texts[p->reasons[i].text])
			done = fill(&s->metrics[s->n++], p, all, &p->reasons[i]);
	free(all);
	return done;
}

int gt_sampled_of(struct gt_model *m, const struct gt_counters *c, struct gt_sampled *out, const char **why)
{
	struct rec_samples_parts p;
	int there = gt_model_samples(m, c, &p);

	*out = (struct gt_sampled){ .n = 0 };
	*why = NULL;
	if (!there)
		return 0;
	if (there < 0)
		*why = c->image != rec_apart_image(REC_APART_SAMPLES) && !c->apart[REC_APART_SAMPLES].data.bytes
			? "the run of the program that samples the program counter had no such launch, or took none"
			: "the samples of the program counter are damaged, or not whole in the trace";
	else if (p.head->state != REC_SAMPLES_WHOLE)
		*why = p.head->state == REC_SAMPLES_FULL ? "the device's buffer of samples was full"
							 : "CUPTI did not give the samples of this launch";
	if (*why)
		return 0;
	if (make(out, &p, c->symbol))
		return 1;
	gt_sampled_free(out);
	return -1;
}

void gt_sampled_free(struct gt_sampled *s)
{
	for (uint32_t i = 0; s->metrics && i < s->n; i++)
		free(s->metrics[i].at);
	free(s->metrics);
	free(s->functions);
	*s = (struct gt_sampled){ .n = 0 };
}
