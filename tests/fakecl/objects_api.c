/*
 * tests/fakecl/objects_api.c - create, retain, release
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakecl.h"
#include "api.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void take_time(enum fk_kind kind)
{
	long ms;

	if (kind == FK_EVENT && gettid() != getpid() && fk_fault("release-slow", &ms))
		usleep((useconds_t)ms * 1000);
}

#define RETAIN_RELEASE(Name, type, kind, error) \
cl_int CL_API_CALL fk_clRetain##Name(type o) \
{ \
	if (!fk_is(o, kind)) \
		return error; \
	LOCK(); \
	o->o.refs++; \
	UNLOCK(); \
	return CL_SUCCESS; \
} \
cl_int CL_API_CALL fk_clRelease##Name(type o) \
{ \
	if (!fk_is(o, kind)) \
		return error; \
	take_time(kind); \
	LOCK(); \
	fk_unref(o); \
	UNLOCK(); \
	return CL_SUCCESS; \
}

RETAIN_RELEASE(Context, cl_context, FK_CONTEXT, CL_INVALID_CONTEXT)
RETAIN_RELEASE(MemObject, cl_mem, FK_MEM, CL_INVALID_MEM_OBJECT)
RETAIN_RELEASE(Sampler, cl_sampler, FK_SAMPLER, CL_INVALID_SAMPLER)
RETAIN_RELEASE(Program, cl_program, FK_PROGRAM, CL_INVALID_PROGRAM)
RETAIN_RELEASE(Kernel, cl_kernel, FK_KERNEL, CL_INVALID_KERNEL)
RETAIN_RELEASE(Event, cl_event, FK_EVENT, CL_INVALID_EVENT)

cl_int CL_API_CALL fk_clRetainCommandQueue(cl_command_queue q)
{
	if (!fk_is(q, FK_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	LOCK();
	q->o.refs++;
	UNLOCK();
	return CL_SUCCESS;
}

/* Releasing flushes, as the specification says. */
cl_int CL_API_CALL fk_clReleaseCommandQueue(cl_command_queue q)
{
	if (!fk_is(q, FK_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	LOCK();
	fk_flush(q);
	fk_unref(q);
	UNLOCK();
	return CL_SUCCESS;
}

/* Root devices live for ever; sub-devices count. */
cl_int CL_API_CALL fk_clRetainDevice(cl_device_id d)
{
	if (!fk_is(d, FK_DEVICE))
		return CL_INVALID_DEVICE;
	LOCK();
	d->o.refs += d->parent != NULL;
	UNLOCK();
	return CL_SUCCESS;
}

cl_int CL_API_CALL fk_clReleaseDevice(cl_device_id d)
{
	if (!fk_is(d, FK_DEVICE))
		return CL_INVALID_DEVICE;
	LOCK();
	if (d->parent)
		fk_unref(d);
	UNLOCK();
	return CL_SUCCESS;
}

/* cl_ext_device_fission's names of the two, which an ICD loader calls whatever the platform's extensions are. */
cl_int CL_API_CALL fk_clRetainDeviceEXT(cl_device_id d)
{
	return fk_clRetainDevice(d);
}

cl_int CL_API_CALL fk_clReleaseDeviceEXT(cl_device_id d)
{
	return fk_clReleaseDevice(d);
}

cl_int CL_API_CALL fk_clCreateSubDevices(
	cl_device_id d, const cl_device_partition_property *how, cl_uint room, cl_device_id *out, cl_uint *n)
{
	if (!fk_is(d, FK_DEVICE))
		return CL_INVALID_DEVICE;
	if (!how || how[0] != CL_DEVICE_PARTITION_EQUALLY || (out && room < 2))
		return CL_INVALID_VALUE;
	for (int i = 0; out && i < 2; i++) {
		out[i] = fk_new(FK_DEVICE, d->platform);
		out[i]->platform = d->platform;
		out[i]->index = d->index;
		out[i]->cpu = d->cpu;
		out[i]->parent = d;
	}
	if (n)
		*n = 2;
	return CL_SUCCESS;
}

cl_context CL_API_CALL fk_clCreateContext(const cl_context_properties *properties, cl_uint n,
	const cl_device_id *devices, void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
	cl_int *err)
{
	cl_context c;

	if (!n || !devices || n > 8 || (!notify && user)) {
		SET(err, CL_INVALID_VALUE);
		return NULL;
	}
	for (cl_uint i = 0; i < n; i++)
		if (!fk_is(devices[i], FK_DEVICE)) {
			SET(err, CL_INVALID_DEVICE);
			return NULL;
		}
	c = fk_new(FK_CONTEXT, devices[0]->platform);
	c->platform = devices[0]->platform;
	c->n_devices = n;
	memcpy(c->devices, devices, n * sizeof *devices);
	while (properties && c->n_properties < 14 && properties[c->n_properties]) {
		memcpy(c->properties + c->n_properties, properties + c->n_properties, 2 * sizeof *properties);
		c->n_properties += 2;
	}
	c->n_properties += properties != NULL;
	SET(err, CL_SUCCESS);
	if (notify)
		notify("gputap stand-in: context made", NULL, 0, user);
	return c;
}

cl_int CL_API_CALL fk_clSetContextDestructorCallback(
	cl_context c, void(CL_CALLBACK *fn)(cl_context, void *), void *user)
{
	struct fk_callback *cb;

	if (!fk_is(c, FK_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!fn)
		return CL_INVALID_VALUE;
	cb = malloc(sizeof *cb);
	LOCK();
	*cb = (struct fk_callback){ c->destructors, (void (*)(void))fn, user, 0 };
	c->destructors = cb;
	UNLOCK();
	return CL_SUCCESS;
}

/* ------------------------------------------------------------------ queues */

static cl_command_queue make_queue(cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *err)
{
	cl_command_queue q;

	if (!fk_is(c, FK_CONTEXT) || !fk_is(d, FK_DEVICE)) {
		SET(err, fk_is(c, FK_CONTEXT) ? CL_INVALID_DEVICE : CL_INVALID_CONTEXT);
		return NULL;
	}
	if (properties & ~(cl_command_queue_properties)15) {
		SET(err, CL_INVALID_VALUE);
		return NULL;
	}
	/* On-device queues take no profiling here; some drivers take it nowhere. */
	if (properties & CL_QUEUE_PROFILING_ENABLE &&
		(fk_fault("profiling-refused", NULL) || properties & CL_QUEUE_ON_DEVICE)) {
		SET(err, CL_INVALID_QUEUE_PROPERTIES);
		return NULL;
	}
	q = fk_new(FK_QUEUE, d->platform);
	LOCK();
	c->o.refs++;
	fk_counts.queues_with_profiling += (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
	UNLOCK();
	q->context = c;
	q->device = d;
	q->properties = properties;
	SET(err, CL_SUCCESS);
	return q;
}

cl_command_queue CL_API_CALL fk_clCreateCommandQueue(
	cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *err)
{
	return make_queue(c, d, properties, err);
}

cl_command_queue CL_API_CALL fk_clCreateCommandQueueWithProperties(
	cl_context c, cl_device_id d, const cl_queue_properties *list, cl_int *err)
{
	cl_command_queue_properties properties = 0;
	size_t n = 0;
	cl_command_queue q;

	for (; list && list[n]; n += 2) {
		/* One vendor pair is known, so that a tool that drops unknown pairs shows. */
		if (n >= 14 || (list[n] != CL_QUEUE_PROPERTIES && list[n] != CL_QUEUE_SIZE && list[n] != 0x7777)) {
			SET(err, CL_INVALID_VALUE);
			return NULL;
		}
		if (list[n] == CL_QUEUE_PROPERTIES)
			properties = list[n + 1];
	}
	q = make_queue(c, d, properties, err);
	if (q && list) {
		memcpy(q->list, list, (n + 1) * sizeof *list);
		q->n_list = n + 1;
	}
	return q;
}

cl_int CL_API_CALL fk_clSetCommandQueueProperty(
	cl_command_queue q, cl_command_queue_properties properties, cl_bool on, cl_command_queue_properties *old)
{
	if (!fk_is(q, FK_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (old)
		*old = q->properties;
	q->properties = on ? q->properties | properties : q->properties & ~properties;
	return CL_SUCCESS;
}

cl_int CL_API_CALL fk_clSetDefaultDeviceCommandQueue(cl_context c, cl_device_id d, cl_command_queue q)
{
	return fk_is(c, FK_CONTEXT) && fk_is(d, FK_DEVICE) && fk_is(q, FK_QUEUE) ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* ------------------------------------------------------------------ memory */

static cl_mem make_mem(cl_context c, cl_mem_object_type type, cl_mem_flags flags, size_t size, void *host, cl_int *err)
{
	cl_mem m;

	if (!fk_is(c, FK_CONTEXT) || !size) {
		SET(err, size ? CL_INVALID_CONTEXT : CL_INVALID_BUFFER_SIZE);
		return NULL;
	}
	if (!host != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR))) {
		SET(err, CL_INVALID_HOST_PTR);
		return NULL;
	}
	m = fk_new(FK_MEM, c->platform);
	LOCK();
	c->o.refs++;
	UNLOCK();
	m->context = c;
	m->type = type;
	m->flags = flags ? flags : CL_MEM_READ_WRITE;
	m->size = size;
	m->host = host;
	m->data = flags & CL_MEM_USE_HOST_PTR ? host : calloc(1, size);
	if (flags & CL_MEM_COPY_HOST_PTR)
		memcpy(m->data, host, size);
	SET(err, CL_SUCCESS);
	return m;
}

cl_mem CL_API_CALL fk_clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *err)
{
	return make_mem(c, CL_MEM_OBJECT_BUFFER, flags, size, host, err);
}

cl_mem CL_API_CALL fk_clCreateBufferWithProperties(
	cl_context c, const cl_mem_properties *list, cl_mem_flags flags, size_t size, void *host, cl_int *err)
{
	(void)list;
	return make_mem(c, CL_MEM_OBJECT_BUFFER, flags, size, host, err);
}

cl_mem CL_API_CALL fk_clCreateSubBuffer(
	cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *err)
{
	const cl_buffer_region *r = info;
	cl_mem m;

	if (!fk_is(parent, FK_MEM) || type != CL_BUFFER_CREATE_TYPE_REGION || !r ||
		r->origin + r->size > parent->size) {
		SET(err, fk_is(parent, FK_MEM) ? CL_INVALID_VALUE : CL_INVALID_MEM_OBJECT);
		return NULL;
	}
	m = fk_new(FK_MEM, parent->context->platform);
	LOCK();
	parent->o.refs++;
	parent->context->o.refs++;
	UNLOCK();
	m->context = parent->context;
	m->type = CL_MEM_OBJECT_BUFFER;
	m->flags = flags ? flags : parent->flags;
	m->size = r->size;
	m->origin = r->origin;
	m->data = parent->data + r->origin;
	m->parent = parent;
	SET(err, CL_SUCCESS);
	return m;
}

cl_mem CL_API_CALL fk_clCreateImage(cl_context c, cl_mem_flags flags, const cl_image_format *format,
	const cl_image_desc *desc, void *host, cl_int *err)
{
	size_t h = desc && desc->image_height ? desc->image_height : 1,
	       d = desc && desc->image_depth ? desc->image_depth : 1;
	cl_mem m;

	if (!format || !desc || !desc->image_width) {
		SET(err, CL_INVALID_IMAGE_DESCRIPTOR);
		return NULL;
	}
	m = make_mem(c, desc->image_type, flags, 4 * desc->image_width * h * d, host, err);
	if (m) {
		m->format = *format;
		m->desc = *desc;
	}
	return m;
}

cl_mem CL_API_CALL fk_clCreateImageWithProperties(cl_context c, const cl_mem_properties *list, cl_mem_flags flags,
	const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *err)
{
	(void)list;
	return fk_clCreateImage(c, flags, format, desc, host, err);
}

cl_mem CL_API_CALL fk_clCreateImage2D(cl_context c, cl_mem_flags flags, const cl_image_format *format, size_t w,
	size_t h, size_t pitch, void *host, cl_int *err)
{
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = w, .image_height = h, .image_row_pitch = pitch
	};

	return fk_clCreateImage(c, flags, format, &desc, host, err);
}

cl_mem CL_API_CALL fk_clCreateImage3D(cl_context c, cl_mem_flags flags, const cl_image_format *format, size_t w,
	size_t h, size_t d, size_t row, size_t slice, void *host, cl_int *err)
{
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE3D,
		.image_width = w,
		.image_height = h,
		.image_depth = d,
		.image_row_pitch = row,
		.image_slice_pitch = slice };

	return fk_clCreateImage(c, flags, format, &desc, host, err);
}

cl_int CL_API_CALL fk_clGetSupportedImageFormats(
	cl_context c, cl_mem_flags flags, cl_mem_object_type type, cl_uint room, cl_image_format *out, cl_uint *n)
{
	(void)flags; (void)type;
	if (!fk_is(c, FK_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (out && room)
		*out = (cl_image_format){ CL_RGBA, CL_UNORM_INT8 };
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

cl_int CL_API_CALL fk_clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *fn)(cl_mem, void *), void *user)
{
	struct fk_callback *cb;

	if (!fk_is(m, FK_MEM))
		return CL_INVALID_MEM_OBJECT;
	if (!fn)
		return CL_INVALID_VALUE;
	cb = malloc(sizeof *cb);
	LOCK();
	*cb = (struct fk_callback){ m->destructors, (void (*)(void))fn, user, 0 };
	m->destructors = cb;
	UNLOCK();
	return CL_SUCCESS;
}

void *CL_API_CALL fk_clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	(void)flags; (void)alignment;
	return fk_is(c, FK_CONTEXT) && size ? calloc(1, size) : NULL;
}

void CL_API_CALL fk_clSVMFree(cl_context c, void *p)
{
	(void)c;
	free(p);
}

cl_sampler CL_API_CALL fk_clCreateSampler(
	cl_context c, cl_bool normalized, cl_addressing_mode a, cl_filter_mode f, cl_int *err)
{
	cl_sampler s;

	(void)normalized; (void)a; (void)f;
	if (!fk_is(c, FK_CONTEXT)) {
		SET(err, CL_INVALID_CONTEXT);
		return NULL;
	}
	s = fk_new(FK_SAMPLER, c->platform);
	LOCK();
	c->o.refs++;
	UNLOCK();
	s->context = c;
	SET(err, CL_SUCCESS);
	return s;
}

cl_sampler CL_API_CALL fk_clCreateSamplerWithProperties(cl_context c, const cl_sampler_properties *list, cl_int *err)
{
	(void)list;
	return fk_clCreateSampler(c, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, err);
}

/* ---------------------------------------------------------------- programs */

static cl_program make_program(cl_context c, cl_int *err)
{
	cl_program p;

	if (!fk_is(c, FK_CONTEXT)) {
		SET(err, CL_INVALID_CONTEXT);
		return NULL;
	}
	p = fk_new(FK_PROGRAM, c->platform);
	LOCK();
	c->o.refs++;
	UNLOCK();
	p->context = c;
	p->built = CL_BUILD_NONE;
	SET(err, CL_SUCCESS);
	return p;
}

cl_program CL_API_CALL fk_clCreateProgramWithSource(
	cl_context c, cl_uint n, const char **strings, const size_t *lengths, cl_int *err)
{
	size_t total = 0;
	cl_program p;

	if (!n || !strings) {
		SET(err, CL_INVALID_VALUE);
		return NULL;
	}
	p = make_program(c, err);
	if (!p)
		return NULL;
	for (cl_uint i = 0; i < n; i++)
		total += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
	p->source = calloc(1, total + 1);
	for (cl_uint i = 0; i < n; i++)
		strncat(p->source, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
	return p;
}

cl_program CL_API_CALL fk_clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *devices,
	const size_t *lengths, const unsigned char **binaries, cl_int *status, cl_int *err)
{
	(void)devices; (void)lengths; (void)binaries;
	for (cl_uint i = 0; status && i < n; i++)
		status[i] = CL_SUCCESS;
	return make_program(c, err);
}

cl_program CL_API_CALL fk_clCreateProgramWithIL(cl_context c, const void *il, size_t length, cl_int *err)
{
	(void)il; (void)length;
	return make_program(c, err);
}

/* Of what stands between brackets. */
static cl_uint arguments_in(const char *s)
{
	cl_uint n = 0;

	if (!fk_fault("as-built", NULL))
		return 4;
	if (s[strspn(s, "( ")] == ')')
		return 0;
	for (; *s && *s != ')'; s++)
		n += *s == ',';
	return n < 63 ? n + 1 : 63;
}

/* Kernels are the names behind "kernel void". */
static void find_kernels(cl_program p)
{
	p->n_kernels = 0;
	for (const char *s = p->source; s && (s = strstr(s, "kernel")) && p->n_kernels < 32;) {
		size_t n = 0;

		s += 6;
		while ((s = strstr(s, "void ")) && !isspace((unsigned char)s[-1]))
			s++;
		if (!s)
			return;
		for (s += 5; *s == ' '; s++)
			;
		while (n < 63 && (isalnum((unsigned char)s[n]) || s[n] == '_'))
			n++;
		memcpy(p->kernels[p->n_kernels], s, n);
		p->arguments[p->n_kernels] = arguments_in(s + n);
		p->kernels[p->n_kernels++][n] = 0;
	}
}

cl_int CL_API_CALL fk_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
	void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	cl_int rc = CL_SUCCESS;
	long ms = 0;

	(void)n; (void)devices;
	if (!fk_is(p, FK_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (fk_fault("build-slow", &ms))
		usleep((useconds_t)ms * 1000);
	if (!notify && user)
		return CL_INVALID_VALUE;
	strncpy(p->options, options ? options : "", sizeof p->options - 1);
	if (p->source && strstr(p->source, "#error")) {
		p->built = CL_BUILD_ERROR;
		rc = CL_BUILD_PROGRAM_FAILURE;
	} else {
		p->built = CL_BUILD_SUCCESS;
		find_kernels(p);
	}
	if (notify) {
		notify(p, user);
		return CL_SUCCESS;
	}
	return rc;
}

cl_int CL_API_CALL fk_clCompileProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
	cl_uint headers, const cl_program *h, const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
	void *user)
{
	(void)headers; (void)h; (void)names;
	return fk_clBuildProgram(p, n, devices, options, notify, user);
}

cl_program CL_API_CALL fk_clLinkProgram(cl_context c, cl_uint n, const cl_device_id *devices, const char *options,
	cl_uint n_in, const cl_program *in, void(CL_CALLBACK *notify)(cl_program, void *), void *user, cl_int *err)
{
	cl_program p = make_program(c, err);

	(void)n; (void)devices; (void)options;
	if (p && n_in && fk_is(in[0], FK_PROGRAM)) {
		p->source = strdup(in[0]->source ? in[0]->source : "");
		p->built = CL_BUILD_SUCCESS;
		find_kernels(p);
	}
	if (p && notify)
		notify(p, user);
	return p;
}

cl_int CL_API_CALL fk_clUnloadCompiler(void) { return CL_SUCCESS; }

cl_int CL_API_CALL fk_clUnloadPlatformCompiler(cl_platform_id p)
{
	return fk_is(p, FK_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_kernel CL_API_CALL fk_clCreateKernel(cl_program p, const char *name, cl_int *err)
{
	if (!fk_is(p, FK_PROGRAM) || !name || p->built != CL_BUILD_SUCCESS) {
		SET(err,
			!fk_is(p, FK_PROGRAM) ? CL_INVALID_PROGRAM
				: name        ? CL_INVALID_PROGRAM_EXECUTABLE
					      : CL_INVALID_VALUE);
		return NULL;
	}
	for (cl_uint i = 0; i < p->n_kernels; i++)
		if (!strcmp(p->kernels[i], name)) {
			cl_kernel k = fk_new(FK_KERNEL, p->context->platform);

			LOCK();
			p->o.refs++;
			UNLOCK();
			k->program = p;
			strcpy(k->name, name);
			k->arguments = p->arguments[i];
			SET(err, CL_SUCCESS);
			return k;
		}
	SET(err, CL_INVALID_KERNEL_NAME);
	return NULL;
}

cl_int CL_API_CALL fk_clCreateKernelsInProgram(cl_program p, cl_uint room, cl_kernel *out, cl_uint *n)
{
	if (!fk_is(p, FK_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (out && room < p->n_kernels)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; out && i < p->n_kernels; i++)
		out[i] = fk_clCreateKernel(p, p->kernels[i], NULL);
	if (n)
		*n = p->n_kernels;
	return CL_SUCCESS;
}

cl_kernel CL_API_CALL fk_clCloneKernel(cl_kernel k, cl_int *err)
{
	if (!fk_is(k, FK_KERNEL)) {
		SET(err, CL_INVALID_KERNEL);
		return NULL;
	}
	cl_kernel copy = fk_clCreateKernel(k->program, k->name, err);

	if (copy)
		copy->local = k->local;
	return copy;
}

cl_int CL_API_CALL fk_clSetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
	if (!fk_is(k, FK_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= k->arguments)
		return CL_INVALID_ARG_INDEX;
	if (!size)
		return CL_INVALID_ARG_SIZE;
	if (!value)
		k->local = size;
	return CL_SUCCESS;
}

cl_int CL_API_CALL fk_clSetKernelArgSVMPointer(cl_kernel k, cl_uint index, const void *value)
{
	(void)value;
	return !fk_is(k, FK_KERNEL) ? CL_INVALID_KERNEL : index >= k->arguments ? CL_INVALID_ARG_INDEX : CL_SUCCESS;
}

cl_int CL_API_CALL fk_clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info what, size_t size, const void *value)
{
	(void)what; (void)size; (void)value;
	return fk_is(k, FK_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL;
}
