/*
 * tests/fuzz/fuzz_reports.c - read mutated report files: nothing may crash, hang or take all memory
 *
 *	fuzz_reports [-n EXECUTIONS] [-r SEED]
 *
 * Each execution makes a report of its own, of blocks with results of every kind, sources, sections, results of rules
 * and NVTX state, all fields filled as the schema has them; then it breaks one thing, or a few: a value or a part of a
 * message, what a header counts, the size of a message, a block, the version, some bytes. What is read is used: every
 * page is made, and the report is written again and must be read again. Limits: each.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/page.h"
#include "analysis/sections/report_file.h"
#include "tests/fuzz/each.h"
#include "tests/fuzz/messages.h"

#define BLOCKS 4
#define ENTRIES 4
#define DEPTH 7
#define FIELDS 400                                /* of one message with all its parts */

static uint64_t whole, was_read, refused, results;

static struct gt_string str(const char *s) { return (struct gt_string){ s, strlen(s) }; }

/* ------------------------------------------------------------------ a report */

/* Of the entries of a block, in the order of the file. */
enum kind { SOURCE, RESULT, RANGE, COMMAND_LIST, GRAPH, KINDS };
static const struct { const struct gt_message_type *type; const char *count; } kinds[KINDS] = {
	[SOURCE] = { &gt_type_SourceData, "NumSources" }, [RESULT] = { &gt_type_ProfileResult, "NumResults" },
	[RANGE] = { &gt_type_RangeResult, "NumRangeResults" },
	[COMMAND_LIST] = { &gt_type_CmdlistResult, "NumCmdlistResults" },
	[GRAPH] = { &gt_type_GraphResult, "NumGraphResults" } };

struct block { struct gt_message *header, *entries[ENTRIES]; enum kind kinds[ENTRIES]; uint32_t n; };
struct report { struct gt_arena arena; struct gt_message *head; struct block blocks[BLOCKS]; uint32_t n, strings; };

static const char *const names[] = { "inst_executed", "smsp__pcsamp_sample_count", "launch__block_size",
	"device__attribute_compute_capability_major", "device__attribute_display_name", "opencl__duration",
	"sm__throughput.avg.pct_of_peak_sustained_elapsed", "regex:.*", "breakdown:x", "launch__registers_per_thread",
	"", "sm__a.sum,sm__b.sum", "derived__x" };

static uint64_t number(void)
{
	static const uint64_t odd[] = { 0, 1, 255, INT32_MAX, UINT32_MAX, INT64_MAX, 1ull << 63, UINT64_MAX };

	return below(8) ? below(12) : odd[below(sizeof odd / sizeof *odd)];
}

static struct gt_string word(void)
{
	static const char *const odd[] = { "", "a", "%s%n", "\xff\xfe", "1e999", "regex:(((", "main.cu", "\033[2J",
		"a / b", "a,b\n\"c\"", "__global__ void k(int *a)\n{\n\ta[0] = 1;\n}\n" };

	return str(below(3) ? names[below(sizeof names / sizeof *names)] : odd[below(sizeof odd / sizeof *odd)]);
}

static void fill(struct gt_arena *a, struct gt_message *m, unsigned depth, unsigned *left);

static void add(struct gt_arena *a, struct gt_message *m, const struct gt_message_field *f, unsigned depth,
	unsigned *left)
{
	struct gt_message_value *v = gt_message_append(a, m, f);

	switch (f->kind) {
	case GT_FIELD_TEXT: case GT_FIELD_BYTES: v->text = word(); break;
	case GT_FIELD_F32: case GT_FIELD_F64: v->real = (double)number() / 3; break;
	case GT_FIELD_BOOL: v->integer = below(2); break;
	case GT_FIELD_CHOICE: v->integer = below(6); break;
	case GT_FIELD_PART:
		v->part = gt_message_new(a, f->part);
		fill(a, v->part, depth + 1, left);
		break;
	default: v->integer = number(); break;
	}
}

/* Most fields, some of them several times, as deep as the schema goes. */
static void fill(struct gt_arena *a, struct gt_message *m, unsigned depth, unsigned *left)
{
	for (size_t i = 0; i < m->type->n; i++) {
		const struct gt_message_field *f = &m->type->fields[i];
		uint64_t n = f->count == GT_FIELD_MANY ? below(4) : f->count == GT_FIELD_REQUIRED || below(3);

		for (; n && f->number && *left && (f->kind != GT_FIELD_PART || depth < DEPTH); n--) {
			--*left;
			add(a, m, f, depth, left);
		}
	}
}

static struct gt_message *filled(struct gt_arena *a, const struct gt_message_type *type)
{
	struct gt_message *m = gt_message_new(a, type);
	unsigned left = FIELDS;

	fill(a, m, 0, &left);
	return m;
}

static void set(struct gt_arena *a, struct gt_message *m, const char *field, uint64_t v)
{
	const struct gt_message_value *old = gt_message_next(m, field, NULL);

	if (old)
		((struct gt_message_value *)old)->integer = v;
	else
		gt_message_add_integer(a, m, field, v);
}

static struct gt_message *part_of(struct gt_arena *a, struct gt_message *m, const char *field)
{
	const struct gt_message *old = gt_message_part(m, field);

	return old ? (struct gt_message *)old : gt_message_add_part(a, m, field);
}

/* By names that there are. */
static void name_metrics(struct report *r, const struct gt_message *m)
{
	const struct gt_message_value *v = gt_message_next(m, "MetricResults", NULL);

	for (; v && r->strings; v = gt_message_next(NULL, "MetricResults", v))
		set(&r->arena, v->part, "NameId", below(r->strings));
}

static void make(struct report *r)
{
	r->head = gt_message_new(&r->arena, &gt_type_FileHeader);
	set(&r->arena, r->head, "Version", 7);
	r->n = 1 + (uint32_t)below(BLOCKS);
	for (uint32_t i = 0; i < r->n; i++) {
		struct block *b = &r->blocks[i];
		struct gt_message *table;

		b->header = filled(&r->arena, &gt_type_BlockHeader);
		table = part_of(&r->arena, b->header, "StringTable");
		for (uint64_t n = !i + below(6); n; n--) {
			struct gt_string s = word();

			gt_message_add_text(&r->arena, table, "Strings", s.text, s.bytes);
		}
		for (const struct gt_message_value *v = gt_message_next(table, "Strings", NULL); v;
			v = gt_message_next(NULL, "Strings", v))
			r->strings++;
		b->n = (uint32_t)below(ENTRIES + 1);
		for (uint32_t k = 0, kind = 0; k < b->n; k++) {
			kind += (uint32_t)below(KINDS - kind);
			b->kinds[k] = (enum kind)kind;
			b->entries[k] = filled(&r->arena, kinds[kind].type);
		}
	}
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; k < r->blocks[i].n; k++)
			if (r->blocks[i].kinds[k] != SOURCE)
				name_metrics(r, r->blocks[i].entries[k]);
}

/* ------------------------------------------------------------------ what breaks it */

static struct gt_message *any_message(struct report *r)
{
	struct block *b = &r->blocks[below(r->n)];

	return b->n && below(4) ? b->entries[below(b->n)] : below(8) ? b->header : r->head;
}

static void break_message(struct report *r)
{
	struct gt_message *in;
	struct gt_message_value *v = any_value(any_message(r), DEPTH, 6, &in), *more;

	if (!v)
		return;
	switch (below(5)) {
	case 0:                                   /* twice */
		more = gt_message_append(&r->arena, in, v->field);
		more->text = v->text;
		return;
	case 1:                                   /* what is behind it is gone */
		v->next = NULL;
		in->last = v;
		return;
	case 2:                                   /* another message's part, of any type */
		if (v->field->kind == GT_FIELD_PART)
			v->part = any_message(r);
		/* fall through */
	default:
		if (v->field->kind == GT_FIELD_TEXT || v->field->kind == GT_FIELD_BYTES)
			v->text = word();
		else if (v->field->kind != GT_FIELD_PART)
			v->integer = number();
	}
}

/* Is m a part of itself? Then it has no end in bytes. */
static bool ends(const struct gt_message *m, unsigned depth)
{
	bool all = depth < 40;

	for (const struct gt_message_value *v = m->first; v && all; v = v->next)
		if (v->field->kind == GT_FIELD_PART)
			all = ends(v->part, depth + 1);
	return all;
}

static void put_size(struct gt_text *t, uint64_t n)
{
	for (int i = 0; i < 4; i++)
		gt_text_char(t, (char)(n >> 8 * i & 0xff));
}

static void put_sized(struct gt_text *out, const struct gt_message *m, bool broken)
{
	struct gt_text t = { 0 };

	if (ends(m, 0))
		gt_message_encode(&t, m);
	put_size(out, broken ? t.used + below(3) - 1 + (below(4) ? 0 : number()) : t.used);
	gt_text_bytes(out, t.data, t.used);
	gt_text_free(&t);
}

/* broken: one of the things that a block says of itself is not so. */
static void put_block(struct report *r, struct gt_text *out, const struct block *b, bool broken)
{
	uint64_t wrong = broken ? below(8) : 8;
	struct gt_text payload = { 0 };
	uint64_t counts[KINDS] = { 0 };

	for (uint32_t i = 0; i < b->n; i++) {
		put_sized(&payload, b->entries[i], wrong == 0 && !below(b->n));
		counts[b->kinds[i]]++;
	}
	for (int i = 0; i < KINDS; i++)
		set(&r->arena, b->header, kinds[i].count, wrong == 1 && !below(KINDS) ? number() : counts[i]);
	set(&r->arena, b->header, "PayloadSize", wrong == 2 ? number() : payload.used);
	if (wrong == 3)
		payload.used = (size_t)below(payload.used);
	put_sized(out, b->header, wrong == 4);
	gt_text_bytes(out, payload.data, payload.used);
	gt_text_free(&payload);
}

static void break_bytes(struct gt_text *t)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t at = (size_t)below(t->used), n = 1 + (size_t)below(t->used - at);

	switch (below(5)) {
	case 0: t->data[at] = (char)odd[below(sizeof odd)]; return;
	case 1: t->data[at] ^= (char)(1u << below(8)); return;
	case 2: t->used = at; return;
	case 3:
		for (size_t i = 0; i < 4 && at + i < t->used; i++)
			t->data[at + i] = (char)odd[below(sizeof odd)];
		return;
	default:                                  /* without some bytes */
		memmove(t->data + at, t->data + at + n, t->used - at - n);
		t->used -= n;
	}
}

static void put(struct report *r, struct gt_text *t, bool broken)
{
	gt_text_bytes(t, "NVR", 4);
	put_sized(t, r->head, broken && !below(12));
	for (uint32_t i = 0; i < r->n; i++) {
		const struct block *b = &r->blocks[broken && !below(10) ? below(r->n) : i];

		put_block(r, t, b, broken && !below(r->n));
	}
	for (uint64_t n = broken && !below(3) ? 1 + below(3) : 0; n && t->used; n--)
		break_bytes(t);
}

/* ------------------------------------------------------------------ what is read is used */

static const struct gt_ncurep_session session = { .pid = 10, .created_s = 1700000000, .host = "h", .process = "app",
	.os = "Linux", .arch = "x86_64", .version = "1.0" };

static void use(const struct gt_actions *as)
{
	struct gt_actions again = { 0 };
	struct gt_text t = { 0 };
	struct gt_err err;

	for (unsigned i = 0; i < 4; i++) {
		const struct gt_page_options o = { .page = i & 1 ? GT_PAGE_RAW : GT_PAGE_DETAILS, .csv = i & 2,
			.metrics = "" };

		t.used = 0;
		gt_page_put(&t, as, &o);
	}
	t.used = 0;
	gt_ncurep_put(&t, as, &session);
	if (!t.failed && gt_ncurep_parse(&again, "written", t.data, t.used, NULL, &err)) {
		fprintf(stderr, "what was read cannot be read again: %s\n", err.what);
		abort();
	}
	gt_actions_close(&again);
	gt_text_free(&t);
}

static void once(void)
{
	struct report r = { .n = 0 };
	struct gt_actions got = { 0 };
	struct gt_ncurep_facts facts;
	struct gt_text t = { 0 };
	struct gt_err err;
	bool broken = each_now % 16;
	char *exact;

	make(&r);
	for (uint64_t times = broken ? below(4) : 0; times; times--)
		break_message(&r);
	put(&r, &t, broken);
	exact = memcpy(malloc(t.used + 1), t.data, t.used);     /* of exact size, for sanitizers */
	if (gt_ncurep_parse(&got, "mutated", exact, t.used, &facts, &err) == 0) {
		whole += !broken;
		was_read++;
		results += got.all.n;
		use(&got);
	} else if (!broken) {
		fprintf(stderr, "a report that is whole was refused: %s\n", err.what);
		abort();
	} else {
		refused++;
	}
	gt_actions_close(&got);
	free(exact);
	gt_text_free(&t);
	gt_arena_free(&r.arena);
}

int main(int argc, char **argv)
{
	const struct each_options o = each_begin(argc, argv);

	each_run(o, once);
	printf("%llu executions: %llu reports read (%llu of them whole) with %llu results, %llu refused; at most %llu "
	       "branches\n", (unsigned long long)o.n, (unsigned long long)was_read, (unsigned long long)whole,
		(unsigned long long)results, (unsigned long long)refused, (unsigned long long)each_most_steps);
	return !whole || !was_read || !refused;
}
