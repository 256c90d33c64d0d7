/*
 * cli/notes.c - the sentences that a trace holds about parts that were switched off
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "common/harmless.h"
#include "model/model.h"

void gt_cli_notes(const struct gt_model *model)
{
	uint32_t n = gt_model_note_count(model);

	for (uint32_t i = 0; i < n; i++) {
		const char *text = gt_model_note(model, i)->text;
		uint32_t before = 0, times = 1;

		while (before < i && strcmp(gt_model_note(model, before)->text, text))
			before++;
		if (before < i)
			continue;
		for (uint32_t k = i + 1; k < n; k++)
			times += !strcmp(gt_model_note(model, k)->text, text);
		if (times > 1)
			fprintf(stderr, "gputap: %s (%u times)\n", gt_harmless(text), times);
		else
			fprintf(stderr, "gputap: %s\n", gt_harmless(text));
	}
}
