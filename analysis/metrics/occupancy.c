/*
 * analysis/metrics/occupancy.c - how many blocks of a CUDA launch fit on a multiprocessor
 *
 * Each limit is a small function; what differs between compute capabilities is one line of `chips`.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/occupancy.h"

#include <stddef.h>

#define KIB 1024u
#define REGISTER_UNIT 256u                        /* registers are handed to warps in such pieces */
#define VIRTUAL_RESOURCES 128u                    /* of a multiprocessor that has any */

/* Sizes of shared memory, in KiB and rising, that cache and shared memory can be divided into; the end is a 0. */
static const uint16_t volta[] = { 0, 8, 16, 32, 64, 96, 0 }, turing[] = { 32, 64, 0 },
	ampere[] = { 0, 8, 16, 32, 64, 100, 132, 164, 0 }, small[] = { 0, 8, 16, 32, 64, 100, 0 },
	hopper[] = { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 0 };

#define ANY 0xff
/* Of a compute capability; the first line that fits holds. */
static const struct chip {
	uint8_t major, minor;
	uint8_t parts;                            /* of a multiprocessor; each hands out its own registers */
	uint8_t blocks;                           /* of a multiprocessor, at most */
	uint8_t barriers;                         /* of a multiprocessor, for each of these blocks; 0: no limit */
	bool halves;                              /* global loads can be cached in halves */
	bool virtual_resources;
	uint16_t shared_unit;                     /* bytes */
	uint16_t thread_registers;                /* at most, of one thread */
	const uint16_t *divisions;                /* NULL: no such choice, or (3.x) one of cache sizes */
	/* What its devices have; 0 stands for 64 Ki registers. */
	uint16_t threads, shared, optin;          /* of a multiprocessor; KiB of it, KiB that a block may ask for */
	uint32_t registers, block_registers;
} chips[] = {
	{ 3, 7, 4, 16, 0, false, false, 256, 255, NULL, 2048, 112, 48, 128 * KIB, 0 },
	{ 3, ANY, 4, 16, 0, false, false, 256, 255, NULL, 2048, 48, 48, 0, 0 },
	{ 5, 0, 4, 32, 2, false, false, 256, 255, NULL, 2048, 64, 48, 0, 0 },
	{ 5, 2, 4, 32, 2, true, false, 256, 255, NULL, 2048, 96, 48, 0, 0 },
	{ 5, 3, 4, 32, 2, true, false, 256, 255, NULL, 2048, 64, 48, 0, 32 * KIB },
	{ 5, ANY, 4, 32, 2, false, false, 256, 255, NULL, 2048, 64, 48, 0, 0 },
	{ 6, 0, 2, 32, 2, false, false, 256, 255, NULL, 2048, 64, 48, 0, 0 },
	{ 6, 2, 4, 32, 2, true, false, 256, 255, NULL, 2048, 64, 48, 0, 32 * KIB },
	{ 6, ANY, 4, 32, 2, true, false, 256, 255, NULL, 2048, 96, 48, 0, 0 },
	{ 7, 5, 4, 16, 2, false, false, 256, 256, turing, 1024, 64, 64, 0, 0 },
	{ 7, ANY, 4, 32, 2, false, false, 256, 256, volta, 2048, 96, 96, 0, 0 },
	{ 8, 0, 4, 32, 2, false, false, 128, 256, ampere, 2048, 164, 163, 0, 0 },
	{ 8, 7, 4, 16, 1, false, false, 128, 256, ampere, 1536, 164, 163, 0, 0 },
	{ 8, 9, 4, 24, 1, false, false, 128, 256, small, 1536, 100, 99, 0, 0 },
	{ 8, ANY, 4, 16, 1, false, false, 128, 256, small, 1536, 100, 99, 0, 0 },
	{ 9, ANY, 4, 32, 2, false, false, 128, 256, hopper, 2048, 228, 227, 0, 0 },
	{ 10, 0, 4, 32, 2, false, true, 128, 256, hopper, 2048, 228, 227, 0, 0 },
	{ 10, 1, 4, 24, 1, false, true, 128, 256, hopper, 1536, 228, 227, 0, 0 },
	{ 10, 3, 4, 32, 1, false, true, 128, 256, hopper, 2048, 228, 227, 0, 0 },
	{ 11, 0, 4, 24, 1, false, true, 128, 256, hopper, 1536, 228, 227, 0, 0 },
	{ 12, 0, 4, 24, 1, false, true, 128, 256, small, 1536, 100, 99, 0, 0 },
	{ 12, 1, 4, 24, 1, false, true, 128, 256, small, 1536, 100, 99, 0, 0 },
};

static const struct chip *chip_of(uint32_t major, uint32_t minor)
{
	for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
		if (chips[i].major == major && (chips[i].minor == minor || chips[i].minor == ANY))
			return &chips[i];
	return NULL;
}

static uint64_t round_up(uint64_t v, uint64_t unit) { return (v + unit - 1) / unit * unit; }
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* ------------------------------------------------------------------ what a device has */

uint32_t gt_occupancy_max_blocks(uint32_t major, uint32_t minor)
{
	const struct chip *c = chip_of(major, minor);

	return c ? c->blocks : 0;
}

uint32_t gt_occupancy_parts(uint32_t major, uint32_t minor)
{
	const struct chip *c = chip_of(major, minor);

	return c ? c->parts : 0;
}

uint32_t gt_occupancy_max_registers(uint32_t major, uint32_t minor)
{
	return chip_of(major, minor) ? 255 : 0;   /* the calculator lets 256 pass on newer ones: none compiles to it */
}

bool gt_occupancy_device(struct gt_occupancy_device *d)
{
	const struct chip *c = chip_of(d->major, d->minor);

	if (!c)
		return false;
#define DEFAULT(field, value) (d->field = d->field ? d->field : (value))
	DEFAULT(warp, 32);
	DEFAULT(threads_per_block, 1024);
	DEFAULT(threads_per_sm, c->threads);
	DEFAULT(registers_per_sm, c->registers ? c->registers : 64 * KIB);
	DEFAULT(registers_per_block, c->block_registers ? c->block_registers : 64 * KIB);
	DEFAULT(shared_per_block, 48 * KIB);
	DEFAULT(shared_per_sm, c->shared * (uint64_t)KIB);
	DEFAULT(shared_per_block_optin, c->optin * (uint64_t)KIB);
	DEFAULT(shared_reserved, c->major >= 8 ? KIB : 0);
#undef DEFAULT
	return true;
}

/* ------------------------------------------------------------------ registers */

/* Blocks that get registers, when a block keeps to one of `sections` equal sections of a multiprocessor. */
static uint32_t blocks_in(uint32_t warps_of_part, uint32_t parts, uint32_t sections, uint32_t warps_per_block)
{
	return warps_of_part * (parts / sections) / warps_per_block * sections;
}

/* halves: turned off where a block finds room only in both. */
static uint32_t limit_registers(const struct chip *c, const struct gt_occupancy_device *d,
	const struct gt_occupancy_launch *l, enum gt_occupancy_halves *halves, struct gt_occupancy *out)
{
	uint64_t of_warp = round_up((uint64_t)l->registers * d->warp, REGISTER_UNIT);
	/* The check before a launch takes each block for spread over all parts. */
	uint64_t assumed = of_warp * round_up(out->warps_per_block, c->parts);
	uint32_t warps_of_part, blocks = 0;

	out->registers_per_block = (uint32_t)(of_warp * out->warps_per_block);
	if (assumed > d->registers_per_block || l->registers > c->thread_registers)
		return 0;
	if (!of_warp)
		return GT_OCCUPANCY_UNLIMITED;
	warps_of_part = (uint32_t)(d->registers_per_sm / c->parts / of_warp);
	if (*halves != GT_HALVES_OFF)
		blocks = blocks_in(warps_of_part, c->parts, 2, out->warps_per_block);
	if (!blocks && *halves != GT_HALVES_STRICT) {
		*halves = GT_HALVES_OFF;
		blocks = blocks_in(warps_of_part, c->parts, 1, out->warps_per_block);
	}
	return blocks;
}

/* 6.0 runs what every 6.x can run: the others have twice as many parts. */
static uint32_t limit_registers_of_family(const struct chip *c, const struct gt_occupancy_device *d,
	const struct gt_occupancy_launch *l, enum gt_occupancy_halves *halves, struct gt_occupancy *out)
{
	uint32_t blocks = limit_registers(c, d, l, halves, out);
	enum gt_occupancy_halves other = *halves;

	if (d->major == 6 && d->minor == 0 && blocks && !limit_registers(chip_of(6, 1), d, l, &other, out))
		return 0;
	return blocks;
}

/* ------------------------------------------------------------------ shared memory */

/* The next larger division of a multiprocessor's memory; false: none is that large. */
static bool divide(const struct chip *c, uint64_t *bytes)
{
	const uint16_t *kib = c->divisions;

	for (size_t i = 0; i == 0 || kib[i]; i++)
		if (*bytes <= kib[i] * (uint64_t)KIB) {
			*bytes = kib[i] * (uint64_t)KIB;
			return true;
		}
	return false;
}

/* 3.x: the cache has 16, 32 or 48 KiB and shared memory the rest. */
static uint64_t kepler_preference(const struct gt_occupancy_device *d, enum gt_occupancy_cache cache)
{
	uint64_t high = d->shared_per_sm, low = high + 16 * KIB - 48 * KIB;

	return cache == GT_CACHE_L1 ? low : cache == GT_CACHE_EQUAL ? (high + low) / 2 : high;
}

static bool preferred_shared(const struct chip *c, const struct gt_occupancy_device *d,
	const struct gt_occupancy_launch *l, uint64_t *bytes)
{
	static const int of_cache[] = {
		[GT_CACHE_NONE] = -1, [GT_CACHE_SHARED] = 100, [GT_CACHE_L1] = 0, [GT_CACHE_EQUAL] = 50
	};
	int percent = l->carveout < 0 ? of_cache[l->cache] : l->carveout;

	if (!c->divisions) {
		*bytes = c->major == 3 ? kepler_preference(d, l->cache) : d->shared_per_sm;
		return true;
	}
	if (percent > 100)
		return false;
	*bytes = percent < 0 ? d->shared_per_sm : (uint64_t)percent * d->shared_per_sm / 100;
	return divide(c, bytes);
}

static uint64_t block_may_have(const struct gt_occupancy_device *d, const struct gt_occupancy_launch *l, uint64_t most)
{
	uint64_t bytes = d->major >= 7 && l->optin && most > d->shared_per_block ? d->shared_per_block_optin :
										   d->shared_per_block;

	return d->major >= 8 ? bytes + d->shared_reserved : bytes;
}

static bool limit_shared(const struct chip *c, const struct gt_occupancy_device *d,
	const struct gt_occupancy_launch *l, struct gt_occupancy *out, uint32_t *blocks)
{
	uint64_t fixed = l->static_shared + d->shared_reserved, of_sm;
	uint64_t of_block = round_up(fixed + l->dynamic_shared, c->shared_unit);

	out->shared_per_block = of_block;
	*blocks = 0;
	if (!preferred_shared(c, d, l, &of_sm))
		return false;
	if ((l->optin && l->dynamic_shared > l->max_dynamic) || of_block > block_may_have(d, l, fixed + l->max_dynamic))
		return true;
	/* A block that needs more than is preferred gets it. */
	if (of_sm < of_block) {
		of_sm = c->divisions ? of_block : d->shared_per_sm;
		if (c->divisions && !divide(c, &of_sm))
			return false;
	}
	*blocks = of_block ? (uint32_t)(of_sm / of_block) : GT_OCCUPANCY_UNLIMITED;
	return true;
}

/* ------------------------------------------------------------------ warps, blocks, barriers */

static uint32_t limit_warps(const struct gt_occupancy_device *d, const struct gt_occupancy_launch *l, bool halves,
	const struct gt_occupancy *out)
{
	if (l->block_threads > d->threads_per_block)
		return 0;
	return halves ? out->warps_per_sm / 2 / out->warps_per_block * 2 : out->warps_per_sm / out->warps_per_block;
}

/* The calculator counts them from 9.0 on. */
static uint32_t limit_barriers(const struct chip *c, const struct gt_occupancy_launch *l)
{
	if (c->major < 9 || !l->barriers)
		return GT_OCCUPANCY_UNLIMITED;
	return (uint32_t)c->blocks * c->barriers / l->barriers;
}

static void conclude(struct gt_occupancy *out)
{
	out->blocks = GT_OCCUPANCY_UNLIMITED;
	for (size_t i = 0; i < GT_LIMITS; i++)
		out->blocks = least(out->blocks, out->limit[i]);
	for (size_t i = 0; i < GT_LIMITS; i++)
		out->limiters |= (unsigned)(out->limit[i] == out->blocks) << i;
	out->share = out->warps_per_sm ? (double)out->blocks * out->warps_per_block / out->warps_per_sm : 0;
}

bool gt_occupancy(const struct gt_occupancy_device *d, const struct gt_occupancy_launch *l, struct gt_occupancy *out)
{
	const struct chip *c = chip_of(d->major, d->minor);
	enum gt_occupancy_halves halves = l->halves;

	*out = (struct gt_occupancy){ 0 };
	if (!c || !d->warp || !d->threads_per_block || !d->threads_per_sm || !d->registers_per_block ||
		!d->registers_per_sm || !d->shared_per_block || !d->shared_per_sm || !l->block_threads)
		return false;
	out->warps_per_block = (l->block_threads + d->warp - 1) / d->warp;
	out->warps_per_sm = d->threads_per_sm / d->warp;
	if (!c->halves)
		halves = GT_HALVES_OFF;
	out->limit[GT_LIMIT_REGISTERS] = limit_registers_of_family(c, d, l, &halves, out);
	out->limit[GT_LIMIT_WARPS] = limit_warps(d, l, halves != GT_HALVES_OFF, out);
	out->limit[GT_LIMIT_BLOCKS] = c->blocks;
	if (!limit_shared(c, d, l, out, &out->limit[GT_LIMIT_SHARED]))
		return false;
	out->limit[GT_LIMIT_BARRIERS] = limit_barriers(c, l);
	out->limit[GT_LIMIT_VIRTUAL] = c->virtual_resources && l->virtual_resources ?
		VIRTUAL_RESOURCES / l->virtual_resources : GT_OCCUPANCY_UNLIMITED;
	conclude(out);
	return true;
}
