/*
 * cli/json.h - what is in a trace as JSON
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_JSON_H
#define GPUTAP_CLI_JSON_H

#include "common/json.h"
#include "model/model.h"

/* One value as the table says it is to be read: symbols, numbers, handles "0x10". */
void gt_json_scalar(
	struct gt_text *t, enum gt_value value, const struct gt_enum *symbols, uint64_t bits, uint32_t bytes);
/* One argument of a call with what was captured behind it. */
void gt_json_arg(struct gt_text *t, const struct gt_call *call, unsigned i);
/* What the driver answered to a query. */
void gt_json_query(struct gt_text *t, const struct gt_fntable *table, const char *group, int64_t query,
	const void *data, uint32_t bytes);

#endif
