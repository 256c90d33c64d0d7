/*
 * tests/unit/occupancy_shapes.h - launches as programs make them and as nobody would, on every compute capability
 *
 * Shape i is always the same: occupancy_shapes.txt holds the vendor's answers to the first of them, line by line.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_OCCUPANCY_SHAPES_H
#define GPUTAP_TESTS_OCCUPANCY_SHAPES_H

#include "analysis/metrics/occupancy.h"

#define SHAPES_KEPT 2000u

static inline uint32_t shape_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((*state >> 33) % below);
}

static inline void shape(uint32_t i, struct gt_occupancy_device *d, struct gt_occupancy_launch *l)
{
	static const uint8_t chips[][2] = {
		{ 3, 0 }, { 3, 2 }, { 3, 5 }, { 3, 7 }, { 5, 0 }, { 5, 2 }, { 5, 3 }, { 6, 0 }, { 6, 1 }, { 6, 2 },
		{ 7, 0 }, { 7, 2 }, { 7, 5 }, { 8, 0 }, { 8, 6 }, { 8, 7 }, { 8, 8 }, { 8, 9 }, { 9, 0 }, { 10, 0 },
		{ 10, 1 },
		{ 10, 3 }, { 11, 0 }, { 12, 0 }, { 12, 1 }
	};
	static const uint32_t blocks[] = { 32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024 };
	uint64_t s = i * 0x9e3779b97f4a7c15ull + 1;
	const uint8_t *chip = chips[shape_random(&s, sizeof chips / sizeof *chips)];

	*d = (struct gt_occupancy_device){ .major = chip[0], .minor = chip[1] };
	gt_occupancy_device(d);
	*l = (struct gt_occupancy_launch){ .carveout = -1, .barriers = 1 };
	l->block_threads = shape_random(&s, 2) ? blocks[shape_random(&s, 11)] : 1 + shape_random(&s, 1100);
	l->registers = shape_random(&s, 16) ? shape_random(&s, 128) : shape_random(&s, 260);
	if (shape_random(&s, 2))
		l->static_shared = shape_random(&s, 3) ? shape_random(&s, 12000) : shape_random(&s, 49153);
	if (shape_random(&s, 2))
		l->dynamic_shared = shape_random(&s, 3) ? shape_random(&s, 40000) : shape_random(&s, 240000);
	l->optin = shape_random(&s, 2);
	if (l->optin)
		l->max_dynamic = shape_random(&s, 4) ? l->dynamic_shared : shape_random(&s, 240000);
	if (!shape_random(&s, 3))
		l->barriers = shape_random(&s, 17);
	if (!shape_random(&s, 8))
		l->virtual_resources = shape_random(&s, 64);
	if (!shape_random(&s, 3))
		l->cache = (enum gt_occupancy_cache)shape_random(&s, 4);
	if (!shape_random(&s, 3))
		l->carveout = (int)shape_random(&s, 101);
	l->halves = (enum gt_occupancy_halves)shape_random(&s, 3);
}

#endif
