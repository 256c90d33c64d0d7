/*
 * trace/write/entries.h - what stands in a folder, and what /proc tells of a thread, without the C library
 *
 * Runs      anywhere in the traced program, signal handlers too.
 * May       make system calls.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_ENTRIES_H
#define GPUTAP_TRACE_WRITE_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

/* A walk: the caller opens and closes fd, and gives room for the names of one system call. */
struct tap_entries { int fd; char *room; size_t size; long n, at; };

/* The next name, with "." and ".."; it lives until the next call. NULL: no more, or, with n < 0, an error. */
const char *tap_entries_next(struct tap_entries *e);

/* The thread whose entry of /proc/self/task has this name; 0: none. */
uint32_t tap_task_of(const char *name);

/* The beginning of /proc/self/task/TID/FILE, zero-terminated, in `to`; "": it cannot be read, or `to` is NULL. */
const char *tap_task_read(uint32_t tid, const char *file, char *to, size_t size);

#endif
