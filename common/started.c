/*
 * common/started.c - lines of a trace about programs that the run started and that were not followed
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/started.h"

#include <stdio.h>
#include <string.h>

#include "common/plain/audit.h"
#include "common/plain/program.h"

const char *gt_started_why(const char *value, const char **path)
{
	size_t word = strcspn(value, " ");

	*path = value[word] ? value + word + 1 : "";
	return gc_program_why_not(gc_program_of_word(value, word));
}

void gt_started_note(const char *key, const char *value, char *text, size_t room)
{
	const char *path, *why = gt_started_why(value, &path);

	enum gc_audit audit = gc_audit_of_word(value, strcspn(value, " "));

	if (audit)
		snprintf(text, room, GC_NOTE_UNAUDITED, path, gc_audit_why_not(audit));
	else if (!strncmp(value, "unseen ", 7))
		snprintf(text, room, GC_NOTE_UNSEEN, value + 7);
	else if (why)
		snprintf(text, room, strcmp(key, "started") ? GC_NOTE_UNREACHABLE : GC_NOTE_STATIC, path, why);
	else
		*text = 0;
}
