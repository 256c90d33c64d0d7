/*
 * interpose/child_environment.h - what a program that this one starts is, and the environment by which it is followed
 *
 * The application's environment is never written to. Where the program needs another list of libraries than stands in
 * it, the child gets a copy of the array with that line exchanged.
 *
 *	struct tap_child c;
 *
 *	tap_child_look(&c, AT_FDCWD, path, env);
 *	real(path, argv, tap_child_environment(&c));
 *	tap_child_forget(&c);
 *
 * CHILD1  Whoever starts a program may be a child of vfork, which never comes back from an exec that succeeds: nothing
 *         is held then but one mapping, which the thread's next start takes over.
 * CHILD2  What the shim's own process keeps in its environment is what every program needs; what one program needs
 *         (AddressSanitizer's runtime, the audit module and the room that it costs) is added for that one, and taken
 *         out again in it.
 * CHILD3  What an image that records starts is awaited: before the start a mark is made in the run's directory, whose
 *         number stands in the program's environment, and the program's constructor, or a failed start, takes it away.
 *         A mark that stays is of a program that was to be followed and of which nothing was heard.
 *
 * Runs      in the calling thread, between fork or vfork and exec too; in the constructor (init).
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_CHILD_ENVIRONMENT_H
#define GPUTAP_INTERPOSE_CHILD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/plain/audit.h"
#include "common/plain/preloads.h"
#include "common/plain/program.h"
#include "trace/write/process.h"

/* Variables of the dynamic linker, and our own. */
enum tap_list { TAP_PRELOAD, TAP_AUDIT, TAP_TUNABLES, TAP_LINKER_LISTS, TAP_AWAITED = TAP_LINKER_LISTS, TAP_LISTS };

struct tap_child {
	struct gc_program program;
	struct tap_started started;     /* for who tells of it */
	char *const *env;
	const char *value[TAP_LISTS];   /* NULL: not set */
	bool sets[TAP_LISTS];
	const char *auditor;            /* the audit module's path, NULL: without */
	enum gc_audit audit;            /* whether it can go there */
	bool arranges_audit;
	enum gc_ours ours;
	uint64_t tls_bytes;             /* static thread-local storage beside the audit module */
	struct tap_awaited awaited;     /* CHILD3 */
	size_t lines;                   /* of env */
	size_t bytes;                   /* of its copy, 0: env as it is */
	void *mapped;
};

/* Constructor: this process' own environment becomes what each program needs (CHILD2). */
void tap_child_init(void);

/* path: as execveat takes it; "": `dir` is the file. */
void tap_child_look(struct tap_child *c, int dir, const char *path, char *const *env);
/* As execvp finds the file, by this process' PATH. */
void tap_child_search(struct tap_child *c, const char *file, char *const *env);

/* env itself where nothing changes, or where there is no room for a copy. */
char *const *tap_child_environment(struct tap_child *c);
/* The start failed: nobody is awaited. */
void tap_child_not_started(struct tap_child *c);
void tap_child_forget(struct tap_child *c);

/* This image was preloaded by its environment, and one with this environment would not be. */
bool tap_exec_cleans(char *const *env);

#endif
