/*
 * trace/write/run/facts.c - what a trace says about its run and its images: the files `run`, `meta` and the table
 *
 * Runs      on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * Keys and their meaning: docs/trace-format.md, and the end of trace/format/rec.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/auxv.h>
#include <sys/utsname.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/plain/without.h"
#include "trace/format/begin.h"
#include "trace/write/entries.h"
#include "trace/write/run/run.h"

extern const unsigned char tap_table[];         /* generated: the function table, compressed */
extern const size_t tap_table_bytes;
extern const char tap_table_hash[];

extern char **environ;

enum { EXISTS = 17 };                           /* errno value: raw calls return it negated */

static void put_key(struct tap_text *t, const char *key)
{
	tap_text_str(t, key);
	tap_text_char(t, '=');
}

static void put_value(struct tap_text *t, const char *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)v[i];

		if (c == '%' || c < 0x20) {
			tap_text_char(t, '%');
			tap_text_char(t, "0123456789ABCDEF"[c >> 4]);
			tap_text_char(t, "0123456789ABCDEF"[c & 15]);
		} else {
			tap_text_char(t, v[i]);
		}
	}
}

static void put_line(struct tap_text *t, const char *key, const char *value)
{
	put_key(t, key);
	put_value(t, value, tap_text_length(value));
	tap_text_char(t, '\n');
}

static void put_number(struct tap_text *t, const char *key, uint64_t v)
{
	put_key(t, key);
	tap_text_u64(t, v);
	tap_text_char(t, '\n');
}

/* The beginning of a file of /proc or /sys; 0: there is none. */
static long read_start(const char *path, char *to, size_t n)
{
	int fd = tap_sys_open(path, O_RDONLY, 0);
	long got = fd < 0 ? 0 : tap_sys_read(fd, to, n);

	if (fd >= 0)
		tap_sys_close(fd);
	return got;
}

static void put_link(struct tap_text *t, const char *key, const char *link)
{
	char *path = tap_scratch_take();
	long n = tap_sys_readlink(link, path, TAP_PATH_MAX);

	put_key(t, key);
	put_value(t, path, n > 0 ? (size_t)n : 0);
	tap_scratch_give(path);
	tap_text_char(t, '\n');
}

/* Bytes of it in `path`, at most TAP_PATH_MAX; without /proc too. */
static size_t find_folder(char *path)
{
	long n = tap_sys_readlink("/proc/self/cwd", path, TAP_PATH_MAX);

	if (n <= 0)
		n = TAP_SYS(getcwd, path, TAP_PATH_MAX, 0, 0, 0, 0) - 1;        /* that counts its zero */
	return n > 0 && *path == '/' ? (size_t)n : 0;
}

/* Without /proc, as in a bare chroot, it is the path by which the program was started: stacks need its symbols. */
static size_t find_image(char *path)
{
	const char *started = (const char *)getauxval(AT_EXECFN);
	long n = tap_sys_readlink("/proc/self/exe", path, TAP_PATH_MAX);
	size_t before = 0, bytes = started ? tap_text_length(started) : 0;

	if (n > 0 || !bytes)
		return n > 0 ? (size_t)n : 0;
	for (; started[0] == '.' && started[1] == '/'; bytes -= 2)
		started += 2;
	if (*started != '/') {
		before = find_folder(path);
		path[before == TAP_PATH_MAX ? before - 1 : before++] = '/';
	}
	if (bytes > TAP_PATH_MAX - before)
		return 0;
	memcpy(path + before, started, bytes);
	return before + bytes;
}

static void put_path(struct tap_text *t, const char *key, size_t (*find)(char *path))
{
	char *path = tap_scratch_take();

	put_key(t, key);
	put_value(t, path, path ? find(path) : 0);
	tap_scratch_give(path);
	tap_text_char(t, '\n');
}

/* Gives the command line piece by piece: words with their zeros. Its bytes. */
static size_t read_arguments(void (*take)(struct tap_text *t, const char *piece, size_t n), struct tap_text *t)
{
	enum { PIECE = 4096 };
	char *piece = tap_scratch_take();
	int fd = piece ? tap_sys_open("/proc/self/cmdline", O_RDONLY, 0) : -1;
	size_t bytes = 0;

	for (long n; fd >= 0 && (n = tap_sys_read(fd, piece, PIECE)) > 0; bytes += (size_t)n)
		if (take)
			take(t, piece, (size_t)n);
	if (fd >= 0)
		tap_sys_close(fd);
	tap_scratch_give(piece);
	return bytes;
}

static bool ends_line(const struct tap_text *t) { return t->used && t->at[t->used - 1] == '\n'; }

/* Of a word of the command line, which ends with a zero. */
static void put_character(struct tap_text *t, char c)
{
	if (c)
		put_value(t, &c, 1);
	else
		tap_text_char(t, '\n');
}

/* Where no line end stands before it, a piece goes on with the word of the piece before. */
static void put_words(struct tap_text *t, const char *piece, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ends_line(t))
			put_key(t, "arg");
		put_character(t, piece[i]);
	}
}

static void put_first_word(struct tap_text *t, const char *piece, size_t n)
{
	for (size_t i = 0; i < n && !ends_line(t); i++)
		put_character(t, piece[i]);
}

/* One "arg" line for each word of the command line, or for the first alone. */
static void put_arguments(struct tap_text *t)
{
	bool first_alone = tap_option_true("no-args");

	if (first_alone)
		put_key(t, "arg");
	read_arguments(first_alone ? put_first_word : put_words, t);
	if (!ends_line(t))
		tap_text_char(t, '\n');
}

/*
 * Room for facts: in `scratch` where command line and environment are as long as usual, else mapped (*mapped bytes).
 * Without memory what is longer is cut, and counted (close_facts).
 */
static void open_facts(struct tap_text *t, size_t *mapped)
{
	size_t usual = sizeof tap_run.scratch / 8;
	size_t long_ones = tap_option_true("no-args") ? 0 : read_arguments(NULL, NULL);
	char *room = NULL;

	for (char **line = *tap_option("env") ? environ : NULL; line && *line; line++)
		long_ones += tap_text_length(*line);
	*mapped = long_ones > usual ? sizeof tap_run.scratch + 3 * long_ones : 0;       /* %XX for each character */
	if (*mapped)
		room = tap_sys_mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!room)
		*mapped = 0;
	tap_text_init(t, room ? room : tap_run.scratch, room ? *mapped : sizeof tap_run.scratch);
}

static void close_facts(struct tap_text *t, size_t mapped)
{
	if (t->used + 1 >= t->size)
		tap_lost(REC_LOSS_ARGS_CUT, 1);
	if (mapped)
		tap_sys_munmap(t->at, mapped);
}

static void put_first_line_of(struct tap_text *t, const char *key, const char *path)
{
	char line[128];
	long n = read_start(path, line, sizeof line);

	while (n > 0 && line[n - 1] == '\n')
		n--;
	put_key(t, key);
	put_value(t, line, n > 0 ? (size_t)n : 0);
	tap_text_char(t, '\n');
}

/*
 * Field 22 of stat, the start in clock ticks since boot: with pid, boot and namespace a reader knows the process again
 * while it runs. It is read of the first thread, which has the same: a user-mode emulator makes up the process' own
 * file. In another pid namespace's /proc no thread has that number. The name before it, in brackets, may hold anything.
 */
static void put_start_time(struct tap_text *t)
{
	char line[512];
	long n, at, end;

	tap_task_read((uint32_t)tap_sys_getpid(), "stat", line, sizeof line);
	n = (long)tap_text_length(line);
	if (!n)
		n = read_start("/proc/self/stat", line, sizeof line);
	at = n;
	while (at > 0 && line[at - 1] != ')')
		at--;
	for (int blanks = 0; at < n && blanks < 20; at++)
		blanks += line[at] == ' ';
	for (end = at; end < n && line[end] >= '0' && line[end] <= '9'; end++)
		;
	if (end == at)
		return;
	put_key(t, "start_time");
	put_value(t, line + at, (size_t)(end - at));
	tap_text_char(t, '\n');
}

static void put_options(struct tap_text *t)
{
	const char *name, *value;

	for (size_t i = 0; (name = tap_option_at(i, &value)); i++) {
		tap_text_str(t, "option=");
		tap_text_str(t, name);
		tap_text_char(t, '=');
		put_value(t, value, tap_text_length(value));
		tap_text_char(t, '\n');
	}
}

/* Only the variables that were asked for (--env). */
static void put_environment(struct tap_text *t)
{
	const char *names = tap_option("env");

	for (char **line = *names ? environ : NULL; line && *line; line++) {
		char name[128];
		size_t n = 0;

		while ((*line)[n] && (*line)[n] != '=' && n + 1 < sizeof name) {
			name[n] = (*line)[n];
			n++;
		}
		name[n] = 0;
		if ((*line)[n] == '=' && tap_list_has(names, name))
			put_line(t, "env", *line);
	}
}

static bool write_file(const char *dir, const char *tail, const void *data, size_t bytes)
{
	char *path = tap_scratch_take();
	bool ok = true;

	tap_run_path(path, dir, tail);
	int fd = tap_sys_create_own(path, O_WRONLY);

	tap_scratch_give(path);
	if (fd < 0)
		return false;
	for (size_t at = 0; ok && at < bytes;) {
		const char *from = (const char *)data + at;
		long n = gc_without("file-limit") ? TAP_SYS(write, fd, from, bytes - at, 0, 0, 0)
						  : tap_sys_write(fd, from, bytes - at);

		ok = n > 0;
		at += ok ? (size_t)n : 0;
	}
	tap_sys_close(fd);
	return ok;
}

static void put_host(struct tap_text *t, bool whole)
{
	struct utsname host;

	if (TAP_SYS(uname, &host, 0, 0, 0, 0, 0) != 0)
		return;
	put_line(t, "host", host.nodename);
	if (whole) {
		put_line(t, "os", host.release);
		put_line(t, "arch", host.machine);
	}
}

bool tap_run_write_run(const char *dir, bool again)
{
	struct tap_clock_set c;
	struct tap_text t;
	size_t mapped;

	open_facts(&t, &mapped);
	put_number(&t, "format", REC_VERSION);
	put_line(&t, "begin", REC_BEGIN_NONE);
	size_t value = t.used - sizeof REC_BEGIN_NONE;
	put_line(&t, "run_id", tap_run.id);
	if (again)
		put_number(&t, "made_again", tap_sys_getpid());
	put_host(&t, false);
	put_number(&t, "user", (uint64_t)TAP_SYS(getuid, 0, 0, 0, 0, 0, 0));
	put_path(&t, "cwd", find_folder);
	tap_clock_read(&c);
	put_number(&t, "start_realtime_ns", c.real_ns);
	tap_text_str(&t, "clock=");
	const uint64_t set[] = { c.tick, c.mono_ns, c.raw_ns, c.real_ns, c.boot_ns, c.bracket };
	for (int i = 0; i < 6; i++) {
		tap_text_u64(&t, set[i]);
		tap_text_char(&t, i < 5 ? ' ' : '\n');
	}
	put_arguments(&t);
	put_options(&t);
	rec_begin_fill(t.at, t.used, value);
	bool written = write_file(dir, "/run", t.at, t.used);

	close_facts(&t, mapped);
	return written;
}

/*
 * Whether the image before this one of the same pid was the same process: an exec keeps its start. In another pid
 * namespace that shares the folder the pid is a stranger's, and a long run may meet a pid twice.
 */
static bool is_successor(uint32_t n)
{
	enum { MOST = 4096 };
	char own[256], number[16], *path = tap_scratch_take(), *before;
	struct tap_text t;

	tap_text_init(&t, number, sizeof number);
	tap_text_char(&t, '.');
	tap_text_u64(&t, n - 1);
	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_bytes(&t, tap_run.image_dir, tap_text_length(tap_run.image_dir));
	while (t.used && path[t.used - 1] != '.')
		t.used--;
	t.used -= t.used != 0;
	tap_text_str(&t, number);
	tap_text_str(&t, "/meta");
	int fd = tap_sys_open(path, O_RDONLY | O_NOFOLLOW, 0);

	before = path;                          /* its room is free again */
	long got = fd < 0 ? 0 : tap_sys_read(fd, before, MOST - 1);
	bool same = true;                       /* another user's by now: it dropped its privileges before the exec */

	if (fd >= 0)
		tap_sys_close(fd);
	if (got > 0) {
		before[got] = 0;
		tap_text_init(&t, own, sizeof own);
		put_link(&t, "ns_pid", "/proc/self/ns/pid");
		put_start_time(&t);
		same = __builtin_strstr(before, own) != NULL;
	}
	tap_scratch_give(path);
	return same;
}

bool tap_run_write_meta(uint32_t n)
{
	struct tap_text t;
	bool forked = tap_sys_getpid() != tap_run.start_pid;
	size_t mapped;

	open_facts(&t, &mapped);
	put_number(&t, "format", REC_VERSION);
	put_line(&t, "byte_order", __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big");
	put_line(&t, "run_id", tap_run.id);
	put_first_line_of(&t, "boot_id", "/proc/sys/kernel/random/boot_id");
	put_host(&t, true);
	put_number(&t, "pid", tap_sys_getpid());
	put_number(&t, "ppid", (uint64_t)TAP_SYS(getppid, 0, 0, 0, 0, 0, 0));
	put_link(&t, "ns_pid", "/proc/self/ns/pid");
	put_start_time(&t);
	put_path(&t, "image", find_image);
	put_path(&t, "cwd", find_folder);
	put_line(&t, "reason", forked ? "fork" : n > 1 && is_successor(n) ? "exec" : "start");
	if (forked && tap_run.parent_name[0])
		put_line(&t, "parent", tap_run.parent_name);
	put_line(&t, "clock_source", tap_clock_source());
	put_line(&t, "table", tap_table_hash);
	put_number(&t, "start_tick", tap_start_tick);
	put_options(&t);
	put_environment(&t);
	put_arguments(&t);              /* last: the longest, and the one that may be cut */
	bool written = write_file(tap_run.image_dir, "/meta", t.at, t.used);

	close_facts(&t, mapped);
	if (written) {
		tap_tally_facts(t.used);
		return true;
	}
	char *path = tap_scratch_take();

	tap_run_path(path, tap_run.image_dir, "/meta");
	tap_sys_unlink(path, 0);                /* half of them would be taken for all */
	tap_scratch_give(path);
	return false;
}

/* Whole, under a name that its content decides, unless it is there. False: no room. */
static bool write_once(const char *name, const void *content, size_t bytes)
{
	char *temporary = tap_scratch_take(), *final = tap_scratch_take();
	bool written = true;

	tap_run_path(final, tap_run.dir, name);
	if (TAP_SYS(faccessat, AT_FDCWD, final, 0, 0, 0, 0) == 0)
		goto out;
	tap_run_path(temporary, tap_run.image_dir, "/table.new");
	written = write_file(tap_run.image_dir, "/table.new", content, bytes);
	int err = written ? tap_sys_rename_new(temporary, final) : 0;

	if (err < 0 && err != -EXISTS) {
		tap_run_path(final, tap_run.image_dir, name);   /* RUNDIR1: beside what this user recorded */
		tap_sys_rename_new(temporary, final);
	}
	tap_sys_unlink(temporary, 0);
out:
	tap_scratch_give(temporary);
	tap_scratch_give(final);
	return written;
}

void tap_run_write_table(void)
{
	char name[64];
	struct tap_text t;

	tap_text_init(&t, name, sizeof name);
	tap_text_str(&t, "/table.");
	tap_text_str(&t, tap_table_hash);
	tap_text_str(&t, ".zst");
	write_once(name, tap_table, tap_table_bytes);
}

bool tap_run_write_functions(const char *items, size_t bytes)
{
	char name[64];
	struct tap_text t;

	if (tap_seccomp)
		return false;
	tap_text_init(&t, name, sizeof name);
	tap_text_str(&t, "/functions.");
	tap_text_hex(&t, XXH3_64bits(items, bytes), 16);
	return write_once(name, items, bytes);
}
