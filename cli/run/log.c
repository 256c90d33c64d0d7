/*
 * cli/run/log.c - the file `run` of a trace: facts and clock sets as the launcher learns them
 *
 * Lines are appended with one write each, so a kill of the launcher keeps what was known. Keys: trace/format/rec.h.
 *
 * LOG1  The file only grows. If it got shorter, or has fewer bytes than the launcher has written and processes say that
 *       they have (in the run's page of lost calls), or the launcher's last line no longer stands where it was written,
 *       then somebody cut it, and what processes had told in it is gone: a line `cut` says so. It is looked at before
 *       each line and before the launcher closes it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "cli/version.h"
#include "common/plain/counter.h"
#include "common/plain/without.h"
#include "trace/format/begin.h"
#include "trace/read/live.h"

static FILE *beginning;                 /* what the file begins with, to be written at once; NULL: that is done */

/* LOG1: of the program's first run. The trace of a later one goes before anybody reads it. */
static struct { char *line; size_t n; off_t at, bytes; } last;
/* By the launcher; of that and of what processes wrote, what is known to be gone. */
static struct { off_t own, gone; } written;

/* Whether the file is as the launcher left it, but for what others have added. */
static bool is_whole(const struct gt_run *run)
{
	off_t wrote = written.own + (off_t)gt_run_told(run);    /* before it is asked how long the file is */
	struct stat st;
	char *now = last.line ? malloc(last.n) : NULL;
	bool same = true;

	if (fstat(run->log, &st))
		st.st_size = last.bytes;
	if (now)
		same = pread(run->log, now, last.n, last.at) == (ssize_t)last.n && !memcmp(now, last.line, last.n);
	free(now);
	off_t gone = wrote - st.st_size;

	same &= st.st_size >= last.bytes && gone <= written.gone;
	written.gone = gone > written.gone ? gone : written.gone;
	last.bytes = st.st_size;
	return same;
}

/*
 * Takes a line over that was written just now. The forwarders of --capture-output share the place in the file, so it
 * may not stand in front of that: then the one before it stays the last. False: it stands where another was.
 */
static bool keep(const struct gt_run *run, char *line, size_t n)
{
	off_t at = lseek(run->log, 0, SEEK_CUR) - (off_t)n, end = last.line ? last.at + (off_t)last.n : 0;
	char *now = at >= 0 && n ? malloc(n) : NULL;
	bool found = now && pread(run->log, now, n, at) == (ssize_t)n && !memcmp(now, line, n);

	free(now);
	free(found ? last.line : line);
	if (!found)
		return true;
	last.line = line;
	last.n = n;
	last.at = at;
	return at >= end;
}

static void tell_cut(const struct gt_run *run)
{
	free(last.line);
	memset(&last, 0, sizeof last);  /* what was known of the file is told */
	if (!gc_without("run-cut"))
		gt_run_log(run, "cut", "1");
}

void gt_run_log_look(const struct gt_run *run)
{
	if (!run->again && !is_whole(run))
		tell_cut(run);
}

/* Takes it over. A full disk costs this line, not the run: what is missing shows in the reader. */
static void append(const struct gt_run *run, char *line, size_t n)
{
	bool done;

	gt_run_log_look(run);
	done = write(run->log, line, n) == (ssize_t)n;
	written.own += done && !run->again ? (off_t)n : 0;
	if (!done || run->again)
		free(line);
	else if (!keep(run, line, n))
		tell_cut(run);
}

void gt_run_log(const struct gt_run *run, const char *key, const char *value)
{
	size_t room = strlen(key) + 3 * strlen(value) + 3, n;
	char *line = malloc(room);

	if (!line || run->log < 0) {
		free(line);
		return;
	}
	n = (size_t)sprintf(line, "%s=", key);
	for (const unsigned char *c = (const unsigned char *)value; *c; c++)
		n += *c < 0x20 || *c == '%' ? (size_t)sprintf(line + n, "%%%02X", *c) : (line[n] = (char)*c, 1u);
	line[n++] = '\n';
	if (!beginning) {
		append(run, line, n);
		return;
	}
	fwrite(line, 1, n, beginning);
	free(line);
}

void gt_run_log_number(const struct gt_run *run, const char *key, long long value)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", value);
	gt_run_log(run, key, text);
}

const char *gt_run_clock_source(void)
{
	static const char *source;
	char name[32] = "";
	ssize_t n = 0;
	bool forbidden = false;
	int fd;

	if (source)
		return source;
	fd = open(GC_CLOCKSOURCE_FILE, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, name, sizeof name);
		close(fd);
	}
	int mode = PR_TSC_ENABLE;

	forbidden = !prctl(PR_GET_TSC, &mode) && mode != PR_TSC_ENABLE;
	return source = gc_counter_source(
		       gc_counter_is_trusted(name, n > 0 ? (size_t)n : 0, forbidden, gc_counter_is_invariant()));
}

void gt_run_note(const struct gt_run *run, const char *note) { gt_run_log(run, "note", note); }

void gt_run_refused(const struct gt_run *run, const char *note)
{
	gt_run_log(run, "refused", note);
	gt_run_note(run, note);
}

void gt_run_log_target(const struct gt_run *run)
{
	char value[PATH_MAX + 32];

	if (run->target.audit) {
		snprintf(value, sizeof value, "%s %s", gc_audit_word(run->target.audit), run->target.path);
		gt_run_log(run, "started", value);
	}
	if (!gc_program_is_lost(&run->target.program))
		return;
	snprintf(value, sizeof value, "%s %s", gc_program_word(&run->target.program), run->target.path);
	gt_run_log(run, "unreachable", value);
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static uint64_t tick(void)
{
	if (*gt_run_clock_source() != 'm')
		return gc_counter_read();
	return (uint64_t)clock_ns(CLOCK_MONOTONIC_RAW);
}

void gt_run_log_clock(const struct gt_run *run)
{
	uint64_t best = UINT64_MAX;
	char text[192] = "";

	for (int i = 0; i < 8; i++) {   /* the tightest bracket of a few: one may be interrupted */
		uint64_t before = tick();
		int64_t mono = clock_ns(CLOCK_MONOTONIC), raw = clock_ns(CLOCK_MONOTONIC_RAW),
			real = clock_ns(CLOCK_REALTIME), boot = clock_ns(CLOCK_BOOTTIME);
		uint64_t after = tick();

		if (after - before >= best)
			continue;
		best = after - before;
		snprintf(text, sizeof text, "%llu %lld %lld %lld %lld %llu", (unsigned long long)(before + best / 2),
			(long long)mono, (long long)raw, (long long)real, (long long)boot, (unsigned long long)best);
	}
	gt_run_log(run, "clock", text);
}

/* With these a reader knows whether the launcher still runs. */
static void log_identity(const struct gt_run *run)
{
	char boot[64] = "", ns[64];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, boot, sizeof boot - 1);

	if (fd >= 0)
		close(fd);
	boot[n > 0 ? n : 0] = 0;
	boot[strcspn(boot, "\n")] = 0;
	gt_run_log(run, "boot_id", boot);
	n = readlink("/proc/self/ns/pid", ns, sizeof ns - 1);
	ns[n > 0 ? n : 0] = 0;
	gt_run_log(run, "ns_pid", ns);
}

static void log_beginning(const struct gt_run *run)
{
	char text[PATH_MAX];
	struct passwd *user = getpwuid(getuid());
	const struct gt_option_table *table = run->options->table;
	bool bare = gt_option_true(run->options, "no-args");

	gt_run_log(run, "format", "1");
	if (beginning)
		gt_run_log(run, "begin", REC_BEGIN_NONE);
	gt_run_log(run, "run_id", run->run_id);
	if (run->again)
		gt_run_log(run, "rerun", "1");
	gt_run_log(run, "version", GPUTAP_VERSION);
	if (!gethostname(text, sizeof text))
		gt_run_log(run, "host", text);
	gt_run_log(run, "user", user ? user->pw_name : "");
	for (char **arg = run->command; *arg && (arg == run->command || !bare); arg++)
		gt_run_log(run, "arg", *arg);
	if (getcwd(text, sizeof text))
		gt_run_log(run, "cwd", text);
	gt_run_log_number(run, "launcher_pid", getpid());
	gt_run_log_number(run, "launcher_start", (long long)gt_live_start(getpid()));
	gt_run_log_number(run, "awaits", 1);
	log_identity(run);
	gt_run_log_number(run, "start_realtime_ns", clock_ns(CLOCK_REALTIME));
	gt_run_log(run, "clock_source", gt_run_clock_source());
	for (unsigned i = 0; i < table->n; i++)
		if (run->options->origin[i] != GT_FROM_DEFAULT) {
			snprintf(text, sizeof text, "%s=%s", table->defs[i].name, run->options->value[i]);
			gt_run_log(run, "option", text);
		}
	gt_run_log_clock(run);
}

void gt_run_log_start(const struct gt_run *run)
{
	char *text = NULL, *value;
	size_t n = 0;

	beginning = open_memstream(&text, &n);
	log_beginning(run);
	if (!beginning)
		return;                 /* line by line, without its length */
	fclose(beginning);
	beginning = NULL;
	if (text && (value = strstr(text, REC_BEGIN_NONE)))
		rec_begin_fill(text, n, (size_t)(value - text));
	for (size_t at = 0; text && at < n;) {
		ssize_t more = write(run->log, text + at, n - at);

		if (more <= 0)
			break;          /* a full disk: the length says so */
		at += (size_t)more;
		written.own += run->again ? 0 : more;
	}
	if (text && !run->again)
		keep(run, text, n);
	else
		free(text);
}
