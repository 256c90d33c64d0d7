/*
 * model/opencl/devices.c - one number per physical device in the whole trace, from 0
 *
 * The same device has another handle in each process. It is the same when its UUID is, else its PCI address, else the
 * names of platform and device. Devices of one platform that look alike in one process are told apart by their order,
 * so the n-th of one process is the n-th of another. A sub-device has its parent's number. Worked out once when the
 * trace is opened, so that the numbers do not depend on which part of it is read.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "opencl_values.h"

#include "common/paged.h"
#include "model/internal.h"

#define NONE UINT32_MAX

struct sighting {                         /* a device of a process */
	uint32_t process, index;
	uint64_t handle, tick, parent, platform;
	char identity[192];               /* "" : nothing known */
	uint32_t ordinal;                 /* among those of its process and platform that look alike */
};
/* Where a device stands among the sightings; what was seen before them, and how often or as which number. */
struct place { uint32_t process, at; uint64_t handle; };
struct alike { const struct sighting *of; uint32_t count; };
struct platform_name { uint32_t process; uint64_t platform; const struct gt_attr *name; };
struct sightings {
	struct sighting *v;
	uint32_t n, room;
	struct gt_map places;             /* struct place */
	struct gt_map alike;              /* struct alike: of one process and platform */
	struct gt_map numbers;            /* struct alike: by ordinal; count is the device's number */
	struct gt_map platforms;          /* struct platform_name */
};

static const struct gt_attr *fact_attr(
	const struct gt_model *m, uint32_t process, uint32_t kind, uint64_t handle, uint32_t key)
{
	const struct gt_fact *f, *end;

	gt_facts_of(m, process, kind, handle, 0, &f, &end);
	for (; f < end; f++)
		for (uint32_t i = 0; i < f->n_attrs; i++)
			if (f->attrs[i].key == key)
				return &f->attrs[i];
	return NULL;
}

static uint64_t fact_u64(const struct gt_model *m, uint32_t process, uint32_t kind, uint64_t handle, uint32_t key)
{
	const struct gt_attr *a = fact_attr(m, process, kind, handle, key);
	uint64_t v = 0;

	if (a)
		memcpy(&v, a->value, a->bytes < 8 ? a->bytes : 8);
	return v;
}

static bool all_zero(const struct gt_attr *a)
{
	for (uint32_t i = 0; i < a->bytes; i++)
		if (((const unsigned char *)a->value)[i])
			return false;
	return true;
}

static void print_hex(char *out, char kind, const struct gt_attr *a)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t n = a->bytes < 64 ? a->bytes : 64;

	*out++ = kind;
	for (uint32_t i = 0; i < n; i++) {
		*out++ = digits[((const unsigned char *)a->value)[i] >> 4];
		*out++ = digits[((const unsigned char *)a->value)[i] & 15];
	}
	*out = 0;
}

static const char *name_of(const struct gt_attr *a)
{
	return a ? a->value : "";         /* values are stored with a zero behind them */
}

static bool same_platform(const void *element, const void *key, const void *ctx)
{
	const struct platform_name *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->platform == b->platform;
}

/* Looked up once: many devices may be of one platform, of which much may be said. */
static const struct gt_attr *platform_name(const struct gt_model *m, struct sightings *all, const struct sighting *s)
{
	struct platform_name key = { .process = s->process, .platform = s->platform }, *p;
	bool fresh;

	p = gt_map_add(&all->platforms, sizeof key, gt_hash(gt_hash(GT_HASH, key.process), key.platform), &key,
		same_platform, NULL, &fresh);
	if (p && fresh) {
		key.name = fact_attr(m, s->process, REC_OBJECT_PLATFORM, s->platform, CL_PLATFORM_NAME);
		*p = key;
	}
	return p ? p->name : NULL;
}

static void identify(const struct gt_model *m, struct sightings *all, struct sighting *s)
{
	const struct gt_attr *uuid = fact_attr(m, s->process, REC_OBJECT_DEVICE, s->handle, CL_DEVICE_UUID_KHR);
	const struct gt_attr *pci = fact_attr(m, s->process, REC_OBJECT_DEVICE, s->handle, CL_DEVICE_PCI_BUS_INFO_KHR);
	const struct gt_attr *name = fact_attr(m, s->process, REC_OBJECT_DEVICE, s->handle, CL_DEVICE_NAME);

	if (uuid && !all_zero(uuid)) {
		print_hex(s->identity, 'U', uuid);
	} else if (pci && !all_zero(pci)) {
		print_hex(s->identity, 'P', pci);
	} else {
		size_t n = 0;
		const char *parts[] = { "N",
			name_of(platform_name(m, all, s)), "/", name_of(name) };

		for (unsigned i = 0; i < 4; i++)
			for (const char *c = parts[i]; *c && n < sizeof s->identity - 1; c++)
				s->identity[n++] = *c;
	}
}

static bool same_place(const void *element, const void *key, const void *ctx)
{
	const struct place *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->handle == b->handle;
}

/* *fresh: the element is new and says nothing yet. */
static struct place *place_of(struct sightings *all, uint32_t process, uint64_t handle, bool *fresh)
{
	const struct place key = { .process = process, .handle = handle };
	struct place *p = gt_map_add(&all->places, sizeof key, gt_hash(gt_hash(GT_HASH, process), handle), &key,
		same_place, NULL, fresh);

	if (p && *fresh)
		*p = key;
	return p;
}

static struct sighting *find(struct sightings *all, uint32_t process, uint64_t handle)
{
	const struct place key = { .process = process, .handle = handle }, *p;

	p = gt_map_find(&all->places, sizeof key, gt_hash(gt_hash(GT_HASH, process), handle), &key, same_place, NULL);
	return p ? &all->v[p->at] : NULL;
}

static int see(struct sightings *all, uint32_t process, uint64_t handle, uint64_t tick, uint64_t parent)
{
	struct sighting *s;
	struct place *p;
	bool fresh;

	p = place_of(all, process, handle, &fresh);
	if (!p)
		return -1;
	if (fresh) {
		p->at = all->n;
		s = GT_LIST_ADD(all);
		if (!s)
			return -1;
		*s = (struct sighting){ .process = process, .index = NONE, .handle = handle, .tick = tick };
	}
	s = &all->v[p->at];
	if (tick < s->tick)
		s->tick = tick;
	if (parent)
		s->parent = parent;
	return 0;
}

static int compare_sightings(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static bool looks_alike(const void *element, const void *key, const void *ctx)
{
	const struct sighting *a = ((const struct alike *)element)->of, *b = key;

	(void)ctx;
	return a->process == b->process && a->platform == b->platform && !strcmp(a->identity, b->identity);
}

static bool is_same(const void *element, const void *key, const void *ctx)
{
	const struct sighting *a = ((const struct alike *)element)->of, *b = key;

	(void)ctx;
	return a->ordinal == b->ordinal && !strcmp(a->identity, b->identity);
}

/* Its place among those that look alike, and by that the number of the device. In order. */
static int number(struct gt_model *m, struct sightings *all, struct sighting *s)
{
	uint64_t identity = gt_hash_text(s->identity, strlen(s->identity));
	struct alike *a;
	bool fresh;

	a = gt_map_add(&all->alike, sizeof *a, gt_hash(gt_hash(identity, s->process), s->platform), s, looks_alike,
		NULL, &fresh);
	if (!a)
		return -1;
	if (fresh)
		a->of = s;
	s->ordinal = a->count++;
	a = gt_map_add(&all->numbers, sizeof *a, gt_hash(identity, s->ordinal), s, is_same, NULL, &fresh);
	if (!a)
		return -1;
	if (fresh)
		*a = (struct alike){ s, m->n_devices++ };
	s->index = a->count;
	return 0;
}

static int collect(const struct gt_model *m, struct sightings *all)
{
	for (size_t i = 0; i < m->creations.n; i++) {
		const struct gt_creation *c = (const struct gt_creation *)m->creations.data + i;

		gt_paged_tick();
		if (c->kind == REC_OBJECT_DEVICE && see(all, c->process, c->handle, c->tick, c->parent))
			return -1;
	}
	for (size_t i = 0; i < m->facts.n; i++) {
		const struct gt_fact *f = (const struct gt_fact *)m->facts.data + i;

		gt_paged_tick();
		if (f->kind == REC_OBJECT_DEVICE && f->n_attrs && see(all, f->process, f->handle, f->tick, 0))
			return -1;
	}
	return 0;
}

static int number_all(struct gt_model *m, struct sightings *all)
{
	struct place *p;
	bool fresh;

	for (uint32_t i = 0; i < all->n; i++) {   /* they were sorted since */
		p = place_of(all, all->v[i].process, all->v[i].handle, &fresh);
		if (!p)
			return -1;
		p->at = i;
	}
	for (uint32_t i = 0; i < all->n; i++) {
		struct sighting *s = &all->v[i];

		if (!s->parent)
			s->parent = fact_u64(m, s->process, REC_OBJECT_DEVICE, s->handle, REC_ATTR_PARENT);
		s->platform = fact_u64(m, s->process, REC_OBJECT_DEVICE, s->handle, REC_ATTR_PLATFORM);
		identify(m, all, s);
	}
	for (uint32_t i = 0; i < all->n; i++)
		if (!all->v[i].parent && number(m, all, &all->v[i]))
			return -1;
	for (uint32_t i = 0; i < all->n; i++) {
		struct sighting *s = &all->v[i], *p = s;

		for (int depth = 0; p && p->parent && depth < 16; depth++)
			p = find(all, p->process, p->parent);
		if (s->parent)
			s->index = p && p->index != NONE ? p->index : m->n_devices++;
	}
	return 0;
}

static bool same_device(const void *element, const void *key, const void *ctx)
{
	const struct gt_device_number *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->handle == b->handle;
}

static struct gt_device_number *device_of(struct gt_model *m, uint32_t process, uint64_t handle, bool *fresh)
{
	const struct gt_device_number key = { .process = process, .handle = handle };
	struct gt_device_number *d = gt_map_add(&m->devices, sizeof key,
		gt_hash(gt_hash(GT_HASH, process), handle), &key, same_device, NULL, fresh);

	if (d && *fresh)
		*d = key;
	return d;
}

int gt_devices_number(struct gt_model *m)
{
	struct sightings all = { 0 };
	bool fresh;
	int ret = -1;

	if (collect(m, &all))
		goto out;
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, compare_sightings);
	if (number_all(m, &all))
		goto out;
	for (uint32_t i = 0; i < all.n; i++) {
		struct gt_device_number *d = device_of(m, all.v[i].process, all.v[i].handle, &fresh);

		if (!d)
			goto out;
		d->index = all.v[i].index;
	}
	ret = 0;
out:
	gt_map_free(&all.places, sizeof(struct place));
	gt_map_free(&all.alike, sizeof(struct alike));
	gt_map_free(&all.numbers, sizeof(struct alike));
	gt_map_free(&all.platforms, sizeof(struct platform_name));
	free(all.v);
	return ret;
}

uint32_t gt_devices_index(struct gt_model *m, uint32_t process, uint64_t handle)
{
	struct gt_device_number *d;
	bool fresh;

	d = device_of(m, process, handle, &fresh);
	if (!d)
		return m->n_devices++;
	if (fresh)
		d->index = m->n_devices++;
	return d->index;
}
