/*
 * trace/write/options.h - the options as the shim reads them, from GPUTAP_* in the environment
 *
 * Runs      parse: once, in the constructor. Reading: anywhere.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_OPTIONS_H
#define GPUTAP_TRACE_WRITE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/plain/words.h"

/* The values that are read often. The others: tap_option(). */
struct tap_options {
	uint64_t max_size;              /* bytes, 0 = no limit */
	uint64_t max_contents;          /* bytes, 0 = a quarter of max_size */
	uint64_t max_pending;           /* events */
	uint32_t max_args;              /* bytes of one argument: from TAP_COPY_ORDINARY to REC_BLOB_MAX */
	uint64_t start_after, stop_after;       /* ns since the start; 0 = at once, never */
	bool ring, force, device_times, serialize, sources, binaries;
	bool one_by_one;                /* serialize or cpu_counters: a command is over when its call returns */
	bool cpu_counters;
};
extern struct tap_options tap_options __attribute__((visibility("hidden")));

/* Reads environ. Allocates nothing: values are copied, since programs overwrite their environment (setproctitle). */
void tap_options_parse(void);
/*
 * The value of a long option ("max-size") as text in normal form (common/plain/value.h): environment, else default; ""
 * for an unknown name.
 */
const char *tap_option(const char *name);
bool tap_option_true(const char *name);                 /* of a FLAG or a BOOL */
uint64_t tap_option_number(const char *name);           /* of a NUMBER, a SIZE in bytes, a TIME in ns */
/* Whether the environment gave it. */
bool tap_option_given(const char *name);
/* The n-th option the shim understands, or NULL: for the resolved set in the trace. */
const char *tap_option_at(size_t n, const char **value);
/* Says into the trace which variables had a value that is none of their option's. */
void tap_options_notes(void);
/* Whether a comma or space separated list holds `word`. */
static inline bool tap_list_has(const char *list, const char *word) { return gc_list_has(list, word); }
/* A variable of the environment of now, or NULL. No allocation. */
const char *tap_environ(const char *name);
/* Sets one, for the program and its children: constructor only. False: no memory. */
bool tap_environ_set(const char *name, const char *value);
/* The absolute path of this library; "": it cannot be told. First in the constructor: later "." is another folder. */
const char *tap_own_path(void);

#endif
