/*
 * cli/info/info.c - gputap info: what is in a trace, and what is missing
 *
 * Text for people; with --json one object with the same facts. Devices and their clocks come from a walk over the whole
 * trace, everything else from opening it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/counted.h"
#include "common/harmless.h"
#include "cli/cli.h"
#include "analysis/metrics/peak.h"
#include "analysis/sections/report_file.h"
#include "cli/info/info.h"
#include "cli/show/image.h"
#include "common/written.h"
#include "model/cuda/cuda.h"
#include "model/output.h"
#include "trace/format/counters.h"
#include "writers/render.h"

static const char *const loss_texts[] = {
#define X(id, text) text,
	REC_REASONS(X)
#undef X
};

/* Devices appear once, however many processes used them. */
static bool seen_before(struct gt_model *m, uint32_t i)
{
	const struct gt_object *o = gt_model_object(m, i);

	for (uint32_t k = 0; k < i; k++) {
		const struct gt_object *p = gt_model_object(m, k);

		if (p->kind == REC_OBJECT_DEVICE && p->device_index == o->device_index)
			return true;
	}
	return false;
}

static const struct gt_object *device_at(struct gt_model *m, uint32_t i)
{
	const struct gt_object *o = gt_model_object(m, i);

	return o->kind == REC_OBJECT_DEVICE && !seen_before(m, i) ? o : NULL;
}

/* The worst error of a device's clock in any process; -1 unknown. *how: the way that one was read. */
static int64_t worst_error(struct gt_model *m, uint32_t device_index, const char **how)
{
	int64_t worst = -1;

	for (uint32_t i = 0; i < gt_model_object_count(m); i++) {
		const struct gt_object *o = gt_model_object(m, i);

		if (o->kind != REC_OBJECT_DEVICE || o->device_index != device_index)
			continue;
		if (!*how || o->clock_error_ns > worst)
			*how = gt_object_clock(o);
		if (o->clock_error_ns > worst)
			worst = o->clock_error_ns;
	}
	return worst;
}

/* A physical device, and how well its clock is known. */
struct shown_device { const struct gt_object *o; const char *how; int64_t error; };

/* The next one from object *i on, which goes behind it; false: no more. */
static bool next_device(struct gt_model *m, uint32_t *i, struct shown_device *d)
{
	for (; *i < gt_model_object_count(m); ++*i) {
		*d = (struct shown_device){ .o = device_at(m, *i) };
		if (!d->o)
			continue;
		d->error = worst_error(m, d->o->device_index, &d->how);
		++*i;
		return true;
	}
	return false;
}

static int walk_all(struct gt_model *m, struct gt_progress *progress, struct gt_err *err)
{
	const struct gt_walk_options o = {
		.process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .progress = gt_progress_step, .ctx = progress
	};
	const struct gt_call *call;
	struct gt_walk *w;
	int r;

	if (gt_walk_open(m, &o, &w, err))
		return -1;
	while ((r = gt_walk_next(w, &call, err)) == 1)
		;
	gt_walk_close(w);
	return r;
}

static const char *device_types(uint32_t type)
{
	return type & 4 ? "GPU" : type & 8 ? "accelerator" : type & 2 ? "CPU" : type & 16 ? "custom" : "device";
}

/* --------------------------------------------------------------------- text */

static void utc(int64_t ns, char out[40])
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(out, 40, "%Y-%m-%d %H:%M:%S UTC", &tm))
		out[0] = 0;
}

static void text_args(size_t n, const char *const *args)
{
	for (size_t i = 0; i < n; i++)
		printf("%s%s", i ? " " : "", gt_harmless(args[i]));
}

static void text_session(const struct gt_session *s)
{
	char when[40];

	utc(s->utc_ns, when);
	printf("trace     %s\n", gt_harmless(s->path));
	printf("recorded  %s", when);
	if (*s->host)
		printf(" on %s", gt_harmless(s->host));
	if (*s->version)
		printf(" by gputap %s", gt_harmless(s->version));
	printf(", %.6f s\n", (double)s->duration_ns / 1e9);
	if (s->n_args) {
		printf("command   ");
		text_args(s->n_args, s->args);
		printf("\n");
	}
	if (s->exit_signal)
		printf("ended     killed by signal %d\n", s->exit_signal);
	else if (s->exit_status >= 0)
		printf("ended     exit status %d\n", s->exit_status);
	else if (s->cut_off)
		printf("ended     unknown: gputap run was killed before the program's end\n");
	if (s->open_to_others)
		printf("open      any user may still add processes; `gputap wait` ends that when the run has ended\n");
}

/* Of the run, and not in the trace so far. */
static void text_left(const struct gt_model *m)
{
	char text[512];

	if (gt_model_left(m)->n)
		printf("running   process %s: of the run, and may come to record\n",
			gt_harmless(gt_holders_text(gt_model_left(m), text, sizeof text)));
}

/* What only the launcher could have written. */
static void text_not_gathered(const struct gt_model *m)
{
	const char *word;

	for (unsigned n = 0; (word = gt_model_not_gathered(m, n)); n++)
		printf("%s%s", n ? ", " : "missing   ", gt_harmless(word));
	if (gt_model_not_gathered(m, 0))
		printf(": gputap run was killed before it had written that\n");
}

static void text_outputs(const struct gt_model *m)
{
	for (uint32_t i = 0; i < gt_model_output_count(m); i++) {
		const struct gt_captured_output *o = gt_model_output(m, i);

		printf("output    %s (%s): %s", gt_harmless(o->of), gt_harmless(o->kind),
			gt_counted(o->bytes, "bytes").text);
		if (o->kept < o->bytes)
			printf(", of which the first %s kept",
				gt_counted(o->kept, o->kept == 1 ? "bytes is" : "bytes are").text);
		printf("\n");
	}
}

/* What the thread's slot holds of the parameters; the others are not known. */
static void text_cuda_inside(struct gt_cuda *c, const struct gt_fn *fn, const uint64_t first[4])
{
	struct gt_cuda_arg_text text;
	struct gt_cuda_arg a;
	unsigned i = 0;

	for (; c && gt_cuda_arg_inside(c, fn, first, i, &a) && a.has_value; i++) {
		gt_render_cuda_arg(&a, &text);
		printf("%s%s=%s", i ? ", " : "", gt_harmless(a.name),
			gt_harmless(a.symbol ? a.symbol : text.value));
	}
	if (c && gt_cuda_arg_inside(c, fn, first, i, &a))
		printf("%s...", i ? ", " : "");
}

static void text_thread(struct gt_cuda *c, const struct gt_thread *t)
{
	printf("  thread %d%s%s%s: %s\n", t->tid, *t->name ? " " : "", gt_harmless(t->name), t->main ? " (main)" : "",
		gt_counted(t->calls, "calls").text);
	for (uint32_t i = 0; i < t->n_inside; i++) {
		const struct gt_fn *fn = t->inside[i].fn;

		printf("    last inside %s(", gt_harmless(fn->name));
		if (fn->domain == REC_DOMAIN_CUDA_RUNTIME || fn->domain == REC_DOMAIN_CUDA_DRIVER)
			text_cuda_inside(c, fn, t->inside[i].arg);
		for (uint32_t k = 0; k < 4 && k < fn->n_params; k++)
			printf("%s%s=0x%llx", k ? ", " : "", gt_harmless(fn->params[k].name),
				(unsigned long long)t->inside[i].arg[k]);
		printf("%s) since %.9f s\n", fn->n_params > 4 ? ", ..." : "", (double)t->inside[i].start_ns / 1e9);
	}
}

/* When it recorded, and which programs it called for. */
static void text_image_records(const struct gt_model *m, const struct gt_process *p)
{
	for (uint32_t i = 0; i < gt_model_image_record_count(m); i++) {
		const struct gt_image_record *r = gt_model_image_record(m, i);

		if (r->process != p->index)
			continue;
		if (r->type == REC_WINDOW)
			printf("  recording %s at %.6f s\n", r->window.on ? "began" : "ended",
				(double)r->time_ns / 1e9);
		if (r->type == REC_EXEC)
			printf("  exec of %s at %.6f s%s\n", gt_harmless(r->exec.path), (double)r->time_ns / 1e9,
				r->exec.followed ? "" :
				r->exec.unreachable ? ", into which nothing can be preloaded: not followed" :
				", its environment cleaned: not followed");
	}
}

/* Those that were inside a call are always of interest: the process died there. */
static void text_threads(const struct gt_model *m, struct gt_cuda *c, const struct gt_process *p, bool list)
{
	uint32_t unnamed = 0;

	for (uint32_t i = 0; i < p->n_threads; i++) {
		const struct gt_thread *t = gt_model_thread(m, p->first_thread + i);

		if (list || t->n_inside || p->n_threads == 1)
			text_thread(c, t);
		else
			unnamed++;
	}
	if (unnamed)
		printf("  %s (--threads lists %s)\n",
			gt_counted(unnamed, unnamed < p->n_threads ? "more threads" : "threads").text,
			unnamed == 1 ? "it" : "them");
}

static void text_process(const struct gt_model *m, struct gt_cuda *c, const struct gt_process *p, bool list)
{
	printf("\nprocess %d", p->pid);
	if (p->instance > 1)
		printf(" (image %d)", p->instance);
	printf(" %s\n", gt_harmless(p->image));
	if (p->parent)
		printf("  child of process %d (%s)\n", p->parent->pid, gt_harmless(p->reason));
	if (p->added_by >= 0)
		printf("  added by user %lld, who may have written anything\n", (long long)p->added_by);
	if (p->live != GT_LIVE_NO)
		printf("  %s\n", p->live == GT_LIVE_YES
				? "still recording"
				: "not known whether still recording: on another machine or in another container");
	printf("  %s, %s, %s (%s), %.6f s to %.6f s, host clock ", gt_counted(p->calls, "calls").text,
		gt_counted(p->callbacks, "callbacks").text, gt_counted(p->commands, "commands").text,
		gt_counted(p->kernels, "kernels").text, (double)p->start_ns / 1e9, (double)p->end_ns / 1e9);
	if (p->clock_error_ns >= 0)
		printf("within %lld ns\n", (long long)p->clock_error_ns);
	else
		printf("rate guessed: too few clock readings\n");
	for (size_t i = 0; i < p->n_env; i++)
		printf("  environment %s\n", gt_harmless(p->env[i]));
	text_image_records(m, p);
	text_threads(m, c, p, list);
}

static void text_devices(struct gt_model *m)
{
	struct shown_device d;
	bool any = false;

	for (uint32_t i = 0; next_device(m, &i, &d); any = true) {
		const struct gt_object *o = d.o;

		if (!any)
			printf("\n");
		printf("device %u %s", o->device_index,
			o->name.bytes ? gt_harmless(o->name.text) : "(name not recorded)");
		if (o->platform && o->platform->name.bytes)
			printf(" (%s)", gt_harmless(o->platform->name.text));
		if (o->parent)
			printf(", part of device %u", o->parent->device_index);
		if (o->device_type)
			printf(", %s", device_types(o->device_type));
		if (o->compute_units)
			printf(", %s", gt_counted(o->compute_units, "compute units").text);
		printf(", clock %s", d.how);
		if (d.error >= 0)
			printf(" within %lld ns", (long long)d.error);
		printf("\n");
	}
}

/* --measure-peak; lines that are damaged are none. */
static bool next_peak(const struct gt_model *m, unsigned *i, struct gt_measured_peak *p)
{
	while (gt_peak_measured(m, (*i)++, p))
		if (p->word < GT_PEAK_WORDS)
			return true;
	return false;
}

static void text_peaks(const struct gt_model *m)
{
	struct gt_measured_peak p;

	for (unsigned i = 0; next_peak(m, &i, &p);) {
		char device[300];

		snprintf(device, sizeof device, "%.*s", (int)(p.device.bytes < 290 ? p.device.bytes : 290),
			p.device.text);
		printf("peak of %s: ", gt_harmless(device));
		if (gt_peak_failure(p.word))
			printf("none measured: %s\n", gt_peak_failure(p.word));
		else
			printf("%.2f GB/s, measured: %s of %llu bytes in %llu ns, the fastest of %s\n",
				(double)p.bytes / (double)p.ns, gt_peak_word(p.word), (unsigned long long)p.bytes,
				(unsigned long long)p.ns, gt_counted(p.launches, "launches").text);
	}
}

/* A later run of the program (--reruns): what it was for, and how many launches it told that of. */
struct later_run { uint32_t run, pass, launches; enum rec_apart apart; };        /* pass 0: what was apart */

static const struct { const char *text, *json; } apart_words[REC_APARTS] = {
	[REC_APART_SAMPLES] = { "samples of the program counter", "samples" },
	[REC_APART_DEVICE] = { "counters of the whole device", "device" },
	[REC_APART_PM] = { "samples of performance monitors", "pm_samples" },
	[REC_APART_SASS] = { "counts of instructions", "instructions" },
};

/* The run behind the `after`th; false: there is none. */
static bool next_run(struct gt_model *m, uint32_t after, struct later_run *out)
{
	const struct rec_counters *plan = gt_model_counters_plan(m);
	const struct rec_counters_image *image = plan ? (const void *)(plan + 1) : NULL;
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(m, &all), passes = 1;
	bool counted = false, is_apart = false;

	for (uint32_t i = 0; plan && plan->replay && i < plan->n; i++)
		passes = image[i].passes > passes ? image[i].passes : passes;
	*out = (struct later_run){ .run = after + 1 };
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < REC_APARTS; k++)
			if (all[i].apart[k].run == out->run) {
				is_apart = true;
				out->apart = (enum rec_apart)k;
			}
		counted |= all[i].image_of_all.bytes || all[i].missing;
	}
	out->pass = counted && out->run <= passes ? out->run : 0;
	for (uint32_t i = 0; i < n; i++)
		out->launches += out->pass ? all[i].missing ? all[i].missing > out->run : all[i].image_of_all.bytes > 0
					   : is_apart && all[i].apart[out->apart].data.bytes;
	return out->pass || is_apart;
}

static void text_runs(struct gt_model *m)
{
	struct later_run r = { .run = 1 };

	while (next_run(m, r.run, &r))
		if (r.pass)
			printf("run %-5u counters of %s, pass %u\n", r.run, gt_counted(r.launches, "launches").text,
				r.pass);
		else
			printf("run %-5u %s of %s\n", r.run, apart_words[rec_apart_kind(r.apart)].text,
				gt_counted(r.launches, "launches").text);
}

/* The program's own run, where it counted nothing. */
static void own_run(const struct rec_counters *plan, uint32_t launches)
{
	const char *what = plan->replay < REC_REPLAY_APART + REC_APARTS
		? apart_words[rec_apart_kind((enum rec_apart)(plan->replay - REC_REPLAY_APART))].text
		: "what is not known here";
	size_t word = strcspn(what, " ");

	printf("\n%-*.*s%s of %s\n", 10, (int)word, what, what + word + (what[word] == ' '),
		gt_counted(launches, "launches").text);
}

/* The chips that were planned for, with what an image of counters of each holds. */
static void text_counters(struct gt_model *m)
{
	const struct rec_counters *plan = gt_model_counters_plan(m);
	const struct rec_counters_image *image = plan ? (const void *)(plan + 1) : NULL;
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(m, &all);

	if (!n && !gt_model_counters_planned(m))
		return;
	if (plan && plan->replay >= REC_REPLAY_APART) {
		own_run(plan, n);
		text_runs(m);
		return;
	}
	printf("\ncounters  of %s", gt_counted(n, "launches").text);
	if (!plan)
		printf("; %sthe file " REC_COUNTERS_FILE ", which tells what %s, is %s",
			n ? "they have no values: " : "", n ? "they are" : "was to be counted",
			gt_model_counters_planned(m) ? "damaged" : "missing");
	for (uint32_t i = 0; plan && i < plan->n; i++) {
		printf("%s %s: %s in ", i ? ";" : ", planned for", gt_harmless(image[i].chip),
			gt_counted(image[i].metrics, "metrics").text);
		printf("%s%s", gt_counted(image[i].passes, "passes").text,
			plan->replay && image[i].passes > 1 ? ", one in each run of the program" : "");
	}
	printf(plan ? ", by CUPTI %u\n" : "\n", plan ? plan->cupti : 0);
	text_runs(m);
}

static void text_missing(const struct gt_model *m)
{
	char line[4096];

	printf("\n%s\n", gt_harmless(gt_model_complete_text(m, line, sizeof line)));
	if (gt_model_complete(m) && gt_model_session(m)->cut_off)
		puts("  (`gputap run` was killed, which alone knows of a process that could record nothing)");
	if (gt_model_complete(m) && !gt_model_session(m)->launched)
		puts("  (recorded without `gputap run`, which alone knows of a process that could record nothing)");
	for (int i = 0; i < REC_LOSS_END; i++)
		if (gt_model_lost(m, (enum rec_loss)i))
			printf("  %10llu  %s\n", (unsigned long long)gt_model_lost(m, (enum rec_loss)i),
				gt_counted_things(gt_model_lost(m, (enum rec_loss)i), loss_texts[i]).text);
	gt_info_checks_text(m);
	gt_cli_remedies(m, stdout);
	for (uint32_t i = 0; i < gt_model_note_count(m); i++)
		printf("note (process %d): %s\n", gt_model_process(m, gt_model_note(m, i)->process)->pid,
			gt_harmless(gt_model_note(m, i)->text));
}

static int text_info(struct gt_model *m, bool list, struct gt_err *err)
{
	struct gt_cuda *c = gt_model_cuda(m, err);

	if (!c)
		return -1;
	text_session(gt_model_session(m));
	text_left(m);
	text_not_gathered(m);
	text_outputs(m);
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		text_process(m, c, gt_model_process(m, i), list);
	text_devices(m);
	text_peaks(m);
	if (gt_info_cuda_text(m, err))
		return -1;
	text_counters(m);
	text_missing(m);
	return 0;
}

/* --------------------------------------------------------------------- JSON */

static void begin_list(struct gt_text *t, const char *name)
{
	gt_json_key(t, name);
	gt_text_char(t, '[');
}

/* The next element of the array that is open in t. */
static void separate(struct gt_text *t)
{
	if (t->used && t->data[t->used - 1] != '[')
		gt_text_char(t, ',');
}

void gt_info_begin_item(struct gt_text *t)
{
	separate(t);
	gt_text_char(t, '{');
}

void gt_info_known(struct gt_text *t, const char *name, int64_t v)
{
	if (v >= 0)
		gt_json_field_i64(t, name, v);
}

static void json_session(struct gt_text *t, const struct gt_session *s)
{
	gt_json_field_str(t, "trace", s->path);
	gt_json_field_str(t, "version", s->version);
	gt_json_field_str(t, "run_id", s->run_id);
	gt_json_field_str(t, "host", s->host);
	gt_json_field_str(t, "cwd", s->cwd);
	gt_json_key(t, "command");
	gt_show_strings(t, s->n_args, s->args);
	gt_json_field_i64(t, "utc_ns", s->utc_ns);
	gt_json_field_i64(t, "monotonic_ns", s->monotonic_ns);
	gt_json_field_i64(t, "duration_ns", s->duration_ns);
	gt_info_known(t, "exit_status", s->exit_status);
	if (s->exit_status >= 0 || s->exit_signal)
		gt_json_field_i64(t, "exit_signal", s->exit_signal);
	gt_json_field_bool(t, "launched", s->launched);
	if (s->cut_off)
		gt_json_field_bool(t, "launcher_killed", true);
	if (s->open_to_others)
		gt_json_field_bool(t, "open_to_others", true);
}

static void json_left(struct gt_text *t, const struct gt_model *m)
{
	const struct gt_holders *left = gt_model_left(m);

	if (!left->n)
		return;
	begin_list(t, "still_running");
	for (unsigned i = 0; i < left->n && i < GT_HOLDERS_MOST; i++) {
		gt_info_begin_item(t);
		gt_json_field_i64(t, "pid", left->v[i].pid);
		gt_json_field_str(t, "name", left->v[i].name);
		gt_text_char(t, '}');
	}
	gt_text_char(t, ']');
}

static void json_not_gathered(struct gt_text *t, const struct gt_model *m)
{
	enum { MOST = 64 };
	const char *words[MOST];
	unsigned n = 0;

	while (n < MOST && (words[n] = gt_model_not_gathered(m, n)))
		n++;
	if (!n)
		return;
	gt_json_key(t, "not_gathered");
	gt_show_strings(t, n, words);
}

static void json_outputs(struct gt_text *t, const struct gt_model *m)
{
	if (!gt_model_output_count(m))
		return;
	begin_list(t, "outputs");
	for (uint32_t i = 0; i < gt_model_output_count(m); i++) {
		const struct gt_captured_output *o = gt_model_output(m, i);

		gt_info_begin_item(t);
		gt_json_field_i64(t, "pid", o->pid);
		gt_json_field_str(t, "of", o->of);
		gt_json_field_str(t, "kind", o->kind);
		gt_json_field_u64(t, "bytes", o->bytes);
		gt_json_field_u64(t, "kept", o->kept);
		gt_text_char(t, '}');
	}
	gt_text_char(t, ']');
}

static void json_thread(struct gt_text *t, const struct gt_thread *thread)
{
	gt_info_begin_item(t);
	gt_json_field_i64(t, "tid", thread->tid);
	gt_json_field_str(t, "name", thread->name);
	gt_json_field_bool(t, "main", thread->main);
	if (thread->has_priority)
		gt_json_field_i64(t, "priority", thread->priority);
	gt_json_field_u64(t, "calls", thread->calls);
	begin_list(t, "inside");
	for (uint32_t i = 0; i < thread->n_inside; i++) {
		gt_info_begin_item(t);
		gt_json_field_str(t, "name", thread->inside[i].fn->name);
		gt_json_field_i64(t, "start_ns", thread->inside[i].start_ns);
		begin_list(t, "args");
		for (unsigned k = 0; k < 4; k++) {
			if (k)
				gt_text_char(t, ',');
			gt_text_u64(t, thread->inside[i].arg[k]);
		}
		gt_text_lit(t, "]}");
	}
	gt_text_lit(t, "]}");
}

/* Its records of one type, as dump shows them, without whose they are. */
static void json_image_records(struct gt_show *s, const char *name, const struct gt_process *p, enum rec_type type)
{
	const struct gt_shape shape = { .parts = { gt_shown_image_records[type].parts[1] } };

	begin_list(s->t, name);
	for (uint32_t i = 0; i < gt_model_image_record_count(s->m); i++) {
		const struct gt_image_record *r = gt_model_image_record(s->m, i);

		if (r->process != p->index || r->type != type)
			continue;
		separate(s->t);
		gt_show_inside(s, &shape, r, p);
	}
	gt_text_char(s->t, ']');
}

static bool threads(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_process *p = record;

	(void)f;
	gt_text_char(s->t, '[');
	for (uint32_t i = 0; i < p->n_threads; i++)
		json_thread(s->t, gt_model_thread(s->m, p->first_thread + i));
	gt_text_char(s->t, ']');
	json_image_records(s, "windows", p, REC_WINDOW);
	json_image_records(s, "execs", p, REC_EXEC);
	return true;
}

static void json_processes(struct gt_text *t, struct gt_model *m)
{
	static const struct gt_shown more[] = { { "threads", threads, GT_OWN } };
	const struct gt_shape shape = { .parts = { gt_shown_process, GT_FIELDS(more) } };
	struct gt_show s = { .json = true, .t = t, .m = m };

	begin_list(t, "processes");
	for (uint32_t i = 0; i < gt_model_process_count(m); i++) {
		separate(t);
		gt_show_inside(&s, &shape, gt_model_process(m, i), NULL);
	}
	gt_text_char(t, ']');
}

static void json_devices(struct gt_text *t, struct gt_model *m)
{
	struct shown_device d;

	begin_list(t, "devices");
	for (uint32_t i = 0; next_device(m, &i, &d);) {
		const struct gt_object *o = d.o;

		gt_info_begin_item(t);
		gt_json_field_u64(t, "index", o->device_index);
		if (o->parent)
			gt_json_field_u64(t, "part_of", o->parent->device_index);
		if (o->name.bytes)
			gt_json_field_text(t, "name", o->name);
		if (o->platform && o->platform->name.text)
			gt_json_field_text(t, "platform", o->platform->name);
		if (o->device_type)
			gt_json_field_str(t, "kind", device_types(o->device_type));
		if (o->compute_units)
			gt_json_field_u64(t, "compute_units", o->compute_units);
		gt_json_field_str(t, "clock", d.how);
		gt_info_known(t, "clock_error_ns", d.error);
		gt_text_char(t, '}');
	}
	gt_text_char(t, ']');
}

static void json_peaks(struct gt_text *t, const struct gt_model *m)
{
	struct gt_measured_peak p;
	bool any = false;

	for (unsigned i = 0; next_peak(m, &i, &p); any = true) {
		if (!any)
			begin_list(t, "peaks");
		gt_info_begin_item(t);
		gt_json_field_text(t, "device", p.device);
		gt_json_field_text(t, "platform", p.platform);
		if (gt_peak_failure(p.word)) {
			gt_json_field_str(t, "why", gt_peak_failure(p.word));
		} else {
			gt_json_field_str(t, "kernel", gt_peak_word(p.word));
			gt_json_field_u64(t, "bytes", p.bytes);
			gt_json_field_u64(t, "ns", p.ns);
			gt_json_field_u64(t, "launches", p.launches);
		}
		gt_text_char(t, '}');
	}
	if (any)
		gt_text_char(t, ']');
}

static void json_counters(struct gt_text *t, struct gt_model *m)
{
	const struct rec_counters *plan = gt_model_counters_plan(m);
	const struct rec_counters_image *image = plan ? (const void *)(plan + 1) : NULL;
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(m, &all);
	bool later = false;

	if (!n && !gt_model_counters_planned(m))
		return;
	gt_json_key(t, "counters");
	gt_text_char(t, '{');
	gt_json_field_u64(t, "launches", n);
	gt_json_field_str(t, "plan", plan ? "sound" : gt_model_counters_planned(m) ? "damaged" : "missing");
	if (plan)
		gt_json_field_u64(t, "cupti", plan->cupti);
	begin_list(t, "images");
	for (uint32_t i = 0; plan && i < plan->n; i++) {
		gt_info_begin_item(t);
		gt_json_field_str(t, "chip", image[i].chip);
		gt_json_field_u64(t, "metrics", image[i].metrics);
		gt_json_field_u64(t, "passes", image[i].passes);
		gt_text_char(t, '}');
	}
	gt_text_char(t, ']');
	for (struct later_run r = { .run = 1 }; next_run(m, r.run, &r);) {
		if (r.run == 2)
			begin_list(t, "runs");
		gt_info_begin_item(t);
		gt_json_field_u64(t, "run", r.run);
		gt_json_field_str(t, "of", r.pass ? "counters" : apart_words[rec_apart_kind(r.apart)].json);
		if (r.pass)
			gt_json_field_u64(t, "pass", r.pass);
		gt_json_field_u64(t, "launches", r.launches);
		gt_text_char(t, '}');
		later = true;
	}
	gt_text_str(t, later ? "]}" : "}");
}

static void json_missing(struct gt_text *t, const struct gt_model *m)
{
	char line[4096];

	if (gt_model_live(m))
		gt_json_field_bool(t, "still_recording", true);
	gt_json_field_bool(t, "complete", gt_model_complete(m));
	gt_json_field_str(t, "complete_text", gt_model_complete_text(m, line, sizeof line));
	gt_json_key(t, "ledger");
	gt_text_char(t, '{');
	for (int i = 0; i < REC_LOSS_END; i++)
		if (gt_model_lost(m, (enum rec_loss)i))
			gt_json_field_u64(t, gt_show_loss(i), gt_model_lost(m, (enum rec_loss)i));
	gt_text_char(t, '}');
	gt_info_checks_json(t, m);
	begin_list(t, "notes");
	for (uint32_t i = 0; i < gt_model_note_count(m); i++) {
		const struct gt_note *n = gt_model_note(m, i);

		gt_info_begin_item(t);
		gt_json_field_i64(t, "pid", gt_model_process(m, n->process)->pid);
		gt_json_field_i64(t, "time_ns", n->time_ns);
		gt_json_field_str(t, "text", n->text);
		gt_text_char(t, '}');
	}
	gt_text_char(t, ']');
}

static int json_info(struct gt_model *m, struct gt_err *err)
{
	struct gt_text t = { 0 };
	bool ok;

	gt_text_char(&t, '{');
	json_session(&t, gt_model_session(m));
	json_left(&t, m);
	json_not_gathered(&t, m);
	json_outputs(&t, m);
	json_processes(&t, m);
	json_devices(&t, m);
	json_peaks(&t, m);
	json_counters(&t, m);
	ok = !gt_info_cuda_json(m, &t, err);
	json_missing(&t, m);
	gt_text_lit(&t, "}\n");
	if (ok && t.failed)
		ok = gt_no_memory(err) == 0;
	else if (ok)            /* whether it arrives is asked at the end */
		fwrite(t.data, 1, t.used, stdout);
	gt_text_free(&t);
	return ok ? 0 : -1;
}

int gt_cmd_info(struct gt_cli *cli)
{
	struct gt_progress progress;
	struct gt_model *m = NULL;
	struct gt_err err = { 0 };
	int rc;

	if (cli->n_args != 1)
		return gt_cli_usage(cli, cli->n_args ? "info takes one trace" : "which trace?");
	if (gt_is_ncurep(cli->args[0]) && gt_option_true(&cli->options, "require-complete"))
		return gt_cli_usage(cli, GT_CLI_REPORT_IS_SILENT);
	if (gt_is_ncurep(cli->args[0]))
		return gt_info_report(cli->args[0], gt_option_true(&cli->options, "json"), &err) ? gt_cli_fail(&err)
												 : GT_EXIT_OK;
	if (gt_model_open(cli->args[0], NULL, &m, &err))
		return gt_cli_fail(&err);
	gt_progress_begin(&progress, "reading", false);
	rc = walk_all(m, &progress, &err);
	gt_progress_end(&progress);
	if (!rc && gt_option_true(&cli->options, "json"))
		rc = json_info(m, &err);
	else if (!rc)
		rc = text_info(m, gt_option_true(&cli->options, "threads"), &err);
	if (!rc)
		rc = gt_written(stdout, "standard output", &err);
	if (!rc)
		rc = gt_cli_require_complete(&cli->options, m, true, &err);
	gt_model_close(m);
	return rc ? gt_cli_fail(&err) : GT_EXIT_OK;
}
