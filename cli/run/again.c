/*
 * cli/run/again.c - gputap run --reruns: the program runs again for what one run cannot count
 *
 * The first run is the program's: its output, its status, its trace. Later ones are for the counters alone: their
 * output goes nowhere, and of their traces, which lie beside the first one while they run, only the counters stay. A
 * later run goes on with the launches that the first one counted, by name, device, grid, block and order
 * (trace/format/passes.h); a launch that one of them does not make has no values, and a note says which it was.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "cli/run/signals.h"
#include "common/counted.h"
#include "common/harmless.h"
#include "common/memory.h"
#include "common/temporary.h"
#include "model/cuda/cuda.h"
#include "model/model.h"
#include "trace/format/counters.h"
#include "trace/format/passes.h"
#include "trace/format/pm_samples.h"

enum { MOST_TOLD = 8 };                   /* launches that did not match, by name */

struct launch { struct rec_pass is; char *symbol, *data, *apart[REC_APARTS]; };
/* told: the run for that class has said why it has none */
struct passes { GT_LIST(struct launch) all; uint32_t groups; bool told[REC_APARTS]; };

/* ------------------------------------------------------------------ what a run counted */

/* What it stored of a launch; false: it is not whole. */
static bool take_blob(struct gt_model *m, const uint64_t id[2], char **to, uint64_t *bytes, uint64_t id_of_it[2])
{
	struct gt_string data;
	uint64_t total;
	char *copy;

	if (!gt_model_blob(m, id, &data, &total) || data.bytes != total || !(copy = malloc(data.bytes + 1)))
		return false;
	memcpy(copy, data.text, data.bytes);
	free(*to);
	*to = copy;
	*bytes = data.bytes;
	memcpy(id_of_it, id, 2 * sizeof *id);
	return true;
}

static bool take_image(struct gt_model *m, const struct gt_counters *c, struct launch *l)
{
	return take_blob(m, c->id, &l->data, &l->is.data_bytes, l->is.id);
}

/* images: later runs go on with them */
static int take_first(struct passes *p, struct gt_model *m, bool images, struct gt_err *err)
{
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(m, &all);

	for (uint32_t i = 0; i < n; i++) {
		const struct gt_counters *c = &all[i];
		const struct gt_process *process = gt_model_process(m, c->process);
		struct launch *l = GT_LIST_ADD(&p->all);

		p->groups += !i || c->process != all[i - 1].process;
		if (!l)
			return gt_no_memory(err);
		*l = (struct launch){ .is = { .pid = (uint32_t)process->pid, .instance = (uint32_t)process->instance,
			.correlation = c->correlation, .group = p->groups - 1, .device = c->device, .order = c->order,
			.kind = c->kind, .symbol_bytes = c->symbol.bytes } };
		memcpy(l->is.grid, c->grid, sizeof c->grid);
		memcpy(l->is.block, c->block, sizeof c->block);
		l->symbol = strndup(c->symbol.text, c->symbol.bytes);
		if (!l->symbol)
			return gt_no_memory(err);
		if (images && !take_image(m, c, l))
			l->is.missing = 1;
	}
	return 0;
}

static void take_next(struct passes *p, struct gt_model *m, uint32_t number)
{
	const struct gt_counters *all;
	uint32_t n = m ? gt_model_counters(m, &all) : 0;
	bool *found = calloc(p->all.n + 1ull, sizeof *found);

	for (uint32_t i = 0; found && i < n; i++)
		if (all[i].entry < p->all.n)
			found[all[i].entry] = take_image(m, &all[i], &p->all.v[all[i].entry]);
	for (uint32_t i = 0; i < p->all.n; i++)
		if ((!found || !found[i]) && !p->all.v[i].is.missing)
			p->all.v[i].is.missing = number;
	free(found);
}

/* Samples of performance monitors are those of the kernel's time, and that is in the trace of that run alone. */
static void add_times(struct gt_model *m, const struct gt_counters *c, char *blob, struct rec_pass_apart *of)
{
	struct rec_pm *head = (void *)blob;
	struct gt_err ignored = { 0 };
	struct gt_cuda *cuda = gt_model_cuda(m, &ignored);
	struct rec_pm_parts parts;

	if (!cuda || !rec_pm_sound(blob, of->bytes, &parts) ||
		!gt_cuda_sampled_span(cuda, c, head, true, &head->kernel_begin_ns, &head->kernel_end_ns))
		return;
	gt_counters_id(blob, of->bytes, of->id);
}

static void take_apart(struct passes *p, struct gt_model *m, enum rec_apart class, uint32_t number)
{
	const struct gt_counters *all;
	uint32_t n = m ? gt_model_counters(m, &all) : 0;

	for (uint32_t i = 0; i < p->all.n; i++)
		p->all.v[i].is.apart[class].run = number;
	for (uint32_t i = 0; i < n; i++)
		if (all[i].entry < p->all.n && all[i].image == rec_apart_image(class)) {
			struct launch *l = &p->all.v[all[i].entry];
			struct rec_pass_apart *to = &l->is.apart[class];

			if (take_blob(m, all[i].id, &l->apart[class], &to->bytes, to->id) && class >= REC_APART_PM)
				add_times(m, &all[i], l->apart[class], to);
		}
}

static void forget(struct passes *p)
{
	for (uint32_t i = 0; i < p->all.n; i++) {
		free(p->all.v[i].symbol);
		free(p->all.v[i].data);
		for (uint32_t k = 0; k < REC_APARTS; k++)
			free(p->all.v[i].apart[k]);
	}
	free(p->all.v);
}

/* ------------------------------------------------------------------ the file */

/* What is apart is read where it lies, as words. */
static uint64_t aligned(uint64_t at) { return (at + 7) & ~UINT64_C(7); }

static void make_file(const struct passes *p, struct gt_text *t)
{
	struct rec_passes head = { .magic = REC_PASSES_MAGIC, .n = p->all.n, .groups = p->groups };
	uint64_t symbol = sizeof head + p->all.n * sizeof(struct rec_pass), data;

	head.bytes = symbol;
	for (uint32_t i = 0; i < p->all.n; i++)
		head.bytes += p->all.v[i].is.symbol_bytes;
	data = head.bytes;
	gt_text_bytes(t, (const void *)&head, sizeof head);
	for (uint32_t i = 0; i < p->all.n; i++) {
		struct rec_pass one = p->all.v[i].is;

		one.data_bytes = one.missing ? 0 : one.data_bytes;
		one.symbol = symbol;
		one.data = data;
		data += one.data_bytes;
		for (uint32_t k = 0; k < REC_APARTS; k++) {
			data = one.apart[k].data = one.apart[k].bytes ? aligned(data) : data;
			data += one.apart[k].bytes;
		}
		gt_text_bytes(t, (const void *)&one, sizeof one);
		symbol += one.symbol_bytes;
	}
	for (uint32_t i = 0; i < p->all.n; i++)
		gt_text_bytes(t, p->all.v[i].symbol, p->all.v[i].is.symbol_bytes);
	if (!t->failed) {
		head.sum = rec_passes_sum((const void *)memcpy(t->data, &head, sizeof head));
		memcpy(t->data, &head, sizeof head);
	}
	for (uint32_t i = 0; i < p->all.n; i++) {
		const struct launch *l = &p->all.v[i];

		if (!l->is.missing && l->data)
			gt_text_bytes(t, l->data, l->is.data_bytes);
		for (uint32_t k = 0; k < REC_APARTS; k++) {
			while (l->apart[k] && !t->failed && t->used != aligned(t->used))
				gt_text_char(t, 0);
			if (l->apart[k])
				gt_text_bytes(t, l->apart[k], l->is.apart[k].bytes);
		}
	}
}

static int store(const struct passes *p, const char *trace, struct gt_err *err)
{
	char name[PATH_MAX + 32];
	struct gt_text t = { 0 };
	size_t done = 0;
	ssize_t n = 1;
	int fd, rc = 0;

	make_file(p, &t);
	snprintf(name, sizeof name, "%s/" REC_PASSES_FILE, trace);
	fd = t.failed ? -1 : gt_create_own(name, O_WRONLY);
	while (fd >= 0 && done < t.used && n > 0)
		if ((n = write(fd, t.data + done, t.used - done)) > 0)
			done += (size_t)n;
	if (t.failed)
		rc = gt_no_memory(err);
	else if (fd < 0 || done < t.used)
		rc = gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be written", name);
	if (fd >= 0)
		close(fd);
	if (rc)
		unlink(name);
	gt_text_free(&t);
	return rc;
}

/* ------------------------------------------------------------------ a run */

static void new_run_id(struct gt_run *run)
{
	uint64_t id = 0;

	if (getrandom(&id, sizeof id, 0) != sizeof id || !id)
		id = (uint64_t)getpid() << 32 | (uint64_t)(uintptr_t)&id >> 4;
	snprintf(run->run_id, sizeof run->run_id, "%016llx", (unsigned long long)id);
}

/* What a later run is for, and nothing else of what was asked. */
static void set_options(struct gt_cli *cli)
{
	bool ranges = gt_option_has(&cli->options, "trace", "nvtx");
	static const struct { const char *name, *value; } all[] = { { "trace", "cuda,counters" }, { "ring", "false" },
		{ "callstacks", "" }, { "quiet", "true" }, { "capture-output", "false" } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		gt_option_set(&cli->options, all[i].name, all[i].value);
	if (ranges)
		gt_option_set(&cli->options, "trace", "cuda,counters,nvtx");
}

static int make_place(struct gt_run *r, const struct gt_run *first, uint32_t number, struct gt_err *err)
{
	if ((size_t)snprintf(r->name, sizeof r->name, "%s.run%u", first->name, number) >= sizeof r->name - 16 ||
		snprintf(r->trace, sizeof r->trace, "%.*s.gputap", (int)sizeof r->trace - 16, r->name) < 0)
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "the name of run %u would be too long", number);
	if (mkdir(r->trace, 0700) && (errno != EEXIST || !gt_option_true(first->options, "force") ||
		gt_run_remove_trace(r->trace, err) || mkdir(r->trace, 0700)))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be made", r->trace);
	return 0;
}

static int run_again(struct gt_run *r, const struct passes *p, struct gt_err *err)
{
	int failure;

	if (gt_run_fork(r, err))
		return -1;
	if (gt_run_place(r, err) || (p && store(p, r->trace, err))) {
		close(r->gate);
		waitpid(r->pid, NULL, 0);
		return -1;
	}
	gt_run_counters_store(r);
	failure = gt_run_release(r);
	if (failure) {
		waitpid(r->pid, NULL, 0);
		return gt_fail(err, GT_EXIT_MISSING, strerror(failure), NULL, "%s", r->command[0]);
	}
	gt_run_wait(r);
	gt_run_wait_for_left(r);
	return 0;
}

/* Nothing is taken away under a process that it left behind: then the next run of the first one's name removes it. */
static void remove_later(const struct gt_run *first, const struct gt_run *r, uint32_t number)
{
	struct gt_err ignored = { 0 };
	struct gt_holders all;
	char text[512];

	gt_run_holders(r, &all);
	if (!all.n) {
		gt_run_remove_trace(r->trace, &ignored);
		return;
	}
	if (!first->quiet)
		fprintf(stderr,
			"gputap: run %u of the program left processes behind that still run: %s; its trace stays in "
			"%s\n", number, gt_harmless(gt_holders_text(&all, text, sizeof text)), gt_harmless(r->trace));
}

/* What a run that collected nothing said of it: its trace goes, and its notes with it. */
static void keep_notes(const struct gt_run *first, struct passes *p, struct gt_model *m, enum rec_apart class,
	uint32_t number)
{
	char text[1024];

	if (!gt_model_lost(m, REC_LOSS_COUNTERS_REFUSED) && !gt_model_lost(m, REC_LOSS_COUNTERS_LOST))
		return;
	for (uint32_t i = 0; i < gt_model_note_count(m) && i < MOST_TOLD; i++) {
		snprintf(text, sizeof text, "run %u of the program: %.900s", number, gt_model_note(m, i)->text);
		gt_run_note(first, text);
		p->told[class] = true;
	}
}

/* Runs that count, with the program's own. */
static uint32_t counting_runs(const struct gt_run *run)
{
	return run->replay && run->replay < REC_REPLAY_APART ? run->passes : 1;
}

/* Whether the run is not for a pass of the counters, but for a class apart: *class. */
static bool is_apart(const struct gt_run *run, uint32_t number, enum rec_apart *class)
{
	uint32_t n = number - counting_runs(run);

	for (uint32_t k = 0; number > counting_runs(run) && k < REC_APARTS; k++)
		if (run->apart & 1u << k && !--n) {
			*class = (enum rec_apart)k;
			return true;
		}
	return false;
}

/* One run. *stop: the program was killed, and further ones would be too. */
static int pass(struct gt_run *first, struct passes *p, uint32_t number, bool *stop, struct gt_err *err)
{
	struct gt_cli cli = *first->cli;
	struct gt_run r = { .cli = &cli, .options = &cli.options, .command = first->command, .log = -1, .marks = -1,
		.quiet = true, .again = true, .target = first->target, .stdin_at = first->stdin_at };
	struct gt_model *m = NULL;
	enum rec_apart class = REC_APARTS;
	bool apart = is_apart(first, number, &class);
	int rc;

	set_options(&cli);
	new_run_id(&r);
	if (make_place(&r, first, number, err))
		return -1;
	rc = gt_run_counters_of_pass(first, number - 1, class, &r, err);
	if (!rc)
		rc = run_again(&r, p, err);
	gt_signals_release();           /* where it did not come to run */
	if (!rc) {
		*stop = WIFSIGNALED(r.status) && !WIFSIGNALED(first->status);
		rc = gt_model_open(r.trace, NULL, &m, err);
	}
	if (apart)
		take_apart(p, rc ? NULL : m, class, number);
	else
		take_next(p, rc ? NULL : m, number);
	if (m && apart)
		keep_notes(first, p, m, class, number);
	if (m)
		gt_model_close(m);
	if (r.log >= 0)
		close(r.log);
	if (r.marks >= 0)
		close(r.marks);
	remove_later(first, &r, number);
	return rc;
}

/* ------------------------------------------------------------------ all of them */

/* The run that did not make the launch, and what it would have told; 0: all did. */
static uint32_t run_without(const struct passes *p, const struct rec_pass *l, const char **of)
{
	static const char *const words[REC_APARTS] = { [REC_APART_SAMPLES] = "samples",
		[REC_APART_DEVICE] = "counters of the whole device",
		[REC_APART_SASS] = "counts of instructions", [REC_APART_PM] = "samples of performance monitors" };

	*of = "counters";
	for (uint32_t k = 0; k < REC_APARTS && !l->missing; k++)
		if (l->apart[k].run && !l->apart[k].bytes && !p->told[k]) {
			*of = words[rec_apart_kind((enum rec_apart)k)];
			return l->apart[k].run;
		}
	return l->missing;
}

static void tell_what_is_missing(const struct gt_run *run, const struct passes *p)
{
	const char *of;
	char text[512];
	uint32_t n = 0, without;

	for (uint32_t i = 0; i < p->all.n; i++) {
		const struct rec_pass *l = &p->all.v[i].is;

		if (!(without = run_without(p, l, &of)) || n++ >= MOST_TOLD)
			continue;
		if (l->kind == REC_COUNTED_LAUNCH)
			snprintf(text, sizeof text,
				"run %u of the program did not make launch %u of %.200s with grid %ux%ux%u and block "
				"%ux%ux%u: the %s of that launch have no values", without, l->order,
				p->all.v[i].symbol, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
				l->block[2], of);
		else
			snprintf(text, sizeof text,
				"run %u of the program did not make %s %u of the name %.200s: its %s have no "
				"values", without, l->kind == REC_COUNTED_RANGE ? "range" : "graph launch",
				l->order, p->all.v[i].symbol, of);
		gt_run_note(run, text);
	}
	if (n > MOST_TOLD) {
		snprintf(text, sizeof text, "%s more have no values for that reason",
			gt_counted(n - MOST_TOLD, "launches").text);
		gt_run_note(run, text);
	}
}

static int count_passes(struct gt_run *run, struct passes *p, struct gt_err *err)
{
	struct gt_model *m = NULL;
	uint32_t runs = counting_runs(run) + (uint32_t)__builtin_popcount(run->apart);
	enum rec_apart class;
	bool stop = WIFSIGNALED(run->status);
	int rc = gt_model_open(run->trace, NULL, &m, err);

	if (!rc)
		rc = take_first(p, m, run->replay && run->replay < REC_REPLAY_APART, err);
	if (m)
		gt_model_close(m);
	for (uint32_t number = 2; number <= runs && !rc && p->all.n; number++) {
		if (stop && is_apart(run, number, &class))
			take_apart(p, NULL, class, number);
		else if (stop)
			take_next(p, NULL, number);
		if (stop)
			break;
		if (!run->quiet)
			fprintf(stderr, "gputap: run %u of %u of the program\n", number, runs);
		rc = pass(run, p, number, &stop, err);
	}
	if (p->all.n && !rc)
		rc = store(p, run->trace, err);
	return rc;
}

bool gt_run_is_again(const struct gt_run *run)
{
	return run->counters && (counting_runs(run) > 1 || run->apart);
}

void gt_run_again(struct gt_run *run)
{
	struct passes p = { .groups = 0 };
	struct gt_err err = { 0 };

	bool is_again = gt_run_is_again(run);

	if (is_again && gt_run_recorded(run)) {
		if (count_passes(run, &p, &err)) {
			gt_cli_fail(&err);
			gt_run_note(run, "a later run of the program failed: counters have no values");
		}
		tell_what_is_missing(run, &p);
	}
	if (is_again)
		gt_run_gathered(run, "reruns");
	forget(&p);
	free(run->counters);
	run->counters = NULL;
}
