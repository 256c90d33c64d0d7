/*
 * cli/perf/spool.c - what the rings held, in an unlinked file, and read again in the order of time
 *
 * Each ring's events are in the order of their times, but for nested interrupts, which are nanoseconds apart. A heap
 * holds the rings by the time of their next event. Nothing in the file is trusted to be whole: it may have met a full
 * disk.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/perf/internal.h"
#include "cli/perf/unwind.h"
#include "common/temporary.h"
#include "trace/read/store.h"

#define MISC_EXEC (1u << 13)              /* PERF_RECORD_MISC_COMM_EXEC */
#define MISC_OUT (1u << 13)               /* PERF_RECORD_MISC_SWITCH_OUT */
#define MISC_PREEMPTED (1u << 14)         /* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT */
#define MISC_BUILD_ID (1u << 14)          /* PERF_RECORD_MISC_MMAP_BUILD_ID */
#define ID_BYTES 24u                      /* behind every event but samples: pid, tid; time; cpu */
#define USER_FRAMES ((uint64_t)-512)      /* PERF_CONTEXT_USER */
#define NO_FRAME ((uint64_t)-4095)        /* PERF_CONTEXT_MAX: from here on it is no address */

struct piece { uint64_t at; uint32_t bytes, next; };    /* next: of the same ring; UINT32_MAX none */
struct ring {
	uint32_t first, last;             /* pieces; UINT32_MAX none */
	uint32_t piece;                   /* the next to be read */
	char *data; size_t room, bytes, used;
	uint64_t ns;                      /* of the next event */
};
struct gt_perf_spool {
	int fd;
	uint64_t end;
	GT_LIST(struct piece) pieces;
	GT_LIST(struct ring) rings;
	uint32_t *heap; uint32_t n_heap;
	uint64_t sample_type;
	unsigned first_waking, place;     /* rings from here on; of the tid in their raw content */
	unsigned first_tracepoint;        /* rings from here on, behind those */
	uint64_t frames[GT_PERF_FRAMES], registers[64];
	char stack[GT_PERF_STACK];
	char raw[UINT16_MAX];             /* an event is no longer */
};

struct gt_perf_spool *gt_perf_spool_new(const char *folder)
{
	struct gt_perf_spool *s = calloc(1, sizeof *s);
	char base[PATH_MAX], path[PATH_MAX + GT_TEMPORARY_MORE];

	if (!s)
		return NULL;
	s->fd = -1;
	s->first_waking = s->first_tracepoint = UINT_MAX;
	if ((size_t)snprintf(base, sizeof base, "%s/samples", folder) < sizeof base &&
		gt_temporary_name(base, path, sizeof path))
		s->fd = gt_create_own(path, O_RDWR);
	if (s->fd < 0) {
		free(s);
		return NULL;
	}
	unlink(path);
	return s;
}

void gt_perf_spool_free(struct gt_perf_spool *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->rings.n; i++)
		free(s->rings.v[i].data);
	free(s->rings.v);
	free(s->pieces.v);
	free(s->heap);
	close(s->fd);
	free(s);
}

bool gt_perf_spool_add(struct gt_perf_spool *s, unsigned ring, const void *data, size_t bytes)
{
	struct piece *piece;
	struct ring *r;

	while (s->rings.n <= ring) {
		r = GT_LIST_ADD(&s->rings);
		if (!r)
			return false;
		*r = (struct ring){ .first = UINT32_MAX, .last = UINT32_MAX };
	}
	for (size_t at = 0; at < bytes;) {
		ssize_t n = pwrite(s->fd, (const char *)data + at, bytes - at, (off_t)(s->end + at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	piece = GT_LIST_ADD(&s->pieces);
	if (!piece)
		return false;
	*piece = (struct piece){ s->end, (uint32_t)bytes, UINT32_MAX };
	r = &s->rings.v[ring];
	*(r->first == UINT32_MAX ? &r->first : &s->pieces.v[r->last].next) = s->pieces.n - 1;
	r->last = s->pieces.n - 1;
	s->end += bytes;
	return true;
}

void gt_perf_spool_wakings(struct gt_perf_spool *s, unsigned first, unsigned place)
{
	s->first_waking = first;
	s->place = place;
}

void gt_perf_spool_tracepoints(struct gt_perf_spool *s, unsigned first) { s->first_tracepoint = first; }

/* ------------------------------------------------------------------------- events */

static uint64_t word(const char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

static uint32_t half(const char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

/* Does the text end inside its room? */
static const char *text_in(const char *at, const char *end)
{
	return at < end && memchr(at, 0, (size_t)(end - at)) ? at : NULL;
}

/* The program's own part of a call chain. Where the chain ends; NULL: not inside the sample. */
static const char *take_frames(struct gt_perf_spool *s, const char *at, const char *end, struct gt_perf_event *e)
{
	uint64_t n = end - at >= 8 ? word(at) : 0;
	const char *behind = end - at >= 8 && n <= (uint64_t)(end - at) / 8 - 1 ? at + 8 + 8 * n : NULL;
	bool own = false;

	e->frames = s->frames;
	at += 8;
	for (; n && end - at >= 8 && e->n_frames < GT_PERF_FRAMES; n--, at += 8) {
		uint64_t v = word(at);

		if (v >= NO_FRAME)
			own = v == USER_FRAMES;
		else if (own && v)
			s->frames[e->n_frames++] = v;
	}
	return behind;
}

/* {which registers, they}, {bytes, they, how many of them are the stack's}. A thread that ends has none. */
static void take_copies(struct gt_perf_spool *s, const char *at, const char *end, struct gt_perf_event *e)
{
	size_t registers = (size_t)__builtin_popcountll(gt_perf_registers) * 8;
	uint64_t bytes, used;

	if ((size_t)(end - at) < 16 + registers || !word(at))
		return;
	memcpy(s->registers, at + 8, registers);
	at += 8 + registers;
	bytes = word(at);
	if (!bytes || (uint64_t)(end - at) < 16 || bytes > (uint64_t)(end - at) - 16)
		return;
	used = word(at + 8 + bytes);
	e->registers = s->registers;
	e->stack = memcpy(s->stack, at + 8, bytes < sizeof s->stack ? bytes : sizeof s->stack);
	e->stack_bytes = used < bytes ? used : bytes;
	e->stack_bytes = e->stack_bytes < sizeof s->stack ? e->stack_bytes : sizeof s->stack;
}

static bool take_sample(struct gt_perf_spool *s, const char *at, const char *end, struct gt_perf_event *e)
{
	const char *copies;

	if (end - at < 40)
		return false;
	e->kind = GT_PERF_SAMPLE;
	e->pid = half(at + 8);
	e->tid = half(at + 12);
	e->ns = word(at + 16);
	e->cpu = half(at + 24);
	e->period = word(at + 32);
	copies = s->sample_type & PERF_SAMPLE_CALLCHAIN ? take_frames(s, at + 40, end, e) : at + 40;
	if (copies && s->sample_type & PERF_SAMPLE_STACK_USER)
		take_copies(s, copies, end, e);
	if (!e->n_frames) {
		s->frames[0] = word(at);
		e->frames = s->frames;
		e->n_frames = 1;
	}
	return true;
}

/* Behind what all samples begin with there is the raw content, with its size. */
static bool take_tracepoint(const char *at, const char *end, struct gt_perf_event *e)
{
	if (end - at < 44 || (size_t)(end - at - 44) < half(at + 40))
		return false;
	e->kind = GT_PERF_TRACEPOINT;
	e->pid = half(at + 8);
	e->tid = half(at + 12);
	e->ns = word(at + 16);
	e->cpu = half(at + 24);
	e->raw = at + 44;
	e->raw_bytes = half(at + 40);
	return true;
}

/*
 * The third byte of the raw content says where the kernel was: in an interrupt, which wakes whomever it wants in
 * whatever thread it meets.
 */
static bool take_waking(const struct gt_perf_spool *s, const char *at, const char *end, struct gt_perf_event *e)
{
	enum { FLAGS = 2, IN_INTERRUPT = 0x18 };

	if (!take_tracepoint(at, end, e) || e->raw_bytes < s->place + 4u)
		return false;
	e->kind = GT_PERF_WAKING;
	e->woken = half(e->raw + s->place);
	e->interrupted = e->raw[FLAGS] & IN_INTERRUPT;
	e->raw = NULL;
	return true;
}

static bool take_map(const char *at, const char *end, unsigned misc, struct gt_perf_event *e)
{
	if (end - at < 64)
		return false;
	e->kind = GT_PERF_MAP;
	e->start = word(at + 8);
	e->end = e->start + word(at + 16);
	e->offset = word(at + 24);
	if (misc & MISC_BUILD_ID) {
		e->id = (const uint8_t *)at + 36;
		e->id_bytes = (uint8_t)at[32] < 20 ? (uint8_t)at[32] : 20;
	}
	e->text = text_in(at + 64, end);
	return e->text && e->end > e->start;
}

/* Everything but samples, without the words at its end. */
static bool take_other(const struct perf_event_header *h, const char *at, const char *end, struct gt_perf_event *e)
{
	switch (h->type) {
	case PERF_RECORD_SWITCH:
		e->kind = GT_PERF_SWITCH;
		e->in = !(h->misc & MISC_OUT);
		e->preempted = !e->in && h->misc & MISC_PREEMPTED;
		return true;
	case PERF_RECORD_FORK: case PERF_RECORD_EXIT:
		if (end - at < 24)
			return false;
		e->kind = h->type == PERF_RECORD_FORK ? GT_PERF_FORK : GT_PERF_EXIT;
		e->pid = half(at);
		e->tid = half(at + 8);
		e->parent_pid = e->kind == GT_PERF_FORK ? half(at + 4) : 0;
		e->parent_tid = e->kind == GT_PERF_FORK ? half(at + 12) : 0;
		return true;
	case PERF_RECORD_COMM:
		if (end - at < 8)
			return false;
		e->kind = h->misc & MISC_EXEC ? GT_PERF_EXEC : GT_PERF_NAME;
		e->pid = half(at);
		e->tid = half(at + 4);
		e->text = text_in(at + 8, end);
		return e->text;
	case PERF_RECORD_MMAP2:
		return take_map(at, end, h->misc, e);
	case PERF_RECORD_LOST:
		if (end - at < 16)
			return false;
		e->kind = GT_PERF_LOST;
		e->lost = word(at + 8);
		return true;
	}
	e->kind = GT_PERF_OTHER;
	return true;
}

static bool take(struct gt_perf_spool *s, uint32_t ring, const char *at, struct gt_perf_event *e)
{
	struct perf_event_header h;
	const char *end, *id;

	memcpy(&h, at, sizeof h);
	end = at + h.size;
	at += sizeof h;
	memset(e, 0, sizeof *e);
	e->of_tracepoints = ring >= s->first_tracepoint;
	if (h.type == PERF_RECORD_SAMPLE && e->of_tracepoints)
		return take_tracepoint(at, end, e);
	if (h.type == PERF_RECORD_SAMPLE)
		return ring >= s->first_waking ? take_waking(s, at, end, e) : take_sample(s, at, end, e);
	if ((size_t)(end - at) < ID_BYTES)
		return false;
	id = end - ID_BYTES;
	e->pid = half(id);
	e->tid = half(id + 4);
	e->ns = word(id + 8);
	e->cpu = half(id + 16);
	return take_other(&h, at, id, e);
}

/* -------------------------------------------------------------------------- order */

/* The ring's next piece into memory. */
static bool load(struct gt_perf_spool *s, struct ring *r)
{
	const struct piece *piece;

	r->used = r->bytes = 0;
	if (r->piece == UINT32_MAX)
		return false;
	piece = &s->pieces.v[r->piece];
	r->piece = piece->next;
	if (piece->bytes > r->room) {
		free(r->data);
		r->data = malloc(piece->bytes);
		r->room = r->data ? piece->bytes : 0;
		if (!r->data)
			return false;
	}
	r->bytes = gt_store_pread(s->fd, r->data, piece->bytes, piece->at) == piece->bytes ? piece->bytes : 0;
	return r->bytes;
}

/* Time of the event at `at`; its size is right. */
static uint64_t time_of(const char *at)
{
	struct perf_event_header h;

	memcpy(&h, at, sizeof h);
	if (h.type == PERF_RECORD_SAMPLE)
		return h.size >= sizeof h + 24 ? word(at + sizeof h + 16) : 0;
	return h.size >= sizeof h + ID_BYTES ? word(at + h.size - 16) : 0;
}

/* Is there a next event? Its time then stands in the ring. */
static bool peek(struct gt_perf_spool *s, struct ring *r)
{
	struct perf_event_header h;
	uint64_t ns;

	for (;;) {
		if (r->bytes - r->used < sizeof h) {
			if (!load(s, r))
				return false;
			continue;
		}
		memcpy(&h, r->data + r->used, sizeof h);
		if (h.size < sizeof h || h.size > r->bytes - r->used) {
			r->used = r->bytes;     /* damaged: the next piece */
			continue;
		}
		ns = time_of(r->data + r->used);
		r->ns = ns > r->ns ? ns : r->ns;
		return true;
	}
}

static bool before(const struct gt_perf_spool *s, uint32_t a, uint32_t b)
{
	const struct ring *x = &s->rings.v[a], *y = &s->rings.v[b];

	return x->ns != y->ns ? x->ns < y->ns : a < b;
}

static void sink(struct gt_perf_spool *s, uint32_t i)
{
	for (;;) {
		uint32_t least = i, child = 2 * i + 1, moving = s->heap[i];

		for (uint32_t c = child; c < child + 2 && c < s->n_heap; c++)
			if (before(s, s->heap[c], s->heap[least]))
				least = c;
		if (least == i)
			return;
		s->heap[i] = s->heap[least];
		s->heap[least] = moving;
		i = least;
	}
}

bool gt_perf_spool_rewind(struct gt_perf_spool *s, uint64_t sample_type)
{
	free(s->heap);
	s->n_heap = 0;
	s->sample_type = sample_type;
	s->heap = calloc(s->rings.n + 1, sizeof *s->heap);
	if (!s->heap)
		return false;
	for (uint32_t i = 0; i < s->rings.n; i++) {
		struct ring *r = &s->rings.v[i];

		r->piece = r->first;
		r->bytes = r->used = 0;
		r->ns = 0;
		if (peek(s, r))
			s->heap[s->n_heap++] = i;
	}
	for (uint32_t i = s->n_heap / 2; i-- > 0;)
		sink(s, i);
	return true;
}

bool gt_perf_spool_next(struct gt_perf_spool *s, struct gt_perf_event *e)
{
	while (s->n_heap) {
		struct ring *r = &s->rings.v[s->heap[0]];
		const char *at = r->data + r->used;
		struct perf_event_header h;
		bool good = take(s, s->heap[0], at, e);

		/* e may point into this piece: it is left only by the next call */
		if (good && e->text) {
			static char text[GT_PERF_PATH];
			static uint8_t id[20];

			snprintf(text, sizeof text, "%s", e->text);
			e->text = text;
			if (e->id)
				e->id = memcpy(id, e->id, e->id_bytes);
		}
		if (good && e->raw)
			e->raw = memcpy(s->raw, e->raw, e->raw_bytes);
		memcpy(&h, at, sizeof h);
		r->used += h.size;
		if (!peek(s, r))
			s->heap[0] = s->heap[--s->n_heap];
		if (s->n_heap)
			sink(s, 0);
		if (good)
			return true;
	}
	return false;
}
