/*
 * trace/write/stream/buffers.c - a stream file of places that another library fills: CUPTI's buffers
 *
 * Runs      on any thread of the traced program, in CUPTI's callbacks; several threads at once.
 * May       make system calls, with signals blocked.
 * Must not  keep a descriptor, allocate with malloc, lock, touch errno.
 *
 * BUFFER1  A place belongs to the thread that took it until it is given back: nothing but counters is shared.
 * BUFFER2  A place is allocated before it is mapped (SPACE1), and its magic is written last (CHUNK2). Its bytes are
 *          zero where the other library has not written yet, so after a kill its records end at the first zero.
 * BUFFER3  Places begin at whole blocks, and a place without a header (a kill, or a rest that nobody has taken yet)
 *          begins with a zero: a reader that goes on block by block there misses none behind it.
 *
 * CUPTI keeps a buffer for each thread that ever did something until a flush, so thousands may be out that hold a
 * record or two: the more are out, and the less room there is, the smaller are new places. One of less than a block is
 * followed by a hole.
 *
 * What a buffer left of its place goes to the next request: a flush gives back buffers that are nearly empty, and the
 * file would be many times longer than what it holds.
 *
 * In a ring places stay whole, as many as half of the size allows. When no room is left the place that was given back
 * first is taken again.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/stream/buffers.h"

#include <unistd.h>

#include "common/plain/without.h"
#include "trace/write/debug.h"
#include "trace/write/internal.h"

#define WORTH_PUNCHING 16384u           /* bytes: system calls for less would not pay */
#define LEFT_BYTES 2097152u             /* of a buffer that CUPTI keeps, behind what was seen in it */
#define RING_PLACES 4096u
#define RESTS 256u
#define WORTH_TAKING 2u                 /* blocks: a smaller rest is no place for a buffer */
#define ROOM_OF_ALL (256ull << 20)      /* bytes that are shared out where there is no --max-size */
#define SHARE 32u                       /* one more place takes at most this part of what there is for each */
#define LEAST_PLACE (32768u + REC_CUPTI_BUFFER)         /* buffers of 32 KiB are what others give to CUPTI, too */
#define LAST_PLACE (8192u + REC_CUPTI_BUFFER)           /* where more is wanted than there is */
#define SCARCE (4u * LEAST_PLACE)       /* bytes for each */
/* Where the chunk stands in its file, in the header's word that chunks of a ring keep it in too. */
#define PLACE(c) ((c)->rec_offset)

static uint32_t file;                   /* K of K.str */
static struct rec_control *control;     /* its page: mapped as long as the process lives */
static uint64_t page_bytes, place_bytes, first_place, next_place, numbers;
static bool equal_places;               /* they do not get smaller */
static uint64_t places_out;             /* taken, or about to be, and not given back */
static uint64_t (*count_ring)(const struct rec_chunk *c);
static uint64_t *ring_given;            /* of each place: 0 = in use or never used, else its turn of being given back */
static uint64_t ring_turns, ring_limit;
/* {first block u32, blocks u32} in the file, 0 = none: allocated and never written to */
static uint64_t rest[RESTS];

bool tap_buffers_open(uint64_t bytes, bool equal, uint64_t (*ring_count)(const struct rec_chunk *c))
{
	enum rec_loss why;
	uint64_t mask = tap_sys_signals_block();
	struct tap_stream *s = tap_stream_new_file(&why);

	tap_sys_signals_restore(mask);
	if (!s)
		return false;
	file = s->number;
	control = s->control;
	first_place = next_place = s->next_chunk;
	page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	place_bytes = bytes;
	equal_places = equal || tap_ring();
	numbers = places_out = 0;
	count_ring = ring_count;
	ring_given = NULL;
	__builtin_memset(rest, 0, sizeof rest);
	ring_limit = tap_options.max_size / 2 / bytes;
	ring_limit = ring_limit < 2 ? 2 : ring_limit > RING_PLACES ? RING_PLACES : ring_limit;
	if (tap_ring())
		ring_given = tap_sys_mmap(NULL, RING_PLACES * sizeof *ring_given, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return true;
}

/* ------------------------------------------------------------------- ring */

static uint64_t *ring_place(uint64_t at)
{
	uint64_t i = (at - first_place) / place_bytes;

	return ring_given && i < RING_PLACES ? &ring_given[i] : NULL;
}

/* True for the one caller that got the place given back first. */
static bool ring_take_oldest(uint64_t *at)
{
	for (;;) {
		uint64_t oldest = UINT64_MAX, *found = NULL;

		for (uint32_t i = 0; ring_given && i < RING_PLACES; i++) {
			uint64_t turn = __atomic_load_n(&ring_given[i], __ATOMIC_ACQUIRE);

			if (turn && turn < oldest) {
				oldest = turn;
				found = &ring_given[i];
			}
		}
		if (!found)
			return false;
		if (__atomic_compare_exchange_n(found, &oldest, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			*at = first_place + (uint64_t)(found - ring_given) * place_bytes;
			return true;
		}
	}
}

/* What stood there is counted, and gone: the place is zero again. */
static bool ring_clear(int fd, uint64_t at)
{
	struct rec_chunk *old = tap_sys_mmap(NULL, place_bytes, PROT_READ, MAP_SHARED, fd, at);

	if (old && count_ring)
		tap_lost(REC_LOSS_RING_OVERWRITTEN, count_ring(old));
	if (old)
		tap_sys_munmap(old, place_bytes);
	return tap_space_punch(fd, at, place_bytes) && tap_space_refill(fd, at, place_bytes);
}

/* ------------------------------------------------------------------- rests */

static bool rest_put(uint64_t at, uint64_t bytes)
{
	uint64_t r = at / REC_BLOCK | bytes / REC_BLOCK << 32;

	for (uint32_t i = 0; i < RESTS; i++) {
		uint64_t none = 0;

		if (!__atomic_load_n(&rest[i], __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&rest[i], &none, r, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static void punch(uint64_t at, uint64_t bytes)
{
	int fd = tap_seccomp || bytes < WORTH_PUNCHING ? -1 : tap_space_file(file);

	if (fd >= 0 && tap_space_punch(fd, at, bytes))
		tap_space_uncount(bytes);
	if (fd >= 0)
		tap_sys_close(fd);
}

static bool rest_take(uint64_t *at, uint64_t *bytes)
{
	for (uint32_t i = 0; i < RESTS; i++) {
		uint64_t r = __atomic_load_n(&rest[i], __ATOMIC_RELAXED);

		if (r && __atomic_compare_exchange_n(&rest[i], &r, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			*at = (r & UINT32_MAX) * REC_BLOCK;
			*bytes = (r >> 32) * REC_BLOCK;
			return true;
		}
	}
	return false;
}

static void give_rests(int fd)
{
	uint64_t at, bytes;

	while (rest_take(&at, &bytes))
		if (tap_space_punch(fd, at, bytes))
			tap_space_uncount(bytes);
}

void tap_buffers_trim(void)
{
	uint64_t mask = tap_sys_signals_block();
	int fd = place_bytes && !tap_seccomp ? tap_space_file(file) : -1;

	if (fd >= 0) {
		give_rests(fd);
		tap_sys_close(fd);
	}
	tap_sys_signals_restore(mask);
}

/* ------------------------------------------------------------------- take */

/* The caller's place is among them: others on their way to one are many, on a busy machine. */
static uint64_t room_for_each(void)
{
	uint64_t max = tap_options.max_size, counted = tap_space_counted(),
		 n = __atomic_load_n(&places_out, __ATOMIC_RELAXED),
		 all = !max ? ROOM_OF_ALL : max > counted ? max - counted : 0;

	return n ? all / n : all;
}

/* Of a place for the next buffer: whole blocks, or some pages of one. */
static uint64_t wanted_bytes(void)
{
	uint64_t each = room_for_each(), bytes = each / SHARE,
		 least = tap_options.max_size && each < SCARCE ? LAST_PLACE : LEAST_PLACE;

	if (equal_places || bytes >= place_bytes || gc_without("small-places"))
		return place_bytes;
	if (bytes >= REC_BLOCK)
		return bytes / REC_BLOCK * REC_BLOCK;
	return tap_round_up(bytes < least ? least : bytes, page_bytes);
}

/* A rest, cut where it is much longer than what is wanted. */
static bool take_rest(uint64_t *at, uint64_t *bytes)
{
	uint64_t wanted = tap_round_up(*bytes, REC_BLOCK), all;

	if (!rest_take(at, &all))
		return false;
	*bytes = all < wanted + WORTH_TAKING * REC_BLOCK ? all : wanted;
	if (*bytes < all && !rest_put(*at + *bytes, all - *bytes))
		punch(*at + *bytes, all - *bytes);
	return true;
}

/* A new place at the file's end. What was not to be had there goes back, if nobody took the next one meanwhile. */
static bool take_new(int fd, uint64_t *at, uint64_t bytes, enum rec_loss *why)
{
	uint64_t blocks = tap_round_up(bytes, REC_BLOCK);

	if (ring_given && (__atomic_load_n(&next_place, __ATOMIC_RELAXED) - first_place) / place_bytes >= ring_limit)
		return false;
	*at = __atomic_fetch_add(&next_place, blocks, __ATOMIC_RELAXED);
	if (tap_space_take(fd, *at, bytes, false, why))
		return true;
	uint64_t end = *at + blocks;

	__atomic_compare_exchange_n(&next_place, &end, *at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return false;
}

/* A rest is a block at least: where the size is limited, more than a small place may take. */
static bool take_fresh(int fd, uint64_t *at, uint64_t *bytes, enum rec_loss *why)
{
	if (!tap_options.max_size || *bytes >= REC_BLOCK)
		return take_rest(at, bytes) || take_new(fd, at, *bytes, why);
	if (take_new(fd, at, *bytes, why))
		return true;
	give_rests(fd);
	return take_new(fd, at, *bytes, why);
}

static void write_headers(struct rec_chunk *c, uint64_t at, uint64_t bytes)
{
	struct rec_cupti_buffer *b = tap_buffers_head(c);

	c->kind = REC_CHUNK_CUPTI;
	c->version = REC_VERSION;
	c->bytes = bytes;
	c->blob_bytes = bytes - REC_CUPTI_BUFFER;
	PLACE(c) = at;
	c->start_tick = b->requested_tick = tap_tick();
	b->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	b->requested_tid = tap_sys_gettid();
	b->kept = 0;
	__atomic_store_n(&c->magic, REC_CHUNK_MAGIC, __ATOMIC_RELEASE);         /* CHUNK2 */
}

static struct rec_chunk *take(int fd, enum rec_loss *why)
{
	struct rec_chunk *c = NULL;
	uint64_t at, bytes = wanted_bytes();
	bool fresh = take_fresh(fd, &at, &bytes, why);

	if (fresh || (ring_take_oldest(&at) && ring_clear(fd, at)))
		c = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (!c)
		return NULL;
	write_headers(c, at, bytes);
	if (fresh)
		tap_tally_chunk(control, at + bytes);
	return c;
}

struct rec_chunk *tap_buffers_take(enum rec_loss *why)
{
	*why = tap_seccomp ? REC_LOSS_SECCOMP : REC_LOSS_NO_SPACE;
	if (!place_bytes || tap_seccomp)
		return NULL;
	uint64_t mask = tap_sys_signals_block();

	__atomic_add_fetch(&places_out, 1, __ATOMIC_RELAXED);
	int fd = tap_space_file(file);
	struct rec_chunk *c = fd >= 0 ? take(fd, why) : NULL;

	if (fd >= 0)
		tap_sys_close(fd);
	if (!c)
		__atomic_sub_fetch(&places_out, 1, __ATOMIC_RELAXED);
	tap_sys_signals_restore(mask);
	return c;
}

/* ------------------------------------------------------------------- give */

/*
 * The chunk is cut to the blocks that it needs; what lies behind goes to the next request, or back to the disk.
 * BUFFER3: the cut comes first.
 */
static uint64_t cut(struct rec_chunk *c, uint64_t used)
{
	uint64_t blocks = (used + REC_BLOCK - 1) / REC_BLOCK, bytes = c->bytes;

	if (ring_given || blocks + WORTH_TAKING > bytes / REC_BLOCK)
		return bytes;
	c->blob_bytes = blocks * REC_BLOCK - REC_CUPTI_BUFFER;
	__atomic_store_n(&c->bytes, blocks * REC_BLOCK, __ATOMIC_RELEASE);
	return blocks * REC_BLOCK;
}

void tap_buffers_give(struct rec_chunk *c)
{
	uint64_t at = PLACE(c), valid = tap_buffers_head(c)->valid, *turn = ring_place(at), bytes = c->bytes;
	uint64_t used = REC_CUPTI_BUFFER + (valid + 4095) / 4096 * 4096, kept = cut(c, used);
	uint64_t mask = tap_sys_signals_block();

	__atomic_sub_fetch(&places_out, 1, __ATOMIC_RELAXED);
	tap_sys_munmap(c, bytes);
	if (!ring_given)
		punch(at + used, kept - used);
	if (kept < bytes && !rest_put(at + kept, bytes - kept))
		punch(at + kept, bytes - kept);
	if (turn)
		__atomic_store_n(turn, __atomic_add_fetch(&ring_turns, 1, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
	tap_sys_signals_restore(mask);
	TAP_DEBUG(chunk, "buffer at %lu of stream %u: %lu bytes of activities", at, file, valid);
}

/* ------------------------------------------------------------------- seen */

uint64_t tap_buffers_place(const struct rec_chunk *c) { return PLACE(c); }

/*
 * In a mapping of our own: the chunk's may go at any moment (BUFFER1). What was stored when it was given back stays. In
 * a ring the place may be another chunk's.
 */
bool tap_buffers_seen(uint64_t place, uint64_t told, uint64_t seen)
{
	int fd = ring_given || !control ? -1 : tap_space_file(file);
	bool there = fd >= 0 && TAP_SYS(lseek, fd, 0, SEEK_END, 0, 0, 0) >= (int64_t)(place + REC_CUPTI_BUFFER);
	struct rec_chunk *c = !there ? NULL
		: tap_sys_mmap(NULL, REC_CUPTI_BUFFER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, place);

	if (fd >= 0)
		tap_sys_close(fd);
	if (!c)
		return false;
	__atomic_compare_exchange_n(
		&tap_buffers_head(c)->valid, &told, seen, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	tap_sys_munmap(c, REC_CUPTI_BUFFER);
	return true;
}

/* ------------------------------------------------------------------ leave */

bool tap_buffers_hide(struct rec_chunk *c, uint64_t from)
{
	uint64_t bytes = __atomic_load_n(&c->bytes, __ATOMIC_RELAXED);

	return from < bytes &&
		tap_sys_mmap((uint8_t *)c + from, bytes - from, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/*
 * Other threads may go on calling until the process is gone: for what CUPTI writes of them much stays, of a buffer of
 * the usual size all. What does not stay is told: the header says from where on. Hidden first: a write into a hole may
 * find no room on the disk.
 */
void tap_buffers_leave(struct rec_chunk *c, uint64_t used)
{
	tap_buffers_head(c)->valid = used;
	uint64_t at = PLACE(c), bytes = c->bytes, from = (REC_CUPTI_BUFFER + used + 4095) / 4096 * 4096 + LEFT_BYTES;

	if (ring_given || tap_seccomp || from + WORTH_PUNCHING > bytes)
		return;
	uint64_t mask = tap_sys_signals_block();

	if (!gc_without("kept"))
		tap_buffers_head(c)->kept = from;
	if (tap_buffers_hide(c, from))
		punch(at + from, bytes - from);
	else
		tap_buffers_head(c)->kept = 0;
	tap_sys_signals_restore(mask);
}
