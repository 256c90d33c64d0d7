/*
 * cli/show/value.c - how the values of shown fields print, as text and as JSON
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/harmless.h"
#include "cli/show/show.h"

/* ------------------------------------------------------------------ numbers */

static const void *at(const struct gt_shown *f, const void *record) { return (const char *)record + f->at; }

int64_t gt_show_integer(const struct gt_shown *f, const void *record)
{
	const void *v = at(f, record);
	int64_t n;

	switch (f->size) {
	case 1: n = f->is_signed ? (int64_t)*(const int8_t *)v : (int64_t)*(const uint8_t *)v; break;
	case 2: n = f->is_signed ? (int64_t)*(const int16_t *)v : (int64_t)*(const uint16_t *)v; break;
	case 4: n = f->is_signed ? (int64_t)*(const int32_t *)v : (int64_t)*(const uint32_t *)v; break;
	default: n = *(const int64_t *)v; break;
	}
	return f->mask ? n & f->mask : n;
}

bool gt_show_number(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	if (f->is_signed)
		gt_text_i64(s->t, gt_show_integer(f, record));
	else
		gt_text_u64(s->t, (uint64_t)gt_show_integer(f, record));
	return true;
}

bool gt_show_known(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return gt_show_integer(f, record) != -1 && gt_show_number(s, f, record);
}

bool gt_show_set(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return gt_show_integer(f, record) && gt_show_number(s, f, record);
}

bool gt_show_id(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return gt_show_integer(f, record) != UINT32_MAX && gt_show_number(s, f, record);
}

bool gt_show_hex(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	uint64_t v = (uint64_t)gt_show_integer(f, record);

	if (s->json) {
		gt_json_hex(s->t, v);
	} else {
		gt_text_lit(s->t, "0x");
		gt_text_hex(s->t, v, 1, false);
	}
	return true;
}

bool gt_show_set_hex(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return gt_show_integer(f, record) && gt_show_hex(s, f, record);
}

bool gt_show_flag(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	bool v = gt_show_integer(f, record);

	gt_text_str(s->t, !s->json ? f->name : v ? "true" : "false");
	return s->json || v;
}

/* -------------------------------------------------------------------- times */

bool gt_show_when(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return gt_show_integer(f, record) != GT_NO_TIME && gt_show_number(s, f, record);
}

/* Seconds with nine digits: 0.000001234 */
static void seconds(struct gt_text *t, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char digits[9];

	if (ns < 0)
		gt_text_char(t, '-');
	gt_text_u64(t, n / 1000000000u);
	n %= 1000000000u;
	for (int i = 8; i >= 0; i--, n /= 10)
		digits[i] = (char)('0' + n % 10);
	gt_text_char(t, '.');
	gt_text_bytes(t, digits, 9);
}

bool gt_show_moment(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	int64_t ns = gt_show_integer(f, record);

	if (!s->json)
		seconds(s->t, ns);
	else if (ns == GT_NO_TIME)
		gt_text_lit(s->t, "null");
	else
		gt_text_i64(s->t, ns);
	return true;
}

/* -------------------------------------------------------------------- texts */

void gt_show_plain(struct gt_show *s, const char *text, size_t bytes)
{
	if (s->json)
		gt_json_string(s->t, text, bytes);
	else
		gt_text_harmless(s->t, text, bytes);
}

bool gt_show_message(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_string *v = at(f, record);

	if (v->text)
		gt_json_string(s->t, v->text, v->bytes);
	return v->text;
}

bool gt_show_string(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return ((const struct gt_string *)at(f, record))->bytes && gt_show_message(s, f, record);
}

bool gt_show_text(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	if (!gt_show_message(s, f, record))
		gt_text_lit(s->t, "\"\"");
	return true;
}

bool gt_show_raw(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_string *v = at(f, record);

	gt_show_plain(s, v->text ? v->text : "", v->bytes);
	return true;
}

bool gt_show_c_string(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const char *v = *(const char *const *)at(f, record);

	gt_json_string(s->t, v, strlen(v));
	return true;
}

bool gt_show_line(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const char *v = *(const char *const *)at(f, record);

	gt_show_plain(s, v, strlen(v));
	return true;
}

static const char *word(const struct gt_shown *f, const void *record)
{
	return f->word((int)gt_show_integer(f, record));
}

bool gt_show_word(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const char *v = word(f, record);

	if (v)
		gt_json_string(s->t, v, strlen(v));
	return v;
}

bool gt_show_kind(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const char *v = word(f, record);

	if (v)
		gt_show_plain(s, v, strlen(v));
	return v;
}

/* -------------------------------------------------------------------- lists */

void gt_show_list(struct gt_show *s, const uint64_t *v, uint32_t n)
{
	if (s->json)
		gt_text_char(s->t, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			gt_text_char(s->t, s->json ? ',' : 'x');
		gt_text_u64(s->t, v[i]);
	}
	if (s->json)
		gt_text_char(s->t, ']');
}

void gt_show_strings(struct gt_text *t, size_t n, const char *const *v)
{
	gt_text_char(t, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			gt_text_char(t, ',');
		gt_json_string(t, v[i], strlen(v[i]));
	}
	gt_text_char(t, ']');
}

bool gt_show_sizes(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const uint32_t *v = at(f, record);

	gt_show_list(s, (const uint64_t[]){ v[0], v[1], v[2] }, 3);
	return true;
}

bool gt_show_content_id(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const uint64_t *id = at(f, record);
	const char *quote = s->json ? "\"" : "";

	gt_text_str(s->t, quote);
	gt_text_hex(s->t, id[1], 16, false);
	gt_text_hex(s->t, id[0], 16, false);
	gt_text_str(s->t, quote);
	return true;
}

/* -------------------------------------------------------------------- whose */

bool gt_show_pid(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	gt_text_i64(s->t, gt_model_process(s->m, (uint32_t)gt_show_integer(f, record))->pid);
	return true;
}

bool gt_show_instance(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	gt_text_i64(s->t, gt_model_process(s->m, (uint32_t)gt_show_integer(f, record))->instance);
	return true;
}

bool gt_show_tid(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_thread *t = gt_model_thread(s->m, (uint32_t)gt_show_integer(f, record));

	gt_text_i64(s->t, t ? t->tid : 0);
	return true;
}

bool gt_show_object(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_object *o = *(const struct gt_object *const *)at(f, record);

	if (!o)
		return false;
	gt_text_char(s->t, '{');
	gt_json_field_hex(s->t, "handle", o->handle);
	gt_json_field_u64(s->t, "id", o->id);
	gt_text_char(s->t, '}');
	return true;
}

const char *gt_show_loss(int reason)
{
	static const char *const names[] = {
#define X(id, text) #id,
		REC_REASONS(X)
#undef X
	};

	return reason >= 0 && reason < REC_LOSS_END ? names[reason] : NULL;
}
