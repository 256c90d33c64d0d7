/*
 * cli/perf/tracepoints.c - where the kernel's tracepoints are, and what their events look like
 *
 * Both stand in the kernel's tracefs, which as a rule root alone may read, and their use asks for CAP_PERFMON. So they
 * are there for few; whoever lacks them is told why, once, and loses nothing else.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/perf/tracepoints.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/format/rec.h"

/* ------------------------------------------------------------------- descriptions */

/* By what C calls it; a name that is not here is taken for bytes. */
static uint32_t bytes_of(const char *type)
{
	static const struct { const char *name; uint32_t bytes; } known[] = {
		{ "short", 2 }, { "unsigned short", 2 }, { "u16", 2 }, { "s16", 2 }, { "__u16", 2 }, { "__be16", 2 },
		{ "int", 4 }, { "unsigned int", 4 }, { "unsigned", 4 }, { "u32", 4 }, { "s32", 4 }, { "__u32", 4 },
		{ "__be32", 4 }, { "pid_t", 4 }, { "uid_t", 4 }, { "gid_t", 4 }, { "dev_t", 4 },
		{ "long", 8 }, { "unsigned long", 8 }, { "u64", 8 }, { "s64", 8 }, { "__u64", 8 }, { "size_t", 8 },
		{ "long long", 8 }, { "unsigned long long", 8 }, { "cpumask_t", 8 } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(type, known[i].name))
			return known[i].bytes;
	return 1;
}

/* "__data_loc const char[]" without what stands around the type of an element. */
static void bare_type(const char *type, char *to, size_t room)
{
	static const char *const before[] = { "__data_loc ", "__rel_loc ", "const " };
	size_t n;

	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		if (!strncmp(type, before[i], strlen(before[i])))
			type += strlen(before[i]);
	n = strcspn(type, "[");
	while (n && type[n - 1] == ' ')
		n--;
	snprintf(to, room, "%.*s", (int)n, type);
}

/* What the elements are. The kernel counts them; an older one names the constant that does. */
static void look_at_elements(struct gt_perf_field *f)
{
	unsigned n = (unsigned)strtoul(f->suffix[0] ? f->suffix + 1 : "", NULL, 10);
	bool array = f->suffix[0];
	char bare[96];

	bare_type(f->type, bare, sizeof bare);
	f->element = f->bytes;
	if (!strncmp(f->type, "__data_loc ", 11) || !strncmp(f->type, "__rel_loc ", 10)) {
		f->flags |= REC_FIELD_PLACE | (f->type[2] == 'r' ? REC_FIELD_BESIDE : 0u);
		f->element = bytes_of(bare);
		array = true;
	} else if (array) {
		f->element = n && f->bytes % n == 0 ? f->bytes / n : bytes_of(bare);
	}
	if (array && !strcmp(bare, "char"))
		f->flags |= REC_FIELD_TEXT;
}

/* "unsigned long args[6]" */
static bool take_declaration(struct gt_perf_field *f, const char *text, size_t n)
{
	size_t behind = n, from;

	if (n && text[n - 1] == ']')
		while (behind && text[--behind] != '[')
			;
	for (from = behind; from && (isalnum((unsigned char)text[from - 1]) || text[from - 1] == '_'); from--)
		;
	if (from == behind)
		return false;
	snprintf(f->name, sizeof f->name, "%.*s", (int)(behind - from), text + from);
	snprintf(f->suffix, sizeof f->suffix, "%.*s", (int)(n - behind), text + behind);
	while (from && text[from - 1] == ' ')
		from--;
	snprintf(f->type, sizeof f->type, "%.*s", (int)from, text);
	return true;
}

bool gt_perf_field_parse(struct gt_perf_field *f, const char *line)
{
	const char *declared = strstr(line, "field:"), *end = declared ? strchr(declared, ';') : NULL;
	unsigned is_signed = 0;

	*f = (struct gt_perf_field){ 0 };
	if (!end || sscanf(end, "; offset:%u; size:%u; signed:%u;", &f->offset, &f->bytes, &is_signed) < 2)
		return false;
	f->flags = is_signed ? REC_FIELD_SIGNED : 0;
	if (!take_declaration(f, declared + 6, (size_t)(end - declared - 6)))
		return false;
	look_at_elements(f);
	return true;
}

/* -------------------------------------------------------------------------- tracefs */

static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

const char gt_perf_no_such[] = "this machine has no such tracepoint";
static const char not_readable[] = "tracefs may be read by root alone";

static bool is_there(const char *folder)
{
	char path[64];

	snprintf(path, sizeof path, "%s/events", folder);
	return !access(path, F_OK) || errno == EACCES;
}

/* NULL: *why says why. */
static FILE *open_description(const char *subsystem, const char *event, const char **why)
{
	char path[512];

	*why = "no tracefs is mounted at /sys/kernel/tracing";
	for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
		FILE *f;

		snprintf(path, sizeof path, "%s/events/%s/%s/format", folders[i], subsystem, event);
		f = fopen(path, "re");
		if (f)
			return f;
		if (errno == EACCES) {
			*why = not_readable;
			return NULL;
		}
		if (is_there(folders[i]))
			*why = gt_perf_no_such;
	}
	return NULL;
}

const char *gt_perf_tracepoint_read(struct gt_perf_tracepoint *t, const char *subsystem, const char *event)
{
	const char *why;
	FILE *f = open_description(subsystem, event, &why);
	char *line = NULL;
	unsigned long long id = 0;
	size_t room = 0;
	bool good = true;

	*t = (struct gt_perf_tracepoint){ 0 };
	if (!f)
		return why;
	snprintf(t->name, sizeof t->name, "%s:%s", subsystem, event);
	while (getline(&line, &room, f) > 0) {
		struct gt_perf_field field, *kept;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "ID: %llu", &id) == 1) {
			t->id = id;
		} else if (!strncmp(line, "print fmt: ", 11) && !t->format) {
			t->format = strdup(line + 11);
			good &= t->format != NULL;
		} else if (gt_perf_field_parse(&field, line)) {
			kept = GT_LIST_ADD(&t->fields);
			good &= kept != NULL;
			if (kept)
				*kept = field;
		}
	}
	free(line);
	fclose(f);
	if (good && t->id)
		return NULL;
	gt_perf_tracepoint_free(t);
	return good ? "its description has no number" : "no memory";
}

void gt_perf_tracepoint_free(struct gt_perf_tracepoint *t)
{
	free(t->format);
	free(t->fields.v);
	*t = (struct gt_perf_tracepoint){ 0 };
}

const struct gt_perf_field *gt_perf_tracepoint_field(const struct gt_perf_tracepoint *t, const char *name)
{
	for (uint32_t i = 0; i < t->fields.n; i++)
		if (!strcmp(t->fields.v[i].name, name))
			return &t->fields.v[i];
	return NULL;
}

/* --------------------------------------------------------------------------- record */

static uint32_t text_words(const char *text) { return (uint32_t)((4 + strlen(text) + 7) / 8); }

static void put_text(uint64_t *words, uint32_t *at, const char *text)
{
	uint32_t bytes = (uint32_t)strlen(text);

	memcpy(words + *at, &bytes, sizeof bytes);
	memcpy((char *)(words + *at) + sizeof bytes, text, bytes);
	*at += text_words(text);
}

uint64_t *gt_perf_tracepoint_words(const struct gt_perf_tracepoint *t, uint64_t tick, uint32_t *n)
{
	const char *format = t->format ? t->format : "";
	uint32_t room = 2 + text_words(t->name) + text_words(format), at = 2;
	uint64_t *words;

	for (uint32_t i = 0; i < t->fields.n; i++)
		room += 2 + text_words(t->fields.v[i].name) + text_words(t->fields.v[i].type) +
			text_words(t->fields.v[i].suffix);
	words = calloc(room, sizeof *words);
	if (!words)
		return NULL;
	words[0] = tick;
	words[1] = (uint32_t)t->id | (uint64_t)t->fields.n << 32;
	put_text(words, &at, t->name);
	put_text(words, &at, format);
	for (uint32_t i = 0; i < t->fields.n; i++) {
		const struct gt_perf_field *f = &t->fields.v[i];

		words[at++] = f->offset | (uint64_t)f->bytes << 32;
		words[at++] = f->flags | (uint64_t)f->element << 32;
		put_text(words, &at, f->name);
		put_text(words, &at, f->type);
		put_text(words, &at, f->suffix);
	}
	*n = at;
	return words;
}
