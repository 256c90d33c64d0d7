/*
 * writers/sqlite/schema.h - the tables of both editions, as data
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_SQLITE_SCHEMA_H
#define GPUTAP_WRITERS_SQLITE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gt_schema_edition { GT_SCHEMA_DEFAULT, GT_SCHEMA_2021 };

#define GT_SCHEMA_COLUMNS 64            /* no table has more; a row's set cells fit one word */

struct gt_schema_table {
	const char *name;
	bool always;                    /* created without rows too, unless --lazy=true */
	const char *columns;            /* notation: schema.def */
};

struct gt_schema_column {
	char name[48];
	char type[64];                  /* "INTEGER", "INTEGER PRIMARY KEY" */
	bool not_null, text, real;
};

struct gt_schema_value { const char *table; int64_t id; const char *name, *label; };

/* All tables of an edition but the enumerations, in the order in which they are created. */
const struct gt_schema_table *gt_schema_tables(enum gt_schema_edition edition, size_t *n);
const struct gt_schema_table *gt_schema_find(enum gt_schema_edition edition, const char *name); /* NULL */

/*
 * Columns of a notation, at most GT_SCHEMA_COLUMNS; *constraint = the PRIMARY KEY (...) behind them or NULL. Returns
 * how many.
 */
unsigned gt_schema_columns(
	enum gt_schema_edition edition, const char *columns, struct gt_schema_column *out, const char **constraint);
/* CREATE TABLE statement; extra = more notation behind the columns, or "". False: does not fit. */
bool gt_schema_create(
	enum gt_schema_edition edition, const struct gt_schema_table *t, const char *extra, char *sql, size_t bytes);

/* Enumerations: a row with name NULL begins a table. Terminated by table NULL. */
const struct gt_schema_value *gt_schema_enums(enum gt_schema_edition edition);
/* Columns of every enumeration table of the edition. */
const char *gt_schema_enum_columns(enum gt_schema_edition edition);

#endif
