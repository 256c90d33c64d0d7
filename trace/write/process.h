/*
 * trace/write/process.h - the life of a process image: start, fork, exit, exec, what other parts hook into
 *
 * Runs      in the constructor, in exit handlers and in the wrappers of exit and exec.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_PROCESS_H
#define GPUTAP_TRACE_WRITE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/format/rec.h"
#include "trace/write/tls.h"

extern uint64_t tap_start_tick TAP_HIDDEN;      /* of the image */
extern bool tap_seccomp TAP_HIDDEN;             /* no new kind of system call */

/*
 * The constructor's two halves. Between them others prepare themselves: options are read, nothing can be recorded.
 * start: false when nothing is asked for; then nothing will be recorded.
 */
bool tap_process_start(void);
void tap_process_ready(void);
extern bool tap_ready TAP_HIDDEN;       /* options are read, the run has its name: streams may be opened */

/* The constructor is through: objects that record through gputap_core (core.c) may. */
void tap_core_started(void);

/*
 * A word that is 0 in every process but the one that stored something in it: a fork wipes it, whoever makes the system
 * call (vfork shares it, on purpose). Zero at first; never given back. NULL: all TAP_FORK_WORDS are taken.
 */
uint64_t *tap_fork_word(void);
/* fn runs in each child of fork(), at once; not of other ways to make a process. False: it will not. */
bool tap_at_fork_child(void (*fn)(void));
/* Called in a forked child, by the thread that opens its trace, when that stands; NULL: nobody. */
extern void (*tap_on_fork_child)(void) TAP_HIDDEN;

/* Maps the launcher's page of counters, for what is counted where nothing can be opened any more (run/lostpage.c). */
void tap_lost_page_ahead(void);

/*
 * fn runs once at the end of the image, before the EXIT record: harvest what is complete, wait for nothing. Register at
 * the first need, any thread; at most 8 are kept.
 */
void tap_on_exit(void (*fn)(int kind));

/*
 * As atexit, for what our start sets up. A sanitizer's runtime replaces atexit by a function that ends the program when
 * it is called while that runtime starts; and one of the calls that it makes meanwhile may be our start (-t osrt).
 */
void tap_process_at_exit(void (*function)(void));

/*
 * The image ends now: exit chain, EXIT record, last clock set, conversion. Later calls are forwarded only. Idempotent.
 * Called by the exit handler (NORMAL) and by the wrappers of _exit, _Exit (UNDERSCORE) and quick_exit (QUICK).
 * Nothing happens in a child of vfork or in an image that recorded nothing.
 */
void tap_process_exit(enum rec_exit kind, int status);

/* A program that this one starts, by an exec of its own or as a child, and what becomes of its calls. */
enum tap_fate {
	TAP_FOLLOWED,
	TAP_CLEANED,                    /* nothing loads us in its environment */
	TAP_UNREACHABLE,                /* nothing can be preloaded into it, and it could make calls */
	TAP_STATIC,                     /* nor into this, but no driver can be loaded either: no loss */
	TAP_UNSEEN,                     /* it could not be looked at: perhaps followed */
	TAP_UNAUDITED,                  /* followed, without the audit module that it should have */
};
struct tap_started {
	const char *path;
	const char *program;            /* the same, or what runs that script */
	enum tap_fate fate;
	const char *word, *why;         /* common/plain/program.h: of UNREACHABLE, STATIC; audit.h: of UNAUDITED */
};

/* Before an exec: exit chain, EXEC record, clock set. Nothing is closed: should the call fail, the image goes on. */
void tap_process_exec(const struct tap_started *started);

/* Under a launcher, at the end of an image that recorded nothing: that CUDA's runtime is loaded, by that name. */
void tap_run_say_cuda_runtime(const char *name);

/*
 * Before this image, or a child of it, starts a program that is to be followed: a mark for the time until its first
 * word. mark 0: none is made, since this image records nothing, or none can be.
 */
struct tap_awaited { uint64_t mark; uint32_t pid; };
struct tap_awaited tap_process_await(void);
void tap_process_no_longer_await(struct tap_awaited a);
/* "MARK.PID", as it stands in the environment of who is awaited. */
enum { TAP_AWAITED_BYTES = 32 };
void tap_awaited_write(struct tap_awaited a, char to[TAP_AWAITED_BYTES]);
/* The first word of one that is awaited: when its environment was looked at, and the run has its name. */
extern const char *tap_awaited_as TAP_HIDDEN;
void tap_process_heard(void);

/* A child was started, by other means than this image's own exec, that is not followed. */
void tap_process_unfollowed(const struct tap_started *started);
/* Counts such a child before it is started. False: this image records nothing, so that it is said afterwards. */
bool tap_process_count_unfollowed(enum tap_fate fate);
/* ... and this, meanwhile, that it is made: a mark, to be removed whatever came of it. 0: none can be made. */
uint64_t tap_process_mark_unfollowed(enum tap_fate fate);
void tap_process_unmark_unfollowed(enum tap_fate fate, uint64_t mark);
/* What was counted so, of a child that could not be started. */
void tap_process_take_unfollowed_back(enum tap_fate fate);
/* What is no loss, of a program that was started: for a note. */
void tap_process_started(const struct tap_started *started);

/* The program installed (or is about to install) a seccomp filter: no new kind of system call from here on. */
void tap_seccomp_seen(void);

#endif
