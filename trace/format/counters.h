/*
 * trace/format/counters.h - the file `counters` of a trace: what gputap run planned to count
 *
 * The launcher writes it before the program starts, the shim collects by it, and a reader finds in it which metrics an
 * image of counters holds. The head, then `n` images of the range profiler, `more` of what is collected apart from it,
 * then what these point to. In the byte order of the machine. A name that was altered would give a value another
 * meaning: a sum tells.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_COUNTERS_H
#define GPUTAP_TRACE_FORMAT_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define REC_COUNTERS_FILE "counters"
#define REC_COUNTERS_MAGIC 0x3552544350415447ull
#define REC_COUNTERS_LARGEST (16u << 20)         /* bytes of the file */
#define REC_SYMBOL_LARGEST 4096u                 /* bytes kept of a kernel's symbol beside what was counted of it */

/* Whether `kept` is what was kept of the symbol `whole`, which need not be known beyond REC_SYMBOL_LARGEST bytes. */
static inline bool rec_symbol_is(const char *kept, uint64_t kept_bytes, const char *whole, uint64_t whole_bytes)
{
	if (whole_bytes > REC_SYMBOL_LARGEST)
		whole_bytes = REC_SYMBOL_LARGEST;
	return kept_bytes == whole_bytes && (!kept_bytes || !__builtin_memcmp(kept, whole, kept_bytes));
}

enum rec_counted { REC_COUNTED_LAUNCH, REC_COUNTED_RANGE, REC_COUNTED_GRAPH };
enum rec_replay { REC_REPLAY_KERNEL, REC_REPLAY_APPLICATION, REC_REPLAY_RANGE, REC_REPLAY_APP_RANGE, REC_REPLAY_APART };

/*
 * What cannot share a process with the range profiler, nor one of these with another, or an image with its other
 * counters: each has a run of the program of its own, in which nothing else is collected. The replay of that run is
 * REC_REPLAY_APART and the class; what it has of a launch is a COUNTERS record whose image is rec_apart_image, or, of a
 * later run, in the file `passes`.
 */
enum rec_apart {
	REC_APART_SAMPLES,              /* samples of the program counter: trace/format/samples.h */
	REC_APART_SASS,                 /* counts by instruction, of instrumented code */
	REC_APART_DEVICE,               /* counters of the whole device, by the range profiler; of later runs only */
	/* samples of performance monitors: trace/format/pm_samples.h; metrics of one pass each, so there are several */
	REC_APART_PM,
	REC_APARTS = REC_APART_PM + 8
};
/* What is said of a class holds for all runs of performance monitors. */
static inline enum rec_apart rec_apart_kind(enum rec_apart class)
{
	return class < REC_APART_PM ? class : REC_APART_PM;
}
static inline uint32_t rec_apart_image(enum rec_apart class) { return UINT32_MAX - (uint32_t)class; }

/* sum: rec_counters_sum; cupti: version of the library that planned; replay: enum rec_replay; pass: of this run */
struct rec_counters { uint64_t magic, bytes, sum; uint32_t n, cupti, replay, pass, more, unused; };

struct rec_counters_image {
	char chip[16];                /* whose; ends with a zero; empty: of all of them */
	uint64_t config, config_bytes;/* offset in the file: the image that the host library made; there may be none */
	uint64_t names, names_bytes;  /* offset: names of the metrics, each with its zero */
	uint32_t metrics, passes;
	uint32_t apart, unused;       /* enum rec_apart, of those behind the first n */
};

/* FNV-1a, 64 bits, of what is behind `sum`. `bytes` of the file are there. */
static inline uint64_t rec_counters_sum(const struct rec_counters *c)
{
	const uint8_t *at = (const uint8_t *)&c->n, *end = (const uint8_t *)c + c->bytes;
	uint64_t sum = 0xcbf29ce484222325ull;

	while (at < end)
		sum = (sum ^ *at++) * 0x100000001b3ull;
	return sum;
}

/* Whether it is what was written, and everything that it says lies inside it. */
static inline bool rec_counters_sound(const void *file, uint64_t bytes)
{
	const struct rec_counters *c = file;
	const struct rec_counters_image *im = (const void *)(c + 1);
	const char *text = file;

	if (bytes < sizeof *c || c->magic != REC_COUNTERS_MAGIC || c->bytes != bytes || c->n > 256 ||
		c->more > 256 || sizeof *c + (c->n + c->more) * sizeof *im > bytes || rec_counters_sum(c) != c->sum)
		return false;
	for (uint32_t i = 0; i < c->n + c->more; i++) {
		uint32_t names = 0;

		if (im[i].chip[sizeof im->chip - 1] || im[i].config > bytes ||
			im[i].config_bytes > bytes - im[i].config ||
			im[i].names > bytes || im[i].names_bytes > bytes - im[i].names)
			return false;
		for (uint64_t k = 0; k < im[i].names_bytes; k++)
			names += !text[im[i].names + k];
		if (names != im[i].metrics || (im[i].names_bytes && text[im[i].names + im[i].names_bytes - 1]))
			return false;
	}
	return true;
}

#endif
