/*
 * writers/perfetto/perfetto.c - Perfetto's trace format: the timeline as packets (docs/perfetto.md)
 *
 * One sequence of packets, one clock: session ns, tied to CLOCK_MONOTONIC and CLOCK_REALTIME by the first packet. What
 * is written here comes from model/timeline.h alone.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/threads/host_state.h"
#include "model/threads/waits.h"
#include "writers/perfetto/internal.h"
#include "writers/render.h"

#define SAMPLE_ITEMS 200000u /* of the timeline, for the forecast */

/* ---- packets ---- */

size_t pf_packet_begin(struct pf *p)
{
	size_t at = gt_proto_begin(p->to, PF_Trace_packet);

	gt_proto_u64(p->to, PF_TracePacket_trusted_packet_sequence_id, PF_SEQUENCE);
	return at;
}

/* From here on no number of a text holds, and times are the session's. */
static void put_state(struct pf *p, bool first)
{
	size_t packet = pf_packet_begin(p), at;

	gt_proto_u64(p->to, PF_TracePacket_sequence_flags, PF_STATE_CLEARED);
	if (first)
		gt_proto_u64(p->to, PF_TracePacket_first_packet_on_sequence, 1);
	at = gt_proto_begin(p->to, PF_TracePacket_trace_packet_defaults);
	gt_proto_u64(p->to, PF_TracePacketDefaults_timestamp_clock_id, PF_CLOCK);
	pf_sample_defaults(p);
	gt_proto_end(p->to, at);
	gt_proto_end(p->to, packet);
}

static void put_clock(struct pf *p, unsigned clock, int64_t ns)
{
	size_t at = gt_proto_begin(p->to, PF_ClockSnapshot_clocks);

	gt_proto_u64(p->to, PF_Clock_clock_id, clock);
	gt_proto_u64(p->to, PF_Clock_timestamp, ns > 0 ? (uint64_t)ns : 0);
	gt_proto_end(p->to, at);
}

/* The same moment on each clock: the beginning of the session. */
static void put_clocks(struct pf *p)
{
	const struct gt_session *s = gt_model_session(p->m);
	size_t packet = pf_packet_begin(p), at = gt_proto_begin(p->to, PF_TracePacket_clock_snapshot);

	put_clock(p, PF_CLOCK, 0);
	put_clock(p, PF_CLOCK_MONOTONIC, s->monotonic_ns);
	if (s->utc_ns > 0)
		put_clock(p, PF_CLOCK_REALTIME, s->utc_ns);
	gt_proto_u64(p->to, PF_ClockSnapshot_primary_trace_clock, PF_CLOCK_MONOTONIC);
	gt_proto_end(p->to, at);
	gt_proto_end(p->to, packet);
}

struct pf_event pf_event_begin(struct pf *p, int64_t at_ns, uint64_t uuid, unsigned type)
{
	struct pf_event e = { .packet = pf_packet_begin(p) };

	gt_proto_u64(p->to, PF_TracePacket_timestamp, at_ns > 0 ? (uint64_t)at_ns : 0);
	e.event = gt_proto_begin(p->to, PF_TracePacket_track_event);
	gt_proto_u64(p->to, PF_TrackEvent_type, type);
	gt_proto_u64(p->to, PF_TrackEvent_track_uuid, uuid);
	return e;
}

void pf_event_end(struct pf *p, struct pf_event e)
{
	gt_proto_end(p->to, e.event);
	gt_proto_end(p->to, e.packet);
}

/* ... of an event that names texts by number. PERFETTO2 */
void pf_packet_end_named(struct pf *p, size_t packet)
{
	gt_proto_u64(p->to, PF_TracePacket_sequence_flags, PF_STATE_NEEDED);
	if (p->intern.fresh.used) {
		gt_proto_bytes(p->to, PF_TracePacket_interned_data, p->intern.fresh.data, p->intern.fresh.used);
		p->intern.fresh.used = 0;
	}
	gt_proto_end(p->to, packet);
}

static void end_named(struct pf *p, struct pf_event e)
{
	gt_proto_end(p->to, e.event);
	pf_packet_end_named(p, e.packet);
}

void pf_make_room(struct pf *p)
{
	if (!gt_intern_full(&p->intern))
		return;
	gt_intern_clear(&p->intern);
	put_state(p, false);
}

static struct pf_event begin_named(
	struct pf *p, int64_t at_ns, uint64_t uuid, unsigned type, const char *category, struct gt_string name)
{
	struct pf_event e;

	pf_make_room(p);
	e = pf_event_begin(p, at_ns, uuid, type);
	gt_proto_u64(p->to, PF_TrackEvent_category_iids,
		gt_intern_fixed(&p->intern, GT_INTERN_CATEGORY, category, strlen(category)));
	gt_proto_u64(p->to, PF_TrackEvent_name_iid, gt_intern_fixed(&p->intern, GT_INTERN_NAME, name.text, name.bytes));
	return e;
}

/* ---- items ---- */

static struct gt_string name_of(const struct gt_item *item)
{
	return item->name.bytes ? item->name : (struct gt_string){ "(no name)", 9 };
}

/* What the host does beside API calls has categories of its own: a viewer can tell and hide them. */
static const char *category_of(const struct gt_item *item)
{
	if (item->kind == GT_ITEM_CALL && (gt_is_os_runtime(item->fn) || gt_is_openmp(item->fn)))
		return gt_is_openmp(item->fn) ? "openmp" : "os runtime";
	return gt_item_facts[item->kind].name;
}

static void put_event(struct pf *p, const struct gt_item *item, uint64_t uuid, unsigned type)
{
	struct pf_event e = begin_named(p, item->start_ns, uuid, type, category_of(item), name_of(item));
	bool works = gt_item_facts[item->kind].where == GT_WHERE_DEVICE;

	if (item->link && (item->has_work || works))
		gt_proto_fixed64(p->to, PF_TrackEvent_flow_ids, item->link);
	pf_annotate(p, item);
	end_named(p, e);
}

static void put_slice(struct pf *p, const struct gt_item *item)
{
	int64_t end = item->never_ended ? INT64_MAX : item->end_ns;
	struct pf_lane *lane;

	if (!item->never_ended && end - item->start_ns < p->min_ns) {
		p->left_out++;
		return;
	}
	lane = pf_lane_for(p, item->track, item->start_ns, end);
	if (!lane || !pf_lane_open(lane, item->start_ns, end)) {
		p->failed = true;
		return;
	}
	put_event(p, item, lane->uuid, PF_SLICE_BEGIN);
	p->slices++;
}

static void put_instant(struct pf *p, const struct gt_item *item)
{
	struct pf_lane *lane = pf_lane_first(p, item->track, item->start_ns);

	if (lane)
		put_event(p, item, lane->uuid, PF_INSTANT);
	p->failed |= !lane;
}

static void put_counter(struct pf *p, const struct gt_item *item)
{
	struct pf_lane *lane = pf_lane_first(p, item->track, item->at_ns);
	struct pf_event e;

	if (!lane) {
		p->failed = true;
		return;
	}
	e = pf_event_begin(p, item->at_ns, lane->uuid, PF_COUNTER);
	gt_proto_i64(p->to, PF_TrackEvent_counter_value, item->value);
	pf_event_end(p, e);
}

static void put_item(struct pf *p, const struct gt_item *item)
{
	p->items++;
	if (!item->timed)
		p->untimed++;
	else if (item->kind == GT_ITEM_COUNTER)
		put_counter(p, item);
	else if (item->kind == GT_ITEM_SAMPLE)
		pf_sample(p, item);
	else if (gt_item_facts[item->kind].where == GT_WHERE_MOMENT)
		put_instant(p, item);
	else
		put_slice(p, item);
}

/* ---- what the recording says about itself ---- */

static int64_t first_ns(const struct pf *p)
{
	return p->x->from_ns != GT_NO_TIME && p->x->from_ns > 0 ? p->x->from_ns : 0;
}

static void put_process_clock(struct pf *p, uint64_t uuid, const struct gt_process *process)
{
	struct pf_event e = begin_named(
		p, first_ns(p), uuid, PF_INSTANT, "recording", (struct gt_string){ "clock of a process", 18 });
	const struct gt_cuda_library *cuda = gt_cuda_library(p->cuda, process->index);

	pf_note_i64(p, "pid", process->pid);
	if (process->clock_error_ns >= 0)
		pf_note_i64(p, "host clock error in ns", process->clock_error_ns);
	if (cuda && cuda->clock_error_ns >= 0)
		pf_note_i64(p, "CUDA clock error in ns", cuda->clock_error_ns);
	end_named(p, e);
}

static void put_device_clock(struct pf *p, uint64_t uuid, const struct gt_track *device)
{
	struct pf_event e = begin_named(
		p, first_ns(p), uuid, PF_INSTANT, "recording", (struct gt_string){ "clock of a device", 17 });
	const char *method = gt_object_clock(device->object);

	pf_note_value(p, "device", device->name.text, device->name.bytes);
	if (method)
		pf_note_value(p, "method", method, strlen(method));
	if (device->object->clock_error_ns >= 0)
		pf_note_i64(p, "clock error in ns", device->object->clock_error_ns);
	end_named(p, e);
}

static void put_session(struct pf *p, uint64_t uuid)
{
	const struct gt_session *s = gt_model_session(p->m);
	struct pf_event e =
		begin_named(p, first_ns(p), uuid, PF_INSTANT, "recording", (struct gt_string){ "recording", 9 });
	char text[1024];

	p->scratch.used = 0;
	for (size_t i = 0; i < s->n_args; i++) {
		if (i)
			gt_text_char(&p->scratch, ' ');
		gt_text_str(&p->scratch, s->args[i]);
	}
	if (p->scratch.used)
		pf_note_text(p, "command", p->scratch.data, p->scratch.used);
	if (*s->host)
		pf_note_value(p, "host", s->host, strlen(s->host));
	if (*s->version)
		pf_note_value(p, "gputap", s->version, strlen(s->version));
	gt_model_complete_text(p->m, text, sizeof text);
	pf_note_text(p, "ledger", text, strlen(text));
	if (p->untimed)
		pf_note_u64(p, "left out: no times", p->untimed);
	if (p->left_out)
		pf_note_u64(p, "left out: shorter than --min-dur", p->left_out);
	end_named(p, e);
}

/* Behind everything: errors of device clocks are known when their commands were read. */
static void put_recording(struct pf *p)
{
	uint64_t uuid = pf_track_own(p, "gputap");

	put_session(p, uuid);
	for (uint32_t i = 0; i < gt_model_process_count(p->m); i++)
		put_process_clock(p, uuid, gt_model_process(p->m, i));
	for (uint32_t i = 0; i < gt_timeline_track_count(p->t); i++) {
		const struct gt_track *track = gt_timeline_track(p->t, i);

		if (track->kind == GT_TRACK_DEVICE && track->object)
			put_device_clock(p, uuid, track);
	}
}

/* ---- the file ---- */

static int open_timeline(struct pf *p, bool trial, struct gt_err *err)
{
	const struct gt_timeline_options options = { .process = -1,
		.from_ns = p->x->from_ns,
		.to_ns = p->x->to_ns,
		.cuda_nested = gt_option_is(p->x->options, "cuda-driver-rows", "all"),
		.counters = true,
		.estimate = !trial,
		.trial = trial,
		.progress = trial ? NULL : p->x->progress,
		.ctx = p->x->ctx };

	p->cuda = gt_model_cuda(p->m, err);
	return p->cuda ? gt_timeline_open(p->m, &options, &p->t, err) : -1;
}

static int no_memory(const struct pf *p, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: cannot be written", p->x->final_path);
}

static int begin(struct pf *p, const struct gt_export *x, struct gt_text *to, bool trial, struct gt_err *err)
{
	*p = (struct pf){ .x = x, .m = x->model, .to = to, .errors = gt_render_errors(gt_model_table(x->model)) };
	p->min_ns = gt_option_number(x->options, "min-dur", 0);
	if (!gt_intern_open(&p->intern))
		return no_memory(p, err);
	if (!trial && gt_wait_list_read(p->m, &p->waits, err))
		return -1;
	if (open_timeline(p, trial, err))
		return -1;
	put_state(p, true);
	put_clocks(p);
	return 0;
}

static void end(struct pf *p)
{
	gt_timeline_close(p->t);
	gt_intern_close(&p->intern);
	gt_text_free(&p->scratch);
	free(p->stacks);
	gt_arena_free(&p->stack_texts);
	gt_wait_list_free(p->waits);
	pf_tracks_free(p);
}

static int write_items(struct pf *p, struct gt_output *out, struct gt_err *err)
{
	const struct gt_item *item;
	int more;

	while ((more = gt_timeline_next(p->t, &item, err)) == 1 && !p->failed && !p->intern.failed) {
		put_item(p, item);
		gt_output_drain(out);
	}
	if (more < 0)
		return -1;
	pf_lanes_finish(p);
	if (pf_monitors(p, err))
		return -1;
	put_recording(p);
	return p->failed || p->intern.failed || p->scratch.failed || p->intern.fresh.failed ? no_memory(p, err) : 0;
}

static int perfetto_write(const struct gt_export *x, struct gt_err *err)
{
	struct gt_output out;
	struct pf *p = malloc(sizeof *p);
	int rc = -1;

	if (!p)
		return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: cannot be written", x->final_path);
	if (gt_output_open(&out, x->path, x->final_path, err)) {
		free(p);
		return -1;
	}
	rc = begin(p, x, &out.text, false, err) ? -1 : write_items(p, &out, err);
	end(p);
	free(p);
	if (!rc)
		return gt_output_commit(&out, err);
	gt_output_discard(&out);
	return rc;
}

/* ---- how large it will be ---- */

enum { CALLS, WORK, RANGES, CLASSES };

/* A counter changes with what is pending. */
static int class_of(const struct gt_item *item)
{
	if (item->range)
		return RANGES;
	return gt_item_facts[item->kind].where == GT_WHERE_DEVICE || item->kind == GT_ITEM_COUNTER ? WORK : CALLS;
}

/* How much of each class the whole trace has; a process' counts have CUDA's calls and work in them. */
static void count_all(const struct pf *p, double all[CLASSES])
{
	double cuda_calls = (double)gt_cuda_count(p->cuda, GT_CUDA_CALL);

	all[CALLS] = 0;
	all[WORK] = (double)gt_model_hsa_kernel_count(p->m);
	all[RANGES] = (double)gt_model_range_count(p->m);
	for (uint32_t i = 0; i < gt_model_process_count(p->m); i++) {
		const struct gt_process *process = gt_model_process(p->m, i);

		all[CALLS] += (double)process->calls + (double)process->callbacks;
		all[WORK] += (double)process->commands;
	}
	/* ... but not those that a runtime call made inside it */
	if (gt_option_is(p->x->options, "cuda-driver-rows", "all") && all[CALLS] < cuda_calls)
		all[CALLS] = cuda_calls;
}

/* The part of the session that the window has. */
static double part_of(const struct pf *p)
{
	double length = (double)gt_model_session(p->m)->duration_ns, from = 0, to = length;

	if (p->x->from_ns != GT_NO_TIME && p->x->from_ns > 0)
		from = (double)p->x->from_ns;
	if (p->x->to_ns != GT_NO_TIME && (double)p->x->to_ns < to)
		to = (double)p->x->to_ns;
	return length > 0 && to > from ? (to - from) / length : 0;
}

/* The first items of the timeline, as they would be written: all others of their class are taken to be like them. */
static uint64_t sample(struct pf *p, struct gt_text *to)
{
	double bytes[CLASSES] = { 0 }, n[CLASSES] = { 0 }, all[CLASSES], found = 0, sum = 0;
	const struct gt_item *item;
	struct gt_err err = { 0 };

	for (; p->items < SAMPLE_ITEMS && gt_timeline_next(p->t, &item, &err) == 1; to->used = 0) {
		int class = class_of(item);

		to->used = 0;
		put_item(p, item);
		n[class] += item->kind != GT_ITEM_COUNTER;
		bytes[class] += (double)to->used;
		found += (double)to->used;
	}
	if (p->items < SAMPLE_ITEMS)
		return (uint64_t)found;
	count_all(p, all);
	for (int i = 0; i < CLASSES; i++)
		sum += n[i] > 0 ? bytes[i] / n[i] * all[i] * part_of(p) : 0;
	return (uint64_t)(sum > found ? sum : found);
}

static uint64_t perfetto_forecast(const struct gt_export *x)
{
	struct pf *p = malloc(sizeof *p);
	struct gt_text to = { 0 };
	struct gt_err err = { 0 };
	uint64_t bytes = 0;

	if (!p)
		return 0;
	if (!begin(p, x, &to, true, &err))
		bytes = sample(p, &to);
	end(p);
	free(p);
	gt_text_free(&to);
	return bytes;
}

const struct gt_writer gt_writer_perfetto = {
	.id = "perfetto",
	.suffix = ".pftrace",
	.help = "Perfetto timeline: calls, device work, ranges and counters (ui.perfetto.dev)",
	.write = perfetto_write,
	.forecast = perfetto_forecast,
};
