/*
 * writers/codexl/codexl.c - pieces that CodeXL's two tables of kernels share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/codexl/codexl.h"

#include "common/harmless.h"

#define NAME_MOST 1000u                           /* bytes; two names and 26 numbers are a line */

static void put_value(struct gt_text *t, const char *s)
{
	if (s)
		gt_text_harmless(t, s, strlen(s));
}

void gt_codexl_line(struct gt_text *t, const char *mark, const char *key, const char *value)
{
	gt_text_str(t, mark);
	gt_text_str(t, key);
	gt_text_char(t, '=');
	put_value(t, value);
	gt_text_char(t, '\n');
}

void gt_codexl_args(struct gt_text *t, const char *mark, const struct gt_process *p)
{
	gt_text_str(t, mark);
	gt_text_lit(t, "ApplicationArgs=");
	for (size_t i = 1; i < p->n_args; i++) {
		if (i > 1)
			gt_text_char(t, ' ');
		put_value(t, p->args[i]);
	}
	gt_text_char(t, '\n');
}

/* Whole characters only: a UTF-8 sequence is not cut. */
static size_t whole(const char *s, size_t n)
{
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void gt_codexl_name(struct gt_text *t, const struct gt_string *s, const char *otherwise)
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
		if (t->used - from > NAME_MOST) {
			t->used = from + whole(t->data + from, NAME_MOST - 3);
			gt_text_lit(t, "...");
			break;
		}
		if (clean.data[i] == ',')
			gt_text_lit(t, "&comma;");
		else
			gt_text_char(t, clean.data[i]);
	}
	gt_text_free(&clean);
}

bool gt_codexl_has_kernels(const struct gt_model *m, const struct gt_process *p)
{
	(void)m;
	return p->kernels;
}
