/*
 * cli/show/show.h - one description of a record, shown as text and as JSON
 *
 * A record of the model (a call, an object, a kernel, ...) is described by a table of its fields: name, how it prints,
 * where it lies. JSON is the table in its order. A line of text is a template that names the fields it wants:
 *
 *   {name}           the value; nothing when it is absent
 *   { at=name}       with something before it
 *   {name|none}      ... or this when it is absent
 *   *                all fields that are not JSON's alone: " name=value"; of text's alone and flags " value"
 *
 * So a field that is new is one line of its table.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_SHOW_H
#define GPUTAP_CLI_SHOW_H

#include "cli/json.h"
#include "model/model.h"

struct gt_shown;

/* A line's template, taken apart: a text, and behind it a field's value, or something else when that is absent. */
#define GT_SHOW_PIECES 24
struct gt_show_piece {
	struct gt_string before;
	const struct gt_shown *field;
	struct gt_string otherwise;
	bool all;                         /* all fields stand here */
};
struct gt_show_line_of { const char *text; const void *part; unsigned n; struct gt_show_piece pieces[GT_SHOW_PIECES]; };

#define GT_SHOW_LINES 16
struct gt_show {
	struct gt_text *t;
	bool json;
	struct gt_model *m;
	struct gt_cuda *cuda;             /* for arguments of CUDA calls */
	const struct gt_enum *errors;     /* names of OpenCL's result codes */
	const void *outer;                /* the record around the one that is shown inside it; NULL */
	struct gt_show_line_of lines[GT_SHOW_LINES];    /* show.c's own */
};

/* Appends the value; false: it is absent, and what was appended goes again. */
typedef bool gt_show_value(struct gt_show *s, const struct gt_shown *f, const void *record);

enum gt_show_use { GT_SHOW_BOTH, GT_SHOW_JSON, GT_SHOW_TEXT };

struct gt_shown {
	const char *name;
	gt_show_value *show;
	uint16_t at, size;                /* of the value in the record */
	bool is_signed;
	uint8_t use;                      /* enum gt_show_use */
	uint16_t has;                     /* offset of a bool that says whether there is one; 0: none says so */
	uint32_t mask;                    /* bits of the value that count; 0: all */
	const char *(*word)(int value);   /* names of values; NULL from it: absent */
};

/* A field of type T: an integer, an enumeration or a truth value; anything else; one that its own function finds. */
#define GT_NUMBER(T, member) .at = offsetof(T, member), .size = sizeof(((T *)0)->member), \
	.is_signed = (__typeof__(((T *)0)->member))-1 < 1
#define GT_PLACE(T, member) .at = offsetof(T, member), .size = sizeof(((T *)0)->member)
#define GT_OWN .at = 0
#define GT_HAS(T, member) .has = offsetof(T, member)
#define GT_JSON_ONLY .use = GT_SHOW_JSON
#define GT_TEXT_ONLY .use = GT_SHOW_TEXT

struct gt_shown_list { const struct gt_shown *v; unsigned n; };
#define GT_SHOW_PARTS 3
#define GT_FIELDS(list) { list, sizeof(list) / sizeof *(list) }

struct gt_shape {
	const char *type;                 /* JSON's "type"; NULL: none, as of what is inside another record */
	const char *text;                 /* template of the line; NULL: JSON only */
	struct gt_shown_list parts[GT_SHOW_PARTS];       /* of every such record, by kind, at the end */
};

/* A line of output. */
void gt_show_record(struct gt_show *s, const struct gt_shape *shape, const void *record);
/* Inside another record: an object, or the template without a line's end. */
void gt_show_inside(struct gt_show *s, const struct gt_shape *shape, const void *record, const void *outer);
/* An integer field's value. */
int64_t gt_show_integer(const struct gt_shown *f, const void *record);

/* ---- how values print ---- */

gt_show_value gt_show_number;
gt_show_value gt_show_known;            /* absent: -1 */
gt_show_value gt_show_set;              /* absent: 0 */
gt_show_value gt_show_id;               /* absent: UINT32_MAX */
gt_show_value gt_show_hex;              /* "0x10" */
gt_show_value gt_show_set_hex;          /* absent: 0 */
gt_show_value gt_show_flag;             /* true, false; in text " name" or nothing */
gt_show_value gt_show_when;             /* ns; absent: GT_NO_TIME */
gt_show_value gt_show_moment;           /* ns, null for GT_NO_TIME; in text seconds: 0.000001234 */
gt_show_value gt_show_string;           /* struct gt_string, quoted; absent: empty */
gt_show_value gt_show_text;             /* ... empty one: "" */
gt_show_value gt_show_message;          /* ... absent: no text at all, not even an empty one */
gt_show_value gt_show_raw;              /* ... in text without quotes */
gt_show_value gt_show_c_string;         /* const char *, quoted */
gt_show_value gt_show_line;             /* ... in text without quotes */
gt_show_value gt_show_word;             /* of the field's names, quoted */
gt_show_value gt_show_kind;             /* ... in text without quotes */
gt_show_value gt_show_sizes;            /* uint32_t [3]: [1,2,3]; in text 1x2x3 */
gt_show_value gt_show_content_id;       /* uint64_t [2]: 32 hexadecimal digits */
gt_show_value gt_show_pid;              /* of a process by its index */
gt_show_value gt_show_instance;
gt_show_value gt_show_tid;              /* of a thread by its index; 0: there is none */
gt_show_value gt_show_object;           /* struct gt_object *: handle and id; absent: NULL */

/* Whose a record is, in each record that names its process: JSON tells both numbers, a line's template the first. */
#define GT_WHOSE(T) \
	{ "pid", gt_show_pid, GT_NUMBER(T, process), GT_JSON_ONLY }, \
	{ "instance", gt_show_instance, GT_NUMBER(T, process), GT_JSON_ONLY }

/* Several values of one field: "[1,2]", in text "1x2". */
void gt_show_list(struct gt_show *s, const uint64_t *v, uint32_t n);
/* ["one","two"] in both */
void gt_show_strings(struct gt_text *t, size_t n, const char *const *v);
/* Quoted in JSON, as it is in text. */
void gt_show_plain(struct gt_show *s, const char *text, size_t bytes);
const char *gt_show_loss(int reason);   /* "TIME_ZERO"; NULL */

#endif
