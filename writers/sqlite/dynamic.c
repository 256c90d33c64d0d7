/*
 * writers/sqlite/dynamic.c - --dynamic-tables: a table for each schema of structured NVTX payloads, a column for each
 * of its members
 *
 * Made by SQLite itself, from NVTX_EVENTS.jsonText, when everything else is in the file: who asks for these tables has
 * few payloads, or time. A member's column is named as the program named it; one without a name, or with a name that
 * another column has, by its number. Of members with one name the first is the first of that key in the text, and so
 * on. spec: nsys SQLite "Read NVTX Binary Payload Fields"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sqlite3.h>
#include <string.h>

#include "writers/sqlite/db.h"

#define MEMBERS_MAX 256                   /* what the trace keeps of a schema */

/* name NULL: nothing can be read by it. before: members of the same name that stand before it. */
struct members { int n; char *name[MEMBERS_MAX], *column[MEMBERS_MAX]; int before[MEMBERS_MAX]; };

static bool taken(const struct members *m, const char *column)
{
	bool found = !sqlite3_stricmp(column, "eventId");

	for (int i = 0; i < m->n && !found; i++)
		found = !sqlite3_stricmp(column, m->column[i]);
	return found;
}

/* Its number; a member may be called "member3" too. NULL: no memory. */
static char *column_by_number(const struct members *m)
{
	char *column = sqlite3_mprintf("member%d", m->n);

	while (column && taken(m, column))
		column = sqlite3_mprintf("%z_", column);
	return column;
}

static bool add_member(struct members *m, const char *name)
{
	bool usable = name && *name && !strchr(name, '"');

	m->before[m->n] = 0;
	for (int i = 0; usable && i < m->n; i++)
		m->before[m->n] += m->name[i] && !strcmp(m->name[i], name);
	m->name[m->n] = usable ? sqlite3_mprintf("%s", name) : NULL;
	m->column[m->n] = usable && !taken(m, name) ? sqlite3_mprintf("%s", name) : column_by_number(m);
	return m->column[m->n] && (m->name[m->n] || !usable) ? ++m->n : 0;
}

static void free_members(struct members *m)
{
	for (int i = 0; i < m->n; i++) {
		sqlite3_free(m->name[i]);
		sqlite3_free(m->column[i]);
	}
}

static bool read_members(sqlite3 *db, sqlite3_int64 domain, sqlite3_int64 schema, struct members *m)
{
	sqlite3_stmt *s = NULL;
	bool ok = sqlite3_prepare_v2(db,
			  "SELECT name FROM NVTX_PAYLOAD_SCHEMA_ENTRIES WHERE domainId = ?1 AND schemaId = ?2 GROUP BY "
	                  "idx ORDER BY idx",
			  -1, &s, NULL) == SQLITE_OK;

	sqlite3_bind_int64(s, 1, domain);
	sqlite3_bind_int64(s, 2, schema);
	while (ok && m->n < MEMBERS_MAX && sqlite3_step(s) == SQLITE_ROW)
		ok = add_member(m, (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return ok;
}

/* The two statements. */
static char *table_sql(const struct members *m, sqlite3_int64 pid, sqlite3_int64 domain, sqlite3_int64 schema)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	sqlite3_str_appendf(s, "CREATE TABLE DYNAMIC_NVTXPAYLOAD_DATATYPE_%lld_%lld_%lld (eventId INTEGER NOT NULL",
		pid, domain, schema);
	for (int i = 0; i < m->n; i++)
		sqlite3_str_appendf(s, ", \"%w\"", m->column[i]);
	sqlite3_str_appendf(
		s, "); INSERT INTO DYNAMIC_NVTXPAYLOAD_DATATYPE_%lld_%lld_%lld SELECT e.eventId", pid, domain, schema);
	for (int i = 0; i < m->n; i++)
		if (m->name[i] && m->before[i])
			sqlite3_str_appendf(s,
				", (SELECT value FROM json_each(e.jsonText) WHERE key = '%q' LIMIT 1 OFFSET %d)",
				m->name[i], m->before[i]);
		else if (m->name[i])
			sqlite3_str_appendf(s, ", json_extract(e.jsonText, '$.\"%q\"')", m->name[i]);
		else
			sqlite3_str_appendall(s, ", NULL");
	sqlite3_str_appendf(s,
		" FROM NVTX_EVENTS_PAYLOAD_SCHEMAS l JOIN NVTX_EVENTS e USING (eventId) "
		"WHERE l.globalPid = %lld AND l.domainId = %lld AND l.payloadSchemaID = %lld",
		pid, domain, schema);
	return sqlite3_str_finish(s);
}

static bool has_table(sqlite3 *db, const char *table)
{
	return sqlite3_table_column_metadata(db, NULL, table, NULL, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

bool gt_sql_dynamic_tables(sqlite3 *db)
{
	sqlite3_stmt *s = NULL;
	bool ok = true;

	if (!has_table(db, "NVTX_EVENTS_PAYLOAD_SCHEMAS") || !has_table(db, "NVTX_PAYLOAD_SCHEMA_ENTRIES"))
		return true;                    /* no payload, or nobody said what it means */
	if (sqlite3_prepare_v2(db,
		    "SELECT globalPid, domainId, payloadSchemaID FROM NVTX_EVENTS_PAYLOAD_SCHEMAS GROUP BY 1, 2, 3", -1,
		    &s, NULL) != SQLITE_OK)
		return false;
	while (ok && sqlite3_step(s) == SQLITE_ROW) {
		sqlite3_int64 pid = sqlite3_column_int64(s, 0), domain = sqlite3_column_int64(s, 1),
			      schema = sqlite3_column_int64(s, 2);
		struct members m = { 0 };
		char *sql = read_members(db, domain, schema, &m) && m.n ? table_sql(&m, pid, domain, schema) : NULL;

		ok = !m.n || (sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
		sqlite3_free(sql);
		free_members(&m);
	}
	sqlite3_finalize(s);
	return ok;
}
