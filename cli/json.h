/*
 * cli/json.h - pieces of JSON appended to a text; always valid UTF-8
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_JSON_H
#define GPUTAP_CLI_JSON_H

#include "model/model.h"
#include "writers/text.h"

/* Quoted and escaped. Bytes that are no UTF-8 become U+FFFD: programs hand any bytes to an API. */
static inline void gt_json_string(struct gt_text *t, const char *s, size_t bytes) { gt_text_json(t, s, bytes); }
/* ,"name": - without the comma behind an opening brace or bracket */
void gt_json_key(struct gt_text *t, const char *name);
void gt_json_field_str(struct gt_text *t, const char *name, const char *value);
void gt_json_field_text(struct gt_text *t, const char *name, struct gt_string value);
void gt_json_field_u64(struct gt_text *t, const char *name, uint64_t value);
void gt_json_field_i64(struct gt_text *t, const char *name, int64_t value);
void gt_json_field_bool(struct gt_text *t, const char *name, bool value);
void gt_json_field_hex(struct gt_text *t, const char *name, uint64_t value); /* "0x10" */
void gt_json_field_time(struct gt_text *t, const char *name, int64_t ns);    /* null for GT_NO_TIME */

/* One value as the table says it is to be read: symbols, numbers, handles "0x10". */
void gt_json_scalar(
	struct gt_text *t, enum gt_value value, const struct gt_enum *symbols, uint64_t bits, uint32_t bytes);
/* One argument of a call with what was captured behind it. */
void gt_json_arg(struct gt_text *t, const struct gt_call *call, unsigned i);
/* What the driver answered to a query. */
void gt_json_query(struct gt_text *t, const struct gt_fntable *table, const char *group, int64_t query,
	const void *data, uint32_t bytes);

#endif
