/*
 * writers/sqlite/openmp.c - OpenMP regions and moments: the OPENMP_EVENT_KIND_* tables
 *
 * A function of the trace's table fills one of them, cell by cell from the parameters of the same names. Numbers of
 * threads, regions and tasks are 64 bits wide in the trace; here they count from 1 in each process, in order of first
 * mention.
 *
 * spec: nsys SQLite "OpenMP Events"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "writers/sqlite/feed.h"

enum { FIXED_CELLS = 7, OWN_CELLS = 4, CELLS = FIXED_CELLS + OWN_CELLS };
enum { MP_start, MP_end, MP_eventClass, MP_globalTid, MP_correlationId, MP_nameId, MP_eventKind };
#define COMMON "start", "end", "eventClass", "globalTid", "correlationId", "nameId", "eventKind"

/*
 * What a function fills. kind: of ENUM_OPENMP_EVENT_KIND, with its label as the row's name. known: the enumeration of
 * its `kind`, where runtimes use numbers that the table of real exports lacks.
 */
static const struct form {
	const char *function, *table, *label, *correlation, *known;
	int kind;
	const char *cells[CELLS];
} forms[] = {
#define FORM(function, table, kind, label, correlation, known, ...) \
	{ "omp_" function, "OPENMP_EVENT_KIND_" table, label, correlation, known, kind, { COMMON, __VA_ARGS__ } }
	FORM("thread", "THREAD", 27, "Thread", NULL, NULL, "threadId", "threadType"),
	FORM("parallel", "PARALLEL", 28, "Parallel", NULL, NULL, "parallelId", "parentTaskId"),
	FORM("sync_region_wait", "SYNC_REGION_WAIT", 29, "Sync region wait", NULL, "ENUM_OPENMP_SYNC_REGION",
		"parallelId", "taskId", "kind"),
	FORM("sync_region", "SYNC_REGION", 30, "Sync region", NULL, "ENUM_OPENMP_SYNC_REGION", "parallelId", "taskId",
		"kind"),
	FORM("task", "TASK", 31, "Task", "taskId", NULL, "parallelId", "taskId", "kind"),
	FORM("masked", "MASTER", 32, "Master", NULL, NULL, "parallelId", "taskId"),
	FORM("reduction", "REDUCTION", 33, "Reduction", NULL, NULL, "parallelId", "taskId"),
	FORM("mutex_wait", "MUTEX_WAIT", 34, "Mutex wait", NULL, NULL, "kind", "waitId", "taskId"),
	FORM("critical_section", "CRITICAL_SECTION", 35, "Critical section", NULL, NULL, "kind", "waitId"),
	FORM("workshare", "WORKSHARE", 36, "Workshare", NULL, "ENUM_OPENMP_WORK", "kind", "parallelId", "taskId",
		"count"),
	FORM("task_create", "TASK_CREATE", 15, "Task create", "newTaskId", NULL, "parentTaskId", "newTaskId"),
	FORM("task_schedule", "TASK_SCHEDULE", 16, "Task schedule", NULL, NULL, "parallelId", "priorTaskId",
		"priorTaskStatus", "nextTaskId"),
	FORM("cancel", "CANCEL", 17, "Cancel", NULL, NULL, "taskId"),
	FORM("mutex_released", "MUTEX_RELEASED", 20, "Mutex released", NULL, NULL, "kind", "waitId", "taskId"),
	FORM("lock_init", "LOCK_INIT", 21, "Lock init", NULL, NULL, "kind", "waitId"),
	FORM("lock_destroy", "LOCK_DESTROY", 22, "Lock destroy", NULL, NULL, "kind", "waitId"),
	FORM("dispatch", "DISPATCH", 25, "Dispatch", NULL, NULL, "kind", "parallelId", "taskId"),
	FORM("flush", "FLUSH", 26, "Flush", NULL, NULL, "threadId"),
#undef FORM
};
enum { FORMS = sizeof forms / sizeof *forms };

/* A function of the trace: the parameter of each cell of its form, -1 none. */
struct plan {
	bool looked;
	const struct form *form;        /* NULL: not one of ours */
	int64_t name;
	int parameter[CELLS], correlation;
};
struct number { uint32_t process; uint64_t wide; int64_t small; };

struct gt_sql_openmp {
	struct gt_sql_table *table[FORMS];
	struct plan *plan;              /* by gt_fn.index */
	struct gt_map numbers;
	int64_t *last;                  /* by process: the last small number */
	uint64_t kinds_told;            /* bits of ENUM values that were added: sync below 32, work from 32 on */
};

static struct gt_sql_openmp *openmp_of(struct gt_sql_feeder *f)
{
	struct gt_sql_openmp *o = f->openmp;

	if (o)
		return o;
	o = f->openmp = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	o->plan = calloc(gt_fntable_count(gt_model_table(f->m)), sizeof *o->plan);
	o->last = calloc(gt_model_process_count(f->m) + 1, sizeof *o->last);
	return o->plan && o->last ? o : NULL;
}

void gt_sql_openmp_free(struct gt_sql_openmp *o)
{
	if (!o)
		return;
	gt_map_free(&o->numbers, sizeof(struct number));
	free(o->plan);
	free(o->last);
	free(o);
}

static unsigned cells_of(const struct form *form)
{
	unsigned n = FIXED_CELLS;

	while (n < CELLS && form->cells[n])
		n++;
	return n;
}

static const struct plan *plan_of(struct gt_sql_feeder *f, struct gt_sql_openmp *o, const struct gt_fn *fn)
{
	struct plan *p = &o->plan[fn->index];

	if (p->looked)
		return p;
	p->looked = true;
	/* What libgomp's entry points told stands in the same tables, by another name. */
	bool libgomp = *fn->name == 'g';
	char label[64];

	for (unsigned i = 0; i < FORMS; i++)
		if (!strcmp(forms[i].function, fn->name + libgomp)) {
			int n = snprintf(label, sizeof label, "%s%s", forms[i].label, libgomp ? " (libgomp)" : "");

			p->form = &forms[i];
			p->name = gt_sql_string(f->db, label, (size_t)n);
			p->correlation = gt_sql_parameter(fn, forms[i].correlation);
			for (unsigned c = 0; c < CELLS; c++)
				p->parameter[c] = gt_sql_parameter(fn, forms[i].cells[c]);
			if (!o->table[i])
				o->table[i] = gt_sql_feed(f->db, forms[i].table, forms[i].cells, cells_of(&forms[i]));
		}
	return p;
}

/* --------------------------------------------------------------------- values */

static bool same_number(const void *element, const void *key, const void *ctx)
{
	const struct number *a = element, *b = key;

	(void)ctx;
	return a->wide == b->wide && a->process == b->process;
}

/* 0 stays 0: none. -1: no memory. */
static int64_t small_number(struct gt_sql_openmp *o, uint32_t process, uint64_t wide)
{
	struct number key = { .process = process, .wide = wide }, *at;
	bool fresh;

	if (!wide)
		return 0;
	at = gt_map_add(
		&o->numbers, sizeof key, (wide + process) * 0x9e3779b97f4a7c15u, &key, same_number, NULL, &fresh);
	if (at && fresh) {
		key.small = ++o->last[process];
		*at = key;
	}
	return at ? at->small : -1;
}

/* The edition of 2021 has the numbers of OpenMP 5.0, and counts kinds of tasks. */
static int64_t old_kind(const struct form *form, int64_t kind)
{
	if (!strcmp(form->function, "omp_task"))
		return kind == 4 ? 3 : kind;
	if (form->known && !strcmp(form->known, "ENUM_OPENMP_SYNC_REGION"))
		return kind >= 8 ? 2 : kind;
	return form->known && kind >= 10 ? 1 : kind;
}

/* Numbers that runtimes use and the table of real exports lacks get a row there. */
static void tell_kind(
	struct gt_sql_feeder *f, struct gt_sql_openmp *o, const struct form *form, const struct gt_arg *a)
{
	bool sync = !strcmp(form->known, "ENUM_OPENMP_SYNC_REGION");
	uint64_t bit = 1ull << (a->value % 32 + (sync ? 0 : 32));
	const char *name = a->param->symbols ? gt_enum_name(a->param->symbols, (int64_t)a->value) : NULL;
	char text[96];

	if (a->value < 8 || o->kinds_told & bit || !name)
		return;
	o->kinds_told |= bit;
	int n = snprintf(text, sizeof text, "ompt_%s_%s", sync ? "sync_region" : "work", name);

	gt_sql_enum_add(f->db, form->known, (int64_t)a->value, gt_sql_string(f->db, text, (size_t)n));
}

static bool is_number(const char *cell)
{
	size_t n = strlen(cell);

	return n > 2 && !strcmp(cell + n - 2, "Id") && strcmp(cell, "waitId") != 0;
}

static int64_t cell_value(struct gt_sql_feeder *f, struct gt_sql_openmp *o, const struct gt_call *c,
	const struct form *form, const char *cell, int i)
{
	struct gt_arg a;

	if (!gt_call_arg(c, (unsigned)i, &a))
		return 0;
	if (is_number(cell))
		return small_number(o, c->process, a.value);
	if (strcmp(cell, "kind") != 0)
		return (int64_t)a.value;
	if (gt_sql_is_2021(f->db))
		return old_kind(form, (int64_t)a.value);
	if (form->known)
		tell_kind(f, o, form, &a);
	return (int64_t)a.value;
}

bool gt_sql_openmp_call(struct gt_sql_feeder *f, const struct gt_call *c)
{
	struct gt_sql_openmp *o = openmp_of(f);
	const struct plan *p = o ? plan_of(f, o, c->fn) : NULL;

	if (!p || !p->form)
		return p != NULL;
	struct gt_sql_table *table = o->table[p->form - forms];

	f->thread_used[c->thread] = true;
	if (!gt_sql_wanted(table))
		return true;
	int64_t value[CELLS];

	for (unsigned i = FIXED_CELLS; i < cells_of(p->form); i++) {
		value[i] = p->parameter[i] < 0 ? 0 : cell_value(f, o, c, p->form, p->form->cells[i], p->parameter[i]);
		if (value[i] < 0 && is_number(p->form->cells[i]))
			return false;
	}
	int64_t correlation =
		p->correlation < 0 ? 0 : cell_value(f, o, c, p->form, p->form->correlation, p->correlation);
	struct gt_sql_row *r = gt_sql_add(table);

	gt_put(r, MP_start, c->start_ns);
	gt_put(r, MP_end, c->end_ns);
	gt_put(r, MP_eventClass, GT_SQL_CLASS_OPENMP);
	gt_put(r, MP_globalTid, gt_sql_tid(f, c->process, c->thread));
	if (correlation)
		gt_put(r, MP_correlationId, correlation);
	gt_put(r, MP_nameId, p->name);
	gt_put(r, MP_eventKind, p->form->kind);
	for (unsigned i = FIXED_CELLS; i < cells_of(p->form); i++)
		if (p->parameter[i] >= 0)
			gt_put(r, i, value[i]);
	return true;
}
