/*
 * writers/sqlite/objects.c - which object a handle names, and the number it has in the database
 *
 * Handles are used again after a release, numbers are not. Images that one pid ran one after another (exec) share the
 * pid's numbers, because the database knows processes by pid only.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "opencl_values.h"
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/map.h"
#include "common/paged.h"
#include "writers/sqlite/cuda.h"

#define KINDS 16

struct entry {
	struct gt_object *object;
	const struct gt_object *home;   /* memory: the device that wrote it last */
	uint32_t older;                 /* index + 1 of the handle's previous object */
};
struct numbers { uint32_t base[KINDS], count[KINDS]; bool begun[KINDS]; };

struct gt_sql_objects {
	struct gt_model *m;
	uint32_t seen;                  /* of the model's objects */
	struct entry *entry;
	uint32_t n;
	size_t room;
	struct gt_map map;              /* index + 1 into entry: the newest object of a handle */
	struct numbers *numbers;        /* by process */
	uint32_t n_processes;
	struct { const struct gt_object *device; int64_t number; } cuda[16]; /* found before, by address */
};

struct gt_sql_objects *gt_sql_objects_new(struct gt_model *m)
{
	struct gt_sql_objects *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->m = m;
	o->n_processes = gt_model_process_count(m);
	o->numbers = calloc(o->n_processes + 1, sizeof *o->numbers);
	if (!o->numbers) {
		gt_sql_objects_free(o);
		return NULL;
	}
	return o;
}

void gt_sql_objects_free(struct gt_sql_objects *o)
{
	if (!o)
		return;
	gt_paged_free(o->entry, o->room, sizeof *o->entry);
	gt_map_free(&o->map, sizeof(uint32_t));
	free(o->numbers);
	free(o);
}

struct handle { uint64_t handle; uint32_t process, kind; };

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_object *x = ((const struct gt_sql_objects *)ctx)->entry[*(const uint32_t *)element - 1].object;
	const struct handle *h = key;

	return x->handle == h->handle && x->process == h->process && (uint32_t)x->kind == h->kind;
}

static uint64_t hash_of(const struct handle *h)
{
	return gt_hash((uint64_t)h->kind << 57 ^ (uint64_t)h->process << 40, h->handle);
}

/* Index + 1 of the newest object of a handle, 0: there is none. */
static uint32_t newest(const struct gt_sql_objects *o, uint32_t process, uint32_t kind, uint64_t handle)
{
	const struct handle key = { handle, process, kind };
	const uint32_t *at = gt_map_find(&o->map, sizeof *at, hash_of(&key), &key, same, o);

	return at ? *at : 0;
}

/* The first object of a kind in an image begins where earlier images of its pid ended. */
static void count_object(struct gt_sql_objects *o, const struct gt_object *x)
{
	struct numbers *n = &o->numbers[x->process];
	unsigned kind = (unsigned)x->kind % KINDS;

	if (!n->begun[kind]) {
		n->begun[kind] = true;
		for (uint32_t p = 0; p < o->n_processes; p++)
			if (p != x->process && o->numbers[p].begun[kind] &&
				gt_model_process(o->m, p)->pid == gt_model_process(o->m, x->process)->pid &&
				o->numbers[p].base[kind] + o->numbers[p].count[kind] > n->base[kind])
				n->base[kind] = o->numbers[p].base[kind] + o->numbers[p].count[kind];
	}
	if (x->id >= n->count[kind])
		n->count[kind] = x->id + 1;
}

static bool add_object(struct gt_sql_objects *o, struct gt_object *x)
{
	if (x->process >= o->n_processes)
		return true;
	count_object(o, x);
	if (x->kind == REC_OBJECT_EVENT)        /* many, and events.c knows what is asked of them */
		return true;
	if (!gt_paged_grow((void **)&o->entry, o->n, &o->room, sizeof *o->entry))
		return false;
	const struct handle key = { x->handle, x->process, (uint32_t)x->kind };
	bool fresh;
	uint32_t *at = gt_map_add(&o->map, sizeof *at, hash_of(&key), &key, same, o, &fresh);

	if (!at)
		return false;
	o->entry[o->n] = (struct entry){ x, NULL, *at };
	*at = ++o->n;
	return true;
}

bool gt_sql_objects_update(struct gt_sql_objects *o)
{
	uint32_t n = gt_model_object_count(o->m);

	while (o->seen < n)
		if (!add_object(o, gt_model_object(o->m, o->seen++)))
			return false;
	return true;
}

struct gt_object *gt_sql_object_find(
	struct gt_sql_objects *o, uint32_t process, enum rec_object kind, uint64_t handle, int64_t time_ns)
{
	uint32_t at = handle ? newest(o, process, (uint32_t)kind, handle) : 0;

	while (at && o->entry[at - 1].older && o->entry[at - 1].object->born_ns != GT_NO_TIME &&
		o->entry[at - 1].object->born_ns > time_ns)
		at = o->entry[at - 1].older;
	return at ? o->entry[at - 1].object : NULL;
}

const struct gt_object **gt_sql_object_home(struct gt_sql_objects *o, const struct gt_object *x)
{
	uint32_t at = x ? newest(o, x->process, (uint32_t)x->kind, x->handle) : 0;

	while (at && o->entry[at - 1].object != x)
		at = o->entry[at - 1].older;
	return at ? &o->entry[at - 1].home : NULL;
}

int64_t gt_sql_object_number(struct gt_sql_objects *o, const struct gt_object *x)
{
	if (!x || x->process >= o->n_processes)
		return 0;
	int64_t number = (int64_t)o->numbers[x->process].base[(unsigned)x->kind % KINDS] + x->id + 1;

	return x->kind == REC_OBJECT_QUEUE ? number - 1 + GT_SQL_FIRST_STREAM : number;
}

const struct gt_object *gt_sql_object_device(const struct gt_object *x)
{
	if (!x || x->kind == REC_OBJECT_DEVICE)
		return x;
	return x->device ? x->device : x->context ? x->context->device : NULL;
}

const struct gt_object *gt_sql_object_context(const struct gt_object *x)
{
	return x && x->kind != REC_OBJECT_CONTEXT ? x->context : x;
}

void gt_sql_objects_reserve(struct gt_sql_objects *o, uint32_t process, enum rec_object kind, uint32_t last)
{
	uint32_t *base = &o->numbers[process].base[(unsigned)kind % KINDS];
	uint32_t first = kind == REC_OBJECT_QUEUE ? GT_SQL_FIRST_STREAM - 1 : 0; /* the number that base 0 follows */

	if (last > first && last - first > *base)
		*base = last - first;
}

/* How many devices of this kind the trace has before it. */
static uint32_t same_uuid_before(
	const struct gt_sql_feeder *f, const struct gt_object *device, const struct gt_attr *uuid)
{
	uint32_t n = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < gt_model_object_count(f->m); i++) {
		const struct gt_object *o = gt_model_object(f->m, i);
		const struct gt_attr *a = o->kind == REC_OBJECT_DEVICE && !o->parent &&
				o->device_index < device->device_index && o->device_index != last &&
				o->compute_units == device->compute_units
			? gt_object_attr(o, CL_DEVICE_UUID_KHR)
			: NULL;

		if (a && a->bytes == 16 && !memcmp(a->value, uuid->value, 16)) {
			n++;
			last = o->device_index;
		}
	}
	return n;
}

/* The number that CUDA gave the same device, -1 when it knows none such. */
static int64_t cuda_number(const struct gt_sql_feeder *f, const struct gt_object *device)
{
	const struct gt_attr *uuid = f->cuda && !device->parent ? gt_object_attr(device, CL_DEVICE_UUID_KHR) : NULL;
	unsigned at = (uintptr_t)device / sizeof *device % 16;

	if (!uuid || uuid->bytes != 16)
		return -1;
	if (f->objects->cuda[at].device != device) {
		f->objects->cuda[at].device = device;
		f->objects->cuda[at].number = gt_sql_cuda_gpu_of(
			f, uuid->value, device->compute_units, same_uuid_before(f, device, uuid));
	}
	return f->objects->cuda[at].number;
}

bool gt_sql_device_is_cuda(const struct gt_sql_feeder *f, const struct gt_object *device)
{
	return cuda_number(f, device) >= 0;
}

int64_t gt_sql_device_number(const struct gt_sql_feeder *f, const struct gt_object *device)
{
	int64_t number = cuda_number(f, device);

	return number >= 0 ? number : (int64_t)gt_sql_cuda_gpus(f) + device->device_index;
}

int64_t gt_sql_unknown_device(struct gt_sql_feeder *f)
{
	f->unknown_device++;
	return GT_SQL_UNKNOWN_DEVICE;
}

static bool number_of(const struct gt_attr *a, int64_t *value)
{
	uint32_t half;

	if (!a || (a->bytes != 4 && a->bytes != 8))
		return false;
	if (a->bytes == 8) {
		memcpy(value, a->value, 8);
	} else {
		memcpy(&half, a->value, 4);
		*value = half;
	}
	return true;
}

bool gt_sql_attr(const struct gt_object *o, uint32_t key, int64_t *value)
{
	return number_of(o ? gt_object_attr(o, key) : NULL, value);
}

bool gt_sql_kernel_attr(
	const struct gt_object *kernel, const struct gt_object *device, uint32_t key, int64_t *value)
{
	const struct gt_attr *a = kernel && device ? gt_kernel_attr(kernel, device, key) : NULL;

	return number_of(a, value) || gt_sql_attr(kernel, key, value);
}
