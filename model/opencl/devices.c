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

#include "model/internal.h"

#define NONE UINT32_MAX

struct sighting {                         /* a device of a process */
	uint32_t process, index;
	uint64_t handle, tick, parent, platform;
	char identity[192];               /* "" : nothing known */
	uint32_t ordinal;                 /* among those of its process and platform that look alike */
};
struct sightings { struct sighting *v; uint32_t n, room; };

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

static void identify(const struct gt_model *m, struct sighting *s)
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
			name_of(fact_attr(m, s->process, REC_OBJECT_PLATFORM, s->platform, CL_PLATFORM_NAME)), "/",
			name_of(name) };

		for (unsigned i = 0; i < 4; i++)
			for (const char *c = parts[i]; *c && n < sizeof s->identity - 1; c++)
				s->identity[n++] = *c;
	}
}

static struct sighting *find(struct sightings *all, uint32_t process, uint64_t handle)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->v[i].process == process && all->v[i].handle == handle)
			return &all->v[i];
	return NULL;
}

static int see(struct sightings *all, uint32_t process, uint64_t handle, uint64_t tick, uint64_t parent)
{
	struct sighting *s = find(all, process, handle);

	if (!s) {
		s = GT_LIST_ADD(all);
		if (!s)
			return -1;
		*s = (struct sighting){ .process = process, .index = NONE, .handle = handle, .tick = tick };
	}
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

static void count_alike(struct sightings *all, struct sighting *s)
{
	for (struct sighting *o = all->v; o < s; o++)
		if (o->process == s->process && !o->parent && o->platform == s->platform &&
			!strcmp(o->identity, s->identity))
			s->ordinal++;
}

static void number(struct gt_model *m, struct sightings *all, struct sighting *s)
{
	for (struct sighting *o = all->v; o < s; o++)
		if (!o->parent && o->ordinal == s->ordinal && !strcmp(o->identity, s->identity)) {
			s->index = o->index;
			return;
		}
	s->index = m->n_devices++;
}

static int collect(const struct gt_model *m, struct sightings *all)
{
	for (uint32_t i = 0; i < m->creations.n; i++) {
		const struct gt_creation *c = &m->creations.v[i];

		if (c->kind == REC_OBJECT_DEVICE && see(all, c->process, c->handle, c->tick, c->parent))
			return -1;
	}
	for (uint32_t i = 0; i < m->facts.n; i++) {
		const struct gt_fact *f = &m->facts.v[i];

		if (f->kind == REC_OBJECT_DEVICE && f->n_attrs && see(all, f->process, f->handle, f->tick, 0))
			return -1;
	}
	return 0;
}

static void number_all(struct gt_model *m, struct sightings *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		struct sighting *s = &all->v[i];

		if (!s->parent)
			s->parent = fact_u64(m, s->process, REC_OBJECT_DEVICE, s->handle, REC_ATTR_PARENT);
		s->platform = fact_u64(m, s->process, REC_OBJECT_DEVICE, s->handle, REC_ATTR_PLATFORM);
		identify(m, s);
	}
	for (uint32_t i = 0; i < all->n; i++)
		if (!all->v[i].parent) {
			count_alike(all, &all->v[i]);
			number(m, all, &all->v[i]);
		}
	for (uint32_t i = 0; i < all->n; i++) {
		struct sighting *s = &all->v[i], *p = s;

		for (int depth = 0; p && p->parent && depth < 16; depth++)
			p = find(all, p->process, p->parent);
		if (s->parent)
			s->index = p && p->index != NONE ? p->index : m->n_devices++;
	}
}

int gt_devices_number(struct gt_model *m)
{
	struct sightings all = { 0 };
	int ret = -1;

	if (collect(m, &all))
		goto out;
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, compare_sightings);
	number_all(m, &all);
	for (uint32_t i = 0; i < all.n; i++) {
		struct gt_device_number *d = GT_LIST_ADD(&m->devices);

		if (!d)
			goto out;
		*d = (struct gt_device_number){ all.v[i].process, all.v[i].index, all.v[i].handle };
	}
	ret = 0;
out:
	free(all.v);
	return ret;
}

uint32_t gt_devices_index(struct gt_model *m, uint32_t process, uint64_t handle)
{
	struct gt_device_number *d;

	for (uint32_t i = 0; i < m->devices.n; i++)
		if (m->devices.v[i].process == process && m->devices.v[i].handle == handle)
			return m->devices.v[i].index;
	d = GT_LIST_ADD(&m->devices);
	if (d)
		*d = (struct gt_device_number){ process, m->n_devices, handle };
	return m->n_devices++;
}
