/*
 * model/cuda/cuda.c - the CUDA part of a model: made when the trace is opened, answers about the whole of it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/paged.h"
#include "common/search.h"
#include "model/cuda/internal.h"

/*
 * Its arrays are gone through several times, in order and out of it: in a file that takes twice as long. So those of up
 * to about two million records stay in memory.
 */
#define IN_MEMORY (96u << 20)

struct gt_cuda *gt_cuda_new(struct gt_model *m)
{
	struct gt_cuda *c = m->cuda;

	if (c)
		return c;
	c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->m = m;
	c->budget.most = IN_MEMORY;
	c->processes = calloc(m->n_processes + 1ull, sizeof *c->processes);
	if (!c->processes) {
		free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < m->n_processes; i++) {
		c->processes[i].library = (struct gt_cuda_library){ .process = i,
			.path = { "", 0 },
			.clock_error_ns = -1,
			.attach_start_ns = GT_NO_TIME,
			.attach_end_ns = GT_NO_TIME,
			.attach_thread = GT_CUDA_NONE };
		c->processes[i].last_ns = GT_NO_TIME;
		c->processes[i].ending_ns = c->processes[i].ended_ns = GT_NO_TIME;
		c->processes[i].last_call_ns = c->processes[i].last_work_ns = GT_NO_TIME;
	}
	m->cuda = c;
	return c;
}

void gt_cuda_free(struct gt_cuda *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->m->n_processes; i++) {
		struct gt_cuda_process *p = &c->processes[i];

		free(p->knots.v);
		free(p->waits.v);
		free(p->real.v);
		free(p->pointers.v);
		free(p->tids.v);
		free(p->orders.v);
		gt_map_free(&p->added, sizeof(struct gt_cuda_tid));
		gt_bulk_free(&p->args);
		gt_bulk_free(&p->calls);
		gt_bulk_free(&p->work);
	}
	for (int k = 0; k < GT_CUDA_KINDS; k++)
		gt_bulk_free(&c->kinds[k]);
	gt_bulk_free(&c->moments);
	gt_bulk_free(&c->unseen);
	gt_paged_free(c->worked, c->worked_bytes, 1);
	gt_cuda_cache_free(c->cache);
	gt_cuda_args_close(c);
	free(c->processes);
	free(c->buffers);
	gt_cuda_objects_forget(c);
	free(c->devices.v);
	free(c->contexts.v);
	free(c->modules.v);
	free(c->unloads.v);
	free(c->streams.v);
	free(c->texts.v);
	gt_map_free(&c->text_map, sizeof(struct gt_cuda_text *));
	free(c->to_thread);
	free(c->first_launches);
	free(c);
}

int gt_cuda_no_memory(const struct gt_model *m, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
}

struct gt_cuda *gt_model_cuda(struct gt_model *m, struct gt_err *err)
{
	struct gt_cuda *c = gt_cuda_new(m);       /* everything was read when the trace was opened */

	if (!c)
		gt_cuda_no_memory(m, err);
	return c && gt_cuda_args_open(c, err) < 0 ? NULL : c;
}

uint64_t gt_cuda_count(const struct gt_cuda *c, enum gt_cuda_kind kind) { return c->kinds[kind].n; }

uint64_t gt_cuda_lower_bound(const struct gt_cuda *c, enum gt_cuda_kind kind, int64_t start_ns)
{
	const struct gt_cuda_entry *v = c->kinds[kind].data;
	uint64_t at;

	GT_SEARCH(at, c->kinds[kind].n, v[at].start < start_ns);
	return at;
}

bool gt_cuda_span(const struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i, int64_t *start_ns, int64_t *end_ns)
{
	const struct gt_cuda_entry *e = (const struct gt_cuda_entry *)c->kinds[kind].data + i;
	bool timed = e->end != GT_NO_TIME && !(e->place & GT_PLACE_UNTIMED);

	*start_ns = e->start;
	*end_ns = timed ? e->end : GT_NO_TIME;
	return timed;
}

const struct gt_cuda_library *gt_cuda_library(const struct gt_cuda *c, uint32_t process)
{
	return process < c->m->n_processes && c->processes[process].any ? &c->processes[process].library : NULL;
}

uint32_t gt_cuda_buffer_count(const struct gt_cuda *c) { return c->n_buffers; }

struct gt_cuda_buffer gt_cuda_buffer(const struct gt_cuda *c, uint32_t i)
{
	const struct gt_cupti_buffer *b = &c->buffers[i];
	const struct rec_cupti_buffer *h = &b->head;

	return (struct gt_cuda_buffer){ .process = b->process,
		.number = h->number,
		.room = b->room,
		.valid = b->completed ? b->bytes : 0,
		.requested_ns =
			h->requested_tick ? gt_reader_tick_ns(c->m->reader, b->process, h->requested_tick) : GT_NO_TIME,
		.completed_ns =
			b->completed ? gt_reader_tick_ns(c->m->reader, b->process, h->completed_tick) : GT_NO_TIME,
		.completed = b->completed };
}

const struct gt_fn *gt_cuda_fn(struct gt_cuda *c, const struct gt_cuda_event *call)
{
	return &gt_cuda_fn_of(c, call->process, call->call.domain, call->call.cbid)->fn;
}

const struct gt_fn *gt_cuda_fn_by_id(struct gt_cuda *c, uint32_t process, uint32_t id)
{
	return &gt_cuda_fn_of(c, process, id >= REC_FN_CUDA_DRIVER ? REC_DOMAIN_CUDA_DRIVER : REC_DOMAIN_CUDA_RUNTIME,
		id % GT_CUDA_CBIDS)
			->fn;
}

/* ---------------------------------------------------------------------- texts */

/* spec: nsys SQLite ENUM_CUDA_MEMCPY_OPER */
const char *gt_cuda_copy_text(int copy_kind)
{
	static const char *const texts[] = { "Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array",
		"Array-to-Host", "Array-to-Array", "Array-to-Device", "Device-to-Array", "Device-to-Device",
		"Host-to-Host", "Peer-to-Peer", "Unified Host-to-Device", "Unified Device-to-Host",
		"Unified Device-to-Device" };

	return copy_kind >= 0 && (size_t)copy_kind < sizeof texts / sizeof *texts ? texts[copy_kind] : NULL;
}

/* spec: nsys SQLite ENUM_CUDA_MEM_KIND */
const char *gt_cuda_mem_text(int mem_kind)
{
	static const char *const texts[] = { "Unknown", "Pageable", "Pinned", "Device", "Array", "Managed",
		"Device Static", "Managed Static" };

	return mem_kind >= 0 && (size_t)mem_kind < sizeof texts / sizeof *texts ? texts[mem_kind] : NULL;
}
