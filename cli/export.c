/*
 * cli/export.c - gputap export: run the writers of the named formats over one trace
 *
 * File names: one process image that a format has something of: NAME.atp; several: NAME.PID.atp, and NAME.PID.2.atp for
 * the second image of a pid; formats that hold all processes: NAME.sqlite. Written beside the final name and renamed:
 * never a partial file.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/metrics/rules.h"
#include "cli/metrics/sections.h"
#include "cli/interrupt.h"
#include "cli/jobs.h"
#include "common/harmless.h"
#include "common/temporary.h"
#include "model/model.h"
#include "model/symbols/symbols.h"
#include "model/window.h"
#include "writers/writer.h"

#define FORECAST_BYTES (100u * 1000 * 1000)       /* a file from this size on is announced */

enum { LOOKS = 20, PATIENCE_S = 120 };  /* for another process' conversion: so often a second, so long */

struct job {
	struct gt_model *model;
	const struct gt_options *options;
	const char *base;
	int64_t from_ns, to_ns;
	bool say;
};

static int there_already(const char *path, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, NULL, "gputap export -f", "%s is there already", path);
}

static int check_free(const struct job *j, const char *path, struct gt_err *err)
{
	struct stat st;

	if (lstat(path, &st) || gt_option_true(j->options, "force"))
		return 0;
	return there_already(path, err);
}

/* Viewers hold a whole file in memory: before a large one is written it is said how large. */
static void say_forecast(const char *path, uint64_t bytes)
{
	if (bytes >= FORECAST_BYTES)
		fprintf(stderr, "gputap: %s will take about %.1f GB; --from, --to and --min-dur make it less\n",
			gt_harmless(path), (double)bytes / 1e9);
}

/*
 * What rules say of the kernels goes into their report. Where there are no rules it is a report all the same; where
 * they could not be written into it there is none.
 */
static int add_rules(const struct job *j, const char *report, const char *path, struct gt_err *err)
{
	const struct gt_rules_to to = { .path = report, .replace = true, .quiet = true };
	struct gt_err missing = { 0 };
	int status = gt_option_true(j->options, "apply-rules") ? gt_rules_apply(report, &to, j->options, &missing) : 0;

	if (status == GT_EXIT_OUTPUT || status == GT_EXIT_USAGE)
		return gt_fail(err, (enum gt_exit)status, "the message of gputap-rules stands above",
			"--apply-rules=false: the report without them", "%s: what rules say could not be put into it",
			path);
	if (status < 0 && j->say)
		fprintf(stderr, GT_CLI_NOTE "no rules were applied: %s%s%s\n", gt_harmless(missing.what),
			*missing.why ? ": " : "", gt_harmless(missing.why));
	return 0;
}

static void say_notes(struct gt_text *notes)
{
	for (const char *at = notes->data, *end = at + notes->used, *line; at < end; at = line + 1) {
		line = memchr(at, '\n', (size_t)(end - at));
		if (!line)
			break;
		fprintf(stderr, GT_CLI_NOTE "%s\n", gt_harmless_n(at, (size_t)(line - at)));
	}
	gt_text_free(notes);
}

static int write_one(const struct job *j, const struct gt_writer *w, const struct gt_process *process, const char *path,
	struct gt_err *err)
{
	char temporary[PATH_MAX];
	struct gt_progress progress;
	struct gt_text notes = { 0 };
	int rc = check_free(j, path, err);

	if (rc)
		return rc;
	if (!gt_temporary_name(path, temporary, sizeof temporary))
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "the output name is too long: %s", path);
	gt_interrupt_file(temporary);
	gt_progress_begin(&progress, path, !j->say);
	const struct gt_export x = {
		.model = j->model, .process = process, .from_ns = j->from_ns, .to_ns = j->to_ns, .path = temporary,
		.final_path = path,
		.options = j->options, .progress = gt_progress_step, .ctx = &progress,
		.notes = j->say ? &notes : NULL,
	};
	if (w->forecast && j->say)
		say_forecast(path, w->forecast(&x));
	rc = w->write(&x, err);
	gt_progress_end(&progress);
	say_notes(&notes);
	if (!rc)
		rc = gt_symbols_check(j->model, err);
	if (!rc && access(temporary, F_OK) && errno == ENOENT) {
		gt_interrupt_file(NULL);
		return 0;                       /* a writer that had nothing to say */
	}
	if (!rc && gt_model_no_memory(j->model))
		rc = gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s cannot be written", path);
	/* Open until it has its name: whoever writes the same with -f at the same time removes what nobody has open. */
	int held = rc ? -1 : open(temporary, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (!rc && !strcmp(w->id, "ncu-rep"))
		rc = add_rules(j, temporary, path, err);
	if (!rc && gt_temporary_put(temporary, path, gt_option_true(j->options, "force")))
		rc = errno == EEXIST
			? there_already(path, err)
			: gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be written", path);
	if (held >= 0)
		close(held);
	if (rc)
		unlink(temporary);
	gt_interrupt_file(NULL);
	if (!rc && j->say)
		fprintf(stderr, "gputap: wrote %s\n", gt_harmless(path));
	return rc;
}

static bool has_content(const struct job *j, const struct gt_writer *w, const struct gt_process *p)
{
	return w->has_content ? w->has_content(j->model, p) : p->calls > 0;
}

static int write_format(const struct job *j, const struct gt_writer *w, struct gt_err *err)
{
	char path[PATH_MAX];
	uint32_t images = 0;            /* process images that the format has something of */

	if (!w->per_process) {
		snprintf(path, sizeof path, "%s%s", j->base, w->suffix);
		return write_one(j, w, NULL, path, err);
	}
	for (uint32_t i = 0; i < gt_model_process_count(j->model); i++)
		images += has_content(j, w, gt_model_process(j->model, i));
	if (!images && j->say)
		fprintf(stderr, "gputap: %s holds nothing to write as %s\n",
			gt_harmless(gt_model_session(j->model)->path),
			w->id);
	for (uint32_t i = 0; i < gt_model_process_count(j->model); i++) {
		const struct gt_process *p = gt_model_process(j->model, i);

		if (!has_content(j, w, p))
			continue;
		if (images == 1)
			snprintf(path, sizeof path, "%s%s", j->base, w->suffix);
		else if (p->instance == 1)
			snprintf(path, sizeof path, "%s.%d%s", j->base, p->pid, w->suffix);
		else
			snprintf(path, sizeof path, "%s.%d.%d%s", j->base, p->pid, p->instance, w->suffix);
		if (write_one(j, w, p, path, err))
			return -1;
	}
	return 0;
}

static int window(struct job *j, struct gt_err *err)
{
	j->from_ns = gt_option_number(j->options, "from", GT_NO_TIME);
	j->to_ns = gt_option_number(j->options, "to", GT_NO_TIME);
	if (j->to_ns != GT_NO_TIME && j->from_ns > j->to_ns)
		return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap export --help", "--from %s is later than --to %s",
			gt_option_said(j->options, "from"), gt_option_said(j->options, "to"));
	return 0;
}

/*
 * Whoever converts holds the lock: `gputap` waits for a conversion that a program started at its own exit. That one
 * (trace/write/run/detach.c) came with the lock, as descriptor 3, which is held until it ends.
 */
static int lock_trace(const char *trace, int *lock, struct gt_err *err)
{
	const struct timespec pause = { .tv_nsec = 1000000000 / LOOKS };
	char path[PATH_MAX];
	struct stat st;

	*lock = -1;
	if (getenv("GPUTAP_DETACHED") || stat(trace, &st) || !S_ISDIR(st.st_mode) ||
		(size_t)snprintf(path, sizeof path, "%s/export.lock", trace) >= sizeof path)
		return 0;
	/* For its owner alone: whoever can open it can hold it. */
	*lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (*lock < 0)
		return 0;
	fchmod(*lock, 0600);
	for (unsigned n = 0; flock(*lock, LOCK_EX | LOCK_NB); n++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0;       /* a file system without locks */
		if (n == LOOKS)
			fprintf(stderr, "gputap: %s is being converted by another process: waiting\n",
				gt_harmless(trace));
		if (n >= LOOKS * PATIENCE_S)
			return gt_fail(err, GT_EXIT_OUTPUT, "another process holds the lock of its conversion",
				"again when that process is done", "%s: gave up waiting after %d s", trace, PATIENCE_S);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Does the window end before the trace begins, or begin behind its end? */
static bool is_outside(const struct job *j)
{
	for (uint32_t i = 0; i < gt_model_process_count(j->model); i++) {
		const struct gt_process *p = gt_model_process(j->model, i);

		if (gt_overlaps(j->from_ns, j->to_ns, p->start_ns, p->end_ns))
			return false;
	}
	return true;
}

int gt_export_trace(const char *trace, const char *formats, const char *base, const struct gt_options *options,
	enum gt_say say, struct gt_err *err)
{
	struct gt_options own = *options;       /* what the trace says of them is for this conversion */
	struct job j = { .options = &own, .base = base, .say = say != GT_SAY_NOTHING };
	char id[32], text[1024];
	struct gc_word word;
	int lock = -1, rc = -1;

	memset(own.owned, 0, sizeof own.owned);         /* what the copy frees is its own */
	if (window(&j, err))
		return -1;
	if (lock_trace(trace, &lock, err))
		goto out;
	if (gt_model_open(
		    trace,
		    &(struct gt_model_options){
			    .cuda_table = gt_option(options, "cuda-table"),
			    .peaks = gt_option(options, "peak-bandwidth"), .jobs = gt_jobs(options) },
		    &j.model, err))
		goto out;
	if (gt_cli_as_it_was_run(&own, j.model, j.say && strstr(formats, "ncu-rep"), err))
		goto out;
	gt_temporary_run(gt_model_session(j.model)->run_id);
	for (const char *at = formats; gc_list_next(&at, &word);) {
		snprintf(id, sizeof id, "%.*s", (int)word.bytes, word.at);
		if (write_format(&j, gt_writer_find(id), err))
			goto out;
	}
	if (say != GT_SAY_NOTHING && is_outside(&j))
		gt_cli_empty_window(j.model, options);
	if (say == GT_SAY_NOTES)
		gt_cli_notes(j.model);
	else if (getenv("GPUTAP_DETACHED"))
		gt_cli_notes_marked(j.model);   /* nobody else tells them: there is no launcher */
	if (j.say) {
		if (strstr(formats, "ncu-rep"))
			gt_cli_counters_note(j.model);
		gt_cli_stack_notes(j.model);
		fprintf(stderr, "gputap: %s\n", gt_harmless(gt_model_complete_text(j.model, text, sizeof text)));
		gt_cli_remedies(j.model, stderr);
	}
	rc = gt_cli_require_complete(options, j.model, j.say, err);
out:
	gt_model_close(j.model);
	gt_options_free(&own);
	if (lock >= 0)
		close(lock);
	return rc;
}

static bool cut_suffix(char *base, const char *suffix)
{
	size_t n = strlen(base), s = strlen(suffix);
	bool cut = n > s && base[n - s - 1] != '/' && !strcmp(base + n - s, suffix);

	if (cut)
		base[n - s] = 0;
	return cut;
}

const char *gt_export_suffix(const char **formats)
{
	struct gc_word word;
	char id[32];

	while (gc_list_next(formats, &word)) {
		snprintf(id, sizeof id, "%.*s", (int)word.bytes, word.at);
		if (gt_writer_find(id))
			return gt_writer_find(id)->suffix;
	}
	return NULL;
}

void gt_export_cut_suffix(char *base, const char *formats)
{
	struct gc_word word;
	char id[32];

	for (const char *at = formats; gc_list_next(&at, &word);) {
		snprintf(id, sizeof id, "%.*s", (int)word.bytes, word.at);
		if (gt_writer_find(id) && cut_suffix(base, gt_writer_find(id)->suffix))
			return;
	}
}

/* "dir/run1.gputap/" -> "dir/run1" */
static void base_of(const char *trace, char base[PATH_MAX])
{
	size_t n = (size_t)snprintf(base, PATH_MAX, "%s", trace);

	while (n > 1 && n < PATH_MAX && base[n - 1] == '/')
		base[--n] = 0;
	cut_suffix(base, ".gputap");
}

/*
 * What -o means: "x.sqlite" is the name of that file and not of x.sqlite.sqlite; "dir/" is where the default names go.
 */
static void output_base(const char *output, const char *formats, const char *trace, char base[PATH_MAX])
{
	size_t n = strlen(output);
	struct stat st;

	bool is_trace = n > 7 && !strcmp(output + n - 7, ".gputap");

	if (n && (output[n - 1] == '/' || (!is_trace && !stat(output, &st) && S_ISDIR(st.st_mode)))) {
		char own[PATH_MAX];
		const char *name;

		base_of(trace, own);
		name = strrchr(own, '/') ? strrchr(own, '/') + 1 : own;
		if ((size_t)snprintf(base, PATH_MAX, "%s%s%s", output, output[n - 1] == '/' ? "" : "/", name) >=
			PATH_MAX)
			base[0] = 0;            /* as a name that is too long, it cannot be opened */
		return;
	}
	base_of(output, base);
	gt_export_cut_suffix(base, formats);
}

int gt_cmd_export(struct gt_cli *cli)
{
	struct gt_err err = { 0 };
	char base[PATH_MAX];
	const char *formats = gt_option(&cli->options, "export"), *trace;

	if (cli->n_args != 1)
		return gt_cli_usage(cli, cli->n_args ? "export takes one trace" : "which trace?");
	if (!*formats)
		return gt_cli_usage(cli, "which formats? -e atp,apilog,sqlite");
	trace = cli->args[0];
	if (gt_option_given(&cli->options, "output"))
		output_base(gt_option(&cli->options, "output"), formats, trace, base);
	else
		base_of(trace, base);
	gt_interrupt_watch();
	if (gt_export_trace(trace, formats, base, &cli->options,
		    gt_option_true(&cli->options, "quiet") ? GT_SAY_NOTHING : GT_SAY_NOTES, &err))
		return gt_cli_fail(&err);
	return GT_EXIT_OK;
}
