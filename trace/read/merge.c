/*
 * trace/read/merge.c - calls of all streams in the order of their starts
 *
 * Records are written when calls end, so a stream is not in order of starts; but a block holds only so many. The pass
 * over the headers left each block's least start. Blocks wait in the order of it; the front of the merge is the least
 * record of those in memory; a block is loaded when its least start is not behind the front, its calls are sorted once,
 * and it is dropped when the last one was handed out.
 *
 * MERGE1  Whatever waits starts no earlier than its block's least start: so the front record, once no waiting block's
 *         least start is before or at it, is the next one.
 * MERGE2  Memory: at most LOADED_MAX bytes of blocks. When long calls keep more of them open, the block whose next
 *         record is farthest away is parked: it waits again, with that record's start, and is read once more when the
 *         front gets there. Nothing is spilled, because the trace itself is the spill file.
 *
 * MERGE3  Order: (start, what took no tick first, end descending, stream, offset); between processes by session time,
 *         then by process.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "trace/read/internal.h"
#include "trace/read/merge.h"
#include "trace/read/slices.h"

#define KEPT_BLOCK (2u * REC_BLOCK)        /* bytes of a loaded block, about */

/* A call in a loaded block, in ticks. */
struct item {
	uint64_t start, end;
	uint16_t at;                      /* its header, words from the block's first record */
	uint16_t holder;                  /* REC_THREAD records before it in the block */
};

/* A block with its next record, waiting or loaded. */
struct head {
	int64_t start_ns;
	uint64_t start, end;              /* ticks; waiting: end = UINT64_MAX, before any record that starts there */
	uint32_t process, stream;         /* number */
	uint64_t offset;
	uint32_t block;                   /* in gt_reader.blocks */
	uint32_t next;                    /* items handed out already */
	struct loaded *loaded;            /* NULL: waiting */
	struct gt_shared_block *shared;   /* NULL: the block is this merge's alone */
};

struct loaded {
	struct loaded *next;              /* among those that are kept */
	size_t bytes;                     /* of this allocation */
	uint32_t n;
	struct item *items;
	uint64_t words[];
};

struct heap { struct head *at; size_t n, cap; };

struct gt_merge {
	struct gt_reader *r;
	int64_t from_ns, to_ns;
	int64_t least_ns;                 /* records that start before it are another slice's; GT_NO_TIME: none are */
	struct head *waiting; size_t n_waiting, first_waiting; /* never loaded yet, by start */
	size_t room_waiting;
	struct heap parked, front;
	size_t loaded_bytes, loaded_max;
	uint64_t calls, done;             /* of the blocks that take part */
	bool keep;                        /* blocks stay until the merge is used again or closed */
	struct loaded *kept;
	bool handed_out;                  /* front.at[0]'s record is with the caller */
	uint64_t scratch[GT_BLOCK_WORDS];
	struct item items[GT_BLOCK_WORDS / 3 + 1], spare[GT_BLOCK_WORDS / 3 + 1];
};

/*
 * MERGE3, of what starts at one tick. A block that waits comes first. Where ticks are coarse (aarch64) whole calls take
 * none: they were over before the next began. Of the others the longer one encloses the shorter.
 */
static int rank(uint64_t start, uint64_t end) { return end == UINT64_MAX ? 0 : end <= start ? 1 : 2; }

static bool ends_before(uint64_t start, uint64_t a, uint64_t b)
{
	int x = rank(start, a), y = rank(start, b);

	return x != y ? x < y : a > b;
}

static bool before(const struct head *a, const struct head *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	if (a->process != b->process)
		return a->process < b->process;
	if (a->start != b->start)
		return a->start < b->start;
	if (a->end != b->end)
		return ends_before(a->start, a->end, b->end); /* MERGE3 */
	if (a->stream != b->stream)
		return a->stream < b->stream;
	return a->offset < b->offset;
}

/* ---- heaps ---- */

static void sift_down(struct heap *h, size_t i)
{
	struct head moving = h->at[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n && before(&h->at[child + 1], &h->at[child]))
			child++;
		if (!before(&h->at[child], &moving))
			break;
		h->at[i] = h->at[child];
		i = child;
	}
	h->at[i] = moving;
}

static void sift_up(struct heap *h, size_t i)
{
	struct head moving = h->at[i];

	for (; i && before(&moving, &h->at[(i - 1) / 2]); i = (i - 1) / 2)
		h->at[i] = h->at[(i - 1) / 2];
	h->at[i] = moving;
}

static bool heap_push(struct heap *h, const struct head *head)
{
	if (!gt_grow((void **)&h->at, h->n, &h->cap, sizeof(*head)))
		return false;
	h->at[h->n++] = *head;
	sift_up(h, h->n - 1);
	return true;
}

static void heap_remove(struct heap *h, size_t i)
{
	struct head last = h->at[--h->n];

	if (i == h->n)
		return;
	h->at[i] = last;
	sift_down(h, i);
	sift_up(h, i);
}

/* ---- one block ---- */

static bool item_before(const struct item *a, const struct item *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return a->end != b->end ? ends_before(a->start, a->end, b->end) : a->at < b->at; /* MERGE3 */
}

/* Insertion while records are nearly in order (they are: nested calls move by a few places), else merge sort. */
static void sort_items(struct item *items, struct item *spare, uint32_t n)
{
	uint64_t moves = 0, allowed = 8ull * n + 64;
	uint32_t i;

	for (i = 1; i < n && moves < allowed; i++) {
		struct item it = items[i];
		uint32_t k = i;

		for (; k && item_before(&it, &items[k - 1]); k--)
			items[k] = items[k - 1];
		items[k] = it;
		moves += i - k;
	}
	if (i >= n)
		return;
	for (uint32_t width = 1; width < n; width *= 2) {
		for (uint32_t low = 0; low < n; low += 2 * width) {
			uint32_t mid = low + width < n ? low + width : n, high = mid + width < n ? mid + width : n,
				 a = low, b = mid, to = low;

			while (a < mid || b < high)
				spare[to++] = b == high || (a < mid && !item_before(&items[b], &items[a])) ? items[a++]
													   : items[b++];
		}
		memcpy(items, spare, n * sizeof(*items));
	}
}

static struct loaded *load(struct gt_merge *m, const struct gt_block_info *info, struct gt_err *err)
{
	struct gt_block walk;
	struct gt_rec rec;
	struct loaded *l;
	uint32_t n = 0;
	size_t bytes;

	if (gt_block_load(m->r, info, m->scratch, &walk, err) < 0)
		return NULL;
	while (gt_block_next(&walk, &rec)) {
		/*
		 * A record finished since the headers were read may be older than what was promised (MERGE1), or belong
		 * to a slice that does not look here: left to the next run.
		 */
		if (rec.id < REC_FIRST_FUNCTION || rec.start_tick < info->least_start ||
			rec.start_tick > info->greatest_start)
			continue;
		m->items[n++] = (struct item){ .start = rec.start_tick,
			.end = rec.end_tick,
			.at = (uint16_t)(rec.words - walk.words),
			.holder = (uint16_t)(rec.holder - info->holders) };
	}
	sort_items(m->items, m->spare, n);
	bytes = sizeof(*l) + (size_t)walk.n * 8 + n * sizeof(struct item);
	l = malloc(bytes);
	if (!l) {
		gt_no_memory(err);
		return NULL;
	}
	l->bytes = bytes;
	l->n = n;
	memcpy(l->words, m->scratch, (size_t)walk.n * 8);
	l->items = (struct item *)(l->words + walk.n);
	memcpy(l->items, m->items, n * sizeof(struct item));
	return l;
}

/* The head's key from its next item. */
static void set_key(const struct gt_merge *m, struct head *h)
{
	const struct item *it = &h->loaded->items[h->next];

	h->start = it->start;
	h->end = it->end;
	h->start_ns = gt_reader_tick_ns(m->r, h->process, it->start);
	h->offset = m->r->blocks[h->block].offset + (uint64_t)it->at * 8;
}

/* Beside other merges only what no merge changes is used of a shared block. */
static struct loaded *share(struct gt_merge *m, const struct head *h, struct gt_err *err)
{
	struct loaded *l = gt_shared_block_get(h->shared);

	if (l)
		return l;
	l = load(m, &m->r->blocks[h->block], err);
	return l ? gt_shared_block_put(h->shared, l) : NULL;
}

static void drop(struct gt_merge *m, const struct head *h)
{
	struct loaded *l = h->loaded;

	m->loaded_bytes -= l->bytes;
	if (h->shared)
		return;
	if (m->keep) {
		l->next = m->kept;
		m->kept = l;
		return;
	}
	free(l);
}

/* ---- the front ---- */

/* MERGE2 */
static int park_farthest(struct gt_merge *m, struct gt_err *err)
{
	while (m->loaded_bytes > m->loaded_max && m->front.n > 1) {
		size_t far = m->front.n / 2;      /* leaves of the heap hold the greatest */
		struct head h;

		for (size_t i = far + 1; i < m->front.n; i++)
			if (before(&m->front.at[far], &m->front.at[i]))
				far = i;
		h = m->front.at[far];
		heap_remove(&m->front, far);
		drop(m, &h);
		h.loaded = NULL;
		if (!heap_push(&m->parked, &h))
			return gt_no_memory(err);
	}
	return 0;
}

/* The first item that starts no earlier than that: order of ticks is order of times. */
static uint32_t first_from(const struct gt_merge *m, const struct head *h)
{
	uint32_t at;

	GT_SEARCH(at, h->loaded->n, gt_reader_tick_ns(m->r, h->process, h->loaded->items[at].start) < m->least_ns);
	return at;
}

/* Loads the block of a waiting head and puts it in front. */
static int bring_in(struct gt_merge *m, struct head h, struct gt_err *err)
{
	h.loaded = h.shared ? share(m, &h, err) : load(m, &m->r->blocks[h.block], err);
	if (!h.loaded)
		return -1;
	m->loaded_bytes += h.loaded->bytes;
	if (!h.next && h.start_ns < m->least_ns)
		h.next = first_from(m, &h);
	if (h.next >= h.loaded->n) {      /* all of another slice; or the file changed under us */
		drop(m, &h);
		return 0;
	}
	set_key(m, &h);
	if (!heap_push(&m->front, &h)) {
		drop(m, &h);
		return gt_no_memory(err);
	}
	return park_farthest(m, err);
}

/* MERGE1: everything that starts no later than the front is in memory. */
static int fill_front(struct gt_merge *m, struct gt_err *err)
{
	for (;;) {
		bool fresh = m->first_waiting < m->n_waiting, parked = m->parked.n > 0;
		struct head h;

		if (fresh && (!m->front.n || before(&m->waiting[m->first_waiting], &m->front.at[0])) &&
		    (!parked || before(&m->waiting[m->first_waiting], &m->parked.at[0]))) {
			h = m->waiting[m->first_waiting++];
		} else if (parked && (!m->front.n || before(&m->parked.at[0], &m->front.at[0]))) {
			h = m->parked.at[0];
			heap_remove(&m->parked, 0);
		} else {
			return 0;
		}
		if (bring_in(m, h, err) < 0)
			return -1;
	}
}

/* Past the record that the caller had. */
static void step(struct gt_merge *m)
{
	struct head *h = &m->front.at[0];

	m->handed_out = false;
	m->done++;
	if (++h->next < h->loaded->n) {
		set_key(m, h);
		sift_down(&m->front, 0);
		return;
	}
	drop(m, h);
	heap_remove(&m->front, 0);
}

static void hand_out(struct gt_merge *m, struct gt_rec *rec)
{
	const struct head *h = &m->front.at[0];
	const struct gt_block_info *info = &m->r->blocks[h->block];
	const struct item *it = &h->loaded->items[h->next];
	struct gt_block walk = { .words = h->loaded->words,
		.at = it->at,
		.n = info->words,
		.holders = info->holders + it->holder,
		.offset = info->offset };

	gt_block_next(&walk, rec);                /* checked when the block was loaded: the same words */
	rec->process = h->process;
	rec->stream = h->stream;
	m->handed_out = true;
}

int gt_merge_next(struct gt_merge *m, struct gt_rec *rec, struct gt_err *err)
{
	for (;;) {
		if (m->handed_out)
			step(m);
		if (fill_front(m, err) < 0)
			return -1;
		if (!m->front.n || (m->to_ns != GT_NO_TIME && m->front.at[0].start_ns > m->to_ns))
			return 0;
		if (m->from_ns == GT_NO_TIME ||
			gt_reader_tick_ns(m->r, m->front.at[0].process, m->front.at[0].end) >= m->from_ns)
			break;
		m->handed_out = true;             /* over before the window: step past it */
	}
	hand_out(m, rec);
	return 1;
}

/* ---- life ---- */

static int by_key(const void *a, const void *b)
{
	return before(a, b) ? -1 : before(b, a) ? 1 : 0;
}

static bool takes_part(const struct gt_merge *m, int process, const struct gt_block_info *info)
{
	uint32_t p = m->r->streams[info->stream].process;

	if (!info->calls || (process >= 0 && p != (uint32_t)process))
		return false;
	if (m->from_ns != GT_NO_TIME && gt_reader_tick_ns(m->r, p, info->greatest_end) < m->from_ns)
		return false;
	return m->to_ns == GT_NO_TIME || gt_reader_tick_ns(m->r, p, info->least_start) <= m->to_ns;
}

static int waiting_room(struct gt_merge *m, size_t n, struct gt_err *err)
{
	void *more;

	if (n <= m->room_waiting)
		return 0;
	more = realloc(m->waiting, n * sizeof(*m->waiting));
	if (!more)
		return gt_no_memory(err);
	m->waiting = more;
	m->room_waiting = n;
	return 0;
}

static void add_waiting(struct gt_merge *m, size_t block, struct gt_shared_block *shared)
{
	const struct gt_block_info *info = &m->r->blocks[block];
	struct head *h = &m->waiting[m->n_waiting++];

	*h = (struct head){ .start = info->least_start,
		.end = UINT64_MAX,
		.process = m->r->streams[info->stream].process,
		.stream = m->r->streams[info->stream].number,
		.offset = info->offset,
		.block = (uint32_t)block,
		.shared = shared };
	h->start_ns = gt_reader_tick_ns(m->r, h->process, h->start);
	m->calls += info->calls;
}

static int list_blocks(struct gt_merge *m, int process, struct gt_err *err)
{
	if (waiting_room(m, m->r->n_blocks + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < m->r->n_blocks; i++)
		if (takes_part(m, process, &m->r->blocks[i]))
			add_waiting(m, i, NULL);
	qsort(m->waiting, m->n_waiting, sizeof(*m->waiting), by_key);
	return 0;
}

static struct gt_merge *new_merge(struct gt_reader *r)
{
	struct gt_merge *m = malloc(sizeof(*m));

	if (!m)
		return NULL;
	memset(m, 0, offsetof(struct gt_merge, scratch));
	m->r = r;
	m->from_ns = m->to_ns = m->least_ns = GT_NO_TIME;
	m->loaded_max = GT_MERGE_LOADED_MAX;
	return m;
}

int gt_merge_open(
	struct gt_reader *r, int process, int64_t from_ns, int64_t to_ns, struct gt_merge **out, struct gt_err *err)
{
	struct gt_merge *m = new_merge(r);

	if (!m)
		return gt_no_memory(err);
	m->from_ns = from_ns;
	m->to_ns = to_ns;
	if (list_blocks(m, process, err) < 0) {
		gt_merge_close(m);
		return -1;
	}
	*out = m;
	return 0;
}

static void forget(struct gt_merge *m)
{
	for (size_t i = 0; i < m->front.n; i++)
		if (!m->front.at[i].shared)
			free(m->front.at[i].loaded);
	while (m->kept) {
		struct loaded *l = m->kept;

		m->kept = l->next;
		free(l);
	}
	m->front.n = m->parked.n = m->n_waiting = m->first_waiting = 0;
	m->loaded_bytes = 0;
	m->calls = m->done = 0;
	m->handed_out = false;
}

int gt_merge_slice(struct gt_reader *r, const struct gt_slice *slice, size_t limit, struct gt_merge **again,
	struct gt_err *err)
{
	struct gt_merge *m = *again ? *again : new_merge(r);

	if (!m)
		return gt_no_memory(err);
	*again = m;
	forget(m);
	m->least_ns = slice->from_ns;
	m->to_ns = slice->to_ns == INT64_MAX ? GT_NO_TIME : slice->to_ns - 1;
	m->loaded_max = limit;
	if (waiting_room(m, slice->n_blocks + 1, err) < 0)
		return -1;
	for (uint32_t i = 0; i < slice->n_blocks; i++)
		add_waiting(m, slice->blocks[i].block, slice->blocks[i].shared);
	m->keep = slice->n_blocks <= limit / KEPT_BLOCK;
	qsort(m->waiting, m->n_waiting, sizeof(*m->waiting), by_key);
	return 0;
}

bool gt_merge_keeps(const struct gt_merge *m) { return m->keep; }

void gt_merge_limit(struct gt_merge *m, size_t bytes)
{
	m->loaded_max = bytes;
}

double gt_merge_done(const struct gt_merge *m)
{
	return m->calls ? (double)m->done / (double)m->calls : 1;
}

void gt_merge_close(struct gt_merge *m)
{
	if (!m)
		return;
	forget(m);
	free(m->front.at);
	free(m->parked.at);
	free(m->waiting);
	free(m);
}
