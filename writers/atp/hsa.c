/*
 * writers/atp/hsa.c - the HSA Kernel Timestamp section
 *
 * One list for the whole process, without thread blocks. Two layouts: the profiler's last one, and the eight fields
 * that its older documentation lists (--atp-version=2).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "common/harmless.h"
#include "model/window.h"
#include "writers/atp/atp.h"

/* spec: ATP kernel symbol names: readers turn these back. */
void gt_atp_hsa_symbol(struct gt_text *t, const struct gt_string *s)
{
	for (size_t i = 0; i < s->bytes; i++) {
		size_t n = 0;

		while (i + n < s->bytes && s->text[i + n] != ',')
			n++;
		gt_atp_replaced(t, s->text + i, n, " ", "&nbsp;");
		i += n;
		if (i < s->bytes)
			gt_text_lit(t, "&comma;");
	}
}

void gt_atp_replaced(struct gt_text *t, const char *s, size_t n, const char *blanks, const char *by)
{
	bool spaces = strchr(blanks, ' ');
	size_t bytes;

	for (size_t i = 0; i < n; i += bytes) {
		bool harmful = gt_is_harmful(s + i, n - i, &bytes);

		if (s[i] && (strchr(blanks, s[i]) || (spaces && strchr("\t\n\v\f\r", s[i]))))
			gt_text_str(t, by);
		else if (harmful)
			gt_text_harmless(t, s + i, bytes);
		else
			gt_text_bytes(t, s + i, bytes);
	}
}

static void put_word(struct gt_text *t, const struct gt_string *s, const char *otherwise)
{
	gt_atp_word(t, s->text, s->bytes);
	if (!s->bytes)
		gt_text_str(t, otherwise);
}

/* Readers want an end that is not before the start. */
static uint64_t start_of(const struct gt_hsa_kernel *k)
{
	return k->start_mono_ns > 0 ? (uint64_t)k->start_mono_ns : 0;
}
static bool ends_early(const struct gt_hsa_kernel *k) { return k->end_mono_ns < (int64_t)start_of(k); }

static void put_common(struct gt_text *t, const struct gt_hsa_kernel *k)
{
	size_t from = t->used;

	if (k->name.bytes)
		gt_atp_hsa_symbol(t, &k->name);
	else
		gt_text_lit(t, "unknown_kernel");
	gt_text_pad(t, from, 50, 1);
	gt_atp_address(t, k->kernel, 21);
	gt_atp_number(t, start_of(k), 21);
	gt_atp_number(t, ends_early(k) ? start_of(k) : (uint64_t)k->end_mono_ns, 21);
	from = t->used;
	put_word(t, &k->agent_name, "Unknown_Device");
	gt_text_pad(t, from, 64, 1);
	from = t->used;
	gt_text_char(t, '{');
	gt_text_u64(t, k->agent);
	gt_text_char(t, '}');
	gt_text_pad(t, from, 21, 1);
	gt_atp_number(t, k->queue_index, 21);
}

/* Packet types of the HSA specification; readers list kernel dispatches alone. */
static const char *const packet_types[] = {
	"HSA_PACKET_TYPE_VENDOR_SPECIFIC", "HSA_PACKET_TYPE_INVALID", "HSA_PACKET_TYPE_KERNEL_DISPATCH",
	"HSA_PACKET_TYPE_BARRIER_AND", "HSA_PACKET_TYPE_AGENT_DISPATCH", "HSA_PACKET_TYPE_BARRIER_OR",
};

static void put_packet(struct gt_text *t, const struct gt_hsa_kernel *k)
{
	size_t from;

	gt_atp_number(t, k->device_index, 10);
	from = t->used;
	if (k->packet_type < sizeof(packet_types) / sizeof(packet_types[0]))
		gt_text_str(t, packet_types[k->packet_type]);
	else
		gt_text_u64(t, k->packet_type);
	gt_text_pad(t, from, 35, 1);
	gt_atp_number(t, k->packet_id, 21);
	gt_text_char(t, '{');
	for (size_t i = 0; i < k->packet_fields.bytes; i++)
		if ((unsigned char)k->packet_fields.text[i] > ' ')
			gt_text_char(t, k->packet_fields.text[i]);
	gt_text_char(t, '}');
}

static bool wanted(const struct gt_export *x, const struct gt_hsa_kernel *k)
{
	return k->process == x->process->index && gt_overlaps(x->from_ns, x->to_ns, k->start_ns, k->end_ns);
}

uint32_t gt_atp_hsa_count(const struct gt_export *x, uint64_t *moved)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < gt_model_hsa_kernel_count(x->model); i++) {
		const struct gt_hsa_kernel *k = gt_model_hsa_kernel(x->model, i);

		if (!wanted(x, k))
			continue;
		n++;
		*moved += ends_early(k) + (k->start_mono_ns < 0);
	}
	return n;
}

void gt_atp_hsa_kernels(struct gt_output *o, const struct gt_export *x)
{
	bool eight = gt_option_is(x->options, "atp-version", "2");

	for (uint32_t i = 0; i < gt_model_hsa_kernel_count(x->model); i++) {
		const struct gt_hsa_kernel *k = gt_model_hsa_kernel(x->model, i);

		if (!wanted(x, k))
			continue;
		put_common(&o->text, k);
		if (eight)
			gt_atp_address(&o->text, k->queue, 21);
		else
			put_packet(&o->text, k);
		gt_text_char(&o->text, '\n');
		gt_output_drain(o);
	}
}
