/*
 * analysis/metrics/peak.c - what the memory of an OpenCL device moves at most
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/peak.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plain/glob.h"

#define NOT_KNOWN "no peak of this device was given (--peak-bandwidth) or measured (gputap run --measure-peak)"

static const char *const words[GT_PEAK_WORDS] = {
#define X(word) #word,
	GT_PEAK_KERNELS(X)
#undef X
#define X(word, text) #word,
	GT_PEAK_FAILURES(X)
#undef X
};
static const char *const failures[GT_PEAK_WORDS] = {
#define X(word, text) [GT_PEAK_##word] = text,
	GT_PEAK_FAILURES(X)
#undef X
};
static const char *const sources[GT_PEAK_WORDS] = {
#define X(word) [GT_PEAK_##word] = "measured (" #word ")",
	GT_PEAK_KERNELS(X)
#undef X
};

const char *gt_peak_word(enum gt_peak_word word) { return words[word]; }
const char *gt_peak_failure(enum gt_peak_word word) { return word < GT_PEAK_WORDS ? failures[word] : NULL; }

/* ------------------------------------------------------------------ given */

/* "936GB/s", "3.35T", "2e10": bytes a second; 0: it is none. */
static double rate_of(const char *text, size_t bytes)
{
	static const char letters[] = "kMGTP";
	char number[64], *end;
	const char *letter;
	double rate;

	if (!bytes || bytes >= sizeof number || !isdigit((unsigned char)*text))
		return 0;
	memcpy(number, text, bytes);
	number[bytes] = 0;
	rate = strtod(number, &end);
	letter = *end == 'K' ? letters : *end ? strchr(letters, *end) : NULL;
	for (const char *l = letter; l && l >= letters; l--)
		rate *= 1000;
	end += letter != NULL;
	if (!strcmp(end, "B/s"))
		end += 3;
	return *end || !isfinite(rate) ? 0 : rate;
}

/* One line: its device's name and its rate; false: it is none. */
static bool read_line(const char *line, size_t bytes, struct gt_given_peak *out)
{
	size_t name = bytes;

	while (name && line[name - 1] != '=')
		name--;
	out->pattern = (struct gt_string){ name ? line : "*", name ? name - 1 : 1 };
	out->rate = rate_of(line + name, bytes - name);
	return out->rate > 0;
}

static int add_given(struct gt_peaks *p, const char *given, const char *source, struct gt_err *err)
{
	for (size_t n; *given; given += n + (given[n] == '\n')) {
		struct gt_given_peak *one;

		n = strcspn(given, "\n");
		if (!n)
			continue;
		one = GT_LIST_ADD(&p->given);
		if (!one)
			return gt_no_memory(err);
		if (!read_line(given, n, one))
			return gt_fail(err, GT_EXIT_USAGE, NULL, "--peak-bandwidth 936GB/s, or NAME=936GB/s",
				"--peak-bandwidth %.*s: it does not end with bytes a second", (int)n, given);
		one->source = source;
	}
	return 0;
}

int gt_peaks_check(const char *given, struct gt_err *err)
{
	struct gt_peaks p = { .model = NULL };
	int rc = add_given(&p, given, "", err);

	gt_peaks_close(&p);
	return rc;
}

/* ------------------------------------------------------------------ measured */

/* Up to the next tab; *at goes behind it. */
static struct gt_string field(const char **at)
{
	struct gt_string s = { *at, strcspn(*at, "\t") };

	*at += s.bytes + ((*at)[s.bytes] == '\t');
	return s;
}

static enum gt_peak_word word_of(struct gt_string s)
{
	for (size_t i = 0; i < GT_PEAK_WORDS; i++)
		if (strlen(words[i]) == s.bytes && !memcmp(words[i], s.text, s.bytes))
			return (enum gt_peak_word)i;
	return GT_PEAK_WORDS;
}

bool gt_peak_measured(const struct gt_model *m, unsigned n, struct gt_measured_peak *out)
{
	const char *at = gt_model_run_fact(m, GT_PEAK_KEY, n);

	if (!at)
		return false;
	out->word = word_of(field(&at));
	out->bytes = strtoull(field(&at).text, NULL, 10);
	out->ns = strtoull(field(&at).text, NULL, 10);
	out->launches = (uint32_t)strtoul(field(&at).text, NULL, 10);
	out->device = field(&at);
	out->platform = field(&at);
	if (!gt_peak_failure(out->word) && (!out->bytes || !out->ns))
		out->word = GT_PEAK_WORDS;
	return true;
}

/* ------------------------------------------------------------------ of a device */

int gt_peaks_open(struct gt_peaks *p, const struct gt_model *m, struct gt_err *err)
{
	const char *run = gt_model_option(m, -1, GT_TAKEN_PEAK_BANDWIDTH);

	*p = (struct gt_peaks){ .model = m };
	if (run && gt_peaks_check(run, err))
		run = NULL;                             /* gputap run would have refused it: not what was given to it */
	if (!add_given(p, gt_model_peaks(m), "given", err) && (!run || !add_given(p, run, "given to gputap run", err)))
		return 0;
	gt_peaks_close(p);
	return -1;
}

/* Names end with blanks or a zero in some runtimes. */
static struct gt_string trimmed(struct gt_string s)
{
	while (s.bytes && (!s.text[s.bytes - 1] || isspace((unsigned char)s.text[s.bytes - 1])))
		s.bytes--;
	return s;
}

static bool is_of(const struct gt_measured_peak *p, const struct gt_object *device)
{
	struct gt_string none = { "", 0 }, platform = trimmed(device->platform ? device->platform->name : none);

	return gt_same_text(trimmed(p->device), trimmed(device->name)) &&
		(!platform.bytes || gt_same_text(trimmed(p->platform), platform));
}

static struct gt_peak measured(const struct gt_model *m, const struct gt_object *device)
{
	struct gt_peak peak = { .why = NOT_KNOWN };
	struct gt_measured_peak one;

	for (unsigned n = 0; gt_peak_measured(m, n, &one); n++) {
		if (!is_of(&one, device))
			continue;
		if (gt_peak_failure(one.word))
			peak.why = gt_peak_failure(one.word);
		else if (one.word < GT_PEAK_WORDS)
			return (struct gt_peak){ .rate = (double)one.bytes * 1e9 / (double)one.ns,
				.source = sources[one.word] };
	}
	return peak;
}

struct gt_peak gt_peak_of(const struct gt_peaks *p, const struct gt_object *device)
{
	if (!device)
		return (struct gt_peak){ .why = "the device is not known" };
	for (uint32_t i = 0; i < p->given.n; i++) {
		const struct gt_given_peak *g = &p->given.v[i];
		struct gt_string name = trimmed(device->name);

		if (gc_glob(g->pattern.text, g->pattern.bytes, name.bytes ? name.text : "", name.bytes))
			return (struct gt_peak){ .rate = g->rate, .source = g->source };
	}
	return measured(p->model, device);
}

void gt_peaks_close(struct gt_peaks *p)
{
	free(p->given.v);
	*p = (struct gt_peaks){ .model = NULL };
}
