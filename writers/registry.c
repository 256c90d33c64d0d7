/*
 * writers/registry.c - the output formats that exist
 *
 * A new format is a file with a `struct gt_writer gt_writer_ID` and one word here.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/writer.h"

#include <string.h>

#define WRITERS WRITER(atp) WRITER(apilog) WRITER(sqlite)

#define WRITER(id) extern const struct gt_writer gt_writer_##id;
WRITERS
#undef WRITER

static const struct gt_writer *const gt_writers[] = {
#define WRITER(id) &gt_writer_##id,
	WRITERS
#undef WRITER
};

const struct gt_writer *const *gt_writer_all(size_t *n)
{
	*n = sizeof(gt_writers) / sizeof(gt_writers[0]);
	return gt_writers;
}

const struct gt_writer *gt_writer_find(const char *id)
{
	for (size_t i = 0; i < sizeof(gt_writers) / sizeof(gt_writers[0]); i++)
		if (strcmp(gt_writers[i]->id, id) == 0)
			return gt_writers[i];
	return NULL;
}
