/*
 * writers/sqlite/db.h - a database being filled: tables, rows in batches, strings
 *
 * One walk over the trace fills all tables at once (writers/sqlite/pages.h). What a row says is named ("cells"); the
 * edition's schema decides which cell stands in which column. A table that the edition has not takes rows and drops
 * them.
 *
 * Errors stick: the first one is kept, later calls do nothing, gt_sql_failed() tells.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_SQLITE_DB_H
#define GPUTAP_WRITERS_SQLITE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "writers/sqlite/schema.h"

enum gt_sql_lazy { GT_SQL_LAZY_UNSET, GT_SQL_LAZY_TRUE, GT_SQL_LAZY_FALSE };

struct gt_sql_options {
	enum gt_schema_edition edition;
	enum gt_sql_lazy lazy;
	bool index;
	bool arguments;                 /* OPENCL_API.arguments */
	bool dynamic;                   /* a table for each payload schema */
	const char *shown;              /* what messages name; NULL: the path that is written */
};

struct gt_sql;

/* Creates path (what was there is removed) with its always present tables. 0, or -1 with *err. */
int gt_sql_open(const char *path, const struct gt_sql_options *opt, struct gt_sql **out, struct gt_err *err);
/*
 * Writes what is left, the strings and the indices, and closes. keep false: only closes. db is gone afterwards. 0 or
 * -1.
 */
int gt_sql_close(struct gt_sql *db, bool keep, struct gt_err *err);
bool gt_sql_failed(const struct gt_sql *db);
void gt_sql_no_memory(struct gt_sql *db); /* makes it so */

/* dynamic.c: of a whole database. False: sqlite3_errmsg() says why. */
struct sqlite3;
bool gt_sql_dynamic_tables(struct sqlite3 *db);

/* ---- rows ---- */

/*
 * One row: bit i of set tells that v[i] holds cell i; of text, that it is the address of a terminated string; of real,
 * that it is the bits of a double. A cell keeps its kind within a row. One that is not of its column's kind stays NULL:
 * a column of one name has another type in another edition.
 */
struct gt_sql_row { uint64_t set, text, real; int64_t v[]; };

struct gt_sql_table;
/*
 * The table `name` fed with n cells of these names, by ascending rowid; a table with PRIMARY KEY (...) cannot be.
 * Never NULL.
 */
struct gt_sql_table *gt_sql_feed(struct gt_sql *db, const char *name, const char *const *cells, unsigned n);
bool gt_sql_is_2021(const struct gt_sql *db);
bool gt_sql_wanted(const struct gt_sql_table *t); /* false: the edition has no such table */
/* True when the cell's column is there and TEXT. */
bool gt_sql_takes_text(const struct gt_sql_table *t, unsigned cell);
/* A new row, all cells NULL. Valid until the next call for this table. */
struct gt_sql_row *gt_sql_add(struct gt_sql_table *t);
uint64_t gt_sql_rows(const struct gt_sql_table *t);  /* added so far */

static inline void gt_put(struct gt_sql_row *r, unsigned cell, int64_t value)
{
	r->v[cell] = value;
	r->set |= 1ull << cell;
}
/* The value of a REAL cell. */
static inline void gt_put_real(struct gt_sql_row *r, unsigned cell, double value)
{
	int64_t bits;

	__builtin_memcpy(&bits, &value, sizeof bits);
	gt_put(r, cell, bits);
	r->real |= 1ull << cell;
}
/* A copy of the text, made valid UTF-8; NULL stays NULL. */
void gt_put_text(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text, size_t bytes);
void gt_put_str(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text);

/* A text that lives until the database is closed and is valid UTF-8: not copied. */
void gt_put_constant(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text);

/* ---- strings ---- */

/* Id in StringIds of this text (made valid UTF-8); the same text has one id. Id 0 is "[Unknown]". */
int64_t gt_sql_string(struct gt_sql *db, const char *text, size_t bytes);
/* ... and back */
const char *gt_sql_text(const struct gt_sql *db, int64_t id);
/* One more value of an enumeration table, named by that string. */
void gt_sql_enum_add(struct gt_sql *db, const char *table, int64_t id, int64_t string);

/* writers/sqlite/strings.c */
struct gt_strings;
struct gt_strings *gt_strings_new(void);          /* NULL: no memory */
void gt_strings_free(struct gt_strings *s);
int64_t gt_strings_intern(struct gt_strings *s, const char *text, size_t bytes); /* -1: no memory */
size_t gt_strings_count(const struct gt_strings *s);
const char *gt_strings_at(const struct gt_strings *s, size_t id);
/*
 * Writes the text as valid UTF-8 without NUL bytes, wrong bytes as \xNN; out holds 4 * bytes + 1. Returns its length.
 */
size_t gt_utf8(const char *text, size_t bytes, char *out);
bool gt_utf8_valid(const char *text, size_t bytes);

#endif
