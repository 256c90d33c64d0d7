/*
 * cli/perf/internal.h - what the files of the sampler share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_PERF_INTERNAL_H
#define GPUTAP_CLI_PERF_INTERNAL_H

#include <stddef.h>

#include "cli/perf/perf.h"
#include "common/memory.h"
#include "common/map.h"
#include "trace/format/rec.h"

#define GT_PERF_FRAMES 127u               /* the kernel's own limit (kernel.perf_event_max_stack) */
#define GT_PERF_PATH 4096u

enum gt_perf_kind {
	GT_PERF_SAMPLE, GT_PERF_SWITCH, GT_PERF_FORK, GT_PERF_EXIT, GT_PERF_EXEC, GT_PERF_NAME, GT_PERF_MAP,
	GT_PERF_LOST, GT_PERF_WAKING, GT_PERF_TRACEPOINT, GT_PERF_OTHER
};

/* One event of the kernel, read from its bytes. Pointers lead into the spool's memory, until the next event. */
struct gt_perf_event {
	enum gt_perf_kind kind;
	uint32_t pid, tid, cpu;
	uint64_t ns;                      /* CLOCK_MONOTONIC */
	uint32_t parent_pid, parent_tid;  /* FORK */
	bool in, preempted;               /* SWITCH */
	uint64_t period;                  /* SAMPLE: ns, or cycles */
	const uint64_t *frames; uint32_t n_frames;       /* SAMPLE: the program's own, innermost first */
	bool unwound, stopped, guessed;   /* SAMPLE: frames are not by frame pointers; not all; not all for sure */
	const uint64_t *registers;        /* SAMPLE: copies, with --sample-stacks=copy; NULL: none */
	const char *stack; uint64_t stack_bytes;         /* from the stack pointer on */
	uint64_t lost; bool of_tracepoints;       /* LOST: events; from a ring of tracepoints */
	const char *raw; uint32_t raw_bytes;      /* TRACEPOINT: the event as the kernel wrote it */
	uint32_t woken;                   /* WAKING: tid of the thread that can run now */
	bool interrupted;                 /* WAKING: by an interrupt, whichever thread it met */
	uint64_t start, end, offset;      /* MAP: of executable pages */
	const uint8_t *id; uint32_t id_bytes;            /* MAP: build id, when the kernel tells it */
	const char *text;                 /* MAP: path; NAME, EXEC: name of the thread */
};

/* ---- spool.c ---- */

struct gt_perf_spool;
struct gt_perf_spool *gt_perf_spool_new(const char *folder);
/* What ring number `ring` held: whole events, in the order of their times. False: the disk is full, or the like. */
bool gt_perf_spool_add(struct gt_perf_spool *s, unsigned ring, const void *data, size_t bytes);
/* From the beginning, in the order of time. sample_type: of all rings. */
bool gt_perf_spool_rewind(struct gt_perf_spool *s, uint64_t sample_type);
/* Rings from this number on have nothing but wakings, whose raw content has the woken thread's tid at `place`. */
void gt_perf_spool_wakings(struct gt_perf_spool *s, unsigned first, unsigned place);
/* Rings from this number on have nothing but events of tracepoints. */
void gt_perf_spool_tracepoints(struct gt_perf_spool *s, unsigned first);
bool gt_perf_spool_next(struct gt_perf_spool *s, struct gt_perf_event *e);
void gt_perf_spool_free(struct gt_perf_spool *s);

/* ---- maps.c ---- */

struct gt_perf_map { uint64_t start, end, offset; const struct gt_perf_file *file; uint32_t module; };
struct gt_perf_maps { GT_LIST(struct gt_perf_map) at; };       /* sorted, none overlaps another */

struct gt_perf_segment { uint64_t offset, bytes, address; bool executable; char *content; };
/* A file that was mapped, once for all processes. */
struct gt_perf_file {
	const char *path;
	uint32_t id_bytes; uint8_t id[REC_MODULE_ID_WORDS * 8];          /* as the kernel told it */
	bool looked;
	uint32_t own_bytes; uint8_t own_id[REC_MODULE_ID_WORDS * 8];     /* as the file has it now */
	GT_LIST(struct gt_perf_segment) segments;        /* content: read once asked for; NULL */
	uint64_t table;                   /* address of its .eh_frame_hdr; 0: none */
};
/* Sorted unwind tables of a file, by its own addresses. */
struct gt_perf_table { uint64_t header, entries, count; };
struct gt_perf_files { GT_LIST(struct gt_perf_file *) all; struct gt_map map; };

const struct gt_perf_file *gt_perf_file_of(struct gt_perf_files *f, const struct gt_perf_event *e);
void gt_perf_files_free(struct gt_perf_files *f);
bool gt_perf_maps_add(struct gt_perf_maps *m, const struct gt_perf_event *e, const struct gt_perf_file *file);
bool gt_perf_maps_copy(struct gt_perf_maps *to, const struct gt_perf_maps *from);
struct gt_perf_map *gt_perf_maps_find(struct gt_perf_maps *m, uint64_t address);
void gt_perf_maps_free(struct gt_perf_maps *m);
/* What is added to addresses of the file to get those of the process. */
uint64_t gt_perf_bias(const struct gt_perf_map *m);
/* False: it has none that is sorted. */
bool gt_perf_table_of(const struct gt_perf_map *m, struct gt_perf_table *t);
/* What stands at an address of the file; behind its end there are zeros. */
bool gt_perf_file_read(const struct gt_perf_file *f, uint64_t address, void *to, size_t bytes);
/* The build id of the object: as the kernel told it, else the file's. */
const uint8_t *gt_perf_id(const struct gt_perf_map *m, uint32_t *bytes);

/* ---- delay.c ---- */

/* Of one thread, from its beginning on. */
struct gt_perf_reading { uint32_t pid, tid; uint64_t ns, ran_ns, delay_ns, turns; };
struct gt_perf_delay;
struct gt_perf_delay *gt_perf_delay_new(void);
/* Reads of the process and all that descend from it; not more often than it is worth, but at_once. */
void gt_perf_delay_look(struct gt_perf_delay *d, uint32_t pid, bool at_once);
/* NULL behind the last. */
const struct gt_perf_reading *gt_perf_delay_reading(const struct gt_perf_delay *d, uint32_t i);
void gt_perf_delay_free(struct gt_perf_delay *d);

/* ---- wakings.c ---- */

/* What the kernel's description of sched_waking says. */
struct gt_perf_wakings { uint64_t id; unsigned place; };
/* NULL, or why nobody can be told here who wakes a thread. */
const char *gt_perf_wakings_find(struct gt_perf_wakings *w);

/* ---- lives.c ---- */

/* A process between its fork or exec and its exec or end. */
struct gt_perf_life {
	uint32_t pid, number;             /* number: in gt_perf_lives.all */
	uint32_t parent;                  /* number of the life that forked it, or UINT32_MAX */
	const char *reason;               /* start, fork, exec */
	uint64_t from_ns, to_ns;          /* to_ns UINT64_MAX: to the end */
	const char *image;                /* path of the program; NULL: not seen */
	uint64_t records;                 /* for which it gets a folder */
	char name[32];                    /* "PID.N" of its folder */
	bool raw;                         /* its ticks are CLOCK_MONOTONIC_RAW */
	bool made_code;                   /* a stack of its samples leads through code that is in no file */
	uint64_t stacks;                  /* samples that have one */
	uint64_t types;                   /* bits: tracepoints that its stream describes */
	struct gt_perf_out *out;          /* while it is written */
	void *space;                      /* unwind.c */
	struct gt_perf_maps maps;
};
struct gt_perf_lives {
	GT_LIST(struct gt_perf_life *) all;
	struct gt_map current;            /* by pid */
	uint32_t replayed;                /* of the second pass: lives seen so far */
	bool second;
	struct gt_perf_life **sorted; uint32_t n_sorted;        /* gt_perf_lives_at: by process, then time */
	uint64_t looked;                  /* lives that it looked at: what it costs, for a test */
};
/*
 * The life that an event belongs to: made, or in a second pass over the same events found again. NULL: no memory, or of
 * no process.
 */
struct gt_perf_life *gt_perf_lives_step(struct gt_perf_lives *l, const struct gt_perf_event *e);
/* The life that this process is in; NULL: none is known. */
struct gt_perf_life *gt_perf_lives_of(const struct gt_perf_lives *l, uint32_t pid);
/*
 * The life of this process at this time, once all events were stepped through: the last that began by then, if it has
 * not ended for longer than `slack`. NULL: none.
 */
struct gt_perf_life *gt_perf_lives_at(struct gt_perf_lives *l, uint32_t pid, uint64_t ns, uint64_t slack);
void gt_perf_lives_again(struct gt_perf_lives *l);
void gt_perf_lives_free(struct gt_perf_lives *l);

/* ---- out.c ---- */

struct gt_perf_out;
struct gt_perf_out *gt_perf_out_new(const char *folder, uint32_t pid);
/* A record: words behind its header. Its offset in the file; 0: it could not be written. */
uint64_t gt_perf_out_add(struct gt_perf_out *o, uint32_t type, int32_t result, const uint64_t *words, uint32_t n);
/* Counts a loss in the stream's control page. */
void gt_perf_out_lost(struct gt_perf_out *o, enum rec_loss reason, uint64_t n);
/* Where a stack with this hash stands already; *fresh: nowhere, and its offset is to be put there. NULL: no memory. */
uint64_t *gt_perf_out_stack(struct gt_perf_out *o, uint64_t hash, bool *fresh);
uint32_t gt_perf_out_module(struct gt_perf_out *o);      /* the next number */
/* The tail to the disk, and everything freed. False: something was not written. */
bool gt_perf_out_close(struct gt_perf_out *o);

#endif
