/*
 * tests/unit/shimwalk.h - for tests of the shim: run a scene in a process of its own, then walk what it left
 *
 * A scene is a function run by `main` of a fresh process (fork and exec of this very program), so that each has its own
 * constructor, options and trace. Its trace lies in $SHIM_DIR/t.gputap; counters live in memory shared with the test.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_UNIT_SHIMWALK_H
#define GPUTAP_TESTS_UNIT_SHIMWALK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/within.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/write/call/call.h"

/* The generated table, when the program is linked without it. */
__attribute__((weak)) extern const unsigned char tap_table[4];
__attribute__((weak)) extern const size_t tap_table_bytes;
__attribute__((weak)) extern const char tap_table_hash[9];
__attribute__((weak)) const unsigned char tap_table[4] = { 1, 2, 3, 4 };
__attribute__((weak)) const size_t tap_table_bytes = 4;
__attribute__((weak)) const char tap_table_hash[9] = "stand-in";

struct shared { volatile uint64_t n[64]; };     /* what a scene says about itself */
static struct shared *shared;
static char shim_dir[256];

struct scene { const char *name; int (*run)(void); };
extern const struct scene scenes[];

static inline void shared_map(void)
{
	char path[300];

	snprintf(path, sizeof path, "%s/shared", shim_dir);
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (ftruncate(fd, sizeof *shared))
		abort();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
}

/* In main, first: becomes the scene when this process was started as one. */
static inline void scene_main(int argc, char **argv)
{
	if (argc < 2 || !getenv("SHIM_DIR"))
		return;
	snprintf(shim_dir, sizeof shim_dir, "%s", getenv("SHIM_DIR"));
	shared_map();
	for (const struct scene *s = scenes; s->name; s++)
		if (!strcmp(s->name, argv[1]))
			exit(s->run());
	exit(99);
}

static inline void scene_clean(void)
{
	char command[400];

	if (shared)
		munmap(shared, sizeof *shared);
	shared = NULL;
	snprintf(command, sizeof command, "rm -rf '%s'", shim_dir);
	if (*shim_dir && system(command))
		fail();
	*shim_dir = 0;
}

/* A fresh place for a trace. */
static inline void scene_place(void)
{
	const char *tmp = getenv("TMPDIR");

	if (*shim_dir)
		scene_clean();
	snprintf(shim_dir, sizeof shim_dir, "%s/gputap-shim-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(shim_dir));
	shared_map();
}

/* Starts the scene; `option` are "NAME=VALUE" lines for its environment, NULL at the end. */
static inline pid_t scene_start(const char *name, ...)
{
	char output[300];
	va_list options;
	const char *o;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	snprintf(output, sizeof output, "%s/t", shim_dir);
	setenv("SHIM_DIR", shim_dir, 1);
	setenv("GPUTAP_OUTPUT", output, 1);
	unsetenv("GPUTAP_RUN_ID");
	unsetenv("GPUTAP_ROOT_PID");
	va_start(options, name);
	while ((o = va_arg(options, const char *)))
		putenv((char *)o);
	va_end(options);
	execl("/proc/self/exe", "scene", name, (char *)NULL);
	_exit(98);
}

static inline int scene_end(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

#define RUN_SCENE(...) scene_end(scene_start(__VA_ARGS__, NULL))

/* ---------------------------------------------------------------- walking */

struct walk {
	uint64_t complete, incomplete, calls, pads, bad;
	uint64_t by_type[REC_TYPE_COUNT];
	uint64_t lost[64];
	uint64_t blobs, blob_bytes, files, images;
	uint64_t overwritten, disk_bytes;
	struct rec_slot slot[REC_SLOTS];        /* of the last file */
	uint64_t open_slots;                    /* of all files */
	void (*each)(const uint64_t *rec, void *arg);
	void *arg;
};

static inline void walk_records(struct walk *w, const uint8_t *data, uint64_t from, uint64_t to)
{
	while (from < to) {
		const uint64_t *rec = (const uint64_t *)(data + from);
		uint64_t bytes = *rec ? rec_words(rec) * 8ull : 0;

		if (!*rec)
			return;
		if (!bytes || from + bytes > to || from / REC_BLOCK != (from + bytes - 1) / REC_BLOCK) {
			w->bad++;
			return;
		}
		if (rec_flags(*rec) & REC_COMPLETE) {
			w->complete++;
			w->pads += rec_id(*rec) == REC_PAD;
			if (rec_id(*rec) >= REC_FIRST_FUNCTION)
				w->calls++;
			else if (rec_id(*rec) < REC_TYPE_COUNT)
				w->by_type[rec_id(*rec)]++;
			if (w->each)
				w->each(rec, w->arg);
		} else {
			w->incomplete++;
		}
		from += bytes;
	}
}

/* Where the next chunk stands, `end` behind the last. */
static inline uint64_t next_chunk(const uint8_t *data, uint64_t at, uint64_t end)
{
	const struct rec_chunk *c = (const void *)(data + at);

	return c->magic != REC_CHUNK_MAGIC || c->bytes < sizeof *c
		? end
		: (at + c->bytes + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;
}

/* Small contents that share a chunk. */
static inline void walk_blobs(struct walk *w, const uint8_t *chunk, uint64_t bytes)
{
	const struct rec_chunk *c;

	for (uint64_t at = sizeof *c; at + sizeof *c <= bytes; at += c->bytes) {
		c = (const void *)(chunk + at);
		if (!c->magic)
			return;
		if (c->magic != REC_CHUNK_MAGIC || c->kind != REC_CHUNK_BLOB || c->bytes > bytes - at ||
			c->blob_bytes > c->bytes - sizeof *c) {
			w->bad++;
			return;
		}
		w->blobs++;
		w->blob_bytes += c->blob_bytes;
	}
}

static inline void walk_file(struct walk *w, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	uint8_t *data = calloc(1, (size_t)st.st_size + REC_BLOCK);

	assert_int_equal(pread(fd, data, (size_t)st.st_size, 0), st.st_size);
	close(fd);
	w->files++;
	w->disk_bytes += (uint64_t)st.st_blocks * 512;
	const struct rec_control *control = (const void *)data;

	memcpy(w->slot, control->slot, sizeof w->slot);
	for (int i = 0; i < REC_SLOTS; i++)
		w->open_slots += control->slot[i].fn != 0;
	for (int i = 0; i < 64; i++)
		w->lost[i] += control->lost[i] + control->lost_by_others[i];
	uint64_t least = 0, end = (uint64_t)st.st_size;

	for (uint64_t at = REC_CONTROL_BYTES; at < end; at = next_chunk(data, at, end)) {
		const struct rec_chunk *c = (const void *)(data + at);

		if (c->kind == REC_CHUNK_STAGE && c->rec_stage_target)
			memcpy(data + c->rec_stage_target, data + at + REC_STAGE_IMAGE, c->bytes - REC_STAGE_IMAGE);
	}
	/* In the order of the offsets that records count from. */
	for (;;) {
		uint64_t best = UINT64_MAX, place = 0;

		for (uint64_t at = REC_CONTROL_BYTES; at < end; at = next_chunk(data, at, end)) {
			const struct rec_chunk *c = (const void *)(data + at);
			uint64_t offset = c->kind == REC_CHUNK_CALLS && c->rec_offset ? c->rec_offset : at;

			if (c->magic == REC_CHUNK_MAGIC && offset > least && offset < best) {
				best = offset;
				place = at;
			}
		}
		if (!place)
			break;
		least = best;
		const struct rec_chunk *c = (const void *)(data + place);

		if (c->kind == REC_CHUNK_CALLS) {
			walk_records(w, data, place + sizeof *c, place + c->bytes);
			w->overwritten += c->rec_calls_gone;
		} else if (c->kind == REC_CHUNK_BLOB) {
			w->blobs++;
			w->blob_bytes += c->blob_bytes;
		} else if (c->kind == REC_CHUNK_BLOBS) {
			walk_blobs(w, data + place, c->bytes);
		}
	}
	free(data);
}

/* All streams of all images (or of the one whose directory starts with `pid.`). */
static inline void walk_trace(struct walk *w, const char *name, pid_t pid)
{
	char dir[600], image[900], path[1300], want[32] = "";
	struct dirent *d, *f;

	if (pid)
		snprintf(want, sizeof want, "%d.", (int)pid);
	snprintf(dir, sizeof dir, "%s/%s.gputap", shim_dir, name);
	DIR *run = opendir(dir);

	while (run && (d = readdir(run))) {
		if (!strchr("123456789", d->d_name[0]) || strncmp(d->d_name, want, strlen(want)))
			continue;
		snprintf(image, sizeof image, "%s/%s", dir, d->d_name);
		w->images++;
		DIR *streams = opendir(image);

		while (streams && (f = readdir(streams)))
			if (strstr(f->d_name, ".str")) {
				snprintf(path, sizeof path, "%s/%s", image, f->d_name);
				walk_file(w, path);
			}
		if (streams)
			closedir(streams);
	}
	if (run)
		closedir(run);
}

#endif
