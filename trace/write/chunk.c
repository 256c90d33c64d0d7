/*
 * trace/write/chunk.c - the chunks of a stream file: opened, allocated, mapped and closed in one go
 *
 * Runs      on the thread that holds the stream, with all signals blocked.
 * May       make system calls. At most three mappings a stream: control page and two chunks or windows (STREAM4).
 * Must not  keep a descriptor, allocate with malloc, lock, touch errno.
 *
 * CHUNK1  No store into a mapping may fault for want of space: what is mapped was allocated before (fallocate, else
 *         zeros were written), inside RLIMIT_FSIZE.
 * CHUNK2  A chunk's magic is written last: without it a reader sees free space.
 * CHUNK3  A window's target is set when its image is the truth and cleared when the chunk stands whole in its own
 *         place. So a reader that prefers a window with a target finds every record, whenever the program was killed.
 *
 * Windows. The first store into a page of a file mapping costs microseconds (allocation, journal, dirty accounting), as
 * much as a hundred records. So a busy stream has two windows in its file, whose pages stay; a full one is copied
 * to the chunk's place, which was allocated before the chunk was opened, by two writes before the window is used again:
 * one when the other window comes to its last block, one when that is full. A call waits for half of the copy at the
 * most. docs/decisions.md has the figures.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "trace/write/debug.h"
#include "common/plain/without.h"
#include "trace/write/internal.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* errno values: raw calls return them negated */
enum {
	NOT_PERMITTED = 1,
	NO_ENTRY = 2,
	ACCESS = 13,
	INVALID = 22,
	NO_SPACE = 28,
	NO_SUCH_CALL = 38,
	LOOP = 40,
	NOT_SUPPORTED = 95,
	STALE = 116
};

/* Up to here links tell offsets (rec_link), 32 GiB; a test says less. */
uint64_t tap_chunk_file_end = 1ull << 35;

static uint64_t bytes_in_trace;         /* of this process, against --max-size */
static uint64_t bytes_of_blobs;         /* ... of them of contents, against --max-contents */
static uint32_t files_made;             /* stream files that this image made and did not remove itself */
static uint32_t removed_told;           /* ... that others removed, as far as it was counted */

/* ------------------------------------------------------------- file space */

static void stream_path(char *path, uint32_t number)
{
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, tap_run_image_dir());
	tap_text_char(&t, '/');
	tap_text_u64(&t, number);
	tap_text_str(&t, ".str");
}

static int open_stream(uint32_t number)
{
	char path[TAP_PATH_MAX];

	stream_path(path, number);
	return tap_sys_open(path, O_RDWR | O_NOFOLLOW, 0);
}

static bool is_out_of_reach(int err) { return err == -NOT_PERMITTED || err == -ACCESS; }

static int make_stream(uint32_t number)
{
	char path[TAP_PATH_MAX];

	stream_path(path, number);
	int fd = tap_sys_create_own(path, O_RDWR);

	if (is_out_of_reach(fd) && tap_run_image_move()) {
		stream_path(path, number);
		fd = tap_sys_create_own(path, O_RDWR);
	}
	if (fd >= 0)
		__atomic_fetch_add(&files_made, 1, __ATOMIC_RELAXED);
	return fd;
}

/* The file of a stream that could not be opened as a whole. */
static void remove_stream(uint32_t number)
{
	char path[TAP_PATH_MAX];

	stream_path(path, number);
	tap_sys_unlink(path, 0);
	__atomic_fetch_sub(&files_made, 1, __ATOMIC_RELAXED);
}

/* How many of the files of a directory are streams; -1: it cannot be listed. */
static int count_streams(const char *dir)
{
	struct entry { uint64_t inode; int64_t next; uint16_t bytes; uint8_t type; char name[]; };
	char names[2048] __attribute__((aligned(8)));
	int fd = tap_sys_open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), found = 0;
	long n;

	if (fd < 0)
		return fd == -NO_ENTRY ? 0 : -1;
	while ((n = TAP_SYS(getdents64, fd, names, sizeof names, 0, 0, 0)) > 0)
		for (long at = 0; at < n; at += ((struct entry *)(names + at))->bytes) {
			const char *name = ((struct entry *)(names + at))->name;
			size_t length = tap_text_length(name);

			found += length > 4 && tap_text_equal(name + length - 4, ".str");
		}
	tap_sys_close(fd);
	return n < 0 ? -1 : found;
}

uint32_t tap_chunk_files_removed(void)
{
	const char *second = tap_run_image_dir();
	int first = tap_seccomp ? -1 : count_streams(tap_run_first_dir()),
	    more = first < 0 || second == tap_run_first_dir() ? 0 : count_streams(second);
	uint32_t made = __atomic_load_n(&files_made, __ATOMIC_RELAXED) - removed_told;

	return first < 0 || more < 0 || (uint32_t)(first + more) >= made ? 0 : made - (uint32_t)(first + more);
}

void tap_chunk_forget(void)
{
	if (!gc_without("size-of-child"))
		bytes_in_trace = 0;
	bytes_of_blobs = 0;
	files_made = removed_told = 0;
}

static bool inside_file_limit(uint64_t end)
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
static bool stores_may_fail(int fd)
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

void tap_chunk_notes(void)
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

static long try_allocate(int fd, uint64_t at, uint64_t bytes)
{
	long err = stores_may_fail(fd) ? -NOT_SUPPORTED : tap_sys_fallocate(fd, at, bytes);

	if (err == -NOT_SUPPORTED || err == -NO_SUCH_CALL)
		return write_zeros(fd, at, bytes) ? 0 : -NO_SPACE;
	return err;
}

/* CHUNK1. Counts the bytes against --max-size; over_size: they may pass it. */
static bool allocate_space(int fd, uint64_t at, uint64_t bytes, bool over_size, enum rec_loss *why)
{
	uint64_t max = tap_options.max_size;

	*why = REC_LOSS_NO_SPACE;
	if (!inside_file_limit(at + bytes))
		return false;
	if (__atomic_add_fetch(&bytes_in_trace, bytes, __ATOMIC_RELAXED) > max && max && !over_size)
		*why = REC_LOSS_SIZE_CAP;
	else if (try_allocate(fd, at, bytes) == 0)
		return true;
	__atomic_sub_fetch(&bytes_in_trace, bytes, __ATOMIC_RELAXED);
	return false;
}

/* From `at` on, as far as the stream's file has no space there yet. */
static bool allocate(struct tap_stream *s, int fd, uint64_t at, uint64_t bytes, enum rec_loss *why)
{
	uint64_t end = at + bytes, from = at > s->allocated ? at : s->allocated;

	if (end <= s->allocated)
		return true;
	if (!allocate_space(fd, from, end - from, needed_for_ring(s), why))
		return false;
	s->allocated = end;
	return true;
}

/* ------------------------------------------- places of other files (buffers.c) */

int tap_chunk_file(uint32_t number) { return tap_seccomp ? -1 : open_stream(number); }

bool tap_chunk_allocate(int fd, uint64_t at, uint64_t bytes, enum rec_loss *why)
{
	return allocate_space(fd, at, bytes, false, why);       /* a ring's buffers have no right to go over its size */
}

void tap_chunk_uncount(uint64_t bytes) { __atomic_sub_fetch(&bytes_in_trace, bytes, __ATOMIC_RELAXED); }

bool tap_chunk_punch(int fd, uint64_t at, uint64_t bytes)
{
	return TAP_SYS(fallocate, fd, 3 /* KEEP_SIZE, PUNCH_HOLE */, at, bytes, 0, 0) == 0;
}

bool tap_chunk_refill(int fd, uint64_t at, uint64_t bytes)
{
	return inside_file_limit(at + bytes) && try_allocate(fd, at, bytes) == 0;
}

/* ----------------------------------------------------------------- mapping */

/* The few pages that every stream needs are made ready by one system call instead of a fault each. */
static void populate(void *at, size_t bytes)
{
	static _Atomic int missing;                     /* before Linux 5.14 */

	if (!missing && tap_sys_madvise(at, bytes, MADV_POPULATE_WRITE) == -INVALID)
		missing = 1;
}

static void chunk_header(void *at, uint64_t bytes)
{
	struct rec_chunk *c = at;

	c->kind = REC_CHUNK_CALLS;
	c->version = REC_VERSION;
	c->bytes = bytes;
	c->start_tick = tap_tick();
	__atomic_store_n(&c->magic, REC_CHUNK_MAGIC, __ATOMIC_RELEASE);         /* CHUNK2 */
}

static uint64_t round_up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

/* The first chunk shares its mapping with the control page in front of it. */
bool tap_chunk_first(struct tap_stream *s, enum rec_loss *why)
{
	uint64_t bytes = 16384 < sysconf(_SC_PAGESIZE) ? (uint64_t)sysconf(_SC_PAGESIZE) : 16384;
	int fd = make_stream(s->number);
	uint8_t *map = NULL;

	*why = REC_LOSS_NO_SPACE;
	if (fd < 0)
		return false;
	if (allocate(s, fd, 0, bytes, why))
		map = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	tap_sys_close(fd);
	if (!map) {
		remove_stream(s->number);
		return false;
	}
	populate(map, bytes);
	s->control = (struct rec_control *)map;
	s->control->version = REC_VERSION;
	s->control->stream = s->number;
	s->control->magic = REC_CONTROL_MAGIC;
	chunk_header(map + REC_CONTROL_BYTES, bytes - REC_CONTROL_BYTES);
	s->base = (uintptr_t)map;
	s->used = REC_CONTROL_BYTES + sizeof(struct rec_chunk);
	s->limit = bytes - REC_CHUNK_RESERVE;
	s->chunk_end = bytes;
	s->next_chunk = round_up(bytes, REC_BLOCK);
	s->map = map;
	s->map_bytes = bytes;
	s->chunks = 1;
	return true;
}

/*
 * A stream file that is nothing but its control page, for counts of what no stream could take. It may pass --max-size.
 */
uint64_t *tap_chunk_counts(uint32_t number)
{
	int fd = inside_file_limit(REC_CONTROL_BYTES) ? make_stream(number) : -1;
	struct rec_control *control = NULL;

	if (fd < 0)
		return NULL;
	if (try_allocate(fd, 0, REC_CONTROL_BYTES) == 0)
		control = tap_sys_mmap(NULL, REC_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	tap_sys_close(fd);
	if (!control) {
		remove_stream(number);
		return NULL;
	}
	control->version = REC_VERSION;
	control->stream = number;
	control->pid = tap_sys_getpid();
	control->magic = REC_CONTROL_MAGIC;
	return control->lost;
}

/*
 * Claims what is left up to `end`, so that a reader steps over it. extra: how far behind the limit that lies. A handler
 * may come between, even one that moves on to another block: then a piece of that block becomes padding, or nothing
 * does.
 */
static void pad_to(struct tap_stream *s, uint64_t end, uint32_t extra)
{
	uint64_t used, link;

	while ((used = TAP_READ_ONCE(s->used)) < end) {
		uint32_t words = (uint32_t)((end - used) / 8);
		uint64_t *rec = tap_stream_claim(s, words, extra, &link);

		if (!rec)
			continue;               /* a handler took some of it */
		if (words > 255)
			rec[1] = words;
		tap_stream_commit(
			rec, words > 255 ? rec_head(REC_PAD, 0, REC_LONG, 0) : rec_head(REC_PAD, words, 0, 0));
	}
}

/*
 * No system call, signals not blocked. Offsets only grow, so each step is a compare-and-swap from what was seen: a
 * handler that did it first, or went further, makes ours fail. chunk_end is read before used: a stale one can only
 * answer "no".
 */
bool tap_chunk_next_block(struct tap_stream *s)
{
	uint64_t chunk_end = TAP_READ_ONCE(s->chunk_end), used = TAP_READ_ONCE(s->used);
	uint64_t block_end = (used + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;

	if (block_end >= chunk_end || TAP_READ_ONCE(s->limit) % REC_BLOCK)
		return false;                   /* only the limit of a chunk's last block is no block's end */
	pad_to(s, block_end, 0);
	tap_local_cmpxchg(&s->limit, block_end,
		block_end + REC_BLOCK < chunk_end ? block_end + REC_BLOCK : chunk_end - REC_CHUNK_RESERVE);
	return true;
}

/* both stay in the second level cache; five blocks without a system call, and one more step */
#define WINDOW_IMAGE (6u * REC_BLOCK)

static uint64_t next_bytes(const struct tap_stream *s)
{
	return s->chunks == 1 ? REC_BLOCK : s->chunks == 2 ? 4 * REC_BLOCK : 16 * REC_BLOCK;
}

/* The mapping before the last goes; of the first chunk the control page stays. */
static void retire(struct tap_stream *s)
{
	if (s->last_map)
		tap_sys_munmap(s->last_map, s->last_map_bytes);
	s->last_map = s->map;                   /* NULL for a window: it stays */
	s->last_map_bytes = s->map_bytes;
	if (s->map == (void *)s->control) {
		size_t page = (size_t)sysconf(_SC_PAGESIZE);

		s->last_map = s->map_bytes > page ? (uint8_t *)s->map + page : NULL;
		s->last_map_bytes = s->map_bytes - page;
	}
}

/* The new chunk, its header written, becomes the open one; `address` is where its first byte is mapped. */
static void open_chunk(struct tap_stream *s, uint8_t *address, uint64_t at, uint64_t bytes)
{
	pad_to(s, s->chunk_end, REC_CHUNK_RESERVE);
	retire(s);
	s->base = (uintptr_t)address - at;
	s->used = at + sizeof(struct rec_chunk);
	s->limit = bytes > REC_BLOCK ? at + REC_BLOCK : at + bytes - REC_CHUNK_RESERVE;
	s->chunk_end = at + bytes;
	s->map = NULL;
	s->chunks++;
}

/* ---------------------------------------------------------------- windows */

static uint8_t *image_of(struct rec_chunk *window) { return (uint8_t *)window + REC_STAGE_IMAGE; }

static struct rec_chunk *window_make(struct tap_stream *s, int fd, enum rec_loss *why)
{
	uint64_t bytes = REC_STAGE_IMAGE + WINDOW_IMAGE, at = s->next_chunk;
	struct rec_chunk *w = NULL;

	if (allocate(s, fd, at, bytes, why))
		w = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (!w)
		return NULL;
	/*
	 * Else the first store brings in all of it as one large folio, which takes 0.2 ms at once; so each page waits
	 * for its own.
	 */
	tap_sys_madvise(w, bytes, MADV_RANDOM);
	s->next_chunk = round_up(at + bytes, REC_BLOCK);
	w->kind = REC_CHUNK_STAGE;
	w->version = REC_VERSION;
	w->bytes = bytes;
	w->start_tick = tap_tick();
	__atomic_store_n(&w->magic, REC_CHUNK_MAGIC, __ATOMIC_RELEASE);         /* CHUNK2 */
	return w;
}

/* Bytes of the window's image from `done` on to their place, up to `end`; returns how far that came. */
static uint64_t window_copy(int fd, struct rec_chunk *w, uint64_t done, uint64_t end)
{
	if (!inside_file_limit(w->rec_stage_target + end))
		return done;                    /* lowered since: the write would raise a signal */
	while (done < end) {
		long n = tap_sys_pwrite(fd, image_of(w) + done, end - done, w->rec_stage_target + done);

		if (n <= 0)
			break;
		done += (uint64_t)n;
	}
	return done;
}

/* CHUNK3. The window's chunk stands in its own place. */
static bool window_flush(struct tap_stream *s, int fd, struct rec_chunk *w)
{
	if (!w->rec_stage_target)
		return true;
	bool whole = window_copy(fd, w, s->copied, WINDOW_IMAGE) == WINDOW_IMAGE;

	s->copied = 0;
	if (whole)
		__atomic_store_n(&w->rec_stage_target, 0, __ATOMIC_RELEASE);
	return whole;
}

bool tap_chunk_prepares(const struct tap_stream *s)    /* in the last block of a window */
{
	return !s->map && s->chunks > 2 && s->chunk_end - s->used <= REC_BLOCK && !s->copied && !s->dead;
}

/*
 * Its records were finished a chunk ago, but for those of code that was interrupted and has not come back for five
 * blocks (STREAM4). The image counts until the target goes, so nothing depends on how far this came.
 */
void tap_chunk_prepare(struct tap_stream *s)
{
	struct rec_chunk *w = s->window[s->chunks & 1];  /* the one that the next chunk takes */
	int fd = tap_seccomp || !tap_chunk_prepares(s) ? -1 : open_stream(s->number);
	enum rec_loss why;

	if (fd < 0)
		return;
	if (w && w->rec_stage_target)
		s->copied = window_copy(fd, w, 0, WINDOW_IMAGE / 2);
	allocate(s, fd, s->next_chunk, WINDOW_IMAGE, &why);
	tap_sys_close(fd);
}

static bool next_in_window(struct tap_stream *s, int fd, enum rec_loss *why)
{
	struct rec_chunk **w = &s->window[s->chunks & 1];
	bool fresh = !*w;
	bool ring = tap_ring() && !s->keeps;

	if (fresh && !(*w = window_make(s, fd, why)))
		return false;
	uint64_t place = s->next_chunk, gone = 0;

	/* first: the oldest place of a small ring may be the one it stands for */
	if (!window_flush(s, fd, *w))
		return false;
	if (allocate(s, fd, place, WINDOW_IMAGE, why)) {
		s->next_chunk += WINDOW_IMAGE;
		if (ring)
			tap_ring_add(s, place);
	} else if (!ring || !tap_ring_take_oldest(s, fd, &place, &gone)) {
		return false;
	}
	uint64_t at = place > s->chunk_end ? place : round_up(s->chunk_end, REC_BLOCK);

	if (!fresh)                             /* else it is zero, and its pages wait for their first records */
		__builtin_memset(image_of(*w), 0, WINDOW_IMAGE);
	struct rec_chunk *image = (struct rec_chunk *)image_of(*w), *other = s->window[!(s->chunks & 1)];

	image->rec_calls_gone = gone;
	image->rec_offset = at == place ? 0 : at;
	chunk_header(image, WINDOW_IMAGE);
	__atomic_store_n(&(*w)->rec_stage_target, place, __ATOMIC_RELEASE);     /* CHUNK3, RING1 */
	open_chunk(s, (uint8_t *)image, at, WINDOW_IMAGE);
	if (ring) {
		if (other)
			tap_ring_leave((struct rec_chunk *)image_of(other));
		tap_stream_record_thread(s, REC_THREAD_AGAIN);
	}
	return true;
}

static bool next_in_place(struct tap_stream *s, int fd, enum rec_loss *why)
{
	uint64_t bytes = next_bytes(s), at = s->next_chunk;
	bool room = allocate(s, fd, at, bytes, why);
	uint8_t *map = NULL;

	while (!room && bytes > REC_BLOCK)              /* a small chunk is better than none */
		room = allocate(s, fd, at, bytes /= 4, why);
	if (room)
		map = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (!map)
		return false;
	chunk_header(map, bytes);
	open_chunk(s, map, at, bytes);
	s->next_chunk = at + bytes;
	s->map = map;
	s->map_bytes = bytes;
	return true;
}

/* ------------------------------------------------------------- another file */

/* What the holder is inside, and what it lost, goes on in the new page; the old one is nobody's. */
static void hand_over(struct rec_control *old, struct rec_control *new)
{
	new->pid = old->pid;
	new->tid = old->tid;
	__builtin_memcpy(new->slot, old->slot, sizeof new->slot);
	__builtin_memcpy(new->lost, old->lost, sizeof new->lost);
	__builtin_memset(old->lost, 0, sizeof old->lost);
	for (uint32_t i = 0; i < REC_SLOTS; i++)
		TAP_WRITE_ONCE(old->slot[i].fn, 0);
	TAP_WRITE_ONCE(old->tid, 0);
}

/* STREAM4: the open chunk stays mapped until the next switch; the windows' chunks count as they are (CHUNK3). */
static void leave_file(struct tap_stream *s)
{
	struct rec_chunk *open = s->map ? NULL : s->window[!(s->chunks & 1)];

	pad_to(s, s->chunk_end, REC_CHUNK_RESERVE);
	retire(s);
	for (int i = 0; i < 2; i++) {
		if (s->window[i] && s->window[i] != open)
			tap_sys_munmap(s->window[i], REC_STAGE_IMAGE + WINDOW_IMAGE);
		s->window[i] = NULL;
	}
	if (open) {
		s->last_map = open;
		s->last_map_bytes = REC_STAGE_IMAGE + WINDOW_IMAGE;
	}
}

/*
 * The stream goes on in a file of another number: links cannot tell more of this one, or it cannot be opened any more.
 * The control page takes the old one's place in memory, so that who holds an address in it (a call that is not over)
 * finds the new one.
 */
static bool move_stream(struct tap_stream *s, enum rec_loss *why)
{
	struct tap_stream fresh = { .number = tap_stream_take_number(), .keeps = s->keeps };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!tap_chunk_first(&fresh, why))
		return false;
	leave_file(s);
	hand_over(s->control, fresh.control);
	if (TAP_SYS(mremap, fresh.control, page, page, 3 /* MAYMOVE, FIXED */, s->control, 0) !=
		(long)(uintptr_t)s->control)
		s->control = fresh.control;     /* a call that is not over ends in the old page */
	s->number = fresh.number;
	s->base = fresh.base;
	s->used = fresh.used;
	s->limit = fresh.limit;
	s->chunk_end = fresh.chunk_end;
	s->next_chunk = fresh.next_chunk;
	s->allocated = fresh.allocated;
	s->copied = s->blobs_at = s->blobs_end = 0;
	s->map_bytes = fresh.map_bytes - page;
	s->map = s->map_bytes ? (uint8_t *)fresh.map + page : NULL;
	s->chunks = 1;
	s->ring_places = 0;
	s->ring_first = s->ring_next = 0;
	tap_stream_record_thread(s, REC_THREAD_AGAIN);
	TAP_DEBUG(chunk, "stream goes on in file %u", s->number);
	return true;
}

/* Whether a file that could not be opened never can be again. */
static bool is_gone(int err) { return is_out_of_reach(err) || err == -NO_ENTRY || err == -LOOP || err == -STALE; }

/*
 * The stream's file, opened; when that cannot be any more, the one that it goes on in. A file that went with nobody's
 * leave took records with it.
 */
static int reopen(struct tap_stream *s, enum rec_loss *why)
{
	int fd = open_stream(s->number);
	bool moved = tap_run_image_dir() != tap_run_first_dir();

	if (!is_gone(fd))
		return fd;
	if ((is_out_of_reach(fd) && !tap_run_image_move()) || !move_stream(s, why))
		return -1;
	if (fd == -NO_ENTRY && !moved) {
		tap_local_add(&s->control->lost[REC_LOSS_REMOVED], 1);
		__atomic_fetch_add(&removed_told, 1, __ATOMIC_RELAXED);
	}
	return open_stream(s->number);
}

/* Whether the next chunk would lie where links cannot tell it. A ring's count on: the reader knows where they stand. */
static bool is_long(const struct tap_stream *s)
{
	return !gc_without("long-stream") && s->next_chunk + 32u * REC_BLOCK > tap_chunk_file_end &&
		(!tap_ring() || s->keeps);
}

bool tap_chunk_next(struct tap_stream *s, enum rec_loss *why)
{
	*why = tap_seccomp ? REC_LOSS_SECCOMP : REC_LOSS_NO_SPACE;
	if (!tap_seccomp && is_long(s) && move_stream(s, why))
		return true;
	uint32_t number = s->number;
	int fd = tap_seccomp || is_long(s) ? -1 : reopen(s, why);

	if (fd < 0)
		return s->number != number;
	if (s->number != number) {              /* its first chunk is open */
		tap_sys_close(fd);
		return true;
	}
	/* its places are taken again: nothing but windows may be mapped */
	bool ring = tap_ring() && !s->keeps;
	bool windows = s->chunks >= 2 && (ring || !stores_may_fail(fd));
	bool done = (windows && next_in_window(s, fd, why)) || (!(ring && windows) && next_in_place(s, fd, why));

	tap_sys_close(fd);
	TAP_DEBUG(chunk, "stream %u: chunk %u %s at %lu, %lu bytes in the trace", s->number, s->chunks,
		done ? "opened" : "refused, wanted", done ? s->chunk_end : s->next_chunk, bytes_in_trace);
	return done;
}

int tap_chunk_blobs_file(struct tap_stream **s, enum rec_loss *why)
{
	if ((*s)->kept)
		*s = (*s)->kept;
	*why = tap_seccomp ? REC_LOSS_SECCOMP : REC_LOSS_NO_SPACE;
	return tap_seccomp ? -1 : reopen(*s, why);
}

/* Contents leave most of a trace of limited size to calls. */
static uint64_t blobs_limit(void)
{
	return tap_options.max_contents ? tap_options.max_contents : tap_options.max_size / 4;
}

bool tap_chunk_blobs_room(struct tap_stream *s, int fd, uint64_t bytes, uint64_t *offset, enum rec_loss *why)
{
	uint64_t limit = blobs_limit(), from = s->next_chunk > s->allocated ? s->next_chunk : s->allocated;
	uint64_t end = s->next_chunk + bytes;

	*why = REC_LOSS_CONTENTS_CAP;
	if (__atomic_add_fetch(&bytes_of_blobs, bytes, __ATOMIC_RELAXED) > limit && limit)
		goto none;
	/* A ring is full of calls sooner or later: its contents stand beside its size. */
	if (end > s->allocated && !allocate_space(fd, from, end - from, tap_ring(), why))
		goto none;
	if (end > s->allocated)
		s->allocated = end;
	*offset = s->next_chunk;
	s->next_chunk = round_up(end, REC_BLOCK);
	return true;
none:
	__atomic_sub_fetch(&bytes_of_blobs, bytes, __ATOMIC_RELAXED);
	return false;
}

static void blank(void *map, size_t bytes)
{
	if (map)
		tap_sys_mmap(map, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

void tap_chunk_blank(struct tap_stream *s)
{
	blank(s->map, s->map_bytes);
	blank(s->last_map, s->last_map_bytes);
	blank(s->window[0], REC_STAGE_IMAGE + WINDOW_IMAGE);
	blank(s->window[1], REC_STAGE_IMAGE + WINDOW_IMAGE);
	if (s->map != (void *)s->control)
		blank(s->control, (size_t)sysconf(_SC_PAGESIZE));
}
