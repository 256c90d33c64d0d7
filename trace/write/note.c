/*
 * trace/write/note.c - one sentence into the trace when a part had to degrade
 *
 * Runs      on any thread of the traced program, on slow paths (TAP_DEGRADE: once per site).
 * Must not  allocate, print, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdarg.h>

#include "trace/write/internal.h"

void tap_note(uint32_t part, const char *format, ...)
{
	char buffer[512];
	struct tap_text t;
	va_list args;

	tap_text_init(&t, buffer, sizeof buffer);
	va_start(args, format);
	tap_text_format(&t, format, args);
	va_end(args);
	tap_record_text(REC_NOTE, part, t.at, t.used);
}
