/*
 * collectors/opencl/pool.c - cells of one size on mmap'ed slabs
 *
 * Runs      in wrappers and in application callbacks on driver threads.
 * Must not  malloc, lock. The only system call is the mmap of a new slab.
 *
 * CELL1  A cell that was handed out once stays mapped for ever: a callback may arrive after main has returned.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/mman.h>

#include "collectors/opencl/internal.h"

void *tap_cl_pages(size_t bytes)
{
	int saved = errno;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

void tap_cl_pages_free(void *pages, size_t bytes)
{
	int saved = errno;

	munmap(pages, bytes);
	errno = saved;
}

void *tap_cl_pool_at(struct tap_cl_pool *p, uint32_t index)
{
	uint8_t *slab;

	if (index >= atomic_load_explicit(&p->next, memory_order_acquire) || index / p->per_slab >= TAP_CL_POOL_SLABS)
		return NULL;
	slab = atomic_load_explicit(&p->slab[index / p->per_slab], memory_order_acquire);
	return slab ? slab + (size_t)(index % p->per_slab) * p->cell_bytes : NULL;
}

/* The slab that holds cell `index`, mapped now if need be. Two threads may both map it: one mapping wins. */
static uint8_t *slab_of(struct tap_cl_pool *p, uint32_t index)
{
	_Atomic(uint8_t *) *at = &p->slab[index / p->per_slab];
	size_t bytes = (size_t)p->cell_bytes * p->per_slab;
	uint8_t *slab = atomic_load_explicit(at, memory_order_acquire), *none = NULL;

	if (slab)
		return slab;
	slab = tap_cl_pages(bytes);
	if (slab && !atomic_compare_exchange_strong(at, &none, slab)) {
		tap_cl_pages_free(slab, bytes);
		slab = none;
	}
	return slab;
}

static void *take_new(struct tap_cl_pool *p)
{
	uint32_t index = atomic_load_explicit(&p->next, memory_order_relaxed);
	struct tap_cl_cell *cell;
	uint8_t *slab;

	do {
		if (index / p->per_slab >= TAP_CL_POOL_SLABS)
			return NULL;
		slab = slab_of(p, index);
		if (!slab)
			return NULL;
	} while (!atomic_compare_exchange_weak(&p->next, &index, index + 1));
	cell = (struct tap_cl_cell *)(slab + (size_t)(index % p->per_slab) * p->cell_bytes);
	cell->index = index;
	return cell;
}

void *tap_cl_pool_take(struct tap_cl_pool *p)
{
	uint64_t head = atomic_load_explicit(&p->free, memory_order_acquire), next;
	struct tap_cl_cell *cell;

	while ((uint32_t)head) {
		cell = tap_cl_pool_at(p, (uint32_t)head - 1);
		/*
		 * The cell may be taken by another thread right now; CELL1 keeps it readable and the tag makes the
		 * exchange fail.
		 */
		next = atomic_load_explicit(&cell->next_free, memory_order_relaxed);
		if (atomic_compare_exchange_weak(&p->free, &head, ((head >> 32) + 1) << 32 | next))
			return cell;
	}
	return take_new(p);
}

void tap_cl_pool_give(struct tap_cl_pool *p, void *memory)
{
	struct tap_cl_cell *cell = memory;
	uint64_t head = atomic_load_explicit(&p->free, memory_order_relaxed);

	do
		atomic_store_explicit(&cell->next_free, (uint32_t)head, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&p->free, &head, ((head >> 32) + 1) << 32 | (cell->index + 1u)));
}
