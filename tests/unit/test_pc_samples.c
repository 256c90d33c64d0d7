/*
 * tests/unit/test_pc_samples.c - samples of the program counter as a trace holds them: what is not sound is refused
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/format/samples.h"
#include "tests/unit/soundness.h"

#define TEXTS "\0kernel\0stalled\0waiting"
struct blob {
	struct rec_samples head;
	struct rec_samples_function functions[1];
	struct rec_samples_instruction instructions[2];
	struct rec_samples_reason reasons[2];
	struct rec_samples_count counts[3];
	char texts[sizeof TEXTS];
};
#define BYTES (offsetof(struct blob, texts) + sizeof TEXTS)

static const struct blob good = {
	.head = { REC_SAMPLES_MAGIC, BYTES, 12, 0, 0, 0, 64, REC_SAMPLES_WHOLE, 2, 1, 2, 3, sizeof TEXTS },
	.functions = { { 0x1234, 7, 1 } },
	.instructions = { { 0x10, 0, 2 }, { 0x20, 0, 1 } },
	.reasons = { { 3, 8 }, { 5, 16 } },
	.counts = { { 3, 4 }, { 5, 6 }, { 5, 2 } },
	.texts = TEXTS,
};

static bool is_sound(const void *blob, size_t bytes)
{
	struct rec_samples_parts p;
	uint64_t counts = 0;
	bool sound = rec_samples_sound(blob, bytes, &p);

	if (sound) {
		for (uint32_t i = 0; i < p.head->reasons; i++)
			assert_true(strlen(p.texts + p.reasons[i].text) < p.head->text_bytes);
		for (uint32_t i = 0; i < p.head->instructions; i++) {
			assert_true(strlen(p.texts + p.functions[p.instructions[i].function].text) < bytes);
			for (uint32_t k = 0; k < p.instructions[i].counts; k++)
				counts += p.counts[k].samples != 0;
		}
		assert_true(counts <= p.head->counts);
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
		{ offsetof(struct blob, reasons[1].text), sizeof TEXTS },
		{ offsetof(struct blob, instructions[1].function), 1 },
		{ offsetof(struct blob, instructions[0].counts), 3 },
		{ offsetof(struct blob, instructions[0].counts), UINT32_MAX },
		{ offsetof(struct blob, head.counts), 2 },
	},
};

static void the_last_text_ends(void **state)
{
	(void)state;
	assert_false(is_sound_with(kind.bytes, kind.bytes - 1, "g", 1));
}

/* Each reason is looked for at each instruction: their number would be the square of the blob's size. */
static void reasons_have_a_limit(void **state)
{
	(void)state;
	for (uint32_t more = 0; more < 2; more++) {
		uint32_t n = REC_SAMPLES_REASONS + more;
		size_t bytes = sizeof(struct rec_samples) + n * sizeof(struct rec_samples_reason) + 1;
		struct rec_samples *head = calloc(1, bytes);
		struct rec_samples_parts p;

		assert_non_null(head);
		*head = (struct rec_samples){ .magic = REC_SAMPLES_MAGIC, .bytes = bytes, .reasons = n,
			.text_bytes = 1 };
		assert_int_equal(rec_samples_sound(head, bytes, &p), !more);
		free(head);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SOUNDNESS_TESTS,
		cmocka_unit_test(the_last_text_ends),
		cmocka_unit_test(reasons_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
