/*
 * model/nvtx/payload.h - schemas and enumerations of structured NVTX payloads
 *
 * Runs in the tool. What a program registered, and which member of a payload lies where. Texts live as long as the
 * model.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_NVTX_PAYLOAD_H
#define GPUTAP_MODEL_NVTX_PAYLOAD_H

#include "model/nvtx/ranges.h"

/* A member of a schema, or a value of an enumeration. */
struct gt_payload_entry {
	/* as registered: enum gt_payload_flag, gt_payload_type or a schema's id */
	uint64_t flags, type, detail, offset;
	uint64_t value;                         /* enumeration */
	bool is_flag;
	struct gt_string name, description;     /* text NULL: none */
};

struct gt_payload_schema {
	uint32_t process, domain;
	bool enumeration;
	uint64_t id, type, flags;
	uint64_t bytes;                         /* of a payload (0: not said), or of a value of the enumeration */
	uint64_t alignment;
	struct gt_string name;
	uint32_t n_entries;
	const struct gt_payload_entry *entries;
};

/* In the order in which they stand in the trace. */
uint32_t gt_model_payload_schema_count(const struct gt_model *m);
const struct gt_payload_schema *gt_model_payload_schema(const struct gt_model *m, uint32_t i);
/* The one that an id means in this process, which may be its parent's; NULL. */
const struct gt_payload_schema *gt_model_payload_schema_find(
	const struct gt_model *m, uint32_t process, uint32_t domain, uint64_t id);
/* A registered string by its number; text NULL: none. */
struct gt_string gt_model_registered_string(const struct gt_model *m, uint32_t process, uint64_t number);

/* spec: NVTX payload extension. Numbers of its binary interface. */
enum gt_payload_flag {
	GT_PAYLOAD_POINTER = 1 << 1, GT_PAYLOAD_FROM_BASE = 1 << 2, GT_PAYLOAD_FROM_HERE = 1 << 3,
	GT_PAYLOAD_ARRAY_MASK = 7 << 4, GT_PAYLOAD_ARRAY_FIXED = 1 << 4,
};
enum gt_payload_type {
	GT_PAYLOAD_CHAR = 1,
	GT_PAYLOAD_ADDRESS = 23,
	GT_PAYLOAD_CHAR8 = 25,
	GT_PAYLOAD_CSTRING = 75,
	GT_PAYLOAD_CSTRING_UTF8 = 76,
	GT_PAYLOAD_REGISTERED = 80,
	GT_PAYLOAD_FIRST_SCHEMA = 1 << 24,
};
enum { GT_PAYLOAD_SCHEMA_STATIC = 1 };
enum gt_payload_class { GT_PAYLOAD_UNKNOWN, GT_PAYLOAD_UNSIGNED, GT_PAYLOAD_SIGNED, GT_PAYLOAD_REAL, GT_PAYLOAD_HEX };
/* What a predefined type is, and its bytes (0: unknown, or longer than 8). */
enum gt_payload_class gt_payload_type_class(uint64_t type, uint32_t *bytes);

#endif
