/*
 * cli/run/cuda.c - gputap run --cuda-args: the table of CUDA's arguments, for the shim and for who reads the trace
 *
 * The table of the installed toolkit is made once, by the generator that this tool carries in it, and kept in the
 * user's cache; the shim gets its path. The text goes into the trace, so that a reader on another machine, of another
 * time, names what was recorded. Without a toolkit, or without what the generator needs, the built-in table serves, and
 * one line says why.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "cli/run/run.h"
#include "common/harmless.h"
#include "common/temporary.h"
#include "common/trusted.h"
#include "cuda_generator.h"
#include "model/cuda/table.h"

#define TABLE_LIMIT (16 << 20)          /* bytes */

/* -------------------------------------------------------------- the generator */

static bool name_cache_folder(char to[PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return snprintf(to, PATH_MAX, "%s/gputap", cache) < PATH_MAX;
	return home && *home == '/' && snprintf(to, PATH_MAX, "%s/.cache/gputap", home) < PATH_MAX;
}

/* The tables in it are believed. False with the reason. */
static bool cache_folder(char to[PATH_MAX], char why[GT_TRUST_WHY])
{
	snprintf(why, GT_TRUST_WHY, "no folder for a cache (HOME)");
	return name_cache_folder(to) && gt_trust_folder(to, why) != GT_TRUST_NO;
}

static void generator_child(int script, int said, const char *folder)
{
	/* -s, or a flag that changes nothing: modules of a HOME that is not ours would run as us */
	if (lseek(script, 0, SEEK_SET) == 0 && dup2(script, 0) == 0 && dup2(said, 1) == 1 && dup2(said, 2) == 2)
		execlp("python3", "python3", gt_trust_home() ? "-B" : "-Bs", "-", "--cache", folder, (char *)NULL);
	dprintf(1, "cuda_generate: no python3: %s\n", strerror(errno));
	_exit(5);
}

/* What it said, its last line without the end; true when that is a path. */
static bool run_generator(const char *folder, char said[PATH_MAX])
{
	int script = memfd_create("cuda_generate.py", MFD_CLOEXEC), ends[2], status = -1;
	size_t used = 0;
	ssize_t n = 1;
	pid_t pid;

	snprintf(said, PATH_MAX, "no memory");
	if (script < 0 || write(script, cuda_generator, CUDA_GENERATOR_BYTES) != CUDA_GENERATOR_BYTES ||
		pipe2(ends, O_CLOEXEC)) {
		close(script);
		return false;
	}
	pid = fork();
	if (!pid)
		generator_child(script, ends[1], folder);
	close(ends[1]);
	close(script);
	while (pid > 0 && used + 1 < PATH_MAX && (n > 0 || (n < 0 && errno == EINTR)))
		if ((n = read(ends[0], said + used, PATH_MAX - 1 - used)) > 0)
			used += (size_t)n;
	close(ends[0]);
	said[used] = 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	while (used && said[used - 1] == '\n')
		said[--used] = 0;
	if (strrchr(said, '\n'))
		memmove(said, strrchr(said, '\n') + 1, strlen(strrchr(said, '\n')));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 && *said == '/';
}

/* ------------------------------------------------------------------ the table */

static char *read_whole(const char *path, size_t *bytes)
{
	struct stat st;

	return gt_read_opened(gt_open_regular(path, TABLE_LIMIT, &st), TABLE_LIMIT, bytes);
}

static bool is_table(const char *text, size_t bytes)
{
	struct gt_cuda_table *t = gt_cuda_table_parse(text, bytes);
	bool is = t != NULL;

	gt_cuda_table_free(t);
	return is;
}

static bool wanted(const struct gt_run *run)
{
	const struct gt_options *o = run->options;

	return gt_option_true(o, "cuda-args") && gt_option_has(o, "trace", "cuda") &&
		!gt_option_has(o, "trace", "none");
}

/* The program may go elsewhere before CUDA begins: a path that counts from here is made a whole one. */
static void settle_cupti(struct gt_run *run)
{
	static char whole[PATH_MAX];
	const char *said = gt_option(run->options, "cupti");

	if (*said != '/' && strchr(said, '/') && realpath(said, whole))
		gt_option_set(&run->cli->options, "cupti", whole);
}

int gt_run_cuda_prepare(struct gt_run *run, struct gt_err *err)
{
	static char path[PATH_MAX];
	char folder[PATH_MAX], why[GT_TRUST_WHY];
	bool named = gt_option_given(run->options, "cuda-table");

	settle_cupti(run);
	if (!wanted(run))
		return 0;
	if (named)
		snprintf(path, sizeof path, "%s", gt_option(run->options, "cuda-table"));
	else if (!cache_folder(folder, why) || !run_generator(folder, path)) {
		if (!run->quiet)
			fprintf(stderr,
				"gputap: --cuda-args: names for the common calls only; of the others the first words: "
			        "%s\n",
				gt_harmless(!*path ? why : path + (strncmp(path, "cuda_generate: ", 15) ? 0 : 15)));
		return 0;
	}
	run->cuda_table = read_whole(path, &run->cuda_table_bytes);
	if (run->cuda_table && is_table(run->cuda_table, run->cuda_table_bytes)) {
		gt_option_set(&run->cli->options, "cuda-table", path);
		run->cuda_table_found = !named;
		return 0;
	}
	free(run->cuda_table);
	run->cuda_table = NULL;
	return named
		? gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "--cuda-table: %s is not a table of CUDA's arguments", path)
		: 0;
}

/* With a checksum, so that a reader notices what was changed. */
static size_t pack_with_sum(void *packed, size_t room, const char *text, size_t bytes)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t n = 0;

	if (c && !ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1)) &&
		!ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 6)))
		n = ZSTD_compress2(c, packed, room, text, bytes);
	ZSTD_freeCCtx(c);
	return n;
}

/* A trace without it is read by the reader's own table: a failure here loses names, not calls. */
void gt_run_cuda_store(struct gt_run *run)
{
	const char *text = run->cuda_table ? run->cuda_table : gt_cuda_own_text();
	size_t bytes = run->cuda_table ? run->cuda_table_bytes : strlen(text), room = ZSTD_compressBound(bytes);
	char name[PATH_MAX + 32];
	void *packed = malloc(room);
	size_t n = packed ? pack_with_sum(packed, room, text, bytes) : 0;
	int fd = -1;

	snprintf(name, sizeof name, "%s/" GT_CUDA_TABLE_FILE, run->trace);
	if (wanted(run) && n && !ZSTD_isError(n))
		fd = gt_create_own(name, O_WRONLY);
	if (fd >= 0) {
		if (write(fd, packed, n) != (ssize_t)n)
			unlink(name);
		close(fd);
	}
	free(packed);
	if (run->cuda_table_found)
		gt_option_set(&run->cli->options, "cuda-table", "");    /* from here on, the trace has it */
	free(run->cuda_table);
	run->cuda_table = NULL;
}
