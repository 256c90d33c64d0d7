/*
 * trace/write/run/marks.c - what a process that could not record says, so that the ledger knows of it
 *
 * Runs      on slow paths: when a trace or a stream cannot be made, at an exec, at the end of an image.
 * Must not  allocate with malloc, lock, touch errno, wait for anybody.
 *
 * A mark is a line of the run's own file. Who cannot write there (another user, a place out of reach, another root
 * directory) sends it to the launcher, which listens at a socket without a place in any file system, named by the run.
 * Who has no descriptor left for either makes a file whose name is the mark: that takes none. Without a launcher only
 * that is left, in a directory that is known to be the run's.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/plain/without.h"
#include "trace/write/room.h"
#include "trace/write/run/run.h"

/* KEY=VALUE, or KEY=WORD VALUE. */
static void put_mark(struct tap_text *t, const char *key, const char *word, const char *value)
{
	tap_text_str(t, key);
	tap_text_char(t, '=');
	if (word) {
		tap_text_str(t, word);
		tap_text_char(t, ' ');
	}
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c == '%' || c < 0x20) {
			tap_text_char(t, '%');
			tap_text_hex(t, c, 2);
		} else {
			tap_text_char(t, *value);
		}
	}
	tap_text_char(t, '\n');
}

static bool append(const struct tap_text *line)
{
	char *path;

	if (!tap_run.dir[0])
		return false;
	path = tap_scratch_take();
	tap_run_path(path, tap_run.dir, "/run");
	uint64_t mask = tap_sys_signals_block();
	int fd = tap_sys_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0);

	tap_scratch_give(path);
	bool done = fd >= 0 && tap_sys_write(fd, line->at, line->used) == (long)line->used;
	long end = done ? TAP_SYS(lseek, fd, 0, SEEK_CUR, 0, 0, 0) : 0;

	if (end > 0) {
		tap_tally_run((uint64_t)end);
		/* The image's pages may go together with the line, or it makes none. */
		if (tap_run.launched && !gc_without("told-in-page"))
			tap_lost_page_told(line->used);
	}
	if (fd >= 0)
		tap_sys_close(fd);
	tap_sys_signals_restore(mask);
	return done;
}

/* Nobody listens: then there is nobody to tell. Where many tell at once the queue may be full for a moment. */
static bool send_to_launcher(const struct tap_text *line)
{
	bool sent = false;

	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct tap_text t;
	long fd;

	if (!tap_run.launched)
		return false;
	tap_text_init(&t, to.sun_path + 1, sizeof to.sun_path - 1);
	tap_text_str(&t, "gputap-");
	tap_text_str(&t, tap_run.id);
	fd = TAP_SYS(socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
	if (fd < 0)
		return false;
	for (int tries = 0; tries < 50; tries++) {
		int64_t pause[2] = { 0, 1000000 };      /* seconds, ns */
		long err = TAP_SYS(sendto, fd, line->at, line->used, MSG_NOSIGNAL, &to,
			offsetof(struct sockaddr_un, sun_path) + 1 + t.used);

		sent = err >= 0;
		if (err != -11 /* EAGAIN */)
			break;
		TAP_SYS(nanosleep, pause, NULL, 0, 0, 0, 0);
	}
	tap_sys_close((int)fd);
	return sent;
}

/* mark.TICK.KEY.NUMBER in the run's directory. */
static bool mark_path(char path[TAP_PATH_MAX], uint64_t tick, const char *key, uint64_t number)
{
	struct tap_text t;
	char name[96];

	tap_text_init(&t, name, sizeof name);
	tap_text_str(&t, "/mark.");
	tap_text_hex(&t, tick, 16);
	tap_text_char(&t, '.');
	tap_text_str(&t, key);
	tap_text_char(&t, '.');
	tap_text_u64(&t, number);
	if (gc_without("mark-names"))
		return false;
	if (tap_run.launched)
		return tap_run_name_path(path, 1, name);
	tap_run_path(path, tap_run.dir, name);
	return tap_run.dir[0];
}

static uint32_t said_by;                /* process that said `failed`: once each */
static uint32_t failed_is_told;         /* 1: and was heard */

/*
 * Calls that were counted in no page stand in the name of a mark as well, so that a kill keeps them: each of the first,
 * and then once in about a millisecond (on every clock), for each takes a few system calls. Of one process; a forked
 * child begins its own.
 */
static struct {
	uint32_t pid;                   /* whose it is; 0: nobody's */
	uint32_t busy;                  /* a thread is at it, with signals blocked */
	bool in_page;                   /* no name can be written, but a page of the parent's or the run's */
	bool owed;                      /* less one, which a reader counts while the image has no stream */
	bool lost;                      /* its key; the first one of an image without a stream is `unrecorded` */
	uint64_t tick, said;            /* its name: when it was made, and the number; 0: there is none */
	uint64_t taken;                 /* what marks before it said, which the launcher has taken */
	uint64_t next_tick;             /* when it is due again */
} count;
static char count_at[TAP_PATH_MAX], count_to[TAP_PATH_MAX]; /* of who is at it: a small stack has no room for them */

enum { COUNT_EACH = 1000, COUNT_WAIT = 1 << 21 };

static bool count_path(char path[TAP_PATH_MAX], uint64_t n)
{
	return mark_path(path, count.tick, count.lost ? "lost" : "unrecorded", n);
}

static bool rename_count(uint64_t to)
{
	long err = -2;

	if (count_path(count_at, count.said) && count_path(count_to, to))
		err = TAP_SYS(renameat, AT_FDCWD, count_at, AT_FDCWD, count_to, 0, 0);
	/* The launcher has it, or it is out of reach: what comes is told elsewhere. */
	if (err == -2 /* ENOENT */) {
		count.taken += count.said;
		count.said = 0;
	}
	return err == 0;
}

/*
 * In another root directory, or without room for a name. That this process failed counts as a call, if it could be
 * said; so does a folder without a stream.
 */
static void count_in_page(void)
{
	bool folder = TAP_READ_ONCE(tap_gate->alive) && !TAP_READ_ONCE(tap_gate->started) && !count.taken;

	if (!tap_lost_to_page(count.taken + failed_is_told + folder) && (!tap_lost_page_find(count_at) ||
		!tap_lost_to_page(count.taken + failed_is_told + folder)))
		return;
	count.in_page = true;
	count.owed = folder;
	count.taken = failed_is_told = 0;
}

static void count_in_name(uint64_t calls)
{
	bool done = count.said && rename_count(calls - count.taken);

	if (!count.said) {
		count.tick = tap_tick();
		count.lost = count.taken || TAP_READ_ONCE(tap_gate->started);
		done = count_path(count_at, calls - count.taken) &&
			TAP_SYS(mknodat, AT_FDCWD, count_at, S_IFREG | 0600, 0, 0, 0) == 0;
	}
	if (done)
		count.said = calls - count.taken;
	else if (!count.said)
		count_in_page();
}

/* What marks in names say: not to be said again. */
static uint64_t counted(void) { return count.pid == tap_sys_getpid() ? count.taken + count.said : 0; }

static void count_now(void)
{
	if ((!tap_run.launched && !tap_run.dir[0]) || tap_seccomp || !tap_lost_nowhere() || gc_without("mark-counts"))
		return;
	uint64_t mask = tap_sys_signals_block();

	if (!__atomic_exchange_n(&count.busy, 1, __ATOMIC_ACQUIRE)) {   /* else its calls are left to the next one */
		if (!count.pid)
			count.pid = tap_sys_getpid();
		if (count.pid == tap_sys_getpid() && tap_lost_nowhere() > counted())
			count_in_name(tap_lost_nowhere());
		count.next_tick = tap_tick() + COUNT_WAIT;
		__atomic_store_n(&count.busy, 0, __ATOMIC_RELEASE);
	}
	tap_sys_signals_restore(mask);
}

void tap_run_count_unrecorded(void)
{
	uint64_t said = TAP_READ_ONCE(count.said);

	if (TAP_READ_ONCE(count.in_page))
		tap_lost_to_page(0);
	else if ((said && said <= COUNT_EACH) || tap_tick() >= TAP_READ_ONCE(count.next_tick))
		count_now();
}

uint64_t tap_run_count_adopted(void)
{
	if (!counted())
		return 0;
	while (__atomic_exchange_n(&count.busy, 1, __ATOMIC_ACQUIRE))    /* another thread: microseconds */
		TAP_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
	/* What is not there any more the launcher has taken: it was over when this process was not. */
	if (count.said && count_path(count_at, count.said) &&
		TAP_SYS(unlinkat, AT_FDCWD, count_at, 0, 0, 0, 0) == -2 /* ENOENT */)
		count.taken += count.said;
	uint64_t taken = count.taken;

	count.said = count.taken = 0;
	__atomic_store_n(&count.busy, 0, __ATOMIC_RELEASE);
	return gc_without("taken-marks") ? 0 : taken;
}

uint64_t tap_run_count_owed(void) { return __atomic_exchange_n(&count.owed, false, __ATOMIC_RELAXED); }

void tap_run_count_forget(void)
{
	__builtin_memset(&count, 0, sizeof count);
	failed_is_told = 0;
}

/* Of a text only that it was said. */
static bool name_it(const char *key, const char *value)
{
	char *path = tap_scratch_take();
	uint64_t number = 0;
	bool digits = *value, done;

	for (const char *c = value; *c; c++) {
		digits &= *c >= '0' && *c <= '9';
		number = number * 10 + (uint64_t)(*c - '0');
	}
	done = path && mark_path(path, tap_tick(), key, digits ? number : 0) &&
		TAP_SYS(mknodat, AT_FDCWD, path, S_IFREG | 0600, 0, 0, 0) == 0;
	tap_scratch_give(path);
	return done;
}

struct mark {
	const char *key, *word, *value; /* word: or NULL */
	bool said;
};

static void say_it(void *what)
{
	struct mark *m = what;
	char *line = tap_scratch_take();
	struct tap_text t;

	tap_text_init(&t, line, TAP_PATH_MAX);
	put_mark(&t, m->key, m->word, m->value);
	m->said = (line && ((!tap_run_is_elsewhere() && append(&t)) || send_to_launcher(&t))) ||
		name_it(m->key, m->value);
	tap_scratch_give(line);
}

static bool say(const char *key, const char *word, const char *value)
{
	struct mark m = { key, word, value, false };
	uint64_t mask = tap_sys_signals_block();

	tap_with_room(say_it, &m);
	tap_sys_signals_restore(mask);
	return m.said;
}

static bool say_number(const char *key, uint64_t n)
{
	char value[32];
	struct tap_text t;

	tap_text_init(&t, value, sizeof value);
	tap_text_u64(&t, n);
	return say(key, NULL, value);
}

void tap_run_say_failed(void)
{
	uint32_t pid = tap_sys_getpid();

	/* A page that the parent mapped counts all of it. */
	if (said_by == pid || tap_lost_page())
		return;
	said_by = pid;
	failed_is_told = say_number("failed", pid);
}

/*
 * Not to the launcher: of what lies in `other`, and is another user's, the end of the process tells alone. What was
 * counted before an attempt that succeeds comes into its stream, so `failed` must not count any more.
 */
void tap_run_say_made(void)
{
	char line[128];
	struct tap_text t;

	tap_text_init(&t, line, sizeof line);
	if (!gc_without("made-mark"))
		put_mark(&t, "made", NULL, tap_run.image_name);
	if (said_by == tap_sys_getpid() && !count.in_page && !gc_without("retried-mark"))
		put_mark(&t, "retried", NULL, tap_run.image_name);
	append(&t);
	said_by = failed_is_told = 0;
}

void tap_run_say_unrecorded(void)
{
	/* Of an image without any stream, or without a directory, a reader counts one call by itself. */
	count_now();
	uint64_t said = counted(), calls = tap_lost_nowhere();

	if (calls > said)
		say_number(TAP_READ_ONCE(tap_gate->started) || said || count.in_page ? "lost" : "unrecorded",
			calls - said);
}

static void find_run(void *unused)
{
	(void)unused;
	if (!tap_run_find())
		tap_run.dir[0] = 0;
}

/* Under a launcher, of an image that recorded nothing: a line of the run that it belongs to. */
static void say_to_run(const char *key, const char *word, const char *value)
{
	if (!tap_run.launched || !tap_ready || tap_seccomp)
		return;
	uint64_t mask = tap_sys_signals_block();

	tap_with_room(find_run, NULL);
	say(key, word, value);
	tap_sys_signals_restore(mask);
}

static const char *key_of(enum tap_fate fate)
{
	static const char *const keys[] = { [TAP_CLEANED] = "unfollowed", [TAP_UNREACHABLE] = "unreachable",
		[TAP_STATIC] = "started", [TAP_UNSEEN] = "started",
		[TAP_UNAUDITED] = "started" };

	return keys[fate];
}

void tap_run_say_started(const struct tap_started *s)
{
	const char *path = s->program ? s->program : "?";

	if (s->fate == TAP_FOLLOWED || (s->fate == TAP_CLEANED && gc_without("unfollowed")))
		return;
	say_to_run(key_of(s->fate), s->fate == TAP_CLEANED ? NULL : s->fate == TAP_UNSEEN ? "unseen" : s->word, path);
}

void tap_run_say_cuda_runtime(const char *name) { say_to_run("cuda_runtime", NULL, name); }

struct while_made { const char *key; uint64_t tick; bool remove, done; uint32_t pid; };

static void mark_while_made(void *what)
{
	struct while_made *m = what;
	char *path = tap_scratch_take();
	bool named = path && mark_path(path, m->tick, m->key, m->pid ? m->pid : tap_sys_getpid());

	if (named && m->remove)
		m->done = tap_sys_unlink(path, 0) == 0;
	else if (named)
		m->done = TAP_SYS(mknodat, AT_FDCWD, path, S_IFREG | 0600, 0, 0, 0) == 0;
	tap_scratch_give(path);
}

uint64_t tap_run_mark_unfollowed(enum tap_fate fate)
{
	struct while_made m = { .key = key_of(fate), .tick = tap_tick() };

	if (!tap_run.launched || !tap_ready || tap_seccomp || gc_without("spawn-mark"))
		return 0;
	uint64_t mask = tap_sys_signals_block();

	tap_with_room(mark_while_made, &m);
	tap_sys_signals_restore(mask);
	return m.done ? m.tick : 0;
}

void tap_run_unmark_unfollowed(enum tap_fate fate, uint64_t mark)
{
	struct while_made m = { .key = key_of(fate), .tick = mark, .remove = true };

	if (tap_seccomp)
		return;
	uint64_t mask = tap_sys_signals_block();

	tap_with_room(mark_while_made, &m);
	tap_sys_signals_restore(mask);
}

bool tap_run_mark_awaited(struct tap_awaited *a)
{
	struct while_made m = { .key = "awaited", .tick = tap_tick(), .pid = tap_sys_getpid() };

	if (!tap_run.launched || !tap_ready || tap_seccomp || gc_without("awaits"))
		return false;
	uint64_t mask = tap_sys_signals_block();

	tap_with_room(mark_while_made, &m);
	tap_sys_signals_restore(mask);
	*a = (struct tap_awaited){ .mark = m.done ? m.tick : 0, .pid = m.pid };
	return m.done;
}

static void send_heard(void *what)
{
	char line[TAP_AWAITED_BYTES + 16], value[TAP_AWAITED_BYTES];
	struct tap_text t;

	tap_awaited_write(*(struct tap_awaited *)what, value);
	tap_text_init(&t, line, sizeof line);
	put_mark(&t, "heard", NULL, value);
	send_to_launcher(&t);
}

/* In another root directory, or by another user, the mark is out of reach: the launcher takes it away. */
void tap_run_unmark_awaited(struct tap_awaited a, bool heard)
{
	struct while_made m = { .key = "awaited", .tick = a.mark, .pid = a.pid, .remove = true };

	if (tap_seccomp)
		return;
	uint64_t mask = tap_sys_signals_block();

	tap_with_room(mark_while_made, &m);
	if (heard && !m.done)
		tap_with_room(send_heard, &a);
	tap_sys_signals_restore(mask);
}

/* What "/" is to this process: it may have another root directory than when its own was made. */
static uint64_t root_directory(void)
{
	struct stat st;

	if (TAP_SYS(newfstatat, AT_FDCWD, "/", &st, 0, 0, 0) != 0)
		return 0;
	return (uint64_t)st.st_ino ^ (uint64_t)st.st_dev << 32;
}

static uint64_t first_root;

void tap_run_check_begin(void) { first_root = root_directory(); }

void tap_run_check_image(void)
{
	uint32_t files;

	if (tap_seccomp || root_directory() != first_root)
		return;
	if (TAP_SYS(faccessat, AT_FDCWD, tap_run_first_dir(), 0, 0, 0, 0) == -2 /* ENOENT */)
		say_number("removed", tap_sys_getpid());
	else if ((files = tap_space_files_removed()))
		say_number("removed_files", files);
}

void tap_run_notes(void)
{
	tap_run_name_note();
	if (tap_run.launched && tap_run_is_elsewhere())
		say("elsewhere", NULL, tap_run.dir);
}
