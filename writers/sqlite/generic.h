/*
 * writers/sqlite/generic.h - the tables of generic events, which counters and tracepoints fill
 *
 * A source's types and events come behind those of the sources before it: numbers go up.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_SQLITE_GENERIC_H
#define GPUTAP_WRITERS_SQLITE_GENERIC_H

#include "writers/sqlite/feed.h"

#define GT_SQL_SOURCE(n) (GT_SQL_VM | INT64_C(n) << 32)   /* hardware 8, VM 8, source 16, type 32 bits */
enum { GT_SQL_TIME_SESSION_NS = 3 };                      /* ENUM_NSYS_GENERIC_EVENT_SOURCE */
enum gt_sql_group { GT_SQL_GROUP_UNKNOWN, GT_SQL_GROUP_FTRACE };        /* ..._GROUP */
enum { GT_SQL_FIELD_SIGNED, GT_SQL_FIELD_UNSIGNED };      /* ..._FIELD_TYPE */

enum { GE_genericEventId, GE_rawTimestamp, GE_timestamp, GE_typeId, GE_globalTid, GE_data };
enum { GD_genericEventId, GD_fieldIdx, GD_intVal, GD_uintVal };
enum { GT_typeId, GT_sourceId, GT_nameId, GT_ftraceFormat, GT_data };
enum { GF_typeId, GF_fieldIdx, GF_fieldNameId, GF_offset, GF_size, GF_type, GF_ftracePrefix, GF_ftraceSuffix };

struct gt_sql_generic {
	struct gt_sql_feeder *f;
	struct gt_sql_table *events, *values, *types, *fields, *sources;
	int64_t id;                       /* of the last event */
	bool old;                         /* the edition has JSON alone */
};

/* The next event, without values and JSON. */
struct gt_sql_row *gt_sql_generic_event(struct gt_sql_generic *g, int64_t at_ns, int64_t type);
void gt_sql_generic_number(struct gt_sql_generic *g, int field, bool has_sign, int64_t value);  /* of that event */
struct gt_sql_row *gt_sql_generic_type(struct gt_sql_generic *g, int64_t type, int64_t source, const char *name);
struct gt_sql_row *gt_sql_generic_field(struct gt_sql_generic *g, int64_t type, int number, const char *name,
	int64_t offset, int64_t bytes, bool has_sign);
void gt_sql_generic_source(
	struct gt_sql_generic *g, int64_t source, const char *name, enum gt_sql_group group, const char *json);

/* tracepoints.c. False: no memory. */
bool gt_sql_tracepoints(struct gt_sql_generic *g);

#endif
