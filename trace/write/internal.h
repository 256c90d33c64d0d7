/*
 * trace/write/internal.h - what the files of trace/write share among themselves, and nobody else
 *
 * Runs      inside the traced program, on slow paths.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_INTERNAL_H
#define GPUTAP_TRACE_WRITE_INTERNAL_H

#include <pthread.h>

#include "trace/write/options.h"
#include "trace/write/process.h"
#include "trace/write/scratch.h"
#include "trace/write/stream/reserve.h"
#include "trace/write/sys.h"
#include "trace/write/text.h"
#include "trace/write/tls.h"

/* ---- chunk.c: signals are blocked by the caller ---- */

/* Opens file K with its control page and first chunk. False: no room (*why = the loss). */
bool tap_chunk_first(struct tap_stream *s, enum rec_loss *why);
/* Counters by enum rec_loss in a file of their own, number K; NULL: no room for a page. */
uint64_t *tap_chunk_counts(uint32_t number);
/* Makes the next chunk the open one; the rest of the old one becomes PAD. */
bool tap_chunk_next(struct tap_stream *s, enum rec_loss *why);
/* Moves into the next 64 KiB block of the open chunk; false when this was the last. Signals need not be blocked. */
bool tap_chunk_next_block(struct tap_stream *s);
/* Does a part of the next switch now, if the open chunk has come to the block for it. Signals are blocked. */
void tap_chunk_prepare(struct tap_stream *s);
/* True when there is something for tap_chunk_prepare to do. */
bool tap_chunk_prepares(const struct tap_stream *s);
/*
 * For contents (blob.c), in the file of the calling thread's stream *s (with --ring the one beside it, *s then): its
 * descriptor, which the caller closes, or -1.
 */
int tap_chunk_blobs_file(struct tap_stream **s, enum rec_loss *why);
/* The stream leaves its file as it is; the open chunk stays mapped until the next switch (STREAM4). */
void tap_chunk_leave_file(struct tap_stream *s);
/* Replaces the stream's mappings by private memory (forked child). */
void tap_chunk_blank(struct tap_stream *s);
extern uint64_t tap_chunk_file_end TAP_HIDDEN;

/* ---- move.c: signals are blocked by the caller ---- */

bool tap_stream_move(struct tap_stream *s, enum rec_loss *why);
/* The stream's file, or that of another number which it goes on in: s->number tells. The caller closes it; -1. */
int tap_stream_reopen(struct tap_stream *s, enum rec_loss *why);

/* ---- space.c: signals are blocked by the caller ---- */

/* Files by their number: a descriptor, which the caller closes, or -errno. */
int tap_space_open(uint32_t number);
int tap_space_make(uint32_t number);
int tap_space_file(uint32_t number);     /* as tap_space_open; -1 where a seccomp filter forbids it */
void tap_space_remove(uint32_t number);  /* one that could not be opened as a whole */
bool tap_space_out_of_reach(int err);    /* the error of one that this user may not open */
void tap_space_removed(void);            /* a loss tells of one that somebody else removed */
uint32_t tap_space_files_removed(void);  /* files that somebody else removed, as far as no loss tells of them */

bool tap_space_inside_limit(uint64_t end);
/* Whether stores into allocated space may fail on this file system. */
bool tap_space_may_fail(int fd);
/* Room at `at`, not counted: 0 or -errno. */
long tap_space_try(int fd, uint64_t at, uint64_t bytes);
/* ... counted against --max-size, which over_size lets it pass; false: *why. Bytes that went back are uncounted. */
bool tap_space_take(int fd, uint64_t at, uint64_t bytes, bool over_size, enum rec_loss *why);
void tap_space_uncount(uint64_t bytes);
uint64_t tap_space_counted(void);
/* ... in the stream's own file, as far as there is none yet. */
bool tap_space_allocate(struct tap_stream *s, int fd, uint64_t at, uint64_t bytes, enum rec_loss *why);
/* ... for contents (blob.c): at *offset. */
bool tap_space_blobs(struct tap_stream *s, int fd, uint64_t bytes, uint64_t *offset, enum rec_loss *why);
/* A hole; the hole filled again, not counted. */
bool tap_space_punch(int fd, uint64_t at, uint64_t bytes);
bool tap_space_refill(int fd, uint64_t at, uint64_t bytes);
void tap_space_notes(void);              /* says once what does not work here; not during a chunk switch */
void tap_space_forget(void);             /* new process: what was made and counted is the parent's */

static inline uint64_t tap_round_up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

/* ---- tally.c ---- */

void tap_tally_file(struct rec_control *control);        /* a stream file is there, its page opened */
void tap_tally_again(struct rec_control *control);       /* ... other files came while nobody knew of this page */
/* A chunk's header stands in the file of that page; `end`: the offset behind it. Any thread. */
void tap_tally_chunk(struct rec_control *control, uint64_t end);
void tap_tally_used(struct tap_stream *s);               /* by the holder: records stand up to s->used */
void tap_tally_ends(void);                               /* the image ends */
void tap_tally_facts(uint64_t meta_bytes);
void tap_tally_run(uint64_t bytes);                      /* `run` is that long, at least */
void tap_tally_forget(void);                             /* new process */

/* ---- ring.c ---- */

static inline bool tap_ring(void) { return tap_options.ring && tap_options.max_size; }
/*
 * A place in the stream's file for a new chunk of calls: the oldest one's. *calls: what it and those before it there
 * held.
 */
bool tap_ring_take_oldest(struct tap_stream *s, int fd, uint64_t *place, uint64_t *calls);
/* The chunk, whose image is here, is left for another: counts its calls. */
void tap_ring_leave(struct rec_chunk *image);
/* The stream has one place more. */
void tap_ring_add(struct tap_stream *s, uint64_t place);
/* The stream that holds records of this type: not overwritten by the ring, or s itself. */
struct tap_stream *tap_ring_stream(struct tap_stream *s, uint32_t id);

/* ---- pool.c: signals are blocked by the caller ---- */

struct tap_stream *tap_pool_take(void);                  /* one that no thread holds; NULL: there is none */
struct tap_stream *tap_pool_new(enum rec_loss *why);     /* with a file of its own; NULL: no room, and why */
void tap_pool_give(struct tap_stream *s);
void tap_pool_forget(void);              /* new process */
uint32_t tap_stream_take_number(void);   /* of a new file */
uint32_t tap_stream_places(void);        /* for streams; of each: */
struct tap_stream *tap_stream_in(uint32_t place);        /* NULL: none stands there */

/* ---- stream.c ---- */

/* A stream that no thread will hold, for a file of another kind. Signals are blocked. NULL: no room. */
struct tap_stream *tap_stream_new_file(enum rec_loss *why);
/* A THREAD record of the holder; flags: enum rec_thread. */
void tap_stream_record_thread(struct tap_stream *s, uint32_t flags);
/* The stream that a thread of this process holds; NULL: none. */
struct tap_stream *tap_stream_of(uint32_t tid);

enum tap_room { TAP_ROOM_CALL, TAP_ROOM_OTHER, TAP_ROOM_DEVICE };
uint64_t *tap_stream_reserve_slow(struct tap_stream *s, uint32_t words, uint64_t *link, enum tap_room what);
void tap_clock_record(void);
/* Last words of the image: nothing is recorded from here on. */
void tap_gate_close(int why);
extern pthread_key_t tap_thread_key TAP_HIDDEN;      /* made by the constructor; destructor: tap_stream_thread_exit */
extern bool tap_thread_key_made TAP_HIDDEN;
uint64_t tap_lost_nowhere(void);         /* how much was counted that no file holds */
/*
 * What was counted nowhere, less what marks tell, goes to a page of the parent's if this process has no image of its
 * own, or to the run's. False: none is mapped.
 */
bool tap_lost_to_page(uint64_t told);
void tap_streams_forget(void);           /* new process: nothing of the parent's is ours */

/* ---- names.c ---- */

#define TAP_USUAL_PRIORITY 20            /* the kernel's, of nice 0: holds for a thread where nothing is said */
/* By the holder: a THREAD_NAME record if it has not the name that the trace says; ends: or not the priority. */
void tap_names_look(struct tap_stream *s, bool ends);
void tap_names_look_at_all(void);        /* the image ends: all its threads, those without a stream too */

/* ---- blob.c ---- */

void tap_blobs_forget(void);             /* fork: the child's trace directory holds none yet */

/* ---- lostpage.c ---- */

void tap_lost_page_map(void);            /* before a seccomp filter that may forbid it; once per process */
bool tap_lost_page_find(char path[TAP_PATH_MAX]); /* maps the launcher's; signals are blocked. path: for its name */
void tap_lost_page_forget(void);         /* fork */
void tap_lost_page_told(size_t bytes);   /* so many more stand in `run`, for the launcher; signals are blocked */
uint64_t *tap_lost_page(void);           /* counters by enum rec_loss, any thread's; NULL: not mapped */

/* ---- run*.c; what they share among themselves: run.h ---- */

/* Where this image stands. `dir` is valid when state is OPEN. */
enum tap_run_state { TAP_RUN_NONE = 0, TAP_RUN_OPENING, TAP_RUN_OPEN };
/*
 * Opens the image's directory once, whoever comes first; true when there is one. After a failure it may be called
 * again. Signals are blocked by the caller.
 */
bool tap_run_open(void);
const char *tap_run_image_dir(void);     /* .../NAME.gputap/PID.N, or "" */
const char *tap_run_first_dir(void);     /* what it was before tap_run_image_move */
const char *tap_run_dir(void);           /* .../NAME.gputap, or "" */
/* The image's directory cannot be reached any more: true when it has another one by now, for new files. */
bool tap_run_image_move(void);
/* run/marks.c */
void tap_run_count_unrecorded(void);     /* one more call went nowhere: something says so that a kill leaves */
/* What went nowhere comes into a page; signals are blocked. Returns how many of these calls `run` tells already. */
uint64_t tap_run_count_adopted(void);
uint64_t tap_run_count_owed(void);       /* a call that a reader counts no more, now that the image has a stream */
void tap_run_count_forget(void);         /* fork: it is the parent's */
void tap_run_say_unrecorded(void);       /* at the end: how many calls went nowhere */
/* Under a launcher, of an image that recorded nothing: what it starts, unless that is followed. */
void tap_run_say_started(const struct tap_started *started);
/* The same while it is made: a mark that is removed again. 0: there is none. */
uint64_t tap_run_mark_unfollowed(enum tap_fate fate);
void tap_run_unmark_unfollowed(enum tap_fate fate, uint64_t mark);
/* Of a program that is awaited. remove: heard is true where it is by that program, which may be out of reach. */
bool tap_run_mark_awaited(struct tap_awaited *a);
void tap_run_unmark_awaited(struct tap_awaited a, bool heard);
/* At the end: the image's own directory is not where it was. */
void tap_run_check_image(void);
/* The trace does not stand where it was asked for: a note. */
void tap_run_notes(void);
bool tap_run_find(void);                 /* the run's directory if any image of it made one; for the root's exit */
/* Constructor: who is the root of this run, and the environment that children find it by. */
void tap_run_init(void);
bool tap_run_is_launched(void);
bool tap_run_is_root(void);              /* this process is the root image's, and no launcher stands above it */

/* ---- core.c ---- */

void tap_core_image_opened(void);        /* the image has its directory; signals are blocked */

/* ---- process.c ---- */

void tap_process_unrecorded(void);       /* a stream could not be made: the end of the process says what that cost */
void tap_process_opened(void);           /* the image has its directory; by the thread that opened it */

#endif
