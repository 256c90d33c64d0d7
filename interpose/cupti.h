/*
 * interpose/cupti.h - the CUPTI libraries of this process, and wrappers of the functions by which a client takes one
 *
 * Runs      on any thread; inside dlsym; inside the dynamic linker for the audit module.
 * Must not  allocate, lock (but for the loader's own lock in dl_iterate_phdr), change errno, leave a dlerror message.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_CUPTI_H
#define GPUTAP_INTERPOSE_CUPTI_H

#include <stdbool.h>

#include "interpose/elf.h"

/* Number of the function in collectors/cupti/client.def; -1: none of them. */
int tap_cupti_entry(const char *name);

/* Does o implement CUPTI? */
bool tap_object_is_cupti(const struct tap_object *o);

/* The wrapper that leads to `real`, which a look-up of this function found; `real` itself where there is no room. */
void *tap_cupti_wrapper(int entry, void *real, const void *caller);
/* The same for the audit module: `library` defines it. NULL: leave it. */
void *tap_cupti_rebind(int entry, const struct tap_object *library, void *real);

/* What a reference from the caller would have been bound to without us, in global or local scope; or NULL. */
void *tap_cupti_in_scope(int entry, const void *caller);

/* After a dlclose: what was found may be gone. */
void tap_cupti_suspect(void);

#endif
