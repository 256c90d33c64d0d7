/*
 * tests/unit/tablefixture.h - the function table of this build, for tests that make traces themselves
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_UNIT_TABLEFIXTURE_H
#define GPUTAP_TESTS_UNIT_TABLEFIXTURE_H

#include <stdio.h>
#include <stdlib.h>

static char *table_text;
static size_t table_bytes;

/* 0, or -1 where there is none. The test frees the text. */
static inline int read_table(void)
{
	const char *build = getenv("GPUTAP_BUILD");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/gen/table.txt", build ? build : "build");
	f = fopen(path, "rb");
	if (!f)
		return -1;
	table_text = malloc(4u << 20);
	table_bytes = table_text ? fread(table_text, 1, 4u << 20, f) : 0;
	fclose(f);
	return table_bytes ? 0 : -1;
}

#endif
