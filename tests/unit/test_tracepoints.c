/*
 * tests/unit/test_tracepoints.c - events of the kernel's tracepoints: records made by hand, read and exported
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include <sqlite3.h>

#include "cli/options.h"
#include "model/model.h"
#include "model/threads/tracepoints.h"
#include "model/timeline.h"
#include "tests/tracebuild.h"
#include "tests/unit/sqlitequery.h"
#include "writers/writer.h"

enum { T0 = 1000000, PID = 100, WORKER = 101 };
enum { SYS_ENTER = 19, IRQ = 142 };     /* numbers of types */

static struct tb *tb;
static struct tb_stream *stream;
static char trace[64], out[64];

/* ------------------------------------------------------------------------ building */

struct field { const char *type, *name, *suffix; uint32_t offset, bytes, flags, element; };
#define COMMON \
	{ "unsigned short", "common_type", "", 0, 2, 0, 2 }, { "int", "common_pid", "", 4, 4, REC_FIELD_SIGNED, 4 }
static const struct field sys_enter[] = { COMMON, { "long", "id", "", 8, 8, REC_FIELD_SIGNED, 8 },
	{ "unsigned long", "args", "[6]", 16, 48, 0, 8 }, { 0 } };
static const struct field irq[] = { COMMON, { "int", "irq", "", 8, 4, REC_FIELD_SIGNED, 4 },
	{ "__data_loc char[]", "name", "", 12, 4, REC_FIELD_TEXT | REC_FIELD_PLACE, 1 },
	{ "char", "comm", "[8]", 16, 8, REC_FIELD_TEXT, 1 },
	{ "__rel_loc u8[]", "raw", "", 24, 4, REC_FIELD_PLACE | REC_FIELD_BESIDE, 1 }, { 0 } };

static void put_type(uint32_t number, const char *name, const char *format, const struct field *f)
{
	uint64_t w[256] = { T0, number };
	uint32_t at = 2, n = 0;

	at = tb_put_text(w, at, name, (uint32_t)strlen(name));
	at = tb_put_text(w, at, format, (uint32_t)strlen(format));
	for (; f->name; f++, n++) {
		w[at++] = PAIR(f->offset, f->bytes);
		w[at++] = PAIR(f->flags, f->element);
		at = tb_put_text(w, at, f->name, (uint32_t)strlen(f->name));
		at = tb_put_text(w, at, f->type, (uint32_t)strlen(f->type));
		at = tb_put_text(w, at, f->suffix, (uint32_t)strlen(f->suffix));
	}
	w[1] = PAIR(number, n);
	tb_record(stream, REC_TRACEPOINT_TYPE, 0, 0, w, at);
}

static void put_event(uint64_t at_ns, uint32_t tid, uint32_t type, const void *content, uint32_t bytes)
{
	uint64_t w[64] = { T0 + at_ns, PAIR(tid, 3), PAIR(type, bytes) };

	memcpy(w + 3, content, bytes);
	tb_record(stream, REC_TRACEPOINT, 0, 0, w, 3 + (bytes + 7) / 8);
}

static void put_call(uint64_t at_ns, uint32_t tid, int64_t id, uint64_t first)
{
	const uint64_t content[8] = { SYS_ENTER | (uint64_t)tid << 32, (uint64_t)id, first, UINT64_MAX, 2, 3, 4, 5 };

	put_event(at_ns, tid, SYS_ENTER, content, sizeof content);
}

static void begin(void)
{
	static unsigned n;
	struct tb_process *p;

	snprintf(trace, sizeof trace, "tracepoints-%d-%u.gputap", (int)getpid(), n++);
	snprintf(out, sizeof out, "tracepoints-%d.sqlite", (int)getpid());
	tb = tb_open(trace);
	p = tb_process(tb, PID);
	tb_fact(p, "start_tick", "1000000");
	stream = tb_stream(p);
	tb_thread(stream, T0, PID, 1, "main");
	tb_clock(stream, T0, 0);
	tb_clock(stream, T0 + 1000000, 1000000);
	put_type(SYS_ENTER, "raw_syscalls:sys_enter", "\"NR %ld\", REC->id", sys_enter);
}

static struct gt_model *opened(void)
{
	struct gt_err err = { 0 };
	struct gt_model *m;

	tb_close(tb);
	if (gt_model_open(trace, NULL, &m, &err))
		fail_msg("%s", err.what);
	return m;
}

static void done(struct gt_model *m)
{
	char command[160];

	gt_model_close(m);
	snprintf(command, sizeof command, "rm -r %s", trace);
	assert_int_equal(system(command), 0);
}

/* -------------------------------------------------------------------------- reading */

static const char *value(const struct gt_model *m, uint64_t event, const char *name)
{
	const struct gt_tracepoint *e = gt_model_tracepoint(m, event);
	const struct gt_tracepoint_type *type = gt_model_tracepoint_type(m, e->type);
	static struct gt_text t;

	t.used = 0;
	for (uint32_t i = 0; i < type->n_fields; i++)
		if (!strcmp(type->fields[i].name.text, name) && !gt_tracepoint_value(m, e, &type->fields[i], &t))
			return NULL;
	gt_text_char(&t, 0);
	return t.data;
}

/* Numbers by their sign, lists, texts in place and elsewhere; each event has its thread. */
static void test_fields(void **unused)
{
	char content[48] = { 0 };
	const uint32_t head[7] = { IRQ, 7, (uint32_t)-5, 40 | 5u << 16, 0, 0, 2 | 2u << 16 };
	struct gt_model *m;

	(void)unused;
	begin();
	put_type(IRQ, "irq:irq_handler_entry", "", irq);
	put_call(700, WORKER, 1, 77);
	put_call(500, PID, -1, 12);
	memcpy(content, head, sizeof head);
	memcpy(content + 16, "cut off!", 8);
	memcpy(content + 30, "\xff\x02", 2);
	memcpy(content + 40, "eth0", 5);
	put_event(600, PID, IRQ, content, sizeof content);
	m = opened();
	assert_int_equal(gt_model_tracepoint_type_count(m), 2);
	assert_int_equal(gt_model_tracepoint_count(m), 3);
	assert_int_equal(gt_model_tracepoint(m, 0)->time_ns, 500);
	assert_int_equal(gt_model_tracepoint(m, 2)->time_ns, 700);
	assert_int_equal(gt_model_thread(m, gt_model_tracepoint(m, 2)->thread)->tid, WORKER);
	assert_int_equal(gt_model_tracepoint(m, 1)->cpu, 3);
	assert_string_equal(value(m, 0, "id"), "-1");
	assert_string_equal(value(m, 0, "args"), "12,18446744073709551615,2,3,4,5");
	assert_string_equal(value(m, 1, "irq"), "-5");
	assert_string_equal(value(m, 1, "name"), "eth0");
	assert_string_equal(value(m, 1, "comm"), "cut off!");
	assert_string_equal(value(m, 1, "raw"), "255,2");
	assert_string_equal(value(m, 2, "common_pid"), "101");
	done(m);
}

/* A field that is not inside its event has no value, whatever it says; an event without a type is counted. */
static void test_damage(void **unused)
{
	static const struct field wrong[] = { { "int", "behind", "", 60, 8, 0, 8 },
		{ "int", "far", "", UINT32_MAX, UINT32_MAX, 0, 4 }, { "int", "odd", "", 0, 6, 0, 3 },
		{ "int", "none", "", 0, 4, 0, 0 },
		{ "char[]", "placed", "", 0, 4, REC_FIELD_TEXT | REC_FIELD_PLACE, 1 },
		{ "u8[]", "short", "", 0, 2, REC_FIELD_PLACE, 1 }, { 0 } };
	const uint32_t content[16] = { 60 | 5u << 16 };
	struct gt_model *m;

	(void)unused;
	begin();
	put_type(7, "wrong:wrong", "", wrong);
	put_event(100, PID, 7, content, sizeof content);
	put_event(200, PID, 8, content, sizeof content);
	tb_record(stream, REC_TRACEPOINT, 0, 0, W(T0 + 300, PID, PAIR(SYS_ENTER, 64), 1));
	tb_record(stream, REC_TRACEPOINT_TYPE, 0, 0, W(T0, PAIR(9, 1000000), 0, 0));
	m = opened();
	assert_int_equal(gt_model_tracepoint_count(m), 1);
	assert_int_equal(gt_model_lost(m, REC_LOSS_DAMAGED), 3);
	for (unsigned i = 0; wrong[i].name; i++)
		assert_null(value(m, 0, wrong[i].name));
	done(m);
}

static void test_timeline(void **unused)
{
	const struct gt_timeline_options o = { .process = -1, .from_ns = 550, .to_ns = GT_NO_TIME };
	const struct gt_item *item;
	struct gt_err err = { 0 };
	struct gt_timeline *t;
	struct gt_model *m;
	unsigned n = 0;

	(void)unused;
	begin();
	put_call(500, PID, 0, 0);
	put_call(600, WORKER, 1, 0);
	m = opened();
	assert_int_equal(gt_timeline_open(m, &o, &t, &err), 0);
	while (gt_timeline_next(t, &item, &err) == 1) {
		assert_int_equal(item->kind, GT_ITEM_TRACEPOINT);
		assert_int_equal(item->at_ns, 600);
		assert_string_equal(item->name.text, "raw_syscalls:sys_enter");
		assert_int_equal(gt_timeline_track(t, item->track)->kind, GT_TRACK_TRACEPOINTS);
		n++;
	}
	assert_int_equal(n, 1);
	gt_timeline_close(t);
	done(m);
}

/* ------------------------------------------------------------------------ exporting */

static sqlite3 *exported(struct gt_model *m, const char *edition)
{
	struct gt_options o = { 0 };
	struct gt_err err = { 0 };
	const struct gt_writer *w = gt_writer_find("sqlite");
	struct gt_export x = { .model = m, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .path = out,
		.final_path = "t.sqlite", .options = &o };
	sqlite3 *db;

	assert_int_equal(gt_options_init(&o, &gt_option_list, REC_SCOPE_E, &err), 0);
	gt_option_set(&o, "sqlite-schema", edition);
	if (w->write(&x, &err))
		fail_msg("%s (%s)", err.what, err.why);
	gt_options_free(&o);
	assert_int_equal(sqlite3_open_v2(out, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	return db;
}

/* As it is published, but for what the answer is. */
static const char published[] =
	"SELECT json_extract(data, '$.common_pid') AS PID, count(*) AS total "
	"FROM GENERIC_EVENTS WHERE PID IS NOT NULL AND typeId = ("
	"  SELECT typeId FROM GENERIC_EVENT_TYPES"
	"  WHERE json_extract(data, '$.Name') = \"raw_syscalls:sys_enter\")"
	"GROUP BY PID ORDER BY total DESC LIMIT 10";

static void test_sqlite(void **unused)
{
	static const char *const editions[] = { "default", "2021" };
	struct gt_model *m;

	(void)unused;
	begin();
	put_type(IRQ, "irq:irq_handler_entry", "", irq);
	for (unsigned i = 0; i < 3; i++)
		put_call(500 + i, WORKER, 1, 77);
	put_call(600, PID, -2, 12);
	m = opened();
	for (unsigned i = 0; i < 2; i++) {
		sqlite3 *db = exported(m, editions[i]);

		assert_string_equal(query_rows(db, published), "101|3\n100|1\n");
		assert_string_equal(
			query_rows(db, "SELECT sourceId, json_extract(data, '$.Name') FROM GENERIC_EVENT_SOURCES"),
			"281483566645248|FTrace\n");
		assert_string_equal(
			query_rows(db, "SELECT typeId - sourceId, json_extract(data, '$.Format'), "
				"json_extract(data, '$.Fields[3].Name'), json_extract(data, '$.Fields[3].Prefix'), "
				"json_extract(data, '$.Fields[3].Suffix') FROM GENERIC_EVENT_TYPES"),
			"19|\"NR %ld\", REC->id|args|unsigned long|[6]\n");
		assert_string_equal(query_rows(db, "SELECT timestamp, data FROM GENERIC_EVENTS WHERE timestamp = 600"),
			"600|{\"common_type\":\"19\",\"common_pid\":\"100\",\"id\":\"-2\","
			"\"args\":\"12,18446744073709551615,2,3,4,5\"}\n");
		if (!i) {
			assert_string_equal(
				query_rows(db, "SELECT fieldIdx, intVal, uintVal FROM GENERIC_EVENT_DATA "
					"JOIN GENERIC_EVENTS USING (genericEventId) WHERE timestamp = 600"),
				"0|NULL|19\n1|100|NULL\n2|-2|NULL\n3|NULL|12\n3|NULL|-1\n3|NULL|2\n3|NULL|3\n3|NULL|4\n"
				"3|NULL|5\n");
			assert_string_equal(query_rows(db, "SELECT globalTid % 0x1000000 FROM GENERIC_EVENTS "
				"GROUP BY 1 ORDER BY 1"), "100\n101\n");
			assert_string_equal(query_rows(db, "SELECT sourceGroupId FROM GENERIC_EVENT_SOURCES"), "1\n");
			assert_string_equal(query_rows(db, "SELECT ftracePrefix || ftraceSuffix "
				"FROM GENERIC_EVENT_TYPE_FIELDS WHERE fieldIdx = 3"), "unsigned long[6]\n");
		}
		sqlite3_close(db);
		unlink(out);
	}
	done(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_timeline),
		cmocka_unit_test(test_sqlite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
