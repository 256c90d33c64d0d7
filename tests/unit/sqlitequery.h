/*
 * tests/unit/sqlitequery.h - what a database answers, as text
 *
 * Included behind cmocka.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_UNIT_SQLITEQUERY_H
#define GPUTAP_TESTS_UNIT_SQLITEQUERY_H

#include <sqlite3.h>
#include <stdio.h>

/* All rows, columns by '|', rows by newline; valid until the next query. */
static inline const char *query_rows(sqlite3 *db, const char *sql)
{
	static char out[65536];
	sqlite3_stmt *s;
	size_t n = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	out[0] = 0;
	while (sqlite3_step(s) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(s); i++) {
			const unsigned char *text = sqlite3_column_text(s, i);

			n += (size_t)snprintf(out + n, sizeof out - n, "%s%s", text ? (const char *)text : "NULL",
				i + 1 < sqlite3_column_count(s) ? "|" : "\n");
			assert_true(n < sizeof out);
		}
	sqlite3_finalize(s);
	return out;
}
#define expect_rows(f, sql, text) assert_string_equal(query_rows((f)->db, sql), text)

#endif
