/*
 * writers/codexl/codexl.c - pieces that CodeXL's two tables of kernels share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/codexl/codexl.h"

#include "common/harmless.h"

static void put_value(struct gt_text *t, const char *s)
{
	if (s)
		gt_text_harmless(t, s, strlen(s));
}

/* Whole characters only: a UTF-8 sequence is not cut. */
static size_t whole(const char *s, size_t n)
{
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void end_line(struct gt_text *t, size_t from)
{
	if (t->used - from >= GT_CODEXL_LINE) {
		t->used = from + whole(t->data + from, GT_CODEXL_LINE - 1 - strlen("..."));
		gt_text_lit(t, "...");
	}
	gt_text_char(t, '\n');
}

void gt_codexl_line(struct gt_text *t, const char *mark, const char *key, const char *value)
{
	size_t from = t->used;

	gt_text_str(t, mark);
	gt_text_str(t, key);
	gt_text_char(t, '=');
	put_value(t, value);
	end_line(t, from);
}

void gt_codexl_args(struct gt_text *t, const char *mark, const struct gt_process *p)
{
	size_t from = t->used;

	gt_text_str(t, mark);
	gt_text_lit(t, "ApplicationArgs=");
	for (size_t i = 1; i < p->n_args; i++) {
		if (i > 1)
			gt_text_char(t, ' ');
		put_value(t, p->args[i]);
	}
	end_line(t, from);
}

void gt_codexl_name(struct gt_text *t, const struct gt_string *s, const char *otherwise, size_t most)
{
	struct gt_text clean = { 0 };
	size_t n, from = t->used;

	if (!s->bytes) {
		gt_text_str(t, otherwise);
		return;
	}
	gt_text_harmless(&clean, s->text, s->bytes);
	n = clean.used;
	for (size_t i = 0; i < n; i++) {
		if (t->used - from > most) {
			t->used = from + whole(t->data + from, most - 3);
			gt_text_lit(t, "...");
			break;
		}
		if (clean.data[i] == ',')
			gt_text_lit(t, "&comma;");
		else
			gt_text_char(t, clean.data[i]);
	}
	gt_text_free_part(&clean, t);
}

bool gt_codexl_has_kernels(const struct gt_model *m, const struct gt_process *p)
{
	(void)m;
	return p->kernels;
}
