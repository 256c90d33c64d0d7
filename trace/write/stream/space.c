/*
 * trace/write/stream/space.c - the files of streams, and the room in them: made, counted against limits, allocated
 *
 * Runs      on slow paths of the traced program, with all signals blocked.
 * May       make system calls.
 * Must not  keep a descriptor, allocate with malloc, lock, touch errno.
 *
 * SPACE1  No store into a mapping may fault for want of space: what is mapped was allocated before (fallocate, else
 *         zeros were written), inside RLIMIT_FSIZE.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/resource.h>
#include <sys/vfs.h>

#include "common/plain/without.h"
#include "trace/write/debug.h"
#include "trace/write/entries.h"
#include "trace/write/internal.h"

/* errno values: raw calls return them negated */
enum { NOT_PERMITTED = 1, NO_ENTRY = 2, ACCESS = 13, NO_SPACE = 28, NO_SUCH_CALL = 38, NOT_SUPPORTED = 95 };

static uint64_t bytes_in_trace;         /* of this process, against --max-size */
static uint64_t bytes_of_blobs;         /* ... of them of contents, against --max-contents */
static uint32_t files_made;             /* stream files that this image made and did not remove itself */
static uint32_t removed_told;           /* ... that others removed, as far as it was counted */

/* -------------------------------------------------------------------- files */

static void stream_path(char *path, uint32_t number)
{
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, tap_run_image_dir());
	tap_text_char(&t, '/');
	tap_text_u64(&t, number);
	tap_text_str(&t, ".str");
}

int tap_space_open(uint32_t number)
{
	char *path = tap_scratch_take();
	int fd;

	stream_path(path, number);
	fd = tap_sys_open(path, O_RDWR | O_NOFOLLOW, 0);
	tap_scratch_give(path);
	return fd;
}

bool tap_space_out_of_reach(int err) { return err == -NOT_PERMITTED || err == -ACCESS; }

int tap_space_make(uint32_t number)
{
	char *path = tap_scratch_take();

	stream_path(path, number);
	int fd = tap_sys_create_own(path, O_RDWR);

	if (tap_space_out_of_reach(fd) && tap_run_image_move()) {
		stream_path(path, number);
		fd = tap_sys_create_own(path, O_RDWR);
	}
	tap_scratch_give(path);
	if (fd >= 0)
		__atomic_fetch_add(&files_made, 1, __ATOMIC_RELAXED);
	return fd;
}

/* The file of a stream that could not be opened as a whole. */
void tap_space_remove(uint32_t number)
{
	char *path = tap_scratch_take();

	stream_path(path, number);
	tap_sys_unlink(path, 0);
	tap_scratch_give(path);
	__atomic_fetch_sub(&files_made, 1, __ATOMIC_RELAXED);
}

/* How many of the files of a directory are streams; -1: it cannot be listed. */
static int count_streams(const char *dir)
{
	int fd = tap_sys_open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), found = 0;
	char *names = fd < 0 ? NULL : tap_scratch_take();
	struct tap_entries e = { .fd = fd, .room = names, .size = TAP_SCRATCH_BYTES };

	if (fd < 0)
		return fd == -NO_ENTRY ? 0 : -1;
	for (const char *name; (name = tap_entries_next(&e));) {
		size_t length = tap_text_length(name);

		found += length > 4 && tap_text_equal(name + length - 4, ".str");
	}
	tap_scratch_give(names);
	tap_sys_close(fd);
	return e.n < 0 ? -1 : found;
}

void tap_space_removed(void) { __atomic_fetch_add(&removed_told, 1, __ATOMIC_RELAXED); }

uint32_t tap_space_files_removed(void)
{
	const char *second = tap_run_image_dir();
	int first = tap_seccomp ? -1 : count_streams(tap_run_first_dir()),
	    more = first < 0 || second == tap_run_first_dir() ? 0 : count_streams(second);
	uint32_t made = __atomic_load_n(&files_made, __ATOMIC_RELAXED) - removed_told;

	return first < 0 || more < 0 || (uint32_t)(first + more) >= made ? 0 : made - (uint32_t)(first + more);
}

void tap_space_forget(void)
{
	if (!gc_without("size-of-child"))
		bytes_in_trace = 0;
	bytes_of_blobs = 0;
	files_made = removed_told = 0;
}

/* --------------------------------------------------------------------- room */

bool tap_space_inside_limit(uint64_t end)
{
	struct { uint64_t soft, hard; } limit;

	return TAP_SYS(prlimit64, 0, RLIMIT_FSIZE, NULL, &limit, 0, 0) < 0 || end <= limit.soft;
}

static _Atomic int may_fail;            /* 0 not asked, 1 no, 2 yes: one trace, one file system */

/*
 * Copy-on-write and network file systems may still refuse a store into allocated space. Writing the zeros ourselves at
 * least finds out early whether there is room; docs/trace-format.md says what remains. An overlay keeps new files on
 * its upper file system and passes allocation on to it: what that cannot do shows as "not supported".
 */
bool tap_space_may_fail(int fd)
{
	struct statfs fs;

	if (may_fail)
		return may_fail == 2;
	bool bad = TAP_SYS(fstatfs, fd, &fs, 0, 0, 0, 0) == 0 &&
		(fs.f_type == 0x9123683e /* btrfs */ || fs.f_type == 0x6969 /* nfs */ ||
			fs.f_type == 0xff534d42 /* cifs */ || fs.f_type == 0xfe534d42 /* smb2 */ ||
			fs.f_type == 0x2fc12fc1 /* zfs */ || fs.f_type == 0x65735546 /* fuse */);
	may_fail = bad ? 2 : 1;
	return bad;
}

void tap_space_notes(void)
{
	if (may_fail == 2)
		TAP_DEGRADE(TAP_PART_CORE,
			"the trace is on a file system where a full disk may end the program: write it to a local disk "
		        "(--output)");
}

static bool write_zeros(int fd, uint64_t at, uint64_t bytes)
{
	static const char zeros[16384];

	while (bytes) {
		long n = tap_sys_pwrite(fd, zeros, bytes < sizeof zeros ? bytes : sizeof zeros, at);

		if (n <= 0)
			return false;
		at += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return true;
}

/* A thread's first chunks and windows may go over the size of a ring: without them it could not overwrite anything. */
static bool needed_for_ring(const struct tap_stream *s)
{
	return tap_ring() && (s->keeps ? !s->chunks : s->ring_places < 3);
}

long tap_space_try(int fd, uint64_t at, uint64_t bytes)
{
	long err = tap_space_may_fail(fd) ? -NOT_SUPPORTED : tap_sys_fallocate(fd, at, bytes);

	if (err == -NOT_SUPPORTED || err == -NO_SUCH_CALL)
		return write_zeros(fd, at, bytes) ? 0 : -NO_SPACE;
	return err;
}

/* SPACE1. Counts the bytes against --max-size; over_size: they may pass it. */
bool tap_space_take(int fd, uint64_t at, uint64_t bytes, bool over_size, enum rec_loss *why)
{
	uint64_t max = tap_options.max_size;

	*why = REC_LOSS_NO_SPACE;
	if (!tap_space_inside_limit(at + bytes))
		return false;
	if (__atomic_add_fetch(&bytes_in_trace, bytes, __ATOMIC_RELAXED) > max && max && !over_size)
		*why = REC_LOSS_SIZE_CAP;
	else if (tap_space_try(fd, at, bytes) == 0)
		return true;
	__atomic_sub_fetch(&bytes_in_trace, bytes, __ATOMIC_RELAXED);
	return false;
}

/* From `at` on, as far as the stream's file has no space there yet. */
bool tap_space_allocate(struct tap_stream *s, int fd, uint64_t at, uint64_t bytes, enum rec_loss *why)
{
	uint64_t end = at + bytes, from = at > s->allocated ? at : s->allocated;

	if (end <= s->allocated)
		return true;
	if (!tap_space_take(fd, from, end - from, needed_for_ring(s), why))
		return false;
	s->allocated = end;
	return true;
}

int tap_space_file(uint32_t number) { return tap_seccomp ? -1 : tap_space_open(number); }

void tap_space_uncount(uint64_t bytes) { __atomic_sub_fetch(&bytes_in_trace, bytes, __ATOMIC_RELAXED); }

bool tap_space_punch(int fd, uint64_t at, uint64_t bytes)
{
	return TAP_SYS(fallocate, fd, 3 /* KEEP_SIZE, PUNCH_HOLE */, at, bytes, 0, 0) == 0;
}

bool tap_space_refill(int fd, uint64_t at, uint64_t bytes)
{
	return tap_space_inside_limit(at + bytes) && tap_space_try(fd, at, bytes) == 0;
}

uint64_t tap_space_counted(void) { return __atomic_load_n(&bytes_in_trace, __ATOMIC_RELAXED); }

/* ----------------------------------------------------------------- contents */

/* Contents leave most of a trace of limited size to calls. */
static uint64_t blobs_limit(void)
{
	return tap_options.max_contents ? tap_options.max_contents : tap_options.max_size / 4;
}

bool tap_space_blobs(struct tap_stream *s, int fd, uint64_t bytes, uint64_t *offset, enum rec_loss *why)
{
	uint64_t limit = blobs_limit(), from = s->next_chunk > s->allocated ? s->next_chunk : s->allocated;
	uint64_t end = s->next_chunk + bytes;

	*why = REC_LOSS_CONTENTS_CAP;
	if (__atomic_add_fetch(&bytes_of_blobs, bytes, __ATOMIC_RELAXED) > limit && limit)
		goto none;
	/* A ring is full of calls sooner or later: its contents stand beside its size. */
	if (end > s->allocated && !tap_space_take(fd, from, end - from, tap_ring(), why))
		goto none;
	if (end > s->allocated)
		s->allocated = end;
	*offset = s->next_chunk;
	s->next_chunk = tap_round_up(end, REC_BLOCK);
	return true;
none:
	__atomic_sub_fetch(&bytes_of_blobs, bytes, __ATOMIC_RELAXED);
	return false;
}
