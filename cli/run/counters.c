/*
 * cli/run/counters.c - gputap run --set, --section, --metrics: what is to be counted is planned before the program runs
 *
 * The plan needs CUPTI's host library and the names of the chips, which a child process asks the driver for (--chip
 * names one instead). It becomes the file `counters` of the trace, and the shim collects by it. Where anything of this
 * is missing one line says so, and the program runs without counters. Metrics of OpenCL need none of it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/sections/choice.h"
#include "analysis/sections/nvtx_choice.h"
#include "cli/metrics/plan.h"
#include "cli/metrics/sections.h"
#include "cli/run/run.h"
#include "common/counted.h"
#include "common/harmless.h"
#include "common/memory.h"
#include "common/temporary.h"
#include "trace/format/counters.h"

#define MOST_CHIPS 16
#define MOST_LINES 32                     /* of each option that chooses launches */
enum { PATIENCE_MS = 30000 };           /* a driver may initialise many devices */

struct chips { char name[MOST_CHIPS][16]; uint32_t n; int refused; };     /* refused: with CUPTI's error */

/* What the file holds: n images of the range profiler, a chip each, then `more` of what is apart. */
struct part { char chip[16]; enum rec_apart apart; struct gt_plan_image image; };
struct parts { struct part v[MOST_CHIPS * (1 + REC_APARTS)]; uint32_t n, more, cupti; };

static bool asked(const struct gt_options *o)
{
	return *gt_option(o, "set") || *gt_option(o, "section") || *gt_option(o, "metrics");
}

/* ------------------------------------------------------------------ launches */

static int wrong_line(const char *option, struct gc_word line, const char *why, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "--%s %.*s: %s", option, (int)line.bytes, line.at, why);
}

/* NULL: it is a name with stars, or an expression that is understood. */
static const char *check_name(struct gc_word name)
{
	static struct gc_regex_op steps[GC_REGEX_MOST];
	struct gc_regex r;

	return name.bytes >= 6 && !memcmp(name.at, "regex:", 6)
		? gc_regex_make(&r, name.at + 6, name.bytes - 6, steps, GC_REGEX_MOST) : NULL;
}

static const char *check_id(struct gc_word id)
{
	const char *stream = memchr(id.at, ':', id.bytes), *name, *end = id.at + id.bytes, *number = end;

	name = stream ? memchr(stream + 1, ':', (size_t)(end - stream - 1)) : NULL;
	if (!name)
		return "it is not CONTEXT:STREAM:NAME:NUMBER";
	while (number > name + 1 && number[-1] != ':')
		number--;
	if (number == name + 1)
		return "it is not CONTEXT:STREAM:NAME:NUMBER";
	if (strspn(id.at, "0123456789") < (size_t)(stream - id.at) ||
		strspn(stream + 1, "0123456789") < (size_t)(name - stream - 1) ||
		strspn(number, "0123456789") < (size_t)(end - number))
		return "CONTEXT, STREAM and NUMBER are numbers, or empty";
	return check_name((struct gc_word){ name + 1, (size_t)(number - name - 2) });
}

static const char *check_ranges(struct gc_word line)
{
	return gt_nvtx_choice_wrong(line);
}

/* What chooses launches is read again in the program, where nobody can be told of a mistake. */
static int check_choice(const struct gt_options *o, struct gt_err *err)
{
	static const struct { const char *option; const char *(*check)(struct gc_word line); } all[] = {
		{ "kernel-name", check_name }, { "kernel-id", check_id }, { "nvtx-include", check_ranges },
		{ "nvtx-exclude", check_ranges } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const char *at = gt_option(o, all[i].option), *why;
		unsigned lines = 0;

		for (size_t n; *at; at += n + (at[n] == '\n')) {
			struct gc_word line = { at, n = strcspn(at, "\n") };

			why = n ? all[i].check(line) : NULL;
			if (!why && n && ++lines > MOST_LINES)
				why = "it is given too often";
			if (why)
				return wrong_line(all[i].option, line, why, err);
		}
	}
	return 0;
}

static int check_interval(const struct gt_options *o, struct gt_err *err)
{
	const char *said = gt_option(o, "sampling-interval");
	size_t digits = strspn(said, "0123456789");

	if (!strcmp(said, "auto") || (digits && digits <= 2 && !said[digits] && atoi(said) <= 31))
		return 0;
	return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "--sampling-interval %s: it is auto, or a number from 0 to 31",
		said);
}

/* ------------------------------------------------------------------ chips */

#define REFUSED '!'             /* before the error, instead of a name */

/* Some of CUPTI's functions crash without a driver, so that comes first. */
static void tell_chips(const struct gt_host *h, int fd)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned) = NULL, (*count)(int *) = NULL, n = 0;

	if (driver) {
		*(void **)&init = dlsym(driver, "cuInit");
		*(void **)&count = dlsym(driver, "cuDeviceGetCount");
	}
	if (!init || !count || init(0) || count(&n))
		_exit(1);
	for (int i = 0; i < n && i < 64; i++) {
		int result;
		const char *name = gt_host_device_chip(h, (size_t)i, &result);
		char text[16] = "";

		if (result)
			snprintf(text, sizeof text, "%c%d", REFUSED, result);
		else
			snprintf(text, sizeof text, "%s", name ? name : "");
		if (write(fd, text, sizeof text) != sizeof text)
			_exit(1);
	}
	_exit(0);
}

static void add_chip(struct chips *c, const char *name)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->name[i], name))
			return;
	if (*name && c->n < MOST_CHIPS)
		snprintf(c->name[c->n++], sizeof c->name[0], "%s", name);
}

static void ask_driver(const struct gt_host *h, struct chips *c)
{
	struct pollfd p = { .events = POLLIN };
	char name[16];
	pid_t pid;

	p.fd = gt_host_fork(&pid);
	if (p.fd < 0)
		return;
	if (!pid) {
		unsetenv("CUDA_INJECTION64_PATH");
		tell_chips(h, p.fd);
	}
	while (poll(&p, 1, PATIENCE_MS) > 0 && read(p.fd, name, sizeof name) == sizeof name) {
		name[sizeof name - 1] = 0;
		if (*name == REFUSED)
			c->refused = atoi(name + 1);
		else
			add_chip(c, name);
	}
	close(p.fd);
	kill(pid, SIGKILL);                     /* it has said all, or does not come back */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ------------------------------------------------------------------ the plan */

static void put(struct gt_text *t, const void *data, size_t bytes) { gt_text_bytes(t, data, bytes); }

static uint64_t in_words(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

static void put_image(struct gt_text *t, const struct part *p, uint64_t *config, uint64_t *names)
{
	struct rec_counters_image im = { .config = *config, .config_bytes = p->image.config_bytes, .names = *names,
		.names_bytes = p->image.names.used, .metrics = (uint32_t)p->image.metrics,
		.passes = (uint32_t)p->image.passes, .apart = p->apart };

	memcpy(im.chip, p->chip, sizeof im.chip);
	put(t, &im, sizeof im);
	*config += in_words(im.config_bytes);
	*names += im.names_bytes;
}

static void make_file(struct gt_run *run, const struct parts *p)
{
	uint32_t n = p->n + p->more;
	struct rec_counters head = { .magic = REC_COUNTERS_MAGIC, .n = p->n, .more = p->more, .cupti = p->cupti,
		.replay = run->replay };
	uint64_t config = sizeof head + n * sizeof(struct rec_counters_image), names = config;
	struct gt_text t = { 0 };

	for (uint32_t i = 0; i < n; i++)
		names += in_words(p->v[i].image.config_bytes);
	head.bytes = names;
	for (uint32_t i = 0; i < n; i++)
		head.bytes += p->v[i].image.names.used;
	put(&t, &head, sizeof head);
	for (uint32_t i = 0; i < n; i++)
		put_image(&t, &p->v[i], &config, &names);
	/* configurations first: they may want to be aligned */
	for (uint32_t i = 0; i < n; i++) {
		put(&t, p->v[i].image.config, p->v[i].image.config_bytes);
		put(&t, "\0\0\0\0\0\0\0", in_words(p->v[i].image.config_bytes) - p->v[i].image.config_bytes);
	}
	for (uint32_t i = 0; i < n; i++)
		put(&t, p->v[i].image.names.data, p->v[i].image.names.used);
	if (t.failed) {
		gt_text_free(&t);
	} else {
		head.sum = rec_counters_sum((const void *)t.data);
		memcpy(t.data, &head, sizeof head);
	}
	run->counters = t.data;
	run->counters_bytes = t.used;
}

static void forget(struct parts *p)
{
	for (uint32_t i = 0; i < p->n + p->more; i++) {
		free(p->v[i].image.config);
		gt_text_free(&p->v[i].image.names);
	}
	*p = (struct parts){ .n = 0 };
}

static enum rec_replay replay_of(const struct gt_options *o)
{
	static const char *const modes[] = { [REC_REPLAY_KERNEL] = "kernel", [REC_REPLAY_APPLICATION] = "application",
		[REC_REPLAY_RANGE] = "range", [REC_REPLAY_APP_RANGE] = "app-range" };
	enum rec_replay mode = REC_REPLAY_KERNEL;

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (gt_option_is(o, "replay-mode", modes[i]))
			mode = (enum rec_replay)i;
	return mode;
}

static bool of_ranges(const struct gt_run *run)
{
	return run->replay == REC_REPLAY_RANGE || run->replay == REC_REPLAY_APP_RANGE;
}

/* More runs than one, without anything to count in them, would only cost time. */
static int check_reruns(const struct gt_run *run, struct gt_plan_wants wants, struct gt_err *err)
{
	if (!gt_option_true(run->options, "reruns") || run->replay == REC_REPLAY_APPLICATION ||
		run->replay == REC_REPLAY_APP_RANGE)
		return 0;
	for (uint32_t k = 0; k < REC_APARTS && !of_ranges(run); k++)
		if (wants.apart[k])
			return 0;
	return gt_fail(err, GT_EXIT_USAGE,
		"one run of the program counts all that was asked for",
		"--replay-mode=application or app-range with it, metrics of sampling, of instructions, or of the whole "
		"device beside others, or no --reruns",
		"--reruns has nothing to run the program again for");
}

static void say_passes(const struct gt_run *run, const char *chip, const struct gt_plan_image *im)
{
	const struct gt_counted metrics =
		gt_counted(im->metrics, im->metrics == 1 ? "metrics is" : "metrics are");

	fprintf(stderr, "gputap: %s: %s counted in %s of %s\n", gt_harmless(chip), metrics.text,
		gt_counted(im->passes, run->replay ? "runs" : "passes").text,
		run->replay ? "the program" : "each kernel");
}

static int find_chips(const struct gt_run *run, struct gt_host **h, struct chips *chips, struct gt_err *err)
{
	const char *named = gt_option(run->options, "chip");

	if (gt_host_open(gt_option(run->options, "cupti"), h, err))
		return -1;
	if (*named)
		add_chip(chips, named);
	else
		ask_driver(*h, chips);
	if (!chips->n && chips->refused)
		return gt_fail(err, GT_EXIT_MISSING, NULL, "--chip CHIP", "no chip to plan counters for: CUPTI "
			"does not name the device's (cuptiDeviceGetChipName: CUPTI's error %d)", chips->refused);
	if (!chips->n)
		return gt_fail(err, GT_EXIT_MISSING, "no CUDA driver here tells of a device", "--chip CHIP",
			"no chip to plan counters for");
	return 0;
}

/* Performance monitors: a class for each run that they take, behind the images of counters. */
static int plan_monitors(struct gt_run *run, const struct gt_sections *s, struct parts *p, uint32_t *runs,
	struct gt_err *err)
{
	struct chips chips = { .n = 0 };
	struct gt_host *h;
	int rc = find_chips(run, &h, &chips, err);

	*runs = 0;
	for (uint32_t i = 0; i < chips.n && !rc; i++) {
		struct gt_plan_image images[REC_APARTS - REC_APART_PM];
		uint32_t n;

		rc = gt_plan_pm(run->cli, s, h, chips.name[i], images, &n, err);
		for (uint32_t k = 0; k < n; k++) {
			struct part *one = &p->v[p->n + p->more++];

			*one = (struct part){ .apart = REC_APART_PM + k, .image = images[k] };
			memcpy(one->chip, chips.name[i], sizeof one->chip);
		}
		*runs = n > *runs ? n : *runs;
		p->cupti = gt_host_version(h);
		if (n && !rc && !run->quiet)
			fprintf(stderr, "gputap: %s: samples of performance monitors take %s of the program\n",
				gt_harmless(chips.name[i]), gt_counted(n, "runs").text);
	}
	return rc;
}

/* Beside the chip's counters of contexts: an image of its own. */
static int add_device(struct gt_run *run, const struct gt_sections *s, struct gt_host *h, struct parts *p,
	const char *chip, struct gt_err *err)
{
	struct part *device = &p->v[p->n + p->more];
	int rc = gt_plan_image(run->cli, s, h, chip, GT_PLAN_DEVICE, &device->image, err);

	device->apart = REC_APART_DEVICE;
	snprintf(device->chip, sizeof device->chip, "%s", chip);
	p->more += rc || device->image.metrics;
	return rc;
}

static int plan(struct gt_run *run, const struct gt_sections *s, bool device, struct parts *p, struct gt_err *err)
{
	struct chips chips = { .n = 0 };
	struct gt_host *h;
	size_t metrics = 0;
	int rc = find_chips(run, &h, &chips, err);

	if (rc)
		return -1;
	p->n = chips.n;
	p->cupti = gt_host_version(h);
	for (uint32_t i = 0; i < chips.n && !rc; i++) {
		struct gt_plan_image *im = &p->v[i].image;

		memcpy(p->v[i].chip, chips.name[i], sizeof p->v[i].chip);
		rc = gt_plan_image(run->cli, s, h, chips.name[i], GT_PLAN_CONTEXTS, im, err);
		if (!rc && !im->metrics)
			rc = gt_plan_image(run->cli, s, h, chips.name[i], GT_PLAN_DEVICE, im, err);
		else if (!rc && device)
			rc = add_device(run, s, h, p, chips.name[i], err);
		metrics += im->metrics;
		if (im->metrics && im->passes > run->passes)
			run->passes = (uint32_t)im->passes;
		if (!rc && !run->quiet)
			say_passes(run, chips.name[i], im);
	}
	if (!rc && run->replay == REC_REPLAY_RANGE && run->passes > 1)
		rc = gt_fail(err, GT_EXIT_USAGE, "a range of the program cannot be run again alone",
			"--replay-mode=app-range --reruns, or fewer metrics",
			"--replay-mode=range counts one pass, and these metrics take %u", run->passes);
	else if (!rc && run->replay && run->passes > 1 && !gt_option_true(run->options, "reruns"))
		rc = gt_fail(err, GT_EXIT_USAGE, "each run of the program counts one pass",
			"--reruns, or fewer metrics",
			"--replay-mode=%s takes %s of the program", gt_option(run->options, "replay-mode"),
			gt_counted(run->passes, "runs").text);
	if (rc || !metrics)
		forget(p);
	return rc;
}

/* Counting needs CUDA's collector, which holds CUPTI; a choice by ranges needs these. */
static void ask_for_counters(struct gt_options *o)
{
	bool ranges = *gt_option(o, "nvtx-include") || *gt_option(o, "nvtx-exclude");
	static char domains[256];       /* the options point there */

	snprintf(domains, sizeof domains, "%s%s%s,counters", gt_option(o, "trace"),
		gt_option_has(o, "trace", "cuda") ? "" : ",cuda",
		ranges && !gt_option_has(o, "trace", "nvtx") ? ",nvtx" : "");
	gt_option_set(o, "trace", domains);
}

/*
 * The profiler, and each class apart from it, take a process each: the first of them gets the program's own run.
 */
static void plan_apart(struct gt_run *run, const struct parts *p, struct gt_plan_wants wants)
{
	static const struct { const char *done, *not, *they; } words[REC_APARTS] = {
		[REC_APART_SAMPLES] = { "the program counter is sampled", "the program counter is not sampled", "its" },
		[REC_APART_DEVICE] = { "the whole device is counted", "the whole device is not counted", "its" },
		[REC_APART_SASS] = { "instructions are counted, in code that CUPTI instruments",
			"instructions are not counted", "their" },
		[REC_APART_PM] = { "performance monitors are sampled", "performance monitors are not sampled",
			"their" },
	};
	bool taken = p->n || of_ranges(run), reruns = gt_option_true(run->options, "reruns");
	bool told[REC_APARTS][2] = { 0 };

	for (uint32_t k = 0; k < REC_APARTS; k++) {
		bool own = !taken, later = taken && !of_ranges(run) && reruns;
		enum rec_apart kind = rec_apart_kind((enum rec_apart)k);

		if (!wants.apart[k])
			continue;
		taken = true;
		if (own)
			run->replay = REC_REPLAY_APART + k;
		run->apart |= later ? 1u << k : 0;
		if (run->quiet || told[kind][own || later])
			continue;
		told[kind][own || later] = true;
		if (own || later)
			fprintf(stderr, "gputap: %s%s\n", words[kind].done,
				later ? kind == REC_APART_PM ? " in runs of their own" : " in a run of its own" : "");
		else if (told[kind][true])
			fprintf(stderr, "gputap: ... of one run: the others take runs of the program of their own "
				"(--reruns): their metrics will be N/A\n");
		else
			fprintf(stderr, "gputap: %s: %s: %s metrics will be N/A\n", words[kind].not,
				!of_ranges(run) ? "it takes a run of the program of its own (--reruns)" :
				k == REC_APART_DEVICE ? "a range is counted into one image, and it takes its own"
						      : "launches are, and ranges are counted", words[kind].they);
	}
}

/* A plan that cannot be made: the program runs without, unless the user was wrong. */
static int without(int rc, const char *what, const struct gt_err *why, struct gt_err *err)
{
	if (rc && (why->kind == GT_EXIT_INPUT || why->kind == GT_EXIT_USAGE)) {
		*err = *why;
		return -1;
	}
	fprintf(stderr, "gputap: %s: %s\n", what,
		*why->what ? gt_harmless(why->what) : "the chip has none of these metrics");
	return 0;
}

/* Filled in: the runs that samples of performance monitors take. */
static int plan_more(struct gt_run *run, const struct gt_sections *s, struct parts *p, struct gt_plan_wants *wants,
	struct gt_err *err)
{
	struct gt_err why = { 0 };
	uint32_t runs = 0;
	int rc = wants->apart[REC_APART_PM] && !of_ranges(run) ? plan_monitors(run, s, p, &runs, &why) : 0;

	if (wants->apart[REC_APART_PM] && !of_ranges(run) && (rc || !runs)) {
		runs = 0;
		rc = without(rc, "performance monitors are not sampled", &why, err);
	}
	for (uint32_t k = REC_APART_PM; k < REC_APARTS && !of_ranges(run); k++)
		wants->apart[k] = k - REC_APART_PM < runs;
	return rc;
}

static int plan_counters(struct gt_run *run, const struct gt_sections *s, struct gt_plan_wants *wants,
	struct parts *p, struct gt_err *err)
{
	struct gt_err why = { 0 };
	int rc = plan(run, s, wants->apart[REC_APART_DEVICE], p, &why);

	wants->apart[REC_APART_DEVICE] &= p->more > 0;

	if (rc || !p->n)
		return without(rc, "no counters are collected", &why, err);
	return 0;
}

/* By this run or a later one. */
static bool collects(const struct gt_run *run, enum rec_apart class)
{
	return run->apart >> class & 1 || run->replay == REC_REPLAY_APART + class;
}

/* Instructions, whose lines are known by the module's code. */
static bool collects_instructions(const struct gt_run *run)
{
	return collects(run, REC_APART_SAMPLES) || collects(run, REC_APART_SASS);
}

/* The names are all that the shim needs: CUPTI tells on the device which of them the chip has. */
static int plan_source(struct gt_run *run, const struct gt_sections *s, struct parts *p, struct gt_err *err)
{
	struct part *one = &p->v[p->n + p->more++];

	one->apart = REC_APART_SASS;
	return gt_plan_source(run->cli, s, &one->image, err);
}

int gt_run_counters_prepare(struct gt_run *run, struct gt_err *err)
{
	const struct gt_options *o = run->options;
	bool wanted = asked(o) && !gt_option_has(o, "trace", "none");
	struct gt_plan_wants wants = { 0 };
	struct gt_sections s = { 0 };
	struct parts parts = { .n = 0 };
	int rc;

	run->replay = replay_of(o);
	rc = check_choice(o, err) || check_interval(o, err) ? -1 : 0;
	if (!rc && wanted)
		rc = gt_cli_sections(run->cli, &s, err) || gt_sections_check(&s, o, err) ? -1 : 0;
	if (!rc && wanted) {
		gt_cli_section_errors(&s);
		wants = gt_plan_wants(run->cli, &s);
	}
	if (!rc)
		rc = check_reruns(run, wants, err);
	if (!rc && wants.counters)
		rc = plan_counters(run, &s, &wants, &parts, err);
	if (!rc)
		rc = plan_more(run, &s, &parts, &wants, err);
	if (!rc)
		plan_apart(run, &parts, wants);
	if (!rc && collects(run, REC_APART_SASS))
		rc = plan_source(run, &s, &parts, err);
	if (!rc && (parts.n || run->replay >= REC_REPLAY_APART))
		make_file(run, &parts);
	if (!rc && run->counters)
		ask_for_counters(&run->cli->options);
	if (!rc && collects_instructions(run) && !gt_option_given(o, "binaries"))
		gt_option_set(&run->cli->options, "binaries", "true");
	if (wants.uncounted && !run->quiet)
		fprintf(stderr, "gputap: some counts of instrumented code are not collected, for CUPTI has none of the "
				"kind: their metrics will be N/A\n");
	if (*wants.unknown && !run->quiet)
		fprintf(stderr, "gputap: no metric of the name %s is known: it will be N/A\n",
			gt_harmless(wants.unknown));
	gt_sections_close(&s);
	forget(&parts);
	return rc;
}

void gt_run_counters_store(struct gt_run *run)
{
	char name[PATH_MAX + 32];
	int fd = -1;

	snprintf(name, sizeof name, "%s/" REC_COUNTERS_FILE, run->trace);
	if (run->counters)
		fd = gt_create_own(name, O_WRONLY);
	if (fd >= 0) {
		if (write(fd, run->counters, run->counters_bytes) != (ssize_t)run->counters_bytes)
			unlink(name);
		close(fd);
	}
}

int gt_run_counters_of_pass(const struct gt_run *run, uint32_t pass, enum rec_apart class, struct gt_run *later,
	struct gt_err *err)
{
	struct rec_counters *head;

	later->counters = malloc(run->counters_bytes);
	if (!later->counters)
		return gt_no_memory(err);
	later->counters_bytes = run->counters_bytes;
	memcpy(later->counters, run->counters, run->counters_bytes);
	head = (void *)later->counters;
	head->pass = pass;
	head->replay = class < REC_APARTS ? REC_REPLAY_APART + class : head->replay;
	head->sum = rec_counters_sum(head);
	return 0;
}
