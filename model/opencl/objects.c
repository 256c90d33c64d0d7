/*
 * model/opencl/objects.c - API objects by handle and time
 *
 * An object is (handle, generation). It is born at the END of the creating call and dies at the START of the release
 * that dropped its count to 0, as far as the program's own calls tell. Calls come in start order, so at any call the
 * newest generation born by its start is the one it means: a generation whose creating call still runs is stepped over.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "opencl_types.h"

#include "model/opencl/image.h"
#include "model/opencl/usm.h"
#include "model/internal.h"

/* ---------------------------------------------------------------------- map */

/* key: a slot without its entity */
static uint64_t hash_of(const struct gt_entity_slot *key)
{
	return gt_hash((uint64_t)key->kind << 57 ^ (uint64_t)key->process << 40, key->handle);
}

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_entity_slot *a = element, *b = key;

	(void)ctx;
	return a->handle == b->handle && a->process == b->process && a->kind == b->kind;
}

void gt_objects_reset(struct gt_model *m)
{
	gt_map_free(&m->map, sizeof(struct gt_entity_slot));
	if (!m->objects.fd)
		m->budget.used -= m->objects.capacity;
	gt_bulk_free(&m->objects);
	gt_arena_free(&m->objects_arena);
	m->any_local_args = false;
	m->free_mappings = NULL;
	gt_map_free(&m->svm_mappings, sizeof(struct gt_svm_mappings));
	gt_usm_free(m);
	for (uint32_t i = 0; i < m->n_processes; i++)
		memset(m->processes[i].n_objects, 0, sizeof m->processes[i].n_objects);
}

/* -------------------------------------------------------------------- facts */

static struct gt_object *object_at(
	struct gt_model *m, uint32_t process, enum rec_object kind, uint64_t handle, int64_t at_ns)
{
	struct gt_entity *e = gt_objects_at(m, process, kind, handle, at_ns);

	return e ? &e->pub : NULL;
}

static uint64_t attr_u64(const struct gt_attr *a)
{
	uint64_t v = 0;

	memcpy(&v, a->value, a->bytes < 8 ? a->bytes : 8);
	return v;
}

static struct gt_string attr_text(const struct gt_attr *a)
{
	return (struct gt_string){ a->value, strnlen(a->value, a->bytes) };
}

static void take_link(struct gt_model *m, struct gt_object *o, uint32_t key, uint64_t handle, int64_t at_ns)
{
	if (key == REC_ATTR_PLATFORM && !o->platform && o->kind != REC_OBJECT_PLATFORM)
		o->platform = object_at(m, o->process, REC_OBJECT_PLATFORM, handle, at_ns);
	else if (key == REC_ATTR_DEVICE && !o->device && o->kind != REC_OBJECT_DEVICE)
		o->device = object_at(m, o->process, REC_OBJECT_DEVICE, handle, at_ns);
	else if (key == REC_ATTR_CONTEXT && !o->context && o->kind != REC_OBJECT_CONTEXT)
		o->context = object_at(m, o->process, REC_OBJECT_CONTEXT, handle, at_ns);
	else if (key == REC_ATTR_PARENT && !o->parent && handle != o->handle)
		o->parent = object_at(
			m, o->process, o->kind == REC_OBJECT_KERNEL ? REC_OBJECT_PROGRAM : o->kind, handle, at_ns);
}

static void take_attr(struct gt_model *m, struct gt_object *o, const struct gt_attr *a, int64_t at_ns)
{
	switch (a->key) {
	case REC_ATTR_PLATFORM: case REC_ATTR_DEVICE: case REC_ATTR_CONTEXT: case REC_ATTR_PARENT:
		take_link(m, o, a->key, attr_u64(a), at_ns);
		break;
	case REC_ATTR_PROFILED:
		o->profiled = (int)attr_u64(a);
		break;
	case CL_PLATFORM_NAME: case CL_DEVICE_NAME: case CL_KERNEL_FUNCTION_NAME:
		if (!o->name.bytes)
			o->name = attr_text(a);
		break;
	case CL_DEVICE_TYPE:
		o->device_type = (uint32_t)attr_u64(a);
		break;
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		o->compute_units = (uint32_t)attr_u64(a);
		break;
	case CL_QUEUE_PROPERTIES:
		o->properties = attr_u64(a);
		o->has_flags = true;
		break;
	case CL_MEM_SIZE:
		o->size = attr_u64(a);
		break;
	case CL_MEM_FLAGS:
		o->flags = attr_u64(a);
		o->has_flags = true;
		break;
	case CL_MEM_TYPE:
		o->mem_type = (uint32_t)attr_u64(a);
		break;
	}
}

static void take_blob(struct gt_object *o, const struct gt_content *c)
{
	if (o->contents)
		o->contents[o->n_contents++] = *c;
	if (c->kind == REC_BLOB_SOURCE && !o->has_source) {
		memcpy(o->source_id, c->id, sizeof o->source_id);
		o->has_source = true;
	} else if (c->kind == REC_BLOB_LOG) { /* the last build's */
		memcpy(o->log_id, c->id, sizeof o->log_id);
		o->has_log = true;
	}
}

/* Of a kernel each device answers for itself, behind its handle; else the first answer holds. NULL: none. */
static struct gt_attr *answer(const struct gt_object *o, uint64_t device, uint32_t key)
{
	uint64_t of = 0;

	for (uint32_t i = 0; i < o->n_attrs; i++) {
		if (o->kind == REC_OBJECT_KERNEL && o->attrs[i].key == REC_ATTR_DEVICE)
			of = attr_u64(&o->attrs[i]);
		if (o->attrs[i].key == key && of == device)
			return &o->attrs[i];
	}
	return NULL;
}

static void take_answers(struct gt_model *m, struct gt_object *o, const struct gt_fact *f, int64_t at_ns)
{
	uint64_t device = 0;

	for (uint32_t i = 0; i < f->n_attrs; i++) {
		const struct gt_attr *a = &f->attrs[i];
		bool first = !gt_object_attr(o, a->key);

		if (o->kind == REC_OBJECT_KERNEL && a->key == REC_ATTR_DEVICE)
			device = attr_u64(a);
		if (answer(o, device, a->key))
			continue;
		o->attrs[o->n_attrs++] = *a;
		if (first)
			take_attr(m, o, a, at_ns);
	}
}

/* All the driver said about it, in one array: the object's own, because facts come in several records. */
static void take_facts(struct gt_model *m, struct gt_entity *e, uint64_t tick, int64_t at_ns)
{
	const struct gt_fact *first, *end;
	struct gt_object *o = &e->pub;
	uint32_t n = 0, blobs = 0;

	gt_facts_of(m, o->process, o->kind, o->handle, tick, &first, &end);
	for (const struct gt_fact *f = first; f < end; f++) {
		n += f->n_attrs;
		blobs += !f->n_attrs;
	}
	if (n)
		o->attrs = gt_arena_alloc(&m->objects_arena, n * sizeof *o->attrs);
	if (blobs)
		o->contents = gt_arena_alloc(&m->objects_arena, blobs * sizeof *o->contents);
	for (const struct gt_fact *f = first; f < end; f++) {
		if (!f->n_attrs)
			take_blob(o, &f->blob);
		if (o->attrs)
			take_answers(m, o, f, at_ns);
	}
}

/* -------------------------------------------------------------------- births */

static void set_device(struct gt_model *m, struct gt_entity *e)
{
	e->pub.device_index = gt_devices_index(m, e->pub.process, e->pub.handle);
	e->clock = gt_device_clock_of(m, e->pub.process, e->pub.handle);
	e->pub.clock_error_ns = e->clock ? e->clock->error_ns : -1;
}

/* tick: start of the creating call; 0: it is not in the trace. */
static struct gt_entity *add(struct gt_model *m, uint32_t process, enum rec_object kind, uint64_t handle,
	int64_t born_ns, uint64_t tick, int64_t at_ns)
{
	const struct gt_entity_slot key = { handle, process, kind, NULL };
	struct gt_entity **listed, *e = gt_arena_alloc(&m->objects_arena, sizeof *e);
	struct gt_entity_slot *slot;
	bool fresh;

	listed = e ? gt_bulk_add(&m->objects, sizeof(struct gt_entity *), &m->budget) : NULL;
	slot = listed ? gt_map_add(&m->map, sizeof key, hash_of(&key), &key, same, NULL, &fresh) : NULL;
	if (!slot) {
		m->objects.n -= listed != NULL;
		return NULL;
	}
	*listed = e;
	e->pub = (struct gt_object){ .kind = kind,
		.process = process,
		.handle = handle,
		.born_ns = born_ns,
		.died_ns = GT_NO_TIME,
		.profiled = -1,
		.clock_error_ns = -1,
		.id = m->processes[process].n_objects[kind & 15]++ };
	e->older = slot->newest;
	*slot = (struct gt_entity_slot){ handle, process, kind, e };
	take_facts(m, e, tick, at_ns);
	if (kind == REC_OBJECT_DEVICE)
		set_device(m, e);
	return e;
}

const struct gt_object *gt_model_find_object(
	const struct gt_model *m, uint32_t process, enum rec_object kind, uint64_t handle, int64_t at_ns)
{
	const struct gt_entity_slot key = { handle, process, kind, NULL }, *slot;
	const struct gt_entity *e;

	slot = gt_map_find(&m->map, sizeof key, hash_of(&key), &key, same, NULL);
	e = slot ? slot->newest : NULL;
	while (e && e->pub.born_ns > at_ns)
		e = e->older;
	return e && (e->pub.died_ns == GT_NO_TIME || e->pub.died_ns >= at_ns) ? &e->pub : NULL;
}

struct gt_entity *gt_objects_at(
	struct gt_model *m, uint32_t process, enum rec_object kind, uint64_t handle, int64_t at_ns)
{
	const struct gt_entity_slot key = { handle, process, kind, NULL }, *slot;
	struct gt_entity *e;

	if (!handle)
		return NULL;
	slot = gt_map_find(&m->map, sizeof key, hash_of(&key), &key, same, NULL);
	if (!slot)
		return add(m, process, kind, handle, GT_NO_TIME, 0, at_ns);
	e = slot->newest;
	while (e->pub.born_ns > at_ns && e->older)
		e = e->older;
	return e;
}

static struct gt_object *role_object(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f,
	enum gt_role role, enum rec_object kind)
{
	return object_at(m, call->process, kind, gt_role_value(call, f, role), call->start_ns);
}

/* Value of a key in a zero-terminated list of pairs; 0 when it is not there. */
static uint64_t list_value(const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role, uint64_t key)
{
	struct gt_arg arg;

	if (!gt_role_arg(call, f, role, &arg) || arg.param->copy != GT_COPY_PLIST)
		return 0;
	for (uint32_t i = 0; i + 1 < arg.bytes / 8; i += 2)
		if (((const uint64_t *)arg.data)[i] == key)
			return ((const uint64_t *)arg.data)[i + 1];
	return 0;
}

/* The device of a list of one. What several devices share belongs to none of them. */
static uint64_t only_device(const struct gt_call *call, const struct gt_fn_info *f, const struct gt_object *o)
{
	const struct gt_attr *said = gt_object_attr(o, CL_CONTEXT_DEVICES);
	struct gt_arg arg;

	if (gt_role_arg(call, f, GT_ROLE_DEVICES, &arg))
		return arg.bytes == 8 ? *(const uint64_t *)arg.data : 0;
	return said && said->bytes == 8 ? attr_u64(said) : 0;
}

static uint64_t first_handle(const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role)
{
	struct gt_arg arg;

	return gt_role_arg(call, f, role, &arg) && arg.bytes >= 8 ? *(const uint64_t *)arg.data : 0;
}

static void fill_context(
	struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_object *o)
{
	uint64_t platform = list_value(call, f, GT_ROLE_PROPERTIES, CL_CONTEXT_PLATFORM);
	const struct gt_object *first = object_at(
		m, call->process, REC_OBJECT_DEVICE, first_handle(call, f, GT_ROLE_DEVICES), call->start_ns);

	if (!o->device)
		o->device = object_at(m, call->process, REC_OBJECT_DEVICE, only_device(call, f, o), call->start_ns);
	if (!o->platform)
		o->platform = object_at(m, call->process, REC_OBJECT_PLATFORM, platform, call->start_ns);
	if (!o->platform && (o->device || first))
		o->platform = (o->device ? o->device : first)->platform;
}

static void fill_queue(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_object *o)
{
	const struct gt_entity *device;
	struct gt_arg arg;

	if (!o->device)
		o->device = role_object(m, call, f, GT_ROLE_DEVICE, REC_OBJECT_DEVICE);
	/* What the application asked for is in the call; the driver's answer may hold our own profiling bit. */
	if (f->role[GT_ROLE_PROPERTIES] >= 0 && gt_call_arg(call, (unsigned)f->role[GT_ROLE_PROPERTIES], &arg))
		o->properties = arg.param->copy == GT_COPY_PLIST
			? list_value(call, f, GT_ROLE_PROPERTIES, CL_QUEUE_PROPERTIES)
			: arg.value;
	o->has_flags |= f->role[GT_ROLE_PROPERTIES] >= 0;
	if (o->profiled < 0 && o->properties & CL_QUEUE_PROFILING_ENABLE)
		o->profiled = 2;
	if (o->device) {
		device = (const struct gt_entity *)o->device;
		o->platform = o->device->platform;
		o->clock_error_ns = device->clock ? device->clock->error_ns : -1;
	}
}

static uint64_t at_least_1(uint64_t n) { return n ? n : 1; }

static void fill_image(const struct gt_call *call, const struct gt_fn_info *f, struct gt_entity *e)
{
	struct gt_arg format, desc;
	uint64_t pixels = 0;

	if (!gt_role_arg(call, f, GT_ROLE_IMAGE_FORMAT, &format) || format.bytes < sizeof(cl_image_format))
		return;
	const cl_image_format *fmt = format.data;

	e->pixel_bytes = gt_image_pixel_bytes(fmt->image_channel_order, fmt->image_channel_data_type);
	if (gt_role_arg(call, f, GT_ROLE_IMAGE_DESC, &desc) && desc.bytes >= sizeof(cl_image_desc)) {
		const cl_image_desc *d = desc.data;
		uint64_t layers =
			d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY
			? d->image_array_size
			: 1;
		bool deep = d->image_type == CL_MEM_OBJECT_IMAGE3D, flat = d->image_type == CL_MEM_OBJECT_IMAGE1D ||
			d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;

		e->pub.mem_type = d->image_type;
		pixels = d->image_width * (flat ? 1 : at_least_1(d->image_height)) *
			(deep ? at_least_1(d->image_depth) : 1) * at_least_1(layers);
	} else {
		uint64_t depth = gt_role_value(call, f, GT_ROLE_DEPTH);

		e->pub.mem_type = f->role[GT_ROLE_DEPTH] >= 0 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
		pixels = gt_role_value(call, f, GT_ROLE_WIDTH) * at_least_1(gt_role_value(call, f, GT_ROLE_HEIGHT)) *
			at_least_1(depth);
	}
	if (!e->pub.size)
		e->pub.size = pixels * e->pixel_bytes;
}

static void fill_mem(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_entity *e)
{
	struct gt_object *o = &e->pub;
	struct gt_arg info;

	o->parent = role_object(m, call, f, GT_ROLE_BUFFER, REC_OBJECT_MEM);
	if (o->parent && !o->context)
		o->context = o->parent->context;
	if (f->role[GT_ROLE_FLAGS] >= 0) {
		o->flags = gt_role_value(call, f, GT_ROLE_FLAGS);
		o->has_flags = true;
	}
	if (f->role[GT_ROLE_SIZE] >= 0)
		o->size = gt_role_value(call, f, GT_ROLE_SIZE);
	if (gt_role_arg(call, f, GT_ROLE_BUFFER_INFO, &info) && info.bytes >= sizeof(cl_buffer_region))
		o->size = ((const cl_buffer_region *)info.data)->size;
	if (strstr(call->fn->name, "Image"))
		fill_image(call, f, e);
	else if (strstr(call->fn->name, "Pipe"))
		o->mem_type = CL_MEM_OBJECT_PIPE;
	else if (strstr(call->fn->name, "Buffer") || f->role[GT_ROLE_SIZE] >= 0)
		o->mem_type = CL_MEM_OBJECT_BUFFER;
}

/*
 * A string of a call's arguments is cut at its capture limit. Where the trace has the whole text elsewhere, that is it;
 * else the copy ends in dots, which say so.
 */
static bool begins_with(struct gt_string whole, const struct gt_arg *cut)
{
	return whole.bytes >= cut->bytes && !gt_compare_bytes(whole.text, cut->data, cut->bytes);
}

static struct gt_string keep_text(struct gt_model *m, const struct gt_arg *a)
{
	struct gt_text dotted = { 0 };
	struct gt_string kept;

	if (!a->cut)
		return gt_texts_keep(m, (struct gt_string){ a->data, a->bytes });
	gt_text_bytes(&dotted, a->data, a->bytes);
	gt_text_lit(&dotted, "...");
	kept = dotted.failed ? (struct gt_string){ NULL, 0 }
			     : gt_texts_keep(m, (struct gt_string){ dotted.data, dotted.used });
	gt_text_free(&dotted);
	return kept;
}

static void add_local_arg(struct gt_model *m, struct gt_entity *e, uint32_t index, uint64_t bytes)
{
	struct gt_local_arg *a = gt_arena_alloc(&m->objects_arena, sizeof *a);

	if (!a)
		return;
	*a = (struct gt_local_arg){ e->local_args, index, bytes };
	e->local_args = a;
	m->any_local_args = true;
}

/*
 * A copy has the arguments of its source. What it takes of local memory is the source's answer, which was given before
 * any argument was set: some runtimes count those in the copy's answer, and some do not.
 */
static void fill_clone(struct gt_model *m, struct gt_entity *e, const struct gt_entity *source)
{
	struct gt_object *o = &e->pub;
	uint64_t device = 0;

	o->parent = source->pub.parent;
	o->name = source->pub.name;
	for (const struct gt_local_arg *a = source->local_args; a; a = a->next)
		add_local_arg(m, e, a->index, a->bytes);
	for (uint32_t i = 0; i < o->n_attrs; i++) {
		const struct gt_attr *told = NULL;

		if (o->attrs[i].key == REC_ATTR_DEVICE)
			device = attr_u64(&o->attrs[i]);
		else if (o->attrs[i].key == CL_KERNEL_LOCAL_MEM_SIZE)
			told = answer(&source->pub, device, CL_KERNEL_LOCAL_MEM_SIZE);
		if (told)
			o->attrs[i] = *told;
	}
}

static void fill_kernel(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_entity *e)
{
	const struct gt_object *source = role_object(m, call, f, GT_ROLE_SOURCE_KERNEL, REC_OBJECT_KERNEL);
	struct gt_object *o = &e->pub;
	struct gt_arg name;

	if (source)
		fill_clone(m, e, (const struct gt_entity *)source);
	else if (!o->parent)
		o->parent = role_object(m, call, f, GT_ROLE_PROGRAM, REC_OBJECT_PROGRAM);
	if (gt_role_arg(call, f, GT_ROLE_KERNEL_NAME, &name) && !(name.cut && begins_with(o->name, &name)))
		o->name = keep_text(m, &name);
	if (o->parent && !o->context)
		o->context = o->parent->context;
}

static void fill(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_entity *e)
{
	struct gt_object *o = &e->pub;

	if (o->kind != REC_OBJECT_CONTEXT && o->kind != REC_OBJECT_DEVICE && o->kind != REC_OBJECT_PLATFORM &&
		!o->context)
		o->context = role_object(m, call, f, GT_ROLE_CONTEXT, REC_OBJECT_CONTEXT);
	switch (o->kind) {
	case REC_OBJECT_DEVICE:
		if (!o->parent)
			o->parent = role_object(m, call, f, GT_ROLE_IN_DEVICE, REC_OBJECT_DEVICE);
		if (!o->platform)
			o->platform = o->parent ? o->parent->platform
						: role_object(m, call, f, GT_ROLE_PLATFORM, REC_OBJECT_PLATFORM);
		if (o->parent && e->clock && e->clock->method == GT_CLOCK_UNDECIDED)
			e->clock = ((struct gt_entity *)o->parent)->clock; /* a sub-device has its parent's clock */
		break;
	case REC_OBJECT_CONTEXT:
		fill_context(m, call, f, o);
		break;
	case REC_OBJECT_QUEUE:
		fill_queue(m, call, f, o);
		break;
	case REC_OBJECT_MEM:
		fill_mem(m, call, f, e);
		break;
	case REC_OBJECT_KERNEL:
		fill_kernel(m, call, f, e);
		break;
	case REC_OBJECT_COMMAND_BUFFER:
		e->queue = object_at(
			m, call->process, REC_OBJECT_QUEUE, first_handle(call, f, GT_ROLE_QUEUES), call->start_ns);
		o->context = e->queue ? e->queue->context : NULL;
		break;
	default:
		break;
	}
	if (!o->platform && o->context)
		o->platform = o->context->platform;
}

/* -------------------------------------------------------------------- calls */

static void create(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, uint64_t handle)
{
	struct gt_entity *e =
		handle ? add(m, call->process, f->object, handle, call->end_ns, call->start_tick, call->end_ns) : NULL;

	if (!e)
		return;
	e->refs = 1;
	fill(m, call, f, e);
}

static void create_many(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f)
{
	struct gt_arg arg;

	if (!gt_call_arg(call, (unsigned)f->array, &arg) || !arg.has_data)
		return;
	for (uint32_t i = 0; i < arg.bytes / 8; i++) {
		uint64_t handle = ((const uint64_t *)arg.data)[i];

		if (f->action == GT_ACT_CREATE_MANY) {
			create(m, call, f, handle);
		} else {
			struct gt_entity *e = gt_objects_at(m, call->process, f->object, handle, call->start_ns);

			if (e)
				fill(m, call, f, e);
		}
	}
}

static void count_reference(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f)
{
	uint64_t handle = call->has_args ? gt_call_fixed(call, &call->fn->params[0]) : 0;
	struct gt_entity *e = gt_objects_at(m, call->process, f->object, handle, call->start_ns);

	if (!e || !e->refs)
		return;                   /* not created in the trace: its count is not known */
	if (f->action == GT_ACT_RETAIN)
		e->refs++;
	else if (!--e->refs)
		e->pub.died_ns = call->start_ns;
}

/* Local memory arguments (NULL value): their sizes count as dynamic local memory of later launches. */
static void set_arg(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f)
{
	bool local = !gt_role_value(call, f, GT_ROLE_ARG_VALUE);
	uint32_t index = (uint32_t)gt_role_value(call, f, GT_ROLE_ARG_INDEX);
	struct gt_local_arg *a;
	struct gt_entity *e;

	if (!local && !m->any_local_args)
		return;
	e = gt_objects_at(m, call->process, REC_OBJECT_KERNEL, gt_role_value(call, f, GT_ROLE_KERNEL), call->start_ns);
	if (!e)
		return;
	for (a = e->local_args; a && a->index != index; a = a->next)
		;
	if (a)
		a->bytes = local ? gt_role_value(call, f, GT_ROLE_ARG_SIZE) : 0;
	else if (local)
		add_local_arg(m, e, index, gt_role_value(call, f, GT_ROLE_ARG_SIZE));
}

/* The options of the builds are contents too: the last that begins as these do. */
static bool whole_options(
	struct gt_model *m, const struct gt_object *o, const struct gt_arg *cut, struct gt_string *out)
{
	uint64_t total;

	for (uint32_t k = o->n_contents; k-- > 0;)
		if (o->contents[k].kind == REC_BLOB_OPTIONS && gt_model_blob(m, o->contents[k].id, out, &total) &&
			begins_with(*out, cut))
			return true;
	return false;
}

static void build(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f)
{
	struct gt_object *o = role_object(m, call, f, GT_ROLE_PROGRAM, REC_OBJECT_PROGRAM);
	struct gt_arg options;
	struct gt_string whole;

	if (!o || !gt_role_arg(call, f, GT_ROLE_OPTIONS, &options))
		return;
	if (options.cut && whole_options(m, o, &options, &whole))
		o->build_options = gt_texts_keep(m, whole);
	else
		o->build_options = keep_text(m, &options);
}

void gt_objects_apply(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f)
{
	if (call->result || !call->has_args)
		return;
	switch ((enum gt_action)f->action) {
	case GT_ACT_CREATE:
		create(m, call, f, gt_call_return(call));
		break;
	case GT_ACT_CREATE_MANY: case GT_ACT_DEFINE_MANY:
		create_many(m, call, f);
		break;
	case GT_ACT_RETAIN: case GT_ACT_RELEASE:
		count_reference(m, call, f);
		break;
	case GT_ACT_SET_ARG:
		set_arg(m, call, f);
		break;
	case GT_ACT_BUILD:
		build(m, call, f);
		break;
	case GT_ACT_ALLOCATE:
		gt_usm_add(m, call->process, gt_call_return(call), gt_role_value(call, f, GT_ROLE_SIZE),
			(enum gt_usm)f->object);
		break;
	case GT_ACT_FREE:
		gt_usm_remove(m, call->process,
			gt_role_value(call, f, f->role[GT_ROLE_PTR] >= 0 ? GT_ROLE_PTR : GT_ROLE_SVM_POINTER));
		break;
	case GT_ACT_NONE: case GT_ACT_ENQUEUE: case GT_ACT_ASK: case GT_ACT_FINISH:
		break;
	}
}

const char *gt_object_clock(const struct gt_object *device)
{
	const struct gt_entity *e = (const struct gt_entity *)device;

	return e->clock ? gt_device_clock_method(e->clock) : "not used";
}

const struct gt_attr *gt_kernel_attr(const struct gt_object *kernel, const struct gt_object *device, uint32_t key)
{
	return answer(kernel, device ? device->handle : 0, key);
}

const struct gt_attr *gt_object_attr(const struct gt_object *o, uint32_t key)
{
	for (uint32_t i = 0; i < o->n_attrs; i++)
		if (o->attrs[i].key == key)
			return &o->attrs[i];
	return NULL;
}
