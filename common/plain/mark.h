/*
 * common/plain/mark.h - what stands for the build id of an object that was linked without one
 *
 * clang and others link without a build id unless they are told to. Program headers say where each part of an object
 * begins and how long it is: they are the same in the file and in memory, strip leaves them alone, and another program
 * hardly ever has the same. The shim takes the mark in memory, the tool in the file that lies there later.
 *
 * Runs      anywhere.
 * Must not  use the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_MARK_H
#define GPUTAP_COMMON_PLAIN_MARK_H

#include <stddef.h>
#include <stdint.h>

#define GC_MARK_BYTES 8u
#define GC_MARK_BEGIN 0xcbf29ce484222325ull

/* Goes on from `mark` (GC_MARK_BEGIN first) with some of the program headers, in order. */
uint64_t gc_mark(uint64_t mark, const void *headers, size_t bytes);

#endif
