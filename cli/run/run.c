/*
 * cli/run/run.c - gputap run: start a program under the shim, then turn its trace into what was asked for
 *
 * Before the program runs, every failure of ours is exit status 125 (126, 127: it could not be started). From then on
 * the status is the program's own, or we die by its signal: a tracer must never be the reason that a job failed.
 * Everything we say goes to stderr; stdout is the program's.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/harmless.h"
#include "cli/run/run.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/metrics/peak.h"
#include "analysis/summary.h"
#include "cli/interrupt.h"
#include "cli/perf/perf.h"
#include "cli/printout.h"
#include "common/plain/without.h"
#include "common/started.h"
#include "common/temporary.h"
#include "model/model.h"

enum { FAILED_BEFORE_START = 125, NOT_COMPLETE = 125, CANNOT_EXECUTE = 126, NOT_FOUND = 127 };

/* What was asked for by name and is not there costs a line: the rest is traced. */
static void say_not_built(const struct gt_options *o)
{
	static const char *const missing[] = {
#define DOMAIN(id, number, word, built, help) built ? NULL : word,
#include "trace/format/domains.def"
	};

	for (size_t i = 0; gt_option_given(o, "trace") && i < sizeof missing / sizeof *missing; i++)
		if (missing[i] && gt_option_has(o, "trace", missing[i]))
			fprintf(stderr, "gputap: -t %s: not built into this gputap; the others are traced\n",
				missing[i]);
}

/* What was asked of call stacks where none were asked for: the program runs, and nobody wonders afterwards. */
static void say_no_callstacks(const struct gt_options *o)
{
	static const char *const of_stacks[] = { "callstack-depth", "callstack-min" };

	for (size_t i = 0; !*gt_option(o, "callstacks") && i < sizeof of_stacks / sizeof *of_stacks; i++)
		if (gt_option_given(o, of_stacks[i]))
			fprintf(stderr, "gputap: --%s has no effect: call stacks are recorded with --callstacks\n",
				of_stacks[i]);
}

void gt_run_help(FILE *out)
{
	fprintf(out, "\nDomains of -t:\n");
#define DOMAIN(id, number, word, built, help) \
	fprintf(out, "  %-10s %s%s\n", word, help, built ? "" : " (not built yet)");
#include "trace/format/domains.def"
}

static void choose_run_id(struct gt_run *run)
{
	uint64_t id = 0;

	if (getrandom(&id, sizeof id, 0) != sizeof id || !id)
		id = (uint64_t)getpid() << 32 | (uint64_t)(uintptr_t)&id >> 4;
	snprintf(run->run_id, sizeof run->run_id, "%016llx", (unsigned long long)id);
	gt_temporary_run(run->run_id);
}

/* About the first program that this one started and that was not followed; false: there is none. */
static bool says_started(const struct gt_run *run, const char *key, char *text, size_t room)
{
	char value[PATH_MAX];

	if (!gt_run_says(run, key, 0, value, sizeof value))
		return false;
	gt_started_note(key, value, text, room);
	return *text != 0;
}

/* One sentence why there is no trace, and what helps. */
static void say_nothing_recorded(const struct gt_run *run)
{
	char value[PATH_MAX];

	if (access(run->trace, F_OK) && !gc_without("says-removed")) {
		fprintf(stderr, "gputap: %s was removed while the program ran: if calls were made, they are lost\n"
				"  try: another place, by -o\n", gt_harmless(run->trace));
	} else if (gt_run_says(run, "cut", 0, value, sizeof value)) {
		fprintf(stderr, "gputap: %s/run was cut while the program ran: if calls were made, they are lost\n",
			gt_harmless(run->trace));
	} else if (gt_run_says(run, "elsewhere", 0, value, sizeof value)) {
		return;                 /* said for each of them */
	} else if (gt_run_says(run, "failed", 0, value, sizeof value)) {
		const char *count = gt_run_says(run, "unrecorded", 0, value, sizeof value) ? value : "";

		fprintf(stderr, "gputap: %s%scalls were made, but none of them could be written to %s\n",
			gt_harmless(count),
			*count ? " " : "", gt_harmless(run->trace));
	} else if (run->quiet) {
		return;
	} else if (gt_run_says(run, "note", 0, value, sizeof value)) {
		for (unsigned i = 0; gt_run_says(run, "note", i, value, sizeof value); i++)
			fprintf(stderr, "gputap: %s\n", gt_harmless(value));
		fprintf(stderr, "gputap: no traced call was made: no trace\n");
	} else if (run->target.why) {
		fprintf(stderr, "gputap: no call could be traced: %s is %s: no trace\n",
			gt_harmless(run->target.path), run->target.why);
	} else if (says_started(run, "unreachable", value, sizeof value) ||
		   says_started(run, "started", value, sizeof value)) {
		fprintf(stderr, "gputap: %s\ngputap: no traced call was made: no trace\n", gt_harmless(value));
	} else if (gt_run_says(run, "unfollowed", 0, value, sizeof value)) {
		bool number = value[strspn(value, "0123456789")] == 0;  /* killed while it made that child */

		fprintf(stderr,
			"gputap: no traced call was made before %s%s was started without gputap in the LD_PRELOAD of "
			"its environment, and later calls are not seen: no trace\n"
			"  try: gputap run after the command that clears or changes the environment: "
			"env -i gputap run PROGRAM\n",
			number ? "a child of process " : "", gt_harmless(value));
	} else if (!gt_run_say_no_driver(run)) {
		fprintf(stderr, "gputap: no traced call was made: no trace\n");
	}
}

/* The trace stays for those who may still come to it: say_left names them. */
static void say_nothing_recorded_yet(const struct gt_run *run)
{
	if (run->quiet)
		return;
	fprintf(stderr, "gputap: no traced call was made so far%s; trace in %s\n",
		*gt_option(run->options, "export") ? ", and nothing is exported" : "", gt_harmless(run->trace));
}

static void log_end(const struct gt_run *run)
{
	struct timespec t;

	gt_run_log_clock(run);
	clock_gettime(CLOCK_REALTIME, &t);
	gt_run_log_number(run, "end_realtime_ns", t.tv_sec * 1000000000ll + t.tv_nsec);
	if (WIFSIGNALED(run->status))
		gt_run_log_number(run, "exit_signal", WTERMSIG(run->status));
	else
		gt_run_log_number(run, "exit_status", WEXITSTATUS(run->status));
}

/* A line of the trace for each of these; they are freed. put: gt_run_note, or gt_run_refused. */
static void put_lines(const struct gt_run *run, char *lines, void (*put)(const struct gt_run *run, const char *line))
{
	char *rest;

	for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		put(run, line);
	free(lines);
}

/* What the kernel told becomes part of the trace. */
static void store_samples(struct gt_run *run)
{
	unsigned kinds = gt_perf_kinds(run->perf);
	char *notes;

	gt_perf_store(run->perf, run, &notes);
	run->perf = NULL;
	put_lines(run, notes, gt_run_note);
	gt_run_gathered_by_perf(run, kinds);
}

/* Where the summary goes that --summary-output names; NULL: to standard error. */
static const char *summary_file(const struct gt_run *run)
{
	const char *path = gt_option(run->options, "summary-output");

	return *path ? path : NULL;
}

static const char *summary_format(const struct gt_run *run)
{
	const char *format = gt_option(run->options, "summary");

	if (strcmp(format, "auto"))
		return format;
	return summary_file(run) || (isatty(STDERR_FILENO) && !run->quiet) ? "table" : "none";
}

static int print_summary(const struct gt_run *run, struct gt_model *model, struct gt_err *err)
{
	const char *format = summary_format(run);
	struct gt_printout to;

	if (!strcmp(format, "none"))
		return 0;
	if (!summary_file(run))
		return gt_summary_print(model, format, stderr, err);
	if (gt_printout_open(&to, summary_file(run), gt_option_true(run->options, "force"), err))
		return -1;
	return gt_printout_close(&to, gt_summary_print(model, format, to.out, err), err);
}

/* Notes of the shim, the summary, and whether anything is missing. */
static int report(const struct gt_run *run, struct gt_err *err)
{
	struct gt_model *model = NULL;
	char text[1024];
	int rc;

	if (gt_model_open(run->trace, NULL, &model, err))
		return -1;
	/* Of a program that could have made calls a note says it. */
	if (!run->quiet && run->target.why && !gc_program_is_lost(&run->target.program))
		fprintf(stderr, "gputap: %s is %s: only what it started could be traced\n",
			gt_harmless(run->target.path), run->target.why);
	if (!run->quiet)
		gt_cli_notes(model);
	rc = print_summary(run, model, err);
	if (!run->quiet) {
		if (gt_summary_stand_in(model))
			fprintf(stderr,
				"gputap: CUDA ran on the stand-in machine of gputap's tests, on no GPU: its device "
			        "times are made up\n");
		if (!*gt_option(run->options, "export")) {      /* an export says it last, with what it clamped */
			fprintf(stderr, "gputap: %s\n", gt_harmless(gt_model_complete_text(model, text, sizeof text)));
			gt_cli_remedies(model, stderr);
		}
		fprintf(stderr, "gputap: trace in %s\n", gt_harmless(run->trace));
	}
	if (!rc)
		rc = gt_cli_require_complete(run->options, model, !run->quiet, err);
	gt_model_close(model);
	return rc;
}

/* Processes of the run that could not write into its trace; how many. */
static unsigned say_elsewhere(const struct gt_run *run)
{
	char value[PATH_MAX];
	unsigned n = 0;

	while (gt_run_says(run, "elsewhere", n, value, sizeof value) && ++n)
		fprintf(stderr, "gputap: a process could not write to %s: its calls are in %s\n",
			gt_harmless(run->trace), gt_harmless(value));
	if (n)
		fprintf(stderr, "  try: -o in a folder that its user may enter\n");
	return n;
}

/* The last lines, if somebody of the run is there: who, and what that means for root's trace. */
static void say_left(const struct gt_run *run)
{
	struct gt_holders all;
	char text[512];

	gt_run_holders(run, &all);
	if (all.n && !run->quiet)
		fprintf(stderr,
			"gputap: processes that the program left behind still run: %s; what was made of the trace "
			"lacks what they still do\n"
			"  try: gputap wait %s, which returns when they have ended\n",
			gt_harmless(gt_holders_text(&all, text, sizeof text)), gt_harmless(run->trace));
	if (gt_cli_close_door(run->trace) && !run->quiet)
		fprintf(stderr, "gputap: any user may add processes to %s until gputap wait has returned\n",
			gt_harmless(run->trace));
}

/* What lies in its place is not this run's: nothing is said of that, and nothing of it removed. */
static void say_moved(const struct gt_run *run)
{
	fprintf(stderr,
		"gputap: %s was moved while the program ran: the trace is where it was moved to\n"
		"  try: gputap info and gputap export there\n",
		gt_harmless(run->trace));
}

/* A trace that lacks something (--require-complete) is exported and packed all the same; behind a failure none is. */
static bool goes_on(int rc, const struct gt_err *err, bool *good)
{
	*good &= !rc;
	return !rc || err->kind == GT_EXIT_NO;
}

/* False: something failed, which was said. */
static bool make_outputs(struct gt_run *run)
{
	const char *formats = gt_option(run->options, "export");
	struct gt_err err = { 0 };
	bool good = true;
	int rc = report(run, &err);

	if (rc && (err.kind != GT_EXIT_NO || !*formats))
		gt_cli_fail(&err);      /* else the export says it, with what it finds missing itself */
	if (goes_on(rc, &err, &good) && *formats) {
		rc = gt_export_trace(run->trace, formats, run->name, run->options,
			run->quiet ? GT_SAY_NOTHING : GT_SAY_FILES, &err);
		if (rc)
			gt_cli_fail(&err);
	}
	if (goes_on(rc, &err, &good) && gt_option_true(run->options, "pack") && gt_run_pack(run, &err)) {
		gt_cli_fail(&err);
		good = false;
	}
	return good;
}

/* Whether all that was asked for is there, and nothing is missing. */
static bool finish(struct gt_run *run)
{
	bool gone = false;
	char by[64];

	unsigned elsewhere = say_elsewhere(run);

	if (gt_run_says(run, "removed", 0, by, sizeof by) ||
		(!gt_run_recorded(run) && gt_run_says(run, "made", 0, by, sizeof by))) {
		gone = true;
		fprintf(stderr, "gputap: what process %s recorded was removed from %s while it ran: "
				"its calls are lost\n",
			gt_harmless(by), gt_harmless(run->trace));
	} else if (!gt_run_recorded(run) && gt_run_is_held(run)) {
		say_nothing_recorded_yet(run);
		return false;
	} else if (!gt_run_recorded(run)) {
		say_nothing_recorded(run);
		gt_run_remove_empty(run);
		return false;
	}
	return make_outputs(run) && !gone && !elsewhere;
}

/* The program's own failure says more than ours. */
static int end_like_target(const struct gt_run *run, bool complete)
{
	bool succeeded = WIFEXITED(run->status) && !WEXITSTATUS(run->status);

	if (complete || !succeeded || !gt_option_true(run->options, "require-complete"))
		return gt_run_like_target(run);
	fprintf(stderr, "gputap: the program succeeded, but its trace is not whole: status %d (--require-complete)\n",
		NOT_COMPLETE);
	return NOT_COMPLETE;
}

static int before_start(struct gt_run *run, struct gt_err *err)
{
	char *why;

	if (summary_file(run) && gt_printout_check(summary_file(run), gt_option_true(run->options, "force"), err))
		return -1;
	if (gt_run_check_name(run, err) || gt_run_cuda_prepare(run, err) || gt_run_counters_prepare(run, err))
		return -1;
	gt_capture_prepare(run);
	if (gt_run_fork(run, err))
		return -1;
	if (gt_run_name(run, err) || gt_run_place(run, err) || gt_run_named(run, err) ||
		gt_capture_start(run, err)) {
		close(run->gate);       /* the child sees the end of the pipe and leaves */
		waitpid(run->pid, NULL, 0);
		return -1;
	}
	gt_run_log_target(run);
	gt_run_cuda_store(run);
	gt_run_counters_store(run);
	run->perf = gt_perf_open(run, &why);
	put_lines(run, why, gt_run_refused);
	if (gt_perf_no_wakings(run->perf))
		gt_run_log(run, "no_wakings", gt_perf_no_wakings(run->perf));
	gt_run_log_gathers(run);
	return 0;
}

/* --critical-path: what the host waited for, beside what was asked for. */
static void ask_for_waits(struct gt_options *o)
{
	static char domains[256];       /* the options point there */

	if (!gt_option_true(o, "critical-path") || gt_option_has(o, "trace", "osrt"))
		return;
	snprintf(domains, sizeof domains, "%s,osrt", gt_option(o, "trace"));
	gt_option_set(o, "trace", *gt_option(o, "trace") ? domains : "osrt");
}

/* A later run of the program reads the same. */
static int64_t stdin_place(void)
{
	struct stat st;

	return !fstat(0, &st) && S_ISREG(st.st_mode) ? lseek(0, 0, SEEK_CUR) : -1;
}

int gt_cmd_run(struct gt_cli *cli)
{
	struct gt_run run = { .cli = cli,
		.options = &cli->options,
		.command = cli->args,
		.log = -1,
		.marks = -1,
		.naming = -1,
		.quiet = gt_option_true(&cli->options, "quiet"),
		.stdin_at = stdin_place() };
	struct gt_err err = { 0 };
	int failure;

	if (cli->n_args < 1) {
		gt_cli_usage(cli, "which program?");
		return FAILED_BEFORE_START;
	}
	ask_for_waits(&cli->options);
	if (gt_option_true(run.options, "ring") && !gt_option_number(run.options, "max-size", 0)) {
		gt_cli_usage(cli, "--ring needs a size: --max-size=500M, say");
		return FAILED_BEFORE_START;
	}
	if (gt_peaks_check(gt_option(run.options, "peak-bandwidth"), &err)) {
		gt_cli_fail(&err);
		return FAILED_BEFORE_START;
	}
	say_not_built(run.options);
	say_no_callstacks(run.options);
	choose_run_id(&run);
	gt_run_look_at_target(cli->args[0], gt_option(run.options, "audit"), &run.target);
	if (before_start(&run, &err)) {
		gt_cli_fail(&err);
		return FAILED_BEFORE_START;
	}
	failure = gt_run_release(&run);
	if (failure) {
		waitpid(run.pid, NULL, 0);
		gt_run_remove_empty(&run);
		fprintf(stderr, "gputap: %s: %s\n", gt_harmless(cli->args[0]), strerror(failure));
		return failure == ENOENT ? NOT_FOUND : CANNOT_EXECUTE;
	}
	gt_run_wait(&run);
	gt_run_wait_for_left(&run);
	gt_interrupt_watch();
	gt_capture_end(&run);
	gt_run_take_named_marks(&run);
	log_end(&run);
	if (gt_run_moved(&run)) {
		say_moved(&run);
		return end_like_target(&run, false);
	}
	gt_run_again(&run);
	store_samples(&run);
	gt_run_measure_peaks(&run);
	gt_run_log_look(&run);
	if (!gt_run_is_held(&run))
		gt_run_remove_lost_page(&run);
	close(run.log);
	gt_cli_close_door(run.trace);
	bool good = finish(&run);

	say_left(&run);
	return end_like_target(&run, good);
}
