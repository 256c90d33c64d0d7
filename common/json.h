/*
 * common/json.h - pieces of JSON appended to a text; always valid UTF-8
 *
 * Runs in the tool. What the values of a trace mean is added in cli/json.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_JSON_H
#define GPUTAP_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"

/* Quoted and escaped. Bytes that are no UTF-8 become U+FFFD: programs hand any bytes to an API. */
void gt_json_string(struct gt_text *t, const char *s, size_t bytes);
/* "0x10" */
void gt_json_hex(struct gt_text *t, uint64_t value);
/* "00ff": what has no better form */
void gt_json_bytes(struct gt_text *t, const void *data, size_t bytes);
/* JSON has no infinities and no NaN: they are words. */
void gt_json_real(struct gt_text *t, double v);

/* ,"name": - without the comma behind an opening brace or bracket */
void gt_json_key(struct gt_text *t, const char *name);
void gt_json_field_str(struct gt_text *t, const char *name, const char *value);
void gt_json_field_text(struct gt_text *t, const char *name, struct gt_string value);
void gt_json_field_u64(struct gt_text *t, const char *name, uint64_t value);
void gt_json_field_i64(struct gt_text *t, const char *name, int64_t value);
void gt_json_field_bool(struct gt_text *t, const char *name, bool value);
void gt_json_field_hex(struct gt_text *t, const char *name, uint64_t value);

#endif
