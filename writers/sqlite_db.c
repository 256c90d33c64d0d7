/*
 * writers/sqlite_db.c - fills a database: batches of rows, a virtual table over each, one inserting thread
 *
 * D1  Between gt_sql_open() and gt_sql_close() only the inserting thread touches the database; the walking thread only
 *     fills batches. They meet in the queue under its lock.
 * D2  A batch belongs to one table from the moment it is taken until it is inserted; its texts live as long.
 * D3  One transaction, no journal: nobody reads before the end, and the caller removes the file after a failure.
 *
 * Figures behind the choices (10 M calls): docs/sqlite.md "Speed".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/sqlite_db.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_WORDS 16384u              /* 128 KiB of rows: stays in the cache of its core */
#define TABLES_MAX 48
#define WAITING_MAX 8                   /* batches handed over and not yet inserted */

struct text { struct text *next; size_t used, bytes; char data[]; };

struct batch {
	struct gt_sql_table *table;
	struct batch *next;
	unsigned n;                     /* rows */
	struct text *texts;
	int64_t words[BATCH_WORDS];
};

struct gt_sql_table {
	struct gt_sql *db;
	const struct gt_schema_table *schema; /* NULL: not in this edition */
	struct gt_schema_table enumeration; /* what schema points at for ENUM_ tables */
	const char *extra;              /* notation of columns added by an option */
	unsigned n_cells, stride;       /* stride in words */
	uint64_t rows;
	struct batch *filling;
	/* used by the inserting thread */
	bool created;
	unsigned n_columns;
	int8_t cell[GT_SCHEMA_COLUMNS]; /* of column; -1 none */
	uint64_t text_columns, filled_columns; /* bits: TEXT; NULL becomes 0 or '' */
	const struct batch *inserting;
	sqlite3_stmt *insert;
};

struct gt_sql {
	sqlite3 *sqlite;
	struct gt_sql_options opt;
	struct gt_strings *strings;
	char path[512];                 /* for messages */
	struct gt_sql_table *table[TABLES_MAX];
	unsigned n_tables;
	struct gt_sql_row *scratch;     /* where rows go after a failure, and those of absent tables */

	_Atomic bool failed;            /* set once, with err, by whoever fails first */
	atomic_flag claimed;
	struct gt_err err;

	pthread_t thread;
	bool threaded;
	pthread_mutex_t lock;
	pthread_cond_t work, room;
	struct batch *first, *last;     /* handed over, oldest first */
	struct batch *idle;
	unsigned waiting;
	bool stop;
};

static void fail(struct gt_sql *db, const char *what, const char *why)
{
	if (atomic_flag_test_and_set(&db->claimed))
		return;
	gt_fail(&db->err, GT_EXIT_OUTPUT, why, NULL, "%s: %s", db->path, what);
	atomic_store(&db->failed, true);
}

bool gt_sql_failed(const struct gt_sql *db) { return atomic_load_explicit(&db->failed, memory_order_relaxed); }

static void run(struct gt_sql *db, const char *sql)
{
	if (!gt_sql_failed(db) && sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(db, "cannot write the database", sqlite3_errmsg(db->sqlite));
}

/* ------------------------------------------------- virtual table over a batch */

struct view { sqlite3_vtab base; struct gt_sql_table *table; };
struct cursor { sqlite3_vtab_cursor base; const struct gt_sql_table *table; const int64_t *row; unsigned left; };

static int view_connect(sqlite3 *sqlite, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
	const struct gt_sql_table *t = aux;
	char sql[GT_SCHEMA_COLUMNS * 6 + 32];
	size_t at = (size_t)snprintf(sql, sizeof sql, "CREATE TABLE x(");
	struct view *v = sqlite3_malloc(sizeof *v);

	(void)argc, (void)argv, (void)error;
	if (!v)
		return SQLITE_NOMEM;
	*v = (struct view){ .table = aux };
	for (unsigned i = 0; i < t->n_columns; i++)
		at += (size_t)snprintf(sql + at, sizeof sql - at, "%sc%u", i ? "," : "", i);
	snprintf(sql + at, sizeof sql - at, ")");
	*out = &v->base;
	return sqlite3_declare_vtab(sqlite, sql);
}

static int view_disconnect(sqlite3_vtab *v) { sqlite3_free(v); return SQLITE_OK; }

static int view_best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
	(void)v;
	info->estimatedCost = 1;
	return SQLITE_OK;
}

static int view_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	struct cursor *c = sqlite3_malloc(sizeof *c);

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor){ .table = ((struct view *)v)->table };
	*out = &c->base;
	return SQLITE_OK;
}

static int view_close(sqlite3_vtab_cursor *c) { sqlite3_free(c); return SQLITE_OK; }

static int view_filter(sqlite3_vtab_cursor *base, int index, const char *name, int argc, sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;

	(void)index, (void)name, (void)argc, (void)argv;
	c->row = c->table->inserting->words;
	c->left = c->table->inserting->n;
	return SQLITE_OK;
}

static int view_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	c->row += c->table->stride;
	c->left--;
	return SQLITE_OK;
}

static int view_eof(sqlite3_vtab_cursor *c) { return !((struct cursor *)c)->left; }

static int view_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	const struct cursor *c = (const struct cursor *)base;
	const struct gt_sql_table *t = c->table;
	int cell = t->cell[column];
	bool text = t->text_columns >> column & 1;

	if (cell >= 0 && ((uint64_t)c->row[0] >> cell & 1)) {
		if (text)
			sqlite3_result_text(out, (const char *)(intptr_t)c->row[1 + cell], -1, SQLITE_STATIC);
		else
			sqlite3_result_int64(out, c->row[1 + cell]);
	} else if (t->filled_columns >> column & 1) {
		if (text)
			sqlite3_result_text(out, "", 0, SQLITE_STATIC);
		else
			sqlite3_result_int64(out, 0);
	}
	return SQLITE_OK;
}

static int view_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *rowid)
{
	*rowid = ((struct cursor *)c)->left;
	return SQLITE_OK;
}

/* Without xCreate it is there by its name alone and leaves nothing in the file. */
static const sqlite3_module view_module = {
	.xConnect = view_connect, .xDisconnect = view_disconnect, .xBestIndex = view_best_index, .xOpen = view_open, .xClose = view_close,
	.xFilter = view_filter, .xNext = view_next, .xEof = view_eof, .xColumn = view_column, .xRowid = view_rowid,
};

/* ------------------------------------------------------------ inserting thread */

static void create_table(struct gt_sql *db, const struct gt_schema_table *schema, const char *extra)
{
	char sql[4096];

	if (gt_schema_create(db->opt.edition, schema, extra, sql, sizeof sql))
		run(db, sql);
	else
		fail(db, "a table's definition is too long", schema->name);
}

static void prepare_insert(struct gt_sql *db, struct gt_sql_table *t)
{
	char sql[160];

	if (!t->created)
		create_table(db, t->schema, t->extra);
	t->created = true;
	if (gt_sql_failed(db))
		return;
	snprintf(sql, sizeof sql, "gt_rows_%s", t->schema->name);
	if (sqlite3_create_module(db->sqlite, sql, &view_module, t) != SQLITE_OK) {
		fail(db, "cannot feed a table", sqlite3_errmsg(db->sqlite));
		return;
	}
	snprintf(sql, sizeof sql, "INSERT INTO %s SELECT * FROM gt_rows_%s", t->schema->name, t->schema->name);
	if (sqlite3_prepare_v3(db->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, &t->insert, NULL) != SQLITE_OK)
		fail(db, "cannot feed a table", sqlite3_errmsg(db->sqlite));
}

static void insert(struct gt_sql *db, struct batch *b)
{
	struct gt_sql_table *t = b->table;

	if (!t->insert && !gt_sql_failed(db))
		prepare_insert(db, t);
	if (gt_sql_failed(db))
		return;
	t->inserting = b;
	if (sqlite3_step(t->insert) != SQLITE_DONE)
		fail(db, t->schema->name, sqlite3_errmsg(db->sqlite));
	sqlite3_reset(t->insert);
}

static void *insert_all(void *arg)
{
	struct gt_sql *db = arg;

	pthread_mutex_lock(&db->lock);
	for (;;) {
		while (!db->first && !db->stop)
			pthread_cond_wait(&db->work, &db->lock);
		struct batch *b = db->first;

		if (!b)
			break;
		db->first = b->next;
		pthread_mutex_unlock(&db->lock);
		insert(db, b);
		pthread_mutex_lock(&db->lock);
		b->next = db->idle;             /* D2 */
		db->idle = b;
		db->waiting--;
		pthread_cond_signal(&db->room);
	}
	pthread_mutex_unlock(&db->lock);
	return NULL;
}

/* ------------------------------------------------------------- walking thread */

static void reset_texts(struct batch *b)
{
	while (b->texts && b->texts->next) {
		struct text *t = b->texts->next;

		b->texts->next = t->next;
		free(t);
	}
	if (b->texts)
		b->texts->used = 0;
}

static struct batch *take_batch(struct gt_sql *db, struct gt_sql_table *t)
{
	struct batch *b;

	pthread_mutex_lock(&db->lock);
	b = db->idle;
	if (b)
		db->idle = b->next;
	pthread_mutex_unlock(&db->lock);
	if (!b) {
		b = malloc(sizeof *b);
		if (!b) {
			fail(db, "no memory", NULL);
			return NULL;
		}
		b->texts = NULL;
	}
	reset_texts(b);
	b->table = t;
	b->next = NULL;
	b->n = 0;
	return b;
}

static void hand_over(struct gt_sql *db, struct gt_sql_table *t)
{
	struct batch *b = t->filling;

	t->filling = NULL;
	if (!b)
		return;
	pthread_mutex_lock(&db->lock);
	while (db->waiting >= WAITING_MAX)
		pthread_cond_wait(&db->room, &db->lock);
	if (db->first)
		db->last->next = b;
	else
		db->first = b;
	db->last = b;
	db->waiting++;
	pthread_cond_signal(&db->work);
	pthread_mutex_unlock(&db->lock);
}

/* Waits until everything handed over is inserted and the thread is gone: from here on the database is ours. */
static void stop_thread(struct gt_sql *db)
{
	if (!db->threaded)
		return;
	pthread_mutex_lock(&db->lock);
	db->stop = true;
	pthread_cond_signal(&db->work);
	pthread_mutex_unlock(&db->lock);
	pthread_join(db->thread, NULL);
	db->threaded = false;
}

struct gt_sql_row *gt_sql_add(struct gt_sql_table *t)
{
	struct gt_sql_row *r = t->db->scratch;

	if (t->schema && !gt_sql_failed(t->db)) {
		if (t->filling && (t->filling->n + 1) * t->stride > BATCH_WORDS)
			hand_over(t->db, t);
		if (!t->filling)
			t->filling = take_batch(t->db, t);
		if (t->filling)
			r = (struct gt_sql_row *)(t->filling->words + (size_t)t->filling->n++ * t->stride);
		t->rows++;
	}
	r->set = 0;
	return r;
}

uint64_t gt_sql_rows(const struct gt_sql_table *t) { return t->rows; }
bool gt_sql_wanted(const struct gt_sql_table *t) { return t->schema != NULL; }

static char *text_room(struct gt_sql_table *t, size_t bytes)
{
	struct batch *b = t->filling;
	struct text *x = b->texts;

	if (!x || x->bytes - x->used < bytes) {
		size_t room = bytes > 16384 ? bytes : 16384;

		x = malloc(sizeof *x + room);
		if (!x) {
			fail(t->db, "no memory", NULL);
			return NULL;
		}
		*x = (struct text){ .next = b->texts, .bytes = room };
		b->texts = x;
	}
	char *to = x->data + x->used;

	x->used += bytes;
	return to;
}

void gt_put_text(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text, size_t bytes)
{
	if (!text || !t->filling || r == t->db->scratch)
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
	gt_put(r, cell, (intptr_t)to);
}

void gt_put_str(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const char *text)
{
	if (text)
		gt_put_text(t, r, cell, text, strlen(text));
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

/* ----------------------------------------------------------------------- tables */

static void map_columns(struct gt_sql_table *t, const char *const *cells)
{
	struct gt_schema_column c[GT_SCHEMA_COLUMNS];
	const char *constraint;
	unsigned n = gt_schema_columns(t->db->opt.edition, t->schema->columns, c, &constraint);

	n += gt_schema_columns(t->db->opt.edition, t->extra, c + n, &constraint);
	t->n_columns = n;
	for (unsigned i = 0; i < n; i++) {
		t->cell[i] = -1;
		for (unsigned k = 0; k < t->n_cells; k++)
			if (!strcmp(cells[k], c[i].name))
				t->cell[i] = (int8_t)k;
		if (c[i].text)
			t->text_columns |= 1ull << i;
		if (c[i].not_null && !strstr(c[i].type, "PRIMARY KEY"))
			t->filled_columns |= 1ull << i;
	}
}

static bool created_at_once(const struct gt_sql *db, const struct gt_schema_table *t)
{
	return db->opt.lazy == GT_SQL_LAZY_FALSE || (t->always && db->opt.lazy == GT_SQL_LAZY_UNSET);
}

/* What --sqlite-arguments adds. */
static const char *extra_columns(const struct gt_sql *db, const char *name)
{
	return db->opt.arguments && db->opt.edition == GT_SCHEMA_DEFAULT && !strcmp(name, "OPENCL_API") ? "arguments:TEXT" : "";
}

struct gt_sql_table *gt_sql_feed(struct gt_sql *db, const char *name, const char *const *cells, unsigned n)
{
	static struct gt_sql_table nowhere;
	struct gt_sql_table *t = db->n_tables < TABLES_MAX ? calloc(1, sizeof *t) : NULL;

	if (!t) {
		fail(db, "no memory", NULL);
		nowhere.db = db;
		return &nowhere;
	}
	db->table[db->n_tables++] = t;
	t->db = db;
	t->n_cells = n;
	t->stride = n + 1;
	t->extra = extra_columns(db, name);
	t->schema = gt_schema_find(db->opt.edition, name);
	if (!t->schema && !strncmp(name, "ENUM_", 5) && db->opt.edition == GT_SCHEMA_DEFAULT) {
		t->enumeration = (struct gt_schema_table){ name, true, gt_schema_enum_columns(db->opt.edition) };
		t->schema = &t->enumeration;
		t->created = true;              /* create_enums() did */
	} else if (t->schema)
		t->created = created_at_once(db, t->schema);
	if (t->schema)
		map_columns(t, cells);
	return t;
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
			snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?1, ?2%s)", v->table, db->opt.edition == GT_SCHEMA_2021 ? "" : ", ?3");
			if (!gt_sql_failed(db) && sqlite3_prepare_v2(db->sqlite, sql, -1, &insert_value, NULL) != SQLITE_OK)
				fail(db, v->table, sqlite3_errmsg(db->sqlite));
			continue;
		}
		sqlite3_bind_int64(insert_value, 1, v->id);
		sqlite3_bind_text(insert_value, 2, v->name, -1, SQLITE_STATIC);
		if (db->opt.edition != GT_SCHEMA_2021)
			sqlite3_bind_text(insert_value, 3, v->label, -1, SQLITE_STATIC);
		if (sqlite3_step(insert_value) != SQLITE_DONE)
			fail(db, v->table ? v->table : "enumeration", sqlite3_errmsg(db->sqlite));
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

static void open_file(struct gt_sql *db)
{
	if (sqlite3_open_v2(db->path, &db->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		fail(db, "cannot create the database", db->sqlite ? sqlite3_errmsg(db->sqlite) : "no memory");
		return;
	}
	/* D3. 4 KiB pages: what every tool expects; larger ones gained under a tenth. */
	run(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-32768; "
		"PRAGMA temp_store=MEMORY; BEGIN EXCLUSIVE");
}

int gt_sql_open(const char *path, const struct gt_sql_options *opt, struct gt_sql **out, struct gt_err *err)
{
	struct gt_sql *db = calloc(1, sizeof *db);

	if (!db)
		return gt_fail(err, GT_EXIT_OUTPUT, "no memory", NULL, "%s: cannot create the database", path);
	db->opt = *opt;
	pthread_mutex_init(&db->lock, NULL);
	pthread_cond_init(&db->work, NULL);
	pthread_cond_init(&db->room, NULL);
	db->strings = gt_strings_new();
	db->scratch = calloc(1, sizeof *db->scratch + GT_SCHEMA_COLUMNS * sizeof(int64_t));
	if ((size_t)snprintf(db->path, sizeof db->path, "%s", path) >= sizeof db->path)
		fail(db, "the name is too long", NULL);
	else if (!db->strings || !db->scratch)
		fail(db, "no memory", NULL);
	else if (unlink(path) && errno != ENOENT)
		fail(db, "cannot replace the file", strerror(errno));
	if (!gt_sql_failed(db))
		open_file(db);
	if (!gt_sql_failed(db))
		create_tables(db);
	if (!gt_sql_failed(db)) {
		int rc = pthread_create(&db->thread, NULL, insert_all, db);

		if (rc)
			fail(db, "cannot start a thread", strerror(rc));
		db->threaded = !rc;
	}
	if (gt_sql_failed(db))
		return gt_sql_close(db, false, err);
	*out = db;
	return 0;
}

static void write_strings(struct gt_sql *db)
{
	static const char *const cells[] = { "id", "value" };
	struct gt_sql_table *t = gt_sql_feed(db, "StringIds", cells, 2);

	for (size_t i = 0; i < gt_strings_count(db->strings) && !gt_sql_failed(db); i++) {
		struct gt_sql_row *r = gt_sql_add(t);

		gt_put(r, 0, (int64_t)i);
		gt_put(r, 1, (intptr_t)gt_strings_at(db->strings, i));
	}
	hand_over(db, t);
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

	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		char sql[256];

		if (sqlite3_table_column_metadata(db->sqlite, NULL, wanted[i].table, NULL, NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
			continue;
		snprintf(sql, sizeof sql, "CREATE INDEX gpt_%s_%s ON %s(%s)", wanted[i].table, wanted[i].column, wanted[i].table, wanted[i].column);
		run(db, sql);
	}
}

static void free_batches(struct batch *b)
{
	while (b) {
		struct batch *next = b->next;

		reset_texts(b);
		free(b->texts);
		free(b);
		b = next;
	}
}

static void free_all(struct gt_sql *db)
{
	for (unsigned i = 0; i < db->n_tables; i++) {
		sqlite3_finalize(db->table[i]->insert);
		free_batches(db->table[i]->filling);
	}
	if (sqlite3_close(db->sqlite) != SQLITE_OK)
		fail(db, "cannot close the database", sqlite3_errmsg(db->sqlite));
	for (unsigned i = 0; i < db->n_tables; i++)
		free(db->table[i]);
	free_batches(db->idle);
	gt_strings_free(db->strings);
	free(db->scratch);
	pthread_mutex_destroy(&db->lock);
	pthread_cond_destroy(&db->work);
	pthread_cond_destroy(&db->room);
}

int gt_sql_close(struct gt_sql *db, bool keep, struct gt_err *err)
{
	if (keep && !gt_sql_failed(db)) {
		for (unsigned i = 0; i < db->n_tables; i++)
			hand_over(db, db->table[i]);
		write_strings(db);
	}
	stop_thread(db);
	if (keep && db->opt.index && db->opt.edition == GT_SCHEMA_DEFAULT)
		create_indices(db);
	if (keep)
		run(db, "COMMIT");
	free_all(db);
	bool failed = gt_sql_failed(db);

	if (failed && err)
		*err = db->err;
	free(db);
	return failed ? -1 : 0;
}
