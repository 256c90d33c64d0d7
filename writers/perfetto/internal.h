/*
 * writers/perfetto/internal.h - what the files of the Perfetto writer share
 *
 *   perfetto.c   the file: clocks, items in order, forecast
 *   tracks.c     descriptors, lanes, slices
 *   samples.c    samples of the processors, with their stacks
 *   monitors.c   samples of performance monitors, as counters
 *   annotate.c   what an event says beside its name
 *   intern.c     texts by number
 *   proto.c      protocol buffers
 *   fields.def   numbers of fields
 *
 * PERFETTO1  On each track packets stand in the order of time, and slices nest: what would overlap without nesting, or
 *            begins before what is written already, goes to another lane.
 * PERFETTO2  A packet that names a text by number carries it, or an earlier packet does since the state was cleared.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_PERFETTO_INTERNAL_H
#define GPUTAP_WRITERS_PERFETTO_INTERNAL_H

#include "model/arena.h"
#include "model/timeline.h"
#include "writers/output.h"
#include "writers/perfetto/intern.h"
#include "writers/perfetto/proto.h"
#include "writers/writer.h"

enum gt_perfetto_field {
#define FIELD(message, field, number) PF_##message##_##field = (number),
#include "writers/perfetto/fields.def"
#undef FIELD
};

#define PF_SEQUENCE 1u                    /* one sequence of packets: ours */
#define PF_CLOCK 64u                      /* session ns: the first of the clocks that a sequence may define */
enum { PF_CLOCK_REALTIME = 1, PF_CLOCK_MONOTONIC = 3 };
enum { PF_STATE_CLEARED = 1, PF_STATE_NEEDED = 2 };
enum { PF_SLICE_BEGIN = 1, PF_SLICE_END = 2, PF_INSTANT = 3, PF_COUNTER = 4 };
enum { PF_UNIT_COUNT = 2, PF_UNIT_BYTES = 3 };
enum { PF_MERGE_BY_KEY = 3 };

/* A row of slices that nest. */
struct pf_lane {
	uint64_t uuid;
	int64_t last_ns;                  /* of the last packet on it */
	int64_t *ends; uint32_t n, room;  /* of slices that are open, outermost first; INT64_MAX never ends */
};
struct pf_track { struct pf_lane *lanes; uint32_t n, room; bool told; };

struct pf {
	const struct gt_export *x;
	struct gt_model *m;
	struct gt_timeline *t;
	struct gt_cuda *cuda;
	const struct gt_enum *errors;     /* names of OpenCL's codes; NULL */
	struct gt_text *to;               /* of the file */
	struct gt_intern intern;
	struct gt_text scratch;           /* of values that are put together */
	struct gt_string *stacks;         /* texts of call stacks, by number; NULL: none was shown */
	struct gt_arena stack_texts;
	struct gt_wait_list *waits;       /* who ended which; NULL: none was */
	struct pf_track *tracks; uint32_t n_tracks;
	uint64_t next_uuid;
	int64_t min_ns;                   /* --min-dur; 0 */
	bool failed;                      /* out of memory */
	uint64_t items, slices, untimed, left_out;
};

/* ---- packets (perfetto.c) ---- */

/* An event's packet, up to its TrackEvent: `event` is its place. */
struct pf_event { size_t packet, event; };
struct pf_event pf_event_begin(struct pf *p, int64_t at_ns, uint64_t uuid, unsigned type);
void pf_event_end(struct pf *p, struct pf_event e);
/* Before a packet that names by number: the numbers begin anew when they are too many. */
void pf_make_room(struct pf *p);
size_t pf_packet_begin(struct pf *p);
void pf_packet_end_named(struct pf *p, size_t packet); /* PERFETTO2 */

/* ---- samples.c ---- */
void pf_sample(struct pf *p, const struct gt_item *item);
void pf_sample_defaults(struct pf *p);

/* ---- monitors.c: samples of performance monitors. 0, or -1 with *err. ---- */
int pf_monitors(struct pf *p, struct gt_err *err);

/* ---- tracks.c ---- */

/* The lane for a slice, told to the reader by then; NULL: out of memory. What has ended by start_ns is closed. */
struct pf_lane *pf_lane_for(struct pf *p, uint32_t track, int64_t start_ns, int64_t end_ns);
/* The track's first lane, for instants and counters at that time. */
struct pf_lane *pf_lane_first(struct pf *p, uint32_t track, int64_t at_ns);
bool pf_lane_open(struct pf_lane *lane, int64_t start_ns, int64_t end_ns);
/* Ends everything that is open. */
void pf_lanes_finish(struct pf *p);
void pf_tracks_free(struct pf *p);
uint64_t pf_track_own(struct pf *p, const char *name);        /* a track of the writer's own; its uuid */

/* ---- annotate.c ---- */
void pf_annotate(struct pf *p, const struct gt_item *item);
void pf_note_u64(struct pf *p, const char *name, uint64_t v);
void pf_note_i64(struct pf *p, const char *name, int64_t v);
/* A text that is likely to come again; of any length otherwise. */
void pf_note_value(struct pf *p, const char *name, const char *text, size_t bytes);
void pf_note_text(struct pf *p, const char *name, const char *text, size_t bytes);

#endif
