/*
 * writers/sqlite/osrt.c - calls of the C library: OSRT_API, their arguments, which files were used, and system calls
 *
 * Arguments and files need what --osrt-args stores. A file is known from the call that opened it: of one that was
 * opened before the recording, or in less time than --osrt-threshold, there are calls and no file. SYSCALL has those
 * that the program made itself, by syscall().
 *
 * spec: nsys SQLite OSRT_API; OSRT_ARGUMENTS, OSRT_FILE_ACCESS_* and SYSCALL of newer editions: docs/sqlite.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "model/stacks/stacks.h"
#include "model/threads/estimate.h"
#include "model/threads/waits.h"
#include "model/window.h"
#include "writers/sqlite/feed.h"

enum {
	OS_start,
	OS_end,
	OS_eventClass,
	OS_globalTid,
	OS_nameId,
	OS_returnValue,
	OS_nestingLevel,
	OS_callchainId,
	OS_argumentsId
};
enum { SC_start, SC_end, SC_eventClass, SC_globalTid, SC_nameId, SC_callchainId };
enum { OA_id, OA_value, OA_argumentIndex };
enum {
	FE_fileAccessId,
	FE_threadId,
	FE_startedAt,
	FE_endedAt,
	FE_eventType,
	FE_apiCallId,
	FE_bytesProcessed,
	FE_context
};
enum {
	WT_start,
	WT_end,
	WT_globalTid,
	WT_nameId,
	WT_waitsForId,
	WT_object,
	WT_endedByTid,
	WT_endedByGlobalTid,
	WT_endedByNameId,
	WT_endedByStart,
	WT_endedByKernel
};
enum { ES_start, ES_end, ES_globalTid, ES_threadState, ES_nameId };
enum { FD_fileAccessId, FD_processId, FD_openedAt, FD_closedAt, FD_filePath };

/* ENUM_SAMPLING_THREAD_STATE */
enum { STATE_RUNNING = 1, STATE_WAITING = 7 };
/* ENUM_OSRT_FILE_ACCESS_EVENT_TYPE */
enum file_use { FILE_NONE, FILE_OPEN, FILE_CLOSE, FILE_READ, FILE_WRITE, FILE_MULTI, FILE_META };

/* What a function does with a file. which: the parameter that names it, by its own name; "": what comes back. */
static const struct {
	const char *name;
	enum file_use use;
	const char *which, *size;
} uses[] = {
	{ "open", FILE_OPEN, "", NULL },
	{ "open64", FILE_OPEN, "", NULL },
	{ "openat", FILE_OPEN, "", NULL },
	{ "openat64", FILE_OPEN, "", NULL },
	{ "creat", FILE_OPEN, "", NULL },
	{ "creat64", FILE_OPEN, "", NULL },
	{ "fopen", FILE_OPEN, "", NULL },
	{ "fopen64", FILE_OPEN, "", NULL },
	{ "close", FILE_CLOSE, "fd", NULL },
	{ "fclose", FILE_CLOSE, "file", NULL },
	{ "read", FILE_READ, "fd", NULL },
	{ "readv", FILE_READ, "fd", NULL },
	{ "pread", FILE_READ, "fd", NULL },
	{ "pread64", FILE_READ, "fd", NULL },
	{ "preadv", FILE_READ, "fd", NULL },
	{ "preadv64", FILE_READ, "fd", NULL },
	{ "preadv2", FILE_READ, "fd", NULL },
	{ "preadv64v2", FILE_READ, "fd", NULL },
	{ "fread", FILE_READ, "file", "size" },
	{ "fread_unlocked", FILE_READ, "file", "size" },
	{ "getdelim", FILE_READ, "file", NULL },
	{ "getline", FILE_READ, "file", NULL },
	{ "write", FILE_WRITE, "fd", NULL },
	{ "writev", FILE_WRITE, "fd", NULL },
	{ "pwrite", FILE_WRITE, "fd", NULL },
	{ "pwrite64", FILE_WRITE, "fd", NULL },
	{ "pwritev", FILE_WRITE, "fd", NULL },
	{ "pwritev64", FILE_WRITE, "fd", NULL },
	{ "pwritev2", FILE_WRITE, "fd", NULL },
	{ "pwritev64v2", FILE_WRITE, "fd", NULL },
	{ "fwrite", FILE_WRITE, "file", "size" },
	{ "fwrite_unlocked", FILE_WRITE, "file", "size" },
	{ "fsync", FILE_META, "fd", NULL },
	{ "fdatasync", FILE_META, "fd", NULL },
	{ "ftruncate", FILE_META, "fd", NULL },
	{ "ftruncate64", FILE_META, "fd", NULL },
	{ "fallocate", FILE_META, "fd", NULL },
	{ "flock", FILE_META, "fd", NULL },
	{ "fflush", FILE_META, "file", NULL },
};

/* What a function's number leads to, found once. */
struct plan {
	bool known, syscall;
	int64_t name;
	int use, which, size;
};

struct file { /* open now */
	uint32_t process;
	uint64_t handle; /* descriptor, or address of a FILE */
	int64_t id, opened_ns;
	char *path; /* own */
};

struct gt_sql_osrt {
	struct gt_sql_table *api, *arguments, *events, *descriptors, *ended, *states, *syscalls;
	struct gt_waits *waits;
	struct gt_estimate *estimate; /* NULL: there are switches */
	struct plan *plan; /* by gt_fn.index */
	struct gt_map files;
	int64_t rows, argument_rows, file_ids;
	bool with_arguments; /* --osrt-args */
};

static int64_t text_id(struct gt_sql_feeder *f, const char *text) { return gt_sql_string(f->db, text, strlen(text)); }

/* Who ended a wait: what the calls say, or the kernel (model/threads/waits.h). */
static int put_wait(void *ctx, const struct gt_wait *wait)
{
	struct gt_sql_feeder *f = ctx;
	struct gt_sql_row *r = gt_sql_add(f->osrt->ended);
	bool object = wait->what != GT_WAIT_PROCESS && wait->what != GT_WAIT_ANYTHING;

	gt_put(r, WT_start, wait->start_ns);
	gt_put(r, WT_end, wait->end_ns);
	gt_put(r, WT_globalTid, gt_sql_tid(f, wait->process, wait->thread));
	gt_put(r, WT_nameId, text_id(f, wait->fn->name));
	gt_put(r, WT_waitsForId, text_id(f, gt_wait_word(wait->what)));
	if (object)
		gt_put(r, WT_object, (int64_t)wait->object);
	if (wait->other_tid >= 0)
		gt_put(r, WT_endedByTid, wait->other_tid);
	if (wait->other != UINT32_MAX) {
		gt_put(r, WT_endedByGlobalTid,
			gt_sql_tid(f, gt_model_thread(f->m, wait->other)->process, wait->other));
		f->thread_used[wait->other] = true;
	}
	if (wait->by)
		gt_put(r, WT_endedByNameId, text_id(f, wait->by->name));
	if (wait->by || wait->by_kernel)
		gt_put(r, WT_endedByStart, wait->by_ns);
	gt_put(r, WT_endedByKernel, wait->by_kernel);
	return 0;
}

/* SCHED_EVENTS wants to know the processor, and has no word for an estimate: so these have a table of their own. */
static int put_state(void *ctx, const struct gt_thread_state *state, const struct gt_fn *in)
{
	struct gt_sql_feeder *f = ctx;
	struct gt_sql_row *r;

	if (!gt_overlaps(f->x->from_ns, f->x->to_ns, state->start_ns, state->end_ns))
		return 0;
	r = gt_sql_add(f->osrt->states);
	gt_put(r, ES_start, state->start_ns);
	gt_put(r, ES_end, state->end_ns);
	gt_put(r, ES_globalTid, gt_sql_tid(f, state->process, state->thread));
	gt_put(r, ES_threadState, in ? STATE_WAITING : STATE_RUNNING);
	if (in)
		gt_put(r, ES_nameId, text_id(f, in->name));
	return 0;
}

static struct gt_sql_osrt *osrt_of(struct gt_sql_feeder *f, uint32_t process)
{
	static const char *const api[] = { "start", "end", "eventClass", "globalTid", "nameId", "returnValue",
		"nestingLevel", "callchainId", "argumentsId" };
	static const char *const arguments[] = { "id", "value", "argumentIndex" };
	static const char *const events[] = { "fileAccessId", "threadId", "startedAt", "endedAt", "eventType",
		"apiCallId", "bytesProcessed", "context" };
	static const char *const descriptors[] = { "fileAccessId", "processId", "openedAt", "closedAt", "filePath" };
	static const char *const ended[] = { "start", "end", "globalTid", "nameId", "waitsForId", "object",
		"endedByTid", "endedByGlobalTid", "endedByNameId", "endedByStart", "endedByKernel" };
	static const char *const syscalls[] = { "start", "end", "eventClass", "globalTid", "nameId", "callchainId" };
	static const char *const states[] = { "start", "end", "globalTid", "threadState", "nameId" };
	struct gt_sql_osrt *o = f->osrt;

	if (o)
		return o;
	o = calloc(1, sizeof *o);
	if (!o || !(o->plan = calloc(gt_fntable_count(gt_model_table(f->m)), sizeof *o->plan)) ||
		!(o->waits = gt_waits_new(f->m, put_wait, f)) ||
		(gt_estimate_possible(f->m) && !(o->estimate = gt_estimate_new(f->m, put_state, f)))) {
		gt_sql_osrt_free(o);
		return NULL;
	}
#define FEED(name, cells) gt_sql_feed(f->db, name, cells, sizeof cells / sizeof *cells)
	o->api = FEED("OSRT_API", api);
	o->arguments = FEED("OSRT_ARGUMENTS", arguments);
	o->events = FEED("OSRT_FILE_ACCESS_EVENTS", events);
	o->ended = FEED("OSRT_WAITS", ended);
	o->states = FEED("OSRT_ESTIMATED_STATES", states);
	o->syscalls = FEED("SYSCALL", syscalls);
	o->descriptors = FEED("OSRT_FILE_ACCESS_DESCRIPTORS", descriptors);
#undef FEED
	o->with_arguments = gt_model_option_is(f->m, (int)process, GT_TAKEN_OSRT_ARGS, "true");
	return f->osrt = o;
}

void gt_sql_osrt_free(struct gt_sql_osrt *o)
{
	if (!o)
		return;
	for (struct file *file = NULL; (file = gt_map_next(&o->files, sizeof *file, file));)
		free(file->path);
	gt_map_free(&o->files, sizeof(struct file));
	gt_waits_free(o->waits);
	gt_estimate_free(o->estimate);
	free(o->plan);
	free(o);
}

static const struct plan *plan_of(struct gt_sql_feeder *f, struct gt_sql_osrt *o, const struct gt_fn *fn)
{
	struct plan *p = &o->plan[fn->index];

	if (p->known)
		return p;
	*p = (struct plan){
		.known = true, .syscall = !strcmp(fn->kind, "syscall"),
		.name = gt_sql_string(f->db, fn->name, strlen(fn->name)), .which = -1, .size = -1
	};
	for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++)
		if (!strcmp(uses[i].name, fn->name)) {
			p->use = uses[i].use;
			p->which = gt_sql_parameter(fn, uses[i].which);
			p->size = gt_sql_parameter(fn, uses[i].size);
		}
	return p;
}

/* ---------------------------------------------------------------------- files */

static bool same_file(const void *element, const void *key, const void *ctx)
{
	const struct file *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->handle == b->handle;
}

static uint64_t hash_of(const struct file *key)
{
	return (key->handle * 0x9e3779b97f4a7c15u) ^ ((uint64_t)key->process << 32) * 0xff51afd7ed558ccdu;
}

static struct file *find_file(struct gt_sql_osrt *o, const struct file *key)
{
	return gt_map_find(&o->files, sizeof *key, hash_of(key), key, same_file, NULL);
}

static uint64_t value_of(const struct gt_call *c, int parameter)
{
	struct gt_arg a;

	return parameter >= 0 && gt_call_arg(c, (unsigned)parameter, &a) ? a.value : 0;
}

static void put_event(struct gt_sql_feeder *f, const struct gt_sql_osrt *o, const struct gt_call *c, int64_t file,
	enum file_use use, int64_t bytes)
{
	struct gt_sql_row *r = gt_sql_add(o->events);

	gt_put(r, FE_fileAccessId, file);
	gt_put(r, FE_threadId, gt_sql_tid(f, c->process, c->thread));
	gt_put(r, FE_startedAt, c->start_ns);
	gt_put(r, FE_endedAt, c->end_ns);
	gt_put(r, FE_eventType, use);
	gt_put(r, FE_apiCallId, o->rows);
	gt_put(r, FE_bytesProcessed, bytes);
	gt_put_constant(o->events, r, FE_context, "");
}

static void put_descriptor(
	struct gt_sql_feeder *f, const struct gt_sql_osrt *o, const struct file *file, int64_t closed_ns)
{
	struct gt_sql_row *r = gt_sql_add(o->descriptors);

	gt_put(r, FD_fileAccessId, file->id);
	gt_put(r, FD_processId, gt_sql_pid(f, file->process));
	gt_put(r, FD_openedAt, file->opened_ns);
	gt_put(r, FD_closedAt, closed_ns);
	gt_put_text(o->descriptors, r, FD_filePath, file->path, strlen(file->path));
}

/* What the handle names from now on; one that was closed unseen is over. False: no memory. */
static bool open_file(struct gt_sql_feeder *f, struct gt_sql_osrt *o, const struct gt_call *c, struct file key)
{
	int path = gt_sql_parameter(c->fn, "path");
	struct gt_arg a;
	bool fresh;

	if (path < 0 || !gt_call_arg(c, (unsigned)path, &a) || !a.has_data)
		return true;
	struct file *file = gt_map_add(&o->files, sizeof key, hash_of(&key), &key, same_file, NULL, &fresh);

	if (!file)
		return false;
	if (!fresh) {
		put_descriptor(f, o, file, c->start_ns);
		free(file->path);
	}
	key.id = ++o->file_ids;
	key.opened_ns = c->start_ns;
	key.path = strndup(a.data, a.bytes);
	*file = key;
	if (!key.path)
		return false;
	put_event(f, o, c, key.id, FILE_OPEN, 0);
	return true;
}

static bool use_file(struct gt_sql_feeder *f, struct gt_sql_osrt *o, const struct gt_call *c, const struct plan *p)
{
	int64_t returned = (int64_t)gt_call_return(c), bytes = 0;
	struct file key = { .process = c->process,
		.handle = p->use == FILE_OPEN ? (uint64_t)returned : value_of(c, p->which) };

	if (p->use == FILE_OPEN)
		return open_file(f, o, c, key);
	struct file *file = find_file(o, &key);

	if (!file)
		return true;
	if (p->use == FILE_READ || p->use == FILE_WRITE)
		bytes = returned < 0 ? 0 : p->size >= 0 ? returned * (int64_t)value_of(c, p->size) : returned;
	put_event(f, o, c, file->id, p->use, bytes);
	if (p->use == FILE_CLOSE) {
		put_descriptor(f, o, file, c->end_ns);
		free(file->path);
		gt_map_remove(&o->files, sizeof *file, file);
	}
	return true;
}

/* Texts as ids of strings; everything else as the number it is. */
static void put_arguments(struct gt_sql_feeder *f, struct gt_sql_osrt *o, const struct gt_call *c)
{
	struct gt_arg a;

	for (uint32_t i = 0; i < c->fn->n_params && gt_call_arg(c, i, &a); i++) {
		struct gt_sql_row *r = gt_sql_add(o->arguments);
		bool narrow = a.param->value == GT_I32;

		gt_put(r, OA_id, o->argument_rows);
		gt_put(r, OA_value,
			a.has_data       ? gt_sql_string(f->db, a.data, a.bytes)
				: narrow ? (int32_t)a.value
					 : (int64_t)a.value);
		gt_put(r, OA_argumentIndex, i);
	}
}

/* No function of the C library, but the system call itself. */
static void put_syscall(struct gt_sql_feeder *f, const struct gt_sql_osrt *o, const struct gt_call *c, int64_t name)
{
	struct gt_sql_row *r = gt_sql_add(o->syscalls);

	gt_put(r, SC_start, c->start_ns);
	gt_put(r, SC_end, c->end_ns);
	gt_put(r, SC_eventClass, GT_SQL_CLASS_SYSCALL);
	gt_put(r, SC_globalTid, gt_sql_tid(f, c->process, c->thread));
	gt_put(r, SC_nameId, name);
	gt_put(r, SC_callchainId, gt_sql_chain(f, GT_SQL_CHAINS_SYSCALL, gt_call_stack(c)));
}

static int64_t return_value(const struct gt_call *c)
{
	if (c->unfinished)
		return -1;
	if (c->fn->ret_position < 0)
		return c->result;
	return c->has_args ? (int64_t)gt_call_return(c) : -1;
}

bool gt_sql_osrt_call(struct gt_sql_feeder *f, const struct gt_call *c)
{
	struct gt_sql_osrt *o = osrt_of(f, c->process);
	const struct plan *p = o ? plan_of(f, o, c->fn) : NULL;

	if (!p || (!c->unfinished && gt_sql_wanted(o->ended) && gt_waits_call(o->waits, c)))
		return false;
	if (o->estimate && !c->unfinished && gt_sql_wanted(o->states) && gt_estimate_call(o->estimate, c))
		return false;
	f->thread_used[c->thread] = true;
	struct gt_sql_row *r = gt_sql_add(o->api);
	bool arguments = o->with_arguments && c->has_args && !c->unfinished && gt_sql_wanted(o->arguments);

	o->rows++;
	gt_put(r, OS_start, c->start_ns);
	gt_put(r, OS_end, c->end_ns);
	gt_put(r, OS_eventClass, GT_SQL_CLASS_OSRT);
	gt_put(r, OS_globalTid, gt_sql_tid(f, c->process, c->thread));
	gt_put(r, OS_nameId, p->name);
	gt_put(r, OS_returnValue, return_value(c));
	gt_put(r, OS_callchainId, gt_sql_chain(f, GT_SQL_CHAINS_OSRT, gt_call_stack(c)));
	gt_put(r, OS_argumentsId, arguments ? ++o->argument_rows : 0);
	if (c->unfinished)
		gt_sql_never_returned(f, c->fn->name, strlen(c->fn->name), c->start_ns, gt_sql_pid(f, c->process));
	if (o->with_arguments && p->syscall && gt_sql_wanted(o->syscalls))
		put_syscall(f, o, c, p->name);
	if (!arguments)
		return true;
	put_arguments(f, o, c);
	return !p->use || c->result || use_file(f, o, c, p);
}

/* Threads without a call of their own too. */
static void put_estimate_end(struct gt_sql_feeder *f)
{
	struct gt_silent_thread v;

	gt_estimate_end(f->osrt->estimate);
	for (uint32_t i = 0; gt_estimate_silent(f->osrt->estimate, &i, &v);) {
		struct gt_sql_row *r;

		if (v.end_ns <= v.start_ns || !gt_overlaps(f->x->from_ns, f->x->to_ns, v.start_ns, v.end_ns))
			continue;
		r = gt_sql_add(f->osrt->states);
		gt_put(r, ES_start, v.start_ns);
		gt_put(r, ES_end, v.end_ns);
		gt_put(r, ES_globalTid, gt_sql_pid(f, v.process) | (v.tid & 0xffffff));
		gt_put(r, ES_threadState, STATE_RUNNING);
	}
}

void gt_sql_osrt_end(struct gt_sql_feeder *f)
{
	struct file *file = NULL;

	if (f->osrt && gt_sql_wanted(f->osrt->ended))
		gt_waits_end(f->osrt->waits);
	if (f->osrt && f->osrt->estimate && gt_sql_wanted(f->osrt->states))
		put_estimate_end(f);
	while (f->osrt && (file = gt_map_next(&f->osrt->files, sizeof *file, file)))
		put_descriptor(f, f->osrt, file, gt_model_process(f->m, file->process)->end_ns);
}
