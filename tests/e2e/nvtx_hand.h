/*
 * tests/e2e/nvtx_hand.h - what a client of NVTX without NVTX offers to the library that it loads: slots of two modules
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_E2E_NVTX_HAND_H
#define GPUTAP_TESTS_E2E_NVTX_HAND_H

#include <stddef.h>
#include <stdint.h>

#include "tests/e2e/nvtx_event.h"

typedef void (*function)(void);
struct callbacks { size_t bytes; int (*module)(uint32_t, function ***, unsigned *); };

static function core[16], core2[16];
static function *core_slots[16], *core2_slots[16];
static unsigned offered = 16;           /* fewer: a client of an older version, without the second module */

static int module(uint32_t id, function ***slots, unsigned *n)
{
	if (id != 1 && (id != 5 || offered < 16))
		return 0;
	*slots = id == 1 ? core_slots : core2_slots;
	*n = offered;
	return 1;
}

static const void *table(uint32_t id)
{
	static const struct callbacks c = { sizeof c, module };

	return id == 1 ? &c : NULL;
}

#endif
