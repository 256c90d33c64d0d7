/*
 * tests/unit/shim_stream.c - what the shim writes is whole, whatever interrupts it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/shimwalk.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

#include "trace/write/process.h"

#define FN 0x400
#define FN_OTHER 0x401

static __attribute__((noinline)) bool one_call(uint32_t fn, uint64_t value, uint32_t words)
{
	struct tap_call call;

	if (!tap_call_begin(&call, fn, REC_DOMAIN_OPENCL, value, 0, 0, 0))
		return false;
	tap_call_stop(&call, 0);
	uint64_t *out = tap_call_reserve(&call, (uint32_t)value, words);

	for (uint32_t i = 0; out && i < words; i++)
		out[i] = value;
	if (out && words > TAP_CALL_WORDS_MAX)
		tap_call_keep_large(&call);
	tap_call_finish(&call);
	return true;
}

/* Each word of a complete record says the same. */
static void same_words(const uint64_t *rec, void *bad)
{
	if (rec_id(*rec) < REC_FIRST_FUNCTION)
		return;
	for (uint32_t i = rec_words(rec) > 255 ? 5 : 4; i < rec_words(rec); i++)
		*(uint64_t *)bad += rec[i] != rec[i - 1];
}

/* ------------------------------------------------------------------ storm */

static sigjmp_buf back;
static volatile bool armed;

static void put_raw(uint64_t value, uint32_t words)
{
	struct tap_stream *s = tap_stream_get();
	uint64_t link, *rec = tap_stream_reserve(s, words, &link);

	if (!rec)
		return;
	for (uint32_t i = 1; i < words; i++)
		rec[i] = value;
	tap_stream_commit(rec, rec_head(FN, words, 0, 0));
}

static void storm_handler(int signal)
{
	(void)signal;
	uint64_t n = shared->n[1];

	put_raw(n, 4 + n % 9);
	shared->n[1] = n + 1;
	if (armed && n % 7 == 0) {
		shared->n[2]++;
		siglongjmp(back, 1);
	}
}

static int storm(void)
{
	struct sigaction a = { .sa_handler = storm_handler, .sa_flags = SA_NODEFER };
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };

	put_raw(0, 4);
	shared->n[0] = 1;
	sigaction(SIGALRM, &a, NULL);
	sigaction(SIGUSR1, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sigsetjmp(back, 1);
	armed = true;
	while (shared->n[0] < 1500000) {
		uint64_t n = shared->n[0];

		put_raw(n, 3 + n % 8);
		shared->n[0] = n + 1;
		if (n % 1000 == 0)
			raise(SIGUSR1);
	}
	armed = false;
	setitimer(ITIMER_REAL, &never, NULL);
	return 0;
}

/* Signal handlers that nest in a record, and leave it by longjmp, damage none. */
static void a_storm_of_handlers_and_jumps_damages_no_record(void **state)
{
	uint64_t torn = 0;
	struct walk w = { .each = same_words, .arg = &torn };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("storm"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(torn, 0);
	/* A jump between a commit and its count repeats at most one record each. */
	assert_true(shared->n[2] > 100);
	assert_within(w.calls, shared->n[0] + shared->n[1], shared->n[0] + shared->n[1] + shared->n[2]);
	assert_within(w.incomplete, 0, shared->n[2]);
	assert_int_equal(w.lost[REC_LOSS_NO_SPACE], 0);
}

/* ------------------------------------------------------------------- kill */

static int until_killed(void)
{
	for (uint64_t n = 0; n < UINT64_MAX; n++) {
		one_call(FN, n, 1 + n % 6);
		shared->n[0] = n + 1;
	}
	return 0;
}

/* Every record that the program counted as done before a SIGKILL is in the trace. */
static void a_killed_program_loses_no_finished_record(void **state)
{
	int kills = getenv("GPUTAP_TEST_KILLS") ? atoi(getenv("GPUTAP_TEST_KILLS")) : 50;

	(void)state;
	for (int i = 0; i < kills; i++) {
		uint64_t torn = 0;
		struct walk w = { .each = same_words, .arg = &torn };

		scene_place();
		pid_t pid = scene_start("until_killed", NULL);

		while (!shared->n[0])
			usleep(50);
		usleep((useconds_t)(i * 397 % 5000));
		kill(pid, SIGKILL);
		assert_int_equal(scene_end(pid), SIGKILL);
		walk_trace(&w, "t", 0);
		assert_int_equal(w.bad, 0);
		assert_int_equal(torn, 0);
		assert_within(w.calls, shared->n[0], shared->n[0] + 1);
		assert_within(w.incomplete, 0, 1);
	}
}

static int inside_a_call(void)
{
	struct tap_call call;

	one_call(FN_OTHER, 1, 1);
	tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, 11, 22, 33, 44);
	raise(SIGKILL);
	return 0;
}

/* The call a thread was inside when it was killed is known, with its first arguments. */
static void a_killed_program_tells_the_call_it_was_in(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("inside_a_call"), SIGKILL);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.slot[0].fn, FN);
	assert_int_equal(w.slot[0].domain, REC_DOMAIN_OPENCL);
	assert_int_equal(w.slot[0].arg[3], 44);
	assert_int_equal(w.slot[1].fn, 0);
}

#define RING_CALLS 1000000u

/* Calls come in order; behind the gap that the ring left none is missing. */
struct run { uint64_t last, gaps, from; };

static void in_order(const uint64_t *rec, void *arg)
{
	struct run *r = arg;

	if (rec_id(*rec) != FN)
		return;
	if (rec[3] != r->last + 1) {
		r->gaps++;
		r->from = rec[3];
	}
	r->last = rec[3];
}

/* -------------------------------------------------------------- full disk */

static int full(void)
{
	struct rlimit limit = { 300 << 10, 300 << 10 };

	if (!getenv("SHIM_NO_LIMIT"))
		setrlimit(RLIMIT_FSIZE, &limit);
	for (uint64_t n = 0; n < 100000; n++)
		shared->n[0] += one_call(FN, n, 4);
	return 7;
}

/* A file size limit stops the recording, not the program; what is missing is counted. */
static void a_file_limit_stops_recording_and_nothing_else(void **state)
{
	struct walk w = { 0 };
	int status;

	(void)state;
	scene_place();
	status = RUN_SCENE("full");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_true(w.calls > 1000);
	assert_true(w.lost[REC_LOSS_NO_SPACE] > 1000);
	assert_int_equal(w.calls + w.lost[REC_LOSS_NO_SPACE], 100000);
	assert_int_equal(w.by_type[REC_EXIT], 1);       /* the kept 4 KiB */
}

/* So does a full disk: never SIGBUS. */
static void a_full_disk_stops_recording_and_nothing_else(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	if (mount("tmpfs", shim_dir, "tmpfs", 0, "size=1m")) {
		print_message("skipped: no right to mount a small disk\n");
		skip();
	}
	munmap(shared, sizeof *shared);
	shared_map();
	int status = RUN_SCENE("full", "SHIM_NO_LIMIT=1");
	uint64_t made = shared->n[0];

	walk_trace(&w, "t", 0);
	munmap(shared, sizeof *shared);
	shared = NULL;
	umount2(shim_dir, MNT_DETACH);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_int_equal(made, 100000);
	assert_int_equal(w.bad, 0);
	assert_true(w.lost[REC_LOSS_NO_SPACE] > 1000);
	assert_int_equal(w.calls + w.lost[REC_LOSS_NO_SPACE], 100000);
}

/* A small disk below an overlay on the trace's place; false: no right to. */
static bool overlay_on_full_disk(const char *disk)
{
	char options[1024], dir[600];

	if (mkdir(disk, 0700) || mount("tmpfs", disk, "tmpfs", 0, "size=1m"))
		return false;
	for (int i = 0; i < 3; i++) {
		snprintf(dir, sizeof dir, "%s/%s", disk, (const char *[]){ "lower", "upper", "work" }[i]);
		mkdir(dir, 0700);
	}
	snprintf(options, sizeof options, "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", disk, disk, disk);
	return mount("overlay", shim_dir, "overlay", 0, options) == 0;
}

/* Nor where the disk is full below an overlay, as in a container. */
static void a_full_disk_below_an_overlay_stops_recording_and_nothing_else(void **state)
{
	struct walk w = { 0 };
	char disk[300];
	int status = 0;

	(void)state;
	scene_place();
	snprintf(disk, sizeof disk, "%s-disk", shim_dir);
	bool mounted = overlay_on_full_disk(disk);

	if (mounted) {
		munmap(shared, sizeof *shared);
		shared_map();
		status = RUN_SCENE("full", "SHIM_NO_LIMIT=1");
		walk_trace(&w, "t", 0);
		munmap(shared, sizeof *shared);
		shared = NULL;
		umount2(shim_dir, MNT_DETACH);
	}
	umount2(disk, MNT_DETACH);
	rmdir(disk);
	if (!mounted) {
		print_message("skipped: no right to mount an overlay\n");
		skip();
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_int_equal(w.bad, 0);
	assert_true(w.calls > 1000);
	assert_true(w.lost[REC_LOSS_NO_SPACE] > 1000);
	assert_int_equal(w.calls + w.lost[REC_LOSS_NO_SPACE], 100000);
}

/* A full disk makes a ring smaller, too. */
static void a_ring_goes_on_when_the_disk_is_full(void **state)
{
	struct run r = { .last = UINT64_MAX };
	struct walk w = { .each = in_order, .arg = &r };

	(void)state;
	scene_place();
	if (mount("tmpfs", shim_dir, "tmpfs", 0, "size=3m")) {
		print_message("skipped: no right to mount a small disk\n");
		skip();
	}
	munmap(shared, sizeof *shared);
	shared_map();
	int status = RUN_SCENE("ring", "GPUTAP_MAX_SIZE=64m", "GPUTAP_RING=1");

	walk_trace(&w, "t", 0);
	munmap(shared, sizeof *shared);
	shared = NULL;
	umount2(shim_dir, MNT_DETACH);
	assert_int_equal(status, 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.calls + w.overwritten + w.lost[REC_LOSS_NO_SPACE], RING_CALLS);
	assert_true(w.overwritten > 0);
	assert_int_equal(r.last, RING_CALLS - 1);
}

/* --max-size is a limit of the trace, counted under its own name. */
static void max_size_stops_calls_and_counts_them(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	RUN_SCENE("full", "SHIM_NO_LIMIT=1", "GPUTAP_MAX_SIZE=600k");
	walk_trace(&w, "t", 0);
	assert_true(w.lost[REC_LOSS_SIZE_CAP] > 1000);
	assert_int_equal(w.calls + w.lost[REC_LOSS_SIZE_CAP], 100000);
}

/* ------------------------------------------------------------------ windows */

/* Ends where the older window is half copied: the newer one stands in its last block. */
static int half_copied(void)
{
	const struct tap_stream *s;

	do {
		one_call(FN, shared->n[0]++, 4);
		s = tap_tls.stream;
	} while (shared->n[0] < 200000 && (s->chunks < 8 || !s->copied));
	if (!s->copied)
		return 1;
	kill(getpid(), SIGKILL);
	return 2;
}

/* A kill between the two halves of a copy loses no call and doubles none. */
static void a_half_copied_window_still_counts(void **state)
{
	struct run r = { .last = UINT64_MAX };
	struct walk w = { .each = in_order, .arg = &r };

	(void)state;
	scene_place();
	int status = RUN_SCENE("half_copied");

	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.calls, shared->n[0]);
	assert_int_equal(r.gaps, 0);
}

/* Contents go to the file of the stream; it is gone while a chunk of many blocks is open. */
static int removed_amid_a_chunk(void)
{
	static char content[200000] = "source";
	const void *parts[1] = { content };
	size_t bytes[1] = { sizeof content };
	const struct rlimit most = { 10, 10 };          /* seconds; behind them it is killed: signals may be blocked */
	char command[300];
	uint64_t id[2], total;

	snprintf(command, sizeof command, "rm %s/t.gputap/*/0.str", shim_dir);
	for (uint64_t n = 0; n < 5000; n++)
		one_call(FN, n, 4);
	if (system(command) || tap_tls.stream->chunks < 3)
		return 1;
	setrlimit(RLIMIT_CPU, &most);
	tap_blob_store(REC_BLOB_SOURCE, parts, bytes, 1, true, id, &total);
	one_call(FN, 5000, 4);
	return 0;
}

/* The stream goes on in another file, from wherever it stood in its chunk. */
static void a_file_removed_amid_a_chunk_holds_nobody_up(void **state)
{
	struct walk w = { .calls = 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("removed_amid_a_chunk"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.calls, 1);
	assert_int_equal(w.lost[REC_LOSS_REMOVED], 1);
}

/* ------------------------------------------------------------------- ring */

static int ring(void)
{
	static const char fact[] = "a definition";

	for (uint64_t n = 0; n < RING_CALLS; n++) {
		one_call(FN, n, 4);
		if (n == RING_CALLS / 2)
			tap_record_text(REC_NOTE, 1, fact, sizeof fact - 1);
	}
	return 0;
}

/* A ring keeps the newest calls within its size, tells how many went, and no definition goes. */
static void a_ring_keeps_the_newest_calls(void **state)
{
	struct run r = { .last = UINT64_MAX };
	struct walk w = { .each = in_order, .arg = &r };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("ring", "GPUTAP_MAX_SIZE=4m", "GPUTAP_RING=1"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.calls + w.overwritten, RING_CALLS);
	assert_int_equal(w.lost[REC_LOSS_SIZE_CAP] + w.lost[REC_LOSS_NO_SPACE], 0);
	assert_int_equal(r.last, RING_CALLS - 1);
	assert_int_equal(r.gaps, 1);
	assert_true(RING_CALLS - r.from > 30000);  /* 56 bytes per call: about half of the 4 MB at the very least */
	assert_within(w.disk_bytes, 2 << 20, 5 << 20);
	assert_int_equal(w.by_type[REC_NOTE], 1);
	assert_true(w.by_type[REC_CLOCK] > 50);         /* one a chunk, and none went */
	assert_int_equal(w.by_type[REC_EXIT], 1);
}

/* Killed at any time a ring has each call, or has it counted. */
static void a_killed_ring_counts_what_it_overwrote(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		uint64_t torn = 0;
		struct walk w = { .each = same_words, .arg = &torn };

		scene_place();
		pid_t pid = scene_start("until_killed", "GPUTAP_MAX_SIZE=2m", "GPUTAP_RING=1", NULL);

		while (shared->n[0] < 100000)
			usleep(50);
		usleep((useconds_t)(i * 397 % 5000));
		kill(pid, SIGKILL);
		assert_int_equal(scene_end(pid), SIGKILL);
		walk_trace(&w, "t", 0);
		assert_int_equal(w.bad, 0);
		assert_int_equal(torn, 0);
		assert_true(w.overwritten > 0);
		assert_within(w.calls + w.overwritten, shared->n[0], shared->n[0] + 1);
	}
}

static pthread_barrier_t all_there;       /* so that each has a stream of its own */

static void *ring_thread(void *arg)
{
	one_call(FN_OTHER, 0, 1);
	pthread_barrier_wait(&all_there);
	for (uint64_t n = 0; n < RING_CALLS / 4; n++)
		one_call(FN, (uintptr_t)arg << 32 | n, 4);
	return NULL;
}

static int ring_threads(void)
{
	pthread_t t[4];

	pthread_barrier_init(&all_there, NULL, 4);
	for (uintptr_t round = 0; round < 2; round++) {
		for (uintptr_t i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, ring_thread, (void *)(round * 4 + i + 1));
		for (uintptr_t i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
	return 0;
}

/* The last call of each thread of the second round. */
static void last_calls(const uint64_t *rec, void *arg)
{
	if (rec_id(*rec) == FN && (uint32_t)rec[3] == RING_CALLS / 4 - 1)
		((uint64_t *)arg)[rec[3] >> 32]++;
}

/* Threads take the oldest chunks from each other: whoever wrote last is there. */
static void threads_share_a_ring(void **state)
{
	uint64_t last[9] = { 0 };
	struct walk w = { .each = last_calls, .arg = last };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("ring_threads", "GPUTAP_MAX_SIZE=8m", "GPUTAP_RING=1"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.calls + w.overwritten, 2 * RING_CALLS + 8);
	for (int i = 5; i < 9; i++)
		assert_int_equal(last[i], 1);
	assert_within(w.disk_bytes, 4 << 20, 14 << 20);
}

/* ---------------------------------------------------------------- seccomp */

/* From here on whoever makes a call that a chunk needs is killed. */
static bool seal(void)
{
	static const int forbidden[] = { SYS_openat, SYS_fallocate, SYS_mmap, SYS_munmap, SYS_pwrite64, SYS_ftruncate };
	struct sock_filter code[2 * 6 + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { .len = 1, .filter = code };

	for (int i = 0; i < 6; i++) {
		code[program.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)forbidden[i], 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int sealed(void)
{
	for (uint64_t n = 0; n < 1000; n++)
		one_call(FN, n, 4);
	if (!seal())
		return 77;
	for (uint64_t n = 0; n < 100000; n++)
		one_call(FN, n, 4);
	_exit(7);
}

/* Behind a seccomp filter the open chunk is used up, no new one is made, and what finds no room is counted. */
static void a_sealed_program_gets_no_new_chunk(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	int status = RUN_SCENE("sealed");

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("skipped: no filter of system calls can be set here\n");
		skip();
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_within(w.calls, 1001, 3000);           /* the rest of the second chunk */
	assert_int_equal(w.calls + w.lost[REC_LOSS_SECCOMP], 101000);
}

/* ------------------------------------------------------------------- fork */

static int forks(void)
{
	struct tap_call call;
	int status;

	one_call(FN, 1, 1);
	tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, 2, 0, 0, 0);
	pid_t pid = fork();

	tap_call_stop(&call, 0);
	uint64_t *out = tap_call_reserve(&call, 0, 1);

	if (out)
		out[0] = 2;
	tap_call_finish(&call);
	if (!pid) {
		for (int i = 0; i < 5; i++)
			one_call(FN_OTHER, 3, 1);
		_exit(0);
	}
	shared->n[0] = (uint64_t)pid;
	shared->n[1] = (uint64_t)getpid();
	waitpid(pid, &status, 0);
	one_call(FN, 4, 1);
	return 0;
}

/* A forked child writes its own directory; the call it was born in is the parent's alone. */
static void a_forked_child_has_its_own_directory(void **state)
{
	struct walk parent = { 0 }, child = { 0 };
	char path[400], meta[4096] = "", line[64];

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("forks"), 0);
	walk_trace(&parent, "t", (pid_t)shared->n[1]);
	walk_trace(&child, "t", (pid_t)shared->n[0]);
	assert_int_equal(parent.calls, 3);
	assert_int_equal(child.calls, 5);
	assert_int_equal(parent.incomplete + child.incomplete, 0);
	snprintf(path, sizeof path, "%s/t.gputap/%d.1/meta", shim_dir, (int)shared->n[0]);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(meta, 1, sizeof meta - 1, f) > 0);
	fclose(f);
	assert_non_null(strstr(meta, "\nreason=fork\n"));
	snprintf(line, sizeof line, "\nparent=%d.1\n", (int)shared->n[1]);
	assert_non_null(strstr(meta, line));
}

/* ------------------------------------------------------------------- pool */

static void *short_thread(void *arg)
{
	one_call(FN, (uintptr_t)arg, 1);
	return NULL;
}

static int many_threads(void)
{
	for (uintptr_t i = 0; i < 2000; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, short_thread, (void *)i) || pthread_join(t, NULL))
			return 1;
	}
	return 0;
}

/* Two thousand short threads, one after another, share one file. */
static void short_threads_share_a_file(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("many_threads"), 0);
	walk_trace(&w, "t", 0);
	assert_within(w.files, 1, 2);
	assert_int_equal(w.calls, 2000);
	assert_within(w.by_type[REC_THREAD], 2000, 2001);
	assert_int_equal(w.by_type[REC_THREAD_END], 2000);
}

/* ------------------------------------------------------- nesting and jumps */

static sigjmp_buf out_of_call;

static __attribute__((noinline)) void call_left_by_jump(void)
{
	struct tap_call call;

	tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, 1, 0, 0, 0);
	siglongjmp(out_of_call, 1);
}

static __attribute__((noinline)) bool deeper(int levels)
{
	volatile char room[256];

	memset((char *)room, levels, sizeof room);
	return levels ? deeper(levels - 1) || room[0] == 127 : one_call(FN, 2, 1);
}

static int jumps(void)
{
	if (!sigsetjmp(out_of_call, 0))
		call_left_by_jump();
	shared->n[0] = one_call(FN, 2, 1);
	if (!sigsetjmp(out_of_call, 0))
		call_left_by_jump();
	shared->n[1] = deeper(4);
	return 0;
}

/* A call that longjmp left does not make later ones look nested. */
static void a_call_left_by_longjmp_hides_no_later_call(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	/* What a jump leaves stays until something else is put there, and here each variable has a place of its own. */
	print_message("skipped: an AddressSanitizer build lays frames out apart\n");
	skip();
#endif
	scene_place();
	assert_int_equal(RUN_SCENE("jumps"), 0);
	assert_int_equal(shared->n[0], 1);
	assert_int_equal(shared->n[1], 1);
}

/* What a jump left lies unharmed inside the next call's own struct, which begins a few bytes lower. */
static int overlaps(void)
{
	static _Alignas(16) char stack[1024];
	struct tap_call *left = (struct tap_call *)(stack + 512);

	for (uint32_t lower = 8; lower < sizeof *left; lower += 8) {
		struct tap_call *next = (struct tap_call *)(stack + 512 - lower);

		shared->n[0] += tap_call_begin(left, FN, REC_DOMAIN_OPENCL, 1, 0, 0, 0);
		if (!tap_call_begin(next, FN, REC_DOMAIN_OPENCL, 2, 0, 0, 0))
			return 1;
		tap_call_stop(next, 0);
		tap_call_reserve_bare(next);
		tap_call_finish(next);
		shared->n[1]++;
	}
	return 0;
}

/* Two calls that run do not share memory, wherever a compiler puts them. */
static void a_call_left_where_the_next_one_stands_is_over(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("overlaps"), 0);
	assert_int_equal(shared->n[0], shared->n[1]);
}

/* ------------------------------------------------------------------ fibers */

#define FIBER_BYTES 65536u
static ucontext_t at_home, in_fiber;
static sigjmp_buf out_of_fiber;

static void leaves_a_call(void)
{
	struct tap_call call;

	shared->n[0] += tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, 1, 0, 0, 0);
	siglongjmp(out_of_fiber, 1);
}

static void makes_a_call(void)
{
	shared->n[1] += one_call(FN_OTHER, 2, 1);
	siglongjmp(out_of_fiber, 1);
}

static void run_fiber(char *stack, void (*run)(void))
{
	getcontext(&in_fiber);
	in_fiber.uc_stack.ss_sp = stack;
	in_fiber.uc_stack.ss_size = FIBER_BYTES;
	in_fiber.uc_link = &at_home;
	makecontext(&in_fiber, run, 0);
	if (!sigsetjmp(out_of_fiber, 0))
		swapcontext(&at_home, &in_fiber);
}

/* The upper stack goes with a call on it, by unmapping or by protection; then calls come from the lower one. */
static int fibers(void)
{
	for (int i = 0; i < 20; i++) {
		char *stacks = mmap(NULL, 2 * FIBER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char *upper = stacks + FIBER_BYTES;

		run_fiber(upper, leaves_a_call);
		if (i % 2 ? munmap(upper, FIBER_BYTES) : mprotect(upper, FIBER_BYTES, PROT_NONE))
			return 1;
		run_fiber(stacks, makes_a_call);
	}
	return 0;
}

static void *fibers_of_a_thread(void *failed)
{
	*(int *)failed = fibers();
	return NULL;
}

static int threads_with_fibers(void)
{
	int failed = fibers();
	pthread_t t;

	return failed || pthread_create(&t, NULL, fibers_of_a_thread, &failed) || pthread_join(t, NULL) || failed;
}

/* What a jump left on a fiber's stack is not looked for where the stack was. */
static void a_call_left_on_a_stack_that_went_harms_nothing(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("fibers"), 0);
	assert_int_equal(shared->n[0], 40);
	assert_int_equal(shared->n[1], 40);
}

/* A wrapper of its own for each, as in life: a running call's struct lies above those of the calls made inside it. */
static __attribute__((noinline)) bool around(enum rec_domain domain, bool callback, void (*inside)(void))
{
	struct tap_call call;
	bool begun = callback ? tap_callback_begin(&call, FN_OTHER, domain, 0, 0, 0, 0)
			      : tap_call_begin(&call, FN, domain, 0, 0, 0, 0);

	if (inside)
		inside();
	if (begun) {
		tap_call_stop(&call, 0);
		tap_call_reserve_bare(&call);
		tap_call_finish(&call);
	}
	return begun;
}

/* yes: the application's */
static void inside_callback(void) { shared->n[3] = around(REC_DOMAIN_OPENCL, false, NULL); }

static void inside_driver(void)
{
	shared->n[0] = around(REC_DOMAIN_OPENCL, false, NULL);                  /* no: same domain */
	shared->n[1] = around(REC_DOMAIN_CUDA_RUNTIME, false, NULL);            /* yes: another domain */
	shared->n[2] = around(REC_DOMAIN_OPENCL, true, inside_callback);
	shared->n[4] = around(REC_DOMAIN_OPENCL, false, NULL);                  /* no again */
}

static int nests(void)
{
	around(REC_DOMAIN_OPENCL, false, inside_driver);
	tap_own_calls_begin();
	shared->n[5] = one_call(FN, 2, 1);
	tap_own_calls_end();
	shared->n[6] = one_call(FN, 2, 1);
	return 0;
}

/* A call inside a call of its domain is the driver's own, unless an application callback lies between. */
static void only_the_application_s_calls_are_recorded(void **state)
{
	static const uint64_t expect[7] = { 0, 1, 1, 1, 0, 0, 1 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("nests"), 0);
	for (int i = 0; i < 7; i++)
		assert_int_equal(shared->n[i], expect[i]);
}

/* ------------------------------------------------------------ odd records */

static int odd_sizes(void)
{
	struct tap_call call;

	for (uint32_t words = 240; words < 300; words++)
		one_call(FN, words, words);
	one_call(FN, 1, TAP_CALL_WORDS_MAX);
	one_call(FN, 1, TAP_CALL_WORDS_MAX + 1);
	tap_call_begin(&call, FN_OTHER, REC_DOMAIN_OPENCL, 0, 0, 0, 0);
	tap_call_stop(&call, -5);
	call.end_tick = call.start_tick + (5ull << 32) + 9;
	tap_call_reserve_bare(&call);
	tap_call_finish(&call);
	errno = 77;
	one_call(FN, 1, 1);
	shared->n[0] = (uint64_t)errno;
	return 0;
}

static void slow_one(const uint64_t *rec, void *found)
{
	if (rec_id(*rec) == FN_OTHER)
		*(int *)found = rec_flags(*rec) == (REC_COMPLETE | REC_SLOW | REC_BARE) && rec_result(*rec) == -5 &&
			rec_words(rec) == 4 && (uint32_t)rec[2] == 9 && rec[3] == 5;
}

/* Long records, slow calls and records that fit no block are what rec.h says. */
static void odd_records_follow_the_format(void **state)
{
	int found = 0;
	struct walk w = { .each = slow_one, .arg = &found };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("odd_sizes"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.calls, 60 + 2 + 1 + 1);
	assert_int_equal(w.blobs, 1);
	assert_int_equal(w.lost[REC_LOSS_ARGS_CUT], 0);
	assert_int_equal(found, 1);
	assert_int_equal(shared->n[0], 77);
	assert_true(w.by_type[REC_CLOCK] >= 2);
	assert_int_equal(w.by_type[REC_EXIT], 1);
}

/* --------------------------------------------------------- large arguments */

enum { LARGE = 20000 };                 /* words */

/* {bits of what stands behind the stack, flags, words of arguments} of the records with arguments, in their order. */
struct larges { uint64_t n, more[4], flags[4], words[4], id[4]; };

static void large_one(const uint64_t *rec, void *arg)
{
	struct larges *l = arg;
	uint32_t long_one = rec_flags(*rec) & REC_LONG ? 1 : 0, n;

	if (rec_id(*rec) != FN || !(rec_flags(*rec) & REC_STACK_WORD) || l->n == 4)
		return;
	n = rec_stack_more(rec[3 + long_one]);
	l->more[l->n] = rec[4 + long_one];
	l->flags[l->n] = rec_flags(*rec);
	l->id[l->n] = n == 3 ? rec[5 + long_one] : 0;
	l->words[l->n++] = rec_words(rec) - 4 - long_one - n;
}

static int large_args(void)
{
	for (uint64_t value = 0; value < 3; value++)
		one_call(FN, value / 2, LARGE);
	one_call(FN_OTHER, 1, 1);
	return 0;
}

/* What no record has room for is a content, stored once, which the record names beside the beginning of it. */
static void large_arguments_become_a_content(void **state)
{
	struct larges l = { 0 };
	struct walk w = { .each = large_one, .arg = &l };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("large_args"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.calls, 4);
	assert_int_equal(l.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(l.more[i], REC_MORE_WHOLE);
		assert_int_equal(l.flags[i] & REC_CUT, 0);
		assert_int_equal(l.words[i], 64);
	}
	assert_true(l.id[0] == l.id[1] && l.id[1] != l.id[2]);
	assert_int_equal(w.blobs, 2);
	assert_int_equal(w.blob_bytes, 2 * LARGE * 8);
}

/* Where there is no room for a content, the record has what it has room for, and says that it is not all. */
static void large_arguments_without_room_are_short_and_marked(void **state)
{
	struct larges l = { 0 };
	struct walk w = { .each = large_one, .arg = &l };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("large_args", "GPUTAP_MAX_CONTENTS=65536"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.calls, 4);
	assert_int_equal(w.blobs, 0);
	assert_int_equal(l.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(l.more[i], REC_MORE_SHORT);
		assert_int_equal(l.flags[i] & REC_CUT, REC_CUT);
		assert_int_equal(l.words[i], TAP_CALL_WORDS_MAX);
	}
}

static int large_args_in_seccomp(void)
{
	one_call(FN_OTHER, 1, 1);
	tap_seccomp = true;
	one_call(FN, 1, LARGE);
	return 0;
}

static void bare_and_cut(const uint64_t *rec, void *found)
{
	if (rec_id(*rec) == FN)
		*(uint32_t *)found = rec_flags(*rec);
}

/* Behind a seccomp filter no memory is mapped: the call is there, without its arguments, and says so. */
static void large_arguments_behind_a_seccomp_filter_are_left_out(void **state)
{
	uint32_t flags = 0;
	struct walk w = { .each = bare_and_cut, .arg = &flags };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("large_args_in_seccomp"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.calls, 2);
	assert_int_equal(flags, REC_COMPLETE | REC_BARE | REC_CUT);
}

static int marked_args(void)
{
	static const uint32_t mark[] = { TAP_ARGS_CUT, TAP_ARGS_LEFT };

	for (int i = 0; i < 2; i++) {
		struct tap_call call;

		tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, 0, 0, 0, 0);
		tap_call_stop(&call, 0);
		uint64_t *out = tap_call_reserve(&call, 0, 1 | mark[i]);

		if (out)
			*out = 7;
		tap_call_keep_large(&call);
		tap_call_finish(&call);
	}
	return 0;
}

/* A copy that was cut says where; one that was left out on purpose is no loss. */
static void a_cut_says_where_and_what_was_left_out_is_no_cut(void **state)
{
	struct larges l = { 0 };
	struct walk w = { .each = large_one, .arg = &l };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("marked_args", "GPUTAP_MAX_ARGS=64k"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(l.n, 2);
	assert_true(l.more[0] == (REC_MORE_BOUND | 65536ull << 32));
	assert_int_equal(l.flags[0] & REC_CUT, REC_CUT);
	assert_int_equal(l.more[1], REC_MORE_BOUND);
	assert_int_equal(l.flags[1] & REC_CUT, 0);
	assert_true(l.words[0] == 1 && l.words[1] == 1);
}

/* ------------------------------------------------------------------ blobs */

static int blobs(void)
{
	const char *part[] = { "kernel ", "void f() {}xxx" };
	size_t length[] = { 0, 11 };
	static char large[(1 << 20) + 5000];
	const void *one = large;
	size_t bytes = sizeof large;
	uint64_t id[2], again[2], total;

	memset(large, 'x', sizeof large);
	one_call(FN, 1, 1);
	tap_blob_store(REC_BLOB_SOURCE, (const void *const *)part, length, 2, true, id, &total);
	shared->n[0] = total;
	tap_blob_store(REC_BLOB_SOURCE, (const void *const *)part, length, 2, true, again, &total);
	shared->n[1] = id[0] == again[0] && id[1] == again[1] && id[0];
	tap_blob_store(REC_BLOB_SOURCE, &one, &bytes, 1, true, id, &total);
	for (int i = 0; i < 5000; i++)
		one_call(FN, 1, 4);
	return 0;
}

static int blob_of_parts(void)
{
	const void *part[] = { "head", "left of the last one", "tail" };
	const size_t length[] = { 4, 0, 4 };
	uint64_t id[2], total;

	tap_blob_store(REC_BLOB_COUNTERS, part, length, 3, true, id, &total);
	shared->n[0] = total;
	return 0;
}

/* Only of a program's sources is no length a string's: of a launch that was not sampled the room has the last one's. */
static void a_part_without_bytes_adds_none(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("blob_of_parts"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(shared->n[0], 8);
	assert_int_equal(w.blob_bytes, 8);
}

/* A content is stored once, all of it, and calls go on behind it. */
static void a_content_is_stored_once(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("blobs"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(shared->n[0], 18);
	assert_int_equal(shared->n[1], 1);
	assert_int_equal(w.blobs, 2);
	assert_int_equal(w.blob_bytes, 18 + (1 << 20) + 5000);
	assert_int_equal(w.lost[REC_LOSS_SOURCE_CUT], 0);
	assert_int_equal(w.calls, 5001);
}

/* ----------------------------------------------------------- runs and names */

static int quiet(void) { return 0; }

static int one(void)
{
	one_call(FN, 1, 1);
	return 0;
}

static bool exists(const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s", shim_dir, name);
	return access(path, F_OK) == 0;
}

/* An image without traced calls leaves nothing. */
static void no_calls_no_trace(void **state)
{
	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("quiet"), 0);
	assert_false(exists("t.gputap"));
	assert_int_equal(RUN_SCENE("one", "GPUTAP_TRACE=none"), 0);
	assert_false(exists("t.gputap"));
}

/* A second run takes the next free name; a forced one replaces. */
static void another_run_takes_the_next_name(void **state)
{
	struct walk first = { 0 }, second = { 0 }, forced = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("one"), 0);
	assert_int_equal(RUN_SCENE("many_threads"), 0);
	walk_trace(&first, "t", 0);
	walk_trace(&second, "t-2", 0);
	assert_int_equal(first.calls, 1);
	assert_int_equal(second.calls, 2000);
	assert_int_equal(RUN_SCENE("many_threads", "GPUTAP_FORCE=1"), 0);
	walk_trace(&forced, "t", 0);
	assert_int_equal(forced.calls, 2000);
	assert_false(exists("t-3.gputap"));
}

/* Images of one run, told by the run id, share a directory. */
static void images_of_a_run_share_a_directory(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("one", "GPUTAP_RUN_ID=0123456789abcdef"), 0);
	assert_int_equal(RUN_SCENE("one", "GPUTAP_RUN_ID=0123456789abcdef"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.images, 2);
	assert_false(exists("t-2.gputap"));
}

/* A place that cannot be written, and no other one, cost the program nothing but its trace. */
static void an_unwritable_place_is_borne(void **state)
{
	int status;

	(void)state;
	scene_place();
	status = RUN_SCENE("full", "SHIM_NO_LIMIT=1", "GPUTAP_OUTPUT=/proc/nowhere/t", "TMPDIR=/proc/nowhere");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_int_equal(shared->n[0], 0);
}

/* ------------------------------------------------------------------ window */

/* Calls until one was recorded and one behind it was not; for at most 10 s. */
static int window(void)
{
	time_t end = time(NULL) + 10;
	bool recorded;

	do {
		recorded = one_call(FN, 1, 1);
		shared->n[0] += recorded;
		shared->n[1] += !recorded && !shared->n[0];
		usleep(100);
	} while ((recorded || !shared->n[0]) && time(NULL) < end);
	return 0;
}

static void late_enough(const uint64_t *rec, void *arg)
{
	uint64_t *window_at = arg;

	if (rec_id(*rec) == REC_WINDOW)
		window_at[rec[2] == 1] = rec[1];
	if (rec_id(*rec) == FN && (rec[1] < window_at[1] - 1000000000 || (window_at[0] && rec[1] > window_at[0])))
		window_at[2]++;
}

/* Only calls inside the window are recorded, and the trace says when it opened and closed. */
static void calls_outside_the_window_are_not_recorded(void **state)
{
	uint64_t window_at[3] = { 0 };
	struct walk w = { .each = late_enough, .arg = window_at };

	(void)state;
	scene_place();
	/* 40 ms were over before a process under emulation had begun: no call came before its window. */
	assert_int_equal(RUN_SCENE("window", "GPUTAP_START_AFTER=400ms", "GPUTAP_STOP_AFTER=1s"), 0);
	walk_trace(&w, "t", 0);
	assert_true(shared->n[0] > 0 && shared->n[1] > 0);
	assert_int_equal(w.calls, shared->n[0]);
	assert_int_equal(w.by_type[REC_WINDOW], 2);
	assert_true(window_at[0] > window_at[1] && window_at[1]);
	assert_int_equal(window_at[2], 0);
}

const struct scene scenes[] = {
	{ "storm", storm }, { "until_killed", until_killed }, { "inside_a_call", inside_a_call }, { "full", full },
	{ "forks", forks },
	{ "many_threads", many_threads }, { "jumps", jumps }, { "nests", nests }, { "odd_sizes", odd_sizes },
	{ "blobs", blobs },
	{ "large_args", large_args },
	{ "large_args_in_seccomp", large_args_in_seccomp },
	{ "marked_args", marked_args },
	{ "blob_of_parts", blob_of_parts },
	{ "fibers", threads_with_fibers }, { "overlaps", overlaps },
	{ "quiet", quiet }, { "one", one }, { "window", window }, { "ring", ring }, { "sealed", sealed },
	{ "half_copied", half_copied }, { "removed_amid_a_chunk", removed_amid_a_chunk },
	{ "ring_threads", ring_threads }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_of_handlers_and_jumps_damages_no_record),
		cmocka_unit_test(a_killed_program_loses_no_finished_record),
		cmocka_unit_test(a_killed_program_tells_the_call_it_was_in),
		cmocka_unit_test(a_file_limit_stops_recording_and_nothing_else),
		cmocka_unit_test(a_full_disk_stops_recording_and_nothing_else),
		cmocka_unit_test(a_full_disk_below_an_overlay_stops_recording_and_nothing_else),
		cmocka_unit_test(a_ring_goes_on_when_the_disk_is_full),
		cmocka_unit_test(max_size_stops_calls_and_counts_them),
		cmocka_unit_test(a_half_copied_window_still_counts),
		cmocka_unit_test(a_file_removed_amid_a_chunk_holds_nobody_up),
		cmocka_unit_test(a_ring_keeps_the_newest_calls),
		cmocka_unit_test(a_killed_ring_counts_what_it_overwrote),
		cmocka_unit_test(threads_share_a_ring),
		cmocka_unit_test(a_sealed_program_gets_no_new_chunk),
		cmocka_unit_test(a_forked_child_has_its_own_directory),
		cmocka_unit_test(short_threads_share_a_file),
		cmocka_unit_test(a_call_left_by_longjmp_hides_no_later_call),
		cmocka_unit_test(a_call_left_where_the_next_one_stands_is_over),
		cmocka_unit_test(a_call_left_on_a_stack_that_went_harms_nothing),
		cmocka_unit_test(only_the_application_s_calls_are_recorded),
		cmocka_unit_test(odd_records_follow_the_format),
		cmocka_unit_test(a_part_without_bytes_adds_none),
		cmocka_unit_test(large_arguments_become_a_content),
		cmocka_unit_test(large_arguments_without_room_are_short_and_marked),
		cmocka_unit_test(large_arguments_behind_a_seccomp_filter_are_left_out),
		cmocka_unit_test(a_cut_says_where_and_what_was_left_out_is_no_cut),
		cmocka_unit_test(a_content_is_stored_once),
		cmocka_unit_test(no_calls_no_trace),
		cmocka_unit_test(another_run_takes_the_next_name),
		cmocka_unit_test(images_of_a_run_share_a_directory),
		cmocka_unit_test(an_unwritable_place_is_borne),
		cmocka_unit_test(calls_outside_the_window_are_not_recorded),
	};

	scene_main(argc, argv);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scene_clean();
	return failed;
}
