/*
 * writers/registry.c - the output formats that exist
 *
 * A new format is a file with a `struct gt_writer gt_writer_ID` and one line in trace/format/formats.def.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/writer.h"

#include <string.h>

#define FORMAT(id, word) extern const struct gt_writer gt_writer_##id;
#include "trace/format/formats.def"

static const struct gt_writer *const gt_writers[] = {
#define FORMAT(id, word) &gt_writer_##id,
#include "trace/format/formats.def"
};

const struct gt_writer *gt_writer_find(const char *id)
{
	for (size_t i = 0; i < sizeof(gt_writers) / sizeof(gt_writers[0]); i++)
		if (strcmp(gt_writers[i]->id, id) == 0)
			return gt_writers[i];
	return NULL;
}
