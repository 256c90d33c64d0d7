/*
 * tests/fuzz/fuzz_samples.c - read mutated samples of the program counter and of performance monitors, counts by
 * instruction, and the two files beside them: nothing may crash, hang or take all memory
 *
 *	fuzz_samples [-n EXECUTIONS] [-r SEED]
 *
 * Each execution makes samples or counts of a launch, or the file of the runs (passes), or that of the plan
 * (counters), breaks one thing in it, or a few, puts hash and sum right, as who wrote it so would have, and uses what
 * is taken for sound: samples and counts become metrics, of the rest every byte that they name is read. In memory of
 * its exact size, for sanitizers.
 * Limits: each.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define XXH_INLINE_ALL                    /* no library more for the tool */
#include <stddef.h>
#include <xxhash.h>

#include "analysis/metrics/sampled.h"
#include "analysis/metrics/source.h"
#include "tests/fuzz/each.h"
#include "trace/format/counters.h"
#include "trace/format/passes.h"
#include "trace/format/pm_samples.h"
#include "trace/format/samples.h"
#include "trace/format/sass.h"

enum { FUNCTIONS = 6, INSTRUCTIONS = 60, REASONS = 12, COUNTS = 4, LAUNCHES = 12, IMAGES = 4, ROOM = 1 << 16,
	FILES = 5 };

static _Alignas(8) char file[ROOM];
static uint64_t bytes;
static struct { uint64_t sound, refused; } seen[FILES];
static volatile uint64_t touched;

static uint64_t odd(void)
{
	static const uint64_t all[] = { 0, 1, 2, 127, 128, 129, 4096, INT32_MAX, UINT32_MAX, UINT32_MAX - 1, INT64_MAX,
		1ull << 63, UINT64_MAX };

	return below(3) ? all[below(sizeof all / sizeof *all)] : below(4) ? below(bytes + 16) : below(UINT64_MAX);
}

static void *put(const void *data, size_t n)
{
	void *at = memcpy(file + bytes, data, n);

	bytes += n;
	return at;
}

static void read_all(const void *at, uint64_t n)
{
	const unsigned char *c = at;

	for (uint64_t i = 0; i < n; i++)
		touched += c[i];
}

/* A word, or half of one, becomes another; or the end is gone, or there is more. */
static void break_words(void)
{
	for (uint64_t times = 1 + (below(3) ? 0 : below(4)); times && bytes >= 8; times--) {
		uint64_t v = odd(), at = below(bytes / 4) * 4;

		switch (below(8)) {
		case 0: bytes = below(bytes); break;
		case 1: bytes += below(ROOM - bytes) & 0x3f; break;
		case 2: file[below(bytes)] ^= (char)(1u << below(8)); break;
		case 3: memcpy(file + (at & ~7ull), &v, 8); break;
		default:
			at = below(4) ? at : below(200) & ~3ull;        /* often of the head */
			memcpy(file + (at + 4 <= bytes ? at : 0), &v, 4);
		}
	}
}

/* ------------------------------------------------------------------ samples of a launch */

static void make_samples(void)
{
	static const char *const reasons[] = { "smsp__pcsamp_sample_count", "smsp__pcsamp_warps_issue_stalled_wait",
		"smsp__pcsamp_warps_issue_stalled_wait_not_issued", "", "x" };
	struct rec_samples head = { .magic = REC_SAMPLES_MAGIC, .total = below(1000), .cycles = 1ull << below(32),
		.state = below(8) ? REC_SAMPLES_WHOLE : (uint32_t)below(4), .reasons = (uint32_t)below(REASONS),
		.functions = 1 + (uint32_t)below(FUNCTIONS), .instructions = (uint32_t)below(INSTRUCTIONS) };
	uint32_t text = 1, counts[INSTRUCTIONS];

	put(&head, sizeof head);
	for (uint32_t i = 0; i < head.functions; i++)
		put(&(struct rec_samples_function){ below(3), (uint32_t)below(4), (uint32_t)below(8) },
			sizeof(struct rec_samples_function));
	for (uint32_t i = 0; i < head.instructions; i++) {
		counts[i] = (uint32_t)below(COUNTS);
		head.counts += counts[i];
		put(&(struct rec_samples_instruction){ 16 * below(40), (uint32_t)below(head.functions), counts[i] },
			sizeof(struct rec_samples_instruction));
	}
	for (uint32_t i = 0; i < head.reasons; i++) {
		put(&(struct rec_samples_reason){ (uint32_t)below(REASONS), text }, sizeof(struct rec_samples_reason));
		text += (uint32_t)strlen(reasons[i % 5]) + 1;
	}
	for (uint32_t i = 0; i < head.counts; i++)
		put(&(struct rec_samples_count){ (uint32_t)below(REASONS), (uint32_t)below(100) },
			sizeof(struct rec_samples_count));
	put("", 1);
	for (uint32_t i = 0; i < head.reasons; i++)
		put(reasons[i % 5], strlen(reasons[i % 5]) + 1);
	put("kernel\0\0", 8);
	head.text_bytes = text + 8;
	head.bytes = bytes;
	memcpy(file, &head, sizeof head);
}

/* What became of a launch's samples, or counts. */
static bool use_metrics(int there, struct gt_sampled *s, const char *why)
{
	for (uint32_t i = 0; there == 1 && i < s->n; i++) {
		uint64_t sum = 0;

		read_all(s->metrics[i].name, strlen(s->metrics[i].name));
		for (uint32_t k = 0; k < s->metrics[i].n; k++) {
			sum += s->metrics[i].at[k].samples;
			if (k && s->metrics[i].at[k].address <= s->metrics[i].at[k - 1].address)
				abort();                /* instructions are in order, each once */
		}
		if (sum != s->metrics[i].samples)
			abort();
	}
	if (there == 1)
		gt_sampled_free(s);
	else if (!there && !why)
		abort();                                /* nothing, and no word about it */
	return there == 1;
}

static bool use_samples(const char *exact)
{
	XXH128_hash_t hash = XXH3_128bits(exact, bytes);
	const struct gt_counters c = { .symbol = { "kernel", 6 },
		.apart[REC_APART_SAMPLES] = { { exact, bytes }, { hash.low64, hash.high64 }, 2 } };
	const char *why = NULL;
	struct gt_sampled s;
	int there = gt_sampled_of(NULL, &c, &s, &why);

	return use_metrics(there, &s, why);
}

/* ------------------------------------------------------------------ counts by instruction */

static void make_sass(void)
{
	static const char *const names[] = { "inst_executed", "thread_inst_executed", "", "x" };
	struct rec_sass head = { .magic = REC_SASS_MAGIC, .state = below(8) ? REC_SASS_WHOLE : (uint32_t)below(5),
		.metrics = 1 + (uint32_t)below(REASONS), .functions = 1 + (uint32_t)below(FUNCTIONS),
		.instructions = (uint32_t)below(INSTRUCTIONS) };
	uint32_t text = 1;

	put(&head, sizeof head);
	for (uint32_t i = 0; i < head.functions; i++)
		put(&(struct rec_samples_function){ below(3), (uint32_t)below(4), (uint32_t)below(8) },
			sizeof(struct rec_samples_function));
	for (uint32_t i = 0; i < head.instructions; i++) {
		uint32_t n = (uint32_t)below(COUNTS);

		head.values += n;
		put(&(struct rec_sass_instruction){ 16 * (uint32_t)below(40), (uint32_t)below(head.functions), n, 0 },
			sizeof(struct rec_sass_instruction));
	}
	for (uint32_t i = 0; i < head.values; i++)
		put(&(struct rec_sass_value){ below(1000), (uint32_t)below(head.metrics), 0 },
			sizeof(struct rec_sass_value));
	for (uint32_t i = 0; i < head.metrics; i++) {
		put(&(struct rec_sass_metric){ text, !below(6) }, sizeof(struct rec_sass_metric));
		text += (uint32_t)strlen(names[i % 4]) + 1;
	}
	put("", 1);
	for (uint32_t i = 0; i < head.metrics; i++)
		put(names[i % 4], strlen(names[i % 4]) + 1);
	put("kernel\0\0", 8);
	head.text_bytes = text + 8;
	head.bytes = bytes;
	memcpy(file, &head, sizeof head);
}

static bool use_sass(const char *exact)
{
	XXH128_hash_t hash = XXH3_128bits(exact, bytes);
	const struct gt_counters c = { .symbol = { "kernel", 6 },
		.apart[REC_APART_SASS] = { { exact, bytes }, { hash.low64, hash.high64 }, 2 } };
	const char *why = NULL;
	struct gt_sampled s;
	int there = gt_source_counts(NULL, &c, &s, &why);

	return use_metrics(there, &s, why);
}

/* ------------------------------------------------------------------ samples of performance monitors */

static void make_pm(void)
{
	struct rec_pm head = { .magic = REC_PM_MAGIC, .begin_ns = below(1000), .end_ns = below(UINT64_MAX),
		.kernel_begin_ns = below(UINT64_MAX), .kernel_end_ns = below(UINT64_MAX),
		.state = below(8) ? REC_PM_WHOLE : (uint32_t)below(REC_PM_STATES), .trigger = (uint32_t)below(2),
		.image = (uint32_t)below(3), .images = (uint32_t)below(IMAGES) };
	struct rec_pm_image im[IMAGES];

	put(&head, sizeof head);
	for (uint32_t i = 0; i < head.images; i++) {
		im[i] = (struct rec_pm_image){ (uint32_t)below(200), (uint32_t)below(20) };
		head.samples += im[i].samples;
		put(&im[i], sizeof im[i]);
	}
	for (uint64_t i = 0; i < head.samples; i++)
		put(&(struct rec_pm_time){ 2000 * i, 2000 * (i + 1) }, sizeof(struct rec_pm_time));
	for (uint32_t i = 0; i < head.images; i++) {
		memset(file + bytes, 3, rec_pm_room(im[i].bytes));
		bytes += rec_pm_room(im[i].bytes);
	}
	head.bytes = bytes;
	memcpy(file, &head, sizeof head);
}

/* Each image where it is said to lie, and as many times as the images have samples. */
static bool use_pm(const char *exact)
{
	XXH128_hash_t hash = XXH3_128bits(exact, bytes);
	const struct gt_counters c = {
		.apart[REC_APART_PM] = { { exact, bytes }, { hash.low64, hash.high64 }, 2 } };
	struct rec_pm_parts p;
	uint64_t samples = 0;

	if (gt_model_pm_samples(NULL, &c, REC_APART_PM, &p) != 1)
		return false;
	for (uint32_t i = 0; i < p.head->images; i++) {
		read_all(p.data, p.images[i].bytes);
		p.data += rec_pm_room(p.images[i].bytes);
		samples += p.images[i].samples;
	}
	if (samples != p.head->samples)
		abort();
	read_all(p.times, samples * sizeof *p.times);
	return true;
}

/* ------------------------------------------------------------------ the file of the runs */

static void make_passes(void)
{
	struct rec_passes head = { .magic = REC_PASSES_MAGIC, .n = (uint32_t)below(LAUNCHES),
		.groups = (uint32_t)below(4) };
	struct rec_pass *l = (void *)(file + sizeof head);

	bytes = sizeof head + head.n * sizeof *l;
	memset(file, 0, bytes);
	for (uint32_t i = 0; i < head.n; i++) {
		l[i] = (struct rec_pass){ .pid = 10, .instance = 1, .correlation = i, .order = 1, .symbol = bytes,
			.symbol_bytes = below(20), .missing = below(4) ? 0 : 2, .apart[REC_APART_SAMPLES].run = 3 };
		memset(file + bytes, 'k', l[i].symbol_bytes);
		bytes += l[i].symbol_bytes;
	}
	head.bytes = bytes;
	for (uint32_t i = 0; i < head.n; i++) {
		l[i].data = bytes;
		l[i].data_bytes = below(100);
		bytes = l[i].data + l[i].data_bytes;
		for (uint32_t k = 0; k < REC_APARTS; k++) {
			l[i].apart[k].data = bytes;
			l[i].apart[k].bytes = below(100);
			bytes += l[i].apart[k].bytes;
		}
	}
	memset(file + head.bytes, 1, bytes - head.bytes);
	memcpy(file, &head, sizeof head);
}

static void sum_passes(char *exact)
{
	struct rec_passes *p = (void *)exact;

	if (bytes >= sizeof *p && p->bytes <= bytes && p->bytes >= offsetof(struct rec_passes, n))
		p->sum = rec_passes_sum(p);
}

static bool use_passes(const char *exact)
{
	const struct rec_passes *p = (const void *)exact;
	const struct rec_pass *l = (const void *)(p + 1);
	bool sound = rec_passes_sound(exact, bytes, bytes);

	for (uint32_t i = 0; sound && i < p->n; i++) {
		read_all(exact + l[i].symbol, l[i].symbol_bytes);
		read_all(exact + l[i].data, l[i].data_bytes);
		for (uint32_t k = 0; k < REC_APARTS; k++)
			read_all(exact + l[i].apart[k].data, l[i].apart[k].bytes);
	}
	return sound;
}

/* ------------------------------------------------------------------ the plan */

static void make_plan(void)
{
	struct rec_counters head = { .magic = REC_COUNTERS_MAGIC, .n = (uint32_t)below(IMAGES), .cupti = 26,
		.replay = (uint32_t)below(REC_REPLAY_APART + REC_APARTS), .more = (uint32_t)below(IMAGES) };
	struct rec_counters_image *im = (void *)(file + sizeof head);

	bytes = sizeof head + (head.n + head.more) * sizeof *im;
	for (uint32_t i = 0; i < head.n + head.more; i++) {
		im[i] = (struct rec_counters_image){ .chip = "GH100", .config = bytes, .config_bytes = 8 * below(20),
			.metrics = (uint32_t)below(6), .passes = 1 };
		memset(file + bytes, 2, im[i].config_bytes);
		bytes += im[i].config_bytes;
		im[i].names = bytes;
		for (uint32_t k = 0; k < im[i].metrics; k++)
			put("sm__a.sum", 10);
		im[i].names_bytes = bytes - im[i].names;
	}
	head.bytes = bytes;
	memcpy(file, &head, sizeof head);
}

static void sum_plan(char *exact)
{
	struct rec_counters *c = (void *)exact;

	if (bytes >= sizeof *c && c->bytes <= bytes && c->bytes >= offsetof(struct rec_counters, n))
		c->sum = rec_counters_sum(c);
}

static bool use_plan(const char *exact)
{
	const struct rec_counters *c = (const void *)exact;
	const struct rec_counters_image *im = (const void *)(c + 1);
	bool sound = rec_counters_sound(exact, bytes);

	for (uint32_t i = 0; sound && i < c->n + c->more; i++) {
		const char *name = exact + im[i].names;

		read_all(im[i].chip, strlen(im[i].chip));
		read_all(exact + im[i].config, im[i].config_bytes);
		for (uint32_t k = 0; k < im[i].metrics; k++, name += strlen(name) + 1)
			read_all(name, strlen(name));
	}
	return sound;
}

/* ------------------------------------------------------------------ all */

static const struct {
	const char *what;
	void (*make)(void);
	void (*sum)(char *exact);
	bool (*use)(const char *exact);
} files[FILES] = {
	{ "samples", make_samples, NULL, use_samples },
	{ "counts", make_sass, NULL, use_sass },
	{ "monitors", make_pm, NULL, use_pm },
	{ "passes", make_passes, sum_passes, use_passes },
	{ "plans", make_plan, sum_plan, use_plan },
};

static void once(void)
{
	size_t i = (size_t)below(FILES);
	bool broken = each_now % 8, sound;
	char *exact;

	bytes = 0;
	files[i].make();
	if (broken)
		break_words();
	exact = memcpy(malloc(bytes + !bytes), file, bytes);
	if (files[i].sum && (!broken || below(8)))
		files[i].sum(exact);
	sound = files[i].use(exact);
	if (!broken && !sound && i > 1) {    /* of samples and counts, ones that are not whole too */
		fprintf(stderr, "%s that are whole were refused\n", files[i].what);
		abort();
	}
	seen[i].sound += sound;
	seen[i].refused += !sound;
	free(exact);
}

int main(int argc, char **argv)
{
	const struct each_options o = each_begin(argc, argv);
	bool bad = false;

	each_run(o, once);
	printf("%llu executions:", (unsigned long long)o.n);
	for (int i = 0; i < FILES; i++) {
		printf(" %llu %s used, %llu refused;", (unsigned long long)seen[i].sound, files[i].what,
			(unsigned long long)seen[i].refused);
		bad |= !seen[i].sound || !seen[i].refused;
	}
	printf(" at most %llu branches\n", (unsigned long long)each_most_steps);
	return bad;
}
