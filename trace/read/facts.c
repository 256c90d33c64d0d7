/*
 * trace/read/facts.c - parse the key=value text files of a trace in place
 *
 * In values '%', newline and bytes below 0x20 are written %XX. %00 stays as it is: values are C strings.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/facts.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/search.h"

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		int high = *p == '%' ? hex(p[1]) : -1, low = high >= 0 ? hex(p[2]) : -1;

		if (low >= 0 && (high || low)) {
			*to++ = (char)(high << 4 | low);
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = 0;
}

static int add(struct gt_facts *f, const char *key, const char *value)
{
	if (!gt_grow((void **)&f->facts, f->n, &f->cap, sizeof(*f->facts)))
		return -1;
	f->facts[f->n].key = key;
	f->facts[f->n++].value = value;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct gt_fact *const *x = a, *const *y = b;
	int order = strcmp((*x)->key, (*y)->key);

	return order ? order : (*x > *y) - (*x < *y);
}

static int sort(struct gt_facts *f)
{
	f->by_key = malloc((f->n + 1) * sizeof *f->by_key);
	if (!f->by_key)
		return -1;
	for (size_t i = 0; i < f->n; i++)
		f->by_key[i] = &f->facts[i];
	if (f->n)
		qsort(f->by_key, f->n, sizeof *f->by_key, compare);
	return 0;
}

int gt_facts_parse(char *text, size_t bytes, struct gt_facts *out)
{
	char *line = text, *end = text + bytes, *newline;

	memset(out, 0, sizeof(*out));
	out->text = text;
	for (; (newline = memchr(line, '\n', (size_t)(end - line))); line = newline + 1) {
		char *equals;

		*newline = 0;
		equals = strchr(line, '=');
		if (!equals)
			continue;
		*equals = 0;
		unescape(equals + 1);
		if (add(out, line, equals + 1) < 0) {
			gt_facts_free(out);
			return -1;
		}
	}
	if (sort(out) < 0) {
		gt_facts_free(out);
		return -1;
	}
	return 0;
}

void gt_facts_free(struct gt_facts *f)
{
	free(f->by_key);
	free(f->facts);
	free(f->text);
	memset(f, 0, sizeof(*f));
}

const char *gt_facts_find(const struct gt_facts *f, const char *key, unsigned n)
{
	size_t at;

	GT_SEARCH(at, f->n, strcmp(f->by_key[at]->key, key) < 0);
	return n < f->n - at && !strcmp(f->by_key[at + n]->key, key) ? f->by_key[at + n]->value : NULL;
}
