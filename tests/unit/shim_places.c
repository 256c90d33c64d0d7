/*
 * tests/unit/shim_places.c - where the shim writes: files and folders, when the first choice cannot be had
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/shimwalk.h"
#include "tests/unit/within.h"

#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "trace/write/internal.h"

#define FN 0x400

static __attribute__((noinline)) bool one_call(uint64_t value)
{
	struct tap_call call;

	if (!tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, value, 0, 0, 0))
		return false;
	tap_call_stop(&call, 0);
	uint64_t *out = tap_call_reserve(&call, 0, 4);

	for (uint32_t i = 0; out && i < 4; i++)
		out[i] = value;
	tap_call_finish(&call);
	return out;
}

static bool exists(const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s", shim_dir, name);
	return access(path, F_OK) == 0;
}

/* ------------------------------------------------------------- long streams */

#define LONG_CALLS 300000u

static __attribute__((noinline)) bool one_callback(uint64_t value)
{
	struct tap_call inner;

	if (!tap_callback_begin(&inner, FN, REC_DOMAIN_OPENCL, value, 0, 0, 0))
		return false;
	tap_call_stop(&inner, 0);
	shared->n[0] += tap_call_reserve(&inner, 0, 4) != NULL;
	shared->n[1] += rec_link_offset(inner.link) >= 4 << 20;
	tap_call_finish(&inner);
	return true;
}

/* Files of 4 MiB at the most; one call stays open while others fill several of them. */
static int long_stream(void)
{
	struct tap_call outer;

	tap_chunk_file_end = 4 << 20;
	one_call(0);
	if (!tap_call_begin(&outer, FN, REC_DOMAIN_OPENCL, 1, 0, 0, 0))
		return 1;
	for (uint64_t n = 2; n < LONG_CALLS; n++) {
		if (!one_callback(n))
			return 2;
		if (getenv("SHIM_KILL") && n == LONG_CALLS / 2)
			kill(getpid(), SIGKILL);
	}
	tap_call_stop(&outer, 0);
	shared->n[2] = tap_call_reserve(&outer, 0, 1) != NULL;
	tap_call_finish(&outer);
	return 0;
}

/* A stream goes on in a new file before its offsets are more than links can tell, and no call is lost at the seams. */
static void a_long_stream_goes_on_in_another_file(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("long_stream"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad + w.incomplete, 0);
	assert_int_equal(shared->n[0], LONG_CALLS - 2);
	assert_int_equal(shared->n[1], 0);
	assert_int_equal(shared->n[2], 1);
	assert_int_equal(w.calls, LONG_CALLS);
	assert_true(w.files >= 4);
	assert_int_equal(w.by_type[REC_THREAD], w.files);       /* each tells whose it is */
	for (int i = 0; i < REC_SLOTS; i++)
		assert_int_equal(w.slot[i].fn, 0);
}

/* ... nor by a kill: each finished call is there, and the one that went on all the while is told once. */
static void a_killed_long_stream_is_whole(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("long_stream", "SHIM_KILL=1"), SIGKILL);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad + w.incomplete, 0);
	assert_int_equal(w.calls, shared->n[0] + 1);
	assert_int_equal(w.open_slots, 1);
}

/* --------------------------------------------------------------- --max-size */

static int forks_at_the_limit(void)
{
	int status;

	for (uint64_t n = 0; n < 100000; n++)
		shared->n[0] += one_call(n);
	pid_t pid = fork();

	if (!pid) {
		for (uint64_t n = 0; n < 1000; n++)
			shared->n[1] += one_call(n);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return 0;
}

/* --max-size counts each process' own bytes: a child of one that has used them up begins anew. */
static void a_child_of_a_full_parent_records(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("forks_at_the_limit", "GPUTAP_MAX_SIZE=600k"), 0);
	assert_within(shared->n[0], 1000, 99000);
	assert_int_equal(shared->n[1], 1000);
}

/* ----------------------------------------------------------------- contents */

static void store_text(uint64_t n, size_t bytes)
{
	static char text[60000];
	const void *part = text;
	uint64_t id[2], total;

	memset(text, 'x', sizeof text);
	snprintf(text, sizeof text, "kernel void f%lu() { }", (unsigned long)n);
	tap_blob_store(REC_BLOB_SOURCE, &part, &bytes, 1, true, id, &total);
}

/* Small contents, now and then a large one, and calls between them; n[0] is how many. */
static int contents(void)
{
	uint64_t count = strtoul(getenv("SHIM_COUNT"), NULL, 10);

	for (uint64_t n = 0; n < count; n++) {
		one_call(n);
		store_text(n, n % 100 == 99 ? 60000 : 100 + n % 4000);
		if (getenv("SHIM_KILL") && n == count / 2)
			kill(getpid(), SIGKILL);
	}
	for (uint64_t n = 0; n < 20000; n++)
		shared->n[0] += one_call(n);
	return 0;
}

/* Thousands of small programs take the room of their texts, not a block each: 2000 took 125 MiB. */
static void small_contents_share_blocks(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("contents", "SHIM_COUNT=2000"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.blobs, 2000);
	assert_int_equal(w.calls, 22000);
	assert_true(w.disk_bytes < w.blob_bytes * 3 / 2 + (4 << 20));
}

static void a_kill_between_small_contents_leaves_whole_ones(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("contents", "SHIM_COUNT=300", "SHIM_KILL=1"), SIGKILL);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.blobs, 151);
}

/* Contents leave three quarters of a limited trace to calls; what is not stored has a reason of its own. */
static void contents_do_not_use_up_a_limited_trace(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("contents", "SHIM_COUNT=2000", "GPUTAP_MAX_SIZE=4M"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.calls, 22000);
	assert_int_equal(w.lost[REC_LOSS_SIZE_CAP], 0);
	assert_within(w.blob_bytes, 500 << 10, 1 << 20);
	assert_int_equal(w.blobs + w.lost[REC_LOSS_CONTENTS_CAP], 2000);
}

/* In a ring, whose size calls use up, they have their room beside it; --max-contents says another. */
static void contents_have_room_beside_a_ring(void **state)
{
	struct walk w = { 0 }, more = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("contents", "SHIM_COUNT=2000", "GPUTAP_MAX_SIZE=4M", "GPUTAP_RING=1"), 0);
	walk_trace(&w, "t", 0);
	assert_within(w.blob_bytes, 500 << 10, 1 << 20);
	assert_int_equal(w.blobs + w.lost[REC_LOSS_CONTENTS_CAP], 2000);
	scene_place();
	assert_int_equal(RUN_SCENE("contents", "SHIM_COUNT=2000", "GPUTAP_MAX_SIZE=4M", "GPUTAP_RING=1",
		"GPUTAP_MAX_CONTENTS=100M"), 0);
	walk_trace(&more, "t", 0);
	assert_int_equal(more.blobs, 2000);
}

/* ------------------------------------------------------------------- places */

static int one(void) { return !one_call(1); }

/* The scene "one" behind a filter of system calls. 77: there are none here. */
static int filtered(struct sock_filter *f, size_t n)
{
	struct sock_fprog program = { (unsigned short)n, f };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		return 77;
	execl("/proc/self/exe", "scene", "one", (char *)NULL);
	return 98;
}

/* The same where one call is answered so, and all others are let through. */
static int one_behind(unsigned number, unsigned answer)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return filtered(f, sizeof f / sizeof *f);
}

/* No directory can be renamed, as on an overlay without extended attributes. */
static int without_renames(void)
{
	return one_behind(SYS_renameat2, SECCOMP_RET_ERRNO | EXDEV);
}

/* Where a directory cannot be renamed it is made in its place, and images of the run that come together share it. */
static void a_trace_is_made_where_nothing_can_be_renamed(void **state)
{
	struct walk w = { 0 };
	pid_t pid[8];
	int status = 0;

	(void)state;
	scene_place();
	for (int i = 0; i < 8; i++)
		pid[i] = scene_start("without_renames", "GPUTAP_RUN_ID=00000000000000ab", "GPUTAP_ROOT_PID=1", NULL);
	for (int i = 0; i < 8; i++)
		status |= scene_end(pid[i]);
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: no filter of system calls can be set here\n");
		skip();
	}
	assert_int_equal(status, 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.calls, 8);
	assert_false(exists("t-2.gputap"));
}

/* No file has room for a byte, and whoever waits dies. */
static int without_room_or_waits(void)
{
	const struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_FSIZE, &none) ? 97 : one_behind(SYS_nanosleep, SECCOMP_RET_KILL);
}

static void who_cannot_make_a_trace_does_not_wait_for_one(void **state)
{
	int status;

	(void)state;
	scene_place();
	status = RUN_SCENE("without_room_or_waits", "GPUTAP_RUN_ID=00000000000000ab", "GPUTAP_ROOT_PID=1");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("skipped: no filter of system calls can be set here\n");
		skip();
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);       /* the call was not recorded */
}

/* Whoever makes the trace in its place may be met between the creation of its `run` file and its one write. */
static void who_comes_while_a_trace_is_made_waits(void **state)
{
	static const char id[] = "GPUTAP_RUN_ID=00000000000000ab";
	struct timespec pause = { 0, 50000000 };
	struct walk w = { 0 };
	static char text[65536];
	char run[PATH_MAX];
	ssize_t n;
	pid_t pid;
	int fd;

	(void)state;
	scene_place();
	snprintf(run, sizeof run, "%s/t.gputap/run", shim_dir);
	assert_int_equal(RUN_SCENE("one", id, "GPUTAP_ROOT_PID=1"), 0);
	fd = open(run, O_RDWR | O_CLOEXEC);
	n = read(fd, text, sizeof text);
	assert_true(n > 0 && n < (ssize_t)sizeof text);
	assert_int_equal(ftruncate(fd, 0), 0);
	pid = scene_start("one", id, "GPUTAP_ROOT_PID=1", NULL);
	nanosleep(&pause, NULL);
	assert_int_equal(pwrite(fd, text, (size_t)n, 0), n);
	close(fd);
	assert_int_equal(scene_end(pid), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.calls, 2);
	assert_false(exists("t-2.gputap"));
}

/* Nothing can be written, as on a full disk, but the room that streams are given. */
static int without_writes(void)
{
	return one_behind(SYS_write, SECCOMP_RET_ERRNO | ENOSPC);
}

/* A process whose facts find no room: its calls are there, and the ledger says what is not. */
static void facts_without_room_are_counted(void **state)
{
	struct walk w = { 0 };
	int status;

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("one", "GPUTAP_RUN_ID=00000000000000ab", "GPUTAP_ROOT_PID=1"), 0);
	status = RUN_SCENE("without_writes", "GPUTAP_RUN_ID=00000000000000ab", "GPUTAP_ROOT_PID=1");
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.images, 2);
	assert_int_equal(w.calls, 2);
	assert_int_equal(w.lost[REC_LOSS_FACTS_LOST], 1);
}

static int in_a_deleted_folder(void)
{
	char here[400], tmp[400];

	snprintf(here, sizeof here, "%s/gone", shim_dir);
	snprintf(tmp, sizeof tmp, "%s/tmp", shim_dir);
	if (mkdir(here, 0700) || mkdir(tmp, 0700) || chdir(here) || rmdir(here))
		return 97;
	setenv("TMPDIR", tmp, 1);
	setenv("GPUTAP_OUTPUT", "deleted-folder-test", 1);
	/* A program of its own: where it starts, it finds out itself. */
	unsetenv("GPUTAP_RUN_ID");
	unsetenv("GPUTAP_ROOT_PID");
	execl("/proc/self/exe", "scene", "one", (char *)NULL);
	return 98;
}

/* A program in a deleted folder has its trace where temporary files go, and none in the root directory. */
static void a_deleted_folder_s_trace_is_no_root_s(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("in_a_deleted_folder"), 0);
	assert_int_not_equal(access("/deleted-folder-test.gputap", F_OK), 0);
	walk_trace(&w, "tmp/deleted-folder-test", 0);
	assert_int_equal(w.calls, 1);
	assert_int_equal(w.by_type[REC_NOTE], 1);
}

/* Two containers have the same pids: what one has begun under such a name is not the other's to use or remove. */
static int after_a_namesake(void)
{
	char path[400];

	snprintf(path, sizeof path, "%s/t.gputap.new-%d", shim_dir, (int)getpid());
	if (mkdir(path, 0700))
		return 97;
	strcat(path, "/run");
	close(open(path, O_CREAT | O_WRONLY, 0600));
	return one() || access(path, F_OK);
}

static void unfinished_directories_do_not_meet(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("after_a_namesake"), 0);
	assert_true(exists("t.gputap"));
}

#define TAKEN 3u

/* An unfinished trace's folder: T.gputap.RUN-RANDOM.part, with 16 digits each. */
static bool is_unfinished(const char *path)
{
	size_t n = strlen(path);

	return n > 46 && !memcmp(path + n - 46, ".gputap.", 8) && path[n - 22] == '-' && !strcmp(path + n - 5, ".part");
}

/* Answers a call of mkdirat: the first names are taken. n[0]: names tried, n[1]: those that had been tried before. */
static bool answer(int listener)
{
	static char tried[8][400];
	struct seccomp_notif asked = { 0 };
	struct seccomp_notif_resp reply = { 0 };
	char path[400] = "";

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
		return false;
	struct iovec to = { path, sizeof path - 1 }, from = { (void *)(uintptr_t)asked.data.args[1], sizeof path - 1 };

	process_vm_readv((pid_t)asked.pid, &to, 1, &from, 1, 0);
	reply.id = asked.id;
	reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (is_unfinished(path) && shared->n[0] < 8) {
		for (uint64_t i = 0; i < shared->n[0]; i++)
			shared->n[1] += !strcmp(tried[i], path);
		strcpy(tried[shared->n[0]++], path);
		if (shared->n[0] <= TAKEN)
			reply = (struct seccomp_notif_resp){ .id = asked.id, .error = -EEXIST };
	}
	return !ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

/* The scene "one" in a child, whose calls of mkdirat this process answers; they have one table of descriptors. */
static int where_names_are_taken(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof f / sizeof *f, f };
	struct pollfd listener = { .events = POLLIN };
	int status;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)                                    /* an emulator that knows forks and threads alone */
		return 77;
	if (!pid) {
		long fd = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -1
			: syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);

		if (fd < 0)
			_exit(77);
		shared->n[2] = (uint64_t)fd;
		execl("/proc/self/exe", "scene", "one", (char *)NULL);
		_exit(98);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		listener.fd = shared->n[2] ? (int)shared->n[2] : -1;
		if (poll(&listener, 1, 10) > 0 && (listener.revents & POLLIN) && !answer(listener.fd)) {
			kill(pid, SIGKILL);             /* a kernel that cannot let it go on */
			return 77;
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

/* A name that is taken is not used but another one is tried, which nobody can tell from the one before. */
static void a_name_that_is_taken_is_left(void **state)
{
	struct walk w = { 0 };
	int status;

	(void)state;
	scene_place();
	status = RUN_SCENE("where_names_are_taken");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("skipped: calls of the system cannot be answered here\n");
		skip();
	}
	assert_int_equal(shared->n[1], 0);
	assert_int_equal(shared->n[0], TAKEN + 1);
	assert_int_equal(status, 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.calls, 1);
}

/* By its contents, not by its name, is a trace known; and what holds something else stays whole. */
static void only_a_trace_is_replaced(void **state)
{
	char path[400];

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("one"), 0);
	snprintf(path, sizeof path, "%s/t.gputap/thesis", shim_dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(RUN_SCENE("one", "GPUTAP_FORCE=1"), 0);
	assert_true(exists("t.gputap/thesis") && exists("t.gputap/run") && exists("t-2.gputap"));
	unlink(path);
	assert_int_equal(RUN_SCENE("one", "GPUTAP_FORCE=1"), 0);
	assert_false(exists("t-3.gputap"));
}

static mode_t mode_of(const char *name)
{
	struct stat st = { 0 };
	char path[400];

	snprintf(path, sizeof path, "%s/%s", shim_dir, name);
	stat(path, &st);
	return st.st_mode & 07777;
}

static int one_with_umask(void)
{
	umask((mode_t)strtoul(getenv("SHIM_UMASK"), NULL, 8));
	shared->n[0] = (uint64_t)getpid();
	return one();
}

/* A trace is its maker's alone, whatever the umask: others pass through it only where root's run may need it. */
static void a_trace_is_its_maker_s(void **state)
{
	static const char *const masks[] = { "SHIM_UMASK=0", "SHIM_UMASK=0777" };
	mode_t folder = geteuid() ? 0700 : 0711;
	char name[64];

	(void)state;
	for (int i = 0; i < 2; i++) {
		scene_place();
		assert_int_equal(RUN_SCENE("one_with_umask", masks[i]), 0);
		assert_int_equal(mode_of("t.gputap"), folder);
		assert_int_equal(mode_of("t.gputap/run"), 0600);
		snprintf(name, sizeof name, "t.gputap/%d.1", (int)shared->n[0]);
		assert_int_equal(mode_of(name), 0700);
		strcat(name, "/meta");
		assert_int_equal(mode_of(name), 0600);
		strcpy(strrchr(name, '/'), "/0.str");
		assert_int_equal(mode_of(name), 0600);
		if (!geteuid())
			assert_int_equal(mode_of("t.gputap/other"), 01733);
	}
}

const struct scene scenes[] = {
	{ "long_stream", long_stream }, { "forks_at_the_limit", forks_at_the_limit }, { "one", one },
	{ "contents", contents },
	{ "without_renames", without_renames }, { "without_writes", without_writes },
	{ "without_room_or_waits", without_room_or_waits },
	{ "in_a_deleted_folder", in_a_deleted_folder },
	{ "where_names_are_taken", where_names_are_taken },
	{ "after_a_namesake", after_a_namesake }, { "one_with_umask", one_with_umask }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_stream_goes_on_in_another_file),
		cmocka_unit_test(a_killed_long_stream_is_whole),
		cmocka_unit_test(a_child_of_a_full_parent_records),
		cmocka_unit_test(small_contents_share_blocks),
		cmocka_unit_test(a_kill_between_small_contents_leaves_whole_ones),
		cmocka_unit_test(contents_do_not_use_up_a_limited_trace),
		cmocka_unit_test(contents_have_room_beside_a_ring),
		cmocka_unit_test(a_trace_is_made_where_nothing_can_be_renamed),
		cmocka_unit_test(who_comes_while_a_trace_is_made_waits),
		cmocka_unit_test(who_cannot_make_a_trace_does_not_wait_for_one),
		cmocka_unit_test(facts_without_room_are_counted),
		cmocka_unit_test(a_deleted_folder_s_trace_is_no_root_s),
		cmocka_unit_test(unfinished_directories_do_not_meet),
		cmocka_unit_test(a_name_that_is_taken_is_left),
		cmocka_unit_test(only_a_trace_is_replaced),
		cmocka_unit_test(a_trace_is_its_maker_s),
	};

	scene_main(argc, argv);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scene_clean();
	return failed;
}
