/*
 * writers/sqlite/walk.c - one walk over the calls fills the tables of calls, synchronisation and waits
 *
 * Commands: commands.c. The mapping from OpenCL to the tables: docs/sqlite.md. Calls of CUDA come in between, in order
 * of start: cuda.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/stacks/stacks.h"
#include "writers/sqlite/cuda.h"

#define FUNCTIONS 65536                 /* function ids are 16 bits wide in the trace */

/* spec: nsys SQLite ENUM_CUPTI_SYNC_TYPE */
enum sync { SYNC_NONE = 0, SYNC_EVENT = 1, SYNC_STREAM_WAIT = 2, SYNC_STREAM = 3 };

/* What to look for in calls of one function, worked out at its first call. -1: has none. */
struct gt_fn_plan {
	int64_t name;                   /* StringIds */
	enum sync sync;
	enum { EVENT_OTHER, EVENT_RETAIN, EVENT_RELEASE } event_use;
	int place, subject;             /* parameters: platform, device, context or queue; the object it is about */
	enum rec_object place_kind, subject_kind;
	int event_out, waits, event;    /* parameters */
};

static bool is_place(uint32_t kind)
{
	return kind >= REC_OBJECT_PLATFORM && kind <= REC_OBJECT_QUEUE;
}

static void plan_parameters(struct gt_fn_plan *p, const struct gt_fn *fn)
{
	for (int i = (int)fn->n_params - 1; i >= 0; i--) {
		const struct gt_param *a = &fn->params[i];

		if (a->is_event_out)
			p->event_out = i;
		else if (a->is_wait_list ||
			(a->copy == GT_COPY_ARRAY && a->dir == GT_IN && a->object == REC_OBJECT_EVENT))
			p->waits = i;           /* clWaitForEvents has no wait list, it has its events */
		if (a->value != GT_HANDLE)
			continue;
		if (a->object == REC_OBJECT_EVENT) {
			p->event = i;
		} else if (is_place(a->object)) {
			p->place = i;
			p->place_kind = (enum rec_object)a->object;
		} else {
			p->subject = i;
			p->subject_kind = (enum rec_object)a->object;
		}
	}
}

static enum sync sync_of(const struct gt_fn *fn)
{
	static const struct { const char *name; enum sync sync; } names[] = {
		{ "clFinish", SYNC_STREAM }, { "clWaitForEvents", SYNC_EVENT },
		{ "clEnqueueWaitForEvents", SYNC_STREAM_WAIT },
		{ "clEnqueueBarrierWithWaitList", SYNC_STREAM_WAIT },
		{ "clEnqueueMarkerWithWaitList", SYNC_STREAM_WAIT },
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(fn->name, names[i].name))
			return names[i].sync;
	return SYNC_NONE;
}

static const struct gt_fn_plan *plan_of(struct gt_sql_feeder *f, const struct gt_fn *fn)
{
	struct gt_fn_plan *p = f->plan[fn->id % FUNCTIONS];

	if (p)
		return p;
	p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	f->plan[fn->id % FUNCTIONS] = p;
	p->place = p->subject = p->event_out = p->waits = p->event = -1;
	p->name = gt_sql_string(f->db, fn->name, strlen(fn->name));
	p->sync = sync_of(fn);
	p->event_use = !strcmp(fn->name, "clRetainEvent") ? EVENT_RETAIN
		: !strcmp(fn->name, "clReleaseEvent")     ? EVENT_RELEASE
							  : EVENT_OTHER;
	plan_parameters(p, fn);
	return p;
}

static uint64_t arg_value(const struct gt_call *c, int i)
{
	struct gt_arg a;

	return i >= 0 && gt_call_arg(c, (unsigned)i, &a) ? a.value : 0;
}

/* Handles behind a pointer parameter; at most n. */
static unsigned arg_handles(const struct gt_call *c, int i, uint64_t *out, unsigned n)
{
	struct gt_arg a;

	if (i < 0 || !gt_call_arg(c, (unsigned)i, &a) || !a.has_data)
		return 0;
	if (n > a.bytes / 8)
		n = a.bytes / 8;
	memcpy(out, a.data, (size_t)n * 8);
	return n;
}

/* The objects a call is about: a creating call is about what it created. */
static void objects_of(struct gt_sql_feeder *f, const struct gt_call *c, const struct gt_fn_plan *p,
	const struct gt_object **place, const struct gt_object **subject)
{
	uint64_t handle;

	*place = *subject = NULL;
	if (p->place >= 0)
		*place = gt_sql_object_find(f->objects, c->process, p->place_kind, arg_value(c, p->place), c->start_ns);
	if (p->subject >= 0)
		*subject = gt_sql_object_find(
			f->objects, c->process, p->subject_kind, arg_value(c, p->subject), c->start_ns);
	if (c->fn->ret != GT_HANDLE || !c->fn->ret_object || c->fn->ret_object == REC_OBJECT_EVENT)
		return;
	handle = gt_call_return(c);
	if (handle && is_place(c->fn->ret_object))
		*place = gt_sql_object_find(
			f->objects, c->process, (enum rec_object)c->fn->ret_object, handle, c->end_ns);
	else if (handle)
		*subject = gt_sql_object_find(
			f->objects, c->process, (enum rec_object)c->fn->ret_object, handle, c->end_ns);
}

static void put_number(struct gt_sql_feeder *f, struct gt_sql_row *r, unsigned cell, const struct gt_object *o)
{
	if (o)
		gt_put(r, cell, gt_sql_object_number(f->objects, o));
}

static void add_api(
	struct gt_sql_feeder *f, const struct gt_call *c, const struct gt_fn_plan *p, int64_t tid, int64_t correlation)
{
	const struct gt_object *place, *subject, *device, *platform;
	struct gt_sql_row *r = gt_sql_add(f->api);

	gt_put(r, AP_id, (int64_t)++f->api_rows);
	gt_put(r, AP_start, c->start_ns);
	gt_put(r, AP_end, c->end_ns);
	gt_put(r, AP_eventClass, GT_SQL_CLASS_OPENCL);
	gt_put(r, AP_globalTid, tid);
	gt_put(r, AP_correlationId, correlation);
	gt_put(r, AP_nameId, p->name);
	gt_put(r, AP_returnValue, c->unfinished ? -1 : c->result);
	objects_of(f, c, p, &place, &subject);
	const struct gt_object *known = place ? place : subject;

	device = known && known->kind != REC_OBJECT_PLATFORM ? gt_sql_object_device(known) : NULL;
	platform = !known                            ? NULL
		: known->kind == REC_OBJECT_PLATFORM ? known
		: device                             ? device->platform
						     : known->platform;
	put_number(f, r, AP_platformId, platform);
	if (device)
		gt_put(r, AP_deviceId, gt_sql_device_number(f, device));
	put_number(f, r, AP_contextId, gt_sql_object_context(known));
	put_number(f, r, AP_queueId, place && place->kind == REC_OBJECT_QUEUE ? place : NULL);
	put_number(f, r, AP_objectId, subject);
	gt_sql_put_chain(f, r, AP_callchainId, gt_call_stack(c));
	if (f->arguments) {
		size_t bytes;
		const char *text = gt_sql_arguments(c, &bytes);

		gt_put_text(f->api, r, AP_arguments, text, bytes);
	}
}

static void add_runtime(
	struct gt_sql_feeder *f, const struct gt_call *c, const struct gt_fn_plan *p, int64_t tid, int64_t correlation)
{
	struct gt_sql_row *r = gt_sql_add(f->runtime);

	gt_put(r, RT_start, c->start_ns);
	gt_put(r, RT_end, c->end_ns);
	gt_put(r, RT_eventClass, GT_SQL_CLASS_OPENCL);
	gt_put(r, RT_globalTid, tid);
	gt_put(r, RT_correlationId, correlation);
	gt_put(r, RT_nameId, p->name);
	gt_put(r, RT_returnValue, c->unfinished ? -1 : c->result);
	gt_sql_put_chain(f, r, RT_callchainId, gt_call_stack(c));
}

/* The application's own function, called by the driver: no API call. */
static void add_callback(
	struct gt_sql_feeder *f, const struct gt_call *c, const struct gt_fn_plan *p, int64_t tid, int64_t correlation)
{
	struct gt_sql_row *r = gt_sql_add(f->host);

	gt_put(r, HO_start, c->start_ns);
	gt_put(r, HO_end, c->end_ns);
	gt_put(r, HO_eventClass, GT_SQL_CLASS_OPENCL);
	gt_put(r, HO_globalTid, tid);
	gt_put(r, HO_correlationId, correlation);
	gt_put(r, HO_nameId, p->name);
}

static void add_sync(struct gt_sql_feeder *f, const struct gt_call *c, const struct gt_fn_plan *p, int64_t correlation)
{
	struct gt_sql_event event = { GT_SQL_NONE, NULL };
	const struct gt_object *queue = NULL, *device;
	uint64_t first;
	bool waits = arg_handles(c, p->waits, &first, 1) == 1;

	if (c->result < 0 || (p->sync == SYNC_STREAM_WAIT && !waits))
		return;
	if (waits)
		gt_sql_events_find(f->events, c->process, first, &event);
	if (p->place_kind == REC_OBJECT_QUEUE)
		queue = gt_sql_object_find(
			f->objects, c->process, REC_OBJECT_QUEUE, arg_value(c, p->place), c->start_ns);
	if (!queue)
		queue = event.place;
	device = queue && queue->kind == REC_OBJECT_QUEUE ? gt_sql_object_device(queue) : NULL;
	struct gt_sql_row *r = gt_sql_add(f->sync);

	gt_put(r, SY_start, c->start_ns > 0 ? c->start_ns : 1);
	gt_put(r, SY_end, c->end_ns > 0 ? c->end_ns : 1);
	gt_put(r, SY_deviceId, device ? gt_sql_device_number(f, device) : GT_SQL_NONE);
	gt_put(r, SY_contextId, gt_sql_object_number(f->objects, gt_sql_object_context(queue)));
	gt_put(r, SY_streamId, queue && queue->kind == REC_OBJECT_QUEUE ? gt_sql_object_number(f->objects, queue)
									: GT_SQL_NONE);
	gt_put(r, SY_correlationId, correlation);
	gt_put(r, SY_globalPid, gt_sql_pid(f, c->process));
	gt_put(r, SY_syncType, p->sync);
	gt_put(r, SY_eventId, event.correlation);
}

static void add_wait(struct gt_sql_feeder *f, const struct gt_call *c, uint64_t handle, int64_t correlation)
{
	struct gt_sql_event event;

	if (!gt_sql_events_find(f->events, c->process, handle, &event))
		return;
	struct gt_sql_row *r = gt_sql_add(f->wait);

	gt_put(r, WA_globalPid, gt_sql_pid(f, c->process));
	gt_put(r, WA_correlationId, correlation);
	gt_put(r, WA_waitsForCorrelationId, event.correlation);
}

static void add_waits(struct gt_sql_feeder *f, const struct gt_call *c, const struct gt_fn_plan *p, int64_t correlation)
{
	struct gt_arg a;
	uint64_t handle;

	if (p->waits < 0 || !gt_call_arg(c, (unsigned)p->waits, &a) || !a.has_data)
		return;
	for (uint32_t at = 0; at + 8 <= a.bytes; at += 8) {
		memcpy(&handle, (const char *)a.data + at, 8);
		add_wait(f, c, handle, correlation);
	}
}

/* Keeps track of which call made which event. */
static bool follow_events(
	struct gt_sql_feeder *f, const struct gt_call *c, const struct gt_fn_plan *p, int64_t correlation)
{
	struct gt_sql_event event = { correlation, NULL };
	uint64_t handle = 0;

	if (p->event_use != EVENT_OTHER && c->result == 0) {
		if (p->event_use == EVENT_RETAIN)
			gt_sql_events_retain(f->events, c->process, arg_value(c, p->event));
		else
			gt_sql_events_release(f->events, c->process, arg_value(c, p->event));
		return true;
	}
	if (p->event_out >= 0)
		arg_handles(c, p->event_out, &handle, 1);
	else if (c->fn->ret == GT_HANDLE && c->fn->ret_object == REC_OBJECT_EVENT)
		handle = gt_call_return(c);
	if (handle && p->place >= 0 && (p->place_kind == REC_OBJECT_QUEUE || p->place_kind == REC_OBJECT_CONTEXT))
		event.place = gt_sql_object_find(
			f->objects, c->process, p->place_kind, arg_value(c, p->place), c->start_ns);
	return gt_sql_events_put(f->events, c->process, handle, event);
}

static bool add_call(struct gt_sql_feeder *f, const struct gt_call *c)
{
	const struct gt_fn_plan *p = plan_of(f, c->fn);
	int64_t tid = gt_sql_tid(f, c->process, c->thread),
		correlation = f->correlation_base[c->process] + (int64_t)c->id;

	if (!p)
		return false;
	/* no row, but it may have made the event or the memory that a call inside names */
	if (c->outside) {
		if (c->command)
			gt_sql_follow_command(f, c);
		return follow_events(f, c, p, correlation);
	}
	f->thread_used[c->thread] = true;
	f->opencl_calls++;
	if (f->compat && !c->is_callback)
		add_runtime(f, c, p, tid, correlation);
	if (f->compat && c->is_callback)
		add_callback(f, c, p, tid, correlation);
	if (gt_sql_wanted(f->api))
		add_api(f, c, p, tid, correlation);
	if (f->compat && p->sync)
		add_sync(f, c, p, correlation);
	add_waits(f, c, p, correlation);
	if (c->command)
		gt_sql_command(f, c, correlation);
	return follow_events(f, c, p, correlation);
}

/* As CUDA's: the row ends where it starts, with -1. */
static int add_unfinished(void *ctx, const struct gt_call *c, struct gt_err *err)
{
	struct gt_sql_feeder *f = ctx;

	if (c->fn->domain == REC_DOMAIN_OSRT)
		return gt_sql_osrt_call(f, c)
			? 0
			: gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", f->x->final_path);
	const struct gt_fn_plan *p = plan_of(f, c->fn);
	int64_t tid = gt_sql_tid(f, c->process, c->thread),
		correlation = f->correlation_base[c->process] + (int64_t)c->id;

	if (!p)
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", f->x->final_path);
	f->thread_used[c->thread] = true;
	f->opencl_calls++;
	gt_sql_never_returned(f, c->fn->name, strlen(c->fn->name), c->start_ns, gt_sql_pid(f, c->process));
	if (f->compat)
		add_runtime(f, c, p, tid, correlation);
	if (gt_sql_wanted(f->api))
		add_api(f, c, p, tid, correlation);
	return 0;
}

int gt_sql_walk(struct gt_sql_feeder *f, struct gt_err *err)
{
	const struct gt_walk_options opt = { .process = -1,
		.from_ns = f->x->from_ns,
		.to_ns = f->x->to_ns,
		.progress = f->x->progress,
		.ctx = f->x->ctx,
		.outside = true };
	const struct gt_call *c;
	struct gt_walk *w;
	int rc;

	if (gt_walk_open(f->m, &opt, &w, err))
		return -1;
	while ((rc = gt_walk_next(w, &c, err)) == 1 && !gt_sql_failed(f->db)) {
		bool ok = gt_sql_objects_update(f->objects);

		if (ok && c->fn->domain == REC_DOMAIN_OPENCL) {
			rc = gt_sql_cuda_calls(f, c->start_ns, err);
			ok = add_call(f, c);
		} else if (ok && c->fn->domain == REC_DOMAIN_OSRT && !c->outside) {
			ok = gt_sql_osrt_call(f, c);
		} else if (ok && c->fn->domain == REC_DOMAIN_OPENMP && !c->outside) {
			ok = gt_sql_openmp_call(f, c);
		}
		if (!ok)
			rc = gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", f->x->final_path);
		if (rc < 0)
			break;
	}
	gt_walk_close(w);
	if (rc < 0 || gt_sql_cuda_calls(f, INT64_MAX, err))
		return -1;
	if (gt_unfinished_calls(f->m, &opt, add_unfinished, f, err))
		return -1;
	gt_sql_osrt_end(f);
	return 0;
}
