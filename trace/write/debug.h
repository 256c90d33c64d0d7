/*
 * trace/write/debug.h - --debug: what the shim does, as lines of PID.N/debug.log
 *
 * Runs      on slow paths of the traced program, any thread. Costs a load and a branch there while off.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_DEBUG_H
#define GPUTAP_TRACE_WRITE_DEBUG_H

/* PART(name): the words of --debug=PART,... */
#define TAP_DEBUG_PARTS(PART) PART(stream) PART(chunk) PART(loader) PART(queue) PART(process)
enum tap_debug_part {
#define PART(name) TAP_DEBUG_##name,
	TAP_DEBUG_PARTS(PART)
#undef PART
};

extern unsigned tap_debug_on __attribute__((visibility("hidden")));     /* a bit a part */

/* One line; %s %d %u %x %lu %ld %lx. */
#define TAP_DEBUG(part, ...) do { \
	if (__builtin_expect(tap_debug_on & 1u << TAP_DEBUG_##part, 0)) \
		tap_debug_line(TAP_DEBUG_##part, __VA_ARGS__); } while (0)
void tap_debug_line(enum tap_debug_part part, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/* Constructor: which parts are on. */
void tap_debug_init(void);

#endif
