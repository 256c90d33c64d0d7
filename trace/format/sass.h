/*
 * trace/format/sass.h - counts by instruction of one launch, of instrumented code, as a blob of a trace holds them
 *
 * The shim writes it behind a launch whose code CUPTI had instrumented, in the byte order of the machine: the head, the
 * functions, the instructions, the values in the order of the instructions, the metrics, then texts, each with its
 * zero. An instruction may come several times: its values add up.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_SASS_H
#define GPUTAP_TRACE_FORMAT_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format/samples.h"        /* struct rec_samples_function */

#define REC_SASS_MAGIC 0x3153534150415447ull
#define REC_SASS_METRICS 64u                     /* at most: each is looked for at each instruction */

enum rec_sass_state {
	REC_SASS_WHOLE,
	REC_SASS_FULL,                           /* not all instructions found room, here or on the device */
	REC_SASS_FAILED,                         /* CUPTI did not give them */
	REC_SASS_NONE                            /* ... or told of no instruction, though a kernel has some */
};

/* left_out: instructions without room here; dropped: as CUPTI told when the code was put right again */
struct rec_sass {
	uint64_t magic, bytes, left_out, dropped;
	uint32_t state, functions, instructions, values, metrics, text_bytes;
};
struct rec_sass_instruction { uint32_t offset, function, values, unused; };
struct rec_sass_value { uint64_t value; uint32_t metric, unused; };  /* metric: its place below */
/* text: as it was asked for; unknown: CUPTI has no such metric of this chip */
struct rec_sass_metric { uint32_t text, unknown; };

/* Where its parts lie. */
struct rec_sass_parts {
	const struct rec_sass *head;
	const struct rec_samples_function *functions;
	const struct rec_sass_instruction *instructions;
	const struct rec_sass_value *values;
	const struct rec_sass_metric *metrics;
	const char *texts;
};

/* Whether it is such a blob, begins at a word, and everything that it says lies inside it. */
static inline bool rec_sass_sound(const void *blob, uint64_t bytes, struct rec_sass_parts *p)
{
	const struct rec_sass *h = blob;
	uint64_t values = 0;

	if (bytes < sizeof *h || (uintptr_t)blob % 8 || h->magic != REC_SASS_MAGIC || h->bytes != bytes ||
		h->metrics > REC_SASS_METRICS || !h->text_bytes)
		return false;
	if (sizeof *h + (uint64_t)h->functions * sizeof *p->functions +
			(uint64_t)h->instructions * sizeof *p->instructions +
			(uint64_t)h->values * sizeof *p->values + h->metrics * sizeof *p->metrics + h->text_bytes !=
		bytes)
		return false;
	p->head = h;
	p->functions = (const void *)(h + 1);
	p->instructions = (const void *)(p->functions + h->functions);
	p->values = (const void *)(p->instructions + h->instructions);
	p->metrics = (const void *)(p->values + h->values);
	p->texts = (const void *)(p->metrics + h->metrics);
	if (p->texts[h->text_bytes - 1])
		return false;
	for (uint32_t i = 0; i < h->functions; i++)
		if (p->functions[i].text >= h->text_bytes)
			return false;
	for (uint32_t i = 0; i < h->metrics; i++)
		if (p->metrics[i].text >= h->text_bytes)
			return false;
	for (uint32_t i = 0; i < h->values; i++)
		if (p->values[i].metric >= h->metrics)
			return false;
	for (uint32_t i = 0; i < h->instructions; i++) {
		if (p->instructions[i].function >= h->functions)
			return false;
		values += p->instructions[i].values;
	}
	return values == h->values;
}

#endif
