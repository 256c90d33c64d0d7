/*
 * interpose/loader.h - the OpenCL libraries of this process, and who calls which
 *
 * A loader is a loaded object that exports clGetPlatformIDs: an ICD loader, a driver used directly, an application's
 * own forwarding library. Each gets a table of its functions when it is first seen; the first TAP_ROUTES tables are
 * tap_route[], which have wrapper instances of their own. Slow paths only, except tap_opencl_real
 * (interpose/routes.h).
 *
 * Runs      on any thread; inside dlsym; inside the dynamic linker for the audit module.
 * Must not  allocate, lock (but for the loader's own lock in dl_iterate_phdr), change errno, leave a dlerror message.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_LOADER_H
#define GPUTAP_INTERPOSE_LOADER_H

#include <stdbool.h>

#include "interpose/elf.h"
#include "opencl_entries.h"

/*
 * The wrapper instance that leads to `real`, which a look-up of e->name found; `real` itself when that is no business
 * of ours: the library is no OpenCL loader, one OpenCL library looks into the driver below it, or there are more
 * loaders than instances (counted).
 */
void *tap_loader_wrapper(const struct tap_entry *e, void *real, const void *caller);

/* For a function pointer that a driver gave out: the wrapper of the loader that exports this very function, or NULL. */
void *tap_loader_exported(const struct tap_entry *e, const void *real);

/*
 * What a reference to e->name from the caller would have been bound to without us, in global or local scope; or NULL.
 */
void *tap_loader_in_scope(const struct tap_entry *e, const void *caller);

/* Is the library around this address one whose callers have been given our wrappers? */
bool tap_loader_is_known(const void *address);

/* After a dlclose: what was found may be gone, what is mapped there now may be something else. */
void tap_loaders_suspect(void);

/* Has a loader come that is called past us? It is counted at once. */
void tap_loaders_look(void);

/* Is this handle of dlopen that of an OpenCL library that the application opened for itself? */
bool tap_loader_is_handle(const void *handle);

/* Is the library behind this table still mapped? */
bool tap_opencl_loaded(const struct tap_opencl_api *api);

/* The same of the loader that took us as a layer. layer.c */
bool tap_layer_loaded(void);

/* Has this loader asked for our table? Then it is served, or was counted as missed when it did. layer.c */
bool tap_layer_was_asked(const struct tap_object *o);

/* What collectors are given of this folder. dlsym.c */
struct tap_way_in;
void tap_way_in_fill(struct tap_way_in *way);

/* Is another copy of this library there that came first? Then this one only forwards. */
bool tap_second_copy(void);
void tap_second_copy_steps_aside(void);

/* The start, unless it was made. Wherever a program may come in before our constructor has run. start.c */
void tap_start(void);

#endif
