/*
 * tests/e2e/nvtx_event.h - the attributes of an event, as NVTX has them, for programs that use it without its headers
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_E2E_NVTX_EVENT_H
#define GPUTAP_TESTS_E2E_NVTX_EVENT_H

#include <stdint.h>

struct event {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

#endif
