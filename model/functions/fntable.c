/*
 * model/functions/fntable.c - parse the function table that a trace carries
 *
 * The text is copied once and cut up in place; items are counted first, so every array is allocated once. A trace may
 * be of another version: unknown letters and fields behind the known ones are skipped; what cannot be used is refused.
 * Text form: api/README.md "The table in the trace".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/functions/fntable.h"

#include "common/hash.h"
#include "common/map.h"
#include "common/search.h"
#include "model/functions/plan.h"
#include "trace/format/rec.h"

#define FIELDS_MAX 24
#define IDS 65536u                        /* a record's id is 16 bits */

/* pub first: gt_enum_name() goes from the public part to the sorted copy. */
struct enum_group {
	struct gt_enum pub;
	struct gt_enum_value *values;
	struct gt_enum_value *sorted;     /* by value; of equal values the first of the file first */
};
struct struct_group { struct gt_struct pub; struct gt_field *fields; };
struct query_item { const char *group; int64_t value; struct gt_query query; };

struct gt_fntable {
	char *text;
	struct gt_fn *fns; uint32_t n_fns;
	struct gt_param *params; uint32_t n_params;
	struct gt_copy_step *steps;
	struct gt_plan *plans;
	struct enum_group *enums; uint32_t n_enums;
	struct gt_enum_value *values, *sorted; uint32_t n_values;
	struct struct_group *structs; uint32_t n_structs;
	struct gt_field *fields; uint32_t n_fields;
	struct query_item *queries; uint32_t n_queries;
	struct domain { const char *name; uint32_t id; } domains[32]; uint32_t n_domains;
	struct gt_map fn_names, enum_names;   /* indices */
	uint16_t by_id[IDS];              /* index + 1 */
	bool saw_version;
};

struct parser {
	struct gt_fntable *t;
	char *field[FIELDS_MAX];
	unsigned n;
	unsigned line;
	struct gt_err *err;
};

/* ------------------------------------------------------------ small fields */

static const char *const value_names[] = {
	"void", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "size", "f32", "f64", "bool", "enum", "flags",
	"error", "handle", "pointer", "callback", "char", "byte", "struct",
};
static const char *const copy_names[] = { "none", "array", "string", "plist", "bytes" };
static const char *const dir_names[] = { "in", "out", "inout" };
static const char *const object_names[] = {
	"-", "platform", "device", "context", "queue", "mem", "program", "kernel", "sampler", "event", "command_buffer",
	"svm", "semaphore",
};

static int find_word(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (*word == *words[i] && !strcmp(word, words[i]))
			return (int)i;
	return -1;
}
#define FIND_WORD(word, words) find_word(word, words, sizeof(words) / sizeof *(words))

static const char *text_of(const struct parser *p, unsigned i)
{
	return i < p->n && strcmp(p->field[i], "-") ? p->field[i] : "";
}

static int64_t number_of(const struct parser *p, unsigned i)
{
	return i < p->n ? strtoll(p->field[i], NULL, 0) : 0;
}

static uint32_t u32_of(const struct parser *p, unsigned i)
{
	int64_t n = number_of(p, i);

	return n < 0 || n > (int64_t)UINT32_MAX ? 0 : (uint32_t)n;
}

/* A class this reader does not know is shown as plain 64-bit data, never guessed. */
static enum gt_value value_of(const struct parser *p, unsigned i)
{
	int v = i < p->n ? FIND_WORD(p->field[i], value_names) : -1;

	return v < 0 ? GT_U64 : (enum gt_value)v;
}

static uint32_t object_of(const struct parser *p, unsigned i)
{
	int v = i < p->n ? FIND_WORD(p->field[i], object_names) : -1;

	return v >= 0 ? (uint32_t)v : u32_of(p, i);
}

/* ------------------------------------------------------------- hash by name */

static bool same_fn(const void *element, const void *key, const void *ctx)
{
	return !strcmp(((const struct gt_fntable *)ctx)->fns[*(const uint32_t *)element].name, key);
}

static bool same_enum(const void *element, const void *key, const void *ctx)
{
	return !strcmp(((const struct gt_fntable *)ctx)->enums[*(const uint32_t *)element].pub.name, key);
}

/* The first of a name counts: others keep their ids. */
static int name_map_add(struct parser *p, struct gt_map *m, gt_map_same *same, const char *name, uint32_t i)
{
	bool fresh;
	uint32_t *at = gt_map_add(m, sizeof *at, gt_hash_text(name, strlen(name)), name, same, p->t, &fresh);

	if (!at)
		return gt_no_memory(p->err);
	if (fresh)
		*at = i;
	return 0;
}

static const uint32_t *name_map_find(
	const struct gt_fntable *t, const struct gt_map *m, gt_map_same *same, const char *name)
{
	return gt_map_find(m, sizeof(uint32_t), gt_hash_text(name, strlen(name)), name, same, t);
}

/* -------------------------------------------------------------------- items */

static int bad(const struct parser *p, const char *what)
{
	return gt_fail(p->err, GT_EXIT_INPUT,
		"the trace's function table is damaged, or made by a version whose table this one cannot read", NULL,
		"function table, line %u: %s", p->line, what);
}

static int take_version(struct parser *p)
{
	if (number_of(p, 1) != 1)
		return bad(p, "format version is not 1");
	p->t->saw_version = true;
	return 0;
}

static int take_domain(struct parser *p)
{
	struct gt_fntable *t = p->t;

	if (t->n_domains < sizeof t->domains / sizeof *t->domains)
		t->domains[t->n_domains++] = (struct domain){ text_of(p, 2), u32_of(p, 1) };
	return 0;
}

static int take_enum(struct parser *p)
{
	struct gt_fntable *t = p->t;
	struct enum_group *e = &t->enums[t->n_enums];

	if (p->n < 2)
		return bad(p, "enum group without a name");
	e->pub.name = p->field[1];
	e->pub.is_flags = p->n > 2 && !strcmp(p->field[2], "flags");
	e->values = &t->values[t->n_values];
	e->pub.values = e->values;
	return name_map_add(p, &t->enum_names, same_enum, e->pub.name, t->n_enums++);
}

static int take_enum_value(struct parser *p)
{
	struct gt_fntable *t = p->t;

	if (!t->n_enums || p->n < 3)
		return bad(p, "enum value without a group or a name");
	t->values[t->n_values++] = (struct gt_enum_value){ number_of(p, 1), p->field[2] };
	t->enums[t->n_enums - 1].pub.n++;
	return 0;
}

static int take_struct(struct parser *p)
{
	struct gt_fntable *t = p->t;
	struct struct_group *s = &t->structs[t->n_structs++];

	s->fields = &t->fields[t->n_fields];
	s->pub = (struct gt_struct){ text_of(p, 1), u32_of(p, 2), 0, s->fields };
	return 0;
}

static int take_struct_field(struct parser *p)
{
	struct gt_fntable *t = p->t;

	if (!t->n_structs)
		return bad(p, "field without a struct");
	struct gt_struct *s = &t->structs[t->n_structs - 1].pub;
	struct gt_field f = { text_of(p, 1), u32_of(p, 2), value_of(p, 3), u32_of(p, 4), text_of(p, 5) };

	if (f.bytes > s->bytes || f.offset > s->bytes - f.bytes)
		return bad(p, "field outside its struct");
	t->fields[t->n_fields++] = f;
	s->n_fields++;
	return 0;
}

static int take_query(struct parser *p)
{
	p->t->queries[p->t->n_queries++] = (struct query_item){ text_of(p, 1), number_of(p, 2),
		{ value_of(p, 3), text_of(p, 4), number_of(p, 5) != 0 } };
	return 0;
}

static uint32_t domain_of(const struct parser *p, unsigned i)
{
	for (uint32_t d = 0; i < p->n && d < p->t->n_domains; d++)
		if (!strcmp(p->t->domains[d].name, p->field[i]))
			return p->t->domains[d].id;
	return u32_of(p, i);
}

/* A position outside the fixed words would read behind the record. */
static bool position_fits(const struct gt_fn *f, int position, uint32_t bytes)
{
	if (position == -1)
		return true;
	if (position < 1 || (position == 1 && bytes == 8) || (bytes == 8 && position % 2))
		return false;
	return ((uint32_t)position + bytes / 4 + 1) / 2 - 1 <= f->fixed_words;
}

static int take_function(struct parser *p)
{
	struct gt_fntable *t = p->t;
	struct gt_fn *f = &t->fns[t->n_fns];

	*f = (struct gt_fn){
		.id = u32_of(p, 1), .name = text_of(p, 2), .domain = domain_of(p, 3), .kind = text_of(p, 4),
		.ret_type = text_of(p, 5), .ret = value_of(p, 6), .ret_position = (int)number_of(p, 7),
		.ret_object = object_of(p, 8),
		.command_type = text_of(p, 9), .command_value = u32_of(p, 10), .fixed_words = u32_of(p, 11),
		.has_event_out = number_of(p, 12) != 0, .is_callback = number_of(p, 13) != 0,
		.params = &t->params[t->n_params], .index = t->n_fns, .plan = &t->plans[t->n_fns],
	};
	if (p->n < 14 || !*f->name)
		return bad(p, "function with too few fields");
	if (f->id < REC_FIRST_FUNCTION || f->id >= IDS)
		return bad(p, "function with an id out of range");
	if (f->fixed_words > REC_BLOCK / 8)
		return bad(p, "function with more arguments than a block holds");
	if (!position_fits(f, f->ret_position, 8))
		return bad(p, "result outside its function's arguments");
	t->n_fns++;
	if (t->by_id[f->id])
		return bad(p, "two functions with one id");
	t->by_id[f->id] = (uint16_t)t->n_fns;
	return name_map_add(p, &t->fn_names, same_fn, f->name, t->n_fns - 1);
}

static int take_param(struct parser *p)
{
	struct gt_fntable *t = p->t;
	struct gt_fn *f = t->n_fns ? &t->fns[t->n_fns - 1] : NULL;
	struct gt_param *q = &t->params[t->n_params];
	int copy = p->n > 7 ? FIND_WORD(p->field[7], copy_names) : -1,
	    dir = p->n > 8 ? FIND_WORD(p->field[8], dir_names) : -1;
	const char *role = text_of(p, 16);

	if (!f || p->n < 16)
		return bad(p, f ? "parameter with too few fields" : "parameter without a function");
	*q = (struct gt_param){
		.type = text_of(p, 1), .name = text_of(p, 2), .value = value_of(p, 3), .group = text_of(p, 4),
		.position = (int)number_of(p, 5), .bytes = u32_of(p, 6),
		.copy = copy < 0 ? GT_COPY_NONE : (enum gt_copy)copy,
		.dir = dir < 0 ? GT_IN : (enum gt_dir)dir, .elem = value_of(p, 9), .elem_bytes = u32_of(p, 10),
		.object = object_of(p, 11),
		.count = text_of(p, 12), .capacity = text_of(p, 13), .limit = u32_of(p, 14),
		.typed_out = number_of(p, 15) != 0,
		.is_event_out = !strcmp(role, "event"), .is_wait_list = !strcmp(role, "waits"),
		.is_errcode = !strcmp(role, "errcode"), .kept = number_of(p, 17) != 0,
		.counts = number_of(p, 18) != 0,
	};
	if (copy < 0)
		return bad(p, "parameter copied in an unknown way");
	if (f->n_params == GT_FN_PARAMS_MAX)
		return bad(p, "function with too many parameters");
	if ((q->bytes != 4 && q->bytes != 8) || !position_fits(f, q->position, q->bytes))
		return bad(p, "parameter outside its function's arguments");
	f->n_params++;
	t->n_params++;
	return 0;
}

static int take_item(struct parser *p)
{
	if (p->field[0][0] && p->field[0][1])
		return 0;                 /* items have one letter */
	switch (p->field[0][0]) {
	case 'T': return take_version(p);
	case 'D': return take_domain(p);
	case 'E': return take_enum(p);
	case 'V': return take_enum_value(p);
	case 'S': return take_struct(p);
	case 'M': return take_struct_field(p);
	case 'Q': return take_query(p);
	case 'F': return take_function(p);
	case 'P': return take_param(p);
	}
	return 0;
}

/* -------------------------------------------------------------------- lines */

/* Cuts one line at its tabs; returns the start of the next. Fields behind FIELDS_MAX are not known to anyone yet. */
static char *cut_line(struct parser *p, char *s, char *end)
{
	p->n = 0;
	p->line++;
	for (;;) {
		char *stop = s;

		while (stop < end && *stop != '\t' && *stop != '\n')
			stop++;
		if (p->n < FIELDS_MAX)
			p->field[p->n++] = s;
		bool last = stop >= end || *stop == '\n';

		*stop = 0;
		s = stop + 1;
		if (last)
			return s;
	}
}

static void count_items(const char *text, size_t bytes, uint32_t count[256])
{
	const char *end = text + bytes;

	for (const char *s = text; s && s < end; ) {
		count[(unsigned char)*s]++;
		s = memchr(s, '\n', (size_t)(end - s));
		s = s ? s + 1 : NULL;
	}
}

static bool allocate(struct gt_fntable *t, const char *text, size_t bytes)
{
	uint32_t n[256] = { 0 };

	count_items(text, bytes, n);
	t->text = malloc(bytes + 1);
	t->fns = calloc(n['F'] + 1, sizeof *t->fns);
	t->plans = calloc(n['F'] + 1, sizeof *t->plans);
	t->params = calloc(n['P'] + 1, sizeof *t->params);
	t->steps = calloc(n['P'] + 1, sizeof *t->steps);
	t->enums = calloc(n['E'] + 1, sizeof *t->enums);
	t->values = calloc(n['V'] + 1, sizeof *t->values);
	t->sorted = calloc(n['V'] + 1, sizeof *t->sorted);
	t->structs = calloc(n['S'] + 1, sizeof *t->structs);
	t->fields = calloc(n['M'] + 1, sizeof *t->fields);
	t->queries = calloc(n['Q'] + 1, sizeof *t->queries);
	if (!t->text || !t->fns || !t->plans || !t->params || !t->steps || !t->enums || !t->values || !t->sorted ||
		!t->structs || !t->fields || !t->queries)
		return false;
	memcpy(t->text, text, bytes);
	t->text[bytes] = 0;
	return true;
}

/* By value; stable through the address, because equal values keep the file's order. */
static int compare_values(const void *a, const void *b)
{
	const struct gt_enum_value *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name; /* names lie in the text in file order */
}

static int compare_queries(const void *a, const void *b)
{
	const struct query_item *x = a, *y = b;
	int c = strcmp(x->group, y->group);

	return c ? c : x->value < y->value ? -1 : x->value > y->value;
}

static void finish(struct gt_fntable *t)
{
	memcpy(t->sorted, t->values, t->n_values * sizeof *t->values);
	for (uint32_t i = 0; i < t->n_enums; i++) {
		struct enum_group *e = &t->enums[i];

		e->sorted = t->sorted + (e->values - t->values);
		qsort(e->sorted, e->pub.n, sizeof *e->sorted, compare_values);
	}
	qsort(t->queries, t->n_queries, sizeof *t->queries, compare_queries);
	for (uint32_t i = 0; i < t->n_params; i++)
		t->params[i].symbols = *t->params[i].group ? gt_fntable_enum(t, t->params[i].group) : NULL;
	for (uint32_t i = 0; i < t->n_fns; i++) {
		t->fns[i].errors = gt_fntable_enum(t, t->fns[i].domain == REC_DOMAIN_OSRT ? "errno" : "cl_error");
		gt_plan_make(&t->fns[i], t->steps + (t->fns[i].params - t->params), &t->plans[i]);
	}
}

int gt_fntable_parse(const char *text, size_t bytes, struct gt_fntable **out, struct gt_err *err)
{
	struct gt_fntable *t = calloc(1, sizeof *t);
	struct parser p = { .t = t, .err = err };
	int ret = -1;

	*out = NULL;
	if (!t || !allocate(t, text, bytes)) {
		gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "function table: out of memory");
		goto out;
	}
	for (char *s = t->text, *end = t->text + bytes; s < end; ) {
		s = cut_line(&p, s, end);
		if (take_item(&p))
			goto out;
	}
	if (!t->saw_version) {
		bad(&p, "it does not say its version");
		goto out;
	}
	finish(t);
	*out = t;
	ret = 0;
out:
	if (ret)
		gt_fntable_free(t);
	return ret;
}

void gt_fntable_free(struct gt_fntable *t)
{
	if (!t)
		return;
	free(t->text);
	free(t->fns);
	free(t->plans);
	free(t->params);
	free(t->steps);
	free(t->enums);
	free(t->values);
	free(t->sorted);
	free(t->structs);
	free(t->fields);
	free(t->queries);
	gt_map_free(&t->fn_names, sizeof(uint32_t));
	gt_map_free(&t->enum_names, sizeof(uint32_t));
	free(t);
}

/* ------------------------------------------------------------------ answers */

const struct gt_fn *gt_fntable_find(const struct gt_fntable *t, uint32_t id)
{
	return id < IDS && t->by_id[id] ? &t->fns[t->by_id[id] - 1] : NULL;
}

const struct gt_fn *gt_fntable_find_name(const struct gt_fntable *t, const char *name)
{
	const uint32_t *at = name_map_find(t, &t->fn_names, same_fn, name);

	return at ? &t->fns[*at] : NULL;
}

uint32_t gt_fntable_count(const struct gt_fntable *t) { return t->n_fns; }
const struct gt_fn *gt_fntable_at(const struct gt_fntable *t, uint32_t i) { return i < t->n_fns ? &t->fns[i] : NULL; }

const struct gt_enum *gt_fntable_enum(const struct gt_fntable *t, const char *group)
{
	const uint32_t *at = name_map_find(t, &t->enum_names, same_enum, group);

	return at ? &t->enums[*at].pub : NULL;
}

const struct gt_struct *gt_fntable_struct(const struct gt_fntable *t, const char *name)
{
	for (uint32_t i = 0; i < t->n_structs; i++)
		if (!strcmp(t->structs[i].pub.name, name))
			return &t->structs[i].pub;
	return NULL;
}

const char *gt_enum_name(const struct gt_enum *e, int64_t value)
{
	const struct gt_enum_value *v;
	uint32_t low;

	if (!e)
		return NULL;
	v = ((const struct enum_group *)e)->sorted;
	GT_SEARCH(low, e->n, v[low].value < value);
	return low < e->n && v[low].value == value ? v[low].name : NULL;
}

const char *gt_enum_next_flag(const struct gt_enum *e, uint64_t *bits)
{
	const char *whole = *bits ? gt_enum_name(e, (int64_t)*bits) : NULL;

	if (whole) {
		*bits = 0;
		return whole;
	}
	for (uint32_t i = 0; e && i < e->n; i++) {
		uint64_t v = (uint64_t)e->values[i].value;

		if (v && !(v & (v - 1)) && *bits & v) {
			*bits &= ~v;
			return e->values[i].name;
		}
	}
	return NULL;
}

bool gt_fntable_query(const struct gt_fntable *t, const char *group, int64_t query, struct gt_query *out)
{
	struct query_item key = { .group = group, .value = query };
	const struct query_item *q = bsearch(&key, t->queries, t->n_queries, sizeof key, compare_queries);

	if (q)
		*out = q->query;
	return q;
}
