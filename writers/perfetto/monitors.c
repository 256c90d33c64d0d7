/*
 * writers/perfetto/monitors.c - samples of performance monitors: a counter track for each device and metric
 *
 * Runs in the tool, behind the timeline's items: tracks of devices are there by then. Samples that the trace's own run
 * took stand where they were taken; those of a later run (--reruns) stand at the launch of this one, as far behind its
 * beginning as they were behind theirs, on a track that names the run. Between launches nothing was sampled: the
 * counter goes to 0 behind the last sample of each.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/monitored.h"
#include "common/memory.h"
#include "model/cuda/cuda.h"
#include "writers/perfetto/internal.h"

/* What one launch has of one metric, and the device's track that it stands under. */
struct series {
	uint32_t track;
	const struct gt_counters *of;
	int64_t from_ns, to_ns;
	struct gt_monitored_metric metric;
};
struct all { struct series *v; uint32_t n, room; };

static uint32_t device_track(const struct pf *p, const struct gt_counters *c)
{
	const struct gt_cuda_device *d = gt_cuda_device_of(p->cuda, c->process, c->device);

	for (uint32_t i = 0; d && i < gt_timeline_track_count(p->t); i++) {
		const struct gt_track *track = gt_timeline_track(p->t, i);

		if (track->kind == GT_TRACK_DEVICE && track->device && track->device->index == d->index)
			return i;
	}
	return GT_NO_TRACK;
}

static int by_track(const void *a, const void *b)
{
	const struct series *x = a, *y = b;
	int names = strcmp(x->metric.name, y->metric.name);

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (!names)
		names = (x->metric.run > y->metric.run) - (x->metric.run < y->metric.run);
	return names ? names : (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static uint64_t put_track(struct pf *p, const struct series *s)
{
	struct pf_lane *device = pf_lane_first(p, s->track, s->from_ns);
	uint64_t uuid = ++p->next_uuid;
	size_t packet, at, counter;
	char name[320];

	snprintf(name, sizeof name, s->metric.run ? "%s (run %u)" : "%s", s->metric.name, s->metric.run);
	if (!device) {
		p->failed = true;
		return 0;
	}
	packet = gt_proto_begin(p->to, PF_Trace_packet);
	gt_proto_u64(p->to, PF_TracePacket_trusted_packet_sequence_id, PF_SEQUENCE);
	at = gt_proto_begin(p->to, PF_TracePacket_track_descriptor);
	gt_proto_u64(p->to, PF_TrackDescriptor_uuid, uuid);
	gt_proto_u64(p->to, PF_TrackDescriptor_parent_uuid, device->uuid);
	gt_proto_string(p->to, PF_TrackDescriptor_name, name, strlen(name));
	counter = gt_proto_begin(p->to, PF_TrackDescriptor_counter);
	if (*s->metric.unit)
		gt_proto_string(p->to, PF_CounterDescriptor_unit_name, s->metric.unit, strlen(s->metric.unit));
	gt_proto_end(p->to, counter);
	gt_proto_end(p->to, at);
	gt_proto_end(p->to, packet);
	return uuid;
}

static int64_t time_of(struct pf *p, const struct series *s, uint64_t at_ns)
{
	return gt_cuda_sample_ns(p->cuda, s->of, s->metric.head, !s->metric.run, at_ns);
}

/* Times of one track do not go back, whatever the conversion of clocks makes of them. */
static void put_value(struct pf *p, uint64_t uuid, int64_t at_ns, double value, int64_t *last_ns)
{
	struct pf_event e;

	if (at_ns == GT_NO_TIME || (p->x->from_ns != GT_NO_TIME && at_ns < p->x->from_ns) ||
		(p->x->to_ns != GT_NO_TIME && at_ns > p->x->to_ns))
		return;
	*last_ns = at_ns > *last_ns ? at_ns : *last_ns;
	e = pf_event_begin(p, *last_ns, uuid, PF_COUNTER);
	gt_proto_double(p->to, PF_TrackEvent_double_counter_value, value);
	pf_event_end(p, e);
}

static void put_series(struct pf *p, uint64_t uuid, const struct series *s, int64_t *last_ns)
{
	const struct gt_monitored_metric *m = &s->metric;

	for (uint32_t i = 0; i < m->n; i++) {
		double value = m->values[(size_t)i * m->step];

		if (isfinite(value))
			put_value(p, uuid, time_of(p, s, m->times[i].begin_ns), value, last_ns);
	}
	put_value(p, uuid, s->to_ns, 0, last_ns);
}

static bool in_window(const struct pf *p, const struct series *s)
{
	return s->from_ns != GT_NO_TIME && s->to_ns != GT_NO_TIME &&
		(p->x->from_ns == GT_NO_TIME || s->to_ns >= p->x->from_ns) &&
		(p->x->to_ns == GT_NO_TIME || s->from_ns <= p->x->to_ns);
}

static bool gather(struct pf *p, const struct gt_monitored *from, struct all *all)
{
	const struct gt_counters *launches;
	uint32_t n = gt_model_counters(p->m, &launches);
	struct series s, *to;

	for (uint32_t k = 0; k < n; k++) {
		s = (struct series){ .track = device_track(p, &launches[k]), .of = &launches[k] };
		for (uint32_t i = 0; s.track != GT_NO_TRACK && gt_monitored_metric(from, k, i, &s.metric); i++) {
			if (!s.metric.n)
				continue;
			s.from_ns = time_of(p, &s, s.metric.times[0].begin_ns);
			s.to_ns = time_of(p, &s, s.metric.times[s.metric.n - 1].end_ns);
			if (!in_window(p, &s))
				continue;
			to = GT_LIST_ADD(all);
			if (!to)
				return false;
			*to = s;
		}
	}
	return true;
}

int pf_monitors(struct pf *p, struct gt_err *err)
{
	struct gt_monitored *from = NULL;
	struct all all = { 0 };
	int64_t last_ns = 0;
	uint64_t uuid = 0;

	if (gt_monitored_open(p->m, gt_option(p->x->options, "cupti"), &from, err))
		return -1;
	if (from && !gather(p, from, &all))
		p->failed = true;
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, by_track);
	for (uint32_t i = 0; i < all.n && !p->failed; i++) {
		const struct series *s = &all.v[i];

		if (!i || s[-1].track != s->track || s[-1].metric.run != s->metric.run ||
			strcmp(s[-1].metric.name, s->metric.name)) {
			uuid = put_track(p, s);
			last_ns = 0;
		}
		if (!p->failed)
			put_series(p, uuid, s, &last_ns);
	}
	free(all.v);
	gt_monitored_close(from);
	return 0;
}
