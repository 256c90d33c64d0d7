/*
 * writers/codexl/columns.h - the columns of counter files (.csv), and which file each of them goes into
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_CODEXL_COLUMNS_H
#define GPUTAP_WRITERS_CODEXL_COLUMNS_H

#include "analysis/metrics/metrics.h"
#include "common/memory.h"
#include "common/options.h"

struct gt_codexl_column {
	const struct gt_metric *metric;   /* NULL: a counter that was collected */
	enum gt_metric_kind kind;         /* of the metric */
	const char *name;
	size_t widest;                    /* bytes of its longest cell so far */
	uint32_t counted;                 /* where the counter was found last; see gt_counted_metric */
};

/* One file. section: NULL in the only one; number: from 1, of the files of a section. */
struct gt_codexl_part {
	const char *section; uint32_t number;
	GT_LIST(uint32_t) columns;
};

struct gt_codexl_columns {
	GT_LIST(struct gt_codexl_column) v;
	GT_LIST(struct gt_codexl_part) parts;
	char **sections; uint32_t n_sections;     /* names of parts */
};

/* What a line has besides these columns: bytes of the names, and of the longest cells. */
struct gt_codexl_fixed { size_t names, cells; };

/* All columns into one file. False: no memory. */
bool gt_codexl_one_part(struct gt_codexl_columns *c);
/* Whether each line of that file is shorter than readers take: names, and the cells that were seen. */
bool gt_codexl_fits(const struct gt_codexl_columns *c, const struct gt_codexl_part *p, const struct gt_codexl_fixed *f);
/*
 * The columns of each section that the options ask for into files of their own, as many as its lines need; what no
 * section names into those of "Others". A column stands in each section that names it. 0, or -1 with *err.
 */
int gt_codexl_split(struct gt_codexl_columns *c, const struct gt_codexl_fixed *f, const struct gt_options *o,
	struct gt_err *err);
void gt_codexl_columns_free(struct gt_codexl_columns *c);

#endif
