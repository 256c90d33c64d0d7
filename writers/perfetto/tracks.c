/*
 * writers/perfetto/tracks.c - descriptors of tracks, and lanes on which slices nest
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writers/perfetto/internal.h"

/* ---- descriptors ---- */

static void put_process(struct pf *p, const struct gt_track *track)
{
	const struct gt_process *process = gt_model_process(p->m, track->process);
	size_t at = gt_proto_begin(p->to, PF_TrackDescriptor_process);
	char label[64];

	gt_proto_i64(p->to, PF_ProcessDescriptor_pid, process->pid);
	for (size_t i = 0; i < process->n_args; i++)
		gt_proto_string(p->to, PF_ProcessDescriptor_cmdline, process->args[i], strlen(process->args[i]));
	gt_proto_string(p->to, PF_ProcessDescriptor_process_name, track->name.text, track->name.bytes);
	if (process->clock_error_ns >= 0) {
		snprintf(label, sizeof label, "host clock within %lld ns", (long long)process->clock_error_ns);
		gt_proto_string(p->to, PF_ProcessDescriptor_process_labels, label, strlen(label));
	}
	gt_proto_end(p->to, at);
}

static void put_thread(struct pf *p, const struct gt_track *track)
{
	size_t at = gt_proto_begin(p->to, PF_TrackDescriptor_thread);

	gt_proto_i64(p->to, PF_ThreadDescriptor_pid, gt_model_process(p->m, track->process)->pid);
	gt_proto_i64(p->to, PF_ThreadDescriptor_tid, track->tid);
	if (track->name.bytes)
		gt_proto_string(p->to, PF_ThreadDescriptor_thread_name, track->name.text, track->name.bytes);
	gt_proto_end(p->to, at);
}

static void put_counter(struct pf *p, const struct gt_track *track)
{
	size_t at = gt_proto_begin(p->to, PF_TrackDescriptor_counter);

	if (track->unit != GT_UNIT_NONE)
		gt_proto_u64(
			p->to, PF_CounterDescriptor_unit, track->unit == GT_UNIT_BYTES ? PF_UNIT_BYTES : PF_UNIT_COUNT);
	gt_proto_end(p->to, at);
}

/* A queue stands under its device, which several processes may use: its name says whose it is. */
static void put_name(struct pf *p, const struct gt_track *track, bool overlapping)
{
	bool shared = track->parent != GT_NO_TRACK && gt_model_process_count(p->m) > 1 &&
		gt_timeline_track(p->t, track->parent)->kind == GT_TRACK_DEVICE && track->process != UINT32_MAX;

	p->scratch.used = 0;
	gt_text_bytes(&p->scratch, track->name.text, track->name.bytes);
	if (shared) {
		gt_text_lit(&p->scratch, " (pid ");
		gt_text_i64(&p->scratch, gt_model_process(p->m, track->process)->pid);
		gt_text_char(&p->scratch, ')');
	}
	if (overlapping)
		gt_text_str(&p->scratch, p->scratch.used ? " (overlapping)" : "overlapping");
	if (p->scratch.used)
		gt_proto_string(p->to, PF_TrackDescriptor_name, p->scratch.data, p->scratch.used);
}

static uint64_t first_uuid(const struct pf *p, uint32_t track) { return p->tracks[track].lanes[0].uuid; }

/*
 * The first lane of a thread is the thread; others of it stand under it. All lanes of any other track stand side by
 * side, and are one to a reader that merges them.
 */
static void put_descriptor(struct pf *p, const struct gt_track *track, uint64_t uuid, bool first)
{
	bool of_system = track->kind == GT_TRACK_PROCESS || track->kind == GT_TRACK_THREAD;
	size_t packet = gt_proto_begin(p->to, PF_Trace_packet), at;

	gt_proto_u64(p->to, PF_TracePacket_trusted_packet_sequence_id, PF_SEQUENCE);
	at = gt_proto_begin(p->to, PF_TracePacket_track_descriptor);
	gt_proto_u64(p->to, PF_TrackDescriptor_uuid, uuid);
	if (!first && of_system)
		gt_proto_u64(p->to, PF_TrackDescriptor_parent_uuid, first_uuid(p, track->index));
	else if (track->parent != GT_NO_TRACK)
		gt_proto_u64(p->to, PF_TrackDescriptor_parent_uuid, first_uuid(p, track->parent));
	if (first && track->kind == GT_TRACK_PROCESS)
		put_process(p, track);
	else if (first && track->kind == GT_TRACK_THREAD)
		put_thread(p, track);
	else
		put_name(p, track, !first && track->nests);
	if (track->kind == GT_TRACK_COUNTER)
		put_counter(p, track);
	if (!of_system && !track->nests && track->kind != GT_TRACK_DEVICE && track->kind != GT_TRACK_COUNTER) {
		gt_proto_u64(p->to, PF_TrackDescriptor_sibling_merge_behavior, PF_MERGE_BY_KEY);
		gt_proto_u64(p->to, PF_TrackDescriptor_sibling_merge_key_int, first_uuid(p, track->index));
	}
	gt_proto_end(p->to, at);
	gt_proto_end(p->to, packet);
}

uint64_t pf_track_own(struct pf *p, const char *name)
{
	uint64_t uuid = ++p->next_uuid;
	size_t packet = gt_proto_begin(p->to, PF_Trace_packet), at;

	gt_proto_u64(p->to, PF_TracePacket_trusted_packet_sequence_id, PF_SEQUENCE);
	at = gt_proto_begin(p->to, PF_TracePacket_track_descriptor);
	gt_proto_u64(p->to, PF_TrackDescriptor_uuid, uuid);
	gt_proto_string(p->to, PF_TrackDescriptor_name, name, strlen(name));
	gt_proto_end(p->to, at);
	gt_proto_end(p->to, packet);
	return uuid;
}

/* ---- lanes ---- */

static struct pf_lane *add_lane(struct pf *p, uint32_t track)
{
	struct pf_track *to = &p->tracks[track];
	struct pf_lane *lane;

	if (to->n == to->room) {
		uint32_t room = to->room ? to->room * 2 : 1;
		struct pf_lane *v = realloc(to->lanes, room * sizeof *v);

		if (!v)
			return NULL;
		to->lanes = v;
		to->room = room;
	}
	lane = &to->lanes[to->n++];
	*lane = (struct pf_lane){ .uuid = ++p->next_uuid, .last_ns = INT64_MIN };
	put_descriptor(p, gt_timeline_track(p->t, track), lane->uuid, to->n == 1);
	return lane;
}

/* The track and all that it is under have a first lane. */
static bool tell(struct pf *p, uint32_t track)
{
	uint32_t parent;

	if (track >= p->n_tracks) {
		uint32_t n = gt_timeline_track_count(p->t) + 16;
		struct pf_track *v = realloc(p->tracks, n * sizeof *v);

		if (!v)
			return false;
		memset(v + p->n_tracks, 0, (n - p->n_tracks) * sizeof *v);
		p->tracks = v;
		p->n_tracks = n;
	}
	if (p->tracks[track].n)
		return true;
	parent = gt_timeline_track(p->t, track)->parent;
	return (parent == GT_NO_TRACK || tell(p, parent)) && add_lane(p, track);
}

/* Ends what ended by then, innermost first. */
static void close_until(struct pf *p, struct pf_lane *lane, int64_t ns)
{
	while (lane->n && lane->ends[lane->n - 1] <= ns && lane->ends[lane->n - 1] != INT64_MAX) {
		int64_t end = lane->ends[--lane->n];

		pf_event_end(p, pf_event_begin(p, end, lane->uuid, PF_SLICE_END));
		lane->last_ns = end;
	}
}

/* PERFETTO1 */
static bool fits(const struct pf_lane *lane, bool nests, int64_t start_ns, int64_t end_ns)
{
	if (start_ns < lane->last_ns)
		return false;
	return !lane->n || (nests && lane->ends[lane->n - 1] >= end_ns);
}

struct pf_lane *pf_lane_for(struct pf *p, uint32_t track, int64_t start_ns, int64_t end_ns)
{
	bool nests;

	if (!tell(p, track))
		return NULL;
	nests = gt_timeline_track(p->t, track)->nests;
	for (uint32_t i = 0; i < p->tracks[track].n; i++) {
		struct pf_lane *lane = &p->tracks[track].lanes[i];

		close_until(p, lane, start_ns);
		if (fits(lane, nests, start_ns, end_ns))
			return lane;
	}
	return add_lane(p, track);
}

struct pf_lane *pf_lane_first(struct pf *p, uint32_t track, int64_t at_ns)
{
	struct pf_lane *lane;

	if (!tell(p, track))
		return NULL;
	lane = &p->tracks[track].lanes[0];
	close_until(p, lane, at_ns);
	if (lane->last_ns < at_ns)
		lane->last_ns = at_ns;
	return lane;
}

bool pf_lane_open(struct pf_lane *lane, int64_t start_ns, int64_t end_ns)
{
	if (lane->n == lane->room) {
		uint32_t room = lane->room ? lane->room * 2 : 4;
		int64_t *v = realloc(lane->ends, room * sizeof *v);

		if (!v)
			return false;
		lane->ends = v;
		lane->room = room;
	}
	lane->ends[lane->n++] = end_ns;
	lane->last_ns = start_ns;
	return true;
}

void pf_lanes_finish(struct pf *p)
{
	for (uint32_t i = 0; i < p->n_tracks; i++)
		for (uint32_t k = 0; k < p->tracks[i].n; k++)
			close_until(p, &p->tracks[i].lanes[k], INT64_MAX - 1);
}

void pf_tracks_free(struct pf *p)
{
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		for (uint32_t k = 0; k < p->tracks[i].n; k++)
			free(p->tracks[i].lanes[k].ends);
		free(p->tracks[i].lanes);
	}
	free(p->tracks);
}
