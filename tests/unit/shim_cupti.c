/*
 * tests/unit/shim_cupti.c - buffers, names and filters of the CUPTI collector, without any CUPTI
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/shimwalk.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "collectors/cupti/internal.h"

enum { KERNEL = 10, KERNEL_BYTES = 216, NAME_AT = 104, RUNTIME = 5, CALL_BYTES = 40, THREADS = 4, ROUNDS = 100 };

/* What cupti.c does inside cuInit, as far as buffers are concerned. */
static void begin(void)
{
	tap_cupti.alive = tap_fork_word();
	*tap_cupti.alive = 1;
	tap_cupti.pid = (uint32_t)getpid();
	tap_cupti.flags = REC_CUPTI_PER_THREAD_BUFFERS;
	tap_cupti.record_bytes[KERNEL] = KERNEL_BYTES;
	tap_cupti.record_bytes[RUNTIME] = CALL_BYTES;
	if (!tap_stream_get() || !tap_cupti_buffers_open())
		exit(90);
}

static size_t put(uint8_t *to, uint32_t kind, const void *name)
{
	memcpy(to, &kind, 4);
	if (kind == KERNEL)
		memcpy(to + NAME_AT, &name, sizeof name);
	return tap_cupti.record_bytes[kind];
}

/* ------------------------------------------------------------------- buffers */

static void *hand_over(void *name)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint8_t *buffer;
		size_t bytes, max, used = 0;

		tap_cupti_request_buffer(&buffer, &bytes, &max);
		if (!buffer || bytes < 4096 || max || (uintptr_t)buffer % 4096)
			exit(91);
		for (size_t k = 0; k < bytes; k += 8)
			if (*(uint64_t *)(buffer + k))
				__atomic_add_fetch(&shared->n[0], 1, __ATOMIC_RELAXED); /* it was said to be zero */
		used += put(buffer, KERNEL, name);
		for (int k = 0; k < i; k++)
			used += put(buffer + used, RUNTIME, NULL);
		tap_cupti_complete_buffer(NULL, 0, buffer, bytes, used);
	}
	return NULL;
}

static int buffers(void)
{
	pthread_t thread[THREADS];

	begin();
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&thread[i], NULL, hand_over, "a_kernel");
#ifdef __SANITIZE_THREAD__
		/*
		 * It does not see raw system calls: mappings of different threads at one address are one memory to it.
		 */
		pthread_join(thread[i], NULL);
	}
#else
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
#endif
	return 0;
}

/* The buffers of the only trace: fills seen[number] and tells how many there are; *bytes_used of the disk. */
struct found { uint64_t buffers, completed, valid, first_kind, bad; uint64_t disk, length; uint8_t seen[4096]; };

static void find_buffers(struct found *f)
{
	char command[400], path[300];
	struct stat st;

	snprintf(command, sizeof command, "ls -S '%s'/t.gputap/*.1/*.str | head -n 1", shim_dir);
	FILE *p = popen(command, "r");

	assert_true(p && fgets(path, sizeof path, p));
	pclose(p);
	path[strcspn(path, "\n")] = 0;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	f->disk = (uint64_t)st.st_blocks * 512;
	f->length = (uint64_t)st.st_size;
	for (uint64_t at = REC_BLOCK; at + sizeof(struct rec_chunk) < (uint64_t)st.st_size;) {
		struct { struct rec_chunk c; struct rec_cupti_buffer b; } head;
		uint32_t kind = 0;

		assert_int_equal(pread(fd, &head, sizeof head, (off_t)at), sizeof head);
		if (!head.c.magic) {
			at += REC_BLOCK;
			continue;
		}
		f->bad += head.c.magic != REC_CHUNK_MAGIC || head.c.kind != REC_CHUNK_CUPTI ||
			head.c.bytes % 4096 || !head.c.bytes;
		pread(fd, &kind, 4, (off_t)(at + REC_CUPTI_BUFFER));
		f->bad += head.c.rec_offset != at || head.c.blob_bytes + REC_CUPTI_BUFFER != head.c.bytes ||
		          head.b.number >= sizeof f->seen || !head.b.requested_tid;
		f->seen[head.b.number % sizeof f->seen]++;
		f->buffers++;
		f->completed += head.b.completed_tick != 0;
		f->bad += head.b.completed_tick &&
			(head.b.completed_tick < head.b.requested_tick || !head.b.completed_tid);
		f->valid += head.b.valid;
		f->first_kind += kind == KERNEL;
		at += (head.c.bytes + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;
	}
	close(fd);
}

/*
 * Threads ask for buffers and give them back at once: each is in the file, whole, numbered, and what it left unused
 * is not on the disk.
 */
static void threads_hand_buffers_over(void **state)
{
	static struct found f;
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("buffers"), 0);
	walk_trace(&w, "t", 0);
	find_buffers(&f);
	assert_int_equal(shared->n[0], 0);
	assert_int_equal(f.bad, 0);
	assert_int_equal(f.buffers, THREADS * ROUNDS);
	assert_int_equal(f.completed, THREADS * ROUNDS);
	assert_int_equal(f.first_kind, THREADS * ROUNDS);
	assert_int_equal(f.valid, THREADS * (ROUNDS * KERNEL_BYTES + CALL_BYTES * ROUNDS * (ROUNDS - 1) / 2));
	for (int i = 1; i <= THREADS * ROUNDS; i++)
		assert_int_equal(f.seen[i], 1);
	assert_true(f.disk < THREADS * ROUNDS * 16384 + (8u << 20));
	assert_true(f.length < (THREADS * ROUNDS * 5 / 4 + 64u) * REC_BLOCK);   /* not eight blocks a buffer */
	assert_true(w.by_type[REC_CUPTI_STRING] >= 1 && w.by_type[REC_CUPTI_STRING] <= THREADS);
	assert_int_equal(w.lost[REC_LOSS_CUPTI_NO_BUFFER], 0);
}

static int killed(void)
{
	uint8_t *buffer;
	size_t bytes, max, used = 0;

	begin();
	tap_cupti_request_buffer(&buffer, &bytes, &max);
	used += put(buffer, KERNEL, "soon_gone");
	put(buffer + used, RUNTIME, NULL);
	shared->n[1] = tap_cupti_peek();
	shared->n[2] = tap_cupti_peek();
	kill(getpid(), SIGKILL);
	return 0;
}

/* A killed process leaves what stood in its open buffer, and the names that a look had found there. */
static void an_open_buffer_survives_a_kill(void **state)
{
	static struct found f;
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_true(WIFSIGNALED(RUN_SCENE("killed")));
	walk_trace(&w, "t", 0);
	find_buffers(&f);
	assert_int_equal(f.bad, 0);
	assert_int_equal(f.buffers, 1);
	assert_int_equal(f.completed, 0);
	assert_int_equal(f.first_kind, 1);
	assert_int_equal(w.by_type[REC_CUPTI_STRING], 1);
	assert_int_equal(shared->n[1], 1);              /* something new, then nothing */
	assert_int_equal(shared->n[2], 0);
}

static int same_place(void)
{
	uint8_t *first, *buffer = NULL;
	size_t bytes, max, used;

	begin();
	tap_cupti_request_buffer(&first, &bytes, &max);
	used = put(first, KERNEL, "gone_by");
	while (used + KERNEL_BYTES < bytes)             /* full: the next one is as large and finds its room */
		used += put(first + used, RUNTIME, NULL);
	tap_cupti_peek();
	tap_cupti_complete_buffer(NULL, 0, first, bytes, used);
	for (int i = 0; i < 64 && buffer != first; i++)
		tap_cupti_request_buffer(&buffer, &bytes, &max);
	tap_cupti_peek_leave();                         /* nothing stands in it, and nothing was seen in it */
	shared->n[0] = buffer == first;
	shared->n[1] = ((struct rec_cupti_buffer *)(buffer - REC_CUPTI_BUFFER + sizeof(struct rec_chunk)))->valid;
	put(buffer, KERNEL, "came_next");
	shared->n[2] = tap_cupti_peek();
	return 0;
}

/* A buffer at the address of one that came back is another one: what was seen in that says nothing of it. */
static void a_buffer_in_anothers_place_is_looked_at_anew(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("same_place"), 0);
#if !defined(__x86_64__)
	if (!shared->n[0]) {
		puts("skipped: no buffer has the place of one before it here (user-mode emulation)");
		skip();
	}
#endif
	walk_trace(&w, "t", 0);
	assert_int_equal(shared->n[0], 1);
	assert_int_equal(shared->n[1], 0);
	assert_int_equal(shared->n[2], 1);
	assert_int_equal(w.by_type[REC_CUPTI_STRING], 2);
}

static int no_room(void)
{
	struct rlimit limit = { 100 << 10, 100 << 10 };
	uint8_t *open[8], *buffer;
	size_t bytes, max, n = 0;

	begin();
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 8; i++) {
			tap_cupti_request_buffer(&open[i], &bytes, &max);
			if (!open[i])
				return 91;
			for (size_t k = 0; k < bytes; k += 8)
				shared->n[0] += *(uint64_t *)(open[i] + k) != 0;
			n = put(open[i], KERNEL, "thrown_away");
		}
		for (int i = 0; i < 8; i++)
			for (int k = 0; k < i; k++)
				shared->n[1] += open[i] == open[k];                     /* never one for two */
		for (int i = 0; i < 8; i++)
			tap_cupti_complete_buffer(NULL, 0, open[i], bytes, n);
		if (round == 0)
			shared->n[2] = (uintptr_t)open[0];
	}
	tap_cupti_request_buffer(&buffer, &bytes, &max);
	tap_cupti_complete_buffer(NULL, 0, buffer, bytes, 0);           /* empty: nothing is lost with it */
	return 0;
}

/* Without room a request is answered all the same; what is thrown away is counted, and no signal comes. */
static void without_room_buffers_are_thrown_away(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("no_room"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(shared->n[0], 0);
	assert_int_equal(shared->n[1], 0);
	assert_int_equal(w.lost[REC_LOSS_CUPTI_NO_BUFFER], 400);
}

static int forked(void)
{
	uint8_t *buffer;
	size_t bytes, max;
	int status;

	begin();
	tap_cupti_request_buffer(&buffer, &bytes, &max);
	size_t used = put(buffer, KERNEL, "parents");
	pid_t child = fork();

	if (child == 0) {
		uint8_t *own;

		tap_cupti_complete_buffer(NULL, 0, buffer, bytes, used);        /* not its own: left alone */
		tap_cupti_request_buffer(&own, &bytes, &max);
		tap_cupti_complete_buffer(NULL, 0, own, bytes, 0);
		_exit(own ? 0 : 1);
	}
	waitpid(child, &status, 0);
	shared->n[0] =
		((struct rec_cupti_buffer *)(buffer - REC_CUPTI_BUFFER + sizeof(struct rec_chunk)))->completed_tick;
	tap_cupti_complete_buffer(NULL, 0, buffer, bytes, used);
	return status;
}

/* A forked child completes nothing of its parent's. */
static void a_forked_child_leaves_buffers_alone(void **state)
{
	static struct found f;

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("forked"), 0);
	find_buffers(&f);
	assert_int_equal(shared->n[0], 0);
	assert_int_equal(f.buffers, 1);
	assert_int_equal(f.completed, 1);
}

enum { MANY = 1000 };

/* Of each buffer: what is said of its size is there, and zero. */
static int many_out(void)
{
	static uint8_t *buffer[MANY];
	static size_t bytes[MANY];
	size_t max;

	begin();
	for (int i = 0; i < MANY; i++) {
		tap_cupti_request_buffer(&buffer[i], &bytes[i], &max);
		shared->n[0] += tap_cupti_waste_is_out();
		shared->n[1] += bytes[i] > bytes[i ? i - 1 : 0];
		for (size_t k = 0; k < bytes[i]; k += 512)
			shared->n[2] += *(uint64_t *)(buffer[i] + k) != 0;
		put(buffer[i], KERNEL, "one_of_many");
		memset(buffer[i] + bytes[i] - 8, 0, 8);
	}
	shared->n[3] = bytes[0];
	shared->n[4] = bytes[MANY - 1];
	if (getenv("KILLED"))
		kill(getpid(), SIGKILL);
	for (int i = 0; i < MANY; i++)
		tap_cupti_complete_buffer(NULL, 0, buffer[i], bytes[i], KERNEL_BYTES);
	tap_cupti_request_buffer(&buffer[0], &bytes[0], &max);
	shared->n[5] = bytes[0];
	tap_cupti_complete_buffer(NULL, 0, buffer[0], bytes[0], put(buffer[0], KERNEL, "the_next"));
	return 0;
}

static void many_are_out(const char *killed, const char *size, uint64_t last)
{
	static struct found f;
	struct walk w = { 0 };

	scene_place();
	assert_int_equal(WIFSIGNALED(RUN_SCENE("many_out", killed, size)), killed[0] == 'K');
	walk_trace(&w, "t", 0);
	memset(&f, 0, sizeof f);
	find_buffers(&f);
	assert_int_equal(shared->n[0], 0);              /* none that is thrown away */
	assert_int_equal(shared->n[1], 0);              /* the more, the smaller */
	assert_int_equal(shared->n[2], 0);
	assert_int_equal(shared->n[3], 8 * REC_BLOCK - REC_CUPTI_BUFFER);
	assert_int_equal(shared->n[4], last);
	assert_int_equal(f.bad, 0);
	assert_int_equal(f.buffers, f.first_kind);
	assert_int_equal(f.buffers, killed[0] == 'K' ? MANY : MANY + 1);
	assert_true(f.length < MANY * REC_BLOCK + (32u << 20));
	if (killed[0] == 'K')
		return;
	assert_in_range(shared->n[5], 65536, 8 * REC_BLOCK);            /* few are out: it is large again */
	assert_true(f.disk < MANY * 16384 + (16u << 20));
}

/* Many that are out at once are small: none is thrown away for room that others have and do not use. */
static void many_buffers_are_small(void **state)
{
	(void)state;
	many_are_out("LIVES=1", "GPUTAP_MAX_SIZE=0", 32768);
	many_are_out("KILLED=1", "GPUTAP_MAX_SIZE=0", 32768);
	many_are_out("LIVES=1", "GPUTAP_MAX_SIZE=24M", 8192);
	many_are_out("KILLED=1", "GPUTAP_MAX_SIZE=24M", 8192);
}

static int ring(void)
{
	begin();
	for (int i = 0; i < 10; i++)
		hand_over("in_a_ring");
	return 0;
}

/* A ring takes the places of the oldest buffers again, and counts the activities that stood there. */
static void a_ring_of_buffers_counts_what_it_overwrote(void **state)
{
	static struct found f;
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("ring", "GPUTAP_RING=1", "GPUTAP_MAX_SIZE=4M", "GPUTAP_CUDA_BUFFER_SIZE=60k"), 0);
	walk_trace(&w, "t", 0);
	find_buffers(&f);
	assert_int_equal(f.bad, 0);
	assert_int_equal(shared->n[0], 0);
	assert_true(f.buffers >= 8 && f.buffers <= 32);
	for (int i = 0; i < (int)f.buffers; i++)
		assert_int_equal(f.seen[10 * ROUNDS - i], 1);   /* the last ones */
	uint64_t kept = f.buffers + (f.valid - f.buffers * KERNEL_BYTES) / CALL_BYTES;

	assert_int_equal(kept + w.lost[REC_LOSS_RING_OVERWRITTEN], 10 * (ROUNDS + ROUNDS * (ROUNDS - 1) / 2));
}

/* ------------------------------------------------------------------- strings */

static char changing[32] = "first";

/* A container's filter forbids the call that reads memory safely. */
static void forbid_reading(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };

	if (gc_syscall6(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) ||
		gc_syscall6(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0, 0))
		exit(77);
}

static int filter(void)
{
	forbid_reading();
	return 0;
}

static int strings(void)
{
	uint8_t *area = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char longer[5000], longest[100000];
	char *last = (char *)area + 4096 - 6, *open_end = (char *)area + 4096 - 1;
	static uint8_t buffer[KERNEL_BYTES * 16];
	size_t used = 0, end;
	const void *names[] = { changing, changing, (void *)8, area + 2 * 4096, longer, longest, last, open_end, NULL,
		"" };

	begin();
	if (getenv("SHIM_FORBID"))
		forbid_reading();
	memset(longer, 'l', sizeof longer - 1);
	memset(longest, 'L', sizeof longest - 1);
	memcpy(last, "edge", 5);
	munmap(area + 4096, 4096);
	*open_end = 'x';                                        /* runs into the page that is gone */
	munmap(area + 2 * 4096, 4096);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		used += put(buffer + used, KERNEL, names[i]);
	for (int i = 0; i < 3; i++)
		shared->n[0] += tap_cupti_strings(buffer, used, &end);
	shared->n[1] = end == used;
	strcpy(changing, "second");
	tap_cupti_strings(buffer, used, &end);
	return 0;
}

struct texts { uint64_t n, first, second, edge, empty, of_5000, cut; };

static void each_string(const uint64_t *rec, void *arg)
{
	struct texts *t = arg;
	uint32_t n;

	if (rec_id(*rec) != REC_CUPTI_STRING)
		return;
	memcpy(&n, &rec[4], 4);
	const char *text = (const char *)&rec[4] + 4;

	t->n++;
	t->first += n == 5 && !memcmp(text, "first", 5);
	t->second += n == 6 && !memcmp(text, "second", 6);
	t->edge += n == 4 && !memcmp(text, "edge", 4);
	t->empty += n == 0;
	t->of_5000 += n == 4999 && text[4998] == 'l';
	t->cut += rec_flags(*rec) & REC_CUT && n > 50000;
}

static void texts_are_stored(const char *variable)
{
	struct texts t = { 0 };
	struct walk w = { .each = each_string, .arg = &t };

	scene_place();
	assert_int_equal(RUN_SCENE("strings", variable), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(shared->n[0], 30);
	assert_int_equal(shared->n[1], 1);
	assert_int_equal(w.bad, 0);
	assert_int_equal(t.first, 1);
	assert_int_equal(t.second, 1);
	assert_int_equal(t.edge, 1);
	assert_int_equal(t.empty, 1);
	assert_int_equal(t.of_5000, 1);
	assert_int_equal(t.cut, 1);
	assert_int_equal(t.n, 6);
	/* three that cannot be read, in each of four buffers */
	assert_int_equal(w.lost[REC_LOSS_CUPTI_NAME_GONE], 4 * 3);
}

/*
 * A text is stored once for an address, again when it changed, in its length; a pointer to nothing costs a count and
 * no more.
 */
static void texts_are_stored_once_and_when_they_change(void **state)
{
	(void)state;
	texts_are_stored("SHIM_PLAIN=1");
}

/* ... also where no call may read memory safely. */
static void a_filter_costs_no_text(void **state)
{
	(void)state;
	scene_place();
	if (WEXITSTATUS(RUN_SCENE("filter")) == 77) {           /* an emulator has none */
		print_message("skipped: no filter of system calls can be set here\n");
		skip();
	}
	texts_are_stored("SHIM_FORBID=1");
}

/* Has memory, and has none, until the scene is over. */
static void *come_and_go(void *area)
{
	for (;;) {
		mmap(area, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		munmap(area, 8192);
	}
	return NULL;
}

static int going(void)
{
	static uint8_t copy[8192];
	uint8_t *area = mmap(NULL, sizeof copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	begin();
	forbid_reading();
	mprotect(area, sizeof copy, PROT_NONE);
	shared->n[3] = tap_cupti_copy((uintptr_t)area, copy, sizeof copy);
	if (area == MAP_FAILED || pthread_create(&thread, NULL, come_and_go, area))
		return 91;
	for (int i = 0; i < 100000; i++) {
		size_t got = tap_cupti_copy((uintptr_t)area, copy, sizeof copy);

		shared->n[got == sizeof copy ? 0 : got ? 1 : 2]++;
	}
	return 0;
}

/* ... and of a buffer that another thread gives back meanwhile, as much as is there is read. */
static void memory_that_goes_is_not_read(void **state)
{
	(void)state;
	scene_place();
	if (WEXITSTATUS(RUN_SCENE("filter")) == 77) {
		print_message("skipped: no filter of system calls can be set here\n");
		skip();
	}
	assert_int_equal(RUN_SCENE("going"), 0);
	assert_true(shared->n[0] > 0 && shared->n[2] > 0);
	assert_int_equal(shared->n[0] + shared->n[1] + shared->n[2], 100000);
	assert_int_equal(shared->n[3], 0);                      /* that may not be read */
}

/* 12.4 and newer */
enum { OVERHEAD = 17, OVERHEAD_BYTES = 56, FULL = 6 << 16 };

static size_t put_overhead(uint8_t *to, uint32_t kind, const void *data)
{
	put(to, OVERHEAD, NULL);
	memcpy(to + 4, &kind, 4);
	memcpy(to + 48, &data, sizeof data);
	return OVERHEAD_BYTES;
}

static int overheads(void)
{
	static uint8_t buffer[OVERHEAD_BYTES * 8];
	static uint32_t first[3] = { 0, 3, 1 }, second[3] = { 0, 4, 2 }, other[3] = { 7, 7, 7 };
	uint8_t *page = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t used = 0, end;

	begin();
	tap_cupti.record_bytes[OVERHEAD] = OVERHEAD_BYTES;
	munmap(page + 4096, 4096);
	used += put_overhead(buffer + used, FULL, first);
	used += put_overhead(buffer + used, FULL, second);
	used += put_overhead(buffer + used, FULL, first);
	used += put_overhead(buffer + used, 1 << 16, other);    /* of a kind that points to nothing */
	used += put_overhead(buffer + used, FULL, NULL);
	used += put_overhead(buffer + used, FULL, (void *)8);
	used += put_overhead(buffer + used, FULL, page + 4096 - 8);     /* its end is gone */
	for (int i = 0; i < 3; i++)
		shared->n[0] += tap_cupti_strings(buffer, used, &end);
	shared->n[1] = end == used;
	first[1] = 5;
	tap_cupti_strings(buffer, used, &end);
	return 0;
}

struct data { uint64_t n, seen[6]; };

static void each_data(const uint64_t *rec, void *arg)
{
	struct data *d = arg;
	uint32_t words[4];

	if (rec_id(*rec) != REC_CUPTI_STRING)
		return;
	memcpy(words, &rec[4], sizeof words);
	d->n++;
	if (words[0] == 12 && !words[1] && words[2] < 6 && words[3] == (words[2] == 4 ? 2 : 1))
		d->seen[words[2]]++;
}

/*
 * What the overhead of a full command buffer points to is stored once, again when it changed; a pointer to nothing, or
 * one of another kind, does no harm.
 */
static void data_of_overheads_is_stored(void **state)
{
	struct data d = { 0 };
	struct walk w = { .each = each_data, .arg = &d };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("overheads"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(shared->n[0], 0);                      /* CUPTI's own doing */
	assert_int_equal(shared->n[1], 1);
	assert_int_equal(w.bad, 0);
	assert_int_equal(d.seen[3], 1);
	assert_int_equal(d.seen[4], 1);
	assert_int_equal(d.seen[5], 1);
	assert_int_equal(d.n, 3);
	assert_int_equal(w.lost[REC_LOSS_CUPTI_NAME_GONE], 0);
}

static int many_strings(void)
{
	enum { NAMES = 100000 };
	static char names[NAMES][8];
	static uint8_t buffer[KERNEL_BYTES];
	size_t end;

	begin();
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < NAMES; i++) {
			snprintf(names[i], sizeof names[i], "k%d", i);
			put(buffer, KERNEL, names[i]);
			tap_cupti_strings(buffer, sizeof buffer, &end);
		}
	return 0;
}

/* A hundred thousand names are each stored once: the table grows. */
static void many_texts_are_stored_once(void **state)
{
	struct walk w = { 0 };

	(void)state;
	scene_place();
	assert_int_equal(RUN_SCENE("many_strings"), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(w.by_type[REC_CUPTI_STRING], 100000);
}

/* ------------------------------------------------------------------- filters */

static const char *const runtime_names[] = { NULL, "cudaMalloc_v3020", "cudaMemcpyAsync_v3020",
	"cudaMemcpyAsync_ptsz_v7000", "cudaLaunchKernel_v7000", "cudaGraphLaunch_v10000" };
static const char *const driver_names[] = { NULL, "cuInit", "cuMemAlloc_v2", "cuLaunchKernel", "cuLaunchKernelEx_ptsz",
	"cuGraphCreate" };

static int name_of(int domain, uint32_t cbid, const char **name)
{
	const char *const *names = domain == TAP_CUPTI_RUNTIME ? runtime_names : driver_names;

	if (cbid < 1 || cbid > 5)
		return 1;
	*name = names[cbid];
	return 0;
}

static bool is_chosen(uint32_t domain, uint32_t cbid) { return tap_cupti_choice(domain, cbid) & TAP_CUPTI_CHOSEN; }

/* A bit for each call that passes: runtime 1 to 5, driver 9 to 13. */
static int filters(void)
{
	tap_cupti.raw.cuptiGetCallbackName = name_of;
	tap_cupti_filter_init();
	for (uint32_t cbid = 1; cbid <= 5; cbid++) {
		shared->n[0] |= (uint64_t)is_chosen(TAP_CUPTI_RUNTIME, cbid) << cbid;
		shared->n[0] |= (uint64_t)is_chosen(TAP_CUPTI_DRIVER, cbid) << (8 + cbid);
	}
	shared->n[1] = is_chosen(TAP_CUPTI_DRIVER, 100000);
	return 0;
}

static uint64_t passing(const char *api, const char *filter)
{
	char a[64], f[200];

	snprintf(a, sizeof a, "GPUTAP_CUDA_API=%s", api);
	snprintf(f, sizeof f, "GPUTAP_CUDA_FILTER=%s", filter);
	scene_place();
	assert_int_equal(RUN_SCENE("filters", a, f), 0);
	assert_int_equal(shared->n[1], 0);
	return shared->n[0];
}

/* Names match with and without the suffixes that the library gives them. */
static void filters_choose_calls_by_name(void **state)
{
	(void)state;
	assert_int_equal(passing("all", ""), 0x3e3e);
	assert_int_equal(passing("runtime", ""), 0x3e);
	assert_int_equal(passing("driver", ""), 0x3e00);
	assert_int_equal(passing("none", ""), 0);
	assert_int_equal(passing("all", "cudaMemcpyAsync"), 1 << 2 | 1 << 3);
	assert_int_equal(passing("all", "cudaMemcpyAsync_v3020"), 1 << 2);
	assert_int_equal(passing("all", "*Launch*"), 1 << 4 | 1 << 5 | (1 << 3 | 1 << 4) << 8);
	assert_int_equal(passing("runtime", "*Launch*"), 1 << 4 | 1 << 5);
	assert_int_equal(passing("all", "cu????"), 1 << 9);
	assert_int_equal(passing("all", "cuMemAlloc"), 1 << 10);
	assert_int_equal(passing("all", "!cuda*"), 0x3e00);
	assert_int_equal(passing("all", "*Launch*,!*Graph*"), 1 << 4 | (1 << 3 | 1 << 4) << 8);
	assert_int_equal(passing("all", "!*Graph*,!*Launch* , cudaM*"), 1 << 1 | 1 << 2 | 1 << 3);
	assert_int_equal(passing("all", "nothing"), 0);
}

const struct scene scenes[] = {
	{ "buffers", buffers }, { "killed", killed }, { "same_place", same_place }, { "no_room", no_room },
	{ "forked", forked }, { "many_out", many_out }, { "ring", ring }, { "strings", strings }, { "filter", filter },
	{ "going", going }, { "many_strings", many_strings }, { "overheads", overheads }, { "filters", filters },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_hand_buffers_over),
		cmocka_unit_test(an_open_buffer_survives_a_kill),
		cmocka_unit_test(a_buffer_in_anothers_place_is_looked_at_anew),
		cmocka_unit_test(without_room_buffers_are_thrown_away),
		cmocka_unit_test(a_forked_child_leaves_buffers_alone),
		cmocka_unit_test(many_buffers_are_small),
		cmocka_unit_test(a_ring_of_buffers_counts_what_it_overwrote),
		cmocka_unit_test(texts_are_stored_once_and_when_they_change),
		cmocka_unit_test(a_filter_costs_no_text),
		cmocka_unit_test(memory_that_goes_is_not_read),
		cmocka_unit_test(data_of_overheads_is_stored),
		cmocka_unit_test(many_texts_are_stored_once),
		cmocka_unit_test(filters_choose_calls_by_name),
	};

	scene_main(argc, argv);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scene_clean();
	return failed;
}
