/*
 * writers/sqlite/monitors.c - samples of performance monitors: GPU_METRICS, and what its numbers mean
 *
 * Samples of a launch that a later run of the program took (--reruns) stand at the launch of this one, as far behind
 * its beginning as they were behind theirs, and their metric's name says which run it was. The raw time stamp is the
 * device's.
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
#include "model/window.h"
#include "writers/sqlite/cuda.h"
#include "writers/sqlite/generic.h"

#define SOURCE GT_SQL_SOURCE(3)

enum { GM_rawTimestamp, GM_timestamp, GM_typeId, GM_metricId, GM_value };
enum { TM_typeId, TM_sourceId, TM_typeName, TM_metricId, TM_metricName };

struct known { int64_t device; char name[300]; };
struct monitors {
	struct gt_sql_feeder *f;
	struct gt_cuda *cuda;
	struct gt_sql_table *values, *names;
	GT_LIST(struct known) known;              /* a metric's number is its place */
};

/* Its number; -1: no memory. */
static int64_t number_of(struct monitors *s, const struct gt_counters *c, const struct gt_monitored_metric *m)
{
	const struct gt_cuda_device *d = gt_cuda_device_of(s->cuda, c->process, c->device);
	struct known one = { .device = gt_sql_cuda_device(s->f, c->process, c->device) }, *k;
	struct gt_sql_row *r;

	if (m->run)
		snprintf(one.name, sizeof one.name, "%s (run %u)", m->name, m->run);
	else
		snprintf(one.name, sizeof one.name, "%s", m->name);
	for (uint32_t i = 0; i < s->known.n; i++)
		if (s->known.v[i].device == one.device && !strcmp(s->known.v[i].name, one.name))
			return i;
	k = GT_LIST_ADD(&s->known);
	if (!k)
		return -1;
	*k = one;
	r = gt_sql_add(s->names);
	gt_put(r, TM_typeId, SOURCE | one.device);
	gt_put(r, TM_sourceId, SOURCE);
	if (d)
		gt_put_text(s->names, r, TM_typeName, d->name.text, d->name.bytes);
	else
		gt_put_str(s->names, r, TM_typeName, "[Unknown]");
	gt_put(r, TM_metricId, s->known.n - 1);
	gt_put_str(s->names, r, TM_metricName, one.name);
	return s->known.n - 1;
}

static void put_samples(
	struct monitors *s, const struct gt_counters *c, const struct gt_monitored_metric *m, int64_t number)
{
	const struct gt_export *x = s->f->x;

	for (uint32_t i = 0; i < m->n; i++) {
		double value = m->values[(size_t)i * m->step];
		int64_t at_ns = gt_cuda_sample_ns(s->cuda, c, m->head, !m->run, m->times[i].begin_ns);
		struct gt_sql_row *r;

		/* the column takes whole numbers */
		if (!(fabs(value) < 9e18) || at_ns == GT_NO_TIME || !gt_overlaps(x->from_ns, x->to_ns, at_ns, at_ns))
			continue;
		r = gt_sql_add(s->values);
		gt_put(r, GM_rawTimestamp, (int64_t)m->times[i].begin_ns);
		gt_put(r, GM_timestamp, at_ns);
		gt_put(r, GM_typeId, SOURCE | s->known.v[number].device);
		gt_put(r, GM_metricId, number);
		gt_put(r, GM_value, llround(value));
	}
}

int gt_sql_monitors(struct gt_sql_feeder *f, struct gt_err *err)
{
	static const char *const value_cells[] = { "rawTimestamp", "timestamp", "typeId", "metricId", "value" };
	static const char *const name_cells[] = { "typeId", "sourceId", "typeName", "metricId", "metricName" };
	struct monitors s = { .f = f, .cuda = gt_sql_cuda_model(f) };
	struct gt_monitored *from = NULL;
	struct gt_monitored_metric m;
	const struct gt_counters *launches;
	uint32_t n = gt_model_counters(f->m, &launches);
	int64_t number = 0;

	s.values = gt_sql_feed(f->db, "GPU_METRICS", value_cells, sizeof value_cells / sizeof *value_cells);
	s.names = gt_sql_feed(f->db, "TARGET_INFO_GPU_METRICS", name_cells, sizeof name_cells / sizeof *name_cells);
	if (!s.cuda || !gt_sql_wanted(s.values))
		return 0;
	if (gt_monitored_open(f->m, gt_option(f->x->options, "cupti"), &from, err))
		return -1;
	for (uint32_t k = 0; from && k < n && number >= 0; k++)
		for (uint32_t i = 0; number >= 0 && gt_monitored_metric(from, k, i, &m); i++) {
			number = m.n ? number_of(&s, &launches[k], &m) : 0;
			if (m.n && number >= 0)
				put_samples(&s, &launches[k], &m, number);
		}
	gt_monitored_close(from);
	free(s.known.v);
	return number < 0 ? gt_no_memory(err) : 0;
}
