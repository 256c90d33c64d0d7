/*
 * common/plain/library_search.h - where the dynamic linker (glibc's) finds a library by its name
 *
 * Runs      in the launcher, and in the traced program between fork and exec.
 * Must not  use the C library, allocate, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_LIBRARY_SEARCH_H
#define GPUTAP_COMMON_PLAIN_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* /etc/ld.so.cache, mapped. */
struct gc_library_cache { const uint8_t *at; size_t bytes; };

void gc_library_cache_open(struct gc_library_cache *c);
void gc_library_cache_close(struct gc_library_cache *c);
/* The path of a library; inside the cache's memory; NULL: it has none of that name for this processor. */
const char *gc_library_cache_find(const struct gc_library_cache *c, const char *name);

/*
 * The next folder of a list ("A:B", also with semicolons), with $ORIGIN replaced, and `name` behind it. False: there is
 * none left. A path that does not fit is "". An empty entry is the current folder.
 */
bool gc_library_next_path(const char **list, const char *origin, const char *name, char *path, size_t room);

/* The n-th folder that is searched last; NULL: there are no more. */
const char *gc_library_usual_folder(unsigned n);

#endif
