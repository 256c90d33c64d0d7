/*
 * model/nvtx/ranges.c - joins NVTX records to ranges
 *
 * The opening pass hands records over stream by stream, each stream in file order: for one thread that is the order of
 * time, so a pop ends what is on top of its thread's stack. Ends of started ranges come from any thread and are looked
 * up when all starts are known, by the link that is their id.
 *
 * RANGES1  What is kept by range or by name is in arrays and texts that may be pages of files (model/bulk.h,
 *          common/paged.h): a program may say something else each time. A text is kept once as long as
 *          there are few different ones; among many, one that came long ago may be kept again.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/nvtx/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "common/paged.h"
#include "common/search.h"
#include "model/internal.h"
#include "model/nvtx/payload.h"
#include "model/sort.h"

struct entry {                            /* pub first; the rest says where it came from */
	struct gt_range pub;
	uint64_t offset, string;          /* string: number of the registered one, 0 = none */
	uint32_t stream, holder;
};
struct end { uint64_t id; int64_t ns; uint32_t process, stream, holder; };
/* Pushes of one domain that are open, innermost first, linked by `below` (index + 1 in gt_ranges.open; 0: none). */
struct open_push { uint64_t entry; uint32_t below; };
struct stack { uint32_t domain, top, depth; uint64_t turn; };
struct name { struct gt_range_name pub; uint64_t string; uint32_t stream, holder; };

#define TEXTS_MOST 65536u

struct gt_ranges {
	struct gt_bulk entries;           /* struct entry */
	GT_LIST(struct open_push) open;   /* of the stream and holder that is being read; gone ones are linked too */
	uint32_t unused;                  /* first of those */
	struct gt_map stacks;             /* struct stack; empty unless its `turn` is this one */
	uint64_t turn;                    /* counts streams and holders */
	uint32_t process, stream, holder; /* whose stack that is */
	struct gt_bulk ends;              /* struct end */
	struct gt_bulk names;             /* struct name: all, strings too; then by (process, what, domain or id) */
	struct gt_bulk said;              /* struct gt_range_name: what users of the model see */
	struct gt_map texts;              /* struct gt_string; begun anew when it is full: RANGES1 */
};

static struct gt_ranges *ranges_of(struct gt_model *m)
{
	if (!m->ranges)
		m->ranges = calloc(1, sizeof *m->ranges);
	return m->ranges;
}

void gt_ranges_free(struct gt_model *m)
{
	struct gt_ranges *r = m->ranges;

	if (!r)
		return;
	gt_bulk_free(&r->entries);
	free(r->open.v);
	gt_map_free(&r->stacks, sizeof(struct stack));
	gt_bulk_free(&r->ends);
	gt_bulk_free(&r->names);
	gt_bulk_free(&r->said);
	gt_map_free(&r->texts, sizeof(struct gt_string));
	free(r);
}

static int damaged(struct gt_model *m)
{
	gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
	return 0;
}

/* --------------------------------------------------------------------- texts */

static bool same_text(const void *element, const void *key, const void *ctx)
{
	const struct gt_string *a = element, *b = key;

	(void)ctx;
	return gt_same_text(*a, *b);
}

static bool keep_text(struct gt_model *m, const char *text, size_t bytes, struct gt_string *out)
{
	const struct gt_string key = { text, bytes };
	struct gt_string *kept;
	bool fresh;

	if (m->ranges->texts.n >= TEXTS_MOST)
		gt_map_free(&m->ranges->texts, sizeof *kept);
	kept = gt_map_add(&m->ranges->texts, sizeof *kept, gt_hash_text(text, bytes), &key, same_text, NULL, &fresh);
	if (!kept)
		return false;
	if (fresh)
		*kept = (struct gt_string){ gt_arena_copy(&m->arena, text, bytes), bytes };
	*out = *kept;
	if (!out->text)
		gt_map_remove(&m->ranges->texts, sizeof *kept, kept);
	return out->text != NULL;
}

static size_t put_utf8(char *out, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;               /* wchar_t holds any number */
	if (c < 0x80)
		return out[0] = (char)c, 1;
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static bool keep_wide(struct gt_model *m, struct gt_string raw, struct gt_string *out)
{
	char *utf8 = malloc(raw.bytes + 1);
	size_t n = 0;
	bool ok;

	if (!utf8)
		return false;
	for (size_t i = 0; i + 4 <= raw.bytes; i += 4) {
		uint32_t c;

		memcpy(&c, raw.text + i, 4);
		n += put_utf8(utf8 + n, c);
	}
	ok = keep_text(m, utf8, n, out);
	free(utf8);
	return ok;
}

/* Bytes of a message at which this version and those before cut: the flag may be about a payload. */
static bool was_cut(size_t bytes) { return bytes == 4096 || bytes == 24576; }

/* The text in the form that shows that it goes on: 1, -1 no memory. */
static int keep_cut(struct gt_model *m, struct gt_string *text)
{
	char *marked = malloc(text->bytes + 3);
	int rc = -1;

	if (!marked)
		return -1;
	memcpy(marked, text->text, text->bytes);
	memcpy(marked + text->bytes, "...", 3);
	if (keep_text(m, marked, text->bytes + 3, text))
		rc = 1;
	free(marked);
	return rc;
}

/* The message at word `at`: 1 taken, 0 it does not fit the record, -1 no memory. */
static int take_message(struct gt_model *m, const struct gt_rec *rec, uint32_t at, uint32_t type,
	struct gt_string *text, uint64_t *string)
{
	struct gt_string raw;

	*string = 0;
	if (type == REC_NVTX_NO_MESSAGE)
		return 1;
	if (type == REC_NVTX_REGISTERED) {
		if (at >= rec->n_args)
			return 0;
		*string = rec->args[at];
		return 1;
	}
	if (type > REC_NVTX_REGISTERED || !gt_record_text(rec, &at, &raw))
		return 0;
	if (!(type == REC_NVTX_WIDE ? keep_wide(m, raw, text) : keep_text(m, raw.text, raw.bytes, text)))
		return -1;
	return rec->flags & REC_CUT && was_cut(raw.bytes) ? keep_cut(m, text) : 1;
}

/* -------------------------------------------------------------------- events */

/* The stack of the thread that wrote this record. */
static void enter_thread(struct gt_ranges *r, const struct gt_rec *rec)
{
	if (r->process == rec->process && r->stream == rec->stream && r->holder == rec->holder)
		return;
	r->process = rec->process;
	r->stream = rec->stream;
	r->holder = rec->holder;
	r->open.n = r->unused = 0;        /* what the one before left open stays open */
	r->turn++;
}

static bool same_domain(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct stack *)element)->domain == *(const uint32_t *)key;
}

static int push(struct gt_ranges *r, struct entry *e, uint64_t number)
{
	uint32_t domain = e->pub.domain, at = r->unused;
	struct stack *s;
	bool fresh;

	s = gt_map_add(&r->stacks, sizeof *s, gt_hash(GT_HASH, domain), &domain, same_domain, NULL, &fresh);
	if (!s || (!at && !GT_LIST_ADD(&r->open)))
		return -1;
	if (fresh || s->turn != r->turn)
		*s = (struct stack){ .domain = domain, .turn = r->turn };
	if (at)
		r->unused = r->open.v[at - 1].below;
	else
		at = r->open.n;
	e->pub.level = s->depth++;
	r->open.v[at - 1] = (struct open_push){ number, s->top };
	s->top = at;
	return 0;
}

/* Payload at *at, which goes behind it. False: it does not fit the record. */
static bool take_payload(struct gt_model *m, const struct gt_rec *rec, uint32_t *at, struct gt_range *g)
{
	uint32_t bytes, words;

	if (*at >= rec->n_args)
		return false;
	g->payload_type = (uint32_t)rec->args[*at];
	bytes = (uint32_t)(rec->args[*at] >> 32);
	words = bytes / 8 + (bytes % 8 != 0);
	if (words > rec->n_args - *at - 1)
		return false;
	if (g->payload_type == REC_NVTX_SCHEMA_DATA)
		g->data = (struct gt_string){ gt_arena_copy(&m->arena, rec->args + *at + 1, bytes), bytes };
	else if (bytes == 8)
		g->payload = rec->args[*at + 1];
	else
		return false;
	*at += 1 + words;
	return true;
}

static bool take_stack(const struct gt_rec *rec, uint32_t flags, uint32_t *at, uint64_t *link)
{
	uint64_t word;

	if (!(flags & REC_NVTX_STACK))
		return true;
	if (rec->n_args < *at + 1)
		return false;
	word = rec->args[*at];
	*at += 1 + rec_stack_more(word);
	*link = rec_link_offset(word) ? rec_stack_link(word) : 0;
	return rec->n_args >= *at;
}

static int take_event(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_ranges *r = m->ranges;
	uint64_t w = rec->args[1];
	struct entry e = { .offset = rec->offset, .stream = rec->stream, .holder = rec->holder }, *kept;
	uint32_t at = 2, flags = w >> 16 & 0xff;
	int ok;

	e.pub = (struct gt_range){ .process = rec->process,
		.kind = (enum rec_nvtx_kind)(w & 0xff),
		.end_ns = GT_NO_TIME,
		.domain = (uint32_t)rec->result,
		.category = (uint32_t)(w >> 32),
		.start_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]) };
	if (e.pub.kind < REC_NVTX_MARK || e.pub.kind > REC_NVTX_START ||
		!take_stack(rec, flags, &at, &e.pub.stack_link) ||
		((flags & REC_NVTX_COLOR) && rec->n_args < at + 1))
		return damaged(m);
	if (flags & REC_NVTX_COLOR) {
		e.pub.has_color = true;
		e.pub.color = (uint32_t)rec->args[at++];
	}
	if ((flags & REC_NVTX_PAYLOAD) && !take_payload(m, rec, &at, &e.pub))
		return damaged(m);
	ok = take_message(m, rec, at, w >> 8 & 0xff, &e.pub.text, &e.string);
	if (ok <= 0)
		return ok < 0 ? -1 : damaged(m);
	e.pub.registered = (w >> 8 & 0xff) == REC_NVTX_REGISTERED;
	if (e.pub.kind == REC_NVTX_START)
		e.pub.id = rec_link(rec->stream, rec->offset);
	if (e.pub.kind == REC_NVTX_PUSH && push(r, &e, r->entries.n))
		return -1;
	kept = gt_bulk_add(&r->entries, sizeof *kept, &m->budget);
	if (!kept)
		return -1;
	*kept = e;
	return 0;
}

static int take_pop(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_ranges *r = m->ranges;
	uint32_t domain = (uint32_t)rec->result, at;
	struct stack *s = gt_map_find(
		&r->stacks, sizeof *s, gt_hash(GT_HASH, domain), &domain, same_domain, NULL);
	struct open_push *top;

	if (!s || s->turn != r->turn || !s->top)
		return 0;                 /* its push came before recording began */
	at = s->top;
	top = &r->open.v[at - 1];
	((struct entry *)r->entries.data + top->entry)->pub.end_ns =
		gt_reader_tick_ns(m->reader, rec->process, rec->args[0]);
	s->top = top->below;
	s->depth--;
	top->below = r->unused;
	r->unused = at;
	return 0;
}

static int take_end(struct gt_model *m, const struct gt_rec *rec)
{
	struct end *e = gt_bulk_add(&m->ranges->ends, sizeof *e, &m->budget);

	if (!e)
		return -1;
	*e = (struct end){ rec->args[1], gt_reader_tick_ns(m->reader, rec->process, rec->args[0]), rec->process,
		rec->stream, rec->holder };
	return 0;
}

static int take_name(struct gt_model *m, const struct gt_rec *rec)
{
	uint64_t w = rec->args[1];
	struct name n = { .stream = rec->stream, .holder = rec->holder }, *kept;
	int ok;

	n.pub = (struct gt_range_name){ .process = rec->process,
		.what = (enum rec_nvtx_name)(w & 0xff),
		.domain = (uint32_t)rec->result,
		.resource_type = (uint32_t)(w >> 32),
		.id = rec->args[2],
		.time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]) };
	ok = take_message(m, rec, 3, w >> 8 & 0xff, &n.pub.text, &n.string);
	if (ok <= 0)
		return ok < 0 ? -1 : damaged(m);
	kept = gt_bulk_add(&m->ranges->names, sizeof *kept, &m->budget);
	if (!kept)
		return -1;
	*kept = n;
	return 0;
}

static int take_schema(struct gt_model *m, const struct gt_rec *rec)
{
	int ok = gt_payloads_take(m, rec);

	return ok < 0 ? -1 : ok ? 0 : damaged(m);
}

int gt_ranges_take(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_ranges *r = ranges_of(m);

	if (!r)
		return -1;
	if (rec->args[0] > m->processes[rec->process].last_tick)
		m->processes[rec->process].last_tick = rec->args[0];
	enter_thread(r, rec);
	switch (rec->id) {
	case REC_NVTX_EVENT: return take_event(m, rec);
	case REC_NVTX_POP: return take_pop(m, rec);
	case REC_NVTX_END: return take_end(m, rec);
	case REC_NVTX_NAME: return take_name(m, rec);
	case REC_NVTX_SCHEMA: return take_schema(m, rec);
	}
	return 0;
}

/* ------------------------------------------------------------------- joining */

static int compare_place(const struct entry *x, uint32_t process, uint32_t stream, uint64_t offset)
{
	if (x->pub.process != process)
		return x->pub.process < process ? -1 : 1;
	if (x->stream != stream)
		return x->stream < stream ? -1 : 1;
	return (x->offset > offset) - (x->offset < offset);
}

static int compare_places(const void *a, const void *b, const void *ctx)
{
	const struct entry *y = b;

	(void)ctx;
	return compare_place(a, y->pub.process, y->stream, y->offset);
}

/* In order of compare_places: a start is found by its link. */
static struct entry *find_start(const struct gt_ranges *r, uint32_t process, uint64_t id)
{
	struct entry *v = r->entries.data;
	uint32_t stream = rec_link_stream(id);
	uint64_t offset = rec_link_offset(id);
	size_t low;

	GT_SEARCH(low, r->entries.n, compare_place(&v[low], process, stream, offset) < 0);
	if (low == r->entries.n || v[low].pub.process != process || v[low].pub.id != id ||
		v[low].pub.kind != REC_NVTX_START)
		return NULL;
	return &v[low];
}

static uint32_t thread_at(const struct gt_model *m, uint32_t process, uint32_t stream, uint32_t holder)
{
	const struct gt_stream_map *s = gt_model_stream(m, process, stream);

	holder = holder ? holder - 1 : 0;
	return holder < s->n ? s->holder[holder] : 0;
}

static uint64_t key_of(const struct gt_range_name *n) { return n->what == REC_NVTX_DOMAIN ? n->domain : n->id; }

static int compare_names(const void *a, const void *b, const void *ctx)
{
	const struct name *x = a, *y = b;

	(void)ctx;
	if (x->pub.process != y->pub.process)
		return x->pub.process < y->pub.process ? -1 : 1;
	if (x->pub.what != y->pub.what)
		return x->pub.what < y->pub.what ? -1 : 1;
	return (key_of(&x->pub) > key_of(&y->pub)) - (key_of(&x->pub) < key_of(&y->pub));
}

/* What a number stands for: numbers go on in a child of fork, where the definition is its parent's. */
static struct gt_string named(const struct gt_model *m, uint32_t process, enum rec_nvtx_name what, uint64_t number)
{
	const struct gt_ranges *r = m->ranges;
	const struct gt_process *p = &m->processes[process].pub;
	const struct name *v = r->names.data, *found = NULL;

	for (uint32_t depth = 0; p && !found && depth < m->n_processes; p = p->parent, depth++) {
		struct name key = {
			.pub = { .process = p->index, .what = what, .domain = (uint32_t)number, .id = number }
		};
		size_t at;

		GT_SEARCH(at, r->names.n, compare_names(&v[at], &key, NULL) < 0);
		found = at < r->names.n && !compare_names(&v[at], &key, NULL) ? &v[at] : NULL;
	}
	return found ? found->pub.text : (struct gt_string){ NULL, 0 };
}

static int compare_entries(const void *a, const void *b, const void *ctx)
{
	const struct gt_range *x = a, *y = b;
	int64_t x_end, y_end;

	(void)ctx;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	x_end = x->kind == REC_NVTX_MARK ? x->start_ns : x->end_ns == GT_NO_TIME ? INT64_MAX : x->end_ns;
	y_end = y->kind == REC_NVTX_MARK ? y->start_ns : y->end_ns == GT_NO_TIME ? INT64_MAX : y->end_ns;
	if (x_end != y_end)
		return x_end > y_end ? -1 : 1;
	const struct entry *e = a, *f = b;

	if (e->stream != f->stream)
		return e->stream < f->stream ? -1 : 1;
	return (e->offset > f->offset) - (e->offset < f->offset);
}

static int compare_said(const void *a, const void *b, const void *ctx)
{
	const struct gt_range_name *x = a, *y = b;

	(void)ctx;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void join_ends(struct gt_model *m)
{
	struct gt_ranges *r = m->ranges;

	for (size_t i = 0; i < r->ends.n; i++) {
		const struct end *end = (const struct end *)r->ends.data + i;
		struct entry *e = find_start(r, end->process, end->id);

		gt_paged_tick();
		if (!e || e->pub.end_ns != GT_NO_TIME || end->ns < e->pub.start_ns)
			continue;         /* started before recording began, or in a parent process */
		e->pub.end_ns = end->ns;
		e->pub.end_thread = thread_at(m, end->process, end->stream, end->holder);
	}
}

static void resolve(struct gt_model *m, struct entry *e)
{
	struct gt_range *g = &e->pub;

	g->thread = thread_at(m, g->process, e->stream, e->holder);
	if (g->kind != REC_NVTX_START || g->end_ns == GT_NO_TIME)
		g->end_thread = g->thread;
	g->domain_name = g->domain ? named(m, g->process, REC_NVTX_DOMAIN, g->domain) : (struct gt_string){ "", 0 };
	if (!g->domain_name.text)
		g->domain_name = (struct gt_string){ "", 0 };
	if (g->registered)
		g->text = named(m, g->process, REC_NVTX_STRING, e->string);
}

/* What the program said of names, as users of the model see it. */
static int finish_names(struct gt_model *m)
{
	struct gt_ranges *r = m->ranges;

	for (size_t i = 0; i < r->names.n; i++) {
		struct name *n = (struct name *)r->names.data + i;
		struct gt_range_name *said;

		gt_paged_tick();
		if (n->pub.what == REC_NVTX_STRING)
			continue;
		if (n->string)
			n->pub.text = named(m, n->pub.process, REC_NVTX_STRING, n->string);
		if (n->pub.what == REC_NVTX_DOMAIN_END)
			n->pub.text = named(m, n->pub.process, REC_NVTX_DOMAIN, n->pub.domain);
		n->pub.thread = thread_at(m, n->pub.process, n->stream, n->holder);
		said = gt_bulk_add(&r->said, sizeof *said, &m->budget);
		if (!said)
			return -1;
		*said = n->pub;
	}
	return gt_bulk_sort(&r->said, sizeof(struct gt_range_name), compare_said, NULL, &m->budget);
}

int gt_ranges_finish(struct gt_model *m)
{
	struct gt_ranges *r = m->ranges;

	if (!r)
		return 0;
	gt_map_free(&r->texts, sizeof(struct gt_string));
	if (r->ends.n && gt_bulk_sort(&r->entries, sizeof(struct entry), compare_places, NULL, &m->budget))
		return -1;
	join_ends(m);
	if (gt_bulk_sort(&r->names, sizeof(struct name), compare_names, NULL, &m->budget))
		return -1;
	for (size_t i = 0; i < r->entries.n; i++) {
		gt_paged_tick();
		resolve(m, (struct entry *)r->entries.data + i);
	}
	if (finish_names(m))
		return -1;
	return gt_bulk_sort(&r->entries, sizeof(struct entry), compare_entries, NULL, &m->budget);
}

uint64_t gt_model_range_count(const struct gt_model *m) { return m->ranges ? m->ranges->entries.n : 0; }

const struct gt_range *gt_model_range(const struct gt_model *m, uint64_t i)
{
	gt_paged_tick();
	return i < gt_model_range_count(m) ? &((const struct entry *)m->ranges->entries.data)[i].pub : NULL;
}

uint32_t gt_model_range_name_count(const struct gt_model *m)
{
	return m->ranges ? (uint32_t)m->ranges->said.n : 0;
}

const struct gt_range_name *gt_model_range_name(const struct gt_model *m, uint32_t i)
{
	gt_paged_tick();
	return i < gt_model_range_name_count(m) ? (const struct gt_range_name *)m->ranges->said.data + i : NULL;
}

struct gt_string gt_model_registered_string(const struct gt_model *m, uint32_t process, uint64_t number)
{
	return m->ranges ? named(m, process, REC_NVTX_STRING, number) : (struct gt_string){ NULL, 0 };
}
