/*
 * model/output.c - what the program wrote to standard output and error
 *
 * The launcher's lines say which streams there are (`stream=output.1 1,2 terminal 4711`) and how long each was
 * (`stream_bytes=output.1 5000`, the last one counts).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/output.h"

#include <stdio.h>
#include <string.h>

#include "model/internal.h"
#include "trace/read/store.h"

static const char *named_of(const char *numbers)
{
	static const char *const names[][2] = { { "1", "stdout" }, { "2", "stderr" }, { "1,2", "stdout_stderr" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(numbers, names[i][0]))
			return names[i][1];
	return NULL;
}

static const char *known_kind(const char *kind)
{
	static const char *const kinds[] = { "terminal", "pipe", "file" };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kind, kinds[i]))
			return kinds[i];
	return NULL;
}

/* The file may be longer: a launcher that was killed said nothing at the end. */
static uint64_t bytes_of(const struct gt_model *m, const struct gt_captured_output *o)
{
	unsigned long long said = 0, bytes;
	unsigned number;
	const char *line;

	for (unsigned i = 0; (line = gt_reader_fact(m->reader, -1, "stream_bytes", i)); i++)
		if (sscanf(line, GT_OUTPUT_FILE "%u %llu", &number, &bytes) == 2 && number == o->number)
			said = bytes;
	return said > o->kept ? said : o->kept;
}

int gt_outputs_take(struct gt_model *m)
{
	const char *line;

	for (unsigned i = 0; (line = gt_reader_fact(m->reader, -1, "stream", i)); i++) {
		struct gt_captured_output o = { 0 }, *kept;
		char numbers[8], kind[16];

		if (sscanf(line, GT_OUTPUT_FILE "%u %7s %15s %d", &o.number, numbers, kind, &o.pid) != 4)
			continue;
		o.of = named_of(numbers);
		o.kind = known_kind(kind);
		if (!o.of || !o.kind || o.number < 1 || o.number > 2)
			continue;
		o.kept = gt_reader_output_bytes(m->reader, o.number);
		o.bytes = bytes_of(m, &o);
		kept = GT_LIST_ADD(&m->outputs);
		if (!kept)
			return -1;
		*kept = o;
	}
	return 0;
}

uint32_t gt_model_output_count(const struct gt_model *m) { return m->outputs.n; }

const struct gt_captured_output *gt_model_output(const struct gt_model *m, uint32_t i)
{
	return i < m->outputs.n ? &m->outputs.v[i] : NULL;
}

char *gt_model_output_text(struct gt_model *m, uint32_t i, size_t *bytes)
{
	return i < m->outputs.n ? gt_reader_output(m->reader, m->outputs.v[i].number, bytes) : NULL;
}
