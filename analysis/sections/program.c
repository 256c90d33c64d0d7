/*
 * analysis/sections/program.c - the sources of a trace's OpenCL programs as a report holds them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/program.h"

#include <stdio.h>

#include "common/hash.h"
#include "common/utf8.h"

struct program { uint64_t source[2], log[2], options; uint64_t reference; };

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct program *a = element, *b = key;

	(void)ctx;
	return !memcmp(a->source, b->source, sizeof a->source) && !memcmp(a->log, b->log, sizeof a->log) &&
		a->options == b->options;
}

static bool add_text(struct gt_arena *arena, struct gt_message *m, const char *field, struct gt_string s)
{
	struct gt_text valid = { 0 };
	bool ok;

	gt_utf8_put_valid(&valid, s.text, s.bytes);
	ok = !valid.failed && gt_message_add_text(arena, m, field, valid.data ? valid.data : "", valid.used);
	gt_text_free(&valid);
	return ok;
}

static const struct gt_message *describe(struct gt_actions *as, struct gt_model *m, const struct gt_object *program,
	struct gt_string source, uint64_t reference)
{
	struct gt_message *data = gt_message_new(&as->arena, &gt_type_SourceData), *files, *file;
	struct gt_string log;
	uint64_t bytes;
	char name[40];
	int n = snprintf(name, sizeof name, "program-%u.cl", program->id);

	if (!data || !gt_message_add_integer(&as->arena, data, "Reference", reference) ||
		!(files = gt_message_add_part(&as->arena, data, "SourceFiles")) ||
		!(file = gt_message_add_part(&as->arena, files, "Files")) ||
		!gt_message_add_text(&as->arena, file, "FileName", name, (size_t)n) ||
		!add_text(&as->arena, file, "Content", source))
		return NULL;
	if (program->build_options.bytes && !add_text(&as->arena, data, "BuildOptions", program->build_options))
		return NULL;
	if (program->has_log && gt_model_blob(m, program->log_id, &log, &bytes) && log.bytes &&
		!add_text(&as->arena, data, "BuildLog", log))
		return NULL;
	return data;
}

bool gt_programs_add(struct gt_programs *p, struct gt_actions *as, struct gt_model *m,
	const struct gt_object *program, uint64_t *reference)
{
	const struct gt_message **place, *data;
	struct gt_string source;
	struct program key, *one;
	uint64_t bytes;
	bool fresh;

	*reference = 0;
	if (!program || !program->has_source || !gt_model_blob(m, program->source_id, &source, &bytes))
		return true;
	key = (struct program){ .source = { program->source_id[0], program->source_id[1] },
		.options = gt_hash_text(program->build_options.text, program->build_options.bytes) };
	if (program->has_log)
		memcpy(key.log, program->log_id, sizeof key.log);
	one = gt_map_add(&p->seen, sizeof *one, gt_hash(gt_hash(key.options, key.source[0]), key.log[0]), &key, same,
		NULL, &fresh);
	if (!one)
		return false;
	if (fresh) {
		key.reference = as->sources.n + 1ull;
		*one = key;
		data = describe(as, m, program, source, key.reference);
		place = data ? GT_LIST_ADD(&as->sources) : NULL;
		if (!place)
			return false;
		*place = data;
	}
	*reference = one->reference;
	return true;
}

void gt_programs_close(struct gt_programs *p) { gt_map_free(&p->seen, sizeof(struct program)); }
