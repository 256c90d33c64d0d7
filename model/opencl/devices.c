/*
 * model/opencl/devices.c - one number per device in the whole trace, from 0
 *
 * The same device has another handle in each process. UUID and PCI address name it, else the names of device and
 * platform, and on one platform nothing that both sightings say may differ: a UUID alone is not enough, since two
 * devices may report the same, and slices of one do. (Drivers of several platforms name and count one device
 * differently.) Two devices of a process and platform are never one: those that look alike are told apart by their
 * order, so the nth of one process is the nth of another. A sub-device is a device of its own, beside its parent.
 * Worked out once when the trace is opened, so that the numbers do not depend on which part of it is read.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl_values.h"

#include "common/paged.h"
#include "model/internal.h"

#define NONE UINT32_MAX

/* What tells devices of a platform apart, and is said as a number. */
static const uint32_t told_apart_by[] = { CL_DEVICE_TYPE, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_GLOBAL_MEM_SIZE };
enum { TOLD_APART_BY = sizeof told_apart_by / sizeof *told_apart_by, LOOK_AT = 64 };

struct sighting {                         /* a device of a process */
	uint32_t process, index, seen;
	uint64_t handle, tick, parent, platform;
	char identity[256];               /* what it must share with another to be the same */
	const char *name, *of_platform;   /* "": not known */
	uint64_t number[TOLD_APART_BY];   /* 0: not known */
};
/* Where a device stands among the sightings. */
struct place { uint32_t process, at; uint64_t handle; };
/* A device, as it was first seen, and the next with its identity (index + 1). */
struct device { const struct sighting *first; uint32_t index, next; };
struct identity { const struct sighting *of; uint32_t first, last; };
struct taken { uint32_t process, device; uint64_t platform; };
struct platform_name { uint32_t process; uint64_t platform; const struct gt_attr *name; };
struct sightings {
	struct sighting *v;
	uint32_t n, room;
	GT_LIST(struct device) devices;
	struct gt_map places;             /* struct place */
	struct gt_map identities;         /* struct identity */
	struct gt_map taken;              /* struct taken: devices that a process has on a platform */
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

/* What lies in text[] grows by "kind" and the value in hexadecimal. */
static void print_hex(char *text, size_t room, char kind, const struct gt_attr *a)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t n = a->bytes < 40 ? a->bytes : 40;
	size_t at = strlen(text);

	if (at + 2 + 2 * n > room)
		return;
	text[at++] = kind;
	for (uint32_t i = 0; i < n; i++) {
		text[at++] = digits[((const unsigned char *)a->value)[i] >> 4];
		text[at++] = digits[((const unsigned char *)a->value)[i] & 15];
	}
	text[at] = 0;
}

static void print_text(char *text, size_t room, char kind, const char *more)
{
	size_t at = strlen(text);

	if (at + 2 > room)
		return;
	text[at++] = kind;
	while (*more && at < room - 1)
		text[at++] = *more++;
	text[at] = 0;
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
	static const struct { uint32_t key; char kind; } hardware[] = {
		{ CL_DEVICE_UUID_KHR, 'U' }, { CL_DEVICE_PCI_BUS_INFO_KHR, 'P' },
	};

	s->name = name_of(fact_attr(m, s->process, REC_OBJECT_DEVICE, s->handle, CL_DEVICE_NAME));
	s->of_platform = name_of(platform_name(m, all, s));
	for (size_t i = 0; i < TOLD_APART_BY; i++)
		s->number[i] = fact_u64(m, s->process, REC_OBJECT_DEVICE, s->handle, told_apart_by[i]);
	for (size_t i = 0; i < sizeof hardware / sizeof *hardware; i++) {
		const struct gt_attr *a = fact_attr(m, s->process, REC_OBJECT_DEVICE, s->handle, hardware[i].key);

		if (a && !all_zero(a))
			print_hex(s->identity, sizeof s->identity, hardware[i].kind, a);
	}
	if (*s->identity)
		return;
	print_text(s->identity, sizeof s->identity, 'N', s->name);
	print_text(s->identity, sizeof s->identity, '/', s->of_platform);
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
		*s = (struct sighting){
			.process = process, .index = NONE, .handle = handle, .tick = tick, .seen = all->n };
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
	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return x->seen < y->seen ? -1 : x->seen > y->seen;   /* one array, in its order */
}

static bool same_identity(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return !strcmp(((const struct identity *)element)->of->identity, ((const struct sighting *)key)->identity);
}

static bool same_taken(const void *element, const void *key, const void *ctx)
{
	const struct taken *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->device == b->device && a->platform == b->platform;
}

static bool differ(const char *a, const char *b) { return *a && *b && strcmp(a, b); }

/* Nothing that both say differs. */
static bool may_be(const struct sighting *a, const struct sighting *b)
{
	if (differ(a->of_platform, b->of_platform))
		return true;
	if (differ(a->name, b->name))
		return false;
	for (size_t i = 0; i < TOLD_APART_BY; i++)
		if (a->number[i] && b->number[i] && a->number[i] != b->number[i])
			return false;
	return true;
}

/* 1: from now on it is the device of that sighting; 0: its process and platform have it already; -1: no memory */
static int take(struct sightings *all, const struct sighting *s, uint32_t device)
{
	const struct taken key = { s->process, device, s->platform };
	struct taken *t;
	bool fresh;

	t = gt_map_add(&all->taken, sizeof key, gt_hash(gt_hash(gt_hash(GT_HASH, key.process), device), key.platform),
		&key, same_taken, NULL, &fresh);
	if (t && fresh)
		*t = key;
	return !t ? -1 : fresh;
}

/* The device that it is, or a new one. In order. */
static int number(struct gt_model *m, struct sightings *all, struct sighting *s)
{
	struct identity *i;
	struct device *d;
	unsigned looked = 0;
	bool fresh;
	int rc = 0;

	i = gt_map_add(&all->identities, sizeof *i, gt_hash_text(s->identity, strlen(s->identity)), s, same_identity,
		NULL, &fresh);
	if (!i)
		return -1;
	if (fresh)
		*i = (struct identity){ .of = s };
	for (uint32_t at = i->first; at && looked++ < LOOK_AT; at = all->devices.v[at - 1].next)
		if (may_be(all->devices.v[at - 1].first, s) && (rc = take(all, s, at)) != 0) {
			s->index = all->devices.v[at - 1].index;
			return rc < 0 ? -1 : 0;
		}
	d = GT_LIST_ADD(&all->devices);
	if (!d)
		return -1;
	*d = (struct device){ s, m->n_devices++, 0 };
	if (i->last)
		all->devices.v[i->last - 1].next = all->devices.n;
	else
		i->first = all->devices.n;
	i->last = all->devices.n;
	s->index = d->index;
	return take(all, s, all->devices.n) < 0 ? -1 : 0;
}

/* A sub-device, once its parent has a number: it looks like others of the same parent alone. */
static int number_part(struct gt_model *m, struct sightings *all, struct sighting *s, bool *more)
{
	const struct sighting *parent = find(all, s->process, s->parent);
	char of[16];

	if (!parent || parent->index == NONE)
		return 0;
	snprintf(of, sizeof of, "%u", parent->index);
	print_text(s->identity, sizeof s->identity, 'S', of);
	*more = true;
	return number(m, all, s);
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
	bool fresh, more = true;

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
	for (int depth = 0; more && depth < 16; depth++) {
		more = false;
		for (uint32_t i = 0; i < all->n; i++)
			if (all->v[i].index == NONE && number_part(m, all, &all->v[i], &more))
				return -1;
	}
	for (uint32_t i = 0; i < all->n; i++)    /* of a parent that nothing tells of, or of itself */
		if (all->v[i].index == NONE)
			all->v[i].index = m->n_devices++;
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
	gt_map_free(&all.identities, sizeof(struct identity));
	gt_map_free(&all.taken, sizeof(struct taken));
	gt_map_free(&all.platforms, sizeof(struct platform_name));
	free(all.devices.v);
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
