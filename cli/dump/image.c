/*
 * cli/dump/image.c - gputap dump: process images and what they say of themselves, notes, HSA kernels
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/dump/dump.h"

#include <stdlib.h>

#include "cli/show/image.h"

void gt_dump_process(struct gt_show *s, const struct gt_process *p)
{
	gt_show_record(s, &(struct gt_shape){ "process", "process {pid}*", { gt_shown_process } }, p);
}

void gt_dump_image_record(struct gt_show *s, const struct gt_image_record *r)
{
	gt_show_record(s, &gt_shown_image_records[r->type], r);
}

/* --------------------------------------------------------------------- notes */

#define N struct gt_note
static const struct gt_shown note_fields[] = {
	GT_WHOSE(N),
	{ "time_ns", gt_show_number, GT_NUMBER(N, time_ns) },
	{ "text", gt_show_line, GT_PLACE(N, text) },
};
#undef N
static const struct gt_shape note_shape = { "note", "note {pid} {text}", { GT_FIELDS(note_fields) } };

void gt_dump_note(struct gt_show *s, const struct gt_note *n) { gt_show_record(s, &note_shape, n); }

/* ------------------------------------------------------------ what it wrote */

struct written { struct gt_captured_output o; struct gt_string text; };

#define W struct written
static const struct gt_shown written_fields[] = {
	{ "pid", gt_show_number, GT_NUMBER(W, o.pid) },
	{ "of", gt_show_line, GT_PLACE(W, o.of) },
	{ "kind", gt_show_line, GT_PLACE(W, o.kind) },
	{ "bytes", gt_show_number, GT_NUMBER(W, o.bytes) },
	{ "kept", gt_show_number, GT_NUMBER(W, o.kept) },
	{ "text", gt_show_text, GT_PLACE(W, text) },
};
#undef W
static const struct gt_shape written_shape = { "output", "output {pid} {of} to a {kind}, {bytes} bytes: {text}",
	{ GT_FIELDS(written_fields) } };

void gt_dump_output(struct gt_show *s, const struct gt_captured_output *o)
{
	struct written w = { .o = *o };
	char *text = gt_model_output_text(s->m, (uint32_t)(o - gt_model_output(s->m, 0)), &w.text.bytes);

	w.text.text = text ? text : "";
	gt_show_record(s, &written_shape, &w);
	free(text);
}

/* ---------------------------------------------------------------- HSA kernels */

#define K struct gt_hsa_kernel
static const struct gt_shown hsa_fields[] = {
	{ "pid", gt_show_pid, GT_NUMBER(K, process) },
	{ "tid", gt_show_number, GT_NUMBER(K, tid) },
	{ "name", gt_show_text, GT_PLACE(K, name) },
	{ "kernel", gt_show_hex, GT_NUMBER(K, kernel) },
	{ "start_ns", gt_show_number, GT_NUMBER(K, start_ns) },
	{ "end_ns", gt_show_number, GT_NUMBER(K, end_ns) },
	{ "agent_name", gt_show_text, GT_PLACE(K, agent_name) },
	{ "queue", gt_show_hex, GT_NUMBER(K, queue) },
	{ "packet_id", gt_show_number, GT_NUMBER(K, packet_id) },
};
#undef K
static const struct gt_shape hsa_shape = { "hsa_kernel", NULL, { GT_FIELDS(hsa_fields) } };

void gt_dump_hsa_kernel(struct gt_show *s, const struct gt_hsa_kernel *k) { gt_show_record(s, &hsa_shape, k); }
