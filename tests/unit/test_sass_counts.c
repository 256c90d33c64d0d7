/*
 * tests/unit/test_sass_counts.c - counts by instruction as a trace holds them: what is not sound is refused
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/format/sass.h"
#include "tests/unit/soundness.h"

#define TEXTS "\0kernel\0inst_executed"
struct blob {
	struct rec_sass head;
	struct rec_samples_function functions[1];
	struct rec_sass_instruction instructions[2];
	struct rec_sass_value values[3];
	struct rec_sass_metric metrics[2];
	char texts[sizeof TEXTS];
};
#define BYTES (offsetof(struct blob, texts) + sizeof TEXTS)

static const struct blob good = {
	.head = { REC_SASS_MAGIC, BYTES, 0, 0, REC_SASS_WHOLE, 1, 2, 3, 2, sizeof TEXTS },
	.functions = { { 0x1234, 7, 1 } },
	.instructions = { { 0x10, 0, 2, 0 }, { 0x20, 0, 1, 0 } },
	.values = { { 32, 0, 0 }, { 1, 1, 0 }, { 64, 0, 0 } },
	.metrics = { { 8, 0 }, { 8, 1 } },
	.texts = TEXTS,
};

static bool is_sound(const void *blob, size_t bytes)
{
	struct rec_sass_parts p;
	bool sound = rec_sass_sound(blob, bytes, &p);

	if (sound) {
		const struct rec_sass_value *v = p.values;

		for (uint32_t i = 0; i < p.head->instructions; i++) {
			assert_true(strlen(p.texts + p.functions[p.instructions[i].function].text) < bytes);
			for (uint32_t k = 0; k < p.instructions[i].values; k++, v++)
				assert_true(strlen(p.texts + p.metrics[v->metric].text) < bytes);
		}
		assert_true(v == p.values + p.head->values);
	}
	return sound;
}

/* What is sound, and what is not: tests/unit/soundness.h */
static const struct soundness kind = {
	.good = &good,
	.bytes = BYTES,
	.says_bytes = offsetof(struct blob, head.bytes),
	.is_sound = is_sound,
	.wrong = {
		{ offsetof(struct blob, functions[0].text), sizeof TEXTS },
		{ offsetof(struct blob, metrics[1].text), sizeof TEXTS },
		{ offsetof(struct blob, values[2].metric), 2 },
		{ offsetof(struct blob, instructions[1].function), 1 },
		{ offsetof(struct blob, instructions[0].values), 3 },
		{ offsetof(struct blob, instructions[0].values), UINT32_MAX },
		{ offsetof(struct blob, head.values), 2 },
		{ offsetof(struct blob, head.metrics), REC_SASS_METRICS + 1 },
	},
};

static void the_last_text_ends(void **state)
{
	(void)state;
	assert_false(is_sound_with(kind.bytes, kind.bytes - 1, "g", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SOUNDNESS_TESTS,
		cmocka_unit_test(the_last_text_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
