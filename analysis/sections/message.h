/*
 * analysis/sections/message.h - messages of section files and reports: a tree of fields that schema.def describes
 *
 * The same tree is read from text (section files) and from bytes (reports), and written as bytes; protocol buffers in
 * both forms. Fields stand in the order in which they were read.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_MESSAGE_H
#define GPUTAP_ANALYSIS_SECTIONS_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"
#include "model/arena.h"

enum gt_field_kind {
	GT_FIELD_TEXT, GT_FIELD_BYTES, GT_FIELD_BOOL, GT_FIELD_U32, GT_FIELD_U64, GT_FIELD_I32, GT_FIELD_I64,
	GT_FIELD_F32, GT_FIELD_F64, GT_FIELD_CHOICE, GT_FIELD_PART
};
enum gt_field_count { GT_FIELD_ONE, GT_FIELD_REQUIRED, GT_FIELD_MANY };

struct gt_word { const char *word; int32_t value; };
struct gt_choice { const char *name; const struct gt_word *words; size_t n; };

struct gt_message_field {
	uint32_t number;                  /* 0: only in text */
	const char *name;
	enum gt_field_kind kind;
	enum gt_field_count count;
	const struct gt_choice *choice;   /* CHOICE */
	const struct gt_message_type *part; /* PART */
};
struct gt_message_type { const char *name; const struct gt_message_field *fields; size_t n; };

struct gt_message_value {
	const struct gt_message_field *field;
	uint32_t line, column;            /* in the text, from 1; 0: made otherwise */
	union {
		uint64_t integer;         /* numbers without a fraction, choices, true and false; sign extended */
		double real;              /* numbers with a fraction */
		struct gt_string text;    /* texts and bytes */
		struct gt_message *part;
	};
	struct gt_message_value *next;            /* in the message */
};
struct gt_message { const struct gt_message_type *type; struct gt_message_value *first, *last; };

#define MESSAGE(name) extern const struct gt_message_type gt_type_##name;
#include "analysis/sections/schema.def"

/* ---------------------------------------------------------------- made and asked; NULL or false: no memory */

struct gt_message *gt_message_new(struct gt_arena *a, const struct gt_message_type *type);
/* field: a name of the message's type. The caller fills in the value; NULL also where there is no such field. */
struct gt_message_value *gt_message_add(struct gt_arena *a, struct gt_message *m, const char *field);
struct gt_message_value *gt_message_append(struct gt_arena *a, struct gt_message *m, const struct gt_message_field *f);
struct gt_message *gt_message_add_part(struct gt_arena *a, struct gt_message *m, const char *field);
/* The text is copied. */
bool gt_message_add_text(struct gt_arena *a, struct gt_message *m, const char *field, const char *s, size_t n);
bool gt_message_add_integer(struct gt_arena *a, struct gt_message *m, const char *field, uint64_t v);
bool gt_message_add_real(struct gt_arena *a, struct gt_message *m, const char *field, double v);

/* The first value of a field behind `after` (NULL: from the start); NULL: none. */
const struct gt_message_value *gt_message_next(
	const struct gt_message *m, const char *field, const struct gt_message_value *after);
/* Its first value, or what stands for it. */
const struct gt_message *gt_message_part(const struct gt_message *m, const char *field);    /* NULL */
struct gt_string gt_message_text(const struct gt_message *m, const char *field);            /* "" */
uint64_t gt_message_integer(const struct gt_message *m, const char *field, uint64_t otherwise);
const struct gt_message_field *gt_field_find(const struct gt_message_type *type, const char *name, size_t bytes);

/* ---------------------------------------------------------------- text */

/* What is left out: "a.section", 12, 3, "ProfilerSectionTable has no field Colums: it is left out" */
struct gt_text_notes {
	void (*note)(void *ctx, const char *path, uint32_t line, uint32_t column, const char *what);
	void *ctx;
};

/*
 * Parses a text into *out. An unknown field is a note, or with strict an error; everything else that is wrong is one:
 * *err names path, line and column. Values live as long as the arena.
 */
int gt_message_parse(struct gt_arena *a, const struct gt_message_type *type, const char *path, const char *text,
	size_t bytes, bool strict, const struct gt_text_notes *notes, struct gt_message **out, struct gt_err *err);

/* ---------------------------------------------------------------- bytes */

/* Appends the message; t->failed tells of missing memory. */
void gt_message_encode(struct gt_text *t, const struct gt_message *m);
/* Unknown fields are skipped; texts point into `bytes`. path, offset: for messages. */
int gt_message_decode(struct gt_arena *a, const struct gt_message_type *type, const char *path, uint64_t offset,
	const void *data, size_t bytes, struct gt_message **out, struct gt_err *err);

#endif
