/*
 * tests/cli/report_pairs.c - reports in one run print what each prints alone: report_pairs [-j JOBS] [-s STEP] TRACE...
 *
 * Every ordered pair of reports, and all of them in both orders. STEP: only every so manieth pair, from another one for
 * each trace. What the reports let go of is overwritten at once (M_PERTURB), so a text or an object that one of them
 * keeps too long shows in the output, where it does not end the process; a sanitizers' build names the place.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/reports/report.h"

enum { MOST = 96 };
static const char *trace;
static const struct gt_report_request *doing;
static unsigned n_doing, jobs = 1;
static unsigned long n_checked, n_wrong;

static unsigned all_reports(struct gt_report_request all[MOST])
{
	const struct gt_report *r;
	struct gt_err err;
	unsigned n = 0;

	for (; (r = gt_report_at(n)); n++)
		if (n == MOST || gt_report_parse(r->name, &all[n], &err)) {
			fprintf(stderr, "report_pairs: too many reports, or one without a name\n");
			exit(2);
		}
	return n;
}

/* Also called by the sanitizer, behind its own words. */
void __asan_on_error(void);
void __asan_on_error(void)
{
	static char text[4096];
	int n = snprintf(text, sizeof text, "report_pairs: %s:", trace);

	for (unsigned i = 0; i < n_doing && n < (int)sizeof text; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, " -r %s", doing[i].name);
	if (write(STDERR_FILENO, text, strlen(text)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		_exit(3);
}

static void died(int signal)
{
	__asan_on_error();
	_exit(128 + signal);
}

/* What they print, in one run over a model of their own. */
static char *printed(const struct gt_report_request *reports, unsigned n)
{
	const struct gt_model_options how = { .jobs = jobs };
	struct gt_report_run run = { .reports = reports, .n_reports = n, .format = GT_TABLE_TEXT,
		.from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	struct gt_err err = { 0 };
	char *text = NULL;
	size_t bytes = 0;

	doing = reports;
	n_doing = n;
	run.out = open_memstream(&text, &bytes);
	if (!run.out || gt_model_open(trace, &how, &run.model, &err) || gt_reports_run(&run, &err)) {
		fprintf(stderr, "report_pairs: %s: %s\n", trace, err.what);
		exit(2);
	}
	gt_model_close(run.model);
	fclose(run.out);
	return text;
}

static void check(const struct gt_report_request *reports, unsigned n, char *const *alone, const unsigned *which)
{
	char *together = printed(reports, n), *at = together;
	bool same = true;

	for (unsigned i = 0; i < n && same; i++) {
		size_t bytes = strlen(alone[which[i]]);

		same = !strncmp(at, alone[which[i]], bytes);
		at += same ? bytes : 0;
	}
	n_checked++;
	if (!same || *at) {
		n_wrong++;
		printf("FAILED: %s:", trace);
		for (unsigned i = 0; i < n; i++)
			printf(" -r %s", reports[i].name);
		printf("\n--- together\n%s--- alone\n", n > 2 ? "...\n" : together);
		for (unsigned i = 0; i < n && n <= 2; i++)
			fputs(alone[which[i]], stdout);
	}
	free(together);
}

static void check_trace(const struct gt_report_request *all, unsigned n, unsigned step, unsigned from)
{
	struct gt_report_request some[MOST];
	unsigned which[MOST];
	char *alone[MOST];

	for (unsigned i = 0; i < n; i++)
		alone[i] = printed(&all[i], 1);
	for (unsigned k = from; k < n * n; k += step) {
		which[0] = k / n;
		which[1] = k % n;
		some[0] = all[which[0]];
		some[1] = all[which[1]];
		check(some, 2, alone, which);
	}
	for (int backwards = 0; backwards < 2; backwards++) {
		for (unsigned i = 0; i < n; i++)
			some[i] = all[which[i] = backwards ? n - 1 - i : i];
		check(some, n, alone, which);
	}
	for (unsigned i = 0; i < n; i++)
		free(alone[i]);
}

int main(int argc, char **argv)
{
	static struct gt_report_request all[MOST];
	unsigned step = 1, n = all_reports(all), traces = 0;
	int option;

	while ((option = getopt(argc, argv, "j:s:")) != -1)
		if (option == 'j')
			jobs = (unsigned)atoi(optarg);
		else if (option == 's')
			step = (unsigned)atoi(optarg);
		else
			return 2;
	if (!step || !jobs)
		return 2;
	mallopt(M_PERTURB, 165);
	signal(SIGSEGV, died);
	signal(SIGABRT, died);
	signal(SIGBUS, died);
	for (; optind < argc; optind++, traces++) {
		trace = argv[optind];
		check_trace(all, n, step, traces % step);
	}
	printf("%lu passed, %lu failed\n", n_checked - n_wrong, n_wrong);
	return n_wrong || !n_checked;
}
