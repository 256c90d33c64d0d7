/*
 * common/plain/object_id.h - what tells an object (executable, library) from another one under its name
 *
 * Its build id, or, where it was linked without one (clang and others do so unless they are told), a mark made of its
 * program headers: these say where each part of an object begins and how long it is, they are the same in the file and
 * in memory, strip leaves them alone, and another program hardly ever has the same. The shim takes either in memory,
 * the tool in the file that lies there later.
 *
 * Runs      anywhere.
 * Must not  use the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_OBJECT_ID_H
#define GPUTAP_COMMON_PLAIN_OBJECT_ID_H

#include <stddef.h>
#include <stdint.h>

#define GC_MARK_BYTES 8u
#define GC_MARK_BEGIN 0xcbf29ce484222325ull

/*
 * The build id among these ELF notes (a segment or section of type NOTE, or its beginning): at most `most` bytes of it
 * go to `out`. How many; 0: there is none, or the notes are damaged before it.
 */
uint32_t gc_build_id(const void *notes, size_t bytes, void *out, uint32_t most);
/* Goes on from `mark` (GC_MARK_BEGIN first) with some of the program headers, in order. */
uint64_t gc_mark(uint64_t mark, const void *headers, size_t bytes);

#endif
