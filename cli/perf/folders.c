/*
 * cli/perf/folders.c - the folders of a trace that the kernel's events go to: the program's own, or made here
 *
 * A process that recorded calls has its folder already, and gets one stream more; any other gets a folder, with what
 * the launcher knows of it. Stamps of the kernel are CLOCK_MONOTONIC and become ticks by the launcher's own sets of all
 * clocks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/perf/folders.h"
#include "common/search.h"
#include "common/temporary.h"
#include "common/trusted.h"
#include "trace/read/facts.h"

enum { FACTS_MOST = 16 << 20, IMAGES_MOST = 1 << 20 };

/* ------------------------------------------------------------------ clocks */

static char *slurp(const char *folder, const char *name, size_t *bytes)
{
	char path[PATH_MAX + 64];
	struct stat st;

	/* in `other` it may be anything that some user put there */
	*bytes = 0;
	if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
		return NULL;
	return gt_read_opened(gt_open_regular(path, FACTS_MOST, &st), FACTS_MOST, bytes);
}

static bool facts_of(const char *folder, const char *name, struct gt_facts *facts)
{
	size_t bytes = 0;
	char *text = slurp(folder, name, &bytes);

	return text && !gt_facts_parse(text, bytes, facts);
}

static bool fit_clocks(struct gt_perf_folders *all)
{
	struct gt_facts run = { 0 };
	GT_LIST(struct gt_clock_set) sets = { 0 };
	const char *line;
	bool good;

	if (!facts_of(all->run->trace, "run", &run))
		return false;
	for (unsigned i = 0; (line = gt_facts_find(&run, "clock", i)); i++) {
		struct gt_clock_set set, *at;

		if (gt_clock_parse(line, &set) && (at = GT_LIST_ADD(&sets)))
			*at = set;
	}
	gt_facts_free(&run);
	good = sets.n && !gt_clock_fit(&all->ticks, sets.v, sets.n, 0);
	for (uint32_t i = 0; i < sets.n; i++)
		sets.v[i].tick = (uint64_t)sets.v[i].raw_ns;
	good = good && !gt_clock_fit(&all->raw, sets.v, sets.n, 1);
	free(sets.v);
	return good;
}

uint64_t gt_perf_folders_tick(const struct gt_perf_folders *all, const struct gt_perf_life *life, uint64_t ns)
{
	return gt_clock_tick(life->raw ? &all->raw : &all->ticks, (int64_t)ns);
}

/* ------------------------------------------------------------------ images */

static int compare_images(const void *a, const void *b)
{
	const struct gt_perf_image *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->instance > y->instance) - (x->instance < y->instance);
}

static void add_image(struct gt_perf_folders *all, const char *folder, const char *name)
{
	char meta[96];
	struct gt_facts facts = { 0 };
	unsigned pid, instance;
	struct gt_perf_image *image;
	int rest = 0;

	if (sscanf(name, "%u.%u%n", &pid, &instance, &rest) != 2 || name[rest] || all->images.n >= IMAGES_MOST)
		return;
	snprintf(meta, sizeof meta, "%.80s/meta", name);
	image = GT_LIST_ADD(&all->images);
	if (!image)
		return;
	*image = (struct gt_perf_image){ .pid = pid, .instance = instance };
	if (!facts_of(folder, meta, &facts))
		return;
	const char *id = gt_facts_find(&facts, "run_id", 0);

	if (!id || strcmp(id, all->run->run_id)) {
		all->images.n--;        /* a stranger's, in `other` */
		gt_facts_free(&facts);
		return;
	}
	const char *tick = gt_facts_find(&facts, "start_tick", 0), *reason = gt_facts_find(&facts, "reason", 0),
		   *clock = gt_facts_find(&facts, "clock_source", 0);

	image->raw = clock && !strcmp(clock, "monotonic_raw") && strcmp(gt_run_clock_source(), "monotonic_raw");
	image->forked = reason && !strcmp(reason, "fork");
	image->start_ns = tick ? gt_clock_mono_ns(image->raw ? &all->raw : &all->ticks, strtoull(tick, NULL, 10)) : 0;
	gt_facts_free(&facts);
}

static void find_images(struct gt_perf_folders *all)
{
	static const char *const places[] = { "", "/other" };
	char folder[PATH_MAX + 16];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(folder, sizeof folder, "%s%s", all->run->trace, places[i]);
		DIR *dir = opendir(folder);

		for (struct dirent *e; dir && (e = readdir(dir));)
			add_image(all, folder, e->d_name);
		if (dir)
			closedir(dir);
	}
	if (all->images.n)
		qsort(all->images.v, all->images.n, sizeof *all->images.v, compare_images);
}

/*
 * The folder that this life's own records are in; NULL: it has none. One that was forked says its parent's start, for
 * it is the same program.
 */
static struct gt_perf_image *image_of(struct gt_perf_folders *all, const struct gt_perf_life *life)
{
	uint32_t at;

	GT_SEARCH(at, all->images.n, all->images.v[at].pid < life->pid);
	for (; at < all->images.n && all->images.v[at].pid == life->pid; at++) {
		struct gt_perf_image *i = &all->images.v[at];
		bool forked = !strcmp(life->reason, "fork");

		if (i->taken || i->forked != forked)
			continue;
		if (forked || ((uint64_t)i->start_ns >= life->from_ns && (uint64_t)i->start_ns <= life->to_ns))
			return i;
	}
	return NULL;
}

/* ------------------------------------------------------------------ folders that are made */

/* Facts of this machine, which every folder that is made repeats. */
static char *common_facts(const struct gt_run *run)
{
	extern const char tap_table_hash[];
	struct gt_facts said = { 0 };
	struct utsname host;
	char *text = NULL;
	const char *boot, *ns;

	if (uname(&host) || !facts_of(run->trace, "run", &said))
		return NULL;
	boot = gt_facts_find(&said, "boot_id", 0);
	ns = gt_facts_find(&said, "ns_pid", 0);
	if (asprintf(&text,
		    "format=%d\nbyte_order=%s\nrun_id=%s\nboot_id=%s\nhost=%s\nos=%s\narch=%s\nns_pid=%s\n"
		    "clock_source=%s\ntable=%s\nby=launcher\n",
		    REC_VERSION, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big", run->run_id,
		    boot ? boot : "", host.nodename, host.release, host.machine, ns ? ns : "", gt_run_clock_source(),
		    tap_table_hash) < 0)
		text = NULL;
	gt_facts_free(&said);
	return text;
}

/* The table of functions, which the shim did not write where no call was made. */
void gt_perf_folders_table(const struct gt_perf_folders *all)
{
	extern const char tap_table_hash[];
	extern const unsigned char tap_table[];
	extern const size_t tap_table_bytes;
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof path, "%s/table.%s.zst", all->run->trace, tap_table_hash);
	fd = gt_create_own(path, O_WRONLY);
	if (fd < 0)
		return;                         /* it is there */
	if (write(fd, tap_table, tap_table_bytes) != (ssize_t)tap_table_bytes)
		unlink(path);                   /* the reader's own serves */
	close(fd);
}

static void put_path(FILE *f, const char *key, const char *value)
{
	fprintf(f, "%s=", key);
	for (const unsigned char *c = (const unsigned char *)value; *c; c++)
		fprintf(f, *c < 0x20 || *c == '%' ? "%%%02X" : "%c", *c);
	putc('\n', f);
}

static bool write_meta(struct gt_perf_folders *all, const struct gt_perf_life *life, const char *folder)
{
	const struct gt_perf_life *parent = life->parent == UINT32_MAX ? NULL : all->lives->all.v[life->parent];
	char path[PATH_MAX + 96];
	FILE *f;
	int fd;

	snprintf(path, sizeof path, "%s/meta", folder);
	fd = gt_create_own(path, O_WRONLY);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return false;
	fputs(all->facts, f);
	fprintf(f, "pid=%u\nppid=%u\nreason=%s\nstart_tick=%llu\n", life->pid,
		parent ? parent->pid : (unsigned)getpid(), life->reason,
		(unsigned long long)gt_perf_folders_tick(all, life, life->from_ns));
	if (parent && parent->name[0] && !strcmp(life->reason, "fork"))
		fprintf(f, "parent=%s\n", parent->name);
	if (life->image)
		put_path(f, "image", life->image);
	return !fclose(f);
}

/*
 * The image says when its library was begun; its program began earlier, and samples of that time would lie in front of
 * the session. Where it cannot be changed (another user's) they do.
 */
static void move_start(struct gt_perf_folders *all, const struct gt_perf_life *life, const char *folder)
{
	char path[PATH_MAX + 96], new[PATH_MAX + 96];
	size_t bytes = 0;
	char *text = slurp(folder, "meta", &bytes), *at = text ? strstr(text, "\nstart_tick=") : NULL;
	FILE *f = NULL;
	int fd = -1;

	snprintf(path, sizeof path, "%s/meta", folder);
	snprintf(new, sizeof new, "%s/meta.new", folder);
	if (at && (fd = gt_create_own(new, O_WRONLY)) >= 0 && (f = fdopen(fd, "w"))) {
		char *rest = at + 1 + strcspn(at + 1, "\n");

		fprintf(f, "%.*s\nstart_tick=%llu%s", (int)(at - text), text,
			(unsigned long long)gt_perf_folders_tick(all, life, life->from_ns), rest);
		if (ferror(f) | fclose(f) || rename(new, path))
			unlink(new);
	} else if (fd >= 0) {
		close(fd);
	}
	free(text);
}

/* A folder PID.N that is not there, in the trace. */
static bool make_folder(struct gt_perf_folders *all, struct gt_perf_life *life, char folder[PATH_MAX + 64])
{
	for (unsigned n = 1; n < 1000000; n++) {
		snprintf(life->name, sizeof life->name, "%u.%u", life->pid, n);
		snprintf(folder, PATH_MAX + 64, "%s/other/%s", all->run->trace, life->name);
		if (!access(folder, F_OK))
			continue;
		snprintf(folder, PATH_MAX + 64, "%s/%s", all->run->trace, life->name);
		if (!mkdir(folder, 0700))
			return write_meta(all, life, folder);
		if (errno != EEXIST)
			return false;
	}
	return false;
}

void gt_perf_folders_open(struct gt_perf_folders *all, struct gt_perf_life *life)
{
	struct gt_perf_image *image = image_of(all, life);
	char folder[PATH_MAX + 64];

	if (image) {
		image->taken = true;
		life->raw = image->raw;
		snprintf(life->name, sizeof life->name, "%u.%u", image->pid, image->instance);
		snprintf(folder, sizeof folder, "%s/%s", all->run->trace, life->name);
		if (mkdir(folder, 0700) && errno != EEXIST)      /* it may stand in `other` alone */
			return;
		if (!image->forked && (uint64_t)image->start_ns > life->from_ns)
			move_start(all, life, folder);
	} else if (!make_folder(all, life, folder)) {
		return;
	}
	life->out = gt_perf_out_new(folder, life->pid);
}

bool gt_perf_folders_begin(struct gt_perf_folders *all, const struct gt_run *run, const struct gt_perf_lives *lives)
{
	*all = (struct gt_perf_folders){ .run = run, .lives = lives };
	if (!fit_clocks(all) || !(all->facts = common_facts(run)))
		return false;
	find_images(all);
	return true;
}

void gt_perf_folders_free(struct gt_perf_folders *all)
{
	gt_clock_free(&all->ticks);
	gt_clock_free(&all->raw);
	free(all->images.v);
	free(all->facts);
}
