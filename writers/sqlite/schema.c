/*
 * writers/sqlite/schema.c - reads the schema notation and makes CREATE TABLE statements of it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/sqlite/schema.h"

#include <stdio.h>
#include <string.h>

#include "trace/format/rec.h"

enum { ROWS = 0, ALWAYS = 1 };

#define GT_TABLE(name, when, columns) { #name, when == ALWAYS, columns },
#define GT_ENUM(name)
#define GT_VALUE(id, name, label)
static const struct gt_schema_table default_tables[] = {
#include "writers/sqlite/schema.def"
};
static const struct gt_schema_table tables_2021[] = {
#include "writers/sqlite/schema_2021.def"
};
#undef GT_TABLE
#undef GT_ENUM
#undef GT_VALUE

#define GT_TABLE(name, when, columns)
#define GT_ENUM(name) { #name, 0, NULL, NULL },
#define GT_VALUE(id, name, label) { "", id, name, label },
static const struct gt_schema_value default_enums[] = {
#include "writers/sqlite/enums.def"
	{ NULL, 0, NULL, NULL },
};
static const struct gt_schema_value enums_2021[] = {
#include "writers/sqlite/schema_2021.def"
	{ NULL, 0, NULL, NULL },
};
#undef GT_TABLE
#undef GT_ENUM
#undef GT_VALUE

const struct gt_schema_table *gt_schema_tables(enum gt_schema_edition edition, size_t *n)
{
	bool old = edition == GT_SCHEMA_2021;

	*n = old ? sizeof tables_2021 / sizeof tables_2021[0] : sizeof default_tables / sizeof default_tables[0];
	return old ? tables_2021 : default_tables;
}

const struct gt_schema_table *gt_schema_find(enum gt_schema_edition edition, const char *name)
{
	size_t n;
	const struct gt_schema_table *t = gt_schema_tables(edition, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(t[i].name, name))
			return &t[i];
	return NULL;
}

const struct gt_schema_value *gt_schema_enums(enum gt_schema_edition edition)
{
	return edition == GT_SCHEMA_2021 ? enums_2021 : default_enums;
}

const char *gt_schema_enum_columns(enum gt_schema_edition edition)
{
	return edition == GT_SCHEMA_2021 ? "number:INTEGER PRIMARY KEY, name!:TEXT"
					 : "id!:INTEGER PRIMARY KEY, name:TEXT, label:TEXT";
}

/* One column "name[!][:TYPE ...]" of `bytes` bytes. */
static void parse_column(enum gt_schema_edition edition, const char *text, size_t bytes, struct gt_schema_column *c)
{
	size_t name = strcspn(text, "!:,");

	*c = (struct gt_schema_column){ 0 };
	if (name > bytes)
		name = bytes;
	snprintf(c->name, sizeof c->name, "%.*s", (int)name, text);
	c->not_null = name < bytes && text[name] == '!';
	name += c->not_null;
	if (name < bytes && text[name] == ':')
		snprintf(c->type, sizeof c->type, "%.*s", (int)(bytes - name - 1), text + name + 1);
	else
		snprintf(c->type, sizeof c->type, "%s", edition == GT_SCHEMA_2021 ? "INT" : "INTEGER");
	c->text = !strncmp(c->type, "TEXT", 4);
	c->real = !strncmp(c->type, "REAL", 4);
}

unsigned gt_schema_columns(
	enum gt_schema_edition edition, const char *columns, struct gt_schema_column *out, const char **constraint)
{
	unsigned n = 0;

	*constraint = NULL;
	while (*columns && n < GT_SCHEMA_COLUMNS) {
		columns += strspn(columns, ", ");
		if (!strncmp(columns, "PRIMARY KEY", 11)) {
			*constraint = columns;
			break;
		}
		size_t bytes = strcspn(columns, ",");

		parse_column(edition, columns, bytes, &out[n++]);
		columns += bytes;
	}
	return n;
}

/*
 * "type NOT NULL rest": NOT NULL stands behind the first word of the type, as the exporters of both editions write it.
 */
static int print_column(char *sql, size_t bytes, const struct gt_schema_column *c)
{
	int word = (int)strcspn(c->type, " ");

	return snprintf(
		sql, bytes, "%s %.*s%s%s", c->name, word, c->type, c->not_null ? " NOT NULL" : "", c->type + word);
}

bool gt_schema_create(
	enum gt_schema_edition edition, const struct gt_schema_table *t, const char *extra, char *sql, size_t bytes)
{
	struct gt_schema_column c[GT_SCHEMA_COLUMNS];
	const char *constraint, *none;
	unsigned n = gt_schema_columns(edition, t->columns, c, &constraint);
	size_t at = 0;

	if (n < GT_SCHEMA_COLUMNS)
		n += gt_schema_columns(edition, extra, c + n, &none);
	at += (size_t)snprintf(sql, bytes, "CREATE TABLE %s (", t->name);
	for (unsigned i = 0; i < n && at < bytes; i++) {
		at += (size_t)snprintf(sql + at, bytes - at, "%s", i ? ", " : "");
		if (at < bytes)
			at += (size_t)print_column(sql + at, bytes - at, &c[i]);
	}
	if (at < bytes)
		at += (size_t)snprintf(
			sql + at, bytes - at, "%s%s)", constraint ? ", " : "", constraint ? constraint : "");
	return at < bytes;
}
