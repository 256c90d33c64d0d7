/*
 * trace/write/rundir.c - which run this image belongs to, and its directory in the trace
 *
 * Runs      init: in the constructor. open: on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * The root image of a run chooses the run id and a name and hands both on in the environment (GPUTAP_RUN_ID,
 * GPUTAP_OUTPUT, GPUTAP_ROOT_PID); a launcher does the same before the start. The first image that records makes
 * NAME.gputap, complete with its `run` file, by one rename: whoever sees the directory sees whose it is.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/utsname.h>

#include "trace/write/internal.h"

enum { EXISTS = 17, NOT_EMPTY = 39 };           /* errno values: raw calls return them negated */

extern const unsigned char tap_table[];         /* generated: the function table, compressed */
extern const size_t tap_table_bytes;
extern const char tap_table_hash[];

extern char **environ;

static char run_id[17];                 /* 16 hexadecimal digits */
static char base[TAP_PATH_MAX];         /* absolute NAME without .gputap; may hold %n */
static char run_dir[TAP_PATH_MAX];      /* .../NAME.gputap */
static char image_dir[TAP_PATH_MAX];    /* .../NAME.gputap/PID.N */
static const char *image_name = "";     /* PID.N inside image_dir */
static char parent_name[32];            /* PID.N of the image this one was forked from */
static char scratch[16384];             /* metadata on their way to a file; of the opener alone */
static uint32_t start_pid;              /* who ran the constructor */
static uint32_t root_pid;
static bool launched;                   /* a launcher stands above this run */

/* ---------------------------------------------------------------- the name */

static void put_own_name(struct tap_text *t)
{
	char path[TAP_PATH_MAX];
	long n = tap_sys_readlink("/proc/self/exe", path, sizeof path - 1);
	long start = n > 0 ? n : 0;

	while (start > 0 && path[start - 1] != '/')
		start--;
	tap_text_bytes(t, n > start ? path + start : "program", n > start ? (size_t)(n - start) : 7);
}

/* %q{VAR}: returns what stands behind the brace. */
static const char *put_variable(struct tap_text *t, const char *p)
{
	char name[128];
	struct tap_text n;

	tap_text_init(&n, name, sizeof name);
	for (p++; *p && *p != '}'; p++)
		tap_text_char(&n, *p);
	const char *value = tap_environ(name);

	if (value)
		tap_text_str(t, value);
	return *p ? p : p - 1;
}

static void put_rank(struct tap_text *t)
{
	static const char *const from[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
		"SLURM_PROCID" };

	for (unsigned i = 0; i < sizeof from / sizeof from[0]; i++) {
		const char *rank = tap_environ(from[i]);

		if (rank) {
			tap_text_str(t, rank);
			return;
		}
	}
	tap_text_char(t, '0');
}

/* Everything but %n, which is answered when the directory is made. '%' in a value would read as one: written %%. */
static void expand(struct tap_text *t, const char *pattern)
{
	struct utsname host;

	for (const char *p = pattern; *p; p++) {
		size_t from = t->used;

		if (*p != '%' || !p[1]) {
			tap_text_char(t, *p);
			continue;
		}
		switch (*++p) {
		case 'p': tap_text_u64(t, root_pid); continue;
		case 'h':
			if (TAP_SYS(uname, &host, 0, 0, 0, 0, 0) == 0)
				tap_text_str(t, host.nodename);
			continue;
		case 'i': put_own_name(t); break;
		case 'r': put_rank(t); break;
		case 'q':
			if (p[1] == '{') {
				p = put_variable(t, p + 1);
				break;
			}
			/* fall through */
		default:                        /* %n, %% and what nobody knows stay */
			tap_text_char(t, '%');
			tap_text_char(t, *p);
			continue;
		}
		for (size_t i = from; i < t->used; i++)
			if (t->at[i] == '%')
				t->at[i] = '_';
	}
}

/* Text in which '%' means itself. */
static void put_literally(struct tap_text *t, const char *s)
{
	for (; *s; s++) {
		tap_text_char(t, *s);
		if (*s == '%')
			tap_text_char(t, '%');
	}
}

static void make_base(const char *pattern)
{
	struct tap_text t;

	tap_text_init(&t, base, sizeof base);
	if (pattern[0] != '/') {
		char here[TAP_PATH_MAX];
		long n = TAP_SYS(getcwd, here, sizeof here, 0, 0, 0, 0);

		put_literally(&t, n > 1 ? here : "");
		tap_text_char(&t, '/');
	}
	if (launched)
		put_literally(&t, pattern);     /* the launcher has expanded it */
	else
		expand(&t, pattern);
}

/* --------------------------------------------------------- the environment */

/* Puts three lines in front of the environment's own, without the allocator: programs may bring their own. */
static void hand_on(void)
{
	static char id_line[32], output_line[TAP_PATH_MAX + 16], root_line[32];
	size_t n = 0;
	struct tap_text t;

	while (environ && environ[n])
		n++;
	char **fresh =
		tap_sys_mmap(NULL, (n + 4) * sizeof *fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!fresh)
		return;
	tap_text_init(&t, id_line, sizeof id_line);
	tap_text_str(&t, "GPUTAP_RUN_ID=");
	tap_text_str(&t, run_id);
	tap_text_init(&t, output_line, sizeof output_line);
	tap_text_str(&t, "GPUTAP_OUTPUT=");
	tap_text_str(&t, base);
	tap_text_init(&t, root_line, sizeof root_line);
	tap_text_str(&t, "GPUTAP_ROOT_PID=");
	tap_text_u64(&t, root_pid);
	size_t to = 0;

	fresh[to++] = id_line;
	fresh[to++] = output_line;
	fresh[to++] = root_line;
	for (size_t i = 0; i < n; i++)
		if (__builtin_strncmp(environ[i], "GPUTAP_OUTPUT=", 14) != 0)
			fresh[to++] = environ[i];
	environ = fresh;
}

static void make_run_id(void)
{
	uint64_t id = 0;
	struct tap_text t;

	if (TAP_SYS(getrandom, &id, sizeof id, 1 /* GRND_NONBLOCK */, 0, 0, 0) != sizeof id)
		id = tap_tick() * 0x9e3779b97f4a7c15ull ^ (uint64_t)start_pid << 32;
	tap_text_init(&t, run_id, sizeof run_id);
	tap_text_hex(&t, id, 16);
}

void tap_run_init(void)
{
	const char *id = tap_environ("GPUTAP_RUN_ID"), *root = tap_environ("GPUTAP_ROOT_PID");
	struct tap_text t;

	start_pid = root_pid = tap_sys_getpid();
	launched = tap_environ("GPUTAP_LAUNCHER") != NULL;
	if (id && tap_text_length(id) == 16) {
		tap_text_init(&t, run_id, sizeof run_id);
		tap_text_str(&t, id);
		for (root_pid = 0; root && *root >= '0' && *root <= '9'; root++)
			root_pid = root_pid * 10 + (uint32_t)(*root - '0');
		make_base(tap_option("output"));
		return;
	}
	make_run_id();
	make_base(tap_option("output"));
	hand_on();
}

bool tap_run_is_root(void) { return !launched && root_pid == tap_sys_getpid(); }

/* ---------------------------------------------------------- the run's directory */

/* base with %n answered, behind it "-n" for the second and later tries when there is no %n, ".gputap", `tail`. */
static bool path_for(char *to, uint32_t n, const char *tail)
{
	struct tap_text t;
	bool numbered = false;
	size_t length = tap_text_length(base);
	static const char suffix[] = ".gputap";

	if (length > 7 && tap_text_equal(base + length - 7, suffix))
		length -= 7;
	tap_text_init(&t, to, TAP_PATH_MAX);
	for (size_t i = 0; i < length; i++) {
		if (base[i] == '%' && i + 1 < length && base[i + 1] == 'n') {
			tap_text_u64(&t, n);
			numbered = true;
			i++;
		} else {
			tap_text_char(&t, base[i]);
			i += base[i] == '%' && i + 1 < length && base[i + 1] == '%';
		}
	}
	if (!numbered && n > 1) {
		tap_text_char(&t, '-');
		tap_text_u64(&t, n);
	}
	tap_text_str(&t, suffix);
	tap_text_str(&t, tail);
	return t.used + 64 < t.size;
}

/* path = dir + tail */
static void append(char *path, const char *dir, const char *tail)
{
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, dir);
	tap_text_str(&t, tail);
}

/* Whether the `run` file in dir names this run. */
static bool is_this_run(const char *dir)
{
	char path[TAP_PATH_MAX];

	append(path, dir, "/run");
	int fd = tap_sys_open(path, O_RDONLY | O_NOFOLLOW, 0);

	if (fd < 0)
		return false;
	long n = tap_sys_read(fd, scratch, sizeof scratch - 1);

	tap_sys_close(fd);
	scratch[n > 0 ? n : 0] = 0;
	const char *at = __builtin_strstr(scratch, "run_id=");

	return at && (at == scratch || at[-1] == '\n') && __builtin_strncmp(at + 7, run_id, 16) == 0;
}

/* ---- metadata: key=value lines ---- */

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

static void put_link(struct tap_text *t, const char *key, const char *link)
{
	char path[TAP_PATH_MAX];
	long n = tap_sys_readlink(link, path, sizeof path);

	put_key(t, key);
	put_value(t, path, n > 0 ? (size_t)n : 0);
	tap_text_char(t, '\n');
}

/* One "arg" line for each word of the command line; a very long one is cut. */
static void put_arguments(struct tap_text *t)
{
	char line[4096];
	int fd = tap_sys_open("/proc/self/cmdline", O_RDONLY, 0);
	long n = fd < 0 ? 0 : tap_sys_read(fd, line, sizeof line - 1);

	if (fd >= 0)
		tap_sys_close(fd);
	if (n <= 0)
		return;
	line[n] = 0;
	for (long i = 0; i < n; i += (long)tap_text_length(line + i) + 1)
		put_line(t, "arg", line + i);
}

static void put_first_line_of(struct tap_text *t, const char *key, const char *path)
{
	char line[128];
	int fd = tap_sys_open(path, O_RDONLY, 0);
	long n = fd < 0 ? 0 : tap_sys_read(fd, line, sizeof line);

	if (fd >= 0)
		tap_sys_close(fd);
	while (n > 0 && line[n - 1] == '\n')
		n--;
	put_key(t, key);
	put_value(t, line, n > 0 ? (size_t)n : 0);
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
	char path[TAP_PATH_MAX];
	bool ok = true;

	append(path, dir, tail);
	int fd = tap_sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);

	if (fd < 0)
		return false;
	for (size_t at = 0; ok && at < bytes;) {
		long n = tap_sys_write(fd, (const char *)data + at, bytes - at);

		ok = n > 0;
		at += ok ? (size_t)n : 0;
	}
	tap_sys_close(fd);
	return ok;
}

static bool write_run_file(const char *dir)
{
	struct tap_clock_set c;
	struct utsname host;
	struct tap_text t;

	tap_text_init(&t, scratch, sizeof scratch);
	put_number(&t, "format", REC_VERSION);
	put_line(&t, "run_id", run_id);
	if (TAP_SYS(uname, &host, 0, 0, 0, 0, 0) == 0)
		put_line(&t, "host", host.nodename);
	put_number(&t, "user", (uint64_t)TAP_SYS(getuid, 0, 0, 0, 0, 0, 0));
	put_link(&t, "cwd", "/proc/self/cwd");
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
	return write_file(dir, "/run", t.at, t.used);
}

/* Removes a directory of two levels; what else may lie in it stays, and keeps it. */
static void remove_tree(const char *dir, int levels)
{
	struct entry { uint64_t inode; int64_t next; uint16_t bytes; uint8_t type; char name[]; };
	char names[2048] __attribute__((aligned(8)));
	int fd = tap_sys_open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	long n;

	if (fd < 0)
		return;
	while ((n = TAP_SYS(getdents64, fd, names, sizeof names, 0, 0, 0)) > 0)
		for (long at = 0; at < n; at += ((struct entry *)(names + at))->bytes) {
			struct entry *e = (struct entry *)(names + at);

			if (tap_text_equal(e->name, ".") || tap_text_equal(e->name, ".."))
				continue;
			if (TAP_SYS(unlinkat, fd, e->name, 0, 0, 0, 0) == 0 || !levels)
				continue;
			char path[TAP_PATH_MAX];
			struct tap_text t;

			tap_text_init(&t, path, sizeof path);
			tap_text_str(&t, dir);
			tap_text_char(&t, '/');
			tap_text_str(&t, e->name);
			remove_tree(path, levels - 1);
		}
	tap_sys_close(fd);
	tap_sys_unlink(dir, AT_REMOVEDIR);
}

/*
 * Only what looks like a trace is replaced, and it is moved aside first: a reader never sees half of it under its name.
 */
static void replace(const char *dir)
{
	char path[TAP_PATH_MAX];

	append(path, dir, "/run");
	int fd = tap_sys_open(path, O_RDONLY | O_NOFOLLOW, 0);

	if (fd < 0)
		return;
	tap_sys_close(fd);
	struct tap_text t;

	tap_text_init(&t, path, sizeof path);
	tap_text_str(&t, dir);
	tap_text_str(&t, ".old-");
	tap_text_str(&t, run_id);
	if (tap_sys_rename_new(dir, path) == 0)
		remove_tree(path, 1);
}

/* Makes the directory under a name of its own and moves it to its place when it can be recognised. */
static int make_run_dir(const char *dir)
{
	char path[TAP_PATH_MAX];
	struct tap_text t;

	tap_text_init(&t, path, sizeof path);
	tap_text_str(&t, dir);
	tap_text_str(&t, ".new-");
	tap_text_u64(&t, tap_sys_getpid());
	int err = tap_sys_mkdir(path, 0777);

	if (err < 0 && err != -EXISTS)
		return err;
	err = write_run_file(path) ? tap_sys_rename_new(path, dir) : -1;
	if (err < 0)
		remove_tree(path, 0);
	return err;
}

static bool find_run_dir(void)
{
	for (uint32_t n = 1; n < 100000; n++) {
		if (!path_for(run_dir, n, ""))
			return false;
		if (TAP_SYS(faccessat, AT_FDCWD, run_dir, 0, 0, 0, 0) == 0) {
			if (is_this_run(run_dir))
				return true;
			if (!tap_options.force)
				continue;
			replace(run_dir);
		}
		int err = make_run_dir(run_dir);

		if (err == 0 || is_this_run(run_dir))   /* another image of this run may have been quicker */
			return true;
		if (err != -EXISTS && err != -NOT_EMPTY)
			return false;                   /* not writable, no such place, disk full */
	}
	return false;
}

bool tap_run_find(void)
{
	if (tap_gate->alive)
		return true;
	for (uint32_t n = 1; n < 100000; n++) {
		if (!path_for(run_dir, n, "") || TAP_SYS(faccessat, AT_FDCWD, run_dir, 0, 0, 0, 0) < 0)
			return false;
		if (is_this_run(run_dir))
			return true;
	}
	return false;
}

/* -------------------------------------------------------- the image's directory */

static void write_table(void)
{
	char name[64], temporary[TAP_PATH_MAX], final[TAP_PATH_MAX];
	struct tap_text t;

	tap_text_init(&t, name, sizeof name);
	tap_text_str(&t, "/table.");
	tap_text_str(&t, tap_table_hash);
	tap_text_str(&t, ".zst");
	append(final, run_dir, name);
	if (TAP_SYS(faccessat, AT_FDCWD, final, 0, 0, 0, 0) == 0)
		return;
	append(temporary, image_dir, "/table.new");
	if (write_file(image_dir, "/table.new", tap_table, tap_table_bytes))
		tap_sys_rename_new(temporary, final);
	tap_sys_unlink(temporary, 0);
}

static bool make_image_dir(uint32_t *n)
{
	uint32_t pid = tap_sys_getpid();
	struct tap_text t;
	int err = -EXISTS;

	for (*n = 1; err == -EXISTS && *n < 1000000; (*n)++) {
		tap_text_init(&t, image_dir, sizeof image_dir);
		tap_text_str(&t, run_dir);
		tap_text_char(&t, '/');
		image_name = image_dir + t.used;
		tap_text_u64(&t, pid);
		tap_text_char(&t, '.');
		tap_text_u64(&t, *n);
		err = tap_sys_mkdir(image_dir, 0777);
	}
	(*n)--;
	return err == 0;
}

static void write_meta(uint32_t n)
{
	struct utsname host;
	struct tap_text t;
	bool forked = tap_sys_getpid() != start_pid;

	tap_text_init(&t, scratch, sizeof scratch);
	put_number(&t, "format", REC_VERSION);
	put_line(&t, "byte_order", __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big");
	put_line(&t, "run_id", run_id);
	put_first_line_of(&t, "boot_id", "/proc/sys/kernel/random/boot_id");
	if (TAP_SYS(uname, &host, 0, 0, 0, 0, 0) == 0) {
		put_line(&t, "host", host.nodename);
		put_line(&t, "os", host.release);
		put_line(&t, "arch", host.machine);
	}
	put_number(&t, "pid", tap_sys_getpid());
	put_number(&t, "ppid", (uint64_t)TAP_SYS(getppid, 0, 0, 0, 0, 0, 0));
	put_link(&t, "ns_pid", "/proc/self/ns/pid");
	put_link(&t, "image", "/proc/self/exe");
	put_link(&t, "cwd", "/proc/self/cwd");
	put_line(&t, "reason", forked ? "fork" : n > 1 ? "exec" : "start");
	if (forked && parent_name[0])
		put_line(&t, "parent", parent_name);
	put_line(&t, "clock_source", tap_clock_source());
	put_line(&t, "table", tap_table_hash);
	put_number(&t, "start_tick", tap_start_tick);
	put_options(&t);
	put_environment(&t);
	put_arguments(&t);              /* last: the longest, and the one that may be cut */
	write_file(image_dir, "/meta", t.at, t.used);
}

/* The run's own file says once a process that this one has no directory: nothing else would tell a reader. */
static void say_failed(void)
{
	static uint32_t said_by;
	uint32_t pid = tap_sys_getpid();
	char line[32], path[TAP_PATH_MAX];
	struct tap_text t;

	if (said_by == pid)
		return;
	said_by = pid;
	append(path, run_dir, "/run");
	int fd = tap_sys_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0);

	if (fd < 0)
		return;
	tap_text_init(&t, line, sizeof line);
	put_number(&t, "failed", pid);
	tap_sys_write(fd, line, t.used);
	tap_sys_close(fd);
}

static bool open_image(void)
{
	uint32_t n;

	if (!find_run_dir())
		return false;
	if (!make_image_dir(&n)) {
		say_failed();
		return false;
	}
	write_meta(n);
	write_table();
	return true;
}

bool tap_run_open(void)
{
	uint64_t state = TAP_RUN_NONE;

	if (__atomic_compare_exchange_n(
		    &tap_gate->run_state, &state, TAP_RUN_OPENING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		if (image_dir[0]) {             /* opened before, and the word is wiped: this is a child */
			tap_streams_forget();
			struct tap_text t;

			tap_text_init(&t, parent_name, sizeof parent_name);
			tap_text_str(&t, image_name);
			image_dir[0] = 0;
		}
		state = open_image() ? TAP_RUN_OPEN : TAP_RUN_NONE;
		if (state == TAP_RUN_NONE)
			image_dir[0] = 0;
		__atomic_store_n(&tap_gate->alive, state == TAP_RUN_OPEN, __ATOMIC_RELAXED);
		__atomic_store_n(&tap_gate->run_state, state, __ATOMIC_RELEASE);
	}
	/* Another thread is at it, with signals blocked: milliseconds at most. */
	while ((state = __atomic_load_n(&tap_gate->run_state, __ATOMIC_ACQUIRE)) == TAP_RUN_OPENING)
		TAP_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
	return state == TAP_RUN_OPEN;
}

const char *tap_run_image_dir(void) { return image_dir; }
const char *tap_run_dir(void) { return run_dir; }
