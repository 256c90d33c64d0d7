/*
 * trace/read/store.c - choose the backend of a trace; names; the backend in memory
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "trace/format/counters.h"
#include "trace/format/passes.h"
#include "trace/read/stage.h"

/* Digits without a leading zero and below `limit`; *end stands behind them. */
static bool parse_number(const char *text, uint64_t limit, uint64_t *out, const char **end)
{
	uint64_t v = 0;
	const char *p = text;

	if (*p == '0' && p[1] >= '0' && p[1] <= '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (uint64_t)(*p - '0');
		if (v >= limit)
			return false;
	}
	*out = v;
	*end = p;
	return p != text;
}

static bool is_hash(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'z') ||
			    (text[i] >= 'A' && text[i] <= 'Z')))
			return false;
	return n > 0;
}

bool gt_store_name_mark(const char *name, char key[32], char value[32])
{
	int end = 0;

	return sscanf(name, GT_MARK_FILE "%*16[0-9a-f].%31[a-z_].%20[0-9]%n", key, value, &end) == 2 && !name[end];
}

bool gt_store_name_parse(const char *name, struct gt_store_name *out)
{
	size_t n = strlen(name);
	uint64_t pid, instance, stream;
	char key[32], value[32];
	const char *p;

	memset(out, 0, sizeof(*out));
	if (n >= GT_STORE_NAME_MAX)
		return false;
	if (!strcmp(name, "run") || !strcmp(name, GT_CUDA_TABLE_FILE) || !strcmp(name, REC_COUNTERS_FILE) ||
		!strcmp(name, REC_PASSES_FILE) ||
		 !strcmp(name, GT_LOST_FILE) ||
		gt_store_name_mark(name, key, value))
		return true;
	if (!strcmp(name, GT_OUTPUT_FILE "1") || !strcmp(name, GT_OUTPUT_FILE "2"))
		return true;
	if (n > 10 && !memcmp(name, "table.", 6) && !strcmp(name + n - 4, ".zst"))
		return is_hash(name + 6, n - 10);
	if (n > 10 && !memcmp(name, GT_FUNCTIONS_FILE, 10))
		return is_hash(name + 10, n - 10);
	if (!parse_number(name, 1u << 31, &pid, &p) || *p++ != '.' || !parse_number(p, 1u << 31, &instance, &p) ||
		*p++ != '/')
		return false;
	out->in_image = true;
	out->pid = (int)pid;
	out->instance = (int)instance;
	if (!strcmp(p, "meta"))
		return true;
	/* A stream's number is small: the writer counts up from 0, one file a live thread. */
	if (!parse_number(p, 1u << 22, &stream, &p) || strcmp(p, ".str"))
		return false;
	out->is_stream = true;
	out->stream = (uint32_t)stream;
	return true;
}

int64_t gt_store_pread(int fd, void *to, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

static struct gt_store *new_store(const char *path, struct gt_err *err)
{
	struct gt_store *s = calloc(1, sizeof(*s));

	if (s)
		s->path = strdup(path);
	if (s && s->path)
		return s;
	free(s);
	gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: out of memory", path);
	return NULL;
}

struct gt_store_file *gt_store_add(struct gt_store *s, const char *name, uint64_t size)
{
	struct gt_store_file *f;

	if (!gt_grow((void **)&s->files, s->n_files, &s->cap_files, sizeof(*f)))
		return NULL;
	f = &s->files[s->n_files++];
	memset(f, 0, sizeof(*f));
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->size = f->held = size;
	f->owner = UINT32_MAX;
	return f;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct gt_store_file *)a)->name, ((const struct gt_store_file *)b)->name);
}

/* Of one name, what others added comes behind the trace's own. */
static int by_name_and_maker(const void *a, const void *b)
{
	const struct gt_store_file *x = a, *y = b;
	int names = by_name(a, b);

	return names ? names : x->added - y->added;
}

static void sort_files(struct gt_store *s)
{
	size_t kept = 0;

	if (s->n_files)
		qsort(s->files, s->n_files, sizeof(*s->files), by_name_and_maker);
	for (size_t i = 0; i < s->n_files; i++) /* a name stands for one file */
		if (!kept || strcmp(s->files[kept - 1].name, s->files[i].name))
			s->files[kept++] = s->files[i];
	s->n_files = kept;
}

uint32_t gt_store_find(const struct gt_store *s, const char *name)
{
	struct gt_store_file key, *f;

	if (!s->n_files || strlen(name) >= sizeof(key.name))
		return GT_STORE_NONE;
	strcpy(key.name, name);
	f = bsearch(&key, s->files, s->n_files, sizeof(*s->files), by_name);
	return f ? (uint32_t)(f - s->files) : GT_STORE_NONE;
}

char *gt_store_first(struct gt_store *s, uint32_t file, size_t most, size_t *bytes)
{
	const struct gt_store_file *f = &s->files[file];
	size_t size = f->size < most ? (size_t)f->size : most, held = f->held < size ? (size_t)f->held : size;
	char *to = calloc(1, size + 1);   /* zeros that nobody writes take no memory */
	int64_t got = -1;

	errno = ENOMEM;
	if (to)
		got = s->read(s, file, 0, to, held);
	if (got < 0) {
		free(to);
		return NULL;
	}
	*bytes = (size_t)got < held ? (size_t)got : size;
	return to;
}

int gt_store_slurp(struct gt_store *s, uint32_t file, size_t limit, char **data, size_t *bytes, struct gt_err *err)
{
	const struct gt_store_file *f = &s->files[file];

	if (f->size > limit)
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s/%s: %llu bytes are too many for this file", s->path,
			f->name, (unsigned long long)f->size);
	*data = gt_store_first(s, file, limit, bytes);
	if (!*data)
		return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be read", s->path, f->name);
	return 0;
}

int gt_store_open(const char *path, struct gt_store **out, struct gt_err *err)
{
	struct gt_store *s = new_store(path, err);
	struct stat st;
	int fd, rc;

	if (!s)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not make us wait */
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s: cannot be opened", path);
		if (fd >= 0)
			close(fd);
	} else if (S_ISDIR(st.st_mode)) {
		rc = gt_store_open_dir(s, fd, err);
	} else if (S_ISREG(st.st_mode)) {
		rc = gt_store_open_packed(s, fd, err);
	} else {
		close(fd);
		rc = gt_fail(err, GT_EXIT_INPUT,
			"a trace is a directory NAME.gputap or the file that --pack makes of it", NULL,
			"%s: neither a directory nor a file", path);
	}
	if (rc < 0) {
		gt_store_close(s);
		return -1;
	}
	sort_files(s);
	*out = s;
	return 0;
}

void gt_store_close(struct gt_store *s)
{
	if (!s)
		return;
	if (s->close)
		s->close(s);
	free(s->files);
	free(s->path);
	free(s);
}

/* ---- memory ---- */

/* gt_plain_read */
static int64_t memory_plain(void *self, uint64_t offset, void *to, size_t bytes)
{
	const struct gt_memory_file *f = self;

	if (offset >= f->bytes)
		return 0;
	if (bytes > f->bytes - offset)
		bytes = f->bytes - offset;
	memcpy(to, (const char *)f->data + offset, bytes);
	return (int64_t)bytes;
}

struct memory { struct gt_memory_file file; struct gt_stage stage; };

static int64_t memory_read(struct gt_store *s, uint32_t file, uint64_t offset, void *to, size_t bytes)
{
	struct memory *m = (struct memory *)s->self + s->files[file].place;

	return gt_stage_read(&m->stage, memory_plain, &m->file, offset, to, bytes);
}

static void memory_close(struct gt_store *s)
{
	free(s->self);
}

int gt_store_open_memory(const struct gt_memory_file *files, size_t n, struct gt_store **out, struct gt_err *err)
{
	struct gt_store *s = new_store("memory", err);
	struct gt_store_name parsed;
	struct memory *memory;

	if (!s)
		return -1;
	memory = calloc(n + 1, sizeof(*memory));
	s->self = memory;
	s->read = memory_read;
	s->close = memory_close;
	for (size_t i = 0; i < n; i++) {
		struct gt_store_file *f;

		if (!gt_store_name_parse(files[i].name, &parsed))
			continue;
		f = memory ? gt_store_add(s, files[i].name, files[i].bytes) : NULL;
		if (!f) {
			gt_store_close(s);
			return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "memory: out of memory");
		}
		f->place = i;
		memory[i].file = files[i];
		if (parsed.is_stream)
			gt_stage_find(&memory[i].stage, memory_plain, &memory[i].file);
	}
	sort_files(s);
	*out = s;
	return 0;
}
