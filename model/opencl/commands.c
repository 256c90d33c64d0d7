/*
 * model/opencl/commands.c - the device command that an enqueue call set going
 *
 * Kind from the table's command value, facts from the call's arguments by parameter name, times from the device record
 * that was joined to the call. What is not known stays absent.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "opencl_values.h"

#include "model/internal.h"
#include "model/opencl/usm.h"

static struct gt_entity *entity(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f,
	enum gt_role role, enum rec_object kind)
{
	return gt_objects_at(m, call->process, kind, gt_role_value(call, f, role), call->start_ns);
}

static struct gt_object *mem(
	struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role)
{
	struct gt_entity *e = entity(m, call, f, role, REC_OBJECT_MEM);

	return e ? &e->pub : NULL;
}

/* ------------------------------------------------------------------- queue */

static void set_queue(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	struct gt_entity *q = entity(m, call, f, GT_ROLE_QUEUE, REC_OBJECT_QUEUE), *buffer;
	struct gt_arg queues;

	if (q)
		c->queue = &q->pub;
	else if (gt_role_arg(call, f, GT_ROLE_QUEUES, &queues) && queues.bytes >= 8 &&
		(q = gt_objects_at(m, call->process, REC_OBJECT_QUEUE, *(const uint64_t *)queues.data, call->start_ns)))
		c->queue = &q->pub;
	else if ((buffer = entity(m, call, f, GT_ROLE_COMMAND_BUFFER, REC_OBJECT_COMMAND_BUFFER)))
		c->queue = buffer->queue;
	if (c->queue) {
		c->context = c->queue->context;
		c->device = c->queue->device;
	}
}

/* ------------------------------------------------------------------- kernel */

static bool take_sizes(
	const struct gt_call *call, const struct gt_fn_info *f, enum gt_role role, uint32_t dims, uint64_t out[3])
{
	struct gt_arg arg;

	if (!gt_role_arg(call, f, role, &arg) || arg.bytes < dims * 8)
		return false;
	memcpy(out, arg.data, dims * 8);
	return true;
}

/* __attribute__((reqd_work_group_size)): all zero when the kernel has none. */
static bool take_required(const struct gt_command *c, uint64_t out[3])
{
	const struct gt_attr *a = c->kernel ? gt_object_attr(c->kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE) : NULL;
	uint64_t size[3];

	if (!a || a->bytes < sizeof size)
		return false;
	memcpy(size, a->value, sizeof size);
	if (!size[0] || !size[1] || !size[2])
		return false;
	memcpy(out, size, sizeof size);
	return true;
}

/* The found one goes to the front: launches repeat their sizes. */
static struct gt_seen_size *find_seen(const struct gt_command *c)
{
	struct gt_entity *k = (struct gt_entity *)c->kernel;

	for (struct gt_seen_size **at = &k->sizes; *at; at = &(*at)->next) {
		struct gt_seen_size *s = *at;

		if (s->device == c->device && s->dims == c->work_dim &&
			!memcmp(s->offset, c->global_offset, sizeof s->offset) &&
			!memcmp(s->global, c->global_size, sizeof s->global)) {
			*at = s->next;
			s->next = k->sizes;
			k->sizes = s;
			return s;
		}
	}
	return NULL;
}

static struct gt_seen_size *add_seen(struct gt_model *m, const struct gt_command *c)
{
	struct gt_entity *k = (struct gt_entity *)c->kernel;
	struct gt_seen_size *s = gt_arena_alloc(&m->objects_arena, sizeof *s);

	if (!s)
		return NULL;
	*s = (struct gt_seen_size){ .next = k->sizes, .device = c->device, .dims = c->work_dim };
	memcpy(s->offset, c->global_offset, sizeof s->offset);
	memcpy(s->global, c->global_size, sizeof s->global);
	k->sizes = s;
	return s;
}

static void take_said(struct gt_command *c, const struct gt_local_size *said)
{
	memcpy(c->local_size, said->size, c->work_dim * 8);
	c->local_source = (enum rec_local_source)said->source;
}

/* The runtime was asked once per kernel, device, offset and size: later launches of the same take the same answer. */
static void take_suggested(struct gt_model *m, struct gt_command *c, const struct gt_local_size *said)
{
	struct gt_seen_size *seen;

	if (!c->kernel) {
		if (said)
			take_said(c, said);
		return;
	}
	seen = find_seen(c);
	if (said && !seen)
		seen = add_seen(m, c);
	if (!seen)
		return;
	if (said) {
		seen->source = said->source;
		memcpy(seen->local, said->size, sizeof seen->local);
	}
	memcpy(c->local_size, seen->local, c->work_dim * 8);
	c->local_source = (enum rec_local_source)seen->source;
}

static void set_work(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c,
	uint32_t stream, uint64_t offset)
{
	const struct gt_local_size *said;
	uint64_t required[3];
	uint32_t dims = (uint32_t)gt_role_value(call, f, GT_ROLE_WORK_DIM);

	if (c->type == CL_COMMAND_TASK) { /* spec: a task is an NDRange of one work-item */
		c->work_dim = 1;
		c->global_size[0] = c->local_size[0] = 1;
		c->has_global = true;
		c->local_source = REC_LOCAL_APPLICATION;
		return;
	}
	if (dims < 1 || dims > 3)
		return;
	c->work_dim = dims;
	c->has_global = take_sizes(call, f, GT_ROLE_GLOBAL, dims, c->global_size);
	c->has_offset = take_sizes(call, f, GT_ROLE_OFFSET, dims, c->global_offset);
	said = gt_join_local_size(m, call->process, stream, offset);
	if (take_sizes(call, f, GT_ROLE_LOCAL, dims, c->local_size)) {
		c->local_source = REC_LOCAL_APPLICATION;
		/* A runtime may say what it made of the size it was given. spec: API log "Example" */
		if (said)
			take_said(c, said);
		return;
	}
	take_suggested(m, c, said);
	if (c->local_source == REC_LOCAL_UNKNOWN && take_required(c, required)) {
		memcpy(c->local_size, required, dims * 8);
		c->local_source = REC_LOCAL_REQUIRED;
	}
}

static void set_kernel(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	struct gt_entity *k = entity(m, call, f, GT_ROLE_KERNEL, REC_OBJECT_KERNEL);

	if (!k)
		return;
	c->kernel = &k->pub;
	c->program = k->pub.parent;
	if (k->pub.name.bytes) {
		c->name = k->pub.name;
		if (!k->pub.demangled.bytes)
			gt_texts_names(m, c->name, &k->pub.demangled, &k->pub.short_name);
		c->demangled = k->pub.demangled;
		c->short_name = k->pub.short_name;
	}
	for (const struct gt_local_arg *a = k->local_args; a; a = a->next)
		c->local_arg_bytes += a->bytes;
}

/* ---------------------------------------------------------------- transfers */

static void set_bytes(struct gt_command *c, uint64_t bytes)
{
	c->bytes = bytes;
	c->has_bytes = true;
}

static bool region_product(const struct gt_call *call, const struct gt_fn_info *f, uint64_t *out)
{
	uint64_t r[3];

	if (!take_sizes(call, f, GT_ROLE_REGION, 3, r))
		return false;
	return !__builtin_mul_overflow(r[0], r[1], out) && !__builtin_mul_overflow(*out, r[2], out);
}

static void set_rect_bytes(const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	uint64_t n;

	if (region_product(call, f, &n))
		set_bytes(c, n);
}

static void set_image_bytes(
	const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c, const struct gt_object *image)
{
	uint32_t pixel = image ? ((const struct gt_entity *)image)->pixel_bytes : 0;
	uint64_t n;

	if (pixel && region_product(call, f, &n) && !__builtin_mul_overflow(n, pixel, &n))
		set_bytes(c, n);
}

static void set_pattern(const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c, enum gt_role role)
{
	struct gt_arg arg;

	if (gt_role_arg(call, f, role, &arg)) {
		c->pattern = arg.data;
		c->pattern_bytes = arg.bytes;
	}
}

static void set_transfer(
	struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	uint64_t size = gt_role_value(call, f, f->role[GT_ROLE_SIZE] >= 0 ? GT_ROLE_SIZE : GT_ROLE_CB);

	c->host_ptr = gt_role_value(call, f, GT_ROLE_PTR);
	switch (c->type) {
	case CL_COMMAND_READ_BUFFER:
		c->src = mem(m, call, f, GT_ROLE_BUFFER);
		set_bytes(c, size);
		break;
	case CL_COMMAND_WRITE_BUFFER:
		c->dst = mem(m, call, f, GT_ROLE_BUFFER);
		set_bytes(c, size);
		break;
	case CL_COMMAND_READ_BUFFER_RECT:
		c->src = mem(m, call, f, GT_ROLE_BUFFER);
		set_rect_bytes(call, f, c);
		break;
	case CL_COMMAND_WRITE_BUFFER_RECT:
		c->dst = mem(m, call, f, GT_ROLE_BUFFER);
		set_rect_bytes(call, f, c);
		break;
	case CL_COMMAND_COPY_BUFFER: case CL_COMMAND_COPY_BUFFER_RECT:
		c->src = mem(m, call, f, GT_ROLE_SRC_BUFFER);
		c->dst = mem(m, call, f, GT_ROLE_DST_BUFFER);
		if (c->type == CL_COMMAND_COPY_BUFFER)
			set_bytes(c, size);
		else
			set_rect_bytes(call, f, c);
		break;
	case CL_COMMAND_READ_IMAGE:
		c->src = mem(m, call, f, GT_ROLE_IMAGE);
		set_image_bytes(call, f, c, c->src);
		break;
	case CL_COMMAND_WRITE_IMAGE:
		c->dst = mem(m, call, f, GT_ROLE_IMAGE);
		set_image_bytes(call, f, c, c->dst);
		break;
	case CL_COMMAND_COPY_IMAGE:
		c->src = mem(m, call, f, GT_ROLE_SRC_IMAGE);
		c->dst = mem(m, call, f, GT_ROLE_DST_IMAGE);
		set_image_bytes(call, f, c, c->src);
		break;
	case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
		c->src = mem(m, call, f, GT_ROLE_SRC_IMAGE);
		c->dst = mem(m, call, f, GT_ROLE_DST_BUFFER);
		set_image_bytes(call, f, c, c->src);
		break;
	case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
		c->src = mem(m, call, f, GT_ROLE_SRC_BUFFER);
		c->dst = mem(m, call, f, GT_ROLE_DST_IMAGE);
		set_image_bytes(call, f, c, c->dst);
		break;
	}
}

static bool is_svm_map(uint32_t type) { return type == CL_COMMAND_SVM_MAP || type == CL_COMMAND_SVM_MAP_ARM; }

static void set_map(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	c->map_flags = gt_role_value(call, f, f->role[GT_ROLE_MAP_FLAGS] >= 0 ? GT_ROLE_MAP_FLAGS : GT_ROLE_FLAGS);
	c->host_ptr = is_svm_map(c->type) ? gt_role_value(call, f, GT_ROLE_SVM_PTR) : gt_call_return(call);
	if (c->type == CL_COMMAND_MAP_IMAGE) {
		c->src = mem(m, call, f, GT_ROLE_IMAGE);
		set_image_bytes(call, f, c, c->src);
	} else {
		c->src = mem(m, call, f, GT_ROLE_BUFFER);
		set_bytes(c, gt_role_value(call, f, f->role[GT_ROLE_SIZE] >= 0 ? GT_ROLE_SIZE : GT_ROLE_CB));
	}
}

static bool same_svm(const void *element, const void *key, const void *ctx)
{
	const struct gt_svm_mappings *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->ptr == b->ptr;
}

/* Where the mappings of shared memory at an address begin. NULL: there was none, or no memory for it. */
static struct gt_mapping **svm_mappings(struct gt_model *m, uint32_t process, uint64_t ptr, bool make)
{
	const struct gt_svm_mappings key = { .ptr = ptr, .process = process };
	uint64_t hash = gt_hash(gt_hash(GT_HASH, process), ptr);
	struct gt_svm_mappings *s;
	bool fresh = false;

	s = make ? gt_map_add(&m->svm_mappings, sizeof key, hash, &key, same_svm, NULL, &fresh)
		 : gt_map_find(&m->svm_mappings, sizeof key, hash, &key, same_svm, NULL);
	if (s && fresh)
		*s = key;
	m->no_memory |= make && !s;
	return s ? &s->newest : NULL;
}

/* An unmap moves back what its map moved: remember the size until then. */
static void remember_mapping(struct gt_model *m, uint32_t process, const struct gt_command *c)
{
	struct gt_entity *e = (struct gt_entity *)c->src;
	struct gt_mapping *map = m->free_mappings, **newest;

	if (!c->host_ptr)
		return;
	newest = is_svm_map(c->type) ? svm_mappings(m, process, c->host_ptr, true) : e ? &e->mappings : NULL;
	if (!newest)
		return;
	if (map) {
		m->free_mappings = map->next;
	} else if (!(map = gt_arena_alloc(&m->objects_arena, sizeof *map))) {
		m->no_memory = true;
		return;
	}
	*map = (struct gt_mapping){ *newest, c->host_ptr, c->bytes, c->map_flags, c->has_bytes };
	*newest = map;
}

static void set_unmap(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	struct gt_mapping **at;

	if (c->type == CL_COMMAND_UNMAP_MEM_OBJECT) {
		c->dst = mem(m, call, f, GT_ROLE_MEMOBJ);
		c->host_ptr = gt_role_value(call, f, GT_ROLE_MAPPED_PTR);
		at = c->dst ? &((struct gt_entity *)c->dst)->mappings : NULL;
	} else {
		c->host_ptr = gt_role_value(call, f, GT_ROLE_SVM_PTR);
		at = svm_mappings(m, call->process, c->host_ptr, false);
	}
	for (; at && *at; at = &(*at)->next) {
		struct gt_mapping *map = *at;

		if (map->ptr != c->host_ptr)
			continue;
		c->bytes = map->bytes;
		c->has_bytes = map->has_bytes;
		c->map_flags = map->flags;
		if (!call->result) {
			*at = map->next;
			map->next = m->free_mappings;
			m->free_mappings = map;
		}
		return;
	}
}

static void set_fill(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	if (c->type == CL_COMMAND_FILL_IMAGE) {
		c->dst = mem(m, call, f, GT_ROLE_IMAGE);
		set_image_bytes(call, f, c, c->dst);
		set_pattern(call, f, c, GT_ROLE_FILL_COLOR);
		return;
	}
	c->dst = mem(m, call, f, GT_ROLE_BUFFER);
	c->host_ptr = gt_role_value(call, f, f->role[GT_ROLE_SVM_PTR] >= 0 ? GT_ROLE_SVM_PTR : GT_ROLE_DST_PTR);
	set_bytes(c, gt_role_value(call, f, GT_ROLE_SIZE));
	if (c->type == CL_COMMAND_MEMFILL_INTEL)
		c->dst_usm = gt_usm_of(m, call->process, c->host_ptr);
	set_pattern(call, f, c, GT_ROLE_PATTERN);
}

static void set_usm_copy(
	struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	set_bytes(c, gt_role_value(call, f, GT_ROLE_SIZE));
	c->host_ptr = gt_role_value(call, f, GT_ROLE_SRC_PTR);
	if (c->type != CL_COMMAND_MEMCPY_INTEL)
		return;
	c->src_usm = gt_usm_of(m, call->process, c->host_ptr);
	c->dst_usm = gt_usm_of(m, call->process, gt_role_value(call, f, GT_ROLE_DST_PTR));
}

/* The memory goes when the command has run; whoever gets the address next gets it behind this call. */
static void free_svm(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f)
{
	struct gt_arg pointers;

	if (!gt_role_arg(call, f, GT_ROLE_SVM_POINTERS, &pointers))
		return;
	for (uint32_t i = 0; i < pointers.bytes / 8; i++)
		gt_usm_remove(m, call->process, ((const uint64_t *)pointers.data)[i]);
}

static void set_by_type(
	struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	switch (c->type) {
	case CL_COMMAND_MAP_BUFFER: case CL_COMMAND_MAP_IMAGE: case CL_COMMAND_SVM_MAP: case CL_COMMAND_SVM_MAP_ARM:
		set_map(m, call, f, c);
		if (!call->result)
			remember_mapping(m, call->process, c);
		break;
	case CL_COMMAND_UNMAP_MEM_OBJECT: case CL_COMMAND_SVM_UNMAP: case CL_COMMAND_SVM_UNMAP_ARM:
		set_unmap(m, call, f, c);
		break;
	case CL_COMMAND_FILL_BUFFER:
	case CL_COMMAND_FILL_IMAGE:
	case CL_COMMAND_SVM_MEMFILL:
	case CL_COMMAND_SVM_MEMFILL_ARM:
	case CL_COMMAND_MEMFILL_INTEL:
		set_fill(m, call, f, c);
		break;
	case CL_COMMAND_SVM_MEMCPY: case CL_COMMAND_SVM_MEMCPY_ARM: case CL_COMMAND_MEMCPY_INTEL:
		set_usm_copy(m, call, f, c);
		break;
	case CL_COMMAND_SVM_FREE: case CL_COMMAND_SVM_FREE_ARM:
		if (!call->result)
			free_svm(m, call, f);
		break;
	case CL_COMMAND_MIGRATE_MEM_OBJECTS: case CL_COMMAND_SVM_MIGRATE_MEM: case CL_COMMAND_MIGRATEMEM_INTEL:
		/* bytes: what really moved only the runtime knows */
		c->map_flags = gt_role_value(call, f, GT_ROLE_FLAGS);
		break;
	default:
		set_transfer(m, call, f, c);
	}
}

/* ------------------------------------------------------------ first launches */

static bool is_same(const struct gt_launched *l, const struct gt_command *c)
{
	return l->device == c->device && !memcmp(l->local, c->local_size, sizeof l->local) &&
		gt_same_text(l->name, c->name);
}

static void set_first_launch(struct gt_model *m, const struct gt_call *call, struct gt_command *c)
{
	struct gt_entity *kernel = (struct gt_entity *)c->kernel, *program = (struct gt_entity *)c->program;
	struct gt_launched *l;

	if (!kernel || call->result || (kernel->launched && is_same(kernel->launched, c)))
		return;
	program = program ? program : kernel;
	for (l = program == kernel ? NULL : program->launched; l && !is_same(l, c);)
		l = l->next;
	if (!l && (l = gt_arena_alloc(&m->objects_arena, sizeof *l))) {
		*l = (struct gt_launched){ .device = c->device, .name = c->name };
		memcpy(l->local, c->local_size, sizeof l->local);
		if (program != kernel) {
			l->next = program->launched;
			program->launched = l;
		}
		c->first_launch = true;
	}
	kernel->launched = l;
}

static const enum gt_role blocking_roles[] = {
	GT_ROLE_BLOCKING_READ, GT_ROLE_BLOCKING_WRITE, GT_ROLE_BLOCKING_MAP, GT_ROLE_BLOCKING_COPY, GT_ROLE_BLOCKING,
};

static void set_waits(const struct gt_call *call, const struct gt_fn_info *f, struct gt_command *c)
{
	struct gt_arg waits;

	for (unsigned i = 0; i < sizeof blocking_roles / sizeof *blocking_roles; i++)
		c->blocking |= gt_role_value(call, f, blocking_roles[i]) != 0;
	if (gt_role_value(call, f, GT_ROLE_WAITS) && gt_role_arg(call, f, GT_ROLE_WAITS, &waits)) {
		c->n_waits = waits.bytes / 8;
		c->waits = waits.data;
	}
}

void gt_commands_lists(struct gt_model *m, struct gt_call *call)
{
	const struct gt_fn_info *f = &m->fn_info[call->fn->index];
	struct gt_command *c = call->command;

	if (!call->has_args)
		return;
	set_waits(call, f, c);
	if (c->pattern)
		set_pattern(call, f, c, f->role[GT_ROLE_PATTERN] >= 0 ? GT_ROLE_PATTERN : GT_ROLE_FILL_COLOR);
}

/* -------------------------------------------------------------------- times */

static struct gt_device_clock *clock_of(struct gt_model *m, const struct gt_command *c, uint32_t process)
{
	const struct gt_entity *d = (const struct gt_entity *)c->device;

	return d ? d->clock : gt_device_clock_of(m, process, 0);
}

/* Only what changes is written: other threads read the object's other fields for every command (model/crew.h). */
static void set_clock_error(struct gt_object *o, int64_t error_ns)
{
	if (o && o->clock_error_ns != error_ns)
		o->clock_error_ns = error_ns;
}

static void set_times(struct gt_model *m, const struct gt_call *call, struct gt_command *c, const struct gt_times *t)
{
	struct gt_device_clock *clock = clock_of(m, c, call->process);

	c->status = t->status;
	c->reason = t->reason;
	c->timed = t->timed && clock;
	if (!c->timed)
		return;
	if (clock->method == GT_CLOCK_UNDECIDED && !t->queued) {
		c->timed = false;               /* nothing says where its clock lies */
		c->reason = REC_LOSS_TIME_ZERO;
		return;
	}
	if (clock->method == GT_CLOCK_UNDECIDED)
		gt_device_clock_decide(m, clock, t->queued, call);
	clock = gt_device_clock_then(clock, t->queued ? t->queued : t->start, call);
	set_clock_error(c->queue, clock->error_ns);
	set_clock_error(c->device, clock->error_ns);
	c->queued_ns = t->queued ? gt_device_clock_ns(clock, t->queued) : GT_NO_TIME;
	c->submit_ns = t->submit ? gt_device_clock_ns(clock, t->submit) : GT_NO_TIME;
	c->start_ns = gt_device_clock_ns(clock, t->start);
	c->end_ns = gt_device_clock_ns(clock, t->end);
	c->complete_ns = t->complete ? gt_device_clock_ns(clock, t->complete) : GT_NO_TIME;
}

static void set_status(
	struct gt_model *m, const struct gt_call *call, struct gt_command *c, uint32_t stream, uint64_t offset)
{
	struct gt_times t;

	c->queued_ns = c->submit_ns = c->start_ns = c->end_ns = c->complete_ns = GT_NO_TIME;
	c->reason = -1;
	if (call->result) {
		c->status = call->result;  /* the enqueue itself was refused: there is no command on the device */
		return;
	}
	c->status = 1;
	if (gt_join_times(m, call->process, stream, offset, &t))
		set_times(m, call, c, &t);
	else if (call->fn->has_event_out && m->processes[call->process].device_times)
		c->reason = REC_LOSS_UNMATCHED_CALL;
}

static struct gt_string command_name(const struct gt_fn *fn)
{
	const char *name = fn->command_type;

	if (!strncmp(name, "CL_COMMAND_", 11))
		name += 11;
	return (struct gt_string){ name, strlen(name) };
}

static void set_kernel_work(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f,
	struct gt_command *c, uint32_t stream, uint64_t offset)
{
	set_work(m, call, f, c, stream, offset);
	set_first_launch(m, call, c);
	c->cpu = gt_cpu_of(m, call->process, stream, offset);
}

struct gt_command *gt_commands_make(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f,
	uint32_t stream, uint64_t offset, struct gt_command *c)
{
	*c = (struct gt_command){
		.type = call->fn->command_value, .is_kernel = f->is_kernel, .name = command_name(call->fn)
	};
	c->demangled = c->short_name = c->name;
	if (call->has_args) {
		set_queue(m, call, f, c);
		set_kernel(m, call, f, c);
		set_waits(call, f, c);
		if (f->is_kernel)
			set_kernel_work(m, call, f, c, stream, offset);
		else
			set_by_type(m, call, f, c);
	}
	set_status(m, call, c, stream, offset);
	return c;
}
