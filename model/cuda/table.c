/*
 * model/cuda/table.c - reading the table of CUDA's arguments
 *
 * The text may be a user's file: a line that makes no sense makes the whole table refused, so that nothing is shown by
 * half of one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/cuda/table.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_args_own.h"
#include "model/internal.h"

#define FIELDS 10u
#define HEAD "gputap-cuda-args\t1"

struct parser {
	struct gt_cuda_table *t;
	struct gt_cuda_layout *layout;    /* whose members come; NULL: `fn`'s parameters */
	struct gt_cuda_fn_args *fn;
	bool in_set;
};

static bool number(const char *text, int64_t least, int64_t most, int64_t *out)
{
	char *end;

	*out = strtoll(text, &end, 10);
	return end != text && !*end && *out >= least && *out <= most;
}

static unsigned split(char *line, char **field)
{
	unsigned n = 0;

	for (char *at = line; at && n < FIELDS; n++) {
		field[n] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = 0;
		else
			return n + 1;
	}
	return FIELDS + 1;
}

/* -------------------------------------------------------------------- lines */

static bool take_value(struct parser *p, char **f)
{
	struct gt_cuda_table *t = p->t;
	int64_t value;

	if (!p->in_set || !number(f[2], INT64_MIN, INT64_MAX, &value))
		return false;
	t->value = gt_list_room(t->value, &t->n_values, &t->value_room, sizeof(*t->value));
	if (!t->value)
		return false;
	t->value[t->n_values - 1].name = f[1];
	t->value[t->n_values - 1].value = value;
	t->set[t->n_sets - 1].n++;
	return true;
}

static bool take_set(struct parser *p, char **f)
{
	struct gt_cuda_table *t = p->t;

	t->set = gt_list_room(t->set, &t->n_sets, &t->set_room, sizeof(*t->set));
	if (!t->set)
		return false;
	t->set[t->n_sets - 1] = (struct gt_cuda_values){ f[1], t->n_values, 0 };
	return p->in_set = true;
}

static bool take_layout(struct parser *p, char **f)
{
	struct gt_cuda_table *t = p->t;
	int64_t bytes;

	if (!number(f[2], 0, 1 << 20, &bytes))
		return false;
	t->layout = gt_list_room(t->layout, &t->n_layouts, &t->layout_room, sizeof(*t->layout));
	if (!t->layout)
		return false;
	p->layout = &t->layout[t->n_layouts - 1];
	*p->layout = (struct gt_cuda_layout){ f[1], (uint32_t)bytes, t->n_params, 0 };
	return true;
}

static bool take_fn(struct parser *p, char **f)
{
	int64_t cbid, bytes, known;

	if ((strcmp(f[1], "R") && strcmp(f[1], "D")) || !number(f[2], 0, GT_CUDA_TABLE_CBIDS - 1, &cbid) ||
		!number(f[4], 0, 4096, &bytes) || !number(f[5], 0, 1, &known))
		return false;
	p->layout = NULL;
	p->fn = &p->t->fn[*f[1] == 'D'][cbid];
	*p->fn = (struct gt_cuda_fn_args){ f[3], (uint32_t)bytes, p->t->n_params, 0, known };
	return true;
}

/* "CLASS:BYTES:REF" */
static bool take_target(struct gt_cuda_type *type, char *text)
{
	char *bytes = strchr(text, ':'), *ref = bytes ? strchr(bytes + 1, ':') : NULL;
	int64_t n;

	if (!strcmp(text, "-"))
		return true;
	if (!ref || bytes != text + 1)
		return false;
	*bytes++ = *ref++ = 0;
	if (!number(bytes, 1, 1 << 20, &n))
		return false;
	*type = (struct gt_cuda_type){
		.class = *text, .bytes = (uint32_t)n, .count = 1, .ref = strcmp(ref, "-") ? ref : NULL
	};
	return true;
}

static bool take_param(struct parser *p, char **f, bool member)
{
	struct gt_cuda_table *t = p->t;
	uint32_t *n = member ? p->layout ? &p->layout->n : NULL : p->fn && !p->layout ? &p->fn->n : NULL;
	uint32_t whole = member ? p->layout ? p->layout->bytes : 0 : p->fn ? p->fn->bytes : 0;
	struct gt_cuda_param param = { .name = f[1], .text = f[2] };
	int64_t offset, bytes, copy, count;

	if (!n || !strchr("iufepdhstv", *f[3]) || !f[3][0] || f[3][1] || !number(f[4], 0, whole, &offset) ||
		!number(f[5], 0, whole - offset, &bytes) || !number(f[8], 0, 15, &copy) ||
		!number(f[9], 0, 1 << 20, &count) || !take_target(&param.target, f[7]))
		return false;
	param.type = (struct gt_cuda_type){ .class = *f[3],
		.bytes = (uint32_t)bytes,
		.count = (uint32_t)count,
		.ref = strcmp(f[6], "-") ? f[6] : NULL };
	if (count > 1 && bytes % count)
		return false;
	param.offset = (uint32_t)offset;
	param.copy = (uint32_t)copy;
	t->param = gt_list_room(t->param, &t->n_params, &t->param_room, sizeof(*t->param));
	if (!t->param)
		return false;
	t->param[t->n_params - 1] = param;
	++*n;
	return true;
}

static bool take_line(struct parser *p, char *line)
{
	char *f[FIELDS];
	unsigned n = split(line, f);

	p->in_set &= !strcmp(f[0], "V");
	switch (f[0][0] && !f[0][1] ? f[0][0] : 0) {
	case 'E': return n == 2 && take_set(p, f);
	case 'V': return n == 3 && take_value(p, f);
	case 'S': return n == 3 && take_layout(p, f);
	case 'C': return n == 6 && take_fn(p, f);
	case 'M': return n == 10 && take_param(p, f, true);
	case 'P': return n == 10 && take_param(p, f, false);
	}
	if (!strcmp(f[0], "source") && n == 2 && !*p->t->source)
		p->t->source = f[1];
	return true;                      /* other lines are for newer readers */
}

/* ------------------------------------------------------------------- resolving */

const struct gt_cuda_values *gt_cuda_table_set(const struct gt_cuda_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->n_sets; i++)
		if (!strcmp(t->set[i].name, name))
			return &t->set[i];
	return NULL;
}

static void resolve(const struct gt_cuda_table *t, struct gt_cuda_type *type)
{
	if (!type->ref)
		return;
	if (type->class == 'e')
		type->values = gt_cuda_table_set(t, type->ref);
	for (uint32_t i = 0; type->class == 't' && i < t->n_layouts; i++)
		if (!strcmp(t->layout[i].name, type->ref) &&
			t->layout[i].bytes * (type->count > 1 ? type->count : 1) == type->bytes)
			type->layout = &t->layout[i];
}

static bool parse(struct gt_cuda_table *t)
{
	struct parser p = { .t = t };
	char *save = NULL, *line = strtok_r(t->text, "\n", &save);

	if (!line || strcmp(line, HEAD))
		return false;
	while ((line = strtok_r(NULL, "\n", &save)))
		if (!take_line(&p, line))
			return false;
	for (uint32_t i = 0; i < t->n_params; i++) {
		resolve(t, &t->param[i].type);
		resolve(t, &t->param[i].target);
	}
	return true;
}

struct gt_cuda_table *gt_cuda_table_parse(const char *text, size_t bytes)
{
	struct gt_cuda_table *t = calloc(1, sizeof(*t));

	if (t && (t->text = malloc(bytes + 1))) {
		memcpy(t->text, text, bytes);
		t->text[bytes] = 0;
		t->source = "";
		if (strlen(t->text) == bytes && parse(t))
			return t;
	}
	gt_cuda_table_free(t);
	return NULL;
}

void gt_cuda_table_free(struct gt_cuda_table *t)
{
	if (!t)
		return;
	free(t->value);
	free(t->set);
	free(t->layout);
	free(t->param);
	free(t->text);
	free(t);
}

const char *gt_cuda_own_text(void) { return (const char *)cuda_args_own; }

const struct gt_cuda_table *gt_cuda_table_own(void)
{
	static struct gt_cuda_table *own;

	if (!own)
		own = gt_cuda_table_parse((const char *)cuda_args_own, CUDA_ARGS_OWN_BYTES);
	return own;
}

/* --------------------------------------------------------------------- answers */

const struct gt_cuda_fn_args *gt_cuda_table_fn(const struct gt_cuda_table *t, uint32_t domain, uint32_t cbid)
{
	const struct gt_cuda_fn_args *fn;

	if (!t || cbid >= GT_CUDA_TABLE_CBIDS)
		return NULL;
	fn = &t->fn[domain == REC_DOMAIN_CUDA_DRIVER][cbid];
	return fn->known ? fn : NULL;
}

const char *gt_cuda_table_symbol(const struct gt_cuda_table *t, const struct gt_cuda_values *set, int64_t value)
{
	for (uint32_t i = 0; set && i < set->n; i++)
		if (t->value[set->first + i].value == value)
			return t->value[set->first + i].name;
	return NULL;
}
