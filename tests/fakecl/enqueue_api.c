/*
 * tests/fakecl/enqueue_api.c - commands, events, synchronisation
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakecl.h"
#include "api.h"

#include <stdlib.h>
#include <string.h>

static int run_copy(struct fk_command *c)
{
	memmove(c->dst, c->src, c->bytes);
	return CL_COMPLETE;
}

static int run_rect(struct fk_command *c)
{
	for (size_t z = 0; z < c->region[2]; z++)
		for (size_t y = 0; y < c->region[1]; y++)
			memmove(c->dst + z * c->dst_pitch[1] + y * c->dst_pitch[0],
				c->src + z * c->src_pitch[1] + y * c->src_pitch[0], c->region[0]);
	return CL_COMPLETE;
}

static int run_fill(struct fk_command *c)
{
	for (size_t at = 0; at + c->pattern_bytes <= c->bytes; at += c->pattern_bytes)
		memcpy(c->dst + at, c->pattern, c->pattern_bytes);
	return CL_COMPLETE;
}

#define MEM(m) do { if (!fk_is(m, FK_MEM)) return CL_INVALID_MEM_OBJECT; } while (0)
#define INSIDE(m, offset, size) do { if ((offset) + (size) > (m)->size || !(size)) return CL_INVALID_VALUE; } while (0)

cl_int CL_API_CALL fk_clEnqueueReadBuffer(
	cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size, void *p, WAITS)
{
	MEM(m);
	INSIDE(m, offset, size);
	if (!p)
		return CL_INVALID_VALUE;
	return fk_enqueue(q, CL_COMMAND_READ_BUFFER, n, w, e,
		&(struct fk_command){ .run = run_copy, .src = m->data + offset, .dst = p, .bytes = size, .mem = { m } },
		block);
}

cl_int CL_API_CALL fk_clEnqueueWriteBuffer(
	cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size, const void *p, WAITS)
{
	MEM(m);
	INSIDE(m, offset, size);
	if (!p)
		return CL_INVALID_VALUE;
	return fk_enqueue(q, CL_COMMAND_WRITE_BUFFER, n, w, e,
		&(struct fk_command){ .run = run_copy, .src = p, .dst = m->data + offset, .bytes = size, .mem = { m } },
		block);
}

cl_int CL_API_CALL fk_clEnqueueCopyBuffer(
	cl_command_queue q, cl_mem a, cl_mem b, size_t from, size_t to, size_t size, WAITS)
{
	MEM(a);
	MEM(b);
	INSIDE(a, from, size);
	INSIDE(b, to, size);
	return fk_enqueue(q, CL_COMMAND_COPY_BUFFER, n, w, e,
		&(struct fk_command){
			.run = run_copy, .src = a->data + from, .dst = b->data + to, .bytes = size, .mem = { a, b } },
		false);
}

static void pitches(size_t out[2], size_t row, size_t slice, const size_t *region)
{
	out[0] = row ? row : region[0];
	out[1] = slice ? slice : out[0] * region[1];
}

static size_t rect_offset(const size_t *origin, const size_t pitch[2])
{
	return origin[0] + origin[1] * pitch[0] + origin[2] * pitch[1];
}

cl_int CL_API_CALL fk_clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool block, const size_t *bo,
	const size_t *ho, const size_t *region, size_t brow, size_t bslice, size_t hrow, size_t hslice, void *p, WAITS)
{
	struct fk_command c = { .run = run_rect, .mem = { m } };

	MEM(m);
	if (!bo || !ho || !region || !p)
		return CL_INVALID_VALUE;
	memcpy(c.region, region, sizeof c.region);
	pitches(c.src_pitch, brow, bslice, region);
	pitches(c.dst_pitch, hrow, hslice, region);
	c.src = m->data + rect_offset(bo, c.src_pitch);
	c.dst = (char *)p + rect_offset(ho, c.dst_pitch);
	return fk_enqueue(q, CL_COMMAND_READ_BUFFER_RECT, n, w, e, &c, block);
}

cl_int CL_API_CALL fk_clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool block, const size_t *bo,
	const size_t *ho, const size_t *region, size_t brow, size_t bslice, size_t hrow, size_t hslice, const void *p,
	WAITS)
{
	struct fk_command c = { .run = run_rect, .mem = { m } };

	MEM(m);
	if (!bo || !ho || !region || !p)
		return CL_INVALID_VALUE;
	memcpy(c.region, region, sizeof c.region);
	pitches(c.dst_pitch, brow, bslice, region);
	pitches(c.src_pitch, hrow, hslice, region);
	c.dst = m->data + rect_offset(bo, c.dst_pitch);
	c.src = (const char *)p + rect_offset(ho, c.src_pitch);
	return fk_enqueue(q, CL_COMMAND_WRITE_BUFFER_RECT, n, w, e, &c, block);
}

cl_int CL_API_CALL fk_clEnqueueCopyBufferRect(cl_command_queue q, cl_mem a, cl_mem b, const size_t *ao,
	const size_t *bo, const size_t *region, size_t arow, size_t aslice, size_t brow, size_t bslice, WAITS)
{
	struct fk_command c = { .run = run_rect, .mem = { a, b } };

	MEM(a);
	MEM(b);
	memcpy(c.region, region, sizeof c.region);
	pitches(c.src_pitch, arow, aslice, region);
	pitches(c.dst_pitch, brow, bslice, region);
	c.src = a->data + rect_offset(ao, c.src_pitch);
	c.dst = b->data + rect_offset(bo, c.dst_pitch);
	return fk_enqueue(q, CL_COMMAND_COPY_BUFFER_RECT, n, w, e, &c, false);
}

cl_int CL_API_CALL fk_clEnqueueFillBuffer(
	cl_command_queue q, cl_mem m, const void *pattern, size_t bytes, size_t offset, size_t size, WAITS)
{
	struct fk_command c = { .run = run_fill, .bytes = size, .pattern_bytes = bytes, .mem = { m } };

	MEM(m);
	INSIDE(m, offset, size);
	if (!pattern || !bytes || bytes > sizeof c.pattern)
		return CL_INVALID_VALUE;
	memcpy(c.pattern, pattern, bytes);
	c.dst = m->data + offset;
	return fk_enqueue(q, CL_COMMAND_FILL_BUFFER, n, w, e, &c, false);
}

cl_int CL_API_CALL fk_clEnqueueFillImage(
	cl_command_queue q, cl_mem m, const void *color, const size_t *origin, const size_t *region, WAITS)
{
	MEM(m);
	(void)color; (void)origin; (void)region;
	return fk_enqueue(q, CL_COMMAND_FILL_IMAGE, n, w, e, &(struct fk_command){ .mem = { m } }, false);
}

static size_t image_bytes(const size_t *region)
{
	return 4 * region[0] * region[1] * region[2];
}

cl_int CL_API_CALL fk_clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin,
	const size_t *region, size_t row, size_t slice, void *p, WAITS)
{
	MEM(m);
	(void)origin; (void)row; (void)slice;
	return fk_enqueue(q, CL_COMMAND_READ_IMAGE, n, w, e,
		&(struct fk_command){
			.run = run_copy, .src = m->data, .dst = p, .bytes = image_bytes(region), .mem = { m } },
		block);
}

cl_int CL_API_CALL fk_clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin,
	const size_t *region, size_t row, size_t slice, const void *p, WAITS)
{
	MEM(m);
	(void)origin; (void)row; (void)slice;
	return fk_enqueue(q, CL_COMMAND_WRITE_IMAGE, n, w, e,
		&(struct fk_command){
			.run = run_copy, .src = p, .dst = m->data, .bytes = image_bytes(region), .mem = { m } },
		block);
}

cl_int CL_API_CALL fk_clEnqueueCopyImage(
	cl_command_queue q, cl_mem a, cl_mem b, const size_t *ao, const size_t *bo, const size_t *region, WAITS)
{
	MEM(a);
	MEM(b);
	(void)ao; (void)bo;
	return fk_enqueue(q, CL_COMMAND_COPY_IMAGE, n, w, e,
		&(struct fk_command){ .run = run_copy,
			.src = a->data,
			.dst = b->data,
			.bytes = image_bytes(region),
			.mem = { a, b } },
		false);
}

cl_int CL_API_CALL fk_clEnqueueCopyImageToBuffer(
	cl_command_queue q, cl_mem a, cl_mem b, const size_t *ao, const size_t *region, size_t to, WAITS)
{
	MEM(a);
	MEM(b);
	(void)ao;
	return fk_enqueue(q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, n, w, e,
		&(struct fk_command){ .run = run_copy,
			.src = a->data,
			.dst = b->data + to,
			.bytes = image_bytes(region),
			.mem = { a, b } },
		false);
}

cl_int CL_API_CALL fk_clEnqueueCopyBufferToImage(
	cl_command_queue q, cl_mem a, cl_mem b, size_t from, const size_t *bo, const size_t *region, WAITS)
{
	MEM(a);
	MEM(b);
	(void)bo;
	return fk_enqueue(q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, n, w, e,
		&(struct fk_command){ .run = run_copy,
			.src = a->data + from,
			.dst = b->data,
			.bytes = image_bytes(region),
			.mem = { a, b } },
		false);
}

static void *map(cl_command_queue q, cl_command_type type, cl_mem m, cl_bool block, size_t offset, cl_uint n,
	const cl_event *w, cl_event *e, cl_int *err)
{
	cl_int rc;

	if (!fk_is(m, FK_MEM) || fk_fault("map-fails", NULL)) {
		SET(err, fk_is(m, FK_MEM) ? CL_MAP_FAILURE : CL_INVALID_MEM_OBJECT);
		return NULL;
	}
	rc = fk_enqueue(q, type, n, w, e, &(struct fk_command){ .mem = { m } }, block);
	SET(err, rc);
	if (rc)
		return NULL;
	__atomic_add_fetch(&m->maps, 1, __ATOMIC_RELAXED);
	return m->data + offset;
}

void *CL_API_CALL fk_clEnqueueMapBuffer(
	cl_command_queue q, cl_mem m, cl_bool block, cl_map_flags flags, size_t offset, size_t size, WAITS, cl_int *err)
{
	(void)flags;
	if (fk_is(m, FK_MEM) && (offset > m->size || size > m->size - offset)) {
		SET(err, CL_INVALID_VALUE);
		return NULL;
	}
	return map(q, CL_COMMAND_MAP_BUFFER, m, block, offset, n, w, e, err);
}

void *CL_API_CALL fk_clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool block, cl_map_flags flags,
	const size_t *origin, const size_t *region, size_t *row, size_t *slice, WAITS, cl_int *err)
{
	(void)flags; (void)origin; (void)region;
	if (row)
		*row = fk_is(m, FK_MEM) ? 4 * m->desc.image_width : 0;
	if (slice)
		*slice = 0;
	return map(q, CL_COMMAND_MAP_IMAGE, m, block, 0, n, w, e, err);
}

cl_int CL_API_CALL fk_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *p, WAITS)
{
	MEM(m);
	(void)p;
	__atomic_sub_fetch(&m->maps, 1, __ATOMIC_RELAXED);
	return fk_enqueue(q, CL_COMMAND_UNMAP_MEM_OBJECT, n, w, e, &(struct fk_command){ .mem = { m } }, false);
}

cl_int CL_API_CALL fk_clEnqueueMigrateMemObjects(
	cl_command_queue q, cl_uint count, const cl_mem *mems, cl_mem_migration_flags flags, WAITS)
{
	(void)flags;
	if (!count || !mems)
		return CL_INVALID_VALUE;
	return fk_enqueue(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, n, w, e, &(struct fk_command){ 0 }, false);
}

cl_int CL_API_CALL fk_clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
	const size_t *global, const size_t *local, WAITS)
{
	(void)offset;
	if (!fk_is(q, FK_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!fk_is(k, FK_KERNEL))
		return CL_INVALID_KERNEL;
	if (!dims || dims > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (!global || !global[0])
		return CL_INVALID_GLOBAL_WORK_SIZE;
	if (local && local[0] > 1024)
		return CL_INVALID_WORK_GROUP_SIZE;
	return fk_enqueue(
		q, CL_COMMAND_NDRANGE_KERNEL, n, w, e, &(struct fk_command){ .spin_ns = 1500, .kernel = k }, false);
}

cl_int CL_API_CALL fk_clEnqueueTask(cl_command_queue q, cl_kernel k, WAITS)
{
	if (!fk_is(k, FK_KERNEL))
		return CL_INVALID_KERNEL;
	return fk_enqueue(q, CL_COMMAND_TASK, n, w, e, &(struct fk_command){ .spin_ns = 500, .kernel = k }, false);
}

cl_int CL_API_CALL fk_clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *fn)(void *), void *args, size_t bytes,
	cl_uint n_mems, const cl_mem *mems, const void **places, WAITS)
{
	struct fk_command c = { .native = fn };

	if (!fn || !args != !bytes || (n_mems && !args) || !n_mems != !mems || !n_mems != !places)
		return CL_INVALID_VALUE;
	if (args) {
		c.native_args = malloc(bytes);
		memcpy(c.native_args, args, bytes);
	}
	for (cl_uint i = 0; i < n_mems; i++)            /* in the copy, handles become addresses */
		memcpy((char *)c.native_args + ((const char *)places[i] - (const char *)args), &mems[i]->data,
			sizeof(void *));
	return fk_enqueue(q, CL_COMMAND_NATIVE_KERNEL, n, w, e, &c, false);
}

#define PLAIN(name, type) \
cl_int CL_API_CALL fk_##name(cl_command_queue q, WAITS) \
{ \
	return fk_enqueue(q, type, n, w, e, &(struct fk_command){ 0 }, false); \
}
PLAIN(clEnqueueMarkerWithWaitList, CL_COMMAND_MARKER)
PLAIN(clEnqueueBarrierWithWaitList, CL_COMMAND_BARRIER)

cl_int CL_API_CALL fk_clEnqueueMarker(cl_command_queue q, cl_event *e)
{
	return e ? fk_enqueue(q, CL_COMMAND_MARKER, 0, NULL, e, &(struct fk_command){ 0 }, false) : CL_INVALID_VALUE;
}

cl_int CL_API_CALL fk_clEnqueueBarrier(cl_command_queue q)
{
	return fk_enqueue(q, CL_COMMAND_BARRIER, 0, NULL, NULL, &(struct fk_command){ 0 }, false);
}

cl_int CL_API_CALL fk_clEnqueueWaitForEvents(cl_command_queue q, cl_uint n, const cl_event *w)
{
	return n ? fk_enqueue(q, CL_COMMAND_MARKER, n, w, NULL, &(struct fk_command){ 0 }, false) : CL_INVALID_VALUE;
}

/* --------------------------------------------------------------------- SVM */

cl_int CL_API_CALL fk_clEnqueueSVMMemcpy(
	cl_command_queue q, cl_bool block, void *dst, const void *src, size_t size, WAITS)
{
	return fk_enqueue(q, CL_COMMAND_SVM_MEMCPY, n, w, e,
		&(struct fk_command){ .run = run_copy, .src = src, .dst = dst, .bytes = size }, block);
}

cl_int CL_API_CALL fk_clEnqueueSVMMemFill(
	cl_command_queue q, void *p, const void *pattern, size_t bytes, size_t size, WAITS)
{
	struct fk_command c = { .run = run_fill, .dst = p, .bytes = size, .pattern_bytes = bytes };

	if (!pattern || !bytes || bytes > sizeof c.pattern)
		return CL_INVALID_VALUE;
	memcpy(c.pattern, pattern, bytes);
	return fk_enqueue(q, CL_COMMAND_SVM_MEMFILL, n, w, e, &c, false);
}

cl_int CL_API_CALL fk_clEnqueueSVMMap(
	cl_command_queue q, cl_bool block, cl_map_flags flags, void *p, size_t size, WAITS)
{
	(void)flags; (void)p; (void)size;
	return fk_enqueue(q, CL_COMMAND_SVM_MAP, n, w, e, &(struct fk_command){ 0 }, block);
}

cl_int CL_API_CALL fk_clEnqueueSVMUnmap(cl_command_queue q, void *p, WAITS)
{
	(void)p;
	return fk_enqueue(q, CL_COMMAND_SVM_UNMAP, n, w, e, &(struct fk_command){ 0 }, false);
}

cl_int CL_API_CALL fk_clEnqueueSVMMigrateMem(
	cl_command_queue q, cl_uint count, const void **p, const size_t *sizes, cl_mem_migration_flags flags, WAITS)
{
	(void)count; (void)p; (void)sizes; (void)flags;
	return fk_enqueue(q, CL_COMMAND_SVM_MIGRATE_MEM, n, w, e, &(struct fk_command){ 0 }, false);
}

struct svm_free {
	void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *);
	cl_command_queue q;
	cl_uint n;
	void *user;
	void *p[];
};

static void free_svm(void *arg)
{
	struct svm_free *f = arg;

	if (f->fn)
		f->fn(f->q, f->n, f->p, f->user);
	else
		for (cl_uint i = 0; i < f->n; i++)
			free(f->p[i]);
	free(f);
}

cl_int CL_API_CALL fk_clEnqueueSVMFree(cl_command_queue q, cl_uint count, void *p[],
	void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void **, void *), void *user, WAITS)
{
	struct svm_free *f = malloc(sizeof *f + count * sizeof *p);

	*f = (struct svm_free){ fn, q, count, user };
	memcpy(f->p, p, count * sizeof *p);
	return fk_enqueue(
		q, CL_COMMAND_SVM_FREE, n, w, e, &(struct fk_command){ .native = free_svm, .native_args = f }, false);
}

/* ------------------------------------------------------------------ events */

cl_int CL_API_CALL fk_clFlush(cl_command_queue q)
{
	if (!fk_is(q, FK_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	LOCK();
	fk_flush(q);
	UNLOCK();
	return CL_SUCCESS;
}

static void release(cl_event e)
{
	LOCK();
	fk_unref(e);
	UNLOCK();
}

cl_int CL_API_CALL fk_clFinish(cl_command_queue q)
{
	cl_event e;
	cl_int rc = fk_enqueue(q, CL_COMMAND_MARKER, 0, NULL, &e, &(struct fk_command){ 0 }, true);

	if (!rc || rc == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		release(e);
	/* An out-of-order marker waits for nothing: everything before it is waited for here. */
	while (!rc && q->first) {
		cl_event first;

		LOCK();
		first = q->first ? q->first->event : NULL;
		if (first)
			first->o.refs++;
		UNLOCK();
		if (first) {
			fk_wait(1, &first);
			release(first);
		}
	}
	return rc == CL_INVALID_COMMAND_QUEUE || rc == CL_OUT_OF_RESOURCES ? rc : CL_SUCCESS;
}

cl_int CL_API_CALL fk_clWaitForEvents(cl_uint n, const cl_event *list)
{
	if (!n || !list)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++)
		if (!fk_is(list[i], FK_EVENT))
			return CL_INVALID_EVENT;
	return fk_wait(n, list);
}

cl_event CL_API_CALL fk_clCreateUserEvent(cl_context c, cl_int *err)
{
	cl_event e;

	if (!fk_is(c, FK_CONTEXT)) {
		SET(err, CL_INVALID_CONTEXT);
		return NULL;
	}
	e = fk_new(FK_EVENT, c->platform);
	LOCK();
	c->o.refs++;
	UNLOCK();
	e->context = c;
	e->type = CL_COMMAND_USER;
	e->status = CL_SUBMITTED;
	SET(err, CL_SUCCESS);
	return e;
}

cl_int CL_API_CALL fk_clSetUserEventStatus(cl_event e, cl_int status)
{
	if (!fk_is(e, FK_EVENT))
		return CL_INVALID_EVENT;
	if (e->queue || status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (e->status <= CL_COMPLETE)
		return CL_INVALID_OPERATION;
	LOCK();
	fk_set_status(e, status);
	fk_pump();
	UNLOCK();
	return CL_SUCCESS;
}

cl_int CL_API_CALL fk_clSetEventCallback(
	cl_event e, cl_int status, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user)
{
	struct fk_callback *c;

	if (!fk_is(e, FK_EVENT))
		return CL_INVALID_EVENT;
	if (!fn || status < CL_COMPLETE || status > CL_SUBMITTED)
		return CL_INVALID_VALUE;
	c = malloc(sizeof *c);
	LOCK();
	fk_counts.event_callbacks++;
	*c = (struct fk_callback){ e->callbacks, (void (*)(void))fn, user, status };
	e->callbacks = c;
	if (e->status <= status)
		fk_set_status(e, e->status);
	UNLOCK();
	return CL_SUCCESS;
}

cl_int CL_API_CALL fk_clGetDeviceAndHostTimer(cl_device_id d, cl_ulong *device, cl_ulong *host)
{
	if (!fk_is(d, FK_DEVICE))
		return CL_INVALID_DEVICE;
	if (fk_fault("no-timers", NULL))
		return CL_INVALID_OPERATION;
	if (!device || !host)
		return CL_INVALID_VALUE;
	*device = fk_device_ns();
	*host = *device;
	return CL_SUCCESS;
}

cl_int CL_API_CALL fk_clGetHostTimer(cl_device_id d, cl_ulong *host)
{
	cl_ulong device;

	return fk_clGetDeviceAndHostTimer(d, &device, host);
}
