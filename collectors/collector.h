/*
 * collectors/collector.h - what a collector is: an entry in one table, which the way in walks; and what it is given of
 * the way in
 *
 * A new collector is a folder here, an entry in table.c and its domains in trace/format/domains.def.
 *
 * Runs      inside the traced program; each function says when.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_COLLECTOR_H
#define GPUTAP_COLLECTORS_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every function may be NULL, and keeps errno to itself only where it says so: callers put it back. */
struct tap_collector {
	const char *name;
	uint64_t domains;               /* bits of enum rec_ask; when none is asked for, nothing here is called */
	/* Constructor, options read, nothing can be recorded: what the program and its children find us by. */
	void (*prepare)(void);
	/* Constructor, all prepared. late: the program was running before this library came into it. */
	void (*start)(bool late);
	/* The image ends (enum rec_exit; an exec may fail, and the image goes on): once, before the EXIT record. */
	void (*at_exit)(int kind);
	/*
	 * In a forked child, by the thread that opens its trace, signals blocked: what the parent holds is forgotten.
	 * No driver may be called, no other library: a lock of theirs may be held for ever.
	 */
	void (*fork_child)(void);
};

/* What CUDA's driver and copies of NVTX call when they load this library: interpose/inject.c exports them. */
int tap_cupti_injection(void) __attribute__((visibility("hidden")));
int tap_nvtx_injection(const void *(*get_table)(uint32_t)) __attribute__((visibility("hidden")));

/*
 * A symbol was looked up, so an object may have been loaded before: collectors/stack/objects.c lists it. Takes the
 * dynamic linker's lock, where the C library has no other way; does nothing else, and nothing without call stacks.
 */
void tap_objects_renew(void) __attribute__((visibility("hidden")));

/* table.c: all there are, NULL behind the last. */
extern const struct tap_collector *const tap_collectors[] __attribute__((visibility("hidden")));

/*
 * What lies above: the C library's own functions, which the way in exports wrappers of, and what it knows of libraries.
 * Set by the constructor before `prepare`.
 */
struct tap_opencl_api;
struct tap_way_in {
	void *(*dlsym)(void *handle, const char *name);
	int (*dlclose)(void *handle);
	/* Is the OpenCL library behind this table still mapped? */
	bool (*opencl_loaded)(const struct tap_opencl_api *api);
	/*
	 * Is a library of that name loaded in our namespace? dlopen(RTLD_NOLOAD) of one that is not searches all
	 * folders for it: 90 system calls.
	 */
	bool (*loaded)(const char *name);
	/* Path of the object that holds the address; empty: it is the program's, or nobody's. */
	void (*path_of)(const void *address, char *path, size_t bytes);
	/*
	 * Path of the first object that defines this function, none of ours. False: there is none.
	 */
	bool (*exporter)(const char *function, char *path, size_t bytes);
};
extern struct tap_way_in tap_way_in __attribute__((visibility("hidden")));

#endif
