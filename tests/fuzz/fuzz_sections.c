/*
 * tests/fuzz/fuzz_sections.c - read mutated section files and reports: nothing may crash, hang or take all memory
 *
 *	fuzz_sections [-n EXECUTIONS] [-r SEED] FILE.section...
 *
 * Each execution breaks one thing, or a few: a word, a number or a line of a section file; or a value or a part of the
 * messages of a report, or a few bytes of the report itself. What is read is used: metrics are chosen, derived ones
 * computed, every page is made, and a report is written again and must be read again. Limits: each.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/page.h"
#include "analysis/sections/report_file.h"
#include "tests/fuzz/each.h"
#include "tests/fuzz/messages.h"

#define FILES 64
#define LARGEST (1u << 18)

static uint64_t parsed, refused, reports_read, reports_refused;

static struct seed { const char *path; char *text; size_t bytes; struct gt_message *message; } seeds[FILES];
static size_t n_seeds;
static struct gt_arena seeds_arena;
static char text[LARGEST];

static struct gt_string str(const char *s) { return (struct gt_string){ s, strlen(s) }; }

/* ------------------------------------------------------------------ what is read is used */

static bool take_metric(void *ctx, const struct gt_section_metric *m)
{
	*(uint64_t *)ctx += m->name.bytes + m->label.bytes + m->required;
	return true;
}

static void make_pages(const struct gt_actions *as)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct gt_page_options o = { .page = i & 1 ? GT_PAGE_RAW : GT_PAGE_DETAILS, .csv = i & 2,
			.metrics = "" };
		struct gt_text t = { 0 };

		gt_page_put(&t, as, &o);
		free(t.data);
	}
}

/* One kernel with values of every kind under names that stock sections use. */
static struct gt_action *make_action(struct gt_actions *as)
{
	static const char *const names[] = { "inst_executed", "thread_inst_executed_true", "opencl__local_size",
		"smsp__pcsamp_sample_count", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "launch__block_size",
		"derived__avg_thread_executed", "launch__occupancy_per_register_count" };
	struct gt_action *a = GT_LIST_ADD(&as->all);

	*a = (struct gt_action){ .pid = 10, .process = str("app"), .host = str("h"), .function = str("f"),
		.demangled = str("f(int)"), .mangled = str("_Z1fi"), .dims = 3, .grid = { 4, 2, 1 },
		.block = { 128, 1, 1 }, .capability = 90 };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct gt_action_metric *m = gt_action_add(a, str(names[i]));
		uint32_t n = (uint32_t)below(5);

		m->unit = m->description = m->why = str("");
		m->value.regular = below(2) ? gt_metric_integer(below(3) ? below(100) : UINT64_MAX)
					    : gt_metric_double((double)below(1000) / 7 - 3);
		m->value.instances = n ? gt_arena_alloc(&as->arena, n * sizeof *m->value.instances) : NULL;
		m->value.n = m->value.instances ? n : 0;
		for (uint32_t k = 0; k < m->value.n; k++)
			m->value.instances[k] = (struct gt_instance){
				below(4) ? gt_metric_integer(k * 16) : gt_metric_none(""),
				gt_metric_integer(below(1000)) };
	}
	return a;
}

static const struct gt_ncurep_session session = { .pid = 10, .created_s = 1700000000, .host = "h", .process = "app",
	.os = "Linux", .arch = "x86_64", .version = "1.0" };

static void use_section(const struct gt_message *m)
{
	const struct gt_section section = { .path = "mutated", .id = gt_message_text(m, "Identifier"),
		.name = gt_message_text(m, "DisplayName"), .description = gt_message_text(m, "Description"),
		.extends = gt_message_text(m, "Extends"), .message = m };
	struct gt_actions as = { 0 };
	struct gt_action *a = make_action(&as);
	uint64_t bytes = 0;

	for (int scope = GT_SCOPE_LAUNCH; scope <= GT_SCOPE_COMMAND_LIST; scope++) {
		const struct gt_target target = { .capability = (uint32_t)below(130),
			.scope = (enum gt_scope)scope };

		gt_section_metrics(&section, &target, take_metric, &bytes);
	}
	if (gt_action_add_section(&as, a, &section, NULL, below(2) ? GT_DERIVED_GUIDE : GT_DERIVED_NCU))
		make_pages(&as);
	gt_actions_close(&as);
}

/* ------------------------------------------------------------------ section files */

static const char *odd_word(void)
{
	static const char *const odd[] = { "0", "-1", "1", "255", "4294967295", "4294967296", "18446744073709551615",
		"18446744073709551616", "-9223372036854775808", "1e999", "nan", "inf", "-0.0", "0x7fffffff", "true",
		"\"\"", "\"\\377\\x00\"", "\"regex:(((\"", "\"regex:.*\"", "{", "}", "<", ">", ":", "[", "]", "#",
		"\"unterminated", "CC_4294967295", "MinArch", "\"a / 0\"", "\"inst_executed / 0\"", "\"a + b + c\"" };

	return odd[below(sizeof odd / sizeof *odd)];
}

/* From `at` on: bytes of the word, or of the blanks, there. */
static size_t word_at(const char *s, size_t at, size_t bytes)
{
	size_t n = at;
	bool quoted = s[at] == '"';

	while (n < bytes && s[n] != '\n' && (quoted ? n == at || s[n] != '"' : s[n] != ' ' && s[n] != '\t'))
		n++;
	return n - at + (quoted && n < bytes && s[n] == '"') + !(n - at);
}

static size_t replace(size_t bytes, size_t at, size_t n, const char *with, size_t with_n)
{
	if (at + n > bytes)
		n = bytes - at;
	if (bytes - n + with_n > sizeof text)
		return bytes;
	memmove(text + at + with_n, text + at + n, bytes - at - n);
	memcpy(text + at, with, with_n);
	return bytes - n + with_n;
}

static size_t start_of_word(size_t bytes)
{
	size_t at = (size_t)below(bytes);

	while (at && text[at - 1] != ' ' && text[at - 1] != '\t' && text[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_from(size_t at, size_t bytes)
{
	const char *end = memchr(text + at, '\n', bytes - at);

	return end ? (size_t)(end - text) + 1 - at : bytes - at;
}

static size_t mutate_text(size_t bytes)
{
	const struct seed *other = &seeds[below(n_seeds)];
	size_t at, n, from = (size_t)below(other->bytes);
	const char *odd = odd_word();
	char kept[4096];

	if (!bytes)
		return 0;
	at = start_of_word(bytes);
	n = word_at(text, at, bytes);
	switch (below(8)) {
	case 0: case 1: case 2:
		return replace(bytes, at, n, odd, strlen(odd));
	case 3:                                   /* a word of another file */
		while (from && other->text[from - 1] > ' ')
			from--;
		return replace(bytes, at, n, other->text + from, word_at(other->text, from, other->bytes));
	case 4:                                   /* without a line */
		return replace(bytes, at, line_from(at, bytes), "", 0);
	case 5:                                   /* a line, or lines, twice; and nested deeper */
		n = line_from(at, bytes);
		n = n > sizeof kept ? sizeof kept : n;
		memcpy(kept, text + at, n);
		for (uint64_t times = below(4) ? 1 : below(300); times; times--)
			bytes = replace(bytes, at, 0, kept, n);
		return bytes;
	case 6:                                   /* a piece of another file */
		n = (size_t)below(400);
		return replace(bytes, at, 0, other->text + from, n > other->bytes - from ? other->bytes - from : n);
	default:
		text[below(bytes)] = (char)below(256);
		return bytes;
	}
}

static void section_once(void)
{
	const struct seed *s = &seeds[below(n_seeds)];
	struct gt_arena arena = { 0 };
	struct gt_message *m;
	struct gt_err err;
	size_t bytes = s->bytes;
	char *exact;

	memcpy(text, s->text, bytes);
	for (uint64_t times = below(4) ? 1 : 1 + below(4); times; times--)
		bytes = mutate_text(bytes);
	exact = memcpy(malloc(bytes + 1), text, bytes);         /* of exact size, for sanitizers */
	if (gt_message_parse(&arena, &gt_type_ProfilerSection, "mutated", exact, bytes, below(2), NULL, &m,
		    &err) == 0) {
		parsed++;
		use_section(m);
	} else {
		refused++;
	}
	free(exact);
	gt_arena_free(&arena);
}

/* ------------------------------------------------------------------ reports */

static void mutate_message(struct gt_arena *arena, struct gt_message *m)
{
	static const uint64_t odd[] = { 0, 1, 255, INT32_MAX, UINT32_MAX, INT64_MAX, 1ull << 63, UINT64_MAX };
	struct gt_message *in;
	struct gt_message_value *v = any_value(m, 8, 4, &in), *more;

	if (!v)
		return;
	if (v->field->kind == GT_FIELD_PART) {
		more = gt_message_append(arena, in, v->field);      /* the part twice */
		if (more)
			more->part = v->part;
	} else if (v->field->kind == GT_FIELD_TEXT || v->field->kind == GT_FIELD_BYTES) {
		v->text = below(3) ? str(odd_word()) : (struct gt_string){ text, (size_t)below(2000) };
	} else if (v->field->kind == GT_FIELD_F64 || v->field->kind == GT_FIELD_F32) {
		memcpy(&v->real, &odd[below(sizeof odd / sizeof *odd)], 8);
	} else {
		v->integer = odd[below(sizeof odd / sizeof *odd)];
	}
}

static void mutate_bytes(struct gt_text *t)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t at = (size_t)below(t->used);

	switch (below(4)) {
	case 0:
		t->data[at] = (char)odd[below(sizeof odd)];
		return;
	case 1:
		t->data[at] ^= (char)(1u << below(8));
		return;
	case 2:
		t->used = at;
		return;
	default:
		for (size_t i = 0; i < 4 && at + i < t->used; i++)
			t->data[at + i] = (char)odd[below(sizeof odd)];
	}
}

static void use_report(const struct gt_actions *as)
{
	struct gt_actions again = { 0 };
	struct gt_text t = { 0 };
	struct gt_err err;

	make_pages(as);
	gt_ncurep_put(&t, as, &session);
	if (!t.failed && gt_ncurep_parse(&again, "written", t.data, t.used, NULL, &err)) {
		fprintf(stderr, "what was read cannot be read again: %s\n", err.what);
		abort();
	}
	gt_actions_close(&again);
	free(t.data);
}

static void report_once(void)
{
	const struct seed *s = &seeds[below(n_seeds)];
	struct gt_actions as = { 0 }, got = { 0 };
	struct gt_message *m = NULL;
	struct gt_ncurep_facts facts;
	struct gt_text t = { 0 };
	struct gt_err err;
	struct gt_action *a = make_action(&as);

	if (gt_message_parse(&as.arena, &gt_type_ProfilerSection, s->path, s->text, s->bytes, false, NULL, &m,
		    &err) == 0) {
		for (uint64_t times = below(4); times; times--)
			mutate_message(&as.arena, m);
		*GT_LIST_ADD(&a->sections) = m;
	}
	gt_ncurep_put(&t, &as, &session);
	for (uint64_t times = below(4); times && t.used; times--)
		mutate_bytes(&t);
	if (gt_ncurep_parse(&got, "mutated", t.data, t.used, &facts, &err) == 0) {
		reports_read++;
		use_report(&got);
	} else {
		reports_refused++;
	}
	gt_actions_close(&got);
	gt_actions_close(&as);
	free(t.data);
}

/* ------------------------------------------------------------------ all */

static void take_seed(const char *path)
{
	struct seed *s = &seeds[n_seeds];
	FILE *f = fopen(path, "rb");
	struct gt_err err;

	if (!f || n_seeds == FILES) {
		perror(path);
		exit(2);
	}
	s->path = path;
	s->text = malloc(LARGEST / 2);
	s->bytes = fread(s->text, 1, LARGEST / 2, f);
	fclose(f);
	if (gt_message_parse(&seeds_arena, &gt_type_ProfilerSection, path, s->text, s->bytes, true, NULL,
		    &s->message, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.what);
		exit(2);
	}
	n_seeds++;
}

static void once(void)
{
	if (each_now % 2)
		section_once();
	else
		report_once();
}

int main(int argc, char **argv)
{
	const struct each_options o = each_begin(argc, argv);

	while (optind < argc)
		take_seed(argv[optind++]);
	if (!n_seeds)
		return 2;
	each_run(o, once);
	printf("%llu executions: %llu section files used, %llu refused; %llu reports read, %llu refused; at most %llu "
	       "branches\n", (unsigned long long)o.n, (unsigned long long)parsed, (unsigned long long)refused,
		(unsigned long long)reports_read, (unsigned long long)reports_refused,
		(unsigned long long)each_most_steps);
	return !parsed || !refused || !reports_read || !reports_refused;
}
