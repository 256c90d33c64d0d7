/*
 * tests/e2e/nvtx_schemas.c - NVTX schemas by hand: as many entries, and names as long, as the arguments say
 *
 * nvtx_schemas ENTRIES BYTES: a schema and an enumeration with so many entries, whose names have so many bytes.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/nvtx/abi.h"

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	int (*extension)(struct nvtx_module *) =
		(int (*)(struct nvtx_module *))dlsym(RTLD_DEFAULT, "InitializeInjectionNvtxExtension");
	struct nvtx_schema_entry *entry = calloc(n, sizeof *entry);
	struct nvtx_enum_entry *value = calloc(n, sizeof *value);
	char *name = malloc(bytes + 1);
	intptr_t slots[8] = { 0 };
	struct nvtx_segment segment = { 0, 8, slots };
	struct nvtx_module module = { .bytes = sizeof module, .id = NVTX_ABI_PAYLOAD_MODULE, .n_segments = 1,
		.segments = &segment };

	if (!extension || !extension(&module))
		return 1;
	memset(name, 'n', bytes);
	name[bytes] = 0;
	for (size_t i = 0; i < n; i++) {
		entry[i] = (struct nvtx_schema_entry){ .type = 1, .name = i ? "e" : name };
		value[i] = (struct nvtx_enum_entry){ .name = i ? "v" : name, .value = i };
	}
	struct nvtx_schema schema = { .fields = NVTX_ABI_SCHEMA_NAME | NVTX_ABI_SCHEMA_ENTRIES | NVTX_ABI_SCHEMA_COUNT,
		.name = "schema", .entries = entry, .n_entries = n };
	struct nvtx_enum values = { .fields = NVTX_ABI_ENUM_NAME | NVTX_ABI_ENUM_ENTRIES | NVTX_ABI_ENUM_COUNT,
		.name = "values", .entries = value, .n_entries = n };

	((uint64_t (*)(uint64_t, const struct nvtx_schema *))slots[0])(0, &schema);
	((uint64_t (*)(uint64_t, const struct nvtx_enum *))slots[1])(0, &values);
	puts("two definitions");
	free(entry);
	free(value);
	free(name);
	return 0;
}
