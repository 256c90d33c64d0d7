/*
 * writers/sqlite/db.c - fills a database: SQLite makes file and schema, rows go in as finished pages
 *
 * DB1  SQLite has the file open at the beginning (schema, enumerations) and at the end (tables that turned out to
 *      have rows, indices), never while pages are written.
 * DB2  A row is encoded when the next one of its table is begun: until then its cells may change, and texts live as
 *      long.
 * DB3  No journal: nobody reads before the end, and the caller removes the file after a failure.
 * DB4  A value goes only into a column of its kind: what the row calls a text is never read as a number, nor a number
 *      as a text's address.
 *
 * Figures behind the choices: docs/sqlite.md "Speed".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/sqlite/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/temporary.h"
#include "writers/sqlite/pages.h"

#define TABLES_MAX 64
#define VALUES_MAX 64

enum column_kind { COLUMN_INT, COLUMN_TEXT, COLUMN_ROWID, COLUMN_REAL };
struct column { uint8_t kind; int8_t cell; bool filled; }; /* cell -1: none; filled: NULL becomes 0 or '' */

struct text { struct text *next; size_t used, bytes; char data[]; };

struct gt_sql_table {
	struct gt_sql *db;
	const struct gt_schema_table *schema; /* NULL: not in this edition */
	const char *extra;              /* notation of columns added by an option */
	uint64_t rows;
	struct gt_btree *tree;
	struct gt_sql_row *row;         /* DB2; the last one added */
	bool pending;                   /* ... and not yet encoded */
	struct text *texts;             /* of that row */
	size_t text_bytes;
	unsigned n_columns;
	struct column column[GT_SCHEMA_COLUMNS];
};

struct gt_sql {
	struct gt_sql_options opt;
	struct gt_strings *strings;
	struct gt_pages *pages;
	char path[PATH_MAX];
	struct gt_sql_table *table[TABLES_MAX];
	unsigned n_tables;
	struct gt_sql_table nowhere;    /* takes rows when there is no memory for a table */
	uint8_t *record;                /* a record being encoded */
	size_t record_bytes;
	struct gt_schema_value value[VALUES_MAX]; /* added to enumerations */
	unsigned n_values;
	sqlite3 *sqlite;                /* DB1 */
	bool failed;
	struct gt_err err;
};

static void fail(struct gt_sql *db, const char *what, const char *why)
{
	if (db->failed)
		return;
	db->failed = true;
	gt_fail(&db->err, GT_EXIT_OUTPUT, why, NULL, "%s: %s", db->opt.shown ? db->opt.shown : db->path, what);
}

/* SQLite says "disk I/O error" of whatever the system had refused. */
static void fail_by_sqlite(struct gt_sql *db, const char *what)
{
	int code = db->sqlite ? sqlite3_errcode(db->sqlite) & 0xff : SQLITE_NOMEM, system = 0;

	if (code == SQLITE_IOERR)
		sqlite3_file_control(db->sqlite, NULL, SQLITE_FCNTL_LAST_ERRNO, &system);

	fail(db, what, system ? strerror(system) : db->sqlite ? sqlite3_errmsg(db->sqlite) : "no memory");
}

void gt_sql_no_memory(struct gt_sql *db) { fail(db, "no memory", NULL); }
bool gt_sql_failed(const struct gt_sql *db) { return db->failed; }

static void run(struct gt_sql *db, const char *sql)
{
	if (!db->failed && sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_by_sqlite(db, "cannot write the database");
}

/* ------------------------------------------------------------------------ rows */

/* Bytes of the value's record form (0 for 0 and 1) and its serial type. sqlite.org/fileformat2.html section 2.1. */
static unsigned int_bytes(int64_t v, uint8_t *type)
{
	uint64_t size = v < 0 ? ~(uint64_t)v : (uint64_t)v;

	if (v == 0 || v == 1)
		return *type = 8 + (uint8_t)v, 0;
	if (size <= 0x7f)
		return *type = 1, 1;
	if (size <= 0x7fff)
		return *type = 2, 2;
	if (size <= 0x7fffff)
		return *type = 3, 3;
	if (size <= 0x7fffffff)
		return *type = 4, 4;
	if (size <= 0x7fffffffffffull)
		return *type = 5, 6;
	return *type = 6, 8;
}

static uint8_t *put_int(uint8_t *to, int64_t v, uint8_t *type)
{
	unsigned n = int_bytes(v, type);
	uint64_t big = __builtin_bswap64(n ? (uint64_t)v << (64 - 8 * n) : 0);

	memcpy(to, &big, 8);                    /* room for eight is always there */
	return to + n;
}

struct encoded { uint8_t header[GT_SCHEMA_COLUMNS * 9]; unsigned header_bytes; uint8_t *end; int64_t rowid; };

static void encode_column(struct encoded *e, const struct column *c, const struct gt_sql_row *r)
{
	static const enum column_kind given[] = { COLUMN_INT, COLUMN_TEXT, COLUMN_REAL };
	bool has = c->cell >= 0 && r->set >> c->cell & 1;

	if (has) {
		enum column_kind kind = given[(r->text >> c->cell & 1) + 2 * (r->real >> c->cell & 1)];

		has = kind == (c->kind == COLUMN_ROWID ? COLUMN_INT : c->kind); /* DB4 */
	}
	if (has && c->kind == COLUMN_INT) {
		e->end = put_int(e->end, r->v[c->cell], &e->header[e->header_bytes++]);
	} else if (has && c->kind == COLUMN_REAL) {
		uint64_t big = __builtin_bswap64((uint64_t)r->v[c->cell]);

		e->header[e->header_bytes++] = 7;
		memcpy(e->end, &big, 8);
		e->end += 8;
	} else if (has && c->kind == COLUMN_TEXT) {
		const char *text = (const char *)(intptr_t)r->v[c->cell];
		size_t bytes = strlen(text);

		e->header_bytes += gt_varint(e->header + e->header_bytes, 13 + 2 * (uint64_t)bytes);
		memcpy(e->end, text, bytes);
		e->end += bytes;
	} else if (has) {
		e->rowid = r->v[c->cell];
		e->header[e->header_bytes++] = 0; /* the rowid stands in the cell */
	} else {
		e->header[e->header_bytes++] = !c->filled ? 0 : c->kind == COLUMN_TEXT ? 13 : 8;
	}
}

/* Room for the body of the pending row, behind the longest header. */
static uint8_t *record_room(struct gt_sql *db, const struct gt_sql_table *t, size_t fixed)
{
	size_t bytes = fixed + t->text_bytes;

	if (bytes > db->record_bytes) {
		uint8_t *record = realloc(db->record, bytes * 2);

		if (!record) {
			fail(db, "no memory", NULL);
			return NULL;
		}
		db->record = record;
		db->record_bytes = bytes * 2;
	}
	return db->record;
}

static void reset_texts(struct gt_sql_table *t)
{
	while (t->texts && t->texts->next) {
		struct text *x = t->texts->next;

		t->texts->next = x->next;
		free(x);
	}
	if (t->texts)
		t->texts->used = 0;
	t->text_bytes = 0;
}

static void encode_pending(struct gt_sql_table *t)
{
	enum { BODY = GT_SCHEMA_COLUMNS * 9 + 16 };
	struct encoded e = { .header_bytes = 0, .rowid = (int64_t)t->rows };
	uint8_t *record, size[9], *start;
	unsigned n;

	if (!t->pending || t->db->failed)
		return;
	t->pending = false;
	record = record_room(t->db, t, BODY + GT_SCHEMA_COLUMNS * 8 + 8);
	if (!record)
		return;
	e.end = record + BODY;
	for (unsigned i = 0; i < t->n_columns; i++)
		encode_column(&e, &t->column[i], t->row);
	/* The header's size counts itself: one byte up to 127, then two. */
	n = gt_varint(size, e.header_bytes + (e.header_bytes < 127 ? 1 : 2));
	start = record + BODY - e.header_bytes - n;
	memcpy(start, size, n);
	memcpy(start + n, e.header, e.header_bytes);
	if (!gt_btree_add(t->tree, e.rowid, start, (size_t)(e.end - start)))
		fail(t->db, "no memory", NULL);
	else if (gt_pages_error(t->db->pages))
		fail(t->db, "cannot write the database", strerror(gt_pages_error(t->db->pages)));
	if (t->text_bytes)
		reset_texts(t);
}

struct gt_sql_row *gt_sql_add(struct gt_sql_table *t)
{
	if (t->schema) {
		encode_pending(t);
		t->pending = true;
		t->rows++;
	}
	t->row->set = t->row->text = t->row->real = 0;
	return t->row;
}

uint64_t gt_sql_rows(const struct gt_sql_table *t) { return t->rows; }
bool gt_sql_wanted(const struct gt_sql_table *t) { return t->schema != NULL; }

bool gt_sql_takes_text(const struct gt_sql_table *t, unsigned cell)
{
	for (unsigned i = 0; i < t->n_columns; i++)
		if (t->column[i].cell == (int)cell)
			return t->column[i].kind == COLUMN_TEXT;
	return false;
}

static void put_address(struct gt_sql_row *r, unsigned cell, const char *text)
{
	gt_put(r, cell, (intptr_t)text);
	r->text |= 1ull << cell;
}

static char *text_room(struct gt_sql_table *t, size_t bytes)
{
	struct text *x = t->texts;

	if (!x || x->bytes - x->used < bytes) {
		size_t room = bytes > 4096 ? bytes : 4096;

		x = malloc(sizeof *x + room);
		if (!x) {
			fail(t->db, "no memory", NULL);
			return NULL;
		}
		*x = (struct text){ .next = t->texts, .bytes = room };
		t->texts = x;
	}
	char *to = x->data + x->used;

	x->used += bytes;
	t->text_bytes += bytes;
	return to;
}

void gt_put_text(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text, size_t bytes)
{
	if (!text || !t->schema || t->db->failed)
		return;
	bool valid = gt_utf8_valid(text, bytes);
	char *to = text_room(t, valid ? bytes + 1 : bytes * 4 + 1);

	if (!to)
		return;
	if (valid) {
		memcpy(to, text, bytes);
		to[bytes] = 0;
	} else {
		gt_utf8(text, bytes, to);
	}
	put_address(r, cell, to);
}

void gt_put_str(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text)
{
	if (text)
		gt_put_text(t, r, cell, text, strlen(text));
}

void gt_put_constant(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text)
{
	t->text_bytes += strlen(text);          /* room for it in the record */
	put_address(r, cell, text);
}

int64_t gt_sql_string(struct gt_sql *db, const char *text, size_t bytes)
{
	int64_t id;

	if (!text)
		return 0;
	if (gt_utf8_valid(text, bytes)) {
		id = gt_strings_intern(db->strings, text, bytes);
	} else {
		char *clean = malloc(bytes * 4 + 1);

		id = clean ? gt_strings_intern(db->strings, clean, gt_utf8(text, bytes, clean)) : -1;
		free(clean);
	}
	if (id < 0) {
		fail(db, "no memory", NULL);
		return 0;
	}
	return id;
}

const char *gt_sql_text(const struct gt_sql *db, int64_t id) { return gt_strings_at(db->strings, (size_t)id); }

bool gt_sql_is_2021(const struct gt_sql *db) { return db->opt.edition == GT_SCHEMA_2021; }

void gt_sql_enum_add(struct gt_sql *db, const char *table, int64_t id, int64_t string)
{
	const char *name = gt_strings_at(db->strings, (size_t)string);

	if (db->n_values < VALUES_MAX && db->opt.edition == GT_SCHEMA_DEFAULT)
		db->value[db->n_values++] = (struct gt_schema_value){ table, id, name, name };
}

/* ----------------------------------------------------------------------- tables */

static void map_columns(struct gt_sql_table *t, const char *const *cells, unsigned n_cells)
{
	struct gt_schema_column c[GT_SCHEMA_COLUMNS];
	const char *constraint;
	unsigned n = gt_schema_columns(t->db->opt.edition, t->schema->columns, c, &constraint);

	n += gt_schema_columns(t->db->opt.edition, t->extra, c + n, &constraint);
	t->n_columns = n;
	for (unsigned i = 0; i < n; i++) {
		/* INTEGER alone is the row's number (sqlite.org/lang_createtable); an INT is stored, with an index */
		bool key = strstr(c[i].type, "INTEGER PRIMARY KEY");

		t->column[i] = (struct column){ .kind = key ? COLUMN_ROWID
				: c[i].text                 ? COLUMN_TEXT
				: c[i].real                 ? COLUMN_REAL
							    : COLUMN_INT,
			.cell = -1,
			.filled = c[i].not_null && !key };
		for (unsigned k = 0; k < n_cells; k++)
			if (!strcmp(cells[k], c[i].name))
				t->column[i].cell = (int8_t)k;
	}
}

static bool created_at_once(const struct gt_sql *db, const struct gt_schema_table *t)
{
	return db->opt.lazy == GT_SQL_LAZY_FALSE || (t->always && db->opt.lazy == GT_SQL_LAZY_UNSET);
}

/* What --sqlite-arguments adds. */
static const char *extra_columns(const struct gt_sql *db, const char *name)
{
	return db->opt.arguments && db->opt.edition == GT_SCHEMA_DEFAULT && !strcmp(name, "OPENCL_API")
		? "arguments:TEXT"
		: "";
}

static bool allocate_table(struct gt_sql_table *t, unsigned cells)
{
	t->row = calloc(1, sizeof *t->row + cells * sizeof t->row->v[0]);
	t->tree = t->schema ? gt_btree_new(t->db->pages) : NULL;
	return t->row && (t->tree || !t->schema);
}

struct gt_sql_table *gt_sql_feed(struct gt_sql *db, const char *name, const char *const *cells, unsigned n)
{
	struct gt_sql_table *t = db->n_tables < TABLES_MAX ? calloc(1, sizeof *t) : NULL;

	if (t) {
		db->table[db->n_tables++] = t;
		t->db = db;
		t->extra = extra_columns(db, name);
		t->schema = gt_schema_find(db->opt.edition, name);
	}
	if (!t || !allocate_table(t, n)) {
		fail(db, "no memory", NULL);
		return &db->nowhere;
	}
	if (t->schema)
		map_columns(t, cells, n);
	return t;
}

static void create_table(struct gt_sql *db, const struct gt_schema_table *schema, const char *extra)
{
	char sql[4096];

	if (gt_schema_create(db->opt.edition, schema, extra, sql, sizeof sql))
		run(db, sql);
	else
		fail(db, "a table's definition is too long", schema->name);
}

static void create_enums(struct gt_sql *db)
{
	const char *columns = gt_schema_enum_columns(db->opt.edition);
	struct gt_schema_table table = { .columns = columns };
	sqlite3_stmt *insert_value = NULL;

	for (const struct gt_schema_value *v = gt_schema_enums(db->opt.edition); v->table && !gt_sql_failed(db); v++) {
		if (!v->name) {
			char sql[128];

			bool empty = !v[1].table || !v[1].name; /* nobody has published its content */

			sqlite3_finalize(insert_value);
			insert_value = NULL;
			table.name = v->table;
			if (empty && db->opt.lazy == GT_SQL_LAZY_TRUE)
				continue;
			create_table(db, &table, "");
			snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?1, ?2%s)", v->table,
				db->opt.edition == GT_SCHEMA_2021 ? "" : ", ?3");
			if (!gt_sql_failed(db) &&
				sqlite3_prepare_v2(db->sqlite, sql, -1, &insert_value, NULL) != SQLITE_OK)
				fail_by_sqlite(db, v->table);
			continue;
		}
		sqlite3_bind_int64(insert_value, 1, v->id);
		sqlite3_bind_text(insert_value, 2, v->name, -1, SQLITE_STATIC);
		if (db->opt.edition != GT_SCHEMA_2021)
			sqlite3_bind_text(insert_value, 3, v->label, -1, SQLITE_STATIC);
		if (sqlite3_step(insert_value) != SQLITE_DONE)
			fail_by_sqlite(db, v->table ? v->table : "enumeration");
		sqlite3_reset(insert_value);
	}
	sqlite3_finalize(insert_value);
}

static void create_tables(struct gt_sql *db)
{
	size_t n;
	const struct gt_schema_table *t = gt_schema_tables(db->opt.edition, &n);

	for (size_t i = 0; i < n; i++)
		if (created_at_once(db, &t[i]))
			create_table(db, &t[i], extra_columns(db, t[i].name));
	create_enums(db);
}

/* The name as it is: SQLite's own function refuses what is longer than 512 bytes. */
static int whole_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
	(void)vfs;
	return snprintf(out, (size_t)room, "%s", name) < room ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* NULL, SQLite's own, where that will do. */
static const char *vfs_for(const char *path)
{
	static sqlite3_vfs vfs;
	const sqlite3_vfs *own = sqlite3_vfs_find(NULL);

	if (!own || strlen(path) < 400)
		return NULL;
	if (!vfs.zName) {
		vfs = *own;
		vfs.zName = "gputap";
		vfs.mxPathname = PATH_MAX;
		vfs.xFullPathname = whole_name;
		if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
			vfs.zName = NULL;
	}
	return vfs.zName;
}

static void open_sqlite(struct gt_sql *db)
{
	if (db->failed)
		return;
	if (sqlite3_open_v2(db->path, &db->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
		    vfs_for(db->path)) != SQLITE_OK) {
		fail_by_sqlite(db, "cannot open the database");
		return;
	}
	run(db, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-32768; "
		"PRAGMA temp_store=MEMORY; BEGIN EXCLUSIVE"); /* DB3; page_size = GT_PAGE */
}

static void close_sqlite(struct gt_sql *db)
{
	run(db, "COMMIT");
	if (sqlite3_close(db->sqlite) != SQLITE_OK)
		fail_by_sqlite(db, "cannot close the database");
	db->sqlite = NULL;
}

static void free_table(struct gt_sql_table *t)
{
	gt_btree_free(t->tree);
	reset_texts(t);
	free(t->texts);
	free(t->row);
	free(t);
}

static void free_all(struct gt_sql *db)
{
	for (unsigned i = 0; i < db->n_tables; i++)
		free_table(db->table[i]);
	gt_pages_close(db->pages);
	gt_strings_free(db->strings);
	free(db->nowhere.row);
	free(db->record);
	free(db);
}

int gt_sql_open(const char *path, const struct gt_sql_options *opt, struct gt_sql **out, struct gt_err *err)
{
	struct gt_sql *db = calloc(1, sizeof *db);
	int fd = -1;

	if (!db)
		return gt_fail(err, GT_EXIT_OUTPUT, "no memory", NULL, "%s: cannot create the database", path);
	db->opt = *opt;
	db->strings = gt_strings_new();
	db->nowhere = (struct gt_sql_table){ .db = db,
		.row = calloc(1, sizeof *db->nowhere.row + GT_SCHEMA_COLUMNS * sizeof(int64_t)) };
	if ((size_t)snprintf(db->path, sizeof db->path, "%s", path) >= sizeof db->path)
		fail(db, "the name is too long", NULL);
	else if (!db->strings || !db->nowhere.row)
		fail(db, "no memory", NULL);
	else if (unlink(path) && errno != ENOENT)
		fail(db, "cannot replace the file", strerror(errno));
	else if ((fd = gt_create_own(path, O_RDWR)) < 0)        /* SQLite takes an empty file for a new database */
		fail(db, "cannot create the database", strerror(errno));
	if (fd >= 0)
		close(fd);
	open_sqlite(db);
	if (!db->failed)
		create_tables(db);
	close_sqlite(db);
	if (!db->failed && !(db->pages = gt_pages_open(path)))
		fail(db, "cannot open the database", strerror(errno));
	if (db->failed)
		return gt_sql_close(db, false, err);
	*out = db;
	return 0;
}

static void write_strings(struct gt_sql *db)
{
	static const char *const cells[] = { "id", "value" };
	struct gt_sql_table *t = gt_sql_feed(db, "StringIds", cells, 2);

	for (size_t i = 0; i < gt_strings_count(db->strings) && !db->failed; i++) {
		struct gt_sql_row *r = gt_sql_add(t);

		gt_put(r, 0, (int64_t)i);
		gt_put_constant(t, r, 1, gt_strings_at(db->strings, i));
	}
}

/* All rows are in pages; what is missing is the roots. */
static void finish_pages(struct gt_sql *db)
{
	write_strings(db);
	for (unsigned i = 0; i < db->n_tables && !db->failed; i++) {
		encode_pending(db->table[i]);
		if (db->table[i]->tree && !db->failed && !gt_btree_finish(db->table[i]->tree))
			fail(db, "no memory", NULL);
	}
	if (!db->failed && gt_pages_finish(db->pages))
		fail(db, "cannot write the database", strerror(gt_pages_error(db->pages)));
}

static void add_values(struct gt_sql *db)
{
	for (unsigned i = 0; i < db->n_values; i++) {
		char *sql = sqlite3_mprintf("INSERT OR IGNORE INTO %s VALUES(%lld, %Q, %Q)", db->value[i].table,
			(long long)db->value[i].id, db->value[i].name, db->value[i].label);

		if (sql)
			run(db, sql);
		sqlite3_free(sql);
	}
}

static uint32_t find_root(struct gt_sql *db, const char *table)
{
	sqlite3_stmt *s = NULL;
	uint32_t root = 0;

	if (sqlite3_prepare_v2(db->sqlite, "SELECT rootpage FROM sqlite_master WHERE type='table' AND name=?1", -1, &s,
		    NULL) == SQLITE_OK) {
		sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
		if (sqlite3_step(s) == SQLITE_ROW)
			root = (uint32_t)sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	if (!root)
		fail(db, "a table is missing", table);
	return root;
}

/* Tables that turned out to have rows are made now; then every fed table gets its root. */
static void place_roots(struct gt_sql *db)
{
	uint32_t root[TABLES_MAX] = { 0 };

	open_sqlite(db);
	for (unsigned i = 0; i < db->n_tables && !db->failed; i++) {
		struct gt_sql_table *t = db->table[i];

		if (!t->schema || !t->rows)
			continue;
		if (!created_at_once(db, t->schema))
			create_table(db, t->schema, t->extra);
		if (!db->failed)
			root[i] = find_root(db, t->schema->name);
	}
	if (!db->failed)
		add_values(db);
	close_sqlite(db);
	for (unsigned i = 0; i < db->n_tables && !db->failed; i++)
		if (root[i])
			gt_btree_write_root(db->table[i]->tree, root[i]);
	if (!db->failed && gt_pages_error(db->pages))
		fail(db, "cannot write the database", strerror(gt_pages_error(db->pages)));
}

/* A primary key that is not the row's number is an index of its own beside the rows, which are not in it yet. */
static bool has_key_index(const char *columns)
{
	return strstr(columns, "PRIMARY KEY (") || strstr(columns, ":INT PRIMARY KEY");
}

static void fill_keys(struct gt_sql *db)
{
	for (unsigned i = 0; i < db->n_tables && !db->failed; i++) {
		const struct gt_sql_table *t = db->table[i];
		char sql[128];

		if (!t->rows || !t->schema || !has_key_index(t->schema->columns))
			continue;
		open_sqlite(db);
		snprintf(sql, sizeof sql, "REINDEX %s", t->schema->name);
		run(db, sql);
		close_sqlite(db);
	}
}

/* spec: nsys SQLite has no index; ours bear a prefix so that they never meet a consumer's own. */
static void create_indices(struct gt_sql *db)
{
	static const struct { const char *table, *column; } wanted[] = {
		{ "CUPTI_ACTIVITY_KIND_RUNTIME", "start" }, { "CUPTI_ACTIVITY_KIND_RUNTIME", "correlationId" },
		{ "CUPTI_ACTIVITY_KIND_KERNEL", "start" }, { "CUPTI_ACTIVITY_KIND_KERNEL", "correlationId" },
		{ "CUPTI_ACTIVITY_KIND_MEMCPY", "start" }, { "CUPTI_ACTIVITY_KIND_MEMCPY", "correlationId" },
		{ "CUPTI_ACTIVITY_KIND_MEMSET", "start" }, { "CUPTI_ACTIVITY_KIND_MEMSET", "correlationId" },
		{ "OPENCL_API", "start" }, { "OPENCL_API", "correlationId" },
		{ "OPENCL_WORKLOAD", "start" }, { "OPENCL_WORKLOAD", "correlationId" },
	};

	open_sqlite(db);
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && !db->failed; i++) {
		char sql[256];

		if (sqlite3_table_column_metadata(
			    db->sqlite, NULL, wanted[i].table, NULL, NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
			continue;
		snprintf(sql, sizeof sql, "CREATE INDEX gpt_%s_%s ON %s(%s)", wanted[i].table, wanted[i].column,
			wanted[i].table, wanted[i].column);
		run(db, sql);
	}
	close_sqlite(db);
}

static void create_dynamic(struct gt_sql *db)
{
	open_sqlite(db);
	if (!db->failed && !gt_sql_dynamic_tables(db->sqlite))
		fail_by_sqlite(db, "--dynamic-tables: cannot make a table");
	close_sqlite(db);
}

int gt_sql_close(struct gt_sql *db, bool keep, struct gt_err *err)
{
	bool failed;

	if (keep) {
		finish_pages(db);
		if (!db->failed)
			place_roots(db);
		fill_keys(db);
		if (!db->failed && db->opt.index && db->opt.edition == GT_SCHEMA_DEFAULT)
			create_indices(db);
		if (!db->failed && db->opt.dynamic && db->opt.edition == GT_SCHEMA_DEFAULT)
			create_dynamic(db);
	}
	failed = db->failed;
	if (failed && err)
		*err = db->err;
	free_all(db);
	return failed ? -1 : 0;
}
