/*
 * model/cuda/order.c - launches that may begin before their stream's earlier work has ended, and first launches
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/cuda/internal.h"

/* ---------------------------------------------------------------------- order */

int gt_cuda_order_add(struct gt_cuda *c, const struct gt_rec *rec)
{
	struct gt_cuda_order *o = GT_LIST_ADD(&c->processes[rec->process].orders);

	if (!o)
		return -1;
	*o = (struct gt_cuda_order){ (uint32_t)(rec->args[2] >> 32), (uint32_t)rec->args[3], (uint32_t)rec->args[4],
		rec->args[5], rec->args[6] };
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct gt_cuda_order *x = a, *y = b;

	return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

void gt_cuda_orders_sort(struct gt_cuda *c)
{
	for (uint32_t i = 0; i < c->m->n_processes; i++)
		if (c->processes[i].orders.n)
			qsort(c->processes[i].orders.v, c->processes[i].orders.n, sizeof *c->processes[i].orders.v,
				compare);
}

const struct gt_cuda_order *gt_cuda_order_of(const struct gt_cuda *c, uint32_t process, uint32_t correlation)
{
	const struct gt_cuda_process *p = &c->processes[process];
	const struct gt_cuda_order want = { .correlation = correlation };

	return p->orders.n && correlation ? bsearch(&want, p->orders.v, p->orders.n, sizeof want, compare) : NULL;
}

/* ------------------------------------------------------------- first launches */

struct launched { uint32_t process, device, block[3]; const char *name; };

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return !memcmp(element, key, sizeof(struct launched));
}

/* In order of start. Names are kept once each, so that their address tells them apart. */
static bool find_first(struct gt_cuda *c, uint64_t n)
{
	struct gt_map seen = { 0 };
	struct gt_cuda_event e;
	struct gt_err err;
	bool ok = true;

	for (uint64_t i = 0; i < n && ok; i++) {
		struct launched key, *l;
		bool fresh = false;

		if (gt_cuda_get(c, GT_CUDA_KERNEL, i, &e, &err))
			break;
		memset(&key, 0, sizeof key);
		key.process = e.process;
		key.device = e.device;
		memcpy(key.block, e.kernel.block, sizeof key.block);
		key.name = e.kernel.mangled.text;
		l = gt_map_add(
			&seen, sizeof key, gt_hash_text((const char *)&key, sizeof key), &key, same, NULL, &fresh);
		ok = l != NULL;
		if (!fresh)
			continue;
		*l = key;
		c->first_launches[i / 8] |= (uint8_t)(1u << i % 8);
	}
	gt_map_free(&seen, sizeof(struct launched));
	return ok;
}

bool gt_cuda_is_first_launch(struct gt_cuda *c, uint64_t i)
{
	uint64_t n = gt_cuda_count(c, GT_CUDA_KERNEL);

	if (!c->first_launches) {
		c->first_launches = calloc(n / 8 + 1, 1);
		if (!c->first_launches || !find_first(c, n))
			return false;
	}
	return i < n && c->first_launches[i / 8] >> i % 8 & 1;
}
