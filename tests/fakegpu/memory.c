/*
 * tests/fakegpu/memory.c - allocations of all kinds, their records, migrations of managed memory
 *
 * Device memory is host memory of our own. Managed memory moves as a whole: to the device at a launch, back at a
 * synchronisation.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST ((size_t)1 << 30)              /* bytes of one allocation; beyond is "out of memory" */

struct block { struct block *next; uint64_t at; size_t bytes; int kind, device; bool on_device; struct fg_pool *pool; };
static struct block *blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct block **find(uint64_t address, bool inside)
{
	for (struct block **b = &blocks; *b; b = &(*b)->next)
		if ((*b)->at == address || (inside && address > (*b)->at && address < (*b)->at + (*b)->bytes))
			return b;
	return NULL;
}

int fg_memory_kind(uint64_t address, int *device)
{
	pthread_mutex_lock(&lock);
	struct block **b = find(address, true);
	int kind = b ? (*b)->kind : FG_PAGEABLE;

	if (b && device)
		*device = (*b)->device;
	pthread_mutex_unlock(&lock);
	return kind;
}

static void record(const struct fg_call *c, const struct block *b, int operation, struct fg_stream *async)
{
	struct fg_context *ctx = fg_current();
	struct fg_rec r = { { 0 } };

	if (!fg_kind_on(FG_MEMORY2))
		return;
	PUT(&r, MEMORY2, memoryOperationType, operation);
	PUT(&r, MEMORY2, memoryKind, b->kind);
	PUT(&r, MEMORY2, correlationId, c->correlation);
	PUT(&r, MEMORY2, address, b->at);
	PUT(&r, MEMORY2, bytes, b->bytes);
	PUT(&r, MEMORY2, timestamp, fg_now());
	PUT(&r, MEMORY2, processId, getpid());
	PUT(&r, MEMORY2, deviceId, b->device);
	PUT(&r, MEMORY2, contextId, ctx ? ctx->id : 0);
	PUT(&r, MEMORY2, streamId, async ? async->id : FG_INVALID_ID);
	PUT(&r, MEMORY2, isAsync, async != NULL);
	PUT(&r, MEMORY2, memoryPoolType, b->pool ? 1 : 0);
	PUT(&r, MEMORY2, poolAddress, (uintptr_t)b->pool);
	PUT(&r, MEMORY2, utilizedSize, b->pool ? b->pool->used : 0);
	fg_emit(FG_MEMORY2, &r);
}

int fg_allocate(struct fg_call *c, uint64_t *out, size_t bytes, int kind, struct fg_pool *pool, struct fg_stream *async)
{
	struct fg_context *ctx = fg_current();
	struct block *b;
	void *data = NULL;

	if (!ctx)
		return CU_INVALID_CONTEXT;
	if (!out || !bytes)
		return CU_INVALID_VALUE;
	if (bytes > LARGEST || fg_fault_due("alloc-fails"))
		return CU_OUT_OF_MEMORY;
	b = calloc(1, sizeof *b);
	if (!b || posix_memalign(&data, 256, bytes)) {
		free(b);
		return CU_OUT_OF_MEMORY;
	}
	memset(data, 0, bytes);
	*b = (struct block){ .at = (uintptr_t)data, .bytes = bytes, .kind = kind, .device = ctx->device, .pool = pool };
	pthread_mutex_lock(&lock);
	b->next = blocks;
	blocks = b;
	if (pool)
		pool->used += bytes;
	pthread_mutex_unlock(&lock);
	fg_count(FG_C_LIVE_MEMORY, 1);
	*out = b->at;
	record(c, b, 1, async);
	return CU_OK;
}

void fg_release_now(uint64_t address)
{
	pthread_mutex_lock(&lock);
	struct block **at = find(address, false), *b = at ? *at : NULL;

	if (b)
		*at = b->next;
	pthread_mutex_unlock(&lock);
	if (b) {
		free((void *)b->at);
		free(b);
		fg_count(FG_C_LIVE_MEMORY, -1);
	}
}

int fg_release(struct fg_call *c, uint64_t address, struct fg_stream *async)
{
	struct block seen;

	if (!address)
		return CU_OK;
	pthread_mutex_lock(&lock);
	struct block **b = find(address, false);
	bool known = b != NULL;

	if (known) {
		seen = **b;
		if (seen.pool)
			seen.pool->used -= seen.bytes;
	}
	pthread_mutex_unlock(&lock);
	if (!known)
		return CU_INVALID_VALUE;
	record(c, &seen, 2, async);
	if (async) {
		struct fg_op op = { .work = FG_WORK_FREE, .dst = address };

		fg_submit(async, &op);
	} else {
		fg_device_wait(seen.device, fg_device_last(seen.device));
		fg_release_now(address);
	}
	return CU_OK;
}

void fg_migrate(struct fg_context *ctx, uint32_t stream_id, bool to_device)
{
	struct fg_rec records[16];
	int n = 0;
	bool wanted = fg_kind_on(FG_UNIFIED_MEMORY_COUNTER) && fg_state.um_configured;

	pthread_mutex_lock(&lock);
	for (struct block *b = blocks; b; b = b->next) {
		if (b->kind != FG_MANAGED || b->on_device == to_device || b->device != ctx->device)
			continue;
		b->on_device = to_device;
		if (!wanted || n == 16)
			continue;
		struct fg_rec *r = &records[n++];

		memset(r, 0, sizeof *r);
		PUT(r, UNIFIED_MEMORY_COUNTER, counterKind, to_device ? 1 : 2);
		PUT(r, UNIFIED_MEMORY_COUNTER, value, b->bytes);
		PUT(r, UNIFIED_MEMORY_COUNTER, start, fg_now());
		PUT(r, UNIFIED_MEMORY_COUNTER, end, fg_now() + 400 + b->bytes / 16);
		PUT(r, UNIFIED_MEMORY_COUNTER, address, b->at);
		PUT(r, UNIFIED_MEMORY_COUNTER, srcId, to_device ? FG_INVALID_ID : (unsigned)ctx->device);
		PUT(r, UNIFIED_MEMORY_COUNTER, dstId, to_device ? (unsigned)ctx->device : FG_INVALID_ID);
		PUT(r, UNIFIED_MEMORY_COUNTER, streamId, stream_id);
		PUT(r, UNIFIED_MEMORY_COUNTER, processId, getpid());
		PUT(r, UNIFIED_MEMORY_COUNTER, flags, 2);       /* coherence */
	}
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < n; i++)
		fg_emit(FG_UNIFIED_MEMORY_COUNTER, &records[i]);
}
