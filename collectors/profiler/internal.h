/*
 * collectors/profiler/internal.h - what the files of the counting collector share
 *
 * Runs      inside the traced program, when gputap run was asked for counters and on no other day.
 *
 *   collector.c  one launch at a time: the gate, the time limit
 *   choose.c     which launches
 *   passes.c     what earlier runs of the program counted of the same launches
 *   range.c      ranges of the program, where these are counted
 *   session.c    CUPTI's range profiler in one context; opens and closes the sessions of the others
 *   sampling.c   CUPTI's sampling of the program counter, in a run of the program that does nothing else
 *   pm.c         CUPTI's sampling of performance monitors, in such a run
 *   sass.c       counts by instruction, of code that CUPTI instruments, in such a run
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_PROFILER_INTERNAL_H
#define GPUTAP_COLLECTORS_PROFILER_INTERNAL_H

#include "collectors/counting.h"
#include "collectors/cupti_answer.h"
#include "trace/format/counters.h"
#include "trace/format/passes.h"
#include "trace/format/samples.h"
#include "trace/write/options.h"
#include "trace/write/room.h"
#include "trace/write/scratch.h"
#include "trace/write/stream/stream.h"
#include "trace/write/sys.h"
#include "trace/write/tls.h"

/* ---- choose.c: in the constructor; then whether --kernel-name, --nvtx-include and their kin choose it. Counts it. */
struct tap_profiler_choice { uint32_t order, entry; };  /* as in the record; entry: UINT32_MAX none */
void tap_profiler_choose_prepare(void);
bool tap_profiler_chosen(const struct tap_counting_launch *l, struct tap_profiler_choice *c);

/* The range that --nvtx-include chooses in this thread now, and its name; shared: one that was started. */
bool tap_profiler_range_fits(const char **name, size_t *bytes, bool *shared);
bool tap_profiler_range_chosen(const struct tap_counting_launch *l, struct tap_profiler_choice *c);
bool tap_profiler_range_by_nvtx(void);

/* ---- range.c: by the holder of the gate. *gone: nothing will be counted in this process. */
void tap_profiler_range_changed(bool *gone);
void tap_profiler_range_of_program(bool begins, bool *gone);
void tap_profiler_range_left(void);      /* its context ends */
void tap_profiler_range_lost(void);      /* the program ends: counts it, and calls nothing of CUDA */

/* ---- passes.c: in a run behind the first one. False: the file is not there, or not sound. */
bool tap_profiler_passes_open(void);
bool tap_profiler_passes_are_open(void);
/* Number of the launch that this one is; UINT32_MAX: the first run did not count it. */
uint32_t tap_profiler_pass_find(const struct tap_counting_launch *l, uint32_t order);
/* Its image; false: it is not of that size, or cannot be read. */
bool tap_profiler_pass_load(uint32_t entry, void *to, size_t bytes);

/* ---- session.c: all by the thread that holds the gate, but for stop. */
/* NULL: not found, or not sound. */
bool tap_profiler_library(void *handle, uint32_t version);
bool tap_profiler_counts_ranges(void);
/* The context of this thread and its device; false: it has none. */
bool tap_profiler_here(struct tap_counting_launch *l);
/* The launch that follows is counted. False: it is not; *gone: none will be in this process. */
bool tap_profiler_begin(const struct tap_counting_launch *l, uint32_t entry, bool *gone);
/* It is over. keep: its counters go into the trace, unless they are not what they should be. */
void tap_profiler_end(const struct tap_counting_launch *l, const struct tap_profiler_choice *c, bool keep);
void tap_profiler_leave_context(void *context);
/* By another thread, while a counted launch, or what it launched, does not come back. */
void tap_profiler_stop(void);

/* Both tell why nothing is counted in this process, and count it. False. */
bool tap_profiler_refuse(unsigned f, int err);
bool tap_profiler_refuse_because(const char *why);
/* CUPTI's numbers */
enum tap_profiler_use { TAP_PROFILER_RANGES, TAP_PROFILER_PC_SAMPLING, TAP_PROFILER_SASS, TAP_PROFILER_PM_SAMPLING };
bool tap_profiler_device_can(uint32_t device, enum tap_profiler_use use);
enum rec_apart tap_profiler_class(void); /* of this run */
/* Names, each behind the zero of the one before, as a list of their addresses; NULL: no memory. */
const char **tap_profiler_list(const char *names, uint32_t n);
void tap_profiler_list_free(const char **list, size_t n);
/* What there is of a launch: as in the record. */
struct tap_profiler_found { uint32_t image, ranges, dropped; uint64_t id[2], bytes; };
void tap_profiler_record(const struct tap_counting_launch *l, const struct tap_profiler_choice *c,
	const struct tap_profiler_found *found);

/*
 * Until what was launched into the stream is done; meanwhile (or NULL) is called again and again, at once where it says
 * that it has more to do. False: the time limit was faster. Its context is not waited for: that would end a capture of
 * another thread.
 */
bool tap_profiler_wait(void *stream, bool (*meanwhile)(void));

/* What is common to the sessions of all ways, and first in each. One is open at a time; all zero: none. */
struct tap_profiler_session {
	void *context, *room;           /* of the launch that opened it; memory of its way, which is zero at first */
	uint32_t device;
};

/*
 * What a run of the program does instead of counting ranges: it cannot share a process with these. open to close are
 * called with its session, whose common part is filled in; where open or start is refused, close follows.
 */
struct tap_profiler_way {
	const char *things;             /* for notes: "no THINGS: why" */
	bool needs_profiler;            /* calls tap_profiler_chip */
	bool of_device;                 /* a session is one of the device, else of a context */
	const char *since;              /* the first CUDA that has all of it, "12.8's"; NULL: 12.6's, as of ranges */
	struct tap_profiler_session *session;
	size_t session_bytes, room_bytes;
	/* NULL, or the name of a function that CUPTI lacks. */
	const char *(*library)(void *handle, void *driver);
	bool (*open)(const struct tap_counting_launch *l);
	bool (*start)(void);
	void (*end)(const struct tap_counting_launch *l, const struct tap_profiler_choice *c, bool keep);
	void (*close)(void);            /* what CUPTI has of it */
};
/* Functions of CUPTI by their numbers, for `library`. NULL, or the name of the first one that it lacks. */
const char *tap_profiler_find(void *handle, const uint8_t *functions, unsigned n);
/* ANSWER1: the only way to call one that was found. Calls of the program inside that one are none of its own. */
int tap_profiler_call(unsigned f, void *params);
/* Once for each function: what is missing because of the last refusal, with its result. Who calls counts it. */
void tap_profiler_say_lost(const char *lost);
/* The place of a function, which is added without a name where it is not there yet; `most`: there is no room. */
uint32_t tap_profiler_function(
	struct rec_samples_function *all, uint32_t most, uint32_t *n, uint64_t crc, uint32_t index);
/* Behind the *used bytes of texts, with its zero. Where it is then; 0, the empty one's place: there is no room. */
uint32_t tap_profiler_add_text(char *texts, uint32_t room, uint32_t *used, const char *text);
extern const struct tap_profiler_way tap_profiler_samples;      /* sampling.c */
extern const struct tap_profiler_way tap_profiler_pm_sampling;  /* pm.c */
extern const struct tap_profiler_way tap_profiler_sass;         /* sass.c */
/* CUPTI's profiler is initialised, if it was not; then the chip of the device. NULL: refused, which was told. */
const char *tap_profiler_chip(uint32_t device);
/* What the plan has for a way, of a chip; NULL: nothing. Its offsets are from the plan. */
const struct rec_counters_image *tap_profiler_planned(enum rec_apart class, const char *chip,
	const struct rec_counters **plan);

#endif
