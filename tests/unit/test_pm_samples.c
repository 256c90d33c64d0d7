/*
 * tests/unit/test_pm_samples.c - samples of performance monitors as a trace holds them: what is not sound is refused
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/format/pm_samples.h"
#include "tests/unit/soundness.h"

struct blob {
	struct rec_pm head;
	struct rec_pm_image images[2];
	struct rec_pm_time times[3];
	char first[16], second[8];              /* 12 bytes, and 4 to the next word */
};

static const struct blob good = {
	.head = { REC_PM_MAGIC, sizeof(struct blob), 100, 900, 0, 0, 2000, 1 << 20, REC_PM_WHOLE, REC_PM_TIME, 3, 2, 3,
		0 },
	.images = { { 12, 2 }, { 8, 1 } },
	.times = { { 100, 300 }, { 300, 500 }, { 500, 700 } },
	.first = "first image", .second = "second",
};

static bool is_sound(const void *blob, size_t bytes)
{
	struct rec_pm_parts p;
	uint64_t sum = 0;
	bool sound = rec_pm_sound(blob, bytes, &p);

	if (sound) {
		const uint8_t *at = p.data;

		for (uint32_t i = 0; i < p.head->images; at += rec_pm_room(p.images[i].bytes), i++)
			for (uint64_t k = 0; k < p.images[i].bytes; k++)
				sum += at[k];
		for (uint32_t i = 0; i < p.head->samples; i++)
			sum += p.times[i].end_ns - p.times[i].begin_ns;
		assert_true(at == (const uint8_t *)blob + bytes);
	}
	return sound && sum;
}

/* What is sound, and what is not: tests/unit/soundness.h */
static const struct soundness kind = {
	.good = &good,
	.bytes = sizeof good,
	.says_bytes = offsetof(struct blob, head.bytes),
	.is_sound = is_sound,
	.wrong = {
		{ offsetof(struct blob, head.images), 3 },
		{ offsetof(struct blob, head.images), UINT32_MAX },
		{ offsetof(struct blob, head.samples), 4 },
		{ offsetof(struct blob, head.samples), UINT32_MAX },
		{ offsetof(struct blob, head.state), REC_PM_STATES },
		{ offsetof(struct blob, images[0].bytes), 17 },
		{ offsetof(struct blob, images[1].bytes), UINT32_MAX },
		{ offsetof(struct blob, images[0].samples), 3 },
	},
};

int main(void)
{
	const struct CMUnitTest tests[] = {
		SOUNDNESS_TESTS,
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
