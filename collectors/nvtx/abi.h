/*
 * collectors/nvtx/abi.h - what NVTX hands to an injected library: own definitions of the public binary interface
 *
 * Sizes, offsets and numbers are those of NVTX version 3 (the version 2 library uses the same); tests/e2e/nvtx/abi.c
 * compares them with the vendor's headers where these are installed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_NVTX_ABI_H
#define GPUTAP_COLLECTORS_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Message types; the text of a wide one is wchar_t, 4 bytes each here. */
enum { NVTX_ABI_ASCII = 1, NVTX_ABI_WIDE = 2, NVTX_ABI_REGISTERED = 3 };
enum { NVTX_ABI_ARGB = 1 };

struct nvtx_event {
	uint16_t version, size;         /* size: bytes the caller's version has */
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t payload_count;          /* payload_type of the schema extension: elements of the array */
	uint64_t payload;               /* a value by payload_type, or the address of the array */
	int32_t message_type;
	const void *message;
};

struct nvtx_resource {
	uint16_t version, size;
	int32_t type;
	uint64_t identifier;
	int32_t message_type;
	const void *message;
};

struct nvtx_sync_user { uint16_t version, size; int32_t message_type; const void *message; };

struct nvtx_payload { uint64_t schema; size_t bytes; const void *data; };

struct nvtx_schema_entry {
	uint64_t flags, type;
	const char *name, *description;
	uint64_t detail, offset;
	const void *semantics, *reserved;
};

struct nvtx_schema {
	uint64_t fields;                /* bit n: the n-th member behind this one is set */
	const char *name;
	uint64_t type, flags;
	const struct nvtx_schema_entry *entries;
	size_t n_entries, static_bytes, alignment;
	uint64_t id;
	void *extension;
};
enum {
	NVTX_ABI_SCHEMA_NAME = 0x2,
	NVTX_ABI_SCHEMA_TYPE = 0x4,
	NVTX_ABI_SCHEMA_FLAGS = 0x8,
	NVTX_ABI_SCHEMA_ENTRIES = 0x10,
	NVTX_ABI_SCHEMA_COUNT = 0x20,
	NVTX_ABI_SCHEMA_BYTES = 0x40,
	NVTX_ABI_SCHEMA_ALIGNMENT = 0x80,
	NVTX_ABI_SCHEMA_ID = 0x100
};

struct nvtx_enum_entry { const char *name; uint64_t value; int8_t flag; };
struct nvtx_enum {
	uint64_t fields;
	const char *name;
	const struct nvtx_enum_entry *entries;
	size_t n_entries, bytes;
	uint64_t id;
	void *extension;
};
enum {
	NVTX_ABI_ENUM_NAME = 0x2,
	NVTX_ABI_ENUM_ENTRIES = 0x4,
	NVTX_ABI_ENUM_COUNT = 0x8,
	NVTX_ABI_ENUM_BYTES = 0x10,
	NVTX_ABI_ENUM_ID = 0x20
};

#define NVTX_ABI_DYNAMIC_ID (1ull << 32)   /* ids from here on are given by the tool */

/* ---- injection ---- */

typedef void (*nvtx_function)(void);
/* Export table 1: the places where a client keeps its function pointers, by module and callback number. */
struct nvtx_callbacks { size_t bytes; int (*module)(uint32_t module, nvtx_function ***slots, unsigned *n_slots); };
enum { NVTX_ABI_CALLBACKS = 1 };
enum {
	NVTX_ABI_CORE = 1,
	NVTX_ABI_CUDA = 2,
	NVTX_ABI_OPENCL = 3,
	NVTX_ABI_CUDART = 4,
	NVTX_ABI_CORE2 = 5,
	NVTX_ABI_SYNC = 6
};

struct nvtx_segment { size_t id, n_slots; intptr_t *slots; };
struct nvtx_module {
	uint16_t nvtx_version, bytes, id, compatible;
	size_t n_segments;
	struct nvtx_segment *segments;
	intptr_t (*get_export)(uint32_t);
	const void *extension;
};
enum { NVTX_ABI_PAYLOAD_MODULE = 2 };

/* What push and pop answer when the tool does not count levels: the same as without a tool. */
#define NVTX_ABI_NO_TRACKING (-2)

#endif
