/*
 * cli/metrics/chip.c - gputap metrics --query-metrics --chip CHIP: what a chip can count
 *
 * Asked of CUPTI's host library, which has the words too; no GPU is needed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "analysis/metrics/host.h"
#include "analysis/table.h"
#include "cli/metrics/metrics.h"

struct query {
	struct gt_table *table;
	struct gt_host_chip *ranges, *samples;    /* samples: NULL where the chip cannot */
	enum gt_host_type type;
	bool failed;
};

static bool put(void *ctx, const char *name)
{
	struct query *q = ctx;
	struct gt_host_metric m = { "", "", q->type }, ignored;

	gt_host_find(q->ranges, name, &m);
	const struct gt_cell row[] = { gt_text(name), gt_text(gt_host_types[q->type]), gt_text(m.unit),
		gt_text(q->samples && gt_host_find(q->samples, name, &ignored) ? "yes" : ""), gt_text(m.description) };

	q->failed |= gt_table_row(q->table, row);
	return !q->failed;
}

static int query(struct query *q, struct gt_host *h, const char *chip, struct gt_err *err)
{
	struct gt_err no_sampling;

	if (gt_host_begin(h, chip, GT_HOST_RANGES, &q->ranges, err))
		return -1;
	if (gt_host_begin(h, chip, GT_HOST_PM_SAMPLING, &q->samples, &no_sampling))
		q->samples = NULL;
	for (q->type = GT_HOST_COUNTER; q->type < GT_HOST_TYPES; q->type++)
		if (!gt_host_metrics(q->ranges, q->type, put, q))
			q->failed = true;
	gt_host_end(q->ranges);
	gt_host_end(q->samples);
	return q->failed ? gt_no_memory(err) : 0;
}

int gt_metrics_of_chip(const struct gt_options *o, enum gt_table_format format, struct gt_err *err)
{
	const char *chip = gt_option(o, "chip");
	struct query q = { 0 };
	struct gt_host *h;

	if (gt_host_open(gt_option(o, "cupti"), &h, err))
		return -1;
	q.table = gt_table_new("chip_metrics", *chip ? "What the chip can count" : "Chips",
		*chip ? "Name<|Type<|Unit<|Sampled<|Meaning<" : "Chip<|Compute capability", format, stdout, false);
	if (!q.table)
		return gt_no_memory(err);
	for (size_t i = 0; !*chip && gt_host_chip(h, i) && !q.failed; i++) {
		uint32_t capability = gt_host_capability(gt_host_chip(h, i));
		const struct gt_cell row[] = { gt_text(gt_host_chip(h, i)),
			capability ? gt_number(capability / 10.0, 1) : gt_none() };

		q.failed = gt_table_row(q.table, row);
	}
	if (q.failed || (*chip && query(&q, h, chip, err))) {
		gt_table_drop(q.table);
		return q.failed ? gt_no_memory(err) : -1;
	}
	return gt_table_end(q.table, 0) ? gt_no_memory(err) : 0;
}
