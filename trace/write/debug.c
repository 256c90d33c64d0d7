/*
 * trace/write/debug.c - --debug: what the shim does, as lines of PID.N/debug.log
 *
 * Runs      on slow paths of the traced program, any thread, also in signal handlers.
 * May       open, write and close: no descriptor stays.
 * Must not  allocate, lock, touch errno; make a system call under a seccomp filter.
 *
 * What happens before the image has a directory (libraries are looked up, options read) waits in a buffer, and is
 * dropped with an image that records nothing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/debug.h"

#include <stdarg.h>

#include "trace/write/internal.h"

unsigned tap_debug_on;

static const char *const part_name[] = {
#define PART(name) #name,
	TAP_DEBUG_PARTS(PART)
#undef PART
};

static char early[4096];                /* lines from before there was a directory */
static size_t early_used;

void tap_debug_init(void)
{
	const char *parts = tap_option("debug");

	for (unsigned i = 0; *parts && i < sizeof part_name / sizeof part_name[0]; i++)
		if (tap_list_has(parts, part_name[i]) || tap_list_has(parts, "all"))
			tap_debug_on |= 1u << i;
}

static void append(const char *line, size_t n)
{
	char *path = tap_scratch_take();
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, tap_run_image_dir());
	tap_text_str(&t, "/debug.log");
	uint64_t mask = tap_sys_signals_block();
	int fd = tap_sys_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);

	tap_scratch_give(path);
	size_t kept = fd < 0 ? 0 : __atomic_exchange_n(&early_used, 0, __ATOMIC_ACQ_REL);

	if (kept)
		tap_sys_write(fd, early, kept < sizeof early ? kept : sizeof early);
	if (fd >= 0) {
		tap_sys_write(fd, line, n);
		tap_sys_close(fd);
	}
	tap_sys_signals_restore(mask);
}

static void keep(const char *line, size_t n)
{
	size_t at = __atomic_fetch_add(&early_used, n, __ATOMIC_ACQ_REL);

	for (size_t i = 0; i < n && at + i < sizeof early; i++)
		early[at + i] = line[i];
}

/* "0.001234 4711 chunk: ...": seconds since the start, thread. */
void tap_debug_line(enum tap_debug_part part, const char *format, ...)
{
	uint64_t us = tap_clock_elapsed_ns() / 1000;
	char line[512];
	struct tap_text t;
	va_list args;

	if (tap_seccomp)
		return;
	tap_text_init(&t, line, sizeof line - 1);
	tap_text_u64(&t, us / 1000000);
	tap_text_char(&t, '.');
	for (uint64_t digit = 100000; digit; digit /= 10)
		tap_text_char(&t, (char)('0' + us / digit % 10));
	tap_text_char(&t, ' ');
	tap_text_u64(&t, tap_sys_gettid());
	tap_text_char(&t, ' ');
	tap_text_str(&t, part_name[part]);
	tap_text_str(&t, ": ");
	va_start(args, format);
	tap_text_format(&t, format, args);
	va_end(args);
	line[t.used++] = '\n';
	if (TAP_READ_ONCE(tap_gate->alive))
		append(line, t.used);
	else
		keep(line, t.used);
}
