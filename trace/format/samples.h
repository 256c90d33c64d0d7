/*
 * trace/format/samples.h - samples of the program counter of one launch, as a blob of a trace holds them
 *
 * The shim writes it behind a launch that was sampled, in the byte order of the machine: the head, the functions, the
 * instructions, the reasons, the counts in the order of the instructions, then texts, each with its zero. An
 * instruction may come several times: its counts add up.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_SAMPLES_H
#define GPUTAP_TRACE_FORMAT_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_SAMPLES_MAGIC 0x3153435050415447ull
#define REC_SAMPLES_REASONS 128u                 /* at most: each is looked for at each instruction */

enum rec_samples_state {
	REC_SAMPLES_WHOLE,
	REC_SAMPLES_FULL,                        /* the device's buffer was full: none, or not all of them */
	REC_SAMPLES_FAILED                       /* CUPTI did not give them */
};

/*
 * total, dropped, others: as CUPTI told: all samples; those that the device dropped; those of no kernel of the program.
 * left_out: samples that found no room here. cycles: between two samples of a multiprocessor, 0: CUPTI did not tell.
 */
struct rec_samples {
	uint64_t magic, bytes, total, dropped, others, left_out, cycles;
	uint32_t state, reasons, functions, instructions, counts, text_bytes;
};
struct rec_samples_reason { uint32_t index, text; };     /* CUPTI's number of it; text: offset among the texts */
struct rec_samples_function { uint64_t crc; uint32_t index, text; }; /* of its cubin (cuptiGetCubinCrc); its symbol */
struct rec_samples_instruction { uint64_t offset; uint32_t function, counts; };
struct rec_samples_count { uint32_t reason, samples; };  /* reason: CUPTI's number */

/* "_not_issued" of a reason is a part of that reason, "_sample_count" is all of them: neither adds to a sum. */
static inline bool rec_samples_adds(const char *reason)
{
	static const char *const others[] = { "_not_issued", "_sample_count" };
	size_t n = __builtin_strlen(reason);

	for (unsigned i = 0; i < 2; i++) {
		size_t m = __builtin_strlen(others[i]);

		if (n >= m && !__builtin_memcmp(reason + n - m, others[i], m))
			return false;
	}
	return true;
}

/* Where its parts lie. */
struct rec_samples_parts {
	const struct rec_samples *head;
	const struct rec_samples_reason *reasons;
	const struct rec_samples_function *functions;
	const struct rec_samples_instruction *instructions;
	const struct rec_samples_count *counts;
	const char *texts;
};

/* Whether it is such a blob, begins at a word, and everything that it says lies inside it. */
static inline bool rec_samples_sound(const void *blob, uint64_t bytes, struct rec_samples_parts *p)
{
	const struct rec_samples *h = blob;
	uint64_t need = sizeof *h, counts = 0;

	if (bytes < sizeof *h || (uintptr_t)blob % 8 || h->magic != REC_SAMPLES_MAGIC || h->bytes != bytes ||
		h->reasons > REC_SAMPLES_REASONS)
		return false;
	need += (uint64_t)h->reasons * sizeof *p->reasons + (uint64_t)h->functions * sizeof *p->functions +
		(uint64_t)h->instructions * sizeof *p->instructions + (uint64_t)h->counts * sizeof *p->counts +
		h->text_bytes;
	if (need != bytes)
		return false;
	p->head = h;
	p->functions = (const void *)(h + 1);
	p->instructions = (const void *)(p->functions + h->functions);
	p->reasons = (const void *)(p->instructions + h->instructions);
	p->counts = (const void *)(p->reasons + h->reasons);
	p->texts = (const void *)(p->counts + h->counts);
	if (!h->text_bytes || p->texts[h->text_bytes - 1])
		return false;
	for (uint32_t i = 0; i < h->reasons; i++)
		if (p->reasons[i].text >= h->text_bytes)
			return false;
	for (uint32_t i = 0; i < h->functions; i++)
		if (p->functions[i].text >= h->text_bytes)
			return false;
	for (uint32_t i = 0; i < h->instructions; i++) {
		if (p->instructions[i].function >= h->functions)
			return false;
		counts += p->instructions[i].counts;
	}
	return counts == h->counts;
}

#endif
