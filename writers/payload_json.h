/*
 * writers/payload_json.h - a structured NVTX payload as JSON
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_PAYLOAD_JSON_H
#define GPUTAP_WRITERS_PAYLOAD_JSON_H

#include "common/text.h"
#include "model/nvtx/payload.h"

/*
 * One object with the members of all pieces, by their schemas. False, nothing written: no schema says what any of it
 * is.
 */
bool gt_payload_json(struct gt_text *t, const struct gt_model *m, const struct gt_range *g);

#endif
